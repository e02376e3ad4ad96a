"""Explains the boundaries of a text by the edge or rule of each token.

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
    from segmenter.types import Token, Tokens

#: Rows of the table in a ``repr``.
_REPR_ROWS = 200


class Explanation:
    """The reason of each boundary of a text: a table at a prompt, in a notebook, by ``str()``.

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
        atoms = _tokens.atoms_of(engine, text)
        next_atom = 0
        costs = {(e.start, e.end): e.cost for e in lattice.dag(text, decided=True).edges}
        for token in tokens:
            cost = costs.get((token.start, token.end))
            rivals = sorted(
                {w for node in (token.start, token.end) for w in crossing.get(node, ())}
                - {token.text}
            )
            while next_atom < len(atoms) and atoms[next_atom][1] <= token.start:
                next_atom += 1
            is_atom = next_atom < len(atoms) and atoms[next_atom][0] <= token.start
            if is_atom:
                _, _, rule, setting = atoms[next_atom]
                why = _atom_reason(token.kind, rule, setting, options)
            else:
                why = _reason(token, tokens.entry(len(self.rows)), models, options)
            self.rows.append(
                {
                    "text": token.text,
                    "start": token.start,
                    "end": token.end,
                    "kind": token.kind,
                    "source": token.source.value,
                    "decoder": options.decoder,
                    "cost": None if cost is None else cost / COST_SCALE,
                    "why": why,
                    "rivals": rivals,
                    "lost": [],
                }
            )
        if options.user is not None:
            for entry, winner in _losers(text, tokens, options.user, dag.edges):
                lost = self.rows[winner]["lost"]
                if isinstance(lost, list):
                    lost.append(f"{entry.word!r} ({_level_text(entry)}; {_origin(entry)})")

    def __str__(self) -> str:
        """One line per token: span, token, cost, reason, and the words that lost to it."""
        return "\n".join(self._lines(len(self.rows)))

    def __repr__(self) -> str:
        """The table, or its first rows."""
        lines = self._lines(_REPR_ROWS)
        if len(self.rows) > _REPR_ROWS:
            lines.append(f"… {len(self.rows) - _REPR_ROWS:,} more words; print() shows them all")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from segmenter.notebook import rows_html

        return rows_html(self.rows)

    def _lines(self, n: int) -> list[str]:
        lines = []
        for row in self.rows[:n]:
            span = f"{row['start']}-{row['end']}".rjust(9)
            cost = row["cost"]
            cost_text = "" if not isinstance(cost, float) else f"{cost:6.2f} nats"
            rivals = row["rivals"]
            suffix = f"; over {'/'.join(rivals)}" if isinstance(rivals, list) and rivals else ""
            lost = row["lost"]
            if isinstance(lost, list) and lost:
                suffix += f"; over the user's {', '.join(lost)}"
            lines.append(f"{span}  {row['text']}  {cost_text}  {row['why']}{suffix}")
        return lines


def _atom_reason(kind: str, rule: int, setting: int, options: Options) -> str:
    """The reason of a token of an atom."""
    if rule < len(ATOMS):
        return f"atom {ATOMS[rule]}: {('', 'keep', 'split')[setting]}"
    return f"atom of the user's, {kind}: {options.atoms.patterns[kind]!r}"


def _reason(token: Token, entry: UserWord | None, models: Models, options: Options) -> str:
    """The reason of any other token; ``entry`` if it is a word of the user."""
    if token.source.value == "model":
        if models.tagger is None:
            return f"single characters cut again by oov={options.oov!r}"
        margin = "no other way" if token.score is None else f"margin {token.score:.2f}"
        why = f"{os.path.basename(models.tagger.name)}, {margin}"
        # the word list of the model may differ from the lexicon
        if token.kind in ("word", "unknown") and token.text in models.lexicon:
            return f"{why}, in the lexicon: {token.tag or 'yes'}"
        return f"{why}, not in the lexicon"
    if entry is not None:
        return _user_reason(entry)
    if token.kind == "word":
        count = models.lexicon.count(token.text)
        why = f"lexicon {os.path.basename(models.lexicon.name)}, count {count:g}"
        return f"{why}, tag {token.tag}" if token.tag else why
    if token.kind == "unknown":
        return "no lexicon word begins here that the decoder could use"
    return f"rule: {token.kind}"


def _user_reason(entry: UserWord) -> str:
    """The reason of a token that is a word of the user."""
    from segmenter.lexicon.user import LEARNED

    level = _level_text(entry)
    if entry.source == LEARNED and isinstance(entry.payload, dict):
        counts = "{places} places, {whole} of them whole before".format_map(entry.payload)
        return f"learned from the text ({counts}): {entry.word!r}, {level}"
    return f"user dictionary ({_origin(entry)}): {entry.word!r}, {level}"


def _level_text(entry: UserWord) -> str:
    text = f"weight {entry.weight:g}" if entry.level == "weight" else f"level {entry.level}"
    if entry.parts:
        text += f", split {'|'.join(entry.parts)}"
    return f"{text}, tag {entry.tag}" if entry.tag else text


def _origin(entry: UserWord) -> str:
    origin = os.path.basename(entry.source) if entry.source else "added in the program"
    return f"{origin}, line {entry.line}" if entry.line else origin


#: The longest weighted word that is searched for across a token of the user's.
_MAX_LENGTH = 24


def _losers(
    text: str, tokens: Tokens, user: UserDictionary, edges: Iterable[Edge]
) -> Iterator[tuple[UserWord, int]]:
    """Yield each word of the user in a text that is not a token, and the token that won."""
    owners: dict[int, int] = {}  # the token of each character
    for number, token in enumerate(tokens):
        owners.update(dict.fromkeys(range(token.start, token.end), number))
    spans = {(edge.start, edge.end) for edge in edges if edge.kind == "user"}
    for number, token in enumerate(tokens):
        # weighted words across a token of the user's do not compete with it: the DAG lacks them
        if tokens.entry(number) is None:
            continue
        for start in range(max(0, token.start - _MAX_LENGTH + 1), token.end):
            limit = min(len(text), start + _MAX_LENGTH)
            for end in range(max(start, token.start) + 1, limit + 1):
                entry = user.get(text[start:end])
                if entry is not None and entry.level == "weight":
                    spans.add((start, end))
    for start, end in sorted(spans):
        entry = user.get(text[start:end])
        overlapping = sorted({owners[offset] for offset in range(start, end) if offset in owners})
        if entry is None or not overlapping or any(tokens.entry(n) == entry for n in overlapping):
            continue
        user_tokens = [n for n in overlapping if tokens.entry(n) is not None]
        yield entry, (user_tokens or overlapping)[0]
