// The edits that are found before decoding: the spans of user words and of atoms, the user's edges and
// deleted words. Forced and preferred words take precedence over atoms, atoms over words with a
// weight.
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

  // What the words of the user and atoms do to the text; null: nothing. `triggers`: the positions at
  // which atoms are looked for; null: all.
  const UserEdits* find(const Plan& plan, const Text& text, const Request& request,
                        const std::vector<uint32_t>* triggers = nullptr);
  // After find(): writes the spans in its edits, if it only wrote their marks.
  void list_spans();
  // After find(): the atoms that take effect, and every forced or preferred word of the user that
  // stands in the text, by start.
  std::vector<AtomFound>& atoms();
  std::vector<UserMatch> user_words() const;

 private:
  struct Finders;
  const std::unique_ptr<Finders> finders_;
};

}  // namespace segmenter
