// The metadata of compiled files.
#include "open/metadata.hpp"

#include <stdexcept>

#include "atoms/settings.hpp"
#include "files/quoted.hpp"
#include "files/json.hpp"
#include "open/options.hpp"
#include "open/refused.hpp"
#include "utf8.hpp"

namespace segmenter {

namespace {

std::u32string characters(const std::string& text) {
  std::u32string result;
  const uint8_t* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  for (size_t i = 0; i < text.size();) {
    uint32_t cp = 0;
    i += decode_utf8(bytes + i, text.size() - i, cp);  // the JSON reader has checked the UTF-8
    result.push_back(char32_t(cp));
  }
  return result;
}

const Json& find_standard(const Json& standards, const std::string& file, std::string& standard) {
  if (standards.members.size() == 1 && standard == kStandards[0].name)
    standard = standards.members[0].first;
  if (const Json* const entry = standards.find(standard)) return *entry;
  std::string names;
  for (const auto& member : standards.members) names += (names.empty() ? "" : ", ") + member.first;
  throw Refused(Refused::kArgument, "standard",
                quoted(standard) + " is not in " + file + ", which has " + shortened(names));
}

}  // namespace

NetworkMeta read_network(const std::string& text, const std::string& kind, const std::string& name,
                         const std::string& standard) {
  NetworkMeta network;
  network.encoder = kind == "encoder-crf";
  if (!network.encoder && kind != "bilstm-crf")
    throw std::invalid_argument("is of kind " + quoted(kind) +
                                ", not a network: bilstm-crf or encoder-crf");
  const Json meta = Json::parse(text);
  network.standard = standard;
  const Json& entry = find_standard(meta.field("standards", Json::kObject), name, network.standard);
  network.linear = entry.field("linear", Json::kString).text;
  if (network.linear.empty() || network.linear == "." || network.linear == ".." ||
      network.linear.find_first_of(std::string("/\\\0", 3)) != std::string::npos)
    throw std::invalid_argument("its linear tagger " + quoted(network.linear) +
                                " is not a file name");
  network.linear_digest = entry.field("linear_digest", Json::kString).text;
  NetworkSettings& settings = network.settings;
  settings.standard = int(entry.number_field("number", 255, true));
  if (!network.encoder) settings.words = int(entry.number_field("words", 255, true));
  settings.weight = entry.number_field("linear_weight", 1e4);
  settings.scale = meta.number_field("scale", 1e6);
  if (entry.find("sure")) settings.margin = entry.number_field("sure", 1e4);
  if (meta.find("marks")) settings.marks = characters(meta.field("marks", Json::kString).text);
  if (!entry.find("atoms")) return network;
  try {
    AtomSettings settings;
    for (const auto& [rule, setting] : entry.field("atoms", Json::kObject).members) {
      settings.set(rule, setting.text);
      network.atoms.emplace_back(rule, setting.text);
    }
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument("the standard " + quoted(network.standard) + ": " + e.what());
  }
  return network;
}

LexiconMeta read_lexicon(const Json& meta, const Cells<uint8_t>& numbers) {
  LexiconMeta lexicon;
  const auto positive = [&](const char* name) {
    const double value = meta.number_field(name, 1e308);
    if (!(value > 0)) throw std::invalid_argument(quoted(name) + " of its metadata is 0");
    return value;
  };
  lexicon.mass = positive("mass");
  lexicon.cost_scale = positive("cost_scale");
  lexicon.tags = meta.strings_field("tags");
  for (std::ptrdiff_t i = 0; i < numbers.n; ++i)
    if (numbers[i] >= lexicon.tags.size())
      throw std::invalid_argument("its words have tags that its metadata do not list");
  return lexicon;
}

UserMeta read_user(const Json& meta, size_t rows) {
  UserMeta user;
  user.entries = size_t(meta.number_field("entries", double(rows), true));
  if (!user.entries) return user;
  user.width = int(meta.number_field("width", 4, true));
  user.line_ends = meta.field("lineends", Json::kBool).number != 0;
  user.tags = meta.strings_field("tags");
  user.sources = meta.strings_field("sources");
  const Json& identity = meta.field("identity", Json::kArray);
  for (const Json& part : identity.items)
    if (part.kind == Json::kNumber && part.integer) user.identity.push_back(part.text);
  if (identity.items.size() != 2 || user.identity.size() != 2)
    throw std::invalid_argument("'identity' of its metadata is not two numbers");
  return user;
}

}  // namespace segmenter
