"""The stages up to the linear tagger that ``best`` corrects; none needs torch.

The tagger is trained on the newspaper, on partial labels from the gold of other conventions
(:func:`recipes.partial.project`), on sentences with annotated entities, and on the written
sentences.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import segmenter
from recipes import entities, linear, partial
from recipes.general_text import main as general_text
from segmenter import artifact
from segmenter.files.atomic import WholeFile
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import Predictor
from segmenter.train.corpus import folded
from segmenter.train.partial import Partly
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segmenter.core import Segmenter

ROOT = Path(__file__).resolve().parent.parent
#: Of the newspaper's tagger, which folds text and projects gold: one run.
NEWSPAPER = replace(linear.SHIPPED["balanced"], runs=1)
#: Of the first tagger and of the halves.
FIRST = replace(linear.TAUGHT["balanced"], runs=1, epochs=8, decay=6e-6)


class Work:
    """Folders of the stages, and what several of them read.

    Args:
        shared: the corpora.
        folder: what is made.
        device: where the network learns.
    """

    def __init__(self, shared: Path, folder: Path, device: str = "cpu") -> None:
        self.shared, self.folder, self.device = shared, folder, device
        self.general = folder / "general"

    @functools.cached_property
    def materials(self) -> linear.Materials:
        """The newspaper and the word lists."""
        tables = self.folder / "dicts"
        return linear.materials("general", "balanced", self.general, self.shared, tables)

    @functools.cached_property
    def fold(self) -> partial.Fold:
        """What brings text to the characters of the models."""
        return Predictor(artifact.open(str(self.folder / "newspaper.model"))).fold

    def tagger(self, name: str) -> Segmenter:
        """A linear tagger that a stage has made."""
        return load_by_name(str(self.folder / f"{name}.model"))

    def lattice(self) -> Segmenter:
        """The bigram lattice of the lexicon without text of today."""
        return segmenter.load(self.folder / "lexicons" / "general.lex", decoder="bigram")

    def write(self, name: str, model: form.LinearModel) -> None:
        """Compiles a linear tagger."""
        sections, meta = compile_model(model)
        artifact.write(str(self.folder / f"{name}.model"), form.KIND, sections, meta)

    def evidence(self) -> dict[str, list[Partly]]:
        """What the stage of that name has written, by source."""
        found: dict[str, list[Partly]] = {}
        with (self.folder / "evidence.jsonl").open(encoding="utf-8") as file:
            for line in file:
                source, words, unsure = json.loads(line)
                found.setdefault(source, []).append(Partly(words, unsure))
        return found


def script(name: str, *arguments: str | Path) -> None:
    """Runs a command of ``dicts/``."""
    subprocess.run([sys.executable, ROOT / "dicts" / name, *arguments], check=True)


def tables(work: Work) -> None:
    """Words and counts of the corpora and lists."""
    script("build.py", "--shared", work.shared, "--out", work.folder / "dicts")


def lexicons(work: Work) -> None:
    """The lattices without text of today."""
    out = work.folder / "lexicons"
    out.mkdir(exist_ok=True)
    script("compile.py", "--tables", work.folder / "dicts", "--out", out, "general")


def text(work: Work) -> None:
    """The newspaper by the standard ``general``."""
    general_text(["--out", str(work.general), "--shared", str(work.shared)])


def newspaper(work: Work) -> None:
    """A tagger of the newspaper alone."""
    found = linear.teach("balanced", work.materials, (), options=NEWSPAPER)
    work.write("newspaper", found.model)


def evidence(work: Work) -> None:
    """Gold of other conventions, projected, and entities: partly labelled, folded sentences.

    Sentences in which the tagger or the lattice crosses an entity stand there twice.
    """
    cut, lattice = work.tagger("newspaper").cut, work.lattice().cut
    own = partial.OwnWords(work.materials.terms, work.fold)
    with WholeFile(work.folder / "evidence.jsonl") as file:

        def write(source: str, rows: Iterable[Partly]) -> None:
            for row in rows:
                given = [source, row.words, list(map(int, row.unsure))]
                file.write((json.dumps(given, ensure_ascii=False) + "\n").encode())

        for name in partial.GOLD:
            gold = partial.read_gold(work.shared / "gold" / name / "train.txt")
            found = partial.project(gold, cut, work.fold)
            write(name, (own.joined(x, leave_open=True) for x in found))
        for marked in entities.read(work.shared / "ner"):
            parts, crossed = entities.partly(marked, [cut, lattice])
            for part in parts:
                row = Partly(folded(part.words, work.fold), part.unsure)
                write("entities", [row] * (2 if crossed else 1))


def ctb(work: Work) -> None:
    """A tagger of the Chinese Treebank: it parts measure words for the standard ``as``."""
    gold = partial.read_gold(work.shared / "gold" / "ctb" / "train.txt")
    given = work.materials._replace(sentences=[folded(words, work.fold) for words in gold])
    work.write("ctb", linear.teach("balanced", given, (), options=NEWSPAPER).model)


def first(work: Work) -> None:
    """The linear tagger that the network corrects."""
    _teach(work, "first", None)


def halves(work: Work) -> None:
    """Two taggers of half the text each, which score the other half for the network."""
    for half in range(2):
        _teach(work, f"half-{half}", half)


def half_of(text: str) -> int:
    """The half of the training text that a folded sentence is in."""
    return zlib.crc32(text.encode()) % 2


def _teach(work: Work, name: str, half: int | None) -> None:
    def kept(text: str) -> bool:
        return half is None or half_of(text) == half

    given = work.materials
    found = [[row for row in rows if kept(row.text)] for rows in work.evidence().values()]
    written = [row for row in partial.read_written(work.fold) if kept(row.text)]
    own = [words for words in given.sentences if kept("".join(words))]
    texts = [*found, *[written] * linear.TIMES]
    trained = linear.teach("balanced", given._replace(sentences=own), texts, options=FIRST)
    work.write(name, trained.model)
