"""A pickle and a recipe say all that was asked of ``load``, whatever the defaults are."""

from __future__ import annotations

import json
import pickle
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from places import HAS_SUBWORD

from segmenter.atoms import NAMES, SETTINGS, Atoms
from segmenter.choices import DECODERS, OOV, PRESETS, STANDARDS, SUBWORDS
from segmenter.errors import ArgumentError, ResourceError
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from segmenter import Segmenter

TEXT = "@张三 #双十一# 2026年11月21日，見https://a.cn/b，SO-0042重5kg"
# standards of the BiLSTM-CRF alone, and the rules that each of them changes
OWN_ATOMS = {"weibo": ("mention", "hashtag"), "ud": ("calendar",)}


def is_same_again(segmenter: Segmenter) -> None:
    copies = [pickle.loads(pickle.dumps(segmenter))]
    if not len(segmenter.user):
        assert segmenter.recipe is not None
        copies.append(load_by_name(**json.loads(json.dumps(segmenter.recipe))))
    for copy in copies:
        assert copy.fingerprint == segmenter.fingerprint
        assert copy.atoms == segmenter.atoms
        assert copy.cut(TEXT) == segmenter.cut(TEXT)


@pytest.mark.parametrize(
    ("standard", "setting"), [*product(OWN_ATOMS, (*SETTINGS, "Atoms", "none"))], ids=str
)
def test_atoms_that_a_standard_has_otherwise(standard: str, setting: str) -> None:
    atoms: Any = {"Atoms": Atoms(), "none": Atoms.none()}.get(setting)
    if atoms is None:
        atoms = dict.fromkeys(OWN_ATOMS[standard], setting)
    try:
        segmenter = load_by_name("accurate", standard=standard, atoms=atoms)
    except ResourceError:
        pytest.skip("accurate.model is not built here")
    assert segmenter.atoms["mention"] == dict(atoms.items()).get("mention", "keep")
    is_same_again(segmenter)
    is_same_again(segmenter.with_words(["双十一"]))


_atoms = st.dictionaries(
    st.sampled_from([name for name in NAMES if name not in ("emoji", "measure")]),
    st.sampled_from(SETTINGS),
)
_patterns = st.sampled_from([{}, {"order": r"SO-\d+"}, {"order": r"SO-\d+", "b": "重5"}])


@settings(max_examples=60)
@given(
    preset=st.sampled_from(sorted(PRESETS)),
    standard=st.sampled_from([*STANDARDS, *OWN_ATOMS]),
    atoms=_atoms | st.none() | st.builds(Atoms, _atoms, patterns=_patterns),
    patterns=_patterns,
    decoder=st.none() | st.sampled_from(DECODERS),
    oov=st.sampled_from([name for name in OOV if HAS_SUBWORD or name not in SUBWORDS]),
    skip=st.sampled_from([(), "space", ("space", "punct")]),
    variants=st.booleans(),
    user=st.sampled_from([None, (), ["张三"], [("双|十一", "split")]]),
)
def test_random_options(
    preset: str, standard: str, atoms: Any, patterns: dict[str, str], **options: Any
) -> None:
    if isinstance(atoms, dict) and patterns:
        atoms = {**atoms, "patterns": patterns}
    try:
        segmenter = load_by_name(preset, standard=standard, atoms=atoms, **options)
    except (ArgumentError, ResourceError):
        assume(False)
    is_same_again(segmenter)
