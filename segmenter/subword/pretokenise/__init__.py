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
from segmenter.subword.pretokenise.words import Cutter, Words, words_of
from segmenter.subword.scanning import BEHAVIOURS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _split(config: dict[str, Any]) -> Split:
    pattern = config["pattern"]
    regex = "Regex" in pattern
    return Split(
        pattern["Regex"] if regex else pattern["String"],
        config["behavior"],
        invert=config.get("invert", False),
        regex=regex,
        # files of ours from before the engine was kept hold tiktoken's pattern as it is
        engine=config.get(
            "engine", "fancy" if pattern.get("Regex") == patterns.CL100K else "oniguruma"
        ),
    )


def _metaspace(config: dict[str, Any]) -> Metaspace:
    scheme = config.get("prepend_scheme")
    if scheme is None:  # before tokenizers 0.14
        scheme = "always" if config.get("add_prefix_space", True) else "never"
    return Metaspace(config.get("replacement", "▁"), scheme, config.get("split", True))


#: What reads an entry of ``tokenizer.json``, by its type.
READERS: dict[str, Callable[[dict[str, Any]], PreTokeniser]] = {
    "Whitespace": lambda _: Whitespace(),
    "WhitespaceSplit": lambda _: WhitespaceSplit(),
    "BertPreTokenizer": lambda _: BertPreTokenizer(),
    "Punctuation": lambda c: Punctuation(c.get("behavior", "Isolated")),
    "Digits": lambda c: Digits(c.get("individual_digits", False)),
    "CharDelimiterSplit": lambda c: CharDelimiterSplit(c["delimiter"]),
    "FixedLength": lambda c: FixedLength(c.get("length", 5)),
    "Split": _split,
    "ByteLevel": lambda c: ByteLevel(
        c.get("add_prefix_space", False),
        c.get("trim_offsets", True),
        c.get("use_regex", True),
        spelt=c.get("spelt", False),
    ),
    "Metaspace": _metaspace,
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
    "make",
]
