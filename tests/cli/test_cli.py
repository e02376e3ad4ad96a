"""The command line: what it prints, where errors go, exit codes."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

import segmenter
from segmenter import cli
from segmenter.choices import LATTICE
from segmenter.cli.parsers import COMMANDS as TABLE
from segmenter.cli.parsers import main_parser
from segmenter.lexicon import Lexicon
from segmenter.loading import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from segmenter.types import Tokens

WORDS = ["他", "说", "的", "的确", "确实", "实在", "在理", "理", "实", "在", "确"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two lexicons that presets look for, of eleven words each."""
    folder = tmp_path_factory.mktemp("data")
    entries = [(w, 10.0 if len(w) > 1 else 3.0, "x") for w in WORDS]
    bigrams = [("的", "确实", 5.0), ("<s>", "他", 3.0), ("确实", "在理", 2.0)]
    general = Lexicon.build(entries, bigrams=bigrams)
    general.save(folder / "general.lex")
    Lexicon.build([*entries, ("他说", 50.0, "")], bigrams=bigrams).save(folder / "pku.lex")
    return folder


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Run:
    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        self._monkeypatch = monkeypatch
        self._captured = capsysbinary

    def __call__(self, line: str, stdin: bytes | str = b"") -> Ran:
        """Runs a command line in this process."""
        raw = stdin.encode("utf-8") if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
        try:
            code = cli.main(shlex.split(line))
        except SystemExit as e:
            code = int(e.code or 0)
        got = self._captured.readouterr()
        return Ran(code, got.out.decode("utf-8"), got.err.decode("utf-8"))


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    data: Path,
    tmp_path: Path,
) -> Run:
    monkeypatch.setenv("SEGMENTER_DATA", str(data))
    monkeypatch.chdir(tmp_path)
    return Run(monkeypatch, capsysbinary)


def start(data: Path, *arguments: str, unbuffered: str = "") -> subprocess.Popen[bytes]:
    """Starts ``python -m segmenter`` in a process of its own."""
    root = os.path.dirname(os.path.dirname(segmenter.__file__))
    paths = [root, os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "SEGMENTER_DATA": str(data),
        "PYTHONUNBUFFERED": unbuffered,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "segmenter", *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


# --- cut -----------------------------------------------------------------------------------------


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


def test_bad_encodings(run: Run, tmp_path: Path) -> None:
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
def test_usage_errors(run: Run, line: str, part: str) -> None:
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
    shown = run(f"{command} --help").out.split("examples:\n")[1]
    examples = [line for line in shown.splitlines() if "segmenter " in line]
    assert examples
    for line in examples:
        words = shlex.split(line.split("segmenter ", 1)[1].split("  ")[0].split("<")[0])
        if words[:1] == ["COMMAND"]:
            continue
        words = words[: words.index("|")] if "|" in words else words
        assert main_parser().parse_args(words).command == words[0]


def test_version(run: Run) -> None:
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


# --- tokenize, explain ---------------------------------------------------------------------------


def test_tokenize(run: Run) -> None:
    got = run("tokenize --decoder unigram", "\ufeff他说\r\n\n在2026年\t\\")
    assert got.out.splitlines() == [
        "1\t0\t1\t他\tword\tlexicon\tx",
        "1\t1\t2\t说\tword\tlexicon\tx",
        "3\t0\t1\t在\tword\tlexicon\tx",
        "3\t1\t6\t2026年\tdate\trule\t",
        "3\t6\t7\t\\t\tspace\trule\t",
        "3\t7\t8\t\\\\\tpunct\tunknown\t",
    ]
    rows = [json.loads(line) for line in run("tokenize --json", "他说\n在2026年").out.splitlines()]
    assert [row["line"] for row in rows] == [1, 2]
    assert [t["text"] for t in rows[1]["tokens"]] == ["在", "2026年"]
    assert set(rows[0]["tokens"][0]) == {
        "text", "start", "end", "kind", "source", "tag", "score",
    }  # fmt: skip
    got = run("tokenize", b"a\n\xff")
    assert got.code == 1
    assert "standard input, line 2, byte offset 2" in got.err


def test_search_is_what_the_library_gives(run: Run, tmp_path: Path) -> None:
    from segmenter.search import SearchOptions, leaves, outermost

    lines = ["他说的确实在理，ＡＢ", "", "实在 在理"]
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "stop.txt").write_text("的\n\n 理 \n", "utf-8")
    segmenter = load(decoder="unigram")

    def rows(
        line: str, options: SearchOptions, form: Callable[[Tokens], Tokens], units: str
    ) -> list[list[object]]:
        mode = "search" if "--words" in line else "query" if "--query" in line else "index"
        got = []
        for row in run(f"search --decoder unigram {line} in.txt").out.splitlines():
            number, start, end, text, kind, source, tag, position, length = row.split("\t")
            got.append([
                int(number), int(start), int(end), text, kind, source, tag, int(position),
                int(length),
            ])  # fmt: skip
        assert got == [
            [
                number, t.start, t.end, t.text, t.kind, t.source.value, t.tag, t.position,
                t.position_length,
            ]
            for number, text in enumerate(lines, 1)
            for t in form(segmenter.tokenize(text, mode=mode, options=options)).in_units(units)
        ]  # fmt: skip
        return got

    plain = SearchOptions(drop=frozenset(("space", "newline", "punct")))
    index = rows("", plain, lambda tokens: tokens, "codepoints")
    assert {row[3] for row in index} >= {"他", "说", "的", "确实", "在理", "ＡＢ"}
    assert {row[3] for row in index} >= {"确", "实"}  # the characters of 确实
    rows("--query --units utf16", plain, lambda tokens: tokens, "utf16")
    rows("--phrase --units utf8", plain, leaves, "utf8")
    rows("--words", plain, lambda tokens: tokens, "codepoints")
    rows("--words --query --units utf16", plain, outermost, "utf16")
    rows("--words --phrase", plain, leaves, "codepoints")
    more = SearchOptions(
        single=True, ngrams=2, stop=frozenset(("的", "理", "实")), drop=frozenset(("space",))
    )
    rows(
        "--words --single --grams 2 --stop 的,实 --stop-file stop.txt --drop space",
        more, lambda tokens: tokens, "codepoints",
    )  # fmt: skip
    everything = rows("--drop none", SearchOptions(), lambda tokens: tokens, "codepoints")
    assert {"space", "，"} <= {str(cell) for row in everything for cell in row}


def test_search_forms(run: Run) -> None:
    command = "search --decoder unigram"
    assert run(f"{command} --query --sep /", "他说，ＡＢ").out == "他/说/ＡＢ\n"
    assert run(f"{command} --query --sep / --fold", "他说，ＡＢ").out == "他/说/ab\n"
    assert run(f"{command} --sep /", "确实").out == "确实/确/实\n"
    assert run(f"{command} --words --sep /", "确实").out == "确实\n"
    assert run(f"{command} --sep / --runs split", "ＡＢ").out == "ＡＢ/Ａ/Ｂ\n"
    assert run(f"{command} --phrase --sep / --script", "說學").out == "说/学\n"
    answer = json.loads(run(f"{command} --json --fold", "他\nＢ\n").out.splitlines()[1])
    assert answer == {
        "line": 2,
        "tokens": [
            {
                "text": "b", "start": 0, "end": 1, "kind": "latin", "source": "rule", "tag": "",
                "score": None, "position": 0, "position_length": 1,
            }
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("search --min-length 1", "--min-length: 1 is less than 2"),
        ("search --grams 1", "--grams: 1 is less than 2"),
        ("search --drop words", "--drop: 'words' is not one of"),
        ("search --query --phrase", "not allowed with"),
        ("bench --what quick", "--what: 'quick' is not one of"),
        ("bench --what ,", "--what: it names nothing"),
        ("bench --size 0", "--size: 0 megabytes"),
        ("bench --rounds 0", "--rounds: 0 is less than 1"),
        ("bench -j -1", "-j: -1 is less than 0"),
        ("bench --what unigram", "standard input: there is no text in it"),
    ],
)
def test_search_and_bench_refuse(run: Run, line: str, part: str) -> None:
    got = run(line)
    assert (got.code, got.out) == (2, "")
    assert part in got.err


def test_bench_times_what_it_is_told(run: Run, tmp_path: Path, data: Path) -> None:
    (tmp_path / "in.txt").write_text("他说的确实在理\n" * 40, "utf-8")
    own = data / "pku.lex"
    line = f"bench --what unigram,forward-max --model {own} --rounds 1 -j 2 --no-peers in.txt"
    got = run(f"{line} --json")
    assert (got.code, got.err) == (0, "")
    report = json.loads(got.out)
    assert (report["lines"], report["bytes"], report["shortened"]) == (40, 40 * 22, False)
    assert report["machine"]["cores"] >= 1
    assert [(f["system"], f["form"]) for f in report["figures"]] == [
        (system, form)
        for form in ("bytes, 2 threads", "lists", "ends", "bytes")
        for system in ("unigram", "forward-max", "pku.lex")
    ]
    for figure in report["figures"]:
        assert figure["seconds"] > 0
        assert figure["mb_per_s"] == pytest.approx(40 * 21 / figure["seconds"] / 1e6)
    rows = [row.split("\t") for row in run(f"{line} --tsv").out.splitlines()]
    assert len(rows) == 1 + len(report["figures"])
    table = run(f"{line} --size 0.0002").out
    assert table.startswith("in.txt: 10 lines, 0.00 MB of UTF-8, its beginning\n")
    titles = next(row for row in table.splitlines() if "lists" in row)
    assert titles.split("  ")[-1].strip() == "bytes, 2 threads"
    assert next(row for row in table.splitlines() if row.startswith("unigram"))


def test_bench_with_a_peer(run: Run) -> None:
    pytest.importorskip("rjieba", reason="the package rjieba is not installed")
    got = run("bench --what unigram --rounds 1 -j 1 --tsv", "他说的确实在理\n")
    assert "\nrjieba\tlists\t" in got.out
    table = run("bench --what unigram --rounds 1 -j 1", "他说的确实在理\n").out
    assert "lines as rjieba" in table
    assert table.splitlines()[0].startswith("standard input: 1 lines")


def test_bench_times_nothing_where_forms_disagree(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from segmenter.train import bench

    monkeypatch.setattr(bench, "same_output", lambda *_: ([], ["unigram: ends part from cut"]))
    got = run("bench --what unigram --no-peers", "他说")
    assert (got.code, got.out) == (1, "")
    assert "unigram: ends part from cut" in got.err


def test_explain(run: Run) -> None:
    got = run("explain --decoder unigram 他说的确实在理 --best 2")
    lines = got.out.splitlines()
    assert len(lines) == 5 + 2
    assert "确实" in lines[3]
    assert "over " in lines[3]
    assert lines[5].endswith("他/说/的/确实/在理")
    assert run("explain 他 说").out.count("\n") == 2
    got = run("explain 他 --best 0")
    assert (got.code, "n: 0" in got.err) == (2, True)


# --- build, describe -----------------------------------------------------------------------------


def test_build_and_describe(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("北京\t5\tns\n北\t1\n京\t1\n<num>\t9\n", "utf-8")
    (tmp_path / "b.txt").write_text("北京 2 ns\n大学 3 n\n", "utf-8")
    (tmp_path / "two.tsv").write_text("北京\t大学\t3\n", "utf-8")
    got = run("build lexicon a.tsv b.txt --bigrams two.tsv --kinds date=4 --unknown 0.5 -o my.lex")
    assert (got.code, got.out) == (0, "")
    assert "a.tsv: 4 lines read as tsv, 4 rows taken" in got.err
    assert "b.txt: 2 lines read as jieba, 2 rows taken" in got.err
    lexicon = Lexicon.open(tmp_path / "my.lex")
    assert lexicon.count("北京") == 7
    assert lexicon.meta["unknown"] == 0.5
    assert [s["name"] for s in lexicon.meta["sources"]] == ["a.tsv", "b.txt", "two.tsv"]
    assert run("cut --model my.lex --decoder bigram", "北京大学").out == "北京 大学"
    first = (tmp_path / "my.lex").read_bytes()
    run("build lexicon a.tsv b.txt --bigrams two.tsv --kinds date=4 --unknown 0.5 -o my.lex")
    assert (tmp_path / "my.lex").read_bytes() == first
    got = run("describe my.lex")
    assert got.out.startswith("my.lex: lexicon, format 1")
    assert lexicon.digest in got.out


def test_build_with_marisa(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("北京\t5\tns\n大学\t3\tn\n北京大学\t2\tnt\n", "utf-8")
    got = run("build lexicon a.tsv --matcher marisa -o big.lex")
    assert got.code == 0
    assert "3 words" in got.err
    assert "leave --matcher marisa out" in got.err
    assert run("cut --model big.lex", "北京大學在北京\n").out == "北京大學 在 北京\n"
    got = run("cut --model big.lex --matcher double-array", "a\n")
    assert (got.code, "needs a double array" in got.err) == (2, True)


def test_build_faults(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("北京\tfive\n大学\t2\n大学\t3\n", "utf-8")
    got = run("build lexicon a.tsv -o my.lex")
    assert got.code == 1
    assert "a.tsv, line 1: the count 'five'" in got.err
    assert not (tmp_path / "my.lex").exists()
    got = run("build lexicon a.tsv -o my.lex --errors warn")
    assert got.code == 0
    assert "a.tsv, line 3: '大学' stands in line 2 already" in got.err
    assert "2 lines left out (count 1, duplicate 1)" in got.err
    got = run("build lexicon a.tsv -o my.lex --errors skip")
    assert "line 3" not in got.err
    assert "2 lines left out (count 1, duplicate 1)" in got.err
    assert Lexicon.open(tmp_path / "my.lex").words() == ["大学"]
    (tmp_path / "empty.tsv").write_text("\n", "utf-8")
    got = run("build lexicon empty.tsv -o my.lex")
    assert (got.code, "no words in empty.tsv" in got.err) == (2, True)
    got = run("build lexicon a.tsv --errors skip --kinds num -o my.lex")
    assert (got.code, "--kinds: 'num'" in got.err) == (2, True)
    got = run("build lexicon a.tsv --errors skip --kinds foo=1 -o my.lex")
    assert (got.code, "'<foo>'" in got.err) == (2, True)
    (tmp_path / "three.tsv").write_text("大学\t大学\t大学\t1\n", "utf-8")
    got = run("build lexicon a.tsv --errors skip --trigrams three.tsv -o my.lex")
    assert (got.code, "--bigrams" in got.err) == (2, True)
    assert run("build lexicon none.tsv -o my.lex").code == 1


def test_describe_refuses_what_is_not_ours(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.lex").write_text("hello", "utf-8")
    got = run("describe a.lex")
    assert (got.code, got.out) == (1, "")
    assert "a.lex" in got.err
    got = run("describe none.lex")
    assert (got.code, "none.lex: no such file" in got.err) == (1, True)


# --- eval ----------------------------------------------------------------------------------------


def test_eval_score(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("他 说 的 确实 在理\n", "utf-8")
    (tmp_path / "test.txt").write_text("他 说 的确 实在 理\n", "utf-8")
    (tmp_path / "words.txt").write_text("他\n说\n", "utf-8")
    got = run("eval score gold.txt test.txt --words words.txt")
    assert got.code == 0
    assert "=== TOTAL TRUE WORDS RECALL:\t0.400" in got.out
    assert "=== OOV Rate:\t0.600" in got.out
    (tmp_path / "other.txt").write_text("你 说\n", "utf-8")
    got = run("eval score gold.txt other.txt")
    assert got.code == 1
    assert "other.txt, line 1" in got.err
    assert run("eval score gold.txt none.txt").code == 1


def test_eval_bakeoff(run: Run, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bakeoff"
    folder.mkdir()
    (folder / "pku_test_gold.utf8").write_text("他 说 的 确实 在理\n", "utf-8")
    (folder / "pku_training.utf8").write_text("他 说 的\n确实 在理\n", "utf-8")
    (folder / "msr_test_gold.utf8").write_text("他 说\n", "utf-8")
    got = run("eval bakeoff bakeoff --decoder unigram -o table")
    assert got.code == 0
    assert "| pku | training file only, unigram |" in got.out
    assert "| msr | shipped, unigram |" in got.out
    assert "saved table.md and table.json" in got.err
    rows = json.loads((tmp_path / "table.json").read_text("utf-8"))["results"]
    assert [(r["corpus"], r["true_words"]) for r in rows] == [("msr", 2), ("pku", 5), ("pku", 5)]
    before = sorted(os.listdir(tmp_path))
    got = run(f"eval bakeoff bakeoff --only msr --dry --model {data / 'pku.lex'}")
    assert "pku.lex, bigram" in got.out
    assert "pku |" not in got.out
    assert sorted(os.listdir(tmp_path)) == before
    got = run("eval bakeoff nowhere --dry")
    assert (got.code, "nowhere: no such folder" in got.err) == (1, True)


# --- the process ---------------------------------------------------------------------------------


def test_cut_starts_light(data: Path) -> None:
    code = (
        "import sys, io; from segmenter import cli; cli.main(['cut', '--quiet']); "
        "print(sorted({'numpy', 'json', 'dataclasses', 'tqdm', 'inspect'} & set(sys.modules)))"
    )
    got = subprocess.run(
        [sys.executable, "-c", code],
        input="他说".encode(),
        capture_output=True,
        check=True,
        cwd=os.path.dirname(os.path.dirname(segmenter.__file__)),
        env={**os.environ, "SEGMENTER_DATA": str(data)},
    )
    assert got.stdout.decode() == "他 说[]\n"


def test_a_command_imports_its_own_module_only() -> None:
    root = os.path.dirname(os.path.dirname(segmenter.__file__))
    code = (
        "import sys; from segmenter import cli\n"
        "def loaded(): return {n for n, _ in TABLE if f'segmenter.cli.{n}' in sys.modules}\n"
        "from segmenter.cli.parsers import COMMANDS as TABLE, main_parser\n"
        "main_parser().format_help(); assert not loaded(), loaded()\n"
        "main_parser().parse_args(['cut']); assert loaded() == {'cut'}, loaded()\n"
    )
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=root)
    assert (got.returncode, got.stderr) == (0, b"")
    there = {f.removesuffix(".py") for f in os.listdir(os.path.dirname(cli.__file__))}
    assert {name for name, _ in TABLE} <= there


def test_lines_come_as_they_are_typed(data: Path) -> None:
    with start(data, "cut") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in ("他说\n", "的确\n"):
            process.stdin.write(line.encode())
            process.stdin.flush()
            # would wait for ever if output were held back until the input ends
            assert process.stdout.readline().decode().replace(" ", "") == line
        process.stdin.write("在理".encode())
        out, err = process.communicate(timeout=60)
    assert (out.decode(), err) == ("在理", b"")
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
def test_a_reader_that_goes_away(data: Path, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("他说的确实在理\n" * 100_000, "utf-8")
    for command, unbuffered in (("cut", ""), ("cut", "1"), ("tokenize", "")):
        with start(data, command, str(source), unbuffered=unbuffered) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline()
            process.stdout.close()
            assert process.wait(timeout=60) == 141
            assert process.stderr.read() == b""


def test_all_is_written_where_python_does_not_buffer(data: Path, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("他说\n" * 100_000, "utf-8")
    with start(data, "cut", str(source), unbuffered="1") as process:
        out, _ = process.communicate(timeout=60)
    assert out.decode() == "他 说\n" * 100_000


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send there")
def test_control_c_leaves_nothing_half(data: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old", "utf-8")
    with start(data, "cut", "-o", str(target)) as process:
        assert process.stdin is not None
        process.stdin.write("他说\n".encode())
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not [f for f in tmp_path.iterdir() if f.stat().st_size and f != target]:
            assert time.monotonic() < deadline, "the temporary file never got its first line"
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert target.read_text("utf-8") == "old"
    assert os.listdir(tmp_path) == ["out.txt"]
