"""``python -m eval.cleaners``: NeMo Curator's filters with jieba and with ours, and the word hooks
of data-juicer, fastembed and mteb.

The packages are large, and what they do with words is small: the modules that do it are loaded by
themselves, without their package's ``__init__``, so ``pip install --no-deps nemo-curator
py-data-juicer fastembed mteb`` is enough, with jieba, loguru, regex, bm25s and scipy.  What is not
installed is left out.  The documents are those of :mod:`eval.corpora`.
Results: ``eval/results/cleaners.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import types
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from eval import common, corpora
from eval.corpora import Outcome
from segmenter.loading import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PACKAGES = ("nemo-curator", "py-data-juicer", "fastembed", "mteb", "bm25s", "jieba")
#: NeMo Curator's filters that split words, with ``lang="zh"``; its thresholds are of English, so
#: the least mean length of a word is 1 and not 3.
NEMO: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("string", "WordCountFilter", {}),
    ("string", "MeanWordLengthFilter", {"min_mean_word_length": 1}),
    ("string", "LongWordFilter", {}),
    ("string", "SymbolsToWordsFilter", {}),
    ("string", "WordsWithoutAlphabetsFilter", {}),
    ("repetition.repetition", "RepeatingTopNGramsFilter", {"n": 2}),
    ("repetition.repetition", "RepeatingDuplicateNGramsFilter", {"n": 5}),
)


def part(package: str, name: str) -> Any:
    """A module of a package, imported without running the ``__init__`` of what it lies in.

    Raises:
        ModuleNotFoundError: the package, or what the module needs, is not installed.
    """
    found = PathFinder.find_spec(package)
    if found is None or found.submodule_search_locations is None:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    folder, parts = found.submodule_search_locations[0], [package]
    for step in ("", *name.split(".")[:-1]):
        if step:
            folder += f"/{step}"
            parts.append(step)
        here = ".".join(parts)
        if here not in sys.modules:
            module = types.ModuleType(here)
            module.__path__ = [folder]
            sys.modules[here] = module
    return importlib.import_module(f"{package}.{name}")


def tokenizer_of_mteb() -> Any:
    """The class ``BM25Tokenizer``; the card of its model, which imports all of mteb, is left out.

    Raises:
        ModuleNotFoundError: mteb, or what the module needs, is not installed.
    """
    card = types.ModuleType("mteb.models.model_meta")
    vars(card)["ModelMeta"] = lambda **fields: fields
    sys.modules[card.__name__] = card
    return part("mteb", "models.model_implementations.bm25").BM25Tokenizer


def filtered(step: Any, texts: Sequence[str]) -> Outcome:
    """What a filter of NeMo Curator keeps, by processor time."""
    kept, dropped = {}, {}
    begin = time.process_time()
    for i, text in enumerate(texts):
        try:
            score = step.score_document(text)
        except ZeroDivisionError:
            dropped[i] = "fails: ZeroDivisionError"
            continue
        if step.keep_document(score):
            kept[i] = text
        else:
            dropped[i] = f"score {score:.3g}"
    return Outcome(time.process_time() - begin, kept, dropped)


def nemo(texts: Sequence[str]) -> dict[str, tuple[Outcome, Outcome, Outcome]]:
    """Every filter with jieba, with what the shim puts in its place, and with ``fast`` set into
    the filter, without blanks."""
    import jieba

    from segmenter.compat import jieba as ours

    out = {}
    fast = load("fast", skip="space")
    jieba.setLogLevel(60)
    for where, name, options in NEMO:
        make = getattr(part("nemo_curator", f"stages.text.filters.heuristic.{where}"), name)
        got = []
        for module in (jieba, ours, None):
            sys.modules["jieba"] = module or jieba
            step = make(lang="zh", **options)
            if module is None:
                step._word_splitter = fast.cut
            step.score_document("他说的确实在理。我们都同意他的看法。")  # opens the dictionary
            got.append(filtered(step, texts))
        sys.modules["jieba"] = jieba
        out[name] = (got[0], got[1], got[2])
    return out


def changed(jieba: Outcome, ours: Outcome) -> str:
    """The documents that only one of them keeps, and why the other drops them: some scores."""
    rows = []
    for who, kept, drops in (("jieba", jieba, ours), ("ours", ours, jieba)):
        only = [drops.reasons[i] for i in sorted(kept.kept.keys() & drops.reasons.keys())]
        if only:
            why = ", ".join(dict.fromkeys(only[:3]))
            rows.append(f"only {who} keeps {len(only)} (dropped for {why})")
    return "; ".join(rows)


def words_of(texts: Sequence[str], cut: Callable[[str], list[str]]) -> tuple[float, int, int]:
    """Seconds of the processor, words, distinct words."""
    seen: set[str] = set()
    count = 0
    cut(texts[0])  # files are opened before the clock runs
    begin = time.process_time()
    for text in texts:
        words = cut(text)
        count += len(words)
        seen.update(words)
    return time.process_time() - begin, count, len(seen)


def hooks(texts: Sequence[str]) -> dict[str, tuple[float, int, int]]:
    """The step from a text to terms of each package, as it is and with our words by its hook."""
    ours = load("fast")
    bare = load("fast", skip=("space", "punct"))
    out: dict[str, tuple[float, int, int]] = {}

    def spaced(text: str) -> str:
        return " ".join(bare.cut_for_search(text))

    def data_juicer() -> None:
        words = part("data_juicer", "ops.common.helper_func").get_words_from_document
        refined = part("data_juicer", "ops.common.helper_func").words_refinement
        out["data-juicer, at blanks"] = words_of(texts, lambda text: refined(words(text)))
        out["data-juicer, `encode_as_pieces` ours"] = words_of(
            texts, lambda text: refined(words(text, token_func=ours.cut))
        )

    def fastembed() -> None:
        made = part("fastembed", "sparse.utils.tokenizer").SimpleTokenizer
        out["fastembed, as it is"] = words_of(texts, made.tokenize)
        out["fastembed, words between blanks"] = words_of(
            texts, lambda text: list(made.tokenize(spaced(text)))
        )

    def mteb() -> None:
        made_of = tokenizer_of_mteb()
        for name, tokenizer in (("characters", None), ("`tokenizer=` ours", bare.cut_for_search)):
            made = made_of("zho", tokenizer=tokenizer)
            made.fit_transform(list(texts[:1]))
            begin = time.process_time()
            got = made.fit_transform(list(texts))
            seconds = time.process_time() - begin
            out[f"mteb, {name}"] = (seconds, sum(map(len, got.ids)), len(got.vocab))

    for run in (data_juicer, fastembed, mteb):
        try:
            run()
        except ModuleNotFoundError as e:
            print(f"left out: {run.__name__}: {e}", file=sys.stderr)
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(prog="python -m eval.cleaners", description=__doc__)
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--characters", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    texts = corpora.documents(common.data_dir(given.data) / "raw", given.characters)
    size = sum(len(text.encode()) for text in texts) / 1e6
    about = common.facts(PACKAGES)
    rows = [
        [
            name, *(f"{size / one.seconds:.2f}" for one in (his, shim, mine)),
            f"{his.seconds / mine.seconds:.1f}",
            *(f"{len(one.kept):,}" for one in (his, shim, mine)), changed(his, mine),
        ]
        for name, (his, shim, mine) in nemo(texts).items()
    ]  # fmt: skip
    terms = [
        [name, f"{size / seconds:.2f}", f"{count:,}", f"{distinct:,}"]
        for name, (seconds, count, distinct) in hooks(texts).items()
    ]
    head = ("filter", "jieba MB/s", "shim MB/s", "`fast` MB/s", "`fast` times jieba", "jieba keeps",
            "shim keeps", "`fast` keeps", "where jieba and `fast` differ")  # fmt: skip
    report = "\n".join(
        [
            common.heading("Filters and terms of other packages", about, "python -m eval.cleaners"),
            f"{len(texts):,} documents of {corpora.LINES} lines, {size:.1f} MB of UTF-8; processor "
            "time of one thread. The packages' own modules, loaded without the rest of them.",
            "",
            "## NeMo Curator: filters that split words, `lang=\"zh\"`",
            "",
            "With jieba; with what the shim puts in its place; with `step._word_splitter = "
            "load(\"fast\", skip=\"space\").cut`.",
            "",
            common.table(head, rows),
            "## The step from a text to terms",
            "",
            common.table(("package", "MB/s", "terms", "distinct"), terms),
        ]
    )  # fmt: skip
    print(report)
    if not given.dry:
        common.write("cleaners", report, {**about, "MB": size, "filters": rows, "terms": terms})
    return 0


if __name__ == "__main__":
    sys.exit(main())
