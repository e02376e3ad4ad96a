"""`segmenter build`, `describe` and `eval`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from segmenter.lexicon import Lexicon

if TYPE_CHECKING:
    from pathlib import Path

    from runs import Run


def test_build_and_describe(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("北京\t5\tns\n北\t1\n京\t1\n<num>\t9\n", "utf-8")
    (tmp_path / "b.txt").write_text("北京 2 ns\n大学 3 n\n", "utf-8")
    (tmp_path / "two.tsv").write_text("北京\t大学\t3\n", "utf-8")
    got = run("build lexicon a.tsv b.txt --bigrams two.tsv --kinds date=4 --unknown 0.5 -o my.lex")
    assert (got.code, got.out) == (0, "")
    assert "a.tsv: 4 lines read as tsv, 4 rows taken" in got.err
    assert "b.txt: 2 lines read as jieba, 2 rows taken" in got.err
    lexicon = Lexicon.open(tmp_path / "my.lex")
    assert lexicon.count("北京") == 7
    assert lexicon.meta["unknown"] == 0.5
    assert [s["name"] for s in lexicon.meta["sources"]] == ["a.tsv", "b.txt", "two.tsv"]
    assert run("cut --model my.lex --decoder bigram", "北京大学").out == "北京 大学"
    first = (tmp_path / "my.lex").read_bytes()
    run("build lexicon a.tsv b.txt --bigrams two.tsv --kinds date=4 --unknown 0.5 -o my.lex")
    assert (tmp_path / "my.lex").read_bytes() == first
    got = run("describe my.lex")
    assert got.out.startswith("my.lex: lexicon, format 1")
    assert lexicon.digest in got.out


def test_build_with_marisa(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("北京\t5\tns\n大学\t3\tn\n北京大学\t2\tnt\n", "utf-8")
    got = run("build lexicon a.tsv --matcher marisa -o big.lex")
    assert got.code == 0
    assert "3 words" in got.err
    assert "leave --matcher marisa out" in got.err
    assert run("cut --model big.lex", "北京大學在北京\n").out == "北京大學 在 北京\n"
    got = run("cut --model big.lex --matcher double-array", "a\n")
    assert (got.code, "needs a double array" in got.err) == (2, True)


def test_faults_of_a_word_list_are_counted_and_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("北京\tfive\n大学\t2\n大学\t3\n", "utf-8")
    got = run("build lexicon a.tsv -o my.lex")
    assert got.code == 1
    assert "a.tsv, line 1: the count 'five'" in got.err
    assert not (tmp_path / "my.lex").exists()
    got = run("build lexicon a.tsv -o my.lex --errors warn")
    assert got.code == 0
    assert "a.tsv, line 3: '大学' is also in line 2" in got.err
    assert "2 lines left out (count 1, duplicate 1)" in got.err
    got = run("build lexicon a.tsv -o my.lex --errors skip")
    assert "line 3" not in got.err
    assert "2 lines left out (count 1, duplicate 1)" in got.err
    assert Lexicon.open(tmp_path / "my.lex").words() == ["大学"]
    (tmp_path / "empty.tsv").write_text("\n", "utf-8")
    got = run("build lexicon empty.tsv -o my.lex")
    assert (got.code, "no words in empty.tsv" in got.err) == (2, True)
    got = run("build lexicon a.tsv --errors skip --kinds num -o my.lex")
    assert (got.code, "--kinds: 'num'" in got.err) == (2, True)
    got = run("build lexicon a.tsv --errors skip --kinds foo=1 -o my.lex")
    assert (got.code, "'<foo>'" in got.err) == (2, True)
    (tmp_path / "three.tsv").write_text("大学\t大学\t大学\t1\n", "utf-8")
    got = run("build lexicon a.tsv --errors skip --trigrams three.tsv -o my.lex")
    assert (got.code, "--bigrams" in got.err) == (2, True)
    assert run("build lexicon none.tsv -o my.lex").code == 1


def test_describe_refuses_what_is_not_ours(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.lex").write_text("hello", "utf-8")
    got = run("describe a.lex")
    assert (got.code, got.out) == (1, "")
    assert "a.lex" in got.err
    got = run("describe none.lex")
    assert (got.code, "none.lex: no such file" in got.err) == (1, True)


# --- eval ----------------------------------------------------------------------------------------


def test_eval_score_prints_what_the_library_scores(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("他 说 的 确实 在理\n", "utf-8")
    (tmp_path / "test.txt").write_text("他 说 的确 实在 理\n", "utf-8")
    (tmp_path / "words.txt").write_text("他\n说\n", "utf-8")
    got = run("eval score gold.txt test.txt --words words.txt")
    assert got.code == 0
    assert "=== TOTAL TRUE WORDS RECALL:\t0.400" in got.out
    assert "=== OOV Rate:\t0.600" in got.out
    (tmp_path / "other.txt").write_text("你 说\n", "utf-8")
    got = run("eval score gold.txt other.txt")
    assert got.code == 1
    assert "other.txt, line 1" in got.err
    assert run("eval score gold.txt none.txt").code == 1


def test_eval_bakeoff_scores_the_files_of_a_folder(run: Run, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bakeoff"
    folder.mkdir()
    (folder / "pku_test_gold.utf8").write_text("他 说 的 确实 在理\n", "utf-8")
    (folder / "pku_training.utf8").write_text("他 说 的\n确实 在理\n", "utf-8")
    (folder / "msr_test_gold.utf8").write_text("他 说\n", "utf-8")
    got = run("eval bakeoff bakeoff --decoder unigram -o table")
    assert got.code == 0
    assert "| pku | training file only, unigram |" in got.out
    assert "| msr | shipped, unigram |" in got.out
    assert "saved table.md and table.json" in got.err
    rows = json.loads((tmp_path / "table.json").read_text("utf-8"))["results"]
    assert [(r["corpus"], r["true_words"]) for r in rows] == [("msr", 2), ("pku", 5), ("pku", 5)]
    before = sorted(os.listdir(tmp_path))
    got = run(f"eval bakeoff bakeoff --only msr --dry --model {data / 'pku.lex'}")
    assert "pku.lex, bigram" in got.out
    assert "pku |" not in got.out
    assert sorted(os.listdir(tmp_path)) == before
    got = run("eval bakeoff nowhere --dry")
    assert (got.code, "nowhere: no such folder" in got.err) == (1, True)
