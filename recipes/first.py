"""The stages up to the linear tagger that ``best`` corrects; none needs torch.

The tagger is trained on the newspaper, on partial labels from the gold of other conventions
(:func:`recipes.partial.project`), on sentences with annotated entities, and on the written
sentences.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recipes import entities, general_text, linear, partial
from recipes.work import half_of, script
from segmenter.train.corpus import folded
from segmenter.train.partial import Partly

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recipes.work import Work

#: Of the newspaper's tagger, which folds text and projects gold: one run.
NEWSPAPER = replace(linear.SHIPPED["balanced"], runs=1)
#: Of the first tagger and of the halves.
FIRST = replace(linear.TAUGHT["balanced"], runs=1, epochs=8, decay=6e-6)


def tables(work: Work) -> None:
    """Words and counts of the corpora and lists."""
    script("build.py", "--shared", work.shared, "--out", work.folder / "dicts")


def lexicons(work: Work) -> None:
    """The lattices without text of today."""
    folder = work.folder / "lexicons"
    folder.mkdir(exist_ok=True)
    script("compile.py", "--tables", work.folder / "dicts", "--out", folder, "general")


def text(work: Work) -> None:
    """The newspaper by the standard ``general``."""
    general_text.write(work.shared, work.general)


def newspaper(work: Work) -> None:
    """A tagger of the newspaper alone."""
    work.compile("newspaper", linear.teach("balanced", work.materials, NEWSPAPER))


def evidence(work: Work) -> None:
    """Gold of other conventions, projected, and entities: partly labelled, folded sentences.

    Sentences in which the tagger or the lattice crosses an entity stand there twice.
    """
    cut, lattice = work.tagger("newspaper").cut, work.lattice().cut
    own_words = partial.OwnWords(work.materials.terms, work.fold)

    def rows() -> Iterator[tuple[str, Partly]]:
        for name in partial.GOLD:
            for row in partial.project(work.gold(name), cut, work.fold):
                yield name, own_words.joined(row, leave_open=True)
        for marked in entities.read(work.shared / "ner"):
            parts, crossed = entities.partly(marked, [cut, lattice])
            for part in parts:
                row = Partly(folded(part.words, work.fold), part.unsure)
                yield from [("entities", row)] * (2 if crossed else 1)

    work.save("evidence", rows())


def ctb(work: Work) -> None:
    """A tagger of the Chinese Treebank: it parts measure words for the standard ``as``."""
    gold = [folded(words, work.fold) for words in work.gold("ctb")]
    materials = work.materials._replace(sentences=gold)
    work.compile("ctb", linear.teach("balanced", materials, NEWSPAPER))


def first(work: Work) -> None:
    """The linear tagger that the network corrects."""
    _teach(work, "first", None)


def halves(work: Work) -> None:
    """Two taggers of half the text each, which score the other half for the network."""
    for half in range(2):
        _teach(work, f"half-{half}", half)


def _teach(work: Work, name: str, half: int | None) -> None:
    def is_chosen(text: str) -> bool:
        return half is None or half_of(text) == half

    by_source: dict[str, list[Partly]] = {}
    for source, row in work.saved("evidence"):
        by_source.setdefault(source, [])
        if is_chosen(row.text):
            by_source[source].append(row)
    written = [row for row in partial.read_written(work.fold) if is_chosen(row.text)]
    newspaper = [words for words in work.materials.sentences if is_chosen("".join(words))]
    texts = [*by_source.values(), *[written] * linear.TIMES]
    materials = work.materials._replace(sentences=newspaper)
    work.compile(name, linear.teach("balanced", materials, FIRST, texts))
