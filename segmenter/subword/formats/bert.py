"""BERT's ``vocab.txt``: one piece per line, its line number being the id (Devlin et al. 2019)."""

from __future__ import annotations

import os

from segmenter.errors import ArgumentError
from segmenter.subword import normalise, postprocess, pretokenise
from segmenter.subword.added import AddedToken
from segmenter.subword.formats.files import FormatError, read_lines
from segmenter.subword.models.wordpiece import WordPiece
from segmenter.subword.tokenizer import Tokenizer

#: Pieces that are special tokens if the vocabulary has them.
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def load(
    path: str | os.PathLike[str],
    *,
    lowercase: bool = True,
    strip_accents: bool | None = None,
    handle_chinese_chars: bool = True,
    clean_text: bool = True,
    unk: str = "[UNK]",
) -> Tokenizer:
    """Read a ``vocab.txt``, giving the same Tokenizer as ``BertWordPieceTokenizer`` of
    ``tokenizers``.

    The file does not say whether to convert text to lower case: see ``do_lower_case`` in the
    ``tokenizer_config.json`` next to it.

    Args:
        lowercase, strip_accents, handle_chinese_chars, clean_text: see
            :class:`~segmenter.subword.normalise.Bert`.
        unk: the piece for unknown text.

    Raises:
        FormatError: the file is not UTF-8, or lacks ``unk``.
        OSError: it cannot be read.
    """
    name = os.fspath(path)
    rows = [line.rstrip("\r") for _, line in read_lines(path)]
    if rows and not rows[-1]:
        rows.pop()
    vocab: dict[str, int] = {}
    for number, piece in enumerate(rows):
        vocab[piece.rstrip(" \t")] = number  # if a piece occurs twice, the last one counts
    try:
        model = WordPiece(vocab, unk)
    except ArgumentError as e:
        raise FormatError(name, f"is not a vocabulary of BERT: {e}") from e
    post = None
    if "[CLS]" in vocab and "[SEP]" in vocab:
        post = postprocess.Bert(("[SEP]", vocab["[SEP]"]), ("[CLS]", vocab["[CLS]"]))
    return Tokenizer(
        model,
        normaliser=normalise.Bert(clean_text, handle_chinese_chars, strip_accents, lowercase),
        pretokeniser=pretokenise.BertPreTokenizer(),
        postprocessor=post,
        added=[AddedToken(piece, vocab[piece]) for piece in SPECIAL if piece in vocab],
        allowed="all",
        name=name,
        library="tokenizers",
    )
