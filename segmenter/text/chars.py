"""The one table of character classes and of length-preserving folding.

Every look-up of the package uses *folded* text: width, case and a few punctuation marks
have one form, code point by code point, so offsets never move.  The kernels have no character
table: the lexicon builder writes this one into every compiled lexicon (sections ``charmap.*``), see
:mod:`segmenter.lexicon.builder`.

>>> fold_str("ＡＢＣ１２３，ok")
'abc123，ok'
>>> char_class(ord("7")) == DIGIT
True
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Class codes, the same numbers as in the kernels (lexicon/lexicon.hpp).
OTHER = 0  # symbols, lone surrogates, unassigned: each character is a candidate token
DIGIT = 1  # 0-9 in either width
LATIN = 2  # letters of the Latin script
HANNUM = 3  # Chinese numerals 一 … 亿
BLANK = 4  # blanks that end no line
LF = 5  # \n
CR = 6  # \r
POINT = 7  # . and ·, decimal point between digits
COLON = 8  # : and /, between digits (scores, times, fractions)
COMMA = 9  # , before exactly three digits
PERCENT = 10  # % and ‰, after a number
MINUS = 11  # - before a number
GREEK = 12
CYRILLIC = 13
KATAKANA = 14
HIRAGANA = 15
HANGUL = 16
LETTER = 17  # letters of every other alphabet (Arabic, Thai, Hebrew, Devanagari, …)
EXTEND = 18  # combining marks, joiners, variation selectors: attached to the character before
HAN = 19  # every Han character that is not a numeral
PUNCT = 20  # punctuation (Unicode category P*) that no rule of numbers uses
ORDINARY = frozenset((OTHER, HAN, PUNCT))  # classes that form no runs
JOINERS = frozenset((POINT, COLON, COMMA, PERCENT, MINUS))  # matter beside digits only

CLASS_NAMES = (
    "other", "digit", "latin", "hannum", "blank", "lf", "cr", "point", "colon", "comma",
    "percent", "minus", "greek", "cyrillic", "katakana", "hiragana", "hangul", "letter", "extend",
    "han", "punct",
)  # fmt: skip

HAN_NUMERALS = "一二三四五六七八九十百千万亿零○〇两"

# ASCII marks; the canonical form is the full-width one, as usual in Chinese text.
_TO_FULL = {ord(a): ord(b) for a, b in zip(",!?;():", "，！？；（）：", strict=True)}
_KEEP_FULL = frozenset(_TO_FULL.values())
_VARIANTS = {
    0x3000: 0x20,
    0x2236: 0xFF1A,  # ∶ ratio
    0x2022: 0xB7,  # • bullet
    0x2027: 0xB7,  # ‧ hyphenation point
    0x30FB: 0xB7,  # ・ katakana middle dot
    0xFF65: 0xB7,  # ･ the same, half width
    0x2212: 0x2D,  # − minus sign
}


def fold(cp: int) -> int:
    """Fold one code point: width, case, middle dots; any other code point is unchanged.

    >>> chr(fold(ord("Ａ"))), chr(fold(ord(","))), chr(fold(ord("國")))
    ('a', '，', '國')
    """
    cp = _VARIANTS.get(cp, cp)
    cp = _TO_FULL.get(cp, cp)
    if cp in _KEEP_FULL:
        return cp
    if 0xFF01 <= cp <= 0xFF5E:
        cp -= 0xFEE0
    if cp < 0x41:
        return cp
    lower = chr(cp).lower()
    return ord(lower) if len(lower) == 1 else cp


class _FoldTable(dict[int, int]):
    def __missing__(self, cp: int) -> int:
        folded = self[cp] = fold(cp)
        return folded


_FOLDED: Mapping[int, int] = _FoldTable()


def fold_str(text: str) -> str:
    """Fold every code point of ``text``; the result has the same length.

    >>> fold_str("Ｔ恤")
    't恤'
    """
    return text.translate(_FOLDED)


_FIXED = {
    **{ord(c): HANNUM for c in HAN_NUMERALS},
    0x0A: LF,
    0x0D: CR,
    ord("."): POINT,
    0xB7: POINT,
    0xFF1A: COLON,
    ord("/"): COLON,
    0xFF0C: COMMA,
    ord("%"): PERCENT,
    ord("‰"): PERCENT,
    ord("-"): MINUS,
    0x200C: EXTEND,
    0x200D: EXTEND,
    0x3099: EXTEND,
    0x309A: EXTEND,
}

_SCRIPTS = (
    ("LATIN", LATIN),
    ("GREEK", GREEK),
    ("CYRILLIC", CYRILLIC),
    ("KATAKANA", KATAKANA),
    ("HIRAGANA", HIRAGANA),
    ("HANGUL", HANGUL),
)


def char_class(cp: int) -> int:
    """Return the class code of a folded code point.

    >>> CLASS_NAMES[char_class(ord("万"))], CLASS_NAMES[char_class(ord("国"))]
    ('hannum', 'han')
    """
    fixed = _FIXED.get(cp)
    if fixed is not None:
        return fixed
    if 0x30 <= cp <= 0x39:
        return DIGIT
    if 0x61 <= cp <= 0x7A:
        return LATIN
    if 0x3400 <= cp <= 0x9FFF or 0xF900 <= cp <= 0xFAFF or 0x20000 <= cp <= 0x3FFFF:
        return HAN
    if 0xD800 <= cp <= 0xF8FF:
        return OTHER
    import unicodedata

    c = chr(cp)
    if c.isspace() or cp == 0xFEFF:
        return BLANK
    category = unicodedata.category(c)
    if category in ("Mn", "Me", "Mc") or 0x1F3FB <= cp <= 0x1F3FF:
        return EXTEND
    if category[0] == "L" and cp < 0x10000:
        name = unicodedata.name(c, "")
        if name.startswith("CJK") or "IDEOGRAPH" in name:
            return OTHER
        for prefix, code in _SCRIPTS:
            if name.startswith((prefix, "HALFWIDTH " + prefix)):
                return code
        return LETTER
    if cp == 0x30FC:
        return KATAKANA
    return PUNCT if category[0] == "P" else OTHER


class _Classes(dict[str, int]):
    def __missing__(self, c: str) -> int:
        code = self[c] = char_class(fold(ord(c)))
        return code


_CLASSES = _Classes()


def classes(text: str) -> bytes:
    """Return the class code of every character of ``text``, which is folded first.

    >>> [CLASS_NAMES[code] for code in classes("Ａ1国")]
    ['latin', 'digit', 'han']
    """
    return bytes(map(_CLASSES.__getitem__, text))
