"""The texts that tests/engine/kernels/run cuts, and their ends by the extension that Python has.

    python tests/engine/kernels/expected.py FOLDER

writes ``texts.txt``, a text a line, and for every compiled file of models/ that ``ends`` can run
``NAME.ends``, the ends of every line.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import worlds  # noqa: E402

from segmenter import load  # noqa: E402
from segmenter.atoms import Atoms  # noqa: E402

LINES = (
    "", "a", "他说的确实在理", "研究生命起源", "在2026年12月31日，3.14%的iPhone 15卖了三千五百元",
    "😀👨‍👩‍👧他说𠮷野家", "Привет カタカナ é", "中华人民共和国" * 200, "一" * 1500, "x" * 3000,
)  # fmt: skip


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    texts = [*LINES]
    texts += [worlds.random_text(seed, 1 + seed % 160) for seed in range(400)]
    texts += [text[:20_000] for text in worlds.long_texts().values()]
    prose = (ROOT / "README.zh.md").read_text("utf-8").splitlines()
    texts += [line for line in prose if line]
    # a line end would be two texts, and UTF-8 cannot hold a lone surrogate
    texts = [t.replace("\n", " ").encode("utf-8", "replace").decode("utf-8") for t in texts]
    (folder / "texts.txt").write_bytes("".join(t + "\n" for t in texts).encode("utf-8"))
    for name in ("general.lex", "pku.lex", "general-fast.model", "general-balanced.model"):
        path = ROOT / "models" / name
        # what ends.cpp runs: lattice and tagger alone, without what stands before them
        cutter = load(path, atoms=Atoms.none(), variants=False)
        rows = ("".join(f"{end} " for end in cutter.ends(text)) for text in texts)
        (folder / f"{name}.ends").write_text("".join(row + "\n" for row in rows), "utf-8")
    print(f"{len(texts)} texts, {sum(map(len, texts)):,} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
