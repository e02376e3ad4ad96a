// The implementation of rules.hpp and settings.hpp.
#include "atoms/rules.hpp"

#include <stdexcept>

#include "atoms/graphemes.hpp"
#include "atoms/settings.hpp"
#include "files/quoted.hpp"

namespace segmenter {

bool PatternAutomaton::prepare() {
  const size_t states = accepts.size();
  if (!width || starts.empty() || starts[0] || starts.size() != classes.size() || states < 2 ||
      table.size() != states * width)
    return false;
  for (uint16_t c : classes)
    if (c >= width) return false;
  for (uint16_t s : table)
    if (s >= states) return false;
  bmp.resize(0x10000);
  size_t i = 0;
  for (uint32_t c = 0; c < 0x10000; ++c) {
    while (i + 1 < starts.size() && starts[i + 1] <= c) ++i;
    bmp[c] = classes[i];
  }
  return true;
}

bool AtomRules::within(const uint64_t* bitmap) const {
  for (int i = 0; i < 1024; ++i)
    if (bits[i] & ~bitmap[i]) return false;
  return true;
}
void AtomRules::add(uint32_t c) {
  bits[c >> 6] |= uint64_t(1) << (c & 63);
  for (int p = 0; p < 4; ++p)
    if (c >> 8 == pages()[p]) {
      sets[p][c & 15] |= uint8_t(1u << (c >> 4 & 7));
      return;
    }
  const uint32_t page = c >> 8;
  // elsewhere a scan stops at every character
  if ((page >= 0x34 && page <= 0x9F) || (page >= 0xAC && page <= 0xD6)) by_bits = true;
}
void AtomRules::add(const char* set) {
  for (; *set; ++set) {
    add(uint32_t(uint8_t(*set)));
    if (atoms::fold(uint32_t(*set) + 0xFEE0)) add(uint32_t(*set) + 0xFEE0);
  }
}
// A group of Han characters; others that share their nibbles stop the vectors' scan too, so the
// characters of a group are alike.
void AtomRules::add_han(const char32_t* set) {
  const uint8_t group = uint8_t(1u << (han_groups++ & 7));
  for (; *set; ++set) {
    const uint32_t c = uint32_t(*set);
    bits[c >> 6] |= uint64_t(1) << (c & 63);
    for (int nibble = 0; nibble < 3; ++nibble) han[nibble][c >> 4 * nibble & 15] |= group;
  }
}
void AtomRules::prepare() {
  for (int name = 0; name < kAtomMeasure; ++name) any |= how[name] != kAtomModel;
  if (!any) return;
  if (on(kAtomUrl)) add(":.");
  if (on(kAtomEmail)) add("@");
  if (on(kAtomIp)) add(":.");
  if (on(kAtomDate)) add("-/.");
  if (on(kAtomTime)) add(":");
  if (on(kAtomVersion)) add(".");
  if (on(kAtomHashtag)) add("#");
  if (on(kAtomMention)) add("@");
  if (on(kAtomCode)) add("-/.+#_ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  if (on(kAtomPhone)) add("-+) ");
  if (on(kAtomClock))
    for (const char32_t* hours : {U"点", U"时", U"點時"}) add_han(hours);
  if (on(kAtomFinancial))  // not 陆 伍 玖, which are in names and never alone here
    for (const char32_t* like : {U"叁參卅", U"佰仟", U"拾捌柒", U"贰貳肆", U"壹廿"}) add_han(like);
  if (on(kAtomLatin)) {
    add("-'");
    add(0x2019);
    for (const char32_t* set : {atoms::kSmall, atoms::kMicro, atoms::kOhm})
      for (; *set; ++set) add(uint32_t(*set));
  }
  if (on(kAtomTime) || on(kAtomIp)) add(0x2236);
  if (on(kAtomDate) || on(kAtomCode) || on(kAtomLatin))
    for (uint32_t hyphen : {0x2010u, 0x2011u, 0x2212u}) add(hyphen);
  if (on(kAtomCalendar) || on(kAtomNumber) || on(kAtomQuantity)) add("0123456789");
  if (on(kAtomCalendar) || on(kAtomNumeral) || on(kAtomQuantity))
    for (char32_t c : atoms::kNumerals)
      if (c) add(uint32_t(c));
  if (on(kAtomEmoji))
    for (const GraphemeRange& r : kGraphemes)
      if (r.bits & (kGraphExtend | kGraphPrepend | kGraphRegional | kGraphEmoji))
        for (uint32_t c = r.first; c < r.last && c < 0x10000; ++c) add(c);
  sets[1][15] |= 1u << 7;  // U+FFFF, which a scan reads for characters beyond the basic plane
}

MarkedMap::MarkedMap(const Lexicon& lex, const AtomRules& rules)
    : bmp_(lex.map.bmp, lex.map.bmp + 0x10000) {
  for (uint32_t c = 0; c < 0x10000; ++c) {
    if (lex.watched.bits[lex.map.id(c)] & Watched::kTriggers) bmp_[c] |= kJoiningChar;
    if (!rules.trigger(c) && !(lex.variants && lex.variants->several(c))) continue;
    const uint32_t id = bmp_[c] & kMarkedIds, folded = atoms::fold(c) & 0x7F;
    // a plate begins after a Han character, a time of day is a number before 点 or 时: RunEdges
    if (atoms::upper(uint8_t(folded))) continue;
    if (id && (id == lex.rules.dian || id == lex.rules.shi)) continue;
    // characters that read_trigger passes over unless they join something; not the / of ://
    const bool joins = c == ' ' || (id >= lex.n_runs && id < lex.n_special && folded &&
                                    atoms::one_of(uint8_t(folded), ".:-"));
    bmp_[c] |= joins ? kJoiningChar : kMarkedChar;
  }
}

const AtomRules& usual_rules() {
  static const AtomRules rules = [] {
    AtomRules defaults;
    for (int i = 0; i < kAtomNames; ++i) defaults.how[i] = default_how(i);
    defaults.prepare();
    return defaults;
  }();
  return rules;
}

namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("atoms: " + why); }
template <size_t n>
int index(const char* const (&names)[n], std::string_view name) {
  for (size_t i = 0; i < n; ++i)
    if (name == names[i]) return int(i);
  return -1;
}
template <size_t n>
std::string list(const char* const (&names)[n]) {
  std::string text = names[0];
  for (size_t i = 1; i < n; ++i) text += std::string(", ") + names[i];
  return text;
}
std::string_view stripped(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

}  // namespace

void AtomSettings::set(std::string_view name, std::string_view setting) {
  const int rule = index(kAtomNamesText, name);
  if (rule < 0) refuse(quoted(name) + " is not one of " + list(kAtomNamesText));
  const int setting_index = index(kAtomSettings, setting);
  if (setting_index < 0)
    refuse(std::string(name) + "=" + quoted(setting) + " is not one of " + list(kAtomSettings));
  if (rule == kAtomEmoji && setting_index == kAtomSplit)
    refuse(
        "emoji='split': only forced user words split grapheme clusters; choose 'keep', or "
        "'model' to leave them to the decoder");
  if (rule == kAtomMeasure && setting_index == kAtomKeep)
    refuse(
        "measure='keep': numerals and measure words are parted by 'split'; choose 'model' to "
        "leave "
        "them to the decoder");
  how[rule] = uint8_t(setting_index);
}
void AtomSettings::set_all(AtomHow setting) {
  for (uint8_t& h : how) h = uint8_t(setting);
  if (setting == kAtomSplit) how[kAtomEmoji] = kAtomKeep;
  if (setting == kAtomKeep) how[kAtomMeasure] = kAtomSplit;
}
void AtomSettings::parse(std::string_view text) {
  text = stripped(text);
  if (text == "none") return set_all(kAtomModel);
  if (text == "keep") return set_all(kAtomKeep);
  if (text == "split") return set_all(kAtomSplit);
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view part = stripped(text.substr(0, comma));
    text.remove_prefix(comma == text.npos ? text.size() : comma + 1);
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    if (equals == part.npos) refuse(quoted(part) + " is not of the form rule=setting");
    set(stripped(part.substr(0, equals)), stripped(part.substr(equals + 1)));
  }
}
bool AtomSettings::cut_runs() const {
  for (int i = 0; i < kAtomNames; ++i)
    if (how[i] == kAtomSplit && kCutsRuns[i]) return true;
  return false;
}
std::string AtomSettings::changed() const {
  std::string text;
  for (int i = 0; i < kAtomNames; ++i)
    if (how[i] != default_how(i))
      text +=
          (text.empty() ? "" : ",") + std::string(kAtomNamesText[i]) + "=" + kAtomSettings[how[i]];
  return text;
}

}  // namespace segmenter
