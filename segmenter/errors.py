"""The exceptions of the package: one base, few kinds.

Every message names the argument, the file or the line, and says what is wrong and what to do.  A
wrong *type* of argument is a plain :class:`TypeError` (see :func:`wrong_type`); all other errors
derive from :class:`SegmenterError`, so one ``except`` catches everything that this package raises
on purpose.  All can be pickled (worker processes return them): ``args`` are the constructor's
arguments and ``__str__`` makes the message.  A long argument is shortened in it
(:func:`shortened`).

>>> str(DictionaryError("words.tsv", 3, "the count 'x' is not a whole number"))
"words.tsv, line 3: the count 'x' is not a whole number"
"""

from __future__ import annotations

#: What to do about a compiled file that cannot be used.
REBUILD = (
    "rebuild it with `segmenter build lexicon ...` (a model: `segmenter train ...`) "
    "or reinstall segmenter-zh"
)


#: Characters of a quoted value that a message repeats.
_MAX_QUOTED = 200
#: Characters of a message; the longest message that lists names has some 600.
_MAX_MESSAGE = 1000


def shortened(message: str) -> str:
    """The message with at most 200 characters of every value between quotation marks.

    >>> shortened(f"pattern: {'a' * 1000!r} is too long: split it") == (
    ...     f"pattern: '{'a' * 200}…' (1,000 characters) is too long: split it"
    ... )
    True
    """
    if len(message) <= _MAX_QUOTED:
        return message
    import re

    length = re.compile(r" \([\d,]+ characters\)")  # follows a value that the kernels shortened

    def quoted(match: re.Match[str]) -> str:
        quote, quoted_text, end = match.groups()
        if len(quoted_text) <= _MAX_QUOTED or not end or length.match(message, match.end()):
            return match[0]
        return f"{quote}{quoted_text[:_MAX_QUOTED]}…{quote} ({len(quoted_text):,} characters)"

    # quotation marks, not apostrophes inside words; an unclosed quotation extends to the end
    quoted_text = r"(?<!\w)(['\"])((?:\\.|(?!\1)[^\\]|\1(?=\w))*+)(\1?)"
    message = re.sub(quoted_text, quoted, message, flags=re.DOTALL)
    if len(message) > _MAX_MESSAGE:  # values without quotation marks
        head, tail = message[:_MAX_QUOTED], message[_MAX_QUOTED - _MAX_MESSAGE :]
        return f"{head}… ({len(message):,} characters) …{tail}"
    return message


class SegmenterError(Exception):
    """Base of every exception that this package raises on purpose."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(shortened(arg) if isinstance(arg, str) else arg for arg in args))


class ArgumentError(SegmenterError, ValueError):
    """An argument of the right type has a value that cannot be used.

    The message names the argument and lists the valid values:
    ``ArgumentError("decoder='x' is not known: use one of unigram, bigram")``.
    """


class ArtifactError(SegmenterError):
    """A compiled file is damaged, truncated, foreign, of another kind or newer than this package.

    Args:
        path: the file (or the name of a buffer).
        reason: what is wrong with the file.
        remedy: what to do; by default how to rebuild the file.

    >>> print(ArtifactError("a.lex", "the file is empty", "build it again"))
    a.lex: the file is empty; build it again
    """

    def __init__(self, path: str, reason: str, remedy: str = REBUILD) -> None:
        super().__init__(path, reason, remedy)
        self.path = path
        self.reason = shortened(reason)
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}; {self.remedy}"


class ResourceError(SegmenterError, LookupError):
    """A named file (lexicon, model, word list) is not in any of the folders searched.

    The message lists these folders, in order, and the remedy.
    """


class DictionaryError(SegmenterError, ValueError):
    """A line of a dictionary, word list or corpus file cannot be used.

    Args:
        path: the file, or a name of the input (``"user words"``).
        line: line number, counted from 1; None if no single line is at fault.
        reason: what is wrong with the line and what is expected instead.
    """

    def __init__(self, path: str, line: int | None, reason: str) -> None:
        super().__init__(path, line, reason)
        self.path = path
        self.line = line
        self.reason = shortened(reason)

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"{place}: {self.reason}"


class DictionaryWarning(UserWarning):
    """A line of a dictionary was left out, as ``errors="warn"`` says."""


class EncodingError(SegmenterError, ValueError):
    """Bytes are not valid UTF-8, or not in the given encoding.

    Args:
        reason: what is wrong and what to do.
        offset: offset of the first bad byte, counted from 0, if known.
        line: line number, counted from 1, if known.
        path: the file, if there is one.

    >>> print(EncodingError("byte 0xff is not UTF-8", 17, 2, "in.txt"))
    in.txt, line 2, byte offset 17: byte 0xff is not UTF-8
    """

    def __init__(
        self,
        reason: str,
        offset: int | None = None,
        line: int | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__(reason, offset, line, path)
        self.reason = shortened(reason)
        self.offset = offset
        self.line = line
        self.path = path

    def __str__(self) -> str:
        places = [] if self.path is None else [self.path]
        if self.line is not None:
            places.append(f"line {self.line}")
        if self.offset is not None:
            places.append(f"byte offset {self.offset}")
        return f"{', '.join(places)}: {self.reason}" if places else self.reason


class MissingExtraError(SegmenterError, ImportError):
    """A feature needs a package that only an optional extra installs.

    Args:
        extra: the extra that installs it; the message lists the packages of the extra, because pip
            finds these even where this package was not installed from an index.
        package: the package that could not be imported (also in ``.name``).
        feature: the feature that needs it.

    >>> print(MissingExtraError("pinyin", "pypinyin", "pinyin"))
    pinyin needs the package pypinyin: pip install 'pypinyin>=0.50'
    """

    def __init__(self, extra: str, package: str, feature: str) -> None:
        super().__init__(extra, package, feature)
        self.extra = extra
        self.package = package
        self.feature = feature
        self.name = package

    def __str__(self) -> str:
        packages = " ".join(f"'{requirement}'" for requirement in _requirements(self.extra))
        return f"{self.feature} needs the package {self.package}: pip install " + (
            packages or f"the packages of the extra [{self.extra}] of segmenter-zh"
        )


def _requirements(extra: str) -> list[str]:
    """The packages of an extra of this distribution; empty if its metadata is missing."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        requirements = requires("segmenter-zh") or []
    except PackageNotFoundError:
        return []
    suffixes = (f'extra == "{extra}"', f"extra == '{extra}'")
    return [r.partition(";")[0].strip() for r in requirements if r.endswith(suffixes)]


def wrong_type(argument: str, value: object, expected: str) -> TypeError:
    """The TypeError for ``argument`` holding ``value`` where ``expected`` is required.

    >>> print(wrong_type("text", b"abc", "str"))
    text must be str, not bytes
    """
    return TypeError(shortened(f"{argument} must be {expected}, not {type(value).__name__}"))


def check_str(argument: str, value: object) -> None:
    """Raise a TypeError if an argument is not a str."""
    if not isinstance(value, str):
        raise wrong_type(argument, value, "str")


def check_path(argument: str, path: str) -> None:
    """Raise an ArgumentError if no file can have this path."""
    if "\0" in path:
        raise ArgumentError(f"{argument}: {path!r} contains a NUL character: give a path without")


def check_iterable(argument: str, value: object, expected: str = "an iterable of str") -> None:
    """Raise a TypeError if an argument is not iterable, or is itself a str or bytes."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise wrong_type(argument, value, expected)
