"""``python -m recipes --work DIR``: everything that ships under ``general`` and ``accurate``.

Stages run one after another.  A stage does not make a file that is already in ``DIR``, so an
interrupted run goes on where it ended; delete a file to have it made again.
``README.md`` says which stage reads what.  The folder must lie outside the repository.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import importlib
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from recipes import (
    compiled_network,
    conventions,
    distil,
    linear,
    make,
    measure_words,
    own_parameters,
    partial,
    raw,
    standards,
    votes,
)
from recipes.general_text import main as general_text
from segmenter import artifact
from segmenter import load as load_segmenter
from segmenter.errors import ArgumentError, MissingExtraError
from segmenter.files.atomic import WholeFile
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import Predictor
from segmenter.train import bilstm
from segmenter.train.corpus import folded
from segmenter.train.lessons import save_arrays
from segmenter.train.partial import Partly
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.decompile import decompile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from segmenter.train import bilstm_text

ROOT = Path(__file__).resolve().parent.parent
#: Weight of the linear tagger's scores in each standard; conventions with their own gold take none.
WEIGHTS = {"general": 1.0, "pku": 1.0}
WEIGHTS_AGAIN = {"general": 1.25, "pku": 1.0}  # of the second round
TEACHER_WEIGHTS = {"general": 0.5, "pku": 1.0}
#: Margins of the linear taggers (nats) from which a clause is not read
#: (README.md, stage 4).
SURE = {"general": 2.0, "pku": 2.0}
PARTICLES = 0.1  # of the sentences of a text get one, see partial.py
PARTICLES_AGAIN = 0.2  # of the voted sentences in the second round
TAGGER = "general-balanced.model"
WRITTEN_IN_TODAY = 4  # times that the written sentences stand in the text of the lexicon's counts


class Work:
    """The stages over one folder.

    Args:
        shared: the corpora.
        folder: what is made on the way.
        models: the compiled files; those of ``pku`` are read, those of ``general`` written.
    """

    def __init__(self, shared: Path, folder: Path, models: Path) -> None:
        self.shared, self.folder, self.models = shared, folder, models
        self._folder: Predictor | None = None
        folder.mkdir(parents=True, exist_ok=True)

    # --- texts -----------------------------------------------------------------------------------

    def general(self) -> Path:
        """The text of the standard ``general``."""
        out = self.folder / "general"
        if not (out / "national.txt").exists():
            general_text(["--out", str(out), "--shared", str(self.shared)])
        return out

    def materials(self, name: str) -> linear.Materials:
        return linear.materials("general", name, self.general(), self.shared, ROOT / "dicts")

    def lines(self) -> list[raw.Line]:
        """The sample of raw text."""
        path = self.folder / "raw.tsv"
        if not path.exists():
            found = (f"{line.source}\t{line.text}\n" for line in raw.sample(self.shared / "raw"))
            artifact.write_whole(str(path), "".join(found).encode())
        rows = path.read_text("utf-8").split("\n")[:-1]
        return [raw.Line(*row.split("\t", 1)) for row in rows]

    # --- taggers ---------------------------------------------------------------------------------

    def newspaper(self) -> Path:
        """A tagger of the newspaper alone: it folds text, and gold is projected by it first."""
        return self._tagger("newspaper", list)

    def fold(self, text: str) -> str:
        """A text in the characters of the models."""
        if self._folder is None:
            self._folder = Predictor(artifact.open(str(self.newspaper())))
        return self._folder.fold(text)

    def first(self) -> Path:
        """The first voter: newspaper, gold as evidence, written sentences."""
        return self._tagger(
            "first", lambda: [*self.gold(self.newspaper()).values(), *self.written_times()]
        )

    def _tagger(self, name: str, partly: Callable[[], Sequence[Sequence[Partly]]]) -> Path:
        path = self.folder / f"{name}.model"
        if not path.exists():
            given = self.materials("balanced")
            options = replace(linear.SHIPPED["balanced"], runs=1)
            self.write(path, linear.teach("balanced", given, partly(), options=options).model)
        return path

    def write(self, path: Path, model: form.LinearModel) -> None:
        sections, meta = compile_model(model)
        artifact.write(str(path), form.KIND, sections, meta)
        print(f"{path.name}: {digest(path)}", flush=True)

    # --- evidence --------------------------------------------------------------------------------

    def written_times(self) -> list[list[Partly]]:
        return [partial.read_written(self.fold)] * linear.TIMES

    def gold(self, tagger: Path) -> dict[str, list[Partly]]:
        """Gold of every convention, as far as it binds ours."""
        cut = load_by_name(str(tagger)).cut
        own = partial.OwnWords(self.materials("balanced").terms)
        found = {}
        for name in partial.GOLD:
            text = partial.read_gold(self.shared / "gold" / name / "train.txt")
            projected = partial.project(text, cut, self.fold)
            found[name] = [own.joined(x, leave_open=True) for x in projected]
        return found

    def labels(self, name: str, cut: Callable[[], Callable[[str], Sequence[str]]]) -> Any:
        """What a voter says of the raw text."""
        path = self.folder / f"labels-{name}.npy"
        if not path.exists():
            made = votes.label((line.text for line in self.lines()), cut())
            with WholeFile(path) as file:
                np.save(file, made)
        return np.load(path)

    def read_by_teacher(self, convention: str) -> Any:
        """The chances that the teacher gives, see :func:`recipes.teacher.read`; what it has not
        read is as ``accurate`` has it."""
        found = self._reading(convention)
        accurate = self.labels("accurate", functools.partial(shipped, "accurate"))
        return np.where(found == votes.UNREAD, accurate, found / np.float32(votes.UNREAD - 1))

    def _reading(self, convention: str) -> Any:
        """What the teacher has read, as it wrote it."""
        parts = [np.load(path) for path in self.folder.glob(f"teacher-{convention}-*.npy")]
        if not parts:
            remedy = f"run `python -m recipes.teacher read --convention {convention}` first"
            raise ArgumentError(f"work: {self.folder} has no reading by {convention}: {remedy}")
        return np.minimum.reduce(parts)

    def voted(
        self, vote: votes.Vote, voter: str, network: Path, per_source: int | None
    ) -> list[Partly]:
        """Raw text labelled by a vote, words of the project's own list whole."""
        cutters = {
            "first": lambda: load_by_name(str(self.first())).cut,
            "wapic": wapic,
            "bigram": lattice,
            "lattice": lattice,  # the same with the lexicon that the first round's text grew
            "network": lambda: load_by_name(str(network)).cut,
        }
        labels = {
            name: self.labels(voter if name == "network" else name, cutters[name])
            for name in vote.weights
        }
        found = votes.voted(self.lines(), labels, vote, self.fold, per_source)
        own = partial.OwnWords(self.materials("balanced").terms)
        return [own.joined(x, leave_open=False) for x in found]

    def evidence(
        self, vote: votes.Vote, voter: str, tagger: Path, per_source: int | None
    ) -> dict[str, Any]:
        """All partly labelled texts of ``general``, by name.

        Args:
            vote: on the raw text.
            voter: what the labels of a network are called; "" if none votes.
            tagger: what gold is projected by; the network, if one votes.
            per_source: so many voted lines of a file at most.
        """
        written = partial.read_written(self.fold)
        voted = self.voted(vote, voter, tagger, per_source)
        return {"voted": voted, **self.gold(tagger), "written": written}

    # --- networks --------------------------------------------------------------------------------

    def teacher(self) -> Path:
        """The network that votes in the second round."""
        out = self.folder / "teacher" / "accurate.model"
        if not out.exists():
            of = self._lessons(self.evidence(votes.FIRST, "", self.first(), votes.PER_SOURCE), {})
            options = replace(
                standards.VOTER,
                schedule=replace(standards.VOTER.schedule, epochs=standards.TEACHER_EPOCHS),
            )
            network = self._train(self.folder / "teacher" / "network", of, options)
            self._combine(out, network, of, self.first(), TEACHER_WEIGHTS)
        return out

    def own_gold(self) -> dict[str, tuple[list[list[str]], list[list[str]]]]:
        return {
            name: (
                partial.read_gold(self.shared / "gold" / name / "train.txt"),
                partial.read_gold(self.shared / "gold" / name / "dev.txt"),
            )
            for name in standards.OWN_GOLD
        }

    def _lessons(
        self,
        further: Mapping[str, Any],
        gold: Mapping[str, Any],
        materials: Callable[[str], linear.Materials] | None = None,
        vocab: bilstm_text.Vocabulary | None = None,
    ) -> standards.Lessons:
        pku = linear.materials("pku", "balanced", self.shared / "pku", self.shared, ROOT / "dicts")
        national = str(self.shared / "national" / "segmented.txt")
        general = (materials or self.materials)("balanced")
        return standards.lessons(general, pku, further, gold, national, self.fold, vocab)

    def _train(
        self,
        out: Path,
        of: standards.Lessons,
        options: bilstm.BilstmOptions,
        start: bilstm.BilstmCrf | None = None,
    ) -> bilstm.BilstmCrf:
        """Trains a network; passes that its checkpoint has are not repeated."""
        out.parent.mkdir(parents=True, exist_ok=True)
        model, _ = bilstm.train(
            of.parts, of.vocab, of.n_classes, options,
            checkpoint=f"{out}.checkpoint", resume=True, start=start,
            progress=lambda e: print(f"{out.parent.name}: pass {e.number}, {e.f1}", flush=True),
        )  # fmt: skip
        return model

    def _combine(
        self,
        out: Path,
        model: bilstm.BilstmCrf,
        of: standards.Lessons,
        tagger: Path,
        weights: Mapping[str, float],
        own: Mapping[str, Path] = MappingProxyType({}),
    ) -> None:
        """Compiles a network with its linear taggers.

        Args:
            out: the file to write; the taggers are put beside it.
            model, of: the network and what it learnt from.
            tagger: of ``general``, and of all standards that have none of their own.
            weights: of the taggers' scores; 0 if a standard is not named.
            own: taggers of single standards.
        """
        out.parent.mkdir(parents=True, exist_ok=True)
        files = {s: f"{s}-balanced.model" for s in ("pku", *own)}
        beside = {
            TAGGER: artifact.open(str(tagger)),
            files["pku"]: artifact.open(str(self.models / "pku-balanced.model")),
            **{files[s]: artifact.open(str(path)) for s, path in own.items()},
        }
        for name, art in beside.items():  # where the loader looks for them
            if not (out.parent / name).exists():
                shutil.copy(art.path, out.parent / name)
        ports = {name: decompile(art) for name, art in beside.items()}
        combined = {}
        for standard in model.standards:
            name = files.get(standard, TAGGER)
            port = ports[name]
            combined[standard] = (name, weights.get(standard, 0.0), port.trans, port.start)
        path = out.with_suffix(".npz")
        save_arrays(str(path), standards.arrays(model, of, combined, {} if own else SURE))
        sections, meta = bilstm_crf.compile_model(bilstm_crf.read(path), beside)
        artifact.write(str(out), bilstm_crf.KIND, sections, meta)
        print(f"{out.name}: {digest(out)}", flush=True)

    def _further(
        self,
        out: Path,
        network: bilstm.BilstmCrf,
        of: standards.Lessons,
        gold: Mapping[str, Any],
        tagger: Path,
        plan: conventions.Plan,
    ) -> bilstm.BilstmCrf:
        """A trained network that goes on with raw text of the conventions, see conventions.py.

        Args:
            out: its checkpoint, without the ending; the ensemble is put beside it.
            network, of: the network and what it learns from.
            gold: of the conventions.
            tagger: of ``general``.
            plan: the passes.
        """
        folder = self.folder / "conventions"
        folder.mkdir(exist_ok=True)
        ensemble = out.parent / "ensemble" / "accurate.model"
        if not ensemble.exists():
            own = {name: folder / f"crf-{name}.model" for name in gold}
            for name, (train, _) in gold.items():
                if not own[name].exists():
                    text = [folded(words, self.fold) for words in train]
                    self.write(own[name], conventions.crf(of, name, text))
            weights = dict.fromkeys(gold, conventions.WEIGHT)
            self._combine(ensemble, network, of, tagger, weights, own)
        cut = {name: load_by_name(str(ensemble), standard=name).cut for name in gold}
        parts = list(conventions.parts(of, cut, self.lines(), self.fold, plan.voted))
        return self._train(out, of._replace(parts=parts), plan.options, network)

    # --- what ships ------------------------------------------------------------------------------

    def voter(self) -> Path:
        """The network that learns from the second vote and casts the last vote of the teachers."""
        out = self.folder / "network" / "accurate.model"
        if not out.exists():
            gold, teacher = self.own_gold(), self.teacher()
            of = self._lessons(
                self.evidence(votes.SECOND, "teacher", teacher, votes.PER_SOURCE), gold
            )
            network = self._train(self.folder / "network" / "network", of, standards.VOTER)
            self._combine(out, network, of, self.first(), WEIGHTS)
        return out

    def students(self) -> None:
        """``general-balanced``, ``general-fast`` and ``accurate`` of the teachers' last vote, and
        the text of the lexicon."""
        folder, gold = self.folder / "accurate", self.own_gold()
        last = self.evidence(votes.SECOND, "network", self.voter(), None)
        taught = with_particles(last, PARTICLES)
        of = self._lessons(taught, gold)
        tagger = self._taggers(folder, taught, of, gold, self.materials)
        network = self._students_network(of)
        network = self._further(folder / "further", network, of, gold, tagger, conventions.FIRST)
        self._combine(folder / "accurate.model", network, of, tagger, WEIGHTS)
        self._ship(folder)
        today = [x.words for name, text in last.items() if name != "written" for x in text]
        today += [x.words for x in last["written"]] * WRITTEN_IN_TODAY
        lines = "".join(" ".join(words) + "\n" for words in today)
        artifact.write_whole(str(self.folder / "today.txt"), lines.encode())
        self._rest()
        given = f"--today {self.folder / 'today.txt'} --rest {self.folder / 'rest.txt'}"
        print(f"then: python dicts/build.py {given}, and this command with --again", flush=True)

    def again(self) -> None:
        """The same three files of a vote in which ``accurate`` and the grown lexicon take part.

        The linear taggers learn from the beginning, the network goes on.
        """
        folder, gold = self.folder / "again", self.own_gold()
        first = self.folder / "accurate"
        last = self.evidence(votes.SECOND, "network", self.voter(), None)
        of = self._lessons(with_particles(last, PARTICLES), gold)
        network = self._students_network(of)
        network = self._further(
            first / "further", network, of, gold, first / TAGGER, conventions.FIRST
        )
        vocab = of.vocab
        del last, of  # some gigabytes
        found = self.evidence(votes.THIRD, "third", first / "accurate.model", None)
        taught = with_particles(found, PARTICLES_AGAIN)
        of = self._lessons(taught, gold, self._with_particles, vocab)
        tagger = self._taggers(folder, taught, of, gold, self._with_particles)
        network = self._further(folder / "further", network, of, gold, tagger, conventions.AGAIN)
        self._combine(folder / "accurate.model", network, of, tagger, WEIGHTS_AGAIN)
        self._ship(folder)

    def taught(self) -> None:
        """The linear taggers of a vote in which the teacher has part, see teacher.py.

        ``accurate`` keeps its network and gets the new ``balanced`` beside it.
        """
        folder, network = self.folder / "taught", self.models / "accurate.model"
        folder.mkdir(exist_ok=True)
        model = self._decompiled(network)
        carried = {w for own in model.standards.values() if own.linear == TAGGER for w in own.words}
        texts = [*self.lessons_of_teacher(votes.FOURTH), *self.written_times()]
        for name in linear.TAUGHT:
            path = folder / f"general-{name}.model"
            if not path.exists():
                more = carried if name == "balanced" else set()
                found = linear.teach(name, self._with_particles(name), texts, more)
                self.write(path, found.model)
        sections, meta = bilstm_crf.compile_model(model, self._beside(folder / TAGGER))
        artifact.write(str(folder / "accurate.model"), bilstm_crf.KIND, sections, meta)
        self._ship(folder)

    def taught_conventions(self) -> None:
        """``accurate`` goes on with what teacher and voters know, see distil.py."""
        path = self.models / "accurate.model"
        model = self._decompiled(path)
        first = distil.ROUNDS[0]
        net = compiled_network.network(model, list(first.plans), first.options)
        net.eval()
        pku = linear.materials("pku", "balanced", self.shared / "pku", self.shared, ROOT / "dicts")
        gold, lines = {s: train for s, (train, _) in self.own_gold().items()}, self.lines()
        last = net
        for number, of in enumerate(distil.ROUNDS, 1):
            parts = distil.parts(model, net, gold, pku, lines, self.odds, self.fold, of)
            lessons = standards.Lessons(net.vocab, list(parts), {}, net.classes)
            out = self.folder / f"distilled-{number}" / "network"
            last = self._train(out, lessons, replace(of.options, shape=net.options.shape), last)
        distil.mix(net, last)
        model = compiled_network.written(last, model)
        sections, meta = bilstm_crf.compile_model(model, self._beside(self.models / TAGGER))
        artifact.write(str(path), bilstm_crf.KIND, sections, meta)
        self.academia_sinica()

    def odds(self, standard: str, plan: distil.Plan, vote: float) -> Any:
        """What a standard learns of the raw text beside what its network says, see
        :func:`recipes.distil.pieces`."""
        if not plan.teacher:
            return None
        reading = self._reading(standard)
        odds = distil.log_odds(reading)
        if standard != "general" or not vote:
            return plan.teacher * odds
        labels = self._voters()
        weights = votes.FOURTH.weights.items()
        votes_sum = sum(w * labels[name].astype(np.float32) for name, w in weights)
        total = votes_sum - votes.FOURTH.least
        found = np.where(self._strange(), odds, plan.teacher * odds + vote * total)
        own = self.materials("balanced").terms
        found[distil.joined(self.lines(), own, total > 0, self.fold)] = distil.JOINED
        return np.where(reading == votes.UNREAD, np.float32(np.nan), found)

    def academia_sinica(self) -> None:
        """Adds the standard ``as`` to ``accurate``: ``sinica`` with its measure words apart."""
        path = self.models / "accurate.model"
        model = self._decompiled(path)
        cut = load_by_name(str(path), standard="ctb").cut
        gold = partial.read_gold(self.shared / "gold" / "sinica" / "train.txt")
        model.standards["as"] = own_parameters.learn(
            model, "sinica", gold, lambda words: measure_words.parted(words, cut), self.fold,
            progress=lambda n, loss: print(f"as: pass {n}, loss {loss:.4f}", flush=True),
        )  # fmt: skip
        sections, meta = bilstm_crf.compile_model(model, self._beside(self.models / TAGGER))
        artifact.write(str(path), bilstm_crf.KIND, sections, meta)
        print(f"{path.name}: {digest(path)}", flush=True)

    def lessons_of_teacher(self, vote: votes.Vote) -> list[list[Partly]]:
        """Raw text that the teacher has part in labelling, and gold."""
        labels = self._voters()
        found = votes.voted(self.lines(), labels, vote, self.fold, own=labels["accurate"])
        own = partial.OwnWords(self.materials("balanced").terms)
        voted = [own.joined(x, leave_open=False) for x in found]
        gold = self.gold(self.models / "accurate.model")
        return [list(partial.with_particles(voted, PARTICLES_AGAIN)), *gold.values()]

    def _voters(self) -> dict[str, Any]:
        """What each voter of :data:`votes.FOURTH` says of the raw text."""
        labels = {
            "teacher": self.read_by_teacher("general"),
            "ctb": self.read_by_teacher("ctb"),
            "wapic": self.labels("wapic", wapic),
            "accurate": self.labels("accurate", functools.partial(shipped, "accurate")),
            "lattice": self.labels("lattice", lattice),
        }
        labels["wapic"] = np.where(self._strange(), labels["teacher"], labels["wapic"])
        return labels

    def _strange(self) -> Any:
        """Which characters of the raw text are of Traditional text."""
        lines = self.lines()
        return np.repeat(
            [line.source in votes.TRADITIONAL for line in lines], [len(line.text) for line in lines]
        )

    def _beside(self, tagger: Path) -> dict[str, artifact.Artifact]:
        """The linear taggers that ``accurate`` names."""
        pku = "pku-balanced.model"
        return {
            TAGGER: artifact.open(str(tagger)),
            pku: artifact.open(str(self.models / pku)),
        }

    def _decompiled(self, network: Path) -> bilstm_crf.BilstmCrf:
        """The portable form of ``accurate``; atoms as the conventions have them now."""
        beside = self._beside(network.parent / TAGGER)
        model = bilstm_crf.decompile(artifact.open(str(network)), beside)
        for name, own in model.standards.items():
            own.atoms = dict(standards.ATOMS.get(name, {}))
        return model

    def _with_particles(self, name: str) -> linear.Materials:
        """Text and lexicons, some of the newspaper's sentences with a particle."""
        given = self.materials(name)
        whole = (Partly(list(words)) for words in given.sentences)
        some = partial.with_particles(whole, PARTICLES, seed=6)
        return given._replace(sentences=[x.words for x in some])

    def _taggers(
        self,
        folder: Path,
        evidence: Mapping[str, Any],
        of: standards.Lessons,
        gold: Mapping[str, Any],
        materials: Callable[[str], linear.Materials],
    ) -> Path:
        """Trains the linear taggers of ``general``; returns the path of ``balanced``."""
        folder.mkdir(parents=True, exist_ok=True)
        texts = [*(evidence[name] for name in ("voted", *partial.GOLD))]
        texts += [evidence["written"]] * linear.TIMES
        for name in linear.TAUGHT:
            path = folder / f"general-{name}.model"
            if not path.exists():
                more = standards.words_of_their_own(of, gold) if name == "balanced" else set()
                self.write(path, linear.teach(name, materials(name), texts, more).model)
        return folder / TAGGER

    def _students_network(self, of: standards.Lessons) -> bilstm.BilstmCrf:
        return self._train(self.folder / "accurate" / "network", of, standards.OPTIONS)

    def _ship(self, folder: Path) -> None:
        for name in (*(f"general-{name}.model" for name in linear.TAUGHT), "accurate.model"):
            shutil.copy(folder / name, self.models / name)

    def _rest(self) -> None:
        """The raw text that the sample leaves, cut by the ``accurate`` that ships."""
        segmenter = load_segmenter(self.models / "accurate.model")
        with WholeFile(self.folder / "rest.txt") as file:
            for line in raw.rest(self.shared / "raw"):
                words = [word for word in segmenter.cut(line.text) if not word.isspace()]
                file.write((" ".join(words) + "\n").encode())


def with_particles(evidence: Mapping[str, Any], share: float) -> dict[str, Any]:
    """Texts of :meth:`Work.evidence`, a share of the voted sentences with a particle."""
    return {**evidence, "voted": list(partial.with_particles(evidence["voted"], share))}


def shipped(name: str) -> Callable[[str], list[str]]:
    """A preset."""
    return load_by_name(name).cut


def lattice() -> Callable[[str], list[str]]:
    """The bigram lattice over the compiled lexicon."""
    return load_segmenter("fast", decoder="bigram").cut


def wapic() -> Callable[[str], list[str]]:
    """The CRF of the packages wapic and wapic-cws-model."""
    try:
        package: Any = importlib.import_module("wapic")
    except ImportError as e:
        raise MissingExtraError("train", "wapic", "the votes") from e
    cut: Callable[[str], list[str]] = package.Segmenter().segment
    return cut


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(arguments: Iterable[str] | None = None) -> int:
    """Runs the stages."""
    parser = argparse.ArgumentParser(prog="python -m recipes", description=__doc__)
    parser.add_argument(
        "--work", type=Path, required=True, help="folder for what is made on the way"
    )
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--models", type=Path, default=ROOT / "models", help="the compiled files")
    parser.add_argument(
        "--again", action="store_true", help="the second round, once the lexicon is built"
    )
    parser.add_argument(
        "--taught", action="store_true", help="the third, once the teacher has read the raw text"
    )
    parser.add_argument(
        "--taught-conventions",
        action="store_true",
        help="accurate.model, once the teacher has read raw text by the conventions",
    )
    parser.add_argument(
        "--academia-sinica", action="store_true", help="adds the standard `as` to accurate.model"
    )
    given = parser.parse_args(list(arguments) if arguments is not None else None)
    if ROOT in given.work.resolve().parents:
        parser.error(f"--work {given.work}: it lies in the repository, which holds no running text")
    work = Work(given.shared, given.work, given.models)
    if given.academia_sinica:
        work.academia_sinica()
    elif given.taught_conventions:
        work.taught_conventions()
    elif given.taught:
        work.taught()
    elif given.again:
        work.again()
    else:
        work.students()
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        raise SystemExit(make.main(sys.argv[2:]))
    raise SystemExit(main())
