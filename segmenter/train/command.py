"""The functions behind ``segmenter train``, ``adapt``, ``build model`` and ``export model``.

from segmenter import train

made = train.train_tagger("perceptron", ["train.txt"], "dev.txt", out="mine", standard="mine")
seg = segmenter.load(made.compiled)
"""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from segmenter import artifact
from segmenter._version import __version__
from segmenter.core import Segmenter
from segmenter.errors import ArgumentError, check_iterable
from segmenter.files import resources
from segmenter.files.atomic import write_text
from segmenter.tagging.predictor import Predictor
from segmenter.train import scoring, tagger
from segmenter.train.adapt import AdaptOptions
from segmenter.train.adapt import adapt as adapt_model
from segmenter.train.corpus import Corpus, read_corpus, read_lexicon
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.decompile import decompile
from segmenter.train.tagging.perceptron import pass_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Any

    from segmenter.lexicon.lines import Report
    from segmenter.train.tagging.features import FeatureSource
    from segmenter.train.tagging.perceptron import Epoch

    Path = str | os.PathLike[str]

CARD = "CARD.md"
_NAME = re.compile(r"[^\W_][\w.-]*")


class TrainedFiles(NamedTuple):
    """The files that a training wrote.

    Attributes:
        portable: path of the text form; "" if none was written.
        compiled: path of the compiled model, for :func:`segmenter.load`.
        card: path of the card.
        reports: a report on each file that was read.
        score: the compiled model's score on the dev text, width folded; None without one.
        before: for :func:`adapt_tagger`, the score of the original model.
    """

    portable: str
    compiled: str
    card: str
    reports: list[Report]
    score: scoring.Score | None
    before: scoring.Score | None = None


def train_tagger(
    algorithm: str,
    train: Sequence[Path],
    dev: Path | None = None,
    *,
    out: Path,
    standard: str = "own",
    lexicon: Sequence[Path] = (),
    trainer: str = "own",
    epochs: int = 0,
    patience: int = 4,
    seed: int = 1,
    errors: str = "raise",
    progress: bool | None = None,
    command: str = "",
) -> TrainedFiles:
    """Train a tagger on segmented files, and write it in both forms, with a card.

    Equal files, options and package versions give equal bytes.

    Args:
        algorithm: ``"perceptron"``, ``"crf"`` or ``"hmm"``.
        train: segmented text, see :mod:`segmenter.train.corpus`.
        dev: held-out segmented text, which chooses the best epoch and is scored; without it, the
            last epoch is kept.
        out: the folder for ``<standard>.txt``, ``<standard>.model`` and ``CARD.md``.
        standard: a name for this segmentation standard and for the files.
        lexicon: up to two word lists whose words become features.
        trainer: for the CRF: ``"own"``, or ``"crfsuite"`` (needs the extra ``train``).
        epochs: most passes; 0: 20 for the perceptron, 15 for the CRF, 100 iterations of crfsuite.
        patience: the perceptron stops after this many epochs without a gain on the dev text.  The
            CRF runs all its epochs, since its rate decays over them; the best one is kept.
        seed: of the order of sentences.
        errors: for bad lines: ``"raise"`` stops, ``"warn"`` and ``"skip"`` leave them out and list
            them in the reports.
        progress: show a bar (by the package tqdm, or a plain counter) on standard error; None: if
            standard error is a terminal.
        command: the command that the card gives for making the model again.

    Raises:
        DictionaryError: a line is not segmented text, or not a word of a list; names file, line and
            reason.
        ArgumentError: an option out of range; no sentence.
        OSError: a file cannot be read or written.
    """
    options = tagger.TaggerOptions(
        algorithm, trainer=trainer, epochs=epochs, patience=patience, seed=seed
    )
    if not _NAME.fullmatch(standard):
        raise ArgumentError(f"standard: {standard!r} names files: use only letters, digits, . _ -")
    if lexicon and algorithm == "hmm":
        raise ArgumentError("lexicon: an HMM has no features of words: leave it out")
    check_iterable("lexicon", lexicon, "a list of paths")
    if len(lexicon) > 2:
        raise ArgumentError(f"lexicon: {len(lexicon)} word lists given, 2 at most: join them")
    pass_seed(seed, 1)  # raises for a bad seed, before any file is read
    corpus = read_corpus(train, errors=errors)
    dev_corpus = None if dev is None else read_corpus([dev], errors=errors)
    sources: list[FeatureSource] = []
    reports = [*corpus.reports, *(dev_corpus.reports if dev_corpus else ())]
    for path in lexicon:
        source, report = read_lexicon(path, errors=errors)
        sources.append(source)
        reports.append(report)
    files = _digests(reports)
    os.makedirs(out, exist_ok=True)
    has_passes = algorithm != "hmm" and trainer == "own"  # which report their progress
    with _bar(options.passes if has_passes else 0, progress) as show:
        result = tagger.train(
            corpus.sentences,
            dev_corpus.sentences if dev_corpus else None,
            sources,
            options,
            meta={"standard": standard, "files": files, "made_with": __version__},
            progress=show,
        )
    portable, compiled = tagger.write(result, out, standard)
    predictor = Predictor.open(compiled)
    score = dev_corpus and _score(predictor, dev_corpus, corpus)
    card = os.path.join(os.fspath(out), CARD)
    _write_card(
        card,
        predictor,
        files,
        {
            "algorithm": f"{algorithm}, 4 tags",
            "options": _options(options.changed()),
            "seed": seed,
            "epochs": f"{len(result.epochs) or epochs or '-'}, {len(corpus.sentences):,} sentences",
            "dev": _rates(score),
        },
        command or "segmenter.train.train_tagger",
    )
    return TrainedFiles(portable, compiled, card, reports, score)


def adapt_tagger(
    model: Path,
    train: Sequence[Path],
    dev: Path | None = None,
    *,
    out: Path,
    epochs: int = 10,
    rate: float = 0.1,
    pull: float = 0.1,
    seed: int = 1,
    errors: str = "raise",
    progress: bool | None = None,
    command: str = "",
) -> TrainedFiles:
    """Adapt a trained perceptron or CRF with a few hundred sentences of another field.

    Args:
        model: the path of a compiled tagger or its text form, or the name of a shipped one
            (``"general-fast"``).
        train, dev: as for :func:`train_tagger`; without ``dev``, the last epoch is kept.
        out: the compiled file to write; its card is written next to it.
        epochs, rate, pull, seed: see :class:`segmenter.train.adapt.AdaptOptions`.
        errors, progress, command: as for :func:`train_tagger`.

    Raises:
        ArgumentError: the model is an HMM; an option is out of range; ``out`` is ``model``.
        ResourceError: the model was not found.
        DictionaryError, OSError: as for :func:`train_tagger`.
    """
    options = AdaptOptions(epochs=epochs, rate=rate, pull=pull, seed=seed)
    pass_seed(seed, 1)
    source = _find(model)
    target = os.fspath(out)
    if os.path.exists(target) and os.path.samefile(source, target):
        raise ArgumentError(f"out: {target} is the model itself: write to another file")
    start, digest, original = _read(source)
    # folded as by the finished model, which reads 國 as 国: weights of 國 would never be used
    corpus = read_corpus(train, errors=errors, fold=original.fold)
    dev_corpus = None if dev is None else read_corpus([dev], errors=errors, fold=original.fold)
    reports = [*corpus.reports, *(dev_corpus.reports if dev_corpus else ())]
    files = _digests(reports)
    with _bar(epochs, progress) as show:
        adapted = adapt_model(
            start,
            corpus.sentences,
            dev_corpus.sentences if dev_corpus else None,
            options,
            progress=show,
        )
    base = {"name": os.path.basename(source), "sha256": digest}
    origin = {"adapted_from": base, "files": files, "adapt": asdict(options)}
    adapted.model.meta.update(origin, made_with=__version__)
    sections, meta = compile_model(adapted.model, rounded=True)
    os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
    artifact.write(target, form.KIND, sections, meta)
    predictor = Predictor.open(target)
    before = score = None
    if dev_corpus:
        before = _score(original, dev_corpus, corpus)
        score = _score(predictor, dev_corpus, corpus)
    card = f"{os.path.splitext(target)[0]}.{CARD}"
    n_sentences = len(corpus.sentences)
    _write_card(
        card,
        predictor,
        files,
        {
            "algorithm": f"{meta['algorithm']}, adapted from {base['name']} ({digest[:16]})",
            "options": _options({k: v for k, v in asdict(options).items() if k != "seed"}),
            "seed": seed,
            "epochs": f"{adapted.best} of {len(adapted.epochs)}, {n_sentences:,} sentences",
            "dev before": _rates(before),
            "dev": _rates(score),
        },
        command or "segmenter.train.adapt_tagger",
    )
    return TrainedFiles("", target, card, reports, score, before)


def compile_tagger(source: Path, out: Path) -> None:
    """Compile the portable form of a tagger into the file that :func:`segmenter.load` maps.

    Args:
        source: the text form of a linear tagger, or the ``.npz`` of a BiLSTM-CRF, see
            :mod:`segmenter.train.tagging.bilstm_crf`; its linear taggers must be in the same folder
            or be shipped ones.

    Raises:
        DictionaryError: an invalid line, or an array that is missing or has the wrong shape; names
            file, line and reason.
        ResourceError: a linear tagger was not found.
        OSError, ArtifactError: a file cannot be read or written.
    """
    with open(source, "rb") as file:
        zipped = file.read(2) == b"PK"
    if not zipped:
        artifact.write(out, form.KIND, *compile_model(form.read(source)))
        return
    model = bilstm_crf.read(source)
    linears = _linears({s.linear for s in model.standards.values()}, source)
    artifact.write(out, bilstm_crf.KIND, *bilstm_crf.compile_model(model, linears))


def _linears(names: Collection[str], model_path: Path) -> dict[str, artifact.Artifact]:
    """The linear taggers with these file names, in a file's folder or shipped."""
    folder = os.path.dirname(os.path.abspath(model_path))
    return {
        name: artifact.open(path if os.path.isfile(path) else resources.find(name))
        for name in sorted(names)
        for path in [os.path.join(folder, os.path.basename(name))]
    }


def export_tagger(model: Path, out: Path) -> form.LinearModel | bilstm_crf.BilstmCrf:
    """Write the portable form of a compiled tagger: text, or ``.npz`` for a BiLSTM-CRF.

    See :mod:`segmenter.train.tagging.decompile` and
    :func:`segmenter.train.tagging.bilstm_crf.decompile`.

    Args:
        model: the path of a model, or the name of a shipped one.

    Raises:
        ResourceError, ArtifactError: the model was not found, or is damaged.
        ArgumentError: the file is not a tagger.
        OSError: ``out`` cannot be written.
    """
    art = artifact.open(_find(model))
    if art.kind == bilstm_crf.KIND:
        names = {standard["linear"] for standard in art.meta["standards"].values()}
        network = bilstm_crf.decompile(art, _linears(names, art.path))
        network.save(out)
        return network
    portable = decompile(art)
    portable.write(out)
    return portable


def _find(model: Path) -> str:
    path = os.fspath(model)
    if os.path.exists(path) or os.path.basename(path) != path:
        return path
    return resources.find(path if path.endswith(".model") else f"{path}.model")


def _read(path: str) -> tuple[form.LinearModel, str, Predictor]:
    """A model in either form, the digest of its file, and what cuts by it."""
    with open(path, "rb") as file:
        data = file.read()
    digest = sha256(data).hexdigest()
    if data.startswith(form.FIRST_LINE.encode()):
        model = form.read(path)
        sections, meta = compile_model(model)
        model.meta["scale"] = meta["scale"]  # so that adapt() need not compile it again
        return model, digest, Predictor.from_bytes(artifact.pack(form.KIND, sections, meta), path)
    model = decompile(artifact.from_bytes(data, path))
    return model, digest, Predictor.from_bytes(data, path)


def _digests(reports: Sequence[Report]) -> list[dict[str, object]]:
    """The names of the files that were read, without folders, for model and card."""
    rows: list[dict[str, object]] = []
    for report in reports:
        with open(report.path, "rb") as file:
            digest = sha256(file.read()).hexdigest()
        name = os.path.basename(report.path)
        rows.append({"name": name, "sha256": digest, "rows": report.rows})
    return rows


def _score(predictor: Predictor, dev: Corpus, corpus: Corpus) -> scoring.Score:
    """Score a compiled tagger on folded text; OOV words are those not in the training text."""
    cut = Segmenter(None, decoder=predictor.meta["algorithm"], tagger=predictor).cut
    training_words = {word for words in corpus.sentences for word in words}
    lines = ("".join(words) for words in dev.sentences)
    return scoring.score(dev.sentences, list(map(cut, lines)), training_words)


def _rates(score: scoring.Score | None) -> str:
    if score is None:
        return "no dev text was given"
    recall = score.oov_recall
    return (
        f"P {score.precision:.4f}, R {score.recall:.4f}, F1 {score.f1:.4f}, "
        f"recall of unknown words {'-' if recall is None else format(recall, '.4f')}"
    )


def _options(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{k}={v!r}" for k, v in options.items()) or "the defaults"


def _write_card(
    path: str,
    predictor: Predictor,
    files: Sequence[Mapping[str, object]],
    rows: Mapping[str, object],
    command: str,
) -> None:
    meta = predictor.meta
    lines = [f"# {os.path.basename(predictor.name)}", "", "| | |", "|---|---|"]
    all_rows: dict[str, object] = {
        **rows,
        "features": f"{meta['pairs']:,} pairs, {meta['words']:,} words",
        "size": f"{predictor.artifact.size:,} bytes, digest {predictor.digest[:16]}",
        "made with": f"segmenter-zh {__version__}",
        "command": f"`{command}`",
    }
    lines += [f"| {name} | {value} |" for name, value in all_rows.items()]
    lines += ["", "| file | sentences or words | sha-256 |", "|---|---:|---|"]
    lines += [f"| {f['name']} | {f['rows']:,} | {f['sha256']} |" for f in files]
    write_text(path, (line + "\n" for line in lines))


@contextmanager
def _bar(epochs: int, progress: bool | None) -> Iterator[Callable[[Epoch], None] | None]:
    """Show epochs on standard error, if there are any."""
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if not progress or not epochs or sys.stderr is None:
        yield None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield from _counter(epochs)
        return
    with tqdm(total=epochs, unit="epoch", file=sys.stderr) as bar:

        def show(epoch: Epoch) -> None:
            bar.set_postfix_str(_state(epoch), refresh=False)
            bar.update()

        yield show


def _counter(epochs: int) -> Iterator[Callable[[Epoch], None]]:
    started = time.monotonic()

    def show(epoch: Epoch) -> None:
        spent = time.monotonic() - started
        sys.stderr.write(f"\repoch {epoch.number} of {epochs}, {spent:.0f} s, {_state(epoch)}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\n")


def _state(epoch: Epoch) -> str:
    # nan, where there is no dev text, is the one number unequal to itself
    return f"loss {epoch.loss:.0f}" if epoch.f1 != epoch.f1 else f"dev F1 {epoch.f1:.4f}"
