"""``python -m eval.subword_speed``: our subword models against the libraries', the same files.

Four models of 32,000 pieces are trained by ``tokenizers`` on two months of the People's Daily (one
by SentencePiece); both sides load the same file and encode every 50th line of the national corpus,
a call per line, text in, list of ids out, on one core.  The ids must be the same on every line, or
nothing is timed.  GPT-2's and cl100k's own vocabularies are measured where they lie in
``../shared/vectors``.  What is counted is CPU time of the process, in which neighbours on the
machine show least.  Then long runs without a break, from 10,000 characters to 10,240,000.
Results: ``eval/results/subword_speed.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import os
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common
from segmenter.subword.formats import gpt2, sentencepiece, tiktoken, tokenizer_json
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from segmenter.subword import Tokenizer

SIZE = 32_000
ROUNDS = 7
LENGTHS = tuple(10_000 << k for k in range(11))
LONG = ("byte-bpe", "bpe", "unigram")
#: The libraries' own seconds a length may take before longer ones are left out.
LIMIT = 3.0


class Match(NamedTuple):
    """One file, run by us and by the library it comes from."""

    model: str
    library: str
    ours: Tokenizer
    theirs: Callable[[str], list[int]]


class Row(NamedTuple):
    """CPU seconds for all lines: minima of rounds in turns; ``again`` is ours a second time."""

    model: str
    library: str
    tokens: int
    ours: float
    ids: float
    again: float
    theirs: float


def training_lines(data: Path) -> list[str]:
    """The People's Daily of January and February 1998, without blanks."""
    files = [data / "pfr" / name for name in ("train_jan.txt", "train_feb.txt")]
    return [scoring.join_words(line) for file in files for line in scoring.read_lines(file)]


def trained(name: str, lines: Sequence[str], path: Path) -> None:
    """Trains one of the four models with the library's own trainer."""
    import tokenizers as hf

    options: dict[str, Any] = {"vocab_size": SIZE, "show_progress": False}
    trainer: Any
    if name == "byte-bpe":
        tokenizer = hf.Tokenizer(hf.models.BPE())
        tokenizer.pre_tokenizer = hf.pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = hf.decoders.ByteLevel()
        alphabet = hf.pre_tokenizers.ByteLevel.alphabet()
        trainer = hf.trainers.BpeTrainer(initial_alphabet=alphabet, **options)
    elif name == "bpe":
        tokenizer = hf.Tokenizer(hf.models.BPE(unk_token="<unk>"))
        tokenizer.pre_tokenizer = hf.pre_tokenizers.Metaspace()
        trainer = hf.trainers.BpeTrainer(special_tokens=["<unk>"], **options)
    elif name == "unigram":
        tokenizer = hf.Tokenizer(hf.models.Unigram())
        tokenizer.pre_tokenizer = hf.pre_tokenizers.Metaspace()
        trainer = hf.trainers.UnigramTrainer(special_tokens=["<unk>"], unk_token="<unk>", **options)
    else:
        tokenizer = hf.Tokenizer(hf.models.WordPiece(unk_token="[UNK]"))
        tokenizer.pre_tokenizer = hf.pre_tokenizers.BertPreTokenizer()
        trainer = hf.trainers.WordPieceTrainer(special_tokens=["[UNK]"], **options)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.save(str(path))


def matches(folder: Path, data: Path, vectors: Path) -> Iterator[Match]:
    """All files that are there or can be made, with the library of each that is installed."""
    import tokenizers as hf

    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    for name in ("byte-bpe", "bpe", "unigram", "wordpiece"):
        path = folder / f"{name}.json"
        if not path.is_file():
            lines = lines or training_lines(data)
            print(f"training {name}, minutes", flush=True)
            trained(name, lines, path)
        theirs = hf.Tokenizer.from_file(str(path))
        yield Match(name, "tokenizers", tokenizer_json.load(path), _ids_of(theirs))
    yield from _of_sentencepiece(folder / "sentencepiece.model", data)
    if (vectors / "gpt2").is_dir():
        files = vectors / "gpt2" / "vocab.json", vectors / "gpt2" / "merges.txt"
        theirs = hf.Tokenizer(hf.models.BPE.from_file(*map(str, files)))
        theirs.pre_tokenizer = hf.pre_tokenizers.ByteLevel(add_prefix_space=False)
        yield Match("GPT-2", "tokenizers", gpt2.load(*files), _ids_of(theirs))
    yield from _of_tiktoken(vectors / "cl100k" / "cl100k_base.tiktoken")


def _ids_of(theirs: Any) -> Callable[[str], list[int]]:
    def encode(text: str) -> list[int]:
        ids: list[int] = theirs.encode(text).ids
        return ids

    return encode


def _of_sentencepiece(path: Path, data: Path) -> Iterator[Match]:
    try:
        import sentencepiece as library
    except ImportError:
        return
    if not path.is_file():
        library.SentencePieceTrainer.train(
            sentence_iterator=iter(training_lines(data)),
            model_prefix=str(path.with_suffix("")),
            vocab_size=SIZE,
            num_threads=1,
            minloglevel=2,
        )
    theirs = library.SentencePieceProcessor(model_file=str(path))
    yield Match("unigram", "sentencepiece", sentencepiece.load(path), theirs.encode)


def _of_tiktoken(path: Path) -> Iterator[Match]:
    try:
        import tiktoken as library
    except ImportError:
        return
    if path.is_file():
        ours = tiktoken.load(path)
        theirs = library.Encoding(
            "cl100k",
            pat_str=ours.pretokeniser.pattern,  # type: ignore[attr-defined]
            mergeable_ranks=tiktoken.read_ranks(path),
            special_tokens={},
        )
        yield Match("cl100k", "tiktoken", ours, theirs.encode_ordinary)


def measure(match: Match, lines: Sequence[str]) -> Row:
    """Times one file on all lines, in turns.

    Raises:
        SystemExit: the ids differ on a line.
    """
    ours = match.ours
    works: list[Callable[[], int]] = [
        lambda: sum(len(ours.encode(line).ids) for line in lines),
        lambda: sum(len(ours.encode_ids(line)) for line in lines),
        lambda: sum(len(ours.encode(line).ids) for line in lines),
        lambda: sum(len(match.theirs(line)) for line in lines),
    ]
    tokens = 0
    for line in lines:
        ids = match.theirs(line)
        tokens += len(ids)
        if not ours.encode(line).ids == ours.encode_ids(line) == ids:
            raise SystemExit(f"{match.model}, {match.library}: the ids differ on {line!r}")
    seconds = [float("inf")] * len(works)
    for round_ in range(ROUNDS):
        for k in range(len(works)):
            at = (k + round_) % len(works)
            start = time.process_time()
            works[at]()
            seconds[at] = min(seconds[at], time.process_time() - start)
    return Row(match.model, match.library, tokens, *seconds)


def long_runs(match: Match, seeds: dict[str, str]) -> list[dict[str, Any]]:
    """Seconds of runs without a break, ours and the library's, by length."""
    out = []
    for name, seed in seeds.items():
        ours: dict[int, float] = {}
        theirs: dict[int, float] = {}
        for length in LENGTHS:
            text = (seed * (length // len(seed) + 1))[:length]
            ours[length] = _best(match.ours.encode_ids, text)
            if not theirs or 2 * max(theirs.values()) <= LIMIT:
                theirs[length] = _best(match.theirs, text)
        ratios = [b / a for a, b in pairwise(ours.values())]
        out.append(
            {"model": match.model, "library": match.library, "text": name, "ours": ours,
             "theirs": theirs, "ratios": ratios}
        )  # fmt: skip
    return out


def _best(work: Callable[[str], Any], text: str) -> float:
    times: list[float] = []
    while len(times) < 3 or (sum(times) < 0.05 and len(times) < 50):
        start = time.process_time()
        work(text)
        times.append(time.process_time() - start)
        if sum(times) > LIMIT:
            break
    return min(times)


def markdown(about: dict[str, object], rows: list[Row], runs: list[dict[str, Any]], n: int) -> str:
    """The report."""
    table = [
        [
            row.model,
            row.library,
            f"{row.tokens:,}",
            f"{n / row.ours / 1e6:.1f}",
            f"{n / row.ids / 1e6:.1f}",
            f"{n / row.theirs / 1e6:.1f}",
            f"{row.theirs / row.ours:.1f}",
            f"{row.theirs / row.ids:.1f}",
            f"{abs(row.again / row.ours - 1):.1%}",
        ]
        for row in rows
    ]
    lengths = (LENGTHS[0], LENGTHS[3], LENGTHS[6], LENGTHS[-1])
    long_table = [
        [
            run["model"],
            run["text"],
            *(f"{run['ours'][k]:.2g}" for k in lengths),
            *(f"{run['theirs'][k]:.2g}" if k in run["theirs"] else "–" for k in lengths),
            f"{max(run['ratios']):.2f}",
        ]
        for run in runs
    ]
    heads = ("ours, ids alone MB/s", "library MB/s", "library ÷ ours", "÷ ids alone", "A against A")
    return "\n".join(
        [
            common.heading("Subword models", about, "python -m eval.subword_speed"),
            f"Every 50th line of the national corpus, {n / 1e6:.2f} MB of UTF-8; a call per line, "
            "text in, list of ids out; one core, each library on one thread. The same ids on every "
            "line, or nothing is timed. CPU time of the process, minima of "
            f"{ROUNDS} rounds in turns. `ours` is `Tokenizer.encode(line).ids`, ids alone "
            f"`Tokenizer.encode_ids(line)`. Models of {SIZE:,} pieces but for GPT-2 (50,257) and "
            "cl100k (100,256).\n",
            common.table(("model", "library", "tokens", "ours MB/s", *heads), table, left=2),
            "\n## Long runs without a break\n",
            "CPU seconds for one string of so many characters, ids alone, minimum of rounds; a "
            "dash: the library would have taken longer than the limit. Han: the Han characters of "
            "the lines, one after another; the others repeat.\n",
            common.table(
                (
                    "model",
                    "text",
                    *(f"ours {k:,}" for k in lengths),
                    *(f"library {k:,}" for k in lengths),
                    "worst doubling of ours",
                ),
                long_table,
                left=2,
            ),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.subword_speed", description="Subword models against the libraries."
    )
    parser.add_argument("--data", help="folder of the corpora (or SEGMENTER_CORPORA)")
    parser.add_argument("--models", default="build/subword", help="where trained models are kept")
    parser.add_argument("--vectors", default=str(common.ROOT.parent / "shared" / "vectors"))
    parser.add_argument("--quick", action="store_true", help="a tenth of the lines; no file")
    given = parser.parse_args(arguments)
    os.environ["RAYON_NUM_THREADS"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    data = common.data_dir(given.data)
    lines = [line for line in common.national_lines(data)[49::50] if line]
    if given.quick:
        lines = lines[::10]
    size = sum(len(line.encode()) for line in lines)
    common.pin(1)
    rows: list[Row] = []
    runs: list[dict[str, Any]] = []
    han = "".join(c for line in lines for c in line if "\u4e00" <= c <= "\u9fff")
    seeds = {"Han": han, "一…": "一", "的确实在理…": "的确实在理"}
    for match in matches(Path(given.models), data, Path(given.vectors)):
        row = measure(match, lines)
        rows.append(row)
        print(row.model, row.library, f"{row.theirs / row.ours:.2f}", flush=True)
        if not given.quick and match.library == "tokenizers" and match.model in LONG:
            runs += long_runs(match, seeds)
    if given.quick:
        return 0
    about = common.facts(("tokenizers", "sentencepiece", "tiktoken"))
    common.write(
        "subword_speed",
        markdown(about, rows, runs, size),
        {**about, "bytes": size, "rows": [row._asdict() for row in rows], "runs": runs},
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
