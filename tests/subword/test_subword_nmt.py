"""Codes of subword-nmt in our hands: the library's own pieces."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest
from foreign import corpus, strings

from segmenter.errors import ArgumentError
from segmenter.subword.formats import subword_nmt as ours
from segmenter.subword.formats.files import FormatError

apply_bpe = pytest.importorskip("subword_nmt.apply_bpe", reason="needs subword-nmt")
learn_bpe = pytest.importorskip("subword_nmt.learn_bpe", reason="needs subword-nmt")


@pytest.fixture(scope="module", params=["0.2", "0.1"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("nmt")
    codes = io.StringIO()
    learn_bpe.learn_bpe(io.StringIO("\n".join(corpus())), codes, 400)
    text = codes.getvalue()
    if request.param == "0.1":  # the old form: no first line, </w> a symbol of its own at first
        pairs = [line.split(" ") for line in text.splitlines()[1:]]
        ends = sorted({b[: -len("</w>")] for _, b in pairs if b.endswith("</w>") and len(b) == 5})
        text = "".join(f"{c} </w>\n" for c in ends) + "".join(f"{a} {b}\n" for a, b in pairs)
    (folder / "codes").write_text(text, "utf-8")
    counts = random.Random(5)
    bpe = apply_bpe.BPE(io.StringIO(text))
    pieces = sorted({p for line in corpus() for p in bpe.segment(line).split()})
    rows = [f"{piece} {counts.randrange(1, 20)}\n" for piece in pieces]
    (folder / "vocabulary").write_text("".join(rows), "utf-8")
    return folder


def lines() -> list[str]:
    return [text.replace("\n", " ").replace("\r", " ") for text in strings(1000)]


@pytest.mark.parametrize("threshold", [None, 1, 5, 15])
def test_a_thousand_strings_get_the_librarys_pieces(files: Any, threshold: int | None) -> None:
    vocabulary = None
    if threshold is not None:
        with (files / "vocabulary").open(encoding="utf-8") as f:
            vocabulary = apply_bpe.read_vocabulary(f, threshold)
    with (files / "codes").open(encoding="utf-8") as f:
        theirs = apply_bpe.BPE(f, vocab=vocabulary)
    mine = ours.load(
        files / "codes",
        None if threshold is None else files / "vocabulary",
        threshold=threshold,
    )
    for line in lines():
        assert mine.segment(line) == theirs.segment_tokens(line.strip("\r\n ").split(" ")), line


def test_fewer_merges_cut_as_subword_nmt_does(files: Any) -> None:
    with (files / "codes").open(encoding="utf-8") as f:
        theirs = apply_bpe.BPE(f, merges=100)
    mine = ours.load(files / "codes", merges=100)
    for line in lines()[:200]:
        assert mine.segment(line) == theirs.segment_tokens(line.strip("\r\n ").split(" ")), line


def test_as_a_tokenizer(files: Any) -> None:
    codes = ours.load(files / "codes")
    if codes.version == (0, 1):
        with pytest.raises(ArgumentError, match="use segment"):
            codes.tokenizer()
        return
    tokenizer = codes.tokenizer()
    line = "the newest lower tokenizers"
    tokens = [p[:-4] if p.endswith("</w>") else p + "@@" for p in tokenizer.encode(line).tokens]
    assert tokens == codes.segment(line)
    assert tokenizer.decode(tokenizer.encode(line)) == line


def test_damaged_files_are_refused(tmp_path: Any) -> None:
    path = tmp_path / "codes"
    path.write_text("#version: 0.2\na b\na b c\n", "utf-8")
    with pytest.raises(FormatError, match="codes, line 3: 'a b c' is not a pair"):
        ours.load(path)
    path.write_text("#version: 0.3\na b\n", "utf-8")
    with pytest.raises(FormatError, match="versions"):
        ours.load(path)
    path.write_bytes(b"a b\n\xff b\n")
    with pytest.raises(FormatError, match="line 2: is not UTF-8"):
        ours.load(path)
    path.write_text("a b\n", "utf-8")
    (tmp_path / "v").write_text("a x\n", "utf-8")
    with pytest.raises(FormatError, match="v, line 1: 'a x' is not a piece and its count"):
        ours.load(path, tmp_path / "v")
