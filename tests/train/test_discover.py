"""Discovery of words against counting as a textbook would, and its command."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import ArgumentError, EncodingError, ResourceError, cli, load
from segmenter.lexicon import recurrence as module
from segmenter.lexicon.user import UserDictionary
from segmenter.text import chars
from segmenter.train.discover import NewWord, discover, discover_in

if TYPE_CHECKING:
    from pathlib import Path


def needs_models() -> None:
    try:
        load("fast")
    except ResourceError:
        pytest.skip("models/ is not built here")


LINES = st.lists(
    st.lists(st.sampled_from("甲乙丙丁一，a甲乙丙𠀀\ud800\u0301"), max_size=12).map("".join),
    max_size=12,
)


def reference(
    lines: list[str], min_count: int, max_length: int, min_pmi: float, min_entropy: float
) -> dict[str, tuple[int, float, float, float]]:
    """Every string of every run counted, all measures from their definitions."""
    han = (chars.HAN, chars.HANNUM)
    counts: Counter[str] = Counter()
    sides: tuple[dict[str, Counter[str]], dict[str, Counter[str]]] = ({}, {})
    total = 0
    for number, line in enumerate(lines):
        text = "".join(c if chars.char_class(ord(c)) in han else "\n" for c in line)
        total += len(text.replace("\n", ""))
        text = f"\n{text}\n"
        for i in range(1, len(text) - 1):
            for k in range(1, max_length + 1):
                word = text[i : i + k]
                if "\n" in word or len(word) < k:
                    break
                counts[word] += 1
                for side, c in zip(sides, (text[i - 1], text[i + k]), strict=True):
                    # beside no Han character: another neighbour every time
                    key = f"{number} {i}" if c == "\n" else c
                    side.setdefault(word, Counter())[key] += 1

    def entropy(neighbours: Counter[str]) -> float:
        n = sum(neighbours.values())
        return sum(k / n * math.log(n / k) for k in neighbours.values())

    words_kept = {}
    for word, n in counts.items():
        if len(word) < 2 or n < min_count:
            continue
        pmi = min(
            math.log(n * total / (counts[word[:k]] * counts[word[k:]])) for k in range(1, len(word))
        )
        left, right = (entropy(side[word]) for side in sides)
        if pmi >= min_pmi and min(left, right) >= min_entropy:
            words_kept[word] = n, pmi, left, right
    return words_kept


@settings(max_examples=200)
@given(
    lines=LINES,
    min_count=st.integers(2, 4),
    max_length=st.integers(2, 5),
    min_pmi=st.sampled_from([-9.0, 0.013, 0.5]),
    min_entropy=st.sampled_from([-1.0, 0.317]),
    chunk=st.sampled_from([1, 7, 1 << 20]),
)
def test_words_are_those_of_the_definitions(
    lines: list[str],
    min_count: int,
    max_length: int,
    min_pmi: float,
    min_entropy: float,
    chunk: int,
) -> None:
    old, module.CHUNK = module.CHUNK, chunk
    try:
        words_found = discover_in(
            lambda: lines,
            min_count=min_count,
            max_length=max_length,
            min_pmi=min_pmi,
            min_entropy=min_entropy,
        )
    finally:
        module.CHUNK = old
    expected = reference(lines, min_count, max_length, min_pmi, min_entropy)
    assert {w.word for w in words_found.words} == set(expected)
    for w in words_found.words:
        assert w.frequency == expected[w.word][0]
        assert (w.pmi, w.left, w.right) == pytest.approx(expected[w.word][1:])
    scores = [w.score for w in words_found.words]
    assert scores == sorted(scores, reverse=True)
    assert words_found.missed == 0


TEXT = [f"{a}龘鲙炆{b}吃饭" for a in "我他谁们你她" for b in "了吗呢吧啊的"]


def test_finds_a_word_whole_and_no_piece_of_it() -> None:
    words_found = discover_in(lambda: TEXT, min_pmi=1, min_entropy=1)
    assert [w.word for w in words_found.words] == ["吃饭", "龘鲙炆"]
    meal, second_word = words_found.words
    assert (second_word.left, second_word.right) == pytest.approx((math.log(6), math.log(6)))
    # every line end is another neighbour
    assert (meal.left, meal.right) == pytest.approx((math.log(6), math.log(36)))
    assert words_found.characters == len(TEXT) * 7


def test_known_words_are_left_out() -> None:
    words_found = discover_in(lambda: TEXT, known=({"龘鲙炆"}, UserDictionary(["吃饭"])), min_pmi=1)
    assert not words_found.words


def test_width_is_folded_and_numbers_are_characters() -> None:
    text = [f"{a}三峡{b}" for a in "我他谁们" for b in "了吗呢吧"]
    assert [w.word for w in discover_in(lambda: text, min_pmi=1, min_entropy=1).words] == ["三峡"]


def test_memory_has_a_bound_and_the_result_says_so() -> None:
    rare = [chr(0x4E00 + i) + chr(0x4E00 + i * 7 % 9000) for i in range(9000)]
    lines = TEXT * 30 + rare
    words_whole = discover_in(lambda: lines, min_pmi=1, min_entropy=1)
    old, module.CHUNK = module.CHUNK, 2000
    try:
        bound = discover_in(lambda: lines, min_pmi=1, min_entropy=1, max_strings=1000)
    finally:
        module.CHUNK = old
    assert words_whole.missed == 0
    assert words_whole.strings > 5000
    assert bound.missed > 0
    assert bound.strings <= 1000 + 2000
    assert [w.word for w in bound.words] == [w.word for w in words_whole.words]
    assert words_whole.words[0].frequency - bound.words[0].frequency <= bound.missed


def test_nothing_to_find() -> None:
    for lines in ([], [""], ["abc，"], ["中"] * 99):
        words_found = discover_in(lambda lines=lines: lines)  # type: ignore[misc]
        assert words_found.words == []


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"min_count": 1}, ArgumentError, "min_count: 1 is not from 2"),
        ({"max_length": 17}, ArgumentError, "max_length: 17 is not from 2 to 16"),
        ({"max_strings": 9}, ArgumentError, "max_strings: 9 is not from 1000"),
        ({"min_count": 2.5}, TypeError, "min_count must be int, not float"),
        ({"min_pmi": math.nan}, ArgumentError, "min_pmi: nan is not a number"),
        ({"min_entropy": "1"}, ArgumentError, "min_entropy: '1' is not a number"),
    ],
)
def test_wrong_arguments(options: dict[str, object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        discover_in(list, **options)  # type: ignore[arg-type]


def test_files_of_any_encoding_are_searched(tmp_path: Path) -> None:
    half = len(TEXT) // 2
    (tmp_path / "a").write_text("\n".join(TEXT[:half]), "gb18030")
    (tmp_path / "b").write_text("\n".join(TEXT[half:]), "gb18030")
    files = [tmp_path / "a", tmp_path / "b"]
    passes: list[tuple[int, int]] = []
    words_found = discover(
        files, encoding="gb18030", min_pmi=1, progress=lambda done, of: passes.append((done, of))
    )
    assert words_found == discover_in(lambda: TEXT, min_pmi=1)
    assert passes == [(n, 5) for n in range(1, 6)]
    with pytest.raises(EncodingError, match=r"a, line 1, byte offset"):
        discover(files)
    with pytest.raises(ArgumentError, match="standard input cannot be"):
        discover("-")
    with pytest.raises(ArgumentError, match="no file is named"):
        discover([])


def test_entries_are_a_user_dictionary(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    needs_models()
    (tmp_path / "in.txt").write_text("\n".join(TEXT), "utf-8")
    arguments = [str(tmp_path / "in.txt"), "--min-pmi", "1", "--min-entropy", "1", "--quiet"]
    assert cli.main(["discover", *arguments]) == 0
    printed = capfdbinary.readouterr().out
    words = UserDictionary.load(printed)
    assert [w.word for w in words] == ["龘鲙炆"]
    entry = words["龘鲙炆"]
    assert (entry.level, entry.weight) == ("weight", 36.0)
    assert set(entry.payload) == {"pmi", "left", "right"}  # type: ignore[call-overload]
    assert NewWord("龘鲙炆", 36, 1.5, 2, 3).entry().payload == {"pmi": 1.5, "left": 2, "right": 3}
    assert cli.main(["discover", *arguments, "-o", str(tmp_path / "found.tsv")]) == 0
    assert (tmp_path / "found.tsv").read_bytes() == printed
    assert cli.main(["discover", "--min-count", "0", *arguments]) == 2
    assert cli.main(["discover", "-"]) == 2


def test_search_tokens_on_the_command_line(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    needs_models()
    (tmp_path / "in.txt").write_text("👍共和国\n", "utf-8")
    assert (
        cli.main(["tokenize", "--mode", "search", "--units", "utf16", str(tmp_path / "in.txt")])
        == 0
    )
    rows = [line.split("\t") for line in capfdbinary.readouterr().out.decode().splitlines()]
    assert [(r[3], *r[1:3], *r[7:]) for r in rows] == [
        ("👍", "0", "2", "0", "1"),
        ("共和国", "2", "5", "1", "2"),
        ("共和", "2", "4", "1", "1"),
    ]
    assert cli.main(["tokenize", "--json", "--mode", "search", str(tmp_path / "in.txt")]) == 0
    assert b'"position": 1, "position_length": 2' in capfdbinary.readouterr().out
