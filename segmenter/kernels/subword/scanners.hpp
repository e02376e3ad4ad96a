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
      : r_(rule), t_(t), c_(classes), n_(uint32_t(n)), emit_(emit) {}

  void run() {
    switch (r_.kind) {
      case ScanKind::kGpt2:
        return all([this](uint32_t i) { return gpt2(i); });
      case ScanKind::kCl100k:
        return all([this](uint32_t i) { return cl100k(i); });
      case ScanKind::kO200k:
        return all([this](uint32_t i) { return o200k(i); });
      case ScanKind::kDeepSeek:
        return all([this](uint32_t i) { return deepseek(i); });
      default:
        return all([this](uint32_t i) { return runs(i); });
    }
  }

 private:
  const ScanRule& r_;
  const uint32_t* t_;
  const uint8_t* c_;
  const uint32_t n_;
  Emit& emit_;

  template <class Match>
  void all(Match&& match) {
    uint32_t look = Interrupt::kEvery;
    for (uint32_t i = 0; i < n_;) {
      if (i >= look) {
        Interrupt::look();
        look = i + Interrupt::kEvery;
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

  uint8_t bits(uint32_t i) const { return r_.bits[c_[i]]; }
  bool is(uint32_t i, uint8_t what) const { return i < n_ && (bits(i) & what); }
  bool lacks(uint32_t i, uint8_t what) const { return i < n_ && !(bits(i) & what); }
  uint32_t run_of(uint32_t i, uint8_t what) const {
    while (i < n_ && (bits(i) & what)) ++i;
    return i;
  }
  uint32_t run_without(uint32_t i, uint8_t what) const {
    while (i < n_ && !(bits(i) & what)) ++i;
    return i;
  }

  // 's 't 'm 'd 're 've 'll at i: its end, otherwise i.
  uint32_t contraction(uint32_t i) const {
    if (!r_.contraction || i + 1 >= n_ || t_[i] != '\'') return i;
    const bool both = r_.contraction == 2;
    auto small = [&](uint32_t cp) { return both && cp >= 'A' && cp <= 'Z' ? cp + 32 : cp; };
    const uint32_t x = small(t_[i + 1]);
    if (x == 's' || x == 't' || x == 'm' || x == 'd' || (x == 0x17F && r_.long_s)) return i + 2;
    if (i + 2 >= n_) return i;
    const uint32_t y = small(t_[i + 2]);
    return (y == 'e' && (x == 'r' || x == 'v')) || (x == 'l' && y == 'l') ? i + 3 : i;
  }

  uint32_t number(uint32_t i) const {
    uint32_t end = i + 1;
    while ((!r_.digits || end - i < r_.digits) && is(end, kScanNumber)) ++end;
    return end;
  }

  // ` ?[^\s\p{L}\p{N}]+[\r\n]*` at i: its end, otherwise i.
  uint32_t signs(uint32_t i) const {
    constexpr uint8_t kOther = kScanBlank | kScanLetter | kScanNumber;
    const uint32_t from = t_[i] == ' ' ? i + 1 : i;
    if (!lacks(from, kOther)) return i;
    uint32_t end = run_without(from + 1, kOther);
    while (end < n_ && ((bits(end) & kScanBreak) || (r_.slash && t_[end] == '/'))) ++end;
    return end;
  }

  // The end of the blanks at i: after the last line break, otherwise before the last blank if
  // something follows.
  uint32_t blanks(uint32_t i, bool breaks) const {
    uint32_t end = i, broken = i;
    for (; end < n_; ++end) {
      const uint8_t b = bits(end);
      if (!(b & kScanBlank)) break;
      if (b & kScanBreak) broken = end + 1;
    }
    if (end == n_ && (r_.end_first || !breaks)) return end;
    if (breaks && broken > i) return broken;
    return end < n_ && end > i + 1 ? end - 1 : end;
  }

  uint32_t gpt2(uint32_t i) const {
    constexpr uint8_t kOther = kScanBlank | kScanLetter | kScanNumber;
    if (bits(i) & kScanLetter) return run_of(i + 1, kScanLetter);
    const uint32_t end = contraction(i);
    if (end > i) return end;
    const uint32_t from = t_[i] == ' ' && lacks(i + 1, kScanBlank) ? i + 1 : i;
    const uint8_t b = bits(from);
    if (b & kScanLetter) return run_of(from + 1, kScanLetter);
    if (b & kScanNumber) return number(from);
    if (b & kScanBlank) return blanks(i, false);
    return run_without(from + 1, kOther);
  }

  uint32_t cl100k(uint32_t i) const {
    const uint8_t b = bits(i);
    if (b & kScanLetter) return run_of(i + 1, kScanLetter);
    if (b & kScanNumber) return number(i);
    uint32_t end = contraction(i);
    if (end > i) return end;
    if (!(b & kScanBreak) && is(i + 1, kScanLetter)) return run_of(i + 2, kScanLetter);
    end = signs(i);
    return end > i ? end : blanks(i, true);
  }

  // `[upper]*[lower]+` at i: its end, otherwise 0.
  uint32_t small_word(uint32_t i) const {
    uint32_t last = 0;  // after the last character of both kinds
    uint32_t k = i;
    for (; k < n_; ++k) {
      const uint8_t b = bits(k);
      if (!(b & kScanUpper)) break;
      if (b & kScanLower) last = k + 1;
    }
    const uint32_t end = run_of(k, kScanLower);
    return end > k ? end : last;
  }

  uint32_t o200k(uint32_t i) const {
    constexpr uint8_t kWord = kScanUpper | kScanLower;
    const uint8_t b = bits(i);
    const bool before = !(b & (kScanBreak | kScanLetter | kScanNumber));  // marks count too
    if ((b & kWord) || (before && is(i + 1, kWord))) {
      uint32_t end = before ? small_word(i + 1) : 0;
      if (!end) end = small_word(i);
      if (!end && before && is(i + 1, kScanUpper)) end = run_of(i + 2, kScanUpper);
      if (!end && (b & kScanUpper)) end = run_of(i + 1, kScanUpper);
      if (end) return contraction(end);
    }
    if (b & kScanNumber) return number(i);
    const uint32_t end = signs(i);
    return end > i ? end : blanks(i, true);
  }

  uint32_t deepseek(uint32_t i) const {
    const uint32_t cp = t_[i];
    auto latin = [this](uint32_t k) {
      return k < n_ && (t_[k] | 32) >= 'a' && (t_[k] | 32) <= 'z';
    };
    const bool mark = cp > ' ' && cp < 0x7F && !latin(i) && !(cp >= '0' && cp <= '9');
    if (mark && latin(i + 1)) {
      uint32_t end = i + 2;
      while (latin(end)) ++end;
      return end;
    }
    const uint8_t b = bits(i);
    if (b & kScanLetter) return run_of(i + 1, kScanLetter);
    if (!(b & (kScanBreak | kScanSign)) && is(i + 1, kScanLetter))
      return run_of(i + 2, kScanLetter);
    const uint32_t from = cp == ' ' ? i + 1 : i;
    if (is(from, kScanSign)) return run_of(run_of(from + 1, kScanSign), kScanBreak);
    return b & kScanBlank ? blanks(i, true) : i;
  }

  uint32_t runs(uint32_t i) const {
    const uint8_t which = bits(i);
    if (!which) return i;
    const uint32_t most = r_.most[which];
    uint32_t end = i + 1;
    while (end < n_ && (!most || end - i < most) && bits(end) == which) ++end;
    return end;
  }
};

// Calls emit(start, end) for every match in t[0, n) from left to right.
template <class Emit>
void scan(const ScanRule& rule, const uint32_t* t, const uint8_t* classes, size_t n, Emit&& emit) {
  ScanWalk<Emit>(rule, t, classes, n, emit).run();
}

}  // namespace segmenter
