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
  std::vector<AtomFound> found;  // by start, disjoint
  uint32_t done = 0;             // no atom begins before it
  uint32_t closing = 0;          // the # that closes a hashtag that is cut open
  uint64_t steps = 0;

  void begin(const AtomRules& given, const Lexicon& lexicon, const Text& read) {
    rules = &given;
    lex = &lexicon;
    text = read;
    n = closing = uint32_t(read.n);
    done = 0;
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

  // As at() and dg() below.
  uint8_t far(uint32_t k) const { return fold_at(k) & 0x7F; }
  bool far_digit(uint32_t k) const { return atoms::digit(far(k)); }

  uint32_t far_digits(uint32_t k) const {
    while (far_digit(k)) ++k;
    return k;
  }

  // --- places in the chunk ---
  uint8_t wide(uint32_t i) const { return i < size ? chunk[i] & atoms::kWide : 0; }
  uint8_t at(uint32_t i) const { return i < size ? chunk[i] & 0x7F : 0; }
  bool dg(uint32_t i) const { return atoms::digit(at(i)); }
  bool al(uint32_t i) const { return atoms::letter(at(i)); }
  bool an(uint32_t i) const { return atoms::alnum(at(i)); }

  uint32_t run_end(uint32_t i) const {
    while (an(i)) ++i;
    return i;
  }

  uint32_t digits_end(uint32_t i) const {
    while (dg(i)) ++i;
    return i;
  }

  uint32_t letters_end(uint32_t i) const {
    while (al(i)) ++i;
    return i;
  }

  // Past the mark at e and the digits after it, such as a port, if no letter follows and there are
  // at most `most` of them; else e.
  uint32_t with_number(uint32_t e, uint8_t mark, uint32_t most) const {
    const uint32_t end = at(e) == mark ? digits_end(e + 1) : e;
    return end > e + 1 && end - e <= most + 1 && !al(end) ? end : e;
  }

  uint32_t value(uint32_t s, uint32_t e) const {  // of few digits
    uint32_t v = 0;
    for (; s < e; ++s) v = v * 10 + uint32_t(at(s) - '0');
    return v;
  }

  // Whether one of these marks joins p to letters or digits before it.
  bool joined(uint32_t p, const char* marks) const {
    return p > 1 && atoms::one_of(at(p - 1), marks) && an(p - 2);
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

  // --- atoms ---
  void put(uint32_t s, uint32_t e, AtomName name, uint8_t kind) {
    found.push_back(AtomFound{s, e, name, kAtomKeep, kind, 0});
    done = e;
  }

  bool take(AtomName name, uint32_t s, uint32_t e) { return take_at(name, base + s, base + e); }

  // Adds an atom, unless it would cut a run of letters and digits or a grapheme cluster.
  bool take_at(AtomName name, uint32_t s, uint32_t e) {
    if (!rules->on(name)) return false;
    if (e < n) {
      if (grapheme_bits(cp(e)) & kGraphExtend) return false;
      if (atoms::alnum(far(e)) && atoms::alnum(far(e - 1))) return false;
    }
    if (s > 0 && !follows(s) && atoms::alnum(far(s))) {
      if (cls(s - 1) == kExtend || atoms::alnum(far(s - 1))) return false;
    }
    if (!found.empty() && found.back().end > s) return false;
    found.push_back(AtomFound{s, e, uint8_t(name), rules->how[name], kKindOf[name], 0});
    return true;
  }

  bool follows(uint32_t k) const { return !found.empty() && found.back().end == k; }  // an atom
};

}  // namespace segmenter
