"""All steps in one call of the kernel give what the steps give one by one."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import foreign
import pytest

from segmenter.errors import ArgumentError
from segmenter.subword import BPE, AddedToken, Tokenizer, charsmap, normalise, patterns, pretokenise
from segmenter.subword.models.wordlevel import WordLevel
from segmenter.subword.postprocess import Template

if TYPE_CHECKING:
    from segmenter.subword.encoding import Encoding

TEXTS = [
    *foreign.SENTENCES, *foreign.strings(400, seed=5), "", " ", "  ", " a", "a ", "a  b", "▁",
    "a▁▁b",
    "<s>", "a<s>b", "<s><s>", "x <pad> y", "\n\n", "e\u0301", "\u0301", "ｶﾞ", "１２", "\ud800", "é",
]  # fmt: skip
SPECIAL = Template("[C] $A [S]", None, {"[C]": 1, "[S]": [2, 3]})


def sequence(*steps: normalise.Normaliser) -> normalise.Normaliser:
    return normalise.Sequence(steps)


NORMALISERS = {
    "none": normalise.Identity(),
    "nfc": normalise.NFC(),
    "nfkc": normalise.NFKC(),
    "nfd, accents, lower": sequence(
        normalise.NFD(), normalise.StripAccents(), normalise.Lowercase()
    ),
    "bert": normalise.Bert(),
    "llama": sequence(normalise.Prepend("▁"), normalise.Replace(" ", "▁")),
    "quotes": sequence(normalise.Replace("``", '"'), normalise.Strip()),
    "squeezed": sequence(normalise.NFKC(), normalise.Replace(" {2,}", "▁", regex=True)),
    "clip": sequence(
        normalise.NFC(), normalise.Replace(r"\s+", " ", regex=True), normalise.Lowercase()
    ),
    "sentencepiece": charsmap.SentencePiece(),
    "sentencepiece, blanks stay": charsmap.SentencePiece(remove_extra_whitespaces=False),
    "sentencepiece, no mark": charsmap.SentencePiece(escape_whitespaces=False),
    "width": normalise.Width(),
    "bytes": normalise.ByteLevel(),
}
PRETOKENISERS = {
    "none": pretokenise.PreTokeniser(),
    "gpt2": pretokenise.ByteLevel(),
    "gpt2, a blank before": pretokenise.ByteLevel(add_prefix_space=True),
    "deepseek": pretokenise.Sequence(map(pretokenise.Split, patterns.DEEPSEEK3)),
    "bert": pretokenise.BertPreTokenizer(),
    "metaspace": pretokenise.Metaspace(),
    "metaspace, first": pretokenise.Metaspace(prepend_scheme="first", split=False),
    "metaspace, never": pretokenise.Metaspace(prepend_scheme="never"),
    "t5": pretokenise.Sequence([pretokenise.WhitespaceSplit(), pretokenise.Metaspace()]),
}


@cache
def model(kind: str, **options: Any) -> Any:
    return Tokenizer.train_from_iterator(
        [*foreign.SENTENCES, "a b c ▁ ▁a ▁b"] * 3, model=kind, vocab_size=700, **options
    ).model


def tokenizer(kind: str = "bpe", **steps: Any) -> Tokenizer:
    options = {"byte_level": True} if kind == "byte" else {}
    vocabulary_model = model("bpe" if kind == "byte" else kind, **options)
    first = vocabulary_model.size
    added = [AddedToken("<s>", first), AddedToken("<pad>", first + 1, special=False)]
    return Tokenizer(vocabulary_model, added=added, library="tokenizers", **steps)


def check(tested: Tokenizer, least: int) -> None:
    """Of all texts; the kernel is to know so many of them itself."""
    checked = 0
    for text in TEXTS:
        ids = tested._steps.ids(text, True)
        expected = tested._steps.one_by_one(text, True)
        if ids is not None:
            checked += 1
            assert ids == expected.ids, text
        encoding = tested.encode(text)
        assert (encoding.ids, encoding.offsets) == (expected.ids, expected.offsets)
        assert encoding.type_ids == expected.type_ids
        assert encoding.special_tokens_mask == expected.special
    assert checked >= least


@pytest.mark.parametrize("normaliser", NORMALISERS)
def test_every_normaliser_runs_in_the_kernel(normaliser: str) -> None:
    for kind in ("byte", "bpe"):
        check(tokenizer(kind, normaliser=NORMALISERS[normaliser], postprocessor=SPECIAL), 50)


@pytest.mark.parametrize("pretokeniser", PRETOKENISERS)
def test_every_pre_tokeniser(pretokeniser: str) -> None:
    for kind in ("byte", "unigram"):
        check(tokenizer(kind, pretokeniser=PRETOKENISERS[pretokeniser]), len(TEXTS) - 20)
    check(
        tokenizer("byte", normaliser=normalise.NFC(), pretokeniser=PRETOKENISERS[pretokeniser]), 50
    )


def test_what_a_character_becomes_is_asked_once() -> None:
    calls: list[str] = []
    tested = tokenizer("bpe", normaliser=normalise.NFC())
    kernel = tested._steps.kernel
    assert kernel is not None

    def learn(characters: str) -> None:
        calls.append(characters)
        for c in characters:
            kernel.set(ord(c), c)

    fresh = type(kernel)(tested.model.kernel, learn=learn)
    kernel = fresh
    for text in ("aab", "bab" * 10_000, "abc", "cc"):
        fresh.ids(text)
    fresh.batch(["dad", "a"], True, 1, lambda text: [], None)
    assert calls == ["ab", "c", "d"]


def test_steps_that_cut_written_bytes() -> None:
    """Falcon's order: digits are cut out of what ByteLevel writes, and ½ is one."""
    vocabulary_model = model("bpe", byte_level=True)
    spelt = BPE(vocabulary_model.vocab, vocabulary_model.merges)
    for steps in (
        [pretokenise.ByteLevel(spelt=True), pretokenise.Digits()],
        [
            pretokenise.Punctuation("Contiguous"),
            pretokenise.ByteLevel(spelt=True),
            pretokenise.Digits(),
            pretokenise.Split("[0-9][0-9][0-9]"),
        ],
        [pretokenise.ByteLevel(use_regex=False, spelt=True), pretokenise.Digits(True)],
    ):
        tested = Tokenizer(spelt, pretokeniser=pretokenise.Sequence(steps), library="tokenizers")
        check(tested, len(TEXTS))


def test_user_defined_symbols_of_sentencepiece() -> None:
    """Each is a piece of its own, whatever stands beside it."""
    vocabulary_model = model("bpe")
    pieces = dict(vocabulary_model.vocab)
    symbols = ["[REF]", "中国", "▁▁"]
    for symbol in symbols:
        pieces.setdefault(symbol, len(pieces))
    tested = Tokenizer(
        BPE(pieces, vocabulary_model.merges, unk=vocabulary_model.unk, whole=symbols),
        normaliser=charsmap.SentencePiece(remove_extra_whitespaces=False, symbols=symbols),
        library="sentencepiece",
    )
    check(tested, len(TEXTS))
    assert tested._steps.ids("a [REF] b", True) == tested.encode("a [REF] b").ids
    assert tested.encode("a [REF] b").ids.count(pieces["[REF]"]) == 1


def test_strings_replaced_in_the_text_as_given() -> None:
    """Albert's quotes: only texts in which one stands take the steps one by one."""
    marks = [normalise.Replace("``", '"'), normalise.Replace("''", '"'), normalise.NFKC()]
    tested = tokenizer("bpe", normaliser=sequence(*marks))
    check(tested, 50)
    assert tested._steps.ids("don't `a`", True) is not None
    for text in ("``a", "a''"):
        assert tested._steps.ids(text, True) is None
    late = tokenizer("bpe", normaliser=sequence(normalise.NFKC(), normalise.Replace("ab", "c")))
    assert late._steps.ids("ａｂ", True) is None
    prefixed = sequence(normalise.Prepend("a"), normalise.Replace("ab", "c"))
    check(tokenizer("bpe", normaliser=prefixed), 0)


def test_wordpiece_runs_in_the_kernel() -> None:
    steps = {"normaliser": normalise.Bert(), "pretokeniser": pretokenise.BertPreTokenizer()}
    check(tokenizer("wordpiece", **steps), 50)


def test_wordlevel_runs_in_the_kernel() -> None:
    words = {"[UNK]": 0, "，": 1, "世界": 2, "a": 3, "他": 4, "hello": 5, "说": 6}
    bert = {"pretokeniser": pretokenise.BertPreTokenizer(), "library": "tokenizers"}
    check(Tokenizer(WordLevel(words, "[UNK]"), **bert), len(TEXTS))
    strict = Tokenizer(WordLevel(words, "none"), **bert)
    assert strict.encode("hello，a").ids == [5, 1, 3]
    with pytest.raises(ArgumentError, match="'b' has no piece"):
        strict.encode("a b")


def check_equal(left: Encoding, right: Encoding) -> None:
    columns = ("ids", "offsets", "type_ids", "special_tokens_mask", "attention_mask", "tokens")
    for name in (*columns, "word_ids", "sequence_ids"):
        assert getattr(left, name) == getattr(right, name), name
    assert len(left.overflowing) == len(right.overflowing)
    for mine, theirs in zip(left.overflowing, right.overflowing, strict=True):
        check_equal(mine, theirs)


@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.parametrize("padding", [None, {}, {"length": 9, "pad_id": 3}])
def test_truncated_and_padded(
    direction: str, padding: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tested = tokenizer("bpe", postprocessor=SPECIAL)
    for part, length in enumerate((3, 4, 7, 12)):
        tested.enable_truncation(length, stride=int(length > 4), direction=direction)
        if padding is not None:
            tested.enable_padding(**padding)
        for add_special in (True, False):
            # all parts of a text are compared, for 48 settings: an eighth of the random texts will
            # do, another for each length, with those that were written for a case
            texts = [*TEXTS[part::8], *TEXTS[-19:], "a"]
            quick = [tested.encode(text, add_special=add_special) for text in texts]
            batch = tested.encode_batch(texts, add_special=add_special)
            with monkeypatch.context() as patch:
                patch.setattr(type(tested._steps), "ids", lambda *_: None)
                patch.setattr(type(tested._steps), "kernel", None)
                slow = [tested.encode(text, add_special=add_special) for text in texts]
                slow_batch = tested.encode_batch(texts, add_special=add_special)
            for mine, theirs in zip([*quick, *batch], [*slow, *slow_batch], strict=True):
                check_equal(mine, theirs)


def test_tokens_found_in_the_normalised_text_or_with_blanks() -> None:
    for token in (
        AddedToken("a", 900, special=False, normalized=True),
        AddedToken("。", 900, special=False, lstrip=True),
        AddedToken("。", 900, special=False),
    ):
        check(Tokenizer(model("bpe"), added=[token]), 50)


def test_what_the_kernel_does_not_know() -> None:
    regex = normalise.Replace(r"\d+", " ", regex=True)
    tested = tokenizer(normaliser=regex)
    assert tested._steps.ids("a", True) is None
    assert tested.encode("a 12 b").ids == tested.encode("a 7 b").ids


def test_an_encoding_is_of_the_tokenizer_as_it_was() -> None:
    tested = tokenizer("byte")
    before = tested.encode("x<new>y")
    offsets = tested.encode("x<new>y").offsets
    tested.add_tokens(["<new>"])
    assert before.offsets == offsets
    assert len(tested.encode("x<new>y")) == 3


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_batches_give_the_ids_of_texts(threads: int) -> None:
    np = pytest.importorskip("numpy", reason="the package numpy is not installed")
    for steps in ({}, {"normaliser": normalise.NFC()}, {"normaliser": charsmap.SentencePiece()}):
        tested = tokenizer("byte", postprocessor=SPECIAL, **steps)
        expected = [tested.encode(text) for text in TEXTS]
        assert tested.encode_batch(TEXTS, threads=threads) == expected
        ids, offsets = tested.encode_arrays(TEXTS, threads=threads)
        assert (ids.dtype, offsets.dtype) == (np.int32, np.int64)
        assert [ids[a:b].tolist() for a, b in pairwise(offsets)] == [
            encoding.ids for encoding in expected
        ]
    assert tested.encode_arrays([])[1].tolist() == [0]
    slow = tokenizer(normaliser=normalise.Replace(r"\s+", " ", regex=True))
    ids, offsets = slow.encode_arrays(["a b", "c"])
    assert ids.tolist() == [*slow.encode("a b").ids, *slow.encode("c").ids]


def test_batches_refuse_a_single_text() -> None:
    tested = tokenizer()
    with pytest.raises(TypeError):
        tested.encode_arrays("text")
    with pytest.raises(TypeError):
        tested.encode_arrays(["a", None])  # type: ignore[list-item]
    with pytest.raises(ArgumentError, match="threads"):
        tested.encode_batch(["a"], threads=0)


def test_arrow_columns_are_encoded_as_rows_are() -> None:
    pa = pytest.importorskip("pyarrow", reason="the package pyarrow is not installed")
    tested = tokenizer("byte")
    for column in (
        pa.array(["你好", None, "", "a b"]),
        pa.chunked_array([["你好", None], ["", "a b"]]),
        pa.array(["你好", None, "", "a b"], pa.large_string()),
    ):
        encoded = tested.encode_arrow(column)
        assert encoded.type == pa.large_list(pa.int32())
        assert encoded.to_pylist() == [
            None if text is None else tested.encode(text).ids for text in column.to_pylist()
        ]
    with pytest.raises(TypeError):
        tested.encode_arrow(pa.array([1]))


def test_decoding_at_once_is_decoding_piece_by_piece() -> None:
    draw = Random(3)
    for kind in ("byte", "bpe", "unigram", "wordpiece"):
        tested = tokenizer(kind)
        for _ in range(300):
            ids = [draw.randrange(tested.vocab_size) for _ in range(draw.randrange(12))]
            pieces = [tested._added.texts.get(i) or tested.model.piece_of(i) for i in ids]
            assert tested.decode(ids) == "".join(tested.decoder(pieces))
    with pytest.raises(ArgumentError):
        tested.decode([tested.vocab_size])


def test_streams_give_what_decoding_gives() -> None:
    for kind in ("byte", "bpe", "unigram"):
        tested = tokenizer(kind)
        for text in TEXTS:
            ids = tested.encode(text).ids
            stream = tested.stream()
            steps = [stream.step(number) for number in ids]
            assert not any("\ufffd" in step for step in steps) or "\ufffd" in text
            assert "".join(steps) + stream.finish() == tested.decode(ids), text


def test_streams_of_bytes_that_are_no_text_end() -> None:
    tested = tokenizer("byte")
    broken = tested.model.vocab["ä"]  # the byte E4
    stream = tested.stream()
    steps = [stream.step(broken) for _ in range(40)]
    assert any(steps)
    assert set("".join(steps) + stream.finish()) == {"\ufffd"}


def test_streams_leave_special_tokens_out() -> None:
    tested = tokenizer("byte")
    ids = [*tested.encode("你").ids, tested.id_of("<s>"), *tested.encode("好").ids]
    stream = tested.stream(skip_special=True)
    assert "".join(stream.step(number) for number in ids) + stream.finish() == "你好"
