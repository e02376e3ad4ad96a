"""Patterns with a scanner of their own give what the same patterns give as they are written."""

from __future__ import annotations

import random

import pytest

from segmenter.subword import characters, patterns, pretokenise
from segmenter.subword.expressions import Repeat, Set
from segmenter.subword.rules import rule_of
from segmenter.subword.scanning import Cut, scanner

PARTS = r"""
Hello| world|don't|I'LL| 'S|'ſ|'Re|'vex|''| ' | |  |\t|\n|\r\n| \n |\n\n x|/|//\n| /|123|1234567|３.14|你好|
世界|A中|中A|AAA中bB|…|！|，|。|\u01c5|\u02b0|\u01c5a|e\u0301|E\u0301\u0302|\u0301|\u0301A|\u0301a| \u0301|ß|👍🏽|
👨\u200d👩|\u3000|\xa0|か\u3099|ไทย|กำ|हिन्दी|x²|½|Ⅷ|\u200b|𠀀|\U0002ebf0|CamelCase|ALLCAPS|ALLCAPSx|\0|\x01|
\x7f|\x85|\ufeff|\ufffd|\u2028|_|__a|-|--|#x|(a|[|]|$5|+|~|`|http://a.b/c?d=1|ー|ゟ|龥|龦
"""  # noqa: E501
KNOWN = {
    "gpt2": patterns.GPT2,
    "r50k": patterns.R50K,
    "cl100k": patterns.CL100K,
    "llama3": patterns.LLAMA3,
    "o200k": patterns.O200K,
    "tekken": patterns.TEKKEN,
    "qwen": patterns.QWEN,
    "qwen35": patterns.QWEN35,
    "deepseek": patterns.DEEPSEEK3[2],
}


def texts(count: int) -> list[str]:
    draw = random.Random(7)
    written = PARTS.replace("\n", "").encode("latin-1", "backslashreplace").split(b"|")
    parts = [part.decode("unicode_escape") for part in written]
    texts_made = [""]
    for _ in range(count):
        row = [
            draw.choice(parts) if draw.random() < 0.9 else chr(draw.choice((
                draw.randrange(0x250), draw.randrange(0x3000), draw.randrange(0xD800, 0x11000),
                draw.randrange(0x10000, 0x110000))))
            for _ in range(draw.randrange(1, 12))
        ]  # fmt: skip
        texts_made.append("".join(row))
    return texts_made


def check(steps: list[Cut]) -> None:
    ours, plain = scanner(steps), scanner(steps, plain=True)
    for text in texts(4000):
        assert ours.spans(text) == plain.spans(text), text


@pytest.mark.parametrize("engine", ["fancy", "oniguruma"])
@pytest.mark.parametrize("name", KNOWN)
def test_a_known_pattern(name: str, engine: str) -> None:
    pattern = KNOWN[name]
    if engine == "oniguruma":
        if name == "r50k":
            pytest.skip("written for tiktoken")
        pattern = patterns.CL100K_ONIGURUMA if name == "cl100k" else pattern
    assert rule_of(pattern, engine) is not None
    check([Cut(pattern, engine=engine)])
    check([Cut(pattern, "Removed", True, engine)])


@pytest.mark.parametrize("behaviour", pretokenise.BEHAVIOURS)
@pytest.mark.parametrize(
    "step",
    [
        pretokenise.Whitespace(),
        pretokenise.WhitespaceSplit(),
        pretokenise.BertPreTokenizer(),
        pretokenise.Punctuation(),
        pretokenise.Digits(True),
        pretokenise.CharDelimiterSplit("-"),
    ],
    ids=lambda step: step.kind,
)
def test_runs_of_characters(step: pretokenise.PreTokeniser, behaviour: str) -> None:
    (cut,) = step.cuts() or ()
    assert rule_of(cut.pattern, cut.engine) is not None
    for invert in (False, True):
        check([cut._replace(behaviour=behaviour, invert=invert)])


def test_runs_of_so_many() -> None:
    check([Cut(Repeat(Set(characters.chars("abA中")), 1, 3, ""))])
    assert scanner([Cut(r"\p{N}{1,3}")]).spans("1234567") == [(0, 3), (3, 6), (6, 7)]


def test_several_steps_cut_as_one_after_another() -> None:
    check([Cut(pattern) for pattern in patterns.DEEPSEEK3])
    check([*(pretokenise.Digits(True).cuts() or ()), Cut(patterns.GPT2)])


def test_what_no_rule_covers() -> None:
    assert rule_of(r"\d\s", "fancy") is None
    assert rule_of("[ab]+|[bc]", "fancy") is None  # the two have a character in common
    assert rule_of("a+?", "fancy") is None


def test_long_texts_take_linear_time() -> None:
    """The walk looks at each character a bounded number of times, whatever stands there."""
    for unit in ("A", "中A", "a", " ", "\u0301", "'s"):
        for pattern in KNOWN.values():
            text = unit * (50_000 // len(unit))
            spans = scanner([Cut(pattern)]).spans(text)
            assert spans[0][0] == 0
            assert spans[-1][1] == len(text)
