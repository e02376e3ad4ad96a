"""Reading lexicons and n-gram counts as text, with every fault named by file and line.

Two formats, both UTF-8, one word per line, no header, no comments (``#`` is a word like any other):

``tsv``
    word, count, tag between tabs; count (1 if it is left out) and tag are optional.  Blanks belong
    to the word: ``iPhone 15`` is one.
``jieba``
    word, count, tag between blanks, as in jieba's ``dict.txt`` and user dictionaries; count and tag
    are optional, and ``word tag`` is taken as well.  Of two equal words the last one counts, as in
    jieba (its own ``dict.txt`` has one word twice, ``dict.txt.big`` more than a thousand).

Which of them a file is in is decided by most of its first thousand lines, never by one line; a line
in the other form is then a fault.  A file of commas is neither and is refused.

In a words file the rows ``<num>``, ``<date>``, ``<latin>`` and ``<unk>`` give the counts of these
classes of tokens.  N-gram files are ``tsv``: two or three words and a count.
"""

from __future__ import annotations

import math
import os
import re
from itertools import islice
from typing import NamedTuple

from segmenter.errors import ArgumentError, DictionaryError, wrong_type

FORMATS = ("auto", "tsv", "jieba")
ERRORS = ("raise", "warn", "skip")
KINDS = ("<num>", "<date>", "<latin>", "<unk>")

_BOM = b"\xef\xbb\xbf"
_SAMPLE = 1000  # lines that decide the format
_LONGEST = 255  # characters: longer lines of a word list are running text
_BLANKS = re.compile(r"[ \t]+")
_CLASS = re.compile(r"<[a-z]+>")
_JIEBA = re.compile(r"(.*?\S)(?:[ \t]+([0-9][0-9.]*))?(?:[ \t]+([A-Za-z]\w*))?[ \t]*")
_CSV = re.compile(r'[^,\t]+,\s*"?[0-9.]+"?\s*(?:,[^,\t]*)*')
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")


class Fault(NamedTuple):
    """A line that was left out, and why."""

    line: int
    kind: str
    reason: str


class Report(NamedTuple):
    """What was found in a file.

    Attributes:
        path: the file.
        format: the format that it was read in.
        lines: lines of the file, empty ones too.
        rows: rows that were taken.
        faults: lines that were left out.
        notes: harmless findings about the whole file, such as a byte order mark.
    """

    path: str
    format: str
    lines: int
    rows: int
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]

    def counts(self) -> dict[str, int]:
        """Faults by kind."""
        out: dict[str, int] = {}
        for fault in self.faults:
            out[fault.kind] = out.get(fault.kind, 0) + 1
        return out

    def __str__(self) -> str:
        text = f"{self.path}: {self.lines:,} lines read as {self.format}, {self.rows:,} rows taken"
        if self.faults:
            listed = ", ".join(f"{kind} {n:,}" for kind, n in sorted(self.counts().items()))
            text += f", {len(self.faults):,} lines left out ({listed})"
        return "".join([text, *(f"; {note}" for note in self.notes)])


class WordTable(NamedTuple):
    """What :func:`read_words` gives: (word, count, tag), counts of classes, and the report."""

    entries: list[tuple[str, float, str]]
    kinds: dict[str, float]
    report: Report


class Ngrams(NamedTuple):
    """What :func:`read_ngrams` gives: rows of n words and a count, and the report."""

    rows: list[tuple[str | float, ...]]
    report: Report


class LineReader:
    """Lines of one file, decoded one by one so that a bad one is named; collects faults.

    Args:
        path: the file, or with ``data`` what to call it.
        errors: one of :data:`ERRORS`.
        encoding: of the text.
        data: what is read instead of the file.
        skippable: a fault that stops says that ``errors`` can leave such lines out.

    Attributes:
        lines: number and text of the lines that hold something, without their ends.
        total: lines of the file, empty ones too.

    Raises:
        DictionaryError: a line that is not in that encoding, with ``errors="raise"``.
        ArgumentError: an unknown ``errors`` or ``encoding``.
        OSError: the file cannot be read.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        errors: str,
        encoding: str = "utf-8",
        data: bytes | None = None,
        *,
        skippable: bool = False,
    ) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise wrong_type("path", path, "str or a path")
        if errors not in ERRORS:
            raise ArgumentError(f"errors: {errors!r} is not one of {', '.join(ERRORS)}")
        if not isinstance(encoding, str):
            raise wrong_type("encoding", encoding, "str")
        self.path = os.fspath(path)
        self.strict = errors == "raise"
        self._hint = ", or leave such lines out with errors='skip'" if skippable else ""
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.lines: list[tuple[int, str]] = []
        self.total = 0
        try:
            import codecs

            self._encoding = codecs.lookup(encoding).name
            by_lines = "\n".encode(encoding) == b"\n"
        except UnicodeError:
            by_lines = False
        except (LookupError, ValueError):  # ValueError: a NUL in the name
            raise ArgumentError(
                f"encoding: {encoding!r} is not known: use utf-8, gb18030, big5, utf-16 or "
                "another name that Python knows"
            ) from None
        if data is None:
            with open(self.path, "rb") as file:
                data = file.read()
        if not by_lines:
            data = self._recoded(data)
        self._read(data)

    def fault(self, line: int, kind: str, reason: str) -> None:
        """Notes a line that is left out, or stops there (``errors="raise"``)."""
        if self.strict:
            raise DictionaryError(self.path, line, reason + self._hint)
        self.faults.append(Fault(line, kind, reason))

    def _recoded(self, data: bytes) -> bytes:
        # encodings whose line ends are no single byte are decoded whole
        try:
            text = data.decode(self._encoding)
        except UnicodeDecodeError as e:
            raise DictionaryError(
                self.path, None, f"byte {e.start} is not {self._encoding}: {e.reason}"
            ) from e
        except UnicodeError as e:  # of codecs that do not say where
            raise DictionaryError(self.path, 1, f"the file is not {self._encoding}: {e}") from e
        self._encoding = "utf-8"
        return text.encode("utf-8", "surrogatepass")

    def _read(self, data: bytes) -> None:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff") and self._encoding == "utf-8":
            raise DictionaryError(
                self.path, 1, "the file is UTF-16: save it as UTF-8 (iconv -f utf-16 -t utf-8)"
            )
        if data.startswith(_BOM):
            data = data[len(_BOM) :]
            self.notes.append("a byte order mark at its head was passed over")
        rows = data.split(b"\n")
        if not rows[-1]:
            rows.pop()
        ends = 0
        for number, raw in enumerate(rows, 1):
            if raw.endswith(b"\r"):
                raw = raw[:-1]
                ends += 1
            try:
                line = raw.decode(self._encoding)
            except UnicodeDecodeError as e:
                self.fault(number, "encoding", _not_decoded(raw, e, self._encoding))
                continue
            if number == 1 and line[:1] == "\ufeff":  # one of another encoding than UTF-8
                line = line[1:]
            if line and not line.isspace():
                self.lines.append((number, line))
        self.total = len(rows)
        if ends:
            self.notes.append(f"lines that end with CR LF: {ends:,} (read like LF)")

    def report(self, format: str, rows: int) -> Report:
        """What was found, ``rows`` lines being taken."""
        faults = tuple(sorted(self.faults))
        return Report(self.path, format, self.total, rows, faults, tuple(self.notes))


def _not_decoded(raw: bytes, error: UnicodeDecodeError, encoding: str) -> str:
    name = "UTF-8" if encoding == "utf-8" else encoding
    what = f"byte 0x{raw[error.start]:02x} (byte {error.start + 1} of the line) is not {name}"
    if encoding != "utf-8":
        return f"{what}: name the file's own encoding"
    try:
        as_gbk = raw.decode("gb18030")
    except UnicodeDecodeError:
        return f"{what}: save the file as UTF-8"
    return (
        f"{what}; as GB18030 (GBK) the line reads {as_gbk[:20]!r}: convert the file with "
        "iconv -f gb18030 -t utf-8"
    )


def read_words(
    path: str | os.PathLike[str], *, format: str = "auto", errors: str = "raise"
) -> WordTable:
    """Reads a word list.

    Args:
        path: the file.
        format: ``"tsv"``, ``"jieba"``, or ``"auto"``, by the look of the first thousand lines:
            jieba where more of them look like ``word count tag`` than have tabs, else tsv.
        errors: ``"raise"`` stops at the first fault; ``"warn"`` and ``"skip"`` leave the faulty
            lines out and list them in the report (who asked for ``"warn"`` wants to see them).

    Faults are: bytes that are not UTF-8, no word, too many fields, ``word count tag`` between
    blanks in a file that ``"auto"`` found to be tsv, a count that is not a number of at least 0, a
    word that stands there already (in ``"jieba"`` the last one counts, and the report notes how
    many there were), a class that is not known, control characters or U+FFFD in a word, a word of
    more than 255 characters.

    Raises:
        DictionaryError: a fault, with ``errors="raise"``; a file in UTF-16, or of commas.
        ArgumentError: an unknown ``format`` or ``errors``.
        OSError: the file cannot be read.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "words.tsv")
    >>> _ = open(p, "w", encoding="utf-8").write("的\\t9\\tu\\n<num>\\t3\\niPhone 15\\n")
    >>> words = read_words(p)
    >>> words.entries, words.kinds
    ([('的', 9.0, 'u'), ('iPhone 15', 1.0, '')], {'<num>': 3.0})
    """
    if format not in FORMATS:
        raise ArgumentError(f"format: {format!r} is not one of {', '.join(FORMATS)}")
    reader = LineReader(path, errors, skippable=True)
    guessed = format == "auto"
    if guessed:
        format = _guess(reader)
    entries: list[tuple[str, float, str]] = []
    kinds: dict[str, float] = {}
    seen: dict[str, int] = {}
    at: dict[str, int] = {}  # where a word stands in `entries`
    again = 0
    for number, line in reader.lines:
        if guessed and format == "tsv" and "\t" not in line and is_jieba(line):
            reader.fault(
                number,
                "form",
                f"{line[:40]!r} has blanks between its fields, other lines have tabs or none: "
                "write tabs, or name the form (--format tsv takes it for one word)",
            )
            continue
        word, count_text, tag, extra = _fields(line, format)
        if extra:
            reader.fault(
                number,
                "fields",
                f"{line[:40]!r} has more fields than word, count, tag"
                + (": write words with blanks in them as tsv" if format == "jieba" else ""),
            )
            continue
        fault = _word_fault(word)
        if fault is not None:
            reader.fault(number, *fault)
            continue
        count = 1.0
        if count_text:
            value = _count(count_text)
            if value is None:
                reader.fault(number, "count", _COUNT.format(count_text, word))
                continue
            count = value
        if word in seen and format == "jieba":
            again += 1
            if word in at:
                entries[at[word]] = (word, count, tag)
            else:
                kinds[word] = count
            seen[word] = number
            continue
        if word in seen:
            reader.fault(
                number,
                "duplicate",
                f"{word!r} stands in line {seen[word]} already: keep one of them",
            )
            continue
        if _CLASS.fullmatch(word):
            if word not in KINDS:
                reader.fault(
                    number,
                    "class",
                    f"{word!r} is not a class of tokens that words can have: {', '.join(KINDS)}",
                )
                continue
            kinds[word] = count
        else:
            at[word] = len(entries)
            entries.append((word, count, tag))
        seen[word] = number
    if again:
        reader.notes.append(f"words that stood there before: {again:,} (the last one counts)")
    return WordTable(entries, kinds, reader.report(format, len(seen)))


_COUNT = "the count {!r} of {!r} is not a number of at least 0: correct it or leave it out"


def is_jieba(line: str) -> bool:
    """Whether a line has a count and a tag after its word, or one of them after a word that they
    cannot belong to: not ``iPhone 15``.

    >>> [is_jieba(line) for line in ("研究 100 v", "研究 100", "iPhone 15", "New York", "研究")]
    [True, True, False, False, False]
    """
    m = _JIEBA.fullmatch(line.strip())
    if m is None:
        return False
    word, count, tag = m.groups()
    return bool((count and tag) or ((count or tag) and not word[-1].isascii()))


def _guess(reader: LineReader) -> str:
    sample = list(islice(reader.lines, _SAMPLE))
    tabs = sum("\t" in line for _, line in sample)
    rows = sum("\t" not in line and is_jieba(line) for _, line in sample)
    commas = [number for number, line in sample if _CSV.fullmatch(line)]
    if len(commas) * 2 > len(sample):
        raise DictionaryError(
            reader.path,
            commas[0],
            "the file has commas between its fields: write word, count, tag between tabs, or give "
            "--format tsv if the commas belong to the words",
        )
    if tabs or rows:
        return "jieba" if rows > tabs else "tsv"
    # short words of letters and their counts: "iPhone 15" is one, unless all lines are like that
    blanks = [line for _, line in sample if " " in line.strip()]
    return "jieba" if blanks and all(map(_of_jieba, blanks)) else "tsv"


def _of_jieba(line: str) -> bool:
    m = _JIEBA.fullmatch(line.strip())
    return m is not None and " " not in m[1]


def _fields(line: str, format: str) -> tuple[str, str, str, bool]:
    """Word, count, tag, and whether there is more."""
    if format == "tsv":
        fields = [field.strip(" ") for field in line.split("\t")]
        while len(fields) > 3 and not fields[-1]:
            fields.pop()
    else:
        fields = [field for field in _BLANKS.split(line.strip()) if field]  # U+3000 is of the word
        if len(fields) == 2 and fields[1][0].isalpha() and fields[1].isascii():
            fields.insert(1, "")
    extra = len(fields) > 3
    word, count, tag = (*fields[:3], "", "", "")[:3]
    return word, count, tag, extra


def _word_fault(word: str) -> tuple[str, str] | None:
    if not word:
        return "word", "the line has no word in its first field"
    if len(word) > _LONGEST:
        return "word", f"{word[:10]!r}… is {len(word)} characters long; {_LONGEST} is the most"
    bad = CONTROL.search(word)
    if bad is not None:
        what = (
            "the replacement character U+FFFD: it was damaged when it was converted"
            if bad[0] == "\ufffd"
            else f"the control character U+{ord(bad[0]):04X}"
        )
        return "word", f"{word!r} holds {what}; correct the word or take it out"
    return None


def _count(text: str) -> float | None:
    # float() knows "1_000", "nan" and digits of every script
    if not text.isascii() or "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < math.inf else None


def read_ngrams(path: str | os.PathLike[str], n: int, *, errors: str = "raise") -> Ngrams:
    """Reads bigrams (``n=2``) or trigrams (``n=3``): words and a count between tabs.

    Beside words a field may be a class (``<num>``, ``<date>``, ``<latin>``, ``<unk>``) or ``<s>``,
    begin and end of a sentence; the last word of a bigram also ``<any>``: how often the first
    stands before anything.  A row that is there twice counts twice.

    Raises:
        DictionaryError: a fault, with ``errors="raise"``.
        ArgumentError: another ``n`` or ``errors``.
        OSError: the file cannot be read.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "bigrams.tsv")
    >>> _ = open(p, "w", encoding="utf-8").write("<s>\\t他\\t4\\n")
    >>> read_ngrams(p, 2).rows
    [('<s>', '他', 4.0)]
    """
    if n not in (2, 3):
        raise ArgumentError(f"n: {n!r} is neither 2 nor 3")
    known = (*KINDS, "<s>")
    reader = LineReader(path, errors)
    rows: list[tuple[str | float, ...]] = []
    for number, line in reader.lines:
        *words, count = line.split("\t")
        if len(words) != n:
            reader.fault(
                number,
                "fields",
                f"{line[:40]!r} is not {n} words and a count between tabs ({n + 1} fields)",
            )
            continue
        value = _count(count)
        if value is None:
            reader.fault(number, "count", _COUNT.format(count, " ".join(words)))
            continue
        fault = next(filter(None, map(_word_fault, words)), None)
        if fault is not None:
            reader.fault(number, *fault)
            continue
        named = words[:-1] if n == 2 and words[-1] == "<any>" else words
        strange = [w for w in named if _CLASS.fullmatch(w) and w not in known]
        if strange:
            listed = ", ".join(known)
            reader.fault(
                number, "class", f"{strange[0]!r} is not one of {listed} (or <any>, last of two)"
            )
            continue
        rows.append((*words, value))
    return Ngrams(rows, reader.report("tsv", len(rows)))
