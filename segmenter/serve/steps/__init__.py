"""Algorithms on one sentence, step by step, as plain data: what is examined, compared and chosen.

A trace is ``{"player", "board", "steps", …}``.  Its ``steps`` are rows with the name of the
action under ``"do"``; the page draws them (``static/player.js``) and describes them in words
(``static/say_steps.js``).  Costs are in nats.  Each trace ends with the result of the decoder
itself: the tests compare the two.

The algorithms themselves are in :mod:`segmenter.lattice.steps`, :mod:`segmenter.tagging.steps` and
:mod:`segmenter.serve.steps.pieces`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter.choices import LATTICE, TAGGERS
from segmenter.errors import ArgumentError
from segmenter.lattice.dag import Edge
from segmenter.lattice.steps import ABOUT as ABOUT_LATTICE
from segmenter.lattice.steps import DECODERS
from segmenter.lexicon.costs import COST_SCALE
from segmenter.serve import running
from segmenter.serve.scores import LAST, tag_scores
from segmenter.serve.steps import pieces
from segmenter.tagging import steps as tags
from segmenter.train.tagging.scheme import FOUR

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from segmenter.core import Segmenter
    from segmenter.lattice.dag import WordDag
    from segmenter.lattice.steps import Steps, T
    from segmenter.serve.gallery import Gallery

    Row = dict[str, Any]

#: Characters of the longest text that can be played step by step.
LONGEST = 40

_PIECES = {
    "bpe": ("row", pieces.bpe),
    "wordpiece": ("row", pieces.wordpiece),
    "unigram-pruning": ("table", pieces.pruning),
}
#: Descriptions of decoders and players, in Chinese and English.
ABOUT = {
    **ABOUT_LATTICE,
    **tags.ABOUT,
    "bpe": ("BPE 逐次合并", "merges of byte-pair encoding"),
    "wordpiece": ("最长片段优先", "longest piece first"),
    "unigram-pruning": ("unigram 词表剪枝", "a vocabulary is pruned"),
}
#: Algorithms that can be played: decoders by their names, and algorithms of subwords.
PLAYERS = (*DECODERS, *TAGGERS, *_PIECES)
#: Fields of steps in the word graph that hold costs.
_COSTS = ("before", "cost", "sum", "best")


def available(gallery: Gallery) -> list[str]:
    found = [name for name in PLAYERS if name in gallery.decoders]
    if "bpe" in gallery.vocabularies:
        found += list(_PIECES)
    return found


def trace(gallery: Gallery, text: str, player: str) -> Row:
    """One algorithm on a text.

    Args:
        text: at most :data:`LONGEST` characters.
        player: one of :data:`PLAYERS`.

    Raises:
        ArgumentError: the text is too long, or the player is not available.
    """
    running.check(text, LONGEST, " step by step")
    players = available(gallery)
    if player not in players:
        raise ArgumentError(f"player: {str(player)[:40]!r} is not one of {', '.join(players)}")
    data: Row
    if player in _PIECES:
        board, algorithm = _PIECES[player]
        steps = list(algorithm(gallery, text))
        data = {"board": board, "steps": steps}
        if player == "bpe":
            data["ids"] = [piece[3] for piece in steps[-1]["row"]]
    elif player in LATTICE:
        dag = gallery.decoders[player].dag(text, decided=True)
        edges = [(e.start, e.end, _nats(e.cost)) for e in dag.edges]
        data = {"board": "graph", "edges": edges, "steps": list(_path(dag, player))}
    else:
        data = _trellis(gallery.decoders[player], text)
    return {"player": player, "text": text, **data}


def traces(gallery: Gallery, text: str) -> dict[str, Row]:
    """All traces of a text by player; empty for a text that is too long."""
    if len(text) > LONGEST:
        return {}
    return {player: trace(gallery, text, player) for player in available(gallery)}


def _rows(algorithm: Steps[T]) -> Generator[Row, None, T]:
    """Yield each step as a row with the name of its class; return the algorithm's result."""
    while True:
        try:
            step = next(algorithm)
        except StopIteration as end:
            result: T = end.value
            return result
        fields = {name: _plain(value) for name, value in step._asdict().items()}
        yield {"do": type(step).__name__.lower(), **fields}


def _plain(value: Any) -> Any:
    if isinstance(value, Edge):
        return value.start, value.end
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value


def _path(dag: WordDag, player: str) -> Generator[Row, None, None]:
    """A path through the word graph, with costs in nats."""
    rows = _rows(DECODERS[player](dag))
    while True:
        try:
            row = next(rows)
        except StopIteration as end:
            path = end.value
            break
        row |= {name: _nats(row[name]) for name in _COSTS if isinstance(row.get(name), int)}
        if row["do"] == "rank":
            row["rows"] = [(words, _nats(cost), spans) for words, cost, spans in row["rows"]]
        yield row
    done: Row = {"do": "done", "path": _plain(path)}
    if player == "shortest":
        done["words"] = len(path)
    elif not player.endswith("-max"):
        done["cost"] = _nats(sum(edge.cost for edge in path))
    yield done


def _trellis(segmenter: Segmenter, text: str) -> Row:
    """The trace of Viterbi over the table of tags by characters."""
    scored = tag_scores(segmenter, text)
    steps: list[Row] = []
    algorithm = tags.viterbi(scored.start, scored.transitions, scored.scores, LAST, scored.gaps)
    rows = _rows(algorithm)
    while True:
        try:
            row = next(rows)
        except StopIteration as end:
            path, total = end.value
            break
        if row["do"] == "cell":
            row["from"] = row.pop("ways")
        steps.append(row)
    spans = _words(path, LAST)
    steps.append({"do": "done", "path": spans, "sum": total})
    gaps = [k in scored.gaps for k in range(len(text))]
    return {
        "board": "trellis", "tags": FOUR, "scores": scored.scores, "gaps": gaps,
        "steps": steps,
    }  # fmt: skip


def _words(path: Iterable[int | None], last: tuple[int, ...]) -> list[tuple[int, int]]:
    """The spans of the words in a path of tags."""
    spans, start = [], 0
    for index, tag in enumerate(path):
        if tag is None or tag in last:
            spans += [(start, index + 1)] if tag is not None else []
            start = index + 1
    return spans


def _nats(cost: int) -> float:
    return cost / COST_SCALE
