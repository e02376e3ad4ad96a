"""Models that split a word into pieces (BPE, WordPiece, unigram, whole words), and their files.

``oov="bpe"`` and ``"unigram"`` split unknown words with one of these, in a
:class:`~segmenter.subword.models.vocabulary.Vocabulary`.  A :class:`segmenter.subword.Tokenizer`
adds steps before and after the model and may use a Segmenter.
"""
