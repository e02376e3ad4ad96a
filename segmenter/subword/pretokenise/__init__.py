"""Second step: the spans that no piece may cross.

A pre-tokeniser is called with an :class:`~segmenter.subword.normalise.Aligned` text and spans in
it, and gives a text (some put ▁ for blanks) and finer spans.  What lies in no span is dropped.
``config()`` and :func:`make` are as in :mod:`~segmenter.subword.normalise`; :class:`Words`, word
segmentation, is ours.

>>> from segmenter.subword.normalise import Aligned
>>> def split(step, text):
...     aligned, spans = step(Aligned(text), [(0, len(text))])
...     return [aligned.text[a:b] for a, b in spans]
>>> split(BertPreTokenizer(), "Hello, world!")
['Hello', ',', 'world', '!']
>>> split(ByteLevel(), "I'm 12 years")
['I', "'m", ' 12', ' years']
>>> split(Metaspace(), "Hey friend")
['▁Hey', '▁friend']
>>> from segmenter import load
>>> split(Words(load("fast")), "他说的确实在理 hello world")
['他', '说', '的', '确实', '在理', ' hello', ' world']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.pieces import entries
from segmenter.subword import patterns
from segmenter.subword.pretokenise.cutting import (
    BertPreTokenizer,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    Punctuation,
    Split,
    Whitespace,
    WhitespaceSplit,
)
from segmenter.subword.pretokenise.marking import ByteLevel, Metaspace
from segmenter.subword.pretokenise.step import PreTokeniser, Sequence
from segmenter.subword.pretokenise.words import Cutter, Words, cutter_of, words_of
from segmenter.subword.scanning import BEHAVIOURS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _split(config: dict[str, Any]) -> Split:
    pattern = entries.pattern_of(config)
    # files of ours from before the engine was kept hold tiktoken's pattern as it is
    fancy = pattern == {"pattern": patterns.CL100K, "regex": True}
    return Split(
        behaviour=config["behavior"],
        invert=config.get("invert", False),
        engine=config.get("engine", "fancy" if fancy else "oniguruma"),
        **pattern,
    )


#: What reads an entry of ``tokenizer.json``, by its type.
READERS: dict[str, Callable[[dict[str, Any]], PreTokeniser]] = {
    **entries.readers(Whitespace, WhitespaceSplit, BertPreTokenizer, Punctuation, Digits),
    **entries.readers(CharDelimiterSplit, FixedLength, ByteLevel),
    "Split": _split,
    "Metaspace": lambda c: Metaspace(*entries.metaspace(c)),
}


def make(config: dict[str, Any] | None, segmenter: Cutter | None = None) -> PreTokeniser:
    """The pre-tokeniser of an entry of ``tokenizer.json``; None takes a text as one span.

    Args:
        config: the entry.
        segmenter: for :class:`Words`, instead of the one that its entry names.

    Raises:
        ArgumentError: a type that is not supported; a Segmenter whose boundaries are not those
            that the entry names.
    """
    if config is None:
        return PreTokeniser()
    readers = {
        **READERS,
        Sequence.kind: lambda c: Sequence(make(step, segmenter) for step in c["pretokenizers"]),
        Words.kind: lambda c: words_of(c, segmenter),
    }
    return entries.read("pre_tokenizer", config, readers)


__all__ = [
    "BEHAVIOURS",
    "READERS",
    "BertPreTokenizer",
    "ByteLevel",
    "CharDelimiterSplit",
    "Cutter",
    "Digits",
    "FixedLength",
    "Metaspace",
    "PreTokeniser",
    "Punctuation",
    "Sequence",
    "Split",
    "Whitespace",
    "WhitespaceSplit",
    "Words",
    "cutter_of",
    "make",
]
