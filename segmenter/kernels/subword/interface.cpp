// The implementation of interface.hpp: the subword kernels.
#include "subword/interface.hpp"

#include "subword/cutter.hpp"
#include "subword/expressions.hpp"
#include "subword/pipeline.hpp"

namespace segmenter {

namespace {

// Converts a text to the classes of its characters.
const uint8_t* classify(const PreTokenScanner& scanner, const uint32_t* t, size_t n,
                        std::vector<uint8_t>& out) {
  out.resize(n);
  for (size_t i = 0; i < n; ++i) out[i] = scanner.classes[t[i]];
  return out.data();
}
const uint8_t (*sets_of(const PreTokenScanner& scanner))[256] {
  return reinterpret_cast<const uint8_t (*)[256]>(scanner.sets.data());
}

// Appends the spans between the matches of one step, within a span, to `out`.
void cut_at(SubwordSpan span, const std::vector<ExpressionMatch>& matches, CutBehaviour behaviour,
            bool invert, std::vector<SubwordSpan>& out) {
  uint32_t last_end = 0;
  const uint32_t n = span.end - span.start, base = span.start;
  const size_t begin = out.size();
  bool after_delimiter = false;  // whether the last span was a delimiter
  SubwordSpan delimited{0, 0};
  bool pending = false;  // whether a delimiter waits for the following text
  auto add = [&](uint32_t a, uint32_t b, bool delimiter) {
    if (a == b) return;
    const SubwordSpan piece{base + a, base + b};
    switch (behaviour) {
      case CutBehaviour::kRemoved:
        if (!delimiter) out.push_back(piece);
        return;
      case CutBehaviour::kIsolated:
        out.push_back(piece);
        return;
      case CutBehaviour::kContiguous:
        if (out.size() > begin && delimiter == after_delimiter) {
          out.back().end = piece.end;
        } else {
          out.push_back(piece);
        }
        after_delimiter = delimiter;
        return;
      case CutBehaviour::kPrevious:
        if (delimiter && !after_delimiter && out.size() > begin) {
          out.back().end = piece.end;
        } else {
          out.push_back(piece);
        }
        after_delimiter = delimiter;
        return;
      default:  // kNext: a delimiter joins the following text
        if (delimiter) {
          if (pending) out.push_back(delimited);
          delimited = piece;
          pending = true;
        } else {
          out.push_back(pending ? SubwordSpan{delimited.start, piece.end} : piece);
          pending = false;
        }
    }
  };
  for (const ExpressionMatch& m : matches) {
    add(last_end, m.start, invert);
    add(m.start, m.end, !invert);
    last_end = m.end;
  }
  add(last_end, n, invert);
  if (pending) out.push_back(delimited);
}

}  // namespace

uint64_t find_spans(const PreTokenScanner& scanner, const uint32_t* t, size_t n, SubwordScratch& s,
                    std::vector<SubwordSpan>& out) {
  classify(scanner, t, n, s.classes);
  const std::vector<PreTokenScanner::Step>& steps = scanner.steps;
  thread_local ExpressionRunner runner;
  thread_local std::vector<ExpressionMatch> matches;
  thread_local std::vector<SubwordSpan> before, after;
  runner.steps = 0;
  before.assign(1, SubwordSpan{0, uint32_t(n)});
  for (size_t k = 0; k < steps.size(); ++k) {
    std::vector<SubwordSpan>& target = k + 1 == steps.size() ? out : after;
    after.clear();
    const PreTokenScanner::Step& step = steps[k];
    const bool isolated = step.behaviour == CutBehaviour::kIsolated;
    for (const SubwordSpan& span : before) {
      const uint8_t* classes = s.classes.data() + span.start;
      const size_t length = span.end - span.start;
      const bool matches_only = step.behaviour == CutBehaviour::kRemoved && step.invert;
      if (step.rule.kind != ScanKind::kNone && (isolated || matches_only)) {
        uint32_t last_end = 0;
        auto add = [&](uint32_t start, uint32_t end) {
          if (start > last_end && isolated)
            target.push_back({span.start + last_end, span.start + start});
          target.push_back({span.start + start, span.start + end});
          last_end = end;
        };
        scan(step.rule, t + span.start, classes, length, add);
        if (last_end < length && isolated) target.push_back({span.start + last_end, span.end});
        continue;
      }
      matches.clear();
      if (step.rule.kind != ScanKind::kNone) {
        auto add = [&](uint32_t start, uint32_t end) { matches.push_back({start, end}); };
        scan(step.rule, t + span.start, classes, length, add);
      } else {
        runner.find_all(step.expression, sets_of(scanner), classes, length, matches);
      }
      cut_at(span, matches, step.behaviour, step.invert, target);
    }
    if (k + 1 < steps.size()) before.swap(after);
  }
  if (steps.empty() && n) out.push_back(before[0]);
  return runner.steps;
}

SubwordCaller::SubwordCaller() : scratch_(new SubwordScratch()) {}
SubwordCaller::~SubwordCaller() = default;
std::vector<SubwordSpan>& SubwordCaller::spans() { return scratch_->spans; }
const std::vector<SubwordPiece>& SubwordCaller::pieces() const { return scratch_->pieces; }
std::vector<uint32_t>& SubwordCaller::ids() { return scratch_->ids; }

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

}  // namespace segmenter
