"""The recipe: stages, what makes one run again, and sentences whose entities people marked."""

from __future__ import annotations

import importlib
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recipes import changes, entities, make, partial
from segmenter.errors import DictionaryError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from recipes.work import Work


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the stages that ran; their functions are in a module of the test."""
    names: list[str] = []

    def first(work: Work, number: int) -> None:
        names.append("first")
        (work.folder / "a").write_text(str(number))

    def second(work: Work) -> None:
        names.append("second")
        (work.folder / "b").write_text((work.folder / "a").read_text() * 2)

    module = types.ModuleType("recipes.of_this_test")
    vars(module).update(first=first, second=second)
    monkeypatch.setitem(sys.modules, "recipes.of_this_test", module)
    monkeypatch.setattr(make, "code_of", lambda path, function: function)
    return names


def stages(number: int = 0) -> tuple[make.Stage, make.Stage]:
    return (
        make.Stage("first", "of_this_test.first", (), ("a",), options={"number": number}),
        make.Stage("second", "of_this_test.second", ("first",), ("b",)),
    )


def run(folder: Path, steps: tuple[make.Stage, ...]) -> None:
    with ThreadPoolExecutor(2) as pool:
        make.Run(folder, folder, 1.0, "cpu").stages(steps, pool)


def test_a_stage_runs_again_only_if_what_it_reads_changed(tmp_path: Path, ran: list[str]) -> None:
    run(tmp_path, stages())
    run(tmp_path, stages())
    assert ran == ["first", "second"]
    run(tmp_path, stages(number=1))
    assert ran == ["first", "second"] * 2
    assert (tmp_path / "b").read_text() == "11"


def test_what_was_deleted_is_made_again(tmp_path: Path, ran: list[str]) -> None:
    run(tmp_path, stages())
    (tmp_path / "b").unlink()
    run(tmp_path, stages())
    assert ran == ["first", "second", "second"]


def test_every_stage_names_a_function() -> None:
    pytest.importorskip("torch", reason="most stages train networks in torch")
    for stage in make.STAGES:
        module, _, function = stage.run.partition(".")
        assert callable(getattr(importlib.import_module(f"recipes.{module}"), function))


def test_the_order_of_the_stages_has_no_circle() -> None:
    names_done: set[str] = set()
    for stage in make.STAGES:
        assert names_done.issuperset(stage.after), stage.name
        names_done.add(stage.name)
    outputs = [name for stage in make.STAGES for name in stage.makes]
    assert len(set(outputs)) == len(outputs)


def test_a_stage_runs_again_if_its_code_changed(
    tmp_path: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, stages())
    monkeypatch.setattr(make, "code_of", lambda path, function: f"{function} anew")
    run(tmp_path, stages())
    assert ran == ["first", "second"] * 2


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    """The code of a stage after a replacement in its files."""
    first = (
        "from recipes import other, unread\n"
        "from recipes.other import SIZE\n"
        "def stage(work):\n"
        "    other.learn(SIZE)  # so many\n"
        "    work.save()\n"
        "    script('lists.py')\n"
        "def another(work):\n"
        "    unread.learn()\n"
    )
    texts = {
        "first": first,
        "other": "RATE = 1\nSIZE = 2\ndef learn(size):\n    'Learns.'\n    return size * RATE\n",
        "unread": "def learn():\n    return 3\n",
        "lists": "def main():\n    return 4\n",
        "work": "class Work:\n    def save(self):\n        return 5\n"
        "    def load(self):\n        return 6\n",
    }
    monkeypatch.setattr(changes, "FOLDERS", (tmp_path,))
    monkeypatch.setattr(changes, "WORK", tmp_path / "work.py")

    def changed(old: str, new: str) -> str:
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(text.replace(old, new), "utf-8")
        changes._parsed.cache_clear()
        return changes.code_of(tmp_path / "first.py", "stage")

    return changed


@pytest.mark.parametrize("old", ["RATE = 1", "SIZE = 2", "return size", "return 4", "return 5"])
def test_a_change_of_what_a_stage_reaches_changes_its_code(
    code: Callable[[str, str], str], old: str
) -> None:
    assert code(old, f"{old} + 7") != code("", "")


@pytest.mark.parametrize("old", ["so many", "Learns.", "return 3", "return 6", "unread.learn()"])
def test_other_functions_and_comments_change_nothing(
    code: Callable[[str, str], str], old: str
) -> None:
    assert code(old, "return 9" if old.startswith("return") else "more") == code("", "")


def test_every_stage_reaches_the_code_that_it_runs() -> None:
    for stage in make.STAGES:
        module, _, function = stage.run.partition(".")
        assert f"def {function}(work" in changes.code_of(
            make.ROOT / "recipes" / f"{module}.py", function
        )
    tables = changes.code_of(make.ROOT / "recipes" / "first.py", "tables")
    assert "def read_jieba" in tables  # by a command of dicts/
    assert "def linear_loss" not in tables


def test_a_sample_has_a_share_of_the_lines(tmp_path: Path) -> None:
    (tmp_path / "from" / "lexicons").mkdir(parents=True)
    (tmp_path / "from" / "a.txt").write_text("".join(f"{i}\n" for i in range(100)))
    (tmp_path / "from" / "lexicons" / "b.txt").write_text("x\ny\n")
    make.sample(tmp_path / "from", tmp_path / "to", 0.1)
    assert (tmp_path / "to" / "a.txt").read_text().split() == [f"{i}" for i in range(9, 100, 10)]
    assert (tmp_path / "to" / "lexicons" / "b.txt").read_text() == "x\ny\n"


def test_edges_of_entities_cut_the_words_that_cross_them() -> None:
    ends = partial.ends_of(["主演", "出服"])
    edges, opens = entities.forced(ends, [(1, 4)])  # 主/演出服
    assert edges.tolist() == [1, 0, 0, 1]
    assert opens.tolist() == [0, 1, 0, 0]
    contained = entities.forced(partial.ends_of(["下腹痛"]), [(1, 3)])
    assert [x.tolist() for x in contained] == [[0, 0, 1], [0, 0, 0]]


def test_entities_know_what_systems_agree_on() -> None:
    text = "他买港风帆布鞋"
    marked = entities.Marked("shop", text, [(2, 4), (4, 7)])
    cutters = [
        lambda _: ["他", "买", "港", "风帆", "布鞋"],
        lambda _: ["他买", "港", "风帆", "布鞋"],
    ]
    (row,), crossed = entities.partly(marked, cutters)
    assert crossed
    ends = np.cumsum([len(word) for word in row.words])
    assert {2, 4, 7}.issubset(ends.tolist())  # the edges
    assert 3 not in row.unsure
    assert 0 in row.unsure  # 他买, 他/买
    (alone,), _ = entities.partly(marked, cutters, edges_alone=True)
    assert alone.words == ["他买", "港风", "帆布鞋"]
    assert list(alone.unsure) == [0, 2, 4, 5]


def test_a_line_of_another_form_is_named(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "train.tsv").write_text("港风\t0:x\n", "utf-8")
    with pytest.raises(DictionaryError, match=r"train.tsv.*'0:x' is not start-end:type"):
        list(entities.read(tmp_path))


def test_a_given_teacher_takes_the_place_of_the_stages_that_make_one(tmp_path: Path) -> None:
    (tmp_path / "best.model").write_bytes(b"weights")
    (tmp_path / "notes.txt").write_bytes(b"")
    stages = {stage.name: stage for stage in make.taught_by(tmp_path, make.STAGES)}
    outputs = {name for stage in stages.values() for name in stage.makes}
    for stage in stages.values():
        assert set(stage.after) <= stages.keys(), stage.name
    assert "network.pt" not in outputs
    assert "models/accurate.model" in outputs
    assert list(stages["best"].options["digests"]) == ["best.model"]
    pytest.importorskip("torch")
    from recipes import students

    students.take_teacher(make.Work(tmp_path, tmp_path), **stages["best"].options)
    assert (tmp_path / "best.model").read_bytes() == b"weights"
