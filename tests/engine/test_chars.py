"""The one table of characters: folding, classes, and that compiled lexicons carry the same."""

from __future__ import annotations

import sys
import unicodedata

import pytest
import worlds
from hypothesis import given
from hypothesis import strategies as st
from reference.runs import classes_of

from segmenter.lexicon import Lexicon
from segmenter.text import chars

LEXICONS = {
    "default": worlds.lexicon(),
    "jieba": Lexicon.build([("在理", 1, ""), ("T恤", 1, ""), ("𠀀", 1, "")], profile="jieba"),
}


def compiled_class(lexicon: Lexicon) -> list[tuple[int, bool]]:
    """(class, canonical) of every code point, read from the sections of a compiled lexicon."""
    section = lexicon.artifact.section
    bmp = section("charmap.bmp").cast("H").tolist()
    pages = section("charmap.pages").cast("H").tolist()
    blocks = section("charmap.blocks").cast("H").tolist()
    classes = bytes(section("charmap.classes"))
    entries = bmp + [e for page in pages for e in blocks[page * 256 : page * 256 + 256]]
    return [(classes[e & 0x7FFF], not e & 0x8000) for e in entries]


def test_every_code_point_of_a_compiled_lexicon() -> None:
    listed = {ord(c) for word in LEXICONS["default"].words() for c in word}
    table = compiled_class(LEXICONS["default"])
    assert len(table) == sys.maxunicode + 1
    for cp, (code, canonical) in enumerate(table):
        folded = chars.fold(cp)
        if cp < 0x40000 or 0xE0000 <= cp < 0xE0200:
            assert code == chars.char_class(folded), hex(cp)
        else:
            assert code == chars.OTHER, hex(cp)
        if canonical:
            assert folded == cp, hex(cp)
        elif cp in listed:
            assert folded != cp, hex(cp)


def test_the_rest_of_unicode_is_other() -> None:
    """What the compiled map leaves out has no class of its own."""
    for cp in [*range(0x40000, 0xE0000, 37), *range(0xE0200, 0x110000, 37)]:
        assert chars.char_class(chars.fold(cp)) == chars.OTHER


def test_jieba_profile() -> None:
    table = compiled_class(LEXICONS["jieba"])
    for cp in range(0x3000):
        expected = {0x0A: chars.LF, 0x0D: chars.CR}.get(cp, chars.OTHER)
        if chr(cp).isascii() and chr(cp).isalnum():
            expected = chars.LATIN
        assert table[cp][0] == expected, hex(cp)


def test_folding_is_idempotent_and_of_equal_length() -> None:
    for cp in range(sys.maxunicode + 1):
        folded = chars.fold(cp)
        if folded != cp:
            assert chars.fold(folded) == folded, hex(cp)


@given(worlds.any_text)
def test_fold_str(text: str) -> None:
    folded = chars.fold_str(text)
    assert len(folded) == len(text)
    assert folded == "".join(chr(chars.fold(ord(c))) for c in text)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ＡＢｃ１２", "abc12"),
        (",!?;():", "，！？；（）："),
        ("，！？；（）：", "，！？；（）："),
        ("\u3000", " "),
        ("∶", "："),
        ("•‧・･·", "·····"),
        ("−－-", "---"),
        ("％", "%"),
        ("國学", "國学"),  # no variants of Han characters
        ("É", "é"),
        ("İ", "İ"),  # its lower case is two code points
        ("。「」", "。「」"),
        ("\ud800", "\ud800"),
    ],
)
def test_folds(text: str, folded: str) -> None:
    assert chars.fold_str(text) == folded


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ("0123456789", chars.DIGIT),
        ("abczéß", chars.LATIN),
        (chars.HAN_NUMERALS, chars.HANNUM),
        (" \t\xa0\u2003\u2028\x85\x0b\x0c\ufeff", chars.BLANK),
        ("\n", chars.LF),
        ("\r", chars.CR),
        ("αω", chars.GREEK),
        ("яё", chars.CYRILLIC),
        ("カﾊー", chars.KATAKANA),
        ("ひ", chars.HIRAGANA),
        ("한ᄒ", chars.HANGUL),
        ("اกא", chars.LETTER),
        ("\u0301\u200d\ufe0f\u3099\U0001f3fd\U000e0100", chars.EXTEND),
        ("国字鿏㐀𠀀", chars.HAN),
        ("。、「」；！…—《》", chars.PUNCT),
        ("👍①½\ud800\ue000\x00$", chars.OTHER),
    ],
)
def test_classes(members: str, code: int) -> None:
    for c in members:
        assert chars.CLASS_NAMES[chars.char_class(ord(c))] == chars.CLASS_NAMES[code], hex(ord(c))


def test_marks_are_what_unicode_calls_marks() -> None:
    for cp in range(0x20000):
        if unicodedata.category(chr(cp)) in ("Mn", "Me", "Mc"):
            assert chars.char_class(cp) == chars.EXTEND, hex(cp)


@given(st.text("aＡ１,，．.国\u0301\n", max_size=12))
def test_the_runs_of_the_lattice_read_the_same_table(text: str) -> None:
    folded = chars.fold_str(text)
    letters = classes_of(folded)
    assert len(letters) == len(text)
    assert [c == "d" for c in letters] == [chars.char_class(ord(c)) == chars.DIGIT for c in folded]


def test_fold_of_a_compiled_lexicon() -> None:
    lexicon = LEXICONS["default"].native
    assert lexicon.fold("卡拉ＯＫ，Ｔ恤") == "卡拉ok，t恤"
