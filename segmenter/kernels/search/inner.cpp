// The implementation of inner.hpp.
#include "search/inner.hpp"

#include <algorithm>

#include "lattice/decoder.hpp"
#include "search/units.hpp"

namespace segmenter {

void unit_edges(const Text& text, const uint8_t* classes, std::vector<Edge>& edges) {
  const UnitReader<Text> units(text, classes, text.n, false);
  edges.clear();
  for (size_t k = 0; k < text.n;) {
    const size_t end = units.end(k);
    edges.push_back({uint32_t(k), uint32_t(end), 1, 0, kind_bits(units.kind(k, end))});
    k = end;
  }
}

namespace {

// The cost of a character outside inner words: more than that of the most expensive words over a
// thousand characters (a word costs up to 65,535). kMostOutside limits the cost of an edge to 32
// bits.
constexpr uint32_t kOutside = 1 << 26, kMostOutside = 62;

bool by_span(const InnerWord& a, const InnerWord& b) {
  return a.start != b.start ? a.start < b.start : a.end > b.end;
}
bool is_inner(const Edge& e, uint32_t min_length) {
  const EdgeKind kind = token_kind(e.label);
  return e.end - e.start >= min_length && kind != kUnknown && kind != kBlankRun &&
         kind != kLineEnd && kind != kCluster;
}

}  // namespace

int InnerWords::find(const Text& word, const uint8_t* classes, const SearchRules& rules,
                     Lattice lattice, void* context) {
  words.clear();
  positions = 1;
  const uint32_t n = uint32_t(word.n);
  if (n <= (rules.single ? 1 : rules.min_length)) return 0;
  if (const int code = lattice(context, 0, n, edges_)) return code;
  pending_.assign(1, {0, n});
  while (!pending_.empty()) {
    const auto [start, end] = pending_.back();
    pending_.pop_back();
    // the part's own lattice, so that its inner words are the same as for a word of the text
    std::vector<Edge>& edges = end - start == n ? edges_ : part_edges_;
    const int code = end - start < n ? lattice(context, start, end, edges) : 0;
    if (code) return code;
    best_path(end - start, edges, rules.min_length);
    for (const Edge& e : path_) {
      if (!is_inner(e, rules.min_length)) continue;
      words.push_back({start + e.start, start + e.end, 0, 0, e.label, e.token_id, false});
      if (e.end - e.start > rules.min_length) pending_.emplace_back(start + e.start, start + e.end);
    }
  }
  if (rules.single || rules.ngrams) add_characters(word, classes, rules);
  number_positions(n);
  return 0;
}

void InnerWords::best_path(uint32_t n, const std::vector<Edge>& edges, uint32_t min_length) {
  path_.clear();
  inner_edges_.clear();
  reached_.assign(n + 1, false);
  reached_[0] = true;
  for (const Edge& e : edges) {  // by start, so the predecessors come first
    if (e.end - e.start >= n) continue;
    if (reached_[e.start]) reached_[e.end] = true;
    Edge priced = e;
    priced.token_id = 0;
    priced.label = uint32_t(&e - edges.data());
    if (!is_inner(e, min_length)) priced.cost += kOutside * std::min(e.end - e.start, kMostOutside);
    inner_edges_.push_back(priced);
  }
  if (!reached_[n]) return;
  const std::vector<DagPath> best = dag_paths(n, inner_edges_, Decoder{}, 0);
  for (uint32_t k : best.front().edges) path_.push_back(edges[k]);
}

const Edge* InnerWords::edge(uint32_t start, uint32_t end) const {
  const auto position = std::partition_point(edges_.begin(), edges_.end(), [&](const Edge& e) {
    return e.start != start ? e.start < start : e.end < end;
  });
  return position != edges_.end() && position->start == start && position->end == end ? &*position
                                                                                      : nullptr;
}
// Adds the units and n-grams of the rules that are not inner words already.
void InnerWords::add_characters(const Text& word, const uint8_t* classes,
                                const SearchRules& rules) {
  const uint32_t n = uint32_t(word.n);
  nodes_.clear();
  if (rules.whole) {
    const UnitReader<Text> units(word, classes, n, rules.split);
    for (size_t k = 0; k < n; k = units.end(k)) nodes_.push_back(uint32_t(k));
    for (const Edge& e : edges_) {
      nodes_.push_back(e.start);
      nodes_.push_back(e.end);
    }
  } else {
    for (uint32_t k = 0; k < n; ++k) nodes_.push_back(k);
  }
  nodes_.push_back(n);
  sort_nodes();
  std::sort(words.begin(), words.end(), by_span);
  const auto n_words = std::ptrdiff_t(words.size());
  const auto add = [&](uint32_t start, uint32_t end) {
    const InnerWord candidate{start, end, 0, 0, kind_bits(kUnknown), 0, true};
    if (start + n == end ||  // the word itself
        std::binary_search(words.begin(), words.begin() + n_words, candidate, by_span))
      return;
    words.push_back(candidate);
    const Edge* const e = edge(start, end);
    if (e) words.back() = {start, end, 0, 0, e->label, e->token_id, false};
  };
  if (rules.single)
    for (size_t k = 0; k + 1 < nodes_.size(); ++k) add(nodes_[k], nodes_[k + 1]);
  const Edge* const word_edge = edge(0, n);
  if (rules.ngrams && (!word_edge || token_kind(word_edge->label) == kUnknown))
    for (size_t k = 0; k + rules.ngrams < nodes_.size(); ++k)
      add(nodes_[k], nodes_[k + rules.ngrams]);
}
void InnerWords::sort_nodes() {
  std::sort(nodes_.begin(), nodes_.end());
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
}
// Sorts the words and numbers their positions in the token graph.
void InnerWords::number_positions(uint32_t n) {
  std::sort(words.begin(), words.end(), by_span);
  nodes_.assign({0, n});
  for (const InnerWord& w : words) {
    nodes_.push_back(w.start);
    nodes_.push_back(w.end);
  }
  sort_nodes();
  const auto number = [&](uint32_t node) {
    return uint32_t(std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
  };
  for (InnerWord& w : words) {
    w.position = number(w.start);
    w.length = number(w.end) - w.position;
  }
  positions = uint32_t(nodes_.size()) - 1;
}

}  // namespace segmenter
