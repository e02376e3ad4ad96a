"""Compiles words with counts (and n-gram counts) into the sections of a lexicon artifact.

The kernels read the result in place: a character map that includes folding, the double-array trie
with integer costs, word numbers by rank over a bit per slot, and tags by word number.  Equal input
gives equal bytes.
"""

from __future__ import annotations

import itertools
import math
import struct
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.errors import ArgumentError, check_iterable, check_str, wrong_type
from segmenter.kernels import _lexicon
from segmenter.lexicon.characters import RULE_CHARS, CharTable, code_points
from segmenter.lexicon.costs import COST_SCALE, MAX_COST
from segmenter.lexicon.ngrams import CLASS_TOKENS, compile_ngrams
from segmenter.text import chars, variants
from segmenter.text.kinds import EDGE_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    Column: TypeAlias = np.ndarray[Any, Any]

KIND = "lexicon"

#: The structures that can store the words of a lexicon.
MATCHERS = ("double-array", "marisa")
_MAX_SLOTS = 1 << 24  # of a double array; word numbers in the kernels have 24 bits


class Entry(NamedTuple):
    """A word of a lexicon source: its count (any non-negative number) and its tag ("" if none)."""

    word: str
    count: float  # type: ignore[assignment]  # hides tuple.count, as meant
    tag: str = ""


def checked_entries(entries: Iterable[Entry | tuple[Any, ...]]) -> Iterator[Entry]:
    """Yield entries of a program; raise TypeError or ArgumentError for another item."""
    check_iterable("entries", entries, "an iterable of (word, count, tag)")
    for item in entries:
        if not isinstance(item, tuple):
            raise wrong_type("entries: an item", item, "(word, count, tag)")
        if not 2 <= len(item) <= 3:
            raise ArgumentError(f"entries: {item!r} has {len(item)} fields, not (word, count, tag)")
        word, count = item[:2]
        tag = item[2] if len(item) == 3 else ""
        check_str("entries: a word", word)
        check_str(f"entries: the tag of {word!r}", tag)
        if isinstance(count, bool) or not isinstance(count, Real):  # Real: NumPy numbers too
            raise wrong_type(f"entries: the count of {word!r}", count, "a number")
        try:
            float(count)
        except OverflowError:
            raise ArgumentError(f"entries: the count of {word!r} is too large") from None
        yield Entry(word, item[1], tag)


class Compiled(NamedTuple):
    """The sections and the metadata of a lexicon artifact, ready for ``artifact.write``."""

    sections: dict[str, bytes]
    meta: dict[str, Any]


def folding(profile: str, fold_variants: bool) -> Callable[[str], str]:
    """Return the function that folds words: width and case, and variants of Han characters."""
    if profile == "jieba":
        return str
    if not fold_variants:
        return chars.fold_str
    return lambda word: variants.fold_str(chars.fold_str(word))


def merge(entries: Iterable[Entry], fold: Callable[[str], str]) -> dict[str, tuple[float, str]]:
    """Fold and merge entries: counts of equal words add up; the most frequent entry has the tag."""
    merged: dict[str, tuple[float, str]] = {}
    largest_counts: dict[str, float] = {}  # of words with several entries
    for word, count, tag in entries:
        if not word:
            raise ArgumentError("entries: an empty word")
        if not (count >= 0 and math.isfinite(count)):
            raise ArgumentError(f"entries: count {count!r} of {word!r} is not a number >= 0")
        folded = fold(word)
        if folded in merged:
            count_so_far, tag_so_far = merged[folded]
            largest_count = largest_counts.get(folded, count_so_far)
            merged[folded] = (count_so_far + count, tag if count > largest_count else tag_so_far)
            largest_counts[folded] = max(largest_count, count)
        else:
            merged[folded] = (count, tag)
    return merged


def char_weights(merged: Mapping[str, tuple[float, str]]) -> dict[str, float]:
    """Return the frequency of each character: the sum of the counts of its words."""
    n_words = len(merged)
    codes, offsets = code_points(merged)
    counts = np.fromiter((count for count, _ in merged.values()), np.float64, n_words)
    # one key per word and distinct character, in word order, so that sums are reproducible
    keys = np.repeat(np.arange(n_words, dtype=np.uint64) << np.uint64(21), np.diff(offsets)) | codes
    keys.sort()
    keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
    codes = (keys & np.uint64(0x1FFFFF)).astype(np.int64)
    weights = np.bincount(codes, counts[(keys >> np.uint64(21)).astype(np.int64)] + 0.01)
    return {chr(c): float(weights[c]) for c in np.flatnonzero(weights).tolist()}


def word_marks(slots: np.ndarray[Any, Any], n_units: int) -> dict[str, bytes]:
    """Sections that number words: a bit per slot where a word ends, and ranks per 64 slots."""
    terminal = np.zeros((n_units + 63) // 64 * 64 + 64, np.uint8)
    terminal[slots] = 1
    per_word = terminal.reshape(-1, 64).sum(axis=1, dtype=np.uint32)
    rank = np.zeros(len(per_word), np.uint32)
    rank[1:] = np.cumsum(per_word)[:-1]
    return {
        "words.terminal": np.packbits(terminal, bitorder="little").tobytes(),
        "words.rank": rank.tobytes(),
    }


def trie_of(
    table: CharTable,
    entries: tuple[Column, Column],
    costs: Column | None = None,
    weights: Column | None = None,
    single_cost: int = 0,
) -> tuple[Column, Column]:
    """Return a double array over entries: its units, uint64, and each entry's slot, uint32.

    Args:
        table: the characters.
        entries: ids and offsets, from :meth:`CharTable.encode`.
        costs: uint16, one per entry; default: none.
        weights: uint64, the look-up frequency of each entry; default: all equal.
        single_cost: the cost of characters that are not entries.
    """
    n = len(entries[1]) - 1
    units, slots = _lexicon.build_trie(
        *entries,
        np.full(n, 0xFFFF, np.uint16) if costs is None else costs,
        np.ones(n, np.uint64) if weights is None else weights,
        len(table.classes),
        single_cost,
    )
    return np.frombuffer(units, np.uint64), np.frombuffer(slots, np.uint32)


def costless_sections(
    table: CharTable, units: Column, slots: Column, longest: int, unknown_cost: int
) -> dict[str, bytes]:
    """Return the sections of a tagger's trie: as in a lexicon, with numbers instead of costs.

    Args:
        table: the characters.
        units, slots: from :func:`trie_of`.
        longest: length of the longest entry in characters.
        unknown_cost: the number of a character outside all entries.
    """
    kinds = [0] * len(EDGE_KINDS)
    return {
        **table.sections(),
        "params": pack_params(table, longest, len(slots), unknown_cost, 0, kinds),
        "trie.units": units.tobytes(),
        **word_marks(slots, len(units)),
    }


def pack_params(
    table: CharTable,
    longest: int,
    n_words: int,
    unknown_cost: int,
    cost_scale: int,
    kind_costs: Sequence[int],
) -> bytes:
    """Return the section ``params`` of a lexicon or of a tagger's trie.

    Args:
        table: the characters; the section ends with those of the rules for numbers and dates.
        longest: length of the longest word in characters.
        n_words: number of words in the trie.
        unknown_cost: the cost of a character that is in no word.
        cost_scale: cost units per nat; 0 for a tagger, which has no costs.
        kind_costs: the cost of each of :data:`EDGE_KINDS`.
    """
    jieba = table.profile == "jieba"  # has no such rules
    rules = [table.ids.get(ord("0"), 0)]
    rules += [0 if jieba else table.ids[ord(c)] for c in RULE_CHARS + chars.HAN_NUMERALS]
    return struct.pack(
        f"<8I{len(EDGE_KINDS)}I{len(rules)}I",
        len(table.classes),
        table.n_special,
        longest,
        unknown_cost,
        n_words,
        0 if jieba else 1,
        cost_scale,
        table.n_runs,
        *kind_costs,
        *rules,
    )


def compile_lexicon(
    entries: Iterable[Entry],
    *,
    kinds: Mapping[str, float] | None = None,
    bigrams: Iterable[tuple[str, str, float]] = (),
    trigrams: Iterable[tuple[str, str, str, float]] = (),
    discount: float = 0.5,
    unknown: float = 1.0,
    total: float | None = None,
    profile: str = "default",
    fold_variants: bool = True,
    matcher: str = "double-array",
    meta: Mapping[str, Any] | None = None,
) -> Compiled:
    """Compile a lexicon and, if n-gram counts are given, its bigram and trigram model.

    Args:
        entries: words with counts and tags; words that fold to the same string are merged.
        kinds: counts of the class tokens (``<num>``, ``<date>``, ``<latin>``); a class without
            a count costs as much as the most frequent word.
        bigrams: (first, second, count), including class tokens and ``<s>`` (start and end of a
            sentence).  A row with ``<any>`` as second has the first's total as a history, which
            counts even if its rare successors are left out.
        trigrams: (first, second, third, count); ignored unless the first two are a bigram.
        discount: subtracted from every n-gram count (absolute discounting, Ney, Essen & Kneser
            1994).
        unknown: the count assumed for an unknown character.
        total: divisor of the counts; default: their sum, including the classes.
        profile: ``"default"``, or ``"jieba"``: no folding, no number rules, runs of ASCII only.
        fold_variants: store words in the form of :func:`segmenter.text.variants.fold_str`: 臺灣 and
            台灣 become the word 台湾, which matches text in any script.  False: as they are
            written, for a lexicon that is opened with ``variants=False``.
        matcher: the structure that stores the words, of :data:`MATCHERS`: the double array, or a
            marisa-trie if they do not fit (about forty times slower).
        meta: added to the artifact's metadata.

    Raises:
        ArgumentError: an empty word, a bad count, an unknown profile, no words.
    """
    if matcher not in MATCHERS:
        raise ArgumentError(f"matcher: {matcher!r} is not one of {', '.join(MATCHERS)}")
    fold_word = folding(profile, fold_variants)
    merged = merge(entries, fold_word)
    if not merged:
        raise ArgumentError("entries: no words")
    table = CharTable(char_weights(merged), profile)
    words = sorted(merged)
    rows = [merged[word] for word in words]  # look-ups in a large dict are slow: once per word
    del merged
    counts = np.fromiter((count for count, _ in rows), np.float64, len(words))
    kinds = dict(kinds or {})
    for name in kinds:
        if name not in CLASS_TOKENS:
            raise ArgumentError(f"kinds: {name!r} is not one of {', '.join(CLASS_TOKENS)}")
    mass = total if total is not None else float(counts.sum()) + sum(kinds.values())
    if not (mass > 0 and math.isfinite(mass)):
        raise ArgumentError(f"entries: the counts sum to {mass:g}; give a word a count above 0")
    log_mass = math.log(mass)

    def cost_of(count: float) -> int:
        if count <= 0:
            return MAX_COST
        return min(MAX_COST, max(0, round((log_mass - math.log(count)) * COST_SCALE)))

    values, inverse = np.unique(counts, return_inverse=True)
    costs = np.fromiter(map(cost_of, values.tolist()), np.uint16, len(values))[inverse]
    unknown_cost = cost_of(unknown)
    floor = int(costs.min())
    kind_costs = [floor] * len(EDGE_KINDS)
    kind_costs[0] = 0
    kind_costs[1] = unknown_cost
    kind_costs[EDGE_KINDS.index("cluster")] = unknown_cost
    for name, count in kinds.items():
        if name != "<unk>":
            kind_costs[CLASS_TOKENS[name]] = cost_of(count)

    ids, offsets = table.encode(words)
    if matcher == "marisa":
        trie, order = _marisa_sections(table, ids, offsets, costs, unknown_cost)
    else:
        trie, order = _double_array_sections(table, ids, offsets, costs, counts, unknown_cost)
    tags = sorted({tag for _, tag in rows})
    if len(tags) > 250:
        raise ArgumentError(f"entries: {len(tags)} different tags: leave out all but 250")
    tag_number = {t: i for i, t in enumerate(tags)}
    tag_bytes = np.fromiter((tag_number[tag] for _, tag in rows), np.uint8, len(words))

    sections = {
        **table.sections(),
        "params": pack_params(
            table, int(np.diff(offsets).max()), len(words), unknown_cost, COST_SCALE, kind_costs
        ),
        **trie,
        "words.tags": tag_bytes[order].tobytes(),
    }
    bigrams = iter(bigrams)
    first_bigram = list(itertools.islice(bigrams, 1))
    word_numbers: dict[str, int] = {}
    cost_by_number: list[int] = []
    if first_bigram:  # only n-grams need a dict of millions of words
        word_numbers = {words[i]: n for n, i in enumerate(order.tolist())}
        cost_by_number = [*costs[order].tolist(), *kind_costs, 0]
    sections.update(
        compile_ngrams(
            word_numbers,
            cost_by_number,
            itertools.chain(first_bigram, bigrams),
            trigrams,
            discount,
            fold_word,
        )
    )
    info: dict[str, Any] = {
        "words": len(words),
        "mass": mass,
        "unknown": unknown,
        "profile": profile,
        "cost_scale": COST_SCALE,
        "tags": tags,
        **({"matcher": matcher} if matcher != MATCHERS[0] else {}),
        **(meta or {}),
    }
    return Compiled(sections, info)


def _double_array_sections(
    table: CharTable, ids: Column, offsets: Column, costs: Column, counts: Column, unknown_cost: int
) -> tuple[dict[str, bytes], Column]:
    """Return the sections of a double array, and the words in the order of their numbers."""
    n_words = len(costs)
    rank_weights = np.maximum(1, np.round(counts * 16)).astype(np.uint64)
    try:
        units, slot_of = trie_of(table, (ids, offsets), costs, rank_weights, unknown_cost)
    except RuntimeError as error:  # std::length_error
        raise ArgumentError(
            f"entries: {n_words:,} words do not fit, a double array has {_MAX_SLOTS:,} slots, one "
            "per distinct prefix of a word: build it with --matcher marisa (some forty times "
            "slower), leave out rare or long words, or put them into a user dictionary (`segmenter "
            "build user`), which holds 16,777,215 words of any length"
        ) from error
    sections = {
        "trie.units": units.tobytes(),
        "trie.filter": _lexicon.pair_filter(units, len(table.classes)),
        **word_marks(slot_of, len(units)),
    }
    return sections, np.argsort(slot_of, kind="stable")  # word numbers ascend with slots


def _marisa_sections(
    table: CharTable, ids: Column, offsets: Column, costs: Column, unknown_cost: int
) -> tuple[dict[str, bytes], Column]:
    """Return the sections of a marisa-trie and its costs, and the words in the order of their
    numbers.

    The kernels have a double array of the first level, the single characters.
    """
    from segmenter.lexicon.marisa import MarisaTrie

    n_words = len(costs)
    if n_words >= _MAX_SLOTS:
        raise ArgumentError(
            f"entries: {n_words:,} words are more than {_MAX_SLOTS - 1:,}: leave rare ones out"
        )
    text = ids.tobytes().decode("utf-16-le")  # ids are below 0x8000: no surrogates
    bounds = offsets.tolist()
    trie = MarisaTrie.build(text[a:b] for a, b in itertools.pairwise(bounds))
    numbers = np.fromiter(
        (trie.number(text[a:b]) for a, b in itertools.pairwise(bounds)), np.int64, n_words
    )
    order = np.empty(n_words, np.int64)
    order[numbers] = np.arange(n_words)
    single_words = np.flatnonzero(np.diff(offsets) == 1)
    slots = ids[offsets[single_words]].astype(np.int64)
    n_ids = len(table.classes)
    units = np.full(n_ids + 1, 0xFFFF | unknown_cost << 16, np.uint64)  # double_array.hpp
    units[n_ids] = 0xFFFFFFFF
    units[slots] = np.uint64(0xFFFE) | costs[single_words].astype(np.uint64) << np.uint64(16)
    packed, reach = trie.sections()
    sections = {
        "marisa.trie": bytes(packed),
        "marisa.reach": bytes(reach),
        "words.costs": costs[order].tobytes(),
        "trie.units": units.tobytes(),
        **word_marks(slots, n_ids + 1),
    }
    return sections, order
