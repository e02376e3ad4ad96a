"""A compiled tagger as it is mapped and run; nothing here knows how it was trained."""

from __future__ import annotations

from segmenter import artifact
from segmenter.errors import ArtifactError
from segmenter.kernels import _face
from segmenter.lexicon import variant_tables

KIND = "tagger"
REMEDY = "rebuild it with `segmenter train ...` or reinstall segmenter-zh"


class Predictor(artifact.OnArtifact):
    """A compiled tagger.  Immutable; shared by any number of Segmenters and threads.

    Args:
        art: its artifact.
        variants: as for :class:`segmenter.lexicon.Lexicon`.
    """

    __slots__ = ("native", "variants")

    KIND = KIND

    def __init__(self, art: artifact.Artifact, *, variants: bool = True) -> None:
        super().__init__(art)
        self.variants = variants
        sections = self._sections()
        try:
            lexicon = _face.Lexicon(sections, variant_tables() if variants else None)
            self.native = _face.TaggerWeights(lexicon, sections)
        except (KeyError, ValueError, TypeError) as e:
            raise ArtifactError(art.path, f"its sections are not a tagger's: {e}", REMEDY) from e

    def __repr__(self) -> str:
        return f"<Predictor {self.name}>"
