"""The options of a Segmenter, as given and as resolved.

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

    #: The values of the argument ``user``.
    UserWords: TypeAlias = UserDictionary | str | os.PathLike[str] | Items | None

    class SegmenterOptions(TypedDict, total=False):
        """The keyword arguments of a Segmenter; :class:`segmenter.Segmenter` describes them."""

        decoder: Decoder | None
        oov: Oov
        skip: Skip | Collection[Skip]
        matcher: MatcherName | Matcher | None
        user: UserWords
        atoms: Atoms | Mapping[str, Any] | None

    class LoadOptions(SegmenterOptions, total=False):
        """The keyword arguments of :func:`segmenter.load` besides the standard."""

        variants: bool
        verify: bool


class Options:
    """The options of a Segmenter; immutable.

    Attributes:
        decoder, oov, skip, matcher: None if not given; :meth:`resolved` options have values.
        user: None if there are no words of the user.
        atoms: None or a mapping of some rules; in :meth:`resolved` options the setting of each.

    Raises:
        TypeError, ArgumentError: an unknown option, or a wrong value of ``user`` or ``atoms``.
    """

    __slots__ = ("atoms", "decoder", "matcher", "oov", "skip", "user")
    decoder: Any
    oov: Any
    skip: Any
    matcher: Any
    user: UserDictionary | None
    atoms: Any

    def __init__(self, **options: Unpack[SegmenterOptions]) -> None:
        assign = super().__setattr__
        for name in options:
            if name not in self.__slots__:
                valid = ", ".join(self.__slots__)
                raise TypeError(f"Segmenter: {name!r} is not an option: expected {valid}")
        for name in self.__slots__:
            assign(name, options.get(name))
        if self.user is not None:
            assign("user", user_dictionary(self.user))
        self._atoms()

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError("Options are immutable: replace() returns a changed copy")

    def _atoms(self) -> Atoms:
        return self.atoms if isinstance(self.atoms, Atoms) else Atoms(self.atoms)

    def replace(self, **changed: Unpack[SegmenterOptions]) -> Options:
        """Return a copy with other values for some options."""
        current: Any = {name: getattr(self, name) for name in self.__slots__}
        return Options(**{**current, **changed})

    def open(
        self, shelf: _opening.Shelf, name: str | None = None, standard: str | None = None
    ) -> _opening.Opened:
        """Open a segmenter with these options; see ``open`` of the kernels' bindings.

        Raises:
            TypeError, ArgumentError: an option has the wrong type or value; the message lists the
                valid values.
        """
        user, rules, atoms = self.user, self._atoms(), self.atoms
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
            all_atoms=isinstance(atoms, Atoms),
            rules=rules.native,
            patterns_digest=rules.patterns_digest,
        )

    def resolved(self, opened: _opening.Opened, matcher: Matcher | None = None) -> Options:
        """Return the options of an opened segmenter, where each has a value."""
        rules = self._atoms()
        if opened.atoms != rules.codes:
            pairs = zip(rules, opened.atoms, strict=True)
            rules = Atoms({rule: SETTINGS[code] for rule, code in pairs}, patterns=rules.patterns)
        return self.replace(
            decoder=opened.decoder,
            oov=opened.oov,
            skip=opened.skip,
            matcher=matcher or opened.matcher,
            atoms=rules,
        )

    def portable(self, defaults: bytes) -> dict[str, Any]:
        """Return arguments that make the same options elsewhere, without the words of the user.

        The arguments are of types such as str, list and dict.  A tagger has no matcher.

        Args:
            defaults: the default setting of each rule of atoms; settings equal to it are left out.
        """
        arguments: dict[str, Any] = {
            "decoder": self.decoder, "oov": self.oov, "skip": sorted(self.skip)
        }  # fmt: skip
        if self.matcher is not None and self.decoder not in TAGGERS:
            name = self.matcher if isinstance(self.matcher, str) else self.matcher.name
            arguments["matcher"] = name
        atoms: dict[str, Any] = {
            rule: setting
            for (rule, setting), code, default in zip(
                self.atoms.items(), self.atoms.codes, defaults, strict=True
            )
            if code != default
        }
        if self.atoms.patterns:
            atoms["patterns"] = dict(self.atoms.patterns)
        if atoms:
            arguments["atoms"] = atoms
        return arguments


def user_dictionary(user: UserDictionary | str | os.PathLike[str] | Items) -> UserDictionary:
    """Return the dictionary that an argument ``user`` denotes."""
    from segmenter.lexicon.user import UserDictionary

    if isinstance(user, UserDictionary):
        return user
    if isinstance(user, (str, os.PathLike)):
        return UserDictionary.load(user)
    if not hasattr(user, "__iter__") or isinstance(user, (bytes, bytearray)):
        raise wrong_type("user", user, "UserDictionary, a path, or an iterable of words")
    return UserDictionary(user)
