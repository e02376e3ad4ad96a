"""``python -m segmenter``: the command line."""

import sys

from segmenter.cli import main

if __name__ == "__main__":
    sys.exit(main())
