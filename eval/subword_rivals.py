"""Other libraries that encode with published vocabularies, each behind one call: text to ids.

None is a dependency: each is measured where it is installed and takes the file.  What has files of
its own only (bpe-openai, rs_bpe, blingfire) is asked for those by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from segmenter.subword.formats import tiktoken as ranks_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segmenter.subword import Tokenizer

Encode = Callable[[str], Sequence[int]]

#: Names at the package index.
PACKAGES = (
    "tokenizers", "tiktoken", "sentencepiece", "gigatoken", "fastokens", "tokie", "kitoken",
    "riptoken", "bpe-openai", "rs_bpe", "blingfire",
)  # fmt: skip


def rivals(path: Path, ours: Tokenizer) -> Iterator[tuple[str, Encode]]:
    """(library, its call) for every one that is installed and takes the file.

    No call adds special tokens.  One that gives an array is left with it: a list costs more.

    Args:
        path: a ``tokenizer.json``, a rank file of tiktoken's or a model of SentencePiece's.
        ours: the same file here; says which pattern a rank file is cut with.
    """
    pattern = getattr(ours.pretokeniser, "pattern", "")
    for name, make in MAKERS[path.suffix].items():
        try:
            yield name, make(path, pattern)
        except Exception as e:  # whatever it raises: it does not take the file
            reason = " ".join(str(e).split())[:100]
            print(f"{path.name}: {name}: {type(e).__name__}: {reason}", flush=True)


def _tokenizers(path: Path, pattern: str) -> Encode:
    from tokenizers import Tokenizer as Library

    made = Library.from_file(str(path))
    made.no_padding()
    made.no_truncation()

    def encode(text: str) -> list[int]:
        ids: list[int] = made.encode(text, add_special_tokens=False).ids
        return ids

    return encode


def _fastokens(path: Path, pattern: str) -> Encode:
    from fastokens import Tokenizer as Library

    made = Library.from_file(str(path))

    def encode(text: str) -> list[int]:
        ids: list[int] = made.encode(text).ids
        return ids

    return encode


def _tokie(path: Path, pattern: str) -> Encode:
    from tokie import Tokenizer as Library

    made = Library.from_json(str(path))

    def encode(text: str) -> list[int]:
        ids: list[int] = made.encode(text, add_special_tokens=False).ids
        return ids

    return encode


def _kitoken(path: Path, pattern: str) -> Encode:
    from kitoken import Kitoken

    make = {
        ".json": Kitoken.from_tokenizers_file,
        ".tiktoken": Kitoken.from_tiktoken_file,
        ".model": Kitoken.from_sentencepiece_file,
    }[path.suffix]
    encode: Encode = partial(make(str(path)).encode, encode_specials=False)
    return encode


def _gigatoken(path: Path, pattern: str) -> Encode:
    from gigatoken import Tokenizer as Library

    if path.suffix == ".json":
        made = Library.from_json(path.read_bytes())
    elif path.suffix == ".model":
        made = Library.from_sentencepiece(path)
    else:
        made = Library.from_tiktoken(path)
    encode: Encode = made.encode
    return encode


def _tiktoken(path: Path, pattern: str) -> Encode:
    from tiktoken import Encoding

    ranks = ranks_file.read_ranks(path)
    made = Encoding(path.stem, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    encode: Encode = made.encode_ordinary
    return encode


def _riptoken(path: Path, pattern: str) -> Encode:
    from riptoken import CoreBPE

    encode: Encode = CoreBPE(ranks_file.read_ranks(path), {}, pattern).encode_ordinary
    return encode


def _bpe_openai(path: Path, pattern: str) -> Encode:
    from bpe_openai import get_encoding

    encode: Encode = get_encoding(path.stem).encode_ordinary
    return encode


def _rs_bpe(path: Path, pattern: str) -> Encode:
    from rs_bpe import openai

    makers = {"cl100k_base": openai.cl100k_base, "o200k_base": openai.o200k_base}
    encode: Encode = makers[path.stem]().encode
    return encode


def _sentencepiece(path: Path, pattern: str) -> Encode:
    from sentencepiece import SentencePieceProcessor

    encode: Encode = SentencePieceProcessor(model_file=str(path)).encode
    return encode


def _blingfire(path: Path, pattern: str) -> Encode:
    import blingfire

    # its own files of the same vocabularies lie in the package
    name = {"gpt2": "gpt2.bin", "bert_zh": "bert_chinese.bin", "xlmr": "xlm_roberta_base.bin"}
    known = [file for key, file in name.items() if key in str(path.parent).lower()]
    model = blingfire.load_model(str(Path(blingfire.__file__).with_name(known[0])))

    def encode(text: str) -> list[int]:
        room = len(text.encode()) + 8
        given = blingfire.utf8text_to_ids_with_offsets(
            model, text.encode(), room, unk=100, no_padding=True
        )
        return list(given[0])

    return encode


#: By the ending of a file; the first is the library that the file comes from.
MAKERS: dict[str, dict[str, Callable[[Path, str], Encode]]] = {
    ".json": {
        "tokenizers": _tokenizers,
        "gigatoken": _gigatoken,
        "fastokens": _fastokens,
        "tokie": _tokie,
        "kitoken": _kitoken,
        "blingfire": _blingfire,
    },
    ".tiktoken": {
        "tiktoken": _tiktoken,
        "gigatoken": _gigatoken,
        "bpe-openai": _bpe_openai,
        "riptoken": _riptoken,
        "rs_bpe": _rs_bpe,
        "kitoken": _kitoken,
    },
    ".model": {
        "sentencepiece": _sentencepiece,
        "gigatoken": _gigatoken,
        "kitoken": _kitoken,
    },
}
