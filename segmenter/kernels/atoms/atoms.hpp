// Typed atoms: strings that are one unit to readers but are in no lexicon: URL, e-mail, number, …
//
// One scan of the raw text looks for a few characters (triggers), sixteen positions at once;
// ordinary Chinese text hardly contains them. Around a trigger the unbroken stretch of ASCII
// characters and their full-width forms (a chunk) is read from left to right; at the start of each
// run of letters and digits every rule is tried once. A rule reads a bounded number of characters,
// or consumes the characters it read, or remembers that it failed: so the time is linear on any
// text.
//
// Atoms become spans like those of the user's words, and decoders treat them alike; spans/spans.hpp
// says what takes precedence. segmenter/atoms/ describes each kind; tests/reference/atoms.py has the
// same rules as regular expressions.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "atoms/clock.hpp"
#include "atoms/emoji.hpp"
#include "atoms/names.hpp"
#include "atoms/number.hpp"
#include "atoms/patterns.hpp"
#include "atoms/phone.hpp"
#include "atoms/split.hpp"
#include "atoms/text.hpp"
#include "atoms/time.hpp"
#include "atoms/web.hpp"
#include "compiler.hpp"
#include "interrupt.hpp"

namespace segmenter {

// The scan, and the order in which rules are tried.
class AtomFinder {
 public:
  // Fills found(); false if there is no atom. `positions`: those to read; null: all.
  bool find(const AtomRules& rules, const Lexicon& lex, const Text& text,
            const std::vector<uint32_t>* positions) {
    text_.atoms.clear();
    text_.steps = 0;
    if (!(rules.any || rules.patterns.any()) || text.n == 0) return false;
    text_.begin(rules, lex, text);
    if (positions) read_triggers(*positions);
    else if (rules.any) text.cells([&](const auto* cells) { scan(cells); });
    if (rules.patterns.any()) atoms::add_patterns(text_);
    return !text_.atoms.empty();
  }

  // The atoms by start, disjoint; callers may drop some.
  std::vector<AtomFound>& found() { return text_.atoms; }

  // Appends the tokens of an atom of the last text as spans.
  void append_tokens(const AtomFound& atom, std::vector<UserMatch>& out) {
    atoms::append_tokens(text_, atom, out);
  }

  uint64_t steps() const { return text_.steps; }
  void clear_steps() { text_.steps = 0; }

 private:
  AtomText text_;
  atoms::ChunkSkips skip_;

  void read_triggers(const std::vector<uint32_t>& positions) {
    for (const uint32_t k : positions) {
      if (k % Interrupt::kEvery == 0) Interrupt::poll();
      if (k >= text_.read_end && text_.rules->trigger(text_.text[k])) read_trigger(k);
    }
  }

  template <class Char>
  void scan(const Char* t) {
    uint32_t k = 0;
#if SEGMENTER_SSE4
    if (!text_.rules->by_bits) {
      auto read_mask = [&](uint32_t first, uint32_t mask) {
        for (; mask; mask &= mask - 1) {
          uint32_t k = first + uint32_t(__builtin_ctz(mask));
          if (k >= text_.read_end && text_.rules->trigger(t[k])) read_trigger(k);
        }
      };
      const HanSets han(*text_.rules);
      for (; k + 16 <= text_.n; k += 16) {
        if (k % Interrupt::kEvery == 0 && k) Interrupt::poll();
        if (uint32_t mask = triggers(t + k, han)) read_mask(k, mask);
      }
      if (k < text_.n && text_.n >= 16) {  // the rest, overlapping the last sixteen
        read_mask(text_.n - 16,
                  triggers(t + text_.n - 16, han) & (0xFFFFu << (16 - (text_.n - k))));
        k = text_.n;
      }
    }
#endif
    for (; k < text_.n; ++k)
      if (text_.rules->trigger(t[k]) && k >= text_.read_end) read_trigger(k);
    text_.steps += text_.n / 16;
  }

#if SEGMENTER_SSE4
  // AtomRules::han in registers.
  struct HanSets {
    explicit HanSets(const AtomRules& r) {
      for (int k = 0; k < 3; ++k)
        sets[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(r.han[k]));
    }
    // Bytes other than zero where one of the characters may be.
    __m128i any(__m128i low, __m128i high) const {
      const __m128i nibble = _mm_set1_epi8(15);
      auto match = [&](int k, __m128i nibbles) {
        return _mm_shuffle_epi8(sets[k], _mm_and_si128(nibbles, nibble));
      };
      return _mm_and_si128(_mm_and_si128(match(0, low), match(1, _mm_srli_epi16(low, 4))),
                           match(2, high));
    }
    __m128i sets[3];
  };

  static void load16(const uint8_t* t, __m128i& low, __m128i& high) {
    low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(t));
    high = _mm_setzero_si128();
  }

  static void parts(__m128i a, __m128i b, __m128i& low, __m128i& high) {
    const __m128i byte = _mm_set1_epi16(0xFF);
    low = _mm_packus_epi16(_mm_and_si128(a, byte), _mm_and_si128(b, byte));
    high = _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8));
  }

  static void load16(const uint16_t* t, __m128i& low, __m128i& high) {
    const __m128i* pair = reinterpret_cast<const __m128i*>(t);
    parts(_mm_loadu_si128(pair), _mm_loadu_si128(pair + 1), low, high);
  }

  static void load16(const uint32_t* t, __m128i& low, __m128i& high) {
    alignas(16) uint16_t narrow[16];
    for (int i = 0; i < 16; ++i) narrow[i] = t[i] > 0xFFFF ? 0xFFFF : uint16_t(t[i]);
    load16(narrow, low, high);
  }

  // One bit per position that may be a trigger. For the four pages this is exact except for their
  // upper halves; on other pages every character that is neither Han nor Hangul counts.
  template <class Char>
  uint32_t triggers(const Char* t, const HanSets& han_sets) const {
    const AtomRules& r = *text_.rules;
    __m128i low, high;
    load16(t, low, high);
    const __m128i nibble = _mm_set1_epi8(15);
    const __m128i low_nibbles = _mm_and_si128(low, nibble);
    const __m128i bit =
        _mm_shuffle_epi8(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128),
                         _mm_and_si128(_mm_srli_epi16(low, 4), nibble));
    auto set = [&](int p) {
      return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(r.sets[p])),
                              low_nibbles);
    };
    __m128i candidates = set(0), plain = _mm_cmpeq_epi8(high, _mm_setzero_si128());
    candidates = _mm_and_si128(candidates, plain);
    if (sizeof(Char) > 1) {
      for (int p = 1; p < 4; ++p) {
        const __m128i on_page = _mm_cmpeq_epi8(high, _mm_set1_epi8(char(AtomRules::pages()[p])));
        candidates = _mm_or_si128(candidates, _mm_and_si128(set(p), on_page));
        plain = _mm_or_si128(plain, on_page);
      }
      // Han, 34 to 9F: unsigned high - 34 <= 6B; Hangul, AC to D6
      const __m128i han =
          _mm_subs_epu8(_mm_sub_epi8(high, _mm_set1_epi8(0x34)), _mm_set1_epi8(0x6B));
      const __m128i hangul =
          _mm_subs_epu8(_mm_sub_epi8(high, _mm_set1_epi8(char(0xAC))), _mm_set1_epi8(0x2A));
      plain = _mm_or_si128(plain, _mm_cmpeq_epi8(_mm_min_epu8(han, hangul), _mm_setzero_si128()));
    }
    candidates = _mm_and_si128(candidates, bit);
    if (sizeof(Char) > 1) candidates = _mm_or_si128(candidates, han_sets.any(low, high));
    const __m128i none = _mm_cmpeq_epi8(candidates, _mm_setzero_si128());
    return uint32_t(_mm_movemask_epi8(_mm_and_si128(none, plain))) ^ 0xFFFF;
  }
#endif

  void read_trigger(uint32_t k) {
    ++text_.steps;
    const uint32_t c = text_.cp(k);
    if (c - 0x4E00u < 0x5200) return read_han_trigger(k, c);
    const uint8_t f = text_.fold_at(k);
    if (f) {
      const uint8_t a = f & 0x7F;
      if (atoms::letter(a)) {
        if (text_.rules->on(kAtomCode) && k > 0) atoms::plate(text_, k);
        return;
      }
      if (a == ')' && !text_.digit_at(k + 1) && !atoms::is_separator(text_, k + 1)) return;
      if (atoms::has(a, atoms::kJoint)) {
        // a joint must join something; or it is :// or ::
        const uint8_t next = text_.ascii_at(k + 1);
        const bool joins = atoms::alnum(next) && atoms::alnum(text_.ascii_at(k - 1));
        if (!joins && !(a == ':' && (next == '/' || next == ':'))) return;
        if (a == '.' && is_decimal(k)) return;
      }
      read_chunk(k);
      return;
    }
    if (c == ' ') {
      // 138 0013 8000
      if (k >= text_.read_end + 3 && atoms::digit_group(text_, k - 3, 3, 3) &&
          text_.digit_at(k + 1))
        read_chunk(k - 1);
      return;
    }
    if (c < 0x80) return;
    if (atoms::in(atoms::kSmall, c) || atoms::in(atoms::kMicro, c) || atoms::in(atoms::kOhm, c)) {
      if (text_.rules->on(kAtomLatin)) atoms::formula(text_, k);
      return;
    }
    if (atoms::numeral(c)) return atoms::han_number(text_, k);
    if (text_.rules->on(kAtomEmoji)) atoms::read_cluster(text_, k);
  }

  // Whether the point at k is part of a decimal or a percentage and of nothing longer, like most
  // points. Then no atom begins there, unless decimals are atoms.
  bool is_decimal(uint32_t k) {
    AtomText& t = text_;
    if (t.rules->on(kAtomCalendar) || t.rules->on(kAtomNumber) || t.rules->on(kAtomQuantity))
      return false;
    uint32_t s = k, e = k + 1;
    while (s > t.read_end && t.digit_at(s - 1)) --s;
    if (s == k || (s > t.read_end && t.fold_at(s - 1))) return false;
    while (t.digit_at(e)) ++e;
    if (e == k + 1) return false;
    if (t.ascii_at(e) == '%') ++e;
    if (t.fold_at(e)) return false;
    t.read_end = e;
    return true;
  }

  void read_han_trigger(uint32_t k, uint32_t c) {
    if (atoms::in(atoms::kHours, c)) {
      if (text_.rules->on(kAtomClock)) atoms::clock(text_, k);
      return;
    }
    if (atoms::numeral(c)) return atoms::han_number(text_, k);
    atoms::financial(text_, k);
  }

  void read_chunk(uint32_t k) {
    uint32_t a = k, b = k;
    while (a > text_.read_end && text_.fold_at(a - 1)) --a;
    text_.chunk.clear();
    text_.base = a;
    for (b = a; b < text_.n; ++b) {
      uint8_t f = text_.fold_at(b);
      if (!f) break;
      text_.chunk.push_back(f);
      if (text_.chunk.size() % Interrupt::kEvery == 0) Interrupt::poll();
    }
    text_.size = b - a;
    text_.steps += text_.size;
    skip_ = {};
    uint32_t p = 0, next_check = Interrupt::kEvery;
    while (p < text_.size) {
      if (p >= next_check) {
        Interrupt::poll();
        next_check = p + Interrupt::kEvery;
      }
      uint32_t e = 0;
      const uint8_t c = text_.ascii(p);
      if (c == '@' && text_.rules->on(kAtomMention)) e = atoms::mention(text_, p);
      else if (c == '#') e = atoms::hashtag(text_, p);
      else if (c == ':' && text_.ascii(p + 1) == ':' && text_.rules->on(kAtomIp))
        e = atoms::read_ip6(text_, p);
      else if ((c == '+' || c == '(') && text_.rules->on(kAtomPhone))
        e = std::max(atoms::phone(text_, text_.base + p), text_.base) - text_.base;
      else if (c == '_' && text_.rules->on(kAtomCode)) {
        e = try_rule(kAtomCode, p, [&] { return atoms::identifier(text_, p); });
        if (!e) e = atoms::underscores(text_, p);
      } else if (text_.alnum(p)) e = read_run(p);
      if (e <= p) e = text_.alnum(p) ? text_.run_end(p) : p + 1;
      p = e;
    }
    text_.read_end = std::max(text_.read_end, text_.base + p);
  }

  // The end of the atom that rule() finds at p; 0 if there is none or it is not added.
  template <class Rule>
  uint32_t try_rule(AtomName name, uint32_t p, Rule&& rule) {
    if (!text_.rules->on(name)) return 0;
    const uint32_t e = rule();
    return e && text_.try_add(name, p, e) ? e : 0;
  }

  // The end of the atom that begins with the run of letters and digits at p; 0 if there is none.
  uint32_t read_run(uint32_t p) {
    AtomText& t = text_;
    const uint32_t q = t.run_end(p);
    uint32_t e;
    t.steps += q - p;
    if ((e = try_rule(kAtomUrl, p, [&] { return atoms::url(t, p, q); }))) return e;
    if ((e = try_rule(kAtomEmail, p, [&] { return atoms::email(t, skip_, p); }))) return e;
    if ((e = try_rule(kAtomIp, p, [&] { return atoms::ip6(t, p); }))) return e;
    if ((e = try_rule(kAtomUrl, p, [&] { return atoms::domain(t, skip_, p, q); }))) return e;
    if ((e = try_rule(kAtomCode, p, [&] { return atoms::identifier(t, p); }))) return e;
    if ((e = try_rule(kAtomCode, p, [&] { return atoms::file(t, p, q); }))) return e;
    if (t.digit(p)) {
      if ((e = read_digits(p, q))) return e;
    } else if ((t.ascii(p) | 0x20) == 'v' && t.digit(p + 1)) {
      if ((e = try_rule(kAtomVersion, p, [&] { return atoms::version(t, p + 1, 2); }))) return e;
    }
    if ((e = try_rule(kAtomCode, p, [&] { return atoms::code(t, p, q); }))) return e;
    if ((e = try_rule(kAtomCode, p, [&] { return atoms::standard(t, p, q); }))) return e;
    return try_rule(kAtomLatin, p, [&] { return atoms::latin(t, p, q); });
  }

  // The end of the atom that begins with the digits at p, in a run to q; 0 if there is none. Also
  // the end of characters in which no atom begins.
  uint32_t read_digits(uint32_t p, uint32_t q) {
    AtomText& t = text_;
    if (t.joined(p, ".:/-,_") && !t.atom_ends_at(t.base + p - 1))
      return 0;  // it continues another string
    uint32_t e;
    if (t.rules->on(kAtomPhone) && (e = atoms::phone(t, t.base + p))) return e - t.base;
    if (t.rules->on(kAtomClock) && (e = atoms::clock_from(t, t.base + p))) return e - t.base;
    // digits between dots
    uint32_t i = t.digits_end(p), parts = 1;
    bool octets = i - p <= 3 && t.value(p, std::min(i, p + 3)) <= 255;
    while (t.ascii(i) == '.' && t.digit(i + 1)) {
      uint32_t s = i + 1;
      i = t.digits_end(s);
      octets &= i - s <= 3 && t.value(s, std::min(i, s + 3)) <= 255;
      ++parts;
    }
    t.steps += i - p;
    if (parts > atoms::kMaxParts) return i;
    if (parts == 4 && octets && !t.letter(i)) {
      auto with_port = [&] {
        if (t.ascii(i) == '/') return t.with_number(i, '/', 2);
        return t.wide(i) ? i : t.with_number(i, ':', 5);
      };
      if ((e = try_rule(kAtomIp, p, with_port))) return e;
    }
    if (t.rules->on(kAtomCalendar) && (e = atoms::calendar(t, t.base + p))) return e - t.base;
    if ((e = try_rule(kAtomDate, p, [&] { return atoms::date(t, p); }))) return e;
    if ((e = try_rule(kAtomTime, p, [&] { return atoms::time_of_day(t, p); }))) return e;
    if (parts >= 2 && (e = try_rule(kAtomVersion, p, [&] { return atoms::version(t, p, 3); })))
      return e;
    if (t.rules->on(kAtomQuantity) || t.rules->on(kAtomNumber))
      if ((e = atoms::quantity(t, t.base + p))) return e - t.base;
    if (parts > 2) return i;
    if ((e = try_rule(kAtomCode, p, [&] { return atoms::code(t, p, q); }))) return e;
    return i > q ? i : 0;  // after a joint between digits no atom begins either
  }
};

}  // namespace segmenter
