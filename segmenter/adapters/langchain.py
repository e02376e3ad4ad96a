"""LangChain: a text splitter that breaks at the ends of Chinese sentences.

>>> Splitter(chunk_size=9, chunk_overlap=0).split_text("他来了。我走了，因为下雨。好吧。")
['他来了。', '我走了，因为下雨。', '好吧。']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import or_default, require
from segmenter.sentence import chunks

if TYPE_CHECKING:
    from typing import Any

    from segmenter.core import Segmenter

base = require("langchain_text_splitters", "langchain", __name__)


class Splitter(base.TextSplitter):  # type: ignore[misc, name-defined]
    """For ``split_text``, ``split_documents`` and the like; see :func:`segmenter.chunks`.

    Args:
        segmenter: long sentences break between its words; None: the default preset.
        chunk_size: largest size of a chunk, as ``length_function`` counts.
        chunk_overlap: largest overlap of neighbouring chunks.
        options: options of LangChain's ``TextSplitter``, such as ``length_function`` (default:
            characters) or ``add_start_index=True``.
    """

    def __init__(
        self,
        segmenter: Segmenter | None = None,
        *,
        chunk_size: int = 500,
        chunk_overlap: int = 0,
        **options: Any,
    ) -> None:
        options.setdefault("strip_whitespace", False)
        super().__init__(chunk_size=chunk_size, chunk_overlap=chunk_overlap, **options)
        self._segmenter = or_default(segmenter)

    def split_text(self, text: str) -> list[str]:
        """Return the chunks of ``text``; without overlap, they tile it."""
        pieces = chunks(
            text, self._chunk_size, "tokens", self._chunk_overlap, segmenter=self._segmenter,
            tokenizer=self._length_function,
        )  # fmt: skip
        return [chunk.text for chunk in pieces]
