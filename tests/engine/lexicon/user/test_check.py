"""Faults of user dictionaries: forty of them are found, and none in dictionaries without any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from segmenter import load
from segmenter.effects import effects
from segmenter.lexicon.user import UserDictionary

if TYPE_CHECKING:
    from pathlib import Path

#: Rows of one file, and the kind of fault of each; "" is a sound row.
ROWS = [
    ("云计算\tprefer\tnz", ""),
    ("云计算\tprefer\tnz", "duplicate"),
    ("云计算\tdelete", "contradiction"),
    ("大数据", ""),
    ("大数据\tforce", "contradiction"),
    ("提|出\tsplit", ""),
    ("提出", "contradiction"),
    ("区块链\t50", ""),
    ("区块链\t60", "contradiction"),
    ("元宇宙\tprefer\tn", ""),
    ("元宇宙\tprefer\tnz", "contradiction"),
    ("C++", ""),
    ("c++\tprefer\t\t\tfold", ""),
    ("Ｃ++\tprefer\t\t\tfold", "duplicate"),
    ("量子计算 ", "blank"),
    (" 机器学习", "blank"),
    ("\u3000深度学习", "blank"),
    ("知识图谱\u00a0", "blank"),
    ("iPhone 15", ""),
    ("iPhone  16", "blank"),
    ("\u200b物联网", "invisible"),
    ("边缘\u200b计算", "invisible"),
    ("\u2060自动驾驶", "invisible"),
    ("人脸识别\u200e", "invisible"),
    ("新能\u00ad源车", "invisible"),
    ("⽅舱医院", "spelling"),
    ("cafe\u0301", "spelling"),
    ("华为&amp;荣耀", "spelling"),
    ("ä¸­å›½èŠ¯ç‰‡", "spelling"),
    ("智慧城市 100 n", "form"),
    ("共享单车 200", "form"),
    ("移动支付 nz", "form"),
    ("数字货币,100,n", "form"),
    ("# 公司的产品", "form"),
    ("直播带货；网红经济", "form"),
    ("短视频、长视频", "form"),
    ("张三 李四", "form"),
    ('"脑机接口"', "form"),
    ("可控核聚变，", "form"),
    ("碳中和\tprefer\t100", "form"),
    ("碳|达峰", "form"),
    ("我们去了北京。后来又去了上海。", "form"),
    ("的", "single"),
    ("三\tforce", "single"),
    ("了\tdelete", "useless"),
    ("高铁\tforce", ""),
    ("高铁站台票", "useless"),
    ("人工智能", ""),
    ("人工智能芯片\t30", "useless"),
    ("的|确\tsplit", ""),
    ("确实在理", "overlap"),
    ("芯片\tofteen", "level"),
    ("火箭\tprefer\t\t\tfolds", "option"),
]

CLEAN = [
    "云计算\tprefer\tnz\n大数据\niPhone 15\nC++\n[捂脸]\n迈克尔·乔丹\n👨‍👩‍👧\n2026年\n"
    "提|出\tsplit\n"
    "的确\t500\n在理\tdelete\n.NET\nYahoo!\n你好，李焕英\n《三体》\nA/B测试\ncafé\n乾洗店\tprefer\t\t\tscript\n",
    "云计算 100 nz\n大数据 50 n\n区块链 nz\n元宇宙 20\n人工智能 300 n\niPhone 15 手机壳 3 n\n",
    '"云计算"\n{"word": "大数据", "tag": "nz", "payload": {"id": 7}}\n'
    '{"word": "区块链", "weight": 50}\n{"word": "提出", "level": "force", "parts": ["提", "出"]}\n',
]


def test_forty_faults(tmp_path: Path) -> None:
    path = tmp_path / "faults.tsv"
    path.write_text("".join(f"{row}\n" for row, _ in ROWS), "utf-8")
    findings = UserDictionary.load(path, errors="skip").check()
    by_line: dict[int, list[str]] = {}
    for fault in findings:
        assert fault.source == str(path)
        assert fault.reason
        by_line.setdefault(fault.line, []).append(fault.kind)
    expected = {line: [kind] for line, (_, kind) in enumerate(ROWS, 1) if kind}
    assert len(expected) >= 40
    assert by_line == expected


@pytest.mark.parametrize("number", range(len(CLEAN)))
def test_none_in_clean_ones(tmp_path: Path, number: int) -> None:
    path = tmp_path / ("words.jsonl" if CLEAN[number].startswith('"') else "words.txt")
    path.write_text(CLEAN[number], "utf-8")
    words = UserDictionary.load(path)
    assert words.check() == [], [str(fault) for fault in words.check()]
    assert UserDictionary(words).check() == []


def test_the_shipped_words_are_clean() -> None:
    words = load("fast").lexicon
    some = [entry.word for entry in list(words)[::500] if len(entry.word) > 1]
    assert [str(f) for f in UserDictionary(some).check()] == []


def test_useless_words_are_no_tokens_of_their_own_text() -> None:
    rows = [
        ("高铁", "force"), ("高铁站", "prefer"), ("高铁线", 9), ("云计算", "prefer"),
        ("云计算平台", 5), ("15", "force"), ("iPhone15", "prefer"), ("A15芯片", "prefer"),
        ("铁站口", "force"), ("大高铁", "force"), ("机芯", "prefer"), ("手机芯片", "prefer"),
    ]  # fmt: skip
    words = UserDictionary(rows)
    useless = {fault.word for fault in words.check() if fault.kind == "useless"}
    s = load("fast", user=words)
    assert useless == {str(w) for w, _ in rows if s.cut(str(w)) != [w]}
    assert useless == {"高铁站", "高铁线", "云计算平台"}


def test_overlapping_words_lose_as_the_fault_says() -> None:
    words = UserDictionary([("的|确", "split"), "确实在理"])
    [fault] = words.check()
    assert fault.kind == "overlap"
    assert "'的确实在理'" in fault.reason
    assert "确实在理" not in load("fast", user=words).cut("的确实在理")
    assert UserDictionary([("的|确", "split"), ("确实在理", "force")]).check() == []  # it is longer


def test_several_files_and_words_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("云计算\n", "utf-8")
    (tmp_path / "b.tsv").write_text("大数据\n云计算\tforce\n", "utf-8")
    words = UserDictionary.load(tmp_path)
    [fault] = words.check()
    assert (fault.source, fault.line, fault.kind) == (str(tmp_path / "b.tsv"), 2, "contradiction")
    assert str(tmp_path / "a.tsv") in fault.reason
    assert words.without(["云计算"]).check() == []
    [_, warning] = words.with_words(["物联网 "]).check()
    assert (warning.source, warning.line, warning.kind) == ("", 0, "blank")
    [finding] = UserDictionary([("云计算", "force"), ("云计算", "delete")]).check()
    assert finding.kind == "duplicate"
    assert "last" in finding.reason


def test_rows_of_every_format_and_encoding(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes("云计算 10 n\n大数据 20 n\n云计算 30 n\n".encode("gb18030"))
    [fault] = UserDictionary.load(path, encoding="gb18030").check()
    assert (fault.kind, fault.line) == ("contradiction", 3)
    assert "weight 30, tag n here and weight 10, tag n in line 1" in fault.reason
    rows = tmp_path / "rows.jsonl"
    rows.write_text('"云计算"\n{"word": "云计算", "tag": "n"}\n["云"]\n', "utf-8")
    kinds = [(f.line, f.kind) for f in UserDictionary.load(rows, errors="skip").check()]
    assert kinds == [(2, "contradiction"), (3, "json")]
    UserDictionary.load(path, encoding="gb18030").save(tmp_path / "words.user")
    assert UserDictionary.load(tmp_path / "words.user").check() == []


def test_effects() -> None:
    texts = ["他说的确实在理。", "的确如此", "云计算平台很好", "他提出了问题", "今天天气很好"]
    user = ["的确", "云计算平台", ("提|出", "split"), ("很好", "delete"), "不在文中"]
    s = load("fast", user=user)
    by_word = {effect.entry.word: effect for effect in effects(s, texts)}
    assert {word: (e.places, e.changes) for word, e in by_word.items()} == {
        "的确": (2, 1), "云计算平台": (1, 0), "提出": (1, 0), "很好": (0, 0), "不在文中": (0, 0),
    }  # fmt: skip
    [(before, after)] = by_word["的确"].examples
    assert "的/确实/在理" in before
    assert "的确/" in after
    with pytest.raises(TypeError, match="texts"):
        effects(s, "他说")
    [deleted] = effects(load("fast", user=[("在理", "delete")]), ["他说的确实在理"])
    assert deleted.places == 1


def test_effects_of_a_word_are_those_of_its_absence() -> None:
    """A change is charged wherever boundaries differ outside the words of the user."""
    texts = ["研究生命的起源", "他研究生物", "结婚的和尚未结婚的", "这研究生命苦"]
    for word in ("研究生", "和尚", "生命", "尚未"):
        s = load("fast", user=[(word, "force")])
        [effect] = effects(s, texts)
        plain = load("fast")
        places = changes = 0
        for text in texts:
            start = text.find(word)
            if start < 0:
                continue
            places += 1
            old = {*plain.ends(text).tolist()}
            new = {*s.ends(text).tolist()}
            inner = set(range(start + 1, start + len(word)))
            changes += bool((old ^ new) - inner)
        assert (effect.places, effect.changes) == (places, changes), word


def test_a_word_with_a_lone_surrogate_is_checked() -> None:
    words = UserDictionary.load(b"a\\ud800 5 n\n", format="tsv")
    assert words["a\ud800 5 n"].line == 1
    assert [finding.kind for finding in words.check()] == ["form"]
