"""Opens and runs compiled taggers."""

from __future__ import annotations

from types import MappingProxyType

from segmenter import artifact
from segmenter.choices import DEFAULT_STANDARD
from segmenter.errors import ArgumentError, ArtifactError, SegmenterError
from segmenter.kernels import _lexicon, _models, _opening

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
    #: A linear tagger has no settings of atoms.
    atoms: Mapping[str, str] = MappingProxyType({})

    @property
    def decoder(self) -> str:
        """The decoder: the algorithm of the model."""
        return str(self.meta.get("algorithm", "crf"))

    @property
    def standard(self) -> str:
        """The standard of its training corpus."""
        return str(self.meta.get("standard", DEFAULT_STANDARD))

    def __init__(self, art: artifact.Artifact, *, variants: bool = True) -> None:
        super().__init__(art)
        self.variants = variants
        self._forms: dict[int, int] | None = None  # folds for characters that the model lacks
        sections = self._sections()
        try:
            lexicon = _lexicon.Lexicon(sections, variants)
            self.native = _models.TaggerWeights(lexicon, sections)
        except (KeyError, ValueError, TypeError, OverflowError) as e:
            raise ArtifactError(art.path, f"its sections are not a tagger's: {e}", REMEDY) from e

    def _check_meta(self, meta: Mapping[str, Any]) -> None:
        if "algorithm" in meta:
            artifact.field(self.artifact.path, meta, "algorithm", str)

    def fold(self, text: str) -> str:
        """Return a text as the model reads it: width, case and variants folded, length unchanged.

        The look-up is that of segmentation, so the words around a character with several readings
        decide among them.  Characters that the model lacks become their Simplified forms.

        >>> from segmenter import load
        >>> load("balanced").tagger.fold("計畫Ａ，乾淨")
        '计划a，干净'
        """
        from segmenter.text import chars, variants

        if self._forms is None:
            forms = variants.PLAIN_FROM if self.variants else ""
            lexicon = self.native.lexicon
            unknown_id = lexicon.encode(_NO_CHARACTER)
            self._forms = {
                ord(form): variants.fold(ord(form))
                for form, form_id in zip(forms, lexicon.encode(forms), strict=True)
                if form_id == unknown_id
            }
        return self.native.fold(chars.fold_str(text)).translate(self._forms)

    def _options(self) -> dict[str, Any]:
        return {"variants": self.variants}

    def __repr__(self) -> str:
        return f"<Predictor {self.name}>"


class NetworkPredictor(artifact.OnArtifact):
    """One standard of a compiled network, with the linear tagger that it names.

    Args:
        art: an artifact of the kind.
        standard: a standard in the file; the default one also denotes the only one.
        linear: opens a linear tagger by its file name.

    Attributes:
        atoms: the standard's settings of :mod:`segmenter.atoms`, which those of ``load`` override.

    Raises:
        ArgumentError: the file does not have the standard; the message lists its standards.
        ArtifactError: the sections are not those of such a network, or the linear tagger is not the
            one for which the network was made.
    """

    __slots__ = ("_digest", "_network_meta", "atoms", "linear", "native", "standard", "variants")

    @property
    def decoder(self) -> str:
        """The decoder: the kind of the network."""
        return self.KIND

    def __init__(
        self, art: artifact.Artifact, standard: str, linear: Callable[[str], Predictor]
    ) -> None:
        super().__init__(art)
        try:
            meta = _models.NetworkMeta(art.meta_bytes, art.kind, art.path, standard)
        except RuntimeError as e:
            raise ArgumentError(str(e)) from None
        except ValueError as e:
            raise ArtifactError(art.path, str(e), REMEDY) from None
        self._network_meta = meta
        try:
            self.linear = linear(meta.linear)
            if self.linear.digest != meta.linear_digest:
                raise ArtifactError(
                    art.path,
                    f"it was made for another {meta.linear} than {self.linear.name}",
                    "build it again from its .npz with `segmenter build model`, or put that linear "
                    "tagger in the same folder",
                )
            self.native = self.weights()
        except (KeyError, ValueError, TypeError, OverflowError) as e:
            if isinstance(e, SegmenterError):
                raise
            reason = f"its sections are not a network's: {e}"
            raise ArtifactError(art.path, reason, REMEDY) from e
        self.standard, self.atoms = meta.standard, meta.atoms
        self.variants = self.linear.variants
        self._digest = ""

    def weights(
        self, linear_weight: float | None = None, instructions: str | None = None
    ) -> _models.NetworkWeights:
        """Return the kernels' object for the standard.

        Args:
            linear_weight: replaces the weight of the standard, for tests.
            instructions: the name of an instruction set, for tests.
        """
        return _models.NetworkWeights(
            self.linear.native, self._sections(), self._network_meta, linear_weight, instructions
        )

    @property
    def digest(self) -> str:
        """Identity of content and standard; the content includes the linear tagger's identity."""
        if not self._digest:
            self._digest = _opening.sha256(f"{self.standard} {self.artifact.digest}".encode())
        return self._digest

    def __reduce__(self) -> tuple[Callable[..., NetworkPredictor], tuple[Any, ...]]:
        return _unpickled, (type(self), self.to_bytes(), self.name, self.standard, self.linear)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self.standard}>"


class BilstmPredictor(NetworkPredictor):
    """One standard of a compiled BiLSTM-CRF."""

    __slots__ = ()

    KIND = "bilstm-crf"


class EncoderPredictor(NetworkPredictor):
    """One standard of a compiled encoder."""

    __slots__ = ()

    KIND = "encoder-crf"


#: The class of each network, by its kind, which is also the name of the decoder.
NETWORKS: dict[str, type[NetworkPredictor]] = {
    cls.KIND: cls for cls in (BilstmPredictor, EncoderPredictor)
}


def _unpickled(
    cls: type[NetworkPredictor], data: bytes, name: str, standard: str, linear: Predictor
) -> NetworkPredictor:
    return cls(artifact.from_bytes(data, name, cls.KIND), standard, lambda _: linear)
