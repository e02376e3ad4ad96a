"""The unigram language model of subwords (Kudo 2018), as in SentencePiece.

Every piece has a probability; the best segmentation of a string maximises their product.

>>> unigram = Unigram([("<unk>", 0.0), ("a", -2.0), ("b", -2.0), ("ab", -3.0)], 0)
>>> [unigram.piece_of(p.id) for p in unigram.encode("abb")]
['ab', 'b']
>>> [([unigram.piece_of(p.id) for p in pieces], score) for pieces, score in unigram.nbest("ab", 2)]
[(['ab'], -3.0), (['a', 'b'], -4.0)]
"""

from __future__ import annotations

from itertools import groupby
from math import exp, inf, log
from struct import Struct
from typing import TYPE_CHECKING, cast

from segmenter.choices import check_whole
from segmenter.errors import ArgumentError
from segmenter.subword.models.model import (
    BYTE_OF_PIECE,
    BYTE_PIECES,
    Model,
    Piece,
    check_vocabulary,
    to_bytes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random
    from typing import Any

    from segmenter.kernels._subword import Subwords

#: How much lower the score of an unknown character is than the lowest score of a piece
#: (SentencePiece's number).
UNK_PENALTY = 10.0
#: With sums in 32 bits, a path's sum below this is subtracted from all paths that may continue it,
#: as in SentencePiece.
LEAST = -100_000.0
_FLOAT = Struct("f")


class Unigram(Model):
    """Pieces with log probabilities.

    Args:
        pieces: (piece, natural logarithm of its probability), by id.
        unk_id: the id for unknown characters; None: an unknown character is an error, unless
            ``byte_fallback`` spells it.
        byte_fallback: unknown characters become their UTF-8 bytes, ``<0xE5>`` …  Text that looks
            like such a piece is not matched (as in SentencePiece).
        fuse_unk: adjacent unknown characters become one ``unk`` (as in SentencePiece).
        hidden: ids of pieces that no text produces (control symbols).
        single: sum in 32 bits, as SentencePiece does: in long texts the rounding decides between
            nearly equal paths (see :data:`LEAST`).
        unk_score: score of an unknown character; None: the lowest score less :data:`UNK_PENALTY`.
        spelt: text that looks like a byte piece is matched (as in Hugging Face ``tokenizers``).

    Raises:
        ArgumentError: an ``unk_id`` outside the pieces; missing byte pieces; a score that is not a
            finite number; a duplicate piece.
    """

    kind = "Unigram"

    def __init__(
        self,
        pieces: Iterable[tuple[str, float]],
        unk_id: int | None = None,
        byte_fallback: bool = False,
        *,
        fuse_unk: bool = True,
        hidden: Iterable[int] = (),
        single: bool = False,
        unk_score: float | None = None,
        spelt: bool = False,
    ) -> None:
        rows = [(piece, float(score)) for piece, score in pieces]
        self.vocab = {}
        for number, (piece, score) in enumerate(rows):
            if piece in self.vocab:
                raise ArgumentError(
                    f"pieces: {piece!r} occurs twice ({self.vocab[piece]}, {number})"
                )
            if not -inf < score < inf:
                raise ArgumentError(f"pieces: the score {score} of {piece!r} is not a number")
            self.vocab[piece] = number
        self._pieces = check_vocabulary(self.vocab)
        self._rounded: Callable[[float], float] = float32 if single else float
        self.scores = [self._rounded(score) for _, score in rows]
        if unk_id is not None and not 0 <= unk_id < len(rows):
            raise ArgumentError(f"unk_id: {unk_id} is not an id of the {len(rows)} pieces")
        self.unk_id = unk_id
        self.unk = None if unk_id is None else rows[unk_id][0]
        self.byte_fallback = byte_fallback
        self.fuse_unk = fuse_unk
        self._fallback: tuple[int, ...] | None = None
        if byte_fallback:
            missing = [p for p in BYTE_PIECES if p not in self.vocab]
            if missing:
                raise ArgumentError(f"byte_fallback: the pieces lack {missing[0]!r}: add them all")
            self._fallback = tuple(self.vocab[p] for p in BYTE_PIECES)
        self.hidden = frozenset(hidden)
        self.single = single
        self.spelt = spelt
        barred = byte_fallback and not spelt
        # in tokenizers a text may spell the piece for unknown characters
        hidden = self.hidden if unk_id is None or spelt else self.hidden | {unk_id}
        self._matching = {
            piece: number
            for piece, number in self.vocab.items()
            if piece and number not in hidden and not (barred and piece in BYTE_OF_PIECE)
        }
        self._longest: dict[str, int] = {}  # by first character
        for piece in self._matching:
            self._longest[piece[0]] = max(self._longest.get(piece[0], 0), len(piece))
        least = min((self.scores[i] for i in self._matching.values()), default=0.0)
        self.unk_score = self._rounded(least - UNK_PENALTY if unk_score is None else unk_score)

    # --- the lattice -----------------------------------------------------------------------------

    def _edges(self, text: str, start: int) -> Iterator[tuple[int, int, float]]:
        """(end, id, score) of the pieces that begin at ``start``, shortest first; id -1 means
        unknown."""
        matching, scores = self._matching, self.scores
        single = False
        longest = self._longest.get(text[start], 0)
        for end in range(start + 1, min(len(text), start + longest) + 1):
            number = matching.get(text[start:end])
            if number is not None:
                single |= end == start + 1
                yield end, number, scores[number]
        if not single:
            yield start + 1, -1, self.unk_score

    def encode(self, text: str) -> list[Piece]:
        """The most probable pieces, by Viterbi.

        Of equally good paths the one with the longer last piece wins, and so on from the right.
        Takes O(n) times the length of the longest piece.
        """
        n = len(text)
        best = [0.0] + [-inf] * n
        back: list[tuple[int, int]] = [(0, 0)] * (n + 1)
        rounded = self._rounded
        reached = 0
        for start in range(n):
            if self.single and best[start] < LEAST:
                base = best[start]
                for k in range(start, reached + 1):
                    best[k] = rounded(best[k] - base)
            so_far = best[start]
            for end, number, score in self._edges(text, start):
                total = rounded(so_far + score)
                if total > best[end]:
                    best[end] = total
                    back[end] = (start, number)
                    reached = max(reached, end)
        path: list[Piece] = []
        end = n
        while end:
            start, number = back[end]
            path.append(Piece(number, start, end))
            end = start
        path.reverse()
        return self._written(text, path)

    def _written(self, text: str, path: list[Piece]) -> list[Piece]:
        """Replace the unknown characters of a path by bytes or ``unk``."""
        pieces: list[Piece] = []
        for is_piece, group in groupby(path, lambda piece: piece.id not in (-1, self.unk_id)):
            run = list(group)
            if is_piece or (len(run) == 1 and run[0].id >= 0):
                pieces += run
                continue
            start, end = run[0].start, run[-1].end
            if self._fallback is not None:
                for piece in run:
                    a, b = (start, end) if self.spelt else (piece.start, piece.end)
                    data = to_bytes(text[piece.start : piece.end])
                    pieces += [Piece(self._fallback[byte], a, b) for byte in data]
            elif self.unk_id is None:
                raise self._no_piece(text[start : start + 1])
            elif self.fuse_unk:
                pieces.append(Piece(self.unk_id, start, end))
            else:
                pieces += [Piece(self.unk_id, piece.start, piece.end) for piece in run]
        return pieces

    def nbest(self, text: str, n: int) -> list[tuple[list[Piece], float]]:
        """The ``n`` best segmentations (or fewer) with their log probabilities, best first.

        List Viterbi (Seshadri & Sundberg 1994); time and memory grow with ``n``.

        Raises:
            ArgumentError: ``n`` is not from 1 to 10,000.
        """
        check_whole("n", n, 1, 10_000)
        length = len(text)
        # per node: (score, start, id, index among the start's paths), best first
        lists: list[list[tuple[float, int, int, int]]] = [[] for _ in range(length + 1)]
        lists[0] = [(0.0, 0, 0, 0)]
        for start in range(length):
            paths = lists[start]
            # sorted() is stable: of equal scores the longer last piece stays in front
            paths = lists[start] = sorted(paths, key=lambda row: -row[0])[:n]
            for end, number, score in self._edges(text, start):
                lists[end] += [(row[0] + score, start, number, k) for k, row in enumerate(paths)]
        if length:
            lists[length] = sorted(lists[length], key=lambda row: -row[0])[:n]
        segmentations: list[tuple[list[Piece], float]] = []
        for score, *_ in lists[length]:
            path: list[Piece] = []
            end, k = length, len(segmentations)
            while end:
                _, start, number, k = lists[end][k]
                path.append(Piece(number, start, end))
                end = start
            path.reverse()
            segmentations.append((self._written(text, path), score))
        return segmentations

    def sample(self, text: str, random: Random, alpha: float = 1.0) -> list[Piece]:
        """A segmentation drawn with probability proportional to p(pieces) ** ``alpha``.

        Exact subword regularisation (Kudo 2018), by forward filtering and backward sampling.

        Args:
            random: the generator to draw with.
            alpha: 1 samples from the model, 0 uniformly from all segmentations; large values give
                the best one.
        """
        n = len(text)
        forward = [0.0] + [-inf] * n  # log of the sum over all paths to a position
        arriving: list[list[tuple[float, int, int]]] = [[] for _ in range(n + 1)]
        for start in range(n):
            for end, number, score in self._edges(text, start):
                total = forward[start] + alpha * score
                arriving[end].append((total, start, number))
                forward[end] = log_add(forward[end], total)
        path: list[Piece] = []
        end = n
        while end:
            remaining = random.random()
            chosen = arriving[end][-1]
            for row in arriving[end]:
                remaining -= exp(row[0] - forward[end])
                if remaining < 0:
                    chosen = row
                    break
            path.append(Piece(chosen[2], chosen[1], end))
            end = chosen[1]
        path.reverse()
        return self._written(text, path)

    def _make_kernel(self) -> Subwords:
        from segmenter.kernels._subword import UnigramKernel

        return UnigramKernel(
            [(piece, self.scores[number], number) for piece, number in self._matching.items()],
            self.unk_score,
            self.size,
            unk=self.unk_id,
            fuse_unk=self.fuse_unk,
            byte_ids=self._fallback,
            single=self.single,
            together=self.spelt,
        )

    @property
    def closed(self) -> bool:
        return self.byte_fallback

    def config(self) -> dict[str, Any]:
        return {
            "type": "Unigram",
            "unk_id": self.unk_id,
            "vocab": [[p, s] for p, s in zip(self.vocab, self.scores, strict=True)],
            "byte_fallback": self.byte_fallback,
        }

    def __repr__(self) -> str:
        return f"<Unigram of {len(self.vocab):,} pieces>"


def log_add(a: float, b: float) -> float:
    if a < b:
        a, b = b, a
    return a if b == -inf else a + log(1.0 + exp(b - a))


def float32(value: float) -> float:
    """Round a number to 32 bits.

    >>> float32(0.1)
    0.10000000149011612
    """
    return cast(float, _FLOAT.unpack(_FLOAT.pack(value))[0])
