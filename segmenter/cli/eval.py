"""``segmenter eval``: the SIGHAN bakeoff's score."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from segmenter._version import __version__
from segmenter.choices import LATTICE, STANDARDS
from segmenter.cli.exits import DONE
from segmenter.cli.messages import print_line, say
from segmenter.cli.parsers import set_examples, subcommand
from segmenter.loading import load

if TYPE_CHECKING:
    import argparse

    from segmenter.choices import Decoder


def configure(parser: argparse.ArgumentParser) -> None:
    set_examples(
        parser,
        "segmenter eval bakeoff icwb2-data",
        "segmenter eval score gold.txt answer.txt --words training_words.txt",
    )
    what = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    parser = subcommand(
        what,
        "bakeoff",
        "cut and score every corpus in a folder of the bakeoff's files, also with a lexicon of its "
        "training file alone if that is there",
        "segmenter eval bakeoff icwb2-data",
        "segmenter eval bakeoff sighan2005 --only pku,msr --decoder bigram --dry",
        run=_bakeoff,
    )
    parser.add_argument("folder", metavar="DIR", help="folder with files *_test_gold.utf8")
    parser.add_argument(
        "--only", default="", metavar="NAMES", help="corpora, comma-separated: pku,msr"
    )
    parser.add_argument(
        "--decoder",
        action="append",
        choices=LATTICE,
        metavar="NAME",
        help="decoders to score; may be repeated (default: unigram and bigram)",
    )
    parser.add_argument(
        "--standard",
        choices=STANDARDS,
        help="the shipped lexicon to take (default: pku for the corpus pku, else general)",
    )
    parser.add_argument("--model", metavar="PATH", help="a compiled lexicon to score as well")
    parser.add_argument(
        "-o",
        "--output",
        default="bakeoff",
        metavar="BASE",
        help="writes BASE.md and BASE.json (default: bakeoff, in this folder)",
    )
    parser.add_argument("--dry", action="store_true", help="print the table, write no file")

    parser = subcommand(
        what,
        "score",
        "score a segmented file against the gold standard, as the bakeoff's own script does",
        "segmenter eval score gold.txt answer.txt",
        "segmenter eval score gold.txt answer.txt --words training_words.txt",
        run=_score,
    )
    parser.add_argument("gold", metavar="GOLD", help="gold standard: words separated by spaces")
    parser.add_argument("test", metavar="TEST", help="segmented text to score, with the same lines")
    parser.add_argument("--words", help="training words, one per line: adds OOV and IV recall")
    parser.add_argument("--json", action="store_true", help="counts and rates as a JSON object")


def _bakeoff(given: argparse.Namespace) -> int:
    from segmenter.train import bakeoff

    decoders: list[Decoder] = given.decoder or ["unigram", "bigram"]
    systems = bakeoff.lattice_systems(decoders, given.standard)
    if given.model is not None:
        if not os.path.exists(given.model):
            raise FileNotFoundError(2, "no such lexicon or model", given.model)
        for decoder in decoders:
            cut = load(given.model, decoder=decoder).cut
            name = f"{os.path.basename(given.model)}, {decoder}"
            systems.insert(0, bakeoff.System(name, lambda corpus, cut=cut: cut))  # type: ignore[misc]
    only = [name.strip() for name in given.only.split(",") if name.strip()] or None
    results = bakeoff.run(
        given.folder,
        systems,
        only=only,
        report=lambda r: say("eval", f"{r.corpus}, {r.system}: F {r.score.f1:.4f}"),
    )
    print_line(bakeoff.format_results(results).rstrip("\n"))
    if not given.dry:
        about = {"version": __version__, "python": sys.version.split()[0]}
        files = bakeoff.save(results, given.output, about=about)
        say("eval", f"saved {' and '.join(files)}")
    return DONE


def _score(given: argparse.Namespace) -> int:
    from segmenter.train import scoring

    result = scoring.score_files(given.gold, given.test, given.words)
    if given.json:
        from json import dumps

        print_line(dumps(result.as_dict()))
    else:
        print_line(scoring.format_summary(result).rstrip("\n"))
    return DONE
