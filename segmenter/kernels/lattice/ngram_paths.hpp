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
  // Sets both tokens before the next window: at the start of a text the boundary.
  void set_history(uint32_t token_id) { history_[0] = history_[1] = token_id; }
  void remember(const NgramModel& m, const Edge& edge) {
    history_[1] = edge.token_id == m.boundary() ? m.boundary() : history_[0];
    history_[0] = edge.token_id;
  }
  // Line ends are boundaries of sentences.
  static void close_lines(const NgramModel& m, Dag& dag) {
    if (!dag.line_ends) return;
    Interrupt::for_each(dag.size(), [&](size_t k) {
      Edge& edge = dag.edges[k];
      if (token_kind(edge.label) != kLineEnd) return;
      edge.token_id = m.boundary();
      edge.cost = m.boundary_cost;
    });
  }

  // States: 0 is the history, 1 + e edge e, the last one the end.
  uint32_t bigram(const Dag& dag, const NgramModel& m, BestPaths& best, uint32_t k, bool at_end) {
    const uint32_t n = dag.size();
    find_pairs(dag, m);
    const uint32_t* pair = pair_costs_.data();
    const uint32_t* const in_first = dag.in_first.data();
    const Edge* const edges = dag.edges.data();
    best.run(n + 2, k, [=, &dag, &m](uint32_t state, auto&& add) mutable {
      if (state > n) {
        for (uint32_t previous = dag.in_first[dag.n]; previous < n; ++previous) {
          const uint32_t token_id = dag.edges[previous].token_id;
          add(1 + previous, at_end && token_id != m.boundary()
                                ? m.bigram(token_id, m.boundary(), m.boundary_cost)
                                : 0);
        }
        return;
      }
      const uint32_t start = edges[state - 1].start, stop = in_first[start + 1];
      if (start == 0) return add(0, *pair++);
      for (uint32_t previous = in_first[start]; previous < stop; ++previous)
        add(1 + previous, *pair++);
    });
    return n + 1;
  }

  // States: 0 is the history; every edge has one state per edge into its start; the last one is the
  // end.
  uint32_t trigram(const Dag& dag, const NgramModel& m, BestPaths& best, uint32_t k, bool at_end) {
    const uint32_t n = dag.size();
    first_pair_.resize(n + 1);
    state_edge_.clear();
    state_edge_.push_back(0);
    uint32_t states = 1;
    Interrupt::for_each(n, [&](size_t e) {
      first_pair_[e] = states;
      const uint32_t start = dag.edges[e].start, width = start ? dag.in_degree(start) : 1;
      states += width;
      state_edge_.insert(state_edge_.end(), width, uint32_t(e));
    });
    first_pair_[n] = states;
    find_pairs(dag, m, true);
    find_triples(dag, m);
    const uint32_t* triple = triple_costs_.data();
    // the cost of the end of a sentence after a pair whose last token is not the boundary
    auto end_cost = [&](uint32_t pair, uint32_t token_id) -> int64_t {
      const uint32_t lower = m.bigram(token_id, m.boundary(), m.boundary_cost);
      return m.trigram(histories_[pair].place, m.boundary(), lower);
    };
    best.run(states + 1, k, [&](uint32_t state, auto&& add) {
      if (state == states) {
        for (uint32_t previous = dag.in_first[dag.n]; previous < n; ++previous) {
          const uint32_t token_id = dag.edges[previous].token_id;
          const bool closes = at_end && token_id != m.boundary();
          for (uint32_t p = first_pair_[previous]; p < first_pair_[previous + 1]; ++p)
            add(p, closes ? end_cost(p - 1, token_id) : 0);
        }
        return;
      }
      const uint32_t edge = state_edge_[state], start = dag.edges[edge].start;
      if (start == 0) return add(0, int64_t(*triple++));
      const uint32_t previous = dag.in_first[start] + (state - first_pair_[edge]);
      for (uint32_t p = first_pair_[previous]; p < first_pair_[previous + 1]; ++p)
        add(p, int64_t(*triple++));
    });
    return states;
  }

  // The edge of a state of bigram() or trigram().
  static uint32_t bigram_edge(uint32_t state) { return state - 1; }
  uint32_t trigram_edge(uint32_t state) const { return state_edge_[state]; }

 private:
  uint32_t history_[2] = {0, 0};  // the token before the window, and the one before that
  std::vector<uint32_t> first_pair_, state_edge_, pair_costs_, triple_costs_;
  // A pair as history: its index in the table and the cost of backing off from it; kNone and 0 if
  // the table lacks it.
  struct History {
    uint32_t place, weight;
  };
  std::vector<History> histories_;  // in the order of pair_costs_
  std::vector<NgramTable::Query> queries_, triple_queries_;

  // The costs of all pairs of edges, by the second edge, then by the first. Whether a pair was seen
  // and how many pairs a node has are unpredictable, and nearly all records lie outside the caches.
  // So there are three short loops: which pairs may have been seen, where their records are, what
  // the records say. `histories`: sets histories_ too, and looks up pairs inside spans, which cost
  // nothing.
  void find_pairs(const Dag& dag, const NgramModel& m, bool histories = false) {
    const uint32_t n = dag.size();
    const uint32_t* const in_first = dag.in_first.data();
    const Edge* const edges = dag.edges.data();
    size_t pairs = 0;
    Interrupt::for_each(n, [&](size_t k) {
      const uint32_t start = edges[k].start;
      pairs += start ? in_first[start + 1] - in_first[start] : 1;
    });
    if (pair_costs_.size() < pairs + 1) pair_costs_.resize(pairs + 1);
    if (queries_.size() < pairs + 1) queries_.resize(pairs + 1);
    NgramTable::Query* const queries = queries_.data();
    uint32_t* const costs = pair_costs_.data();
    const SeenKeys::Bits seen = m.seen->bits();
    uint32_t pair = 0, n_queries = 0;
    Interrupt::for_each(n, [&](size_t k) {
      const Edge& edge = edges[k];
      const uint32_t in_span = edge.label == kInSpan;
      auto add_query = [&](uint32_t v) {
        costs[pair] = in_span ? 0 : m.weights[v] + edge.cost;
        const uint32_t bit = seen.prefetch(SeenKeys::hash(v, edge.token_id));
        queries[n_queries] = NgramTable::Query{NgramTable::pair(v, edge.token_id), 0, pair++, bit};
        n_queries += !in_span | histories;
      };
      if (__builtin_expect(edge.start == 0, 0)) return add_query(history_[0]);
      for (uint32_t previous = in_first[edge.start]; previous < in_first[edge.start + 1];
           ++previous)
        add_query(edges[previous].token_id);
    });
    uint32_t n_seen = 0;
    Interrupt::for_each(n_queries, [&](size_t i) {
      const NgramTable::Query query = queries[i];
      queries[n_seen] = query;
      n_seen += seen.bit(query.home);
    });
    if (histories) histories_.assign(pairs, History{NgramTable::kNone, 0});
    const bool keep_histories = histories && m.trigrams.capacity;
    m.bigrams.look_up_all(queries, n_seen, [&](const NgramTable::Query& query, uint32_t place) {
      costs[query.edge] = m.bigrams.cost(place);
      if (keep_histories) histories_[query.edge] = History{place, m.bigrams.weight(place)};
    });
  }

  // The costs of all edges after all pairs before them: by edge, by the edge before it, by the edge
  // before that.
  void find_triples(const Dag& dag, const NgramModel& m) {
    const uint32_t n = dag.size(), boundary = m.boundary();
    const Edge* const edges = dag.edges.data();
    const uint32_t *const first_pair = first_pair_.data(),
                          *const lower_costs = pair_costs_.data() - 1,
                          *const in_first = dag.in_first.data();
    const History* const histories = histories_.data() - 1;
    auto history_of = [&](uint32_t u, uint32_t v) {
      const uint32_t place = m.history(u, v);
      return History{place, place == NgramTable::kNone ? 0 : m.bigrams.weight(place)};
    };
    const History at_start = history_of(history_[1], history_[0]),
                  after_boundary = history_of(boundary, boundary);
    size_t triples = 0;
    Interrupt::for_each(n, [&](size_t k) {
      const uint32_t start = edges[k].start;
      triples += start ? first_pair[in_first[start + 1]] - first_pair[in_first[start]] : 1;
    });
    if (triple_costs_.size() < triples + 1) triple_costs_.resize(triples + triples / 2 + 1);
    if (triple_queries_.size() < triples + 1) triple_queries_.resize(triples + triples / 2 + 1);
    uint32_t* const costs = triple_costs_.data();
    NgramTable::Query* const queries = triple_queries_.data();
    uint32_t triple = 0, n_queries = 0;
    Interrupt::for_each(n, [&](size_t k) {
      const Edge& edge = edges[k];
      const uint32_t cost_mask = edge.label == kInSpan ? 0 : ~uint32_t(0);
      auto add_triple = [&](const History& before,
                            uint32_t lower) {  // whether it is known is unpredictable
        costs[triple] = (lower + before.weight) & cost_mask;
        queries[n_queries] =
            NgramTable::Query{NgramTable::pair(before.place, edge.token_id), 0, triple++, 0};
        n_queries += (before.place != NgramTable::kNone) & cost_mask;
      };
      if (edge.start == 0) return add_triple(at_start, lower_costs[first_pair[k]]);
      uint32_t previous = in_first[edge.start];
      for (uint32_t p = first_pair[k]; p < first_pair[k + 1]; ++p, ++previous) {
        const bool after_line_end = edges[previous].token_id == boundary;
        for (uint32_t q = first_pair[previous]; q < first_pair[previous + 1]; ++q)
          add_triple(after_line_end ? after_boundary : histories[q], lower_costs[p]);
      }
    });
    m.trigrams.look_up_all(queries, n_queries, [&](const NgramTable::Query& query, uint32_t place) {
      costs[query.edge] = m.trigrams.cost(place);
    });
  }
};

}  // namespace segmenter
