"""The Tokenizer behind the functions of the modules; its own, apart from ``segmenter.cut``."""

from __future__ import annotations

from segmenter.compat.jieba.tokenizer import Tokenizer

dt = Tokenizer()
