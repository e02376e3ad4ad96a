"""The settings of the page: preset, standard, characters outside the lexicon, atoms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter.atoms import SETTINGS
from segmenter.choices import MODES, MORE_STANDARDS, OOV, PRESETS, STANDARDS
from segmenter.errors import ArgumentError, wrong_type

if TYPE_CHECKING:
    from segmenter.choices import Mode

#: Settings and their values, the default first; "" is the option that the service started with.
CHOICES: dict[str, tuple[str, ...]] = {
    "preset": ("", *PRESETS),
    "standard": ("", *STANDARDS, *MORE_STANDARDS),
    "oov": ("", *OOV),
    "atoms": ("", *SETTINGS),
    "mode": MODES,
}


class Settings(NamedTuple):
    """A value for each of :data:`CHOICES`.

    >>> Settings.parse({"preset": "fast"}).preset
    'fast'
    """

    preset: str = ""
    standard: str = ""
    oov: str = ""
    atoms: str = ""
    mode: Mode = MODES[0]

    @classmethod
    def parse(cls, values: Any) -> Settings:
        """Settings from a dict; absent ones have their defaults.

        Raises:
            TypeError: not a dict.
            ArgumentError: an unknown name or value; the message lists the choices.
        """
        if not isinstance(values, dict):
            raise wrong_type("settings", values, "an object")
        for name, value in values.items():
            if name not in CHOICES:
                raise ArgumentError(
                    f"settings: {str(name)[:40]!r} is not one of {', '.join(CHOICES)}"
                )
            if value not in CHOICES[name]:
                allowed = ", ".join(filter(None, CHOICES[name]))
                raise ArgumentError(f"{name}: {str(value)[:40]!r} is not one of {allowed}")
        return cls(**values)
