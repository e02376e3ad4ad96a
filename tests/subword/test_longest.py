"""BPE by the longest pieces first gives what merging gives."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from reference.longest import longest_first, merged, splits_of

from segmenter.subword import BPE

ALPHABET = "中国人民"


@st.composite
def merge_lists(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Merges of pieces before them, their ranks rising or in any order."""
    pieces = list(ALPHABET)
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 15))):
        pair = draw(st.sampled_from(pieces)), draw(st.sampled_from(pieces))
        if pair not in merges and len("".join(pair)) < 8:
            merges.append(pair)
            pieces.append("".join(pair))
    return draw(st.one_of(st.just(merges), st.permutations(merges)))


@given(merge_lists(), st.text(st.sampled_from(ALPHABET), max_size=20))
def test_the_longest_first_are_what_merging_leaves(
    merges: list[tuple[str, str]], word: str
) -> None:
    row = longest_first(word, splits_of(ALPHABET, merges), merges)
    assert row is None or row == merged(word, merges)


def test_merges_of_rising_rank_always_have_a_row() -> None:
    merges = [("中", "国"), ("国", "人"), ("人", "民"), ("中国", "人民"), ("民", "民")]
    splits, draw = splits_of(ALPHABET, merges), Random(1)
    for _ in range(300):
        word = "".join(draw.choices(ALPHABET, k=draw.randint(1, 15)))
        assert longest_first(word, splits, merges) == merged(word, merges)


def test_the_kernel_with_as_many_words_as_a_large_chinese_vocabulary() -> None:
    draw = Random(3)
    alphabet = [chr(0x4E00 + i) for i in range(150)]
    pieces = list(alphabet)
    merges: dict[tuple[str, str], None] = {}
    while len(merges) < 14_000:
        pair = draw.choice(alphabet), draw.choice(alphabet if draw.random() < 0.9 else pieces)
        if len("".join(pair)) <= 6 and "".join(pair) not in pieces[150:][-50:]:
            merges.setdefault(pair)
            pieces.append("".join(pair))
    vocab = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    for byte_level in (False, True):
        if byte_level:
            vocab, rows = spelt(vocab, list(merges))
        else:
            rows = list(merges)
        model = BPE(vocab, rows, byte_level=byte_level)
        assert model.kernel is not None
        for n in (2, 3, 5, 8, 20, 63, 64, 90):
            for _ in range(12):
                text = "".join(
                    draw.choices([*alphabet, "a", "，"] if byte_level else alphabet, k=n)
                )
                assert model.kernel.encode(text)[0] == [piece.id for piece in model.encode(text)]


def spelt(
    vocab: dict[str, int], merges: list[tuple[str, str]]
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """The same pieces in bytes: first those of bytes, then of characters, then the merges."""
    from segmenter.subword.models.model import BYTE_TO_CHAR, byte_chars, to_bytes

    characters = list(BYTE_TO_CHAR.values())
    rows: list[tuple[str, str]] = []
    for piece in vocab:
        if len(piece) == 1:
            first, second, third = byte_chars(to_bytes(piece))
            for pair in ((first, second), (first + second, third)):
                if pair not in rows:
                    rows.append(pair)
                    characters.append("".join(pair))
    rows += [(byte_chars(to_bytes(a)), byte_chars(to_bytes(b))) for a, b in merges]
    characters += ["".join(pair) for pair in rows]
    return {piece: number for number, piece in enumerate(dict.fromkeys(characters))}, rows
