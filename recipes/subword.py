"""Trains the shipped subword vocabularies on the words of the national corpus.

The trainers are in :mod:`segmenter.subword.training`; this module has the corpus, the options
that were chosen on its held-out lines, and the cards.  The corpus is read with width and case
folded, so the learnt pieces lack the blank, capitals and most ASCII punctuation: these characters
are appended after the last id, and the learnt pieces keep their ids, merges and scores.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from recipes.national import read_national
from segmenter.subword import BPE, Tokenizer, Unigram, patterns, pretokenise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from segmenter.subword import Model

#: Learnt; what is missing of :data:`ASCII` comes on top.
VOCAB_SIZE = 8000
#: Characters a token on the held-out lines, of BPE: 1.271 at 0.99, 1.279 at 0.995, 1.275 at 0.998.
COVERAGE = 0.995
#: Characters that every shipped vocabulary has pieces for, whatever the corpus holds.
ASCII = " " + string.digits + string.ascii_letters + string.punctuation


def train(name: str, corpus: Path) -> Tokenizer:
    """The vocabulary ``name`` of :data:`~segmenter.subword.SHIPPED`.

    Words are the spans of the training, so no piece reaches over the end of a word; in the file
    stands a pre-tokeniser that needs no lexicon.
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

    They stand behind the last id.  BPE merges none of them; in a unigram model each has the score
    of the rarest piece, so an unknown character costs what it did.  Text without them has the
    pieces that it had.

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
    """Characters of the sentences, joined, a token."""
    texts = ["".join(words) for words in sentences]
    return sum(map(len, texts)) / sum(len(tokenizer.encode(text)) for text in texts)
