"""What the page draws: the graph, the paths, the taggers' scores; and the one file."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT
from reference.scorer import decode

import segmenter as seg
from segmenter.choices import LATTICE, TAGGERS
from segmenter.errors import ArgumentError, DictionaryError
from segmenter.lattice.steps import result
from segmenter.lexicon import Lexicon
from segmenter.serve import graph, page, running, user_lines
from segmenter.serve.gallery import Galleries, Gallery
from segmenter.serve.scores import LAST, tag_scores
from segmenter.serve.settings import Settings
from segmenter.tagging.steps import viterbi

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "他说的确实在理，在2026年买iPhone 15"

pytestmark = pytest.mark.skipif(
    not (ROOT / "models" / "general.lex").exists(), reason="the shipped models are not built here"
)


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    return Gallery.of("balanced")


@settings(max_examples=60)
@given(st.text("他说的确实在理研究生命起源2年a1，。", max_size=12))
def test_scores_of_tags_are_what_the_path_is_chosen_by(text: str) -> None:
    for name in TAGGERS[:-1]:
        s = seg.load(decoder=name)
        scored = tag_scores(s, text)
        path = viterbi(scored.start, scored.transitions, scored.scores, LAST, scored.gaps)
        assert result(path)[1] == pytest.approx(s.nbest(text, 1)[0][1], abs=1e-4)


def test_scores_of_tags_know_the_users_words() -> None:
    s = seg.load("fast").with_words([("说的确", "force")])
    scored = tag_scores(s, "他说的确实")
    barred = [[v is None for v in row] for row in scored.scores]
    # no other word may begin or end inside
    assert [row[0] and row[3] for row in barred[2:4]] == [True, True]
    assert scored.scores[0][0] is not None
    with pytest.raises(ArgumentError, match="scores words"):
        tag_scores(seg.load(decoder="unigram"), "他")
    with pytest.raises(TypeError):
        tag_scores(s, b"a")  # type: ignore[arg-type]
    assert tag_scores(s, "").scores == []


def test_a_picture_is_what_the_library_gives(gallery: Gallery) -> None:
    drawn = graph.picture(gallery, TEXT)
    json.dumps(drawn)
    assert drawn["characters"] == list(TEXT)
    names = [d["name"] for d in drawn["decoders"]]
    assert set(names) | {m["name"] for m in drawn["missing"]} == {*LATTICE, *TAGGERS}
    for d in drawn["decoders"]:
        s = seg.load(decoder=d["name"])
        assert [TEXT[a:b] for a, b in d["spans"]] == s.cut(TEXT)
        if "score" in d:
            assert d["score"] == pytest.approx(s.nbest(TEXT, 1)[0][1])
    unigram = next(d for d in drawn["decoders"] if d["name"] == "unigram")
    assert unigram["cost"] == pytest.approx(-unigram["score"])
    assert all(d["cost"] is None or d["cost"] >= unigram["cost"] - 1e-9 for d in drawn["decoders"])
    assert drawn["costs"][-1] == pytest.approx(unigram["cost"])
    assert drawn["costs"][0] == 0
    for t in drawn["taggers"]:
        ends = decode([t["tags"][i] for i in t["path"]])
        spans = next(d["spans"] for d in drawn["decoders"] if d["name"] == t["name"])
        assert ends == [end for _, end in spans]
    for vocabulary in drawn["pieces"]:
        assert vocabulary["pieces"][0]["start"] == 0
        assert vocabulary["pieces"][-1]["end"] == len(TEXT)


def test_words_of_the_user_in_a_picture(gallery: Gallery) -> None:
    drawn = graph.picture(gallery, TEXT, "iPhone 15\n在理 = delete\n的确实 = 100000")
    user = {TEXT[e["start"] : e["end"]]: e["level"] for e in drawn["edges"] if e["kind"] == "user"}
    assert user == {"iPhone 15": "prefer", "的确实": "weight"}
    spans = {TEXT[e["start"] : e["end"]] for e in drawn["edges"]}
    assert "在理" not in spans
    unigram = next(d for d in drawn["decoders"] if d["name"] == "unigram")
    assert [TEXT[a:b] for a, b in unigram["before"]] == seg.load(decoder="unigram").cut(TEXT)
    assert unigram["before"] != unigram["spans"]
    assert graph.picture(gallery, TEXT)["decoders"][0].get("before") is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [("云计算 = forced", "'forced'"), ("坏\tno such level", "level"), ("云计算 =", "''")],
)
def test_a_line_that_cannot_be_read_is_marked(gallery: Gallery, line: str, reason: str) -> None:
    drawn = graph.picture(gallery, "他说的云计算", f"说的\n{line}")
    (fault,) = drawn["faults"]
    assert (fault["line"], fault["text"]) == (2, line)
    assert reason in fault["reason"]
    assert all((1, 3) in d["spans"] for d in drawn["decoders"])


def test_a_word_may_have_an_equals_sign() -> None:
    lines = user_lines.read("a=b\nc=d = force\n=")
    assert [(w.word, w.level) for w in lines.words][:2] == [("a=b", "prefer"), ("c=d", "force")]
    assert lines.faults == []


_USER_LINE = re.compile(r"(.+?)[ ]*=[ ]*(force|prefer|delete|split|[0-9]+(?:\.[0-9]+)?)")
_MISREAD = re.compile(r".+?(?:[ ]+=[ ]*|=[ ]+)(.*)")


@given(st.lists(st.sampled_from([" ", "=", "a", "split", "5.0", "\u3000", "|", "\\"])))
def test_lines_are_read_as_two_expressions_say(parts: list[str]) -> None:
    line = "".join(parts)
    entry, wrong = _USER_LINE.fullmatch(line.strip()), _MISREAD.fullmatch(line.strip())
    if entry is None and wrong is not None:
        with pytest.raises(DictionaryError, match=re.escape(f"{wrong[1]!r} after = is not one")):
            user_lines._row(line)
        return
    word, level = entry.groups() if entry else (line.strip(" "), "")
    word = word if level == "split" else word.replace("\\", "\\\\")
    assert user_lines._row(line) == (f"{word}\t{level}" if level else word)


def test_a_line_of_a_million_blanks_is_read() -> None:
    # two expressions took hours
    for line in (f"a{' ' * 1_000_000}= force", f"a {'= ' * 500_000}"):
        for end in ("", "x"):
            user_lines.read(line + end)


@settings(max_examples=40)
@given(text=st.text(max_size=30))
def test_any_text_has_a_picture(gallery: Gallery, text: str) -> None:
    drawn = graph.picture(gallery, text, text.replace("\t", " "))
    json.dumps(drawn).encode("ascii")
    assert "".join(drawn["characters"]) == text


def test_longer_texts_get_no_picture(gallery: Gallery) -> None:
    graph.picture(gallery, "长" * graph.LONGEST)
    long = graph.picture(gallery, "长" * (graph.LONGEST + 1))
    assert not long["drawn"]
    assert "decoders" not in long
    with pytest.raises(ArgumentError, match="at most 20,000"):
        graph.picture(gallery, "长" * (running.LONGEST + 1))
    with pytest.raises(TypeError):
        graph.picture(gallery, None)  # type: ignore[arg-type]


def test_a_long_text_is_marked_as_the_library_cuts_it(gallery: Gallery) -> None:
    text = "他说的确实在理。\n研究生命起源！" * 100
    picture = graph.picture(gallery, text, settings=Settings(mode="index"))["running"]
    assert [text[a:b] for a, b in picture["spans"]] == seg.cut(text)
    assert picture["pos"] == [tag for _, tag in seg.load().tag(text)]
    assert "".join(text[a:b] for a, b in picture["sentences"]).replace("\n", "") == text.replace(
        "\n", ""
    )
    for name, rows in picture["pieces"].items():
        assert [n for _, _, n in rows] == list(gallery.vocabularies[name].encode(text))
    expected = seg.load().tokenize(text, mode="index")
    assert picture["search"] == [(t.start, t.end, t.position, t.position_length) for t in expected]


def test_best_paths_and_parts_of_speech(gallery: Gallery) -> None:
    drawn = graph.picture(gallery, TEXT)
    for d in drawn["decoders"]:
        s = gallery.decoders[d["name"]]
        assert d["pos"] == [tag for _, tag in s.tag(TEXT)]
        if "best" in d:
            paths = [
                ([TEXT[a:b] for a, b in pairwise([0, *row["ends"]])], row["score"])
                for row in d["best"]
            ]
            assert paths == s.nbest(TEXT, graph.BEST_PATHS)


@settings(max_examples=30)
@given(st.text("他说的确实在理研究生命起源2年a1，。\n", min_size=1, max_size=12))
def test_costs_of_ngrams_add_up(gallery: Gallery, text: str) -> None:
    drawn = graph.picture(gallery, text)
    for name, ngrams in drawn["ngrams"].items():
        score = gallery.decoders[name].nbest(text, 1)[0][1]
        assert sum(ngrams["along"]) == pytest.approx(-score)
        number = {(e["start"], e["end"]): e for e in ngrams["edges"]}
        spans = gallery.decoders[name].tokenize(text).spans
        if name == "bigram":
            for span, cost in zip(spans, ngrams["along"], strict=False):
                assert number[span]["after"][0][1] <= cost + 1e-9


@settings(max_examples=30)
@given(st.text("他说的確实在理研究生命起源2年a1，。 \n", min_size=1, max_size=12))
def test_shares_of_scores_add_up(gallery: Gallery, text: str) -> None:
    for tagger in graph.picture(gallery, text)["taggers"]:
        features = tagger["features"]
        for k, scores in enumerate(tagger["scores"]):
            for t, score in enumerate(scores):
                linear = sum(f["weights"][t] for f in features[k])
                if "linear" in tagger:
                    displayed = tagger["linear"][k][t] if features[k] else 0
                    assert displayed == pytest.approx(tagger["linear_weight"] * linear, abs=1e-6)
                elif score is not None and text[k] not in " \n":
                    assert linear == pytest.approx(score, abs=1e-6)


def test_settings_choose_the_gallery() -> None:
    galleries = Galleries("fast", user=["说的"])
    for preset in ("fast", "balanced", "accurate"):
        gallery_of_preset = galleries.of(Settings(preset=preset))
        assert gallery_of_preset.chosen.cut("他说的") == ["他", "说的"]
        assert gallery_of_preset.chosen.decoder == seg.choices.PRESETS[preset]
    assert galleries.of(Settings(atoms="split")).chosen.cut("ab.com") == ["ab", ".", "com"]
    assert galleries.of(Settings(standard="pku")) is galleries.of(Settings(standard="pku"))
    assert galleries.of(Settings(oov="keep")).decoders["unigram"].oov == "keep"
    assert "msr" in galleries.choices(Settings(preset="accurate"))["standard"]
    assert "msr" not in galleries.choices()["standard"]
    with pytest.raises(ArgumentError, match="msr"):
        galleries.of(Settings(standard="msr"))
    with pytest.raises(ArgumentError, match="balanced"):
        Settings.parse({"preset": "quick"})
    with pytest.raises(ArgumentError, match="preset, standard"):
        Settings.parse({"colour": "red"})


def test_beside_a_lexicon_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "my.lex"
    Lexicon.build([("他", 3.0, "r"), ("说的", 2.0, "")]).save(path)
    drawn = graph.picture(Gallery.of(path), "他说的")
    assert {d["name"] for d in drawn["decoders"]} == set(LATTICE) - {"bigram", "trigram"}
    assert {m["name"] for m in drawn["missing"]} == {"bigram", "trigram"}
    assert drawn["taggers"] == []
    assert all(d["spans"] == [(0, 1), (1, 3)] for d in drawn["decoders"])


def test_one_file_has_all_in_it(gallery: Gallery) -> None:
    hostile = "</script><script>alert(1)</script><!--"
    html = page.single_file([graph.picture(gallery, hostile)])
    assert html.count("<script") == 2
    assert html.count("</script>") == 2
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    assert data
    assert json.loads(data[1])[0]["text"] == hostile
    assert '"main.js"' not in html
    assert "page.css" not in html
    assert not re.search(r"^(import|export) ", html, re.M)
    assert not re.search(r"""(src|href|url\()[=\s('"]*(https?:)?//""", html)


def keys_of(source: str, start: str) -> list[set[str]]:
    """Names in the objects of both languages after a line of a module."""
    part = source[source.index(start) :]
    part = part[: part.index("\n};")]
    halves = re.findall(r"^  (?:en|zh): \{\n(.*?)^  \},", part, re.M | re.S)
    assert len(halves) == 2
    return [set(re.findall(r"(?:^|[,{]) *\"?([\w-]+)\"?: [\"({]", half, re.M)) for half in halves]


def test_both_languages_say_the_same_things() -> None:
    source = page.asset("translations.js")
    english, chinese = keys_of(source, "const SAY = ")
    assert english == chinese
    scripts = "".join(map(page.asset, page.MODULES))
    said = set(re.findall(r'data-(?:say|label)="(\w+)"', page.asset("page.html")))
    said |= set(re.findall(r'[^\w]say\("(\w+)"', scripts))
    assert said <= english
    steps = keys_of(page.asset("say_steps.js"), "const DESCRIPTIONS = ")
    assert steps[0] == steps[1]


def test_modules_have_names_of_their_own() -> None:
    """One file has them all in one scope."""
    names = []
    for module in page.MODULES:
        source = page.asset(module)
        assert not re.search(r"^import .* as ", source, re.M), "one scope knows no other name"
        names += re.findall(r"^(?:export )?(?:async )?(?:function|const|let) (\w+)", source, re.M)
        for name in re.findall(r'from "./([\w.]+)"', source):
            assert page.MODULES.index(name) < page.MODULES.index(module)
    assert len(names) == len(set(names))


def test_reasons_have_their_chinese(gallery: Gallery) -> None:
    """Every reason of a boundary is of a shape that the page can say in Chinese."""
    source = page.asset("say_errors.js")
    shapes = [re.compile(p) for p in re.findall(r"^  \[/(\^.*?\$)/, ", source, re.M)]
    reasons = set()
    text = "他说的确实在理，在2026年见http://a.cn 😀 魑魅Привет\n"
    for name in ("fast", "balanced", "accurate"):
        for words in ("", "在理\n说的 = 5000", "说|的 = split\n在理\tforce\tv"):
            reasons |= {r["why"] for r in graph.picture(Gallery.of(name), text, words)["why"]}
    lattice = Gallery.of("fast", decoder="unigram", oov="hmm", atoms={"date": "split"})
    reasons |= {row["why"] for row in graph.picture(lattice, text)["why"]}
    wrong = "云 = forced\n坏\tno\n提 = split\na\tb\tc\td\te\tf\n\tforce\n"
    wrong += "好\tforce\t\t\tx\n好\t1\t\t\\j{"
    faults = user_lines.read(wrong).faults
    assert len(faults) == 7
    reasons |= {fault.reason for fault in faults}
    for request in (Settings(standard="msr"), None):
        with pytest.raises(ArgumentError) as e:
            Galleries("fast").of(request) if request else running.check("长" * 30000)
        reasons.add(str(e.value))
    unknown = [r for r in reasons if not any(shape.match(r) for shape in shapes)]
    assert unknown == []


def test_what_needs_no_margin_says_so() -> None:
    said = str(seg.load("fast").with_words([("说的", "force")]).explain("他说的确实在理"))
    assert "no other way" in said
    assert not re.search(r"margin \d{5}", said)


def test_a_word_of_the_lexicon_is_one_to_a_tagger_without_it() -> None:
    s = seg.load("balanced")
    assert "在理" in s.lexicon
    (row,) = (r for r in s.explain("他说的确实在理").rows if r["text"] == "在理")
    assert "in the lexicon: a" in str(row["why"])
