// The table of options.
#include "open/options.hpp"

#include <algorithm>
#include <iterator>

#include "lattice/decoder.hpp"

namespace segmenter {

namespace {

std::vector<std::string> names(const Standard* first, const Standard* last) {
  std::vector<std::string> result;
  for (; first != last; ++first) result.push_back(first->name);
  return result;
}

}  // namespace

const Option kOptionTable[kOptions] = {
    {"name", "balanced"}, {"standard", "general"}, {"decoder", ""},    {"oov", "chars"},
    {"skip", ""},         {"matcher", ""},         {"variants", "on"}, {"verify", "on"}};

std::vector<std::string> values_of(OptionNumber option) {
  std::vector<std::string> values;
  switch (option) {
    case kOptionName:
      for (const Preset& preset : kPresets) values.push_back(preset.name);
      return values;
    case kOptionStandard:
      return names(kStandards, kStandards + kStandardsOfAll);
    case kOptionDecoder:
      for (int number = 0; decoder_name(number); ++number) values.push_back(decoder_name(number));
      for (const TaggerFile& tagger : kTaggers) values.push_back(tagger.decoder);
      return values;
    case kOptionOov:
      for (const Oov& oov : kOovs) values.push_back(oov.name);
      return values;
    case kOptionSkip:
      return {std::begin(kSkips), std::end(kSkips)};
    case kOptionMatcher:
      return {"double-array", "aho-corasick", "marisa", "pyahocorasick"};
    case kOptionVariants:
    case kOptionVerify:
      return {"on", "off"};
    default:
      return values;
  }
}

std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> parts;
  for (size_t start = 0; start < names.size();) {
    const size_t comma = std::min(names.find(',', start), names.size());
    parts.push_back(names.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
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
