"""Reads segmented corpora and word lists, and counts folded words, class tokens and n-grams.

The engine never imports this module; readers of particular corpora are in ``recipes/``.

>>> token_class("１９９８年"), token_class("十二"), token_class("Ｔ恤"), token_class("中国")
('<date>', '<num>', None, None)
"""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from segmenter.errors import DictionaryError
from segmenter.files.reading import read_lines
from segmenter.text.chars import HAN_NUMERALS, fold_str

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from segmenter.core import Segmenter

SENTENCE = "<s>"  # begin and end of a sentence alike
NUM = "<num>"
DATE = "<date>"
WESTERN = "<latin>"
UNKNOWN = "<unk>"
CLASS_TOKENS = (SENTENCE, NUM, DATE, WESTERN, UNKNOWN)
_TOKENS = (("date", DATE), ("number", NUM), ("latin", WESTERN))


# --- class tokens ----------------------------------------------------------------------------

# 十分 is "very", 一时 "for a while": hours and minutes in Chinese numerals stay words in counts
_WORDS = re.compile(f"[{HAN_NUMERALS}]+[时分]")


@cache
def _lattice() -> Segmenter:
    """A Segmenter that finds runs; its lexicon has a single word, which is no number."""
    from segmenter.atoms import Atoms
    from segmenter.core import Segmenter
    from segmenter.lexicon import Lexicon

    lexicon = Lexicon.build([("的", 1.0, "u")])
    return Segmenter(Lexicon(lexicon.artifact, variants=False), atoms=Atoms.none())


def token_class(word: str) -> str | None:
    """The class token that stands for a word in n-gram counts, or None for an ordinary word.

    The shapes are those of a lattice's edges, whose costs these counts become.

    Args:
        word: one token, folded or not.

    Returns:
        ``"<num>"`` for numbers in Arabic or Chinese digits (two Chinese digits or more; ordinals
        with 第 too), ``"<date>"`` for years, months and days with their unit, hours and minutes of
        Arabic digits,
        ``"<latin>"`` for a run of Latin letters and digits with at least one letter, else None.

    A single Chinese numeral is an ordinary word.  A frequent token of Chinese numerals (第一, 万一)
    stays a word as well, see :class:`ClassMap`.

    >>> [token_class(w) for w in ("-0.5%", "3：1", "第三", "百分之五", "5G", "1月", "13月")]
    ['<num>', '<num>', '<num>', '<num>', '<latin>', '<date>', None]
    """
    word = fold_str(word)
    if not word or _WORDS.fullmatch(word):
        return None
    kinds = {edge.kind for edge in _lattice().dag(word).starting(0) if edge.end == len(word)}
    return next((token for kind, token in _TOKENS if kind in kinds), None)


def has_digit(word: str) -> bool:
    """Whether a folded word holds an Arabic digit: such words never enter a lexicon.

    >>> has_digit("3月"), has_digit("三月")
    (True, False)
    """
    return any("0" <= c <= "9" for c in word)


# --- files -----------------------------------------------------------------------------------


def words_of(line: str) -> list[str]:
    """The words of a line of segmented text, folded, without the residue ``/%`` after some.

    >>> words_of("我 爱　北京/%")
    ['我', '爱', '北京']
    """
    words = fold_str(line).split()
    return [w[:-2] if w.endswith("/%") and len(w) > 2 else w for w in words]


def read_segmented(path: str | os.PathLike[str]) -> Iterator[list[str]]:
    """Sentences of a segmented corpus: one per line, words separated by blanks, folded.

    Marks that the People's Daily text of February 1998 left behind its idioms (``空无一人/%``)
    are removed.  Empty lines are skipped.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("我 爱　北京/%\\n")
    >>> list(read_segmented(p))
    [['我', '爱', '北京']]
    """
    for _, line in read_lines(path):
        if words := words_of(line):
            yield words


def read_tagged(path: str | os.PathLike[str]) -> Iterator[list[tuple[str, str]]]:
    """Sentences of a tagged corpus: ``word/tag`` separated by blanks; words are folded.

    Raises:
        DictionaryError: a token has no tag.
        EncodingError: the text is not UTF-8.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("江/nr 泽民/nr １/m ／/w\\n")
    >>> list(read_tagged(p))
    [[('江', 'nr'), ('泽民', 'nr'), ('1', 'm'), ('/', 'w')]]
    """
    for number, line in read_lines(path):
        sentence = []
        for token in line.split():
            word, slash, tag = token.rpartition("/")
            if not slash or not word:
                raise DictionaryError(os.fspath(path), number, f"{token!r} is not word/tag")
            sentence.append((fold_str(word), tag))
        if sentence:
            yield sentence


# --- counting --------------------------------------------------------------------------------


class ClassMap:
    """The token for a word in n-gram counts: the word itself or a class token.

    Words with Arabic digits and Latin runs are always their class; Chinese numerals stay words
    where the training text has them at least ``frequent`` times.

    >>> m = ClassMap({"第一": 30, "第九": 3}, frequent=20)
    >>> m("第一"), m("第九"), m("12日"), m("日")
    ('第一', '<num>', '<date>', '日')
    """

    def __init__(self, counts: Mapping[str, float], frequent: int = 20) -> None:
        self._counts = counts
        self._frequent = frequent
        self._tokens: dict[str, str] = {}

    def __call__(self, word: str) -> str:
        token = self._tokens.get(word)
        if token is None:
            kind = token_class(word)
            if kind is None or (
                kind != WESTERN
                and not has_digit(word)
                and self._counts.get(word, 0) >= self._frequent
            ):
                token = word
            else:
                token = kind
            self._tokens[word] = token
        return token


def count_ngrams(
    sentences: Iterable[Sequence[str]], token: ClassMap
) -> tuple[Counter[str], Counter[tuple[str, str]], Counter[tuple[str, str, str]]]:
    """Unigrams, bigrams and trigrams of model tokens, sentence boundaries included.

    Args:
        sentences: folded segmented text; one sentence has ``<s>`` before and after it.
        token: what stands for a word.

    Returns:
        Counts of one, two and three neighbouring tokens.  ``<s>`` counts once per sentence.

    >>> one, two, three = count_ngrams([["我", "12日", "去"]], ClassMap({}))
    >>> one["<s>"], two["<date>", "去"], two["去", "<s>"], three["<s>", "我", "<date>"]
    (1, 1, 1, 1)
    """
    unigrams: Counter[str] = Counter()
    bigrams: Counter[tuple[str, str]] = Counter()
    trigrams: Counter[tuple[str, str, str]] = Counter()
    for sentence in sentences:
        tokens = [SENTENCE, *map(token, sentence)]
        unigrams.update(tokens)
        tokens.append(SENTENCE)
        bigrams.update(pairwise(tokens))
        trigrams.update(zip(tokens, tokens[1:], tokens[2:], strict=False))
    return unigrams, bigrams, trigrams
