// The linear character tagger as a predictor: integer weights, one trie walk, integer Viterbi.
//
// For a pair of characters at positions j, j+1 one record of 16 bytes has the weights that the pair
// adds to the tags at j-1, j, j+1 and j+2: the weights of the pair in its four templates, of the first
// character in its four, and of a lexicon word of these two characters, folded into sums of 8
// bits (0.0002 of F1 less than floats). Scores are relative to tag S, which needs no space. So all
// templates cost one look-up per character, added into a sliding window of four positions in two
// registers.
//
// Perfect hashes (pair_hash.hpp) find the records. The 16 thousand most frequent pairs, two thirds
// of running text, have a hash and a table of their own that stay in the L2 cache; a
// row-displacement table would be five times as large.
//
// Tags are B M E S. Each tag has two possible predecessors, so a step of the Viterbi recursion is
// two shuffles, two additions and one maximum over four 32-bit lanes; four bits say which
// predecessor won. All sums are integers: a build with vector instructions and one without agree exactly.
//
// Eight bits are too few for the probabilities of jieba's HMM: its model has, in addition, a row of
// 16-bit weights for each character.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "compiler.hpp"
#include "lexicon/lexicon.hpp"
#include "pair_hash.hpp"
#include "tagging/tags.hpp"

namespace segmenter {

namespace bilstm {
struct Model;  // bilstm/model.hpp
}
namespace encoder {
struct Model;  // encoder/model.hpp
}

constexpr uint32_t kTagRecord = 16;  // bytes
constexpr uint32_t kTagGroups = 3;
constexpr uint32_t kTagStates = 216;
constexpr int32_t kTagNever = -(1 << 28);
// the margin where runs or marks leave no alternative
constexpr float kNoOtherWay = std::numeric_limits<float>::infinity();

constexpr uint32_t kTagMaxIds = 0x3FFF;  // greatest character id; in no record
constexpr uint32_t kPairKey = (1u << 28) - 1;
constexpr uint32_t kPairLonger = 1u << 31;  // longer words begin with the pair
inline uint32_t pair_key(uint32_t first, uint32_t second) { return first | second << 14; }

// A record: twelve int8 (B M E of positions j-1, j, j+1, j+2), then the key in 28 bits, one bit per
// group that the word of the two characters is in, and kPairLonger. A single character has such a
// record too.
struct TaggerModel {
  const Lexicon* lex = nullptr;  // characters, classes, trie; the cost of a word is its match row
  PairHash hot, cold;            // places from 0, and from hot.n
  const int8_t* pair = nullptr;  // [n_pairs] records
  // [n_pairs] base | guard << 24 of its trie unit, if kPairLonger
  const uint32_t* longer = nullptr;
  const int8_t* uni = nullptr;     // [n_ids] for characters in pairs without a record
  const int16_t* match = nullptr;  // [n_matches][4][4]: first, second, inner, last character
  const int16_t* state = nullptr;  // [groups][216][4]
  const int16_t* type = nullptr;   // [512][4] by the types of the characters before, here and after
  const uint8_t* type_of = nullptr;  // [n_ids] types of characters, 1 to 7; 0: outside the sentence
  const uint8_t* groups_of = nullptr;  // [n_matches] the groups of a match
  uint32_t n_matches = 0, n_pairs = 0, groups = 0;
  const int16_t* alone = nullptr;     // [n_ids][4]: of a character for its own tags; null: none
  int32_t trans[kTags * kTags] = {};  // from * kTags + to
  int32_t start[kTags] = {};
  double scale = 1;  // integer units per unit of the score
  // If set, the linear tagger's sums are only part of the scores; trans, start and
  // scale then apply to the whole.
  const bilstm::Model* bilstm = nullptr;
  const encoder::Model* encoder = nullptr;
  bool has_network() const { return bilstm || encoder; }
  // If set, the scores are a weighted mean of this model's network and of another model's. The
  // shares have 16 fraction bits and allow for the other model's unit. trans and start are means
  // already.
  const TaggerModel* beside = nullptr;
  int64_t own_share = 0, other_share = 0;

  // Whether a record is one of `pair`, and the number of such a record.
  bool has(const int8_t* record) const { return bytes_to(record) / kTagRecord < n_pairs; }
  uint32_t place(const int8_t* record) const { return uint32_t(bytes_to(record) / kTagRecord); }

  // Puts a model with a network beside this one; `own`: the share of this model's scores in the
  // mean.
  void put_beside(const TaggerModel& other, double own) {
    const double unit = scale / other.scale;
    beside = &other;
    own_share = std::llround(own * 65536);
    other_share = std::llround((1 - own) * unit * 65536);
    for (int i = 0; i < kTags * kTags; ++i) trans[i] = mean(trans[i], other.trans[i]);
    for (int i = 0; i < kTags; ++i) start[i] = mean(start[i], other.start[i]);
  }
  int32_t mean(int32_t own, int32_t other) const {
    return int32_t((own * own_share + other * other_share + (1 << 15)) >> 16);
  }

  // Sets the numbers of the section `tagger.params`.
  void set_params(const int32_t* params) {
    groups = uint32_t(params[0]);
    n_matches = uint32_t(params[1]);
    n_pairs = uint32_t(params[2]);
    scale = params[3] / 65536.0;
    std::copy_n(params + 4, kTags, start);
    std::copy_n(params + 4 + kTags, kTags * kTags, trans);
  }

 private:
  uintptr_t bytes_to(const int8_t* record) const {
    return reinterpret_cast<uintptr_t>(record) - reinterpret_cast<uintptr_t>(pair);
  }
};

inline uint32_t record_key(const int8_t* r) {
  uint32_t k;
  std::memcpy(&k, r + 12, 4);
  return k;
}

// The only place where the record of two characters can be.
inline uint32_t pair_place(const TaggerModel& m, uint32_t first, uint32_t second) {
  const uint32_t place = m.hot(first, second);
  const uint32_t key = record_key(m.pair + size_t(place) * kTagRecord) & kPairKey;
  return key == pair_key(first, second) ? place : m.hot.n + m.cold(first, second);
}

// The record of two characters that are a lexicon word, or null.
inline const int8_t* word_of_two(const TaggerModel& m, uint32_t first, uint32_t second) {
  const int8_t* r = m.pair + size_t(pair_place(m, first, second)) * kTagRecord;
  const uint32_t key = record_key(r);
  return (key & kPairKey) == pair_key(first, second) && (key >> 28 & 7) ? r : nullptr;
}

// The ranking for Variants::resolve by the words that the features know. Words of two characters are
// in the records of pairs: the one whose record favours the tags B and E more is the more usual.
// Longer ones are in the trie: the one in more sources is the more usual.
inline uint32_t longest_known(const TaggerModel& m, const uint16_t* ids, uint32_t n, uint32_t k) {
  const Lexicon& lex = *m.lex;
  auto groups = [](uint32_t bits) { return 1 + (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1); };
  auto rank = [&](uint32_t slot) {
    return lex.is_word(slot) ? groups(m.groups_of[unit_cost(lex.trie.units[slot])]) : 0;
  };
  uint32_t best = longest_in_trie(lex.trie, rank, ids, n, k);
  if (best) return best;
  auto rank_pair = [&](uint32_t first, uint32_t second) {
    if (const int8_t* r = word_of_two(m, first, second))
      best = std::max(best, 2u << 16 | uint32_t(300 + r[3] + r[8]));
  };
  if (k) rank_pair(ids[k - 1], ids[k]);
  if (k + 1 < n) rank_pair(ids[k], ids[k + 1]);
  return best;
}
// For encode() of lexicon/words.hpp; `model`: a TaggerModel.
inline uint32_t longest_known_of(void* model, const uint16_t* ids, uint32_t n, uint32_t k) {
  return longest_known(*static_cast<const TaggerModel*>(model), ids, n, k);
}

}  // namespace segmenter
