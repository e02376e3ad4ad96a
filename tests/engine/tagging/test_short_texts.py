"""Short texts, of which a tagger looks up pairs and words ahead (``kernels/tagging/prefetch.hpp``).

They are cut as the same lines of a long text, of which nothing is looked up ahead.
"""

from __future__ import annotations

import pytest

import segmenter
from segmenter.errors import ResourceError

SOURCE = (
    "他说的确实在理，中华人民共和国成立于1949年10月1日 iPhone 15 比上一代贵500元\t"
    "乾淨的乾坤 ３．１４ 中国科学院计算技术研究所 的的的的 三本书和五台山 user@example.com 𠮷野家"
)
LONG = "今天天气很好。" * 20
MOST = 64  # characters, as in prefetch.hpp


def texts() -> list[str]:
    double = SOURCE * 2
    texts = [
        double[begin : begin + n]
        for n in (1, 2, 3, 7, 15, 16, 17, 33)
        for begin in range(len(SOURCE))
    ]
    texts += [double[:n] for n in range(MOST - 2, MOST + 3)]
    # as many words of two and of more characters as fit, in one stretch and in many
    texts += [
        "中国" * (MOST // 2),
        "共和国" * (MOST // 3),
        "共和国 " * (MOST // 4),
        "中 国 " * (MOST // 4),
    ]
    return texts


@pytest.mark.parametrize("preset", ["fast", "balanced", "accurate"])
@pytest.mark.parametrize("user", [[], ["科学院计算"]], ids=["plain", "user"])
def test_they_are_cut_as_lines_of_a_long_text(preset: str, user: list[str]) -> None:
    try:
        s = segmenter.load(preset).with_words(user)
    except ResourceError:
        pytest.skip("models/ is not built here")
    for text in texts():
        words = s.cut(text)
        assert words == s.cut(f"{text}\n{LONG}")[: len(words)], text
        assert "".join(words) == text
        assert words == s.cut(text)  # from the shared strings that the first call made
        assert s.ends(text).tolist() == [
            sum(map(len, words[: k + 1])) for k in range(len(words))
        ], text
