"""The recipe of the shipped subword vocabularies appends the ASCII that its corpus lacks."""

from __future__ import annotations

import pytest

from recipes.counts import ASCII, with_ascii
from segmenter.subword import BPE, Tokenizer, Unigram, WordPiece
from segmenter.subword.models.model import BYTE_PIECES

SCORES = [("ab", -4.0), ("我们", -5.0), ("我", -7.0), ("a", -8.0), ("b", -9.0), ("们", -9.5)]
LEARNT = {
    "bpe": BPE(
        {p: i for i, p in enumerate([*BYTE_PIECES, "a", "b", "我", "们", "ab", "我们"])},
        [("a", "b"), ("我", "们")],
        byte_fallback=True,
    ),
    "unigram": Unigram(
        [("<unk>", 0.0), *((p, 0.0) for p in BYTE_PIECES), *SCORES],
        0,
        byte_fallback=True,
    ),
}


@pytest.mark.parametrize("name", sorted(LEARNT))
def test_appending_ascii_changes_nothing_that_was_learnt(name: str) -> None:
    learnt = LEARNT[name]
    model, appended = with_ascii(learnt)
    assert appended == "".join(c for c in ASCII if c not in "ab")
    assert {chr(c) for c in range(0x20, 0x7F)} == {*ASCII}
    assert [*model.vocab.items()][: learnt.size] == [*learnt.vocab.items()]
    assert [model.id_of(c) for c in appended] == [*range(learnt.size, model.size)]
    assert with_ascii(model)[1] == ""
    before, after = Tokenizer(learnt), Tokenizer(model)
    for text in ("ab我们ba们我", "abab堃我们𠀀", "堃堃"):
        assert after.encode(text).ids == before.encode(text).ids
    assert [p.id for p in model.encode("abAab")] == [
        model.id_of(piece) for piece in ("ab", "A", "ab")
    ]
    if isinstance(model, Unigram) and isinstance(learnt, Unigram):
        assert model.unk_score == learnt.unk_score


def test_appending_ascii_takes_the_kinds_that_are_shipped() -> None:
    with pytest.raises(TypeError, match="expected BPE or Unigram, got WordPiece"):
        with_ascii(WordPiece({"[UNK]": 0}))
