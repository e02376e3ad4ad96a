"""Damaged, cut, foreign and newer files give an ArtifactError: never a crash, never silence."""

from __future__ import annotations

import glob
import os
import random
import shutil
import tracemalloc
import zlib
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter import artifact
from segmenter.errors import ArtifactError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEADER, ENTRY = 80, 48
SMALL = artifact.pack(
    "lexicon",
    {
        "cost": bytes(range(200)),
        "empty": b"",
        "full": bytes(64),
        "words": "他说的确实在理".encode(),
    },
    {"rows": 7, "source": "test"},
)


def refused(data: bytes | bytearray | memoryview, verify: bool = True) -> str:
    """The message with which ``data`` is refused."""
    with pytest.raises(ArtifactError) as caught:
        artifact.from_bytes(data, "some.lex", verify=verify)
    text = str(caught.value)
    assert text.startswith("some.lex: ")
    assert "segmenter-zh" in text
    return text


def sealed(data: bytearray) -> bytes:
    """``data`` with the CRCs of table and header made right: reaches the checks after them."""
    count = int.from_bytes(data[24:28], "little")
    table = bytes(data[HEADER : HEADER + count * ENTRY])
    data[28:32] = zlib.crc32(table).to_bytes(4, "little")
    data[12:16] = bytes(4)
    data[12:16] = zlib.crc32(bytes(data[:HEADER])).to_bytes(4, "little")
    return bytes(data)


def patched(position: int, value: bytes) -> bytes:
    data = bytearray(SMALL)
    data[position : position + len(value)] = value
    return sealed(data)


def entry(number: int, offset: int = 0) -> int:
    return HEADER + number * ENTRY + offset


def u64(value: int) -> bytes:
    return value.to_bytes(8, "little")


def u32(value: int) -> bytes:
    return value.to_bytes(4, "little")


def test_the_sample_itself_is_sound() -> None:
    opened = artifact.from_bytes(SMALL)
    assert opened.names() == ("cost", "empty", "full", "words")
    assert sealed(bytearray(SMALL)) == SMALL


def test_every_single_flipped_bit_is_refused() -> None:
    data = bytearray(SMALL)
    for position in range(len(data)):
        for bit in range(8):
            data[position] ^= 1 << bit
            try:
                artifact.from_bytes(data)
            except ArtifactError:
                pass
            else:
                pytest.fail(f"bit {bit} of byte {position} flipped and not noticed")
            data[position] ^= 1 << bit
    assert bytes(data) == SMALL


def test_every_byte_replaced_is_refused() -> None:
    rng = random.Random(20261121)
    data = bytearray(SMALL)
    for position, right in enumerate(SMALL):
        for value in {0, 255, right ^ 255, rng.randrange(256), rng.randrange(256)} - {right}:
            data[position] = value
            refused(data)
        data[position] = right


def test_every_truncation_is_refused_in_memory_and_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "cut.lex"
    for length in range(len(SMALL)):
        message = refused(memoryview(SMALL)[:length])
        assert ("empty" if length == 0 else "truncated") in message
        path.write_bytes(SMALL[:length])
        for verify in (True, False):
            with pytest.raises(ArtifactError, match=r"truncated|empty") as caught:
                artifact.open(path, verify=verify)
            assert str(caught.value).startswith(f"{path}: ")


def test_everything_cut_from_the_front_is_refused() -> None:
    for length in range(1, len(SMALL)):
        refused(memoryview(SMALL)[length:])


@pytest.mark.parametrize("extra", [b"\0", b"\n", bytes(64), bytes(4096), SMALL])
def test_trailing_bytes_are_refused(extra: bytes) -> None:
    assert f"has {len(extra)} bytes after its end" in refused(SMALL + extra)
    assert f"has {len(extra)} bytes after its end" in refused(SMALL + extra, verify=False)


def test_random_damage_of_many_bytes_is_refused() -> None:
    rng = random.Random(1998)
    for _ in range(3000):
        data = bytearray(SMALL)
        kind = rng.randrange(4)
        start = rng.randrange(len(data))
        if kind == 0:  # scattered
            for _ in range(rng.randint(2, 40)):
                data[rng.randrange(len(data))] = rng.randrange(256)
        elif kind == 1:  # a burst
            stop = min(len(data), start + rng.randint(2, 300))
            data[start:stop] = rng.randbytes(stop - start)
        elif kind == 2:  # bytes lost in the middle
            del data[start : start + rng.randint(1, 100)]
        else:  # bytes put in
            data[start:start] = rng.randbytes(rng.randint(1, 100))
        if data != SMALL:
            refused(data)


def test_copies_in_text_mode_are_refused() -> None:
    assert "first bytes" in refused(SMALL.replace(b"\r\n", b"\n"))
    assert "first bytes" in refused(SMALL.replace(b"\n", b"\r\n"))
    assert "first bytes" in refused(bytes(byte & 127 for byte in SMALL))


def test_without_verification_damage_stays_within_bounds() -> None:
    """verify=False may miss damage inside a section, but never reads outside the file."""
    missed = 0
    data = bytearray(SMALL)
    for position in range(len(data)):
        data[position] ^= 16
        try:
            opened = artifact.from_bytes(data, verify=False)
        except ArtifactError:
            pass
        else:
            missed += 1
            assert position >= HEADER + 5 * ENTRY
            sizes = [opened.section(name).nbytes for name in opened.names()]
            assert sizes == [200, 0, 64, 21]
            with pytest.raises(ArtifactError):
                opened.verify()
        data[position] ^= 16
    assert missed == len(data) - (HEADER + 5 * ENTRY)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\3\4" + bytes(200), "is not an artifact of segmenter"),
        (b"\x89PNG\r\n\x1a\n" + bytes(200), "is not an artifact of segmenter"),
        ("他\t3\tr\n".encode() * 50, "is not an artifact of segmenter"),
        (bytes(4096), "is not an artifact of segmenter"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "pointer of Git LFS"),
        (b"<", "is not an artifact of segmenter"),
    ],
)
def test_foreign_files_are_refused(data: bytes, message: str) -> None:
    text = refused(data)
    assert message in text
    assert "rebuild it with `segmenter build lexicon" in text


def test_a_newer_version_says_upgrade() -> None:
    for version in (2, 3, 0xFFFFFFFF):
        text = refused(patched(8, u32(version)))
        assert f"made by a newer segmenter: format {version}, this one reads up to 1; " in text
        assert "upgrade" in text
    # Not sealed: a newer format, or damage; both are said.
    data = bytearray(SMALL)
    data[8:12] = u32(2)
    text = refused(data)
    assert "made by a newer segmenter" in text
    assert "header is damaged" in text
    assert "version 0, which never existed" in refused(patched(8, u32(0)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (patched(16, u64(len(SMALL) + 64)), "is truncated"),
        (patched(16, u64(2**64 - 1)), "is truncated"),
        (patched(16, u64(len(SMALL) - 64)), "has 64 bytes after its end"),
        (patched(16, u64(0)), "after its end"),
        (patched(24, u32(2**32 - 1)), "does not fit"),
        (patched(24, u32(0)), "sections end at byte 128"),
        (patched(24, u32(4)), "sections end at byte 960"),
        (patched(32, b"Lexicon\0"), "kind in the header is not a name"),
        (patched(32, bytes(16)), "kind in the header is not a name"),
        (patched(32, b"lex\0con\0"), "kind in the header is not a name"),
        (patched(entry(1), b"co\0t"), "section 1 of the table has no valid name"),
        (patched(entry(1), bytes(24)), "section 1 of the table has no valid name"),
        (patched(entry(1), "词".encode()), "section 1 of the table has no valid name"),
        (patched(entry(2), b"cost\0\0"), "section 'cost' occurs twice"),
        (patched(entry(2), b"aaaa\0\0"), "section 'aaaa' is out of order"),
        (patched(entry(0), b"-meta"), "has no metadata"),
        (patched(entry(1, 24), u64(2**64 - 64)), "section 'cost' is out of range"),
        (patched(entry(1, 24), u64(len(SMALL))), "section 'cost' is out of range"),
        (patched(entry(1, 24), u64(1)), "section 'cost' is misaligned"),
        (patched(entry(1, 24), u64(0)), "section 'cost' overlaps"),
        (patched(entry(2, 24), SMALL[entry(1, 24) : entry(1, 32)]), "section 'empty' overlaps"),
        (patched(entry(1, 24), u64(576)), "section 'cost' leaves a gap"),
        (patched(entry(4, 32), u64(2**64 - 1)), "section 'words' is out of range"),
        (patched(entry(4, 32), u64(len(SMALL))), "section 'words' is out of range"),
        (patched(entry(4, 32), u64(64 * 3)), "section 'words' is out of range|end at byte"),
        (patched(entry(1, 32), u64(330)), "section 'empty' overlaps"),
        (patched(entry(1, 32), u64(0)), "section 'empty' leaves a gap"),
        (patched(entry(1, 44), u32(1)), "unknown form"),
    ],
)
def test_a_wrong_structure_with_right_crcs_is_refused(data: bytes, message: str) -> None:
    """What only a faulty or hostile writer makes; it is refused without verification as well."""
    for verify in (True, False):
        with pytest.raises(ArtifactError, match=message):
            artifact.from_bytes(data, verify=verify)


def test_a_length_changed_within_its_padding_is_refused() -> None:
    # Offsets stay right, the CRC of table and header too: the section's own CRC tells.
    assert "section 'words' is damaged" in refused(patched(entry(4, 32), u64(22)))
    assert "section 'words' is damaged" in refused(patched(entry(4, 32), u64(20)))
    # One zero byte more of zeros is another CRC as well.
    assert "section 'full' is damaged" in refused(patched(entry(3, 32), u64(63)))


def test_padding_is_named() -> None:
    data = bytearray(SMALL)
    data[-1] = 1
    assert "the padding at the end is damaged" in refused(data)
    data = bytearray(SMALL)
    data[HEADER + 5 * ENTRY + 30] = 1
    assert "padding at the end" not in refused(data)


def test_metadata_that_is_no_json_object_is_refused() -> None:
    for text, message in [
        (b"[1]", "not a JSON object"),
        (b"{1:}", "is not JSON"),
        (b'{"\xff":1}', "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
    ]:
        # A writer of its own: the layout of an artifact with only a .meta section.
        body = text + bytes(-(len(text) + 64) % 64 + 64)
        data = bytearray(128) + body
        data[:8] = artifact.MAGIC
        data[8:12] = u32(1)
        data[16:24] = u64(len(data))
        data[24:28] = u32(1)
        data[32:48] = b"k".ljust(16, b"\0")
        data[80:104] = b".meta".ljust(24, b"\0")
        data[104:112] = u64(128)
        data[112:120] = u64(len(text))
        data[120:124] = u32(zlib.crc32(text))
        opened = artifact.from_bytes(sealed(data), "odd.lex")
        with pytest.raises(ArtifactError, match=rf"odd\.lex: .*{message}"):
            _ = opened.meta
        with pytest.raises(ArtifactError, match=message):
            opened.describe()


@pytest.mark.parametrize(
    "data",
    [
        patched(16, u64(2**62)),
        patched(24, u32(2**32 - 1)),
        patched(entry(4, 32), u64(2**62)),
        patched(entry(4, 24), u64(2**62)),
    ],
)
def test_absurd_lengths_allocate_nothing(data: bytes) -> None:
    tracemalloc.start()
    try:
        refused(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"none\.lex: there is no such file; rebuild it"):
        artifact.open(tmp_path / "none.lex")
    with pytest.raises(ArtifactError, match="is a folder"):
        artifact.open(tmp_path)
    with pytest.raises(ArtifactError, match="cannot be read"):
        artifact.open("a\0b")
    (tmp_path / "empty.lex").touch()
    with pytest.raises(ArtifactError, match=r"empty\.lex: the file is empty"):
        artifact.open(tmp_path / "empty.lex")
    with pytest.raises(ArtifactError, match="the file is empty"):
        artifact.from_bytes(b"")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(ArtifactError, match="not a regular file"):  # and does not wait for it
            artifact.open(tmp_path / "pipe")


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.lex"
    path.write_bytes(SMALL)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    with pytest.raises(ArtifactError, match="cannot be read: Permission denied"):
        artifact.open(path)


def damage(path: Path, flips: list[tuple[int, int]], check: Callable[[Path], object]) -> None:
    """Flip each (byte, bit) of the file alone, and see that ``check`` refuses it every time."""
    check(path)
    with open(path, "r+b", buffering=0) as file:
        for position, bit in flips:
            file.seek(position)
            right = file.read(1)[0]
            file.seek(position)
            file.write(bytes([right ^ 1 << bit]))
            try:
                check(path)
            except ArtifactError as error:
                message = str(error)
            else:
                pytest.fail(f"bit {bit} of byte {position} flipped and not noticed")
            file.seek(position)
            file.write(bytes([right]))
            assert message.startswith(f"{path}: ")
    check(path)


def sample(size: int, sections: int, count: int, seed: int) -> list[tuple[int, int]]:
    """One bit in every byte of header and table, the last bytes, and ``count`` others anywhere."""
    rng = random.Random(seed)
    fixed = [*range(HEADER + sections * ENTRY), *range(size - 64, size)]
    return [(position, rng.randrange(8)) for position in fixed] + [
        (rng.randrange(size), rng.randrange(8)) for _ in range(count)
    ]


def test_a_sample_of_a_large_file(tmp_path: Path) -> None:
    rng = random.Random(3)
    path = tmp_path / "large.lex"
    sections = {f"part{number}": rng.randbytes(500_000 + number) for number in range(6)}
    artifact.write(path, "lexicon", sections, {})
    size = path.stat().st_size
    assert size > 3_000_000
    damage(path, sample(size, 7, 300, 5), artifact.open)
    data = path.read_bytes()
    for length in rng.sample(range(size), 40):
        refused(memoryview(data)[:length])


SHIPPED = sorted(glob.glob(str(ROOT / "models" / "*.lex")))


@pytest.mark.skipif(not SHIPPED, reason="no compiled lexicon in models/")
@pytest.mark.parametrize("source", SHIPPED, ids=os.path.basename)
def test_a_sample_of_each_shipped_file(source: str, tmp_path: Path) -> None:
    path = tmp_path / os.path.basename(source)
    shutil.copyfile(source, path)
    opened = artifact.open(path, "lexicon")
    assert opened.meta
    flips = sample(opened.size, len(opened.names()) + 1, 40, 7)
    random.Random(11).shuffle(flips)
    damage(path, flips[:120], artifact.open)
