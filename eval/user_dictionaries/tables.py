"""The tables of `user_dictionaries.md`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval import common
from eval.user_dictionaries.sizes import OVERLAYS

if TYPE_CHECKING:
    pass


def markdown(found: dict[str, Any]) -> str:
    """The tables."""
    mb = 1e6
    again, late = found.get("speed_again"), found.get("large_again")
    rows: list[list[object]] = []
    for which, forms in found["speed"].items():
        for form in ("cut", "bytes"):
            base = forms[form]["none"]
            counted = (found["instructions"] or {}).get(which, {}) if form == "bytes" else {}
            for name, seconds in forms[form].items():
                count = counted.get(name)
                rows.append(
                    [
                        which, form, name, f"{seconds * 1000:.1f}", f"{seconds / base:.3f}",
                        f"{count:.0f}" if count else "",
                        f"{count / counted['none']:.3f}" if count else "",
                        f"{forms['of_user'][name]:,} of {forms['words'][name]:,}",
                    ]
                )  # fmt: skip
    out = [
        "## Complaints\n",
        common.table(["", "jieba", "rjieba", "ours"], found["complaints"], left=4),
        "\n## Speed with a dictionary, against none\n",
        "5,930 lines of the PKU and MSR test files, one call per line; instructions per character, "
        "of every fourth line, including everything that Python does."
        + (f"  Measured again at commit {again['commit']}, {again['date']}" if again else "")
        + (f"; instructions at {counted_at}" if (counted_at := found.get("counted_at")) else "")
        + (".\n" if again else "\n"),
        common.table(
            [
                "preset", "output", "dictionary", "ms", "against none", "instructions",
                "against none", "tokens of the user",
            ],
            rows,
            left=3,
        ),
        "\n## Memory and change\n",
        common.table(
            ["", "", ""],
            [
                [
                    f"{OVERLAYS:,} overlays of 1,000 words, all used",
                    f"{found['overlays']['bytes'] / mb:.0f} MB",
                    f"{found['overlays']['seconds']:.1f} s",
                ],
                [
                    "1,000 swaps of the default by `add_word`, 10,000 words in it",
                    f"{found['swaps']['bytes'] / mb:.1f} MB more than before",
                    f"{found['swaps']['seconds']:.2f} s",
                ],
                [
                    "1,000,000 words added in memory",
                    f"one more: {found['add']['one_more'] * 1000:.1f} ms",
                    f"{found['add']['seconds']:.2f} s ({found['add']['wall']:.2f} s by the clock)",
                ],
            ],
            left=2,
        ),
        "\n## Compiled and mapped\n",
        "Build: processor time. Load: in a process that has cut with `fast` before, the best of "
        "five, every byte checked; memory: what the process has more afterwards; processes share "
        "what is mapped."
        + (f"  Measured again at commit {late['commit']}, {late['date']}.\n" if late else "\n"),
        common.table(
            [
                "words", "text MB", "build s", "file MB", "load ms", "unchecked ms", "private MB",
                "mapped MB", "pickle bytes",
            ],
            [
                [
                    f"{row['words']:,}", f"{row['text'] / mb:.0f}", f"{row['build_seconds']:.1f}",
                    f"{row['file'] / mb:.0f}", f"{row['load_ms']:.1f}",
                    f"{row['unchecked_ms']:.1f}", f"{row['private'] / mb:.1f}",
                    f"{row['mapped'] / mb:.1f}", row["pickle"],
                ]
                for row in found["large"]
            ],
        ),
        *lexicon_tables(found),
    ]  # fmt: skip
    return "\n".join(out)


def lexicon_tables(found: dict[str, Any]) -> list[str]:
    """The same words as lexicons."""
    if "lexicons" not in found:
        return []
    mb = 1e6
    rows: list[list[object]] = []
    for row in found["lexicons"]:
        head = [
            f"{row['size']:,}", row["matcher"], f"{row['build_seconds']:.0f}",
            f"{row['build_peak'] / mb:,.0f}",
        ]  # fmt: skip
        if "error" in row:
            rows.append([*head, "does not fit", *["–"] * 5])
            continue
        rows.append(
            [
                *head, f"{row['file'] / mb:.1f}", f"{row['load_ms']:.1f}",
                f"{row['unchecked_ms']:.1f}", f"{row['private'] / mb:.1f}",
                f"{row['mapped'] / mb:.1f}", f"{row['mb_s']:.2f}",
            ]
        )  # fmt: skip
    return [
        "\n## As a lexicon\n",
        "The same words, the k-th counting (number of words) / k, by `segmenter build lexicon` "
        "(second rows: `--matcher marisa`). Build: processor time, and the peak of memory. Load: "
        "as above, `load` and the first cut, the best of three. cut: `list[str]` by the unigram "
        "lattice, lines of the national corpus that gave no words. Both matchers cut them alike.\n",
        common.table(
            [
                "words", "matcher", "build s", "peak MB", "file MB", "load ms", "unchecked ms",
                "private MB", "mapped MB", "cut, MB/s",
            ],
            rows,
            left=2,
        ),
    ]  # fmt: skip
