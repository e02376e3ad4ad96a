"""Haystack: a splitter that breaks at the ends of Chinese sentences, and BM25 over our words.

>>> document = Document(content="他来了。我走了，因为下雨。")
>>> [chunk.content for chunk in Splitter(split_length=9).run([document])["documents"]]
['他来了。', '我走了，因为下雨。']
"""

from __future__ import annotations

from typing import Any

from segmenter.adapters import or_default, require
from segmenter.adapters.bm25 import Bag
from segmenter.choices import one_of
from segmenter.loading import load
from segmenter.sentence import chunks

haystack = require("haystack", "haystack", __name__)
in_memory = require("haystack.document_stores.in_memory", "haystack", __name__)
Document = haystack.Document

#: Units that a Splitter counts.
UNITS = ("chars", "words")


@haystack.component
class Splitter:
    """A component like ``DocumentSplitter``; see :func:`segmenter.chunks`.

    Args:
        split_length: largest size of a chunk.
        split_overlap: largest overlap of neighbouring chunks.
        unit: unit of both: ``"chars"`` or ``"words"``.
        settings: arguments of :func:`segmenter.load`.

    Raises:
        TypeError, ArgumentError: ``unit`` has the wrong type or value.
    """

    def __init__(
        self,
        split_length: int = 500,
        split_overlap: int = 0,
        unit: str = "chars",
        settings: dict[str, Any] | None = None,
    ) -> None:
        one_of("unit", unit, UNITS)
        self.split_length = split_length
        self.split_overlap = split_overlap
        self.unit = unit
        self.settings = settings
        self._segmenter = load(**settings) if settings else or_default(None)

    @haystack.component.output_types(documents=list[Document])  # type: ignore[untyped-decorator, valid-type]
    def run(self, documents: list[Document]) -> dict[str, Any]:  # type: ignore[valid-type]
        """Return chunks of the documents, with ``source_id``, ``split_id`` and ``split_idx_start``.

        Args:
            documents: texts; those without content are passed on unchanged.
        """
        chunked: list[Any] = []
        for document in documents:
            if document.content is None:  # type: ignore[attr-defined]
                chunked.append(document)
                continue
            pieces = chunks(
                document.content, self.split_length, self.unit, self.split_overlap,  # type: ignore[attr-defined]
                segmenter=self._segmenter,
            )  # fmt: skip
            for number, chunk in enumerate(pieces):
                position = {
                    "source_id": document.id,  # type: ignore[attr-defined]
                    "split_id": number,
                    "split_idx_start": chunk.start,
                }
                chunked.append(Document(content=chunk.text, meta={**document.meta, **position}))  # type: ignore[attr-defined]
        return {"documents": chunked}


class Store(in_memory.InMemoryDocumentStore):  # type: ignore[misc, name-defined]
    """``InMemoryDocumentStore`` whose BM25 is over words, words inside words and pairs.

    Its retriever is Haystack's own ``InMemoryBM25Retriever``.

    Args:
        settings: arguments of :func:`segmenter.load`.
        script: Traditional, Hong Kong and Taiwan forms of characters match each other.
        characters: single characters are terms too.
        options: options of ``InMemoryDocumentStore``.
    """

    def __init__(
        self,
        settings: dict[str, Any] | None = None,
        *,
        script: bool = True,
        characters: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._parameters = {"settings": settings, "script": script, "characters": characters}
        segmenter = load(**settings) if settings else None
        self.tokenizer = Bag(segmenter, script=script, characters=characters)

    def to_dict(self) -> dict[str, Any]:
        """Haystack's serialised form, without the regular expression of its own splitter."""
        data: dict[str, Any] = super().to_dict()
        data["init_parameters"].pop("bm25_tokenization_regex", None)
        data["init_parameters"].update(self._parameters)
        return data
