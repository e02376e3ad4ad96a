"""Parts of speech: a perceptron that decides from left to right (``pos/pos.hpp``)."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from reference.double_array import DoubleArray
from reference.runs import LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from segmenter.tagging.pos import PosTagger

# The shapes of words outside the trie, in the order of their classes; letters as in classes_of, "n"
# and "h" Chinese numerals and other Han characters.
_MARK_LETTERS = r".:,%p\-"
_SHAPES = [
    re.compile(pattern)
    for pattern in (
        "[_r]*", ".*l.*", f"[{_MARK_LETTERS}~]*", f"[{_MARK_LETTERS}~x_r]*",
        f"[d{_MARK_LETTERS}~]*", f"(?=.*d)[dhn{_MARK_LETTERS}~]*", "[a~]*",
        f"(?=.*a)[ad{_MARK_LETTERS}~_rx]*", f"[GCKHJL{_MARK_LETTERS}~_r]*", "[n~]*",
        "n[hn~]+", "[hn~]", "[hn~]{2}", "[hn~]{3}", "[hn~]{4}", "[hn~]*", ".*",
    )
]  # fmt: skip
#: In which order they are tried: the kernel asks for plain Han words before digits.
_SHAPE_ORDER = (1, 0, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 5, 6, 7, 8, 16)
_BOUNDARY_CLASS = 17
_MASK = (1 << 64) - 1


class PosWord(NamedTuple):
    """What the features of a part-of-speech tagger know of a word: slot in the trie (0: unknown),
    class, ids of its first two and last two characters (0: missing)."""

    id: int = 0
    cls: int = _BOUNDARY_CLASS
    first: int = 0
    second: int = 0
    before_last: int = 0
    last: int = 0


def _pos_key(pattern: int, a: int, b: int = 0, c: int = 0) -> int:
    h = ((a * 0x9E3779B97F4A7C15 + b) * 0xC2B2AE3D27D4EB4F + c) & _MASK
    h = (h + pattern) * 0xD6E8FEB86659FD93 & _MASK
    return h ^ h >> 32


class PosModel:
    """A part-of-speech tagger over the sections of its file, see ``pos/pos.hpp``.

    Args:
        sections: of the artifact.
        names: of the tags.
        sure: the margin by which features of one word alone decide.
        encode: gives the id of a character; None: the file's own table, without variants.
    """

    def __init__(
        self,
        sections: Mapping[str, Any],
        names: Sequence[str],
        sure: int,
        encode: Callable[[str], int] | None = None,
    ) -> None:
        def column(name: str, form: str) -> tuple[int, ...]:
            raw = bytes(sections[name])
            return struct.unpack(f"<{len(raw) // struct.calcsize(form)}{form}", raw)

        self.names = names
        self.sure = sure
        self.encode = encode or (lambda character: self._id(ord(character)))
        self.bmp = column("charmap.bmp", "H")
        self.pages = column("charmap.pages", "H")
        self.blocks = column("charmap.blocks", "H")
        self.classes = column("charmap.classes", "B")
        self.units = column("trie.units", "Q")
        self.trie = DoubleArray(self.units, len(self.classes))
        self.terminal = column("words.terminal", "Q")
        self.masks = column("pos.masks", "Q")
        self.affixes = column("pos.affixes", "B")
        self.table = column("pos.table", "H")
        self.cells = column("pos.blocks", "B")
        self.rows = column("pos.rows", "b")

    def _id(self, cp: int) -> int:
        if cp < 0x10000:
            return self.bmp[cp] & 0x7FFF
        return self.blocks[self.pages[(cp >> 8) - 0x100] * 256 + (cp & 0xFF)] & 0x7FFF

    def word(self, text: str) -> PosWord:
        ids = list(map(self.encode, text))
        slot = ids[0] if ids else 0
        for i in ids[1:]:
            slot = self.trie.child(slot, i) if slot else 0
        is_listed = slot and self.terminal[slot // 64] >> slot % 64 & 1
        cls = self.units[slot] >> 16 & 0xFFFF if is_listed else len(self.masks)
        if cls >= len(self.masks):
            slot = 0
            letters = "".join(LETTERS.get(self.classes[i], "x") for i in ids)
            cls = next(k for k in _SHAPE_ORDER if _SHAPES[k].fullmatch(letters))
        two = [0, 0, *ids]
        second = ids[1] if len(ids) > 1 else 0
        return PosWord(slot, cls, ids[0] if ids else 0, second, two[-2], two[-1])

    def own(self, w: PosWord) -> list[int]:
        """Keys of the features of a word alone."""
        rows: list[tuple[int, ...]] = [(1, w.cls)]
        if w.id:
            rows += [(17, w.id)]
        if self.affixes[w.cls]:
            rows += [
                (23, w.last, w.cls), (24, w.first, w.cls), (25, w.last), (26, w.first),
                (27, w.before_last, w.last), (28, w.first, w.second),
            ]  # fmt: skip
        return [_pos_key(*row) for row in rows]

    def joint(self, around: Sequence[PosWord], t1: int, t2: int) -> list[int]:
        """Keys of the features of the word in the middle of five that see several, or tags."""
        _, w1, w, v1, v2 = around
        c, tags = w.cls, t1 << 8 | t2
        rows: list[tuple[int, ...]] = [
            (2, c, t1), (3, c, tags), (4, t1, v1.cls), (5, c, v1.cls), (6, c, v1.cls, v2.cls),
            (7, c, t1, v1.cls), (8, tags), (9, v1.cls, v2.cls), (10, w1.id, c), (11, v1.id, c),
            (16, v1.last, c),
        ]  # fmt: skip
        if w.id:
            rows += [
                (18, w.id, t1), (19, w.id, v1.cls), (20, w.id, w1.id), (21, w.id, v1.id),
                (22, w.id, w1.cls, v1.cls),
            ]  # fmt: skip
        if self.affixes[c]:
            rows += [
                (29, w.last, t1), (30, w.last, v1.cls), (31, w.last, v1.last),
                (32, w1.last, w.first), (33, w.last, w1.id), (34, w.last, v1.id),
            ]  # fmt: skip
        return [_pos_key(*row) for row in rows]

    def first(self, around: Sequence[PosWord]) -> list[int]:
        """Sums by tag of what the word in the middle of five and each neighbour say alone."""
        sums = self.scores(self.own(around[2]))
        for i, offset in enumerate((1, 3, 0, 4)):
            w = around[offset]
            near = self.scores([_pos_key(12 + i, w.id), _pos_key(35 + i, w.cls)])
            sums = [s + max(-128, min(127, n)) for s, n in zip(sums, near, strict=True)]
        return sums

    def decide(self, around: Sequence[PosWord], t1: int, t2: int) -> int:
        """The tag of the word in the middle of five, after the tags t2 and t1."""
        mask = self.masks[around[2].cls]
        tags = [t for t in range(len(self.names)) if mask >> t & 1]
        sums = self.first(around)
        best, second = sorted((sums[t] for t in tags), reverse=True)[:2]
        if best - second < self.sure:
            joint = self.scores(self.joint(around, t1, t2))
            sums = [a + b for a, b in zip(sums, joint, strict=True)]
        return max(tags, key=lambda t: (sums[t], -t))

    def scores(self, keys: Iterable[int]) -> list[int]:
        """Sums of the weights of features, by tag."""
        totals = [0] * len(self.names)
        for key in keys:
            for tag, weight in self.weights(key):
                totals[tag] += weight
        return totals

    def weights(self, key: int) -> list[tuple[int, int]]:
        """Tags and weights of a feature; empty if it has no weights."""
        half = key >> 32
        b = 16 * (half * (len(self.table) // 16) >> 32)
        *bucket, low, high = self.table[b : b + 16]
        if half & 0xFFFF not in bucket:
            return []
        offset = 8 * (low + (high << 16) + bucket.index(half & 0xFFFF))
        block = bytes(self.cells[offset : offset + 8])
        if block[0] == 0xFF:
            row = int.from_bytes(block[4:], "little")
            lanes = -(-len(self.names) // 16) * 16
            return list(enumerate(self.rows[row * lanes : row * lanes + len(self.names)]))
        return list(zip(block[:4], struct.unpack("4b", block[4:]), strict=True))

    def tags(
        self, words: Sequence[str], known_tags: Sequence[str | None] | None = None
    ) -> list[str]:
        """One tag per word, each decided after those before it."""
        word_classes = [self.word(w) for w in words]
        edge = [PosWord(), PosWord()]
        tags_found = [-1] * len(words)
        run: list[int] = []
        for i in range(len(words) + 1):
            if i < len(words) and word_classes[i].cls > 1:
                run.append(i)
                continue
            if i < len(words):
                tags_found[i] = self.masks[word_classes[i].cls].bit_length() - 1
                if word_classes[i].cls == 0:
                    continue  # a blank: the sentence goes on
            around = [*edge, *(word_classes[k] for k in run), *edge]
            t1 = t2 = len(self.names)
            for place, k in enumerate(run):
                mask = self.masks[word_classes[k].cls]
                known_tag = None if known_tags is None else known_tags[k]
                if known_tag in self.names:
                    tag = self.names.index(str(known_tag))
                elif mask.bit_count() == 1:
                    tag = mask.bit_length() - 1
                else:
                    tag = self.decide(around[place : place + 5], t1, t2)
                tags_found[k] = tag
                t1, t2 = tag, t1
            run = []
        return [self.names[t] for t in tags_found]


def model_of(tagger: PosTagger) -> PosModel:
    """The reference with the sections of a compiled tagger."""
    art = tagger.artifact
    sections = {name: bytes(art.section(name)) for name in art.names()}
    encode = tagger.native.lexicon.encode
    return PosModel(
        sections,
        list(tagger.meta["tags"]),
        tagger.meta["sure"],
        lambda character: ord(encode(character)),
    )
