"""``python -m eval.subword``: the gain from whole words in a subword vocabulary.

Vocabularies of the same size are trained on the national corpus without its blanks and without
every 50th line; these held-out lines are encoded.  Compared are plain BPE and plain unigram (the
text is only cut between letters, digits and the rest), and vocabularies with word segmentation and
a given number of whole words.  Width and case are folded in all.
Results: ``eval/results/subword.md`` and ``.json``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from eval import common
from recipes.national import read_national
from segmenter.subword import Tokenizer
from segmenter.subword.models.model import BYTE_OF_PIECE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from segmenter import Segmenter

SIZES = (8_000, 32_000)
#: Share of a vocabulary that whole words take at the start; None: no word segmentation.
WORDS: tuple[float | None, ...] = (None, 0.0, 0.25, 0.5)
MODELS = ("bpe", "unigram")
COVERAGE = 0.995


class Row(NamedTuple):
    """One vocabulary on the held-out lines.

    ``oov`` is the share of the corpus's words that are no piece whole, ``spelt`` the share of
    characters written in bytes, ``unknown`` the number of unknown tokens, ``crossing`` the share
    of tokens that reach over an end of a word.
    """

    model: str
    size: int
    words: int | None
    characters_a_token: float
    oov: float
    spelt: float
    unknown: int
    crossing: float
    seconds: float


def measure(tokenizer: Tokenizer, sentences: Iterable[Sequence[str]]) -> dict[str, float]:
    """The figures of one vocabulary on segmented sentences."""
    characters = tokens = spelt = crossing = words = split = unknown = 0
    byte_ids = {tokenizer.id_of(piece) for piece in BYTE_OF_PIECE}
    unk = tokenizer.id_of("<unk>")
    rows: dict[str, bool] = {}
    for sentence in sentences:
        text = "".join(sentence)
        encoding = tokenizer.encode(text)
        if tokenizer.decode(encoding) != text:
            raise AssertionError(f"no round trip: {text!r}")
        ends, offset = {0}, 0
        for word in sentence:
            offset += len(word)
            ends.add(offset)
            if word not in rows:
                rows[word] = tokenizer.id_of(word) is not None
            split += not rows[word]
        words += len(sentence)
        characters += len(text)
        tokens += len(encoding)
        unknown += encoding.ids.count(unk) if unk is not None else 0
        spelt += len(
            {s for n, s in zip(encoding.ids, encoding.offsets, strict=True) if n in byte_ids}
        )
        crossing += sum(any(k in ends for k in range(a + 1, b)) for a, b in encoding.offsets)
    return {
        "characters_a_token": characters / tokens,
        "oov": split / words,
        "spelt": spelt / characters,
        "unknown": unknown,
        "crossing": crossing / tokens,
    }


def train(
    texts: Sequence[str], model: str, size: int, words: int | None, segmenter: Segmenter
) -> Tokenizer:
    """One vocabulary; ``words`` None: plain."""
    return Tokenizer.train_from_iterator(
        texts,
        model=model,
        vocab_size=size,
        segmenter=None if words is None else segmenter,
        words=words or 0,
        coverage=COVERAGE,
    )


def parts(rows: Sequence[Row], lines: int) -> list[str]:
    """The report."""
    return [
        f"National corpus, width and case folded; {lines:,} held-out lines encoded. A word is "
        "OOV if it is not a single piece; a token crosses if it contains the end of a word, by "
        "the corpus's own segmentation. All vocabularies are closed: characters without a piece "
        "are spelt in bytes. Decoding restored every line.\n",
        common.table(
            (
                "vocabulary", "pieces", "characters per token", "OOV rate",
                "characters in bytes", "unknown tokens", "tokens that cross", "training, s",
            ),
            (
                (
                    f"plain {row.model}"
                    if row.words is None
                    else f"{row.model} within words, {row.words:,} of them whole",
                    f"{row.size:,}",
                    f"{row.characters_a_token:.3f}",
                    f"{row.oov:.1%}",
                    f"{row.spelt:.2%}",
                    row.unknown,
                    f"{row.crossing:.1%}",
                    f"{row.seconds:.0f}",
                )
                for row in rows
            ),
        ),
    ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, measure, print and save."""
    parser = common.arguments("subword", "Vocabularies of words and subwords.")
    parser.add_argument("--every", type=int, default=1, help="train on every N-th line: a try")
    args = parser.parse_args(arguments)
    import segmenter as seg

    path = common.data_dir(args.data) / "national" / "segmented.txt"
    texts = ["".join(words) for words in read_national(path)][:: args.every]
    held_out = list(read_national(path, "dev"))
    segmenter = seg.load("fast")
    rows = []
    for size in SIZES:
        for model in MODELS:
            for share in WORDS:
                words = None if share is None else int(share * size)
                if model == "unigram" and words:
                    continue  # its whole words come of themselves: EM weighs them as any piece
                started = time.perf_counter()
                tokenizer = train(texts, model, size, words, segmenter)
                seconds = time.perf_counter() - started
                rows.append(
                    Row(model, size, words, seconds=seconds, **measure(tokenizer, held_out))  # type: ignore[arg-type]
                )
                print(rows[-1], flush=True)
    common.publish(
        "subword",
        "Vocabularies of words and subwords",
        common.facts(),
        parts(rows, len(held_out)),
        {"rows": [row._asdict() for row in rows]},
        dry=args.dry or args.every != 1,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
