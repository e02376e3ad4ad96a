"""``python -m eval.matchers``: what each matcher costs at 50 k, 500 k and 5 M words.

Words: character n-grams of the national corpus (without every 50th line), synthesised with a seed:
all single Han characters, then of 2, 3, 4 and 5 characters the most frequent, 30, 30, 25 and 15% of
them (what one length lacks, the next gives), equal counts in an order drawn with the seed.  Text:
every 50th line of the corpus without its blanks, a call per line.

Each matcher is measured in fresh processes of its own on one pinned core; all must find the same
words and cut the same on every line.  Results: ``eval/results/matchers.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy import int64
    from numpy.typing import NDArray

SIZES = (50_000, 500_000, 5_000_000)
MATCHERS = ("double-array", "aho-corasick", "marisa", "pyahocorasick")
SHARES = {2: 0.30, 3: 0.30, 4: 0.25, 5: 0.15}
SEED = 20261121
PART = 16  # lines timed together
LONG = (10, 40, 160)  # lengths of the one long word
#: Sections of a lexicon that hold its words; the rest (character map, counts, tags) serves all.
TRIE_SECTIONS = ("trie.units", "trie.filter", "words.terminal", "words.rank")


def corpus(data: Path) -> tuple[list[str], list[str]]:
    """The national corpus without blanks: lines to take n-grams from, and every 50th line."""
    lines = common.national_lines(data)
    return [line for k, line in enumerate(lines, 1) if k % 50], lines[49::50]


class Ngrams:
    """All character n-grams of one length, most frequent first, ties in an order of the seed."""

    def __init__(self, length: int, starts: NDArray[int64], counts: NDArray[int64]) -> None:
        self.length = length
        self.starts = starts
        self.counts = counts


def ngrams(text: str, seed: int = SEED) -> list[Ngrams]:
    """The n-grams of Han characters in `text`, of 1 to 5 characters."""
    import numpy as np

    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    letters, dense = np.unique(codes, return_inverse=True)
    dense = dense.astype(np.int64)
    rng = np.random.default_rng(seed)
    han = (codes >= 0x4E00) & (codes <= 0x9FFF)
    inside, key = han, dense
    out = []
    for n in range(1, max(SHARES) + 1):
        if n > 1:  # the rank of the n-gram before, then one more character
            here = len(codes) - n + 1
            _, rank = np.unique(key, return_inverse=True)
            key = rank.astype(np.int64)[:here] * len(letters) + dense[n - 1 :]
            inside = inside[:here] & han[n - 1 :]
        places = np.flatnonzero(inside)
        _, first, counts = np.unique(key[places], return_index=True, return_counts=True)
        order = np.lexsort((rng.random(len(first)), -counts))
        out.append(Ngrams(n, places[first[order]], counts[order]))
    return out


def synthesise(text: str, found: Sequence[Ngrams], size: int) -> list[tuple[str, int]]:
    """`size` distinct words with their counts in `text`; see the module for how.

    Raises:
        ValueError: the text holds fewer n-grams than that.
    """
    out: list[tuple[str, int]] = []
    lacking = 0
    rest = size - len(found[0].starts)
    for grams in found:
        wanted = len(grams.starts)
        if grams.length > 1:
            wanted = round(rest * SHARES[grams.length]) + lacking
        if grams.length == max(SHARES):
            wanted = size - len(out)
        lacking = wanted - min(wanted, len(grams.starts))
        pairs = zip(grams.starts[:wanted].tolist(), grams.counts[:wanted].tolist(), strict=True)
        out.extend((text[k : k + grams.length], count) for k, count in pairs)
    if len(out) != size:
        raise ValueError(f"{len(out)} n-grams could be had, {size} are wanted")
    return out


def memory() -> dict[str, int]:
    """Bytes of this process in memory: private, of mapped files, and the private peak so far.

    Raises:
        OSError: the system has no /proc.
    """
    fields = {}
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name in ("RssAnon", "RssFile", "VmHWM"):
                fields[name] = int(value.split()[0]) * 1024
    return {"private": fields["RssAnon"], "mapped": fields["RssFile"], "peak": fields["VmHWM"]}


def write_words(data: Path, folder: Path, sizes: Sequence[int]) -> dict[str, Any]:
    """Synthesises the words of every size (child process)."""
    text = "\n".join(corpus(data)[0])
    found = ngrams(text)
    digests = {}
    for size in sizes:
        rows = "".join(f"{word}\t{count}\n" for word, count in synthesise(text, found, size))
        (folder / f"{size}.tsv").write_text(rows, encoding="utf-8")
        digests[str(size)] = hashlib.sha256(rows.encode()).hexdigest()
    return digests


def build_lexicon(size: int, folder: Path) -> dict[str, Any]:
    """Compiles the lexicon of `size` words (child process)."""
    import numpy  # noqa: F401

    from segmenter.lexicon import Lexicon

    words: list[tuple[str, float, str]] = []
    with (folder / f"{size}.tsv").open(encoding="utf-8") as file:
        for line in file:
            word, _, count = line.rstrip("\n").partition("\t")
            words.append((word, float(count), ""))
    before = memory()
    start = time.process_time()
    lexicon = Lexicon.build(words)
    seconds = time.process_time() - start
    path = folder / f"{size}.lex"
    lexicon.save(path)
    return {
        "build_seconds": seconds,
        "build_peak_bytes": memory()["peak"] - before["private"] - before["mapped"],
        "file_bytes": path.stat().st_size,
        "disk_bytes": sum(lexicon.artifact.section(n).nbytes for n in TRIE_SECTIONS),
        "slots": lexicon.artifact.section("trie.units").nbytes // 8,
        "digest": lexicon.digest,
    }


def build_matcher(size: int, name: str, folder: Path) -> dict[str, Any]:
    """Makes a matcher from the compiled lexicon (child process); marisa's is saved."""
    from segmenter.lexicon import Lexicon, matchers

    lexicon = Lexicon.open(folder / f"{size}.lex")
    _import_package(name)
    before = memory()
    start = time.process_time()
    matcher = matchers.make(name, lexicon)
    seconds = time.process_time() - start
    out = {
        "build_seconds": seconds,
        "build_peak_bytes": memory()["peak"] - before["private"] - before["mapped"],
    }
    if isinstance(matcher, matchers.MarisaMatcher):
        path = folder / f"{size}.marisa"
        matcher.save(path)
        out["disk_bytes"] = path.stat().st_size
    return out


def fastest(
    works: Sequence[Callable[[str], object]], text: Sequence[str], rounds: int
) -> list[float]:
    """Seconds that each of `works` takes for all lines: the sum of the minima of short parts.

    Parts last milliseconds at most, so that other processes of the machine spoil few of them and
    never all rounds of one.
    """
    clock = time.perf_counter
    least = [[float("inf")] * (len(text) // PART + 1) for _ in works]
    for _ in range(rounds):
        for work, minima in zip(works, least, strict=True):
            gc.collect()
            for part in range(len(minima)):
                lines = text[part * PART : (part + 1) * PART]
                start = clock()
                for line in lines:
                    work(line)
                seconds = clock() - start
                if seconds < minima[part]:
                    minima[part] = seconds
    return [sum(minima) for minima in least]


def use(data: Path, size: int, name: str, folder: Path, rounds: int) -> dict[str, Any]:
    """Starts from what is on disk, then finds and cuts (child process)."""
    from segmenter.lexicon import Lexicon, matchers
    from segmenter.segmenter import Segmenter

    text = corpus(data)[1]
    octets = sum(len(line.encode()) for line in text)
    _import_package(name)
    before = memory()
    start = time.process_time()
    lexicon = Lexicon.open(folder / f"{size}.lex")
    matcher: matchers.Matcher
    if name == "marisa":
        matcher = matchers.MarisaMatcher.open(folder / f"{size}.marisa", lexicon)
    else:
        matcher = matchers.make(name, lexicon)
    segmenter = Segmenter(lexicon, matcher="double-array" if name == "double-array" else matcher)
    segmenter.cut(text[0])
    seconds = time.process_time() - start
    digest = hashlib.sha256()
    found = words = 0
    for line in text:
        here = bytes(matcher.find(line))
        found += len(here) // 12
        digest.update(here)
        cut = segmenter.cut(line)
        words += len(cut)
        digest.update("\0".join(cut).encode())
    after = memory()
    common.pin()
    find_seconds, cut_seconds = fastest([matcher.find, segmenter.cut], text, rounds)
    return {
        "start_seconds": seconds,
        "private_bytes": after["private"] - before["private"],
        "mapped_bytes": after["mapped"] - before["mapped"],
        "find_mb_s": octets / find_seconds / 1e6,
        "cut_mb_s": octets / cut_seconds / 1e6,
        "matches": found,
        "words": words,
        "characters": sum(map(len, text)),
        "output": digest.hexdigest(),
    }


def long_words(rounds: int) -> dict[str, Any]:
    """MB/s of find where walks from every position are long: one word of n characters, the first
    n - 1 alike, in a text of that character alone (child process)."""
    from segmenter.lexicon import Lexicon, matchers

    common.pin()
    text = ["的" * 4000] * PART
    out: dict[str, Any] = {}
    for length in LONG:
        lexicon = Lexicon.build([("的" * (length - 1) + "确", 1, "")])
        works = [matchers.make(name, lexicon).find for name in MATCHERS]
        seconds = fastest(works, text, rounds)
        octets = len(text) * len(text[0].encode())
        out[str(length)] = dict(zip(MATCHERS, (octets / s / 1e6 for s in seconds), strict=True))
    return out


def _import_package(name: str) -> None:
    # what a package takes by itself is not the matcher's
    import numpy  # noqa: F401

    if name == "marisa":
        import marisa_trie  # noqa: F401
    elif name == "pyahocorasick":
        import ahocorasick  # noqa: F401


def _child(*arguments: object) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "eval.matchers", "--child", *map(str, arguments)],
        cwd=common.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1]}
    out: dict[str, Any] = json.loads(done.stdout)
    return out


def measure(data: Path, sizes: Sequence[int], rounds: int) -> list[dict[str, Any]]:
    """One row a size and matcher.

    Raises:
        SystemExit: two matchers of one size differ in what they find or cut.
    """
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = _child("words", data, folder, *sizes)
        if "error" in words:
            raise SystemExit(f"words: {words['error']}")
        for size in sizes:
            lexicon = {"words_sha256": words[str(size)], **_child("lexicon", size, folder)}
            print(json.dumps(lexicon), file=sys.stderr)
            for matcher in MATCHERS:
                row: dict[str, Any] = {"size": size, "matcher": matcher}
                if "error" in lexicon:
                    rows.append({**row, **lexicon})
                    continue
                built = lexicon
                if matcher != "double-array":
                    built = _child("matcher", size, matcher, folder)
                used = (
                    built
                    if "error" in built
                    else _child("use", data, size, matcher, folder, rounds)
                )
                rows.append({**row, **built, **used})
                print(json.dumps(rows[-1]), file=sys.stderr)
            outputs = {row["output"] for row in rows if row["size"] == size and "output" in row}
            if len(outputs) > 1:
                raise SystemExit(f"the matchers differ at {size} words: {rows}")
    return rows


def _mb(row: dict[str, Any], key: str) -> str:
    return f"{row[key] / 1e6:,.1f}" if key in row else "–"


def report(rows: Sequence[dict[str, Any]], long: dict[str, Any], about: dict[str, object]) -> str:
    """The Markdown page."""
    cells: list[list[object]] = []
    for row in rows:
        if "error" in row:
            cells.append([f"{row['size']:,}", row["matcher"], row["error"], *["–"] * 7])
            continue
        disk = {"aho-corasick": "0", "pyahocorasick": "0"}.get(row["matcher"])
        cells.append(
            [
                f"{row['size']:,}",
                row["matcher"],
                f"{row['build_seconds']:.3g}",
                _mb(row, "build_peak_bytes"),
                f"{row['start_seconds'] * 1000:,.0f}",
                disk or _mb(row, "disk_bytes"),
                _mb(row, "private_bytes"),
                _mb(row, "mapped_bytes"),
                f"{row['find_mb_s']:.3g}",
                f"{row['cut_mb_s']:.3g}",
            ]
        )
    table = common.table(
        (
            "words", "matcher", "build, s", "peak, MB", "start, ms", "disk, MB", "private, MB",
            "mapped, MB", "find, MB/s", "cut, MB/s",
        ),
        cells,
        left=2,
    )  # fmt: skip
    tries = [row for row in rows if row["matcher"] == "double-array" and "slots" in row]
    density = [
        f"{row['matches'] / row['characters']:.2f} at {row['size']:,}"
        for row in rows
        if row["matcher"] == "double-array" and "matches" in row
    ]
    notes = [
        "All four found the same words on every line and cut the same; "
        f"words found a character of text: {', '.join(density)}.",
        "",
        "- build: the double array from a list of words with counts (`Lexicon.build`, the whole "
        "lexicon); the others from the compiled lexicon; seconds of processor time, one thread. "
        "peak: memory above what the process had "
        "before.",
        "- start: in a fresh process from what is on disk to the first cut, the lexicon's "
        "checksums included, processor time: marisa maps what it saved, Aho–Corasick computes "
        "its links, pyahocorasick is built again.",
        "- disk: the double array with word numbers (of a lexicon file of "
        + ", ".join(f"{row['file_bytes'] / 1e6:,.1f} MB at {row['size']:,}" for row in tries)
        + "), or the matcher's own file beside the lexicon, which every matcher needs for "
        "characters, counts and costs.",
        "- private, mapped: growth of memory over find and cut of the text, private to the "
        "process, and of mapped files (shared by processes, given back when memory is short). "
        "Private memory holds the table of shared strings of `cut`, 8 bytes per slot or word where "
        "words were met: at 5 M words most of what the double array and marisa take.",
        "- find, cut: MB of UTF-8 per second, a call per line, one pinned core, the sum of the "
        f"minima of parts of {PART} lines; `cut` is the unigram lattice, list[str] "
        "dropped. The double array's cut looks words up inside the lattice and makes no list of "
        "them, so it need not be slower than its find.",
        "- slots of the double array: "
        + ", ".join(f"{row['slots']:,} at {row['size']:,} words" for row in tries)
        + "; the most that it holds is 16,777,216.",
        f"- The machine's load average was {about.get('load', 0):.1f}: other work beside this.",
        f"- Words: character n-grams of the national corpus, seed {SEED}; text: every 50th line, "
        "which gave no n-grams.",
        "",
        "Which to choose: the double array, unless words are very long and the text follows them "
        "far without finding them (Aho–Corasick) or single words go in and out while it runs "
        "(pyahocorasick). marisa's own file is the smallest, but a Segmenter needs the lexicon's "
        "file beside it, so it saves room only where the words are wanted without a Segmenter.",
    ]
    head = common.heading("Matchers", about, "python -m eval.matchers")
    second = common.table(
        ("find, MB/s: one word of", *MATCHERS),
        [
            (f"{length} characters", *(f"{long[str(length)][name]:.3g}" for name in MATCHERS))
            for length in LONG
        ],
    )
    why = (
        "\nWhere every walk is long (的…的确 of that many characters, a text of 的 alone) the "
        "automaton's time stays the same and that of the others grows with the word:\n\n"
    )
    return head + "\n" + table + "\n" + "\n".join(notes) + "\n" + why + second


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.matchers", description=__doc__)
    parser.add_argument("--data", help="folder of the corpora; default $SEGMENTER_CORPORA")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), metavar="WORDS")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of timing")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        what, *rest = options.child
        if what == "words":
            out = write_words(Path(rest[0]), Path(rest[1]), list(map(int, rest[2:])))
        elif what == "lexicon":
            out = build_lexicon(int(rest[0]), Path(rest[1]))
        elif what == "long":
            out = long_words(int(rest[0]))
        elif what == "matcher":
            out = build_matcher(int(rest[0]), rest[1], Path(rest[2]))
        else:
            out = use(Path(rest[0]), int(rest[1]), rest[2], Path(rest[3]), int(rest[4]))
        print(json.dumps(out))
        return 0
    data = common.data_dir(options.data)
    about = common.facts(("marisa-trie", "pyahocorasick", "numpy"))
    about["load"] = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    rows = measure(data, options.sizes, options.rounds)
    long = _child("long", options.rounds)
    common.write(
        "matchers",
        report(rows, long, about),
        {**about, "seed": SEED, "rows": rows, "long_words_find_mb_s": long},
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
