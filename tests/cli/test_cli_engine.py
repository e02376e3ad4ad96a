"""What the engine does, from the command line: atoms, user words, learning, tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import segmenter
from segmenter import ResourceError, Segmenter
from segmenter.cli import main
from segmenter.lexicon.user import UserDictionary
from segmenter.tagging import pos

if TYPE_CHECKING:
    from pathlib import Path

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


def load(name: str = "balanced") -> Segmenter:
    try:
        return segmenter.load(name)
    except ResourceError:
        pytest.skip("models/ is not built here")


def test_atoms_and_patterns(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("见https://a.cn，单号SO-12\n", encoding="utf-8")
    options = ["--preset", "fast", "--sep", "/", str(path)]
    main(["cut", *options])
    assert capsys.readouterr().out.startswith("见/https://a.cn/，")
    main(["cut", "--atoms", "url=split", *options])
    assert capsys.readouterr().out.startswith("见/https/:///// /a/.".replace(" /", "")[:12])
    main(["cut", "--pattern", r"order=单号SO-\d+", *options])
    assert capsys.readouterr().out == "见/https://a.cn/，/单号SO-12\n"


def test_files_of_words_are_read_and_compiled(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    words, text = tmp_path / "words.txt", tmp_path / "in.txt"
    words.write_bytes("iPhone 15 3 n\n云计算 5 n\n坏 x y z\n".encode("gb18030"))
    text.write_text("买iPhone 15学云计算\n", "utf-8")
    path = tmp_path / "words.user"
    build = [
        "build",
        "user",
        str(words),
        "-o",
        str(path),
        "--format",
        "jieba",
        "--encoding",
        "gb18030",
    ]
    assert main([*build, "--level", "force", "--errors", "warn"]) == 0
    assert b"3 words" in capfdbinary.readouterr().err
    assert {e.level for e in UserDictionary.load(path)} == {"force"}
    second = tmp_path / "more.tsv"
    second.write_text("学云计算\tforce\n", "utf-8")
    assert main(["cut", "--sep", "/", "--user", str(path), "--user", str(second), str(text)]) == 0
    assert capfdbinary.readouterr().out.decode() == "买/iPhone 15/学云计算\n"
    assert main(["tokenize", "--user", str(path), str(text)]) == 0
    assert b"\tiPhone 15\tword\tuser\tn\n" in capfdbinary.readouterr().out
    assert main([*build[:2], str(tmp_path / "none"), "-o", str(path)]) == 1
    assert main(["cut", "--user", str(tmp_path / "none"), str(text)]) == 1


def test_what_a_file_teaches(tmp_path: Path) -> None:
    text = [f"{a}鸾吹{b}" for a in BEFORE for b in AFTER] + [*FILLER] * 5
    s = load()
    files = [tmp_path / "a", tmp_path / "b"]
    for file, lines in zip(files, (text[::2], text[1::2]), strict=True):
        file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    path = tmp_path / "out"
    names = [str(file) for file in files]
    assert main(["cut", "--learn", "--sep", "/", *names, "-o", str(path)]) == 0
    t = s.learn([*text[::2], *text[1::2]])
    expected = ["/".join(t.cut(x)) for x in (*text[::2], *text[1::2])]
    assert path.read_text("utf-8").splitlines() == expected
    assert main(["cut", "--learn", "-o", str(path)]) == 2


def test_tag_writes_words_and_tags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    s = load("fast")
    text = tmp_path / "in.txt"
    text.write_text("促进经济的发展\n\n研究历史", "utf-8")
    path = tmp_path / "out.txt"
    assert main(["tag", "--preset", "fast", str(text), "-o", str(path)]) == 0
    lines = path.read_text("utf-8").split("\n")
    assert lines[0] == "促进/v 经济/n 的/u 发展/vn"
    assert lines[1:] == ["", " ".join(f"{w}/{t}" for w, t in s.tag("研究历史")), ""]
    assert main(["tag", "--preset", "fast", "--sep", r"\t", "--mark", "_", str(text)]) == 0
    assert main(["tag", "--tags"]) == 0
    assert "nr\t人名\tpersonal name\n" in capsys.readouterr().out
    command = ["tokenize", "--pos", "--preset", "fast", str(text)]
    assert main([*command, "-o", str(path)]) == 0
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    assert [row[6] for row in rows[:4]] == ["v", "n", "u", "vn"]
    assert main(["tokenize", "--pos", "--mode", "search", str(text)]) == 2
    assert "--mode words" in capsys.readouterr().err


def test_train_pos_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "tagged.txt"
    text.write_text("他/PRON 跑/VERB\n她/PRON 唱歌/VERB ！/PUNCT\n" * 3, "utf-8")
    path = tmp_path / "own.model"
    assert main(["train", "pos", "--train", str(text), "--out", str(path)]) == 0
    assert "5 tags" in capsys.readouterr().err
    assert pos.load(path).tags(["她", "唱歌"]) == ["PRON", "VERB"]
    text.write_text("他 跑\n", "utf-8")
    assert main(["train", "pos", "--train", str(text), "--out", str(path)]) != 0
    assert "tagged.txt" in capsys.readouterr().err
