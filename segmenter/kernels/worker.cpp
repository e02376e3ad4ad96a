// The four steps of worker.hpp.
#include "worker.hpp"

#include <algorithm>

#include "batch.hpp"
#include "lexicon/lexicon.hpp"
#include "parts.hpp"
#include "user/tables.hpp"

namespace segmenter {

Worker::Worker() : parts_(new Parts()) {}
Worker::~Worker() = default;

static bool by_unigram(const Plan& plan) {
  return !plan.tagger && plan.decoder == Decoder::kUnigram;
}

// Which fields of tokens the decoder must set.
Want needed_fields(const Plan& plan, Want want, const UserEdits* edits) {
  const bool tagged = plan.tagger != nullptr;
  if (plan.keep_unknown || (tagged && (plan.subwords || plan.skip))) return Want::kKinds;
  // a deleted word differs from a run only in its kind
  if (edits && tagged && !edits->cuts.empty()) return Want::kKinds;
  if (edits && !tagged && !edits->edges.empty()) return std::max(want, Want::kWords);
  const bool bare = by_unigram(plan) && plan.lex->numbers && !plan.unknown_tagger &&
                    !plan.subwords && !plan.skip && !edits;
  return bare ? want : std::max(want, Want::kEnds);
}

// Whether a token ends inside a span of which there are only marks: a blank or a line end splits
// it.
static bool parts_of_spans(const UserEdits& edits, const std::vector<Token>& tokens) {
  uint32_t marks = 0;
  for (const Token& token : tokens) marks |= edits.marks[token.end];
  return marks & kMarkJoin;
}

const Decision* Worker::run(const Plan& plan, const Text& text, const Request& caller) {
  auto& [spans, lattice, tagger, user_tagger, post_edit, decision, matches] = *parts_;
  decision.clear();
  if (text.n == 0) return &decision;
  // 1. need
  Request request = caller;
  request.measures = plan.measures;
  parts_->match(plan, text, request);
  request.want = needed_fields(plan, caller.want, nullptr);
  request.numbers = request.want > Want::kWords;
  // only ends and spellings of a tagger's words are read: spans that are tokens need not be
  // inserted
  const bool only_marks = plan.tagger && !request.numbers && plan.lex->numbers &&
                          !plan.unknown_tagger && !plan.keep_unknown && !caller.matches &&
                          !caller.margins && !caller.boundaries;
  request.spans = !only_marks;
  // 2. spans
  const std::vector<uint32_t>* triggers = nullptr;
  if (!plan.tagger) {
    lattice.begin(plan, text, request);
    triggers = lattice.triggers(plan);
  } else if (plan.marks_atoms) {
    triggers = tagger.triggers(*plan.tagger, text);
    request.read_ahead = true;
  }
  request.edits = spans.find(plan, text, request, triggers);
  if (request.edits) request.want = needed_fields(plan, caller.want, request.edits);
  // 3. decoding
  bool join = !plan.lex->numbers;
  if (plan.tagger) {
    if (request.edits) user_tagger.run(tagger, *plan.tagger, text, request, decision);
    else tagger.run(*plan.tagger, text, request, decision);
  } else {
    auto decode = [&] {
      if (request.edits) lattice.edit(plan, request);
      if (request.want == Want::kEndsOnly) decision.column = lattice.ends();
      else lattice.run(plan, request, decision.tokens);
    };
    decode();
    if (triggers && lattice.may_miss_atoms(plan)) {  // rare: look for atoms after all
      decision.clear();
      request.edits = spans.find(plan, text, request);
      request.want = needed_fields(plan, caller.want, request.edits);
      lattice.begin(plan, text, request);
      decode();
    }
    if (request.want == Want::kEndsOnly) return &decision;
    if (by_unigram(plan)) join &= lattice.any_alnum();
  }
  // 4. finishing
  if (request.edits && request.edits->marks && parts_of_spans(*request.edits, decision.tokens))
    spans.list_spans();
  if (request.edits && !request.edits->marks) {
    const bool spelt = request.want <= Want::kWords && !join && !plan.unknown_tagger &&
                       !plan.subwords && !plan.keep_unknown && !plan.skip && !request.matches &&
                       request.edits->cuts.empty();
    post_edit.insert_spans(plan, text, *request.edits, spelt, decision);
  }
  post_edit.run(plan, text, request.edits, join, tagger, decision);
  return &decision;
}

uint64_t Worker::steps() const {
  return parts_->lattice.steps() + parts_->tagger.steps() + parts_->spans.steps();
}

bool reads_many(const Plan& plan) { return plan.tagger && plan.tagger->has_network(); }

bool user_takes_line_ends(const Plan& plan) {
  if (plan.user)
    for (const UserLayer& layer : plan.user->layers)
      if (layer.line_ends) return true;
  return false;
}

}  // namespace segmenter
