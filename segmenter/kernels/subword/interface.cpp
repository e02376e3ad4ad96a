// The implementation of interface.hpp: the subword kernels.
#include "subword/interface.hpp"

#include "subword/bpe.hpp"
#include "subword/cutter.hpp"
#include "subword/expressions.hpp"
#include "subword/pairs.hpp"
#include "subword/pipeline.hpp"
#include "subword/span_counts.hpp"
#include "subword/train.hpp"
#include "subword/unigram.hpp"

namespace segmenter {

SubwordCaller::SubwordCaller() : scratch_(new SubwordScratch()) {}
SubwordCaller::~SubwordCaller() = default;
std::vector<SubwordSpan>& SubwordCaller::spans() { return scratch_->spans; }
const std::vector<SubwordPiece>& SubwordCaller::pieces() const { return scratch_->pieces; }
std::vector<uint32_t>& SubwordCaller::ids() { return scratch_->ids; }

std::shared_ptr<SubwordModel> bpe_model(const BpeParts& parts) {
  return std::make_shared<BpeModel>(parts);
}
std::shared_ptr<SubwordModel> unigram_model(const UnigramParts& parts) {
  return std::make_shared<UnigramModel>(parts);
}
std::shared_ptr<SubwordModel> wordpiece_model(const WordPieceParts& parts) {
  return std::make_shared<WordPieceModel>(parts);
}
std::shared_ptr<SubwordModel> wordlevel_model(const WordLevelParts& parts) {
  return std::make_shared<WordLevelModel>(parts);
}

int64_t encode(const SubwordModel& model, const PreTokenScanner* scanner, const Text& text,
               SubwordCaller& call) {
  SubwordScratch& s = call.scratch();
  s.widen(text);
  if (scanner) find_spans(*scanner, s.text.data(), text.n, s, s.spans);
  return model.encode_spans(s.spans.data(), s.spans.size(), s);
}

std::unique_ptr<UnknownCutter> cutter_of(const SubwordModel& model) {
  return std::make_unique<SubwordCutter>(model);
}

uint64_t find_spans(const PreTokenScanner& scanner, const Text& text, SubwordCaller& call) {
  SubwordScratch& s = call.scratch();
  s.widen(text);
  return find_spans(scanner, s.text.data(), s.text.size(), s, s.spans);
}

std::vector<ExpressionMatch> find_matches(const PreTokenScanner& scanner, const Text& text) {
  std::vector<ExpressionMatch> matches;
  if (scanner.steps.empty()) return matches;
  SubwordScratch s;
  s.widen(text);
  classify(scanner, s.text.data(), text.n, s.classes);
  ExpressionRunner().find_all(scanner.steps[0].expression, sets_of(scanner), s.classes.data(),
                              text.n, matches);
  return matches;
}

std::shared_ptr<TokenFinder> token_finder(const PieceList& tokens) {
  const auto finder = std::make_shared<TokenFinder>();
  finder->build(tokens);
  return finder;
}
size_t find_tokens(const TokenFinder& finder, const Text& text, bool first_only,
                   std::vector<SubwordPiece>& out) {
  std::vector<Found> matches;
  const size_t steps = finder.find(text, first_only, matches);
  for (const Found& match : matches) out.push_back({match.number, match.start, match.end});
  return steps;
}

std::shared_ptr<CharsMap> chars_map(const uint8_t* units, size_t n_units, const char* replacements,
                                    size_t n_replacements) {
  return std::make_shared<CharsMap>(units, n_units, replacements, n_replacements);
}
bool begins_rule(const CharsMap& rules, uint32_t cp) { return rules.begins(cp); }
bool shortest_rule(const CharsMap& rules, const Text& text, std::vector<uint32_t>& replacement) {
  return text.cells(
      [&](auto* cells) { return rules.find(cells, 0, text.n, true, replacement) > 0; });
}
std::shared_ptr<SentencePieceNormaliser> sentencepiece_normaliser(const SentencePieceParts& parts) {
  return std::make_shared<SentencePieceNormaliser>(parts);
}
void normalise(const SentencePieceNormaliser& normaliser, const Text& text,
               std::vector<uint32_t>& out) {
  normaliser.run(text, out);
}
void normalised_spans(const SentencePieceNormaliser& normaliser, const Text& text, bool covering,
                      std::vector<uint32_t>& starts, std::vector<uint32_t>& ends) {
  normaliser.spans(text, covering, starts, ends);
}

void encode_text(const TextPipeline& pipeline, PipelineText& text, bool special,
                 SubwordCaller& call) {
  PipelineRun(pipeline).run(text, special, call.scratch());
}
void encode_texts(const TextPipeline& pipeline, std::vector<PipelineText>& texts, bool special,
                  const std::vector<SubwordCaller*>& callers) {
  std::vector<SubwordScratch*> workers;
  for (SubwordCaller* caller : callers) workers.push_back(&caller->scratch());
  PipelineRun(pipeline).run_batch(texts, special, workers);
}

std::unique_ptr<SpanCounter> span_counter() { return std::make_unique<SpanCounts>(); }
std::unique_ptr<PairLearner> pair_learner(bool inner, bool scored, int64_t least) {
  return std::make_unique<PairChain>(inner, scored, least);
}
std::unique_ptr<UnigramCorpus> unigram_corpus() { return std::make_unique<PieceLattices>(); }

}  // namespace segmenter
