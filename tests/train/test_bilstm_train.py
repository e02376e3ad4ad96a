"""The BiLSTM-CRF's trainer: what it reads, its CRF, its passes, what it hands on."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from places import ROOT
from reference.scorer import Scorer

from segmenter.errors import ArgumentError
from segmenter.lexicon.characters import code_points
from segmenter.train import bilstm_text as bt
from segmenter.train.tagging import features
from segmenter.train.tagging.scheme import BEGINS, ENDS, FOUR, allowed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


torch = pytest.importorskip(
    "torch", reason="training a BiLSTM-CRF needs torch, see the extra train"
)

from segmenter.train import bilstm, joint, tagger  # noqa: E402
from segmenter.train.bilstm.network import BilstmCrf, make_batch  # noqa: E402
from segmenter.train.crf_layer import log_partition, path_score  # noqa: E402

LIST = """
他 我 你 的 了 在 是 有 说 去 来 一 个 年 月 日 北京 上海 大学 北京大学 学生 研究 研究生 生命 起源
中国 人民 人民大会堂 大会 会堂 银行 今天 天气 很 好 不错 图书馆 图书 里 看书 苹果 手机 1998年 ， 。
"""
WORDS = LIST.split()


def sentences(n: int, seed: int, words: Sequence[str] = WORDS) -> list[list[str]]:
    rng = random.Random(seed)
    return [rng.choices(words, k=rng.randint(1, 12)) for _ in range(n)]


TRAIN, DEV = sentences(200, 1), sentences(40, 2)
SMALL = {"char_size": 8, "pair_size": 4, "word_size": 2, "hidden": 8, "batch": 256, "warm_up": 4}


def options(**changes: object) -> bilstm.BilstmOptions:
    """Options of a small network, with changes in whatever group has them."""
    values = {**SMALL, "epochs": 3, "rate": 0.02, **changes}

    def group(kind: type[Any]) -> Any:
        names = {field.name for field in fields(kind)} & values.keys()
        return kind(**{name: values.pop(name) for name in names})

    groups = {"shape": group(bilstm.Shape), "schedule": group(bilstm.Schedule)}
    groups["dropout"] = group(bilstm.Dropout)
    return bilstm.BilstmOptions(**groups, **values)


@pytest.fixture(scope="module")
def space() -> features.FeatureSpace:
    return features.FeatureSpace.of_text(
        TRAIN, [features.FeatureSource("outer", {"图书馆": 1, "生命科学": 1})]
    )


@pytest.fixture(scope="module")
def vocab() -> bt.Vocabulary:
    return bt.vocabulary([TRAIN])


@pytest.fixture(scope="module")
def parts(space: features.FeatureSpace, vocab: bt.Vocabulary) -> list[bilstm.Part]:
    text = bt.encode(vocab, space, TRAIN, space.folds)
    dev = bt.encode(vocab, space, DEV)
    return [bilstm.Part("own", text, 1.0, dev), bilstm.Part("other", text, 0.5)]


# --- what it reads ------------------------------------------------------------------------------


def test_pairs_are_those_before_and_after_each_character() -> None:
    vocab = bt.vocabulary([[["ab"], ["ab"], ["ba"]]], least_char=1, least_pair=1)
    assert [divmod(int(k), 1 << 32) for k in vocab.pairs] == [
        (0, 97), (0, 98), (97, 0), (97, 98), (98, 0), (98, 97),
    ]  # fmt: skip
    only = bt.vocabulary([[["ab"], ["ab"], ["ba"]]], least_char=1, pairs=3)
    assert [divmod(int(k), 1 << 32) for k in only.pairs] == [(0, 97), (97, 98), (98, 0)]


def slots_of(space: features.FeatureSpace, text: str) -> np.ndarray:
    """The ten numbers by their definition."""
    classes = space.words.outside()
    slots = np.zeros((len(text), len(bt.SLOTS)), int)
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for a, b in itertools.combinations(range(len(text) + 1), 2):
        c = classes.get(text[a:b], 0xFFFF)
        if not 2 <= b - a <= 8 or c == 0xFFFF:
            continue
        n = min(b - a, 5)
        places = [(a, n - 2), (b - 1, 4 + n - 2), *((i, 8 + (n > 3)) for i in range(a + 1, b - 1))]
        for place in places:
            best[place] = max(best.get(place, (0, 0)), (min(b - a, 7), c + 1))
    for place, (_, value) in best.items():
        slots[place] = value
    return slots


def test_the_ten_numbers_are_what_they_say(space: features.FeatureSpace) -> None:
    for words in [["人民大会堂", "研究生", "命"], ["北京大学", "生", "图书馆"], ["了"], *DEV]:
        got = bt.word_slots(space.matches(space.columns([words])), len("".join(words)))
        np.testing.assert_array_equal(got, slots_of(space, "".join(words)))


def test_a_word_of_one_sentence_is_unknown_in_it() -> None:
    text = [["今天", "来"]] * 30 + [["区块链", "来"]] + [["今天", "去"]] * 30
    space = features.FeatureSpace.of_text(text)
    vocab = bt.vocabulary([text])
    word_columns = bt.encode(vocab, space, [text[30]]).words
    jackknifed = bt.encode(vocab, space, [text[30]], space.folds[30:31]).words
    assert word_columns.any()
    assert not jackknifed.any()


def test_pieces_end_with_sentences_and_hold_all_of_the_text(space: features.FeatureSpace) -> None:
    line = [w for words in sentences(20, 5) for w in [*words, "。"]]
    vocab = bt.vocabulary([[line]])
    text = bt.encode(vocab, space, [line])
    codes, _ = code_points(["".join(line)])
    short = bt.shorter(text, codes, least=10, most=30)
    sizes = np.diff(short.offsets)
    assert len(sizes) > 3
    assert sizes.sum() == len(codes)
    ends = short.offsets[1:-1] - 1
    assert all(chr(codes[i]) == "。" or n >= 30 for i, n in zip(ends, sizes, strict=False))


# --- the CRF ------------------------------------------------------------------------------------


def test_the_partition_is_the_sum_over_all_sequences() -> None:
    torch.manual_seed(1)
    scores, trans = torch.randn(5, 3, 4), torch.randn(4, 4)
    start, end, lengths = torch.randn(4), torch.randn(4), torch.tensor([5, 1, 3])
    total = log_partition(scores, lengths, trans, start, end)
    for b, n in enumerate(lengths.tolist()):
        paths = []
        for tags in itertools.product(range(4), repeat=n):
            by_hand = start[tags[0]] + end[tags[-1]]
            by_hand = by_hand + sum(scores[i, b, t] for i, t in enumerate(tags))
            by_hand = by_hand + sum(trans[x, y] for x, y in itertools.pairwise(tags))
            padded = torch.tensor([*tags, *[0] * (5 - n)]).unsqueeze(1)
            path_value = path_score(
                scores[:, b : b + 1], padded, lengths[b : b + 1], trans, start, end
            )
            assert float(path_value) == pytest.approx(float(by_hand), abs=1e-4)
            paths.append(by_hand)
        assert float(total[b]) == pytest.approx(float(torch.stack(paths).logsumexp(0)), abs=1e-4)


def test_its_gradient_is_that_of_the_sum() -> None:
    torch.manual_seed(2)
    lengths = torch.tensor([4, 1, 2])
    path_values = [
        torch.randn(size, dtype=torch.float64, requires_grad=True)
        for size in ((4, 3, 4), (4, 4), (4,), (4,))
    ]

    def total(scores: object, trans: object, start: object, end: object) -> object:
        return log_partition(scores, lengths, trans, start, end)

    assert torch.autograd.gradcheck(total, path_values)


def test_decoding_finds_the_best_of_the_sequences_that_words_give() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 5):
        scores, trans = rng.normal(size=(n, 4)), rng.normal(size=(4, 4))
        start, end = rng.normal(size=4), rng.normal(size=4)
        best, best_score = None, -np.inf
        for tags in itertools.product(range(4), repeat=n):
            word = [FOUR[t] for t in tags]
            if word[0] not in "BS" or word[-1] not in "ES":
                continue
            if not all(allowed(x, y) for x, y in itertools.pairwise(word)):
                continue
            score = start[tags[0]] + end[tags[-1]] + scores[range(n), tags].sum()
            score += sum(trans[x, y] for x, y in itertools.pairwise(tags))
            if score > best_score:
                best, best_score = list(tags), score
        assert bilstm.decode(scores, trans, start, end) == best


def test_f1_is_that_of_the_scorer() -> None:
    gold, predicted = [["ab", "c"], ["a", "b", "c"]], [["ab", "c"], ["ab", "c"]]

    def ends(words: Sequence[str]) -> np.ndarray:
        return np.array([i + 1 == len(w) for w in words for i in range(len(w))])

    got = bilstm.f1([ends(w) for w in gold], [ends(w) for w in predicted])
    assert got == pytest.approx(2 * 3 / (5 + 4))


# --- training -----------------------------------------------------------------------------------


@pytest.mark.parametrize("unsure", [None, [1, 3]])
def test_the_loss_is_that_of_all_sequences(
    vocab: bt.Vocabulary, space: features.FeatureSpace, unsure: list[int] | None
) -> None:
    """Of partly labelled text, those that fit count against all."""
    text = [["我", "在", "北京", "大学", "看书"]]
    is_open = None if unsure is None else [np.array(unsure)]
    encoded = bt.encode(vocab, space, text, None, is_open)
    torch.manual_seed(5)
    model = BilstmCrf(options(precision="float32"), vocab, space.words.n_classes, ["a"])
    model.eval()
    torch.nn.init.normal_(model.trans)
    batch = make_batch(0, encoded, np.array([0]))
    (scores,) = bilstm.emissions(model, 0, encoded)
    trans = model.trans[0].detach().numpy()
    ends = np.array([1, 1, 0, 1, 0, 1, 0, 1], bool)
    known = np.ones(len(ends), bool)
    known[unsure or []] = False
    every, fitting = [], []
    for tags in itertools.product(range(4), repeat=len(ends)):
        value = sum(scores[i, t] for i, t in enumerate(tags))
        value += sum(trans[a, b] for a, b in itertools.pairwise(tags))
        cut = np.array([FOUR[t] in ENDS for t in tags])
        begun = np.array([FOUR[t] in BEGINS for t in tags])
        wrong = known & (cut != ends)
        every.append(value)
        starts_known, starts = np.r_[True, known[:-1]], np.r_[True, ends[:-1]]
        if not wrong.any() and not (starts_known & (begun != starts)).any():
            fitting.append(value)
    expected = np.logaddexp.reduce(every) - np.logaddexp.reduce(fitting)
    with torch.no_grad():
        assert float(model.loss(batch)) == pytest.approx(float(expected), rel=1e-3)


def test_training_lowers_the_loss_and_learns_the_text(
    parts: list[bilstm.Part], vocab: bt.Vocabulary, space: features.FeatureSpace
) -> None:
    model, passes = bilstm.train(parts, vocab, space.words.n_classes, options(epochs=6))
    losses = [p.loss for p in passes]
    assert losses[-1] < losses[0] / 2
    assert max(p.f1["own"] for p in passes) > 0.8
    assert bilstm.evaluate(model, 0, parts[0].dev) == max(p.f1["own"] for p in passes)


def test_the_same_options_give_the_same_weights(
    parts: list[bilstm.Part], vocab: bt.Vocabulary, space: features.FeatureSpace
) -> None:
    first, second = (
        bilstm.export(bilstm.train(parts, vocab, space.words.n_classes, options())[0])
        for _ in range(2)
    )
    assert all(np.array_equal(first[key], second[key]) for key in first)
    exported_again = bilstm.export(
        bilstm.train(parts, vocab, space.words.n_classes, options(seed=2))[0]
    )
    assert not np.array_equal(first["out_w_own"], exported_again["out_w_own"])


def test_an_interrupted_training_goes_on_as_if_nothing_had_been(
    parts: list[bilstm.Part], vocab: bt.Vocabulary, space: features.FeatureSpace, tmp_path: Path
) -> None:
    o = options(layers=2)
    uninterrupted = bilstm.export(bilstm.train(parts, vocab, space.words.n_classes, o)[0])
    path = tmp_path / "checkpoint"

    def interrupt(epoch: bilstm.Epoch) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        bilstm.train(parts, vocab, space.words.n_classes, o, checkpoint=path, progress=interrupt)
    model, passes = bilstm.train(
        parts, vocab, space.words.n_classes, o, checkpoint=path, resume=True
    )
    assert [p.number for p in passes] == [1, 2, 3]
    assert all(np.array_equal(uninterrupted[key], got) for key, got in bilstm.export(model).items())
    with pytest.raises(ArgumentError, match="other options"):
        bilstm.train(
            parts, vocab, space.words.n_classes, options(seed=2), checkpoint=path, resume=True
        )


def test_training_ends_when_the_dev_text_gains_no_more(
    parts: list[bilstm.Part], vocab: bt.Vocabulary, space: features.FeatureSpace
) -> None:
    _, passes = bilstm.train(
        parts, vocab, space.words.n_classes, options(epochs=9, patience=1, rate=1e-9, average=0.0)
    )
    assert len(passes) < 9


def test_bad_options_are_named() -> None:
    with pytest.raises(ArgumentError, match="hidden: 0 is less than 1"):
        options(hidden=0)
    with pytest.raises(ArgumentError, match=r"input: 1\.0 is not from 0 to below 1"):
        options(input=1.0)
    with pytest.raises(ArgumentError, match="precision"):
        options(precision="int3")


def test_the_scores_of_a_batch_are_those_of_each_sentence(
    parts: list[bilstm.Part], vocab: bt.Vocabulary, space: features.FeatureSpace
) -> None:
    model, _ = bilstm.train(parts, vocab, space.words.n_classes, options(layers=2, epochs=1))
    together = bilstm.emissions(model, 0, parts[0].text)
    alone = bilstm.emissions(model, 0, parts[0].text, size=1)
    for a, b in zip(together, alone, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-4)


@pytest.mark.parametrize("lexicon", [True, False])
def test_what_is_exported_computes_the_same_scores(
    parts: list[bilstm.Part], vocab: bt.Vocabulary, space: features.FeatureSpace, lexicon: bool
) -> None:
    text = parts[0].text
    parts_both = [parts[1], parts[0]._replace(dev=None)]
    model, _ = bilstm.train(
        parts_both, vocab, space.words.n_classes, options(epochs=1, lexicon=lexicon)
    )
    matrix, first = np.arange(16.0).reshape(4, 4), np.arange(4.0)
    p = bilstm.export(model, {"note": "測試"}, {"own": (0.5, matrix, first)})
    number = list(model.standards).index("own")
    np.testing.assert_allclose(
        p["transitions_own"], bilstm.transitions(model, number)[0] + 0.5 * matrix, atol=1e-6
    )
    np.testing.assert_allclose(
        p["start_own"], bilstm.transitions(model, number)[1] + 0.5 * first, atol=1e-6
    )
    assert float(p["linear_weight_own"]) == 0.5
    assert float(p["linear_weight_other"]) == 0.0
    assert json.loads(str(p["meta"]))["note"] == "測試"
    sentence = slice(*text.offsets[3:5].tolist())
    codes = {int(c): i + 2 for i, c in enumerate(p["chars"])}
    pairs = {(int(a), int(b)): i + 1 for i, (a, b) in enumerate(p["bigrams"])}
    word = [ord(c) for c in "".join(TRAIN[3])]
    around = [0, *word, 0]
    x = np.concatenate(
        [
            p["char_embedding"][[codes.get(c, 0) for c in word]],
            p["bigram_embedding"][[pairs.get(k, 0) for k in itertools.pairwise(around[:-1])]],
            p["bigram_embedding"][[pairs.get(k, 0) for k in itertools.pairwise(around[1:])]],
            *(p[f"lexicon_{k}"][text.words[sentence, k]] for k in range(len(bt.SLOTS))),
        ],
        axis=1,
    )
    sides = []
    for name, order in (("fw", slice(None)), ("bw", slice(None, None, -1))):
        h = c = np.zeros(SMALL["hidden"])
        states = []
        for row in x[order]:
            gates = p[f"w_ih_0_{name}"] @ row + p[f"w_hh_0_{name}"] @ h
            gates = gates + p[f"b_0_{name}"] + p[f"bias_own_{name}"]
            i, f, g, o = np.split(gates, 4)
            i, f, o = (1 / (1 + np.exp(-v)) for v in (i, f, o))
            c = f * c + i * np.tanh(g)
            h = o * np.tanh(c)
            states.append(h)
        sides.append(np.array(states)[order])
    by_hand = np.concatenate(sides, axis=1) @ p["out_w_own"].T + p["out_b_own"]
    emissions_found = bilstm.emissions(model, number, text)[3]
    np.testing.assert_allclose(emissions_found, by_hand, atol=1e-4)


# --- the linear tagger's scores -----------------------------------------------------------------


def test_scores_of_the_whole_tagger_are_those_of_the_model_in_python() -> None:
    result = tagger.train(TRAIN, None, [], tagger.TaggerOptions(epochs=2))
    space = features.FeatureSpace.of_text(TRAIN)
    trainer = space.trainer()
    columns = space.columns(TRAIN, space.folds)
    corpus = trainer.add_corpus(*columns)
    from segmenter.train.tagging import crf

    got = crf.train(trainer, corpus, None, epochs=2)
    scores = space.emissions(trainer, space.columns(DEV), got.weights)
    exact = np.concatenate([Scorer(result.model)("".join(w)) for w in DEV])
    np.testing.assert_allclose(scores, exact, atol=5e-3)  # the model is rounded to four decimals


def test_the_weight_of_the_linear_tagger_is_the_one_that_finds_the_words() -> None:
    right = np.array([[9.0, 0, 0, 0], [0, 0, 9.0, 0], [0, 0, 0, 9.0]])  # B E S
    wrong = np.array([[0, 0, 0, 4.0], [0, 0, 0, 4.0], [0, 0, 0, 4.0]])
    zero = np.zeros(4)
    tried = bilstm.combine(
        [wrong], [right], [np.array([False, True, True])], (np.zeros((4, 4)), zero, zero),
        np.zeros((4, 4)), zero, (0.0, 0.25, 1.0),
    )  # fmt: skip
    assert tried == {0.0: 0.4, 0.25: 0.4, 1.0: 1.0}


# --- a build ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lesson() -> joint.Lesson:
    portable = tagger.train(TRAIN, None, [], tagger.TaggerOptions(epochs=2)).model
    space = features.FeatureSpace.of_text(TRAIN)
    scores = joint.compiled_scores(portable, DEV)
    return joint.Lesson(
        "own", space, TRAIN, space.folds, DEV,
        "own-balanced.model", scores, portable.trans, portable.start,
    )  # fmt: skip


def test_a_build_writes_everything_that_the_compiler_reads(
    lesson: joint.Lesson, tmp_path: Path
) -> None:
    lines: list[str] = []
    path = joint.build(lesson, options(epochs=2), tmp_path / "own.npz", tmp_path, say=lines.append)
    with np.load(path) as arrays:
        words = bytes(arrays["words"]).decode().split("\n")
        assert len(words) == len(arrays["word_class_own"])
        assert "图书馆" in words
        meta = json.loads(str(arrays["meta"]))
    assert meta["standards"]["own"]["linear"] == "own-balanced.model"
    about = json.loads((tmp_path / "own.json").read_text("utf-8"))
    standard = about["standards"]["own"]
    assert standard["dev"][str(standard["weight"])] >= max(standard["dev"].values()) - joint.FORGONE
    assert any(line.startswith(f"own: weight {standard['weight']}, dev") for line in lines)
    assert len(about["passes"]) == 2


def test_the_same_build_gives_the_same_bytes(lesson: joint.Lesson, tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        work = tmp_path / name
        work.mkdir()
        joint.build(lesson, options(epochs=2), work / "own.npz", work)
        files.append((work / "own.npz").read_bytes())
    assert files[0] == files[1]


def test_without_torch_training_says_what_to_install() -> None:
    code = "import sys; sys.modules['torch'] = None\nimport segmenter.train.bilstm"
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert got.returncode == 1
    assert "pip install 'torch>=2.5'" in got.stderr
