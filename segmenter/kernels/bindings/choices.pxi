# What options take by name.

cdef extern from "choices.hpp" namespace "segmenter":
    const char* kTaggers[5]
    const char* kStandards[2]
    const char* kSkips[2]
    cdef struct CPreset "segmenter::Preset":
        const char* name
        const char* tagger
    CPreset kPresets[4]
    cdef struct CLinearModel "segmenter::LinearModel":
        const char* tagger
        const char* file
    CLinearModel kLinearModels[3]
    const char* kDefaultPreset
    CLinearModel kNetworkModels[2]
    const char* kPosFile
    int kRules

TAGGERS = tuple([kTaggers[i].decode() for i in range(5)])
STANDARDS = tuple([kStandards[i].decode() for i in range(2)])
SKIP = {kSkips[i].decode(): 1 << i for i in range(2)}
PRESETS = {kPresets[i].name.decode(): kPresets[i].tagger.decode() for i in range(4)}
MODELS = {kLinearModels[i].tagger.decode(): kLinearModels[i].file.decode() for i in range(3)}
DEFAULT_PRESET = kDefaultPreset.decode()
NETWORK_MODELS = {
    kNetworkModels[i].tagger.decode(): kNetworkModels[i].file.decode() + ".model" for i in range(2)
}
POS_MODEL = kPosFile.decode()
RULES = kRules


cdef extern from "fingerprint.hpp" namespace "segmenter":
    string c_fingerprint "segmenter::fingerprint"(
        const string& model, const string& decoder, const string& oov, uint32_t skip,
        cbool variants, const string& user, const string& atoms) except +
    string c_sha256 "segmenter::sha256"(string text) except +


def fingerprint(str model, str decoder, str oov, uint32_t skip, bint variants, str user, str atoms):
    """What names the engine that cut a text; see fingerprint.hpp."""
    return c_fingerprint(model.encode(), decoder.encode(), oov.encode(), skip, variants,
                         user.encode(), atoms.encode()).decode()


def sha256(bytes text not None):
    """The SHA-256 of a short text, hexadecimal."""
    return c_sha256(text).decode()
