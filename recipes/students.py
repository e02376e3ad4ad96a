"""The stages that make the other files: students of ``best``, and files that need no teacher.

``general`` and the conventions are trained on raw text and sentences with entities labelled by
``best``, on gold and on the written sentences (:mod:`recipes.reading`).  No previously shipped
file is read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from recipes import entities, linear, partial, raw, reading, standards
from recipes.word_lists import read_terms
from recipes.work import script
from segmenter import artifact
from segmenter.files.atomic import write_text
from segmenter.loading import load_by_name
from segmenter.train import bilstm
from segmenter.train.corpus import folded, read_corpus
from segmenter.train.joint import save_arrays
from segmenter.train.partial import Partly
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging.decompile import decompile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recipes.work import Work
    from segmenter.train.tagging.model import LinearModel

#: A share of the raw text gets a particle before its full stop (:func:`partial.with_particles`).
PARTICLES = 0.2
#: Weight of the linear tagger's scores in each standard; conventions with their own gold take none.
WEIGHTS = {"general": 0.8, "pku": 0.8}
#: Margins of the linear taggers (nats) from which a clause is not read.
SURE = {"general": 2.0, "pku": 2.0}
TAGGERS = {"general": "general-balanced.model", "pku": "pku-balanced.model"}
#: What each character of an idiom and of an institution of the own list adds
#: (:func:`recipes.linear.insist`); a perceptron's scores are larger.  Of 1,361 idioms after six
#: beginnings an earlier `balanced` cut 1,198 of 8,166, with one nat 102.
INSISTENCE = {"balanced": 1.5, "fast": 10.0}
INSTITUTION = "nt"  # its tag
#: Sentences of the newspaper with a word of ``own.tsv``, for the taggers of pku.  With 4,000,
#: `balanced` keeps 92.3 instead of 95.7% of the words of 2026 whole; its dev F1 is .0004 higher.
EXPOSURES = 10_000
#: Seeds of the copies of the sentences with entities in which other entities stand.
EXCHANGES = (11, 12, 13)
CARRIED = 2  # occurrences of a gold word that is carried in the trie of `balanced` for the network
WRITTEN_IN_TODAY = 4  # copies of the written sentences in the text of the lexicon's counts


def take_teacher(work: Work, folder: str, digests: dict[str, str]) -> None:
    """Takes the teacher from a folder instead of making it."""
    for name in digests:
        artifact.write_whole(str(work.folder / name), (Path(folder) / name).read_bytes())


def readings(work: Work) -> None:
    """Text as ``best`` reads it by ``general``, and gold of the others, projected."""
    own_words = partial.OwnWords(work.materials.terms, work.fold)
    segmenter = work.best("general")

    def rows() -> Iterator[tuple[str, Partly]]:
        texts = reading.of_general(work.lines, work.shared / "ner", reading.GENERAL)
        for source, row in reading.read(segmenter, texts):
            yield source, own_words.joined(row, leave_open=False)
        for convention in (*partial.GOLD, *partial.MORE_GOLD):
            for row in partial.project(work.gold(convention), segmenter.cut, str):
                yield convention, own_words.joined(row, leave_open=True)

    _save(work, "general", rows())


def conventions(work: Work) -> None:
    """Raw text as ``best`` reads it by the other conventions."""
    for name in reading.DOMAINS:
        texts = reading.of_convention(work.lines, name, reading.OWN)
        _save(work, f"conventions/{name}", reading.read(work.best(name), texts))


def _save(work: Work, name: str, rows: Iterator[tuple[str, Partly]]) -> None:
    fold = work.fold
    folds = ((source, Partly(folded(x.words, fold), x.unsure)) for source, x in rows)
    work.save(f"readings/{name}", folds)


def taught(work: Work, limit: int = reading.GENERAL) -> dict[str, list[Partly]]:
    """The partly labelled texts of ``general`` by source; of raw files so many sentences."""
    texts: dict[str, list[Partly]] = {"raw": []}
    for source, row in work.saved("readings/general"):
        if not source.startswith(reading.RAW):
            texts.setdefault(source, []).append(row)
        elif int(source.removeprefix(reading.RAW)) <= limit:
            texts["raw"].append(row)
    texts["raw"] = list(partial.with_particles(texts["raw"], PARTICLES))
    return {**texts, "written": partial.read_written(work.fold)}


def exchanged(work: Work, labelled: list[Partly]) -> list[list[Partly]]:
    """Copies of the sentences with entities, with other entities in them."""
    marked = list(reading.with_entities(work.shared / "ner"))
    rows = list(zip(marked, labelled, strict=True))
    return [list(entities.exchanged(rows, seed)) for seed in EXCHANGES]


def _tagger_text(work: Work) -> list[list[Partly]]:
    """The partly labelled texts that ``fast`` and ``balanced`` learn from."""
    by_source = taught(work)
    texts = [*by_source.values(), *[by_source["written"]] * (linear.TIMES - 1)]
    return texts + exchanged(work, by_source["entities"])


def _insisted(work: Work, model: LinearModel, nats: float) -> LinearModel:
    """A tagger that keeps idioms and institutions whole."""
    institutions = {work.fold(word) for word, tag in read_terms().items() if tag == INSTITUTION}
    whole = work.idioms | institutions
    known = whole.intersection(model.words)  # a further word takes 20 bytes of the wheel
    return linear.insist(model, known, nats)


def fast(work: Work) -> None:
    """``fast`` of ``general``: one training chooses its pairs, others learn with these alone.

    With as many pairs left out of trained weights instead, 6.2 and not 5.9 entities are crossed.
    """
    options = linear.TAUGHT["fast"]
    materials, texts = work.texts("general", "fast"), _tagger_text(work)
    first = linear.teach("fast", materials, replace(options, runs=1), texts)
    options = replace(options, prune=0.0)
    model = linear.teach("fast", materials, options, texts, pairs=set(first.pairs))
    work.compile("models/general-fast", _insisted(work, model, INSISTENCE["fast"]))


def balanced(work: Work) -> None:
    """``balanced`` of ``general``; it carries the gold's words for the network of ``accurate``."""
    options = linear.TAUGHT["balanced"]
    model = linear.teach("balanced", work.texts("general", "balanced"), options, _tagger_text(work))
    counts: Counter[str] = Counter()
    for name in standards.OWN_GOLD:
        for words in work.gold(name):
            counts.update(folded(words, work.fold))
    carried = {word for word, count in counts.items() if count >= CARRIED}
    model = linear.carry(_insisted(work, model, INSISTENCE["balanced"]), carried)
    work.compile("models/general-balanced", model)


def benchmark(work: Work) -> None:
    """The taggers of the newspaper alone: ``pku``, and the HMM of both standards."""
    paths = sorted((partial.WRITTEN / "pku").glob("*.txt"))
    written = read_corpus(paths).sentences * linear.TIMES
    models = [*(("pku", name) for name in linear.SHIPPED), ("general", "hmm")]
    for standard, name in models:
        materials = work.texts(standard, name)
        further = written if standard == "pku" else []
        options = linear.SHIPPED[name]
        if options.exposures:
            options = replace(options, exposures=EXPOSURES)
        model = linear.teach(
            name,
            materials,
            options,
            standard=standard,
            written=further,
            dev=materials.dev,
        )
        work.compile(f"models/{standard}-{name}", model)


def lexicon(work: Work) -> None:
    """Tables and lattices with the words of today."""
    today, rest = work.folder / "today.txt", work.folder / "rest.txt"
    by_source = taught(work)
    texts = [row.words for rows in by_source.values() for row in rows]
    texts += [row.words for row in by_source["written"]] * (WRITTEN_IN_TODAY - 1)
    write_text(today, (" ".join(words) + "\n" for words in texts))
    balanced = work.models / "general-balanced.model"
    cut = load_by_name(str(balanced)).cut
    lines = (cut(line.text) for line in raw.sample(work.shared / "raw", rest=True))
    write_text(rest, (" ".join(w for w in words if not w.isspace()) + "\n" for words in lines))
    tables = work.models / "dicts"
    script(
        "build.py", "--shared", work.shared, "--out", tables, "--today", today, "--rest", rest,
        "--taggers", balanced, work.folder / "best.model",
    )  # fmt: skip
    script("compile.py", "--tables", tables, "--out", work.models, "general", "pku", "small")


def network(work: Work) -> None:
    """Trains the network of all standards."""
    texts = taught(work, reading.NETWORK)
    texts["exchanged"] = [row for copy in exchanged(work, texts["entities"]) for row in copy]
    lessons = standards.lessons(work, texts)
    path = work.folder / "standards.npz"
    trained, _ = bilstm.train(
        lessons.parts, lessons.vocab, lessons.n_classes, standards.OPTIONS,
        checkpoint=f"{path}.checkpoint", resume=True,
        progress=lambda e: print(f"standards: pass {e.number}, {e.f1}", flush=True),
    )  # fmt: skip
    tagger_files = {name: TAGGERS.get(name, TAGGERS["general"]) for name in trained.standards}
    save_arrays(str(path), standards.arrays(trained, lessons, tagger_files, SURE))


def accurate(work: Work) -> None:
    """Compiles the network with the linear taggers beside it."""
    trained = bilstm_crf.read(work.folder / "standards.npz")
    files = {name: artifact.open(str(work.models / name)) for name in TAGGERS.values()}
    taggers = {name: decompile(file) for name, file in files.items()}
    standards.join_taggers(trained, taggers, WEIGHTS)
    sections, meta = bilstm_crf.compile_model(trained, files)
    artifact.write(str(work.models / "accurate.model"), bilstm_crf.KIND, sections, meta)
