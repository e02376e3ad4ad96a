// Variants of Han characters (Traditional, Hong Kong, Taiwan) over the character map of one
// lexicon.
//
// When a lexicon is opened, it gets its own copy of the map: a plain variant has the id of the character
// it folds to, marked as not canonical, so running text pays nothing. Characters with several readings
// are marked too and examined one by one: the reading in the longest word wins. variants.py has the
// tables and describes each kind.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lexicon/double_array.hpp"
#include "text.hpp"

namespace segmenter {

// The tables of variants.py.
struct VariantTable {
  std::vector<std::pair<uint32_t, uint32_t>> plain;  // (variant, what it folds to), by the latter
  struct Entry {
    uint32_t cp;
    std::vector<uint32_t> readings;  // not including the character itself
    bool kept;
  };
  std::vector<Entry> several;  // ascending

  VariantTable() = default;
  // Parallel rows of plain variants and what they become; entries of a character and its readings,
  // with a blank between two.
  VariantTable(const char16_t* from, const char16_t* to, const char16_t* kept,
               const char16_t* open) {
    for (; *from && *to; ++from, ++to) plain.emplace_back(*from, *to);
    if (*from || *to) throw std::invalid_argument("variants: rows that differ in length");
    std::sort(plain.begin(), plain.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second, a.first) < std::pair(b.second, b.first);
    });
    for (const bool is_kept : {true, false})
      for (const char16_t* at = is_kept ? kept : open; *at; at += *at == u' ') {
        Entry entry{*at++, {}, is_kept};
        for (; *at && *at != u' '; ++at) entry.readings.push_back(*at);
        if (entry.readings.empty() || entry.readings.size() > 3)
          throw std::invalid_argument("variants: a character has one to three readings");
        several.push_back(entry);
      }
    std::sort(several.begin(), several.end(),
              [](const Entry& a, const Entry& b) { return a.cp < b.cp; });
  }
};

class Variants {
 public:
  static constexpr uint32_t kReach = 8;  // characters on either side that a word may reach
  static constexpr uint32_t kNear = 32;  // how close a plain variant must be to count as near
  static constexpr uint32_t kReadings = 4;

  CharMap map;  // replaces the lexicon's own

  Variants(const VariantTable& table, const CharMap& own) : bmp_(own.bmp, own.bmp + 0x10000) {
    map = own;
    map.bmp = bmp_.data();
    plain_.assign(0x400, 0);
    several_.assign(0x400, 0);
    auto id = [&](uint32_t cp) { return own.bmp[cp] >> 15 ? 0u : uint32_t(own.bmp[cp]); };
    // Ids are ordered by frequency. A lexicon in which most variants precede what they fold to is
    // one of Traditional text, and folds the other way.
    size_t before = 0, both = 0;
    for (const auto& p : table.plain) {
      uint32_t a = id(p.first), b = id(p.second);
      both += a && b;
      before += a && b && a < b;
    }
    const bool reversed = 2 * before > both;
    for (size_t i = 0, j; i < table.plain.size(); i = j) {
      const uint32_t target = table.plain[i].second;
      uint32_t root = id(target);
      for (j = i; j < table.plain.size() && table.plain[j].second == target; ++j) {
        const uint32_t cp = table.plain[j].first, a = id(cp);
        plain_[cp >> 6] |= uint64_t(1) << (cp & 63);
        if (a && (!root || (reversed && a < root))) root = a;
      }
      if (!root) continue;
      if (id(target) != root) bmp_[target] = uint16_t(root | kOddChar);
      for (size_t k = i; k < j; ++k)
        if (id(table.plain[k].first) != root)
          bmp_[table.plain[k].first] = uint16_t(root | kOddChar);
    }
    for (const VariantTable::Entry& e : table.several) {
      Open open{e.cp, 0, false, {}};
      const uint32_t itself = id(e.cp);
      for (uint32_t cp : e.readings) {
        const uint32_t a = bmp_[cp] & kIdBits;
        if (id(cp) && open.n < kReadings - 1) open.ids[open.n++] = uint16_t(a);
      }
      if (e.kept && itself) {
        open.kept = true;
        open.ids[open.n++] = uint16_t(itself);
      }
      if (!open.n) continue;
      if (!e.kept) plain_[e.cp >> 6] |= uint64_t(1) << (e.cp & 63);
      if (open.kept && open.n == 1) continue;
      bmp_[e.cp] = uint16_t((open.kept ? itself : open.ids[0]) | kOddChar);
      if (open.n == 1) continue;
      several_[e.cp >> 6] |= uint64_t(1) << (e.cp & 63);
      open_.push_back(open);
    }
  }
  Variants(const Variants&) = delete;
  Variants& operator=(const Variants&) = delete;

  // Whether resolve() must look at a character.
  bool several(uint32_t cp) const { return has(several_, cp); }

  // Gives ids to the characters with several readings among positions [from, to) of the text. `ids`
  // and `not_canonical` begin at `from`. longest(ids, n, k) ranks the best word of two or more characters
  // over the ids [0, n) that includes position k: its length << 16, plus a rank that is greater for
  // the more usual of equally long words; 0: no word. Returns how many were looked at.
  template <class Longest>
  size_t resolve(const Text& text, size_t from, size_t to, uint16_t* ids,
                 const uint8_t* not_canonical, const Longest& longest) const {
    if (text.width == 1 || open_.empty()) return 0;
    size_t found = 0;
    auto look = [&](size_t k) {
      const uint32_t cp = text[k];
      if (!has(several_, cp)) return;
      ids[k - from] = read(text, k, cp, longest);
      ++found;
    };
    size_t k = from;
    for (; k + 8 <= to; k += 8) {
      uint64_t eight;
      std::memcpy(&eight, not_canonical + (k - from), 8);
#if SEGMENTER_LITTLE_ENDIAN
      for (; eight; eight &= eight - 1)
        look(k + size_t(__builtin_ctzll(eight)) / 8);  // bytes are 0 or 1
#else
      for (size_t i = 0; eight && i < 8; ++i)
        if (not_canonical[k + i - from]) look(k + i);
#endif
    }
    for (; k < to; ++k)
      if (not_canonical[k - from]) look(k);
    return found;
  }

 private:
  struct Open {
    uint32_t cp, n;
    bool kept;  // the last reading is the character itself
    uint16_t ids[kReadings];
  };
  std::vector<uint16_t> bmp_;
  std::vector<uint64_t> plain_, several_;  // one bit per code point
  std::vector<Open> open_;                 // ascending

  static bool has(const std::vector<uint64_t>& bits, uint32_t cp) {
    return cp < 0x10000 && (bits[cp >> 6] >> (cp & 63) & 1);
  }
  static bool ends_line(uint32_t cp) { return cp == 0x0A || cp == 0x0D; }

  template <class Longest>
  uint16_t read(const Text& text, size_t k, uint32_t cp, const Longest& longest) const {
    const Open& open = *std::lower_bound(open_.begin(), open_.end(), cp,
                                         [](const Open& o, uint32_t c) { return o.cp < c; });
    const auto [a, b] = around_of(text, k, kReach);
    uint16_t around[2 * kReach + 4] = {};  // 0 at the end stops walks
    for (size_t i = a; i < b; ++i) around[i - a] = uint16_t(map.id(text[i]));
    const uint32_t others = open.n - open.kept;
    uint32_t best = 0, most = 0, itself = 0;
    for (uint32_t r = 0; r < open.n; ++r) {
      around[k - a] = open.ids[r];
      const uint32_t rank = longest(around, uint32_t(b - a), uint32_t(k - a));
      if (r == others) itself = rank;
      else if (rank > most) {  // the first of equals
        most = rank;
        best = r;
      }
    }
    if (!open.kept || most >> 16 > itself >> 16) return open.ids[best];
    if (most < itself) best = others;
    if (most >> 16 < itself >> 16) return open.ids[others];
    // equally long words, or none: the more usual reading if a plain variant is near, which marks
    // Traditional text
    for (auto [i, end] = around_of(text, k, kNear); i < end; ++i)
      if (i != k && has(plain_, text[i])) return open.ids[best];
    return open.ids[others];
  }

  // The characters of the same line up to `reach` before and after k.
  static std::pair<size_t, size_t> around_of(const Text& text, size_t k, uint32_t reach) {
    size_t a = k, b = k + 1;
    while (a > 0 && k - a < reach && !ends_line(text[a - 1])) --a;
    while (b < text.n && b - k <= reach && !ends_line(text[b])) ++b;
    return {a, b};
  }
};

// The ranking for resolve() by a trie; usual(slot): 0 if no word ends there, else up to 0xFFFF.
template <class Usual>
uint32_t longest_in_trie(const Trie& trie, const Usual& usual, const uint16_t* ids, uint32_t n,
                         uint32_t k) {
  uint32_t most = 0;
  for (uint32_t s = 0; s <= k; ++s) {
    uint32_t slot = ids[s];
    for (uint32_t e = s + 1; slot && e < n; ++e) {
      slot = trie.child(slot, ids[e]);
      if (slot && e >= k)
        if (const uint32_t how = usual(slot)) most = std::max(most, (e + 1 - s) << 16 | how);
    }
  }
  return most;
}

}  // namespace segmenter
