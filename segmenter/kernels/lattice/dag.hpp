// The word DAG as adjacency lists (compressed sparse rows). Edges are ordered by their end, as in
// the rows of the lattice, so the edges into a node are contiguous and nothing is sorted.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler.hpp"
#include "lattice/window.hpp"

namespace segmenter {

// Appends the edges into a node that ends listed edges, longest first. Of two over one span the row
// edge stays, then the cheaper one. Tokens are not set.
SEGMENTER_NOINLINE inline void append_in_edges(const LatticeWindow& window, uint32_t node,
                                               std::vector<Edge>& edges) {
  const auto first = std::ptrdiff_t(edges.size());
  const Row& row = window.rows[node];
  for (uint32_t length = 4; length >= 1; --length)
    if (row.cost[length - 1] < kInf)
      edges.push_back(
          Edge{node - length, node, row.cost[length - 1] >> 2, 0, row.slot[length - 1]});
  window.for_each_listed(node, [&](const SparseEdge& edge) {
    edges.push_back(Edge{edge.start, node, edge.cost, 1, edge.slot | kind_bits(edge.kind)});
  });
  Interrupt::poll(edges.size() - size_t(first));
  std::stable_sort(edges.begin() + first, edges.end(), [](const Edge& x, const Edge& y) {
    if (x.start != y.start) return x.start < y.start;
    return x.token_id != y.token_id ? x.token_id < y.token_id : x.cost < y.cost;
  });
  edges.erase(std::unique(edges.begin() + first, edges.end(),
                          [](const Edge& x, const Edge& y) { return x.start == y.start; }),
              edges.end());
}

struct Dag {
  uint32_t n = 0;                  // nodes 0..n
  std::vector<Edge> edges;         // the first size() of them; by end, then longest word first
  std::vector<uint32_t> in_first;  // [n+2] by node: the first edge into it
  bool line_ends = false;          // whether an edge is a line end
  // set by index_starts(): the edges by start, then by end; [n+2] by node: the first edge out of it
  std::vector<uint32_t> out_edges, out_first;

  uint32_t size() const { return in_first[n + 1]; }
  uint32_t in_degree(uint32_t k) const { return in_first[k + 1] - in_first[k]; }
  uint32_t longest_from(uint32_t k) const { return out_edges[out_first[k + 1] - 1]; }
  uint32_t edge_between(uint32_t start, uint32_t end) const {
    uint32_t edge = in_first[end];
    while (edges[edge].start != start) ++edge;
    return edge;
  }

  // Takes the edges of a lattice window from its start to a node that no edge crosses. The mark of
  // an odd spelling may be missing.
  void build(const LatticeWindow& window, uint32_t end_node) {
    n = end_node;
    in_first.resize(end_node + 2);
    const size_t max_edges = 4 * size_t(end_node) + window.longs.size() + 1;
    if (edges.size() < max_edges) edges.resize(max_edges);
    if (cells_.size() < max_edges) cells_.resize(max_edges);
    listed_.clear();
    line_ends = false;
    const uint32_t* const rows = window.rows[0].cost;
    uint32_t* const cells = cells_.data();
    uint32_t size = 0;
    in_first[0] = 0;
    // this loop finds the edges; reading them waits for loads, so the next loop does it
    Interrupt::for_each(end_node, [&](size_t k) {
      const uint32_t j = uint32_t(k) + 1;
      in_first[j] = size;
      if (__builtin_expect(window.head[j] != 0, 0)) {
        size_t i = listed_.size();
        for (append_in_edges(window, j, listed_); i < listed_.size(); ++i)
          cells[size++] = 8 * j + kInList;
        return;
      }
      for (uint32_t cell = 8 * j + 4; cell-- > 8 * j;) {
        cells[size] = cell;
        size += rows[cell] < kInf;
      }
    });
    in_first[end_node + 1] = size;
    const Edge* listed = listed_.data();
    Interrupt::for_each(size, [&](size_t k) {
      const uint32_t cell = cells[k], end = cell / 8, len = (cell & 3) + 1;
      Edge e{end - len, end, rows[cell] >> 2, 0, rows[cell + 4]};
      if (__builtin_expect(cell & kInList, 0)) e = *listed++;
      if (token_kind(e.label) == kWord)
        e.label |= window.unknown(e.label) & (0 - uint32_t(end - e.start == 1));
      else line_ends |= token_kind(e.label) == kLineEnd;
      e.token_id = window.token_id(e.label);
      edges[k] = e;
    });
    if (window.edits) free_spans(window);
  }

  // Sorts `edges`, which the caller has set, by their ends.
  void index() {
    std::stable_sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
      return x.end != y.end ? x.end < y.end : x.start < y.start;
    });
    in_first.assign(n + 2, 0);
    for (const Edge& e : edges) ++in_first[e.end + 1];
    for (uint32_t k = 0; k <= n; ++k) in_first[k + 1] += in_first[k];
  }

  void index_starts() {
    out_first.assign(n + 2, 0);
    Interrupt::for_each(size(), [&](size_t e) { ++out_first[edges[e].start + 1]; });
    Interrupt::for_each(n + 1, [&](size_t k) { out_first[k + 1] += out_first[k]; });
    out_edges.resize(size());
    filled_ = out_first;
    Interrupt::for_each(size(),
                        [&](size_t e) { out_edges[filled_[edges[e].start]++] = uint32_t(e); });
  }
  // The edges by start, then by end.
  void by_start(std::vector<Edge>& sorted) {
    index_starts();
    sorted.resize(size());
    Interrupt::for_each(size(), [&](size_t i) { sorted[i] = edges[out_edges[i]]; });
  }

 private:
  // Bit of a cell: the edge is the next of listed_; else the cell is a place in a row.
  static constexpr uint32_t kInList = 4;
  std::vector<uint32_t> cells_, filled_;
  std::vector<Edge> listed_;

  // In spans, the shortest edge from every character costs nothing.
  void free_spans(const LatticeWindow& window) {
    const uint32_t base = window.base;
    auto span = window.edits->after(base);
    for (; span != window.edits->spans.end() && span->start < base + n; ++span)
      for (uint32_t k = std::max(span->start, base); k < std::min(span->end, base + n); ++k) {
        uint32_t e = in_first[k - base + 1];
        while (e < size() && edges[e].start != k - base) ++e;
        if (e == size()) continue;
        edges[e].cost = 0;
        edges[e].label = kInSpan;
      }
  }
};

}  // namespace segmenter
