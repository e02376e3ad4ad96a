"""Learns words from a text: strings that recur and about which the decoder is unsure.

A name that is in no lexicon may be whole in one sentence and split in the next.  All its
occurrences together are better evidence than a single one (one sense per discourse: Gale, Church
and Yarowsky 1992).
A string of Han characters is learned if

- it recurs, is cohesive inside and has varied neighbours (:mod:`segmenter.lexicon.recurrence`:
  count, mutual information of its parts, entropy of its neighbours);
- its ends are boundaries in most of its places, not counting those inside a longer word that is
  not in the lexicon, or without a tag there (王云 in 王云道);
- the tagger is unsure about the boundaries inside it: in some places there are none, and in the
  others the best path without one of them is not much worse than the best path (by the margins of
  :meth:`Segmenter.tokenize <segmenter.core.Segmenter.tokenize>`).  Margins are divided by the
  text's median margin, so a model's scale does not matter.  The more the parts of a string depend
  on each other, the larger the margins may be: the parts of 水夫人 and 龙涎草 hardly ever occur
  separately, yet taggers cut them with large margins.  A lattice has no margins: there, the string
  must be cut into single characters.

Lexicon words are not learned, except names that are not whole everywhere: a decoder may join them
to the next character.

The text is read once, in blocks of :data:`BLOCK` characters (partitions, as in Savasere, Omiecinski
and Navathe 1995), so time is linear and memory bounded: counting a block takes about 150 MB, or
more if a single line is longer than a block, and the table of :data:`CANDIDATES` candidates about
30 MB; when it is full, the rarer half is dropped.  A word that occurs fewer than :data:`LEAST`
times in every block is not found.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from segmenter.errors import check_str
from segmenter.files.reading import grouped
from segmenter.kernels import _engine, _tokens
from segmenter.lexicon.recurrence import Strings
from segmenter.lexicon.user import LEARNED, UserWord
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from numpy.typing import NDArray

    from segmenter.lexicon import Lexicon
    from segmenter.lexicon.user import UserDictionary

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

#: Characters that are looked at together.
BLOCK = 1 << 20
#: Candidates that are remembered from block to block, at most.
CANDIDATES = 1 << 16
#: Distinct strings of one length that are counted at once, at most.
STRINGS = 1 << 22
#: Places of a word in one block, at least.
LEAST = 4
#: Characters of a word, at most.
LONGEST = 4
#: Share of its places, those within longer unknown words left out, where its ends are boundaries;
#: half of them do where the string is this text's own, see KEY, and a third where moreover its
#: parts hardly stand without each other (FIXED_PMI: this share of the most that is possible) and
#: longer words do not hold it: 公道 takes the end of 多九公 in 多九公道.
ENDS, KEY_ENDS, FIXED_ENDS = 0.7, 0.5, 0.35
FIXED_PMI = 0.9
#: Least entropy of the neighbours on either side, nats: nearly that of three neighbours.
ENTROPY = 1.05
#: By the share of its places where a tagger has the word whole: from this share on it needs at
#: least this mutual information (nats) and at most this doubt (median margins).
RULES = ((0.5, 2.0, 0.5), (0.03, 3.5, 0.35))
#: Below that share: this mutual information, and a doubt that may grow with the logarithm of the
#: count, up to a bound; to a wider one where the string is this text's own: one place in KEY
#: characters.
NEVER_PMI, NEVER_GROWTH, NEVER_DOUBT = 4.5, 0.15, 0.35
KEY, KEY_DOUBT = 5000, 0.6
#: Parts that hardly ever stand without each other: this mutual information stands for more doubt.
FIRM_PMI, FIRM_DOUBT = 6.5, 0.55
#: Parts that all but never stand without each other, however the tagger cuts (龙涎草, 水夫人): in
#: so many places, and ends in this share of them, this share of the mutual information of parts
#: that only occur together, and nats at least, stand for still more doubt; other bounds where the
#: string is this text's own.
ONLY_PLACES, ONLY_ENDS, ONLY_LEAST = 10, 0.8, 4.0
ONLY_PMI, ONLY_DOUBT = 0.9, 0.75
ONLY_KEY_PMI, ONLY_KEY_DOUBT = 0.85, 0.95
#: For a lattice, which has no unknown word whole.
LATTICE_PMI, LATTICE_ENTROPY = 5.0, 1.5
#: A learned word is preferred, unless other words cross it in this share of its places, or the
#: lexicon has it: then it competes, by so many times its share of the text as a lexicon's count.
CROSSED, HEAVY = 0.1, 10_000
#: Tags of the lexicon's words that are learned too: names of persons, and words without a tag.
#: Other names only where the decoder joins this share of their places to the next character,
#: without those where that is right (台東市) or a longer word of the lexicon (尼泊尔人), twice.
NAMES, OTHER_NAMES, JOINED = ("nr", "x"), ("ns", "nt", "nz"), 0.05
#: What makes one word with a place before it: the commonest last characters of the lexicon's words
#: that begin with a place, without 人, which is as often a word of its own.
HEADS = np.array([*map(ord, "县縣市区區镇鎮路队隊村河山州港乡鄉城岛島街语語湾灣湖府省郡站寺")])
_RUN = 1 << 14  # characters that are decoded in one call
_NO_OTHER_WAY = 1e5  # margins from here on stand where there is no other way


class Evidence(NamedTuple):
    """The evidence for a string: sums over its places.

    Attributes:
        places: their number.
        within: places inside a longer word that is not in the lexicon either.
        whole: places where the decoder has it as one word.
        cut: places where the decoder cuts it, and also at both its ends.
        doubt: with a tagger: the sum of the least margins of the tokens where it is cut, minus that
            of the word where it is whole, in median margins; less means more doubt.  With a
            lattice: the number of places where a token in it has two or more characters.
        pmi: places times mutual information of its parts, in nats.
        left, right: places times entropy of its neighbours, in nats.
        headed: those of ``within`` where one of :data:`HEADS` follows it.
        held: places inside a longer word of the lexicon.
    """

    places: int
    within: int
    whole: int
    cut: int
    doubt: float
    pmi: float
    left: float
    right: float
    headed: int = 0
    held: int = 0

    def plus(self, other: Evidence) -> Evidence:
        """The evidence of both texts together."""
        return Evidence(*(x + y for x, y in zip(self, other, strict=True)))  # type: ignore[arg-type]

    @property
    def share(self) -> float:
        """The share of places where it is whole, among those where its ends are boundaries."""
        return self.whole / max(self.whole + self.cut, 1)

    @property
    def crossed(self) -> int:
        """Places where a word of the lexicon is longer than it, or a boundary is in it alone."""
        return self.places - self.within - self.whole - self.cut

    def proves(self, word: str, characters: int, margins: bool = True) -> bool:
        """Whether the string is a word of the text.

        Args:
            word: the string.
            characters: Han characters of the text.
            margins: whether the decoder is a tagger.
        """
        ends = self.whole + self.cut
        free = min(self.left, self.right) / self.places
        pmi = self.pmi / self.places
        key = self.places * KEY >= characters
        bound = bound_of(characters, self.places)
        fixed = self.held <= CROSSED * self.places and pmi >= FIXED_PMI * bound
        least = ENDS if not key else FIXED_ENDS if fixed else KEY_ENDS
        if ends < max(least * (self.places - self.within), LEAST / 2) or free < ENTROPY:
            return False
        doubt = self.doubt / ends
        numerals = [chars.char_class(ord(c)) == chars.HANNUM for c in word]
        if any(numerals) and (numerals[0] or "一" in word or not key):
            return False  # most are numbers, dates, and numbers with a unit; 多九公 is a name
        if not margins:
            known = self.share >= RULES[0][0]
            apart = doubt <= 0.25 and pmi >= min(LATTICE_PMI, bound) and free >= LATTICE_ENTROPY
            return known or apart
        if len(word) < LONGEST and self.places >= ONLY_PLACES and not any(numerals):
            least, most = (ONLY_KEY_PMI, ONLY_KEY_DOUBT) if key else (ONLY_PMI, ONLY_DOUBT)
            full = ends >= ONLY_ENDS * (self.places - self.within)
            if full and doubt <= most and pmi >= max(least * bound, ONLY_LEAST):
                return True
        for share, least, most in RULES:
            if self.share >= share:
                wide = max(most, KEY_DOUBT) if key else most
                return pmi >= min(least, bound) and doubt <= wide
        wide = KEY_DOUBT if key else FIRM_DOUBT if pmi >= FIRM_PMI else NEVER_DOUBT
        most = min(NEVER_GROWTH * math.log(self.places), wide)
        return len(word) < LONGEST and pmi >= min(NEVER_PMI, bound) and doubt <= most


def bound_of(characters: int, count: Any) -> Any:
    """Nearly the mutual information of parts that only occur together, in nats.

    A short text allows no more.
    """
    return 0.8 * np.log(characters / count)


class Learner:
    """Gathers evidence about the strings of a text under one engine.

    Args:
        engine: cuts the text.
        lexicon: its words are not learned, except names.
        user: words of the user, which stay as they are.
        margins: whether the engine is a tagger's, which has margins.
    """

    def __init__(
        self, engine: _engine.Engine, lexicon: Lexicon, user: UserDictionary, margins: bool
    ) -> None:
        self.engine = engine
        self.lexicon = lexicon
        self.user = user
        self.margins = margins
        self.found: dict[str, Evidence] = {}
        self.known: set[str] = set()  # of those found: words of the lexicon that are not names
        self.characters = 0

    def read(self, texts: Iterable[str]) -> None:
        """Read texts, block by block.

        Raises:
            TypeError: a text is not a str (its index is named).
        """

        def lines() -> Iterator[str]:
            for index, text in enumerate(texts):
                check_str(f"texts[{index}]", text)
                yield from text.split("\n")

        for block in grouped(lines(), BLOCK):
            self._block(block)

    def _block(self, lines: list[str]) -> None:
        strings = Strings(lambda: lines, LEAST, LONGEST, STRINGS)
        self.characters += strings.characters
        code = strings.codes(lines)
        boundary, low, glued, head = self._decoded(lines, len(code))
        before = np.cumsum(boundary)  # boundaries up to the one before each character
        words: list[str] = []
        rows: list[Evidence] = []
        number: list[Ints] = []
        for n in range(2, len(strings.tables) + 1):
            size = len(strings.tables[n - 1].counts)
            ids = strings.ids_at(code, n)
            at = np.flatnonzero(ids)
            which = ids[at] - 1
            ends = boundary[at] & boundary[at + n]
            one = before[at + n - 1] == before[at]
            whole = ends & one
            within = glued[at] & one & ~whole
            headed = within & head[at + n] & (before[at + n] == before[at])
            held = one & ~whole & ~within
            inside = np.array([low[at + k] for k in range(n)])
            least = inside.min(axis=0) if self.margins else inside.max(axis=0)
            signed = np.where(whole, -least if self.margins else 0.0, least) * ends

            def summed(column: Bools | Floats, which: Ints = which, size: int = size) -> Floats:
                total: Floats = np.bincount(which, column, size).astype(np.float64)
                return total

            taken = (whole | True, within, whole, ends & ~whole, headed, held, signed)
            columns = [summed(c) for c in taken]
            total, inner, as_one, cut, *_ = columns
            pmi = strings.pmi(n)
            numbers = np.zeros(size + 1, np.int64)
            some = as_one + cut >= np.maximum(FIXED_ENDS * (total - inner), LEAST / 2)
            some &= pmi >= np.minimum(RULES[0][1], bound_of(strings.characters, total))
            for place in np.flatnonzero(some).tolist():
                word = strings.spell(n, place)
                if word in self.user:
                    continue
                if word in self.lexicon and self.lexicon.tag(word) not in NAMES + OTHER_NAMES:
                    self.known.add(word)
                *counts, doubt = (float(column[place]) for column in columns)
                a, b, c, d, e, f = map(int, counts)
                rows.append(Evidence(a, b, c, d, doubt, float(pmi[place]) * a, 0.0, 0.0, e, f))
                words.append(word)
                numbers[place + 1] = len(words)
            number.append(numbers)
        if words:
            left, right = strings.entropies(number, [row.places for row in rows])
            for word, row, x, y in zip(words, rows, left.tolist(), right.tolist(), strict=True):
                self._add(word, row._replace(left=x * row.places, right=y * row.places))
        self._forget()

    def _add(self, word: str, evidence: Evidence) -> None:
        old = self.found.get(word)
        self.found[word] = evidence if old is None else old.plus(evidence)

    def _forget(self) -> None:
        if len(self.found) > CANDIDATES:
            kept = sorted(self.found, key=lambda w: (-self.found[w].places, w))[: CANDIDATES // 2]
            self.found = {word: self.found[word] for word in kept}
            self.known &= self.found.keys()

    def _decoded(self, lines: list[str], size: int) -> tuple[Bools, Floats, Bools, Bools]:
        """Of every character of "\\n" and the lines: whether a boundary is before it, the margin of
        its token, whether that is a long one that the lexicon does not have, and whether it is one
        of :data:`HEADS`."""
        boundary = np.zeros(size + 1, np.bool_)
        low = np.zeros(size, np.float64)
        glued = np.zeros(size, np.bool_)
        head = np.zeros(size + 1, np.bool_)
        seen: list[Floats] = []
        for at, text in _runs(lines):
            starts, ends, margins = _tokens.margins_of(self.engine, text)
            first, last = np.asarray(starts, np.int64) + at, np.asarray(ends, np.int64) + at
            boundary[first] = boundary[last] = True
            characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
            head[at : at + len(characters)] = np.isin(characters, HEADS)
            for k in np.flatnonzero(last - first > 2).tolist():
                word = text[starts[k] : ends[k]]
                if word not in self.lexicon or self.lexicon.tag(word) == "x":
                    glued[first[k] : last[k]] = True
            if self.margins:
                got = np.asarray(margins, np.float64)
                seen.append(got[got < _NO_OTHER_WAY])
            else:
                got = (last - first > 1).astype(np.float64)
            low[first] = got
        # a token's value at all its characters
        holds = np.maximum.accumulate(np.where(boundary[:-1], np.arange(size), 0))
        low = low[holds]
        if self.margins:
            unit = float(np.median(np.concatenate(seen))) if any(map(len, seen)) else 1.0
            low = np.minimum(low / (unit or 1.0), 4.0)
        return boundary, low, glued, head

    def words(self) -> list[UserWord]:
        """Return the words learned, most frequent first, as user words with a level or a weight.

        A string that begins with a word that also occurs elsewhere is that word and what follows.
        So is a string that contains a word twice as frequent, unless the decoder mostly has it
        whole.
        """
        evidence = self._freed()
        proved = {w: e for w, e in evidence.items() if e.proves(w, self.characters, self.margins)}
        out: list[UserWord] = []
        for word in sorted(proved.keys() - self.known, key=lambda w: (-proved[w].places, w)):
            e = proved[word]
            if word in self.lexicon and (
                e.whole == e.places  # nothing to learn
                or (
                    self.lexicon.tag(word) in OTHER_NAMES
                    and e.within - 2 * (e.headed + e.crossed) < JOINED * e.places
                )
            ):
                continue
            if any(
                4 * proved[part].places >= 5 * e.places
                if word.startswith(part)
                else e.share < 0.5 and proved[part].places >= 2 * e.places
                for part in _parts(word)
                if part in proved
            ):
                continue
            payload = {"places": e.places, "whole": e.whole, "pmi": round(e.pmi / e.places, 2)}
            entry = UserWord(word, "prefer", payload=payload, source=LEARNED)
            key = e.places * KEY >= self.characters
            if word in self.lexicon or (e.crossed > CROSSED * e.places and not key):
                entry = entry._replace(level="weight", weight=self.weight(e.places))
            out.append(entry)
        return out

    def weight(self, places: int) -> float:
        """The weight of a word that competes, on the scale of the lexicon's counts."""
        mass: float = self.lexicon.meta["mass"]
        return float(round(HEAVY * places * mass / self.characters))

    def _freed(self) -> dict[str, Evidence]:
        """The evidence; where a lexicon word is nearly always next to the string (竞态 in
        竞态条件), with the neighbours of both together."""
        out = dict(self.found)
        for both, e in self.found.items():
            for k in range(2, len(both) - 1):
                first, last = both[:k], both[k:]
                if first in out and last in self.lexicon:
                    right = max(out[first].right, e.right)
                    out[first] = out[first]._replace(right=right)
                if last in out and first in self.lexicon:
                    left = max(out[last].left, e.left)
                    out[last] = out[last]._replace(left=left)
        return out


def _parts(word: str) -> Iterator[str]:
    for i in range(len(word)):
        for j in range(i + 2, len(word) + (i > 0)):
            yield word[i:j]


def _runs(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Lines joined to texts of about _RUN characters, and where these begin after a line end."""
    at = 1
    for held in grouped(lines, _RUN):
        text = "\n".join(held)
        yield at, text
        at += len(text) + 1
