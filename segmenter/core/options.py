"""The options of a Segmenter, as they were given and as they were resolved.

The kernels check names and values and fill in defaults (kernels/open/).  This module has
the options that are Python objects: user words, atoms, matchers.

>>> options = Options(oov="keep", user=["云计"])
>>> options.oov, options.decoder, len(options.user)
('keep', None, 1)
>>> options.replace(oov="chars").oov
'chars'
"""

from __future__ import annotations

import os

from segmenter.atoms import SETTINGS, Atoms
from segmenter.choices import TAGGERS
from segmenter.errors import wrong_type
from segmenter.kernels import _opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any, Never, TypeAlias, TypedDict, Unpack

    from segmenter.choices import Decoder, MatcherName, Oov, Skip
    from segmenter.lexicon.matchers import Matcher
    from segmenter.lexicon.user import UserDictionary
    from segmenter.lexicon.user.entry import Items

    #: What stands for words of the user.
    UserWords: TypeAlias = UserDictionary | str | os.PathLike[str] | Items | None

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
    """The options of a Segmenter; immutable.

    Attributes:
        decoder, oov, skip, matcher: None where they are not given, until :meth:`chosen`.
        user: None where there are no words of the user.
        atoms: a mapping of some rules, or None, until :meth:`chosen`: then the setting of each.

    Raises:
        TypeError, ArgumentError: an unknown option, words of the user or atoms that are none.
    """

    __slots__ = ("atoms", "decoder", "matcher", "oov", "skip", "user")
    decoder: Any
    oov: Any
    skip: Any
    matcher: Any
    user: UserDictionary | None
    atoms: Any

    def __init__(self, **given: Unpack[SegmenterOptions]) -> None:
        put = super().__setattr__
        for name in given:
            if name not in self.__slots__:
                known = ", ".join(self.__slots__)
                raise TypeError(f"Segmenter: {name!r} is not an option: expected {known}")
        for name in self.__slots__:
            put(name, given.get(name))
        if self.user is not None:
            put("user", user_dictionary(self.user))
        self._atoms()

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError("Options are immutable: replace() returns a changed copy")

    def _atoms(self) -> Atoms:
        return self.atoms if isinstance(self.atoms, Atoms) else Atoms(self.atoms)

    def replace(self, **changed: Unpack[SegmenterOptions]) -> Options:
        """Return a copy with other values for some options."""
        same: Any = {name: getattr(self, name) for name in self.__slots__}
        return Options(**{**same, **changed})

    def open(
        self, shelf: _opening.Shelf, name: str | None = None, standard: str | None = None
    ) -> _opening.Opened:
        """Open a segmenter with these options; see ``open`` of the kernels' bindings.

        Raises:
            TypeError, ArgumentError: an option has the wrong type or value; the message lists the
                valid values.
        """
        user, rules, atoms = self.user, self._atoms(), self.atoms
        whole = isinstance(atoms, Atoms)
        return _opening.open(
            shelf,
            name=name,
            standard=standard,
            decoder=self.decoder,
            oov=self.oov,
            skip=self.skip,
            matcher=self.matcher,
            user=None if user is None else user.native,
            user_digest="" if user is None else user.digest,
            atoms=[pair for pair in (atoms or {}).items() if pair[0] != "patterns"],
            all_atoms=whole,
            rules=rules.native,
            patterns_digest=rules.patterns_digest,
        )

    def chosen(self, opened: _opening.Opened, matcher: Matcher | None = None) -> Options:
        """Return the options of what was opened, where each has its value."""
        rules = self._atoms()
        if opened.atoms != rules.codes:
            settings = {n: SETTINGS[how] for n, how in zip(rules, opened.atoms, strict=True)}
            rules = Atoms(settings, patterns=rules.patterns)
        return self.replace(
            decoder=opened.decoder,
            oov=opened.oov,
            skip=opened.skip,
            matcher=matcher or opened.matcher,
            atoms=rules,
        )

    def portable(self, usual: bytes) -> dict[str, Any]:
        """Return arguments that make the same options elsewhere, without the words of the user.

        Only str, list, dict and the like.  Left out is what a tagger has no choice of.

        Args:
            usual: how kinds of atoms are treated unless one asks otherwise, which is left out.
        """
        out: dict[str, Any] = {
            "decoder": self.decoder, "oov": self.oov, "skip": sorted(self.skip)
        }  # fmt: skip
        if self.matcher is not None and self.decoder not in TAGGERS:
            name = self.matcher if isinstance(self.matcher, str) else self.matcher.name
            out["matcher"] = name
        rows = zip(self.atoms.items(), self.atoms.codes, usual, strict=True)
        atoms: dict[str, Any] = {rule: how for (rule, how), code, other in rows if code != other}
        if self.atoms.patterns:
            atoms["patterns"] = dict(self.atoms.patterns)
        if atoms:
            out["atoms"] = atoms
        return out


def user_dictionary(
    user: UserDictionary | str | os.PathLike[str] | Items,
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
