"""Subwords: the merges of BPE, the longest match of WordPiece, the pruning of a unigram model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from segmenter.errors import ArgumentError
from segmenter.subword import BPE, Unigram, WordPiece
from segmenter.subword.aligned import Aligned
from segmenter.subword.models.bpe import Pairs
from segmenter.subword.models.model import Piece
from segmenter.subword.show import shown
from segmenter.subword.training import unigram as training

if TYPE_CHECKING:
    from segmenter.serve.gallery import Gallery
    from segmenter.subword import Tokenizer

#: Pieces that pruning begins with, besides single characters, and their longest length.
SEEDS = 24
LONGEST_SEED = 4
#: Pruning ends with one in this many of the longer pieces.
PRUNING_FACTOR = 3
#: Pairs that a step of BPE lists, the best first.
MAX_LISTED = 12
#: Characters of the longest piece of WordPiece.
LONGEST_PIECE = 8

Steps = Iterator[dict[str, Any]]


def bpe(gallery: Gallery, text: str) -> Steps:
    """The merges of the shipped vocabulary, one by one."""
    tokenizer = gallery.vocabularies["bpe"]
    model = tokenizer.model
    assert isinstance(model, BPE)
    row: list[Piece] = []  # the pieces of the previous parts
    parts = _parts(tokenizer, text)
    for part, start, end in parts:
        yield {"do": "part", "span": (start, end), "parts": len(parts)}
        symbols = _moved(model.symbols(part), start)
        yield {"do": "symbols", "row": _named(tokenizer, row + symbols)}
        for step in model.steps(part):
            if isinstance(step, Pairs):
                offered = [
                    (rank, *(_show(tokenizer, symbols[i + k].id) for k in (0, 1)), len(row) + i)
                    for rank, i in step.offered
                ]
                yield {"do": "pairs", "rows": offered[:MAX_LISTED], "of": len(offered)}
            else:
                symbols = _moved(step.row, start)
                yield {
                    "do": "merge", "rank": step.rank, "at": len(row) + step.position,
                    "made": _show(tokenizer, symbols[step.position].id),
                    "row": _named(tokenizer, row + symbols),
                }  # fmt: skip
        row += symbols
    pieces = _named(tokenizer, row)
    yield {"do": "done", "row": pieces, "path": [(p[0], p[1]) for p in pieces]}


def _moved(row: list[Piece], offset: int) -> list[Piece]:
    return [Piece(piece.id, piece.start + offset, piece.end + offset) for piece in row]


def wordpiece(gallery: Gallery, text: str) -> Steps:
    """Longest match first, over the pieces of the shipped BPE in WordPiece's notation."""
    tokenizer = gallery.vocabularies["bpe"]
    model = WordPiece(pieces_of(tokenizer, text))
    row: list[tuple[int, int, str]] = []
    for part, start, end in _parts(tokenizer, text):
        yield {"do": "part", "span": (start, end)}
        previous = len(row)
        for step in model.steps(part):
            span, found = (start + step.start, start + step.end), step.number is not None
            yield {"do": "try", "span": span, "piece": step.piece, "found": found}
            if found:
                row.append((*span, step.piece))
                yield {"do": "piece", "piece": step.piece, "row": list(row)}
        if not found:  # not even a single character is a piece
            row[previous:] = [(start, end, model.unk)]
            yield {"do": "unknown", "span": (start, end), "row": list(row)}
    yield {"do": "done", "row": row, "path": [(a, b) for a, b, _ in row]}


def pieces_of(tokenizer: Tokenizer, text: str) -> dict[str, int]:
    """A vocabulary of all pieces in a text for WordPiece: as the beginning of a word, and with
    ``##`` inside one."""
    vocabulary: dict[str, int] = {"[UNK]": 0}
    for start in range(len(text)):
        for end in range(start + 1, min(len(text), start + LONGEST_PIECE) + 1):
            piece = text[start:end]
            if tokenizer.id_of(piece) is not None:
                for name in (piece, f"##{piece}"):
                    vocabulary.setdefault(name, len(vocabulary))
    return vocabulary


def words_of(tokenizer: Tokenizer, text: str) -> list[list[str]]:
    """The pieces of a text by WordPiece with that vocabulary, with which the trace must end."""
    model = WordPiece(pieces_of(tokenizer, text))
    return [
        [model.piece_of(p.id) for p in model.encode(part)] for part, _, _ in _parts(tokenizer, text)
    ]


def pruning(gallery: Gallery, text: str) -> Steps:
    """A unigram vocabulary learnt from the text itself: seeds, expected counts, losses, pruning."""
    words = Counter(re.findall(r"\w+", text))
    if not words:
        yield {"do": "done", "rows": [], "path": [], "row": []}
        return
    characters = training.characters_of(words.items())
    seeds = training.seed(words, SEEDS, LONGEST_SEED, 2) or training.seed(words, SEEDS, 3, 1)
    counts: dict[str, float] = {c: float(n) for c, n in characters.items()}
    yield {"do": "characters", "rows": _rows(counts)}
    counts |= {piece: float(n) for piece, n in seeds.items()}
    yield {"do": "seeds", "rows": _rows(seeds), "longest": LONGEST_SEED}
    scores = training.log_probabilities(counts)
    target = len(characters) + len(seeds) // PRUNING_FACTOR
    for step in training.rounds(words.items(), scores, characters, target):
        if isinstance(step, training.Expected):
            yield {"do": "expect", "rows": _rows(step.counts), "likelihood": step.likelihood}
        elif isinstance(step, training.Maximised):
            scores = step.scores
            yield {"do": "maximise", "rows": _rows(scores), "left": len(scores)}
        else:
            removed = [piece for piece in scores if piece not in step.kept]
            if not step.last:
                ranked = sorted(step.worth.items(), key=lambda item: (item[1], item[0]))
                rows = [(piece, _finite(x), piece in removed) for piece, x in ranked]
                yield {"do": "losses", "rows": rows}
            if removed or not step.last:
                size = len(step.kept)
                yield {"do": "prune", "removed": removed, "left": size, "wanted": target}
            scores = step.kept
    model = Unigram(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
    row = []
    for word in re.finditer(r"\w+", text):
        for piece in model.encode(word[0]):
            a, b = word.start() + piece.start, word.start() + piece.end
            row.append((a, b, text[a:b]))
    path = [(a, b) for a, b, _ in row]
    yield {"do": "done", "rows": _rows(scores), "row": row, "path": path}


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None


def _rows(values: dict[str, float] | Counter[str]) -> list[tuple[str, float]]:
    return sorted(((p, float(v)) for p, v in values.items()), key=lambda row: (-row[1], row[0]))


def _parts(tokenizer: Tokenizer, text: str) -> list[tuple[str, int, int]]:
    """The parts of a text that no piece crosses, with their spans."""
    if tokenizer.normaliser(Aligned(text)).text != text:
        raise ArgumentError(
            "player: this vocabulary normalises the text, so its steps cannot be shown"
        )
    _, spans = tokenizer.pretokeniser(Aligned(text), [(0, len(text))])
    return [(text[a:b], a, b) for a, b in spans]


def _show(tokenizer: Tokenizer, number: int) -> str:
    return shown(tokenizer.bytes_of(number))


def _named(tokenizer: Tokenizer, row: list[Piece]) -> list[tuple[int, int, str, int]]:
    return [(p.start, p.end, _show(tokenizer, p.id), p.id) for p in row]
