// Hand-written scanners for the patterns of published vocabularies.
//
// Each finds the same matches as its pattern in expressions.hpp (the oracle of the tests) in one
// pass without a stack: runs of one kind, what may precede them, and rules for blanks. The caller
// (subword/rules.py) recognises a pattern by its text and chooses the scanner.
// Characters have the same classes as for expressions, and each class has bits.
#pragma once
#include <cstddef>
#include <cstdint>

#include "interrupt.hpp"
#include "subword/interface.hpp"

namespace segmenter {

// Bits of a character's class. For kRuns instead: the number of the run it belongs to; 0: none.
constexpr uint8_t kScanLetter = 1, kScanNumber = 2, kScanBlank = 4, kScanBreak = 8, kScanUpper = 16,
                  kScanLower = 32, kScanSign = 64;

template <class Emit>
class ScanWalk {
 public:
  ScanWalk(const ScanRule& rule, const uint32_t* t, const uint8_t* classes, size_t n, Emit& emit)
      : rule_(rule), text_(t), classes_(classes), n_(uint32_t(n)), emit_(emit) {}

  void run() {
    switch (rule_.kind) {
      case ScanKind::kGpt2:
        return scan_all([this](uint32_t i) { return gpt2(i); });
      case ScanKind::kCl100k:
        return scan_all([this](uint32_t i) { return cl100k(i); });
      case ScanKind::kO200k:
        return scan_all([this](uint32_t i) { return o200k(i); });
      case ScanKind::kDeepSeek:
        return scan_all([this](uint32_t i) { return deepseek(i); });
      default:
        return scan_all([this](uint32_t i) { return runs(i); });
    }
  }

 private:
  const ScanRule& rule_;
  const uint32_t* text_;
  const uint8_t* classes_;
  const uint32_t n_;
  Emit& emit_;

  template <class Match>
  void scan_all(Match&& match) {
    uint32_t next_check = Interrupt::kEvery;
    for (uint32_t i = 0; i < n_;) {
      if (i >= next_check) {
        Interrupt::poll();
        next_check = i + Interrupt::kEvery;
      }
      const uint32_t end = match(i);
      if (end > i) {
        emit_(i, end);
        i = end;
      } else {
        ++i;
      }
    }
  }

  uint8_t bits(uint32_t i) const { return rule_.bits[classes_[i]]; }
  bool has(uint32_t i, uint8_t mask) const { return i < n_ && (bits(i) & mask); }
  bool lacks(uint32_t i, uint8_t mask) const { return i < n_ && !(bits(i) & mask); }
  uint32_t run_of(uint32_t i, uint8_t mask) const {
    while (i < n_ && (bits(i) & mask)) ++i;
    return i;
  }
  uint32_t run_without(uint32_t i, uint8_t mask) const {
    while (i < n_ && !(bits(i) & mask)) ++i;
    return i;
  }

  // 's 't 'm 'd 're 've 'll at i: its end, otherwise i.
  uint32_t contraction(uint32_t i) const {
    if (!rule_.contraction || i + 1 >= n_ || text_[i] != '\'') return i;
    const bool any_case = rule_.contraction == 2;
    auto lower = [&](uint32_t cp) { return any_case && cp >= 'A' && cp <= 'Z' ? cp + 32 : cp; };
    const uint32_t x = lower(text_[i + 1]);
    if (x == 's' || x == 't' || x == 'm' || x == 'd' || (x == 0x17F && rule_.long_s)) return i + 2;
    if (i + 2 >= n_) return i;
    const uint32_t y = lower(text_[i + 2]);
    return (y == 'e' && (x == 'r' || x == 'v')) || (x == 'l' && y == 'l') ? i + 3 : i;
  }

  uint32_t number(uint32_t i) const {
    uint32_t end = i + 1;
    while ((!rule_.digits || end - i < rule_.digits) && has(end, kScanNumber)) ++end;
    return end;
  }

  // ` ?[^\s\p{L}\p{N}]+[\r\n]*` at i: its end, otherwise i.
  uint32_t signs(uint32_t i) const {
    constexpr uint8_t kOther = kScanBlank | kScanLetter | kScanNumber;
    const uint32_t start = text_[i] == ' ' ? i + 1 : i;
    if (!lacks(start, kOther)) return i;
    uint32_t end = run_without(start + 1, kOther);
    while (end < n_ && ((bits(end) & kScanBreak) || (rule_.slash && text_[end] == '/'))) ++end;
    return end;
  }

  // The end of the blanks at i: after the last line break, otherwise before the last blank if
  // something follows.
  uint32_t blanks(uint32_t i, bool breaks) const {
    uint32_t end = i, after_break = i;
    for (; end < n_; ++end) {
      const uint8_t flags = bits(end);
      if (!(flags & kScanBlank)) break;
      if (flags & kScanBreak) after_break = end + 1;
    }
    if (end == n_ && (rule_.end_first || !breaks)) return end;
    if (breaks && after_break > i) return after_break;
    return end < n_ && end > i + 1 ? end - 1 : end;
  }

  uint32_t gpt2(uint32_t i) const {
    constexpr uint8_t kOther = kScanBlank | kScanLetter | kScanNumber;
    if (bits(i) & kScanLetter) return run_of(i + 1, kScanLetter);
    const uint32_t end = contraction(i);
    if (end > i) return end;
    const uint32_t start = text_[i] == ' ' && lacks(i + 1, kScanBlank) ? i + 1 : i;
    const uint8_t flags = bits(start);
    if (flags & kScanLetter) return run_of(start + 1, kScanLetter);
    if (flags & kScanNumber) return number(start);
    if (flags & kScanBlank) return blanks(i, false);
    return run_without(start + 1, kOther);
  }

  uint32_t cl100k(uint32_t i) const {
    const uint8_t flags = bits(i);
    if (flags & kScanLetter) return run_of(i + 1, kScanLetter);
    if (flags & kScanNumber) return number(i);
    uint32_t end = contraction(i);
    if (end > i) return end;
    if (!(flags & kScanBreak) && has(i + 1, kScanLetter)) return run_of(i + 2, kScanLetter);
    end = signs(i);
    return end > i ? end : blanks(i, true);
  }

  // `[upper]*[lower]+` at i: its end, otherwise 0.
  uint32_t small_word(uint32_t i) const {
    uint32_t last = 0;  // after the last character of both kinds
    uint32_t k = i;
    for (; k < n_; ++k) {
      const uint8_t flags = bits(k);
      if (!(flags & kScanUpper)) break;
      if (flags & kScanLower) last = k + 1;
    }
    const uint32_t end = run_of(k, kScanLower);
    return end > k ? end : last;
  }

  uint32_t o200k(uint32_t i) const {
    constexpr uint8_t kWord = kScanUpper | kScanLower;
    const uint8_t flags = bits(i);
    const bool prefix = !(flags & (kScanBreak | kScanLetter | kScanNumber));  // marks count too
    if ((flags & kWord) || (prefix && has(i + 1, kWord))) {
      uint32_t end = prefix ? small_word(i + 1) : 0;
      if (!end) end = small_word(i);
      if (!end && prefix && has(i + 1, kScanUpper)) end = run_of(i + 2, kScanUpper);
      if (!end && (flags & kScanUpper)) end = run_of(i + 1, kScanUpper);
      if (end) return contraction(end);
    }
    if (flags & kScanNumber) return number(i);
    const uint32_t end = signs(i);
    return end > i ? end : blanks(i, true);
  }

  uint32_t deepseek(uint32_t i) const {
    const uint32_t cp = text_[i];
    auto latin = [this](uint32_t k) {
      return k < n_ && (text_[k] | 32) >= 'a' && (text_[k] | 32) <= 'z';
    };
    const bool mark = cp > ' ' && cp < 0x7F && !latin(i) && !(cp >= '0' && cp <= '9');
    if (mark && latin(i + 1)) {
      uint32_t end = i + 2;
      while (latin(end)) ++end;
      return end;
    }
    const uint8_t flags = bits(i);
    if (flags & kScanLetter) return run_of(i + 1, kScanLetter);
    if (!(flags & (kScanBreak | kScanSign)) && has(i + 1, kScanLetter))
      return run_of(i + 2, kScanLetter);
    const uint32_t start = cp == ' ' ? i + 1 : i;
    if (has(start, kScanSign)) return run_of(run_of(start + 1, kScanSign), kScanBreak);
    return flags & kScanBlank ? blanks(i, true) : i;
  }

  uint32_t runs(uint32_t i) const {
    const uint8_t kind = bits(i);
    if (!kind) return i;
    const uint32_t limit = rule_.most[kind];
    uint32_t end = i + 1;
    while (end < n_ && (!limit || end - i < limit) && bits(end) == kind) ++end;
    return end;
  }
};

// Calls emit(start, end) for every match in t[0, n) from left to right.
template <class Emit>
void scan(const ScanRule& rule, const uint32_t* t, const uint8_t* classes, size_t n, Emit&& emit) {
  ScanWalk<Emit>(rule, t, classes, n, emit).run();
}

}  // namespace segmenter
