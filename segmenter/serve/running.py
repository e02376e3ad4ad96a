"""Running text as coloured tokens: columns of a text that is too long to be drawn as a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter.errors import ArgumentError, SegmenterError, wrong_type
from segmenter.sentence import sentences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from segmenter.choices import Mode
    from segmenter.serve.gallery import Gallery
    from segmenter.subword import Tokenizer

#: Characters of the longest text that is coloured; longer ones are refused.
LONGEST = 20_000


def check(text: object, most: int = LONGEST, how: str = "") -> None:
    """That a text can be shown.

    Raises:
        TypeError: it is not a str.
        ArgumentError: it has more than ``most`` characters.
    """
    if not isinstance(text, str):
        raise wrong_type("text", text, "str")
    if len(text) > most:
        raise ArgumentError(
            f"text: {len(text):,} characters: at most {most:,} can be shown{how}, so give a part"
        )


class Pieces(NamedTuple):
    """Start, end and id of every subword piece of a text, or why there are none."""

    rows: list[tuple[int, int, int]]
    why: str | None


def columns(
    gallery: Gallery, text: str, mode: Mode, pieces_of: Mapping[str, Pieces]
) -> dict[str, Any]:
    """Tokens, parts of speech, sentences, subword pieces and search tokens of a text.

    Args:
        gallery: the Segmenters.
        text: any text that is not too long (:func:`check`).
        mode: of the search tokens.
        pieces_of: the text's :func:`pieces` by vocabulary.

    Returns:
        ``spans``: start and end of every token; ``kinds`` and ``sources`` of each; ``pos`` tags;
        ``sentences``: start and end of each; ``pieces``: of each vocabulary rows of start, end and
        id; ``search``: tokens of another mode than ``"words"``, each with start, end, position and
        how many positions it spans.
    """
    chosen = gallery.chosen
    tokens = chosen.tokenize(text)
    spans = tokens.spans
    found: dict[str, Any] = {
        "spans": spans,
        "kinds": [token.kind for token in tokens],
        "sources": [token.source.value for token in tokens],
        "pos": [tag for _, tag in chosen.tag(text)],
        "sentences": [(s.start, s.end) for s in sentences(text)],
        "pieces": {name: each.rows for name, each in pieces_of.items()},
        "mode": mode,
        "search": [],
    }
    if mode != "words":
        found["search"] = [
            (token.start, token.end, token.position, token.position_length)
            for token in chosen.tokenize(text, mode=mode)
        ]
    return found


def pieces(tokenizer: Tokenizer, text: str) -> Pieces:
    """The pieces of a text; none of a text that spells a special token."""
    try:
        encoding = tokenizer.encode(text)
    except SegmenterError as e:
        return Pieces([], str(e))
    return Pieces(
        [(s, e, n) for n, (s, e) in zip(encoding.ids, encoding.offsets, strict=True)], None
    )
