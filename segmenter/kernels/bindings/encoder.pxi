cdef extern from "encoder/model.hpp" namespace "segmenter::encoder":
    cdef cppclass EncoderSet "segmenter::encoder::InstructionSet":
        const char* name
    cdef cppclass EncoderModel "segmenter::encoder::Model":
        const EncoderSet* instructions
    vector[const EncoderSet*] c_encoder_sets "segmenter::encoder::instruction_sets"() \
        except + nogil


cdef extern from "opening.hpp" namespace "segmenter":
    void open_encoder(const Sections& held, const NetworkSettings& of, const TaggerModel& linear,
                      EncoderModel& b, TaggerModel& m) except +


def encoder_instruction_sets():
    """Names of the sets of instructions that the encoder can use here, slowest first; all give the
    same results."""
    return [found.name.decode() for found in c_encoder_sets()]


cdef class EncoderWeights(TaggerWeights):
    """One standard of a compiled encoder on top of its linear tagger, see encoder/model.hpp.

    ``sections`` are those of the artifact; ``standard`` is the number of the standard in it;
    ``weight`` multiplies the linear tagger's scores; ``scale`` is the number of units per score;
    clauses stand between ``marks``.  If the margin of the linear tagger's cut of a clause is at
    least ``margin``, the encoder does not read it.
    ``instructions``: a name from :func:`encoder_instruction_sets`, for tests; default: the fastest.
    """

    cdef EncoderModel encoder
    cdef TaggerWeights linear
    cdef readonly str instructions

    def __init__(self, TaggerWeights tagger not None, sections, int standard, double weight,
                 double scale, instructions=None, str marks="", double margin=0.0):
        cdef NetworkSettings settings
        cdef Py_UCS4 mark
        self.lexicon = tagger.lexicon
        self.linear = tagger
        for found in c_encoder_sets():
            if instructions is None or found.name.decode() == instructions:
                self.encoder.instructions = found
                self.instructions = found.name.decode()
        if self.encoder.instructions == NULL:
            known = ", ".join(encoder_instruction_sets())
            raise ValueError(f"instructions: {instructions!r} is not one of {known}")
        settings.standard = standard
        settings.weight, settings.scale, settings.margin = weight, scale, margin
        for mark in marks:
            settings.marks.push_back(mark)
        self.held.open(sections, b"the sections of the encoder do not fit each other or its tagger")
        open_encoder(self.held, settings, tagger.model, self.encoder, self.model)
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
