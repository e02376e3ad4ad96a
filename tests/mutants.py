"""Compiled files with right checksums and wrong content: nothing may crash, hang or end in an
error that is not ours.

A mutant is a small file of a kind with sections or metadata changed and every checksum and the
digest computed again, as a faulty or hostile writer would.  It is opened and used for all that its
kind can do.  It may be refused, or give other words; a crash, a hang, or another exception than a
:class:`~segmenter.errors.SegmenterError` is a defect.  Numbers are the same for equal arguments:

    python tests/mutants.py                          300 mutants of each kind
    python tests/mutants.py --count 20000 --kinds lexicon tagger
    python tests/mutants.py --only lexicon:17        one mutant again, with its changes named

``tests/test_mutants.py`` runs a few in a process of its own; ``tests/sanitizers`` many, with an
extension that AddressSanitizer and UBSan watch.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import functools
import io
import json
import os
import random
import sys
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

# at the end: an installed package wins over the checkout's folder of the same name
sys.path += [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]

import worlds

from segmenter import Segmenter, artifact, keywords, pos
from segmenter.errors import SegmenterError
from segmenter.lexicon import Lexicon
from segmenter.lexicon.user import UserDictionary
from segmenter.subword import (
    BPE,
    AddedToken,
    Tokenizer,
    Unigram,
    WordPiece,
    normalise,
    pretokenise,
)
from segmenter.subword.formats import tokenizer_json
from segmenter.subword.model import BYTE_PIECES
from segmenter.tagging import bilstm_crf
from segmenter.tagging import model as form
from segmenter.tagging.decompile import decompile
from segmenter.tagging.predictor import BilstmPredictor, Predictor
from segmenter.tagging.scores import tag_scores

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds after which a mutant counts as one that hangs: a watchdog, not a measurement.
PATIENCE = 120

TEXTS = [
    worlds.GOLDEN,
    "中华人民共和国的人民在3.14年3月，一日千里！\r\n 日日日日日日日ab1的确\u0301实",
    "北京大学生图书馆里的研究生研究生命起源1998年12月3.5%，iPhone15",
    "天地你们他们日月大山中国人山石田土水火木金土大小上下中国",
    "買國際標準的龘堃鑫鑫\U0001f469\u200d\U0001f4bb\ud800\u0301𠀀人\t-5·6/7‰三千五百",
    "乾淨的著名麵條" * 3 + "人" * 40,
]
SHORT = TEXTS[:3]


class Subject(NamedTuple):
    """A kind of compiled file.

    Attributes:
        kind: of the artifact.
        sections, meta: those of a sound file.
        use: does with a file's bytes all that its kind can do.
        fixed: sections that are read by other libraries, which check them as they please.
    """

    kind: str
    sections: dict[str, bytes]
    meta: dict[str, Any]
    use: Callable[[bytes], None]
    fixed: tuple[str, ...] = ()


def _apart(art: artifact.Artifact, name: str, kept: dict[str, memoryview]) -> memoryview:
    """A section in memory of its own that ends where its readable zeros end, for AddressSanitizer:
    in the one mapping of a file every read past a section hits another."""
    import numpy as np

    if name not in kept:
        offset, length, _ = art._table[name]
        room: list[Any] = []
        for spare in (0, 16, 32, 48, 0, 16, 32, 48):
            room.append(np.zeros(spare + length + artifact.GUARD, np.uint8))
            if (room[-1].ctypes.data + spare) % artifact.ALIGNMENT == 0:
                break
        else:
            spare = -room[-1].ctypes.data % artifact.ALIGNMENT
        own = room[-1][spare : spare + length]
        own[:] = np.frombuffer(art._view[offset : offset + length], np.uint8)
        own.flags.writeable = False
        kept[name] = memoryview(own)
    return kept[name]


def keep_sections_apart() -> None:
    """From now on sections of opened files lie apart, see :func:`_apart`."""
    kept: dict[int, tuple[artifact.Artifact, dict[str, memoryview]]] = {}

    def section(art: artifact.Artifact, name: str) -> memoryview:
        if id(art) not in kept or kept[id(art)][0] is not art:
            if len(kept) > 8:
                kept.clear()  # who reads them holds them
            kept[id(art)] = art, {}
        return _apart(art, name, kept[id(art)][1])

    artifact.Artifact._section = section  # type: ignore[method-assign]


# --- what is done with a file ------------------------------------------------------------------


def _each(*calls: Callable[[], object]) -> None:
    """Every call, whether or not those before it refuse the file."""
    for call in calls:
        with contextlib.suppress(SegmenterError):
            call()


def _cut(s: Segmenter, texts: list[str] = TEXTS) -> None:
    for text in texts:
        s.ends(text)
        assert s.skip or "".join(s.cut(text)) == text
    _each(
        lambda: s.cut_batch(texts, 2),
        lambda: s.cut_bytes("\n".join(texts).encode("utf-8", "replace"), threads=2),
        lambda: [s.tokenize(text) for text in texts],
        lambda: [s.nbest(text, 3) for text in SHORT],
    )


def _all(s: Segmenter) -> None:
    _cut(s)
    _each(
        lambda: [str(s.explain(text)) for text in SHORT],
        lambda: [s.dag(text) for text in SHORT],
        lambda: [s.cut_all(text) for text in SHORT],
        lambda: [s.cut_for_search(text) for text in SHORT],
    )


_world = functools.cache(worlds.lexicon)


def _now_and_then(data: bytes) -> bool:
    """Whether a mutant gets what takes long, by its digest."""
    return data[50] % 8 == 0


WORDS_OF_USER = [("的确", "delete"), ("共和国的", "force"), ("图书馆里", 30.0), "国际标准"]


def _lexicon(data: bytes) -> None:
    lexicon = Lexicon.from_bytes(data, variants=len(data) % 3 != 0)
    for decoder in worlds.ALL_DECODERS:
        _each(lambda decoder=decoder: _cut(Segmenter(lexicon, decoder=decoder), SHORT))  # type: ignore[misc]
    _each(
        lambda: _all(Segmenter(lexicon)),
        lambda: _cut(Segmenter(lexicon, oov="keep", skip=["punct", "space"], user=WORDS_OF_USER)),
        lambda: _cut(Segmenter(lexicon, matcher="aho-corasick"), SHORT),
        lambda: list(lexicon),
        lambda: [lexicon.count(word) for word in worlds.GOLDEN_WORDS],
        lambda: [lexicon.native.fold(text) for text in TEXTS],
        lambda: lexicon.artifact.describe(),
    )


def _marisa(data: bytes) -> None:
    lexicon = Lexicon.from_bytes(data)
    _each(lambda: _all(Segmenter(lexicon)), lambda: list(lexicon), lambda: lexicon.count("的确"))


def _idf(data: bytes) -> None:
    table = keywords.Idf(Lexicon.from_bytes(data))
    for word in ("吃", "鱼", "无此词"):
        table.idf(word)


def _tagger(data: bytes) -> None:
    predictor = Predictor.from_bytes(data, variants=len(data) % 3 != 0)
    kind = predictor.meta.get("algorithm", "crf")

    def made(**more: Any) -> Segmenter:
        return Segmenter(None, decoder=kind, tagger=predictor, **more)

    _each(
        lambda: _cut(made()),
        lambda: _cut(made(user=WORDS_OF_USER, skip=["punct"])),
        lambda: [tag_scores(made(), text) for text in SHORT],
        lambda: predictor.fold(TEXTS[4]),
        lambda: _now_and_then(data) and decompile(predictor.artifact),
        lambda: _cut(Segmenter(_world(), oov="tagger", guesser=predictor), SHORT),
    )


def _pos(data: bytes) -> None:
    tagger = pos.PosTagger.from_bytes(data)
    words = ["他", "在", "北京", "研究", "历史", "。", " ", "\n", "iPhone", "2026年", "龘堃"]
    words.append("的" * 9)
    tagger.tags(words * 3)
    tagger.tags(words, ["r", None] * 6)
    tagger.pairs(words)


def _user(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.user"
        path.write_bytes(data)
        user = UserDictionary.load(path)
        _each(
            lambda: _cut(Segmenter(_world(), user=user)),
            lambda: list(user),
            lambda: user.dumps(),
            lambda: user.without(["的确"]).with_words(["确实在"]),
        )


def _subword(data: bytes) -> None:
    _tokenizer(Tokenizer.from_bytes(data))


def _tokenizer(t: Tokenizer) -> None:
    for text in (*SHORT, "low lower\n<s>", ""):
        encoded = None
        with contextlib.suppress(SegmenterError):
            encoded = t.encode(text)
        if encoded is not None:
            _each(
                lambda encoded=encoded: (encoded.offsets, encoded.tokens),  # type: ignore[misc]
                lambda encoded=encoded: t.decode(encoded.ids),  # type: ignore[misc]
            )
    _each(
        lambda: t.encode_batch(SHORT),
        lambda: t.to_bytes(),
        lambda: tokenizer_json.to_config(t),
        lambda: _cut(Segmenter(_world(), oov="bpe", subwords=t), SHORT),
    )


# --- the sound files -----------------------------------------------------------------------------


def _of(kind: str, data: bytes, use: Callable[[bytes], None], *fixed: str) -> Subject:
    art = artifact.from_bytes(data)
    sections = {name: bytes(art.section(name)) for name in art.names()}
    return Subject(kind, sections, art.meta, use, fixed)


def _packed(model: form.LinearModel) -> bytes:
    return artifact.pack(form.KIND, *form.compile_model(model))


def _linear(tags: int) -> bytes:
    import test_tagging

    from segmenter.train import tagger

    options = tagger.Options(epochs=2, tags=tags)
    made = tagger.train(test_tagging.TRAIN[:150], None, [test_tagging.OUTER], options)
    return _packed(made.model)


def _bilstm() -> Subject:
    import test_bilstm

    from segmenter.tagging.features import Source
    from segmenter.train import tagger

    made = tagger.train(
        test_bilstm.sentences(100, 1),
        sources=[Source("list", dict.fromkeys(test_bilstm.WORDS, 1))],
        options=tagger.Options(algorithm="crf", epochs=1),
    )
    beside = _packed(made.model)
    art = artifact.from_bytes(beside, "line.model")
    network = test_bilstm.network(hidden=8, layers=2)
    data = artifact.pack(
        bilstm_crf.KIND, *bilstm_crf.compile_model(network, {"line.model": art})
    )

    def use(data: bytes) -> None:
        art = artifact.from_bytes(data, kind=BilstmPredictor.KIND)
        linear = Predictor.from_bytes(beside, "line.model")
        model = BilstmPredictor(art, "one", lambda _: linear)
        s = Segmenter(None, decoder="bilstm-crf", tagger=model)
        _each(
            lambda: _cut(s),
            lambda: [tag_scores(s, text) for text in SHORT],
            lambda: (
                _now_and_then(data)
                and bilstm_crf.decompile(art, {"line.model": linear.artifact})
            ),
        )

    return _of(bilstm_crf.KIND, data, use)


def _pieces(n: int) -> list[str]:
    return [w for w in [*worlds.COUNTS, *"鑫堃low er"] if len(w) <= n]


MODELS = ("unigram", "bpe", "wordpiece")


def tokenizers() -> dict[str, Tokenizer]:
    """One of each model, with steps of many types."""
    pieces = list(dict.fromkeys([*BYTE_PIECES, *_pieces(2)]))
    unigram = Unigram([(p, -1.0 - i / 8) for i, p in enumerate(pieces)], byte_fallback=True)
    merges = [(w[0], w[1]) for w in pieces if len(w) == 2 and {*w} <= {*pieces}]
    bpe = BPE({p: i for i, p in enumerate(pieces)}, merges, byte_fallback=True)
    words = ["[UNK]", *_pieces(2), *("##" + c for c in "的确实人")]
    piece = WordPiece({p: i for i, p in enumerate(dict.fromkeys(words))}, "[UNK]")
    return {
        "unigram": Tokenizer(
            unigram,
            normaliser=normalise.Sequence([normalise.NFKC(), normalise.Replace("low", "er")]),
            pretokeniser=pretokenise.Metaspace(),
            added=[AddedToken("<s>", 5000, special=True)],
        ),
        "bpe": Tokenizer(bpe, pretokeniser=pretokenise.Split("[的，]", "Isolated", regex=True)),
        "wordpiece": Tokenizer(piece, pretokeniser=pretokenise.BertPreTokenizer()),
    }


def _subjects() -> dict[str, Callable[[], Subject]]:
    def lexicon() -> Subject:
        return _of("lexicon", worlds.lexicon().to_bytes(), _lexicon)

    def jieba() -> Subject:
        rows = [(w, n, "") for w, n in worlds.COUNTS.items()]
        return _of("lexicon", Lexicon.build(rows, profile="jieba").to_bytes(), _lexicon)

    def marisa() -> Subject:
        rows = [(w, n, "x") for w, n in worlds.COUNTS.items()]
        data = Lexicon.build(rows, matcher="marisa").to_bytes()
        return _of("lexicon", data, _marisa, "marisa.trie")

    def idf() -> Subject:
        table = keywords.Idf.count([["猫", "吃", "鱼"], ["狗", "吃"]], stop_words=["的"])
        return _of("lexicon", table.lexicon.to_bytes(), _idf)

    def tags() -> Subject:
        import test_pos

        from segmenter.train import pos as training

        made = training.train(test_pos.SENTENCES, test_pos.LISTED, test_pos.OPTIONS)
        assert training
        return _of(pos.KIND, made.to_bytes(), _pos)

    def user() -> Subject:
        words = [
            "的确", ("确实在理", "force", "d"), ("人民", 9.5), ("民共", "delete"), "iPhone 15",
            ("中华人民共和国", "prefer", "ns", {"id": 1}), "一" * 40, ("一" * 39 + "二", "prefer"),
        ]  # fmt: skip
        one = UserDictionary(words).with_words(["New York", "ＡＢＣ"], fold=True)
        one = one.with_words(["國際"], script=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "words.user"
            one.save(path)
            return _of("user", path.read_bytes(), _user)

    def subword(name: str) -> Callable[[], Subject]:
        return lambda: _of("subword", tokenizers()[name].to_bytes(), _subword)

    return {
        "lexicon": lexicon,
        "jieba": jieba,
        "marisa": marisa,
        "idf": idf,
        "tagger": lambda: _of(form.KIND, _linear(4), _tagger),
        "tagger6": lambda: _of(form.KIND, _linear(6), _tagger),
        "bilstm": _bilstm,
        "pos": tags,
        "user": user,
        **{f"subword-{name}": subword(name) for name in MODELS},
        **{f"json-{name}": functools.partial(_json, name) for name in MODELS},
    }


# --- what is changed -----------------------------------------------------------------------------

ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 7, 255, 1 << 31, 1 << 64, 10**400, 0.0, -0.5, 1e308, "", "x",
    "../x", "a\0b", "的", [], {}, [None], ["x"], {"x": 1}, [[]], "9" * 50,
]  # fmt: skip


def changed_json(pick: random.Random, value: Any) -> tuple[Any, str]:
    """The value with one thing in it changed, and what."""
    root = {"": value}
    places: list[tuple[Any, Any, str]] = []

    def walk(inside: Any, path: str) -> None:
        if len(places) > 3000:
            return
        rows = inside.items() if isinstance(inside, dict) else enumerate(inside)
        for key, item in list(rows):
            places.append((inside, key, f"{path}/{key}"))
            if isinstance(item, (dict, list)):
                walk(item, f"{path}/{key}")

    root = json.loads(json.dumps(root))
    walk(root, "")
    # what lies on the top is read first: as likely as all that lies below
    shallow = [place for place in places if place[2].count("/") < 5]
    inside, key, path = pick.choice(pick.choice([places, shallow]))
    what = pick.randrange(4)
    if what == 0 and key != "":
        del inside[key]
        return root[""], f"{path} removed"
    if what == 1 and isinstance(inside, list):
        inside.insert(pick.randrange(len(inside) + 1), pick.choice(ODD_VALUES))
        return root[""], f"{path} beside it"
    other = inside[pick.choice(list(inside))] if isinstance(inside, dict) and what == 2 else None
    new = pick.choice(ODD_VALUES) if other is None else other
    inside[key] = new
    return root[""], f"{path} = {str(new)[:30]!r}"


def changed_bytes(pick: random.Random, data: bytes) -> tuple[bytes, str]:
    """The bytes of a section with something in them changed, and what."""
    out = bytearray(data)
    what = pick.randrange(8)
    width = pick.choice((1, 2, 4, 8))
    at = pick.randrange(max(1, len(out) // width)) * width
    odd = (0, 1, (1 << 8 * width) - 1, 1 << 8 * width - 1, pick.getrandbits(8 * width))
    if what == 0 or not out:
        extra = pick.randbytes(pick.choice((1, 2, 4, 8, 16, 64, 512)))
        return bytes(out) + extra, f"{len(extra)} bytes added"
    if what == 1:
        size = pick.choice((0, 1, len(out) // 2, max(0, len(out) - width)))
        return bytes(out[:size]), f"cut to {size}"
    if what == 2:
        size = pick.choice((16, 256, 4096))
        out[at : at + size] = pick.randbytes(len(out[at : at + size]))
        return bytes(out), f"{size} random bytes at {at}"
    if what == 3:
        size, other = pick.choice((width, 64, 1024)), pick.randrange(len(out))
        out[at : at + size] = out[other : other + len(out[at : at + size])]
        return bytes(out[: len(data)]).ljust(len(data), b"\0"), f"{size} bytes of {other} at {at}"
    if what == 4:
        value = pick.choice(odd).to_bytes(width, "little")
        return (value * (len(out) // width + 1))[: len(out)], f"all {value.hex()}"
    for _ in range(pick.choice((1, 1, 2, 8, 64))):
        at = pick.randrange(max(1, len(out) // width)) * width
        if what == 5:
            out[pick.randrange(len(out))] ^= 1 << pick.randrange(8)
        else:
            value = pick.choice((*odd, (int.from_bytes(out[at : at + width], "little") + 1)))
            value &= (1 << 8 * width) - 1
            out[at : at + width] = value.to_bytes(width, "little")[: len(out[at : at + width])]
    return bytes(out), f"numbers of {width} bytes, the last at {at}"


def mutant(subject: Subject, number: int, name: str) -> tuple[bytes, str]:
    """The bytes of a mutant, the same for the same number, and what was changed."""
    pick = random.Random(f"{name} {number}")
    sections, meta, notes = dict(subject.sections), subject.meta, []
    small = [n for n in sections if len(sections[n]) < 4096]
    for _ in range(pick.choice((1, 1, 1, 2, 3))):
        if pick.random() < 0.2:
            meta, note = changed_json(pick, meta)
            meta = meta if isinstance(meta, dict) else {}
        else:
            which = pick.choice(sorted(small if small and pick.random() < 0.3 else sections))
            if which in subject.fixed:
                continue
            what = pick.random()
            if what < 0.03:
                del sections[which]
                small = [n for n in small if n != which]
                note = "removed"
            elif what < 0.06:
                sections[which] = sections[pick.choice(sorted(set(sections) - {*subject.fixed}))]
                note = "that of another"
            else:
                sections[which], note = changed_bytes(pick, sections[which])
            note = f"{which}: {note}"
        notes.append(note)
    return artifact.pack(subject.kind, sections, meta), "; ".join(notes)


# --- tokenizer.json: no artifact, but a file of many parts all the same --------------------------


def _json(name: str) -> Subject:
    config = tokenizer_json.to_config(tokenizers()[name])
    return Subject("json", {}, config, lambda data: _use_json(data))


def _use_json(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_bytes(data)
        _tokenizer(tokenizer_json.load(path))


def json_mutant(subject: Subject, number: int, name: str) -> tuple[bytes, str]:
    """As :func:`mutant`, of a JSON file."""
    pick = random.Random(f"{name} {number}")
    config, notes = subject.meta, []
    for _ in range(pick.choice((1, 1, 2, 3))):
        config, note = changed_json(pick, config)
        notes.append(note)
    data = json.dumps(config).encode("utf-8")
    if pick.random() < 0.1:
        data, note = changed_bytes(pick, data)
        notes.append(note)
    if pick.random() < 0.02:
        data = b'{"model":' * 5000 + data
        notes.append("nested deeply")
    return data, "; ".join(notes)


SUBJECTS = _subjects()


def run(name: str, numbers: range, verbose: bool = False) -> list[str]:
    """Uses mutants; returns what ended otherwise than it may."""
    subject = SUBJECTS[name]()
    made = json_mutant if subject.kind == "json" else mutant
    if subject.kind != "json":
        subject.use(artifact.pack(subject.kind, subject.sections, subject.meta))
    faults = []
    refused = 0
    for number in numbers:
        data, note = made(subject, number, name)
        # where a crash or a hang can be read from afterwards
        _now.seek(0)
        _now.truncate()
        print(f"{name}:{number} {note}", file=_now, flush=True)
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        try:
            subject.use(data)
        except SegmenterError as error:
            refused += 1
            str(error)
        except Exception:
            faults.append(f"{name}:{number} ({note})\n{traceback.format_exc()}")
        finally:
            faulthandler.cancel_dump_traceback_later()
        if verbose:
            print(f"{name}:{number} {note}")
    said = f"{name}: {len(numbers):,} mutants, {refused:,} refused, {len(faults)} faults"
    print(said, flush=True)
    return faults


_now: io.TextIOBase = io.StringIO()


def main() -> int:
    global _now
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=300, help="mutants of each kind")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--kinds", nargs="*", default=list(SUBJECTS), choices=list(SUBJECTS))
    parser.add_argument("--only", help="one mutant, KIND:NUMBER")
    parser.add_argument("--now", default=os.devnull, help="a file that names the mutant under way")
    given = parser.parse_args()
    faulthandler.enable()
    keep_sections_apart()
    numbers = range(given.first, given.first + given.count)
    kinds = given.kinds
    if given.only:
        name, _, number = given.only.partition(":")
        kinds, numbers = [name], range(int(number), int(number) + 1)
    with open(given.now, "w", encoding="utf-8") as _now:
        faults = [f for name in kinds for f in run(name, numbers, bool(given.only))]
    for fault in faults[:20]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
