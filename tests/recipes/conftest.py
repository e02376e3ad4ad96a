"""The recipes are imported from the checkout; an installed `segmenter` takes precedence over it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))
