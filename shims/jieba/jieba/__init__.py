"""``import jieba`` gives :mod:`segmenter.compat.jieba`; so do ``jieba.posseg`` and its like."""

import sys

import segmenter.compat.jieba

# Python hands out what stands under this name when the import is done
del sys.modules[__name__]
segmenter.compat.jieba.install()
