"""Our Tokenizers as objects of Hugging Face ``tokenizers`` and ``transformers``.

The result does not depend on this package if ``tokenizer.json`` can express all steps.  It cannot
express word segmentation (:class:`~segmenter.subword.pretokenise.Words`): then the library's
tokenizer gets a :class:`WordPreTokenizer`, and for ``transformers``
:class:`segmenter.subword.formats.transformers.WordTokenizerFast` saves, loads and pickles it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from segmenter.errors import MissingExtraError
from segmenter.subword import pretokenise
from segmenter.subword.formats import tokenizer_json
from segmenter.subword.formats.tokenizer_json import has_step, steps_of

if TYPE_CHECKING:
    from typing import Any

    from segmenter.subword.pretokenise import Cutter
    from segmenter.subword.tokenizer import Tokenizer

WORDS = pretokenise.Words.kind


class WordPreTokenizer:
    """Word segmentation as a custom pre-tokenizer of ``tokenizers``; can be pickled.

    >>> from segmenter import load
    >>> step = WordPreTokenizer(pretokenise.Words(load("fast")))
    >>> step.words.split("他说的确实在理")[:3]
    [(0, 1), (1, 2), (2, 3)]
    """

    def __init__(self, words: pretokenise.Words) -> None:
        self.words = words

    def pre_tokenize(self, text: Any) -> None:
        """Called by ``tokenizers`` with its ``PreTokenizedString``."""
        text.split(self._cut)

    def _cut(self, _: int, part: Any) -> list[Any]:
        return [part[a:b] for a, b in self.words.split(str(part))]


def without_words(path: str) -> Any:
    """Read a ``tokenizer.json`` as the library's tokenizer, without its :class:`Words` step."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    if has_step(data.get("pre_tokenizer"), WORDS):
        data["pre_tokenizer"] = _sequence_entry([])
    return library().Tokenizer.from_str(json.dumps(data, ensure_ascii=False))


def to_tokenizers(tokenizer: Tokenizer) -> Any:
    """A ``tokenizers.Tokenizer`` that gives the same ids (see :func:`.tokenizer_json.save`).

    If it splits by words, the library can run it but neither save nor pickle it: save the original
    instead, or use :mod:`segmenter.subword.formats.transformers`.

    Raises:
        MissingExtraError: ``tokenizers`` is not installed.
        ArgumentError: that library has no equivalent of a step.
    """
    plain, entry = without_words_step(tokenizer)
    if entry is None:
        return plain
    attach(plain, entry, pretokenise.cutter_of(tokenizer.pretokeniser))
    return plain


def without_words_step(tokenizer: Tokenizer) -> tuple[Any, dict[str, Any] | None]:
    """A ``tokenizers.Tokenizer``, and the entry of a pre-tokeniser by words that it lacks, or None.

    Raises:
        MissingExtraError, ArgumentError: see :func:`to_tokenizers`.
    """
    entry = tokenizer.pretokeniser.config()
    words = has_step(entry, WORDS)
    config = tokenizer_json.to_config(tokenizer, words=not words)
    plain = library().Tokenizer.from_str(json.dumps(config))
    if not words or entry is None:
        return plain, None
    after = config["pre_tokenizer"]  # the bytes of a byte-level model
    return plain, _sequence_entry([*steps_of(entry), *steps_of(after)])


def attach(plain: Any, entry: dict[str, Any], segmenter: Cutter | None = None) -> None:
    """Give a ``tokenizers.Tokenizer`` the pre-tokeniser by words of an entry.

    Args:
        entry: as returned by
            :meth:`PreTokeniser.config <segmenter.subword.pretokenise.PreTokeniser.config>`.
        segmenter: the Segmenter to use; None: the one that the entry names.

    Raises:
        ArgumentError: the entry names no Segmenter, or one that gives other boundaries here.
    """
    hf = library()
    steps = []
    for step in steps_of(entry):
        if step["type"] == WORDS:
            words = pretokenise.make(step, segmenter)
            assert isinstance(words, pretokenise.Words)
            steps.append(hf.pre_tokenizers.PreTokenizer.custom(WordPreTokenizer(words)))
        else:
            state = {"model": {"type": "BPE", "vocab": {}, "merges": []}, "pre_tokenizer": step}
            steps.append(hf.Tokenizer.from_str(json.dumps(state)).pre_tokenizer)
    plain.pre_tokenizer = hf.pre_tokenizers.Sequence(steps)


def _sequence_entry(steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": steps}


def library() -> Any:
    """The package ``tokenizers``.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import tokenizers
    except ImportError as e:
        raise MissingExtraError("subword", "tokenizers", "an object of tokenizers") from e
    return tokenizers
