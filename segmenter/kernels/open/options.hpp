// The options of a segmenter: their names, defaults and allowed values, and the files of presets.
// Python, C, SQLite, WebAssembly and the command line read this one table.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace segmenter {

enum OptionNumber {
  kOptionName,      // a preset, or a compiled file
  kOptionStandard,  // the segmentation standard
  kOptionDecoder,
  kOptionOov,       // what a lattice does with characters outside its lexicon
  kOptionSkip,      // kinds of tokens to leave out, separated by commas
  kOptionMatcher,   // what finds the words of the lexicon
  kOptionVariants,  // whether Traditional forms are read as the forms of the lexicon
  kOptionVerify,    // whether the checksums of files are computed
  kOptions
};

struct Option {
  char name[12];    // in Python and in messages
  char preset[16];  // its default; "": it depends on the preset or file, or there is none
};
extern const Option kOptionTable[kOptions];
inline const char* default_of(OptionNumber option) { return kOptionTable[option].preset; }
// The allowed values; empty if they are not a list of names.
std::vector<std::string> values_of(OptionNumber option);
// "space,punct" as a list.
std::vector<std::string> split_names(const std::string& names);

// A decoder that tags characters by a compiled model, and its shipped file: one per standard, whose
// name replaces the %, or one for all. With a file `beside`, the scores of a preset are the
// weighted mean of both files, with the share of the standard.
struct TaggerFile {
  const char *decoder, *file, *beside = nullptr;
  bool per_standard() const { return file[0] == '%'; }
};
constexpr TaggerFile kTaggers[] = {{"hmm", "%-hmm.model"},
                                   {"perceptron", "%-fast.model"},
                                   {"crf", "%-balanced.model"},
                                   {"bilstm-crf", "accurate.model"},
                                   {"encoder-crf", "best.model", "accurate.model"}};
const TaggerFile* tagger_file(const std::string& decoder);  // null: no tagger
std::string shipped_file(const char* file, const std::string& standard);
constexpr const char* kLexiconFile = "%.lex";  // of a lattice, and of the tags beside a tagger
constexpr const char* kPosFile = "pos.model";  // parts of speech, for all presets

// The standards of presets: the first kStandardsOfAll of all presets, the others of `accurate` and
// `best` only. `share_of_best`: the weight of `best` in its mean with `accurate`, chosen on
// development text; 1: no mean, which gains nothing in `general` (docs/en/accuracy.md).
struct Standard {
  const char* name;
  double share_of_best;
};
constexpr size_t kStandardsOfAll = 2;
constexpr Standard kStandards[] = {
    {"general", 1}, {"pku", 0.35}, {"national", 0.3}, {"ctb", 0.4},    {"sxu", 0.2},
    {"msr", 0.15},  {"ud", 0.2},   {"weibo", 0.45},   {"sinica", 0.5}, {"as", 0.5}};
std::vector<std::string> more_standards();

// How unknown characters are cut, and whether taggers accept the value: no character is unknown to
// them, but subwords cut those of their words that the lexicon lacks.
struct Oov {
  const char* name;
  const char* decoder =
      nullptr;            // the tagger whose shipped model cuts runs of single characters again
  bool subwords = false;  // a vocabulary of learned pieces
  bool for_taggers = false;
};
constexpr Oov kOovs[] = {{"chars", nullptr, false, true},
                         {"keep"},
                         {"hmm", "hmm"},
                         {"tagger", "perceptron"},
                         {"bpe", nullptr, true, true},
                         {"unigram", nullptr, true, true}};

constexpr const char* kSkips[] = {"space", "punct"};  // bits of Plan::skip, in this order

// The decoder of a preset: `balanced` is the linear model under 15 MB with the best F1 on the
// development text, `fast` the fastest model within 0.006 of it, `accurate` the model with the best
// F1 that needs no other package, `best` an encoder in a package of its own.
struct Preset {
  const char *name, *decoder;
};
constexpr Preset kPresets[] = {{"fast", "perceptron"},
                               {"balanced", "crf"},
                               {"accurate", "bilstm-crf"},
                               {"best", "encoder-crf"}};

}  // namespace segmenter
