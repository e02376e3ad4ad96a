"""Pre-tokenisers that the kernel cuts by, instead of ``re`` (kernels/pretokenise.hpp).

>>> scanned(pretokenise.BertPreTokenizer())
3
>>> scanner().spans("Hello, world!", 3)
[(0, 5), (5, 6), (7, 12), (12, 13)]
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from segmenter.kernels._face import SCANNED, Scanner
from segmenter.subword import patterns, pretokenise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segmenter.subword.pretokenise import PreTokeniser

# classes of kernels/pretokenise.hpp
_LETTER, _NUMBER, _SPACE, _PUNCTUATION, _WORD = 1, 2, 4, 8, 16
_PATTERNS = {
    patterns.GPT2: "gpt2",
    patterns.CL100K: "cl100k",
    patterns.CL100K_ONIGURUMA: "cl100k",
    patterns.LLAMA3: "llama3",
}
_STEPS: dict[type[PreTokeniser], str] = {
    pretokenise.BertPreTokenizer: "bert",
    pretokenise.WhitespaceSplit: "blanks",
    pretokenise.Whitespace: "words",
}


@cache
def scanner() -> Scanner:
    """The scanner, over the Unicode tables of the running Python."""
    return Scanner(_ranges())


def _ranges() -> Iterator[tuple[int, int, int]]:
    for category, pairs in patterns.category_ranges().items():
        classes = {"L": _LETTER, "N": _NUMBER, "P": _PUNCTUATION}.get(category[0], 0)
        if patterns.is_word(category):
            classes |= _WORD
        if classes:
            for first, last in pairs:
                yield first, last, classes
    for c in patterns.BLANKS:
        yield ord(c), ord(c), _SPACE
    for c in pretokenise.SYMBOLS:
        yield ord(c), ord(c), _PUNCTUATION
    for first, last in patterns.WORD_MORE:
        yield first, last, _WORD


def scanned(step: PreTokeniser) -> int | None:
    """The number of the kernel's pattern that cuts as a pre-tokeniser does; None: there is none."""
    name = _name(step)
    return None if name is None else SCANNED.index(name)


def _name(step: PreTokeniser) -> str | None:
    if type(step) is pretokenise.Sequence and step.steps:
        first, *rest = step.steps
        return _name(first) if all(map(_does_nothing, rest)) else None
    if type(step) is pretokenise.ByteLevel:
        return "gpt2" if step.use_regex and not step.add_prefix_space else None
    if type(step) is pretokenise.Split:
        # these patterns match everything: what stands between matches is empty
        kept = (step.behaviour, step.invert) in (("Isolated", False), ("Removed", True))
        return _PATTERNS.get(step.pattern) if step.regex and kept else None
    return _STEPS.get(type(step))


def _does_nothing(step: PreTokeniser) -> bool:
    return type(step) is pretokenise.ByteLevel and not step.use_regex and not step.add_prefix_space
