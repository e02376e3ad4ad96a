// Pre-tokenisers compiled: the spans that GPT-2's pattern, cl100k's and its heirs', and BERT's rule cut.
//
// Each is written out by hand from its regular expression, whose alternatives stand beside the code in
// their order.  What is a letter, a number or a blank the caller says, so that these and the regular
// expressions have one table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "subword.hpp"

namespace segmenter {

class PreTokenScanner {
 public:
  enum Class : uint8_t { kLetter = 1, kNumber = 2, kSpace = 4, kPunctuation = 8, kWordChar = 16 };
  enum Pattern { kGpt2, kCl100k, kLlama3, kBert, kBlanks, kWords, kPatterns };

  // Code points from first to last are of these classes, too.
  void add(uint32_t first, uint32_t last, uint8_t classes) {
    if (table_.empty()) table_.assign(0x110000, 0);
    for (uint32_t cp = first; cp <= last && cp < table_.size(); ++cp) table_[cp] |= classes;
  }

  void run(int pattern, const uint32_t* t, size_t n, std::vector<SubwordSpan>& out) const {
    switch (pattern) {
      case kGpt2: return gpt2(t, n, out);
      case kCl100k: return cl100k(t, n, out, true);
      case kLlama3: return cl100k(t, n, out, false);
      case kBert: return bert(t, n, out, kPunctuation);
      case kBlanks: return bert(t, n, out, 0);
      default: return words(t, n, out);
    }
  }

 private:
  std::vector<uint8_t> table_;

  uint32_t of(uint32_t cp) const { return table_[cp]; }
  uint32_t kind(uint32_t cp) const { return of(cp) & (kLetter | kNumber | kSpace); }
  static void emit(std::vector<SubwordSpan>& out, size_t a, size_t b) {
    out.push_back(SubwordSpan{uint32_t(a), uint32_t(b)});
  }
  size_t run_of(const uint32_t* t, size_t n, size_t i, uint32_t which) const {
    while (i < n && kind(t[i]) == which) ++i;
    return i;
  }

  // Length of 's 'd 'm 't 'll 've 're at i, or 0.
  static size_t contraction(const uint32_t* t, size_t n, size_t i, bool any_case) {
    if (t[i] != '\'' || i + 1 >= n) return 0;
    auto low = [&](uint32_t c) {
      if (!any_case) return c;
      return c >= 'A' && c <= 'Z' ? c + 32 : c == 0x17F ? uint32_t('s') : c;  // ſ folds to s
    };
    uint32_t a = low(t[i + 1]), b = i + 2 < n ? low(t[i + 2]) : 0;
    if (a == 's' || a == 'd' || a == 'm' || a == 't') return 2;
    return (a == 'l' && b == 'l') || (a == 'v' && b == 'e') || (a == 'r' && b == 'e') ? 3 : 0;
  }

  // '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  void gpt2(const uint32_t* t, size_t n, std::vector<SubwordSpan>& out) const {
    for (size_t i = 0; i < n;) {
      size_t end = i + contraction(t, n, i, false);
      if (end == i) {
        size_t j = i + (t[i] == ' ');
        if (j < n && kind(t[j]) != kSpace) {
          end = run_of(t, n, j, kind(t[j]));
        } else {
          end = run_of(t, n, i, kSpace);
          if (end < n && end > i + 1) --end;  // the last blank begins the next span
        }
      }
      emit(out, i, end);
      i = end;
    }
  }

  // '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+
  // |\s++$|\s*[\r\n]|\s+(?!\S)|\s        (Llama 3's: without \s++$)
  void cl100k(const uint32_t* t, size_t n, std::vector<SubwordSpan>& out, bool tail) const {
    auto line_end = [](uint32_t c) { return c == '\r' || c == '\n'; };
    for (size_t i = 0; i < n;) {
      size_t end = next_cl100k(t, n, i, tail, line_end);
      emit(out, i, end);
      i = end;
    }
  }
  template <class LineEnd>
  size_t next_cl100k(const uint32_t* t, size_t n, size_t i, bool tail, LineEnd&& line_end) const {
    if (size_t length = contraction(t, n, i, true)) return i + length;
    uint32_t here = kind(t[i]);
    if (here != kNumber) {
      size_t j = here == kLetter || line_end(t[i]) ? i : i + 1;
      if (j < n && kind(t[j]) == kLetter) return run_of(t, n, j, kLetter);
    } else {
      size_t end = i + 1;
      while (end < n && end < i + 3 && kind(t[end]) == kNumber) ++end;
      return end;
    }
    size_t j = i + (t[i] == ' ');
    if (j < n && kind(t[j]) == 0) {
      size_t end = run_of(t, n, j, 0);
      while (end < n && line_end(t[end])) ++end;
      return end;
    }
    size_t end = run_of(t, n, i, kSpace);
    if (tail && end == n) return end;
    for (size_t k = end; k > i; --k)
      if (line_end(t[k - 1])) return k;
    if (end == n) return end;
    return end > i + 1 ? end - 1 : i + 1;
  }

  // What stands between blanks; characters of class `single` for themselves.
  void bert(const uint32_t* t, size_t n, std::vector<SubwordSpan>& out, uint32_t single) const {
    for (size_t i = 0; i < n;) {
      uint32_t c = of(t[i]);
      if (c & kSpace) {
        ++i;
        continue;
      }
      size_t end = i + 1;
      if (!(c & single))
        while (end < n && !(of(t[end]) & (kSpace | single))) ++end;
      emit(out, i, end);
      i = end;
    }
  }

  // \w+|[^\w\s]+
  void words(const uint32_t* t, size_t n, std::vector<SubwordSpan>& out) const {
    for (size_t i = 0; i < n;) {
      uint32_t c = of(t[i]) & (kWordChar | kSpace);
      size_t end = i + 1;
      while (end < n && (of(t[end]) & (kWordChar | kSpace)) == c) ++end;
      if (!(c & kSpace)) emit(out, i, end);
      i = end;
    }
  }
};

}  // namespace segmenter
