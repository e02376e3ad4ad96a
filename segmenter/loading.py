"""``load``: a Segmenter from a preset, or from one compiled file; files are opened once.

>>> load("fast").cut("他说的确实在理")
['他', '说', '的', '确实', '在理']
"""

from __future__ import annotations

import os
from weakref import WeakValueDictionary

from segmenter.atoms import Atoms
from segmenter.choices import (
    DEFAULT_PRESET,
    MODELS,
    NETWORK_MODELS,
    PRESETS,
    STANDARDS,
    SUBWORDS,
    TAGGERS,
    one_of,
)
from segmenter.errors import ArgumentError, wrong_type
from segmenter.files import resources
from segmenter.lexicon import Lexicon
from segmenter.segmenter import Origin, Segmenter
from segmenter.segmenter.models import Models
from segmenter.segmenter.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Unpack, overload

    from segmenter.choices import Decoder, Preset, Standard
    from segmenter.segmenter.oov import OovModel
    from segmenter.segmenter.options import LoadOptions, SegmenterOptions
    from segmenter.tagging.predictor import NetworkPredictor, Predictor


if TYPE_CHECKING:

    @overload
    def load(
        name: Preset = ..., *, standard: Standard = ..., **options: Unpack[LoadOptions]
    ) -> Segmenter: ...


if TYPE_CHECKING:

    @overload
    def load(
        name: os.PathLike[str], *, standard: str = ..., **options: Unpack[LoadOptions]
    ) -> Segmenter: ...


def load(
    name: str | os.PathLike[str] = DEFAULT_PRESET,
    *,
    standard: str = "general",
    variants: bool = True,
    verify: bool = True,
    **options: Unpack[SegmenterOptions],
) -> Segmenter:
    """Load a Segmenter: a preset, or a compiled lexicon or model by its path.

    Args:
        name: ``"balanced"`` (a CRF), ``"fast"`` (an averaged perceptron with fewer features),
            ``"accurate"`` (a BiLSTM-CRF), ``"best"`` (an encoder: the highest accuracy, at a
            twentieth of the speed; `pip install segmenter-zh-best`), or the path of a compiled lexicon or tagger.  The path
            may be a str, but type checkers accept only ``os.PathLike``, so that they can flag a
            misspelt preset.  For names known only at run time, ``segmenter.loading.load_by_name``
            is this function without overloads.
        standard: the segmentation standard.  Of presets: ``"general"`` (whole names, as readers
            and search expect) or ``"pku"`` (the convention of the SIGHAN PKU benchmark); of a
            BiLSTM-CRF: any in its file; of your own tagger: also the name it was trained under.
            With a preset, type checkers flag any other name.
        decoder: one of :data:`DECODERS`, instead of the preset's own.  The lattices, such as
            ``"unigram"``, are the same in every preset.
        oov: see :class:`Segmenter`.
        skip: see :class:`Segmenter`.
        matcher: see :class:`Segmenter`.
        user: see :class:`Segmenter`.
        variants: read Traditional, Hong Kong and Taiwan forms of a character as the form in the
            lexicon; tokens keep the original characters.  See :mod:`segmenter.text.variants`.
        atoms: see :class:`Segmenter` and :mod:`segmenter.atoms`.  Overrides the atoms of a standard
            (``ud`` writes 2026/年, ``weibo`` @/张三).
        verify: check every byte of the file against its checksums.

    Raises:
        ArgumentError: an unknown name, or a standard that is not in the file; the message lists
            the valid values.
        ResourceError: the preset's file is not installed; the message lists where it was sought.
        ArtifactError: the file is damaged, foreign or newer than this package.

    >>> load("fast", decoder="forward-max").cut("他说的确实在理")
    ['他', '说', '的确', '实在', '理']
    >>> load("fast").cut("他說的確實在理")
    ['他', '說', '的', '確實', '在理']
    """
    if not isinstance(name, (str, os.PathLike)):
        raise wrong_type("name", name, "str or a path")
    if not isinstance(variants, bool):
        raise wrong_type("variants", variants, "bool")
    if not isinstance(standard, str):
        raise wrong_type("standard", standard, "str")
    source = os.fspath(name)
    asked = Options(**options)
    shipped = _Shipped(standard, variants, verify)
    if source in PRESETS:
        decoder = asked.decoder or PRESETS[source]
        if decoder not in NETWORK_MODELS:
            one_of("standard", standard, STANDARDS)
        lexicon: Lexicon | Callable[[], Lexicon] = shipped.lexicon
        tagger = shipped.tagger(decoder) if decoder in TAGGERS else None
    else:
        source, given, decoder = _given(source, asked.decoder, shipped)
        lexicon = given if isinstance(given, Lexicon) else shipped.lexicon
        tagger = None if isinstance(given, Lexicon) else given
    guesser = None
    if asked.oov in ("hmm", "tagger"):
        guesser = shipped.linear("hmm" if asked.oov == "hmm" else "perceptron")
    subwords = shipped.subwords(asked.oov) if asked.oov in SUBWORDS else None
    asked = asked.replace(decoder=decoder)
    of_standard, atoms = getattr(tagger, "atoms", None), options.get("atoms")
    if of_standard and not isinstance(atoms, Atoms):
        asked = asked.replace(atoms={**of_standard, **(atoms or {})})
    models = Models(lexicon, tagger, guesser, subwords)
    return Segmenter._of(models, asked, Origin(source, standard, reload))


class _Shipped:
    """The shipped files of a standard, opened as ``load`` was asked to."""

    __slots__ = ("base", "standard", "variants", "verify")

    def __init__(self, standard: str, variants: bool, verify: bool) -> None:
        self.standard = standard
        # other standards are those of one file, whose tags and lattice are the general ones
        self.base = standard if standard in STANDARDS else STANDARDS[0]
        self.variants = variants
        self.verify = verify

    def open(self, path: str, kind: type[Any]) -> Any:
        return _open(path, kind, self.verify, self.variants)

    def lexicon(self) -> Lexicon:
        opened: Lexicon = self.open(resources.find(f"{self.base}.lex"), Lexicon)
        return opened

    def linear(self, algorithm: str) -> Predictor:
        from segmenter.tagging.predictor import Predictor

        path = resources.find(f"{self.base}-{MODELS[algorithm]}.model")
        opened: Predictor = self.open(path, Predictor)
        return opened

    def tagger(self, algorithm: str) -> Predictor | NetworkPredictor:
        if algorithm in NETWORK_MODELS:
            return self.network(resources.find(NETWORK_MODELS[algorithm]), algorithm)
        return self.linear(algorithm)

    def network(self, path: str, algorithm: str) -> NetworkPredictor:
        """One standard of a network; its linear tagger lies beside it or is a shipped one."""
        from segmenter import artifact
        from segmenter.tagging.predictor import NETWORKS, Predictor

        kind = NETWORKS[algorithm]

        def linear(name: str) -> Predictor:
            beside = os.path.join(os.path.dirname(path), name)
            found = beside if os.path.isfile(beside) else resources.find(name)
            tagger: Predictor = self.open(found, Predictor)
            return tagger

        def make() -> NetworkPredictor:
            art = artifact.open(path, kind.KIND, self.verify)
            named = art.meta.get("standards")
            chosen = self.standard
            if isinstance(named, dict) and len(named) == 1 and chosen == STANDARDS[0]:
                chosen = str(next(iter(named)))  # a file with one standard needs no choice
            return kind(art, chosen, linear)

        opened: NetworkPredictor = _once(path, self.standard, self.variants, make)
        return opened

    def subwords(self, oov: str) -> OovModel:
        from segmenter.segmenter.oov import provider_of

        provider = provider_of(oov)
        path = resources.find(provider.SHIPPED[oov])
        verify = self.verify
        opened: OovModel = _once(path, "", True, lambda: provider.open_model(path, verify=verify))
        return opened


def _given(
    source: str, decoder: Decoder | None, shipped: _Shipped
) -> tuple[str, Lexicon | Predictor | NetworkPredictor, Decoder]:
    """A file by its path: the absolute path, what it contains, and what decodes."""
    from segmenter import artifact

    if not os.path.exists(source):
        raise ArgumentError(
            f"name: {source!r} is neither a preset ({', '.join(PRESETS)}) nor a file"
        )
    path = os.path.abspath(source)
    kind = artifact.open(path, verify=False).kind
    own: Decoder
    tagger: Predictor | NetworkPredictor
    if kind == "bilstm-crf" or kind == "encoder-crf":
        own, tagger = kind, shipped.network(path, kind)
    elif kind == "tagger":
        from segmenter.tagging.predictor import Predictor

        tagger = shipped.open(path, Predictor)
        learned = str(tagger.meta.get("standard", STANDARDS[0]))
        one_of("standard", shipped.standard, tuple(dict.fromkeys((*STANDARDS, learned))))
        own = tagger.meta.get("algorithm", "crf")
    elif decoder in TAGGERS:
        raise ArgumentError(
            f"decoder: {source} is a lexicon, and {decoder!r} needs a tagger: choose a "
            "lattice, such as 'unigram'"
        )
    else:
        return path, shipped.open(path, Lexicon), decoder or "unigram"
    if decoder not in (None, own):
        raise ArgumentError(f"decoder: {source} is a {own} tagger, not {decoder!r}")
    return path, tagger, own


#: :func:`load` for names that are known only when a program runs, such as a command line's: a type
#: checker asks no questions here.
load_by_name: Callable[..., Segmenter] = load


def reload(source: str, digest: str, options: dict[str, Any]) -> Segmenter:
    """What pickle calls: the Segmenter of a recipe, if its content is still the same."""
    segmenter = load_by_name(source, **options)
    here = segmenter._models.digest
    if here != digest:
        raise ArgumentError(
            f"pickle: it was made with other files than those of {segmenter!r} ({digest}, here "
            f"{here}): install the same version"
        )
    return segmenter


#: Opened files that stay open though no Segmenter uses them, the last ones: each holds a mapping, a
#: descriptor, and some hundred kilobytes.
_KEPT = 16
_opened: dict[tuple[str, str, bool], Any] = {}
# those that somebody still uses are opened once, however many there are
_used: WeakValueDictionary[tuple[object, ...], Any] = WeakValueDictionary()


def _open(path: str, kind: type[Any], verify: bool = True, variants: bool = True) -> Any:
    """A file is opened once per process; one that was replaced is opened again."""
    return _once(path, "", variants, lambda: kind.open(path, verify=verify, variants=variants))


def _once(path: str, part: str, variants: bool, make: Callable[[], Any]) -> Any:
    """What ``make`` gives for a part of a file, made once as long as the file is the same."""
    status = os.stat(path)
    key = (path, part, variants, status.st_ino, status.st_size, status.st_mtime_ns)
    opened = _used.get(key)
    if opened is None:
        opened = _used[key] = make()
    # the last one at the end; a replaced file takes the place of the old one
    _opened.pop(key[:3], None)
    _opened[key[:3]] = opened
    while len(_opened) > _KEPT:
        _opened.pop(next(iter(_opened)), None)
    return opened
