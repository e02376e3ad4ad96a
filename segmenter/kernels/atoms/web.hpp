// URLs, e-mail addresses, hosts and IP addresses. Each function returns the end of what begins at p in
// the chunk, 0 if there is none.
#pragma once
#include <algorithm>
#include <cstdint>

#include "atoms/text.hpp"

namespace segmenter {
namespace atoms {

// Top-level domains recognised without a scheme: those in common use, except file suffixes (md, py,
// rs, sh) and words that may follow a full stop in English (in, is, it, me, so, to, us).
constexpr const char* kTopLevel[] = {
    "com",  "cn",     "net",  "org",   "edu",   "gov",  "mil", "int", "info", "biz",  "io",
    "ai",   "co",     "tv",   "cc",    "top",   "xyz",  "vip", "app", "dev",  "shop", "site",
    "club", "online", "tech", "store", "cloud", "live", "hk",  "tw",  "mo",   "jp",   "kr",
    "uk",   "de",     "fr",   "ru",    "eu",    "sg",   "au",  "ca",
};

// Places in the chunk before which none begins, so that the time stays linear.
struct ChunkSkips {
  uint32_t email = 0, domain = 0;
};

// The end of the URL that begins at p; [p, from) has been read. Punctuation at its end belongs to
// the sentence.
inline uint32_t url_end(const AtomText& t, uint32_t p, uint32_t from, bool wide_too) {
  uint32_t e = from;
  int32_t round = 0, square = 0;
  for (; e < t.size; ++e) {
    const uint8_t c = t.at(e);
    if (t.wide(e) && !wide_too) break;
    if (!has(c, kInUrl)) break;
    if ((c == ',' || c == ';') && t.at(e + 1) == 'h' && t.at(e + 2) == 't' && t.at(e + 3) == 't' &&
        t.at(e + 4) == 'p')
      break;
  }
  for (uint32_t i = p; i < e; ++i) {
    round += (t.at(i) == '(') - (t.at(i) == ')');
    square += (t.at(i) == '[') - (t.at(i) == ']');
  }
  for (; e > from; --e) {
    const uint8_t c = t.at(e - 1);
    if (c == ')' && round < 0) ++round;
    else if (c == ']' && square < 0) ++square;
    else if (c == '(' && round > 0) --round;
    else if (c == '[' && square > 0) --square;
    else if (!one_of(c, ".,;:!?'*~")) break;
  }
  return e;
}

inline uint32_t url(const AtomText& t, uint32_t p, uint32_t q) {
  if (t.at(q) != ':' || t.at(q + 1) != '/' || t.at(q + 2) != '/' || !t.al(p) || q - p < 2 ||
      q - p > 16)
    return 0;
  const uint32_t from = q + 3;
  if (!t.an(from) && t.at(from) != '[') return 0;
  return url_end(t, p, from, t.wide(q + 1) && t.wide(q + 2));
}

// The end of the labels of a host at i, and where the last begins; 0 if there are fewer than two.
inline uint32_t labels(const AtomText& t, uint32_t i, uint32_t* last, uint32_t* count) {
  const uint32_t from = i;
  uint32_t e = 0;
  *count = 0;
  for (;;) {
    const uint32_t s = i;
    while ((t.an(i) || (t.at(i) == '-' && i > s && (t.an(i + 1) || t.at(i + 1) == '-'))) &&
           i - from <= kMostDomain)
      ++i;
    if (i == s || i - from > kMostDomain) break;
    e = i;
    *last = s;
    ++*count;
    if (t.at(i) != '.' || !t.an(i + 1)) break;
    ++i;
  }
  return *count ? e : 0;
}

inline uint32_t email(AtomText& t, ChunkSkips& skip, uint32_t p) {
  if (p < skip.email) return 0;
  uint32_t i = p;
  while ((t.an(i) || one_of(t.at(i), "._%+-'")) && i - p <= kMostLocal) ++i;
  t.steps += i - p;
  if (i - p > kMostLocal) return 0;
  if (t.at(i) != '@' || t.at(i - 1) == '.') {
    skip.email = i;  // whatever begins before i stops at the same character
    return 0;
  }
  uint32_t last = 0, count = 0;
  uint32_t e = labels(t, i + 1, &last, &count);
  t.steps += e ? e - i : 1;
  while (e && count >= 2) {
    const uint32_t l = t.letters_end(last);
    if (l - last >= 2 && (l >= e || t.at(l) == '-')) return std::min(l, e);
    e = last - 1;  // one label fewer
    --count;
    last = e;
    while (last > i + 1 && t.at(last - 1) != '.') --last;
  }
  return 0;
}

// A host without a scheme, with its port and path.
inline uint32_t domain(AtomText& t, ChunkSkips& skip, uint32_t p, uint32_t q) {
  if (one_of(t.at(p - 1), "@.-_/")) return 0;
  uint32_t last = 0, count = 0, e;
  if (t.at(q) == ':' && t.dg(q + 1) && t.equal("localhost", p, q)) {
    e = q;
  } else {
    if (p < skip.domain || !one_of(t.at(q), ".-")) return 0;
    e = labels(t, p, &last, &count);
    t.steps += e ? e - p : 1;
    const bool www = t.equal("www", p, q);
    if (count < 2 || !((www && count > 2) || t.named(kTopLevel, last, e))) {
      if (e) skip.domain = last;
      return 0;
    }
    if (!www && q - p < 2 && count < 3 && t.at(e) != '/') return 0;  // a.cn
    if (count == 2 && t.at(last) == 'N' && e - last == 3) return 0;  // ASP.NET
  }
  if (!t.wide(e)) e = t.with_number(e, ':', 5);
  const bool all_wide = t.wide(p);
  if ((t.at(e) == '/' || t.at(e) == '?') && (!t.wide(e) || all_wide))
    return url_end(t, p, e, all_wide);
  return e;
}

inline uint32_t ip6(AtomText& t, uint32_t p) {
  if (t.an(p - 1) || one_of(t.at(p - 1), ":.")) return 0;
  uint32_t i = p, groups = 0, colons = 0;
  int gap = 0;
  bool digit = false, open = true;  // open: a group may begin here
  while (i - p <= 46) {
    if (t.at(i) == ':' && !t.wide(i)) {
      const bool both = t.at(i + 1) == ':';
      if (both && ++gap > 1) return 0;
      if (!both && (open || !hex(t.at(i + 1)))) break;
      i += both ? 2 : 1;
      colons += both ? 2 : 1;
      open = true;
      continue;
    }
    if (!open || !hex(t.at(i))) break;
    uint32_t s = i;
    while (hex(t.at(i)) && i - s < 5) {
      digit |= t.dg(i);
      ++i;
    }
    if (i - s > 4) return 0;
    ++groups;
    open = false;
  }
  t.steps += i - p;
  if (t.an(i) || t.at(i) == ':' || colons < 2 || !digit) return 0;
  if (gap ? groups > 7 : groups != 8) return 0;
  return t.with_number(i, '/', 3);
}

inline uint32_t take_ip6(AtomText& t, uint32_t p) {
  uint32_t e = ip6(t, p);
  if (e && t.take(kAtomIp, p, e)) return e;
  while (t.at(p) == ':') ++p;
  return p;
}

}  // namespace atoms
}  // namespace segmenter
