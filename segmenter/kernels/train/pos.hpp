// Training of part-of-speech weights: the averaged perceptron (Collins 2002) with a margin. Each
// tag is decided on the tags decided before it, right or wrong, as in tagging. First the features
// of one word alone are learnt; then these are fixed and the others are learnt.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "pos/pos.hpp"
#include "probe.hpp"
#include "train/interface.hpp"

namespace segmenter {

class PosPerceptron final : public PosTrainer {
 public:
  explicit PosPerceptron(const PosTrainerOptions& options) : options_(options) {
    if (options_.masks.size() < kShapes || options_.affixes.size() != options_.masks.size())
      throw std::invalid_argument(
          "PosTrainer: masks and affixes must have one value for each class");
  }

  size_t add(const std::vector<Text>& words, const uint8_t* tags) override {
    sentence_.clear();
    for (size_t i = 0; i < words.size(); ++i) {
      sentence_.push_back(pos_word(*options_.lex, words[i], uint32_t(options_.masks.size())));
      if (sentence_[i].cls <= kShapeLine || tags[i] >= options_.n_tags) return i;
    }
    words_.insert(words_.end(), 2, PosWord());
    words_.insert(words_.end(), sentence_.begin(), sentence_.end());
    gold_.insert(gold_.end(), 2, uint8_t(kNoTag));
    gold_.insert(gold_.end(), tags, tags + words.size());
    starts_.push_back(words_.size());
    return words.size();
  }
  void close() override {
    words_.insert(words_.end(), 2, PosWord());
    gold_.insert(gold_.end(), 2, uint8_t(kNoTag));
  }
  size_t epoch(uint64_t seed) override {
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
    for (uint32_t i : order) wrong += learn_sentence(starts_[i] + 2, starts_[i + 1]);
    return wrong;
  }
  void restrict_to(const uint64_t* keys, size_t n) override {
    std::vector<Feature> old(kInitialFeatures);
    old.swap(features_);
    std::vector<Cell> old_cells(1);
    old_cells.swap(cells_);
    used_ = 0;
    steps_ = 0;
    frozen_ = true;
    for (const Feature& f : old) {
      if (f.state != kFixed) continue;
      Feature& copy = add_feature(f.key);
      copy.state = kFixed;
      for (uint32_t c = f.head; c; c = old_cells[c].next) {
        cells_.push_back(old_cells[c]);
        cells_.back().next = copy.head;
        copy.head = uint32_t(cells_.size() - 1);
      }
    }
    for (size_t i = 0; i < n; ++i) add_feature(keys[i]);
  }
  void second(float prune) override {
    for (Feature& f : features_)
      if (f.state) f.state = kFixed;
    for (Cell& cell : cells_) {
      const float weight = average(cell);
      cell.weight = weight < prune && weight > -prune ? 0 : weight;
      cell.sum = 0;
      cell.last_step = 0;
    }
    steps_ = 0;
    frozen_ = false;
    second_pass_ = true;
  }
  void averages(std::vector<uint64_t>& keys, std::vector<uint8_t>& tags,
                std::vector<float>& weights) const override {
    for (const Feature& f : features_)
      for (uint32_t c = f.head; c; c = cells_[c].next) {
        keys.push_back(f.key);
        tags.push_back(uint8_t(cells_[c].tag));
        weights.push_back(average(cells_[c]));
      }
  }

 private:
  static constexpr size_t kInitialFeatures = 1 << 20;
  enum State : uint8_t { kNone, kLearnt, kFixed };
  struct Feature {
    uint64_t key = 0;
    uint32_t head = 0;  // its first cell; 0: none
    State state = kNone;
  };
  struct Cell {
    double sum = 0;
    uint64_t last_step = 0;
    float weight = 0;
    uint32_t next = 0, tag = 0;
  };

  float average(const Cell& cell) const {
    if (!steps_) return cell.weight;
    return float((cell.sum + double(cell.weight) * double(steps_ - cell.last_step)) /
                 double(steps_));
  }
  // The feature of a key, or the free slot for it.
  Feature& feature(uint64_t key) {
    const size_t mask = features_.size() - 1;
    return features_[probe(size_t(key >> 20) & mask, mask, [&](size_t p) {
      return features_[p].state == kNone || features_[p].key == key;
    })];
  }
  Feature& add_feature(uint64_t key) {
    if (++used_ * 2 > features_.size()) {
      std::vector<Feature> old(features_.size() * 2);
      old.swap(features_);
      for (const Feature& f : old)
        if (f.state != kNone) feature(f.key) = f;
    }
    Feature& f = feature(key);
    f.key = key;
    f.state = kLearnt;
    return f;
  }
  void change(uint64_t key, uint32_t tag, float delta) {
    Feature* f = &feature(key);
    // a feature of the second pass may have the key of a fixed one
    if (f->state == kFixed || (f->state == kNone && frozen_)) return;
    if (f->state == kNone) f = &add_feature(key);
    uint32_t c = f->head;
    while (c && cells_[c].tag != tag) c = cells_[c].next;
    if (!c) {
      c = uint32_t(cells_.size());
      cells_.emplace_back();
      cells_[c].tag = tag;
      cells_[c].next = f->head;
      f->head = c;
    }
    Cell& cell = cells_[c];
    cell.sum += double(cell.weight) * double(steps_ - cell.last_step);
    cell.last_step = steps_;
    cell.weight += delta;
  }
  size_t learn_sentence(size_t begin, size_t end) {
    size_t wrong = 0;
    uint32_t t1 = options_.n_tags, t2 = options_.n_tags;
    uint64_t features[kPosFeatures];
    for (size_t k = begin; k < end; ++k) {
      const PosWord* w = &words_[k];
      uint64_t mask = options_.masks[w->cls];
      uint32_t tag = uint32_t(__builtin_ctzll(mask)), gold = gold_[k];
      if (mask & (mask - 1)) {
        float score[64] = {};
        size_t n = 0, first_learnt = 0;
        const auto take = [&](uint64_t sum) { features[n++] = pos_key(sum); };
        pos_features<kPosFirst>(w, t1, t2, options_.affixes[w->cls] != 0, take);
        if (second_pass_) {
          first_learnt = n;
          pos_features<kPosSecond>(w, t1, t2, options_.affixes[w->cls] != 0, take);
        }
        for (size_t f = 0; f < n; ++f)
          for (uint32_t c = feature(features[f]).head; c; c = cells_[c].next)
            score[cells_[c].tag] += cells_[c].weight;
        uint32_t rival = kNoTag;  // the best tag other than gold
        for (uint64_t rest = mask; rest; rest &= rest - 1) {
          const uint32_t t = uint32_t(__builtin_ctzll(rest));
          if (score[t] > score[tag]) tag = t;
          if (t != gold && (rival == kNoTag || score[t] > score[rival])) rival = t;
        }
        ++steps_;
        // a gold tag that the word cannot have teaches nothing
        if (mask >> gold & 1 && (tag != gold || score[gold] - score[rival] < options_.margin)) {
          for (size_t f = first_learnt; f < n; ++f) {
            change(features[f], gold, 1);
            change(features[f], rival, -1);
          }
        }
      }
      wrong += tag != gold;
      t2 = t1;
      t1 = tag;
    }
    return wrong;
  }

  const PosTrainerOptions options_;
  std::vector<PosWord> sentence_, words_;
  std::vector<uint8_t> gold_;
  std::vector<size_t> starts_{0};  // of the two boundaries before each sentence
  std::vector<Feature> features_ = std::vector<Feature>(kInitialFeatures);  // by hash
  std::vector<Cell> cells_ = std::vector<Cell>(1);
  size_t used_ = 0;
  bool frozen_ = false;       // no further features
  bool second_pass_ = false;  // features of one word alone are fixed
  uint64_t steps_ = 0;
};

}  // namespace segmenter
