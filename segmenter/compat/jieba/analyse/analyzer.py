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
        minsize: tokens have at least so many characters.
        stemfn: gives the stem of an English word.
        cachesize: so many stems are remembered.
    """
    return (
        Analyzer(dt.segmenter)
        | analysis.StopFilter(stoplist=stoplist, minsize=minsize, renumber=False)
        | analysis.StemFilter(stemfn=stemfn, ignore=None, cachesize=cachesize)
    )


__all__ = ["STOP_WORDS", "ChineseAnalyzer"]
