"""Mistral's ``tekken.json``: ranks as in tiktoken's files, numbered after the special tokens."""

from __future__ import annotations

import binascii
import os
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.subword import pretokenise
from segmenter.subword.added import AddedToken
from segmenter.subword.formats import tiktoken
from segmenter.subword.formats.files import FormatError, read_json
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from typing import Any

#: The special tokens of files that do not list any.
SPECIAL = (
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]",
    "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)  # fmt: skip


def load(path: str | os.PathLike[str]) -> Tokenizer:
    """Read a ``tekken.json``, with the ids of ``mistral-common``.

    ``encode`` gives the same ids as ``Tekkenizer.encode(text, bos=False, eos=False)``.

    Raises:
        FormatError: the file is damaged.
        OSError: it cannot be read.
    """
    return from_config(read_json(path), os.fspath(path))


def is_tekken(config: Any) -> bool:
    """Whether the content of a JSON file is a ``tekken.json``."""
    return isinstance(config, dict) and "model" not in config and {"config", "vocab"} <= set(config)


def from_config(config: Any, name: str = "tekken.json") -> Tokenizer:
    """The Tokenizer that the content of a ``tekken.json`` describes.

    Raises:
        FormatError: as in :func:`load`.
    """
    try:
        options = config["config"]
        count = int(options["default_num_special_tokens"])
        size = int(options["default_vocab_size"]) - count
        rows = config.get("special_tokens")
        special = list(SPECIAL) if rows is None else [row["token_str"] for row in rows]
        special += [f"<SPECIAL_{i}>" for i in range(len(special), count)]
        ranks: dict[bytes, int] = {}
        for row in config["vocab"][: max(size, 0)]:
            piece = binascii.a2b_base64(row["token_bytes"], strict_mode=True)
            ranks[piece] = int(row["rank"]) + count
        pretokeniser = pretokenise.Split(options["pattern"], "Removed", invert=True)
        return Tokenizer(
            tiktoken.model_of(ranks),
            pretokeniser=pretokeniser,
            added=[AddedToken(token, i) for i, token in enumerate(special)],
            name=name,
        )
    except (KeyError, TypeError, ValueError, AttributeError, ArgumentError) as e:
        raise FormatError(name, f"is not a tekken.json: {e}") from e
