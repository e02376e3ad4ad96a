"""Random ``tokenizer.json`` files: steps, models and added tokens of every kind, with odd settings.

``python tests/subword/random_files.py 10000`` compares so many files, 20 texts each, with the
package tokenizers: a file is refused when it is read, or gives that library's ids.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segmenter.subword.formats import tokenizer_json
from segmenter.subword.formats.files import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

ATOMS = (
    "a",
    "b",
    "ab",
    "ba",
    "aab",
    "A",
    "Ab",
    "z",
    " ",
    "  ",
    "\n",
    "\t",
    "\u3000",
    "1",
    "12",
    "½",
    "²",
    "①",
    "!",
    "?!",
    "，",
    "。",
    ".",
    "-",
    "_",
    "'s",
    "中",
    "文",
    "中文",
    "的",
    "<unk>",
    "<0xE7>",
    "<s>",
    "[X]",
    "é",
    "e\u0301",
    "ﬁ",
    "Ａ",
    "😀",
    "👍🏽",
    "ß",
    "İ",
    "ก็",
    "д",
    "가",
    "\u200d",
    "▁",
    "Ġ",
    "##b",
    "",
)
PATTERNS = (
    r"\w+|[^\w\s]+",
    r"\s+",
    r"\d",
    r"\p{L}+",
    r"[^\s]+",
    r"a*",
    r"[a-z]+|\S",
    r"\p{N}{1,3}",
    r"(?i:'s|'t)| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"[\w']+",
    r"[^\w]",
    r"\b",
    r"中|文",
    r"a|ab",
)
BEHAVIOURS = (
    "Removed",
    "Isolated",
    "MergedWithPrevious",
    "MergedWithNext",
    "Contiguous",
)


class Maker:
    """Files and texts from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self, limit: int = 12) -> str:
        return "".join(self.random.choices(ATOMS, k=self.random.randrange(limit)))

    def flag(self) -> bool:
        return self.random.random() < 0.5

    def pick(self, values: Any) -> Any:
        return self.random.choice(values)

    def some(self, make: Any, kind: str, field: str) -> dict[str, Any] | None:
        """None, one step, or a sequence of two or three."""
        roll = self.random.random()
        if roll < 0.3:
            return None
        if roll < 0.75:
            return dict(make())
        return {"type": kind, field: [make() for _ in range(self.random.randrange(1, 4))]}

    def pattern(self) -> dict[str, str]:
        if self.flag():
            return {"Regex": self.pick(PATTERNS)}
        return {"String": self.pick((*ATOMS, " "))}

    def normaliser(self) -> dict[str, Any]:
        kind = self.pick(
            (
                "NFC",
                "NFD",
                "NFKC",
                "NFKD",
                "Lowercase",
                "StripAccents",
                "Strip",
                "Replace",
                "Prepend",
                "BertNormalizer",
                "Nmt",
            )
        )
        if kind == "Strip":
            return {"type": kind, "strip_left": self.flag(), "strip_right": self.flag()}
        if kind == "Replace":
            return {"type": kind, "pattern": self.pattern(), "content": self.pick(ATOMS)}
        if kind == "Prepend":
            return {"type": kind, "prepend": self.pick(("▁", "a", " "))}
        if kind == "BertNormalizer":
            return {
                "type": kind,
                "clean_text": self.flag(),
                "handle_chinese_chars": self.flag(),
                "strip_accents": self.pick((None, True, False)),
                "lowercase": self.flag(),
            }
        return {"type": kind}

    def pre_tokeniser(self) -> dict[str, Any]:
        kind = self.pick(
            (
                "Whitespace",
                "WhitespaceSplit",
                "Punctuation",
                "Digits",
                "Split",
                "ByteLevel",
                "BertPreTokenizer",
                "Metaspace",
                "CharDelimiterSplit",
                "UnicodeScripts",
            )
        )
        if kind == "Punctuation":
            return {"type": kind, "behavior": self.pick(BEHAVIOURS)}
        if kind == "Digits":
            return {"type": kind, "individual_digits": self.flag()}
        if kind == "CharDelimiterSplit":
            return {"type": kind, "delimiter": self.pick(("a", "-", " ", "中"))}
        if kind == "Split":
            return {
                "type": kind,
                "pattern": self.pattern(),
                "behavior": self.pick(BEHAVIOURS),
                "invert": self.flag(),
            }
        if kind == "ByteLevel":
            return {
                "type": kind,
                "add_prefix_space": self.flag(),
                "trim_offsets": self.flag(),
                "use_regex": self.flag(),
            }
        if kind == "Metaspace":
            return {
                "type": kind,
                "replacement": self.pick(("▁", "_")),
                "prepend_scheme": self.pick(("first", "never", "always")),
                "split": self.flag(),
            }
        return {"type": kind}

    def vocabulary(self) -> list[str]:
        listed = ["<unk>", *(a for a in ATOMS if a), "▁a", "Ġa", "##a", "##文", "▁", "Ġ", "ä¸Ń"]
        merges = self.random.sample(listed, self.random.randrange(8, len(listed)))
        return list(dict.fromkeys(["<unk>", "a", "b", *merges]))

    def model(self) -> dict[str, Any]:
        kind = self.pick(("BPE", "BPE", "Unigram", "WordPiece", "WordLevel"))
        pieces = self.vocabulary()
        byte_pieces = self.random.random() < 0.3
        if byte_pieces:
            pieces += [f"<0x{n:02X}>" for n in range(256) if f"<0x{n:02X}>" not in pieces]
        ids = {piece: n for n, piece in enumerate(pieces)}
        if kind == "Unigram":
            return {
                "type": kind,
                "unk_id": self.pick((0, 0, None)) if not byte_pieces else 0,
                "vocab": [[p, -self.random.randrange(1, 40) / 4] for p in pieces],
                "byte_fallback": byte_pieces and self.flag(),
            }
        if kind == "WordPiece":
            return {
                "type": kind,
                "unk_token": "<unk>",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": self.pick((4, 100)),
                "vocab": ids,
            }
        if kind == "WordLevel":
            return {"type": kind, "vocab": ids, "unk_token": "<unk>"}
        merges = [
            [p[:k], p[k:]]
            for p in pieces
            for k in range(1, len(p))
            if p[:k] in ids and p[k:] in ids
        ]
        self.random.shuffle(merges)
        return {
            "type": kind,
            "dropout": None,
            "unk_token": self.pick(("<unk>", None)),
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": self.flag(),
            "byte_fallback": byte_pieces and self.flag(),
            "ignore_merges": self.flag(),
            "vocab": ids,
            "merges": merges,
        }

    def added(self, model: dict[str, Any]) -> Iterator[dict[str, Any]]:
        vocabulary = model["vocab"]
        is_known = (
            {row[0]: n for n, row in enumerate(vocabulary)}
            if isinstance(vocabulary, list)
            else vocabulary
        )
        size = len(is_known)
        contents = self.random.sample(("<unk>", "<s>", "[X]", " ", "ab", "中文", "a", "Ab"), 4)
        for content in contents[: self.random.randrange(4)]:
            if content in is_known:
                number = is_known[content]
            else:
                number, size = size, size + 1
            yield {
                "id": number,
                "content": content,
                "single_word": self.flag(),
                "lstrip": self.flag(),
                "rstrip": self.flag(),
                "normalized": self.flag(),
                "special": self.flag(),
            }

    def decoder(self) -> dict[str, Any]:
        return dict(
            self.pick(
                (
                    {
                        "type": "ByteLevel",
                        "add_prefix_space": True,
                        "trim_offsets": True,
                        "use_regex": True,
                    },
                    {
                        "type": "Metaspace",
                        "replacement": "▁",
                        "prepend_scheme": "always",
                        "split": True,
                    },
                    {"type": "WordPiece", "prefix": "##", "cleanup": self.flag()},
                    {"type": "BPEDecoder", "suffix": "b"},
                    {"type": "Fuse"},
                    {"type": "ByteFallback"},
                    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
                )
            )
        )

    def file(self) -> dict[str, Any]:
        model = self.model()
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": sorted(self.added(model), key=lambda row: row["id"]),
            "normalizer": self.some(self.normaliser, "Sequence", "normalizers"),
            "pre_tokenizer": self.some(self.pre_tokeniser, "Sequence", "pretokenizers"),
            "post_processor": None,
            "decoder": self.some(self.decoder, "Sequence", "decoders"),
            "model": model,
        }


def made_of(seed: int) -> str:
    """The steps of a file, on one line."""
    config = Maker(seed).file()
    model = {k: v for k, v in config["model"].items() if k not in ("vocab", "merges")}
    steps = {k: config[k] for k in ("normalizer", "pre_tokenizer", "decoder", "added_tokens")}
    return json.dumps({"model": model, **{k: v for k, v in steps.items() if v}}, ensure_ascii=False)


def differences(seed: int, folder: Path, texts: int = 20) -> tuple[str, list[str]]:
    """What became of a file, ``"refused"`` (by either) or ``"read"``, and where the two differ."""
    from tokenizers import Tokenizer

    maker = Maker(seed)
    config = maker.file()
    source = json.dumps(config, ensure_ascii=False)
    try:
        theirs = Tokenizer.from_str(source)
    except BaseException as e:  # its panics are no Exception
        if isinstance(e, KeyboardInterrupt):
            raise
        return "refused by the library", []
    path = folder / "tokenizer.json"
    path.write_text(source, "utf-8")
    try:
        ours = tokenizer_json.load(path)
    except FormatError:
        return "refused", []
    # a BPE that leaves out unknown characters does not count them in its offsets there
    decodes = config["model"]["type"] != "BPE" or bool(config["model"]["unk_token"])
    differences_found = []
    for _ in range(texts):
        text = maker.text()
        try:
            expected = theirs.encode(text, add_special_tokens=False)
        except BaseException as e:  # a panic
            if isinstance(e, KeyboardInterrupt):
                raise
            continue
        try:
            got = ours.encode(text)
        except Exception as e:
            differences_found.append(f"{text!r}: {e!r}, there {expected.ids}")
            continue
        if got.ids != expected.ids:
            differences_found.append(f"{text!r}: ids {got.ids}, there {expected.ids}")
        elif decodes and list(map(tuple, got.offsets)) != expected.offsets:
            differences_found.append(f"{text!r}: offsets {got.offsets}, there {expected.offsets}")
        else:
            said = ours.decode(expected.ids, skip_special=False)
            decoded = theirs.decode(expected.ids, skip_special_tokens=False)
            if said != decoded:
                differences_found.append(f"{text!r}: decoded {said!r}, there {decoded!r}")
    return "read", differences_found


def main() -> None:
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    became: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            kind, differences_found = differences(seed, Path(folder))
            became[kind] = became.get(kind, 0) + 1
            if differences_found:
                became["different"] = became.get("different", 0) + 1
                first_ids = next(
                    (f for f in differences_found if "ids" in f or "Error" in f),
                    differences_found[0],
                )
                print(seed, len(differences_found), made_of(seed), first_ids, flush=True)
    print(became)


if __name__ == "__main__":
    main()
