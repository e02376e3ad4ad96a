"""spaCy for real."""

from __future__ import annotations

import doctest
import pickle
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from hypothesis import given
from pages import run_page

from segmenter import ArgumentError, Segmenter, load

library = pytest.importorskip("spacy", reason="spacy is not installed: extra [spacy]")
from segmenter.adapters import spacy  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

FAST = load("fast")


def blank(**options: Any) -> Any:
    named = {"@tokenizers": "segmenter.zh", "preset": "fast", **options}
    return library.blank("zh", config={"nlp": {"tokenizer": named}})


def test_words_and_blanks() -> None:
    nlp = blank()
    for text in [
        "他说的确实在理。",
        "",
        " ",
        " 他",
        "他  说\n\n的",
        "AI 和 C++　好\t吗 ",
        "👩\u200d👧 \u0301",
    ]:
        doc = nlp(text)
        assert doc.text == text
        assert "".join(t.text_with_ws for t in doc) == text
        # a blank with a mark on it is one word of ours; spaCy has every blank after a token
        assert [t.text for t in doc if not t.is_space] == [
            w.removeprefix(" ") for w in FAST.cut(text) if not w.isspace()
        ]
        assert all(text[t.idx : t.idx + len(t)] == t.text for t in doc)
    assert [t.whitespace_ for t in nlp("AI 和  C")] == [" ", " ", "", ""]


def test_tokens_rebuild_any_text() -> None:
    tokenizer = spacy.Tokenizer(library.vocab.Vocab(), Segmenter(worlds.lexicon()))

    @given(
        (worlds.texts | worlds.any_text).filter(lambda t: t == t.encode("utf-8", "ignore").decode())
    )
    def check(text: str) -> None:
        assert tokenizer(text).text == text

    check()


def test_kept_with_the_pipeline(tmp_path: Path) -> None:
    nlp = blank(decoder="unigram", standard="pku")
    mine = nlp.tokenizer.segmenter.with_words(
        ["iPhone 15", ("提|出", "split"), ("云计算", 50.0, "n", {"id": 1})]
    )
    nlp.tokenizer = spacy.Tokenizer(nlp.vocab, mine)
    nlp.add_pipe("sentencizer", config={"punct_chars": ["。"]})
    texts = ["买了iPhone 15。", "提出云计算。"]
    expected = [[t.text for t in nlp(text)] for text in texts]
    assert "iPhone 15" in expected[0]
    nlp.to_disk(tmp_path / "pipeline")
    assert sum(f.stat().st_size for f in (tmp_path / "pipeline" / "tokenizer").iterdir()) < 2_000
    copies = [
        library.load(tmp_path / "pipeline"),
        blank().from_bytes(nlp.to_bytes(exclude=["sentencizer"]), exclude=["sentencizer"]),
        pickle.loads(pickle.dumps(nlp)),
    ]
    for copy in copies:
        assert [[t.text for t in copy(text)] for text in texts] == expected
        assert copy.tokenizer.segmenter.fingerprint == mine.fingerprint
        assert copy.tokenizer.segmenter.user["云计算"].payload == {"id": 1}
    assert len(list(copies[0]("一。二。").sents)) == 2


def test_another_model_is_refused() -> None:
    data = blank().tokenizer.to_bytes().replace(b"rules-", b"rules-9")
    with pytest.raises(ArgumentError, match="was saved with"):
        blank().tokenizer.from_bytes(data)
    tokenizer = spacy.Tokenizer(library.vocab.Vocab(), Segmenter(worlds.lexicon()))
    with pytest.raises(ArgumentError, match=r"only one that segmenter\.load made"):
        tokenizer.to_bytes()


def test_batches_and_processes() -> None:
    nlp = blank()
    texts = ["他说的确实在理。", "我们相信"] * 5
    batch = [[t.text for t in doc] for doc in nlp.pipe(texts)]
    assert batch == [FAST.cut(t) for t in texts]
    two = [[t.text for t in doc] for doc in nlp.pipe(texts, n_process=2, batch_size=3)]
    assert two == batch


def test_options_of_the_configuration_reach_the_segmenter(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("说的确\n", "utf-8")
    assert "说的确" in [t.text for t in blank(user=str(words))("他说的确实在理")]
    with pytest.raises(ArgumentError, match="leaves out tokens"):
        spacy.Tokenizer(library.vocab.Vocab(), load("fast", skip=("space",)))
    with pytest.raises(TypeError, match="segmenter must be a Segmenter"):
        spacy.Tokenizer(library.vocab.Vocab(), "fast")  # type: ignore[arg-type]


def test_the_examples() -> None:
    assert doctest.testmod(spacy).failed == 0
    run_page("spacy.md", asserts=4)
