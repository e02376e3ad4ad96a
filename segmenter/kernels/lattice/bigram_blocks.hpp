// Finds the blocks of a window (blocks.hpp) that a bigram model has to decide: all except single
// edges and words of two characters that are certain to be on the best path (bounds.hpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "capacity.hpp"
#include "interrupt.hpp"
#include "lattice/blocks.hpp"
#include "lattice/ngram.hpp"
#include "lattice/bounds.hpp"

namespace segmenter {

class BigramBlocks {
 public:
  std::vector<uint64_t> ends;       // one bit per node: on the path, as far as it is decided
  std::vector<uint64_t> undecided;  // one bit per node: inside a block that the model decides
  uint64_t steps = 0;

  void begin(const LatticeWindow& window, const NgramModel& model) {
    window_ = &window;
    model_ = &model;
    seen_ = model.seen->bits();
    steps = 0;
    blocks_.clear();
  }

  // After the commit of a window.
  void clear() { blocks_.clear(); }

  // The edges into a node: bits of Blocks::kLengths and Blocks::kListed.
  uint32_t in_edges(uint32_t node) const {
    return blocks_.node(node) & (Blocks::kLengths | Blocks::kListed);
  }

  static bool test(const std::vector<uint64_t>& bits, uint32_t node) {
    return bits[node / 64] >> (node % 64) & 1;
  }

  // Where a window may end: at the end of the text, or at the last node that all paths enter by one
  // edge; 0: not yet.
  uint32_t meeting() {
    steps += blocks_.scan(*window_);
    return blocks_.meeting(
        *window_, [&](uint32_t k) { return blocks_.only_start(*window_, k) != Blocks::kSeveral; });
  }

  // Sets `ends` and `undecided` of the nodes up to p; `history`: the token before the window.
  void choose(uint32_t p, uint32_t history) {
    history_ = history;
    find_blocks(p);
    check_twos(p);
  }

  uint32_t token_id(uint32_t label) const {
    return token_kind(label) == kLineEnd ? model_->boundary() : window_->token_id(label);
  }

 private:
  static constexpr uint32_t kWordsPerPoll = Interrupt::kEvery / 64;
  const LatticeWindow* window_ = nullptr;
  const NgramModel* model_ = nullptr;
  Blocks blocks_;
  SeenKeys::Bits seen_{nullptr, 0};
  uint32_t history_ = 0;
  Capacity nodes_, words_;         // of ends and open; of twos_ and numbers_
  std::vector<uint32_t> twos_;     // the middle nodes of blocks of a word of two characters
  std::vector<uint32_t> numbers_;  // the numbers of these words
  uint32_t n_twos_ = 0;

  // The token of a row edge of index + 1 characters.
  uint32_t token_id_of(uint32_t label, uint32_t index) const {
    if (index == 0 && token_kind(label) == kWord) return model_->bounds->character(label).token_id;
    return token_id(label);
  }

  void find_blocks(uint32_t end) {
    const uint32_t n_words = end / 64 + 1;
    nodes_.grow(n_words, n_words + n_words / 2, [&](size_t size) {
      ends.resize(size);
      undecided.resize(size);
    });
    words_.grow(end / 2 + 16, end + 16, [&](size_t size) {
      twos_.resize(size);
      numbers_.resize(size);
    });
    uint32_t* pair = twos_.data();
    uint64_t before = 0;
    for (uint32_t word = 0; word < n_words; ++word) {
      if (word % kWordsPerPoll == kWordsPerPoll - 1) Interrupt::poll();
      uint64_t crossed = blocks_.crossed(word),
               next_word = word + 1 < n_words ? blocks_.crossed(word + 1) : 0;
      if (word == n_words - 1) crossed &= (uint64_t(1) << (end % 64)) - 1;
      ends[word] = ~crossed;
      const uint64_t alone = crossed & ~(crossed << 1 | before) & ~(crossed >> 1 | next_word << 63);
      before = crossed >> 63;
      const uint64_t alone_pairs = alone & blocks_.pairs(word);
      undecided[word] = crossed & ~alone_pairs;
      for (uint64_t bits = alone_pairs; bits; bits &= bits - 1)
        *pair++ = word * 64 + uint32_t(__builtin_ctzll(bits));
    }
    n_twos_ = uint32_t(pair - twos_.data());
    ends[0] &= ~uint64_t(1);
    ends[n_words - 1] &= (uint64_t(2) << (end % 64)) - 1;
  }

  // Leaves the words of two characters that are not certain to the model.
  void check_twos(uint32_t p) {
    const GainBounds& bounds = *model_->bounds;
    const Lexicon& lex = *window_->lex;
    const Row* const rows = window_->rows;
    uint32_t* const twos = twos_.data();
    uint32_t* const numbers = numbers_.data();
    Interrupt::for_each(n_twos_, [&](size_t i) {
      const uint32_t k = twos[i];
      const uint16_t* const ids = window_->ids + k;  // its characters are those before and after k
      numbers[i] = lex.word_id(token_slot(rows[k + 1].slot[1]));
      bounds.prefetch(ids[-2], ids[-1], ids[0], ids[1], numbers[i]);
    });
    uint32_t n = 0;
    Interrupt::for_each(n_twos_, [&](size_t i) {
      const uint32_t k = twos[i];
      const Row &first = rows[k], &second = rows[k + 1];
      const uint16_t* const ids = window_->ids + k;
      const uint32_t gains = bounds.before(ids[-2], ids[-1]) + bounds.after(ids[0], ids[1]);
      const uint32_t margin = bounds.margin(numbers[i]);
      const bool are_words = !((first.slot[0] | second.slot[0] | second.slot[1]) >> kKindShift);
      twos[n] = k;
      n += !((gains < margin) & are_words);
    });
    Interrupt::for_each(n, [&](size_t i) {
      const uint32_t k = twos[i];
      undecided[k / 64] |= uint64_t(!is_certain(k, p)) << (k % 64);
    });
    steps += n_twos_ + n;
  }

  // Whether a word of two characters around node k is on the best path, by the gains of the pairs
  // in the lattice instead of their bounds.
  bool is_certain(uint32_t k, uint32_t p) const {
    const Row &first = window_->rows[k], &second = window_->rows[k + 1];
    if ((first.slot[0] | second.slot[0] | second.slot[1]) >> kKindShift) return false;
    const GainBounds& bounds = *model_->bounds;
    const GainBounds::Character first_bounds = bounds.character(first.slot[0]),
                                second_bounds = bounds.character(second.slot[0]);
    const uint32_t word = window_->lex->word_id(second.slot[1]);
    const int32_t max_gain = (int32_t(bounds.margin(word)) - 1) * int32_t(GainBounds::kStep);
    const int32_t gain = gain_before(k - 1, first_bounds, first.cost[0] >> 2);
    return gain <= max_gain && gain + gain_after(k + 1, second_bounds, p) <= max_gain;
  }

  // The greatest gain of a pair that ends with `character`, which begins at the node.
  int32_t gain_before(uint32_t node, const GainBounds::Character& character, uint32_t lower) const {
    if (node == 0) return gain(history_, character.token_id, lower);
    uint32_t lengths = in_edges(node);
    if (lengths & Blocks::kListed) return bound(character.before);
    // if a certain word ends there, its characters do not count
    if (lengths == 3 && !test(undecided, node - 1)) lengths = 2;
    int32_t greatest = 0;
    for (; lengths; lengths &= lengths - 1) {
      const uint32_t len = uint32_t(__builtin_ctz(lengths));
      const uint32_t v = token_id_of(window_->rows[node].slot[len], len);
      greatest = std::max(greatest, gain(v, character.token_id, lower));
    }
    return greatest;
  }

  // The greatest gain of a pair that begins with `character`, which ends at the node.
  int32_t gain_after(uint32_t node, const GainBounds::Character& character, uint32_t end) const {
    if (node == end) return gain(character.token_id, model_->boundary(), model_->boundary_cost);
    if (blocks_.node(node) & Blocks::kBegins) return bound(character.after);
    int32_t greatest = 0;
    for (uint32_t len = 0; len < 4; ++len) {
      if (!(blocks_.node(node + 1 + len) >> len & 1)) continue;
      const Row& row = window_->rows[node + 1 + len];
      const uint32_t w = token_id_of(row.slot[len], len);
      const uint32_t lower = w == model_->boundary() ? model_->boundary_cost : row.cost[len] >> 2;
      greatest = std::max(greatest, gain(character.token_id, w, lower));
    }
    return greatest;
  }

  static int32_t bound(uint8_t steps) {  // 255: no bound
    return steps == 255 ? INT32_MAX / 2 : int32_t(steps * GainBounds::kStep);
  }
  int32_t gain(uint32_t v, uint32_t w, uint32_t lower) const {
    return seen_.may_hold(SeenKeys::hash(v, w)) ? model_->gain(v, w, lower) : 0;
  }
};

}  // namespace segmenter
