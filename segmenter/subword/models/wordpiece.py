"""WordPiece (Schuster & Nakajima 2012; the decoder of BERT, Devlin et al. 2019).

A word is split from the left, each time taking the longest piece in the vocabulary.

>>> vocab = {"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3}
>>> wordpiece = WordPiece(vocab)
>>> [wordpiece.piece_of(p.id) for p in wordpiece.encode("unaffable")]
['un', '##aff', '##able']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segmenter.lattice.steps import result
from segmenter.subword.models.model import Model, Piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from segmenter.kernels._subword import Subwords
    from segmenter.lattice.steps import Steps


class Try(NamedTuple):
    """Is a part of the word a piece?  ``number`` is the piece's id, None if there is none."""

    start: int
    end: int
    piece: str
    number: int | None


class WordPiece(Model):
    """Longest match first.

    Args:
        vocab: a dict from piece to id.
        unk: the piece for a whole word that the vocabulary cannot spell.
        prefix: the prefix of pieces that do not begin a word.
        max_chars: longer words are always ``unk``.
        hidden: ids of pieces that no text produces (control symbols).

    Raises:
        ArgumentError: the vocabulary lacks ``unk``.
    """

    kind = "WordPiece"

    def __init__(
        self,
        vocab: Mapping[str, int],
        unk: str = "[UNK]",
        prefix: str = "##",
        max_chars: int = 100,
        *,
        hidden: Iterable[int] = (),
    ) -> None:
        self._set_vocabulary(vocab)
        self.unk = unk
        self.prefix = prefix
        self.max_chars = max_chars
        self._unk_id = self._required_id(unk, "unk")
        self.hidden = frozenset(hidden)
        self._first = {p: i for p, i in self.vocab.items() if i not in self.hidden}
        self._inner = {p[len(prefix) :]: i for p, i in self._first.items() if p.startswith(prefix)}
        self._longest_first = max(map(len, self._first), default=0)
        self._longest_inner = max(map(len, self._inner), default=0)

    def encode(self, text: str) -> list[Piece]:
        """The pieces of one word; ``[unk]`` for the whole word if any part has no piece."""
        return result(self.steps(text))

    def steps(self, text: str) -> Steps[list[Piece]]:
        """The same step by step: yields every :class:`Try`."""
        n = len(text)
        if not n:
            return []
        if n > self.max_chars:
            return [Piece(self._unk_id, 0, n)]
        path: list[Piece] = []
        start = 0
        pieces, longest, prefix = self._first, self._longest_first, ""
        while start < n:
            for end in range(min(n, start + longest), start, -1):
                number = pieces.get(text[start:end])
                yield Try(start, end, prefix + text[start:end], number)
                if number is not None:
                    break
            else:
                return [Piece(self._unk_id, 0, n)]
            path.append(Piece(number, start, end))
            start = end
            pieces, longest, prefix = self._inner, self._longest_inner, self.prefix
        return path

    def _make_kernel(self) -> Subwords:
        from segmenter.kernels._subword import WordPieceKernel

        return WordPieceKernel(
            self._first, self._unk_id, self.size, prefix=self.prefix, max_chars=self.max_chars
        )

    def config(self) -> dict[str, Any]:
        return {
            "type": "WordPiece",
            "unk_token": self.unk,
            "continuing_subword_prefix": self.prefix,
            "max_input_chars_per_word": self.max_chars,
            "vocab": dict(self.vocab),
        }

    def __repr__(self) -> str:
        return f"<WordPiece of {len(self.vocab):,} pieces>"
