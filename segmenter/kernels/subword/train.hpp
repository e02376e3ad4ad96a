// Training of unigram models (Kudo 2018): the passes over the corpus.
#pragma once
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "subword/model.hpp"

namespace segmenter {

class PieceLattices final : public UnigramCorpus {
 public:
  void add(const Text& word, double weight) override {
    words_.add(word, 0);
    weights_.push_back(weight);
  }

  void set_pieces(const PieceList& pieces, const double* scores) override {
    pieces_ = pieces;
    scores_.assign(scores, scores + pieces.size());
    trie_.reset(new PieceTrie());
    trie_->build(pieces_, scores);
  }

  // The E step, by forward-backward. Skips words with a character that has no piece.
  double expected(double* counts) override {
    std::fill(counts, counts + pieces_.size(), 0.0);
    double likelihood = 0;
    for (size_t w = 0; w < words_.size(); ++w) {
      size_t n = words_.length(w);
      find_edges(words_.begin(w), n);
      forward_.assign(n + 1, kNever);
      backward_.assign(n + 1, kNever);
      forward_[0] = backward_[n] = 0;
      for (const Edge& e : edges_) add_log(forward_[e.end], forward_[e.start] + scores_[e.piece]);
      if (!n || forward_[n] == kNever) continue;
      for (size_t i = edges_.size(); i-- > 0;)
        add_log(backward_[edges_[i].start], backward_[edges_[i].end] + scores_[edges_[i].piece]);
      likelihood += weights_[w] * forward_[n];
      for (const Edge& e : edges_) {
        double share = forward_[e.start] + scores_[e.piece] + backward_[e.end] - forward_[n];
        if (share > kLeast) counts[e.piece] += weights_[w] * std::exp(share);
      }
    }
    return likelihood;
  }

  void best(double* counts) override {
    std::fill(counts, counts + pieces_.size(), 0.0);
    for (size_t w = 0; w < words_.size(); ++w) {
      size_t n = words_.length(w);
      if (!viterbi(words_.begin(w), n, kNoPiece)) continue;
      for (size_t end = n; end; end = origin_[end]) counts[last_[end]] += weights_[w];
    }
  }

  const std::vector<uint32_t>& alternative(uint32_t i) override {
    parts_.clear();
    size_t n = pieces_.length(i);
    if (viterbi(pieces_.begin(i), n, i))
      for (size_t end = n; end; end = origin_[end]) parts_.push_back(last_[end]);
    return parts_;
  }

  size_t n_pieces() const override { return pieces_.size(); }

 private:
  struct Edge {
    uint32_t start, end, piece;
  };
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  static constexpr double kLeast = -50;  // smaller terms than e**-50 do not change a sum of doubles

  PieceList words_, pieces_;
  std::vector<double> weights_, scores_, forward_, backward_;
  std::unique_ptr<PieceTrie> trie_;
  std::vector<Edge> edges_;
  std::vector<uint32_t> origin_, last_, parts_;

  static void add_log(double& a, double b) {
    if (b == kNever) return;
    if (a < b) std::swap(a, b);
    if (b - a > kLeast) a += std::log1p(std::exp(b - a));
  }

  // All edges, by start, then by end.
  void find_edges(const uint32_t* word, size_t n) {
    edges_.clear();
    for (size_t start = 0; start < n; ++start)
      trie_->for_each_piece(word, start, n, false, [&](size_t end, uint32_t piece) {
        edges_.push_back({uint32_t(start), uint32_t(end), piece});
      });
  }

  bool viterbi(const uint32_t* word, size_t n, uint32_t excluded) {
    find_edges(word, n);
    forward_.assign(n + 1, kNever);
    origin_.resize(n + 1);
    last_.resize(n + 1);
    forward_[0] = 0;
    for (const Edge& e : edges_) {
      double score = forward_[e.start] + scores_[e.piece];
      if (e.piece != excluded && score > forward_[e.end]) {
        forward_[e.end] = score;
        origin_[e.end] = e.start;
        last_[e.end] = e.piece;
      }
    }
    return n && forward_[n] != kNever;
  }
};

}  // namespace segmenter
