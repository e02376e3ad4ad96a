"""Traditional, Hong Kong and Taiwan text over Simplified words, in its own characters."""

from __future__ import annotations

import pickle
import random
from typing import TYPE_CHECKING

import pytest
import worlds
from hypothesis import given
from hypothesis import strategies as st
from places import SHARED
from reference.decoders import decode
from reference.words import Dictionary

from segmenter import Segmenter, load
from segmenter.choices import LATTICE
from segmenter.lexicon import Lexicon
from segmenter.lexicon.user import UserDictionary, UserWord
from segmenter.tagging.predictor import Predictor
from segmenter.text import chars, variants

if TYPE_CHECKING:
    from pathlib import Path

DATA = SHARED / "data"
PRESETS = {
    "unigram": {"name": "fast", "decoder": "unigram"},
    "fast": {"name": "fast"},
    "balanced": {"name": "balanced"},
    "hmm": {"name": "fast", "decoder": "hmm"},
}

# Words with every kind of character: plain, kept, open; 书 is written 書 only.
WORDS = {
    word: count
    for count, words in enumerate(
        ("", "湾 净 划 计 馀 用著名 老王乾 三万", "著 台 今 余下 乾隆 用着 老 皇后",
         "乾坤 名 图画 点 时", "干净 计划 位于 于 后天", "看着 著名 画 台湾 后 天", "干 书 余",
         "看 用", "于 着", "的")
    )
    for word in words.split()
}  # fmt: skip
PIECES = [
    *WORDS, *"著着乾干淨净畫画划計臺台灣湾書书於于后後餘余馀看用名老的今點時萬", "看著", "著名",
    "乾淨", "乾坤", "計畫", "圖畫", "臺灣", "位於", "餘下", "後天", "皇后", "三萬", "國", "ab", "3",
    "，", " ", "\uf9b4",
    "\n", "\r\n", "的" * 30, "的" * 40,
]  # fmt: skip
SENTENCES = [
    "由於他們常常搬家。", "對於不會發音的單字，", "打開之後的時間，", "希望藉此提昇整體文化",
    "相当於一半", "樊於期", "乾隆皇帝把衣服弄乾淨", "著名作家看著", "不乾不淨", "沈陽沈下去",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def lexicon() -> Lexicon:
    return Lexicon.build([(w, n, "x") for w, n in WORDS.items()])


LEXICON = lexicon()
DICTIONARY = Dictionary.from_counts(WORDS.items())
UNIFIER = DICTIONARY.unifier


# --- the table -----------------------------------------------------------------------------------


def test_the_table_is_sound() -> None:
    plain = dict(zip(variants.PLAIN_FROM, variants.PLAIN_TO, strict=True))
    assert list(variants.PLAIN_FROM) == sorted(plain)
    assert len(plain) > 3000
    several = {entry[0] for entry in (*variants.KEPT, *variants.OPEN)}
    assert not several & plain.keys()
    for c, target in plain.items():
        assert c != target, c
        assert target not in plain, c  # folding twice is folding once
        assert max(c, target) <= "\uffff"
        assert chars.char_class(ord(c)) == chars.HAN
        assert chars.fold(ord(c)) == ord(c)
    for entry in (*variants.KEPT, *variants.OPEN):
        assert len(set(entry)) == len(entry) >= 2
        assert all(reading not in plain for reading in entry[1:])


@pytest.mark.parametrize("c", "乾著瞭藉徵覆沈於後夥摺拚")
def test_what_simplified_text_has_is_kept(c: str) -> None:
    assert variants.fold(ord(c)) == ord(c)
    assert variants.same(ord(c)) != ord(c)


@pytest.mark.parametrize(
    ("written", "simplified"),
    list(zip("國麵髮發裡裏衞為爲説說綫台麼\uf9b4", "国面发发里里卫为为说说线台么领", strict=True)),
)
def test_forms_of_all_regions(written: str, simplified: str) -> None:
    assert variants.fold_str(written) == simplified


# --- kernels and their reference -----------------------------------------------------------------


@given(texts)
def test_characters_are_read_as_the_reference_reads_them(text: str) -> None:
    folded = UNIFIER.fold(chars.fold_str(text))
    assert len(folded) == len(text)
    bare = Lexicon(LEXICON.artifact, variants=False)
    assert LEXICON.native.encode(text) == bare.native.encode(folded)


@pytest.mark.parametrize("decoder", LATTICE[:6])
@given(text=texts)
def test_every_lattice_gives_the_reference_s_words(decoder: str, text: str) -> None:
    got = Segmenter(LEXICON, decoder=decoder).cut(text)
    ends = decode(text, DICTIONARY, decoder)
    assert [len(w) for w in got] == [e.end - e.start for e in ends]
    assert "".join(got) == text


@given(worlds.any_text | texts)
def test_a_text_without_variants_is_never_touched(text: str) -> None:
    several = {entry[0] for entry in (*variants.KEPT, *variants.OPEN)}
    plain = "".join(c for c in text if c not in variants.PLAIN_FROM and c not in several)
    off = Segmenter(Lexicon(LEXICON.artifact, variants=False))
    assert Segmenter(LEXICON).cut(plain) == off.cut(plain)


@given(texts)
def test_a_lexicon_without_the_kept_reading_changes_nothing_either(text: str) -> None:
    only = Lexicon.build([("臺灣", 5, ""), ("書", 2, ""), ("看著", 1, "")], fold_variants=False)
    assert "".join(Segmenter(only).cut(text)) == text


def test_long_texts_do_not_depend_on_windows() -> None:
    pick = random.Random(4)
    segmenter = Segmenter(LEXICON)
    for _ in range(3):
        lines = ["".join(pick.choices(PIECES[:-4], k=pick.randint(1, 900))) for _ in range(4)]
        text = "".join(lines)
        ends = decode(text, DICTIONARY, "unigram")
        assert segmenter.ends(text).tolist() == [e.end for e in ends]
        joined = "\n".join(line.replace("\n", " ").replace("\r", " ") for line in lines)
        one_by_one = [segmenter.cut(line) for line in joined.split("\n")]
        assert segmenter.cut_bytes(joined.encode(), b"/", 2).decode().split("\n") == [
            "/".join(words) for words in one_by_one
        ]


@pytest.mark.parametrize("matcher", ["aho-corasick", "marisa", "pyahocorasick"])
def test_every_matcher_finds_the_same(matcher: str) -> None:
    text = "".join(random.Random(5).choices(PIECES, k=300))
    assert Segmenter(LEXICON, matcher=matcher).cut(text) == Segmenter(LEXICON).cut(text)


# --- shipped models ------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("他說的確實在理", "他说的确实在理"),
        ("臺灣大學的圖書館位於臺北市", "台湾大学的图书馆位于台北市"),
        ("我們相信這個問題會解決", "我们相信这个问题会解决"),
        ("這裏係香港衞生署", "这里系香港卫生署"),
        ("裡面的麵條和頭髮", "里面的面条和头发"),
        ("乾淨的衣服，後來乾了", "干净的衣服，后来干了"),
        ("三萬兩千五百人", "三万两千五百人"),
    ],
)
def test_traditional_text_is_cut_as_the_same_text_in_simplified_characters(
    preset: str, traditional: str, simplified: str
) -> None:
    segmenter = load(**PRESETS[preset])  # type: ignore[arg-type]
    words = segmenter.cut(traditional)
    assert "".join(words) == traditional
    assert list(map(len, words)) == list(map(len, segmenter.cut(simplified)))


@pytest.mark.parametrize("preset", ["unigram", "fast", "balanced"])
def test_kept_characters_go_by_the_words_around(preset: str) -> None:
    segmenter = load(**PRESETS[preset])  # type: ignore[arg-type]
    cut = segmenter.cut("乾隆皇帝把衣服弄乾淨，著名作家找藉口")
    assert {"乾隆", "乾淨", "著名", "藉口"} <= set(cut)
    # in Simplified text they are what they always were
    off = load(**PRESETS[preset], variants=False)  # type: ignore[arg-type]
    for text in ("乾坤大挪移", "著名作家的著作", "登高瞭望", "他以此为藉口", "拚命工作", "樊於期"):
        assert segmenter.cut(text) == off.cut(text)


@pytest.mark.parametrize("preset", ["unigram", "fast", "balanced", "hmm"])
@pytest.mark.parametrize("standard", ["general", "pku"])
@pytest.mark.parametrize("file", ["pku_test.utf8", "msr_test.utf8"])
def test_no_line_of_simplified_text_changes(preset: str, standard: str, file: str) -> None:
    path = DATA / "sighan2005" / file
    if not path.exists():
        pytest.skip(f"no {file}: the bakeoff's data is not part of the project")
    on = load(**PRESETS[preset], standard=standard)  # type: ignore[arg-type]
    off = load(**PRESETS[preset], standard=standard, variants=False)  # type: ignore[arg-type]
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    assert on.cut_bytes(data) == off.cut_bytes(data)


@pytest.mark.parametrize("preset", ["fast", "balanced", "hmm"])
@given(text=texts | st.lists(st.sampled_from(SENTENCES)).map("".join))
def test_what_a_tagger_reads_is_what_its_fold_gives(preset: str, text: str) -> None:
    on = load(**PRESETS[preset])  # type: ignore[arg-type]
    off = load(**PRESETS[preset], variants=False)  # type: ignore[arg-type]
    assert isinstance(on.tagger, Predictor)
    folded = on.tagger.fold(text)
    assert len(folded) == len(text)
    assert on.ends(text).tolist() == off.ends(folded).tolist()
    assert on.tagger.fold(folded) == folded


def test_words_that_lexicons_have_in_both_forms() -> None:
    lexicon = Lexicon.build([
        ("由于", 50, ""), ("由於", 1, ""), ("著名", 9, ""), ("着名", 1, ""), ("樊於期", 1, ""),
        ("于期", 9, ""), ("覆盖", 3, ""), ("复盖", 3, ""), ("国", 1, ""),
    ])  # fmt: skip
    fold = lexicon.native.fold
    assert fold("由於著名樊於期國") == "由于著名樊於期国"  # the longest word, then the usual one
    assert fold("由於著名樊於期") == "由於著名樊於期"  # Simplified text is as it is written
    assert fold("覆盖國") == "复盖国"  # equally usual


def test_offsets_tags_and_search_are_those_of_the_text() -> None:
    segmenter = load("balanced")
    tokens = segmenter.tokenize("臺灣的圖書館")
    assert tokens.words == ["臺灣", "的", "圖書館"]
    assert tokens.spans == [(0, 2), (2, 3), (3, 6)]
    assert [t.tag for t in tokens] == [t.tag for t in segmenter.tokenize("台湾的图书馆")]
    assert segmenter.cut_for_search("中華人民共和國") == [
        "中華人民共和國", "中華", "人民", "共和國", "共和",
    ]  # fmt: skip
    assert "圖書館" in segmenter.cut_all("圖書館").words
    assert segmenter.lexicon.count("臺灣") == segmenter.lexicon.count("台湾") > 0


# --- lexicons of one's own, switches -------------------------------------------------------------


def test_a_lexicon_of_traditional_words_serves_both_scripts() -> None:
    lexicon = Lexicon.build(
        [("臺灣", 3, "ns"), ("圖書館", 5, "n"), ("的", 9, "u"), ("看著", 2, "v")]
    )
    segmenter = Segmenter(lexicon)
    assert segmenter.cut("臺灣的圖書館") == ["臺灣", "的", "圖書館"]
    assert segmenter.cut("台灣的图书馆") == ["台灣", "的", "图书馆"]
    assert segmenter.cut("看著") == ["看著"]
    assert lexicon.words() == sorted(lexicon.words(), key=lexicon.number)
    assert {"台湾", "图书馆", "看著"} <= set(lexicon.words())


def test_a_lexicon_built_without_folding_keeps_its_spelling() -> None:
    lexicon = Lexicon.build([("臺灣", 3, "ns"), ("圖書館", 5, "n")], fold_variants=False)
    assert set(lexicon.words()) == {"臺灣", "圖書館"}
    assert Segmenter(lexicon).cut("台湾圖書館") == [
        "台湾",
        "圖書館",
    ]  # its own characters are the form
    off = Segmenter(Lexicon(lexicon.artifact, variants=False))
    assert off.cut("台湾臺灣") == ["台", "湾", "臺灣"]


def test_jieba_s_profile_folds_nothing() -> None:
    lexicon = Lexicon.build([("台湾", 3, ""), ("書", 1, "")], profile="jieba")
    assert Segmenter(lexicon).cut("臺灣台湾書书") == ["臺", "灣", "台湾", "書", "书"]


def test_the_switch() -> None:
    on, off = load("fast"), load("fast", variants=False)
    assert (on.variants, off.variants) == (True, False)
    assert on.cut("圖書館") == ["圖書館"]
    assert on.cut("臺灣捷運") == ["臺灣", "捷運"]
    assert on.cut("圖書館裡的書櫃") != off.cut("圖書館裡的書櫃")
    assert on.fingerprint != off.fingerprint
    for segmenter in (off, load("fast", decoder="unigram", variants=False)):
        restored = pickle.loads(pickle.dumps(segmenter))
        assert not restored.variants
        assert restored.fingerprint == segmenter.fingerprint
        assert segmenter.recipe is not None
        assert not load(**segmenter.recipe).variants
    bare = Segmenter(lexicon())
    assert pickle.loads(pickle.dumps(bare)).variants
    bare = Segmenter(Lexicon(LEXICON.artifact, variants=False))
    assert not pickle.loads(pickle.dumps(bare)).variants
    with pytest.raises(TypeError, match="variants"):
        load("fast", variants="yes")  # type: ignore[arg-type]


def test_a_model_of_traditional_text_folds_the_other_way() -> None:
    """Ids go by frequency: where the Traditional forms are the frequent ones they are the form."""
    lexicon = Lexicon.build(
        [("國", 50, ""), ("圖書", 40, ""), ("學", 30, ""), ("国", 1, ""), ("学", 1, "")],
        fold_variants=False,
    )
    assert Segmenter(lexicon).cut("图书") == ["图书"]
    assert lexicon.cost("国") == lexicon.cost("國") < lexicon.cost("圖書")
    assert lexicon.words()[lexicon.number("国")] == "國"


@pytest.mark.parametrize("preset", PRESETS)
def test_every_entry_point_settles_characters_alike(preset: str) -> None:
    segmenter = load(**PRESETS[preset])  # type: ignore[arg-type]
    several = [text for text in PIECES if text.strip()]
    for seed in range(20):
        text = "".join(random.Random(seed).choices(several, k=30))
        words = segmenter.cut(text)
        assert segmenter.tokenize(text).words == words
        assert segmenter.cut_batch([text, text], 2) == [words, words]
        assert segmenter.cut_bytes(text.encode(), b"/").decode() == "/".join(words)
        assert segmenter.nbest(text, 1)[0][0] == words


# --- words of the user ---------------------------------------------------------------------------


def test_words_of_the_user_fold_script_where_asked() -> None:
    core = load("fast")
    assert "雲豬灣" not in core.with_words(["云猪湾"]).cut("用雲豬灣的")
    user = core.with_words(["云猪湾", "乾洗店", "著作等身獎"], script=True)
    for word in ("雲豬灣", "云猪灣", "乾洗店", "干洗店", "著作等身奖", "着作等身獎"):
        assert word in user.cut(f"有{word}的")
    assert user.tokenize("有雲豬灣的")[1].source.value == "user"
    segmenter = core.with_words(["Ai繪圖"], fold=True, script=True)
    assert "ＡＩ绘图" in segmenter.cut("用ＡＩ绘图的")
    assert "ＡＩ绘图" not in core.with_words(["Ai繪圖"], script=True).cut("用ＡＩ绘图的")


def test_entries_of_several_foldings_live_side_by_side() -> None:
    words = UserDictionary(["台湾x"]).with_words(["臺灣x"], script=True)
    assert len(words) == 2
    assert [e.script for e in words] == [False, True]
    extended = words.with_words([("台灣X", "force")], script=True, fold=True)
    assert len(extended) == 3
    assert extended.with_words(["臺灣x"], script=True).digest == extended.digest
    assert len(words.with_words(["台湾x"], script=True)) == 1
    assert UserDictionary(["臺灣"], script=True) != UserDictionary(["臺灣"])
    assert words.get("台灣x") is not None
    assert UserDictionary(["台湾x"]).get("台灣x") is None


@pytest.mark.parametrize("name", ["words.tsv", "words.jsonl", "words.user"])
def test_script_survives_files(tmp_path: Path, name: str) -> None:
    words = UserDictionary(
        [UserWord("雲原生", script=True), UserWord("Ab臺", fold=True, script=True), "台"]
    )
    words.save(tmp_path / name)
    reloaded = UserDictionary.load(tmp_path / name)
    assert reloaded == words
    assert [e.script for e in reloaded] == [True, True, False]
    assert "云原生" in load("fast", user=str(tmp_path / name)).cut("用云原生的")
    plain = tmp_path / "plain.txt"
    plain.write_text("雲原生\n", "utf-8")
    assert UserDictionary.load(plain, script=True)["云原生"].script
