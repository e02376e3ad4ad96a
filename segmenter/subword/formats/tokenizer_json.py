"""``tokenizer.json``, the form of Hugging Face ``tokenizers``, read and written.

The steps and their options are those of :mod:`segmenter.subword`'s own modules, which take them
from there.  Truncation and padding are left to the libraries.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from segmenter import artifact
from segmenter.errors import ArgumentError
from segmenter.subword import decode, normalise, postprocess, pretokenise
from segmenter.subword.bpe import BPE
from segmenter.subword.formats.files import FormatError, read_json
from segmenter.subword.tokenizer import AddedToken, Tokenizer
from segmenter.subword.unigram import Unigram
from segmenter.subword.wordpiece import WordPiece

if TYPE_CHECKING:
    from typing import Any

    from segmenter.subword.model import Model
    from segmenter.subword.pretokenise import Cutter


def load(path: str | os.PathLike[str], *, segmenter: Cutter | None = None) -> Tokenizer:
    """The Tokenizer in a ``tokenizer.json``.

    Special tokens in a text are found, as in that library (``allowed="all"``).

    Args:
        path: the file.
        segmenter: what cuts words, for a file whose pre-tokeniser is ours.

    Raises:
        FormatError: the file is damaged, or a step is of a type that is not known here.
        OSError: it cannot be read.
    """
    return from_config(read_json(path), os.fspath(path), segmenter)


def from_config(
    config: Any, name: str = "tokenizer.json", segmenter: Cutter | None = None
) -> Tokenizer:
    """The Tokenizer that the content of a ``tokenizer.json`` describes.

    Raises:
        FormatError: as in :func:`load`.
    """
    if not isinstance(config, dict) or not isinstance(config.get("model"), dict):
        raise FormatError(name, "an object with a model is wanted")
    try:
        return Tokenizer(
            _model(config["model"], _is_byte_level(config)),
            normaliser=normalise.make(config.get("normalizer")),
            pretokeniser=pretokenise.make(config.get("pre_tokenizer"), segmenter),
            postprocessor=postprocess.make(config.get("post_processor")),
            decoder=decode.make(config.get("decoder")),
            added=[_added(entry) for entry in config.get("added_tokens", ())],
            allowed="all",
            name=name,
        )
    except (ArgumentError, TypeError) as e:
        raise FormatError(name, str(e)) from e
    except KeyError as e:
        raise FormatError(name, f"an entry lacks {e}") from e


def save(tokenizer: Tokenizer, path: str | os.PathLike[str]) -> None:
    """Writes a ``tokenizer.json`` that ``tokenizers`` and ``transformers`` load.

    It gives the same ids there, with two reservations: what this library finds of special tokens
    in a text depends on the caller, that one always finds them; and of two ways to a piece of
    equal rank (tiktoken, SentencePiece) that one prefers one way everywhere.

    Raises:
        ArgumentError: the file cannot say what a step does; the message says what can be done.
        ArtifactError: it cannot be written.
    """
    data = json.dumps(to_config(tokenizer), ensure_ascii=False, indent=1).encode("utf-8")
    artifact.write_whole(path, data)


def to_config(tokenizer: Tokenizer) -> dict[str, Any]:
    """The content of the ``tokenizer.json`` that :func:`save` writes.

    Raises:
        ArgumentError: as there.
    """
    config = tokenizer.config()
    return config


def _is_byte_level(config: dict[str, Any]) -> bool:
    """Whether a step writes bytes in their alphabet: then the model's symbols are bytes."""

    def has(step: Any) -> bool:
        if not isinstance(step, dict):
            return False
        inner = step.get("pretokenizers", step.get("normalizers", ()))
        return step.get("type") == "ByteLevel" or any(map(has, inner))

    return has(config.get("pre_tokenizer")) or has(config.get("normalizer"))


def _added(entry: dict[str, Any]) -> AddedToken:
    return AddedToken(
        entry["content"],
        entry["id"],
        special=entry.get("special", False),
        single_word=entry.get("single_word", False),
        lstrip=entry.get("lstrip", False),
        rstrip=entry.get("rstrip", False),
        normalized=entry.get("normalized", not entry.get("special", False)),
    )


def _model(config: dict[str, Any], byte_level: bool) -> Model:
    kind = config.get("type") or _guessed(config)
    if kind == "BPE":
        merges = config["merges"]
        return BPE(
            config["vocab"],
            [tuple(m.split(" ", 1)) if isinstance(m, str) else (m[0], m[1]) for m in merges],
            byte_level=byte_level,
            byte_fallback=config.get("byte_fallback", False),
            unk=config.get("unk_token"),
            fuse_unk=config.get("fuse_unk", False),
            continuing_prefix=config.get("continuing_subword_prefix"),
            end_of_word_suffix=config.get("end_of_word_suffix"),
            dropout=config.get("dropout") or 0.0,
            ignore_merges=config.get("ignore_merges", False),
        )
    if kind == "WordPiece":
        return WordPiece(
            config["vocab"],
            config.get("unk_token", "[UNK]"),
            config.get("continuing_subword_prefix", "##"),
            config.get("max_input_chars_per_word", 100),
        )
    if kind == "Unigram":
        return Unigram(
            [(piece, score) for piece, score in config["vocab"]],
            config.get("unk_id"),
            config.get("byte_fallback", False),
        )
    raise ArgumentError(f"model: the type {kind!r} is none of BPE, Unigram, WordPiece")


def _guessed(config: dict[str, Any]) -> str:
    """The type of a model of a file from before types were written."""
    if "merges" in config:
        return "BPE"
    return "Unigram" if isinstance(config.get("vocab"), list) else "WordPiece"
