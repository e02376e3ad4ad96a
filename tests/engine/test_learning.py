"""What recurs in a text is learned: names whole, ordinary words untouched, memory bounded."""

from __future__ import annotations

import copy
import io
import pickle
import threading
from typing import TYPE_CHECKING

import pytest

import segmenter
from segmenter import ArgumentError, ResourceError, Segmenter
from segmenter.lexicon import Lexicon, learning
from segmenter.lexicon.learning import Evidence
from segmenter.lexicon.recurrence import Strings
from segmenter.lexicon.user import UserDictionary

if TYPE_CHECKING:
    from pathlib import Path

NAME = "鸾吹"
BEFORE = ("只见", "那日", "便问", "因此", "他说", "这时", "次日", "原来")
AFTER = ("不答。", "走进来。", "笑了起来。", "点头。", "也来了。", "听说此事。")
FILLER = (
    "春天来了，院子里的花都开了，孩子们在树下玩耍。",
    "北京是中国的首都，每年有许多游客来这里参观。",
    "他昨天买了一本新书，打算周末在家里好好读一读。",
    "经济发展以后，人民的生活水平有了很大的提高。",
    "科学家认为，这种动物的祖先生活在几百万年以前。",
    "老师告诉学生，学习语言最重要的是多听多说。",
)
TEXT = [f"{a}{NAME}{b}" for a in BEFORE for b in AFTER] + [*FILLER] * 5

PLACES = len(BEFORE) * len(AFTER)


def load(name: str = "balanced", **options: str) -> Segmenter:
    try:
        return segmenter.load(name, **options)
    except ResourceError:
        pytest.skip("models/ is not built here")


def whole(s: Segmenter, lines: list[str] = TEXT, name: str = NAME) -> int:
    return sum(name in s.cut(line) for line in lines)


@pytest.mark.parametrize(
    ("name", "options"),
    [("balanced", {}), ("fast", {}), ("fast", {"decoder": "unigram"}), ("accurate", {})],
)
def test_a_recurring_name_is_whole_everywhere(name: str, options: dict[str, str]) -> None:
    s = load(name, **options)
    before = whole(s)
    t = s.learn(TEXT)
    assert [w.word for w in t.user] == [NAME]
    assert whole(t) == PLACES > before
    assert whole(s) == before
    assert t.cut(f"谁见过{NAME}？") == [*s.cut("谁见过"), NAME, "？"]


def test_explain_fingerprint_and_payload() -> None:
    s = load()
    t = s.learn(TEXT)
    (entry,) = t.user
    assert (entry.level, entry.source) == ("prefer", "learned")
    assert entry.payload["places"] == PLACES  # type: ignore[index]
    assert f"learned from the text ({PLACES} places, " in str(t.explain(TEXT[0]))
    assert t.fingerprint == s.learn(iter(TEXT)).fingerprint != s.fingerprint
    assert s.learn([]).fingerprint == s.fingerprint
    assert s.learn(["", "abc，", "中" * 99]).fingerprint == s.fingerprint


def test_other_words_of_the_user_stay() -> None:
    s = load().with_words([("走进|来", "split")])
    t = s.learn(TEXT).with_words(["听说此事"])
    assert [w.word for w in t.user] == ["走进来", NAME, "听说此事"]
    deleted = load().without([NAME])
    assert deleted.learn(TEXT).user == deleted.user


def test_pickle_copy_and_threads() -> None:
    t = load().learn(TEXT)
    restored = pickle.loads(pickle.dumps(t))
    assert restored.fingerprint == t.fingerprint
    assert restored.cut_batch(TEXT, 4) == copy.copy(t).cut_batch(TEXT) == [t.cut(x) for x in TEXT]
    got: list[str] = []
    threads = [
        threading.Thread(target=lambda: got.append(load().learn(TEXT).fingerprint))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(got) == {t.fingerprint}


def test_blocks_give_what_one_text_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    s = load()
    monkeypatch.setattr(learning, "BLOCK", sum(map(len, TEXT)) + len(TEXT))
    learner = s._learner()
    learner.read(TEXT * 3)
    whole_learner = s._learner()
    whole_learner.read(TEXT)
    assert learner.evidence[NAME].places == 3 * whole_learner.evidence[NAME].places
    assert learner.characters == 3 * whole_learner.characters
    assert [w.word for w in learner.words()] == [NAME]


def test_the_table_of_candidates_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "CANDIDATES", 2)
    learner = load()._learner()
    sizes: list[int] = []
    forget = learner._forget
    monkeypatch.setattr(learner, "_forget", lambda: (forget(), sizes.append(len(learner.evidence))))
    for name in (NAME, "靳直", "酆升", "廖监"):
        learner.read(line.replace(NAME, name) for line in TEXT)
    assert sizes
    assert max(sizes) <= 2


def test_places_are_counted_as_by_hand() -> None:
    s = load()
    lines = [*TEXT, f"a1，{NAME}", "", f"{NAME}\r", f"😀{NAME}{NAME}"]
    learner = s._learner()
    learner.read(lines)
    got = learner.evidence[NAME]
    places = as_one = cut = 0
    for line in lines:
        words, offset = s.cut(line), 0
        spans = set()
        for word in words:
            spans.add((offset, offset := offset + len(word)))
        begins = {a for a, _ in spans}
        ends = {b for _, b in spans}
        for i in range(len(line) - 1):
            if line[i : i + 2] == NAME:
                places += 1
                as_one += (i, i + 2) in spans
                cut += (i, i + 2) not in spans and i in begins and i + 2 in ends
    assert (got.places, got.whole, got.cut) == (places, as_one, cut)


def test_what_follows_a_name_is_not_part_of_it() -> None:
    free = Evidence(50, 5, 40, 5, 0.0, 300.0, 100.0, 100.0)
    glued = Evidence(30, 0, 30, 0, -10.0, 100.0, 60.0, 60.0)
    learner = load()._learner()
    learner.characters = 10_000
    learner.evidence = {"张兰": free, "张兰道": glued, "李张兰": glued._replace(places=20)}
    assert [w.word for w in learner.words()] == ["张兰", "李张兰"]
    learner.lexicon_words = {"张兰"}
    assert [w.word for w in learner.words()] == ["李张兰"]


@pytest.mark.parametrize(
    ("word", "change", "proved"),
    [
        ("竞态", {}, True),
        ("竞态", {"left": 10.0}, False),  # one neighbour, nearly
        ("竞态", {"places": 90}, False),  # mostly no boundaries at its ends
        (
            "竞态",
            {"places": 90, "in_unknown": 60, "pmi": 450.0, "left": 200.0, "right": 200.0},
            True,
        ),
        ("竞态", {"whole": 0, "doubt": 40.0}, False),  # the decoder is sure that these are two
        ("竞态", {"whole": 0, "cut": 23, "doubt": 3.0, "pmi": 150.0}, True),
        ("竞态", {"whole": 0, "cut": 23, "doubt": 3.0, "pmi": 50.0}, False),
        ("三百", {}, False),
        ("多九公", {}, True),
        # a word of the lexicon takes its end in most places: 多/九/公道
        ("多九公", {"whole": 0, "cut": 9, "pmi": 129.0}, True),
        ("多九公", {"whole": 0, "cut": 7, "pmi": 129.0}, False),
        ("多九公", {"whole": 0, "cut": 9}, False),
        ("多九公", {"whole": 0, "cut": 9, "pmi": 129.0, "in_known": 3}, False),
    ],
)
def test_what_proves_a_word(word: str, change: dict[str, float], proved: bool) -> None:
    evidence = Evidence(23, 0, 7, 16, 2.0, 120.0, 50.0, 50.0)._replace(**change)  # type: ignore[arg-type]
    assert evidence.proves(word, 50_000) is proved


@pytest.mark.parametrize(
    ("word", "change", "proved"),
    [
        ("水夫人", {}, True),
        ("水夫人之", {}, False),
        ("三夫人", {}, False),  # a numeral
        ("水夫人", {"doubt": 1.0 * 205}, False),
        ("水夫人", {"pmi": 3.3 * 209}, False),  # parts that often stand alone
        ("水夫人", {"cut": 150}, False),  # no boundary at its ends
        ("水夫人", {"left": 0.9 * 209}, False),
        ("水夫人", {"places": 12, "cut": 12, "doubt": 9.5, "pmi": 90.0}, False),
        ("水夫人", {"places": 12, "cut": 12, "doubt": 8.0, "pmi": 90.0, "left": 25.0}, True),
        ("水夫人", {"places": 9, "cut": 9, "doubt": 6.0, "pmi": 70.0, "left": 20.0}, False),
    ],
)
def test_what_stands_only_together_is_a_word_however_it_is_cut(
    word: str, change: dict[str, float], proved: bool
) -> None:
    evidence = Evidence(209, 0, 0, 205, 0.79 * 205, 4.44 * 209, 3.9 * 209, 4.0 * 209)
    changed = evidence._replace(**change)  # type: ignore[arg-type]
    assert changed.proves(word, 111_000) is proved


@pytest.mark.parametrize(("tag", "learned"), [("x", [NAME]), ("v", [])])
def test_a_name_with_the_next_character_is_no_evidence_against_it(
    tag: str, learned: list[str]
) -> None:
    """Lists have names of novels with 道 behind them, and decoders prefer a word of the lexicon."""
    words = {*"".join(FILLER), *BEFORE, *(w.rstrip("。") for w in AFTER)}
    s = Segmenter(
        Lexicon.build([*((w, 50.0, "v") for w in sorted(words)), (f"{NAME}道", 9.0, tag)])
    )
    lines = [*TEXT, *(f"{a}{NAME}道：" for a in BEFORE for _ in range(7))]
    assert [w.word for w in s.learn(lines).user] == learned


def test_a_name_of_the_lexicon_that_is_whole_is_not_learned_again() -> None:
    learner = load()._learner()
    learner.characters = 10_000
    name = next(e.word for e in learner.lexicon if e.tag == "nr" and e.word == "但丁")
    learner.evidence = {name: Evidence(50, 0, 50, 0, -50.0, 300.0, 100.0, 100.0)}
    assert learner.words() == []
    learner.evidence = {name: Evidence(50, 9, 41, 0, -41.0, 300.0, 100.0, 100.0)}
    assert [(w.word, w.level) for w in learner.words()] == [(name, "weight")]


@pytest.mark.parametrize(
    ("change", "learned"),
    [
        ({}, ["北京"]),  # joined to what no place ends in: a name that looks like a place
        ({"with_head": 3}, []),  # 北京市
        ({"whole": 43}, []),  # two places in longer words of the lexicon
        ({"in_unknown": 2}, []),
    ],
)
def test_a_place_of_the_lexicon_stays_one(change: dict[str, int], learned: list[str]) -> None:
    learner = load()._learner()
    learner.characters = 10_000
    assert learner.lexicon.tag("北京") == "ns"
    evidence = Evidence(50, 5, 45, 0, -45.0, 300.0, 100.0, 100.0)
    learner.evidence = {"北京": evidence._replace(**change)}  # type: ignore[arg-type]
    assert [w.word for w in learner.words()] == learned


@pytest.mark.parametrize(("head", "headed"), [("市", 24), ("縣", 24), ("道", 0)])
def test_heads_of_places_are_counted(head: str, headed: int) -> None:
    words = {*"".join(FILLER), *BEFORE, *(w.rstrip("。") for w in AFTER)}
    s = Segmenter(
        Lexicon.build([*((w, 50.0, "v") for w in sorted(words)), (NAME + head, 9.0, "x")])
    )
    learner = s._learner()
    learner.read([*TEXT, *(f"{a}{NAME}{head}，" for a in BEFORE for _ in range(3))])
    entries = learner.evidence[NAME]
    assert (entries.in_unknown, entries.with_head) == (24, headed)
    assert entries.plus(entries).with_head == 2 * headed


def test_ordinary_text_teaches_nothing() -> None:
    lines = [f"{a}我们的{b}" for a in BEFORE for b in AFTER]
    s = load()
    assert not [w.word for w in s.learn(lines).user]


def test_the_work_grows_with_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every character is coded as often in a long text as in a short one."""
    coded: list[int] = []
    codes = Strings.codes

    def counting(self: Strings, lines: list[str]) -> object:
        coded.append(sum(map(len, lines)))
        return codes(self, lines)

    monkeypatch.setattr(Strings, "codes", counting)
    monkeypatch.setattr(learning, "BLOCK", 500)
    s = load()
    work = []
    for times in (10, 20):
        coded.clear()
        s.learn(TEXT * times)
        work.append(sum(coded))
    assert work[1] <= 2.1 * work[0]


def test_files_are_cut_with_learnt_words(tmp_path: Path) -> None:
    s = load()
    source = tmp_path / "in.txt"
    source.write_bytes("\r\n".join(TEXT).encode("gb18030"))
    target = tmp_path / "out.txt"
    summary = s.cut_file(source, target, sep="/", encoding="gb18030", learn=True)
    assert summary.lines == len(TEXT)
    t = s.learn(TEXT)
    assert target.read_bytes().decode() == "\r\n".join("/".join(t.cut(x)) for x in TEXT)
    buffer = io.BytesIO()
    file = io.BytesIO(b"skipped\n" + "\n".join(TEXT).encode())
    file.readline()
    s.cut_file(file, buffer, sep="/", learn=True)
    assert buffer.getvalue().decode() == "\n".join("/".join(t.cut(x)) for x in TEXT)


def test_what_cannot_be_read_twice(tmp_path: Path) -> None:
    s = load()

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    with pytest.raises(
        ArgumentError, match=r"learn=True reads <stream> twice, .* save it to a file"
    ):
        s.cut_file(Pipe(b"a"), tmp_path / "out", learn=True)
    with pytest.raises(TypeError, match="texts must be an iterable of str, not str"):
        s.learn("一个")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"texts\[1\] must be str, not int"):
        s.learn(["一", 2])  # type: ignore[list-item]


def test_a_dictionary_keeps_what_was_learned(tmp_path: Path) -> None:
    t = load().learn(TEXT)
    t.user.save(tmp_path / "learned.tsv")
    words = UserDictionary.load(tmp_path / "learned.tsv")
    assert load().replace(words).fingerprint == t.fingerprint
