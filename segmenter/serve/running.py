"""Running text as coloured tokens: columns of a text that is too long to be drawn as a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter.errors import ArgumentError, SegmenterError, wrong_type
from segmenter.sentence import sentences

if TYPE_CHECKING:
    from segmenter.choices import Mode
    from segmenter.serve.gallery import Gallery

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


def columns(gallery: Gallery, text: str, mode: Mode) -> dict[str, Any]:
    """Tokens, parts of speech, sentences, subword pieces and search tokens of a text.

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
        "pieces": {name: _pieces(t, text) for name, t in gallery.vocabularies.items()},
        "mode": mode,
        "search": [],
    }
    if mode != "words":
        found["search"] = [
            (token.start, token.end, token.position, token.position_length)
            for token in chosen.tokenize(text, mode=mode)
        ]
    return found


def _pieces(tokenizer: Any, text: str) -> list[tuple[int, int, int]]:
    try:
        encoding = tokenizer.encode(text)
    except SegmenterError:  # a text that spells a special token
        return []
    return [(s, e, n) for n, (s, e) in zip(encoding.ids, encoding.offsets, strict=True)]
