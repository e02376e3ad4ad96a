// Input and output of the rules of atoms: a text, the chunk of ASCII and full-width characters around
// a trigger, folded to ASCII, and the atoms found so far.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "atoms/graphemes.hpp"
#include "atoms/rules.hpp"

namespace segmenter {
namespace atoms {

inline bool in(const char32_t* set, uint32_t c) {
  for (; *set; ++set)
    if (uint32_t(*set) == c) return true;
  return false;
}
inline bool numeral(uint32_t c) { return in(kNumerals, c); }
inline bool multiplier(uint32_t c) { return in(U"十百千万亿兆萬億", c); }

}  // namespace atoms

struct AtomText {
  const AtomRules* rules = nullptr;
  const Lexicon* lex = nullptr;
  Text text;
  uint32_t n = 0;
  std::vector<uint8_t> chunk;    // as atoms::fold gives it
  uint32_t base = 0, size = 0;   // of the chunk
  std::vector<AtomFound> atoms;  // by start, disjoint
  uint32_t read_end = 0;         // no further atom begins before it
  uint32_t closing = 0;          // the # that closes a hashtag that is cut open
  uint64_t steps = 0;

  void begin(const AtomRules& atom_rules, const Lexicon& lexicon, const Text& source) {
    rules = &atom_rules;
    lex = &lexicon;
    text = source;
    n = closing = uint32_t(source.n);
    read_end = 0;
  }

  // --- places in the text ---
  uint32_t cp(uint32_t k) const { return k < n ? text[k] : 0; }

  CharClass cls(uint32_t k) const { return lex->char_class(lex->map.id(cp(k))); }

  uint8_t fold_at(uint32_t k) const {
    uint32_t c = cp(k);
    uint8_t f = atoms::fold(c);
    if (!f && c >= 0xC0 && c < 0x2C80 && cls(k) == kLatin) return 'z' | atoms::kWide;  // é
    return f;
  }

  // The same as ascii() and digit() below, at a position in the text.
  uint8_t ascii_at(uint32_t k) const { return fold_at(k) & 0x7F; }
  bool digit_at(uint32_t k) const { return atoms::digit(ascii_at(k)); }

  uint32_t digits_end_at(uint32_t k) const {
    while (digit_at(k)) ++k;
    return k;
  }

  // --- places in the chunk ---
  uint8_t wide(uint32_t i) const { return i < size ? chunk[i] & atoms::kWide : 0; }
  uint8_t ascii(uint32_t i) const { return i < size ? chunk[i] & 0x7F : 0; }
  bool digit(uint32_t i) const { return atoms::digit(ascii(i)); }
  bool letter(uint32_t i) const { return atoms::letter(ascii(i)); }
  bool alnum(uint32_t i) const { return atoms::alnum(ascii(i)); }

  uint32_t run_end(uint32_t i) const {
    while (alnum(i)) ++i;
    return i;
  }

  uint32_t digits_end(uint32_t i) const {
    while (digit(i)) ++i;
    return i;
  }

  uint32_t letters_end(uint32_t i) const {
    while (letter(i)) ++i;
    return i;
  }

  // The end of the mark at e and the digits after it, such as a port, if there are at most
  // `max_digits` and no letter follows; otherwise e.
  uint32_t with_number(uint32_t e, uint8_t mark, uint32_t max_digits) const {
    const uint32_t end = ascii(e) == mark ? digits_end(e + 1) : e;
    return end > e + 1 && end - e <= max_digits + 1 && !letter(end) ? end : e;
  }

  uint32_t value(uint32_t s, uint32_t e) const {  // of few digits
    uint32_t v = 0;
    for (; s < e; ++s) v = v * 10 + uint32_t(ascii(s) - '0');
    return v;
  }

  // Whether one of these marks joins p to a letter or digit before it.
  bool joined(uint32_t p, const char* marks) const {
    return p > 1 && atoms::one_of(ascii(p - 1), marks) && alnum(p - 2);
  }

  // Whether [s, e) is `name`, which is in small letters, in letters of either case.
  bool equal(const char* name, uint32_t s, uint32_t e) const {
    for (; s < e && *name; ++s, ++name)
      if (uint8_t(*name) != atoms::low(ascii(s))) return false;
    return s == e && !*name;
  }

  template <class Names>
  bool is_one_of(const Names& names, uint32_t s, uint32_t e) const {
    return std::any_of(std::begin(names), std::end(names),
                       [&](const char* name) { return equal(name, s, e); });
  }

  // --- atoms ---
  void add(uint32_t s, uint32_t e, AtomName name, uint8_t kind) {
    atoms.push_back(AtomFound{s, e, name, kAtomKeep, kind, 0});
    read_end = e;
  }

  bool try_add(AtomName name, uint32_t s, uint32_t e) {
    return try_add_at(name, base + s, base + e);
  }

  // Adds , unless it would cut a run of letters and digits or a grapheme cluster.
  bool try_add_at(AtomName name, uint32_t s, uint32_t e) {
    if (!rules->on(name)) return false;
    if (e < n) {
      if (grapheme_bits(cp(e)) & kGraphExtend) return false;
      if (atoms::alnum(ascii_at(e)) && atoms::alnum(ascii_at(e - 1))) return false;
    }
    if (s > 0 && !atom_ends_at(s) && atoms::alnum(ascii_at(s))) {
      if (cls(s - 1) == kExtend || atoms::alnum(ascii_at(s - 1))) return false;
    }
    if (!atoms.empty() && atoms.back().end > s) return false;
    atoms.push_back(AtomFound{s, e, uint8_t(name), rules->how[name], kKindOf[name], 0});
    return true;
  }

  bool atom_ends_at(uint32_t k) const { return !atoms.empty() && atoms.back().end == k; }
};

}  // namespace segmenter
