// Finds the edits of a text before it is decoded: spans of user words and atoms, user edges and
// deleted words. Forced and preferred words take precedence over atoms, atoms over weighted words.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "request.hpp"
#include "spans/edits.hpp"
#include "text.hpp"

namespace segmenter {

struct AtomFound;

class SpanFinder {
 public:
  SpanFinder();
  ~SpanFinder();
  uint64_t steps() const;

  // The edits of a text; null: none. `triggers`: the positions at which atoms are looked for; null:
  // all positions.
  const UserEdits* find(const Plan& plan, const Text& text, const Request& request,
                        const std::vector<uint32_t>* triggers = nullptr);
  // After find(): writes the spans of its edits, if it has only written their marks.
  void list_spans();
  // After find(): the atoms that take effect, and every forced or preferred user word in the text,
  // by start.
  std::vector<AtomFound>& atoms();
  std::vector<UserMatch> user_words() const;

 private:
  struct Finders;
  const std::unique_ptr<Finders> finders_;
};

}  // namespace segmenter
