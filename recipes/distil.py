"""What the network of all standards learns from the teacher and from the voters.

The teacher (teacher.py) and the finished network read raw text together: the teacher's log odds of
a word's end, times a weight, are added to the network's scores; for ``general`` the vote is, too.
On the dev text of every convention they are better together than either
(README.md).  The network then goes on, beside gold, with how likely they find
each tag (distillation of an ensemble, Hinton, Vinyals and Dean 2015).  Standards whose text the
teacher does not read learn what the network says of raw text itself, so that they stay as they are
(Li and Hoiem 2016, Learning without forgetting).
"""

from __future__ import annotations

import math
import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from recipes import compiled_network, conventions, linear, votes
from segmenter.train import bilstm, bilstm_text
from segmenter.train.bilstm_text import Encoded
from segmenter.train.corpus import folded
from segmenter.train.crf_layer import log_partition
from segmenter.train.tagging.features import FeatureSpace
from segmenter.train.tagging.scheme import ENDS, FOUR

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from recipes.raw import Line
    from segmenter.train.tagging.bilstm_crf import BilstmCrf

    Array = NDArray[Any]
    Fold = Callable[[str], str]


class Plan(NamedTuple):
    """What a standard learns from.

    Attributes:
        teacher: weight of the teacher's log odds; 0: the network reads alone.
        gold: how often the gold is read.
        raw: characters of raw text, at most.
    """

    teacher: float
    gold: float
    raw: int


class Round(NamedTuple):
    """A pass over text.

    Attributes:
        plans: of each standard; weights of the teacher are those that are best on its dev text.
        vote: nats for each unit of the vote's sum above the least, in ``general``.
        options: of the training.
    """

    plans: Mapping[str, Plan]
    vote: float
    options: bilstm.BilstmOptions


OPTIONS = bilstm.BilstmOptions(
    dropout=bilstm.Dropout(input=0.05, output=0.1, pairs=0.03),
    schedule=bilstm.Schedule(epochs=1, batch=4096, rate=1e-3, warm_up=200),
    seed=12,
    precision="float32",
)
#: Much text once, then less of it and gold again, at a lower rate.
ROUNDS = (
    Round(
        {
            "general": Plan(0.5, 0.0, 8_000_000),
            "pku": Plan(0.0, 0.2, 1_200_000),
            "national": Plan(0.0, 0.0, 1_000_000),
            "ctb": Plan(2.0, 0.5, 5_000_000),
            "sxu": Plan(0.5, 0.5, 5_000_000),
            "msr": Plan(0.0, 0.5, 1_000_000),
            "ud": Plan(0.75, 2.0, 5_000_000),
            "weibo": Plan(1.0, 0.5, 5_000_000),
            "sinica": Plan(1.5, 2.0, 5_000_000),
        },
        2.5,
        OPTIONS,
    ),
    Round(
        {
            "general": Plan(0.5, 0.0, 1_100_000),
            "pku": Plan(0.0, 0.1, 420_000),
            "national": Plan(0.0, 0.0, 300_000),
            "ctb": Plan(2.0, 0.3, 750_000),
            "sxu": Plan(0.5, 0.3, 400_000),
            "msr": Plan(0.0, 0.3, 300_000),
            "ud": Plan(0.75, 1.0, 550_000),
            "weibo": Plan(1.0, 0.3, 550_000),
            "sinica": Plan(1.5, 1.0, 700_000),
        },
        0.0,
        replace(OPTIONS, schedule=replace(OPTIONS.schedule, rate=5e-4, warm_up=100), seed=13),
    ),
)
KEPT = 0.3  # of the weights before
#: Half of the raw text of these is of the domains of their gold.
AT_HOME = ("ctb",)
SUREST = 6.0  # nats: no boundary of the teacher weighs more
JOINED = -10.0  # inside a word of the project's own list
LINES_AT_ONCE = 40_000
LAST = [i for i, tag in enumerate(FOUR) if tag in ENDS]


class Read(NamedTuple):
    """A text without blanks, and log odds of a word's end after each character.

    None: the network reads alone.
    """

    text: str
    odds: Array | None


def log_odds(reading: Array) -> Array:
    """Log odds of a reading, NaN where the teacher has not read.

    Args:
        reading: chances of a word's end in 254ths, :data:`votes.UNREAD` where there is none.

    >>> log_odds(np.array([127, 254, 255], np.uint8)).tolist()
    [0.0, 6.0, nan]
    """
    chance = reading / np.float32(votes.UNREAD - 1)
    odds = np.log(np.maximum(chance, 1e-9) / np.maximum(1 - chance, 1e-9)).clip(-SUREST, SUREST)
    return np.where(reading == votes.UNREAD, np.float32(np.nan), odds)


def joined(found: Sequence[Line], own: Collection[str], ends: Array, fold: Fold) -> Array:
    """The places inside words of a list, where the labels have a boundary at both of their ends.

    Args:
        found: of :func:`recipes.raw.sample`.
        own: the words, in the characters of the models.
        ends: whether a word ends after each character of these lines.
        fold: brings text to the characters of the models.
    """
    import ahocorasick

    automaton = ahocorasick.Automaton()
    for word in own:
        if len(word) > 1:
            automaton.add_word(word, len(word))
    automaton.make_automaton()
    ends, inside, start = ends.copy(), np.zeros(len(ends), bool), 0
    for line in found:
        places = [(stop - n + 1, stop) for stop, n in automaton.iter(fold(line.text))]
        here = ends[start : start + len(line.text)]
        for first, last in sorted(places, key=lambda place: place[0] - place[1]):
            whole = (first == 0 or here[first - 1]) and here[last]
            if whole and here[first:last].any():
                here[first:last] = False
                inside[start + first : start + last] = True
        start += len(line.text)
    return inside


def pieces(
    found: Sequence[Line], name: str, odds: Array | None, most: int, seed: int = 0
) -> Iterator[Read]:
    """The raw text that a standard learns, in random order; old Chinese is left out.

    Args:
        found: of :func:`recipes.raw.sample`.
        name: of the standard.
        odds: of all characters of these lines, NaN in texts that are left out; None: all are given.
        most: characters.
        seed: of the order.
    """
    order = [
        i for i, line in enumerate(found) if line.source not in votes.SKIPPED and len(line.text) > 2
    ]
    random.Random(f"{seed} {name}").shuffle(order)
    if name in AT_HOME:
        home = (i for i in order if found[i].source in conventions.DOMAINS[name])
        half = list(_so_many(found, home, most / 2))
        order = list(dict.fromkeys([*half, *order]))
    starts = np.cumsum([0, *(len(line.text) for line in found)]).tolist()
    characters = 0
    for i in order:
        for match in re.finditer(r"\S+", found[i].text):
            start = starts[i] + match.start()
            given = None if odds is None else odds[start : start + len(match[0])]
            if given is None or not np.isnan(given).any():
                yield Read(match[0], given)
                characters += len(match[0])
        if characters > most:
            return


def _so_many(found: Sequence[Line], order: Iterable[int], characters: float) -> Iterator[int]:
    for i in order:
        if characters < 0:
            return
        yield i
        characters -= len(found[i].text)


def lesson(
    net: bilstm.BilstmCrf, name: str, space: FeatureSpace, read: Sequence[Read], fold: Fold
) -> Encoded:
    """Raw text with the chances of its tags, as the network and the others find them together.

    Args:
        net: the network.
        name: of the standard.
        space: its words.
        read: of :func:`pieces`.
        fold: brings text to the characters of the models.
    """
    marks, found = net.options.shape.marks, []
    for at in range(0, len(read), LINES_AT_ONCE):
        some = read[at : at + LINES_AT_ONCE]
        raw = [list(fold(each.text)) for each in some]
        text = bilstm_text.encode(net.vocab, space, raw, marks=marks)
        scores = np.concatenate(bilstm.emissions(net, net.standards.index(name), text))
        given = [each.odds for each in some if each.odds is not None]
        if given:
            kept = np.array([c not in marks for line in raw for c in line])
            scores[:, LAST] += np.concatenate(given)[kept][:, None]
        found.append(text._replace(likely=chances_of_tags(net, text, scores).astype(np.float16)))
    return together(found)


def together(texts: Sequence[Encoded]) -> Encoded:
    """Texts with chances, one after another."""
    starts = np.cumsum([0, *(len(text.chars) for text in texts)])
    offsets = [text.offsets[:-1] + start for text, start in zip(texts, starts, strict=False)]
    columns = {
        name: np.concatenate([getattr(text, name) for text in texts])
        for name in ("chars", "left", "right", "words", "tags", "likely")
    }
    return Encoded(**columns, offsets=np.concatenate([*offsets, starts[-1:]]))


def chances_of_tags(net: bilstm.BilstmCrf, text: Encoded, scores: Array) -> Array:
    """How likely each tag is at each character.

    Args:
        net: for what may follow what.
        text: of which the scores are.
        scores: ``(characters, 4)``.
    """
    moves = (net.trans[0], net.start[0], net.end[0])
    found, lengths = np.zeros_like(scores), np.diff(text.offsets)
    order = np.argsort(lengths, kind="stable")
    for some in np.array_split(order, -(-len(scores) // 20_000)):
        steps = np.arange(int(lengths[some].max()))[:, None]
        at = text.offsets[some] + np.minimum(steps, lengths[some] - 1)
        here = torch.from_numpy(scores[at]).requires_grad_()
        total = log_partition(here, torch.from_numpy(lengths[some]), *moves).sum()
        (tags,) = torch.autograd.grad(total, here)
        inside = steps < lengths[some]
        found[at[inside]] = tags.numpy()[inside]
    return found


def parts(
    model: BilstmCrf,
    net: bilstm.BilstmCrf,
    gold: Mapping[str, Sequence[Sequence[str]]],
    pku: linear.Materials,
    found: Sequence[Line],
    odds: Callable[[str, Plan, float], Array | None],
    fold: Fold,
    of: Round,
) -> Iterator[bilstm.Part]:
    """All that the network goes on with.

    Args:
        model: the portable form of the network.
        net: the network, as it is before the first round.
        gold: training text of the conventions, as it stands.
        pku: text and lexicons of that standard.
        found: of :func:`recipes.raw.sample`.
        odds: those of a standard by its plan and the weight of the vote, see :func:`pieces`.
        fold: brings text to the characters of the models.
        of: which round.
    """
    marks = net.options.shape.marks
    for name, plan in of.plans.items():
        classes = model.standards[name].words
        if plan.gold:
            if name == "pku":
                text = pku.sentences
                own = FeatureSpace.of_text(text, pku.sources, linear.SHIPPED["balanced"].features)
            else:
                text = [folded(words, fold) for words in gold[name]]
                own = FeatureSpace.of_text(text, compiled_network.sources(classes))
            made = bilstm_text.encode(net.vocab, own, text, own.folds, marks=marks)
            for _ in range(math.ceil(plan.gold)):
                yield bilstm.Part(name, made, min(plan.gold, 1.0))
        given = odds(name, plan, of.vote)
        read = list(pieces(found, name, given, plan.raw, of.options.seed))
        yield bilstm.Part(name, lesson(net, name, compiled_network.space(classes), read, fold))


def mix(before: bilstm.BilstmCrf, after: bilstm.BilstmCrf) -> None:
    """Makes the weights of a network a mean of its own and those before, :data:`KEPT` of these.

    The mean of a network and what it has become learns nearly all of the new and forgets less
    (Wortsman et al. 2022, Robust fine-tuning of zero-shot models).
    """
    with torch.no_grad():
        for mine, old in zip(after.parameters(), before.parameters(), strict=True):
            mine.lerp_(old, KEPT)
