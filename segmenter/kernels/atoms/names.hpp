// Atoms that begin with a letter or a mark: codes, standards, Latin words with hyphens, mentions,
// hashtags.
#pragma once
#include <algorithm>
#include <cstdint>

#include "atoms/text.hpp"

namespace segmenter {
namespace atoms {

constexpr const char* kContractions[] = {"s", "t", "re", "ve", "ll", "d", "m"};
constexpr const char* kJoints = "-_@/.\\";

// Letters and digits joined by hyphens (X-900), or followed by a version (iOS17.2); C++, C#.
inline uint32_t code(const AtomText& t, uint32_t p, uint32_t q) {
  if (t.joined(p, kJoints)) return 0;
  const uint32_t l = t.letters_end(p);
  if (l == q && q - p <= 3 && t.ascii(q) == '+' && t.ascii(q + 1) == '+') {
    const uint32_t e = t.digits_end(q + 2);
    return t.letter(e) || t.ascii(e) == '+' ? 0 : e;
  }
  if (l == q && q - p == 1 && t.ascii(q) == '#' && one_of(t.ascii(p) | 0x20, "cfj"))
    return t.alnum(q + 1) || t.ascii(q + 1) == '#' ? 0 : q + 1;
  const bool numbered = l == p + 1 && (t.ascii(p) | 0x20) == 'v';  // v2.0 is a version or nothing
  bool letters = false, digits = false;
  uint32_t i = p, parts = 0;
  for (;;) {
    const uint32_t s = i;
    while (t.alnum(i) && i - p <= kMaxCode) {
      letters |= t.letter(i);
      digits |= t.digit(i);
      ++i;
    }
    if (i - p > kMaxCode || ++parts > kMaxParts) return 0;
    if (parts == 1 && !letters) {
      // 7-Eleven, 5-HT: few digits, then a name
      if (i - s > 2 || t.ascii(i) != '-' || !upper(t.ascii(i + 1))) return 0;
    }
    const bool dotted =
        t.ascii(i) == '.' && t.digit(i - 1) && t.digit(i + 1) && letters && !numbered;
    if (!dotted && !(t.ascii(i) == '-' && t.alnum(i + 1))) break;
    ++i;
  }
  return parts > 1 && letters && digits && !one_of(t.ascii(i), "_@") ? i : 0;
}

inline bool in_identifier(uint8_t c) { return alnum(c) || c == '_'; }

// user_id, __init__, test_case_01.py, A_b-3; not _emphasis_.
inline uint32_t identifier(const AtomText& t, uint32_t p) {
  if (p > 0 &&
      (in_identifier(t.ascii(p - 1)) || (t.joined(p, "@.-") && !t.atom_ends_at(t.base + p))))
    return 0;
  bool letters = false, marked = false;
  auto part_end = [&](uint32_t i) {  // i if there is no part
    const uint32_t s = i;
    uint32_t marks = 0;
    while (in_identifier(t.ascii(i)) && i - s <= kMaxLocal && marks < 3) {
      marks = t.ascii(i) == '_' ? marks + 1 : 0;
      letters |= t.letter(i);
      marked |= t.ascii(i) == '_';
      ++i;
    }
    return i - s > kMaxLocal || marks > 2 ? s : i;
  };
  uint32_t e = part_end(p);
  if (e == p || !letters) return 0;
  while (t.ascii(e) == '-' && t.alnum(e + 1) && e - p < kMaxLocal) {
    const uint32_t f = part_end(e + 1);
    if (f == e + 1) break;
    e = f;
  }
  if (!marked || in_identifier(t.ascii(e)) || t.ascii(e) == '@') return 0;
  auto ends = [&](uint32_t i, uint32_t step) {
    return t.ascii(i) == '_' && t.ascii(i + step) != '_';
  };
  if (ends(p, 1) && ends(e - 1, uint32_t(-1))) return 0;
  if (t.ascii(e) == '.' && t.alnum(e + 1)) {  // the name of a file
    const uint32_t f = t.run_end(e + 1);
    if (f - e <= 5 && !in_identifier(t.ascii(f)) && !one_of(t.ascii(f), "(.@")) e = f;
  }
  return e;
}

// The end of the underscores at p, 姓名____: two and more are one token, of the kind that its characters tell.
inline uint32_t underscores(AtomText& t, uint32_t p) {
  uint32_t e = p + 1;
  while (t.ascii(e) == '_') ++e;
  t.steps += e - p;
  if (e > p + 1 && t.try_add(kAtomCode, p, e)) t.atoms.back().kind = kWord;
  return e;
}

// Endings of names of files. Not those that are common methods or names of programs: log, app.
constexpr const char* kFileTypes[] = {
    "py",   "ipynb", "js",   "jsx",  "ts",   "tsx",  "css", "html", "htm", "xml",  "json", "yaml",
    "yml",  "toml",  "ini",  "cfg",  "conf", "txt",  "csv", "tsv",  "md",  "rst",  "tex",  "pdf",
    "doc",  "docx",  "xls",  "xlsx", "ppt",  "pptx", "odt", "rtf",  "png", "jpg",  "jpeg", "gif",
    "bmp",  "svg",   "webp", "mp3",  "mp4",  "avi",  "mov", "mkv",  "wav", "flac", "zip",  "rar",
    "tar",  "gz",    "tgz",  "exe",  "dll",  "apk",  "dmg", "iso",  "jar", "cpp",  "cc",   "hpp",
    "java", "kt",    "php",  "rb",   "rs",   "go",   "sh",  "bat",  "sql",
};

// main.cpp, index.html, report-2026.tar.gz: the name of a file.
inline uint32_t file(AtomText& t, uint32_t p, uint32_t q) {
  if (t.joined(p, "-_@.")) return 0;
  uint32_t e = q, ending = 0;
  while ((t.ascii(e) == '.' || t.ascii(e) == '-') && t.alnum(e + 1)) {
    ending = t.ascii(e) == '.' ? e + 1 : 0;
    e = t.run_end(e + 1);
  }
  t.steps += e - q;
  if (!ending || e - p > kMaxLocal || one_of(t.ascii(e), "_@(")) return 0;
  return t.is_one_of(kFileTypes, ending, e) ? e : 0;
}

// The licence plate whose first letter is at k, 京A12345, 沪B·88888, 粤A1234学: its end, 0 if none is
// added.
inline uint32_t plate(AtomText& t, uint32_t k) {
  if (k <= t.read_end || !upper(t.ascii_at(k)) || !in(kProvinces, t.cp(k - 1))) return 0;
  uint32_t e = k + 1, digits = 0;
  if (t.cp(e) == 0xB7 || t.cp(e) == 0x2022) ++e;
  const uint32_t s = e;
  while (e - s <= 6 && (digit(t.ascii_at(e)) || upper(t.ascii_at(e))))
    digits += digit(t.ascii_at(e++));
  if (e - s == 4 && in(U"学學警挂掛港澳领領", t.cp(e))) ++e;
  else if (e - s != 5 && e - s != 6) return 0;
  if (digits < 2 || !t.try_add_at(kAtomCode, k - 1, e)) return 0;
  return t.read_end = e;
}

// GB/T 2312, ISO/IEC 27001:2013: the number may follow a blank.
inline uint32_t standard(const AtomText& t, uint32_t p, uint32_t q) {
  if (t.ascii(q) != '/' || q - p < 2 || q - p > 6) return 0;
  for (uint32_t i = p; i < q; ++i)
    if (!upper(t.ascii(i))) return 0;
  uint32_t e = q + 1;
  while (upper(t.ascii(e)) && e - q <= 6) ++e;
  if (e == q + 1 || t.letter(e) || e - q > 6) return 0;
  auto ascii_at = [&](uint32_t i) { return t.ascii_at(t.base + i); };
  auto digits_end = [&](uint32_t i) {
    const uint32_t s = i;
    while (i - s < 9 && digit(ascii_at(i))) ++i;
    return i;
  };
  uint32_t s = e;
  if (t.base + s < t.n && (t.cp(t.base + s) == ' ' || t.cp(t.base + s) == 0x3000)) ++s;
  uint32_t i = digits_end(s);
  if (i == s || i - s > 6) return 0;
  while (ascii_at(i) == '.' && digit(ascii_at(i + 1)) && i - s < 20) i = digits_end(i + 1);
  if (one_of(ascii_at(i), "-:") && digits_end(i + 1) == i + 5) i += 5;  // the year
  return alnum(ascii_at(i)) ? 0 : i;
}

// Whether ’ at i may close a quotation, that is, an earlier one is open.
inline bool in_quotes(const AtomText& t, uint32_t i) {
  for (uint32_t k = t.base + i, distance = 0; k-- > 0 && distance < 32; ++distance) {
    if (t.cp(k) == 0x2018) return true;
    if (t.cp(k) == '\n' || t.cp(k) == 0x2019) return false;
  }
  return false;
}

inline uint32_t latin(AtomText& t, uint32_t p, uint32_t q) {
  if (t.joined(p, kJoints)) return 0;
  uint32_t i = t.letters_end(p), joints = 0;
  if (i != q) return 0;
  while ((t.ascii(i) == '\'' || t.ascii(i) == '-') && t.letter(i + 1)) {
    const uint32_t e = t.run_end(i + 1);
    if (t.letters_end(i + 1) != e) break;
    if (t.ascii(i) == '\'' && t.wide(i) && in_quotes(t, i) && !t.is_one_of(kContractions, i + 1, e))
      break;
    i = e;
    ++joints;
  }
  t.steps += i - p;
  return joints && t.ascii(i) != '_' && t.ascii(i) != '@' ? i : 0;
}

// The formula or unit around the small digit, the μ or the Ω at k, 100m², H₂SO₄, 10⁻³, 10μm: its
// end, 0 if none is added. It may begin in a chunk that has been read.
inline uint32_t formula(AtomText& t, uint32_t k) {
  if (in(kMicro, t.cp(k)) && !(k > 0 && t.digit_at(k - 1) && letter(t.ascii_at(k + 1)))) return 0;
  auto part = [&](uint32_t i) {
    return alnum(t.ascii_at(i)) || in(kSmall, t.cp(i)) || in(kMicro, t.cp(i)) || in(kOhm, t.cp(i));
  };
  const uint32_t earliest = t.atoms.empty() ? 0 : t.atoms.back().end;
  uint32_t s = k, e = k + 1;
  // 12.5km², 46,600m²
  auto joins = [&](uint32_t i) {
    if (i == 0 || !t.digit_at(i - 1) || !t.digit_at(i + 1)) return false;
    return t.ascii_at(i) == '.' || (t.ascii_at(i) == ',' && t.digits_end_at(i + 1) == i + 4);
  };
  while (s > earliest && k - s < kMaxFormula && (part(s - 1) || joins(s - 1))) --s;
  while (e < t.n && e - k < kMaxFormula && part(e)) ++e;
  t.steps += e - s;
  if (in(kOhm, t.cp(k)) && !t.digit_at(s)) return 0;
  if (!alnum(t.ascii_at(s)) || !t.try_add_at(kAtomLatin, s, e)) return 0;
  return t.read_end = e;
}

inline bool in_name(const AtomText& t, uint32_t k) {
  if (k >= t.n) return false;
  const uint32_t c = t.cp(k);
  if (c == '_' || c == 0xFF3F) return true;
  const CharClass x = t.cls(k);
  return is_alnum(x) || x == kHanNum || x == kHan || is_script(x) || (x == kExtend && k > 0);
}

// A mention or a hashtag: one span, or a span per mark if it is cut open.
inline uint32_t add_marked(AtomText& t, AtomName name, uint32_t s, uint32_t e, bool closed) {
  if (e < t.n && grapheme_bits(t.cp(e)) & kGraphExtend) return 0;
  if (t.rules->how[name] == kAtomKeep) {
    t.atoms.push_back(AtomFound{s, e, uint8_t(name), kAtomKeep, kKindOf[name], 0});
    return e - t.base;
  }
  t.atoms.push_back(AtomFound{s, s + 1, uint8_t(name), kAtomSplit, kKindOf[name], 0});
  if (closed) t.closing = e - 1;
  return s + 1 - t.base;
}

inline uint32_t mention(AtomText& t, uint32_t p) {
  const uint32_t k = t.base + p;
  if ((alnum(t.ascii_at(k - 1)) || t.cp(k - 1) == '_') && !t.atom_ends_at(k)) return 0;
  uint32_t e = k + 1, width = 0;  // microblogs count Han characters double
  bool named = false;
  while (e - k <= kMaxName + 1 &&
         (in_name(t, e) || ((t.cp(e) == '-' || t.cp(e) == 0xB7) && in_name(t, e + 1)))) {
    const CharClass x = t.cls(e);
    named |= x != kDigit && t.cp(e) != '-';
    width += x == kHan || x == kHanNum ? 2 : 1;
    ++e;
  }
  t.steps += e - k;
  if (!named || e - k < 3 || width > kMaxName || t.cls(k + 1) == kExtend) return 0;
  return add_marked(t, kAtomMention, k, e, false);
}

inline uint32_t hashtag(AtomText& t, uint32_t p) {
  const uint32_t k = t.base + p;
  if (k == t.closing) {
    t.atoms.push_back(AtomFound{k, k + 1, kAtomHashtag, kAtomSplit, kKindHashtag, 0});
    t.closing = t.n;
    return p + 1;
  }
  if (!t.rules->on(kAtomHashtag)) return 0;
  if ((alnum(t.ascii_at(k - 1)) || one_of(t.ascii_at(k - 1), "#&_/")) && !t.atom_ends_at(k))
    return 0;
  auto sharp = [&](uint32_t i) { return t.cp(i) == '#' || t.cp(i) == 0xFF03; };
  if (k + 1 >= t.n || sharp(k + 1) || t.cls(k + 1) == kBlank || t.cls(k + 1) == kExtend) return 0;
  // #话题#
  uint32_t e = k + 1;
  bool named = false, ascii = true;
  while (e < t.n && e - k <= kMaxTag && !sharp(e) && t.cp(e) != '\n' && t.cp(e) != '\r') {
    named |= in_name(t, e) && t.cls(e) != kDigit;
    ascii &= t.cp(e) < 0x80 && in_name(t, e);
    ++e;
  }
  t.steps += e - k;
  const bool listed =
      t.cp(e - 1) == ',' || t.cp(e - 1) == 0xFF0C || t.cp(e - 1) == 0x3001;  // #A、#B
  if (e < t.n && sharp(e) && named && t.cls(e - 1) != kBlank && !listed) {
    const bool continues = e + 1 < t.n && t.cp(e + 1) < 0x80 && in_name(t, e + 1);
    const bool counted = t.cls(k + 1) == kDigit && e + 1 < t.n && t.cls(e + 1) == kDigit;  // #1和#2
    if (!(ascii && continues) && !counted) return add_marked(t, kAtomHashtag, k, e + 1, true);
  }
  // #tag
  e = k + 1;
  named = false;
  uint32_t count = 0;  // digits at its start: #618大促 is a hashtag, #2楼 is not
  while (in_name(t, e) && e - k <= kMaxName + 1) {
    named |= t.cls(e) != kDigit && t.cp(e) != '_';
    count += !named;
    ++e;
  }
  if (!named || (count && count < 3) || e - k > kMaxName + 1) return 0;
  return add_marked(t, kAtomHashtag, k, e, false);
}

}  // namespace atoms
}  // namespace segmenter
