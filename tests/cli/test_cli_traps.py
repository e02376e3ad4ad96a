"""What a user types by mistake, or expects to work: suggestions, hints, and what to do next."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter import load
from segmenter.cli import main
from segmenter.errors import ArgumentError, EncodingError, ResourceError
from segmenter.files import resources
from segmenter.lexicon import Lexicon

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "他 说 的 确实 在理\n今天 天气 很 好\n"

try:
    load("fast")
    shipped = True
except ResourceError:
    shipped = False
needs_models = pytest.mark.skipif(not shipped, reason="the shipped models are not built here")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Ran:
    """What ``segmenter LINE`` gave."""

    def __init__(self, line: str | list[str], capture: pytest.CaptureFixture[bytes]) -> None:
        try:
            self.code = main(line.split() if isinstance(line, str) else line)
        except SystemExit as e:
            self.code = int(e.code or 0)
        got = capture.readouterr()
        self.out, self.err = got.out.decode("utf-8"), got.err.decode("utf-8")


# --- spelling ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("ctu", "cut"),
        ("tokenise in.txt", "tokenize"),
        ("cut --encodig gbk", "--encoding"),
        ("cut --thread=2", "--threads"),
        ("cut --preset fas", "fast"),
        ("--verson", "--version"),
        ("build lexicon --profle jieba", "--profile"),
        ("cut --decoder unigrm", "unigram"),
        ("build lexcon a.txt", "lexicon"),
        ("train perceptorn", "perceptron"),
    ],
)
def test_did_you_mean(line: str, meant: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    got = Ran(line, capfdbinary)
    assert (got.code, got.out) == (2, "")
    message, help_line, end = got.err.split("\n")
    assert f"did you mean {meant}" in message
    assert re.fullmatch(r"Options: segmenter( \w+)* --help", help_line)
    assert end == ""


@needs_models
@pytest.mark.parametrize(
    ("what", "file", "remedy"),
    [
        ("model", "general.lex", "use `segmenter export lexicon`"),
        ("lexicon", "pku-fast.model", "use `segmenter export model`"),
        ("user", "general.lex", "use `segmenter export lexicon`"),
        ("model", "pos.model", "this kind has no text form"),
    ],
)
def test_export_of_another_kind(
    what: str, file: str, remedy: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = resources.find(file)
    got = Ran(["export", what, path, "-o", str(tmp_path / "out")], capfdbinary)
    assert got.code == 2
    assert remedy in got.err
    assert not (tmp_path / "out").exists()


def test_reloading_needs_words_of_the_user(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
    got = Ran("serve --preset fast --reload 5", capfdbinary)
    assert "need --user FILE" in got.err


@pytest.mark.parametrize("line", ["", "train", "build", "subword", "eval"])
def test_a_bare_command_prints_its_help(
    line: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    got = Ran(line, capfdbinary)
    assert (got.code, got.out) == (2, "")
    assert got.err == Ran(f"{line} --help", capfdbinary).out


@needs_models
def test_files_may_follow_options(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (folder / name).write_text(f"{name}\n", "utf-8")
    got = Ran("cut a.txt -j 2 b.txt --sep / c.txt", capfdbinary)
    assert got.code == 0, got.err
    assert got.out == Ran("cut --sep / a.txt b.txt c.txt", capfdbinary).out != ""


# --- encodings -----------------------------------------------------------------------------------


@needs_models
@pytest.mark.parametrize("command", ["cut", "tokenize"])
@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("gb18030", "gb18030"),
    ],
)
def test_an_encoding_is_named_that_works(
    folder: Path, written: str, hint: str, command: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (folder / "in.txt").write_bytes("他说的确实在理，这是2026年。\n第二行\n".encode(written))
    got = Ran([command, "in.txt"], capfdbinary)
    assert got.code == 1
    assert f"--encoding {hint}," in got.err
    rerun = Ran([command, "in.txt", "--encoding", hint], capfdbinary)
    assert rerun.code == 0
    assert "确实" in rerun.out


def test_gbk_and_big5_are_not_taken_for_utf16(folder: Path) -> None:
    from segmenter.files.cutting import cut_file

    def refuse(data: bytes) -> bytes:
        data.decode("utf-8")
        return data

    def cut(data: bytes) -> bytes:
        try:
            return refuse(data)
        except UnicodeDecodeError as e:
            raise EncodingError(e.reason, e.start) from None

    for encoding in ("gbk", "big5", "shift_jis"):
        (folder / "in.txt").write_bytes(
            ("中文繁體的說明文字，測試。\n" * 3).encode(encoding, "ignore")
        )
        with pytest.raises(EncodingError) as caught:
            cut_file(cut, str(folder / "in.txt"), str(folder / "out.txt"))
        assert "UTF-16" not in caught.value.reason


# --- training ------------------------------------------------------------------------------------


@needs_models
def test_what_train_made_is_taken_by_its_name(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (folder / "t.txt").write_text(TEXT, "utf-8")
    result = Ran("train perceptron --train t.txt --standard mine --out mine", capfdbinary)
    assert result.code == 0, result.err
    for name in ("mine.txt", "mine.model", "CARD.md"):
        assert re.search(rf"mine/{name} +[\d,]+ bytes  \w", result.err)
    assert "give --dev" in result.err
    following = re.search(r"next: segmenter (cut --model \S+) FILE", result.err)
    assert following is not None
    (folder / "in.txt").write_text("他说的\n", "utf-8")
    plain = Ran([*following[1].split(), "in.txt"], capfdbinary)
    named = Ran([*following[1].split(), "--standard", "mine", "in.txt"], capfdbinary)
    assert (plain.code, named.code, named.err) == (0, 0, "")
    assert named.out == plain.out
    wrong = Ran([*following[1].split(), "--standard", "other", "in.txt"], capfdbinary)
    assert wrong.code == 2
    assert "'other' is not one of general, pku, mine" in wrong.err
    import pickle

    segmenter = load(folder / "mine" / "mine.model", standard="mine")
    assert pickle.loads(pickle.dumps(segmenter)).cut("他说的") == segmenter.cut("他说的")
    with pytest.raises(ArgumentError, match="'mine' is not one of"):
        load("fast", standard="mine")


def test_training_names_the_option_that_leaves_a_line_out(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (folder / "t.txt").write_text(TEXT + "他 说\x7f 的\n", "utf-8")
    line = ["train", "perceptron", "--train", "t.txt", "--out", "mine"]
    got = Ran(line, capfdbinary)
    assert got.code == 1
    assert "t.txt, line 3: U+007F" in got.err
    assert "--errors skip" in got.err
    assert Ran([*line, "--errors", "skip"], capfdbinary).code == 0
    (folder / "words.tsv").write_text("他\tmany\n她\t2\n", "utf-8")
    got = Ran("build lexicon words.tsv -o w.lex", capfdbinary)
    assert "--errors skip" in got.err


# --- what was written, and what is next ----------------------------------------------------------


@needs_models
def test_discover_says_what_it_wrote(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    names = ["来了", "走了", "笑了", "看着", "不说", "问道", "哭了", "在吗", "坐下", "站起"]
    text = "".join(f"{a}魑魅宗{b}。\n" for a in "他她我你谁" for b in names)
    (folder / "in.txt").write_text(text, "utf-8")
    got = Ran("discover in.txt -o found.tsv --min-pmi 1 --min-entropy 1", capfdbinary)
    assert got.code == 0
    words = (folder / "found.tsv").read_text("utf-8").count("\n")
    assert words > 0
    assert f"found.tsv: {words} words; next: segmenter cut --user found.tsv FILE" in got.err
    got = Ran("discover in.txt -o none.tsv --min-count 1000", capfdbinary)
    assert "none.tsv: 0 words; lower --min-count" in got.err
    assert "0 words; lower --min-count" in Ran(["discover", "in.txt"], capfdbinary).err
    line = "discover in.txt --min-pmi 1 --min-entropy 1"
    assert Ran(line, capfdbinary).err == ""


@needs_models
def test_bench_says_how_to_use_what_it_timed(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from segmenter.cli.bench import _usage

    (folder / "in.txt").write_text("他说的确实在理\n", "utf-8")
    shutil.copy(resources.find("general-fast.model"), folder / "my model")
    for command, python in (_usage(name, "my model") for name in ("fast", "unigram", "my model")):
        assert command.startswith("segmenter ")
        got = Ran([*shlex.split(command)[1:], "in.txt"], capfdbinary)
        assert got.out == "他 说 的 确实 在理\n"
        assert eval(python, {"load": load}).cut("他说") == ["他", "说"]


# --- export and describe -------------------------------------------------------------------------


def test_a_lexicon_comes_back_from_its_export(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (folder / "a.tsv").write_text("北京\t5\tns\niPhone 15\t2\n大学\t3.5\tn\n", "utf-8")
    assert Ran("build lexicon a.tsv -o a.lex", capfdbinary).code == 0
    got = Ran("export lexicon a.lex -o b.tsv", capfdbinary)
    assert (got.code, got.out, got.err) == (0, "", "segmenter export: b.tsv: 3 words\n")
    assert Ran("build lexicon b.tsv -o b.lex", capfdbinary).code == 0
    first, second = Lexicon.open(folder / "a.lex"), Lexicon.open(folder / "b.lex")
    assert list(first) == list(second)
    rows = Ran("export lexicon a.lex", capfdbinary).out
    assert rows == (folder / "b.tsv").read_text("utf-8")


def test_a_user_dictionary_comes_back_from_its_export(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from segmenter.lexicon.user import UserDictionary

    (folder / "a.tsv").write_text("C++\n云计算\t50\tn\n提|出\tsplit\n", "utf-8")
    assert Ran("build user a.tsv -o a.user", capfdbinary).code == 0
    for form in ("tsv", "jsonl"):
        got = Ran(f"export user a.user --format {form} -o b.{form}", capfdbinary)
        assert got.code == 0, got.err
        assert UserDictionary.load(folder / f"b.{form}") == UserDictionary.load(folder / "a.user")


@needs_models
def test_describe_takes_shipped_names(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert "general-fast.model: tagger" in Ran(["describe", "general-fast"], capfdbinary).out
    assert "general.lex: lexicon" in Ran(["describe", "general"], capfdbinary).out


# --- doors ---------------------------------------------------------------------------------------


@needs_models
def test_a_text_in_place_of_a_file(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    ran = Ran(["subword", "encode", "他说的确实在理"], capfdbinary)
    assert "echo 他说的确实在理 | segmenter subword encode -" in ran.err
    ran = Ran(["cut", "他说的确实在理"], capfdbinary)
    assert ran.code == 2
    assert "echo 他说的确实在理 | segmenter cut -" in ran.err
    assert "No such file" in Ran(["cut", "没有.txt"], capfdbinary).err


@needs_models
def test_the_preset_of_a_standard_is_named(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source = tmp_path / "in.txt"
    source.write_text("他说\n", "utf-8")
    ran = Ran(["cut", "--standard", "ctb", str(source)], capfdbinary)
    assert ran.code == 2
    assert "a standard of the presets accurate and best" in ran.err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_a_full_disk_is_no_success(argument: str) -> None:
    with open("/dev/full", "wb") as full:
        got = subprocess.run(
            [sys.executable, "-m", "segmenter", argument],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
    assert got.returncode == 1
    assert b"standard output: No space left" in got.stderr


@needs_models
@pytest.mark.parametrize(
    "line",
    [
        "build lexicon words.txt -o words.txt",
        "build lexicon words.txt --bigrams pairs.txt -o pairs.txt",
        "build user words.txt -o ./words.txt",
        "build model words.txt -o words.txt",
        "export user words.user -o words.user",
        "train hmm --train gold.txt --standard gold --out .",
        "train pos --train gold.txt --out gold.txt",
        "adapt general-fast --train gold.txt --out gold.txt",
    ],
)
def test_no_command_writes_over_what_it_reads(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    (folder / "words.txt").write_text("云计算\t5\n", "utf-8")
    (folder / "pairs.txt").write_text("云计算\t云计算\t1\n", "utf-8")
    (folder / "gold.txt").write_text(TEXT, "utf-8")
    assert main(["build", "user", "words.txt", "-o", "words.user"]) == 0
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    capsys.readouterr()
    assert main(shlex.split(line)) == 2
    assert "is also read: write to another file" in capsys.readouterr().err
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize(
    "line",
    [
        "build user words.txt -o .",
        "train pos --train gold.txt --out .",
        "adapt general-fast --train gold.txt --out .",
    ],
)
def test_a_folder_is_refused_before_the_work(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    (folder / "words.txt").write_text("云计算\t5\n", "utf-8")
    (folder / "gold.txt").write_text(TEXT, "utf-8")
    assert main(shlex.split(line)) == 2
    assert "out: . is a folder: name a file" in capsys.readouterr().err.replace("-o:", "out:")


def test_an_empty_name_is_not_the_current_folder(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "in.txt").write_text("他说的确实在理\n", "utf-8")
    assert main(["cut", "--user", "", "in.txt"]) == 2
    assert "an empty path: name a file or a folder" in capsys.readouterr().err


# --- the system's errors -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        ("cut file.txt/in.txt", 1, "file.txt/in.txt: Not a directory: a part of this path"),
        ("train hmm --train in.txt --out file.txt", 1, "file.txt: File exists, but not as a fol"),
        ("build lexicon . -o out.lex", 1, ".: Is a directory: name a file"),
        ("discover --min-count 1 file.txt", 2, "--min-count: 1 is not from 2"),
        ("subword train file.txt -o out --vocab-size -1", 2, "--vocab-size: -1 is less than 1"),
        ("cut -j -1 file.txt", 2, "--threads: -1 is not from 1"),
        (
            "build lexicon words.lex -o out",
            1,
            "words.lex: it is a compiled file, not a text; give i",
        ),
        (
            "build model words.lex -o out",
            1,
            "words.lex: it is a compiled file, not a text; give it",
        ),
        ("train hmm --train words.lex --out x", 1, "words.lex: it is a compiled file, not a text;"),
        ("adapt words.lex --train in.txt --out x", 2, "words.lex is a lexicon, not a tagger: give"),
        ("cut --encoding x file.txt", 2, "--encoding: 'x' is not known"),
    ],
)
def test_messages_name_options_and_remedies(
    line: str, code: int, reason: str, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for name in ("file.txt", "in.txt"):
        (folder / name).write_text("他 说\n", "utf-8")
    Lexicon.build([("他", 1.0, "")]).save(folder / "words.lex")
    ran = Ran(line, capfdbinary)
    assert ran.code == code
    assert reason in ran.err


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no /proc here")
@pytest.mark.parametrize("line", ["eval score", "cut --encoding gb18030", "cut --user"])
def test_an_error_while_reading_names_the_file(
    line: str, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (folder / "in.txt").write_text("他 说\n", "utf-8")
    ran = Ran(f"{line} /proc/self/mem in.txt", capfdbinary)  # whose first page is never mapped
    assert (ran.code, ran.out) == (1, "")
    assert re.search(r": /proc/self/mem: Input/output error$", ran.err.strip())


@needs_models
@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
@pytest.mark.parametrize("line", ["explain 他说", "words check words.tsv", "describe out.lex"])
def test_closed_standard_output_is_an_error(line: str, folder: Path) -> None:
    (folder / "words.tsv").write_text("的\n", "utf-8")  # which `words check` reports
    Lexicon.build([("他", 1.0, "")]).save(folder / "out.lex")
    got = subprocess.run(
        ["sh", "-c", f"exec '{sys.executable}' -m segmenter {line} >&-"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert got.returncode == 2
    assert b"there is no standard output" in got.stderr


@needs_models
@pytest.mark.skipif(os.name == "nt", reason="POSIX locales")
def test_a_text_of_the_command_line_in_the_c_locale() -> None:
    got = subprocess.run(
        [sys.executable, "-m", "segmenter", "explain", "--json", "他说"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONUTF8": "0"},
        check=True,
    )
    assert got.stdout.decode("utf-8").startswith('{"text": "他说", ')
