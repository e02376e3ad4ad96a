"""Writes ``segmenter/subword/library.tsv``: the properties of characters in ``tokenizers``.

    python dicts/make_library_data.py

The steps of that library use crates with several versions of Unicode, so each step is run on every
single character to find its effect.  The first table needs the changes of later versions of
Unicode, from the package ``unicodedata2`` (18.0).
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import tokenizers as hf
import unicodedata2  # type: ignore[import-not-found]
from make_unicode import runs, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TARGET = Path(__file__).resolve().parents[1] / "segmenter" / "subword" / "library.tsv"
EVERY = [*range(0xD800), *range(0xE000, 0x110000)]

HEAD = "# written by dicts/make_library_data.py with tokenizers {version}\n"


def joined(numbers: Iterable[int]) -> dict[str, list[tuple[int, int]]]:
    """Ranges of ascending code points, as :func:`make_unicode.runs` takes them."""
    mappings: list[tuple[int, int]] = []
    for number in numbers:
        if mappings and mappings[-1][1] == number - 1:
            mappings[-1] = (mappings[-1][0], number)
        else:
            mappings.append((number, number))
    return {"x": mappings}


def unnormalised() -> Iterable[int]:
    """Characters that normalisation leaves alone, though Unicode decomposes them now."""
    canonical, compatible = hf.normalizers.NFD(), hf.normalizers.NFKD()
    for number in EVERY:
        c = chr(number)
        if unicodedata2.decomposition(c) and not 0xAC00 <= number <= 0xD7A3:
            new = compatible.normalize_str(c) == c
        else:  # U+0345 has the highest class: whatever has one stands before it
            behind = canonical.normalize_str("\u0345" + c)
            new = unicodedata2.combining(c) not in (0, 240) and behind[0] == "\u0345"
        if new:
            yield number


def dropped(step: Callable[[str], str]) -> Iterable[int]:
    """The characters that a step removes."""
    return (number for number in EVERY if step(f"x{chr(number)}y") == "xy")


def apart(step: hf.pre_tokenizers.PreTokenizer) -> Iterable[int]:
    """The characters that a step cuts from neighbouring letters."""
    return (n for n in EVERY if len(step.pre_tokenize_str(f"x{chr(n)}y")) == 3)


def lowered() -> str:
    """``upper.lower`` in base 16 of what Python 3.11 (Unicode 14.0) has no lower case for."""
    step = hf.normalizers.Lowercase()
    rows = ((n, step.normalize_str(chr(n))) for n in EVERY)
    return " ".join(f"{n:x}.{ord(lower):x}" for n, lower in rows if lower != chr(n).lower())


def extending() -> Iterable[int]:
    """What belongs to the grapheme cluster before it; asked with a rule that ends at a cluster."""
    step = hf.normalizers.Precompiled(charsmap())
    normalise = step.normalize_str
    return (n for n in EVERY if normalise("A" + chr(n)) == "a" and normalise(chr(n)))


def charsmap() -> bytes:
    """The map of characters that SentencePiece calls ``nmt_nfkc_cf``."""
    import io

    import sentencepiece

    from segmenter.subword.formats.sentencepiece import parse

    buffer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d"] * 9), model_writer=buffer, vocab_size=8,
        normalization_rule_name="nmt_nfkc_cf", hard_vocab_limit=False, minloglevel=9,
    )  # fmt: skip
    return parse(buffer.getvalue()).precompiled_charsmap


def main() -> None:
    bert = hf.normalizers.BertNormalizer
    accents, clean = bert(False, False, True, False), bert(True, False, False, False)
    sets = {
        "UNNORMALISED": unnormalised(),
        "MARKS": dropped(hf.normalizers.StripAccents().normalize_str),
        "NONSPACING": dropped(accents.normalize_str),
        "UNCLEAN": dropped(clean.normalize_str),
        "PUNCTUATION": apart(hf.pre_tokenizers.BertPreTokenizer()),
        "NUMERIC": apart(hf.pre_tokenizers.Digits(individual_digits=True)),
        "EXTENDING": extending(),
    }
    parts = [HEAD.format(version=version("tokenizers"))]
    parts += [written(name, runs(joined(numbers))) for name, numbers in sets.items()]
    parts.append(written("LOWERED", lowered()))
    TARGET.write_text("".join(parts), "utf-8")


if __name__ == "__main__":
    main()
