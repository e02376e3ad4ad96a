"""Viterbi over tags, the whole trellis: every tag of every character, and what each follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from segmenter.serve.scores import tag_scores
from segmenter.text import chars
from segmenter.train.tagging.scheme import allowed

if TYPE_CHECKING:
    from segmenter.segmenter import Segmenter

T = TypeVar("T", bound=tuple[Any, ...])

_BETWEEN = (chars.BLANK, chars.LF, chars.CR)
_BEGINS, _ENDS = ("B", "S"), ("E", "S")
_SAME = 1e-9  # sums of exact scores differ by rounding alone


def viterbi(segmenter: Segmenter, text: str) -> dict[str, Any]:
    """The best sequence of tags, cell by cell.

    A stretch starts over after blanks and line ends.  Of equal sums the tag of the lower number
    wins, as in the kernels.
    """
    scored = tag_scores(segmenter, text)
    names, n = scored.tags, len(text)
    gaps = [chars.char_class(ord(c)) in _BETWEEN for c in text]
    steps: list[dict[str, Any]] = []
    best: list[list[float | None]] = []
    back: list[list[int | None]] = []
    carried = 0.0  # the sum of the stretches before
    for k in range(n):
        best.append([None] * len(names))
        back.append([None] * len(names))
        if gaps[k]:
            carried = _best(best[k - 1], names)[1] if k and not gaps[k - 1] else carried
            steps.append({"do": "gap", "at": k, "sum": carried})
            continue
        first = k == 0 or gaps[k - 1]
        for t, name in enumerate(names):
            score = scored.scores[k][t]
            if score is None:
                continue
            ways: list[tuple[int, float, float, float]] = []
            if first and name in _BEGINS:
                ways.append((-1, carried, scored.start[t], carried + scored.start[t]))
            for u, before in enumerate([] if first else best[k - 1]):
                if before is not None and allowed(names[u], name):
                    step = scored.transitions[u][t]
                    ways.append((u, before, step, before + step))
            if not ways:
                continue
            chosen = _largest(ways)
            total = chosen[3] + score
            best[k][t], back[k][t] = total, chosen[0]
            steps.append(
                {"do": "cell", "at": k, "tag": t, "from": ways, "score": score, "sum": total,
                 "back": chosen[0]}
            )  # fmt: skip
    path: list[int | None] = [None] * n
    final = 0.0
    k = n - 1
    while k >= 0:
        if gaps[k]:
            k -= 1
            continue
        tag, total = _best(best[k], names)
        final = max(final, total) if final else total
        steps.append({"do": "end", "at": k, "tag": tag, "sum": total})
        while k >= 0 and not gaps[k]:
            path[k] = tag
            before = back[k][tag]
            steps.append({"do": "back", "at": k, "tag": tag, "to": before})
            k -= 1
            if before is None or before < 0:
                break
            tag = before
    spans = _spans(text, path, names)
    steps.append({"do": "done", "path": spans, "sum": final if n else 0.0})
    return {
        "board": "trellis", "tags": names, "scores": scored.scores, "gaps": gaps, "steps": steps,
    }  # fmt: skip


def _best(sums: list[float | None], names: tuple[str, ...]) -> tuple[int, float]:
    """The best tag that may end a stretch, and its sum."""
    return _largest([(t, s) for t, s in enumerate(sums) if s is not None and names[t] in _ENDS])


def _largest(ways: list[T]) -> T:
    """The first of those whose last number is the largest."""
    best = ways[0]
    for way in ways[1:]:
        if way[-1] > best[-1] + _SAME:
            best = way
    return best


def _spans(text: str, path: list[int | None], names: tuple[str, ...]) -> list[tuple[int, int]]:
    out, start = [], 0
    for k, tag in enumerate(path):
        if tag is None:
            start = k + 1
        elif names[tag] in _ENDS:
            out.append((start, k + 1))
            start = k + 1
    return out
