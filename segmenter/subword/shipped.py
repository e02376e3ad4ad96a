"""Load the shipped vocabularies, and those in files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter.errors import ArtifactError
from segmenter.files import resources
from segmenter.subword.models.vocabulary import SHIPPED
from segmenter.subword.tokenizer import REMEDY, Tokenizer

if TYPE_CHECKING:
    from segmenter.subword.pretokenise import Cutter

__all__ = ["SHIPPED", "load"]

_opened: dict[str, tuple[tuple[int, ...], Tokenizer]] = {}


def load(
    name: str | os.PathLike[str], *, segmenter: Cutter | None = None, verify: bool = True
) -> Tokenizer:
    """Load a shipped Tokenizer, ``"bpe"`` or ``"unigram"``, or one in a file.

    A shipped one is opened once per process.

    Args:
        name: a name in :data:`SHIPPED`, or the path of a file that :meth:`Tokenizer.save` wrote.
        segmenter: see :meth:`Tokenizer.load`.
        verify: see :meth:`Tokenizer.load`.

    Raises:
        ResourceError: the shipped file is not installed; the message lists the places searched.
        ArtifactError: the file is missing, damaged, foreign or newer than this package.
    """
    if name not in SHIPPED:
        try:
            return Tokenizer.load(name, segmenter=segmenter, verify=verify)
        except ArtifactError as e:
            remedy = e.remedy.replace(REMEDY, f"give {' or '.join(SHIPPED)}, or{REMEDY[4:]}")
            raise ArtifactError(e.path, e.reason, remedy) from e
    path = resources.find(SHIPPED[str(name)])
    status = os.stat(path)
    key = (status.st_ino, status.st_size, status.st_mtime_ns)
    entry = _opened.get(path)
    if entry is None or entry[0] != key:
        entry = _opened[path] = key, Tokenizer.load(path, verify=verify)
    return entry[1]
