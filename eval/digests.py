"""``python -m eval.digests``: digests of every output that a change of the code must not change.

One SHA-256 per setting and kind of output, over the same text: lines of the corpora in
``../shared/data`` (raw and gold, evenly spread) and unusual text generated here, so that part of it
runs without the corpora.  Settings are all presets and standards, decoders, values of ``oov``,
matchers, user words, and settings of atoms; outputs are words, spans, kinds, tags, scores,
search tokens, parts of speech, the n best paths, bytes, columns, subword ids, and the ends by
jieba's rules.

    python -m eval.digests --json before.json         # at the old commit
    python -m eval.digests --compare before.json      # at the new one: exits 1 on a difference
    python -m eval.digests --only unigram             # settings whose name holds this

Run both with the same models: the fingerprints of the Segmenters are written beside the digests,
and where they differ the comparison says so first.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import random
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eval import common
from segmenter import Segmenter, load, subword
from segmenter.choices import LATTICE
from segmenter.columns import cut_column
from segmenter.errors import ResourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PRESETS = ("fast", "balanced", "accurate")
#: Pieces of the odd text: what atoms, runs, marks and the words of the user are found in.
ODD = [
    "https://例.cn/a?b=1#c", "a.b@c.cn", "v2.0.1-rc1", "2026年11月21日", "10:30:05", "1,234.5万",
    "１２．５％", "-3.5℃", "#话题#", "@某人", "👩\u200d💻", "🇨🇳", "e\u0301s", "C++", "iPhone 15",
    "三千五百二十分之一", "第十二", "\u3000", "\u2028", "\u0301", "\ufe0f甲乙", "(a)(b)", "1-2-3",
    "０１０－１２３４", "……", "——", "SO-123456", "\x00", "\ufffd", "\ud800", "Привет", "カタカナ",
    "他說的確實在理", "乾淨的乾坤", "魑魅魍魎", "犇骉", "The", "911", "100", "This", "iPhone15",
    "5kg", "3.14", "十二月份", "1998年", "在理", "他说的确实在理", "研究生命的起源", " ", "\t",
    "。", "中华人民共和国成立", "云南白药", "的确实", "结婚的和尚未结婚的", "|", "`", "\r",
]  # fmt: skip
USER: list[Any] = [
    "的确", ("确实在理", "force"), ("研究", 5.0, "vn"), ("中华人民", "delete"), "iPhone 15",
    ("在", "force"), ("云南|白药", "split", "n"), ("一", 900.0), ("C++", "prefer", "nz", {"id": 1}),
]  # fmt: skip
KEEP_ALL = {"hashtag": "split", "url": "split", "number": "keep", "emoji": "keep"}


def odd_lines(count: int, seed: int = 13) -> list[str]:
    """Lines of pieces at random; the same for the same arguments."""
    pick = random.Random(seed)
    return ["".join(pick.choices(ODD, k=pick.randint(1, 14))) for _ in range(count)]


def spread(lines: Iterable[str], period: int, characters: int) -> list[str]:
    """Every `period`-th line, up to a number of characters."""
    chosen: list[str] = []
    size = 0
    for line in islice(lines, 0, None, period):
        text = line.rstrip("\r\n")
        chosen.append(text)
        size += len(text)
        if size >= characters:
            break
    return chosen


def corpus_lines(data: Path, characters: int) -> list[str]:
    """About `characters` characters of the corpora, the same share from every file."""
    raw = sorted((data / "raw").glob("*.txt.xz"))
    gold = sorted(p for p in (data / "gold").rglob("*") if p.suffix in (".txt", ".utf8"))
    gold += sorted((data / "sighan2005").glob("*_test_gold.utf8"))
    share = characters // max(1, len(raw) + len(gold))
    lines: list[str] = []
    for path in raw:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            lines += spread(file, 7, share)
    for path in gold:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines += spread(("".join(line.split()) for line in file), 3, share)
    return lines


def settings() -> Iterator[tuple[str, Callable[[], Segmenter]]]:
    """The segmenters, by name."""

    def setting(name: str, *args: Any, **options: Any) -> tuple[str, Callable[[], Segmenter]]:
        return name, lambda: load(*args, **options)

    for standard in ("general", "pku"):
        for preset in ("fast", "balanced", "accurate"):
            yield setting(f"{preset} {standard}", preset, standard=standard)
        for decoder in (*LATTICE, "hmm"):
            yield setting(f"{decoder} {standard}", decoder=decoder, standard=standard)
    for oov in ("keep", "hmm", "tagger", "bpe", "unigram"):
        yield setting(f"unigram oov={oov}", decoder="unigram", oov=oov)
    for oov in ("bpe", "unigram"):
        yield setting(f"fast oov={oov}", "fast", oov=oov)
    for matcher in ("aho-corasick", "marisa", "pyahocorasick"):
        yield setting(f"unigram matcher={matcher}", decoder="unigram", matcher=matcher)
    for name in ("fast", "balanced", "accurate", "unigram", "bigram", "shortest", "forward-max"):
        options: dict[str, Any] = {} if name in PRESETS else {"decoder": name}
        preset = name if name in PRESETS else "balanced"
        yield setting(f"{name} user", preset, user=USER, **options)
        yield setting(f"{name} atoms", preset, atoms=KEEP_ALL, **options)
        pattern = {"patterns": {"order": r"SO-\d+"}}
        yield setting(f"{name} atoms user", preset, atoms=pattern, user=USER, **options)
        yield setting(f"{name} no variants", preset, variants=False, **options)
        yield setting(f"{name} skip", preset, skip=("space", "punct"), **options)


class Digest:
    """A SHA-256 of rows of text."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()

    def add(self, row: object) -> None:
        """Adds a row by its text."""
        self._sum.update(str(row).encode("utf-8", "surrogatepass") + b"\n")

    def __str__(self) -> str:
        return self._sum.hexdigest()[:32]


def digests_of(
    segmenter: Segmenter, texts: list[str], period: int, *, columns: bool = True
) -> dict[str, str]:
    """Digests of all outputs; those that make objects take one text in `period`.

    `columns`: False where a matcher outside the kernels finds the words, which cuts no columns.
    """
    digests: dict[str, Digest] = {}

    def add(name: str, row: object) -> None:
        digests.setdefault(name, Digest()).add(row)

    for words in segmenter.cut_batch(texts, 2):
        add("words", "\x1f".join(words))
    strict = [t.encode("utf-8") for t in texts if not any(0xD800 <= ord(c) < 0xE000 for c in t)]
    add("bytes", segmenter.cut_bytes(b"\n".join(strict), b"/", 2).hex())
    offsets = np.cumsum([0, *map(len, strict)], dtype=np.int32)
    if columns:
        column = cut_column(segmenter, b"".join(strict), offsets, threads=2)
        add("column", column.words.tobytes().hex())
    scored = not segmenter.decoder.endswith("-max")
    for text in texts[::period]:
        tokens = segmenter.tokenize(text)
        add("spans", tokens.spans)
        add("kinds", [t.kind for t in tokens])
        add("tags", [(t.tag, t.source.value, t.payload) for t in tokens])
        add("scores", [t.score for t in tokens])
        add("pos", segmenter.tag(text))
        for mode in ("search", "index", "query"):
            result = segmenter.tokenize(text, mode=mode)
            row = [(t.text, t.start, t.position, t.position_length) for t in result]
            add(mode, row)
        add("cut_for_search", segmenter.cut_for_search(text))
    for text in texts[:: period * 4]:
        if scored:
            add("nbest", segmenter.nbest(text, 5))
        add("cut_all", [(t.text, t.start, t.tag) for t in segmenter.cut_all(text)])
        add("dag", [(e.start, e.end, e.cost) for e in segmenter.dag(text, decided=True).edges])
        add("ends", segmenter.ends(text).tolist())
    return {name: str(digest) for name, digest in digests.items()}


def subword_digests(texts: list[str]) -> dict[str, dict[str, str]]:
    """Ids and pieces of the shipped subword vocabularies."""
    digests = {}
    for name in ("bpe", "unigram"):
        tokenizer = subword.load(name)
        ids, pieces = Digest(), Digest()
        for text in texts:
            encoding = tokenizer.encode(text)
            ids.add(list(encoding.ids))
            pieces.add(encoding.tokens)
        digests[f"subword {name}"] = {"ids": str(ids), "pieces": str(pieces)}
    return digests


def jieba_digests(texts: list[str]) -> dict[str, dict[str, str]]:
    """Words of the module that stands in for jieba."""
    from segmenter.compat import jieba

    digests: dict[str, Digest] = {}
    for text in texts:
        for name, words in (
            ("cut", jieba.cut(text)),
            ("plain", jieba.cut(text, HMM=False)),
            ("all", jieba.cut(text, cut_all=True)),
            ("search", jieba.cut_for_search(text)),
        ):
            digests.setdefault(name, Digest()).add("\x1f".join(words))
    return {"jieba": {name: str(digest) for name, digest in digests.items()}}


def compare(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """A line for every digest that differs or is missing on one side."""
    lines = []
    if old["text"] != new["text"]:
        return ["the texts differ: give the same --characters and the same corpora"]
    for name in sorted(old["settings"].keys() | new["settings"].keys()):
        a, b = old["settings"].get(name), new["settings"].get(name)
        if a is None or b is None:
            lines.append(f"{name}: only {'after' if a is None else 'before'}")
            continue
        if old["fingerprints"].get(name) != new["fingerprints"].get(name):
            before, after = old["fingerprints"].get(name), new["fingerprints"].get(name)
            lines.append(f"{name}: fingerprint {before} became {after}")
        lines += [f"{name}: {k}" for k in sorted(a.keys() | b.keys()) if a.get(k) != b.get(k)]
    return lines


def main(argv: list[str] | None = None) -> int:
    """The command; see the module."""
    parser = argparse.ArgumentParser(prog="python -m eval.digests", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--characters", type=int, default=400_000, help="of the corpora")
    parser.add_argument("--odd", type=int, default=2_000, help="lines of odd text")
    parser.add_argument("--every", type=int, default=12, help="texts to one that makes objects")
    parser.add_argument("--data", help="folder of the corpora")
    parser.add_argument("--only", default="", help="settings whose name holds this")
    parser.add_argument("--json", type=Path, help="write the digests there")
    parser.add_argument("--compare", type=Path, help="digests to compare with")
    args = parser.parse_args(argv)
    texts = odd_lines(args.odd)
    try:
        texts += corpus_lines(common.data_dir(args.data), args.characters)
    except ResourceError as e:
        print(f"odd text alone: {e}", file=sys.stderr)
    total = Digest()
    for text in texts:
        total.add(text)
    result: dict[str, Any] = {
        "commit": common.commit(),
        "characters": sum(map(len, texts)),
        "text": str(total),
        "fingerprints": {},
        "settings": {},
    }
    for name, make in settings():
        if args.only not in name:
            continue
        try:
            segmenter = make()
        except (ImportError, ResourceError) as e:
            print(f"{name}: left out: {e}", file=sys.stderr)
            continue
        result["fingerprints"][name] = segmenter.fingerprint
        # matchers outside the kernels and jieba's rules are slow: a share of the text is enough
        is_outside = "matcher" in name
        digests = digests_of(
            segmenter, texts[:: 8 if is_outside else 1], args.every, columns=not is_outside
        )
        result["settings"][name] = digests
        print(name, " ".join(f"{k}={v[:8]}" for k, v in digests.items()), flush=True)
    for part, make_digests in (("subword", subword_digests), ("jieba", jieba_digests)):
        if args.only in part:
            result["settings"] |= make_digests(texts[::4])
    if args.json:
        args.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if not args.compare:
        return 0
    old = json.loads(args.compare.read_text(encoding="utf-8"))
    old["settings"] = {k: v for k, v in old["settings"].items() if args.only in k}
    differences = compare(old, result)
    for line in differences:
        print(f"differs: {line}")
    print(f"{len(result['settings'])} settings, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
