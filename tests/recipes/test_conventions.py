"""Raw text that an ensemble cuts for the conventions."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the networks are trained with torch")

from recipes import conventions, standards
from recipes.raw import Line
from segmenter.train import bilstm, bilstm_text
from segmenter.train.tagging.features import FULL, FeatureSpace

RAW = [Line(file, f"{file}{i}句") for file in ("laws", "news-tw", "laws-tw") for i in range(4)]


def test_a_convention_reads_the_files_that_are_like_its_own() -> None:
    found = conventions.lines(RAW, "sinica")
    assert len(found) == 8
    assert not any(text.startswith("laws0") for text in found)
    assert found == conventions.lines(RAW, "sinica")


def test_no_file_gives_more_than_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conventions, "LINES", 6)  # of three files, two of which are here
    assert len(conventions.lines(RAW, "sinica")) == 6


def test_the_text_of_the_ensemble_stands_beside_all_others() -> None:
    gold = [["他们", "在理"], ["他们", "在理"]]
    space = FeatureSpace.of_text(gold, [])
    vocab = bilstm_text.vocabulary([gold], pairs=4)
    folds = np.full(2, FULL, np.uint8)
    old = [
        bilstm.Part("general", bilstm_text.encode(vocab, space, gold, folds), 0.5),
        bilstm.Part("general", bilstm_text.encode(vocab, space, gold, folds), 0.5),
        bilstm.Part("sinica", bilstm_text.encode(vocab, space, gold, folds), 1.0),
    ]
    of = standards.Lessons(
        vocab,
        old,
        {},
        space.words.n_classes,
        ["newspaper", "voted", "sinica itself"],
        {"sinica": space},
    )
    lines = [Line("news-tw", "他 在理"), Line("laws", "不要")]
    got = list(conventions.parts(of, {"sinica": list}, lines, str, 0.2))
    assert [(part.standard, part.share) for part in got] == [
        ("general", conventions.SHARES["newspaper"]),
        ("general", 0.2),
        ("sinica", 1.0),
        ("sinica", conventions.SHARE),
    ]
    assert len(got[-1].text.chars) == 3  # blanks are no words
