"""Ours in ``tokenizers`` and ``transformers``: the same ids, saved, loaded, pickled."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from foreign import corpus, strings

import segmenter
from segmenter.errors import ArgumentError
from segmenter.subword import normalise, patterns, postprocess, pretokenise
from segmenter.subword.added import AddedToken
from segmenter.subword.formats import huggingface, tokenizer_json
from segmenter.subword.models.unigram import Unigram
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pathlib import Path

hf = pytest.importorskip("tokenizers", reason="needs tokenizers")

TRAINED: dict[str, dict[str, Any]] = {
    "bpe": {"model": "bpe"},
    "unigram": {"model": "unigram"},
    "wordpiece": {"model": "wordpiece", "special": ["[UNK]"]},
    "bpe-normalised": {
        "model": "bpe",
        "normaliser": normalise.Sequence([normalise.Width(), normalise.NFKC(), normalise.Blanks()]),
    },
    "bpe-cl100k": {
        "model": "bpe",
        "pretokeniser": pretokenise.Split(patterns.CL100K, "Removed", invert=True),
    },
}


@pytest.fixture(scope="module", params=TRAINED)
def trained(request: pytest.FixtureRequest) -> Tokenizer:
    return Tokenizer.train_from_iterator(corpus(), vocab_size=800, **TRAINED[request.param])


@pytest.fixture(scope="module")
def of_words() -> Tokenizer:
    cutter = segmenter.load("fast")
    tokenizer = Tokenizer.train_from_iterator(corpus(), vocab_size=900, segmenter=cutter)
    end = tokenizer.vocab_size
    return Tokenizer(
        tokenizer.model,
        pretokeniser=tokenizer.pretokeniser,
        postprocessor=postprocess.Template("$A <e>", None, {"<e>": end}),
        added=[AddedToken("<e>", end)],
    )


def test_exported_it_gives_the_same_ids(trained: Tokenizer, tmp_path: Path) -> None:
    tokenizer_json.save(trained, tmp_path / "tokenizer.json")
    theirs = hf.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    reloaded = tokenizer_json.load(tmp_path / "tokenizer.json")
    for text in strings(1000, seed=21):
        if "<0x" in text and isinstance(trained.model, Unigram):
            continue  # the library takes the spelling of a byte piece for the byte
        ids = trained.encode(text, allowed="all").ids
        assert theirs.encode(text).ids == ids, text
        assert reloaded.encode(text).ids == ids, text
        if trained.closed and not trained.normaliser.config():
            back = theirs.decode(ids, skip_special_tokens=False)
            assert back == text == trained.decode(ids)


def test_words_cannot_be_written_but_run(of_words: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="cannot hold a word segmenter"):
        tokenizer_json.save(of_words, tmp_path / "tokenizer.json")
    theirs = huggingface.to_tokenizers(of_words)
    for text in strings(500, seed=22):
        assert theirs.encode(text).ids == of_words.encode(text, allowed="all").ids, text


def test_words_in_transformers_save_load_and_pickle(of_words: Tokenizer, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs transformers")
    from segmenter.subword.formats.transformers import WordTokenizerFast, to_transformers

    theirs = to_transformers(of_words, eos_token="<e>", pad_token="<e>")
    assert isinstance(theirs, WordTokenizerFast)
    theirs.save_pretrained(tmp_path)
    tokenizers = [
        theirs,
        WordTokenizerFast.from_pretrained(tmp_path),
        pickle.loads(pickle.dumps(theirs)),
        copy.deepcopy(theirs),
    ]
    texts = strings(200, seed=23)
    for tokenizer_other in tokenizers:
        assert tokenizer_other.eos_token == "<e>"
        for text in texts:
            encoding = tokenizer_other(text, return_offsets_mapping=True)
            mine = of_words.encode(text, allowed="all")
            assert encoding["input_ids"] == mine.ids, text
        batch = tokenizer_other(["他说的确实在理", "好"], padding=True)["input_ids"]
        assert len({len(row) for row in batch}) == 1
    assert theirs.decode(theirs("他说的确实在理", add_special_tokens=False)["input_ids"]) == (
        "他说的确实在理"
    )


def test_plain_ones_in_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    from segmenter.subword.formats.transformers import to_transformers

    mine = Tokenizer.train_from_iterator(corpus(), vocab_size=700)
    to_transformers(mine).save_pretrained(tmp_path)
    reloaded = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    for text in strings(200, seed=24):
        assert reloaded(text)["input_ids"] == mine.encode(text).ids, text


def test_a_segmenter_without_a_name_is_refused_where_it_must_be_named(of_words: Tokenizer) -> None:
    pytest.importorskip("transformers", reason="needs transformers")
    from segmenter.subword.formats.transformers import to_transformers

    class Cutter:
        fingerprint = "x"

        def ends(self, text: str) -> Any:
            return segmenter.ends(text)

    nameless = Tokenizer(of_words.model, pretokeniser=pretokenise.Words(Cutter()))
    assert huggingface.to_tokenizers(nameless).encode("确实").ids == nameless.encode("确实").ids
    with pytest.raises(ArgumentError, match="was not loaded by name"):
        to_transformers(nameless)


def test_auto_tokenizer_gives_the_ids_or_refuses(of_words: Tokenizer, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="the package transformers is not installed")
    from transformers import AutoTokenizer

    from segmenter.subword.formats.transformers import WordTokenizerFast, to_transformers

    to_transformers(of_words).save_pretrained(tmp_path)
    text = "我们明天再去看看，北京和上海。"
    expected = of_words.encode(text).ids
    reloaded = AutoTokenizer.from_pretrained(tmp_path)
    assert isinstance(reloaded, WordTokenizerFast)
    assert reloaded(text)["input_ids"] == expected
    reloaded.save_pretrained(tmp_path / "again")
    assert AutoTokenizer.from_pretrained(tmp_path / "again")(text)["input_ids"] == expected
    # without our module the library cannot cut by words, and says so
    with pytest.raises(Exception, match="PreTokenizer"):
        hf.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    config = json.loads((tmp_path / "tokenizer_config.json").read_text("utf-8"))
    assert config["auto_map"]["AutoTokenizer"][1] == "segmenter_words.WordTokenizerFast"
    program = (
        "import sys; from transformers import AutoTokenizer\n"
        "try: AutoTokenizer.from_pretrained(sys.argv[1])\n"
        "except ValueError as e: assert 'trust_remote_code' in str(e)\n"
        "else: raise SystemExit('no refusal')\n"
        "one = AutoTokenizer.from_pretrained(sys.argv[1], trust_remote_code=True)\n"
        "print(one(sys.argv[2])['input_ids'])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), text],
        capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL, check=False,
        env={**os.environ, "HF_MODULES_CACHE": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip().endswith(str(expected))
