"""Finds entries of jieba's list that consist of a name from a novel and the next character.

jieba's list was counted in text that includes a dozen novels, and has 185 entries like 郭靖听
and 156 like 杨过心.  Such entries are recognised by their last character: it often follows names
in novels (听, 笑, 叹, 忙 …) and does not end names or compounds (李国庆, 电子书).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recipes.word_lists import Listed

#: Names with 30 to 185 such entries: what follows three of them follows names.
NAMES = ["郭靖", "杨过", "黄蓉", "令狐冲", "段誉", "胡斐", "萧峰", "玄德", "孔明", "宋江", "郭襄",
         "赵敏"]  # fmt: skip
#: What follows people and ends no names.
TELLING = frozenset("笑叹听忙问闻怒惊忽喜见")
LEAST = 5  # entries of a family
#: A family has so large a share of characters that follow names, and so many telling ones.
RULES = ((0.6, 1), (0.4, 3))


def names_with_the_next(listed: Mapping[str, Listed]) -> set[str]:
    """The entries of jieba's list that are a name and the next character."""
    families: defaultdict[str, set[str]] = defaultdict(set)
    for word in listed:
        if 3 <= len(word) <= 4:
            families[word[:-1]].add(word[-1])
    follow = Counter(c for name in NAMES for c in families.get(name, ()))
    follows = {c for c, n in follow.items() if n >= 3}

    def people(name: str, endings: set[str]) -> bool:
        if len(endings) < LEAST or (name in listed and not listed[name].tag.startswith("nr")):
            return False
        share = len(endings & follows) / len(endings)
        return any(share >= least and len(endings & TELLING) >= n for least, n in RULES)

    return {name + c for name, endings in families.items() if people(name, endings) for c in endings}
