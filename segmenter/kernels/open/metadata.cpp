// The metadata of compiled files.
#include "open/metadata.hpp"

#include <stdexcept>

#include "atoms/settings.hpp"
#include "files/json.hpp"
#include "open/options.hpp"
#include "open/refused.hpp"
#include "utf8.hpp"

namespace segmenter {

namespace {

std::u32string characters(const std::string& text) {
  std::u32string out;
  const uint8_t* const p = reinterpret_cast<const uint8_t*>(text.data());
  for (size_t i = 0; i < text.size();) {
    uint32_t cp;
    i += decode_utf8(p + i, text.size() - i, cp);  // the reader of JSON takes only UTF-8
    out.push_back(char32_t(cp));
  }
  return out;
}

const Json& own_of(const Json& standards, const std::string& file, std::string& standard) {
  if (standards.members.size() == 1 && standard == kStandards[0].name)
    standard = standards.members[0].first;
  if (const Json* const own = standards.find(standard)) return *own;
  std::string known;
  for (const auto& member : standards.members) known += (known.empty() ? "" : ", ") + member.first;
  throw Refused(Refused::kArgument, "standard",
                quoted(standard) + " is not in " + file + ", which has " + shown(known));
}

}  // namespace

NetworkMeta read_network(const std::string& text, const std::string& kind, const std::string& name,
                         const std::string& standard) {
  NetworkMeta out;
  out.encoder = kind == "encoder-crf";
  if (!out.encoder && kind != "bilstm-crf")
    throw std::invalid_argument("is of kind " + quoted(kind) + ", which is no network");
  const Json meta = Json::parse(text);
  out.standard = standard;
  const Json& own = own_of(meta.field("standards", Json::kObject), name, out.standard);
  out.linear = own.field("linear", Json::kString).text;
  if (out.linear.empty() || out.linear == "." || out.linear == ".." ||
      out.linear.find_first_of(std::string("/\\\0", 3)) != std::string::npos)
    throw std::invalid_argument("its linear tagger " + quoted(out.linear) + " is not a file name");
  out.linear_digest = own.field("linear_digest", Json::kString).text;
  NetworkSettings& of = out.settings;
  of.standard = int(own.number_field("number", 255, true));
  if (!out.encoder) of.words = int(own.number_field("words", 255, true));
  of.weight = own.number_field("linear_weight", 1e4);
  of.scale = meta.number_field("scale", 1e6);
  if (own.find("sure")) of.margin = own.number_field("sure", 1e4);
  if (meta.find("marks")) of.marks = characters(meta.field("marks", Json::kString).text);
  if (!own.find("atoms")) return out;
  try {
    AtomSettings settings;
    for (const auto& [rule, setting] : own.field("atoms", Json::kObject).members) {
      settings.set(rule, setting.text);
      out.atoms.emplace_back(rule, setting.text);
    }
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument("the standard " + quoted(out.standard) + ": " + e.what());
  }
  return out;
}

LexiconMeta read_lexicon(const Json& meta, const Cells<uint8_t>& numbers) {
  LexiconMeta out;
  const auto above_0 = [&](const char* name) {
    const double value = meta.number_field(name, 1e308);
    if (!(value > 0)) throw std::invalid_argument(quoted(name) + " of its metadata is 0");
    return value;
  };
  out.mass = above_0("mass");
  out.cost_scale = above_0("cost_scale");
  out.tags = meta.strings_field("tags");
  for (std::ptrdiff_t i = 0; i < numbers.n; ++i)
    if (numbers[i] >= out.tags.size())
      throw std::invalid_argument("its metadata lack tags that its words have");
  return out;
}

UserMeta read_user(const Json& meta, size_t rows) {
  UserMeta out;
  out.entries = size_t(meta.number_field("entries", double(rows), true));
  if (!out.entries) return out;
  out.width = int(meta.number_field("width", 4, true));
  out.line_ends = meta.field("lineends", Json::kBool).number != 0;
  out.tags = meta.strings_field("tags");
  out.sources = meta.strings_field("sources");
  const Json& identity = meta.field("identity", Json::kArray);
  for (const Json& part : identity.items)
    if (part.kind == Json::kNumber && part.whole) out.identity.push_back(part.text);
  if (identity.items.size() != 2 || out.identity.size() != 2)
    throw std::invalid_argument("'identity' of its metadata is not two numbers");
  return out;
}

}  // namespace segmenter
