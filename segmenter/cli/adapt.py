"""``segmenter adapt``: a finished tagger, trained further."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.messages import say_made
from segmenter.cli.options import SHIPPED, text_options
from segmenter.cli.parsers import set_examples, suggest

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    set_examples(
        parser,
        "segmenter adapt general-fast --train mine.txt --out mine.model",
        "segmenter adapt old.model --train mine.txt --dev held.txt --pull 0.2 --out mine.model",
    )
    parser.set_defaults(run=run)
    model = parser.add_argument(
        "model",
        metavar="MODEL",
        help="a compiled perceptron or CRF, its text form, or the name of a shipped one",
    )
    suggest(model, SHIPPED)
    text_options(parser)
    parser.add_argument("--out", required=True, metavar="FILE", help="the compiled model to write")
    parser.add_argument("--epochs", type=int, default=10, metavar="N", help="passes (default 10)")
    parser.add_argument(
        "--rate",
        type=float,
        default=0.1,
        metavar="X",
        help="step size of the first pass (default 0.1)",
    )
    parser.add_argument(
        "--pull",
        type=float,
        default=0.1,
        metavar="X",
        help="fraction by which weights return to the model's after each pass, 0 to 1 (default "
        "0.1): a higher value learns less and forgets less",
    )


def run(given: argparse.Namespace) -> int:
    from segmenter import train

    made = train.adapt_tagger(
        given.model,
        given.train,
        given.dev,
        out=given.out,
        epochs=given.epochs,
        rate=given.rate,
        pull=given.pull,
        seed=given.seed,
        errors=given.errors,
        progress=False if given.quiet else None,
        command=given.line,
    )
    return say_made("adapt", made, given.errors)
