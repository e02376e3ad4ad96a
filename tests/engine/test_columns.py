"""Columns of texts: the words of every row are those of ``cut``, whatever the column looks like."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import ArgumentError, EncodingError, Segmenter, load
from segmenter.columns import cut_column

SMALL = worlds.lexicon()
PLAIN = {d: Segmenter(SMALL, decoder=d) for d in worlds.ALL_DECODERS}
WORDS = ["c++", ("他|说", "split"), ("的确", "delete"), ("在理的", 3.0), ("人\n他", "force")]
VARIANTS: dict[str, Segmenter] = {
    "skip": Segmenter(SMALL, skip=("space", "punct")),
    "keep": Segmenter(SMALL, oov="keep", decoder="bigram"),
    "user": PLAIN["unigram"].with_words(WORDS[:4]),
    "user-lines": PLAIN["trigram"].with_words(WORDS),
    "user-skip": Segmenter(SMALL, skip=("punct",), user=WORDS),
    "marisa": Segmenter(SMALL, matcher="marisa"),
}

utf8 = (worlds.texts | worlds.any_text).filter(
    lambda text: not any(0xD800 <= ord(c) < 0xE000 for c in text)
)
rows_of = st.lists(st.none() | utf8, max_size=12)


def column(
    rows: list[str | None], dtype: Any, *, hidden: bytes = b"", before: bytes = b"", bits: int = 0
) -> tuple[bytes, Any, bytes, int]:
    """Bytes, offsets, bitmap and its first bit; ``hidden`` are bytes of rows that are not there."""
    data, offsets = bytearray(before), [len(before)]
    bitmap = bytearray(b"\xa5" * ((len(rows) + bits) // 8 + 1))
    for r, row in enumerate(rows):
        data += hidden if row is None else row.encode()
        offsets.append(len(data))
        index, bit = divmod(r + bits, 8)
        bitmap[index] = bitmap[index] & ~(1 << bit) | (row is not None) << bit
    return bytes(data), np.array(offsets, dtype), bytes(bitmap), bits


def check(segmenter: Segmenter, rows: list[str | None], threads: int, **options: Any) -> None:
    expected = [[] if row is None else segmenter.cut(row) for row in rows]
    for dtype in (np.int32, np.int64):
        data, offsets, bitmap, first = column(rows, dtype, **options)
        got = cut_column(segmenter, data, offsets, bitmap, validity_from=first, threads=threads)
        assert got.to_pylist() == expected
        assert got.lists.dtype == got.words.dtype == offsets.dtype
        assert len(got.lists) == len(rows) + 1
        copies = bool(segmenter.skip)
        copies |= bool(options.get("hidden")) and None in rows
        assert got.copied == copies
        if not copies:
            assert got.data is data
        else:
            assert got.data == "".join(word for row in expected for word in row).encode()
        if None not in rows:
            assert cut_column(segmenter, data, offsets, threads=threads).to_pylist() == expected


@pytest.mark.parametrize("decoder", worlds.ALL_DECODERS)
def test_columns_are_cut_as_rows_by_every_decoder(decoder: str) -> None:
    @settings(max_examples=40)
    @given(rows_of, st.integers(1, 4))
    def each(rows: list[str | None], threads: int) -> None:
        check(PLAIN[decoder], rows, threads)

    each()


@pytest.mark.parametrize("name", VARIANTS)
def test_options_and_words_of_the_user(name: str) -> None:
    @settings(max_examples=60)
    @given(
        rows_of, st.integers(1, 3), st.integers(0, 9), st.sampled_from([b"", b"\xff\x80", b"ab"])
    )
    def each(rows: list[str | None], threads: int, bits: int, hidden: bytes) -> None:
        check(VARIANTS[name], rows, threads, bits=bits, hidden=hidden, before=hidden)

    each()


ODD = [
    [],
    [None],
    [""],
    ["", None, "", ""],
    ["在理\r", "\n他说", "\r", "\n", "\r\n", "\n\n", ""],  # no line end of a row meets one between
    ["他", "\u0301说", "\u200d", "👩\u200d👩\u200d👧", "𠀀人", "\x00"],
    ["人\n他", "人", "他", "人\n"],
    [None, "确实在理", None],
    ["a", "1", "3.", "14", "c", "++", "new", " ", "york"],
    ["的" * 3000, "", "在理" * 9000, None] * 3,  # rows longer than a chunk
]


@pytest.mark.parametrize("rows", ODD, ids=range(len(ODD)))
def test_odd_columns_are_cut_as_rows(rows: list[str | None]) -> None:
    for name in ("user", "user-lines", "skip", "marisa"):
        check(VARIANTS[name], rows, 2, bits=3)
    for decoder in ("unigram", "bigram", "shortest"):
        check(PLAIN[decoder], rows, 3)


def test_many_rows_of_the_shipped_models(shipped: Segmenter) -> None:
    pick = random.Random(7)
    rows: list[str | None] = [
        None if pick.random() < 0.1 else worlds.random_text(seed, pick.randint(0, 12))
        for seed in range(1500)
    ]
    rows = [None if r is None else r.encode("utf-8", "ignore").decode() for r in rows]
    check(shipped, rows, 1)
    check(shipped.with_words(["确实在", ("说的", "delete")]), rows, 3, hidden="字".encode())


def test_taggers_with_options() -> None:
    rows: list[str | None] = ["他说，的确在理。", None, " ", "C++ 和 iPhone 15 都好！\n真的"]
    for preset in ("fast", "balanced"):
        check(load(preset, skip=("space", "punct")), rows, 2)
        check(load(preset, user=["iPhone 15", "好！\n真"]), rows, 2)
        check(load(preset, decoder="unigram", oov="hmm"), rows, 2)


def test_threads_and_chunks_make_no_difference() -> None:
    rows = [worlds.random_text(seed, seed % 40) for seed in range(600)]
    rows = [r.encode("utf-8", "ignore").decode() for r in rows]
    data, offsets, _, _ = column(list(rows), np.int32)
    single = cut_column(PLAIN["unigram"], data, offsets)
    assert single.to_pylist() == [PLAIN["unigram"].cut(row) for row in rows]
    for threads in (2, 7, 64):
        parallel = cut_column(PLAIN["unigram"], data, offsets, threads=threads)
        assert parallel.lists.tolist() == single.lists.tolist()
        assert parallel.words.tolist() == single.words.tolist()


def test_slices_and_strides() -> None:
    data, offsets, bitmap, _ = column(["他说", None, "的确", "在理"], np.int32)
    got = cut_column(PLAIN["unigram"], data, offsets[1:4], bitmap, validity_from=1)
    assert got.to_pylist() == [[], ["的确"]]
    columns = cut_column(PLAIN["unigram"], memoryview(data), np.repeat(offsets, 2)[::2], bitmap)
    assert columns.to_pylist() == [["他", "说"], [], ["的确"], ["在理"]]


@pytest.mark.parametrize("name", ["user", "marisa", "skip"])
def test_what_is_not_utf8(name: str) -> None:
    good = "他说的确".encode()
    surrogate = "\ud800".encode("utf-8", "surrogatepass")
    for bad in (b"\xff", b"\xe4\xbb", surrogate, b"\xf4\x90\x80\x80"):
        data = good + bad + good
        offsets = np.array([0, 12, 12 + len(bad), len(data)], np.int32)
        for threads in (1, 3):
            with pytest.raises(EncodingError, match="data: row 1 is not UTF-8") as got:
                cut_column(VARIANTS[name], data, offsets, threads=threads)
            assert got.value.offset == 12
    # a character may not lie in two rows
    with pytest.raises(EncodingError, match="row 0"):
        cut_column(VARIANTS[name], good, np.array([0, 4, 12], np.int64))
    # what is not there may be anything
    data = b"\xff" + good
    got_column = cut_column(VARIANTS[name], data, np.array([0, 1, 13], np.int32), b"\x02")
    assert got_column.to_pylist() == [[], VARIANTS[name].cut("他说的确")]


@pytest.mark.parametrize("name", ["user", "marisa"])
def test_arguments(name: str) -> None:
    s = VARIANTS[name]
    offsets = np.array([0, 3], np.int32)
    for bad in ([0, 4], [-1, 3], [3, 0]):
        with pytest.raises(ArgumentError, match="offsets: row 0 ends before"):
            cut_column(s, b"abc", np.array(bad, np.int32))
    with pytest.raises(ArgumentError, match=r"offsets: float64 of shape \(2,\)"):
        cut_column(s, b"abc", np.array([0.0, 3.0]))
    with pytest.raises(ArgumentError, match=r"offsets: int32 of shape \(0,\)"):
        cut_column(s, b"", offsets[:0])
    with pytest.raises(ArgumentError, match="validity: 7 bits for 8 rows"):
        cut_column(s, b"", np.zeros(9, np.int64), b"\xff", validity_from=1)
    with pytest.raises(ArgumentError, match="validity_from: -1"):
        cut_column(s, b"abc", offsets, b"\xff", validity_from=-1)
    with pytest.raises(ArgumentError, match="threads: 0"):
        cut_column(s, b"abc", offsets, threads=0)
    with pytest.raises(TypeError, match="data must be bytes"):
        cut_column(s, "abc", offsets)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="offsets must be a NumPy array"):
        cut_column(s, b"abc", [0, 3])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="validity must be bytes"):
        cut_column(s, b"abc", offsets, [True])  # type: ignore[arg-type]
