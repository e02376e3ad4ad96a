"""Writes ``segmenter/subword/unicode.tsv``: the properties of characters that patterns use.

    python dicts/make_unicode.py

They come from the package ``tokenizers``, since published files are written for its engine
(Oniguruma), and the names of scripts from the package ``regex``.  The properties are facts of
the Unicode Character Database (Unicode License v3, see NOTICE).
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import regex
import tokenizers as hf

TARGET = Path(__file__).resolve().parents[1] / "segmenter" / "subword" / "unicode.tsv"
UNICODE = "16.0"
CATEGORIES = tuple(
    "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cs".split()  # noqa: SIM905
)
#: Properties that follow from no category: the table's name and what Oniguruma calls it.
OTHERS = {
    "ALPHABETIC": "Alphabetic",
    "LOWERCASE": "Lowercase",
    "UPPERCASE": "Uppercase",
}
LAST = 0x10FFFF
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

HEAD = "# Unicode {unicode}, written by dicts/make_unicode.py with tokenizers {version}\n"


def members(pattern: str) -> list[tuple[int, int]]:
    """Ranges of the matching code points, without surrogates."""
    code_points = [*range(0xD800), *range(0xE000, LAST + 1)]
    text = "".join(map(chr, code_points))
    cut = hf.pre_tokenizers.Split(hf.Regex(pattern + "+"), "removed")
    gaps = [where for _, where in cut.pre_tokenize_str(text)]
    runs_found, i = [], 0
    for a, b in [*gaps, (len(text), len(text))]:
        if i < a:
            runs_found.append((code_points[i], code_points[a - 1]))
        i = b
    categories = []
    for a, b in runs_found:
        categories += [(a, 0xD7FF), (0xE000, b)] if a < 0xD800 and b >= 0xE000 else [(a, b)]
    return categories


def number(value: int) -> str:
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = DIGITS[digit] + digits
    return digits


def runs(values: dict[str, list[tuple[int, int]]]) -> str:
    """Runs as ``length.value`` with blanks between; value "" where none holds."""
    rows = sorted((a, b, name) for name, pairs in values.items() for a, b in pairs)
    runs_found, i = [], 0
    for a, b, name in rows:
        assert a >= i, (name, hex(a))
        if i < a:
            runs_found.append(f"{number(a - i)}.")
        runs_found.append(f"{number(b - a + 1)}.{name}")
        i = b + 1
    return " ".join(runs_found)


def written(name: str, text: str) -> str:
    return f"{name}\t{text}\n"


def main() -> None:
    categories = {name: members(rf"\p{{{name}}}") for name in CATEGORIES if name != "Cs"}
    categories["Cs"] = [(0xD800, 0xDFFF)]
    scripts, names = {}, []
    for long, short in script_names():
        try:
            code_points = members(rf"\p{{{long}}}")
        except Exception:  # a script of a newer Unicode
            continue
        scripts[short] = code_points
        names.append(f"{long}.{short}")
    parts = [HEAD.format(unicode=UNICODE, version=version("tokenizers"))]
    parts.append(written("CATEGORIES", runs(categories)))
    parts.append(written("SCRIPTS", runs(scripts)))
    parts.append(written("SCRIPT_NAMES", " ".join(names)))
    for name, prop in OTHERS.items():
        parts.append(written(name, runs({"x": members(rf"\p{{{prop}}}")})))
    TARGET.write_text("".join(parts), "utf-8")


def script_names() -> list[tuple[str, str]]:
    """Long and short names of scripts, in lower case without blanks."""
    by_number: dict[int, list[str]] = {}
    for key, value in regex._regex_core.PROPERTIES["SCRIPT"][1].items():
        by_number.setdefault(value, []).append(key.lower())
    return [(names[0], names[1 % len(names)]) for value, names in by_number.items() if value]


if __name__ == "__main__":
    main()
