"""What notebooks and prompts show of tokens, explanations and word graphs."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
import worlds
from hypothesis import given, settings

from segmenter import Segmenter, load
from segmenter.lattice.dag import Edge, WordDag
from segmenter.types import Tokens

S = Segmenter(worlds.lexicon(), decoder="unigram")
HOSTILE = (
    "</span></svg><script>alert(1)</script><img src=x onerror='alert(\"2\")'>在理&lt;\x00\ud800"
)
#: All that the functions write; none of them runs anything.
TAGS = {
    "div", "span", "br", "bdi", "table", "tr", "th", "td", "svg", "path", "title", "circle",
    "text",
}  # fmt: skip
ATTRIBUTES = {
    "style", "title", "xmlns", "role", "aria-label", "width", "height", "d", "fill", "stroke",
    "stroke-width", "stroke-opacity", "cx", "cy", "r", "x", "y", "font-size", "text-anchor",
}  # fmt: skip


class Read(HTMLParser):
    """Tags, attributes and text of HTML whose tags are closed in order."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.words: list[str] = []  # in <bdi>
        self.characters: list[str] = []  # in <text>
        self.titles: list[str] = []
        self.feed(source)
        self.close()
        assert not self.open
        source.encode()  # JSON of a notebook is UTF-8

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag not in ("br", "circle"):
            self.open.append(tag)
        if tag == "bdi":
            self.words.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] == "bdi":
            self.words[-1] += data
        if self.open[-1] == "text":
            self.characters.append(data)
        if self.open[-1] == "title":
            self.titles.append(data)


def whole(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def check(text: str) -> None:
    tokens, explanation, dag = S.tokenize(text), S.explain(text), S.dag(text)
    of_tokens, of_rows, of_graph = (
        Read(shown._repr_html_()) for shown in (tokens, explanation, dag)
    )
    for view in (of_tokens, of_rows, of_graph):
        assert view.tags <= TAGS
        assert view.attributes <= ATTRIBUTES
    assert of_tokens.words == [whole(t.text) for t in tokens if t.kind != "newline"]
    for row in explanation.rows:
        assert whole(str(row["text"])) in of_rows.words
    assert of_graph.characters == list(whole(text)) or not text
    assert len(of_graph.titles) == len(dag.edges)


def test_what_a_text_holds_is_escaped() -> None:
    check(HOSTILE)
    check("")
    user = load("fast", user=["<b onclick=x>", ("在理<i>", 5, "<s>")])
    for view in (
        user.tokenize("<b onclick=x>在理<i>"),
        user.explain("<b onclick=x>在理<i>"),
        user.dag("<b onclick=x>在理<i>"),
    ):
        assert not Read(view._repr_html_()).tags & {"b", "i", "s"}

    @settings(max_examples=60)
    @given(worlds.texts | worlds.any_text)
    def any_text(text: str) -> None:
        check(text[:60])

    any_text()


def test_tags_kinds_and_words_of_the_user_have_looks() -> None:
    s = load("fast", user=["云计算"])
    html = s.tokenize("云计算发展 2026年\n好", pos=True)._repr_html_()
    assert html.count("outline:") == 1
    assert "<br>" in html
    assert ">t</span>" in html
    assert 'title="6-11 · date · rule' in html
    assert len(set(re.findall(r"background:rgba\(([0-9,]+),", html))) >= 3


def test_the_path_of_least_cost_is_drawn_strongly() -> None:
    dag = WordDag.of("的确实在", {"的": 1, "确实": 1, "的确": 5, "实在": 5, "在": 1})
    strong = re.findall(r'stroke-width="2.5".*?<title>(.*?):', dag._repr_html_())
    assert sorted(strong) == sorted(["的", "确实", "在"])
    none = WordDag("在理", [Edge(0, 1, 3)])  # no path
    assert 'stroke-width="2.5"' not in none._repr_html_()


def test_long_texts_are_short_at_a_prompt_and_in_a_notebook() -> None:
    text = worlds.GOLDEN * 1000
    tokens, explanation, dag = S.tokenize(text), S.explain(text), S.dag(text)
    assert len(tokens) == 5000
    assert len(repr(tokens)) < 300
    assert repr(tokens).endswith("/在理; 5,000 tokens)")
    assert repr(explanation).endswith("\n… 4,800 more words; print() shows them all")
    assert len(repr(explanation).splitlines()) == 201
    assert len(str(explanation).splitlines()) == 5000
    assert "… 4,500 more of 5,000 tokens" in tokens._repr_html_()
    assert "… 4,800 more of 5,000 words" in explanation._repr_html_()
    assert "… 6,920 more of 7,000 characters" in dag._repr_html_()
    for view in (tokens, explanation, dag):
        assert len(view._repr_html_()) < 200_000


@pytest.mark.parametrize("text", ["", "在理", worlds.GOLDEN * 7])
def test_short_ones_are_whole(text: str) -> None:
    assert repr(S.tokenize(text)) == f"Tokens({'/'.join(S.cut(text))})"
    assert repr(S.explain(text)) == str(S.explain(text))
    assert isinstance(S.tokenize(text), Tokens)
