"""Tokens of a text: words with offsets, kinds, tags, scores and sources."""

from __future__ import annotations

from segmenter.kernels import _engine, _tokens
from segmenter.types import SOURCES, SOURCES_OF_MODEL, Source, Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from segmenter.core.models import Models
    from segmenter.core.options import Options
    from segmenter.lexicon import Lexicon

#: Limits on the words whose tags are cached: their number, and the characters of each.
_MAX_CACHED, _MAX_CACHED_LENGTH = 1 << 16, 16


class TokenReader(_tokens.TokenReader):
    """Makes the tokens of a text; tags are from the lexicon or by context.

    Args:
        engine: cuts the text.
        models, options: of the engine.
    """

    __slots__ = ("_user",)

    def __init__(self, engine: _engine.Engine, models: Models, options: Options) -> None:
        self._user = options.user
        lexicon = models.lexicon if models.has_lexicon else None
        tagged = models.tagger is not None
        guessed = models.unknown_tagger is not None or models.subwords is not None
        cache = _TagCache(lexicon) if lexicon is not None and tagged else None
        super().__init__(
            engine,
            Tokens,
            tuple(options.atoms.patterns),
            lexicon.meta["tags"] if lexicon is not None else [],
            lexicon.tag_numbers if lexicon is not None and not tagged else None,
            {} if cache is None else cache.tags,
            None if cache is None else cache.look_up,
            (*(SOURCES_OF_MODEL if tagged else SOURCES), Source.MODEL),
            guessed,
            options.user.entry if options.user is not None else None,
        )

    def tags(self, tokens: Tokens) -> list[str]:
        """Return a part of speech per token, by context; user words with a tag keep theirs."""
        from segmenter.tagging.pos import load as load_pos

        fixed_tags: list[str | None] | None = None
        if self._user is not None and self._user.tagged:
            entries = map(tokens.entry, range(len(tokens)))
            fixed_tags = [e.tag or None if e is not None and not e.parts else None for e in entries]
        return load_pos().tags(tokens.words, fixed_tags)


class _TagCache:
    """The tags of words in a tagger's lexicon: the number of the tag plus one; 0: no tag.

    Attributes:
        tags: the tag of each cached word.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.tags: dict[str, int] = {}
        self._lexicon = lexicon

    def look_up(self, word: str) -> int:
        number = self._lexicon.number(word)
        tag = 0 if number < 0 else self._lexicon.tag_numbers[number] + 1
        if len(word) <= _MAX_CACHED_LENGTH:
            if len(self.tags) >= _MAX_CACHED:
                self.tags.clear()
            self.tags[word] = tag
        return tag
