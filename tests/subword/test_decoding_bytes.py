"""The table of the bytes of pieces decodes as the decoders do, step by step."""

from __future__ import annotations

import gc
import random
from typing import Any

import pytest

from segmenter import subword
from segmenter.errors import ArgumentError
from segmenter.kernels import _subword


def test_bytes_of_pieces_join_as_the_decoder_joins_them() -> None:
    tokenizer = subword.Tokenizer.from_bytes(subword.load("bpe").to_bytes())
    first = tokenizer.vocab_size
    tokenizer.add_tokens(["longer than the sixteen bytes that are copied at once"])
    tokenizer.add_special_tokens(["<s>"])
    texts = [tokenizer.piece_of(number) for number in range(tokenizer.vocab_size)]
    chosen = random.Random(1)
    for length in (0, 1, 2, 5, 40):
        for _ in range(200):  # the first 300 pieces hold the bytes: many runs are invalid
            ids = [chosen.randrange(chosen.choice((300, len(texts)))) for _ in range(length)]
            ids += chosen.choices((first, first + 1), k=length // 3)
            expected = "".join(tokenizer.decoder([texts[number] for number in ids]))
            assert tokenizer.decode(ids) == tokenizer.decode(tuple(ids)) == expected
            ordinary = [number for number in ids if number != first + 1]
            expected = "".join(tokenizer.decoder([texts[number] for number in ordinary]))
            assert tokenizer.decode(ids, skip_special=True) == expected
            assert tokenizer.decode(iter(ids), skip_special=True) == expected


def test_what_makes_the_bytes_of_an_id_may_change_the_list_or_fail() -> None:
    ids = [1, 2, 3, 1]

    def shorten(number: int) -> bytes:
        if number == 2:
            del ids[2:]
        return b"%d," % number

    pieces = _subword.PieceBytes(shorten)
    assert pieces.text(ids) == "1,2,"
    assert pieces.text([3, 3, 1]) == "3,3,1,"
    odd: list[Any] = [-1, 1 << 22, 1 << 80, "1", 1.0, True, None]
    assert [pieces.text([1, number]) for number in odd] == [None] * len(odd)
    with pytest.raises(ZeroDivisionError):
        _subword.PieceBytes(lambda number: b"x" * (1 // number)).text([1, 0])
    with pytest.raises(TypeError):
        _subword.PieceBytes(lambda number: "x").text([1])  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("number", [-1, 1 << 21, 1 << 40, 1 << 80])
def test_an_unknown_id_is_refused(number: int) -> None:
    with pytest.raises(ArgumentError):
        subword.load("bpe").decode([5, number])


def test_the_collector_sees_what_a_batch_returned() -> None:
    encodings = subword.load("bpe").encode_batch(["我们", "我们的"])
    assert all(gc.is_tracked(encoding) and gc.is_tracked(encoding.ids) for encoding in encodings)
