"""Fourth step: add special tokens around one text or a pair, and trim offsets.

A post-processor takes the :class:`TokenColumns` of one text, or of two, and returns one.
``config()`` and :func:`make` work as in :mod:`~segmenter.subword.normalise`.

>>> bert = Template("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", {"[CLS]": 1, "[SEP]": 2})
>>> a, b = TokenColumns("好", [7], [0], [1]), TokenColumns("的吗", [8, 9], [0, 1], [1, 2])
>>> bert(a).ids, bert(a, b).ids, bert(a, b).type_ids
([1, 7, 2], [1, 7, 2, 8, 9, 2], [0, 0, 0, 1, 1, 1])
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.subword.models import entries
from segmenter.subword.patterns import BLANKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Self


class TokenColumns:
    """The tokens of one text, or of a pair: columns of equal length.

    Attributes:
        text: the original text (the first text of a pair).
        ids: ids of the tokens.
        starts, ends: the tokens' spans in the original text, in code points; 0 and 0 for tokens
            that a post-processor adds.
        type_ids: 0, or 1 for the second text of a pair, unless a template says otherwise.
        special: 1 for tokens that a post-processor adds, otherwise 0.
        spelt: returns the piece of an id (None for an added token), to trim offsets by pieces, as
            ``tokenizers`` does; None: trim them by the text.
    """

    __slots__ = (
        "_sequences", "_spans", "_words", "ids", "special", "spelt", "text", "type_ids",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        ids: list[int],
        starts: list[int] | Callable[[], tuple[list[int], list[int]]],
        ends: list[int] | None = None,
        type_ids: list[int] | None = None,
        special: list[int] | None = None,
        spelt: Callable[[int], str | None] | None = None,
        words: Callable[[], list[int | None]] | None = None,
        sequences: Callable[[], list[int | None]] | None = None,
    ) -> None:
        self.text = text
        self.spelt = spelt
        self._words = words
        self._sequences = sequences
        self.ids = ids
        self._spans = starts if callable(starts) else (starts, ends or [])
        self.type_ids = [0] * len(ids) if type_ids is None else type_ids
        self.special = [0] * len(ids) if special is None else special

    @property
    def spans(self) -> tuple[list[int], list[int]]:
        """``starts`` and ``ends``, computed on first access, since ids alone need neither."""
        if callable(self._spans):
            self._spans = self._spans()
        return self._spans

    @property
    def starts(self) -> list[int]:
        return self.spans[0]

    @property
    def ends(self) -> list[int]:
        return self.spans[1]

    @property
    def words(self) -> list[int | None]:
        """For every token the number of the pre-tokeniser's span that it belongs to, or None."""
        return [None] * len(self.ids) if self._words is None else self._words()

    @property
    def sequences(self) -> list[int | None]:
        """For every token 0, or 1 if it is in the second text of a pair; None for added ones."""
        if self._sequences is not None:
            return self._sequences()
        return [None if added else 0 for added in self.special]

    @property
    def offsets(self) -> list[tuple[int, int]]:
        return list(zip(self.starts, self.ends, strict=True))

    def __add__(self, other: TokenColumns) -> TokenColumns:
        return TokenColumns(
            self.text,
            self.ids + other.ids,
            lambda: (self.starts + other.starts, self.ends + other.ends),
            None,
            self.type_ids + other.type_ids,
            self.special + other.special,
            self.spelt,
            lambda: self.words + other.words,
            lambda: self.sequences + other.sequences,
        )

    def second(self) -> TokenColumns:
        """The same tokens, marked as those of the second text of a pair."""
        tokens = self.aligned(lambda: self.spans)
        tokens._sequences = lambda: [None if number is None else 1 for number in self.sequences]
        return tokens

    def part(self, start: int, end: int) -> TokenColumns:
        if (start, end) == (0, len(self.ids)):
            return self
        part = slice(start, end)
        return TokenColumns(
            self.text,
            self.ids[part],
            lambda: (self.starts[part], self.ends[part]),
            None,
            self.type_ids[part],
            self.special[part],
            self.spelt,
            lambda: self.words[part],
            lambda: self.sequences[part],
        )

    def of_type(self, type_id: int) -> TokenColumns:
        """The same tokens, all of one type."""
        types = [type_id] * len(self.ids)
        return self.aligned(lambda: self.spans, types)

    def aligned(
        self, spans: Callable[[], tuple[list[int], list[int]]], type_ids: list[int] | None = None
    ) -> TokenColumns:
        """The same tokens with other spans, and optionally with other types."""
        types = self.type_ids if type_ids is None else type_ids
        return TokenColumns(
            self.text, self.ids, spans, None, types, self.special, self.spelt, self._words,
            self._sequences,
        )  # fmt: skip


class PostProcessor(entries.Step):
    """Base class of post-processors; joins the texts of a pair and adds no tokens."""

    family = "post_processor"

    def __call__(
        self, first: TokenColumns, second: TokenColumns | None = None, add_special: bool = True
    ) -> TokenColumns:
        """All tokens in one table.

        Args:
            first: the tokens of the text.
            second: those of the second text of a pair.
            add_special: False leaves special tokens out.
        """
        return first if second is None else first + second.of_type(1)

    def added(self, pair: bool) -> int:
        """The number of tokens added to a text, or to a pair."""
        empty = TokenColumns("", [], [], [])
        return len(self(empty, empty if pair else None).ids)


_ITEM = re.compile(r"(.+?)(?::(\d+))?\Z", re.S)


#: Tokens that a template may add to a text.
MOST_ADDED = 10_000


class Template(PostProcessor):
    """Special tokens at fixed places.

    Args:
        single: template for one text: ``$A`` is the text, everything else a special token; ``:1``
            after either sets its type.  Items are separated by blanks, or given as a list.
        pair: template for two texts, ``$A`` and ``$B``; None: ``single`` followed by ``$B:1``.
        special: id (or ids) of every special token.

    Raises:
        ArgumentError: a token without an id; a template without ``$A``, or for pairs ``$B``.
    """

    kind = "TemplateProcessing"

    def __init__(
        self,
        single: str | Iterable[str],
        pair: str | Iterable[str] | None,
        special: Mapping[str, int | Iterable[int]],
    ) -> None:
        self.special = {
            token: [ids] if isinstance(ids, int) else list(ids) for token, ids in special.items()
        }
        self.single = self._parse("single", single, "A")
        self.pair = [*self.single, ("$B", 1)] if pair is None else self._parse("pair", pair, "AB")

    @classmethod
    def of_entry(cls, entry: dict[str, Any], **context: Any) -> Self:
        def items(rows: list[dict[str, Any]]) -> list[str]:
            names = []
            for row in rows:
                ((kind, item),) = row.items()
                mark = "$" if kind == "Sequence" else ""
                names.append(f"{mark}{item['id']}:{item['type_id']}")
            return names

        special = {token: item["ids"] for token, item in entry.get("special_tokens", {}).items()}
        return cls(items(entry["single"]), items(entry["pair"]), special)

    def _parse(
        self, argument: str, template: str | Iterable[str], texts: str
    ) -> list[tuple[str, int]]:
        items: list[tuple[str, int]] = []
        for item in template.split() if isinstance(template, str) else template:
            match = _ITEM.match(item)
            name, type_id = match.groups() if match else (item, None)
            if name == "$" or (name.startswith("$") and name[1:].isdigit()):
                name, type_id = "$A", name[1:] or type_id
            if not name.startswith("$") and item in self.special:
                name, type_id = item, None
            if not name.startswith("$") and name not in self.special:
                raise ArgumentError(f"{argument}: {name!r} has no id in special: give it one")
            items.append((name, int(type_id or 0)))
        for text in texts:
            if sum(name == f"${text}" for name, _ in items) != 1:
                raise ArgumentError(f"{argument}: must contain ${text} exactly once")
        n_added = sum(len(self.special.get(name, ())) for name, _ in items)
        if n_added > MOST_ADDED:
            raise ArgumentError(
                f"{argument}: adds {n_added:,} tokens to a text; {MOST_ADDED:,} is the most"
            )
        return items

    def __call__(
        self, first: TokenColumns, second: TokenColumns | None = None, add_special: bool = True
    ) -> TokenColumns:
        columns = TokenColumns(first.text, [], [], [])
        for name, type_id in self.single if second is None else self.pair:
            if name == "$A":
                columns += first.of_type(type_id)
            elif name == "$B" and second is not None:
                columns += second.of_type(type_id)
            elif add_special and name in self.special:
                ids = self.special[name]
                zeros, ones = [0] * len(ids), [1] * len(ids)
                columns += TokenColumns("", ids, zeros, zeros, [type_id] * len(ids), ones)
        return columns

    def config(self) -> dict[str, Any] | None:
        def entries(rows: list[tuple[str, int]]) -> list[dict[str, Any]]:
            return [
                {"Sequence": {"id": name[1:], "type_id": t}}
                if name.startswith("$")
                else {"SpecialToken": {"id": name, "type_id": t}}
                for name, t in rows
            ]

        return {
            "type": self.kind,
            "single": entries(self.single),
            "pair": entries(self.pair),
            "special_tokens": {
                token: {"id": token, "ids": ids, "tokens": [token] * len(ids)}
                for token, ids in self.special.items()
            },
        }


@dataclass(eq=False, repr=False)
class _Separated(Template):
    """A token in front of the text and a separator after it; subclasses define the rest."""

    sep: tuple[str, int]
    cls: tuple[str, int]

    def __post_init__(self) -> None:
        (sep, number), (cls, first) = self.sep, self.cls
        self.sep, self.cls = (sep, number), (cls, first)
        single = [cls, "$A", sep]
        super().__init__(single, [*single, *self._after(sep)], {cls: first, sep: number})

    @classmethod
    def of_entry(cls, entry: dict[str, Any], **context: Any) -> Self:
        return super(Template, cls).of_entry(entry)  # its fields, not a template's items

    def _after(self, sep: str) -> list[str]:
        """The items after the separator in a pair."""
        raise NotImplementedError

    def config(self) -> dict[str, Any] | None:
        return PostProcessor.config(self)


class Bert(_Separated):
    """``[CLS] $A [SEP] $B [SEP]``, the second text of type 1 (Devlin et al. 2019).

    Args:
        sep: the separator and its id.
        cls: the first token and its id.
    """

    kind = "BertProcessing"

    def _after(self, sep: str) -> list[str]:
        return ["$B:1", f"{sep}:1"]


class _Trimming(PostProcessor):
    """Trims blanks at both ends of a token from its offsets, then calls the next base class."""

    trim_offsets: bool
    add_prefix_space: bool

    def __call__(
        self, first: TokenColumns, second: TokenColumns | None = None, add_special: bool = True
    ) -> TokenColumns:
        if self.trim_offsets:
            first = _trimmed(first, self.add_prefix_space)
            second = None if second is None else _trimmed(second, self.add_prefix_space)
        return super().__call__(first, second, add_special)


def _trimmed(columns: TokenColumns, prefixed: bool) -> TokenColumns:
    if columns.spelt is None:
        return columns.aligned(lambda: _by_text(columns))
    spelt = columns.spelt
    return columns.aligned(lambda: _by_pieces(columns, spelt, prefixed))


def _by_text(columns: TokenColumns) -> tuple[list[int], list[int]]:
    starts, ends = [], []
    for start, end in columns.offsets:
        while start < end and columns.text[start].isspace():
            start += 1
        while start < end and columns.text[end - 1].isspace():
            end -= 1
        starts.append(start)
        ends.append(end)
    return starts, ends


def _by_pieces(
    columns: TokenColumns, spelt: Callable[[int], str | None], prefixed: bool
) -> tuple[list[int], list[int]]:
    """As in ``tokenizers``, where only ``Ġ`` counts, and blanks in added tokens; a single one at
    the beginning of the text is kept, since it may have been prepended (``add_prefix_space``)."""
    blanks = "\u0120" + BLANKS
    starts, ends = [], []
    for i, (number, (start, end)) in enumerate(zip(columns.ids, columns.offsets, strict=True)):
        known_piece = spelt(number)
        piece = columns.text[start:end] if known_piece is None else known_piece
        leading = len(piece) - len(piece.lstrip(blanks))
        trailing = len(piece) - len(piece.rstrip(blanks))
        if leading:
            if prefixed and leading == 1 and (not i or not start):
                leading = 0
            start = min(start + leading, end)
        if trailing and end >= trailing:
            end = max(end - trailing, start)
        starts.append(start)
        ends.append(end)
    return starts, ends


@dataclass(eq=False, repr=False)
class ByteLevel(_Trimming):
    """Trims blanks at both ends of a token from its offsets, if ``trim_offsets`` is set."""

    kind = "ByteLevel"

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = True


@dataclass(eq=False, repr=False)
class Roberta(_Trimming, _Separated):
    """``<s> $A </s> </s> $B </s>``, all of type 0 (Liu et al. 2019).

    Args:
        sep: the separator and its id.
        cls: the first token and its id.
        trim_offsets: see :class:`ByteLevel`.
        add_prefix_space: whether a blank was put in front of the text.
    """

    kind = "RobertaProcessing"

    trim_offsets: bool = True
    add_prefix_space: bool = True

    def _after(self, sep: str) -> list[str]:
        return [sep, "$B", sep]


class Sequence(entries.Sequence[PostProcessor], PostProcessor):
    """Applies post-processors in order; all but the last process each text separately."""

    inner = "processors"

    def __call__(
        self, first: TokenColumns, second: TokenColumns | None = None, add_special: bool = True
    ) -> TokenColumns:
        if not self.steps:
            return PostProcessor.__call__(self, first, second, add_special)
        for step in self.steps[:-1]:
            first = step(first, None, add_special)
            second = None if second is None else step(second, None, add_special)
        return self.steps[-1](first, second, add_special)


make = PostProcessor.read
