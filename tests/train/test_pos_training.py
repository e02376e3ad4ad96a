"""Part-of-speech taggers: the trainer, and the kernel against its reference with a small model."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest
import worlds
from hypothesis import given
from hypothesis import strategies as st
from reference.pos import PosModel, model_of
from tagged_text import LISTED, OPTIONS, SENTENCES

from segmenter import artifact
from segmenter.errors import ArgumentError, ArtifactError, DictionaryError
from segmenter.tagging import pos
from segmenter.train import pos as training

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def small() -> pos.PosTagger:
    return training.train(SENTENCES, LISTED, OPTIONS)


def test_it_learns_its_text(small: pos.PosTagger) -> None:
    wrong = sum(
        tag != gold
        for sentence in SENTENCES
        for (_, gold), tag in zip(sentence, small.tags([w for w, _ in sentence]), strict=True)
    )
    assert wrong == 0
    # the same word, another tag: context decides
    assert small.tags(["他", "研究", "历史"])[1] == "v"
    assert small.tags(["这", "项", "研究", "很", "难"])[2] == "vn"


def test_equal_input_gives_equal_bytes(small: pos.PosTagger) -> None:
    retrained = training.train(SENTENCES, LISTED, OPTIONS)
    assert retrained.to_bytes() == small.to_bytes()


def test_further_runs_learn_the_features_of_the_first() -> None:
    passes: list[int] = []
    options = replace(OPTIONS, runs=3)
    trained = training.train(
        SENTENCES, LISTED, options, progress=lambda number, wrong: passes.append(number)
    )
    each = 2 * options.epochs
    assert passes == list(range(1, 2 * options.choosing + 3 * each + 1))
    for sentence in SENTENCES:
        assert trained.tags([w for w, _ in sentence]) == [tag for _, tag in sentence]


def test_an_own_tag_set(tmp_path: Path) -> None:
    text = tmp_path / "tagged.txt"
    text.write_text("他/PRON 跑/VERB\n她/PRON 唱歌/VERB ！/PUNCT\n" * 3, "utf-8")
    words = tmp_path / "words.tsv"
    words.write_text("游泳\t5\tVERB\n", "utf-8")
    path = tmp_path / "own.model"
    trained = training.train_files([text], path, lexicon=words)
    assert trained.tags(["他", "唱歌", "？", " "]) == ["PRON", "VERB", "PUNCT", "x"]
    assert pos.load(path).tags(["她", "游泳"]) == ["PRON", "VERB"]


def test_faults_of_tagged_text_are_named(tmp_path: Path) -> None:
    text = tmp_path / "tagged.txt"
    text.write_text("他/r\n她 说/v\n", "utf-8")
    with pytest.raises(DictionaryError, match=r"tagged\.txt.*2"):
        training.train_files([text], tmp_path / "x.model")
    with pytest.raises(ArgumentError, match="no tagged word"):
        training.train([], {})
    with pytest.raises(ArgumentError, match="'他' has the tag 'q9'"):
        training.train([[("他", "q9")]], {})
    with pytest.raises(ArgumentError, match="63 at most"):
        training.train(SENTENCES, {}, tags=[f"t{i}" for i in range(63)])


WORDS = [w for sentence in SENTENCES for w, _ in sentence] + [
    *LISTED, *worlds.PIECES, "王小明", "十二月", "二十", "第三", "１２", "12月", "3万", "A4纸",
    "x-1", "OK", "3.14", "Привет", "カタカナ", "铅笔盒子", "五个字的词", "六个字的长词", "", "\r\n",
    "a b", "a\nb", "👍", "é", "ａｂ", "人\u0301", "〇", "-", "。。",
]  # fmt: skip
words = st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=14)


@given(words)
def test_compiled_equals_reference(small_words: list[str]) -> None:
    tagger, reference = _both()
    got = tagger.tags(small_words)
    assert got == reference.tags(small_words)
    assert tagger.pairs(small_words) == list(zip(small_words, got, strict=True))
    assert tagger.native.classes(small_words) == [
        (word.cls, word.id) for word in map(reference.word, small_words)
    ]


@pytest.mark.parametrize("sure", [0, 1, 40, 0x7FFF])
def test_compiled_equals_reference_whatever_is_sure(small: pos.PosTagger, sure: int) -> None:
    """From no word in doubt to every word."""
    art = small.artifact
    sections = {name: bytes(art.section(name)) for name in art.names()}
    tagger = pos.PosTagger.from_bytes(artifact.pack(pos.KIND, sections, {**art.meta, "sure": sure}))
    reference = model_of(tagger)
    for begin in range(0, len(WORDS) - 8, 3):
        some = [*WORDS[begin : begin + 8], *WORDS[-begin % 50 :: 7]]
        assert tagger.tags(some) == reference.tags(some)


def test_a_tag_that_leads_by_the_margin_needs_no_other_features(small: pos.PosTagger) -> None:
    reference = model_of(small)
    calls: list[int] = []
    joint = reference.joint

    def counted(*arguments: object) -> list[int]:
        calls.append(1)
        return joint(*arguments)  # type: ignore[arg-type]

    reference.joint = counted  # type: ignore[method-assign, assignment]
    counts = []
    for reference.sure in (0, small.meta["sure"], 0x7FFF):
        calls.clear()
        for sentence in SENTENCES:
            reference.tags([w for w, _ in sentence])
        counts.append(len(calls))
    assert counts[0] == 0
    assert counts[1] < counts[2] / 2


@pytest.mark.parametrize("sure", [None, -1, "5", 1.5, 0x8000])
def test_a_margin_that_is_none_is_refused(small: pos.PosTagger, sure: object) -> None:
    art = small.artifact
    sections = {name: bytes(art.section(name)) for name in art.names()}
    data = artifact.pack(pos.KIND, sections, {**art.meta, "sure": sure})
    with pytest.raises(ArtifactError, match=r"sure|fit together"):
        pos.PosTagger.from_bytes(data)


@given(words, st.data())
def test_given_tags_stand_and_are_context(some: list[str], data: st.DataObject) -> None:
    tagger, reference = _both()
    tags = st.sampled_from([None, None, "n", "v", "r", "own"])
    known_tags = [data.draw(tags) for _ in some]
    got = tagger.tags(some, known_tags)
    blank = [not w or not w.strip(" \t\r\u3000\xa0\x85\x0b\u2028") or "\n" in w for w in some]
    for tag, known_tag, skip in zip(got, known_tags, blank, strict=True):
        assert known_tag is None or skip or tag == known_tag
    expected = reference.tags(some, known_tags)
    assert got == [e if k is None else k for e, k in zip(expected, known_tags, strict=True)]


@cache
def _both() -> tuple[pos.PosTagger, PosModel]:
    tagger = training.train(SENTENCES, LISTED, OPTIONS)
    return tagger, model_of(tagger)


def test_every_feature_is_found_and_no_bucket_is_too_full() -> None:
    import numpy as np

    rng = np.random.default_rng(7)
    keys = rng.integers(0, 2**64, 3000, dtype=np.uint64, endpoint=False)
    values = rng.choice([-3.0, 2.0, 5.0], len(keys)).astype(np.float32)
    feature_keys = np.repeat(keys, rng.integers(1, 8, len(keys)))  # features of one to seven tags
    weights = training.Weights(
        feature_keys,
        np.resize(np.arange(20, dtype=np.uint8), len(feature_keys)),
        np.resize(values, len(feature_keys)),
    )
    packed, scale = training.pack_weights(weights, 0.0, 20)
    shipped = training.train(SENTENCES, LISTED, OPTIONS).artifact
    sections = {name: bytes(shipped.section(name)) for name in shipped.names()}
    reference = PosModel({**sections, **packed}, [f"t{i}" for i in range(20)], 0)
    for key in keys.tolist():
        mine = weights.keys == key
        expected = {
            int(t): round(v * scale)
            for t, v in zip(weights.tags[mine], weights.values[mine].tolist(), strict=True)
        }
        assert {t: w for t, w in reference.weights(key) if w} == expected


def test_of_two_features_that_look_alike_the_stronger_stays() -> None:
    """No number of buckets parts them: the search for one went on for ever."""
    import numpy as np

    keys = np.array([5 << 32, 5 << 32, 5 << 32 | 1, 9 << 40], np.uint64)
    values = np.array([1.0, -2.0, 4.0, 3.0], np.float32)
    weights = training.Weights(keys, np.array([0, 1, 2, 3], np.uint8), values)
    packed, _ = training.pack_weights(weights, 0.0, 20)
    stronger = training.Weights(keys[2:], weights.tags[2:], values[2:])
    assert packed == training.pack_weights(stronger, 0.0, 20)[0]


def test_sections_that_do_not_fit_are_refused(small: pos.PosTagger) -> None:
    art = small.artifact
    sections = {name: bytes(art.section(name)) for name in art.names()}
    blocks = sections["pos.blocks"]
    for change in (
        {"pos.masks": sections["pos.masks"][:-8]},
        {"pos.masks": bytes(len(sections["pos.masks"]))},
        {"pos.table": b"\xff" * len(sections["pos.table"])},
        {"pos.table": sections["pos.table"][:-2]},
        {"pos.table": b""},
        {"pos.blocks": b""},
        {"pos.blocks": blocks[: -8 * training.PLACES]},
        {"pos.blocks": b"\xfe" * len(blocks)},
        {"pos.blocks": b"\xff" * len(blocks)},
        {"pos.rows": sections["pos.rows"] + b"\0"},
        {"pos.affixes": b""},
    ):
        data = artifact.pack(pos.KIND, {**sections, **change}, art.meta)
        with pytest.raises(ArtifactError, match=r"part-of-speech.*models/pos\.model"):
            pos.PosTagger.from_bytes(data)
    with pytest.raises(ArtifactError):
        pos.PosTagger.from_bytes(small.to_bytes()[:-1])


def test_a_word_without_a_tag_teaches_nothing_and_is_a_neighbour() -> None:
    unknown = [[(w, None) for w, _ in s] for s in SENTENCES]
    with_them = training.train([*SENTENCES, *unknown], LISTED, OPTIONS)
    alone = training.train(SENTENCES, LISTED, OPTIONS)
    assert with_them.meta["words"] == alone.meta["words"]
    assert with_them.meta["classes"] == alone.meta["classes"]
    for s in SENTENCES:
        assert with_them.tags([w for w, _ in s]) == [t for _, t in s]


def test_features_keep_four_weights_where_the_fifth_is_small() -> None:
    import numpy as np

    values = np.array([5, -4, 3, 2.5, 2, 1, 5, 4, 4, 4, 3, -3], np.float32)
    keys = np.repeat(np.array([7 << 32, 8 << 32], np.uint64), 6)
    weights = training.Weights(keys, np.resize(np.arange(6, dtype=np.uint8), 12), values)
    fewer = training.limit_weights(weights, 2.5)
    assert sorted(fewer.values[fewer.keys == 7 << 32].tolist()) == [-4, 2.5, 3, 5]
    assert len(fewer.values[fewer.keys == 8 << 32]) == 6
    packed_full, _ = training.pack_weights(weights, 0.0, 6)
    packed_few, _ = training.pack_weights(fewer, 0.0, 6)
    assert len(packed_full["pos.rows"]) == 2 * len(packed_few["pos.rows"]) == 2 * 16
