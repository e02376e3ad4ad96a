"""The parts of a Tokenizer, its vocabulary, and the methods that change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from segmenter.errors import ArgumentError
from segmenter.subword import decode, normalise, postprocess, pretokenise
from segmenter.subword.added import AddedToken, AddedTokens
from segmenter.subword.aligned import Aligned
from segmenter.subword.lengths import Padding, Truncation
from segmenter.subword.models.bpe import BPE
from segmenter.subword.models.model import BYTE_OF_PIECE, CHAR_TO_BYTE, to_bytes
from segmenter.subword.parts import LIBRARIES, Parts, decoder_of
from segmenter.subword.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from segmenter.kernels._subword import Subwords
    from segmenter.subword.added import Specials
    from segmenter.subword.models.model import Model
    from segmenter.subword.parts import Library

_Value = TypeVar("_Value")


class Made:
    """The parts of a Tokenizer; see :class:`~segmenter.subword.Tokenizer` for the arguments."""

    def __init__(
        self,
        model: Model,
        *,
        normaliser: normalise.Normaliser | None = None,
        pretokeniser: pretokenise.PreTokeniser | None = None,
        postprocessor: postprocess.PostProcessor | None = None,
        decoder: decode.Decoder | None = None,
        added: Iterable[AddedToken] = (),
        allowed: Specials = (),
        meta: Mapping[str, Any] | None = None,
        name: str = "<Tokenizer>",
        library: Library | None = None,
        truncation: Truncation | None = None,
        padding: Padding | None = None,
    ) -> None:
        self.model = model
        self.truncation = truncation
        self.padding = padding
        if library not in LIBRARIES:
            raise ArgumentError(
                f"library: {library!r} is not one of tokenizers, sentencepiece, None"
            )
        self.library = library
        self.normaliser = normaliser or normalise.Identity()
        self.pretokeniser = pretokeniser or pretokenise.PreTokeniser()
        self.postprocessor = postprocessor or postprocess.PostProcessor()
        self.decoder = decoder or decoder_of(model)
        self.meta: Mapping[str, Any] = dict(meta or {})
        self.name = name
        self._digest: str | None = None
        self._take_added(added, allowed)

    def _take_added(self, added: Iterable[AddedToken], allowed: Specials) -> None:
        model, foreign = self.model, self.library == "tokenizers"
        tokens = AddedTokens(added, model, self._normalised, foreign=foreign)
        self.added = tokens.tokens
        self._added = tokens
        self.allowed = tokens.chosen("allowed", allowed)
        self._digest = None
        texts = _Remembered(lambda number: tokens.texts.get(number) or model.piece_of(number))
        self._texts = texts
        self._bytes = _Remembered(lambda number: decode.bytes_of(texts[number]))
        self._steps = Steps(
            model,
            self.normaliser,
            self.pretokeniser,
            self.postprocessor,
            tokens,
            self.allowed,
            self.library,
        )

    def _normalised(self, text: str) -> str:
        return self.normaliser(Aligned(text)).text or text

    def _parts(self) -> Parts:
        return Parts._make(getattr(self, name) for name in Parts._fields)

    @property
    def native(self) -> Subwords | None:
        """The compiled model; None: it has more characters than can be compiled."""
        return self.model.kernel

    # --- the vocabulary --------------------------------------------------------------------------

    @property
    def vocab_size(self) -> int:
        """The largest id plus one."""
        return max(self.model.size, max(self._added.pieces, default=-1) + 1)

    def id_of(self, piece: str) -> int | None:
        """The id of a piece or added token; None if there is none."""
        found = self._added.ids.get(piece)
        return self.model.id_of(piece) if found is None else found

    def piece_of(self, number: int) -> str:
        """The piece or added token with an id.

        Raises:
            ArgumentError: no piece has this id.
        """
        found = self._added.pieces.get(number)
        return self.model.piece_of(number) if found is None else found

    def bytes_of(self, number: int) -> bytes:
        """The UTF-8 bytes of the piece with an id; a byte-level piece may be part of a character.

        The marks of a model (``▁``, ``##``, ``</w>``) are kept as written.

        Raises:
            ArgumentError: no piece has this id.
        """
        added = self._added.pieces.get(number)
        if added is not None:
            return to_bytes(added)
        piece = self.model.piece_of(number)
        if isinstance(self.model, BPE) and self.model.byte_level:
            found = [CHAR_TO_BYTE.get(c) for c in piece]
            return to_bytes(piece) if None in found else bytes(b or 0 for b in found)
        byte = BYTE_OF_PIECE.get(piece) if self.model.closed else None
        return to_bytes(piece) if byte is None else bytes([byte])

    @property
    def closed(self) -> bool:
        """Whether every text can be encoded: nothing is ever unknown or left out."""
        return self.model.closed

    # --- names of tokenizers ---------------------------------------------------------------------

    def __len__(self) -> int:
        return self.get_vocab_size()

    def __bool__(self) -> bool:
        return True

    def token_to_id(self, token: str) -> int | None:
        """:meth:`id_of`."""
        return self.id_of(token)

    def id_to_token(self, id: int) -> str | None:
        """:meth:`piece_of`, but None if no piece has the id."""
        return self._added.pieces.get(id, self.model.at(id))

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """A dict from piece to id."""
        return {**self.model.vocab, **(self._added.ids if with_added_tokens else {})}

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """The number of pieces."""
        return len(self.get_vocab(with_added_tokens))

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """A dict from id to added token."""
        return {token.id: token for token in sorted(self.added, key=lambda token: token.id)}

    def add_tokens(self, tokens: Iterable[str | AddedToken]) -> int:
        """Add tokens that are recognised in every text.

        Existing pieces keep their ids; new tokens get ids after the last one.

        Args:
            tokens: their text, or :class:`AddedToken` (whose id is ignored).

        Returns:
            How many are new.
        """
        return self._add(tokens, special=False)

    def add_special_tokens(self, tokens: Iterable[str | AddedToken]) -> int:
        """:meth:`add_tokens` for special tokens, which are recognised only if the caller allows."""
        return self._add(tokens, special=True)

    def _add(self, tokens: Iterable[str | AddedToken], special: bool) -> int:
        known = {token.content: token for token in self.added}
        free, new = self.vocab_size, 0
        # until now all special tokens were allowed, or a foreign file had none
        whole = self.library == "tokenizers" and self.allowed == self._added.specials
        for token in tokens:
            if isinstance(token, str):
                token = AddedToken(token, 0, special, normalized=not special)
            number = self.id_of(token.content)
            if number is None:
                number, free = free, free + 1
            new += token.content not in known
            known[token.content] = token._replace(id=number, special=special or token.special)
        specials = {token.content for token in known.values() if token.special}
        self._take_added(known.values(), "all" if whole else self.allowed & specials)
        return new

    def enable_truncation(
        self,
        max_length: int,
        stride: int = 0,
        strategy: str = "longest_first",
        direction: str = "right",
    ) -> None:
        """Truncate to ``max_length`` tokens from now on; see :class:`~.lengths.Truncation`."""
        self.truncation = Truncation(max_length, stride, strategy, direction)
        self._digest = None

    def no_truncation(self) -> None:
        """Stop truncating."""
        self.truncation = self._digest = None

    def enable_padding(
        self,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
    ) -> None:
        """Pad to ``length`` from now on, or to the longest text of a batch; see
        :class:`~.lengths.Padding`."""
        self.padding = Padding(
            length, pad_to_multiple_of, pad_id, pad_type_id, pad_token, direction
        )
        self._digest = None

    def no_padding(self) -> None:
        """Stop padding."""
        self.padding = self._digest = None


class _Remembered(dict[int, _Value]):
    """Values by number, computed on first access."""

    def __init__(self, make: Callable[[int], _Value]) -> None:
        self._make = make

    def __missing__(self, number: int) -> _Value:
        found = self[number] = self._make(number)
        return found
