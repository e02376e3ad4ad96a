"""Our Tokenizers in ``transformers``: ``PreTrainedTokenizerFast``, and one that splits by words.

>>> tokenizer = to_transformers(subword.load("bpe"))                        # doctest: +SKIP
>>> tokenizer.save_pretrained("folder")                                     # doctest: +SKIP
>>> WordTokenizerFast.from_pretrained("folder")("他说的确实在理")["input_ids"]  # doctest: +SKIP

``AutoTokenizer`` finds the class once this module is imported, or with ``trust_remote_code=True``,
because the folder names it (``auto_map``).  Otherwise it refuses to load the folder, and so does
``tokenizers``, since without word segmentation the ids would differ.

Importing this module imports ``transformers``.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING

from segmenter.errors import MissingExtraError
from segmenter.subword.formats import huggingface

try:
    from transformers import AutoTokenizer, PretrainedConfig, PreTrainedTokenizerFast
except ImportError as e:
    raise MissingExtraError("subword", "transformers", "a tokenizer of transformers") from e

if TYPE_CHECKING:
    from typing import Any, Self

    from segmenter.subword.tokenizer import Tokenizer


#: The module in a saved folder that names the class for ``AutoTokenizer``.
MODULE = "segmenter_words"
_SOURCE = """from segmenter.subword.formats.transformers import WordTokenizerFast

__all__ = ["WordTokenizerFast"]
"""


class WordTokenizerFast(PreTrainedTokenizerFast):  # type: ignore[misc]
    """A ``PreTrainedTokenizerFast`` whose pre-tokenizer is word segmentation.

    ``tokenizer_config.json`` stores how the Segmenter was loaded, and its fingerprint;
    ``from_pretrained`` and ``pickle`` load it again from that.

    Args:
        words: the entry of the pre-tokeniser, see :func:`to_transformers`.
        **options: those of ``PreTrainedTokenizerFast``.

    Raises:
        ArgumentError: the entry names no Segmenter, or one that gives other boundaries here.
    """

    def __init__(self, *args: Any, words: dict[str, Any], **options: Any) -> None:
        file = options.pop("tokenizer_file", None)
        if file is not None and options.get("tokenizer_object") is None:
            options["tokenizer_object"] = huggingface.without_words(file)
        super().__init__(*args, words=words, **options)
        self.words = words
        self._attach()

    @classmethod
    def convert_to_native_format(cls, **options: Any) -> dict[str, Any]:
        """Called by ``transformers`` 5 before loading; leaves ``tokenizer.json`` unchanged."""
        if options.get("tokenizer_file") is None:
            converted: dict[str, Any] = super().convert_to_native_format(**options)
            return converted
        options.pop("trust_remote_code", None)
        return options

    def _attach(self) -> None:
        huggingface.attach(self.backend_tokenizer, self.words)

    def _plain(self) -> Any:
        """The library's tokenizer without our pre-tokenizer, which it cannot write."""
        backend = self.backend_tokenizer
        pretokenizer = backend.pre_tokenizer
        backend.pre_tokenizer = huggingface.library().pre_tokenizers.Sequence([])
        try:
            return copy.deepcopy(backend)
        finally:
            backend.pre_tokenizer = pretokenizer

    def save_pretrained(self, *args: Any, **options: Any) -> tuple[str, ...]:
        """See ``PreTrainedTokenizerFast.save_pretrained``."""
        backend: Any = self.backend_tokenizer
        self._tokenizer = self._plain()
        try:
            saved: tuple[str, ...] = super().save_pretrained(*args, **options)
        finally:
            self._tokenizer = backend
        self._name_words(Path(args[0] if args else options["save_directory"]))
        return saved

    def _name_words(self, folder: Path) -> None:
        """Write to a saved folder which words and class its tokenizer needs."""
        for name, key, value in (
            ("tokenizer.json", "pre_tokenizer", self.words),
            ("tokenizer_config.json", "auto_map", {
                "AutoTokenizer": [None, f"{MODULE}.{type(self).__name__}"]}),
        ):  # fmt: skip
            path = folder / name
            if not path.is_file():  # saved under a prefix, which AutoTokenizer does not read
                continue
            data = json.loads(path.read_text("utf-8"))
            data[key] = value
            path.write_text(json.dumps(data, ensure_ascii=False, indent=2), "utf-8")
        (folder / f"{MODULE}.py").write_text(_SOURCE, "utf-8")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_tokenizer": self._plain()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._attach()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        clone = self.__class__.__new__(self.__class__)
        memo[id(self)] = clone
        clone.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return clone


class _WordConfig(PretrainedConfig):  # type: ignore[misc]
    """A config required by ``AutoTokenizer.register``; no model uses it."""

    model_type = "segmenter-words"


AutoTokenizer.register(_WordConfig, fast_tokenizer_class=WordTokenizerFast, exist_ok=True)


def to_transformers(tokenizer: Tokenizer, **options: Any) -> Any:
    """A tokenizer of ``transformers`` that gives the same ids.

    Args:
        tokenizer: one of ours; if it splits by words, its Segmenter must have been loaded by name.
        **options: those of ``PreTrainedTokenizerFast``: ``unk_token``, ``pad_token``,
            ``model_max_length``, ….

    Raises:
        ArgumentError: see :func:`segmenter.subword.formats.huggingface.to_tokenizers`, or the
            Segmenter was not loaded by name.
    """
    plain, words = huggingface.without_words_step(tokenizer)
    if words is None:
        return PreTrainedTokenizerFast(tokenizer_object=plain, **options)
    return WordTokenizerFast(tokenizer_object=plain, words=words, **options)
