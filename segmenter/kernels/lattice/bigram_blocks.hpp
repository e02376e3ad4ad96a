// Finds the blocks of a window (blocks.hpp) that a bigram model has to decide: all except blocks of a
// single edge and words of two characters that are certain to be on the best path (bounds.hpp).
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
  std::vector<uint64_t> ends;  // one bit per node of the path, as far as it is decided
  std::vector<uint64_t> open;  // one bit per node inside blocks that the model has to decide
  uint64_t steps = 0;

  void begin(const LatticeWindow& window, const NgramModel& model) {
    window_ = &window;
    model_ = &model;
    seen_ = model.seen->bits();
    steps = 0;
    blocks_.clear();
  }

  // After the window's front was removed.
  void clear() { blocks_.clear(); }

  // The edges into a node: bits of Blocks::kLengths and Blocks::kListed.
  uint32_t into(uint32_t k) const { return blocks_.into(k) & (Blocks::kLengths | Blocks::kListed); }

  static bool test(const std::vector<uint64_t>& bits, uint32_t k) {
    return bits[k / 64] >> (k % 64) & 1;
  }

  // Where the window's path is known: at its end, or at the last node where all paths enter by one
  // edge; 0: not yet.
  uint32_t meeting() {
    steps += blocks_.look(*window_);
    return blocks_.meeting(
        *window_, [&](uint32_t k) { return blocks_.only_start(*window_, k) != Blocks::kSeveral; });
  }

  // Sets `ends` and `open` of the nodes up to p; `history`: the token before the window.
  void choose(uint32_t p, uint32_t history) {
    history_ = history;
    find_blocks(p);
    ask_twos(p);
  }

  uint32_t token_id(uint32_t what) const {
    return token_kind(what) == kLineEnd ? model_->boundary() : window_->token_id(what);
  }

 private:
  static constexpr uint32_t kWordsOfLook = Interrupt::kEvery / 64;
  const LatticeWindow* window_ = nullptr;
  const NgramModel* model_ = nullptr;
  Blocks blocks_;
  SeenKeys::Bits seen_{nullptr, 0};
  uint32_t history_ = 0;
  Capacity nodes_, words_;         // of ends and open; of twos_ and numbers_
  std::vector<uint32_t> twos_;     // the node inside of blocks that are a word or its characters
  std::vector<uint32_t> numbers_;  // of these words
  uint32_t n_twos_ = 0;

  // Of an edge of len + 1 characters in a row.
  uint32_t token_id_of(uint32_t what, uint32_t len) const {
    if (len == 0 && token_kind(what) == kWord) return model_->bounds->single(what).token_id;
    return token_id(what);
  }

  void find_blocks(uint32_t p) {
    const uint32_t n = p / 64 + 1;
    nodes_.grow(n, n + n / 2, [&](size_t size) {
      ends.resize(size);
      open.resize(size);
    });
    words_.grow(p / 2 + 16, p + 16, [&](size_t size) {
      twos_.resize(size);
      numbers_.resize(size);
    });
    uint32_t* two = twos_.data();
    uint64_t before = 0;
    for (uint32_t w = 0; w < n; ++w) {
      if (w % kWordsOfLook == kWordsOfLook - 1) Interrupt::look();
      uint64_t x = blocks_.crossed(w), next = w + 1 < n ? blocks_.crossed(w + 1) : 0;
      if (w == n - 1) x &= (uint64_t(1) << (p % 64)) - 1;
      ends[w] = ~x;
      const uint64_t alone = x & ~(x << 1 | before) & ~(x >> 1 | next << 63);
      before = x >> 63;
      const uint64_t twos = alone & blocks_.usual(w);
      open[w] = x & ~twos;
      for (uint64_t b = twos; b; b &= b - 1) *two++ = w * 64 + uint32_t(__builtin_ctzll(b));
    }
    n_twos_ = uint32_t(two - twos_.data());
    ends[0] &= ~uint64_t(1);
    ends[n - 1] &= (uint64_t(2) << (p % 64)) - 1;
  }

  // Marks the words of two characters that are not sure to stand.
  void ask_twos(uint32_t p) {
    const GainBounds& bounds = *model_->bounds;
    const Lexicon& lex = *window_->lex;
    const Row* const rows = window_->rows;
    uint32_t* const twos = twos_.data();
    uint32_t* const numbers = numbers_.data();
    Interrupt::each(n_twos_, [&](size_t i) {
      const uint32_t k = twos[i];
      const uint16_t* const ids = window_->ids + k;  // its characters are those before and after k
      numbers[i] = lex.word_id(token_slot(rows[k + 1].slot[1]));
      bounds.fetch(ids[-2], ids[-1], ids[0], ids[1], numbers[i]);
    });
    uint32_t n = 0;
    Interrupt::each(n_twos_, [&](size_t i) {
      const uint32_t k = twos[i];
      const Row &one = rows[k], &two = rows[k + 1];
      const uint16_t* const ids = window_->ids + k;
      const uint32_t gains = bounds.before(ids[-2], ids[-1]) + bounds.after(ids[0], ids[1]);
      const uint32_t margin = bounds.margin(numbers[i]);
      const bool words = !((one.slot[0] | two.slot[0] | two.slot[1]) >> kKindShift);
      twos[n] = k;
      n += !((gains < margin) & words);
    });
    Interrupt::each(n, [&](size_t i) {
      const uint32_t k = twos[i];
      open[k / 64] |= uint64_t(!stands(k, p)) << (k % 64);
    });
    steps += n_twos_ + n;
  }

  // The same with the pairs that are there.
  bool stands(uint32_t k, uint32_t p) const {
    const Row &one = window_->rows[k], &two = window_->rows[k + 1];
    if ((one.slot[0] | two.slot[0] | two.slot[1]) >> kKindShift) return false;
    const GainBounds& bounds = *model_->bounds;
    const GainBounds::Single a = bounds.single(one.slot[0]), b = bounds.single(two.slot[0]);
    const uint32_t word = window_->lex->word_id(two.slot[1]);
    const int32_t most = (int32_t(bounds.margin(word)) - 1) * int32_t(GainBounds::kStep);
    const int32_t before = gain_before(k - 1, a, one.cost[0] >> 2);
    return before <= most && before + gain_after(k + 1, b, p) <= most;
  }

  // The greatest gain of a pair that ends with the character after node a.
  int32_t gain_before(uint32_t a, const GainBounds::Single& one, uint32_t lower) const {
    if (a == 0) return gain(history_, one.token_id, lower);
    uint32_t lengths = into(a);
    if (lengths & Blocks::kListed) return bound(one.before);
    // of a word that is sure to stand there, only itself
    if (lengths == 3 && !test(open, a - 1)) lengths = 2;
    int32_t most = 0;
    for (; lengths; lengths &= lengths - 1) {
      const uint32_t len = uint32_t(__builtin_ctz(lengths));
      const uint32_t v = token_id_of(window_->rows[a].slot[len], len);
      most = std::max(most, gain(v, one.token_id, lower));
    }
    return most;
  }

  // The greatest gain of a pair that begins with the character before node b.
  int32_t gain_after(uint32_t b, const GainBounds::Single& one, uint32_t p) const {
    if (b == p) return gain(one.token_id, model_->boundary(), model_->boundary_cost);
    if (blocks_.into(b) & Blocks::kBegins) return bound(one.after);
    int32_t most = 0;
    for (uint32_t len = 0; len < 4; ++len) {
      if (!(blocks_.into(b + 1 + len) >> len & 1)) continue;
      const Row& row = window_->rows[b + 1 + len];
      const uint32_t w = token_id_of(row.slot[len], len);
      const uint32_t lower = w == model_->boundary() ? model_->boundary_cost : row.cost[len] >> 2;
      most = std::max(most, gain(one.token_id, w, lower));
    }
    return most;
  }

  static int32_t bound(uint8_t steps) {  // the last step has no end
    return steps == 255 ? INT32_MAX / 2 : int32_t(steps * GainBounds::kStep);
  }
  int32_t gain(uint32_t v, uint32_t w, uint32_t lower) const {
    return seen_.may_hold(SeenKeys::hash(v, w)) ? model_->gain(v, w, lower) : 0;
  }
};

}  // namespace segmenter
