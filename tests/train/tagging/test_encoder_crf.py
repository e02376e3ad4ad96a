"""Encoders: the predictor against a readable reference and against floating point, sets of
instructions against each other, one text against many, and their files."""

from __future__ import annotations

import importlib
import pickle
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from encoder_text import MARKS, OVERLAP, WINDOW, compiled, network, scores, table
from hypothesis import given, settings
from hypothesis import strategies as st
from network_text import LETTERS, WORDS, sentences
from reference.encoder import Encoder

from segmenter import artifact
from segmenter.errors import ArgumentError, ArtifactError, ResourceError
from segmenter.kernels import _models
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import EncoderPredictor, Predictor
from segmenter.train import tagger
from segmenter.train.tagging import encoder as ints
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.features import FeatureSource

if TYPE_CHECKING:
    from pathlib import Path

INSTRUCTIONS = _models.encoder_instruction_sets()
TEXTS = st.text(alphabet=LETTERS + "。！”，a1 \n𠀀", max_size=60)


@pytest.fixture(scope="module")
def linear(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A linear tagger of a made-up language."""
    trained = tagger.train(
        sentences(200, 1),
        sources=[FeatureSource("list", dict.fromkeys(WORDS, 1))],
        options=tagger.TaggerOptions(algorithm="crf", epochs=2),
    )
    path = tmp_path_factory.mktemp("encoder") / "line.model"
    artifact.write(path, form.KIND, *compile_model(trained.model))
    return path


@pytest.fixture(scope="module")
def small(linear: Path) -> Path:
    """A compiled encoder of random weights beside its linear tagger."""
    return compiled(network(), linear, linear.parent / "small.model")


def predictor(path: Path, standard: str = "one") -> EncoderPredictor:
    linear = Predictor.open(path.parent / "line.model")
    return EncoderPredictor(artifact.open(path), standard, lambda _: linear)


def emissions(native: _models.NetworkWeights, text: str) -> Any:
    return np.frombuffer(native.emissions(text), np.int16).reshape(-1, 4)[:, :3]


def test_every_set_of_instructions_gives_what_the_reference_gives(small: Path) -> None:
    draw = random.Random(5)
    art = artifact.open(small)
    for number, standard in enumerate(("one", "two")):
        reference = Encoder({name: art.section(name) for name in art.names()}, number)
        opened = predictor(small, standard)
        for length in (1, 2, WINDOW, WINDOW + 1, 2 * WINDOW + 3):
            text = "".join(draw.choice(LETTERS) for _ in range(length))
            right = np.clip(reference.scores(text), -(1 << 15), (1 << 15) - 1)
            for name in INSTRUCTIONS:
                native = opened.weights(linear_weight=0.0, instructions=name)
                assert native.instructions == name
                np.testing.assert_array_equal(emissions(native, text), right, name)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_sets_of_instructions_agree_on_any_text(small: Path, data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    opened = predictor(small)
    by_set = {name: opened.weights(instructions=name).emissions(text) for name in INSTRUCTIONS}
    assert len(set(by_set.values())) == 1


def test_integers_are_near_the_floating_point(small: Path) -> None:
    draw = random.Random(6)
    native = predictor(small).weights(linear_weight=0.0)
    emissions_found, right = [], []
    for _ in range(40):
        text = "".join(draw.choice(LETTERS) for _ in range(draw.randint(2, WINDOW)))
        emissions_found.append(emissions(native, text) / ints.UNITS)
        right.append(scores(network(), table()[[ord(c) for c in text]], "one"))
    actual, expected = np.concatenate(emissions_found), np.concatenate(right)
    # random weights are the worst case for 8 bits
    assert np.abs(actual - expected).mean() < 0.12 * np.abs(expected).mean()
    assert np.corrcoef(actual.reshape(-1), expected.reshape(-1))[0, 1] > 0.985


def test_a_piece_scores_the_same_wherever_it_stands(small: Path) -> None:
    native = predictor(small).weights(linear_weight=0.0)
    first, second, three = "天地你们。", "我他日月水火！”", "山石田土木金大小上下中国们的了一"
    alone = [emissions(native, text) for text in (first, second, three)]
    np.testing.assert_array_equal(emissions(native, first + second + three), np.concatenate(alone))
    joined = emissions(native, first[:-1] + second)
    assert not np.array_equal(joined[:4], alone[0][:4])
    assert not alone[0][4:].any()  # marks keep the linear tagger's scores


def test_marks_move_nothing(small: Path) -> None:
    native = predictor(small).weights(linear_weight=0.0)
    plain = emissions(native, "天地你们日月")
    for text in ("天地你们日月。", "天地你们日月！", "天地你们日月！”", "”天地你们日月。"):
        start = text.index("天")
        np.testing.assert_array_equal(emissions(native, text)[start : start + 6], plain)


def test_pieces_without_han_are_left_to_the_linear_tagger(small: Path) -> None:
    native = predictor(small).weights(linear_weight=0.0)
    emissions_found = emissions(native, "ab12。天地")
    assert not emissions_found[:5].any()
    assert emissions_found[5:].any()


def test_windows_depend_on_the_piece_alone(small: Path) -> None:
    native = predictor(small).weights(linear_weight=0.0)
    draw = random.Random(8)
    text = "".join(draw.choice(LETTERS) for _ in range(5 * WINDOW))
    together = emissions(native, text)
    step, half = WINDOW - OVERLAP, OVERLAP // 2
    np.testing.assert_array_equal(emissions(native, text[:WINDOW])[: step + half],
                                  together[: step + half])  # fmt: skip
    second = emissions(native, text[step : step + WINDOW])
    np.testing.assert_array_equal(
        second[half : step + half], together[step + half : 2 * step + half]
    )


def test_one_text_and_many_and_threads_are_cut_alike(small: Path) -> None:
    draw = random.Random(9)
    lines = [
        "".join(draw.choice(LETTERS + "。，”") for _ in range(draw.randint(0, 50)))
        for _ in range(300)
    ]
    s = load_by_name(str(small), standard="one")
    right = [s.cut(line) for line in lines]
    assert s.cut_batch(lines, threads=1) == right
    assert s.cut_batch(lines, threads=8) == right
    text = "\n".join(lines)
    assert s.cut_bytes(text.encode(), threads=3).decode().split("\n") == [
        " ".join(line) for line in right
    ]
    words = [w for line in right for w in line]
    assert max(map(len, words)) > 1


def test_what_a_preset_has(small: Path) -> None:
    s = load_by_name(str(small), standard="one", user=["月水火"])
    text = "天地你们日月水火山石。https://a.cn 大小"
    assert "".join(s.cut(text)) == text
    assert "月水火" in s.cut(text)
    assert "https://a.cn" in s.cut(text)
    assert [t.text for t in s.tokenize(text)] == s.cut(text)
    assert s.nbest(text, 3)[0][0] == s.cut(text)
    assert pickle.loads(pickle.dumps(s)).cut(text) == s.cut(text)
    assert load_by_name(str(small), standard="two").fingerprint != s.fingerprint
    assert s.explain(text)


def test_a_sure_linear_tagger_spares_pieces(linear: Path, tmp_path: Path) -> None:
    (tmp_path / "line.model").write_bytes(linear.read_bytes())
    text = "天地你们日月水火山石。"
    unread = predictor(compiled(network(layers=1), linear, tmp_path / "never.model", sure=0.01))
    always = predictor(compiled(network(layers=1), linear, tmp_path / "always.model", sure=1000.0))
    full = predictor(compiled(network(layers=1), linear, tmp_path / "full.model"))
    assert always.weights().emissions(text) == full.weights().emissions(text)
    assert not np.array_equal(emissions(unread.weights(), text), emissions(full.weights(), text))


def test_files_are_checked(small: Path, linear: Path, tmp_path: Path) -> None:
    art = artifact.open(small)
    sections = {name: bytes(art.section(name)) for name in art.names()}
    (tmp_path / "line.model").write_bytes(linear.read_bytes())

    def refused(name: str, data: bytes) -> str:
        path = tmp_path / "bad.model"
        artifact.write(path, EncoderPredictor.KIND, {**sections, name: data}, art.meta)
        with pytest.raises(ArtifactError) as caught:
            load_by_name(str(path), standard="one")
        return str(caught.value)

    params = np.frombuffer(sections["encoder.params"], "<i4")
    for i in range(len(params)):
        for value in (-1, 1 << 30):
            changed = params.copy()
            changed[i] = value
            if i in (10, 22, 25, 37, 40) and value > 0:
                continue  # what is added to a variance
            refused("encoder.params", changed.tobytes())
    assert "out of range" in refused("layer.0.wide.bias", np.full(192, 1 << 24, "<i4").tobytes())
    assert "too large in sum" in refused("standard.0.out", np.full(3 * 128, 32767, "<i2").tobytes())
    assert "charmap" in refused("charmap.bmp", np.full(65536, 4000, "<u2").tobytes())
    refused("encoder.tokens", sections["encoder.tokens"][:-1])
    refused("layer.1.shifts", b"\x09\x14")
    refused("layer.1.shifts", b"\x14")


def test_a_missing_file_says_what_to_type(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    resources = importlib.import_module("segmenter.files.resources")
    monkeypatch.setattr(resources, "PACKAGES", {"best.model": ("segmenter-zh-best", "no_such")})
    monkeypatch.setattr(resources, "_PACKAGE", str(tmp_path / "segmenter"))
    with pytest.raises(ResourceError, match=r"packages/segmenter-zh-best/README\.md"):
        load_by_name("best")


def test_a_package_carries_the_file(
    small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    resources = importlib.import_module("segmenter.files.resources")
    package = tmp_path / "carries_best"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "best.model").write_bytes(small.read_bytes())
    (package / "line.model").write_bytes((small.parent / "line.model").read_bytes())
    monkeypatch.setattr(
        resources, "PACKAGES", {"best.model": ("segmenter-zh-best", "carries_best")}
    )
    monkeypatch.setattr(resources, "_PACKAGE", str(tmp_path / "segmenter"))
    monkeypatch.syspath_prepend(str(tmp_path))
    s = load_by_name("best", standard="two")
    assert s.cut("天地你们") == load_by_name(str(small), standard="two").cut("天地你们")
    with pytest.raises(ArgumentError, match="one, two"):
        load_by_name("best", standard="three")


def test_sizes_that_do_not_fit_are_refused() -> None:
    net = network()
    with pytest.raises(ArgumentError, match="places"):
        ints.compiled(net, [("one", [1, 2])], len(net.arrays["position"]), 2)
    narrow = network(wide=100)
    with pytest.raises(ArgumentError, match="64"):
        ints.compiled(narrow, [("one", [1, 2])], WINDOW, OVERLAP)
    assert set(MARKS).isdisjoint(LETTERS)
