"""Added tokens in texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.expressions import leftmost_longest

from segmenter.kernels._subword import TokenFinder
from segmenter.subword.added import AddedToken, Finder
from segmenter.subword.formats import tokenizer_json

LETTERS = "ab<>|好😀\u00e9"


@given(
    st.sets(st.text(st.sampled_from(LETTERS), min_size=1, max_size=5), min_size=1, max_size=12),
    st.text(st.sampled_from(LETTERS), max_size=60),
)
def test_the_leftmost_longest_tokens_are_found(tokens: set[str], text: str) -> None:
    ordered = sorted(tokens)
    assert TokenFinder(ordered).find(text) == leftmost_longest(ordered, text)


def test_the_work_does_not_depend_on_how_many_tokens_there_are() -> None:
    text = "他说的确实在理 <|tool|> and so on, <|reserved_12|>!" * 50
    steps = []
    for n in (1, 100, 6415):
        finder = Finder([AddedToken(f"<|reserved_{i}|>", i) for i in range(n)])
        steps.append(finder.kernel.steps(text))
        assert len(finder.sections(text)) == (50 if n > 12 else 0)
    assert max(steps) <= 2 * len(text)


def config(tokens: list[dict[str, Any]]) -> dict[str, Any]:
    vocab = {c: i for i, c in enumerate("abc _é好，\u3000\n")}
    return {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": None, "post_processor": None, "decoder": None,
        "added_tokens": [{"id": len(vocab) + i, **token} for i, token in enumerate(tokens)],
        "model": {"type": "BPE", "vocab": vocab, "merges": [], "unk_token": None,
                  "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "dropout": None, "fuse_unk": False, "byte_fallback": False},
    }  # fmt: skip


FLAGS = [
    {"content": "<a>", "special": True, "single_word": True, "lstrip": False, "rstrip": False,
     "normalized": False},
    {"content": "ab", "special": False, "single_word": True, "lstrip": True, "rstrip": False,
     "normalized": True},
    {"content": "bc", "special": False, "single_word": False, "lstrip": True, "rstrip": True,
     "normalized": False},
    {"content": "C", "special": False, "single_word": False, "lstrip": False, "rstrip": True,
     "normalized": True},
]  # fmt: skip


def test_flags_mean_what_they_mean_in_tokenizers() -> None:
    hf = pytest.importorskip("tokenizers")
    import json

    entry = config(FLAGS)
    theirs = hf.Tokenizer.from_str(json.dumps(entry))
    ours = tokenizer_json.from_config(entry)

    @given(st.text(st.sampled_from("abcC<>A _é好，\u3000\n\x1c\u200d²"), max_size=20))
    def check(text: str) -> None:
        assert ours.encode(text).ids == theirs.encode(text).ids

    check()
