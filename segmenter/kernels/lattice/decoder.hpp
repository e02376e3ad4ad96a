// The decoders over a lattice, as a worker calls them; decoder.cpp implements this.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "request.hpp"
#include "result.hpp"
#include "text.hpp"
#include "token.hpp"

namespace segmenter {

enum class Decoder : int {
  kUnigram,
  kForwardMax,
  kBackwardMax,
  kBidirectionalMax,
  kShortest,
  kNShortest,
  kBigram,
  kTrigram,
};
// The names of decoders, by Decoder; every list has this order.
constexpr const char* kDecoderNames[] = {
    "unigram",  "forward-max", "backward-max", "bidirectional-max",
    "shortest", "n-shortest",  "bigram",       "trigram",
};
inline bool needs_ngrams(Decoder decoder) {
  return decoder == Decoder::kBigram || decoder == Decoder::kTrigram;
}

inline const char* decoder_name(int number) {  // null after the last
  return size_t(number) < std::size(kDecoderNames) ? kDecoderNames[number] : nullptr;
}

// The path of a decoder over a DAG whose edges are given by start and end; `label` is the number of
// an edge. k > 0: the k best paths instead.
struct DagPath {
  int64_t cost;
  std::vector<uint32_t> edges;
};
std::vector<DagPath> dag_paths(uint32_t n, const std::vector<Edge>& edges, Decoder decoder,
                               uint32_t k);

class LatticeDecoder {
 public:
  LatticeDecoder();
  ~LatticeDecoder();
  uint64_t steps() const;  // of the last text

  // begin() reads a text. Then triggers() gives the positions at which atoms are looked for, null
  // if they are not known, and edit() sets the user words and atoms that were found.
  void begin(const Plan& plan, const Text& text, const Request& request);
  const std::vector<uint32_t>* triggers(const Plan& plan);
  void edit(const Plan& plan, const Request& request);
  // Then the path: ends() for the decoder unigram and Want::kEndsOnly, else run(), which appends
  // tokens.
  Ends ends();
  void run(const Plan& plan, const Request& request, std::vector<Token>& tokens);
  bool any_alnum() const;  // of the decoder unigram
  // After ends() or run(): whether the text may have an atom that is at none of the triggers.
  bool may_miss_atoms(const Plan& plan) const;

  // The edges of the whole text's DAG, by start, then by end.
  void edges(const Lexicon& lex, const Text& text, const Request& request,
             std::vector<Edge>& edges);
  // The `count` best paths of a text as tokens, the decoder's own first.
  struct BestPath {
    int64_t cost;
    std::vector<Token> tokens;
  };
  void best(const Plan& plan, const Text& text, const Request& request, size_t count,
            std::vector<BestPath>& paths);

 private:
  struct Decoders;
  const std::unique_ptr<Decoders> decoders_;
};

}  // namespace segmenter
