// Atoms that begin with a letter or a mark: codes, standards, Latin words with hyphens, mentions,
// hashtags.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "atoms/number.hpp"

namespace segmenter {

class AtomNames : public AtomNumber {
 protected:
  static constexpr const char* kJoints = "-_@/.\\";

  // Letters and digits joined by hyphens (X-900), or with a version after them (iOS17.2); C++, C#.
  uint32_t code(uint32_t p, uint32_t q) const {
    if (joined(p, kJoints)) return 0;
    const uint32_t l = letters_end(p);
    if (l == q && q - p <= 3 && at(q) == '+' && at(q + 1) == '+') {
      const uint32_t e = digits_end(q + 2);
      return al(e) || at(e) == '+' ? 0 : e;
    }
    if (l == q && q - p == 1 && at(q) == '#' && atoms::one_of(at(p) | 0x20, "cfj"))
      return an(q + 1) || at(q + 1) == '#' ? 0 : q + 1;
    const bool numbered = l == p + 1 && (at(p) | 0x20) == 'v';  // v2.0 is a version or nothing
    bool letters = false, digits = false;
    uint32_t i = p, parts = 0;
    for (;;) {
      const uint32_t s = i;
      while (an(i) && i - p <= atoms::kMostCode) {
        letters |= al(i);
        digits |= dg(i);
        ++i;
      }
      if (i - p > atoms::kMostCode || ++parts > atoms::kMostParts) return 0;
      if (parts == 1 && !letters) {
        // 7-Eleven, 5-HT: few digits, then a name
        if (i - s > 2 || at(i) != '-' || !atoms::upper(at(i + 1))) return 0;
      }
      const bool dotted = at(i) == '.' && dg(i - 1) && dg(i + 1) && letters && !numbered;
      if (!dotted && !(at(i) == '-' && an(i + 1))) break;
      ++i;
    }
    return parts > 1 && letters && digits && !atoms::one_of(at(i), "_@") ? i : 0;
  }

  // GB/T 2312, ISO/IEC 27001:2013: the number may follow a blank.
  uint32_t standard(uint32_t p, uint32_t q) const {
    if (at(q) != '/' || q - p < 2 || q - p > 6) return 0;
    for (uint32_t i = p; i < q; ++i)
      if (!atoms::upper(at(i))) return 0;
    uint32_t e = q + 1;
    while (atoms::upper(at(e)) && e - q <= 6) ++e;
    if (e == q + 1 || al(e) || e - q > 6) return 0;
    auto far = [&](uint32_t i) { return AtomText::far(base_ + i); };
    auto far_digits = [&](uint32_t i) {
      const uint32_t s = i;
      while (i - s < 9 && atoms::digit(far(i))) ++i;
      return i;
    };
    uint32_t s = e;
    if (base_ + s < n_ && (cp(base_ + s) == ' ' || cp(base_ + s) == 0x3000)) ++s;
    uint32_t i = far_digits(s);
    if (i == s || i - s > 6) return 0;
    while (far(i) == '.' && atoms::digit(far(i + 1)) && i - s < 20) i = far_digits(i + 1);
    if (atoms::one_of(far(i), "-:") && far_digits(i + 1) == i + 5) i += 5;  // the year
    return atoms::alnum(far(i)) ? 0 : i;
  }

  uint32_t latin(uint32_t p, uint32_t q) {
    if (joined(p, kJoints)) return 0;
    uint32_t i = letters_end(p), joints = 0;
    if (i != q) return 0;
    while ((at(i) == '\'' || at(i) == '-') && al(i + 1)) {
      const uint32_t e = run_end(i + 1);
      if (letters_end(i + 1) != e) break;
      if (at(i) == '\'' && wide(i) && in_quotes(i) && !named(kContractions, i + 1, e)) break;
      i = e;
      ++joints;
    }
    steps += i - p;
    return joints && at(i) != '_' && at(i) != '@' ? i : 0;
  }

  // Whether ’ at i may close a quotation, that is, an earlier one is open.
  bool in_quotes(uint32_t i) const {
    for (uint32_t k = base_ + i, far = 0; k-- > 0 && far < 32; ++far) {
      if (cp(k) == 0x2018) return true;
      if (cp(k) == '\n' || cp(k) == 0x2019) return false;
    }
    return false;
  }

  static constexpr const char* kContractions[] = {"s", "t", "re", "ve", "ll", "d", "m"};

  bool in_name(uint32_t k) const {
    if (k >= n_) return false;
    const uint32_t c = cp(k);
    if (c == '_' || c == 0xFF3F) return true;
    const CharClass x = cls(k);
    return is_alnum(x) || x == kHanNum || x == kHan || is_script(x) || (x == kExtend && k > 0);
  }

  uint32_t mention(uint32_t p) {
    const uint32_t k = base_ + p;
    if ((atoms::alnum(far(k - 1)) || cp(k - 1) == '_') && !follows(k)) return 0;
    uint32_t e = k + 1, width = 0;  // microblogs count Han characters double
    bool named = false;
    while (e - k <= atoms::kMostName + 1 &&
           (in_name(e) || ((cp(e) == '-' || cp(e) == 0xB7) && in_name(e + 1)))) {
      const CharClass x = cls(e);
      named |= x != kDigit && cp(e) != '-';
      width += x == kHan || x == kHanNum ? 2 : 1;
      ++e;
    }
    steps += e - k;
    if (!named || e - k < 3 || width > atoms::kMostName || cls(k + 1) == kExtend) return 0;
    return take_marked(kAtomMention, k, e, false);
  }

  uint32_t hashtag(uint32_t p) {
    const uint32_t k = base_ + p;
    if (k == closing_) {
      found.push_back(AtomFound{k, k + 1, kAtomHashtag, kAtomSplit, kKindHashtag, 0});
      closing_ = n_;
      return p + 1;
    }
    if (!rules_->on(kAtomHashtag)) return 0;
    if ((atoms::alnum(far(k - 1)) || atoms::one_of(far(k - 1), "#&_/")) && !follows(k)) return 0;
    auto sharp = [&](uint32_t i) { return cp(i) == '#' || cp(i) == 0xFF03; };
    if (k + 1 >= n_ || sharp(k + 1) || cls(k + 1) == kBlank || cls(k + 1) == kExtend) return 0;
    // #话题#
    uint32_t e = k + 1;
    bool named = false, ascii = true;
    while (e < n_ && e - k <= atoms::kMostTag && !sharp(e) && cp(e) != '\n' && cp(e) != '\r') {
      named |= in_name(e) && cls(e) != kDigit;
      ascii &= cp(e) < 0x80 && in_name(e);
      ++e;
    }
    steps += e - k;
    const bool listed = cp(e - 1) == ',' || cp(e - 1) == 0xFF0C || cp(e - 1) == 0x3001;  // #A、#B
    if (e < n_ && sharp(e) && named && cls(e - 1) != kBlank && !listed) {
      const bool next = e + 1 < n_ && cp(e + 1) < 0x80 && in_name(e + 1);
      const bool counted = cls(k + 1) == kDigit && e + 1 < n_ && cls(e + 1) == kDigit;  // #1和#2
      if (!(ascii && next) && !counted) return take_marked(kAtomHashtag, k, e + 1, true);
    }
    // #tag
    e = k + 1;
    named = false;
    uint32_t count = 0;  // digits at its start: #618大促 is a hashtag, #2楼 is not
    while (in_name(e) && e - k <= atoms::kMostName + 1) {
      named |= cls(e) != kDigit && cp(e) != '_';
      count += !named;
      ++e;
    }
    if (!named || (count && count < 3) || e - k > atoms::kMostName + 1) return 0;
    return take_marked(kAtomHashtag, k, e, false);
  }

  // A mention or a hashtag: one span, or a span per mark if it is cut open.
  uint32_t take_marked(AtomName name, uint32_t s, uint32_t e, bool closed) {
    if (e < n_ && grapheme_bits(cp(e)) & kGraphExtend) return 0;
    if (rules_->how[name] == kAtomKeep) {
      found.push_back(AtomFound{s, e, uint8_t(name), kAtomKeep, kKindOf[name], 0});
      return e - base_;
    }
    found.push_back(AtomFound{s, s + 1, uint8_t(name), kAtomSplit, kKindOf[name], 0});
    if (closed) closing_ = e - 1;
    return s + 1 - base_;
  }
};

}  // namespace segmenter
