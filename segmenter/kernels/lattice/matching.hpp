// Decoders that count words and ignore costs: maximum matching from the left, from the right and
// both ways, and the path of fewest words. A path lists edges of the DAG from left to right.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "lattice/dag.hpp"

namespace segmenter {

// Calls visit(begin, end) for every stretch between neighbouring nodes that no edge crosses.
template <class Visit>
inline void for_each_stretch(const Dag& dag, Visit&& visit) {
  uint32_t begin = 0, reach = 0;
  for (uint32_t k = 0; k < dag.n; ++k) {
    if (k % Interrupt::kEvery == Interrupt::kEvery - 1) Interrupt::poll();
    if (k && reach <= k && dag.in_degree(k)) {
      visit(begin, k);
      begin = k;
    }
    if (dag.out_first[k + 1] > dag.out_first[k] && (k == 0 || dag.in_degree(k)))
      reach = std::max(reach, dag.edges[dag.longest_from(k)].end);
  }
  if (dag.n) visit(begin, dag.n);
}

class Matching {
 public:
  uint64_t steps = 0;  // edges relaxed by shortest()

  static void forward(const Dag& dag, uint32_t begin, uint32_t end, std::vector<uint32_t>& path) {
    for (uint32_t k = begin; k < end;) {
      poll(path);
      const uint32_t edge = dag.longest_from(k);
      path.push_back(edge);
      k = dag.edges[edge].end;
    }
  }
  static void backward(const Dag& dag, uint32_t begin, uint32_t end, std::vector<uint32_t>& path) {
    size_t first = path.size();
    for (uint32_t k = end; k > begin;) {
      poll(path);
      const uint32_t edge = dag.in_first[k];  // the longest
      path.push_back(edge);
      k = dag.edges[edge].start;
    }
    std::reverse(path.begin() + std::ptrdiff_t(first), path.end());
  }
  // Fewer words win, then fewer single characters, then the backward path.
  void bidirectional(const Dag& dag, uint32_t begin, uint32_t end, std::vector<uint32_t>& path) {
    size_t first = path.size();
    forward(dag, begin, end, path);
    backward_path_.clear();
    backward(dag, begin, end, backward_path_);
    size_t n_forward = path.size() - first, n_backward = backward_path_.size();
    if (n_forward < n_backward ||
        (n_forward == n_backward &&
         count_single(dag, path, first) < count_single(dag, backward_path_, 0)))
      return;
    path.resize(first);
    path.insert(path.end(), backward_path_.begin(), backward_path_.end());
  }

  // Fewest words: Dijkstra (1959) with Dial's buckets (1969). Every edge weighs one, so two buckets
  // suffice and time is linear.
  void shortest(const Dag& dag, std::vector<uint32_t>& path) {
    constexpr uint32_t kFar = ~uint32_t(0);
    n_words_.assign(dag.n + 1, kFar);
    last_edge_.assign(dag.n + 1, 0);
    front_.assign(1, 0);
    n_words_[0] = 0;
    for (uint32_t distance = 1; !front_.empty(); ++distance) {
      Interrupt::poll(front_.size());
      next_.clear();
      for (uint32_t start : front_)
        for (uint32_t i = dag.out_first[start]; i < dag.out_first[start + 1]; ++i) {
          const uint32_t edge = dag.out_edges[i], end = dag.edges[edge].end;
          ++steps;
          if (n_words_[end] == kFar) {
            n_words_[end] = distance;
            last_edge_[end] = edge;
            next_.push_back(end);
          } else if (n_words_[end] == distance && start < dag.edges[last_edge_[end]].start) {
            last_edge_[end] = edge;  // as many words: the longer last word wins
          }
        }
      front_.swap(next_);
    }
    size_t first = path.size();
    for (uint32_t start = dag.n; start; start = dag.edges[last_edge_[start]].start) {
      poll(path);
      path.push_back(last_edge_[start]);
    }
    std::reverse(path.begin() + std::ptrdiff_t(first), path.end());
  }

 private:
  std::vector<uint32_t> backward_path_, n_words_, last_edge_, front_, next_;

  // Called for each word of a path that grows.
  static void poll(const std::vector<uint32_t>& path) {
    if (path.size() % Interrupt::kEvery == Interrupt::kEvery - 1) Interrupt::poll();
  }

  static size_t count_single(const Dag& dag, const std::vector<uint32_t>& path, size_t first) {
    size_t count = 0;
    for (size_t i = first; i < path.size(); ++i)
      count += dag.edges[path[i]].end - dag.edges[path[i]].start == 1;
    return count;
  }
};

}  // namespace segmenter
