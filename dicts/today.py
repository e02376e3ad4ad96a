"""Evidence from contemporary text about a lexicon: entries that are two words, and missing words.

The text is segmented by ``best`` (``python -m recipes make``), so every rule requires several
occurrences or clear proportions.  Thresholds were chosen on the dev text of the standard and on
``shared/challenge/dev.tsv``.

Counts come from a sample in which no field dominates.  The rest of the raw text only gives words:
half of it is laws, old novels and broadcasts, and with its counts both lattices had fewer correct
items.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from choose import LONGEST

from recipes.restandard import count_splits
from segmenter.text import variants
from segmenter.text.chars import HAN, char_class
from segmenter.train.counts import ClassMap, count_ngrams, has_digit, token_class

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

# Of an occurrence, beside one in the own text of the standard; with 0.1 the bigram lattice lost one
# to two percent of the items of the challenge.
WEIGHT = 0.2
DIVIDED = 0.7  # a listed word that is apart so many times as often as whole is left out
FIRM = 3  # ... and one of the standard's own text only if that has it less often than this
RARE = 3  # words of a text that are rarer may be phrases, see build.leave_out_phrases
MISSING = (12, 0.4)  # a listed word that old text contradicts: so often whole, and such a share
NEW = (6, 0.7)  # a word that no list has
NEVER = 4  # an own word around another own word that is apart so often and never whole
NEW_LONGEST = 4  # characters; longer ones are mostly phrases


@dataclass
class Today:
    """Counts of a text of today.

    Attributes:
        one, two, three: of words, pairs and triples of neighbours (class tokens included).
        apart: how often the text writes a string as several words.
    """

    one: Mapping[str, int]
    apart: Mapping[str, int]
    two: Mapping[tuple[str, str], int] = field(default_factory=dict)
    three: Mapping[tuple[str, str, str], int] = field(default_factory=dict)

    @classmethod
    def count(
        cls,
        sentences: Sequence[Sequence[str]],
        token: ClassMap,
        candidates: Collection[str],
        *,
        ngrams: bool = True,
    ) -> Today:
        """Counts a text.

        Args:
            sentences: folded words.
            token: what stands for a word in n-grams.
            candidates: strings whose divisions are asked for, besides the text's own words.
            ngrams: pairs and triples too.
        """
        if ngrams:
            unigrams, two, three = count_ngrams(sentences, token)
        else:
            unigrams = Counter(token(w) for words in sentences for w in words)
            two, three = Counter(), Counter()
        candidates_counted = {w for w in (*candidates, *unigrams) if 2 <= len(w) <= LONGEST}
        apart = Counter(
            {
                w: sum(ways.values())
                for w, ways in count_splits(sentences, candidates_counted).items()
            }
        )
        return cls(unigrams, apart, two, three)

    def words(self) -> int:
        """How many words the text has."""
        return sum(self.one.values())

    def share(self, word: str) -> float:
        """The share of a string's occurrences that are one word."""
        occurrences = self.one.get(word, 0)
        return occurrences / max(1, occurrences + self.apart.get(word, 0))

    def divides(self, word: str) -> bool:
        """Whether a word is apart too often to be one."""
        apart = self.apart.get(word, 0)
        return apart > 0 and apart >= DIVIDED * self.one.get(word, 0)

    def _has(self, word: str, least: tuple[int, float]) -> bool:
        # as a word of its own, 以後 would no longer be read as 以后: search would tell them apart
        return (
            self.one.get(word, 0) >= least[0]
            and self.share(word) >= least[1]
            and variants.SEVERAL.isdisjoint(word)
        )

    def misses(self, word: str) -> bool:
        """Whether a word that older text contradicts is one today."""
        return self._has(word, MISSING)

    def phrases(self, own_terms: Collection[str], lexicon: Collection[str]) -> list[str]:
        """Own words that consist of an own word and another word, and are never whole in the text.

        >>> seen = Today({}, {"互联网嘴替": 4})
        >>> seen.phrases({"互联网嘴替", "嘴替"}, {"互联网嘴替", "嘴替", "互联网"})
        ['互联网嘴替']
        """
        return [
            word
            for word in own_terms
            if word not in self.one
            and self.apart.get(word, 0) >= NEVER
            and any(
                word[:i] in lexicon
                and word[i:] in lexicon
                and (word[:i] in own_terms or word[i:] in own_terms)
                for i in range(2, len(word) - 1)
            )
        ]

    def new_words(self, vocabulary: Collection[str]) -> list[str]:
        """Words from this text alone.

        With these and without :meth:`phrases` the unigram and the bigram lattice each get two more
        of the 192 dev items right that readers agree on, and 0.0003 of dev F1.
        """
        return [word for word in self.one if word not in vocabulary and self.brings(word)]

    def brings(self, word: str) -> bool:
        """Whether the text alone makes a word: Han characters, often whole, hardly ever apart."""
        return (
            2 <= len(word) <= NEW_LONGEST
            and self._has(word, NEW)
            and not has_digit(word)
            and token_class(word) is None
            and all(char_class(ord(c)) == HAN for c in word)
        )
