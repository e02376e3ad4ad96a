"""The preset whose weights another package carries."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import worlds

from segmenter import artifact, load
from segmenter.errors import ResourceError
from segmenter.files import resources
from segmenter.kernels import _models, _tokens
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import EncoderPredictor

if TYPE_CHECKING:
    from segmenter.core import Segmenter

TEXTS = [
    "工信处女干事每月经过下属科室，都要亲口交代24口交换机等技术性器件的安装工作。",
    "他说的确实在理。“十个工作日内向乙方支付。”\n見到國際機場 New York 3.5%",
    "看 https://a.cn/b?c=1 和 13812345678，@张三 #话题# 😀",
    *worlds.long_texts().values(),
]


@pytest.fixture(scope="module")
def best() -> Segmenter:
    try:
        return load("best")
    except ResourceError:
        pytest.skip("best.model is not here: python -m recipes make makes it")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [text[:250] for text in TEXTS]


def test_texts_are_cut_whole_and_alike(best: Segmenter, texts: list[str]) -> None:
    for text in texts:
        words = best.cut(text)
        assert "".join(words) == text
        assert [t.text for t in best.tokenize(text)] == words
    lines = [line for text in texts for line in text.split("\n")]
    alone = [best.cut(line) for line in lines]
    assert best.cut_batch(lines, threads=1) == alone
    assert best.cut_batch(lines, threads=8) == alone


def test_every_set_of_instructions_cuts_alike(best: Segmenter, texts: list[str]) -> None:
    tagger = best.tagger
    assert isinstance(tagger, EncoderPredictor)
    fast = [name for name in _models.encoder_instruction_sets() if name != "portable"]
    for text in texts:
        part = text[:100]
        by_set = {tagger.weights(instructions=name).emissions(part) for name in fast}
        assert len(by_set) == 1
    by_set = {tagger.weights(instructions=n).emissions(texts[0]) for n in ("portable", fast[-1])}
    assert len(by_set) == 1


def test_scores_are_the_mean_with_those_of_accurate(best: Segmenter) -> None:
    def shares(standard: str) -> list[float]:
        alone = load_by_name(resources.find("best.model"), standard=standard)
        accurate, best = (load_by_name(name, standard=standard) for name in ("accurate", "best"))
        scores_found = [
            _tokens.tag_scores(s._engine, TEXTS[0][:12]) for s in (alone, accurate, best)
        ]
        nats = [np.frombuffer(scores, np.int32) / scale for scale, _, _, scores in scores_found]
        is_clear = np.abs(nats[0] - nats[1]) > 1  # where the share can be told
        assert is_clear.sum() > 10
        return ((nats[2] - nats[1])[is_clear] / (nats[0] - nats[1])[is_clear]).tolist()

    assert shares("general") == [1] * len(shares("general"))
    assert shares("msr") == pytest.approx([0.15] * len(shares("msr")), abs=0.05)


def test_what_the_user_says_is_kept(best: Segmenter) -> None:
    draw = random.Random(1)
    text = TEXTS[0]
    for _ in range(10):
        a = draw.randrange(len(text) - 4)
        word = text[a : a + draw.randint(2, 4)]
        assert word in best.with_words([(word, "force")]).cut(text)
    assert "https://a.cn/b?c=1" in best.cut(TEXTS[2])
    assert best.with_words([("处女", "delete")]).cut(text)


def test_explain_has_margins(best: Segmenter) -> None:
    scores = [token.score for token in best.tokenize(TEXTS[0])]
    assert any(score is not None and score > 0 for score in scores)
    assert best.nbest(TEXTS[1], 3)[0][0] == best.cut(TEXTS[1])
    assert best.explain(TEXTS[1])
    assert best.tag(TEXTS[0])
    assert best.cut_for_search(TEXTS[0])


def test_every_standard_opens(best: Segmenter) -> None:
    assert best.tagger is not None
    standards = best.tagger.meta["standards"]
    by_standard = {standard: load_by_name("best", standard=standard) for standard in standards}
    assert {"general", "pku"} <= set(by_standard)
    assert len({s.fingerprint for s in by_standard.values()}) == len(by_standard)
    for s in by_standard.values():
        assert "".join(s.cut(TEXTS[0])) == TEXTS[0]


def test_the_folder_of_the_environment_comes_first(
    best: Segmenter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(best.tagger, EncoderPredictor)
    for path in (best.tagger.artifact.path, best.tagger.linear.artifact.path):
        os.symlink(path, tmp_path / Path(path).name)
    monkeypatch.setenv(resources.ENVIRONMENT, str(tmp_path))
    assert resources.find("best.model") == str(tmp_path / "best.model")
    assert load("best").cut(TEXTS[0]) == best.cut(TEXTS[0])


def test_the_files_fit_into_a_wheel(best: Segmenter) -> None:
    assert isinstance(best.tagger, EncoderPredictor)
    folder = Path(best.tagger.artifact.path).parent
    assert sum(path.stat().st_size for path in folder.glob("*.model")) < 40_000_000
    assert artifact.open(folder / "best.model").kind == "encoder-crf"
