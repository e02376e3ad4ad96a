# Typed atoms.
#
# Uses user.pxi: viewed.

from segmenter.kernels.bindings.atoms cimport (
    AtomSettings, CAtomRules, kAtomNames, kAtomNamesText, kAtomSettings, PatternAutomaton)
from segmenter.kernels.bindings.python cimport Buffer

ATOM_NAMES = tuple([kAtomNamesText[i].decode() for i in range(kAtomNames)])
ATOM_SETTINGS = tuple([kAtomSettings[i].decode() for i in range(3)])


def atom_codes(settings):
    """How each kind of atom is treated, a byte per rule, if these settings replace the defaults."""
    cdef AtomSettings made
    cdef bytes rule, how
    for name, setting in settings:
        rule, how = name.encode("utf-8", "replace"), setting.encode("utf-8", "replace")
        made.set(viewed(rule), viewed(how))
    return (<const char*>made.how)[:kAtomNames]


def parsed_atoms(str text not None):
    """The same of the form ``url=split,date=model``, or ``none``, ``keep`` or ``split``."""
    cdef AtomSettings made
    cdef bytes utf8 = text.encode("utf-8", "replace")
    made.parse(viewed(utf8))
    return (<const char*>made.how)[:kAtomNames]


cdef class AtomRules:
    """How each kind of atom is treated, and where a scan for atoms stops; see atoms/atoms.hpp.

    ``how``: one byte per rule, in the order of ``segmenter.atoms.NAMES``: 0: left to the decoder,
    1: one token, 2: split into its parts.  ``patterns``: columns of
    ``segmenter.atoms.patterns.Automaton``, or None.
    """

    cdef CAtomRules rules

    def __init__(self, how, patterns=None):
        cdef int i
        cdef Buffer[uint8_t] codes
        cdef PatternAutomaton* automaton = &self.rules.patterns
        codes.take(how, b"how")
        if codes.n != kAtomNames:
            raise ValueError(f"how: {codes.n} bytes, not one for each of the {kAtomNames} rules")
        for i in range(kAtomNames):
            if codes[i] > 2:
                raise ValueError(f"how: {codes[i]} is not a setting, from 0 to 2")
            self.rules.how[i] = codes[i]
        self.rules.prepare()
        if patterns is None:
            return
        automaton.starts = patterns.starts
        automaton.classes = patterns.classes
        automaton.table = patterns.table
        automaton.accepts = patterns.accepts
        automaton.width = patterns.width
        if not automaton.prepare():
            raise ValueError("patterns: the columns of the automaton do not fit together")
