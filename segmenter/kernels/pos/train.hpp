// Training of part-of-speech weights: the averaged perceptron (Collins 2002). Each tag is decided
// on the tags decided before it, right or wrong, as in tagging.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "pos/pos.hpp"
#include "probe.hpp"

namespace segmenter {

class PosTrainer {
 public:
  const Lexicon* lex = nullptr;
  std::vector<uint64_t> masks;
  std::vector<uint8_t> affixes;
  uint32_t n_tags = 0;

  PosTrainer() : keys_(1u << 20, 0), heads_(1u << 20, 0), there_(1u << 20, 0), cells_(1) {}

  // Adds the sentence in scratch.words with its tags; it must not contain blanks or line ends.
  void add(PosScratch& s, const uint8_t* tags) {
    s.arrange();
    around_.insert(around_.end(), s.around.begin(), s.around.end() - 2);
    gold_.insert(gold_.end(), 2, uint8_t(kNoTag));
    for (size_t k = 2; k + 2 < s.around.size(); ++k) gold_.push_back(tags[s.where[k]]);
    starts_.push_back(around_.size());
  }
  // Closes the corpus; call once, before the first pass.
  void close() {
    around_.insert(around_.end(), 2, PosWord());
    gold_.insert(gold_.end(), 2, uint8_t(kNoTag));
  }
  // One pass over all sentences in an order given by the seed; returns the number of wrong tags.
  size_t epoch(uint64_t seed) {
    std::vector<uint32_t> order(starts_.size() - 1);
    for (size_t i = 0; i < order.size(); ++i) order[i] = uint32_t(i);
    uint64_t x = seed * 2 + 1;
    for (size_t i = order.size(); i > 1; --i) {  // Fisher & Yates; xorshift64* (Vigna 2016)
      x ^= x >> 12;
      x ^= x << 25;
      x ^= x >> 27;
      std::swap(order[i - 1], order[(x * 0x2545F4914F6CDD1Du >> 32) % i]);
    }
    size_t wrong = 0;
    for (uint32_t i : order) wrong += sentence(starts_[i] + 2, starts_[i + 1]);
    return wrong;
  }
  // Forgets all weights; from now on only these features are learnt.
  void restrict_to(const uint64_t* keys, size_t n) {
    size_t size = 1u << 20;
    while (size < n * 2) size *= 2;
    keys_.assign(size, 0);
    heads_.assign(size, 0);
    there_.assign(size, 0);
    cells_.assign(1, Cell());
    steps_ = 0;
    fixed_ = true;
    for (size_t i = 0; i < n; ++i) {
      size_t p = place(keys[i]);
      keys_[p] = keys[i];
      there_[p] = 1;
    }
  }
  // Averaged weights of all features: columns of equal length.
  void averages(std::vector<uint64_t>& keys, std::vector<uint8_t>& tags,
                std::vector<float>& weights) const {
    for (size_t p = 0; p < keys_.size(); ++p) {
      for (uint32_t c = heads_[p]; c; c = cells_[c].next) {
        const Cell& cell = cells_[c];
        double sum = cell.sum + double(cell.weight) * double(steps_ - cell.last);
        keys.push_back(keys_[p]);
        tags.push_back(uint8_t(cell.tag));
        weights.push_back(float(sum / double(std::max<uint64_t>(steps_, 1))));
      }
    }
  }

 private:
  struct Cell {
    double sum = 0;
    uint64_t last = 0;
    float weight = 0;
    uint32_t next = 0, tag = 0;
  };

  size_t place(uint64_t key) const {
    const size_t last = keys_.size() - 1;
    return probe(size_t(key >> 20) & last, last,
                 [&](size_t p) { return !there_[p] || keys_[p] == key; });
  }
  void change(uint64_t key, uint32_t tag, float by) {
    size_t p = place(key);
    if (!there_[p]) {
      if (fixed_) return;
      if (++used_ * 2 > keys_.size()) {
        grow();
        p = place(key);
      }
      keys_[p] = key;
      there_[p] = 1;
    }
    uint32_t c = heads_[p];
    while (c && cells_[c].tag != tag) c = cells_[c].next;
    if (!c) {
      c = uint32_t(cells_.size());
      cells_.emplace_back();
      cells_[c].tag = tag;
      cells_[c].next = heads_[p];
      heads_[p] = c;
    }
    Cell& cell = cells_[c];
    cell.sum += double(cell.weight) * double(steps_ - cell.last);
    cell.last = steps_;
    cell.weight += by;
  }
  void grow() {
    std::vector<uint64_t> keys(keys_.size() * 2, 0);
    std::vector<uint32_t> heads(keys.size(), 0);
    std::vector<uint8_t> there(keys.size(), 0);
    keys.swap(keys_);
    heads.swap(heads_);
    there.swap(there_);
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!there[i]) continue;
      size_t p = place(keys[i]);
      keys_[p] = keys[i];
      heads_[p] = heads[i];
      there_[p] = 1;
    }
  }
  size_t sentence(size_t first, size_t last) {
    size_t wrong = 0;
    uint32_t t1 = n_tags, t2 = n_tags;
    uint64_t features[kPosFeatures];
    for (size_t k = first; k < last; ++k) {
      const PosWord* w = &around_[k];
      uint64_t mask = masks[w->cls];
      uint32_t tag = uint32_t(__builtin_ctzll(mask)), gold = gold_[k];
      if (mask & (mask - 1)) {
        float score[64] = {};
        size_t n = 0;
        pos_features<kPosAll>(w, t1, t2, affixes[w->cls] != 0,
                              [&](uint64_t sum) { features[n++] = pos_key(sum); });
        for (size_t f = 0; f < n; ++f)
          for (uint32_t c = heads_[place(features[f])]; c; c = cells_[c].next)
            score[cells_[c].tag] += cells_[c].weight;
        for (uint64_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
          uint32_t other = uint32_t(__builtin_ctzll(rest));
          if (score[other] > score[tag]) tag = other;
        }
        ++steps_;
        // a gold tag that the word cannot have teaches nothing
        if (tag != gold && mask >> gold & 1) {
          for (size_t f = 0; f < n; ++f) {
            change(features[f], gold, 1);
            change(features[f], tag, -1);
          }
        }
      }
      wrong += tag != gold;
      t2 = t1;
      t1 = tag;
    }
    return wrong;
  }

  std::vector<PosWord> around_;
  std::vector<uint8_t> gold_;
  std::vector<size_t> starts_{0};  // of the two boundaries before each sentence
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> heads_;  // first cell of a feature; 0: none
  std::vector<uint8_t> there_;   // whether the place has a feature
  std::vector<Cell> cells_;
  size_t used_ = 0;
  bool fixed_ = false;  // no further features
  uint64_t steps_ = 0;
};

}  // namespace segmenter
