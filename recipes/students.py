"""The stages that make the other files: students of ``best``, and files that need no teacher.

``general`` and the conventions are trained on raw text and sentences with entities labelled by
``best``, on gold and on the written sentences (:mod:`recipes.reading`).  No previously shipped
file is read.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from recipes import (
    first,
    idf,
    linear,
    measure_words,
    partial,
    pos,
    pos_lessons,
    pos_teacher,
    raw,
    reading,
    standards,
    subword,
)
from recipes.first import script
from segmenter import artifact
from segmenter.files.atomic import WholeFile
from segmenter.loading import load_by_name
from segmenter.subword import SHIPPED
from segmenter.train import bilstm
from segmenter.train.corpus import folded
from segmenter.train.joint import save_arrays
from segmenter.train.partial import Partly
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.decompile import decompile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from segmenter.core import Segmenter

#: A share of the raw text gets a particle before its full stop (:func:`partial.with_particles`).
PARTICLES = 0.2
#: Weight of the linear tagger's scores in each standard; conventions with their own gold take none.
WEIGHTS = {"general": 1.25, "pku": 1.0}
#: Margins of the linear taggers (nats) from which a clause is not read.
SURE = {"general": 2.0, "pku": 2.0}
TAGGERS = {"general": "general-balanced.model", "pku": "pku-balanced.model"}
CARRIED = 2  # occurrences of a gold word that the network finds by the trie of `balanced`
ENTITIES = 2  # times that the sentences with entities stand in the text of the linear taggers
WRITTEN_IN_TODAY = 4  # times that the written sentences stand in the text of the lexicon's counts


class Work(first.Work):
    """Folders of the stages, and what several of them read."""

    @property
    def models(self) -> Path:
        """Files under the names that ship."""
        return self.folder / "models"

    @functools.cached_property
    def lines(self) -> list[raw.Line]:
        """The sample of raw text."""
        return list(raw.sample(self.shared / "raw"))

    def best(self, standard: str) -> Segmenter:
        """The teacher."""
        return load_by_name(str(self.models / "best.model"), standard=standard)

    def readings(self, name: str) -> Iterator[tuple[str, Partly]]:
        """What was written under that name, with the source of each sentence."""
        with (self.folder / "readings" / f"{name}.jsonl").open(encoding="utf-8") as file:
            for line in file:
                source, words, unsure = json.loads(line)
                yield source, Partly(words, unsure)


def given(work: Work, folder: str, digests: dict[str, str]) -> None:
    """Takes the teacher from a folder instead of making it."""
    work.models.mkdir(exist_ok=True)
    for name in digests:
        artifact.write_whole(str(work.models / name), (Path(folder) / name).read_bytes())


def save(work: Work, name: str, rows: Iterable[tuple[str, Partly]]) -> None:
    """Writes labelled sentences, each with its source."""
    path = work.folder / "readings" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with WholeFile(path) as file:
        for source, row in rows:
            line = [source, folded(row.words, work.fold), list(map(int, row.unsure))]
            file.write((json.dumps(line, ensure_ascii=False) + "\n").encode())
    print(f"{name}: {path.stat().st_size:,} bytes", flush=True)


def readings(work: Work) -> None:
    """What ``best`` reads by ``general``, and gold of the others as ``general`` has it."""
    own = partial.OwnWords(work.materials.terms, work.fold)
    segmenter = work.best("general")

    def rows() -> Iterator[tuple[str, Partly]]:
        given = reading.of_general(work.lines, work.shared / "ner", reading.GENERAL)
        for source, row in reading.read(segmenter, given):
            yield source, own.joined(row, leave_open=False)
        for convention in (*partial.GOLD, *partial.MORE_GOLD):
            gold = partial.read_gold(work.shared / "gold" / convention / "train.txt")
            for row in partial.project(gold, segmenter.cut, str):
                yield convention, own.joined(row, leave_open=True)

    save(work, "general", rows())


def conventions(work: Work) -> None:
    """What ``best`` reads by the other conventions."""
    for name in reading.DOMAINS:
        given = reading.of_convention(work.lines, name, reading.OWN)
        save(work, f"conventions/{name}", reading.read(work.best(name), given))


def taught(work: Work, most: int = reading.GENERAL) -> dict[str, list[Partly]]:
    """The partly labelled texts of ``general``, by source; raw text as one.

    Args:
        most: sentences of each file of raw text.
    """
    found: dict[str, list[Partly]] = {"raw": []}
    for source, row in work.readings("general"):
        if not source.startswith(reading.RAW):
            found.setdefault(source, []).append(row)
        elif int(source.removeprefix(reading.RAW)) <= most:
            found["raw"].append(row)
    found["raw"] = list(partial.with_particles(found["raw"], PARTICLES))
    return {**found, "written": partial.read_written(work.fold)}


def taggers(work: Work) -> None:
    """``fast`` and ``balanced`` of ``general``."""
    found = taught(work)
    texts = [*found.values(), *[found["written"]] * (linear.TIMES - 1)]
    texts += [found["entities"]] * (ENTITIES - 1)
    counts: Counter[str] = Counter()
    for name in standards.OWN_GOLD:
        for words in own_gold(work, name, "train"):
            counts.update(folded(words, work.fold))
    carried = {word for word, count in counts.items() if count >= CARRIED}
    for name in linear.TAUGHT:
        given = linear.materials("general", name, work.general, work.shared, work.folder / "dicts")
        more = carried if name == "balanced" else set()
        model = linear.teach(name, given, texts, more).model
        write(work, f"general-{name}", model)


def write(work: Work, name: str, model: form.LinearModel) -> None:
    """Compiles a linear tagger under a name that ships."""
    sections, meta = compile_model(model)
    artifact.write(str(work.models / f"{name}.model"), form.KIND, sections, meta)


def benchmark(work: Work) -> None:
    """The taggers of the newspaper alone: ``pku``, and the HMM of both standards."""
    given: dict[str, Any] = {"shared": work.shared, "out": work.models}
    tables = work.folder / "dicts"
    linear.build("pku", ("balanced", "fast", "hmm"), work.shared / "pku", dicts=tables, **given)
    linear.build("general", ("hmm",), work.general, dicts=tables, **given)


def lexicon(work: Work) -> None:
    """Tables and lattices with the words of today."""
    today, rest = work.folder / "today.txt", work.folder / "rest.txt"
    found = taught(work)
    texts = [row.words for rows in found.values() for row in rows]
    texts += [row.words for row in found["written"]] * (WRITTEN_IN_TODAY - 1)
    artifact.write_whole(str(today), "".join(" ".join(x) + "\n" for x in texts).encode())
    balanced = work.models / "general-balanced.model"
    cut = load_by_name(str(balanced)).cut
    with WholeFile(rest) as file:
        for line in raw.rest(work.shared / "raw"):
            words = [word for word in cut(line.text) if not word.isspace()]
            file.write((" ".join(words) + "\n").encode())
    tables = work.models / "dicts"
    script(
        "build.py", "--shared", work.shared, "--out", tables, "--today", today, "--rest", rest,
        "--taggers", balanced, work.models / "best.model",
    )  # fmt: skip
    script("compile.py", "--tables", tables, "--out", work.models, "general", "pku", "small")


def own_gold(work: Work, name: str, part: str) -> list[list[str]]:
    """Gold of a convention; of ``as`` the Sinica treebank's with its measure words apart."""
    folder = work.shared / "gold" / ("sinica" if name == "as" else name)
    gold = partial.read_gold(folder / f"{part}.txt")
    if name != "as":
        return gold
    cut = work.tagger("ctb").cut
    return [measure_words.parted(words, cut) for words in gold]


def network(work: Work) -> None:
    """Trains the network of all standards."""
    names = (*standards.OWN_GOLD, "as")
    gold = {name: (own_gold(work, name, "train"), own_gold(work, name, "dev")) for name in names}
    read = {
        name: [row for _, row in work.readings(f"conventions/{name}")] for name in reading.DOMAINS
    }
    tables = work.folder / "dicts"
    general = linear.materials("general", "balanced", work.general, work.shared, tables)
    pku = linear.materials("pku", "balanced", work.shared / "pku", work.shared, tables)
    national = str(work.shared / "national" / "segmented.txt")
    texts = taught(work, reading.NETWORK)
    of = standards.lessons(general, pku, texts, gold, national, work.fold, read)
    path = work.folder / "standards.npz"
    trained, _ = bilstm.train(
        of.parts, of.vocab, of.n_classes, standards.OPTIONS,
        checkpoint=f"{path}.checkpoint", resume=True,
        progress=lambda e: print(f"standards: pass {e.number}, {e.f1}", flush=True),
    )  # fmt: skip
    beside = {name: TAGGERS.get(name, TAGGERS["general"]) for name in trained.standards}
    save_arrays(str(path), standards.arrays(trained, of, beside, SURE))


def accurate(work: Work) -> None:
    """Compiles the network with the linear taggers beside it."""
    trained = bilstm_crf.read(work.folder / "standards.npz")
    files = {name: artifact.open(str(work.models / name)) for name in TAGGERS.values()}
    taggers = {name: decompile(file) for name, file in files.items()}
    standards.beside(trained, taggers, WEIGHTS)
    sections, meta = bilstm_crf.compile_model(trained, files)
    artifact.write(str(work.models / "accurate.model"), bilstm_crf.KIND, sections, meta)


def tags(work: Work) -> None:
    """The tagger of parts of speech, and the teacher that tags text for it."""
    balanced = load_by_name(str(work.models / "general-balanced.model"))
    lessons = pos_lessons.prepare(work.shared, first.ROOT / "dicts", balanced)
    pos_lessons.save(lessons, work.folder / "pos-lessons.npz")
    pos_teacher.teach(work.shared / "encoder", work.folder, torch.device(work.device))
    pos.build(work.models, first.ROOT / "dicts", work.folder)


def counts(work: Work) -> None:
    """Document frequencies and subword vocabularies."""
    corpus = work.shared / "national" / "segmented.txt"
    balanced = load_by_name(str(work.models / "general-balanced.model"))
    idf.build(corpus, work.models, first.ROOT / "dicts", cut=balanced.cut)
    subword.build(sorted(SHIPPED), str(corpus), str(work.models))
