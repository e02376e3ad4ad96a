"""Personal names of corpora that write them as two words."""

from __future__ import annotations

import pytest

from recipes import names
from segmenter.errors import ArgumentError


def test_names_are_joined_by_tags_only_where_boundaries_allow() -> None:
    tagged = [("陈", "nr"), ("方", "nr"), ("安生", "nr"), ("和", "c"), ("欧阳", "nr"), ("修", "nr")]
    assert names.join_names(["陈", "方", "安生", "和", "欧阳", "修"], tagged) == [
        "陈方安生",
        "和",
        "欧阳修",
    ]
    assert names.join_names(["陈", "方", "安", "生和", "欧阳", "修"], tagged)[:4] == [
        "陈",
        "方",
        "安",
        "生和",
    ]
    with pytest.raises(ArgumentError, match="not the same text"):
        names.join_names(["陈"], tagged)


def test_evidence_of_names_joins_what_was_seen_and_leaves_words_alone() -> None:
    evidence = names.NameEvidence(ordinary=frozenset(["厂长", "和", "与"]))
    for given_name in ("建国", "志强", "小平"):
        evidence.learn([("王", "nr"), (given_name, "nr"), ("说", "v"), ("大王", "n")])
    for title in ("先生", "女士", "局长"):
        evidence.learn([("王", "nr"), (title, "n")])
    assert evidence.join(["王", "志强", "和", "王", "厂长", "与", "王", "某某"]) == [
        "王志强", "和", "王", "厂长", "与", "王", "某某",
    ]  # fmt: skip
    assert evidence.join(["王", "淑兰"]) == ["王淑兰"]  # a given name never seen
