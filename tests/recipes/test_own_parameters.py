"""What one standard of a trained network learns, and that nothing else moves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch", reason="the networks are trained with torch")

import torch

from recipes import compiled_network, own_parameters
from segmenter.train import bilstm, bilstm_text
from segmenter.train.lessons import save_arrays
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging.features import MARKS, FeatureSpace

if TYPE_CHECKING:
    from pathlib import Path

GOLD = [["他们", "在理"], ["我们", "在", "家"], ["他", "确实", "来"]] * 8
OPTIONS = bilstm.BilstmOptions(
    schedule=bilstm.Schedule(epochs=30, rate=0.05, warm_up=2, average=0.9, batch=64)
)


@pytest.fixture
def trained() -> bilstm.BilstmCrf:
    torch.manual_seed(4)
    shape = bilstm.Shape(char_size=5, pair_size=3, word_size=2, hidden=6, marks=MARKS)
    vocab = bilstm_text.vocabulary([GOLD], pairs=20)
    net = bilstm.BilstmCrf(bilstm.BilstmOptions(shape), vocab, 8 * 6 * 4, ["general", "sinica"])
    with torch.no_grad():  # standards that differ
        for side in (net.forwards[0], net.backwards[0]):
            side.weight_ih_l0[:, -2:].normal_()
    return net


@pytest.fixture
def model(trained: bilstm.BilstmCrf, tmp_path: Path) -> bilstm_crf.BilstmCrf:
    """Its portable form."""
    about = {"standards": {s: {"linear": "a.model"} for s in trained.standards}}
    classes = {s: {"他们": 7 * 24 + 20, "在理": 3 * 24 + 1} for s in trained.standards}
    path = tmp_path / "network.npz"
    arrays = {**bilstm.export(trained, about), **bilstm_crf.word_arrays(classes)}
    save_arrays(str(path), arrays)
    return bilstm_crf.read(path)


def text(net: bilstm.BilstmCrf) -> bilstm_text.Encoded:
    return bilstm_text.encode(net.vocab, FeatureSpace.of_text(GOLD, []), GOLD, marks=MARKS)


@pytest.mark.parametrize("number", [0, 1])
def test_a_standard_of_the_file_reads_as_it_did(
    trained: bilstm.BilstmCrf, model: bilstm_crf.BilstmCrf, number: int
) -> None:
    name = trained.standards[number]
    net = own_parameters.network(model, name, OPTIONS)
    wanted = bilstm.emissions(trained, number, text(trained))
    found = bilstm.emissions(net, 0, text(net))
    np.testing.assert_allclose(np.concatenate(found), np.concatenate(wanted), atol=1e-4)


def test_only_what_is_its_own_learns(model: bilstm_crf.BilstmCrf) -> None:
    net = own_parameters.network(model, "sinica", OPTIONS)
    before = {name: x.detach().clone() for name, x in net.named_parameters()}
    losses: list[float] = []
    own_parameters.train(net, text(net), lambda number, loss: losses.append(loss))
    assert losses[-1] < 0.7 * losses[0]
    changed = {n for n, x in net.named_parameters() if not torch.equal(x, before[n])}
    matrices = {"forwards.0.weight_ih_l0", "backwards.0.weight_ih_l0"}
    assert changed == {"out", "out_bias", *matrices}
    for name in matrices:
        assert torch.equal(net.get_parameter(name)[:, :-1], before[name][:, :-1])


def test_another_cut_of_the_same_text_is_learnt(
    model: bilstm_crf.BilstmCrf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_parameters, "OPTIONS", OPTIONS)
    found = own_parameters.learn(model, "sinica", GOLD, lambda words: list("".join(words)), str)
    given = model.standards["sinica"]
    assert found.words == given.words
    assert not np.array_equal(found.out_w, given.out_w)
    changed = replace(model, standards={"as": found})
    net = own_parameters.network(changed, "as", OPTIONS)
    space = FeatureSpace.of_text(GOLD, compiled_network.sources(found.words))
    single = [list("".join(words)) for words in GOLD]
    line = bilstm_text.encode(net.vocab, space, single, marks=MARKS)
    assert bilstm.evaluate(net, 0, line) > 0.95
