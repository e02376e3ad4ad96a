"""Tokens: what the extension makes of them is what the promised types promise."""

from __future__ import annotations

import copy
import gc
import pickle
from array import array
from typing import TYPE_CHECKING

import pytest

from segmenter import Segmenter, load
from segmenter.atoms import Atoms
from segmenter.text.kinds import KINDS, kind_of
from segmenter.types import Source, Token, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

TEXT = "2026年他说的确实在理，iPhone👍 一百分 O\u0301K x9.5%\n乾淨的國家 a@b.cn㐀㐁"
USER = [("确实在理", "prefer", "l", {"id": 7}), ("iPhone", "force")]
ENGINES: dict[str, Callable[[], Segmenter]] = {
    "fast": lambda: load("fast"),
    "balanced": lambda: load("balanced"),
    "unigram": lambda: load("fast", decoder="unigram"),
    "bigram": lambda: load("fast", decoder="bigram"),
    "hmm": lambda: load("fast", decoder="unigram", oov="hmm"),
    "user": lambda: load("fast").with_words(USER),
    "user of a lattice": lambda: load("fast", decoder="unigram").with_words(USER),
    "patterns": lambda: load("fast", atoms=Atoms(patterns={"order": "x9"})),
    "skip": lambda: load("fast", skip={"space", "punct"}),
}


@pytest.mark.parametrize("name", ENGINES)
def test_tokens_are_their_columns(name: str) -> None:
    """Twice, since what is told of a word is remembered."""
    s = ENGINES[name]()
    for text in (TEXT, TEXT * 40, TEXT):
        tokens = s.tokenize(text)
        token_list = list(tokens)
        assert [t.text for t in token_list] == tokens.words == s.cut(text)
        assert [(t.start, t.end) for t in token_list] == tokens.spans
        assert tokens.spans == list(zip(tokens.starts, tokens.ends, strict=True))
        assert [t.kind for t in token_list] == tokens.kinds
        assert [t.tag for t in token_list] == tokens.tags
        assert [t.score for t in token_list] == tokens.scores
        assert [t.source for t in token_list] == tokens.sources
        assert [t.position for t in token_list] == list(range(len(token_list)))
        assert token_list == [tokens[i] for i in range(len(tokens))] == tokens[:]
        assert all(text[t.start : t.end] == t.text for t in token_list)
        for token, edge in zip(token_list, tokens.edge_kinds, strict=True):
            names = (*KINDS, *tokens.own_kinds)
            assert token.kind == kind_of(token.text, names[edge])


def test_words_of_the_user() -> None:
    tokens = load("fast").with_words(USER).tokenize(TEXT)
    (word,) = [t for t in tokens if t.text == "确实在理"]
    assert (word.tag, word.score, word.source, word.payload) == ("l", None, Source.USER, {"id": 7})
    assert [t.payload for t in tokens if t.text != "确实在理"].count(None) == len(tokens) - 1


def test_a_token_is_a_named_tuple() -> None:
    token = load("fast").tokenize("他说")[1]
    assert type(token) is Token
    assert token == Token("说", 1, 2, "word", Source.MODEL, "v", token.score, 1)
    assert hash(token) == hash(tuple(token)) == hash(token._replace(start=1))
    assert token._asdict()["text"] == "说"
    assert pickle.loads(pickle.dumps(token)) == token == copy.deepcopy(token)
    assert repr(token).startswith("Token(text='说', start=1, end=2, kind='word', source=<Source.")
    match token:
        case Token(text="说", start=start):
            assert start == 1
        case _:
            pytest.fail("a Token matches by its names")


def test_tokens_are_a_sequence() -> None:
    tokens = load("fast").tokenize("他说的确实在理")
    match tokens:
        case [first, *_, last]:
            assert (first.text, last.text) == ("他", "在理")
        case _:
            pytest.fail("Tokens match as a sequence")
    assert tokens.index(tokens[2]) == 2
    assert tokens[-1] in tokens
    assert list(reversed(tokens)) == list(tokens)[::-1]
    assert tokens[1:3] == [tokens[1], tokens[2]]
    assert not hasattr(tokens, "__dict__")
    with pytest.raises(IndexError, match="token 5 of 5"):
        tokens[5]
    with pytest.raises(TypeError):
        tokens["1"]  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="unhashable"):
        hash(tokens)


@pytest.mark.parametrize("units", ["codepoints", "utf8", "utf16"])
@pytest.mark.parametrize("mode", ["words", "search", "index"])
def test_pickles_and_copies(units: str, mode: str) -> None:
    s = load("fast").with_words(USER)
    tokens = s.tokenize(TEXT, mode=mode, units=units)  # type: ignore[arg-type]
    for copied in (pickle.loads(pickle.dumps(tokens)), copy.copy(tokens), copy.deepcopy(tokens)):
        assert type(copied) is Tokens
        assert copied == tokens
        assert copied.spans == tokens.spans
        assert copied.in_units("codepoints").spans == tokens.in_units("codepoints").spans


def test_units() -> None:
    tokens = load("fast").tokenize(TEXT)
    for units, coding in (("utf8", "utf-8"), ("utf16", "utf-16-le")):
        size = 1 if units == "utf8" else 2
        spans = [
            tuple(len(TEXT[:at].encode(coding)) // size for at in span) for span in tokens.spans
        ]
        assert tokens.in_units(units).spans == spans
        assert [(t.start, t.end) for t in tokens.in_units(units)] == spans


def test_columns_are_arrays() -> None:
    tokens = load("fast").tokenize("他说的确实在理")
    assert tokens.ends == array("i", [1, 2, 3, 5, 7])
    assert memoryview(tokens.starts).format == "i"
    assert load("fast").tokenize("").ends == array("i")


def test_a_kept_token_does_not_change() -> None:
    """The iterator fills a token anew only where nobody has it."""
    tokens = load("fast").tokenize("他说的确实在理" * 30)
    tokens_kept, spans = [], []
    for k, token in enumerate(tokens):
        if k % 3 == 0:
            tokens_kept.append(token)
        if k % 2:
            spans.append((token.start, token.end))
    assert tokens_kept == tokens[::3]
    assert spans == tokens.spans[1::2]
    iterator = iter(tokens)
    first, second = next(iterator), next(iterator)
    assert (first, second, next(iterator)) == (tokens[0], tokens[1], tokens[2])


def test_tokens_with_payloads_are_collected() -> None:
    tokens = load("fast").with_words([("确实在理", "prefer", "", {"id": 1})]).tokenize("的确实在理")
    assert gc.is_tracked(next(t for t in tokens if t.payload is not None))
    assert not gc.is_tracked(tokens[0])


@pytest.mark.parametrize(
    "columns",
    [
        ("他说", [0, 1], [1, 3], [0, 0], ["", ""], [None, None]),
        ("他说", [0, 1], [1, 2], [0, 99], ["", ""], [None, None]),
        ("他说", [0, 1], [1, 2], [0, 0], [""], [None, None]),
        ("他说", [0], [1, 2], [0, 0], ["", ""], [None, None]),
        ("他说", [0, -1], [1, 2], [0, 0], ["", ""], [None, None]),
    ],
)
def test_columns_that_do_not_fit(columns: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"1 of them for 2 tokens|in a text of 2|is none"):
        Tokens(*columns)
