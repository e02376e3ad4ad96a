"""What a Segmenter is made of: words or a model, their engine, and its identity."""

from __future__ import annotations

import os

from segmenter.atoms import Atoms
from segmenter.choices import (
    DECODERS,
    LATTICE,
    MATCHERS,
    OOV,
    PRESETS,
    SKIP,
    SUBWORDS,
    TAGGERS,
    one_of,
)
from segmenter.errors import ArgumentError, wrong_type
from segmenter.kernels import _engine
from segmenter.lexicon import Lexicon
from segmenter.lexicon.costs import COST_SCALE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any, Self

    from segmenter.choices import Decoder, MatcherName, Oov, Skip
    from segmenter.lexicon.matchers import Matcher
    from segmenter.lexicon.user import UserDictionary
    from segmenter.lexicon.user.entry import Item
    from segmenter.search import Grains, SearchOptions
    from segmenter.segmenter import Segmenter
    from segmenter.subword.models.vocabulary import HasModel
    from segmenter.tagging.predictor import BilstmPredictor, Predictor

#: Version of the boundary rules: it changes whenever any text could be cut differently by the same
#: lexicon and options, and is part of every fingerprint.
RULES = 6


class Recipe:
    """How :func:`segmenter.loading.load` made a Segmenter, to make it again elsewhere.

    Attributes:
        source: the preset, or the path of the file.
        options: other arguments of ``load``.
        reload: what pickle calls with source, digest and options.
    """

    __slots__ = ("options", "reload", "source")

    def __init__(
        self, source: str, options: dict[str, Any], reload: Callable[..., Segmenter]
    ) -> None:
        self.source = source
        self.options = options
        self.reload = reload


class Made(_engine.Cutter):
    """The parts of a :class:`~segmenter.segmenter.Segmenter`, which see for the arguments.

    ``cut`` and ``ends`` are those of the base class, ``Cutter`` in ``kernels/bindings/batch.pxi``.
    """

    __slots__ = (
        "__weakref__", "_found", "_grains", "_lattice", "_lexicon", "_ngrams",
        "_recipe", "_rules", "_user", "atoms", "decoder", "guesser", "matcher", "oov", "skip",
        "subwords", "tagger",
    )  # fmt: skip

    def __init__(
        self,
        lexicon: Lexicon | Callable[[], Lexicon] | None,
        *,
        decoder: Decoder = "unigram",
        oov: Oov = "chars",
        skip: Skip | Collection[Skip] = (),
        matcher: MatcherName | Matcher | None = None,
        tagger: Predictor | BilstmPredictor | None = None,
        guesser: Predictor | None = None,
        subwords: HasModel | None = None,
        user: UserDictionary | str | os.PathLike[str] | Iterable[Item] | None = None,
        atoms: Atoms | Mapping[str, str] | None = None,
        _recipe: Recipe | None = None,
    ) -> None:
        one_of("decoder", decoder, DECODERS)
        one_of("oov", oov, OOV)
        if isinstance(skip, str):
            skip = (skip,)
        for name in skip:
            one_of("skip", name, tuple(SKIP))
        tagged = decoder in TAGGERS
        if not tagged and callable(lexicon):
            lexicon = lexicon()
        if not isinstance(lexicon, Lexicon) and not (
            tagged and (lexicon is None or callable(lexicon))
        ):
            raise wrong_type("lexicon", lexicon, "Lexicon")
        if tagged != (tagger is not None):
            raise ArgumentError(
                f"tagger: the decoder {decoder!r} "
                + ("needs a compiled model" if tagged else "runs no tagger")
            )
        if tagged and oov not in ("chars", *SUBWORDS):
            raise ArgumentError(
                f"oov: {oov!r} is for lattices, as a tagger leaves no characters unknown: choose "
                "decoder='unigram' too"
            )
        if (oov in ("hmm", "tagger")) != (guesser is not None):
            raise ArgumentError(f"guesser: oov={oov!r} and this model do not go together")
        if (oov in SUBWORDS) != (subwords is not None):
            raise ArgumentError(f"subwords: oov={oov!r} and this vocabulary do not go together")
        if subwords is not None and subwords.model.kernel is None:
            raise ArgumentError(f"subwords: {subwords!r} has more characters than can be compiled")
        ngrams = found = None
        if decoder in ("bigram", "trigram") and isinstance(lexicon, Lexicon):
            ngrams = lexicon.ngrams
            if ngrams is None:
                raise ArgumentError(
                    f"decoder: {decoder!r} needs n-gram counts and {lexicon.name} has none: build "
                    "it with --bigrams, or choose decoder='unigram'"
                )
        of_marisa = not tagged and isinstance(lexicon, Lexicon) and lexicon.trie is not None
        if matcher is None:
            matcher = "marisa" if of_marisa else "double-array"
        if matcher != "double-array" or of_marisa:
            if not isinstance(lexicon, Lexicon) or tagged:
                raise ArgumentError(
                    f"matcher: {matcher!r} is for lattices, and {decoder!r} is a tagger: choose "
                    "decoder='unigram' too"
                )
            from segmenter.lexicon.matchers import make

            if isinstance(matcher, str):
                one_of("matcher", matcher, MATCHERS)
                matcher = make(matcher, lexicon)
            found = matcher.find
        self._lexicon = lexicon
        self._lattice: _engine.Engine | None = None
        self.decoder = decoder
        self.oov = oov
        self.skip = frozenset(skip)
        self.matcher = matcher
        self.tagger = tagger
        self.guesser = guesser
        self.subwords = subwords
        self.atoms = atoms if isinstance(atoms, Atoms) else Atoms(atoms)
        self._rules = _engine.AtomRules(self.atoms.codes, self.atoms.automaton)
        self._recipe = _recipe
        self._ngrams = ngrams
        self._found = found
        self._user = None if user is None else user_dictionary(user)
        self._engine = self._make_engine()
        self._grains: dict[SearchOptions | None, Grains] = {}

    def _make_engine(self, like: _engine.Engine | None = None) -> _engine.Engine:
        """The kernels' side; ``like`` is one over the same words, to share working memory with."""
        lexicon, tagger, guesser = self._lexicon, self.tagger, self.guesser
        user = self._user.native if self._user is not None else None
        return _engine.Engine(
            lexicon.native if isinstance(lexicon, Lexicon) and tagger is None else None,
            _engine.TAGGED if tagger is not None else LATTICE.index(self.decoder),
            self._ngrams,
            self.oov == "keep",
            sum(SKIP[name] for name in self.skip),
            self._found,
            tagger.native if tagger is not None else None,
            guesser.native if guesser is not None else None,
            subwords=self.subwords.model.kernel if self.subwords is not None else None,
            user=user,
            log_mass=0 if user is None or tagger is not None else self._log_mass(),
            like=like,
            atoms=self._rules,
        )

    def _log_mass(self) -> int:
        """Logarithm of the sum of the lexicon's counts, in the kernels' units."""
        from math import log

        return round(log(self.lexicon.meta["mass"]) * COST_SCALE)

    @property
    def lexicon(self) -> Lexicon:
        """The words of this Segmenter: what a lattice decodes over, where a tagger's tags are from.

        Raises:
            ArgumentError: a tagger that was made without a lexicon.
        """
        if not isinstance(self._lexicon, Lexicon):
            if self._lexicon is None:
                raise ArgumentError("lexicon: this Segmenter is a tagger without one")
            self._lexicon = self._lexicon()
        return self._lexicon

    @property
    def variants(self) -> bool:
        """Whether Traditional, Hong Kong and Taiwan forms count as the forms of the lexicon."""
        return (self.tagger or self.lexicon).variants

    @property
    def user(self) -> UserDictionary:
        """The words of the user: an empty dictionary where there are none."""
        return user_dictionary(()) if self._user is None else self._user

    # --- identity --------------------------------------------------------------------------------

    @property
    def fingerprint(self) -> str:
        """What a search index stores to know when to rebuild.

        Two Segmenters of equal fingerprint give the same boundaries on every text: it names the
        version of the rules, the lexicon's content, the user's words and the options that move
        boundaries.
        """
        skip = "+".join(sorted(self.skip)) or "none"
        words = self._user.digest if self._user is not None else ""
        return (
            f"segmenter-zh/rules-{RULES} model={self._digest()} "
            f"decoder={self.decoder} oov={self.oov} skip={skip}"
            + ("" if self.variants else " variants=off")
            + (f" user={words}" if words else "")
            + (f" atoms={self.atoms}" if self.atoms.changed else "")
        )

    def _digest(self) -> str:
        """Identities of what boundaries depend on."""
        parts = (self.tagger or self.lexicon, self.guesser, self.subwords)
        return "+".join(part.digest[:32] for part in parts if part is not None)

    @property
    def recipe(self) -> dict[str, Any] | None:
        """Arguments with which :func:`load` makes this Segmenter again; None where it was not
        made by :func:`load`, or has words of a user."""
        if self._recipe is None or (self._user is not None and len(self._user)):
            return None
        made = self._recipe
        return {"name": made.source, **self._options(), **made.options}

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {
            "decoder": self.decoder,
            "oov": self.oov,
            "skip": sorted(self.skip),
        }
        if self.tagger is None:
            name = self.matcher if isinstance(self.matcher, str) else self.matcher.name
            options["matcher"] = name
        if self.atoms.changed:
            options["atoms"] = self.atoms.changed
        if not self.variants:
            options["variants"] = False
        return options

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        options = self._options()
        if self._user is not None:
            options["user"] = self._user
        if self._recipe is not None:
            made = self._recipe
            return made.reload, (made.source, self._digest(), {**options, **made.options})
        lexicon, guesser, subwords = (
            (model.to_bytes(), model.name) if model is not None else None
            for model in (self.lexicon if self._lexicon else None, self.guesser, self.subwords)
        )
        return _rebuild, (type(self), lexicon, self.tagger, guesser, subwords, options)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self  # immutable

    def __repr__(self) -> str:
        made = self._recipe
        if made is not None:
            name = made.source if made.source in PRESETS else os.path.basename(made.source)
            what = f"{name}, {made.options['standard']}, {self.decoder}"
        else:
            what = f"{self.decoder} over {self.tagger or self.lexicon!r}"
        count = len(self.user)
        words = f", {count:,} word{'s' * (count != 1)} of the user" if count else ""
        return f"<Segmenter {what}{words}>"


def user_dictionary(
    user: UserDictionary | str | os.PathLike[str] | Iterable[Item],
) -> UserDictionary:
    from segmenter.lexicon.user import UserDictionary

    if isinstance(user, UserDictionary):
        return user
    if isinstance(user, (str, os.PathLike)):
        return UserDictionary.load(user)
    if not hasattr(user, "__iter__") or isinstance(user, (bytes, bytearray)):
        raise wrong_type("user", user, "UserDictionary, a path, or an iterable of words")
    return UserDictionary(user)


def _rebuild(
    kind: type[Made],
    lexicon: tuple[bytes, str] | None,
    tagger: Predictor | BilstmPredictor | None,
    guesser: tuple[bytes, str] | None,
    subwords: tuple[bytes, str] | None,
    options: dict[str, Any],
) -> Made:
    from segmenter.subword.models.vocabulary import Vocabulary
    from segmenter.tagging.predictor import Predictor

    options = dict(options)
    folding = {"variants": options.pop("variants", True)}
    return kind(
        Lexicon.from_bytes(*lexicon, **folding) if lexicon else None,
        tagger=tagger,
        guesser=Predictor.from_bytes(*guesser, **folding) if guesser else None,
        subwords=Vocabulary.from_bytes(*subwords) if subwords else None,
        **options,
    )
