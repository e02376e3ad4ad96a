"""``python -m eval.user_dictionaries``: what user dictionaries do and what they cost.

Families of complaints that jieba and rjieba leave open; speed with none, an empty one and 10 k
words (seconds by sums of minima of small parts, instructions by valgrind's cachegrind where it is
installed); memory of a thousand overlays; adding a million words in memory; 1 M and 10 M words
compiled and mapped, each in fresh processes.  Results: ``eval/results/user_dictionaries.md`` and
``.json``.

Words: for speed 10,000 of the shipped lexicon's own words of two characters and more, drawn with
the seed (``known``), and as many pairs of such words joined
(``new``: what they begin with is frequent, they themselves are not there).  The large ones are
character n-grams of the national corpus, see eval.matchers; what is lacking at 10 M is joined from
two of them, drawn with the seed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from eval.matchers import corpus, fastest, memory, ngrams, synthesise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEED = 20261121
SIZES = (1_000_000, 10_000_000)
OVERLAYS = 1000
CORES = ("unigram", "fast", "balanced")  # presets, and the lattice of load("fast", decoder=…)
WORDS = [
    "iPhone 15", "C++", "a/d", "19-9", "迈克尔·乔丹", "[捂脸]", "*ST舜船", "𠀀𪜀", "New York City",
    "。。", "a\tb", "👍",
]  # fmt: skip


# --- complaints ----------------------------------------------------------------------------------


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
                name: sum(k >= USER for x in lines for k in s._engine.pieces(x)[2])
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
    if shutil.which("valgrind") is None:
        return None
    characters = sum(map(len, common.bakeoff_lines(data)[::4]))
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    dictionaries = ("none", "empty", "10 k known")
    jobs = [(which, name, n) for which in CORES for name in dictionaries for n in (2, 6)]

    def count(job: tuple[str, str, int]) -> int:
        which, name, rounds = job
        arguments = ["work", str(data), which, name, "bytes", str(rounds)]
        got = subprocess.run(
            [*tool, sys.executable, "-m", __spec__.name, "--child", *arguments],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        line = next(x for x in got.stderr.splitlines() if "I " in x and "refs" in x)
        return int(line.split()[-1].replace(",", ""))

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # a count, so neighbours do not matter
        counted = dict(zip(jobs, pool.map(count, jobs), strict=True))
    out: dict[str, dict[str, float]] = {}
    for which, name, _ in jobs:
        more = counted[which, name, 6] - counted[which, name, 2]
        out.setdefault(which, {})[name] = more / 4 / characters
    return out


# --- memory and size -----------------------------------------------------------------------------


def resident() -> int:
    """Bytes of this process in memory, private and mapped."""
    now = memory()
    return now["private"] + now["mapped"]


def overlays() -> dict[str, Any]:
    """A thousand overlays of a thousand words, all used (child process)."""
    import segmenter as seg

    core = seg.load("fast")
    core.cut("他说的确实在理")
    letters = [chr(0x4E00 + k) for k in range(3000)]
    draw = random.Random(SEED)
    core.with_words(["".join(draw.choices(letters, k=3))]).cut("甲乙")
    before = resident()
    start = time.process_time()
    kept = []
    for _ in range(OVERLAYS):
        words = ["".join(draw.choices(letters, k=draw.randint(2, 5))) for _ in range(1000)]
        kept.append(core.with_words(words))
        assert words[7] in kept[-1].cut(f"，{words[7]}，")
    return {"bytes": resident() - before, "seconds": time.process_time() - start}


def swaps() -> dict[str, Any]:
    """A thousand swaps of the module's default after a thousand to warm up (child process)."""
    import segmenter as seg

    seg.load_userdict("".join(f"词{k}号\n" for k in range(10_000)).encode())

    def swap() -> None:
        for k in range(1000):
            seg.add_word(f"新词{k % 100}")
            seg.cut("有个新词7的")

    swap()
    before = resident()
    start = time.process_time()
    swap()
    return {"bytes": resident() - before, "seconds": time.process_time() - start}


def large_words(data: Path, size: int) -> list[str]:
    """`size` distinct words, see the module."""
    text = "\n".join(corpus(data)[0])
    found = ngrams(text)
    there = sum(len(grams.starts) for grams in found)
    if there >= size:
        try:
            return [word for word, _ in synthesise(text, found, size)]
        except ValueError:
            pass
    words = dict.fromkeys(
        text[k : k + grams.length] for grams in found for k in grams.starts.tolist()
    )
    frequent = [
        text[k : k + grams.length] for grams in found[1:4] for k in grams.starts[:50_000].tolist()
    ]
    draw = random.Random(SEED)
    while len(words) < size:
        words[draw.choice(frequent) + draw.choice(frequent)] = None
    return list(words)[:size]


def add(data: Path, size: int) -> dict[str, Any]:
    """Adds a list of words to a Segmenter in memory (child process)."""
    import segmenter as seg

    words = large_words(data, size)
    core = seg.load("fast")
    wall, start = time.perf_counter(), time.process_time()
    user = core.with_words(words)
    seconds, wall = time.process_time() - start, time.perf_counter() - wall
    assert words[-1] in user.cut(f"，{words[-1]}，")
    wall_one = time.perf_counter()
    user = user.with_words(["一个新词"])
    return {"seconds": seconds, "wall": wall, "one_more": time.perf_counter() - wall_one}


def write_large(data: Path, size: int, path: str) -> dict[str, Any]:
    """Writes the words as text (child process)."""
    Path(path).write_text("".join(f"{w}\n" for w in large_words(data, size)), encoding="utf-8")
    return {"bytes": os.path.getsize(path)}


def load_large(path: str, word: str) -> dict[str, Any]:
    """Maps a compiled dictionary and cuts with it (child process)."""
    import segmenter as seg
    from segmenter.lexicon.user import UserDictionary

    core = seg.load("fast")
    core.cut("他说的确实在理")
    before = memory()
    start = time.perf_counter()
    words = UserDictionary.load(path)
    user = core.replace(words)
    loaded = time.perf_counter() - start
    checked = memory()
    start = time.perf_counter()
    words = UserDictionary.load(path, verify=False)
    unchecked = time.perf_counter() - start
    assert user.cut(f"，{word}，")[1] == word
    return {
        "load_ms": loaded * 1000,
        "unchecked_ms": unchecked * 1000,
        "private": checked["private"] - before["private"],
        "mapped": checked["mapped"] - before["mapped"],
        "words": len(words),
        "pickle": len(pickle.dumps(user)),
    }


def large(data: Path, size: int, folder: Path) -> dict[str, Any]:
    """Compiles `size` words by the command line and loads them, each in a process of its own.

    What stands in the folder already is not built again, so that a quiet machine can load it.
    """
    text, compiled = folder / f"{size}.txt", folder / f"{size}.user"
    about = folder / f"{size}-user.json"
    if not about.exists():
        child("write", str(data), str(size), str(text))
        built = child("build", "user", str(compiled), str(text), "--format", "tsv")
        about.write_text(json.dumps({**built, "text": text.stat().st_size}), "utf-8")
    with text.open(encoding="utf-8") as file:
        word = next(line.rstrip("\n") for line in file if len(line) > 3)
    runs = [child("load", str(compiled), word) for _ in range(5)]
    least = min(runs, key=lambda run: float(run["load_ms"]))
    return {**json.loads(about.read_text("utf-8")), **least}


def write_words(data: Path, size: int, path: str) -> dict[str, Any]:
    """Writes the words with counts as text (child process): the k-th counts size / k."""
    rows = (f"{word}\t{size // k}\n" for k, word in enumerate(large_words(data, size), 1))
    with Path(path).open("w", encoding="utf-8") as file:
        file.writelines(rows)
    return {"bytes": os.path.getsize(path)}


def load_lexicon(data: Path, path: str, rounds: int) -> dict[str, Any]:
    """Maps a compiled lexicon and cuts with it (child process)."""
    import segmenter as seg
    from segmenter.loading import load_by_name

    common.pin()
    seg.load("fast").cut("他说的确实在理")
    if seg.lexicon.Lexicon.open(path, verify=False).trie is not None:
        seg.load("fast", decoder="unigram", matcher="marisa").cut("在")  # the package is imported
    text = corpus(data)[1][::10]
    before = memory()
    start = time.perf_counter()
    loaded = load_by_name(path)
    first = loaded.cut(text[0])
    seconds = time.perf_counter() - start
    after = memory()
    start = time.perf_counter()
    again = seg.lexicon.Lexicon.open(path, verify=False)
    unchecked = time.perf_counter() - start
    assert len(again) == len(loaded.lexicon)  # and it is let go here, not in the time above
    spent = fastest([loaded.cut], text, rounds)[0]
    cut = memory()
    digest = hashlib.sha256("/".join(w for line in text for w in loaded.cut(line)).encode())
    return {
        "words": len(loaded.lexicon),
        "load_ms": seconds * 1000,
        "unchecked_ms": unchecked * 1000,
        "private": after["private"] - before["private"],
        "mapped": after["mapped"] - before["mapped"],
        "private_cut": cut["private"] - before["private"],
        "mb_s": sum(len(line.encode()) for line in text) / 1e6 / spent,
        "first": len(first),
        "output": digest.hexdigest(),
    }


def build(what: str, compiled: str, *arguments: str) -> dict[str, Any]:
    """`segmenter build`: processor time, the peak of memory, size (child process)."""
    command = ["-m", "segmenter", "build", what, *arguments, "-o", compiled]
    got = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    row: dict[str, Any] = {
        "build_seconds": used.ru_utime + used.ru_stime,
        "build_peak": used.ru_maxrss * 1024,
    }
    if got.returncode:
        return {**row, "error": got.stderr.strip().splitlines()[-1]}
    return {**row, "file": os.path.getsize(compiled)}


def lexicons(data: Path, sizes: Sequence[int], folder: Path) -> list[dict[str, Any]]:
    """Words compiled as lexicons and loaded, a row a size and matcher.

    What stands in the folder already is not built again, so that a quiet machine can load it.

    Raises:
        SystemExit: two matchers cut otherwise.
    """
    rows: list[dict[str, Any]] = []
    for size in sizes:
        for matcher in ("double-array", "marisa"):
            text, compiled = folder / f"{size}.tsv", folder / f"{size}-{matcher}.lex"
            about = compiled.with_suffix(".json")
            if not about.exists():
                if not text.exists():
                    child("words", str(data), str(size), str(text))
                built = child("build", "lexicon", str(compiled), str(text), "--matcher", matcher)
                about.write_text(json.dumps(built), "utf-8")
            row = {"size": size, "matcher": matcher, **json.loads(about.read_text("utf-8"))}
            if "error" not in row:
                runs = [child("lexicon", str(data), str(compiled), "3") for _ in range(3)]
                row |= min(runs, key=lambda run: float(run["load_ms"]))
            rows.append(row)
            print(json.dumps(row), file=sys.stderr)
        if len({row["output"] for row in rows if row["size"] == size and "output" in row}) > 1:
            raise SystemExit(f"the matchers cut otherwise: {rows}")
    return rows


# --- all of it -----------------------------------------------------------------------------------


def child(*arguments: str) -> dict[str, Any]:
    """Runs a measurement in a process of its own."""
    got = subprocess.run(
        [sys.executable, "-m", __spec__.name, "--child", *arguments],
        check=True,
        stdout=subprocess.PIPE,
    )
    out: dict[str, Any] = json.loads(got.stdout)
    return out


def run_child(arguments: list[str]) -> dict[str, Any]:
    """What a child is asked for."""
    match arguments:
        case ["speed", data, rounds]:
            return speed(Path(data), int(rounds))
        case ["work", data, which, name, form, rounds]:
            return work(Path(data), which, name, form, int(rounds))
        case ["overlays"]:
            return overlays()
        case ["swaps"]:
            return swaps()
        case ["add", data, size]:
            return add(Path(data), int(size))
        case ["write", data, size, path]:
            return write_large(Path(data), int(size), path)
        case ["load", path, word]:
            return load_large(path, word)
        case ["words", data, size, path]:
            return write_words(Path(data), int(size), path)
        case ["build", what, compiled, *rest]:
            return build(what, compiled, *rest)
        case ["lexicon", data, path, rounds]:
            return load_lexicon(Path(data), path, int(rounds))
    raise ValueError(f"no such measurement: {arguments}")


def markdown(found: dict[str, Any]) -> str:
    """The tables."""
    mb = 1e6
    again, late = found.get("speed_again"), found.get("large_again")
    rows: list[list[object]] = []
    for which, forms in found["speed"].items():
        for form in ("cut", "bytes"):
            base = forms[form]["none"]
            counted = (found["instructions"] or {}).get(which, {}) if form == "bytes" else {}
            for name, seconds in forms[form].items():
                count = counted.get(name)
                rows.append(
                    [
                        which, form, name, f"{seconds * 1000:.1f}", f"{seconds / base:.3f}",
                        f"{count:.0f}" if count else "",
                        f"{count / counted['none']:.3f}" if count else "",
                        f"{forms['of_user'][name]:,} of {forms['words'][name]:,}",
                    ]
                )  # fmt: skip
    out = [
        "## Complaints\n",
        common.table(["", "jieba", "rjieba", "ours"], found["complaints"], left=4),
        "\n## Speed with a dictionary, against none\n",
        "5,930 lines of the PKU and MSR test files, a call a line; instructions a character, of "
        "every fourth line, everything that Python does among them."
        + (f"  Measured again at commit {again['commit']}, {again['date']}" if again else "")
        + (f"; instructions at {counted_at}" if (counted_at := found.get("counted_at")) else "")
        + (".\n" if again else "\n"),
        common.table(
            [
                "preset", "output", "dictionary", "ms", "against none", "instructions",
                "against none", "tokens of the user",
            ],
            rows,
            left=3,
        ),
        "\n## Memory and change\n",
        common.table(
            ["", "", ""],
            [
                [
                    f"{OVERLAYS:,} overlays of 1,000 words, all used",
                    f"{found['overlays']['bytes'] / mb:.0f} MB",
                    f"{found['overlays']['seconds']:.1f} s",
                ],
                [
                    "1,000 swaps of the default by `add_word`, 10,000 words in it",
                    f"{found['swaps']['bytes'] / mb:.1f} MB more than before",
                    f"{found['swaps']['seconds']:.2f} s",
                ],
                [
                    "1,000,000 words added in memory",
                    f"one more: {found['add']['one_more'] * 1000:.1f} ms",
                    f"{found['add']['seconds']:.2f} s ({found['add']['wall']:.2f} s by the clock)",
                ],
            ],
            left=2,
        ),
        "\n## Compiled and mapped\n",
        "Build: processor time. Load: in a process that has cut with `fast` before, the best of "
        "five, every byte checked; memory: what the process has more afterwards; processes share "
        "what is mapped."
        + (f"  Measured again at commit {late['commit']}, {late['date']}.\n" if late else "\n"),
        common.table(
            [
                "words", "text MB", "build s", "file MB", "load ms", "unchecked ms", "private MB",
                "mapped MB", "pickle bytes",
            ],
            [
                [
                    f"{row['words']:,}", f"{row['text'] / mb:.0f}", f"{row['build_seconds']:.1f}",
                    f"{row['file'] / mb:.0f}", f"{row['load_ms']:.1f}",
                    f"{row['unchecked_ms']:.1f}", f"{row['private'] / mb:.1f}",
                    f"{row['mapped'] / mb:.1f}", row["pickle"],
                ]
                for row in found["large"]
            ],
        ),
        *lexicon_tables(found),
    ]  # fmt: skip
    return "\n".join(out)


def lexicon_tables(found: dict[str, Any]) -> list[str]:
    """The same words as lexicons."""
    if "lexicons" not in found:
        return []
    mb = 1e6
    rows: list[list[object]] = []
    for row in found["lexicons"]:
        head = [
            f"{row['size']:,}", row["matcher"], f"{row['build_seconds']:.0f}",
            f"{row['build_peak'] / mb:,.0f}",
        ]  # fmt: skip
        if "error" in row:
            rows.append([*head, "does not fit", *["–"] * 5])
            continue
        rows.append(
            [
                *head, f"{row['file'] / mb:.1f}", f"{row['load_ms']:.1f}",
                f"{row['unchecked_ms']:.1f}", f"{row['private'] / mb:.1f}",
                f"{row['mapped'] / mb:.1f}", f"{row['mb_s']:.2f}",
            ]
        )  # fmt: skip
    return [
        "\n## As a lexicon\n",
        "The same words, the k-th counting (number of words) / k, by `segmenter build lexicon` "
        "(second rows: `--matcher marisa`). Build: processor time, and the peak of memory. Load: "
        "as above, `load` and the first cut, the best of three. cut: `list[str]` by the unigram "
        "lattice, lines of the national corpus that gave no words. Both matchers cut them alike.\n",
        common.table(
            [
                "words", "matcher", "build s", "peak MB", "file MB", "load ms", "unchecked ms",
                "private MB", "mapped MB", "cut, MB/s",
            ],
            rows,
            left=2,
        ),
    ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs all and writes the results."""
    parser = argparse.ArgumentParser(prog="python -m eval.user_dictionaries", description=__doc__)
    parser.add_argument("--data", help="folder of the corpora (or SEGMENTER_CORPORA)")
    parser.add_argument("--rounds", type=int, default=15, help="of the timing (default 15)")
    parser.add_argument(
        "--only-speed", action="store_true", help="measure speed again, keep the other figures"
    )
    parser.add_argument(
        "--only-large",
        metavar="FOLDER",
        help="compile (what is not there) and load large dictionaries and lexicons in this folder, "
        "keep the other figures",
    )
    parser.add_argument("--child", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        json.dump(run_child(given.child), sys.stdout)
        return
    data = common.data_dir(given.data)
    found: dict[str, Any]
    path = common.RESULTS / "user_dictionaries.json"
    if given.only_large:
        found = json.loads(path.read_text("utf-8"))
        found["large_again"] = common.facts()
        found["large"] = [large(data, size, Path(given.only_large)) for size in SIZES]
        found["lexicons"] = lexicons(data, SIZES, Path(given.only_large))
        write(found)
        return
    if given.only_speed:
        found = json.loads(path.read_text("utf-8"))
        found["speed_again"] = common.facts()
        found["speed"] = child("speed", str(data), str(given.rounds))
        found["instructions"] = instructions(data)
        found.pop("counted_at", None)
        write(found)
        return
    found = common.facts(["jieba", "rjieba"])
    found["complaints"] = complaints()
    found["speed"] = child("speed", str(data), str(given.rounds))
    found["instructions"] = instructions(data)
    found["overlays"] = child("overlays")
    found["swaps"] = child("swaps")
    found["add"] = child("add", str(data), "1000000")
    with tempfile.TemporaryDirectory() as folder:
        found["large"] = [large(data, size, Path(folder)) for size in SIZES]
        found["lexicons"] = lexicons(data, SIZES, Path(folder))
    write(found)


def write(found: dict[str, Any]) -> None:
    """The result files."""
    head = common.heading("User dictionaries", found, "python -m eval.user_dictionaries")
    common.write("user_dictionaries", head + "\n" + markdown(found), found)


if __name__ == "__main__":
    main()
