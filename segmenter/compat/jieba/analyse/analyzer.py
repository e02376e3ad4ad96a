"""``jieba.analyse.analyzer``: an analyzer for Whoosh, from :mod:`segmenter.adapters.whoosh`.

>>> [token.text for token in ChineseAnalyzer()("我的好朋友是李明")]
['我', '好', '朋友', '朋', '友', '是', '李明', '李', '明']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.adapters.whoosh import Analyzer, analysis
from segmenter.compat.jieba.default import dt

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

_porter = require("whoosh.lang.porter", "whoosh", __name__)

STOP_WORDS: frozenset[str] = frozenset(analysis.STOP_WORDS) | {"的", "了", "和"}


def ChineseAnalyzer(
    stoplist: Collection[str] = STOP_WORDS,
    minsize: int = 1,
    stemfn: Callable[[str], str] = _porter.stem,
    cachesize: int = 50000,
) -> Any:
    """Words of the default Tokenizer and the words inside them, English words by their stems.

    Positions are those of the token graph, as of :class:`segmenter.adapters.whoosh.Analyzer`, so
    phrases are found; queries take words alone.

    Args:
        stoplist: words that are not tokens.
        minsize: least number of characters of a token.
        stemfn: a function from an English word to its stem.
        cachesize: number of stems to cache.
    """
    return (
        Analyzer(dt.segmenter)
        | analysis.StopFilter(stoplist=stoplist, minsize=minsize, renumber=False)
        | analysis.StemFilter(stemfn=stemfn, ignore=None, cachesize=cachesize)
    )


__all__ = ["STOP_WORDS", "ChineseAnalyzer"]
