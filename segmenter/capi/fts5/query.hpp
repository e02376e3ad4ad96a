// Turns user input into an FTS5 query.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cutter.hpp"

namespace segmenter::fts5 {

// A query for MATCH: each part as it was cut, or as a string.
inline string query_of(Units& units, Cutter& cutter, string text, const Options& options) {
  std::replace(text.begin(), text.end(), '\0', ' ');  // FTS5 reads a query up to its first NUL
  units.read(cutter, text);
  using Range = std::pair<uint32_t, uint32_t>;
  std::vector<Range> parts;
  if (options.phrase) {
    if (!units.units.empty()) parts.push_back({0, uint32_t(units.units.size())});
  } else {
    std::vector<Range> row;  // words between blanks and punctuation
    auto end_row = [&] {
      if (row.empty()) return;
      const Range whole = {row.front().first, row.back().second};
      if (whole.second - whole.first <= kOneWord) parts.push_back(whole);
      else parts.insert(parts.end(), row.begin(), row.end());
      row.clear();
    };
    uint32_t position = 0;
    for (const Units::Word& word : units.words) {
      if (word.signs && cutter.rules & kNoPunct) continue;
      if (units.units[word.first].position != position) end_row();
      row.emplace_back(word.first, word.last);
      position = units.units[word.last - 1].position + 1;
    }
    end_row();
  }
  string out;
  auto doubled = [&](string_view part) {
    for (char c : part) out.append(c == '"' ? 2 : 1, c);
  };
  for (const Range& part : parts) {
    const uint32_t from = units.bytes[units.units[part.first].start];
    const uint32_t to = units.bytes[units.units[part.second - 1].end];
    const string_view whole = string_view(text).substr(from, to - from);
    if (!out.empty()) out += options.any ? " OR " : " AND ";
    if (whole.find_first_of(kSyntax) != string_view::npos) {  // such characters are units too
      out += '"';
      if (whole[0] == kMarked) out += kMarked;
      doubled(whole);
      out += '"';
      continue;
    }
    out += "(\"";
    for (uint32_t k = part.first; k < part.second; ++k) {
      const Unit& unit = units.units[k];
      out += k == part.first ? kMarked : kNext;
      for (int second = 0; second <= (unit.other != 0); ++second) {
        string spelt;
        units.spell(unit, second, spelt);
        if (second) out += kOr;
        doubled(spelt);
      }
      out += unit.ends_word ? kEnds : kGoesOn;
    }
    out += "\" OR \"";
    doubled(whole);
    out += "\")";
  }
  return out.empty() ? "\"\"" : out;
}

}  // namespace segmenter::fts5
