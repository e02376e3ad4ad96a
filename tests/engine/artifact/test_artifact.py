"""The container: what goes in comes out, aligned, read-only, the same bytes every time."""

from __future__ import annotations

import array
import gc
import os
import subprocess
import sys
import threading
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import artifact
from segmenter.errors import ArgumentError, ArtifactError

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import ReadableBuffer

SECTIONS = {"trie": bytes(range(256)) * 3, "words": "他说的".encode(), "none": b""}
META: dict[str, object] = {"rows": 3, "sources": {"text": "d41d"}, "名": "词典"}
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(artifact.__file__)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.lex"
    artifact.write(path, "lexicon", SECTIONS, META)
    return path


def test_round_trip_through_a_file(file: Path) -> None:
    opened = artifact.open(file, "lexicon")
    assert (opened.path, opened.kind, opened.version) == (str(file), "lexicon", 1)
    assert opened.size == file.stat().st_size == len(artifact.pack("lexicon", SECTIONS, META))
    assert opened.names() == ("none", "trie", "words")
    assert {name: bytes(opened.section(name)) for name in opened.names()} == SECTIONS
    assert opened.meta == META
    assert len(opened.digest) == 64


def test_sections_are_read_only_bytes(file: Path) -> None:
    view = artifact.open(file).section("trie")
    assert (view.readonly, view.format, view.ndim) == (True, "B", 1)
    with pytest.raises(TypeError):
        view[0] = 1
    copied = artifact.from_bytes(file.read_bytes()).section("trie")
    assert copied.readonly


def test_sections_are_aligned_in_memory_and_guarded(file: Path) -> None:
    numpy = pytest.importorskip("numpy")
    odd = memoryview(b"x" + file.read_bytes())[1:]
    for opened in (artifact.open(file), artifact.from_bytes(odd)):
        bytes_mapped = numpy.frombuffer(opened._view, numpy.uint8)
        base = bytes_mapped.__array_interface__["data"][0]
        for name in ("trie", "words"):
            view = opened.section(name)
            start = numpy.frombuffer(view, numpy.uint8).__array_interface__["data"][0]
            assert start % 64 == 0
            end = start - base + view.nbytes
            assert end + 64 <= opened.size
            assert not bytes_mapped[end : end + 64].any()


def test_views_outlive_the_artifact(file: Path) -> None:
    view = artifact.open(file).section("words")
    gc.collect()
    assert str(view, "utf-8") == "他说的"
    if os.name == "posix":
        file.unlink()
        assert str(view, "utf-8") == "他说的"


def test_replacing_a_mapped_file_leaves_the_old_content_mapped(file: Path) -> None:
    if os.name != "posix":
        pytest.skip("a mapped file cannot be replaced on this system")
    old = artifact.open(file)
    artifact.write(file, "lexicon", {"words": b"new"}, {})
    assert bytes(old.section("words")) == SECTIONS["words"]
    assert bytes(artifact.open(file).section("words")) == b"new"


def test_bytes_are_deterministic_and_independent_of_order() -> None:
    packed = artifact.pack("lexicon", SECTIONS, META)
    reordered = artifact.pack(
        "lexicon", dict(reversed(SECTIONS.items())), dict(reversed(META.items()))
    )
    assert packed == reordered
    program = (
        "import segmenter.artifact as a, sys;"
        "sys.stdout.buffer.write(a.pack('k', {'b': b'1', 'a': b'2'}, {'y': 1, 'x': [2.5]}))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.path.dirname(PACKAGE)},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {artifact.pack("k", {"a": b"2", "b": b"1"}, {"x": [2.5], "y": 1})}


def test_layout_is_the_documented_one() -> None:
    # Written from the layout in the module's docstring, so that a change of format is noticed.
    data = artifact.pack("demo", {"w": b"abc"}, {})
    assert data[:8] == b"\x89SEG\r\n\x1a\n"
    assert int.from_bytes(data[8:12], "little") == 1
    assert int.from_bytes(data[12:16], "little") == zlib.crc32(data[:12] + bytes(4) + data[16:80])
    assert int.from_bytes(data[16:24], "little") == len(data) == 448
    assert int.from_bytes(data[24:28], "little") == 2
    assert int.from_bytes(data[28:32], "little") == zlib.crc32(data[80:176])
    assert data[32:48] == b"demo" + bytes(12)
    assert data[80:104] == b".meta" + bytes(19)
    assert data[128:152] == b"w" + bytes(23)
    offset = int.from_bytes(data[152:160], "little")
    assert (offset, data[offset : offset + 3]) == (320, b"abc")
    assert int.from_bytes(data[160:168], "little") == 3
    assert int.from_bytes(data[168:172], "little") == zlib.crc32(b"abc")
    assert data[192:194] == b"{}"


def test_digest_is_the_identity_of_kind_sections_and_meta() -> None:
    def digest(kind: str, sections: dict[str, bytes], meta: dict[str, object]) -> str:
        return artifact.from_bytes(artifact.pack(kind, sections, meta)).digest

    base = digest("k", {"a": b"12", "b": b"3"}, {"m": 1})
    assert base == digest("k", {"b": b"3", "a": b"12"}, {"m": 1})
    # Without the lengths in it, a section could pose as two.
    two_in_one = b"12" + b"b".ljust(24, b"\0") + b"3"
    changed = [
        digest("k", {"a": two_in_one}, {"m": 1}),
        digest("l", {"a": b"12", "b": b"3"}, {"m": 1}),
        digest("k", {"a": b"1", "b": b"23"}, {"m": 1}),
        digest("k", {"a": b"12", "c": b"3"}, {"m": 1}),
        digest("k", {"a": b"12", "b": b"3"}, {"m": 2}),
        digest("k", {"a": b"12", "b": b"3", "c": b""}, {"m": 1}),
    ]
    assert len({base, *changed}) == len(changed) + 1


def test_buffers_of_any_item_are_taken_as_bytes() -> None:
    numbers = array.array("i", [1, -2, 3])
    sections: dict[str, ReadableBuffer]
    sections = {"array": numbers, "bytearray": bytearray(b"xy"), "view": memoryview(b"abcd")[1:3]}
    opened = artifact.from_bytes(artifact.pack("k", sections, {}))
    assert opened.section("array").cast("i").tolist() == [1, -2, 3]
    assert bytes(opened.section("bytearray")) == b"xy"
    assert bytes(opened.section("view")) == b"bc"


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.text("abz09_-", min_size=1, max_size=24), st.binary(max_size=300), max_size=8
    ),
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])),
        st.none() | st.booleans() | st.integers() | st.text("的a\0") | st.lists(st.integers()),
        max_size=4,
    ),
)
def test_any_sections_and_meta_round_trip(
    sections: dict[str, bytes], meta: dict[str, object]
) -> None:
    opened = artifact.from_bytes(artifact.pack("k", sections, meta))
    assert {name: bytes(opened.section(name)) for name in opened.names()} == sections
    assert opened.meta == meta


def test_from_bytes_does_not_share_memory_with_its_argument() -> None:
    data = bytearray(artifact.pack("k", {"a": b"abc"}, {}))
    opened = artifact.from_bytes(data)
    data[:] = bytes(len(data))
    assert bytes(opened.section("a")) == b"abc"
    opened.verify()


def test_meta_is_a_new_dict_each_time(file: Path) -> None:
    opened = artifact.open(file)
    opened.meta["rows"] = 4
    assert opened.meta == META


def test_describe_tells_kind_digest_sections_and_meta(file: Path) -> None:
    opened = artifact.open(file)
    lines = opened.describe().splitlines()
    assert lines[0] == f"{file}: lexicon, format 1, {opened.size:,} bytes"
    assert lines[1] == f"digest {opened.digest}"
    table = {line.split()[0]: line.split()[-1] for line in lines[3:7]}
    assert table == {".meta": table[".meta"], "none": "0", "trie": "768", "words": "9"}
    assert lines[7:] == ["rows = 3", 'sources = {"text": "d41d"}', '名 = "词典"']
    assert opened.digest[:12] in repr(opened)


def test_missing_section_and_wrong_kind_name_file_and_remedy(file: Path) -> None:
    opened = artifact.open(file)
    with pytest.raises(ArtifactError, match=r"no section 'tire' \(it has: none, trie, words\)"):
        opened.section("tire")
    with pytest.raises(ArtifactError, match=r"no section '\.meta'"):
        opened.section(".meta")
    with pytest.raises(
        ArtifactError, match="is of kind 'lexicon', where 'tagger' is expected"
    ) as e:
        artifact.open(file, "tagger")
    assert str(file) in str(e.value)
    assert "segmenter build lexicon" in str(e.value)
    with pytest.raises(ArtifactError, match="given: is of kind"):
        artifact.from_bytes(file.read_bytes(), "given", "tagger")


@pytest.mark.parametrize(
    ("kind", "sections", "meta", "message"),
    [
        ("", {}, {}, "kind ''"),
        ("k" * 17, {}, {}, "1 to 16"),
        ("Lexicon", {}, {}, "a-z"),
        ("词典", {}, {}, "kind"),
        ("k", {"": b""}, {}, "section name ''"),
        ("k", {"a" * 25: b""}, {}, "1 to 24"),
        ("k", {"a b": b""}, {}, "section name 'a b'"),
        ("k", {"a\0": b""}, {}, "section name"),
        ("k", {"a\udc00": b""}, {}, "section name"),
        ("k", {".meta": b""}, {}, "reserved"),
        ("k", {"a": memoryview(b"abcd")[::2]}, {}, "section 'a' must be contiguous"),
        ("k", {}, {"x": object()}, "meta cannot be written"),
        ("k", {}, {"x": float("nan")}, "meta cannot be written"),
    ],
)
def test_what_cannot_be_packed_is_named(
    kind: str, sections: dict[str, bytes], meta: dict[str, object], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        artifact.pack(kind, sections, meta)


def test_wrong_types_name_the_argument(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="kind must be str, not bytes"):
        artifact.pack(b"k", {}, {})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="section 'a' must be a bytes-like object, not str"):
        artifact.pack("k", {"a": "text"}, {})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="meta must be a mapping, not int"):
        artifact.pack("k", {}, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="key 1 of meta must be str"):
        artifact.pack("k", {}, {1: 2})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"path must be str or os\.PathLike, not int"):
        artifact.open(0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="path must be str"):
        artifact.write(None, "k", {}, {})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="data must be a bytes-like object, not str"):
        artifact.from_bytes("text")  # type: ignore[arg-type]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_bytes()

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ArtifactError, match="cannot be written: Permission denied") as caught:
        artifact.write(file, "lexicon", {}, {})
    assert str(file) in str(caught.value)
    assert file.read_bytes() == before
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_an_interrupted_write_leaves_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = file.read_bytes()
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        artifact.write(file, "lexicon", {}, {})
    assert file.read_bytes() == before
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_writing_into_a_missing_folder_is_an_artifact_error(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="cannot be written"):
        artifact.write(tmp_path / "none" / "a.lex", "k", {}, {})


def test_writers_at_once_never_show_a_half_file(tmp_path: Path) -> None:
    path = tmp_path / "a.lex"
    contents = [bytes([value]) * 200_000 for value in range(4)]
    artifact.write(path, "k", {"a": contents[0]}, {})
    errors: list[bytes] = []
    failures: list[Exception] = []

    def writer(content: bytes) -> None:
        try:
            for _ in range(5):
                artifact.write(path, "k", {"a": content}, {})
                errors.append(bytes(artifact.open(path).section("a")))
        except (ArtifactError, OSError) as error:
            failures.append(error)

    threads = [threading.Thread(target=writer, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(errors) == 20
    assert set(errors) <= set(contents)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.lex"]


def test_writing_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.lex", tmp_path / "link.lex"
    artifact.write(real, "k", {"a": b"1"}, {})
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("no symbolic links here")
    artifact.write(link, "k", {"a": b"2"}, {})
    assert link.is_symlink()
    assert bytes(artifact.open(real).section("a")) == b"2"


def test_opening_without_verification_reads_no_section(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    offset = artifact.open(file).facts()["sections"]["trie"]["offset"]
    raw[offset] ^= 1
    file.write_bytes(raw)
    assert "trie" in artifact.open(file, verify=False).names()
    with pytest.raises(ArtifactError, match="trie"):
        artifact.open(file)


def test_importing_is_light() -> None:
    # A bare package in place of the real one: this is about these rooms, not about __init__.
    program = f"""
import sys, types
package = types.ModuleType("segmenter")
package.__path__ = [{PACKAGE!r}]
sys.modules["segmenter"] = package
before = set(sys.modules)
import segmenter.artifact, segmenter.files.resources, segmenter.errors
print(*sorted(set(sys.modules) - before))
"""
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.split()
    modules = ["artifact", "artifact.packing", "errors", "files", "files.resources", "kernels"]
    imported = [name for name in printed if name.startswith("segmenter.")]
    bindings = ("_engine", "_lexicon", "_models", "_opening", "_tokens")
    modules += [f"kernels.{name}" for name in bindings]
    assert imported == [f"segmenter.{name}" for name in modules]
    assert not set(printed) & {"numpy", "json", "re", "typing", "contextlib", "tempfile", "hashlib"}
