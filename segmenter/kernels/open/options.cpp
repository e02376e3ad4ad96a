// The table of options.
#include "open/options.hpp"

#include <algorithm>
#include <iterator>

#include "lattice/decoder.hpp"

namespace segmenter {

namespace {

std::vector<std::string> names(const Standard* first, const Standard* last) {
  std::vector<std::string> out;
  for (; first != last; ++first) out.push_back(first->name);
  return out;
}

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
      return names(kStandards, kStandards + kStandardsOfAll);
    case kOptionDecoder:
      for (int number = 0; decoder_name(number); ++number) out.push_back(decoder_name(number));
      for (const TaggerFile& tagger : kTaggers) out.push_back(tagger.decoder);
      return out;
    case kOptionOov:
      for (const Oov& oov : kOovs) out.push_back(oov.name);
      return out;
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

std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> out;
  for (size_t first = 0; first < names.size();) {
    const size_t comma = std::min(names.find(',', first), names.size());
    out.push_back(names.substr(first, comma - first));
    first = comma + 1;
  }
  return out;
}

const TaggerFile* tagger_file(const std::string& decoder) {
  for (const TaggerFile& tagger : kTaggers)
    if (decoder == tagger.decoder) return &tagger;
  return nullptr;
}

std::vector<std::string> more_standards() {
  return names(kStandards + kStandardsOfAll, std::end(kStandards));
}

std::string shipped_file(const char* file, const std::string& standard) {
  return file[0] == '%' ? standard + (file + 1) : file;
}

}  // namespace segmenter
