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
    sentence: str | bytes,
    cut_all: bool = False,
    HMM: bool = True,
    use_paddle: bool = False,
) -> Iterator[str]:
    """The words of a sentence, see :meth:`Tokenizer.cut`; by threads after `enable_parallel`."""
    no_paddle(use_paddle)
    if _threads == 1 or cut_all:
        return dt.cut(sentence, cut_all, HMM)
    return (word for word in lcut(sentence, cut_all, HMM))


def lcut(
    sentence: str | bytes,
    cut_all: bool = False,
    HMM: bool = True,
    use_paddle: bool = False,
) -> list[str]:
    no_paddle(use_paddle)
    if _threads == 1 or cut_all:
        return dt.lcut(sentence, cut_all, HMM)
    # the boundaries are those of the whole text: no rule looks across a line end
    lines = StringIO(text_of(sentence), newline="\n").readlines()
    chosen = dt.segmenter if HMM else dt.plain
    return [word for words in chosen.cut_batch(lines, _threads) for word in words]


def enable_parallel(processnum: int | None = None) -> None:
    """Cuts the lines of a text by native threads (jieba: by processes).

    Args:
        processnum: threads; None: one a processor.

    Raises:
        ArgumentError: no number from 1 to 256.
    """
    global _threads
    wanted = processnum if processnum is not None else os.cpu_count() or 1
    if not isinstance(wanted, int) or not 1 <= wanted <= 256:
        raise ArgumentError(f"processnum: {processnum!r} is not a number of threads from 1 to 256")
    _threads = wanted


def disable_parallel() -> None:
    global _threads
    _threads = 1


def get_FREQ(k: str, d: float | None = None) -> float | None:
    """The count of the word ``k`` in the default Tokenizer; ``d`` where it has none."""
    return dt.FREQ.get(k, d)


def setLogLevel(log_level: int | str) -> None:
    """Sets the level of :data:`default_logger`; nothing is logged anyway."""
    default_logger.setLevel(log_level)


def enable_paddle() -> None:
    """Warns: there is no such mode, and the default one takes its place."""
    no_paddle(True)


def install() -> None:
    """Makes ``import jieba`` mean this module, for programs that import it by that name.

    To be called before they do.

    Raises:
        ArgumentError: another jieba is imported already.

    >>> install()
    >>> import jieba.posseg as pseg
    >>> [str(pair) for pair in pseg.cut("我爱北京天安门")]
    ['我/r', '爱/v', '北京/ns', '天安门/ns']
    """
    there = sys.modules.get("jieba")
    here = sys.modules[__name__]
    if there is not None and there is not here:
        raise ArgumentError("jieba itself is imported already: call install() before that")
    sys.modules.update(
        {
            "jieba": here,
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
