// Typed atoms: strings that readers take as one thing but no lexicon lists: URL, e-mail, number, …
//
// One scan of the raw text looks for a few characters (triggers), sixteen positions at once;
// ordinary Chinese text has hardly any. Around a trigger the unbroken stretch of ASCII characters
// and their full-width forms (a chunk) is read from left to right; at the start of each run of
// letters and digits every rule is tried once. A rule looks at a bounded number of characters, or
// consumes what it looked at, or remembers that it failed: so the time is linear on any text.
//
// Atoms become spans like those of the user's words, and decoders treat them alike; user/spans.hpp
// says what takes precedence. segmenter/atoms/ describes each kind; tests/reference/atoms.py has the
// same rules as regular expressions.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "atoms/time.hpp"
#include "compiler.hpp"

namespace segmenter {

class AtomFinder : public AtomTime {
 public:
  // Fills `found`; false if there is none.
  bool find(const AtomRules& rules, const Lexicon& lex, const Text& text) {
    found.clear();
    steps = 0;
    if (!(rules.any || rules.patterns.any()) || text.n == 0) return false;
    rules_ = &rules;
    lex_ = &lex;
    text_ = text;
    n_ = uint32_t(text.n);
    done_ = 0;
    closing_ = n_;
    if (rules.any) text.cells([&](const auto* cells) { scan(cells); });
    if (rules.patterns.any()) add_patterns();
    return !found.empty();
  }

 private:
  std::vector<AtomFound> matched_, merged_;

  // Adds the patterns' leftmost, then longest matches; atoms that overlap one are dropped.
  void add_patterns() {
    const PatternAutomaton& p = rules_->patterns;
    matched_.clear();
    size_t at = 0;  // the first atom that ends after k
    uint32_t looked = Interrupt::kEvery;
    for (uint32_t k = 0; k < n_;) {
      if (k >= looked) {
        Interrupt::look();
        looked = k + Interrupt::kEvery;
      }
      uint32_t state = 1, end = 0, number = 0;
      for (uint32_t i = k; i < n_ && i - k < PatternAutomaton::kLongest; ++i, ++steps) {
        const uint32_t c = cp(i);
        if (c == '\n' || c == '\r' || !(state = p.next(state, c))) break;
        if (p.accepts[state] && stands_free(k, i + 1)) {
          end = i + 1;
          number = p.accepts[state] - 1;
        }
      }
      ++steps;
      while (at < found.size() && found[at].end <= k) ++at;
      if (end) {  // does not cut a grapheme cluster
        size_t i = at;
        while (i < found.size() && found[i].end < end) ++i;
        auto parted = [&](size_t j, uint32_t where) {
          return j < found.size() && found[j].name == kAtomEmoji && found[j].start < where &&
                 where < found[j].end;
        };
        if (parted(at, k) || parted(i, end)) end = 0;
      }
      if (end) matched_.push_back(AtomFound{k, end, kAtomNames, kAtomKeep, kKindPattern, number});
      k = end ? end : k + 1;
    }
    if (matched_.empty()) return;
    merged_.clear();
    size_t m = 0;
    for (const AtomFound& a : found) {
      while (m < matched_.size() && matched_[m].end <= a.start) merged_.push_back(matched_[m++]);
      if (m == matched_.size() || matched_[m].start >= a.end) merged_.push_back(a);
    }
    merged_.insert(merged_.end(), matched_.begin() + std::ptrdiff_t(m), matched_.end());
    found.swap(merged_);
  }

  // Whether [s, e) neither begins nor ends inside a run of letters and digits or before a combining
  // mark.
  bool stands_free(uint32_t s, uint32_t e) const {
    auto run = [&](uint32_t k) { return is_alnum(cls(k)); };
    if (e < n_ && (grapheme_bits(cp(e)) & kGraphExtend || (run(e) && run(e - 1)))) return false;
    return begins_line(s) || !((run(s) && (run(s - 1) || cls(s - 1) == kExtend)) ||
                               grapheme_bits(cp(s)) & kGraphExtend);
  }

  // A line starts like a text: whether lines are cut alone or together changes nothing.
  bool begins_line(uint32_t k) const { return k == 0 || cp(k - 1) == '\n' || cp(k - 1) == '\r'; }

  template <class Char>
  void scan(const Char* t) {
    uint32_t k = 0;
#if SEGMENTER_SSE4
    if (!rules_->by_bits) {
      auto stops = [&](uint32_t from, uint32_t mask) {
        for (; mask; mask &= mask - 1) {
          uint32_t at = from + uint32_t(__builtin_ctz(mask));
          if (at >= done_ && rules_->trigger(t[at])) stop_at(at);
        }
      };
      for (; k + 16 <= n_; k += 16) {
        if (k % Interrupt::kEvery == 0 && k) Interrupt::look();
        if (uint32_t mask = triggers(t + k)) stops(k, mask);
      }
      if (k < n_ && n_ >= 16) {  // the rest, overlapping what was seen
        stops(n_ - 16, triggers(t + n_ - 16) & (0xFFFFu << (16 - (n_ - k))));
        k = n_;
      }
    }
#endif
    for (; k < n_; ++k)
      if (rules_->trigger(t[k]) && k >= done_) stop_at(k);
    steps += n_ / 16;
  }

#if SEGMENTER_SSE4
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
    const __m128i* at = reinterpret_cast<const __m128i*>(t);
    parts(_mm_loadu_si128(at), _mm_loadu_si128(at + 1), low, high);
  }

  static void load16(const uint32_t* t, __m128i& low, __m128i& high) {
    alignas(16) uint16_t narrow[16];
    for (int i = 0; i < 16; ++i) narrow[i] = t[i] > 0xFFFF ? 0xFFFF : uint16_t(t[i]);
    load16(narrow, low, high);
  }

  // One bit per position that may be a trigger. For the four pages this is exact except for their
  // upper halves; on other pages every character that is neither Han nor Hangul counts.
  template <class Char>
  uint32_t triggers(const Char* t) const {
    const AtomRules& r = *rules_;
    __m128i low, high;
    load16(t, low, high);
    const __m128i nibble = _mm_set1_epi8(15);
    const __m128i at = _mm_and_si128(low, nibble);
    const __m128i bit =
        _mm_shuffle_epi8(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128),
                         _mm_and_si128(_mm_srli_epi16(low, 4), nibble));
    auto set = [&](int p) {
      return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(r.sets[p])), at);
    };
    __m128i wanted = set(0), plain = _mm_cmpeq_epi8(high, _mm_setzero_si128());
    wanted = _mm_and_si128(wanted, plain);
    if (sizeof(Char) > 1) {
      for (int p = 1; p < 4; ++p) {
        const __m128i here = _mm_cmpeq_epi8(high, _mm_set1_epi8(char(AtomRules::pages()[p])));
        wanted = _mm_or_si128(wanted, _mm_and_si128(set(p), here));
        plain = _mm_or_si128(plain, here);
      }
      // Han, 34 to 9F: unsigned high - 34 <= 6B; Hangul, AC to D6
      const __m128i han =
          _mm_subs_epu8(_mm_sub_epi8(high, _mm_set1_epi8(0x34)), _mm_set1_epi8(0x6B));
      const __m128i hangul =
          _mm_subs_epu8(_mm_sub_epi8(high, _mm_set1_epi8(char(0xAC))), _mm_set1_epi8(0x2A));
      plain = _mm_or_si128(plain, _mm_cmpeq_epi8(_mm_min_epu8(han, hangul), _mm_setzero_si128()));
    }
    const __m128i none = _mm_cmpeq_epi8(_mm_and_si128(wanted, bit), _mm_setzero_si128());
    return uint32_t(_mm_movemask_epi8(_mm_and_si128(none, plain))) ^ 0xFFFF;
  }
#endif

  void stop_at(uint32_t k) {
    ++steps;
    const uint32_t c = cp(k);
    const uint8_t f = fold_at(k);
    if (f) {
      const uint8_t a = f & 0x7F;
      if (atoms::has(a, atoms::kJoint)) {
        // a joint must join something; or it is :// or ::
        const uint8_t next = far(k + 1);
        const bool joins = atoms::alnum(next) && atoms::alnum(far(k - 1));
        if (!joins && !(a == ':' && (next == '/' || next == ':'))) return;
      }
      read_chunk(k);
      return;
    }
    if (c < 0x80) return;
    for (char32_t numeral : atoms::kNumerals)
      if (c == numeral) {
        han_number(k);
        return;
      }
    if (rules_->on(kAtomEmoji)) read_cluster(k);
  }

  void read_cluster(uint32_t k) {
    const uint8_t bits = grapheme_bits(cp(k));
    if (!(bits & (kGraphExtend | kGraphPrepend | kGraphRegional | kGraphEmoji))) return;
    uint32_t s = k;
    if (bits & kGraphExtend && s > (found.empty() ? 0 : found.back().end) &&
        !(grapheme_bits(cp(s - 1)) & kGraphControl))
      --s;
    uint32_t e = cluster_end([&](uint32_t i) { return cp(i); }, s, n_, steps);
    if (e <= k) e = k + 1;
    done_ = e;
    bool shaped = bits & kGraphEmoji, odd = false, keycap = false;
    const CharClass first = cls(s);
    for (uint32_t i = s + 1; i < e; ++i) {
      const uint32_t c = cp(i);
      shaped |=
          c == kEmojiStyle || (grapheme_bits(c) & (kGraphPicture | kGraphRegional | kGraphEmoji));
      keycap |= c == kKeycap;
      odd |= cls(i) != kExtend;
    }
    shaped |= grapheme_bits(cp(s)) & kGraphEmoji;
    keycap &= atoms::digit(far(s)) || atoms::one_of(far(s), "#*");  // 1️⃣ is not a digit of a number
    const bool run = is_alnum(first) || is_script(first) || first == kHanNum;
    shaped &= !run && grapheme_bits(cp(s)) & (kGraphPicture | kGraphRegional);
    if (keycap || shaped) {
      put(s, e, kAtomEmoji, kKindEmoji);
    } else if (run) {
      if (odd) widen(s, e, first);
    } else if (e - s > 1 && (odd || first == kBlank)) {
      put(s, e, kAtomEmoji, kCluster);
    }
  }

  // A letter with marks that no class covers: the run of letters around it becomes the span.
  void widen(uint32_t s, uint32_t e, CharClass c) {
    const uint32_t floor = found.empty() ? 0 : found.back().end;
    auto same = [&](uint32_t k) {
      CharClass x = cls(k);
      return (is_alnum(x) && is_alnum(c)) || x == c || x == kExtend ||
             grapheme_bits(cp(k)) & kGraphExtend;
    };
    while (s > floor && same(s - 1)) --s, ++steps;
    while (e < n_ && same(e)) ++e, ++steps;
    done_ = e;
    put(s, e, kAtomEmoji, is_alnum(c) ? kLatinRun : c == kHanNum ? kCluster : kScriptRun);
  }

  void read_chunk(uint32_t k) {
    uint32_t a = k, b = k;
    while (a > done_ && fold_at(a - 1)) --a;
    chunk_.clear();
    base_ = a;
    for (b = a; b < n_; ++b) {
      uint8_t f = fold_at(b);
      if (!f) break;
      chunk_.push_back(f);
      if (chunk_.size() % Interrupt::kEvery == 0) Interrupt::look();
    }
    size_ = b - a;
    steps += size_;
    no_email_ = no_domain_ = 0;
    uint32_t p = 0, looked = Interrupt::kEvery;
    while (p < size_) {
      if (p >= looked) {
        Interrupt::look();
        looked = p + Interrupt::kEvery;
      }
      uint32_t e = 0;
      const uint8_t c = at(p);
      if (c == '@' && rules_->on(kAtomMention)) e = mention(p);
      else if (c == '#') e = hashtag(p);
      else if (c == ':' && at(p + 1) == ':' && rules_->on(kAtomIp)) e = take_ip6(p);
      else if (an(p)) e = read_run(p);
      if (e <= p) e = an(p) ? run_end(p) : p + 1;
      p = e;
    }
    done_ = std::max(done_, base_ + p);
  }

  // The atom that begins with the run of letters and digits at p: its end, 0 if there is none.
  uint32_t read_run(uint32_t p) {
    const uint32_t q = run_end(p);
    uint32_t e;
    steps += q - p;
    if (rules_->on(kAtomUrl) && (e = url(p, q)) && take(kAtomUrl, p, e)) return e;
    if (rules_->on(kAtomEmail) && (e = email(p)) && take(kAtomEmail, p, e)) return e;
    if (rules_->on(kAtomIp) && (e = ip6(p)) && take(kAtomIp, p, e)) return e;
    if (rules_->on(kAtomUrl) && (e = domain(p, q)) && take(kAtomUrl, p, e)) return e;
    if (dg(p)) {
      e = number_like(p, q);
      if (e) return e;
    } else if ((at(p) | 0x20) == 'v' && dg(p + 1) && rules_->on(kAtomVersion)) {
      if ((e = version(p + 1, 2)) && take(kAtomVersion, p, e)) return e;
    }
    if (rules_->on(kAtomCode) && (e = code(p, q)) && take(kAtomCode, p, e)) return e;
    if (rules_->on(kAtomCode) && (e = standard(p, q)) && take(kAtomCode, p, e)) return e;
    if (rules_->on(kAtomLatin) && (e = latin(p, q)) && take(kAtomLatin, p, e)) return e;
    return 0;
  }
};

}  // namespace segmenter
