"""The stage that counts the national corpus: document frequencies and subword vocabularies.

The corpus does not mark its documents, but neighbouring lines come from the same text: a document
of ``models/idf.lex`` is :data:`LINES` lines in a row, without their own blanks and cut by
``balanced``, as in keyword extraction.

The subword vocabularies are trained on the words of the corpus, whose width and case are folded.
So the learnt pieces lack the blank, capitals and most ASCII punctuation: these characters are
appended after the last id, and the learnt pieces keep their ids, merges and scores.
"""

from __future__ import annotations

import string
from itertools import chain, islice
from typing import TYPE_CHECKING

from recipes.national import read_national
from recipes.work import ROOT
from segmenter.files.reading import read_lines
from segmenter.keywords import Idf
from segmenter.loading import load_by_name
from segmenter.subword import BPE, SHIPPED, Tokenizer, Unigram, patterns, pretokenise
from segmenter.train.counts import has_digit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from recipes.work import Work
    from segmenter.subword import Model

LINES = 20  # of a document: about 570 words, the length of a short article
LEAST = 3  # documents of a listed word
VOCAB_SIZE = 8000  # learnt pieces
#: Characters a token on the held-out lines, of BPE: 1.271 at 0.99, 1.279 at 0.995, 1.275 at 0.998.
COVERAGE = 0.995
#: Characters that every shipped vocabulary has pieces for.
ASCII = " " + string.digits + string.ascii_letters + string.punctuation


def counts(work: Work) -> None:
    """``idf.lex`` and the ``subword-*.model``."""
    corpus = work.shared / "national" / "segmented.txt"
    cut = load_by_name(str(work.models / "general-balanced.model")).cut
    lists = read_lines(ROOT / "dicts" / "stop_words.txt")
    stop_words = {w for _, line in lists if not line.startswith("#") for w in line.split()}
    idf = Idf.count(documents(corpus, cut), least=LEAST, stop_words=stop_words, name="idf.lex")
    idf.save(work.models / "idf.lex")
    for name, file in SHIPPED.items():
        train_subword(name, corpus).save(work.models / file)


def documents(corpus: Path, cut: Callable[[str], list[str]]) -> Iterator[list[str]]:
    """The words of each document of the national corpus."""
    sentences = read_national(corpus)
    while lines := list(islice(sentences, LINES)):
        words = chain.from_iterable(cut("".join(line)) for line in lines)
        yield [word for word in words if not has_digit(word)]


def train_subword(name: str, corpus: Path) -> Tokenizer:
    """The vocabulary ``name`` of :data:`~segmenter.subword.SHIPPED`.

    Words are the spans of the training, so no piece reaches over the end of a word; the
    pre-tokeniser of the file needs no lexicon.
    """
    trained = Tokenizer.train_from_iterator(
        (" ".join(words) for words in read_national(corpus)),
        model="bpe" if name == "bpe" else "unigram",
        vocab_size=VOCAB_SIZE,
        coverage=COVERAGE,
        pretokeniser=pretokenise.WhitespaceSplit(),
    )
    model, appended = with_ascii(trained.model)
    split = pretokenise.Split(patterns.GPT2)
    return Tokenizer(model, pretokeniser=split, meta={**trained.meta, "appended": appended})


def with_ascii(model: Model) -> tuple[Model, str]:
    """The model with pieces for all of :data:`ASCII`, and the characters that it lacked.

    BPE merges none of them; in a unigram model each has the score of the rarest piece, so an
    unknown character costs what it did.  Text without them has the pieces that it had.

    Raises:
        TypeError: a model of another kind.
    """
    missing = "".join(c for c in ASCII if model.id_of(c) is None)
    if isinstance(model, BPE):
        vocab = {**model.vocab, **{c: model.size + i for i, c in enumerate(missing)}}
        return BPE(vocab, model.merges, byte_fallback=model.byte_fallback), missing
    if isinstance(model, Unigram):
        learnt = list(zip(model.vocab, model.scores, strict=True))
        rows = [*learnt, *((c, min(model.scores)) for c in missing)]
        return Unigram(rows, model.unk_id, model.byte_fallback), missing
    raise TypeError(f"model: expected BPE or Unigram, got {type(model).__name__}")


def characters_a_token(tokenizer: Tokenizer, sentences: Sequence[Sequence[str]]) -> float:
    """The mean length of a token in the sentences."""
    texts = ["".join(words) for words in sentences]
    return sum(map(len, texts)) / sum(len(tokenizer.encode(text)) for text in texts)
