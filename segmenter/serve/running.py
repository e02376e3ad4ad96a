"""Running text as coloured tokens: columns of a text, also of one too long for a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter.errors import ArgumentError, SegmenterError, wrong_type
from segmenter.sentence import sentences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from segmenter.choices import Mode
    from segmenter.serve.gallery import Gallery
    from segmenter.subword import Tokenizer

#: Characters of the longest text; longer ones are refused.
LONGEST = 20_000


def check(text: object, max_length: int = LONGEST, suffix: str = "") -> None:
    """Check that a text can be shown.

    Raises:
        TypeError: not a str.
        ArgumentError: more than ``max_length`` characters.
    """
    if not isinstance(text, str):
        raise wrong_type("text", text, "str")
    if len(text) > max_length:
        raise ArgumentError(
            f"text: {len(text):,} characters: at most {max_length:,} can be shown{suffix}, so give "
            "a part"
        )


class Pieces(NamedTuple):
    """Start, end and id of every subword piece of a text, or an error."""

    rows: list[tuple[int, int, int]]
    error: str | None


def columns(
    gallery: Gallery, text: str, mode: Mode, pieces_of: Mapping[str, Pieces]
) -> dict[str, Any]:
    """Tokens, parts of speech, sentences, subword pieces and search tokens of a text.

    Args:
        gallery: the Segmenters.
        text: a text that passes :func:`check`.
        mode: the mode of the search tokens.
        pieces_of: the :func:`pieces` of the text by vocabulary.

    Returns:
        ``spans``: start and end of every token, with its ``kinds``, ``sources`` and ``pos`` tags;
        ``sentences``: start and end of each; ``pieces``: rows of start, end and id by vocabulary;
        ``search``: in a mode other than ``"words"`` start, end, position and position length of
        each search token.
    """
    segmenter = gallery.chosen
    tokens = segmenter.tokenize(text)
    spans = tokens.spans
    data: dict[str, Any] = {
        "spans": spans,
        "kinds": [token.kind for token in tokens],
        "sources": [token.source.value for token in tokens],
        "pos": [tag for _, tag in segmenter.tag(text)],
        "sentences": [(s.start, s.end) for s in sentences(text)],
        "pieces": {name: pieces.rows for name, pieces in pieces_of.items()},
        "mode": mode,
        "search": [],
    }
    if mode != "words":
        data["search"] = [
            (token.start, token.end, token.position, token.position_length)
            for token in segmenter.tokenize(text, mode=mode)
        ]
    return data


def pieces(tokenizer: Tokenizer, text: str) -> Pieces:
    """The pieces of a text; an error if it spells a special token."""
    try:
        encoding = tokenizer.encode(text)
    except SegmenterError as e:
        return Pieces([], str(e))
    return Pieces(
        [(s, e, n) for n, (s, e) in zip(encoding.ids, encoding.offsets, strict=True)], None
    )
