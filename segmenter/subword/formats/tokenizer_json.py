"""Read and write ``tokenizer.json``, the format of Hugging Face ``tokenizers``.

The steps and options of :mod:`segmenter.subword` are modelled on this format.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from segmenter import artifact
from segmenter.errors import ArgumentError
from segmenter.subword import (
    charsmap,
    decode,
    expressions,
    lengths,
    normalise,
    patterns,
    postprocess,
    pretokenise,
    scanning,
)
from segmenter.subword.added import AddedToken
from segmenter.subword.aligned import Aligned
from segmenter.subword.formats.files import FormatError, read_json
from segmenter.subword.models import entries
from segmenter.subword.models.bpe import BPE
from segmenter.subword.models.model import BYTE_PIECES, CHAR_TO_BYTE
from segmenter.subword.models.unigram import Unigram
from segmenter.subword.models.vocabulary import model_of
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from segmenter.subword.models.model import Model
    from segmenter.subword.pretokenise import Cutter


def load(
    path: str | os.PathLike[str], *, segmenter: Cutter | None = None, library: bool = True
) -> Tokenizer:
    """Read a ``tokenizer.json``.

    Special tokens in a text are recognised, as in that library (``allowed="all"``).

    Args:
        segmenter: for a file with our word pre-tokeniser: use this Segmenter instead of the one
            that the file names.
        library: offsets and decoding as in ``tokenizers``; False: our own, where a token covers all
            characters it comes from (:class:`~segmenter.subword.Tokenizer`).

    Raises:
        FormatError: the file is damaged, or a step is of an unsupported type.
        OSError: it cannot be read.
    """
    return from_config(read_json(path), os.fspath(path), segmenter, library)


def from_config(
    config: Any, name: str = "tokenizer.json", segmenter: Cutter | None = None, library: bool = True
) -> Tokenizer:
    """The Tokenizer that the content of a ``tokenizer.json`` describes.

    Raises:
        FormatError: as in :func:`load`.
    """
    if not isinstance(config, dict) or not isinstance(config.get("model"), dict):
        raise FormatError(name, "expected an object with a model")
    try:
        entries.check("the file", config)
        entries.check("model", config["model"])
        pretokeniser = _of_oniguruma(config.get("pre_tokenizer"))
        steps = steps_of(pretokeniser)
        kinds = [step.get("type") for step in steps]
        # a BPE of bytes; where later steps, another model or a vocabulary without all bytes sees
        # the byte alphabet, the text is written in it
        byte_level = kinds[-1:] == ["ByteLevel"] and "ByteLevel" not in kinds[:-1]
        byte_level = byte_level and _has_all_bytes(config["model"])
        for step in steps:
            if step.get("type") == "ByteLevel" and not byte_level:
                step["spelt"] = True
        for part in ("normalizer", "pre_tokenizer", "decoder"):
            _refuse_empty_matches(part, config.get(part))
        model = _model(config["model"], byte_level)
        tokenizer = Tokenizer(
            model,
            normaliser=normalise.make(config.get("normalizer")),
            pretokeniser=pretokenise.make(pretokeniser, segmenter),
            postprocessor=postprocess.make(config.get("post_processor")),
            decoder=decode.make(config.get("decoder")),
            added=_added(config.get("added_tokens") or (), model),
            allowed="all",
            name=name,
            library="tokenizers" if library else None,
            truncation=lengths.truncation(config.get("truncation")),
            padding=lengths.padding(config.get("padding")),
        )
        _refuse_added_alike(tokenizer)
        return tokenizer
    except (ValueError, TypeError, OverflowError, IndexError) as e:  # including our own errors
        raise FormatError(name, str(e)) from e
    except KeyError as e:
        raise FormatError(name, f"an entry lacks {e}") from e
    except RecursionError:
        raise FormatError(name, "it is nested too deeply") from None


def _refuse_empty_matches(name: str, entry: Any) -> None:
    """Refuse patterns that match the empty string where that library treats such matches oddly.

    Raises:
        ArgumentError: an empty string to split at or to replace; an expression that can match the
            empty string, where what lies between matches decides.
    """
    if isinstance(entry, list):
        for item in entry:
            _refuse_empty_matches(name, item)
    if not isinstance(entry, dict):
        return
    for key in ("normalizers", "pretokenizers", "decoders"):
        _refuse_empty_matches(name, entry.get(key))
    pattern = entry.get("pattern")
    if not isinstance(pattern, dict):
        return
    if pattern.get("String") == "":
        raise ArgumentError(
            f"{name}: the pattern of the step {entry.get('type')} is empty: remove the step"
        )
    regex = pattern.get("Regex")
    depends = entry.get("behavior") not in (None, "Isolated", "Removed") or entry.get("invert")
    if not isinstance(regex, str) or not depends:
        return
    if scanning.first_set(expressions.parse(regex, "oniguruma"))[1]:
        raise ArgumentError(
            f"{name}: {regex!r} can match the empty string, at which only the behaviours Isolated "
            "and Removed, without invert, split as in tokenizers: use one of them"
        )


def _refuse_added_alike(tokenizer: Tokenizer) -> None:
    """Refuse added tokens to be found in normalised text that normalising empties or makes equal.

    Raises:
        ArgumentError: there are such tokens.
    """
    seen: dict[str, str] = {}
    for token in tokenizer.added:
        if not token.normalized:
            continue
        text = tokenizer.normaliser(Aligned(token.content)).text
        if not text:
            raise ArgumentError(
                f"added_tokens: {token.content!r} is empty once normalised: remove the token"
            )
        if text in seen:
            raise ArgumentError(
                f"added_tokens: {seen[text]!r} and {token.content!r} are equal once normalised: "
                "remove one of them"
            )
        seen[text] = token.content


def _has_all_bytes(entry: dict[str, Any]) -> bool:
    """Whether a model is a BPE with a piece for every byte."""
    vocabulary = entry.get("vocab")
    kind = entry.get("type") or _guessed(entry)
    whole = isinstance(vocabulary, dict) and vocabulary.keys() >= CHAR_TO_BYTE.keys()
    return kind == BPE.kind and whole


def _of_oniguruma(entry: dict[str, Any] | None) -> dict[str, Any] | None:
    """A pre-tokeniser's entry with the engine added that its patterns are written for."""
    if not isinstance(entry, dict):
        return entry
    if isinstance(entry.get("pretokenizers"), list):
        return {**entry, "pretokenizers": [_of_oniguruma(e) for e in entry["pretokenizers"]]}
    return {"engine": "oniguruma", **entry}


def steps_of(entry: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The steps of a pre-tokeniser's entry, with sequences flattened.

    Raises:
        ArgumentError: an entry, or a list of entries, is of the wrong form.
    """
    if entry is None:
        return []
    steps = entries.check("pre_tokenizer", entry).get("pretokenizers")
    return [entry] if steps is None else [part for step in steps for part in steps_of(step)]


def has_step(entry: dict[str, Any] | None, kind: str) -> bool:
    """Whether a pre-tokeniser's entry has a step of a type."""
    return any(step.get("type") == kind for step in steps_of(entry))


def save(tokenizer: Tokenizer, path: str | os.PathLike[str]) -> None:
    """Write a ``tokenizer.json`` for ``tokenizers`` and ``transformers``.

    It gives the same ids there, with these exceptions:

    * That library always recognises special tokens in a text, ours only if the caller allows it.
    * Of merges of equal rank (tiktoken, SentencePiece) it always prefers one, ours the leftmost.
    * It sums the scores of a unigram model in 64 bits, SentencePiece in 32.
    * It applies a precompiled map of characters to grapheme clusters, SentencePiece to sequences.
    * In a unigram model with byte fallback it reads text that looks like a byte piece (``<0x41>``)
      as that byte.

    Raises:
        ArgumentError: the format cannot express a step; the message says what to do.
        ArtifactError: the file cannot be written.
    """
    data = json.dumps(to_config(tokenizer), ensure_ascii=False, indent=1)
    try:
        artifact.write_whole(path, data.encode("utf-8"))
    except UnicodeEncodeError as e:
        raise ArgumentError(
            f"tokenizer: a piece contains the lone surrogate {data[e.start]!r}, which JSON cannot "
            "hold"
        ) from None


def to_config(tokenizer: Tokenizer, *, words: bool = True) -> dict[str, Any]:
    """The content of the ``tokenizer.json`` that :func:`save` writes.

    Our own steps are translated into steps of that library.

    Args:
        words: False leaves the pre-tokeniser out, so that the caller can add one by words.

    Raises:
        ArgumentError: as for :func:`save`.
    """
    config = tokenizer.config()
    config["normalizer"] = _foreign_normaliser(tokenizer.normaliser).config()
    config["pre_tokenizer"] = _foreign_pre_tokenizer(config["pre_tokenizer"]) if words else None
    if isinstance(tokenizer.decoder, decode.SentencePiece):
        config["decoder"] = tokenizer.decoder.steps().config()
    model = tokenizer.model
    byte_level = isinstance(model, BPE) and model.byte_level
    if byte_level and not has_step(config["pre_tokenizer"], "ByteLevel"):
        _append_byte_level(config)
    if isinstance(model, Unigram) and model.unk_id is None and model.byte_fallback:
        # that library requires an unknown id even if bytes take its place
        config["model"]["unk_id"] = model.vocab[BYTE_PIECES[0]]
    if isinstance(model, BPE) and model.whole:
        raise ArgumentError(
            f"tokenizer: {model.whole[0]!r} is split off normalised text before all merging, which "
            "tokenizer.json cannot express: train without user-defined symbols"
        )
    return config


def _foreign_normaliser(step: normalise.Normaliser) -> normalise.Normaliser:
    """Translate a normaliser into steps of ``tokenizers``."""
    replace = normalise.Replace
    if isinstance(step, normalise.Sequence):
        return normalise.Sequence(map(_foreign_normaliser, step.steps))
    if isinstance(step, normalise.Width):
        wide = map(chr, [*range(0xFF01, 0xFF5F), 0x3000])
        return normalise.Sequence(replace(c, step.replacement(c)) for c in wide)
    if isinstance(step, normalise.Blanks):
        return _single_blanks(f"[{patterns.BLANKS}]")
    if not isinstance(step, charsmap.SentencePiece):
        return step
    if step.suffix or step.symbols:
        option = "blanks at the ends of words" if step.suffix else "user-defined symbols"
        raise ArgumentError(
            f"tokenizer: {option} of SentencePiece cannot be expressed in tokenizer.json"
        )
    space = charsmap.SPACE if step.escape_whitespaces else " "
    steps: list[normalise.Normaliser] = []
    if step.charsmap:
        steps.append(charsmap.Precompiled(step.charsmap))
    if step.remove_extra_whitespaces:
        steps += _single_blanks(" ").steps
    if step.add_dummy_prefix:
        steps.append(normalise.Prepend(space))
    if step.escape_whitespaces:
        steps.append(replace(" ", space))
    return normalise.Sequence(steps) if steps else normalise.Identity()


def _single_blanks(blank: str) -> normalise.Sequence:
    ends = normalise.Replace(rf"\A{blank}+|{blank}+\z", "", regex=True)
    return normalise.Sequence([ends, normalise.Replace(f"{blank}+", " ", regex=True)])


def _foreign_pre_tokenizer(entry: dict[str, Any] | None) -> dict[str, Any] | None:
    """Translate the patterns of an entry for Oniguruma.

    Raises:
        ArgumentError: the entry splits by words.
    """
    if entry is None:
        return None
    if entry["type"] == pretokenise.Words.kind:
        raise ArgumentError(
            "tokenizer: tokenizer.json cannot hold a word segmenter: use "
            "segmenter.subword.formats.huggingface, whose classes save one next to it"
        )
    if "pretokenizers" in entry:
        steps = [_foreign_pre_tokenizer(step) for step in entry["pretokenizers"]]
        return {**entry, "pretokenizers": steps}
    engine = entry.get("engine")
    entry = {name: value for name, value in entry.items() if name not in ("spelt", "engine")}
    if engine == "fancy":
        entry["pattern"] = {"Regex": _for_oniguruma(entry["pattern"]["Regex"])}
    return entry


def _for_oniguruma(pattern: str) -> str:
    """Translate a pattern of fancy-regex for Oniguruma.

    Raises:
        ArgumentError: the pattern means something else there.
    """
    if pattern == patterns.CL100K:
        return patterns.CL100K_ONIGURUMA
    for candidate in (pattern, pattern.replace("$", r"\z")):
        if expressions.parse(pattern) == expressions.parse(candidate, "oniguruma"):
            return candidate
    raise ArgumentError(
        f"tokenizer: the pattern {pattern!r} means something else in tokenizer.json: write it so "
        "that Oniguruma and fancy-regex agree"
    )


def _append_byte_level(config: dict[str, Any]) -> None:
    """Append the step that writes bytes in the byte alphabet, which our models do themselves."""
    byte_level = pretokenise.ByteLevel(use_regex=False).config()
    pretokeniser = config["pre_tokenizer"]
    steps = [] if pretokeniser is None else pretokeniser.get("pretokenizers", [pretokeniser])
    config["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [*steps, byte_level]}


def _added(rows: Iterable[dict[str, Any]], model: Model) -> list[AddedToken]:
    """Added tokens with the ids that ``tokenizers`` gives them: that of the piece with the same
    text, otherwise the next free one, in the order of the file.  Ids in the file are ignored."""
    tokens: dict[str, AddedToken] = {}
    count, highest_id = len(model.vocab), -1
    for entry in rows:
        entries.check("added_tokens", entry)
        content = entry["content"]
        if not content:
            continue
        number = tokens[content].id if content in tokens else model.id_of(content)
        if number is None:
            number = highest_id + 1 if highest_id >= count or not count else count
        highest_id = max(highest_id, number)
        flags = {
            name: entry.get(name, False) for name in ("special", "single_word", "lstrip", "rstrip")
        }
        normalized = entry.get("normalized", not flags["special"])
        tokens[content] = AddedToken(content, number, **flags, normalized=normalized)
    return list(tokens.values())


def _model(config: dict[str, Any], byte_level: bool) -> Model:
    entry = {**config, "type": config.get("type") or _guessed(config), "byte_level": byte_level}
    if entry["type"] == Unigram.kind:
        if not isinstance(config["vocab"], list):
            raise ArgumentError("model: expected a list of pieces with scores as 'vocab'")
        entry["spelt"] = True
    elif entry["type"] == BPE.kind:
        entry["merges"] = map(_pair, config["merges"])
    return model_of(entry)


def _pair(merge: Any) -> tuple[str, str]:
    """A merge, which older files write as ``"a b"``."""
    left, _, right = merge.partition(" ") if isinstance(merge, str) else (merge[0], "", merge[1])
    return left, right


def _guessed(config: dict[str, Any]) -> str:
    """The type of a model in an old file that does not state it."""
    if "merges" in config:
        return "BPE"
    if isinstance(config.get("vocab"), list):
        return "Unigram"
    return "WordPiece" if "max_input_chars_per_word" in config else "WordLevel"
