"""``python -m eval.bakeoff``: the SIGHAN 2005 test sets, by decoder, standard and lexicon.

The scorer and the run over a folder are :mod:`segmenter.train`'s; here stand the rows of the
project's own report: the shipped lexicon of either standard under every decoder, lexicons of the
training words alone, and the development text that every choice was made on.  Results:
``eval/results/bakeoff.md`` and ``.json``.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from eval import common
from segmenter.choices import LATTICE
from segmenter.core import Segmenter
from segmenter.lexicon import Lexicon
from segmenter.loading import load, load_by_name
from segmenter.train import bakeoff, counts, scoring
from segmenter.train.bakeoff import Corpus, Cut, System

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segmenter.choices import Decoder


DEV = "pku dev"


#: The standard of ``accurate`` that is nearest to each of the other three test sets.
NEAREST = {"msr": "msr", "as": "as", "cityu": "ctb"}


def shipped(standard: str, decoder: Decoder, corpora: Sequence[str]) -> System:
    """The shipped lexicon of a standard under a decoder, on the corpora named."""

    def make(corpus: Corpus) -> Cut | None:
        if corpus.name not in corpora:
            return None
        return load_by_name(standard=standard, decoder=decoder).cut

    return System(f"standard {standard}, {decoder}", make)


def preset(name: str, standard: str, corpora: Sequence[str]) -> System:
    """A preset as it is shipped."""

    def make(corpus: Corpus) -> Cut | None:
        if corpus.name not in corpora:
            return None
        return load_by_name(name, standard=standard).cut

    return System(f"preset {name}, standard {standard}", make)


def closed(folder: Path) -> list[System]:
    """Taggers of the closed track in ``folder`` (``pku-closed-<algorithm>.model``); not shipped."""

    def system(path: Path) -> System:
        def make(corpus: Corpus) -> Cut | None:
            return load(path).cut if corpus.name in ("pku", DEV) else None

        return System(f"closed track, {path.stem.removeprefix('pku-closed-')}", make)

    return [system(path) for path in sorted(folder.glob("pku-closed-*.model"))]


def trained(name: str, decoders: Sequence[Decoder], *files: Path) -> list[System]:
    """A lexicon of the words and n-grams of some files alone, on PKU and its dev text."""
    lexicons: list[Lexicon] = []

    def system(decoder: Decoder) -> System:
        def make(corpus: Corpus) -> Cut | None:
            if corpus.name not in ("pku", DEV):
                return None
            if not lexicons:
                lexicons.append(
                    bakeoff.train_lexicon(chain.from_iterable(map(counts.read_segmented, files)))
                )
            return Segmenter(lexicons[0], decoder=decoder).cut

        return System(f"{name}, {decoder}", make)

    return [system(decoder) for decoder in decoders]


def from_frequencies(corpus_name: str, file: Path, decoder: Decoder) -> System:
    """A unigram lexicon of the word counts of a bakeoff training set (``word TAB count``)."""

    def make(corpus: Corpus) -> Cut | None:
        if corpus.name != corpus_name:
            return None
        words: list[tuple[str, float, str]] = []
        classes: Counter[str] = Counter()
        token = counts.ClassMap({})
        for line in scoring.read_lines(file):
            word, count = line.split("\t")
            if counts.has_digit(word) or token(word) == counts.WESTERN:
                classes[token(word)] += int(count)
            else:
                words.append((word, int(count), ""))
        known_classes = {k: v for k, v in classes.items() if k in counts.CLASS_TOKENS}
        return Segmenter(Lexicon.build(words, kinds=known_classes), decoder=decoder).cut

    return System(f"{corpus_name} training counts, {decoder}", make)


def corpora(data: Path) -> list[Corpus]:
    """The bakeoff's four test sets, and the development text with PKU's word list."""
    folder = data / "sighan2005"
    words = str(folder / "pku_training_words.utf8")
    dev = Corpus(DEV, str(data / "pku" / "dev.txt"), words, None, None)
    return [*bakeoff.find_corpora(folder), dev]


def main(arguments: Sequence[str] | None = None) -> int:
    """Score, print and save."""
    parser = common.arguments("bakeoff", "The SIGHAN 2005 test sets.")
    parser.add_argument(
        "--closed", type=Path, help="folder of closed-track taggers, see models/README.md"
    )
    args = parser.parse_args(arguments)
    data = common.data_dir(args.data)
    everything = corpora(data)
    names = [corpus.name for corpus in everything]
    presets = common.presets()
    january, february = data / "pku" / "train_jan.txt", data / "pku" / "train_feb.txt"
    systems = [
        *(shipped("pku", decoder, ("pku", DEV)) for decoder in LATTICE),
        *(preset(name, "pku", ("pku", DEV)) for name in presets),
        shipped("pku", "hmm", ("pku", DEV)),
        *(closed(args.closed) if args.closed else ()),
        *(preset(name, "general", names) for name in presets),
        *(preset("accurate", standard, (name,)) for name, standard in NEAREST.items()),
        *(shipped("general", decoder, names) for decoder in ("unigram", "bigram")),
        *trained("training words only", LATTICE, january),
        *trained("training words of two months", ("unigram", "bigram"), january, february),
        from_frequencies("msr", data / "sighan2005" / "msr_training_freq.tsv", "unigram"),
    ]
    results = bakeoff.run(
        everything,
        systems,
        report=lambda r: print(f"{r.corpus:8} {r.system:40} {r.score.f1:.4f}", flush=True),
    )
    rows = [{"corpus": r.corpus, "system": r.system, **r.score.as_dict()} for r in results]
    common.publish(
        "bakeoff",
        "Accuracy on SIGHAN 2005",
        common.facts(),
        [
            "The gold text with its blanks removed is cut; OOV is determined by the bakeoff's word "
            f"lists. All choices were made on `{DEV}`, none on the other texts. "
            "AS and CityU are Traditional Chinese.\n",
            bakeoff.format_results(results),
        ],
        {"results": rows},
        dry=args.dry,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
