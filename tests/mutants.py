"""Compiled files with right checksums and wrong content: nothing may crash, hang or end in an
error that is not ours.

A mutant is a small file of a kind with sections or metadata changed and every checksum and the
digest computed again, as a faulty or hostile writer would.  It is opened and used for all that its
kind can do.  It may be refused, or give other words; a crash, a hang, or another exception than a
:class:`~segmenter.errors.SegmenterError` is a defect.  Numbers are the same for equal arguments:

    python tests/mutants.py                          300 mutants of each kind
    python tests/mutants.py --count 20000 --kinds lexicon tagger
    python tests/mutants.py --only lexicon:17        one mutant again, with its changes named
    python tests/mutants.py --kinds best             the shipped file of the encoder

``tests/together/test_mutants.py`` runs a few in a process of its own; ``tests/sanitizers`` many,
with an extension that AddressSanitizer and UBSan watch.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import io
import random
import sys
import tempfile
import traceback
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any

# at the end: an installed package wins over the checkout's folder of the same name
sys.path += [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]

import network_text
import tagged_text
import tagger_text
import worlds
from mutant_files import PLAIN, plain_mutant, use_plain
from mutant_uses import (
    MODELS,
    SHORT,
    Subject,
    Turn,
    cut,
    each,
    now_and_then,
    tokenizers,
    use_idf,
    use_lexicon,
    use_marisa,
    use_pos,
    use_subword,
    use_tagger,
    use_user,
)
from mutations import changed_bytes, changed_container, changed_json

from segmenter import Segmenter, artifact, keywords, load
from segmenter.artifact.packing import META, _meta_bytes
from segmenter.errors import SegmenterError
from segmenter.lexicon import Lexicon
from segmenter.lexicon.user import UserDictionary
from segmenter.serve.scores import tag_scores
from segmenter.tagging import pos
from segmenter.tagging.predictor import BilstmPredictor, EncoderPredictor, Predictor
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds after which sixty-four mutants count as ones that hang: a watchdog, not a measurement.
PATIENCE = 300
BEST = "best"


def _apart(data: memoryview | bytes) -> memoryview:
    """A section in memory of its own that ends where its readable zeros end, for AddressSanitizer:
    in the one mapping of a file every read past a section hits another."""
    import numpy as np

    length = len(data)
    room: list[Any] = []
    for spare in (0, 16, 32, 48, 0, 16, 32, 48):
        room.append(np.zeros(spare + length + artifact.GUARD, np.uint8))
        if (room[-1].ctypes.data + spare) % artifact.ALIGNMENT == 0:
            break
    else:
        spare = -room[-1].ctypes.data % artifact.ALIGNMENT
    section = room[-1][spare : spare + length]
    section[:] = np.frombuffer(data, np.uint8)
    section.flags.writeable = False
    return memoryview(section)


def keep_sections_apart() -> None:
    """From now on sections of opened files lie apart, see :func:`_apart`."""
    sections: dict[int, tuple[artifact.Artifact, dict[str, memoryview]]] = {}

    def section(art: artifact.Artifact, name: str) -> memoryview:
        if id(art) not in sections or sections[id(art)][0] is not art:
            if len(sections) > 8:
                sections.clear()  # who reads them holds them
            sections[id(art)] = art, {}
        section = sections[id(art)][1]
        if name not in section:
            offset, length = art._table[name]
            section[name] = _apart(art._view[offset : offset + length])
        return section[name]

    artifact.Artifact._section = section  # type: ignore[method-assign]


class Parts(artifact.Artifact):
    """A file as it is when its checksums have been found right, without making and checking them:
    sections apart from each other, those that a mutant leaves alone shared by all mutants."""

    __slots__ = ("_parts",)

    def __init__(self, kind: str, parts: dict[str, memoryview], digest: str) -> None:
        self.path, self.kind, self.version, self.digest = "<mutant>", kind, 1, digest
        self._parts = parts
        self._table = {name: (0, len(part)) for name, part in sorted(parts.items())}
        self.size = sum(map(len, parts.values()))

    def _section(self, name: str) -> memoryview:
        return self._parts[name]


# --- the sound files -----------------------------------------------------------------------------


def _of(kind: str, data: bytes, use: Callable[[artifact.Artifact], None], *fixed: str) -> Subject:
    art = artifact.from_bytes(data)
    sections = {name: bytes(art.section(name)) for name in art.names()}
    return Subject(kind, sections, art.meta, use, fixed)


def _packed(model: form.LinearModel) -> bytes:
    return artifact.pack(form.KIND, *compile_model(model))


def linear(algorithm: str = "perceptron") -> bytes:
    from segmenter.train import tagger

    options = tagger.TaggerOptions(algorithm=algorithm, epochs=2)
    sources = [] if algorithm == "hmm" else [tagger_text.OUTER]
    trained = tagger.train(tagger_text.TRAIN[:150], None, sources, options)
    return _packed(trained.model)


def with_rows_of_characters() -> bytes:
    """A tagger with 16-bit weights of characters, as jieba's HMM has."""
    art = artifact.from_bytes(linear())
    sections = {name: bytes(art.section(name)) for name in art.names()}
    rows = random.Random(5).choices(range(-31744, 31745), k=4 * len(sections["charmap.classes"]))
    sections["tagger.alone"] = array("h", rows).tobytes()
    return artifact.pack(form.KIND, sections, art.meta)


def _bilstm() -> Subject:
    from segmenter.train import tagger
    from segmenter.train.tagging.features import FeatureSource

    trained = tagger.train(
        network_text.sentences(100, 1),
        sources=[FeatureSource("list", dict.fromkeys(network_text.WORDS, 1))],
        options=tagger.TaggerOptions(algorithm="crf", epochs=1),
    )
    tagger_model = _packed(trained.model)
    art = artifact.from_bytes(tagger_model, "line.model")
    network = network_text.network(hidden=8, layers=2)
    data = artifact.pack(bilstm_crf.KIND, *bilstm_crf.compile_model(network, {"line.model": art}))

    linear = Predictor.from_bytes(tagger_model, "line.model")

    def use(art: artifact.Artifact) -> None:
        model = BilstmPredictor(art, "one", lambda _: linear)
        s = Segmenter(None, decoder="bilstm-crf", tagger=model)
        each(
            lambda: cut(s),
            lambda: tag_scores(s, SHORT[Turn.number % len(SHORT)]),
            lambda: now_and_then() and bilstm_crf.decompile(art, {"line.model": linear.artifact}),
        )

    return _of(bilstm_crf.KIND, data, use)


def _encoder() -> Subject:
    import encoder_text

    from segmenter.train import tagger
    from segmenter.train.tagging.features import FeatureSource

    trained = tagger.train(
        network_text.sentences(100, 1),
        sources=[FeatureSource("list", dict.fromkeys(network_text.WORDS, 1))],
        options=tagger.TaggerOptions(algorithm="crf", epochs=1),
    )
    tagger_model = _packed(trained.model)
    linear = Predictor.from_bytes(tagger_model, "line.model")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "line.model"
        path.write_bytes(tagger_model)
        net = encoder_text.network(width=64, wide=64, layers=1)
        data = encoder_text.compiled(net, path, Path(folder) / "small.model").read_bytes()

    def use(art: artifact.Artifact) -> None:
        s = Segmenter(
            None, decoder="encoder-crf", tagger=EncoderPredictor(art, "one", lambda _: linear)
        )
        each(
            lambda: cut(s),
            lambda: tag_scores(s, SHORT[Turn.number % len(SHORT)]),
            lambda: now_and_then() and s.cut(network_text.LETTERS * 3),
        )

    return _of(EncoderPredictor.KIND, data, use)


def _best() -> Subject:
    """The shipped file of ``best`` itself, which takes longer than a small one."""
    s = load("best")
    assert isinstance(s.tagger, EncoderPredictor)
    linear = s.tagger.linear

    def use(art: artifact.Artifact) -> None:
        s = Segmenter(
            None, decoder="encoder-crf", tagger=EncoderPredictor(art, "general", lambda _: linear)
        )
        each(
            lambda: s.cut(SHORT[Turn.number % len(SHORT)]),
            lambda: tag_scores(s, SHORT[Turn.number % len(SHORT)]),
        )

    return _of(EncoderPredictor.KIND, Path(s.tagger.artifact.path).read_bytes(), use)


def _subjects() -> dict[str, Callable[[], Subject]]:
    def lexicon() -> Subject:
        return _of("lexicon", worlds.lexicon().to_bytes(), use_lexicon)

    def jieba() -> Subject:
        rows = [(w, n, "") for w, n in worlds.COUNTS.items()]
        return _of("lexicon", Lexicon.build(rows, profile="jieba").to_bytes(), use_lexicon)

    def marisa() -> Subject:
        rows = [(w, n, "x") for w, n in worlds.COUNTS.items()]
        data = Lexicon.build(rows, matcher="marisa").to_bytes()
        return _of("lexicon", data, use_marisa, "marisa.trie")

    def idf() -> Subject:
        table = keywords.Idf.count([["猫", "吃", "鱼"], ["狗", "吃"]], stop_words=["的"])
        return _of("lexicon", table.lexicon.to_bytes(), use_idf)

    def tags() -> Subject:
        from segmenter.train import pos as training

        trained = training.train(tagged_text.SENTENCES, tagged_text.LISTED, tagged_text.OPTIONS)
        assert training
        return _of(pos.KIND, trained.to_bytes(), use_pos)

    def user() -> Subject:
        words = [
            "的确", ("确实在理", "force", "d"), ("人民", 9.5), ("民共", "delete"), "iPhone 15",
            ("中华人民共和国", "prefer", "ns", {"id": 1}), "一" * 40, ("一" * 39 + "二", "prefer"),
        ]  # fmt: skip
        user = UserDictionary(words).with_words(["New York", "ＡＢＣ"], fold=True)
        user = user.with_words(["國際"], script=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "words.user"
            user.save(path)
            return _of("user", path.read_bytes(), use_user)

    def subword(name: str) -> Callable[[], Subject]:
        return lambda: _of("subword", tokenizers()[name].to_bytes(), use_subword)

    return {
        "lexicon": lexicon,
        "jieba": jieba,
        "marisa": marisa,
        "idf": idf,
        "tagger": lambda: _of(form.KIND, linear(), use_tagger),
        "alone": lambda: _of(form.KIND, with_rows_of_characters(), use_tagger),
        "hmm": lambda: _of(form.KIND, linear("hmm"), use_tagger),
        "bilstm": _bilstm,
        "encoder": _encoder,
        BEST: _best,
        "pos": tags,
        "user": user,
        **{f"subword-{name}": subword(name) for name in MODELS},
    }


# --- one mutant ---------------------------------------------------------------------------------


def mutant(
    subject: Subject, number: int, name: str
) -> tuple[dict[str, bytes], dict[str, Any], str]:
    """Sections and metadata of a mutant, the same for the same number, and what was changed."""
    pick = random.Random(f"{name} {number}")
    sections, meta, notes = dict(subject.sections), subject.meta, []
    small = [n for n in sections if len(sections[n]) < 4096]
    sizes = sorted({len(data) for data in sections.values()})
    for _ in range(pick.choice((1, 1, 1, 2, 3))):
        if pick.random() < 0.2:
            meta, note = changed_json(pick, meta)
            meta = meta if isinstance(meta, dict) else {}
        else:
            kind = pick.choice(sorted(small if small and pick.random() < 0.3 else sections))
            if kind in subject.fixed:
                continue
            draw = pick.random()
            if draw < 0.03:
                del sections[kind]
                small = [n for n in small if n != kind]
                note = "removed"
            elif draw < 0.06:
                sections[kind] = sections[pick.choice(sorted(set(sections) - {*subject.fixed}))]
                note = "that of another"
            else:
                sections[kind], note = changed_bytes(pick, sections[kind], sizes)
            note = f"{kind}: {note}"
        notes.append(note)
    return sections, meta, "; ".join(notes)


def opened(
    subject: Subject, sections: dict[str, bytes], meta: dict[str, Any], number: int
) -> artifact.Artifact:
    """The mutant as a file that has been opened.

    Of sixteen one is written whole, checksums and digest computed, and read again, with the
    numbers of its container changed in every other one; the rest are :class:`Parts`.

    Raises:
        ArtifactError: its container was changed.
    """
    if number % 16 == 5:
        data = artifact.pack(subject.kind, sections, meta)
        if number % 32 == 5:
            data = changed_container(random.Random(f"container {number}"), data)
        return artifact.from_bytes(data, kind=subject.kind)
    if id(subject) not in _PARTS:
        _PARTS.clear()
        _PARTS[id(subject)] = {n: (d, _apart(d)) for n, d in subject.sections.items()}
    opened_parts = _PARTS[id(subject)]
    parts = {META: memoryview(_meta_bytes(meta))}
    for name, data in sections.items():
        part = opened_parts.get(name)
        parts[name] = part[1] if part and part[0] is data else _apart(data)
    return Parts(subject.kind, parts, f"{number:064x}")


_PARTS: dict[int, dict[str, tuple[bytes, memoryview]]] = {}


COMPILED = _subjects()
#: Names of the kinds that are small files; BEST is asked for by name.
SUBJECTS = (*(name for name in COMPILED if name != BEST), *PLAIN)


def run(name: str, numbers: range, verbose: bool = False) -> list[str]:
    """Uses mutants; returns what ended otherwise than it may."""
    if name in PLAIN:
        plain = PLAIN[name]()
        use_plain(plain, plain.data)

        def mutant_of(n: int) -> tuple[Callable[[], None], str]:
            data, note = plain_mutant(plain, n, name)
            return lambda: use_plain(plain, data), note
    else:
        subject = COMPILED[name]()
        subject.use(opened(subject, subject.sections, subject.meta, 0))

        def mutant_of(n: int) -> tuple[Callable[[], None], str]:
            sections, meta, note = mutant(subject, n, name)
            return lambda: subject.use(opened(subject, sections, meta, n)), note

    faults = []
    refused = 0
    for number in numbers:
        Turn.of(number)
        use, note = mutant_of(number)
        # where a crash or a hang can be read from afterwards
        _now.seek(0)
        _now.write(f"{name}:{number} {note}\n")
        _now.truncate()
        _now.flush()
        if number % 64 == 0 or number == numbers[0]:  # each starts a thread
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
        try:
            use()
        except SegmenterError as error:
            refused += 1
            str(error)
        except Exception:
            faults.append(f"{name}:{number} ({note})\n{traceback.format_exc()}")
        if verbose:
            print(f"{name}:{number} {note}")
    faulthandler.cancel_dump_traceback_later()
    said = f"{name}: {len(numbers):,} mutants, {refused:,} refused, {len(faults)} faults"
    print(said, flush=True)
    return faults


_now: io.TextIOBase = io.StringIO()


def main() -> int:
    global _now
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=300, help="mutants of each kind")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--kinds", nargs="*", default=list(SUBJECTS), choices=[*SUBJECTS, BEST])
    parser.add_argument("--only", help="one mutant, KIND:NUMBER")
    parser.add_argument("--now", help="a file that names the mutant under way")
    args = parser.parse_args()
    faulthandler.enable()
    keep_sections_apart()
    gc.collect()
    gc.freeze()  # what is there by now stays: a third of the time was the collector's
    numbers = range(args.first, args.first + args.count)
    kinds = args.kinds
    if args.only:
        name, _, number = args.only.partition(":")
        kinds, numbers = [name], range(int(number), int(number) + 1)
    with open(args.now, "w", encoding="utf-8") if args.now else io.StringIO() as _now:
        faults = [f for name in kinds for f in run(name, numbers, bool(args.only))]
    for fault in faults[:20]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
