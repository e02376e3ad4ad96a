"""The measuring harness itself: what it refuses, how it counts, never how fast anything is."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

import pytest
import worlds
from places import ROOT

# At the end: an installed package must win over the checkout's folder of the same name.
sys.path.append(str(ROOT))

from eval import common, curve, differential, startup, timing, today
from eval.speed import __main__ as speed
from eval.speed import systems
from segmenter import Segmenter
from segmenter.errors import DictionaryError, ResourceError

if TYPE_CHECKING:
    from pathlib import Path


class Clock:
    """A clock that moves only when work says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("time.perf_counter", lambda: self.now)

    def takes(self, *seconds: float) -> Any:
        """Work that takes these seconds, one after the other, the last one ever after."""
        left = list(seconds)

        def run(*_: object) -> None:
            self.now += left.pop(0) if len(left) > 1 else left[0]

        return run


def test_the_figure_is_the_minimum_and_a_against_a_adds_rounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    steady = timing.Entry("steady", clock.takes(2.0))
    # Turns alternate between the two halves: the first half sees 1.0 in round 2, the second
    # half comes within 3% of it in round 5 only.
    noisy = timing.Entry("noisy", clock.takes(3, 3, 1.0, 3, 3, 3, 3, 3, 3, 1.02))
    first, second = timing.compare([steady, noisy], rounds=2, most_rounds=9, budget=1e9, turn=0)
    assert (first.seconds, first.a_against_a, first.rounds) == (2.0, 0.0, 5)
    assert (second.seconds, second.rounds, second.settled) == (1.0, 5, True)
    assert second.a_against_a == pytest.approx(0.02)


def test_unsettled_entries_end_at_the_most_rounds_and_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    (figure,) = timing.compare(
        [timing.Entry("x", clock.takes(1.0, 2.0))], rounds=2, most_rounds=6, budget=1e9, turn=0
    )
    assert (figure.rounds, figure.settled, figure.a_against_a) == (6, False, 1.0)


def test_a_slow_entry_sits_out_after_three_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    slow = timing.Entry("slow", clock.takes(100.0))
    fast = timing.Entry("fast", clock.takes(1.0))
    first, second = timing.compare([slow, fast], rounds=7, most_rounds=9, budget=50.0, turn=0)
    assert (first.rounds, second.rounds) == (3, 7)


def test_every_entry_runs_twice_a_round_and_the_order_rotates() -> None:
    ran: list[str] = []

    def note(name: str) -> timing.Entry:
        return timing.Entry(name, lambda: ran.append(name))

    timing.compare([note("a"), note("b"), note("c")], rounds=2, most_rounds=2, turn=0)
    assert "".join(ran) == "abcabc" + "bcabca"


def test_a_turn_is_filled_with_runs_and_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    runs: list[str] = []
    quick, slow = clock.takes(2.0), clock.takes(50.0)
    first, second = timing.compare(
        [
            timing.Entry("quick", lambda: (runs.append("q"), quick())),
            timing.Entry("slow", lambda: (runs.append("s"), slow())),
        ],
        rounds=1, most_rounds=1, budget=1e9, turn=9.0,
    )  # fmt: skip
    assert "".join(runs) == "qqss" + 2 * ("qqqqq" + "s")
    assert (first.seconds, second.seconds) == (2.0, 50.0)


class FakeEngine:
    """Cuts into characters; `fault` spoils one form of output."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault

    def cut(self, text: str) -> list[str]:
        return list(text)[1:] if self.fault == "cut" else list(text)

    def ends(self, text: str) -> Any:
        numpy = pytest.importorskip("numpy")
        return numpy.arange(1, len(text) + 1 + (self.fault == "ends"))

    def tokenize(self, text: str) -> list[str]:
        return self.cut(text)

    def cut_for_search(self, text: str) -> list[str]:
        return self.cut(text)

    def tag(self, text: str) -> list[tuple[str, str]]:
        return [(word, "x") for word in self.cut(text)]

    def cut_bytes(self, utf8: bytes, sep: bytes = b" ", threads: int = 1) -> bytes:
        if self.fault == "bytes":
            return utf8
        return b"\n".join(sep.join(c.encode() for c in s) for s in utf8.decode().split("\n"))

    def cut_batch(self, texts: Any, threads: int = 1) -> list[list[str]]:
        return [[t] for t in texts] if self.fault == "batch" else [list(t) for t in texts]


TEXT = systems.Text.of("own", ["他说的", "确实", ""])


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ("", []),
        ("cut", ["do not join", "cut_batch", "ends", "cut_bytes", "cut_bytes"]),
        ("ends", ["ends parts from cut"]),
        ("bytes", ["cut_bytes(threads=1)", "cut_bytes(threads=2)"]),
        ("batch", ["cut_batch parts from cut"]),
    ],
)
def test_nothing_is_timed_before_the_outputs_are_the_same(fault: str, named: list[str]) -> None:
    ours = systems.ours("ours", systems.OWN, FakeEngine(fault))
    _, faults = systems.same_output([ours], [], TEXT)
    assert len(faults) == len(named)
    assert all(part in said for part, said in zip(named, faults, strict=True))


def test_lines_alike_are_counted_and_jieba_list_must_give_rjieba_words() -> None:
    ours = systems.ours(systems.JIEBA_LIST, systems.JIEBA, FakeEngine())
    peer = systems.System("rjieba", systems.JIEBA, lambda s: [s] if s == "确实" else list(s), {})
    (alike,), faults = systems.same_output([ours], [peer], TEXT)
    assert (alike.lines_alike, alike.lines) == (2, 3)
    assert faults == [f"{systems.JIEBA_LIST}: 1 lines part from rjieba's"]


def test_a_task_runs_over_fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = systems.ours("unigram", systems.OWN, FakeEngine())
    peer = systems.System(
        "rjieba", systems.JIEBA, list, {"lists": lambda text: lambda: list(text.lines)}
    )
    options = speed.Options(2, 2, 60.0, ())
    seconds = {"unigram / lists": 1.0, "rjieba / lists": 7.5}
    monkeypatch.setattr(
        timing,
        "compare",
        lambda entries, **_: [timing.Timing(e.name, seconds[e.name], 0.0, 2) for e in entries],
    )
    monkeypatch.setattr(common, "pin", lambda count: [0])
    record = speed.run_task("lists", TEXT, [ours], [peer], options)
    assert [row.entry for row in record.rows] == list(seconds)
    assert [row.peer for row in record.rows] == [False, True]
    assert record.rows[0].mb_per_s == pytest.approx(record.bytes / 1e6)
    assert "| unigram / lists | our own | 0.0 | 7.50 | 0.0% | 2 |" in speed.show(record)


def test_a_fresh_interpreter_reports_on_itself() -> None:
    bare = startup.start("pass")
    assert bare.seconds < 60
    assert bare.peak_bytes > 1_000_000
    assert (bare.numpy_loaded, bare.new_modules) == (False, 0)
    loaded = startup.start("import decimal\nhold = bytearray(30_000_000)")
    assert loaded.new_modules > 0
    assert loaded.peak_bytes - bare.peak_bytes > 25_000_000
    with pytest.raises(SystemExit, match="no_such_module"):
        startup.start("import no_such_module")


def test_the_list_of_words_of_today_is_whole_and_its_faults_are_named(tmp_path: Path) -> None:
    items = today.read_list()
    assert len(items) >= 300
    assert len({item.word for item in items}) == len(items)
    parts = [sum(item.part == part for item in items) for part in today.PARTS]
    assert abs(parts[0] - parts[1]) <= 1
    assert parts[2] >= 100
    rows = today.words_whole("chars", list, items)
    assert [row.whole for row in rows] == [0, 0, 0]
    assert [len(row.split) for row in rows] == [0, parts[1], 0]
    bad = tmp_path / "list.tsv"
    bad.write_text("微信\tinternet\treport\t他用微信。\n微博\tinternet\treport\t没有。\n", "utf-8")
    with pytest.raises(DictionaryError, match=r"list\.tsv, line 2"):
        today.read_list(bad)


def test_places_of_names_are_whole_or_not_and_count_once() -> None:
    assert {name for book in today.books() for name in book.names} >= {"鸾吹", "林之洋", "竞态"}
    s = Segmenter(worlds.lexicon())
    text = "研究生研究生命"
    words = s.cut(text)
    places = today.names_whole(s, [text], ["研究", "研究生"])
    assert places.total() == 2
    assert places["研究生", True] == sum(word == "研究生" for word in words)
    assert not places["研究", True] + places["研究", False]


def test_the_picture_names_every_system_once() -> None:
    rows: list[dict[str, Any]] = [
        {"system": name, "peer": name.islower(), "f1": f1, "f1_general": general, "mb_per_s": speed}
        for name, f1, general, speed in [
            ("A", 0.97, 0.95, 5),
            ("B", 0.96, None, 60),
            ("C", 0.95, 0.94, 30),
            ("p<q", 0.8, None, 0.3),
        ]
    ]
    ours = sorted(rows[:3], key=lambda row: row["mb_per_s"])
    assert [row["system"] for row in curve.best_of(ours)] == ["A", "B"]
    for language in curve.WORDS:
        root = ElementTree.fromstring(curve.draw(rows, language))
        texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
        assert all(texts.count(row["system"]) == 1 for row in rows)


def test_a_missing_data_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="SEGMENTER_CORPORA"):
        common.data_dir(str(tmp_path / "none"))


def test_the_differential_sees_what_differs() -> None:
    pick = random.Random(3)
    s = Segmenter(worlds.lexicon())
    text = differential.texts(pick, "的确研究生中华人民共和国" * 20, 3000)
    texts_again = differential.texts(random.Random(3), "的确研究生中华人民共和国" * 20, 3000)
    assert text == texts_again
    assert len(text) >= 2500
    for some in (text, "", "\r\n\n末\r行\r"):
        differential.compare(s, some)

    class Other:
        """Cuts as ``s`` does, but for bytes."""

        def __getattr__(self, name: str) -> object:
            return getattr(s, name)

        def cut_bytes(self, data: bytes, sep: bytes, threads: int) -> bytes:
            return s.cut_bytes(data, sep, threads).replace(sep, b"", 1)

    with pytest.raises(differential.Difference, match="cut and cut_bytes by 1 threads differ"):
        differential.compare(cast("Any", Other()), text)
