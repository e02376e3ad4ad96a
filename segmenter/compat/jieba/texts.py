"""The types of text that jieba's functions accept, and the warning that paddle mode is missing."""

from __future__ import annotations

import logging
from warnings import warn

from segmenter.errors import EncodingError, wrong_type

#: jieba's logger, for programs that configure it; nothing is logged here.
default_logger = logging.getLogger("jieba")


def text_of(sentence: object) -> str:
    """A sentence as str; bytes are UTF-8, else GBK, as jieba reads them.

    Raises:
        TypeError: neither str nor bytes.
        EncodingError: bytes in neither encoding.
    """
    if isinstance(sentence, str):
        return sentence
    if not isinstance(sentence, bytes):
        raise wrong_type("sentence", sentence, "str or bytes")
    try:
        return sentence.decode("utf-8")
    except UnicodeDecodeError as e:
        try:
            return sentence.decode("gbk")
        except UnicodeDecodeError:
            raise EncodingError("sentence is neither UTF-8 nor GBK", e.start) from None


def no_paddle(use_paddle: bool) -> None:
    """Warn if paddle mode is requested; the default mode is used instead, as in jieba."""
    if use_paddle:
        warn(
            "use_paddle: paddle mode is not supported; the default mode, whose tagger finds "
            "unknown words, is used instead",
            stacklevel=3,
        )
