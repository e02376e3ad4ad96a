"""A compiled tagger as it is mapped and run; nothing here knows how it was trained."""

from __future__ import annotations

from segmenter import artifact
from segmenter.errors import ArtifactError
from segmenter.kernels import _face

KIND = "tagger"
REMEDY = "rebuild it with `segmenter train ...` or reinstall segmenter-zh"


class Predictor(artifact.OnArtifact):
    """A compiled tagger.  Immutable; shared by any number of Segmenters and threads."""

    __slots__ = ("native",)

    KIND = KIND

    def __init__(self, art: artifact.Artifact) -> None:
        super().__init__(art)
        sections = self._sections()
        try:
            self.native = _face.TaggerWeights(_face.Lexicon(sections), sections)
        except (KeyError, ValueError, TypeError) as e:
            raise ArtifactError(art.path, f"its sections are not a tagger's: {e}", REMEDY) from e

    def __repr__(self) -> str:
        return f"<Predictor {self.name}>"
