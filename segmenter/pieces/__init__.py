"""Models that cut a word into pieces (BPE, WordPiece, unigram, whole words), and their files.

The engine needs these alone: ``oov="bpe"`` and ``"unigram"`` cut the words that nothing knows by a
:class:`~segmenter.pieces.vocabulary.Vocabulary`.  Tokenizers, which also have steps before and
after the model and may cut by a Segmenter, are :mod:`segmenter.subword`, below the engine.
"""
