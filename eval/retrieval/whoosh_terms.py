"""An analyzer of Whoosh over the tokens of others; by name, since Whoosh pickles it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whoosh import analysis

if TYPE_CHECKING:
    from collections.abc import Iterator


class Terms(analysis.Analyzer):  # type: ignore[misc]
    """The tokens of :func:`eval.retrieval.systems.others` by their name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(
        self, value: str, positions: bool = False, chars: bool = False, mode: str = "", **more: Any
    ) -> Iterator[Any]:
        from eval.retrieval.systems import others

        tokens = next(tokens for name, tokens, _ in others() if name == self.name)
        token = analysis.Token(positions, chars, mode=mode)
        for k, (text, start, end) in enumerate(tokens(value)):
            token.text, token.boost, token.stopped = text, 1.0, False
            token.pos, token.startchar, token.endchar = k, start, end
            yield token
