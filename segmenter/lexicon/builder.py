"""Compiles words with counts (and n-gram counts) into the sections of a lexicon artifact.

The result is what the kernels read as it lies: a character map with folding baked in, the
double-array trie with integer costs, word numbers by rank over a bit per slot, counts and tags by
word number.  Same input, same bytes.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter import chars
from segmenter.errors import ArgumentError
from segmenter.kernels import _face

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KIND = "lexicon"
COST_SCALE = 2048  # cost units a nat: fine enough that rounding decides no tie on 200 k words
MAX_COST = 0xFFFE  # 32 nats
NO_WORD_TAG = 0xFF

# Kinds of edges that are no lexicon words, in the order of lattice.hpp's EdgeKind.
EDGE_KINDS = ("word", "unknown", "number", "date", "latin", "blank", "line-end", "script", "cluster")
# The class tokens of n-gram counts -> edge kind.
CLASS_TOKENS = {"<unk>": 1, "<num>": 2, "<date>": 3, "<latin>": 4}
BOUNDARY = "<s>"

# Profiles say which characters form runs and whether look-ups fold.
PROFILES = ("default", "jieba")

_RULE_CHARS = "年月份日时分第点之"


class Entry(NamedTuple):
    """A word of a lexicon source: its count (any non-negative number) and its tag ("" if none)."""

    word: str
    count: float
    tag: str = ""


class Compiled(NamedTuple):
    """The sections and the metadata of a lexicon artifact, ready for ``artifact.write``."""

    sections: dict[str, bytes]
    meta: dict[str, Any]


def _jieba_class(cp: int) -> int:
    # jieba joins single ASCII letters and digits into runs and knows no other class.
    if chr(cp).isascii() and chr(cp).isalnum():
        return chars.LATIN
    return {0x0A: chars.LF, 0x0D: chars.CR}.get(cp, chars.OTHER)


class CharTable:
    """Character ids of a lexicon and the map from code points to them.

    Ids: 0 is every character that nothing knows; then the characters of classes that form runs
    (below ``n_special``); then all others, most frequent first.
    """

    def __init__(self, weights: Mapping[str, float], profile: str) -> None:
        if profile not in PROFILES:
            raise ArgumentError(f"profile: {profile!r} is none of {', '.join(PROFILES)}")
        self.profile = profile
        jieba = profile == "jieba"
        self._class = _jieba_class if jieba else chars.char_class
        self._fold = (lambda cp: cp) if jieba else chars.fold
        fixed = "0123456789abcdefghijklmnopqrstuvwxyz"
        if not jieba:
            fixed += chars.HAN_NUMERALS + ".·：/，%‰- "
        fixed += "\n\r"
        known = {ord(c) for c in weights} | {ord(c) for c in fixed}
        cls = {cp: self._class(cp) for cp in known}
        special = [cp for cp in map(ord, fixed) if cls[cp] not in chars.ORDINARY]
        special += sorted(cp for cp in known - set(special) if cls[cp] not in chars.ORDINARY)
        ids: dict[int, int] = {}
        classes = [chars.OTHER]
        for cp in special:
            ids[cp] = len(classes)
            classes.append(cls[cp])
        # one id each for all further characters of a class
        self.generic = {chars.OTHER: 0}
        for code in range(1, chars.HAN):
            self.generic[code] = len(classes)
            classes.append(code)
        self.n_special = len(classes)
        for code in (chars.HAN, chars.PUNCT):
            self.generic[code] = len(classes)
            classes.append(code)
        ordinary = [cp for cp in known if cp not in ids]
        ordinary.sort(key=lambda cp: (-weights.get(chr(cp), 0.0), cp))
        for cp in ordinary:
            ids[cp] = len(classes)
            classes.append(cls[cp])
        if len(classes) > 0x7FFF:
            raise ArgumentError(
                f"entries: {len(classes)} distinct characters; a double array holds 32767: "
                "use the marisa or pyahocorasick matcher"
            )
        self.ids = ids
        self.classes = bytes(classes)

    def entry(self, cp: int) -> int:
        """The 16-bit map entry of a code point: id, and bit 15 where it is not canonical."""
        folded = self._fold(cp)
        got = self.ids.get(folded)
        if got is None:
            return self.generic[self._class(folded)] | 0x8000
        return got if folded == cp else got | 0x8000

    def sections(self) -> dict[str, bytes]:
        bmp = np.fromiter((self.entry(cp) for cp in range(0x10000)), np.uint16, 0x10000)
        pages = np.zeros(0x1000, np.uint16)
        blocks: dict[bytes, int] = {}
        other = struct.pack("<H", 0x8000) * 256
        han = struct.pack("<H", self.generic[chars.HAN] | 0x8000) * 256
        store = [bytes(512)]
        with_words = {cp >> 8 for cp in self.ids if cp > 0xFFFF}
        for page in range(0x100, 0x1100):
            first = page << 8
            if page in with_words or page in (0x1F3, 0xE00, 0xE01) or 0x100 <= page < 0x200:
                raw = struct.pack("<256H", *(self.entry(first + k) for k in range(256)))
            elif 0x200 <= page < 0x400 and self.profile != "jieba":
                raw = han
            else:
                raw = other
            if raw not in blocks:
                blocks[raw] = len(store)
                store.append(raw)
            pages[page - 0x100] = blocks[raw]
        return {
            "charmap.bmp": bmp.tobytes(),
            "charmap.pages": pages.tobytes(),
            "charmap.blocks": b"".join(store),
            "charmap.classes": self.classes,
        }

    def encode(self, words: list[str]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Character ids of folded words, one after another, and where each begins."""
        offsets = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(w) for w in words], out=offsets[1:])
        table = np.zeros(0x110000, np.uint16)
        for cp, i in self.ids.items():
            table[cp] = i
        raw = "".join(words).encode("utf-32-le", "surrogatepass")
        return table[np.frombuffer(raw, np.uint32)], offsets

    def fold_word(self, word: str) -> str:
        return word if self.profile == "jieba" else chars.fold_str(word)


def merge(entries: Iterable[Entry], profile: str) -> dict[str, tuple[float, str]]:
    """Folds and merges entries: counts of equal words add up, the tag of the larger count stays."""
    out: dict[str, tuple[float, str]] = {}
    top: dict[str, float] = {}
    jieba = profile == "jieba"
    for word, count, tag in entries:
        if not word:
            raise ArgumentError("entries: an empty word")
        if not (count >= 0 and math.isfinite(count)):
            raise ArgumentError(f"entries: count {count!r} of {word!r} is not a number >= 0")
        w = word if jieba else chars.fold_str(word)
        if w in out:
            old, old_tag = out[w]
            out[w] = (old + count, tag if count > top[w] else old_tag)
            top[w] = max(top[w], count)
        else:
            out[w] = (count, tag)
            top[w] = count
    return out


def compile_lexicon(
    entries: Iterable[Entry],
    *,
    kinds: Mapping[str, float] | None = None,
    unknown: float = 1.0,
    total: float | None = None,
    profile: str = "default",
    meta: Mapping[str, Any] | None = None,
) -> Compiled:
    """Compiles a unigram lexicon.

    Args:
        entries: words with counts and tags; words that fold to the same string are merged.
        kinds: counts of the class tokens (``<num>``, ``<date>``, ``<latin>``); a class without
            a count costs what the most frequent word costs.
        unknown: the count that an unknown character is taken to have.
        total: what counts are divided by; default their sum with the classes'.
        profile: ``"default"``, or ``"jieba"``: no folding, no number rules, runs of ASCII only.
        meta: goes into the artifact's metadata.

    Raises:
        ArgumentError: an empty word, a bad count, an unknown profile, no words.
    """
    merged = merge(entries, profile)
    if not merged:
        raise ArgumentError("entries: no words")
    weights: Counter[str] = Counter()
    for word, (count, _) in merged.items():
        for c in set(word):
            weights[c] += count + 0.01  # type: ignore[assignment]
    table = CharTable(weights, profile)
    words = sorted(merged)
    counts = np.array([merged[w][0] for w in words], np.float64)
    kinds = dict(kinds or {})
    for name in kinds:
        if name not in CLASS_TOKENS:
            raise ArgumentError(f"kinds: {name!r} is none of {', '.join(CLASS_TOKENS)}")
    mass = total if total is not None else float(counts.sum()) + sum(kinds.values())
    log_mass = math.log(mass)

    def cost_of(count: float) -> int:
        if count <= 0:
            return MAX_COST
        return min(MAX_COST, max(0, round((log_mass - math.log(count)) * COST_SCALE)))

    costs = np.fromiter((cost_of(c) for c in counts), np.uint16, len(words))
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
    rank_weights = np.maximum(1, np.round(counts * 16)).astype(np.uint64)
    units, slots = _face.build_trie(
        ids, offsets, costs, rank_weights, len(table.classes), unknown_cost
    )
    n_units = len(units) // 8
    slot_of = np.frombuffer(slots, np.uint32)
    terminal = np.zeros((n_units + 63) // 64 * 64 + 64, np.uint8)
    terminal[slot_of] = 1
    bits = np.packbits(terminal, bitorder="little")
    per_word = terminal.reshape(-1, 64).sum(axis=1, dtype=np.uint32)
    rank = np.zeros(len(per_word), np.uint32)
    rank[1:] = np.cumsum(per_word)[:-1]
    order = np.argsort(slot_of, kind="stable")  # word numbers ascend with slots
    tags = sorted({t for _, t in merged.values()})
    if len(tags) > 250:
        raise ArgumentError(f"entries: {len(tags)} different tags; 250 at most")
    tag_number = {t: i for i, t in enumerate(tags)}
    tag_bytes = bytes(tag_number[merged[words[i]][1]] for i in order)

    rules = [table.ids.get(ord("0"), 0)]
    if profile == "jieba":
        rules += [0] * len(_RULE_CHARS) + [0] * len(chars.HAN_NUMERALS)
    else:
        rules += [table.ids.get(ord(c), 0) for c in _RULE_CHARS]
        rules += [table.ids[ord(c)] for c in chars.HAN_NUMERALS]
    params = struct.pack(
        f"<8I{len(EDGE_KINDS)}I{len(rules)}I",
        len(table.classes),
        table.n_special,
        max(map(len, words)),
        unknown_cost,
        len(words),
        0 if profile == "jieba" else 1,
        COST_SCALE,
        0,
        *kind_costs,
        *rules,
    )
    sections = {
        **table.sections(),
        "params": params,
        "trie.units": units,
        "words.terminal": bits.tobytes(),
        "words.rank": rank.tobytes(),
        "words.counts": counts[order].astype(np.float32).tobytes(),
        "words.tags": tag_bytes,
    }
    info: dict[str, Any] = {
        "words": len(words),
        "mass": mass,
        "unknown": unknown,
        "profile": profile,
        "cost_scale": COST_SCALE,
        "tags": tags,
        **(meta or {}),
    }
    return Compiled(sections, info)
