"""PostgreSQL."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eval.retrieval.systems import Built, System, ours, peers, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import ExitStack

    from eval.retrieval.systems import Tokens


def systems(address: str) -> Iterator[System]:
    import psycopg

    from segmenter.adapters import postgres

    def builder(
        cut: Callable[[str], str], ask: Callable[[str], str]
    ) -> Callable[[list[str], ExitStack], Built]:
        def build(texts: list[str], stack: ExitStack) -> Built:
            db = stack.enter_context(psycopg.connect(address, autocommit=True))
            db.execute("drop table if exists d")
            db.execute("create table d (n int, words tsvector)")

            def fill() -> None:
                with db.cursor().copy("copy d from stdin") as copy:
                    copy.set_types(["int4", "text"])
                    for number, text in enumerate(texts):
                        copy.write_row((number, cut(text)))
                db.execute("create index i on d using gin (words)")

            seconds = timed(fill, time.perf_counter)
            size = db.execute(
                "select sum(pg_column_size(words)) + pg_relation_size('i') from d"
            ).fetchone()
            assert size is not None

            def find(query: str) -> set[int]:
                rows = db.execute("select n from d where words @@ %s::tsquery", (ask(query),))
                return {n for (n,) in rows}

            return Built(find, int(size[0]), seconds)

        return build

    def theirs(tokens: Tokens, phrase: bool) -> tuple[Callable[[str], str], Callable[[str], str]]:
        def cut(text: str) -> str:
            places: dict[str, list[str]] = {}
            for k, (term, _, _) in enumerate(tokens(text), 1):
                places.setdefault(term, []).append(str(k))
            return " ".join(f"'{term}':{','.join(at)}" for term, at in places.items())

        def ask(query: str) -> str:
            operator = " <-> " if phrase else " & "
            return operator.join(f"'{term}'" for term, _, _ in tokens(query))

        return cut, ask

    for name, tokens, phrase in peers():
        yield System("PostgreSQL", name, builder(*theirs(tokens, phrase)))
    for name, s, options in ours():
        yield System(
            "PostgreSQL", name,
            builder(
                lambda text, s=s, o=options: postgres.tsvector(text, s, options=o),  # type: ignore[misc]
                lambda q, s=s, o=options: postgres.tsquery(q, s, options=o),  # type: ignore[misc]
            ),
        )  # fmt: skip
