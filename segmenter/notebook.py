"""Display of tokens, explanations and word graphs in notebooks: HTML, graphs as SVG.

Text has the notebook's own colour and backgrounds are transparent, for light and dark pages.
There is no style sheet and no script, since some pages remove them.  All text is escaped.
"""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from enum import Enum
    from typing import Protocol

    class Word(Protocol):
        """A token, as far as it is shown."""

        @property
        def text(self) -> str: ...
        @property
        def start(self) -> int: ...
        @property
        def end(self) -> int: ...
        @property
        def kind(self) -> str: ...
        @property
        def source(self) -> Enum: ...
        @property
        def tag(self) -> str: ...
        @property
        def score(self) -> float | None: ...


#: Tokens, rows and characters that are shown; a longer text says how many more it has.
MOST_TOKENS, MOST_ROWS, MOST_CHARACTERS = 500, 200, 80

_NOUN, _VERB, _ADJECTIVE, _NUMBER = "70,130,240", "235,95,60", "60,170,90", "160,95,220"
_FUNCTION, _MARK, _FOREIGN = "140,140,140", "140,140,140", "20,165,175"
#: Red, green and blue of a part of speech by its first letter, and of kinds that no tag tells.
_OF_TAGS = {
    **dict.fromkeys("nsftjNTS", _NOUN), **dict.fromkeys("vV", _VERB),
    **dict.fromkeys("abzdABDi", _ADJECTIVE), **dict.fromkeys("mqMQ", _NUMBER),
    **dict.fromkeys("rpcuyehkolRUY", _FUNCTION), **dict.fromkeys("w", _MARK),
}  # fmt: skip
_OF_KINDS = {
    **dict.fromkeys(("number", "date", "time", "quantity", "version"), _NUMBER),
    **dict.fromkeys(("punct", "symbol"), _MARK),
    **dict.fromkeys(
        ("latin", "script", "url", "email", "ip", "hashtag", "mention", "code", "emoji", "phone"),
        _FOREIGN,
    ),
}
_PLAIN = ("70,130,240", "60,170,90")  # words without a tag, in turns
_BLANK = ("space", "newline")

_WORD = (
    "display:inline-block;margin:2px 1px;padding:0 5px;border-radius:4px;text-align:center;"
    "vertical-align:top;white-space:pre-wrap;"
)
_SMALL = "display:block;font-size:.7em;line-height:1.3;opacity:.75;"
_CELL = "text-align:left;vertical-align:top;padding:2px 8px;"


def _shown(text: object) -> str:
    """A text as HTML holds it: escaped, with a mark for half a surrogate pair."""
    whole = str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return escape(whole, quote=True)


def _more(shown: int, of: int, what: str) -> str:
    if of <= shown:
        return ""
    return f'<div style="opacity:.75">… {of - shown:,} more of {of:,} {what}</div>'


def tokens_html(tokens: Sequence[Word]) -> str:
    """Tokens as coloured words, the tag below each; a pointer over one sees its span and kind."""
    parts: list[str] = []
    turn = 0
    for token in tokens[:MOST_TOKENS]:
        if token.kind == "newline":
            parts.append("<br>")
            continue
        if token.kind in _BLANK:
            hue = ""
        elif token.tag:
            hue = _OF_TAGS.get(token.tag[0], _FOREIGN)
        else:
            hue = _OF_KINDS.get(token.kind, "")
            if not hue:
                hue, turn = _PLAIN[turn], 1 - turn
        source = token.source.value
        says = f"{token.start}-{token.end} · {token.kind} · {source}"
        if token.score is not None:
            says += f" · {token.score:.2f}"
        look = _WORD + (f"background:rgba({hue},.2);" if hue else "")
        if source == "user":
            look += f"outline:1.5px solid rgba({hue or _NOUN},.9);"
        tag = f'<span style="{_SMALL}">{_shown(token.tag)}</span>' if token.tag and hue else ""
        word = f"<bdi>{_shown(token.text)}</bdi>"
        parts.append(f'<span title="{_shown(says)}" style="{look}">{word}{tag}</span>')
    more = _more(MOST_TOKENS, len(tokens), "tokens")
    look = "font-size:1.05em;line-height:1.5;overflow-wrap:anywhere"
    return f'<div style="{look}">{"".join(parts)}</div>{more}'


def rows_html(rows: Sequence[dict[str, object]]) -> str:
    """The rows of an explanation as a table; columns that nothing fills are left out."""
    shown = rows[:MOST_ROWS]
    costs = [row["cost"] for row in shown]
    columns: dict[str, list[object]] = {
        "span": [f"{row['start']}-{row['end']}" for row in shown],
        "word": [row["text"] for row in shown],
        "cost": [f"{cost:.2f} nats" if isinstance(cost, float) else "" for cost in costs],
        "why": [row["why"] for row in shown],
        "over": [_joined(row["rivals"], " ") for row in shown],
        "over the user's": [_joined(row["lost"], ", ") for row in shown],
    }
    columns = {head: cells for head, cells in columns.items() if any(cells)}
    lines = [_row("th", columns, columns)]
    lines += [_row("td", columns, cells) for cells in zip(*columns.values(), strict=True)]
    table = f'<table style="border-collapse:collapse">{"".join(lines)}</table>'
    return table + _more(len(shown), len(rows), "words")


def _joined(items: object, separator: str) -> str:
    return separator.join(map(str, items)) if isinstance(items, list) else ""


def _row(cell: str, heads: Iterable[str], values: Iterable[object]) -> str:
    cells = []
    for head, value in zip(heads, values, strict=True):
        look = _CELL + ("white-space:nowrap;" if head in ("span", "cost") else "")
        cells.append(f'<{cell} style="{look}"><bdi>{_shown(value)}</bdi></{cell}>')
    return f"<tr>{''.join(cells)}</tr>"


_STEP, _MARGIN, _RISE, _LONGEST_ARC = 36, 20, 20, 9


def graph_svg(
    text: str, edges: Sequence[tuple[int, int, str]], path: Iterable[tuple[int, int]] = ()
) -> str:
    """A word graph as arcs over its text: an arc is a word that could stand there.

    Args:
        text: the text; its first :data:`MOST_CHARACTERS` characters are drawn.
        edges: start and end of each arc, and what a pointer over it sees.
        path: spans of the words that are drawn strongly.
    """
    n = min(len(text), MOST_CHARACTERS)
    chosen = set(path)
    arcs = [(a, b, says, (a, b) in chosen) for a, b, says in edges if b <= n]
    longest = min(max((b - a for a, b, *_ in arcs), default=1), _LONGEST_ARC)
    width, base = 2 * _MARGIN + _STEP * n, _RISE * longest + 24
    drawn: list[str] = []
    for start, end, says, strong in sorted(arcs, key=lambda arc: (arc[3], arc[0] - arc[1])):
        left, right = _MARGIN + _STEP * start, _MARGIN + _STEP * end
        top = base - 16 - _RISE * min(end - start, _LONGEST_ARC) * 4 / 3
        colour = f"rgb({_VERB})" if strong else "currentColor"
        drawn.append(
            f'<path d="M{left},{base}C{left + 6},{top:.0f} {right - 6},{top:.0f} {right},{base}" '
            f'fill="none" stroke="{colour}" stroke-width="{2.5 if strong else 1.2}" '
            f'stroke-opacity="{1 if strong else 0.45}"><title>{_shown(says)}</title></path>'
        )
    drawn += [
        f'<circle cx="{_MARGIN + _STEP * node}" cy="{base}" r="2.5" fill="currentColor"/>'
        for node in range(n + 1)
    ]
    drawn += [
        f'<text x="{_MARGIN + _STEP * k + _STEP // 2}" y="{base + 26}" font-size="18" '
        f'text-anchor="middle" fill="currentColor">{_shown(text[k])}</text>'
        for k in range(n)
    ]
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="word graph: {len(text):,} characters, {len(edges):,} edges" '
        f'style="max-width:none" width="{width}" height="{base + 40}">{"".join(drawn)}</svg>'
    )
    return f'<div style="overflow-x:auto">{svg}</div>' + _more(n, len(text), "characters")
