"""`segmenter tokenize`, `search`, `bench` and `explain`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from segmenter.loading import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from runs import Run

    from segmenter.types import Tokens


def test_tokenize_prints_a_line_for_each_token(run: Run) -> None:
    got = run("tokenize --decoder unigram", "\ufeff他说\r\n\n在2026年\t\\")
    assert got.out.splitlines() == [
        "1\t0\t1\t他\tword\tlexicon\tx",
        "1\t1\t2\t说\tword\tlexicon\tx",
        "3\t0\t1\t在\tword\tlexicon\tx",
        "3\t1\t6\t2026年\tdate\trule\t",
        "3\t6\t7\t\\t\tspace\trule\t",
        "3\t7\t8\t\\\\\tpunct\tunknown\t",
    ]
    rows = [json.loads(line) for line in run("tokenize --json", "他说\n在2026年").out.splitlines()]
    assert [row["line"] for row in rows] == [1, 2]
    assert [t["text"] for t in rows[1]["tokens"]] == ["在", "2026年"]
    assert set(rows[0]["tokens"][0]) == {
        "text", "start", "end", "kind", "source", "tag", "score",
    }  # fmt: skip
    got = run("tokenize", b"a\n\xff")
    assert got.code == 1
    assert "standard input, line 2, byte offset 2" in got.err


def test_search_is_what_the_library_gives(run: Run, tmp_path: Path) -> None:
    from segmenter.search import SearchOptions, leaves, outermost

    lines = ["他说的确实在理，ＡＢ", "", "实在 在理"]
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "stop.txt").write_text("的\n\n 理 \n", "utf-8")
    segmenter = load(decoder="unigram")

    def rows(
        line: str, options: SearchOptions, form: Callable[[Tokens], Tokens], units: str
    ) -> list[list[object]]:
        mode = "search" if "--words" in line else "query" if "--query" in line else "index"
        got = []
        for row in run(f"search --decoder unigram {line} in.txt").out.splitlines():
            number, start, end, text, kind, source, tag, position, length = row.split("\t")
            got.append([
                int(number), int(start), int(end), text, kind, source, tag, int(position),
                int(length),
            ])  # fmt: skip
        assert got == [
            [
                number, t.start, t.end, t.text, t.kind, t.source.value, t.tag, t.position,
                t.position_length,
            ]
            for number, text in enumerate(lines, 1)
            for t in form(segmenter.tokenize(text, mode=mode, options=options)).in_units(units)
        ]  # fmt: skip
        return got

    plain = SearchOptions(drop=frozenset(("space", "newline", "punct")))
    index = rows("", plain, lambda tokens: tokens, "codepoints")
    assert {row[3] for row in index} >= {"他", "说", "的", "确实", "在理", "ＡＢ"}
    assert {row[3] for row in index} >= {"确", "实"}  # the characters of 确实
    rows("--query --units utf16", plain, lambda tokens: tokens, "utf16")
    rows("--phrase --units utf8", plain, leaves, "utf8")
    rows("--words", plain, lambda tokens: tokens, "codepoints")
    rows("--words --query --units utf16", plain, outermost, "utf16")
    rows("--words --phrase", plain, leaves, "codepoints")
    options = SearchOptions(
        single=True, ngrams=2, stop=frozenset(("的", "理", "实")), drop=frozenset(("space",))
    )
    rows(
        "--words --single --grams 2 --stop 的,实 --stop-file stop.txt --drop space",
        options, lambda tokens: tokens, "codepoints",
    )  # fmt: skip
    everything = rows("--drop none", SearchOptions(), lambda tokens: tokens, "codepoints")
    assert {"space", "，"} <= {str(cell) for row in everything for cell in row}


def test_search_prints_index_and_query_tokens(run: Run) -> None:
    command = "search --decoder unigram"
    assert run(f"{command} --query --sep /", "他说，ＡＢ").out == "他/说/ＡＢ\n"
    assert run(f"{command} --query --sep / --fold", "他说，ＡＢ").out == "他/说/ab\n"
    assert run(f"{command} --sep /", "确实").out == "确实/确/实\n"
    assert run(f"{command} --words --sep /", "确实").out == "确实\n"
    assert run(f"{command} --sep / --runs split", "ＡＢ").out == "ＡＢ/Ａ/Ｂ\n"
    assert run(f"{command} --phrase --sep / --script", "說學").out == "说/学\n"
    answer = json.loads(run(f"{command} --json --fold", "他\nＢ\n").out.splitlines()[1])
    assert answer == {
        "line": 2,
        "tokens": [
            {
                "text": "b", "start": 0, "end": 1, "kind": "latin", "source": "rule", "tag": "",
                "score": None, "position": 0, "position_length": 1,
            }
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("search --min-length 1", "--min-length: 1 is not from 2 to 268435456"),
        ("search --grams 1", "--grams: 1 is not from 2 to 268435456"),
        ("search --drop words", "--drop: 'words' is not one of"),
        ("search --query --phrase", "not allowed with"),
        ("bench --what quick", "--what: 'quick' is not one of"),
        ("bench --what ,", "--what: names nothing"),
        ("bench --size 0", "--size: 0 is not a number of megabytes"),
        ("bench --rounds 0", "--rounds: 0 is less than 1"),
        ("bench -j -1", "-j: -1 is less than 0"),
        ("bench --what unigram", "standard input: contains no text"),
    ],
)
def test_search_and_bench_refuse(run: Run, line: str, part: str) -> None:
    got = run(line)
    assert (got.code, got.out) == (2, "")
    assert part in got.err


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn is one run: what is timed, not how steadily."""
    from segmenter.cli import bench

    monkeypatch.setattr(bench, "MIN_SECONDS", 0)


@pytest.mark.usefixtures("brief")
def test_bench_times_what_it_is_told(run: Run, tmp_path: Path, data: Path) -> None:
    (tmp_path / "in.txt").write_text("他说的确实在理\n" * 40, "utf-8")
    lexicon = data / "pku.lex"
    line = f"bench --what unigram,forward-max --model {lexicon} --rounds 1 -j 2 --no-peers in.txt"
    got = run(f"{line} --tsv")
    assert (got.code, got.err) == (0, "")
    rows = [row.split("\t") for row in got.out.splitlines()]
    assert rows[0] == ["system", "form", "mb_per_s"]
    assert [row[:2] for row in rows[1:]] == [
        [system, form]
        for system in ("unigram", "forward-max", "pku.lex")
        for form in ("lists", "bytes", "bytes, 2 threads")
    ]
    assert all(float(row[2]) > 0 for row in rows[1:])
    table = run(f"{line} --size 0.0002").out.splitlines()
    assert table[0] == "10 lines, 0.00 MB of UTF-8; MB per second, best of 1 rounds in turns"
    assert re.split("  +", table[2].strip()) == ["lists", "bytes", "bytes, 2 threads"]
    assert [row.split()[0] for row in table[3:6]] == ["unigram", "forward-max", "pku.lex"]


@pytest.mark.usefixtures("brief")
def test_bench_with_a_peer(run: Run) -> None:
    pytest.importorskip("rjieba", reason="the package rjieba is not installed")
    got = run("bench --what unigram --rounds 1 -j 1 --tsv", "他说的确实在理\n")
    assert "\nrjieba\tlists\t" in got.out
    assert "\nrjieba " in run("bench --what unigram --rounds 1 -j 1", "他说的确实在理\n").out


def test_a_turn_is_filled_with_runs_and_the_least_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    from segmenter.cli import bench

    now, ran = 0.0, ""
    left = [2.0, 2.0, 1.0]

    def takes(name: str) -> None:
        nonlocal now, ran
        ran += name
        now += (left.pop(0) if len(left) > 1 else left[0]) if name == "a" else 10.0

    monkeypatch.setattr("time.perf_counter", lambda: now)
    monkeypatch.setattr(bench, "MIN_SECONDS", 4.0)
    assert bench.in_turns([lambda: takes("a"), lambda: takes("b")], 2) == [1.0, 10.0]
    assert ran == "ab" + "aab" + "baa"


def test_explain_prints_the_best_paths(run: Run) -> None:
    got = run("explain --decoder unigram 他说的确实在理 --best 2")
    lines = got.out.splitlines()
    assert len(lines) == 5 + 2
    assert "确实" in lines[3]
    assert "over " in lines[3]
    assert lines[5].endswith("他/说/的/确实/在理")
    assert run("explain 他 说").out.count("\n") == 2
    got = run("explain 他 --best 0")
    assert (got.code, "--best: 0" in got.err) == (2, True)
