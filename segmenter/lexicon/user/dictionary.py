"""User dictionaries: immutable sets of words of any characters.

>>> words = UserDictionary(["C++", ("提|出", "split"), ("云计算", 50, "n")])
>>> words["C++"].level, words["提出"].parts, words["云计算"].weight
('prefer', ('提', '出'), 50.0)
>>> "云" in words, len(words.without(["C++"])), len(words)
(False, 2, 3)

A dictionary has one or two compiled layers of entries.  The small second one has the latest
additions, so that one more word costs about the square root of the dictionary's size; when it
grows, both are merged.  The kernels find the entries in the raw text (``kernels/user/find.hpp``).
"""

from __future__ import annotations

import math
import os
from array import array
from itertools import chain
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from segmenter import artifact
from segmenter.artifact.packing import path_of
from segmenter.choices import one_of
from segmenter.errors import (
    ArgumentError,
    ArtifactError,
    check_iterable,
    check_str,
)
from segmenter.kernels import _lexicon
from segmenter.lexicon.user.entry import COMPILED, LEVELS, OPTIONS, UserWord
from segmenter.lexicon.user.layer import REBUILD, Layer, LayerColumns, add_items, index_of, shadowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Unpack

    from segmenter.lexicon.lines import Report
    from segmenter.lexicon.user.check import Finding
    from segmenter.lexicon.user.entry import Items, WordOptions
    from segmenter.lexicon.user.files import Origin, TextSource

KIND = "user"


def _by_text(entries: Iterable[UserWord]) -> dict[tuple[str, bool, bool], UserWord]:
    """Return entries by the texts that they match."""
    return {(entry.word, entry.fold, entry.script): entry for entry in entries}


class UserDictionary:
    """User words: an immutable value that any number of Segmenters may share.

    Args:
        items: words, in the forms that :func:`user_word` accepts.  A later item for the same word
            replaces an earlier one.
        fold: ignore width and case; the three options apply to items without options.
        inside: words may begin or end inside a longer run of letters or digits.
        script: treat Traditional, Hong Kong and Taiwan forms of a character as equal.

    Attributes:
        reports: a report on each file read, with its faults.

    Raises:
        TypeError, ArgumentError: as :func:`user_word`.

    >>> words = UserDictionary([("卡拉OK", "force")]).with_words(["iPhone 15"])
    >>> [entry.word for entry in words], words.get("c") is None
    (['卡拉OK', 'iPhone 15'], True)
    """

    __slots__ = (
        "__weakref__", "_dead", "_layers", "_loaded", "_native", "_origin", "reports",
    )  # fmt: skip

    def __init__(self, items: Items = (), **options: Unpack[WordOptions]) -> None:
        columns = LayerColumns()
        add_items(columns, items, options)
        self._set(columns.layers())

    def _set(
        self,
        layers: tuple[Layer, ...],
        dead: tuple[array[int], ...] = (),
        origin: tuple[Origin, ...] = (),
        loaded: UserDictionary | None = None,
        reports: tuple[Report, ...] = (),
    ) -> UserDictionary:
        self._layers = layers
        self._dead = dead or tuple(array("I") for _ in layers)
        self._origin = origin
        self._loaded = loaded
        self.reports = reports
        self._native: _lexicon.UserWords | None = None
        return self

    @property
    def native(self) -> _lexicon.UserWords | None:
        """The words for the kernels; None if there are none."""
        if self._native is None and len(self):
            self._native = _lexicon.UserWords([layer.native for layer in self._layers], self._dead)
        return self._native

    @property
    def tagged(self) -> bool:
        """Whether any word may have a tag, including removed words."""
        return any("tags" in layer.columns for layer in self._layers)

    # --- other values ----------------------------------------------------------------------------

    def with_words(self, items: Items, **options: Unpack[WordOptions]) -> UserDictionary:
        """Return this dictionary with more words, which replace equal ones.

        For ``fold``, ``inside`` and ``script`` see :class:`UserDictionary`.

        Raises:
            TypeError, ArgumentError: as :func:`user_word`.
        """
        if isinstance(items, UserDictionary) and not (len(self) or self._origin):
            return items
        new = LayerColumns()
        add_items(new, items, options)
        result = self._with(new) if len(new) else self._derived(self._layers, self._dead)
        if isinstance(items, UserDictionary) and items._origin:
            # the result also watches the files of the other dictionary
            loaded = self._loaded or (self if self._origin else UserDictionary())
            result._loaded = loaded.with_words(list(items._loaded or items))
            result._origin = self._origin + items._origin
        return result

    def _with(self, new: LayerColumns) -> UserDictionary:
        if not self._layers:
            return self._derived((new.compile(),), ())
        base, dead = self._layers[0], set(self._dead[0])
        recent = LayerColumns(self._entries(1))
        for entry in new.compile().live():
            recent.add_entry(entry)
            dead.update(shadowed(base, entry))
        # the cost of a merge is the whole size, that of a word the size of the small layer: merge
        # every sqrt(2n) words
        limit = 64 + math.isqrt(2 * len(base))
        if base.art is not None:
            limit = max(limit, len(base) // 4)
        if len(recent) > limit:
            merged = LayerColumns(chain(base.live(dead), recent.compile().live()))
            return self._derived((merged.compile(),), ())
        return self._derived((base, recent.compile()), (array("I", sorted(dead)), array("I")))

    def without(self, words: Iterable[str]) -> UserDictionary:
        """Return this dictionary without some words; words that it lacks are ignored.

        Removing an entry of level ``"delete"`` brings the lexicon's word back.

        Raises:
            TypeError: ``words`` is a str, or an item is not a str.
        """
        check_iterable("words", words)
        dead = [set(column) for column in self._dead]
        n_removed = sum(map(len, dead))
        for word in words:
            check_str("words: a word", word)
            if not word:
                continue
            for layer, removed in zip(self._layers, dead, strict=True):
                removed.update(layer.native.find(word))
        if sum(map(len, dead)) == n_removed:
            return self
        columns = tuple(array("I", sorted(removed)) for removed in dead)
        result = self._derived(self._layers, columns)
        return result if len(result) else self._derived((), ())

    def _derived(self, layers: tuple[Layer, ...], dead: tuple[array[int], ...]) -> UserDictionary:
        loaded = self._loaded or (self if self._origin else None)
        return UserDictionary.__new__(UserDictionary)._set(
            layers, dead, self._origin, loaded, self.reports
        )

    # --- looking up ------------------------------------------------------------------------------

    def get(self, word: str, default: UserWord | None = None) -> UserWord | None:
        """Return the entry of a word; the options of the entry decide how words are compared."""
        check_str("word", word)
        for layer, dead in zip(reversed(self._layers), reversed(self._dead), strict=True):
            for number in layer.native.find(word) if word else ():
                if index_of(memoryview(dead), number) < 0:
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
        if layer < len(self._layers):
            yield from self._layers[layer].live(set(self._dead[layer]))

    def __len__(self) -> int:
        return sum(layer.entries for layer in self._layers) - sum(map(len, self._dead))

    def entry(self, layer: int, number: int) -> UserWord:
        """Return the entry of a token, by layer and number."""
        return self._layers[layer].entry(number)

    def count(self, level: str) -> int:
        """Return the number of entries of a level.

        Raises:
            ArgumentError: an unknown level.
        """
        one_of("level", level, LEVELS)
        level_number = LEVELS.index(level)
        total = 0
        for layer, dead in zip(self._layers, self._dead, strict=True):
            removed = sum(layer.level(number) == level_number for number in dead)
            total += layer.count(level_number) - removed
        return total

    @property
    def digest(self) -> str:
        """Identity of what entries do to boundaries: 32 hexadecimal digits, or "".

        Equal for equal entries, whatever the order or steps of their addition.
        """
        if not len(self):
            return ""
        sums = [0, 0]
        for layer, dead in zip(self._layers, self._dead, strict=True):
            removed = layer.native.identity(dead)
            for k in range(2):
                sums[k] += layer.identity[k] - removed[k]
        return "".join(f"{value % (1 << 64):016x}" for value in sums)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, UserDictionary):
            return NotImplemented
        if len(self) != len(other) or self.digest != other.digest:
            return False
        mine, theirs = _by_text(self), _by_text(other)
        return all(key in theirs and e.same(theirs[key]) for key, e in mine.items())

    def __hash__(self) -> int:
        return hash(self.digest)

    # --- files -----------------------------------------------------------------------------------

    @classmethod
    def load(
        cls,
        source: TextSource | Iterable[str | os.PathLike[str]],
        *,
        format: str = "auto",
        encoding: str = "utf-8",
        errors: str = "raise",
        level: str | None = None,
        verify: bool = True,
        **words: Unpack[WordOptions],
    ) -> UserDictionary:
        """Load a dictionary from one or several files, a folder, bytes or a binary file object.

        Args:
            source: compiled files are mapped, others read.  Of a folder, all files named ``*.tsv``,
                ``*.txt``, ``*.jsonl`` and ``*.user``, by name.  Later files win.
            format: ``"tsv"``, ``"jsonl"``, ``"jieba"`` or ``"auto"``: see
                :mod:`segmenter.lexicon.user.files`.
            encoding: the encoding of text files; a byte order mark is dropped.
            errors: ``"raise"`` stops at the first bad line; ``"warn"`` leaves bad lines out with a
                :class:`DictionaryWarning` each, ``"skip"`` silently; either way :attr:`reports`
                lists and counts them.
            level: a level for every row, except splits and deletions, instead of its own.
            verify: check every byte of compiled files against their checksums.
            fold, inside, script: see :class:`UserDictionary`; for rows without options.

        Raises:
            DictionaryError: a bad line; names file, line and reason.
            ArtifactError: a compiled file is damaged, foreign or newer than this package.
            ArgumentError: an unknown option.
            OSError: a file cannot be read.
        """
        from segmenter.lexicon.user import files as texts

        options = texts.ReadOptions(format, encoding, errors, level, words).checked()
        paths = texts.paths_of(source)
        if paths is None:
            columns, report = texts.read(source, options)  # type: ignore[arg-type]
            return cls.__new__(cls)._set(columns.layers(), reports=(report,))
        files = texts.files_of(paths)
        arguments = {**options.arguments(), "verify": verify}
        origin: tuple[Origin, ...] = ()
        if not any(map(texts.is_pipe, files)):  # a pipe cannot be read again
            origin = (texts.Origin(paths, texts.file_stats(files), arguments),)
        if len(files) == 1 and texts.artifact_kind(files[0]) is not None:
            return cls._map(files[0], verify, origin)
        columns, reports = LayerColumns(), []
        for file in files:
            if texts.artifact_kind(file) is not None:
                for entry in cls._map(file, verify, ()):
                    columns.add_entry(entry)
            else:
                reports.append(texts.read(file, options, columns)[1])
        return cls.__new__(cls)._set(columns.layers(), (), origin, None, tuple(reports))

    @classmethod
    def _map(cls, path: str, verify: bool, origin: tuple[Origin, ...]) -> UserDictionary:
        art = artifact.open(path, KIND, verify)
        sections = {name: art.section(name) for name in art.names()}
        try:
            meta = _lexicon.read_user_meta(art.meta_bytes, len(sections.get("flags", b"")))
            if not meta["entries"]:
                return cls.__new__(cls)._set((), (), origin)
            layer = Layer(sections, meta, art, verify)
        except (KeyError, ValueError, TypeError, OverflowError) as e:
            raise ArtifactError(art.path, f"it is not a user dictionary: {e}", REBUILD) from e
        return cls.__new__(cls)._set((layer,), (), origin)

    def save(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:
        """Write the dictionary, whole or not at all; :meth:`load` returns an equal one.

        Args:
            path: the file.
            format: ``"tsv"``, ``"jsonl"``, or ``"compiled"``, which is mapped instead of read.  By
                default the extension decides: ``.jsonl``, ``.user``; any other is tsv.

        Raises:
            ArgumentError: an unknown format.
            OSError: the file cannot be written.
        """
        from segmenter.lexicon.user import files as texts

        name = path_of(path)
        if format is None:
            format = "compiled" if name.endswith(COMPILED) else None
        if format != "compiled":
            texts.write(name, self, format)
            return
        if not len(self):
            artifact.write(name, KIND, {}, {"entries": 0})
            return
        sections, meta = self._one_layer().compiled()
        artifact.write(name, KIND, sections, meta)

    def dumps(self, format: str = "tsv") -> str:
        """Return the dictionary as text, as :meth:`save` writes it."""
        from segmenter.lexicon.user import files as texts

        return "".join(texts.lines_of(self, format))

    def _one_layer(self) -> Layer:
        if len(self._layers) == 1 and not len(self._dead[0]):
            return self._layers[0]
        return LayerColumns(self).compile()

    def reload_if_changed(self) -> UserDictionary:
        """Return this dictionary, or a new one if its files have changed.

        Files added to or removed from a folder count as changes.  Words added or removed in the
        program stay added or removed.

        Raises:
            ArgumentError: the dictionary was not read from named files.
            DictionaryError, ArtifactError, OSError: as :meth:`load`.
        """
        if not self._origin:
            raise ArgumentError(
                "reload_if_changed: this dictionary was not loaded from a file or a folder (a pipe "
                "cannot be read again): use "
                "UserDictionary.load"
            )
        if not any(origin.changed() for origin in self._origin):
            return self
        new, *others = (UserDictionary.load(o.paths, **o.options) for o in self._origin)
        for dictionary in others:
            new = new.with_words(dictionary)
        old = self._loaded
        if old is None:
            return new
        mine, loaded = _by_text(self), _by_text(old)
        removed = [key[0] for key in loaded if key not in mine]
        added = [e for key, e in mine.items() if key not in loaded or not e.same(loaded[key])]
        return new.without(removed).with_words(added)

    def check(self) -> list[Finding]:
        """Return the faults of the words: valid entries that probably do not mean what they say.

        The files of the dictionary are read again to find rows that later rows replaced.
        :mod:`segmenter.lexicon.user.check` lists the kinds of faults.

        Raises:
            OSError: a file cannot be read any more.

        >>> [fault.kind for fault in UserDictionary(["云计算 ", "的"]).check()]
        ['blank', 'single']
        """
        from segmenter.lexicon.user import check
        from segmenter.lexicon.user import files as texts

        findings: list[Finding] = []
        rows: list[UserWord] = []
        forms: dict[str, str] = {}
        for origin in self._origin:
            arguments = {k: v for k, v in origin.options.items() if k != "verify"}
            words: Any = {k: arguments.pop(k) for k in OPTIONS if k in arguments}
            options = texts.ReadOptions(**{**arguments, "errors": "skip"}, words=words)
            for file in texts.files_of(origin.paths):
                if texts.artifact_kind(file) is not None:
                    rows += UserDictionary._map(file, True, ())
                    continue
                file_rows, report = texts.rows(file, options)
                findings += check.unreadable(report)
                forms[file] = report.format
                rows += file_rows
        for report in self.reports if not self._origin else ():
            findings += check.unreadable(report)
            forms[report.path] = report.format
        rows = [row for row in rows if row.word in self]
        reread = {row.source for row in rows} | set(forms if self._origin else ())
        for layer, dead in zip(self._layers, self._dead, strict=True):
            rows += (row for row in layer.live(set(dead)) if row.source not in reread)
            findings += (
                check.Finding(source, line, "duplicate", word, check.REPLACED.format(word))
                for word, source, line in layer.replaced()
                if source not in reread
            )
        findings += check.check_rows(rows, forms)
        files = {source: k for k, source in enumerate(dict.fromkeys(f.source for f in findings))}
        return sorted(findings, key=lambda f: (files[f.source], f.line))

    # --- other processes -------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Callable[..., UserDictionary], tuple[Any, ...]]:
        if (
            len(self._origin) == 1
            and len(self._layers) == 1
            and self._layers[0].art is not None
            and not len(self._dead[0])
            and len(self._origin[0].stats) == 1
        ):
            path = self._origin[0].stats[0][0]
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


_unpickled: WeakValueDictionary[object, UserDictionary] = WeakValueDictionary()


def _mapped(path: str, digest: str, origin: tuple[Origin, ...]) -> UserDictionary:
    dictionary = _unpickled.get((path, digest))
    if dictionary is None:
        dictionary = UserDictionary._map(path, True, origin)
        art = dictionary._layers[0].art if dictionary._layers else None
        if art is None or art.digest != digest:
            raise ArgumentError(
                f"pickle: {path} is not the dictionary that was pickled (digest {digest[:16]}): "
                "put that file there"
            )
        _unpickled[path, digest] = dictionary
    return dictionary


def _restored(
    key: bytes,
    layers: list[tuple[dict[str, bytes], dict[str, Any]]],
    dead: list[bytes],
    origin: tuple[Origin, ...],
) -> UserDictionary:
    dictionary = _unpickled.get(key)
    if dictionary is None:
        try:
            restored = tuple(Layer(sections, dict(meta), check=True) for sections, meta in layers)
            columns = tuple(array("I", raw) for raw in dead)
            for layer, column in zip(restored, columns, strict=True):
                if list(column) != sorted(set(column)) or (column and column[-1] >= len(layer)):
                    raise ValueError("the columns of the user dictionary do not fit together")
        except (LookupError, ValueError, TypeError, OverflowError, RecursionError) as e:
            raise ArgumentError(
                f"pickle: the dictionary in it is damaged: {e}; pickle the words again"
            ) from e
        dictionary = UserDictionary.__new__(UserDictionary)._set(restored, columns, origin)
        _unpickled[key] = dictionary
    return dictionary
