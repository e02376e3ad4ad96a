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

// How much of the tokens the decoder must tell.
Want needed(const Plan& plan, Want want, const UserEdits* edits) {
  const bool tagged = plan.tagger != nullptr;
  if (plan.keep_unknown || (tagged && (plan.subwords || plan.skip))) return Want::kKinds;
  // to tell a deleted word from a run
  if (edits && tagged && !edits->cuts.empty()) return Want::kKinds;
  if (edits && !tagged && !edits->edges.empty()) return std::max(want, Want::kWords);
  const bool bare = by_unigram(plan) && plan.lex->numbers && !plan.unknown_tagger &&
                    !plan.subwords && !plan.skip && !edits;
  return bare ? want : std::max(want, Want::kEnds);
}

const Decision* Worker::run(const Plan& plan, const Text& text, const Request& request) {
  auto& [spans, lattice, tagger, user_tagger, edit, made] = *parts_;
  made.clear();
  if (text.n == 0) return &made;
  // what is needed
  Request ask = request;
  ask.measures = plan.measures;
  ask.want = needed(plan, request.want, nullptr);
  ask.numbers = ask.want > Want::kWords;
  // spans
  const std::vector<uint32_t>* triggers = nullptr;
  if (!plan.tagger) {
    lattice.read(plan, text, ask);
    triggers = lattice.triggers(plan);
  } else if (plan.marks_atoms) {
    triggers = tagger.triggers(*plan.tagger, text);
    ask.read = true;
  }
  ask.edits = spans.find(plan, text, ask, triggers);
  if (ask.edits) ask.want = needed(plan, request.want, ask.edits);
  // the decoder
  bool join = !plan.lex->numbers;
  if (plan.tagger) {
    if (ask.edits) user_tagger.run(tagger, *plan.tagger, text, ask, made);
    else tagger.run(*plan.tagger, text, ask, made);
  } else {
    auto decode = [&] {
      if (ask.edits) lattice.edit(plan, ask);
      if (ask.want == Want::kEndsOnly) made.column = lattice.ends();
      else lattice.run(plan, ask, made.tokens);
    };
    decode();
    if (triggers && lattice.unmarked(plan)) {  // rare: look for atoms after all
      made.clear();
      ask.edits = spans.find(plan, text, ask);
      ask.want = needed(plan, request.want, ask.edits);
      lattice.read(plan, text, ask);
      decode();
    }
    if (ask.want == Want::kEndsOnly) return &made;
    if (by_unigram(plan)) join &= lattice.any_alnum();
  }
  // what becomes of the path
  if (ask.edits) {
    const bool spelt = ask.want <= Want::kWords && !join && !plan.unknown_tagger &&
                       !plan.subwords && !plan.keep_unknown && !plan.skip && !request.found &&
                       ask.edits->cuts.empty();
    edit.insert_spans(plan, text, *ask.edits, spelt, made);
  }
  edit.run(plan, text, ask.edits, join, tagger, made);
  return &made;
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
