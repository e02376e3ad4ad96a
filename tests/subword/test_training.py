"""Trainers against the reference, and what a trained Tokenizer promises."""

from __future__ import annotations

import io
import math
import random
from array import array
from collections import Counter
from itertools import pairwise, product
from random import Random
from typing import Any

import foreign
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import merges, unigrams

from segmenter import Segmenter
from segmenter.errors import ArgumentError, EncodingError
from segmenter.kernels import _subword
from segmenter.subword import (
    BPE,
    Tokenizer,
    Unigram,
    WordPiece,
    normalise,
    postprocess,
    pretokenise,
)
from segmenter.subword.formats import tokenizer_json
from segmenter.subword.models.model import BYTE_PIECES, BYTE_TO_CHAR, to_bytes
from segmenter.subword.training import count_spans, covering, pairs, unigram

CORPORA = st.dictionaries(st.text("abc好", min_size=1, max_size=8), st.integers(1, 9), max_size=8)


# --- the learners ----------------------------------------------------------------------------


def segmentations(word: str, scores: dict[str, float]) -> list[list[str]]:
    ways = []
    for cuts in product([False, True], repeat=len(word) - 1):
        places = [0, *(i for i, cut in enumerate(cuts, 1) if cut), len(word)]
        parts = [word[a:b] for a, b in pairwise(places)]
        if all(part in scores for part in parts):
            ways.append(parts)
    return ways


SCORES = st.dictionaries(
    st.text("ab好", min_size=1, max_size=4), st.floats(-9, -0.5), min_size=1, max_size=12
)


@given(SCORES, st.text("ab好", min_size=1, max_size=7), st.integers(1, 5))
def test_expected_counts_are_those_of_enumeration(
    scores: dict[str, float], word: str, weight: int
) -> None:
    expected, likelihood = unigrams.expected_counts([(word, weight)], scores)
    ways = segmentations(word, scores)
    chances = [math.exp(sum(scores[p] for p in way)) for way in ways]
    totals = dict.fromkeys(scores, 0.0)
    for way, chance in zip(ways, chances, strict=True):
        for piece in way:
            totals[piece] += weight * chance / sum(chances)
    assert expected == pytest.approx(totals, abs=1e-9)
    assert likelihood == pytest.approx(weight * math.log(sum(chances)) if ways else 0.0, abs=1e-9)


@given(SCORES, CORPORA)
def test_compiled_passes_are_those_of_the_readable_ones(
    scores: dict[str, float], words: dict[str, int]
) -> None:
    words = {**words, "abab好": 2}
    scores = {**dict.fromkeys("abc好", -12.0), **scores}
    corpus = _subword.UnigramCorpus(words.items())
    corpus.set_pieces(list(scores), array("d", scores.values()))
    totals_out = array("d", bytes(8 * len(scores)))
    likelihood = corpus.expected(totals_out)
    expected, totals = unigrams.expected_counts(words.items(), scores)
    assert dict(zip(scores, totals_out, strict=True)) == pytest.approx(expected, abs=1e-9)
    assert likelihood == pytest.approx(totals, abs=1e-9)
    corpus.best(totals_out)
    assert dict(zip(scores, totals_out, strict=True)) == unigrams.best_counts(words.items(), scores)
    pieces = list(scores)
    for i, parts in enumerate(unigrams.alternatives(scores)):
        found_pieces = [pieces[k] for k in reversed(corpus.alternative(i))]
        assert "".join(found_pieces) in (pieces[i], "")
        assert bool(found_pieces) == bool(parts)
        assert sum(scores[p] for p in found_pieces) == pytest.approx(sum(scores[p] for p in parts))


def test_losses_estimate_the_exact_ones() -> None:
    # no boundary of a piece moves when another goes: the estimate differs by the new total alone
    words = {"ab": 6, "c": 3, "a": 2, "b": 1}
    scores = unigram.log_probabilities({"ab": 6.0, "c": 3.0, "a": 2.0, "b": 1.0})
    counts = unigrams.best_counts(words.items(), scores)
    assert counts == {"ab": 6, "c": 3, "a": 2, "b": 1}
    exact = foreign.exact_losses(words.items(), scores)["ab"]
    assert exact == pytest.approx(6 * (scores["ab"] - scores["a"] - scores["b"]))
    estimate = unigram.loss(6, 12, [2, 1])
    assert estimate == pytest.approx(0.5 * (math.log(6 / 12) - math.log(8 / 18) - math.log(7 / 18)))
    assert unigram.loss(6, 12, []) == math.inf
    assert unigram.loss(0, 12, [2, 1]) == 0


def test_the_likelihood_never_falls_over_plain_em() -> None:
    words = Counter({"abab": 5, "abc": 3, "cab": 2, "bca": 4})
    scores = unigram.log_probabilities(
        {**dict.fromkeys("abc", 1.0), **unigram.seed(words, 50, 4, 1)}
    )
    before = -math.inf
    for _ in range(8):
        expected, likelihood = unigrams.expected_counts(words.items(), scores)
        assert likelihood >= before - 1e-9
        before = likelihood
        scores = unigram.log_probabilities({p: n for p, n in expected.items() if n > 1e-12})


@given(CORPORA, st.integers(2, 5), st.integers(1, 3))
def test_seeds_are_all_frequent_substrings(words: dict[str, int], longest: int, least: int) -> None:
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for a in range(len(word)):
            for b in range(a + 2, min(len(word), a + longest) + 1):
                counts[word[a:b]] += count
    expected = {s: n for s, n in counts.items() if n >= least}
    assert dict(unigram.seed(words, 10_000, longest, least)) == expected
    weights = [n * len(s) for s, n in unigram.seed(words, 3, longest, least).items()]
    assert weights == sorted((n * len(s) for s, n in expected.items()), reverse=True)[:3]


def test_unigram_keeps_characters_and_what_it_is_told() -> None:
    counts = {"研究生": 9, "研究": 20, "生命": 8, "命": 5, "起源": 7}
    pieces = dict(unigram.learn(counts, 9, keep=["起源"]))
    assert len(pieces) == 9
    assert {*"研究生命起源", "起源", "研究"} <= set(pieces)
    assert sum(map(math.exp, pieces.values())) == pytest.approx(1.0, abs=0.2)


def test_coverage_chooses_the_alphabet() -> None:
    counts = {"aaaa": 10, "b": 9, "c": 1}
    assert covering(counts, 1.0) == ["a", "b", "c"]
    assert covering(counts, 0.98) == ["a", "b"]
    assert covering(counts, 0.8) == ["a"]


# --- the Tokenizer they make --------------------------------------------------------------------

TEXTS = [
    "他说的确实在理",
    "他在中国人民共和国说的",
    "一点十分 hello world，New York。",
    "中华人民",
] * 3


@pytest.fixture(scope="module")
def cutter(small) -> Segmenter:  # type: ignore[no-untyped-def]
    return Segmenter(small)


@pytest.fixture(
    scope="module",
    params=["bpe words", "bpe", "bpe bytes", "bpe words bytes", "unigram words", "unigram"],
)
def closed(request: pytest.FixtureRequest, cutter: Segmenter) -> Tokenizer:
    model, *options = request.param.split()
    return Tokenizer.train_from_iterator(
        TEXTS,
        model=model,
        vocab_size=320,
        segmenter=cutter if "words" in options else None,
        words=20 if "words" in options else None,
        byte_level="bytes" in options,
        special=["<s>", "</s>"],
    )


@given(
    text=st.one_of(st.text(), st.text("他说的确实在理 <0xA</s>\ud800\n\0"), st.sampled_from(TEXTS))
)
def test_round_trip_of_every_str(closed: Tokenizer, text: str) -> None:
    encoding = closed.encode(text)
    assert closed.decode(encoding) == text
    assert all(0 <= number < closed.vocab_size for number in encoding)
    assert not set(encoding) & {closed.id_of("<s>"), closed.id_of("</s>")}
    # offsets ascend and leave out nothing
    offset = 0
    for start, end in encoding.offsets:
        assert start <= offset <= end
        offset = end
    assert offset == len(text)
    for number, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
        spelt = closed.bytes_of(number)
        assert spelt in to_bytes(text[start:end])
        assert len(spelt) == 1 or is_byte_level(closed) or to_bytes(text[start:end]) == spelt


def is_byte_level(t: Tokenizer) -> bool:
    return isinstance(t.model, BPE) and t.model.byte_level


def test_byte_pieces_never_stand_for_text(closed: Tokenizer) -> None:
    text = "<0xE4><0x0A>"
    assert closed.decode(closed.encode(text)) == text
    assert closed.id_of("<0xE4>") not in closed.encode(text).ids


def test_sizes_and_order_of_ids(closed: Tokenizer) -> None:
    assert closed.vocab_size <= 320
    assert closed.closed
    special = ["<unk>"] * isinstance(closed.model, Unigram) + ["<s>", "</s>"]
    fixed = [*special, *(sorted(BYTE_TO_CHAR.values()) if is_byte_level(closed) else BYTE_PIECES)]
    assert [closed.piece_of(i) for i in range(len(fixed))] == fixed


def test_tokenizers_gives_the_same_ids(tmp_path) -> None:  # type: ignore[no-untyped-def]
    library = pytest.importorskip("tokenizers")
    for options in (
        {"model": "bpe"},
        {"model": "bpe", "byte_level": True},
        {"model": "unigram"},
        {"model": "wordpiece"},
    ):
        ours = Tokenizer.train_from_iterator(TEXTS, vocab_size=330, **options)
        tokenizer_json.save(ours, tmp_path / "tokenizer.json")
        theirs = library.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
        for text in [*TEXTS, "他說\r\n hello€ 😀 12a", ""]:
            assert theirs.encode(text).ids == ours.encode(text).ids


def test_listed_words_are_whole_pieces(cutter: Segmenter) -> None:
    words = ["中华人民共和国", "确实", "<0xE4>", "国中"]
    t = Tokenizer.train_from_iterator(TEXTS, segmenter=cutter, words=words, vocab_size=330)
    assert t.encode("中华人民共和国").tokens == ["中华人民共和国"]
    assert t.encode("<0xE4>").ids != [t.id_of("<0xE4>")]
    assert t.decode(t.encode("<0xE4>中华人民共和国")) == "<0xE4>中华人民共和国"
    largest = Tokenizer.train_from_iterator(TEXTS, segmenter=cutter, words=2, vocab_size=330)
    assert isinstance(largest.model, BPE)
    assert largest.model.ignore_merges


def test_special_tokens_that_look_like_words(cutter: Segmenter) -> None:
    special = ["hello", "他", "说的"]
    for options in (
        {"model": "bpe"},
        {"model": "bpe", "byte_level": True},
        {"model": "bpe", "segmenter": cutter, "words": ["说的", "hello", "确实"]},
        {"model": "unigram"},
        {"model": "wordpiece"},
    ):
        t = Tokenizer.train_from_iterator(TEXTS, vocab_size=340, special=special, **options)
        ids = {t.id_of(token) for token in special}
        for text in ("hello", "他", "说的", "他说的 hello"):
            encoding = t.encode(text)
            assert not ids & set(encoding.ids)
            assert not t.closed or t.decode(encoding) == text
        assert t.encode("他", allowed="all").ids == [t.id_of("他")]
        reloaded = Tokenizer.from_bytes(t.to_bytes(), segmenter=cutter)
        assert reloaded.encode("他 hello") == t.encode("他 hello")


def test_wordpiece_has_unknown_words(cutter: Segmenter) -> None:
    t = Tokenizer.train_from_iterator(
        TEXTS, model="wordpiece", vocab_size=70, min_frequency=1, segmenter=cutter
    )
    assert isinstance(t.model, WordPiece)
    assert t.encode("他 說").tokens == ["他", "[UNK]"]
    assert not t.closed


def test_without_bytes_unknown_characters_stay_unknown() -> None:
    for model in ("bpe", "unigram"):
        t = Tokenizer.train_from_iterator(TEXTS, model=model, vocab_size=60, byte_fallback=False)
        assert t.encode("他説").tokens[-1] == "<unk>"
        assert not t.closed


def test_texts_that_a_normaliser_makes_longer_are_counted_to_their_ends() -> None:
    counts = count_spans(["你好é"], normalise.Bert(), pretokenise.BertPreTokenizer())
    assert counts == {"你": 1, "好": 1, "e": 1}
    counts = count_spans(["áb cd"], normalise.NFD(), pretokenise.WhitespaceSplit())
    assert counts == {"a\u0301b": 1, "cd": 1}


def test_metaspace_and_normaliser() -> None:
    t = Tokenizer.train_from_iterator(
        TEXTS,
        model="unigram",
        vocab_size=320,
        normaliser=normalise.NFKC(),
        pretokeniser=pretokenise.Metaspace(),
    )
    assert isinstance(t.model, Unigram)
    encoding = t.encode("ｈello ｗorld")
    assert encoding.tokens[0].startswith("▁")
    assert t.decode(encoding) == "hello world"
    assert encoding.offsets[-1][1] == 11


def test_files_and_progress(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.txt"
    path.write_text("\n".join(TEXTS), "utf-8")
    calls: list[str] = []
    from_file = Tokenizer.train(
        path, vocab_size=400, progress=lambda step, done, total: calls.append(step)
    )
    assert from_file.model.vocab == Tokenizer.train_from_iterator(TEXTS, vocab_size=400).model.vocab
    tokenizer_both = Tokenizer.train([path, io.BytesIO("好".encode())], vocab_size=400)
    assert tokenizer_both.encode("好").tokens == ["好"]
    path.write_bytes("他说".encode("gbk"))
    with pytest.raises(EncodingError, match="line 1"):
        Tokenizer.train(path)
    assert Tokenizer.train(path, encoding="gbk", vocab_size=300).encode("他").tokens == ["他"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "lstm"}, "model"),
        ({"model": "unigram", "byte_level": True}, "byte_level"),
        ({"vocab_size": 100}, "vocab_size"),
        ({"vocab_size": 0}, "vocab_size"),
        ({"coverage": 0.0}, "coverage"),
        ({"coverage": 1.5}, "coverage"),
        ({"min_frequency": 0}, "min_frequency"),
        ({"special": ["<s>", "<s>"]}, "special"),
        ({"words": -1}, "words"),
        ({"special": ["<0x41>"]}, "special"),
        ({"special": ["é"], "byte_level": True}, "special"),
        ({"words": [""]}, "words"),
    ],
)
def test_options_are_checked(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Tokenizer.train_from_iterator(TEXTS, **options)


def test_types_are_checked() -> None:
    with pytest.raises(TypeError, match="texts"):
        Tokenizer.train_from_iterator("他说")
    with pytest.raises(TypeError, match="number 2"):
        Tokenizer.train_from_iterator(["他说", b"x"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="vocab_size"):
        Tokenizer.train_from_iterator(TEXTS, vocab_size=1e4)  # type: ignore[arg-type]


def test_training_is_repeatable() -> None:
    texts = TEXTS[:]
    random.Random(1).shuffle(texts)
    for model in ("bpe", "unigram", "wordpiece"):
        first = Tokenizer.train_from_iterator(texts, model=model, vocab_size=330)
        second = Tokenizer.train_from_iterator(texts, model=model, vocab_size=330)
        assert first.to_bytes() == second.to_bytes()


def test_merges_are_those_of_the_reference() -> None:
    draw = Random(5)
    for least in (1, 2):
        for _ in range(60):
            words = [
                (
                    "".join(draw.choices("ab#中\U00020000", k=draw.randrange(1, 9))),
                    draw.randrange(1, 9),
                )
                for _ in range(draw.randrange(1, 30))
            ]
            assert list(pairs.learn(words, least)) == list(merges.learn_bpe(words, least))
            for prefix in ("##", "#"):
                ours = list(pairs.learn(words, least, prefix=prefix, scored=True))
                assert ours == list(merges.learn_wordpiece(words, prefix, least))


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_spans_are_counted_in_the_order_in_which_they_are_met(threads: int) -> None:
    step = pretokenise.ByteLevel()
    texts = [*foreign.SENTENCES, "", "\ud800 a"] * 3
    expected: dict[str, int] = {}
    for text in texts:
        for a, b in step.split(text):
            expected[text[a:b]] = expected.get(text[a:b], 0) + 1
    counts = count_spans(texts, normalise.Identity(), step, threads=threads)
    assert list(counts.items()) == list(expected.items())


@pytest.mark.parametrize("kind", ["bpe", "byte", "wordpiece", "unigram"])
def test_a_new_tokenizer_of_the_same_steps(kind: str) -> None:
    special = {"[C]": 0, "[S]": 1}
    options: dict[str, Any] = {"byte_level": True} if kind == "byte" else {}
    old = Tokenizer.train_from_iterator(
        foreign.SENTENCES, model="bpe" if kind == "byte" else kind, vocab_size=600,
        special=[*special], normaliser=normalise.NFKC(), **options,
    )  # fmt: skip
    ids = {name: old.id_of(name) or 0 for name in special}
    template = postprocess.Template("[C] $A [S]", None, ids)
    old = Tokenizer(
        old.model, normaliser=old.normaliser, pretokeniser=old.pretokeniser, added=old.added,
        postprocessor=template,
    )  # fmt: skip
    new = old.train_new_from_iterator(
        ["天地玄黄，宇宙洪荒。"] * 5, 500, new_special_tokens=["<new>"], min_frequency=1
    )
    assert type(new.model) is type(old.model)
    assert new.vocab_size <= 500
    assert new.normaliser.kind == "NFKC"
    encoded = new.encode("天地")
    assert (encoded.tokens[0], encoded.tokens[-1]) == ("[C]", "[S]")
    assert encoded.ids[0] == new.id_of("[C]")
    assert new.id_of("<new>") is not None
    assert new.encode("<new>", allowed="all").ids[1:-1] == [new.id_of("<new>")]


@pytest.mark.parametrize("model", ["bpe", "wordpiece", "unigram"])
@pytest.mark.parametrize("texts", [[], [""]])
def test_a_model_needs_a_character(texts: list[str], model: str) -> None:
    with pytest.raises(ArgumentError, match="texts: there is no character to learn from"):
        Tokenizer.train_from_iterator(texts, model=model, vocab_size=300)
    texts_read = iter(["他说的"])
    list(texts_read)
    with pytest.raises(ArgumentError, match="texts: there is no character to learn from"):
        Tokenizer.train_from_iterator(texts_read, model=model, vocab_size=300)


def test_options_of_a_wrong_type_are_named() -> None:
    wrong: dict[str, Any] = {"segmenter": "fast", "coverage": "all"}
    for name, value in wrong.items():
        with pytest.raises(TypeError, match=f"{name} must be .*, not str"):
            Tokenizer.train_from_iterator(["他说的"], **{name: value})
    with pytest.raises(TypeError, match=r"files must be a path, .*, not NoneType"):
        Tokenizer.train(None)  # type: ignore[arg-type]
