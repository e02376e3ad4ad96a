"""Readings: the pinyin of a text, decided by its words, their tags and their neighbours.

>>> " ".join(pinyin("他还没还我钱"))
'tā hái méi huán wǒ qián'
>>> " ".join(pinyin("银行行长长得高", tones="numbers"))
'yin2 hang2 hang2 zhang3 zhang3 de5 gao1'

Words with a single reading are looked up in pypinyin, which the extra ``pinyin`` installs.  For
characters with several readings, ``readings.txt`` has rules about the tag of the word and the
neighbouring words (``rules.py``).  A word without an entry in either is read in parts.  Tones are
those of single characters: 一 and 不 are always yī and bù.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from segmenter.choices import one_of
from segmenter.errors import MissingExtraError, check_str, wrong_type
from segmenter.reading.rules import Context, Unit, shipped
from segmenter.text.variants import fold_str

try:
    from pypinyin import constants
    from pypinyin.contrib.tone_convert import to_normal, to_tone, to_tone3
except ModuleNotFoundError as e:
    if e.name is None or e.name.split(".")[0] != "pypinyin":
        raise
    raise MissingExtraError("pinyin", "pypinyin", "segmenter.reading") from e

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from segmenter.core import Segmenter

#: The notations of tones: zhǎng, zhang3 (5: neutral), zhang.
Tones: TypeAlias = Literal["marks", "numbers", "none"]

#: The length in characters of phrases that are read as a unit even if they are several words.
_MIN_PHRASE, _MAX_PHRASE = 4, 8
#: The number of words on either side that rules can see.
_CONTEXT_WORDS = 12


class Reading(NamedTuple):
    """A word and its reading.

    Attributes:
        word: as in the text.
        tag: its part of speech.
        parts: the parts of the word, each with its syllable: single Chinese characters, and runs of
            other characters with an empty syllable.

    >>> readings("卡拉OK")[0].parts
    (('卡', 'kǎ'), ('拉', 'lā'), ('OK', ''))
    """

    word: str
    tag: str
    parts: tuple[tuple[str, str], ...]


def readings(
    text: str, *, tones: Tones = "marks", segmenter: Segmenter | None = None
) -> list[Reading]:
    """Return the words of a text, each with its tag and its syllables.

    Args:
        text: any text; the words joined are the text.
        tones: the notation of tones, see :func:`pinyin`.
        segmenter: cuts and tags the text; None: the default one.

    Raises:
        TypeError: ``text`` is not a str.
        ArgumentError: an unknown value of ``tones``.

    >>> [(r.word, [syllable for _, syllable in r.parts]) for r in readings("长大了")]
    [('长大', ['zhǎng', 'dà']), ('了', ['le'])]
    """
    check_str("text", text)
    one_of("tones", tones, get_args(Tones))
    if segmenter is None:
        from segmenter import default

        segmenter = default.default_segmenter()
    elif not hasattr(segmenter, "tag"):
        raise wrong_type("segmenter", segmenter, "a Segmenter, made by segmenter.load")
    words = segmenter.tag(text)
    write = _WRITERS[tones]
    syllables = iter([write(s) if s else "" for s in _syllables(words)])
    result = []
    for word, tag in words:
        parts: list[tuple[str, str]] = []
        for char in word:
            syllable = next(syllables)
            if parts and not syllable and not parts[-1][1]:
                parts[-1] = parts[-1][0] + char, ""
            else:
                parts.append((char, syllable))
        result.append(Reading(word, tag, tuple(parts)))
    return result


def pinyin(
    text: str, *, tones: Tones = "marks", words: bool = False, segmenter: Segmenter | None = None
) -> list[str]:
    """Return the pinyin of a text: a syllable per Chinese character; other text is unchanged.

    Args:
        text: any text.
        tones: ``"marks"`` (zhǎng), ``"numbers"`` (zhang3; 5 is the neutral tone), ``"none"``.
        words: return a str per word instead of per syllable, with the apostrophe of its spelling
            (``Xī'ān`` is one word).
        segmenter: cuts and tags the text; None: the default one.

    Raises:
        TypeError: ``text`` is not a str.
        ArgumentError: an unknown value of ``tones``.

    >>> pinyin("我只买了一只鸡", tones="numbers")
    ['wo3', 'zhi3', 'mai3', 'le5', 'yi1', 'zhi1', 'ji1']
    >>> pinyin("他在西安银行上班", words=True)
    ['tā', 'zài', "xī'ān", 'yínháng', 'shàngbān']
    """
    words_read = readings(text, tones=tones, segmenter=segmenter)
    if not words:
        return [syllable or run for reading in words_read for run, syllable in reading.parts]
    return [_joined(reading.parts) for reading in words_read]


def ruby(text: str, *, tones: Tones = "marks", segmenter: Segmenter | None = None) -> str:
    """Return HTML with the pinyin above each Chinese character; other text is escaped.

    Raises:
        TypeError: ``text`` is not a str.
        ArgumentError: an unknown value of ``tones``.

    >>> print(ruby("长大<br>"))
    <ruby>长<rt>zhǎng</rt>大<rt>dà</rt></ruby>&lt;br&gt;
    """
    html = []
    for reading in readings(text, tones=tones, segmenter=segmenter):
        in_ruby = False
        for run, syllable in reading.parts:
            if bool(syllable) != in_ruby:
                in_ruby = not in_ruby
                html.append("<ruby>" if in_ruby else "</ruby>")
            html.append(f"{escape(run)}<rt>{syllable}</rt>" if syllable else escape(run))
        if in_ruby:
            html.append("</ruby>")
    return "".join(html)


def _joined(parts: tuple[tuple[str, str], ...]) -> str:
    """Return the joined syllables of a word, with apostrophes before syllables in a, o or e."""
    spelling = ""
    for i, (run, syllable) in enumerate(parts):
        if i and syllable and parts[i - 1][1] and to_normal(syllable)[0] in "aoe":
            spelling += "'"
        spelling += syllable or run
    return spelling


def _with_number(syllable: str) -> str:
    numbered: str = to_tone3(syllable, v_to_u=True, neutral_tone_with_five=True)
    return numbered


_WRITERS: dict[str, Callable[[str], str]] = {
    "marks": to_tone,
    "numbers": _with_number,
    "none": lambda syllable: to_normal(syllable, v_to_u=True),
}


def _syllables(words: list[tuple[str, str]]) -> Iterator[str]:
    """Yield a syllable for every character of the words, empty for other than Chinese ones."""
    rules = shipped()
    units = [Unit(text, fold_str(text), tag, "only") for text, tag in _phrases(words)]
    for i, word in enumerate(units):
        parts = _parts(word)
        before, after = units[max(0, i - _CONTEXT_WORDS) : i], units[i + 1 : i + 1 + _CONTEXT_WORDS]
        for j, part in enumerate(parts):
            context = Context(part, before + parts[:j], parts[j + 1 :] + after)
            candidates = rules.get(part.text, ())
            if not candidates and len(part.text) > 1:
                candidates = rules.get(part.plain, ())
            for rule in candidates:
                if rule.holds(context):
                    yield from rule.reading
                    break
            else:
                yield from _phrase(part.text) or _phrase(part.plain) or map(_usual, part.text)


def _phrases(words: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the words; a phrase of several words is one unit with the tag of the first."""
    start = 0
    while start < len(words):
        text, tag = words[start]
        end, phrase = start + 1, text
        for last in range(start + 1, len(words)):
            phrase += words[last][0]
            if len(phrase) > _MAX_PHRASE:
                break
            if len(phrase) >= _MIN_PHRASE and _is_known(phrase):
                text, end = phrase, last + 1
        yield text, tag
        start = end


def _parts(word: Unit) -> list[Unit]:
    """Return the longest parts with an entry, from the left; or the word, if it has one."""
    parts, start, size = [], 0, len(word.text)
    while start < size:
        end = min(size, start + _MAX_PHRASE)
        while end - start > 1 and not _is_known(word.text[start:end]):
            end -= 1
        position = "first" if start == 0 else "last" if end == size else "inner"
        position = "only" if (start, end) == (0, size) else position
        parts.append(Unit(word.text[start:end], word.plain[start:end], word.tag, position))
        start = end
    return parts


def _is_known(text: str) -> bool:
    return (
        text in constants.PHRASES_DICT
        or text in shipped()
        or fold_str(text) in constants.PHRASES_DICT
        or fold_str(text) in shipped()
    )


def _phrase(text: str) -> list[str]:
    """Return a syllable per character of a phrase in pypinyin; empty if there is no such phrase."""
    readings = constants.PHRASES_DICT.get(text, ()) if len(text) > 1 else ()
    return [syllables[0] for syllables in readings] if len(readings) == len(text) else []


def _usual(char: str) -> str:
    """Return the usual reading of a character, "" if it has none."""
    rules = shipped().get(char) or shipped().get(fold_str(char))
    if rules and not rules[-1].conditions:
        return rules[-1].reading[0]
    readings: str = constants.PINYIN_DICT.get(ord(char), "")
    return readings.split(",")[0]
