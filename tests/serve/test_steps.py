"""Algorithms step by step: each trace ends in what the decoder itself gives."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT

from segmenter.choices import LATTICE, TAGGERS
from segmenter.errors import ArgumentError
from segmenter.serve.gallery import Gallery
from segmenter.serve.steps import ABOUT, LONGEST, PLAYERS, available, pieces, trace, traces

TEXTS = st.text("他说的确实在理研究生命起源2年a1，。 \n說", max_size=14)

pytestmark = pytest.mark.skipif(
    not (ROOT / "models" / "general.lex").exists(), reason="the shipped models are not built here"
)


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    return Gallery.of("fast")


@settings(max_examples=40)
@given(text=TEXTS)
def test_decoders_end_where_they_do(gallery: Gallery, text: str) -> None:
    for player in available(gallery):
        if player not in gallery.decoders:
            continue
        result = trace(gallery, text, player)
        json.dumps(result)
        spans = gallery.decoders[player].tokenize(text).spans
        if player in TAGGERS:  # blanks stand between the stretches that are tagged
            spans = [span for span in spans if text[slice(*span)].strip()]
        assert result["steps"][-1]["do"] == "done"
        assert [tuple(span) for span in result["steps"][-1]["path"]] == spans, player


@settings(max_examples=40)
@given(text=TEXTS)
def test_subwords_end_where_they_do(gallery: Gallery, text: str) -> None:
    tokenizer = gallery.vocabularies["bpe"]
    assert trace(gallery, text, "bpe")["ids"] == list(tokenizer.encode(text))
    row = trace(gallery, text, "wordpiece")["steps"][-1]["row"]
    assert [row[2] for row in row] == [p for word in pieces.words_of(tokenizer, text) for p in word]
    pruned = trace(gallery, text, "unigram-pruning")["steps"]
    assert "".join(row[2] for row in pruned[-1]["row"]) == "".join(
        c for c in text if c.isalnum() or c == "_"
    )


def test_every_comparison_is_there(gallery: Gallery) -> None:
    text = "他说的确实在理"
    steps = trace(gallery, text, "unigram")["steps"]
    compared = [tuple(s["edge"]) for s in steps if s["do"] == "compare"]
    assert sorted(compared) == [(e.start, e.end) for e in gallery.lattice.dag(text).edges]
    assert [s["node"] for s in steps if s["do"] == "settle"] == list(range(1, 8))
    # the pointers back are the path, from the right
    back = [tuple(s["edge"]) for s in steps if s["do"] == "back"]
    assert back[::-1] == gallery.decoders["unigram"].tokenize(text).spans
    cells = [s for s in trace(gallery, text, "crf")["steps"] if s["do"] == "cell"]
    assert {(c["at"], c["tag"]) for c in cells} >= {(k, t) for k in range(1, 7) for t in range(4)}
    popped = [s["distance"] for s in trace(gallery, text, "shortest")["steps"] if s["do"] == "pop"]
    assert popped == sorted(popped)


def test_a_corpus_of_one_text_is_pruned(gallery: Gallery) -> None:
    text = "研究生命起源的研究生说研究生命的起源在研究"
    steps = trace(gallery, text, "unigram-pruning")["steps"]
    assert {"characters", "seeds", "expect", "maximise", "losses", "prune"} <= {
        step["do"] for step in steps
    }
    pieces_kept = {piece for piece, _ in steps[-1]["rows"]}
    assert set(text) <= pieces_kept
    assert "研究" in pieces_kept or "起源" in pieces_kept


def test_what_cannot_be_played(gallery: Gallery) -> None:
    players = set(PLAYERS)
    if "encoder-crf" not in gallery.decoders:  # its weights are a package of their own
        players.remove("encoder-crf")
    assert set(available(gallery)) == players
    assert set(ABOUT) == {*LATTICE, *PLAYERS}
    assert traces(gallery, "长" * (LONGEST + 1)) == {}
    assert set(traces(gallery, "长")) == players
    with pytest.raises(ArgumentError, match="at most 40"):
        trace(gallery, "长" * (LONGEST + 1), "crf")
    with pytest.raises(ArgumentError, match="is not one of forward-max"):
        trace(gallery, "长", "magic")
    with pytest.raises(TypeError):
        trace(gallery, None, "crf")  # type: ignore[arg-type]
