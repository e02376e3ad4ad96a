"""Whoosh (whoosh-reloaded): a field with an analyzer for our words.

An index stores the words of a text, the words inside them and their characters (a run of letters
or digits counts as one), with offsets, and positions counted in characters.  A query of a
:class:`Text` field finds a word wherever its characters occur, and ranks by words.

>>> analyzer = Analyzer()
>>> [(t.text, t.pos) for t in analyzer("共和国", mode="index", positions=True)]
[('共和国', 0), ('共和', 0), ('共', 0), ('和', 1), ('国', 2)]
>>> [t.text for t in analyzer("共和国成立", mode="query")]
['共', '和', '国', '成', '立']
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.adapters._terms import Terms, stale_index
from segmenter.errors import check_str, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from segmenter.adapters._terms import Unit
    from segmenter.core import Segmenter
    from segmenter.search import SearchOptions

analysis = require("whoosh.analysis", "whoosh", __name__)
fields = require("whoosh.fields", "whoosh", __name__)
highlight = require("whoosh.highlight", "whoosh", __name__)
query = require("whoosh.query", "whoosh", __name__)

#: Score of a string that is not a word of the text: below that of every word.
_STRING = 0.01


class Analyzer(analysis.Analyzer):  # type: ignore[misc, name-defined]
    """For ``whoosh.fields.TEXT(Analyzer(), multitoken_query="phrase")``; :class:`Text` does more.

    Whoosh stores it in the index with the schema; its pickle is small.  An index whose texts this
    package would now cut differently is refused when it is opened.

    Args:
        segmenter: None: the default preset.
        options: what is indexed; None: everything except blanks, line ends and punctuation.
        script: Traditional, Hong Kong and Taiwan forms of characters match each other.
    """

    def __init__(
        self,
        segmenter: Segmenter | None = None,
        options: SearchOptions | None = None,
        script: bool = True,
    ) -> None:
        self._terms = Terms(segmenter, options, script)

    @property
    def segmenter(self) -> Segmenter:
        return self._terms.segmenter

    @property
    def options(self) -> SearchOptions:
        return self._terms.options

    @property
    def fingerprint(self) -> str:
        return self._terms.fingerprint

    def __getstate__(self) -> dict[str, Any]:
        return {
            "segmenter": self.segmenter,
            "options": self.options,
            "script": self._terms.script,
            "fingerprint": self.fingerprint,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        stored = state.get("fingerprint", "another version")
        self._terms = Terms(state["segmenter"], state["options"], state.get("script", False))
        if stored != self.fingerprint:
            raise stale_index("the index", stored, self.fingerprint, "make it again from its texts")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Analyzer) and self.fingerprint == other.fingerprint

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Analyzer({self.segmenter!r}, {self.options!r})"

    def __call__(
        self,
        value: str,
        positions: bool = False,
        chars: bool = False,
        keeporiginal: bool = False,
        removestops: bool = True,
        start_pos: int = 0,
        start_char: int = 0,
        tokenize: bool = True,
        mode: str = "",
        **options: Any,
    ) -> Iterator[Any]:
        """Whoosh's protocol: one token object, refilled for each term.

        In the mode ``"query"`` it yields characters, each at its own position.
        """
        check_str("value", value)
        token = analysis.Token(positions, chars, removestops=removestops, mode=mode, **options)
        for text, start, end, position in self._entries(value, mode, tokenize):
            token.text = text
            token.boost = 1.0
            token.stopped = False
            if keeporiginal:
                token.original = value[start:end]
            if positions:
                token.pos = start_pos + position
            if chars:
                token.startchar = start_char + start
                token.endchar = start_char + end
            yield token

    def _entries(self, text: str, mode: str, tokenize: bool) -> Iterable[tuple[str, int, int, int]]:
        """Terms with start, end and position."""
        if not tokenize:
            return [(self._terms.fold(text), 0, len(text), 0)]
        if mode == "query":
            return [(u.text, u.start, u.end, u.position) for u in self._terms.units(text)]
        return self._index(text)

    def _index(self, text: str) -> list[tuple[str, int, int, int]]:
        """Units, words and the words inside words, by start, then longest first."""
        terms = self._terms
        spans = list(terms.unit_spans(text))
        positions = {start: number for number, (start, _) in enumerate(spans)}
        entries = [
            (reading, u.start, u.end, u.position)
            for u in terms.units(text)
            for reading in u.readings
        ]
        folded = terms.fold(text)
        readings = terms.readings(text) or folded
        words = self.segmenter.tokenize(text, mode="search", options=self.options)
        for a, b in set(words.spans).difference(spans):
            if a in positions:
                forms = sorted({folded[a:b], readings[a:b]})
                entries += [(form, a, b, positions[a]) for form in forms]
        entries.sort(key=lambda term: (term[1], -term[2]))
        return entries


class Text(fields.TEXT):  # type: ignore[misc, name-defined]
    """A field of Chinese text: ``whoosh.fields.Schema(body=Text(stored=True))``.

    ``QueryParser`` gets a query's words from it: each is found wherever its characters occur, and
    documents that contain it as a word come first.  A phrase in quotes is a row of characters.

    Args:
        segmenter, options, script: as in :class:`Analyzer`.
        field_options: options of ``whoosh.fields.TEXT``, such as ``stored=True``.
    """

    def __init__(
        self,
        segmenter: Segmenter | None = None,
        options: SearchOptions | None = None,
        script: bool = True,
        **field_options: Any,
    ) -> None:
        super().__init__(Analyzer(segmenter, options, script), **field_options)

    def self_parsing(self) -> bool:
        return True

    def parse_query(self, fieldname: str, qstring: str, boost: float = 1.0) -> Any:
        """Whoosh's protocol: the query for a string between two blanks.

        ``*``, and ``?`` before a letter, are wildcards over words and characters, as usual.
        """
        if re.search(r"\*|\?(?=\w)", qstring):
            fold = self.analyzer._terms.fold
            pattern = "".join(c if c in "*?" else fold(c) for c in qstring)
            return query.Wildcard(fieldname, pattern, boost=boost)
        return strings(fieldname, qstring, self.analyzer, boost=boost)


def strings(
    fieldname: str, text: str, analyzer: Analyzer, *, any_word: bool = False, boost: float = 1.0
) -> Any:
    """Return a query for typed text: documents that contain all its words.

    Args:
        fieldname: a field with this analyzer and positions.
        text: any text; no character is syntax.
        any_word: find documents with any of the words, not all of them.
        boost: factor of the score.
    """
    if not isinstance(analyzer, Analyzer):
        raise wrong_type("analyzer", analyzer, "an Analyzer")
    terms = analyzer._terms
    words = terms.spans(text)
    queries = [
        String(fieldname, part, (part[0].start, part[-1].end) in words, boost)
        for part in terms.parts(text)
    ]
    if not queries:
        return query.NullQuery
    if len(queries) == 1:
        return queries[0]
    return query.Or(queries) if any_word else query.And(queries)


class String(query.Query):  # type: ignore[misc, name-defined]
    """Finds documents that contain a row of units; scored by the word that the units form.

    Args:
        part: the units, at least one.
        word: whether the units are one word in the query; documents with that word come first.
        boost: factor of the score.
    """

    def __init__(self, fieldname: str, part: list[Unit], word: bool, boost: float = 1.0) -> None:
        self.fieldname = fieldname
        self.part = part
        self.word = word
        self.boost = boost
        readings = {"".join(unit.text for unit in part), "".join(u.readings[-1] for u in part)}
        self.words = sorted(readings)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, String) and (
            (self.fieldname, self.words, self.word, self.boost)
            == (other.fieldname, other.words, other.word, other.boost)
        )

    def __hash__(self) -> int:
        return hash((self.fieldname, *self.words, self.word, self.boost))

    def __repr__(self) -> str:
        return f"String({self.fieldname!r}, {'/'.join(self.words)!r})"

    def is_leaf(self) -> bool:
        return True

    def has_terms(self) -> bool:
        return True

    def field(self) -> str:
        return self.fieldname

    def terms(self, phrases: bool = False) -> Iterator[tuple[str, str]]:
        """Yield the words that Whoosh's own highlighter marks."""
        for word in self.words:
            yield self.fieldname, word

    def estimate_size(self, ixreader: Any) -> int:
        return self._expanded().estimate_size(ixreader)  # type: ignore[no-any-return]

    def estimate_min_size(self, ixreader: Any) -> int:
        return self._expanded().estimate_min_size(ixreader)  # type: ignore[no-any-return]

    def matcher(self, searcher: Any, context: Any = None) -> Any:
        return self._expanded().matcher(searcher, context)

    def _expanded(self) -> Any:
        """The query in terms of Whoosh's own classes."""
        words = [query.Term(self.fieldname, word, boost=self.boost) for word in self.words]
        if len(self.part) == 1:
            return words[0] if len(words) == 1 else query.Or(words)
        row: Any = None
        end = 0
        for stretch in _stretches(self.part):
            terms = []
            for unit in stretch:
                forms = [query.Term(self.fieldname, r) for r in unit.readings]
                terms.append(forms[0] if len(forms) == 1 else query.Or(forms))
            string = terms[0]
            if len(terms) > 1:
                string = query.SpanNear2(terms, slop=1, ordered=True, mindist=1)
            gap = stretch[0].position - end
            row = string if row is None else query.SpanNear2([row, string], slop=gap, mindist=gap)
            end = stretch[-1].position
        return query.Or([*words, query.ConstantScoreQuery(row, _STRING) if self.word else row])


class Highlighter(highlight.Highlighter):  # type: ignore[misc, name-defined]
    """``results.highlighter = Highlighter()``: marks the characters of the query, words or not.

    (Whoosh's own highlighter marks only words of the text.)  It takes the same arguments.
    """

    def highlight_hit(
        self, hitobj: Any, fieldname: str, text: str | None = None, top: int = 3,
        minscore: int = 1, strict_phrase: bool = False,
    ) -> Any:  # fmt: skip
        """Whoosh's protocol: the best fragments of a hit's text, marked."""
        results = hitobj.results
        analyzer = results.searcher.schema[fieldname].analyzer
        if not isinstance(analyzer, Analyzer):
            return super().highlight_hit(hitobj, fieldname, text, top, minscore, strict_phrase)
        if text is None:
            text = hitobj[fieldname]
        units = list(analyzer._terms.units(text))
        marked = _joined(_matches(units, results.q, fieldname))
        spans = [(a, b, True) for a, b in marked]
        spans += [
            (unit.start, unit.end, False)
            for unit in units
            if not any(a <= unit.start < b for a, b in marked)
        ]
        tokens = []
        for pos, (a, b, matched) in enumerate(sorted(spans)):
            token = analysis.Token(pos=pos, startchar=a, endchar=b, matched=matched)
            token.text = text[a:b]
            tokens.append(token)
        fragments = self.fragmenter.fragment_tokens(text, tokens)
        best = highlight.top_fragments(fragments, top, self.scorer, self.order, minscore=minscore)
        return self.formatter.format(best)


def _stretches(part: list[Unit]) -> list[list[Unit]]:
    """The stretches of a row of units between the gaps that dropped units leave."""
    stretches = [part[:1]]
    for unit in part[1:]:
        if unit.position != stretches[-1][-1].position + 1:
            stretches.append([])
        stretches[-1].append(unit)
    return stretches


def _matches(units: list[Unit], whole_query: Any, fieldname: str) -> set[tuple[int, int]]:
    """The spans of a text, given as its units, that match rows of a query."""
    numbers: dict[str, list[int]] = {}  # of units, by reading
    for k, unit in enumerate(units):
        for reading in unit.readings:
            numbers.setdefault(reading, []).append(k)
    spans = set()
    for row in _rows(whole_query, fieldname):
        for k in (k for reading in row[0][1] for k in numbers.get(reading, ())):
            window = units[k : k + len(row)]
            if len(window) == len(row) and all(
                set(unit.readings) & set(readings) and unit.position == units[k].position + i
                for unit, (i, readings) in zip(window, row, strict=True)
            ):
                spans.add((window[0].start, window[-1].end))
    return spans


def _joined(spans: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Spans in order, with those that overlap or touch joined."""
    joined: list[list[int]] = []
    for a, b in sorted(spans):
        if joined and a <= joined[-1][1]:
            joined[-1][1] = max(b, joined[-1][1])
        else:
            joined.append([a, b])
    return joined


def _rows(whole_query: Any, fieldname: str) -> Iterator[list[tuple[int, tuple[str, ...]]]]:
    """The rows of units in a query: each unit's distance from the first and its readings."""
    for leaf in whole_query.leaves():
        if isinstance(leaf, String) and leaf.fieldname == fieldname:
            yield [(unit.position - leaf.part[0].position, unit.readings) for unit in leaf.part]
        elif isinstance(leaf, query.Phrase) and leaf.fieldname == fieldname and leaf.slop == 1:
            yield [(k, (word,)) for k, word in enumerate(leaf.words)]
        else:
            for name, word in leaf.terms(phrases=True):
                if name == fieldname:
                    yield [(0, (word,))]
