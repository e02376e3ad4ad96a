"""BiLSTM-CRFs: the predictor against two references, one text against many, and their files."""

from __future__ import annotations

import pickle
import random
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from network_text import LETTERS, WORDS, network, sentences
from reference import floats
from reference.bilstm import Bilstm
from reference.scorer import Scorer, decode

import segmenter
from segmenter import artifact, train
from segmenter.core import Segmenter
from segmenter.errors import ArgumentError, ArtifactError, DictionaryError
from segmenter.kernels import _engine, _models
from segmenter.tagging.predictor import BilstmPredictor, Predictor
from segmenter.train import tagger
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.features import FeatureSource
from segmenter.train.tagging.scheme import allowed

if TYPE_CHECKING:
    from pathlib import Path

INSTRUCTIONS = _models.instruction_sets()


@pytest.fixture(scope="module")
def linear(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A linear tagger of a made-up language, with lexicon features."""
    trained = tagger.train(
        sentences(200, 1),
        sources=[FeatureSource("list", dict.fromkeys(WORDS, 1))],
        options=tagger.TaggerOptions(algorithm="crf", epochs=2),
    )
    path = tmp_path_factory.mktemp("bilstm") / "line.model"
    artifact.write(path, form.KIND, *compile_model(trained.model))
    return path


@pytest.fixture(scope="module")
def small(linear: Path) -> Path:
    """A compiled model of random weights beside its linear tagger."""
    path = linear.parent / "small.model"
    compiled(network(), linear, path)
    return path


def compiled(model: bilstm_crf.BilstmCrf, linear: Path, path: Path) -> Path:
    sections = bilstm_crf.compile_model(model, {"line.model": artifact.open(linear)})
    artifact.write(path, bilstm_crf.KIND, *sections)
    return path


def weights(path: Path, standard: str = "one", vectors: str | None = None) -> Any:
    art = artifact.open(path)
    return _models.NetworkWeights(
        Predictor.open(path.parent / "line.model").native,
        {name: art.section(name) for name in art.names()},
        _models.NetworkMeta(art.meta_bytes, art.kind, art.path, standard),
        instructions=vectors,
    )


def engine(path: Path, standard: str = "one", vectors: str | None = None) -> Any:
    return _engine.Engine(weights(path, standard, vectors))


def a_text(n: int, seed: int) -> str:
    return "".join(w for words in sentences(n // 10 + 1, seed) for w in words)[:n]


texts = st.lists(
    st.one_of(
        st.sampled_from([*WORDS, *LETTERS, " ", "\n", "\r", "\r\n", "a1", "1998年", "㐀", "𠀀"]),
        st.characters(),
        st.sampled_from(["\ud800", "\udfff", "\0"]),
    ),
    max_size=40,
).map("".join)


# --- against the references --------------------------------------------------------------------


@pytest.mark.parametrize("vectors", INSTRUCTIONS)
@pytest.mark.parametrize(
    ("hidden", "layers", "size"),
    [(20, 1, 1.5), (32, 1, 0.5), (33, 2, 1.5), (64, 1, 4.0), (5, 3, 1.0)],
)
def test_compiled_gives_the_integers_of_the_reference(
    linear: Path, tmp_path: Path, vectors: str, hidden: int, layers: int, size: float
) -> None:
    model = network(hidden, hidden, layers, size=size)
    shutil.copy(linear, tmp_path / "line.model")
    path = compiled(model, linear, tmp_path / "m.model")
    art = artifact.open(path)
    sections = {name: art.section(name) for name in art.names()}
    compiled_linear = artifact.open(linear)
    scale = compiled_linear.meta["scale"]
    from segmenter.train.tagging.decompile import decompile

    portable = decompile(compiled_linear)
    for s, standard in art.meta["standards"].items():
        ints = Bilstm(sections, standard["number"])
        native = weights(path, s, vectors)
        for seed in range(3):
            text = a_text(1 + 23 * seed, seed)
            slots = floats.word_slots(text, model.standards[s].words)
            line = np.round(Scorer(portable)(text) * scale).astype(np.int64)
            factor = round(standard["linear_weight"] * bilstm_crf.UNITS / scale * 2**32)
            want = ints.emissions(
                text, slots.tolist(), (line[:, :3] - line[:, 3:]).tolist(), factor
            )
            got = np.frombuffer(native.emissions(text), np.int16).reshape(-1, 4)[:, :3]
            assert got.tolist() == want


@pytest.mark.parametrize("hidden", [96, 128, 160])
def test_paths_give_the_same_at_any_width(linear: Path, tmp_path: Path, hidden: int) -> None:
    shutil.copy(linear, tmp_path / "line.model")
    path = compiled(network(hidden, hidden, size=2.0), linear, tmp_path / "m.model")
    text = "\n".join(a_text(n, n) for n in (1, 5, 40, 41, 60))
    for s in ("one", "two"):
        want = weights(path, s, "portable").emissions(text)
        for vectors in INSTRUCTIONS[1:]:
            native = weights(path, s, vectors)
            assert native.emissions(text) == want
            assert native.emissions(text) == want  # with the rows of sums that are there by now


def test_threads_meet_rows_of_sums_that_nobody_made_yet(small: Path) -> None:
    texts = [a_text(40, seed) for seed in range(400)]
    want = _engine.cut_batch(engine(small), texts, 1)
    for _ in range(5):
        assert _engine.cut_batch(engine(small), texts, 4) == want


def test_integers_are_close_to_the_floats(linear: Path, tmp_path: Path) -> None:
    model = network(3, 64, size=1.0, weight=0.0)
    shutil.copy(linear, tmp_path / "line.model")
    path = compiled(model, linear, tmp_path / "m.model")
    text = a_text(200, 5)
    for s in model.standards:
        exact = floats.emissions(model, text, s)
        exact[-1] += model.standards[s].end
        got = np.frombuffer(weights(path, s).emissions(text), np.int16).reshape(-1, 4) / 256
        want = exact[:-1, :3] - exact[:-1, 3:]
        assert np.abs(got[:-1, :3] - want).max() < 0.25
        assert np.abs(got[:-1, :3] - want).mean() < 0.04
        assert abs(got[-1, 2] - (exact[-1, 2] - exact[-1, 3])) < 0.25


def test_boundaries_are_those_of_the_best_tags(small: Path) -> None:
    model = network()
    standard = model.standards["one"]
    native = weights(small)
    run = engine(small)
    blocked = -1e9
    trans = np.where(
        [[allowed(a, b) for b in "BMES"] for a in "BMES"],
        np.round(standard.transitions * 256),
        blocked,
    )
    for seed in range(20):
        text = a_text(30, seed)
        scores = np.frombuffer(native.emissions(text), np.int16).reshape(-1, 4).astype(float)
        best = scores[0] + np.round(standard.start * 256) + [0, blocked, blocked, 0]
        back = []
        for row in scores[1:]:
            paths = best[:, None] + trans
            back.append(paths.argmax(axis=0))
            best = paths.max(axis=0) + row
        tag = 3 if best[3] > best[2] else 2
        tags = [tag]
        for row in reversed(back):
            tag = int(row[tag])
            tags.append(tag)
        assert run.ends(text).tolist() == decode(["BMES"[t] for t in reversed(tags)])


@pytest.mark.parametrize("vectors", INSTRUCTIONS)
@given(text=texts)
@settings(max_examples=60, deadline=None)
def test_all_instructions_cut_alike_and_tile(small: Path, vectors: str, text: str) -> None:
    run = weights_read(small, vectors)
    words = run.cut(text)
    assert "".join(words) == text
    assert weights_read(small, INSTRUCTIONS[0]).cut(text) == words
    assert run.ends(text).tolist() == np.cumsum([len(w) for w in words]).tolist()


_ENGINES: dict[tuple[Path, str], Any] = {}


def weights_read(path: Path, vectors: str) -> Any:
    if (path, vectors) not in _ENGINES:
        _ENGINES[path, vectors] = engine(path, "one", vectors)
    return _ENGINES[path, vectors]


# --- one text and many ------------------------------------------------------------------------


@given(st.lists(texts, max_size=12), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_alone_in_a_batch_and_in_bytes(small: Path, many: list[str], threads: int) -> None:
    run = weights_read(small, INSTRUCTIONS[-1])
    alone = [run.cut(t) for t in many]
    assert _engine.cut_batch(run, many, threads) == alone
    lines = [t.replace("\r", "").replace("\n", "") for t in many]
    good = [line.encode("utf-8", "replace").decode() for line in lines] or [""]
    printed, bad = _engine.cut_bytes(run, "\n".join(good).encode(), b"/", threads)
    assert bad == -1
    assert printed.decode().split("\n") == ["/".join(run.cut(line)) for line in good]


def test_many_lengths_together(small: Path) -> None:
    run = engine(small)
    draw = random.Random(1)
    texts = [a_text(draw.choice([0, 1, 2, 3, 50, 200, 700]), i) for i in range(120)]
    alone = [run.cut(t) for t in texts]
    for threads in (1, 2, 3):
        assert _engine.cut_batch(run, texts, threads) == alone
    text = "\n".join(texts)
    assert [w for w in run.cut(text) if w != "\n"] == [w for words in alone for w in words]


def test_a_long_text_without_a_break(small: Path) -> None:
    run = engine(small)
    for text in ("天" * 20_000, a_text(20_000, 3)):
        words = run.cut(text)
        assert "".join(words) == text
        assert 2 * run.steps(text) * 1.1 >= run.steps(text + text)


def test_words_of_the_user(small: Path) -> None:
    seg_one = segmenter.load(small, standard="one")
    plain = seg_one.cut("你我他们上下")
    forced = seg_one.with_words([("我他", "force")])
    assert "我他" in forced.cut("你我他们上下")
    assert forced.cut_batch(["你我他们上下", "大小"]) == [
        forced.cut("你我他们上下"),
        seg_one.cut("大小"),
    ]
    lines = forced.cut_bytes("你我他们上下\n大小".encode()).decode().split("\n")
    assert lines == [" ".join(forced.cut("你我他们上下")), " ".join(seg_one.cut("大小"))]
    assert seg_one.cut("你我他们上下") == plain
    for word in {w for w in plain if len(w) > 1} | {"们上"}:
        reduced = seg_one.without([word])
        assert word not in reduced.cut("你我他们上下")
        assert reduced.cut_batch(["你我他们上下"] * 3) == [reduced.cut("你我他们上下")] * 3
    heavy = seg_one.with_words([("们上", 1e9)])
    assert "们上" in heavy.cut("你我他们上下")
    parted = seg_one.with_words([("天地", "force")]).with_words([("天|地", "split")])
    assert parted.cut("天地")[:1] == ["天"]
    with_break = seg_one.with_words([("天\n地", "force")])
    assert with_break.cut_batch(["大天\n地", "小"]) == [with_break.cut("大天\n地"), ["小"]]


def test_tokens_paths_and_explanation(small: Path) -> None:
    seg_one = segmenter.load(small, standard="one")
    text = "他们的中国1998年 abc\n天地"
    tokens = seg_one.tokenize(text)
    assert tokens.words == seg_one.cut(text)
    assert "1998年" in tokens.words
    assert [t.text for t in tokens if t.score is None] == [" ", "abc", "\n"]
    assert all(t.score is None or t.score >= 0 for t in tokens)
    best = seg_one.nbest(text, 5)
    assert best[0][0] == seg_one.cut(text)
    assert [s for _, s in best] == sorted((s for _, s in best), reverse=True)
    assert "small.model" in str(seg_one.explain(text))
    assert seg_one.cut_for_search(text)


# --- presets, standards, files ------------------------------------------------------------------


def test_standards_are_chosen_by_name(small: Path) -> None:
    first, second = (segmenter.load(small, standard=s) for s in ("one", "two"))
    assert first.decoder == "bilstm-crf"
    assert first.fingerprint != second.fingerprint
    texts_ = [a_text(40, i) for i in range(20)]
    assert first.cut_batch(texts_) != second.cut_batch(texts_)
    with pytest.raises(ArgumentError, match=r"'three' is not in .*\.model, which has one, two"):
        segmenter.load(small, standard="three")
    with pytest.raises(ArgumentError, match="is a bilstm-crf tagger, not 'crf'"):
        segmenter.load(small, standard="one", decoder="crf")


def test_a_pickled_network_cuts_alike(small: Path) -> None:
    seg_one = segmenter.load(small, standard="one").with_words(["我他"])
    restored = pickle.loads(pickle.dumps(seg_one))
    assert restored.fingerprint == seg_one.fingerprint
    assert restored.cut("你我他们上下") == seg_one.cut("你我他们上下")
    assert len(pickle.dumps(seg_one)) < 2000
    direct = Segmenter(None, decoder="bilstm-crf", tagger=seg_one.tagger)
    restored = pickle.loads(pickle.dumps(direct))
    assert restored.fingerprint == direct.fingerprint
    assert restored.cut("你我他们上下") == direct.cut("你我他们上下")


def test_another_linear_tagger_is_refused(small: Path, tmp_path: Path) -> None:
    shutil.copy(small, tmp_path / "small.model")
    with pytest.raises(LookupError, match=r"line\.model"):
        segmenter.load(tmp_path / "small.model", standard="one")
    other_tagger = tagger.train(
        sentences(50, 2), options=tagger.TaggerOptions(algorithm="crf", epochs=1)
    )
    artifact.write(tmp_path / "line.model", form.KIND, *compile_model(other_tagger.model))
    with pytest.raises(ArtifactError, match=r"made for another line\.model"):
        segmenter.load(tmp_path / "small.model", standard="one")


def test_build_and_export_come_back(small: Path, linear: Path, tmp_path: Path) -> None:
    train.export_tagger(small, tmp_path / "small.npz")
    shutil.copy(linear, tmp_path / "line.model")
    train.compile_tagger(tmp_path / "small.npz", tmp_path / "again.model")
    first, rebuilt = artifact.open(small), artifact.open(tmp_path / "again.model")
    assert {n: bytes(first.section(n)) for n in first.names()} == {
        n: bytes(rebuilt.section(n)) for n in rebuilt.names()
    }
    assert first.meta == rebuilt.meta


def test_same_model_same_bytes(small: Path, linear: Path, tmp_path: Path) -> None:
    assert compiled(network(), linear, tmp_path / "m").read_bytes() == small.read_bytes()


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("w_hh_0_bw", None, "the array 'w_hh_0_bw' is missing"),
        ("w_ih_0_fw", np.zeros((80, 3)), r"'w_ih_0_fw' has the shape .*expected \(80, 47\)"),
        ("out_b_one", np.array([0, 0, 0, np.nan]), "'out_b_one' holds what is not a finite number"),
        ("chars", np.array([5.5] * 23), "'chars' does not hold code points"),
        ("meta", np.array("{}"), "meta is not JSON"),
        ("word_class_one", np.full(len(WORDS), 300), "'word_class_one' holds numbers that are not"),
        ("lexicon_3", None, "there are 9 tables"),
        ("words", np.full(9, 255, np.uint8), "'words' is not UTF-8"),
    ],
)
def test_bad_arrays_are_named(tmp_path: Path, name: str, value: Any, reason: str) -> None:
    network().save(tmp_path / "good.npz")
    arrays = dict(np.load(tmp_path / "good.npz"))
    if value is None:
        del arrays[name]
    else:
        arrays[name] = value
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(DictionaryError, match=reason) as caught:
        bilstm_crf.read(tmp_path / "bad.npz")
    assert "bad.npz" in str(caught.value)


def test_what_is_no_npz_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"PK but no more")
    with pytest.raises(DictionaryError, match=r"it is not an \.npz"):
        bilstm_crf.read(tmp_path / "x.npz")


def test_weights_that_do_not_fit_are_refused(linear: Path) -> None:
    model = network()
    model.layers[0][0].w_hh[3, 3] = 49
    with pytest.raises(ArgumentError, match=r"w_hh_0: a weight times .* is 48\.6, 15\.8 at most"):
        bilstm_crf.compile_model(model, {"line.model": artifact.open(linear)})
    with pytest.raises(ArgumentError, match=r"'line\.model' of the standard 'one' is missing"):
        bilstm_crf.compile_model(network(), {})


def test_sections_that_do_not_fit_are_refused(small: Path, tmp_path: Path) -> None:
    art = artifact.open(small)
    sections = {name: bytes(art.section(name)) for name in art.names()}
    shutil.copy(small.parent / "line.model", tmp_path / "line.model")
    for name in sections:
        if name.startswith(("standard.1", "lexicon.1")):
            continue  # of the standard that is not asked for
        for damaged in (sections[name][:-4], sections[name] + bytes(4)):
            if name == "charmap.blocks":
                damaged = damaged[:-2] + b"\xff\x7f"
            changed = {**sections, name: damaged}
            artifact.write(tmp_path / "bad.model", bilstm_crf.KIND, changed, art.meta)
            with pytest.raises(ArtifactError, match=r"bad\.model: its sections are not"):
                segmenter.load(tmp_path / "bad.model", standard="one")
        left = {k: v for k, v in sections.items() if k != name}
        artifact.write(tmp_path / "bad.model", bilstm_crf.KIND, left, art.meta)
        with pytest.raises(ArtifactError, match=r"bad\.model: its sections are not"):
            segmenter.load(tmp_path / "bad.model", standard="one")


def test_words_of_a_standard_are_anothers_with_changes(small: Path, tmp_path: Path) -> None:
    art = artifact.open(small)
    sections = {name: bytes(art.section(name)) for name in art.names()}
    shutil.copy(small.parent / "line.model", tmp_path / "line.model")
    first, second = "lexicon.0", "lexicon.1"
    assert sections[f"{second}.base"] == bytes(4)
    column = sections[f"{first}.words"]
    assert len(sections[f"{second}.words.changed"]) == (len(column) + 7) // 8 < len(column)
    beyond = bytearray(sections[f"{second}.words.changed"])
    beyond[-1] |= 1 << (len(column) - 1) % 8 + 1
    assert len(column) % 8, "the last byte has no bit to spare"
    for name, damaged in [
        (f"{second}.base", b"\5\0\0\0"),
        (f"{second}.base", b"\1\0\0\0"),
        (f"{second}.base", b"\xff\xff\xff\xff"),
        (f"{second}.words.changed", bytes(beyond)),
        (f"{second}.words.after", sections[f"{second}.words.after"] + b"\1"),
        (f"{second}.pairs.changed", bytes(len(sections[f"{second}.pairs.changed"]))),
        (f"{second}.pairs.after", b""),
    ]:
        changed = {**sections, name: damaged}
        artifact.write(tmp_path / "bad.model", bilstm_crf.KIND, changed, art.meta)
        with pytest.raises(ArtifactError, match=r"bad\.model: its sections are not"):
            segmenter.load(tmp_path / "bad.model", standard="two")


def test_unknown_instructions_are_an_error(small: Path) -> None:
    with pytest.raises(ValueError, match=r"(is none|is not one) of portable"):
        weights(small, "one", "mmx")


def test_slots_of_words_in_words() -> None:
    classes = {"大小": 0, "大小上下中国": 1, "中国人": 2, "下中": 4}
    slots = floats.word_slots("大小上下中国人", classes)
    assert slots[0].tolist() == [1, 0, 0, 2, 0, 0, 0, 0, 0, 0]
    assert slots[4].tolist() == [0, 3, 0, 0, 5, 0, 0, 0, 0, 2]
    assert slots[5].tolist() == [0, 0, 0, 0, 0, 0, 0, 2, 3, 0]
    assert BilstmPredictor.KIND == bilstm_crf.KIND


def test_a_standard_brings_settings_of_atoms(linear: Path, tmp_path: Path) -> None:
    model = network()
    model.standards["two"].atoms = {"mention": "split"}
    shutil.copy(linear, tmp_path / "line.model")
    path = compiled(model, tmp_path / "line.model", tmp_path / "own.model")
    text = "@天一"
    assert segmenter.load(path, standard="one").cut(text) == [text]
    seg_own = segmenter.load(path, standard="two")
    assert seg_own.cut(text)[0] == "@"
    assert segmenter.load(path, standard="two", atoms={"mention": "keep"}).cut(text) == [text]
    assert pickle.loads(pickle.dumps(seg_own)).cut(text) == seg_own.cut(text)
    seg_kept = segmenter.load(path, standard="two", atoms={"mention": "keep"})
    assert seg_own.fingerprint != seg_kept.fingerprint
    model.save(tmp_path / "own.npz")
    reread = bilstm_crf.read(tmp_path / "own.npz")
    assert reread.standards["two"].atoms == {"mention": "split"}
    back = bilstm_crf.decompile(
        artifact.open(path), {"line.model": artifact.open(tmp_path / "line.model")}
    )
    assert back.standards["two"].atoms == {"mention": "split"}


def test_unknown_settings_of_atoms_are_named(tmp_path: Path) -> None:
    model = network()
    model.standards["two"].atoms = {"mention": "halve"}
    model.save(tmp_path / "own.npz")
    with pytest.raises(DictionaryError, match="halve"):
        bilstm_crf.read(tmp_path / "own.npz")
