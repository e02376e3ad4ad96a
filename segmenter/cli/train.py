"""``segmenter train``: taggers from segmented text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.messages import say, say_made
from segmenter.cli.options import text_arguments, text_options
from segmenter.cli.parsers import options, set_up, subcommand

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter train perceptron --train train.txt --dev dev.txt --out mine",
        "segmenter train crf --train a.txt b.txt --dev dev.txt --lexicon words.txt --out mine",
        "segmenter cut --model mine/own.model in.txt",
        "segmenter train pos --train tagged.txt --out pos.model",
    )
    what = parser.add_subparsers(dest="what", metavar="ALGORITHM", required=True)
    for algorithm, summary in (
        ("perceptron", "train an averaged perceptron: fast, and nearly as good as a CRF"),
        ("crf", "train a linear-chain CRF"),
        ("hmm", "count a hidden Markov model: small, and far less accurate"),
    ):
        parser = subcommand(
            what,
            algorithm,
            summary,
            f"segmenter train {algorithm} --train train.txt --dev dev.txt --out mine",
            run=_train,
        )
        text_options(parser)
        options(
            parser,
            {
                "--out DIR!": "folder to write: NAME.txt (text form), NAME.model (compiled) and "
                "CARD.md",
                "--standard NAME=own": "a name for what a word is in this text, and for the files "
                "(default own)",
            },
        )
        if algorithm == "hmm":
            continue
        last = {
            "perceptron": {
                "--patience N=4": "stop after N epochs without improvement on the dev text",
            },
            "crf": {
                "--trainer own|crfsuite": "own (default), or sklearn-crfsuite, whose --epochs "
                "are iterations (100)",
            },
        }
        options(
            parser,
            {
                "--lexicon FILE+": "one or two word lists, each with its own features",
                "--epochs N=0": "passes (default: 20, crf 15)",
                **last[algorithm],
            },
        )
    parser = subcommand(
        what,
        "pos",
        "train a part-of-speech tagger on text of the form word/tag word/tag",
        "segmenter train pos --train tagged.txt --lexicon words.txt --out pos.model",
        run=_train_pos,
    )
    options(
        parser,
        {
            "--train FILE+!": "tagged text",
            "--lexicon FILE": "a word list with tags",
            "--out FILE!": "the model to write",
            "--seed N=1": "of the order of sentences",
        },
    )
    parser = subcommand(
        what,
        "bilstm",
        "train a CRF, and a BiLSTM-CRF that adds its scores: the most accurate; needs torch",
        "segmenter train bilstm --train train.txt --dev dev.txt --out mine",
        run=_train_network,
    )
    text_options(parser)
    options(
        parser,
        {
            "--out DIR!": "folder to write: the files of crf, NAME.npz (parameters), "
            "NAME-bilstm.model",
            "--standard NAME=own": "as for crf",
            "--lexicon FILE+": "one or two word lists",
            "--hidden N=128": "units of the LSTM in each direction",
            "--epochs N=8": "passes at most",
            "--patience N=3": "stop after N passes without improvement on the dev text",
            "--threads N=1": "threads of torch",
        },
    )


def _train_network(given: argparse.Namespace) -> int:
    from segmenter.train.network import train_network

    more = ("lexicon", "hidden", "epochs", "patience", "threads")
    made = train_network(
        given.train,
        standard=given.standard,
        say=None if given.quiet else lambda line: say("train", line),
        **text_arguments(given),
        **{name: getattr(given, name) for name in more},
    )
    return say_made("train", made, given.errors)


def _train_pos(given: argparse.Namespace) -> int:
    from segmenter.cli.exits import DONE
    from segmenter.cli.messages import say
    from segmenter.cli.streams import keep_inputs
    from segmenter.train.pos import train_files

    keep_inputs(given.out, [*given.train, *filter(None, (given.lexicon,))], "--out")
    made = train_files(given.train, given.out, lexicon=given.lexicon, seed=given.seed)
    head = made.meta
    say("train", f"{given.out}: {head['words']:,} words, {len(head['tags'])} tags")
    return DONE


def _train(given: argparse.Namespace) -> int:
    from segmenter import train

    more = ("lexicon", "epochs", "trainer", "patience")
    made = train.train_tagger(
        given.what,
        given.train,
        standard=given.standard,
        progress=False if given.quiet else None,
        **text_arguments(given),
        **{name: getattr(given, name) for name in more if hasattr(given, name)},
    )
    return say_made("train", made, given.errors)
