// Checks that the sections of a compiled file are consistent, so that kernels can read them without
// checks: indices are inside their tables, trees end, costs do not overflow. One linear pass when a
// file is opened. Checksums detect accidents; this detects faulty and hostile writers.
//
// Each function returns an error message, or null. A file that passes may give wrong words, but
// every read and write stays inside the sections of the file and the memory of the decoders.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lexicon/lexicon.hpp"
#include "lattice/ngram.hpp"
#include "tagging/model.hpp"

namespace segmenter {

constexpr uint32_t kMostUnits =
    kMaxSlots + kMaxIds + 1;             // with room for every id after the last base
constexpr int32_t kMostScore = 1 << 18;  // of transitions and starts: sums of 1024 fit 32 bits

namespace holds {

inline bool ids_below(const uint16_t* entries, size_t n, uint32_t n_ids) {
  uint32_t max_value = 0;
  for (size_t i = 0; i < n; ++i) max_value = std::max<uint32_t>(max_value, entries[i] & kIdBits);
  return max_value < n_ids;
}

// Whether every id has only one canonical code point: else a word spelt with one character would be
// returned for the other.
inline bool one_form_each(const Lexicon& lex, size_t n_blocks) {
  std::vector<uint8_t> seen(lex.trie.n_ids, 0);
  auto claim = [&](uint32_t entry) { return !(entry & kOddChar) && (entry == 0 || seen[entry]++); };
  for (uint32_t cp = 0; cp < 0x10000; ++cp)
    if (claim(lex.map.bmp[cp])) return false;
  std::vector<uint16_t> pages(n_blocks / 256, 0);  // by block: the pages that name it
  for (uint32_t page = 0; page < 0x1000; ++page) ++pages[lex.map.astral_page[page]];
  for (size_t k = 0; k < n_blocks; ++k) {
    const uint32_t entry = lex.map.astral_block[k], n_pages = pages[k / 256];
    if (n_pages && (claim(entry) || (n_pages > 1 && !(entry & kOddChar)))) return false;
  }
  return true;
}

// Whether every id has a class that its range allows: there are three ranges of ids.
inline bool classes_in_order(const Lexicon& lex) {
  constexpr uint32_t kJoiners =
      1u << kPoint | 1u << kColon | 1u << kComma | 1u << kPercent | 1u << kMinus;
  constexpr uint32_t kOrdinary = 1u << kOther | 1u << kHan | 1u << kPunct;
  constexpr uint32_t kRuns = ((1u << kHan) - 1) & ~kOrdinary;  // older files have joiners here
  for (uint32_t id = 0; id < lex.trie.n_ids; ++id) {
    const uint32_t allowed = id == 0 || id >= lex.n_special ? kOrdinary
                             : id < lex.n_runs              ? kRuns
                                                            : kJoiners;
    if (lex.id_class[id] > kPunct || !(allowed >> lex.id_class[id] & 1)) return false;
  }
  return true;
}

// Whether the characters of the rules have the classes that the rules assume; else a date could
// begin inside a run.
inline bool rules_in_order(const Lexicon& lex) {
  const RuleIds& r = lex.rules;
  const uint32_t n = lex.trie.n_ids;
  if (!lex.numbers) return true;  // no rule applies
  if (r.zero && (r.zero >= n || n - r.zero < 10)) return false;
  for (uint32_t d = 0; r.zero && d < 10; ++d)
    if (lex.id_class[r.zero + d] != kDigit) return false;
  for (uint32_t id : {r.nian, r.yue, r.fen_month, r.ri, r.shi, r.fen, r.di, r.dian, r.zhi})
    if (id && (id >= n || id < lex.n_special || lex.id_class[id] != kHan)) return false;
  for (uint32_t id : r.numerals)
    if (id && (id >= n || lex.id_class[id] != kHanNum)) return false;
  return true;
}

// Checks units of the trie. The result has one bit per unit, set if a word ends there; for units of
// the first level it says whether the character is a word.
class Units {
 public:
  uint32_t max_cost = 0;  // the greatest cost plus one; 0: no unit has a cost
  bool bad = false;

  Units(const Trie& trie)
      : units_(trie.units), n_ids_(trie.n_ids), limit_(trie.n_units - trie.n_ids) {}

  uint64_t check_one(uint32_t slot) {
    const uint64_t unit = units_[slot];
    const uint32_t label = unit_label(unit), cost = (unit_cost(unit) + 1) & 0xFFFF;
    bad |= unit_base(unit) > limit_;
    if (slot < n_ids_) {
      bad |= label < 0xFFFE || !cost;
      return ~unit & 1;
    }
    bad |= label == 0 || (label >= n_ids_ && label != kNoLabel) || (label == kNoLabel && cost);
    max_cost = std::max(max_cost, cost);
    return cost != 0;
  }

  // Checks 64 units after the first level.
  uint64_t check_64(uint32_t slot) {
    uint64_t ends = 0;
#if SEGMENTER_SSE4
    const __m128i low = _mm_set1_epi32(0xFFFF), one_lane = _mm_set1_epi32(1),
                  zero = _mm_setzero_si128();
    const __m128i ids = _mm_set1_epi32(int(n_ids_)), limit = _mm_set1_epi32(int(limit_));
    __m128i wrong = zero, max_lanes = zero;
    for (uint32_t i = 0; i < 64; i += 4) {
      const float* floats = reinterpret_cast<const float*>(units_ + slot + i);
      const __m128 a = _mm_loadu_ps(floats), b = _mm_loadu_ps(floats + 4);
      const __m128i words = _mm_castps_si128(_mm_shuffle_ps(a, b, 0x88));  // label and cost
      const __m128i base = _mm_srli_epi32(_mm_castps_si128(_mm_shuffle_ps(a, b, 0xDD)), 8);
      // plus one, in 16 bits: kNoLabel and kNoCost become 0, and the label 0 becomes 1
      const __m128i label = _mm_and_si128(_mm_add_epi32(words, one_lane), low);
      const __m128i cost = _mm_and_si128(_mm_add_epi32(_mm_srli_epi32(words, 16), one_lane), low);
      const __m128i no_cost = _mm_cmpeq_epi32(cost, zero);
      wrong = _mm_or_si128(wrong,
                           _mm_or_si128(_mm_cmpgt_epi32(base, limit), _mm_cmpgt_epi32(label, ids)));
      wrong = _mm_or_si128(wrong,
                           _mm_or_si128(_mm_cmpeq_epi32(label, one_lane),
                                        _mm_andnot_si128(no_cost, _mm_cmpeq_epi32(label, zero))));
      max_lanes = _mm_max_epu32(max_lanes, cost);
      ends |= uint64_t(~_mm_movemask_ps(_mm_castsi128_ps(no_cost)) & 15) << i;
    }
    bad |= !_mm_testz_si128(wrong, wrong);
    alignas(16) uint32_t lanes[4];
    _mm_store_si128(reinterpret_cast<__m128i*>(lanes), max_lanes);
    for (uint32_t lane : lanes) max_cost = std::max(max_cost, lane);
#else
    for (uint32_t i = 0; i < 64; ++i) ends |= check_one(slot + i) << i;
#endif
    return ends;
  }

 private:
  const uint64_t* units_;
  uint32_t n_ids_, limit_;
};

}  // namespace holds

// Checks a map of characters; n_blocks: the number of entries of astral_block.
inline const char* map_fault(const CharMap& map, size_t n_blocks, uint32_t n_ids) {
  if (!holds::ids_below(map.bmp, 0x10000, n_ids))
    return "charmap.bmp names a character id that is out of range";
  if (n_blocks < 256 || n_blocks % 256 || !holds::ids_below(map.astral_block, n_blocks, n_ids))
    return "charmap.blocks names a character id that is out of range, or has a wrong size";
  for (uint32_t page = 0; page < 0x1000; ++page)
    if (map.astral_page[page] >= n_blocks / 256)
      return "charmap.pages names a block that is out of range";
  return nullptr;
}

// Checks a lexicon whose members are set, before prepare(). n_blocks: the number of entries of
// map.astral_block; n_marks: of `terminal` and of `rank`; words_elsewhere: the words are in another
// trie, and this trie has single characters only. max_cost: receives the greatest cost of a word of
// two or more characters.
inline const char* lexicon_fault(const Lexicon& lex, size_t n_blocks, size_t n_marks,
                                 bool words_elsewhere, uint32_t& max_cost) {
  const Trie& trie = lex.trie;
  const uint32_t n_ids = trie.n_ids, n_units = trie.n_units;
  if (n_ids == 0 || n_ids > kMaxIds || n_units <= n_ids || n_units > kMostUnits ||
      n_marks * 64 < n_units)
    return "params: the number of characters or units is out of range";
  if (lex.n_runs == 0 || lex.n_runs > lex.n_special || lex.n_special > n_ids)
    return "params: ranges of characters out of order";
  if (lex.max_word == 0 || lex.max_word > (words_elsewhere ? kMaxSlots : n_units))
    return "params: the longest word is out of range";
  if (lex.n_words >= kMaxSlots) return "params: the number of words is out of range";
  if (const char* fault = map_fault(lex.map, n_blocks, n_ids)) return fault;
  if (!holds::one_form_each(lex, n_blocks))
    return "charmap: two characters of one id are canonical";
  if (!holds::classes_in_order(lex)) return "charmap.classes are outside the ranges of their ids";
  if (!holds::rules_in_order(lex)) return "params: a rule's character is of the wrong class";
  if (uint32_t(lex.map.id(0x3FFFE)) - 1 < lex.n_special - 1)
    return "charmap: the id of unassigned characters forms runs";

  holds::Units units(trie);
  uint32_t words = 0;
  for (size_t w = 0; w < n_marks; ++w) {
    const uint32_t first = uint32_t(w * 64);
    uint64_t ends = 0;
    if (first >= n_ids && uint64_t(first) + 64 <= n_units) ends = units.check_64(first);
    else
      for (uint32_t i = 0; i < 64 && w * 64 + i < n_units; ++i)
        ends |= units.check_one(first + i) << i;
    if (lex.terminal[w] != ends)
      return "words.terminal: marks another unit than those that have costs";
    if (lex.rank[w] != words) return "words.rank: counts other words than words.terminal marks";
    words += uint32_t(__builtin_popcountll(ends));
  }
  if (units.bad)
    return "trie.units: a unit leads outside the trie, or its label or cost is out of range";
  for (uint32_t s = kMaxSlots; s < n_units; ++s)
    if (unit_label(trie.units[s]) != kNoLabel)
      return "trie.units: a unit after the last slot has a label";
  if (words_elsewhere ? words > lex.n_words || units.max_cost : words != lex.n_words)
    return "params: the number of words differs from words.terminal";
  max_cost = units.max_cost ? units.max_cost - 1 : 0;
  return nullptr;
}

// Checks a tagger whose members are set and have the sizes that they state; max_cost: from
// lexicon_fault().
inline const char* tagger_fault(const TaggerModel& m, uint32_t max_cost) {
  const Trie& trie = m.lex->trie;
  if (uint64_t(trie.n_units) + m.n_pairs > kMaxSlots)
    return "tagger.params: the number of pairs is out of range";
  if (max_cost > m.n_matches) return "trie.units: a word of a class that is out of range";
  for (uint32_t i = 0; i <= m.n_matches; ++i)
    if (m.groups_of[i] > 7) return "tagger.groups: a group that is not there";
  const uint32_t limit = trie.n_units - trie.n_ids;
  uint32_t max_value = 0, wrong = 0;
  for (uint32_t i = 0; i < m.n_pairs; ++i) max_value = std::max(max_value, m.longer[i] & 0xFFFFFF);
  if (max_value > limit) return "tagger.longer: leads outside the trie";
  for (uint32_t i = 0; i < m.n_pairs; ++i) {
    const uint32_t key = record_key(m.pair + size_t(i) * kTagRecord);
    // no longer word begins with a pair whose second is the sentence's end
    wrong |= key >> 31 & uint32_t((key & 0xFFFC000) == 0);
  }
  if (wrong) return "tagger.pair: a word begins with the end of a sentence";
  for (uint32_t id = 0; id < trie.n_ids; ++id)
    wrong |= record_key(m.uni + size_t(id) * kTagRecord) >> 28;
  if (wrong) return "tagger.uni: a character alone has the key of a pair";
  for (int i = 0; i < kTags * kTags; ++i)
    wrong |= uint32_t(m.trans[i] > kMostScore || m.trans[i] < -kMostScore);
  for (int i = 0; i < kTags; ++i)
    wrong |= uint32_t(m.start[i] > kMostScore || m.start[i] < -kMostScore);
  if (wrong || !(m.scale > 0)) return "tagger.params: scores out of range";
  return nullptr;
}

// Whether a table has an empty place or no places: a look-up in a full table would never end.
inline bool has_empty(const NgramTable& table) {
  for (uint32_t i = 0; i < table.capacity; ++i)
    if (table.records[i] == NgramTable::kEmpty) return true;
  return table.capacity == 0;
}

}  // namespace segmenter
