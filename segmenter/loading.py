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
        TypeError: an option that there is not; the message lists all options.
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
    source = os.fspath(name)
    for option in options:
        if option not in Options.__slots__:
            known = ", ".join(sorted({*DEFAULTS, *Options.__slots__} - {"name"}))
            raise TypeError(f"load: {option!r} is not an option: expected {known}")
    asked, files = Options(**options), _Files(variants, verify)
    opened = asked.open(files, source, standard)
    models = files.models(opened)
    source = source if source in PRESETS else os.path.abspath(source)
    origin = Origin(source, standard, opened.usual_atoms, reload)
    return Segmenter._of(models, asked, opened, origin)


class _Files:
    """The shelf of compiled files: shipped ones by name, others by path; each is opened once."""

    __slots__ = ("_path", "variants", "verify")

    def __init__(self, variants: bool, verify: bool) -> None:
        self.variants = variants
        self.verify = verify
        self._path: str | None = None  # of the file that was asked for

    def kind(self, file: str) -> str:
        """The kind of a file that is asked for by its path."""
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
        """The models of what was opened; a tagger's lexicon is opened when it is needed."""
        given, file = opened.given, opened.lexicon_file
        lexicon = given("lexicon")  # which is false where it has no words
        if lexicon is None:
            lexicon = lambda: self.open("lexicon", file, "")  # noqa: E731
        tagger = given("tagger") or given("network")
        return Models(lexicon, tagger, given("unknown_tagger"), given("subwords"))

    def _linear(self, path: str) -> Predictor:
        from segmenter.tagging.predictor import Predictor

        opened: Predictor = _open(path, Predictor, self.verify, self.variants)
        return opened

    def _network(self, path: str, standard: str) -> NetworkPredictor:
        """One standard of a network; its linear tagger lies beside it or is a shipped one."""
        from segmenter import artifact
        from segmenter.tagging.predictor import NETWORKS, NetworkPredictor

        def linear(name: str) -> Predictor:
            beside = os.path.join(os.path.dirname(path), name)
            return self._linear(beside if os.path.isfile(beside) else resources.find(name))

        def make() -> NetworkPredictor:
            art = artifact.open(path, None, self.verify)
            return NETWORKS.get(art.kind, NetworkPredictor)(art, standard, linear)

        opened: NetworkPredictor = _once(path, standard, self.variants, make)
        return opened

    def _subwords(self, oov: str) -> OovModel:
        from segmenter.core.oov import provider_of

        provider = provider_of(oov)
        path = resources.find(provider.SHIPPED[oov])
        verify = self.verify
        opened: OovModel = _once(path, "", True, lambda: provider.open_model(path, verify=verify))
        return opened


#: :func:`load` for names that are known only when a program runs, such as a command line's: a type
#: checker asks no questions here.
load_by_name: Callable[..., Segmenter] = load


def reload(source: str, digest: str, options: dict[str, Any]) -> Segmenter:
    """What pickle calls: the Segmenter of a recipe, if its content is still the same."""
    segmenter = load_by_name(source, **options)
    here = segmenter._engine.opened.models
    if here != digest:
        raise ArgumentError(
            f"pickle: the Segmenter was made with other files than {segmenter!r} ({digest}, "
            f"here {here}): install the same version"
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
