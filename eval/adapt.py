"""What `segmenter adapt` gains on text of another field and convention, and what it forgets.

The field: lines of the national corpus that no lexicon and no model has seen (every 50th).  Beside
it the dev text of the convention that the model was trained for.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from eval import common
from recipes.national import read_national
from segmenter import artifact
from segmenter.files import resources
from segmenter.train import tagger
from segmenter.train.adapt import AdaptOptions, adapt
from segmenter.train.corpus import read_corpus
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.decompile import decompile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from segmenter.train.tagging import model as form

    Text = Sequence[Sequence[str]]

SIZES = (100, 300, 1000)  # sentences to adapt to, from the head of the held-out lines
PULLS = (0.0, 0.05, 0.2)  # besides the default, at the middle size
TEST = slice(1500, None)  # defaults were chosen on the 500 before
#: The models, and the text of their own convention: a folder of the corpora.
MODELS = {"pku-fast": "pku", "general-fast": "pfr"}


class Row(NamedTuple):
    """F1 on the new field's held-out sentences and on the old convention's dev text."""

    model: str
    how: str
    sentences: int
    new: float
    old: float
    seconds: float


def measure(name: str, field: Text, old: Text) -> list[Row]:
    """The model as it is, adapted, and for comparison one trained on the new sentences alone."""
    test = field[TEST]
    rows: list[Row] = []

    def score(how: str, sentences: int, sections: Mapping[str, bytes], seconds: float) -> None:
        f1 = [tagger.f1_of_model(sections, text) for text in (test, old)]
        rows.append(Row(name, how, sentences, f1[0], f1[1], seconds))
        print(rows[-1], flush=True)

    shipped = artifact.open(resources.find(f"{name}.model"))
    score("as shipped", 0, {n: bytes(shipped.section(n)) for n in shipped.names()}, 0.0)
    base = decompile(shipped)
    plans = [(size, AdaptOptions()) for size in SIZES]
    plans += [(SIZES[1], AdaptOptions(pull=pull)) for pull in PULLS]
    for size, options in plans:
        started = time.perf_counter()
        got = adapt(base, field[:size], None, options)
        sections = compiled(got.model)
        score(f"adapted, pull {options.pull}", size, sections, time.perf_counter() - started)
    for size in SIZES:
        started = time.perf_counter()
        alone = tagger.train(field[:size], None, (), tagger.TaggerOptions("perceptron"))
        sections = compiled(alone.model)
        score("trained on these alone", size, sections, time.perf_counter() - started)
    return rows


def compiled(model: form.LinearModel) -> dict[str, bytes]:
    """The sections of the compiled form."""
    sections, _ = compile_model(model)
    return sections


def parts(rows: Sequence[Row]) -> list[str]:
    """The report."""
    cells = [
        (
            r.model,
            r.how,
            r.sentences or "",
            f"{r.new:.4f}",
            f"{r.old:.4f}",
            f"{r.seconds:.1f}" if r.seconds else "",
        )
        for r in rows
    ]
    header = ("model", "how", "sentences", "F1, new field", "F1, old dev text", "seconds")
    return [
        "New field: the national corpus's lines that nothing was counted or trained on (every",
        "50th, cleaned as `dicts/` cleans it), in order: the first 100, 300 or 1,000 sentences",
        "to adapt to, 500 on which the defaults were chosen, the last 2,700 for the figures.",
        "That corpus also has another convention than the People's Daily (names, numbers,",
        "verbs with their complements), so much of the gain and much of the loss is convention",
        "and not vocabulary. Old dev text: `pku/dev.txt` for pku-fast, `pfr/dev.txt` (names",
        "split, so below what the model is made for) for general-fast. Ten passes, the last",
        "one taken; F1 of the compiled model, width folded.",
        "",
        common.table(header, cells, left=2),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    given = common.arguments("adapt", "Adaptation to another field.").parse_args(arguments)
    folder = common.data_dir(given.data)
    field = list(read_national(folder / "national" / "segmented.txt", "dev"))
    rows: list[Row] = []
    for name, convention in MODELS.items():
        rows += measure(name, field, read_corpus([folder / convention / "dev.txt"]).sentences)
    common.publish(
        "adapt",
        "Adaptation to another field",
        common.facts(),
        parts(rows),
        {"rows": [r._asdict() for r in rows]},
        dry=given.dry,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
