"""Compiled taggers, mapped and run; how they were trained does not matter here."""

from __future__ import annotations

from types import MappingProxyType

from segmenter import artifact
from segmenter.atoms import Atoms
from segmenter.choices import DEFAULT_STANDARD
from segmenter.errors import ArgumentError, ArtifactError, SegmenterError
from segmenter.kernels import _engine
from segmenter.lexicon import variant_tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

KIND = "tagger"
_NO_CHARACTER = "\U0003fffe"  # a Han character that will never be assigned
REMEDY = "rebuild it with `segmenter train ...` or reinstall segmenter-zh"


class Predictor(artifact.OnArtifact):
    """A compiled tagger.  Immutable; shared by any number of Segmenters and threads.

    Args:
        art: its artifact.
        variants: as for :class:`segmenter.lexicon.Lexicon`.
    """

    __slots__ = ("_forms", "native", "variants")

    KIND = KIND
    #: It has no settings of atoms.
    atoms: Mapping[str, str] = MappingProxyType({})

    @property
    def decoder(self) -> str:
        """What decodes: its algorithm."""
        return str(self.meta.get("algorithm", "crf"))

    @property
    def standard(self) -> str:
        """The standard that it was trained for."""
        return str(self.meta.get("standard", DEFAULT_STANDARD))

    def __init__(self, art: artifact.Artifact, *, variants: bool = True) -> None:
        super().__init__(art)
        self.variants = variants
        self._forms: dict[int, int] | None = None  # those that the model has in no form
        sections = self._sections()
        try:
            lexicon = _engine.Lexicon(sections, variant_tables() if variants else None)
            self.native = _engine.TaggerWeights(lexicon, sections)
        except (KeyError, ValueError, TypeError, OverflowError) as e:
            raise ArtifactError(art.path, f"its sections are not a tagger's: {e}", REMEDY) from e

    def _check_meta(self, meta: Mapping[str, Any]) -> None:
        if "algorithm" in meta:
            artifact.field(self.artifact.path, meta, "algorithm", str)

    def fold(self, text: str) -> str:
        """Return a text as the model reads it: width, case and variants folded, length unchanged.

        It uses the same look-up as segmentation, so the words around a character with several
        readings decide among them.  A character that the model does not know is simplified.

        >>> from segmenter import load
        >>> load("balanced").tagger.fold("計畫Ａ，乾淨")
        '计划a，干净'
        """
        from segmenter.text import chars, variants

        if self._forms is None:
            forms = variants.PLAIN_FROM if self.variants else ""
            lexicon = self.native.lexicon
            nowhere = lexicon.encode(_NO_CHARACTER)
            self._forms = {
                ord(form): variants.fold(ord(form))
                for form, known in zip(forms, lexicon.encode(forms), strict=True)
                if known == nowhere
            }
        return self.native.fold(chars.fold_str(text)).translate(self._forms)

    def __reduce__(self) -> tuple[Callable[..., Predictor], tuple[bytes, str, bool]]:
        return _linear, (self.to_bytes(), self.name, self.variants)

    def __repr__(self) -> str:
        return f"<Predictor {self.name}>"


class NetworkPredictor(artifact.OnArtifact):
    """One standard of a compiled network, with the linear tagger that it names.

    Args:
        art: an artifact of the kind.
        standard: a standard in the file.
        linear: opens a linear tagger by its file name.

    Attributes:
        atoms: the standard's settings of :mod:`segmenter.atoms`, which those of ``load`` override.

    Raises:
        ArgumentError: the file does not have the standard; the message lists those that it has.
        ArtifactError: its sections are not such a network's, or the linear tagger is not the one
            that the model was made for.
    """

    __slots__ = ("_digest", "atoms", "linear", "native", "standard", "variants")

    NAME = ""  # in messages

    @property
    def decoder(self) -> str:
        """What decodes."""
        return self.KIND

    def __init__(
        self, art: artifact.Artifact, standard: str, linear: Callable[[str], Predictor]
    ) -> None:
        super().__init__(art)
        own = self._own(standard)
        name = artifact.field(art.path, own, "linear", str)
        if not name or set(name) & set("/\\\0") or name in (".", ".."):
            raise ArtifactError(art.path, f"its linear tagger {name!r} is not a file name", REMEDY)
        self.standard = standard
        try:
            self.linear = linear(name)
            if self.linear.digest != artifact.field(art.path, own, "linear_digest", str):
                raise ArtifactError(
                    art.path,
                    f"it was made for another {name} than {self.linear.name}",
                    "build it again from its .npz with `segmenter build model`, or put the linear "
                    "tagger that it was made for in the same folder",
                )
            self.native = self.weights()
        except (KeyError, ValueError, TypeError, OverflowError) as e:
            if isinstance(e, SegmenterError):
                raise
            reason = f"its sections are not {self.NAME}'s: {e}"
            raise ArtifactError(art.path, reason, REMEDY) from e
        self.atoms: dict[str, str] = {}
        if "atoms" in own:
            self.atoms = dict(artifact.field(art.path, own, "atoms", dict))
            try:
                Atoms(self.atoms)
            except SegmenterError as e:
                raise ArtifactError(art.path, f"the standard {standard!r}: {e}", REMEDY) from e
        self.variants = self.linear.variants
        self._digest = ""

    def _own(self, standard: str) -> dict[str, Any]:
        path = self.artifact.path
        standards = artifact.field(path, self.artifact.meta, "standards", dict)
        if standard not in standards:
            raise ArgumentError(
                f"standard: {standard!r} is not in {path}, which has {', '.join(standards)}"
            )
        own: dict[str, Any] = artifact.field(path, standards, standard, dict)
        return own

    def weights(self) -> _engine.TaggerWeights:
        """The kernels' side of the standard."""
        raise NotImplementedError

    def _number(self, own: Mapping[str, Any], name: str, kind: type, most: float) -> Any:
        return artifact.field(self.artifact.path, own, name, kind, most)

    def _text(self, name: str) -> str:
        meta = self.artifact.meta
        return str(artifact.field(self.artifact.path, meta, name, str)) if name in meta else ""

    @property
    def digest(self) -> str:
        """Identity of content and standard; the content includes the linear tagger's identity."""
        if not self._digest:
            self._digest = _engine.sha256(f"{self.standard} {self.artifact.digest}".encode())
        return self._digest

    def __reduce__(self) -> tuple[Callable[..., NetworkPredictor], tuple[Any, ...]]:
        return _unpickled, (type(self), self.to_bytes(), self.name, self.standard, self.linear)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self.standard}>"


class BilstmPredictor(NetworkPredictor):
    """One standard of a compiled BiLSTM-CRF."""

    __slots__ = ()

    KIND = "bilstm-crf"
    NAME = "a BiLSTM-CRF"

    def weights(self) -> _engine.BilstmWeights:
        """The kernels' side of the standard."""
        own = self._own(self.standard)
        return _engine.BilstmWeights(
            self.linear.native,
            self._sections(),
            self._number(own, "number", int, 255),
            self._number(own, "words", int, 255),
            self._number(own, "linear_weight", float, 1e4),
            self._number(self.artifact.meta, "scale", float, 1e6),
            marks=self._text("marks"),
            margin=self._number(own, "sure", float, 1e4) if "sure" in own else 0.0,
        )


class EncoderPredictor(NetworkPredictor):
    """One standard of a compiled encoder."""

    __slots__ = ()

    KIND = "encoder-crf"
    NAME = "an encoder"

    def weights(
        self, linear_weight: float | None = None, instructions: str | None = None
    ) -> _engine.EncoderWeights:
        """The kernels' side of the standard.

        Args:
            linear_weight: instead of the standard's own, for tests.
            instructions: of :func:`segmenter.kernels._engine.encoder_instruction_sets`, for tests.
        """
        own = self._own(self.standard)
        factor = self._number(own, "linear_weight", float, 1e4)
        return _engine.EncoderWeights(
            self.linear.native,
            self._sections(),
            self._number(own, "number", int, 255),
            factor if linear_weight is None else linear_weight,
            self._number(self.artifact.meta, "scale", float, 1e6),
            instructions,
            marks=self._text("marks"),
            margin=self._number(own, "sure", float, 1e4) if "sure" in own else 0.0,
        )


#: By the algorithm that files and decoders are named by.
NETWORKS: dict[str, type[NetworkPredictor]] = {
    kind.KIND: kind for kind in (BilstmPredictor, EncoderPredictor)
}


def _linear(data: bytes, name: str, variants: bool) -> Predictor:
    return Predictor.from_bytes(data, name, variants=variants)


def _unpickled(
    kind: type[NetworkPredictor], data: bytes, name: str, standard: str, linear: Predictor
) -> NetworkPredictor:
    return kind(artifact.from_bytes(data, name, kind.KIND), standard, lambda _: linear)
