"""Compiled layers of a user dictionary: columns of entries, in memory or mapped from a file.

The kernels find the entries in the raw text (``kernels/user/tables.hpp``).
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from segmenter.errors import ArgumentError, ArtifactError, check_iterable
from segmenter.kernels import _lexicon
from segmenter.lexicon.user.entry import (
    LEVELS,
    UserWord,
    mapped_item,
    packed_payload,
    user_word,
    word_options,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from _typeshed import ReadableBuffer

    from segmenter import artifact
    from segmenter.lexicon.user.entry import Items, WordOptions

REBUILD = "build it again with `segmenter build user WORDS -o FILE.user`"

REPLACED = 7  # the level of an entry that a later one replaced
_INSIDE, _PARTS, _FOLD, _SCRIPT = 8, 16, 32, 64  # flags of an entry, as in user/tables.hpp
#: Columns of rows of any length: the numbers of entries with a row, and the starts of the rows.
_ROWS = {"parts": ("partids", "partfirst"), "payloads": ("payids", "payfirst")}
_TABLES = tuple(f"f{f}.{name}" for f in range(4) for name in _lexicon.USER_FIELDS)


def option_flags(entry: UserWord) -> int:
    """Return the options of an entry as flags."""
    flags = _FOLD if entry.fold else 0
    return flags | (_INSIDE if entry.inside else 0) | (_SCRIPT if entry.script else 0)


def _mode(flags: int) -> int:
    """Return the mode of comparison of an entry with these flags; 0: exact."""
    return (flags & _FOLD) // _FOLD | (flags & _SCRIPT) // _SCRIPT * 2


class LayerColumns(_lexicon.UserBuilder):
    """Entries to compile into a layer; of several for the same text the last one wins."""

    def __init__(self, entries: Iterable[UserWord] = ()) -> None:
        for entry in entries:
            self.add_entry(entry)

    def add_entry(self, entry: UserWord) -> None:
        """Add a checked entry."""
        word, level, weight, tag, payload, parts, _, _, source, line, _ = entry
        self.add(
            word,
            LEVELS.index(level) | option_flags(entry),
            weight or 0.0,
            tag,
            b"" if payload is None else packed_payload(entry).encode("utf-8", "surrogatepass"),
            list(accumulate(map(len, parts[:-1]))) if parts else (),
            source,
            min(line, 0xFFFFFFFF),
        )

    def layers(self) -> tuple[Layer, ...]:
        """Return a layer of these entries, or an empty tuple if there are none."""
        return (self.compile(),) if len(self) else ()

    def compile(self) -> Layer:
        """Return the layer of these entries; there must be at least one.

        Raises:
            ArgumentError: there are too many different tags or files.
        """
        try:
            return Layer(*self.sections())
        except ValueError as e:
            raise ArgumentError(f"items: {e}") from None


class Layer:
    """Compiled entries in columns, in memory or mapped."""

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
        self.art = art  # the file of mapped sections
        self.columns: dict[str, memoryview] = {}
        for name, form in _FORMS.items():
            if name in self.sections:
                flat = memoryview(self.sections[name]).cast("B")
                self.columns[name] = flat.cast(form)  # type: ignore[call-overload]
        self.native = _lexicon.UserLayer(
            sections, meta["width"], meta["lineends"], art is None, check
        )
        self.entries: int = meta["entries"]
        if art is None:
            flags = bytes(memoryview(sections["flags"]))
            n = len(flags)
            live = None if self.entries == n else [i for i in range(n) if flags[i] != REPLACED]
            meta["identity"] = list(self.native.identity(live))
        self.identity: list[int] = meta["identity"]
        if check and art is None:
            self._check_columns()

    def __len__(self) -> int:
        return len(self.columns["flags"])

    def compiled(self) -> tuple[dict[str, ReadableBuffer], dict[str, Any]]:
        """Return the sections of the file, including tables, and its metadata."""
        return {**self.sections, **self.native.tables}, self.meta

    def _check_columns(self) -> None:
        """Raise ValueError if columns that the kernels do not read are inconsistent."""
        import json

        columns, meta, n = self.columns, self.meta, len(self)
        fits = meta["entries"] == sum(f & 7 != REPLACED for f in columns["flags"])
        fits &= all(f & 7 in (*range(len(LEVELS)), REPLACED) for f in set(columns["flags"]))
        with_parts = {i for i, f in enumerate(columns["flags"]) if f & _PARTS and f & 7 != REPLACED}
        fits &= with_parts.issubset(columns.get("partids", ()))
        if meta["width"] == 4:
            fits &= max(memoryview(self.sections["text"]).cast("B").cast("I")) <= sys.maxunicode
        for name in ("tags", "sources", "lines"):
            if name in columns:
                fits &= len(columns[name]) == n
                fits &= name == "lines" or max(columns[name]) < len(meta[name])
        if "payids" in columns:
            ids, starts = list(columns["payids"]), list(columns["payfirst"])
            fits &= ids == sorted(set(ids)) and starts == sorted(starts)
            fits &= not ids or ids[-1] < n
            fits &= len(starts) == len(ids) + 1 and starts[-1] == len(columns["payloads"])
            for number in ids if fits else ():
                json.loads(str(self._row("payloads", number) or b"", "utf-8", "surrogatepass"))
        if not fits:
            raise ValueError("the columns of the user dictionary do not fit together")

    def entry(self, number: int) -> UserWord:
        """Return the entry with this number.

        Raises:
            ArtifactError: columns of the file are inconsistent; only this method reads them.
        """
        try:
            return self._entry(number)
        except (LookupError, ValueError, TypeError, RecursionError, SystemError) as e:
            if self.art is None:
                raise
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
            cuts = [0, *(self._row("parts", number) or ()), len(word)]
            parts = tuple(word[a:b] for a, b in pairwise(cuts))
        payload: object = None
        if "payids" in columns and (raw := self._row("payloads", number)) is not None:
            import json

            payload = json.loads(str(raw, "utf-8", "surrogatepass"))
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

    def _row(self, name: str, number: int) -> memoryview | None:
        ids, starts_column = _ROWS[name]
        index = index_of(self.columns[ids], number)
        starts = self.columns[starts_column]
        return self.columns[name][starts[index] : starts[index + 1]] if index >= 0 else None

    def live(self, dead: Container[int] = ()) -> Iterator[UserWord]:
        """Yield the entries, except replaced ones and those in ``dead``."""
        for number in range(len(self)):
            if number not in dead and self.level(number) != REPLACED:
                yield self.entry(number)

    def replaced(self) -> Iterator[tuple[str, str, int]]:
        """Yield word, file and line of entries that later entries of this layer replaced."""
        sources, lines = self.columns.get("sources"), self.columns.get("lines")
        for number in range(len(self)):
            if self.level(number) == REPLACED:
                source = self.meta["sources"][sources[number]] if sources is not None else ""
                line = lines[number] if lines is not None else 0
                yield self.native.spelling(number), source, line

    def level(self, number: int) -> int:
        """Return the level of an entry as an index into :data:`LEVELS`, or :data:`REPLACED`."""
        return int(self.columns["flags"][number]) & 7

    def count(self, level: int) -> int:
        """Return the number of entries of a level."""
        flags = bytes(self.columns["flags"])
        return sum(flags.count(f) for f in set(flags) if f & 7 == level)


_FORMS = {
    "flags": "B", "weights": "d", "partids": "I", "partfirst": "I", "parts": "I", "tags": "H",
    "sources": "H", "lines": "I", "payids": "I", "payfirst": "I", "payloads": "B",
}  # fmt: skip


def index_of(column: memoryview, number: int) -> int:
    """Return the index of a number in an ascending column, or -1."""
    index = bisect_left(column, number)
    return index if index < len(column) and column[index] == number else -1


def add_items(columns: LayerColumns, items: Items, options: WordOptions) -> None:
    """Add items in the forms that :func:`user_word` accepts.

    Raises:
        TypeError, ArgumentError: as :func:`user_word`; an unknown option.
    """
    options = word_options(options)
    check_iterable("items", items, "an iterable of words")
    if isinstance(items, Mapping):  # not hasattr: a column of pandas has `items` too
        items = list(map(mapped_item, items.items()))
    items = items if isinstance(items, (list, tuple)) else list(items)
    if all(type(item) is str for item in items):
        if "" in items:
            raise ArgumentError("items: an empty word")
        flags = LEVELS.index("prefer") | option_flags(UserWord("", **options))
        columns.add_plain(items, flags)  # type: ignore[arg-type]
        return
    for item in items:
        columns.add_entry(user_word(item, **options))


def shadowed(base: Layer, entry: UserWord) -> Iterator[int]:
    """Yield the numbers of the entries of a layer that an entry replaces."""
    for number in base.native.find(entry.word):
        flags = base.columns["flags"][number]
        mode = entry.fold + 2 * entry.script
        if (mode and mode == _mode(flags)) or base.native.spelling(number) == entry.word:
            yield number
