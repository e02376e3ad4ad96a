// The word DAG as adjacency lists (CSR). Edges are ordered by their end, as in the rows of the lattice,
// so the predecessors of an edge are contiguous and nothing is sorted.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler.hpp"
#include "lattice/window.hpp"

namespace segmenter {

// Appends the edges into node j, where some are in lists, the longest first; of two over one span
// that of the row stays, then the cheaper. Their tokens are not set.
SEGMENTER_NOINLINE inline void take_lists(const LatticeWindow& window, uint32_t j,
                                          std::vector<Edge>& out) {
  const auto first = std::ptrdiff_t(out.size());
  const Row& row = window.rows[j];
  for (uint32_t len = 4; len >= 1; --len)
    if (row.cost[len - 1] < kInf)
      out.push_back(Edge{j - len, j, row.cost[len - 1] >> 2, 0, row.slot[len - 1]});
  window.each_listed(j, [&](const SparseEdge& e) {
    out.push_back(Edge{e.start, j, e.cost, 1, e.slot | kind_bits(e.kind)});
  });
  Interrupt::look(out.size() - size_t(first));
  std::stable_sort(out.begin() + first, out.end(), [](const Edge& x, const Edge& y) {
    if (x.start != y.start) return x.start < y.start;
    return x.token_id != y.token_id ? x.token_id < y.token_id : x.cost < y.cost;
  });
  out.erase(std::unique(out.begin() + first, out.end(),
                        [](const Edge& x, const Edge& y) { return x.start == y.start; }),
            out.end());
}

struct Dag {
  uint32_t n = 0;              // nodes 0..n
  std::vector<Edge> edges;     // by end, then by start (longest word first): size() of them
  std::vector<uint32_t> into;  // [n+2] the first edge into a node
  bool line_ends = false;      // whether an edge is one
  // made by index_starts(): edges by start, then by end; [n+2] the first of a start there
  std::vector<uint32_t> out, out_first;

  uint32_t size() const { return into[n + 1]; }
  uint32_t in_degree(uint32_t k) const { return into[k + 1] - into[k]; }
  uint32_t longest_from(uint32_t k) const { return out[out_first[k + 1] - 1]; }
  uint32_t between(uint32_t start, uint32_t end) const {
    uint32_t e = into[end];
    while (edges[e].start != start) ++e;
    return e;
  }

  // The edges of the lattice window between its start and node p, which no edge crosses. The mark
  // of an odd spelling may be missing.
  void take(const LatticeWindow& window, uint32_t p) {
    n = p;
    into.resize(p + 2);
    const size_t most = 4 * size_t(p) + window.longs.size() + 1;
    if (edges.size() < most) edges.resize(most);
    if (cells_.size() < most) cells_.resize(most);
    listed_.clear();
    line_ends = false;
    const uint32_t* const rows = window.rows[0].cost;
    uint32_t* const cells = cells_.data();
    uint32_t size = 0;
    into[0] = 0;
    // which there are; what they are waits for loads, and is the next loop's
    Interrupt::each(p, [&](size_t before) {
      const uint32_t j = uint32_t(before) + 1;
      into[j] = size;
      if (__builtin_expect(window.head[j] != 0, 0)) {
        size_t k = listed_.size();
        for (take_lists(window, j, listed_); k < listed_.size(); ++k)
          cells[size++] = 8 * j + kInList;
        return;
      }
      for (uint32_t cell = 8 * j + 4; cell-- > 8 * j;) {
        cells[size] = cell;
        size += rows[cell] < kInf;
      }
    });
    into[p + 1] = size;
    const Edge* listed = listed_.data();
    Interrupt::each(size, [&](size_t k) {
      const uint32_t cell = cells[k], end = cell / 8, len = (cell & 3) + 1;
      Edge e{end - len, end, rows[cell] >> 2, 0, rows[cell + 4]};
      if (__builtin_expect(cell & kInList, 0)) e = *listed++;
      if (token_kind(e.what) == kWord)
        e.what |= window.unknown(e.what) & (0 - uint32_t(end - e.start == 1));
      else line_ends |= token_kind(e.what) == kLineEnd;
      e.token_id = window.token_id(e.what);
      edges[k] = e;
    });
    if (window.edits) free_spans(window);
  }

  // After `edges` are set, in any order.
  void index() {
    std::stable_sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
      return x.end != y.end ? x.end < y.end : x.start < y.start;
    });
    into.assign(n + 2, 0);
    for (const Edge& e : edges) ++into[e.end + 1];
    for (uint32_t k = 0; k <= n; ++k) into[k + 1] += into[k];
  }

  void index_starts() {
    out_first.assign(n + 2, 0);
    Interrupt::each(size(), [&](size_t e) { ++out_first[edges[e].start + 1]; });
    Interrupt::each(n + 1, [&](size_t k) { out_first[k + 1] += out_first[k]; });
    out.resize(size());
    filled_ = out_first;
    Interrupt::each(size(), [&](size_t e) { out[filled_[edges[e].start]++] = uint32_t(e); });
  }
  // The edges by start, then by end.
  void by_start(std::vector<Edge>& all) {
    index_starts();
    all.resize(size());
    Interrupt::each(size(), [&](size_t i) { all[i] = edges[out[i]]; });
  }

 private:
  // Of an edge before it is looked at: where it lies in a row; or that it is the next of listed_.
  static constexpr uint32_t kInList = 4;
  std::vector<uint32_t> cells_, filled_;
  std::vector<Edge> listed_;

  // The shortest edge from every character of a span costs nothing.
  void free_spans(const LatticeWindow& window) {
    const uint32_t base = window.base;
    auto span = window.edits->after(base);
    for (; span != window.edits->spans.end() && span->start < base + n; ++span)
      for (uint32_t k = std::max(span->start, base); k < std::min(span->end, base + n); ++k) {
        uint32_t e = into[k - base + 1];
        while (e < size() && edges[e].start != k - base) ++e;
        if (e == size()) continue;
        edges[e].cost = 0;
        edges[e].what = kInSpan;
      }
  }
};

}  // namespace segmenter
