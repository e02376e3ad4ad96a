"""scikit-learn for real."""

from __future__ import annotations

import doctest
import pickle
import warnings
from typing import Any

import pytest
from pages import run_page

from segmenter import load
from segmenter.adapters.sklearn import Words

pytest.importorskip("sklearn", reason="scikit-learn is not installed: extra [sklearn]")
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline

SPORT = [
    "球队赢得了比赛",
    "球员在比赛里进球",
    "教练和球员训练",
    "球队的教练",
    "比赛进球很多",
    "训练之后比赛",
]
MONEY = [
    "银行提高了利率",
    "股票市场下跌",
    "投资者买入股票",
    "利率影响市场",
    "银行和投资者",
    "市场上的股票",
]
TEXTS, CLASSES = SPORT + MONEY, [0] * 6 + [1] * 6


def vectorizer(**options: Any) -> TfidfVectorizer:
    return TfidfVectorizer(tokenizer=Words(load("fast")), token_pattern=None, **options)


def test_features_are_words() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = vectorizer().fit(TEXTS)
    assert {"球员", "比赛", "股票", "银行"} <= set(model.vocabulary_)
    assert (
        "。"
        not in TfidfVectorizer(tokenizer=Words(), token_pattern=None).fit(["好。 坏"]).vocabulary_
    )
    words = Words(load("fast"), search=True)
    assert words("中华人民共和国")[:2] == ["中华人民共和国", "中华"]
    pairs = vectorizer(ngram_range=(1, 2)).fit(["银行利率"])
    assert "银行 利率" in pairs.vocabulary_


def test_pickled_cloned_and_in_processes() -> None:
    pipeline = Pipeline([("words", vectorizer()), ("model", LogisticRegression())])
    scores = cross_val_score(pipeline, TEXTS, CLASSES, cv=3, n_jobs=2)
    assert scores.mean() > 0.6
    pipeline.fit(TEXTS, CLASSES)
    data = pickle.dumps(pipeline)
    assert len(data) < 20_000
    restored = pickle.loads(data)
    assert restored.predict(["股票和利率", "教练的比赛"]).tolist() == [1, 0]
    assert restored.named_steps["words"].tokenizer == pipeline.named_steps["words"].tokenizer
    copy = clone(pipeline).fit(TEXTS, CLASSES)
    assert (copy.predict_proba(TEXTS) == pipeline.predict_proba(TEXTS)).all()
    hashed = HashingVectorizer(tokenizer=Words(), token_pattern=None, n_features=64)
    assert pickle.loads(pickle.dumps(hashed)).transform(TEXTS).shape == (12, 64)


def test_equal_settings_are_equal() -> None:
    fast = Words(load("fast"))
    assert fast == Words(load("fast"))
    assert hash(fast) == hash(Words(load("fast")))
    assert fast != Words(load("fast"), search=True)
    assert fast != Words()
    assert "perceptron" in repr(fast)


def test_the_examples() -> None:
    from segmenter.adapters import sklearn

    assert doctest.testmod(sklearn).failed == 0
    run_page("scikit-learn.md", asserts=3)
