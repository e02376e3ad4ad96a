"""What the network learns of a teacher and of itself, and the way from the file to it and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch", reason="the networks are trained with torch")

import torch

from recipes import compiled_network, conventions, distil, votes
from recipes.raw import Line
from segmenter.train import bilstm, bilstm_text
from segmenter.train.lessons import save_arrays
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging.features import MARKS

if TYPE_CHECKING:
    from pathlib import Path

TEXT = ["他们在理", "我们在家，他来", "他确实来"]
WORDS = {"他们": 7 * 24 + 20, "在理": 3 * 24 + 1, "确实": 100}
NAMES = ["general", "sinica", "as"]


@pytest.fixture
def model(tmp_path: Path) -> bilstm_crf.BilstmCrf:
    """The portable form of a network, its tables of whole numbers as a compiled file has them."""
    torch.manual_seed(4)
    shape = bilstm.Shape(char_size=5, pair_size=3, word_size=2, hidden=6, marks=MARKS)
    vocab = bilstm_text.vocabulary([[list(text) for text in TEXT]], pairs=20)
    net = bilstm.BilstmCrf(bilstm.BilstmOptions(shape), vocab, 8 * 6 * 4, NAMES)
    with torch.no_grad():
        for side in (net.forwards[0], net.backwards[0]):
            side.weight_ih_l0[:, -3:].normal_()
            side.weight_ih_l0[:, :-3] /= compiled_network.LARGEST
        for table in (net.char, net.pair, net.word):
            table.weight.copy_((100 * table.weight).round())
    about = {"standards": {s: {"linear": "a.model"} for s in NAMES}}
    arrays = {**bilstm.export(net, about), **bilstm_crf.word_arrays(dict.fromkeys(NAMES, WORDS))}
    save_arrays(str(tmp_path / "network.npz"), arrays)
    return bilstm_crf.read(tmp_path / "network.npz")


def test_a_network_that_learns_nothing_is_written_as_it_was(model: bilstm_crf.BilstmCrf) -> None:
    net = compiled_network.network(model, ["sinica", "general"], bilstm.BilstmOptions())
    found = compiled_network.written(net, model)
    assert list(found.standards) == ["general", "sinica"]  # `as` would not fit what has learnt
    np.testing.assert_allclose(found.char_embedding * 128, model.char_embedding)
    np.testing.assert_allclose(found.bigram_embedding * 128, model.bigram_embedding)
    np.testing.assert_allclose(np.stack(found.lexicon) * 128, np.stack(model.lexicon))
    for got, given in zip(found.layers[0], model.layers[0], strict=True):
        np.testing.assert_allclose(got.w_ih, given.w_ih * 128, rtol=1e-6)
        np.testing.assert_allclose(got.bias, given.bias)
    for name, one in found.standards.items():
        given_one = model.standards[name]
        np.testing.assert_allclose(one.bias, given_one.bias)
        np.testing.assert_allclose(one.out_w, given_one.out_w)
        assert one.words == WORDS


def test_words_have_the_classes_of_the_file_in_any_text(model: bilstm_crf.BilstmCrf) -> None:
    space = compiled_network.space(WORDS)
    assert space.words.outside() == WORDS
    net = compiled_network.network(model, ["general"], bilstm.BilstmOptions())
    text = bilstm_text.encode(net.vocab, space, [list("他们在理")], marks=MARKS)
    assert text.words[0].tolist() == [1 + WORDS["他们"], *[0] * 9]
    assert text.words[3, 4] == 1 + WORDS["在理"]


def test_what_the_teacher_has_not_read_is_no_lesson() -> None:
    lines = [Line("other", "甲乙丙"), Line("laws-tw", "在理 他来"), Line("laws-tw", "確實也")]
    no = votes.UNREAD
    reading = np.array([0, 254, no, 127, 254, no, 254, 254, no, 254, no], np.uint8)
    read = list(distil.pieces(lines, "sinica", distil.log_odds(reading), 100))
    assert [each.text for each in read] == ["在理", "他来"]
    (first, second) = (each.odds for each in read)
    assert first is not None
    assert second is not None
    np.testing.assert_allclose(first, [0, 6])
    np.testing.assert_allclose(second, [6, 6])
    alone = list(distil.pieces(lines, "pku", None, 100))
    assert sorted(each.text for each in alone) == ["他来", "在理", "甲乙丙", "確實也"]
    assert all(each.odds is None for each in alone)


def test_no_more_text_is_read_than_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(conventions.DOMAINS, "ctb", ("home",))
    lines = [Line("home", f"{i}他们来了") for i in range(10)]
    lines += [Line("other", f"{i}我们在家") for i in range(90)]
    read = list(distil.pieces(lines, "ctb", np.zeros(500, np.float32), 40))
    assert 40 < sum(len(each.text) for each in read) <= 45
    assert sum("他们" in each.text for each in read) >= 4  # half of it is of the gold's domain
    assert len({each.text for each in read}) == len(read)


def test_words_of_the_list_are_whole_where_their_ends_are_boundaries() -> None:
    lines = [Line("a", "发微信来"), Line("a", "微信")]
    ends = np.array([1, 1, 1, 1, 1, 1], bool)
    inside = distil.joined(lines, {"微信", "来"}, ends, str)
    assert inside.tolist() == [False, True, False, False, True, False]
    ends[0] = False
    inside = distil.joined(lines, {"微信", "来"}, ends, str)
    assert inside.tolist() == [False, False, False, False, True, False]


def test_the_network_comes_to_cut_as_the_teacher(model: bilstm_crf.BilstmCrf) -> None:
    options = bilstm.BilstmOptions(
        dropout=bilstm.Dropout(0.0, 0.0, 0.0),
        schedule=bilstm.Schedule(epochs=60, rate=0.05, warm_up=2, average=0.9, batch=64),
        precision="float32",
    )
    net = compiled_network.network(model, ["general", "sinica"], options)
    net.eval()
    space = compiled_network.space(WORDS)
    read = [distil.Read(text, np.full(len(text), 100, np.float32)) for text in TEXT]
    taught = distil.lesson(net, "sinica", space, read, str)
    assert taught.likely is not None
    np.testing.assert_allclose(taught.likely.sum(1), 1, atol=2e-3)
    assert taught.likely[:, 3].min() > 0.9  # each character is a word
    alone = distil.lesson(net, "general", space, [distil.Read(text, None) for text in TEXT], str)
    assert alone.likely is not None
    before = np.concatenate(bilstm.emissions(net, 0, alone))
    parts = [bilstm.Part("general", alone), bilstm.Part("sinica", taught)]
    found, _ = bilstm.train(parts, net.vocab, net.classes, net.options, start=net)
    chances = distil.chances_of_tags(
        found, taught, np.concatenate(bilstm.emissions(found, 1, taught))
    )
    assert chances[:, 3].min() > 0.8
    after = np.concatenate(bilstm.emissions(found, 0, alone))
    kept = [distil.chances_of_tags(net, alone, scores) for scores in (before, after)]
    np.testing.assert_allclose(kept[1], kept[0], atol=0.15)  # the other standard stays


def test_lessons_made_in_parts_are_the_same(
    model: bilstm_crf.BilstmCrf, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = compiled_network.network(model, ["sinica"], bilstm.BilstmOptions())
    net.eval()
    read = [distil.Read(text, np.linspace(-2, 2, len(text), dtype=np.float32)) for text in TEXT]
    whole = distil.lesson(net, "sinica", compiled_network.space(WORDS), read, str)
    monkeypatch.setattr(distil, "LINES_AT_ONCE", 2)
    again = distil.lesson(net, "sinica", compiled_network.space(WORDS), read, str)
    for one, other in zip(whole, again, strict=True):
        if one is not None:
            np.testing.assert_allclose(other, one, atol=2e-3)


def test_a_part_of_the_weights_before_stays(model: bilstm_crf.BilstmCrf) -> None:
    nets = [compiled_network.network(model, ["sinica"], bilstm.BilstmOptions()) for _ in range(2)]
    with torch.no_grad():
        for before, after in zip(*(net.parameters() for net in nets), strict=True):
            before.fill_(10.0)
            after.fill_(20.0)
    distil.mix(nets[0], nets[1])
    assert all(torch.allclose(p, torch.tensor(17.0)) for p in nets[1].parameters())
