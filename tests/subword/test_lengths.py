"""Truncation, padding, and what a user of ``tokenizers`` calls, under its names."""

from __future__ import annotations

import json
from itertools import product
from random import Random
from typing import Any

import pytest

from segmenter.errors import ArgumentError
from segmenter.subword import BPE, AddedToken, Tokenizer, Unigram
from segmenter.subword.formats import tokenizer_json
from segmenter.subword.formats.files import FormatError

hf = pytest.importorskip("tokenizers", reason="the package tokenizers is not installed")

LETTERS = "?abcdefgh▁CS"


def config(**parts: Any) -> dict[str, Any]:
    special = {
        name: {"id": name, "ids": [i], "tokens": [name]} for name, i in (("C", 10), ("S", 11))
    }

    def row(kind: str, name: str, number: int = 0) -> dict[str, Any]:
        return {kind: {"id": name, "type_id": number}}

    single = [row("SpecialToken", "C"), row("Sequence", "A"), row("SpecialToken", "S")]
    return {
        "version": "1.0", "added_tokens": [], "normalizer": None, "decoder": None,
        "truncation": None, "padding": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {
            "type": "TemplateProcessing", "single": single,
            "pair": [*single, row("Sequence", "B", 1), row("SpecialToken", "S", 1)],
            "special_tokens": special,
        },
        "model": {
            "type": "BPE", "vocab": {c: i for i, c in enumerate(LETTERS)}, "merges": [],
            "unk_token": "?",
        },
        **parts,
    }  # fmt: skip


def columns(encoding: Any) -> tuple[Any, ...]:
    words = encoding.word_ids
    return (
        encoding.ids, encoding.offsets, encoding.type_ids, encoding.special_tokens_mask,
        encoding.attention_mask, words, encoding.sequence_ids, encoding.tokens,
    )  # fmt: skip


def cut(size: int, strategy: str, side: str) -> dict[str, Any]:
    return {"max_length": size, "strategy": strategy, "direction": side, "stride": 0}


SIZES = [2, 3, 4, 5, 6, 7, 9, 30]


@pytest.mark.parametrize("side", ["Right", "Left"])
@pytest.mark.parametrize("strategy", ["LongestFirst", "OnlyFirst", "OnlySecond"])
def test_truncation_of_a_file_is_kept_and_does_what_tokenizers_does(
    strategy: str, side: str
) -> None:
    texts = ["", "ab", "a b cde fgh", "hgfedcba"]
    for size in SIZES:
        settings_config = config(truncation=cut(size, strategy, side))
        theirs, ours = (
            hf.Tokenizer.from_str(json.dumps(settings_config)),
            tokenizer_json.from_config(settings_config),
        )
        reloaded = Tokenizer.from_bytes(ours.to_bytes())
        assert reloaded.config()["truncation"] == ours.config()["truncation"]
        for first, second in product(texts, [None, *texts]):
            if size < 2 + (second is not None):
                continue  # less than the special tokens: there it overflows
            try:
                expected = columns(theirs.encode(first, second))
            except Exception:
                with pytest.raises(ArgumentError):
                    ours.encode(first, second)
                continue
            assert columns(ours.encode(first, second)) == expected, (size, first, second)
            if second is None:
                assert ours.encode_ids(first) == expected[0]


@pytest.mark.parametrize("side", ["Right", "Left"])
@pytest.mark.parametrize("strategy", ["BatchLongest", {"Fixed": 6}])
@pytest.mark.parametrize("multiple", [None, 4])
def test_padding_of_a_file_is_kept_and_does_what_tokenizers_does(
    strategy: Any, side: str, multiple: int | None
) -> None:
    padding = {
        "strategy": strategy, "direction": side, "pad_to_multiple_of": multiple, "pad_id": 7,
        "pad_type_id": 3, "pad_token": "pad",
    }  # fmt: skip
    settings_config = config(padding=padding)
    theirs, ours = (
        hf.Tokenizer.from_str(json.dumps(settings_config)),
        tokenizer_json.from_config(settings_config),
    )
    assert ours.config()["padding"] == padding
    batch: list[Any] = ["a", "ab cdefgh", ("a b", "c"), ""]
    expected = theirs.encode_batch(batch)
    encodings = ours.encode_batch(batch)
    assert [columns(one) for one in encodings] == [columns(one) for one in expected]
    assert columns(ours.encode("ab")) == columns(theirs.encode("ab"))
    assert ours(batch)["attention_mask"] == [one.attention_mask for one in expected]
    saved = json.loads(json.dumps(tokenizer_json.to_config(ours)))
    assert hf.Tokenizer.from_str(json.dumps(saved)).padding == theirs.padding


def test_words_and_places_are_those_of_tokenizers() -> None:
    theirs = hf.Tokenizer.from_str(json.dumps(config()))
    ours = tokenizer_json.from_config(config())
    first, second = "ab c  def", "g h"
    mine, reference = ours.encode(first, second), theirs.encode(first, second)
    assert columns(mine) == columns(reference)
    assert mine.words == reference.words
    assert mine.n_sequences == reference.n_sequences == 2
    for sequence, text in enumerate((first, second)):
        for i in range(len(text)):
            assert mine.char_to_token(i, sequence) == reference.char_to_token(i, sequence)
            assert mine.char_to_word(i, sequence) == reference.char_to_word(i, sequence)
        for word in range(4):
            assert mine.word_to_tokens(word, sequence) == reference.word_to_tokens(word, sequence)
            assert mine.word_to_chars(word, sequence) == reference.word_to_chars(word, sequence)
    for token in range(1, 6):
        assert mine.token_to_word(token) == reference.token_to_word(token)
        assert mine.token_to_sequence(token) == reference.token_to_sequence(token)
        assert (0, mine.token_to_chars(token)) == (0, reference.token_to_chars(token))


def test_tokens_are_added_as_there() -> None:
    theirs = hf.Tokenizer.from_str(json.dumps(config()))
    ours = tokenizer_json.from_config(config())
    for tokenizer in (theirs, ours):
        assert tokenizer.add_tokens(["cd", "a"]) == 2
        assert tokenizer.add_special_tokens(["<s>"]) == 1
        tokenizer.enable_truncation(9)
        tokenizer.enable_padding(length=10, pad_id=1)
    for text in ("abcd", "a<s>cd cdcd", "x"):
        assert columns(ours.encode(text)) == columns(theirs.encode(text))
    for tokenizer in (theirs, ours):
        tokenizer.no_truncation()
        tokenizer.no_padding()
    assert ours.encode("a" * 30).ids == theirs.encode("a" * 30).ids
    assert ours.get_vocab() == theirs.get_vocab()
    assert len(ours) == ours.get_vocab_size() == theirs.get_vocab_size()
    assert ours.get_vocab_size(with_added_tokens=False) == len(LETTERS)
    assert ours.token_to_id("<s>") == theirs.token_to_id("<s>")
    assert [ours.id_to_token(i) for i in (0, 12, 99)] == ["?", theirs.id_to_token(12), None]
    assert ours.add_tokens([AddedToken("ef", 0, special=False)]) == 1
    assert Tokenizer.from_bytes(ours.to_bytes()).encode("ef").ids == ours.encode("ef").ids


def test_nothing_is_sampled_without_a_word() -> None:
    model = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    tokenizer = Tokenizer(model)
    for alpha in (0.1, 1.0):
        with pytest.raises(ArgumentError, match="dropout: 0"):
            tokenizer.sample("ab", Random(1), alpha)
    assert tokenizer.sample("ab", Random(1), dropout=1.0).tokens == ["a", "b"]
    with pytest.raises(ArgumentError, match="dropout: is for BPE models"):
        Tokenizer(Unigram([("a", 0.0)], 0)).sample("a", Random(1), dropout=0.5)


def test_lengths_that_cannot_be_are_named() -> None:
    for bad in ({"max_length": -1}, {"max_length": 3, "strategy": "Shortest"}):
        with pytest.raises(FormatError, match=r"max_length|strategy"):
            tokenizer_json.from_config(config(truncation=bad))
    with pytest.raises(FormatError, match="padding"):
        tokenizer_json.from_config(config(padding={"strategy": "Widest"}))
    ours = tokenizer_json.from_config(config())
    with pytest.raises(ArgumentError, match="3 texts"):
        ours.encode_batch([("a", "b", "c")])  # type: ignore[list-item]


@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.parametrize("stride", [0, 1, 2])
def test_what_is_cut_off_overflows_as_in_tokenizers(direction: str, stride: int) -> None:
    library = hf.Tokenizer.from_str(json.dumps(config()))
    ours = tokenizer_json.from_config(config())
    for tokenizer in (library, ours):
        tokenizer.enable_truncation(6, stride=stride, direction=direction)
    library.enable_padding(length=8)
    ours.enable_padding(length=8)
    for text in ("", "ab", "ab ab ab", "abcdefgh abcdefgh h", "a b c d e f g h a b c d e f g"):
        mine, reference = ours.encode(text), library.encode(text)
        rows = [(e.ids, e.offsets, e.attention_mask) for e in (mine, *mine.overflowing)]
        assert rows == [
            (e.ids, e.offsets, e.attention_mask) for e in (reference, *reference.overflowing)
        ]
    for tokenizer in (library, ours):
        tokenizer.enable_truncation(9, stride=stride, direction=direction)
    mine, reference = ours.encode("a b c d e", "f g h a"), library.encode("a b c d e", "f g h a")
    assert [e.ids for e in mine.overflowing] == [e.ids for e in reference.overflowing]
    batch = ours(["a b", "a b c d e f g h a b c d e f g h"], return_overflowing_tokens=True)
    assert batch["overflow_to_sample_mapping"][:2] == [0, 1]
    assert len(batch["input_ids"]) == len(batch["overflow_to_sample_mapping"]) > 2


def test_a_stride_as_long_as_the_text_is_refused() -> None:
    ours = tokenizer_json.from_config(config())
    ours.enable_truncation(4, stride=2)
    with pytest.raises(ArgumentError, match="stride"):
        ours.encode("a b c d e f")
