"""What an installed wheel must do, run outside the checkout; cibuildwheel and .ci/run call it.

python tests/wheel_check.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

SENTENCE, WORDS = "他说的确实在理", ["他", "说", "的", "确实", "在理"]


def main() -> int:
    root = os.path.dirname(os.path.abspath(__file__))
    # the script's own folder leads to no package, but a current folder that is a checkout would
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") not in (os.getcwd(), root)]
    import segmenter as seg
    from segmenter.choices import PRESETS

    assert "site-packages" in seg.__file__, f"{seg.__file__} is no installed package"
    assert "numpy" not in sys.modules, "import segmenter has imported numpy"
    assert seg.cut(SENTENCE) == WORDS, seg.cut(SENTENCE)
    for preset in [name for name in PRESETS if name != "best"]:
        for standard in "general", "pku":
            s = seg.load(preset, standard=standard)
            assert "".join(s.cut(SENTENCE)) == SENTENCE
            print(f"{s!r}: {os.path.getsize(s.lexicon.name):,} bytes of lexicon")
    assert seg.load("fast").ends(SENTENCE)[-1] == len(SENTENCE)
    assert seg.load("fast").cut_batch([SENTENCE] * 100, threads=2) == [WORDS] * 100
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "segmenter", "explain", "--html", "page.html", SENTENCE]
        subprocess.run(command, cwd=folder, check=True)
        with open(os.path.join(folder, "page.html"), encoding="utf-8") as page:
            assert "<script>" in page.read()
        got = subprocess.run(
            [sys.executable, "-m", "segmenter", "cut", "--sep", "/"],
            input=SENTENCE.encode(), capture_output=True, cwd=folder, check=True,
        )  # fmt: skip
        assert got.stdout.decode("utf-8") == "/".join(WORDS)
    print(f"segmenter-zh {seg.__version__}, Python {sys.version.split()[0]}, {sys.platform}: works")
    return 0


if __name__ == "__main__":
    sys.exit(main())
