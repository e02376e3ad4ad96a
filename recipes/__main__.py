"""``python -m recipes make``: see :mod:`recipes.make`."""

from __future__ import annotations

import sys

from recipes import make

if __name__ == "__main__":
    if sys.argv[1:2] != ["make"]:
        sys.exit("python -m recipes: the command is `python -m recipes make --work DIR`")
    sys.exit(make.main(sys.argv[2:]))
