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
        """The attributes of a token that are displayed."""

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


#: Limits on tokens, rows and characters displayed; a note counts the rest.
MOST_TOKENS, MOST_ROWS, MOST_CHARACTERS = 500, 200, 80

_NOUN, _VERB, _ADJECTIVE, _NUMBER = "70,130,240", "235,95,60", "60,170,90", "160,95,220"
_FUNCTION, _MARK, _FOREIGN = "140,140,140", "140,140,140", "20,165,175"
#: Red, green and blue of a part of speech by its first letter, and of kinds of untagged tokens.
_TAG_COLOURS = {
    **dict.fromkeys("nsftjNTS", _NOUN), **dict.fromkeys("vV", _VERB),
    **dict.fromkeys("abzdABDi", _ADJECTIVE), **dict.fromkeys("mqMQ", _NUMBER),
    **dict.fromkeys("rpcuyehkolRUY", _FUNCTION), **dict.fromkeys("w", _MARK),
}  # fmt: skip
_KIND_COLOURS = {
    **dict.fromkeys(("number", "date", "time", "quantity", "version"), _NUMBER),
    **dict.fromkeys(("punct", "symbol"), _MARK),
    **dict.fromkeys(
        ("latin", "script", "url", "email", "ip", "hashtag", "mention", "code", "emoji", "phone"),
        _FOREIGN,
    ),
}
_UNTAGGED_COLOURS = ("70,130,240", "60,170,90")  # alternate
_BLANK = ("space", "newline")

_WORD = (
    "display:inline-block;margin:2px 1px;padding:0 5px;border-radius:4px;text-align:center;"
    "vertical-align:top;white-space:pre-wrap;"
)
_SMALL = "display:block;font-size:.7em;line-height:1.3;opacity:.75;"
_CELL = "text-align:left;vertical-align:top;padding:2px 8px;"


def _escaped(text: object) -> str:
    """Escape a text for HTML; a lone surrogate becomes U+FFFD."""
    valid = str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return escape(valid, quote=True)


def _more(shown: int, total: int, unit: str) -> str:
    if total <= shown:
        return ""
    return f'<div style="opacity:.75">… {total - shown:,} more of {total:,} {unit}</div>'


def tokens_html(tokens: Sequence[Word]) -> str:
    """Tokens as coloured words with tags below; tooltips with span and kind."""
    parts: list[str] = []
    turn = 0
    for token in tokens[:MOST_TOKENS]:
        if token.kind == "newline":
            parts.append("<br>")
            continue
        if token.kind in _BLANK:
            colour = ""
        elif token.tag:
            colour = _TAG_COLOURS.get(token.tag[0], _FOREIGN)
        else:
            colour = _KIND_COLOURS.get(token.kind, "")
            if not colour:
                colour, turn = _UNTAGGED_COLOURS[turn], 1 - turn
        source = token.source.value
        title = f"{token.start}-{token.end} · {token.kind} · {source}"
        if token.score is not None:
            title += f" · {token.score:.2f}"
        style = _WORD + (f"background:rgba({colour},.2);" if colour else "")
        if source == "user":
            style += f"outline:1.5px solid rgba({colour or _NOUN},.9);"
        tag = f'<span style="{_SMALL}">{_escaped(token.tag)}</span>' if token.tag and colour else ""
        word = f"<bdi>{_escaped(token.text)}</bdi>"
        parts.append(f'<span title="{_escaped(title)}" style="{style}">{word}{tag}</span>')
    more = _more(MOST_TOKENS, len(tokens), "tokens")
    style = "font-size:1.05em;line-height:1.5;overflow-wrap:anywhere"
    return f'<div style="{style}">{"".join(parts)}</div>{more}'


def rows_html(rows: Sequence[dict[str, object]]) -> str:
    """The rows of an explanation as a table; empty columns are left out."""
    visible = rows[:MOST_ROWS]
    costs = [row["cost"] for row in visible]
    columns: dict[str, list[object]] = {
        "span": [f"{row['start']}-{row['end']}" for row in visible],
        "word": [row["text"] for row in visible],
        "cost": [f"{cost:.2f} nats" if isinstance(cost, float) else "" for cost in costs],
        "why": [row["why"] for row in visible],
        "over": [_joined(row["rivals"], " ") for row in visible],
        "over the user's": [_joined(row["lost"], ", ") for row in visible],
    }
    columns = {head: cells for head, cells in columns.items() if any(cells)}
    lines = [_row("th", columns, columns)]
    lines += [_row("td", columns, cells) for cells in zip(*columns.values(), strict=True)]
    table = f'<table style="border-collapse:collapse">{"".join(lines)}</table>'
    return table + _more(len(visible), len(rows), "words")


def _joined(items: object, separator: str) -> str:
    return separator.join(map(str, items)) if isinstance(items, list) else ""


def _row(element: str, heads: Iterable[str], values: Iterable[object]) -> str:
    cells = []
    for head, value in zip(heads, values, strict=True):
        style = _CELL + ("white-space:nowrap;" if head in ("span", "cost") else "")
        cells.append(f'<{element} style="{style}"><bdi>{_escaped(value)}</bdi></{element}>')
    return f"<tr>{''.join(cells)}</tr>"


_STEP, _MARGIN, _RISE, _LONGEST_ARC = 36, 20, 20, 9


def graph_svg(
    text: str, edges: Sequence[tuple[int, int, str]], path: Iterable[tuple[int, int]] = ()
) -> str:
    """A word graph as arcs over its text, an arc per candidate word.

    Args:
        text: the text; its first :data:`MOST_CHARACTERS` characters are drawn.
        edges: start, end and tooltip of each arc.
        path: spans of the words to emphasize.
    """
    n = min(len(text), MOST_CHARACTERS)
    path_spans = set(path)
    arcs = [(a, b, title, (a, b) in path_spans) for a, b, title in edges if b <= n]
    longest = min(max((b - a for a, b, *_ in arcs), default=1), _LONGEST_ARC)
    width, base = 2 * _MARGIN + _STEP * n, _RISE * longest + 24
    shapes: list[str] = []
    for start, end, title, on_path in sorted(arcs, key=lambda arc: (arc[3], arc[0] - arc[1])):
        left, right = _MARGIN + _STEP * start, _MARGIN + _STEP * end
        top = base - 16 - _RISE * min(end - start, _LONGEST_ARC) * 4 / 3
        colour = f"rgb({_VERB})" if on_path else "currentColor"
        shapes.append(
            f'<path d="M{left},{base}C{left + 6},{top:.0f} {right - 6},{top:.0f} {right},{base}" '
            f'fill="none" stroke="{colour}" stroke-width="{2.5 if on_path else 1.2}" '
            f'stroke-opacity="{1 if on_path else 0.45}"><title>{_escaped(title)}</title></path>'
        )
    shapes += [
        f'<circle cx="{_MARGIN + _STEP * node}" cy="{base}" r="2.5" fill="currentColor"/>'
        for node in range(n + 1)
    ]
    shapes += [
        f'<text x="{_MARGIN + _STEP * k + _STEP // 2}" y="{base + 26}" font-size="18" '
        f'text-anchor="middle" fill="currentColor">{_escaped(text[k])}</text>'
        for k in range(n)
    ]
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="word graph: {len(text):,} characters, {len(edges):,} edges" '
        f'style="max-width:none" width="{width}" height="{base + 40}">{"".join(shapes)}</svg>'
    )
    return f'<div style="overflow-x:auto">{svg}</div>' + _more(n, len(text), "characters")
