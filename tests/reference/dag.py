"""The word DAG: words and runs of a text as edges between its characters (``lattice/dag.hpp``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference.clauses import clause_marks
from reference.runs import Runs, classes_of, scan
from segmenter.lattice.dag import Edge, WordDag

if TYPE_CHECKING:
    from reference.words import Dictionary


def word_dag(text: str, dictionary: Dictionary, measures: bool = False) -> WordDag:
    """All candidate tokens of ``text``; ``measures``: numerals and measure words are parted.

    Words of the dictionary, the runs of :func:`scan`, and every single character, unless they begin
    or end inside a run that stays whole.  Of a word and a run of two or more characters over the
    same text only the word is a candidate; a run of one character takes precedence over the
    character.
    """
    folded = dictionary.fold(text)
    runs = scan(folded, classes_of(folded, dictionary.jieba), measures)
    by_span: dict[tuple[int, int], Edge] = {}
    for k, c in enumerate(folded):
        if c not in dictionary.costs:
            by_span[k, k + 1] = Edge(k, k + 1, dictionary.unknown, "unknown")
        for end in dictionary.trie.ends(folded, k):
            word = folded[k:end]
            if (k, end) in runs.without:
                continue
            by_span[k, end] = Edge(k, end, dictionary.costs[word], "word", dictionary.number[word])
    if measures:
        obey_clauses(runs, by_span, folded, dictionary)
    for start, end, kind in runs.edges:
        if end - start == 1 or (start, end) not in by_span:
            by_span[start, end] = Edge(start, end, dictionary.kinds[kind], kind)
    if measures:
        keep_whole(runs, folded, dictionary)
    return WordDag(text, [e for span, e in by_span.items() if runs.inside.isdisjoint(span)])


def obey_clauses(
    runs: Runs, by_span: dict[tuple[int, int], Edge], folded: str, dictionary: Dictionary
) -> None:
    """Leaves out words over the boundaries of ``clauses.py``; runs without boundaries are edges."""
    marks = clause_marks(folded, dictionary.costs.__contains__)
    cut = marks.cut - runs.inside
    for start, end in [span for span in by_span if span[1] > span[0] + 1]:
        if cut.intersection(range(start + 1, end)):
            del by_span[start, end]
    joined = sorted(marks.joined - cut - runs.inside)
    while joined:
        start = end = joined[0]
        while joined and joined[0] == end:
            joined.pop(0)
            end += 1
        if runs.inside.isdisjoint((start - 1, end)):
            by_span.setdefault(
                (start - 1, end), Edge(start - 1, end, dictionary.unknown, "unknown")
            )
            runs.inside.update(range(start, end))


def keep_whole(runs: Runs, folded: str, dictionary: Dictionary) -> None:
    """The longest word that begins with a run of letters and goes on in Han characters stays whole.

    Not if its last character begins a word of two characters after which none begins: P/图片.
    """
    classes = classes_of(folded, dictionary.jieba)
    for start, end, kind in list(runs.edges):
        number = {".", ":"} & set(folded[start:end])  # 3.5a
        if kind != "latin" or number or classes[end : end + 1] != "h":
            continue
        ends = [e for e in dictionary.trie.ends(folded, start) if end < e <= end + 3]
        ends = [e for e in ends if set(classes[end:e]) == {"h"} and e not in runs.inside]
        if not ends:
            continue
        last = max(ends)
        if folded[last - 1 : last + 1] in dictionary.costs and len(folded) > last:
            pair = folded[last : last + 2]
            if len(pair) < 2 or pair not in dictionary.costs:
                continue
        runs.inside.update(range(start + 1, last))
