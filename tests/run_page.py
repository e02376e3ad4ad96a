"""Runs the code of a page, top to bottom: ``python tests/run_page.py PAGE``, in an empty folder.

Blocks marked ``python`` and ``pycon`` are one program. Those marked ``console`` are command
lines for bash (``$ `` before each) and what they print. Exit code 77: a package is missing, named
on standard output.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```(python|pycon|console)\n(.*?)^```$", re.M | re.S)
MISSING = 77


def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names: dict[str, object] = {"__name__": "docs"}
    for match in BLOCK.finditer(text):
        kind, code = match.groups()
        line = text.count("\n", 0, match.start()) + 2
        if kind == "python":
            exec(compile("\n" * (line - 1) + code, path, "exec"), names)
        elif kind == "pycon":
            test = doctest.DocTestParser().get_doctest(code, names, path, path, line - 1)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            test.globs = names  # what a block leaves is there for the next
            if runner.run(test, clear_globs=False).failed:
                return 1
        else:
            console(code, path, line)
    return 0


def console(code: str, path: str, line: int) -> None:
    bash = shutil.which("bash")
    if bash is None:
        print("bash")
        raise SystemExit(MISSING)
    for part in re.split(r"^\$ ", code, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        got = subprocess.run(
            [bash, "-c", f"{{ {command}\n}} 2>&1"],
            env={**os.environ, "SEGMENTER_PYTHON": sys.executable},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=False,
        ).stdout.decode("utf-8")
        assert got == expected, f"{path}, block at line {line}: {command}\n{got}"


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except ModuleNotFoundError as e:
        if (e.name or "").partition(".")[0] in ("segmenter", ""):
            raise
        print(e.name)
        sys.exit(MISSING)
