"""Builds the extension without intrinsics and compares its boundaries with the usual build's.

A script, not a test of every run: it compiles.  CI calls it; so can you:

    python tests/portable_check.py
    python tests/portable_check.py --built    (the checkout's own extension is the usual build)

Both builds are run in processes of their own over the same texts, with every decoder.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def digest(n_texts: int) -> str:
    """Boundaries, kinds and n best paths of many texts, condensed."""
    import worlds

    from segmenter import Segmenter, load
    from segmenter.kernels import _engine
    from segmenter.lexicon import Lexicon

    print(f"extension: {_engine.__file__}", file=sys.stderr)
    jieba = Lexicon.build([(w, n, "") for w, n in worlds.COUNTS.items()], profile="jieba")
    segmenters = [Segmenter(worlds.lexicon(), decoder=d) for d in worlds.ALL_DECODERS]
    segmenters += [Segmenter(jieba), Segmenter(worlds.lexicon(), oov="keep", skip=["punct"])]
    texts = [worlds.random_text(seed, 1 + seed % 120) for seed in range(n_texts)]
    texts += worlds.long_texts().values()
    total = hashlib.sha256()
    for segmenter in segmenters:
        for text in texts:
            tokens = segmenter.tokenize(text)
            row = repr((tokens.spans, tokens.kinds, segmenter.cut(text)))
            total.update(row.encode("utf-8", "replace"))
            total.update(segmenter.ends(text).tobytes())
            data = text.encode("utf-8", "replace")
            total.update(segmenter.cut_bytes(data, b"\x1f", 2))
        if not segmenter.decoder.endswith("-max"):
            for text in texts[:50]:
                total.update(repr(segmenter.nbest(text, 5)).encode("utf-8", "replace"))
    # taggers, with their margins
    for name in ("general-fast", "general-balanced"):
        path = ROOT / "models" / f"{name}.model"
        if not path.exists():
            print(f"{path.name}: left out, not built here", file=sys.stderr)
            continue
        tagger = load(path)
        for text in texts:
            tokens = tagger.tokenize(text)
            total.update(repr([(t.end, t.kind, t.score) for t in tokens]).encode())
    return total.hexdigest()


def run(package: Path, n_texts: int) -> str:
    """The digest by the package that lies in the folder ``package``."""
    result = subprocess.run(
        [sys.executable, str(HERE / "portable_check.py"), "--digest", "--texts", str(n_texts)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(package), str(HERE)]),
            "SEGMENTER_DATA": str(ROOT / "models"),
        },
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return result.stdout.strip()


def build(target: Path, portable: bool) -> None:
    """Builds the package into ``target``; sources are copied, so that no build meets another."""
    source = target / "source"
    for part in (
        "segmenter",
        "setup.py",
        "CMakeLists.txt",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "NOTICE",
    ):
        if (ROOT / part).is_dir():
            # of the extensions only the engine: CMakeLists.txt leaves out what has no bindings
            wings = ("_subword.*", "_train.*", "capi")
            ignore = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", *wings)
            shutil.copytree(ROOT / part, source / part, ignore=ignore)
        elif (ROOT / part).exists():
            shutil.copy(ROOT / part, source / part)
    (source / "models").mkdir()
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=source,
        env={**os.environ, "SEGMENTER_PORTABLE": "1" if portable else "0"},
        check=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=600, help="how many random texts")
    parser.add_argument(
        "--built", action="store_true", help="the usual build is this checkout's extension as it is"
    )
    parser.add_argument("--digest", action="store_true", help="print the digest of this build")
    args = parser.parse_args()
    if args.digest:
        print(digest(args.texts))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        digests = {}
        for name in ("usual", "portable"):
            package = Path(folder) / name / "source"
            if name == "usual" and args.built:
                package = ROOT
            else:
                build(package.parent, portable=name == "portable")
            digests[name] = run(package, args.texts)
            print(f"{name:9} {digests[name]}")
    if digests["usual"] != digests["portable"]:
        print("the portable build gives other boundaries", file=sys.stderr)
        return 1
    print("both builds give the same boundaries")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main())
