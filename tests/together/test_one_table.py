"""One table of options: a default that is changed in it is another one everywhere.

``tests/js/test_js.py`` does the same with the module of WebAssembly.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from option_table import with_default
from places import ROOT

from segmenter import capi, choices, load
from segmenter.core.options import Options
from segmenter.errors import ResourceError
from segmenter.kernels import _engine

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "鱻麤龘说的"  # three characters that no lexicon has
MODELS = ROOT / "models"
#: Runs with another compiled engine in place of the installed one.
RUN = """
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import spec_from_loader

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "segmenter.kernels._engine":
            return spec_from_loader(name, ExtensionFileLoader(name, sys.argv[1]))

sys.meta_path.insert(0, Finder())
"""


def _run(engine: Path, code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", RUN + code, str(engine)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine's extension, where ``oov="keep"`` is the default."""
    from pathlib import Path

    made: Path = tmp_path_factory.mktemp("engine") / "_engine.so"
    made.write_bytes(with_default(Path(_engine.__file__).read_bytes(), "oov", "chars", "keep"))
    return made


def test_a_default_is_another_one_in_python(engine: Path) -> None:
    code = f"""
import segmenter
s = segmenter.load(decoder="unigram")
print(s.oov, s.cut("{TEXT}")[0], s.fingerprint)
print(segmenter.Segmenter(s.lexicon).oov)
"""
    first, second = _run(engine, code).splitlines()
    assert first.startswith("keep 鱻麤龘 ")
    assert "oov=keep" in first
    assert second == "keep"
    assert load(decoder="unigram").cut(TEXT)[0] == "鱻"


def test_a_default_is_another_one_on_the_command_line(engine: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text(TEXT, "utf-8")
    code = f"""
from segmenter.cli import main
main(["cut", "--decoder", "unigram", {str(text)!r}])
sys.stdout.flush()
main(["cut", "--help"])
"""
    out = _run(engine, code)
    assert out.split()[0] == "鱻麤龘"
    assert "(default keep)" in " ".join(out.split())


def test_a_default_is_another_one_in_c(tmp_path: Path) -> None:
    from pathlib import Path

    sys.path.insert(0, str(ROOT / "tests" / "capi"))
    from binding import Engine, library

    try:
        shipped = Path(capi.library())
    except ResourceError as missing:
        pytest.skip(str(missing))
    changed = tmp_path / shipped.name
    changed.write_bytes(with_default(shipped.read_bytes(), "oov", "chars", "keep"))
    for path, oov in ((shipped, "chars"), (changed, "keep")):
        made = Engine(library(str(path)), folder=str(MODELS), decoder="unigram")
        assert f"oov={oov}" in made.fingerprint
        assert made.fingerprint == load(decoder="unigram", oov=oov).fingerprint


def test_signatures_types_and_the_header_have_the_table() -> None:
    parameters = inspect.signature(load).parameters
    assert parameters["name"].default == choices.DEFAULTS["name"]
    assert parameters["standard"].default == choices.DEFAULTS["standard"]
    for name in ("variants", "verify"):
        assert parameters[name].default is (choices.DEFAULTS[name] == "on")
    assert set(Options.__slots__) - {"user", "atoms"} < set(choices.VALUES)
    header = (ROOT / "segmenter" / "capi" / "segmenter.h").read_text("utf-8")
    members = header[header.index("typedef struct segmenter_options") :]
    for member, option in (("preset", "name"), ("standard", "standard"), ("oov", "oov")):
        comment = re.search(rf"\b{member}; +/\*(.*?)\*/", members, re.S)
        assert comment
        quoted = re.findall(r'"([\w-]+)"(?: \((the default)\))?', comment[1])
        defaults = [value for value, default in quoted if default]
        assert defaults == [choices.DEFAULTS[option]], member
        named = {value for value, _ in quoted}
        assert named >= set(choices.VALUES[option]) - set(choices.SUBWORDS), member
