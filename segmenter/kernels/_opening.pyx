# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, auto_pickle=False, binding=False
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
from segmenter.kernels.bindings.python cimport Buffer, exact_str
from segmenter.kernels.bindings.unknown cimport CUTTER_CAPSULE, UnknownCutter
from segmenter.kernels.bindings.user cimport bytes_view


# --- typed atoms ---------------------------------------------------------------------------------

ATOM_NAMES = tuple([kAtomNamesText[i].decode() for i in range(kAtomNames)])
ATOM_SETTINGS = tuple([kAtomSettings[i].decode() for i in range(3)])


def atom_codes(settings):
    """How each kind of atom is treated, a byte per rule: the defaults with ``settings``, pairs of a
    rule and a setting, in their place."""
    cdef AtomSettings atoms
    cdef bytes rule, how
    for name, setting in settings:
        rule, how = name.encode("utf-8", "replace"), setting.encode("utf-8", "replace")
        atoms.set(bytes_view(rule), bytes_view(how))
    return (<const char*>atoms.how)[:kAtomNames]


def parsed_atoms(str text not None):
    """The same for a text such as ``url=split,date=model``, ``none``, ``keep`` or ``split``."""
    cdef AtomSettings atoms
    cdef bytes utf8 = text.encode("utf-8", "replace")
    atoms.parse(bytes_view(utf8))
    return (<const char*>atoms.how)[:kAtomNames]


cdef class AtomRules:
    """How each kind of atom is treated, and where a scan for atoms stops; see atoms/atoms.hpp.

    ``how``: one byte per rule, in the order of ``segmenter.atoms.NAMES``: 0: left to the decoder,
    1: one token, 2: split into its parts.  ``patterns``: a
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
#: The values that each option takes; empty: any.
VALUES = {kOptionTable[i].name.decode(): _values(i) for i in range(kOptions)}
#: Standards that only the presets `accurate` and `best` have.
MORE_STANDARDS = tuple([name.decode() for name in more_standards()])
#: Values of `oov` that take a vocabulary of subwords.
SUBWORDS = tuple([kOovs[i].name.decode() for i in range(sizeof(kOovs) // sizeof(Oov))
                  if kOovs[i].subwords])
TAGGERS = tuple([kTaggers[i].decoder.decode()
                 for i in range(sizeof(kTaggers) // sizeof(TaggerFile))])
PRESETS = {kPresets[i].name.decode(): kPresets[i].decoder.decode()
           for i in range(sizeof(kPresets) // sizeof(Preset))}
#: The shipped file of each tagger; % stands for the standard.
TAGGER_FILES = {TAGGERS[i]: kTaggers[i].file.decode() for i in range(len(TAGGERS))}
POS_MODEL = kPosFile.decode()
RULES = kRules


def sha256(bytes text not None):
    """The SHA-256 of a short text, hexadecimal."""
    return decoded(c_sha256(string_of(text)))


# --- opening, from options and files (open/open.hpp) ---------------------------------------------

#: The names of the kinds of files, by their numbers in the kernels.
cdef tuple FILE_KINDS = ("lexicon", "tagger", "network", "beside", "unknown_tagger", "subwords")


cdef class _Files:
    """Python's shelf, the objects that it opened, by kind, and the exception that it raised."""

    cdef object shelf, error
    cdef dict parts

    cdef int open(self, const FileRequest& request, OpenedFile& file) except -1:
        cdef Lexicon lexicon
        cdef NgramModel ngrams
        cdef str kind = FILE_KINDS[<int>request.kind]
        opened = self.shelf.open(kind, decoded(request.file), decoded(request.standard))
        native = opened.native
        if native is None:
            from segmenter.errors import ArgumentError
            raise ArgumentError(
                f"{kind}: {opened!r} has more characters than the kernels take: choose a smaller one")
        self.parts[kind] = opened
        file.name, file.digest = encoded(opened.name), encoded(opened.digest)
        if request.kind == kLexicon:
            lexicon = native
            file.lex, file.marks = &lexicon.lex, &lexicon.marks
            file.outside = lexicon._longest is not None
            if request.mass:
                file.mass = opened.meta["mass"]
            if request.ngrams:
                ngrams = opened.ngrams
                if ngrams is not None:
                    file.ngrams = &ngrams.model
                    if request.bounds:
                        ngrams.find_bounds()
        elif request.kind == kSubwords:
            file.subwords = <const UnknownCutter*>PyCapsule_GetPointer(
                native.cutter(), CUTTER_CAPSULE)
        else:
            file.tagger = &(<TaggerWeights?>native).model
            if request.described:
                file.decoder, file.standard = encoded(opened.decoder), encoded(opened.standard)
            for rule, setting in opened.atoms.items():
                file.atoms.push_back(pair[string, string](encoded(rule), encoded(setting)))
        return 0


cdef int file_kind(void* context, const string& file, string& kind) noexcept:
    cdef _Files files = <_Files>context
    try:
        (&kind)[0] = encoded(files.shelf.kind(decoded(file)))
        return 0
    except BaseException as error:  # raised again by open()
        files.error = error
        return -1


cdef int open_file(void* context, const FileRequest& request, OpenedFile& file) noexcept:
    cdef _Files files = <_Files>context
    try:
        return files.open(request, file)
    except BaseException as error:
        files.error = error
        return -1


cdef str str_option(str name, object value):
    if not isinstance(value, str):
        from segmenter.errors import wrong_type
        raise wrong_type(name, value, "str")
    return exact_str(value)


cdef class Opened:
    """An opened segmenter; see open/open.hpp.  Immutable."""

    cdef const COpened* native(self) noexcept:
        return self.opened.get()

    def part(self, str kind):
        """The object that the shelf opened of a kind; None: there is none."""
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
        """The kinds of words that are left out."""
        return frozenset([kind for i, kind in enumerate(VALUES["skip"])
                          if self.native().skip >> i & 1])

    @property
    def atoms(self):
        """How each kind of atom is treated, a byte per rule."""
        return (<const char*>self.native().settings.how)[:kAtomNames]

    @property
    def usual_atoms(self):
        """The same by the standard alone, without options."""
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

    ``shelf`` opens files: ``kind(file)`` returns the kind of a compiled file that is no preset, ""
    if there is none; ``open(kind, file, standard)`` returns a Lexicon ("lexicon"), a tagger
    ("tagger", "network", "beside", which is another network, "unknown_tagger") or an OovModel
    ("subwords").
    ``name``: a preset or a file; None: the shelf has the models.  ``matcher``: a name, or an object
    with one.  ``atoms``: rules and settings; ``all_atoms``: instead of those of the standard;
    ``rules``: has the patterns.

    Raises:
        ArgumentError: an option's value; whatever the shelf raises.
    """
    from segmenter.errors import ArgumentError, check_iterable, wrong_type
    cdef Description options
    cdef _Files files = _Files()
    cdef Opened opened = Opened()
    cdef vector[string] kinds
    files.shelf, files.parts = shelf, {}
    if name is None:
        options.own_models = True
    else:
        options.name.emplace(encoded(str_option("name", name)))
    if standard is not None:
        options.standard.emplace(encoded(str_option("standard", standard)))
    if decoder is not None:
        options.decoder.emplace(encoded(str_option("decoder", decoder)))
    if oov is not None:
        options.oov.emplace(encoded(str_option("oov", oov)))
    if skip is not None:
        skip = (skip,) if isinstance(skip, str) else skip
        check_iterable("skip", skip)
        for kind in skip:
            kinds.push_back(encoded(str_option("skip", kind)))
        options.skip.emplace(kinds)
    if isinstance(matcher, str):
        options.matcher.emplace(encoded(exact_str(matcher)))
    elif matcher is not None:
        if not hasattr(matcher, "name"):
            raise wrong_type("matcher", matcher, "str or a Matcher")
        options.own_matcher = True
        options.matcher.emplace(encoded(str(matcher.name)))
    for rule, setting in atoms:
        options.atoms.push_back(
            pair[string, string](encoded(exact_str(rule)), encoded(exact_str(setting))))
    options.all_atoms = all_atoms
    if rules is not None and rules.rules.patterns.any():
        options.patterns = &rules.rules.patterns
        options.patterns_digest = encoded(patterns_digest)
    if user is not None:
        options.user = &user.words
        options.user_digest = encoded(user_digest)
    cdef Answer answer = c_open(options, <void*>files, file_kind, open_file)
    if files.error is not None:
        raise files.error
    if answer.code:
        raise ArgumentError(decoded(answer.sentence, b"replace"))
    opened.opened = answer.opened
    opened.parts, opened.user, opened.rules = files.parts, user, rules
    return opened
