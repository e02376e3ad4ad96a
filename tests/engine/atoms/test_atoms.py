"""Typed atoms: the cases of atoms_cases.tsv, precedence, entry points, clusters, hostile text."""

from __future__ import annotations

import copy
import pickle
import random
import re
from functools import cache
from typing import TYPE_CHECKING

import atom_cases
import pytest
import worlds
from atom_cases import HOSTILE, PIECES
from hypothesis import given, settings
from hypothesis import strategies as st
from promises import check_everything
from reference.atoms import AtomRules

from segmenter import ArgumentError, Segmenter, load
from segmenter.atoms import DEFAULTS, NAMES, Atoms
from segmenter.atoms.patterns import LONGEST, compile_patterns
from segmenter.choices import DECODERS, MATCHERS
from segmenter.kernels import _tokens
from segmenter.text.kinds import KINDS
from segmenter.types import Source

if TYPE_CHECKING:
    pass

CASES = atom_cases.read()

texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@cache
def segmenter_of(decoder: str, setting: str = "", standard: str = "general") -> Segmenter:
    return load("fast", standard=standard, decoder=decoder, atoms=Atoms.parse(setting))


def typed(segmenter: Segmenter, text: str) -> list[tuple[str, str]]:
    return [(t.text, t.kind) for t in segmenter.tokenize(text)]


# --- cases ---------------------------------------------------------------------------------------


def test_there_are_enough_cases_of_every_rule() -> None:
    assert len(CASES) >= 500
    assert len({(case.text, case.settings) for case in CASES}) >= 500
    kinds = {part.partition("=")[0] for case in CASES for part in case.expected}
    assert atom_cases.TYPED - {"pattern"} | {"date", "number", "latin"} <= kinds
    split = {name for case in CASES for name in NAMES if f"{name}=split" in case.settings}
    assert split == set(NAMES) - {"emoji"}


@pytest.mark.parametrize("decoder", DECODERS)
def test_every_case_of_the_table_holds(decoder: str) -> None:
    wrong = [
        (case.line, case.text, tokens)
        for case in CASES
        for tokens in [typed(segmenter_of(decoder, case.settings), case.text)]
        if not atom_cases.fits(tokens, case.expected)
    ]
    assert wrong == []


@pytest.mark.parametrize("decoder", ["unigram", "perceptron", "crf"])
def test_cases_between_other_text(decoder: str) -> None:
    """What stands around an atom, and where the vectors of the scan fall, changes nothing."""
    segmenter = segmenter_of(decoder)
    for i, case in enumerate(CASES):
        if case.settings or "\n" in case.text or not case.text:
            continue
        before = "的" * (i % 19) + "。"
        words = segmenter.cut(before + case.text + "。")
        alone = [t for t in segmenter.tokenize(case.text) if t.kind in atom_cases.TYPED]
        assert "".join(words) == before + case.text + "。"
        for token in alone:
            assert token.text in words, case


def test_the_fits_of_cases_can_fail() -> None:
    tokens = [("见", "word"), ("a.cn", "url"), ("。", "word")]
    assert atom_cases.fits(tokens, ("…", "url=a.cn", "…"))
    assert not atom_cases.fits(tokens, ("…", "url=a.cn"))
    assert not atom_cases.fits(tokens, ("…",))
    assert not atom_cases.fits(tokens, ("…", "email=a.cn", "…"))


# --- every entry point ---------------------------------------------------------------------------


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("how", ["", "keep", "split"])
def test_every_entry_point_agrees(decoder: str, how: str) -> None:
    segmenter = segmenter_of(decoder, how)

    @settings(max_examples=25)
    @given(texts | worlds.any_text)
    def check(text: str) -> None:
        check_everything(segmenter, text)

    check()
    pick = random.Random(3)
    check_everything(segmenter, "".join(pick.choices(PIECES, k=1500)))


@pytest.mark.parametrize("how", ["", "keep", "split"])
def test_every_matcher_agrees(how: str) -> None:
    segmenters = [
        load(decoder="unigram", matcher=name, atoms=Atoms.parse(how)) for name in MATCHERS
    ]
    pick = random.Random(5)
    for _ in range(60):
        text = "".join(pick.choices(PIECES, k=12))
        assert len({tuple(s.cut(text)) for s in segmenters}) == 1, text


@given(texts)
def test_vectors_and_single_steps_agree(text: str) -> None:
    """Digits of the user's rules turn the scan of sixteen off; the default rules must not care."""
    fast = _tokens.atoms_of(segmenter_of("unigram")._engine, text)
    wide = text + "。\U00020000"  # four bytes per character
    assert _tokens.atoms_of(segmenter_of("unigram")._engine, wide) == _tokens.atoms_of(
        segmenter_of("unigram")._engine, text + "。"
    )
    by_bits = _tokens.atoms_of(segmenter_of("unigram", "numeral=keep")._engine, text)
    numeral = NAMES.index("numeral")
    assert [a for a in by_bits if a[2] != numeral] == fast


@pytest.mark.parametrize("decoder", ["unigram", "perceptron", "crf"])
def test_the_map_of_characters_shows_what_a_scan_finds(decoder: str) -> None:
    """Decoders that map a text first look for atoms where the map says, not in all of it."""
    s = segmenter_of(decoder)

    @settings(max_examples=150)
    @given(texts)
    def check(text: str) -> None:
        tokens = s.tokenize(text)
        spans = {(a, b) for a, b, _, _ in _tokens.atoms_of(s._engine, text)}
        assert spans <= {(t.start, t.end) for t in tokens}
        assert {(t.start, t.end) for t in tokens if t.kind in atom_cases.TYPED} <= spans

    check()
    for case in CASES:
        spans = {(a, b) for a, b, _, _ in _tokens.atoms_of(s._engine, case.text)}
        assert spans <= {(t.start, t.end) for t in s.tokenize(case.text)}, case


#: Without marks that join clusters, which the reference leaves out.
PLAIN = [p for p in PIECES if p.isascii() or all(c < "\uff5f" and c.isprintable() for c in p)]
PLAIN = [p for p in PLAIN if not set(p) & set("\u0301\u20e3\ufe0fक्तか각")]
PLAIN += ["C#", "localhost:8080", "T10:30", "+08:00", "Z", "ISO/IEC ", "27001:2013", "‘", "’", "_"]


def agrees_with_the_reference(text: str) -> bool:
    s = segmenter_of("unigram", "emoji=model,clock=model,financial=model,phone=model")
    got = [(a, b, NAMES[rule]) for a, b, rule, _ in _tokens.atoms_of(s._engine, text)]
    return got == AtomRules(text).find()


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PLAIN), max_size=10).map("".join))
def test_the_twin_finds_the_same(text: str) -> None:
    assert agrees_with_the_reference(text)


def test_the_twin_finds_the_same_in_the_cases() -> None:
    plain = [c.text for c in CASES if all(x < "\uff5f" and x.isprintable() for x in c.text)]
    marks = set("\u200d\ufe0f\u20e3\u0301\u094d")
    plain = [text for text in plain if not marks & set(text)]
    assert len(plain) > 450
    assert [text for text in plain if not agrees_with_the_reference(text)] == []


def test_search_finds_the_parts() -> None:
    s = segmenter_of("unigram")
    tokens = s.tokenize("见https://a.example.com/page", mode="search")
    url = next(t for t in tokens if t.kind == "url")
    inner = [t.text for t in tokens if url.start <= t.start < t.end <= url.end][1:]
    assert {"https", "example", "com", "page"} <= set(inner)
    assert s.cut_for_search("#双十一#")[:2] == ["#双十一#", "双十一"]
    from segmenter.search import SearchOptions

    dropped = s.tokenize(
        "见a@b.com", mode="search", options=SearchOptions(drop=frozenset({"email"}))
    )
    assert dropped.words == ["见"]


def test_nbest_and_explain() -> None:
    for decoder in ("unigram", "crf", "bigram"):
        s = segmenter_of(decoder)
        text = "请访问https://a.cn，好"
        assert all("https://a.cn" in words for words, _ in s.nbest(text, 3))
        rows = s.explain(text).rows
        assert [r["why"] for r in rows if r["kind"] == "url"] == ["atom url: keep"]
    rows = segmenter_of("unigram", "split").explain("2026-11-21").rows
    assert {r["why"] for r in rows} == {"atom date: split"}
    assert [t.source for t in segmenter_of("crf").tokenize("a@b.com")] == [Source.RULE]


# --- precedence ----------------------------------------------------------------------------------


@pytest.mark.parametrize("decoder", ["unigram", "bigram", "forward-max", "perceptron", "crf"])
def test_preferred_words_precede_atoms_and_these_weights(decoder: str) -> None:
    s = segmenter_of(decoder)
    text = "发到a@b.com吧"
    assert "a@b.com" in s.cut(text)
    assert "b.com吧" in s.with_words(["b.com吧"]).cut(text)  # prefer before atoms
    assert "b.com吧" in s.with_words([("b.com吧", "force")]).cut(text)
    heavy = s.with_words([("到a@b.com", 1e9), ("com吧", 1e9)])
    assert "a@b.com" in heavy.cut(text)  # atoms before weight
    assert "a@b.com" in s.without(["a@b.com"]).cut(text)  # it was not a word of the lexicon
    segmenter = s.with_words([("到a", "force"), "邮件"])
    assert segmenter.cut("发邮件到a@b.com")[1:3] == ["邮件", "到a"]


@pytest.mark.parametrize("decoder", ["unigram", "perceptron"])
def test_clusters_are_parted_by_force_alone(decoder: str) -> None:
    s = segmenter_of(decoder)
    flags, family = "🇨🇳🇺🇸", "👨\u200d👩\u200d👧"
    for word, text in [("🇳🇺", flags), ("🇨", flags), ("👨", family), ("👩\u200d👧", family)]:
        assert word not in s.with_words([word]).cut("甲" + text + "乙")
        assert word in s.with_words([(word, "force")]).cut("甲" + text + "乙")
    assert s.with_words([family + "乙"]).cut("甲" + family + "乙") == ["甲", family + "乙"]


@pytest.mark.parametrize("decoder", DECODERS)
def test_no_boundary_inside_a_grapheme_cluster(decoder: str) -> None:
    regex = pytest.importorskip("regex", reason="\\X of the package regex is the oracle")
    segmenters = [segmenter_of(decoder, how) for how in ("", "keep", "split")]

    @settings(max_examples=100)
    @given(texts | worlds.texts | worlds.any_text)
    def check(text: str) -> None:
        clusters = [match.span() for match in regex.finditer(r"\X", text)]
        for segmenter in segmenters:
            ends = {end for _, end in segmenter.tokenize(text).spans}
            for start, end in clusters:
                assert not ends & set(range(start + 1, end)), (segmenter, text[start:end])

    check()


# --- settings ------------------------------------------------------------------------------------


def test_settings_are_values() -> None:
    some = Atoms(url="split", date="model")
    assert some == Atoms({"date": "model", "url": "split"}) == Atoms.parse(" url=split, date=model")
    assert len({some, Atoms(), Atoms(ip="keep")}) == 2
    assert some.replace(url="keep", date="keep") == Atoms()
    assert dict(Atoms().items()) == DEFAULTS
    assert [some[name] for name in ("url", "date", "ip")] == ["split", "model", "keep"]
    assert pickle.loads(pickle.dumps(some)) == copy.deepcopy(some) == some
    assert eval(repr(some), {"Atoms": Atoms}) == some
    with pytest.raises(AttributeError):
        some.patterns = {}  # type: ignore[misc]
    assert Atoms.parse("none") == Atoms.none()
    assert Atoms.parse("keep") == Atoms.all("keep")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"uri": "keep"}, "'uri' is not one of url, email"),
        ({"url": "whole"}, "url='whole' is not one of model, keep, split"),
        ({"emoji": "split"}, "only forced user words"),
        ({"patterns": {"url": "a"}}, "'url' cannot be a kind"),
        ({"patterns": {"": "a"}}, "the name is empty"),
        ({"patterns": {"x": "a*"}}, "matches the empty text"),
        ({"patterns": {"x": "(a"}}, "unmatched ("),
        ({"patterns": {"x": "(?=a)"}}, "look-around"),
        ({"patterns": {"x": "(a|b){200}(a|b){200}c{250}" * 99}}, "too large"),
    ],
)
def test_faults_of_settings(given: dict[str, str], message: str) -> None:
    with pytest.raises(ArgumentError) as e:
        load("fast", atoms=given)
    assert message in str(e.value)
    with pytest.raises(TypeError):
        load("fast", atoms=7)  # type: ignore[arg-type]


def test_atoms_are_part_of_the_fingerprint() -> None:
    plain, second = segmenter_of("perceptron"), load("fast", atoms={"url": "split"})
    patterned = load("fast", atoms=Atoms(patterns={"order": r"SO-\d+"}))
    assert plain.fingerprint != second.fingerprint != patterned.fingerprint != plain.fingerprint
    assert " atoms=url=split" in second.fingerprint
    assert "atoms" not in plain.fingerprint
    text = "订单SO-0042见http://a.cn"
    for segmenter in (
        plain,
        second,
        patterned,
        second.with_words(["订单SO"]),
        patterned.replace(["单"]),
    ):
        restored = pickle.loads(pickle.dumps(segmenter))
        assert restored.fingerprint == segmenter.fingerprint
        assert restored.cut(text) == segmenter.cut(text)
        assert restored.atoms == segmenter.atoms
    assert len(pickle.dumps(patterned)) < 1024
    assert patterned.recipe is not None
    assert load(**patterned.recipe).fingerprint == patterned.fingerprint
    small = Segmenter(worlds.lexicon(), atoms={"url": "split"})
    assert pickle.loads(pickle.dumps(small)).fingerprint == small.fingerprint


def test_none_leaves_all_to_the_decoder() -> None:
    for case in CASES:
        tokens = typed(segmenter_of("unigram", "none"), case.text)
        assert not atom_cases.TYPED & {kind for _, kind in tokens}


def test_kinds_are_named_as_the_rules() -> None:
    of_no_kind = {"calendar", "numeral", "financial", "clock", "measure"}
    assert set(NAMES) - set(KINDS) == of_no_kind


# --- patterns of the user's ----------------------------------------------------------------------

PATTERNS = [
    r"SO-\d+", r"a*b", r"(ab|a)(bc)?c*", r"[^a-c]{2,4}", r"a{2,}", r"a{0,2}b+c?", r"(?i)Ab[c-e]",
    r"(a|b){1,3}c", r"\w+-\w+", r"[]a]b", r"[a-]c", r"(?:a|bc|)d", r"\u4e00+a", r"(a*b*)*c",
    r"(ab){2}", r"\.+a", r"[\d-]a", r"(?P<x>一)\W", r"\S\s\S",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_match_as_re_does(pattern: str) -> None:
    """The longest match, where re has the first: so by re.fullmatch of every span."""
    automaton, oracle = compile_patterns([pattern]), re.compile(pattern)
    pick = random.Random(pattern)
    for _ in range(150):
        text = "".join(pick.choices("aabbccdABC-一1. ]SO", k=pick.randint(0, 9)))
        for start in range(len(text)):
            ends = [e for e in range(start + 1, len(text) + 1) if oracle.fullmatch(text, start, e)]
            got = automaton.longest(text, start)
            assert (got and got[0]) == (max(ends) if ends else None), (text, start)


def test_patterns_take_effect_everywhere() -> None:
    patterns = {"order": r"SO-\d+", "plate": r"[京沪粤][A-Z]·?[A-Z0-9]{5}", "any": r"的确.{0,3}理"}
    text = "订单SO-0042，车牌粤B·12345，他说的确实在理"
    for decoder in DECODERS[:-1]:  # the last one's file is in another package
        s = load("fast", decoder=decoder, atoms={"patterns": patterns})
        kinds = {t.kind: t.text for t in s.tokenize(text)}
        assert (kinds["order"], kinds["plate"], kinds["any"]) == (
            "SO-0042",
            "粤B·12345",
            "的确实在理",
        )
        check_everything(s, text)
        assert next(t.kind for t in s.tokenize("SO-12", mode="search")) == "order"
        assert "atom of the user's, order" in str(s.explain(text))
        assert s.tokenize("XSO-12")[0].kind != "order"  # inside a run of letters
        assert "SO-12" not in s.cut("SO-12a")
        assert s.with_words(["单SO"]).cut("订单SO-0042")[1] == "单SO"
    assert s.tokenize("SO-1").kinds == ["order"]
    assert s.tokenize("SO-1")[0].source is Source.USER


def test_patterns_of_a_kernel_and_of_python_agree() -> None:
    automaton = compile_patterns([r"[ab]+的", r"\d{2}", r"的[确a]{1,2}"])
    patterns = {"x": r"[ab]+的", "y": r"\d{2}", "z": r"的[确a]{1,2}"}
    s = load("fast", decoder="unigram", atoms=Atoms.none().replace(patterns=patterns))
    pick = random.Random(9)

    def run(text: str, a: int, b: int) -> bool:
        return 0 < b < len(text) and all(c in "ab12" for c in text[b - 1 : b + 1])

    for _ in range(300):
        text = "".join(pick.choices("ab的确12。", k=14))
        got = [(a, b) for a, b, _, _ in _tokens.atoms_of(s._engine, text)]
        want, offset = [], 0
        while offset < len(text):
            ends = [
                end
                for end in range(offset + 1, len(text) + 1)
                if (match := automaton.longest(text[:end], offset)) and match[0] == end
                and not run(text, offset, end) and not run(text, offset, offset)
            ]  # fmt: skip
            if ends:
                want.append((offset, ends[-1]))
            offset = ends[-1] if ends else offset + 1
        assert got == want, text


# --- hostile text --------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["", "keep", "split"])
def test_hostile_text_takes_linear_time(how: str) -> None:
    s = segmenter_of("unigram", how)
    extended = s.with_words(["b.c", ("a", "force")])
    for unit in HOSTILE:
        text = (unit * 6000)[:6000]
        for segmenter in (s, extended):
            steps = segmenter._engine.steps(text)
            twice = segmenter._engine.steps(text + text)
            assert twice <= 2.2 * steps + 2000, unit
            assert steps <= 700 * len(text), unit
        assert "".join(s.cut(text)) == text


def test_patterns_take_linear_time() -> None:
    s = load("fast", decoder="unigram", atoms={"patterns": {"x": "a*b", "y": r"(a|aa)+c"}})
    text = "a" * 3000
    single, double = s._engine.steps(text), s._engine.steps(text + text)
    assert LONGEST * len(text) / 4 < single
    assert double <= 2.2 * single


def test_atoms_have_no_tag_and_no_score_of_a_word() -> None:
    """A lattice gave them those of the lexicon's first word."""
    for token in load("fast", decoder="unigram").tokenize("见https://a.cn/b，10:30:05，#话题#"):
        if token.kind in ("url", "time", "hashtag"):
            assert (token.tag, token.score) == ("", None), token
