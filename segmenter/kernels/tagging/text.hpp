// A text as a tagger reads it: ids of its characters, and marks that force or forbid a boundary
// before a character. The caller's marks are read here; tagging/marks.hpp adds those of runs.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "lexicon/lexicon.hpp"
#include "map_text.hpp"
#include "numbers.hpp"
#include "tagging/model.hpp"

namespace segmenter {

struct TaggedText {
  const Lexicon* lex = nullptr;
  uint32_t n = 0;
  uint16_t* ids = nullptr;         // [n], then at least 16 zeros
  std::vector<uint8_t> marks;      // [n] kMarkCut, kMarkJoin
  std::vector<uint8_t> odd_chars;  // [n] 1: not the lexicon's form of the character
  bool any_odd = false;            // whether one of them is 1
  std::vector<uint32_t> special;   // [n_special] positions of runs, except Chinese numerals
  std::vector<uint32_t> signs;     // positions of signs
  size_t n_special = 0;
  uint64_t steps = 0;

  // `given`: the caller's marks, or null. `exact`: the text is long, so no room is reserved for a
  // longer one.
  void read(const TaggerModel& m, const Text& text, const uint8_t* given, bool exact) {
    lex = m.lex;
    n = uint32_t(text.n);
    steps = 0;
    size_t cap = text.n + 24;
    if (ids_.size() < cap) {
      if (!exact) cap += cap / 2;
      ids_.resize(cap);
      odd_chars.resize(cap);
      marks.resize(cap);
      special.resize(cap);
    }
    ids = ids_.data();
    signs.clear();
    text.cells([&](const auto* cells) { map_ids(cells); });
    if (any_odd && lex->variants) resolve_variants(m, text);
    for (uint32_t k = 0; k < 16; ++k) ids[n + k] = 0;
    if (given) std::memcpy(marks.data(), given, n);
    else std::memset(marks.data(), 0, n);
    // Chinese numerals are left to the tags
    size_t found = 0;
    each_id_below(ids, n, lex->n_others, [&](uint32_t k) { special[found++] = k; });
    n_special = found;
  }

  CharClass cls(uint32_t k) const { return lex->char_class(ids[k]); }
  Runs runs() const { return Runs{*lex, ids, n}; }

  // kNotCanonical if a character of [s, e) is not the lexicon's form of it.
  uint32_t odd(uint32_t s, uint32_t e) const {
    if (any_odd)
      for (uint32_t k = s; k < e; ++k)
        if (odd_chars[k]) return kNotCanonical;
    return 0;
  }

  // While it lives, the sentence ends before position `end`: pairs and words do not cross it.
  class EndsAt {
   public:
    EndsAt(TaggedText& text, uint32_t end) : id_(text.ids[end]), at_(text.ids + end) { *at_ = 0; }
    EndsAt(const EndsAt&) = delete;
    EndsAt& operator=(const EndsAt&) = delete;
    ~EndsAt() { *at_ = id_; }

   private:
    const uint16_t id_;
    uint16_t* const at_;
  };

  // Calls stretch(s, e) for every stretch without blanks, gap(s, e, kind) for runs of blanks and
  // for line ends.
  template <class Stretch, class Gap>
  void stretches(const Stretch& stretch, const Gap& gap) const {
    uint32_t at = 0;
    for (size_t i = 0; i < n_special;) {
      uint32_t k = special[i];
      CharClass c = cls(k);
      if (c != kBlank && c != kLf && c != kCr) {
        ++i;
        continue;
      }
      if (at < k) stretch(at, k);
      uint32_t e = k + 1;
      if (c == kBlank) {
        while (e < n && cls(e) == kBlank && !(marks[e] & kMarkCut)) ++e;
      } else if (c == kCr && e < n && cls(e) == kLf && !(marks[e] & kMarkCut)) {
        ++e;
      }
      gap(k, e, c == kLf || (c == kCr && e == k + 2) ? kLineEnd : kBlankRun);
      at = e;
      while (i < n_special && special[i] < e) ++i;
    }
    if (at < n) stretch(at, n);
  }

 private:
  std::vector<uint16_t> ids_;

  template <class Char>
  void map_ids(const Char* text) {
    CharMap map = lex->map;
    if (lex->signed_bmp.empty()) {
      any_odd = map_text(map, text, 0, n, ids, odd_chars.data());
      return;
    }
    map.bmp = lex->signed_bmp.data();
    any_odd = map_text<kSignedIds>(map, text, 0, n, ids, odd_chars.data()) & kOddChar;
    part_odd(odd_chars.data(), n, [&](uint32_t k) { signs.push_back(k); });
  }

  SEGMENTER_NOINLINE void resolve_variants(const TaggerModel& m, const Text& text) {
    steps += lex->variants->resolve(text, 0, n, ids, odd_chars.data(),
                                    [&](const uint16_t* of, uint32_t size, uint32_t k) {
                                      return longest_known(m, of, size, k);
                                    });
  }
};

}  // namespace segmenter
