// Paths by an n-gram model: the DAG's edges become states whose cost depends on the words before.
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
  void set_history(uint32_t token) { history_[0] = history_[1] = token; }
  void remember(const NgramModel& m, const Edge& e) {
    history_[1] = is_line_end(e) ? m.boundary() : history_[0];
    history_[0] = history_token(m, e);
  }

  // States: 0 the history, 1 + e the edges, at last the end.  Where only the path is asked for, a
  // pair of edges that every path takes needs no look-up: its cost decides nothing.
  uint32_t bigram(const Dag& dag, const NgramModel& m, BestPaths& best, uint32_t k, bool at_end,
                  bool path_only) {
    uint32_t n = uint32_t(dag.edges.size()), far = 0;
    tokens_.resize(n + 1);
    Interrupt::each(n, [&](size_t e) { tokens_[e] = history_token(m, dag.edges[e]); });
    if (path_only) {
      sure_.assign(dag.n + 1, 0);
      for (uint32_t i = 0; i < dag.n; ++i) {
        uint32_t a = dag.out[i], b = dag.out[i + 1];
        if (far <= i && b - a == 1 && dag.in_degree(i) <= 1) sure_[i] = 1;
        if (b > a) far = std::max(far, dag.edges[b - 1].end);
      }
    }
    const bool asked = path_only && m.seen;
    if (asked) ask_bigrams(dag, m);
    const uint32_t* pair = pair_costs_.data();
    best.run(n + 2, k, [&](uint32_t s, auto&& add) {
      if (s > n) {
        for (uint32_t i = dag.in_first[dag.n]; i < dag.in_first[dag.n + 1]; ++i) {
          uint32_t f = dag.in[i], v = tokens_[f];
          add(1 + f, at_end && v != m.boundary() ? m.bigram(v, m.boundary(), m.boundary_cost) : 0);
        }
        return;
      }
      const Edge& e = dag.edges[s - 1];
      uint32_t w = tokens_[s - 1], lower = is_line_end(e) ? m.boundary_cost : e.cost;
      if (e.start == 0) {
        add(0, e.what == kInSpan || (path_only && sure_[0]) ? 0 : m.bigram(history_[0], w, lower));
        return;
      }
      if (path_only && sure_[e.start]) {
        add(1 + dag.in[dag.in_first[e.start]], 0);
        return;
      }
      for (uint32_t i = dag.in_first[e.start]; i < dag.in_first[e.start + 1]; ++i) {
        const uint32_t f = dag.in[i];
        add(1 + f, e.what == kInSpan ? 0 : asked ? *pair++ : m.bigram(tokens_[f], w, lower));
      }
    });
    return n + 1;
  }

  // States: 0 the history; for every edge e one state an in-edge f of its start; at last the end.
  uint32_t trigram(const Dag& dag, const NgramModel& m, BestPaths& best, uint32_t k, bool at_end) {
    uint32_t n = uint32_t(dag.edges.size());
    pair_first_.resize(n + 1);
    state_edge_.clear();
    state_edge_.push_back(0);
    uint32_t states = 1;
    for (uint32_t e = 0; e < n; ++e) {
      if (e % Interrupt::kEvery == Interrupt::kEvery - 1) Interrupt::look();
      pair_first_[e] = states;
      uint32_t width = dag.edges[e].start ? dag.in_degree(dag.edges[e].start) : 1;
      states += width;
      state_edge_.insert(state_edge_.end(), width, e);
    }
    pair_first_[n] = states;
    // tokens (u, v) before an edge that follows state s
    auto cost3 = [&](uint32_t u, uint32_t v, uint32_t w, uint32_t lower) {
      return int64_t(m.trigram(m.history(u, v), v, w, lower));
    };
    auto word_cost = [&](uint32_t u, uint32_t v, const Edge* e) -> int64_t {
      if (!e) return at_end && v != m.boundary() ? cost3(u, v, m.boundary(), m.boundary_cost) : 0;
      if (e->what == kInSpan) return 0;
      if (is_line_end(*e)) return cost3(u, v, m.boundary(), m.boundary_cost);
      return cost3(u, v, e->token, e->cost);
    };
    auto enter = [&](uint32_t f, auto&& add, const Edge* e) {  // every (g, f) before e
      const Edge& fe = dag.edges[f];
      uint32_t v = history_token(m, fe);
      bool reset = is_line_end(fe);
      if (fe.start == 0) {
        add(pair_first_[f], word_cost(reset ? m.boundary() : history_[0], v, e));
        return;
      }
      for (uint32_t i = 0, at = dag.in_first[fe.start]; i < dag.in_degree(fe.start); ++i) {
        uint32_t u = reset ? m.boundary() : history_token(m, dag.edges[dag.in[at + i]]);
        add(pair_first_[f] + i, word_cost(u, v, e));
      }
    };
    best.run(states + 1, k, [&](uint32_t s, auto&& add) {
      if (s == states) {
        for (uint32_t i = dag.in_first[dag.n]; i < dag.in_first[dag.n + 1]; ++i)
          enter(dag.in[i], add, nullptr);
        return;
      }
      uint32_t edge = state_edge_[s];
      const Edge& e = dag.edges[edge];
      if (e.start == 0) add(0, word_cost(history_[1], history_[0], &e));
      else enter(dag.in[dag.in_first[e.start] + (s - pair_first_[edge])], add, &e);
    });
    return states;
  }

  // The edges of a state of bigram() and of trigram().
  static uint32_t bigram_edge(uint32_t state) { return state - 1; }
  uint32_t trigram_edge(uint32_t state) const { return state_edge_[state]; }

 private:
  struct AskedPair {
    uint64_t key;
    uint32_t home, at;
  };
  uint32_t history_[2] = {0, 0};  // the token before the window, and the one before that
  std::vector<uint32_t> pair_first_, state_edge_, tokens_, pair_costs_;
  std::vector<AskedPair> asked_;
  std::vector<uint8_t> sure_;  // per node: every path takes its one edge in and its one edge out

  static bool is_line_end(const Edge& e) { return piece_kind(e.what) == kLineEnd; }
  static uint32_t history_token(const NgramModel& m, const Edge& e) {
    return is_line_end(e) ? m.boundary() : e.token;
  }

  // The costs of the pairs of edges that run_bigram() asks for, in its order.  Nearly all records lie outside the
  // caches: those that may be there are asked for all at once.
  void ask_bigrams(const Dag& dag, const NgramModel& m) {
    const uint32_t n = uint32_t(dag.edges.size());
    size_t pairs = 0;
    for (const Edge& e : dag.edges) pairs += dag.in_degree(e.start);
    if (pair_costs_.size() < pairs) pair_costs_.resize(pairs);
    if (asked_.size() < pairs + 1) asked_.resize(pairs + 1);
    uint32_t* const costs = pair_costs_.data();
    AskedPair* const list = asked_.data();
    uint32_t at = 0, n_asked = 0;
    for (uint32_t k = 0; k < n; ++k) {
      if (k % Interrupt::kEvery == 0) Interrupt::look();
      const Edge& e = dag.edges[k];
      if (e.start == 0 || sure_[e.start] || e.what == kInSpan) continue;
      const uint32_t w = tokens_[k], lower = is_line_end(e) ? m.boundary_cost : e.cost;
      for (uint32_t i = dag.in_first[e.start]; i < dag.in_first[e.start + 1]; ++i) {
        const uint32_t v = tokens_[dag.in[i]];
        const uint64_t key = uint64_t(v) << 20 | w;
        const uint32_t hash = NgramTable::hash(key),
                       home = NgramTable::home_of(hash, m.bigrams.capacity);
        const uint32_t may = m.seen->may_hold(hash);
        costs[at] = m.weights[v] + lower;
        list[n_asked] = AskedPair{key, home, at++};
        __builtin_prefetch(m.bigrams.records + (home & (0 - may)));
        n_asked += may;
      }
    }
    for (uint32_t i = 0; i < n_asked; ++i) {
      const uint32_t found = m.bigrams.find(list[i].key, list[i].home);
      if (found != NgramTable::kNone) costs[list[i].at] = m.bigrams.cost(found);
    }
  }
};

}  // namespace segmenter
