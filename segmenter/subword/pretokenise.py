"""Second step: the spans that no piece may cross.

A pre-tokeniser is called with an :class:`~segmenter.subword.normalise.Aligned` text and spans in
it, and gives a text (some put ▁ for blanks) and finer spans.  What lies in no span is dropped.
``config()`` and :func:`make` are as in :mod:`~segmenter.subword.normalise`; :class:`Words`, word
segmentation, is ours.

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
from segmenter.pieces import entries
from segmenter.pieces.model import to_bytes
from segmenter.subword import characters, expressions, normalise, patterns, scanning
from segmenter.subword.characters import library
from segmenter.subword.expressions import MANY, Either, Repeat, Row, Set
from segmenter.subword.scanning import BEHAVIOURS as BEHAVIOURS
from segmenter.subword.scanning import Cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from segmenter.subword.aligned import Aligned

    Spans = list[tuple[int, int]]


class PreTokeniser(entries.Step):
    """Base of all; itself one that leaves spans as they are."""

    kind = "Whole"

    def __call__(self, text: Aligned, spans: Spans) -> tuple[Aligned, Spans]:
        """The text and the spans, cut finer."""
        if spans == [(0, len(text.text))]:  # the first step of most: nothing to shift
            return text, list(self.split(text.text))
        out: Spans = []
        for a, b in spans:
            out += [(a + i, a + j) for i, j in self.split(text.text[a:b])]
        return text, out

    def split(self, text: str) -> Iterable[tuple[int, int]]:
        """Spans of one string, none empty; a subclass that changes no text gives only this."""
        cuts = self.cuts()
        assert cuts is not None, "a step that the kernel does not know cuts by itself"
        return scanning.scanner(cuts).spans(text)

    def cuts(self) -> tuple[Cut, ...] | None:
        """What it does as steps of the kernel; None: it cannot be said so."""
        return ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Sequence(entries.Sequence[PreTokeniser], PreTokeniser):
    """One after another, each within the spans of the one before."""

    inner = "pretokenizers"

    def __call__(self, text: Aligned, spans: Spans) -> tuple[Aligned, Spans]:
        for step in self.steps:
            text, spans = step(text, spans)
        return text, spans

    def cuts(self) -> tuple[Cut, ...] | None:
        rows = [step.cuts() for step in self.steps]
        return None if None in rows else tuple(cut for row in rows for cut in row or ())


# --- what cuts and changes no character: blanks, punctuation, digits, patterns -------------------


class Whitespace(PreTokeniser):
    r"""Words and runs of other characters (``\w+|[^\w\s]+``); blanks are dropped."""

    kind = "Whitespace"

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(r"\w+|[^\w\s]+", "Removed", True),)


class WhitespaceSplit(PreTokeniser):
    """What stands between blanks."""

    kind = "WhitespaceSplit"

    def cuts(self) -> tuple[Cut, ...]:
        others = characters.complement(characters.BLANKS)
        return (Cut(Repeat(Set(others), 1, MANY, ""), "Removed", True),)


class BertPreTokenizer(PreTokeniser):
    """What stands between blanks, every punctuation mark for itself (Devlin et al. 2019)."""

    kind = "BertPreTokenizer"

    def cuts(self) -> tuple[Cut, ...]:
        marks = library("PUNCTUATION")
        others = characters.complement(characters.union(characters.BLANKS, marks))
        return (Cut(Either((Repeat(Set(others), 1, MANY, ""), Set(marks))), "Removed", True),)


@dataclass(eq=False, repr=False)
class Punctuation(PreTokeniser):
    """Cuts at punctuation; ``behaviour`` is one of :data:`BEHAVIOURS`."""

    kind = "Punctuation"

    behaviour: str = entries.named("behavior", "Isolated")

    def __post_init__(self) -> None:
        one_of("behaviour", self.behaviour, BEHAVIOURS)

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(Set(library("PUNCTUATION")), self.behaviour),)


@dataclass(eq=False, repr=False)
class Digits(PreTokeniser):
    """Cuts numbers from what is around them; ``individual``: every digit for itself."""

    kind = "Digits"

    individual: bool = entries.named("individual_digits", False)

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(Set(library("NUMERIC")), "Isolated" if self.individual else "Contiguous"),)


@dataclass(eq=False, repr=False)
class CharDelimiterSplit(PreTokeniser):
    """What stands between occurrences of one character."""

    kind = "CharDelimiterSplit"

    delimiter: str

    def __post_init__(self) -> None:
        if len(self.delimiter) != 1:
            raise ArgumentError(f"delimiter: {self.delimiter!r} is not one character")

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(Set(characters.chars(self.delimiter)), "Removed"),)


@dataclass(eq=False, repr=False)
class FixedLength(PreTokeniser):
    """Spans of so many characters; the last may be shorter."""

    kind = "FixedLength"

    length: int = 5

    def cuts(self) -> tuple[Cut, ...]:
        if not self.length:
            return ()
        return (Cut(Repeat(Set(characters.ALL), 1, self.length, "")),)


class Split(PreTokeniser):
    """Cuts at the matches of a string or of a regular expression.

    Args:
        pattern: what is sought.
        behaviour: what becomes of matches, one of :data:`BEHAVIOURS`.
        invert: matches are what is kept, the rest delimits.
        regex: ``pattern`` is a regular expression.
        engine: for which it is written, ``"fancy"`` (tiktoken) or ``"oniguruma"``
            (``tokenizer.json``); see :mod:`.expressions`.

    Raises:
        ArgumentError: the expression cannot be run here as that engine runs it.
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

    def cuts(self) -> tuple[Cut, ...]:
        if self.regex:
            return (Cut(self.pattern, self.behaviour, self.invert, self.engine),)
        if not self.pattern:
            return ()
        spelt = Row(tuple(Set(characters.chars(c)) for c in self.pattern))
        return (Cut(spelt, self.behaviour, self.invert),)

    def config(self) -> dict[str, Any]:
        entry = {
            "type": self.kind,
            "pattern": entries.pattern_entry(self.pattern, self.regex),
            "behavior": self.behaviour,
            "invert": self.invert,
        }
        # not of tokenizer.json, whose patterns are Oniguruma's
        return {**entry, "engine": self.engine} if self.regex and self.engine == "fancy" else entry


# --- what writes a text otherwise before it cuts: GPT-2's and SentencePiece's --------------------


@dataclass(eq=False, repr=False)
class ByteLevel(PreTokeniser):
    """GPT-2's: its pattern, perhaps after putting a blank before the text.

    The bytes themselves are the model's affair (``BPE(…, byte_level=True)``).

    Args:
        add_prefix_space: put ``" "`` before a span that does not begin with it.
        trim_offsets: offsets of pieces leave out blanks at their ends; used by the post-processor.
        use_regex: cut by :data:`~segmenter.subword.patterns.GPT2`; False: another step has cut.
        spelt: write the bytes in the byte alphabet, for steps that come afterwards and a model that
            reads that (Falcon's).
    """

    kind = "ByteLevel"

    add_prefix_space: bool = False
    trim_offsets: bool = True
    use_regex: bool = True
    spelt: bool = field(default=False, kw_only=True)

    def __call__(self, text: Aligned, spans: Spans) -> tuple[Aligned, Spans]:
        if self.add_prefix_space:
            text, spans = _changed(
                text, spans, lambda part, _: part if part.startswith(" ") else " " + part
            )
        text, spans = super().__call__(text, spans)
        if not self.spelt:
            return text, spans
        made = normalise.ByteLevel()(text)
        places = [0, *accumulate(len(to_bytes(c)) for c in text.text)]
        return made, [(places[a], places[b]) for a, b in spans]

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
            del entry["spelt"]  # not of tokenizer.json
        return entry


def _changed(
    text: Aligned, spans: Spans, change: Callable[[str, bool], str]
) -> tuple[Aligned, Spans]:
    """Every span changed by ``change(span, whether it is the original's first)``, which keeps the
    length or puts something before; what lies between spans goes."""
    rows: list[tuple[str, int, int]] = []
    out: Spans = []
    at = 0
    for a, b in spans:
        part = text.text[a:b]
        made = change(part, text.span(a, b)[0] == 0)
        more = len(made) - len(part)
        if more:  # in tokenizers it covers what follows it
            rows.append((made[:more], a, a if text.covering else a + 1))
        rows.append((made[more:], a, b))
        out.append((at, at + len(made)))
        at += len(made)
    return text.rebuilt(rows), out


class Metaspace(PreTokeniser):
    """SentencePiece's: a blank is ``▁`` and begins a word (Kudo & Richardson 2018).

    Args:
        replacement: the character for a blank.
        prepend_scheme: ``"always"`` puts it before every span that lacks it, ``"first"`` only
            before the beginning of the text, ``"never"`` nowhere.
        split: cut before it.
    """

    kind = "Metaspace"

    def __init__(
        self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True
    ) -> None:
        one_of("prepend_scheme", prepend_scheme, ("always", "first", "never"))
        if len(replacement) != 1:
            raise ArgumentError(f"replacement: {replacement!r} is not one character")
        self.replacement, self.prepend_scheme, self.cut = replacement, prepend_scheme, split

    def __call__(self, text: Aligned, spans: Spans) -> tuple[Aligned, Spans]:
        return super().__call__(*_changed(text, spans, self._marked))

    def _marked(self, part: str, first: bool) -> str:
        mark, scheme = self.replacement, self.prepend_scheme
        part = part.replace(" ", mark)
        wanted = scheme == "always" or (scheme == "first" and first)
        return mark + part if wanted and not part.startswith(mark) else part

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
    """What :class:`Words` asks of a :class:`segmenter.Segmenter`."""

    def ends(self, text: str) -> Any:
        """Exclusive ends of the words of ``text``, which tile it."""

    @property
    def fingerprint(self) -> str:
        """What names the boundaries it gives."""


class Words(PreTokeniser):
    """Word segmentation: the words of a :class:`segmenter.Segmenter` (ours).

    Args:
        segmenter: what cuts; it must drop nothing (no ``skip``).
        join_blanks: one blank before a word of letters or digits belongs to that word, as in
            GPT-2's pattern; Han words take none, so that a word has one form.

    Raises:
        ArgumentError: the Segmenter drops tokens.
    """

    kind = "Words"

    def __init__(self, segmenter: Cutter, join_blanks: bool = True) -> None:
        if getattr(segmenter, "skip", None):
            raise ArgumentError("segmenter: it drops tokens (skip=…): load it without skip")
        self.segmenter = segmenter
        self.join_blanks = join_blanks

    def split(self, text: str) -> Spans:
        ends: list[int] = self.segmenter.ends(text).tolist()
        spans = list(zip([0, *ends[:-1]], ends, strict=True)) if ends else []
        if not self.join_blanks or " " not in text:
            return spans
        out: Spans = []
        for a, b in spans:
            if out and out[-1] == (a - 1, a) and text[a - 1] == " " and _is_letter(text[a]):
                out[-1] = (a - 1, b)
            else:
                out.append((a, b))
        return out

    def cuts(self) -> None:
        return None

    def config(self) -> dict[str, Any]:
        """Not of ``tokenizer.json``: names the Segmenter by how it was loaded."""
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
    """The Segmenter of a pre-tokeniser that cuts by words."""
    return next((one.segmenter for one in step.each() if isinstance(one, Words)), None)


def words_of(config: dict[str, Any], segmenter: Cutter | None) -> Words:
    """The step of an entry of ``tokenizer.json``; see :func:`.pretokenise.make`."""
    if segmenter is None:
        recipe = config.get("segmenter")
        if recipe is None:
            raise ArgumentError(
                "segmenter: the pre-tokeniser cuts by a Segmenter that was not loaded by name: "
                "give it, segmenter=…"
            )
        segmenter = _loaded(recipe)
        wanted = config.get("fingerprint")
        if wanted is not None and segmenter.fingerprint != wanted:
            raise ArgumentError(
                f"segmenter: the vocabulary was trained on words of {wanted}, here is "
                f"{segmenter.fingerprint}: install that version, train again, or give a Segmenter, "
                "segmenter=…"
            )
    return Words(segmenter, config.get("join_blanks", True))


# --- entries --------------------------------------------------------------------------------------


def _split(config: dict[str, Any]) -> Split:
    pattern = entries.pattern_of(config)
    # files of ours from before the engine was kept hold tiktoken's pattern as it is
    fancy = pattern == {"pattern": patterns.CL100K, "regex": True}
    return Split(
        behaviour=config["behavior"],
        invert=config.get("invert", False),
        engine=config.get("engine", "fancy" if fancy else "oniguruma"),
        **pattern,
    )


#: What reads an entry of ``tokenizer.json``, by its type.
READERS: dict[str, Callable[[dict[str, Any]], PreTokeniser]] = {
    **entries.readers(Whitespace, WhitespaceSplit, BertPreTokenizer, Punctuation, Digits),
    **entries.readers(CharDelimiterSplit, FixedLength, ByteLevel),
    "Split": _split,
    "Metaspace": lambda c: Metaspace(*entries.metaspace(c)),
}


def make(config: dict[str, Any] | None, segmenter: Cutter | None = None) -> PreTokeniser:
    """The pre-tokeniser of an entry of ``tokenizer.json``; None takes a text as one span.

    Args:
        config: the entry.
        segmenter: for :class:`Words`, instead of the one that its entry names.

    Raises:
        ArgumentError: a type that is not supported; a Segmenter whose boundaries are not those
            that the entry names.
    """
    if config is None:
        return PreTokeniser()
    readers = {
        **READERS,
        Sequence.kind: lambda c: Sequence(make(step, segmenter) for step in c["pretokenizers"]),
        Words.kind: lambda c: words_of(c, segmenter),
    }
    return entries.read("pre_tokenizer", config, readers)
