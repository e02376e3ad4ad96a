"""What the page draws: the graph, the paths, the taggers' scores; and the one file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segmenter as seg
from segmenter.choices import LATTICE, TAGGERS
from segmenter.errors import ArgumentError, DictionaryError
from segmenter.tagging.scheme import allowed, decode
from segmenter.view import graph, page

ROOT = Path(__file__).resolve().parent.parent
TEXT = "他说的确实在理，在2026年买iPhone 15"

pytestmark = pytest.mark.skipif(
    not (ROOT / "models" / "general.lex").exists(), reason="the shipped models are not built here"
)


@pytest.fixture(scope="module")
def gallery() -> graph.Gallery:
    return graph.Gallery.of("balanced")


def best_tags(scored: object, text: str) -> float:
    """The largest sum over all sequences of tags, from the definition: column by column."""
    tags, start, transitions, scores = scored  # type: ignore[misc]
    total, column = 0.0, None
    for character, row in zip(text, scores, strict=True):
        if character in " \n":
            total += max(v for v in column if v is not None) if column else 0.0
            column = None
            continue
        new = []
        for t, value in enumerate(row):
            if value is None:
                new.append(None)
            elif column is None:
                new.append(value + start[t] if tags[t] in ("B", "S") else None)
            else:
                ways = [
                    before + transitions[a][t]
                    for a, before in enumerate(column)
                    if before is not None and allowed(tags[a], tags[t])
                ]
                new.append(max(ways) + value if ways else None)
        column = new
    ends = [v for t, v in enumerate(column or []) if v is not None and tags[t] in ("E", "S")]
    return total + max(ends, default=0.0)


@settings(max_examples=60)
@given(st.text("他说的确实在理研究生命起源2年a1，。", max_size=12))
def test_scores_of_tags_are_what_the_path_is_chosen_by(text: str) -> None:
    for name in TAGGERS:
        s = seg.load(decoder=name)
        want = s.nbest(text, 1)[0][1]
        assert best_tags(s.tag_scores(text), text) == pytest.approx(want, abs=1e-4)


def test_scores_of_tags_know_the_users_words() -> None:
    s = seg.load("fast").with_words([("说的确", "force")])
    scored = s.tag_scores("他说的确实")
    barred = [[v is None for v in row] for row in scored.scores]
    # no other word may begin or end inside
    assert [row[0] and row[3] for row in barred[2:4]] == [True, True]
    assert scored.scores[0][0] is not None
    with pytest.raises(ArgumentError, match="scores words"):
        seg.load(decoder="unigram").tag_scores("他")
    with pytest.raises(TypeError):
        s.tag_scores(b"a")  # type: ignore[arg-type]
    assert s.tag_scores("").scores == []


def test_a_picture_is_what_the_library_gives(gallery: graph.Gallery) -> None:
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


def test_words_of_the_user_in_a_picture(gallery: graph.Gallery) -> None:
    drawn = graph.picture(gallery, TEXT, "iPhone 15\n在理 = delete\n的确实 = 100000")
    user = {TEXT[e["start"] : e["end"]]: e["level"] for e in drawn["edges"] if e["kind"] == "user"}
    assert user == {"iPhone 15": "prefer", "的确实": "weight"}
    spans = {TEXT[e["start"] : e["end"]] for e in drawn["edges"]}
    assert "在理" not in spans
    unigram = next(d for d in drawn["decoders"] if d["name"] == "unigram")
    assert [TEXT[a:b] for a, b in unigram["before"]] == seg.load(decoder="unigram").cut(TEXT)
    assert unigram["before"] != unigram["spans"]
    assert graph.picture(gallery, TEXT)["decoders"][0].get("before") is None
    with pytest.raises(DictionaryError, match="line 2"):
        graph.picture(gallery, TEXT, "好\n坏\tno such level")


@settings(max_examples=40)
@given(text=st.text(max_size=30))
def test_any_text_has_a_picture(gallery: graph.Gallery, text: str) -> None:
    drawn = graph.picture(gallery, text, text.replace("\t", " "))
    json.dumps(drawn).encode("ascii")
    assert "".join(drawn["characters"]) == text


def test_limits(gallery: graph.Gallery) -> None:
    graph.picture(gallery, "长" * graph.LONGEST)
    with pytest.raises(ArgumentError, match="at most 200"):
        graph.picture(gallery, "长" * (graph.LONGEST + 1))
    with pytest.raises(TypeError):
        graph.picture(gallery, None)  # type: ignore[arg-type]


def test_beside_a_lexicon_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "my.lex"
    seg.Lexicon.build([("他", 3.0, "r"), ("说的", 2.0, "")]).save(path)
    drawn = graph.picture(graph.Gallery.of(path), "他说的")
    assert {d["name"] for d in drawn["decoders"]} == set(LATTICE) - {"bigram", "trigram"}
    assert {m["name"] for m in drawn["missing"]} == {"bigram", "trigram"}
    assert drawn["taggers"] == []
    assert all(d["spans"] == [(0, 1), (1, 3)] for d in drawn["decoders"])


def test_one_file_has_all_in_it(gallery: graph.Gallery) -> None:
    hostile = "</script><script>alert(1)</script><!--"
    html = page.single_file([graph.picture(gallery, hostile)])
    assert html.count("<script") == 2
    assert html.count("</script>") == 2
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    assert data
    assert json.loads(data[1])[0]["text"] == hostile
    assert "page.js" not in html
    assert "page.css" not in html
    assert not re.search(r"""(src|href|url\()[=\s('"]*(https?:)?//""", html)


def test_both_languages_say_the_same_things() -> None:
    script = page.asset("page.js")
    found = re.findall(r"^    (?:en|zh): \{\n(.*?)^    \},", script, re.M | re.S)
    keys = [set(re.findall(r"(?:^|[,{]) *\"?([\w-]+)\"?: \"", part, re.M)) for part in found]
    assert len(keys) == 4
    assert keys[0] == keys[1]
    assert keys[2] == keys[3] >= {*LATTICE, *TAGGERS}
    said = set(re.findall(r'data-(?:say|label)="(\w+)"', page.asset("page.html")))
    said |= set(re.findall(r'say\("(\w+)"\)', script))
    assert said <= keys[0]


def test_what_needs_no_margin_says_so() -> None:
    said = str(seg.load("fast").with_words([("说的", "force")]).explain("他说的确实在理"))
    assert "no other way" in said
    assert not re.search(r"margin \d{5}", said)


def test_a_word_of_the_lexicon_is_one_to_a_tagger_without_it() -> None:
    s = seg.load("balanced")
    assert "在理" in s.lexicon
    (row,) = (r for r in s.explain("他说的确实在理").rows if r["text"] == "在理")
    assert "in the lexicon: a" in str(row["why"])
