"""The Tokenizer: special tokens, pairs, files, pickles, sampling, the shipped vocabularies."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter import Segmenter, artifact, load, subword
from segmenter.errors import ArgumentError, ArtifactError, ResourceError
from segmenter.subword import (
    BPE,
    AddedToken,
    Tokenizer,
    Unigram,
    WordPiece,
    normalise,
    postprocess,
    pretokenise,
)
from segmenter.subword.models.model import BYTE_PIECES, BYTE_TO_CHAR, check_vocabulary
from segmenter.subword.show import show

if TYPE_CHECKING:
    from pathlib import Path

MERGES = [
    ("h", "e"),
    ("l", "l"),
    ("he", "ll"),
    ("hell", "o"),
    ("å", "¥"),
    ("å¥", "½"),
    ("Ġ", "hello"),
]


def byte_level(**options: Any) -> Tokenizer:
    vocab = {c: b for b, c in BYTE_TO_CHAR.items()}
    for a, b in MERGES:
        vocab[a + b] = len(vocab)
    added = [
        AddedToken("<|end|>", 300),
        AddedToken("<|pad|>", 301, lstrip=True, rstrip=True),
        AddedToken("é", 302, special=False),
        AddedToken("cat", 303, special=False, single_word=True),
    ]
    return Tokenizer(
        BPE(vocab, MERGES, byte_level=True),
        pretokeniser=pretokenise.ByteLevel(),
        added=added,
        **options,
    )


@given(text=st.one_of(st.text(), st.text("hello <|end|>é好\ud800\udc00\r\n cat")))
def test_byte_level_round_trip(text: str) -> None:
    t = byte_level()
    encoding = t.encode(text)
    assert t.decode(encoding) == text
    assert t.decode(t.encode(text, allowed="all")).replace(" ", "") == text.replace(" ", "")
    offset = 0
    for start, end in encoding.offsets:
        assert start <= offset <= end
        offset = end
    assert offset == len(text)


def test_pieces_and_offsets_of_bytes() -> None:
    t = byte_level()
    encoding = t.encode("hello 好好hello 她")
    assert encoding.tokens == ["hello", "Ġ", "å¥½", "å¥½", "hello", "Ġ", "å¥", "¹"]
    assert encoding.offsets[-3:] == [(13, 14), (14, 15), (14, 15)]
    assert t.bytes_of(encoding[-2]) == b"\xe5\xa5"
    assert t.decode(encoding[:-1]).endswith("\ufffd")
    assert len(encoding) == 8
    assert encoding[0] == encoding.ids[0]


def test_special_tokens_are_encoded_where_allowed() -> None:
    t = byte_level()
    text = "hello<|end|>hello"
    assert 300 not in t.encode(text)
    assert t.encode(text, allowed="all").tokens == ["hello", "<|end|>", "hello"]
    assert t.encode(text, allowed={"<|end|>"}).offsets == [(0, 5), (5, 12), (12, 17)]
    assert 300 not in t.encode(text, allowed={"<|pad|>"})
    with pytest.raises(ArgumentError, match=r"'<\|end\|>' occurs at 5"):
        t.encode(text, refused="all")
    assert t.encode(text, refused="all", allowed=["<|end|>"]).ids.count(300) == 1
    with pytest.raises(ArgumentError, match="is not a special token"):
        t.encode(text, allowed=["é"])
    with pytest.raises(ArgumentError, match="'end'"):
        t.encode(text, allowed="end")
    assert t.decode([300, 104, 302], skip_special=True) == "hé"
    assert t.decode([300, 104]) == "<|end|>h"
    assert byte_level(allowed="all").encode(text).ids.count(300) == 1


def test_added_tokens_are_whole() -> None:
    t = byte_level()
    assert t.encode("aéb").tokens == ["a", "é", "b"]
    assert t.encode("cat cats").ids.count(303) == 1
    assert t.encode("h <|pad|>  h", allowed="all").offsets == [(0, 1), (1, 11), (11, 12)]
    assert (t.id_of("é"), t.piece_of(302), t.vocab_size) == (302, "é", 304)
    with pytest.raises(ArgumentError, match="has the id of the piece"):
        Tokenizer(t.model, added=[AddedToken("x", 0)])
    with pytest.raises(ArgumentError, match="empty"):
        Tokenizer(t.model, added=[AddedToken("", 400)])


def test_added_tokens_in_normalised_text() -> None:
    t = Tokenizer(
        BPE({"a": 0, "b": 1}, []),
        normaliser=normalise.Lowercase(),
        added=[AddedToken("Cd", 2, special=False, normalized=True), AddedToken("E", 3, False)],
    )
    encoding = t.encode("AcDbEe")
    assert encoding.tokens == ["a", "Cd", "b", "E"]
    assert encoding.offsets == [(0, 1), (1, 3), (3, 4), (4, 5)]


def test_pairs_and_batches() -> None:
    vocab = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "好": 3, "的": 4, "##吗": 5}
    t = Tokenizer(
        WordPiece(vocab),
        normaliser=normalise.Bert(),
        pretokeniser=pretokenise.BertPreTokenizer(),
        postprocessor=postprocess.Bert(("[SEP]", 2), ("[CLS]", 1)),
        added=[AddedToken(token, vocab[token]) for token in ("[UNK]", "[CLS]", "[SEP]")],
    )
    encoding = t.encode("好的", "坏")
    assert encoding.tokens == ["[CLS]", "好", "的", "[SEP]", "[UNK]", "[SEP]"]
    assert encoding.type_ids == [0, 0, 0, 0, 1, 1]
    assert encoding.special_tokens_mask == [1, 0, 0, 1, 0, 1]
    assert encoding.offsets == [(0, 0), (0, 1), (1, 2), (0, 0), (0, 1), (0, 0)]
    assert t.encode("好", add_special=False).ids == [3]
    assert t.decode(encoding, skip_special=True) == "好 的"
    batch = t.encode_batch(["好", "的"])
    assert batch == [t.encode("好"), t.encode("的")]
    assert t.decode_batch(batch, skip_special=True) == ["好", "的"]


def test_types_and_ids_are_checked() -> None:
    t = byte_level()
    with pytest.raises(TypeError, match="text must be str, not bytes"):
        t.encode(b"x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pair must be str"):
        t.encode("x", 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="texts"):
        t.encode_batch("x")
    for number in (299, 304, -1):
        with pytest.raises(ArgumentError, match=f"id {number}"):
            t.decode([number])
    wrong: Any
    for wrong, kind in ((["a"], "str"), ([1, None], "NoneType"), ([[1]], "list"), ([1.5], "float")):
        with pytest.raises(TypeError, match=f"^ids: an id must be int, not {kind}$"):
            t.decode(wrong)
    for wrong in (5, "12"):
        with pytest.raises(TypeError, match=r"^ids must be an iterable of int"):
            t.decode(wrong)


# --- models ----------------------------------------------------------------------------------


def test_bytes_that_have_no_piece_make_a_character_unknown() -> None:
    vocab = {"?": 0, "<0xC3>": 1, "<0xA9>": 2, "<0x62>": 3}  # Gemini's file lacks <0x09>
    model = BPE(vocab, [], byte_fallback=True, unk="?")
    assert not model.closed
    for text, ids in (("é", [1, 2]), ("b", [3]), ("è", [0]), ("aéb", [0, 1, 2, 3])):
        assert [p.id for p in model.encode(text)] == ids
        assert model.encode_later(text, [(0, len(text))])[0] == ids


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BPE({"a": 0}, [("a", "b")]), "merges.*piece 'ab'"),
        (lambda: BPE({"a": 0, "b": 1}, [("a", "b")]), "merges.*piece 'ab'"),
        (lambda: BPE({"a": 0}, [], unk="?"), "unk"),
        (lambda: BPE({"a": 0}, [], dropout=1.5), "dropout"),
        (lambda: WordPiece({"a": 0}), "unk"),
        (lambda: Unigram([("a", 0.0)], 3), "unk_id"),
        (lambda: Unigram([("a", 0.0), ("a", 0.0)]), "'a' occurs twice"),
        (lambda: Unigram([("a", math.nan)]), "score"),
        (lambda: Unigram([("a", 0.0)], byte_fallback=True), "<0x00>"),
        (lambda: check_vocabulary({"a": 0, "b": 0}), "two pieces"),
        (lambda: check_vocabulary({"a": -1}), "negative"),
        (lambda: Unigram([("a", 0.0)]).encode("b"), "'b' has no piece"),
        (lambda: Unigram([("a", 0.0)]).nbest("a", 0), "n: 0"),
    ],
)
def test_models_are_checked(make: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make()


SCORES = st.dictionaries(st.text("ab", min_size=1, max_size=3), st.integers(-9, -1), min_size=1)


def all_ways(text: str, scores: dict[str, int]) -> list[tuple[float, list[str]]]:
    if not text:
        return [(0.0, [])]
    return [
        (scores[text[:k]] + score, [text[:k], *rest])
        for k in range(1, len(text) + 1)
        if text[:k] in scores
        for score, rest in all_ways(text[k:], scores)
    ]


@given(scores=SCORES, text=st.text("ab", max_size=8), n=st.integers(1, 8))
def test_unigram_nbest_is_that_of_enumeration(scores: dict[str, int], text: str, n: int) -> None:
    scores = {"a": -20, "b": -20, **scores}
    model = Unigram(scores.items())
    expected = sorted((score for score, _ in all_ways(text, scores)), reverse=True)[:n]
    best = model.nbest(text, n)
    assert [score for _, score in best] == expected
    for pieces, score in best:
        parts = [model.piece_of(p.id) for p in pieces]
        assert "".join(parts) == text
        assert sum(scores[p] for p in parts) == score
    assert len({tuple(pieces) for pieces, _ in best}) == len(best)
    assert best[0][0] == model.encode(text)


def test_unigram_sampling_follows_the_model() -> None:
    model = Unigram([("a", -2.0), ("b", -1.0), ("ab", -2.5), ("aba", -4.0)])
    ways = all_ways("abab", dict(zip(model.vocab, model.scores, strict=True)))  # type: ignore[misc]
    random = Random(7)
    for alpha in (1.0, 0.3, 0.0):
        total = sum(math.exp(alpha * score) for score, _ in ways)
        samples = Counter(
            tuple(model.piece_of(p.id) for p in model.sample("abab", random, alpha))
            for _ in range(4000)
        )
        for score, parts in ways:
            share = math.exp(alpha * score) / total
            assert abs(samples[tuple(parts)] / 4000 - share) < 4 * math.sqrt(share / 4000) + 1e-9


def test_dropout_leaves_merges_out() -> None:
    pieces = ["a", "b", "ab", "abab"]
    model = BPE({p: i for i, p in enumerate(pieces)}, [("a", "b"), ("ab", "ab")], dropout=0.5)
    assert [model.piece_of(p.id) for p in model.encode("abab")] == ["abab"]
    random = Random(3)
    samples = {
        tuple(model.piece_of(p.id) for p in model.encode("abab", random)) for _ in range(200)
    }
    assert samples == {
        ("abab",), ("ab", "ab"), ("a", "b", "ab"), ("ab", "a", "b"), ("a", "b", "a", "b"),
    }  # fmt: skip
    always = BPE(model.vocab, model.merges, dropout=1.0)
    assert len(always.encode("abab", random)) == 4


def test_samples_differ() -> None:
    t = Tokenizer(Unigram([("a", -1.0), ("aa", -1.5)]), pretokeniser=pretokenise.WhitespaceSplit())
    random = Random(1)
    samples = {tuple(t.sample("aa aa", random).tokens) for _ in range(100)}
    assert len(samples) == 4
    with pytest.raises(ArgumentError, match="random"):
        Tokenizer(WordPiece({"[UNK]": 0})).sample("a", random)


# --- files -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(small: Any) -> Tokenizer:
    texts = ["他说的确实在理", "中华人民共和国 hello"] * 2
    return Tokenizer.train_from_iterator(
        texts, segmenter=Segmenter(small), vocab_size=300, special=["<s>"]
    )


def several(trained: Tokenizer) -> list[Tokenizer]:
    scored = Unigram([("<unk>", 0.0), ("a", -1.25), ("\ud800", -2.5)], 0, fuse_unk=False)
    wordpiece = WordPiece({"[UNK]": 5, "a": 1, "##b": 3}, max_chars=7)
    options = BPE(
        {"?": 0, "a</w>": 4, "a": 1, "aa</w>": 2}, [("a", "a</w>")], unk="?",
        end_of_word_suffix="</w>", dropout=0.25, fuse_unk=True,
    )  # fmt: skip
    return [
        trained,
        byte_level(allowed=["<|end|>"], postprocessor=postprocess.ByteLevel()),
        Tokenizer(scored, normaliser=normalise.Width(), pretokeniser=pretokenise.Metaspace()),
        Tokenizer(wordpiece, normaliser=normalise.Bert(), meta={"corpus": "一"}),
        Tokenizer(options, pretokeniser=pretokenise.Split(r"\p{N}")),
    ]


def test_save_and_load(trained: Tokenizer, tmp_path: Any, small: Any) -> None:
    for t in several(trained):
        t.save(tmp_path / "t.model")
        cutter = Segmenter(small) if t is trained else None
        reloaded = Tokenizer.load(tmp_path / "t.model", segmenter=cutter)
        assert reloaded.config() == t.config()
        assert reloaded.meta == t.meta
        assert reloaded.allowed == t.allowed
        assert reloaded.to_bytes() == t.to_bytes()
        for text in ("他说的确实在理 aab\ud800１<|end|>aa", ""):
            assert reloaded.encode(text) == t.encode(text)


def test_ids_alone_are_those_of_the_encoding(trained: Tokenizer) -> None:
    for t in several(trained):
        for text in ("他说的确实在理 aab１<|end|>aa", "", "  ", "\0"):
            assert t.encode_ids(text) == t.encode(text).ids
    with pytest.raises(TypeError, match="text"):
        trained.encode_ids(None)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="'b' has no piece"):
        Tokenizer(Unigram([("a", 0.0)])).encode_ids("ab")


def test_a_pickled_tokenizer_encodes_alike(trained: Tokenizer) -> None:
    for t in several(trained):
        restored = pickle.loads(pickle.dumps(t))
        assert restored.encode("他说aab") == t.encode("他说aab")
        assert restored.config() == t.config()


def test_a_vocabulary_of_words_names_its_segmenter(tmp_path: Any) -> None:
    t = Tokenizer.train_from_iterator(["他说的确实在理"], segmenter=load("fast"), vocab_size=270)
    t.save(tmp_path / "t.model")
    reloaded = Tokenizer.load(tmp_path / "t.model")
    assert reloaded.encode("确实在理").tokens == t.encode("确实在理").tokens


def test_damaged_files_are_refused(tmp_path: Any) -> None:
    t = Tokenizer(Unigram([("a", -1.0), ("好", -2.0)]))
    data = t.to_bytes()
    for i in range(0, len(data), 7):
        bad = bytearray(data)
        bad[i] ^= 1
        with pytest.raises(ArtifactError):
            Tokenizer.from_bytes(bytes(bad))
    with pytest.raises(ArtifactError, match="truncated"):
        Tokenizer.from_bytes(data[:-64])
    foreign = artifact.pack("subword", {"pieces": b""}, {})
    with pytest.raises(ArtifactError, match="not a tokenizer's"):
        Tokenizer.from_bytes(foreign)
    with pytest.raises(ArtifactError, match="kind"):
        Tokenizer.from_bytes(artifact.pack("lexicon", {}, {}))


# --- the view, and what is shipped -----------------------------------------------------------


def test_show_marks_every_piece() -> None:
    t = byte_level()
    assert show(t, "hello 她\n") == (
        f"hello·{t.id_of('hello')} " + r" ·32 \xe5\xa5·260 \xb9·185 \n·10"
    )


def test_a_file_of_another_library_is_sent_to_the_formats(tmp_path: Any) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text("{}", "utf-8")
    for path in (file, tmp_path / "missing"):
        with pytest.raises(ArtifactError, match=r"give bpe or unigram, or .*subword\.formats"):
            subword.load(path)
    with pytest.raises(ArtifactError, match="is a folder; give the path of a compiled file"):
        subword.load(tmp_path)


@pytest.mark.parametrize("name", ["bpe", "unigram"])
def test_shipped_vocabularies_are_loaded_once(name: str) -> None:
    try:
        t = subword.load(name)
    except ResourceError:
        pytest.skip(f"models/{subword.SHIPPED[name]} is not built here")
    assert t.vocab_size == 8048
    assert t.closed
    assert subword.load(name) is t
    assert all(t.id_of(piece) is not None for piece in BYTE_PIECES)
    for text in ("中国人民的语言文字", "𠀀 A\r\n\ud800<0x41>", "", "ｆullｗidth"):
        assert t.decode(t.encode(text)) == text
    assert len(t.encode("我们的时候")) < 5


@pytest.mark.parametrize("name", ["bpe", "unigram"])
@given(text=st.text())
def test_shipped_vocabularies_round_trip(name: str, text: str) -> None:
    try:
        t = subword.load(name)
    except ResourceError:
        pytest.skip(f"models/{subword.SHIPPED[name]} is not built here")
    assert t.decode(t.encode(text)) == text


def test_a_file_of_another_library_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "segmenter-tokenizer.model").write_text("{}", "utf-8")
    message = r"segmenter-tokenizer.model: .*; give a file of Tokenizer.save; segmenter.subword.fo"
    with pytest.raises(ArtifactError, match=message):
        Tokenizer.load(tmp_path / "segmenter-tokenizer.model")
    with pytest.raises(ArtifactError, match=message):
        Tokenizer.from_pretrained(tmp_path)
    with pytest.raises(TypeError, match=r"^path must be str or os.PathLike, not int$"):
        Tokenizer.from_pretrained(5)  # type: ignore[arg-type]
