"""Compiled files with right checksums and wrong content are refused or give other words, no more.

:mod:`mutants` makes and uses them, here in a process of its own: a crash must not end the tests.
``tests/sanitizers`` runs many more, watched.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import mutants
import pytest
import worlds

import segmenter
from segmenter import Segmenter, artifact
from segmenter.errors import ArtifactError, SegmenterError
from segmenter.lexicon import Lexicon
from segmenter.subword.formats import tokenizer_json

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kinds", [list(mutants.SUBJECTS)[k::3] for k in range(3)])
def test_mutants(kinds: list[str], tmp_path: Path) -> None:
    now = tmp_path / "now.txt"
    program = [sys.executable, mutants.__file__, "--count", "40", "--now", str(now)]
    package = os.path.dirname(os.path.dirname(segmenter.__file__))
    done = subprocess.run(
        [*program, "--kinds", *kinds],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": package, "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, (
        f"{now.read_text('utf-8')}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    )


def changed(**sections: bytes) -> bytes:
    """The small lexicon with other sections."""
    art = worlds.lexicon().artifact
    all_of = {name: bytes(art.section(name)) for name in art.names()}
    all_of |= {name.replace("_", "."): data for name, data in sections.items()}
    return artifact.pack("lexicon", all_of, art.meta)


def section(name: str) -> bytearray:
    return bytearray(worlds.lexicon().artifact.section(name))


def put(data: bytearray, at: int, form: str, value: int) -> bytes:
    struct.pack_into(form, data, at, value)
    return bytes(data)


def last_node() -> int:
    units = struct.unpack(f"<{len(section('trie.units')) // 8}Q", section("trie.units"))
    n_ids = struct.unpack_from("<I", section("params"))[0]
    return max(s for s, u in enumerate(units) if u & 0xFFFF != 0xFFFF and s >= n_ids)


def test_each_place_that_the_kernels_trust_is_checked() -> None:
    units, node = section("trie.units"), last_node()
    unit = struct.unpack_from("<Q", units, 8 * node)[0]
    classes = bytes(section("charmap.classes"))
    for data, message in [
        (changed(trie_units=put(units[:], 8 * node, "<Q", unit | 0xFFFFFF << 40)), "leads outside"),
        (changed(trie_units=put(units[:], 8 * node, "<Q", unit & ~0xFFFF)), "leads outside"),
        (changed(trie_units=bytes(units[: 8 * node])), "leads outside|can be|another unit"),
        (changed(charmap_bmp=put(section("charmap.bmp"), 2 * 0x4E00, "<H", 0x7FFE)), "charmap.bmp"),
        (changed(charmap_pages=put(section("charmap.pages"), 0, "<H", 0xFFFF)), "charmap.pages"),
        (changed(charmap_blocks=put(section("charmap.blocks"), 600, "<H", 0xFFFF)), "blocks"),
        (changed(charmap_classes=classes[:1] + b"\x63" + classes[2:]), "charmap.classes"),
        (changed(words_rank=put(section("words.rank"), 8, "<I", 77)), "words.rank"),
        (changed(words_terminal=put(section("words.terminal"), 40, "<Q", 1 << 63)), "terminal"),
        (changed(params=put(section("params"), 8, "<I", 0xFFFFFFFF)), "longest word"),
        (changed(params=put(section("params"), 16, "<I", 5)), "number of words"),
        (changed(params=put(section("params"), 4, "<I", 60000)), "ranges of characters"),
        (changed(params=put(section("params"), 72, "<I", 3)), "rule's character"),
    ]:
        with pytest.raises(ArtifactError, match=message):
            Lexicon.from_bytes(data)


def test_a_trie_that_is_no_tree_cannot_be_spelt() -> None:
    """What texts are cut by needs no tree; what spells words climbs it."""
    units, node = section("trie.units"), last_node()
    unit = struct.unpack_from("<Q", units, 8 * node)[0]
    own = (unit & 0xFFFFFFFFFF) | (node - (unit & 0xFFFF)) << 40  # its own parent
    lexicon = Lexicon.from_bytes(changed(trie_units=put(units, 8 * node, "<Q", own)))
    assert Segmenter(lexicon).cut(worlds.GOLDEN)
    with pytest.raises(ArtifactError, match="cannot be read"):
        lexicon.words()
    with pytest.raises(SegmenterError):
        Segmenter(lexicon, matcher="aho-corasick")


def test_words_longer_than_the_file_says_are_no_words() -> None:
    lexicon = Lexicon.from_bytes(changed(params=put(section("params"), 8, "<I", 1)))
    text = "日" * 5000 + "中华人民共和国" * 400
    for decoder in worlds.ALL_DECODERS:
        assert "".join(Segmenter(lexicon, decoder=decoder).cut(text)) == text
    assert "".join(Segmenter(lexicon, matcher="aho-corasick").cut(text)) == text


def test_a_full_table_of_ngrams_is_refused() -> None:
    records = section("ngram.bigrams")
    full = bytes(records).replace(b"\xff" * 8, struct.pack("<Q", 5 << 24))
    with pytest.raises(ArtifactError, match="n-grams"):
        Segmenter(Lexicon.from_bytes(changed(ngram_bigrams=full)), decoder="bigram")


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"mass": None},
        {"mass": [1]},
        {"mass": 0},
        {"mass": -1.0},
        {"mass": 10**400},
        {"cost_scale": "2048"},
        {"tags": "x"},
        {"tags": []},
        {"tags": [3]},
        {"tags": {"0": "x"}},
    ],
)
def test_damaged_metadata_end_as_our_error(meta: dict[str, object]) -> None:
    art = worlds.lexicon().artifact
    sections = {name: bytes(art.section(name)) for name in art.names()}
    kept = {**art.meta, **meta} if meta else {}
    lexicon = Lexicon.from_bytes(artifact.pack("lexicon", sections, kept))
    for use in (lambda: lexicon.count("的"), lambda: lexicon.tag("的"), lambda: list(lexicon)):
        with pytest.raises(ArtifactError, match="metadata"):
            use()


@pytest.mark.parametrize(
    "text",
    [
        b'{"model": ' * 100_000,
        b'{"model": {"type": "BPE", "vocab": {}, "merges": [["a"]]}}',
        b'{"model": {"type": "Unigram", "vocab": [["a", -1, 2]]}}',
        b'{"model": {"type": "Unigram", "vocab": [3]}}',
        b'{"model": {"type": "WordPiece", "vocab": ["a"], "unk_token": "a"}}',
        b'{"model": {"type": ["BPE"]}}',
        b'{"model": {"type": "BPE", "vocab": {}, "merges": []}, "pre_tokenizer": ""}',
        b'{"model": {"type": "BPE", "vocab": {"a": ' + b"9" * 5000 + b'}, "merges": []}}',
        b'{"model": {"type": "BPE", "vocab": {}, "merges": []}, "decoder": 3}',
        b'{"model": {"type": "BPE", "vocab": {}, "merges": []}, "normalizer": {"type": "Prepend"}}',
        b'{"model": {"type": "BPE", "vocab": {}, "merges": []}, "decoder": '
        + b'{"type": "Sequence", "decoders": [' * 400 + b"]}" * 400 + b"}",
    ],
)  # fmt: skip
def test_a_damaged_tokenizer_json_is_named(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(text)
    with pytest.raises(SegmenterError, match=r"tokenizer\.json: ") as caught:
        tokenizer_json.load(path)
    assert len(str(caught.value)) < 500
