// The edges of a lattice as n-gram models walk them: by their end.  The rows of a lattice are ordered so, and the
// edges before an edge stand side by side, so nothing is sorted or counted as for a Dag.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler.hpp"
#include "lattice/dag.hpp"
#include "lattice/ngram.hpp"

namespace segmenter {

struct NgramEdges {
  static constexpr uint32_t kFree = ~uint32_t(0);
  struct In {
    uint32_t start;
    uint32_t lower;   // unigram cost; kFree: in a span, costs nothing whatever precedes it
    uint32_t token;   // of a line end the boundary
    uint32_t weight;  // back-off weight of the token
  };
  uint32_t n = 0;               // nodes 0..n
  std::vector<uint32_t> first;  // [n+2]: the first edge of an end
  // by end, then by start (longest word first): `size` of them, and room for one more
  std::vector<In> edges;
  std::vector<uint32_t> what;  // the mark of an odd spelling may be missing

  uint32_t size() const { return first[n + 1]; }
  uint32_t in_degree(uint32_t node) const { return first[node + 1] - first[node]; }

  // Those of a Dag, in the order of Dag::in.
  void take(const Dag& dag, const NgramModel& m) {
    n = dag.n;
    first.assign(dag.in_first.begin(), dag.in_first.begin() + n + 2);
    reserve(dag.in.size() + 1);
    Interrupt::each(dag.in.size(), [&](size_t k) {
      const Edge& e = dag.edges[dag.in[k]];
      set(k, e.start, e.what == kInSpan ? kFree : e.cost, e.token, e.what, m);
    });
  }

  // Those of the lattice window between its start and node p, which no edge crosses: the edges of build_dag().
  void take(const Lattice& lattice, uint32_t p, const NgramModel& m) {
    n = p;
    if (first.size() < p + 2) first.resize(p + 2);
    reserve(4 * size_t(p) + lattice.longs.size() + 1);
    cells_.resize(edges.size());
    longs_.clear();
    const uint32_t* const rows = lattice.rows[0].cost;
    uint32_t* const cells = cells_.data();
    uint32_t size = 0;
    first[0] = 0;
    // which there are; what they are waits for loads, and is the next loop's
    Interrupt::each(p, [&](size_t before) {
      const uint32_t j = uint32_t(before) + 1;
      first[j] = size;
      if (__builtin_expect(lattice.head[j] != 0, 0)) {
        size = long_row(lattice, j, size);
        return;
      }
      for (uint32_t cell = 8 * j + 4; cell-- > 8 * j;) {
        cells[size] = cell;
        size += rows[cell] < kInf;
      }
    });
    first[p + 1] = size;
    const Edge* next = longs_.data();
    Interrupt::each(size, [&](size_t k) {
      const uint32_t cell = cells[k], len = (cell & 3) + 1;
      if (__builtin_expect(cell & kInList, 0)) {
        set(k, next->start, next->cost, lattice.token(next->what), next->what, m);
        ++next;
        return;
      }
      uint32_t is = rows[cell + 4];
      if (piece_kind(is) == kWord) is |= lattice.unknown(is) & (0 - uint32_t(len == 1));
      set(k, cell / 8 - len, rows[cell] >> 2, lattice.token(is), is, m);
    });
    if (lattice.edits()) free_spans(lattice);
  }

 private:
  // Of an edge before it is looked at: where it lies in a row; or that it is the next of longs_.
  static constexpr uint32_t kInList = 4;
  std::vector<uint32_t> cells_;
  std::vector<Edge> longs_, row_;

  void reserve(size_t size) {
    if (edges.size() >= size) return;
    edges.resize(size);
    what.resize(size);
  }
  void set(size_t k, uint32_t start, uint32_t cost, uint32_t token, uint32_t is,
           const NgramModel& m) {
    if (__builtin_expect(piece_kind(is) == kLineEnd, 0)) {
      token = m.boundary();
      cost = m.boundary_cost;
    }
    edges[k] = In{start, cost, token, m.weights[token]};
    what[k] = is;
  }

  // The edges into j where some are in lists; of two over one span that of the row, then the cheaper.
  SEGMENTER_NOINLINE uint32_t long_row(const Lattice& lattice, uint32_t j, uint32_t size) {
    row_.clear();
    for (uint32_t len = 4; len >= 1; --len)
      if (lattice.rows[j].cost[len - 1] < kInf) row_.push_back(Edge{j - len, j, 0, 0, len});
    for (uint32_t h = lattice.head[j]; h; h = lattice.longs[h - 1].next) {
      const LongEdge& e = lattice.longs[h - 1];
      row_.push_back(Edge{e.start, j, e.cost, kInList, e.slot | kind_bits(e.kind)});
    }
    Interrupt::look(row_.size());
    std::stable_sort(row_.begin(), row_.end(), [](const Edge& x, const Edge& y) {
      if (x.start != y.start) return x.start < y.start;
      return x.token != y.token ? x.token < y.token : x.cost < y.cost;
    });
    for (size_t k = 0; k < row_.size(); ++k) {
      const Edge& e = row_[k];
      if (k && e.start == row_[k - 1].start) continue;
      if (e.token) longs_.push_back(e);
      cells_[size++] = 8 * j + (e.token ? kInList : e.what - 1);
    }
    return size;
  }

  // The shortest edge from every character of a span costs nothing.
  void free_spans(const Lattice& lattice) {
    const uint32_t base = lattice.base();
    const std::vector<UserMatch>& spans = lattice.edits()->spans;
    auto span = std::partition_point(spans.begin(), spans.end(),
                                     [&](const UserMatch& m) { return m.end <= base; });
    for (; span != spans.end() && span->start < base + n; ++span)
      for (uint32_t k = std::max(span->start, base); k < std::min(span->end, base + n); ++k) {
        const uint32_t e = shortest_from(k - base);
        if (e == size()) continue;
        edges[e].lower = kFree;
        what[e] = kInSpan;
      }
  }
  uint32_t shortest_from(uint32_t start) const {
    uint32_t e = first[start + 1];
    while (e < size() && edges[e].start != start) ++e;
    return e;
  }
};

}  // namespace segmenter
