"""The lexicon and models of a Segmenter, and the kernels' engine over them."""

from __future__ import annotations

from segmenter.choices import NGRAM_DECODERS, SKIP, SUBWORDS, TAGGERS
from segmenter.errors import ArgumentError, wrong_type
from segmenter.kernels import _engine
from segmenter.lexicon import Lexicon
from segmenter.lexicon.costs import COST_SCALE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from segmenter.segmenter.oov import OovModel
    from segmenter.segmenter.options import Options
    from segmenter.tagging.predictor import NetworkPredictor, Predictor


class Models:
    """What a Segmenter decodes with; shared by all Segmenters that differ in options alone.

    Args:
        lexicon: the words, or a function that opens them on first use; None: a tagger without.
        tagger: decodes; None: a lattice over the lexicon does.
        guesser: cuts what a lattice leaves in single characters.
        subwords: cuts what lexicon or tagger do not know.
    """

    __slots__ = ("_lexicon", "guesser", "subwords", "tagger")

    def __init__(
        self,
        lexicon: Lexicon | Callable[[], Lexicon] | None,
        tagger: Predictor | NetworkPredictor | None = None,
        guesser: Predictor | None = None,
        subwords: OovModel | None = None,
    ) -> None:
        self._lexicon = lexicon
        self.tagger = tagger
        self.guesser = guesser
        self.subwords = subwords

    @property
    def lexicon(self) -> Lexicon:
        """The words: what a lattice decodes over, where a tagger's tags are from.

        Raises:
            ArgumentError: there are none.
        """
        if not isinstance(self._lexicon, Lexicon):
            if self._lexicon is None:
                raise ArgumentError("lexicon: this Segmenter is a tagger without one")
            self._lexicon = self._lexicon()
        return self._lexicon

    @property
    def has_lexicon(self) -> bool:
        """Whether there are words."""
        return self._lexicon is not None

    @property
    def variants(self) -> bool:
        """Whether Traditional, Hong Kong and Taiwan forms count as the forms of the lexicon."""
        return (self.tagger or self.lexicon).variants

    @property
    def digest(self) -> str:
        """Identities of what boundaries depend on."""
        parts = (self.tagger or self.lexicon, self.guesser, self.subwords)
        return "+".join(part.digest[:32] for part in parts if part is not None)

    def fit(self, options: Options) -> Options:
        """Return the options with decoder and matcher chosen for these models.

        Raises:
            TypeError, ArgumentError: options and models do not go together.
        """
        tagger, oov = self.tagger, options.oov
        decoder = options.decoder or "unigram"
        tagged = decoder in TAGGERS
        if callable(self._lexicon) and not tagged:
            self._lexicon = self._lexicon()
        lexicon = self._lexicon
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
        if (oov in ("hmm", "tagger")) != (self.guesser is not None):
            raise ArgumentError(f"guesser: oov={oov!r} and this model do not go together")
        if (oov in SUBWORDS) != (self.subwords is not None):
            raise ArgumentError(f"subwords: oov={oov!r} and this vocabulary do not go together")
        if self.subwords is not None and self.subwords.native is None:
            raise ArgumentError(
                f"subwords: {self.subwords!r} has more characters than can be compiled"
            )
        matcher = options.matcher
        if tagged:
            if matcher not in (None, "double-array"):
                raise ArgumentError(
                    f"matcher: {matcher!r} is for lattices, and {decoder!r} is a tagger: choose "
                    "decoder='unigram' too"
                )
            return options.replace(decoder=decoder, matcher="double-array")
        if decoder in NGRAM_DECODERS and self.lexicon.ngrams is None:
            raise ArgumentError(
                f"decoder: {decoder!r} needs n-gram counts and {self.lexicon.name} has none: build "
                "it with --bigrams, or choose decoder='unigram'"
            )
        of_marisa = self.lexicon.trie is not None
        if matcher is None:
            matcher = "marisa" if of_marisa else "double-array"
        if isinstance(matcher, str) and (matcher != "double-array" or of_marisa):
            from segmenter.lexicon.matchers import make

            matcher = make(matcher, self.lexicon)
        return options.replace(decoder=decoder, matcher=matcher)

    def engine(self, options: Options, like: _engine.Engine | None = None) -> _engine.Engine:
        """Return the kernels' side.

        Args:
            options: what :meth:`fit` returned.
            like: an engine over the same models, to share working memory with.
        """
        user, matcher = options.user, options.matcher
        keep: Literal["keep"] | None = "keep" if options.oov == "keep" else None
        guesser, subwords = self.guesser, self.subwords
        plan = _engine.EnginePlan(
            self.lexicon.native if self.tagger is None else self.tagger.native,
            decoder=options.decoder or "unigram",
            ngrams=self.lexicon.ngrams if options.decoder in NGRAM_DECODERS else None,
            matcher=None if matcher is None or isinstance(matcher, str) else matcher.find,
            unknown=guesser.native if guesser else subwords.native if subwords else keep,
            skip=sum(SKIP[name] for name in options.skip),
            user=user.native if user is not None else None,
            log_mass=0 if user is None or self.tagger is not None else self._log_mass(),
            atoms=options.atoms.native,
        )
        return _engine.Engine(plan, like)

    def _log_mass(self) -> int:
        """Logarithm of the sum of the lexicon's counts, in the kernels' units."""
        from math import log

        return round(log(self.lexicon.meta["mass"]) * COST_SCALE)
