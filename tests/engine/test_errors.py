"""The exceptions: what they derive from, what they say, that they cross process borders."""

from __future__ import annotations

import copy
import os
import pickle
import re
from typing import TYPE_CHECKING

import pytest

from segmenter import errors, load
from segmenter.atoms import Atoms
from segmenter.core import Segmenter
from segmenter.lexicon.user import UserDictionary
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES: list[errors.SegmenterError] = [
    errors.SegmenterError("plain"),
    errors.ArgumentError("decoder='x' is not known"),
    errors.ArtifactError("a.lex", "the file is empty"),
    errors.ArtifactError("a.lex", "is too new", "upgrade"),
    errors.ResourceError("no file 'a.lex'"),
    errors.DictionaryError("words.tsv", 3, "no count"),
    errors.DictionaryError("words.tsv", None, "no words"),
    errors.EncodingError("byte 0xff", 17, 2, "in.txt"),
    errors.EncodingError("byte 0xff"),
    errors.MissingExtraError("marisa", "marisa_trie", "matcher='marisa'"),
    errors.DictionaryWarning("words.tsv, line 3: no word"),
]


@pytest.mark.parametrize("error", SAMPLES, ids=lambda error: type(error).__name__)
def test_pickle_and_copy_keep_everything(error: Exception) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(error, protocol))
        assert type(back) is type(error)
        assert str(back) == str(error)
        assert vars(back) == vars(error)
    assert str(copy.copy(error)) == str(error)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.ArgumentError, ValueError),
        (errors.ResourceError, LookupError),
        (errors.DictionaryError, ValueError),
        (errors.EncodingError, ValueError),
        (errors.MissingExtraError, ImportError),
        (errors.ArtifactError, Exception),
    ],
)
def test_one_base_and_the_usual_builtin(kind: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(kind, errors.SegmenterError)
    assert issubclass(kind, builtin)


def test_every_class_of_the_module_is_sampled() -> None:
    classes = {value for value in vars(errors).values() if isinstance(value, type)}
    assert classes == {type(sample) for sample in SAMPLES}


def test_artifact_error_names_file_fault_and_remedy() -> None:
    text = str(errors.ArtifactError("dir/a.lex", "the file is empty"))
    assert text.startswith("dir/a.lex: the file is empty; rebuild it with `segmenter build lexicon")
    assert text.endswith("reinstall segmenter-zh")


def test_dictionary_error_names_file_and_line() -> None:
    error = errors.DictionaryError("words.tsv", 12, "the word is empty")
    assert str(error) == "words.tsv, line 12: the word is empty"
    assert (error.path, error.line, error.reason) == ("words.tsv", 12, "the word is empty")
    assert str(errors.DictionaryError("words.tsv", None, "no words")) == "words.tsv: no words"


def test_encoding_error_names_only_what_is_known() -> None:
    assert str(errors.EncodingError("bad", 5)) == "byte offset 5: bad"
    assert str(errors.EncodingError("bad", None, 3)) == "line 3: bad"
    assert str(errors.EncodingError("bad", 0, 1, "f")) == "f, line 1, byte offset 0: bad"
    assert str(errors.EncodingError("bad")) == "bad"


def test_missing_extra_is_an_import_error_with_the_name() -> None:
    error = errors.MissingExtraError("marisa", "marisa_trie", "matcher='marisa'")
    assert error.name == "marisa_trie"
    assert "pip install the packages of the extra [marisa]" in str(error)
    missing = errors.MissingExtraError("pinyin", "pypinyin", "pinyin")
    assert str(missing).endswith(": pip install 'pypinyin>=0.50'")


def test_wrong_type_names_argument_and_both_types() -> None:
    error = errors.wrong_type("text", None, "str")
    assert type(error) is TypeError
    assert str(error) == "text must be str, not NoneType"


def test_a_segmenter_never_initialised_says_so() -> None:
    bare = Segmenter.__new__(Segmenter)
    for call in (bare.cut, bare.ends):
        with pytest.raises(TypeError, match="never initialised"):
            call("他")


# --- long values ---------------------------------------------------------------------------------

_LONG = {"a": "a" * 200_000, "quotes": "'\"\\" * 60_000, "lines": "词\n" * 100_000}


@pytest.mark.parametrize("long", _LONG.values(), ids=_LONG)
@pytest.mark.parametrize(
    "call",
    [
        lambda long: load_by_name(long),
        lambda long: load_by_name("fast", decoder=long),
        lambda long: load_by_name("fast", standard=long),
        lambda long: load_by_name("fast", atoms={long: "keep"}),
        lambda long: load_by_name("fast", atoms={"url": long}),
        lambda long: Atoms.parse(long + "=keep"),
        lambda long: Atoms(patterns={"x": long + "("}),
        lambda long: Atoms(patterns={long: "("}),
        lambda long: UserDictionary([("词", long)]),
        lambda long: UserDictionary([(long, "no level")]),
        lambda long: UserDictionary([(long, b"")]),  # type: ignore[list-item]
        lambda long: UserDictionary([("a|" + long, "split", 3)]),  # type: ignore[list-item]
        lambda long: UserDictionary([(long, "prefer", "", {1})]),
        lambda long: UserDictionary.load(f"词\t{long}".encode()),
        lambda long: UserDictionary.load(b"", format=long),
        lambda long: load("fast").tokenize("", units=long),
    ],
)
def test_a_message_repeats_no_long_value(call: Callable[[str], object], long: str) -> None:
    with pytest.raises((errors.SegmenterError, TypeError)) as e:
        call(long)
    assert len(str(e.value)) <= 1100
    assert len(pickle.dumps(e.value)) <= 4000


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (load, "name"),
        (lambda path: load("fast", user=path), "source"),
        (UserDictionary.load, "source"),
        (UserDictionary(["云计"]).save, "path"),
        (lambda path: load("fast").cut_file(path, os.devnull), "src"),
        (lambda path: load("fast").cut_file(__file__, path), "dst"),
    ],
)
def test_a_path_with_a_nul_character_is_refused(
    call: Callable[[str], object], argument: str
) -> None:
    with pytest.raises(errors.ArgumentError, match=f"^{argument}: .*x00"):
        call("a\0b")


def test_how_a_long_value_is_shortened() -> None:
    with pytest.raises(errors.ArgumentError) as e:
        load_by_name("fast", decoder="a" * 1_000_000)
    message = f"decoder: '{'a' * 200}…' (1,000,000 characters) is not one of "
    assert str(e.value).startswith(message)
    # a million line ends are two million characters as they are shown
    with pytest.raises(errors.ArgumentError) as e:
        load_by_name("fast", decoder="\n" * 1_000_000)
    message = "decoder: '" + r"\n" * 200 + "…' (1,000,000 characters) is not one of "
    assert str(e.value).startswith(message)
    # apostrophes of words are no quotation marks
    prose = "the user's words" + " and so on" * 50 + " of the file's"
    assert str(errors.ArgumentError(prose)) == prose
    listed = errors.ArgumentError(f"parts: {['a'] * 10_000} are not two: give two")
    assert str(listed).endswith("are not two: give two")
    assert re.search(r"… \(50,0\d\d characters\) …", str(listed))
