"""What every entry point of a Segmenter promises, checked for one text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segmenter import Segmenter


def utf8(text: str) -> bool:
    return not any(0xD800 <= ord(c) < 0xE000 for c in text)


def lines_of(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def check_everything(segmenter: Segmenter, text: str) -> None:
    words = segmenter.cut(text)
    assert "".join(words) == text
    assert all(words)
    spans = segmenter.tokenize(text).spans
    ends = [end for _, end in spans]
    assert [text[a:b] for a, b in spans] == words
    assert spans == list(zip([0, *ends][: len(ends)], ends, strict=True))  # they tile the text
    assert segmenter.ends(text).tolist() == ends
    for threads in (1, 2, 4):
        assert segmenter.cut_batch([text, "", text[::-1], text], threads) == [
            words,
            [],
            segmenter.cut(text[::-1]),
            words,
        ]
    # by lines: a line end is a token, and nothing looks across it
    assert [w for line in lines_of(text) for w in segmenter.cut(line)] == words
    if utf8(text):
        expected = b""
        for line in lines_of(text):
            of_line = [w.encode() for w in segmenter.cut(line)]
            end = of_line.pop() if line.endswith("\n") else b""
            expected += b"\x1f".join(of_line) + end
        for threads in (1, 2, 4):
            assert segmenter.cut_bytes(text.encode(), b"\x1f", threads) == expected
