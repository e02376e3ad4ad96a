"""Explains the boundaries of a text: the edge or rule behind each token.

>>> from segmenter import load
>>> print(load(decoder="unigram").explain("在2026年").rows[1]["why"])
rule: date
"""

from __future__ import annotations

import os

from segmenter.atoms import NAMES as ATOMS
from segmenter.kernels import _engine, _tokens
from segmenter.lexicon.costs import COST_SCALE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from segmenter.core.lattice import WordLattice
    from segmenter.core.models import Models
    from segmenter.core.options import Options
    from segmenter.core.tokens import TokenReader
    from segmenter.lattice.dag import Edge
    from segmenter.lexicon.user import UserDictionary, UserWord
    from segmenter.types import Tokens

#: Rows of the table that a prompt shows.
_SHOWN = 200


class Explanation:
    """Why each boundary of a text is where it is: a table at a prompt, in a notebook, by ``str()``.

    Args:
        text: the text.
        reader, lattice, engine, models, options: the parts of the Segmenter that cuts it.
    """

    __slots__ = ("rows", "text")

    def __init__(
        self,
        text: str,
        reader: TokenReader,
        lattice: WordLattice,
        engine: _engine.Engine,
        models: Models,
        options: Options,
    ) -> None:
        self.text = text
        self.rows: list[dict[str, object]] = []
        tokens = reader.tokens(text)
        dag = lattice.dag(text)
        crossing: dict[int, list[str]] = {}
        for edge in dag.edges:
            if edge.kind == "word":
                for node in range(edge.start + 1, edge.end):
                    crossing.setdefault(node, []).append(text[edge.start : edge.end])
        found = _tokens.atoms_of(engine, text)
        at = 0
        cost = {(e.start, e.end): e.cost for e in lattice.dag(text, decided=True).edges}
        for token in tokens:
            span = cost.get((token.start, token.end))
            rivals = sorted(
                {w for node in (token.start, token.end) for w in crossing.get(node, ())}
                - {token.text}
            )
            while at < len(found) and found[at][1] <= token.start:
                at += 1
            # the lexicon's word, whether or not the model's own word list has it
            known = token.kind in ("word", "unknown") and token.text in models.lexicon
            if at < len(found) and found[at][0] <= token.start:
                rule = found[at][2]
                if rule < len(ATOMS):
                    why = f"atom {ATOMS[rule]}: {('', 'keep', 'split')[found[at][3]]}"
                else:
                    pattern = options.atoms.patterns[token.kind]
                    why = f"atom of the user's, {token.kind}: {pattern!r}"
            elif models.tagger is not None and token.source.value == "model":
                score = token.score
                margin = "no other way" if score is None else f"margin {score:.2f}"
                why = f"{os.path.basename(models.tagger.name)}, {margin}"
                why += (
                    f", in the lexicon: {token.tag or 'yes'}" if known else ", not in the lexicon"
                )
            elif token.source.value == "model":
                why = f"single characters cut again by oov={options.oov!r}"
            elif (entry := tokens.entry(len(self.rows))) is not None:
                why = _of_user(entry)
            elif token.kind == "word":
                count = models.lexicon.count(token.text)
                why = f"lexicon {os.path.basename(models.lexicon.name)}, count {count:g}"
                if token.tag:
                    why += f", tag {token.tag}"
            elif token.kind == "unknown":
                why = "no lexicon word begins here that the decoder could use"
            else:
                why = f"rule: {token.kind}"
            self.rows.append(
                {
                    "text": token.text,
                    "start": token.start,
                    "end": token.end,
                    "kind": token.kind,
                    "source": token.source.value,
                    "decoder": options.decoder,
                    "cost": None if span is None else span / COST_SCALE,
                    "why": why,
                    "rivals": rivals,
                    "lost": [],
                }
            )
        if options.user is not None:
            for entry, winner in _lost(text, tokens, options.user, dag.edges):
                row = self.rows[winner]["lost"]
                if isinstance(row, list):
                    row.append(f"{entry.word!r} ({_level(entry)}; {_where(entry)})")

    def __str__(self) -> str:
        """One line per token: span, token, cost, why, the words that it was chosen over, and the
        words of the user that lost to it.
        """
        return "\n".join(self._lines(len(self.rows)))

    def __repr__(self) -> str:
        """The table; of a long text its first rows."""
        lines = self._lines(_SHOWN)
        if len(self.rows) > _SHOWN:
            lines.append(f"… {len(self.rows) - _SHOWN:,} more words; print() shows them all")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from segmenter.notebook import rows_html

        return rows_html(self.rows)

    def _lines(self, most: int) -> list[str]:
        lines = []
        for row in self.rows[:most]:
            span = f"{row['start']}-{row['end']}".rjust(9)
            cost = row["cost"]
            price = "" if not isinstance(cost, float) else f"{cost:6.2f} nats"
            rivals = row["rivals"]
            over = f"; over {'/'.join(rivals)}" if isinstance(rivals, list) and rivals else ""
            lost = row["lost"]
            if isinstance(lost, list) and lost:
                over += f"; over the user's {', '.join(lost)}"
            lines.append(f"{span}  {row['text']}  {price}  {row['why']}{over}")
        return lines


def _of_user(entry: UserWord) -> str:
    """Which entry of the user's made a token, for people."""
    from segmenter.lexicon.user import LEARNED

    what = _level(entry)
    if entry.source == LEARNED and isinstance(entry.payload, dict):
        seen = "{places} places, {whole} of them whole before".format_map(entry.payload)
        return f"learned from the text ({seen}): {entry.word!r}, {what}"
    return f"user dictionary ({_where(entry)}): {entry.word!r}, {what}"


def _level(entry: UserWord) -> str:
    what = f"weight {entry.weight:g}" if entry.level == "weight" else f"level {entry.level}"
    if entry.parts:
        what += f", split {'|'.join(entry.parts)}"
    return f"{what}, tag {entry.tag}" if entry.tag else what


def _where(entry: UserWord) -> str:
    where = os.path.basename(entry.source) if entry.source else "added in the program"
    return f"{where}, line {entry.line}" if entry.line else where


#: Longest weighted word that is looked for across a token of the user's.
_LONGEST = 24


def _lost(
    text: str, tokens: Tokens, user: UserDictionary, edges: Iterable[Edge]
) -> Iterator[tuple[UserWord, int]]:
    """Yield the user's words in a text that are no tokens, and the token that each lost to."""
    owners: dict[int, int] = {}  # the token at each character
    for number, token in enumerate(tokens):
        owners.update(dict.fromkeys(range(token.start, token.end), number))
    spans = {(edge.start, edge.end) for edge in edges if edge.kind == "user"}
    for number, token in enumerate(tokens):
        # weighted words across a token of the user's do not compete, and are no edges
        if tokens.entry(number) is None:
            continue
        for start in range(max(0, token.start - _LONGEST + 1), token.end):
            last = min(len(text), start + _LONGEST)
            for end in range(max(start, token.start) + 1, last + 1):
                entry = user.get(text[start:end])
                if entry is not None and entry.level == "weight":
                    spans.add((start, end))
    for start, end in sorted(spans):
        entry = user.get(text[start:end])
        over = sorted({owners[at] for at in range(start, end) if at in owners})
        if entry is None or not over or any(tokens.entry(n) == entry for n in over):
            continue
        of_user = [n for n in over if tokens.entry(n) is not None]
        yield entry, (of_user or over)[0]
