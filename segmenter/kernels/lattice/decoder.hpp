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
// By Decoder: the names that callers know them by, and their order in every list.
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

// The path of a DAG given by its edges, by start and end; `what` is an edge's number. k > 0: the k
// best instead.
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

  // A text is read first. triggers(): the positions at which atoms are looked for, null if they are not
  // known; edit(): sets the words of the user and the atoms found since.
  void begin(const Plan& plan, const Text& text, const Request& request);
  const std::vector<uint32_t>* triggers(const Plan& plan);
  void edit(const Plan& plan, const Request& request);
  // Then its path: of unigram as ends alone, for a request of Want::kEndsOnly, or as words, which are
  // appended.
  Ends ends();
  void run(const Plan& plan, const Request& request, std::vector<Token>& tokens);
  bool any_alnum() const;  // of unigram
  // After ends() or run(): whether an atom may stand in the text that triggers() does not see.
  bool may_miss_atoms(const Plan& plan) const;

  // The edges of the whole text's word graph, by start, then by end.
  void edges(const Lexicon& lex, const Text& text, const Request& request,
             std::vector<Edge>& edges);
  // The `count` best paths of a text, the decoder's own first, each as its words.
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
