// What interface.hpp has for training.
#include "subword/pairs.hpp"
#include "subword/span_counts.hpp"
#include "subword/train.hpp"

namespace segmenter {

std::unique_ptr<SpanCounter> span_counter() { return std::make_unique<SpanCounts>(); }
std::unique_ptr<PairLearner> pair_learner(bool inner, bool scored, int64_t least) {
  return std::make_unique<PairChain>(inner, scored, least);
}
std::unique_ptr<UnigramCorpus> unigram_corpus() { return std::make_unique<PieceLattices>(); }

}  // namespace segmenter
