"""Networks that read clauses: what stands between marks means the same wherever it stands."""

from __future__ import annotations

import random
import statistics
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from network_text import LETTERS, WORDS, network, sentences

from segmenter import artifact
from segmenter.errors import ArtifactError
from segmenter.kernels import _engine, _tokens
from segmenter.tagging.predictor import BilstmPredictor, Predictor
from segmenter.train import tagger
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.features import FeatureOptions, FeatureSource

if TYPE_CHECKING:
    from pathlib import Path

MARKS = "，。"
CLAUSES = ["".join(random.Random(n).choices(LETTERS, k=n)) for n in (7, 1, 12, 25, 3, 40, 2, 5)]
TEXT = "，".join(CLAUSES) + "。"
EVERYTHING_IS_SURE = 1 / bilstm_crf.UNITS  # the least that is not 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a linear tagger that reads marks like the end of the text."""
    text = [
        [*words, "，", *more, "。"]
        for words, more in zip(sentences(200, 1), sentences(200, 2), strict=True)
    ]
    trained = tagger.train(
        text,
        sources=[FeatureSource("list", dict.fromkeys(WORDS, 1))],
        options=tagger.TaggerOptions("crf", FeatureOptions(marks=MARKS), epochs=2),
    )
    path = tmp_path_factory.mktemp("clauses")
    artifact.write(path / "line.model", form.KIND, *compile_model(trained.model))
    return path


def engine(folder: Path, weight: float, sure: float = 0.0) -> tuple[Any, Any]:
    """An engine and the weights of a network of random numbers without transitions."""
    model = network(size=1.0, weight=weight)
    model.meta["marks"] = MARKS
    linear = artifact.open(folder / "line.model")
    moves = Predictor(linear)
    from segmenter.train.tagging.decompile import decompile

    portable = decompile(moves.artifact)
    for s, standard in model.standards.items():
        model.standards[s] = replace(
            standard,
            transitions=weight * portable.trans,
            start=weight * portable.start,
            end=np.zeros(4),
            margin=sure,
        )
    path = folder / f"{weight}-{sure}.model"
    sections = bilstm_crf.compile_model(model, {"line.model": linear})
    artifact.write(path, bilstm_crf.KIND, *sections)
    native = BilstmPredictor(artifact.open(path), "one", lambda _: moves).native
    return _engine.Engine(native), native


def scores(native: Any, text: str) -> list[list[int]]:
    rows: list[list[int]] = np.frombuffer(native.emissions(text), np.int16).reshape(-1, 4).tolist()
    return rows


def test_a_clause_has_its_scores_wherever_it_stands(folder: Path) -> None:
    run, native = engine(folder, 0.0)
    scores_found, offset = scores(native, TEXT), 0
    for clause in CLAUSES:
        alone = scores(native, clause)
        assert scores_found[offset : offset + len(clause)] == alone
        offset += len(clause) + 1
    words = run.cut(TEXT)
    assert [w for clause in CLAUSES for w in run.cut(clause)] == [
        w for w in words if w not in MARKS
    ]
    assert words.count("，") == len(CLAUSES) - 1  # a mark is a word of its own


@pytest.mark.parametrize("sure", [0.0, 2.0])
def test_marks_around_a_clause_change_nothing(folder: Path, sure: float) -> None:
    # the linear tagger sees one character beyond a mark, and here there is none
    _, native = engine(folder, 0.5, sure)
    for clause in CLAUSES:
        alone = scores(native, clause)
        assert scores(native, f"{clause}。")[:-1] == alone
        assert scores(native, f"，{clause}")[1:] == alone


def test_marks_inside_a_token_part_nothing(folder: Path) -> None:
    run, native = engine(folder, 0.5)
    assert run.cut("天地1，234人") == ["天地", "1，234", "人"]
    assert scores(native, "天地1，234人") != scores(native, "天地1，人")


def test_clauses_of_which_the_linear_tagger_is_sure_are_not_read(folder: Path) -> None:
    whole_scores, linear_alone = engine(folder, 0.5)[1], engine(folder, 0.5, EVERYTHING_IS_SURE)
    starts, ends, margins = _tokens.margins_of(linear_alone[0], TEXT)
    least, offset = [], 0
    for clause in CLAUSES:
        # a word's margin is that of its boundaries too, and those of a clause count for nothing
        inner = [
            margin
            for start, end, margin in zip(starts, ends, margins, strict=True)
            if offset < start < end < offset + len(clause)
        ]
        least.append(min(inner, default=1e9))
        offset += len(clause) + 1
    sure = statistics.median(least)
    scores_read, passed = scores(whole_scores, TEXT), scores(linear_alone[1], TEXT)
    some, offset, clauses_asked = scores(engine(folder, 0.5, sure)[1], TEXT), 0, 0
    for clause, margin in zip(CLAUSES, least, strict=True):
        clause_span = slice(offset, offset + len(clause))
        assert some[clause_span] in (scores_read[clause_span], passed[clause_span])
        if margin < sure or len(clause) == 1:
            assert some[clause_span] == (passed if len(clause) == 1 else scores_read)[clause_span]
        clauses_asked += some[clause_span] == scores_read[clause_span]
        offset += len(clause) + 1
    assert 0 < clauses_asked < len(CLAUSES)


def test_a_margin_of_no_sense_is_refused(folder: Path) -> None:
    with pytest.raises(
        ArtifactError, match="'sure' of its metadata is not a number from 0 to 10000"
    ):
        engine(folder, 0.5, 1e9)


def test_training_text_is_divided_as_the_kernel_divides_it() -> None:
    pytest.importorskip("torch")
    from segmenter.train import bilstm_text
    from segmenter.train.tagging.features import FeatureSpace

    text = [["天地", "，", "你", "们", "。"], ["1，2", "人"]]
    space = FeatureSpace.of_text(text, [FeatureSource("list", dict.fromkeys(WORDS, 1))])
    vocab = bilstm_text.vocabulary([text], least_char=1, least_pair=1)
    got = bilstm_text.encode(vocab, space, text, marks=MARKS)
    assert got.offsets.tolist() == [0, 2, 4, 8]
    assert "".join(chr(vocab.chars[i - 2]) for i in got.chars) == "天地你们1，2人"
    assert got.tags.tolist() == [0, 2, 3, 3, 0, 1, 2, 3]
    clauses = bilstm_text.encode(vocab, space, [["天地"], ["你", "们"], ["1，2", "人"]])
    for ours, theirs in zip(got, clauses, strict=True):
        assert (ours is None and theirs is None) or ours.tolist() == theirs.tolist()

    unsure = [np.array([0], np.int64), np.array([], np.int64)]
    partly = bilstm_text.encode(vocab, space, text, unsure=unsure, marks=MARKS)
    assert partly.fits is not None
    # 天 begins with B or S whatever follows; 地, beside a mark, ends a word: E or S
    assert [int(x) for x in partly.fits[:2]] == [0b1001, 0b1100]
