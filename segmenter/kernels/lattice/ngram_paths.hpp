// Paths by an n-gram model: the lattice's edges become states whose cost depends on the words before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "best_paths.hpp"
#include "interrupt.hpp"
#include "lattice/dag.hpp"
#include "lattice/ngram.hpp"

namespace segmenter {

class NgramPaths {
 public:
  // The tokens before the next window: at the start of a text both are the boundary.
  void set_history(uint32_t token_id) { history_[0] = history_[1] = token_id; }
  void remember(const NgramModel& m, const Edge& e) {
    history_[1] = e.token_id == m.boundary() ? m.boundary() : history_[0];
    history_[0] = e.token_id;
  }
  // Line ends are boundaries of sentences.
  static void close_lines(const NgramModel& m, Dag& dag) {
    if (!dag.line_ends) return;
    Interrupt::each(dag.size(), [&](size_t k) {
      Edge& e = dag.edges[k];
      if (token_kind(e.what) != kLineEnd) return;
      e.token_id = m.boundary();
      e.cost = m.boundary_cost;
    });
  }

  // States: 0 the history, 1 + e the edges, at last the end.
  uint32_t bigram(const Dag& dag, const NgramModel& m, BestPaths& best, uint32_t k, bool at_end) {
    const uint32_t n = dag.size();
    find_pairs(dag, m);
    const uint32_t* pair = pair_costs_.data();
    const uint32_t* const first = dag.into.data();
    const Edge* const edges = dag.edges.data();
    best.run(n + 2, k, [=, &dag, &m](uint32_t s, auto&& add) mutable {
      if (s > n) {
        for (uint32_t f = dag.into[dag.n]; f < n; ++f) {
          const uint32_t v = dag.edges[f].token_id;
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
  uint32_t trigram(const Dag& dag, const NgramModel& m, BestPaths& best, uint32_t k, bool at_end) {
    const uint32_t n = dag.size();
    pair_first_.resize(n + 1);
    state_edge_.clear();
    state_edge_.push_back(0);
    uint32_t states = 1;
    Interrupt::each(n, [&](size_t e) {
      pair_first_[e] = states;
      const uint32_t start = dag.edges[e].start, width = start ? dag.in_degree(start) : 1;
      states += width;
      state_edge_.insert(state_edge_.end(), width, uint32_t(e));
    });
    pair_first_[n] = states;
    // tokens (u, v) before an edge that follows state s
    auto cost3 = [&](uint32_t u, uint32_t v, uint32_t w, uint32_t lower) {
      return int64_t(m.trigram(m.history(u, v), v, w, lower));
    };
    auto word_cost = [&](uint32_t u, uint32_t v, const Edge* e) -> int64_t {
      if (!e) return at_end && v != m.boundary() ? cost3(u, v, m.boundary(), m.boundary_cost) : 0;
      return e->what == kInSpan ? 0 : cost3(u, v, e->token_id, e->cost);
    };
    auto enter = [&](uint32_t f, auto&& add, const Edge* e) {  // every (g, f) before e
      const Edge& fe = dag.edges[f];
      const uint32_t v = fe.token_id;
      const bool reset = v == m.boundary();
      if (fe.start == 0) {
        add(pair_first_[f], word_cost(reset ? m.boundary() : history_[0], v, e));
        return;
      }
      for (uint32_t i = 0, at = dag.into[fe.start]; i < dag.in_degree(fe.start); ++i) {
        uint32_t u = reset ? m.boundary() : dag.edges[at + i].token_id;
        add(pair_first_[f] + i, word_cost(u, v, e));
      }
    };
    best.run(states + 1, k, [&](uint32_t s, auto&& add) {
      if (s == states) {
        for (uint32_t f = dag.into[dag.n]; f < n; ++f) enter(f, add, nullptr);
        return;
      }
      uint32_t edge = state_edge_[s];
      const Edge& e = dag.edges[edge];
      if (e.start == 0) add(0, word_cost(history_[1], history_[0], &e));
      else enter(dag.into[e.start] + (s - pair_first_[edge]), add, &e);
    });
    return states;
  }

  // The edges of a state of bigram() and of trigram().
  static uint32_t bigram_edge(uint32_t state) { return state - 1; }
  uint32_t trigram_edge(uint32_t state) const { return state_edge_[state]; }

 private:
  uint32_t history_[2] = {0, 0};  // the token before the window, and the one before that
  std::vector<uint32_t> pair_first_, state_edge_, pair_costs_;
  std::vector<NgramTable::Ask> asks_;

  // The costs of all pairs of edges, by the second edge, then by the first.  Whether a pair was seen and how many
  // pairs a node has are unpredictable and nearly all records lie outside the caches, so this takes three short
  // loops: those that may be seen, where their records are, what these say.
  void find_pairs(const Dag& dag, const NgramModel& m) {
    const uint32_t n = dag.size();
    const uint32_t* const first = dag.into.data();
    const Edge* const edges = dag.edges.data();
    size_t pairs = 0;
    Interrupt::each(n, [&](size_t k) {
      const uint32_t start = edges[k].start;
      pairs += start ? first[start + 1] - first[start] : 1;
    });
    if (pair_costs_.size() < pairs + 1) pair_costs_.resize(pairs + 1);
    if (asks_.size() < pairs + 1) asks_.resize(pairs + 1);
    NgramTable::Ask* const asks = asks_.data();
    uint32_t* const costs = pair_costs_.data();
    const SeenKeys::Bits seen = m.seen->bits();
    uint32_t at = 0, n_asks = 0;
    Interrupt::each(n, [&](size_t k) {
      const Edge& e = edges[k];
      const bool free = e.what == kInSpan;
      auto ask = [&](uint32_t v) {
        costs[at] = free ? 0 : m.weights[v] + e.cost;
        asks[n_asks] = NgramTable::Ask{NgramTable::pair(v, e.token_id), 0, at++, 0};
        n_asks += seen.may_hold(SeenKeys::hash(v, e.token_id)) & !free;
      };
      if (__builtin_expect(e.start == 0, 0)) return ask(history_[0]);
      for (uint32_t f = first[e.start]; f < first[e.start + 1]; ++f) ask(edges[f].token_id);
    });
    m.bigrams.answer(asks, n_asks,
                     [&](const NgramTable::Ask& ask, uint32_t cost) { costs[ask.edge] = cost; });
  }
};

}  // namespace segmenter
