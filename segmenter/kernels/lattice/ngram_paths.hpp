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
    find_pairs(dag, m, &places_);
    find_triples(dag, m);
    const uint32_t* triple = triple_costs_.data();
    // the end after the pair (g, f), whose token is not the boundary
    auto end_cost = [&](uint32_t pair, uint32_t v) -> int64_t {
      const uint32_t two = m.bigram(v, m.boundary(), m.boundary_cost);
      return m.trigram(places_[pair], m.boundary(), two);
    };
    best.run(states + 1, k, [&](uint32_t s, auto&& add) {
      if (s == states) {
        for (uint32_t f = dag.into[dag.n]; f < n; ++f) {
          const uint32_t v = dag.edges[f].token_id;
          const bool ends = at_end && v != m.boundary();
          for (uint32_t p = pair_first_[f]; p < pair_first_[f + 1]; ++p)
            add(p, ends ? end_cost(p - 1, v) : 0);
        }
        return;
      }
      const uint32_t edge = state_edge_[s], start = dag.edges[edge].start;
      if (start == 0) return add(0, int64_t(*triple++));
      const uint32_t f = dag.into[start] + (s - pair_first_[edge]);
      for (uint32_t p = pair_first_[f]; p < pair_first_[f + 1]; ++p) add(p, int64_t(*triple++));
    });
    return states;
  }

  // The edges of a state of bigram() and of trigram().
  static uint32_t bigram_edge(uint32_t state) { return state - 1; }
  uint32_t trigram_edge(uint32_t state) const { return state_edge_[state]; }

 private:
  uint32_t history_[2] = {0, 0};  // the token before the window, and the one before that
  std::vector<uint32_t> pair_first_, state_edge_, pair_costs_, triple_costs_;
  std::vector<uint32_t> places_;  // of pairs in the table, as pair_costs_: histories of trigrams
  std::vector<NgramTable::Ask> asks_, triple_asks_;

  // The costs of all pairs of edges, by the second edge, then by the first.  Whether a pair was seen and how many
  // pairs a node has are unpredictable and nearly all records lie outside the caches, so this takes three short
  // loops: those that may be seen, where their records are, what these say.
  // `places`, unless null, gets the records' places, those before edges in spans too.
  void find_pairs(const Dag& dag, const NgramModel& m, std::vector<uint32_t>* places = nullptr) {
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
        n_asks += seen.may_hold(SeenKeys::hash(v, e.token_id)) & (!free | (places != nullptr));
      };
      if (__builtin_expect(e.start == 0, 0)) return ask(history_[0]);
      for (uint32_t f = first[e.start]; f < first[e.start + 1]; ++f) ask(edges[f].token_id);
    });
    if (places) {
      places->assign(pairs, NgramTable::kNone);
      m.bigrams.answer(asks, n_asks, [&](const NgramTable::Ask& ask, uint32_t place) {
        costs[ask.edge] = m.bigrams.cost(place);
        (*places)[ask.edge] = place;
      });
      if (!m.trigrams.capacity) places->assign(pairs, NgramTable::kNone);
    } else {
      m.bigrams.answer(asks, n_asks, [&](const NgramTable::Ask& ask, uint32_t place) {
        costs[ask.edge] = m.bigrams.cost(place);
      });
    }
  }

  // The costs of all edges after all pairs before them: by edge, by the edge before it, by the one before that.
  void find_triples(const Dag& dag, const NgramModel& m) {
    const uint32_t n = dag.size(), boundary = m.boundary();
    const Edge* const edges = dag.edges.data();
    const uint32_t after_boundary = m.history(boundary, boundary);
    triple_costs_.clear();
    triple_asks_.clear();
    auto put = [&](uint32_t place, uint32_t two, const Edge& e) {
      if (e.what == kInSpan) return triple_costs_.push_back(0);
      if (place == NgramTable::kNone) return triple_costs_.push_back(two);
      triple_asks_.push_back(NgramTable::Ask{NgramTable::pair(place, e.token_id), 0,
                                             uint32_t(triple_costs_.size()), 0});
      triple_costs_.push_back(m.bigrams.weight(place) + two);
    };
    Interrupt::each(n, [&](size_t k) {
      const Edge& e = edges[k];
      if (e.start == 0)
        return put(m.history(history_[1], history_[0]), pair_costs_[pair_first_[k] - 1], e);
      uint32_t f = dag.into[e.start];
      for (uint32_t p = pair_first_[k]; p < pair_first_[k + 1]; ++p, ++f) {
        const uint32_t two = pair_costs_[p - 1];
        const bool reset = edges[f].token_id == boundary;
        for (uint32_t q = pair_first_[f]; q < pair_first_[f + 1]; ++q)
          put(reset ? after_boundary : places_[q - 1], two, e);
      }
    });
    m.trigrams.answer(triple_asks_.data(), triple_asks_.size(),
                      [&](const NgramTable::Ask& ask, uint32_t place) {
                        triple_costs_[ask.edge] = m.trigrams.cost(place);
                      });
  }
};

}  // namespace segmenter
