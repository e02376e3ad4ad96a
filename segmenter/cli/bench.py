"""``segmenter bench``: measures the speed of segmentation on the user's text and machine."""

from __future__ import annotations

import gc
import logging
import math
import os
import time
from functools import partial
from importlib import import_module
from shlex import quote
from typing import TYPE_CHECKING

from segmenter.choices import DECODERS, PRESETS, STANDARDS, check_whole
from segmenter.cli.exits import DONE
from segmenter.cli.options import check_model, input_options, parts, user_arguments, user_option
from segmenter.cli.parsers import options, set_up
from segmenter.cli.streams import inputs, output, read_inputs
from segmenter.errors import ArgumentError
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from segmenter.core import Segmenter

    #: A segmenter, a form of output, and what cuts the whole text once.
    Entry = tuple[str, str, Callable[[], object]]

USUAL = ("unigram", "fast", "balanced", "accurate")
TURN = 0.05  # seconds that a turn takes at least


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter bench book.txt",
        "segmenter bench book.txt --what fast,unigram,bigram --no-peers --size 5",
        "segmenter bench --model mine.model --user words.tsv --tsv book.txt",
        run=run,
    )
    input_options(parser)
    usual = ",".join(USUAL)
    options(
        parser,
        {
            "--tsv": "one figure per line below a header line, instead of a table",
            f"--what NAMES={usual}": f"presets ({', '.join(PRESETS)}) and decoders "
            f"({', '.join(DECODERS)}), comma-separated (default {usual})",
            "--model PATH": "a compiled lexicon or model as well",
            "--standard |" + "|".join(STANDARDS): "segmentation standard of the shipped ones",
            "-j --threads N=0": "threads of the last column; 0: one per processor (default)",
            "--size X=0.5": "megabytes of the text to cut, from its start",
            "--rounds N=7": "number of rounds",
            "--no-peers": "leave out rjieba and jieba, which run if installed",
        },
    )
    user_option(parser)


def run(given: argparse.Namespace) -> int:
    files = inputs(given)
    check_whole("--rounds", given.rounds, 1)
    check_whole("-j", given.threads, 0)
    if given.size <= 0:
        raise ArgumentError(f"--size: {given.size:g} megabytes is not more than 0")
    ours = _ours(given)
    lines: list[str] = []
    left = round(given.size * 1e6)
    for line in read_inputs(given, files):
        lines.append(line.text)
        left -= len(line.text.encode())
        if left <= 0:
            break
    if not any(lines):
        names = ["standard input" if file == "-" else file for file in files]
        raise ArgumentError(f"{', '.join(names)}: contains no text")
    threads = given.threads or os.cpu_count() or 1
    entries = [entry for name, s in ours for entry in _forms(name, s, lines, threads)]
    entries += [] if given.no_peers else _peers(lines)
    size = sum(len(line.encode()) for line in lines)
    best = in_turns([call for _, _, call in entries], given.rounds)
    rates = {entry[:2]: size / s / 1e6 for entry, s in zip(entries, best, strict=True)}
    if given.tsv:
        rows = ["system\tform\tmb_per_s", *(f"{a}\t{b}\t{r:.3f}" for (a, b), r in rates.items())]
    else:
        title = f"{len(lines):,} lines, {size / 1e6:.2f} MB of UTF-8; MB per second"
        rows = [f"{title}, best of {given.rounds} rounds in turns", "", *_table(rates), ""]
        rows += [f"{a}    {b}" for a, b in (_use(name, given.model) for name, _ in ours)]
    with output(given) as out:
        out.write(("\n".join(rows) + "\n").encode())
    return DONE


def in_turns(calls: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """The least seconds of each call, all called in turn; results are freed between the turns."""

    def turn(call: Callable[[], object], repeats: int) -> float:
        gc.collect()
        seconds = 0.0
        for _ in range(repeats):
            start = time.perf_counter()
            result = call()
            seconds += time.perf_counter() - start
            del result
        return seconds / repeats

    repeats = [max(1, math.ceil(TURN / max(turn(call, 1), 1e-6))) for call in calls]
    best = [math.inf] * len(calls)
    for number in range(rounds):
        for k in range(len(calls)):
            at = (k + number) % len(calls)
            best[at] = min(best[at], turn(calls[at], repeats[at]))
    return best


def _ours(given: argparse.Namespace) -> list[tuple[str, Segmenter]]:
    user = user_arguments(given)
    shipped = {**user, **({"standard": given.standard} if given.standard else {})}
    found = []
    for name in dict.fromkeys(parts(given.what)):
        if name in PRESETS:
            found.append((name, load_by_name(name, **shipped)))
        elif name in DECODERS:
            found.append((name, load_by_name(**{**shipped, "decoder": name})))
        else:
            known = ", ".join((*PRESETS, *DECODERS))
            raise ArgumentError(f"--what: {name!r} is not one of {known}")
    if given.model is not None:
        check_model(given)
        found.append((os.path.basename(given.model), load_by_name(given.model, **user)))
    if not found:
        raise ArgumentError("--what: names nothing to time")
    return found


def _each(call: Callable[[str], object], lines: list[str]) -> None:
    for line in lines:
        call(line)


def _forms(name: str, s: Segmenter, lines: list[str], threads: int) -> Iterator[Entry]:
    data = ("\n".join(lines) + "\n").encode()
    yield name, "lists", partial(_each, s.cut, lines)
    yield name, "bytes", partial(s.cut_bytes, data)
    if threads > 1:
        yield name, f"bytes, {threads} threads", partial(s.cut_bytes, data, threads=threads)


def _peers(lines: list[str]) -> Iterator[Entry]:
    """rjieba and jieba where they are installed, without their HMM, which `unigram` has not."""
    for name, call, off in (("rjieba", "cut", (False,)), ("jieba", "lcut", (False, False))):
        try:
            cut = getattr(import_module(name), call)
        except ImportError:
            continue
        logging.getLogger(name).setLevel(logging.ERROR)
        one = partial(lambda cut, off, line: cut(line, *off), cut, off)
        yield name, "lists", partial(_each, one, lines)


def _table(rates: dict[tuple[str, str], float]) -> list[str]:
    forms = list(dict.fromkeys(form for _, form in rates))
    rows = [["", *forms]]
    for system in dict.fromkeys(system for system, _ in rates):
        found = (rates.get((system, form)) for form in forms)
        rows.append([system, *("-" if rate is None else f"{rate:.1f}" for rate in found)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]


def _use(name: str, model: str | None) -> tuple[str, str]:
    """How to use what was timed: a command line and a line of Python."""
    if name in PRESETS:
        return f"segmenter cut --preset {name}", f'load("{name}")'
    if name in DECODERS:
        return f"segmenter cut --decoder {name}", f'load(decoder="{name}")'
    return f"segmenter cut --model {quote(str(model))}", f"load({model!r})"
