// A matcher that is a Python object.
#pragma once
#include <vector>

#include "interrupt.hpp"
#include "request.hpp"

namespace segmenter {

class CallbackMatcher : public WordMatcher {
 public:
  // Gets `of` back; -1: Python has raised an exception, which stays set in the calling thread.
  using Find = int (*)(void* of, const Text& text, std::vector<Match>& words);

  void set(void* of, Find find) {
    of_ = of;
    find_ = find;
  }
  void find(const Text& text, std::vector<Match>& words) const override {
    words.clear();
    if (find_(of_, text, words) < 0) throw Interrupted();
  }

 private:
  void* of_ = nullptr;
  Find find_ = nullptr;
};

}  // namespace segmenter
