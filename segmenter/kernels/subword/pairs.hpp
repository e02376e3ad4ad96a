// Learns merges on a corpus stored as a chain of symbols, with counts and places of every adjacent
// pair. The reference is tests/reference/merges.py.
//
// For BPE and WordPiece alike: best() returns the best pair, the caller chooses its merged symbol,
// and merge() merges it everywhere and updates the counts. Of equally good pairs the one that
// occurs first is the best. Stale entries of the heap are corrected when they reach the top. This
// suffices because merges only remove places.
#pragma once
#include <algorithm>
#include <cstdint>
#include <queue>
#include <unordered_map>
#include <vector>

#include "interrupt.hpp"
#include "probe.hpp"
#include "subword/interface.hpp"
#include "text.hpp"

namespace segmenter {

class PairChain final : public PairLearner {
 public:
  static constexpr uint32_t kGone = 0xFFFFFFFF;
  static constexpr uint32_t kInner = 1u << 31;  // a symbol after the first of its word

  PairChain(bool inner, bool scored, int64_t min_count)
      : inner_(inner), scored_(scored), min_count_(std::max<int64_t>(min_count, 1)) {}

  void add(const Text& word, int64_t count) override {
    if (!word.n || count <= 0) return;
    for (size_t i = 0; i < word.n; ++i) {
      const uint32_t symbol = word[i] | (inner_ && i ? kInner : 0);
      const auto entry = ids_.emplace(symbol, uint32_t(symbols.size()));
      if (entry.second) symbols.push_back(symbol);
      chain_.push_back(entry.first->second);
      weight_.push_back(count);
    }
    chain_.push_back(kGone);
    weight_.push_back(0);
  }

  void start() override {
    ids_.clear();
    const size_t n = chain_.size();
    next_.resize(n);
    previous_.resize(n);
    for (size_t i = 0; i < n; ++i) {
      next_[i] = uint32_t(i + 1);
      previous_[i] = uint32_t(i) - 1;
    }
    frequency_.assign(symbols.size(), 0);
    pairs_of_.resize(symbols.size());
    for (size_t i = 0; i < n; ++i) {
      if (i % Interrupt::kEvery == 0) Interrupt::poll();
      if (chain_[i] == kGone) continue;
      frequency_[chain_[i]] += weight_[i];
      if (i && chain_[i - 1] != kGone) {
        Pair& p = pair(chain_[i - 1], chain_[i]);
        add_to(p, weight_[i]);
        p.places.push_back(uint32_t(i - 1));
      }
    }
    for (uint32_t k = 0; k < pairs_.size(); ++k) offer(k);
  }

  bool best(Best& best) override {
    while (!heap_.empty()) {
      const Entry top = heap_.top();
      heap_.pop();
      Pair& p = pairs_[top.pair];
      if (p.count < min_count_) continue;
      const double score = score_of(p);
      if (scored_ && score != top.score) continue;
      const uint32_t place = first(p);
      if (place == kGone) continue;
      if (score != top.score || place != top.place) {
        heap_.push({score, place, top.pair});
        continue;
      }
      chosen_ = top.pair;
      best = {p.left, p.right, p.count, score};
      return true;
    }
    return false;
  }

  void merge(uint32_t merged) override {
    const uint32_t left = pairs_[chosen_].left, right = pairs_[chosen_].right;
    const bool existing = merged < frequency_.size();
    if (!existing) {
      frequency_.resize(merged + 1, 0);
      pairs_of_.resize(merged + 1);
    }
    std::vector<uint32_t> places, changed;
    places.swap(pairs_[chosen_].places);
    pairs_[chosen_].first_valid = 0;
    pairs_[chosen_].count = 0;
    int64_t total = 0;
    ++turn_;
    for (uint32_t i : places) {
      const uint32_t j = next_[i];
      if (chain_[i] != left || chain_[j] != right) continue;
      const int64_t w = weight_[i];
      total += w;
      chain_[i] = merged;
      chain_[j] = kGone;
      const uint32_t k = next_[i] = next_[j];
      previous_[k] = i;
      const uint32_t h = previous_[i];
      if (h != kGone && chain_[h] != kGone) {
        decrease(chain_[h], left, w);
        increase(chain_[h], merged, w, h, changed);
      }
      if (chain_[k] != kGone) {
        decrease(right, chain_[k], w);
        increase(merged, chain_[k], w, i, changed);
      }
    }
    if (existing)  // an earlier merge produced this symbol too: its places are out of order
      for (uint32_t b : changed)
        std::sort(pairs_[b].places.begin() + ptrdiff_t(pairs_[b].first_valid),
                  pairs_[b].places.end());
    frequency_[merged] += total;
    frequency_[left] -= total;
    frequency_[right] -= total;
    if (!scored_) {
      for (uint32_t b : changed) offer(b);
      return;
    }
    for (uint32_t symbol : {left, right}) {
      std::vector<uint32_t>& row = pairs_of_[symbol];
      row.erase(std::remove_if(row.begin(), row.end(),
                               [this](uint32_t k) { return pairs_[k].count <= 0; }),
                row.end());
      for (uint32_t k : row) {
        if (pairs_[k].turn == turn_) continue;
        pairs_[k].turn = turn_;
        changed.push_back(k);
      }
    }
    for (uint32_t k : changed) offer(k);
  }

 private:
  struct Pair {
    uint32_t left, right;
    int64_t count;
    uint32_t turn;       // the merge that changed it last
    size_t first_valid;  // the first of its places that may still be valid
    std::vector<uint32_t> places;
  };
  struct Entry {
    double score;
    uint32_t place, pair;
    bool operator<(const Entry& other) const {
      return score != other.score   ? score < other.score
             : place != other.place ? place > other.place
                                    : pair > other.pair;
    }
  };

  const bool inner_, scored_;
  const int64_t min_count_;
  std::unordered_map<uint32_t, uint32_t> ids_;
  std::vector<uint32_t> chain_, next_, previous_;
  std::vector<int64_t> weight_, frequency_;
  std::vector<Pair> pairs_;
  std::vector<std::vector<uint32_t>> pairs_of_;
  std::vector<uint32_t> table_;  // number of a pair plus one, by hash; 0: free
  std::priority_queue<Entry> heap_;
  uint32_t chosen_ = 0, turn_ = 0;

  double score_of(const Pair& p) const {
    if (!scored_) return double(p.count);
    return double(p.count) / (double(frequency_[p.left]) * double(frequency_[p.right]));
  }
  void offer(uint32_t k) {
    Pair& p = pairs_[k];
    if (p.count < min_count_) return;
    const uint32_t place = first(p);
    if (place != kGone) heap_.push({score_of(p), place, k});
  }
  // The first place where a pair still occurs; discards the earlier ones.
  uint32_t first(Pair& p) {
    for (; p.first_valid < p.places.size(); ++p.first_valid) {
      const uint32_t i = p.places[p.first_valid];
      if (chain_[i] == p.left && chain_[next_[i]] == p.right) return i;
    }
    return kGone;
  }

  static size_t hash(uint32_t left, uint32_t right) {
    uint64_t h = (uint64_t(left) << 32 | right) * 0x9E3779B97F4A7C15u;
    return size_t(h ^ h >> 32);
  }
  // The slot of a pair in the table, or a free one for it.
  size_t place_of(uint32_t left, uint32_t right) const {
    const size_t last = table_.size() - 1;
    return probe(hash(left, right) & last, last, [&](size_t i) {
      return !table_[i] ||
             (pairs_[table_[i] - 1].left == left && pairs_[table_[i] - 1].right == right);
    });
  }
  Pair& pair(uint32_t left, uint32_t right) {
    if (table_.size() < 2 * (pairs_.size() + 1)) {
      table_.assign(power_of_two(4 * (pairs_.size() + 1), 1024), 0);
      for (uint32_t k = 0; k < pairs_.size(); ++k)
        table_[place_of(pairs_[k].left, pairs_[k].right)] = k + 1;
    }
    const size_t slot = place_of(left, right);
    if (!table_[slot]) {
      pairs_.push_back({left, right, 0, 0, 0, {}});
      table_[slot] = uint32_t(pairs_.size());
    }
    return pairs_[table_[slot] - 1];
  }
  void add_to(Pair& p, int64_t w) {
    if (scored_ && !p.count) {  // new, or occurring again
      const uint32_t k = uint32_t(&p - pairs_.data());
      pairs_of_[p.left].push_back(k);
      if (p.right != p.left) pairs_of_[p.right].push_back(k);
    }
    p.count += w;
  }
  void decrease(uint32_t left, uint32_t right, int64_t w) {
    const size_t slot = place_of(left, right);
    if (table_[slot] && pairs_[table_[slot] - 1].count > 0) pairs_[table_[slot] - 1].count -= w;
  }
  void increase(uint32_t left, uint32_t right, int64_t w, uint32_t place,
                std::vector<uint32_t>& changed) {
    Pair& p = pair(left, right);
    add_to(p, w);
    p.places.push_back(place);
    if (p.turn == turn_) return;
    p.turn = turn_;
    changed.push_back(uint32_t(&p - pairs_.data()));
  }
};

}  // namespace segmenter
