# The options of a segmenter: their names, defaults and values (open/options.hpp).
#
# Uses decision.pxi: decoded.

from segmenter.kernels.bindings.decision cimport string_of
from segmenter.kernels.bindings.options cimport (
    c_sha256, kOovs, kOptions, kOptionTable, kPosFile, kPresets, kRules, kTaggers, more_standards, Oov,
    OptionNumber, Preset, TaggerFile, values_of)


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
