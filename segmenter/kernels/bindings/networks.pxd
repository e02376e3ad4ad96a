# Networks over a linear tagger.

from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.utility cimport pair
from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Sections
from segmenter.kernels.bindings.tagger cimport TaggerModel


cdef extern from "bilstm/model.hpp" namespace "segmenter::bilstm":
    cdef cppclass BilstmSet "segmenter::bilstm::InstructionSet":
        const char* name
    cdef cppclass BilstmModel "segmenter::bilstm::Model":
        const BilstmSet* instructions
    vector[const BilstmSet*] bilstm_sets "segmenter::bilstm::instruction_sets"() except +


cdef extern from "encoder/model.hpp" namespace "segmenter::encoder":
    cdef cppclass EncoderSet "segmenter::encoder::InstructionSet":
        const char* name
    cdef cppclass EncoderModel "segmenter::encoder::Model":
        const EncoderSet* instructions
    vector[const EncoderSet*] encoder_sets "segmenter::encoder::instruction_sets"() except +


cdef extern from "opening.hpp" namespace "segmenter":
    const char* kNetworkMisfit
    cdef cppclass NetworkSettings:
        double weight
    void open_network(const Sections& sections, const NetworkSettings& settings,
                      const TaggerModel& linear, BilstmModel& network,
                      TaggerModel& tagger) except +
    void open_encoder(const Sections& sections, const NetworkSettings& settings,
                      const TaggerModel& linear, EncoderModel& network,
                      TaggerModel& tagger) except +


cdef extern from "open/metadata.hpp" namespace "segmenter":
    cdef cppclass CNetworkMeta "segmenter::NetworkMeta":
        string standard
        string linear
        string linear_digest
        NetworkSettings settings
        vector[pair[string, string]] atoms
        cbool encoder
    CNetworkMeta read_network(const string& meta, const string& kind, const string& name,
                              const string& standard) except +
