"""Words that cross the edges of annotated entities, and counts that believe in them less.

The edges of an entity are word boundaries for nearly every reader (``shared/data/ner``).  A word
that a lattice reads across them again and again has a count that is too high in such text: 腹痛 in
上腹痛, 镇上 in 城关镇上街村, 路南 in 解放路南侧.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import compile as lexicons  # of this folder
from writing import write_standard

import segmenter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from build import Built

    from recipes.entities import Marked
    from segmenter.choices import Decoder
    from segmenter.lexicon import Lexicon

# Chosen on the dev files, see README.md.
SHARE = 0.025  # of its known occurrences in which a word crosses an edge
BELIEVED = 0.3  # what is left of the count of such a word after a round
ROUNDS = 8  # without these words, the lattices read others
LEAST = 0.01  # of a count


def crossing_words(
    lexicon: Lexicon, sentences: Sequence[Marked], counts: Mapping[str, float]
) -> set[str]:
    """The words that cross edges in too many of the places where they are known.

    Args:
        lexicon: read by its unigram and its bigram lattice.
        sentences: with annotated entities.
        counts: occurrences of the words in other text.
    """
    crossing, read = Counter[str](), Counter[str]()
    texts = [sentence.text for sentence in sentences]
    decoders: tuple[Decoder, ...] = ("unigram", "bigram")
    for decoder in decoders:
        cut = segmenter.Segmenter(lexicon, decoder=decoder).cut_batch
        for sentence, words in zip(sentences, cut(texts), strict=True):
            read.update(words)
            crossing.update(crossed(words, sentence.spans))
    return {
        word
        for word, times in crossing.items()
        if times >= SHARE * (read[word] + len(decoders) * counts.get(word, 0.0))
    }


def crossed(words: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[str]:
    """The words that lie partly inside an entity and partly outside.

    >>> crossed(["买", "港风", "帆布鞋"], [(1, 2), (2, 6)]), crossed(["买", "港", "风"], [(1, 3)])
    (['港风'], [])
    """
    found, start = [], 0
    for word in words:
        end = start + len(word)
        if any(start < a < end < b or a < start < b < end for a, b in spans):
            found.append(word)
        start = end
    return found


def lower(built: Built, words: AbstractSet[str]) -> None:
    """Lowers the counts of words, and of the pairs and triples that they are part of."""
    for source, rows in built.words.items():
        built.words[source] = [
            (word, max(count * BELIEVED, LEAST) if word in words else count, tag)
            for word, count, tag in rows
        ]
    tables: tuple[tuple[dict[Any, float], float], ...] = (
        (built.pairs, min(built.pairs.values(), default=0.0)),
        (built.triples, min(built.triples.values(), default=0.0)),
    )
    for table, least in tables:
        for ngram in [ngram for ngram in table if not words.isdisjoint(ngram)]:
            count = table.pop(ngram) * BELIEVED
            if count >= least:
                table[ngram] = count


def doubt_crossing(built: Built, standard: str, sentences: Sequence[Marked]) -> None:
    """Lowers what crosses entities, in :data:`ROUNDS` rounds.

    Args:
        built: the counts of a standard; changed.
        standard: its name.
        sentences: with annotated entities.
    """
    counts = {word: count for rows in built.words.values() for word, count, _ in rows}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            write_standard(Path(folder) / standard, built)
            lexicon = lexicons.compile_standard(standard, Path(folder))
        lower(built, crossing_words(lexicon, sentences, counts))
