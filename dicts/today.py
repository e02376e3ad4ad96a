"""What text of today says about the words of a lexicon: which are two, which are missing.

The text is segmented by votes of taggers (``python -m recipes``), so a rule wants several
occurrences or clear shares before it believes them.  Thresholds were chosen on the dev text of the
standard and on ``shared/challenge/dev.tsv``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from choose import LONGEST

from recipes.restandard import count_splits
from segmenter.chars import HAN, char_class
from segmenter.train.counts import ClassMap, count_ngrams, has_digit, token_class

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

WEIGHT = 0.1  # of an occurrence, beside one in the standard's own text
DIVIDED = 0.7  # a listed word that is apart so many times as often as whole is left out
FIRM = 3  # ... and one of the standard's own text only if that has it less often than this
RARE = 3  # words of a text that are rarer may be phrases, see build.leave_out_phrases
MISSING = (12, 0.4)  # a listed word that old text contradicts: so often whole, and such a share
NEW = (6, 0.7)  # a word that no list has
NEW_LONGEST = 4  # characters; longer ones are mostly phrases


@dataclass
class Today:
    """Counts of a text of today.

    Attributes:
        one, two, three: of words, pairs and triples of neighbours (class tokens included).
        apart: how often the text writes a string as several words.
    """

    one: Mapping[str, int]
    two: Mapping[tuple[str, str], int]
    three: Mapping[tuple[str, str, str], int]
    apart: Mapping[str, int]

    @classmethod
    def count(
        cls, sentences: Sequence[Sequence[str]], token: ClassMap, candidates: Collection[str]
    ) -> Today:
        """Counts a text.

        Args:
            sentences: folded words.
            token: what stands for a word in n-grams.
            candidates: strings whose divisions are asked for, besides the text's own words.
        """
        one, two, three = count_ngrams(sentences, token)
        asked = {w for w in (*candidates, *one) if 2 <= len(w) <= LONGEST}
        apart = Counter(
            {w: sum(ways.values()) for w, ways in count_splits(sentences, asked, LONGEST).items()}
        )
        return cls(one, two, three, apart)

    def share(self, word: str) -> float:
        """Of the occurrences of a string, those that are one word."""
        whole = self.one.get(word, 0)
        return whole / max(1, whole + self.apart.get(word, 0))

    def divides(self, word: str) -> bool:
        """Whether a word is apart too often to be one."""
        apart = self.apart.get(word, 0)
        return apart > 0 and apart >= DIVIDED * self.one.get(word, 0)

    def _has(self, word: str, least: tuple[int, float]) -> bool:
        return self.one.get(word, 0) >= least[0] and self.share(word) >= least[1]

    def misses(self, word: str) -> bool:
        """Whether a word that older text contradicts is one today."""
        return self._has(word, MISSING)

    def brings(self, word: str) -> bool:
        """Whether the text alone makes a word: Han characters, often whole, hardly ever apart."""
        return (
            2 <= len(word) <= NEW_LONGEST
            and self._has(word, NEW)
            and not has_digit(word)
            and token_class(word) is None
            and all(char_class(ord(c)) == HAN for c in word)
        )
