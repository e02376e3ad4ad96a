"""Decoders by their public names, and the tokens of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference.dag import word_dag
from reference.jieba import join_letters, unigram_from_left
from reference.runs import classes_of
from segmenter.lattice import steps

if TYPE_CHECKING:
    from reference.words import Dictionary
    from segmenter.lattice.dag import WordDag
    from segmenter.lattice.ngram import Ngrams
    from segmenter.lattice.steps import Path


def best(dag: WordDag, decoder: str, model: Ngrams[str] | None = None) -> Path:
    """The path that a decoder chooses."""
    if decoder in ("bigram", "trigram"):
        assert model is not None
        memory = 1 if decoder == "bigram" else 2
        cost = model.after_one if decoder == "bigram" else model.after_two
        return steps.result(steps.viterbi(dag, cost, memory))
    return steps.result(steps.DECODERS[decoder](dag))


def decode(
    text: str,
    dictionary: Dictionary,
    decoder: str = "unigram",
    model: Ngrams[str] | None = None,
    keep_unknown: bool = False,
) -> Path:
    """The tokens of ``text``, as :class:`segmenter.Segmenter` would cut it.

    ``keep_unknown``: adjacent unknown Han characters stay one token (``oov="keep"``).
    """
    dag = word_dag(text, dictionary)
    if dictionary.jieba:
        path = unigram_from_left(dag) if decoder == "unigram" else best(dag, decoder)
        path = join_letters(path, text)
    else:
        path = best(dag, decoder, model)
    if not keep_unknown:
        return path
    classes = classes_of(dictionary.fold(text), dictionary.jieba)
    words: Path = []
    for edge in path:
        is_kept = edge.kind == "unknown" and classes[edge.start] == "h"
        if is_kept and words and words[-1].kind == "unknown" and classes[words[-1].start] == "h":
            words[-1] = words[-1]._replace(end=edge.end)
        else:
            words.append(edge)
    return words
