"""User dictionaries as files: round trips, formats, faults, reloading."""

from __future__ import annotations

import doctest
import io
import os
import random
import threading
import warnings
from typing import TYPE_CHECKING

import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st

import segmenter
from segmenter import (
    ArgumentError,
    ArtifactError,
    DictionaryError,
    DictionaryWarning,
    Segmenter,
    artifact,
    default,
)
from segmenter.lexicon.user import UserDictionary, UserWord, dictionary, entry, files
from segmenter.lexicon.user.files import ReadOptions, read

if TYPE_CHECKING:
    from pathlib import Path

any_string = st.text(st.characters(exclude_categories=()), min_size=1, max_size=8)
#: What formats trip over.
hard_string = st.lists(
    st.sampled_from(
        ["\t", "\n", "\r", "\\", "|", " ", "\ufeff", "\ud800", "#", '"', "\\t", "\0", "词", "a"]
    ),
    min_size=1,
    max_size=6,
).map("".join)
strings = any_string | hard_string
payloads = st.none() | strings | st.integers() | st.lists(strings, max_size=2) | st.booleans()


@st.composite
def entries(draw: st.DrawFn) -> UserWord:
    word = draw(strings)
    level = draw(st.sampled_from(["force", "prefer", "weight", "delete"]))
    parts: tuple[str, ...] = ()
    if level in ("force", "prefer") and len(word) > 1 and draw(st.booleans()):
        cut = draw(st.integers(1, len(word) - 1))
        parts = (word[:cut], word[cut:])
    weight = draw(st.floats(0, 1e12)) if level == "weight" else None
    fold = level == "delete" or draw(st.booleans())
    tag = draw(st.just("") | strings)
    payload = draw(payloads)
    return UserWord(word, level, weight, tag, payload, parts, fold, draw(st.booleans()))


# --- round trips ---------------------------------------------------------------------------------


@settings(max_examples=200)
@given(st.lists(entries(), max_size=8))
def test_every_entry_survives_text(items: list[UserWord]) -> None:
    words = UserDictionary(items)
    for form in ("tsv", "jsonl"):
        text = words.dumps(form)
        assert text.count("\n") == len(words)
        back = UserDictionary.load(text.encode("utf-8"), format=form)
        assert back == words
        assert back.digest == words.digest


def test_files_of_every_form(tmp_path: Path) -> None:
    pick = random.Random(3)
    words = UserDictionary(
        [
            UserWord("".join(pick.choices(worlds.PIECES, k=4)), tag="t", payload=k)
            for k in range(300)
        ]
        + [("𠀀|的确", "split"), ("删", "delete"), ("重", 3.25), "x" * 5000, "x" * 23, "x" * 22]
    )
    for name in ("a.tsv", "a.txt", "a.jsonl", "a.user"):
        path = tmp_path / name
        words.save(path)
        back = UserDictionary.load(path)
        assert back == words
        assert back.without(["x" * 23]).get("x" * 22) is not None
    assert (tmp_path / "a.user").read_bytes()[:4] == b"\x89SEG"
    words.save(tmp_path / "odd", format="compiled")
    assert UserDictionary.load(tmp_path / "odd") == words
    UserDictionary().save(tmp_path / "none.user")
    assert len(UserDictionary.load(tmp_path / "none.user")) == 0
    with pytest.raises(ArgumentError, match="format"):
        words.save(tmp_path / "b", format="xml")
    assert not list(tmp_path.glob("*.tmp"))


def test_the_same_boundaries_from_every_form(tmp_path: Path) -> None:
    items = [("".join(random.Random(k).choices(worlds.PIECES, k=3)), "prefer") for k in range(80)]
    words = UserDictionary(items)
    words.save(tmp_path / "a.user")
    segmenters = [
        Segmenter(worlds.lexicon(), user=u)
        for u in (words, tmp_path / "a.user", UserDictionary.load(words.dumps().encode()))
    ]
    for seed in range(40):
        text = worlds.random_text(seed, 60)
        assert len({tuple(s.cut(text)) for s in segmenters}) == 1
    assert len({s.fingerprint for s in segmenters}) == 1


def test_a_damaged_compiled_dictionary_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.user"
    UserDictionary(["云计算", "C++"]).save(path)
    good = path.read_bytes()
    for offset in range(0, len(good), 37):
        path.write_bytes(good[:offset] + bytes([good[offset] ^ 1]) + good[offset + 1 :])
        if offset >= 8:  # before that it is no compiled file at all
            with pytest.raises(ArtifactError):
                UserDictionary.load(path)
    path.write_bytes(good[:200])
    with pytest.raises(ArtifactError):
        UserDictionary.load(path)
    worlds.lexicon().save(path)
    with pytest.raises(ArtifactError, match="user"):
        UserDictionary.load(path)


# --- reading -------------------------------------------------------------------------------------


def levels(data: bytes, **options: object) -> list[tuple[str, str, float | None, str]]:
    dictionary = UserDictionary.load(data, **options)  # type: ignore[arg-type]
    return [(e.word, e.level, e.weight, e.tag) for e in dictionary]


def test_tsv() -> None:
    data = (
        '\ufeffC++\r\niPhone 15\tforce\r\n\r\n云计算\t50\tn\t{"raw": text}\r\n删\tdelete\n'
        "提\\|出|了\tsplit\tv\nT恤\t\t\t\\j[1]\tfold,inside\n a \\t\\u0041\t1e3\n权\tweight\n"
    ).encode()
    words = UserDictionary.load(data)
    assert [(e.word, e.level, e.weight, e.tag) for e in words] == [
        ("C++", "prefer", None, ""),
        ("iPhone 15", "force", None, ""),
        ("云计算", "weight", 50.0, "n"),
        ("删", "delete", None, ""),
        ("提|出了", "force", None, "v"),
        ("T恤", "prefer", None, ""),
        (" a \tA", "weight", 1000.0, ""),
        ("权", "weight", 1.0, ""),
    ]
    assert words["云计算"].payload == '{"raw": text}'
    assert words["t恤"] == UserWord(
        "T恤", payload=[1], fold=True, inside=True, source="<bytes>", line=7
    )
    assert words["提|出了"].parts == ("提|出", "了")
    report = words.reports[0]
    assert (report.format, report.rows, report.lines) == ("tsv", 8, 9)
    assert any("byte order mark" in note for note in report.notes)


def test_jieba_s_own_example() -> None:
    data = (
        "云计算 5\n李小福 2 nr\n创新办 3 i\neasy_install 3 eng\n好用 300\n韩玉赏鉴 3 nz\n"
        "八一双鹿 3 nz\n台中\n凱特琳 nz\nEdu Trust认证 2000\n"
    ).encode()
    assert (
        levels(data)
        == levels(data, format="jieba")
        == [
            ("云计算", "weight", 5.0, ""),
            ("李小福", "weight", 2.0, "nr"),
            ("创新办", "weight", 3.0, "i"),
            ("easy_install", "weight", 3.0, "eng"),
            ("好用", "weight", 300.0, ""),
            ("韩玉赏鉴", "weight", 3.0, "nz"),
            ("八一双鹿", "weight", 3.0, "nz"),
            ("台中", "prefer", None, ""),
            ("凱特琳", "prefer", None, "nz"),
            ("Edu Trust认证", "weight", 2000.0, ""),
        ]
    )
    assert {row[1] for row in levels(data, level="force")} == {"force"}


def test_a_run_of_blanks_is_read_once() -> None:
    # each blank was taken for the end of the word in turn, and the rest read again
    line = f"词{' ' * 100_000}！"
    assert levels(f"{line}\n".encode(), format="jieba") == [(line, "prefer", None, "")]
    assert levels("词\u3000 5\n".encode(), format="jieba") == [("词\u3000", "weight", 5.0, "")]


def test_words_with_blanks_are_not_taken_for_jieba_s() -> None:
    data = "iPhone 15\nC++\n迈克尔·乔丹\nNew York\nF 16\n".encode()
    assert [row[0] for row in levels(data)] == data.decode().split("\n")[:-1]


def test_deep_nesting_is_a_fault_of_its_line() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    for line, format in (
        (f'{{"word": "甲", "payload": {deep}}}', "jsonl"),
        (f"甲\tprefer\t\t\\j{deep}", "tsv"),
    ):
        with pytest.raises(DictionaryError) as caught:
            UserDictionary.load(f"{line}\n".encode(), format=format)
        assert caught.value.line == 1


def test_jsonl() -> None:
    data = (
        '"C++"\n{"word": "云计算", "weight": 5, "payload": {"id": [1]}}\n'
        '{"word": "提出", "parts": ["提", "出"], "level": "force", "inside": true}\n'
    ).encode()
    words = UserDictionary.load(data, format="jsonl")
    assert words["云计算"].payload == {"id": [1]}
    assert words["提出"].parts == ("提", "出")
    assert words["提出"].inside
    assert words["C++"].line == 1


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "gb18030", "big5", "utf-16", "utf-32-le"]
)
def test_encodings(encoding: str, tmp_path: Path) -> None:
    text = (
        "\ufeff中文\tforce\r\n雲計算\t3\tn\r\n"
        if encoding == "gb18030"
        else "中文\tforce\n雲計算\t3\tn\n"
    )
    path = tmp_path / "words.txt"
    path.write_bytes(text.encode(encoding))
    expected = [("中文", "force", None, ""), ("雲計算", "weight", 3.0, "n")]
    words = UserDictionary.load(path, encoding=encoding)
    assert [(e.word, e.level, e.weight, e.tag) for e in words] == expected
    with open(path, "rb") as file:
        assert UserDictionary.load(file, encoding=encoding) == words
    assert UserDictionary.load(io.BytesIO(path.read_bytes()), encoding=encoding) == words


FAULTS = {
    "a\tb\tc\td\t\tf": "more fields",
    "\tforce": "no word in its first field",
    "词\toften": "neither a level",
    "词\t-3": "neither a level",
    "词\tnan": "neither a level",
    "词\tsplit": "marks no parts",
    "a\\x": "is not an escape",
    "a\\": "is not an escape",
    "\\UFFFFFFFF": "beyond Unicode",
    "词\t\t\t\\j{": "is not JSON",
    "词\t\t\t\tfolding": "is not an option of an entry",
}


@pytest.mark.parametrize(("line", "reason"), FAULTS.items())
def test_faults_are_named_by_file_line_and_reason(line: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text(f"好\tforce\n\n{line}\n坏\tforce\n", "utf-8")
    with pytest.raises(DictionaryError, match=reason) as caught:
        UserDictionary.load(path)
    assert (caught.value.path, caught.value.line) == (str(path), 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        words = UserDictionary.load(path, errors="skip")
    assert [e.word for e in words] == ["好", "坏"]
    report = words.reports[0]
    assert len(report.faults) == sum(report.counts().values()) == 1
    with pytest.warns(DictionaryWarning, match=f"line 3: .*{reason}"):
        assert UserDictionary.load(path, errors="warn") == words


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[1]", "neither a string nor"),
        ('{"word": 5}', "must be str"),
        ('{"word": "a", "wait": 1}', "'wait' is not one of"),
        ('{"word": "a", "weight": "5"}', "is not a number"),
        ('{"word": "a", "parts": "ab"}', "is not a list of strings"),
        ('{"word": "a", "fold": 1}', "must be true or false"),
        ('{"word": ""}', "empty word"),
        ('{"word": "a", "level": "x"}', "is not a level"),
    ],
)
def test_faults_of_json_lines(line: str, reason: str) -> None:
    with pytest.raises(DictionaryError, match=reason):
        read(f'"好"\n{line}\n'.encode(), ReadOptions("jsonl"))


def test_faults_of_encoding() -> None:
    data = "中文\n".encode() + "中文\n".encode("gb18030") + b"ok\n"
    with pytest.raises(
        DictionaryError, match=r"line 2: byte 0xd6 .* is not UTF-8; the line reads as GB18030"
    ):
        UserDictionary.load(data)
    assert levels(data, errors="skip")[1][0] == "ok"
    with pytest.raises(DictionaryError, match="UTF-16"):
        UserDictionary.load("中文\n".encode("utf-16"))
    with pytest.raises(ArgumentError, match="'klingon' is not known"):
        UserDictionary.load(data, encoding="klingon")
    with pytest.raises(DictionaryError, match="is not ascii"):
        UserDictionary.load(data, encoding="ascii")


def test_a_flood_of_warnings_is_summed_up() -> None:
    with pytest.warns(DictionaryWarning) as caught:
        UserDictionary.load(b"a\tbad\n" * 500, errors="warn")
    assert len(caught) == 21
    assert "500 lines left out" in str(caught[-1].message)


def test_wrong_options(tmp_path: Path) -> None:
    for options in ({"format": "xml"}, {"errors": "ignore"}, {"level": "delete"}):
        with pytest.raises(ArgumentError, match=next(iter(options))):
            UserDictionary.load(b"a\n", **options)  # type: ignore[arg-type]
    for bad in (5, None, [5], []):
        with pytest.raises(TypeError, match="source"):
            UserDictionary.load(bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="binary"):
        UserDictionary.load(io.StringIO("a"))  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        UserDictionary.load(tmp_path / "none.tsv")


# --- folders and reloading -----------------------------------------------------------------------


def write(path: Path, text: str, age: int) -> None:
    """Writes a file that looks older by so many seconds: clocks of file systems are coarse."""
    path.write_text(text, "utf-8")
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - age * 10**9))


def test_a_folder_and_its_changes(tmp_path: Path) -> None:
    write(tmp_path / "a.tsv", "甲乙\n乙丙\n", 50)
    write(tmp_path / "b.jsonl", '{"word": "甲乙", "level": "force"}\n', 50)
    write(tmp_path / "notes.md", "不是\n", 50)
    UserDictionary(["编译"]).save(tmp_path / "c.user")
    live = Segmenter(worlds.lexicon(), user=tmp_path)
    assert {e.word: e.level for e in live.user} == {
        "乙丙": "prefer",
        "甲乙": "force",
        "编译": "prefer",
    }
    assert live.reload_if_changed() is live
    extended = live.with_words(["丙丁"]).without(["乙丙"])
    write(tmp_path / "a.tsv", "甲乙\n乙丙\n戊己\n", 40)
    (tmp_path / "b.jsonl").unlink()
    (tmp_path / "c.user").unlink()
    fresh = extended.reload_if_changed()
    assert "编译" in extended.user  # mapped: what is gone from the folder is still whole
    assert {e.word: e.level for e in fresh.user} == {
        "甲乙": "prefer",
        "戊己": "prefer",
        "丙丁": "prefer",
        "乙丙": "delete",
    }
    assert fresh.reload_if_changed() is fresh
    assert len(live.user) == 3
    write(tmp_path / "a.tsv", "甲乙\tbad\n", 30)
    with pytest.raises(DictionaryError, match="line 1"):
        fresh.reload_if_changed()


def test_the_module_reloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "_default", Segmenter(worlds.lexicon()))
    first, second = tmp_path / "one.txt", tmp_path / "two.txt"
    write(first, "甲乙\n", 50)
    write(second, "丙丁\n", 50)
    segmenter.load_userdict(first)
    segmenter.add_word("戊己")
    segmenter.load_userdict(second)
    assert not default.reload_if_changed()
    write(first, "甲乙丙\n", 40)
    assert default.reload_if_changed()
    assert not default.reload_if_changed()
    assert segmenter.cut("甲乙丙丙丁戊己") == ["甲乙丙", "丙丁", "戊己"]
    assert "甲乙" not in default.default_segmenter().user


def test_nothing_to_reload() -> None:
    for words in (UserDictionary(["a"]), UserDictionary.load(b"a\n")):
        with pytest.raises(ArgumentError, match="not loaded from a file"):
            words.reload_if_changed()


def test_the_readers_example() -> None:
    for module in (dictionary, entry, files):
        assert doctest.testmod(module).failed == 0


def test_a_compiled_dictionary_that_would_lead_astray_is_refused(tmp_path: Path) -> None:
    """Checksums right, content not: as somebody could write it on purpose."""
    path = tmp_path / "a.user"
    UserDictionary(["云计算", "C++", ("提|出来", "split"), "长" * 30, ("重", 3)]).save(path)
    art = artifact.open(path, "user")
    good = {name: bytes(art.section(name)) for name in art.names()}
    full = b"\xff\xff\xff\x00"
    for name, bad in {
        "offsets": good["offsets"][:4] + b"\xff\0\0\0" + good["offsets"][8:],
        "flags": good["flags"][:-1],
        "parts": b"\x09\0\0\0",
        "partids": b"\x09\0\0\0",
        "f0.nodes": bytes(len(good["f0.nodes"])),  # no empty place, where a probe would end
        "f0.entries": full * (len(good["f0.entries"]) // 4),
        "f0.skips": full * (len(good["f0.skips"]) // 4),
        "f0.filter": good["f0.filter"] + bytes(4),
    }.items():
        artifact.write(path, "user", {**good, name: bad}, art.meta)
        with pytest.raises(ArtifactError, match="not a user dictionary"):
            UserDictionary.load(path)
    artifact.write(path, "user", good, art.meta)
    assert len(UserDictionary.load(path)) == 5


def test_an_empty_path_is_not_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("他说的\n", "utf-8")
    for source in ("", ["notes.txt", ""]):
        with pytest.raises(ArgumentError, match="source: an empty path"):
            UserDictionary.load(source)


def test_a_folder_to_write_to_is_named(tmp_path: Path) -> None:
    for name in ("x.tsv", "x.jsonl"):
        (tmp_path / name).mkdir()
        with pytest.raises(IsADirectoryError) as caught:
            UserDictionary(["词"]).save(tmp_path / name)
        assert caught.value.filename == str(tmp_path / name)
        assert caught.value.filename2 is None


def test_lines_of_json_are_known_by_their_first(tmp_path: Path) -> None:
    words = UserDictionary(["云计算", ("提|出", "split", "v")])
    rows = words.dumps("jsonl")
    assert UserDictionary.load(rows.encode()) == words
    (tmp_path / "words.txt").write_bytes(b"\xef\xbb\xbf\n" + rows.encode())
    dictionary = UserDictionary.load(tmp_path / "words.txt")
    assert (dictionary, dictionary.check()) == (words, [])
    with pytest.raises(DictionaryError, match=r"line 2: not JSON"):
        UserDictionary.load(rows.splitlines()[0].encode() + b"\n{\n")
    assert '{"word":' in UserDictionary.load(b'a\n{"word":\n')


PAIR = "\ud83d\ude00"  # two code points, which JSON reads as one character


@pytest.mark.parametrize(
    "entry",
    [
        UserWord(PAIR),
        UserWord("云", tag="\ud800"),
        UserWord("云", tag=PAIR),
        UserWord("云", payload={"k": [PAIR]}),
        UserWord(PAIR + "b", "force", parts=(PAIR[0], PAIR[1] + "b")),
    ],
)
def test_lone_surrogates_are_kept(entry: UserWord, tmp_path: Path) -> None:
    words = UserDictionary([entry])
    for name in ("words.tsv", "words.user"):
        words.save(tmp_path / name)
        assert [read.same(entry) for read in UserDictionary.load(tmp_path / name)] == [True]
    if entry.tag == "\ud800":
        assert UserDictionary.load(words.dumps("jsonl").encode()) == words
    else:
        with pytest.raises(ArgumentError, match=r"two adjacent surrogates.*as tsv or compiled"):
            words.dumps("jsonl")


def test_a_source_is_a_str() -> None:
    with pytest.raises(TypeError, match=r"^items: the source of '云' must be str, not NoneType$"):
        UserDictionary([UserWord("云", source=None)])  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """``--user <(...)`` lost its words: the first bytes were read to see whether it is compiled."""
    pipe = tmp_path / "words"
    os.mkfifo(pipe)

    def load(data: bytes) -> UserDictionary:
        writer = threading.Thread(target=lambda: pipe.write_bytes(data), daemon=True)
        writer.start()
        try:
            return UserDictionary.load(pipe)
        finally:
            writer.join(20)

    words = load("云计算\tforce\n 边 \n".encode())
    assert [(w.word, w.source, w.line) for w in words] == [
        ("云计算", str(pipe), 1),
        (" 边 ", str(pipe), 2),
    ]
    assert [fault.kind for fault in words.check()] == ["blank"]
    with pytest.raises(ArgumentError, match=r"a pipe cannot be read again"):
        words.reload_if_changed()
    compiled = tmp_path / "words.user"
    words.save(compiled)
    with pytest.raises(
        ArtifactError, match=r"words: it is a compiled file, not a text; give the path"
    ):
        load(compiled.read_bytes())
    with pytest.raises(
        ArtifactError, match=r"^<bytes>: it is a compiled file, not a text; give the path"
    ):
        UserDictionary.load(compiled.read_bytes())


@pytest.mark.parametrize("level", ["[]", "{}", "0", "false"])
def test_a_level_in_json_is_a_name(level: str) -> None:
    row = f'{{"word": "云计算", "level": {level}}}'
    with pytest.raises(DictionaryError, match=r"line 1: .* of '云计算' is not a level"):
        UserDictionary.load(row.encode())


def test_arguments_of_a_wrong_type_are_named(tmp_path: Path) -> None:
    words = UserDictionary(["云计算"])
    with pytest.raises(TypeError, match=r"^path must be str or os.PathLike, not int$"):
        words.save(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^words must be an iterable of str, not int$"):
        words.without(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^source has no path: name a file or a folder$"):
        UserDictionary.load([])
