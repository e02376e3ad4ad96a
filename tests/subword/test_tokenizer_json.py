"""``tokenizer.json`` in our hands, and ours in the hands of ``tokenizers``: the same ids."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from foreign import corpus, strings
from places import SHARED

from segmenter.subword import patterns, scanning
from segmenter.subword.formats import gpt2, tokenizer_json
from segmenter.subword.formats import load as load_any
from segmenter.subword.formats import sentencepiece as sentencepiece_format
from segmenter.subword.formats.files import FormatError
from segmenter.subword.models.model import BYTE_PIECES
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

hf = pytest.importorskip("tokenizers", reason="needs tokenizers")

VECTORS = SHARED / "vectors"
needs_vectors = pytest.mark.skipif(
    not (VECTORS / "gpt2").is_dir(), reason="needs ../shared/vectors"
)


def _trained(tokenizer: Any, trainer: Any) -> Any:
    tokenizer.train_from_iterator(corpus(), trainer)
    return tokenizer


def bert(lowercase: bool = True, strip_accents: bool | None = None) -> Any:
    t = hf.Tokenizer(hf.models.WordPiece(unk_token="[UNK]"))
    t.normalizer = hf.normalizers.BertNormalizer(lowercase=lowercase, strip_accents=strip_accents)
    t.pre_tokenizer = hf.pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    _trained(t, hf.trainers.WordPieceTrainer(vocab_size=600, special_tokens=special))
    t.post_processor = hf.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    t.decoder = hf.decoders.WordPiece()
    return t


def bert_cased() -> Any:
    t = bert(lowercase=False)
    t.post_processor = hf.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return t


def bert_stripped() -> Any:
    return bert(lowercase=False, strip_accents=True)


def _bytes(pre_tokenizer: Any, special: list[str], **model: Any) -> Any:
    t = hf.Tokenizer(hf.models.BPE(**model))
    t.pre_tokenizer = pre_tokenizer
    alphabet = hf.pre_tokenizers.ByteLevel.alphabet()
    _trained(
        t,
        hf.trainers.BpeTrainer(vocab_size=700, special_tokens=special, initial_alphabet=alphabet),
    )
    t.decoder = hf.decoders.ByteLevel()
    return t


def gpt2_like() -> Any:
    t = _bytes(hf.pre_tokenizers.ByteLevel(add_prefix_space=False), ["<|endoftext|>"])
    t.post_processor = hf.processors.ByteLevel(trim_offsets=False)
    return t


def roberta() -> Any:
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    t = _bytes(hf.pre_tokenizers.ByteLevel(add_prefix_space=True), special)
    t.add_special_tokens([hf.AddedToken("<mask>", lstrip=True, special=True)])
    t.post_processor = hf.processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return t


def llama3() -> Any:
    split = hf.pre_tokenizers.Split(
        hf.Regex(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
            r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
        "isolated",
    )
    byte_level = hf.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    t = _bytes(hf.pre_tokenizers.Sequence([split, byte_level]), ["<|begin|>"], ignore_merges=True)
    t.post_processor = hf.processors.Sequence(
        [
            hf.processors.ByteLevel(trim_offsets=False),
            hf.processors.TemplateProcessing(
                single="<|begin|> $A", pair="<|begin|> $A $B:1", special_tokens=[("<|begin|>", 0)]
            ),
        ]
    )
    return t


def llama() -> Any:
    """BPE of characters with byte fallback, as converted from SentencePiece."""
    t = hf.Tokenizer(hf.models.BPE())
    t.normalizer = hf.normalizers.Sequence(
        [hf.normalizers.Prepend("▁"), hf.normalizers.Replace(" ", "▁")]
    )
    t.pre_tokenizer = hf.pre_tokenizers.Split("▁", "merged_with_next")
    _trained(t, hf.trainers.BpeTrainer(vocab_size=500, show_progress=False))
    config = json.loads(t.to_str())
    order = sorted(config["model"]["vocab"], key=config["model"]["vocab"].get)
    rare = set("度确研")  # characters that only bytes spell
    pieces = ["<unk>", "<s>", "</s>", *BYTE_PIECES, *(p for p in order if not rare & set(p))]
    config["model"].update(
        vocab={piece: i for i, piece in enumerate(pieces)},
        merges=[m for m in config["model"]["merges"] if not rare & set("".join(m))],
        byte_fallback=True,
        fuse_unk=True,
        unk_token="<unk>",
    )
    config["pre_tokenizer"] = None
    t = hf.Tokenizer.from_str(json.dumps(config))
    t.add_special_tokens(["<unk>", "<s>", "</s>"])
    t.post_processor = hf.processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)]
    )
    t.decoder = hf.decoders.Sequence(
        [
            hf.decoders.Replace("▁", " "),
            hf.decoders.ByteFallback(),
            hf.decoders.Fuse(),
            hf.decoders.Strip(" ", 1, 0),
        ]
    )
    return t


def _charsmap(rule: str = "nmt_nfkc") -> bytes:
    spm = pytest.importorskip("sentencepiece", reason="needs sentencepiece for its charsmap")
    data = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()),
        model_writer=data,
        vocab_size=400,
        minloglevel=2,
        hard_vocab_limit=False,
        normalization_rule_name=rule,
    )
    return sentencepiece_format.parse(data.getvalue()).precompiled_charsmap


def t5() -> Any:
    t = hf.Tokenizer(hf.models.Unigram())
    t.normalizer = hf.normalizers.Precompiled(_charsmap())
    t.pre_tokenizer = hf.pre_tokenizers.Sequence(
        [hf.pre_tokenizers.WhitespaceSplit(), hf.pre_tokenizers.Metaspace()]
    )
    special = ["<pad>", "</s>", "<unk>"]
    _trained(
        t,
        hf.trainers.UnigramTrainer(vocab_size=600, special_tokens=special, unk_token="<unk>"),
    )
    t.post_processor = hf.processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    t.decoder = hf.decoders.Metaspace()
    return t


def albert() -> Any:
    t = hf.Tokenizer(hf.models.Unigram())
    t.normalizer = hf.normalizers.Sequence(
        [
            hf.normalizers.Replace("``", '"'),
            hf.normalizers.NFKD(),
            hf.normalizers.StripAccents(),
            hf.normalizers.Lowercase(),
            hf.normalizers.Replace(hf.Regex(" {2,}"), " "),
        ]
    )
    t.pre_tokenizer = hf.pre_tokenizers.Metaspace(prepend_scheme="first")
    _trained(
        t,
        hf.trainers.UnigramTrainer(vocab_size=600, special_tokens=["<unk>"], unk_token="<unk>"),
    )
    t.decoder = hf.decoders.Metaspace(prepend_scheme="first")
    return t


def mixed() -> Any:
    """Steps that the models of today use seldom."""
    t = hf.Tokenizer(
        hf.models.BPE(unk_token="<unk>", end_of_word_suffix="</w>", continuing_subword_prefix="")
    )
    t.normalizer = hf.normalizers.Sequence(
        [hf.normalizers.NFC(), hf.normalizers.Strip(), hf.normalizers.Lowercase()]
    )
    t.pre_tokenizer = hf.pre_tokenizers.Sequence(
        [
            hf.pre_tokenizers.Whitespace(),
            hf.pre_tokenizers.Digits(individual_digits=True),
            hf.pre_tokenizers.Punctuation("merged_with_previous"),
        ]
    )
    _trained(
        t,
        hf.trainers.BpeTrainer(vocab_size=500, special_tokens=["<unk>"], end_of_word_suffix="</w>"),
    )
    t.add_tokens([hf.AddedToken("newest", single_word=True), hf.AddedToken("好的", rstrip=True)])
    t.decoder = hf.decoders.BPEDecoder()
    return t


MAKERS: dict[str, Callable[[], Any]] = {
    f.__name__: f
    for f in (
        bert, bert_cased, bert_stripped, gpt2_like, roberta, llama3, llama, t5, albert, mixed,
    )
}  # fmt: skip


@pytest.fixture(scope="module", params=MAKERS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The library's tokenizer and ours, of one file."""
    theirs = MAKERS[request.param]()
    path = tmp_path_factory.mktemp("hf") / "tokenizer.json"
    theirs.save(str(path))
    return theirs, tokenizer_json.load(path), path


def assert_same(ours: Tokenizer, theirs: Any, texts: list[str], offsets: bool = True) -> None:
    for text in texts:
        mine, reference = ours.encode(text), theirs.encode(text)
        assert mine.ids == reference.ids, (text, mine.tokens, reference.tokens)
        assert ours.encode_ids(text) == reference.ids
        assert mine.type_ids == reference.type_ids
        assert mine.special_tokens_mask == reference.special_tokens_mask
        if offsets:
            assert mine.offsets == reference.offsets, (text, mine.tokens)
        got = ours.decode(mine.ids, skip_special=True)
        assert got == theirs.decode(reference.ids, skip_special_tokens=True), text


def test_a_thousand_strings_get_the_librarys_ids(pair: Any) -> None:
    theirs, ours, _ = pair
    assert_same(ours, theirs, strings(1000), offsets=False)


def test_offsets_are_the_librarys(pair: Any, request: pytest.FixtureRequest) -> None:
    theirs, ours, _ = pair
    if request.node.callspec.params["pair"] not in ("bert_cased", "gpt2_like", "llama3"):
        pytest.skip("of what is put before a text, or composed, offsets are by another rule")
    assert_same(ours, theirs, strings(300, seed=6))


def test_pairs_and_no_special_tokens(pair: Any) -> None:
    theirs, ours, _ = pair
    texts = strings(100, seed=8)
    for a, b in zip(texts, reversed(texts), strict=True):
        mine, reference = ours.encode(a, b), theirs.encode(a, b)
        assert (mine.ids, mine.type_ids) == (reference.ids, reference.type_ids), (a, b)
        bare = ours.encode(a, add_special=False)
        assert bare.ids == theirs.encode(a, add_special_tokens=False).ids


def test_what_was_loaded_can_be_written_again(pair: Any, tmp_path: Path) -> None:
    theirs, ours, _ = pair
    tokenizer_json.save(ours, tmp_path / "tokenizer.json")
    reloaded = hf.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in strings(200, seed=9):
        assert reloaded.encode(text).ids == theirs.encode(text).ids, text
    ours.save(tmp_path / "ours.model")
    assert_same(Tokenizer.load(tmp_path / "ours.model"), theirs, strings(100, seed=10), False)


def test_files_of_old_and_damaged_ones(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    model = {"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}  # no type, merges as strings
    path.write_text(json.dumps({"model": model}), "utf-8")
    assert load_any(tmp_path).encode("abab").ids == [2, 2]
    for config, reason in (
        ("{", "is not JSON"),
        ("[]", "expected an object with a model"),
        ('{"model": {"type": "Neural"}}', "the type 'Neural' is not one of"),
        ('{"model": {"type": "BPE", "vocab": {}}}', "an entry lacks 'merges'"),
        (
            '{"model": {"type": "WordPiece", "vocab": {"[UNK]": 0}}, "normalizer": {"type": "X"}}',
            "normalizer: the type 'X' is not one of",
        ),
        (
            '{"model": {"type": "WordPiece", "vocab": {"[UNK]": 0}}, "decoder": {"type": "RNN"}}',
            "decoder: the type 'RNN' is not one of",
        ),
    ):
        path.write_text(config, "utf-8")
        with pytest.raises(FormatError, match=f"tokenizer.json: .*{reason}"):
            tokenizer_json.load(path)


def test_gpt2s_own_form(tmp_path: Path) -> None:
    theirs = gpt2_like()
    theirs.model.save(str(tmp_path))
    ours = load_any(tmp_path / "vocab.json")
    theirs = hf.Tokenizer.from_str(theirs.to_str())
    for text in strings(1000):
        assert ours.encode(text, allowed="all").ids == theirs.encode(text).ids, text
        assert ours.decode(ours.encode(text)) == text
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b c\n", "utf-8")
    with pytest.raises(FormatError, match=r"merges\.txt, line 2: 'a b c' is not a pair"):
        load_any(tmp_path / "vocab.json")


@needs_vectors
def test_gpt2_gives_the_ids_that_are_known() -> None:
    folder = VECTORS / "gpt2"
    ours = gpt2.load(folder / "vocab.json", folder / "merges.txt")
    text = "Hello, do you like tea? <|endoftext|> In the sunlit terraces of some"
    assert ours.encode(text, allowed={"<|endoftext|>"}).ids == [
        15496, 11, 466, 345, 588, 8887, 30, 220, 50256, 554, 262, 4252, 18250, 8812, 2114, 286, 617,
    ]  # fmt: skip
    assert ours.encode("朋友，it's a good day.").ids == [
        17312, 233, 20998, 233, 171, 120, 234, 270, 338, 257, 922, 1110, 13,
    ]  # fmt: skip
    assert ours.encode("你好 ma").tokens == ["ä½", "ł", "å¥", "½", "Ġma"]
    theirs = hf.Tokenizer(
        hf.models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    )
    theirs.pre_tokenizer = hf.pre_tokenizers.ByteLevel(add_prefix_space=False)
    for text in strings(1000):
        assert ours.encode(text).ids == theirs.encode(text).ids, text


@pytest.mark.parametrize("pattern", [patterns.GPT2, patterns.CL100K_ONIGURUMA])
def test_the_patterns_cut_as_in_the_library(pattern: str) -> None:
    theirs = hf.pre_tokenizers.Split(hf.Regex(pattern), "removed", invert=True)
    for text in strings(1000, seed=11):
        spans = [(a, b) for a, b in scanning.matches(pattern, text, "oniguruma") if a < b]
        assert spans == [span for _, span in theirs.pre_tokenize_str(text)], text


def test_the_two_spellings_of_cl100ks_pattern_cut_alike() -> None:
    for text in strings(2000, seed=12):
        matches = scanning.matches(patterns.CL100K_ONIGURUMA, text, "oniguruma")
        assert scanning.matches(patterns.CL100K, text) == matches
