"""``python -m eval.retrieval.marks``: what the marks of SQLite's index cost, and what they are for.

The first form of the index gave a character one of six marks: its place in its word, and whether
something was dropped before it.  The index now has two, and a third for common characters
(``segmenter.adapters._ends``).  For these and other sets of marks:

* the bytes of an index over the documents of ``eval.retrieval``, by the format of FTS5 (a
  document's number, the length of its list, positions: integers of 7 bits a byte; shared prefixes
  of tokens once), beside those of bigrams by the same arithmetic;
* how well FTS5's ``rank`` finds the two collections of ``eval.bm25``: sentences by two of their
  words, paragraphs by their titles.

Results: ``eval/results/retrieval_marks.md`` and ``.json``.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import numpy as np

import segmenter as seg
from eval import bm25, common
from eval.retrieval.documents import documents
from eval.retrieval.systems import grams
from segmenter.adapters._terms import ALONE, FIRST, MARKS, Terms, Unit
from segmenter.capi.tables import COMMON

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

DOCUMENTS = 20_000
BEHIND = {ALONE: ":", FIRST: "["}
SIX = "".join((*MARKS, *BEHIND.values()))  # . < - > : [
_NEXT, _OR = "\x02", "\x03"


class Scheme(NamedTuple):
    """What stands for each mark of SIX; on the ``most`` frequent characters, ``of``.

    The characters ``both`` have ``~`` in a document where they would have two marks.
    """

    name: str
    marks: str
    most: int = 0
    of: str = "......"
    both: Callable[[str], bool] = frozenset[str]().__contains__


SCHEMES = (
    Scheme("the six of the first form", SIX),
    Scheme("the six, without what was dropped", ".<->.<"),
    Scheme("first or not; dropped", "..--[["),
    Scheme("last or not", ".--..-"),
    Scheme("last or not; none on 100 characters", ".--..-", 100),
    Scheme("**last or not; one for both on 110 characters**", ".--..-", both=COMMON.__contains__),
    Scheme("last or not; one for both on all", ".--..-", both=bool),
    Scheme("dropped", "....[["),
    Scheme("none", "......"),
)


def main() -> int:
    """Measure, print and save."""
    data = common.data_dir(None)
    terms = Terms(seg.load())
    texts = [doc.text for doc in documents(data, DOCUMENTS)[0]]
    units = [tokens_of(terms, text) for text in texts]
    two = grams(2)
    bigrams = index_bytes([[token for token, _, _ in two(text)] for text in texts])
    found = Counter(c for tokens in units for c in {token[:-1] for token in tokens})
    place = {c: k for k, (c, _) in enumerate(found.most_common())}
    collections = []
    for collection, joint in ((bm25.words(data), " AND "), (bm25.titles(data), " OR ")):
        marked_texts = [tokens_of(terms, text) for text in collection.documents]
        parts = [(terms.parts(query), wanted) for query, wanted in collection.queries]
        collections.append((marked_texts, parts, joint))
    collections.insert(1, (*collections[0][:2], " OR "))
    rows: list[list[str]] = []
    saved: dict[str, object] = {}
    first: list[NDArray[np.float64]] = []
    for scheme in SCHEMES:
        size = index_bytes([marked(scheme, place, tokens) for tokens in units])
        ranks = [reciprocal(scheme, place, *each) for each in collections]
        first = first or ranks
        cells = [scheme.name, f"{size / 1e6:.2f}", f"{size / bigrams:.3f}"]
        for ours, theirs in zip(ranks, first, strict=True):
            low, high = bm25.interval(ours, theirs)
            cells += [f"{ours.mean():.3f}", "" if ours is theirs else f"{low:+.3f} to {high:+.3f}"]
        rows.append(cells)
        saved[scheme.name] = {"bytes": size, "mrr": [float(r.mean()) for r in ranks]}
        print(*cells, sep=" | ", file=sys.stderr, flush=True)
    about = common.facts(["apsw"])
    report = "\n".join(
        [
            common.heading("Marks in SQLite's index", about, "python -m eval.retrieval.marks"),
            f"{DOCUMENTS:,} documents of `eval.retrieval`, bigrams {bigrams / 1e6:.2f} MB; "
            f"{len(collections[0][0]):,} sentences, {len(collections[2][0]):,} paragraphs and "
            f"{len(collections[0][1])} queries for each of `eval.bm25`, ranked by FTS5.\n",
            common.table(
                (
                    "marks", "MB", "of bigrams", "MRR@10, two words, all", "against the six (95%)",
                    "any of them", "against the six (95%)",
                    "titles, any word", "against the six (95%)",
                ),
                rows,
            ),
            "",
            "- *Dropped*: a character behind punctuation or a blank has a mark of its own; without "
            "it, strings are also found across punctuation. *None on n characters*: the n most "
            "frequent have no mark at all. *One for both*: such a character has a third mark in a "
            "document where it would have two. The index has the marks in bold.",
            "- Bytes are computed by FTS5's format, for bigrams and for ours.",
            "- A mark costs where a character stands twice in a document under two marks: the "
            "document then is in two lists. Positions are what phrases are, punctuation has none.",
        ]
    )  # fmt: skip
    print(report)
    common.write("retrieval_marks", report, {**about, "bigrams": bigrams, "schemes": saved})
    return 0


def tokens_of(terms: Terms, text: str) -> list[str]:
    """The units of a text with the six marks."""
    out, end = [], 0
    for unit in terms.units(text):
        mark = unit.mark if unit.position == end else BEHIND.get(unit.mark, unit.mark)
        out.append(unit.text + mark)
        end = unit.position + 1
    return out


def of(scheme: Scheme, place: dict[str, int], text: str) -> str:
    """What stands for SIX on this unit."""
    return scheme.of if place.get(text, DOCUMENTS) < scheme.most else scheme.marks


def marked(scheme: Scheme, place: dict[str, int], tokens: list[str]) -> list[str]:
    """The tokens of a text with the marks of a scheme."""
    out = [token[:-1] + of(scheme, place, token[:-1])[SIX.index(token[-1])] for token in tokens]
    marks: dict[str, set[str]] = {}
    for token in out:
        marks.setdefault(token[:-1], set()).add(token[-1])
    both = {text for text, of_text in marks.items() if len(of_text) > 1 and scheme.both(text)}
    return [token[:-1] + "~" if token[:-1] in both else token for token in out]


def index_bytes(docs: Sequence[Sequence[str]]) -> int:
    """Bytes of FTS5's lists and tokens."""
    ids: dict[str, int] = {}
    token = np.fromiter((ids.setdefault(t, len(ids)) for doc in docs for t in doc), np.int64)
    lengths = np.array([len(doc) for doc in docs])
    doc = np.repeat(np.arange(len(docs)), lengths)
    at = np.concatenate([np.arange(n) for n in lengths])
    order = np.argsort(token, kind="stable")
    token, doc, at = token[order], doc[order], at[order]
    new = np.ones(len(token), bool)
    new[1:] = (token[1:] != token[:-1]) | (doc[1:] != doc[:-1])
    steps = at.copy()
    steps[1:][~new[1:]] -= at[:-1][~new[1:]]
    starts = np.flatnonzero(new)
    positions = _varint(steps + 2)
    lists = np.add.reduceat(positions, starts)
    of_token, number = token[starts], doc[starts]
    begins = np.ones(len(starts), bool)
    begins[1:] = of_token[1:] != of_token[:-1]
    rows = number.copy()
    rows[1:][~begins[1:]] -= number[:-1][~begins[1:]]
    total = positions.sum() + _varint(lists * 2).sum() + _varint(rows).sum()
    before = b""  # a token: two lengths, and a byte in the index of its page
    for word in sorted(text.encode() for text in ids):
        shared = next((k for k in range(min(len(word), len(before))) if word[k] != before[k]), None)
        total += len(word) - (min(len(word), len(before)) if shared is None else shared) + 3
        before = word
    return int(total)


def _varint(values: NDArray[np.int64]) -> NDArray[np.int64]:
    return 1 + (values >= 1 << 7).astype(np.int64) + (values >= 1 << 14) + (values >= 1 << 21)


def reciprocal(
    scheme: Scheme,
    place: dict[str, int],
    sentences: list[list[str]],
    asked: list[tuple[list[list[Unit]], int]],
    joint: str,
) -> NDArray[np.float64]:
    """1/rank of every query; what stands between its parts, all or any of them."""

    def tokenizer(utf8: bytes, flags: int, _: object) -> list[tuple[Any, ...]]:
        return [(0, 0, *t.split(_OR)) for t in utf8.decode().split(_NEXT)]

    db = apsw.Connection("")
    db.register_fts5_tokenizer("marks", lambda *_: tokenizer)
    db.execute("create virtual table d using fts5(b, content='', tokenize='marks')")
    texts = (_NEXT.join(marked(scheme, place, tokens)) for tokens in sentences)
    with db:
        db.executemany("insert into d(rowid, b) values (?, ?)", enumerate(texts))

    def phrase(part: list[Unit], marks_of: Callable[[int, Unit], str]) -> str:
        forms = []
        for k, unit in enumerate(part):
            ours = of(scheme, place, unit.text)
            some = sorted({ours[SIX.index(m)] for m in marks_of(k, unit)})
            some += ["~"] if scheme.both(unit.text) else []
            forms.append(_OR.join(unit.text + mark for mark in some))
        return '"' + _NEXT.join(forms).replace('"', '""') + '"'

    def whole(k: int, unit: Unit) -> str:
        return unit.mark + BEHIND.get(unit.mark, "") if k == 0 else unit.mark

    def string(k: int, unit: Unit) -> str:
        return SIX if k == 0 else "".join(MARKS)

    ranks = []
    for parts, wanted in asked:
        each = [f"({phrase(part, whole)} OR {phrase(part, string)})" for part in parts]
        sql = "select rowid, rank from d(?) order by rank limit 50"
        rows = list(db.execute(sql, (joint.join(each) or '""',)))
        score = next((score for row, score in rows if row == wanted), None)
        before = bm25.DEPTH + 1 if score is None else sum(s <= score for _, s in rows)
        ranks.append(1 / before if before <= bm25.DEPTH else 0.0)
    return np.array(ranks)


if __name__ == "__main__":
    sys.exit(main())
