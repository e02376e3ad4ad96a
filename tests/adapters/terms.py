"""Segmenters and options for which units of texts are compared, and characters of texts."""

from __future__ import annotations

from segmenter import load
from segmenter.adapters._terms import Terms
from segmenter.search import SearchOptions

LATTICE = load(decoder="unigram")
ALPHABET = (
    "中华人民共和国一二的研究ABbＡ12３.,，。！ \t\r\n\u3000-%：/()αβжあアー한"
    "👍\u0301\ufe0f𠮷國大學後着著\ud800\0"
)
OPTIONS = [
    None,
    SearchOptions(runs="split"),
    SearchOptions(drop=frozenset()),
    SearchOptions(drop=frozenset({"newline"})),
    SearchOptions(drop=frozenset({"punct", "number", "latin"})),
    SearchOptions(stop=frozenset({"的", "人民", "abb"})),
]
TERMS = [
    Terms(segmenter, options, script)
    for segmenter in (
        LATTICE,
        LATTICE.with_words(["的研究"]),
        load("fast"),
        load("fast", skip="punct"),
    )
    for options in OPTIONS
    for script in (True, False)
]
