"""datatrove for real."""

from __future__ import annotations

import doctest
import pickle

import pytest
from pages import run_page

from segmenter import load

pytest.importorskip("datatrove", reason="datatrove is not installed: extra [datatrove]")
pytest.importorskip("regex", reason="regex is not installed: extra [datatrove]")
from datatrove.data import Document
from datatrove.pipeline.filters import GopherQualityFilter
from datatrove.utils.text import split_into_sentences, split_into_words
from datatrove.utils.word_tokenizers import load_word_tokenizer

from segmenter.adapters import datatrove
from segmenter.adapters.datatrove import Tokenizer

TEXT = "  他在北京大学读书。\n\n她说：“好吧。”\t我们走！ "


def test_the_docstring() -> None:
    assert doctest.testmod(datatrove).failed == 0


def test_the_page() -> None:
    run_page("corpora.md", asserts=3, heading="datatrove")


def test_words_and_sentences_are_those_that_datatrove_uses() -> None:
    tokenizer = Tokenizer()
    assert load_word_tokenizer(tokenizer) is tokenizer
    assert split_into_words(TEXT, tokenizer) == tokenizer.word_tokenize(TEXT)
    assert "".join(tokenizer.word_tokenize(TEXT)) == "".join(TEXT.split())
    assert tokenizer.sent_tokenize(TEXT) == ["他在北京大学读书。", "她说：“好吧。”", "我们走！"]
    assert "".join(split_into_sentences(TEXT, tokenizer)) == TEXT
    spans = tokenizer.span_tokenize(TEXT)
    assert "".join(TEXT[a:b] for a, b in spans) == TEXT


def test_a_segmenter_of_ones_own_and_a_worker() -> None:
    mine = Tokenizer(load("balanced").with_words(["京大学读"]))
    copy = pickle.loads(pickle.dumps(mine))
    assert "京大学读" in copy.word_tokenize(TEXT)
    assert copy.word_tokenize(TEXT) == mine.word_tokenize(TEXT)


def test_a_filter_keeps_what_its_own_tokenizer_drops() -> None:
    """A text of sixty words is too short only for whoever takes clauses for words."""
    text = "他说的确实在理，我们都同意他的看法，也愿意按照他的办法去做这件事情。\n" * 4
    options = {"min_avg_word_length": 1, "min_stop_words": None}
    document = Document(text=text, id="1")
    assert GopherQualityFilter(language=Tokenizer(), **options).filter(document) is True
