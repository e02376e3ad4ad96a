"""Entries of ``tokenizer.json``: validation of their fields, and steps by type.

Entries from untrusted files are validated here before a step is created, so that a field of the
wrong form is reported on opening the file and does not become a TypeError when a text is encoded.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Self

    Config = dict[str, Any]
    Form = Callable[[Any], bool]

StepT = TypeVar("StepT", bound="Step")

#: The largest id, type or count of a file.
MOST = (1 << 31) - 1


def _bool(value: Any) -> bool:
    return isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST


def _number(value: Any) -> bool:
    return type(value) is float or (type(value) is int and abs(value) <= 1 << 53)


def _or_none(form: Form) -> Form:
    return lambda value: value is None or form(value)


def _list(form: Form) -> Form:
    return lambda value: isinstance(value, list) and all(map(form, value))


def _any(value: Any) -> bool:
    return True


def _pattern(value: Any) -> bool:
    return isinstance(value, dict) and any(_text(value.get(k)) for k in ("Regex", "String"))


def _has_ids(value: Any) -> bool:
    return isinstance(value, dict) and _list(_count)(value.get("ids"))


def _pair(first: Form, second: Form) -> Form:
    return lambda value: (
        isinstance(value, list) and len(value) == 2 and first(value[0]) and second(value[1])
    )


def _either(*forms: Form) -> Form:
    return lambda value: any(form(value) for form in forms)


def _each(form: Form) -> Form:
    return lambda value: isinstance(value, dict) and all(map(form, value.values()))


def _template(value: Any) -> bool:
    """A list of objects like ``{"Sequence": {"id": "A", "type_id": 0}}``."""

    def row(entry: Any) -> bool:
        if not isinstance(entry, dict) or len(entry) != 1:
            return False
        inner = next(iter(entry.values()))
        return isinstance(inner, dict) and _text(inner.get("id")) and _count(inner.get("type_id"))

    return _list(row)(value)


_vocabulary = _either(_each(_count), _list(_pair(_text, _number)))
_STEPS = (_list(_any), "a list of steps")
_YES = (_bool, "true or false")
_TEXT = (_text, "a string")
_NAME = (_or_none(_text), "a string or null")
_COUNT = (_count, f"a whole number from 0 to {MOST:,}")

#: The form of each field by name, whatever the entry.
FORMS: dict[str, tuple[Form, str]] = {
    **dict.fromkeys(("normalizers", "pretokenizers", "processors", "decoders"), _STEPS),
    **dict.fromkeys((
        "add_dummy_prefix", "add_prefix_space", "byte_fallback", "clean_text", "cleanup",
        "escape_whitespaces", "fuse_unk", "handle_chinese_chars", "ignore_merges",
        "individual_digits", "invert", "join_blanks", "lowercase", "lstrip", "normalized",
        "remove_extra_whitespaces", "rstrip", "single_word", "special", "split", "strip_left",
        "strip_right", "trim_offsets", "use_regex", "byte_level", "prefixed", "spelt",
    ), _YES),
    **dict.fromkeys((
        "behavior", "content", "delimiter", "precompiled_charsmap", "prefix", "prepend",
        "replacement", "unk", "surface", "pad_token", "word_delimiter_token",
    ), _TEXT),
    **dict.fromkeys((
        "continuing_subword_prefix", "end_of_word_suffix", "fingerprint", "prepend_scheme",
        "unk_token",
    ), _NAME),
    **dict.fromkeys((
        "id", "length", "max_input_chars_per_word", "max_length", "pad_id", "pad_type_id", "start",
        "stop", "stride",
    ), _COUNT),
    "suffix": (_either(_bool, _text), "a string"),
    "symbols": (_list(_text), "a list of strings"),
    "whole": (_list(_text), "a list of strings"),
    "hidden": (_list(_count), "a list of ids"),
    "unk_id": (_or_none(_count), "an id or null"),
    "unk_score": (_or_none(_number), "a number or null"),
    "pad_to_multiple_of": (_or_none(_count), "a whole number or null"),
    "dropout": (_or_none(_number), "a number or null"),
    "strip_accents": (_or_none(_bool), "true, false or null"),
    "pattern": (_pattern, 'an object, {"String": …} or {"Regex": …}'),
    "merges": (_list(_either(_text, _pair(_text, _text))), "a list of pairs of strings"),
    "vocab": (_vocabulary, "ids by piece, or a list of pieces with scores"),
    "added_tokens": (_list(lambda value: isinstance(value, dict)), "a list of objects"),
    "sep": (_pair(_text, _count), "a token and its id"),
    "cls": (_pair(_text, _count), "a token and its id"),
    "special_tokens": (_each(_has_ids), "objects with ids, by token"),
    # of a template; "single" also of a unigram model that sums in 32 bits
    "single": (_either(_bool, _template), "a list of the template's items"),
    "pair": (_template, "a list of the template's items"),
}  # fmt: skip


def check(step: str, entry: Any) -> Config:
    """Check that an entry is an object whose fields have the forms of :data:`FORMS`; return it.

    Raises:
        ArgumentError: it is not; the message names the field.

    >>> check("decoder", {"type": "Fuse"})
    {'type': 'Fuse'}
    """
    if not isinstance(entry, dict):
        raise ArgumentError(f"{step}: expected an object, not {str(entry)[:40]!r}")
    for name, value in entry.items():
        form, expected = FORMS.get(name, (_any, ""))
        if not form(value):
            raise ArgumentError(f"{step}: {name!r} is {str(value)[:40]!r}, expected {expected}")
    return entry


@dataclass(eq=False, repr=False)
class Step:
    """A step whose entry consists of its type and its constructor arguments."""

    #: The key of its family's entries in ``tokenizer.json``; the base class of a family sets it.
    family: ClassVar[str] = ""
    #: The steps of the family by type, and what null stands for.
    types: ClassVar[dict[str, Any]]
    null: ClassVar[Any]
    #: Its type in ``tokenizer.json``.
    kind: ClassVar[str] = ""
    #: Whether an entry must have every field, even those with a default here.
    whole: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "family" in vars(cls):
            cls.types, cls.null = {}, cls
        elif cls.family and cls.kind:
            cls.types.setdefault(cls.kind, cls)

    @classmethod
    def read(cls, entry: Config | None, **context: Any) -> Any:
        """The step of an entry.

        Args:
            context: what no entry can hold: the Segmenter of words.

        Raises:
            ArgumentError: an unknown type (the message lists the known ones); a field of the wrong
                form.
        """
        if entry is None:
            return cls.null()
        kind = check(cls.family, entry).get("type", "")
        step = cls.types.get(kind) if isinstance(kind, str) else None
        if step is None:
            known = ", ".join(sorted(cls.types))
            raise ArgumentError(f"{cls.family}: the type {str(kind)[:40]!r} is not one of {known}")
        try:
            return step.of_entry(entry, **context)
        except RecursionError:
            raise ArgumentError(f"{cls.family}: steps are nested too deeply") from None

    def config(self) -> Config | None:
        """The entry in ``tokenizer.json``; None for the base of a family, which does nothing."""
        if "family" in vars(type(self)):
            return None
        entry: Config = {"type": self.kind}
        for f in fields(self):
            value = f.metadata.get("write", _listed)(getattr(self, f.name))
            entry[f.metadata.get("name", f.name)] = value
        return entry

    def flattened(self) -> list[Any]:
        """The step itself; for a :class:`Sequence` its steps, with nested sequences flattened."""
        return [self]

    @classmethod
    def of_entry(cls, entry: Config, **context: Any) -> Self:
        """Create the step from an entry of its type.

        Raises:
            KeyError: the entry lacks a field.
        """
        named = ((f, f.metadata.get("name", f.name)) for f in fields(cls))
        return cls(
            **{
                f.name: f.metadata.get("read", _listed)(entry[name])
                for f, name in named
                if name in entry or cls.whole or f.default is MISSING
            }
        )


def _listed(value: Any) -> Any:
    return [*value] if isinstance(value, tuple) else value


def named(name: str, default: Any = MISSING, **converters: Callable[[Any], Any]) -> Any:
    """A field of a :class:`Step` that has a different name in the entry.

    Args:
        name: its name in the entry.
        default: default value, if it is optional.
        **converters: functions ``write`` and ``read``, if its value is stored in another form.
    """
    return field(default=default, metadata={"name": name, **converters})


class Sequence(Step, Generic[StepT]):
    """Base class of sequences of steps of one family."""

    kind = "Sequence"
    #: The name of the steps in the entry.
    inner: ClassVar[str] = ""

    def __init__(self, steps: Iterable[StepT]) -> None:
        self.steps = list(steps)

    @classmethod
    def of_entry(cls, entry: Config, **context: Any) -> Self:
        return cls(cls.read(step, **context) for step in entry[cls.inner])

    def flattened(self) -> list[Any]:
        return [part for step in self.steps for part in step.flattened()]

    def config(self) -> Config:
        entries = [step.config() for step in self.steps]
        return {"type": self.kind, self.inner: [entry for entry in entries if entry is not None]}


class Replacing(Step):
    """Base class of steps that replace every match of a string, or of a regular expression."""

    kind = "Replace"

    def __init__(self, pattern: str, content: str, *, regex: bool = False) -> None:
        self.pattern, self.content, self.regex = pattern, content, regex

    def config(self) -> Config:
        pattern = pattern_entry(self.pattern, self.regex)
        return {"type": self.kind, "pattern": pattern, "content": self.content}

    @classmethod
    def of_entry(cls, entry: Config, **context: Any) -> Self:
        return cls(content=entry["content"], **pattern_of(entry))


def pattern_of(entry: Config) -> dict[str, Any]:
    """``pattern`` and ``regex`` of an entry with ``{"String": …}`` or ``{"Regex": …}``."""
    pattern = entry["pattern"]
    regex = "Regex" in pattern
    return {"pattern": pattern["Regex" if regex else "String"], "regex": regex}


def pattern_entry(pattern: str, regex: bool) -> Config:
    """The inverse of :func:`pattern_of`."""
    return {"Regex" if regex else "String": pattern}


def metaspace(entry: Config) -> tuple[str, str, bool]:
    """Replacement, scheme and split of a ``Metaspace``.  Files from before ``tokenizers`` 0.14 have
    ``add_prefix_space`` instead of a scheme."""
    scheme = entry.get("prepend_scheme")
    if scheme is None:
        scheme = "always" if entry.get("add_prefix_space", True) else "never"
    return entry.get("replacement", "▁"), scheme, entry.get("split", True)
