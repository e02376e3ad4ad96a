"""Word segmentation as a pre-tokeniser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from segmenter.errors import ArgumentError
from segmenter.subword.pretokenise.step import PreTokeniser

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from segmenter.subword.pretokenise.step import Spans


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
