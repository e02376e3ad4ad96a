// The options of a segmenter: their names, defaults and allowed values, and the files of presets.
// Python, C, SQLite, WebAssembly and the command line read this one table.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace segmenter {

enum OptionNumber {
  kOptionName,      // a preset, or a compiled file
  kOptionStandard,  // of what a word is
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
  char preset[16];  // its default; "": what the preset, the lexicon or nothing else says
};
extern const Option kOptionTable[kOptions];
inline const char* default_of(OptionNumber option) { return kOptionTable[option].preset; }
// The values that an option takes; empty: not a list of names, or as the file says.
std::vector<std::string> values_of(OptionNumber option);
// "space,punct" as a list.
std::vector<std::string> split_names(const std::string& names);

// A decoder that tags characters by a compiled model, and its shipped file: of each standard one, whose
// name stands for the %, or one for all of its standards. If it names a file `beside`, a preset's scores
// are the mean of those of both, with the share of the standard.
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

// The standards of presets: the first ones of every preset, the others of `accurate` and `best` alone.
// `share_of_best`: of the scores of `best` in its mean with those of `accurate`, chosen on development
// text; 1: its scores stand alone, as in `general` the mean gains nothing (docs/en/accuracy.md).
struct Standard {
  const char* name;
  double share_of_best;
};
constexpr size_t kStandardsOfAll = 2;
constexpr Standard kStandards[] = {
    {"general", 1}, {"pku", 0.35}, {"national", 0.3}, {"ctb", 0.4},    {"sxu", 0.2},
    {"msr", 0.15},  {"ud", 0.2},   {"weibo", 0.45},   {"sinica", 0.5}, {"as", 0.5}};
std::vector<std::string> more_standards();

// What cuts the characters that are unknown, and whether taggers take it too: they leave none unknown, but
// subwords cut their words that the lexicon does not know.
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

// What a preset decodes with: `balanced` is the linear model of the best F1 on the development text
// under 15 MB, `fast` the fastest model within 0.006 of it, `accurate` the model of the best F1
// that needs no other package, `best` an encoder that a package of its own carries.
struct Preset {
  const char *name, *decoder;
};
constexpr Preset kPresets[] = {{"fast", "perceptron"},
                               {"balanced", "crf"},
                               {"accurate", "bilstm-crf"},
                               {"best", "encoder-crf"}};

}  // namespace segmenter
