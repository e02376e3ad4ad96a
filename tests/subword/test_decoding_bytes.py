"""The table of the bytes of pieces decodes as the decoders do, step by step."""

from __future__ import annotations

import gc
import random

import pytest

from segmenter import subword
from segmenter.errors import ArgumentError


def test_bytes_of_pieces_join_as_the_decoder_joins_them() -> None:
    tokenizer = subword.load("bpe")
    texts = [tokenizer.piece_of(number) for number in range(tokenizer.vocab_size)]
    chosen = random.Random(1)
    for length in (0, 1, 2, 5, 40):
        for _ in range(200):  # the first 300 pieces hold the bytes: many runs are invalid
            ids = [chosen.randrange(chosen.choice((300, len(texts)))) for _ in range(length)]
            expected = "".join(tokenizer.decoder([texts[number] for number in ids]))
            assert tokenizer.decode(ids) == tokenizer.decode(tuple(ids)) == expected


@pytest.mark.parametrize("number", [-1, 1 << 21, 1 << 40, 1 << 80])
def test_an_unknown_id_is_refused(number: int) -> None:
    with pytest.raises(ArgumentError):
        subword.load("bpe").decode([5, number])


def test_the_collector_sees_what_a_batch_returned() -> None:
    found = subword.load("bpe").encode_batch(["我们", "我们的"])
    assert all(gc.is_tracked(one) and gc.is_tracked(one.ids) for one in found)
