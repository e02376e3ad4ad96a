"""Rank files of tiktoken in our hands: the library's own ids."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from foreign import corpus, strings
from places import SHARED

from segmenter.errors import ArgumentError
from segmenter.subword import patterns
from segmenter.subword.formats import load as load_any
from segmenter.subword.formats import tiktoken as ours
from segmenter.subword.formats.files import FormatError
from segmenter.subword.pretokenise import Split
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pathlib import Path

VECTORS = SHARED / "vectors"
needs_vectors = pytest.mark.skipif(
    not (VECTORS / "cl100k").is_dir(), reason="needs ../shared/vectors"
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rank file of a small vocabulary, trained here."""
    trained = Tokenizer.train_from_iterator(
        corpus(),
        vocab_size=900,
        pretokeniser=Split(patterns.CL100K, "Removed", invert=True),
    )
    ranks = {bytes([b]): b for b in range(256)}
    for a, b in trained.model.merges:  # type: ignore[attr-defined]
        piece = (a + b).encode()
        for i in range(2, len(piece)):  # every beginning, so that all pieces can be made
            ranks.setdefault(piece[:i], len(ranks))
        ranks.setdefault(piece, len(ranks))
    path = tmp_path_factory.mktemp("tiktoken") / "small.tiktoken"
    rows = [f"{base64.b64encode(p).decode()} {i}\n" for p, i in ranks.items()]
    path.write_text("".join(rows), "ascii")
    return path


def library(path: Path, pattern: str, special: dict[str, int]) -> Any:
    tiktoken = pytest.importorskip("tiktoken", reason="needs tiktoken")
    return tiktoken.Encoding(
        "x", pat_str=pattern, mergeable_ranks=ours.read_ranks(path), special_tokens=special
    )


def assert_same(tokenizer: Tokenizer, theirs: Any) -> None:
    for text in strings(1000):
        ids = tokenizer.encode(text).ids
        assert ids == theirs.encode_ordinary(text), text
        assert tokenizer.encode(text, allowed="all").ids == theirs.encode(
            text, allowed_special="all"
        )
        assert tokenizer.decode(ids) == text


def test_a_thousand_strings_get_the_librarys_ids(small: Path) -> None:
    special = {"<|endoftext|>": 5000, "<sep>": 5001}
    tokenizer = ours.load(small, pattern=patterns.CL100K, special=special)
    assert_same(tokenizer, library(small, patterns.CL100K, special))


def test_long_runs_get_the_librarys_ids(small: Path) -> None:
    theirs = library(small, patterns.CL100K, {})
    tokenizer = ours.load(small, pattern=patterns.CL100K)
    for text in ("a" * 3000, "的" * 1000, " " * 2000, "newest" * 500, "研究生命" * 300):
        assert tokenizer.encode(text).ids == theirs.encode_ordinary(text)


def test_what_was_loaded_saves_and_loads(small: Path, tmp_path: Path) -> None:
    tokenizer = ours.load(small, "cl100k_base")
    tokenizer.save(tmp_path / "ours.model")
    reloaded = Tokenizer.load(tmp_path / "ours.model")
    for text in strings(100, seed=4):
        assert reloaded.encode(text) == tokenizer.encode(text)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.tiktoken"
    for line, reason in (
        ("IQ==", "is not a piece"),
        ("I!Q== 1", "is not a piece"),
        ("IQ== x", "is not a piece"),
        ("IQ== 0", "is taken"),
        ("Ig== -1", "a rank is a number"),
    ):
        path.write_text(f"IQ== 0\n{line}\n", "ascii")
        with pytest.raises(FormatError, match=rf"bad\.tiktoken, line 2: .*{reason}"):
            ours.load(path)


@needs_vectors
def test_cl100k_gives_the_ids_that_are_known() -> None:
    """The listed ids, and those of the library with the pattern and tokens that lie there."""
    path = VECTORS / "cl100k" / "cl100k_base.tiktoken"
    tokenizer = load_any(path)
    assert tokenizer.encode("你是谁").ids == [57668, 21043, 39013, 223]
    assert tokenizer.encode("你是谁, my name").ids == [57668, 21043, 39013, 223, 11, 856, 836]
    ranks = json.loads((VECTORS / "cl100k" / "cl100k_base.json").read_text("utf-8"))
    assert ranks["special_tokens"] == ours.PRESETS["cl100k_base"].special
    assert_same(tokenizer, library(path, ranks["pat_str"], ranks["special_tokens"]))


def test_a_file_that_is_not_known_needs_a_pattern(small: Path) -> None:
    with pytest.raises(ArgumentError, match="how to split a text: give preset="):
        load_any(small)
    with pytest.raises(ArgumentError, match="preset: 'gpt9' is not one of r50k_base"):
        ours.load(small, "gpt9")


def test_a_special_token_may_stand_in_a_gap_of_the_ranks(tmp_path: Path) -> None:
    path = tmp_path / "gap.tiktoken"
    rows = [(bytes([b]), b) for b in range(256)] + [(b"ab", 257)]
    path.write_text("".join(f"{base64.b64encode(p).decode()} {i}\n" for p, i in rows), "ascii")
    tokenizer = ours.load(path, pattern=r"\w+|\W+", special={"<|endoftext|>": 256})
    assert tokenizer.encode("ab<|endoftext|>", allowed="all").ids == [257, 256]
    assert tokenizer.decode([257, 256]) == "ab<|endoftext|>"
    with pytest.raises(FormatError, match="has the id 257 of the piece b'ab'"):
        ours.load(path, pattern=r"\w+", special={"<x>": 257})


@pytest.mark.parametrize("preset", ours.PRESETS)
def test_every_preset_cuts_as_its_pattern_does(small: Path, preset: str) -> None:
    regex = pytest.importorskip("regex")
    rows = ours.PRESETS[preset].patterns
    if len(rows) > 1 or preset == "p50k_edit":
        return
    theirs = regex.compile(rows[0])
    step = Split(rows[0], "Removed", invert=True)
    for text in strings(200, seed=5):
        spans = [m.span() for m in theirs.finditer(text) if m[0]]
        assert list(step.split(text)) == spans, text


def test_known_files_are_known_by_their_digest(monkeypatch: Any, small: Path) -> None:
    import hashlib

    digest = hashlib.sha256(small.read_bytes()).hexdigest()
    preset = ours.Preset((patterns.O200K,), {}, digest)
    monkeypatch.setattr(ours, "PRESETS", {"mine": preset})
    assert ours.load(small).pretokeniser.pattern == patterns.O200K  # type: ignore[attr-defined]
    renamed = small.with_name("turned.tiktoken")
    rows = small.read_text("ascii").splitlines()
    renamed.write_text("\r\n".join(reversed(rows)), "ascii")
    assert ours.load(renamed).pretokeniser.pattern == patterns.O200K  # type: ignore[attr-defined]
