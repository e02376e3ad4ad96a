// Paths under an n-gram model: the edges become states whose cost depends on the preceding words.
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
    find_pairs(dag, m, true);
    find_triples(dag, m);
    const uint32_t* triple = triple_costs_.data();
    // the end after the pair (g, f), whose token is not the boundary
    auto end_cost = [&](uint32_t pair, uint32_t v) -> int64_t {
      const uint32_t two = m.bigram(v, m.boundary(), m.boundary_cost);
      return m.trigram(histories_[pair].place, m.boundary(), two);
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
  // Of a pair in the table: where it stands and what backing off from it costs; kNone and 0 for others.
  struct History {
    uint32_t place, weight;
  };
  std::vector<History> histories_;  // as pair_costs_
  std::vector<NgramTable::Ask> asks_, triple_asks_;

  // The costs of all pairs of edges, by the second edge, then by the first.  Whether a pair was seen and how many
  // pairs a node has are unpredictable and nearly all records lie outside the caches, so this takes three short
  // loops: those that may be seen, where their records are, what these say.
  // `histories`: histories_ too, also of pairs that cost nothing.
  void find_pairs(const Dag& dag, const NgramModel& m, bool histories = false) {
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
      const uint32_t free = e.what == kInSpan;
      auto ask = [&](uint32_t v) {
        costs[at] = free ? 0 : m.weights[v] + e.cost;
        const uint32_t bit = seen.fetch(SeenKeys::hash(v, e.token_id));
        asks[n_asks] = NgramTable::Ask{NgramTable::pair(v, e.token_id), 0, at++, bit};
        n_asks += !free | histories;
      };
      if (__builtin_expect(e.start == 0, 0)) return ask(history_[0]);
      for (uint32_t f = first[e.start]; f < first[e.start + 1]; ++f) ask(edges[f].token_id);
    });
    uint32_t n_seen = 0;
    Interrupt::each(n_asks, [&](size_t i) {
      const NgramTable::Ask ask = asks[i];
      asks[n_seen] = ask;
      n_seen += seen.bit(ask.home);
    });
    if (histories) histories_.assign(pairs, History{NgramTable::kNone, 0});
    const bool keep = histories && m.trigrams.capacity;
    m.bigrams.answer(asks, n_seen, [&](const NgramTable::Ask& ask, uint32_t place) {
      costs[ask.edge] = m.bigrams.cost(place);
      if (keep) histories_[ask.edge] = History{place, m.bigrams.weight(place)};
    });
  }

  // The costs of all edges after all pairs before them: by edge, by the edge before it, by the one before that.
  void find_triples(const Dag& dag, const NgramModel& m) {
    const uint32_t n = dag.size(), boundary = m.boundary();
    const Edge* const edges = dag.edges.data();
    const uint32_t *const pairs = pair_first_.data(), *const two = pair_costs_.data() - 1,
                          *const into = dag.into.data();
    const History* const history = histories_.data() - 1;
    auto history_of = [&](uint32_t u, uint32_t v) {
      const uint32_t place = m.history(u, v);
      return History{place, place == NgramTable::kNone ? 0 : m.bigrams.weight(place)};
    };
    const History at_start = history_of(history_[1], history_[0]),
                  after_boundary = history_of(boundary, boundary);
    size_t triples = 0;
    Interrupt::each(n, [&](size_t k) {
      const uint32_t start = edges[k].start;
      triples += start ? pairs[into[start + 1]] - pairs[into[start]] : 1;
    });
    if (triple_costs_.size() < triples + 1) triple_costs_.resize(triples + triples / 2 + 1);
    if (triple_asks_.size() < triples + 1) triple_asks_.resize(triples + triples / 2 + 1);
    uint32_t* const costs = triple_costs_.data();
    NgramTable::Ask* const asks = triple_asks_.data();
    uint32_t at = 0, n_asks = 0;
    Interrupt::each(n, [&](size_t k) {
      const Edge& e = edges[k];
      const uint32_t free = e.what == kInSpan ? 0 : ~uint32_t(0);
      auto put = [&](const History& before,
                     uint32_t lower) {  // whether it is known is unpredictable
        costs[at] = (lower + before.weight) & free;
        asks[n_asks] = NgramTable::Ask{NgramTable::pair(before.place, e.token_id), 0, at++, 0};
        n_asks += (before.place != NgramTable::kNone) & free;
      };
      if (e.start == 0) return put(at_start, two[pairs[k]]);
      uint32_t f = into[e.start];
      for (uint32_t p = pairs[k]; p < pairs[k + 1]; ++p, ++f) {
        const bool reset = edges[f].token_id == boundary;
        for (uint32_t q = pairs[f]; q < pairs[f + 1]; ++q)
          put(reset ? after_boundary : history[q], two[p]);
      }
    });
    m.trigrams.answer(asks, n_asks, [&](const NgramTable::Ask& ask, uint32_t place) {
      costs[ask.edge] = m.trigrams.cost(place);
    });
  }
};

}  // namespace segmenter
