"""Pre-tokenisers that write a text otherwise before they cut it: GPT-2's and SentencePiece's."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.pieces.model import to_bytes
from segmenter.subword import characters, normalise, patterns, scanning
from segmenter.subword.expressions import Set
from segmenter.subword.pretokenise.step import PreTokeniser
from segmenter.subword.scanning import Cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from segmenter.subword.aligned import Aligned
    from segmenter.subword.pretokenise.step import Spans


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
        if prepend_scheme not in ("always", "first", "never"):
            raise ArgumentError(
                f"prepend_scheme: {prepend_scheme!r} is not one of always, first, never"
            )
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
