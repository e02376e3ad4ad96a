"""Chinese word segmentation: ``segmenter.cut("他说的确实在理")`` gives 他/说/的/确实/在理.

The functions here use one default Segmenter; :func:`load` makes others.  Functions that are needed
less often are in modules: ``segmenter.lexicon`` (word lists), ``segmenter.lexicon.user`` (user
dictionaries), ``segmenter.search`` (options of search tokens), ``segmenter.keywords``,
``segmenter.reading`` (pinyin), ``segmenter.choices`` (the names of presets, decoders and the like),
``segmenter.subword``, ``segmenter.adapters``.
"""

from __future__ import annotations

from segmenter._version import __version__

try:
    from segmenter.kernels import _engine as _engine
except ImportError as e:
    if e.name != "segmenter.kernels":  # present but not loadable: Python's message says why
        raise
    raise ImportError(
        f"segmenter: {__path__[0]} has no compiled extension. In a clone, run "
        "`pip install -e .`; if the package is installed elsewhere, change to another folder, "
        "since the clone hides it",
        name="segmenter.kernels._engine",
    ) from None

from segmenter.core import Segmenter
from segmenter.default import (
    add_word,
    cut,
    cut_batch,
    cut_for_search,
    del_word,
    ends,
    load_userdict,
    tag,
    tokenize,
)
from segmenter.errors import (
    ArgumentError,
    ArtifactError,
    DictionaryError,
    DictionaryWarning,
    EncodingError,
    MissingExtraError,
    ResourceError,
    SegmenterError,
)
from segmenter.loading import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from segmenter.sentence import chunks, sentences
    from segmenter.types import Token, Tokens
else:
    _LAZY = {"Token": "types", "Tokens": "types", "chunks": "sentence", "sentences": "sentence"}

    #: Modules imported on first access: `segmenter.keywords.extract_tags`.
    _MODULES = ("adapters", "choices", "keywords", "lexicon", "reading", "search", "subword")

    def __getattr__(name):
        """Import on first access what ``cut`` does not need; type checkers see the names above."""
        from importlib import import_module

        if name in _MODULES:
            try:
                return import_module(f"segmenter.{name}")
            except ModuleNotFoundError as e:
                if e.name != f"segmenter.{name}":
                    raise
        if name not in _LAZY:
            raise AttributeError(f"module 'segmenter' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"segmenter.{_LAZY[name]}"), name)
        return value

    def __dir__():
        return sorted({*globals(), *__all__})


__all__ = [
    "ArgumentError",
    "ArtifactError",
    "DictionaryError",
    "DictionaryWarning",
    "EncodingError",
    "MissingExtraError",
    "ResourceError",
    "Segmenter",
    "SegmenterError",
    "Token",
    "Tokens",
    "__version__",
    "add_word",
    "chunks",
    "cut",
    "cut_batch",
    "cut_for_search",
    "del_word",
    "ends",
    "load",
    "load_userdict",
    "sentences",
    "tag",
    "tokenize",
]
