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
    if e.name != "segmenter.kernels":  # it is there and cannot be loaded: Python says why
        raise
    raise ImportError(
        f"segmenter: there is no compiled part in {__path__[0]}. Inside a clone run "
        "`pip install -e .`; if the package is installed elsewhere, leave the clone's folder, "
        "which hides it",
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
    _LATER = {
        "Token": "types",
        "Tokens": "types",
        "chunks": "sentence",
        "sentences": "sentence",
    }

    #: Modules that `import segmenter` makes attributes too: `segmenter.keywords.extract_tags`.
    _MODULES = ("adapters", "choices", "keywords", "lexicon", "reading", "search", "subword")

    def __getattr__(name):
        """Imports what a first ``cut`` does not need; type checkers see the names above."""
        from importlib import import_module

        if name in _MODULES:
            try:
                return import_module(f"segmenter.{name}")
            except ModuleNotFoundError as e:
                if e.name != f"segmenter.{name}":
                    raise
        if name not in _LATER:
            raise AttributeError(f"module 'segmenter' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(f"segmenter.{_LATER[name]}"), name)
        return found

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
