"""The scorer against the official script's figures, a slow count, and its own errors."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter.errors import (
    ArgumentError,
    DictionaryError,
    EncodingError,
    ResourceError,
)
from segmenter.train import bakeoff, scoring

GOLD = """\
小明  昨天  在  图书馆  借  了  三  本  书  ，  今天  还要  去  还  。
这  家  餐馆  的  酸菜鱼  味道  不错  ，  价格  也  便宜  。

研究生  研究  生命  起源  的  问题  很  有  意思
他  说  的  确实  在理
Ａ  公司  发布  了  ２．０  版
天气  预报  说  明天  有  大雨  ，  请  大家  带  好  雨伞
新款  手机  支持  无线充电  和  面部识别
"""
TEST = """\
小明  昨天  在  图书  馆  借了  三本  书  ，  今天  还  要  去  还  。
这家  餐馆  的  酸菜  鱼  味道  不错  ，  价格  也  便宜  。

研究  生  研究  生命  起源  的  问题  很有意思
他  说  的确  实在  理
Ａ  公司  发布  了  ２  ．  ０  版
天气预报  说  明天  有  大雨  ，  请  大家  带好  雨伞
新款  手机  支持  无线  充电  和  面部  识别
"""
WORDS = scoring.split_words(
    "小明 昨天 在 图书馆 借 了 三 本 书 ， 今天 去 。 这 家 的 味道 不错 价格 也 便宜 研究生 研究 "
    "生命 起源 问题 很 有 意思 他 说 确实 Ａ 公司 发布 版 天气 预报 明天 大雨 请 大家 带 好 手机 "
    "支持 和"
)
# What the official script prints for these three texts.
OFFICIAL = """\
=== TOTAL INSERTIONS:\t7
=== TOTAL DELETIONS:\t6
=== TOTAL SUBSTITUTIONS:\t17
=== TOTAL NCHANGE:\t30
=== TOTAL TRUE WORD COUNT:\t65
=== TOTAL TEST WORD COUNT:\t66
=== TOTAL TRUE WORDS RECALL:\t0.646
=== TOTAL TEST WORDS PRECISION:\t0.636
=== F MEASURE:\t0.641
=== OOV Rate:\t0.154
=== OOV Recall Rate:\t0.400
=== IV Recall Rate:\t0.691
"""


def test_figures_of_the_official_script() -> None:
    result = scoring.score(GOLD.splitlines(), TEST.splitlines(), frozenset(WORDS))
    assert scoring.format_summary(result) == OFFICIAL
    assert (result.lines, result.correct, result.oov, result.oov_correct) == (7, 42, 10, 4)


def test_files_with_bom_crlf_and_ideographic_blanks_score_the_same(tmp_path: Path) -> None:
    gold, test, words = tmp_path / "g.utf8", tmp_path / "t.utf8", tmp_path / "w.utf8"
    gold.write_bytes(("\ufeff" + GOLD.replace("  ", "\u3000").replace("\n", "\r\n")).encode())
    test.write_bytes(TEST.replace("  ", "\t").encode())
    words.write_bytes("\r\n".join(["", *WORDS, ""]).encode())
    result = scoring.score_files(gold, test, words)
    assert scoring.format_summary(result) == OFFICIAL


def test_only_the_scripts_blanks_part_words() -> None:
    assert scoring.split_words("a\u00a0b c\x85d\u3000e\u2003f\x1cg\r\n") == [
        "a\u00a0b",
        "c\x85d",
        "e\u2003f\x1cg",
    ]
    assert scoring.join_words(" a\u00a0b\tc\u3000\n") == "a\u00a0bc"


def test_oov_counts_tokens_not_types_and_nothing_known_is_all_oov() -> None:
    result = scoring.score([["甲乙", "丙", "甲乙"]], [["甲乙", "丙", "甲", "乙"]], {"丙"})
    assert (result.oov, result.oov_correct, result.correct) == (2, 1, 2)
    assert (result.oov_rate, result.oov_recall, result.iv_recall) == (2 / 3, 0.5, 1.0)
    everything = scoring.score(["甲 乙"], ["甲 乙"], ())
    assert (everything.oov_rate, everything.iv_recall) == (1.0, None)
    assert "IV Recall Rate:\t--" in scoring.format_summary(everything)


def test_without_word_list_the_oov_figures_are_left_out() -> None:
    result = scoring.score(["甲 乙丙"], ["甲 乙 丙"])
    assert (result.oov, result.oov_rate, result.oov_recall, result.iv_recall) == (-1,) + (None,) * 3
    assert scoring.format_table([("x", result)]).endswith("| 0.400 | -- | -- | -- |\n")


def test_empty_texts_score_zero_and_divide_by_nothing() -> None:
    result = scoring.score([], [], {"甲"})
    assert (result.recall, result.precision, result.f1, result.oov_rate) == (0.0, 0.0, 0.0, None)
    assert scoring.score(["", "  "], ["", ""], ()).lines == 0


# A line as a text and two independent sets of cuts in it.
_LINES = st.lists(
    st.text("甲乙丙丁", min_size=0, max_size=24).flatmap(
        lambda text: st.tuples(
            st.just(text),
            st.sets(st.integers(1, max(1, len(text) - 1))),
            st.sets(st.integers(1, max(1, len(text) - 1))),
        )
    ),
    max_size=6,
)


def _cut(text: str, boundaries: set[int]) -> list[str]:
    edges = [0, *sorted(k for k in boundaries if k < len(text)), len(text)]
    return [text[a:b] for a, b in pairwise(edges) if a < b]


def _spans(words: list[str]) -> list[tuple[int, int]]:
    spans_found, start = [], 0
    for word in words:
        spans_found.append((start, start + len(word)))
        start += len(word)
    return spans_found


@given(_LINES, st.sets(st.text("甲乙丙丁", min_size=1, max_size=3)))
def test_counts_equal_a_slow_twin_over_sets_of_spans(
    lines: list[tuple[str, set[int], set[int]]], known: set[str]
) -> None:
    gold = [_cut(text, a) for text, a, _ in lines]
    test = [_cut(text, b) for text, _, b in lines]
    correct = oov = oov_correct = substitutions = deletions = insertions = 0
    for g, t in zip(gold, test, strict=True):
        right = set(_spans(g)) & set(_spans(t))
        correct += len(right)
        for word, span in zip(g, _spans(g), strict=True):
            oov += word not in known
            oov_correct += word not in known and span in right
        # Between neighbouring right words: the wrong ones of either side, paired off.
        edges = [(0, 0), *sorted(right), (len("".join(g)),) * 2]
        for (_, low), (high, _) in pairwise(edges):
            m = sum(low <= a and b <= high for a, b in _spans(g))
            n = sum(low <= a and b <= high for a, b in _spans(t))
            substitutions += min(m, n)
            deletions += max(m - n, 0)
            insertions += max(n - m, 0)
    result = scoring.score(gold, test, known)
    assert result == scoring.Score(
        sum(map(bool, gold)),
        sum(map(len, gold)),
        sum(map(len, test)),
        correct,
        insertions,
        deletions,
        substitutions,
        oov,
        oov_correct,
    )
    joined = scoring.score(map(" ".join, gold), map("\u3000".join, test), known)
    assert joined == result


def test_words_given_as_a_sequence_are_seen_as_written_out() -> None:
    assert scoring.score([["甲", "", "乙 丙"]], ["甲 乙 丙"]).correct == 3


def test_another_text_is_refused_with_file_line_and_place() -> None:
    with pytest.raises(DictionaryError) as caught:
        scoring.score(
            ["甲 乙", "丙丁 戊"], ["甲 乙", "丙 己戊"], gold_name="g.utf8", test_name="t.utf8"
        )
    assert (caught.value.path, caught.value.line) == ("t.utf8", 2)
    assert "differs from g.utf8 at character 1" in str(caught.value)
    assert "'己戊' against '丁戊'" in str(caught.value)
    with pytest.raises(DictionaryError, match="at character 2"):
        scoring.score(["甲 乙"], ["甲乙 丙"])


@pytest.mark.parametrize(
    ("gold", "test", "short"), [(["甲", "乙"], ["甲"], "t"), (["甲"], ["甲", ""], "g")]
)
def test_a_missing_line_is_named(gold: list[str], test: list[str], short: str) -> None:
    with pytest.raises(DictionaryError) as caught:
        scoring.score(gold, test, gold_name="g", test_name="t")
    assert (caught.value.path, caught.value.line) == (short, 2)


def test_bad_utf8_is_named_by_file_line_and_offset(tmp_path: Path) -> None:
    path = tmp_path / "bad.utf8"
    path.write_bytes("甲\n乙".encode() + b"\xff\n")
    with pytest.raises(EncodingError) as caught:
        list(scoring.read_lines(path))
    assert (caught.value.path, caught.value.line, caught.value.offset) == (str(path), 2, 7)


def test_table_rows_must_fill_the_header() -> None:
    with pytest.raises(ArgumentError, match="2 leading cells, header names 1"):
        scoring.format_table([(("a", "b"), scoring.score(["甲"], ["甲"]))])


def test_scoring_holds_one_sentence_at_a_time() -> None:
    cuts = 0

    def gold() -> list[str]:
        nonlocal cuts
        cuts += 1
        return ["甲"]

    lines = (gold() for _ in range(5))
    answers = (["甲"] if cuts == k + 1 else ["乙"] for k in range(5))
    assert scoring.score(lines, answers).correct == 5


def _folder(root: Path, *, split: bool) -> Path:
    """A small bakeoff folder, flat or in the three folders of the official archive."""
    places = ("gold", "testing", "training") if split else (".", ".", ".")
    files = {
        f"{places[0]}/pku_test_gold.utf8": GOLD,
        f"{places[0]}/pku_training_words.utf8": "\n".join(WORDS) + "\n",
        f"{places[1]}/pku_test.utf8": scoring.join_words(GOLD.replace("\n", "换行")).replace(
            "换行", "\n"
        ),
        f"{places[0]}/as_testing_gold.utf8": GOLD.replace("  ", "\u3000"),
        f"{places[1]}/as_test.utf8": "别的\n",
        f"{places[2]}/as_training.utf8": GOLD,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize("split", [False, True])
def test_bakeoff_finds_scores_and_saves(tmp_path: Path, split: bool) -> None:
    root = _folder(tmp_path, split=split)
    answers = dict(
        zip(
            map(scoring.join_words, GOLD.splitlines()),
            map(scoring.split_words, TEST.splitlines()),
            strict=True,
        )
    )

    def trained(corpus: bakeoff.Corpus) -> bakeoff.Cut | None:
        if corpus.training is None:
            return None
        assert bakeoff.count_words(corpus.training)["的"] == 3
        return list

    calls: list[str] = []
    results = bakeoff.run(
        bakeoff.find_corpora(root),
        [
            bakeoff.System("given", lambda corpus: answers.__getitem__),
            bakeoff.System("closed", trained),
        ],
        report=lambda result: calls.append(result.corpus),
    )
    assert [(r.corpus, r.system) for r in results] == [
        ("as", "given"),
        ("as", "closed"),
        ("pku", "given"),
    ]
    assert calls == ["as", "as", "pku"]
    assert scoring.format_summary(results[2].score) == OFFICIAL
    assert [r.test_lines_apart for r in results] == [7, 7, 0]
    assert results[0].score.oov_rate == 0.0  # without a list the training text's words count
    markdown, data = bakeoff.save(results, root / "table.md", about={"commit": "none"})
    assert "| pku | given | 65 | 66 | 0.646 | 0.636 | 0.641 | 0.154 | 0.400 | 0.691 |" in Path(
        markdown
    ).read_text(encoding="utf-8")
    saved = json.loads(Path(data).read_text(encoding="utf-8"))
    assert saved["commit"] == "none"
    assert saved["results"][2]["correct"] == 42
    assert saved["results"][2]["recall"] == 42 / 65


def test_bakeoff_names_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="no such folder"):
        bakeoff.find_corpora(tmp_path / "none")
    with pytest.raises(ResourceError, match="no file named"):
        bakeoff.find_corpora(tmp_path)
    root = _folder(tmp_path, split=False)
    with pytest.raises(ResourceError, match="no gold file for msr; it holds as, pku"):
        bakeoff.find_corpora(root, ["pku", "msr"])
    assert [c.name for c in bakeoff.find_corpora(root, ["pku"])] == ["pku"]
    with pytest.raises(ArgumentError, match="systems: empty"):
        bakeoff.run(bakeoff.find_corpora(root), [])


def test_bakeoff_refuses_a_system_that_changes_the_text(tmp_path: Path) -> None:
    root = _folder(tmp_path, split=False)
    systems = [bakeoff.System("lossy", lambda corpus: lambda line: list(line[1:]))]
    with pytest.raises(DictionaryError, match="lossy on pku, line 1") as caught:
        bakeoff.run(bakeoff.find_corpora(root, ["pku"]), systems)
    assert caught.value.line == 1


def test_a_large_random_text_scores_what_was_done_to_it() -> None:
    draw = random.Random(7)
    gold: list[list[str]] = []
    test: list[list[str]] = []
    wrong = 0
    for _ in range(500):
        words = ["".join(draw.choices("天地玄黄", k=draw.randint(2, 4))) for _ in range(20)]
        gold.append(words)
        answer = list(words)
        k = draw.randrange(20)
        answer[k : k + 1] = [answer[k][:1], answer[k][1:]]
        wrong += 1
        test.append(answer)
    result = scoring.score(gold, test)
    assert (result.correct, result.substitutions, result.insertions) == (
        10_000 - wrong,
        wrong,
        wrong,
    )
    assert (result.test_words, result.deletions) == (10_000 + wrong, 0)


def test_closed_training_learns_the_training_files_words(tmp_path: Path) -> None:
    root = _folder(tmp_path, split=False)
    systems = [s for s in bakeoff.lattice_systems() if s.name.startswith("training file only")]
    results = bakeoff.run(bakeoff.find_corpora(root), systems)
    # Only the folder's AS has a training file, and it is the gold text itself.
    assert [(r.corpus, r.system) for r in results] == [
        ("as", "training file only, unigram"),
        ("as", "training file only, bigram"),
    ]
    unigram, bigram = (r.score for r in results)
    assert bigram.f1 == 1.0
    assert 0.9 < unigram.f1 <= bigram.f1
    lexicon = bakeoff.train_lexicon([["研究生", "研究", "生命"], ["１２", "生命"]])
    assert (lexicon.count("生命"), "12" in lexicon, lexicon.ngrams is None) == (2.0, False, False)
    with pytest.raises(ArgumentError):
        bakeoff.train_lexicon([])
