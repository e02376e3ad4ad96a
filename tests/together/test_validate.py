"""What a compiled file is refused for: the kernel and its readable reference find the same."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import mutants
import pytest
import reference
import worlds
from mutations import changed_bytes

from segmenter import Segmenter, artifact
from segmenter.errors import ArtifactError
from segmenter.lexicon import Lexicon
from segmenter.tagging.predictor import Predictor
from segmenter.train.tagging import model as form

if TYPE_CHECKING:
    from collections.abc import Iterator

OF_LEXICON = (
    "params", "charmap.bmp", "charmap.pages", "charmap.blocks", "charmap.classes", "trie.units",
    "words.terminal", "words.rank",
)  # fmt: skip
OF_TAGGER = ("tagger.params", "tagger.groups", "tagger.longer", "tagger.pair", "tagger.uni")


def changed(
    sections: dict[str, bytes], names: tuple[str, ...], seed: int, count: int
) -> Iterator[tuple[dict[str, bytes], str]]:
    """Sections with numbers in one of them changed, their sizes kept, and what."""
    pick = random.Random(seed)
    for _ in range(count):
        name = pick.choice(names)
        data, note = changed_bytes(pick, sections[name])
        if len(data) == len(sections[name]):
            yield {**sections, name: data}, f"{name}: {note}"


def sections_of(art: artifact.Artifact) -> dict[str, bytes]:
    return {name: bytes(art.section(name)) for name in art.names()}


def refusal(kind: str, sections: dict[str, bytes], meta: dict[str, object]) -> str:
    """What the kernel says, or \"\"."""
    data = artifact.pack(kind, sections, meta)
    try:
        if kind == form.KIND:
            Predictor.from_bytes(data)
        else:
            Lexicon.from_bytes(data)
    except ArtifactError as e:
        return str(e)
    return ""


def test_a_lexicon_is_refused_for_what_its_twin_finds() -> None:
    art = worlds.lexicon().artifact
    sound = sections_of(art)
    fault, most = reference.lexicon_fault(sound)
    assert fault is None
    assert most == max(
        unit >> 16 & 0xFFFF
        for unit in art.section("trie.units").cast("Q")[len(sound["charmap.classes"]) :]
        if unit >> 16 & 0xFFFF != 0xFFFF
    )
    found = set()
    for sections, note in changed(sound, OF_LEXICON, 1, 60):
        said, (fault, _) = refusal("lexicon", sections, art.meta), reference.lexicon_fault(sections)
        if "do not fit together" in said or "out of range" in said:
            continue  # said before what is looked at here
        assert bool(said) == bool(fault), (note, said, fault)
        assert fault is None or fault in said, (note, said, fault)
        found.add(fault)
    assert len(found) > 6


@pytest.mark.parametrize("tags", [4, 6])
def test_a_tagger_is_refused_for_what_its_twin_finds(tags: int) -> None:
    art = artifact.from_bytes(mutants.linear(tags))
    sound = sections_of(art)
    fault, most = reference.lexicon_fault(sound)
    assert fault is None
    assert reference.tagger_fault(sound, most) is None
    found = set()
    for sections, note in changed(sound, OF_TAGGER, 2, 60):
        said, fault = refusal(form.KIND, sections, art.meta), reference.tagger_fault(sections, most)
        if "do not fit together" in said:
            continue
        assert bool(said) == bool(fault), (note, said, fault)
        assert fault is None or fault in said, (note, said, fault)
        found.add(fault)
    assert len(found) > 3


def test_a_full_table_of_ngrams_is_refused_by_its_twin() -> None:
    art = worlds.lexicon().artifact
    records = art.section("ngram.bigrams").cast("Q")
    assert reference.has_empty(records)
    assert reference.has_empty([])
    full = [5 << 24 if record == (1 << 64) - 1 else record for record in records]
    assert not reference.has_empty(full)
    data = b"".join(record.to_bytes(8, "little") for record in full)
    broken = artifact.pack("lexicon", {**sections_of(art), "ngram.bigrams": data}, art.meta)
    with pytest.raises(ArtifactError, match="n-grams"):
        Segmenter(Lexicon.from_bytes(broken), decoder="bigram")
