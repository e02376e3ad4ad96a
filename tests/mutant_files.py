"""Files that are no artifacts: word lists, user dictionaries, n-gram counts, models as text, and
vocabularies of other libraries.  See :mod:`mutants`.

Each kind is a sound file, how it is changed, and what is done with it.
"""

from __future__ import annotations

import base64
import functools
import json
import random
import struct
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import network_text
import tagger_text
import worlds
from mutant_uses import MODELS, SHORT, Turn, cut, each, tokenizers, use_tokenizer, world
from mutations import changed_bytes, changed_json, changed_lines

from segmenter import Segmenter
from segmenter.lexicon import Lexicon
from segmenter.lexicon.sources import read_ngrams, read_words
from segmenter.lexicon.user import UserDictionary
from segmenter.subword.formats import gpt2, sentencepiece, subword_nmt, tiktoken, tokenizer_json
from segmenter.subword.models.model import BYTE_PIECES, BYTE_TO_CHAR
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model

if TYPE_CHECKING:
    from collections.abc import Callable


class Plain(NamedTuple):
    """A kind of file without checksums.

    Attributes:
        data: a sound file.
        how: ``"json"``, ``"lines"`` or ``"bytes"``: what is changed.
        use: does with a file all that its kind can do.
        name: of the file.
    """

    data: bytes
    how: str
    use: Callable[[Path], None]
    name: str


def use_plain(kind: Plain, data: bytes) -> None:
    """Writes a file and uses it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(_folder().name) / kind.name
        path.write_bytes(data)
        kind.use(path)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """One folder for all files of a run: to make and remove one takes longer than many mutants."""
    return tempfile.TemporaryDirectory()


def plain_mutant(kind: Plain, number: int, name: str) -> tuple[bytes, str]:
    """The bytes of a mutant, the same for the same number, and what was changed."""
    pick = random.Random(f"{name} {number}")
    data, notes = kind.data, []
    config = json.loads(data) if kind.how == "json" else None
    for _ in range(pick.choice((1, 1, 2, 3))):
        if kind.how == "json":
            config, note = changed_json(pick, config)
        elif kind.how == "lines" and pick.random() < 0.8:
            data, note = changed_lines(pick, data)
        else:
            data, note = changed_bytes(pick, data)
        notes.append(note)
    if kind.how == "json":
        data = json.dumps(config).encode("utf-8")
        if pick.random() < 0.1:
            data, note = changed_bytes(pick, data)
            notes.append(note)
        if pick.random() < 0.02:
            data = b'{"model":' * 5000 + data
            notes.append("nested deeply")
    return data, "; ".join(notes)


# --- dictionaries --------------------------------------------------------------------------------


def _words(path: Path) -> None:
    for errors in ("skip", "raise"):
        words = read_words(path, errors=errors)
        if words.entries and Turn.one(4) == 0:  # characters of all of Unicode: it takes long
            lexicon = Lexicon.build(words.entries, kinds=words.kinds)
            cut(Segmenter(lexicon), SHORT)


def _ngrams(path: Path) -> None:
    for errors in ("skip", "raise"):
        rows = read_ngrams(path, 2, errors=errors).rows
        if Turn.one(4) == 0:
            lexicon = Lexicon.build([(w, n, "") for w, n in worlds.COUNTS.items()], bigrams=rows)
            cut(Segmenter(lexicon, decoder="bigram"), SHORT)


def _user(path: Path) -> None:
    for errors in ("skip", "raise"):
        user = UserDictionary.load(path, errors=errors)
        reloaded = UserDictionary.load(user.dumps().encode(), format="tsv")
        assert [word.word for word in reloaded] == [word.word for word in user]
        cut(Segmenter(world(), user=user), SHORT)


_TSV = """\
的确\tforce\td
中华人民共和国\t\tns\t一个国家
云计算\t50\tn\t\\j{"id": [1, 2.5, "x"]}
提|出\tsplit
人|民\tsplit:prefer
民共\tdelete
iPhone 15\tprefer\tnz\t\tfold,inside
國際\t\t\t\tscript
a\\tb\t
"""
_JSONL = """\
{"word": "的确", "level": "force", "tag": "d"}
{"word": "云计算", "weight": 50, "payload": {"id": [1, 2.5, "x"]}}
{"word": "提出", "level": "force", "parts": ["提", "出"]}
{"word": "民共", "level": "delete"}
{"word": "國際", "script": true, "fold": true, "inside": false}
"日日"
"""
_JIEBA = "的确 100 d\n研究 100 v\n云计算 5\n创新办 3 i\n凱特琳 nz\n台中\n"


# --- models as text ------------------------------------------------------------------------------


def _model_text() -> bytes:
    from segmenter.train import tagger

    options = tagger.TaggerOptions(epochs=1)
    trained = tagger.train(tagger_text.TRAIN[:30], None, [tagger_text.OUTER], options)
    return ("\n".join(trained.model.lines()) + "\n").encode()


def _use_model(path: Path) -> None:
    from segmenter import artifact
    from segmenter.tagging.predictor import Predictor

    packed = artifact.pack(form.KIND, *compile_model(form.read(path)))
    predictor = Predictor.from_bytes(packed)
    kind = predictor.meta.get("algorithm", "crf")
    cut(Segmenter(None, decoder=kind, tagger=predictor), SHORT)


def _npz() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        network_text.network(hidden=4, layers=1).save(path)
        return path.read_bytes()


# --- vocabularies of other libraries -------------------------------------------------------------


def _ranks() -> bytes:
    pieces = [bytes([b]) for b in range(256)]
    pieces += [w.encode()[:k] for w in ("的确", "确实") for k in (2, 3, 5, 6)] + [b"lo", b"low"]
    rows = [f"{base64.b64encode(p).decode()} {i}" for i, p in enumerate(dict.fromkeys(pieces))]
    return "\n".join(rows).encode() + b"\n"


def message(*fields: tuple[int, int | float | bytes]) -> bytes:
    """A message of protocol buffers: varints, floats and bytes."""

    def varint(value: int) -> bytes:
        digits = bytearray()
        while value > 0x7F:
            digits.append(value & 0x7F | 0x80)
            value >>= 7
        return bytes([*digits, value])

    encoded = b""
    for number, value in fields:
        if isinstance(value, bytes):
            encoded += varint(number << 3 | 2) + varint(len(value)) + value
        elif isinstance(value, float):
            encoded += varint(number << 3 | 5) + struct.pack("<f", value)
        else:
            encoded += varint(number << 3) + varint(value)
    return encoded


def sentencepiece_model(kind: int, charsmap: bytes = b"") -> bytes:
    """A small ``.model``: ``kind`` 1 is unigram, 2 BPE."""
    rows: list[tuple[str, float, int]] = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("低", 0.0, 4)]
    rows += [(piece, 0.0, 6) for piece in BYTE_PIECES]
    words = ["▁", "的", "确", "实", "在", "理", "的确", "确实", "在理", "确实在理", "l", "o", "lo"]
    rows += [(w, -float(i), 1) for i, w in enumerate(words)]
    pieces = [(1, message((1, p.encode()), (2, s), (3, t))) for p, s, t in rows]
    trainer = message((3, kind), (35, 1), (44, " ⁇ ".encode()))
    normaliser = message((1, b"x"), (2, charsmap), (3, 1), (4, 1), (5, 1))
    return message(*pieces, (2, trainer), (3, normaliser))


def _charsmap() -> bytes:
    """A double array of one rule, ``A`` to ``a``."""
    units = [1 << 10, *[0] * 511]
    units[1 ^ 0x41] = 0x41 | 1 << 8 | (0x100 ^ 1 ^ 0x41) << 10
    units[0x100] = 1 << 31
    return struct.pack("<I512I", 2048, *units) + b"a\0"


def _merges() -> tuple[dict[str, int], str]:
    pieces = [BYTE_TO_CHAR[b] for b in range(256)]
    merges = [("l", "o"), ("lo", "w"), ("Ġ", "lo"), ("e", "r")]
    vocab = {p: i for i, p in enumerate([*pieces, *(a + b for a, b in merges)])}
    return {**vocab, "<|endoftext|>": len(vocab)}, "\n".join(f"{a} {b}" for a, b in merges)


def _gpt2(path: Path) -> None:
    vocab, merges = _merges()
    if path.name == "vocab.json":
        (path.parent / "merges.txt").write_text(merges, encoding="utf-8")
    else:
        (path.parent / "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
    use_tokenizer(gpt2.load(path.parent / "vocab.json", path.parent / "merges.txt"))


def _codes(path: Path) -> None:
    codes = subword_nmt.load(path)
    each(*(lambda text=text: codes.segment(text) for text in SHORT))
    use_tokenizer(codes.tokenizer())


def _vocabulary(path: Path) -> None:
    codes = path.parent / "codes"
    codes.write_text("#version: 0.2\nl o\nlo w</w>\n", encoding="utf-8")
    subword_nmt.load(codes, path, threshold=2).segment("low lower lo")


def _json(name: str) -> bytes:
    config = tokenizer_json.to_config(tokenizers()[name])
    options = {"add_prefix_space": True, "trim_offsets": True}
    steps = [{"type": "NFKC"}, {"type": "BertNormalizer", "lowercase": True}, config["normalizer"]]
    config["normalizer"] = {"type": "Sequence", "normalizers": [s for s in steps if s]}
    if name == "bpe":
        config["post_processor"] = {"type": "ByteLevel", **options, "use_regex": True}
        config["decoder"] = {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ]}  # fmt: skip
    elif name == "wordpiece":
        config["post_processor"] = {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[UNK]", "type_id": 0}},
                       {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}},
                     {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[UNK]": {"id": "[UNK]", "ids": [0], "tokens": ["[UNK]"]}},
        }  # fmt: skip
        config["decoder"] = {"type": "WordPiece", "prefix": "##", "cleanup": True}
    return json.dumps(config).encode()


def _plain() -> dict[str, Callable[[], Plain]]:
    rows = [f"{w}\t{n}\tx" for w, n in worlds.COUNTS.items()]
    ngrams = "的\t确\t3\n<s>\t他\t5\n的确\t<any>\t7\n<num>\t年\t2\n"
    vocab, merges = _merges()

    def tokens(path: Path) -> None:
        use_tokenizer(tiktoken.load(path, pattern=r"\w+|[^\w]", special={"<s>": 99999}))

    return {
        "words": lambda: Plain("\n".join(rows).encode(), "lines", _words, "words.tsv"),
        "words-jieba": lambda: Plain(_JIEBA.encode(), "lines", _words, "dict.txt"),
        "ngrams": lambda: Plain(ngrams.encode(), "lines", _ngrams, "bigrams.tsv"),
        "user-tsv": lambda: Plain(_TSV.encode(), "lines", _user, "words.tsv"),
        "user-jsonl": lambda: Plain(_JSONL.encode(), "lines", _user, "words.jsonl"),
        "user-jieba": lambda: Plain(_JIEBA.encode(), "lines", _user, "words.txt"),
        "model-text": lambda: Plain(_model_text(), "lines", _use_model, "model.txt"),
        "model-npz": lambda: Plain(
            _npz(), "bytes", lambda path: bilstm_crf.read(path) and None, "model.npz"
        ),
        "tiktoken": lambda: Plain(_ranks(), "lines", tokens, "x.tiktoken"),
        **{
            f"sentencepiece-{name}": lambda kind=kind: Plain(  # type: ignore[misc]
                sentencepiece_model(kind, _charsmap()),
                "bytes",
                lambda path: use_tokenizer(sentencepiece.load(path)),
                "x.model",
            )
            for kind, name in ((1, "unigram"), (2, "bpe"))
        },
        "gpt2-vocab": lambda: Plain(json.dumps(vocab).encode(), "json", _gpt2, "vocab.json"),
        "gpt2-merges": lambda: Plain(merges.encode(), "lines", _gpt2, "merges.txt"),
        "codes": lambda: Plain(
            b"#version: 0.2\nl o\nlo w</w>\ne r\n", "lines", _codes, "codes.txt"
        ),
        "codes-vocabulary": lambda: Plain(b"l@@ 3\no@@ 4\nlow 9\n", "lines", _vocabulary, "v.txt"),
        **{
            f"json-{name}": lambda name=name: Plain(  # type: ignore[misc]
                _json(name),
                "json",
                lambda path: use_tokenizer(tokenizer_json.load(path)),
                "tokenizer.json",
            )
            for name in MODELS
        },
    }


PLAIN = _plain()
