"""``load``: a Segmenter from a preset, or from one compiled file; files are opened once.

>>> load("fast").cut("他说的确实在理")
['他', '说', '的', '确实', '在理']
"""

from __future__ import annotations

import os
from weakref import WeakValueDictionary

from segmenter.atoms import Atoms
from segmenter.choices import (
    BILSTM_MODEL,
    DECODERS,
    DEFAULT_PRESET,
    MODELS,
    OOV,
    PRESETS,
    STANDARDS,
    SUBWORDS,
    TAGGERS,
    one_of,
)
from segmenter.errors import ArgumentError, wrong_type
from segmenter.files import resources
from segmenter.lexicon import Lexicon
from segmenter.segmenter import Recipe, Segmenter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any, TypedDict, Unpack, overload

    from segmenter.choices import Decoder, MatcherName, Oov, Preset, Skip, Standard
    from segmenter.lexicon.user import UserDictionary
    from segmenter.lexicon.user.entry import Item
    from segmenter.tagging.predictor import BilstmPredictor, Predictor

    class LoadOptions(TypedDict, total=False):
        """What :func:`load` takes by name, whether it is given a preset or a path."""

        decoder: Decoder | None
        oov: Oov
        skip: Skip | Collection[Skip]
        matcher: MatcherName | None
        user: UserDictionary | str | os.PathLike[str] | Iterable[Item] | None
        variants: bool
        atoms: Atoms | Mapping[str, str] | None
        verify: bool


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
    decoder: Decoder | None = None,
    oov: Oov = "chars",
    skip: Skip | Collection[Skip] = (),
    matcher: MatcherName | None = None,
    user: UserDictionary | str | os.PathLike[str] | Iterable[Item] | None = None,
    variants: bool = True,
    atoms: Atoms | Mapping[str, str] | None = None,
    verify: bool = True,
) -> Segmenter:
    """Load a Segmenter: a preset, or a compiled lexicon or model by its path.

    Args:
        name: ``"balanced"`` (a CRF), ``"fast"`` (an averaged perceptron with fewer features),
            ``"accurate"`` (a BiLSTM-CRF), or the path of a compiled lexicon or tagger.  The path
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
    source = os.fspath(name)
    if decoder is not None:
        one_of("decoder", decoder, DECODERS)
    one_of("oov", oov, OOV)
    if not isinstance(standard, str):
        raise wrong_type("standard", standard, "str")

    # other standards are those of one file, whose tags and lattice are the general ones
    base = standard if standard in STANDARDS else STANDARDS[0]

    def lexicon() -> Lexicon:
        opened: Lexicon = _open(resources.find(f"{base}.lex"), Lexicon, verify, variants)
        return opened

    def predictor(algorithm: str) -> Predictor:
        from segmenter.tagging.predictor import Predictor

        path = resources.find(f"{base}-{MODELS[algorithm]}.model")
        opened: Predictor = _open(path, Predictor, verify, variants)
        return opened

    guesser = None
    if oov in ("hmm", "tagger"):
        guesser = predictor("hmm" if oov == "hmm" else "perceptron")
    subwords = None
    if oov in SUBWORDS:
        from segmenter.subword.models.vocabulary import SHIPPED, Vocabulary

        path = resources.find(SHIPPED[oov])
        subwords = _once(path, "", True, lambda: Vocabulary.open(path, verify=verify))
    words: Lexicon | Callable[[], Lexicon] = lexicon
    tagger: Predictor | BilstmPredictor | None = None
    if source in PRESETS:
        chosen: Decoder = decoder or PRESETS[source]
        if chosen == "bilstm-crf":
            tagger = _open_bilstm(resources.find(BILSTM_MODEL), standard, verify, variants)
        else:
            one_of("standard", standard, STANDARDS)
            if chosen in TAGGERS:
                tagger = predictor(chosen)
    else:
        if not os.path.exists(source):
            raise ArgumentError(
                f"name: {source!r} is neither a preset ({', '.join(PRESETS)}) nor a file"
            )
        path = os.path.abspath(source)
        kind = _kind_of(path)
        own: Decoder = "unigram"  # the file's own decoder
        if kind == "bilstm-crf":
            tagger, own = _open_bilstm(path, standard, verify, variants), "bilstm-crf"
        elif kind == "tagger":
            from segmenter.tagging.predictor import Predictor

            tagger = _open(path, Predictor, verify, variants)
            learned = str(tagger.meta.get("standard", STANDARDS[0]))
            one_of("standard", standard, tuple(dict.fromkeys((*STANDARDS, learned))))
            own = tagger.meta.get("algorithm", "crf")
        else:
            words = _open(path, Lexicon, verify, variants)
        chosen = decoder or own
        if tagger is not None and chosen != own:
            raise ArgumentError(f"decoder: {source} is a {own} tagger, not {decoder!r}")
        if tagger is None and chosen in TAGGERS:
            raise ArgumentError(
                f"decoder: {source} is a lexicon, and {chosen!r} needs a tagger: choose a "
                "lattice, such as 'unigram'"
            )
        source = path
    settings = getattr(tagger, "atoms", None)
    if settings and not isinstance(atoms, Atoms):
        atoms = {**settings, **(atoms or {})}
    return Segmenter(
        words,
        decoder=chosen,
        oov=oov,
        skip=skip,
        matcher=matcher,
        tagger=tagger,
        guesser=guesser,
        subwords=subwords,
        user=user,
        atoms=atoms,
        _recipe=Recipe(source, {"standard": standard}, reload),
    )


#: :func:`load` for names that are known only when a program runs, such as a command line's: a type
#: checker asks no questions here.
load_by_name: Callable[..., Segmenter] = load


def reload(source: str, digest: str, options: dict[str, Any]) -> Segmenter:
    """What pickle calls: the Segmenter of a recipe, if its content is still the same."""
    segmenter = load_by_name(source, **options)
    if segmenter._digest() != digest:
        raise ArgumentError(
            f"pickle: it was made with other files than those of {segmenter!r} ({digest}, here "
            f"{segmenter._digest()}): install the same version"
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


def _open_bilstm(path: str, standard: str, verify: bool, variants: bool) -> BilstmPredictor:
    """One standard of a BiLSTM-CRF; its linear tagger lies beside it or is a shipped one."""
    from segmenter import artifact
    from segmenter.tagging.predictor import BilstmPredictor, Predictor

    def linear(name: str) -> Predictor:
        beside = os.path.join(os.path.dirname(path), name)
        found = beside if os.path.isfile(beside) else resources.find(name)
        tagger: Predictor = _open(found, Predictor, verify, variants)
        return tagger

    def make() -> BilstmPredictor:
        art = artifact.open(path, BilstmPredictor.KIND, verify)
        named = art.meta.get("standards")
        chosen = standard
        if isinstance(named, dict) and len(named) == 1 and standard == STANDARDS[0]:
            chosen = str(next(iter(named)))  # a file with one standard needs no choice
        return BilstmPredictor(art, chosen, linear)

    opened: BilstmPredictor = _once(path, standard, variants, make)
    return opened


def _kind_of(path: str) -> str:
    from segmenter import artifact

    return artifact.open(path, verify=False).kind
