"""Vocabularies of other libraries, read and run by our own models: same text, same ids.

| module | reads | of |
|---|---|---|
| :mod:`.gpt2` | ``vocab.json`` and ``merges.txt`` | GPT-2 and its heirs |
| :mod:`.tokenizer_json` | ``tokenizer.json``, writes it too | Hugging Face |
| :mod:`.sentencepiece` | ``.model`` | SentencePiece |
| :mod:`.tiktoken` | ``.tiktoken`` rank files | OpenAI, Qwen, Llama 3 |
| :mod:`.bert` | ``vocab.txt`` | BERT |
| :mod:`.tekken` | ``tekken.json`` | Mistral |
| :mod:`.rwkv` | ``rwkv_vocab_v20230424.txt`` | RWKV |
| :mod:`.subword_nmt` | codes and vocabularies | subword-nmt |

None needs the library that a format comes from.  :func:`load` tells a file by its name:

>>> load("x.bin")
Traceback (most recent call last):
    ...
segmenter.errors.ArgumentError: path: 'x.bin' is not a tokenizer.json, vocab.txt, ...
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from segmenter.subword.tokenizer import Tokenizer


def load(path: str | os.PathLike[str]) -> Tokenizer:
    """The Tokenizer in a file of another library, or in a folder that has a ``tokenizer.json``.

    ``*.json`` is read as ``tokenizer.json`` (``vocab.json``: as GPT-2's, with the ``merges.txt``
    beside it), ``*.model`` as SentencePiece's, ``*.tiktoken`` as ranks (a ``*.model`` that holds
    ranks too), of which some files are known by their digest, ``*.txt`` as BERT's vocabulary or
    RWKV's.  The modules' own functions take options.

    Raises:
        ArgumentError: the name tells no format; a rank file that is not known (call
            ``tiktoken.load`` with a preset or a pattern).
        FormatError: the file is damaged, or needs what is not supported.
        OSError: it cannot be read.
    """
    from segmenter.subword.formats import (
        bert,
        files,
        gpt2,
        rwkv,
        sentencepiece,
        tekken,
        tiktoken,
        tokenizer_json,
    )

    name = os.fspath(path)
    if os.path.isdir(name):
        name = os.path.join(name, "tokenizer.json")
    if os.path.basename(name) == "vocab.json":
        return gpt2.load(name, os.path.join(os.path.dirname(name), "merges.txt"))
    if name.endswith(".json"):
        content = files.read_json(name)
        if tekken.is_tekken(content):
            return tekken.from_config(content, name)
        return tokenizer_json.from_config(content, name)
    if name.endswith(".txt"):
        return rwkv.load(name) if rwkv.is_rwkv(name) else bert.load(name)
    if name.endswith(".model"):
        # Llama 3's tokenizer.model holds ranks
        ranks = tiktoken.is_ranks(name)
        return tiktoken.load(name) if ranks else sentencepiece.load(name)
    if name.endswith(".tiktoken"):
        return tiktoken.load(name)
    raise ArgumentError(
        f"path: {name!r} is not a tokenizer.json, vocab.txt, *.model or *.tiktoken: call the "
        "function of the module of its format"
    )
