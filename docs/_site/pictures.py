"""Makes docs/img/*.svg with the drawing code of the page, and pictures of the page (page.png,
page-dark.png): ``python docs/_site/pictures.py``.

It starts ``segmenter serve``, opens the page in Chromium (tests/serve/browser.py), lets the
algorithms run, and takes what the page's own export writes.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "serve")]

import browser  # noqa: E402
from served import Served  # noqa: E402

IMAGES = ROOT / "docs" / "img"
TEXT = "他说的确实在理"

#: Takes the next file that the page would save.
CATCH = """
URL.createObjectURL = (blob) => { blob.text().then((t) => { window.saved = t; }); return "#"; };
"""
PLAIN = re.compile(
    r' (?:stroke-dasharray="none"|stroke="none"|opacity="1"|display="(?:inline|block)"'
    r'|stroke-linecap="butt"|stroke-linejoin="miter"|paint-order="normal"|text-anchor="start")'
)
FONT = re.compile(r' (?:font-family|font-size|font-weight|text-anchor)="[^"]*"')
#: name of the picture, player, share of the steps that are shown
PLAYERS = [
    ("maximum", "forward-max", 1.0),
    ("viterbi", "unigram", 0.6),
    ("dijkstra", "shortest", 0.7),
    ("trellis", "crf", 1.0),
]


def main() -> int:
    program = browser.find()
    if program is None:
        print("no Chromium was found", file=sys.stderr)
        return 1
    IMAGES.mkdir(exist_ok=True)
    served = Served("--preset", "fast")
    window = browser.Browser(program, Path(tempfile.mkdtemp()))
    try:
        window.size(700, 900)
        open_page(window, served.port)
        save(window, "svgGraph", IMAGES / "graph.svg")
        for name, player, share in PLAYERS:
            to_step(window, player, share)
            save(window, "svgBoard", IMAGES / f"{name}.svg")
        for name, theme in (("page", "light"), ("page-dark", "dark")):
            window.size(900, 710)
            open_page(window, served.port, theme)
            window.evaluate("document.documentElement.style.overflow = 'hidden'; 0")
            window.screenshot(IMAGES / f"{name}.png")
    finally:
        window.close()
        served.stop()
    return 0


def open_page(window: browser.Browser, port: int, theme: str = "light") -> None:
    window.open("about:blank")
    address = f"http://127.0.0.1:{port}/#text={quote(TEXT)}&language=en&theme={theme}"
    window.open(address)
    window.wait("!!document.querySelector('#graph') && !!document.querySelector('#board svg')")
    window.evaluate(CATCH)


def to_step(window: browser.Browser, player: str, share: float) -> None:
    window.evaluate(
        f"(() => {{ const p = document.getElementById('player'); p.value = '{player}';"
        " p.dispatchEvent(new Event('change')); })()"
    )
    time.sleep(1.5)  # the trace is asked for
    window.wait("!!document.querySelector('#board svg')")
    window.evaluate(
        "(() => { const s = document.getElementById('stepSlider');"
        f" s.value = Math.round(Number(s.max) * {share});"
        " s.dispatchEvent(new Event('input')); })()"
    )


def save(window: browser.Browser, button: str, path: Path) -> None:
    window.evaluate("window.saved = null")
    window.evaluate(f"document.getElementById('{button}').click()")
    window.wait("window.saved")
    path.write_text(smaller(window.evaluate("window.saved")) + "\n", "utf-8")
    print(path.relative_to(ROOT), path.stat().st_size)


def smaller(svg: str) -> str:
    """The picture without styles that say nothing."""

    def one(tag: re.Match[str]) -> str:
        kept = PLAIN.sub("", tag[0])
        return kept if tag[1] in ("text", "tspan") else FONT.sub("", kept)

    return re.sub(r"<(\w+)[^>]*>", one, svg)


if __name__ == "__main__":
    sys.exit(main())
