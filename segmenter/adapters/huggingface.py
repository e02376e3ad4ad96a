"""Hugging Face: our words as a pre-tokenizer of ``tokenizers`` and as a map over ``datasets``.

For whole vocabularies (training, ids, ``tokenizer.json``, ``transformers``) see
:mod:`segmenter.subword`.

>>> step = pre_tokenizer()
>>> step.pre_tokenize_str("他说的确实在理")[-2:]
[('确实', (3, 5)), ('在理', (5, 7))]
>>> MapWords("text")({"text": ["他说的", None]})
{'words': [['他', '说', '的'], None]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import or_default, require
from segmenter.choices import one_of

if TYPE_CHECKING:
    from typing import Any

    from segmenter.core import Segmenter


def pre_tokenizer(segmenter: Segmenter | None = None) -> Any:
    """Return a ``tokenizers.pre_tokenizers.PreTokenizer`` that splits text into words.

    tokenizers cannot save or pickle a tokenizer whose pre-tokenizer is written in Python.  Replace
    it before saving (``tokenizer.pre_tokenizer = BertPreTokenizer()``) and set it again after
    loading, or use :func:`segmenter.subword.formats.transformers.to_transformers`, whose tokenizers
    save, load and pickle.

    Args:
        segmenter: None: the default preset; it must not drop words (``skip``).

    Raises:
        MissingExtraError: ``tokenizers`` is not installed.
    """
    library = require("tokenizers", "huggingface", "pre_tokenizer()")
    from segmenter.subword.formats.huggingface import WordPreTokenizer
    from segmenter.subword.pretokenise import Words

    words = Words(or_default(segmenter), join_blanks=False)
    return library.pre_tokenizers.PreTokenizer.custom(WordPreTokenizer(words))


class MapWords:
    """For ``Dataset.map(MapWords("text"), batched=True)``: adds a column of lists of words.

    If the dataset has the format ``"arrow"``, no Python string is created per word.  Its pickle is
    small (for ``num_proc=``), and equal ones pickle to equal bytes, so the cache of ``datasets``
    works.

    Args:
        column: name of the column of strings; None stays None.
        segmenter: None: the default preset.
        into: name of the new column.
        threads: native threads.

    Raises:
        MissingExtraError: ``pyarrow``, which ``datasets`` brings, is not installed.
    """

    def __init__(
        self,
        column: str,
        segmenter: Segmenter | None = None,
        *,
        into: str = "words",
        threads: int = 1,
    ) -> None:
        require("pyarrow", "huggingface", "MapWords")
        from segmenter.adapters.arrow import AddWords

        self.tables = AddWords(column, segmenter, into=into, threads=threads)

    def __call__(self, batch: Any) -> Any:
        """Return the new column of a dict of lists, or a ``pyarrow.Table`` with it.

        Raises:
            ArgumentError: the column is not in the batch; the message lists those that are.
            TypeError: the batch is a single row (``batched=True`` is missing).
        """
        if hasattr(batch, "column_names"):
            return self.tables(batch)
        column, segmenter = self.tables.column, self.tables.segmenter
        one_of("column", column, batch)
        texts = batch[column]
        if isinstance(texts, str) or texts is None:
            raise TypeError("batch is a single row: call map with batched=True")
        present = [text for text in texts if text is not None]
        words = iter(segmenter.cut_batch(present, threads=self.tables.threads))
        return {self.tables.into: [None if text is None else next(words) for text in texts]}
