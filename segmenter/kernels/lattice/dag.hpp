// The word DAG as adjacency lists (CSR): its edges, and how a lattice becomes one.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "lattice/lattice.hpp"

namespace segmenter {

struct Edge {
  uint32_t start, end, cost, token, what;
};

// `what` of the edges of a span that is decided before decoding (user/edits.hpp), a character each: no choice, so
// no cost.  N-gram models see an unknown character before what follows.
constexpr uint32_t kInSpan = kind_bits(kUnknown) | kSlotBits;

struct Dag {
  uint32_t n = 0;                  // nodes 0..n
  std::vector<Edge> edges;         // by start, then by end
  std::vector<uint32_t> out;       // [n+2] first edge of a start
  std::vector<uint32_t> in_first;  // [n+2] into `in`
  std::vector<uint32_t> in;        // edges by end, then by start (longest word first)
  std::vector<Edge> longs;         // scratch of build_dag

  // From `edges` alone, sorted by start and end.
  void index() {
    out.assign(n + 2, 0);
    for (const Edge& e : edges) ++out[e.start + 1];
    for (uint32_t k = 0; k <= n; ++k) out[k + 1] += out[k];
    index_ends();
  }
  void index_ends() {
    in_first.assign(n + 2, 0);
    Interrupt::each(edges.size(), [&](size_t e) { ++in_first[edges[e].end + 1]; });
    Interrupt::each(n + 1, [&](size_t k) { in_first[k + 1] += in_first[k]; });
    in.resize(edges.size());
    fill_ = in_first;
    Interrupt::each(edges.size(), [&](size_t e) { in[fill_[edges[e].end]++] = uint32_t(e); });
  }
  uint32_t in_degree(uint32_t k) const { return in_first[k + 1] - in_first[k]; }

 private:
  std::vector<uint32_t> fill_;
};

// Edges of the lattice window between its start and node p, which no edge crosses.
inline void build_dag(const Lattice& lattice, uint32_t p, Dag& dag) {
  // the few long edges, by start; of two over one span the cheaper
  std::vector<Edge>& longs = dag.longs;
  longs.clear();
  if (!lattice.longs.empty()) {
    for (uint32_t j = 1; j <= p; ++j) {
      if (j % Interrupt::kEvery == 0) Interrupt::look();
      for (uint32_t h = lattice.head[j]; h; h = lattice.longs[h - 1].next) {
        const LongEdge& e = lattice.longs[h - 1];
        uint32_t what = lattice.what_long(e);
        longs.push_back(Edge{e.start, j, e.cost, lattice.token(what), what});
      }
    }
    size_t compared = 0;
    std::sort(longs.begin(), longs.end(), [&](const Edge& x, const Edge& y) {
      if (++compared % Interrupt::kEvery == 0) Interrupt::look();
      if (x.start != y.start) return x.start < y.start;
      return x.end != y.end ? x.end < y.end : x.cost < y.cost;
    });
  }
  dag.n = p;
  dag.edges.resize(4 * size_t(p) + longs.size());
  Edge* const edges = dag.edges.data();
  uint32_t n = 0;
  auto add = [&](const Edge& e) {  // unless the span has an edge
    if (!n || edges[n - 1].start != e.start || edges[n - 1].end != e.end) edges[n++] = e;
  };
  dag.out.resize(p + 2);
  size_t at = 0;
  for (uint32_t i = 0; i < p; ++i) {
    if (i % Interrupt::kEvery == Interrupt::kEvery - 1) Interrupt::look();
    dag.out[i] = n;
    for (uint32_t len = 1; len <= 4; ++len) {
      uint32_t cost = lattice.rows[i + len].cost[len - 1];
      while (at < longs.size() && longs[at].start == i && longs[at].end <= i + len) {
        if (longs[at].end < i + len || cost >= kInf) add(longs[at]);
        ++at;
      }
      if (cost >= kInf || i + len > p) continue;
      uint32_t what = lattice.what_dense(i + len, len);
      if (len == 1 && piece_kind(what) == kWord) what |= lattice.unknown(what);
      edges[n++] = Edge{i, i + len, cost >> 2, lattice.token(what), what};
    }
    for (; at < longs.size() && longs[at].start == i; ++at) add(longs[at]);
  }
  dag.edges.resize(n);
  dag.out[p] = dag.out[p + 1] = n;
  dag.index_ends();
  if (!lattice.edits()) return;
  const uint32_t base = lattice.base();
  const std::vector<UserMatch>& spans = lattice.edits()->spans;
  auto span = std::partition_point(spans.begin(), spans.end(),
                                   [&](const UserMatch& m) { return m.end <= base; });
  for (; span != spans.end() && span->start < base + p; ++span)
    for (uint32_t k = std::max(span->start, base); k < std::min(span->end, base + p); ++k) {
      Edge& e = dag.edges[dag.out[k - base]];
      e.cost = 0;
      e.what = kInSpan;
    }
}

}  // namespace segmenter
