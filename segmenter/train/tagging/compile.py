"""Compiles linear taggers from the portable form of ``model.py`` to the kernels' form."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.kernels import _train
from segmenter.text import chars
from segmenter.train.tagging.model import (
    END,
    HOT,
    LENGTHS,
    LONGER,
    MAX_ID,
    ROLES,
    SCALE,
    STATES,
    LinearModel,
    generic_name,
    pair_codes,
    types_of,
)
from segmenter.train.tagging.scheme import FOUR, TAGS, allowed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from segmenter.train.tagging.model import Floats


def compile_model(
    model: LinearModel, scale: int = SCALE, *, rounded: bool = False
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the sections and metadata of a compiled tagger.

    The artifact contains a character map and a trie in the form of a lexicon's, which
    ``_lexicon.Lexicon`` reads, and integer weights; see ``kernels/tagging/model.hpp``.

    Args:
        model: the portable form.  The compiled weights of characters and pairs have 8 bits; all
            are relative to the tag S.
        scale: integer units per unit of the score.  It is reduced if a weight would not fit.  A
            decompiled model, as its metadata show, keeps its scale.
        rounded: the model is as :meth:`~.model.LinearModel.rounded` returns it.

    Raises:
        ArgumentError: more characters or pairs than the compiled form can number.
    """
    from segmenter.lexicon.builder import costless_sections, trie_of
    from segmenter.lexicon.characters import CharTable, code_points

    m = model if rounded else model.rounded()
    words, offsets = code_points(m.words)
    lengths = np.diff(offsets)
    word_heads = words[offsets[:-1]].astype(np.uint64) << np.uint64(32)
    word_heads |= words[offsets[1:] - lengths + np.minimum(lengths - 1, 1)]
    # --- characters, most frequent first ------------------------------------------------------
    codes = pair_codes(m.pairs)
    halves = np.concatenate([codes >> np.uint64(32), codes & np.uint64(0xFFFFFFFF)])
    halves = halves.astype(np.int64)
    points = np.flatnonzero(np.bincount(halves))
    sums = np.bincount(halves, np.tile(m.pair_counts, 2))[points]
    weights = dict(zip(map(chr, points.tolist()), sums.tolist(), strict=True))
    weights.pop(END, None)
    row_of_char = {c: i for i, c in enumerate(m.chars) if len(c) == 1}
    for c in row_of_char:
        weights.setdefault(c, 1.0)
    for c in map(chr, np.flatnonzero(np.bincount(words)).tolist()):
        weights.setdefault(c, 0.5)
    table = CharTable(weights, "default")
    n_ids = len(table.classes)
    generic = {c: i for i, c in enumerate(m.chars) if len(c) > 1}
    uni = np.zeros((n_ids, 4, TAGS))
    for code, number in table.generic.items():
        row = generic.get(generic_name(code))
        if row is not None:
            uni[number] = m.uni[row]
    for cp, number in table.ids.items():
        row = row_of_char.get(chr(cp))
        if row is None:
            row = generic.get(generic_name(chars.char_class(cp)))
        if row is not None:
            uni[number] = m.uni[row]
    # --- the trie: words of three characters and more, and the words that begin them ----------
    heads = np.unique(word_heads[lengths > 2])
    in_trie = np.flatnonzero((lengths > 2) | ((lengths == 2) & np.isin(word_heads, heads)))
    singles = {c for c in row_of_char if ord(c) in table.ids}
    entries = sorted([*map(m.words.__getitem__, in_trie.tolist()), *singles])
    if not entries:
        raise ArgumentError(
            "sentences: too little to learn from: no character occurs often enough; give more text"
        )
    entry_codes, entry_offsets = code_points(entries)
    is_word = np.diff(entry_offsets) > 1  # the words stand in the order of m.words
    costs = np.zeros(len(entries), np.uint16)
    costs[is_word] = m.word_class[in_trie] * LENGTHS + np.minimum(lengths[in_trie], LENGTHS + 1) - 2
    freq = np.ones(len(entries), np.uint64)
    index = find_codes(codes, word_heads[in_trie])
    freq[is_word] = np.where(index < 0, 1, np.maximum(1, np.append(m.pair_counts, 1)[index]))
    entry_ids = encode_entries(table, entry_codes), entry_offsets
    units, slot_of = trie_of(table, entry_ids, costs, freq)
    n_units = len(units)
    # --- weights, relative to the tag S -------------------------------------------------------
    n_classes = len(m.groups)

    def relative(values: Floats) -> Floats:
        differences: Floats = values - values[..., 3:4]
        return differences

    # a record by position: one before, here, one after, two after = distances +1, 0, -1, -2
    by_place = [3, 2, 1, 0]
    uni = relative(uni)[:, by_place, :3]
    match = np.zeros((n_classes * LENGTHS + 1, ROLES, TAGS))
    match[:-1] = relative(m.match.reshape(-1, ROLES, TAGS))
    state = np.zeros((len(m.state) + 1, STATES, TAGS))
    state[:-1] = relative(m.state)
    groups_of = np.zeros(n_classes * LENGTHS + 1, np.uint8)
    groups_of[:-1] = np.repeat(m.groups, LENGTHS)
    is_pair = np.flatnonzero(lengths == 2)
    pairs = np.concatenate([codes, heads, word_heads[is_pair]])
    pairs.sort(kind="stable")  # of three sorted parts
    pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]
    first = encode_entries(table, pairs >> np.uint64(32)).astype(np.int64)
    second = encode_entries(table, pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)
    rows = uni[first]
    trained = find_codes(codes, pairs)
    rows[trained >= 0] += relative(m.bi)[:, by_place, :3]  # both are in order
    index = find_codes(word_heads[is_pair], pairs)
    word_class = np.where(index < 0, -1, np.append(m.word_class[is_pair], -1)[index])
    is_pair_word = word_class >= 0
    if n_classes:
        two_long = match[:-1].reshape(n_classes, LENGTHS, ROLES, TAGS)[word_class[is_pair_word], 0]
        rows[is_pair_word, 1] += two_long[:, 0, :3]
        rows[is_pair_word, 2] += two_long[:, 3, :3]
    units_per_score = m.meta.get("scale") or _fitting_scale(scale, rows, uni)

    def ints(values: Floats, kind: str = "<i2") -> NDArray[Any]:
        limit = np.iinfo(kind).max
        scaled = values * units_per_score
        np.rint(scaled, out=scaled)
        return np.clip(scaled, -limit, limit, out=scaled).astype(kind)

    def pack(weights: Floats, keys: NDArray[np.int64]) -> NDArray[np.uint8]:
        records = np.zeros((len(weights), 16), np.uint8)
        records[:, :12] = ints(weights, "i1").reshape(-1, 12).view(np.uint8)
        records[:, 12:] = keys.astype("<u4").reshape(-1, 1).view(np.uint8)
        return records

    # --- records at their places --------------------------------------------------------------
    if n_ids > MAX_ID or n_units + len(pairs) * 2 > 1 << 23:
        raise ArgumentError(
            f"model: {n_ids} characters, {n_units} trie slots and {len(pairs)} pairs do not fit "
            f"the compiled form ({MAX_ID} characters, {1 << 23} slots and pairs): prune it"
        )
    # pairs are in order, so the first of equally frequent ones comes first
    by_frequency = np.argsort(
        np.where(trained < 0, 0, -np.append(m.pair_counts, 0)[trained]), kind="stable"
    )
    is_hot = np.zeros(len(pairs), bool)
    is_hot[by_frequency[:HOT]] = True
    hash_keys = (first << 16 | second).astype(np.uint32)
    places = np.zeros(len(pairs), np.int64)
    n_places = 0
    pilots: list[bytes] = []
    for part in (is_hot, ~is_hot):
        part_pilots, part_places, part_size = pair_hash(hash_keys[part])
        places[part] = n_places + part_places
        pilots.append(part_pilots)
        n_places += part_size
        if part is is_hot:
            n_hot = n_places
    records = np.zeros((n_places, 16), np.uint8)
    records[:, 12:] = np.array([MAX_ID], "<u4").view(np.uint8)
    longer = np.zeros(n_places, np.uint32)
    if len(pairs):
        # without states the bits only say that the pair is a word
        bits = m.groups if len(m.state) else np.ones(n_classes, np.int64)
        groups = np.where(is_pair_word, bits[word_class] if n_classes else 0, 0)
        begins = np.isin(pairs, heads)
        keys = first | second << 14 | groups << 28 | np.where(begins, LONGER, 0)
        records[places] = pack(rows, keys)
        slot = (units[first[begins]] >> np.uint64(40)).astype(np.int64) + second[begins]
        guard = (units[slot] >> np.uint64(32) & np.uint64(0xFF)).astype(np.int64)
        base = (units[slot] >> np.uint64(40)).astype(np.int64)
        longer[places[begins]] = base | guard << 24
    char_records = pack(uni, np.full(n_ids, MAX_ID, np.int64))
    trans = np.where(
        [[allowed(a, b) for b in FOUR] for a in FOUR], np.round(m.trans * units_per_score), 0
    ).astype(np.int64)
    # --- the lexicon's side -------------------------------------------------------------------
    tagger_params = [len(m.state), n_classes * LENGTHS, n_places, round(units_per_score * 65536)]
    tagger_params += np.round(m.start * units_per_score).astype(np.int64).tolist()
    tagger_params += trans.reshape(-1).tolist()
    sections = {
        **costless_sections(table, units, slot_of, int(np.diff(entry_offsets).max()), 0xFFFE),
        "tagger.params": struct.pack(f"<{5 + TAGS + TAGS * TAGS}i", *tagger_params, n_hot),
        "tagger.hot": pilots[0],
        "tagger.cold": pilots[1],
        "tagger.uni": char_records.tobytes(),
        "tagger.pair": records.tobytes(),
        "tagger.longer": longer.astype("<u4").tobytes(),
        "tagger.match": ints(match).tobytes(),
        "tagger.state": ints(state).tobytes(),
        "tagger.types": ints(relative(m.types)).tobytes(),
        "tagger.typeof": types_of(table).tobytes(),
        "tagger.groups": groups_of.tobytes(),
    }
    meta = {**m.meta, "words": len(m.words), "pairs": len(pairs), "scale": units_per_score}
    return sections, meta


def pair_hash(keys: NDArray[Any]) -> tuple[bytes, NDArray[np.int64], int]:
    """Return a perfect hash of pairs of character ids: pilots, the place of each key, the size.

    Args:
        keys: distinct ``first << 16 | second``.
    """
    size = len(keys) + len(keys) // 20 + 1
    n_pilots = 2
    while n_pilots * 5 < len(keys):
        n_pilots *= 2
    if not len(keys):
        return bytes(2 * n_pilots), np.zeros(0, np.int64), size
    pilots, places = _train.build_pair_hash(keys, n_pilots, size)
    return pilots, np.frombuffer(places, np.uint32).astype(np.int64), size


def encode_entries(table: Any, codes: NDArray[Any]) -> NDArray[Any]:
    """Return the character ids of the code points of words and pairs, ``END`` being id 0."""
    return np.where(codes == ord(END), 0, table.encode_codes(codes)).astype(np.uint16)


def find_codes(codes: NDArray[np.uint64], queries: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the place of each pair in a sorted list of pairs, both as numbers, or -1."""
    if not len(codes):
        return np.full(len(queries), -1, np.int64)
    index = np.minimum(np.searchsorted(codes, queries), len(codes) - 1)
    return np.where(codes[index] == queries, index, -1)


def _fitting_scale(scale: int, rows: Floats, uni: Floats) -> float:
    """Return the units of a weight with which nearly all fit."""
    # int8 holds 127; five weights in a thousand may be cut off there, the rest decides
    size = np.abs(np.concatenate([rows.ravel(), uni.ravel()]))
    top = float(np.quantile(size, 0.995)) if size.any() else 0.0
    fitting = min(float(scale), 127.0 / top) if top else float(scale)
    return round(fitting * 65536) / 65536
