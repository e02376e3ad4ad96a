"""Read the vocabularies of other libraries and run them with our own models: same text, same ids.

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

None needs the library that the format comes from.  :func:`load` chooses the format by file name:

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
    """Read a Tokenizer from a file of another library, or from a folder with a ``tokenizer.json``.

    ``*.json`` is read as ``tokenizer.json`` (``vocab.json`` as GPT-2's, with the ``merges.txt``
    next to it), ``*.model`` as SentencePiece's, ``*.tiktoken`` and any ``*.model`` with ranks as
    tiktoken's (known files are recognised by their digest), ``*.txt`` as BERT's vocabulary or
    RWKV's.  For options call the functions of the submodules.

    Raises:
        ArgumentError: the name does not indicate a format; an unknown rank file (call
            ``tiktoken.load`` with a preset or a pattern).
        FormatError: the file is damaged, or uses an unsupported feature.
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
        # Llama 3's tokenizer.model contains ranks
        ranks = tiktoken.is_ranks(name)
        return tiktoken.load(name) if ranks else sentencepiece.load(name)
    if name.endswith(".tiktoken"):
        return tiktoken.load(name)
    raise ArgumentError(
        f"path: {name!r} is not a tokenizer.json, vocab.txt, *.model or *.tiktoken: call the "
        "function of the module of its format"
    )
