"""The plug-ins of Neovim and Emacs in the real programs: their words are those of tokenize()."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from places import ROOT

import segmenter
from segmenter import capi
from segmenter.errors import ResourceError

if TYPE_CHECKING:
    from pathlib import Path

HERE = ROOT / "examples" / "editors"
LINES = [
    "他说的确实在理，iPhone 15。", "", "  云计算 改变了T恤", "𠮷林省👍完é", "",
    "在2026年，中华人民共和国（https://a.b/c）成立\t", "\u3000\u3000我们都同意这个看法",
]  # fmt: skip


def tool(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    return program


def run(*command: str, folder: Path) -> str:
    result = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, cwd=folder,
        check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr + result.stdout
    return result.stdout + result.stderr


# --- Neovim --------------------------------------------------------------------------------------

SETUP = """
vim.opt.runtimepath:append(%s)
require("segmenter").setup({ python = %s })
local given = vim.fn.json_decode(vim.fn.readfile("given.json"))
local answers = {}
for _, row in ipairs(given) do
  local lines, at, keys, times = unpack(row)
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.api.nvim_win_set_cursor(0, at)
  local places = {}
  for _ = 1, times do
    local typed = vim.api.nvim_replace_termcodes(keys, true, false, true)
    vim.api.nvim_feedkeys(typed, row[5] or "xm", false)
    table.insert(places, vim.api.nvim_win_get_cursor(0))
  end
  table.insert(answers, { vim.api.nvim_buf_get_lines(0, 0, -1, false), places })
end
vim.fn.writefile({ vim.fn.json_encode(answers) }, "answers.json")
"""


def neovim(rows: list[list[Any]], folder: Path) -> list[tuple[list[str], list[list[int]]]]:
    """What rows of lines, cursor, keys and how often they are typed give: lines, cursors."""
    try:
        capi.library()
        segmenter.load("fast")
    except ResourceError as error:
        pytest.skip(str(error))
    program = tool("nvim")
    (folder / "given.json").write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    setup = SETUP % (json.dumps(str(HERE)), json.dumps(sys.executable))
    (folder / "run.lua").write_text(setup, "utf-8")
    commands = ("set encoding=utf-8", "luafile run.lua", "qa!")
    options = [part for command in commands for part in ("-c", command)]
    said = run(program, "--clean", "--headless", *options, folder=folder)
    assert (folder / "answers.json").exists(), said
    answers: list[tuple[list[str], list[list[int]]]]
    answers = json.loads((folder / "answers.json").read_text("utf-8"))
    return answers


def starts() -> list[list[int]]:
    """Where `w` stops in LINES: words, and empty lines; the last character."""
    s = segmenter.load("fast")
    offsets = []
    for row, line in enumerate(LINES, 1):
        tokens = s.tokenize(line, units="utf8")
        offsets += [[row, t.start] for t in tokens if t.kind != "space"] if line else [[row, 0]]
    return offsets


def last_bytes() -> list[list[int]]:
    """Where `e` stops: the last characters of words."""
    s, offsets = segmenter.load("fast"), []
    for row, line in enumerate(LINES, 1):
        words = [t for t in s.tokenize(line, units="utf8") if t.kind != "space"]
        offsets += [[row, t.end - len(t.text[-1].encode())] for t in words]
    return offsets


def test_words_of_neovim(tmp_path: Path) -> None:
    first, last = starts(), last_bytes()
    end = [len(LINES), len(LINES[-1].encode()) - 3]
    forward, back, ends, twos = neovim(
        [
            [LINES, [1, 0], "w", len(first)],
            [LINES, end, "b", len(first)],
            [LINES, [1, 0], "e", len(last)],
            [LINES, [1, 0], "2w", len(first) // 2],
        ],
        tmp_path,
    )
    assert forward[1] == [*first[1:], end]
    assert back[1] == first[::-1]
    assert ends[1] == [*last[1:], end]
    assert twos[1] == [*first[1:], end][1::2]


#: Keys, the byte of the first line that they are typed at, and what becomes of the line.
EDITS = [
    ("dw", 3, "他的确实在理，iPhone 15。"),
    ("d2w", 0, "的确实在理，iPhone 15。"),
    ("dw", 15, "他说的确实，iPhone 15。"),
    ("dw", 24, "他说的确实在理，15。"),
    ("dw", 33, "他说的确实在理，iPhone 15"),
    ("db", 15, "他说的在理，iPhone 15。"),
    ("de", 9, "他说的在理，iPhone 15。"),
    ("diw", 12, "他说的在理，iPhone 15。"),
    ("viwd", 12, "他说的在理，iPhone 15。"),
    ("vwd", 0, "的确实在理，iPhone 15。"),
    ("vbd", 12, "他说的在理，iPhone 15。"),
    ("cwX<Esc>", 9, "他说的X在理，iPhone 15。"),
    ("cwX<Esc>", 24, "他说的确实在理，X 15。"),
    ("ciwX<Esc>", 12, "他说的X在理，iPhone 15。"),
    ("ywP", 9, "他说的确实确实在理，iPhone 15。"),
    ("dw.", 9, "他说的，iPhone 15。"),
]


def test_operators_of_neovim(tmp_path: Path) -> None:
    answers = neovim([[LINES, [1, cursor], keys, 1] for keys, cursor, _ in EDITS], tmp_path)
    for (keys, cursor, line), (lines, _) in zip(EDITS, answers, strict=True):
        assert lines == [line, *LINES[1:]], (keys, cursor)


def test_neovim_moves_in_english_as_it_does_itself(tmp_path: Path) -> None:
    pick = random.Random(20261128)
    rows: list[list[Any]] = []
    for _ in range(40):
        lines = [
            " ".join(pick.choices(["one", "two", "x", " ", "three"], k=pick.randrange(5)))
            for _ in range(pick.randrange(1, 5))
        ]
        row = pick.randrange(len(lines))
        cursor = [row + 1, pick.randrange(max(len(lines[row]), 1))]
        keys = pick.choice(["w", "b", "e", "2w", "3b", "2e", "dw", "db", "de", "cwX<Esc>", "d2w"])
        rows += [[lines, cursor, keys, 1, "xm"], [lines, cursor, keys, 1, "xn"]]
    answers = neovim(rows, tmp_path)
    for request, ours, moves in zip(rows[::2], answers[::2], answers[1::2], strict=True):
        assert ours == moves, request


# --- Emacs ---------------------------------------------------------------------------------------

EMACS = r"""
(load %s nil t)
(setq segmenter-command (append '(%s "-m" "segmenter") (cdr segmenter-command)))
(let ((coding-system-for-read 'utf-8-unix)) (find-file "text"))
(segmenter-mode 1)
(let ((said '()) (places '()))
  (while (and (forward-word) (not (eobp))) (push (1- (point)) places))
  (push (nreverse places) said)
  (setq places '())
  (goto-char (point-max))
  (while (backward-word) (push (1- (point)) places))
  (push (nreverse places) said)
  (goto-char 5)
  (push (thing-at-point 'word) said)
  (goto-char 4)
  (kill-word 1)
  (backward-kill-word 1)
  (push (buffer-substring 1 (line-end-position)) said)
  (segmenter-mode -1)
  (push (and (local-variable-p 'find-word-boundary-function-table) t) said)
  (princ (json-encode (vconcat (nreverse said)))))
"""


def emacs(text: str, folder: Path) -> list[Any]:
    try:
        segmenter.load("fast")
    except ResourceError as error:
        pytest.skip(str(error))
    program = tool("emacs")
    (folder / "text").write_text(text, "utf-8")
    file, python = json.dumps(str(HERE / "segmenter.el")), json.dumps(sys.executable)
    (folder / "run.el").write_text(EMACS % (file, python), "utf-8")
    said = run(program, "-Q", "--batch", "-l", "run.el", folder=folder)
    answers: list[Any] = json.loads(said.splitlines()[-1])
    return answers


def test_words_of_emacs(tmp_path: Path) -> None:
    # lines of Han words and punctuation: what else is a word to Emacs, Emacs itself decides
    lines = ["他说的确实在理，我们都同意。", "", "  云计算 改变了一切", "𠮷林省（完）"]
    text = "\n".join(lines)
    s = segmenter.load("fast")
    tokens = [t for t in s.tokenize(text) if t.kind == "word"]
    forward, back, word, line, still = emacs(text, tmp_path)
    assert forward == [t.end for t in tokens]
    assert back == [t.start for t in reversed(tokens)]
    assert word == "确实"
    assert line == "他说在理，我们都同意。"
    assert not still
