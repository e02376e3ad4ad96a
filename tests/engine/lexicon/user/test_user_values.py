"""User dictionaries as values: changed, looked up, merged; wrong items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import (
    ArgumentError,
    Segmenter,
)
from segmenter.lexicon.user import UserDictionary, UserWord

if TYPE_CHECKING:
    pass


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["add", "remove"]),
            st.lists(st.text("甲乙aA", min_size=1, max_size=2), max_size=40),
        ),
        max_size=12,
    )
)
def test_steps_are_as_good_as_one(steps: list[tuple[str, list[str]]]) -> None:
    """Whatever layers the steps leave, the dictionary is the same value."""
    words, plain = UserDictionary(), dict[str, None]()
    for step, items in steps:
        before, expected_words = words, sorted(e.word for e in words)
        if step == "add":
            words = words.with_words(items)
            plain |= dict.fromkeys(items)
        else:
            words = words.without(items)
            for item in items:
                plain.pop(item, None)
        assert sorted(e.word for e in before) == expected_words  # a value: nothing changes it
        assert sorted(e.word for e in words) == sorted(plain)
        assert len(words) == len(plain)
    at_once = UserDictionary(plain)
    assert words == at_once
    assert words.digest == at_once.digest
    assert hash(words) == hash(at_once)
    text = "甲乙aA乙甲Aa" * 3
    first, second = (Segmenter(worlds.lexicon(), user=u) for u in (words, at_once))
    assert first.cut(text) == second.cut(text)


def test_many_single_additions_merge() -> None:
    words = UserDictionary([f"词{k}" for k in range(500)])
    for k in range(600):
        words = words.with_words([(f"新{k}", "force")])
    assert len(words) == 1100
    assert words.count("force") == 600
    assert words["新17"].level == "force"
    assert words.with_words([("词3", "force")])["词3"].level == "force"
    assert words.count("prefer") == 500


def test_looking_up() -> None:
    words = UserDictionary([UserWord("IPhone", fold=True), "C++", ("重", 3)])
    assert words["iphone"].word == "IPhone"
    assert "c++" not in words
    assert words.get("没有") is None
    assert "" not in words
    assert words["重"].weight == 3.0
    with pytest.raises(KeyError):
        words["没有"]
    assert repr(words) == "<UserDictionary: 3 words>"
    assert words.count("weight") == 1
    with pytest.raises(ArgumentError, match="level"):
        words.count("often")
    assert words != UserDictionary(["C++"])
    assert words != 5


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("", "empty word"),
        (("词", -1), "not a number >= 0"),
        (("词", float("nan")), "not a number"),
        (("词", "often"), "is not a level"),
        (("词", "split"), "marks no parts"),
        (("|词", "split"), "marks no parts"),
        (("词", 1, "n", object()), "cannot be written as JSON"),
        (("a",) * 5, "has 5 fields"),
        (UserWord("词组", parts=("词", "汇")), "join to"),
        (UserWord("词组", parts=("词", 1)), "join to"),  # type: ignore[arg-type]
        (UserWord("词组", "weight"), "weight None"),
        (UserWord("词组", "force", 3.0), "has a weight and the level"),
        (UserWord("词组", "weight", 1.0, parts=("词", "组")), "its level is force or prefer"),
    ],
)
def test_wrong_items(item: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        UserDictionary([item])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "item", [5, None, b"x", ["a"], (5,), ("a", None, 5), ("a", True), ("a", [1])]
)
def test_wrong_types(item: object) -> None:
    with pytest.raises(TypeError, match="items"):
        UserDictionary([item])  # type: ignore[list-item]


def test_options_are_checked_wherever_they_are_given() -> None:
    """By all that take options, before anything is read; a word's own options go before."""
    calls = (
        lambda **given: UserDictionary(["甲"], **given),
        lambda **given: UserDictionary([("甲", 5)], **given),
        lambda **given: UserDictionary().with_words(["甲"], **given),
        lambda **given: Segmenter(worlds.lexicon()).with_words(["甲"], **given),
        lambda **given: UserDictionary.load("甲\n".encode(), **given),
        lambda **given: UserDictionary.load(b'"\xe7\x94\xb2"', format="jsonl", **given),
    )
    for call in calls:
        with pytest.raises(TypeError, match="'folds' is not an option: expected fold, inside, sc"):
            call(folds=True)
        with pytest.raises(TypeError, match="script must be bool, not str"):
            call(script="no")
    for call in (calls[0], calls[1], calls[2], calls[4], calls[5]):
        words = call(fold=True, inside=True)
        assert [(e.fold, e.inside, e.script) for e in words] == [(True, True, False)]
    assert not UserDictionary([UserWord("甲")], fold=True)["甲"].fold


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize("kind", [Text, np.str_])
def test_words_may_be_of_a_subclass_of_str(kind: type[str]) -> None:
    words = UserDictionary([kind("云计算"), (kind("提|出"), kind("split"), kind("v"), kind("a"))])
    assert words == UserDictionary(["云计算", ("提|出", "split", "v", "a")])
    assert kind("云计算") in words
    assert len(words.without([kind("云计算")])) == 1
    assert {type(entry.word) for entry in words} == {str}
    lexicon = worlds.lexicon()
    mine = Segmenter(lexicon, user=np.array(["云计算"]))
    assert kind("云计算") in mine.with_words(["云"]).user
    assert "云计算" in mine.cut_all(kind("买云计算")).words
    word = next(iter(lexicon))[0]
    assert kind(word) in lexicon
    assert lexicon.count(kind(word)) == lexicon.count(word)


def test_a_weight_may_be_a_number_of_numpy() -> None:
    assert UserDictionary([("云计算", np.int64(50))])["云计算"].weight == 50
    with pytest.raises(TypeError, match="level or weight of '云计算' must be str or a number"):
        UserDictionary([("云计算", np.bool_(True))])


def test_a_column_with_a_method_items_is_no_mapping() -> None:
    class Column(list[str]):  # as a Series of pandas
        def items(self) -> object:
            return enumerate(self)

    assert UserDictionary(Column(["云计算", "提出"])) == UserDictionary(["云计算", "提出"])
