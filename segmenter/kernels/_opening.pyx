# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, auto_pickle=False
"""Typed atoms, options, and opening a segmenter from options and files."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uint8_t
from libcpp.string cimport string
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from segmenter.kernels._lexicon cimport Lexicon, UserWords
from segmenter.kernels._models cimport NgramModel, TaggerWeights
from segmenter.kernels.bindings.atoms cimport (
    AtomSettings, kAtomNames, kAtomNamesText, kAtomSettings, PatternAutomaton)
from segmenter.kernels.bindings.decision cimport decoded, encoded, string_of
from segmenter.kernels.bindings.open cimport (
    Answer, c_cuts_runs, c_open, COpened, Description, FileRequest, kLexicon, kSubwords, OpenedFile)
from segmenter.kernels.bindings.options cimport (
    c_sha256, kOovs, kOptions, kOptionTable, kPosFile, kPresets, kRules, kTaggers, more_standards,
    Oov, OptionNumber, Preset, TaggerFile, values_of)
from segmenter.kernels.bindings.python cimport Buffer, plain
from segmenter.kernels.bindings.unknown cimport CUTTER_CAPSULE, UnknownCutter
from segmenter.kernels.bindings.user cimport viewed


# --- typed atoms ---------------------------------------------------------------------------------

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


# --- options: names, defaults and values (open/options.hpp) --------------------------------------

def _values(int number):
    return tuple([value.decode() for value in values_of(<OptionNumber>number)])


#: The default of each option of load(), by its name; "": what the preset or the file says.
DEFAULTS = {kOptionTable[i].name.decode(): kOptionTable[i].preset.decode() for i in range(kOptions)}
#: The values that each takes; empty: any.
VALUES = {kOptionTable[i].name.decode(): _values(i) for i in range(kOptions)}
#: Standards of the presets `accurate` and `best` alone.
MORE_STANDARDS = tuple([name.decode() for name in more_standards()])
#: Values of `oov` that take a vocabulary of subwords.
SUBWORDS = tuple([kOovs[i].name.decode() for i in range(sizeof(kOovs) // sizeof(Oov))
                  if kOovs[i].subwords])
TAGGERS = tuple([kTaggers[i].decoder.decode() for i in range(sizeof(kTaggers) // sizeof(TaggerFile))])
PRESETS = {kPresets[i].name.decode(): kPresets[i].decoder.decode()
           for i in range(sizeof(kPresets) // sizeof(Preset))}
#: The shipped file of each tagger; % stands for the standard.
TAGGER_FILES = {kTaggers[i].decoder.decode(): kTaggers[i].file.decode() for i in range(len(TAGGERS))}
POS_MODEL = kPosFile.decode()
RULES = kRules


def sha256(bytes text not None):
    """The SHA-256 of a short text, hexadecimal."""
    return decoded(c_sha256(string_of(text)))


# --- opening, from options and files (open/open.hpp) ---------------------------------------------

cdef tuple KINDS_WANTED = (
    "lexicon", "tagger", "network", "beside", "unknown_tagger", "subwords",
)


cdef class _Shelf:
    """What open() asks for files: Python's shelf, and what it gave."""

    cdef object shelf, error
    cdef dict given  # by the names of KINDS_WANTED

    cdef int put(self, const FileRequest& wanted, OpenedFile& part) except -1:
        cdef Lexicon lexicon
        cdef NgramModel ngrams
        cdef str kind = KINDS_WANTED[<int>wanted.kind]
        found = self.shelf.open(kind, decoded(wanted.file), decoded(wanted.standard))
        native = found.native
        if native is None:
            from segmenter.errors import ArgumentError
            raise ArgumentError(
                f"{kind}: {found!r} has more characters than the kernels take: choose a smaller one")
        self.given[kind] = found
        part.name, part.digest = encoded(found.name), encoded(found.digest)
        if wanted.kind == kLexicon:
            lexicon = native
            part.lex, part.marks = &lexicon.lex, &lexicon.marks
            part.outside = lexicon._longest is not None
            if wanted.mass:
                part.mass = found.meta["mass"]
            if wanted.ngrams:
                ngrams = found.ngrams
                if ngrams is not None:
                    part.ngrams = &ngrams.model
                    if wanted.bounds:
                        ngrams.find_bounds()
        elif wanted.kind == kSubwords:
            part.subwords = <const UnknownCutter*>PyCapsule_GetPointer(
                native.cutter(), CUTTER_CAPSULE)
        else:
            part.tagger = &(<TaggerWeights?>native).model
            if wanted.described:
                part.decoder, part.standard = encoded(found.decoder), encoded(found.standard)
            for rule, setting in found.atoms.items():
                part.atoms.push_back(pair[string, string](encoded(rule), encoded(setting)))
        return 0


cdef int shelf_kind(void* of, const string& file, string& kind) noexcept:
    cdef _Shelf shelf = <_Shelf>of
    try:
        (&kind)[0] = encoded(shelf.shelf.kind(decoded(file)))
        return 0
    except BaseException as error:  # raised again by open()
        shelf.error = error
        return -1


cdef int shelf_open(void* of, const FileRequest& wanted, OpenedFile& part) noexcept:
    cdef _Shelf shelf = <_Shelf>of
    try:
        return shelf.put(wanted, part)
    except BaseException as error:
        shelf.error = error
        return -1


cdef str named(str name, object value):
    if not isinstance(value, str):
        from segmenter.errors import wrong_type
        raise wrong_type(name, value, "str")
    return plain(value)


cdef class Opened:
    """A segmenter, opened; see open/open.hpp.  Immutable."""

    cdef const COpened* native(self) noexcept:
        return self.opened.get()

    def given(self, str kind):
        """What the shelf gave of a kind; None: nothing."""
        return self.parts.get(kind)

    @property
    def standard(self):
        return decoded(self.native().standard)

    @property
    def decoder(self):
        return decoded(self.native().decoder)

    @property
    def oov(self):
        return decoded(self.native().oov)

    @property
    def matcher(self):
        """The name of what finds words."""
        return decoded(self.native().matcher)

    @property
    def skip(self):
        """The kinds that are left out."""
        return frozenset([kind for i, kind in enumerate(VALUES["skip"]) if self.native().skip >> i & 1])

    @property
    def atoms(self):
        """How each kind of atom is treated, a byte per rule."""
        return (<const char*>self.native().settings.how)[:kAtomNames]

    @property
    def usual_atoms(self):
        """The same as the standard has it, whatever was asked."""
        return (<const char*>self.native().usual.how)[:kAtomNames]

    @property
    def lexicon_file(self):
        return decoded(self.native().lexicon_file)

    @property
    def models(self):
        """Identities of what boundaries depend on."""
        return decoded(self.native().models)

    def cuts_runs(self):
        """Whether words may begin or end inside a unit of an index."""
        return c_cuts_runs(self.native()[0])

    @property
    def fingerprint(self):
        """What an index stores to know when to rebuild."""
        return decoded(self.native().fingerprint)


def open(shelf, *, name=None, standard=None, decoder=None, oov=None, skip=None, matcher=None,
         UserWords user=None, str user_digest="", atoms=(), bint all_atoms=False,
         AtomRules rules=None, str patterns_digest=""):
    """Opens a segmenter.  Options that are None have the default of the table.

    ``shelf`` opens files: ``kind(file)`` is the kind of a compiled file that is no preset, "" if
    there is none; ``open(kind, file, standard)`` opens a "lexicon", "tagger", "network",
    "beside" (another network), "unknown_tagger" or "subwords": a Lexicon, a tagger, an OovModel.  ``name``: a preset or a file; None:
    the shelf holds the models.  ``matcher``: a name, or an object with one.  ``atoms``: rules and
    settings; ``all_atoms``: those of a standard do not count; ``rules`` has the patterns.

    Raises:
        ArgumentError: an option's value; whatever the shelf raises.
    """
    from segmenter.errors import check_iterable, wrong_type
    cdef Description asked
    cdef _Shelf held = _Shelf()
    cdef Opened made = Opened()
    cdef vector[string] kinds
    held.shelf, held.given = shelf, {}
    if name is None:
        asked.own_models = True
    else:
        asked.name.emplace(encoded(named("name", name)))
    if standard is not None:
        asked.standard.emplace(encoded(named("standard", standard)))
    if decoder is not None:
        asked.decoder.emplace(encoded(named("decoder", decoder)))
    if oov is not None:
        asked.oov.emplace(encoded(named("oov", oov)))
    if skip is not None:
        skip = (skip,) if isinstance(skip, str) else skip
        check_iterable("skip", skip)
        for kind in skip:
            kinds.push_back(encoded(named("skip", kind)))
        asked.skip.emplace(kinds)
    if isinstance(matcher, str):
        asked.matcher.emplace(encoded(plain(matcher)))
    elif matcher is not None:
        if not hasattr(matcher, "name"):
            raise wrong_type("matcher", matcher, "str or a Matcher")
        asked.own_matcher = True
        asked.matcher.emplace(encoded(str(matcher.name)))
    for rule, setting in atoms:
        asked.atoms.push_back(pair[string, string](encoded(plain(rule)), encoded(plain(setting))))
    asked.all_atoms = all_atoms
    if rules is not None and rules.rules.patterns.any():
        asked.patterns = &rules.rules.patterns
        asked.patterns_digest = encoded(patterns_digest)
    if user is not None:
        asked.user = &user.words
        asked.user_digest = encoded(user_digest)
    cdef Answer answer = c_open(asked, <void*>held, shelf_kind, shelf_open)
    if held.error is not None:
        raise held.error
    if answer.code:
        from segmenter.errors import ArgumentError
        raise ArgumentError(decoded(answer.sentence, b"replace"))
    made.opened = answer.opened
    made.parts, made.user, made.rules = held.given, user, rules
    return made
