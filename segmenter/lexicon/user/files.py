"""User dictionaries as text in three formats; errors name file and line.

``tsv``
    Fields separated by tabs: the word; its level (``force``, ``prefer``, ``weight``, ``delete``),
    ``split`` with a bar between the parts of the word (``split:prefer`` for that level), or a
    number, its weight; a tag; a payload; options separated by commas (``fold``, ``inside``,
    ``script``; ``no-fold`` overrides the option of the reader).  Only the word is required; the
    default level is ``prefer``.  Blanks belong to the word.  No header, no comments.  Escapes:
    ``\\t \\n \\r \\\\``, ``\\|`` for a bar in the word of a split, ``\\uXXXX`` and ``\\UXXXXXXXX``;
    a payload that is not plain text is ``\\j`` and JSON.
``jsonl``
    A JSON object per line: ``{"word": …}`` with any of level, weight, tag, payload, parts, fold,
    inside; or a JSON string, the word.
``jieba``
    Word, weight and tag separated by blanks, as in jieba's user dictionaries; weight and tag are
    optional, and a word without a weight is preferred.

The kernels read ``tsv`` and ``jieba`` (``kernels/user/reader.hpp``), for every language.

With ``auto``, a file named ``*.jsonl`` is jsonl, and so is a text that begins with ``{"word":``.
Any other is jieba if most of the first thousand lines end in a weight, a tag or both, and otherwise
tsv.

>>> columns, report = read(b"C++\\n\\xe6\\x8f\\x90|\\xe5\\x87\\xba\\tsplit\\n", ReadOptions())
>>> [(e.word, e.level, e.parts, e.line) for e in columns.compile().live()]
[('C++', 'prefer', (), 1), ('提出', 'force', ('提', '出'), 2)]
"""

from __future__ import annotations

import json
import os
import re
import stat
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import warn

from segmenter import artifact
from segmenter.errors import (
    ArgumentError,
    DictionaryError,
    DictionaryWarning,
    check_path,
    check_str,
    wrong_type,
)
from segmenter.files.atomic import write_text
from segmenter.files.reading import naming
from segmenter.lexicon.lines import ERRORS, BadLine, LineReader
from segmenter.lexicon.user.entry import (
    COMPILED,
    LEVELS,
    OPTIONS,
    UserWord,
    as_weight,
    user_word,
    word_options,
)
from segmenter.lexicon.user.layer import LayerColumns, option_flags

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO, TypeAlias

    from segmenter.lexicon.lines import Report
    from segmenter.lexicon.user.entry import WordOptions

    FileStats: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
    #: The text of a dictionary, or its file.
    TextSource: TypeAlias = str | os.PathLike[str] | bytes | IO[bytes]

FORMATS = ("auto", "tsv", "jsonl", "jieba")
#: The extensions of the files that :meth:`UserDictionary.load` reads in a folder.
EXTENSIONS = (".tsv", ".txt", ".jsonl", COMPILED)

_MAX_WARNINGS = 20  # per file; one more sums up the rest
_JSON_ROW = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"word"\s*:')
_TO_ESCAPE = re.compile(r"[\t\n\r\\\ufeff\ud800-\udfff]")
_NO_OPTIONS: WordOptions = {}
_KEYS = frozenset(("word", "level", "weight", "tag", "payload", "parts", *OPTIONS))


class ReadOptions(NamedTuple):
    """Options for reading text; see :meth:`segmenter.lexicon.user.UserDictionary.load`."""

    format: str = "auto"
    encoding: str = "utf-8"
    errors: str = "raise"
    level: str | None = None
    words: WordOptions = _NO_OPTIONS  # for rows without options

    def checked(self) -> ReadOptions:
        """Return these options; raises ArgumentError or TypeError for an invalid one."""
        choices = {"format": FORMATS, "errors": ERRORS, "encoding": ()}
        for name, values in choices.items():
            value = getattr(self, name)
            check_str(name, value)
            if values and value not in values:
                raise ArgumentError(f"{name}: {value!r} is not one of {', '.join(values)}")
        if self.level not in (None, "force", "prefer"):
            raise ArgumentError(f"level: {self.level!r} for all rows is neither force nor prefer")
        word_options(self.words)
        return self

    def arguments(self) -> dict[str, Any]:
        """Return these options as arguments of ``load``."""
        arguments = self._asdict()
        words = arguments.pop("words")
        return {**arguments, **words}


def paths_of(source: object) -> tuple[str, ...] | None:
    """Return the paths of a source; None if it is the text itself."""
    if isinstance(source, (str, os.PathLike)):
        return (_absolute(source),)
    if isinstance(source, (bytes, bytearray, memoryview)) or hasattr(source, "read"):
        return None
    if hasattr(source, "__iter__"):
        paths = list(source)
        if not paths:
            raise TypeError("source has no path: name a file or a folder")
        if all(isinstance(p, (str, os.PathLike)) for p in paths):
            return tuple(map(_absolute, paths))
    raise wrong_type("source", source, "a path, several, bytes or a binary file")


def _absolute(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    if not name:  # would be the current folder
        raise ArgumentError("source: an empty path: name a file or a folder")
    check_path("source", name)
    return os.path.abspath(name)


def files_of(paths: Iterable[str]) -> list[str]:
    """Return the files of paths: of a folder, the files in it."""
    files = []
    for path in paths:
        if not os.path.isdir(path):
            files.append(path)
            continue
        names = sorted(n for n in os.listdir(path) if n.endswith(EXTENSIONS))
        files += [os.path.join(path, n) for n in names if not n.startswith(".")]
    return files


def file_stats(files: Iterable[str]) -> FileStats:
    """Return files with their inode, size and modification time."""
    stats = ((path, os.stat(path)) for path in files)
    return tuple((path, (s.st_ino, s.st_size, s.st_mtime_ns)) for path, s in stats)


class Origin(NamedTuple):
    """The files of a dictionary, to detect changes."""

    paths: tuple[str, ...]
    stats: FileStats
    options: dict[str, Any]

    def changed(self) -> bool:
        """Return whether files were added, removed or changed since."""
        return file_stats(files_of(self.paths)) != self.stats


def is_pipe(path: str) -> bool:
    """Return whether a path is a pipe or a device: text that can be read only once."""
    return not stat.S_ISREG(os.stat(path).st_mode)


def artifact_kind(path: str) -> str | None:
    """Return the kind of a compiled file, None for any other file."""
    if is_pipe(path):  # its first bytes would be lost to the reader of the text
        return None
    with open(path, "rb") as file, naming(path):
        if file.read(len(artifact.MAGIC)) != artifact.MAGIC:
            return None
    return artifact.open(path, verify=False).kind


def read(
    source: TextSource, options: ReadOptions, columns: LayerColumns | None = None
) -> tuple[LayerColumns, Report]:
    """Add the entries of one source of text to columns; return these and a report.

    Args:
        source: a path, bytes, or a binary file.
        options: see :meth:`segmenter.lexicon.user.UserDictionary.load`, also for errors.
        columns: receive the entries; None: new columns.
    """
    columns = LayerColumns() if columns is None else columns
    path, data = _data_of(source)
    remedy = "give the path of the file, not its bytes or a pipe"
    reader = LineReader(path, options.errors, options.encoding, data, compiled=remedy)
    format = options.format
    if format == "auto" and (path.endswith(".jsonl") or _JSON_ROW.match(reader.text)):
        format = "jsonl"
    if format == "jsonl":
        rows = len(reader.lines) + len(reader.faults)
        reader.each(lambda number, line: columns.add_entry(_of_json(line, number, path, options)))
        rows -= len(reader.faults)
    else:
        level = -1 if options.level is None else LEVELS.index(options.level)
        flags = option_flags(UserWord("", **options.words))
        with reader.reading():
            format, rows, lines, crlf, has_bom, faults = columns.read(
                reader.text, path, format, level, flags, reader.strict
            )
        reader.record(lines, crlf, has_bom, faults)
    report = reader.report(format, rows)
    if options.errors == "warn":
        for fault in report.faults[:_MAX_WARNINGS]:
            _warn(str(DictionaryError(path, fault.line, fault.reason)))
        if len(report.faults) > _MAX_WARNINGS:
            _warn(str(report))
    return columns, report


def rows(path: str, options: ReadOptions) -> tuple[list[UserWord], Report]:
    """Return every row of a file, also those that later rows replace, and the report."""
    columns, report = read(path, options)
    if not len(columns):
        return [], report
    layer = columns.compile()
    rows_by_line = {row.line: row for row in layer.live()}
    replaced_lines = {line for _, _, line in layer.replaced()}
    if replaced_lines:
        options = options._replace(format=report.format)
        reader = LineReader(path, "skip", options.encoding)
        for number, line in reader.lines:
            if number in replaced_lines:
                rows_by_line[number] = _row(line, number, path, options)
    return [rows_by_line[number] for number in sorted(rows_by_line)], report


def _row(line: str, number: int, path: str, options: ReadOptions) -> UserWord:
    """Return the entry of one valid line."""
    if options.format == "jsonl":
        return _of_json(line, number, path, options)
    columns, _ = read(line.encode("utf-8", "surrogatepass"), options._replace(encoding="utf-8"))
    return next(columns.compile().live())._replace(source=path, line=number)


def _of_json(line: str, number: int, path: str, options: ReadOptions) -> UserWord:
    """Return the entry of a line of JSON."""
    try:
        entry = _jsonl(line, options.words)
    except (ArgumentError, TypeError) as e:
        raise BadLine("entry", str(e).removeprefix("items: ")) from None
    level = options.level
    if level is not None and entry.level != "delete" and not entry.parts:
        entry = entry._replace(level=level, weight=None)
    return entry._replace(source=path, line=number)


def _warn(message: str) -> None:
    warn(message, DictionaryWarning, stacklevel=4)


def _data_of(source: TextSource) -> tuple[str, bytes | None]:
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source), None
    if isinstance(source, (bytes, bytearray, memoryview)):
        return "<bytes>", bytes(source)
    data = source.read()
    if not isinstance(data, bytes):
        raise wrong_type("source", source, "a file opened in binary mode")
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<file>", data


# --- rows of JSON --------------------------------------------------------------------------------


def _jsonl(line: str, options: WordOptions) -> UserWord:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as e:
        raise BadLine("json", f"not JSON: {e}") from None
    if isinstance(row, str):
        return user_word(row, **options)
    if not isinstance(row, dict) or "word" not in row:
        raise BadLine("json", "neither a string nor an object with a word")
    unknown = sorted(row.keys() - _KEYS)
    if unknown:
        raise BadLine("json", f"{unknown[0]!r} is not one of {', '.join(sorted(_KEYS))}")
    weight, parts = row.get("weight"), row.get("parts", [])
    row_options = {name: row[name] for name in OPTIONS if name in row}
    for name, value in row_options.items():
        if not isinstance(value, bool):
            raise BadLine("json", f"{name} must be true or false")
    if weight is not None and (isinstance(weight, bool) or not isinstance(weight, (int, float))):
        raise BadLine("json", f"weight {weight!r} is not a number")
    if not isinstance(parts, list) or not all(isinstance(p, str) for p in parts):
        raise BadLine("json", "parts is not a list of strings")
    level = row.get("level")
    if level in (None, ""):
        level = "prefer" if weight is None else "weight"
    return user_word(
        UserWord(
            row["word"],
            level,
            None if weight is None else as_weight(weight),
            row.get("tag", ""),
            row.get("payload"),
            tuple(parts),
            **{**options, **row_options},
        )
    )


# --- writing -------------------------------------------------------------------------------------


def _escape(text: str) -> str:
    def escaped(m: re.Match[str]) -> str:
        escape = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"}.get(m[0])
        return escape or f"\\u{ord(m[0]):04x}"

    return _TO_ESCAPE.sub(escaped, text)


def _tsv_row(entry: UserWord) -> str:
    word, level = _escape(entry.word), entry.level
    if entry.parts:
        word = "|".join(_escape(p).replace("|", "\\|") for p in entry.parts)
        level = "split" if level == "force" else f"split:{level}"
    elif level == "weight":
        level = repr(entry.weight)
    payload = ""
    if isinstance(entry.payload, str) and entry.payload:
        payload = _escape(entry.payload)
    elif entry.payload is not None:
        payload = "\\j" + _escape(json.dumps(entry.payload, ensure_ascii=False, sort_keys=True))
    options = ",".join(name for name in OPTIONS if getattr(entry, name))
    fields = [word, level, _escape(entry.tag), payload, options]
    while len(fields) > 2 and not fields[-1]:
        fields.pop()
    return "\t".join(fields) + "\n"


def _json_row(entry: UserWord) -> str:
    row: dict[str, Any] = {"word": entry.word, "level": entry.level}
    for name in ("weight", "tag", "payload", *OPTIONS):
        value = getattr(entry, name)
        if value is not None and value != "" and value is not False:
            row[name] = value
    if entry.payload is not None:
        row["payload"] = entry.payload
    if entry.parts:
        row["parts"] = list(entry.parts)
    text = json.dumps(row, ensure_ascii=False)
    if _PAIR.search(text):
        raise ArgumentError(
            f"format: {entry.word!r} has two adjacent surrogates, which JSON reads as one "
            "character: save it as tsv or compiled"
        )
    return _TO_ESCAPE_JSON.sub(lambda m: f"\\u{ord(m[0]):04x}", text) + "\n"


_TO_ESCAPE_JSON = re.compile(r"[\ufeff\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def lines_of(entries: Iterable[UserWord], format: str) -> Iterator[str]:
    """Return the rows of a text file, with line ends.

    Raises:
        ArgumentError: ``format`` is neither ``"tsv"`` nor ``"jsonl"``.
    """
    if format not in ("tsv", "jsonl"):
        raise ArgumentError(f"format: {format!r} is not one of tsv, jsonl, compiled")
    return map(_tsv_row if format == "tsv" else _json_row, entries)


def write(path: str, entries: Iterable[UserWord], format: str | None) -> None:
    """Write a text file, whole or not at all."""
    if format is None:
        format = "jsonl" if path.endswith(".jsonl") else "tsv"
    write_text(path, lines_of(entries, format))
