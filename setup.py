"""Models in wheels; CMakeLists.txt says how to compile, pyproject.toml everything else."""

import os
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))


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


setup(cmdclass={"build_py": BuildPy})
