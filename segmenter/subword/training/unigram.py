"""Training of unigram models: a large seed vocabulary, EM, pruning by loss (Kudo 2018).

1. **Seed**: the substrings of the words with the most weight (count times length), and all
   characters.
2. **EM**: compute the expected count of every piece over all segmentations (forward-backward), and
   from these counts the probabilities.  As in SentencePiece, the digamma function takes the place
   of the logarithm, which makes rare pieces rarer (the variational step of a sparse Dirichlet
   prior).
3. **Pruning**: drop the pieces of two or more characters with the smallest loss, that is, the
   decrease in likelihood when their occurrences are spelt with other pieces.

Steps 2 and 3 are repeated until the wanted size is reached; single characters always stay.

>>> counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
>>> pieces = learn(counts, 14)
>>> len(pieces), [piece for piece, _ in pieces[:3]]
(14, ['newest', 'low', 'widest'])
"""

from __future__ import annotations

from array import array
from collections import Counter
from math import inf, log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.kernels._subword import UnigramCorpus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from segmenter.lattice.steps import Steps

    Scores = Mapping[str, float]

#: Share of the pieces kept per round, and EM steps per round (SentencePiece's numbers).
SHRINK = 0.75
EM_STEPS = 2
#: Pieces of the seed vocabulary, at most (SentencePiece's number).
SEED_SIZE = 1_000_000
#: Pieces with a lower expected count are dropped (SentencePiece's number).
LEAST_COUNT = 0.5
#: The rounds stop at this multiple of the wanted size; the last cut does the rest (SentencePiece's
#: number).
SURPLUS = 1.1


def characters_of(words: Iterable[tuple[str, int]]) -> Counter[str]:
    characters: Counter[str] = Counter()
    for word, count in words:
        for c in word:
            characters[c] += count
    return characters


def seed(
    counts: Mapping[str, int], size: int, max_piece: int = 16, min_frequency: int = 2
) -> Counter[str]:
    """The substrings of two or more characters with the most weight (occurrences times length).

    Lengths are counted one at a time: a substring of k + 1 characters is counted only if its first
    k are frequent enough, so rare ones cost nothing.

    Args:
        counts: words with their counts.
        size: maximum number of substrings.
        max_piece: maximum length in characters.
        min_frequency: minimum number of occurrences.
    """
    rows = [(word, count) for word, count in counts.items() if word]
    if not rows:
        return Counter()
    text = "".join(word for word, _ in rows)
    lengths = np.array([len(word) for word, _ in rows])
    # per position: the end of its word, and the word's count
    ends = np.repeat(np.cumsum(lengths), lengths)
    weights = np.repeat(np.array([count for _, count in rows], np.float64), lengths)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
    positions = np.arange(len(text))
    # per position: the number of the substring of the last length that begins there
    substrings = codes
    candidates: list[tuple[int, NDArray[np.int64], NDArray[np.float64]]] = []
    for length in range(2, max_piece + 1):
        fits = positions + length <= ends[positions]
        positions = positions[fits]
        keys = substrings[fits] << 21 | codes[positions + length - 1]  # a code point has 21 bits
        _, first, substrings = np.unique(keys, return_index=True, return_inverse=True)
        occurrences = np.bincount(substrings, weights[positions], len(first)).astype(np.float64)
        frequent = occurrences >= min_frequency
        if not frequent.any():
            break
        candidates.append((length, positions[first[frequent]], occurrences[frequent]))
        kept = frequent[substrings]
        positions, substrings = positions[kept], substrings[kept].astype(np.int64)
    scores = np.concatenate([length * n for length, _, n in candidates] or [np.zeros(0)])
    # all that tie with the last one are candidates: alphabetical order decides among them
    threshold = np.partition(scores, -size)[-size] if 0 < size < len(scores) else 0.0
    ranked = [
        (-n * length, text[start : start + length], n)
        for length, starts, occurrences in candidates
        for start, n in zip(starts.tolist(), occurrences.tolist(), strict=True)
        if n * length >= threshold
    ]
    return Counter({piece: int(n) for _, piece, n in sorted(ranked)[:size]})


def log_probabilities(counts: Mapping[str, float]) -> dict[str, float]:
    """Natural logarithms of the relative frequencies: the maximum likelihood estimate."""
    total = sum(counts.values())
    return {piece: log(count / total) for piece, count in counts.items()}


def loss(count: float, total: float, parts: Sequence[float]) -> float:
    """Estimate how much the log likelihood of the best segmentations falls without a piece, per
    occurrence of any piece, if each occurrence is spelt with the best other pieces for its
    characters (SentencePiece's pruning).

    Args:
        count: how often the piece occurs in the best segmentations.
        total: the same for all pieces together.
        parts: the same for each piece that would spell it; empty if none can.
    """
    if not parts:
        return inf
    if not count:
        return 0.0
    # the parts take over the occurrences of the piece
    new_total = total + count * (len(parts) - 1)
    score = sum(log((part + count) / new_total) for part in parts)
    return count / total * (log(count / total) - score)


def digamma(x: float) -> float:
    """The digamma function for x > 0 (by its recurrence and asymptotic series; 1e-10).

    >>> round(digamma(1.0), 9)
    -0.577215665
    """
    shift = 0.0
    while x < 7:
        shift -= 1 / x
        x += 1
    x -= 0.5
    y = 1 / (x * x)
    series = y * (1 / 24 - y * (7 / 960 - y * (31 / 8064 - y * 127 / 30720)))
    return shift + log(x) + series


class Expected(NamedTuple):
    """E step: the expected count of every piece over all segmentations, and the corpus' log
    likelihood."""

    counts: dict[str, float]
    likelihood: float


class Maximised(NamedTuple):
    """M step: the pieces' log probabilities from the expected counts."""

    scores: dict[str, float]


class Pruned(NamedTuple):
    """Pruning: ``kept`` are the pieces of most ``worth``: the largest losses, or in the ``last``
    round the largest probabilities."""

    worth: Mapping[str, float]
    kept: dict[str, float]
    last: bool


def rounds(
    words: Iterable[tuple[str, int]], scores: dict[str, float], fixed: Collection[str], size: int
) -> Steps[dict[str, float]]:
    """EM and pruning, until the wanted size is reached.

    Args:
        words: each with its count.
        scores: of the seeds and characters to begin with.
        fixed: pieces that stay.
        size: number of pieces.
    """
    corpus = UnigramCorpus(words)
    while True:
        for _ in range(EM_STEPS):
            expected = _expected(corpus, scores)
            yield expected
            scores = _maximised(expected.counts, fixed)
            yield Maximised(scores)
        if len(scores) <= max(size, int(SURPLUS * size)):
            break
        losses = _losses(corpus, scores)
        room = max(int(SURPLUS * size), int(SHRINK * len(scores)))
        pieces = _kept(scores, fixed, losses, room)
        yield Pruned(losses, pieces, False)
        scores = pieces
    # the last cut is by probability, as in SentencePiece
    pieces = _kept(scores, fixed, scores, size)
    yield Pruned(scores, pieces, True)
    return pieces


def learn(
    counts: Mapping[str, int],
    size: int,
    *,
    keep: Collection[str] = (),
    barred: Collection[str] = (),
    min_frequency: int = 2,
    max_piece: int = 16,
    seed_size: int = SEED_SIZE,
    progress: Callable[[str, int, int | None], object] | None = None,
) -> list[tuple[str, float]]:
    """A vocabulary of at most ``size`` pieces with log probabilities, the most probable first.

    Args:
        counts: words with their counts.
        size: number of pieces wanted; all single characters and ``keep`` stay, even if there are
            more of them.
        keep: pieces that must stay in addition to single characters.
        barred: strings that must not become pieces.
        min_frequency: substrings seen less often are not used as seeds.
        max_piece: the longest piece, in characters.
        seed_size: maximum number of substrings to begin with.
        progress: called with ("prune", pieces now, pieces wanted).

    Raises:
        ArgumentError: there is no character.
    """
    words = [(word, count) for word, count in counts.items() if word and count > 0]
    characters = characters_of(words)
    fixed = dict.fromkeys([*characters, *keep])
    initial: dict[str, float] = {p: float(max(characters[p], 1)) for p in fixed}
    for piece, count in seed(counts, seed_size, max_piece, min_frequency).items():
        if piece not in barred:
            initial[piece] = float(count)
    if not initial:
        raise ArgumentError("texts: there is no character to learn from: give more text")
    scores = log_probabilities(initial)
    target = max(size, len(fixed))
    for step in rounds(words, scores, fixed, target):
        if isinstance(step, Pruned):
            scores = step.kept
            if progress is not None:
                progress("prune", len(scores), target)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


# --- compiled passes over the corpus -------------------------------------------------------------


def _expected(corpus: UnigramCorpus, scores: Scores) -> Expected:
    corpus.set_pieces(list(scores), array("d", scores.values()))
    counts = array("d", bytes(8 * len(scores)))
    likelihood = corpus.expected(counts)
    return Expected(dict(zip(scores, counts, strict=True)), likelihood)


def _losses(corpus: UnigramCorpus, scores: Scores) -> dict[str, float]:
    corpus.set_pieces(list(scores), array("d", scores.values()))
    counts = array("d", bytes(8 * len(scores)))
    corpus.best(counts)
    total = sum(counts)
    return {
        piece: loss(counts[i], total, [counts[part] for part in corpus.alternative(i)])
        for i, piece in enumerate(scores)
        if len(piece) > 1
    }


def _maximised(expected: Mapping[str, float], fixed: Collection[str]) -> dict[str, float]:
    counts = {
        piece: max(count, LEAST_COUNT)
        for piece, count in expected.items()
        if count >= LEAST_COUNT or piece in fixed
    }
    total = digamma(sum(counts.values()))
    return {piece: digamma(count) - total for piece, count in counts.items()}


def _kept(
    scores: Scores, fixed: Collection[str], worth: Mapping[str, float], room: int
) -> dict[str, float]:
    """The fixed pieces and the most valuable others, ``room`` in all, in their order."""
    candidates = sorted((p for p in scores if p not in fixed), key=lambda p: (-worth[p], p))
    chosen = set(candidates[: max(0, room - len(fixed))])
    return {p: s for p, s in scores.items() if p in fixed or p in chosen}
