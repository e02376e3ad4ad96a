"""``segmenter subword train|encode|decode``."""

from __future__ import annotations

import io
import shlex
from typing import TYPE_CHECKING, NamedTuple

import pytest

from segmenter import cli, subword
from segmenter.errors import ResourceError
from segmenter.files import resources

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., "Ran"]

TEXT = "他说的确实在理\n中国的大学说中文 hello\r\n\n大学在中国" * 4


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_bytes(TEXT.encode())

    def runs(line: str, stdin: str = "") -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        try:
            code = cli.main(shlex.split(line))
        except SystemExit as e:
            code = int(e.code or 0)
        printed, err = capsysbinary.readouterr()
        return Ran(code, printed.decode(), err.decode())

    return runs


@pytest.mark.parametrize("options", ["", "--algorithm unigram"])
def test_train_encode_decode(run: Run, tmp_path: Path, options: str) -> None:
    got = run(f"subword train text.txt -o my.model --vocab-size 300 --no-words {options}")
    assert (got.code, got.out) == (0, "")
    assert "my.model: <" in got.err
    tokenizer = subword.load(tmp_path / "my.model")
    assert tokenizer.vocab_size <= 300
    ids = run("subword encode --vocabulary my.model text.txt -o ids.txt")
    assert ids.code == 0
    lines = (tmp_path / "ids.txt").read_text("utf-8").split("\n")
    first = TEXT.split("\n")[0]
    assert lines[0] == " ".join(map(str, tokenizer.encode(first).ids))
    back = run("subword decode --vocabulary my.model ids.txt")
    assert back.out == TEXT.replace("\r\n", "\n") + "\n"
    pieces = run("subword encode --vocabulary my.model --pieces -", first)
    assert pieces.out.split() == tokenizer.encode(first).tokens


def test_words_of_a_segmenter(run: Run, tmp_path: Path) -> None:
    try:
        resources.find("general.lex")
    except ResourceError:
        pytest.skip("models/general.lex is not built here")
    got = run("subword train text.txt -o my.model --vocab-size 300 --words 3 --special '<s>'")
    assert got.code == 0, got.err
    trained = subword.load(tmp_path / "my.model")
    assert trained.encode("中国的大学").tokens == ["中国", "的", "大学"]
    text = run("subword encode --vocabulary my.model --special -", "<s>在理")
    assert text.out.split()[0] == str(trained.id_of("<s>"))
    plain = run("subword encode --vocabulary my.model -", "<s>在理")
    assert plain.out.split()[0] == str(trained.id_of("<0x3C>"))


def test_show_prints_pieces_with_numbers(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("subword train text.txt -o my.model --vocab-size 300 --no-words")
    got = run("subword encode --vocabulary my.model --show -", "大学€")
    words = got.out.split()
    assert words[0].startswith("大学·")
    assert words[1] == rf"\xe2·{0xE2}"
    assert "\x1b" not in got.out


def test_faults_are_named(run: Run) -> None:
    run("subword train text.txt -o my.model --vocab-size 300 --no-words")
    for line, stdin, code, message in (
        ("subword train text.txt --no-words", "", 2, "-o: name the file"),
        ("subword train text.txt -o a.model --no-words --vocab-size 9", "", 2, "--vocab-size: 9"),
        ("subword train none.txt -o a.model --no-words", "", 1, "none.txt"),
        ("subword decode --vocabulary my.model -", "1\nx", 1, "standard input, line 2"),
        ("subword decode --vocabulary my.model -", "99999", 2, "id 99999"),
        ("subword encode --vocabulary text.txt -", "a", 1, "not an artifact"),
    ):
        got = run(line, stdin)
        assert got.code == code, got
        assert message in got.err
