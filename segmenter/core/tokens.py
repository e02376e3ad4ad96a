"""Tokens of a text: words with offsets, kinds, tags, scores and sources."""

from __future__ import annotations

from segmenter.kernels import _engine
from segmenter.text.kinds import KINDS
from segmenter.types import SOURCES, SOURCES_OF_MODEL, USER, Source, Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from segmenter.core.models import Models
    from segmenter.core.options import Options
    from segmenter.lexicon.user import UserWord

_UNKNOWN, _PATTERN = KINDS.index("unknown"), KINDS.index("pattern")


class TokenReader:
    """Reads the tokens of a text from an engine; tags are from the lexicon or by context.

    Args:
        engine: decides the words.
        models, options: those of the engine.
    """

    __slots__ = ("_engine", "_models", "_patterns", "_user")

    def __init__(self, engine: _engine.Engine, models: Models, options: Options) -> None:
        self._engine = engine
        self._models = models
        self._user = options.user
        self._patterns = tuple(options.atoms.patterns)

    def tokens(self, text: str) -> Tokens:
        """Return the words of ``text``; see :meth:`segmenter.Segmenter.tokenize`."""
        models, user = self._models, self._user
        tagged = models.tagger is not None
        lexicon = models.lexicon if models.has_lexicon else None
        columns = _engine.tokens(
            self._engine,
            text,
            lexicon.meta["tags"] if lexicon is not None else [],
            lexicon.tag_numbers if lexicon is not None and not tagged else None,
            lexicon.known_tags if lexicon is not None else {},
            lexicon.tag if lexicon is not None else lambda word: "",
            SOURCES_OF_MODEL if tagged else SOURCES,
        )
        kinds, sources, tags, scores = columns.kinds, columns.sources, columns.tags, columns.scores
        starts, ends, numbers = columns.starts, columns.ends, columns.numbers
        if models.guesser is not None or models.subwords is not None:
            for i, kind in enumerate(kinds):
                if kind == _UNKNOWN and ends[i] - starts[i] > 1:
                    sources[i] = Source.MODEL
        of_user: dict[int, UserWord] = {}
        if user is not None:
            for i, kind in enumerate(kinds):
                if kind >= USER:
                    of_user[i] = entry = user.entry(kind - USER, numbers[i])
                    kinds[i] = 0
                    tags[i] = "" if entry.parts else entry.tag
                    scores[i] = None
                    sources[i] = Source.USER
        if self._patterns:
            for i, kind in enumerate(kinds):
                if kind == _PATTERN:
                    kinds[i] = len(KINDS) + numbers[i]
        return Tokens(
            text,
            starts,
            ends,
            kinds,
            tags,
            scores,
            sources,
            of_user,
            names=self._patterns,
            words=columns.words,
        )

    def tags(self, tokens: Tokens) -> list[str]:
        """Return a part of speech per token, by context; user words with a tag keep theirs."""
        from segmenter.tagging.pos import load as load_pos

        given: list[str | None] | None = None
        if self._user is not None and self._user.tagged:
            entries = map(tokens.entry, range(len(tokens)))
            given = [e.tag or None if e is not None and not e.parts else None for e in entries]
        return load_pos().tags(tokens.words, given)
