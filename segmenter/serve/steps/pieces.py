"""Subwords: the merges of BPE, the longest match of WordPiece, the pruning of a unigram model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from segmenter.errors import ArgumentError
from segmenter.subword import BPE, Unigram, WordPiece
from segmenter.subword.aligned import Aligned
from segmenter.subword.show import shown
from segmenter.subword.training import unigram as training

if TYPE_CHECKING:
    from segmenter.serve.gallery import Gallery
    from segmenter.subword import Tokenizer

#: Pieces that pruning begins with, beside single characters, and how long they may be.
SEEDS = 24
LONGEST_SEED = 4
#: What share of the pieces of two characters and more is left at the end.
LEFT = 3
#: Rows of what is compared that are listed, the best first.
LISTED = 12
#: Characters of the longest piece that WordPiece tries.
LONGEST_TRIED = 8

Steps = Iterator[dict[str, Any]]


def bpe(gallery: Gallery, text: str) -> Steps:
    """The merges of the shipped vocabulary, one by one."""
    tokenizer = gallery.vocabularies["bpe"]
    model = tokenizer.model
    assert isinstance(model, BPE)
    row: list[tuple[int, int, int]] = []
    parts = _parts(tokenizer, text)
    for part, start, end in parts:
        yield {"do": "part", "span": (start, end), "parts": len(parts)}
        symbols = [(i, start + a, start + b) for i, a, b in _symbols(model, part)]
        yield {"do": "symbols", "row": _named(tokenizer, row + symbols)}
        while True:
            pairs = sorted(
                (known[0], i, known[1])  # rank, place, what it makes
                for i, (a, b) in enumerate(pairwise(symbols))
                if (known := model.ranks.get((a[0], b[0]))) is not None
            )
            if not pairs:
                break
            offered = [
                (rank, *(_show(tokenizer, symbols[i + k][0]) for k in (0, 1)), len(row) + i)
                for rank, i, _ in pairs
            ]
            yield {"do": "pairs", "rows": offered[:LISTED], "of": len(offered)}
            rank, at, made = pairs[0]
            symbols[at : at + 2] = [(made, symbols[at][1], symbols[at + 1][2])]
            yield {
                "do": "merge", "rank": rank, "made": _show(tokenizer, made),
                "at": len(row) + at, "row": _named(tokenizer, row + symbols),
            }  # fmt: skip
        row += symbols
    pieces = _named(tokenizer, row)
    yield {"do": "done", "row": pieces, "path": [(p[0], p[1]) for p in pieces]}


def _symbols(model: BPE, part: str) -> list[tuple[int, int, int]]:
    """What a part is before any merge: its characters, or their bytes where they have no piece."""
    bare = BPE(model.vocab, [], byte_fallback=model.byte_fallback, unk=model.unk)
    return [(p.id, p.start, p.end) for p in bare.encode(part)]


def wordpiece(gallery: Gallery, text: str) -> Steps:
    """Longest match first, over the pieces of the shipped BPE written as WordPiece writes them."""
    tokenizer = gallery.vocabularies["bpe"]
    vocabulary = pieces_of(tokenizer, text)
    row: list[tuple[int, int, str]] = []
    for part, first, last in _parts(tokenizer, text):
        yield {"do": "part", "span": (first, last)}
        known = len(row)
        start = 0
        while start < len(part):
            mark = "##" if start else ""
            for end in range(min(len(part), start + LONGEST_TRIED), start, -1):
                piece, span = mark + part[start:end], (first + start, first + end)
                hit = piece in vocabulary
                yield {"do": "try", "span": span, "piece": piece, "found": hit}
                if hit:
                    break
            else:
                row[known:] = [(first, last, "[UNK]")]
                yield {"do": "unknown", "span": (first, last), "row": list(row)}
                break
            row.append((*span, piece))
            yield {"do": "piece", "piece": piece, "row": list(row)}
            start = end
    yield {"do": "done", "row": row, "path": [(a, b) for a, b, _ in row]}


def pieces_of(tokenizer: Tokenizer, text: str) -> dict[str, int]:
    """A vocabulary for WordPiece of all pieces that stand in a text: at the beginning of a word as
    they are, after it with ``##``."""
    found: dict[str, int] = {"[UNK]": 0}
    for start in range(len(text)):
        for end in range(start + 1, min(len(text), start + LONGEST_TRIED) + 1):
            piece = text[start:end]
            if tokenizer.id_of(piece) is not None:
                for name in (piece, f"##{piece}"):
                    found.setdefault(name, len(found))
    return found


def words_of(tokenizer: Tokenizer, text: str) -> list[list[str]]:
    """What WordPiece makes of a text with that vocabulary; what the trace must end in."""
    model = WordPiece(pieces_of(tokenizer, text))
    return [
        [model.piece_of(p.id) for p in model.encode(part)] for part, _, _ in _parts(tokenizer, text)
    ]


def pruning(gallery: Gallery, text: str) -> Steps:
    """A unigram vocabulary learnt from the text itself: seeds, expected counts, losses, pruning.

    What :func:`segmenter.subword.training.unigram.learn` does, on a corpus of one text.
    """
    words = Counter(re.findall(r"\w+", text))
    if not words:
        yield {"do": "done", "rows": [], "path": [], "row": []}
        return
    characters = Counter(re.findall(r"\w", text))
    seeds = training.seed(words, SEEDS, LONGEST_SEED, 2) or training.seed(words, SEEDS, 3, 1)
    started: dict[str, float] = {c: float(n) for c, n in characters.items()}
    yield {"do": "characters", "rows": _rows(started)}
    started |= {piece: float(n) for piece, n in seeds.items()}
    yield {"do": "seeds", "rows": _rows(seeds), "longest": LONGEST_SEED}
    scores = training.log_probabilities(started)
    wanted = len(characters) + len(seeds) // LEFT
    corpus = list(words.items())
    while True:
        expected, likelihood = training.expected_counts(corpus, scores)
        yield {"do": "expect", "rows": _rows(expected), "likelihood": likelihood}
        scores = training._maximised(expected, characters)
        yield {"do": "maximise", "rows": _rows(scores), "left": len(scores)}
        if len(scores) <= wanted:
            break
        losses = _losses(corpus, scores)
        room = max(wanted, int(0.75 * len(scores)))
        ranked = sorted(losses.items(), key=lambda item: (item[1], item[0]))
        kept = training._kept(scores, characters, losses, room)
        yield {"do": "losses", "rows": [(p, _finite(x), p not in kept) for p, x in ranked]}
        removed = [p for p in scores if p not in kept]
        yield {"do": "prune", "removed": removed, "left": len(kept), "wanted": wanted}
        scores = kept
    model = Unigram(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
    row = []
    for found in re.finditer(r"\w+", text):
        for piece in model.encode(found[0]):
            a, b = found.start() + piece.start, found.start() + piece.end
            row.append((a, b, text[a:b]))
    path = [(a, b) for a, b, _ in row]
    yield {"do": "done", "rows": _rows(scores), "row": row, "path": path}


def _losses(corpus: list[tuple[str, int]], scores: dict[str, float]) -> dict[str, float]:
    counts = training.best_counts(corpus, scores)
    total = sum(counts.values())
    return {
        piece: training.loss(counts[piece], total, [counts[part] for part in parts])
        for piece, parts in zip(scores, training.alternatives(scores), strict=True)
        if len(piece) > 1
    }


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None


def _rows(values: dict[str, float] | Counter[str]) -> list[tuple[str, float]]:
    return sorted(((p, float(v)) for p, v in values.items()), key=lambda row: (-row[1], row[0]))


def _parts(tokenizer: Tokenizer, text: str) -> list[tuple[str, int, int]]:
    """The parts that no piece crosses, each with its place."""
    if tokenizer.normaliser(Aligned(text)).text != text:
        raise ArgumentError(
            "player: this vocabulary normalises the text, so its steps cannot be shown"
        )
    _, spans = tokenizer.pretokeniser(Aligned(text), [(0, len(text))])
    return [(text[a:b], a, b) for a, b in spans]


def _show(tokenizer: Tokenizer, number: int) -> str:
    return shown(tokenizer.bytes_of(number))


def _named(
    tokenizer: Tokenizer, row: list[tuple[int, int, int]]
) -> list[tuple[int, int, str, int]]:
    return [(a, b, _show(tokenizer, number), number) for number, a, b in row]
