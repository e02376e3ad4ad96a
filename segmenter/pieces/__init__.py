"""Models that split a word into pieces (BPE, WordPiece, unigram, whole words), and their files.

The engine needs only these: ``oov="bpe"`` and ``"unigram"`` split unknown words with a
:class:`~segmenter.pieces.vocabulary.Vocabulary`.  Tokenizers, which add steps before and after the
model and may use a Segmenter, are in :mod:`segmenter.subword`, below the engine.
"""
