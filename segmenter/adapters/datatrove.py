"""datatrove: a word tokenizer for its filters, deduplication and statistics of Chinese text.

datatrove cuts Chinese through spaCy and jieba.  Its pipeline steps take a tokenizer in place of the
name of a language:

>>> from datatrove.pipeline.filters import GopherQualityFilter
>>> quality = GopherQualityFilter(language=Tokenizer(), min_stop_words=None)
>>> quality.language.word_tokenize("他说的 确实在理。")
['他', '说', '的', '确实', '在理', '。']

It can be pickled, so the workers of an executor can open it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.loading import load
from segmenter.sentence import sentences

if TYPE_CHECKING:
    from segmenter.core import Segmenter

base = require("datatrove.utils.word_tokenizers", "datatrove", __name__)


class Tokenizer(base.WordTokenizer):  # type: ignore[misc, name-defined]
    """A ``WordTokenizer`` of datatrove.

    Args:
        segmenter: None: the preset ``fast`` without blanks.
    """

    def __init__(self, segmenter: Segmenter | None = None) -> None:
        super().__init__("zh")
        self.segmenter = load("fast", skip="space") if segmenter is None else segmenter

    def word_tokenize(self, text: str) -> list[str]:
        """The words of a text, without blanks and line ends."""
        return base.strip_strings(self.segmenter.cut(text))  # type: ignore[no-any-return]

    def sent_tokenize(self, text: str) -> list[str]:
        """The sentences of a text, without the blanks around them."""
        return base.strip_strings([sentence.text for sentence in sentences(text)])  # type: ignore[no-any-return]

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        """The sentences of a text as (start, end), which tile it."""
        return [(sentence.start, sentence.end) for sentence in sentences(text)]
