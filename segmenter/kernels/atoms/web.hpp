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
    const uint8_t c = t.ascii(e);
    if (t.wide(e) && !wide_too) break;
    if (!has(c, kInUrl)) break;
    if ((c == ',' || c == ';') && t.ascii(e + 1) == 'h' && t.ascii(e + 2) == 't' &&
        t.ascii(e + 3) == 't' && t.ascii(e + 4) == 'p')
      break;
  }
  for (uint32_t i = p; i < e; ++i) {
    round += (t.ascii(i) == '(') - (t.ascii(i) == ')');
    square += (t.ascii(i) == '[') - (t.ascii(i) == ']');
  }
  for (; e > from; --e) {
    const uint8_t c = t.ascii(e - 1);
    if (c == ')' && round < 0) ++round;
    else if (c == ']' && square < 0) ++square;
    else if (c == '(' && round > 0) --round;
    else if (c == '[' && square > 0) --square;
    else if (!one_of(c, ".,;:!?'*~")) break;
  }
  return e;
}

inline uint32_t url(const AtomText& t, uint32_t p, uint32_t q) {
  if (t.ascii(q) != ':' || t.ascii(q + 1) != '/' || t.ascii(q + 2) != '/' || !t.letter(p) ||
      q - p < 2 || q - p > 16)
    return 0;
  const uint32_t from = q + 3;
  if (!t.alnum(from) && t.ascii(from) != '[') return 0;
  return url_end(t, p, from, t.wide(q + 1) && t.wide(q + 2));
}

// The end of the labels of a host at i, and where the last begins; 0 if there are fewer than two.
inline uint32_t host_end(const AtomText& t, uint32_t i, uint32_t* last_label, uint32_t* count) {
  const uint32_t from = i;
  uint32_t e = 0;
  *count = 0;
  for (;;) {
    const uint32_t s = i;
    while (
        (t.alnum(i) || (t.ascii(i) == '-' && i > s && (t.alnum(i + 1) || t.ascii(i + 1) == '-'))) &&
        i - from <= kMaxDomain)
      ++i;
    if (i == s || i - from > kMaxDomain) break;
    e = i;
    *last_label = s;
    ++*count;
    if (t.ascii(i) != '.' || !t.alnum(i + 1)) break;
    ++i;
  }
  return *count ? e : 0;
}

inline uint32_t email(AtomText& t, ChunkSkips& skip, uint32_t p) {
  if (p < skip.email) return 0;
  uint32_t i = p;
  while ((t.alnum(i) || one_of(t.ascii(i), "._%+-'")) && i - p <= kMaxLocal) ++i;
  t.steps += i - p;
  if (i - p > kMaxLocal) return 0;
  if (t.ascii(i) != '@' || t.ascii(i - 1) == '.') {
    skip.email = i;  // whatever begins before i stops at the same character
    return 0;
  }
  uint32_t last_label = 0, count = 0;
  uint32_t e = host_end(t, i + 1, &last_label, &count);
  t.steps += e ? e - i : 1;
  while (e && count >= 2) {
    const uint32_t l = t.letters_end(last_label);
    if (l - last_label >= 2 && (l >= e || t.ascii(l) == '-')) return std::min(l, e);
    e = last_label - 1;  // one label fewer
    --count;
    last_label = e;
    while (last_label > i + 1 && t.ascii(last_label - 1) != '.') --last_label;
  }
  return 0;
}

// A host without a scheme, with its port and path.
inline uint32_t domain(AtomText& t, ChunkSkips& skip, uint32_t p, uint32_t q) {
  if (one_of(t.ascii(p - 1), "@.-_/")) return 0;
  uint32_t last_label = 0, count = 0, e;
  if (t.ascii(q) == ':' && t.digit(q + 1) && t.equal("localhost", p, q)) {
    e = q;
  } else {
    if (p < skip.domain || !one_of(t.ascii(q), ".-")) return 0;
    e = host_end(t, p, &last_label, &count);
    t.steps += e ? e - p : 1;
    const bool www = t.equal("www", p, q);
    if (count < 2 || !((www && count > 2) || t.is_one_of(kTopLevel, last_label, e))) {
      if (e) skip.domain = last_label;
      return 0;
    }
    if (!www && q - p < 2 && count < 3 && t.ascii(e) != '/') return 0;              // a.cn
    if (count == 2 && t.ascii(last_label) == 'N' && e - last_label == 3) return 0;  // ASP.NET
  }
  if (!t.wide(e)) e = t.with_number(e, ':', 5);
  const bool all_wide = t.wide(p);
  if ((t.ascii(e) == '/' || t.ascii(e) == '?') && (!t.wide(e) || all_wide))
    return url_end(t, p, e, all_wide);
  return e;
}

inline uint32_t ip6(AtomText& t, uint32_t p) {
  if (t.alnum(p - 1) || one_of(t.ascii(p - 1), ":.")) return 0;
  uint32_t i = p, groups = 0, colons = 0;
  int double_colons = 0;
  bool digit = false, open = true;  // open: a group may begin here
  while (i - p <= 46) {
    if (t.ascii(i) == ':' && !t.wide(i)) {
      const bool is_double = t.ascii(i + 1) == ':';
      if (is_double && ++double_colons > 1) return 0;
      if (!is_double && (open || !hex(t.ascii(i + 1)))) break;
      i += is_double ? 2 : 1;
      colons += is_double ? 2 : 1;
      open = true;
      continue;
    }
    if (!open || !hex(t.ascii(i))) break;
    uint32_t s = i;
    while (hex(t.ascii(i)) && i - s < 5) {
      digit |= t.digit(i);
      ++i;
    }
    if (i - s > 4) return 0;
    ++groups;
    open = false;
  }
  t.steps += i - p;
  if (t.alnum(i) || t.ascii(i) == ':' || colons < 2 || !digit) return 0;
  if (double_colons ? groups > 7 : groups != 8) return 0;
  return t.with_number(i, '/', 3);
}

inline uint32_t read_ip6(AtomText& t, uint32_t p) {
  uint32_t e = ip6(t, p);
  if (e && t.try_add(kAtomIp, p, e)) return e;
  while (t.ascii(p) == ':') ++p;
  return p;
}

}  // namespace atoms
}  // namespace segmenter
