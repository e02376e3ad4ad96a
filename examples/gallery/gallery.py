"""Shared by the programs of the gallery: two dozen written sentences on three subjects."""

from __future__ import annotations

from pathlib import Path

#: (subject, sentence)
ROWS = [
    (subject, text)
    for subject, _, text in (
        line.partition("\t")
        for line in (Path(__file__).parent / "texts.tsv").read_text("utf-8").splitlines()
    )
]
TEXTS = [text for _, text in ROWS]
SUBJECTS = [subject for subject, _ in ROWS]
