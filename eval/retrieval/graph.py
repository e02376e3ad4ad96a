"""What needs no engine: the modes "index" and "query" with search.find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import segmenter as seg
from eval.retrieval.systems import Built, System, timed
from segmenter import search
from segmenter.search import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import ExitStack


def systems() -> Iterator[System]:
    """The modes "index" and "query" with search.find, as the service and the command line."""

    def build(texts: list[str], stack: ExitStack) -> Built:
        s = seg.load()
        options = SearchOptions(drop=frozenset(("space", "newline", "punct")))
        index: list[Any] = []
        postings: dict[str, set[int]] = {}

        def fill() -> None:
            for number, text in enumerate(texts):
                index.append(s.tokenize(text, mode="index", options=options))
                for word in index[-1].words:
                    postings.setdefault(word, set()).add(number)

        seconds = timed(fill)

        def find(asked: str) -> set[int]:
            query = s.tokenize(asked, mode="query", options=options)
            single = [w for w, n in zip(query.words, query.position_lengths, strict=True) if n == 1]
            some = [postings.get(word, set()) for word in single]
            near = set.intersection(*some) if some else set()
            return {number for number in near if search.find(index[number], query)}

        return Built(find, 0, seconds)

    yield System("search.find", "ours", build)
