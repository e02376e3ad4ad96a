"""A small text to train linear taggers on, and a list of words beside it."""

from __future__ import annotations

import random

from segmenter.train.tagging.features import FeatureSource

LIST = """
他 我 你 的 了 在 是 有 说 去 来 一 个 年 月 日 北京 上海 大学 北京大学 学生 研究 研究生 生命 起源
中国 人民 人民大会堂 大会 会堂 银行 中国人民银行 今天 天气 很 好 不错 图书馆 图书 里 看书 苹果 手机
1998年 3.5% 12月 iphone ， 。 、 《 》
"""
WORDS = LIST.split()


def sentences(n: int, seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    weights = [1 / (1 + k % 17) for k in range(len(WORDS))]
    return [rng.choices(WORDS, weights, k=rng.randint(1, 14)) for _ in range(n)]


TRAIN, DEV = sentences(400, 1), sentences(60, 2)
OUTER = FeatureSource("outer", {"图书馆": 1, "大会堂": 1, "生命科学": 2}, 2, 2, 1)
