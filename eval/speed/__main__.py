"""``python -m eval.speed``: our configurations against the installed peers.

``eval/timing.py`` has the protocol, ``systems.py`` the timed systems.  Results go to
``eval/results/speed.md`` and ``.json``; ``--quick``, ``--task`` and ``--without-ours`` write none.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eval import common, timing
from eval.speed import systems, wings
from eval.speed.systems import Alike, System, Text, same_output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SENTENCE = "他说的确实在理"  # seven characters
LIMITS = Path(__file__).parent / "limits.md"  # the end of the report


class Task(NamedTuple):
    """One comparison: a form of ours against the form of the peers that serves the same user.

    Attributes:
        title: what the table says.
        ours: the form of ours.
        theirs: the form of the peers, or None where only forms of ours are compared.
        also: further forms of ours to run in the same turns.
        large: whether it is run on the large text too.
        slow: whether the slow peers take part (on the small texts).
        cores: how many cores the process is bound to.
        pieces: of so many characters is the small text that it is run on instead; 0: not so.
        first: of so many characters are these pieces taken together; 0: of the whole text.
        beside: whether no Segmenter takes part by itself (`wings.py`).
        short: whether it is run on short texts of several kinds instead; figures are for a text.
        only: the systems of ours that take part; none named: all.
    """

    title: str
    ours: str
    theirs: str | None
    also: tuple[str, ...] = ()
    large: bool = True
    slow: bool = False
    cores: int = 1
    pieces: int = 0
    first: int = 0
    beside: bool = False
    short: bool = False
    only: tuple[str, ...] = ()


# Tasks on two cores come first: threads that an engine keeps are bound when they are made.
TASKS = {
    "threads": Task("bytes, one thread and two", "bytes", None, ("bytes, 2 threads",), cores=2),
    "batch threads": Task(
        "batch kept, one thread and two", "batch", None, ("batch, 2 threads",), cores=2
    ),
    "file threads": Task(
        "bytes and files, one thread and two",
        "bytes",
        None,
        ("bytes, 2 threads", "file", "file, 2 threads"),
        cores=2,
        pieces=15,
    ),
    "threads of Python": Task(
        "calls by one thread of Python and by two",
        "lists",
        None,
        (
            "lists, 2 threads of Python",
            *(
                form + threads
                for form in ("ends", "tag", "tokenize", "search")
                for threads in ("", ", 2 threads of Python")
            ),
        ),
        cores=2,
        pieces=200,
    ),
    "tokens": Task(
        "tokens, each read: text, start, end, kind", "tokens", "tokens", large=False, slow=True
    ),
    "search": Task("cut_for_search, a call per line", "search", "search", large=False, slow=True),
    "tag": Task("tag, a call per line", "tag", "tag", large=False, slow=True),
    "lists": Task("list[str], a call per line, dropped", "lists", "lists", slow=True),
    "kept": Task("list[str], a call per line, kept", "kept", "kept", slow=True),
    "batch": Task("batch, kept, against lists kept", "batch", "kept"),
    "ends": Task("ends, a call per line, against lists dropped", "ends", "lists"),
    "whole": Task("ends, the whole text, against lists dropped", "ends, whole", "lists"),
    "bytes": Task("UTF-8 bytes in and out, against lists dropped", "bytes", "lists"),
    "both bytes": Task("UTF-8 bytes in and out, both", "bytes", "bytes", large=False),
    "short": Task(
        "list[str], a call per short text, dropped", "lists", "lists", wings.FLOOR, short=True
    ),
    "short batch": Task("batch of short texts, kept, against lists", "batch", "kept", short=True),
    "user": Task(
        "words of the user: list[str], a call per line, dropped",
        "lists",
        None,
        ("10,000 common words", "jieba's whole list", "a million substrings"),
        large=False,
        only=("unigram", "fast", "balanced"),
    ),
    "keywords": Task(
        "TextRank, a call per text", "textrank", "textrank", pieces=1000, first=50_000, beside=True
    ),
    "decode": Task("one list of ids to text", "decode", "decode", large=False, beside=True),
    "encode": Task(
        "ids of a batch of lines, the same again", "encode", "encode", large=False, beside=True
    ),
    "sentence": Task(
        "one sentence of 7 characters again and again, list[str]",
        "short",
        "short",
        large=False,
        slow=True,
    ),
}


class Options(NamedTuple):
    """How long to measure, and the texts that the slow peers are timed on."""

    rounds: int
    most_rounds: int
    budget: float
    slow_texts: tuple[str, ...]


class Row(NamedTuple):
    """One timed entry of a record; figures are for one call where the task is one sentence."""

    entry: str
    lexicon: str
    peer: bool
    seconds: float
    mb_per_s: float
    a_against_a: float
    settled: bool
    rounds: int


class Record(NamedTuple):
    """One task on one text."""

    task: str
    title: str
    text: str
    texts: int
    bytes: int
    cores: list[int]
    rows: list[Row]


def ours(folder: Path) -> list[System]:
    """Our configurations except `best`, which takes 20 s for the text (`eval.best_speed`)."""
    import segmenter as seg
    from segmenter.loading import load_by_name

    names = [name for name in common.presets() if name != "best"]
    entries = [
        systems.ours("unigram", systems.OWN, seg.load("fast", decoder="unigram")),
        systems.ours("bigram", systems.OWN, seg.load("fast", decoder="bigram")),
        systems.ours("trigram", systems.OWN, seg.load("fast", decoder="trigram")),
        *(systems.ours(name, systems.OWN, load_by_name(name)) for name in names),
    ]
    words = systems.jieba_word_list()
    if words is not None:
        path = systems.compile_jieba_list(words, folder / "jieba.lex")
        engine = load_by_name(str(path), decoder="unigram")
        entries.insert(1, systems.ours(systems.JIEBA_LIST, systems.JIEBA, engine))
    return entries


def in_pieces(text: str, size: int) -> Text:
    """The small text in pieces of `size` characters, each of them once."""
    pieces = list(dict.fromkeys(text[k : k + size] for k in range(0, len(text), size)))
    return Text.of(f"PKU + MSR by {size:,} characters", pieces)


def run_task(
    key: str, text: Text, mine: Sequence[System], peers: Sequence[System], options: Options
) -> Record:
    """Time one task on one text."""
    task = TASKS[key]
    cores = common.pin(task.cores)
    entries: list[tuple[System, timing.Entry]] = []
    for system in mine:
        if task.only and system.name not in task.only:
            continue
        for form in (task.ours, *task.also):
            if form not in system.forms:
                continue
            entry = timing.Entry(f"{system.name} / {form}", system.forms[form](text))
            entries.append((system, entry))
    for system in peers:
        if task.theirs is None or task.theirs not in system.forms:
            continue
        if system.name == "jieba" and not (task.slow and text.name in options.slow_texts):
            continue
        entry = timing.Entry(f"{system.name} / {task.theirs}", system.forms[task.theirs](text))
        entries.append((system, entry))
    timings = timing.compare(
        [entry for _, entry in entries],
        rounds=options.rounds,
        most_rounds=options.most_rounds,
        budget=options.budget,
    )
    calls = systems.SHORT_CALLS if task.ours == "short" else 1
    size = sum(len(line.encode()) for line in text.lines)
    rows = [
        Row(
            t.name,
            system.lexicon,
            any(system is other for other in peers),
            t.seconds / calls,
            size * calls / t.seconds / 1e6,
            t.a_against_a,
            t.settled,
            t.rounds,
        )
        for (system, _), t in zip(entries, timings, strict=True)
    ]
    return Record(key, task.title, text.name, len(text.lines), size, cores, rows)


def show(record: Record) -> str:
    """One task as Markdown; ratios are to each peer, or to the first row where there is none."""
    rows = record.rows
    task = TASKS[record.task]
    single = task.ours == "short"
    against = [row for row in rows if row.peer] or rows[:1]
    several = bool(task.also) and not task.short
    first: dict[str, Row] = {}  # of each system
    header = ["entry", "lexicon", "µs a call" if single else "ns a text" if task.short else "MB/s"]
    header += ["time by its own first"] * several
    header += [f"times {row.entry}" for row in against]
    header += ["A against A", "rounds"]
    body: list[list[object]] = []
    for row in rows:
        figure = f"{row.seconds * 1e6:.2f}" if single else f"{row.mb_per_s:.1f}"
        if task.short:
            figure = f"{row.seconds / record.texts * 1e9:.0f}"
        cells: list[object] = [row.entry, row.lexicon, figure]
        if several:
            baseline = first.setdefault(row.entry.split(" / ")[0], row)
            cells.append(f"{row.seconds / baseline.seconds:.2f}")
        cells += [f"{other.seconds / row.seconds:.2f}" for other in against]
        cells += [f"{row.a_against_a:.1%}" + ("" if row.settled else " (over 3%)"), row.rounds]
        body.append(cells)
    return f"### {record.title}: {record.text}\n\n" + common.table(header, body, left=2)


def markdown(
    about: Mapping[str, object],
    counts: Sequence[Alike],
    records: Sequence[Record],
    texts: Sequence[Text],
    command: str,
) -> str:
    """The whole report; `command` is the command line."""
    listed = "; ".join(
        f"{t.name}, {len(t.lines):,} lines, {len(t.utf8) / 1e6:.1f} MB of UTF-8" for t in texts
    )
    parts = [
        common.heading("Speed", about, command),
        f"Texts: {listed}. MB/s counts UTF-8 bytes of the lines. Every peer runs with its HMM "
        "off. A ratio is the quotient of two minima over rounds, run in turns in one process, "
        "pinned to one core (two if two threads are timed). A against A is the difference "
        "between the two halves of an entry's own rounds; see eval/timing.py.\n",
    ]
    if counts:
        parts.append(
            "## Same output first\n\n"
            "All our forms of output gave the same words on every line of the test text. A peer "
            "with another lexicon gives other words; text and form of output are the same.\n"
        )
        parts.append(
            common.table(
                ("ours", "lexicon", "peer", "its lexicon", "lines alike", "of"),
                ((*c[:4], f"{c.lines_alike:,}", f"{c.lines:,}") for c in counts),
                left=4,
            )
        )
    parts.append("## Figures\n")
    parts += [show(record) for record in records]
    parts.append(LIMITS.read_text("utf-8"))
    return "\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the comparison; returns 1 if outputs that must be equal differ."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.speed",
        description="Our configurations against the installed peers; see eval/README.md.",
    )
    parser.add_argument("--data", help="folder of the corpora (or SEGMENTER_CORPORA)")
    parser.add_argument("--quick", action="store_true", help="few rounds, small texts, no file")
    parser.add_argument(
        "--without-ours", action="store_true", help="peers only, no file: tries the harness"
    )
    parser.add_argument("--task", action="append", choices=TASKS, help="only this task; no file")
    parser.add_argument("--rounds", type=int, default=9, help="rounds at least (default 9)")
    parser.add_argument("--most-rounds", type=int, default=40, help="rounds at most (default 40)")
    parser.add_argument("--no-large", action="store_true", help="leave the large text out")
    words = sys.argv[1:] if arguments is None else list(arguments)
    args = parser.parse_args(words)
    # without the folder of the corpora, which is this machine's business
    words_shown = [word for word in words if not word.startswith("--data") and word != args.data]
    command = shlex.join(["python", "-m", "eval.speed", *words_shown])
    data = common.data_dir(args.data)
    small = Text.of("PKU + MSR", common.bakeoff_lines(data))
    sentence = Text.of("sentence", [SENTENCE])
    joined = "".join(small.lines)
    shorts = [
        Text.of(kind, lines)
        for kind, lines in common.short_texts(data, 3_000 if args.quick else 30_000).items()
    ]
    shorts.append(in_pieces(joined[:21_000] if args.quick else joined, len(SENTENCE)))
    texts = [small]
    if not (args.quick or args.no_large):
        texts.append(Text.of("national", common.national_lines(data)))
    rounds = 3 if args.quick else args.rounds
    options = Options(
        rounds,
        4 if args.quick else max(args.most_rounds, rounds),
        45.0,
        (small.name, sentence.name),
    )
    with tempfile.TemporaryDirectory() as folder:
        alone = args.task and all(TASKS[key].beside for key in args.task)
        mine = [] if args.without_ours or alone else ours(Path(folder))
        peer_systems = [] if alone else list(systems.peers())
        common.pin(2)
        counts, faults = same_output(mine, peer_systems, small)
        for fault in faults:
            print(f"not the same: {fault}", file=sys.stderr)
        if faults:
            return 1
        vectors = data.parent / "vectors"
        wing_systems = [] if args.without_ours else list(wings.mine(vectors))
        rivals = list(wings.peers(vectors))
        records: list[Record] = []
        for key, task in TASKS.items():
            if (args.task and key not in args.task) or (not mine and task.theirs is None):
                continue
            on = texts if task.large else [small]
            if task.short:
                on = shorts
            elif task.ours == "short":
                on = [sentence]
            elif task.pieces:
                on = [in_pieces(joined[: task.first or None], task.pieces)]
            for text in on:
                records.append(
                    run_task(key, text, [*mine, *wing_systems], [*peer_systems, *rivals], options)
                )
                print(show(records[-1]), flush=True)
    if args.without_ours or args.quick or args.task:
        return 0
    about = common.facts(s.name for s in (*peer_systems, *rivals))
    common.write(
        "speed",
        markdown(about, counts, records, texts, command),
        {
            **about,
            "same_output": [c._asdict() for c in counts],
            "tasks": [{**r._asdict(), "rows": [row._asdict() for row in r.rows]} for r in records],
        },
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
