"""Other libraries that encode with published vocabularies, each behind one call: text to ids.

None is a dependency: each is measured if it is installed and can read the file.  Libraries that
only have files of their own (bpe-openai, rs_bpe, blingfire) are called with the name of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segmenter.subword.formats.tiktoken import read_ranks

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
    """(library, its call) for each installed library that accepts the file.

    No call adds special tokens.  One that gives an array is left with it: a list costs more.

    Args:
        path: a ``tokenizer.json``, a rank file of tiktoken's or a model of SentencePiece's.
        ours: the same file here; says which pattern a rank file is cut with.
    """
    pattern = getattr(ours.pretokeniser, "pattern", "")
    for name, make in MAKERS[path.suffix].items():
        try:
            yield name, make(import_module(name.replace("-", "_")), path, pattern)
        except Exception as e:  # whatever it raises: it does not take the file
            reason = " ".join(str(e).split())[:100]
            print(f"{path.name}: {name}: {type(e).__name__}: {reason}", flush=True)


def _tokenizers(library: Any, path: Path, pattern: str) -> Encode:
    tokenizer = library.Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def _fastokens(library: Any, path: Path, pattern: str) -> Encode:
    tokenizer = library.Tokenizer.from_file(str(path))
    return lambda text: tokenizer.encode(text).ids


def _tokie(library: Any, path: Path, pattern: str) -> Encode:
    tokenizer = library.Tokenizer.from_json(str(path))
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def _kitoken(library: Any, path: Path, pattern: str) -> Encode:
    kind = {".json": "tokenizers", ".tiktoken": "tiktoken", ".model": "sentencepiece"}[path.suffix]
    tokenizer = getattr(library.Kitoken, f"from_{kind}_file")(str(path))
    return partial(tokenizer.encode, encode_specials=False)


def _gigatoken(library: Any, path: Path, pattern: str) -> Encode:
    tokenizer = library.Tokenizer
    if path.suffix == ".json":
        return tokenizer.from_json(path.read_bytes()).encode  # type: ignore[no-any-return]
    kind = tokenizer.from_sentencepiece if path.suffix == ".model" else tokenizer.from_tiktoken
    return kind(path).encode  # type: ignore[no-any-return]


def _tiktoken(library: Any, path: Path, pattern: str) -> Encode:
    encoding = library.Encoding(
        path.stem, pat_str=pattern, mergeable_ranks=read_ranks(path), special_tokens={}
    )
    return encoding.encode_ordinary  # type: ignore[no-any-return]


def _riptoken(library: Any, path: Path, pattern: str) -> Encode:
    return library.CoreBPE(read_ranks(path), {}, pattern).encode_ordinary  # type: ignore[no-any-return]


def _bpe_openai(library: Any, path: Path, pattern: str) -> Encode:
    return library.get_encoding(path.stem).encode_ordinary  # type: ignore[no-any-return]


def _rs_bpe(library: Any, path: Path, pattern: str) -> Encode:
    return getattr(import_module("rs_bpe.openai"), path.stem)().encode  # type: ignore[no-any-return]


def _sentencepiece(library: Any, path: Path, pattern: str) -> Encode:
    return library.SentencePieceProcessor(model_file=str(path)).encode  # type: ignore[no-any-return]


def _blingfire(library: Any, path: Path, pattern: str) -> Encode:
    # its own files of the same vocabularies lie in the package
    names = {"gpt2": "gpt2.bin", "bert_zh": "bert_chinese.bin", "xlmr": "xlm_roberta_base.bin"}
    files = [file for key, file in names.items() if key in str(path.parent).lower()]
    model = library.load_model(str(Path(library.__file__).with_name(files[0])))

    def encode(text: str) -> list[int]:
        data = text.encode()
        encoded = library.utf8text_to_ids_with_offsets(
            model, data, len(data) + 8, unk=100, no_padding=True
        )
        return list(encoded[0])

    return encode


#: By the ending of a file; the first is the library that the file comes from.
MAKERS: dict[str, dict[str, Callable[[Any, Path, str], Encode]]] = {
    ".json": {
        "tokenizers": _tokenizers, "gigatoken": _gigatoken, "fastokens": _fastokens,
        "tokie": _tokie, "kitoken": _kitoken, "blingfire": _blingfire,
    },
    ".tiktoken": {
        "tiktoken": _tiktoken, "gigatoken": _gigatoken, "bpe-openai": _bpe_openai,
        "riptoken": _riptoken, "rs_bpe": _rs_bpe, "kitoken": _kitoken,
    },
    ".model": {"sentencepiece": _sentencepiece, "gigatoken": _gigatoken, "kitoken": _kitoken},
}  # fmt: skip
