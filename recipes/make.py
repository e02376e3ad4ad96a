"""``python -m recipes make``: from the corpora to the compiled files, stage by stage.

    python -m recipes make --work DIR [--shared ../shared/data] [--sample F] [--until STAGE]
                           [--best FOLDER] [--jobs N]

A stage runs if its inputs, its options or the code that it runs changed since its last run;
``DIR/made.json`` has the digests.  An interrupted run continues with the interrupted stage, and a
network with its last checkpoint.  No stage reads a file that another recipe made.  With
``--best``, the students learn from the ``best.model`` and ``best-first.model`` of a folder, and no
stage makes these.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import lzma
import os
import time
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from recipes.changes import code_of
from recipes.work import ROOT, Work
from segmenter.artifact import write_whole
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Stages that only ``best`` needs.
OF_BEST = ("lexicons", "evidence", "first", "halves", "lessons", "masked", "network", "edges",
           "own")  # fmt: skip
#: Forms of the cards in the repository, and their names in the work folder.
CARDS = tuple(
    f"models/{path.name}"
    for path in sorted((ROOT / "models").glob("*.CARD.md"))
    if path.name != "pos.CARD.md"  # its own stage writes it
)
SAMPLED = (".txt", ".tsv", ".utf8", ".xz")
KEPT_WHOLE = ("encoder", "lexicons", "sighan2005")  # weights and word lists
#: glibc's memory in large pages, and freed tensors kept: the network of `standards` learns 35,000
#: instead of 28,000 characters a second.
TUNABLES = (
    "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=67108864:"
    "glibc.malloc.trim_threshold=536870912"
)


class Stage(NamedTuple):
    """One step of the recipe."""

    name: str  # for ``--until``
    run: str  # module and function; it takes the work folder and the options
    after: tuple[str, ...]  # stages whose outputs it reads
    makes: tuple[str, ...]  # files and folders that it writes, relative to the work folder
    #: further files and folders that it reads, relative to the repository
    reads: tuple[str, ...] = ()
    options: Mapping[str, Any] = MappingProxyType({})


OWN = ("dicts/own.tsv",)
WRITTEN = ("recipes/written",)
STAGES = (
    Stage("tables", "first.tables", (), ("dicts",), OWN),
    Stage("lexicons", "first.lexicons", ("tables",), ("lexicons",)),
    Stage("text", "first.text", (), ("general",)),
    Stage("newspaper", "first.newspaper", ("tables", "text"), ("newspaper.model",), OWN),
    Stage("evidence", "first.evidence", ("lexicons", "newspaper"), ("evidence.jsonl",)),
    Stage("ctb", "first.ctb", ("newspaper", "tables", "text"), ("ctb.model",), OWN),
    Stage("first", "first.first", ("evidence", "tables", "text"), ("first.model",), WRITTEN),
    Stage(
        "halves", "first.halves", ("evidence", "tables", "text"), ("half-0.model", "half-1.model"),
        WRITTEN,
    ),
    Stage(
        "lessons", "teacher_lessons.lessons", ("ctb", "first", "halves", "lexicons", "text"),
        ("lessons.npz",), WRITTEN,
    ),
    Stage("masked", "masked.masked", ("newspaper",), ("encoder.pt",)),
    Stage(
        "network", "teacher.network", ("lessons", "masked"), ("network.pt",),
        options={"name": "network", "seed": 1},
    ),
    Stage(
        "edges", "teacher.network", ("lessons", "masked"), ("edges.pt",),
        options={"name": "edges", "seed": 2},
    ),
    Stage(
        "best", "compiled_encoder.compiled", ("network", "edges", "first"),
        ("best-first.model", "best.model"),
    ),
    Stage(
        "own", "compiled_encoder.with_own_words", ("best", "tables", "text"),
        ("models/best-first.model", "models/best.model"), OWN,
    ),
    Stage(
        "readings", "students.readings", ("best", "newspaper", "tables", "text"),
        ("readings/general.jsonl",),
    ),
    Stage(
        "fast", "students.fast", ("readings", "tables", "text"), ("models/general-fast.model",),
        WRITTEN,
    ),
    Stage(
        "balanced", "students.balanced", ("readings", "tables", "text"),
        ("models/general-balanced.model",), WRITTEN,
    ),
    Stage(
        "benchmark", "students.benchmark", ("tables", "text"),
        ("models/pku-fast.model", "models/pku-balanced.model", "models/pku-hmm.model",
         "models/general-hmm.model"), WRITTEN,
    ),
    Stage(
        "lexicon", "students.lexicon", ("readings", "balanced"),
        ("models/dicts", "models/general.lex", "models/pku.lex", "models/small.lex"),
        (*OWN, *WRITTEN),
    ),
    Stage("conventions", "students.conventions", ("best", "newspaper"), ("readings/conventions",)),
    Stage(
        "standards", "students.network", ("readings", "conventions", "ctb", "tables", "text"),
        ("standards.npz",), WRITTEN,
    ),
    Stage(
        "accurate", "students.accurate", ("standards", "balanced", "benchmark"),
        ("models/accurate.model",),
    ),
    Stage("tag-teacher", "pos.teacher", (), ("tag-teacher.pt",), OWN),
    Stage("tags", "pos.tags", ("tag-teacher", "balanced"), ("models/pos.model",), OWN),
    Stage(
        "counts", "counts.counts", ("balanced",),
        ("models/idf.lex", "models/subword-bpe.model", "models/subword-unigram.model"),
    ),
    Stage(
        "cards", "cards.cards", ("accurate", "benchmark", "counts", "fast", "lexicon"),
        CARDS, CARDS,
    ),
)  # fmt: skip


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, or of all files below a folder with their names."""
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        digest.update(f"{file.relative_to(path.parent)}\0".encode())
        with file.open("rb") as opened:
            while block := opened.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


class Run:
    """The stages over one folder; another ``share`` of the corpora runs all of them again."""

    def __init__(self, shared: Path, work: Path, share: float, device: str) -> None:
        self.shared, self.work, self.share, self.device = shared, work, share, device
        self.state = work / "made.json"
        self.made: dict[str, dict[str, str]] = {}
        if self.state.exists():
            self.made = json.loads(self.state.read_text("utf-8"))

    def inputs(self, stage: Stage) -> str:
        """The digest of a stage's code, options and inputs, which are made."""
        module, _, function = stage.run.partition(".")
        inputs = {
            "options": json.dumps({**stage.options, "sample": self.share}, sort_keys=True),
            **{f"stage {name}": self.made[name]["outputs"] for name in stage.after},
            **{f"file {name}": digest_of(ROOT / name) for name in stage.reads},
            "code": code_of(ROOT / "recipes" / f"{module}.py", function),
        }
        return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()

    def is_made(self, stage: Stage) -> bool:
        """Whether no input of the stage has changed, and its outputs are there."""
        outputs = [self.work / name for name in stage.makes]
        unchanged = self.made.get(stage.name, {}).get("inputs") == self.inputs(stage)
        return unchanged and all(path.exists() for path in outputs)

    def perform(self, stage: Stage) -> str:
        """Runs a stage; returns the digest of its outputs."""
        print(stage.name, flush=True)
        begun = time.monotonic()
        module, _, function = stage.run.partition(".")
        # most stages need torch, those up to "halves" do not
        recipe = importlib.import_module(f"recipes.{module}")
        work = Work(self.shared, self.work, self.device, self.share)
        getattr(recipe, function)(work, **stage.options)
        digests = (digest_of(self.work / name) for name in stage.makes)
        outputs = hashlib.sha256("".join(digests).encode()).hexdigest()
        print(f"{stage.name}: {time.monotonic() - begun:.0f} s, {outputs[:16]}", flush=True)
        return outputs

    def stages(self, stages: Sequence[Stage], pool: Executor) -> None:
        """Runs the stages that are not up to date, each as soon as those before it are made."""
        waiting, running = list(stages), dict[Future[str], Stage]()
        while waiting or running:
            open_names = {stage.name for stage in (*waiting, *running.values())}
            runnable = next((each for each in waiting if open_names.isdisjoint(each.after)), None)
            if runnable:
                waiting.remove(runnable)
                if self.is_made(runnable):
                    print(f"{runnable.name}: up to date", flush=True)
                else:
                    sent = runnable._replace(
                        options=dict(runnable.options)
                    )  # a process takes a dict
                    running[pool.submit(self.perform, sent)] = runnable
                continue
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                stage, outputs = running.pop(future), future.result()
                self.made[stage.name] = {"inputs": self.inputs(stage), "outputs": outputs}
                write_whole(str(self.state), json.dumps(self.made, indent=1).encode())


def taught_by(folder: Path, stages: Sequence[Stage]) -> list[Stage]:
    """The stages where ``best`` is not made but taken from a folder."""
    remaining = []
    for stage in stages:
        if stage.name == "best":
            digests = {path.name: digest_of(path) for path in sorted(folder.glob("best*.model"))}
            options = {"folder": str(folder), "digests": digests}
            remaining.append(stage._replace(run="students.take_teacher", after=(), options=options))
        elif stage.name not in OF_BEST:
            remaining.append(stage)
    return remaining


def sample(shared: Path, folder: Path, share: float) -> None:
    """Copies a share of the lines of every corpus, evenly spread; weights and word lists whole."""
    for path in sorted(shared.rglob("*")):
        target = folder / path.relative_to(shared)
        if not path.is_file() or target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.relative_to(shared).parts[0] in KEPT_WHOLE or path.suffix not in SAMPLED:
            os.symlink(path.resolve(), target)
            continue
        raw = path.read_bytes()
        text = lzma.decompress(raw) if path.suffix == ".xz" else raw
        lines = text.splitlines(keepends=True)
        sampled = b"".join(
            line for i, line in enumerate(lines) if int((i + 1) * share) > int(i * share)
        )
        write_whole(
            str(target), lzma.compress(sampled, preset=0) if path.suffix == ".xz" else sampled
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the stages."""
    names = [stage.name for stage in STAGES]
    parser = argparse.ArgumentParser(prog="python -m recipes make", description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder for what is made")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sample", type=float, default=1.0, help="share of the corpora's lines")
    parser.add_argument("--until", choices=names, default=names[-1], help="the last stage to run")
    parser.add_argument("--best", type=Path, help="folder with a `best` that is made already")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"), help="of the network")
    parser.add_argument("--jobs", type=int, default=1, help="stages that run at once")
    args = parser.parse_args(arguments)
    if ROOT in args.work.resolve().parents:
        parser.error(f"--work {args.work}: it lies in the repository, which holds no running text")
    if not 0 < args.sample <= 1:
        raise ArgumentError(f"sample: {args.sample} is not over 0 and at most 1")
    args.work.mkdir(parents=True, exist_ok=True)
    shared: Path = args.shared
    if args.sample < 1:
        shared = args.work / "corpora"
        sample(args.shared, shared, args.sample)
    run = Run(shared.resolve(), args.work.resolve(), args.sample, args.device)
    stages = STAGES[: names.index(args.until) + 1]
    os.environ.setdefault("GLIBC_TUNABLES", TUNABLES)  # of the processes that follow
    # a process of its own for each stage gives its memory back
    with ProcessPoolExecutor(args.jobs, get_context("spawn"), max_tasks_per_child=1) as pool:
        run.stages(taught_by(args.best.resolve(), stages) if args.best else stages, pool)
    return 0
