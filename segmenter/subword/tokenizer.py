"""The Tokenizer: the four steps, special tokens, offsets, the way back, and one file for all.

>>> from segmenter import load
>>> texts = ["他说的确实在理", "他在说理", "确实在理"]
>>> t = Tokenizer.train_from_iterator(texts, segmenter=load("fast"), vocab_size=300)
>>> encoding = t.encode("他确实说€5")
>>> encoding.tokens
['他', '确实', '说', '<0xE2>', '<0x82>', '<0xAC>', '<0x35>']
>>> encoding.offsets
[(0, 1), (1, 3), (3, 4), (4, 5), (4, 5), (4, 5), (5, 6)]
>>> t.decode(encoding)
'他确实说€5'
"""

from __future__ import annotations

import os
from array import array
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from segmenter import artifact, resources
from segmenter.choices import checked_threads
from segmenter.errors import ArgumentError, ArtifactError, SegmenterError, wrong_type
from segmenter.subword import (
    decode,
    entries,
    lengths,
    normalise,
    postprocess,
    pretokenise,
    scanning,
)
from segmenter.subword.added import AddedToken, Finder
from segmenter.subword.aligned import Aligned
from segmenter.subword.bpe import BPE
from segmenter.subword.encoding import Encoding, numbered
from segmenter.subword.lengths import Padding, Truncation
from segmenter.subword.model import BYTE_OF_PIECE, CHAR_TO_BYTE, from_bytes, to_bytes
from segmenter.subword.postprocess import Columns
from segmenter.subword.unigram import Unigram
from segmenter.subword.wordlevel import WordLevel
from segmenter.subword.wordpiece import WordPiece

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from random import Random
    from typing import Any, Literal

    from numpy.typing import NDArray

    from segmenter.files import File
    from segmenter.kernels._face import TextPipeline
    from segmenter.subword.model import Model
    from segmenter.subword.pretokenise import Cutter
    from segmenter.subword.streaming import Stream

    Library = Literal["tokenizers", "sentencepiece"]
    Specials = Literal["all"] | Collection[str]
    # a part of the text, and what gives where its tokens begin and end (None: it is one token)
    # and the spans that were cut into them
    _Row = tuple[
        Aligned,
        Callable[[], tuple[list[int], list[int]]] | None,
        Callable[[], list[tuple[int, int]]],
    ]

_Value = TypeVar("_Value")
KIND = "subword"
LIBRARIES = (None, "tokenizers", "sentencepiece")
#: The file of a folder written by :meth:`Tokenizer.save_pretrained`.
PRETRAINED = "segmenter-tokenizer.model"
REMEDY = "train it again with `segmenter subword train ...` or reinstall segmenter-zh"


class Tokenizer:
    """A model and the steps around it.  Shared by any number of threads; only what is named as in
    ``tokenizers`` changes it (``add_tokens``, ``enable_padding``, …): call that before they run.

    Args:
        model: a :class:`~segmenter.subword.BPE`, ``WordPiece`` or ``Unigram``.
        normaliser: default the identity.
        pretokeniser: default none, a text is one span.
        postprocessor: default none.
        decoder: default the one that the model's pieces need.
        added: added and special tokens.
        allowed: special tokens that :meth:`encode` finds in a text where its caller says nothing:
            none by default, they are ordinary text; ``"all"`` as in Hugging Face ``tokenizers``.
        meta: what the file says of itself (corpus, options, seed).
        name: what error messages call it.
        library: do as this library does where ours differs.  ``"tokenizers"``: a ``▁`` that was put
            before a text covers the text's first character (ours: nothing), one that several
            blanks became covers the last of them, and so on (ours: all that it came from); added
            tokens are decoded like pieces (ours: they stand for themselves).  ``"sentencepiece"``:
            a token covers what lies between the place where it begins and the place where the
            next one does; of the bytes of a character the last covers it, the others nothing.
        truncation, padding: what is done to the tokens of a text, or of a batch; default nothing.
    """

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
        self.truncation = None if truncation is None else truncation.checked()
        self.padding = None if padding is None else padding.checked()
        if library not in LIBRARIES:
            raise ArgumentError(
                f"library: {library!r} is not one of tokenizers, sentencepiece, None"
            )
        self.library = library
        self.normaliser = normaliser or normalise.Identity()
        self.pretokeniser = pretokeniser or pretokenise.PreTokeniser()
        cuts = self.pretokeniser.cuts()
        self._scanner = None if cuts is None else scanning.scanner(cuts)
        self.postprocessor = postprocessor or postprocess.PostProcessor()
        self.decoder = decoder or decoder_of(model)
        self.meta: Mapping[str, Any] = dict(meta or {})
        self.name = name
        self._digest: str | None = None
        self._take_added(added)
        self.allowed = self._chosen("allowed", allowed)

    def _take_added(self, added: Iterable[AddedToken]) -> None:
        model = self.model
        self.added = tuple(added)
        self._digest = None
        self._added_ids: dict[str, int] = {}
        self._added_pieces: dict[int, str] = {}
        for token in self.added:
            if not token.content:
                raise ArgumentError("added: a token must not be empty")
            if self._added_pieces.get(token.id, token.content) != token.content:
                raise ArgumentError(
                    f"added: the id {token.id} stands for {self._added_pieces[token.id]!r} and "
                    f"{token.content!r}"
                )
            other = model.at(token.id)
            if other not in (None, token.content):
                raise ArgumentError(f"added: {token.content!r} has the id of the piece {other!r}")
            self._added_ids[token.content] = token.id
            self._added_pieces[token.id] = token.content
        self._specials = frozenset(token.content for token in self.added if token.special)
        self._added_texts: dict[int, str] = {}  # what stands for them when they are decoded
        for token in self.added:
            text = token.content
            if self.library == "tokenizers":
                # there one that is sought in normalised text is kept as that has it
                text = self._normalised(text) if token.normalized else text
            else:
                text = decode.Added(text)
            self._added_texts[token.id] = text
        self._special_ids = frozenset(
            number for number, text in self._added_texts.items() if text in self._specials
        )
        added_texts = self._added_texts
        texts = _Remembered(lambda number: added_texts.get(number) or model.piece_of(number))
        self._texts = texts
        self._bytes = _Remembered(lambda number: decode.bytes_of(texts[number]))
        self._finders: dict[tuple[frozenset[str], bool], Finder | None] = {}
        self._native: TextPipeline | None = None
        self._native_tried = False

    # --- the vocabulary --------------------------------------------------------------------------

    @property
    def vocab_size(self) -> int:
        """One more than the largest id."""
        return max(self.model.size, max(self._added_pieces, default=-1) + 1)

    def id_of(self, piece: str) -> int | None:
        """The id of a piece or added token, None where there is none."""
        found = self._added_ids.get(piece)
        return self.model.id_of(piece) if found is None else found

    def piece_of(self, number: int) -> str:
        """The piece or added token of an id.

        Raises:
            ArgumentError: nothing has this id.
        """
        found = self._added_pieces.get(number)
        return self.model.piece_of(number) if found is None else found

    def bytes_of(self, number: int) -> bytes:
        """The UTF-8 bytes that an id stands for; of byte-level pieces perhaps half a character.

        The marks of a model (``▁``, ``##``, ``</w>``) stand as they are written.

        Raises:
            ArgumentError: nothing has this id.
        """
        added = self._added_pieces.get(number)
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
        """Whether every text there is has tokens: nothing is ever unknown or left out."""
        return self.model.closed

    @property
    def digest(self) -> str:
        """Identity of the content, 64 hexadecimal digits: that of the file it is saved in."""
        if self._digest is None:
            self._digest = artifact.from_bytes(self.to_bytes()).digest
        return self._digest

    # --- names of tokenizers ---------------------------------------------------------------------

    def __len__(self) -> int:
        return self.get_vocab_size()

    def __bool__(self) -> bool:
        return True

    def token_to_id(self, token: str) -> int | None:
        """:meth:`id_of`."""
        return self.id_of(token)

    def id_to_token(self, id: int) -> str | None:
        """:meth:`piece_of`; None where nothing has the id."""
        return self._added_pieces.get(id, self.model.at(id))

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Piece to id."""
        return {**self.model.vocab, **(self._added_ids if with_added_tokens else {})}

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """How many pieces there are."""
        return len(self.get_vocab(with_added_tokens))

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """Id to added token."""
        return {token.id: token for token in sorted(self.added, key=lambda token: token.id)}

    def add_tokens(self, tokens: Iterable[str | AddedToken]) -> int:
        """Adds tokens that are found in every text, after the last id; pieces keep theirs.

        Args:
            tokens: their text, or :class:`AddedToken` (whose id does not count).

        Returns:
            How many are new.
        """
        return self._add(tokens, special=False)

    def add_special_tokens(self, tokens: Iterable[str | AddedToken]) -> int:
        """:meth:`add_tokens` that are special: found where the caller allows it."""
        return self._add(tokens, special=True)

    def _add(self, tokens: Iterable[str | AddedToken], special: bool) -> int:
        known = {token.content: token for token in self.added}
        free, new = self.vocab_size, 0
        whole = self.allowed == self._specials
        for token in tokens:
            if isinstance(token, str):
                token = AddedToken(token, 0, special, normalized=not special)
            number = self.id_of(token.content)
            if number is None:
                number, free = free, free + 1
            new += token.content not in known
            known[token.content] = token._replace(id=number, special=special or token.special)
        self._take_added(known.values())
        # where all special tokens were found so far, or there were none in a foreign file
        if whole and self.library == "tokenizers":
            self.allowed = self._specials
        self._native_tried = False
        return new

    def enable_truncation(
        self,
        max_length: int,
        stride: int = 0,
        strategy: str = "longest_first",
        direction: str = "right",
    ) -> None:
        """From now on no more tokens than ``max_length``; see :class:`~.lengths.Truncation`."""
        self.truncation = Truncation(max_length, stride, strategy, direction).checked()
        self._digest = None

    def no_truncation(self) -> None:
        """From now on all tokens."""
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
        """From now on texts are filled up to ``length``, or to the longest of a batch; see
        :class:`~.lengths.Padding`."""
        made = Padding(length, pad_to_multiple_of, pad_id, pad_type_id, pad_token, direction)
        self.padding = made.checked()
        self._digest = None

    def no_padding(self) -> None:
        """From now on nothing is filled up."""
        self.padding = self._digest = None

    # --- text to tokens --------------------------------------------------------------------------

    def encode(
        self,
        text: str,
        pair: str | None = None,
        *,
        add_special: bool = True,
        allowed: Specials | None = None,
        refused: Specials = (),
    ) -> Encoding:
        """The tokens of a text, or of a pair.

        Args:
            text: any str.
            pair: a second text.
            add_special: whether the post-processor adds its tokens.
            allowed: special tokens that are found where ``text`` spells them; ``"all"``, a
                collection, None: the Tokenizer's own choice.
            refused: special tokens that ``text`` must not spell; ``"all"`` means all that are not
                allowed.  What is neither is ordinary text.

        Raises:
            ArgumentError: the text spells a refused token (its place is named); a name that is no
                special token.
            TypeError: ``text`` is not a str.
        """
        if allowed is None and pair is None and not refused and type(text) is str:
            ids = self._at_once(text, add_special)
            if ids is not None:
                frozen = self._frozen
                return Encoding(text, ids, lambda: frozen._later(text, add_special), self.piece_of)
        chosen = self.allowed if allowed is None else self._chosen("allowed", allowed)
        barred: frozenset[str] = frozenset()
        if refused == "all":
            barred = self._specials - chosen
        elif refused:
            barred = self._chosen("refused", refused)
        first = self._columns("text", text, chosen, barred)
        second = None if pair is None else self._columns("pair", pair, chosen, barred).second()
        rows = [(first, second)]
        if self.truncation is not None:
            rows = self._windows(self.truncation, first, second, add_special)
        made, *others = [self._encoding(*row, add_special) for row in rows]
        made.overflowing = others
        if self.padding is not None:
            return made.padded(self.padding.length([len(made)]), self.padding)
        return made

    def _encoding(self, first: Columns, second: Columns | None, add_special: bool) -> Encoding:
        columns = self.postprocessor(first, second, add_special)
        return Encoding(columns.text, columns.ids, columns, self.piece_of)

    def _can_at_once(self) -> bool:
        """Whether the kernel knows all steps (texts may still need them one by one)."""
        if self.truncation is not None or self.padding is not None:
            return False
        if not self._native_tried:
            self._make_native()
        return self._native is not None

    def _at_once(self, text: str, add_special: bool) -> list[int] | None:
        """The ids by one call of the kernel; None where the steps are to be taken one by one."""
        if not self._can_at_once() or self._native is None:
            return None
        try:
            return self._native.ids(text, add_special)
        except RuntimeError as e:  # a pattern went back over the text too often
            raise ArgumentError(str(e)) from None

    def _by_steps(self, text: str, add_special: bool) -> list[int]:
        return self._later(text, add_special).ids

    def _native_batch(
        self, texts: list[Any], add_special: bool, threads: int, *, arrays: bool
    ) -> Any:
        """The ids of many texts by the kernel: lists, or one array with offsets."""
        assert self._native is not None
        repair = partial(self._by_steps, add_special=add_special)
        try:
            return self._native.batch(texts, add_special, threads, arrays, repair)
        except RuntimeError as e:  # a pattern went back over the text too often
            raise ArgumentError(str(e)) from None

    def _batch(self, texts: list[Any], add_special: bool, threads: int) -> list[Encoding]:
        rows = self._native_batch(texts, add_special, threads, arrays=False)
        frozen, piece_of = self._frozen, self.piece_of
        return [
            Encoding(text, ids, partial(frozen._later, text, add_special), piece_of)
            for text, ids in zip(texts, rows, strict=True)
        ]

    def encode_arrays(
        self, texts: Iterable[str], *, add_special: bool = True, threads: int = 1
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The ids of many texts as two NumPy arrays, with no Python object per token.

        Args:
            texts: any number of str.
            add_special: whether the post-processor adds its tokens.
            threads: native threads.

        Returns:
            ``(ids, offsets)``: int32 of shape (tokens,), int64 of shape (texts + 1,).  Text ``i``
            has the ids from ``offsets[i]`` to ``offsets[i + 1]``.

        Raises:
            TypeError: ``texts`` is itself a str, or one of them is none.
            ArgumentError: ``threads`` is no number from 1 to 256.

        >>> from segmenter import subword
        >>> ids, offsets = subword.load("bpe").encode_arrays(["我们", "我们的"])
        >>> ids.dtype, offsets.tolist()
        (dtype('int32'), [0, 1, 3])
        """
        import numpy as np

        if isinstance(texts, (str, bytes)):
            raise wrong_type("texts", texts, "an iterable of str")
        threads, texts = checked_threads(threads), list(texts)
        for text in texts:
            if not isinstance(text, str):
                raise wrong_type("texts", text, "an iterable of str")
        if self._can_at_once() and self._native is not None:
            found: tuple[NDArray[Any], NDArray[Any]] = self._native_batch(
                texts, add_special, threads, arrays=True
            )
            return found
        rows = [one.ids for one in self.encode_batch(texts, add_special=add_special)]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        return np.array([number for row in rows for number in row], np.int32), offsets

    def encode_arrow(self, column: Any, *, add_special: bool = True, threads: int = 1) -> Any:
        """The ids of a column of texts: a ``pyarrow.LargeListArray`` of int32; null stays null.

        Args:
            column: a ``pyarrow.Array`` or ``ChunkedArray`` of strings.
            add_special, threads: see :meth:`encode_arrays`.

        Raises:
            ImportError: pyarrow is not installed.
            TypeError: the column is not of strings.
        """
        import numpy as np
        import pyarrow as pa

        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            raise wrong_type("column", column, "a column of strings")
        rows = column.to_pylist()
        ids, offsets = self.encode_arrays(
            [row or "" for row in rows], add_special=add_special, threads=threads
        )
        gone = np.array([row is None for row in rows], bool)
        mask = pa.array(gone) if gone.any() else None
        return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(ids), mask=mask)

    def _make_native(self) -> None:
        from segmenter.subword.native import pipeline

        found = self._finder(self.allowed, False) if self.added else None
        normalised = self._finder(self.allowed, True) if self.added else None
        steps = self.normaliser, self.pretokeniser, self.postprocessor
        self._native = pipeline(self.model, *steps, found, normalised)
        # what an Encoding asks for later is of the Tokenizer as it is now
        self._frozen = object.__new__(type(self))
        self._frozen.__dict__.update(self.__dict__)
        self._native_tried = True

    def _later(self, text: str, add_special: bool) -> Columns:
        columns = self._columns("text", text, self.allowed, frozenset())
        return self.postprocessor(columns, None, add_special)

    def _windows(
        self, how: Truncation, first: Columns, second: Columns | None, add_special: bool
    ) -> list[tuple[Columns, Columns | None]]:
        """The tokens that are kept, and behind them those that are cut off, in windows of the same
        length that overlap by ``stride``."""
        added = self.postprocessor.added(second is not None) if add_special else 0
        sizes = how.lengths(len(first.ids), None if second is None else len(second.ids), added)
        firsts = [first.part(*row) for row in how.windows(len(first.ids), sizes[0])]
        if second is None or sizes[1] is None:
            return [(one, None) for one in firsts]
        seconds = [second.part(*row) for row in how.windows(len(second.ids), sizes[1])]
        return [
            (firsts[0], seconds[0]),
            *((one, other) for one in firsts[1:] for other in seconds),
            *((firsts[0], other) for other in seconds[1:]),
        ]

    def encode_ids(self, text: str) -> list[int]:
        """``encode(text).ids``, faster where nothing but ids need be kept track of."""
        ids = self._at_once(text, True) if type(text) is str else None
        return self.encode(text).ids if ids is None else ids

    def _finds(self, text: str, allowed: frozenset[str], normalised: bool) -> bool:
        """Whether an added token occurs in a text."""
        finder = self._finder(allowed, normalised) if self.added else None
        return finder is not None and finder.stands_in(text)

    def encode_batch(
        self,
        texts: Iterable[str | tuple[str, str]],
        *,
        add_special: bool = True,
        allowed: Specials | None = None,
        refused: Specials = (),
        threads: int = 1,
    ) -> list[Encoding]:
        """:meth:`encode` for each text, or pair of texts; padded to the longest where the Tokenizer
        pads.

        Args:
            texts: str, or pairs of str.
            add_special, allowed, refused: see :meth:`encode`.
            threads: native threads, for texts without pairs that are neither cut nor filled up.

        Raises:
            TypeError: ``texts`` is itself a str.
            ArgumentError: ``threads`` is no number from 1 to 256; see :meth:`encode`.
        """
        if isinstance(texts, (str, bytes)):
            raise wrong_type("texts", texts, "an iterable of str")
        threads = checked_threads(threads)
        if allowed is None and not refused and self._can_at_once():
            texts = list(texts)
            if all(type(text) is str for text in texts):
                return self._batch(texts, add_special, threads)
        out = [
            self.encode(*_pair(text), add_special=add_special, allowed=allowed, refused=refused)
            for text in texts
        ]
        if self.padding is not None:
            length = self.padding.length(map(len, out))
            return [one.padded(length, self.padding) for one in out]
        return out

    def __call__(
        self,
        text: str | Iterable[str | tuple[str, str]],
        pair: str | None = None,
        *,
        add_special_tokens: bool = True,
        return_offsets_mapping: bool = False,
        return_overflowing_tokens: bool = False,
    ) -> dict[str, list[Any]]:
        """Model inputs by the names of ``transformers``.

        Args:
            text: a text, or several (or pairs): then every value is a list of lists.
            pair: a second text, where ``text`` is one.
            add_special_tokens: whether the post-processor adds its tokens.
            return_offsets_mapping: with ``offset_mapping``.
            return_overflowing_tokens: what truncation cuts off as further rows, and of every row
                the text that it is of (``overflow_to_sample_mapping``).

        Returns:
            ``input_ids``, ``token_type_ids``, ``attention_mask`` (0 for padding), and
            ``offset_mapping`` where asked for.
        """
        if return_overflowing_tokens and isinstance(text, str):
            text = [text if pair is None else (text, pair)]
            pair = None
        if not isinstance(text, str):
            if pair is not None:
                raise ArgumentError("pair: goes with one text; of several give pairs, [(a, b), …]")
            made = self.encode_batch(text, add_special=add_special_tokens)
            samples = list(range(len(made)))
            if return_overflowing_tokens:
                samples = [i for i, one in enumerate(made) for _ in (one, *one.overflowing)]
                made = [row for one in made for row in (one, *one.overflowing)]
            rows = [_inputs(one, return_offsets_mapping) for one in made]
            keys = rows[0] if rows else self("")
            out: dict[str, list[Any]] = {key: [row[key] for row in rows] for key in keys}
            if return_overflowing_tokens:
                out["overflow_to_sample_mapping"] = samples
            return out
        encoding = self.encode(text, pair, add_special=add_special_tokens)
        return _inputs(encoding, return_offsets_mapping)

    def sample(
        self, text: str, random: Random, alpha: float = 1.0, *, dropout: float | None = None
    ) -> Encoding:
        """Tokens drawn at random, for training: unigram sampling (Kudo 2018), BPE dropout
        (Provilkov, Emelianenko & Voita 2020).

        Args:
            text: any str.
            random: the generator to draw with.
            alpha: of a unigram model: 1 draws from it, smaller ones more evenly.
            dropout: of a BPE: the probability of skipping a merge, instead of the model's own.

        Raises:
            ArgumentError: the model has no randomness, or nothing would be drawn: a BPE whose
                dropout is 0.
        """
        if isinstance(self.model, BPE):
            alpha = self.model.dropout if dropout is None else dropout
            if not 0.0 < alpha <= 1.0:
                raise ArgumentError(
                    f"dropout: it is {alpha!r}, so no merge would be skipped and nothing sampled: "
                    "give dropout= (0.1, say; alpha is of unigram models)"
                )
        elif dropout is not None:
            raise ArgumentError("dropout: is of BPE models; of a unigram model give alpha=")
        columns = self._columns("text", text, self.allowed, frozenset(), (random, alpha))
        return self._encoding(columns, None, True)

    def _chosen(self, argument: str, names: Specials) -> frozenset[str]:
        if names == "all":
            return self._specials
        if isinstance(names, str):
            raise ArgumentError(f"{argument}: {names!r} is neither 'all' nor a collection of str")
        chosen = frozenset(names)
        if unknown := sorted(chosen - self._specials):
            known = ", ".join(sorted(self._specials)) or "none"
            raise ArgumentError(
                f"{argument}: {unknown[0]!r} is not a special token (there are: {known})"
            )
        return chosen

    def _columns(
        self,
        argument: str,
        text: str,
        allowed: frozenset[str],
        refused: frozenset[str],
        chance: tuple[Random, float] | None = None,
    ) -> Columns:
        if not isinstance(text, str):
            raise wrong_type(argument, text, "str")
        if refused:
            self._refuse(argument, text, refused)
        spelt = self._spelt if self.library == "tokenizers" else None
        if chance is None and not self._finds(text, allowed, False):
            whole = self.normaliser(self._aligned(text))
            if not self._finds(whole.text, allowed, True):
                if not whole.text:
                    return Columns(text, [], [], spelt=spelt)
                found, row = self._encode(whole, None)
                return Columns(
                    text,
                    found,
                    lambda: self._spans(found, [row]),
                    spelt=spelt,
                    words=lambda: _words([row]),
                )
        ids: list[int] = []
        rows: list[_Row] = []

        def add(part: Aligned, number: int) -> None:
            ids.append(number)
            rows.append((part, None, lambda: [(0, len(part.text))]))

        for section, number in self._sections(self._aligned(text), allowed, normalised=False):
            if number is not None:
                add(section, number)
                continue
            after = self.normaliser(section)
            for part, inner in self._sections(after, allowed, normalised=True):
                if inner is not None:
                    add(part, inner)
                elif part.text:
                    found, row = self._encode(part, chance)
                    if ids:
                        ids += found
                    else:
                        ids = found
                    rows.append(row)
        return Columns(
            text, ids, lambda: self._spans(ids, rows), spelt=spelt, words=lambda: _words(rows)
        )

    def _spelt(self, number: int) -> str | None:
        return None if number in self._added_pieces else self.model.piece_of(number)

    def _aligned(self, text: str) -> Aligned:
        return Aligned(text, covering=self.library is None)

    def _spans(self, ids: list[int], rows: list[_Row]) -> tuple[list[int], list[int]]:
        starts, ends = _spans(rows)
        if self.library == "sentencepiece" and self.model.closed:
            for i in range(len(ids) - 1):
                # the bytes of a character stand side by side and have one span
                if starts[i] == starts[i + 1] < ends[i + 1] == ends[i]:
                    ends[i] = starts[i]
        return starts, ends

    def _encode(self, part: Aligned, chance: tuple[Random, float] | None) -> tuple[list[int], _Row]:
        if chance is None and self._scanner is not None:
            scanner = self._scanner
            ids, later = self.model.encode_later(part.text, scanner)
            return ids, (part, later, lambda: scanner.spans(part.text))
        cut, spans = self.pretokeniser(part, [(0, len(part.text))])
        if chance is None:
            ids, later = self.model.encode_later(cut.text, spans)
            return ids, (cut, later, lambda: spans)
        ids = []
        starts: list[int] = []
        ends: list[int] = []
        for a, b in spans:
            for number, start, end in self.model.sample(cut.text[a:b], *chance):
                ids.append(number)
                starts.append(a + start)
                ends.append(a + end)
        return ids, (cut, lambda: (starts, ends), lambda: spans)

    def _refuse(self, argument: str, text: str, refused: frozenset[str]) -> None:
        barred = [token for token in self.added if token.content in refused]
        for at, _, index in Finder(barred).matches(text):
            token = barred[index].content
            raise ArgumentError(
                f"{argument}: the special token {token!r} stands at {at} and is refused: allow it "
                "(allowed=…), or take it as text (refused=())"
            )

    def _sections(
        self, text: Aligned, allowed: frozenset[str], *, normalised: bool
    ) -> Iterable[tuple[Aligned, int | None]]:
        """Parts of the text with the id of the added token that they are, or None."""
        finder = self._finder(allowed, normalised) if self.added else None
        if finder is None:
            yield text, None
            return
        at = 0
        for start, end, index in finder.sections(text.text):
            if at < start:
                yield text.part(at, start), None
            yield text.part(start, end), finder.tokens[index].id
            at = end
        if at < len(text.text):
            yield text.part(at, len(text.text)), None

    def _finder(self, allowed: frozenset[str], normalised: bool) -> Finder | None:
        key = allowed, normalised
        if key not in self._finders:
            tokens = [
                token
                for token in self.added
                if token.normalized is normalised
                and (not token.special or token.content in allowed)
            ]
            made = None
            if tokens:
                made = Finder(tokens, self._normalised if normalised else None)
            self._finders[key] = made
        return self._finders[key]

    def _normalised(self, text: str) -> str:
        return self.normaliser(Aligned(text)).text or text

    # --- tokens to text --------------------------------------------------------------------------

    def decode(self, ids: Iterable[int], *, skip_special: bool = False) -> str:
        """The text of tokens: what :meth:`encode` was given, where the normaliser is the identity
        and the vocabulary is closed.

        Bytes that are no UTF-8 (a sequence cut inside a character) become U+FFFD.  Lone
        surrogates come back as they were.

        Args:
            ids: of tokens; an :class:`Encoding` will do.
            skip_special: leave special tokens out.

        Raises:
            ArgumentError: nothing has such an id.
        """
        if skip_special:
            ids = [number for number in ids if number not in self._special_ids]
        if type(self.decoder) is decode.ByteLevel:
            return from_bytes(b"".join(map(self._bytes.__getitem__, ids)))
        return "".join(self.decoder(list(map(self._texts.__getitem__, ids))))

    def stream(self, *, skip_special: bool = False) -> Stream:
        """Text as tokens come in: :meth:`Stream.step <.streaming.Stream.step>` a token.

        >>> from segmenter import subword
        >>> tokenizer = subword.load("bpe")
        >>> stream = tokenizer.stream()
        >>> [stream.step(number) for number in tokenizer.encode("我们€")]
        ['我们', '', '', '€']
        """
        from segmenter.subword.streaming import Stream

        return Stream(self.decode, skip_special)

    def decode_batch(
        self, batch: Iterable[Iterable[int]], *, skip_special: bool = False
    ) -> list[str]:
        """:meth:`decode` for each list of ids."""
        return [self.decode(ids, skip_special=skip_special) for ids in batch]

    # --- training --------------------------------------------------------------------------------

    @classmethod
    def train(
        cls,
        files: File | Iterable[File],
        *,
        encoding: str = "utf-8",
        errors: str = "strict",
        **options: Any,
    ) -> Tokenizer:
        """A Tokenizer trained on text files, line by line.

        Args:
            files: a path, a binary file, or several.
            encoding: of the files.
            errors: ``"strict"``, or ``"replace"``: bytes that are not in ``encoding`` become
                U+FFFD.
            **options: those of :meth:`train_from_iterator`.

        Raises:
            EncodingError: a file is not in ``encoding``; names file, line and byte offset.
            ArgumentError: an option that cannot be used.
            OSError: a file cannot be read.
        """
        from segmenter.subword.training import lines_of

        return cls.train_from_iterator(lines_of(files, encoding, errors), **options)

    @classmethod
    def train_from_iterator(
        cls,
        texts: Iterable[str],
        *,
        model: Literal["bpe", "wordpiece", "unigram"] = "bpe",
        vocab_size: int = 8000,
        segmenter: Cutter | None = None,
        words: int | Iterable[str] | None = None,
        normaliser: normalise.Normaliser | None = None,
        pretokeniser: pretokenise.PreTokeniser | None = None,
        min_frequency: int = 2,
        coverage: float = 0.9995,
        byte_fallback: bool = True,
        byte_level: bool = False,
        special: Iterable[str] = (),
        max_piece: int = 16,
        seed: int = 1,
        threads: int = 1,
        progress: Callable[[str, int, int | None], object] | None = None,
    ) -> Tokenizer:
        """A Tokenizer trained on texts.

        With ``byte_fallback`` (the default) the vocabulary is closed: characters that were not
        seen, or are too rare for ``coverage``, are spelt in UTF-8 bytes, and no text has an
        unknown token.  With a ``segmenter`` and ``words`` it holds whole words, subwords for the
        rest, and the 256 bytes.

        Args:
            texts: any number of str; each is normalised and pre-tokenised for itself.
            model: ``"bpe"``, ``"wordpiece"`` or ``"unigram"``.
            vocab_size: number of ids in all: special tokens, bytes, characters, words, subwords.
            segmenter: pre-tokenise by its words; else by ``pretokeniser``.
            words: how many of the most frequent words become pieces whole, or which; None: a
                quarter of ``vocab_size`` where there is a ``segmenter``, else none.
            normaliser: default the identity.
            pretokeniser: default the pattern of GPT-2, which parts letters, digits and the rest.
            min_frequency: pieces seen less often are not made.
            coverage: share of the text's characters that have pieces of their own; the rarest
                beyond it are bytes or unknown.
            byte_fallback: see above; not for ``"wordpiece"``.
            byte_level: BPE of bytes instead of characters (Radford et al. 2019); closed as well.
                A text's rare characters then share pieces of one or two bytes.
            special: special tokens, in the order of their ids, which come first.
            max_piece: the longest piece of a unigram model in characters.
            seed: of the trainers' choices among what they rate equal; kept in ``meta``.  Present
                trainers decide by written rules and never draw.
            threads: native threads that count spans; the result does not depend on them.
            progress: called with (step, done, of how much or None); steps are ``"count"`` (texts),
                ``"merge"`` and ``"prune"`` (pieces).

        Raises:
            ArgumentError: ``vocab_size`` has no room for special tokens, bytes and characters, or
                an option is out of its range.
        """
        from segmenter.subword.training import Options, train

        return train(
            texts,
            Options(
                model=model,
                vocab_size=vocab_size,
                segmenter=segmenter,
                words=words,
                normaliser=normaliser,
                pretokeniser=pretokeniser,
                min_frequency=min_frequency,
                coverage=coverage,
                byte_fallback=byte_fallback and model != "wordpiece" and not byte_level,
                byte_level=byte_level,
                special=tuple(special),
                max_piece=max_piece,
                seed=seed,
                threads=threads,
                progress=progress,
            ),
        )

    def train_new_from_iterator(
        self,
        text_iterator: Iterable[str],
        vocab_size: int,
        length: int | None = None,
        new_special_tokens: Iterable[str] = (),
        **options: Any,
    ) -> Tokenizer:
        """A Tokenizer of the same steps, kind of model and special tokens, trained on other texts.

        Args:
            text_iterator: any number of str.
            vocab_size: number of ids in all.
            length: how many texts there are; taken for the sake of ``transformers``.
            new_special_tokens: behind the special tokens that this one has.
            **options: further ones of :meth:`train_from_iterator`.

        Raises:
            ArgumentError: the model is of a kind that is not trained; an option that cannot be
                used; a post-processor's token that would have no id.
        """
        from segmenter.subword.training import train_new

        return train_new(self, text_iterator, vocab_size, tuple(new_special_tokens), options)

    # --- files -----------------------------------------------------------------------------------

    def config(self) -> dict[str, Any]:
        """All of it as ``tokenizer.json`` writes it (Hugging Face ``tokenizers``).

        Steps of ours (``Words``, ``Width``, ``Blanks``) stand there by their names, which that
        library does not know.
        """
        return {
            "version": "1.0",
            "truncation": None if self.truncation is None else self.truncation.config(),
            "padding": None if self.padding is None else self.padding.config(),
            "added_tokens": [token.config() for token in self.added],
            "normalizer": self.normaliser.config(),
            "pre_tokenizer": self.pretokeniser.config(),
            "post_processor": self.postprocessor.config(),
            "decoder": self.decoder.config(),
            "model": self.model.config(),
        }

    def to_bytes(self) -> bytes:
        """The compiled form, as it is written to a file; :meth:`from_bytes` reads it."""
        return artifact.pack(KIND, *self._packed())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one file with all of it, whole or not at all.

        A :class:`~segmenter.subword.pretokenise.Words` pre-tokeniser is written as the name and
        the fingerprint of its Segmenter, not as its lexicon.

        Raises:
            ArtifactError: the file cannot be written.
        """
        artifact.write(path, KIND, *self._packed())

    def _packed(self) -> tuple[dict[str, bytes], dict[str, object]]:
        model = self.model.config()
        vocab = model.pop("vocab")
        merges = model.pop("merges", [])
        rows = list(self.model.vocab.items())
        spelt = [to_bytes(piece) for piece, _ in rows]
        ends, at = array("I"), 0
        for piece in spelt:
            at += len(piece)
            ends.append(at)
        sections = {
            "pieces": b"".join(spelt),
            "ends": _little(ends),
            "ids": _little(array("I", [i for _, i in rows])),
        }
        if isinstance(self.model, Unigram):
            sections["scores"] = _little(array("d", [score for _, score in vocab]))
        if isinstance(self.model, BPE):
            number = self.model.vocab
            flat = [number[piece] for pair in merges for piece in pair]
            sections["merges"] = _little(array("I", flat))
            model["byte_level"] = self.model.byte_level
            if self.model.merge_ranks is not None:
                sections["ranks"] = _little(array("I", self.model.merge_ranks))
            model["whole"] = list(self.model.whole)
        if isinstance(self.model, (BPE, Unigram, WordPiece)):
            model["hidden"] = sorted(self.model.hidden)
        if isinstance(self.model, Unigram):
            model["fuse_unk"] = self.model.fuse_unk
            model["single"] = self.model.single
            model["spelt"] = self.model.spelt
            model["unk_score"] = self.model.unk_score
        steps = {k: v for k, v in self.config().items() if k != "model"}
        meta = {"steps": steps, "model": model, "allowed": sorted(self.allowed)}
        if self.library is not None:
            meta["library"] = self.library
        return sections, {**self.meta, "tokenizer": meta}

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        segmenter: Cutter | None = None,
        verify: bool = True,
    ) -> Tokenizer:
        """Reads what :meth:`save` wrote.

        Args:
            path: the file.
            segmenter: for a vocabulary of words: what shall cut, instead of the Segmenter that
                the file names.
            verify: check every byte of the file.

        Raises:
            ArtifactError: the file is missing, damaged, foreign or newer than this package.
            ArgumentError: the Segmenter that the file names gives other boundaries here.
        """
        return cls._opened(artifact.open(path, KIND, verify), segmenter)

    def save_pretrained(self, folder: str | os.PathLike[str]) -> str:
        """Writes the Tokenizer into a folder, as ``transformers`` does; made if it is not there.

        Returns:
            The path of the file, :data:`PRETRAINED` in that folder.
        """
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(os.fspath(folder), PRETRAINED)
        self.save(path)
        return path

    @classmethod
    def from_pretrained(
        cls, folder: str | os.PathLike[str], *, segmenter: Cutter | None = None
    ) -> Tokenizer:
        """Reads what :meth:`save_pretrained` wrote; never from the network."""
        return cls.load(os.path.join(os.fspath(folder), PRETRAINED), segmenter=segmenter)

    @classmethod
    def from_bytes(
        cls, data: bytes, name: str = "<bytes>", segmenter: Cutter | None = None
    ) -> Tokenizer:
        """A Tokenizer from the bytes of :meth:`to_bytes`."""
        return cls._opened(artifact.from_bytes(data, name, KIND), segmenter)

    @classmethod
    def _opened(cls, art: artifact.Artifact, segmenter: Cutter | None) -> Tokenizer:
        meta = art.meta
        try:
            kept = entries.check("tokenizer", meta.pop("tokenizer"))
            steps = entries.check("steps", kept["steps"])
            model = _model(art, entries.check("model", kept["model"]))
            normaliser = normalise.make(steps["normalizer"])
            postprocessor = postprocess.make(steps["post_processor"])
            decoder = decode.make(steps["decoder"])
            added = [
                AddedToken(**entries.check("added_tokens", token))
                for token in steps["added_tokens"]
            ]
            allowed = artifact.field(art.path, kept, "allowed", list)
            library = kept.get("library")
            if library not in LIBRARIES:
                raise ArgumentError(f"the library {library!r} is not supported")
            truncation = lengths.truncation(steps.get("truncation"))
            padding = lengths.padding(steps.get("padding"))
            words = steps["pre_tokenizer"]
        except (LookupError, TypeError, ValueError, OverflowError, RecursionError) as e:
            raise ArtifactError(art.path, f"its sections are not a tokenizer's: {e}", REMEDY) from e
        try:
            # an ArgumentError here says what is wrong with the Segmenter that the file names
            pretokeniser = pretokenise.make(words, segmenter)
        except (LookupError, TypeError, OverflowError, RecursionError) as e:
            if isinstance(e, SegmenterError):
                raise
            raise ArtifactError(art.path, f"its steps are not a tokenizer's: {e}", REMEDY) from e
        opened = cls(
            model,
            normaliser=normaliser,
            pretokeniser=pretokeniser,
            postprocessor=postprocessor,
            decoder=decoder,
            added=added,
            allowed=allowed,
            meta=meta,
            name=art.path,
            library=library,
            truncation=truncation,
            padding=padding,
        )
        if segmenter is None:
            opened._digest = art.digest
        return opened

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[Any, ...]]:
        cutter = _cutter_of(self.pretokeniser)
        return _unpickled, (type(self), self.to_bytes(), self.name, cutter)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}: {self.model!r}>"


def _spans(rows: list[_Row]) -> tuple[list[int], list[int]]:
    """Where the tokens of parts, or parts that are tokens, lie in the original."""
    out: tuple[list[int], list[int]] = [], []
    for part, later, _ in rows:
        starts, ends = ([0], [len(part.text)]) if later is None else later()
        if part.starts is not None:
            first, last = part.columns()  # no piece is empty
            starts, ends = [first[a] for a in starts], [last[b - 1] for b in ends]
        elif part.base:
            starts, ends = [part.base + a for a in starts], [part.base + b for b in ends]
        out[0].extend(starts)
        out[1].extend(ends)
    return out


def _words(rows: list[_Row]) -> list[int | None]:
    """The span, counted through all parts, that each token is of."""
    out: list[int | None] = []
    first = 0
    for _, later, cut in rows:
        spans = cut()
        starts = [0] if later is None else later()[0]
        out += numbered(starts, spans, first)
        first += len(spans)
    return out


def _pair(text: str | tuple[str, str]) -> tuple[str, str | None]:
    if isinstance(text, (tuple, list)):
        if len(text) != 2:
            raise ArgumentError(f"texts: {len(text)} texts, expected one or a pair")
        return text[0], text[1]
    return text, None


def _inputs(encoding: Encoding, offsets: bool) -> dict[str, list[Any]]:
    out: dict[str, list[Any]] = {
        "input_ids": encoding.ids,
        "token_type_ids": encoding.type_ids,
        "attention_mask": encoding.attention_mask,
    }
    if offsets:
        out["offset_mapping"] = encoding.offsets
    return out


class _Remembered(dict[int, _Value]):
    """Values by number, made when they are first asked for."""

    def __init__(self, make: Callable[[int], _Value]) -> None:
        self._make = make

    def __missing__(self, number: int) -> _Value:
        found = self[number] = self._make(number)
        return found


#: Shipped vocabularies: 8,000 pieces each, of the words of a balanced national corpus.
SHIPPED = {"bpe": "subword-bpe.model", "unigram": "subword-unigram.model"}

_opened: dict[str, tuple[tuple[int, ...], Tokenizer]] = {}


def load(
    name: str | os.PathLike[str], *, segmenter: Cutter | None = None, verify: bool = True
) -> Tokenizer:
    """A shipped Tokenizer, ``"bpe"`` or ``"unigram"``, or the one in a file.

    A shipped one is opened once per process.

    Args:
        name: a name of :data:`SHIPPED`, or the path of what :meth:`Tokenizer.save` wrote.
        segmenter: see :meth:`Tokenizer.load`.
        verify: see :meth:`Tokenizer.load`.

    Raises:
        ResourceError: the shipped file is not installed; the places looked at are listed.
        ArtifactError: the file is missing, damaged, foreign or newer than this package.
    """
    if name not in SHIPPED:
        return Tokenizer.load(name, segmenter=segmenter, verify=verify)
    path = resources.find(SHIPPED[str(name)])
    status = os.stat(path)
    key = (status.st_ino, status.st_size, status.st_mtime_ns)
    got = _opened.get(path)
    if got is None or got[0] != key:
        got = _opened[path] = key, Tokenizer.load(path, verify=verify)
    return got[1]


def _unpickled(cls: type[Tokenizer], data: bytes, name: str, cutter: Cutter | None) -> Tokenizer:
    return cls.from_bytes(data, name, cutter)


def _cutter_of(step: pretokenise.PreTokeniser) -> Cutter | None:
    if isinstance(step, pretokenise.Words):
        return step.segmenter
    if isinstance(step, pretokenise.Sequence):
        return next((c for c in map(_cutter_of, step.steps) if c is not None), None)
    return None


def decoder_of(model: Model) -> decode.Decoder:
    """The decoder that the pieces of a model need."""
    if isinstance(model, WordPiece):
        return decode.WordPiece(model.prefix)
    if isinstance(model, WordLevel):
        return decode.Blanks()
    if isinstance(model, BPE) and model.byte_level:
        return decode.ByteLevel()
    if isinstance(model, BPE) and model.end_of_word_suffix:
        return decode.EndOfWord(model.end_of_word_suffix)
    if isinstance(model, (BPE, Unigram)) and model.byte_fallback:
        return decode.ByteFallback()
    return decode.Fuse()


def _little(column: array[Any]) -> bytes:
    import sys

    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()


def _numbers(art: artifact.Artifact, section: str, code: str) -> list[Any]:
    import sys

    column = array(code)
    column.frombytes(bytes(art.section(section)))
    if sys.byteorder == "big":
        column.byteswap()
    return column.tolist()


def _model(art: artifact.Artifact, config: dict[str, Any]) -> Model:
    spelt = bytes(art.section("pieces"))
    pieces, at = [], 0
    for end in _numbers(art, "ends", "I"):
        pieces.append(from_bytes(spelt[at:end]))
        at = end
    ids = _numbers(art, "ids", "I")
    kind = config["type"]
    if kind == "Unigram":
        scores = _numbers(art, "scores", "d")
        return Unigram(
            zip(pieces, scores, strict=True),
            config["unk_id"],
            config["byte_fallback"],
            fuse_unk=config.get("fuse_unk", True),
            hidden=config.get("hidden", ()),
            single=config.get("single", False),
            unk_score=config.get("unk_score"),
            spelt=config.get("spelt", False) is True,
        )
    vocab = dict(zip(pieces, ids, strict=True))
    if kind == "WordLevel":
        return WordLevel(vocab, config["unk_token"])
    if kind == "WordPiece":
        return WordPiece(
            vocab,
            config["unk_token"],
            config["continuing_subword_prefix"],
            config["max_input_chars_per_word"],
            hidden=config.get("hidden", ()),
        )
    by_id = {number: piece for piece, number in vocab.items()}
    flat = _numbers(art, "merges", "I")
    return BPE(
        vocab,
        [(by_id[a], by_id[b]) for a, b in zip(flat[::2], flat[1::2], strict=True)],
        byte_level=config["byte_level"],
        byte_fallback=config["byte_fallback"],
        unk=config["unk_token"],
        fuse_unk=config["fuse_unk"],
        continuing_prefix=config["continuing_subword_prefix"],
        end_of_word_suffix=config["end_of_word_suffix"],
        dropout=config["dropout"] or 0.0,
        ignore_merges=config["ignore_merges"],
        ranks=_numbers(art, "ranks", "I") if "ranks" in art.names() else None,
        whole=config.get("whole", ()),
        hidden=config.get("hidden", ()),
    )
