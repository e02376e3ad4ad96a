"""Guesses the encoding of bytes that are not UTF-8: GB18030 or Big5.

Most texts in one of these encodings also decode in the other, but to rare characters.  So the guess
depends on the shares of decoded characters that are among the most frequent ones, or in the half of
the encoding for common characters.

>>> encodings("今天的天气很好".encode("gb18030")), encodings("今天的天氣很好".encode("big5"))
(['gb18030'], ['big5'])
>>> encodings(b"\\xff\\xff"), encodings("乾燥".encode("big5"))
([], ['gb18030', 'big5'])
"""

from __future__ import annotations

#: The common name of each encoding.
NAMES = {"gb18030": "GB18030 (GBK)", "big5": "Big5"}

#: The most frequent characters of running text, in both scripts.
_COMMON = frozenset(
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天"
    "而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与"
    "高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东"
    "這來國個說們為時會過家學對裡後麼沒於還發當無開見經頭動兩長樣現將與進實點種聲話兒問機給幾業間電門東"
)
_MARGIN = 0.5  # if the scores differ by less, both encodings are possible


def encodings(raw: bytes) -> list[str]:
    """Return the possible encodings of bytes, the likelier first; one if there is no doubt."""
    scores = {}
    for codec in NAMES:
        try:
            scores[codec] = _score(raw.decode(codec), codec)
        except UnicodeDecodeError:
            continue
    likely = sorted(scores, key=lambda codec: -scores[codec])
    if len(likely) == 2 and scores[likely[0]] - scores[likely[1]] > _MARGIN:
        return likely[:1]
    return likely


def _score(text: str, codec: str) -> float:
    """The share of usual characters plus twice the share of the most frequent ones."""
    wide = [c for c in text if c > "\x7f"]
    if not wide:
        return 0.0
    common = sum(c in _COMMON for c in wide)
    return (sum(_is_usual(c.encode(codec), codec) for c in wide) + 2 * common) / len(wide)


def _is_usual(raw: bytes, codec: str) -> bool:
    """Whether a character is punctuation or in the encoding's half for common characters."""
    if codec == "big5":  # A1 to A3: signs; A440 to C67E: 5,401 frequently used characters
        return b"\xa1\x40" <= raw <= b"\xa3\xbf" or b"\xa4\x40" <= raw <= b"\xc6\x7e"
    # GB 2312: A1A1 to A3FE signs, level 1 from B0A1 to D7F9: 3,755 characters in daily use
    return (
        len(raw) == 2
        and raw[1] >= 0xA1
        and (0xA1 <= raw[0] <= 0xA3 or b"\xb0\xa1" <= raw <= b"\xd7\xf9")
    )


def advice(raw: bytes, form: str) -> str:
    """Return a sentence that names the likely encoding of a line and the argument to give.

    ``form`` is the argument, with a place for the name of the codec.

    >>> advice("今天的天氣很好".encode("big5"), "give encoding={!r}")
    "the line reads as Big5: give encoding='big5'"
    """
    codecs = encodings(raw)
    if not codecs:
        return ""
    if len(codecs) == 1:
        return f"the line reads as {NAMES[codecs[0]]}: {form.format(codecs[0])}"
    readings = (f"{raw.decode(codec)[:12]!r} as {NAMES[codec]}" for codec in codecs)
    remedies = [form.format(codec) for codec in codecs]
    remedies[1:] = [remedy.removeprefix("give ") for remedy in remedies[1:]]
    return f"the line reads as {' or '.join(readings)}: {' or '.join(remedies)}"
