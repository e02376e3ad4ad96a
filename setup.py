"""Compiler flags of the extensions; everything else stands in pyproject.toml."""

import os
import platform
import shutil
import sys

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
# SEGMENTER_SANITIZE=address,undefined: for tests/sanitizers
SANITIZE = os.environ.get("SEGMENTER_SANITIZE", "")


def flags() -> list[str]:
    # SEGMENTER_PORTABLE=1: no intrinsics; the tests compare both builds
    portable = []
    if os.environ.get("SEGMENTER_PORTABLE", "") not in ("", "0"):
        portable = ["-DSEGMENTER_PORTABLE"]
    if sys.platform == "win32":
        return ["/std:c++17", "/O2", "/EHsc", "/utf-8", *portable]
    if SANITIZE:
        # -fno-wrapv: Python's own flags have -fwrapv, which hides overflows of signed numbers
        checked = [f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=all", "-fno-wrapv"]
        machine = platform.machine().lower() in ("x86_64", "amd64")
        level = ["-march=x86-64-v2"] if machine else []
        return ["-std=c++17", "-O1", "-g1", "-fno-omit-frame-pointer", *checked, *level, *portable]
    # -g0: debugging information would be most of the file (6.6 MB against 0.8)
    out = ["-std=c++17", "-O3", "-g0", "-fvisibility=hidden", *portable]
    # the Viterbi recursion is serial: vector code for its minima is slower than scalar cmov
    out.append("-fno-tree-slp-vectorize")
    if platform.machine().lower() in ("x86_64", "amd64"):
        # the floor is x86-64-v2 (every server processor since 2009)
        out.append("-march=x86-64-v2")
    return out


def includes() -> list[str]:
    folders = ["segmenter/kernels", numpy.get_include()]
    if platform.machine().lower() in ("aarch64", "arm64"):
        import simde_py  # SSE's instructions by NEON: kernels/compiler.hpp

        folders.append(simde_py.get_include())
    return folders


def link_flags() -> list[str]:
    if sys.platform == "win32":
        return []
    return ["-pthread", *([f"-fsanitize={SANITIZE}"] if SANITIZE else [])]


def extensions() -> list[str]:
    """The engine's extension, and those of the wings that are in this tree."""
    names = ("_engine", "_subword", "_train")
    return [n for n in names if os.path.exists(os.path.join(HERE, f"segmenter/kernels/{n}.pyx"))]


def headers() -> list[str]:
    """What the extensions are compiled from beside their .pyx."""
    return sorted(
        os.path.relpath(os.path.join(folder, name), HERE)
        for folder, _, names in os.walk(os.path.join(HERE, "segmenter/kernels"))
        for name in names
        if name.endswith((".hpp", ".pxi"))
    )


class BuildPy(build_py):
    """Puts the compiled lexicons and models of models/ into the package folder of a wheel."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return  # resources.py finds models/ in the checkout
        target = os.path.join(self.build_lib, "segmenter", "models")
        os.makedirs(target, exist_ok=True)
        models = os.path.join(HERE, "models")
        names = sorted(os.listdir(models)) if os.path.isdir(models) else []
        if "general.lex" not in names:
            raise SystemExit("models/ holds no compiled lexicon: run python dicts/build.py first")
        for name in names:
            if name.endswith((".lex", ".model")):
                shutil.copyfile(os.path.join(models, name), os.path.join(target, name))


setup(
    ext_modules=cythonize(
        [
            Extension(
                f"segmenter.kernels.{name}",
                [f"segmenter/kernels/{name}.pyx"],
                include_dirs=includes(),
                depends=headers(),
                language="c++",
                extra_compile_args=flags(),
                extra_link_args=link_flags(),
            )
            for name in extensions()
        ],
        language_level=3,
    ),
    cmdclass={"build_py": BuildPy},
)
