"""Names of novels with the next character, in jieba's list."""

from __future__ import annotations

from recipes.word_lists import NOVEL_NAMES, Listed, names_with_the_next


def test_families_of_people_go_and_families_of_names_and_compounds_stay() -> None:
    listed = {name + c: Listed(3, "nr") for name in NOVEL_NAMES for c in "听笑叹忙忽"}
    listed |= {"狄云" + c: Listed(3, "nr") for c in "听笑叹忙剑"}
    stay = {"李国" + c: Listed(3, "nr") for c in "庆强华栋梁"}
    stay |= {"电子" + c: Listed(9, "n") for c in "书城听忙笑"} | {"电子": Listed(99, "n")}
    stay |= {"阿朱" + c: Listed(3, "nr") for c in "听笑"}  # two entries are no family
    assert names_with_the_next({**listed, **stay}) == set(listed)
