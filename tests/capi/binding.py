"""The C library through ctypes, for the tests."""

from __future__ import annotations

import ctypes as c
from typing import Any

from segmenter import capi

UNITS = ("codepoints", "utf8", "utf16")


ENDED = c.CFUNCTYPE(c.c_int)


class File(c.Structure):
    _fields_ = (("name", c.c_char_p), ("data", c.c_void_p), ("size", c.c_size_t))


class Token(c.Structure):
    _fields_ = (
        ("start", c.c_uint32), ("end", c.c_uint32), ("position", c.c_uint32),
        ("position_length", c.c_uint32), ("kind", c.c_int32), ("reserved", c.c_int32),
    )  # fmt: skip


class Term(c.Structure):
    _fields_ = tuple(
        (name, c.c_uint32)
        for name in (
            "start", "end", "word_start", "word_end", "position",
            "spelt", "spelt_size", "other", "other_size", "sign",
        )
    )  # fmt: skip


class Options(c.Structure):
    _fields_ = (
        ("struct_size", c.c_size_t), ("folder", c.c_char_p), ("preset", c.c_char_p),
        ("standard", c.c_char_p), ("decoder", c.c_char_p), ("oov", c.c_char_p),
        ("skip", c.c_char_p), ("atoms", c.c_char_p), ("user", c.c_char_p),
        ("user_size", c.c_size_t), ("files", c.POINTER(File)),
        ("n_files", c.c_size_t), ("no_variants", c.c_int32), ("trust_files", c.c_int32),
        ("search", c.c_char_p),
        ("user_file", c.c_char_p),
        ("word_memory", c.c_size_t),
    )  # fmt: skip


def library(path: str | None = None) -> c.CDLL:
    lib = c.CDLL(path or capi.library())
    lib.segmenter_open.argtypes = [
        c.POINTER(Options),
        c.POINTER(c.c_void_p),
        c.c_char_p,
        c.c_size_t,
    ]
    lib.segmenter_free.argtypes = [c.c_void_p]
    lib.segmenter_fingerprint.argtypes = [c.c_void_p]
    lib.segmenter_worker_new.argtypes = [c.c_void_p, c.POINTER(c.c_void_p)]
    lib.segmenter_worker_free.argtypes = [c.c_void_p]
    lib.segmenter_error.argtypes = [c.c_void_p]
    lib.segmenter_cut.argtypes = [
        c.c_void_p, c.c_char_p, c.c_size_t, c.c_int, c.POINTER(c.POINTER(c.c_uint32)),
        c.POINTER(c.c_size_t),
    ]  # fmt: skip
    lib.segmenter_tokenize.argtypes = [
        c.c_void_p, c.c_char_p, c.c_size_t, c.c_int, c.c_int, c.POINTER(c.POINTER(Token)),
        c.POINTER(c.c_size_t),
    ]  # fmt: skip
    lib.segmenter_token_at.argtypes = [
        c.c_void_p, c.c_char_p, c.c_size_t, c.c_size_t, c.c_int, c.c_int,
        c.POINTER(c.POINTER(Token)), c.POINTER(c.c_size_t),
    ]  # fmt: skip
    lib.segmenter_tag.argtypes = [
        c.c_void_p, c.c_char_p, c.c_size_t, c.c_int, c.POINTER(c.POINTER(Token)),
        c.POINTER(c.POINTER(c.c_char_p)), c.POINTER(c.c_size_t),
    ]  # fmt: skip
    lib.segmenter_terms.argtypes = [
        c.c_void_p, c.c_char_p, c.c_size_t, c.c_int, c.c_int, c.POINTER(c.POINTER(Term)),
        c.POINTER(c.c_size_t), c.POINTER(c.POINTER(c.c_char)),
    ]  # fmt: skip
    lib.segmenter_spell.argtypes = [
        c.c_void_p, c.c_char_p, c.c_size_t, c.c_int, c.POINTER(c.POINTER(c.c_char)),
        c.POINTER(c.c_size_t),
    ]  # fmt: skip
    lib.segmenter_worker_ask.argtypes = [c.c_void_p, ENDED]
    for name in ("fingerprint", "error", "version", "kind_name", "form_name"):
        getattr(lib, f"segmenter_{name}").restype = c.c_char_p
    return lib


class Refused(Exception):
    """A status that is not 0, and its sentence."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}")
        self.status, self.text = status, text


class Engine:
    """An opened segmenter with one worker."""

    def __init__(self, lib: c.CDLL, files: dict[str, bytes] | None = None, **options: Any) -> None:
        self._lib = lib
        self._seg, self._worker = c.c_void_p(), c.c_void_p()
        encoded = {k: v.encode() if isinstance(v, str) else v for k, v in options.items()}
        if isinstance(encoded.get("user"), bytes):
            encoded["user_size"] = len(encoded["user"])
        options_struct = Options(struct_size=c.sizeof(Options), **encoded)
        # the caller's memory: aligned, and alive as long as the engine
        self._rooms = [(c.c_uint64 * (len(data) // 8 + 1))() for data in (files or {}).values()]
        if files:
            options_struct.n_files = len(files)
            options_struct.files = (File * len(files))()
            for i, (name, data) in enumerate(files.items()):
                c.memmove(self._rooms[i], data, len(data))
                address = c.cast(self._rooms[i], c.c_void_p)
                options_struct.files[i] = File(name.encode(), address, len(data))
        why = c.create_string_buffer(1024)
        status = lib.segmenter_open(c.byref(options_struct), c.byref(self._seg), why, len(why))
        if status:
            raise Refused(status, why.value.decode())
        assert lib.segmenter_worker_new(self._seg, c.byref(self._worker)) == 0

    def __del__(self) -> None:
        self._lib.segmenter_free(self._seg)
        self._lib.segmenter_worker_free(self._worker)

    @property
    def fingerprint(self) -> str:
        return str(self._lib.segmenter_fingerprint(self._seg).decode())

    def ends(self, text: str, unit: int = 0) -> list[int]:
        utf8 = text.encode()
        ends, count = c.POINTER(c.c_uint32)(), c.c_size_t()
        status = self._lib.segmenter_cut(
            self._worker, utf8, len(utf8), unit, c.byref(ends), c.byref(count)
        )
        if status:
            raise Refused(status, self._lib.segmenter_error(self._worker).decode())
        return ends[: count.value]

    def tokens(self, text: str, unit: int = 0, mode: int = 0) -> list[tuple[int, int, str]]:
        """Start, end and kind of each word; positions must be the places in the list."""
        columns = self.nested(text, mode, unit)
        assert [row[2:4] for row in columns] == [(k, 1) for k in range(len(columns))]
        return [(start, end, kind) for start, end, _, _, kind in columns]

    def nested(self, text: str, mode: int, unit: int = 0) -> list[tuple[int, int, int, int, str]]:
        """Start, end, position, position length and kind of each token."""
        utf8 = text.encode()
        tokens, count = c.POINTER(Token)(), c.c_size_t()
        status = self._lib.segmenter_tokenize(
            self._worker, utf8, len(utf8), mode, unit, c.byref(tokens), c.byref(count)
        )
        if status:
            raise Refused(status, self._lib.segmenter_error(self._worker).decode())
        name = self._lib.segmenter_kind_name
        return [
            (t.start, t.end, t.position, t.position_length, name(t.kind).decode())
            for t in tokens[: count.value]
        ]

    def token_at(
        self, utf8: bytes, offset: int, place: int, unit: int
    ) -> tuple[int, int, str] | None:
        """Start, end and kind of the word at a place (0), after it (1) or before it (2)."""
        tokens, count = c.POINTER(Token)(), c.c_size_t()
        status = self._lib.segmenter_token_at(
            self._worker, utf8, len(utf8), offset, place, unit, c.byref(tokens), c.byref(count)
        )
        if status:
            raise Refused(status, self._lib.segmenter_error(self._worker).decode())
        if not count.value:
            return None
        (t,) = tokens[: count.value]
        assert (t.position, t.position_length) == (0, 1)
        return t.start, t.end, self._lib.segmenter_kind_name(t.kind).decode()

    def terms(self, text: str, form: int = 0, unit: int = 0) -> list[tuple[Any, ...]]:
        """Start, end, word, position, spelling and second reading of each term."""
        utf8 = text.encode()
        terms, count = c.POINTER(Term)(), c.c_size_t()
        spelt = c.POINTER(c.c_char)()
        status = self._lib.segmenter_terms(
            self._worker, utf8, len(utf8), form, unit, c.byref(terms), c.byref(count),
            c.byref(spelt),
        )  # fmt: skip
        if status:
            raise Refused(status, self._lib.segmenter_error(self._worker).decode())

        def said(begin: int, size: int) -> str:
            return spelt[begin : begin + size].decode()  # type: ignore[union-attr]

        return [
            (t.start, t.end, (t.word_start, t.word_end), t.position, said(t.spelt, t.spelt_size),
             said(t.other, t.other_size))
            for t in terms[: count.value]
        ]  # fmt: skip

    def spelt(self, text: str, form: int = 0) -> str:
        utf8, spelling, size = text.encode(), c.POINTER(c.c_char)(), c.c_size_t()
        status = self._lib.segmenter_spell(
            self._worker, utf8, len(utf8), form, c.byref(spelling), c.byref(size)
        )
        if status:
            raise Refused(status, self._lib.segmenter_error(self._worker).decode())
        return spelling[: size.value].decode()  # type: ignore[union-attr]

    def ask(self, ended: Any) -> None:
        self._ended = ENDED(ended) if ended else ENDED(0)  # alive as long as the worker
        self._lib.segmenter_worker_ask(self._worker, self._ended)

    def tags(self, text: str, unit: int = 0) -> list[tuple[int, int, str]]:
        """Start, end and part of speech of each word."""
        utf8 = text.encode()
        tokens, tags, count = c.POINTER(Token)(), c.POINTER(c.c_char_p)(), c.c_size_t()
        status = self._lib.segmenter_tag(
            self._worker, utf8, len(utf8), unit, c.byref(tokens), c.byref(tags), c.byref(count)
        )
        if status:
            raise Refused(status, self._lib.segmenter_error(self._worker).decode())
        return [
            (token.start, token.end, tag.decode())
            for token, tag in zip(tokens[: count.value], tags[: count.value], strict=True)
        ]
