"""``vocab.txt``, ``tekken.json`` and RWKV's vocabulary."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest
from foreign import corpus, strings

from segmenter.subword import formats
from segmenter.subword.formats import bert, files, rwkv, tekken, tiktoken

if TYPE_CHECKING:
    from pathlib import Path

RWKV = [bytes([b]) for b in range(256)] + [b"  ", b"ab", b"abc", "好".encode(), "好的".encode()]


def rwkv_file(path: Path) -> Path:
    lines = []
    for number, data in enumerate(RWKV, 1):
        try:
            spelt = repr(data.decode())
        except UnicodeDecodeError:
            spelt = repr(data)
        lines.append(f"{number} {spelt} {len(data)}\n")
    path.write_text("".join(lines), "utf-8")
    return path


def greedy(data: bytes) -> list[int]:
    numbers = {piece: number for number, piece in enumerate(RWKV, 1)}
    ids_found, offset = [], 0
    while offset < len(data):
        end = next(e for e in range(len(data), offset, -1) if data[offset:e] in numbers)
        ids_found.append(numbers[data[offset:end]])
        offset = end
    return ids_found


def test_rwkv_takes_the_longest_piece_of_bytes(tmp_path: Path) -> None:
    ours = formats.load(rwkv_file(tmp_path / "rwkv_vocab.txt"))
    for text in ["", "abcab  好的好", *strings(200)]:
        assert ours.encode(text).ids == greedy(text.encode("utf-8", "surrogatepass"))
        assert ours.decode(ours.encode(text)) == text
    assert ours.encode("a好的").offsets == [(0, 1), (1, 3)]
    assert ours.id_of("<|endoftext|>") == 0
    path = tmp_path / "bad.txt"
    for line, reason in (("1 'a' 2\n", "line 1"), ("1 'a' 1\n", "lacks the byte 0x00")):
        path.write_text(line, "utf-8")
        with pytest.raises(files.FormatError, match=reason):
            rwkv.load(path)


def test_tekken_counts_behind_its_special_tokens(tmp_path: Path) -> None:
    pieces = [bytes([b]) for b in range(256)] + [b"ab", b"abc", "好".encode()[:2], "好".encode()]
    vocab = [
        {"rank": i, "token_bytes": base64.b64encode(p).decode(), "token_str": None}
        for i, p in enumerate([*pieces, b"unused"])
    ]
    config = {
        "pattern": r"\p{L}+|\P{L}+", "default_num_special_tokens": 25, "version": "v3",
        "default_vocab_size": 25 + len(pieces),
    }  # fmt: skip
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps({"config": config, "vocab": vocab}), "utf-8")
    ours = formats.load(path)
    assert ours.encode("abc好 ").ids == [25 + 257, 25 + 259, 25 + 32]
    assert ours.vocab_size == 25 + len(pieces)
    assert ours.encode("[INST]a", allowed="all").ids == [3, 25 + 97]
    assert ours.id_of("<SPECIAL_24>") == 24
    plain = tiktoken.model_of({p: i for i, p in enumerate(pieces)})
    for text in strings(100):
        expected = [p.id + 25 for p in plain.encode(text)]
        assert [p.id for p in ours.model.encode(text)] == expected
    with pytest.raises(files.FormatError, match=r"is not a tekken\.json"):
        tekken.from_config({"config": {}, "vocab": []})


@pytest.mark.parametrize("lowercase", [True, False])
def test_a_vocab_txt_gives_the_ids_of_tokenizers(tmp_path: Path, lowercase: bool) -> None:
    hf = pytest.importorskip("tokenizers", reason="the package tokenizers is not installed")
    words = {c for text in corpus() for c in text if not c.isspace()}
    words |= {f"##{c}" for c in words} | {"hello", "##ing"}
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join([*bert.SPECIAL, *sorted(words)]) + "\n", "utf-8")
    theirs = hf.BertWordPieceTokenizer(str(path), lowercase=lowercase)
    ours = bert.load(path, lowercase=lowercase)
    if lowercase:
        assert formats.load(path).encode("Ab 好").ids == ours.encode("Ab 好").ids
    for text in strings(300):
        mine, reference = ours.encode(text), theirs.encode(text)
        assert (mine.ids, mine.offsets) == (reference.ids, reference.offsets), text
        assert ours.decode(mine, skip_special=True) == theirs.decode(reference.ids), text
    mine, reference = ours.encode("好 a", "x"), theirs.encode("好 a", "x")
    assert (mine.ids, mine.type_ids) == (reference.ids, reference.type_ids)
    path.write_text("a\nb\n", "utf-8")
    with pytest.raises(files.FormatError, match=r"no piece '\[UNK\]'"):
        bert.load(path)
