"""Regular expressions of foreign files: the kernel, the reference, the engines themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.expressions import expression_matches

from segmenter.errors import ArgumentError
from segmenter.subword import characters, expressions, normalise, patterns, pretokenise, scanning
from segmenter.subword.scanning import Cut

TEXTS = st.text(
    st.sampled_from("aabbAB1²5 \t\r\n'sStTlL好的是,.$_-`\u0301\u200d😀ſKβ\u3000"), max_size=24
)
PATTERNS = (
    patterns.GPT2,
    patterns.R50K,
    patterns.O200K,
    patterns.QWEN,
    *patterns.DEEPSEEK3,
    r"(?:a|ab)(?:c|bcd|b)*?1|\w{2,3}?|\b[^\W\d]+\b",
    r"(?<=a)b+|(?<!\s)[a-z&&[^a]]|(?=\p{Lu})|(?>a|ab)b",
    r"(?i:ab|k)+|[[:alpha:]--]|x*",
    r"^a*+$|(a+b?)+1|(?:a?b|b){2,4}a|\Ab\z",
)


@given(TEXTS, st.sampled_from(PATTERNS), st.sampled_from(expressions.ENGINES))
def test_the_kernel_matches_as_its_twin_does(text: str, pattern: str, engine: str) -> None:
    try:
        tree = expressions.parse(pattern, engine)
    except ArgumentError:
        return
    matches = scanning.scanner([Cut(pattern, engine=engine)]).matches(text)
    assert matches == expression_matches(tree, text)


@given(TEXTS, st.sampled_from(scanning.BEHAVIOURS), st.booleans())
def test_spans_of_several_steps_are_those_of_one_after_another(
    text: str, behaviour: str, invert: bool
) -> None:
    cuts = [Cut(r"\p{N}", behaviour, invert), Cut(r"[a好]+", behaviour), Cut(r"\s+(?!\S)")]
    spans = [(0, len(text))] if text else []
    for cut in cuts:
        scanner = scanning.scanner([cut])
        spans = [(a + i, a + k) for a, b in spans for i, k in scanner.spans(text[a:b])]
    assert scanning.scanner(cuts).spans(text) == spans


ONIGURUMA = (
    r"[[a-c]&&[b-z]]", r"[\p{L}&&[^a-z]]+", r"[[:alpha:]]+", r"[[:punct:]]+", r"\p{Han}+",
    r"\p{^Han}",
    r"\p{Punct}", r"\h+", r"\R", r"$", r"^", r"(?i:s|k)", r"\w+", r"a{1,2}+b", r"[^\S\n]+", r"\Z",
    r"(?m:.)+", r".+", r"(?<=a|b\n)b", r"a(?i)b|s", r"[]a]", r"\x{597d}", r"\p{Latin}+",
)  # fmt: skip


@pytest.mark.parametrize("pattern", ONIGURUMA)
def test_classes_mean_what_oniguruma_means(pattern: str) -> None:
    hf = pytest.importorskip("tokenizers")
    theirs = hf.pre_tokenizers.Split(hf.Regex(pattern), "isolated")
    entry = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    step = pretokenise.make(entry)

    @given(TEXTS)
    def check(text: str) -> None:
        assert list(step.split(text)) == [span for _, span in theirs.pre_tokenize_str(text)]

    check()


FANCY = (
    r"[[:alpha:]]+|.", r"\w+|.", r"a{1,2}+|b|.", r"(?s:.)", r"[\p{Han}&&[^的]]+|(?s).",
    r"\p{Script=Han}+|(?s:.)", r"(?i:s|k)+|(?s:.)", r"\p{L}++|(?m:^)\n|(?s:.)",
)  # fmt: skip


@pytest.mark.parametrize("pattern", FANCY)
def test_classes_mean_what_fancy_regex_means(pattern: str) -> None:
    library = pytest.importorskip("tiktoken")
    ranks = {bytes([b]): b for b in range(256)}
    theirs = library.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})

    @given(st.text(st.sampled_from("abAB1²5 \n'sS好的,.$_-\u0301\u200dſK"), max_size=12))
    def check(text: str) -> None:
        remaining = "".join(text[a:b] for a, b in scanning.matches(pattern, text))
        assert remaining.encode() == theirs.decode_bytes(theirs.encode_ordinary(text))

    check()


def test_new_han_characters_are_letters_whatever_python_knows() -> None:
    for cp in (0x2EBF0, 0x31350, 0x2A6DE, 0x9FFF):  # of Unicode 15.1, 15, 13, 14
        assert scanning.matches(r"\p{L}\p{Han}", chr(cp) * 2) == [(0, 2)]
    assert characters.contains(characters.prop("Cn", "fancy") or (), 0x323B0)  # of 17


@pytest.mark.parametrize(
    ("pattern", "engine", "part"),
    [
        (r"a(b)\1", "fancy", r"'\1' at 4"),
        (r"a\X", "oniguruma", r"'\X' at 1"),
        (r"\p{Emoji}", "fancy", r"'\p{Emoji}' at 0"),
        (r"[a--b]", "fancy", r"'[a--' at 0"),
        (r"(?i:straße)", "oniguruma", "'st' at 4"),
        (r"(?i:é)", "fancy", "'é' at 4"),
        (r"(?<=a+)b", "fancy", r"'(?<=a+)' at 0"),
        (r"(?(1)a|b)", "oniguruma", r"'(?(' at 0"),
        (r"(ab", "fancy", "is never closed"),
        (r"a)", "fancy", "closes nothing"),
        (r"[a-", "fancy", "too early"),
        (r"x{3,1}", "fancy", "wrong way round"),
        (r"*a", "fancy", "repeats nothing"),
        (r"\K", "fancy", "is not supported"),
    ],
)
def test_what_cannot_be_honoured_is_refused_with_the_part(
    pattern: str, engine: str, part: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        expressions.parse(pattern, engine)
    assert part in str(caught.value).replace("\\\\", "\\")


def test_files_with_such_a_pattern_are_refused_when_they_are_read() -> None:
    entry = {"type": "Split", "pattern": {"Regex": r"(a)\1"}, "behavior": "Isolated"}
    with pytest.raises(ArgumentError, match=r"'\\\\1' at 3"):
        pretokenise.make(entry)
    with pytest.raises(ArgumentError, match=r"'\\\\1' at 3"):
        normalise.make({"type": "Replace", "pattern": {"Regex": r"(a)\1"}, "content": ""})
    with pytest.raises(ArgumentError, match="may match nothing"):
        scanning.scanner([Cut(r"(?:a*)*b")])


@pytest.mark.parametrize(
    "pattern", [r"(?:a|a)*b|a", r"(a+)+b|a", r"a*b|a", r"(?=(a|aa)+$)a|a", r"a++b|a"]
)
def test_no_text_takes_more_than_linear_work(pattern: str) -> None:
    scanner = scanning.scanner([Cut(pattern)])
    small, large = scanner.steps("a" * 1000 + "c"), scanner.steps("a" * 4000 + "c")
    assert large < 5 * small < 4_000_000
    assert scanner.matches("a" * 50 + "c") == [(i, i + 1) for i in range(50)] or "=" in pattern


def test_slow_and_quick_matching_agree() -> None:
    # long enough for notes to be kept, short enough for the reference
    for pattern in (r"(?:a|ab)*c|a+?(?=b)|b", r"(?:a+b?)+c|[ab]", r"(?=(?:a|aa)+c)a|b|a(?!a)"):
        tree = expressions.parse(pattern)
        long = "aab" * 4 + "a" * 5 + "bb" + "aac"
        matches = scanning.scanner([Cut(pattern)]).matches(long)
        assert matches == expression_matches(tree, long)
