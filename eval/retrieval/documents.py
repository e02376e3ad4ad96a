"""Documents with their gold words, and queries drawn from them."""

from __future__ import annotations

import random
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from segmenter.text.chars import fold_str
from segmenter.train import scoring

if TYPE_CHECKING:
    from pathlib import Path

SEED, DOCUMENTS, QUERIES = 20261122, 2000, 300


class Document(NamedTuple):
    """A text, folded, and where its gold words begin and end."""

    text: str
    ends: frozenset[int]


class Query(NamedTuple):
    text: str
    whole: frozenset[int]  # documents that have it as whole gold words
    inside: frozenset[int]  # the same, or inside one gold word
    string: frozenset[int]  # documents that have it as a string


def documents(data: Path, count: int) -> tuple[list[Document], list[list[str]]]:
    """Paragraphs of one month, and of another if one month has too few."""
    lines = _paragraphs(data / "pku" / "train_feb.txt")
    if count > len(lines):
        lines += _paragraphs(data / "pku" / "train_jan.txt")
    picked = random.Random(SEED).sample(lines, min(count, len(lines)))
    docs = []
    for words in picked:
        ends = frozenset(accumulate(map(len, words), initial=0))
        docs.append(Document(fold_str("".join(words)), ends))
    return docs, picked


def _paragraphs(path: Path) -> list[list[str]]:
    lines = (line.split() for line in scoring.read_lines(path))
    return [line for line in lines if sum(map(len, line)) >= 50]


def queries(kind: str, docs: list[Document], gold: list[list[str]], count: int) -> list[Query]:
    pick = random.Random(f"{SEED} {kind}")
    queries_found: dict[str, None] = {}
    while len(queries_found) < count:
        k = pick.randrange(len(docs))
        words, text = gold[k], docs[k].text
        if kind == "strings":
            size, offset = pick.randint(2, 5), pick.randrange(len(text))
            query = text[offset : offset + size]
            if len(query) < size:
                continue
        else:
            limit = 1 if kind == "words" else 2
            offset = pick.randrange(len(words))
            query = fold_str("".join(words[offset : offset + limit]))
            if len(words[offset : offset + limit]) < limit:
                continue
        if query.isalnum():
            queries_found[query] = None
    return [_truth(query, docs) for query in queries_found]


def _truth(query: str, docs: list[Document]) -> Query:
    whole_word, inner, string = set(), set(), set()
    for number, doc in enumerate(docs):
        offset = doc.text.find(query)
        while offset >= 0:
            end = offset + len(query)
            string.add(number)
            if offset in doc.ends and end in doc.ends:
                whole_word.add(number)
            if number in whole_word or not any(k in doc.ends for k in range(offset + 1, end)):
                inner.add(number)
            offset = doc.text.find(query, offset + 1)
    return Query(query, frozenset(whole_word), frozenset(inner | whole_word), frozenset(string))
