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
from segmenter.cli.options import (
    check_model,
    input_options,
    split_commas,
    user_arguments,
    user_option,
)
from segmenter.cli.parsers import options, set_up
from segmenter.cli.streams import inputs, output, read_inputs
from segmenter.errors import ArgumentError
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from segmenter.core import Segmenter

    #: Name of a segmenter, form of its output, function that cuts the whole text once.
    Entry = tuple[str, str, Callable[[], object]]

DEFAULT_SYSTEMS = ("unigram", "fast", "balanced", "accurate")
MIN_SECONDS = 0.05  # least duration of a turn


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter bench book.txt",
        "segmenter bench book.txt --what fast,unigram,bigram --no-peers --size 5",
        "segmenter bench --model mine.model --user words.tsv --tsv book.txt",
        run=run,
    )
    input_options(parser)
    defaults = ",".join(DEFAULT_SYSTEMS)
    options(
        parser,
        {
            "--tsv": "one figure per line below a header line, instead of a table",
            f"--what NAMES={defaults}": f"presets ({', '.join(PRESETS)}) and decoders "
            f"({', '.join(DECODERS)}), comma-separated (default {defaults})",
            "--model PATH": "a compiled lexicon or model as well",
            "--standard |" + "|".join(STANDARDS): "segmentation standard of the shipped ones",
            "-j --threads N=0": "threads of the last column; 0: one per processor (default)",
            "--size X=0.5": "megabytes of the text to cut, from its start",
            "--rounds N=7": "number of rounds",
            "--no-peers": "leave out rjieba and jieba, which run if installed",
        },
    )
    user_option(parser)


def run(args: argparse.Namespace) -> int:
    files = inputs(args)
    check_whole("--rounds", args.rounds, 1)
    check_whole("-j", args.threads, 0)
    if args.size <= 0:
        raise ArgumentError(f"--size: {args.size:g} is not a number of megabytes above 0")
    segmenters = _segmenters(args)
    lines: list[str] = []
    remaining = round(args.size * 1e6)
    for line in read_inputs(args, files):
        lines.append(line.text)
        remaining -= len(line.text.encode())
        if remaining <= 0:
            break
    if not any(lines):
        names = ["standard input" if file == "-" else file for file in files]
        raise ArgumentError(f"{', '.join(names)}: contains no text")
    threads = args.threads or os.cpu_count() or 1
    entries = [entry for named in segmenters for entry in _entries(*named, lines, threads)]
    entries += [] if args.no_peers else _peers(lines)
    size = sum(len(line.encode()) for line in lines)
    best = in_turns([call for _, _, call in entries], args.rounds)
    rates = {entry[:2]: size / t / 1e6 for entry, t in zip(entries, best, strict=True)}
    if args.tsv:
        rows = ["system\tform\tmb_per_s", *(f"{a}\t{b}\t{r:.3f}" for (a, b), r in rates.items())]
    else:
        title = f"{len(lines):,} lines, {size / 1e6:.2f} MB of UTF-8; MB per second"
        rows = [f"{title}, best of {args.rounds} rounds in turns", "", *_table(rates), ""]
        rows += [f"{a}    {b}" for a, b in (_usage(name, args.model) for name, _ in segmenters)]
    with output(args) as out:
        out.write(("\n".join(rows) + "\n").encode())
    return DONE


def in_turns(calls: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """The fastest time of each call in seconds; results are freed between the turns."""

    def turn(call: Callable[[], object], repeats: int) -> float:
        gc.collect()
        seconds = 0.0
        for _ in range(repeats):
            start = time.perf_counter()
            result = call()
            seconds += time.perf_counter() - start
            del result
        return seconds / repeats

    repeats = [max(1, math.ceil(MIN_SECONDS / max(turn(call, 1), 1e-6))) for call in calls]
    best = [math.inf] * len(calls)
    for number in range(rounds):
        for k in range(len(calls)):
            index = (k + number) % len(calls)
            best[index] = min(best[index], turn(calls[index], repeats[index]))
    return best


def _segmenters(args: argparse.Namespace) -> list[tuple[str, Segmenter]]:
    user = user_arguments(args)
    shipped = {**user, **({"standard": args.standard} if args.standard else {})}
    segmenters = []
    for name in dict.fromkeys(split_commas(args.what)):
        if name in PRESETS:
            segmenters.append((name, load_by_name(name, **shipped)))
        elif name in DECODERS:
            segmenters.append((name, load_by_name(**{**shipped, "decoder": name})))
        else:
            names = ", ".join((*PRESETS, *DECODERS))
            raise ArgumentError(f"--what: {name!r} is not one of {names}")
    if args.model is not None:
        check_model(args)
        segmenters.append((os.path.basename(args.model), load_by_name(args.model, **user)))
    if not segmenters:
        raise ArgumentError("--what: names nothing to time: give presets or decoders")
    return segmenters


def _cut_lines(call: Callable[[str], object], lines: list[str]) -> None:
    for line in lines:
        call(line)


def _entries(name: str, segmenter: Segmenter, lines: list[str], threads: int) -> Iterator[Entry]:
    data = ("\n".join(lines) + "\n").encode()
    yield name, "lists", partial(_cut_lines, segmenter.cut, lines)
    yield name, "bytes", partial(segmenter.cut_bytes, data)
    if threads > 1:
        yield name, f"bytes, {threads} threads", partial(segmenter.cut_bytes, data, threads=threads)


def _peers(lines: list[str]) -> Iterator[Entry]:
    """rjieba and jieba if installed, without their HMM, which `unigram` does not have."""
    for name, call, flags in (("rjieba", "cut", (False,)), ("jieba", "lcut", (False, False))):
        try:
            cut = getattr(import_module(name), call)
        except ImportError:
            continue
        logging.getLogger(name).setLevel(logging.ERROR)
        cut_line = partial(lambda cut, flags, line: cut(line, *flags), cut, flags)
        yield name, "lists", partial(_cut_lines, cut_line, lines)


def _table(rates: dict[tuple[str, str], float]) -> list[str]:
    forms = list(dict.fromkeys(form for _, form in rates))
    rows = [["", *forms]]
    for system in dict.fromkeys(system for system, _ in rates):
        cells = (rates.get((system, form)) for form in forms)
        rows.append([system, *("-" if rate is None else f"{rate:.1f}" for rate in cells)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]


def _usage(name: str, model: str | None) -> tuple[str, str]:
    """A command line and a line of Python that use a timed segmenter."""
    if name in PRESETS:
        return f"segmenter cut --preset {name}", f'load("{name}")'
    if name in DECODERS:
        return f"segmenter cut --decoder {name}", f'load(decoder="{name}")'
    return f"segmenter cut --model {quote(str(model))}", f"load({model!r})"
