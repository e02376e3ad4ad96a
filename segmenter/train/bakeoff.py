"""Runs the SIGHAN bakeoff on a folder: finds the corpora, cuts their gold text, scores, tabulates.

A folder of the Second International Chinese Word Segmentation Bakeoff (Emerson 2005) is taken
either whole, as unpacked from ``icwb2-data`` (``gold/``, ``testing/``, ``training/``), or flat.
For each corpus there (``pku``, ``msr``, ``as``, ``cityu`` or any other prefix):

===============================  ==================================================
``C_test_gold.utf8``             the answer (also ``C_testing_gold.utf8``); required
``C_training_words.utf8``        the training word list, for the OOV figures
``C_training.utf8``              segmented training text, for closed training
``C_test.utf8``                  the raw test text; only compared with the gold's own
===============================  ==================================================

A system is any function that cuts a line; :func:`lattice_systems` returns the lattices of this
package, with the shipped lexicons and, if there is a training file, with a lexicon of this file
alone.

The text of the gold file with its blanks removed is cut, not the raw test file: the two differ on
a few lines (16 in MSR, 1 in AS), and spans of different texts cannot be compared.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError, ResourceError
from segmenter.files.atomic import write_text
from segmenter.train import counts, scoring

if TYPE_CHECKING:
    from segmenter.choices import Decoder
    from segmenter.lexicon import Lexicon
    from segmenter.train.scoring import Score

#: A segmenter as the bakeoff sees it: a line of running text in, its words out.
Cut = Callable[[str], Sequence[str]]

_GOLD_ENDINGS = ("_test_gold.utf8", "_testing_gold.utf8")
_FOLDERS = ("", "gold", "testing", "training")
# The order of the overview paper's tables; other corpora follow by name.
_ORDER = {"as": 0, "cityu": 1, "msr": 2, "pku": 3}


class Corpus(NamedTuple):
    """The files of one corpus; None for those that the folder lacks."""

    name: str
    gold: str
    training_words: str | None
    training: str | None
    test: str | None

    def training_word_set(self) -> frozenset[str] | None:
        """The training word list: the file's, else the words of the training text, else None."""
        if self.training_words is not None:
            return scoring.read_words(self.training_words)
        if self.training is not None:
            return frozenset(count_words(self.training))
        return None

    def texts(self) -> Iterator[str]:
        """Lines of running text to cut: the gold lines without their blanks."""
        return map(scoring.join_words, scoring.read_lines(self.gold))

    def test_lines_apart(self) -> int | None:
        """Lines on which the raw test file holds another text than the gold file, or None."""
        if self.test is None:
            return None
        raw = map(scoring.join_words, scoring.read_lines(self.test))
        return sum(a != b for a, b in zip_longest(self.texts(), raw, fillvalue=""))


class System(NamedTuple):
    """One row of the table for every corpus that it can be made for.

    Attributes:
        name: what the table calls it.
        make: gives the cutting function for a corpus, or None to leave the corpus out (a system
            that trains, on a corpus without a training file).
    """

    name: str
    make: Callable[[Corpus], Cut | None]


class Result(NamedTuple):
    corpus: str
    system: str
    score: Score
    test_lines_apart: int | None


def find_corpora(
    directory: str | os.PathLike[str], only: Iterable[str] | None = None
) -> list[Corpus]:
    """The corpora that a folder holds, in the order of the bakeoff's own tables.

    Args:
        directory: a flat folder or the unpacked ``icwb2-data``.
        only: names to take; None takes all.

    Raises:
        ResourceError: no folder, no gold file in it, or a name in `only` that it does not hold;
            names the folder and the files that were looked for.
    """
    root = os.fspath(directory)
    if not os.path.isdir(root):
        raise ResourceError(f"{root}: no such folder; give the folder that holds the bakeoff files")
    files: dict[str, str] = {}
    for folder in _FOLDERS:
        folder_path = os.path.join(root, folder) if folder else root
        if os.path.isdir(folder_path):
            for name in sorted(os.listdir(folder_path)):
                files.setdefault(name, os.path.join(folder_path, name))
    corpora: dict[str, Corpus] = {}
    for name, path in files.items():
        ending = next((e for e in _GOLD_ENDINGS if name.endswith(e)), None)
        if ending is None or name == ending:
            continue
        corpus = name.removesuffix(ending)
        corpora.setdefault(
            corpus,
            Corpus(
                corpus,
                path,
                files.get(f"{corpus}_training_words.utf8"),
                files.get(f"{corpus}_training.utf8"),
                files.get(f"{corpus}_test.utf8") or files.get(f"{corpus}_testing.utf8"),
            ),
        )
    if not corpora:
        raise ResourceError(
            f"{root}: no file named *_test_gold.utf8 or *_testing_gold.utf8 in it or in its "
            "gold/; give the folder that holds the bakeoff files"
        )
    if only is not None:
        names = list(only)
        missing = [name for name in names if name not in corpora]
        if missing:
            raise ResourceError(
                f"{root}: no gold file for {', '.join(missing)}; it holds "
                f"{', '.join(sorted(corpora))}"
            )
        corpora = {name: corpora[name] for name in names}
    return sorted(corpora.values(), key=lambda c: (_ORDER.get(c.name, len(_ORDER)), c.name))


def count_words(path: str | os.PathLike[str]) -> Counter[str]:
    """Counts of the words of a segmented UTF-8 file, as they are written there.

    Raises:
        EncodingError: a line is not UTF-8; names file and line.
        OSError: the file cannot be read.
    """
    words: Counter[str] = Counter()
    for line in scoring.read_lines(path):
        words.update(scoring.split_words(line))
    return words


def train_lexicon(sentences: Iterable[Sequence[str]]) -> Lexicon:
    """A lexicon with its bigram and trigram model, from segmented text alone.

    Numbers, dates and Latin runs stand as their classes in the n-grams, as in the shipped
    lexicons; all options of the compiler are at their defaults.

    Args:
        sentences: folded words, one sentence an item (`segmenter.train.counts.read_segmented`).

    Raises:
        ArgumentError: there are no words in it.
    """
    from segmenter.lexicon import Lexicon

    texts = [list(sentence) for sentence in sentences]
    frequency = Counter(word for sentence in texts for word in sentence)
    unigrams, bigrams, trigrams = counts.count_ngrams(texts, counts.ClassMap(frequency))
    classes = {name: unigrams.pop(name) for name in counts.CLASS_TOKENS if name in unigrams}
    classes.pop(counts.SENTENCE, None)
    return Lexicon.build(
        [(word, count, "") for word, count in unigrams.items()],
        kinds=classes,
        bigrams=[(*pair, count) for pair, count in bigrams.items()],
        trigrams=[(*triple, count) for triple, count in trigrams.items()],
    )


def lattice_systems(
    decoders: Sequence[Decoder] = ("unigram", "bigram"), standard: str | None = None
) -> list[System]:
    """The package's own lattice decoders: shipped lexicon first, then closed training.

    Args:
        decoders: names for ``segmenter.load(decoder=...)``.
        standard: the shipped lexicon to take; None takes ``"pku"`` for the corpus pku and
            ``"general"`` for every other.
    """

    def shipped(decoder: Decoder) -> System:
        def make(corpus: Corpus) -> Cut | None:
            from segmenter.loading import load_by_name

            chosen = standard or ("pku" if corpus.name == "pku" else "general")
            return load_by_name("fast", standard=chosen, decoder=decoder).cut

        return System(f"{standard or 'shipped'}, {decoder}", make)

    trained: dict[str, Lexicon] = {}

    def closed(decoder: Decoder) -> System:
        def make(corpus: Corpus) -> Cut | None:
            if corpus.training is None:
                return None
            from segmenter.core import Segmenter

            if corpus.training not in trained:
                trained.clear()  # one corpus at a time: AS alone has 5 M words
                trained[corpus.training] = train_lexicon(counts.read_segmented(corpus.training))
            return Segmenter(trained[corpus.training], decoder=decoder).cut

        return System(f"training file only, {decoder}", make)

    return [*map(shipped, decoders), *map(closed, decoders)]


def run(
    corpora: Iterable[Corpus],
    systems: Sequence[System],
    *,
    report: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Cut and score every corpus with every system.

    Args:
        corpora: see :func:`find_corpora`.
        report: called with each result.

    Raises:
        ArgumentError: `systems` is empty.
        DictionaryError: a system gave back another text than it was given; names the corpus's
            gold file and the line.
        EncodingError: a file is not UTF-8.
    """
    if not systems:
        raise ArgumentError("systems: empty: give at least one system to score")
    results: list[Result] = []
    for corpus in corpora:
        words = corpus.training_word_set()
        apart = corpus.test_lines_apart()
        for system in systems:
            cut = system.make(corpus)
            if cut is None:
                continue
            result = Result(
                corpus.name,
                system.name,
                scoring.score(
                    scoring.read_lines(corpus.gold),
                    map(cut, corpus.texts()),
                    words,
                    gold_name=corpus.gold,
                    test_name=f"{system.name} on {corpus.name}",
                ),
                apart,
            )
            results.append(result)
            if report is not None:
                report(result)
    return results


def format_results(results: Sequence[Result]) -> str:
    """The results as a Markdown table, and below it the lines that the raw test files differ on."""
    text = scoring.format_table(
        (((r.corpus, r.system), r.score) for r in results), header=("corpus", "system")
    )
    apart = {r.corpus: r.test_lines_apart for r in results if r.test_lines_apart}
    if apart:
        listed = ", ".join(f"{count} in {name}" for name, count in apart.items())
        text += (
            "\nThe text of the gold files with its blanks removed was cut; the raw test files "
            f"differ from it on a few lines ({listed}).\n"
        )
    return text


def save(
    results: Sequence[Result],
    path: str | os.PathLike[str],
    *,
    heading: str = "# Bakeoff\n",
    about: Mapping[str, object] | None = None,
) -> tuple[str, str]:
    """Write the table to ``PATH.md`` and the unrounded figures to ``PATH.json``.

    Args:
        path: file name without its ending; an ending ``.md`` or ``.json`` is dropped.
        heading: Markdown above the table.
        about: further facts (commit, machine, options) for the JSON file.

    Returns:
        The two file names.
    """
    base = os.fspath(path)
    for ending in (".md", ".json"):
        base = base.removesuffix(ending)
    write_text(base + ".md", [heading.rstrip("\n"), "\n\n", format_results(results)])
    rows = [
        {
            "corpus": r.corpus,
            "system": r.system,
            **r.score.as_dict(),
            "test_lines_apart": r.test_lines_apart,
        }
        for r in results
    ]
    report = {**(about or {}), "results": rows}
    write_text(base + ".json", [json.dumps(report, ensure_ascii=False, indent=1), "\n"])
    return base + ".md", base + ".json"
