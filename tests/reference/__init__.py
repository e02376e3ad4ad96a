"""The reference of the kernels in plain Python, slow: what their tests compare them with.

The decoders themselves are in :mod:`segmenter.lattice.steps`, where the page plays them too.  Here
is one module per subject, and each names its header.  Where it can, the reference takes
another method than its kernel (a trie of dicts, regular expressions over classes), so that the two
do not share mistakes.
"""
