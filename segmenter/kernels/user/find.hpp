// Finds the user's words in a text and decides which of them apply; see user/tables.hpp.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "atoms/rules.hpp"
#include "capacity.hpp"
#include "compiler.hpp"
#include "numbers.hpp"
#include "spans/edits.hpp"
#include "user/tables.hpp"

namespace segmenter {

// --- finding -------------------------------------------------------------------------------------

class UserFinder {
 public:
  UserEdits edits;
  uint64_t steps = 0;

  // Every live entry of force and prefer that stands in the text and may apply, by start.
  const std::vector<UserMatch>& fixed() const { return fixed_; }

  // Fills `edits`; false if no entry stands in the text. `by_lines`: words contain no line end.
  // `tagged`: weighted entries with blanks, which a tagger cannot score, are preferred instead.
  // `atoms`: of the same text, or null: preferred words do not cut their grapheme clusters.
  bool find(const UserDictionary& dict, const Lexicon& lex, const Text& text, bool by_lines,
            bool tagged, const std::vector<AtomFound>* atoms) {
    dict_ = &dict;
    lex_ = &lex;
    text_ = text;
    n_ = uint32_t(text.n);
    atoms_ = atoms;
    by_lines_ = by_lines;
    tagged_ = tagged;
    any_ = false;
    folded_as_ = 0;
    forget();
    for (const UserLayer& layer : dict.layers)
      for (uint32_t f = 0; f < kUserFields; ++f)
        if (layer.field[f].there) {
          layer_ = &layer;
          layer_number_ = uint32_t(&layer - dict.layers.data());
          if (f == 0) {
            text.cells([&](const auto* cells) { scan(f, cells); });
          } else {
            fold_text(f);
            scan(f, static_cast<const uint32_t*>(folded_.data()));
          }
        }
    if (fixed_.empty() && !any_) return false;
    choose_spans();
    return true;
  }

  // For a text in which no words of the user stand.
  void forget() {
    edits.clear();
    fixed_.clear();
  }

  // Writes the weighted words by start and end: one per span of characters, none that a span rules
  // out.
  void prune_edges() {
    std::vector<UserEdge>& edges = edits.edges;
    if (edges.empty()) return;
    sort(edges);
    size_t m = 0, at = 0;
    for (const UserEdge& e : edges) {
      while (at < edits.spans.size() && edits.spans[at].end <= e.start) ++at;
      if (at < edits.spans.size() && edits.spans[at].start < e.end) continue;
      if (m && edges[m - 1].start == e.start && edges[m - 1].end == e.end) continue;
      edges[m++] = e;
      edits.reach = std::max(edits.reach, e.end - e.start);
    }
    edges.resize(m);
  }

 private:
  static constexpr size_t kBlockOfText = 1024;
  const UserDictionary* dict_ = nullptr;
  const UserLayer* layer_ = nullptr;
  const Lexicon* lex_ = nullptr;
  Text text_;
  const std::vector<AtomFound>* atoms_ = nullptr;
  uint32_t n_ = 0, layer_number_ = 0, folded_as_ = 0;
  bool by_lines_ = false, tagged_ = false, any_ = false;
  std::vector<uint32_t> folded_;
  Capacity capacity_;  // of sums_ and powers_
  std::vector<uint64_t> sums_, powers_;
  const void* sums_of_ = nullptr;
  std::vector<UserMatch> fixed_;
  std::vector<uint32_t> order_, sorted_, count_, winner_, before_;
  std::vector<uint8_t> taken_;
  uint32_t list_[kBlockOfText + 1];
  uint64_t found_[kBlockOfText + 1];
  struct Short {
    uint32_t k, length, word;
  };
  struct Candidate {
    uint64_t key;
    uint32_t k, length, word;
  };
  static constexpr size_t kMostCandidates = 256;
  size_t n_candidates_ = 0, n_short_ = 0;
  Candidate candidates_[kMostCandidates];
  Short short_[kMostCandidates];

  uint32_t cp(uint32_t k) const { return text_[k]; }
  CharClass cls(uint32_t k) const { return lex_->char_class(lex_->map.id(cp(k))); }

  void fold_text(uint32_t f) {
    if (folded_as_ == f) return;
    folded_as_ = f;
    if (folded_.size() < n_) folded_.resize(n_);
    const FoldTable& fold = dict_->fold[f];
    for (uint32_t k = 0; k < n_; ++k) folded_[k] = fold(cp(k));
    steps += n_;
  }

  // Entries of one and two characters are read off tables. What may be a longer one is noted, and
  // decided for many positions together, see decide().
  template <class Char>
  SEGMENTER_NOINLINE void scan(uint32_t f, const Char* t) {
    const UserField& field = layer_->field[f];
    const ShortWords& shorts = *field.shorts;
    sums_of_ = nullptr;
    n_short_ = n_candidates_ = 0;
    for (size_t from = 0; from < n_; from += kBlockOfText) {
      const size_t to = std::min<size_t>(n_, from + kBlockOfText);
      size_t m = sift(field, t, from, to);
      if (!shorts.most_pairs) m = sift_again(field, t, m);
      for (size_t i = 0; i < m; ++i) {
        const uint32_t k = list_[i];
        found_[i] = user::pair(t[k], t[k + 1]);
        const size_t home = user::head_home(found_[i], field.head_shift);
        __builtin_prefetch(field.heads + home);
        __builtin_prefetch(shorts.pairs.data() + home);
      }
      uint32_t at = uint32_t(from);
      for (size_t i = 0; i < m; ++i) {
        const uint32_t k = list_[i];
        if (field.singles) singles(f, field, t, at, k + 1);
        at = k + 1;
        const size_t place = head_place(field, found_[i]);
        const uint64_t head = field.heads[place];
        if (head >> 22 != found_[i]) continue;
        // a hostile file may promise an entry that it does not have
        if (head & 1 && shorts.pairs[place] != kNoWord) note(f, field, t, k, 2, shorts.pairs[place]);
        const uint32_t longer = uint32_t(head) & 0x3FFFFE;
        if (longer && k + 2 < n_ && begins_longer(field, t + k)) walk(f, field, t, k, longer);
      }
      if (field.singles) singles(f, field, t, at, uint32_t(to));
      steps += m;
    }
    decide(f, field, t);
    steps += n_;
  }

  // Appends the positions of [from, to) whose pair of characters may begin an entry.
  template <class Char>
  size_t sift(const UserField& field, const Char* t, size_t from, size_t to) {
    const uint32_t* __restrict filter = field.filter;
    const uint32_t shift = field.filter_shift;
    uint32_t* __restrict list = list_;
    size_t m = 0, k = from, stop = std::min<size_t>(to, n_ - 1);
#if defined(__GNUC__)
#pragma GCC unroll 8
#endif
    for (; k < stop; ++k) {
      list[m] = uint32_t(k);
      m += passes(filter, shift, two_at(t + k));
    }
    return m;
  }
  static uint32_t passes(const uint32_t* filter, uint32_t shift, uint32_t two) {
    const uint32_t h = user::filter_hash(two) >> shift;
    return filter[h >> 5] >> (h & 31) & 1;
  }

  // Keeps the positions where an entry may begin by two or three characters.
  template <class Char>
  size_t sift_again(const UserField& field, const Char* t, size_t n) {
    const uint32_t* __restrict threes = field.threes;
    const uint32_t shift = field.three_shift;
    uint32_t* __restrict list = list_;
    auto passes = [&](uint32_t h) { return threes[h >> shift >> 5] >> (h >> shift & 31) & 1; };
    size_t m = 0;
    for (size_t i = 0; i < n; ++i) {
      uint32_t k = list[i], first = t[k], second = t[k + 1];
      uint32_t third = k + 2 < n_ ? uint32_t(t[k + 2]) : kNoChar;
      list[m] = k;
      m += passes(user::three_hash(first, second, kNoChar)) |
           passes(user::three_hash(first, second, third));
    }
    steps += n;
    return m;
  }
  // Whether an entry of three or more characters may begin with these.
  template <class Char>
  static bool begins_longer(const UserField& field, const Char* t) {
    const uint32_t h = user::three_hash(t[0], t[1], t[2]) >> field.three_shift;
    return field.threes[h >> 5] >> (h & 31) & 1;
  }

  // The characters of [from, to) that are entries.
  template <class Char>
  void singles(uint32_t f, const UserField& field, const Char* t, uint32_t from, uint32_t to) {
    for (uint32_t k = from; k < to; ++k) {
      const uint32_t c = t[k];
      uint32_t word = kNoWord;
      if (sizeof(Char) <= 2 || c < 0x10000) {
        word = field.shorts->of(c);
      } else {
        const uint32_t id =
            layer_->look_up(field, dict_->fold[f], user::key_of(user::next(0, c), 1), 1,
                            [&](uint32_t) { return c; });
        if (id != kNoWord) word = with_flags(id);
      }
      if (word != kNoWord) note(f, field, t, k, 1, word);
    }
  }
  uint32_t with_flags(uint32_t id) const { return uint32_t(layer_->flags[id]) << 24 | id; }

  // Entries of three or more characters that begin at k.
  template <class Char>
  void walk(uint32_t f, const UserField& field, const Char* t, uint32_t k, uint32_t lengths) {
    uint64_t h = user::next(user::next(0, t[k]), t[k + 1]);
    uint32_t left = n_ - k;
    for (uint32_t length = 3, bits = (lengths & (kHeadLong - 1)) >> (3 - kShortest); bits;
         ++length, bits >>= 1) {
      if (length > left) return;
      h = user::next(h, t[k + length - 1]);
      if (bits & 1) consider(f, field, t, k, length, h);
    }
    if (!(lengths & kHeadLong) || left <= kStem || !field.stems) return;
    walk_long(f, field, t, k);
  }
  template <class Char>
  SEGMENTER_NOINLINE void walk_long(uint32_t f, const UserField& field, const Char* t, uint32_t k) {
    const uint32_t left = n_ - k;
    sum_up(t);
    uint64_t key = user::mix(hash_of(k, kStem)) | 1;
    const size_t slot = probe(size_t(key >> 20) & field.stem_mask, field.stem_mask, [&](size_t at) {
      return field.stems[at] == key || !field.stems[at];
    });
    if (!field.stems[slot]) return;
    uint32_t first = field.stem_of[2 * slot], count = field.stem_of[2 * slot + 1];
    for (uint32_t i = first; i < first + count && field.lengths[i] <= left; ++i)
      consider(f, field, t, k, field.lengths[i], hash_of(k, field.lengths[i]));
  }

  // Notes that the characters [k, k + length), whose hash is h, may be an entry.
  template <class Char>
  void consider(uint32_t f, const UserField& field, const Char* t, uint32_t k, uint32_t length,
                uint64_t h) {
    if (n_candidates_ == kMostCandidates) decide(f, field, t);
    const uint64_t key = user::key_of(h, length);
    __builtin_prefetch(field.words + (key >> field.word_shift));
    candidates_[n_candidates_++] = Candidate{key, k, length, 0};
  }

  // Notes an entry of one or two characters.
  template <class Char>
  void note(uint32_t f, const UserField& field, const Char* t, uint32_t k, uint32_t length,
            uint32_t word) {
    if (n_short_ == kMostCandidates) decide(f, field, t);
    short_[n_short_++] = Short{k, length, word};
  }

  // Takes, in order, the entries that were noted and the candidates that are entries: which entry each
  // would be, whether it has the same text, what it says. Each pass asks for the memory of the next,
  // so that the misses of many positions overlap.
  template <class Char>
  SEGMENTER_NOINLINE void decide(uint32_t f, const UserField& field, const Char* t) {
    const UserLayer& layer = *layer_;
    size_t m = 0;
    for (size_t i = 0; i < n_candidates_; ++i) {
      Candidate c = candidates_[i];
      c.word =
          field.words[probe(size_t(c.key >> field.word_shift), field.word_mask, [&](size_t at) {
            const uint32_t w = field.words[at];
            return w == kNoWord || w >> 24 == uint32_t(c.key & 0xFF);
          })];
      const bool there = c.word != kNoWord;
      const uint32_t id = there ? c.word & 0xFFFFFF : 0;
      __builtin_prefetch(layer.offsets + id);
      __builtin_prefetch(layer.flags + id);
      candidates_[m] = c;
      m += there;
    }
    for (size_t i = 0; i < m; ++i) layer.prefetch(candidates_[i].word & 0xFFFFFF);
    const FoldTable& fold = dict_->fold[f];
    // most entries only become spans
    const bool simple =
        !layer.n_dead && !atoms_ && text_.width == 2 && !(by_lines_ && layer.line_ends);
    const uint32_t kind = kNotCanonical | kind_bits(kUserWord + layer_number_);
    const size_t known = fixed_.size();
    fixed_.resize(known + n_short_ + m);
    UserMatch* to = fixed_.data() + known;
    auto put = [&](uint32_t word, uint32_t s, uint32_t e) {
      const uint32_t level = word >> 24 & 7;
      if (level <= kPrefer && simple && among_han(s, e)) {
        *to++ = UserMatch{s, e, kind | (word & 0xFFFFFF), uint8_t(level)};
      } else if (UserMatch match; take(word, s, e, match)) {
        *to++ = match;
      }
    };
    size_t next = 0;
    auto take_short = [&](uint32_t before) {
      for (; next < n_short_ && short_[next].k < before; ++next)
        put(short_[next].word, short_[next].k, short_[next].k + short_[next].length);
    };
    for (size_t i = 0; i < m; ++i) {
      const Candidate& c = candidates_[i];
      auto at = [&](uint32_t i) { return uint32_t(t[c.k + i]); };
      uint32_t id = c.word & 0xFFFFFF;
      if (!layer.is(id, fold, c.length, at))  // another one has the same eight bits
        id = layer.look_up(field, fold, c.key, c.length, at);
      if (id == kNoWord) continue;
      take_short(c.k + 1);
      put(with_flags(id), c.k, c.k + c.length);
    }
    take_short(n_);
    fixed_.resize(size_t(to - fixed_.data()));
    steps += n_candidates_ + n_short_;
    n_candidates_ = n_short_ = 0;
  }

  // Prefix sums of the text, for substrings of any length.
  template <class Char>
  void sum_up(const Char* t) {
    if (sums_of_ == t) return;
    sums_of_ = t;
    capacity_.grow(size_t(n_) + 1, size_t(n_) + 1, [&](size_t size) {
      sums_.resize(size);
      powers_.resize(size);
    });
    sums_[0] = 0;
    powers_[0] = 1;
    for (uint32_t k = 0; k < n_; ++k) {
      sums_[k + 1] = user::next(sums_[k], t[k]);
      powers_[k + 1] = powers_[k] * user::kBase;
    }
    steps += n_;
  }
  uint64_t hash_of(uint32_t k, uint32_t length) const {
    return sums_[k + length] - sums_[k] * powers_[length];
  }

  // Takes the entry at [s, e), if it applies; true if it may become a span, which is then written.
  SEGMENTER_NOINLINE bool take(uint32_t word, uint32_t s, uint32_t e, UserMatch& match) {
    const uint8_t flags = uint8_t(word >> 24);
    const uint32_t id = word & 0xFFFFFF;
    UserLevel level = user_level(flags);
    if (layer_->is_dead(id)) return false;
    if (by_lines_ && layer_->line_ends && takes_line_end(s, e)) return false;
    any_ = true;
    if (level == kDelete) {
      edits.cuts.push_back(UserEdge{s, e, 0, 0});
      return false;
    }
    const bool plain = among_han(s, e);
    if (!plain && !(flags & kUserInside) && inside_run(s, e)) return false;
    if (level == kWeighted && tagged_ && !(plain && e - s < 3) && has_blank(s, e)) level = kPrefer;
    uint32_t what = kNotCanonical | kind_bits(kUserWord + layer_number_) | id;
    if (level == kWeighted) {
      edits.edges.push_back(UserEdge{s, e, tagged_ ? gain(id) : cost(id), what});
      return false;
    }
    if (level == kPrefer && !(plain && !atoms_) && breaks_cluster(s, e)) return false;
    if (level > kPrefer) return false;  // of a hostile file
    match = UserMatch{s, e, what, level};
    return true;
  }

  uint32_t cost(uint32_t id) const {
    int64_t c = int64_t(dict_->log_mass) + layer_->logs[id];
    return uint32_t(std::min<int64_t>(std::max<int64_t>(c, 0), kMaxCost));
  }
  uint32_t gain(uint32_t id) const {
    double nats = 1.0 - double(layer_->logs[id]) / 2048.0;  // 1 + ln weight
    double units = nats * dict_->gain;
    return uint32_t(std::lround(std::min(std::max(units, 0.0), 1e6)));
  }

  bool takes_line_end(uint32_t s, uint32_t e) const {
    for (uint32_t k = s; k < e; ++k)
      if (cp(k) == '\n') return true;
    return cp(e - 1) == '\r' && e < n_ && cp(e) == '\n';
  }
  // Most characters are Han: neither blanks nor letters, digits or marks.
  static bool is_han(uint32_t c) { return c - 0x4E00u < 0x5200; }
  // Whether the characters at both ends are Han and those beside them no marks: for most words, which are
  // then in no run and part no cluster.
  bool among_han(uint32_t s, uint32_t e) const {
    if (text_.width != 2) return false;
    const uint16_t* const t = static_cast<const uint16_t*>(text_.data);
    if (!is_han(t[s]) || !is_han(t[e - 1]) || (s > 0 && t[s - 1] == 0x200D)) return false;
    if (e == n_ || is_han(t[e])) return true;
    // ASCII, and signs as in 。，
    return t[e] < 0x80 || t[e] - 0x3001u < 0x11 || t[e] - 0xFF01u < 0x5E;
  }
  bool has_blank(uint32_t s, uint32_t e) const {
    for (uint32_t k = s; k < e; ++k)
      if (!is_han(cp(k)) && is_blank(cls(k))) return true;
    return false;
  }

  // Whether one of its ends lies inside a run of letters and digits, or inside a number.
  bool inside_run(uint32_t s, uint32_t e) const {
    // at an end: the entry's character, the one beside it, the one beyond
    auto goes_on = [&](uint32_t k, uint32_t beside, uint32_t beyond) {
      if (beside >= n_ || is_han(cp(k))) return false;
      const CharClass c = cls(k);
      if (c != kGreek && c != kCyrillic && !is_alnum(c)) return false;
      const CharClass next = cls(beside);
      const bool joins = next == kPoint || next == kColon || next == kComma;
      return one_run(c, next) || (c == kDigit && joins && beyond < n_ && cls(beyond) == kDigit);
    };
    return goes_on(s, s - 1, s - 2) || goes_on(e - 1, e, e + 1);
  }
  bool breaks_cluster(uint32_t s, uint32_t e) const {
    // a boundary before k would separate a character from its marks
    auto parted = [&](uint32_t k) {
      if (!is_han(cp(k)) && cls(k) == kExtend) return cls(k - 1) != kLf && cls(k - 1) != kCr;
      return cp(k - 1) == 0x200D && cls(k) != kBlank;
    };
    return (s > 0 && parted(s)) || (e < n_ && parted(e)) || parts_atom(s) || parts_atom(e);
  }

  // Whether a boundary before k would cut one of the atoms' clusters.
  bool parts_atom(uint32_t k) const {
    if (!atoms_) return false;
    auto after = std::upper_bound(atoms_->begin(), atoms_->end(), k,
                                  [](uint32_t at, const AtomFound& a) { return at < a.end; });
    return after != atoms_->end() && after->name == kAtomEmoji && after->start < k;
  }

  // --- which of them win -------------------------------------------------------------------------

  void choose_spans() {
    sort(fixed_);
    edits.spans.reserve(fixed_.size());
    for (size_t i = 0; i < fixed_.size();) {
      size_t j = i + 1;
      uint32_t end = fixed_[i].end;
      for (; j < fixed_.size() && fixed_[j].start < end; ++j) end = std::max(end, fixed_[j].end);
      if (j == i + 1) edits.spans.push_back(fixed_[i]);
      else if (j - i <= 64 && end - fixed_[i].start <= 64) choose_few(i, j);
      else choose_among(i, j, end);
      i = j;
    }
    prune_edges();
    sort(edits.cuts);
  }

  // By start and end; mostly they are in order already.
  template <class Span>
  static void sort(std::vector<Span>& all) {
    auto before = [](const Span& a, const Span& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    };
    if (!std::is_sorted(all.begin(), all.end(), before))
      std::stable_sort(all.begin(), all.end(), before);
  }

  // The same as choose_among() where matches and characters are bits of a word.
  void choose_few(size_t i, size_t j) {
    const UserMatch* const all = fixed_.data() + i;
    const size_t n = j - i;
    const uint32_t base = all[0].start;
    uint64_t of[2][65];  // matches by level and length
    uint32_t longest = 1;
    of[kForce][1] = of[kPrefer][1] = 0;
    for (size_t k = 0; k < n; ++k) {
      const uint32_t length = all[k].end - all[k].start;
      while (longest < length) ++longest, of[kForce][longest] = of[kPrefer][longest] = 0;
      of[all[k].level][length] |= uint64_t(1) << k;
    }
    uint64_t taken = 0, won = 0;
    for (int level = kForce; level <= kPrefer; ++level)
      for (uint32_t length = longest; length; --length) {
        const uint64_t covers = ~uint64_t(0) >> (64 - length);
        for (uint64_t some = of[level][length]; some; some &= some - 1) {
          const uint32_t k = uint32_t(__builtin_ctzll(some)), at = all[k].start - base;
          const uint64_t free = taken >> at & covers ? 0 : ~uint64_t(0);  // no branch
          taken |= covers << at & free;
          won |= uint64_t(1) << k & free;
        }
      }
    for (; won; won &= won - 1) edits.spans.push_back(all[__builtin_ctzll(won)]);
    steps += n;
  }

  // Of the matches [i, j), a chain of overlaps that ends at `end`: force takes precedence over
  // prefer, then the longest wins, then the leftmost.
  void choose_among(size_t i, size_t j, uint32_t end) {
    uint32_t base = fixed_[i].start, size = end - base;
    taken_.assign(size, 0);
    winner_.assign(size, kNoWord);
    before_.assign(size + 1, 0);
    for (int level = kForce; level <= kPrefer; ++level) {
      order_.clear();
      for (size_t k = i; k < j; ++k)
        if (fixed_[k].level == level) order_.push_back(uint32_t(k));
      if (order_.empty()) continue;
      by_length();
      for (uint32_t k : order_) {
        uint32_t s = fixed_[k].start - base, e = fixed_[k].end - base;
        // words taken at this level are no shorter, so an overlapping one covers an end of this
        if (taken_[s] || taken_[e - 1] || before_[e] != before_[s]) continue;
        std::fill(taken_.begin() + s, taken_.begin() + e, uint8_t(1));
        winner_[s] = k;
      }
      if (level == kForce)
        for (uint32_t k = 0; k < size; ++k) before_[k + 1] = before_[k] + taken_[k];
      steps += order_.size();
    }
    for (uint32_t k = 0; k < size; ++k)
      if (winner_[k] != kNoWord) edits.spans.push_back(fixed_[winner_[k]]);
    steps += size;
  }

  // Sorts order_ by length, longest first; equal lengths keep their order.
  void by_length() {
    auto length = [&](uint32_t k) { return fixed_[k].end - fixed_[k].start; };
    uint32_t most = 0;
    for (uint32_t k : order_) most = std::max(most, length(k));
    count_.assign(most + 2, 0);
    for (uint32_t k : order_) ++count_[most - length(k) + 1];
    for (uint32_t l = 0; l <= most; ++l) count_[l + 1] += count_[l];
    sorted_.resize(order_.size());
    for (uint32_t k : order_) sorted_[count_[most - length(k)]++] = k;
    order_.swap(sorted_);
  }
};

}  // namespace segmenter
