"""jieba's own word list as a lexicon of ours: the configuration that must give rjieba's words."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

from segmenter.train import scoring


def jieba_word_list() -> Path | None:
    """The word list inside the installed package jieba, or None."""
    try:
        files = importlib.metadata.files("jieba") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(f.locate())) for f in files if f.name == "dict.txt"), None)


def compile_jieba_list(source: Path, target: Path) -> Path:
    """Compile jieba's word list (``word count tag`` lines) into a lexicon that cuts as jieba does.

    The profile ``jieba`` folds nothing and keeps only runs of ASCII letters and digits whole;
    a character that the list lacks counts as once seen, as in jieba's own code.
    """
    from segmenter import artifact
    from segmenter.lexicon import builder

    entries = []
    total = 0
    for line in scoring.read_lines(source):
        word, count, tag = line.split(" ")
        entries.append(builder.Entry(word, int(count), tag))
        total += int(count)
    compiled = builder.compile_lexicon(entries, total=total, unknown=1.0, profile="jieba")
    artifact.write(str(target), builder.KIND, compiled.sections, compiled.meta)
    return target
