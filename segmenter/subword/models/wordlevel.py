"""Whole words: a span is either a piece or unknown (``WordLevel`` of Hugging Face ``tokenizers``).

>>> words = WordLevel({"[UNK]": 0, "lower": 1}, "[UNK]")
>>> [words.piece_of(p.id) for text in ("lower", "low") for p in words.encode(text)]
['lower', '[UNK]']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.subword.models.model import Model, Piece

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from segmenter.kernels._subword import Subwords


class WordLevel(Model):
    """A vocabulary of words.

    Args:
        vocab: a dict from piece to id.
        unk: the piece for all other words; if the vocabulary lacks it, such a word is an error.
    """

    kind = "WordLevel"

    def __init__(self, vocab: Mapping[str, int], unk: str = "<unk>") -> None:
        self._set_vocabulary(vocab)
        self.unk = unk

    def encode(self, text: str) -> list[Piece]:
        if not text:
            return []
        number = self.vocab.get(text, self.vocab.get(self.unk))
        if number is None:
            raise self._no_piece(text[0])
        return [Piece(number, 0, len(text))]

    def _make_kernel(self) -> Subwords:
        from segmenter.kernels._subword import WordLevelKernel

        return WordLevelKernel(self.vocab, self.size, unk=self.vocab.get(self.unk))

    def config(self) -> dict[str, Any]:
        return {"type": self.kind, "vocab": dict(self.vocab), "unk_token": self.unk}

    def __repr__(self) -> str:
        return f"<WordLevel of {len(self.vocab):,} words>"
