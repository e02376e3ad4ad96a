"""A small text with tags, with words of several tags; and how taggers of it are trained."""

from __future__ import annotations

from segmenter.train import pos as training

TEXT = """
他/r 研究/v 历史/n 。/w
这/r 项/q 研究/vn 很/d 难/a 。/w
她/r 的/u 研究/vn 工作/vn 很/d 好/a 。/w
他们/r 工作/v 了/u 三/m 年/q 。/w
我/r 在/p 北京/ns 工作/v 。/w
我/r 正/d 工作/v 。/w
王/nr 小明/nr 在/p 上海/ns 研究/v 语言/n 。/w
她/r 在/p 家/n 。/w
他/r 买/v 了/u iPhone/nx 。/w
２０２６年/t 他/r 去/v 了/u 上海/ns 。/w
好/a 书/n 难/a 找/v 。/w
"""
SENTENCES = [
    [(w, t) for w, _, t in (token.rpartition("/") for token in line.split())]
    for line in TEXT.strip().split("\n")
]
LISTED = {"研究": "vn", "广州": "ns", "跑步": "v", "铅笔": "n", "快": "a"}
OPTIONS = training.PosOptions(known=1, sure=4, choosing=3, epochs=12, prune=0.0, fifth=0.0)
