"""How a Segmenter cuts: one frozen value, checked here and nowhere else.

>>> options = Options(decoder="unigram", skip="space")
>>> options.decoder, sorted(options.skip), options.oov
('unigram', ['space'], 'chars')
>>> options.replace(oov="keep").oov
'keep'
"""

from __future__ import annotations

import os

from segmenter.atoms import Atoms
from segmenter.choices import DECODERS, MATCHERS, OOV, SKIP, TAGGERS, one_of
from segmenter.errors import wrong_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any, Never, TypeAlias, TypedDict, Unpack

    from segmenter.choices import Decoder, MatcherName, Oov, Skip
    from segmenter.lexicon.matchers import Matcher
    from segmenter.lexicon.user import UserDictionary
    from segmenter.lexicon.user.entry import Item

    #: What stands for words of the user.
    UserWords: TypeAlias = UserDictionary | str | os.PathLike[str] | Iterable[Item] | None

    class SegmenterOptions(TypedDict, total=False):
        """What a Segmenter takes by name; :class:`segmenter.Segmenter` says what each is."""

        decoder: Decoder | None
        oov: Oov
        skip: Skip | Collection[Skip]
        matcher: MatcherName | Matcher | None
        user: UserWords
        atoms: Atoms | Mapping[str, Any] | None

    class LoadOptions(SegmenterOptions, total=False):
        """What :func:`segmenter.load` takes by name besides the standard."""

        variants: bool
        verify: bool


class Options:
    """The options of a Segmenter.  Immutable; every value that it accepts can be used.

    Attributes:
        decoder, matcher: None: what the model or the lexicon needs.
        oov: see :class:`segmenter.Segmenter`.
        skip: the kinds as a set.
        user: None where there are no words of the user.
        atoms: the setting of every rule.

    Raises:
        TypeError, ArgumentError: an unknown option, or a wrong type or value.
    """

    __slots__ = ("atoms", "decoder", "matcher", "oov", "skip", "user")
    decoder: Decoder | None
    oov: Oov
    skip: frozenset[Skip]
    matcher: MatcherName | Matcher | None
    user: UserDictionary | None
    atoms: Atoms

    def __init__(self, **given: Unpack[SegmenterOptions]) -> None:
        for name in given:
            if name not in self.__slots__:
                raise TypeError(f"{name!r} is not an option: expected {', '.join(self.__slots__)}")
        decoder, oov = given.get("decoder"), given.get("oov", "chars")
        skip, matcher = given.get("skip", ()), given.get("matcher")
        atoms, user = given.get("atoms"), given.get("user")
        if decoder is not None:
            one_of("decoder", decoder, DECODERS)
        one_of("oov", oov, OOV)
        if isinstance(skip, str):
            skip = (skip,)
        for name in skip:
            one_of("skip", name, tuple(SKIP))
        if isinstance(matcher, str):
            one_of("matcher", matcher, MATCHERS)
        put = super().__setattr__
        put("decoder", decoder)
        put("oov", oov)
        put("skip", frozenset(skip))
        put("matcher", matcher)
        put("user", None if user is None else user_dictionary(user))
        put("atoms", atoms if isinstance(atoms, Atoms) else Atoms(atoms))

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError("Options are immutable: replace() returns a changed copy")

    def replace(self, **changed: Unpack[SegmenterOptions]) -> Options:
        """Return a copy with other values for some options."""
        same: SegmenterOptions = {
            "decoder": self.decoder, "oov": self.oov, "skip": self.skip, "matcher": self.matcher,
            "user": self.user, "atoms": self.atoms,
        }  # fmt: skip
        same.update(changed)
        return Options(**same)

    def portable(self, of_standard: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return arguments that make the same options elsewhere, without the words of the user.

        Only str, list, dict and the like.  Left out are what a tagger has no choice of, and atoms
        that are the defaults.

        Args:
            of_standard: the atoms that ``load`` adds by itself: where they differ from these, the
                defaults are not left out.
        """
        out: dict[str, Any] = {
            "decoder": self.decoder, "oov": self.oov, "skip": sorted(self.skip)
        }  # fmt: skip
        if self.matcher is not None and self.decoder not in TAGGERS:
            name = self.matcher if isinstance(self.matcher, str) else self.matcher.name
            out["matcher"] = name
        atoms = dict(self.atoms.changed)
        for rule in of_standard or ():
            atoms[rule] = dict(self.atoms.patterns) if rule == "patterns" else self.atoms[rule]
        if atoms:
            out["atoms"] = atoms
        return out


def user_dictionary(
    user: UserDictionary | str | os.PathLike[str] | Iterable[Item],
) -> UserDictionary:
    """The dictionary that an argument ``user`` stands for."""
    from segmenter.lexicon.user import UserDictionary

    if isinstance(user, UserDictionary):
        return user
    if isinstance(user, (str, os.PathLike)):
        return UserDictionary.load(user)
    if not hasattr(user, "__iter__") or isinstance(user, (bytes, bytearray)):
        raise wrong_type("user", user, "UserDictionary, a path, or an iterable of words")
    return UserDictionary(user)
