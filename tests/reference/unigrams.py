"""What training a unigram model asks of a corpus, in Python (``subword/unigram.hpp``)."""

from __future__ import annotations

from math import exp, inf
from typing import TYPE_CHECKING

from segmenter.subword.models.unigram import Unigram, log_add

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Scores = Mapping[str, float]


def expected_counts(
    words: Iterable[tuple[str, int]], scores: Scores
) -> tuple[dict[str, float], float]:
    """E step: the expected count of each piece over all segmentations of the words.

    Returns:
        The expected counts of all pieces, and the log likelihood of the words.
    """
    expected = dict.fromkeys(scores, 0.0)
    likelihood = 0.0
    longest = max(map(len, scores), default=0)
    for word, weight in words:
        n = len(word)
        edges = [
            (a, b, word[a:b])
            for a in range(n)
            for b in range(a + 1, min(n, a + longest) + 1)
            if word[a:b] in scores
        ]
        forward = [0.0] + [-inf] * n
        for a, b, piece in edges:
            forward[b] = log_add(forward[b], forward[a] + scores[piece])
        backward = [-inf] * n + [0.0]
        for a, b, piece in reversed(edges):
            backward[a] = log_add(backward[a], backward[b] + scores[piece])
        if forward[n] == -inf:
            continue  # a character without a piece
        likelihood += weight * forward[n]
        for a, b, piece in edges:
            if forward[a] > -inf and backward[b] > -inf:
                share = exp(forward[a] + scores[piece] + backward[b] - forward[n])
                expected[piece] += weight * share
    return expected, likelihood


def best_counts(words: Iterable[tuple[str, int]], scores: Scores) -> dict[str, int]:
    """How often each piece occurs in the best segmentations of the words."""
    model = Unigram(scores.items())
    counts = dict.fromkeys(scores, 0)
    for word, weight in words:
        for number, _, _ in model.encode(word):
            counts[model.piece_of(number)] += weight
    return counts


def alternatives(scores: Scores) -> list[list[str]]:
    """For every piece the best way to spell it with other pieces; empty for single characters.

    Assumes that all characters have pieces.
    """
    model = Unigram(scores.items())
    ways: list[list[str]] = []
    for piece in scores:
        two = [[model.piece_of(p.id) for p in path] for path, _ in model.nbest(piece, 2)]
        ways.append(next((parts for parts in two if parts != [piece]), []))
    return ways
