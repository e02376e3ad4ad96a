"""``python -m recipes --work DIR``: everything that ships under ``general`` and ``accurate``.

Stages run one after another; what a stage has written to ``DIR`` is not made again, so an
interrupted run goes on, and deleting a file makes it again with all that a later run asks for it.
``README.md`` says which stage reads what.  The folder must lie outside the repository.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recipes import linear, partial, raw, standards, votes
from recipes.general_text import main as general_text
from segmenter import artifact
from segmenter import load as load_segmenter
from segmenter.atomic import WholeFile
from segmenter.errors import MissingExtraError
from segmenter.tagging import bilstm_crf
from segmenter.tagging import model as form
from segmenter.tagging.decompile import decompile
from segmenter.tagging.predictor import Predictor
from segmenter.train import bilstm
from segmenter.train.lessons import save_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from segmenter.train.partial import Partly

ROOT = Path(__file__).resolve().parent.parent
#: Weight of the linear tagger's scores in each standard; conventions with their own gold take none.
WEIGHTS = {"general": 1.0, "pku": 1.0}
TEACHER_WEIGHTS = {"general": 0.5, "pku": 1.0}
PARTICLES = 0.1  # of the voted sentences that a linear tagger learns from get one, see partial.py
VARIATIONS = 0.3  # of those that the network learns from have another end or beginning
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
            options = linear.with_runs(1, linear.SHIPPED["balanced"])
            self._write(path, linear.teach("balanced", given, partly(), options=options).model)
        return path

    def _write(self, path: Path, model: form.LinearModel) -> None:
        sections, meta = form.compile_model(model)
        artifact.write(str(path), form.KIND, sections, meta)
        print(f"{path.name}: {digest(path)}", flush=True)

    # --- evidence --------------------------------------------------------------------------------

    def written_times(self) -> list[list[Partly]]:
        return [partial.read_written(self.fold)] * linear.TIMES

    def gold(self, tagger: Path) -> dict[str, list[Partly]]:
        """Gold of every convention, as far as it binds ours."""
        cut = load_segmenter(str(tagger)).cut
        own = self.materials("balanced").terms
        found = {}
        for name in partial.GOLD:
            text = partial.read_gold(self.shared / "gold" / name / "train.txt")
            projected = partial.project(text, cut, self.fold)
            found[name] = list(partial.join_own(projected, own, leave_open=True))
        return found

    def labels(self, name: str, cut: Callable[[], Callable[[str], Sequence[str]]]) -> Any:
        """What a voter says of the raw text."""
        path = self.folder / f"labels-{name}.npy"
        if not path.exists():
            made = votes.label((line.text for line in self.lines()), cut())
            with WholeFile(path) as file:
                np.save(file, made)
        return np.load(path)

    def voted(self, vote: votes.Vote, voter: str, network: Path | None) -> list[Partly]:
        """Raw text labelled by a vote, words of the project's own list whole."""
        cutters = {
            "first": lambda: load_segmenter(str(self.first())).cut,
            "wapic": wapic,
            "bigram": lambda: load_segmenter("fast", decoder="bigram").cut,
            "network": lambda: load_segmenter(str(network)).cut,
        }
        labels = {
            name: self.labels(voter if name == "network" else name, cutters[name])
            for name in vote.weights
        }
        found = votes.voted(self.lines(), labels, vote, self.fold)
        return list(partial.join_own(found, self.materials("balanced").terms, leave_open=False))

    def evidence(
        self, vote: votes.Vote, voter: str, tagger: Path, network: Path | None
    ) -> dict[str, Any]:
        """All partly labelled texts of ``general``, by name.

        Args:
            vote: on the raw text.
            voter: what the labels of the network are called.
            tagger: gold is projected by it.
            network: the voter.
        """
        written = partial.read_written(self.fold)
        return {"voted": self.voted(vote, voter, network), **self.gold(tagger), "written": written}

    # --- networks --------------------------------------------------------------------------------

    def teacher(self) -> Path:
        """The network that votes in the second round."""
        further = self.evidence(votes.FIRST, "", self.first(), None)
        out = self.folder / "teacher" / "accurate.model"
        if not out.exists():
            self._network(out, further, {}, self.first(), TEACHER_WEIGHTS)
        return out

    def own_gold(self) -> dict[str, tuple[list[list[str]], list[list[str]]]]:
        return {
            name: (
                partial.read_gold(self.shared / "gold" / name / "train.txt"),
                partial.read_gold(self.shared / "gold" / name / "dev.txt"),
            )
            for name in standards.OWN_GOLD
        }

    def _network(
        self,
        out: Path,
        further: Mapping[str, Any],
        gold: Mapping[str, Any],
        tagger: Path,
        weights: Mapping[str, float],
        after: Callable[[standards.Lessons], object] | None = None,
    ) -> None:
        out.parent.mkdir(parents=True, exist_ok=True)
        pku = linear.materials("pku", "balanced", self.shared / "pku", self.shared, ROOT / "dicts")
        national = str(self.shared / "national" / "segmented.txt")
        of = standards.lessons(self.materials("balanced"), pku, further, gold, national, self.fold)
        options = standards.OPTIONS
        if not gold:
            options = bilstm.with_options(options, epochs=standards.TEACHER_EPOCHS)
        model, _ = bilstm.train(
            of.parts, of.vocab, of.n_classes, options,
            checkpoint=f"{out}.checkpoint", resume=True,
            progress=lambda e: print(f"{out.name}: pass {e.number}, {e.f1}", flush=True),
        )  # fmt: skip
        if after is not None:
            after(of)
        beside = {
            "general-balanced.model": artifact.open(str(tagger)),
            "pku-balanced.model": artifact.open(str(self.models / "pku-balanced.model")),
        }
        ports = {name: decompile(art) for name, art in beside.items()}
        taggers = {
            s: ("pku" if s == "pku" else "general") + "-balanced.model" for s in model.standards
        }
        combined = {s: (n, weights.get(s, 0.0), ports[n].trans) for s, n in taggers.items()}
        known = {w for port in ports.values() for w in port.words}
        path = out.with_suffix(".npz")
        save_arrays(str(path), standards.arrays(model, of, combined, known))
        sections, meta = bilstm_crf.compile_model(bilstm_crf.read(path), beside)
        artifact.write(str(out), bilstm_crf.KIND, sections, meta)
        print(f"{out.name}: {digest(out)}", flush=True)

    # --- rounds ----------------------------------------------------------------------------------

    def second(self) -> Path:
        """The network of all standards that votes in the last round, and its linear taggers."""
        out = self.folder / "second"
        if not (out / "accurate.model").exists():
            network = self.teacher()
            self.learn(self.evidence(votes.SECOND, "network", network, network), out)
        return out / "accurate.model"

    def ship(self) -> None:
        """``general-balanced``, ``general-fast``, ``accurate``, and the text of the lexicon."""
        network = self.second()
        further = self.evidence(votes.SECOND, "second", network, network)
        self.learn(further, self.models)
        today = [x.words for name, text in further.items() if name != "written" for x in text]
        today += [x.words for x in further["written"]] * WRITTEN_IN_TODAY
        lines = "".join(" ".join(words) + "\n" for words in today)
        artifact.write_whole(str(self.folder / "today.txt"), lines.encode())
        print(f"then: python dicts/build.py --today {self.folder / 'today.txt'}", flush=True)

    def learn(self, further: dict[str, Any], out: Path) -> None:
        """Trains the taggers and the network on what a round has voted.

        Args:
            further: of :meth:`evidence`.
            out: folder of the models.
        """
        further = dict(further)
        voted, written = further.pop("voted"), further["written"]
        texts = [list(partial.with_particles(voted, PARTICLES)), *further.values()]
        texts += [written] * (linear.TIMES - 1)
        gold = self.own_gold()

        def taggers(of: standards.Lessons) -> None:
            carried = standards.words_of_their_own(of, gold)
            for name in linear.TAUGHT:
                more = carried if name == "balanced" else set()
                result = linear.teach(name, self.materials(name), texts, more)
                self._write(out / f"general-{name}.model", result.model)

        lessons = {"voted": list(partial.with_variations(voted, VARIATIONS)), **further}
        tagger = out / "general-balanced.model"
        self._network(out / "accurate.model", lessons, gold, tagger, WEIGHTS, taggers)


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
    given = parser.parse_args(list(arguments) if arguments is not None else None)
    if ROOT in given.work.resolve().parents:
        parser.error(f"--work {given.work}: it lies in the repository, which holds no running text")
    Work(given.shared, given.work, given.models).ship()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
