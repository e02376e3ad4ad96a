"""SentencePiece's map of characters and its blanks: the kernel against the readable form."""

from __future__ import annotations

import random
import struct
from typing import Any

import pytest

from segmenter.errors import ArgumentError
from segmenter.subword.aligned import Aligned
from segmenter.subword.charsmap import Precompiled, SentencePiece
from tests.reference import charsmap as reference

RULES = {
    "，": ",",
    "…": "...",
    "\u3000": " ",
    "\u3000 ": "  ",
    "ｶ": "カ",
    "ｶﾞ": "ガ",
    "\x01": "",
    "㍿": "株式会社",
    "é": "e",
    "e\u0301": "e",
    "①": " 1 ",
    "😀😀": "笑",
}
ALPHABET = [*"ab  你好▁\tﾞ\u0301e😀\ud800", *RULES]


def charsmap_of(rules: dict[str, str]) -> bytes:
    """A precompiled map of characters: each node of the trie has 256 places of the array."""
    nodes: dict[bytes, int] = {b"": 0}
    for source in rules:
        spelt = source.encode()
        for i in range(len(spelt)):
            nodes.setdefault(spelt[: i + 1], len(nodes))
    place = {spelt: (number + 1) << 8 for spelt, number in nodes.items()}  # of its children
    units = [0] * ((len(nodes) + 1) << 8)
    position = {b"": 0} | {spelt: place[spelt[:-1]] ^ spelt[-1] for spelt in nodes if spelt}
    table = b""
    for spelt, node_units in position.items():
        units[node_units] |= (node_units ^ place[spelt]) << 10 | (spelt[-1] if spelt else 0)
        if spelt and spelt.decode("utf-8", "replace") in rules:
            units[node_units] |= 1 << 8
            units[place[spelt]] = 1 << 31 | len(table)
            table += rules[spelt.decode()].encode() + b"\0"
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + table


@pytest.mark.parametrize("covering", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"remove_extra_whitespaces": False},
        {"add_dummy_prefix": False},
        {"escape_whitespaces": False},
        {"suffix": True},
        {"suffix": True, "remove_extra_whitespaces": False},
        {"symbols": ["é好", "  ", "ab", "b你", "\u0301"]},
        {"symbols": ["▁", "，，"], "suffix": True},
    ],
    ids=str,
)
def test_the_kernel_normalises_as_the_readable_form(
    options: dict[str, Any], covering: bool
) -> None:
    kernel = SentencePiece(charsmap_of(RULES), **options)
    readable = reference.SentencePiece(RULES, **options)
    draw = random.Random(1)
    for _ in range(1500):
        text = "".join(draw.choices(ALPHABET, k=draw.randint(1, 9)))
        normalised = kernel(Aligned(text, covering=covering))
        assert (normalised.text, *normalised.columns()) == readable(text, covering), text


def test_a_map_lengthens_a_text_by_so_much() -> None:
    data = charsmap_of({"a": "x" * 90, "b": "y" * 60})
    for step in (SentencePiece(data), Precompiled(data)):
        assert len(step(Aligned("b" * 1000)).text) in (60_000, 60_001)
        for covering in (True, False):
            with pytest.raises(ArgumentError, match=r"text: .*the most \(64 times its"):
                step(Aligned("a" * 1000, covering=covering))
