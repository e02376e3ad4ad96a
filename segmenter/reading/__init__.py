"""Readings: the pinyin of a text, decided by its words, their tags and their neighbours.

>>> " ".join(pinyin("他还没还我钱"))
'tā hái méi huán wǒ qián'
>>> " ".join(pinyin("银行行长长得高", tones="numbers"))
'yin2 hang2 hang2 zhang3 zhang3 de5 gao1'

Words with a single reading are looked up in pypinyin, which the extra ``pinyin`` installs.  For
characters with several readings, ``readings.txt`` has rules over the tag of the word and the
neighbouring words (``rules.py``).  A word that is in neither is read in parts.  Tones are the tones
of single characters: 一 and 不 are yī and bù everywhere.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from segmenter.choices import one_of
from segmenter.errors import MissingExtraError, check_str, wrong_type
from segmenter.reading.rules import Place, Unit, shipped
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

#: How tones are written: zhǎng, zhang3 (5: neutral), zhang.
Tones: TypeAlias = Literal["marks", "numbers", "none"]

#: A phrase of so many characters is read as one also where it is several words, up to the longest.
_PHRASE, _LONGEST = 4, 8
#: So many words on either side are looked at.
_NEAR = 12


class Reading(NamedTuple):
    """A word and how it is read.

    Attributes:
        word: as in the text.
        tag: its part of speech.
        parts: what the word is made of, each with its syllable: Chinese characters one by one;
            what else there is in runs, with an empty syllable.

    >>> readings("卡拉OK")[0].parts
    (('卡', 'kǎ'), ('拉', 'lā'), ('OK', ''))
    """

    word: str
    tag: str
    parts: tuple[tuple[str, str], ...]


def readings(
    text: str, *, tones: Tones = "marks", segmenter: Segmenter | None = None
) -> list[Reading]:
    """The words of a text, each with its tag and its syllables.

    Args:
        text: any text; the words together are the text.
        tones: how tones are written.
        segmenter: what cuts and tags; the default one.

    Raises:
        TypeError: ``text`` is not a str.
        ArgumentError: ``tones`` is none of those that there are.

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
    out = []
    for word, tag in words:
        parts: list[tuple[str, str]] = []
        for char in word:
            syllable = next(syllables)
            if parts and not syllable and not parts[-1][1]:
                parts[-1] = parts[-1][0] + char, ""
            else:
                parts.append((char, syllable))
        out.append(Reading(word, tag, tuple(parts)))
    return out


def pinyin(
    text: str,
    *,
    tones: Tones = "marks",
    words: bool = False,
    segmenter: Segmenter | None = None,
) -> list[str]:
    """The pinyin of a text: a syllable for each Chinese character, what else there is as it is.

    Args:
        text: any text.
        tones: ``"marks"`` (zhǎng), ``"numbers"`` (zhang3; 5 is the neutral tone), ``"none"``.
        words: a str for each word instead of each syllable, with the apostrophe that its spelling
            needs (``Xī'ān`` is one word).
        segmenter: what cuts and tags; the default one.

    Raises:
        TypeError: ``text`` is not a str.
        ArgumentError: ``tones`` is none of those that there are.

    >>> pinyin("我只买了一只鸡", tones="numbers")
    ['wo3', 'zhi3', 'mai3', 'le5', 'yi1', 'zhi1', 'ji1']
    >>> pinyin("他在西安银行上班", words=True)
    ['tā', 'zài', "xī'ān", 'yínháng', 'shàngbān']
    """
    found = readings(text, tones=tones, segmenter=segmenter)
    if not words:
        return [syllable or run for r in found for run, syllable in r.parts]
    return [_joined(r.parts) for r in found]


def ruby(text: str, *, tones: Tones = "marks", segmenter: Segmenter | None = None) -> str:
    """HTML with the pinyin above each Chinese character; what else there is, escaped.

    Raises:
        TypeError: ``text`` is not a str.
        ArgumentError: ``tones`` is none of those that there are.

    >>> print(ruby("长大<br>"))
    <ruby>长<rt>zhǎng</rt>大<rt>dà</rt></ruby>&lt;br&gt;
    """
    out = []
    for reading in readings(text, tones=tones, segmenter=segmenter):
        inside = False
        for run, syllable in reading.parts:
            if bool(syllable) != inside:
                inside = not inside
                out.append("<ruby>" if inside else "</ruby>")
            out.append(f"{escape(run)}<rt>{syllable}</rt>" if syllable else escape(run))
        if inside:
            out.append("</ruby>")
    return "".join(out)


def _joined(parts: tuple[tuple[str, str], ...]) -> str:
    """The syllables of a word in one, with the apostrophe before a syllable that begins a, o, e."""
    out = ""
    for i, (run, syllable) in enumerate(parts):
        if i and syllable and parts[i - 1][1] and to_normal(syllable)[0] in "aoe":
            out += "'"
        out += syllable or run
    return out


def _with_number(syllable: str) -> str:
    written: str = to_tone3(syllable, v_to_u=True, neutral_tone_with_five=True)
    return written


_WRITERS: dict[str, Callable[[str], str]] = {
    "marks": to_tone,
    "numbers": _with_number,
    "none": lambda syllable: to_normal(syllable, v_to_u=True),
}


def _syllables(words: list[tuple[str, str]]) -> Iterator[str]:
    """A syllable for every character of the words, empty for what is no Chinese character."""
    rules = shipped()
    whole = [Unit(text, fold_str(text), tag, "only") for text, tag in _phrases(words)]
    for i, word in enumerate(whole):
        parts = _parts(word)
        around = whole[max(0, i - _NEAR) : i], whole[i + 1 : i + 1 + _NEAR]
        for j, part in enumerate(parts):
            found = rules.get(part.text) or rules.get(part.plain) if len(part.text) > 1 else None
            place = Place(part, around[0] + parts[:j], parts[j + 1 :] + around[1])
            for rule in found or rules.get(part.text, ()):
                if rule.holds(place):
                    yield from rule.reading
                    break
            else:
                yield from _phrase(part.text) or _phrase(part.plain) or map(_usual, part.text)


def _phrases(words: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The words, but phrases over several words in one, with the tag of the first."""
    at = 0
    while at < len(words):
        text, tag = words[at]
        end, phrase = at + 1, text
        for last in range(at + 1, len(words)):
            phrase += words[last][0]
            if len(phrase) > _LONGEST:
                break
            if len(phrase) >= _PHRASE and _known(phrase):
                text, end = phrase, last + 1
        yield text, tag
        at = end


def _parts(word: Unit) -> list[Unit]:
    """The longest parts of a word that are known, from the left; the word, if it is."""
    out, start, size = [], 0, len(word.text)
    while start < size:
        end = min(size, start + _LONGEST)
        while end - start > 1 and not _known(word.text[start:end]):
            end -= 1
        at = "first" if start == 0 else "last" if end == size else "inner"
        at = "only" if (start, end) == (0, size) else at
        out.append(Unit(word.text[start:end], word.plain[start:end], word.tag, at))
        start = end
    return out


def _known(text: str) -> bool:
    return (
        text in constants.PHRASES_DICT
        or text in shipped()
        or fold_str(text) in constants.PHRASES_DICT
        or fold_str(text) in shipped()
    )


def _phrase(text: str) -> list[str]:
    """A syllable for each character of a phrase of pypinyin's; empty if it is none."""
    found = constants.PHRASES_DICT.get(text, ()) if len(text) > 1 else ()
    return [syllables[0] for syllables in found] if len(found) == len(text) else []


def _usual(char: str) -> str:
    """The usual reading of a character, empty if it has none."""
    rules = shipped().get(char) or shipped().get(fold_str(char))
    if rules and not rules[-1].conditions:
        return rules[-1].reading[0]
    listed: str = constants.PINYIN_DICT.get(ord(char), "")
    return listed.split(",")[0]
