"""Byte-level BPE with a suffix at the ends of words, as CLIP has it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from foreign import corpus, strings

from segmenter.errors import ArgumentError
from segmenter.subword import BPE, Tokenizer
from segmenter.subword.formats import tokenizer_json
from segmenter.subword.formats.files import FormatError
from segmenter.subword.models.model import BYTE_TO_CHAR


@pytest.fixture(scope="module")
def theirs() -> Any:
    hf = pytest.importorskip("tokenizers")
    tokenizer = hf.Tokenizer(hf.models.BPE(end_of_word_suffix="</w>", unk_token="<|endoftext|>"))
    tokenizer.normalizer = hf.normalizers.Sequence(
        [
            hf.normalizers.NFC(),
            hf.normalizers.Replace(hf.Regex(r"\s+"), " "),
            hf.normalizers.Lowercase(),
        ]
    )
    pattern = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    tokenizer.pre_tokenizer = hf.pre_tokenizers.Sequence(
        [
            hf.pre_tokenizers.Split(hf.Regex(pattern), "removed", invert=True),
            hf.pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    alphabet = [c + end for c in BYTE_TO_CHAR.values() for end in ("", "</w>")]
    trainer = hf.trainers.BpeTrainer(
        vocab_size=1200, end_of_word_suffix="</w>", show_progress=False,
        special_tokens=["<|endoftext|>", *alphabet],
    )  # fmt: skip
    tokenizer.train_from_iterator(corpus(), trainer)
    entry = json.loads(tokenizer.to_str())
    entry["added_tokens"] = []  # the alphabet was given as such only to be in the vocabulary
    return hf.Tokenizer.from_str(json.dumps(entry))


def test_a_thousand_strings_get_the_librarys_ids(theirs: Any) -> None:
    ours = tokenizer_json.from_config(json.loads(theirs.to_str()))
    assert ours.model.kernel is not None
    for text in [*strings(1000, seed=9), *corpus()[:50]]:
        encoding = ours.encode(text)
        assert encoding.ids == theirs.encode(text).ids, text
        ids = [p.id for p in ours.model.encode("newest")]
        assert ids == ours.model.encode_later("newest", [(0, 6)])[0]
    reloaded = Tokenizer.from_bytes(ours.to_bytes())
    assert reloaded.encode("研究 tests").ids == ours.encode("研究 tests").ids


def test_what_is_not_supported_is_refused_on_loading() -> None:
    vocab = {c: b for b, c in BYTE_TO_CHAR.items()}
    with pytest.raises(ArgumentError, match="continuing_prefix: a byte-level model cannot have it"):
        BPE(vocab, [], byte_level=True, continuing_prefix="##")
    entry = {
        "model": {"type": "BPE", "vocab": vocab, "merges": [], "continuing_subword_prefix": "##"},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
    }
    with pytest.raises(FormatError, match="continuing_prefix"):
        tokenizer_json.from_config(entry)
