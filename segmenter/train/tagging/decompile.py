"""Converts a compiled tagger back to the portable form: to read, to compare, to train it further.

The result segments as the compiled tagger does and compiles to the same weights, but it is not the
model that was trained.  Compiling rounds weights to steps of 1/scale, clips a few per thousand,
makes the score of tag S zero (with four tags), and adds the weights of a two-character word to
those of its pair.  So two-character words that begin no longer word get classes of their own with
zero weights, and only two frequencies of pairs in the training text can be told apart.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.errors import ArgumentError, ArtifactError
from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import find_codes
from segmenter.train.tagging.scheme import TAGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from segmenter.artifact import Artifact

    Floats = NDArray[np.float64]

BETWEEN = (chars.BLANK, chars.LF, chars.CR)
_OFTEN, _SELDOM = 1000, 1  # counts of pairs: those with the table of their own, and all others


def decompile(art: Artifact) -> form.LinearModel:
    """Return the portable form of a compiled tagger.

    Args:
        art: an opened artifact of kind ``"tagger"``.

    Raises:
        ArtifactError: its sections are not a tagger's.
        ArgumentError: an artifact of another kind, or jieba's HMM.

    >>> from segmenter import artifact
    >>> from segmenter.files import resources
    >>> model = decompile(artifact.open(resources.find("pku-fast.model")))
    >>> model.meta["algorithm"], model.trans.shape
    ('perceptron', (4, 4))
    """
    if art.kind != form.KIND:
        raise ArgumentError(
            f"art: {art.path} is a {art.kind}, not a tagger: give one that "
            "`segmenter train perceptron` or `crf` made"
        )
    if "tagger.alone" in art.names():
        raise ArgumentError(f"art: {art.path} has weights that the portable form does not hold")
    try:
        return _decompile(art)
    except (LookupError, ValueError, TypeError, ArithmeticError, struct.error) as e:
        raise ArtifactError(art.path, f"its sections are not a tagger's: {e}") from e


def _decompile(art: Artifact) -> form.LinearModel:
    from segmenter.kernels import _lexicon

    sections = {name: art.section(name) for name in art.names()}
    lexicon = _lexicon.Lexicon(sections)
    params = np.frombuffer(sections["tagger.params"], "<i4")
    n_groups, n_matches, n_hot = int(params[0]), int(params[1]), int(params[-1])
    n_classes = n_matches // form.LENGTHS
    scale = int(params[3]) / 65536

    def floats(section: str, kind: str, *shape: int) -> Floats:
        return np.frombuffer(sections[section], kind).reshape(shape) / scale

    char_of, generic_of = characters(sections)
    # --- characters and matches ---------------------------------------------------------------
    uni, rows = (unpack(sections[f"tagger.{name}"]) for name in ("uni", "pair"))
    named = {i: form.generic_name(code) for i, code in generic_of.items()}
    # blanks and line ends stand between the texts that are tagged, and in no line of a file
    named.update((i, c) for i, c in char_of.items() if chars.char_class(ord(c)) not in BETWEEN)
    match = np.frombuffer(sections["tagger.match"], "<i2").astype(np.int32)
    match = match.reshape(-1, form.ROLES, TAGS)[:n_matches].reshape(
        n_classes, form.LENGTHS, form.ROLES, TAGS
    )
    groups = np.frombuffer(sections["tagger.groups"], np.uint8)[:n_matches].astype(np.int64)
    groups = groups[:: form.LENGTHS]
    numbers = np.asarray(lexicon.word_costs()) // form.LENGTHS
    words = dict(zip(lexicon.items(), numbers.tolist(), strict=True))
    for word in [word for word in words if len(word) < 2]:
        del words[word]
    # --- pairs --------------------------------------------------------------------------------
    keys = np.frombuffer(sections["tagger.pair"], "<u4").reshape(-1, 4)[:, 3].astype(np.int64)
    code_of = np.zeros(form.MAX_ID + 1, np.uint64)
    code_of[list(char_of)] = list(map(ord, char_of.values()))
    code_of[0] = ord(form.END)
    places = np.flatnonzero(keys & form.MAX_ID != form.MAX_ID)
    pair_chars = code_of[keys[places] & form.MAX_ID], code_of[keys[places] >> 14 & form.MAX_ID]
    if not (pair_chars[0].all() and pair_chars[1].all()):
        raise ValueError("a pair of a character that the map lacks")
    codes = pair_chars[0] << np.uint64(32) | pair_chars[1]
    order = np.argsort(codes, kind="stable")  # of str too, made in order: they are read so later
    codes, places = codes[order], places[order]
    first, bits = keys[places] & form.MAX_ID, keys[places] >> 28 & 7
    bi = rows[places] - uni[first]
    # the number of each pair's word, or -1; by numbers, since dicts of so many str miss all caches
    two_long = [word for word in words if len(word) == 2]
    word_codes = form.pair_codes(two_long)
    order = np.argsort(word_codes)
    word_of_pair = find_codes(word_codes[order], codes)
    numbers = np.fromiter(map(words.__getitem__, two_long), np.int64, len(two_long))
    word_of_pair = np.where(word_of_pair < 0, -1, np.append(numbers[order], -1)[word_of_pair])
    two_long_match = match[word_of_pair[word_of_pair >= 0], 0]
    bi[word_of_pair >= 0, 1] -= two_long_match[:, 0]
    bi[word_of_pair >= 0, 2] -= two_long_match[:, 3]
    bits = np.where(word_of_pair < 0, bits, 0)
    if n_groups == 0:
        bits = np.minimum(bits, 1)
    empty_classes = np.flatnonzero(~match.any(axis=(1, 2, 3)))  # without weights
    class_of_bits = {}
    for b in np.unique(bits[bits > 0]).tolist():
        mask = b if n_groups else 0
        fitting = [k for k in empty_classes.tolist() if groups[k] == mask]
        if not fitting:
            groups = np.append(groups, mask)
            fitting = [len(groups) - 1]
        class_of_bits[b] = fitting[0]
    with_class = np.flatnonzero(bits)
    classes = map(class_of_bits.__getitem__, bits[with_class].tolist())
    words.update(zip(form.pair_names(codes[with_class]), classes, strict=True))
    added = len(groups) - n_classes
    match = np.concatenate([match, np.zeros((added, *match.shape[1:]))])
    by_slot = [form.UNI_AT[::-1].index(d) for d in form.UNI_AT]  # records go by position
    meta = {k: v for k, v in art.meta.items() if k not in ("words", "pairs")}
    return form.LinearModel(
        start=params[4 : 4 + TAGS] / scale,
        trans=params[4 + TAGS : -1].reshape(TAGS, TAGS) / scale,
        chars=list(named.values()),
        uni=uni[list(named)][:, by_slot] / scale,
        pairs=form.pair_names(codes),
        bi=bi[:, by_slot] / scale,
        pair_counts=np.where(places < n_hot, _OFTEN, _SELDOM),
        words=list(words),
        word_class=np.array(list(words.values()), np.int64),
        match=match / scale,
        state=floats("tagger.state", "<i2", -1, form.STATES, TAGS)[:n_groups],
        groups=groups,
        types=floats("tagger.types", "<i2", form.TYPES, TAGS),
        meta=meta,
    ).rounded()


def characters(sections: dict[str, Any]) -> tuple[dict[int, str], dict[int, int]]:
    """Characters by id, and classes by the ids that represent all other characters of a class."""
    char_of: dict[int, str] = {}
    bmp = np.frombuffer(sections["charmap.bmp"], "<u2")
    pages = np.frombuffer(sections["charmap.pages"], "<u2")
    blocks = np.frombuffer(sections["charmap.blocks"], "<u2").reshape(-1, 256)
    # an entry without bit 15 is a character of its own in its folded form
    for cp in np.flatnonzero((bmp != 0) & (bmp < 0x8000)).tolist():
        char_of[int(bmp[cp])] = chr(cp)
    is_own = (blocks != 0) & (blocks < 0x8000)
    for page in np.flatnonzero(is_own.any(axis=1)[pages]).tolist():
        for k in np.flatnonzero(is_own[pages[page]]).tolist():
            char_of[int(blocks[pages[page], k])] = chr(0x10000 + (page << 8) + k)
    classes = bytes(sections["charmap.classes"])
    return char_of, {i: code for i, code in enumerate(classes) if i not in char_of}


def unpack(records: Any) -> NDArray[np.int32]:
    """Return the weights of 16-byte records, ``(records, 4, 4)``; those of tag S are 0."""
    raw = np.frombuffer(records, np.int8).reshape(-1, 16)[:, :12].reshape(-1, 4, 3)
    weights = np.zeros((len(raw), 4, 4), np.int32)
    weights[..., :3] = raw
    return weights
