// The table of options.
#include "open/options.hpp"

#include <cstring>
#include <utility>

#include "lattice/decoder.hpp"

namespace segmenter {

namespace {

// Chosen on development text; in `general` the mean gains nothing (docs/en/accuracy.md).
constexpr std::pair<const char*, double> kSharesOfBest[] = {
    {"pku", 0.35}, {"national", 0.3}, {"ctb", 0.4},    {"sxu", 0.2}, {"msr", 0.15},
    {"ud", 0.2},   {"weibo", 0.45},   {"sinica", 0.5}, {"as", 0.5}};

}  // namespace

const Option kOptionTable[kOptions] = {
    {"name", "balanced"}, {"standard", "general"}, {"decoder", ""},    {"oov", "chars"},
    {"skip", ""},         {"matcher", ""},         {"variants", "on"}, {"verify", "on"}};

std::vector<std::string> values_of(OptionNumber option) {
  std::vector<std::string> out;
  switch (option) {
    case kOptionName:
      for (const Preset& preset : kPresets) out.push_back(preset.name);
      return out;
    case kOptionStandard:
      return {std::begin(kStandards), std::end(kStandards)};
    case kOptionDecoder:
      for (int number = 0; decoder_name(number); ++number) out.push_back(decoder_name(number));
      for (const TaggerFile& tagger : kTaggers) out.push_back(tagger.decoder);
      return out;
    case kOptionOov:
      return {"chars", "keep", "hmm", "tagger", "bpe", "unigram"};
    case kOptionSkip:
      return {std::begin(kSkips), std::end(kSkips)};
    case kOptionMatcher:
      return {"double-array", "aho-corasick", "marisa", "pyahocorasick"};
    case kOptionVariants:
    case kOptionVerify:
      return {"on", "off"};
    default:
      return out;
  }
}

const TaggerFile* tagger_file(const std::string& decoder) {
  for (const TaggerFile& tagger : kTaggers)
    if (decoder == tagger.decoder) return &tagger;
  return nullptr;
}

double share_of_best(const std::string& standard) {
  for (const auto& [name, share] : kSharesOfBest)
    if (standard == name) return share;
  return 1;
}

std::string shipped_file(const char* file, const std::string& standard) {
  return file[0] == '%' ? standard + (file + 1) : file;
}

}  // namespace segmenter
