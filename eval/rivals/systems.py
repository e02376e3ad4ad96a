"""The systems of ``systems.toml``: their packages, and how their processes are started."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from eval.rivals.process import HERE, Process

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TABLE = HERE / "systems.toml"
#: The files of the package of `best`, which is installed beside the wheel.
BEST = common.ROOT / "packages" / "segmenter-zh-best" / "segmenter_zh_best"
#: What an environment holds besides the rival and what it needs.
TOOLS = ("pip", "setuptools", "wheel", "_distutils_hack", "pkg_resources", "__pycache__")


@dataclass(frozen=True)
class System:
    """A system; the fields are described at the top of ``systems.toml``."""

    name: str
    start: str
    made_for: str
    python: str = ""
    pip: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    spans: str = ""
    units: str = ""
    own: str = ""
    two: str = ""
    files: str = ""
    open: str = ""
    standard: bool = False
    slow: bool = False
    note: Mapping[str, str] = field(default_factory=dict)

    @property
    def ours(self) -> bool:
        return not (self.pip or self.npm or self.node)

    @property
    def node(self) -> bool:
        return bool(self.npm) or self.name == "Intl.Segmenter"

    def home(self, work: Path) -> Path:
        """The folder of the system's environment."""
        return common.ROOT if self.ours else work / ("node" if self.node else self.folder)

    @property
    def folder(self) -> str:
        return self.pip[0].partition("=")[0]

    def process(self, work: Path, *, clean: bool = False, file: str = "") -> Process:
        """Starts it; `clean`: without the cache of an earlier start; `file`: what `open` opens."""
        home = self.home(work)
        temporary = work / "tmp" / self.name.replace("/", "-")
        if clean:
            shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True, exist_ok=True)
        if self.node:
            command = ["node", "--max-old-space-size=7000", str(HERE / "runner.mjs")]
        elif self.ours:
            command = [sys.executable, str(HERE / "runner.py")]
        else:
            command = [str(home / "env" / "bin" / "python"), str(HERE / "runner.py")]
        about = {"two": self.two, "start": self.open if file else self.start, "file": file}
        return Process(
            command,
            about,
            folder=home if self.node else temporary,
            temporary=temporary,
            path=home if self.ours else None,
        )

    def packages(self, work: Path) -> Path | None:
        """The folder of its installed packages, or None."""
        home = self.home(work)
        if self.node:
            home.mkdir(parents=True, exist_ok=True)
            return home / "node_modules" if self.npm else home
        if self.ours:
            return home
        return next((home / "env" / "lib").glob("python3*/site-packages"), None)

    def inside(self, work: Path) -> Path:
        """The package folder of an installed system."""
        folder = self.packages(work)
        assert folder, self.name
        return folder

    def versions(self, work: Path) -> list[str]:
        """Names and versions of its requested packages."""
        if self.ours:
            return []
        names = [p.rpartition("@")[0] or p for p in self.npm]
        if self.node:
            versions = [
                (name, json.loads((self.inside(work) / name / "package.json").read_text("utf-8")))
                for name in names
            ]
            return [f"{name} {about['version']}" for name, about in versions]
        path = [str(self.inside(work))]
        installed_names = {
            d.metadata["Name"].lower().replace("_", "-"): d.version
            for d in importlib.metadata.distributions(path=path)
        }
        names = [p.partition("=")[0].partition("<")[0].lower().replace("_", "-") for p in self.pip]
        return [f"{name} {installed_names[name]}" for name in names if name in installed_names]

    def disk(self, work: Path) -> int:
        """Bytes on disk, with its dependencies."""
        if self.ours:
            further = BEST.glob("*.model") if "best" in self.name else []
            return sum(path.stat().st_size for path in (*our_files(), *further)) + numpy_size()
        if self.node:
            return sum(size(self.inside(work) / name) for name in node_packages(self, work))
        return sum(
            size(path)
            for path in self.inside(work).iterdir()
            if not path.name.lower().startswith(TOOLS)
        )


class Session:
    """A system that starts at the first request, and again after it has ended."""

    def __init__(self, system: System, work: Path) -> None:
        self.system, self.work = system, work
        self.process: Process | None = None

    def ask(self, do: str, limit: float = 900, **fields: Any) -> dict[str, Any]:
        """As :meth:`Process.ask`."""
        if self.process is None or self.process.process.poll() is not None:
            self.close()
            self.process = self.system.process(self.work)
        return self.process.ask(do, limit, **fields)

    def close(self) -> None:
        if self.process is not None:
            self.process.close()
            self.process = None


def node_packages(system: System, work: Path) -> list[str]:
    """The packages of a Node system and their dependencies here."""
    names = [p.rpartition("@")[0] or p for p in system.npm]
    for name in names:
        about = json.loads((system.inside(work) / name / "package.json").read_text("utf-8"))
        dependencies = {**about.get("dependencies", {}), **about.get("optionalDependencies", {})}
        names += [
            name
            for name in dependencies
            if name not in names and (system.inside(work) / name).is_dir()
        ]
    return names


def size(path: Path) -> int:
    """Bytes of a file or of all files in a folder, compiled Python apart."""
    if path.is_file():
        return path.stat().st_size
    return sum(
        p.stat().st_size
        for p in path.rglob("*")
        if p.is_file() and not p.is_symlink() and p.suffix != ".pyc"
    )


def our_files() -> Iterator[Path]:
    """The files of a wheel of this package."""
    models = common.ROOT / "models"
    yield from (p for p in models.iterdir() if p.suffix in (".lex", ".model"))
    for path in (common.ROOT / "segmenter").rglob("*"):
        sources = (".cpp", ".hpp", ".h", ".pyx", ".pxi", ".pxd", ".pyc", ".md")
        if path.is_file() and path.suffix not in sources:
            yield path


def numpy_size() -> int:
    """Bytes of numpy, a dependency of this package."""
    files = importlib.metadata.files("numpy") or []
    paths = (Path(str(f.locate())) for f in files)
    return sum(p.stat().st_size for p in paths if p.is_file() and p.suffix != ".pyc")


def load() -> tuple[list[System], list[dict[str, Any]]]:
    """The systems, and the excluded ones with the reason."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    systems = []
    for entry in table["system"]:
        lists = {key: tuple(entry.get(key, ())) for key in ("pip", "build", "npm")}
        systems.append(System(**{**entry, **lists}))
    return systems, table.get("absent", [])


def install(system: System, work: Path) -> str:
    """Installs a missing system; returns the installer's output if it failed."""
    home = system.home(work)
    record = home / "installed.json"
    requirements = json.dumps([system.python, *system.pip])
    if system.ours or (system.node and not system.npm):
        home.mkdir(parents=True, exist_ok=True)
        return ""
    if system.node:
        home.mkdir(parents=True, exist_ok=True)
        about = home / "package.json"
        if not about.exists():
            about.write_text("{}", "utf-8")  # npm refuses an empty file
        if all((home / "node_modules" / p.rpartition("@")[0]).is_dir() for p in system.npm):
            return ""
        return told_by("npm", "install", "--no-audit", "--no-fund", *system.npm, folder=home)
    if record.is_file() and record.read_text("utf-8") == requirements:
        return ""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    python = interpreter(system.python)
    if python is None:
        return f"no Python {system.python} is installed"
    env = home / "env"
    said = told_by(python, "-m", "venv", "--without-pip", str(env), folder=home)
    pip = (sys.executable, "-m", "pip", "--python", str(env / "bin" / "python"), "install")
    if system.build:
        said = said or told_by(*pip, "--quiet", *system.build, folder=home)
    alone = ["--no-build-isolation"] if system.build else []
    said = said or told_by(*pip, "--quiet", *alone, *system.pip, folder=home)
    if not said:
        record.write_text(requirements, "utf-8")
    return said


def interpreter(version: str) -> str | None:
    """A Python of a version: this one, one of the path, or one of pyenv's."""
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return sys.executable
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    interpreters = sorted(root.glob(f"versions/{version}.*/bin/python"))
    return str(interpreters[-1]) if interpreters else shutil.which(f"python{version}")


def told_by(*command: str, folder: Path) -> str:
    """The last line of a failed command's output."""
    with tempfile.TemporaryFile("w+") as output:
        code = subprocess.run(
            ["nice", "-n", "10", *command], cwd=folder, stdout=output, stderr=output, check=False
        ).returncode
        output.seek(0)
        lines = [line.strip() for line in output if line.strip()]
    return "" if code == 0 else (lines or ["no word"])[-1]
