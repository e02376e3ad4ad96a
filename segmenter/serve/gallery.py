"""The Segmenters and vocabularies whose results for one sentence are shown side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from segmenter.atoms import Atoms
from segmenter.choices import DECODERS, LATTICE, PRESETS, STANDARDS, TAGGERS
from segmenter.errors import ArgumentError, ResourceError
from segmenter.files import resources
from segmenter.loading import load, load_by_name
from segmenter.serve import user_lines
from segmenter.serve.settings import CHOICES, Settings

if TYPE_CHECKING:
    import os

    from segmenter.choices import Decoder
    from segmenter.core import Segmenter
    from segmenter.lexicon.user import UserDictionary
    from segmenter.subword import Tokenizer

#: Sets of settings whose Segmenters are kept; their models are shared, and mapped.
KEPT = 8

_USUAL = Settings()


@dataclass(eq=False, slots=True)
class Gallery:
    """Segmenters by decoder, and subword vocabularies.

    Args:
        chosen: the Segmenter that the others are compared with.
        decoders: every Segmenter by the name of its decoder, ``chosen`` among them.
        missing: why other decoders are not there, by name.
        vocabularies: subword Tokenizers by name.

    >>> gallery = Gallery.of("fast")
    >>> gallery.chosen.decoder, "unigram" in gallery.decoders
    ('perceptron', True)
    """

    chosen: Segmenter
    decoders: dict[str, Segmenter]
    missing: dict[str, str]
    vocabularies: dict[str, Tokenizer]

    @classmethod
    def of(cls, name: str | os.PathLike[str] = "balanced", **options: Any) -> Gallery:
        """Everything that can be shown beside ``load(name, **options)``.

        Beside a preset these are all decoders of its standard; beside a lexicon of the caller's
        own the lattices over it; beside a tagger of his own the shipped ones.
        """
        chosen = load_by_name(name, **options)
        own = ("decoder", "skip", "matcher")  # not every decoder takes these
        beside = {k: v for k, v in options.items() if k not in own}
        own_lexicon = name not in PRESETS and chosen.tagger is None
        source = name if name in PRESETS or own_lexicon else "balanced"
        decoders: dict[str, Segmenter] = {}
        missing: dict[str, str] = {}
        for decoder in DECODERS:
            if decoder == chosen.decoder:
                decoders[decoder] = chosen
                continue
            if own_lexicon and decoder in TAGGERS:
                continue
            try:
                decoders[decoder] = _beside(source, decoder, beside)
            except ArgumentError as e:
                missing[decoder] = str(e)
            except ResourceError:  # whose message has the folders of this machine
                missing[decoder] = "its files are not installed"
        return cls(chosen, decoders, missing, _vocabularies())

    @property
    def lattice(self) -> Segmenter:
        """The Segmenter whose word graph is drawn."""
        return next((s for n, s in self.decoders.items() if n in LATTICE), self.chosen)

    def replace(self, user: UserDictionary) -> Gallery:
        decoders = {name: s.replace(user) for name, s in self.decoders.items()}
        return replace(self, chosen=decoders[self.chosen.decoder], decoders=decoders)

    def with_lines(self, lines: str) -> tuple[Gallery, list[user_lines.Fault]]:
        """The same with more words as a visitor types them, and the lines that cannot be read."""
        added, faults = user_lines.read(lines)
        return self.replace(self.chosen.user.with_words(added)) if len(added) else self, faults


#: The preset whose weights another package carries, and their file.
BEST, BEST_FILE = "best", "best.model"


def _installed(name: str) -> bool:
    """Whether a shipped file is there, which another package may carry."""
    try:
        resources.find(name)
    except ResourceError:
        return False
    return True


class Galleries:
    """Galleries by what a visitor sets, the last few kept.

    Args:
        name, options: of the Segmenter that is shown without settings, as :func:`segmenter.load`
            takes them.

    >>> Galleries("fast").of(Settings(preset="balanced")).chosen.decoder
    'crf'
    """

    def __init__(self, name: str | os.PathLike[str] = "balanced", **options: Any) -> None:
        self._name = name
        self._options = options
        self._user: UserDictionary | None = options.get("user")
        self._kept = lru_cache(KEPT)(self._make)

    @property
    def own(self) -> bool:
        """Whether a lexicon or model of the operator's is shown: presets and standards are not."""
        return self._name not in PRESETS

    def choices(self, settings: Settings = _USUAL) -> dict[str, list[str]]:
        """The settings that make a difference beside these, and their values."""
        left_out = ("preset", "standard") if self.own else ()
        found = {k: list(v) for k, v in CHOICES.items() if k not in left_out}
        if "preset" in found and not _installed(BEST_FILE):
            found["preset"].remove(BEST)
        preset = settings.preset or self._name
        if "standard" in found and preset not in ("accurate", "best"):
            found["standard"] = ["", *STANDARDS]
        return found

    def of(self, settings: Settings = _USUAL) -> Gallery:
        """The Segmenters of these settings.

        Raises:
            ArgumentError: a standard that the preset does not have, or a setting that the decoder
                does not take; says what there is.
        """
        return self._kept(settings._replace(mode=_USUAL.mode))

    def replace(self, user: UserDictionary) -> None:
        self._user = user
        self._kept.cache_clear()

    def _make(self, settings: Settings) -> Gallery:
        found = self._opened(settings)
        return found if self._user is None else found.replace(self._user)

    def _opened(self, settings: Settings) -> Gallery:
        options = dict(self._options)
        name = self._name
        if settings.preset or settings.standard:
            if self.own:
                raise ArgumentError(
                    "preset: this service shows a single model, chosen by its operator"
                )
            if settings.preset:
                name = settings.preset
                if name == BEST and not _installed(BEST_FILE):
                    shown = ", ".join(preset for preset in PRESETS if preset != BEST)
                    raise ArgumentError(f"preset: {name!r} is not here; this service has {shown}")
                options.pop("decoder", None)
            if settings.standard:
                options["standard"] = settings.standard
        if settings.atoms:
            options["atoms"] = Atoms.all(settings.atoms)  # emoji and other clusters stay whole
        if settings.oov:
            options["oov"] = settings.oov
            try:
                return Gallery.of(name, **options)
            except ArgumentError:
                # the preset's tagger leaves no characters unknown: the lattices show what oov does
                if options.get("decoder") is not None:
                    raise
                options["decoder"] = "unigram"
        return Gallery.of(name, **options)


def _beside(source: Any, decoder: Decoder, options: dict[str, Any]) -> Segmenter:
    try:
        return load(source, decoder=decoder, **options)
    except ArgumentError:
        if "oov" not in options:
            raise
    rest = {k: v for k, v in options.items() if k != "oov"}
    return load(source, decoder=decoder, **rest)


def _vocabularies() -> dict[str, Tokenizer]:
    from segmenter import subword

    found = {}
    for name in subword.SHIPPED:
        try:
            found[name] = subword.load(name)
        except ResourceError:
            continue
    return found
