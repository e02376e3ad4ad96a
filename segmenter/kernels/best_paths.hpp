// The n best paths over states in topological order: Viterbi with lists. Serves every lattice
// decoder that sums costs, and the n best segmentations of taggers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "interrupt.hpp"

namespace segmenter {

constexpr int64_t kInfPath = int64_t(1) << 60;  // more than any path costs

// predecessors(state, add) calls add(predecessor, cost >= 0) for every predecessor of a state,
// first the one that wins ties (in a lattice the one of the longest word). State 0 is the start.
class BestPaths {
 public:
  static constexpr size_t kMaxItems = 1 << 25;  // 512 MB; more throws std::invalid_argument
  uint64_t steps = 0;

  template <class Predecessors>
  void run(uint32_t n_states, uint32_t k, Predecessors predecessors) {
    single_ = k == 1;
    if (single_) {
      if (items_.size() < n_states) items_.resize(n_states);
      items_[0] = Item{0, 0, 0};
      uint64_t n_edges = 0;
      for (uint32_t state = 1; state < n_states; ++state) {
        int64_t least = kInfPath;  // unreachable states keep it
        uint32_t predecessor = 0;
        if (state % Interrupt::kEvery == 0) Interrupt::poll();
        predecessors(state, [&](uint32_t from, int64_t cost) {
          ++n_edges;
          cost += items_[from].cost;
          if (cost < least) {
            least = cost;
            predecessor = from;
          }
        });
        items_[state] = Item{least, predecessor, 0};
      }
      steps += n_edges;
      return;
    }
    items_.clear();
    first_.assign(n_states + 1, 0);
    items_.push_back(Item{0, 0, 0});
    first_[1] = 1;
    for (uint32_t state = 1; state < n_states; ++state) {
      Interrupt::poll();
      if (items_.size() > kMaxItems)
        throw std::invalid_argument(
            "nbest: so many paths of this text need over 512 MB: ask for fewer paths, or give a "
            "shorter text");
      candidates_.clear();
      predecessors(state, [&](uint32_t from, int64_t cost) {
        for (uint32_t i = first_[from]; i < first_[from + 1]; ++i) {
          ++steps;
          candidates_.push_back(Item{items_[i].cost + cost, from, i - first_[from]});
        }
      });
      // candidates are in the order of the tie rule, which a stable sort keeps
      std::stable_sort(candidates_.begin(), candidates_.end(),
                       [](const Item& a, const Item& b) { return a.cost < b.cost; });
      if (candidates_.size() > k) candidates_.resize(k);
      items_.insert(items_.end(), candidates_.begin(), candidates_.end());
      first_[state + 1] = uint32_t(items_.size());
    }
  }
  uint32_t count(uint32_t state) const {
    return single_ ? items_[state].cost < kInfPath : first_[state + 1] - first_[state];
  }
  int64_t cost(uint32_t state, uint32_t rank) const { return item(state, rank).cost; }
  // Calls visit(state, predecessor) for the states of the rank-th best path to a state, from there
  // back to, but without, state 0.
  template <class Visit>
  void trace(uint32_t state, uint32_t rank, Visit&& visit) const {
    while (state) {
      const Item& current = item(state, rank);
      visit(state, current.from);
      rank = current.rank;
      state = current.from;
    }
  }

 private:
  struct Item {
    int64_t cost;
    uint32_t from, rank;
  };
  const Item& item(uint32_t state, uint32_t rank) const {
    return items_[single_ ? state : first_[state] + rank];
  }
  bool single_ = true;
  std::vector<Item> items_, candidates_;
  std::vector<uint32_t> first_;
};

}  // namespace segmenter
