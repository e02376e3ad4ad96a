"""The script that gives words times runs, on what whisper writes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from places import ROOT

import segmenter
from segmenter.errors import ResourceError

if TYPE_CHECKING:
    from pathlib import Path

HERE = ROOT / "examples" / "subtitles"


def pieces(*rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    names = ("word", "start", "end", "probability")
    return [dict(zip(names, row, strict=False)) for row in rows]


def run(folder: Path, transcript: object, *options: str) -> subprocess.CompletedProcess[str]:
    try:
        segmenter.load()
    except ResourceError as error:
        pytest.skip(str(error))
    (folder / "talk.json").write_text(json.dumps(transcript), "utf-8")
    command = [sys.executable, str(HERE / "word_times.py"), "talk.json", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_words_have_times(tmp_path: Path) -> None:
    first = pieces(
        ("他", 0.0, 0.2, 0.9), ("说", 0.2, 0.4, 0.8), ("的", 0.4, 0.5, 0.7), ("确", 0.6, 0.8, 0.6),
        ("实在", 0.8, 1.2, 0.5), ("理", 1.2, 1.5, 0.4), ("，", 1.5, 1.5, 0.3),
    )  # fmt: skip
    second = pieces((" 云计算", 2.0, 2.8), ("改", 2.8, 3.0), ("变", 3.1, 3.3), ("", 3.3, 3.4))
    second.append({"word": "了"})  # without times
    text = {"text": "他说的确实在理， 云计算改变了", "language": "zh"}
    transcript = {
        **text,
        "segments": [{"id": 0, "words": first, "temperature": 0.0}, {"id": 1, "words": second}],
    }
    result = run(tmp_path, transcript, "--preset", "fast")
    assert result.returncode == 0, result.stderr
    got = json.loads(result.stdout)
    assert got == {
        **text,
        "segments": [
            {
                "id": 0,
                "words": pieces(
                    ("他", 0.0, 0.2, 0.9), ("说", 0.2, 0.4, 0.8), ("的", 0.4, 0.5, 0.7),
                    ("确实", 0.6, 1.0, 0.5), ("在理", 1.0, 1.5, 0.4), ("，", 1.5, 1.5, 0.3),
                ),
                "temperature": 0.0,
            },
            {"id": 1, "words": pieces(("云计算", 2.2, 2.8), ("改变", 2.8, 3.3))},
        ],
    }  # fmt: skip


def test_words_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("的确实\tforce\n", "utf-8")
    transcript = {"segments": [{"words": pieces(("他说的确实在理", 0.0, 7.0))}]}
    result = run(tmp_path, transcript, "--user", "names.txt")
    words = json.loads(result.stdout)["segments"][0]["words"]
    assert [(w["word"], w["start"], w["end"]) for w in words][2] == ("的确实", 2.0, 5.0)


def test_a_file_without_times_says_what_to_do(tmp_path: Path) -> None:
    result = run(tmp_path, {"segments": [{"text": "他说"}]})
    assert result.returncode == 2
    assert "segment 0 has no times of words: give whisper --word_timestamps True" in result.stderr
