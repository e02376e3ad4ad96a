"""The command line: `segmenter cut`, where errors go, exit codes, help."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import pytest

import segmenter
from segmenter.choices import LATTICE
from segmenter.cli.parsers import main_parser
from segmenter.lexicon import Lexicon
from segmenter.loading import load

if TYPE_CHECKING:
    from pathlib import Path

    from runs import Run


def test_cut_is_a_filter(run: Run) -> None:
    assert run("cut", "他说的确实在理\n\n他") == (0, "他 说 的 确实 在理\n\n他", "")
    assert run("cut - --sep /", "的确\r\n").out == "的确\r\n"
    assert run(r"cut --sep '\t'", "他说").out == "他\t说"


def test_cut_options_reach_the_segmenter(run: Run, data: Path) -> None:
    text = "他说的确实在理"
    assert run("cut --sep / --decoder forward-max", text).out == "他/说/的确/实在/理"
    assert run("cut --sep / --standard pku --decoder unigram", text).out.startswith("他说/")
    assert run(f"cut --sep / --model {data / 'pku.lex'}", text).out.startswith("他说/")
    assert run("cut --sep / --decoder unigram --oov keep", "魑魅他").out == "魑魅/他"
    assert run("cut --sep / --decoder unigram --oov chars", "魑魅他").out == "魑/魅/他"
    assert run("cut --sep / --skip space,punct", "他 说，\n").out == "他/说\n"
    assert run("cut --sep / -j 2", f"{text}\n" * 3).out == "他/说/的/确实/在理\n" * 3
    assert run("cut --sep / -j 0", text).out == "他/说/的/确实/在理"


def test_cut_gives_what_the_library_gives(run: Run, data: Path, tmp_path: Path) -> None:
    lines = ["他说的确实在理", "", "　在理，abc 123", "确" * 50]
    (tmp_path / "in.txt").write_text("\n".join(lines), "utf-8")
    for decoder in LATTICE:
        if decoder == "trigram":
            continue
        s = load("fast", decoder=decoder)
        got = run(f"cut in.txt --sep ␟ --decoder {decoder}")
        assert got.out.split("\n") == ["␟".join(s.cut(line)) for line in lines]


def test_several_files_are_one_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("他说".encode())
    (tmp_path / "b.txt").write_bytes(b"")
    (tmp_path / "c.txt").write_bytes("\ufeff的确\n".encode())
    assert run("cut a.txt b.txt - c.txt", "在理").out == "他 说\n在理\n的确\n"
    got = run("cut -v a.txt c.txt -o out.txt")
    assert (got.code, got.out) == (0, "")
    assert "a.txt: 1 lines" in got.err
    assert (tmp_path / "out.txt").read_text("utf-8") == "他 说\n的确\n"


def test_several_files_are_one_text_on_standard_output(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes("他说".encode())
    assert run("tokenize a b").out.count("\n") == 4


def test_missing_files_are_found_before_anything_is_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("他", "utf-8")
    got = run("cut a.txt none.txt")
    assert (got.code, got.out) == (1, "")
    assert got.err.startswith("segmenter cut: none.txt: ")
    got = run("cut a.txt . -o out.txt")
    assert got.code == 1
    assert ".: is a folder" in got.err
    assert run("cut a.txt -o no/out.txt").err.startswith("segmenter cut: no/out.txt: ")
    assert sorted(os.listdir(tmp_path)) == ["a.txt"]


def test_the_input_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("他说", "utf-8")
    (tmp_path / "b.txt").write_text("的", "utf-8")
    got = run("cut b.txt a.txt -o a.txt")
    assert got.code == 2
    assert "-o: a.txt is also read" in got.err
    assert (tmp_path / "a.txt").read_text("utf-8") == "他说"


def test_a_wrong_encoding_is_named_with_its_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("他\n".encode() + "说的".encode("gb18030"))
    got = run("cut a.txt -o out.txt")
    assert got.code == 1
    assert "a.txt, line 2, byte offset 6" in got.err
    assert "--encoding gb18030, or --errors replace" in got.err
    assert not (tmp_path / "out.txt").exists()
    got = run("cut a.txt --errors replace")
    assert (got.code, got.out.count("\ufffd"), got.out[:2]) == (0, 2, "他\n")
    assert run("cut --encoding gb18030", "说的\n".encode("gb18030")).out == "说 的\n"
    got = run("cut --encoding klingon", "他")
    assert (got.code, got.out) == (2, "")
    assert "'klingon' is not known" in got.err


def test_damaged_and_missing_lexicons(run: Run, data: Path, tmp_path: Path) -> None:
    raw = bytearray((data / "general.lex").read_bytes())
    raw[len(raw) // 2] ^= 1
    (tmp_path / "bad.lex").write_bytes(raw)
    got = run("cut --model bad.lex", "他")
    assert (got.code, got.out) == (1, "")
    assert "bad.lex" in got.err
    assert "segmenter build lexicon" in got.err
    got = run("cut --model none.lex", "他")
    assert (got.code, got.out) == (1, "")
    assert "none.lex: no such lexicon or model" in got.err


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("", "COMMAND"),
        ("cut --decoder magic", "magic"),
        ("cut --skip words", "'words' is not one of space, punct"),
        ("cut --standard klingon", "klingon"),
        ("cut --preset fast --model x.lex", "not allowed with"),
        ("cut --threads x", "invalid int"),
        ("cut -j 1000", "threads: 1000"),
        ("cut --sep '\n'", "sep"),
        ("cut --enc utf-8", "unrecognized arguments"),
        ("tokenize --json --tsv", "not allowed with"),
        ("explain", "TEXT"),
        ("build", "WHAT"),
        ("build lexicon", "WORDS"),
        ("build lexicon a.txt", "-o"),
        ("eval score a.txt", "TEST"),
        ("fly", "fly"),
    ],
)
def test_wrong_usage_is_explained(run: Run, line: str, part: str) -> None:
    got = run(line)
    assert (got.code, got.out) == (2, "")
    assert part in got.err


def test_a_lexicon_is_a_standard_of_its_own(run: Run, data: Path) -> None:
    got = run(f"cut --standard pku --model {data / 'general.lex'}", "他")
    assert (got.code, got.out, "--standard" in got.err) == (2, "", True)


def test_decoder_without_its_counts(run: Run, data: Path, tmp_path: Path) -> None:
    Lexicon.build([("他", 1.0, "")]).save(tmp_path / "plain.lex")
    got = run("cut --model plain.lex --decoder bigram", "他")
    assert got.code == 2
    assert "--bigrams" in got.err
    assert "--decoder unigram" in got.err


COMMANDS = [
    "", "cut", "tokenize", "search", "tag", "train", "train pos", "explain", "build",
    "build lexicon", "describe", "eval", "eval bakeoff", "eval score", "bench",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_help_with_examples(run: Run, command: str) -> None:
    got = run(f"{command} --help")
    assert (got.code, got.err) == (0, "")
    assert "examples:\n  " in got.out


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_parse(run: Run, command: str) -> None:
    help_text = run(f"{command} --help").out.split("examples:\n")[1]
    examples = [line for line in help_text.splitlines() if "segmenter " in line]
    assert examples
    for line in examples:
        words = shlex.split(line.split("segmenter ", 1)[1].split("  ")[0].split("<")[0])
        if words[:1] == ["COMMAND"]:
            continue
        words = words[: words.index("|")] if "|" in words else words
        assert main_parser().parse_args(words).command == words[0]


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version") == (0, f"segmenter-zh {segmenter.__version__}\n", "")


@pytest.mark.parametrize("corpus", ["pku", "msr"])
def test_cut_over_a_whole_test_file(run: Run, corpus: str) -> None:
    """The bakeoff's test files, which lie beside the checkout, by the shipped lexicon if it is."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(segmenter.__file__)))
    path = os.path.join(root, "..", "shared", "data", "sighan2005", f"{corpus}_test.utf8")
    if not os.path.exists(path):
        pytest.skip("the bakeoff's files are not in ../shared/data")
    models = os.path.join(root, "models", "general.lex")
    model = f"--model {models} --decoder bigram" if os.path.exists(models) else ""
    s = load(models, decoder="bigram") if model else load()
    with open(path, "rb") as file:
        lines = file.read().decode("utf-8-sig").split("\n")
    for threads in (1, 2):
        got = run(f"cut {shlex.quote(path)} {model} --sep ␟ -j {threads}").out.split("\n")
        assert len(got) == len(lines)
        for line, cut in zip(lines, got, strict=True):
            end = "\r" if line.endswith("\r") else ""
            assert cut == "␟".join(s.cut(line.removesuffix("\r"))) + end
            assert cut.replace("␟", "") == line.replace("␟", "")
