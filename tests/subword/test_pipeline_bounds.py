"""What a file may make of a text: at most so many times its length, whatever its steps say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from segmenter.errors import ArgumentError
from segmenter.subword import normalise
from segmenter.subword.aligned import Aligned, max_length
from segmenter.subword.formats import tokenizer_json
from segmenter.subword.formats.files import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from segmenter.subword import Tokenizer

TOO_LONG = (
    r"text: a step of this tokenizer would make .* is the most \(64 times its length, and 200\)"
)
MODEL = {
    "type": "BPE", "dropout": None, "unk_token": "a", "continuing_subword_prefix": None,
    "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
    "vocab": {"a": 0, "b": 1}, "merges": [],
}  # fmt: skip


def replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


STEPS = {
    "strings": [replace({"String": "a"}, "a" * 10)] * 9,
    "expressions": [replace({"Regex": "a"}, "a" * 10)] * 9,
    "empty matches": [replace({"Regex": "(?=a)"}, "a" * 10)] * 9,
    "a nested sequence": [
        {"type": "Sequence", "normalizers": [replace({"String": "a"}, "a" * 30)], "decoders": []}
    ] * 9,
}  # fmt: skip


def opened(folder: Path, **entries: Any) -> Tokenizer:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": MODEL, **entries}))
    return tokenizer_json.load(path)


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_replacements_of_replacements(tmp_path: Path, steps: list[Any]) -> None:
    tokenizer = opened(tmp_path, normalizer={"type": "Sequence", "normalizers": steps})
    for text in ("a", "a" * 1000, "ab" * 500):
        for call in (tokenizer.encode, lambda t: tokenizer.encode_batch([t])):
            with pytest.raises(ArgumentError, match=TOO_LONG):
                call(text)
    assert tokenizer.encode("b" * 1000).ids == [1] * 1000


def test_replacements_within_the_bound(tmp_path: Path) -> None:
    steps = [replace({"String": "a"}, "a" * 7)] * 2
    tokenizer = opened(tmp_path, normalizer={"type": "Sequence", "normalizers": steps})
    for text in ("a", "a" * 1000):
        assert tokenizer.encode(text).ids == [0] * 49 * len(text)
        assert len(tokenizer.encode(text).offsets) == 49 * len(text)


@pytest.mark.parametrize(
    "steps",
    [
        [{"type": "Prepend", "prepend": "a" * 10}, *STEPS["strings"]],
        [{"type": "Prepend", "prepend": "a" * 100_000}],
        [{"type": "Prepend", "prepend": "a" * 50}] * 20,
        [{"type": "ByteLevel"}] * 20,
    ],
)
def test_prefixes_and_bytes(tmp_path: Path, steps: list[Any]) -> None:
    tokenizer = opened(tmp_path, normalizer={"type": "Sequence", "normalizers": steps})
    with pytest.raises(ArgumentError, match=TOO_LONG):
        tokenizer.encode("é" * 10)


def test_an_added_token_is_bounded_on_opening(tmp_path: Path) -> None:
    token = {
        "id": 0, "content": "a", "single_word": False, "lstrip": False, "rstrip": False,
        "normalized": True, "special": False,
    }  # fmt: skip
    normaliser = {"type": "Sequence", "normalizers": STEPS["strings"]}
    with pytest.raises(FormatError, match=TOO_LONG):
        opened(tmp_path, normalizer=normaliser, added_tokens=[token])


@pytest.mark.parametrize(
    "decoder",
    [
        {"type": "Sequence", "decoders": STEPS["strings"]},
        {"type": "Sequence", "decoders": STEPS["expressions"]},
        {"type": "Sequence", "decoders": [{"type": "BPEDecoder", "suffix": ""}] * 40},
        {"type": "Sequence", "decoders": [{"type": "Sequence", "decoders": STEPS["strings"]}]},
        replace({"String": "a"}, "a" * 1000),
    ],
)
def test_decoders_refuse_results_that_grow_without_bound(
    tmp_path: Path, decoder: dict[str, Any]
) -> None:
    tokenizer = opened(tmp_path, decoder=decoder)
    with pytest.raises(ArgumentError, match=TOO_LONG):
        tokenizer.decode([0] * 1000)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"padding": {"strategy": {"Fixed": 1 << 30}}}, "padding: Fixed is .* use enable_padding"),
        ({"padding": {"pad_to_multiple_of": 1 << 30}}, "padding: pad_to_multiple_of is "),
        (
            {
                "post_processor": {
                    "type": "TemplateProcessing",
                    "single": [
                        *([{"SpecialToken": {"id": "a", "type_id": 0}}] * 1000),
                        {"Sequence": {"id": "A", "type_id": 0}},
                    ],
                    "pair": [{"Sequence": {"id": name, "type_id": 0}} for name in "AB"],
                    "special_tokens": {"a": {"id": "a", "ids": [0] * 1000, "tokens": ["a"] * 1000}},
                }
            },
            "single: adds 1,000,000 tokens to a text; 10,000 is the most",
        ),
    ],
)
def test_padding_and_templates(tmp_path: Path, entries: dict[str, Any], message: str) -> None:
    if "padding" in entries:
        entries["padding"] = {
            "strategy": "BatchLongest", "direction": "Right", "pad_id": 0, "pad_type_id": 0,
            "pad_token": "a", **entries["padding"],
        }  # fmt: skip
    with pytest.raises(FormatError, match=message):
        opened(tmp_path, **entries)


def test_windows_that_overlap_almost_wholly(tmp_path: Path) -> None:
    truncation = {
        "direction": "Right",
        "max_length": 25_000,
        "strategy": "LongestFirst",
        "stride": 24_999,
    }
    tokenizer = opened(tmp_path, truncation=truncation)
    with pytest.raises(
        ArgumentError, match=r"stride: windows of 25,000 tokens .*: make it smaller"
    ):
        tokenizer.encode("b" * 60_000)
    assert len(tokenizer.encode("b" * 25_010).overflowing) == 10


def test_forms_of_unicode_are_within_the_bound() -> None:
    worst = "\ufdfa" * 100  # 18 characters each
    steps = normalise.Sequence([normalise.NFKD(), normalise.ByteLevel()])
    assert len(worst) * 18 < len(steps(Aligned(worst)).text) < max_length(len(worst))
