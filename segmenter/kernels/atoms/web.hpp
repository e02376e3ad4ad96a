// URLs, e-mail addresses, hosts and IP addresses.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "atoms/text.hpp"

namespace segmenter {

class AtomWeb : public AtomText {
 protected:
  uint32_t url(uint32_t p, uint32_t q) const {
    if (at(q) != ':' || at(q + 1) != '/' || at(q + 2) != '/' || !al(p) || q - p < 2 || q - p > 16)
      return 0;
    const uint32_t from = q + 3;
    if (!an(from) && at(from) != '[') return 0;
    return url_end(p, from, wide(q + 1) && wide(q + 2));
  }

  // The end of the URL that begins at p; [p, from) has been read. Punctuation at its end belongs to
  // the sentence.
  uint32_t url_end(uint32_t p, uint32_t from, bool wide_too) const {
    uint32_t e = from;
    int32_t round = 0, square = 0;
    for (; e < size_; ++e) {
      const uint8_t c = at(e);
      if (wide(e) && !wide_too) break;
      if (!atoms::has(c, atoms::kInUrl)) break;
      if ((c == ',' || c == ';') && at(e + 1) == 'h' && at(e + 2) == 't' && at(e + 3) == 't' &&
          at(e + 4) == 'p')
        break;
    }
    for (uint32_t i = p; i < e; ++i) {
      round += (at(i) == '(') - (at(i) == ')');
      square += (at(i) == '[') - (at(i) == ']');
    }
    for (; e > from; --e) {
      const uint8_t c = at(e - 1);
      if (c == ')' && round < 0) ++round;
      else if (c == ']' && square < 0) ++square;
      else if (c == '(' && round > 0) --round;
      else if (c == '[' && square > 0) --square;
      else if (!atoms::one_of(c, ".,;:!?'*~")) break;
    }
    return e;
  }

  // The end of the labels of a host at i, and where the last begins; 0 if there are fewer than two.
  uint32_t labels(uint32_t i, uint32_t* last, uint32_t* count) const {
    const uint32_t from = i;
    uint32_t e = 0;
    *count = 0;
    for (;;) {
      const uint32_t s = i;
      while ((an(i) || (at(i) == '-' && i > s && (an(i + 1) || at(i + 1) == '-'))) &&
             i - from <= atoms::kMostDomain)
        ++i;
      if (i == s || i - from > atoms::kMostDomain) break;
      e = i;
      *last = s;
      ++*count;
      if (at(i) != '.' || !an(i + 1)) break;
      ++i;
    }
    return *count ? e : 0;
  }

  uint32_t email(uint32_t p) {
    if (p < no_email_) return 0;
    uint32_t i = p;
    while ((an(i) || atoms::one_of(at(i), "._%+-'")) && i - p <= atoms::kMostLocal) ++i;
    steps += i - p;
    if (i - p > atoms::kMostLocal) return 0;
    if (at(i) != '@' || at(i - 1) == '.') {
      no_email_ = i;  // whatever begins before i stops at the same character
      return 0;
    }
    uint32_t last = 0, count = 0;
    uint32_t e = labels(i + 1, &last, &count);
    steps += e ? e - i : 1;
    while (e && count >= 2) {
      const uint32_t l = letters_end(last);
      if (l - last >= 2 && (l >= e || at(l) == '-')) return std::min(l, e);
      e = last - 1;  // one label fewer
      --count;
      last = e;
      while (last > i + 1 && at(last - 1) != '.') --last;
    }
    return 0;
  }

  // Whether a name in small letters stands at [s, e), in letters of either case.
  bool equal(const char* name, uint32_t s, uint32_t e) const {
    for (; s < e && *name; ++s, ++name)
      if (uint8_t(*name) != atoms::low(at(s))) return false;
    return s == e && !*name;
  }

  template <class Names>
  bool named(const Names& names, uint32_t s, uint32_t e) const {
    return std::any_of(std::begin(names), std::end(names),
                       [&](const char* name) { return equal(name, s, e); });
  }

  // A host without a scheme, with its port and path.
  uint32_t domain(uint32_t p, uint32_t q) {
    if (atoms::one_of(at(p - 1), "@.-_/")) return 0;
    uint32_t last = 0, count = 0, e;
    if (at(q) == ':' && dg(q + 1) && equal("localhost", p, q)) {
      e = q;
    } else {
      if (p < no_domain_ || !atoms::one_of(at(q), ".-")) return 0;
      e = labels(p, &last, &count);
      steps += e ? e - p : 1;
      const bool www = equal("www", p, q);
      if (count < 2 || !((www && count > 2) || named(atoms::kTopLevel, last, e))) {
        if (e) no_domain_ = last;
        return 0;
      }
      if (!www && q - p < 2 && count < 3 && at(e) != '/') return 0;  // a.cn
      if (count == 2 && at(last) == 'N' && e - last == 3) return 0;  // ASP.NET
    }
    if (!wide(e)) e = with_number(e, ':', 5);
    const bool all_wide = wide(p);
    if ((at(e) == '/' || at(e) == '?') && (!wide(e) || all_wide)) return url_end(p, e, all_wide);
    return e;
  }

  uint32_t ip6(uint32_t p) {
    if (an(p - 1) || atoms::one_of(at(p - 1), ":.")) return 0;
    uint32_t i = p, groups = 0, colons = 0;
    int gap = 0;
    bool digit = false, open = true;  // open: a group may begin here
    while (i - p <= 46) {
      if (at(i) == ':' && !wide(i)) {
        const bool both = at(i + 1) == ':';
        if (both && ++gap > 1) return 0;
        if (!both && (open || !atoms::hex(at(i + 1)))) break;
        i += both ? 2 : 1;
        colons += both ? 2 : 1;
        open = true;
        continue;
      }
      if (!open || !atoms::hex(at(i))) break;
      uint32_t s = i;
      while (atoms::hex(at(i)) && i - s < 5) {
        digit |= dg(i);
        ++i;
      }
      if (i - s > 4) return 0;
      ++groups;
      open = false;
    }
    steps += i - p;
    if (an(i) || at(i) == ':' || colons < 2 || !digit) return 0;
    if (gap ? groups > 7 : groups != 8) return 0;
    return with_number(i, '/', 3);
  }

  uint32_t take_ip6(uint32_t p) {
    uint32_t e = ip6(p);
    if (e && take(kAtomIp, p, e)) return e;
    while (at(p) == ':') ++p;
    return p;
  }
};

}  // namespace segmenter
