"""Files that somebody made on purpose: each ends soon, as an error that names it."""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING

import mutant_files
import numpy as np
import pytest

from segmenter.errors import ArgumentError, DictionaryError
from segmenter.lexicon.user import UserDictionary, UserWord
from segmenter.subword import BPE, Tokenizer, charsmap, normalise, pretokenise, scanning
from segmenter.subword.formats import sentencepiece, subword_nmt, tiktoken
from segmenter.subword.formats.files import FormatError
from segmenter.subword.normalise import Aligned
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging import model as form

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("field", [44, 3], ids=["unk_surface", "model_type"])
def test_a_field_of_another_wire_type_takes_no_memory(field: int, tmp_path: Path) -> None:
    """``bytes(number)`` would be that many zeros."""
    value: int | bytes = 1 << 40 if field == 44 else b"1"
    data = mutant_files.sentencepiece_model(1)
    data += mutant_files.message((2, mutant_files.message((field, value))))
    path = tmp_path / "x.model"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"x\.model.*wire type"):
        sentencepiece.load(path)


def test_a_map_of_characters_may_lead_back() -> None:
    """What such an array spells has no end; from each place a bounded part of it is followed."""
    units = [1 << 10, *[0] * 511]
    units[1 ^ 0x41] = 0x41 | 0x41 << 10  # its child by the byte 0x41 is itself
    data = struct.pack("<I512I", 2048, *units) + b"\0"
    step = charsmap.SentencePiece(data, add_dummy_prefix=False)
    assert step(Aligned("A" * 100_000)).text == "A" * 100_000


def test_a_map_of_characters_may_lead_outside() -> None:
    """Where the array leads beyond its end is no rule; a replacement beyond the end is empty."""
    units = [0x3FFFFF << 10, *[0] * 511]
    data = struct.pack("<I512I", 2048, *units) + b"\0"
    assert charsmap.SentencePiece(data, add_dummy_prefix=False)(Aligned("A你")).text == "A你"
    units = [1 << 10, *[0] * 511]
    offset = 1 ^ 0x41
    units[offset] = 0x41 | 1 << 8 | (0x100 ^ offset) << 10
    units[0x100] = 0x7FFFFFFF
    data = struct.pack("<I512I", 2048, *units) + b"no end"
    assert charsmap.SentencePiece(data, add_dummy_prefix=False)(Aligned("A你")).text == "你"


def test_a_piece_of_a_megabyte_is_parted_at_the_lengths_that_pieces_have(tmp_path: Path) -> None:
    """Every way to part it would copy half a terabyte."""
    long = b"ab" * 500_000
    rows = [*(bytes([b]) for b in range(256)), b"ab", b"ba", long]
    path = tmp_path / "x.tiktoken"
    path.write_bytes(
        b"".join(b"%s %d\n" % (base64.b64encode(piece), i) for i, piece in enumerate(rows))
    )
    assert tiktoken.load(path, pattern=r"\w+").encode("abab").ids == [256, 256]
    model = mutant_files.sentencepiece_model(2)
    model += mutant_files.message((1, mutant_files.message((1, long), (2, -99.0), (3, 1))))
    path = tmp_path / "x.model"
    path.write_bytes(model)
    assert sentencepiece.load(path).encode("的确").tokens == ["▁", "的确"]


@pytest.mark.parametrize("line", ["a 9" + "9" * 5000, "a", "a b c", "a -1", "a ²"])
def test_a_count_of_any_form_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / "codes").write_text("#version: 0.2\nl o\n", encoding="utf-8")
    (tmp_path / "vocabulary").write_text(f"l@@ 1\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"vocabulary, line 2: ") as caught:
        subword_nmt.load(tmp_path / "codes", tmp_path / "vocabulary", threshold=1)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("rank", ["-1", "9" * 30, "9" * 5000, "x", ""])
def test_a_rank_of_any_form_is_named(rank: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tiktoken"
    path.write_text(f"YQ== 0\nYg== {rank}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"x\.tiktoken, line 2: ") as caught:
        tiktoken.load(path, pattern=".")
    assert len(str(caught.value)) < 400


def test_a_weight_that_no_float_holds() -> None:
    big = 10**400
    with pytest.raises(ArgumentError, match="weight"):
        UserDictionary([("云计算", big)])
    with pytest.raises(ArgumentError, match="weight"):
        UserDictionary([UserWord("云计算", "weight", big)])
    with pytest.raises(TypeError, match="weight"):
        UserDictionary([UserWord("云计算", "weight", "5")])  # type: ignore[arg-type]
    line = b'{"word": "a", "weight": 1' + b"0" * 400 + b"}\n"
    with pytest.raises(DictionaryError, match=r"line 2: .*weight"):
        UserDictionary.load(b'"b"\n' + line, format="jsonl")


_META = 'meta\t{"tags": 4, "classes": 2}'
_ROW = "1 1 1 1"


@pytest.mark.parametrize(
    ("lines", "at"),
    [
        (['meta\t{"tags": 4, "classes": -1}'], 2),
        (['meta\t{"tags": 4, "classes": 99999999999}'], 2),
        (['meta\t{"tags": 4, "classes": "2"}'], 2),
        (["meta\t" + "[" * 9000], 2),
        ([_META, f"pair\t0\t中国人\t{_ROW}"], 3),
        ([_META, f"char\t0\t中国\t{_ROW}"], 3),
        ([_META, "word\t中\t1"], 3),
        ([_META, "word\t中国\t2"], 3),
        ([_META, f"match\t-1\t2\t0\t{_ROW}"], 3),
        ([_META, f"state\t7\t0\t{_ROW}"], 3),
        ([_META, f"state\t0\t0\t{_ROW}"], 3),  # no line says what group 0 is
        ([_META, "group\t0\t5"], 3),
        ([_META, "group\t1\t0"], 3),
        ([_META, f"type\t-1\t{_ROW}"], 3),
        ([_META, "count\t中国\t" + "9" * 5000], 3),
        ([_META, f"pair\t0\t中\udcff\t{_ROW}"], 3),
    ],
)
def test_a_model_as_text_is_named_by_line(lines: list[str], at: int, tmp_path: Path) -> None:
    path = tmp_path / "model.txt"
    text = "\n".join([form.FIRST_LINE, *lines]) + "\n"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DictionaryError, match=rf"model\.txt, line {at}: "):
        form.read(path)


def test_arrays_larger_than_their_file(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    np.savez(path, meta=np.zeros(3))
    data = path.read_bytes().replace(b"'shape': (3,), ", b"'shape': (1<<50", 1)
    for broken in (data, data[:-40], b"PK\3\4", b"", b"\x93NUMPY"):
        path.write_bytes(broken)
        with pytest.raises(DictionaryError, match=r"model\.npz"):
            bilstm_crf.read(path)


@pytest.mark.parametrize("step", [normalise.NFC, normalise.NFD, normalise.NFKC, normalise.NFKD])
def test_a_row_of_marks_is_sorted_once(step: type[normalise.Form]) -> None:
    """Python's own would exchange neighbours two thousand million times."""
    marked = step()(Aligned("a" + "\u0323\u0300" * 60_000)).text
    assert marked[-60_000:] == "\u0300" * 60_000


@pytest.mark.parametrize("pattern", [r"(?>(?:a|aa)+)(?:a|aa)+b", r"(?:a{0,200}){200}b"])
def test_a_pattern_that_backtracks_too_often_is_named(pattern: str) -> None:
    text = "a" * 3000
    with pytest.raises(ArgumentError, match="pattern: it backtracks"):
        scanning.matches(pattern, text)
    split = pretokenise.Split(pattern, regex=True)
    with pytest.raises(ArgumentError, match="pattern: it backtracks"):
        split(Aligned(text), [(0, len(text))])
    tokenizer = Tokenizer(BPE({"a": 0}, []), pretokeniser=split)
    with pytest.raises(ArgumentError, match="pattern: it backtracks"):
        tokenizer.encode(text)
    with pytest.raises(ArgumentError, match="pattern: it backtracks"):
        tokenizer.encode_batch([text])
