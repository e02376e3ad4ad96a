"""The portable form of a linear tagger: text, one feature per line.  compile.py compiles it.

HMM, perceptron and CRF share this form: scores of tags by features, and scores of transitions.
They differ in how they were trained.

The text form is UTF-8, with fields separated by tabs and lines sorted within each kind::

    segmenter-tagger 1                            first line
    meta     {"algorithm": "crf", …}              JSON, keys sorted
    start    w w w w                              one number per tag, in the order B M E S
    trans    B    w w w w                         from B to each tag
    source   number    name    states             a lexicon whose words are features
    group    number    class class …              classes of words that share a state feature
    char     -1   中   w w w w                    the character one before is 中
    pair     0    中国  w w w w                    this character and the next are 中国
    match    7   2   0    w w w w                 the first of two characters of a word of class 7
    state    0   35  w w w w                      see features/
    type     74      w w w w                      64*type before + 8*type here + type after
    count    中国  4711                            occurrences of the pair in the training text
    word     中国  7                               class of a word

Numbers have four decimals.  Rows of zeros are left out, except that a character without weights
keeps one row, or it would count as its class.  ``␄`` in a pair is the end of the sentence;
``<han>`` and the like are all characters of a class without lines of their own.
"""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.artifact import MAGIC
from segmenter.errors import ArtifactError, DictionaryError
from segmenter.files.atomic import write_text
from segmenter.files.reading import read_whole
from segmenter.text import chars
from segmenter.train.tagging.scheme import FOUR, TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

KIND = "tagger"
FIRST_LINE = "segmenter-tagger 1"
END = "␄"  # the end of the sentence in a pair
UNI_AT = (-2, -1, 0, 1)  # distances of the characters that a place looks at
PAIR_AT = (-2, -1, 0, 1)  # where the first character of a pair is
LENGTHS = 6  # word lengths 2, 3, 4, 5, 6, 7 and more
ROLES = 4  # first, second, inner, last character of a match
STATES = 216
TYPES = 512
MOST_CLASSES = 10_922  # times LENGTHS: one of 16 bits
MOST_GROUPS = 3  # a bit each in the kernel
MAX_WORD = 8  # longer words are not features
MAX_ID = 0x3FFF  # the kernel's kTagMaxIds
LONGER = 1 << 31  # the kernel's kPairLonger
HOT = 16384  # pairs with a table of their own: 256 KiB, two thirds of running text
SCALE = 28  # integer units of the compiled weights per unit of the score


_DATE_UNITS = frozenset(map(ord, "年月日时分"))
_TYPE_OF_CLASS = {chars.DIGIT: 2, chars.HANNUM: 3, chars.PUNCT: 5, chars.HAN: 1, chars.OTHER: 6}
_TYPE_OF_CLASS |= dict.fromkeys((chars.LATIN, *range(chars.GREEK, chars.EXTEND + 1)), 4)


def char_type(cp: int) -> int:
    """The type of a folded character, 1 to 7, as the type features know it.

    1 Han, 2 digit, 3 Chinese numeral, 4 letter, 5 punctuation, 6 other, 7 unit of a date.

    >>> [char_type(ord(c)) for c in "国9三a。年"]
    [1, 2, 3, 4, 5, 7]
    """
    return 7 if cp in _DATE_UNITS else _TYPE_OF_CLASS.get(chars.char_class(cp), 5)


def types_of(table: Any) -> NDArray[np.uint8]:
    """The type of every character id of a ``CharTable``."""
    types = np.array([_TYPE_OF_CLASS.get(c, 5) for c in table.classes], np.uint8)
    for cp, i in table.ids.items():
        if cp in _DATE_UNITS:
            types[i] = 7
    return types


def pair_codes(pairs: list[str]) -> NDArray[np.uint64]:
    """Pairs of characters as numbers, in the order of the strings.

    >>> bool(pair_codes(["一丁"])[0] < pair_codes(["一七"])[0])
    True
    """
    raw = "".join(pairs).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(raw, "<u4").astype(np.uint64).reshape(-1, 2)
    return codes[:, 0] << np.uint64(32) | codes[:, 1]


def pair_names(codes: NDArray[np.uint64]) -> list[str]:
    """Pairs of characters from their numbers.

    >>> pair_names(pair_codes(["一丁", "七␄"]))
    ['一丁', '七␄']
    """
    halves = np.stack([codes >> np.uint64(32), codes & np.uint64(0xFFFFFFFF)], axis=1)
    names: list[str] = halves.astype("=u4").view("=U2").ravel().tolist()
    return names


def order_of_words(words: list[str]) -> NDArray[np.int64]:
    """The places of words in the order of the strings.

    >>> order_of_words(["三月", "一丁", "一", "一丁点儿"]).tolist()
    [2, 1, 3, 0]
    """
    from segmenter.lexicon.characters import code_points

    codes, offsets = code_points(words)
    lengths = np.diff(offsets)
    keys = []
    padded = np.append(codes.astype(np.uint64) + np.uint64(1), np.uint64(0))
    for first in range(0, int(lengths.max(initial=0)), 3):  # three characters a key, 21 bits each
        key = np.zeros(len(words), np.uint64)
        for k in range(first, first + 3):
            key = key << np.uint64(21) | padded[np.where(lengths > k, offsets[:-1] + k, -1)]
        keys.append(key)
    return np.lexsort(keys[::-1]) if keys else np.arange(len(words))


def generic_name(code: int) -> str:
    """Return the name in model files of the characters of a class without lines of their own."""
    return f"<{chars.CLASS_NAMES[code]}>"


@dataclass
class LinearModel:
    """Scores of a linear tagger.

    Attributes:
        start: score of beginning a text with each tag, ``(4,)``.
        trans: score of each tag (column) after each tag (row), ``(4, 4)``.
        chars: the characters (and ``<class>`` names) with rows in ``uni``.
        uni: ``(len(chars), 4, 4)``; second axis: distance -2, -1, 0, 1.
        pairs: pairs of characters with rows in ``bi``.
        bi: ``(len(pairs), 4, 4)``; second axis: distance of the first character.
        pair_counts: occurrences of each pair in the training text (they order the compiled rows).
        words: words of the lexicon features.
        word_class: the class of each.
        match: ``(classes, 6, 4, 4)``: class, length, role.
        state: ``(groups, 216, 4)``.
        groups: a bit mask of groups for each class.
        types: ``(512, 4)``, by 64 * type before + 8 * type here + type after.
        meta: its origin.
    """

    start: Floats
    trans: Floats
    chars: list[str] = field(default_factory=list)
    uni: Floats = field(default_factory=lambda: np.zeros((0, 4, 4)))
    pairs: list[str] = field(default_factory=list)
    bi: Floats = field(default_factory=lambda: np.zeros((0, 4, 4)))
    pair_counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    words: list[str] = field(default_factory=list)
    word_class: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    match: Floats = field(default_factory=lambda: np.zeros((0, LENGTHS, ROLES, 4)))
    state: Floats = field(default_factory=lambda: np.zeros((0, STATES, 4)))
    groups: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    types: Floats = field(default_factory=lambda: np.zeros((TYPES, TAGS)))
    meta: dict[str, Any] = field(default_factory=dict)

    def rounded(self) -> LinearModel:
        """Return the model as its text form has it: four decimals, no rows of zeros, sorted.

        A character without weights keeps a row; otherwise it would count as its class.
        """
        uni, bi = np.round(self.uni, 4) + 0.0, np.round(self.bi, 4)
        bi += 0.0  # no -0
        order = sorted(
            (i for i, c in enumerate(self.chars) if len(c) == 1 or uni[i].any()),
            key=self.chars.__getitem__,
        )
        nonzero = np.flatnonzero((bi.reshape(len(bi), 4 * TAGS) != 0).any(axis=1))
        codes = pair_codes(self.pairs)[nonzero]
        keep = nonzero[np.argsort(codes, kind="stable")]
        moved = not np.array_equal(keep, np.arange(len(bi)))
        by_word = order_of_words(self.words)
        return LinearModel(
            start=np.round(self.start, 4),
            trans=np.round(self.trans, 4),
            chars=[self.chars[i] for i in order],
            uni=uni[order].reshape(-1, 4, TAGS),
            pairs=[self.pairs[i] for i in keep.tolist()] if moved else list(self.pairs),
            bi=(bi[keep] if moved else bi).reshape(-1, 4, TAGS),
            pair_counts=self.pair_counts[keep],
            words=list(map(self.words.__getitem__, by_word.tolist())),
            word_class=self.word_class[by_word],
            match=np.round(self.match, 4) + 0.0,
            state=np.round(self.state, 4) + 0.0,
            groups=self.groups,
            types=np.round(self.types, 4) + 0.0,
            meta=self.meta,
        )

    def lines(self) -> Iterator[str]:
        """Yield the lines of the text form, without line ends."""

        def row(values: Floats) -> str:
            return " ".join(
                f"{v:.4f}".rstrip("0").rstrip(".") or "0" for v in (values + 0.0).tolist()
            )

        m = self.rounded()
        yield FIRST_LINE
        head = {"tags": TAGS, "classes": len(m.groups), **m.meta}
        yield "meta\t" + json.dumps(head, ensure_ascii=False, sort_keys=True)
        yield f"start\t{row(m.start)}"
        for name, moves in zip(FOUR, m.trans, strict=True):
            yield f"trans\t{name}\t{row(moves)}"
        for g in range(len(m.state)):
            members = " ".join(str(c) for c in range(len(m.groups)) if m.groups[c] >> g & 1)
            yield f"group\t{g}\t{members}"
        for d in range(4):
            for i, c in enumerate(m.chars):
                if m.uni[i, d].any() or (UNI_AT[d] == 0 and not m.uni[i].any()):
                    yield f"char\t{UNI_AT[d]}\t{c}\t{row(m.uni[i, d])}"
        for d in range(4):
            for i, p in enumerate(m.pairs):
                if m.bi[i, d].any():
                    yield f"pair\t{PAIR_AT[d]}\t{p}\t{row(m.bi[i, d])}"
        for k, length, role in np.argwhere(m.match.any(axis=3)).tolist():
            yield f"match\t{k}\t{length + 2}\t{role}\t{row(m.match[k, length, role])}"
        for g, code in np.argwhere(m.state.any(axis=2)).tolist():
            yield f"state\t{g}\t{code}\t{row(m.state[g, code])}"
        for code in np.flatnonzero(m.types.any(axis=1)).tolist():
            yield f"type\t{code}\t{row(m.types[code])}"
        for pair, n in zip(m.pairs, m.pair_counts.tolist(), strict=True):
            yield f"count\t{pair}\t{n}"
        for w, k in zip(m.words, m.word_class.tolist(), strict=True):
            yield f"word\t{w}\t{k}"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the text form; the same model gives the same bytes."""
        write_text(path, (line + "\n" for line in self.lines()))


def read(path: str | os.PathLike[str]) -> LinearModel:
    """Read the text form.

    Raises:
        DictionaryError: an invalid line; names file, line and reason.
        ArtifactError: the file is compiled.
        OSError: the file cannot be read.
    """
    name = os.fspath(path)
    number = 0

    def bad(reason: str) -> DictionaryError:
        return DictionaryError(name, number, reason)

    data = read_whole(name)
    if data.startswith(MAGIC):
        raise ArtifactError(
            name,
            "it is a compiled file, not a text",
            "give its text, which `segmenter export` writes",
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        number = data.count(b"\n", 0, e.start) + 1
        raise bad(
            f"byte 0x{data[e.start]:02x} is not UTF-8: give the text form of a model"
        ) from None
    with io.StringIO(text) as file:
        number = 1
        if file.readline().rstrip("\n") != FIRST_LINE:
            raise bad(f"the first line of a tagger model is {FIRST_LINE!r}")
        number = 2
        kind, _, body = file.readline().rstrip("\n").partition("\t")
        try:
            meta = json.loads(body) if kind == "meta" else None
        except (ValueError, RecursionError):
            meta = None
        if not isinstance(meta, dict) or meta.pop("tags", None) != TAGS:
            raise bad(f"the second line is meta<TAB>JSON with tags {TAGS}")
        classes = meta.pop("classes", 0)
        if type(classes) is not int or not 0 <= classes <= MOST_CLASSES:
            raise bad(f"classes: expected a number from 0 to {MOST_CLASSES}")
        start, trans = np.zeros(TAGS), np.zeros((TAGS, TAGS))
        group_lines: dict[int, list[int]] = {}
        char_rows: dict[str, Floats] = {}
        pair_rows: dict[str, Floats] = {}
        counts: dict[str, int] = {}
        words: dict[str, int] = {}
        match = np.zeros((classes, LENGTHS, ROLES, TAGS))
        states: dict[tuple[int, int], Floats] = {}
        types = np.zeros((TYPES, TAGS))
        for line in file:
            number += 1
            f = line.rstrip("\n").split("\t")
            try:
                if f[0] in ("char", "pair"):
                    rows = char_rows if f[0] == "char" else pair_rows
                    if len(f[2]) != (1 if f[0] == "char" else 2) and not _is_class(f[0], f[2]):
                        raise ValueError(f"{f[2][:40]!r} is no {f[0]}")
                    feature_rows = rows.get(f[2])
                    if feature_rows is None:
                        feature_rows = rows[f[2]] = np.zeros((4, TAGS))
                    feature_rows[_slot(f[1])] = _row(f[3])
                elif f[0] == "count":
                    counts[f[1]] = _within(f[2], 1 << 53)
                elif f[0] == "word":
                    if len(f[1]) < 2:
                        raise ValueError(f"{f[1]!r} is not a word of two characters and more")
                    words[f[1]] = _within(f[2], classes, noun="classes")
                elif f[0] == "match":
                    length, role = _within(f[2], LENGTHS + 2, 2) - 2, _within(f[3], ROLES)
                    match[_within(f[1], classes), length, role] = _row(f[4])
                elif f[0] == "state":
                    states[_within(f[1], MOST_GROUPS), _within(f[2], STATES)] = _row(f[3])
                elif f[0] == "type":
                    types[_within(f[1], TYPES)] = _row(f[2])
                elif f[0] == "trans":
                    trans[FOUR.index(f[1])] = _row(f[2])
                elif f[0] == "start":
                    start[:] = _row(f[1])
                elif f[0] == "group":
                    members = [_within(x, classes) for x in f[2].split()]
                    group_lines[_within(f[1], MOST_GROUPS)] = members
                else:
                    raise ValueError(f"{f[0]!r} is not a kind of line")
            except (ValueError, IndexError) as e:
                raise bad(str(e)) from None
    if {*group_lines} != {*range(len(group_lines))} or any(g not in group_lines for g, _ in states):
        raise bad("groups are numbered from 0, and every state is of one of them")
    groups = np.zeros(classes, np.int64)
    for g, members in group_lines.items():
        groups[members] |= 1 << g
    state = np.zeros((len(group_lines), STATES, TAGS))
    for (g, code), values in states.items():
        state[g, code] = values
    empty = np.zeros((0, 4, TAGS))
    return LinearModel(
        start=start,
        trans=trans,
        chars=list(char_rows),
        uni=np.stack(list(char_rows.values())) if char_rows else empty,
        pairs=list(pair_rows),
        bi=np.stack(list(pair_rows.values())) if pair_rows else empty,
        pair_counts=np.array([counts.get(p, 1) for p in pair_rows], np.int64),
        words=list(words),
        word_class=np.array(list(words.values()), np.int64),
        match=match,
        state=state,
        groups=groups,
        types=types,
        meta=meta,
    ).rounded()


def _is_class(kind: str, text: str) -> bool:
    return kind == "char" and text[:1] == "<" and text[-1:] == ">"


def _within(text: str, limit: int, minimum: int = 0, noun: str = "numbers") -> int:
    """The number of a field, from ``minimum`` to below ``limit``."""
    if not text.isascii() or not text.isdigit() or len(text) > 16:
        raise ValueError(f"{text[:40]!r} is not a whole number")
    if not minimum <= int(text) < limit:
        raise ValueError(f"{text}: the {noun} here are from {minimum} to {limit - 1}")
    return int(text)


def _slot(text: str) -> int:
    if text not in ("-2", "-1", "0", "1"):
        raise ValueError(f"a distance is -2, -1, 0 or 1, not {text!r}")
    return int(text) + 2


def _row(text: str) -> Floats:
    values = np.array([float(x) for x in text.split(" ")])
    if len(values) != TAGS or not np.isfinite(values).all():
        raise ValueError(f"expected {TAGS} finite numbers, not {text!r}")
    return values
