# Networks over a linear tagger: BiLSTM-CRFs and encoders.
#
# Uses decision.pxi: decoded; tagger.pxi: TaggerWeights.

from segmenter.kernels.bindings.decision cimport encoded, string_of
from segmenter.kernels.bindings.networks cimport (
    bilstm_sets, BilstmModel, CNetworkMeta, encoder_sets, EncoderModel, kNetworkMisfit,
    NetworkSettings, open_encoder, open_network, read_network)
from segmenter.kernels.bindings.python cimport raw, TextView
from segmenter.kernels.bindings.tagger cimport network_emissions


def instruction_sets():
    """Names of the sets of instructions that a BiLSTM can use here, slowest first; all give the
    same results."""
    return [found.name.decode() for found in bilstm_sets()]


def encoder_instruction_sets():
    """The same of an encoder."""
    return [found.name.decode() for found in encoder_sets()]


cdef class NetworkMeta:
    """What the metadata of a file say of one of its standards; see open/metadata.hpp.

    ``meta``: as it stands in the file; ``kind``, ``name``: the file's.

    Raises:
        RuntimeError: the file lacks the standard.
        ValueError: it is not a network's.
    """

    cdef CNetworkMeta meta

    def __init__(self, bytes meta not None, str kind not None, str name not None,
                 str standard not None):
        self.meta = read_network(string_of(meta), encoded(kind), encoded(name), encoded(standard))

    @property
    def standard(self):
        return decoded(self.meta.standard)

    @property
    def linear(self):
        """The file name of the linear tagger."""
        return decoded(self.meta.linear)

    @property
    def linear_digest(self):
        return decoded(self.meta.linear_digest)

    @property
    def atoms(self):
        """The standard's own settings of atoms."""
        cdef size_t i
        return {decoded(self.meta.atoms[i].first): decoded(self.meta.atoms[i].second)
                for i in range(self.meta.atoms.size())}


cdef class NetworkWeights(TaggerWeights):
    """One standard of a compiled network on top of its linear tagger; see bilstm/model.hpp and
    encoder/model.hpp.

    ``sections``: of the file; ``weight``: of the linear tagger's scores, instead of the standard's
    own, for tests; ``instructions``: a name from :func:`instruction_sets` or
    :func:`encoder_instruction_sets`, for tests; None: the fastest.
    """

    cdef BilstmModel bilstm
    cdef EncoderModel encoder  # one of the two is opened
    cdef TaggerWeights linear
    cdef readonly str instructions

    def __init__(self, TaggerWeights tagger not None, sections, NetworkMeta meta not None,
                 weight=None, instructions=None):
        cdef NetworkSettings settings = meta.meta.settings
        cdef list names = encoder_instruction_sets() if meta.meta.encoder else instruction_sets()
        self.lexicon = tagger.lexicon
        self.linear = tagger
        self.instructions = names[len(names) - 1] if instructions is None else instructions
        if self.instructions not in names:
            raise ValueError(f"instructions: {instructions!r} is not one of {', '.join(names)}")
        number = names.index(self.instructions)
        if weight is not None:
            settings.weight = weight
        self.held.open(sections, kNetworkMisfit)
        if meta.meta.encoder:
            self.encoder.instructions = encoder_sets()[number]
            open_encoder(self.held, settings, tagger.model, self.encoder, self.model)
        else:
            self.bilstm.instructions = bilstm_sets()[number]
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
