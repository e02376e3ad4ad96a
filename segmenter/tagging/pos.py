"""Part-of-speech tags: a linear tagger over the words of any segmentation.

>>> tagger = load()
>>> tagger.tags(["努力", "发展", "经济"]), tagger.tags(["经济", "的", "发展"])
(['ad', 'v', 'n'], ['n', 'u', 'vn'])
>>> MEANING["ns"]
('地名', 'place name')

The tags are those of the People's Daily corpus of January 1998 (Yu et al. 2002); :data:`MEANING`
lists them.  Words are tagged from left to right by an averaged perceptron (Collins 2002)
over features of the word, its neighbours, its characters and the two preceding tags (after
Ratnaparkhi 1996); a word with only one tag in the model's list gets this tag directly.
Features that see one word alone (the word or one of its four neighbours) decide if one tag leads
by a margin; the other features are needed for one word in twenty.  Each word gets one tag;
boundaries are never moved.  See ``kernels/pos/pos.hpp``.
"""

from __future__ import annotations

from functools import cache

from segmenter import artifact
from segmenter.errors import ArtifactError, check_iterable
from segmenter.files import resources
from segmenter.kernels import _lexicon, _models, _opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

KIND = "pos"
#: The shipped model.
SHIPPED = _opening.POS_MODEL
REMEDY = "reinstall segmenter-zh, or check out models/pos.model again"

#: The meaning of each tag in Chinese and English.  Tags of a capital and a small letter are
#: morphemes that are not words of modern Chinese by themselves.
MEANING = {
    "a": ("形容词", "adjective"),
    "ad": ("副形词", "adjective as adverbial"),
    "an": ("名形词", "adjective as noun"),
    "Ag": ("形语素", "adjectival morpheme"),
    "b": ("区别词", "distinguishing word (attributive only)"),
    "Bg": ("区别语素", "distinguishing morpheme"),
    "c": ("连词", "conjunction"),
    "d": ("副词", "adverb"),
    "Dg": ("副语素", "adverbial morpheme"),
    "e": ("叹词", "interjection"),
    "f": ("方位词", "noun of locality"),
    "h": ("前接成分", "prefix"),
    "i": ("成语", "idiom"),
    "j": ("简称略语", "abbreviation"),
    "k": ("后接成分", "suffix"),
    "l": ("习用语", "fixed expression"),
    "m": ("数词", "numeral"),
    "Mg": ("数语素", "numeral morpheme"),
    "n": ("名词", "noun"),
    "Ng": ("名语素", "nominal morpheme"),
    "nr": ("人名", "personal name"),
    "ns": ("地名", "place name"),
    "nt": ("机构团体", "organisation"),
    "nx": ("外文字符", "foreign letters"),
    "nz": ("其他专名", "other proper noun"),
    "o": ("拟声词", "onomatopoeia"),
    "p": ("介词", "preposition"),
    "q": ("量词", "classifier"),
    "r": ("代词", "pronoun"),
    "Rg": ("代语素", "pronominal morpheme"),
    "s": ("处所词", "noun of place"),
    "t": ("时间词", "noun of time"),
    "Tg": ("时语素", "temporal morpheme"),
    "u": ("助词", "particle"),
    "v": ("动词", "verb"),
    "vd": ("副动词", "verb as adverbial"),
    "vn": ("名动词", "verb as noun"),
    "Vg": ("动语素", "verbal morpheme"),
    "w": ("标点符号", "punctuation or symbol"),
    "x": ("空白", "blank or line end; not of the corpus"),
    "y": ("语气词", "modal particle"),
    "Yg": ("语气语素", "modal morpheme"),
    "z": ("状态词", "descriptive word"),
}


class PosTagger(artifact.OnArtifact):
    """A compiled part-of-speech tagger.  Immutable; shared by any number of threads."""

    __slots__ = ("native",)

    KIND = KIND

    def __init__(self, art: artifact.Artifact) -> None:
        super().__init__(art)
        sections = self._sections()
        try:
            lexicon = _lexicon.Lexicon(sections, variants=True)
            self.native = _models.PosTagger(lexicon, sections, art.meta_bytes)
        except (KeyError, ValueError, TypeError, OverflowError) as e:
            raise ArtifactError(
                art.path, f"its sections are not a part-of-speech tagger's: {e}", REMEDY
            ) from e

    def tags(self, words: Iterable[str], given: Sequence[str | None] | None = None) -> list[str]:
        """Return one tag per word; Traditional and regional forms are read as Simplified ones.

        Blanks get ``"x"`` and are skipped as neighbours.  A word that contains a line end gets
        ``"x"`` and ends the sentence, so that each line is tagged as it would be alone.

        Args:
            words: the words of a text, in order.
            given: known tags, None for words without one.  They are returned unchanged, and those
                in :data:`MEANING` serve as context for their neighbours.

        Raises:
            TypeError: ``words`` is a str, or an item is not a str.
            ValueError: ``given`` has a different length.
        """
        word_list = _words(words)
        tags = self.native.tags(word_list, given)
        if given is None:
            return tags
        return [tag if known is None else known for tag, known in zip(tags, given, strict=True)]

    def pairs(self, words: Iterable[str]) -> list[tuple[str, str]]:
        """Return ``(word, tag)`` for each word; see :meth:`tags`."""
        return self.native.pairs(_words(words))

    def __repr__(self) -> str:
        return f"<PosTagger {self.name}>"


def _words(words: Iterable[str]) -> list[str]:
    check_iterable("words", words)
    return words if type(words) is list else list(words)


@cache
def _shipped() -> PosTagger:
    return PosTagger.open(resources.find(SHIPPED))


def load(path: str | os.PathLike[str] | None = None) -> PosTagger:
    """Return the shipped tagger, opened once per process, or that of a file.

    Raises:
        ResourceError: the tagger is not installed; the message lists the folders searched.
        ArtifactError: the file is damaged, foreign or newer than this package.
    """
    return _shipped() if path is None else PosTagger.open(path)
