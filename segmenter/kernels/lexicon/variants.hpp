// Variants of Han characters (Traditional, Hong Kong, Taiwan) over the character map of one
// lexicon.
//
// A lexicon gets its own copy of the map when it is opened: a plain variant has the id of the
// character that it folds to, marked as not canonical, so running text pays nothing. Characters
// with several readings are marked too and examined one by one: the reading in the longest word
// wins. variants.py has the tables and describes each kind.
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
  std::vector<std::pair<uint32_t, uint32_t>> plain;  // (variant, folded character), by the latter
  struct Entry {
    uint32_t cp;
    std::vector<uint32_t> readings;  // not including the character itself
    bool keeps_itself;               // whether the character itself is a reading too
  };
  std::vector<Entry> several;  // ascending

  VariantTable() = default;
  // `variants` and `folded`: parallel rows of plain variants. `kept` and `not_kept`: a character
  // and its readings, then a blank, and so on.
  VariantTable(const char16_t* variants, const char16_t* folded, const char16_t* kept,
               const char16_t* not_kept) {
    for (; *variants && *folded; ++variants, ++folded) plain.emplace_back(*variants, *folded);
    if (*variants || *folded) throw std::invalid_argument("variants: rows that differ in length");
    std::sort(plain.begin(), plain.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second, a.first) < std::pair(b.second, b.first);
    });
    for (const bool keeps : {true, false})
      for (const char16_t* next = keeps ? kept : not_kept; *next; next += *next == u' ') {
        Entry entry{*next++, {}, keeps};
        for (; *next && *next != u' '; ++next) entry.readings.push_back(*next);
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
  static constexpr uint32_t kReach = 8;  // how many characters on either side a word may cover
  static constexpr uint32_t kNear = 32;  // how many characters on either side count as near
  static constexpr uint32_t kReadings = 4;

  CharMap map;  // replaces that of the lexicon

  Variants(const VariantTable& table, const CharMap& lexicon_map)
      : bmp_(lexicon_map.bmp, lexicon_map.bmp + 0x10000) {
    map = lexicon_map;
    map.bmp = bmp_.data();
    plain_.assign(0x400, 0);
    several_.assign(0x400, 0);
    auto id = [&](uint32_t cp) {
      return lexicon_map.bmp[cp] >> 15 ? 0u : uint32_t(lexicon_map.bmp[cp]);
    };
    // Ids are ordered by frequency. In a lexicon of Traditional text most variants precede the
    // characters that they fold to: it folds the other way.
    size_t n_before = 0, n_both = 0;
    for (const auto& pair : table.plain) {
      uint32_t variant_id = id(pair.first), folded_id = id(pair.second);
      n_both += variant_id && folded_id;
      n_before += variant_id && folded_id && variant_id < folded_id;
    }
    const bool reversed = 2 * n_before > n_both;
    for (size_t i = 0, j; i < table.plain.size(); i = j) {
      const uint32_t target = table.plain[i].second;
      uint32_t common_id = id(target);
      for (j = i; j < table.plain.size() && table.plain[j].second == target; ++j) {
        const uint32_t cp = table.plain[j].first, variant_id = id(cp);
        plain_[cp >> 6] |= uint64_t(1) << (cp & 63);
        if (variant_id && (!common_id || (reversed && variant_id < common_id)))
          common_id = variant_id;
      }
      if (!common_id) continue;
      if (id(target) != common_id) bmp_[target] = uint16_t(common_id | kOddChar);
      for (size_t k = i; k < j; ++k)
        if (id(table.plain[k].first) != common_id)
          bmp_[table.plain[k].first] = uint16_t(common_id | kOddChar);
    }
    for (const VariantTable::Entry& entry : table.several) {
      Open open{entry.cp, 0, false, {}};
      const uint32_t own_id = id(entry.cp);
      for (uint32_t cp : entry.readings) {
        const uint32_t variant_id = bmp_[cp] & kIdBits;
        if (id(cp) && open.n < kReadings - 1) open.ids[open.n++] = uint16_t(variant_id);
      }
      if (entry.keeps_itself && own_id) {
        open.keeps_itself = true;
        open.ids[open.n++] = uint16_t(own_id);
      }
      if (!open.n) continue;
      if (!entry.keeps_itself) plain_[entry.cp >> 6] |= uint64_t(1) << (entry.cp & 63);
      if (open.keeps_itself && open.n == 1) continue;
      bmp_[entry.cp] = uint16_t((open.keeps_itself ? own_id : open.ids[0]) | kOddChar);
      if (open.n == 1) continue;
      several_[entry.cp >> 6] |= uint64_t(1) << (entry.cp & 63);
      open_.push_back(open);
    }
  }
  Variants(const Variants&) = delete;
  Variants& operator=(const Variants&) = delete;

  // Whether resolve() examines a character.
  bool several(uint32_t cp) const { return has_bit(several_, cp); }

  // Sets the ids of the characters with several readings in [begin, end) of the text. `ids` and
  // `not_canonical` begin at `begin`. longest(ids, n, k) ranks the best word of two or more
  // characters over the ids [0, n) that includes position k: its length << 16, plus a rank that is
  // greater for the more usual of equally long words; 0: no word. Returns the number of characters
  // with several readings.
  template <class Longest>
  size_t resolve(const Text& text, size_t begin, size_t end, uint16_t* ids,
                 const uint8_t* not_canonical, const Longest& longest) const {
    if (text.width == 1 || open_.empty()) return 0;
    size_t n_resolved = 0;
    auto resolve_at = [&](size_t k) {
      const uint32_t cp = text[k];
      if (!has_bit(several_, cp)) return;
      ids[k - begin] = choose_reading(text, k, cp, longest);
      ++n_resolved;
    };
    size_t k = begin;
    for (; k + 8 <= end; k += 8) {
      uint64_t flags;
      std::memcpy(&flags, not_canonical + (k - begin), 8);
#if SEGMENTER_LITTLE_ENDIAN
      for (; flags; flags &= flags - 1)
        resolve_at(k + size_t(__builtin_ctzll(flags)) / 8);  // bytes are 0 or 1
#else
      for (size_t i = 0; flags && i < 8; ++i)
        if (not_canonical[k + i - begin]) resolve_at(k + i);
#endif
    }
    for (; k < end; ++k)
      if (not_canonical[k - begin]) resolve_at(k);
    return n_resolved;
  }

 private:
  struct Open {
    uint32_t cp, n;
    bool keeps_itself;  // the last reading is the character itself
    uint16_t ids[kReadings];
  };
  std::vector<uint16_t> bmp_;
  std::vector<uint64_t> plain_, several_;  // one bit per code point
  std::vector<Open> open_;                 // ascending

  static bool has_bit(const std::vector<uint64_t>& bits, uint32_t cp) {
    return cp < 0x10000 && (bits[cp >> 6] >> (cp & 63) & 1);
  }
  static bool ends_line(uint32_t cp) { return cp == 0x0A || cp == 0x0D; }

  template <class Longest>
  uint16_t choose_reading(const Text& text, size_t k, uint32_t cp, const Longest& longest) const {
    const Open& open = *std::lower_bound(open_.begin(), open_.end(), cp,
                                         [](const Open& o, uint32_t c) { return o.cp < c; });
    const auto [begin, end] = context_of(text, k, kReach);
    uint16_t context[2 * kReach + 4] = {};  // 0 at the end stops walks
    for (size_t i = begin; i < end; ++i) context[i - begin] = uint16_t(map.id(text[i]));
    const uint32_t n_others = open.n - open.keeps_itself;
    uint32_t best_reading = 0, best_rank = 0, own_rank = 0;
    for (uint32_t reading = 0; reading < open.n; ++reading) {
      context[k - begin] = open.ids[reading];
      const uint32_t rank = longest(context, uint32_t(end - begin), uint32_t(k - begin));
      if (reading == n_others) own_rank = rank;
      else if (rank > best_rank) {  // the first of equals
        best_rank = rank;
        best_reading = reading;
      }
    }
    if (!open.keeps_itself || best_rank >> 16 > own_rank >> 16) return open.ids[best_reading];
    if (best_rank < own_rank) best_reading = n_others;
    if (best_rank >> 16 < own_rank >> 16) return open.ids[n_others];
    // equally long words, or none: the more usual reading if a plain variant is near, which marks
    // Traditional text
    for (auto [i, end] = context_of(text, k, kNear); i < end; ++i)
      if (i != k && has_bit(plain_, text[i])) return open.ids[best_reading];
    return open.ids[n_others];
  }

  // The characters of the line up to `reach` before and after k.
  static std::pair<size_t, size_t> context_of(const Text& text, size_t k, uint32_t reach) {
    size_t begin = k, end = k + 1;
    while (begin > 0 && k - begin < reach && !ends_line(text[begin - 1])) --begin;
    while (end < text.n && end - k <= reach && !ends_line(text[end])) ++end;
    return {begin, end};
  }
};

// The ranking for resolve() by a trie. rank_of(slot): 0 if no word ends there, else up to 0xFFFF.
template <class RankOf>
uint32_t longest_in_trie(const Trie& trie, const RankOf& rank_of, const uint16_t* ids, uint32_t n,
                         uint32_t k) {
  uint32_t best = 0;
  for (uint32_t start = 0; start <= k; ++start) {
    uint32_t slot = ids[start];
    for (uint32_t end = start + 1; slot && end < n; ++end) {
      slot = trie.child(slot, ids[end]);
      if (slot && end >= k)
        if (const uint32_t rank = rank_of(slot))
          best = std::max(best, (end + 1 - start) << 16 | rank);
    }
  }
  return best;
}

}  // namespace segmenter
