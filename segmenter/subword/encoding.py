"""The result of :meth:`Tokenizer.encode <segmenter.subword.Tokenizer.encode>`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

    from segmenter.subword.lengths import Padding
    from segmenter.subword.postprocess import TokenColumns
    from segmenter.subword.steps import Steps


_Value = TypeVar("_Value")


_NO_PADDING = (0, 0, None)  # tokens added on the left and on the right, and the Padding


class Encoding(Sequence[int]):
    """The tokens of a text: a sequence of ids, and columns of the same length.

    Attributes:
        text: the text as given (the first text of a pair).
        ids: the ids, as int.
        type_ids: 0, or 1 for the second text of a pair.
        special_tokens_mask: 1 for tokens that the post-processor adds, and for padding.
        attention_mask: 0 for padding, otherwise 1.
    """

    __slots__ = ("_overflowing", "_padding", "_source", "_steps", "ids", "text")

    def __init__(
        self,
        steps: Steps,
        text: str,
        ids: list[int],
        columns: TokenColumns | Callable[[], TokenColumns] | bool,
    ) -> None:
        # most callers need only the ids, so the other columns are computed on first access
        self.text = text
        self.ids = ids
        self._steps = steps
        self._source = columns  # a bool: compute them, with or without special tokens
        self._padding: tuple[int, int, Padding | None] = _NO_PADDING
        self._overflowing: Sequence[Encoding] | Callable[[], list[Encoding]] = ()

    @property
    def overflowing(self) -> list[Encoding]:
        """The tokens that truncation cut off, as encodings of the same length, each of which begins
        with the last ``stride`` tokens of the previous one."""
        if callable(self._overflowing):
            self._overflowing = self._overflowing()
        return list(self._overflowing)

    @property
    def _columns(self) -> TokenColumns:
        source = self._source
        if isinstance(source, bool):
            source = self._source = self._steps.one_by_one(self.text, source)
        elif callable(source):
            source = self._source = source()
        return source

    @property
    def type_ids(self) -> list[int]:
        padding = self._padding[2]
        return self._pad_column(self._columns.type_ids, padding.pad_type_id if padding else 0)

    @property
    def special_tokens_mask(self) -> list[int]:
        return self._pad_column(self._columns.special, 1)

    @property
    def attention_mask(self) -> list[int]:
        left, right, _ = self._padding
        return self._pad_column([1] * (len(self.ids) - left - right), 0)

    def _pad_column(self, column: list[_Value], value: _Value) -> list[_Value]:
        n_left, n_right, _ = self._padding
        return [value] * n_left + column + [value] * n_right

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """(start, end) of each token, in code points of the text as given.

        Tokens that contain some bytes of a character cover all of it.  Padding and the tokens that
        the post-processor adds have (0, 0).
        """
        return self._pad_column(self._columns.offsets, (0, 0))

    @property
    def tokens(self) -> list[str]:
        """The pieces as the vocabulary writes them."""
        left, right, padding = self._padding
        ids = self.ids[left : len(self.ids) - right]
        pieces = [*map(self._steps.piece_of, ids)]
        return self._pad_column(pieces, padding.pad_token if padding else "")

    @property
    def word_ids(self) -> list[int | None]:
        """For each token the number of the pre-tokeniser's span, or of the added token, that it
        belongs to; None for padding and for tokens that the post-processor adds."""
        return self._pad_column(self._columns.words, None)

    words = word_ids

    @property
    def sequence_ids(self) -> list[int | None]:
        """For each token 0, or 1 if it is in the second text of a pair; None as in
        :attr:`word_ids`."""
        return self._pad_column(self._columns.sequences, None)

    @property
    def n_sequences(self) -> int:
        """1, or 2 for a pair."""
        return 2 if 1 in self._columns.sequences else 1

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The first token that covers a character; None if there is none.

        Args:
            char_pos: the character's index in the text.
            sequence_index: 0, or 1 for the second text of a pair.
        """
        rows = zip(self.offsets, self.sequence_ids, strict=True)
        for i, ((a, b), sequence) in enumerate(rows):
            if sequence == sequence_index and a <= char_pos < b:
                return i
        return None

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        """(start, end) of a token; None for padding and for tokens of the post-processor."""
        in_text = self.sequence_ids[token_index] is not None
        return self.offsets[token_index] if in_text else None

    def token_to_word(self, token_index: int) -> int | None:
        return self.word_ids[token_index]

    def token_to_sequence(self, token_index: int) -> int | None:
        return self.sequence_ids[token_index]

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The word of a character; None if no token covers it."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.word_ids[token]

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """(first, last + 1) of the tokens of a word; None if it has none."""
        rows = zip(self.word_ids, self.sequence_ids, strict=True)
        tokens = [i for i, row in enumerate(rows) if row == (word_index, sequence_index)]
        return (tokens[0], tokens[-1] + 1) if tokens else None

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """(start, end) of a word in the text; None if it has no tokens."""
        tokens = self.word_to_tokens(word_index, sequence_index)
        if tokens is None:
            return None
        return self.offsets[tokens[0]][0], self.offsets[tokens[1] - 1][1]

    def padded(self, length: int, padding: Padding) -> Encoding:
        """The same encoding, padded to a length."""
        added = max(0, length - len(self.ids))
        if not added and not self._overflowing:
            return self
        added_left = added if padding.direction == "left" else 0
        ids = [padding.pad_id] * added_left + self.ids + [padding.pad_id] * (added - added_left)
        encoding = Encoding(self._steps, self.text, ids, self._source)
        n_left, n_right, _ = self._padding
        encoding._padding = (n_left + added_left, n_right + added - added_left, padding)
        if self._overflowing:
            encoding._overflowing = lambda: [e.padded(length, padding) for e in self.overflowing]
        return encoding

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        return self.ids[index]

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Encoding):
            return (self.ids, self.offsets, self.type_ids) == (
                other.ids,
                other.offsets,
                other.type_ids,
            )
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Encoding({self.tokens!r})"
