"""Decoders by their public names, and the tokens of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reference.dag import word_dag
from reference.jieba import join_letters, unigram_from_left
from reference.matching import backward, bidirectional, forward
from reference.ngrams import bigram, trigram, unigram
from reference.paths import n_shortest, shortest
from segmenter.train.runs import classes_of

if TYPE_CHECKING:
    from reference.dag import Path
    from reference.ngrams import NgramModel
    from reference.words import Dictionary

#: Decoders by their public names; each takes the DAG and the n-gram model (which may be None).
DECODERS: dict[str, Any] = {
    "forward-max": lambda dag, _: forward(dag),
    "backward-max": lambda dag, _: backward(dag),
    "bidirectional-max": lambda dag, _: bidirectional(dag),
    "shortest": lambda dag, _: shortest(dag),
    "n-shortest": lambda dag, _: n_shortest(dag),
    "unigram": lambda dag, _: unigram(dag),
    "bigram": bigram,
    "trigram": trigram,
}


def decode(
    text: str,
    dictionary: Dictionary,
    decoder: str = "unigram",
    model: NgramModel | None = None,
    keep_unknown: bool = False,
) -> Path:
    """The tokens of ``text``, as :class:`segmenter.Segmenter` would cut it.

    ``keep_unknown``: adjacent unknown Han characters stay one token (``oov="keep"``).
    """
    dag = word_dag(text, dictionary)
    path: Path
    if dictionary.jieba:
        path = unigram_from_left(dag) if decoder == "unigram" else DECODERS[decoder](dag, model)
        path = join_letters(path, text)
    else:
        path = DECODERS[decoder](dag, model)
    if not keep_unknown:
        return path
    classes = classes_of(dictionary.fold(text), dictionary.jieba)
    out: Path = []
    for edge in path:
        kept = edge.kind == "unknown" and classes[edge.start] == "h"
        if kept and out and out[-1].kind == "unknown" and classes[out[-1].start] == "h":
            out[-1] = out[-1]._replace(end=edge.end)
        else:
            out.append(edge)
    return out
