// The decoders that walk the word DAG, window by window: maximum matching and fewest words
// (matching.hpp), and one recursion (best_paths.hpp) for unigram costs, n-gram models
// (ngram_paths.hpp) and the n best paths.
//
// Ties: paths of equal cost are compared from the right, and the longer word wins. Every list of
// predecessors has the longest word first, and an equal cost never replaces an earlier one.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "best_paths.hpp"
#include "lattice/bigram.hpp"
#include "lattice/decoder.hpp"
#include "lattice/lattice.hpp"
#include "lattice/matching.hpp"
#include "lattice/ngram_paths.hpp"

namespace segmenter {

constexpr uint32_t kRoughPaths = 8;  // of the decoder n-shortest (Zhang & Liu 2002 use 8)

struct Path {
  int64_t cost;
  std::vector<uint32_t> edges;
};

class DagDecoder {
 public:
  uint64_t steps() const { return steps_ + best_.steps + matching_.steps; }

  // begin(), triggers(), edit(): as those of UnigramDecoder.
  void begin(const Lexicon& lex, const Text& text, Request request) {
    request.want = Want::kWords;  // costs are those of words
    lattice_.begin(lex, text, request);
    steps_ = best_.steps = matching_.steps = 0;
  }
  const std::vector<uint32_t>* triggers(const uint16_t* marked_map) {
    return lattice_.triggers(marked_map);
  }
  void edit(Request request) {
    request.want = Want::kWords;
    lattice_.edit(request);
  }
  bool may_miss_atoms() const { return lattice_.window.may_miss_atoms; }

  // Appends the words of the text, window by window: a window ends at a node on every path.
  void run(const NgramModel& model, Decoder decoder, const Request& request,
           std::vector<Token>& tokens) {
    if (decoder == Decoder::kBigram && model.bounds && !request.edits && !request.matches) {
      bigram_.run(lattice_, model, tokens);
      steps_ += bigram_.steps();
      return;
    }
    ngrams_.set_history(model.boundary());
    blocks_.clear();
    while (lattice_.advance()) {
      const uint32_t end_node = window_end(decoder);
      if (!end_node) continue;
      const bool at_end = lattice_.window.at_end();
      dag_.build(lattice_.window, end_node);
      steps_ += dag_.size() + end_node;
      decode(model, decoder, at_end);
      const size_t first = tokens.size(), base = lattice_.window.base;
      tokens.resize(first + path_.size());
      for (size_t i = 0; i < path_.size(); ++i)
        tokens[first + i] = Token{uint32_t(base + dag_.edges[path_[i]].end), label_of(path_[i])};
      if (at_end) return;
      for (size_t i = path_.size() - std::min<size_t>(path_.size(), 2); i < path_.size(); ++i)
        ngrams_.remember(model, dag_.edges[path_[i]]);
      lattice_.window.commit(end_node);
      blocks_.clear();
    }
  }

  // Builds the DAG of the whole text: dag().
  void build_dag(const Lexicon& lex, const Text& text, const Request& request) {
    begin(lex, text, request);
    while (lattice_.advance()) {}
    dag_.build(lattice_.window, uint32_t(text.n));
    Interrupt::for_each(dag_.size(),
                        [&](size_t edge) { dag_.edges[edge].label = label_of(uint32_t(edge)); });
  }
  Dag& dag() { return dag_; }

  // The k best paths of dag(), the decoder's own first; ARCHITECTURE.md says by what each decoder
  // ranks them. `from_left`: equal paths are compared from the left (unigram).
  void paths(const NgramModel& model, Decoder decoder, uint32_t k, bool at_end,
             std::vector<Path>& result, bool from_left = false) {
    result.clear();
    if (decoder == Decoder::kNShortest) return rough_paths(k, result);
    if (from_left) return paths_from_left(k, result);
    const uint32_t end_state = needs_ngrams(decoder)
                                   ? run_ngrams(model, decoder, k, at_end)
                                   : run_additive(0, dag_.n, k, decoder == Decoder::kShortest);
    for_each_path(end_state, result, [&](uint32_t rank, std::vector<uint32_t>& path) {
      collect(decoder, end_state, rank, 0, path);
    });
  }

  // The decoder's own path over dag(), into path().
  void decode(const NgramModel& model, Decoder decoder, bool at_end) {
    path_.clear();
    switch (decoder) {
      case Decoder::kForwardMax:
        dag_.index_starts();
        return Matching::forward(dag_, 0, dag_.n, path_);
      case Decoder::kBackwardMax:
        return Matching::backward(dag_, 0, dag_.n, path_);
      case Decoder::kShortest:
        dag_.index_starts();
        return matching_.shortest(dag_, path_);
      case Decoder::kBidirectionalMax:
      case Decoder::kNShortest:
        dag_.index_starts();
        return for_each_stretch(dag_, [&](uint32_t begin, uint32_t end) {
          if (decoder == Decoder::kBidirectionalMax)
            matching_.bidirectional(dag_, begin, end, path_);
          else if (rough(begin, end))
            path_.insert(path_.end(), rough_[0].edges.begin(), rough_[0].edges.end());
        });
      case Decoder::kUnigram:
        return collect(decoder, run_additive(0, dag_.n, 1, false), 0, 0, path_);
      case Decoder::kBigram:
      case Decoder::kTrigram:
        return collect(decoder, run_ngrams(model, decoder, 1, at_end), 0, 0, path_);
    }
  }
  const std::vector<uint32_t>& path() const { return path_; }
  void set_history(uint32_t token_id) { ngrams_.set_history(token_id); }

 private:
  Lattice lattice_;
  Blocks blocks_;  // where a window may end
  Dag dag_;
  BestPaths best_;
  Matching matching_;
  NgramPaths ngrams_;
  BigramDecoder bigram_;
  uint64_t steps_ = 0;
  std::vector<uint32_t> path_;
  std::vector<Path> rough_;

  // The `label` of a Token for an edge, with the mark of its spelling.
  uint32_t label_of(uint32_t number) const {
    const Edge& edge = dag_.edges[number];
    return edge.label == kInSpan
               ? kInSpan
               : edge.label | lattice_.window.not_canonical_bit(edge.start, edge.end);
  }

  // The node where the window may end: no edge crosses it, and n-gram decoders know the history
  // there; 0: none yet.
  uint32_t window_end(Decoder decoder) {
    if (!lattice_.window.at_end()) steps_ += blocks_.scan(lattice_.window);
    return blocks_.meeting(lattice_.window, [&](uint32_t node) {
      if (!needs_ngrams(decoder)) return true;
      const uint32_t start = blocks_.only_start(lattice_.window, node);
      if (start == Blocks::kSeveral) return false;
      return decoder == Decoder::kBigram || start == 0 ||
             blocks_.only_start(lattice_.window, start) != Blocks::kSeveral;
    });
  }

  uint32_t run_ngrams(const NgramModel& model, Decoder decoder, uint32_t k, bool at_end) {
    NgramPaths::close_lines(model, dag_);
    if (decoder == Decoder::kBigram) return ngrams_.bigram(dag_, model, best_, k, at_end);
    return ngrams_.trigram(dag_, model, best_, k, at_end);
  }

  // The k best paths between two nodes, by cost or number of words. States are the nodes; returns
  // the last one.
  uint32_t run_additive(uint32_t begin, uint32_t end, uint32_t k, bool count_words) {
    best_.run(end - begin + 1, k, [&](uint32_t state, auto&& add) {
      for (uint32_t i = dag_.in_first[begin + state]; i < dag_.in_first[begin + state + 1]; ++i) {
        const Edge& edge = dag_.edges[i];
        if (edge.start >= begin) add(edge.start - begin, count_words ? 1 : int64_t(edge.cost));
      }
    });
    return end - begin;
  }

  // The k best paths, of which equal ones are compared from the left: the states are the nodes from
  // the end of the text to its start.
  void paths_from_left(uint32_t k, std::vector<Path>& paths) {
    dag_.index_starts();
    const uint32_t n = dag_.n;
    best_.run(n + 1, k, [&](uint32_t state, auto&& add) {
      for (uint32_t i = dag_.out_first[n - state + 1]; i-- > dag_.out_first[n - state];) {
        const Edge& edge = dag_.edges[dag_.out_edges[i]];
        add(n - edge.end, edge.cost);
      }
    });
    for_each_path(n, paths, [&](uint32_t rank, std::vector<uint32_t>& path) {
      best_.trace(n, rank, [&](uint32_t state, uint32_t next) {
        path.push_back(dag_.edge_between(n - state, n - next));
      });
    });
  }

  // The paths of fewest words over a stretch with their costs, the most probable first (Zhang & Liu
  // 2002). Returns their number n: they are the first n of rough_.
  size_t rough(uint32_t begin, uint32_t end) {
    const uint32_t end_state = run_additive(begin, end, kRoughPaths, true),
                   n = best_.count(end_state);
    if (rough_.size() < n) rough_.resize(n);
    for (uint32_t rank = 0; rank < n; ++rank) {
      rough_[rank].cost = 0;
      rough_[rank].edges.clear();
      collect(Decoder::kNShortest, end_state, rank, begin, rough_[rank].edges);
      for (uint32_t edge : rough_[rank].edges) rough_[rank].cost += dag_.edges[edge].cost;
    }
    std::stable_sort(rough_.begin(), rough_.begin() + n,
                     [](const Path& x, const Path& y) { return x.cost < y.cost; });
    return n;
  }

  // The k most probable combinations of such paths, one path per stretch. States: the nodes between
  // stretches (meetings), and one state per path between two of them.
  void rough_paths(uint32_t k, std::vector<Path>& paths) {
    std::vector<Path> states(1);                 // by state; empty at a meeting
    std::vector<uint32_t> meeting_before(1, 0);  // by state: the meeting before it
    uint32_t meeting = 0;
    dag_.index_starts();
    for_each_stretch(dag_, [&](uint32_t begin, uint32_t end) {
      const size_t n = rough(begin, end);
      for (size_t rank = 0; rank < n; ++rank) {
        states.push_back(rough_[rank]);
        meeting_before.push_back(meeting);
      }
      states.push_back(Path{0, {}});
      meeting_before.push_back(meeting);
      meeting = uint32_t(states.size()) - 1;
    });
    const uint32_t end_state = uint32_t(states.size()) - 1;
    best_.run(end_state + 1, k, [&](uint32_t state, auto&& add) {
      if (!states[state].edges.empty()) add(meeting_before[state], states[state].cost);
      else
        for (uint32_t rank = meeting_before[state] + 1; rank < state; ++rank) add(rank, 0);
    });
    for_each_path(end_state, paths, [&](uint32_t rank, std::vector<uint32_t>& path) {
      best_.trace(end_state, rank, [&](uint32_t state, uint32_t) {
        path.insert(path.end(), states[state].edges.rbegin(), states[state].edges.rend());
      });
      std::reverse(path.begin(), path.end());
    });
  }

  // Appends the best paths to state `end_state`; collect_edges(rank, edges) writes the edges of
  // one.
  template <class Collect>
  void for_each_path(uint32_t end_state, std::vector<Path>& paths, Collect&& collect_edges) {
    for (uint32_t rank = 0; rank < best_.count(end_state); ++rank) {
      paths.push_back(Path{best_.cost(end_state, rank), {}});
      collect_edges(rank, paths.back().edges);
    }
  }

  // Appends the edges of the rank-th best path to state `end_state`, from left to right. `begin`:
  // the node of state 0.
  void collect(Decoder decoder, uint32_t end_state, uint32_t rank, uint32_t begin,
               std::vector<uint32_t>& path) {
    const size_t first = path.size();
    path.resize(first + std::min(end_state, dag_.n));
    uint32_t* edge = path.data() + path.size();
    best_.trace(end_state, rank, [&](uint32_t state, uint32_t previous) {
      if (!needs_ngrams(decoder)) *--edge = dag_.edge_between(begin + previous, begin + state);
      else if (state != end_state)
        *--edge = decoder == Decoder::kBigram ? NgramPaths::bigram_edge(state)
                                              : ngrams_.trigram_edge(state);
    });
    path.erase(path.begin() + std::ptrdiff_t(first), path.begin() + (edge - path.data()));
  }
};

}  // namespace segmenter
