// A sentence's way: spans of user words and atoms, the decoder, what is edited afterwards; and the
// working memory for all of it.
#pragma once
#include <algorithm>
#include <cstdint>

#include "decision.hpp"
#include "lattice/decoders.hpp"
#include "lattice/unigram.hpp"
#include "post_edit.hpp"
#include "user/spans.hpp"
#include "user/tagging.hpp"

namespace segmenter {

inline bool by_unigram(const Plan& plan) {
  return !plan.tagger && plan.decoder == Decoder::kUnigram;
}

// How much of the tokens the decoder must tell.
inline Want needed(const Plan& plan, Want want, const UserEdits* edits) {
  const bool tagged = plan.tagger != nullptr;
  if (plan.keep_unknown || (tagged && (plan.subwords || plan.skip))) return Want::kKinds;
  // to tell a deleted word from a run
  if (edits && tagged && !edits->cuts.empty()) return Want::kKinds;
  if (edits && !tagged && !edits->edges.empty()) return std::max(want, Want::kWords);
  const bool bare = by_unigram(plan) && plan.lex->numbers && !plan.guesser && !plan.subwords &&
                    !plan.skip && !edits;
  return bare ? want : std::max(want, Want::kEnds);
}

struct Worker::Parts {
  SpanFinder spans;
  UnigramDecoder unigram;
  DagDecoder dag;  // the other decoders over a lattice
  Tagger tagger;   // the decoder of character taggers, and the guesser of `edit`
  UserTagger user_tagger;
  PostEdit edit;
  Decision made;

  const Decision* run(const Plan& plan, const Text& text, const Request& request) {
    made.clear();
    if (text.n == 0) return &made;
    Request ask = request;
    ask.portable = plan.portable;
    ask.want = needed(plan, request.want, nullptr);
    bool may_hold_atoms = true;
    if (by_unigram(plan)) {
      unigram.begin(*plan.lex, text, ask);
      if (plan.marked) may_hold_atoms = unigram.may_hold(plan.marked->bmp(), text);
    }
    ask.edits = spans.find(plan, text, request, may_hold_atoms);
    if (ask.edits) ask.want = needed(plan, request.want, ask.edits);
    bool join = !plan.lex->numbers;
    if (plan.tagger) {
      if (ask.edits) user_tagger.run(tagger, *plan.tagger, text, ask, made);
      else tagger.run(*plan.tagger, text, ask, made);
    } else if (plan.decoder == Decoder::kUnigram) {
      if (ask.edits) unigram.edit(ask);
      if (ask.want == Want::kBare) {
        made.column = unigram.ends();
        return &made;
      }
      unigram.run(made.tokens);
      join &= unigram.any_alnum();
    } else {
      dag.run(*plan.lex, *plan.model, plan.decoder, text, ask, made.tokens);
    }
    if (ask.edits) edit.insert_spans(plan.user, *ask.edits, made);
    edit.run(plan, text, ask.edits, join, tagger, made);
    return &made;
  }

  uint64_t steps() const { return unigram.steps() + dag.steps() + tagger.steps() + spans.steps(); }
};

}  // namespace segmenter
