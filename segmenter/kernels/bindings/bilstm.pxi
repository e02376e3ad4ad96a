cdef extern from "<string>" namespace "std":
    cdef cppclass u32string:
        void push_back(Py_UCS4 c) except +


cdef extern from "bilstm/model.hpp" namespace "segmenter::bilstm":
    cdef cppclass InstructionSet "segmenter::bilstm::InstructionSet":
        const char* name
    cdef cppclass BilstmModel "segmenter::bilstm::Model":
        const InstructionSet* instructions
    vector[const InstructionSet*] c_instruction_sets "segmenter::bilstm::instruction_sets"() \
        except + nogil


cdef extern from "opening.hpp" namespace "segmenter":
    cdef cppclass NetworkSettings:
        int standard
        int words
        double weight
        double scale
        double margin
        u32string marks
    void open_network(const Sections& held, const NetworkSettings& of, const TaggerModel& linear,
                      BilstmModel& b, TaggerModel& m) except +


def instruction_sets():
    """Names of the sets of instructions that the BiLSTM can use here, slowest first; all give the
    same results."""
    return [found.name.decode() for found in c_instruction_sets()]


cdef class BilstmWeights(TaggerWeights):
    """One standard of a compiled BiLSTM-CRF on top of its linear tagger, see bilstm/model.hpp.

    ``sections`` are those of the artifact; ``standard`` and ``words`` are the numbers of the
    standard and of the linear tagger in it; ``weight`` multiplies the linear tagger's scores;
    ``scale`` is the number of units per score; ``marks`` separate clauses.  If the margin of the
    linear tagger's cut of a clause is at least ``margin``, the network does not run on that clause
    (tagging/network.hpp).  ``instructions``: a name from :func:`instruction_sets`, for tests;
    default: the fastest.
    """

    cdef BilstmModel bilstm
    cdef TaggerWeights linear
    cdef readonly str instructions

    def __init__(self, TaggerWeights tagger not None, sections, int standard, int words,
                 double weight, double scale, instructions=None, str marks="", double margin=0.0):
        cdef NetworkSettings settings
        cdef Py_UCS4 mark
        self.lexicon = tagger.lexicon
        self.linear = tagger
        for found in c_instruction_sets():
            if instructions is None or found.name.decode() == instructions:
                self.bilstm.instructions = found
                self.instructions = found.name.decode()
        if self.bilstm.instructions == NULL:
            known = ", ".join(instruction_sets())
            raise ValueError(f"instructions: {instructions!r} is not one of {known}")
        settings.standard, settings.words = standard, words
        settings.weight, settings.scale, settings.margin = weight, scale, margin
        for mark in marks:
            settings.marks.push_back(mark)
        self.held.open(sections, b"the sections of the BiLSTM-CRF do not fit each other or its tagger")
        open_network(self.held, settings, tagger.model, self.bilstm, self.model)
        self.cache.reserve(<size_t>self.lexicon.lex.trie.n_units + self.model.n_pairs)

    def emissions(self, str text not None):
        """Scores of B, M, E relative to S at each character, int16 ``[n][4]`` as bytes; for tests.

        They are zero at blanks and line ends.
        """
        cdef TextView view = TextView(text)
        cdef vector[int16_t] out
        with nogil:
            network_emissions(self.model, view, out)
        return raw(out)
