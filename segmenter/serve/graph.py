"""The data of the page of a sentence: the word DAG, every decoder's path, the scores of tags.

Numbers of costs and scores are natural logarithms (nats); offsets count code points.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from segmenter.choices import LATTICE, TAGGERS
from segmenter.errors import ArgumentError
from segmenter.lattice import steps
from segmenter.lattice.ngram import of_lexicon
from segmenter.lexicon.costs import COST_SCALE
from segmenter.serve import running
from segmenter.serve.scores import tag_scores
from segmenter.serve.settings import Settings
from segmenter.serve.steps import ABOUT, available
from segmenter.tagging.pos import MEANING

if TYPE_CHECKING:
    from segmenter.core import Segmenter
    from segmenter.lattice.dag import WordDag
    from segmenter.serve.gallery import Gallery
    from segmenter.subword import Tokenizer

#: Characters of the longest text that is drawn: arcs of more are no picture any more.
LONGEST = 200
#: Up to here every node has the cost of the best path to it.
LONGEST_COSTED = 60
#: Up to here the features of the taggers are listed.
LONGEST_LISTED = 40
#: Pairs of words of which one begins where the other ends: what a picture of a text costs.  Text
#: of LONGEST characters has some 2,000; with words of a visitor it could have a million.
MOST_PAIRS = 20_000
#: Words before one that are listed, the cheapest.
BEFORE = 3
#: Best paths of each decoder that scores them.
BEST = 5

_ORDERS = {"bigram": 2, "trigram": 3}


def picture(
    gallery: Gallery, text: str, words: str = "", settings: Settings | None = None
) -> dict[str, Any]:
    """What the page draws of a text; JSON can hold it.

    Args:
        text: at most :data:`segmenter.serve.running.LONGEST` characters; of more than
            :data:`LONGEST` the tokens alone.
        words: more words of the user, see :mod:`segmenter.serve.user_lines`.
        settings: the mode of search tokens is taken from here; the rest made the gallery.

    Raises:
        TypeError: ``text`` is not a str.
        ArgumentError: ``text`` is too long, or too many words overlap in it.
    """
    settings = settings or Settings()
    running.check(text)
    plain = gallery
    gallery, faults = plain.with_lines(words)
    pieces_of = {name: running.pieces(t, text) for name, t in gallery.vocabularies.items()}
    shown = running.columns(gallery, text, settings.mode, pieces_of)
    found = {
        "text": text,
        "characters": list(text),
        "chosen": gallery.chosen.decoder,
        "fingerprint": gallery.chosen.fingerprint,
        "words": words,
        "faults": [fault._asdict() for fault in faults],
        "settings": settings._asdict(),
        "running": shown,
        "drawn": len(text) <= LONGEST,
        "meanings": MEANING,
        "about": ABOUT,
        "missing": [{"name": name, "why": why} for name, why in gallery.missing.items()],
    }
    if len(text) > LONGEST:
        return found
    pieces = [_pieces(name, t, pieces_of[name]) for name, t in gallery.vocabularies.items()]
    return {**found, **_drawn(gallery, plain, text), "pieces": pieces}


def _drawn(gallery: Gallery, plain: Gallery, text: str) -> dict[str, Any]:
    """The parts that a graph is drawn of."""
    dag = gallery.lattice.dag(text)
    pairs = sum(len(before) * len(dag.starting(k)) for k, before in enumerate(dag.ending()))
    if pairs > MOST_PAIRS:
        raise ArgumentError(
            f"text: too many words overlap ({pairs:,} pairs of neighbours, {MOST_PAIRS:,} "
            "can be drawn): give a part of it, or fewer words"
        )
    decided = gallery.lattice.dag(text, decided=True)
    decoders = [_decoder(name, s, text, decided) for name, s in gallery.decoders.items()]
    if gallery is not plain:
        for row, name in zip(decoders, gallery.decoders, strict=True):
            row["before"] = plain.decoders[name].tokenize(text).spans
    return {
        "edges": _edges(gallery, dag),
        "costs": _costs(decided),
        "decoders": decoders,
        "ngrams": {
            name: _ngrams(gallery.decoders[name], text, order)
            for name, order in _ORDERS.items()
            if name in gallery.decoders
        },
        "taggers": [
            _tagger(name, s, text) for name, s in gallery.decoders.items() if name in TAGGERS
        ],
        "players": available(gallery),
        "why": gallery.chosen.explain(text).rows,
    }


def _edges(gallery: Gallery, dag: WordDag) -> list[dict[str, Any]]:
    segmenter = gallery.lattice
    rows = []
    for edge in dag.edges:
        word = dag.text[edge.start : edge.end]
        row: dict[str, Any] = {
            "start": edge.start,
            "end": edge.end,
            "cost": edge.cost / COST_SCALE,
            "kind": edge.kind,
        }
        if edge.kind == "word":
            row["count"] = segmenter.lexicon.count(word)
            row["tag"] = segmenter.lexicon.tag_of(edge.word)
        elif edge.kind == "user":
            entry = segmenter.user[word]
            row["level"] = entry.level
            row["tag"] = entry.tag
        rows.append(row)
    return rows


def _costs(dag: WordDag) -> list[float | None] | None:
    """The least cost to every node, where the text is not too long.

    None for nodes that no path reaches: inside runs and spans that stay whole.
    """
    if len(dag.text) > LONGEST_COSTED:
        return None
    costs: list[float | None] = [0.0] + [None] * len(dag.text)
    for step in steps.viterbi(dag):
        if isinstance(step, steps.Settle):
            costs[step.node] = step.cost / COST_SCALE
    return costs


def _decoder(name: str, segmenter: Segmenter, text: str, dag: WordDag) -> dict[str, Any]:
    tokens = segmenter.tokenize(text)
    spans = tokens.spans
    costs = {(e.start, e.end): e.cost for e in dag.edges}
    along = [costs.get(span) for span in spans]
    known = [cost for cost in along if cost is not None]
    row: dict[str, Any] = {
        "name": name,
        "lattice": name in LATTICE,
        "spans": spans,
        "tags": [token.tag for token in tokens],
        "pos": [tag for _, tag in segmenter.tag(text)],
        "sources": [token.source.value for token in tokens],
        # under the lattice's costs, so that paths of different decoders can be compared
        "cost": sum(known) / COST_SCALE if len(known) == len(along) else None,
    }
    if name in TAGGERS:
        row["margins"] = [token.score for token in tokens]
    if not name.endswith("-max"):
        best = segmenter.nbest(text, BEST)
        row["score"] = best[0][1] if best else None
        row["best"] = [{"ends": _ends(path), "score": score} for path, score in best]
    return row


def _ends(words: list[str]) -> list[int]:
    return list(accumulate(map(len, words)))


def _ngrams(segmenter: Segmenter, text: str, order: int) -> dict[str, Any]:
    """What words cost one after another.

    ``edges``: of each what it costs ``after`` those that may stand before it, rows of the number of
    the edge before (-1: the beginning) and the cost, the cheapest first, a few.  ``along``: what
    each word of the decoder's path costs after those before it, and the end at last; None where a
    word is not an edge.
    """
    dag = segmenter.dag(text, decided=True)
    model = of_lexicon(segmenter.lexicon, dag, order)
    number = {(edge.start, edge.end): i for i, edge in enumerate(dag.edges)}
    ending = dag.ending()
    rows = []
    for edge in dag.edges:
        costs = [(model.after_one([e], edge), number[e.start, e.end]) for e in ending[edge.start]]
        if edge.start == 0:
            costs = [(model.after_one([], edge), -1)]
        after = [(i, cost / COST_SCALE) for cost, i in sorted(costs)[:BEFORE]]
        rows.append({"start": edge.start, "end": edge.end, "after": after})
    along: list[float] | None = None
    spans = segmenter.tokenize(text).spans
    if all(span in number for span in spans):
        cost = model.after_one if order == 2 else model.after_two
        path = [dag.edges[number[span]] for span in spans]
        along = [cost(path[:i], e) / COST_SCALE for i, e in enumerate([*path, None])]
    return {"order": order, "edges": rows, "along": along}


def _tagger(name: str, segmenter: Segmenter, text: str) -> dict[str, Any]:
    from segmenter.train.tagging.scheme import FOUR, tag_word

    scored = tag_scores(segmenter, text)
    path = [
        FOUR.index(tag)
        for start, end in segmenter.tokenize(text).spans
        for tag in tag_word(end - start)
    ]
    return {
        "name": name,
        "tags": FOUR,
        "start": scored.start,
        "transitions": scored.transitions,
        "scores": scored.scores,
        "path": path,
        **_shares(segmenter, text),
    }


def _shares(segmenter: Segmenter, text: str) -> dict[str, Any]:
    """What the scores are sums of: the features of a linear tagger, and a network's share."""
    tagger = segmenter.tagger
    if len(text) > LONGEST_LISTED or tagger is None:
        return {}
    from segmenter.serve.features import fired
    from segmenter.tagging.predictor import NetworkPredictor

    network = tagger if isinstance(tagger, NetworkPredictor) else None
    found = fired(tagger.linear if isinstance(tagger, NetworkPredictor) else tagger, text)
    shares: dict[str, Any] = {"features": [[f._asdict() for f in row] for row in found]}
    if network is not None:
        weight = network.meta["standards"][network.standard]["linear_weight"]
        shares["linear"] = [
            [weight * sum(column) for column in zip(*(f.weights for f in row), strict=True)]
            for row in found
        ]
        shares["linear_weight"] = weight
    return shares


def _pieces(name: str, tokenizer: Tokenizer, found: running.Pieces) -> dict[str, Any]:
    from segmenter.subword.show import shown

    if found.why is not None:
        return {"name": name, "pieces": [], "why": found.why}
    return {
        "name": name,
        "pieces": [
            {"start": start, "end": end, "id": number, "text": shown(tokenizer.bytes_of(number))}
            for start, end, number in found.rows
        ],
    }
