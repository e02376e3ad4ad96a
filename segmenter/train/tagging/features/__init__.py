"""The features of linear taggers, and the space of those that occur in training text.

At each character of folded text:

* the characters at distance -2, -1, 0, +1 and the pairs that begin at -2, -1, 0, +1;
* the types of the previous, this and the next character: Han, digit, Chinese numeral, letter,
  punctuation, other, unit of a date, and none beyond the sentence;
* lexicon matches: for every word of 2 to 8 characters at this place, its class, its length (7 and
  more are one) and the role of the character in it (first, second, inner, last);
* lexicon states, for each group of classes: the length of the longest word of the group that begins
  here, goes on here, and ends here (0, 2, 3, 4, 5, or 6 and more).

Characters that occur once or never in the training text count as their class (one for Han
characters, one for Latin letters, …).

**Marks.**  With ``marks=MARKS`` these punctuation characters are read like the end of the text, so
the words of a sentence are the same with its full stop, without it and inside quotation marks.  (F1
on dev does not change; the share of sentences that differ falls from 0.9% to 0.2%.)

The class of a word combines the training text and each further lexicon.  The classes from the
training text (by counts of the word and of its string, across words or not) are:

====  =======================================================
 0    the string was never seen
 1    seen once or twice, never as a word
 2    seen more often, never as a word: training contradicts it
 3    a word less than one time in ten
 4    … less than half the time
 5    … less than nine times in ten
 6    nearly always a word, seen once or twice
 7    nearly always a word
====  =======================================================

**Jackknife.**  In the training sentences every word is known, in new text it is not.
So the training text is divided into folds, and the class of a word in a sentence comes from the
counts of all other folds.  (Otherwise the features get too much weight and cost 1.6 points of F1
instead of gaining 0.5.)
"""

from __future__ import annotations

from segmenter.train.tagging.features.characters import Characters
from segmenter.train.tagging.features.marks import MARKS, between_marks
from segmenter.train.tagging.features.space import UNSURE, FeatureOptions, FeatureSpace, Matches
from segmenter.train.tagging.features.words import (
    FOLDS,
    FULL,
    KNOWN,
    FeatureSource,
    Words,
    fold_numbers,
    training_states,
    words_by_fold,
)

__all__ = [
    "FOLDS", "FULL", "KNOWN", "MARKS", "UNSURE", "Characters", "FeatureOptions", "FeatureSource",
    "FeatureSpace", "Matches", "Words", "between_marks", "fold_numbers", "training_states",
    "words_by_fold",
]  # fmt: skip
