"""``segmenter eval``: the SIGHAN bakeoff's score."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from segmenter._version import __version__
from segmenter.choices import LATTICE, STANDARDS, check_whole
from segmenter.cli.exits import DONE
from segmenter.cli.messages import print_line, say
from segmenter.cli.options import check_model, split_commas
from segmenter.cli.parsers import options, set_up, subcommand
from segmenter.loading import load

if TYPE_CHECKING:
    import argparse

    from segmenter.choices import Decoder


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter eval bakeoff icwb2-data",
        "segmenter eval score gold.txt answer.txt --words training_words.txt",
        "segmenter eval compare gold.txt ours.txt",
    )
    commands = parser.add_subparsers(dest="subcommand", metavar="WHAT", required=True)
    parser = subcommand(
        commands,
        "bakeoff",
        "cut and score every corpus in a folder of the bakeoff's files, also with a lexicon of its "
        "training file alone if that is there",
        "segmenter eval bakeoff icwb2-data",
        "segmenter eval bakeoff sighan2005 --only pku,msr --decoder bigram --dry",
        run=_bakeoff,
    )
    options(
        parser,
        {
            "folder DIR": "folder with files *_test_gold.utf8",
            "--only NAMES=": "corpora, comma-separated: pku,msr",
        },
    )
    parser.add_argument(
        "--decoder",
        action="append",
        choices=LATTICE,
        metavar="NAME",
        help="decoders to score; may be repeated (default: unigram and bigram)",
    )
    options(
        parser,
        {
            "--standard |" + "|".join(STANDARDS): "the shipped lexicon to take (default: pku for "
            "the corpus pku, else general)",
            "--model PATH": "a compiled lexicon to score as well",
            "-o --output BASE=bakeoff": "writes BASE.md and BASE.json (default: bakeoff, in this "
            "folder)",
            "--dry": "print the table, write no file",
        },
    )

    parser = subcommand(
        commands,
        "score",
        "score a segmented file against the gold standard, as the bakeoff's own script does",
        "segmenter eval score gold.txt answer.txt",
        "segmenter eval score gold.txt answer.txt --words training_words.txt",
        run=_score,
    )
    options(
        parser,
        {
            "gold GOLD": "gold standard: words separated by spaces",
            "test TEST": "segmented text to score, with the same lines",
        },
    )
    parser.add_argument("--words", help="training words, one per line: adds OOV and IV recall")
    options(parser, {"--json": "counts and rates as a JSON object"})

    parser = subcommand(
        commands,
        "compare",
        "list where two segmentations of one text part, the commonest first, with examples of "
        "each and of its reverse",
        "segmenter eval compare gold.txt ours.txt",
        "segmenter eval compare gold.txt ours.txt --top 100 --examples 5",
        run=_compare,
    )
    options(
        parser,
        {
            "gold GOLD": "words separated by spaces, such as an annotator's",
            "test OURS": "the same lines, segmented by another or by `segmenter cut`",
            "--top N=20": "the N commonest disagreements",
            "--examples N=2": "examples of each",
            "--json": "one JSON object per disagreement",
        },
    )


def _bakeoff(args: argparse.Namespace) -> int:
    from segmenter.train import bakeoff

    decoders: list[Decoder] = args.decoder or ["unigram", "bigram"]
    systems = bakeoff.lattice_systems(decoders, args.standard)
    if args.model is not None:
        check_model(args)
        for decoder in decoders:
            cut = load(args.model, decoder=decoder).cut
            name = f"{os.path.basename(args.model)}, {decoder}"
            systems.insert(0, bakeoff.System(name, lambda corpus, cut=cut: cut))  # type: ignore[misc]
    results = bakeoff.run(
        bakeoff.find_corpora(args.folder, split_commas(args.only) or None),
        systems,
        report=lambda r: say("eval", f"{r.corpus}, {r.system}: F {r.score.f1:.4f}"),
    )
    print_line(bakeoff.format_results(results).rstrip("\n"))
    if not args.dry:
        about = {"version": __version__, "python": sys.version.split()[0]}
        files = bakeoff.save(results, args.output, about=about)
        say("eval", f"saved {' and '.join(files)}")
    return DONE


def _score(args: argparse.Namespace) -> int:
    from segmenter.train import scoring

    result = scoring.score_files(args.gold, args.test, args.words)
    if args.json:
        from json import dumps

        print_line(dumps(result.as_dict()))
    else:
        print_line(scoring.format_summary(result).rstrip("\n"))
    return DONE


def _compare(args: argparse.Namespace) -> int:
    from segmenter.train import comparing

    check_whole("--top", args.top, 1)
    check_whole("--examples", args.examples, 0)
    result = comparing.compare_files(args.gold, args.test, examples=args.examples)
    if args.json:
        from json import dumps

        for row in result.rows[: args.top]:
            print_line(dumps(row._asdict(), ensure_ascii=False))
    else:
        print_line(comparing.format_comparison(result, args.top).rstrip("\n"))
    return DONE
