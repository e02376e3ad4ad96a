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
    WIDE_SCALE,
    LinearModel,
    generic_name,
    pair_codes,
    types_of,
)
from segmenter.train.tagging.scheme import allowed, tags_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from segmenter.train.tagging.model import Floats


def compile_model(
    model: LinearModel, scale: int = SCALE
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the sections and metadata of a compiled tagger.

    The artifact contains a character map and a trie in the form of a lexicon's, which
    ``_engine.Lexicon`` reads, and integer weights; see ``kernels/tagging/model.hpp``.

    Args:
        model: the portable form.  With four tags, weights have 8 bits and are relative to the tag
            S; with six they have 16 bits, which is several times slower and larger.
        scale: integer units per unit of the score.  It is reduced if a weight would not fit.  A
            decompiled model, as its metadata show, keeps its scale.

    Raises:
        ArgumentError: more characters or pairs than the compiled form can number.
    """
    from segmenter.lexicon.builder import costless_sections, trie_of
    from segmenter.lexicon.characters import CharTable

    m = model.rounded()
    tags = m.tags
    # --- characters, most frequent first ------------------------------------------------------
    codes = pair_codes(m.pairs)
    both = np.concatenate([codes >> np.uint64(32), codes & np.uint64(0xFFFFFFFF)])
    points, at = np.unique(both, return_inverse=True)
    sums = np.bincount(at, np.tile(m.pair_counts, 2), len(points))
    weights = dict(zip(map(chr, points.tolist()), sums.tolist(), strict=True))
    weights.pop(END, None)
    own = {c: i for i, c in enumerate(m.chars) if len(c) == 1}
    for c in own:
        weights.setdefault(c, 1.0)
    for c in set("".join(m.words)):
        weights.setdefault(c, 0.5)
    table = CharTable(weights, "default")
    n_ids = len(table.classes)
    generic = {c: i for i, c in enumerate(m.chars) if len(c) > 1}
    uni = np.zeros((n_ids, 4, tags))
    for code, number in table.generic.items():
        found = generic.get(generic_name(code))
        if found is not None:
            uni[number] = m.uni[found]
    for cp, number in table.ids.items():
        found = own.get(chr(cp))
        if found is None:
            found = generic.get(generic_name(chars.char_class(cp)))
        if found is not None:
            uni[number] = m.uni[found]
    # --- the trie: words of three characters and more, and the words that begin them ----------
    class_of = dict(zip(m.words, m.word_class.tolist(), strict=True))
    heads = {w[:2] for w in class_of if len(w) > 2}
    singles = {c for c in own if ord(c) in table.ids}
    entries = sorted({w for w in class_of if len(w) > 2 or w in heads} | singles)
    if not entries:
        raise ArgumentError(
            "sentences: too little to learn from: no character occurs often enough; give more text"
        )
    counts = dict(zip(m.pairs, m.pair_counts.tolist(), strict=True))
    lengths = np.array(list(map(len, entries)), np.int64)
    of_class = np.array([class_of.get(e, 0) for e in entries], np.int64)
    costs = of_class * LENGTHS + np.minimum(lengths, LENGTHS + 1) - 2
    costs = np.where(lengths > 1, costs, 0).astype(np.uint16)
    freq = np.array([max(1, counts.get(e[:2], 1)) for e in entries], np.uint64)
    units, slot_of = trie_of(table, encode_entries(table, entries), costs, freq)
    n_units = len(units)
    # --- weights; those of four tags relative to the tag S ------------------------------------
    n_classes = len(m.groups)

    def relative(values: Floats) -> Floats:
        out: Floats = values - values[..., 3:4] if tags == 4 else values
        return out

    # a record by position: one before, here, one after, two after = distances +1, 0, -1, -2
    by_place = [3, 2, 1, 0]
    uni = relative(uni[:, by_place])
    match = np.zeros((n_classes * LENGTHS + 1, ROLES, tags))
    match[:-1] = relative(m.match.reshape(-1, ROLES, tags))
    state = np.zeros((len(m.state) + 1, STATES, tags))
    state[:-1] = relative(m.state)
    groups_of = np.zeros(n_classes * LENGTHS + 1, np.uint8)
    groups_of[:-1] = np.repeat(m.groups, LENGTHS)
    pair_of = {p: i for i, p in enumerate(m.pairs)}
    pairs = list({*pair_of, *heads, *(w for w in class_of if len(w) == 2)})
    pairs = [pairs[i] for i in np.argsort(pair_codes(pairs)).tolist()]
    pair_ids, _ = encode_entries(table, pairs)
    first, second = pair_ids[::2].astype(np.int64), pair_ids[1::2].astype(np.int64)
    rows = uni[first]
    trained = np.array([pair_of.get(p, -1) for p in pairs], np.int64)
    rows[trained >= 0] += relative(m.bi[:, by_place])[trained[trained >= 0]]
    word_class = np.array([class_of.get(p, -1) for p in pairs], np.int64)
    is_pair_word = word_class >= 0
    if n_classes:
        two = match[:-1].reshape(n_classes, LENGTHS, ROLES, tags)[word_class[is_pair_word], 0]
        rows[is_pair_word, 1] += two[:, 0]
        rows[is_pair_word, 2] += two[:, 3]
    if tags == 4:
        # int8 holds 127; five weights in a thousand may be cut off there, the rest decides
        size = np.abs(np.concatenate([rows[..., :3].ravel(), uni[..., :3].ravel()]))
        top = float(np.quantile(size, 0.995)) if size.any() else 0.0
        used = min(float(scale), 127.0 / top) if top else float(scale)
    else:
        top = max(float(np.abs(x).max(initial=0)) for x in (rows, uni, match, state, m.types))
        used = min(float(WIDE_SCALE), 32767.0 / top) if top else float(WIDE_SCALE)
    used = m.meta.get("scale") or round(used * 65536) / 65536

    def ints(values: Floats, most: int = 32767) -> NDArray[np.int64]:
        out: NDArray[np.int64] = np.clip(np.round(values * used), -most, most).astype(np.int64)
        return out

    def pack(weights: Floats, keys: NDArray[np.int64]) -> NDArray[np.uint8]:
        out = np.zeros((len(weights), 16), np.uint8)
        if tags == 4:
            out[:, :12] = ints(weights[..., :3], 127).reshape(-1, 12).astype(np.int8).view(np.uint8)
        out[:, 12:] = keys.astype("<u4").reshape(-1, 1).view(np.uint8)
        return out

    # --- records at their places --------------------------------------------------------------
    if n_ids > MAX_ID or n_units + len(pairs) * 2 > 1 << 23:
        raise ArgumentError(
            f"model: {n_ids} characters, {n_units} trie slots and {len(pairs)} pairs do not fit "
            f"the compiled form ({MAX_ID} characters, {1 << 23} slots and pairs): prune it"
        )
    # pairs are in order, so the first of equally frequent ones comes first
    often = np.argsort([-counts.get(pair, 0) for pair in pairs], kind="stable")
    is_hot = np.zeros(len(pairs), bool)
    is_hot[often[:HOT]] = True
    hash_keys = (first << 16 | second).astype(np.uint32)
    places = np.zeros(len(pairs), np.int64)
    n_places = 0
    pilots: list[bytes] = []
    for part in (is_hot, ~is_hot):
        table_of, at, size = pair_hash(hash_keys[part])
        places[part] = n_places + at
        pilots.append(table_of)
        n_places += size
        if part is is_hot:
            n_hot = n_places
    records = np.zeros((n_places, 16), np.uint8)
    records[:, 12:] = np.array([MAX_ID], "<u4").view(np.uint8)
    longer = np.zeros(n_places, np.uint32)
    if pairs:
        # without states the bits only say that the pair is a word
        bits = m.groups if len(m.state) else np.ones(n_classes, np.int64)
        groups = np.where(is_pair_word, bits[word_class] if n_classes else 0, 0)
        begins = np.array([p in heads for p in pairs])
        keys = first | second << 14 | groups << 28 | np.where(begins, LONGER, 0)
        records[places] = pack(rows, keys)
        slot = (units[first[begins]] >> np.uint64(40)).astype(np.int64) + second[begins]
        guard = (units[slot] >> np.uint64(32) & np.uint64(0xFF)).astype(np.int64)
        base = (units[slot] >> np.uint64(40)).astype(np.int64)
        longer[places[begins]] = base | guard << 24
    alone = pack(uni, np.full(n_ids, MAX_ID, np.int64))
    trans = np.where(
        [[allowed(a, b) for b in tags_of(tags)] for a in tags_of(tags)], np.round(m.trans * used), 0
    ).astype(np.int64)
    # --- the lexicon's side -------------------------------------------------------------------
    tagger_params = [len(m.state), n_classes * LENGTHS, n_places, round(used * 65536)]
    tagger_params += np.round(m.start * used).astype(np.int64).tolist()
    tagger_params += trans.reshape(-1).tolist()
    sections = {
        **costless_sections(table, units, slot_of, max(map(len, entries), default=1), 0xFFFE),
        "tagger.params": struct.pack(f"<{5 + tags + tags * tags}i", *tagger_params, n_hot),
        "tagger.hot": pilots[0],
        "tagger.cold": pilots[1],
        "tagger.uni": alone.tobytes(),
        "tagger.pair": records.tobytes(),
        "tagger.longer": longer.astype("<u4").tobytes(),
        "tagger.match": ints(match).astype("<i2").tobytes(),
        "tagger.state": ints(state).astype("<i2").tobytes(),
        "tagger.types": ints(relative(m.types)).astype("<i2").tobytes(),
        "tagger.typeof": types_of(table).tobytes(),
        "tagger.groups": groups_of.tobytes(),
    }
    if tags == 6:
        wide = np.zeros((n_places, 4, tags), "<i2")
        wide[places] = ints(rows)
        sections["tagger.widepair"] = wide.tobytes()
        sections["tagger.wideuni"] = ints(uni).astype("<i2").tobytes()
    meta = {**m.meta, "words": len(m.words), "pairs": len(pairs), "scale": used}
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
    pilots, at = _train.build_pair_hash(keys, n_pilots, size)
    return pilots, np.frombuffer(at, np.uint32).astype(np.int64), size


def encode_entries(table: Any, entries: list[str]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the character ids of words and pairs, ``END`` being id 0, and their offsets."""
    from segmenter.lexicon.characters import code_points

    ids, offsets = table.encode(entries)
    return np.where(code_points(entries)[0] == ord(END), 0, ids).astype(np.uint16), offsets
