"""Algorithms on one sentence, step by step, as plain data: what is looked at, compared and chosen.

A trace is ``{"player", "board", "steps", …}``.  Its ``steps`` are rows with the name of what
happens under ``"do"``; the page draws them (``static/player.js``) and says them in words
(``static/say_steps.js``).  Costs are in nats.  Each trace ends in what the decoder itself gives:
the tests hold them against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter.choices import LATTICE, TAGGERS
from segmenter.errors import ArgumentError
from segmenter.serve import running
from segmenter.serve.steps import paths, pieces, tags

if TYPE_CHECKING:
    from segmenter.serve.gallery import Gallery

#: Characters of the longest text that is gone through step by step.
LONGEST = 40

_PIECES = {
    "bpe": ("row", pieces.bpe),
    "wordpiece": ("row", pieces.wordpiece),
    "unigram-pruning": ("table", pieces.pruning),
}
#: What can be gone through: decoders by their names, and what makes subwords.
PLAYERS = (*paths.PLAYERS, *TAGGERS, *_PIECES)


def available(gallery: Gallery) -> list[str]:
    """The players that a gallery has."""
    found = [name for name in PLAYERS if name in gallery.decoders]
    if "bpe" in gallery.vocabularies:
        found += list(_PIECES)
    return found


def trace(gallery: Gallery, text: str, player: str) -> dict[str, Any]:
    """One algorithm on a text.

    Args:
        text: at most :data:`LONGEST` characters.
        player: one of :data:`PLAYERS`.

    Raises:
        ArgumentError: the text is too long, or there is no such player here.
    """
    running.check(text, LONGEST, " step by step")
    known = available(gallery)
    if player not in known:
        raise ArgumentError(f"player: {str(player)[:40]!r} is not one of {', '.join(known)}")
    found: dict[str, Any]
    if player in _PIECES:
        board, algorithm = _PIECES[player]
        steps = list(algorithm(gallery, text))
        found = {"board": board, "steps": steps}
        if player == "bpe":
            found["ids"] = [piece[3] for piece in steps[-1]["row"]]
    elif player in LATTICE:
        dag = gallery.decoders[player].dag(text, decided=True)
        edges = [(e.start, e.end, paths.nats(e.cost)) for e in dag.edges]
        found = {"board": "graph", "edges": edges, "steps": list(paths.rows(dag, player))}
    else:
        found = tags.viterbi(gallery.decoders[player], text)
    return {"player": player, "text": text, **found}


def traces(gallery: Gallery, text: str) -> dict[str, dict[str, Any]]:
    """All traces of a text by player; none of a text that is too long."""
    if len(text) > LONGEST:
        return {}
    return {player: trace(gallery, text, player) for player in available(gallery)}
