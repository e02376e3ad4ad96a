"""gensim for real, and the iterables without it."""

from __future__ import annotations

import doctest
import gzip
import pickle
from typing import TYPE_CHECKING

import pytest
from pages import run_page

from segmenter import ArgumentError, EncodingError, load
from segmenter.adapters import gensim

if TYPE_CHECKING:
    from pathlib import Path

FAST = load("fast", skip=("space", "punct"))
LINES = ["他说的确实在理。", "", "我们相信人民，相信共和国。", "共和国的人民"]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("\n".join(LINES[:3]), "utf-8")
    second.write_text(LINES[3] + "\r\n", "utf-8")
    return [first, second]


def test_begins_anew_every_time(files: list[Path]) -> None:
    expected = [FAST.cut(line) for line in LINES if line]
    for sentences in (
        gensim.Sentences.of_files(files, FAST),
        gensim.Sentences.of_files(files, FAST, threads=2),
        gensim.Sentences([line for line in LINES if line], FAST),
    ):
        assert list(sentences) == expected
        assert list(sentences) == expected
        two = zip(sentences, sentences, strict=True)  # at the same time
        assert [a == b for a, b in two] == [True] * 3
        assert list(pickle.loads(pickle.dumps(sentences))) == expected
    assert list(gensim.Sentences.of_files(files[1], FAST)) == expected[2:]
    texts = gensim.Sentences(["共和国的人民"] * (gensim.BATCH * 2 + 1), FAST)
    assert sum(1 for words in texts if words == expected[2]) == gensim.BATCH * 2 + 1


def test_files_that_are_not_right(files: list[Path], tmp_path: Path) -> None:
    odd = tmp_path / "odd.txt"
    odd.write_bytes("他说\n的确".encode() + b"\xff\n")
    with pytest.raises(EncodingError, match=r"odd\.txt, line 2"):
        list(gensim.Sentences.of_files([*files, odd], FAST))
    odd.write_bytes("他说\n的确".encode("gb18030"))
    got = list(gensim.Sentences.of_files(odd, FAST, encoding="gb18030"))
    assert got == [["他", "说"], ["的确"]]
    with pytest.raises(FileNotFoundError):
        gensim.Sentences.of_files(tmp_path / "none.txt", FAST)
    with pytest.raises(ArgumentError, match="iterated only once"):
        gensim.Sentences((line for line in LINES), FAST)
    with pytest.raises(TypeError, match="source must be an iterable of str"):
        gensim.Sentences("他说的", FAST)
    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(b"a"))
    with pytest.raises(EncodingError):
        list(gensim.Sentences.of_files(packed, FAST))
    with pytest.raises(TypeError, match="dictionary must be"):
        gensim.BagOfWords(gensim.Sentences(LINES), {})


def test_gensim_trains_on_it(files: list[Path]) -> None:
    pytest.importorskip("gensim", reason="gensim is not installed: extra [gensim]")
    from gensim.corpora import Dictionary
    from gensim.models import TfidfModel, Word2Vec

    sentences = gensim.Sentences.of_files(files, FAST)
    dictionary = Dictionary(sentences)
    assert dictionary.num_docs == 3
    assert {"共和国", "人民", "确实"} <= set(dictionary.token2id)
    bags = gensim.BagOfWords(sentences, dictionary)
    assert sum(n for bag in bags for _, n in bag) == sum(len(words) for words in sentences)
    tfidf = TfidfModel(bags)
    assert len(list(tfidf[list(bags)])) == 3
    model = Word2Vec(sentences, vector_size=4, min_count=1, epochs=3, workers=1, seed=1)
    assert model.epochs == 3
    assert "共和国" in model.wv


def test_the_examples() -> None:
    assert doctest.testmod(gensim).failed == 0
    pytest.importorskip("gensim", reason="gensim is not installed: extra [gensim]")
    run_page("gensim.md", asserts=3)
