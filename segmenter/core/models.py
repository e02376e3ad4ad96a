"""The lexicon and models of a Segmenter, as the shelf from which the kernels open them."""

from __future__ import annotations

from segmenter.choices import SUBWORDS, TAGGERS
from segmenter.errors import ArgumentError, wrong_type
from segmenter.lexicon import Lexicon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from segmenter.core.oov import OovModel
    from segmenter.core.options import Options
    from segmenter.kernels import _opening
    from segmenter.lexicon.matchers import Matcher
    from segmenter.tagging.predictor import NetworkPredictor, Predictor


class Models:
    """Lexicon and models of a Segmenter; shared by Segmenters that differ only in options.

    Args:
        lexicon: the words, or a function that opens them on first use; None: only a tagger.
        tagger: the model that decodes; None: a lattice over the lexicon decodes.
        unknown_tagger: cuts the runs of single characters that a lattice leaves.
        subwords: cuts words that lexicon or tagger do not know.
    """

    __slots__ = ("_lexicon", "subwords", "tagger", "unknown_tagger")

    def __init__(
        self,
        lexicon: Lexicon | Callable[[], Lexicon] | None = None,
        tagger: Predictor | NetworkPredictor | None = None,
        unknown_tagger: Predictor | None = None,
        subwords: OovModel | None = None,
    ) -> None:
        self._lexicon = lexicon
        self.tagger = tagger
        self.unknown_tagger = unknown_tagger
        self.subwords = subwords

    @property
    def lexicon(self) -> Lexicon:
        """The words over which a lattice decodes, with the tags of a tagger's words.

        Raises:
            ArgumentError: there is no lexicon.
        """
        if not isinstance(self._lexicon, Lexicon):
            if self._lexicon is None:
                raise ArgumentError(
                    "lexicon: this Segmenter consists of a tagger alone: give it a Lexicon"
                )
            if not callable(self._lexicon):
                raise wrong_type("lexicon", self._lexicon, "Lexicon")
            self._lexicon = self._lexicon()
        return self._lexicon

    @property
    def has_lexicon(self) -> bool:
        """Whether there is a lexicon."""
        return self._lexicon is not None

    @property
    def variants(self) -> bool:
        """Whether Traditional, Hong Kong and Taiwan forms count as the forms of the lexicon."""
        return (self.tagger or self.lexicon).variants

    def kind(self, file: str) -> str:
        """The kind of a file: "", since this shelf has no files."""
        return ""

    def open(self, kind: str, file: str, standard: str) -> Any:
        """Return a model to ``open`` of the kernels' bindings."""
        if kind == "lexicon":
            if self._lexicon is None:
                raise wrong_type("lexicon", None, "Lexicon")
            return self.lexicon
        if kind == "tagger":
            if not (isinstance(self._lexicon, Lexicon | None) or callable(self._lexicon)):
                raise wrong_type("lexicon", self._lexicon, "Lexicon")
            if self.tagger is None:
                raise ArgumentError(f"tagger: decoder={file!r} needs a compiled model: give one")
            return self.tagger
        model = self.unknown_tagger if kind == "unknown_tagger" else self.subwords
        if model is None:
            needed = "compiled model" if kind == "unknown_tagger" else "vocabulary"
            raise ArgumentError(f"{kind}: oov={file!r} needs a {needed}: give one, or oov='chars'")
        return model

    def check(self, opened: _opening.Opened) -> None:
        """Raise ArgumentError if there is a model that the options do not use."""
        decoder, oov = f"decoder={opened.decoder!r}", f"oov={opened.oov!r}"
        for name, option, choice in (
            ("tagger", decoder, f"a decoder that tags ({', '.join(TAGGERS)})"),
            ("unknown_tagger", oov, "oov='hmm' or oov='tagger'"),
            ("subwords", oov, f"one of oov={', '.join(SUBWORDS)}"),
        ):
            if getattr(self, name) is not None and opened.part(name) is None:
                raise ArgumentError(f"{name}: {option} uses no such model; choose {choice}")

    def matcher(self, options: Options, opened: _opening.Opened) -> Matcher | None:
        """The caller's matcher, or the one of the given name; None: the kernels find the words."""
        name = opened.matcher
        if options.matcher is not None and not isinstance(options.matcher, str):
            matcher: Matcher = options.matcher
            return matcher
        if self.tagger is not None or (name == "double-array" and self.lexicon.trie is None):
            return None
        from segmenter.lexicon.matchers import make

        return make(name, self.lexicon)
