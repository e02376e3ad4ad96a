// Decoders that count words and ignore costs: maximum matching from the left, from the right and
// both ways, and the path of fewest words.  Paths are edges of the DAG, from left to right.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "lattice/dag.hpp"

namespace segmenter {

// Calls visit(a, b) for every stretch between neighbouring nodes that no edge crosses.
template <class Visit>
inline void stretches(const Dag& dag, Visit&& visit) {
  uint32_t begin = 0, reach = 0;
  for (uint32_t k = 0; k < dag.n; ++k) {
    if (k % Interrupt::kEvery == Interrupt::kEvery - 1) Interrupt::look();
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

  static void forward(const Dag& dag, uint32_t a, uint32_t b, std::vector<uint32_t>& path) {
    for (uint32_t k = a; k < b;) {
      poll(path);
      const uint32_t e = dag.longest_from(k);
      path.push_back(e);
      k = dag.edges[e].end;
    }
  }
  static void backward(const Dag& dag, uint32_t a, uint32_t b, std::vector<uint32_t>& path) {
    size_t first = path.size();
    for (uint32_t k = b; k > a;) {
      poll(path);
      const uint32_t e = dag.in_first[k];  // the longest
      path.push_back(e);
      k = dag.edges[e].start;
    }
    std::reverse(path.begin() + std::ptrdiff_t(first), path.end());
  }
  // Fewer words win, then fewer single characters, then the backward path.
  void bidirectional(const Dag& dag, uint32_t a, uint32_t b, std::vector<uint32_t>& path) {
    size_t first = path.size();
    forward(dag, a, b, path);
    backward_path_.clear();
    backward(dag, a, b, backward_path_);
    size_t nf = path.size() - first, nb = backward_path_.size();
    if (nf < nb ||
        (nf == nb && count_single(dag, path, first) < count_single(dag, backward_path_, 0)))
      return;
    path.resize(first);
    path.insert(path.end(), backward_path_.begin(), backward_path_.end());
  }

  // Fewest words: Dijkstra (1959) with Dial's buckets (1969).  Every edge weighs one, so two
  // buckets suffice and the time is linear.
  void shortest(const Dag& dag, std::vector<uint32_t>& path) {
    constexpr uint32_t kFar = ~uint32_t(0);
    n_words_.assign(dag.n + 1, kFar);
    last_edge_.assign(dag.n + 1, 0);
    front_.assign(1, 0);
    n_words_[0] = 0;
    for (uint32_t d = 1; !front_.empty(); ++d) {
      Interrupt::look(front_.size());
      next_.clear();
      for (uint32_t k : front_)
        for (uint32_t i = dag.out_first[k]; i < dag.out_first[k + 1]; ++i) {
          const uint32_t e = dag.out_edges[i], j = dag.edges[e].end;
          ++steps;
          if (n_words_[j] == kFar) {
            n_words_[j] = d;
            last_edge_[j] = e;
            next_.push_back(j);
          } else if (n_words_[j] == d && k < dag.edges[last_edge_[j]].start) {
            last_edge_[j] = e;  // equal: the longer last word
          }
        }
      front_.swap(next_);
    }
    size_t first = path.size();
    for (uint32_t k = dag.n; k; k = dag.edges[last_edge_[k]].start) {
      poll(path);
      path.push_back(last_edge_[k]);
    }
    std::reverse(path.begin() + std::ptrdiff_t(first), path.end());
  }

 private:
  std::vector<uint32_t> backward_path_, n_words_, last_edge_, front_, next_;

  // Between the words of a path that grows.
  static void poll(const std::vector<uint32_t>& path) {
    if (path.size() % Interrupt::kEvery == Interrupt::kEvery - 1) Interrupt::look();
  }

  static size_t count_single(const Dag& dag, const std::vector<uint32_t>& path, size_t first) {
    size_t count = 0;
    for (size_t i = first; i < path.size(); ++i)
      count += dag.edges[path[i]].end - dag.edges[path[i]].start == 1;
    return count;
  }
};

}  // namespace segmenter
