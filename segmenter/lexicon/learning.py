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

Lexicon words are not learned, except names that are not whole in every place: a decoder may join
them to the next character.

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

#: Characters per block.
BLOCK = 1 << 20
#: The most candidates kept from block to block.
CANDIDATES = 1 << 16
#: The most distinct strings of one length counted at once.
STRINGS = 1 << 22
#: The fewest places of a word in one block.
LEAST = 4
#: The most characters of a word.
LONGEST = 4
#: The least share of places, without those in longer unknown words, where both ends of the string
#: are boundaries.  A lower share is enough for a string of high frequency (see KEY), and a still
#: lower one if also its mutual information is at least FIXED_PMI of the maximum and longer words
#: rarely contain it: 公道 takes the end of 多九公 in 多九公道.
ENDS, KEY_ENDS, FIXED_ENDS = 0.7, 0.5, 0.35
FIXED_PMI = 0.9
#: The least entropy of the neighbours on either side, nats: nearly that of three neighbours.
ENTROPY = 1.05
#: (share of places where a tagger has the word whole, least mutual information in nats, most doubt
#: in median margins): the first row with a share that the word reaches applies.
RULES = ((0.5, 2.0, 0.5), (0.03, 3.5, 0.35))
#: Below the shares of RULES: the least mutual information, and the most doubt, which grows with the
#: logarithm of the count up to a bound; the bound is higher for a string of high frequency, one
#: place in KEY characters.
NEVER_PMI, NEVER_GROWTH, NEVER_DOUBT = 4.5, 0.15, 0.35
KEY, KEY_DOUBT = 5000, 0.6
#: Parts that rarely occur separately: from this mutual information on more doubt is allowed.
FIRM_PMI, FIRM_DOUBT = 6.5, 0.55
#: Parts that almost never occur separately, however the tagger cuts (龙涎草, 水夫人): with at least
#: so many places, this share of ends, this many nats, and this share of the maximum of mutual
#: information, still more doubt is allowed; other bounds for a string of high frequency.
ONLY_PLACES, ONLY_ENDS, ONLY_LEAST = 10, 0.8, 4.0
ONLY_PMI, ONLY_DOUBT = 0.9, 0.75
ONLY_KEY_PMI, ONLY_KEY_DOUBT = 0.85, 0.95
#: Bounds for a lattice, which never has an unknown word whole.
LATTICE_PMI, LATTICE_ENTROPY = 5.0, 1.5
#: A learned word is preferred, unless other words cross it in more than this share of its places,
#: or the lexicon has it: then it competes, with HEAVY times its share of the text as count.
CROSSED, HEAVY = 0.1, 10_000
#: Tags of lexicon words that are learned too: names of persons, and words without a tag.  Other
#: names only if the decoder joins at least this share of their places to the next character;
#: places where this is right (台東市) or a longer lexicon word (尼泊尔人) count against it twice.
NAMES, OTHER_NAMES, JOINED = ("nr", "x"), ("ns", "nt", "nz"), 0.05
#: Characters that form one word with a place before them: the most frequent last characters of
#: lexicon words that begin with a place, without 人, which is as often a separate word.
HEADS = np.array([*map(ord, "县縣市区區镇鎮路队隊村河山州港乡鄉城岛島街语語湾灣湖府省郡站寺")])
_CHUNK = 1 << 14  # characters decoded in one call
_NO_ALTERNATIVE = 1e5  # margins from this value on mean that there is no other path


class Evidence(NamedTuple):
    """The evidence for a string: sums over its places.

    Attributes:
        places: their number.
        in_unknown: places inside a longer word that is not in the lexicon either.
        whole: places where the decoder has the string as one word.
        cut: places where the decoder cuts the string inside and at both ends.
        doubt: with a tagger: the sum of the least margins of the tokens where the string is cut,
            minus that of the word where it is whole, in median margins; less means more doubt.
            With a lattice: the number of places where a token in it has two or more characters.
        pmi: places times mutual information of its parts, in nats.
        left, right: places times entropy of its neighbours, in nats.
        with_head: places of ``in_unknown`` with one of :data:`HEADS` after the string.
        in_known: places inside a longer word of the lexicon.
    """

    places: int
    in_unknown: int
    whole: int
    cut: int
    doubt: float
    pmi: float
    left: float
    right: float
    with_head: int = 0
    in_known: int = 0

    def plus(self, other: Evidence) -> Evidence:
        """Return the evidence of both texts together."""
        return Evidence(*(x + y for x, y in zip(self, other, strict=True)))  # type: ignore[arg-type]

    @property
    def share(self) -> float:
        """The share of places where the string is whole, among those where its ends are
        boundaries."""
        return self.whole / max(self.whole + self.cut, 1)

    @property
    def crossed(self) -> int:
        """Places inside a longer lexicon word, or with boundaries inside but not at both ends."""
        return self.places - self.in_unknown - self.whole - self.cut

    def proves(self, word: str, characters: int, margins: bool = True) -> bool:
        """Whether the string is a word of the text.

        Args:
            word: the string.
            characters: Han characters of the text.
            margins: whether the decoder is a tagger.
        """
        ends = self.whole + self.cut
        entropy = min(self.left, self.right) / self.places
        pmi = self.pmi / self.places
        is_key = self.places * KEY >= characters
        bound = bound_of(characters, self.places)
        fixed = self.in_known <= CROSSED * self.places and pmi >= FIXED_PMI * bound
        min_share = ENDS if not is_key else FIXED_ENDS if fixed else KEY_ENDS
        if ends < max(min_share * (self.places - self.in_unknown), LEAST / 2) or entropy < ENTROPY:
            return False
        doubt = self.doubt / ends
        numerals = [chars.char_class(ord(c)) == chars.HANNUM for c in word]
        if any(numerals) and (numerals[0] or "一" in word or not is_key):
            return False  # mostly numbers, dates, and numbers with a unit; 多九公 is a name
        if not margins:
            if self.share >= RULES[0][0]:
                return True
            return doubt <= 0.25 and pmi >= min(LATTICE_PMI, bound) and entropy >= LATTICE_ENTROPY
        if len(word) < LONGEST and self.places >= ONLY_PLACES and not any(numerals):
            share, max_doubt = (ONLY_KEY_PMI, ONLY_KEY_DOUBT) if is_key else (ONLY_PMI, ONLY_DOUBT)
            has_ends = ends >= ONLY_ENDS * (self.places - self.in_unknown)
            if has_ends and doubt <= max_doubt and pmi >= max(share * bound, ONLY_LEAST):
                return True
        for share, min_pmi, max_doubt in RULES:
            if self.share >= share:
                if is_key:
                    max_doubt = max(max_doubt, KEY_DOUBT)
                return pmi >= min(min_pmi, bound) and doubt <= max_doubt
        max_doubt = KEY_DOUBT if is_key else FIRM_DOUBT if pmi >= FIRM_PMI else NEVER_DOUBT
        max_doubt = min(NEVER_GROWTH * math.log(self.places), max_doubt)
        return len(word) < LONGEST and pmi >= min(NEVER_PMI, bound) and doubt <= max_doubt


def bound_of(characters: int, count: Any) -> Any:
    """Return nearly the mutual information of parts that only occur together, in nats.

    A short text allows no more.
    """
    return 0.8 * np.log(characters / count)


class Learner:
    """Gathers evidence about the strings of a text under one engine.

    Args:
        engine: cuts the text.
        lexicon: its words are not learned, except names.
        user: words of the user, which are not learned.
        margins: whether the engine is that of a tagger, which has margins.
    """

    def __init__(
        self, engine: _engine.Engine, lexicon: Lexicon, user: UserDictionary, margins: bool
    ) -> None:
        self.engine = engine
        self.lexicon = lexicon
        self.user = user
        self.margins = margins
        self.evidence: dict[str, Evidence] = {}
        self.lexicon_words: set[str] = set()  # strings that are lexicon words, except names
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
        boundary, margin_at, in_unknown_word, is_head = self._decoded(lines, len(code))
        n_boundaries = np.cumsum(boundary)  # up to the boundary before each character
        words: list[str] = []
        rows: list[Evidence] = []
        numbers_by_length: list[Ints] = []
        for n in range(2, len(strings.tables) + 1):
            n_strings = len(strings.tables[n - 1].counts)
            ids = strings.ids_at(code, n)
            offsets = np.flatnonzero(ids)
            string_ids = ids[offsets] - 1
            ends = boundary[offsets] & boundary[offsets + n]
            is_uncut = n_boundaries[offsets + n - 1] == n_boundaries[offsets]
            whole = ends & is_uncut
            in_unknown = in_unknown_word[offsets] & is_uncut & ~whole
            goes_on = n_boundaries[offsets + n] == n_boundaries[offsets]
            with_head = in_unknown & is_head[offsets + n] & goes_on
            in_known = is_uncut & ~whole & ~in_unknown
            margins = np.array([margin_at[offsets + k] for k in range(n)])
            margin = margins.min(axis=0) if self.margins else margins.max(axis=0)
            doubt_of = np.where(whole, -margin if self.margins else 0.0, margin) * ends

            every = np.ones_like(whole)
            by_place = (every, in_unknown, whole, ends & ~whole, with_head, in_known, doubt_of)
            columns: list[Floats] = [
                np.bincount(string_ids, column, n_strings).astype(np.float64) for column in by_place
            ]
            places, n_unknown, n_whole, n_cut, *_ = columns
            pmi = strings.pmi(n)
            numbers = np.zeros(n_strings + 1, np.int64)
            candidates = n_whole + n_cut >= np.maximum(FIXED_ENDS * (places - n_unknown), LEAST / 2)
            candidates &= pmi >= np.minimum(RULES[0][1], bound_of(strings.characters, places))
            for index in np.flatnonzero(candidates).tolist():
                word = strings.spell(n, index)
                if word in self.user:
                    continue
                if word in self.lexicon and self.lexicon.tag(word) not in NAMES + OTHER_NAMES:
                    self.lexicon_words.add(word)
                *counts, doubt = (float(column[index]) for column in columns)
                a, b, c, d, e, f = map(int, counts)
                rows.append(Evidence(a, b, c, d, doubt, float(pmi[index]) * a, 0.0, 0.0, e, f))
                words.append(word)
                numbers[index + 1] = len(words)
            numbers_by_length.append(numbers)
        if words:
            left, right = strings.entropies(numbers_by_length, [row.places for row in rows])
            for word, row, x, y in zip(words, rows, left.tolist(), right.tolist(), strict=True):
                self._add(word, row._replace(left=x * row.places, right=y * row.places))
        self._forget()

    def _add(self, word: str, evidence: Evidence) -> None:
        old = self.evidence.get(word)
        self.evidence[word] = evidence if old is None else old.plus(evidence)

    def _forget(self) -> None:
        if len(self.evidence) > CANDIDATES:
            by_places = sorted(self.evidence, key=lambda w: (-self.evidence[w].places, w))
            self.evidence = {word: self.evidence[word] for word in by_places[: CANDIDATES // 2]}
            self.lexicon_words &= self.evidence.keys()

    def _decoded(self, lines: list[str], size: int) -> tuple[Bools, Floats, Bools, Bools]:
        """Decode "\\n" and the lines; return columns over their characters.

        Returns:
            whether a boundary is before the character; the margin of its token; whether this token
            is long and not in the lexicon; whether the character is one of :data:`HEADS`.
        """
        boundary = np.zeros(size + 1, np.bool_)
        margin = np.zeros(size, np.float64)
        in_unknown = np.zeros(size, np.bool_)
        is_head = np.zeros(size + 1, np.bool_)
        all_margins: list[Floats] = []
        for offset, text in _chunks(lines):
            starts, ends, margins = _tokens.margins_of(self.engine, text)
            token_starts = np.asarray(starts, np.int64) + offset
            token_ends = np.asarray(ends, np.int64) + offset
            boundary[token_starts] = boundary[token_ends] = True
            characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
            is_head[offset : offset + len(characters)] = np.isin(characters, HEADS)
            for k in np.flatnonzero(token_ends - token_starts > 2).tolist():
                word = text[starts[k] : ends[k]]
                if word not in self.lexicon or self.lexicon.tag(word) == "x":
                    in_unknown[token_starts[k] : token_ends[k]] = True
            if self.margins:
                token_margins = np.asarray(margins, np.float64)
                all_margins.append(token_margins[token_margins < _NO_ALTERNATIVE])
            else:
                token_margins = (token_ends - token_starts > 1).astype(np.float64)
            margin[token_starts] = token_margins
        # from the first to all characters of a token
        start_of = np.maximum.accumulate(np.where(boundary[:-1], np.arange(size), 0))
        margin = margin[start_of]
        if self.margins:
            has_margins = any(map(len, all_margins))
            median = float(np.median(np.concatenate(all_margins))) if has_margins else 1.0
            margin = np.minimum(margin / (median or 1.0), 4.0)
        return boundary, margin, in_unknown, is_head

    def words(self) -> list[UserWord]:
        """Return the words learned, most frequent first, as user words with a level or a weight.

        A string is no word if it begins with a learned word that also occurs elsewhere, or contains
        one that is twice as frequent, unless the decoder mostly has the string whole.
        """
        found = self._freed().items()
        proved = {w: e for w, e in found if e.proves(w, self.characters, self.margins)}
        new_words = proved.keys() - self.lexicon_words
        words: list[UserWord] = []
        for word in sorted(new_words, key=lambda w: (-proved[w].places, w)):
            e = proved[word]
            if word in self.lexicon and (
                e.whole == e.places  # nothing to learn
                or (
                    self.lexicon.tag(word) in OTHER_NAMES
                    and e.in_unknown - 2 * (e.with_head + e.crossed) < JOINED * e.places
                )
            ):
                continue
            if any(
                4 * proved[part].places >= 5 * e.places
                if word.startswith(part)
                else e.share < 0.5 and proved[part].places >= 2 * e.places
                for part in _substrings(word)
                if part in proved
            ):
                continue
            payload = {"places": e.places, "whole": e.whole, "pmi": round(e.pmi / e.places, 2)}
            entry = UserWord(word, "prefer", payload=payload, source=LEARNED)
            is_key = e.places * KEY >= self.characters
            if word in self.lexicon or (e.crossed > CROSSED * e.places and not is_key):
                entry = entry._replace(level="weight", weight=self.weight(e.places))
            words.append(entry)
        return words

    def weight(self, places: int) -> float:
        """Return the weight of a word that competes, on the scale of the lexicon's counts."""
        mass: float = self.lexicon.meta["mass"]
        return float(round(HEAVY * places * mass / self.characters))

    def _freed(self) -> dict[str, Evidence]:
        """Return the evidence with the neighbours of longer strings: next to 竞态 is nearly always
        条件, a word of the lexicon, so 竞态 gets the neighbours of 竞态条件."""
        evidence = dict(self.evidence)
        for word, e in self.evidence.items():
            for split in range(2, len(word) - 1):
                head, tail = word[:split], word[split:]
                if head in evidence and tail in self.lexicon:
                    right = max(evidence[head].right, e.right)
                    evidence[head] = evidence[head]._replace(right=right)
                if tail in evidence and head in self.lexicon:
                    left = max(evidence[tail].left, e.left)
                    evidence[tail] = evidence[tail]._replace(left=left)
        return evidence


def _substrings(word: str) -> Iterator[str]:
    for i in range(len(word)):
        for j in range(i + 2, len(word) + (i > 0)):
            yield word[i:j]


def _chunks(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield texts of about _CHUNK characters of whole lines, and their offsets after a line end."""
    offset = 1
    for chunk in grouped(lines, _CHUNK):
        text = "\n".join(chunk)
        yield offset, text
        offset += len(text) + 1
