"""``python -m eval.differential``: the same words from every entry point, on generated text.

Text of all of Unicode (words of the lexicon among it, numbers, marks, addresses, line ends, lone
surrogates where there are strings) is cut by Segmenters of all decoders, ways with what is unknown,
settings of atoms and words of the user, one after another.  For each text what ``cut`` gives is
compared with ``ends``, ``cut_batch``, ``cut_bytes``, ``cut_column`` and ``cut_file``, by one thread
and by two.  A difference is an error: text and Segmenter are printed and the program ends with 1.

    python -m eval.differential --characters 1000000
    python -m eval.differential --characters 1000000000 --write    results/differential.md

The same arguments give the same texts.  Every run says how many characters were compared, and the
commit.  A character counts once, however many entry points have cut it.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
from itertools import accumulate
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

#: Characters of one text of many lines.
CHUNK = 60_000

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
    how = pick.randrange(4)
    if how == 0:
        return {}
    chosen: dict[str, Any] = {
        name: pick.choice([how for how in SETTINGS if (name, how) != ("emoji", "split")])
        for name in pick.sample(NAMES, pick.randint(1, len(NAMES)))
    }
    if how == 3:
        chosen["patterns"] = {"order": r"SO-\d+", "three": "[^ ]{3}"}
    return chosen


def segmenters(pick: random.Random) -> Iterator[tuple[str, Segmenter]]:
    """Segmenters with what they are called, without end: every decoder in turn."""
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
                "skip": pick.choice([(), (), (), ("space",), ("punct", "space")]),
                "variants": pick.random() < 0.8,
            }
            try:
                yield repr(options), load(**options)
            except ResourceError as error:
                print(f"left out: {error}", file=sys.stderr)


def texts(pick: random.Random, words: list[str]) -> str:
    """One text of many lines, of a mixture chosen anew."""
    mixture = [pick.random() ** 2 for _ in range(8)]
    out: list[str] = []
    size = 0
    while size < CHUNK:
        what = pick.choices(range(8), mixture)[0]
        if what < 2:
            part = "".join(pick.choices(words, k=30))
        elif what == 2:
            part = "".join(chr(pick.randrange(0x4E00, 0x9FFF)) for _ in range(20))
        elif what == 3:
            part = "".join(chr(pick.randrange(0x110000)) for _ in range(20))
        elif what == 4:
            part = "".join(chr(pick.randrange(0x3400)) for _ in range(20))
        elif what == 5:
            part = "".join(pick.choices(RUNS, k=4))
        elif what == 6:
            part = "".join(pick.choices("0123456789.,:/-%年月日时分第点之十百千万一二三aZ", k=20))
        else:
            part = pick.choice(words + RUNS) * pick.randint(2, 40)
        out.append(part)
        size += len(part)
        if pick.random() < mixture[0]:
            out.append(pick.choice(["\n", "\n", "\r\n", "\n\n"]))
    return "".join(out)


class Difference(Exception):
    """Two entry points gave other words."""


def compare(segmenter: Segmenter, text: str) -> None:
    """Cuts a text by every entry point.

    Raises:
        Difference: with the two that differ and the line.
    """
    whole = segmenter.cut(text)
    if not segmenter.skip:
        _same("ends", list(accumulate(map(len, whole))), segmenter.ends(text).tolist(), text)
        if "".join(whole) != text:
            raise Difference(f"cut: its words are not the text {text[:60]!r}")
    else:
        spans = segmenter.tokenize(text).spans
        _same("ends", [b for _, b in spans], segmenter.ends(text).tolist(), text)
        _same("tokenize", whole, [text[a:b] for a, b in spans], text)
    lines = text.split("\n")
    bodies = [line.removesuffix("\r") if k + 1 < len(lines) else line
              for k, line in enumerate(lines)]  # fmt: skip
    alone = [segmenter.cut(body) for body in bodies]
    for threads in (1, 2):
        _rows("cut_batch", alone, segmenter.cut_batch(bodies, threads), bodies, threads)
    # bytes have no lone surrogates: those lines are cut as they are when replaced
    encoded = [body.encode("utf-8", "replace") for body in bodies]
    clean = [body if data.decode() == body else data.decode()
             for body, data in zip(bodies, encoded, strict=True)]  # fmt: skip
    alone = [words if body is own else segmenter.cut(own)
             for words, body, own in zip(alone, bodies, clean, strict=True)]  # fmt: skip
    wanted = b"\n".join(
        "\x1f".join(words).encode() + line[len(body) :].encode()
        for words, body, line in zip(alone, bodies, lines, strict=True)
    )
    data = b"\n".join(
        own + line[len(body) :].encode()
        for own, body, line in zip(encoded, bodies, lines, strict=True)
    )
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(row) for row in encoded], out=offsets[1:])
    joined = b"".join(encoded)
    for threads in (1, 2):
        got = segmenter.cut_bytes(data, b"\x1f", threads)
        _rows("cut_bytes", wanted.split(b"\n"), got.split(b"\n"), bodies, threads)
        column = cut_column(segmenter, joined, offsets, threads=threads).to_pylist()
        _rows("cut_column", alone, column, bodies, threads)
        out = io.BytesIO()
        segmenter.cut_file(io.BytesIO(data), out, sep="\x1f", threads=threads)
        mark = data.startswith(b"\xef\xbb\xbf")  # which a file may begin with
        if not mark:
            _rows("cut_file", got.split(b"\n"), out.getvalue().split(b"\n"), bodies, threads)


def _same(what: str, wanted: Any, got: Any, text: str) -> None:
    if wanted != got:
        raise Difference(f"cut and {what} differ on {text!r}")


def _rows(what: str, wanted: list[Any], got: Any, lines: list[str], threads: int) -> None:
    if wanted == list(got):
        return
    at = next((k for k, (a, b) in enumerate(zip(wanted, got, strict=False)) if a != b), len(got))
    raise Difference(
        f"cut and {what} by {threads} threads differ on line {at}, {lines[at]!r}:\n"
        f"  {wanted[at]!r}\n  {list(got)[at] if at < len(got) else 'nothing'!r}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--characters", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="results/differential.md, .json")
    given = parser.parse_args()
    pick = random.Random(given.seed)
    words = load("fast", decoder="unigram").lexicon.words()
    common_words = pick.sample(words, min(len(words), 20_000))
    done = rounds = 0
    started = time.monotonic()
    for name, segmenter in segmenters(pick):
        text = texts(pick, common_words)
        try:
            compare(segmenter, text)
        except Difference as difference:
            print(f"{name}\n{difference}\nafter {done:,} characters", file=sys.stderr)
            return 1
        done += len(text)
        rounds += 1
        if done >= given.characters:
            break
    said = f"{done:,} characters by {rounds:,} Segmenters, no difference, commit {common.commit()}"
    print(f"{said}, {time.monotonic() - started:.0f} s")
    if given.write:
        about = common.facts()
        command = f"python -m eval.differential --characters {given.characters} --seed {given.seed}"
        head = common.heading("The same words from every entry point", about, command)
        body = (
            f"\n{done:,} characters of generated text, cut by {rounds:,} Segmenters (decoders, "
            "`oov`, `skip`, atoms, words of the user and standards at random) through `cut`, "
            "`ends`, `cut_batch`, `cut_bytes`, `cut_column` and `cut_file`, by one thread and by "
            "two: no difference.\n"
        )
        facts = {**about, "characters": done, "segmenters": rounds, "seed": given.seed}
        common.write("differential", head + body, facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
