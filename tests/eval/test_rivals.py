"""eval.rivals without the rivals: protocol, promises and tables, on segmenters made here."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from places import ROOT

sys.path.append(str(ROOT))

from eval.rivals import accuracy, costs, promises, systems, tables
from eval.rivals.process import HERE, Failed, Process

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHARACTERS = "cut = list"
SENTENCE = "他说的确实在理"


def process(start: str, folder: Path) -> Process:
    return Process([sys.executable, str(HERE / "runner.py")], {"start": start}, folder, folder)


@pytest.fixture
def characters(tmp_path: Path) -> Iterator[Process]:
    with process(CHARACTERS, tmp_path) as child:
        yield child


def test_a_process_answers_requests(characters: Process) -> None:
    ask = characters.ask
    assert characters.ready["words"] == list(SENTENCE)
    assert ask("take", lines=["一二", "三\ud800"]) == {}
    assert ask("cut") == {"words": [["一", "二"], ["三", "\ud800"]]}
    assert ask("time", passes=2)["seconds"] >= 0
    assert ask("split")["seconds"] >= 0
    assert ask("spans", code="[(0, len(text))]", text="一二") == {"spans": [[0, 2]]}
    assert ask("own", code="cut = str.split", text="a b") == {"words": ["a", "b"]}
    assert ask("peak")["peak"] > 1 << 20


def test_threads_share_the_lines_or_each_have_all(characters: Process) -> None:
    characters.ask("take", lines=["一二", "三"])
    each = characters.ask("threads", count=2, keep=True)
    assert each["words"] == [[["一", "二"], ["三"]]] * 2
    assert characters.ask("threads", count=2, keep=False)["faults"] == []


def test_one_string_is_counted_and_compared(characters: Process) -> None:
    characters.ask("take", lines=["一二", "三"])
    answer = characters.ask("whole", repeat=3)
    assert (answer["count"], answer["same"]) == (9, True)


def test_what_a_segmenter_prints_is_no_answer(tmp_path: Path) -> None:
    with process("print('hello'); cut = lambda t: (print(t), [t])[1]", tmp_path) as child:
        child.ask("take", lines=["一"])
        assert child.ask("cut") == {"words": [["一"]]}


def test_errors_crashes_and_loops_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="ModuleNotFoundError: No module named 'no_such_module'"):
        process("import no_such_module", tmp_path)
    hard = "import os\ncut = lambda t: {'a': os.abort, 'b': lambda: 1 / 0}.get(t, lambda: [t])()"
    with process(hard, tmp_path) as child:
        child.ask("take", lines=["b"])
        with pytest.raises(Failed, match="ZeroDivisionError"):
            child.ask("cut")
        child.ask("take", lines=["a"])  # an error ends nothing
        with pytest.raises(Failed, match="crash: SIGABRT"):
            child.ask("cut")
    endless = "def cut(t):\n    while t == 'x': pass\n    return [t]"
    with process(endless, tmp_path) as child:
        child.ask("take", lines=["x"])
        with pytest.raises(Failed, match="not in 1 s"):
            child.ask("cut", limit=1)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node_speaks_the_same_protocol(tmp_path: Path) -> None:
    start = {"start": "names.cut = (text) => Array.from(text)"}
    command = ["node", str(HERE / "runner.mjs")]
    with Process(command, start, tmp_path, tmp_path) as child:
        assert child.ready["words"] == list(SENTENCE)
        child.ask("take", lines=["一👨"])
        assert child.ask("cut") == {"words": [["一", "👨"]]}
        assert child.ask("time", passes=2)["seconds"] >= 0
        answer = child.ask("whole", repeat=2)
        assert (answer["count"], answer["same"]) == (4, True)
        assert child.ask("spans", code="[[0, text.length]]", text="👨") == {"spans": [[0, 2]]}
        with pytest.raises(Failed, match="ReferenceError"):
            child.ask("own", code="nothing()", text="一")


class Session(systems.Session):
    """A segmenter made here instead of an installed one."""

    def __init__(self, system: systems.System, work: Path) -> None:
        (work / "data").mkdir()
        (work / "data" / "words.txt").write_bytes(b"word list " * 100)
        super().__init__(system, work)


def session(work: Path, start: str, **options: Any) -> Session:
    """A system of this interpreter whose file is ``data/words.txt`` of its folder."""
    return Session(systems.System("made here", start, "own", **options), work)


MADE = {"一二": ["一", "二"]}


def test_promises_that_are_kept(tmp_path: Path) -> None:
    spans = "[(i, i + 1) for i in range(len(text))]"
    session_kept = session(
        tmp_path, CHARACTERS, spans=spans, own="cut = lambda t: ['iPhone 15', t]"
    )
    try:
        assert promises.lossless(session_kept, MADE)["lost"] == {}
        assert promises.offsets(session_kept, MADE)["wrong"] == []
        assert promises.threads(session_kept, MADE) == {"other": 0, "faults": [], "texts": 1}
        assert promises.own_words(session_kept, MADE)["whole"]
    finally:
        session_kept.close()


def test_promises_that_are_broken(tmp_path: Path) -> None:
    start = "cut = lambda t: list(''.join(t.split()))"
    broken = session(tmp_path, start, spans="[(0, 1)]", own="pass")
    try:
        lost = promises.lossless(broken, MADE)["lost"]
        assert set(promises.TEXTS) - set(lost) >= {"emoji", "full width", "empty"}
        assert set(lost) >= set(tables.BLANKS)
        assert "一二" in promises.offsets(broken, MADE)["wrong"]
        assert not promises.own_words(broken, MADE)["whole"]
        wrong = promises.threads(broken, {"一二": ["一二"]})
        assert wrong["other"] == 1
    finally:
        broken.close()


def test_a_damaged_file_is_noticed_or_not_and_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(systems.System, "packages", lambda self, work: work / "data")
    file = tmp_path / "data" / "words.txt"
    careless = session(
        tmp_path, f"open({str(file)!r}, 'rb').read()\n{CHARACTERS}", files="words.txt"
    )
    damages = promises.damaged(careless, MADE)
    assert damages["half"] == damages["flipped"] == {"other": 0, "of": 1}
    careful = f"assert len(open({str(file)!r}, 'rb').read()) == 1000, 'too short'\n{CHARACTERS}"
    careless.system = replace(careless.system, start=careful)
    damages = promises.damaged(careless, MADE)
    assert damages["half"] == {"said": "AssertionError: too short"}
    assert damages["flipped"] == {"other": 0, "of": 1}
    assert file.read_bytes() == b"word list " * 100
    assert not list((tmp_path / "kept").iterdir())


def test_a_line_that_stops_it_is_found(tmp_path: Path) -> None:
    start = "cut = lambda t: [t] if t != 'x' else 1 / 0"
    child = session(tmp_path, start)
    try:
        words, faults = accuracy.cut(child, [*"abcdex", *"fgh"])
    finally:
        child.close()
    assert (len(words), words["x"], faults) == (9, ["x"], 1)


def test_words_that_lost_characters_are_laid_over_the_text() -> None:
    class Challenge:
        @staticmethod
        def boundaries(words: list[str], text: str) -> tuple[set[int], bool]:
            return {2, 5}, False

    assert accuracy.crossed("一 二三四", ["一", "二三"], Challenge) == ["一 ", "二三四"]
    assert accuracy.crossed("一二", ["一", "", "二"], Challenge) == ["一", "二"]


def test_the_table_of_systems_is_whole() -> None:
    listed, absent = systems.load()
    assert len({system.name for system in listed}) == len(listed)
    for system in listed:
        assert system.made_for in tables.CONVENTIONS, system.name
        assert "cut" in system.start, system.name
        assert system.ours or system.node or system.python, system.name
        if not system.node:
            compile(system.start, system.name, "exec")
    for entry in absent:
        assert set(entry) == {"name", "en", "zh"}


def committed() -> dict[str, Any]:
    results: dict[str, Any] = json.loads((ROOT / "eval/results/rivals.json").read_text("utf-8"))
    return results


def test_the_pages_hold_the_tables_of_the_committed_figures(tmp_path: Path) -> None:
    pages = {}
    for language, page in tables.PAGES.items():
        pages[language] = tmp_path / f"{language}.md"
        shutil.copy(page, pages[language])
    tables.draw(committed(), pages)
    for language, page in tables.PAGES.items():
        assert page.read_text("utf-8") == pages[language].read_text("utf-8"), language


def test_tables_of_both_languages_have_the_same_rows() -> None:
    english, chinese = (tables.Tables(committed(), language) for language in ("en", "zh"))
    for name in ("accuracy", "costs", "promises", "lines", "absent"):
        english_table, chinese_table = getattr(english, name)(), getattr(chinese, name)()
        assert english_table.count("\n") == chinese_table.count("\n") > 3, name
        for line in (english_table + chinese_table).splitlines():
            assert line.replace("\\|", "").count("|") == english_table.splitlines()[1].count("|"), (
                line
            )


def test_a_column_of_queries_once_they_are_measured(tmp_path: Path, characters: Process) -> None:
    texts = ["一二", "三四五"] * 20
    characters.ask("take", lines=texts)
    system = session(tmp_path, CHARACTERS).system
    with process(CHARACTERS, tmp_path) as child, pytest.MonkeyPatch.context() as patch:
        patch.setattr(systems.System, "process", lambda *_, **__: child)
        figures = costs.queries(system, tmp_path, characters, texts, turns=1)
    assert 0 < figures["texts"] <= len(texts)
    assert figures["ratio"] > 0
    data = committed()
    for entry in data["systems"].values():
        entry.pop("queries", None)
    head = tables.Tables(data, "en").costs().splitlines()[0]
    assert "queries" not in head
    data["systems"]["rjieba"]["queries"] = {"texts": 40, "ratio": 0.5}
    lines = tables.Tables(data, "en").costs().splitlines()
    assert lines[0].count("|") == head.count("|") + 1
    assert (
        next(line for line in lines if line.startswith("| rjieba")).split("|")[4].strip() == "0.5"
    )


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="rivals: costs"):
        tables.fill("a page\n", "costs", "")
