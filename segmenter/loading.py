"""``load``: a Segmenter from a preset, or from one compiled file; files are opened once.

>>> load("fast").cut("他说的确实在理")
['他', '说', '的', '确实', '在理']
"""

from __future__ import annotations

import os
from weakref import WeakValueDictionary

from segmenter.choices import DEFAULT_PRESET, DEFAULT_STANDARD, DEFAULTS, PRESETS
from segmenter.core import Origin, Segmenter
from segmenter.core.models import Models
from segmenter.core.options import Options
from segmenter.errors import ArgumentError, wrong_type
from segmenter.files import resources
from segmenter.lexicon import Lexicon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Unpack, overload

    from segmenter.choices import Preset, Standard
    from segmenter.core.oov import OovModel
    from segmenter.core.options import LoadOptions, SegmenterOptions
    from segmenter.kernels import _opening
    from segmenter.tagging.predictor import NetworkPredictor, Predictor


if TYPE_CHECKING:

    @overload
    def load(
        name: Preset = ..., *, standard: Standard = ..., **options: Unpack[LoadOptions]
    ) -> Segmenter: ...


if TYPE_CHECKING:

    @overload
    def load(
        name: str | os.PathLike[str], *, standard: str = ..., **options: Unpack[LoadOptions]
    ) -> Segmenter: ...


def load(
    name: str | os.PathLike[str] = DEFAULT_PRESET,
    *,
    standard: str = DEFAULT_STANDARD,
    variants: bool = DEFAULTS["variants"] == "on",
    verify: bool = DEFAULTS["verify"] == "on",
    **options: Unpack[SegmenterOptions],
) -> Segmenter:
    """Load a Segmenter: a preset, or a compiled lexicon or model by its path.

    Args:
        name: ``"balanced"`` (a CRF), ``"fast"`` (an averaged perceptron with fewer features),
            ``"accurate"`` (a BiLSTM-CRF), ``"best"`` (an encoder: the highest accuracy, slower;
            the package segmenter-zh-best carries it), or the path of a compiled lexicon or tagger.
        standard: the segmentation standard.  Of presets: ``"general"`` (whole names, as readers
            and search expect) or ``"pku"`` (the convention of the SIGHAN PKU benchmark); of a
            BiLSTM-CRF: any in its file; of your own tagger: also the name it was trained under.
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
        TypeError: an unknown option; the message lists all options.
        ArgumentError: an unknown name, or a standard that is not in the file; the message lists
            the valid values.
        ResourceError: the preset's file is not installed; the message lists the folders searched.
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
    source = os.fspath(name)
    for option in options:
        if option not in Options.__slots__:
            valid = ", ".join(sorted({*DEFAULTS, *Options.__slots__} - {"name"}))
            raise TypeError(f"load: {option!r} is not an option: expected {valid}")
    requested, files = Options(**options), _Files(variants, verify)
    opened = requested.open(files, source, standard)
    models = files.models(opened)
    source = source if source in PRESETS else os.path.abspath(source)
    origin = Origin(source, standard, opened.usual_atoms, reload)
    return Segmenter._of(models, requested, opened, origin)


class _Files:
    """The shelf of compiled files: shipped ones by name, others by path; each is opened once."""

    __slots__ = ("_path", "variants", "verify")

    def __init__(self, variants: bool, verify: bool) -> None:
        self.variants = variants
        self.verify = verify
        self._path: str | None = None  # the file that ``load`` names, if it is no preset

    def kind(self, file: str) -> str:
        """Return the kind of the file that ``load`` names by its path, "" if there is none."""
        if not os.path.exists(file):
            return ""
        from segmenter import artifact

        self._path = file
        return artifact.open(os.path.abspath(file), verify=False).kind

    def open(self, kind: str, file: str, standard: str) -> Any:
        """Open a file; see ``open`` of the kernels' bindings."""
        if kind == "subwords":
            return self._subwords(file)
        path = os.path.abspath(file) if file == self._path else resources.find(file)
        if kind == "lexicon":
            return _open(path, Lexicon, self.verify, self.variants)
        is_network = kind in ("network", "beside")
        return self._network(path, standard) if is_network else self._linear(path)

    def models(self, opened: _opening.Opened) -> Models:
        """Return the opened models; a tagger's lexicon is opened on first use."""
        model, lexicon_file = opened.part, opened.lexicon_file
        lexicon = model("lexicon")
        if lexicon is None:  # a Lexicon without words is false too
            lexicon = lambda: self.open("lexicon", lexicon_file, "")  # noqa: E731
        tagger = model("tagger") or model("network")
        return Models(lexicon, tagger, model("unknown_tagger"), model("subwords"))

    def _linear(self, path: str) -> Predictor:
        from segmenter.tagging.predictor import Predictor

        opened: Predictor = _open(path, Predictor, self.verify, self.variants)
        return opened

    def _network(self, path: str, standard: str) -> NetworkPredictor:
        """One standard of a network; its linear tagger is in the same folder or a shipped one."""
        from segmenter import artifact
        from segmenter.tagging.predictor import NETWORKS, NetworkPredictor

        def linear(name: str) -> Predictor:
            sibling = os.path.join(os.path.dirname(path), name)
            return self._linear(sibling if os.path.isfile(sibling) else resources.find(name))

        def make() -> NetworkPredictor:
            art = artifact.open(path, None, self.verify)
            return NETWORKS.get(art.kind, NetworkPredictor)(art, standard, linear)

        opened: NetworkPredictor = _open_once(path, standard, self.variants, make)
        return opened

    def _subwords(self, oov: str) -> OovModel:
        from segmenter.core.oov import provider_of

        provider = provider_of(oov)
        path = resources.find(provider.SHIPPED[oov])
        verify = self.verify
        model: OovModel = _open_once(
            path, "", True, lambda: provider.open_model(path, verify=verify)
        )
        return model


#: :func:`load` for names and options known only at run time, such as those of a command line: not
#: checked by type checkers.
load_by_name: Callable[..., Segmenter] = load


def reload(source: str, digest: str, options: dict[str, Any]) -> Segmenter:
    """Make a pickled Segmenter again, if the content of its files is still the same."""
    segmenter = load_by_name(source, **options)
    installed = segmenter._engine.opened.models
    if installed != digest:
        raise ArgumentError(
            f"pickle: the Segmenter was made with other files than {segmenter!r} ({digest}, "
            f"here {installed}): install the same version"
        )
    return segmenter


#: The number of recently opened files that stay open though no Segmenter uses them: each holds a
#: mapping, a descriptor, and some hundred kilobytes.
_MAX_OPENED = 16
_opened: dict[tuple[str, str, bool], Any] = {}
# files in use are opened once, however many there are
_in_use: WeakValueDictionary[tuple[object, ...], Any] = WeakValueDictionary()


def _open(path: str, cls: type[Any], verify: bool = True, variants: bool = True) -> Any:
    """Open a file once per process; a file that was replaced is opened again."""
    return _open_once(path, "", variants, lambda: cls.open(path, verify=verify, variants=variants))


def _open_once(path: str, part: str, variants: bool, make: Callable[[], Any]) -> Any:
    """Return the result of ``make`` for a part of a file, made once until the file changes."""
    status = os.stat(path)
    key = (path, part, variants, status.st_ino, status.st_size, status.st_mtime_ns)
    opened = _in_use.get(key)
    if opened is None:
        opened = _in_use[key] = make()
    # the most recent at the end; a replaced file takes the place of the old one
    _opened.pop(key[:3], None)
    _opened[key[:3]] = opened
    while len(_opened) > _MAX_OPENED:
        _opened.pop(next(iter(_opened)), None)
    return opened
