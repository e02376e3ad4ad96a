"""The committed lexicon sources: format, order, folding, digests; and what reads and makes them."""

from __future__ import annotations

import functools
import hashlib
import sys
import tomllib

import pytest
from places import ROOT

from segmenter.errors import DictionaryError, EncodingError
from segmenter.text.chars import fold_str
from segmenter.train import counts

# At the end: an installed package must win over the checkout's folder of the same name.
sys.path += [str(ROOT), str(ROOT / "dicts")]

from typing import TYPE_CHECKING

from tables import StandardCounts, read_counts
from writing import number

from recipes.word_lists import Listed

if TYPE_CHECKING:
    from pathlib import Path

DICTS = ROOT / "dicts"
STANDARDS = ("general", "pku")
TABLES = sorted(p for s in STANDARDS for p in (DICTS / s).glob("*.tsv"))
LIMIT = 4 << 20

pytestmark = pytest.mark.skipif(
    not TABLES, reason="dicts/ is not here (an installed package without the repository)"
)


@functools.cache
def counts_of(standard: str) -> StandardCounts:
    return read_counts(DICTS / standard)


def rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").split("\n")[:-1]]


@pytest.mark.parametrize("path", TABLES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_table_is_sorted_unique_and_folded(path: Path) -> None:
    width = {"words": 3, "bigrams": 3, "trigrams": 4}[path.stem.split("-")[0]]
    column = 1 if path.name.startswith("words") else width - 1
    previous: tuple[float, list[str]] | None = None
    for row in rows(path):
        assert len(row) == width, row
        count = float(row[column])
        assert count > 0
        assert row[column] == number(count), row
        key = (-count, row[:column])
        assert previous is None or previous < key, (previous, key)
        previous = key
        for word in row[:column]:
            assert word == fold_str(word), row
            assert word
    assert path.stat().st_size <= LIMIT


@pytest.mark.parametrize("standard", STANDARDS)
def test_words_are_words(standard: str) -> None:
    c = counts_of(standard)
    assert 200_000 < len(c.words) < 360_000
    words = {w for w, _, _ in c.words}
    assert len(words) == len(c.words)  # none is in two files
    assert not [w for w in words if counts.has_digit(w)]
    assert not [w for w in words if counts.token_class(w) == counts.WESTERN]
    assert set(c.kinds) == {counts.SENTENCE, counts.NUM, counts.DATE, counts.WESTERN}
    words_known = words | c.kinds.keys()
    assert all(a in words_known and b in words_known for a, b, _ in c.bigrams)
    pairs = {(a, b) for a, b, _ in c.bigrams}
    assert all((a, b) in pairs and (b, c3) in pairs for a, b, c3, _ in c.trigrams)
    assert not [t for _, _, t in c.words if not t]


def test_standards_differ_where_they_must() -> None:
    general = {w: n for w, n, _ in counts_of("general").words}
    pku = {w: n for w, n, _ in counts_of("pku").words}
    assert general["江泽民"] > 500
    assert pku.get("江泽民", 0) == 0
    assert pku["泽民"] > 500
    assert {"微信", "二维码", "区块链"} <= general.keys()


def test_every_file_has_its_source_with_rows_and_digest() -> None:
    listed = {}
    for path in sorted((DICTS / "sources").glob("*/SOURCE.toml")):
        source = tomllib.loads(path.read_text("utf-8"))
        for field in ("name", "origin", "licence", "copyright", "used"):
            assert source[field], (path, field)
        assert source["input"], path
        for entry in source["input"]:
            assert len(entry["sha256"]) == 64, path
        for entry in source.get("output", []):
            listed[DICTS / entry["file"]] = entry
    assert sorted(listed) == TABLES
    for path, entry in listed.items():
        data = path.read_bytes()
        assert data.count(b"\n") == entry["rows"], path
        assert hashlib.sha256(data).hexdigest() == entry["sha256"], path


def test_words_of_today_are_no_source() -> None:
    for name in ("dicts/build.py", "dicts/choose.py", "dicts/lists.py", "recipes/general_text.py"):
        code = (ROOT / name).read_text("utf-8").replace("had not seen eval/words_of_today.tsv", "")
        assert "words_of_today" not in code.replace("looks at eval/words_of_today.tsv", ""), name


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("１２", "<num>"),
        ("-0.5%", "<num>"),
        ("1，234", "<num>"),
        ("1，23", None),
        ("3：1", "<num>"),
        ("1.5万", "<num>"),
        ("二十一", "<num>"),
        ("二", None),
        ("第二", "<num>"),
        ("三点五", "<num>"),
        ("百分之五", "<num>"),
        ("1998年", "<date>"),
        ("98年", "<date>"),
        ("998年", None),
        ("12月份", "<date>"),
        ("13月", None),
        ("31日", "<date>"),
        ("32日", None),
        ("24时", "<date>"),
        ("60分", None),
        ("一九九八年", "<date>"),
        ("十二月", "<date>"),
        ("十分", None),
        ("二十", "<num>"),
        ("三十一日", "<date>"),
        ("wifi6", "<latin>"),
        ("t恤", None),
        ("中国", None),
        ("，", None),
    ],
)
def test_a_token_has_the_class_of_its_characters(word: str, kind: str | None) -> None:
    assert counts.token_class(word) == kind


def test_reading_a_corpus_reports_where_it_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("我 爱\n北\xff京".encode("latin-1", "replace") + b"\n\xff\n")
    with pytest.raises(EncodingError, match="line"):
        list(counts.read_segmented(path))
    path.write_text("江/nr 泽民\n", "utf-8")
    with pytest.raises(DictionaryError, match="line 1: '泽民' is not word/tag"):
        list(counts.read_tagged(path))


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(DICTS))
    sys.modules.pop("choose", None)
    import choose

    return choose


def test_choosing_outside_words(choose) -> None:  # type: ignore[no-untyped-def]
    L = Listed
    evidence = choose.Evidence(
        train={
            "喝": 9,
            "自动": 50,
            "驾驶": 50,
            "技术": 90,
            "人员": 90,
            "员": 5,
            "种草": 1,
            "北": 3,
        },
        apart={"技术人员": 7, "种草": 9},
        national={},
        national_apart={"甲乙": 5},
        measures=frozenset("家"),
        surnames=frozenset("张"),
        characters=frozenset("自动驾驶喝奶茶张晓北省甲乙店天拿铁屯技术人员"),
        jieba={"技术人员": L(100, "n"), "奶牛": L(10, "n"), "十二家": L(9, "m"), "罕见": L(3, "a")},
        cutword={"奶茶": L(400, "NN"), "湖北省": L(900, "NR")},
        union={
            "自动驾驶": L(300, "VV"),
            "喝奶茶": L(17, "VV"),
            "张晓": L(90, "NR"),
            "北省": L(910, "NR"),
            "甲乙": L(99, "NN"),
            "4s店": L(99, "NN"),
            "車門": L(300, "NN"),
            "自动": L(3000, "NN"),
            "驾驶": L(2000, "NN"),
            "天": L(30_000_000, "NN"),
        },
        thuocl={"拿铁": L(2000, "food"), "张家屯": L(3000, "diming")},
        jionlp={},
        own={"打卡": "v"},
    )
    chosen = choose.Chooser(evidence, choose.Options()).words()
    assert {w: s for w, (_, s) in chosen.items()} == {
        "奶牛": "jieba",
        "奶茶": "cutword",
        "湖北省": "cutword",
        "自动驾驶": "cutword",
        "拿铁": "thuocl",
        "打卡": "own",
    }
    assert chosen["奶牛"][0] == choose.Options().floor
    assert chosen["奶茶"][0] > chosen["奶牛"][0]
    plain = choose.Chooser(evidence, choose.Options(modern=False)).words()
    assert plain.keys() == {"奶牛", "奶茶", "湖北省"}
    assert choose.Chooser(evidence, choose.Options()).left_out() == {"种草"}
    evidence.own = {"种草": "v"}
    assert choose.Chooser(evidence, choose.Options()).left_out() == set()
