"""The Tokenizer behind the functions of the modules; it is independent of ``segmenter.cut``."""

from __future__ import annotations

from segmenter.compat.jieba.tokenizer import Tokenizer

dt = Tokenizer()
