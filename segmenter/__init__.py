"""Chinese word segmentation: ``segmenter.cut("他说的确实在理")`` gives 他/说/的/确实/在理."""

from __future__ import annotations

from segmenter._version import __version__
from segmenter.engine import DECODERS, LATTICE, PRESETS, Segmenter, load
from segmenter.errors import (
    ArgumentError,
    ArtifactError,
    DictionaryError,
    EncodingError,
    MissingExtraError,
    ResourceError,
    SegmenterError,
)
from segmenter.lexicon import Lexicon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike
    from typing import IO

    from numpy import int32
    from numpy.typing import NDArray

    from segmenter.engine import Explanation
    from segmenter.files import FileSummary
    from segmenter.types import Tokens

_default_segmenter: Segmenter | None = None


def default() -> Segmenter:
    """The Segmenter behind the functions of this module; loaded by the first call."""
    global _default_segmenter
    if _default_segmenter is None:
        _default_segmenter = load()
    return _default_segmenter


def cut(text: str) -> list[str]:
    """The words of ``text`` by the default Segmenter.

    >>> cut("他说的确实在理")
    ['他', '说', '的', '确实', '在理']
    """
    return (_default_segmenter or default()).cut(text)


def ends(text: str) -> NDArray[int32]:
    """Exclusive ends of the words in code points, int32; see :meth:`Segmenter.ends`."""
    return default().ends(text)


def cut_batch(texts: Iterable[str], threads: int = 1) -> list[list[str]]:
    """``[cut(t) for t in texts]`` by native threads; see :meth:`Segmenter.cut_batch`."""
    return default().cut_batch(texts, threads)


def cut_bytes(utf8: bytes, sep: bytes = b" ", threads: int = 1) -> bytes:
    """UTF-8 in, UTF-8 out; see :meth:`Segmenter.cut_bytes`."""
    return default().cut_bytes(utf8, sep, threads)


def cut_file(
    src: str | PathLike[str] | IO[bytes],
    dst: str | PathLike[str] | IO[bytes],
    *,
    sep: str = " ",
    threads: int = 1,
    progress: bool | Callable[[int, int | None], object] | None = None,
    encoding: str = "utf-8",
    errors: str = "strict",
) -> FileSummary:
    """One line in, one line out, in bounded memory; see :meth:`Segmenter.cut_file`."""
    return default().cut_file(
        src, dst, sep=sep, threads=threads, progress=progress, encoding=encoding, errors=errors
    )


def cut_all(text: str) -> Tokens:
    """Every lexicon word, overlapping; see :meth:`Segmenter.cut_all`."""
    return default().cut_all(text)


def tokenize(text: str) -> Tokens:
    """Tokens with offsets, kinds and tags; see :meth:`Segmenter.tokenize`."""
    return default().tokenize(text)


def nbest(text: str, n: int) -> list[tuple[list[str], float]]:
    """The ``n`` best segmentations with scores; see :meth:`Segmenter.nbest`."""
    return default().nbest(text, n)


def explain(text: str) -> Explanation:
    """Which edge or rule made each token; see :meth:`Segmenter.explain`."""
    return default().explain(text)


__all__ = [
    "DECODERS",
    "LATTICE",
    "PRESETS",
    "ArgumentError",
    "ArtifactError",
    "DictionaryError",
    "EncodingError",
    "Lexicon",
    "MissingExtraError",
    "ResourceError",
    "Segmenter",
    "SegmenterError",
    "__version__",
    "cut",
    "cut_all",
    "cut_batch",
    "cut_bytes",
    "cut_file",
    "default",
    "ends",
    "explain",
    "load",
    "nbest",
    "tokenize",
]
