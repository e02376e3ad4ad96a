"""Encoding: one text or a pair, batches, arrays, and inputs for ``transformers``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from segmenter.choices import checked_threads
from segmenter.errors import ArgumentError, wrong_type
from segmenter.subword.encoding import Encoding
from segmenter.subword.models.bpe import BPE
from segmenter.subword.tokenizer.made import Made

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random
    from typing import Any

    from numpy.typing import NDArray

    from segmenter.subword.added import Specials
    from segmenter.subword.lengths import Truncation
    from segmenter.subword.postprocess import Columns


class Encodes(Made):
    """The methods of a :class:`~segmenter.subword.Tokenizer` that encode texts."""

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
            ids = steps.ids(text, add_special) if self._whole() else None
            if ids is not None:
                later = partial(steps.one_by_one, text, add_special)
                return Encoding(text, ids, later, self.piece_of)
        chosen = self.allowed if allowed is None else self._added.chosen("allowed", allowed)
        barred: frozenset[str] = frozenset()
        if refused == "all":
            barred = self._added.specials - chosen
        elif refused:
            barred = self._added.chosen("refused", refused)
        first = steps.columns("text", text, chosen, barred)
        second = None if pair is None else steps.columns("pair", pair, chosen, barred).second()
        rows = [(first, second)]
        if self.truncation is not None:
            rows = self._windows(self.truncation, first, second, add_special)
        made, *others = [self._encoding(*row, add_special) for row in rows]
        made._overflowing = others
        if self.padding is not None:
            return made.padded(self.padding.length([len(made)]), self.padding)
        return made

    def _encoding(self, first: Columns, second: Columns | None, add_special: bool) -> Encoding:
        columns = self.postprocessor(first, second, add_special)
        return Encoding(columns.text, columns.ids, columns, self.piece_of)

    def _windows(
        self, how: Truncation, first: Columns, second: Columns | None, add_special: bool
    ) -> list[tuple[Columns, Columns | None]]:
        """The tokens to keep, then those cut off, in windows of equal length that overlap by
        ``stride``."""
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
        """``encode(text).ids``, but faster when nothing other than ids has to be tracked."""
        ids = self._steps.ids(text, True) if type(text) is str and self._whole() else None
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
            threads: native threads; used only for texts without pairs, truncation and padding.

        Raises:
            TypeError: ``texts`` is itself a str.
            ArgumentError: ``threads`` is not a number from 1 to 256; see also :meth:`encode`.
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

    def _batch(self, texts: list[Any], add_special: bool, threads: int) -> list[Encoding]:
        steps, piece_of = self._steps, self.piece_of
        rows = steps.batch(texts, add_special, threads, arrays=False)
        return [
            Encoding(text, ids, partial(steps.one_by_one, text, add_special), piece_of)
            for text, ids in zip(texts, rows, strict=True)
        ]

    def _whole(self) -> bool:
        """Whether the Tokenizer neither truncates nor pads."""
        return self.truncation is None and self.padding is None

    def _can_at_once(self) -> bool:
        """Whether the kernel has all steps (some texts may still need them one by one)."""
        return self._whole() and self._steps.kernel is not None

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
        if self._can_at_once():
            found: tuple[NDArray[Any], NDArray[Any]] = self._steps.batch(
                texts, add_special, threads, arrays=True
            )
            return found
        rows = [one.ids for one in self.encode_batch(texts, add_special=add_special)]
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
        gone = np.array([row is None for row in rows], bool)
        mask = pa.array(gone) if gone.any() else None
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
                raise ArgumentError("pair: only with one text; for several give pairs, [(a, b), …]")
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
        """Tokens drawn at random, for training: unigram sampling (Kudo 2018) or BPE dropout
        (Provilkov, Emelianenko & Voita 2020).

        Args:
            text: any str.
            random: the random number generator.
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
                    f"dropout: it is {alpha!r}, so no merge would be skipped and nothing sampled: "
                    "give dropout= (0.1, say; alpha is for unigram models)"
                )
        elif dropout is not None:
            raise ArgumentError("dropout: only for BPE models; for a unigram model give alpha=")
        columns = self._steps.columns("text", text, self.allowed, frozenset(), (random, alpha))
        return self._encoding(columns, None, True)


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
