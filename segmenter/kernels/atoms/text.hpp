// The text in which atoms are looked for: its characters, and the chunk of ASCII and full-width
// characters around a trigger, folded to ASCII.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "atoms/clusters.hpp"
#include "atoms/rules.hpp"
#include "interrupt.hpp"
#include "user/edits.hpp"

namespace segmenter {

class AtomText {
 public:
  std::vector<AtomFound> found;  // by start, disjoint
  uint64_t steps = 0;

 protected:
  const AtomRules* rules_ = nullptr;
  const Lexicon* lex_ = nullptr;
  Text text_;
  uint32_t n_ = 0;
  uint32_t done_ = 0;     // everything before is settled
  uint32_t closing_ = 0;  // the # that closes a hashtag that is cut open
  std::vector<uint8_t> chunk_;
  uint32_t base_ = 0, size_ = 0;           // of the chunk
  uint32_t no_email_ = 0, no_domain_ = 0;  // places in the chunk before which none begins

  uint32_t cp(uint32_t k) const { return k < n_ ? text_[k] : 0; }

  CharClass cls(uint32_t k) const { return lex_->char_class(lex_->map.id(cp(k))); }

  uint8_t fold_at(uint32_t k) const {
    uint32_t c = cp(k);
    uint8_t f = atoms::fold(c);
    if (!f && c >= 0xC0 && c < 0x2C80 && cls(k) == kLatin) return 'z' | atoms::kWide;  // é
    return f;
  }

  void put(uint32_t s, uint32_t e, AtomName name, uint8_t kind) {
    found.push_back(AtomFound{s, e, name, kAtomKeep, kind, 0});
    done_ = e;
  }

  uint8_t wide(uint32_t i) const { return i < size_ ? chunk_[i] & atoms::kWide : 0; }
  uint8_t at(uint32_t i) const { return i < size_ ? chunk_[i] & 0x7F : 0; }
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

  bool take(AtomName name, uint32_t s, uint32_t e) { return take_at(name, base_ + s, base_ + e); }

  // Adds an atom, unless it would cut a run of letters and digits or a grapheme cluster.
  bool take_at(AtomName name, uint32_t s, uint32_t e) {
    if (!rules_->on(name)) return false;
    if (e < n_) {
      if (grapheme_bits(cp(e)) & kGraphExtend) return false;
      if (atoms::alnum(far(e)) && atoms::alnum(far(e - 1))) return false;
    }
    if (s > 0 && !follows(s) && atoms::alnum(far(s))) {
      if (cls(s - 1) == kExtend || atoms::alnum(far(s - 1))) return false;
    }
    if (!found.empty() && found.back().end > s) return false;
    found.push_back(AtomFound{s, e, uint8_t(name), rules_->how[name], kKindOf[name], 0});
    return true;
  }

  bool follows(uint32_t k) const { return !found.empty() && found.back().end == k; }  // an atom

  // Whether one of these marks joins p to letters or digits before it.
  bool joined(uint32_t p, const char* marks) const {
    return p > 1 && atoms::one_of(at(p - 1), marks) && an(p - 2);
  }

  static bool in(const char32_t* set, uint32_t c) {
    for (; *set; ++set)
      if (uint32_t(*set) == c) return true;
    return false;
  }

  // As at() and dg(), by places in the text.
  uint8_t far(uint32_t k) const { return fold_at(k) & 0x7F; }
  bool far_digit(uint32_t k) const { return atoms::digit(far(k)); }

  uint32_t far_digits(uint32_t k) const {
    while (far_digit(k)) ++k;
    return k;
  }

  static bool numeral(uint32_t c) { return in(atoms::kNumerals, c); }
  static bool multiplier(uint32_t c) { return in(U"十百千万亿兆萬億", c); }
};

}  // namespace segmenter
