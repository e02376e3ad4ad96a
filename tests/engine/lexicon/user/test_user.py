"""User dictionaries: what they do to boundaries, in every decoder and every entry point.

The tests named after complaints hold what ``eval/user_dictionaries`` shows jieba and rjieba to
get wrong (FINDINGS 1: a user word takes effect; 6: dictionaries apart, replaced, reduced; 7: they
pickle).
"""

from __future__ import annotations

import random

import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from promises import check_everything
from reference.user import user_spans

import segmenter
from segmenter import ArgumentError, Segmenter, default, load
from segmenter.lexicon import Lexicon
from segmenter.lexicon.user import UserDictionary, UserWord
from segmenter.text import chars
from segmenter.types import Source

SMALL = worlds.lexicon()
CORES = {d: Segmenter(SMALL, decoder=d) for d in worlds.ALL_DECODERS}
EVERY = (*worlds.ALL_DECODERS, "hmm", "perceptron", "crf")


def core(decoder: str) -> Segmenter:
    if decoder not in CORES:
        CORES[decoder] = load("fast", decoder=decoder)
    return CORES[decoder]


@pytest.fixture(params=EVERY)
def any_decoder(request: pytest.FixtureRequest) -> Segmenter:
    """A Segmenter of every decoder: lattices over the small lexicon, taggers as shipped."""
    return core(request.param)


# --- complaints ----------------------------------------------------------------------------------

COMPLAINT_1 = [
    "iPhone 15", "C++", "a/d", "19-9", "迈克尔·乔丹", "[捂脸]", "*ST舜船", "𠀀𪜀", "New York City",
    "３.５㎜", "的", "一", "\u3000", "a\tb", "。。", "é", "👍", "-5", "Π", "乙方甲方",
]  # fmt: skip


@pytest.mark.parametrize("word", COMPLAINT_1)
def test_complaint_1_a_user_word_takes_effect_whatever_is_in_it(
    any_decoder: Segmenter, word: str
) -> None:
    text = f"甲说{word}在理，{word}。"
    for level in ("prefer", "force"):
        words = any_decoder.with_words([(word, level)]).cut(text)
        assert "".join(words) == text
        assert words.count(word) >= 2


def test_complaint_6_dictionaries_apart_replaced_and_reduced(any_decoder: Segmenter) -> None:
    text = "他说的确实在理云计算"
    before = any_decoder.cut(text)
    extended = any_decoder.with_words(["理云计"])
    two = any_decoder.with_words(["说的"])
    assert "理云计" in extended.cut(text)
    assert "理云计" not in two.cut(text)
    reduced = extended.without(["理云计", "确实"])  # one of the user's, one of the lexicon's
    assert not {"理云计", "确实"} & set(reduced.cut(text))
    assert "理云计" in extended.cut(text)  # what one loses the other keeps
    swapped = extended.replace(["理云"])
    assert "理云" in swapped.cut(text)
    assert "理云计" not in swapped.cut(text)
    assert reduced.replace(None).cut(text) == any_decoder.cut(text) == before
    assert reduced.with_words([("确实", "force")]).cut("确实") == ["确实"]


# test_user_processes.py has complaint 7

# --- force, over all of Unicode ------------------------------------------------------------------


@pytest.mark.parametrize("decoder", EVERY)
def test_force_always_wins(decoder: str) -> None:
    segmenter = core(decoder)

    @settings(max_examples=150 if decoder in ("unigram", "perceptron") else 40)
    @given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=6) | worlds.texts)
    def check(word: str) -> None:
        if not word:
            return
        text = "甲" + word + "乙"
        user = segmenter.with_words([(word, "force")])
        assert word in user.cut(text)
        assert "".join(user.cut(text)) == text

    check()


def test_force_on_every_single_character() -> None:
    """All code points of the basic plane and a sample beyond, as words of one character."""
    points = [*range(0x10000), *range(0x10000, 0x110000, 97)]
    user = Segmenter(SMALL, user=[(chr(c), "force") for c in points])
    for c in points:
        assert chr(c) in user.cut("甲" + chr(c) + "乙")


@pytest.mark.parametrize("decoder", EVERY)
def test_every_entry_point_agrees_with_user_words(decoder: str) -> None:
    """Words of every level, out of the same pieces as the texts."""
    pick = random.Random(7)
    items: list[object] = []
    for i in range(60):
        word = "".join(pick.choices(worlds.PIECES, k=pick.randint(1, 3)))
        if "\n" in word:
            continue
        items.append((word, ("prefer", "force", 5, 2000.0, "delete")[i % 5]))
    items += [("的|确", "split"), UserWord("日日日", "prefer", parts=("日", "日日")), "日日日日"]
    user = core(decoder).with_words(items)  # type: ignore[arg-type]
    folded = core(decoder).with_words([w.word for w in user.user], fold=True, inside=True)

    @settings(max_examples=60)
    @given(worlds.texts | worlds.any_text)
    def check(text: str) -> None:
        check_everything(user, text)
        check_everything(folded, text)

    check()
    for text in worlds.long_texts().values():
        check_everything(user, text)


def test_lines_stay_lines_for_bytes() -> None:
    """A word with a line end in it is one in ``cut``; bytes and files are cut line by line."""
    user = Segmenter(SMALL, user=["人\n人", "\r", "他\n"])
    assert user.cut("一人\n人一") == ["一", "人\n人", "一"]
    assert (
        user.cut_bytes("一人\n人一\r\n他\n他".encode(), b"/").decode() == "一/人\n人/一\r\n他\n他"
    )
    big = "一人\n人一\r\n" * 5000
    got = user.cut_bytes(big.encode(), b"/", 3).decode()
    assert got == "一/人\n人/一\r\n" * 5000


# --- which of several ----------------------------------------------------------------------------


@pytest.mark.parametrize("decoder", ["unigram", "bigram", "perceptron", "crf"])
def test_the_longest_then_the_leftmost(decoder: str) -> None:
    letters = "甲乙丙 "
    segmenter = core(decoder)

    @settings(max_examples=120)
    @given(
        st.dictionaries(
            st.text(letters, min_size=1, max_size=5),
            st.sampled_from(["force", "prefer"]),
            min_size=1,
            max_size=8,
        ),
        st.text(letters, max_size=40),
    )
    def check(words: dict[str, str], text: str) -> None:
        user = segmenter.with_words(list(words.items()))
        tokens = user.tokenize(text)
        got = [(t.start, t.end) for t in tokens if t.source is Source.USER]
        assert got == user_spans(text, words)
        assert user.cut(text) == [t.text for t in tokens]  # a tagger only has marks of the spans

    check()


@pytest.mark.parametrize("decoder", ["unigram", "perceptron"])
def test_prefixes_that_entries_share(decoder: str) -> None:
    """Long entries that begin alike, in texts of several blocks of positions."""
    letters = "甲乙丙，a"
    segmenter = core(decoder)

    @settings(max_examples=80)
    @given(
        st.lists(st.text(letters, min_size=1, max_size=4), min_size=2, max_size=4),
        st.lists(st.sampled_from(["force", "prefer"]), min_size=4, max_size=4),
        st.integers(1, 30),
        st.text(letters, max_size=6),
        st.integers(0, 600),
    )
    def check(tails: list[str], levels: list[str], limit: int, split_at: str, before: int) -> None:
        shared = ("甲乙" * 40)[:limit]
        words = dict(zip((shared + tail for tail in tails), levels, strict=False))
        words |= {shared[: limit // 2 + 1]: "prefer"}
        user = segmenter.with_words(list(words.items()), inside=True)
        text = "丁" * before + split_at.join([*words, shared, *words])
        tokens = user.tokenize(text)
        got = [(t.start, t.end) for t in tokens if t.source is Source.USER]
        assert got == user_spans(text, words)
        assert user.cut(text) == [t.text for t in tokens]

    check()


def test_the_longest_then_the_leftmost_in_long_chains() -> None:
    """Chains of overlaps over thousands of characters, where the sort goes by counting."""
    words = ["日" * n for n in (2, 3, 7, 25, 90)] + ["日月", "月日日"]
    user = Segmenter(SMALL, user=words)
    text = "日" * 3000 + "月" + "日" * 500
    got = [(t.start, t.end) for t in user.tokenize(text) if t.source is Source.USER]
    assert got == user_spans(text, dict.fromkeys(words, "prefer"))


def test_steps_are_linear() -> None:
    words = ["日" * n for n in range(1, 60)] + ["日" * 400, "日月" * 30]
    for decoder in ("unigram", "shortest"):
        engine = Segmenter(SMALL, decoder=decoder, user=words)._engine
        for piece in ("日", "日月", "中华人民", "人\u0301"):
            small, large = (engine.steps(piece * n) for n in (4000, 8000))
            assert large <= 2.2 * small, (decoder, piece)


# --- levels --------------------------------------------------------------------------------------


def test_weight_competes() -> None:
    segmenter = core("unigram")
    text = "他说的确实在理"
    assert segmenter.cut(text) == ["他", "说", "的", "确实", "在理"]
    assert segmenter.with_words([("的确", 100_000)]).cut(text) == ["他", "说", "的确", "实在", "理"]
    assert segmenter.with_words([("的确", 1)]).cut(text) == segmenter.cut(text)
    # a weight is a count of the lexicon: the same count gives the same edge
    weighted = segmenter.with_words([(w, float(n)) for w, n in worlds.COUNTS.items()])
    for seed in range(20):
        sample = worlds.random_text(seed, 60, [w for w in worlds.COUNTS if w.isalpha()])
        costs = [
            {(e.start, e.end): e.cost for e in s.dag(sample).edges if e.kind in ("word", "user")}
            for s in (segmenter, weighted)
        ]
        assert costs[0].keys() <= costs[1].keys()
        assert all(abs(costs[1][k] - c) <= 1 for k, c in costs[0].items())


@pytest.mark.parametrize("decoder", ["bigram", "trigram", "n-shortest", "hmm", "perceptron", "crf"])
def test_weight_competes_elsewhere(decoder: str) -> None:
    segmenter = core(decoder)
    text = "他说的确实在理"
    assert "说的" not in segmenter.with_words([("说的", 0)]).cut(text)
    if decoder != "n-shortest":  # which asks for few words first
        assert "说的" in segmenter.with_words([("说的", 1e12)]).cut(text)


def test_taggers_prefer_a_weighted_word_with_a_blank() -> None:
    assert "a b" in core("perceptron").with_words([("a b", 1)]).cut("甲a b乙")


def test_a_heavier_word_never_leaves_the_best_path() -> None:
    text = "研究生命的起源在哪里"
    for decoder in ("unigram", "bigram", "hmm", "perceptron", "crf"):
        on_path = False
        for weight in (0, 1, 10, 1e3, 1e5, 1e8, 1e12, 1e30):
            is_cut = "生命的" in core(decoder).with_words([("生命的", weight)]).cut(text)
            assert is_cut or not on_path, (decoder, weight)
            on_path |= is_cut
        assert on_path


def test_deleted_words_are_none(any_decoder: Segmenter) -> None:
    text = "他说的确实在理，中华人民共和国三月１2日"
    spans = set()
    user = any_decoder
    for _ in range(12):
        words = user.cut(text)
        assert "".join(words) == text
        assert not spans & set(words)
        longest = max(
            (t for t in user.tokenize(text) if t.source.value not in ("rule", "user")),
            key=lambda t: t.end - t.start,
        )
        if longest.end - longest.start == 1:
            break
        spans.add(longest.text)
        user = user.without([longest.text])
    assert len(spans) >= 3
    assert any_decoder.cut(text) == core(any_decoder.decoder).cut(text)


@pytest.mark.parametrize("decoder", ["hmm", "perceptron", "crf"])
def test_a_deleted_word_takes_no_character_from_a_word_beside_it(decoder: str) -> None:
    """To be rid of it, a tagger joined it to the span beside it, and wrote beyond its tokens."""
    words = [("#话", "force"), ("#", "prefer"), ("The", "delete")]
    user = core(decoder).with_words(words)
    for text in ("The#话题#The", "国成立This#话题#The", "#The#话The"):
        got = user.cut(text)
        assert "".join(got) == text
        assert got.count("#话") == text.count("#话")
        assert "#" in got


def test_a_deleted_word_folds_as_the_lexicon_does() -> None:
    user = core("unigram").without(["Ｔ恤"])
    assert user.cut("t恤T恤") == ["t", "恤", "T", "恤"]
    assert core("unigram").without(["3d"]).cut("3d") == ["3d"]  # a run by rule, not by the lexicon


@pytest.mark.parametrize("oov", ["hmm", "tagger"])
def test_no_guesser_brings_a_deleted_word_back(oov: str) -> None:
    guessing = load(decoder="unigram", oov=oov)
    for word in ("提出", "学习", "北京"):
        assert word not in guessing.without([word]).cut(f"他{word}了")


def test_splits_and_their_levels() -> None:
    user = core("unigram").with_words([("的|确实", "split"), ("在|理", "split")])
    assert user.cut("的确实在理") == ["的", "确实", "在", "理"]
    softer = UserWord("确实在", "prefer", parts=("确", "实在"))
    assert core("unigram").with_words([softer]).cut("的确实在理") == ["的", "确", "实在", "理"]
    assert core("unigram").with_words([softer, ("的确", "force")]).cut("的确实在理")[0] == "的确"


def test_only_force_breaks_clusters_and_runs() -> None:
    segmenter = core("unigram")
    assert segmenter.with_words(["人"]).cut("人\u0301人") == ["人\u0301", "人"]
    assert segmenter.with_words([("人", "force")]).cut("人\u0301人") == ["人", "\u0301", "人"]
    family = "👩\u200d👧"
    assert "👩" not in segmenter.with_words(["👩", "👧"]).cut(family)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("Phone", "iPhone"), ("iPhone", "iPhones"), ("15", "150"), ("15", "3.15"), ("15", "15:30"),
        ("b", "a1b"), ("ивет", "Привет"), ("5G", "x5G"), ("C++", "AC++"),
    ],
)  # fmt: skip
def test_inside_a_longer_run_only_when_asked(any_decoder: Segmenter, word: str, text: str) -> None:
    for level in ("prefer", "force"):
        assert word not in any_decoder.with_words([(word, level)]).cut(f"甲{text}乙")
        assert word in any_decoder.with_words([(word, level)], inside=True).cut(f"甲{text}乙")


def test_folding_only_when_asked() -> None:
    segmenter = core("unigram")
    plain, folded = (
        segmenter.with_words(["IPHONE十五"]),
        segmenter.with_words(["IPHONE十五"], fold=True),
    )
    for text in ("iphone十五", "ＩＰｈｏｎｅ十五"):
        assert text not in plain.cut(text)
        assert folded.cut(text) == [text]
    assert plain.cut("IPHONE十五") == ["IPHONE十五"]


def test_the_fold_table_has_every_cased_character() -> None:
    """Beyond the range that the table covers nothing folds."""
    assert all(chars.fold(c) == c for c in range(0x1EA00, 0x110000, 1) if chr(c).isupper())
    words = UserDictionary(["𐐀"], fold=True)
    assert "𐐨" in words


# --- what tokens and explanations say ------------------------------------------------------------


def test_tokens_carry_tag_and_payload(any_decoder: Segmenter) -> None:
    user = any_decoder.with_words([("云计算", "prefer", "nz", {"id": 7}), ("的|确", "split", "d")])
    tokens = user.tokenize("用云计算的确好")
    token = next(t for t in tokens if t.text == "云计算")
    assert (token.start, token.end, token.kind, token.tag) == (1, 4, "word", "nz")
    assert (token.source, token.payload, token.score) == (Source.USER, {"id": 7}, None)
    parts = [t for t in tokens if t.source is Source.USER][1:]
    assert [(t.text, t.tag) for t in parts] == [("的", ""), ("确", "")]
    rest = [t for t in tokens if t.source is not Source.USER]
    assert rest
    assert all(t.payload is None for t in rest)


def test_explain_names_entry_file_and_line(any_decoder: Segmenter) -> None:
    words = UserDictionary.load(b"C++\tforce\n\n\xe4\xba\x91\xe8\xae\xa1\xe7\xae\x97\t50\tn\n")
    rows = any_decoder.with_words(words).with_words([("在|理", "split")]).explain("C++在理").rows
    assert [row["text"] for row in rows] == ["C++", "在", "理"]
    assert rows[0]["why"] == "user dictionary (<bytes>, line 1): 'C++', level force"
    assert "added in the program" in str(rows[1]["why"])
    assert "split 在|理" in str(rows[1]["why"])


def test_cut_all_and_nbest_know_the_words() -> None:
    user = core("unigram").with_words(["说的确", ("实在理", 9, "z")]).without(["在理"])
    everything = {t.text: t for t in user.cut_all("他说的确实在理")}
    assert everything["说的确"].source is Source.USER
    assert everything["实在理"].tag == "z"
    assert everything["实在"].source is Source.LEXICON  # overlapping ones are still there
    assert "在理" not in everything
    for extended in (user, core("perceptron").with_words(["说的确"]).without(["在理"])):
        best = extended.nbest("他说的确实在理", 5)
        assert best[0][0] == extended.cut("他说的确实在理")
        assert all("说的确" in words and "在理" not in words for words, _ in best)
        assert all("".join(words) == "他说的确实在理" for words, _ in best)


def test_skipping_leaves_user_words() -> None:
    user = Segmenter(SMALL, skip=("space", "punct"), user=["。。", "a b"])
    assert user.cut("他。。 a b。") == ["他", "。。", "a b"]


def test_with_oov_and_other_matchers() -> None:
    for options in ({"oov": "keep"}, {"matcher": "aho-corasick"}, {"matcher": "pyahocorasick"}):
        user = Segmenter(SMALL, user=["堃的", "𠀀堃"], **options)  # type: ignore[arg-type]
        assert "堃的" in user.cut("龘龘堃的鑫鑫")
        check_everything(user, "龘龘堃的𠀀堃鑫鑫")


def test_jieba_s_profile_joins_no_user_word() -> None:
    lexicon = Lexicon.build([(w, n, "") for w, n in worlds.COUNTS.items()], profile="jieba")
    user = Segmenter(lexicon, user=[("b", "force", "", None)]).with_words(["c++"], inside=True)
    assert user.cut("甲b乙abc++d") == ["甲", "b", "乙", "ab", "c++", "d"]


# --- identity ------------------------------------------------------------------------------------


def test_fingerprints() -> None:
    plain = core("unigram")
    extended = plain.with_words(["云计算", "C++"])
    assert extended.fingerprint == plain.with_words(["C++"]).with_words(["云计算"]).fingerprint
    assert extended.without([]).fingerprint == extended.fingerprint
    assert extended.replace([]).fingerprint == plain.fingerprint
    different = {
        s.fingerprint
        for s in (
            plain, extended, plain.with_words(["C++"]), plain.with_words(["C++"], inside=True),
            plain.with_words(["C++"], fold=True), plain.with_words([("C++", "force")]),
            plain.with_words([("C++", 3)]), plain.with_words([("C++", 4)]),
            plain.with_words([("C|++", "split")]), plain.with_words([("C+|+", "split")]),
            plain.without(["C++"]),
        )
    }  # fmt: skip
    assert len(different) == 11
    assert (
        plain.with_words([("C++", "prefer", "n", 1)]).fingerprint in different
    )  # tags cut nothing


@pytest.fixture
def fresh_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "_default", Segmenter(SMALL))


@pytest.mark.usefixtures("fresh_default")
def test_the_module_s_default_is_swapped() -> None:
    default_before = default.default_segmenter()
    segmenter.add_word("云计算", "force", "n", 5)
    segmenter.add_word("的确", 1_000_000)
    assert segmenter.cut("的确云计算") == ["的确", "云计算"]
    assert segmenter.tokenize("云计算")[0].payload == 5
    segmenter.del_word("云计算")
    segmenter.del_word("确实")
    assert segmenter.cut("云计算确实") == ["云", "计", "算", "确", "实"]
    segmenter.load_userdict(b"A-B\nC D\n")
    assert "C D" in segmenter.cut("甲C D")
    assert default_before.cut("云计算确实") == ["云", "计", "算", "确实"]
    with pytest.raises(ArgumentError, match="not loaded from a file"):
        default.reload_if_changed()
    for function in (segmenter.add_word, segmenter.del_word):
        with pytest.raises(TypeError, match="word must be str"):
            function(5)  # type: ignore[operator]


def test_wrong_arguments() -> None:
    segmenter_ = core("unigram")
    for bad in ("词", b"x", 5, None):
        with pytest.raises(TypeError, match="items"):
            segmenter_.with_words(bad)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="words"):
            segmenter_.without(bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="user must be"):
        segmenter_.replace(5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="is not a level"):
        segmenter_.with_words([("词", "always")])
    with pytest.raises(ArgumentError, match="empty word"):
        segmenter_.with_words(["好", ""])
    with pytest.raises(TypeError, match="a word must be str"):
        segmenter_.without([5])  # type: ignore[list-item]


def test_taggers_know_blanks_and_line_ends() -> None:
    """A carriage return alone is a blank: it took the separator away in ``cut_bytes``."""
    user = core("perceptron")
    kinds = [(t.text, t.kind) for t in user.tokenize("a  b\r\nc\rd\n")]
    assert kinds[1::2] == [("  ", "space"), ("\r\n", "newline"), ("\r", "space"), ("\n", "newline")]
    assert user.cut_bytes(b"a\rb", b"/") == b"a/\r/b"
    assert user.with_words([("\r", "force")]).cut("a\r\nb") == ["a", "\r", "\n", "b"]
