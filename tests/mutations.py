"""What is changed in a file to make a mutant of it: bytes, JSON, lines.  See :mod:`mutants`."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 7, 255, 1 << 31, 1 << 64, 10**400, 0.0, -0.5, 1e308, "", "x",
    "../x", "a\0b", "的", [], {}, [None], ["x"], {"x": 1}, [[]], "9" * 50,
]  # fmt: skip


def changed_json(pick: random.Random, value: Any) -> tuple[Any, str]:
    """The value with one thing in it changed, and what."""
    root = {"": value}
    places: list[tuple[Any, Any, str]] = []

    def walk(node: Any, path: str) -> None:
        if len(places) > 3000:
            return
        rows = node.items() if isinstance(node, dict) else enumerate(node)
        for key, item in list(rows):
            places.append((node, key, f"{path}/{key}"))
            if isinstance(item, (dict, list)):
                walk(item, f"{path}/{key}")

    root = json.loads(json.dumps(root))
    walk(root, "")
    # a long list has most of the places: one of all, one on the top, or a way down, step by step
    shallow = [place for place in places if place[2].count("/") < 5]
    parent, key, path = pick.choice(pick.choice([places, shallow]))
    if pick.random() < 0.5:
        parent, key, path = root, "", ""
        while isinstance(parent[key], (dict, list)) and parent[key] and pick.random() < 0.8:
            parent = parent[key]
            key = pick.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
            path += f"/{key}"
    kind = pick.randrange(4)
    if kind == 0 and key != "":
        del parent[key]
        return root[""], f"{path} removed"
    if kind == 1 and isinstance(parent, list):
        parent.insert(pick.randrange(len(parent) + 1), pick.choice(ODD_VALUES))
        return root[""], f"{path} beside it"
    sibling = parent[pick.choice(list(parent))] if isinstance(parent, dict) and kind == 2 else None
    new = pick.choice(ODD_VALUES) if sibling is None else sibling
    parent[key] = new
    return root[""], f"{path} = {str(new)[:30]!r}"


def changed_bytes(pick: random.Random, data: bytes, sizes: Sequence[int] = ()) -> tuple[bytes, str]:
    """The bytes of a section with something in them changed, and what.

    Args:
        pick: chooses.
        data: the section.
        sizes: of the file's sections, in bytes: where numbers in them may lead to.
    """
    changed = bytearray(data)
    kind = pick.randrange(8)
    width = pick.choice((1, 2, 4, 8))
    offset = pick.randrange(max(1, len(changed) // width)) * width
    odd = (0, 1, (1 << 8 * width) - 1, 1 << 8 * width - 1, pick.getrandbits(8 * width))
    if kind == 0 or not changed:
        extra = pick.randbytes(pick.choice((1, 2, 4, 8, 16, 64, 512)))
        return bytes(changed) + extra, f"{len(extra)} bytes added"
    if kind == 1:
        size = pick.choice((0, 1, len(changed) // 2, max(0, len(changed) - width)))
        return bytes(changed[:size]), f"cut to {size}"
    if kind == 2:
        size = pick.choice((16, 256, 4096))
        changed[offset : offset + size] = pick.randbytes(len(changed[offset : offset + size]))
        return bytes(changed), f"{size} random bytes at {offset}"
    if kind == 3:
        size, source = pick.choice((width, 64, 1024)), pick.randrange(len(changed))
        changed[offset : offset + size] = changed[
            source : source + len(changed[offset : offset + size])
        ]
        return bytes(changed[: len(data)]).ljust(
            len(data), b"\0"
        ), f"{size} bytes of {source} at {offset}"
    if kind == 4:
        value = pick.choice(odd).to_bytes(width, "little")
        return (value * (len(changed) // width + 1))[: len(changed)], f"all {value.hex()}"
    for _ in range(pick.choice((1, 1, 2, 8, 64))):
        offset = pick.randrange(max(1, len(changed) // width)) * width
        if kind == 5:
            changed[pick.randrange(len(changed))] ^= 1 << pick.randrange(8)
        else:
            near = [
                int.from_bytes(changed[offset : offset + width], "little") + pick.choice((-1, 1))
            ]
            if sizes:
                near.append(pick.choice(sizes) // pick.choice((1, 2, 4, 8)) + pick.randint(-1, 1))
            value = pick.choice((*odd, *near))
            value &= (1 << 8 * width) - 1
            changed[offset : offset + width] = value.to_bytes(width, "little")[
                : len(changed[offset : offset + width])
            ]
    return bytes(changed), f"numbers of {width} bytes, the last at {offset}"


def changed_container(pick: random.Random, data: bytes) -> bytes:
    """A compiled file with a number of its header or its table changed, their CRCs right."""
    changed = bytearray(data)
    sections = int.from_bytes(changed[24:28], "little")
    for _ in range(pick.choice((1, 1, 2))):
        entry = 80 + 48 * pick.randrange(sections)
        offset, width = pick.choice(
            [(8, 4), (16, 8), (24, 4), (32, 1), (entry, 1), (entry + 24, 8), (entry + 32, 8),
             (entry + 32, 1), (entry + 40, 4), (entry + 44, 4)]
        )  # fmt: skip
        value = int.from_bytes(changed[offset : offset + width], "little")
        value = pick.choice(
            (0, value + 1, value - 1, value + 64, value ^ 1 << pick.randrange(8 * width),
             len(data), (1 << 8 * width) - 1, pick.getrandbits(8 * width))
        )  # fmt: skip
        changed[offset : offset + width] = (value & (1 << 8 * width) - 1).to_bytes(width, "little")
    changed[28:32] = zlib.crc32(changed[80 : 80 + 48 * sections]).to_bytes(4, "little")
    changed[12:16] = bytes(4)
    changed[12:16] = zlib.crc32(changed[:80]).to_bytes(4, "little")
    return bytes(changed)


#: Fields of a line that readers have stumbled over, or might.
ODD_FIELDS = [
    b"", b" ", b"\t", b"-1", b"0", b"1e999", b"nan", b"-inf", b"9" * 5000, b"1_0", b"0x10",
    b"\xef\xbc\x91", b"<num>", b"<s>", b"#version: 0.2", b"\x00", b"\xff", b"\xed\xa0\x80",
    b"\xef\xbf\xbd", b"\xef\xbb\xbf", b"\r", b"\\j{", b"\\j" + b"[" * 9000, b"\\ud800", b"{}",
    b"[" * 9000, b'"', b"|", b"\\", b"force", b"split", b"delete", b"weight", b"\xcc\x81",
    b"\xe7\x9a\x84" * 300, b"=", b"YQ==", b'{"word": 3}', b'{"word": "a", "parts": ["", "a"]}',
    b'{"word": "a", "weight": 1' + b"0" * 400 + b"}",
]  # fmt: skip


def changed_lines(pick: random.Random, data: bytes) -> tuple[bytes, str]:
    """The bytes of a text with a line or a field of it changed, and what."""
    lines = data.split(b"\n")
    number = pick.randrange(len(lines))
    kind = pick.randrange(6)
    if kind == 0:
        del lines[number]
        return b"\n".join(lines), f"line {number} removed"
    if kind == 1:
        lines.insert(pick.randrange(len(lines) + 1), lines[number])
        return b"\n".join(lines), f"line {number} again"
    separator = pick.choice([b"\t", b" ", b",", b'"'])
    fields = lines[number].split(separator)
    k = pick.randrange(len(fields))
    odd = pick.choice(ODD_FIELDS)
    if kind == 2:
        del fields[k]
    elif kind == 3:
        fields.insert(k, odd)
    else:
        fields[k] = odd if kind == 4 else pick.choice(pick.choice(lines).split(separator))
    lines[number] = separator.join(fields)
    return b"\n".join(lines), f"line {number}, field {k}: {fields[k : k + 1]!r:.40}"
