// Tagged sentences and the features that trainers find in them; see train/tagger.hpp.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "lexicon/double_array.hpp"
#include "tagging/tags.hpp"

namespace segmenter {

constexpr uint32_t kUniSlots = 4;      // distances -2, -1, 0, +1
constexpr uint32_t kBiSlots = 4;       // pairs (-2,-1), (-1,0), (0,+1), (+1,+2)
constexpr uint32_t kRoles = 4;         // first, second, inner, last
constexpr uint32_t kLengths = 6;       // 2, 3, 4, 5, 6, 7 and more characters
constexpr uint32_t kStates = 216;      // 6 * 6 * 6
constexpr uint32_t kTypeCodes = 512;   // 8 * 8 * 8
constexpr uint16_t kNoClass = 0xFFFF;  // the word counts as unknown
constexpr uint32_t kMaxGroups = 3;
constexpr uint8_t kOpen = 2;  // a boundary that partly labelled text leaves open

inline uint32_t length_step(uint32_t len) { return std::min(len, kLengths + 1) - 2; }
inline uint32_t state_step(uint32_t len) { return std::min(len, 6u) - 1; }

// Sentences as character ids, with the gold boundaries.
struct TaggedCorpus {
  std::vector<uint16_t> ids;
  std::vector<int64_t> offsets;  // sentence s is [offsets[s], offsets[s+1])
  std::vector<uint8_t> ends;     // 1: a word ends, 0: inside a word, kOpen: not labelled
  std::vector<uint8_t> folds;    // one per sentence
  // filled by Trainer::prepare
  std::vector<int32_t> bigrams;      // of (i, i+1), -1: none
  std::vector<uint16_t> states;      // [groups] per position
  std::vector<uint32_t> match_head;  // matches that begin at i: [match_head[i], match_head[i+1])
  std::vector<uint32_t> matches;     // class << 8 | length

  void assign(const uint16_t* ids_in, const int64_t* offsets_in, size_t n_sentences,
              const uint8_t* ends_in, const uint8_t* folds_in) {
    offsets.assign(offsets_in, offsets_in + n_sentences + 1);
    size_t n = size_t(offsets.back());
    ids.assign(ids_in, ids_in + n);
    ends.assign(ends_in, ends_in + n);
    folds.assign(folds_in, folds_in + n_sentences);
  }
  size_t sentences() const { return folds.size(); }
};

// How often each word's string occurs in each fold, as a word or across words. `out` is
// [n_words][n_folds], zeroed by the caller.
inline void count_occurrences(const Trie& trie, const int32_t* word_of_slot, const TaggedCorpus& c,
                              uint32_t n_folds, int32_t* out) {
  for (size_t s = 0; s < c.sentences(); ++s)
    for (int64_t i = c.offsets[s]; i < c.offsets[s + 1]; ++i) {
      uint32_t slot = c.ids[size_t(i)];
      for (int64_t k = i + 1; k < c.offsets[s + 1]; ++k) {
        slot = trie.child(slot, c.ids[size_t(k)]);
        if (!slot) break;
        int32_t w = word_of_slot[slot];
        if (w >= 0) ++out[size_t(w) * n_folds + c.folds[s]];
      }
    }
}

struct TrainerOptions {
  uint32_t tags = 4;       // 4: B M E S; 6: B B2 B3 M E S
  uint32_t uni_mask = 15;  // which of the slots are used
  uint32_t bi_mask = 15;
  uint32_t groups = 0;     // lexicon state groups
  uint32_t types = 1;      // whether character types are features
  uint32_t min_match = 2;  // the shortest match that is a feature; 0: none are
  uint32_t max_match = 8;
};

struct LexiconFeatures {
  Trie trie;
  const int32_t* word_of_slot = nullptr;     // -1: not a word
  const int32_t* bigram_of_slot = nullptr;   // -1: not a bigram feature
  const uint16_t* uni_of_id = nullptr;       // rare characters share the row of their kind
  const uint8_t* type_of_id = nullptr;       // 1 to 7; 0: outside the sentence
  const uint16_t* classes = nullptr;         // [n_words][n_folds]
  const uint8_t* groups_of_class = nullptr;  // bit g: words of the class are in group g
  uint32_t n_ids = 0, n_bigrams = 0, n_classes = 0, n_folds = 1;
};

}  // namespace segmenter
