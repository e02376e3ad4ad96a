"""The Tokenizer: the four steps, special tokens, offsets, decoding, training and files.

A Tokenizer holds the parts; :mod:`~.subword.steps` runs them on a text, :mod:`~.subword.added`
finds added tokens, :mod:`~.subword.parts` is the file format, :mod:`~.subword.training` the
trainers.

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
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from segmenter import artifact
from segmenter.artifact.packing import path_of
from segmenter.choices import checked_threads
from segmenter.errors import REBUILD, ArgumentError, ArtifactError, check_iterable, wrong_type
from segmenter.kernels import _subword
from segmenter.subword import decode, normalise, postprocess, pretokenise
from segmenter.subword.added import AddedToken, AddedTokens
from segmenter.subword.aligned import Aligned
from segmenter.subword.encoding import Encoding
from segmenter.subword.lengths import Padding, Truncation
from segmenter.subword.models.bpe import BPE
from segmenter.subword.models.model import to_bytes
from segmenter.subword.models.vocabulary import KIND
from segmenter.subword.parts import LIBRARIES, Parts, decoder_of, opened, packed
from segmenter.subword.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from random import Random
    from typing import Any, Self

    from numpy.typing import NDArray

    from segmenter.files.opening import File
    from segmenter.kernels._subword import PieceBytes, Subwords
    from segmenter.subword.added import Specials
    from segmenter.subword.models.model import Model
    from segmenter.subword.parts import Library
    from segmenter.subword.postprocess import TokenColumns
    from segmenter.subword.pretokenise import Cutter
    from segmenter.subword.streaming import Stream

_Value = TypeVar("_Value")


#: The name of the file that :meth:`Tokenizer.save_pretrained` writes.
PRETRAINED = "segmenter-tokenizer.model"
#: What to do about a file that is no tokenizer of this package.
REMEDY = (
    "give a file of Tokenizer.save; segmenter.subword.formats reads the files of other libraries"
)


class Tokenizer:
    """A model and the steps around it.

    A Tokenizer can be shared by any number of threads.  Only the methods named after those of
    ``tokenizers`` (``add_tokens``, ``enable_padding``, …) change it: call them before starting
    threads.

    Args:
        model: a :class:`~segmenter.subword.BPE`, ``WordPiece`` or ``Unigram``.
        normaliser: default: the identity.
        pretokeniser: default: none; the whole text is one span.
        postprocessor: default: none.
        decoder: default: the one that suits the model's pieces.
        added: added and special tokens.
        allowed: special tokens that :meth:`encode` recognises in a text unless its caller says
            otherwise.  Default: none, so that they are ordinary text; ``"all"`` does as Hugging
            Face ``tokenizers``.
        meta: metadata to store in the file (corpus, options, seed).
        name: the name to use in error messages.
        library: follow this library where its behaviour differs from ours.  ``"tokenizers"``: a
            ``▁`` prepended to a text covers the text's first character (ours: nothing), one that
            replaces several blanks covers the last of them, and so on (ours: everything it
            replaces); added tokens are decoded like pieces (ours: as their own text).
            ``"sentencepiece"``: a token covers the text from its start to the start of the next
            token; of the bytes of a character, the last one covers it and the others nothing.
        truncation, padding: applied to the tokens of each text, or of a batch; default: none.
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
        self._set_added(added, allowed)

    def _set_added(self, added: Iterable[AddedToken], allowed: Specials) -> None:
        model, foreign = self.model, self.library == "tokenizers"
        tokens = AddedTokens(added, model, self._normalised, foreign=foreign)
        self.added = tokens.tokens
        self._added = tokens
        self.allowed = tokens.chosen("allowed", allowed)
        self._digest = None
        texts = _Cached(lambda number: tokens.texts.get(number) or model.piece_of(number))
        self._texts = texts

        def pieces(bytes_of: Callable[[str], bytes], skipped: Collection[int]) -> PieceBytes:
            return _subword.PieceBytes(lambda k: b"" if k in skipped else bytes_of(texts[k]))

        #: By decoder, and whether special tokens are left out.
        self._bytes = {
            (kind, skip): pieces(bytes_of, tokens.special_ids if skip else ())
            for kind, bytes_of in decode.BYTES_OF.items()
            for skip in (False, True)
        }
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

    def _to_parts(self) -> Parts:
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
        number = self._added.ids.get(piece)
        return self.model.id_of(piece) if number is None else number

    def piece_of(self, number: int) -> str:
        """The piece or added token with an id.

        Raises:
            ArgumentError: no piece has this id.
        """
        return self._steps.piece_of(number)

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
            return decode.bytes_of(piece)
        return decode.bytes_of_fallback(piece) if self.model.closed else to_bytes(piece)

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
        by_text = {token.content: token for token in self.added}
        next_id, new = self.vocab_size, 0
        # until now all special tokens were allowed, or a foreign file had none
        allow_all = self.library == "tokenizers" and self.allowed == self._added.specials
        for token in tokens:
            if isinstance(token, str):
                token = AddedToken(token, 0, special, normalized=not special)
            number = self.id_of(token.content)
            if number is None:
                number, next_id = next_id, next_id + 1
            new += token.content not in by_text
            by_text[token.content] = token._replace(id=number, special=special or token.special)
        specials = {token.content for token in by_text.values() if token.special}
        self._set_added(by_text.values(), "all" if allow_all else self.allowed & specials)
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
        self.padding = self._digest = None

    # --- encoding --------------------------------------------------------------------------------

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
            add_special: whether the post-processor adds its tokens.
            allowed: special tokens to recognise in ``text``: ``"all"`` or a collection; None: the
                Tokenizer's own choice.
            refused: special tokens that ``text`` must not contain; ``"all"`` means all that are
                not allowed.  Special tokens that are neither allowed nor refused are ordinary
                text.

        Raises:
            ArgumentError: the text contains a refused token (the message gives its position); a
                name that is not a special token.
            TypeError: ``text`` is not a str.
        """
        steps = self._steps
        if allowed is None and pair is None and not refused and type(text) is str:
            ids = steps.ids(text, add_special)
            if ids is not None:
                if self.truncation is None and self.padding is None:
                    return Encoding(steps, text, ids, add_special)
                return self._pad([self._lazy_encoding(text, ids, add_special)])[0]
        chosen = self.allowed if allowed is None else self._added.chosen("allowed", allowed)
        barred: frozenset[str] = frozenset()
        if refused == "all":
            barred = self._added.specials - chosen
        elif refused:
            barred = self._added.chosen("refused", refused)
        first = steps.columns("text", text, chosen, barred)
        second = None if pair is None else steps.columns("pair", pair, chosen, barred).second()
        rows = steps.windows(self.truncation, first, second, add_special)
        encoding, *encoding._overflowing = [Encoding(steps, row.text, row.ids, row) for row in rows]
        return self._pad([encoding])[0]

    def _lazy_encoding(self, text: str, ids: list[int], add_special: bool) -> Encoding:
        """The encoding of a text, truncated, whose ids before truncation are known; its other
        columns are computed when they are asked for."""
        steps, truncation = self._steps, self.truncation
        if truncation is None or len(ids) <= truncation.max_length:
            return Encoding(steps, text, ids, add_special)
        head, tail = steps.surrounding if add_special else ([], [])
        inner = ids[len(head) : len(ids) - len(tail)]
        length, _ = truncation.lengths(len(inner), None, len(head) + len(tail))
        start, end = truncation.windows(len(inner), length)[0]

        @cache
        def rows() -> list[TokenColumns]:
            columns = steps.columns("text", text, steps.allowed, frozenset())
            return steps.windows(truncation, columns, None, add_special)

        encoding = Encoding(steps, text, [*head, *inner[start:end], *tail], lambda: rows()[0])
        encoding._overflowing = lambda: [Encoding(steps, text, row.ids, row) for row in rows()[1:]]
        return encoding

    def _pad(self, encodings: list[Encoding]) -> list[Encoding]:
        padding = self.padding
        if padding is None:
            return encodings
        length = padding.length(map(len, encodings))
        return [encoding.padded(length, padding) for encoding in encodings]

    def encode_ids(self, text: str) -> list[int]:
        """``encode(text).ids``, but faster when nothing other than ids has to be tracked."""
        ids = self._steps.ids(text, True) if type(text) is str and self._keeps_length() else None
        return self.encode(text).ids if ids is None else ids

    def encode_batch(
        self,
        texts: Iterable[str | tuple[str, str]],
        *,
        add_special: bool = True,
        allowed: Specials | None = None,
        refused: Specials = (),
        threads: int = 1,
    ) -> list[Encoding]:
        """:meth:`encode` for each text, or pair of texts; padded to the longest if the Tokenizer
        pads.

        Args:
            texts: str, or pairs of str.
            add_special, allowed, refused: see :meth:`encode`.
            threads: native threads; used only for texts without pairs.

        Raises:
            TypeError: ``texts`` is itself a str.
            ArgumentError: ``threads`` is not a number from 1 to 256; see also :meth:`encode`.
        """
        if isinstance(texts, (str, bytes)):
            raise wrong_type("texts", texts, "an iterable of str")
        threads = checked_threads(threads)
        steps = self._steps
        if allowed is None and not refused and steps.kernel is not None:
            texts = list(texts)
            plain_texts = [text for text in texts if type(text) is str]
            if len(plain_texts) == len(texts):

                def make(text: str, ids: list[int]) -> Encoding:
                    return self._lazy_encoding(text, ids, add_special)

                return self._pad(steps.batch(plain_texts, add_special, threads, make))
        return self._pad(
            [
                self.encode(*_pair(text), add_special=add_special, allowed=allowed, refused=refused)
                for text in texts
            ]
        )

    def _keeps_length(self) -> bool:
        return self.truncation is None and self.padding is None

    def encode_arrays(
        self, texts: Iterable[str], *, add_special: bool = True, threads: int = 1
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The ids of many texts as two NumPy arrays, with no Python object per token.

        Args:
            texts: any number of str.
            add_special: whether the post-processor adds its tokens.

        Returns:
            ``(ids, offsets)``: int32 of shape (tokens,), int64 of shape (texts + 1,).  Text ``i``
            has the ids from ``offsets[i]`` to ``offsets[i + 1]``.

        Raises:
            TypeError: ``texts`` is itself a str, or one of them is not a str.
            ArgumentError: ``threads`` is not a number from 1 to 256.

        >>> from segmenter import subword
        >>> ids, offsets = subword.load("bpe").encode_arrays(["我们", "我们的"])
        >>> ids.dtype, offsets.tolist()
        (dtype('int32'), [0, 1, 3])
        """
        import numpy as np

        if isinstance(texts, (str, bytes)):
            raise wrong_type("texts", texts, "an iterable of str")
        threads, texts = checked_threads(threads), list(texts)
        if set(map(type, texts)) - {str}:
            for text in texts:
                if not isinstance(text, str):
                    raise wrong_type("texts", text, "an iterable of str")
        if self._keeps_length() and self._steps.kernel is not None:
            columns: tuple[NDArray[Any], NDArray[Any]] = self._steps.batch(
                texts, add_special, threads
            )
            return columns
        rows = [encoding.ids for encoding in self.encode_batch(texts, add_special=add_special)]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        return np.array([number for row in rows for number in row], np.int32), offsets

    def encode_arrow(self, column: Any, *, add_special: bool = True, threads: int = 1) -> Any:
        """The ids of a column of texts, a ``pyarrow.LargeListArray`` of int32; null stays null.

        Args:
            column: a ``pyarrow.Array`` or ``ChunkedArray`` of strings.
            add_special, threads: see :meth:`encode_arrays`.

        Raises:
            ImportError: pyarrow is not installed.
            TypeError: it is not a column of strings.
        """
        import numpy as np
        import pyarrow as pa

        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            raise wrong_type("column", column, "a column of strings")
        rows = column.to_pylist()
        ids, offsets = self.encode_arrays(
            [row or "" for row in rows], add_special=add_special, threads=threads
        )
        is_null = np.array([row is None for row in rows], bool)
        mask = pa.array(is_null) if is_null.any() else None
        return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(ids), mask=mask)

    def __call__(
        self,
        text: str | Iterable[str | tuple[str, str]],
        pair: str | None = None,
        *,
        add_special_tokens: bool = True,
        return_offsets_mapping: bool = False,
        return_overflowing_tokens: bool = False,
    ) -> dict[str, list[Any]]:
        """Model inputs under the names that ``transformers`` uses.

        Args:
            text: one text, or several texts or pairs, in which case every value is a list of lists.
            pair: a second text, if ``text`` is a single one.
            add_special_tokens: whether the post-processor adds its tokens.
            return_offsets_mapping: include ``offset_mapping``.
            return_overflowing_tokens: return the tokens that truncation cuts off as further rows,
                and the index of the text of each row as ``overflow_to_sample_mapping``.

        Returns:
            ``input_ids``, ``token_type_ids``, ``attention_mask`` (0 for padding), and
            ``offset_mapping`` if asked for.
        """
        if return_overflowing_tokens and isinstance(text, str):
            text = [text if pair is None else (text, pair)]
            pair = None
        if not isinstance(text, str):
            if pair is not None:
                raise ArgumentError("pair: goes with one text; for several give pairs, [(a, b), …]")
            encodings = self.encode_batch(text, add_special=add_special_tokens)
            samples = list(range(len(encodings)))
            if return_overflowing_tokens:
                windows = [(encoding, *encoding.overflowing) for encoding in encodings]
                samples = [i for i, row in enumerate(windows) for _ in row]
                encodings = [encoding for row in windows for encoding in row]
            rows = [_inputs(encoding, return_offsets_mapping) for encoding in encodings]
            keys = rows[0] if rows else self("")
            columns: dict[str, list[Any]] = {key: [row[key] for row in rows] for key in keys}
            if return_overflowing_tokens:
                columns["overflow_to_sample_mapping"] = samples
            return columns
        encoding = self.encode(text, pair, add_special=add_special_tokens)
        return _inputs(encoding, return_offsets_mapping)

    def sample(
        self, text: str, random: Random, alpha: float = 1.0, *, dropout: float | None = None
    ) -> Encoding:
        """Tokens drawn at random, for training: unigram sampling (Kudo 2018) or BPE dropout
        (Provilkov, Emelianenko & Voita 2020).

        Args:
            alpha: for a unigram model: 1 samples from its distribution, smaller values from a
                flatter one.
            dropout: for BPE: the probability of skipping a merge; overrides the model's own.

        Raises:
            ArgumentError: the model cannot sample, or is a BPE whose dropout is 0.
        """
        if isinstance(self.model, BPE):
            alpha = self.model.dropout if dropout is None else dropout
            if not 0.0 < alpha <= 1.0:
                raise ArgumentError(
                    f"dropout: {alpha!r}, so no merge would be skipped and nothing sampled: "
                    "give dropout= (0.1, say; alpha is for unigram models)"
                )
        elif dropout is not None:
            raise ArgumentError("dropout: is for BPE models; for a unigram model give alpha=")
        columns = self._steps.columns("text", text, self.allowed, frozenset(), (random, alpha))
        processed = self.postprocessor(columns, None, True)
        return Encoding(self._steps, processed.text, processed.ids, processed)

    # --- decoding, training, files ---------------------------------------------------------------

    @classmethod
    def _from_parts(cls, parts: Parts) -> Self:
        return cls(**parts._asdict())

    @property
    def digest(self) -> str:
        """The digest of the file that this Tokenizer would be saved as, 64 hexadecimal digits."""
        if self._digest is None:
            self._digest = artifact.from_bytes(self.to_bytes()).digest
        return self._digest

    # --- tokens to text --------------------------------------------------------------------------

    def decode(self, ids: Iterable[int], *, skip_special: bool = False) -> str:
        """The text of tokens.

        If the normaliser is the identity and the vocabulary is closed, this is exactly the text
        that :meth:`encode` was given.  Invalid UTF-8 (a sequence cut inside a character) becomes
        U+FFFD.  Lone surrogates come back unchanged.

        Args:
            ids: token ids; an :class:`Encoding` will do.
            skip_special: leave special tokens out.

        Raises:
            TypeError, ArgumentError: an id is no int, or no token has it.
        """
        if type(ids) is not list:
            check_iterable("ids", ids, "an iterable of int")
            ids = list(ids)
        pieces = self._bytes.get((type(self.decoder), skip_special))
        if pieces is not None:
            text = pieces.text(ids)
            if text is not None:
                return text  # otherwise the decoder finds what is invalid
        if skip_special and not self.decoder.silent:
            ids = [number for number in ids if number not in self._added.special_ids]
        try:
            texts = list(map(self._texts.__getitem__, ids))
        except TypeError:
            bad_id = next(number for number in ids if not isinstance(number, int))
            raise wrong_type("ids: an id", bad_id, "int") from None
        return "".join(self.decoder(texts))

    def stream(self, *, skip_special: bool = False) -> Stream:
        """A decoder for tokens as they come in: call :meth:`Stream.step <.streaming.Stream.step>`
        with each token.

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
        """Train a Tokenizer on text files, line by line.

        Args:
            files: a path, a binary file, or several.
            encoding: of the files.
            errors: ``"strict"``, or ``"replace"``: bytes that are invalid in ``encoding`` become
                U+FFFD.
            **options: those of :meth:`train_from_iterator`.

        Raises:
            EncodingError: a file is not in ``encoding``; names file, line and byte offset.
            ArgumentError: an invalid option.
            OSError: a file cannot be read.
        """
        from segmenter.subword.training import lines_of

        return cls.train_from_iterator(lines_of(files, encoding, errors), **options)

    @classmethod
    def train_from_iterator(cls, texts: Iterable[str], **options: Any) -> Tokenizer:
        """Train a Tokenizer on texts.

        With ``byte_fallback`` (the default) the vocabulary is closed: characters that are unseen,
        or too rare for ``coverage``, are spelt as UTF-8 bytes, and no text has an unknown token.
        With a ``segmenter`` and ``words`` the vocabulary contains whole words, subwords for the
        rest, and the 256 bytes.

        Args:
            texts: any number of str; each is normalised and pre-tokenised separately.
            model: ``"bpe"`` (the default), ``"wordpiece"`` or ``"unigram"``.
            vocab_size: total number of ids: special tokens, bytes, characters, words, subwords;
                8,000 unless given.
            segmenter: pre-tokenise into its words; without one, ``pretokeniser`` is used.
            words: words that become whole pieces: how many of the most frequent ones, or which.
                None: a quarter of ``vocab_size`` if there is a ``segmenter``, otherwise none.
            normaliser: default: the identity.
            pretokeniser: default: GPT-2's pattern, which separates letters, digits and the rest.
            min_frequency: pieces seen less often (2) are not created.
            coverage: share of the text's characters that get pieces of their own (0.9995); the
                rarest characters, beyond that share, become bytes or unknown.
            byte_fallback: see above; not for ``"wordpiece"``.
            byte_level: BPE on bytes instead of characters (Radford et al. 2019); closed as well.
                Rare characters then share pieces of one or two bytes.
            special: special tokens, in the order of their ids, which come first.
            max_piece: the longest piece of a unigram model, in characters (16).
            seed: seed for choices between equally good pieces; stored in ``meta``.  The current
                trainers break ties by fixed rules and never draw.
            threads: native threads that count spans; the result does not depend on them.
            progress: called with (step, done, total or None); steps are ``"count"`` (texts),
                ``"merge"`` and ``"prune"`` (pieces).

        Raises:
            ArgumentError: ``vocab_size`` has no room for special tokens, bytes and characters, or
                an option is out of range.
        """
        from segmenter.subword.training import TrainingOptions, train

        chosen = TrainingOptions(**options)
        fallback = chosen.byte_fallback and chosen.model != "wordpiece" and not chosen.byte_level
        chosen = chosen._replace(byte_fallback=fallback, special=tuple(chosen.special))
        return cls._from_parts(train(texts, chosen))

    def train_new_from_iterator(
        self,
        text_iterator: Iterable[str],
        vocab_size: int,
        length: int | None = None,
        new_special_tokens: Iterable[str] = (),
        **options: Any,
    ) -> Tokenizer:
        """Train a Tokenizer with the same steps, model type and special tokens on other texts.

        Args:
            text_iterator: any number of str.
            length: number of texts; accepted for compatibility with ``transformers``, and ignored.
            new_special_tokens: follow the special tokens of this Tokenizer.
            **options: other options of :meth:`train_from_iterator`.

        Raises:
            ArgumentError: models of this kind cannot be trained; an invalid option; a
                post-processor's token that would have no id.
        """
        from segmenter.subword.training import train_new

        parts = train_new(
            self._to_parts(), text_iterator, vocab_size, tuple(new_special_tokens), options
        )
        return type(self)._from_parts(parts)

    # --- files -----------------------------------------------------------------------------------

    def config(self) -> dict[str, Any]:
        """The whole Tokenizer in the form of ``tokenizer.json`` (Hugging Face ``tokenizers``).

        Our own steps (``Words``, ``Width``, ``Blanks``) appear under their names, which that
        library does not know.
        """
        return self._to_parts().config()

    def to_bytes(self) -> bytes:
        """The content of the file that :meth:`save` writes; :meth:`from_bytes` reads it."""
        return artifact.pack(KIND, *packed(self._to_parts()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the Tokenizer to one file, atomically.

        A :class:`~segmenter.subword.pretokenise.Words` pre-tokeniser is written as the name and
        fingerprint of its Segmenter, without the lexicon.

        Raises:
            ArtifactError: the file cannot be written.
        """
        artifact.write(path, KIND, *packed(self._to_parts()))

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, segmenter: Cutter | None = None, verify: bool = True
    ) -> Tokenizer:
        """Read a file written by :meth:`save`.

        Args:
            segmenter: for a vocabulary of words: use this instead of the Segmenter that the file
                names.
            verify: check every byte of the file.

        Raises:
            ArtifactError: the file is missing, damaged, foreign or newer than this package.
            ArgumentError: the Segmenter that the file names gives other boundaries here.
        """
        try:
            art = artifact.open(path, KIND, verify)
        except ArtifactError as e:
            raise ArtifactError(e.path, e.reason, e.remedy.replace(REBUILD, REMEDY)) from None
        return cls._from_artifact(art, segmenter)

    def save_pretrained(self, folder: str | os.PathLike[str]) -> str:
        """Write the Tokenizer to a folder, as ``transformers`` does; create the folder if needed.

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
        """Read a folder written by :meth:`save_pretrained`; never uses the network."""
        return cls.load(os.path.join(path_of(folder), PRETRAINED), segmenter=segmenter)

    @classmethod
    def from_bytes(
        cls, data: bytes, name: str = "<bytes>", segmenter: Cutter | None = None
    ) -> Tokenizer:
        """Read the bytes returned by :meth:`to_bytes`."""
        return cls._from_artifact(artifact.from_bytes(data, name, KIND), segmenter)

    @classmethod
    def _from_artifact(cls, art: artifact.Artifact, segmenter: Cutter | None) -> Tokenizer:
        tokenizer = cls._from_parts(opened(art, segmenter))
        if segmenter is None:
            tokenizer._digest = art.digest
        return tokenizer

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[Any, ...]]:
        cutter = pretokenise.cutter_of(self.pretokeniser)
        return type(self).from_bytes, (self.to_bytes(), self.name, cutter)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}: {self.model!r}>"


def _pair(text: str | tuple[str, str]) -> tuple[str, str | None]:
    if isinstance(text, (tuple, list)):
        if len(text) != 2:
            raise ArgumentError(f"texts: {len(text)} texts, expected one or a pair")
        return text[0], text[1]
    return text, None


def _inputs(encoding: Encoding, offsets: bool) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {
        "input_ids": encoding.ids,
        "token_type_ids": encoding.type_ids,
        "attention_mask": encoding.attention_mask,
    }
    if offsets:
        columns["offset_mapping"] = encoding.offsets
    return columns


class _Cached(dict[int, _Value]):
    """Values by number, computed on first access."""

    def __init__(self, make: Callable[[int], _Value]) -> None:
        self._make = make

    def __missing__(self, number: int) -> _Value:
        value = self[number] = self._make(number)
        return value
