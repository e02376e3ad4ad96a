"""The word DAG: words and runs of a text as edges between its characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from reference.words import BOUNDARY, CLASS_TOKENS
from segmenter.train.runs import classes_of, scan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reference.words import Dictionary


class Edge(NamedTuple):
    """A candidate token: ``token`` is its name in n-gram models."""

    start: int
    end: int
    cost: int
    kind: str
    token: str


Path = list[Edge]


class Dag:
    """The word DAG in adjacency lists.

    Attributes:
        n: nodes are 0 … n, node k before character k.
        out: edges by start, shortest word first.
        into: edges by end, longest word first: the order of the tie rule.
    """

    def __init__(self, text: str, edges: Iterable[Edge]) -> None:
        self.text = text
        self.n = len(text)
        self.edges = sorted(edges)
        self.out: list[Path] = [[] for _ in range(self.n + 1)]
        self.into: list[Path] = [[] for _ in range(self.n + 1)]
        for edge in self.edges:
            self.out[edge.start].append(edge)
            self.into[edge.end].append(edge)

    def words(self, path: Iterable[Edge]) -> list[str]:
        return [self.text[e.start : e.end] for e in path]

    def stretches(self) -> list[tuple[int, int]]:
        """The stretches between nodes that every path passes."""
        out = []
        start = reach = 0
        for k in range(self.n):
            if k > 0 and reach <= k:
                out.append((start, k))
                start = k
            reach = max([reach, *(e.end for e in self.out[k])])
        return [*out, (start, self.n)] if self.n else []


def word_dag(text: str, dictionary: Dictionary) -> Dag:
    """All candidate tokens of ``text``.

    Words of the dictionary, the runs of :func:`scan`, and every single character, unless they begin
    or end inside a run that stays whole.  Of a word and a run of two or more characters over the
    same text only the word is a candidate; a run of one character takes precedence over the
    character.
    """
    folded = dictionary.fold(text)
    runs = scan(folded, classes_of(folded, dictionary.jieba))
    by_span: dict[tuple[int, int], Edge] = {}
    for k, c in enumerate(folded):
        if c not in dictionary.costs:
            by_span[k, k + 1] = Edge(k, k + 1, dictionary.unknown, "unknown", "<unk>")
        for end in dictionary.trie.ends(folded, k):
            word = folded[k:end]
            by_span[k, end] = Edge(k, end, dictionary.costs[word], "word", word)
    for start, end, kind in runs.edges:
        if end - start == 1 or (start, end) not in by_span:
            token = BOUNDARY if kind == "newline" else CLASS_TOKENS.get(kind, f"<{kind}>")
            by_span[start, end] = Edge(start, end, dictionary.kinds[kind], kind, token)
    return Dag(text, (e for span, e in by_span.items() if runs.inside.isdisjoint(span)))
