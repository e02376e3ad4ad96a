"""A few texts that the tests of search engines index."""

from __future__ import annotations

TEXTS = [
    "中华人民共和国成立于1949年。",
    "🙂 研究生院公布了招生办法，共和国的研究者们在讨论。",
    "我们相信人民，相信共和与民主。",
    "北京大学图书馆的ＡＢＣ手册 abc",
    "他说：“的确”在理！\n第二行也有 Python 3.12 和 C++。",
    "",
    "'引号' \"双引号\" \\反斜杠\\ % _ : * ^ ( ) & | ! < >",
    "华盛顿大学生物系研究生物学",
]


def holding(word: str) -> set[int]:
    """Which texts have the characters of ``word``."""
    return {i for i, text in enumerate(TEXTS) if word in text}
