"""The folders of the stages, and what several of them read and write there."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import segmenter
from recipes import linear, partial, raw
from recipes.word_lists import installed, read_idioms
from segmenter import artifact
from segmenter.files.atomic import WholeFile
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import Predictor
from segmenter.train.partial import Partly
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from segmenter.core import Segmenter

ROOT = Path(__file__).resolve().parent.parent


class Work:
    """The folders of a stage, and the device where networks learn (``"cpu"`` or ``"cuda"``).

    ``share`` is that of the lines of ``shared``, for text that is read elsewhere.
    """

    def __init__(self, shared: Path, folder: Path, device: str = "cpu", share: float = 1.0) -> None:
        self.shared, self.folder, self.device, self.share = shared, folder, device, share
        self.general = folder / "general"
        self.models = folder / "models"  # files under the names that ship

    def texts(self, standard: str, name: str) -> linear.Materials:
        """Text and lexicons of a linear tagger, see :func:`recipes.linear.materials`."""
        text = self.general if standard == "general" else self.shared / "pku"
        return linear.materials(standard, name, text, self.shared, self.folder / "dicts")

    @functools.cached_property
    def materials(self) -> linear.Materials:
        """The newspaper and the word lists."""
        return self.texts("general", "balanced")

    @functools.cached_property
    def fold(self) -> partial.Fold:
        """Folds text to the characters of the models."""
        return Predictor.open(self.folder / "newspaper.model").fold

    @functools.cached_property
    def idioms(self) -> set[str]:
        """The idioms of published lists, folded."""
        words = read_idioms(installed("jieba", "dict.txt"), self.shared / "lexicons" / "thuocl")
        return set(map(self.fold, words))

    @functools.cached_property
    def lines(self) -> list[raw.Line]:
        """The sample of raw text."""
        return list(raw.sample(self.shared / "raw"))

    def tagger(self, name: str) -> Segmenter:
        """A linear tagger that a stage has made."""
        return load_by_name(str(self.folder / f"{name}.model"))

    def best(self, standard: str) -> Segmenter:
        """The teacher."""
        return load_by_name(str(self.folder / "best.model"), standard=standard)

    def lattice(self) -> Segmenter:
        """The bigram lattice of the lexicon without text of today."""
        return segmenter.load(self.folder / "lexicons" / "general.lex", decoder="bigram")

    def gold(self, name: str, part: str = "train") -> list[list[str]]:
        """Gold of a convention."""
        return partial.read_gold(self.shared / "gold" / name / f"{part}.txt")

    def compile(self, name: str, model: form.LinearModel) -> None:
        """Writes a linear tagger."""
        path = self.folder / f"{name}.model"
        path.parent.mkdir(exist_ok=True)
        sections, meta = compile_model(model)
        artifact.write(str(path), form.KIND, sections, meta)

    def save(self, name: str, rows: Iterable[tuple[str, Partly]]) -> None:
        """Writes partly labelled sentences, each with its source."""
        path = self.folder / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with WholeFile(path) as file:
            for source, row in rows:
                line = [source, row.words, list(map(int, row.unsure))]
                file.write((json.dumps(line, ensure_ascii=False) + "\n").encode())

    def saved(self, name: str) -> Iterator[tuple[str, Partly]]:
        """The sentences that :meth:`save` wrote under that name."""
        with (self.folder / f"{name}.jsonl").open(encoding="utf-8") as file:
            for line in file:
                source, words, unsure = json.loads(line)
                yield source, Partly(words, unsure)


def script(name: str, *arguments: str | Path) -> None:
    """Runs a command of ``dicts/``."""
    subprocess.run([sys.executable, ROOT / "dicts" / name, *arguments], check=True)


def half_of(text: str) -> int:
    """The half of the training text that a folded sentence is in."""
    return zlib.crc32(text.encode()) % 2
