"""``python -m eval.corpora``: datatrove's filters and deduplication, with its tokenizer and ours.

Documents are stretches of the raw text; every tenth comes twice, the second time with every fifth
line left out.  Each step of datatrove runs over all of them, once with the tokenizer that it has
for Mandarin (spaCy's, over jieba) and once with :class:`segmenter.adapters.datatrove.Tokenizer`:
how fast, which documents each keeps, and why they differ.  Needs the extra ``[datatrove]`` with
spaCy and jieba.  Results: ``eval/results/corpora.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import lzma
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

LINES = 20  # of a document
THEIRS = "cmn_Hani"  # "zh" would be spaCy's rules for unknown languages, which cut at blanks
# Gopher's thresholds count English words; a Chinese word has 1.5 characters
GOPHER: dict[str, Any] = {"min_avg_word_length": 1, "min_stop_words": None}

NOTES = (
    "- *Words alone*, *sentences alone*: the tokenizer without a step. Where a step does more than "
    "cut, its own part is what is left.",
    "- *below alpha threshold*: at least 80% of the words must hold a letter. jieba makes several "
    "tokens of a number with a sign, of a date and of a line of code, none of them with a letter.",
    "- *repeated sentences*: for us a line end ends a sentence; for spaCy only a mark does, so "
    "lines without one join the next line, and a copy without that line repeats nothing.",
    "- *near-duplicate*: documents near the threshold; five words in a row are other characters.",
)


class Outcome(NamedTuple):
    """What one step did with one tokenizer."""

    seconds: float  # of CPU
    kept: dict[int, str]  # by document: what is left of its text
    reasons: dict[int, str]  # of the documents that were dropped


def documents(folder: Path, size: int) -> list[str]:
    """Documents of all raw texts in turn, about ``size`` characters together."""
    streams: list[Iterator[str]] = []
    for path in sorted(folder.glob("*.txt.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as file:
            streams.append(iter(file.read(4 * size // 30 + 20_000).splitlines()[:-1]))
    out: list[str] = []
    total = 0
    while streams and total < size:
        for stream in list(streams):
            lines = list(islice(stream, LINES))
            if len(lines) < LINES:
                streams.remove(stream)
                continue
            out.append("\n".join(lines))
            if len(out) % 10 == 0:
                out.append("\n".join(line for i, line in enumerate(lines) if i % 5))
            total += sum(map(len, lines))
    return out


def _filtered(make: Callable[[], Any], texts: Sequence[str]) -> Outcome:
    from datatrove.data import Document

    step = make()
    kept, reasons = {}, {}
    begin = time.process_time()
    for i, text in enumerate(texts):
        answer = step.filter(Document(text=text, id=str(i)))
        if answer is True:
            kept[i] = text
        else:
            reasons[i] = answer[1] if isinstance(answer, tuple) else "dropped"
    return Outcome(time.process_time() - begin, kept, reasons)


def _minhash(tokenizer: Any, texts: Sequence[str]) -> Outcome:
    from datatrove.pipeline.dedup import (
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
        MinhashDedupSignature,
    )
    from datatrove.pipeline.dedup.minhash import MinhashConfig

    config = MinhashConfig()
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        signature = MinhashDedupSignature(f"{folder}/sig", config=config, language=tokenizer)
        signature.run(_documents(texts))
        for bucket in range(config.num_buckets):
            MinhashDedupBuckets(f"{folder}/sig", f"{folder}/buckets", config=config).run(
                None, bucket, config.num_buckets
            )
        MinhashDedupCluster(f"{folder}/buckets", f"{folder}/remove", config=config).run()
        left = list(MinhashDedupFilter(f"{folder}/remove").run(_documents(texts)))
        seconds = time.process_time() - begin
    return _outcome(seconds, left, texts, "near-duplicate")


def _sentences(tokenizer: Any, texts: Sequence[str]) -> Outcome:
    from datatrove.pipeline.dedup import (
        SentenceDedupFilter,
        SentenceDedupSignature,
        SentenceFindDedups,
    )
    from datatrove.pipeline.dedup.sentence_dedup import SentDedupConfig

    config = SentDedupConfig(only_dedup_in_index=False)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        signature = SentenceDedupSignature(f"{folder}/sig", config=config, language=tokenizer)
        signature.run(_documents(texts))
        SentenceFindDedups(f"{folder}/sig", f"{folder}/dups", config=config).run()
        step = SentenceDedupFilter(f"{folder}/dups", config=config, language=tokenizer)
        left = list(step.run(_documents(texts)))
        seconds = time.process_time() - begin
    return _outcome(seconds, left, texts, "repeated sentences")


def _documents(texts: Sequence[str]) -> Iterator[Any]:
    from datatrove.data import Document

    return (Document(text=text, id=str(i)) for i, text in enumerate(texts))


def _outcome(seconds: float, left: list[Any], texts: Sequence[str], why: str) -> Outcome:
    kept = {int(document.id): document.text for document in left}
    return Outcome(seconds, kept, {i: why for i in range(len(texts)) if i not in kept})


def _steps() -> dict[str, Callable[[Any, Sequence[str]], Outcome]]:
    from datatrove.pipeline.filters import (
        FineWebQualityFilter,
        GopherQualityFilter,
        GopherRepetitionFilter,
    )

    def filtering(make: Any, **options: Any) -> Callable[[Any, Sequence[str]], Outcome]:
        return lambda tokenizer, texts: _filtered(
            lambda: make(language=tokenizer, **options), texts
        )

    return {
        "words alone": lambda tokenizer, texts: _alone(tokenizer.word_tokenize, texts),
        "sentences alone": lambda tokenizer, texts: _alone(tokenizer.sent_tokenize, texts),
        "Gopher quality": filtering(GopherQualityFilter, **GOPHER),
        "Gopher repetition": filtering(GopherRepetitionFilter),
        "FineWeb quality": filtering(FineWebQualityFilter),
        "MinHash deduplication": _minhash,
        "sentence deduplication": _sentences,
    }


def _alone(run: Callable[[str], object], texts: Sequence[str]) -> Outcome:
    begin = time.process_time()
    for text in texts:
        run(text)
    return Outcome(time.process_time() - begin, dict(enumerate(texts)), {})


def _why(theirs: Outcome, ours: Outcome) -> str:
    """The reasons for which one dropped what the other kept, most frequent first."""
    rows = [
        *Counter(f"only ours drops: {theirs_kept}" for i, theirs_kept in ours.reasons.items()
                 if i in theirs.kept).most_common(3),
        *Counter(f"only theirs drops: {why}" for i, why in theirs.reasons.items()
                 if i in ours.kept).most_common(3),
    ]  # fmt: skip
    changed = sum(theirs.kept[i] != ours.kept[i] for i in theirs.kept.keys() & ours.kept.keys())
    if changed:
        rows.append(("kept by both with different text", changed))
    return "; ".join(f"{what} ({n})" for what, n in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(prog="python -m eval.corpora", description=__doc__)
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--characters", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    from datatrove.utils.logging import logger
    from datatrove.utils.word_tokenizers import load_word_tokenizer

    from segmenter.adapters.datatrove import Tokenizer

    logger.remove()
    texts = documents(common.data_dir(given.data) / "raw", given.characters)
    size = sum(len(text.encode()) for text in texts) / 1e6
    theirs, ours = load_word_tokenizer(THEIRS), Tokenizer()
    for tokenizer in (theirs, ours):
        tokenizer.word_tokenize("他说的确实在理。")  # files are opened before the clock runs
    rows, saved = [], {}
    for name, run in _steps().items():
        his, mine = run(theirs, texts), run(ours, texts)
        rows.append(
            [
                name, f"{size / his.seconds:.2f}", f"{size / mine.seconds:.2f}",
                f"{his.seconds / mine.seconds:.1f}", f"{len(his.kept):,}", f"{len(mine.kept):,}",
                f"{len(his.kept.keys() & mine.kept.keys()):,}", _why(his, mine),
            ]
        )  # fmt: skip
        saved[name] = {
            "MB": size,
            "seconds": {"datatrove": his.seconds, "segmenter": mine.seconds},
            "kept": {"datatrove": len(his.kept), "segmenter": len(mine.kept)},
        }
        print(*rows[-1], sep=" | ", flush=True)
    about = common.facts(("datatrove", "spacy", "jieba"))
    head = ("step", "its own MB/s", "ours MB/s", "ratio", "its own keeps", "ours keeps", "both",
            "where they differ")  # fmt: skip
    report = "\n".join(
        [
            common.heading("Cleaning corpora with datatrove", about, "python -m eval.corpora"),
            f"{len(texts):,} documents of {LINES} lines, {size:.1f} MB of UTF-8, of all the raw "
            "texts in turn; one in eleven is a copy without every fifth line. CPU time of one "
            "thread. Its own tokenizer is the one that it has for Mandarin, spaCy's with jieba "
            "(`language=\"cmn_Hani\"`); `language=\"zh\"` gives it none that knows words.",
            "",
            common.table(head, rows),
            "",
            *NOTES,
        ]
    )  # fmt: skip
    if not given.dry:
        common.write("corpora", report, {**about, "steps": saved})
    return 0


if __name__ == "__main__":
    sys.exit(main())
