"""The readable twin of every kernel: plain Python, slow, and the oracle of the kernels' tests.

Read it to learn how the package works; the compiled headers beside it do the same with windows,
packed integers and vector code.  Where there is a choice of method it takes another one than the
kernel does (a trie of dicts, regular expressions over classes, a heap, best-first search from the
right), so that the two cannot share a mistake.

From text to words:

1. :func:`scan` finds runs by class: numbers, dates, Latin words, blanks, line ends, marks;
2. :func:`word_dag` lays the words of a :class:`Dictionary` beside them: the word DAG;
3. a decoder chooses one path: :func:`forward`, :func:`backward`, :func:`bidirectional`,
   :func:`shortest`, :func:`n_shortest`, :func:`unigram`, :func:`bigram`, :func:`trigram`.

Costs are integers, ``-log p`` in units of 1/2048 nat; the cost of a path is the sum along it.

**The tie rule**, everywhere: among paths of equal cost compare from the right; where they first
differ, the longer word wins.

>>> words = "他 说 的 的确 确实 实在 在理 理 实 在 确".split()
>>> dag = word_dag("他说的确实在理", Dictionary(dict.fromkeys(words, 1)))
>>> for decode in forward, backward, bidirectional, shortest, n_shortest, unigram:
...     print("/".join(dag.words(decode(dag))))
他/说/的确/实在/理
他/说/的/确实/在理
他/说/的/确实/在理
他/说/的/确实/在理
他/说/的/确实/在理
他/说/的/确实/在理
"""

from __future__ import annotations

import heapq
import itertools
import math
import operator
import re
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter import chars, variants
from segmenter.types import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

COST_SCALE = 2048  # units a nat
EDGE_KINDS = KINDS[:9]  # the others are those of atoms
MAX_COST = 0xFFFE
ROUGH_PATHS = 8  # of the decoder n-shortest (Zhang & Liu 2002)

BOUNDARY = "<s>"
ANY = "<any>"
#: What the n-gram model calls a token that is no word.
CLASS_TOKENS = {"unknown": "<unk>", "number": "<num>", "date": "<date>", "latin": "<latin>"}


# --- classes and runs --------------------------------------------------------------------------

# One letter a class, so that runs are regular expressions; the rest of the classes is "x".
_LETTERS = {
    chars.DIGIT: "d", chars.LATIN: "a", chars.HANNUM: "n", chars.BLANK: "_", chars.LF: "l",
    chars.CR: "r", chars.POINT: ".", chars.COLON: ":", chars.COMMA: ",", chars.PERCENT: "%",
    chars.MINUS: "-", chars.GREEK: "G", chars.CYRILLIC: "C", chars.KATAKANA: "K",
    chars.HIRAGANA: "H", chars.HANGUL: "J", chars.LETTER: "L", chars.EXTEND: "~",
    chars.HAN: "h", chars.PUNCT: "p",
}  # fmt: skip

_ALNUM = re.compile("[da][da~]*")
# 12  3.14  10:30  1,000  3/4: digits, joined; then a part that is no number (3.5a), or a percent
_NUMBER = re.compile("(d+)((?:[.:]d+(?![da~])|,ddd(?![da~]))*)(?:([.:]d[da~]*)|(%))?")
_SIGN = re.compile("(?:^|[xp_l:])-$")  # a minus that joins nothing: not 5-3, not a-1, not 五-6
_SCRIPT = re.compile("([GCKHJL])(?:\\1|~)*")
_BLANKS = re.compile("_+")
_MARKS = re.compile("~+")
_LINE_END = re.compile("rl|l")

# 三十  百分之三十  六点二  百分之九点九: each joint once, so that 一点一点 is no number
_HAN = f"[{chars.HAN_NUMERALS}]+"
_HAN_NUMBER = re.compile(f"({_HAN})((?:分之{_HAN})?(?:点{_HAN})?)")
_HAN_YEAR = re.compile("(?:[一二三四五六七八九零○〇]{2}){1,2}")  # 九八, 一九九八
_MULTIPLIERS = re.compile("[十百千万亿]+")


def _small_numbers() -> dict[str, int]:
    digits = {c: d + 1 for d, c in enumerate("一二三四五六七八九")}
    out = {**digits, "十": 10}
    for c, d in digits.items():
        out["十" + c] = 10 + d
        out[c + "十"] = 10 * d
        for c2, d2 in digits.items():
            out[c + "十" + c2] = 10 * d + d2
    return out


_SMALL = _small_numbers()


class Runs(NamedTuple):
    """What the classes of the characters say about a text.

    Attributes:
        edges: (start, end, kind) of runs, numbers and dates.
        inside: positions where no word may begin or end: the inside of what stays whole.
    """

    edges: list[tuple[int, int, str]]
    inside: set[int]


def classes_of(folded: str, jieba: bool = False) -> str:
    """The classes of folded text, one letter a character."""
    if jieba:  # that profile knows line ends only; letters are joined after decoding
        return "".join({"\n": "l", "\r": "r"}.get(c, "x") for c in folded)
    return "".join(_LETTERS.get(chars.char_class(ord(c)), "x") for c in folded)


def scan(folded: str, classes: str) -> Runs:
    """Finds runs, numbers and dates in folded text, from left to right.

    What stays whole (no word begins or ends inside): a run of Latin letters and digits, digits
    with points, colons and thousands commas between them, a sign before, a percent sign after;
    a run of one alphabet; a run of blanks; a line end; combining marks with what precedes them.
    What is merely offered to the decoder: Chinese numbers, numbers with 万 or 第, dates.

    >>> scan("在12月", "hddh").edges
    [(1, 3, 'number'), (1, 4, 'date')]
    """
    runs = Runs([], set())
    k = 0
    while k < len(folded):
        c = classes[k]
        if c in "da":
            k = _scan_alnum(runs, folded, classes, k)
        elif c == "n":
            k = _scan_han_number(runs, folded, k)
        elif c == "_":
            k = _whole(runs, k, _end(_BLANKS, classes, k), "space")
        elif c in "lr":
            got = _LINE_END.match(classes, k)
            # a carriage return alone ends no line
            k = _whole(runs, k, got.end(), "newline") if got else _whole(runs, k, k + 1, "space")
        elif c in "GCKHJL":
            k = _whole(runs, k, _end(_SCRIPT, classes, k), "script")
        elif c == "~":
            k = _scan_marks(runs, classes, k)
        else:
            k += 1
    return runs


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    got = pattern.match(text, at)
    return got.end() if got else at


def _whole(runs: Runs, start: int, end: int, kind: str) -> int:
    runs.inside.update(range(start + 1, end))
    runs.edges.append((start, end, kind))
    return end


def _scan_alnum(runs: Runs, folded: str, classes: str, s: int) -> int:
    e = _end(_ALNUM, classes, s)
    if set(classes[s:e]) != {"d"}:
        return _whole(runs, s, e, "latin")
    got = _NUMBER.match(classes, s)
    assert got is not None
    digits, joined, no_number, percent = got.groups()
    e = got.end()
    start = s - 1 if _SIGN.search(classes, max(0, s - 2), s) else s
    _whole(runs, start, e, "latin" if no_number else "number")
    if folded[:start].endswith("第"):
        runs.edges.append((start - 1, e, "number"))
    if not no_number and not percent:
        times = _MULTIPLIERS.match(folded, e)  # 3万, 1.5亿
        if times:
            runs.edges.append((start, times.end(), "number"))
    if start == s and not (joined or no_number or percent):
        value = int(folded[s:e]) if len(digits) <= 4 else 9999
        _offer_dates(runs, folded, s, e, value, len(digits) in (2, 4))
    return e


def _scan_han_number(runs: Runs, folded: str, s: int) -> int:
    got = _HAN_NUMBER.match(folded, s)
    assert got is not None
    run, end = got.end(1), got.end()
    if run - s >= 2:
        runs.edges.append((s, run, "number"))
    if end > run:
        runs.edges.append((s, end, "number"))
    if folded[:s].endswith("第"):
        runs.edges.append((s - 1, run, "number"))
    digits = folded[s:run]
    value = _SMALL.get(digits, 0)
    if value or run - s >= 2:
        year = _HAN_YEAR.fullmatch(digits) is not None
        _offer_dates(runs, folded, s, run, value or 9999, year)
    return end


def _offer_dates(runs: Runs, folded: str, s: int, e: int, value: int, year: bool) -> None:
    unit = folded[e : e + 1]
    if (
        (unit == "年" and year)
        or (unit == "月" and 1 <= value <= 12)
        or (unit == "日" and 1 <= value <= 31)
        or (unit == "时" and value <= 24)
        or (unit == "分" and value <= 59 and folded[e + 1 : e + 2] != "之")
    ):
        runs.edges.append((s, e + 1, "date"))
    if unit == "月" and 1 <= value <= 12 and folded[e + 1 : e + 2] == "份":
        runs.edges.append((s, e + 2, "date"))


def _scan_marks(runs: Runs, classes: str, s: int) -> int:
    """Combining marks that no run took in stay with what is before them."""
    e = _end(_MARKS, classes, s)
    if s == 0 or classes[s - 1] in "lr":  # nothing to stay with
        return _whole(runs, s, e, "cluster")
    for i, (a, b, kind) in enumerate(runs.edges):
        if b == s:
            runs.edges[i] = (a, e, kind)
    runs.inside.update(range(s, e))
    if s - 1 not in runs.inside and not any((a, b) == (s - 1, e) for a, b, _ in runs.edges):
        runs.edges.append((s - 1, e, "cluster"))
    return e


# --- variants of Han characters ----------------------------------------------------------------

REACH = 8  # characters before and behind that a word may take in
NEAR = 32  # how far off a plain variant is near
_PLAIN = dict(zip(variants.PLAIN_FROM, variants.PLAIN_TO, strict=True))
_OPEN = {entry[0]: entry[1:] for entry in variants.OPEN}
_KEPT = {entry[0]: entry[1:] for entry in variants.KEPT}


SIGNS = frozenset("|#`<>/=()[]{}\\·")


def sign_boundaries(text: str) -> set[int]:
    """Where a tagger must end a word because a sign stands alone; atoms and the user's words aside.

    Between digits, and for the dot of a name between letters, the tags decide; what combines with a
    sign stays with it.

    >>> sorted(sign_boundaries("张三|李四，司马义·艾买提，1/2"))
    [2, 3]
    """
    folded = "".join(chr(chars.fold(ord(c))) for c in text)
    kinds = [chars.char_class(ord(c)) for c in folded]
    letters = (chars.DIGIT, chars.LATIN, chars.HANNUM, chars.HAN, *range(chars.GREEK, chars.HAN))
    half = {"（": "(", "）": ")"}
    out: set[int] = set()
    for k, c in enumerate(folded):
        if half.get(c, c) not in SIGNS:
            continue
        around = kinds[k - 1 : k + 2 : 2] if 0 < k < len(text) - 1 else []
        if around == [chars.DIGIT] * 2 and c in "·/":
            continue
        if around and c == "·" and all(kind in letters for kind in around):
            continue
        out |= {at for at in (k, k + 1) if at == k or at < len(text)}
    return {k for k in out if k and kinds[k] != chars.EXTEND}


class Unifier:
    """Brings variants of characters to those that words are written in.

    Args:
        words: of a lexicon of Simplified text, folded, with their costs.

    >>> print(Unifier({"看着": 1, "著名": 1, "着名": 9, "书": 1}).fold("看著著名的書"))
    看着著名的书
    """

    def __init__(self, words: Mapping[str, int]) -> None:
        self.words = words
        self.known = set("".join(self.words)) | set(chars.HAN_NUMERALS) | set("年月份日时分第点之")
        self.roots: dict[str, str] = {}
        for c, target in sorted(_PLAIN.items(), key=lambda pair: (pair[1], pair[0])):
            if c in self.known:
                self.roots.setdefault(target, c)
        self.roots = {t: c for t, c in self.roots.items() if t not in self.known}

    def fold(self, text: str) -> str:
        """``text`` as it is looked up; of the same length."""
        return "".join(self._read(text, k, c) for k, c in enumerate(text))

    def _usual(self, c: str) -> str:
        """A character as it is read where nothing is known of its neighbours."""
        if c in _KEPT or c in _OPEN:
            return self._readings(c)[-1 if c in _KEPT else 0]
        target = _PLAIN.get(c, c)
        root = target if target in self.known else self.roots.get(target, "")
        return root or c

    def _readings(self, c: str) -> list[str]:
        """Readings that the lexicon knows, a kept character itself last."""
        found = [r for r in _KEPT.get(c, _OPEN.get(c, "")) if r in self.known]
        if c in _KEPT and c in self.known:
            found.append(c)
        return found or [c]

    def _read(self, text: str, k: int, c: str) -> str:
        readings = self._readings(c)
        if (c not in _KEPT and c not in _OPEN) or len(readings) == 1:
            return self._usual(c)
        kept = c in _KEPT and readings[-1] == c
        first, last = self._line(text, k)
        ranks = [self._longest(text, k, r, first, last) for r in readings]
        usual = ranks[: len(ranks) - kept]
        best = readings[usual.index(max(usual))]
        if not kept or max(usual)[0] > ranks[-1][0]:
            return best
        near = text[max(first, k - NEAR) : min(last, k + NEAR + 1)]
        if max(usual) < ranks[-1] or not any(x in _PLAIN or x in _OPEN for x in near):
            return c
        return best

    def _line(self, text: str, k: int) -> tuple[int, int]:
        ends = [i for i, x in enumerate(text) if x in "\n\r"]
        first = max((i + 1 for i in ends if i < k), default=0)
        return first, min((i for i in ends if i > k), default=len(text))

    def _longest(self, text: str, k: int, reading: str, first: int, last: int) -> tuple[int, int]:
        """Length of the longest word that takes in ``k``, minus the cost of the cheapest such."""
        first, last = max(first, k - REACH), min(last, k + REACH + 1)
        around = [self._usual(c) for c in text[first:last]]
        around[k - first] = reading
        spans = (
            "".join(around[start - first : end - first])
            for start in range(first, k + 1)
            for end in range(max(k + 1, start + 2), last + 1)
        )
        return max(
            ((len(word), -self.words[word]) for word in spans if word in self.words),
            default=(0, 0),
        )


# --- words -------------------------------------------------------------------------------------


class Trie:
    """A trie of nested dicts (Fredkin 1960): the empty string marks where a word ends."""

    def __init__(self, words: Iterable[str]) -> None:
        self.root: dict[str, Any] = {}
        for word in words:
            node = self.root
            for c in word:
                node = node.setdefault(c, {})
            node[""] = True

    def ends(self, text: str, start: int) -> Iterator[int]:
        """Ends of the words that begin at ``start``, ascending.

        >>> list(Trie(["在", "在理"]).ends("实在理", 1))
        [2, 3]
        """
        node = self.root
        for k in range(start, len(text)):
            node = node.get(text[k], {})
            if not node:
                return
            if "" in node:
                yield k + 1


class Dictionary:
    """Words with integer costs, and what everything that is no word costs.

    Args:
        costs: folded word -> cost.
        unknown: cost of a character that is no word; default one more than the dearest word.
        kinds: cost of "number", "date", "latin", …; what is not named costs as much as the
            cheapest word.
        jieba: the profile that does as the package jieba does: it folds nothing and knows no
            numbers, joins single letters after decoding, and breaks ties from the left.
    """

    def __init__(
        self,
        costs: Mapping[str, int],
        unknown: int | None = None,
        kinds: Mapping[str, int] | None = None,
        jieba: bool = False,
    ) -> None:
        self.costs = dict(costs)
        self.unknown = max(costs.values()) + 1 if unknown is None else unknown
        self.kinds = dict.fromkeys(EDGE_KINDS, min(costs.values()))
        self.kinds["unknown"] = self.kinds["cluster"] = self.unknown
        self.kinds.update(kinds or {})
        self.jieba = jieba
        self.trie = Trie(costs)
        self.unifier = Unifier(costs)

    @classmethod
    def from_counts(
        cls,
        counts: Iterable[tuple[str, float]],
        kinds: Mapping[str, float] | None = None,
        unknown: float = 1.0,
        jieba: bool = False,
    ) -> Dictionary:
        """Maximum likelihood: ``-log(count / sum of all counts)``, rounded to whole units.

        ``kinds`` are the counts of ``<num>``, ``<date>``, ``<latin>``.
        """
        merged: dict[str, float] = {}
        for word, count in counts:
            word = word if jieba else chars.fold_str(word)
            merged[word] = merged.get(word, 0.0) + count
        kinds = kinds or {}
        mass = math.log(sum(merged.values()) + sum(kinds.values()))

        def cost(count: float) -> int:
            if count <= 0:
                return MAX_COST
            return min(MAX_COST, max(0, round((mass - math.log(count)) * COST_SCALE)))

        named = {v: k for k, v in CLASS_TOKENS.items() if k != "unknown"}
        return cls(
            {w: cost(n) for w, n in merged.items()},
            cost(unknown),
            {named[name]: cost(n) for name, n in kinds.items() if name in named},
            jieba,
        )

    @classmethod
    def of(cls, lexicon: Any) -> Dictionary:
        """From a compiled :class:`segmenter.lexicon.Lexicon`."""
        costs = lexicon.native.word_costs()
        params = struct.unpack("<45I", lexicon.artifact.section("params"))
        return cls(
            {word: costs[i] for i, word in enumerate(lexicon.words())},
            params[3],
            dict(zip(EDGE_KINDS, params[8:17], strict=True)),
            params[5] == 0,
        )

    def fold(self, text: str) -> str:
        return text if self.jieba else self.unifier.fold(chars.fold_str(text))


# --- the word DAG ------------------------------------------------------------------------------


class Edge(NamedTuple):
    """A candidate token: ``token`` is what the n-gram model knows it by."""

    start: int
    end: int
    cost: int
    kind: str
    token: str


Path = list[Edge]


class Dag:
    """The word DAG in adjacency lists.

    Attributes:
        n: nodes are 0 … n, node k before character k.
        out: edges by start, shortest word first.
        into: edges by end, longest word first: the order of the tie rule.
    """

    def __init__(self, text: str, edges: Iterable[Edge]) -> None:
        self.text = text
        self.n = len(text)
        self.edges = sorted(edges)
        self.out: list[Path] = [[] for _ in range(self.n + 1)]
        self.into: list[Path] = [[] for _ in range(self.n + 1)]
        for edge in self.edges:
            self.out[edge.start].append(edge)
            self.into[edge.end].append(edge)

    def words(self, path: Iterable[Edge]) -> list[str]:
        return [self.text[e.start : e.end] for e in path]

    def stretches(self) -> list[tuple[int, int]]:
        """The stretches between neighbouring nodes that no edge crosses: every path has them."""
        out = []
        start = reach = 0
        for k in range(self.n):
            if k > 0 and reach <= k:
                out.append((start, k))
                start = k
            reach = max([reach, *(e.end for e in self.out[k])])
        return [*out, (start, self.n)] if self.n else []


def word_dag(text: str, dictionary: Dictionary) -> Dag:
    """All candidate tokens of ``text``.

    Words of the dictionary, the runs of :func:`scan`, and every character by itself, as long as
    they do not begin or end inside what stays whole.  Where a word and a run of two characters
    or more span the same text the word stands; a single character of a run is the run.
    """
    folded = dictionary.fold(text)
    runs = scan(folded, classes_of(folded, dictionary.jieba))
    by_span: dict[tuple[int, int], Edge] = {}
    for k, c in enumerate(folded):
        if c not in dictionary.costs:
            by_span[k, k + 1] = Edge(k, k + 1, dictionary.unknown, "unknown", "<unk>")
        for end in dictionary.trie.ends(folded, k):
            word = folded[k:end]
            by_span[k, end] = Edge(k, end, dictionary.costs[word], "word", word)
    for start, end, kind in runs.edges:
        if end - start == 1 or (start, end) not in by_span:
            token = BOUNDARY if kind == "newline" else CLASS_TOKENS.get(kind, f"<{kind}>")
            by_span[start, end] = Edge(start, end, dictionary.kinds[kind], kind, token)
    return Dag(text, (e for span, e in by_span.items() if runs.inside.isdisjoint(span)))


# --- maximum matching --------------------------------------------------------------------------


def forward(dag: Dag, a: int = 0, b: int | None = None) -> Path:
    """Forward maximum matching: the longest word from the left, again and again."""
    path: Path = []
    k, b = a, dag.n if b is None else b
    while k < b:
        path.append(dag.out[k][-1])
        k = path[-1].end
    return path


def backward(dag: Dag, a: int = 0, b: int | None = None) -> Path:
    """Backward maximum matching: the longest word from the right, again and again."""
    path: Path = []
    k = dag.n if b is None else b
    while k > a:
        path.append(dag.into[k][0])
        k = path[-1].start
    return path[::-1]


def bidirectional(dag: Dag) -> Path:
    """Bidirectional maximum matching, stretch by stretch.

    Of the forward and the backward reading of a stretch that no word crosses: fewer words, then
    fewer single characters, then the backward one.
    """

    def burden(path: Path) -> tuple[int, int]:
        return len(path), sum(e.end - e.start == 1 for e in path)

    out: Path = []
    for a, b in dag.stretches():
        readings = [backward(dag, a, b), forward(dag, a, b)]
        best = min(readings, key=burden)  # equal: the first
        out += best
    return out


# --- shortest paths ----------------------------------------------------------------------------


def shortest(dag: Dag) -> Path:
    """The path of fewest words (Dijkstra 1959, with a heap)."""
    distance = {0: 0}
    before: dict[int, Edge] = {}
    queue = [(0, 0)]
    while queue:
        d, k = heapq.heappop(queue)
        if d > distance[k]:
            continue
        for edge in dag.out[k]:
            known = distance.get(edge.end, math.inf)
            if d + 1 < known:
                distance[edge.end] = d + 1
                heapq.heappush(queue, (d + 1, edge.end))
            elif d + 1 > known or edge.start > before[edge.end].start:
                continue  # dearer, or equal with a shorter last word
            before[edge.end] = edge
    path: Path = []
    k = dag.n
    while k:
        path.append(before[k])
        k = path[-1].start
    return path[::-1]


class States(NamedTuple):
    """A decoding problem: states in topological order, state 0 the start, the last one the end.

    Attributes:
        before: for each state its predecessors (state, cost), longest word first.
        edges: for each state the edge that leads to it; None for start and end.
    """

    before: list[list[tuple[int, int]]]
    edges: list[Edge | None]

    def path(self, states: Iterable[int]) -> Path:
        return [e for s in states if (e := self.edges[s]) is not None]


def viterbi(problem: States) -> Path:
    """The best path (Viterbi 1967): the best way to a state is the best way to one before it."""
    return problem.path(_trace(problem, *_best(problem)))


def _best(problem: States) -> tuple[list[float], list[int]]:
    cost: list[float] = [0]
    back = [0]
    for before in problem.before[1:]:
        # min takes the first of equals: the longest word
        least = min(before, key=lambda p: cost[p[0]] + p[1], default=(0, math.inf))
        cost.append(cost[least[0]] + least[1])
        back.append(least[0])
    return cost, back


def _trace(problem: States, cost: list[float], back: list[int]) -> list[int]:
    states = [len(problem.before) - 1]
    while states[-1]:
        states.append(back[states[-1]])
    return states[::-1]


def n_best(problem: States, n: int) -> list[tuple[Path, int]]:
    """At most ``n`` best paths with their costs, equal ones in the order of the tie rule.

    Best-first search from the right (Soong & Huang 1991): Viterbi's costs tell exactly how much
    the rest of a path will cost at least, so paths are completed in the order of their costs.
    """
    cost, _ = _best(problem)
    last = len(problem.before) - 1
    # (cost of the whole path at least, places in the lists of predecessors, cost so far, states);
    # the places decide ties: a smaller one is a longer word, read from the right
    queue: list[tuple[float, tuple[int, ...], int, tuple[int, ...]]]
    queue = [(cost[last], (), 0, (last,))]
    found: list[tuple[Path, int]] = []
    while queue and len(found) < n:
        _, places, spent, states = heapq.heappop(queue)
        if states[-1] == 0:
            found.append((problem.path(states[::-1]), spent))
            continue
        for place, (state, step) in enumerate(problem.before[states[-1]]):
            if cost[state] < math.inf:
                total = cost[state] + step + spent
                heapq.heappush(queue, (total, (*places, place), spent + step, (*states, state)))
    return found


def _node_states(dag: Dag, a: int, b: int, unit: bool) -> States:
    """States are nodes; but one a node and edge in, so that a state knows its edge."""
    first: dict[int, list[int]] = {a: [0]}  # node -> its states, longest word first
    before: list[list[tuple[int, int]]] = [[]]
    edges: list[Edge | None] = [None]
    for k in range(a + 1, b + 1):
        first[k] = []
        for edge in dag.into[k]:
            if edge.start >= a and first[edge.start]:
                first[k].append(len(edges))
                step = 1 if unit else edge.cost
                before.append([(s, step) for s in first[edge.start]])
                edges.append(edge)
    before.append([(s, 0) for s in first[b]])
    edges.append(None)
    return States(before, edges)


def n_shortest_paths(dag: Dag, n: int) -> list[tuple[Path, int]]:
    """At most ``n`` distinct paths of fewest words, with their lengths.

    >>> words = "他 说 的 的确 确实 实在 在理 理 实 在 确".split()
    >>> dag = word_dag("他说的确实在理", Dictionary(dict.fromkeys(words, 1)))
    >>> for path, length in n_shortest_paths(dag, 3): print("/".join(dag.words(path)), length)
    他/说/的/确实/在理 5
    他/说/的确/实/在理 5
    他/说/的确/实在/理 5
    """
    return n_best(_node_states(dag, 0, dag.n, True), n)


def n_shortest(dag: Dag) -> Path:
    """The decoder n-shortest (Zhang & Liu 2002): the most probable of the 8 paths of fewest words.

    Stretch by stretch, and probable by the unigram costs.
    """
    return n_shortest_ranked(dag, 1)[0][0]


def n_shortest_ranked(dag: Dag, n: int) -> list[tuple[Path, int]]:
    """At most ``n`` rows of such paths, one per stretch, with their costs: the best first."""
    found: list[tuple[Path, int]] = [([], 0)]
    for a, b in dag.stretches():
        rough = [path for path, _ in n_best(_node_states(dag, a, b, True), ROUGH_PATHS)]
        costs = [(path, sum(e.cost for e in path)) for path in rough]
        costs.sort(key=lambda row: row[1])
        ways = [(row + path, spent + cost) for path, cost in costs for row, spent in found]
        found = sorted(ways, key=lambda row: row[1])[:n]
    return found


# --- n-gram models -----------------------------------------------------------------------------


def _units(p: float) -> int:
    return min(MAX_COST, max(0, round(-math.log(p) * COST_SCALE)))


class NgramModel:
    """Costs of words after one or two others, in back-off form.

    Absolute discounting (Ney, Essen & Kneser 1994), interpolated with the order below and stored
    as in Katz (1987): a seen n-gram has its whole cost, an unseen one costs the weight of its
    history plus the cost at the order below.

    Attributes:
        boundary: cost of the end of a sentence by itself.
        pairs: (v, w) -> cost of w after v.
        weights: v -> cost of backing off from v.
        triples: (u, v, w) -> cost of w after u v.
        pair_weights: (u, v) -> cost of backing off from u v.
    """

    def __init__(self) -> None:
        self.boundary = 0
        self.pairs: dict[tuple[str, str], int] = {}
        self.weights: dict[str, int] = {}
        self.triples: dict[tuple[str, str, str], int] = {}
        self.pair_weights: dict[tuple[str, str], int] = {}

    def bigram(self, v: str, w: str, lower: int) -> int:
        """Cost of ``w`` after ``v``; ``lower`` is its unigram cost."""
        if (v, w) in self.pairs:
            return self.pairs[v, w]
        return self.weights.get(v, 0) + lower

    def trigram(self, u: str, v: str, w: str, lower: int) -> int:
        """Cost of ``w`` after ``u v``."""
        if (u, v, w) in self.triples:
            return self.triples[u, v, w]
        return self.pair_weights.get((u, v), 0) + self.bigram(v, w, lower)

    @classmethod
    def from_counts(
        cls,
        dictionary: Dictionary,
        bigrams: Iterable[tuple[str, str, float]],
        trigrams: Iterable[tuple[str, str, str, float]] = (),
        discount: float = 0.5,
    ) -> NgramModel:
        """Estimates the model.

        Tokens are words of the dictionary, ``<num>``, ``<date>``, ``<latin>``, ``<unk>`` (also
        whatever the dictionary does not have) and ``<s>``, the begin and end of a sentence.  A
        row ``(v, "<any>", count)`` gives v's total where rare successors were left out.
        """
        names = {*CLASS_TOKENS.values(), BOUNDARY}

        def token(word: str) -> str:
            if word in names:
                return word
            word = dictionary.fold(word)
            return word if word in dictionary.costs else "<unk>"

        pairs: dict[tuple[str, str], float] = {}
        totals: dict[str, float] = {}
        for v, w, count in bigrams:
            if w == ANY:
                totals[token(v)] = totals.get(token(v), 0.0) + count
            else:
                key = token(v), token(w)
                pairs[key] = pairs.get(key, 0.0) + count
        triples: dict[tuple[str, str, str], float] = {}
        for u, v, w, count in trigrams:
            if (token(u), token(v)) in pairs:
                key3 = token(u), token(v), token(w)
                triples[key3] = triples.get(key3, 0.0) + count

        # what a history keeps after the discount, and what it has
        kept: dict[str, float] = {}
        sums: dict[str, float] = {}
        for (v, _), count in pairs.items():
            kept[v] = kept.get(v, 0.0) + count - min(count, discount)
            sums[v] = sums.get(v, 0.0) + count
        for v in sums:
            totals[v] = max(totals.get(v, 0.0), sums[v])
        kept2: dict[tuple[str, str], float] = {}
        sums2: dict[tuple[str, str], float] = {}
        for (u, v, _), count in triples.items():
            kept2[u, v] = kept2.get((u, v), 0.0) + count - min(count, discount)
            sums2[u, v] = sums2.get((u, v), 0.0) + count
        totals2 = {h: max(pairs[h], sums2[h]) for h in sums2}

        model = cls()
        ends = sum(count for (_, w), count in pairs.items() if w == BOUNDARY)
        model.boundary = _units(max(ends, 1.0) / sum(totals.values()))
        costs = {name: dictionary.kinds[kind] for kind, name in CLASS_TOKENS.items()}
        costs[BOUNDARY] = model.boundary

        def chance1(w: str) -> float:
            return math.exp(-(costs[w] if w in names else dictionary.costs[w]) / COST_SCALE)

        rest = {v: max(1e-5, 1 - kept[v] / totals[v]) for v in kept}

        def chance2(v: str, w: str) -> float:
            if (v, w) not in pairs:
                return rest.get(v, 1.0) * chance1(w)
            return max(pairs[v, w] - discount, 0.0) / totals[v] + rest[v] * chance1(w)

        model.weights = {v: _units(p) for v, p in rest.items()}
        model.pairs = {pair: _units(chance2(*pair)) for pair in pairs}
        for h in kept2:  # kept in steps of 1/16 nat
            step = _units(max(1e-5, 1 - kept2[h] / totals2[h])) // 128
            model.pair_weights[h] = min(255, step) * 128
        for (u, v, w), count in triples.items():
            seen = max(count - discount, 0.0) / totals2[u, v]
            left = math.exp(-model.pair_weights[u, v] / COST_SCALE)
            model.triples[u, v, w] = _units(seen + left * chance2(v, w))
        return model

    @classmethod
    def of(cls, lexicon: Any) -> NgramModel:
        """From the tables of a compiled lexicon: records ``key << 24 | cost << 8 | weight``."""
        words = lexicon.words()
        names = [CLASS_TOKENS.get(kind, f"<{kind}>") for kind in EDGE_KINDS]
        tokens = [*words, *names, BOUNDARY]
        section = lexicon.artifact.section
        empty = (1 << 64) - 1
        model = cls()
        model.boundary = struct.unpack("<4I", section("ngram.params"))[0]
        weights = section("ngram.weights").cast("H")
        model.weights = {token: weights[i] for i, token in enumerate(tokens)}
        place: dict[int, tuple[str, str]] = {}
        for at, record in enumerate(section("ngram.bigrams").cast("Q")):
            if record != empty:
                key = record >> 24
                pair = place[at] = tokens[key >> 20], tokens[key & 0xFFFFF]
                model.pairs[pair] = record >> 8 & 0xFFFF
                model.pair_weights[pair] = (record & 0xFF) * 128
        for record in section("ngram.trigrams").cast("Q"):
            if record != empty:
                u, v = place[record >> 44]
                model.triples[u, v, tokens[record >> 24 & 0xFFFFF]] = record >> 8 & 0xFFFF
        return model


def unigram(dag: Dag) -> Path:
    """The path of least summed cost: the most probable one where words are independent."""
    return viterbi(unigram_states(dag))


def unigram_from_left(dag: Dag) -> Path:
    """The path of least summed cost; among equal ones, from the left, the longer word wins.

    The recursion of the package jieba, from right to left.
    """
    rest: list[float] = [math.inf] * dag.n + [0]
    step: list[Edge | None] = [None] * dag.n
    for k in reversed(range(dag.n)):
        for edge in dag.out[k]:  # shortest first
            if rest[edge.end] + edge.cost <= rest[k]:
                rest[k] = rest[edge.end] + edge.cost
                step[k] = edge
    path: Path = []
    k = 0
    while k < dag.n and (edge_ := step[k]) is not None:
        path.append(edge_)
        k = edge_.end
    return path


def _join_letters(path: Path, text: str) -> Path:
    """Neighbouring words of one ASCII letter or digit become one word."""
    out: Path = []
    letters = False
    for edge in path:
        c = text[edge.start : edge.end]
        letter = len(c) == 1 and c.isascii() and c.isalnum()
        if letter and letters:
            out[-1] = Edge(out[-1].start, edge.end, 0, "latin", "<latin>")
        else:
            out.append(edge)
        letters = letter
    return out


_JIEBA_BLOCK = re.compile(r"[\u4e00-\u9fd5a-zA-Z0-9+#&._%\-]")
_JIEBA_HAN = re.compile("([\u4e00-\u9fd5]+)")
_JIEBA_TOKEN = re.compile(r"([a-zA-Z0-9]+(?:\.\d+)?%?)")


def guessed_as_jieba(
    words: Sequence[str], is_word: Callable[[str], bool], tagger: Callable[[str], list[str]]
) -> list[str]:
    """The words of ``HMM=True`` in the package jieba, see ``lattice/jieba_runs.hpp``.

    Args:
        words: of the best path, letters and digits one by one.
        is_word: whether the dictionary has a word.
        tagger: cuts a stretch of Han characters.
    """
    out: list[str] = []
    run = ""
    for word in [*words, ""]:
        if len(word) == 1 and _JIEBA_BLOCK.fullmatch(word):
            run += word
            continue
        if len(run) == 1 or is_word(run):
            out += run
        else:
            for part in _JIEBA_HAN.split(run):
                out += tagger(part) if _JIEBA_HAN.match(part) else _JIEBA_TOKEN.split(part)
        out.append(word)
        run = ""
    return [word for word in out if word]


def bigram(dag: Dag, model: NgramModel) -> Path:
    """The most probable path where a word depends on the one before it."""
    return viterbi(bigram_states(dag, model))


def trigram(dag: Dag, model: NgramModel) -> Path:
    """The most probable path where a word depends on the two before it."""
    return viterbi(trigram_states(dag, model))


def unigram_states(dag: Dag) -> States:
    return _node_states(dag, 0, dag.n, False)


def bigram_states(dag: Dag, model: NgramModel) -> States:
    """States are edges.  A line end is the boundary of a sentence, so is the end of the text."""
    before: list[list[tuple[int, int]]] = [[]]
    edges: list[Edge | None] = [None]
    by_end: dict[int, list[int]] = {0: [0]}

    def cost(s: int, w: str, lower: int) -> int:
        edge = edges[s]
        lower = model.boundary if w == BOUNDARY else lower
        return model.bigram(edge.token if edge else BOUNDARY, w, lower)

    for k in range(1, dag.n + 1):
        by_end[k] = []
        for edge in dag.into[k]:
            if by_end[edge.start]:
                by_end[k].append(len(edges))
                before.append([(s, cost(s, edge.token, edge.cost)) for s in by_end[edge.start]])
                edges.append(edge)
    before.append([])
    for s in by_end[dag.n]:
        last = edges[s]
        closed = last is None or last.token == BOUNDARY
        before[-1].append((s, 0 if closed else cost(s, BOUNDARY, 0)))
    edges.append(None)
    return States(before, edges)


def trigram_states(dag: Dag, model: NgramModel) -> States:
    """States are pairs of neighbouring edges; nothing before a boundary counts."""
    before: list[list[tuple[int, int]]] = [[]]
    edges: list[Edge | None] = [None]
    history: list[tuple[str, str]] = [(BOUNDARY, BOUNDARY)]
    by_edge: dict[Edge | None, list[int]] = {None: [0]}

    def cost(s: int, w: str, lower: int) -> int:
        return model.trigram(*history[s], w, model.boundary if w == BOUNDARY else lower)

    for k in range(1, dag.n + 1):
        for edge in dag.into[k]:
            by_edge[edge] = []
            earlier: list[Edge | None] = list(dag.into[edge.start]) if edge.start else [None]
            for previous in earlier:
                states = by_edge[previous]  # (g, previous) for every g before it, longest first
                if not states:
                    continue
                by_edge[edge].append(len(edges))
                before.append([(s, cost(s, edge.token, edge.cost)) for s in states])
                edges.append(edge)
                u = previous.token if previous else BOUNDARY
                history.append((BOUNDARY if edge.token == BOUNDARY else u, edge.token))
    before.append([])
    lasts: list[Edge | None] = list(dag.into[dag.n]) if dag.n else [None]
    for last in lasts:
        for s in by_edge[last]:
            closed = last is None or last.token == BOUNDARY
            before[-1].append((s, 0 if closed else cost(s, BOUNDARY, 0)))
    edges.append(None)
    return States(before, edges)


#: Decoders by their public names; each takes the DAG and the n-gram model (which may be None).
DECODERS: dict[str, Any] = {
    "forward-max": lambda dag, _: forward(dag),
    "backward-max": lambda dag, _: backward(dag),
    "bidirectional-max": lambda dag, _: bidirectional(dag),
    "shortest": lambda dag, _: shortest(dag),
    "n-shortest": lambda dag, _: n_shortest(dag),
    "unigram": lambda dag, _: unigram(dag),
    "bigram": bigram,
    "trigram": trigram,
}


def decode(
    text: str,
    dictionary: Dictionary,
    decoder: str = "unigram",
    model: NgramModel | None = None,
    keep_unknown: bool = False,
) -> Path:
    """The tokens of ``text``, as :class:`segmenter.Segmenter` would cut it.

    ``keep_unknown``: neighbouring unknown Han characters stay one token (``oov="keep"``).
    """
    dag = word_dag(text, dictionary)
    path: Path
    if dictionary.jieba:
        path = unigram_from_left(dag) if decoder == "unigram" else DECODERS[decoder](dag, model)
        path = _join_letters(path, text)
    else:
        path = DECODERS[decoder](dag, model)
    if not keep_unknown:
        return path
    classes = classes_of(dictionary.fold(text), dictionary.jieba)
    out: Path = []
    for edge in path:
        kept = edge.kind == "unknown" and classes[edge.start] == "h"
        if kept and out and out[-1].kind == "unknown" and classes[out[-1].start] == "h":
            out[-1] = out[-1]._replace(end=edge.end)
        else:
            out.append(edge)
    return out


# --- parts of speech ---------------------------------------------------------------------------

# The shapes of words outside the trie, in the order of their classes; letters as in classes_of, "n"
# and "h" Chinese numerals and other Han characters.
_MARK_LETTERS = r".:,%p\-"
_SHAPES = [
    re.compile(pattern)
    for pattern in (
        "[_r]*", ".*l.*", f"[{_MARK_LETTERS}~]*", f"[{_MARK_LETTERS}~x_r]*",
        f"[d{_MARK_LETTERS}~]*", f"(?=.*d)[dhn{_MARK_LETTERS}~]*", "[a~]*",
        f"(?=.*a)[ad{_MARK_LETTERS}~_rx]*", f"[GCKHJL{_MARK_LETTERS}~_r]*", "[n~]*",
        "n[hn~]+", "[hn~]", "[hn~]{2}", "[hn~]{3}", "[hn~]{4}", "[hn~]*", ".*",
    )
]  # fmt: skip
#: In which order they are tried: the kernel asks for plain Han words before digits.
_SHAPE_ORDER = (1, 0, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 5, 6, 7, 8, 16)
_BOUNDARY_CLASS = 17
_MASK = (1 << 64) - 1


class PosWord(NamedTuple):
    """What the features of a part-of-speech tagger see of a word: slot in the trie (0: unknown),
    class, ids of its first two and last two characters (0 where it has none)."""

    id: int = 0
    cls: int = _BOUNDARY_CLASS
    first: int = 0
    second: int = 0
    before_last: int = 0
    last: int = 0


def _pos_key(pattern: int, a: int, b: int = 0, c: int = 0) -> int:
    h = ((a * 0x9E3779B97F4A7C15 + b) * 0xC2B2AE3D27D4EB4F + c) & _MASK
    h = (h + pattern) * 0xD6E8FEB86659FD93 & _MASK
    return h ^ h >> 32


class PosModel:
    """A part-of-speech tagger over the sections of its file, see ``pos/pos.hpp``.

    Args:
        sections: of the artifact.
        names: of the tags.
        encode: id of a character; None: by the file's own table, without variants.
    """

    def __init__(
        self,
        sections: Mapping[str, Any],
        names: Sequence[str],
        encode: Callable[[str], int] | None = None,
    ) -> None:
        def column(name: str, form: str) -> tuple[int, ...]:
            raw = bytes(sections[name])
            return struct.unpack(f"<{len(raw) // struct.calcsize(form)}{form}", raw)

        self.names = names
        self.encode = encode or (lambda character: self._id(ord(character)))
        self.bmp = column("charmap.bmp", "H")
        self.pages = column("charmap.pages", "H")
        self.blocks = column("charmap.blocks", "H")
        self.classes = column("charmap.classes", "B")
        self.units = column("trie.units", "Q")
        self.trie = DoubleArray(self.units, len(self.classes))
        self.terminal = column("words.terminal", "Q")
        self.masks = column("pos.masks", "Q")
        self.affixes = column("pos.affixes", "B")
        self.table = column("pos.table", "H")
        self.cells = column("pos.blocks", "B")
        self.rows = column("pos.rows", "b")

    def _id(self, cp: int) -> int:
        if cp < 0x10000:
            return self.bmp[cp] & 0x7FFF
        return self.blocks[self.pages[(cp >> 8) - 0x100] * 256 + (cp & 0xFF)] & 0x7FFF

    def word(self, text: str) -> PosWord:
        ids = list(map(self.encode, text))
        slot = ids[0] if ids else 0
        for i in ids[1:]:
            slot = self.trie.child(slot, i) if slot else 0
        known = slot and self.terminal[slot // 64] >> slot % 64 & 1
        cls = self.units[slot] >> 16 & 0xFFFF if known else len(self.masks)
        if cls >= len(self.masks):
            slot = 0
            letters = "".join(_LETTERS.get(self.classes[i], "x") for i in ids)
            cls = next(k for k in _SHAPE_ORDER if _SHAPES[k].fullmatch(letters))
        two = [0, 0, *ids]
        second = ids[1] if len(ids) > 1 else 0
        return PosWord(slot, cls, ids[0] if ids else 0, second, two[-2], two[-1])

    def features(self, around: Sequence[PosWord], t1: int, t2: int) -> list[int]:
        """Keys of the features of the word in the middle of five."""
        w2, w1, w, v1, v2 = around
        c, tags = w.cls, t1 << 8 | t2
        rows: list[tuple[int, ...]] = [
            (1, c), (2, c, t1), (3, c, tags), (4, t1, v1.cls), (5, c, v1.cls),
            (6, c, v1.cls, v2.cls), (7, c, t1, v1.cls), (8, tags), (9, v1.cls, v2.cls),
            (10, w1.id, c), (11, v1.id, c), (12, w1.id), (13, v1.id), (14, w2.id), (15, v2.id),
            (16, v1.last, c),
        ]  # fmt: skip
        if w.id:
            rows += [
                (17, w.id), (18, w.id, t1), (19, w.id, v1.cls), (20, w.id, w1.id),
                (21, w.id, v1.id), (22, w.id, w1.cls, v1.cls),
            ]  # fmt: skip
        if self.affixes[c]:
            rows += [
                (23, w.last, c), (24, w.first, c), (25, w.last), (26, w.first),
                (27, w.before_last, w.last), (28, w.first, w.second), (29, w.last, t1),
                (30, w.last, v1.cls), (31, w.last, v1.last), (32, w1.last, w.first),
                (33, w.last, w1.id), (34, w.last, v1.id),
            ]  # fmt: skip
        return [_pos_key(*row) for row in rows]

    def scores(self, keys: Iterable[int]) -> list[int]:
        """Sums of the weights of features, by tag."""
        out = [0] * len(self.names)
        for key in keys:
            for tag, weight in self.weights(key):
                out[tag] += weight
        return out

    def weights(self, key: int) -> list[tuple[int, int]]:
        """Tags and weights of a feature; none if it has none."""
        half = key >> 32
        b = 16 * (half * (len(self.table) // 16) >> 32)
        *bucket, low, high = self.table[b : b + 16]
        if half & 0xFFFF not in bucket:
            return []
        at = 8 * (low + (high << 16) + bucket.index(half & 0xFFFF))
        block = bytes(self.cells[at : at + 8])
        if block[0] == 0xFF:
            row = int.from_bytes(block[4:], "little")
            lanes = -(-len(self.names) // 16) * 16
            return list(enumerate(self.rows[row * lanes : row * lanes + len(self.names)]))
        return list(zip(block[:4], struct.unpack("4b", block[4:]), strict=True))

    def tags(self, words: Sequence[str], given: Sequence[str | None] | None = None) -> list[str]:
        """One tag a word, each decided by those before it."""
        seen = [self.word(w) for w in words]
        edge = [PosWord(), PosWord()]
        out = [-1] * len(words)
        run: list[int] = []
        for i in range(len(words) + 1):
            if i < len(words) and seen[i].cls > 1:
                run.append(i)
                continue
            if i < len(words):
                out[i] = self.masks[seen[i].cls].bit_length() - 1
                if seen[i].cls == 0:
                    continue  # a blank: the sentence goes on
            around = [*edge, *(seen[k] for k in run), *edge]
            t1 = t2 = len(self.names)
            for at, k in enumerate(run):
                mask = self.masks[seen[k].cls]
                own = None if given is None else given[k]
                if own in self.names:
                    tag = self.names.index(str(own))
                elif mask.bit_count() == 1:
                    tag = mask.bit_length() - 1
                else:
                    sums = self.scores(self.features(around[at : at + 5], t1, t2))
                    tag = max(
                        (t for t in range(len(sums)) if mask >> t & 1),
                        key=lambda t: (sums[t], -t),
                    )
                out[k] = tag
                t1, t2 = tag, t1
            run = []
        return [self.names[t] for t in out]


# --- below the text ----------------------------------------------------------------------------


class DoubleArray:
    """Walks a double-array trie (Aoe 1989) as it lies in a compiled lexicon.

    A unit is label (16 bits), cost (16), guard (8, a Bloom filter of the children), base (24).
    The child of a node by character id c is slot ``base + c`` if that slot's label is c.

    Args:
        units: section ``trie.units`` as 64-bit integers.
        n_ids: number of character ids; the node of a single character id is the slot of that
            number.
    """

    NO_COST = 0xFFFF

    def __init__(self, units: Sequence[int], n_ids: int) -> None:
        self.units = units
        self.n_ids = n_ids

    def child(self, slot: int, char_id: int) -> int:
        """Slot of the child, 0 if there is none."""
        base = self.units[slot] >> 40
        at = base + char_id
        return at if base and self.units[at] & 0xFFFF == char_id else 0

    def words(self, ids: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """(length, slot, cost) of the words of two characters or more that ``ids`` begins with."""
        slot = ids[0] if ids else 0
        for length in range(2, len(ids) + 1):
            slot = self.child(slot, ids[length - 1])
            if not slot:
                return
            cost = self.units[slot] >> 16 & 0xFFFF
            if cost != self.NO_COST:
                yield length, slot, cost


def word_number(terminal: Sequence[int], slot: int) -> int:
    """Number of the word that ends at ``slot``: how many words end at slots below it.

    ``terminal`` holds one bit a slot, 64 a word (Jacobson 1989 calls this rank).
    """
    whole = sum(word.bit_count() for word in terminal[: slot // 64])
    return whole + (terminal[slot // 64] & ((1 << slot % 64) - 1)).bit_count()


def user_spans(text: str, levels: Mapping[str, str]) -> list[tuple[int, int]]:
    """Where words of the user win: force before prefer, then the longest, then the leftmost.

    Args:
        text: any text; what stands around a word is not looked at (the kernel leaves words out
            that begin or end inside a run of letters or digits, or part a grapheme cluster).
        levels: word -> ``"force"`` or ``"prefer"``.

    Returns:
        disjoint spans (start, end), ascending.

    >>> user_spans("他说的确实在理", {"的确": "prefer", "确实在": "prefer", "他说": "force"})
    [(0, 2), (3, 6)]
    """
    found = [
        (level != "force", -len(word), start)
        for word, level in levels.items()
        for start in range(len(text))
        if text.startswith(word, start)
    ]
    out: list[tuple[int, int]] = []
    for _, negative, start in sorted(found):
        end = start - negative
        if all(end <= a or b <= start for a, b in out):
            out.append((start, end))
    return sorted(out)


def crc32(data: bytes, value: int = 0) -> int:
    """CRC-32 of ISO 3309 and ``zlib.crc32`` (Peterson & Brown 1961), bit by bit.

    >>> hex(crc32(b"123456789"))
    '0xcbf43926'
    """
    rest = value ^ 0xFFFFFFFF
    for byte in data:
        rest ^= byte
        for _ in range(8):
            rest = rest >> 1 ^ (0xEDB88320 if rest & 1 else 0)
    return rest ^ 0xFFFFFFFF


# Unicode 15, table 3-7: well-formed byte sequences, lead byte by lead byte.
_WELL_FORMED = (
    (range(0x80), ()),
    (range(0xC2, 0xE0), (range(0x80, 0xC0),)),
    (range(0xE0, 0xE1), (range(0xA0, 0xC0), range(0x80, 0xC0))),
    (range(0xE1, 0xED), (range(0x80, 0xC0), range(0x80, 0xC0))),
    (range(0xED, 0xEE), (range(0x80, 0xA0), range(0x80, 0xC0))),
    (range(0xEE, 0xF0), (range(0x80, 0xC0), range(0x80, 0xC0))),
    (range(0xF0, 0xF1), (range(0x90, 0xC0), range(0x80, 0xC0), range(0x80, 0xC0))),
    (range(0xF1, 0xF4), (range(0x80, 0xC0), range(0x80, 0xC0), range(0x80, 0xC0))),
    (range(0xF4, 0xF5), (range(0x80, 0x90), range(0x80, 0xC0), range(0x80, 0xC0))),
)


def decode_utf8(data: bytes) -> tuple[str, int]:
    """Strict UTF-8: the text, and the offset of the first sequence that is not well formed (-1).

    >>> decode_utf8(b"\\xe4\\xbb\\x96"), decode_utf8(b"ab\\xc0\\x80")
    (('他', -1), ('ab', 2))
    """
    out: list[str] = []
    at = 0
    while at < len(data):
        for lead, tail in _WELL_FORMED:
            rest = data[at + 1 : at + 1 + len(tail)]
            if (
                data[at] in lead
                and len(rest) == len(tail)
                and all(byte in allowed for byte, allowed in zip(rest, tail, strict=True))
            ):
                break
        else:
            return "".join(out), at
        # a lead byte of a sequence of n > 1 bytes carries 7 - n bits, every other byte 6
        code = data[at] & (0x3F >> len(tail) if tail else 0x7F)
        for byte in rest:
            code = code << 6 | byte & 0x3F
        out.append(chr(code))
        at += 1 + len(tail)
    return "".join(out), -1


# --- BiLSTM-CRF ---------------------------------------------------------------------------------


class Bilstm:
    """The integers of ``bilstm/bilstm.hpp``, one position after another, from its artifact.

    Args:
        sections: of an artifact of kind ``"bilstm-crf"``.
        standard: number of the standard in it.
    """

    def __init__(self, sections: Mapping[str, Any], standard: int) -> None:
        def ints(name: str, kind: str) -> list[int]:
            return [number for (number,) in struct.iter_unpack("<" + kind, sections[name])]

        params = ints("bilstm.params", "i")
        self.hidden, self.layers, self.char_size, self.pair_size, tables = params[:5]
        sizes = params[7 : 7 + 2 * tables]
        self.shifts = params[7 + 2 * tables :]
        self.ids = [entry & 0x7FFF for entry in ints("charmap.bmp", "H")]
        self.rows = ints("bilstm.rows", "H")
        self.chars = _rows(ints("bilstm.chars", "b"), self.char_size)
        keys = ints("bilstm.keys", "I")
        self.pairs = {(k >> 16, k & 0xFFFF): i for i, k in enumerate(keys) if k != 0xFFFFFFFF}
        self.bigrams = _rows(ints("bilstm.bigrams", "b"), self.pair_size)
        flat, at = ints("bilstm.lexicon", "b"), 0
        self.tables = []
        for values, size in zip(sizes[::2], sizes[1::2], strict=True):
            self.tables.append(_rows(flat[at : at + values * size], size))
            at += values * size
        curve = ints("bilstm.sigmoid", "h")
        self.heights, self.slopes = curve[:32], curve[32:]
        self.weights, self.gains = {}, {}
        for name in ("ih", "hh"):
            for k in range(self.layers):
                for d in range(2):
                    flat = ints(f"bilstm.{name}.{k}{d}", "b")
                    self.weights[name, k, d] = _rows(flat, len(flat) // (4 * self.hidden))
                    self.gains[name, k, d] = ints(f"bilstm.gain.{name}.{k}{d}", "h")
        self.bias = _rows(ints(f"standard.{standard}.bias", "h"), 4 * self.hidden)
        self.out = _rows(ints(f"standard.{standard}.out", "h"), 2 * self.hidden)
        self.own = ints(f"standard.{standard}.params", "i")

    def inputs(self, text: str, slots: Sequence[Sequence[int]]) -> list[list[int]]:
        """Inputs of layer 0 at every character of folded text of the basic plane."""
        beyond, unknown = len(self.rows) - 1, len(self.bigrams) - 1
        ids = [beyond, *(self.ids[ord(c)] for c in text), beyond]
        out = []
        for i in range(1, len(ids) - 1):
            x = list(self.chars[self.rows[ids[i]]])
            x += self.bigrams[self.pairs.get((ids[i - 1], ids[i]), unknown)]
            x += self.bigrams[self.pairs.get((ids[i], ids[i + 1]), unknown)]
            for table, value in zip(self.tables, slots[i - 1], strict=False):
                x += table[value]
            out.append(x)
        return out

    def half_sigmoid(self, z: int) -> int:
        """sigmoid(z) - 1/2 in 15 fraction bits of a number in 10."""
        a = min(abs(z), 8191)
        rise = self.heights[a >> 8] + (self.slopes[a >> 8] * (a & 255) + 128 >> 8)
        return rise if z > 0 else -rise if z < 0 else 0

    def states(self, layer: int, d: int, inputs: Sequence[Sequence[int]]) -> list[list[int]]:
        """Hidden states, 15 fraction bits, of inputs in the order in which they are read."""
        size = self.hidden

        def narrowed(name: str, x: Sequence[int]) -> list[int]:
            shift = self.shifts[4 * layer + 2 * d + (name == "hh")]
            rows = zip(self.weights[name, layer, d], self.gains[name, layer, d], strict=True)
            return [_times(_sat(_dot(row, x) >> shift), gain) for row, gain in rows]

        cell, recurrent = [0] * size, [0] * size
        out = []
        for x in inputs:
            sums = narrowed("ih", x), self.bias[2 * layer + d], narrowed("hh", recurrent)
            own = zip(*sums, strict=True)
            u = [self.half_sigmoid(_sat(_sat(a + b) + r)) for a, b, r in own]
            state = []
            for k in range(size):
                i, f, o = (u[g * size + k] + (1 << 14) for g in (0, 1, 3))
                g = 2 * u[2 * size + k]
                cell[k] = _sat(_times(f, cell[k]) + (_times(i, g) + 8 >> 4))
                state.append(_times(o, 2 * self.half_sigmoid(cell[k])))
            recurrent = _narrow_states(state)
            out.append(state)
        return out

    def emissions(
        self,
        text: str,
        slots: Sequence[Sequence[int]],
        linear: Sequence[Sequence[int]],
        weight: int,
    ) -> list[list[int]]:
        """Scores of B, M, E against S at every character.

        Args:
            text: folded text of the basic plane without blanks and line ends.
            slots: ten numbers a character, :func:`segmenter.tagging.bilstm_crf.word_slots`.
            linear: what the linear tagger gives B, M, E against S, in its integer units.
            weight: of these, in units of 2**-32.
        """
        x = self.inputs(text, slots)
        both: list[list[int]] = []
        for layer in range(self.layers):
            forward = self.states(layer, 0, x)
            backward = self.states(layer, 1, x[::-1])[::-1]
            both = [a + b for a, b in zip(forward, backward, strict=True)]
            x = [_narrow_states(row) for row in both]
        out = []
        for h, line in zip(both, linear, strict=True):
            scores = [_dot(row, h) * self.own[0] + (1 << 39) >> 40 for row in self.out]
            added = [b * weight + (1 << 31) >> 32 for b in line]
            out.append([sum(each) for each in zip(scores, self.own[1:4], added, strict=True)])
        out[-1][2] += self.own[8]
        return [[_sat(a) for a in row] for row in out]


def _rows(flat: list[int], size: int) -> list[list[int]]:
    return [flat[i : i + size] for i in range(0, len(flat), size)]


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(map(operator.mul, a, b))


def _times(a: int, b: int) -> int:
    return a * b + (1 << 14) >> 15


def _sat(x: int) -> int:
    return max(-32768, min(32767, x))


def _narrow_states(state: Sequence[int]) -> list[int]:
    return [min(h + 128, 32767) >> 8 for h in state]


class AtomTwin:
    """Typed atoms by regular expressions: the rules that are on by default, clusters left out.

    The kernel reads a chunk of ASCII and full-width characters one by one; here the rules are
    patterns over the folded text, tried in the kernel's order where a run of letters and digits
    begins.  (Clusters have the ``\\X`` of the package ``regex`` as their oracle, numbers and units
    the cases of tests/atoms_cases.tsv.)

    >>> AtomTwin("见https://a.cn/b。10:30，X-900").find()
    [(1, 15, 'url'), (16, 21, 'time'), (22, 27, 'code')]
    """

    _TOP = re.compile(
        "com|cn|net|org|edu|gov|mil|int|info|biz|io|ai|co|tv|cc|top|xyz|vip|app|dev|shop|site|club|"
        "online|tech|store|cloud|live|hk|tw|mo|jp|kr|uk|de|fr|ru|eu|sg|au|ca"
    )
    _VERSION = re.compile(
        r"(\d+(?:\.\d+){1,7})(?!\.\d)(?:[-.+_]?(?:alpha|beta|rc|a|b|dev|pre|preview|snapshot|final|"
        r"release|post|lts|stable|build|ga|sp|p)(?![a-z])(?:\d+|\.\d+)?(?![a-z0-9]))?",
        re.I | re.A,
    )
    _CLOCK = re.compile(
        r"(?:2[0-4]|[01]?\d):[0-5]\d(?!\d)"
        r"(?:(?!:\d)|:(?:[0-5]\d|60)(?!\d)(?:\.\d{1,9}(?!\d))?)",
        re.A,
    )
    _ZONE = re.compile(r"(?:Z(?![A-Za-z0-9])|[+-]\d\d:?\d\d(?![A-Za-z0-9]))?", re.I | re.A)
    _DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?!\d)(?!\2\d)", re.A)
    _HOST = re.compile("{0}(?:\\.{0})*".format("[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9-]))*"))
    _URL = re.compile(r"[A-Za-z][A-Za-z0-9]{1,15}://(?=[A-Za-z0-9\[])")
    _LOCAL = re.compile(r"[A-Za-z0-9._%+'-]{1,64}(?<!\.)@")
    _IP6 = re.compile(r"[0-9A-Fa-f:;]+(?![A-Za-z0-9:;])")
    _GROUPS = re.compile(
        r"(?:[0-9a-f]{1,4}(?::(?=[0-9a-f])|(?=$|:[:;])))*"
        r"(?::[:;](?:[0-9a-f]{1,4}(?::(?=[0-9a-f])|$))*)?",
        re.I,
    )
    _CODE = re.compile(r"[A-Za-z0-9]+(?:(?:-|(?<=\d)\.(?=\d))[A-Za-z0-9]+)*", re.A)
    _STANDARD = re.compile(
        r"[A-Z]{2,6}/[A-Z]{1,5}(?![A-Za-z]) ?"
        r"(\d{1,6}(?!\d)(?:\.\d{1,9})*+(?:[-:]\d{4}(?!\d))?+)(?![A-Za-z0-9])",
        re.A,
    )
    _URL_CHARS = frozenset("-._~:/?#[]@!$&'()*+,;=%")

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = "".join(map(self._fold, text)) + "\0" * 8
        self.found: list[tuple[int, int, str]] = []
        self.a = self.b = 0  # the chunk

    @staticmethod
    def _fold(c: str) -> str:
        if c.isascii():
            return c if " " < c < "\x7f" else "\0"
        if "\uff01" <= c <= "\uff5e":
            half = chr(ord(c) - 0xFEE0)
            return half if half.isalnum() or half in "./-@#%+_&=~:'" else "\0"
        if c in "\u2019\u2236\u2212\u2010\u2011":
            return {"\u2019": "'", "\u2236": ":"}.get(c, "-")
        latin = "\xc0" <= c < "\u2c80" and _class(c) == chars.LATIN
        return "z" if latin else "\0"

    def _wide(self, k: int) -> bool:
        return k < len(self.text) and not self.text[k].isascii()

    def _at(self, k: int) -> str:
        return self.folded[k] if self.a <= k < self.b else "\0"

    @staticmethod
    def _alnum(c: str) -> bool:
        return c.isascii() and c.isalnum()

    def _end(self, k: int, of: str) -> int:
        """Where the run of ``a`` letters, ``d`` digits or ``ad`` both ends."""
        while (c := self._at(k)) and ((c.isalpha() and "a" in of) or (c.isdigit() and "d" in of)):
            k += 1
        return k

    def find(self) -> list[tuple[int, int, str]]:
        k = 0
        while k < len(self.text):
            if self.folded[k] == "\0":
                k += 1
                continue
            self.a, self.b = k, self.folded.index("\0", k)
            k = self._read() if self._worth() else self.b
        return self.found

    def _worth(self) -> bool:
        """Whether the scan stops anywhere in the chunk."""
        for k in range(self.a, self.b):
            c, after = self.folded[k], self.folded[k + 1]
            before = self.folded[k - 1] if k else "\0"
            if c in "@#+" or (c == ":" and after in "/:"):
                return True
            if c in ".:/-'" and self._alnum(before) and self._alnum(after):
                return True
        return False

    def _read(self) -> int:
        p = self.a
        while p < self.b:
            c, e = self.folded[p], 0
            if c == "@":
                e = self._mention(p)
            elif c == "#":
                e = self._hashtag(p)
            elif c == ":" and self._at(p + 1) == ":":
                e = self._take("ip", p, self._ip6(p))
                while not e and self._at(p + 1) == ":":
                    p += 1
            elif self._alnum(c):
                e = self._run(p)
            p = e if e > p else self._end(p, "ad") if self._alnum(c) else p + 1
        return p

    def _take(self, name: str, s: int, e: int) -> int:
        """``e`` where the atom stands free, else 0."""
        if not e:
            return 0
        inside = self._alnum(self.folded[e]) and self._alnum(self.folded[e - 1])
        free = s == 0 or (self.found and self.found[-1][1] == s)
        if not free and self._alnum(self.folded[s]):
            inside |= self._alnum(self.folded[s - 1])
        if inside or (self.found and self.found[-1][1] > s):
            return 0
        self.found.append((s, e, name))
        return e

    def _run(self, p: int) -> int:
        q = self._end(p, "ad")
        digits = self.folded[p].isdigit()
        return (
            self._take("url", p, self._url(p))
            or self._take("email", p, self._email(p))
            or self._take("ip", p, self._ip6(p))
            or self._take("url", p, self._domain(p, q))
            or (self._digits(p, q) if digits else 0)
            or (
                self._take("version", p, self._version(p + 1, 2))
                if self.folded[p] in "vV" and self._at(p + 1).isdigit()
                else 0
            )
            or self._take("code", p, self._code(p, q))
            or self._take("code", p, self._standard(p))
            or self._take("latin", p, self._latin(p, q))
        )

    def _before(self, p: int, back: int = 1) -> str:
        return self._at(p - back)

    # --- hosts

    def _url(self, p: int) -> int:
        m = self._URL.match(self.folded, p, self.b)
        if not m:
            return 0
        return self._url_end(p, m.end(), self._wide(m.end() - 2) and self._wide(m.end() - 1))

    def _url_end(self, p: int, start: int, wide: bool) -> int:
        e = start
        while (c := self._at(e)) != "\0" and (self._alnum(c) or c in self._URL_CHARS):
            if (self._wide(e) and not wide) or (
                c in ",;" and self.folded.startswith("http", e + 1)
            ):
                break
            e += 1
        while e > start:
            part, last = self.folded[p:e], self.folded[e - 1]
            unbalanced = any(
                last in pair and part.count(pair[0]) != part.count(pair[1])
                and (last == pair[1]) == (part.count(pair[1]) > part.count(pair[0]))
                for pair in ("()", "[]")
            )  # fmt: skip
            if not unbalanced and last not in ".,;:!?'*~":
                break
            e -= 1
        return e

    def _email(self, p: int) -> int:
        m = self._LOCAL.match(self.folded, p, self.b)
        host = m and self._HOST.match(self.folded, m.end(), self.b)
        if not host:
            return 0
        labels = host.group().split(".")
        while len(labels) >= 2:
            top = re.match(r"[A-Za-z]{2,}(?=-|$)", labels[-1])
            if top:
                return host.start() + len(".".join(labels[:-1])) + 1 + top.end()
            labels.pop()
        return 0

    def _domain(self, p: int, q: int) -> int:
        first = self.folded[p:q].lower()
        if self._before(p) in "@.-_/":
            return 0
        if first == "localhost" and self._at(q) == ":" and self._at(q + 1).isdigit():
            e = q
        else:
            host = self._HOST.match(self.folded, p, self.b)
            if self._at(q) not in ".-" or not host:
                return 0
            labels, e = host.group().split("."), host.end()
            known = bool(self._TOP.fullmatch(labels[-1].lower()))
            if len(labels) < 2 or not (known or (first == "www" and len(labels) > 2)):
                return 0
            if len(first) < 2 and len(labels) < 3 and self._at(e) != "/":
                return 0
            if len(labels) == 2 and labels[1][0] == "N" and len(labels[1]) == 3:
                return 0
        if self._at(e) == ":" and not self._wide(e):
            port = self._end(e + 1, "d")
            if 1 < port - e <= 6 and not self._at(port).isalpha():
                e = port
        if self._at(e) in "/?" and (not self._wide(e) or self._wide(p)):
            return self._url_end(p, e, self._wide(p))
        return e

    def _ip6(self, p: int) -> int:
        if (c := self._before(p)) in ":." or self._alnum(c):
            return 0
        marked = "".join(
            ";" if c == ":" and self._wide(k) else c for k, c in enumerate(self.folded)
        )
        m = self._IP6.match(marked, p, self.b)
        if not m:
            return 0
        s, e = m.group(), m.end()
        groups = re.findall(r"[0-9A-Fa-f]+", s)
        colons = s.count(":") + s.count(";")
        gaps = len(re.findall(r":[:;]", s))
        if not self._GROUPS.fullmatch(s) or colons < 2 or not any(c.isdigit() for c in s):
            return 0
        if (gaps and len(groups) > 7) or (not gaps and len(groups) != 8):
            return 0
        mask = self._end(e + 1, "d")
        if self._at(e) == "/" and 1 < mask - e <= 4 and not self._at(mask).isalpha():
            return mask
        return e

    # --- digits

    def _digits(self, p: int, q: int) -> int:
        joint = self._before(p) in ".:/-,_" and self._before(p) != "\0"
        follows = bool(self.found) and self.found[-1][1] == p - 1
        if joint and not follows and self._alnum(self._before(p, 2)):
            return 0
        m = re.compile(r"\d+(?:\.\d+)*", re.A).match(self.folded, p, self.b)
        assert m
        parts, i = m.group().split("."), m.end()
        if len(parts) > 8:
            return i
        if len(parts) == 4 and all(len(x) <= 3 and int(x) <= 255 for x in parts):
            e = i
            if not self._at(i).isalpha():
                more = self._end(i + 1, "d")
                port = self._at(i) == ":" and not self._wide(i) and 1 < more - i <= 6
                mask = self._at(i) == "/" and 1 < more - i <= 3
                if (port or mask) and not self._at(more).isalpha():
                    e = more
                if self._take("ip", p, e):
                    return e
        e = self._take("date", p, self._date(p)) or self._take("time", p, self._time(p))
        e = e or (self._take("version", p, self._version(p, 3)) if len(parts) > 1 else 0)
        if e or len(parts) > 2:
            return e or i
        return self._take("code", p, self._code(p, q)) or (i if i > q else 0)

    def _date(self, p: int) -> int:
        m = self._DATE.match(self.folded, p, self.b)
        if not m:
            return 0
        x, y, z = int(m[1]), int(m[3]), int(m[4])

        def day(year: int, month: int, of_month: int) -> bool:
            return 1000 <= year < 3000 and 1 <= month <= 12 and 1 <= of_month <= 31

        big = len(m[1]) == 4 and len(m[4]) <= 2 and day(x, y, z)
        small = m[2] == "/" and len(m[1]) <= 2 and len(m[4]) == 4 and (day(z, x, y) or day(z, y, x))
        if not big and not small:
            return 0
        if big and m[2] == "-" and self._at(m.end()) in "Tt":
            clock = self._CLOCK.match(self.folded, m.end() + 1, self.b)
            if clock:
                zone = self._ZONE.match(self.folded, clock.end(), self.b)
                return zone.end() if zone else clock.end()
        return 0 if self._at(m.end()).isalpha() else m.end()

    def _time(self, p: int) -> int:
        m = self._CLOCK.match(self.folded, p, self.b)
        if not m:
            return 0
        half = re.compile(r"[ap]m(?![a-z0-9])", re.I | re.A).match(self.folded, m.end(), self.b)
        if half:
            return half.end()
        after = re.compile(r"[A-Za-z0-9%]|[:.]\d", re.A).match(self.folded, m.end(), self.b)
        return 0 if after else m.end()

    def _version(self, p: int, least: int) -> int:
        m = self._VERSION.match(self.folded, p, self.b)
        if not m:
            return 0
        if m.end() > m.end(1):
            return m.end()
        return m.end() if m[1].count(".") + 1 >= least and not self._alnum(self._at(m.end())) else 0

    # --- letters

    def _joined(self, p: int) -> bool:
        return self._before(p) in "-_@/.\\" and self._alnum(self._before(p, 2))

    def _code(self, p: int, q: int) -> int:
        if self._joined(p):
            return 0
        letters = self._end(p, "a")
        if letters == q and q - p <= 3 and self.folded.startswith("++", q) and q + 1 < self.b:
            e = self._end(q + 2, "d")
            return 0 if self._at(e).isalpha() or self._at(e) == "+" else e
        if letters == q == p + 1 and self._at(q) == "#" and self.folded[p] in "cfjCFJ":
            return 0 if self._alnum(self._at(q + 1)) or self._at(q + 1) == "#" else q + 1
        m = self._CODE.match(self.folded, p, self.b)
        assert m
        parts: list[str] = []
        e = p  # the parts, as far as they are joined
        for part in re.split(r"([-.])", m.group()):
            version = letters == p + 1 and self.folded[p] in "vV"
            if part == "." and (version or not any(c.isalpha() for c in "".join(parts))):
                break
            parts.append(part)
            e += len(part)
        whole, name = "".join(parts), parts[0]
        if name.isdigit() and not (
            len(name) <= 2 and parts[1:2] == ["-"] and "A" <= parts[2][0] <= "Z"
        ):
            return 0
        has = any(c.isalpha() for c in whole), any(c.isdigit() for c in whole)
        if len(whole) > 40 or len(parts) > 15 or len(parts) == 1 or not all(has):
            return 0
        return e if self._at(e) not in "_@" else 0

    def _standard(self, p: int) -> int:
        text = self.folded.replace("\0", "\1")
        for k, c in enumerate(self.text):
            if c in " \u3000":
                text = text[:k] + " " + text[k + 1 :]
        m = self._STANDARD.match(text, p)
        slash = self._end(p, "ad")
        return m.end() if m and self._at(slash) == "/" and slash < self.b else 0

    def _latin(self, p: int, q: int) -> int:
        if self._joined(p) or self._end(p, "a") != q:
            return 0
        e = q
        while self._at(e) in "'-" and self._at(e) != "\0" and self._at(e + 1).isalpha():
            after = self._end(e + 1, "ad")
            if self._end(e + 1, "a") != after:
                break
            if self._at(e) == "'" and self._wide(e):
                quoted = re.search(r"\u2018[^\u2019\n]*$", self.text[max(0, e - 32) : e])
                short = self.folded[e + 1 : after].lower() in ("s", "t", "re", "ve", "ll", "d", "m")
                if quoted and not short:
                    break
            e = after
        return e if e > q and self._at(e) not in "_@" else 0

    # --- names

    def _in_name(self, k: int) -> bool:
        if k >= len(self.text):
            return False
        return self.text[k] in "_\uff3f" or _class(self.text[k]) in self._NAME

    _NAME = frozenset((
        chars.DIGIT, chars.LATIN, chars.HANNUM, chars.HAN, chars.GREEK, chars.CYRILLIC,
        chars.KATAKANA, chars.HIRAGANA, chars.HANGUL, chars.LETTER, chars.EXTEND,
    ))  # fmt: skip

    def _follows(self, k: int) -> bool:
        return bool(self.found) and self.found[-1][1] == k

    def _mention(self, k: int) -> int:
        before = self.folded[k - 1] if k else "\0"
        if (self._alnum(before) or (k and self.text[k - 1] == "_")) and not self._follows(k):
            return 0
        e = k + 1
        while e - k <= 31 and (
            self._in_name(e)
            or (e < len(self.text) and self.text[e] in "-\xb7" and self._in_name(e + 1))
        ):
            e += 1
        name = self.text[k + 1 : e]
        named = any(_class(c) != chars.DIGIT and c != "-" for c in name)
        if not named or not 2 <= len(name) <= 30 or _class(name[0]) == chars.EXTEND:
            return 0
        self.found.append((k, e, "mention"))
        return e

    def _hashtag(self, k: int) -> int:
        text = self.text
        before = self.folded[k - 1] if k else "\0"
        if (self._alnum(before) or before in "#&_/") and not self._follows(k):
            return 0
        first = text[k + 1 : k + 2]
        if not first or first in "#\uff03" or _class(first) in (chars.BLANK, chars.EXTEND):
            return 0
        m = re.compile(r"[^#\uff03\n\r]{1,64}(?=[#\uff03])").match(text, k + 1)
        if m and _class(m.group()[-1]) != chars.BLANK:
            inside, after = m.group(), text[m.end() + 1 : m.end() + 2]
            named = any(
                self._in_name(j) and _class(text[j]) != chars.DIGIT for j in range(*m.span())
            )
            ascii_name = all(c.isascii() and self._in_name(k + 1 + j) for j, c in enumerate(inside))
            run_on = ascii_name and after.isascii() and self._in_name(m.end() + 1)
            digits = [c and _class(c) == chars.DIGIT for c in (inside[0], after)]
            if named and not run_on and not all(digits):
                self.found.append((k, m.end() + 1, "hashtag"))
                return m.end() + 1
        e = k + 1
        while self._in_name(e) and e - k <= 31:
            e += 1
        name = text[k + 1 : e]
        count = next(
            (j for j, c in enumerate(name) if _class(c) != chars.DIGIT and c != "_"), len(name)
        )
        if count == len(name) or len(name) > 30 or 0 < count < 3:
            return 0
        self.found.append((k, e, "hashtag"))
        return e


def _class(c: str) -> int:
    return chars.char_class(chars.fold(ord(c)))


# --- regular expressions of pre-tokenisers, and added tokens --------------------------------------


def expression_ends(node: Any, text: str, start: int) -> Iterator[int]:
    """Where a tree of :mod:`segmenter.subword.expressions` may end that begins at ``start``, in the
    order in which an engine that backtracks tries them; recursive, without bounds."""
    kind, n = type(node).__name__, len(text)
    if kind == "Set":
        if start < n and any(low <= ord(text[start]) <= high for low, high in node.ranges):
            yield start + 1
    elif kind == "Row":
        if not node.parts:
            yield start
            return
        rest = type(node)(node.parts[1:])
        for middle in expression_ends(node.parts[0], text, start):
            yield from expression_ends(rest, text, middle)
    elif kind == "Either":
        for part in node.parts:
            yield from expression_ends(part, text, start)
    elif kind == "Repeat" and node.mode == "+":
        yield from itertools.islice(expression_ends(node._replace(mode=""), text, start), 1)
    elif kind == "Repeat":
        if node.mode == "?" and node.least == 0:
            yield start
        if node.most:
            most = node.most if node.most == 0xFFFFFFFF else node.most - 1
            rest = node._replace(least=max(0, node.least - 1), most=most)
            for middle in expression_ends(node.part, text, start):
                if middle > start or node.least:
                    yield from expression_ends(rest, text, middle)
        if node.mode == "" and node.least == 0:
            yield start
    elif kind == "Atomic":
        yield from itertools.islice(expression_ends(node.part, text, start), 1)
    elif kind == "Look":
        starts = [start] if node.ahead else range(start + 1)
        found = any(
            node.ahead or end == start
            for i in starts
            for end in expression_ends(node.part, text, i)
        )
        if found != node.negated:
            yield start
    elif _is_place(node, text, start):
        yield start


def _is_place(node: Any, text: str, i: int) -> bool:
    kind: str = node.kind
    last: bool = node.last

    def within(at: int) -> bool:
        inside = 0 <= at < len(text)
        return inside and any(low <= ord(text[at]) <= high for low, high in node.ranges)

    if kind == "begin":
        return i == 0
    if kind == "end":
        return i == len(text)
    if kind == "line begin":
        return i == 0 or (within(i - 1) and (i < len(text) or last))
    if kind == "line end":
        return i == len(text) or within(i)
    return (within(i - 1) != within(i)) is (kind == "word")


def expression_matches(node: Any, text: str) -> list[tuple[int, int]]:
    """All matches, one after another; an empty one not where the last ended."""
    out: list[tuple[int, int]] = []
    i = 0
    while i <= len(text):
        end = next(expression_ends(node, text, i), None)
        if end is None or (end == i and out and out[-1][1] == i):
            i += 1
        else:
            out.append((i, end))
            i = end
    return out


def leftmost_longest(tokens: Sequence[str], text: str) -> list[tuple[int, int, int]]:
    """(start, end, index) of tokens in a text: leftmost, of those the longest, then behind it."""
    out = []
    i = 0
    while i < len(text):
        found = [(len(token), k) for k, token in enumerate(tokens) if text.startswith(token, i)]
        if found:
            length, k = max(found)
            out.append((i, i + length, k))
            i += length
        else:
            i += 1
    return out
