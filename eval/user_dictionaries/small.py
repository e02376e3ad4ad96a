"""Complaints that jieba and rjieba leave open, and the speed with 10,000 words of the user."""

from __future__ import annotations

import os
import pickle
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from eval import common
from eval import instructions as counting
from eval.matchers import fastest
from eval.user_dictionaries import SEED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CORES = ("unigram", "fast", "balanced")  # presets, and the lattice of load("fast", decoder=…)
WORDS = [
    "iPhone 15", "C++", "a/d", "19-9", "迈克尔·乔丹", "[捂脸]", "*ST舜船", "𠀀𪜀", "New York City",
    "。。", "a\tb", "👍",
]  # fmt: skip


def whatever_is_in_it(cut_with: Callable[[str, str], list[str]]) -> str:
    """How many of :data:`WORDS` are one token once they were added."""
    right = sum(word in cut_with(word, f"甲说{word}在理") for word in WORDS)
    return f"{right} of {len(WORDS)} words"


def complaints() -> list[tuple[str, str, str, str]]:
    """Rows: what is asked, jieba, rjieba, ours."""
    import jieba
    import rjieba

    import segmenter as seg

    jieba.setLogLevel(60)
    ours = seg.load("fast")

    def by_jieba(word: str, text: str) -> list[str]:
        tokenizer = jieba.Tokenizer()
        tokenizer.add_word(word, 10**9)
        words: list[str] = tokenizer.lcut(text, HMM=False)
        return words

    def by_rjieba(word: str, text: str) -> list[str]:
        tokenizer = rjieba.Jieba()
        tokenizer.add_word(word, 10**9, "n")
        words: list[str] = tokenizer.cut(text, False)
        return words

    def others_stay(changed: list[str], before: list[str]) -> str:
        return "yes" if changed == before else f"no: {'/'.join(before)} became {'/'.join(changed)}"

    text = "他来到了网易杭研大厦"
    one, other = jieba.Tokenizer(), jieba.Tokenizer()
    before = other.lcut(text)
    one.del_word("杭研")
    jieba_apart = others_stay(other.lcut(text), before)
    before = ours.cut(text)
    ours.without(["大厦", "来到"])
    ours_apart = others_stay(ours.cut(text), before)

    def pickles(thing: object) -> str:
        try:
            raw = pickle.dumps(thing)
        except TypeError as error:
            return f"no: {error}"
        return f"yes, {len(raw)} bytes"

    return [
        (
            "1. a user word takes effect whatever is in it",
            whatever_is_in_it(by_jieba),
            whatever_is_in_it(by_rjieba),
            whatever_is_in_it(lambda word, t: ours.with_words([word]).cut(t)),
        ),
        (
            "6. words removed in one dictionary leave others alone",
            jieba_apart,
            "has no removal" if not hasattr(rjieba.Jieba, "del_word") else "not tried",
            ours_apart,
        ),
        (
            "7. it pickles",
            pickles(jieba.Tokenizer()),
            pickles(rjieba.Jieba()),
            pickles(ours.with_words(WORDS)),
        ),
    ]


# --- speed ---------------------------------------------------------------------------------------


def dictionaries(which: str) -> dict[str, Any]:
    """The Segmenters that are timed: of a preset, or of the unigram lattice."""
    from segmenter.loading import load, load_by_name

    plain = load("fast", decoder="unigram") if which == "unigram" else load_by_name(which)
    known = [word for word in plain.lexicon.words() if len(word) >= 2]
    draw = random.Random(SEED)
    return {
        "none": plain,
        "empty": plain.replace([]),
        "10 k new": plain.with_words(
            [draw.choice(known) + draw.choice(known) for _ in range(10_000)]
        ),
        "10 k known": plain.with_words(draw.sample(known, 10_000)),
    }


def speed(data: Path, rounds: int) -> dict[str, Any]:
    """Seconds of every dictionary and form of output over the bakeoff's lines (child process)."""
    from segmenter.kernels import _engine
    from segmenter.types import USER

    common.pin()
    lines = common.bakeoff_lines(data)
    out: dict[str, Any] = {}
    for which in CORES:
        segmenters = dictionaries(which)
        raw = [line.encode() for line in lines]
        cuts = [s.cut for s in segmenters.values()]
        byte_cuts = [(lambda b, s=s: s.cut_bytes(b)) for s in segmenters.values()]
        out[which] = {
            "cut": dict(zip(segmenters, fastest(cuts, lines, rounds), strict=True)),
            "bytes": dict(
                zip(segmenters, fastest(byte_cuts, raw, rounds), strict=True)  # type: ignore[arg-type]
            ),
            "words": {name: sum(len(s.cut(x)) for x in lines) for name, s in segmenters.items()},
            "of_user": {
                name: sum(k >= USER for x in lines for k in _engine.token_columns(s._engine, x)[2])
                for name, s in segmenters.items()
            },
        }
    return out


def work(data: Path, which: str, name: str, form: str, rounds: int) -> dict[str, Any]:
    """Cuts every fourth line so often, for an instruction count (child process)."""
    lines = common.bakeoff_lines(data)[::4]
    segmenter = dictionaries(which)[name]
    text = "\n".join(lines).encode()
    for _ in range(rounds):
        if form == "bytes":
            segmenter.cut_bytes(text)
        else:
            for line in lines:
                segmenter.cut(line)
    return {}


def instructions(data: Path) -> dict[str, dict[str, float]] | None:
    """Instructions a character of ``cut_bytes``, by core and dictionary; None: no valgrind."""
    if not counting.available():
        return None
    characters = sum(map(len, common.bakeoff_lines(data)[::4]))
    jobs = [(which, name) for which in CORES for name in ("none", "empty", "10 k known")]

    def count(job: tuple[str, str]) -> float:
        def command(rounds: int) -> list[str]:
            arguments = ["work", str(data), *job, "bytes", str(rounds)]
            return [sys.executable, "-m", "eval.user_dictionaries", "--child", *arguments]

        return counting.per_pass(command, 2, 6)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # a count, so neighbours do not matter
        counted = dict(zip(jobs, pool.map(count, jobs), strict=True))
    out: dict[str, dict[str, float]] = {}
    for (which, name), instructions_per_pass in counted.items():
        out.setdefault(which, {})[name] = instructions_per_pass / characters
    return out
