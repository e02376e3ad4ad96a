"""The interface of the package jieba over this one: change the import, keep the program.

>>> import segmenter.compat.jieba as jieba
>>> jieba.lcut("我来到北京清华大学")
['我', '来到', '北京', '清华大学']

Programs with their own ``import jieba`` get this module by :func:`install`, or by the distribution
in ``shims/jieba``.  ``docs/en/jieba.md`` lists the differences.
"""

from __future__ import annotations

import os
import sys
from io import StringIO
from typing import TYPE_CHECKING

from segmenter.compat.jieba import analyse, finalseg, posseg
from segmenter.compat.jieba.default import dt
from segmenter.compat.jieba.texts import default_logger, no_paddle, text_of
from segmenter.compat.jieba.tokenizer import Tokenizer
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

__version__ = "0.42.1"  # of the interface
DEFAULT_DICT = None

_threads = 1

add_word = dt.add_word
cut_for_search = dt.cut_for_search
del_word = dt.del_word
get_DAG = dt.get_DAG
get_dict_file = dt.get_dict_file
initialize = dt.initialize
lcut_for_search = dt.lcut_for_search
load_userdict = dt.load_userdict
set_dictionary = dt.set_dictionary
suggest_freq = dt.suggest_freq
tokenize = dt.tokenize
user_word_tag_tab = dt.user_word_tag_tab


def cut(
    sentence: str | bytes, cut_all: bool = False, HMM: bool = True, use_paddle: bool = False
) -> Iterator[str]:
    """The words of a sentence as :meth:`Tokenizer.cut` yields them."""
    no_paddle(use_paddle)
    if _threads == 1 or cut_all:
        return dt.cut(sentence, cut_all, HMM)
    return (word for word in lcut(sentence, cut_all, HMM))


def lcut(
    sentence: str | bytes, cut_all: bool = False, HMM: bool = True, use_paddle: bool = False
) -> list[str]:
    no_paddle(use_paddle)
    if _threads == 1 or cut_all:
        return dt.lcut(sentence, cut_all, HMM)
    # lines are cut separately: no rule looks across a line end
    lines = StringIO(text_of(sentence), newline="\n").readlines()
    segmenter = dt.segmenter if HMM else dt.plain
    return [word for words in segmenter.cut_batch(lines, _threads) for word in words]


def enable_parallel(processnum: int | None = None) -> None:
    """Cut the lines of a text in native threads (jieba: in processes).

    Args:
        processnum: number of threads; None: one per processor.

    Raises:
        ArgumentError: not a whole number from 1 to 256.
    """
    global _threads
    threads = processnum if processnum is not None else os.cpu_count() or 1
    if not isinstance(threads, int) or not 1 <= threads <= 256:
        raise ArgumentError(f"processnum: {processnum!r} is not a number of threads from 1 to 256")
    _threads = threads


def disable_parallel() -> None:
    global _threads
    _threads = 1


def get_FREQ(k: str, d: float | None = None) -> float | None:
    """The count of the word ``k`` in the default Tokenizer, or ``d``."""
    return dt.FREQ.get(k, d)


def setLogLevel(log_level: int | str) -> None:
    """Set the level of :data:`default_logger`, to which nothing is logged."""
    default_logger.setLevel(log_level)


def enable_paddle() -> None:
    """Warn that paddle mode is not supported and the default mode is used."""
    no_paddle(True)


def install() -> None:
    """Make ``import jieba`` import this module.  Call it before any program imports jieba.

    Raises:
        ArgumentError: another jieba is imported already.

    >>> install()
    >>> import jieba.posseg as pseg
    >>> [str(pair) for pair in pseg.cut("我爱北京天安门")]
    ['我/r', '爱/v', '北京/ns', '天安门/ns']
    """
    imported = sys.modules.get("jieba")
    module = sys.modules[__name__]
    if imported is not None and imported is not module:
        raise ArgumentError("jieba itself is imported already: call install() before that")
    sys.modules.update(
        {
            "jieba": module,
            "jieba.posseg": posseg,
            "jieba.finalseg": finalseg,
            "jieba.analyse": analyse,
            "jieba.analyse.tfidf": sys.modules[f"{__name__}.analyse.tfidf"],
            "jieba.analyse.textrank": sys.modules[f"{__name__}.analyse.textrank"],
        }
    )


__all__ = [
    "Tokenizer", "add_word", "analyse", "cut", "cut_for_search", "default_logger", "del_word",
    "disable_parallel", "dt", "enable_paddle", "enable_parallel", "finalseg", "get_DAG", "get_FREQ",
    "get_dict_file", "initialize", "install", "lcut", "lcut_for_search", "load_userdict", "posseg",
    "setLogLevel", "set_dictionary", "suggest_freq", "tokenize", "user_word_tag_tab",
]  # fmt: skip
