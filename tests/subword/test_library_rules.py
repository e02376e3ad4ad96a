"""Offsets, decoding and odd steps as Hugging Face ``tokenizers`` and SentencePiece have them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from foreign import corpus, strings

from segmenter.errors import ArgumentError
from segmenter.subword import characters, forms
from segmenter.subword.aligned import Aligned
from segmenter.subword.formats import sentencepiece as sp
from segmenter.subword.formats import tokenizer_json
from segmenter.subword.models.model import BYTE_TO_CHAR
from segmenter.subword.tokenizer import Tokenizer

hf = pytest.importorskip("tokenizers", reason="the package tokenizers is not installed")

BYTES = {c: i for i, c in enumerate(BYTE_TO_CHAR.values())}
PAIRS = [("Ġ", "a"), ("Ġ", "Ġ"), ("1", "2"), ("Ã", "©")]
BPE = {
    "type": "BPE",
    "vocab": {**BYTES, **{a + b: 256 + i for i, (a, b) in enumerate(PAIRS)}},
    "merges": [f"{a} {b}" for a, b in PAIRS],
}
CHARS = {
    "type": "BPE",
    "unk_token": "?",
    "vocab": {c: i for i, c in enumerate("?▁aeéè好ﬁ1カ\u0301\u0327\u3099ガx ")},
    "merges": [],
}
BYTE_LEVEL = {
    "type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True,
}  # fmt: skip
EDGES = [
    "e\u0301x", "xa\u0327\u0301e", "カ\u3099好", "  a  e ", "好\u0301\u0301", "ﬁ①x", "\u0301a", "",
]  # fmt: skip


def added(content: str, number: int, **options: bool) -> dict[str, Any]:
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": number, "content": content, **{name: options.get(name, False) for name in names}}


def seq(kind: str, *steps: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", kind: list(steps)}


def replace(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


PREPEND = {"type": "Prepend", "prepend": "▁"}
META = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
DIGITS = {"type": "Digits", "individual_digits": False}
PREFIXED = {**BYTE_LEVEL, "add_prefix_space": True}
NORMALISERS = {
    "nfc": {"type": "NFC"},
    "nfkd": {"type": "NFKD"},
    "nfkc": {"type": "NFKC"},
    "blanks": seq("normalizers", replace(" {2,}", "▁"), PREPEND),
    "empty": replace("^", "a"),
    "bert": {
        "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
        "strip_accents": True, "lowercase": True,
    },
    "strip": {"type": "Strip", "strip_left": True, "strip_right": True},
}  # fmt: skip
FILES: dict[str, dict[str, Any]] = {
    **{name: {"model": CHARS, "normalizer": step} for name, step in NORMALISERS.items()},
    "metaspace": {"model": CHARS, "pre_tokenizer": META},
    "byte normaliser": {
        "model": BPE, "normalizer": {"type": "ByteLevel"}, "decoder": BYTE_LEVEL,
    },
    "digits of bytes": {  # Falcon: digits are sought in the byte alphabet, where ¼ is one
        "model": BPE, "pre_tokenizer": seq("pretokenizers", BYTE_LEVEL, DIGITS),
        "decoder": BYTE_LEVEL,
    },
    "trimmed": {
        "model": BPE, "pre_tokenizer": BYTE_LEVEL, "post_processor": BYTE_LEVEL,
        "decoder": BYTE_LEVEL, "added_tokens": [added("好", 900, lstrip=True, rstrip=True)],
    },
    "trimmed after a prefix": {
        "model": BPE, "pre_tokenizer": PREFIXED, "post_processor": PREFIXED, "decoder": BYTE_LEVEL,
    },
    "added": {  # ids of the file are not kept; what is normalised is decoded so
        "model": CHARS, "normalizer": PREPEND,
        "added_tokens": [added("é", 70, normalized=True, special=True), added("e", 2000)],
        "decoder": {"type": "Fuse"},
    },
    "fixed": {"model": CHARS, "pre_tokenizer": {"type": "FixedLength", "length": 2}},
    "words": {
        "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1, "é": 2}, "unk_token": "<unk>"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
    },
    "ctc": {
        "model": CHARS,
        "decoder": {
            "type": "CTC", "pad_token": "a", "word_delimiter_token": "e", "cleanup": True,
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_ids_offsets_and_text_are_those_of_tokenizers(name: str) -> None:
    empty = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")
    config = {**dict.fromkeys(empty), "version": "1.0", "added_tokens": [], **FILES[name]}
    theirs = hf.Tokenizer.from_str(json.dumps(config))
    ours = tokenizer_json.from_config(config)
    for text in [*EDGES, *strings(300)]:
        mine, reference = ours.encode(text), theirs.encode(text)
        assert mine.ids == reference.ids, text
        assert mine.offsets == reference.offsets, text
        for skip in (False, True):
            expected = theirs.decode(reference.ids, skip_special_tokens=skip)
            assert ours.decode(mine, skip_special=skip) == expected, text
    reloaded = Tokenizer.from_bytes(ours.to_bytes())
    assert [reloaded.encode(t).offsets for t in EDGES] == [ours.encode(t).offsets for t in EDGES]


def test_our_own_offsets_cover_what_a_token_was_made_of() -> None:
    config = {"model": CHARS, "normalizer": seq("normalizers", {"type": "NFC"}, PREPEND)}
    for library, expected in ((True, [(0, 1), (0, 1), (2, 3)]), (False, [(0, 0), (0, 2), (2, 3)])):
        ours = tokenizer_json.from_config(config, library=library)
        assert ours.encode("e\u0301x").offsets == expected


def test_characters_are_taken_as_tokenizers_takes_them() -> None:
    """The tables hold against the installed library where one of their runs begins or ends."""
    assert forms.changes("NFC", "a\u0327\u0301") == [-1, 0]
    steps = {
        "MARKS": hf.normalizers.StripAccents(),
        "NONSPACING": hf.normalizers.BertNormalizer(False, False, True, False),
        "UNCLEAN": hf.normalizers.BertNormalizer(True, False, False, False),
    }
    for table, step in steps.items():
        for first, last in characters.library(table):
            for cp in (first - 1, first, last, last + 1):
                if 0 <= cp < 0x110000 and not 0xD800 <= cp < 0xE000:
                    gone = step.normalize_str(f"x{chr(cp)}y") == "xy"
                    assert gone == characters.contains(characters.library(table), cp), hex(cp)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        step = getattr(hf.normalizers, form)()
        for first, last in characters.library("UNNORMALISED"):
            text = f"e{chr(first)}\u0301{chr(last)}\u0323"
            form_text = "".join(part for part, _, _ in forms.parts(form, text))  # type: ignore[arg-type]
            assert form_text == step.normalize_str(text)


def test_a_file_names_the_library_that_it_follows() -> None:
    with pytest.raises(ArgumentError, match="library"):
        Tokenizer(tokenizer_json.from_config({"model": CHARS}).model, library="spacy")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
@pytest.mark.parametrize("extra", [True, False])
def test_offsets_and_text_are_those_of_sentencepiece(kind: str, extra: bool) -> None:
    library = pytest.importorskip("sentencepiece", reason="sentencepiece is not installed")
    pytest.importorskip("google.protobuf", reason="protobuf is not installed")
    buffer = io.BytesIO()
    library.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()), model_writer=buffer, vocab_size=600, model_type=kind,
        byte_fallback=extra, remove_extra_whitespaces=extra, hard_vocab_limit=False,
        minloglevel=9,
    )  # fmt: skip
    theirs = library.SentencePieceProcessor(model_proto=buffer.getvalue())
    ours = sp.from_proto(sp.parse(buffer.getvalue()))
    for text in [*EDGES, "\x01 a", "▁▁ a ▁", " \u3000 ", *strings(300)]:
        if "\0" in text or text != text.encode("utf-8", "replace").decode():
            continue
        mine = ours.encode(text)
        proto = theirs.encode(text, return_type="proto")
        places = {len(text[:i].encode()): i for i in range(len(text) + 1)}
        assert mine.offsets == [(places[p.begin], places[p.end]) for p in proto.pieces], text
        assert ours.decode(mine) == theirs.decode(theirs.encode(text)), text


def test_decoding_sentencepiece_drops_blanks_until_there_is_text() -> None:
    from segmenter.subword.decode import SentencePiece

    decoder = SentencePiece("<unk>", " ? ", byte_fallback=True)
    assert "".join(decoder(["▁", "▁a", "▁b"])) == "a b"
    assert "".join(SentencePiece(single=False)(["▁", "▁a", "▁b"])) == " a b"
    assert "".join(decoder(["▁", "<0xE5>", "<0xA5>", "▁b"])) == "\ufffd\ufffd b"
    assert Aligned("ab").span(0, 2) == (0, 2)
