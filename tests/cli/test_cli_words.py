"""`segmenter words`, `freq`, `keywords`, `--stop-words` and `eval compare`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from runs import Run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shipped(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> Run:
    """Command lines over the shipped models."""
    monkeypatch.chdir(tmp_path)
    return Run(monkeypatch, capsysbinary)


def test_words_check_names_faults_and_lines(run: Run, tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("的确\n理在 \n的确\n", "utf-8")
    (tmp_path / "clean.tsv").write_text("的确\n实在\tforce\n", "utf-8")
    got = run("words check words.tsv")
    assert got.code == 1
    path = os.fspath(tmp_path / "words.tsv")
    assert [line.removeprefix(path).split(":")[0] for line in got.out.splitlines()] == [
        ", line 2", ", line 3",
    ]  # fmt: skip
    assert "3 rows, 2 words, 2 faults" in got.err
    rows = [json.loads(line) for line in run("words check words.tsv --json").out.splitlines()]
    assert [(row["line"], row["kind"]) for row in rows] == [(2, "blank"), (3, "duplicate")]
    got = run("words check clean.tsv")
    assert (got.code, got.out) == (0, "")
    assert "0 faults" in got.err
    got = run("words check missing.tsv")
    assert (got.code, "no such file" in got.err) == (1, True)


def test_words_check_against_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("的确\n说的\tdelete\n他说\n", "utf-8")
    (tmp_path / "text.txt").write_text("他说的确实在理\n的确\n他说\n", "utf-8")
    got = run("words check words.tsv --against text.txt --decoder unigram")
    assert got.code == 1
    fault, head, *rows = got.out.splitlines()
    assert "'的确' changes other words in 1 of 2 places: " in fault
    assert fault.endswith("[breaks]")
    assert head == "word\tplaces\tchanges"
    assert rows == ["的确\t2\t1", "他说\t2\t0", "说的\t0\t0"]
    assert "1 words do not occur in the text" in got.err
    lines = run("words check words.tsv --against text.txt --decoder unigram --json").out
    effects = [json.loads(line) for line in lines.splitlines()][1:]
    assert {row["word"]: row["places"] for row in effects} == {"的确": 2, "他说": 2, "说的": 0}


def test_build_user_counts_the_faults(run: Run, tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("的确\n理在 \n的确\n", "utf-8")
    got = run("build user words.tsv -o words.user")
    assert got.code == 0
    assert "2 rows may not do what is meant: segmenter words check words.tsv lists them" in got.err


def test_stop_words_of_a_file_are_left_out(shipped: Run, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("我们的圖書館\r\n\n城市", "utf-8")
    (tmp_path / "stop.txt").write_text("# mine\n城市 图书馆\n", "utf-8")
    assert shipped("cut --stop-words default in.txt").out == "圖書館\n\n城市"
    assert shipped("cut --stop-words stop.txt --sep / in.txt").out == "我们/的\n\n"
    assert shipped("cut --stop-words default --json in.txt").out == '["圖書館"]\n[]\n["城市"]'
    assert shipped("tag --stop-words default in.txt").out == "圖書館/n\n\n城市/n\n"
    got = shipped("search --stop-file stop.txt --words --sep / in.txt")
    assert got.out == "我们/的/圖書館/圖書\n\n\n"
    got = shipped("cut --stop-words missing.txt in.txt")
    assert (got.code, "missing.txt" in got.err) == (1, True)


def test_freq_counts_words(shipped: Run, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("城市的图书馆，城市的河\n", "utf-8")
    assert shipped("freq in.txt").out == "城市\t2\n的\t2\n图书馆\t1\n河\t1\n"
    assert shipped("freq --top 1 --stop-words default in.txt").out == "城市\t2\n"
    assert shipped("freq --least 2 --tags in.txt").out == "城市\t2\tn\n的\t2\tu\n"
    assert shipped("freq --only u in.txt").out == "的\t2\tu\n"
    got = shipped("freq --only xx in.txt")
    assert (got.code, "'xx'" in got.err) == (2, True)


def test_keywords_of_each_file_are_ranked(shipped: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("城市的图书馆，图书馆\n很大\n", "utf-8")
    (tmp_path / "b.txt").write_text("老虎怕狮子\n", "utf-8")
    words = [row.split("\t")[0] for row in shipped("keywords a.txt").out.splitlines()]
    assert words[0] == "图书馆"
    rows = [row.split("\t")[:2] for row in shipped("keywords --top 1 a.txt b.txt").out.splitlines()]
    assert rows == [["a.txt", "图书馆"], ["b.txt", "狮子"]]
    lines = shipped("keywords --lines --json --allow n a.txt").out.splitlines()
    assert [json.loads(line)["text"] for line in lines] == ["1", "2"]
    assert shipped("keywords --method textrank --top 1 a.txt").code == 0
    assert shipped("keywords --top 0 a.txt").code == 2
    assert shipped("keywords --allow xx a.txt").code == 2


def test_eval_compare_shows_where_files_differ(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("在 北京大学 读书\n北京 大学 大\n北京大学\n", "utf-8")
    (tmp_path / "ours.txt").write_text("在 北京 大学 读书\n北京大学 大\n北京 大学\n", "utf-8")
    got = run("eval compare gold.txt ours.txt")
    assert got.code == 0
    assert got.out.splitlines()[0].startswith("7 words against 8; they part in 3 places: 1 joined")
    [row] = [json.loads(x) for x in run("eval compare gold.txt ours.txt --json").out.splitlines()]
    assert (row["gold"], row["test"], row["places"], row["reverse"]) == (
        "北京大学", "北京 大学", 2, 1,
    )  # fmt: skip
    assert row["examples"] == ["在 [北京大学] 读书", "[北京大学]"]
    assert row["reverse_examples"] == ["[北京 大学] 大"]
    (tmp_path / "other.txt").write_text("在 北京 大学\n", "utf-8")
    got = run("eval compare gold.txt other.txt")
    assert (got.code, "other.txt, line 1" in got.err) == (1, True)


def test_a_segmented_text_is_no_word_list(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("在 北京大学 读书\n北京 大学 大\n", "utf-8")
    got = run("eval score gold.txt gold.txt --words gold.txt")
    assert got.code == 1
    assert "gold.txt, line 1: the line holds several words, as 2 of 2 lines do" in got.err


def test_help_of_a_command(run: Run) -> None:
    assert run("help cut") == run("cut --help")
    assert run("help eval compare").out.startswith("usage: segmenter eval compare")
    assert run("help").out.startswith("usage: segmenter")


def test_discover_says_that_it_found_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("他说\n", "utf-8")
    got = run("discover in.txt")
    assert (got.code, got.out) == (0, "")
    assert "0 words; lower --min-count" in got.err
