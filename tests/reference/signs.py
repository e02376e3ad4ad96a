"""Where a sign separates words for a tagger (``tagging/text.hpp``)."""

from __future__ import annotations

from segmenter.text import chars

SIGNS = frozenset("|#`<>/=()[]{}\\·")


def sign_boundaries(text: str) -> set[int]:
    """Where a tagger must end a word because a sign stands alone; ignores atoms and user words.

    Between digits, and for the dot of a name between letters, the tags decide; combining marks
    stay with their sign.

    >>> sorted(sign_boundaries("张三|李四，司马义·艾买提，1/2"))
    [2, 3]
    """
    folded = "".join(chr(chars.fold(ord(c))) for c in text)
    kinds = [chars.char_class(ord(c)) for c in folded]
    letters = (chars.DIGIT, chars.LATIN, chars.HANNUM, chars.HAN, *range(chars.GREEK, chars.HAN))
    half = {"（": "(", "）": ")"}
    boundaries: set[int] = set()
    for k, c in enumerate(folded):
        if half.get(c, c) not in SIGNS:
            continue
        around = kinds[k - 1 : k + 2 : 2] if 0 < k < len(text) - 1 else []
        if around == [chars.DIGIT] * 2 and c in "·/":
            continue
        if around and c == "·" and all(kind in letters for kind in around):
            continue
        boundaries |= {boundary for boundary in (k, k + 1) if boundary == k or boundary < len(text)}
    return {k for k in boundaries if k and kinds[k] != chars.EXTEND}
