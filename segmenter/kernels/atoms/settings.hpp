// The settings of atoms in text form: rule=setting.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "atoms/rules.hpp"

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
const AtomRules& usual_rules();

struct AtomSettings {
  uint8_t how[kAtomNames];

  AtomSettings() {
    for (int i = 0; i < kAtomNames; ++i) how[i] = default_how(i);
  }
  // Throws std::invalid_argument if there is no such rule or setting.
  void set(std::string_view name, std::string_view setting);
  // Sets every rule; emoji cannot be split, and numerals and measure words cannot be kept
  // together.
  void set_all(AtomHow setting);
  // "url=split,date=model"; or "none", "keep" or "split" for all rules.
  void parse(std::string_view text);
  // Whether an atom is cut inside a run of letters and digits.
  bool cut_runs() const;
  // The settings that differ from the defaults, in the form of parse(); for fingerprints.
  std::string changed() const;
};

}  // namespace segmenter
