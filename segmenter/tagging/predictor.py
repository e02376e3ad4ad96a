"""A compiled tagger as it is mapped and run; nothing here knows how it was trained."""

from __future__ import annotations

from segmenter import artifact
from segmenter.errors import ArtifactError
from segmenter.kernels import _face

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import Any

KIND = "tagger"
REMEDY = "rebuild it with `segmenter train ...` or reinstall segmenter-zh"


class Predictor:
    """A compiled tagger.  Immutable; shared by any number of Segmenters and threads."""

    __slots__ = ("__weakref__", "_meta", "artifact", "native")

    def __init__(self, art: artifact.Artifact) -> None:
        self.artifact = art
        sections = {name: art.section(name) for name in art.names()}
        try:
            self.native = _face.TaggerWeights(_face.Lexicon(sections), sections)
        except (KeyError, ValueError, TypeError) as e:
            raise ArtifactError(art.path, f"its sections are not a tagger's: {e}", REMEDY) from e
        self._meta: dict[str, Any] | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True) -> Predictor:
        """Maps a compiled tagger.

        Raises:
            ArtifactError: the file is missing, damaged, foreign or newer than this package.
        """
        return cls(artifact.open(path, KIND, verify))

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "<bytes>") -> Predictor:
        """A tagger from the bytes that :meth:`to_bytes` gives."""
        return cls(artifact.from_bytes(data, name, KIND))

    def to_bytes(self) -> bytes:
        """The compiled form, as it would stand in a file."""
        sections = {n: self.artifact.section(n) for n in self.artifact.names()}
        return artifact.pack(KIND, sections, self.artifact.meta)

    @property
    def name(self) -> str:
        return self.artifact.path

    @property
    def digest(self) -> str:
        """Identity of the content, hexadecimal."""
        return self.artifact.digest

    @property
    def meta(self) -> Mapping[str, Any]:
        """Algorithm, corpora, options and scores, as the trainer wrote them."""
        if self._meta is None:
            self._meta = dict(self.artifact.meta)
        return self._meta

    def __repr__(self) -> str:
        return f"<Predictor {self.name}>"
