"""Whoosh; the tokens of others by an analyzer that it can pickle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whoosh import analysis, fields, query
from whoosh.index import create_in

from eval.retrieval.systems import Built, System, bytes_in, folder_of, ours, peers, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import ExitStack

    from eval.retrieval.systems import Tokens


class Terms(analysis.Analyzer):  # type: ignore[misc]
    """The tokens of :func:`eval.retrieval.systems.peers` by their name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(
        self,
        value: str,
        positions: bool = False,
        chars: bool = False,
        mode: str = "",
        **options: Any,
    ) -> Iterator[Any]:
        tokens = next(tokens for name, tokens, _ in peers() if name == self.name)
        token = analysis.Token(positions, chars, mode=mode)
        for k, (text, start, end) in enumerate(tokens(value)):
            token.text, token.boost, token.stopped = text, 1.0, False
            token.pos, token.startchar, token.endchar = k, start, end
            yield token


def systems() -> Iterator[System]:
    from segmenter.adapters import whoosh

    def builder(field: Any, ask: Callable[[str], Any]) -> Callable[[list[str], ExitStack], Built]:
        def build(texts: list[str], stack: ExitStack) -> Built:
            folder = folder_of(stack)
            index = create_in(folder, fields.Schema(n=fields.STORED, body=field))

            def fill() -> None:
                writer = index.writer(limitmb=256)
                for number, text in enumerate(texts):
                    writer.add_document(n=number, body=text)
                writer.commit(optimize=True)

            seconds = timed(fill)
            searcher = stack.enter_context(index.searcher())

            def find(query: str) -> set[int]:
                return {hit["n"] for hit in searcher.search(ask(query), limit=None)}

            return Built(find, bytes_in(folder), seconds)

        return build

    def theirs(tokens: Tokens, phrase: bool) -> Callable[[str], Any]:
        def ask(asked: str) -> Any:
            words = [term for term, _, _ in tokens(asked)]
            if phrase and len(words) > 1:
                return query.Phrase("body", words)
            return query.And([query.Term("body", w) for w in words]) if words else query.NullQuery

        return ask

    for name, tokens, phrase in peers():
        yield System("Whoosh", name, builder(fields.TEXT(Terms(name)), theirs(tokens, phrase)))
    for name, s, options in ours():
        field = whoosh.Text(s, options)
        yield System(
            "Whoosh", name,
            builder(field, lambda q, field=field: whoosh.strings("body", q, field.analyzer)),  # type: ignore[misc]
        )  # fmt: skip
