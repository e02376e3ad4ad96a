// Paths by an n-gram model: the lattice's edges become states whose cost depends on the words before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "best_paths.hpp"
#include "interrupt.hpp"
#include "lattice/ngram_edges.hpp"
#include "lattice/ngram.hpp"

namespace segmenter {

class NgramPaths {
 public:
  using In = NgramEdges::In;

  // The tokens before the next window: at the start of a text both are the boundary.
  void set_history(uint32_t token) { history_[0] = history_[1] = token; }
  void remember(const NgramModel& m, const In& e) {
    history_[1] = e.token == m.boundary() ? m.boundary() : history_[0];
    history_[0] = e.token;
  }

  // States: 0 the history, 1 + e the edges, at last the end.
  uint32_t bigram(const NgramEdges& dag, const NgramModel& m, BestPaths& best, uint32_t k,
                  bool at_end) {
    const uint32_t n = dag.size();
    find_pairs(dag, m);
    const uint32_t* pair = pair_costs_.data();
    const uint32_t* const first = dag.first.data();
    const In* const edges = dag.edges.data();
    best.run(n + 2, k, [&](uint32_t s, auto&& add) {
      if (s > n) {
        for (uint32_t f = dag.first[dag.n]; f < n; ++f) {
          const uint32_t v = dag.edges[f].token;
          add(1 + f, at_end && v != m.boundary() ? m.bigram(v, m.boundary(), m.boundary_cost) : 0);
        }
        return;
      }
      const uint32_t start = edges[s - 1].start, stop = first[start + 1];
      if (start == 0) return add(0, *pair++);
      for (uint32_t f = first[start]; f < stop; ++f) add(1 + f, *pair++);
    });
    return n + 1;
  }

  // States: 0 the history; for every edge e one state an in-edge f of its start; at last the end.
  uint32_t trigram(const NgramEdges& dag, const NgramModel& m, BestPaths& best, uint32_t k,
                   bool at_end) {
    const uint32_t n = dag.size();
    pair_first_.resize(n + 1);
    state_edge_.clear();
    state_edge_.push_back(0);
    uint32_t states = 1;
    for (uint32_t e = 0; e < n; ++e) {
      if (e % Interrupt::kEvery == Interrupt::kEvery - 1) Interrupt::look();
      pair_first_[e] = states;
      const uint32_t start = dag.edges[e].start, width = start ? dag.in_degree(start) : 1;
      states += width;
      state_edge_.insert(state_edge_.end(), width, e);
    }
    pair_first_[n] = states;
    // tokens (u, v) before an edge that follows state s
    auto cost3 = [&](uint32_t u, uint32_t v, uint32_t w, uint32_t lower) {
      return int64_t(m.trigram(m.history(u, v), v, w, lower));
    };
    auto word_cost = [&](uint32_t u, uint32_t v, const In* e) -> int64_t {
      if (!e) return at_end && v != m.boundary() ? cost3(u, v, m.boundary(), m.boundary_cost) : 0;
      return e->lower == NgramEdges::kFree ? 0 : cost3(u, v, e->token, e->lower);
    };
    auto enter = [&](uint32_t f, auto&& add, const In* e) {  // every (g, f) before e
      const In& fe = dag.edges[f];
      const uint32_t v = fe.token;
      const bool reset = v == m.boundary();
      if (fe.start == 0) {
        add(pair_first_[f], word_cost(reset ? m.boundary() : history_[0], v, e));
        return;
      }
      for (uint32_t i = 0, at = dag.first[fe.start]; i < dag.in_degree(fe.start); ++i) {
        uint32_t u = reset ? m.boundary() : dag.edges[at + i].token;
        add(pair_first_[f] + i, word_cost(u, v, e));
      }
    };
    best.run(states + 1, k, [&](uint32_t s, auto&& add) {
      if (s == states) {
        for (uint32_t f = dag.first[dag.n]; f < n; ++f) enter(f, add, nullptr);
        return;
      }
      uint32_t edge = state_edge_[s];
      const In& e = dag.edges[edge];
      if (e.start == 0) add(0, word_cost(history_[1], history_[0], &e));
      else enter(dag.first[e.start] + (s - pair_first_[edge]), add, &e);
    });
    return states;
  }

  // The edges of a state of bigram() and of trigram().
  static uint32_t bigram_edge(uint32_t state) { return state - 1; }
  uint32_t trigram_edge(uint32_t state) const { return state_edge_[state]; }

 private:
  struct Asked {  // a pair that may be in the table
    uint64_t key;
    uint32_t hash, at;
  };
  uint32_t history_[2] = {0, 0};  // the token before the window, and the one before that
  std::vector<uint32_t> pair_first_, state_edge_, pair_costs_;
  std::vector<Asked> asked_;

  // The costs of all pairs of edges, by the second edge, then by the first.  Whether a pair was seen and how many
  // pairs a node has are unpredictable and nearly all records lie outside the caches, so this takes three short
  // loops: those that may be seen, where their records are, what these say.
  void find_pairs(const NgramEdges& dag, const NgramModel& m) {
    const uint32_t n = dag.size();
    const uint32_t* const first = dag.first.data();
    const In* const edges = dag.edges.data();
    size_t pairs = 0;
    Interrupt::each(n, [&](size_t k) {
      const uint32_t start = edges[k].start;
      pairs += start ? first[start + 1] - first[start] : 1;
    });
    if (pair_costs_.size() < pairs + 1) pair_costs_.resize(pairs + 1);
    if (asked_.size() < pairs + 1) asked_.resize(pairs + 1);
    const In history{0, 0, history_[0], m.weights[history_[0]]};
    Asked* const asked = asked_.data();
    uint32_t* const costs = pair_costs_.data();
    const SeenKeys::Bits seen = m.seen->bits();
    uint32_t at = 0, n_asked = 0;
    Interrupt::each(n, [&](size_t k) {
      const In& e = edges[k];
      const In* left = edges + first[e.start];
      uint32_t more = first[e.start + 1] - first[e.start];
      if (__builtin_expect(e.start == 0, 0)) {
        left = &history;
        more = 1;
      }
      if (__builtin_expect(e.lower == NgramEdges::kFree, 0)) {
        while (more--) costs[at++] = 0;
        return;
      }
      auto ask = [&](const In& v, uint32_t place) {
        const uint64_t key = uint64_t(v.token) << 20 | e.token;
        const uint32_t hash = NgramTable::hash(key);
        costs[place] = v.weight + e.lower;
        asked[n_asked] = Asked{key, hash, place};
        return seen.may_hold(SeenKeys::hash(v.token, e.token));
      };
      for (; more; --more) n_asked += ask(*left++, at++);
    });
    const NgramTable table = m.bigrams;
    Interrupt::each(n_asked, [&](size_t k) {
      asked[k].hash = NgramTable::home_of(asked[k].hash, table.capacity);
      __builtin_prefetch(table.records + asked[k].hash);
    });
    Interrupt::each(n_asked, [&](size_t k) {
      const uint32_t found = table.find(asked[k].key, asked[k].hash);
      if (found != NgramTable::kNone) costs[asked[k].at] = table.cost(found);
    });
  }
};

}  // namespace segmenter
