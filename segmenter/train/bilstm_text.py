"""Segmented text as the input of the BiLSTM-CRF: numbers of characters, pairs, words, tags.

Every character ``c[i]`` of folded text has

* the number of the character, of the pair ``c[i-1] c[i]`` and of the pair ``c[i] c[i+1]``;
* ten small numbers on the words of the lexicon that the text spells here
  (:data:`segmenter.train.tagging.bilstm_crf.SLOTS`);
* its tag.

The words' classes are those of the linear taggers (:mod:`segmenter.train.tagging.features`),
jackknifed in training text as there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.lexicon.characters import code_points
from segmenter.train.tagging.bilstm_crf import SLOTS
from segmenter.train.tagging.features import UNSURE
from segmenter.train.tagging.scheme import BEGINS, ENDS, FOUR
from segmenter.train.tagging.scheme import encode as tags_of_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from segmenter.train.tagging.features import FeatureSpace, Matches

    Array = NDArray[Any]


class Vocabulary(NamedTuple):
    """Characters and pairs with embedding rows of their own.

    Attributes:
        chars: code points, sorted; row i + 2 is ``chars[i]``'s.
        pairs: first << 32 | second code point, sorted, 0 for beyond the text; row i + 1.
    """

    chars: Array
    pairs: Array


class Encoded(NamedTuple):
    """A text, sentence after sentence; one entry a character unless said otherwise.

    Attributes:
        chars, left, right: numbers of the character and of its two pairs.
        words: ``(characters, 10)``, see :data:`SLOTS`.
        tags: of the gold words, in the order of the scheme.
        offsets: where sentences begin, and the end of the last.
        fits: partly labelled text only: bit t is set where tag t fits the labels.
    """

    chars: Array
    left: Array
    right: Array
    words: Array
    tags: Array
    offsets: Array
    fits: Array | None = None


def pair_keys(codes: Array, offsets: Array) -> tuple[Array, Array]:
    """Keys of the pair before and of the pair after every character, 0 for beyond the text.

    >>> before, after = pair_keys(np.array([5, 7], np.uint32), np.array([0, 2]))
    >>> [divmod(int(k), 1 << 32) for k in (*before, *after)]
    [(0, 5), (5, 7), (5, 7), (7, 0)]
    """
    wide = codes.astype(np.uint64)
    before = np.zeros(len(wide), np.uint64)
    before[1:] = wide[:-1]
    before[offsets[:-1]] = 0
    after = np.zeros(len(wide), np.uint64)
    after[:-1] = wide[1:]
    after[offsets[1:] - 1] = 0
    shift = np.uint64(32)
    return before << shift | wide, wide << shift | after


def vocabulary(
    texts: Sequence[Sequence[Sequence[str]]], least_char: int = 2, pairs: int = 150_000,
    least_pair: int = 2,
) -> Vocabulary:  # fmt: skip
    """The characters of some texts, and their most frequent pairs.

    Args:
        texts: each a text of folded words.
        least_char: rarer characters share the row of unknown ones.
        pairs: maximum number of pairs; of equally frequent ones those of lower code points.
        least_pair: rarer pairs have no row.
    """
    counts: dict[int, int] = {}
    all_keys: list[Array] = []
    for text in texts:
        codes, offsets = code_points(map("".join, text))
        for cp, n in zip(*(x.tolist() for x in np.unique(codes, return_counts=True)), strict=True):
            counts[cp] = counts.get(cp, 0) + n
        before, after = pair_keys(codes, offsets)
        # every pair once: the one before each character, and the one after each sentence's last
        all_keys += [before, after[offsets[1:] - 1]]
    chars = np.array(sorted(cp for cp, n in counts.items() if n >= least_char), np.uint32)
    keys, n = np.unique(np.concatenate(all_keys), return_counts=True)
    keys, n = keys[n >= least_pair], n[n >= least_pair]
    best = np.sort(np.argsort(-n, kind="stable")[:pairs])
    return Vocabulary(chars, keys[best])


def find_rows(table: Array, keys: Array, first_row: int) -> Array:
    """Rows of keys in a sorted table: ``first_row`` + place, 0 where it is not there."""
    if not len(table):
        return np.zeros(len(keys), np.int32)
    index = np.minimum(np.searchsorted(table, keys), len(table) - 1)
    return np.where(table[index] == keys, index + first_row, 0).astype(np.int32)


def word_slots(matches: Matches, places: int) -> Array:
    """The ten numbers of :data:`SLOTS` at every character, ``(places, 10)`` of uint16.

    Args:
        matches: words that the text spells.
        places: characters of the text.
    """
    length, role = matches.length, matches.role
    slot = np.where(
        role == 0,
        np.minimum(length, 3),
        np.where(role == 3, 4 + np.minimum(length, 3), np.where(length == 1, 8, 9)),
    )
    values = np.zeros(places * len(SLOTS), np.int32)
    packed = (length.astype(np.int32) << 16) | (matches.word_class.astype(np.int32) + 1)
    np.maximum.at(values, matches.place.astype(np.int64) * len(SLOTS) + slot, packed)
    return (values & 0xFFFF).astype(np.uint16).reshape(places, len(SLOTS))


def encode(
    vocab: Vocabulary,
    space: FeatureSpace,
    sentences: Sequence[Sequence[str]],
    folds: Array | None = None,
    unsure: Sequence[Array] | None = None,
    marks: str = "",
) -> Encoded:
    """A text as numbers.

    Args:
        vocab: characters and pairs that have rows.
        space: the lexicon.
        sentences: folded words; none of them empty.
        folds: the fold of each sentence that is training text of ``space``; default: none is.
        unsure: for each sentence the characters after which the boundary is open.
        marks: characters at which the text is split, see :func:`clauses`.
    """
    columns = space.columns(sentences, folds, unsure)
    codes, offsets = code_points(map("".join, sentences))
    number = {tag: i for i, tag in enumerate(FOUR)}
    tags = np.array([number[t] for words in sentences for t in tags_of_words(words)], np.uint8)
    fits = None if unsure is None else fitting_tags(columns.ends, offsets)
    possible = np.uint8(1) << tags if fits is None else fits
    # a mark inside a word does not split the text
    marked = np.isin(codes, [ord(c) for c in marks]) & (possible >> number["S"] & 1 == 1)
    before, after = pair_keys(np.where(marked, 0, codes), offsets)
    text = Encoded(
        find_rows(vocab.chars, codes, 2),
        find_rows(vocab.pairs, before, 1),
        find_rows(vocab.pairs, after, 1),
        word_slots(space.matches(columns), len(codes)),
        tags,
        offsets,
        fits,
    )
    return clauses(text, marked) if marks else text


def clauses(text: Encoded, marked: Array) -> Encoded:
    """The text between marks, each clause as a sentence of its own, without the marks.

    Words begin after a mark and end before one, even if the labels leave the boundary open.

    Args:
        text: its pairs next to marks are those at the ends of a text.
        marked: whether each character is a mark.
    """
    begins = np.uint8(sum(1 << i for i, t in enumerate(FOUR) if t in BEGINS))
    closes = np.uint8(sum(1 << i for i, t in enumerate(FOUR) if t in ENDS))
    keep = ~marked
    is_first, is_last = np.zeros(len(keep), bool), np.zeros(len(keep), bool)
    is_first[text.offsets[:-1]] = True
    is_last[text.offsets[1:] - 1] = True
    is_first[1:] |= marked[:-1]
    is_last[:-1] |= marked[1:]
    fits = text.fits
    if fits is not None:
        narrower = np.where(is_first, fits & begins, fits)
        narrower = np.where(is_last, narrower & closes, narrower)
        fits = np.where(narrower == 0, fits, narrower)[keep]
    return Encoded(
        text.chars[keep],
        text.left[keep],
        text.right[keep],
        text.words[keep],
        text.tags[keep],
        np.append(np.flatnonzero(is_first[keep]), np.count_nonzero(keep)).astype(np.int64),
        fits,
    )


def fitting_tags(ends: Array, offsets: Array) -> Array:
    """Which tags fit partly labelled text: bit t of each character for tag t of the scheme.

    Args:
        ends: 1 where a word ends, 0 inside a word, :data:`features.UNSURE` where it is open.
        offsets: where sentences begin, and the end of the last.

    >>> fitting_tags(np.array([0, 1, 2, 1]), np.array([0, 4])).tolist()  # 1: B, 2: M, 4: E, 8: S
    [1, 4, 9, 12]
    """
    previous = np.ones(len(ends), np.uint8)
    previous[1:] = ends[:-1]
    previous[offsets[:-1]] = 1
    fits = np.zeros(len(ends), np.uint8)
    for bit, name in enumerate(FOUR):
        begins, closes = name in BEGINS, name in ENDS
        fit = ((previous == UNSURE) | (previous == begins)) & ((ends == UNSURE) | (ends == closes))
        fits |= (fit << bit).astype(np.uint8)
    return fits


def shorter(text: Encoded, codes: Array, least: int = 32, most: int = 160) -> Encoded:
    """The same text in shorter pieces: batches of them hold more sentences, which is faster.

    A piece ends with a word: after 。！？； once it has ``least`` characters, anywhere once it has
    ``most``.  Pairs and words across its ends stay what they are in the whole sentence.

    Args:
        text: with whole sentences.
        codes: its code points.
        least, most: characters.
    """
    stops = np.isin(codes, [ord(c) for c in "。！？；!?;"])
    starts: list[int] = []
    closing = [i for i, name in enumerate(FOUR) if name in ENDS]
    closes = np.isin(text.tags, closing)
    if text.fits is not None:  # an end that labels leave open may be the middle of a word
        inner_tags = np.uint8(sum(1 << t for t in range(len(FOUR)) if t not in closing))
        closes &= text.fits & inner_tags == 0
    for begin, end in zip(text.offsets[:-1].tolist(), text.offsets[1:].tolist(), strict=True):
        starts.append(begin)
        piece_start = begin
        for i in np.flatnonzero(closes[begin:end]).tolist():
            size = begin + i + 1 - piece_start
            if begin + i + 1 < end and (size >= most or (size >= least and stops[begin + i])):
                piece_start = begin + i + 1
                starts.append(piece_start)
    return text._replace(offsets=np.array([*starts, text.offsets[-1]], np.int64))
