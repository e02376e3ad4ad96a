"""The data of the page of a sentence: the word DAG, every decoder's path, the scores of tags.

Costs and scores are natural logarithms (nats); offsets count code points.
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

#: Characters of the longest text that is drawn as a graph.
LONGEST = 200
#: Characters of the longest text whose nodes have the cost of the best path to them.
LONGEST_COSTED = 60
#: Characters of the longest text whose features of taggers are listed.
LONGEST_LISTED = 40
#: Pairs of adjacent words, which the time for a picture grows with.  A text of LONGEST characters
#: has some 2,000; with words of a visitor it could have a million.
MAX_PAIRS = 20_000
#: The cheapest predecessors of a word that are listed.
MAX_PREDECESSORS = 3
#: Best paths per decoder that scores paths.
BEST_PATHS = 5

_ORDERS = {"bigram": 2, "trigram": 3}


def picture(
    gallery: Gallery, text: str, words: str = "", settings: Settings | None = None
) -> dict[str, Any]:
    """The data that the page draws of a text, as values of JSON.

    Args:
        text: at most :data:`segmenter.serve.running.LONGEST` characters; for more than
            :data:`LONGEST` only the tokens.
        words: more words of the user, see :mod:`segmenter.serve.user_lines`.
        settings: the settings of the gallery, with the mode of search tokens.

    Raises:
        TypeError: ``text`` is not a str.
        ArgumentError: ``text`` is too long, or too many words overlap in it.
    """
    settings = settings or Settings()
    running.check(text)
    original = gallery
    gallery, faults = original.with_lines(words)
    pieces_of = {name: running.pieces(t, text) for name, t in gallery.vocabularies.items()}
    columns = running.columns(gallery, text, settings.mode, pieces_of)
    data = {
        "text": text,
        "characters": list(text),
        "chosen": gallery.chosen.decoder,
        "fingerprint": gallery.chosen.fingerprint,
        "words": words,
        "faults": [fault._asdict() for fault in faults],
        "settings": settings._asdict(),
        "running": columns,
        "drawn": len(text) <= LONGEST,
        "meanings": MEANING,
        "about": ABOUT,
        "missing": [{"name": name, "why": why} for name, why in gallery.missing.items()],
    }
    if len(text) > LONGEST:
        return data
    pieces = [_pieces(name, t, pieces_of[name]) for name, t in gallery.vocabularies.items()]
    return {**data, **_drawn(gallery, original, text), "pieces": pieces}


def _drawn(gallery: Gallery, original: Gallery, text: str) -> dict[str, Any]:
    """The data of the graph, the decoders and the taggers."""
    dag = gallery.lattice.dag(text)
    pairs = sum(len(ending) * len(dag.starting(k)) for k, ending in enumerate(dag.ending()))
    if pairs > MAX_PAIRS:
        raise ArgumentError(
            f"text: too many words overlap ({pairs:,} pairs of neighbours, {MAX_PAIRS:,} "
            "can be drawn): give a part of it, or fewer words"
        )
    decided = gallery.lattice.dag(text, decided=True)
    decoders = [_decoder(name, s, text, decided) for name, s in gallery.decoders.items()]
    if gallery is not original:
        for row, name in zip(decoders, gallery.decoders, strict=True):
            row["before"] = original.decoders[name].tokenize(text).spans
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
    """The least cost to every node; None for a long text.

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
    path_costs = [costs.get(span) for span in spans]
    edge_costs = [cost for cost in path_costs if cost is not None]
    row: dict[str, Any] = {
        "name": name,
        "lattice": name in LATTICE,
        "spans": spans,
        "tags": [token.tag for token in tokens],
        "pos": [tag for _, tag in segmenter.tag(text)],
        "sources": [token.source.value for token in tokens],
        # in costs of the lattice, so that paths of all decoders can be compared
        "cost": sum(edge_costs) / COST_SCALE if len(edge_costs) == len(path_costs) else None,
    }
    if name in TAGGERS:
        row["margins"] = [token.score for token in tokens]
    if not name.endswith("-max"):
        best = segmenter.nbest(text, BEST_PATHS)
        row["score"] = best[0][1] if best else None
        row["best"] = [{"ends": _ends(path), "score": score} for path, score in best]
    return row


def _ends(words: list[str]) -> list[int]:
    return list(accumulate(map(len, words)))


def _ngrams(segmenter: Segmenter, text: str, order: int) -> dict[str, Any]:
    """Costs of words after other words.

    ``edges``: for each edge the cheapest costs ``after`` a predecessor, as rows of the number of
    that edge (-1: the beginning) and the cost, cheapest first.  ``along``: the cost of each word on
    the decoder's path after its predecessors, and of the end; None if a word is not an edge.
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
        predecessors = [(i, cost / COST_SCALE) for cost, i in sorted(costs)[:MAX_PREDECESSORS]]
        rows.append({"start": edge.start, "end": edge.end, "after": predecessors})
    path_costs: list[float] | None = None
    spans = segmenter.tokenize(text).spans
    if all(span in number for span in spans):
        cost = model.after_one if order == 2 else model.after_two
        path = [dag.edges[number[span]] for span in spans]
        path_costs = [cost(path[:i], e) / COST_SCALE for i, e in enumerate([*path, None])]
    return {"order": order, "edges": rows, "along": path_costs}


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
    """The parts of the scores: features of the linear tagger, and the share of a network."""
    tagger = segmenter.tagger
    if len(text) > LONGEST_LISTED or tagger is None:
        return {}
    from segmenter.serve.features import fired
    from segmenter.tagging.predictor import NetworkPredictor

    network = tagger if isinstance(tagger, NetworkPredictor) else None
    features = fired(tagger.linear if isinstance(tagger, NetworkPredictor) else tagger, text)
    shares: dict[str, Any] = {"features": [[f._asdict() for f in row] for row in features]}
    if network is not None:
        weight = network.meta["standards"][network.standard]["linear_weight"]
        shares["linear"] = [
            [weight * sum(column) for column in zip(*(f.weights for f in row), strict=True)]
            for row in features
        ]
        shares["linear_weight"] = weight
    return shares


def _pieces(name: str, tokenizer: Tokenizer, pieces: running.Pieces) -> dict[str, Any]:
    from segmenter.subword.show import shown

    if pieces.error is not None:
        return {"name": name, "pieces": [], "why": pieces.error}
    return {
        "name": name,
        "pieces": [
            {"start": start, "end": end, "id": number, "text": shown(tokenizer.bytes_of(number))}
            for start, end, number in pieces.rows
        ],
    }
