"""Chooses the words of other lists that enter the lexicon of a standard, and their counts.

This module has the rules and thresholds; ``dicts/README.md`` has the dev figures that they were
chosen by.  No rule uses the words of today that ``eval`` measures with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from segmenter.text.chars import HAN_NUMERALS
from segmenter.train.counts import has_digit, token_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from recipes.word_lists import Listed

LONGEST = 8  # characters; longer words come from training text alone

# A candidate that holds one of these is more often a phrase than a word (有的, 在家, 不要).
FUNCTION = frozenset(
    "的了着过得地在是和与及或被把将从向对为以于就都也还又很最更不没有这那其该此每各我你他她它们吗呢吧啊等"
)
_NUMERALS = frozenset(HAN_NUMERALS + "几数")
_NUMBER_ENDS = frozenset("多几来余万亿")


@dataclass(frozen=True)
class Options:
    """Thresholds of one standard; ``modern`` adds the words of today.

    Counts of cutword's two lists are of one scale (raw string counts of text up to 2024), those
    of jionlp of another (about 300 times as large), those of THUOCL are documents.
    """

    jieba: int = 4  # its default for unattested words is 3; names of three characters at any count
    cutword: int = 1  # words of two characters at any count
    modern: bool = True
    union_two: int = 8
    jionlp_two: int = 300
    thuocl_two: int = 100
    union_three: int = 10
    names_three: int = 1  # union words of three characters that are tagged as names
    jionlp_three: int = 300
    thuocl_three: int = 100
    union_four: int = 5
    union_long: int = 20
    # A compound of a word that the training text has not must be this share of that word's own
    # occurrences, or it is a phrase around it (欧冠+决赛 0.07, 雄安+新区 0.55) ...
    share: float = 0.4
    # ... and a larger one where the word stands well by itself (综艺 840 times, 综艺节目 380).
    share_common: float = 0.6
    common: int = 300
    # Two old words that 1998 never had side by side: a term of today if they stick together
    # (自动+驾驶 10.3 bits, 技术+人员 6.5).
    cohesion: float = 10.0
    attested: int = 8
    national: int = 1  # times the national corpus may write it apart, if it never has it whole
    # Share of a word's occurrences that lie outside longer words: below it a string is a fragment
    # of them (威尼 of 威尼斯, 北省 of 湖北省).  Words of jieba and dict.txt stay: fragments of
    # foreign names help to read unknown ones.
    free: float = 0.2
    free_seen: int = 20  # fewer occurrences than this tell nothing
    floor: float = 0.2  # count of a word that no training text holds
    # Words that the training text writes apart this many times as often as whole are left out ...
    split: int = 2
    # ... unless modern text has them this many times for each such time (开源).
    excuse: int = 20
    attested_well: int = 20  # jieba's count of a word that is surely one
    own: float = 1.0  # the same for words of the project's own list
    per_modern: float = 0.05  # occurrences in training text that one in modern text stands for
    ceiling: float = 20.0


@dataclass
class Evidence:
    """The evidence about the candidates of one standard.

    Attributes:
        train: counts of the standard's training text, words as they stand there.
        apart: how often that text writes a string as several words.
        national, national_apart: the same of the national corpus.
        measures: words that follow a number in the training text.
        surnames: surnames by the January tags.
        characters: characters of the training text and of the national corpus.
        own: words of the project's own list, with their tags.
    """

    train: Mapping[str, float]
    apart: Mapping[str, int]
    national: Mapping[str, int]
    national_apart: Mapping[str, int]
    measures: frozenset[str]
    surnames: frozenset[str]
    characters: frozenset[str]
    jieba: Mapping[str, Listed]
    cutword: Mapping[str, Listed]
    union: Mapping[str, Listed]
    thuocl: Mapping[str, Listed]
    jionlp: Mapping[str, Listed]
    own: Mapping[str, str]

    def modern(self, word: str) -> int:
        """Occurrences in the modern text behind cutword's lists."""
        a, b = self.cutword.get(word), self.union.get(word)
        return max(a.count if a else 0, b.count if b else 0)


def is_number_phrase(word: str, measures: frozenset[str]) -> bool:
    """Whether a string is a number and a measure word (十二家, 三千多名), which text splits.

    >>> [is_number_phrase(w, frozenset("家次元")) for w in ("十二家", "五家", "二次元", "一家人")]
    [True, True, False, False]
    """
    k = 0
    while k < len(word) and word[k] in _NUMERALS:
        k += 1
    if k == 0:
        return False
    if k == len(word):
        return k > 2
    rest = word[k:]
    if rest[0] in _NUMBER_ENDS and len(rest) > 1:
        return True
    if k == 1:
        return len(rest) == 1 and rest in measures
    return rest in measures or rest[0] in measures


def _is_han(word: str) -> bool:
    return all("\u3400" <= c <= "\u9fff" for c in word)


class Chooser:
    """Applies the rules; :meth:`words` gives every outside word with its count and source."""

    def __init__(self, evidence: Evidence, options: Options) -> None:
        self.e = evidence
        self.o = options
        self._modern_total = sum(
            max(v.count, getattr(evidence.cutword.get(w), "count", 0))
            for w, v in evidence.union.items()
        ) + sum(v.count for w, v in evidence.cutword.items() if w not in evidence.union)

    def words(self) -> dict[str, tuple[float, str]]:
        """Word -> (count in occurrences of the training text, name of its source)."""
        chosen = self._dictionaries()
        listed = frozenset(chosen)
        if self.o.modern:
            self._modern(chosen)
        free = self._free(chosen)
        chosen_words = {}
        for word, source in chosen.items():
            modern, alone = self.e.modern(word), free[word]
            sure = word in listed or source == "own"
            if sure or modern < self.o.free_seen or alone >= self.o.free * modern:
                if (
                    word in self.e.cutword
                ):  # a word there: half of it may lie in longer ones (动车组)
                    alone = max(alone, modern // 2)
                floor = self.o.own if source == "own" else self.o.floor
                count = min(self.o.ceiling, max(floor, alone * self.o.per_modern))
                chosen_words[word] = (round(count, 1), source)
        return chosen_words

    def _is_common(self, word: str) -> bool:
        jieba = self.e.jieba.get(word)
        return word in self.e.cutword and jieba is not None and jieba.count >= self.o.attested_well

    def left_out(self) -> set[str]:
        """Words of the training text that it writes apart more often than not."""
        e, o = self.e, self.o
        words_left = set()
        for word, count in e.train.items():
            apart = e.apart.get(word, 0)
            if apart < o.split * count or len(word) < 2 or token_class(word) is not None:
                continue
            today = word in e.own or e.modern(word) >= o.excuse * apart
            if not (o.modern and today):
                words_left.add(word)
        return words_left

    def _free(self, chosen: Mapping[str, str]) -> dict[str, int]:
        """Modern occurrences of each chosen word outside longer known words."""
        free = {w: self.e.modern(w) for w in chosen}
        for longer in chosen.keys() | self.e.train.keys():
            n = len(longer)
            modern = self.e.modern(longer) if 3 <= n <= LONGEST else 0
            if modern:
                parts = {longer[i:k] for i in range(n) for k in range(i + 2, n + 1)}
                parts.discard(longer)
                for part in parts & free.keys():
                    free[part] -= modern
        return free

    def _eligible(self, word: str) -> bool:
        return (
            2 <= len(word) <= LONGEST
            and not self.e.train.get(word)
            and not has_digit(word)
            and token_class(word) is None
            and not is_number_phrase(word, self.e.measures)
        )

    def _dictionaries(self) -> dict[str, str]:
        """Words of jieba's list and cutword's dict.txt that the training text does not split."""
        e, o = self.e, self.o
        chosen: dict[str, str] = {}
        for word, listed in e.jieba.items():
            is_wanted = listed.count >= o.jieba or (
                len(word) == 3 and (listed.tag.startswith(("nr", "ns")) or self._confirmed(word))
            )
            if is_wanted and self._eligible(word) and not e.apart.get(word):
                chosen[word] = "jieba"
        for word, listed in e.cutword.items():
            is_wanted = listed.count >= o.cutword or len(word) == 2 or self._confirmed(word)
            if is_wanted and word not in chosen and self._eligible(word) and not e.apart.get(word):
                chosen[word] = "cutword"
        vocabulary = {w for w in e.train if len(w) > 1} | chosen.keys()
        # Long names of institutions are several words in the People's Daily's standard.
        for word in [w for w in chosen if len(w) > 4 and w not in e.cutword]:
            if any(
                word[:k] in vocabulary and word[k:] in vocabulary for k in range(2, len(word) - 1)
            ):
                del chosen[word]
        return chosen

    def _confirmed(self, word: str) -> bool:
        """Whether another list or the national corpus has a word that its own list never saw."""
        e = self.e
        return word in e.union or word in e.jionlp or word in e.thuocl or word in e.national

    def _agreeing(self, word: str) -> int:
        e = self.e
        jieba = e.jieba.get(word)
        return (
            (jieba is not None and (len(word) < 4 or jieba.count >= self.o.jieba))
            + (word in e.cutword)
            + (word in e.union)
            + (self._documents(word) > 0)
            + (word in e.jionlp)
        )

    def _documents(self, word: str) -> int:
        # THUOCL's place names are mostly villages and bus stops, its historical names of two
        # characters are any surname with any given name.
        listed = self.e.thuocl.get(word)
        if listed is None or listed.tag == "diming":
            return 0
        if listed.tag == "lishimingren" and len(word) == 2:
            return 0
        return listed.count

    def _contradicted(self, word: str) -> bool:
        e = self.e
        apart = e.apart.get(word, 0)
        national = e.national_apart.get(word, 0)
        mild = national <= max(self.o.national, 2 * e.national.get(word, 0))
        if apart == 0 and mild:
            return False
        # A term of today may have stood apart once or twice when it was new (锂 电池).
        return not (
            len(word) >= 3
            and apart <= 2
            and e.modern(word) >= 50 * apart
            and (mild or self._agreeing(word) >= 3)
        )

    def _modern(self, chosen: dict[str, str]) -> None:
        """Adds the words of today, short ones first: they judge the longer ones."""
        lists: tuple[tuple[str, Mapping[str, Listed]], ...] = (
            ("cutword", self.e.union),
            ("cutword", self.e.cutword),
            ("thuocl", self.e.thuocl),
            ("jionlp", self.e.jionlp),
            ("jieba", self.e.jieba),
        )
        source: dict[str, str] = {}
        for name, listed in lists:
            for word in listed:
                if word not in source and word not in chosen and word not in self.e.own:
                    source[word] = name
        candidates = [
            w
            for w in source
            if self._eligible(w)
            and _is_han(w)
            and self._is_simplified(w)
            and not self._contradicted(w)
        ]
        # What somebody wrote down as a word needs no other witness.
        chosen.update((w, "own") for w in self.e.own if w not in chosen and self._eligible(w))
        vocabulary = {w for w in self.e.train if len(w) > 1} | chosen.keys()
        for rule, lengths in ((self._two, (2,)), (self._three, (3,)), (self._long, range(4, 9))):
            new = [w for w in candidates if len(w) in lengths and rule(w, vocabulary)]
            chosen.update((w, source[w]) for w in new)
            vocabulary.update(new)

    def _is_simplified(self, word: str) -> bool:
        # unionwords.txt has 7,000 words in Traditional characters, which no corpus here knows;
        # rare Simplified ones (螺蛳粉) stand in another list too.
        e = self.e
        return e.characters.issuperset(word) or word in e.thuocl or word in e.jionlp

    def _union(self, word: str) -> int:
        listed = self.e.union.get(word)
        return listed.count if listed else 0

    def _jionlp(self, word: str) -> int:
        listed = self.e.jionlp.get(word)
        return listed.count if listed else 0

    def _is_name(self, word: str) -> bool:
        listed = self.e.union.get(word)
        return listed is not None and listed.tag == "NR" and not self.e.national_apart.get(word)

    def _two(self, word: str, vocabulary: Iterable[str]) -> bool:
        o = self.o
        listed = self.e.union.get(word)
        if listed and listed.tag == "NR" and word[0] in self.e.surnames:
            return False  # the first two characters of personal names (张晓, 陈文)
        return (
            self._union(word) >= o.union_two
            or (self._jionlp(word) >= o.jionlp_two and listed is not None)
            or self._documents(word) >= o.thuocl_two
        )

    def _three(self, word: str, vocabulary: set[str]) -> bool:
        o, e = self.o, self.e
        phrase = word[0] in FUNCTION or word[-1] in FUNCTION
        if not (
            self._union(word)
            >= (o.names_three if self._is_name(word) and not phrase else o.union_three)
            or (self._jionlp(word) >= o.jionlp_three and (word in e.union or word in e.jieba))
            or self._documents(word) >= o.thuocl_three
        ):
            return False
        modern = e.modern(word)
        if phrase and self._agreeing(word) < 2 and modern < 100:
            return False
        # A verb before a word of today (喝+奶茶) is a phrase, a suffix after one a word (网格+员).
        first, last = e.modern(word[:2]), e.modern(word[1:])
        return not (
            word[1:] in vocabulary
            and not e.train.get(word[1:])
            and last > first
            and modern < o.share * last
        )

    def _long(self, word: str, vocabulary: set[str]) -> bool:
        o, e = self.o, self.e
        agreeing, modern, union = self._agreeing(word), e.modern(word), self._union(word)
        if agreeing < 2 and any(c in FUNCTION for c in word):
            return False
        if len(word) == 4:
            if not (union >= o.union_four or (agreeing >= 2 and union >= 1)):
                return False
        elif union < o.union_long:
            return False
        for k in range(1, len(word)):
            parts = (word[:k], word[k:])
            if not all(len(p) == 1 or p in vocabulary for p in parts):
                continue
            for part in parts:
                alone = e.modern(part)
                share = o.share_common if alone >= o.common or len(word) > 4 else o.share
                if len(part) > 1 and not e.train.get(part) and modern < share * max(1, alone):
                    return False
            if min(map(len, parts)) < 2:
                continue
            a, b = e.modern(parts[0]), e.modern(parts[1])
            if len(word) > 4:
                if modern < o.share * min(a, b):
                    return False
            elif agreeing < 3 and all(map(e.train.get, parts)):
                bits = math.log2(max(modern, 0.5) * self._modern_total / max(1, a * b))
                if bits < o.cohesion or modern < o.attested:
                    return False
        return True
