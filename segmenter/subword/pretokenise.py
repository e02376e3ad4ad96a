"""Second step: split the text into spans that no piece may cross.

A pre-tokeniser takes an :class:`~segmenter.subword.normalise.Aligned` text and spans in it, and
returns a text (some replace blanks with ▁) and finer spans.  Text outside the spans is dropped.
``config()`` and :func:`make` work as in :mod:`~segmenter.subword.normalise`.  :class:`Words`, word
segmentation, is our own.

>>> from segmenter.subword.normalise import Aligned
>>> def split(step, text):
...     aligned, spans = step(Aligned(text), [(0, len(text))])
...     return [aligned.text[a:b] for a, b in spans]
>>> split(BertPreTokenizer(), "Hello, world!")
['Hello', ',', 'world', '!']
>>> split(ByteLevel(), "I'm 12 years")
['I', "'m", ' 12', ' years']
>>> split(Metaspace(), "Hey friend")
['▁Hey', '▁friend']
>>> from segmenter import load
>>> split(Words(load("fast")), "他说的确实在理 hello world")
['他', '说', '的', '确实', '在理', ' hello', ' world']
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol

from segmenter.choices import one_of
from segmenter.errors import ArgumentError
from segmenter.subword import characters, expressions, normalise, patterns, scanning
from segmenter.subword.characters import library
from segmenter.subword.expressions import MANY, Alternation, Concat, Repeat, Set
from segmenter.subword.models import entries
from segmenter.subword.models.model import to_bytes
from segmenter.subword.scanning import BEHAVIOURS as BEHAVIOURS
from segmenter.subword.scanning import Cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Self

    from segmenter.subword.aligned import Aligned

    Spans = list[tuple[int, int]]


class PreTokeniser(entries.Step):
    """Base class of pre-tokenisers; leaves the spans unchanged."""

    family = "pre_tokenizer"

    def __call__(self, text: Aligned, spans: Spans) -> tuple[Aligned, Spans]:
        """The text and finer spans."""
        if spans == [(0, len(text.text))]:  # usually, in the first step: nothing to shift
            return text, list(self.split(text.text))
        finer: Spans = []
        for a, b in spans:
            finer += [(a + i, a + j) for i, j in self.split(text.text[a:b])]
        return text, finer

    def split(self, text: str) -> Iterable[tuple[int, int]]:
        """The non-empty spans of one string; all that a subclass must define if it does not change
        the text."""
        cuts = self.cuts()
        assert cuts is not None, "a step that the kernel does not know cuts by itself"
        return scanning.scanner(cuts).spans(text)

    def cuts(self) -> tuple[Cut, ...] | None:
        """The equivalent steps of the kernel; None if there are none."""
        return ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Sequence(entries.Sequence[PreTokeniser], PreTokeniser):
    """Applies pre-tokenisers in order, each within the spans of the previous one."""

    inner = "pretokenizers"

    def __call__(self, text: Aligned, spans: Spans) -> tuple[Aligned, Spans]:
        for step in self.steps:
            text, spans = step(text, spans)
        return text, spans

    def cuts(self) -> tuple[Cut, ...] | None:
        rows = [step.cuts() for step in self.steps]
        return None if None in rows else tuple(cut for row in rows for cut in row or ())


# --- steps that do not change the text: blanks, punctuation, digits, patterns --------------------


class Whitespace(PreTokeniser):
    r"""Splits into words and runs of other characters (``\w+|[^\w\s]+``); drops blanks."""

    kind = "Whitespace"

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(r"\w+|[^\w\s]+", "Removed", True),)


class WhitespaceSplit(PreTokeniser):
    kind = "WhitespaceSplit"

    def cuts(self) -> tuple[Cut, ...]:
        visible = characters.complement(characters.BLANKS)
        return (Cut(Repeat(Set(visible), 1, MANY, ""), "Removed", True),)


class BertPreTokenizer(PreTokeniser):
    """Splits at blanks and isolates every punctuation mark (Devlin et al. 2019)."""

    kind = "BertPreTokenizer"

    def cuts(self) -> tuple[Cut, ...]:
        marks = library("PUNCTUATION")
        word_chars = characters.complement(characters.union(characters.BLANKS, marks))
        words = Repeat(Set(word_chars), 1, MANY, "")
        return (Cut(Alternation((words, Set(marks))), "Removed", True),)


@dataclass(eq=False, repr=False)
class Punctuation(PreTokeniser):
    """Splits at punctuation; ``behaviour`` is one of :data:`BEHAVIOURS`."""

    kind = "Punctuation"

    behaviour: str = entries.named("behavior", "Isolated")

    def __post_init__(self) -> None:
        one_of("behaviour", self.behaviour, BEHAVIOURS)

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(Set(library("PUNCTUATION")), self.behaviour),)


@dataclass(eq=False, repr=False)
class Digits(PreTokeniser):
    """Separates numbers from other text; with ``individual`` every digit."""

    kind = "Digits"

    individual: bool = entries.named("individual_digits", False)

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(Set(library("NUMERIC")), "Isolated" if self.individual else "Contiguous"),)


@dataclass(eq=False, repr=False)
class CharDelimiterSplit(PreTokeniser):
    """Splits at one character, which is dropped."""

    kind = "CharDelimiterSplit"

    delimiter: str

    def __post_init__(self) -> None:
        if len(self.delimiter) != 1:
            raise ArgumentError(f"delimiter: {self.delimiter!r} is not one character")

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(Set(characters.chars(self.delimiter)), "Removed"),)


@dataclass(eq=False, repr=False)
class FixedLength(PreTokeniser):
    """Splits into spans of ``length`` characters; the last may be shorter."""

    kind = "FixedLength"

    length: int = 5

    def cuts(self) -> tuple[Cut, ...]:
        if not self.length:
            return ()
        return (Cut(Repeat(Set(characters.ALL), 1, self.length, "")),)


class Split(PreTokeniser):
    """Splits at the matches of a string or of a regular expression.

    Args:
        pattern: the string or expression to search for.
        behaviour: what happens to matches, one of :data:`BEHAVIOURS`.
        invert: keep the matches, and treat the rest as delimiters.
        regex: ``pattern`` is a regular expression.
        engine: the engine it is written for, ``"fancy"`` (tiktoken) or ``"oniguruma"``
            (``tokenizer.json``); see :mod:`.expressions`.

    Raises:
        ArgumentError: the expression cannot be run exactly as in that engine.
    """

    kind = "Split"

    def __init__(
        self,
        pattern: str,
        behaviour: str = "Isolated",
        *,
        invert: bool = False,
        regex: bool = True,
        engine: str = "fancy",
    ) -> None:
        self.pattern, self.invert, self.regex = pattern, invert, regex
        self.behaviour = behaviour
        one_of("behaviour", behaviour, BEHAVIOURS)
        self.engine = engine
        if regex:
            expressions.parse(pattern, engine)

    @classmethod
    def of_entry(cls, entry: dict[str, Any], **context: Any) -> Self:
        return cls(
            behaviour=entry["behavior"],
            invert=entry.get("invert", False),
            engine=entry.get("engine", "oniguruma"),
            **entries.pattern_of(entry),
        )

    def cuts(self) -> tuple[Cut, ...]:
        if self.regex:
            return (Cut(self.pattern, self.behaviour, self.invert, self.engine),)
        if not self.pattern:
            return ()
        literal = Concat(tuple(Set(characters.chars(c)) for c in self.pattern))
        return (Cut(literal, self.behaviour, self.invert),)

    def config(self) -> dict[str, Any]:
        entry = {
            "type": self.kind,
            "pattern": entries.pattern_entry(self.pattern, self.regex),
            "behavior": self.behaviour,
            "invert": self.invert,
        }
        # not in tokenizer.json, whose patterns are always Oniguruma's
        return {**entry, "engine": self.engine} if self.regex and self.engine == "fancy" else entry


# --- steps that change the text first: GPT-2's and SentencePiece's -------------------------------


@dataclass(eq=False, repr=False)
class ByteLevel(PreTokeniser):
    """GPT-2's pre-tokeniser: splits by its pattern, optionally after prepending a blank.

    The bytes themselves are left to the model (``BPE(…, byte_level=True)``).

    Args:
        add_prefix_space: prepend ``" "`` to a span that does not begin with it.
        trim_offsets: trim blanks from the offsets of pieces; used by the post-processor.
        use_regex: split by :data:`~segmenter.subword.patterns.GPT2`; False: another step has
            already split the text.
        spelt: write the bytes in the byte alphabet, for later steps and a model that use it
            (Falcon's).
    """

    kind = "ByteLevel"

    add_prefix_space: bool = False
    trim_offsets: bool = True
    use_regex: bool = True
    spelt: bool = field(default=False, kw_only=True)

    def __call__(self, text: Aligned, spans: Spans) -> tuple[Aligned, Spans]:
        if self.add_prefix_space:
            text, spans = _change_spans(
                text, spans, lambda part, _: part if part.startswith(" ") else " " + part
            )
        text, spans = super().__call__(text, spans)
        if not self.spelt:
            return text, spans
        bytes_text = normalise.ByteLevel()(text)
        offsets = [0, *accumulate(len(to_bytes(c)) for c in text.text)]
        return bytes_text, [(offsets[a], offsets[b]) for a, b in spans]

    def split(self, text: str) -> Iterable[tuple[int, int]]:
        return scanning.scanner(self.regex_cuts()).spans(text)

    def cuts(self) -> tuple[Cut, ...] | None:
        return None if self.add_prefix_space or self.spelt else self.regex_cuts()

    def regex_cuts(self) -> tuple[Cut, ...]:
        """The cuts of its pattern, if it has one."""
        return (Cut(patterns.GPT2),) if self.use_regex else ()

    def config(self) -> dict[str, Any]:
        entry = super().config() or {}
        if not self.spelt:
            del entry["spelt"]  # not in tokenizer.json
        return entry


def _change_spans(
    text: Aligned, spans: Spans, change: Callable[[str, bool], str]
) -> tuple[Aligned, Spans]:
    """Replace every span by ``change(span, whether it begins the original)``, which keeps its
    length or prepends something; text between spans is dropped."""
    rows: list[tuple[str, int, int]] = []
    new_spans: Spans = []
    offset = 0
    for a, b in spans:
        part = text.text[a:b]
        new_part = change(part, text.span(a, b)[0] == 0)
        prepended = len(new_part) - len(part)
        if prepended:  # in tokenizers it covers the next character
            rows.append((new_part[:prepended], a, a if text.covering else a + 1))
        rows.append((new_part[prepended:], a, b))
        new_spans.append((offset, offset + len(new_part)))
        offset += len(new_part)
    return text.rebuilt(rows), new_spans


class Metaspace(PreTokeniser):
    """SentencePiece's pre-tokeniser: writes blanks as ``▁``, which begins a word (Kudo & Richardson
    2018).

    Args:
        replacement: the character for a blank.
        prepend_scheme: ``"always"`` prepends it to every span that lacks it, ``"first"`` only at
            the beginning of the text, ``"never"`` nowhere.
        split: split in front of it.
    """

    kind = "Metaspace"

    def __init__(
        self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True
    ) -> None:
        one_of("prepend_scheme", prepend_scheme, ("always", "first", "never"))
        if len(replacement) != 1:
            raise ArgumentError(f"replacement: {replacement!r} is not one character")
        self.replacement, self.prepend_scheme, self.cut = replacement, prepend_scheme, split

    @classmethod
    def of_entry(cls, entry: dict[str, Any], **context: Any) -> Self:
        return cls(*entries.metaspace(entry))

    def __call__(self, text: Aligned, spans: Spans) -> tuple[Aligned, Spans]:
        return super().__call__(*_change_spans(text, spans, self._marked))

    def _marked(self, part: str, at_start: bool) -> str:
        mark, scheme = self.replacement, self.prepend_scheme
        part = part.replace(" ", mark)
        prepend = scheme == "always" or (scheme == "first" and at_start)
        return mark + part if prepend and not part.startswith(mark) else part

    def split(self, text: str) -> Iterable[tuple[int, int]]:
        if text and (not self.cut or text.find(self.replacement, 1) < 0):
            return [(0, len(text))]
        mark = Set(characters.chars(self.replacement))
        return scanning.scanner((Cut(mark, "MergedWithNext"),)).spans(text)

    def cuts(self) -> None:
        return None

    def config(self) -> dict[str, Any]:
        return {
            "type": self.kind,
            "replacement": self.replacement,
            "prepend_scheme": self.prepend_scheme,
            "split": self.cut,
        }


# --- word segmentation ----------------------------------------------------------------------------


class Cutter(Protocol):
    """The methods of a :class:`segmenter.Segmenter` that :class:`Words` needs."""

    def ends(self, text: str) -> Any:
        """The exclusive ends of the words of ``text``, which cover all of it."""

    @property
    def fingerprint(self) -> str:
        """Identifies the boundaries it gives."""


class Words(PreTokeniser):
    """Splits into the words of a :class:`segmenter.Segmenter` (our own).

    Args:
        segmenter: must not drop anything (no ``skip``).
        join_blanks: attach one blank to the word of letters or digits that follows it, as in
            GPT-2's pattern; Han words get none, so that every word has a single form.

    Raises:
        ArgumentError: the Segmenter drops tokens.
    """

    kind = "Words"

    def __init__(self, segmenter: Cutter, join_blanks: bool = True) -> None:
        if getattr(segmenter, "skip", None):
            raise ArgumentError("segmenter: skip= leaves out tokens: load one without it")
        self.segmenter = segmenter
        self.join_blanks = join_blanks

    @classmethod
    def of_entry(
        cls, entry: dict[str, Any], segmenter: Cutter | None = None, **context: Any
    ) -> Self:
        """The step of an entry, with the Segmenter that it names unless another is given.

        Raises:
            ArgumentError: the entry names none, or one whose boundaries differ from those that it
                was written with.
        """
        if segmenter is None:
            recipe = entry.get("segmenter")
            if recipe is None:
                raise ArgumentError(
                    "segmenter: the pre-tokeniser uses a Segmenter that was not loaded by name: "
                    "pass it as segmenter=…"
                )
            segmenter = _loaded(recipe)
            fingerprint = entry.get("fingerprint")
            if fingerprint is not None and segmenter.fingerprint != fingerprint:
                raise ArgumentError(
                    f"segmenter: the vocabulary was trained on words of {fingerprint}, but this is "
                    f"{segmenter.fingerprint}: install that version, train again, or pass a "
                    "Segmenter as segmenter=…"
                )
        return cls(segmenter, entry.get("join_blanks", True))

    def split(self, text: str) -> Spans:
        ends: list[int] = self.segmenter.ends(text).tolist()
        spans = list(zip([0, *ends[:-1]], ends, strict=True)) if ends else []
        if not self.join_blanks or " " not in text:
            return spans
        joined: Spans = []
        for a, b in spans:
            if joined and joined[-1] == (a - 1, a) and text[a - 1] == " " and _is_letter(text[a]):
                joined[-1] = (a - 1, b)
            else:
                joined.append((a, b))
        return joined

    def cuts(self) -> None:
        return None

    def config(self) -> dict[str, Any]:
        """The entry, which is not part of ``tokenizer.json`` and names how the Segmenter was
        loaded."""
        return {
            "type": self.kind,
            "segmenter": getattr(self.segmenter, "recipe", None),
            "fingerprint": self.segmenter.fingerprint,
            "join_blanks": self.join_blanks,
        }


def _is_letter(c: str) -> bool:
    return c < "\u2e80" and c.isalnum()


def _loaded(recipe: Mapping[str, Any]) -> Cutter:
    from segmenter.loading import load

    try:
        return load(**recipe)
    except TypeError as e:
        raise ArgumentError(f"recipe {dict(recipe)!r} is not one of segmenter.load: {e}") from e


def cutter_of(step: PreTokeniser) -> Cutter | None:
    """The Segmenter of a pre-tokeniser with a :class:`Words` step; None if it has none."""
    return next((part.segmenter for part in step.flattened() if isinstance(part, Words)), None)


def make(config: dict[str, Any] | None, segmenter: Cutter | None = None) -> PreTokeniser:
    """``PreTokeniser.read``; a Segmenter takes the place of the one that the entry names."""
    step: PreTokeniser = PreTokeniser.read(config, segmenter=segmenter)
    return step
