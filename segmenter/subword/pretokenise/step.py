"""What every pre-tokeniser does: a text and spans in it, cut finer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.pieces import entries
from segmenter.subword import scanning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segmenter.subword.aligned import Aligned
    from segmenter.subword.scanning import Cut

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
