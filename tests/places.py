"""Where things are, for tests in any folder."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Corpora and test vectors beside the checkout; tests that need them skip where there are none.
SHARED = ROOT.parent / "shared"
#: Whether the wing that ``oov="bpe"`` needs is here (tests/together/test_without_wings.py).
HAS_SUBWORD = (ROOT / "segmenter" / "subword").is_dir()
