"""Part-of-speech tags: the kernel against its twin, the trainer, the shipped model, the engine."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
import worlds
from hypothesis import given
from hypothesis import strategies as st
from reference import PosModel
from tagged_text import LISTED, OPTIONS, SENTENCES

import segmenter as seg
from segmenter import artifact
from segmenter.choices import DECODERS, PRESETS
from segmenter.cli import main
from segmenter.errors import (
    ArgumentError,
    ArtifactError,
    DictionaryError,
    ResourceError,
)
from segmenter.tagging import pos
from segmenter.train import pos as training

if TYPE_CHECKING:
    from pathlib import Path

    from segmenter import Segmenter


@pytest.fixture(scope="module")
def small() -> pos.PosTagger:
    return training.train(SENTENCES, LISTED, OPTIONS)


@pytest.fixture(scope="module")
def shipped_tagger() -> pos.PosTagger:
    try:
        return pos.load()
    except ResourceError:
        pytest.skip("models/pos.model is not built here")


@pytest.fixture(scope="module")
def s(shipped_tagger: pos.PosTagger) -> Segmenter:
    return seg.load("fast")


def twin(tagger: pos.PosTagger) -> PosModel:
    art = tagger.artifact
    sections = {name: bytes(art.section(name)) for name in art.names()}
    encode = tagger.native.lexicon.encode
    return PosModel(
        sections,
        list(tagger.meta["tags"]),
        tagger.meta["sure"],
        lambda character: ord(encode(character)),
    )


# --- training --------------------------------------------------------------------------------


def test_it_learns_its_text(small: pos.PosTagger) -> None:
    wrong = sum(
        tag != gold
        for sentence in map(training.whole_names, SENTENCES)
        for (_, gold), tag in zip(sentence, small.tags([w for w, _ in sentence]), strict=True)
    )
    assert wrong == 0
    # the same word, another tag: context decides
    assert small.tags(["他", "研究", "历史"])[1] == "v"
    assert small.tags(["这", "项", "研究", "很", "难"])[2] == "vn"


def test_equal_input_gives_equal_bytes(small: pos.PosTagger) -> None:
    again = training.train(SENTENCES, LISTED, OPTIONS)
    assert again.to_bytes() == small.to_bytes()


def test_an_own_tag_set(tmp_path: Path) -> None:
    text = tmp_path / "tagged.txt"
    text.write_text("他/PRON 跑/VERB\n她/PRON 唱歌/VERB ！/PUNCT\n" * 3, "utf-8")
    words = tmp_path / "words.tsv"
    words.write_text("游泳\t5\tVERB\n", "utf-8")
    out = tmp_path / "own.model"
    made = training.train_files([text], out, lexicon=words)
    assert made.tags(["他", "唱歌", "？", " "]) == ["PRON", "VERB", "PUNCT", "x"]
    assert pos.load(out).tags(["她", "游泳"]) == ["PRON", "VERB"]


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


def test_names_whole_and_in_two() -> None:
    sentence = SENTENCES[6]
    assert training.whole_names(sentence)[0] == ("王小明", "nr")
    both = training.both_standards([sentence] * 4, 4)
    assert [len(x) for x in both] == [6, 6, 6, 7]


# --- the kernel and its twin -------------------------------------------------------------------

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
    reference = twin(tagger)
    for at in range(0, len(WORDS) - 8, 3):
        some = [*WORDS[at : at + 8], *WORDS[-at % 50 :: 7]]
        assert tagger.tags(some) == reference.tags(some)


def test_a_tag_that_leads_by_the_margin_needs_no_other_features(small: pos.PosTagger) -> None:
    reference = twin(small)
    asked: list[int] = []
    joint = reference.joint

    def counted(*given: object) -> list[int]:
        asked.append(1)
        return joint(*given)  # type: ignore[arg-type]

    reference.joint = counted  # type: ignore[method-assign, assignment]
    counts = []
    for reference.sure in (0, small.meta["sure"], 0x7FFF):
        asked.clear()
        for sentence in SENTENCES:
            reference.tags([w for w, _ in sentence])
        counts.append(len(asked))
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
    known = [data.draw(tags) for _ in some]
    got = tagger.tags(some, known)
    blank = [not w or not w.strip(" \t\r\u3000\xa0\x85\x0b\u2028") or "\n" in w for w in some]
    for tag, own, skip in zip(got, known, blank, strict=True):
        assert own is None or skip or tag == own
    expected = reference.tags(some, known)
    assert got == [e if k is None else k for e, k in zip(expected, known, strict=True)]


_cached: list[tuple[pos.PosTagger, PosModel]] = []


def _both() -> tuple[pos.PosTagger, PosModel]:
    if not _cached:
        tagger = training.train(SENTENCES, LISTED, OPTIONS)
        _cached.append((tagger, twin(tagger)))
    return _cached[0]


def test_traditional_text_has_the_tags_of_simplified(s: Segmenter) -> None:
    for plain, traditional in (
        ("台中正确应该不会被切开", "台中正確應該不會被切開"),
        ("经济的发展需要时间", "經濟的發展需要時間"),
        ("他们在台湾大学图书馆看书", "他們在臺灣大學圖書館看書"),
    ):
        got = s.tag(traditional)
        assert "".join(word for word, _ in got) == traditional
        assert [tag for _, tag in got] == [tag for _, tag in s.tag(plain)]


def test_every_feature_is_found_and_no_bucket_is_too_full() -> None:
    import numpy as np

    rng = np.random.default_rng(7)
    keys = rng.integers(0, 2**64, 3000, dtype=np.uint64, endpoint=False)
    values = rng.choice([-3.0, 2.0, 5.0], len(keys)).astype(np.float32)
    of = np.repeat(keys, rng.integers(1, 8, len(keys)))  # features of one to seven tags
    weights = training.Weights(
        of, np.resize(np.arange(20, dtype=np.uint8), len(of)), np.resize(values, len(of))
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


def test_shipped_model_equals_reference(shipped_tagger: pos.PosTagger) -> None:
    reference = twin(shipped_tagger)
    cut = seg.load("fast").cut
    for text in (
        "他说的确实在理", "2026年3月，中国科学院的张小明教授在北京研究人工智能。",
        "买iPhone 15花了1.5亿元！",
        "王　小明\n去上海\r\n👍", worlds.random_text(7, 400),
    ):  # fmt: skip
        assert shipped_tagger.tags(cut(text)) == reference.tags(cut(text))


# --- promises ----------------------------------------------------------------------------------


@given(worlds.texts | worlds.any_text)
def test_boundaries_are_those_of_cut(text: str) -> None:
    tagger = seg.load("fast")
    try:
        got = tagger.tag(text)
    except ResourceError:
        pytest.skip("models/pos.model is not built here")
    assert [word for word, _ in got] == tagger.cut(text)
    assert {tag for _, tag in got} <= set(pos.MEANING)
    assert tagger.tokenize(text, pos=True).tags == [tag for _, tag in got]
    assert tagger.tokenize(text, pos=True).spans == tagger.tokenize(text).spans


@pytest.mark.parametrize("name", [*PRESETS])
@pytest.mark.parametrize("standard", ["general", "pku"])
def test_every_preset(name: str, standard: str, shipped_tagger: pos.PosTagger) -> None:
    try:
        s = seg.load(name, standard=standard)
    except ResourceError:
        pytest.skip("a model is not built here")
    text = "江泽民主席在北京会见了外国客人。"
    got = s.tag(text)
    assert [w for w, _ in got] == s.cut(text)
    assert got[0][1] == "nr"
    assert ("北京", "ns") in got
    assert got[-1] == ("。", "w")
    if standard == "general":
        assert got[0] == ("江泽民", "nr")


@pytest.mark.parametrize("decoder", DECODERS)
def test_every_decoder(decoder: str, shipped_tagger: pos.PosTagger) -> None:
    try:
        s = seg.load("fast", decoder=decoder)
    except ResourceError:
        pytest.skip("a model is not built here")
    assert s.tag("他说的确实在理")[0] == ("他", "r")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"decoder": "unigram"},
        {"decoder": "unigram", "skip": ("space", "punct")},
        {"decoder": "unigram", "matcher": "aho-corasick"},
        {"decoder": "bigram", "user": ["的确实", ("在", "force")]},
        {"atoms": {"url": "keep"}, "oov": "bpe"},
    ],
)
def test_tags_of_a_text_are_those_of_its_words(
    options: dict[str, object], shipped_tagger: pos.PosTagger
) -> None:
    """Also when words are known from texts before, and for texts of every width."""
    s = seg.load("fast", **options)  # type: ignore[arg-type]
    texts = [
        "",
        "abc 1,234.5 def\n",
        "caf\xe9 \xe0 Paris",
        "他说的确实在理，研究生命的起源。見 https://例.cn/a 與 iPhone15，Ｂ座１２号",
        "犇骉魑魅\r\n发展中国家的发展",
        "發展經濟 \U00020000\U0001f44d 在在的的 \ud800 乾淨",
        "研究发展经济，" * 40,
    ]
    for _ in range(2):
        for text in texts:
            words = s.cut(text)
            assert s.tag(text) == list(zip(words, shipped_tagger.tags(words), strict=True)), text


def test_pairs_are_shared_and_untouched(s: Segmenter) -> None:
    first, second = s.tag("促进经济的发展"), s.tag("促进经济的发展")
    assert first == second
    assert all(a is b for a, b in zip(first, second, strict=True))


def test_lines_are_tagged_alike_together_and_alone(s: Segmenter) -> None:
    lines = ["他在研究历史", "研究历史很难", "  2026年  ", "", "计划发展经济"]
    together = [tag for word, tag in s.tag("\n".join(lines)) if "\n" not in word]
    assert together == [tag for line in lines for _, tag in s.tag(line)]


def test_blanks_are_nobodys_neighbour(shipped_tagger: pos.PosTagger) -> None:
    tags = dict.fromkeys(["他", "在", "研究", "历史"])
    plain = shipped_tagger.tags(list(tags))
    spaced = shipped_tagger.tags(["他", " ", "在", "\u3000", "研究", "\t", "历史"])
    assert spaced[::2] == plain
    assert set(spaced[1::2]) == {"x"}


def test_the_users_tag_wins(s: Segmenter) -> None:
    mine = s.with_words([("研究", "prefer", "zz"), "云南白药", ("提|出", "split", "v")])
    got = mine.tag("他研究云南白药")
    assert got[1] == ("研究", "zz")
    assert dict(got)["云南白药"] in pos.MEANING  # without a tag of its own: by context
    assert mine.tokenize("他研究云南白药", pos=True).tags == [t for _, t in got]
    # parts of a split word are words like others
    assert [t for w, t in mine.tag("他提出问题") if w in "提出"] != ["v", "v", "zz"]
    assert mine.user.tagged
    assert not s.with_words(["云南白药"]).user.tagged


def test_the_users_tag_is_context(s: Segmenter) -> None:
    # a word after a numeral is another than after an adverb
    as_number = s.with_words([("呜啦", "prefer", "m")]).tag("呜啦个人")
    as_adverb = s.with_words([("呜啦", "prefer", "d")]).tag("呜啦个人")
    assert as_number[0] == ("呜啦", "m")
    assert as_adverb[0] == ("呜啦", "d")


def test_threads_and_pickles(s: Segmenter, small: pos.PosTagger) -> None:
    text = "他说的确实在理，中国科学院的教授在北京研究人工智能。" * 5
    expected = s.tag(text)
    with ThreadPoolExecutor(4) as pool:
        assert all(got == expected for got in pool.map(s.tag, [text] * 40))
    again = pickle.loads(pickle.dumps(small))
    assert again.tags(["他", "研究", "历史"]) == small.tags(["他", "研究", "历史"])
    assert pickle.loads(pickle.dumps(s)).tag(text) == expected


def test_wrong_types_name_the_argument(small: pos.PosTagger, s: Segmenter) -> None:
    with pytest.raises(TypeError, match="words"):
        small.tags("他说")
    with pytest.raises(TypeError, match="words: item 1"):
        small.tags(["他", 3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="given"):
        small.tags(["他"], [])
    with pytest.raises(TypeError, match="text"):
        s.tag(None)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="pos"):
        s.tokenize("他", mode="search", pos=True)


# --- the file ----------------------------------------------------------------------------------


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
        with pytest.raises(ArtifactError, match=r"part-of-speech.*recipes\.pos"):
            pos.PosTagger.from_bytes(data)
    with pytest.raises(ArtifactError):
        pos.PosTagger.from_bytes(small.to_bytes()[:-1])


def test_the_shipped_model_is_small_and_says_what_it_is(shipped_tagger: pos.PosTagger) -> None:
    assert shipped_tagger.artifact.size <= 3_300_000
    assert list(shipped_tagger.meta["tags"]) == list(pos.MEANING)


# --- the command line --------------------------------------------------------------------------


def test_tag_writes_words_and_tags(
    s: Segmenter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "in.txt"
    text.write_text("促进经济的发展\n\n研究历史", "utf-8")
    out = tmp_path / "out.txt"
    assert main(["tag", "--preset", "fast", str(text), "-o", str(out)]) == 0
    lines = out.read_text("utf-8").split("\n")
    assert lines[0] == "促进/v 经济/n 的/u 发展/vn"
    assert lines[1:] == ["", " ".join(f"{w}/{t}" for w, t in s.tag("研究历史")), ""]
    assert main(["tag", "--preset", "fast", "--sep", r"\t", "--mark", "_", str(text)]) == 0
    assert main(["tag", "--tags"]) == 0
    assert "nr\t人名\tpersonal name\n" in capsys.readouterr().out
    command = ["tokenize", "--pos", "--preset", "fast", "--color", "never", str(text)]
    assert main([*command, "-o", str(out)]) == 0
    rows = [line.split("\t") for line in out.read_text("utf-8").splitlines()]
    assert [row[6] for row in rows[:4]] == ["v", "n", "u", "vn"]
    assert main(["tokenize", "--pos", "--mode", "search", str(text)]) == 2
    assert "--mode words" in capsys.readouterr().err


def test_train_pos_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "tagged.txt"
    text.write_text("他/PRON 跑/VERB\n她/PRON 唱歌/VERB ！/PUNCT\n" * 3, "utf-8")
    out = tmp_path / "own.model"
    assert main(["train", "pos", "--train", str(text), "--out", str(out)]) == 0
    assert "5 tags" in capsys.readouterr().err
    assert pos.load(out).tags(["她", "唱歌"]) == ["PRON", "VERB"]
    text.write_text("他 跑\n", "utf-8")
    assert main(["train", "pos", "--train", str(text), "--out", str(out)]) != 0
    assert "tagged.txt" in capsys.readouterr().err
