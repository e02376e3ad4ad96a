"""Training of the part-of-speech tagger: from tagged sentences to a model."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter import artifact
from segmenter.errors import ArgumentError
from segmenter.kernels import _lexicon, _models, _train
from segmenter.lexicon.builder import char_weights, costless_sections, trie_of
from segmenter.lexicon.characters import CharTable
from segmenter.tagging.pos import KIND, MEANING, PosTagger
from segmenter.text import chars
from segmenter.train.counts import read_tagged
from segmenter.train.tagging.perceptron import pass_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Sentence = list[tuple[str, str]]
    #: None: the tag is unknown, and the word serves only as context.
    Partly = Sequence[tuple[str, str | None]]


#: Minimum number of words that were seen once, with a certain tag, for new words to have that tag.
OPEN_FROM = 5
#: Tags that a rare word may have in addition to those it was seen with.
KIN = {"v": ("vn",), "vn": ("v",), "a": ("an", "ad"), "n": ("nz",), "nz": ("n",)}


@dataclass(frozen=True)
class PosOptions:
    """Options of training a part-of-speech tagger.

    Attributes:
        choosing: passes over the text that select features; 0: all features are used.
        features: number of single-word features to select, those with the largest weights.
        joint: number of features of several words, or of tags, to select.
        epochs: passes that learn the weights of the selected features.
        runs: number of trainings, each with another order of sentences; the weights are averaged.
        margin: the weights are also updated if the correct tag leads by less than this.
        settled: if the best tag leads by this much after the single-word features, the other
            features are not computed.
        known: a word seen this often may have the tags that it was seen with; a rarer one the tag
            of the word list, or tags by its characters.
        sure: a word seen this often with a single tag always has that tag.
        listed: words of the list below this count are left out.
        share: a tag that was seen once with a known word, in less than this share of its
            occurrences, is not one of its tags.
        affixes: the characters of words seen less often than this are features.
        prune: smaller weights are left out.
        fifth: a feature keeps more than its four largest weights only if the fifth is this large,
            since it then takes 56 bytes of the model instead of 8.
        seed: of the order of the sentences.
    """

    choosing: int = 3
    features: int = 34_000
    joint: int = 34_000
    epochs: int = 5
    runs: int = 1
    margin: float = 20.0
    settled: float = 7.0
    known: int = 3
    sure: int = 12
    listed: int = 20
    share: float = 0.01
    affixes: int = 100
    prune: float = 0.8
    fifth: float = 3.0
    seed: int = 1


class _Classes:
    """The classes of words: which tags they may have, whether their characters are features."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[object, ...], int] = {}
        self.tags: list[tuple[str, ...]] = []
        self.affixes: list[int] = []

    def number(self, name: tuple[object, ...], tags: Iterable[str], affixes: bool) -> int:
        number = self.numbers.get(name)
        if number is None:
            number = self.numbers[name] = len(self.tags)
            self.tags.append(tuple(tags))
            self.affixes.append(int(affixes))
        return number


_MARKS = frozenset((chars.PUNCT, chars.OTHER)) | chars.JOINERS


def _has_digits(word: str) -> bool:
    return any(chars.char_class(ord(c)) in (chars.DIGIT, chars.LATIN) for c in word)


def classes_of(
    sentences: Sequence[Partly], listed: Mapping[str, str], options: PosOptions
) -> tuple[_Classes, dict[str, int]]:
    """The classes, beginning with those of the shapes, and the class of each word of the model."""
    counts_of: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word, tag in sentence:
            if tag is not None:
                counts_of[word][tag] += 1
    marks: Counter[str] = Counter()
    for word, tags in counts_of.items():
        if all(chars.char_class(ord(c)) in _MARKS for c in word):
            marks += tags
    known_tags = {tag for tags in counts_of.values() for tag in tags}
    mark = marks.most_common(1)[0][0] if marks else "w"
    single = Counter(tag for tags in counts_of.values() if tags.total() == 1 for tag in tags)
    open_candidates = {tag for tag, n in single.items() if n >= OPEN_FROM and tag != mark}
    open_tags = tuple(sorted(open_candidates or known_tags))
    classes = _Classes()
    fixed = {0: ("x",), 1: ("x",), 2: (mark,), 3: (mark,), 17: (mark,)}
    for shape in range(_models.POS_SHAPES):
        classes.number(("shape", shape), fixed.get(shape, open_tags), shape not in fixed)
    of_word: dict[str, int] = {}
    rare: dict[str, tuple[str, int]] = {}  # words of the list that are rare in the text
    for word in sorted({*counts_of, *listed}):
        tags = counts_of.get(word, Counter())
        total = tags.total()
        in_list = listed.get(word)
        if total >= options.known and not (_has_digits(word) and total < options.sure):
            allowed = {t for t, n in tags.items() if n >= 2 or n >= options.share * total}
            allowed = allowed or set(tags)
            if total < options.sure:
                allowed |= {k for t in tuple(allowed) for k in KIN.get(t, ()) if k in known_tags}
                if in_list is not None:
                    allowed.add(in_list)
            top = tags.most_common(1)[0][0]
            frequency = 0 if total < options.sure else 1 if total < 100 else 2
            share = tags[top] / total
            dominance = 0 if share < 0.7 else 1 if share < 0.9 else 2 if share < 0.98 else 3
            name = ("seen", tuple(sorted(allowed)), top, frequency, dominance)
            of_word[word] = classes.number(name, sorted(allowed), total < options.affixes)
        elif in_list is not None and not _has_digits(word):
            rare[word] = (in_list, min(len(word), 4))
    # words of the list that occur in the text show how reliable the tag of the list is
    list_tags_in_text = Counter(kind for word, kind in rare.items() if word in counts_of)
    for word, kind in rare.items():
        is_rare = list_tags_in_text[kind] < OPEN_FROM
        candidates = [kind[0]] if is_rare else sorted({*open_tags, kind[0]})
        of_word[word] = classes.number(("listed", *kind), candidates, True)
    return classes, of_word


def lexicon_sections(of_word: Mapping[str, int], weight: Mapping[str, float]) -> dict[str, bytes]:
    """The trie of the words as in a lexicon, with classes in place of costs."""
    words = sorted(of_word)
    table = CharTable(char_weights({w: (weight.get(w, 0.5), "") for w in words}), "default")
    costs = np.array([of_word[w] for w in words], np.uint16)
    freq = np.array([1 + round(weight.get(w, 0.0)) for w in words], np.uint64)
    units, slots = trie_of(table, table.encode(words), costs, freq, 0xFFFE)
    return costless_sections(table, units, slots, max(map(len, words), default=1), 0xFFFE)


class Weights(NamedTuple):
    """Averaged weights, one row per feature and tag."""

    keys: np.ndarray[Any, np.dtype[np.uint64]]
    tags: np.ndarray[Any, np.dtype[np.uint8]]
    values: np.ndarray[Any, np.dtype[np.float32]]


def averages(trainer: _train.PosTrainer) -> Weights:
    keys, tags, values = trainer.averages()
    return Weights(
        np.frombuffer(keys, np.uint64),
        np.frombuffer(tags, np.uint8),
        np.frombuffer(values, np.float32),
    )


def mean(runs: Sequence[Weights]) -> Weights:
    """The mean weights of several runs; a weight that a run lacks counts as 0.

    >>> import numpy as np
    >>> one = Weights(np.array([7, 8]), np.array([0, 1]), np.array([2.0, 4.0]))
    >>> mean([one, Weights(np.array([8]), np.array([1]), np.array([2.0]))]).values.tolist()
    [1.0, 3.0]
    """
    keys = np.concatenate([run.keys for run in runs])
    tags = np.concatenate([run.tags for run in runs])
    values = np.concatenate([run.values for run in runs])
    order = np.lexsort((tags, keys))
    keys, tags, values = keys[order], tags[order], values[order]
    new = np.ones(len(keys), bool)
    new[1:] = (keys[1:] != keys[:-1]) | (tags[1:] != tags[:-1])
    starts = np.flatnonzero(new)
    total = np.add.reduceat(values, starts).astype(np.float32)
    return Weights(keys[starts], tags[starts], total / np.float32(len(runs)))


def strongest_features(
    weights: Weights, limit: int, excluded: np.ndarray[Any, np.dtype[np.uint64]] | None = None
) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Keys of the features with the largest weights, ascending: ``limit`` at most, none of
    ``excluded``.

    >>> import numpy as np
    >>> w = Weights(np.array([7, 7, 8], np.uint64), np.zeros(3, np.uint8), np.array([1, -2, 1.5]))
    >>> strongest_features(w, 1).tolist()
    [7]
    """
    distinct, number = np.unique(weights.keys, return_inverse=True)
    size = np.zeros(len(distinct), np.float32)
    np.maximum.at(size, number, np.abs(weights.values))
    if excluded is not None:
        rest = ~np.isin(distinct, excluded)
        distinct, size = distinct[rest], size[rest]
    order = np.lexsort((distinct, -size))[:limit]
    return np.sort(distinct[order])


# of the table of features, see kernels/pos/pos.hpp
PLACES = 14
IN_BLOCK = 4
HAS_ROW = 0xFF


def limit_weights(weights: Weights, fifth: float) -> Weights:
    """The weights; only four of a feature whose fifth largest is smaller than ``fifth``.

    >>> import numpy as np
    >>> w = Weights(np.full(5, 7), np.arange(5), np.array([1, -2, 3, 4, 5]))
    >>> limit_weights(w, 1.5).values.tolist(), len(limit_weights(w, 1).values)
    ([5, 4, 3, -2], 5)
    """
    order = np.lexsort((-np.abs(weights.values), weights.keys))
    _, starts, number = np.unique(weights.keys[order], return_index=True, return_inverse=True)
    rank = np.arange(len(order)) - starts[number]
    size = np.zeros(len(starts), np.float32)
    is_fifth = rank == IN_BLOCK
    size[number[is_fifth]] = np.abs(weights.values[order[is_fifth]])
    keep = order[(rank < IN_BLOCK) | (size[number] >= fifth)]
    return Weights(weights.keys[keep], weights.tags[keep], weights.values[keep])


def without_collisions(weights: Weights) -> Weights:
    """The weights without features that the table cannot distinguish from a stronger one.

    The table stores the upper 32 bits of a key.  Among 68,000 features two share them in every
    second model.

    >>> import numpy as np
    >>> keys = np.array([7 << 32, 7 << 32 | 1, 8 << 32], np.uint64)
    >>> without_collisions(Weights(keys, np.zeros(3), np.array([1, -2, 1]))).values.tolist()
    [-2, 1]
    """
    keys, number = np.unique(weights.keys, return_inverse=True)
    strength = np.zeros(len(keys))
    np.maximum.at(strength, number, np.abs(weights.values))
    halves = keys >> np.uint64(32)
    order = np.lexsort((-strength, halves))
    strongest = np.unique(halves[order], return_index=True)[1]
    is_kept = np.zeros(len(keys), bool)
    is_kept[order[strongest]] = True
    keep = is_kept[number]
    return Weights(weights.keys[keep], weights.tags[keep], weights.values[keep])


def pack_weights(weights: Weights, prune: float, n_tags: int) -> tuple[dict[str, bytes], float]:
    """The table of features that the kernel reads, and the units of a weight of 1.

    Weights below ``prune`` are left out; the others are integers of 8 bits.
    """
    keep = np.abs(weights.values) >= prune
    keys, tags, values = without_collisions(
        Weights(weights.keys[keep], weights.tags[keep], weights.values[keep])
    )
    order = np.lexsort((tags, keys))
    keys, tags, values = keys[order], tags[order], values[order]
    top = float(np.abs(values).max(initial=0.0))  # clipping would cost accuracy
    scale = 127.0 / max(top, 1e-6)
    quantised = np.clip(np.round(values * scale), -127, 127).astype(np.int8)
    keep = quantised != 0
    keys, tags, quantised = keys[keep], tags[keep], quantised[keep]
    distinct, first, count = np.unique(keys, return_index=True, return_counts=True)
    halves = distinct >> np.uint64(32)
    n_buckets = _buckets(halves)
    buckets = (halves * np.uint64(n_buckets) >> np.uint64(32)).astype(np.int64)
    n_blocks = len(distinct) + PLACES
    table = np.zeros((n_buckets, PLACES + 2), np.uint16)
    table[:, PLACES:] = np.full(n_buckets, len(distinct), "<u4").view("<u2").reshape(-1, 2)
    blocks = np.zeros((n_blocks, 2 * IN_BLOCK), np.uint8)
    rows: list[np.ndarray[Any, np.dtype[np.int8]]] = []
    last_bucket = -1
    for number, (bucket, half, start, n) in enumerate(
        zip(buckets.tolist(), halves.tolist(), first.tolist(), count.tolist(), strict=True)
    ):
        if bucket != last_bucket:  # keys ascend, so buckets do
            bucket_start, last_bucket = number, bucket
            table[bucket, :PLACES] = half & 0xFFFF
            table[bucket, PLACES:] = np.array([number], "<u4").view("<u2")
        table[bucket, number - bucket_start] = half & 0xFFFF
        block = blocks[number]
        if n <= IN_BLOCK:
            block[:n] = tags[start : start + n]
            block[IN_BLOCK : IN_BLOCK + n] = quantised[start : start + n].view(np.uint8)
        else:
            row = np.zeros(-(-n_tags // 16) * 16, np.int8)
            row[tags[start : start + n]] = quantised[start : start + n]
            block[0] = HAS_ROW
            block[IN_BLOCK:] = np.array([len(rows)], "<u4").view(np.uint8)
            rows.append(row)
    return {
        "pos.table": table.tobytes(),
        "pos.blocks": blocks.tobytes(),
        "pos.rows": b"".join(row.tobytes() for row in rows),
    }, scale


def _buckets(halves: np.ndarray[Any, np.dtype[np.uint64]]) -> int:
    """The smallest number of buckets, with at most five features on average, so that no bucket is
    too full or has two features with equal lower 16 bits."""
    n = len(halves) // 5 + 1
    while True:
        buckets = halves * np.uint64(n) >> np.uint64(32)
        signatures = buckets << np.uint64(16) | halves & np.uint64(0xFFFF)
        full = np.bincount(buckets.astype(np.int64)).max(initial=0) > PLACES
        if not full and len(np.unique(signatures)) == len(halves):
            return n
        n += 1 + n // 1000


def train(
    sentences: Sequence[Partly],
    listed: Mapping[str, str],
    options: PosOptions | None = None,
    *,
    tags: Sequence[str] = tuple(MEANING),
    meta: Mapping[str, Any] | None = None,
    name: str = "<memory>",
    progress: Callable[[int, int], None] | None = None,
) -> PosTagger:
    """Train a tagger on tagged sentences.

    Args:
        sentences: folded words with their tags, None for unknown tags.
        listed: words with the tag that a word list has.
        tags: the tag set; ``"x"`` for blanks and ``"w"`` for unknown punctuation are added.
        name: of the model, for messages.
        progress: called after each pass with its number and its count of wrong tags.

    Raises:
        ArgumentError: no sentence, or an unknown tag.
    """
    chosen = options or PosOptions()
    if not any(sentences):
        raise ArgumentError("sentences: there is no tagged word to learn from")
    names = sorted({*tags, "x", "w"}, key=[*tags, "x", "w"].index)
    if len(names) > 63:
        raise ArgumentError(f"tags: {len(names)} of them (x and w among them); 63 at most")
    number = {tag: i for i, tag in enumerate(names)}
    for sentence in sentences:
        for word, tag in sentence:
            if tag is not None and tag not in number:
                raise ArgumentError(
                    f"sentences: {word!r} has the tag {tag!r}, which is not in the tag set"
                )
    classes, of_word = classes_of(sentences, listed, chosen)
    if not of_word:
        raise ArgumentError(
            f"sentences: too little to learn from: no word occurs {chosen.known} times; give more "
            "text"
        )
    count: Counter[str] = Counter(w for s in sentences for w, _ in s)
    sections = lexicon_sections(of_word, count)
    masks = np.array([sum(1 << number[t] for t in tags) for tags in classes.tags], np.uint64)
    affixes = np.array(classes.affixes, np.uint8)
    lexicon, passes = _lexicon.Lexicon(sections), 0

    def learn(trainer: _train.PosTrainer, count: int) -> None:
        nonlocal passes
        for _ in range(count):
            passes += 1
            wrong = trainer.epoch(pass_seed(chosen.seed, passes))
            if progress:
                progress(passes, wrong)

    single_keys = joint_keys = None  # the features, which the first run chooses
    run_weights = []
    for _ in range(chosen.runs):
        trainer = _train.PosTrainer(lexicon, masks, affixes, len(names), chosen.margin)
        for sentence in sentences:
            trainer.add(
                [w for w, _ in sentence],
                bytes(number["x" if t is None else t] for _, t in sentence),
            )
        trainer.close()
        if chosen.choosing and single_keys is None:
            learn(trainer, chosen.choosing)
            single_keys = strongest_features(averages(trainer), chosen.features)
        if single_keys is not None:
            trainer.restrict_to(single_keys)
        learn(trainer, chosen.epochs)
        trainer.second(chosen.prune)
        if chosen.choosing and joint_keys is None:
            single_features = averages(trainer).keys
            learn(trainer, chosen.choosing)
            joint_keys = strongest_features(averages(trainer), chosen.joint, single_features)
        if joint_keys is not None:
            trainer.restrict_to(joint_keys)
        learn(trainer, chosen.epochs)
        run_weights.append(averages(trainer))
    weights = limit_weights(mean(run_weights), chosen.fifth)
    packed, scale = pack_weights(weights, chosen.prune, len(names))
    head = {
        "tags": names,
        "words": len(of_word),
        "classes": len(masks),
        "scale": scale,
        "sure": min(round(chosen.settled * scale), 0x7FFF),
        "options": asdict(chosen),
        **(meta or {}),
    }
    data = artifact.pack(
        KIND,
        {**sections, "pos.masks": masks.tobytes(), "pos.affixes": affixes.tobytes(), **packed},
        head,
    )
    return PosTagger.from_bytes(data, name)


def train_files(
    paths: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    lexicon: str | os.PathLike[str] | None = None,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> PosTagger:
    """Train a tagger on the user's tagged text (``word/tag`` between blanks), with its tags.

    Args:
        paths: UTF-8 text, a sentence or paragraph a line.
        out: the model to write; ``segmenter.tagging.pos.load(out)`` opens it.
        lexicon: a word list (word, count, tag) with the tags of further words.
        seed: of the order of the sentences.
        progress: see :func:`train`.

    Raises:
        DictionaryError: a token without a tag, names file and line.
        ArgumentError: no sentence; more than 62 different tags.
        OSError: a file cannot be read or written.
    """
    sentences = [sentence for path in paths for sentence in read_tagged(path)]
    listed: dict[str, str] = {}
    if lexicon is not None:
        from segmenter.lexicon.sources import read_words

        entries = read_words(lexicon).entries
        listed = {chars.fold_str(word): tag for word, _, tag in entries if tag}
    tags = sorted({t for s in sentences for _, t in s} | set(listed.values()))
    options = PosOptions(seed=seed)
    tagger = train(sentences, listed, options, tags=tags, name=os.fspath(out), progress=progress)
    tagger.save(out)
    return tagger
