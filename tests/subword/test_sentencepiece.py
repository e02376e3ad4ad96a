"""Models of SentencePiece in our hands: the library's own ids, pieces and texts."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from foreign import corpus, strings

from segmenter.errors import SegmenterError
from segmenter.subword.formats import sentencepiece as ours
from segmenter.subword.formats.files import FormatError
from segmenter.subword.normalise import Aligned
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pathlib import Path

spm = pytest.importorskip("sentencepiece", reason="needs the extra [subword-test]: sentencepiece")

OPTIONS: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram"},
    "unigram-bytes": {"model_type": "unigram", "byte_fallback": True},
    "unigram-symbols": {
        "model_type": "unigram",
        "user_defined_symbols": ["<sep>", "明天", "好的 ok"],
        "control_symbols": ["<cls>"],
    },
    "unigram-identity": {
        "model_type": "unigram",
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "add_dummy_prefix": False,
    },
    "unigram-suffix": {"model_type": "unigram", "treat_whitespace_as_suffix": True},
    "unigram-nfkc-cf": {"model_type": "unigram", "normalization_rule_name": "nmt_nfkc_cf"},
    "bpe": {"model_type": "bpe"},
    "bpe-bytes": {
        "model_type": "bpe",
        "byte_fallback": True,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "split_digits": True,
    },
    "bpe-symbols": {"model_type": "bpe", "user_defined_symbols": ["<sep>", "明天", "a"]},
}


@pytest.fixture(scope="module", params=OPTIONS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The library's processor and our Tokenizer of one small model."""
    data = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()),
        model_writer=data,
        vocab_size=800,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=1,
        character_coverage=0.995,
        **OPTIONS[request.param],
    )
    path = tmp_path_factory.mktemp("spm") / "small.model"
    path.write_bytes(data.getvalue())
    return spm.SentencePieceProcessor(model_file=str(path)), ours.load(path), path


def test_a_thousand_strings_get_the_librarys_ids(pair: Any) -> None:
    processor, tokenizer, _ = pair
    for text in strings(1000):
        encoding = tokenizer.encode(text)
        assert encoding.ids == processor.encode(text), text
        assert tokenizer.decode(encoding.ids) == processor.decode(encoding.ids), text


def test_the_compiled_model_gives_what_its_twin_gives(pair: Any) -> None:
    _, tokenizer, _ = pair
    for text in strings(200, seed=3):
        normal = tokenizer.normaliser(Aligned(text)).text
        spans = [(0, len(normal))] if normal else []
        columns = tokenizer.model.encode_spans(normal, spans)
        assert columns == tokenizer.model._encode_spans(normal, spans), text
        assert tokenizer.encode_ids(text) == columns[0]


def test_what_was_loaded_saves_and_loads(pair: Any, tmp_path: Path) -> None:
    _, tokenizer, _ = pair
    tokenizer.save(tmp_path / "ours.model")
    reloaded = Tokenizer.load(tmp_path / "ours.model")
    for text in strings(100, seed=4):
        assert reloaded.encode(text) == tokenizer.encode(text), text


def test_offsets_point_into_the_text(pair: Any) -> None:
    _, tokenizer, _ = pair
    encoding = tokenizer.encode("我们  明天 去ｘ")
    assert [a for a, _ in encoding.offsets] == sorted(a for a, _ in encoding.offsets)
    assert max(b for _, b in encoding.offsets) == 9


def test_damaged_files_are_refused(pair: Any, tmp_path: Path) -> None:
    data = pair[2].read_bytes()
    path = tmp_path / "bad.model"
    for bad in (b"", b"\xff" * 40, data[: len(data) // 2], b"{}", b"\x0a\x02\x0a\x05"):
        path.write_bytes(bad)
        with pytest.raises((FormatError, SegmenterError), match=r"bad\.model"):
            ours.load(path)


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_control_symbols_have_no_text(kind: str, tmp_path: Path) -> None:
    """As in the library, whether special tokens are left out or not; bytes do not join over one."""
    text = tmp_path / "text.txt"
    text.write_text("他说的确实在理\nhello world\n" * 50, "utf-8")
    spm.SentencePieceTrainer.train(
        input=str(text),
        model_prefix=str(tmp_path / "m"),
        vocab_size=310,
        model_type=kind,
        byte_fallback=True,
        hard_vocab_limit=False,
        control_symbols=["<cls>"],
        minloglevel=2,
    )
    theirs = spm.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    mine = ours.load(tmp_path / "m.model")
    ids = theirs.encode("他说 龘")
    begin, cls = theirs.bos_id(), theirs.piece_to_id("<cls>")
    split = [*ids[:-2], begin, *ids[-2:]]  # inside the bytes of a character
    for row in ([begin, *ids, theirs.eos_id()], [cls, *ids], [begin], split):
        for skip in (False, True):
            assert mine.decode(row, skip_special=skip) == theirs.decode(row)
