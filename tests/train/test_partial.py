"""Training on partly labelled text: boundaries that nobody decided stay open.

The oracle enumerates every tag sequence that words give; no recursion of the trainers is used.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from segmenter.train.tagging import crf, perceptron
from segmenter.train.tagging.features import UNSURE, FeatureOptions, FeatureSpace
from segmenter.train.tagging.scheme import FOUR, allowed, tag_word

TEXT = [["他", "说", "的", "确实", "在理"], ["的确", "实在"], ["他", "在", "说"]] * 4


def sequences(length: int) -> list[tuple[int, ...]]:
    """The tags of every way to divide ``length`` characters into words."""
    number = {name: i for i, name in enumerate(FOUR)}
    sequences_found = []
    for closes in itertools.product([False, True], repeat=length - 1):
        cuts = [0, *(i + 1 for i, close in enumerate(closes) if close), length]
        sizes = [b - a for a, b in itertools.pairwise(cuts)]
        sequences_found.append(tuple(number[t] for size in sizes for t in tag_word(size)))
    return sequences_found


def fits(tagged: tuple[int, ...], ends: list[int]) -> bool:
    """Whether a sequence has its word ends where the labels say so."""
    closes = [FOUR[t] in ("E", "S") for t in tagged]
    return all(end in (UNSURE, close) for end, close in zip(ends, closes, strict=True))


def expected(
    scores: np.ndarray, trans: np.ndarray, chosen: list[tuple[int, ...]]
) -> tuple[np.ndarray, float]:
    """Probability of each tag at each place among ``chosen``, and the logarithm of their sum."""
    n, tags = scores.shape
    weights = [
        np.exp(
            sum(scores[i, t] for i, t in enumerate(tagged))
            + sum(trans[a, b] for a, b in itertools.pairwise(tagged))
        )
        for tagged in chosen
    ]
    marginals = np.zeros((n, tags))
    for tagged, weight in zip(chosen, weights, strict=True):
        for i, t in enumerate(tagged):
            marginals[i, t] += weight / sum(weights)
    return marginals, float(np.log(sum(weights)))


@pytest.mark.parametrize("margin", [0.0, 1.5])
@pytest.mark.parametrize(
    "ends", [[0, 2, 2, 0, 1], [2, 2, 2, 2, 1], [1, 2, 0, 2, 1], [1, 1, 0, 1, 1]]
)
def test_the_crf_follows_the_likelihood_of_all_sequences_that_fit(
    ends: list[int], margin: float
) -> None:
    """With a margin, each boundary that is missing or too many scores as much more."""
    tags = len(FOUR)
    space = FeatureSpace.of_text(TEXT, options=FeatureOptions(lexicon=False, min_pair=1))
    trainer = space.trainer()
    columns = space.columns([["的确", "实", "在理"]])
    uni = trainer.layout[0]
    rng = np.random.default_rng(7)
    before = rng.normal(0, 0.5, trainer.layout[5] * tags).astype(np.float32)
    trainer.set_weights(before)
    corpus = trainer.add_corpus(
        columns.ids, columns.offsets, np.array(ends, np.uint8), columns.folds
    )
    table = before.reshape(-1, tags).astype(np.float64)
    scores = space.emissions(trainer, columns, before).astype(np.float64)
    sequences_all = sequences(len(ends))
    closes = np.array([tag in ("E", "S") for tag in FOUR])
    wrong = np.array([[end not in (UNSURE, close) for close in closes] for end in ends])
    model, _ = expected(scores + margin * wrong, table[:tags], sequences_all)
    expected_tags, _ = expected(scores, table[:tags], [s for s in sequences_all if fits(s, ends)])
    rate = 0.01
    trainer.crf_epoch(corpus, 1, rate, rate, 0.0, margin)
    after = np.frombuffer(trainer.weights(), np.float32).reshape(-1, tags)
    moved = (after - table)[uni : uni + 4 * len(space.characters)].reshape(-1, 4, tags)
    slot = 2  # the slot of the character itself; the five characters all differ
    for place, number in enumerate(columns.ids.tolist()):
        got = moved[space.characters.row_of[number], slot]
        np.testing.assert_allclose(got, rate * (expected_tags - model)[place], atol=2e-6)


def test_a_perceptron_with_a_margin_learns_until_the_labels_lead_by_it() -> None:
    space = FeatureSpace.of_text(TEXT, options=FeatureOptions(lexicon=False, min_pair=1))
    wrong: dict[float, list[int]] = {}
    for margin in (0.0, 5.0):
        trainer = space.trainer()
        corpus = trainer.add_corpus(*space.columns(TEXT))
        for seed in range(40):
            trainer.perceptron_epoch(corpus, seed, margin)
        wrong[margin] = [trainer.perceptron_epoch(corpus, 0, asked) for asked in (0.0, 5.0, 50.0)]
    assert wrong[0.0][0] == 0 < wrong[0.0][1]
    assert wrong[5.0][:2] == [0, 0]
    assert wrong[5.0][2] > 0


def test_open_boundaries_alone_teach_nothing() -> None:
    space = FeatureSpace.of_text(TEXT, options=FeatureOptions(lexicon=False))
    unsure = [np.arange(sum(map(len, words)) - 1) for words in TEXT]
    columns = space.columns(TEXT, None, unsure)
    for train in (crf.train, perceptron.train):
        trainer = space.trainer()
        trained = train(trainer, trainer.add_corpus(*columns), None, epochs=2)
        np.testing.assert_allclose(trained.weights, 0, atol=1e-6)


@pytest.mark.parametrize("train", [crf.train, perceptron.train])
def test_what_is_labelled_is_learnt(train: object) -> None:
    """Of 的确实在 only the first and the last boundary are labelled."""
    assert callable(train)
    text = [["的", "确", "实", "在"]] * 3 + [["确实"], ["在"], ["实", "在"]] * 2
    labelled = [np.array([1, 2])] * 3 + [np.zeros(0, np.int64)] * 6
    space = FeatureSpace.of_text(text, options=FeatureOptions(lexicon=False, min_pair=1))
    trainer = space.trainer()
    trained = train(trainer, trainer.add_corpus(*space.columns(text, None, labelled)), None)
    trainer.set_weights(trained.weights)
    dev = trainer.add_corpus(*space.columns([["的", "确实", "在"]]))
    ends = [FOUR[t] in ("E", "S") for t in trainer.tag(dev)]
    assert ends[0]
    assert ends[3]


def test_the_network_follows_the_same_likelihood() -> None:
    pytest.importorskip("torch", reason="the package torch (extra train) is not installed")
    import torch

    from segmenter.train import bilstm_text
    from segmenter.train.bilstm.network import NEVER
    from segmenter.train.crf_layer import log_partition

    rng = np.random.default_rng(3)
    ends = [0, 2, 2, 0, 1]
    scores, trans = rng.normal(0, 1, (5, 4)), rng.normal(0, 1, (4, 4))
    masks = bilstm_text.fitting_tags(np.array(ends, np.uint8), np.array([0, 5]))
    keep = torch.from_numpy(masks[:, None] >> np.arange(4) & 1).bool()
    fitting = torch.from_numpy(scores).masked_fill(~keep, NEVER).unsqueeze(1)
    # the network's CRF lets any tag follow any other: here all moves that words do not give are out
    names = FOUR
    moves = [[trans[a, b] if allowed(x, y) else NEVER for b, y in enumerate(names)]
             for a, x in enumerate(names)]  # fmt: skip
    begin = torch.tensor([0.0 if x in ("B", "S") else NEVER for x in names], dtype=torch.float64)
    close = torch.tensor([0.0 if x in ("E", "S") else NEVER for x in names], dtype=torch.float64)
    got = log_partition(
        fitting, torch.tensor([5]), torch.tensor(moves, dtype=torch.float64), begin, close
    )
    _, total = expected(scores, trans, [s for s in sequences(5) if fits(s, ends)])
    assert got.item() == pytest.approx(total)
