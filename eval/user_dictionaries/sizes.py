"""Memory of many and of large dictionaries, and lexicons of millions of words."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from eval.matchers import corpus, fastest, memory, ngrams, synthesise
from eval.user_dictionaries import SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

OVERLAYS = 1000


def child(*arguments: str) -> dict[str, Any]:
    """Runs a measurement in a process of its own."""
    got = subprocess.run(
        [sys.executable, "-m", "eval.user_dictionaries", "--child", *arguments],
        check=True,
        stdout=subprocess.PIPE,
    )
    out: dict[str, Any] = json.loads(got.stdout)
    return out


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
