"""LlamaIndex: a node parser that breaks at the ends of Chinese sentences, and a BM25 retriever.

>>> Splitter(chunk_size=9).split_text("他来了。我走了，因为下雨。好吧。")
['他来了。', '我走了，因为下雨。', '好吧。']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter.adapters import or_default, require
from segmenter.adapters.bm25 import Bag
from segmenter.errors import ArgumentError, wrong_type
from segmenter.loading import load
from segmenter.sentence import chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

parsers = require("llama_index.core.node_parser", "llamaindex", __name__)
base = require("llama_index.core.base.base_retriever", "llamaindex", __name__)
schema = require("llama_index.core.schema", "llamaindex", __name__)
pydantic = require("llama_index.core.bridge.pydantic", "llamaindex", __name__)


class Splitter(parsers.TextSplitter):  # type: ignore[misc, name-defined]
    """A node parser; see :func:`segmenter.chunks`.

    Args:
        chunk_size: largest size of a chunk.
        chunk_overlap: largest overlap of neighbouring chunks.
        tokenizer: counts as your model does: a function from a text to its tokens or their
            number, or an object with ``encode``; None: characters.
        settings: arguments of :func:`segmenter.load`; long sentences break between its words.
        data: options of LlamaIndex's ``NodeParser``.
    """

    chunk_size: int = pydantic.Field(default=500, description="The most of a chunk.")
    chunk_overlap: int = pydantic.Field(default=0, description="Of neighbouring chunks.")
    tokenizer: Any = pydantic.Field(default=None, exclude=True)
    settings: dict[str, Any] = pydantic.Field(default_factory=dict)
    _segmenter: Any = pydantic.PrivateAttr()

    def __init__(self, **data: Any) -> None:
        super().__init__(**data)
        self._segmenter = load(**self.settings) if self.settings else or_default(None)

    @classmethod
    def class_name(cls) -> str:
        return "SegmenterSplitter"

    def split_text(self, text: str) -> list[str]:
        """Return the chunks of ``text``; without overlap, they tile it."""
        unit = "chars" if self.tokenizer is None else "tokens"
        pieces = chunks(
            text, self.chunk_size, unit, self.chunk_overlap, segmenter=self._segmenter,
            tokenizer=self.tokenizer,
        )  # fmt: skip
        return [chunk.text for chunk in pieces]


class Retriever(base.BaseRetriever):  # type: ignore[misc, name-defined]
    """BM25 over nodes, in memory, by bm25s.  (LlamaIndex's own splits by a regular expression.)

    Args:
        nodes: the nodes to search, at least one.
        bag: finds the terms of texts and queries; None: ``Bag()``.
        similarity_top_k: largest number of results, best first; nodes without any term of the query
            are left out.
        options: options of LlamaIndex's ``BaseRetriever``.

    Raises:
        TypeError, ArgumentError: an argument has the wrong type, or there are no nodes.
    """

    def __init__(
        self,
        nodes: Sequence[Any],
        bag: Callable[[str], list[str]] | None = None,
        *,
        similarity_top_k: int = 10,
        **options: Any,
    ) -> None:
        if bag is not None and not callable(bag):
            raise wrong_type("bag", bag, "a function from a text to its terms, such as Bag()")
        bm25s = require("bm25s", "llamaindex", f"{__name__}.Retriever")
        self._bag = bag or Bag()
        self._nodes = list(nodes)
        if not self._nodes:
            raise ArgumentError("nodes: empty; give at least one node")
        self.similarity_top_k = similarity_top_k
        texts = [n.get_content(metadata_mode=schema.MetadataMode.EMBED) for n in self._nodes]
        self._index = bm25s.BM25()
        self._index.index([self._bag(text) for text in texts], show_progress=False)
        super().__init__(**options)

    def _retrieve(self, query_bundle: Any) -> list[Any]:
        terms = self._bag(query_bundle.query_str)
        if not terms:
            return []
        indices, scores = self._index.retrieve(
            [terms], k=min(self.similarity_top_k, len(self._nodes)), show_progress=False
        )
        return [
            schema.NodeWithScore(node=self._nodes[int(k)], score=float(score))
            for k, score in zip(indices[0], scores[0], strict=True)
            if score > 0
        ]
