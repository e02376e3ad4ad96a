"""The cases of tests/units.tsv, and the tables of the documents that show them.

python tests/unit_cases.py writes the tables into docs/en and docs/zh.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

PATH = Path(__file__).with_name("units.tsv")
DOCS = PATH.parents[1] / "docs"

#: The pages with a table of these kinds, and the heads of its columns.
PAGES = {
    "numbers.md": ("measure", "within", "clock", "numeral"),
    "atoms.md": ("phone", "code", "latin"),
}
HEADS = {
    "en": ("kind", "tokens"),
    "zh": ("种类", "切分"),
}
NAMES = {
    "measure": ("a numeral and its measure word", "数词与量词"),
    "within": ("limits of time", "期限"),
    "clock": ("times of day", "时刻"),
    "numeral": ("numerals of contracts, days, ordinals", "大写数字、日子、序数"),
    "phone": ("telephone numbers", "电话号码"),
    "code": ("plates, numbers of documents, identifiers", "车牌、证件与订单号、标识符"),
    "latin": ("letters in words", "带字母的词"),
}
SHOWN = 8  # of each kind


class Case(NamedTuple):
    kind: str
    part: str  # build or held
    text: str
    boundaries: frozenset[int]  # places in the text that must be boundaries
    inside: frozenset[int]  # places that must not
    units: tuple[str, ...]  # as in the file, between [ and ]

    def holds(self, words: Sequence[str]) -> bool:
        """Whether the boundaries of these words are those of the case.

        >>> parse("measure", "build", "买[三/本]书").holds(["买", "三", "本", "书"])
        True
        >>> parse("measure", "build", "买[三/本]书").holds(["买", "三本", "书"])
        False
        """
        ends = {0}
        for word in words:
            ends.add(max(ends) + len(word))
        return self.boundaries <= ends and not self.inside & ends


def parse(kind: str, part: str, marked: str) -> Case:
    text = ""
    boundaries: set[int] = set()
    inside: set[int] = set()
    within = False
    for c in marked:
        if c in "[]":
            within = c == "["
            boundaries.add(len(text))
        elif c == "/" and within:
            boundaries.add(len(text))
        else:
            if within:
                inside.add(len(text))
            text += c
    units = tuple(re.findall(r"\[(.+?)\]", marked))
    return Case(kind, part, text, frozenset(boundaries), frozenset(inside - boundaries), units)


def read() -> list[Case]:
    cases = []
    for line in PATH.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            kind, part, marked = line.split("\t")
            cases.append(parse(kind, part, marked))
    return cases


def table(kinds: Sequence[str], language: str) -> str:
    """A table in Markdown: of each kind the first units of the held cases."""
    cases, number = read(), list(HEADS).index(language)
    rows = [f"| {' | '.join(HEADS[language])} |", "|---|---|"]
    for kind in kinds:
        units = [u for c in cases if (c.kind, c.part) == (kind, "held") for u in c.units]
        shown = (
            "、".join(f"`{u}`" for u in units[:SHOWN])
            if number
            else ", ".join(f"`{u}`" for u in units[:SHOWN])
        )
        rows.append(f"| {NAMES[kind][number]} | {shown} |")
    return "\n".join(rows)


def with_table(page: str, kinds: Sequence[str], language: str) -> str:
    """A page with its table between the two comments that mark its place."""
    begin, end = "<!-- units: python tests/unit_cases.py -->", "<!-- end of units -->"
    before, _, rest = page.partition(begin)
    assert end in rest, f"docs/{language}: no place for the table"
    return f"{before}{begin}\n\n{table(kinds, language)}\n\n{end}{rest.partition(end)[2]}"


def main() -> None:
    for language in HEADS:
        for name, kinds in PAGES.items():
            path = DOCS / language / name
            path.write_text(with_table(path.read_text("utf-8"), kinds, language), "utf-8")


if __name__ == "__main__":
    main()
