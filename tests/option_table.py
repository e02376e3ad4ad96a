"""The table of options in a compiled file, with another default for one of them."""

from __future__ import annotations

NAME, DEFAULT = 12, 16  # bytes of the columns of kernels/open/options.hpp


def with_default(compiled: bytes, option: str, before: str, after: str) -> bytes:
    """``compiled`` with another default for ``option``: the table must be in it, and once."""

    def row(default: str) -> bytes:
        return option.encode().ljust(NAME, b"\0") + default.encode().ljust(DEFAULT, b"\0")

    assert compiled.count(row(before)) == 1, f"{option} stands there {compiled.count(row(before))}x"
    return compiled.replace(row(before), row(after))
