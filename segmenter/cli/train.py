"""``segmenter train``: taggers from segmented text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.messages import say, say_trained
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
    commands = parser.add_subparsers(dest="subcommand", metavar="ALGORITHM", required=True)
    for algorithm, summary in (
        ("perceptron", "train an averaged perceptron: fast, and nearly as good as a CRF"),
        ("crf", "train a linear-chain CRF"),
        ("hmm", "count a hidden Markov model: small, and far less accurate"),
    ):
        parser = subcommand(
            commands,
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
        extra = {
            "perceptron": {
                "--patience N=4": "stop after N epochs without improvement on the dev text"
            },
            "crf": {
                "--trainer own|crfsuite": "own (default), or sklearn-crfsuite, whose --epochs "
                "are iterations (100)"
            },
        }
        options(
            parser,
            {
                "--lexicon FILE+": "one or two word lists, each with its own features",
                "--epochs N=0": "passes (default: 20, crf 15)",
                **extra[algorithm],
            },
        )
    parser = subcommand(
        commands,
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
        commands,
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


def _train_network(args: argparse.Namespace) -> int:
    from segmenter.train.network import train_network

    names = ("lexicon", "hidden", "epochs", "patience", "threads")
    trained = train_network(
        args.train,
        standard=args.standard,
        say=None if args.quiet else lambda line: say("train", line),
        **text_arguments(args),
        **{name: getattr(args, name) for name in names},
    )
    return say_trained("train", trained, args.errors)


def _train_pos(args: argparse.Namespace) -> int:
    from segmenter.cli.exits import DONE
    from segmenter.cli.messages import say
    from segmenter.cli.streams import check_output
    from segmenter.train.pos import train_files

    check_output(args.out, [*args.train, *filter(None, (args.lexicon,))], "--out")
    tagger = train_files(args.train, args.out, lexicon=args.lexicon, seed=args.seed)
    meta = tagger.meta
    say("train", f"{args.out}: {meta['words']:,} words, {len(meta['tags'])} tags")
    return DONE


def _train(args: argparse.Namespace) -> int:
    from segmenter import train

    names = ("lexicon", "epochs", "trainer", "patience")
    trained = train.train_tagger(
        args.subcommand,
        args.train,
        standard=args.standard,
        progress=False if args.quiet else None,
        **text_arguments(args),
        **{name: getattr(args, name) for name in names if hasattr(args, name)},
    )
    return say_trained("train", trained, args.errors)
