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

#: Sets of settings whose Segmenters are cached; their models are shared and mapped.
CACHE_SIZE = 8

_DEFAULTS = Settings()


@dataclass(eq=False, slots=True)
class Gallery:
    """Segmenters by decoder, and subword vocabularies.

    Args:
        chosen: the Segmenter that the others are compared with.
        decoders: every Segmenter by the name of its decoder, ``chosen`` among them.
        missing: why a decoder is absent, by name.
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
        """``load(name, **options)`` and the decoders to compare it with.

        For a preset these are all decoders of its standard; for the caller's own lexicon the
        lattices over it; for the caller's own tagger the shipped decoders.
        """
        chosen = load_by_name(name, **options)
        not_shared = ("decoder", "skip", "matcher")  # not every decoder takes these
        shared_options = {k: v for k, v in options.items() if k not in not_shared}
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
                decoders[decoder] = _load_decoder(source, decoder, shared_options)
            except ArgumentError as e:
                missing[decoder] = str(e)
            except ResourceError:  # its message would show folders of this machine
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
        """This gallery with the words that a visitor typed, and the faulty lines."""
        added, faults = user_lines.read(lines)
        return self.replace(self.chosen.user.with_words(added)) if len(added) else self, faults


#: The preset whose weights are in a package of their own, and their file.
BEST, BEST_FILE = "best", "best.model"


def _installed(name: str) -> bool:
    """Whether a shipped file, perhaps of another package, is installed."""
    try:
        resources.find(name)
    except ResourceError:
        return False
    return True


class Galleries:
    """Galleries by a visitor's settings; the last few are cached.

    Args:
        name, options: arguments of :func:`segmenter.load` for the Segmenter without settings.

    >>> Galleries("fast").of(Settings(preset="balanced")).chosen.decoder
    'crf'
    """

    def __init__(self, name: str | os.PathLike[str] = "balanced", **options: Any) -> None:
        self._name = name
        self._options = options
        self._user: UserDictionary | None = options.get("user")
        self._cached = lru_cache(CACHE_SIZE)(self._make)

    @property
    def own_model(self) -> bool:
        """Whether the operator's own lexicon or model is shown, instead of presets."""
        return self._name not in PRESETS

    def choices(self, settings: Settings = _DEFAULTS) -> dict[str, list[str]]:
        """The settings that have an effect together with these, and their values."""
        hidden = ("preset", "standard") if self.own_model else ()
        choices = {k: list(v) for k, v in CHOICES.items() if k not in hidden}
        if "preset" in choices and not _installed(BEST_FILE):
            choices["preset"].remove(BEST)
        preset = settings.preset or self._name
        if "standard" in choices and preset not in ("accurate", "best"):
            choices["standard"] = ["", *STANDARDS]
        return choices

    def of(self, settings: Settings = _DEFAULTS) -> Gallery:
        """The Segmenters of these settings.

        Raises:
            ArgumentError: a standard that the preset lacks, or a setting that the decoder does not
                take; the message lists the choices.
        """
        return self._cached(settings._replace(mode=_DEFAULTS.mode))

    def replace(self, user: UserDictionary) -> None:
        self._user = user
        self._cached.cache_clear()

    def _make(self, settings: Settings) -> Gallery:
        gallery = self._open(settings)
        return gallery if self._user is None else gallery.replace(self._user)

    def _open(self, settings: Settings) -> Gallery:
        options = dict(self._options)
        name = self._name
        if settings.preset or settings.standard:
            if self.own_model:
                raise ArgumentError(
                    "preset: this service shows a single model, chosen by its operator"
                )
            if settings.preset:
                name = settings.preset
                if name == BEST and not _installed(BEST_FILE):
                    presets = ", ".join(preset for preset in PRESETS if preset != BEST)
                    raise ArgumentError(f"preset: {name!r} is not here; this service has {presets}")
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
                # a tagger leaves no characters unknown: a lattice shows the effect of oov
                if options.get("decoder") is not None:
                    raise
                options["decoder"] = "unigram"
        return Gallery.of(name, **options)


def _load_decoder(source: Any, decoder: Decoder, options: dict[str, Any]) -> Segmenter:
    """Load a decoder, without ``oov`` if it does not take it."""
    try:
        return load(source, decoder=decoder, **options)
    except ArgumentError:
        if "oov" not in options:
            raise
    without_oov = {k: v for k, v in options.items() if k != "oov"}
    return load(source, decoder=decoder, **without_oov)


def _vocabularies() -> dict[str, Tokenizer]:
    from segmenter import subword

    vocabularies = {}
    for name in subword.SHIPPED:
        try:
            vocabularies[name] = subword.load(name)
        except ResourceError:
            continue
    return vocabularies
