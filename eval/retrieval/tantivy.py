"""tantivy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval.retrieval.systems import Built, System, bytes_in, folder_of, ours, peers, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import ExitStack

    from eval.retrieval.systems import Tokens


def systems() -> Iterator[System]:
    import tantivy as engine

    from segmenter.adapters import tantivy

    def builder(
        cut: Callable[[str], Any], ask: Callable[[Any, str], Any]
    ) -> Callable[[list[str], ExitStack], Built]:
        def build(texts: list[str], stack: ExitStack) -> Built:
            folder = folder_of(stack)
            builder = engine.SchemaBuilder()
            builder.add_integer_field("n", stored=True)
            builder.add_text_field("body")
            schema = builder.build()
            index = engine.Index(schema, path=folder)

            def fill() -> None:
                writer = index.writer(100_000_000, 1)
                for number, text in enumerate(texts):
                    document = engine.Document()
                    document.add_integer("n", number)
                    document.add_pre_tokenized_text("body", cut(text))
                    writer.add_document(document)
                writer.commit()
                writer.wait_merging_threads()

            seconds = timed(fill)
            index.reload()
            searcher = index.searcher()

            def find(query: str) -> set[int]:
                hits = searcher.search(ask(schema, query), len(texts)).hits
                return {searcher.doc(address)["n"][0] for _, address in hits}

            return Built(find, bytes_in(folder), seconds)

        return build

    def theirs(tokens: Tokens, phrase: bool) -> tuple[Callable[[str], Any], Callable[..., Any]]:
        def cut(text: str) -> Any:
            rows = [engine.Token(t, k, a, b) for k, (t, a, b) in enumerate(tokens(text))]
            return engine.PreTokenizedString(text, rows)

        def ask(schema: Any, query: str) -> Any:
            words = [term for term, _, _ in tokens(query)]
            if not words:
                return engine.Query.empty_query()
            if phrase and len(words) > 1:
                return engine.Query.phrase_query(schema, "body", words)
            each = [engine.Query.term_query(schema, "body", word) for word in words]
            return engine.Query.boolean_query([(engine.Occur.Must, one) for one in each])

        return cut, ask

    for name, tokens, phrase in peers():
        yield System("tantivy", name, builder(*theirs(tokens, phrase)))
    for name, s, options in ours():
        yield System(
            "tantivy", name,
            builder(
                lambda text, s=s, o=options: tantivy.pretokenized(text, s, options=o),  # type: ignore[misc]
                lambda schema, q, s=s, o=options: tantivy.query(schema, "body", q, s, options=o),  # type: ignore[misc]
            ),
        )  # fmt: skip
