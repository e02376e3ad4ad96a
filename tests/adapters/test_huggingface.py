"""tokenizers and datasets for real."""

from __future__ import annotations

import doctest
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from pages import run_page

from segmenter import ArgumentError, load
from segmenter.adapters import huggingface

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["他说的确实在理", None, "", "我们 🙂 在理。\n真的", "买了iPhone 15"]
FAST = load("fast")


def tokenizers() -> Any:
    return pytest.importorskip("tokenizers", reason="not installed: extra [huggingface]")


def datasets() -> Any:
    return pytest.importorskip("datasets", reason="not installed: extra [huggingface]")


def test_the_pre_tokenizer_splits_at_words() -> None:
    library = tokenizers()
    step = huggingface.pre_tokenizer(FAST)
    for text in filter(None, TEXTS):
        got = step.pre_tokenize_str(text)
        assert [word for word, _ in got] == FAST.cut(text)
        assert [(0 if not i else got[i - 1][1][1]) for i in range(len(got))] == [
            a for _, (a, _) in got
        ]
    vocabulary = {"[UNK]": 0, "确实": 1, "在理": 2, "他": 3}
    tokenizer = library.Tokenizer(library.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = step
    got = tokenizer.encode("他说的确实在理")
    assert got.ids == [3, 0, 0, 1, 2]
    assert got.offsets == [(0, 1), (1, 2), (2, 3), (3, 5), (5, 7)]
    # the library's limit, as the docstring has it; and the way round it
    with pytest.raises(Exception, match="Custom PreTokenizer cannot be serialized"):
        tokenizer.to_str()
    with pytest.raises(Exception, match="Custom PreTokenizer cannot be serialized"):
        pickle.dumps(tokenizer)
    tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    reloaded = library.Tokenizer.from_str(tokenizer.to_str())
    reloaded.pre_tokenizer = huggingface.pre_tokenizer(FAST)
    assert reloaded.encode("他说的确实在理").ids == got.ids


def test_the_pre_tokenizer_in_training() -> None:
    library = tokenizers()
    tokenizer = library.Tokenizer(library.models.BPE())
    tokenizer.pre_tokenizer = huggingface.pre_tokenizer(FAST)
    trainer = library.trainers.BpeTrainer(vocab_size=40, show_progress=False)
    tokenizer.train_from_iterator(["他说的确实在理", "确实在理"] * 20, trainer)
    assert {"确实", "在理"} <= set(tokenizer.get_vocab())
    assert "的确" not in tokenizer.get_vocab()  # no piece crosses a boundary


def test_it_must_drop_nothing() -> None:
    tokenizers()
    with pytest.raises(ArgumentError, match="leaves out tokens"):
        huggingface.pre_tokenizer(load("fast", skip=("space",)))


@pytest.mark.parametrize("format", [None, "arrow"])
def test_map_adds_the_words_of_each_text(format: str | None, tmp_path: Path) -> None:
    library = datasets()
    mine = FAST.with_words(["iPhone 15"])
    dataset = library.Dataset.from_dict({"text": TEXTS * 40, "n": list(range(200))})
    if format:
        dataset = dataset.with_format(format)
    step = huggingface.MapWords("text", mine, into="cut", threads=2)
    mapped = dataset.map(step, batched=True, batch_size=64)
    got = mapped.with_format(None)
    assert got.column_names == ["text", "n", "cut"]
    assert got["cut"][:5] == [None if t is None else mine.cut(t) for t in TEXTS]
    assert len(got) == 200
    result = dataset.map(step, batched=True, batch_size=64)
    assert result._fingerprint == mapped._fingerprint  # what its cache goes by
    assert got.map(step, batched=True)["cut"][:] == got["cut"][:]  # a column that is there already
    assert pickle.dumps(step) == pickle.dumps(pickle.loads(pickle.dumps(step)))
    assert len(pickle.dumps(step)) < 5_000


def test_map_in_processes() -> None:
    library = datasets()
    dataset = library.Dataset.from_dict({"text": TEXTS * 4})
    got = dataset.map(huggingface.MapWords("text", FAST), batched=True, num_proc=2)
    assert got["words"][:5] == [None if t is None else FAST.cut(t) for t in TEXTS]


def test_map_refuses_columns_that_it_cannot_cut() -> None:
    library = datasets()
    dataset = library.Dataset.from_dict({"text": ["他说"]})
    with pytest.raises(ArgumentError, match="column: 'body' is not one of text"):
        dataset.map(huggingface.MapWords("body", FAST), batched=True)
    with pytest.raises(TypeError, match="batched=True"):
        dataset.map(huggingface.MapWords("text", FAST))
    with pytest.raises(TypeError, match="column must be str"):
        huggingface.MapWords(["text"], FAST)  # type: ignore[arg-type]


def test_the_examples() -> None:
    tokenizers()
    datasets()
    assert doctest.testmod(huggingface).failed == 0
    run_page("hugging-face.md", asserts=4)
