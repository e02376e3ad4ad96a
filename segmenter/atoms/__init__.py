"""Typed atoms: URLs, e-mail addresses, numbers and the like, found by rule before decoding.

Each rule has one of three settings:

``"keep"``
    a match is one token of the rule's kind.
``"split"``
    a match is split into the parts listed below.
``"model"``
    the rule is off: lexicon, model and classes of characters decide; see ARCHITECTURE.md.

========== ============================================ ================================ =======
rule       finds                                        ``"split"`` gives                default
========== ============================================ ================================ =======
url        ``https://a.cn/b?c=1``, ``www.a.cn/b``,      ``https`` ``:`` ``/`` ``/``      keep
           ``a.com``                                    ``a`` ``.`` ``cn`` …
email      ``zhang.san@example.com``                    ``zhang`` ``.`` ``san`` ``@`` …  keep
ip         ``192.168.1.1:8080``, ``10.0.0.0/8``,        ``192`` ``.`` ``168`` …          keep
           ``2001:db8::1``
date       ``2026-11-21``, ``2026/11/21``,              ``2026`` ``-`` ``11`` ``-``      keep
           ``2026.11.21``, ``2026-11-21T10:30:00Z``     ``21``
calendar   ``2026年11月21日``, ``11月21日``,            ``2026`` ``年`` ``11`` ``月`` …  model
           ``二〇二六年``, ``10时30分``
time       ``10:30``, ``10：30：05``, ``10:30pm``       ``10`` ``:`` ``30``              keep
number     ``1,000``, ``3.2e-10``, ``50%``, ``1/2``,    ``1,000`` ``万``; ``50`` ``%``;  model
           ``-5``, ``1,000万``                          ``1`` ``/`` ``2``
numeral    ``三千五百``, ``百分之三十``, ``六点二``     ``百分之`` ``三十``              model
quantity   ``5kg``, ``36.5℃``, ``3-5天``, ``￥100``,    ``5`` ``kg``; ``3`` ``-`` ``5``  model
           ``五公斤``                                   ``天``
version    ``v2.0.1-rc1``, ``2.0.1``, ``1.0-beta``      ``v`` ``2`` ``.`` ``0`` …        keep
hashtag    ``#双十一#``, ``#双十一``                    ``#``, the words of the model    keep
mention    ``@张三``                                    ``@``, the words of the model    keep
code       ``X-900``, ``GB/T 2312``, ``iOS17.2``,       ``X`` ``-`` ``900``              keep
           ``C++``, ``user_id``, ``京A12345``
latin      ``don't``, ``state-of-the-art``              ``don`` ``'`` ``t``              keep
emoji      ``👨‍👩‍👧‍👦``, ``🇨🇳``, ``1️⃣`` and every other      (cannot be split)                keep
           extended grapheme cluster
clock      ``三点十分``, ``两点半``, ``8点30``,         ``三`` ``点`` ``十`` ``分``      keep
           ``十四时二十八分``
financial  ``壹佰贰拾``, ``廿三``                       a token per numeral              keep
phone      ``010-12345678``, ``400-810-8888``,          ``010`` ``-`` ``12345678``       keep
           ``+86 138 0013 8000``
measure    numerals and measure words                   ``三`` ``本``                    split
========== ============================================ ================================ =======

``clock``, ``financial`` and ``measure`` are ``"model"`` in standards other than ``"general"``,
which keep the conventions of their corpora.  ``measure`` cannot be ``"keep"``.

The kind of a token is the name of its rule, with these exceptions: tokens of ``calendar`` have the
kind ``"date"``, tokens of ``numeral`` and ``financial`` the kind ``"number"``, tokens of ``clock``
the kind ``"time"``, and grapheme clusters other than emoji the kind ``"cluster"``.
docs/en/atoms.md describes each rule.

>>> from segmenter import load
>>> s = load("fast", atoms={"url": "split"})
>>> s.cut("见https://a.cn/b，2026-11-21")
['见', 'https', ':', '/', '/', 'a', '.', 'cn', '/', 'b', '，', '2026-11-21']
"""

from __future__ import annotations

from segmenter.errors import ArgumentError, check_str, wrong_type
from segmenter.kernels import _opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from segmenter.atoms.patterns import Automaton

#: Rules, by the kernels' numbers.
NAMES = _opening.ATOM_NAMES
#: Settings of a rule, by the kernels' numbers.
SETTINGS = _opening.ATOM_SETTINGS
DEFAULTS = {rule: SETTINGS[code] for rule, code in zip(NAMES, _opening.atom_codes(()), strict=True)}


class Atoms:
    """The setting of every rule, and the user's patterns: an immutable value.

    Args:
        settings: rule -> setting, for rules that differ from the defaults.
        patterns: kind -> regular expression, in the language of :mod:`segmenter.atoms.patterns`:
            matches are tokens of that kind and take precedence over the rules.  The leftmost match
            wins, then the longest.  A match never begins or ends inside a run of letters and
            digits, contains no line end, and has at most 256 characters.
        rules: the same as ``settings``, as keywords.

    Raises:
        ArgumentError: an unknown rule or setting, a kind that is a rule's, or an invalid pattern.

    >>> Atoms(url="split", date="model")
    Atoms(url='split', date='model')
    >>> Atoms({"url": "split"}) == Atoms().replace(url="split")
    True
    >>> Atoms.parse("url=split,date=model")["date"]
    'model'
    >>> from segmenter import load
    >>> s = load("fast", atoms=Atoms(patterns={"order": r"SO-\\d+"}))
    >>> [(t.text, t.kind) for t in s.tokenize("订单SO-0042")]
    [('订单', 'word'), ('SO-0042', 'order')]
    """

    __slots__ = ("_settings", "automaton", "native", "patterns")
    _settings: tuple[str, ...]
    #: Settings and automaton for the kernels.
    native: _opening.AtomRules
    #: The patterns, kind -> regular expression, in the order of their precedence.
    patterns: dict[str, str]
    #: The compiled patterns, or None.
    automaton: Automaton | None

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        patterns: Mapping[str, str] | None = None,
        **rules: str,
    ) -> None:
        if settings is not None and not hasattr(settings, "items"):
            raise wrong_type("atoms", settings, "Atoms, a mapping of rules, or None")
        chosen = {**(settings or {}), **rules}
        if "patterns" in chosen:
            patterns = {**chosen.pop("patterns"), **(patterns or {})}
        for name, setting in chosen.items():
            check_str("atoms: the name of a rule", name)
            check_str(f"atoms: the setting of {name!r}", setting)
        try:
            codes = _opening.atom_codes(chosen.items())
        except ValueError as error:
            raise ArgumentError(str(error)) from None
        automaton = None
        if patterns:
            automaton = _compiled(patterns)
        object.__setattr__(self, "_settings", tuple(SETTINGS[code] for code in codes))
        object.__setattr__(self, "patterns", dict(patterns or {}))
        object.__setattr__(self, "automaton", automaton)
        object.__setattr__(self, "native", _opening.AtomRules(codes, automaton))

    @classmethod
    def none(cls) -> Atoms:
        """Return atoms with every rule off: lexicon, model and classes of characters decide.

        >>> from segmenter import load
        >>> load("fast", decoder="unigram", atoms=Atoms.none()).cut("X-900")
        ['X', '-', '900']
        """
        return cls(dict.fromkeys(NAMES, "model"))

    @classmethod
    def all(cls, setting: str) -> Atoms:
        """Return atoms with the same setting for every rule, except that emoji cannot be split and
        ``measure`` cannot be kept.

        >>> Atoms.all("keep")["quantity"]
        'keep'
        """
        exceptions = {("emoji", "split"): "keep", ("measure", "keep"): "split"}
        return cls({rule: exceptions.get((rule, setting), setting) for rule in NAMES})

    @classmethod
    def parse(cls, text: str) -> Atoms:
        """Parse the form of the command line: ``url=split,date=model``, or ``none``, ``keep`` or
        ``split`` for all rules.

        Raises:
            ArgumentError: another form, or an unknown rule or setting.
        """
        try:
            codes = _opening.parsed_atoms(text)
        except ValueError as error:
            raise ArgumentError(str(error)) from None
        return cls({rule: SETTINGS[code] for rule, code in zip(NAMES, codes, strict=True)})

    def replace(self, *, patterns: Mapping[str, str] | None = None, **settings: str) -> Atoms:
        """Return the same atoms with some settings or patterns changed."""
        chosen = self.patterns if patterns is None else patterns
        return Atoms({**dict(self.items()), **settings}, patterns=chosen)

    def __getitem__(self, name: str) -> str:
        return self._settings[NAMES.index(name)] if name in DEFAULTS else DEFAULTS[name]

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def items(self) -> list[tuple[str, str]]:
        """Rules and their settings."""
        return list(zip(NAMES, self._settings, strict=True))

    @property
    def changed(self) -> dict[str, Any]:
        """The settings that differ from the defaults, and "patterns" if there are any.

        >>> Atoms(url="split", ip="keep").changed
        {'url': 'split'}
        """
        changed: dict[str, Any] = {
            rule: setting for rule, setting in self.items() if setting != DEFAULTS[rule]
        }
        if self.patterns:
            changed["patterns"] = dict(self.patterns)
        return changed

    @property
    def codes(self) -> bytes:
        """The settings for the kernels, one byte per rule."""
        return bytes(SETTINGS.index(setting) for setting in self._settings)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Atoms are immutable: replace() returns a changed copy")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Atoms)
            and self._settings == other._settings
            and list(self.patterns.items()) == list(other.patterns.items())
        )

    def __hash__(self) -> int:
        return hash((self._settings, tuple(self.patterns.items())))

    def __reduce__(self) -> tuple[type[Atoms], tuple[dict[str, Any]]]:
        return Atoms, (self.changed,)

    def __repr__(self) -> str:
        return (
            f"Atoms({', '.join(f'{rule}={setting!r}' for rule, setting in self.changed.items())})"
        )

    def __str__(self) -> str:
        """The settings without blanks, for fingerprints; patterns as a digest."""
        parts = [f"{rule}={setting}" for rule, setting in self.items() if setting != DEFAULTS[rule]]
        if self.patterns:
            parts.append(f"patterns={self.patterns_digest}")
        return ",".join(parts)

    @property
    def patterns_digest(self) -> str:
        """Identity of the patterns; "" if there are none."""
        if not self.patterns:
            return ""
        from hashlib import sha256

        text = repr(list(self.patterns.items())).encode("utf-8", "surrogatepass")
        return sha256(text).hexdigest()[:32]


def _compiled(patterns: Mapping[str, str]) -> Automaton:
    from segmenter.atoms.patterns import compile_patterns
    from segmenter.text.kinds import KINDS, TOKEN_KINDS

    if not hasattr(patterns, "items"):
        raise wrong_type("patterns", patterns, "a mapping of kinds to patterns")
    for kind in patterns:
        if not isinstance(kind, str) or not kind or kind in {*KINDS, *TOKEN_KINDS, *DEFAULTS}:
            raise ArgumentError(
                f"atoms: patterns: {kind!r} cannot be a kind: the name is empty, taken or not a "
                "str; choose another"
            )
    return compile_patterns(list(patterns.values()), list(patterns))
