"""``python -m eval.differential``: all functions give the same words, on generated text.

Text from all of Unicode (with words of the lexicon, numbers, marks, addresses, line ends, and lone
surrogates in strings) is cut by Segmenters with all decoders, values of ``oov``, settings of atoms
and user words, one after another.  The result of ``cut`` for a text is compared with ``cut`` of its
lines, ``ends``, ``cut_batch``, ``cut_bytes``, ``cut_column`` and ``cut_file``, the last four with
one thread and with two.  A difference is an error: line and Segmenter are printed, and the exit
code is 1; after ten errors the program ends at once.

    python -m eval.differential --characters 1000000
    python -m eval.differential --characters 1000000000 --seconds 3600

The same arguments give the same texts.  Every run prints the number of compared characters and the
commit.  A character counts once, however many functions have cut it.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import numpy as np

from eval import common
from segmenter import Segmenter, load
from segmenter.atoms import NAMES, SETTINGS
from segmenter.choices import LATTICE, STANDARDS
from segmenter.columns import cut_column
from segmenter.errors import ResourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

#: Characters of one text of many lines; fewer of decoders that are slow.
CHUNK = 250_000
FEWER = {"bilstm-crf": 30_000}
#: The same of Segmenters that skip words.
SKIPPING = 20_000
#: Characters at the beginning of a text whose tokens are made, where words are skipped.
TOKENS = 5_000
#: Differences after which a run ends.
MOST = 10
#: Stands between words; a text that has it gets another control character instead.
SEP = "\x1f"
_SIGNS = np.array([ord(c) for c in "0123456789.,:/-%年月日时分第点之十百千万一二三aZ"])

RUNS = [
    "https://例.cn/a?b=1#c", "a.b@c.cn", "v2.0.1-rc1", "2026年11月21日", "10:30:05", "1,234.5万",
    "１２．５％", "-3.5℃", "#话题#", "@某人", "👩\u200d💻", "🇨🇳", "e\u0301s", "C++", "iPhone 15",
    "三千五百二十分之一", "第十二", "\r\n", "\r", "\u3000", "\u2028", "\u0301", "\ufe0f甲乙",
    "(a)(b)", "1-2-3", "０１０－１２３４", "……", "——", "SO-123456", "\x00", "\ufffd",
]  # fmt: skip

USERS: list[Any] = [
    None,
    ["的确", ("确实在理", "force"), ("研究", 5.0), ("中华人民", "delete"), "iPhone 15"],
    [("在", "force"), ("一", 900.0), ("人民", "delete"), ("ab", "prefer"), ("日日日", "prefer")],
]


def settings(pick: random.Random) -> dict[str, Any]:
    """Atoms at random: the defaults, or some rules set, or patterns of the user's."""
    draw = pick.randrange(4)
    if draw == 0:
        return {}
    chosen: dict[str, Any] = {
        name: pick.choice(
            [
                draw
                for draw in SETTINGS
                if (name, draw) not in (("emoji", "split"), ("measure", "keep"))
            ]
        )
        for name in pick.sample(NAMES, pick.randint(1, len(NAMES)))
    }
    if draw == 3:
        chosen["patterns"] = {"order": r"SO-\d+", "three": "[^ ]{3}"}
    return chosen


def segmenters(pick: random.Random) -> Iterator[tuple[str, Segmenter]]:
    """Segmenters with their names, without end: every decoder in turn."""
    makers: list[dict[str, Any]] = [
        {"name": "fast", "decoder": decoder, "oov": oov, "standard": standard}
        for decoder in LATTICE
        for oov in ("chars", "keep", "hmm", "tagger", "bpe", "unigram")
        for standard in STANDARDS
    ]
    makers += [
        {"name": name, "decoder": decoder, "oov": oov, "standard": standard}
        for name, decoder in (("fast", None), ("balanced", None), ("fast", "hmm"))
        for oov in ("chars", "bpe", "unigram")
        for standard in STANDARDS
    ]
    makers += [{"name": "accurate", "oov": oov} for oov in ("chars", "bpe")] * 3
    while True:
        pick.shuffle(makers)
        for maker in makers:
            options = {
                **maker,
                "user": pick.choice(USERS),
                "atoms": settings(pick),
                "skip": pick.choice([(), (), (), (), ("space",), ("punct", "space")]),
                "variants": pick.random() < 0.8,
            }
            try:
                yield repr(options), load(**options)
            except ResourceError as error:
                print(f"left out: {error}", file=sys.stderr)


def texts(pick: random.Random, words: str, size: int) -> str:
    """A text of many lines, of a random mixture; `words` are the words of a lexicon, joined."""
    mixture = np.array([pick.random() ** 2 for _ in range(8)])
    numbers = np.random.default_rng(pick.getrandbits(64))
    kinds = numbers.choice(8, size // 16, p=mixture / mixture.sum()).tolist()
    lines = (numbers.random(len(kinds)) < mixture[0]).tolist()
    by_kind = {
        2: _rows_of(numbers.integers(0x4E00, 0x9FFF, (kinds.count(2), 40))),
        3: _rows_of(numbers.integers(0, 0x110000, (kinds.count(3), 40))),
        4: _rows_of(numbers.integers(0, 0x3400, (kinds.count(4), 40))),
        6: _rows_of(_SIGNS[numbers.integers(0, len(_SIGNS), (kinds.count(6), 40))]),
    }
    first = iter(numbers.integers(0, len(words) - 99, len(kinds)).tolist())
    length = iter(numbers.integers(1, 99, len(kinds)).tolist())
    texts_made: list[str] = []
    characters = 0
    for kind, ends in zip(kinds, lines, strict=True):
        if kind < 2:
            end = next(first)
            part = words[end : end + next(length)]
        elif kind in by_kind:
            part = next(by_kind[kind])
        elif kind == 5:
            part = "".join(pick.choices(RUNS, k=4))
        else:
            end = next(first)
            part = words[end : end + 3] if pick.random() < 0.5 else pick.choice(RUNS)
            part *= pick.randint(2, 40)
        texts_made.append(part)
        if ends:
            texts_made.append(pick.choice(["\n", "\n", "\r\n", "\n\n"]))
        characters += len(part)
        if characters >= size:
            break
    return "".join(texts_made).replace(SEP, "\x1e")


def _rows_of(points: NDArray[Any]) -> Iterator[str]:
    """Strings of these code points, one of each row."""
    text = points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    width = points.shape[1]
    return (text[k : k + width] for k in range(0, len(text), width))


class Difference(Exception):
    """Two entry points gave different words."""


def compare(segmenter: Segmenter, text: str) -> None:
    """Cuts a text whole, line by line, and by every entry point by one thread and by two.

    Raises:
        Difference: with the two that differ and the line.
    """
    cut_text = segmenter.cut(text)
    ends = segmenter.ends(text)
    if not segmenter.skip:
        if "".join(cut_text) != text:
            raise Difference(f"cut: its words are not the text {text[:60]!r}")
        _same("ends", list(accumulate(map(len, cut_text))), ends.tolist(), text)
    else:
        part = text[:TOKENS]
        spans = segmenter.tokenize(part).spans
        _same("ends", [b for _, b in spans], segmenter.ends(part).tolist(), part)
        _same("tokenize", segmenter.cut(part), [part[a:b] for a, b in spans], part)
        places = zip(cut_text, ends.tolist(), strict=True)
        _same("ends", cut_text, [text[b - len(word) : b] for word, b in places], text)
    lines = text.split("\n")
    last = len(lines) - 1
    bodies = [line.removesuffix("\r") if k < last else line for k, line in enumerate(lines)]
    tails = [line[len(body) :] for body, line in zip(bodies, lines, strict=True)]
    alone = [segmenter.cut(body) for body in bodies]
    by_lines: list[str] = []
    for k, words in enumerate(alone):
        by_lines += words
        if k < last and "space" not in segmenter.skip:
            by_lines.append(tails[k] + "\n")
    if by_lines != cut_text:
        i = next((i for i, (a, b) in enumerate(zip(by_lines, cut_text, strict=False)) if a != b), 0)
        raise Difference(
            f"cut of the lines and of the text differ at word {i}:\n"
            f"  {by_lines[i - 5 : i + 5]!r}\n  {cut_text[i - 5 : i + 5]!r}"
        )
    for threads in (1, 2):
        _rows("cut_batch", alone, segmenter.cut_batch(bodies, threads), bodies, threads)
    # bytes have no lone surrogates: those lines are cut as they are when replaced
    if (clean := text.encode("utf-8", "replace").decode()) != text:
        own_ends = [line.removesuffix("\r") if k < last else line
               for k, line in enumerate(clean.split("\n"))]  # fmt: skip
        alone = [words if a == b else segmenter.cut(a)
                 for words, a, b in zip(alone, own_ends, bodies, strict=True)]  # fmt: skip
        bodies = own_ends
    data = clean.encode()
    expected = "\n".join(
        [SEP.join(row) + end for row, end in zip(alone, tails, strict=True)]
    ).encode()
    encoded = [body.encode() for body in bodies]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(row) for row in encoded], out=offsets[1:])
    joined = b"".join(encoded)
    sep = SEP.encode()
    spelt = SEP.join(chain.from_iterable(alone)).encode()
    cuts = np.flatnonzero(np.frombuffer(spelt, np.uint8) == ord(SEP))
    words_end = cuts - np.arange(len(cuts))
    if spelt:
        words_end = np.append(words_end, len(spelt) - len(cuts))
    counts = np.cumsum([len(row) for row in alone])
    for threads in (1, 2):
        got = segmenter.cut_bytes(data, sep, threads)
        if got != expected:
            _rows("cut_bytes", expected.split(b"\n"), got.split(b"\n"), bodies, threads)
        column = cut_column(segmenter, joined, offsets, threads=threads)
        if not (
            np.array_equal(column.lists[1:], counts)
            and np.array_equal(column.words[1:], words_end)
            and (not column.copied or bytes(column.data) == spelt.replace(sep, b""))
        ):
            _rows("cut_column", alone, column.to_pylist(), bodies, threads)
            raise Difference(f"cut_column by {threads} threads: other bytes than its words")
        if not data.startswith(b"\xef\xbb\xbf"):  # which a file may begin with
            buffer = io.BytesIO()
            segmenter.cut_file(io.BytesIO(data), buffer, sep=SEP, threads=threads)
            if buffer.getvalue() != got:
                _rows("cut_file", got.split(b"\n"), buffer.getvalue().split(b"\n"), bodies, threads)


def _same(label: str, expected: Any, got: Any, text: str) -> None:
    if expected != got:
        raise Difference(f"cut and {label} differ on {text[:2000]!r}")


def _rows(label: str, expected: list[Any], got: Any, lines: list[str], threads: int) -> None:
    if expected == got:
        return
    got = list(got)
    i = next((k for k, (a, b) in enumerate(zip(expected, got, strict=False)) if a != b), len(got))
    raise Difference(
        f"cut and {label} by {threads} threads differ on line {i}, {lines[i]!r}:\n"
        f"  {expected[i]!r}\n  {got[i] if i < len(got) else 'nothing'!r}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--characters", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    args = parser.parse_args()
    commit = common.commit()  # what is imported by now is of it
    pick = random.Random(args.seed)
    words = load("fast", decoder="unigram").lexicon.words()
    joined = "".join(pick.sample(words, len(words)))
    by_decoder: dict[str, int] = {}
    characters = rounds = differences = 0
    started = said = time.monotonic()
    for name, segmenter in segmenters(pick):
        size = SKIPPING if segmenter.skip else FEWER.get(segmenter.decoder, CHUNK)
        text = texts(pick, joined, size)
        try:
            compare(segmenter, text)
        except Difference as difference:
            print(
                f"{name}\n{difference}\nafter {characters:,} characters",
                file=sys.stderr,
                flush=True,
            )
            differences += 1
        characters += len(text)
        rounds += 1
        by_decoder[segmenter.decoder] = by_decoder.get(segmenter.decoder, 0) + len(text)
        now = time.monotonic()
        if now - said > 60:
            said = now
            print(f"{characters:,} characters, {now - started:.0f} s", file=sys.stderr, flush=True)
        if characters >= args.characters or now - started >= args.seconds or differences >= MOST:
            break
    summary = f"{differences} differences" if differences else "no difference"
    print(f"{characters:,} characters by {rounds:,} Segmenters, {summary}, commit {commit}, "
          f"{time.monotonic() - started:.0f} s")  # fmt: skip
    print({name: f"{count:,}" for name, count in sorted(by_decoder.items())})
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
