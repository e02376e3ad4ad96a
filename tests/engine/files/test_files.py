"""cut_file: one line in, one line out, any encoding, bounded memory, whole or not at all."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
import threading
import time
from typing import IO, TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import ROOT

from segmenter import artifact
from segmenter.core import Segmenter
from segmenter.errors import ArgumentError, EncodingError
from segmenter.files import cutting, reading
from segmenter.lexicon import Lexicon
from segmenter.lexicon.user import UserDictionary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WORDS = ["他", "说", "的", "的确", "确实", "实在", "在理", "理", "实", "在", "确", "𠮷野"]


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return Segmenter(Lexicon.build([(w, 10.0 if len(w) > 1 else 3.0, "") for w in WORDS]))


def by_lines(segmenter: Segmenter, text: str, sep: str = " ") -> str:
    """What cut gives line by line: the other way to the same result."""
    *lines, last = text.split("\n")
    words = []
    for line in lines:
        body = line.removesuffix("\r")
        words.append(sep.join(segmenter.cut(body)) + line[len(body) :])
    words.append(sep.join(segmenter.cut(last)))
    return "\n".join(words)


def run(segmenter: Segmenter, data: bytes, **options: Any) -> bytes:
    buffer = io.BytesIO()
    segmenter.cut_file(io.BytesIO(data), buffer, **options)
    return buffer.getvalue()


ENDS = st.sampled_from(["\n", "\r\n"])
LINES = st.lists(
    st.text(st.sampled_from("他说的确实在理𠮷野a1 ，。\r\x85\u2028\u3000"), max_size=12), max_size=8
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(lines=LINES, last=st.booleans(), ends=ENDS, chunk=st.integers(1, 40))
def test_same_as_cut_line_by_line_whatever_the_chunks(
    segmenter: Segmenter,
    monkeypatch: pytest.MonkeyPatch,
    lines: list[str],
    last: bool,
    ends: str,
    chunk: int,
) -> None:
    text = ends.join(lines) + (ends if last else "")
    want = by_lines(segmenter, text, "/").encode()
    with monkeypatch.context() as patch:
        patch.setattr(reading, "CHUNK", chunk)
        assert run(segmenter, text.encode(), sep="/") == want
        assert run(segmenter, text.encode(), sep="/", threads=3) == want
        assert run(segmenter, text.encode("utf-16"), sep="/", encoding="utf-16") == want
        assert run(segmenter, text.encode("gb18030"), sep="/", encoding="gb18030") == want
        assert want.decode().replace("/", "") == text


def test_lines_are_counted(segmenter: Segmenter) -> None:
    for text, lines in (("", 0), ("他", 1), ("他\n", 1), ("他\n\n说", 3), ("\n", 1)):
        for encoding in ("utf-8", "utf-16-le"):
            data = text.encode(encoding)
            buffer = io.BytesIO()
            summary = segmenter.cut_file(io.BytesIO(data), buffer, encoding=encoding)
            assert (summary.lines, summary.bytes) == (lines, len(data))
            assert summary.seconds >= 0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("text", ["他说的\r\n确实", "他说", ""])
def test_byte_order_mark_is_dropped(segmenter: Segmenter, encoding: str, text: str) -> None:
    mark = "" if encoding in ("utf-16", "utf-32") else "\ufeff"
    data = (mark + text).encode(encoding)
    assert run(segmenter, data, encoding=encoding).decode() == by_lines(segmenter, text)


def test_only_one_byte_order_mark_is_dropped(segmenter: Segmenter) -> None:
    assert run(segmenter, "\ufeff\ufeff他".encode()).decode() == by_lines(segmenter, "\ufeff他")


def test_a_line_longer_than_a_chunk(segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK", 1000)
    text = "他说的确实在理" * 5000 + "\n他说\n"
    assert run(segmenter, text.encode()).decode() == by_lines(segmenter, text)
    monkeypatch.setattr(reading, "LONGEST_LINE", 50_000)
    for encoding in ("utf-8", "gb18030"):
        with pytest.raises(ArgumentError, match="line 2: longer than"):
            run(segmenter, ("他\n" + text).encode(encoding), encoding=encoding)


def test_bytes_with_a_line_that_is_too_long(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gigabyte in one line took eleven and more."""
    with pytest.raises(ArgumentError, match="utf8, line 1: longer than 256 MB: break it into"):
        segmenter.cut_bytes(bytes((1 << 28) + 1))
    monkeypatch.setattr(reading, "LONGEST_LINE", 5)
    for sound in (b"", b"12345", b"12345\n12345\n", b"\n\n12345\n1\n1\n1\n12345"):
        reading.check_lines(sound, "x")
    for long, line in ((b"123456", 1), (b"12345\n123456\n", 2), (b"\n\n1234567", 3)):
        with pytest.raises(ArgumentError, match=f"x, line {line}: longer"):
            reading.check_lines(long, "x")


class Ahead(io.BytesIO):
    """Counts how far reading is ahead of writing."""

    read_so_far = written = most = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.read_so_far += len(data)
        self.most = max(self.most, self.read_so_far - self.written)
        return data


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK", 1000)
    source = Ahead("他说的确实在理\n".encode() * 5000)

    class Sink(io.BytesIO):
        def write(self, data: Any, /) -> int:
            source.written += len(data)
            return super().write(data)

    cutting.cut_file(lambda data: data, source, Sink())
    assert source.read_so_far == source.written == 5000 * 22
    assert source.most <= 2 * 1000


def test_files_that_take_a_part_at_a_time(segmenter: Segmenter) -> None:
    class Raw(io.RawIOBase):
        taken = b""

        def write(self, data: Any, /) -> int:
            self.taken += bytes(data[:3])
            return min(3, len(data))

    raw = Raw()
    segmenter.cut_file(io.BytesIO("他说的\n".encode()), raw)  # type: ignore[arg-type]
    assert raw.taken.decode() == "他 说 的\n"


BAD = [
    ("utf-8", b"\xe4\xbb\x96\n\xe8\xaf\xb4\xff\n", 2, 7, "0xff"),
    ("utf-8", b"\xef\xbb\xbfa\nb\nc\xe4\xbb", 3, 8, "0xe4"),
    ("utf-8", "他\n".encode() + "北京".encode("gb18030"), 2, 4, "encoding='gb18030'"),
    ("gb18030", "他\n说\n".encode("gb18030") + b"ab\xff\n", 3, 8, "ff"),
    ("gb18030", b"a\n\xc4", 2, 2, "c4"),
    ("big5", b"ab\n\xff\xff\n", 2, 3, "ff"),
    ("utf-16-le", "他\n".encode("utf-16-le") + b"\x00\xd8\x41\x00", 2, 4, "00 d8"),
    ("utf-16-le", "他\n".encode("utf-16-le") + b"\x00", 2, 4, "00"),
    ("ascii", "a\nb他".encode(), 2, 3, "e4"),
]


@pytest.mark.parametrize(("encoding", "data", "line", "offset", "part"), BAD)
@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 1 << 20])
def test_bad_bytes_name_file_line_and_offset(
    segmenter: Segmenter,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    encoding: str,
    data: bytes,
    line: int,
    offset: int,
    part: str,
    chunk: int,
) -> None:
    monkeypatch.setattr(reading, "CHUNK", chunk)
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(data)
    target.write_bytes(b"old")
    with pytest.raises(EncodingError) as caught:
        segmenter.cut_file(source, target, encoding=encoding)
    error = caught.value
    assert (error.path, error.line, error.offset) == (str(source), line, offset)
    assert part in caught.value.reason
    assert "errors='replace'" in caught.value.reason
    assert target.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["in.txt", "out.txt"]

    segmenter.cut_file(source, target, encoding=encoding, errors="replace")
    text = data.decode(encoding, "replace").removeprefix("\ufeff")
    assert target.read_text("utf-8") == by_lines(segmenter, text)


@pytest.mark.parametrize("chunk", [3, 1 << 20])
@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("utf-16", "他\n说\n".encode("utf-16-le")),
        ("utf-32", "他\n说\n".encode("utf-32-be")),
        ("punycode", b"\xff-\xff\n"),
        ("idna", b"a\n\xff\xff\n"),
    ],
)
def test_codecs_that_do_not_say_where(
    segmenter: Segmenter,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    encoding: str,
    data: bytes,
    chunk: int,
) -> None:
    monkeypatch.setattr(reading, "CHUNK", chunk)
    source = tmp_path / "in.txt"
    source.write_bytes(data)
    # with "replace" punycode raises or replaces, by the version of Python
    for errors in ("strict",) if encoding == "punycode" else ("strict", "replace"):
        with pytest.raises(EncodingError) as caught:
            segmenter.cut_file(source, tmp_path / "out.txt", encoding=encoding, errors=errors)
        assert caught.value.path == str(source)
        assert caught.value.line is not None
        assert caught.value.offset is not None


def test_encodings_and_errors_by_name(segmenter: Segmenter) -> None:
    for encoding in ("no-such", "hex", "rot13", "\0"):
        with pytest.raises(ArgumentError, match="encoding"):
            run(segmenter, b"a", encoding=encoding)
    with pytest.raises(ArgumentError, match="errors"):
        run(segmenter, b"a", errors="ignore")
    with pytest.raises(TypeError, match="encoding must be str"):
        run(segmenter, b"a", encoding=None)
    assert run(segmenter, b"\xef\xbb\xbfa", encoding="UTF8") == b"a"
    assert run(segmenter, b"\xef\xbb\xbfa", encoding="utf_8_sig") == b"a"


def test_any_separator_stands_between_words(segmenter: Segmenter) -> None:
    data = "他说的\n".encode()
    assert run(segmenter, data, sep="") == data
    assert run(segmenter, data, sep="／●").decode() == "他／●说／●的\n"
    for sep in ("\n", "a\r", "\ud800"):
        with pytest.raises(ArgumentError, match="sep"):
            run(segmenter, data, sep=sep)
    with pytest.raises(TypeError, match="sep must be str"):
        run(segmenter, data, sep=b" ")
    with pytest.raises(ArgumentError, match="threads"):
        run(segmenter, data, threads=0)


def test_dropped_kinds_keep_the_lines(segmenter: Segmenter) -> None:
    s = Segmenter(segmenter.lexicon, skip={"space", "punct"})
    assert run(s, "他 说，\r\n\n。\n的".encode()).decode() == "他 说\r\n\n\n的"


def test_paths_and_modes(segmenter: Segmenter, tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("他说", "utf-8")
    summary = segmenter.cut_file(str(source), target)
    assert target.read_text("utf-8") == "他 说"
    assert summary.lines == 1
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask
    target.chmod(0o640)
    segmenter.cut_file(source, target, sep="/")
    assert target.read_text("utf-8") == "他/说"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_link_is_written_through(segmenter: Segmenter, tmp_path: Path) -> None:
    source, target, link = tmp_path / "in.txt", tmp_path / "out.txt", tmp_path / "link.txt"
    source.write_text("他说", "utf-8")
    target.write_text("old", "utf-8")
    link.symlink_to(target)
    segmenter.cut_file(source, link)
    assert link.is_symlink()
    assert target.read_text("utf-8") == "他 说"


def test_names_as_long_as_the_system_allows(segmenter: Segmenter, tmp_path: Path) -> None:
    """The temporary file had a longer name than the file: 80 Han characters were too many."""
    source, target = tmp_path / "in.txt", tmp_path / ("说" * 81 + ".txt")
    source.write_text("他说", "utf-8")
    segmenter.cut_file(source, target)
    assert target.read_text("utf-8") == "他 说"
    assert sorted(os.listdir(tmp_path)) == ["in.txt", target.name]


def test_devices_are_written_directly(segmenter: Segmenter, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("他说", "utf-8")
    segmenter.cut_file(source, os.devnull)
    assert not os.path.isfile(os.devnull)
    assert os.path.exists(os.devnull)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_saved_files_go_into_a_pipe_and_do_not_replace_it(tmp_path: Path) -> None:
    """Before, root replaced devices: ``build lexicon words.tsv -o /dev/null``."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []

    def writes(save: Callable[[], None]) -> bytes:
        reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
        reader.start()
        save()
        reader.join(20)
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        assert os.listdir(tmp_path) == ["pipe"]
        return received.pop()

    words = UserDictionary(["云计算"])
    assert writes(lambda: words.save(pipe)).decode("utf-8") == words.dumps()
    packed = artifact.pack("demo", {}, {})
    assert writes(lambda: artifact.write(pipe, "demo", {}, {})) == packed


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no /dev/fd here")
def test_open_files_are_written_by_their_descriptor(segmenter: Segmenter, tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("他说", "utf-8")
    read, write = os.pipe()
    with open(read, "rb") as reader:
        with open(write, "wb") as writer:
            segmenter.cut_file(source, f"/dev/fd/{writer.fileno()}")
        assert reader.read().decode("utf-8") == "他 说"
    with open(target, "wb", buffering=0) as file:
        for part in (b"a ", b" b "):  # what others write to the file stays
            file.write(part)
            segmenter.cut_file(source, f"/dev/fd/{file.fileno()}")
    assert target.read_text("utf-8") == "a 他 说 b 他 说"
    with pytest.raises(OSError, match="/dev/fd/987654"):
        segmenter.cut_file(source, "/dev/fd/987654")


def test_the_source_is_never_overwritten(segmenter: Segmenter, tmp_path: Path) -> None:
    source, link = tmp_path / "in.txt", tmp_path / "link.txt"
    source.write_text("他说", "utf-8")
    link.symlink_to(source)
    for target in (source, link, str(tmp_path / "." / "in.txt")):
        with pytest.raises(ArgumentError, match=r"dst: .* is also the source"):
            segmenter.cut_file(source, target)
    with source.open("rb") as reader, pytest.raises(ArgumentError, match="dst"):
        segmenter.cut_file(reader, source)
    with source.open("ab") as writer, pytest.raises(ArgumentError, match="dst"):
        segmenter.cut_file(source, writer)
    assert source.read_text("utf-8") == "他说"


def test_missing_places_name_what_was_asked_for(segmenter: Segmenter, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    with pytest.raises(FileNotFoundError) as caught:
        segmenter.cut_file(source, tmp_path / "out.txt")
    assert caught.value.filename == str(source)
    assert os.listdir(tmp_path) == []
    source.write_text("他", "utf-8")
    missing = tmp_path / "no" / "out.txt"
    with pytest.raises(FileNotFoundError) as caught:
        segmenter.cut_file(source, missing)
    assert caught.value.filename == str(missing)
    with pytest.raises(IsADirectoryError) as directory_error:
        segmenter.cut_file(source, tmp_path)
    assert directory_error.value.filename == str(tmp_path)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_nothing_half_is_left(tmp_path: Path, error: type[BaseException]) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("他\n" * 100, "utf-8")
    target.write_text("old", "utf-8")

    def cut(data: bytes) -> bytes:
        raise error

    with pytest.raises(error):
        cutting.cut_file(cut, source, target)
    assert target.read_text("utf-8") == "old"
    assert sorted(os.listdir(tmp_path)) == ["in.txt", "out.txt"]


def test_wrong_types(segmenter: Segmenter) -> None:
    good = io.BytesIO()
    with pytest.raises(TypeError, match="src must be"):
        segmenter.cut_file(3, good)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="dst must be"):
        segmenter.cut_file(good, None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="src is a text file"):
        segmenter.cut_file(io.TextIOWrapper(io.BytesIO()), good)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="dst must be"):
        segmenter.cut_file(good, b"out.txt")  # type: ignore[arg-type]


def test_a_dash_means_the_standard_streams(
    segmenter: Segmenter,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("他说\n".encode())))
    segmenter.cut_file("-", "-")
    assert capsysbinary.readouterr().out.decode() == "他 说\n"


def test_a_progress_function_gets_bytes_done_and_all(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(reading, "CHUNK", 10)
    source = tmp_path / "in.txt"
    source.write_text("他说的\n" * 3, "utf-8")
    calls: list[tuple[int, int | None]] = []
    segmenter.cut_file(source, io.BytesIO(), progress=lambda *a: calls.append(a))
    assert calls == [(10, 30), (20, 30), (30, 30)]
    calls.clear()
    segmenter.cut_file(io.BytesIO("他".encode()), io.BytesIO(), progress=lambda *a: calls.append(a))
    assert calls == [(3, None)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_progress_shows_on_a_terminal_only(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch, with_tqdm: bool
) -> None:
    monkeypatch.setattr(reading, "CHUNK", 5)
    now = [0.0]

    def later() -> float:
        now[0] += 0.3
        return now[0]

    monkeypatch.setattr("time.monotonic", later)
    if with_tqdm:
        pytest.importorskip("tqdm")
        monkeypatch.setattr("tqdm.std.time", later)
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    data = "他\n".encode() * 20

    def progress_of(stderr: io.StringIO, run: Callable[[IO[bytes]], object]) -> str:
        monkeypatch.setattr("sys.stderr", stderr)
        run(io.BytesIO(data))
        return stderr.getvalue()

    assert progress_of(io.StringIO(), lambda f: segmenter.cut_file(f, io.BytesIO())) == ""
    assert (
        progress_of(Terminal(), lambda f: segmenter.cut_file(f, io.BytesIO(), progress=False)) == ""
    )
    assert progress_of(Terminal(), lambda f: segmenter.cut_file(f, io.BytesIO())) != ""
    assert (
        progress_of(io.StringIO(), lambda f: segmenter.cut_file(f, io.BytesIO(), progress=True))
        != ""
    )


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_progress_names_the_file_and_ends_at_its_end(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, with_tqdm: bool
) -> None:
    monkeypatch.setattr(reading, "CHUNK", 5)
    now = [0.0]

    def later() -> float:
        now[0] += 0.15  # not every chunk is shown, and the last one may not be
        return now[0]

    monkeypatch.setattr("time.monotonic", later)
    if with_tqdm:
        pytest.importorskip("tqdm")
        monkeypatch.setattr("tqdm.std.time", later)
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    source = tmp_path / "novel.txt"
    source.write_bytes("他\n".encode() * 20)
    stderr = Terminal()
    monkeypatch.setattr("sys.stderr", stderr)
    segmenter.cut_file(source, io.BytesIO(), progress=True)
    last = stderr.getvalue().rstrip("\n").split("\r")[-1]
    assert str(source) in last
    assert "100%" in last
    assert with_tqdm or "s left" in stderr.getvalue()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes there")
def test_a_file_that_cannot_grow_is_named(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    code = f"""
import io, resource, segmenter
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
source = io.BytesIO("他说\\n".encode() * 1000)
try:
    segmenter.load("fast", decoder="unigram").cut_file(source, {str(target)!r})
except OSError as e:
    print(e.filename)
"""
    got = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert got.stdout.strip() == str(target)
    assert os.listdir(tmp_path) == []


def test_lines_end_at_line_feeds_alone() -> None:
    data = "\ufeff他\r\n\n说\x85的".encode()
    assert list(reading.read_lines(io.BytesIO(data))) == [(1, "他"), (2, ""), (3, "说\x85的")]
    assert list(reading.read_lines(io.BytesIO(b"a\rb\r"))) == [(1, "a\rb\r")]
    with pytest.raises(EncodingError, match="<stream>, line 2, byte offset 2"):
        list(reading.read_lines(io.BytesIO(b"a\n\xff")))
    assert list(reading.read_lines(io.BytesIO(b"a\n\xff"), errors="replace")) == [
        (1, "a"),
        (2, "\ufffd"),
    ]


def test_a_pipe_that_does_not_block_is_read_to_its_end() -> None:
    reads, writes = os.pipe()
    os.set_blocking(reads, False)

    def write() -> None:
        with open(writes, "wb", buffering=0) as pipe:
            for line in "他说的\n确", "实\n在理":
                time.sleep(0.05)  # the reader has found nothing by then
                pipe.write(line.encode())

    writer = threading.Thread(target=write)
    writer.start()
    with open(reads, "rb") as pipe:
        assert [text for _, text in reading.read_lines(pipe)] == ["他说的", "确实", "在理"]
    writer.join()


def test_a_file_that_has_nothing_yet_is_an_error() -> None:
    class Empty(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return None  # type: ignore[return-value]

    with pytest.raises(BlockingIOError, match="does not block"):
        list(reading.read_lines(Empty()))
