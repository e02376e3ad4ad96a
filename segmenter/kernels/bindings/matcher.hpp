// A matcher that is a Python object.
#pragma once
#include "bindings/python.hpp"

#include <vector>

#include "interrupt.hpp"
#include "request.hpp"

namespace segmenter {

class CallbackMatcher : public WordMatcher {
 public:
  // Gets the context back; -1 with an exception set in the calling thread.
  using Find = int (*)(void* context, const Text& text, std::vector<Match>& words);

  void set(void* context, Find find) {
    context_ = context;
    find_ = find;
  }
  void find(const Text& text, std::vector<Match>& words) const override {
    words.clear();
    const int failed = or_sleep([&] { return find_(context_, text, words); });
    if (failed < 0) throw Interrupted();
  }

 private:
  void* context_ = nullptr;
  Find find_ = nullptr;
};

}  // namespace segmenter
