"""``segmenter bench``: how fast a text of the user's is cut on the user's machine."""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING

from segmenter.choices import DECODERS, PRESETS, STANDARDS
from segmenter.cli.exits import BAD_DATA, DONE
from segmenter.cli.messages import is_live, say
from segmenter.cli.options import (
    check_model,
    input_options,
    parts,
    user_arguments,
    user_option,
)
from segmenter.cli.parsers import options, set_up, suggest
from segmenter.cli.streams import inputs, output, read_inputs
from segmenter.errors import ArgumentError
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from segmenter.train.bench import Alike, Figure, System

#: What is timed where nothing is chosen.
USUAL = ("unigram", "fast", "balanced", "accurate")
#: The forms of output on one core, as :mod:`segmenter.train.bench` calls them.
FORMS = ("lists", "ends", "bytes")


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter bench book.txt",
        "segmenter bench book.txt --what fast,unigram,bigram --no-peers --size 5",
        "segmenter bench --model mine.model --user words.tsv --json book.txt",
        run=run,
    )
    input_options(parser)
    options(
        parser,
        {
            "--tsv": "one figure per line below a header line, instead of a table",
            "--json": "all of it as a JSON object",
        },
        one_of=True,
    )
    usual = ",".join(USUAL)
    added = options(
        parser,
        {
            f"--what NAMES={usual}": f"presets ({', '.join(PRESETS)}) and decoders "
            f"({', '.join(DECODERS)}), comma-separated (default {usual})",
            "--model PATH": "a compiled lexicon or model as well",
            "--standard |" + "|".join(STANDARDS): "segmentation standard of the shipped ones",
        },
    )
    suggest(added["--what"], (*PRESETS, *DECODERS))
    user_option(parser)
    options(
        parser,
        {
            "-j --threads N=0": "threads of the entries with threads; 0: one per processor "
            "(default)",
            "--size X=0.5": "megabytes of the text to cut, from its start",
            "--rounds N=5": "least number of rounds: more are added until figures agree with "
            "themselves",
            "--no-peers": "leave out rjieba and jieba, which run if installed",
            "--quiet": "no progress on a terminal",
        },
    )


def run(given: argparse.Namespace) -> int:
    from segmenter.train import bench, timing

    files = inputs(given)
    for name, value, least in (("--rounds", given.rounds, 1), ("-j", given.threads, 0)):
        if value < least:
            raise ArgumentError(f"{name}: {value} is less than {least}")
    if given.size <= 0:
        raise ArgumentError(f"--size: {given.size:g} megabytes is not more than 0")
    threads = given.threads or timing.processors()
    mine = _ours(given, threads)
    lines, shortened = _lines(given, files)
    others = [] if given.no_peers else bench.peers()
    text = bench.Text.of("text", lines)
    _progress(given, f"{len(lines):,} lines; do all forms give the same words?")
    alike, faults = bench.same_output(mine, others, text)
    for fault in faults:
        say("bench", f"not the same, so nothing is timed: {fault}")
    if faults:
        return BAD_DATA
    figures: list[Figure] = []
    # first what takes several cores: threads that an engine keeps are bound when they are made
    for forms, cores in (
        ((f"bytes, {threads} threads",) if threads > 1 else (), threads),
        (FORMS, 1),
    ):
        if forms:
            _progress(given, f"timing {', '.join(forms)}")
            figures += bench.measure(mine, others, text, forms, cores=cores, rounds=given.rounds)
    about = {**_about(files, lines, shortened, text.utf8), "model": given.model}
    write = _json if given.json else _tsv if given.tsv else _table
    with output(given) as out:
        out.write(write(about, figures, alike).encode("utf-8"))
    return DONE


def _ours(given: argparse.Namespace, threads: int) -> list[System]:
    from segmenter.train import bench

    user = user_arguments(given)
    shipped = {**user, **({"standard": given.standard} if given.standard else {})}
    found = []
    for name in dict.fromkeys(parts(given.what)):
        if name in PRESETS:
            segmenter = load_by_name(name, **shipped)
        elif name in DECODERS:
            segmenter = load_by_name(**{**shipped, "decoder": name})
        else:
            known = ", ".join((*PRESETS, *DECODERS))
            raise ArgumentError(f"--what: {name!r} is not one of {known}")
        found.append(bench.our_system(name, bench.OWN, segmenter, threads))
    if given.model is not None:
        check_model(given)
        name = os.path.basename(given.model)
        found.append(bench.our_system(name, bench.OWN, load_by_name(given.model, **user), threads))
    if not found:
        raise ArgumentError("--what: it names nothing to time")
    return found


def _lines(given: argparse.Namespace, files: list[str]) -> tuple[list[str], bool]:
    from segmenter.train.bench import shorten

    found = (line.text for line in read_inputs(given, files))
    lines, shortened = shorten(found, round(given.size * 1e6))
    if not any(lines):
        raise ArgumentError(f"{', '.join(_names(files))}: there is no text in it")
    return lines, shortened


def _names(files: list[str]) -> list[str]:
    return ["standard input" if file == "-" else file for file in files]


def _progress(given: argparse.Namespace, text: str) -> None:
    if is_live(given):
        say("bench", text)


def _about(files: list[str], lines: list[str], shortened: bool, utf8: bytes) -> dict[str, Any]:
    from segmenter._version import __version__
    from segmenter.train.timing import machine

    return {
        "text": _names(files),
        "lines": len(lines),
        "bytes": len(utf8),
        "shortened": shortened,
        "version": __version__,
        "machine": machine(),
    }


# --- forms of the report -------------------------------------------------------------------------


def _table(about: dict[str, Any], figures: list[Figure], alike: list[Alike]) -> str:
    from segmenter.train.timing import TOLERANCE

    machine = about["machine"]
    by_name = {(f.system, f.form): f for f in figures}
    systems = list(dict.fromkeys(f.system for f in figures))
    listed = dict.fromkeys(f.form for f in figures)
    forms = sorted(listed, key=lambda form: form not in FORMS)  # threads after the others
    peers = list(dict.fromkeys(a.peer for a in alike))
    same = {(a.system, a.peer): f"{a.lines_alike / a.lines:.0%}" for a in alike}
    header = ["", *forms, *(f"lines as {peer}" for peer in peers)]
    rows = [header]
    for system in systems:
        cells = [by_name.get((system, form)) for form in forms]
        rows.append([
            system,
            *("-" if f is None else f"{f.mb_per_s:.1f}" + "~" * (not f.settled) for f in cells),
            *(same.get((system, peer), "-") for peer in peers),
        ])  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        f"{', '.join(about['text'])}: {about['lines']:,} lines, {about['bytes'] / 1e6:.2f} MB of "
        f"UTF-8{', its beginning' if about['shortened'] else ''}",
        f"{machine['processor']}, {machine['cores']} processors, {machine['system']}, "
        f"{machine['python']}, segmenter-zh {about['version']}",
        "",
        "MB of UTF-8 per second",
        *(
            "  ".join([row[0].ljust(widths[0])]
                      + [c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)]).rstrip()
            for row in rows
        ),
        "",
        "lists: words as list[str], one call per line; ends: their ends as an int32 array, a call",
        "per line; bytes: UTF-8 in, UTF-8 out, one call. On one core, except with threads.",
        f"Best of {_span(f.rounds for f in figures)} rounds, all in turns in one process.",
        f"Rounds are added until every figure agrees with itself within {TOLERANCE:.0%}.",
    ]  # fmt: skip
    unsettled = sum(not f.settled for f in figures)
    if unsettled:
        lines.append(
            f"~: {unsettled} of {len(figures)} figures differ from themselves by more than "
            f"{TOLERANCE:.0%}: something else ran meanwhile. Measure again, or with more --rounds."
        )
    else:
        most = max(f.a_against_a for f in figures)
        lines.append(f"Everything was timed once against itself: within {most:.1%}.")
    if peers:
        lines.append(
            f"{', '.join(peers)}: without HMM, by jieba's lexicon, so words differ: the last "
            f"column{'s' * (len(peers) > 1)} say{'s' * (len(peers) == 1)} how many lines do not."
        )
    lines += ["", "To use one:", *uses(systems, about["model"])]
    return "\n".join(lines) + "\n"


def uses(systems: list[str], model: str | None) -> Iterator[str]:
    """A command line and a line of Python for every one of ours."""
    rows = []
    for name in systems:
        if name in PRESETS:
            rows.append((name, f"segmenter cut --preset {name}", f'load("{name}")'))
        elif name in DECODERS:
            rows.append((name, f"segmenter cut --decoder {name}", f'load(decoder="{name}")'))
        elif model is not None and name == os.path.basename(model):
            rows.append((name, f"segmenter cut --model {quote(model)}", f"load({model!r})"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()


def _span(numbers: Any) -> str:
    listed = sorted(numbers)
    low, high = listed[0], listed[-1]
    return str(low) if low == high else f"{low} to {high}"


def _tsv(about: dict[str, Any], figures: list[Figure], alike: list[Alike]) -> str:
    rows = ["system\tform\tmb_per_s\tseconds\ta_against_a\trounds"]
    rows += [
        f"{f.system}\t{f.form}\t{f.mb_per_s:.3f}\t{f.seconds:.6f}\t{f.a_against_a:.4f}\t{f.rounds}"
        for f in figures
    ]
    return "\n".join(rows) + "\n"


def _json(about: dict[str, Any], figures: list[Figure], alike: list[Alike]) -> str:
    from json import dumps

    report = {
        **about,
        "figures": [f._asdict() for f in figures],
        "lines_alike": [
            {"system": a.system, "peer": a.peer, "alike": a.lines_alike, "of": a.lines}
            for a in alike
        ],
    }
    return dumps(report, ensure_ascii=False) + "\n"
