"""The public names of the package: few names, typed, and told by help() and repr()."""

from __future__ import annotations

import ast
import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import worlds

import segmenter
from segmenter import Segmenter, choices, errors, load, types
from segmenter.core import oov
from segmenter.core.options import Options
from segmenter.lexicon import Lexicon
from segmenter.text import kinds

PACKAGE = Path(segmenter.__file__).parent
FIRST_WEEK = {
    "cut", "ends", "cut_batch", "tokenize", "cut_for_search", "tag", "load", "add_word",
    "del_word", "load_userdict", "sentences", "chunks", "Segmenter", "Token", "Tokens",
    "__version__",
}  # fmt: skip


def test_public_names_are_those_of_the_first_week() -> None:
    names_kept = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, (Exception, Warning))
    }
    assert set(segmenter.__all__) - names_kept == FIRST_WEEK
    for name in segmenter.__all__:
        assert getattr(segmenter, name) is not None
    assert segmenter.Token is types.Token
    with pytest.raises(AttributeError, match="Tokn"):
        segmenter.Tokn  # type: ignore[attr-defined]  # noqa: B018


def test_a_segmenter_has_at_most_twenty_methods() -> None:
    methods = [
        name
        for name in dir(Segmenter)
        if not name.startswith("_") and callable(getattr(Segmenter, name))
    ]
    assert len(methods) <= 20, methods


def literals() -> dict[str, tuple[str, ...]]:
    """The values of the Literal aliases, as a type checker reads them."""
    literal_values: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(ast.parse((PACKAGE / "choices.py").read_text("utf-8"))):
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Subscript):
            names = ast.literal_eval(node.value.slice)
            assert isinstance(node.target, ast.Name)
            literal_values[node.target.id] = names if isinstance(names, tuple) else (names,)
    return literal_values


def test_literal_types_have_the_values_of_the_tuples() -> None:
    literal_values = literals()
    assert set(literal_values["Lattice"]) == set(choices.LATTICE)
    assert literal_values["Tagger"] == choices.TAGGERS
    assert literal_values["Oov"] == choices.OOV
    assert literal_values["MatcherName"] == choices.MATCHERS
    assert literal_values["Mode"] == choices.MODES
    assert literal_values["Unit"] == types.UNITS
    assert set(literal_values["Preset"]) == set(choices.PRESETS)
    assert set(literal_values["Skip"]) == set(choices.SKIP)
    assert set(literal_values["Standard"]) >= set(choices.STANDARDS)


#: Lines that a type checker must flag, and lines that it must not.
WRONG = (
    "from segmenter import Tokn",
    "load('fast', decoder='unigran')",
    "load(Path('own.lex'), decoder='unigran')",
    "load(oov='taggr')",
    "load(Path('own.lex'), oov='char')",
    "load(skip='spaces')",
    "load(matcher='marissa')",
    "load(verifi=False)",
    "load().tokenize('a', mode='serach')",
    "tokenize('a', mode='serach')",
    "tokenize('a', units='utf_8')",
    "Segmenter(Lexicon.build([('a', 1, '')]), decoder='bigramm')",
    "Segmenter(Lexicon.build([('a', 1, '')]), verify=False)",
    "load_by_name(1).cutt('a')",
)
RIGHT = (
    "load()",
    "load('fast', decoder='unigram').tokenize('a', mode='search', units='utf8')",
    "load('accurate', standard='ctb', skip=('space', 'punct'), user=['a'], variants=False)",
    "load(Path('own.model'), standard='my own', oov='keep')",
    "load('own.model', standard='my own', oov='keep')",
    "load_by_name('own.lex', standard='my own')",
    "print(Token, chunks)",
)


def test_a_type_checker_finds_typing_errors(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    head = (
        "from pathlib import Path\n"
        "from segmenter import Segmenter, Token, chunks, load, tokenize\n"
        "from segmenter.lexicon import Lexicon\n"
        "from segmenter.loading import load_by_name\n"
    )
    program.write_text(head + "\n".join((*WRONG, *RIGHT, "")), "utf-8")
    got = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file=",
            "--ignore-missing-imports", str(program),
        ],
        cwd=PACKAGE.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    type_names = {
        int(line.split(":")[1])
        for line in got.stdout.splitlines()
        if program.name in line and ": error: " in line
    }
    first = head.count("\n") + 1
    assert type_names == set(range(first, first + len(WRONG))), got.stdout + got.stderr


def test_help_leads_to_presets_and_options() -> None:
    text = inspect.getdoc(segmenter.cut) or ""
    assert "segmenter.load" in text
    assert "preset" in text
    options = inspect.getdoc(load) or ""
    names_taken = {*inspect.signature(load).parameters, *Options.__slots__} - {"options"}
    for name in sorted(names_taken):
        assert f"\n    {name}: " in options, name


def test_repr_names_preset_standard_and_words() -> None:
    for s in (load("fast"), pickle.loads(pickle.dumps(load("fast")))):
        assert repr(s) == "<Segmenter fast, general, perceptron>"
    mine = load("fast", standard="pku", decoder="unigram", user=["一点", "两点"])
    assert repr(mine) == "<Segmenter fast, pku, unigram, 2 words of the user>"
    assert repr(Segmenter(worlds.lexicon())).startswith("<Segmenter unigram over <Lexicon")


def test_kinds_do_not_depend_on_the_lexicon() -> None:
    text = "The This 100 911 在理 三百 十二月 万一 ， ℃ Привет B2B"
    bare = Segmenter(Lexicon.build([("在", 1, "p")]))
    rows = [(word, 5.0, "n") for word in text.split() if not word.isdigit()]
    segmenter_known = Segmenter(Lexicon.build(rows))
    user = bare.with_words(["在理", "万一", "三百"])
    want = {
        "The": "latin", "This": "latin", "100": "number", "911": "number", "在理": "word",
        "三百": "number", "十二月": "date", "万一": "word", "，": "punct", "℃": "symbol",
        "Привет": "script", "B2B": "latin",
    }  # fmt: skip
    for s in (bare, segmenter_known, user, load("fast"), load("fast", decoder="unigram")):
        kinds_found = {t.text: t.kind for t in s.tokenize(text) if t.kind != "space"}
        assert {k: v for k, v in kinds_found.items() if k in want} == {
            k: v for k, v in want.items() if k in kinds_found
        }, s
        assert len(kinds_found.keys() & want.keys()) >= 9, s


def test_every_kind_is_named() -> None:
    s = load("fast")
    text = "他说3.5元，见https://a.cn/ 👍 2026年 10:30 C++ ①½ \n e\u0301 の"
    assert set(s.tokenize(text).kinds) <= set(kinds.TOKEN_KINDS)


def test_options_are_frozen_and_known() -> None:
    options = Options(skip="space", user=["云计"], atoms={"url": "split"})
    with pytest.raises(AttributeError, match="immutable"):
        options.oov = "keep"
    for make in (Options, load, lambda **given: Segmenter(worlds.lexicon(), **given)):
        with pytest.raises(TypeError, match=r"'verifi' is not an option: expected .*decoder"):
            make(verifi=False)
    with pytest.raises(TypeError, match=r"expected atoms, .*standard, user, variants, verify$"):
        load(verifi=False)  # type: ignore[call-overload]
    changed = options.replace(oov="keep")
    assert (changed.oov, options.oov) == ("keep", None)
    for name in set(Options.__slots__) - {"oov"}:
        assert getattr(changed, name) == getattr(options, name)


def test_options_of_a_wrong_type_are_named() -> None:
    wrong: dict[str, Any] = {
        "skip must be an iterable of str, not int": {"skip": 1},
        "skip must be str, not int": {"skip": ["space", 1]},
        "matcher must be str or a Matcher, not int": {"matcher": 1},
        "atoms: the setting of 'url' must be str, not NoneType": {"atoms": {"url": None}},
        "atoms: the name of a rule must be str, not int": {"atoms": {1: "keep"}},
    }
    for message, options in wrong.items():
        with pytest.raises(TypeError, match=message):
            load("fast", **options)
    with pytest.raises(errors.ArgumentError, match=r"name: .* is neither a preset"):
        load("\ud800")


def test_options_may_be_of_a_subclass_of_str() -> None:
    class Text(str):
        __slots__ = ()

    names: dict[str, Any] = {
        "standard": Text("pku"), "decoder": Text("unigram"), "oov": Text("keep"),
        "matcher": Text("aho-corasick"), "skip": {Text("space")},
        "atoms": {Text("url"): Text("split")},
    }  # fmt: skip
    plain: dict[str, Any] = {
        "standard": "pku", "decoder": "unigram", "oov": "keep", "matcher": "aho-corasick",
        "skip": {"space"}, "atoms": {"url": "split"},
    }  # fmt: skip
    assert load(Text("fast"), **names).fingerprint == load("fast", **plain).fingerprint


def test_a_standard_of_another_preset_names_it() -> None:
    with pytest.raises(
        errors.ArgumentError,
        match=r"'msr' is a standard of the presets accurate and best only; 'fast",
    ):
        load("fast", standard="msr")


def test_modules_are_attributes_as_the_pages_print_them() -> None:
    program = (
        "import segmenter; print(segmenter.keywords.extract_tags('城市的图书馆', 1)); "
        "print(segmenter.lexicon.Lexicon.__name__, hasattr(segmenter, 'keyword'))"
    )
    got = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert got.stdout.split("\n")[:2] == ["['图书馆']", "Lexicon False"]


def test_a_part_that_was_left_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(oov.PROVIDERS, "bpe", "segmenter.left_out.models")
    with pytest.raises(errors.ResourceError, match=r"oov='bpe' needs segmenter.left_out, which"):
        load("fast", decoder="unigram", oov="bpe")
    monkeypatch.setitem(oov.PROVIDERS, "bpe", "needs_more")
    monkeypatch.setitem(sys.modules, "needs_more", None)
    with pytest.raises(errors.ResourceError, match="needs_more"):
        load("fast", decoder="unigram", oov="bpe")
