"""User dictionaries: words that take effect whatever is in them, as immutable values.

>>> words = UserDictionary(["C++", ("提|出", "split"), ("云计算", 50, "n")])
>>> words["C++"].level, words["提出"].parts, words["云计算"].weight
('prefer', ('提', '出'), 50.0)
>>> "云" in words, len(words.without(["C++"])), len(words)
(False, 2, 3)

A dictionary is one compiled layer of entries, or two: a small second one holds what was added
since, so that one word more costs about the square root of the dictionary's size; both merge when
the second one grows.  The kernels find the entries in the raw text (``kernels/user/user.hpp``).
"""

from __future__ import annotations

import math
import os
from array import array
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from segmenter import artifact, chars, variants
from segmenter.errors import ArgumentError, ArtifactError, wrong_type
from segmenter.kernels import _face

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import IO, TypeAlias

    from _typeshed import ReadableBuffer

    from segmenter.lexicon.sources import Report

    Item: TypeAlias = "str | tuple[Any, ...] | UserWord"
    Source: TypeAlias = "str | os.PathLike[str] | bytes | IO[bytes]"

KIND = "user"
LEVELS = ("force", "prefer", "weight", "delete")
#: The source of entries that :meth:`Segmenter.learn <segmenter.segmenter.Segmenter.learn>` made.
LEARNED = "learned"
#: Extension of a compiled dictionary.
COMPILED = ".user"
REBUILD = "build it again with `segmenter build user WORDS -o FILE.user`"

_GONE = 7  # a place in a layer that holds no entry any more
_INSIDE, _PARTS, _FOLD, _SCRIPT = 8, 16, 32, 64  # flags of an entry, as in user/user.hpp
_SCALE = 2048  # cost units a nat
_NEVER = 1 << 28  # minus the logarithm of a weight of 0, in cost units
_TABLES = tuple(f"f{f}.{name}" for f in range(4) for name in _face.USER_FIELDS)


class UserWord(NamedTuple):
    """An entry of a user dictionary.

    Attributes:
        word: any string but the empty one, matched in the raw text.
        level: ``"force"``: always one token; ``"prefer"``: one token before model, lexicon and
            rules, but not where it would break a grapheme cluster; ``"weight"``: competes with
            the other words by its weight; ``"delete"``: a word of the lexicon that is none.
        weight: of level ``"weight"``: a count beside the counts of the lexicon.
        tag: part of speech, or "".
        payload: anything that JSON can hold; :attr:`segmenter.types.Token.payload` gives it back.
        parts: what the word is cut into (levels force and prefer); joined they are the word.
        fold: width and case do not matter.  Always so for ``"delete"``.
        inside: may begin or end inside a longer run of letters or digits.
        source: where the entry was read, "" if in no file.
        line: the line there, 0 if unknown.
        script: Traditional, Hong Kong and Taiwan forms of its characters count as equal.
    """

    word: str
    level: str = "prefer"
    weight: float | None = None
    tag: str = ""
    payload: object = None
    parts: tuple[str, ...] = ()
    fold: bool = False
    inside: bool = False
    source: str = ""
    line: int = 0
    script: bool = False

    def same(self, other: UserWord) -> bool:
        """Whether both are the same but for where they were read."""
        return self[:8] == other[:8] and self.script == other.script


def user_word(
    item: Item, *, fold: bool = False, inside: bool = False, script: bool = False
) -> UserWord:
    """An item as callers write it, as an entry that holds together.

    Args:
        item: a str (level prefer); ``(word, level or weight)``, with a tag and a payload behind it
            if wanted; or a :class:`UserWord`.  The level ``"split"`` is force with the parts marked
            in the word: ``("提|出", "split")``, a bar of the word itself being written ``\\|`` and
            a backslash ``\\\\``.
        fold: for items that are no UserWord.
        inside: for items that are no UserWord.
        script: for items that are no UserWord.

    Raises:
        TypeError: the item, or a part of it, is of a wrong type.
        ArgumentError: an empty word, an unknown level, a weight below 0, parts that are not the
            word, a payload that JSON cannot hold.
    """
    if isinstance(item, str):
        entry = UserWord(item, fold=fold, inside=inside, script=script)
    elif isinstance(item, UserWord):
        entry = item
    elif isinstance(item, tuple):
        entry = _of_tuple(item, fold, inside)._replace(script=script)
    else:
        raise wrong_type(
            "items: an item", item, "str, (word, level or weight, tag, payload) or UserWord"
        )
    return checked(entry)


def _of_tuple(item: tuple[Any, ...], fold: bool, inside: bool) -> UserWord:
    if not 1 <= len(item) <= 4:
        raise ArgumentError(
            f"items: {item!r} has {len(item)} fields, not (word, level or weight, tag, payload)"
        )
    rest: tuple[Any, ...] = ("prefer", "", None)
    word, level, tag, payload = item + rest[len(item) - 1 :]
    if not isinstance(word, str):
        raise wrong_type("items: a word", word, "str")
    if level is None:
        level = "prefer"
    if isinstance(level, str):
        weight = None
        parts: tuple[str, ...] = ()
        if level == "split":
            level = "force"
            parts = split_parts(word)
            word = "".join(parts)
        return UserWord(word, level, weight, tag, payload, parts, fold, inside)
    if isinstance(level, bool) or not isinstance(level, (int, float)):
        raise wrong_type(f"items: the level or weight of {word!r}", level, "str or a number")
    return UserWord(word, "weight", float(level), tag, payload, (), fold, inside)


def split_parts(marked: str) -> tuple[str, ...]:
    """The parts of a word marked with bars.

    >>> split_parts("提|出"), split_parts(r"a\\|b|c")
    (('提', '出'), ('a|b', 'c'))
    """
    parts = [""]
    at = 0
    while at < len(marked):
        c = marked[at]
        if c == "\\" and marked[at + 1 : at + 2] in ("|", "\\"):
            at += 1
            parts[-1] += marked[at]
        elif c == "|":
            parts.append("")
        else:
            parts[-1] += c
        at += 1
    if len(parts) < 2 or not all(parts):
        raise ArgumentError(
            f"items: {marked!r} marks no parts: write a bar between two of them, as 提|出"
        )
    return tuple(parts)


def checked(entry: UserWord) -> UserWord:
    """The entry, if it holds together; see :func:`user_word` for the errors."""
    word, level, weight, tag, _, parts, fold, *_ = entry
    if not isinstance(word, str):
        raise wrong_type("items: a word", word, "str")
    if not word:
        raise ArgumentError("items: an empty word")
    if level not in LEVELS:
        raise ArgumentError(
            f"items: {level!r} of {word!r} is no level: use one of {', '.join(LEVELS)}, split, or "
            "a weight"
        )
    if not isinstance(tag, str):
        raise wrong_type(f"items: the tag of {word!r}", tag, "str")
    if level == "weight":
        if weight is None or not 0 <= weight < math.inf:
            raise ArgumentError(f"items: weight {weight!r} of {word!r} is not a number >= 0")
    elif weight is not None:
        raise ArgumentError(f"items: {word!r} has a weight and the level {level!r}: give one")
    if parts:
        if level not in ("force", "prefer"):
            raise ArgumentError(f"items: {word!r} has parts: its level is force or prefer")
        if len(parts) < 2 or not all(parts) or "".join(parts) != word:
            raise ArgumentError(
                f"items: the parts {parts!r} are not two or more that join to {word!r}"
            )
    if entry.payload is not None:
        _payload(entry)
    if level == "delete" and not fold:
        entry = entry._replace(fold=True)
    return entry


def _payload(entry: UserWord) -> str:
    import json

    try:
        return json.dumps(entry.payload, ensure_ascii=False, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(
            f"items: the payload of {entry.word!r} cannot be kept as JSON: {error}"
        ) from None


_folds: dict[bool, _face.Folds] = {}
_NO_FOLDS = _face.Folds((None,) * 4)
_LAST_CASED = 0x1EA00  # no character from here on has a lower case


def _fold_of(mode: int) -> Callable[[int], int]:
    """What entries of a mode compare: bit 0 width and case, bit 1 script."""
    if mode == 1:
        return chars.fold
    return variants.same if mode == 2 else lambda cp: variants.same(chars.fold(cp))


def _folded(word: str, mode: int) -> str:
    return "".join(chr(c) for c in map(_fold_of(mode), map(ord, word)))


def _fold_tables(script: bool) -> _face.Folds:
    """What fields of folded entries compare: built when the first such entry is made."""
    if script not in _folds:
        tables: list[tuple[array[int], array[int]] | None] = [None] * 4
        for mode in (1, 2, 3) if script else (1,):
            fold = _fold_of(mode)
            bmp = array("H", map(fold, range(0x10000)))
            astral = array("I")
            for cp in range(0x10000, _LAST_CASED if mode != 2 else 0x10000):
                folded = fold(cp)
                if folded != cp:
                    astral.extend((cp, folded))
            tables[mode] = (bmp, astral)
        _folds[script] = _face.Folds(tuple(tables))
    return _folds[script]


def _mode(flags: int) -> int:
    """How an entry of these flags is compared; 0: as it is written."""
    return (flags & _FOLD) // _FOLD | (flags & _SCRIPT) // _SCRIPT * 2


class _Columns:
    """Entries on their way into a layer; of entries for the same text the last one stays."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.flags = bytearray()
        self.weights: dict[int, float] = {}
        self.tags: dict[int, str] = {}
        self.payloads: dict[int, str] = {}
        self.parts: dict[int, list[int]] = {}
        self.files: dict[str, int] = {"": 0}
        self.sources = array("H")  # these two end with the last entry that was read from a file
        self.lines = array("I")
        self.exact: dict[str, int] | None = {}
        self.folded: dict[int, dict[str, int]] = {}  # by mode
        self.gone = 0

    def __len__(self) -> int:
        return len(self.words) - self.gone

    def add(self, entry: UserWord) -> None:
        word, level, weight, tag, payload, parts, fold, inside, source, line, script = entry
        number = len(self.words)
        self._make_room(word, fold + 2 * script, number)
        self.words.append(word)
        flags = LEVELS.index(level) | _options(fold, inside, script)
        if parts:
            flags |= _PARTS
            cuts, at = [], 0
            for part in parts[:-1]:
                at += len(part)
                cuts.append(at)
            self.parts[number] = cuts
        self.flags.append(flags)
        if weight is not None:
            self.weights[number] = weight
        if tag:
            self.tags[number] = tag
        if payload is not None:
            self.payloads[number] = _payload(entry)
        if source or line:
            missing = number - len(self.lines)
            if missing:
                self.sources.extend([0] * missing)
                self.lines.extend([0] * missing)
            self.sources.append(_in_table(self.files, source))
            self.lines.append(min(line, 0xFFFFFFFF))

    def _make_room(self, word: str, mode: int, number: int) -> None:
        if self.exact is None:
            self.exact = dict(zip(self.words, range(len(self.words)), strict=True))
        old = self.exact.pop(word, None)
        if old is not None:
            self._drop(old)
        for other, entries in self.folded.items():
            key = _folded(word, other)
            found = entries.get(key)
            if found is not None and (other == mode or self.words[found] == word):
                self._drop(found)
                del entries[key]
        if mode:
            self.folded.setdefault(mode, {})[_folded(word, mode)] = number
        else:
            self.exact[word] = number

    def _drop(self, number: int) -> None:
        if self.flags[number] != _GONE:
            self.flags[number] = _GONE
            self.gone += 1
            columns: tuple[dict[int, Any], ...] = (
                self.weights, self.tags, self.payloads, self.parts
            )  # fmt: skip
            for column in columns:
                column.pop(number, None)

    def add_plain(self, words: Iterable[str], flags: int) -> None:
        """Words of level prefer and nothing more: the way for a million of them."""
        fresh = dict.fromkeys(words)
        if "" in fresh:
            raise ArgumentError("items: an empty word")
        if self.words or _mode(flags):
            plain = UserWord("", fold=bool(flags & _FOLD), inside=bool(flags & _INSIDE))
            plain = plain._replace(script=bool(flags & _SCRIPT))
            for word in fresh:
                self.add(plain._replace(word=word))
            return
        self.words = list(fresh)
        self.flags = bytearray([flags]) * len(self.words)
        self.exact = None  # made when another entry joins them

    def compile(self) -> _Layer:
        """The layer of these entries; there is at least one."""
        n = len(self.words)
        joined = "".join(self.words)
        width = 2 if not joined or max(joined) <= "\uffff" else 4
        offsets = array("I", accumulate(map(len, self.words), initial=0))
        sections: dict[str, ReadableBuffer] = {
            "text": _units(joined, width),
            "offsets": offsets.tobytes(),
            "flags": bytes(self.flags),
        }
        if self.weights:
            weights, logs = array("d", bytes(8 * n)), array("i", bytes(4 * n))
            for number, weight in self.weights.items():
                weights[number] = weight
                logs[number] = round(-math.log(weight) * _SCALE) if weight > 0 else _NEVER
            sections["weights"], sections["logs"] = weights.tobytes(), logs.tobytes()
        if self.parts:
            first, cuts = array("I", [0]), array("I")
            for inner in self.parts.values():
                cuts.extend(inner)
                first.append(len(cuts))
            sections["partids"] = array("I", self.parts).tobytes()
            sections["partfirst"], sections["parts"] = first.tobytes(), cuts.tobytes()
        meta: dict[str, Any] = {"width": width, "tags": [""], "sources": [""]}
        if self.tags:
            sections["tags"], meta["tags"] = _numbered(n, self.tags)
        if self.lines:
            missing = n - len(self.lines)
            sections["sources"] = self.sources.tobytes() + bytes(2 * missing)
            sections["lines"] = self.lines.tobytes() + bytes(4 * missing)
            meta["sources"] = list(self.files)
        if self.payloads:
            first, blob = array("I", [0]), []
            size = 0
            for text in self.payloads.values():
                blob.append(text.encode("utf-8", "surrogatepass"))
                size += len(blob[-1])
                first.append(size)
            sections["payids"] = array("I", self.payloads).tobytes()
            sections["payfirst"], sections["payloads"] = first.tobytes(), b"".join(blob)
        meta["lineends"] = "\n" in joined or "\r" in joined
        meta["entries"] = len(self)
        return _Layer(sections, meta)


def _units(text: str, width: int) -> bytes:
    if width == 4:
        return text.encode("utf-32-le", "surrogatepass")
    return text.encode("utf-16-le", "surrogatepass")


def _numbered(n: int, values: dict[int, str]) -> tuple[bytes, list[str]]:
    """A column of numbers into a table of distinct strings, the first of which is empty."""
    table = {"": 0}
    column = array("H", bytes(2 * n))
    for number, value in values.items():
        column[number] = _in_table(table, value)
    return column.tobytes(), list(table)


def _in_table(table: dict[str, int], value: str) -> int:
    got = table.setdefault(value, len(table))
    if got > 0xFFFF:
        raise ArgumentError("items: more than 65,535 different tags (or files) in one dictionary")
    return got


class _Layer:
    """Compiled entries over their columns, in memory or mapped."""

    __slots__ = ("art", "columns", "entries", "identity", "meta", "native", "sections")

    def __init__(
        self,
        sections: Mapping[str, ReadableBuffer],
        meta: dict[str, Any],
        art: artifact.Artifact | None = None,
        check: bool = False,
    ) -> None:
        self.sections = {k: v for k, v in sections.items() if k not in _TABLES}
        self.meta = meta
        self.art = art  # what the sections are mapped from
        flags = bytes(memoryview(sections["flags"])) if art is None else b""
        if art is None:
            meta["folds"] = any(map(_mode, set(flags)))
            meta["scripts"] = any(f & _SCRIPT for f in set(flags))
        self.native = _face.UserLayer(
            sections,
            meta["width"],
            _fold_tables(meta.get("scripts", False)) if meta["folds"] else _NO_FOLDS,
            meta["lineends"],
            -1 if art is None else meta["singles"],
            check,
        )
        self.entries: int = meta["entries"]
        if art is not None:
            self._check_meta(art.path)
        if art is None:
            meta["singles"] = self.native.singles
            n = len(flags)
            live = None if self.entries == n else [i for i in range(n) if flags[i] != _GONE]
            meta["identity"] = list(self.native.identity(live))
        self.identity: list[int] = meta["identity"]
        self.columns: dict[str, memoryview] = {}
        for name, form in _FORMS.items():
            if name in self.sections:
                flat = memoryview(self.sections[name]).cast("B")
                self.columns[name] = flat.cast(form)  # type: ignore[call-overload]

    def __len__(self) -> int:
        return len(self.columns["flags"])

    def compiled(self) -> tuple[dict[str, ReadableBuffer], dict[str, Any]]:
        """Sections, tables among them, and metadata of the file."""
        return {**self.sections, **self.native.tables}, self.meta

    def _check_meta(self, path: str) -> None:
        """Raises ArtifactError where a file's metadata are not what is read in them later."""
        meta = self.meta
        artifact.field(path, meta, "entries", int, len(memoryview(self.sections["flags"])))
        for name in ("tags", "sources"):
            if name in self.sections:
                artifact.field(path, meta, name, list)
        identity = meta["identity"]
        if not isinstance(identity, list) or [type(part) for part in identity] != [int, int]:
            raise ArtifactError(path, "'identity' of its metadata is not two numbers", REBUILD)

    def entry(self, number: int) -> UserWord:
        """The entry of that number.

        Raises:
            ArtifactError: columns of a file that nothing but this reads do not fit together.
        """
        if self.art is None:
            return self._entry(number)
        try:
            return self._entry(number)
        except (LookupError, ValueError, TypeError, RecursionError, SystemError) as e:
            raise ArtifactError(
                self.art.path, f"its entry {number} cannot be read: {e}", REBUILD
            ) from e

    def _entry(self, number: int) -> UserWord:
        columns = self.columns
        flags = columns["flags"][number]
        word: str = self.native.spelling(number)
        level = LEVELS[flags & 7]
        parts: tuple[str, ...] = ()
        if flags & _PARTS:
            at = _place(columns["partids"], number)
            first = columns["partfirst"]
            cuts = [0, *columns["parts"][first[at] : first[at + 1]], len(word)]
            parts = tuple(word[a:b] for a, b in pairwise(cuts))
        payload: object = None
        if "payids" in columns:
            at = _place(columns["payids"], number)
            if at >= 0:
                import json

                first = columns["payfirst"]
                raw = bytes(columns["payloads"][first[at] : first[at + 1]])
                payload = json.loads(raw.decode("utf-8", "surrogatepass"))
        tags, sources, lines = (columns.get(name) for name in ("tags", "sources", "lines"))
        return UserWord(
            word,
            level,
            columns["weights"][number] if level == "weight" else None,
            self.meta["tags"][tags[number]] if tags is not None else "",
            payload,
            parts,
            bool(flags & _FOLD),
            bool(flags & _INSIDE),
            self.meta["sources"][sources[number]] if sources is not None else "",
            lines[number] if lines is not None else 0,
            bool(flags & _SCRIPT),
        )

    def level(self, number: int) -> int:
        return int(self.columns["flags"][number]) & 7


_FORMS = {
    "flags": "B", "weights": "d", "partids": "I", "partfirst": "I", "parts": "I", "tags": "H",
    "sources": "H", "lines": "I", "payids": "I", "payfirst": "I", "payloads": "B",
}  # fmt: skip


def _place(column: memoryview, number: int) -> int:
    """Where an ascending column holds a number; -1 where it does not."""
    from bisect import bisect_left

    at = bisect_left(column, number)
    return at if at < len(column) and column[at] == number else -1


class _Origin(NamedTuple):
    """What a dictionary was read from, to see whether it changed."""

    paths: tuple[str, ...]
    found: tuple[tuple[str, tuple[int, ...]], ...]  # files and what they looked like
    options: dict[str, Any]


class UserDictionary:
    """Words of a user: an immutable value that any number of Segmenters may share.

    Args:
        items: words; see :func:`user_word` for the forms an item may take.  A later item for the
            same word replaces an earlier one.
        fold: width and case do not matter; for items that do not say.
        inside: words may begin or end inside a longer run of letters or digits; for items that do
            not say.
        script: Traditional, Hong Kong and Taiwan forms of a character count as equal; for items
            that do not say.

    Attributes:
        reports: what was found in each file read, faults among it.

    Raises:
        TypeError, ArgumentError: as :func:`user_word`.

    >>> words = UserDictionary([("卡拉OK", "force")]).with_words(["iPhone 15"])
    >>> [entry.word for entry in words], words.get("c") is None
    (['卡拉OK', 'iPhone 15'], True)
    """

    __slots__ = (
        "__weakref__", "_dead", "_layers", "_loaded", "_native", "_origin", "reports",
    )  # fmt: skip

    def __init__(
        self,
        items: Iterable[Item] = (),
        *,
        fold: bool = False,
        inside: bool = False,
        script: bool = False,
    ) -> None:
        columns = _Columns()
        _take(columns, items, fold, inside, script)
        self._set((columns.compile(),) if len(columns) else ())

    def _set(
        self,
        layers: tuple[_Layer, ...],
        dead: tuple[array[int], ...] = (),
        origin: tuple[_Origin, ...] = (),
        loaded: UserDictionary | None = None,
        reports: tuple[Report, ...] = (),
    ) -> UserDictionary:
        self._layers = layers
        self._dead = dead or tuple(array("I") for _ in layers)
        self._origin = origin
        self._loaded = loaded
        self.reports = reports
        self._native: _face.UserWords | None = None
        return self

    @property
    def native(self) -> _face.UserWords | None:
        """The words as the kernels take them; None where there are none."""
        if self._native is None and len(self):
            self._native = _face.UserWords([layer.native for layer in self._layers], self._dead)
        return self._native

    @property
    def tagged(self) -> bool:
        """Whether any word may have a tag (those that were taken out since are counted too)."""
        return any("tags" in layer.columns for layer in self._layers)

    # --- other values ----------------------------------------------------------------------------

    def with_words(
        self,
        items: Iterable[Item],
        *,
        fold: bool = False,
        inside: bool = False,
        script: bool = False,
    ) -> UserDictionary:
        """This dictionary and more words; those that it has already are replaced.

        Raises:
            TypeError, ArgumentError: as :func:`user_word`.
        """
        if isinstance(items, UserDictionary) and not (len(self) or self._origin):
            return items
        new = _Columns()
        _take(new, items, fold, inside, script)
        out = self._with(new) if len(new) else self._derived(self._layers, self._dead)
        if isinstance(items, UserDictionary) and items._origin:
            # files that the other one was read from are watched here too
            read = self._loaded or (self if self._origin else UserDictionary())
            out._loaded = read.with_words(list(items._loaded or items))
            out._origin = self._origin + items._origin
        return out

    def _with(self, new: _Columns) -> UserDictionary:
        if not self._layers:
            return self._derived((new.compile(),), ())
        base, dead = self._layers[0], set(self._dead[0])
        recent = _Columns()
        for entry in self._entries(1):
            recent.add(entry)
        fresh = new.compile()
        for number in range(len(fresh)):
            if fresh.level(number) != _GONE:
                entry = fresh.entry(number)
                recent.add(entry)
                dead.update(_shadowed(base, entry))
        # merging costs the whole, and one word more the small layer: every sqrt(2n) words is best
        limit = 64 + math.isqrt(2 * len(base))
        if base.art is not None:
            limit = max(limit, len(base) // 4)
        if len(recent) > limit:
            merged = _Columns()
            for number in range(len(base)):
                if number not in dead and base.level(number) != _GONE:
                    merged.add(base.entry(number))
            for entry in _live(recent):
                merged.add(entry)
            return self._derived((merged.compile(),), ())
        return self._derived((base, recent.compile()), (array("I", sorted(dead)), array("I")))

    def without(self, words: Iterable[str]) -> UserDictionary:
        """This dictionary less some words; what it does not have is passed over.

        An entry of level ``"delete"`` is taken out like any other: the lexicon's word is back.

        Raises:
            TypeError: ``words`` is a str, or holds something else than str.
        """
        if isinstance(words, (str, bytes)):
            raise wrong_type("words", words, "an iterable of str")
        dead = [set(column) for column in self._dead]
        before = sum(map(len, dead))
        for word in words:
            if not isinstance(word, str):
                raise wrong_type("words: a word", word, "str")
            if not word:
                continue
            for layer, gone in zip(self._layers, dead, strict=True):
                gone.update(layer.native.find(word))
        if sum(map(len, dead)) == before:
            return self
        columns = tuple(array("I", sorted(gone)) for gone in dead)
        out = self._derived(self._layers, columns)
        return out if len(out) else self._derived((), ())

    def _derived(self, layers: tuple[_Layer, ...], dead: tuple[array[int], ...]) -> UserDictionary:
        loaded = self._loaded or (self if self._origin else None)
        return UserDictionary.__new__(UserDictionary)._set(
            layers, dead, self._origin, loaded, self.reports
        )

    # --- looking up ------------------------------------------------------------------------------

    def get(self, word: str, default: UserWord | None = None) -> UserWord | None:
        """The entry of a word, written so or folding to the same where the entry folds."""
        if not isinstance(word, str):
            raise wrong_type("word", word, "str")
        for layer, dead in zip(reversed(self._layers), reversed(self._dead), strict=True):
            for number in layer.native.find(word) if word else ():
                if _place(memoryview(dead), number) < 0:
                    return layer.entry(number)
        return default

    def __getitem__(self, word: str) -> UserWord:
        entry = self.get(word)
        if entry is None:
            raise KeyError(word)
        return entry

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.get(word) is not None

    def __iter__(self) -> Iterator[UserWord]:
        for number in range(len(self._layers)):
            yield from self._entries(number)

    def _entries(self, layer: int) -> Iterator[UserWord]:
        if layer >= len(self._layers):
            return
        columns = self._layers[layer]
        dead = set(self._dead[layer])
        for number in range(len(columns)):
            if number not in dead and columns.level(number) != _GONE:
                yield columns.entry(number)

    def __len__(self) -> int:
        return sum(layer.entries for layer in self._layers) - sum(map(len, self._dead))

    def entry(self, layer: int, number: int) -> UserWord:
        """The entry that a token of the kernels names."""
        return self._layers[layer].entry(number)

    def count(self, level: str) -> int:
        """How many entries are of a level.

        Raises:
            ArgumentError: no such level.
        """
        if level not in LEVELS:
            raise ArgumentError(f"level: {level!r} is none of {', '.join(LEVELS)}")
        want = LEVELS.index(level)
        total = 0
        for layer, dead in zip(self._layers, self._dead, strict=True):
            flags = bytes(layer.columns["flags"])
            total += sum(n for f, n in _tally(flags).items() if f & 7 == want)
            total -= sum(flags[number] & 7 == want for number in dead)
        return total

    @property
    def digest(self) -> str:
        """Identity of what the words do to boundaries, 32 hexadecimal digits; "" where none is.

        Equal for equal entries, in whatever order or steps they were added.
        """
        if not len(self):
            return ""
        sums = [0, 0]
        for layer, dead in zip(self._layers, self._dead, strict=True):
            gone = layer.native.identity(dead)
            for k in range(2):
                sums[k] += layer.identity[k] - gone[k]
        return "".join(f"{value % (1 << 64):016x}" for value in sums)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, UserDictionary):
            return NotImplemented
        if len(self) != len(other) or self.digest != other.digest:
            return False
        theirs = {(e.word, e.fold, e.script): e for e in other}
        mine = {(e.word, e.fold, e.script): e for e in self}
        return all(key in theirs and e.same(theirs[key]) for key, e in mine.items())

    def __hash__(self) -> int:
        return hash(self.digest)

    # --- files -----------------------------------------------------------------------------------

    @classmethod
    def load(
        cls,
        source: Source | Iterable[str | os.PathLike[str]],
        *,
        format: str = "auto",
        encoding: str = "utf-8",
        errors: str = "raise",
        level: str | None = None,
        fold: bool = False,
        inside: bool = False,
        script: bool = False,
        verify: bool = True,
    ) -> UserDictionary:
        """Reads a dictionary: a file, several, a folder, bytes or a binary file object.

        Args:
            source: a compiled file is mapped, any other read; of a folder all files named
                ``*.tsv``, ``*.txt``, ``*.jsonl`` and ``*.user``, in the order of their names.
                Later files win.
            format: ``"tsv"``, ``"jsonl"``, ``"jieba"`` or ``"auto"``: see
                :mod:`segmenter.lexicon.user_files`.
            encoding: of the text: ``"utf-8"``, ``"gb18030"``, … ; a byte order mark is dropped.
            errors: ``"raise"`` stops at the first faulty line; ``"warn"`` leaves faulty lines out
                with a :class:`DictionaryWarning` each, ``"skip"`` silently; either way
                :attr:`reports` lists and counts them.
            level: the level of every row instead of its own (not of splits and deletions).
            fold: for rows that do not say.
            inside: for rows that do not say.
            script: for rows that do not say.
            verify: check every byte of compiled files against their checksums.

        Raises:
            DictionaryError: a faulty line, named by file, line and reason.
            ArtifactError: a compiled file that is damaged, foreign or newer than this package.
            ArgumentError: an unknown option.
            OSError: a file cannot be read.
        """
        from segmenter.lexicon import user_files

        options: dict[str, Any] = {
            "format": format, "encoding": encoding, "errors": errors, "level": level,
            "fold": fold, "inside": inside, "script": script,
        }  # fmt: skip
        user_files.check_options(**options)
        paths = user_files.paths_of(source)
        if paths is None:
            entries, report = user_files.read(source, **options)  # type: ignore[arg-type]
            return cls._of(entries, reports=(report,))
        files = user_files.files_of(paths)
        origin = _Origin(paths, tuple((f, looks(f)) for f in files), {**options, "verify": verify})
        if len(files) == 1 and artifact_kind(files[0]) is not None:
            return cls._map(files[0], verify, (origin,))
        columns = _Columns()
        reports = []
        for file in files:
            if artifact_kind(file) is not None:
                for entry in cls._map(file, verify, ()):
                    columns.add(entry)
                continue
            entries, report = user_files.read(file, **options)
            reports.append(report)
            for entry in entries:
                columns.add(entry)
        layers = (columns.compile(),) if len(columns) else ()
        return cls.__new__(cls)._set(layers, (), (origin,), None, tuple(reports))

    @classmethod
    def _of(cls, entries: Iterable[UserWord], reports: tuple[Report, ...] = ()) -> UserDictionary:
        columns = _Columns()
        for entry in entries:
            columns.add(entry)
        layers = (columns.compile(),) if len(columns) else ()
        return cls.__new__(cls)._set(layers, reports=reports)

    @classmethod
    def _map(cls, path: str, verify: bool, origin: tuple[_Origin, ...]) -> UserDictionary:
        art = artifact.open(path, KIND, verify)
        if art.meta.get("entries") == 0:
            return cls.__new__(cls)._set((), (), origin)
        try:
            layer = _Layer({n: art.section(n) for n in art.names()}, dict(art.meta), art, verify)
        except (KeyError, ValueError, TypeError, OverflowError) as e:
            raise ArtifactError(art.path, f"it holds no user dictionary: {e}", REBUILD) from e
        return cls.__new__(cls)._set((layer,), (), origin)

    def save(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:
        """Writes the dictionary, whole or not at all; :meth:`load` gives an equal one.

        Args:
            path: the file.
            format: ``"tsv"``, ``"jsonl"``, or ``"compiled"``, which is mapped instead of read;
                by default told by the extension: ``.jsonl``, ``.user``, anything else is tsv.

        Raises:
            ArgumentError: an unknown format.
            OSError: the file cannot be written.
        """
        from segmenter.lexicon import user_files

        name = os.fspath(path)
        if format is None:
            format = "compiled" if name.endswith(COMPILED) else None
        if format != "compiled":
            user_files.write(name, self, format)
            return
        if not len(self):
            artifact.write(name, KIND, {}, {"entries": 0})
            return
        sections, meta = self._one_layer().compiled()
        artifact.write(name, KIND, sections, meta)

    def dumps(self, format: str = "tsv") -> str:
        """The dictionary as text, as :meth:`save` writes it."""
        from segmenter.lexicon import user_files

        return "".join(user_files.lines_of(self, format))

    def _one_layer(self) -> _Layer:
        if len(self._layers) == 1 and not len(self._dead[0]):
            return self._layers[0]
        columns = _Columns()
        for entry in self:
            columns.add(entry)
        return columns.compile()

    def reload_if_changed(self) -> UserDictionary:
        """This dictionary, or a new one where its files are not what they were.

        Files of a folder that came or went count too.  Words added or removed since the
        dictionary was loaded stay added or removed.

        Raises:
            ArgumentError: the dictionary was not read from files that have a name.
            DictionaryError, ArtifactError, OSError: as :meth:`load`.
        """
        from segmenter.lexicon import user_files

        if not self._origin:
            raise ArgumentError(
                "reload_if_changed: this dictionary was not loaded from a file or a folder"
            )
        for origin in self._origin:
            files = user_files.files_of(origin.paths)
            if tuple((f, looks(f)) for f in files) != origin.found:
                break
        else:
            return self
        new, *more = (UserDictionary.load(o.paths, **o.options) for o in self._origin)
        for other in more:
            new = new.with_words(other)
        old = self._loaded
        if old is None:
            return new
        mine = {(e.word, e.fold, e.script): e for e in self}
        theirs = {(e.word, e.fold, e.script): e for e in old}
        removed = [key[0] for key in theirs if key not in mine]
        added = [e for key, e in mine.items() if key not in theirs or not e.same(theirs[key])]
        return new.without(removed).with_words(added)

    # --- other processes -------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Callable[..., UserDictionary], tuple[Any, ...]]:
        if (
            len(self._origin) == 1
            and len(self._layers) == 1
            and self._layers[0].art is not None
            and not len(self._dead[0])
            and len(self._origin[0].found) == 1
        ):
            path = self._origin[0].found[0][0]
            return _mapped, (os.path.abspath(path), self._layers[0].art.digest, self._origin)
        from hashlib import blake2b

        layers = [
            ({name: bytes(data) for name, data in layer.sections.items()}, layer.meta)
            for layer in self._layers
        ]
        dead = [column.tobytes() for column in self._dead]
        state = (layers, dead, self._origin)
        key = blake2b(repr(state).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return _restored, (key, *state)

    def __copy__(self) -> UserDictionary:
        return self

    def __deepcopy__(self, memo: object) -> UserDictionary:
        return self  # immutable

    def __repr__(self) -> str:
        return f"<UserDictionary: {len(self):,} words>"


def _options(fold: bool, inside: bool, script: bool) -> int:
    return (_INSIDE if inside else 0) | (_FOLD if fold else 0) | (_SCRIPT if script else 0)


def _take(
    columns: _Columns, items: Iterable[Item], fold: bool, inside: bool, script: bool
) -> None:
    if isinstance(items, (str, bytes)) or not hasattr(items, "__iter__"):
        raise wrong_type("items", items, "an iterable of words")
    items = items if isinstance(items, (list, tuple)) else list(items)
    if all(type(item) is str for item in items):
        columns.add_plain(
            items,  # type: ignore[arg-type]
            LEVELS.index("prefer") | _options(fold, inside, script),
        )
        return
    for item in items:
        columns.add(user_word(item, fold=fold, inside=inside, script=script))


def _live(columns: _Columns) -> Iterator[UserWord]:
    layer = columns.compile()
    for number in range(len(layer)):
        if layer.level(number) != _GONE:
            yield layer.entry(number)


def _shadowed(base: _Layer, entry: UserWord) -> Iterator[int]:
    """Entries of the layer that this one replaces."""
    for number in base.native.find(entry.word):
        flags = base.columns["flags"][number]
        mode = entry.fold + 2 * entry.script
        if (mode and mode == _mode(flags)) or base.native.spelling(number) == entry.word:
            yield number


def _tally(flags: bytes) -> dict[int, int]:
    return {f: flags.count(f) for f in set(flags)}


def looks(path: str) -> tuple[int, ...]:
    """What a file looks like from outside; another where it was written anew."""
    status = os.stat(path)
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def artifact_kind(path: str) -> str | None:
    """Kind of a compiled file, None for any other file."""
    with open(path, "rb") as file:
        if file.read(len(artifact.MAGIC)) != artifact.MAGIC:
            return None
    return artifact.open(path, verify=False).kind


_known: WeakValueDictionary[object, UserDictionary] = WeakValueDictionary()


def _mapped(path: str, digest: str, origin: tuple[_Origin, ...]) -> UserDictionary:
    got = _known.get((path, digest))
    if got is None:
        got = UserDictionary._map(path, True, origin)
        art = got._layers[0].art if got._layers else None
        if art is None or art.digest != digest:
            raise ArgumentError(
                f"pickle: {path} is not the dictionary that it was made with (digest "
                f"{digest[:16]}): put that file there"
            )
        _known[path, digest] = got
    return got


def _restored(
    key: bytes,
    layers: list[tuple[dict[str, bytes], dict[str, Any]]],
    dead: list[bytes],
    origin: tuple[_Origin, ...],
) -> UserDictionary:
    got = _known.get(key)
    if got is None:
        columns = tuple(array("I", raw) for raw in dead)
        got = UserDictionary.__new__(UserDictionary)._set(
            tuple(_Layer(sections, dict(meta)) for sections, meta in layers), columns, origin
        )
        _known[key] = got
    return got


__all__ = ["COMPILED", "KIND", "LEVELS", "UserDictionary", "UserWord", "user_word"]
