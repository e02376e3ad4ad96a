"""``segmenter adapt``: trains a finished tagger further."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.messages import say_trained
from segmenter.cli.options import text_arguments, text_options
from segmenter.cli.parsers import options, set_up

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter adapt general-fast --train mine.txt --out mine.model",
        "segmenter adapt old.model --train mine.txt --dev held.txt --pull 0.2 --out mine.model",
        run=run,
    )
    model = {
        "model MODEL": "a compiled perceptron or CRF, its text form, or the name of a shipped one"
    }
    options(parser, model)
    text_options(parser)
    options(
        parser,
        {
            "--out FILE!": "the compiled model to write",
            "--epochs N=10": "passes",
            "--rate X=0.1": "step size of the first pass",
            "--pull X=0.1": "fraction by which weights return to the model's after each pass, 0 "
            "to 1 (default 0.1): a higher value learns less and forgets less",
        },
    )


def run(args: argparse.Namespace) -> int:
    from segmenter import train

    trained = train.adapt_tagger(
        args.model,
        args.train,
        epochs=args.epochs,
        rate=args.rate,
        pull=args.pull,
        progress=False if args.quiet else None,
        **text_arguments(args),
    )
    return say_trained("adapt", trained, args.errors)
