// Tagged sentences and the features that trainers find in them; see train/tagger.hpp.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tagging/tags.hpp"
#include "train/interface.hpp"

namespace segmenter {

constexpr uint32_t kUniSlots = 4;      // distances -2, -1, 0, +1
constexpr uint32_t kBiSlots = 4;       // pairs (-2,-1), (-1,0), (0,+1), (+1,+2)
constexpr uint32_t kRoles = 4;         // first, second, inner, last
constexpr uint32_t kLengths = 6;       // 2, 3, 4, 5, 6, 7 and more characters
constexpr uint32_t kStates = 216;      // 6 * 6 * 6
constexpr uint32_t kTypeCodes = 512;   // 8 * 8 * 8
constexpr uint16_t kNoClass = 0xFFFF;  // the word counts as unknown
constexpr uint32_t kMaxGroups = 3;
constexpr uint8_t kOpen = 2;  // a boundary without a label in partly labelled text

inline uint32_t length_step(uint32_t len) { return std::min(len, kLengths + 1) - 2; }
inline uint32_t state_step(uint32_t len) { return std::min(len, 6u) - 1; }

// A copy of CorpusColumns.
struct TaggedCorpus {
  std::vector<uint16_t> ids;
  std::vector<int64_t> offsets;
  std::vector<uint8_t> ends;
  std::vector<uint8_t> folds;
  // filled by Trainer::prepare
  std::vector<int32_t> bigrams;      // of (i, i+1), -1: none
  std::vector<uint16_t> states;      // [groups] per position
  std::vector<uint32_t> match_head;  // matches that begin at i: [match_head[i], match_head[i+1])
  std::vector<uint32_t> matches;     // class << 8 | length

  explicit TaggedCorpus(const CorpusColumns& c)
      : ids(c.ids, c.ids + c.offsets[c.n_sentences]),
        offsets(c.offsets, c.offsets + c.n_sentences + 1),
        ends(c.ends, c.ends + ids.size()),
        folds(c.folds, c.folds + c.n_sentences) {}
  size_t sentences() const { return folds.size(); }
};

}  // namespace segmenter
