// The implementation of spans.hpp: finds user words and atoms.
#include "spans/spans.hpp"

#include <algorithm>

#include "atoms/atoms.hpp"
#include "user/find.hpp"

namespace segmenter {

struct SpanFinder::Finders {
  AtomFinder atoms;  // those that take effect, after find()
  UserFinder user;   // every user word in the text, after find()

  uint64_t steps() const { return user.steps + atoms.steps(); }

  const UserEdits* find(const Plan& plan, const Text& text, const Request& request,
                        const std::vector<uint32_t>* triggers) {
    user.steps = 0;
    atoms.clear_steps();
    const bool may_have_atoms = plan.atoms && plan.lex->numbers &&
                                !(triggers && triggers->empty() && !plan.atoms->patterns.any());
    if (may_have_atoms || plan.user)
      return find_both(plan, text, request, triggers, may_have_atoms);
    atoms.found().clear();
    return nullptr;
  }

  SEGMENTER_NOINLINE const UserEdits* find_both(const Plan& plan, const Text& text,
                                                const Request& request,
                                                const std::vector<uint32_t>* triggers,
                                                bool may_have_atoms) {
    const bool has_atoms = may_have_atoms && atoms.find(*plan.atoms, *plan.lex, text, triggers);
    const bool has_words =
        plan.user && user.find(*plan.user, *plan.lex, text, request.by_lines,
                               plan.tagger != nullptr, request.numbers, request.spans || has_atoms,
                               has_atoms ? &atoms.found() : nullptr);
    if (!has_atoms) {
      atoms.found().clear();
      return has_words ? &user.edits : nullptr;
    }
    if (!has_words) user.forget();
    add_atoms();
    return has_words || !atoms.found().empty() ? &user.edits : nullptr;
  }

  std::vector<UserMatch> merged_;

  // Adds the atoms that overlap no user word to the spans, and drops the others.
  void add_atoms() {
    std::vector<AtomFound>& found = atoms.found();
    UserEdits& edits = user.edits;
    std::vector<UserMatch>& spans = edits.spans;
    found.erase(
        std::remove_if(found.begin(), found.end(),
                       [&](const AtomFound& atom) { return edits.overlaps(atom.start, atom.end); }),
        found.end());
    if (found.empty()) return;
    merged_.clear();
    size_t next = 0;
    for (const AtomFound& atom : found) {
      while (next < spans.size() && spans[next].start < atom.start)
        merged_.push_back(spans[next++]);
      atoms.append_tokens(atom, merged_);
    }
    merged_.insert(merged_.end(), spans.begin() + std::ptrdiff_t(next), spans.end());
    spans.swap(merged_);
    user.prune_edges();
  }
};

SpanFinder::SpanFinder() : finders_(new Finders()) {}
SpanFinder::~SpanFinder() = default;
uint64_t SpanFinder::steps() const { return finders_->steps(); }
const UserEdits* SpanFinder::find(const Plan& plan, const Text& text, const Request& request,
                                  const std::vector<uint32_t>* triggers) {
  return finders_->find(plan, text, request, triggers);
}
void SpanFinder::list_spans() { finders_->user.list_spans(); }
std::vector<AtomFound>& SpanFinder::atoms() { return finders_->atoms.found(); }
std::vector<UserMatch> SpanFinder::user_words() const { return finders_->user.fixed(); }

}  // namespace segmenter
