"""The settings of the page: preset, standard, characters outside the lexicon, atoms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter.atoms import SETTINGS
from segmenter.choices import MODES, MORE_STANDARDS, OOV, PRESETS, STANDARDS
from segmenter.errors import ArgumentError, wrong_type

if TYPE_CHECKING:
    from segmenter.choices import Mode

#: Settings and their values; the first is the usual one, "" what the service was started with.
CHOICES: dict[str, tuple[str, ...]] = {
    "preset": ("", *PRESETS),
    "standard": ("", *STANDARDS, *MORE_STANDARDS),
    "oov": ("", *OOV),
    "atoms": ("", *SETTINGS),
    "mode": MODES,
}


class Settings(NamedTuple):
    """One value of each of :data:`CHOICES`.

    >>> Settings.parse({"preset": "fast"}).preset
    'fast'
    """

    preset: str = ""
    standard: str = ""
    oov: str = ""
    atoms: str = ""
    mode: Mode = MODES[0]

    @classmethod
    def parse(cls, given: Any) -> Settings:
        """Settings by name; what is not given is as usual.

        Raises:
            TypeError: it is not a dict.
            ArgumentError: an unknown name or value; names it, and lists what there is.
        """
        if not isinstance(given, dict):
            raise wrong_type("settings", given, "an object")
        for name, value in given.items():
            if name not in CHOICES:
                raise ArgumentError(
                    f"settings: {str(name)[:40]!r} is not one of {', '.join(CHOICES)}"
                )
            if value not in CHOICES[name]:
                known = ", ".join(filter(None, CHOICES[name]))
                raise ArgumentError(f"{name}: {str(value)[:40]!r} is not one of {known}")
        return cls(**given)
