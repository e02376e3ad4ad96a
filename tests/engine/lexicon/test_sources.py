"""Reading lexicons and n-gram counts as text: formats, and every fault by file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from segmenter.errors import ArgumentError, DictionaryError
from segmenter.lexicon import Lexicon
from segmenter.lexicon.sources import read_ngrams, read_words

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, data: str | bytes, name: str = "words.tsv") -> str:
    path = folder / name
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return str(path)


def test_tsv_with_optional_fields(tmp_path: Path) -> None:
    words = read_words(write(tmp_path, "的\t9\tu\n北京\t4.5\niPhone 15\nC++\t\tnz\n\n#\t1\tw\n"))
    assert words.entries == [
        ("的", 9.0, "u"),
        ("北京", 4.5, ""),
        ("iPhone 15", 1.0, ""),
        ("C++", 1.0, "nz"),
        ("#", 1.0, "w"),
    ]
    assert words.report.format == "tsv"
    assert (words.report.lines, words.report.rows, words.report.faults) == (6, 5, ())


def test_jieba_format(tmp_path: Path) -> None:
    words = read_words(write(tmp_path, "的 318825 uj\n云计算 5\n凱特琳 nz\n台中\n"))
    assert words.report.format == "jieba"
    assert words.entries == [
        ("的", 318825.0, "uj"),
        ("云计算", 5.0, ""),
        ("凱特琳", 1.0, "nz"),
        ("台中", 1.0, ""),
    ]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("iPhone 15\n迈克尔 乔丹\n", "tsv"),  # a second field that is neither count nor tag
        ("的\n一\n", "tsv"),
        ("的 3\n一 2\n京 4\niPhone\t1\n", "jieba"),  # a tab is a blank there
        ("的 3\n", "jieba"),
        ("", "tsv"),
    ],
)
def test_format_by_the_look(tmp_path: Path, text: str, format: str) -> None:
    assert read_words(write(tmp_path, text)).report.format == format


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        # one line of another form among many turns no file
        ("的 9 u\n研究 100 v\n北京\t5\tns\n的 确 实 4\n", 4, "more fields than"),
        ("的\t9\tu\n一\t3\n研究 100 v\n", 3, "has blanks between its fields"),
        ("的 3\n一\t2\n", 1, "has blanks between its fields"),
        ("的 9 u\n研究 100 v\n在 x y\n", 3, "the count 'x'"),
        ("的,9,u\n研究,100,v\n北京\n", 1, "has commas between its fields"),
        ('"的","9"\n"在","4"\n', 1, "has commas between its fields"),
    ],
)
def test_a_line_that_does_not_fit_is_named(tmp_path: Path, text: str, line: int, part: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(DictionaryError, match=part) as caught:
        read_words(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}, line {line}: ")


def test_no_line_of_a_jieba_file_becomes_a_word_whole(tmp_path: Path) -> None:
    lines = [f"词{i} {i + 1} n" for i in range(50)]
    lines[20] = "坏\t行\t3\t4"
    path = write(tmp_path, "\n".join(lines))
    words = read_words(path, errors="skip")
    assert words.report.format == "jieba"
    assert len(words.entries) == 49
    assert [fault.line for fault in words.report.faults] == [21]
    assert not any(" " in word for word, _, _ in words.entries)


def test_a_named_format_is_taken(tmp_path: Path) -> None:
    path = write(tmp_path, "iPhone 15\n")
    assert read_words(path, format="tsv").entries == [("iPhone 15", 1.0, "")]
    assert read_words(path, format="jieba").entries == [("iPhone", 15.0, "")]


def test_classes_are_kinds(tmp_path: Path) -> None:
    text = "的\t9\n<num>\t30\n<date>\t7\n<latin>\t5\n<unk>\t2\n<3\t1\n"
    words = read_words(write(tmp_path, text))
    assert words.kinds == {"<num>": 30.0, "<date>": 7.0, "<latin>": 5.0, "<unk>": 2.0}
    assert [w for w, _, _ in words.entries] == ["的", "<3"]


def test_harmless_findings_are_notes(tmp_path: Path) -> None:
    words = read_words(write(tmp_path, b"\xef\xbb\xbf" + "的\t9\tu\r\n一\t2\r\n".encode()))
    assert words.entries == [("的", 9.0, "u"), ("一", 2.0, "")]
    text = str(words.report)
    assert "byte order mark" in text
    assert "CR LF: 2" in text


FAULTS = [
    ("的\t9\n一\tx\n", 2, "count", "'x'"),
    ("一\t-1\n", 1, "count", "'-1'"),
    ("一\tnan\n", 1, "count", "'nan'"),
    ("一\tinf\n", 1, "count", "'inf'"),
    ("一\t1_0\n", 1, "count", "'1_0'"),
    ("一\t３\n", 1, "count", "'３'"),
    ("的\t1\n\t5\tn\n", 2, "word", "no word"),
    ("的\t1\n一\t1\n的\t2\n", 3, "duplicate", "line 1"),
    ("一\t1\tn\tmore\n", 1, "fields", "more fields"),
    ("一 1 n more\n的\t1\n", None, "", ""),
    ("<s>\t5\n", 1, "class", "<num>"),
    ("<foo>\t5\n", 1, "class", "'<foo>'"),
    ("一\ufffd\t5\n", 1, "word", "U+FFFD"),
    ("一\x00\t5\n", 1, "word", "U+0000"),
    ("一" * 256 + "\t5\n", 1, "word", "256"),
]


@pytest.mark.parametrize(("text", "line", "kind", "part"), FAULTS)
def test_faults_name_file_line_and_reason(
    tmp_path: Path, text: str, line: int | None, kind: str, part: str
) -> None:
    path = write(tmp_path, text)
    if line is None:  # blanks belong to a word of a tsv
        assert read_words(path).entries[0] == ("一 1 n more", 1.0, "")
        return
    with pytest.raises(DictionaryError) as caught:
        read_words(path)
    assert (caught.value.path, caught.value.line) == (path, line)
    assert part in caught.value.reason
    for errors in ("warn", "skip"):
        words = read_words(path, errors=errors)
        assert [(f.line, f.kind) for f in words.report.faults] == [(line, kind)]
        assert len(words.entries) == words.report.lines - 1
        assert words.report.counts() == {kind: 1}
        assert f"{kind} 1" in str(words.report)


def test_gbk_bytes_are_recognised(tmp_path: Path) -> None:
    path = write(tmp_path, "的\t1\n".encode() + "北京大学\t2\n".encode("gbk"))
    with pytest.raises(DictionaryError, match=r"line 2: .*GB18030.*iconv -f gb18030"):
        read_words(path)
    words = read_words(path, errors="skip")
    assert words.entries == [("的", 1.0, "")]
    assert words.report.counts() == {"encoding": 1}


def test_bytes_of_no_encoding(tmp_path: Path) -> None:
    with pytest.raises(DictionaryError, match="line 1: byte 0xff"):
        read_words(write(tmp_path, b"ab\xff\n"))


def test_utf16_is_refused_as_a_whole(tmp_path: Path) -> None:
    path = write(tmp_path, "的\t1\n".encode("utf-16"))
    for errors in ("raise", "skip"):
        with pytest.raises(DictionaryError, match="UTF-16"):
            read_words(path, errors=errors)


def test_a_jieba_line_with_too_many_fields(tmp_path: Path) -> None:
    with pytest.raises(DictionaryError, match=r"line 2: .*as tsv"):
        read_words(write(tmp_path, "的 3 u\n新 型 号 4 n\n"), format="jieba")


def test_of_two_equal_words_of_jieba_the_last_counts(tmp_path: Path) -> None:
    # jieba's own dict.txt has B超 twice, its dict.txt.big more than a thousand words
    path = write(tmp_path, "B超 3 n\n的 9 uj\nB超 5 nz\n<num> 2\n<num> 4\n")
    words = read_words(path, format="jieba")
    assert words.entries == [("B超", 5.0, "nz"), ("的", 9.0, "uj")]
    assert words.kinds == {"<num>": 4.0}
    assert words.report.faults == ()
    assert words.report.notes == ("repeated words: 2 (the last one counts)",)
    assert read_words(path).entries == words.entries


def test_only_ascii_blanks_part_the_fields_of_jieba(tmp_path: Path) -> None:
    path = write(tmp_path, "斯\u3000达5 10 nz\n的 9\tuj\n")
    entries = read_words(path, format="jieba").entries
    assert entries == [("斯\u3000达5", 10.0, "nz"), ("的", 9.0, "uj")]


def test_bad_arguments(tmp_path: Path) -> None:
    path = write(tmp_path, "的\n")
    with pytest.raises(ArgumentError, match="format"):
        read_words(path, format="csv")
    with pytest.raises(ArgumentError, match="errors"):
        read_words(path, errors="ignore")
    with pytest.raises(ArgumentError, match="n: 4"):
        read_ngrams(path, 4)
    with pytest.raises(TypeError, match="path must be"):
        read_words(3)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        read_words(str(tmp_path / "none.tsv"))


def test_ngrams(tmp_path: Path) -> None:
    two = read_ngrams(write(tmp_path, "<s>\t他\t4\n他\t<num>\t1.5\n他\t<any>\t9\n"), 2)
    assert two.rows == [("<s>", "他", 4.0), ("他", "<num>", 1.5), ("他", "<any>", 9.0)]
    three = read_ngrams(write(tmp_path, "<s>\t他\t说\t4\n"), 3)
    assert three.rows == [("<s>", "他", "说", 4.0)]


@pytest.mark.parametrize(
    ("text", "n", "part"),
    [
        ("他\t4\n", 2, "3 fields"),
        ("他\t说\t的\t4\n", 2, "3 fields"),
        ("他\t说\tx\n", 2, "'x'"),
        ("他\t\t3\n", 2, "no word"),
        ("他\t<foo>\t3\n", 2, "'<foo>'"),
        ("<any>\t他\t3\n", 2, "'<any>'"),
        ("他\t说\t<any>\t3\n", 3, "'<any>'"),
    ],
)
def test_faults_of_ngrams(tmp_path: Path, text: str, n: int, part: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(DictionaryError) as caught:
        read_ngrams(path, n)
    assert caught.value.line == 1
    assert part in caught.value.reason
    assert read_ngrams(path, n, errors="skip").rows == []


def test_what_is_read_compiles(tmp_path: Path) -> None:
    words = read_words(write(tmp_path, "北京\t5\tns\n大学\t4\tn\n<num>\t3\n"))
    grams = read_ngrams(write(tmp_path, "北京\t大学\t2\n", "bigrams.tsv"), 2)
    lexicon = Lexicon.build(words.entries, kinds=words.kinds, bigrams=grams.rows)
    assert (lexicon.count("北京"), lexicon.tag("大学")) == (5.0, "n")
    assert lexicon.ngrams is not None
