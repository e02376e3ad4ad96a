// The settings of atoms in text form: rule=setting.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "atoms/rules.hpp"
#include "files/quoted.hpp"

namespace segmenter {

constexpr const char* kAtomNamesText[kAtomNames] = {
    "url",     "email",    "ip",        "date",    "calendar", "time", "number",
    "numeral", "quantity", "version",   "hashtag", "mention",  "code", "latin",
    "emoji",   "clock",    "financial", "phone",   "measure"};
constexpr const char* kAtomSettings[] = {"model", "keep", "split"};  // by AtomHow

// The default setting of a rule: four are left to lexicon and model.
constexpr AtomHow default_how(int name) {
  if (name == kAtomMeasure) return kAtomSplit;
  return name == kAtomCalendar || name == kAtomNumber || name == kAtomNumeral ||
                 name == kAtomQuantity
             ? kAtomModel
             : kAtomKeep;
}

// The rules with their default settings.
inline const AtomRules& usual_rules() {
  static const AtomRules rules = [] {
    AtomRules defaults;
    for (int i = 0; i < kAtomNames; ++i) defaults.how[i] = default_how(i);
    defaults.prepare();
    return defaults;
  }();
  return rules;
}

struct AtomSettings {
  uint8_t how[kAtomNames];

  AtomSettings() {
    for (int i = 0; i < kAtomNames; ++i) how[i] = default_how(i);
  }
  // Throws std::invalid_argument if there is no such rule or setting.
  void set(std::string_view name, std::string_view setting) {
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
  // Sets every rule; emoji cannot be split, and numerals and measure words cannot be kept
  // together.
  void set_all(AtomHow setting) {
    for (uint8_t& h : how) h = uint8_t(setting);
    if (setting == kAtomSplit) how[kAtomEmoji] = kAtomKeep;
    if (setting == kAtomKeep) how[kAtomMeasure] = kAtomSplit;
  }
  // "url=split,date=model"; or "none", "keep" or "split" for all rules.
  void parse(std::string_view text) {
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
  // Whether an atom is cut inside a run of letters and digits.
  bool cut_runs() const {
    for (int i = 0; i < kAtomNames; ++i)
      if (how[i] == kAtomSplit && kCutsRuns[i]) return true;
    return false;
  }
  // The settings that differ from the defaults, in the form of parse(); for fingerprints.
  std::string changed() const {
    std::string text;
    for (int i = 0; i < kAtomNames; ++i)
      if (how[i] != default_how(i))
        text += (text.empty() ? "" : ",") + std::string(kAtomNamesText[i]) + "=" +
                kAtomSettings[how[i]];
    return text;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) {
    throw std::invalid_argument("atoms: " + why);
  }
  template <size_t n>
  static int index(const char* const (&names)[n], std::string_view name) {
    for (size_t i = 0; i < n; ++i)
      if (name == names[i]) return int(i);
    return -1;
  }
  template <size_t n>
  static std::string list(const char* const (&names)[n]) {
    std::string text = names[0];
    for (size_t i = 1; i < n; ++i) text += std::string(", ") + names[i];
    return text;
  }
  static std::string_view stripped(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
  }
};

}  // namespace segmenter
