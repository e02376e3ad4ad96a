// Turns user input into an FTS5 query.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cutter.hpp"

namespace segmenter::fts5 {

// A query for MATCH: each part in units, or as a string.
inline string query_of(Units& units, Cutter& cutter, string text, const Options& options) {
  std::replace(text.begin(), text.end(), '\0', ' ');  // FTS5 reads a query up to its first NUL
  units.read(cutter, text);
  using Range = std::pair<uint32_t, uint32_t>;
  std::vector<Range> parts;
  if (options.phrase) {
    if (!units.units.empty()) parts.push_back({0, uint32_t(units.units.size())});
  } else {
    std::vector<Range> stretch;  // words between blanks and punctuation
    auto end_stretch = [&] {
      if (stretch.empty()) return;
      const Range range = {stretch.front().first, stretch.back().second};
      if (range.second - range.first <= kOneWord) parts.push_back(range);
      else parts.insert(parts.end(), stretch.begin(), stretch.end());
      stretch.clear();
    };
    uint32_t position = 0;
    for (const Units::Word& word : units.words) {
      if (word.signs && cutter.rules & kNoPunct) continue;
      if (units.units[word.first].position != position) end_stretch();
      stretch.emplace_back(word.first, word.last);
      position = units.units[word.last - 1].position + 1;
    }
    end_stretch();
  }
  string query;
  auto append_quoted = [&](string_view part) {
    for (char c : part) query.append(c == '"' ? 2 : 1, c);
  };
  for (const Range& part : parts) {
    const uint32_t start = units.bytes[units.units[part.first].start];
    const uint32_t end = units.bytes[units.units[part.second - 1].end];
    const string_view written = string_view(text).substr(start, end - start);
    if (!query.empty()) query += options.any ? " OR " : " AND ";
    if (written.find_first_of(kSyntax) != string_view::npos) {  // such characters are units too
      query += '"';
      if (written[0] == kMarked) query += kMarked;
      append_quoted(written);
      query += '"';
      continue;
    }
    query += "(\"";
    for (uint32_t k = part.first; k < part.second; ++k) {
      const Unit& unit = units.units[k];
      query += k == part.first ? kMarked : kNext;
      for (int second = 0; second <= (unit.other != 0); ++second) {
        string spelt;
        units.spell(unit, second, spelt);
        if (second) query += kOr;
        append_quoted(spelt);
      }
      query += unit.ends_word ? kEnds : kGoesOn;
    }
    query += "\" OR \"";
    append_quoted(written);
    query += "\")";
  }
  return query.empty() ? "\"\"" : query;
}

}  // namespace segmenter::fts5
