// The scores of the tags at every character of a stretch (the emissions of a CRF) and the linear
// tagger that writes them: records of pairs in a sliding window, words by a walk of the trie, then
// the states of the lexicon. What was found on the way, the place of every pair and the longest word
// from there, tells later what the words of the path are.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "capacity.hpp"
#include "compiler.hpp"
#include "interrupt.hpp"
#include "tagging/model.hpp"
#include "tagging/text.hpp"
#include "spans/edits.hpp"

namespace segmenter {

// Scorers write them; the Viterbi search, the margins and the n best read them.
struct Emissions {
  uint32_t n = 0;
  const uint8_t* marks = nullptr;  // [n]: before each character; the first has no effect
  int16_t* four = nullptr;         // [n][4], relative to tag S
  int32_t* six = nullptr;          // [n][6], of models with six tags
  // Lexicon states whose weights are not in `four` yet, [n][16]; null: all are. The search adds
  // them, because its steps spend time waiting for the one before.
  const uint8_t* states = nullptr;
  bool portable = false;  // read without vector instructions, for tests

  // Those of `count` positions from `first` on.
  Emissions part(uint32_t first, uint32_t count) const {
    Emissions out = *this;
    out.n = count;
    out.marks += first;
    if (four) out.four += 4 * size_t(first);
    if (six) out.six += 6 * size_t(first);
    if (states) out.states += 16 * size_t(first);
    return out;
  }

  // What the search adds up at position j: kTagNever for tags that the mark forbids.
  template <int T>
  void at(uint32_t j, int32_t* to) const {
    const uint8_t mark = j ? marks[j] & 3 : 0;
    for (int t = 0; t < T; ++t) {
      const bool opens = Tags<T>::begins(t);
      const bool barred = mark & kMarkCut ? !opens : mark & kMarkJoin ? opens : false;
      const int32_t sum = T == 4 ? four[4 * size_t(j) + size_t(t)] : six[size_t(j) * T + size_t(t)];
      to[t] = sum + (barred ? kTagNever : 0);
    }
  }
};

inline int16_t saturated(int64_t v) {
  return int16_t(std::min<int64_t>(std::max<int64_t>(v, -32768), 32767));
}

// Lexicon states: at every position, by group of the lexicon's words, the longest word that begins
// here, that goes on here and that ends here, each in steps of 0 (none) to 5. Each combination has
// weights of its own.
class LexiconStates {
 public:
  static constexpr size_t kBytes = 16;  // of a position: [group][begins, goes on, ends, unused]

  void reserve(size_t n) {
    if (bytes_.size() < (n + 2) * kBytes) bytes_.resize((n + n / 2 + 16) * kBytes);
  }
  void clear(size_t n) { std::memset(bytes_.data(), 0, n * kBytes); }
  uint8_t* data() { return bytes_.data(); }
  const uint8_t* at(size_t j) const { return bytes_.data() + kBytes * j; }

  // Notes a word of `len` characters that begins at j and belongs to the groups of a bit mask.
  template <bool kVector>
  void note(uint32_t j, uint32_t len, uint32_t groups) {
    if (!groups) return;
    const uint32_t step = std::min(len, 6u) - 1;
    uint8_t* at = bytes_.data() + size_t(j) * kBytes;
#if SEGMENTER_SSE4
    if constexpr (kVector) {
      const auto& of = patterns().of[groups][step];
      for (uint32_t k = 0; k < len; ++k, at += kBytes) {
        const uint8_t* what = of[k == 0 ? 0 : k + 1 == len ? 2 : 1];
        __m128i* to = reinterpret_cast<__m128i*>(at);
        _mm_storeu_si128(to, _mm_max_epu8(_mm_loadu_si128(to),
                                          _mm_load_si128(reinterpret_cast<const __m128i*>(what))));
      }
      return;
    }
#endif
    for (uint32_t g = 0; g < kTagGroups; ++g) {
      if (!(groups >> g & 1)) continue;
      for (uint32_t k = 0; k < len; ++k) {
        uint8_t& v = at[kBytes * k + 4 * g + (k == 0 ? 0 : k + 1 == len ? 2 : 1)];
        v = std::max(v, uint8_t(step));
      }
    }
  }

  // The row of weights of a group's state, from its bytes.
  static uint32_t code(const uint8_t* of) { return (of[0] * 6u + of[1]) * 6u + of[2]; }

#if SEGMENTER_SSE4
  // The bytes that a word adds to a position: [groups][step][begins, goes on, ends].
  struct Patterns {
    alignas(16) uint8_t of[8][6][3][16];
    alignas(16) uint8_t of_two[8][16];  // where a word of two characters begins: [groups]
    Patterns() {
      std::memset(of, 0, sizeof of);
      for (uint32_t mask = 0; mask < 8; ++mask)
        for (uint32_t step = 0; step < 6; ++step)
          for (uint32_t role = 0; role < 3; ++role)
            for (uint32_t g = 0; g < kTagGroups; ++g)
              if (mask >> g & 1) of[mask][step][role][4 * g + role] = uint8_t(step);
      for (uint32_t mask = 0; mask < 8; ++mask) std::memcpy(of_two[mask], of[mask][1][0], 16);
    }
  };

  static const Patterns& patterns() {
    static const Patterns table;
    return table;
  }

  // The four sums of one position with the weights of its states, of G groups.
  template <int G>
  static __m128i added(__m128i sum, const uint8_t* of, const int16_t* weights) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(of));
    const __m128i codes =
        _mm_madd_epi16(_mm_maddubs_epi16(v, _mm_set1_epi32(0x00010624)), _mm_set1_epi16(1));
    auto row = [&](uint64_t code, uint32_t g) {
      return _mm_loadl_epi64(
          reinterpret_cast<const __m128i*>(weights + (g * size_t(kTagStates) + code) * 4));
    };
    const uint64_t two = uint64_t(_mm_cvtsi128_si64(codes));
    sum = _mm_adds_epi16(sum, row(two & 0xFFFFFFFF, 0));
    if constexpr (G > 1) sum = _mm_adds_epi16(sum, row(two >> 32, 1));
    if constexpr (G > 2) sum = _mm_adds_epi16(sum, row(uint32_t(_mm_extract_epi32(codes, 2)), 2));
    return sum;
  }
#endif

 private:
  std::vector<uint8_t> bytes_;
};

// Sums that rows of weights are added to: four tags that saturate at 16 bits, in plain C++ or a
// vector a row, and six tags of 32 bits.
struct FourSums {
  static constexpr int kTags = 4;
  static constexpr bool kVector = false;
  int16_t* to;
  void add(size_t j, const int16_t* row) const {
    for (size_t t = 0; t < 4; ++t) to[4 * j + t] = saturated(to[4 * j + t] + row[t]);
  }
};

struct SixSums {
  static constexpr int kTags = 6;
  static constexpr bool kVector = false;
  int32_t* to;
  void add(size_t j, const int16_t* row) const {
    for (size_t t = 0; t < 6; ++t) to[6 * j + t] += row[t];
  }
};

#if SEGMENTER_SSE4
struct VectorSums {
  static constexpr int kTags = 4;
  static constexpr bool kVector = true;
  int16_t* to;
  void add(size_t j, const int16_t* row) const {
    __m128i* at = reinterpret_cast<__m128i*>(to + 4 * j);
    _mm_storel_epi64(at, _mm_adds_epi16(_mm_loadl_epi64(at),
                                        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row))));
  }
};
#endif

class LinearScores {
 public:
  struct Found {
    uint32_t slot, length;
  };
  struct Word {
    uint32_t start, length, slot;
  };

  uint64_t steps = 0;

  // Makes room for the positions [origin, origin + n) of a text.
  void reserve(uint32_t origin, size_t n) {
    origin_ = origin;
    const size_t cap = n + 24;
    capacity_.grow(cap, cap + cap / 2, [&](size_t size) {
      auto make = [&](auto& column, size_t items) {  // zeros for a long line take their time
        column.resize(items);
        Interrupt::look(size);
      };
      make(list_, size);
      make(slots_, size);
      make(longest_, size);
      make(sums_, (size + 8) * kTagLanes);
      make(records_, size);
    });
  }

  // Scores the stretch [s, e). The scores are valid until the next call. `words`, unless null, gets
  // all words of three and more characters that the lexicon has here.
  Emissions score(const TaggerModel& m, TaggedText& text, uint32_t s, uint32_t e, bool portable,
                  std::vector<Word>* words = nullptr) {
    const TaggedText::EndsAt end(text, e);
    const Stretch in{m, text.ids + s, s, e - s, words};
    int16_t* const four = sums_.data() + kFirst;
    Emissions out;
    out.n = in.n;
    out.marks = text.marks.data() + s;
    out.four = four;
    out.portable = portable;
#if SEGMENTER_SSE4
    if (!portable && m.tags == 4) {
      m.groups ? add_pairs_vector<true>(in) : add_pairs_vector<false>(in);
      add_words(in, VectorSums{four});
      if (m.groups) out.states = states_.data();
      return out;
    }
#endif
    add_pairs(in);
    if (m.tags == 6) {
      add_pairs_six(in);
      const SixSums six{six_.data() + 6};
      add_words(in, six);
      if (m.groups) add_states(in, six);
      out.six = six.to;
    } else {
      add_words(in, FourSums{four});
      if (m.groups) add_states(in, FourSums{four});
    }
    return out;
  }

  // Adds the states that are left to the search.
  static void complete(const TaggerModel& m, Emissions& scores) {
#if SEGMENTER_SSE4
    if (!scores.states) return;
    Interrupt::each(scores.n, [&](size_t j) {
      __m128i* const to = reinterpret_cast<__m128i*>(scores.four + 4 * j);
      const uint8_t* const of = scores.states + LexiconStates::kBytes * j;
      __m128i sum = _mm_loadl_epi64(to);
      if (m.groups == 1) sum = LexiconStates::added<1>(sum, of, m.state);
      else if (m.groups == 2) sum = LexiconStates::added<2>(sum, of, m.state);
      else sum = LexiconStates::added<3>(sum, of, m.state);
      _mm_storel_epi64(to, sum);
    });
    scores.states = nullptr;
#endif
  }

  // The record that counts for the pair at a scored position of the text: the pair's own or, if it
  // has none, that of its first character. If it says that words go on (kPairLonger), the longest
  // word of three or more characters from there; length 0: none.
  const int8_t* record(uint32_t k) const { return records_[k - origin_]; }
  const int8_t* const* records_from(uint32_t k) const { return records_.data() + (k - origin_); }
  const Found& longest(uint32_t k) const { return longest_[k - origin_]; }

 private:
  struct Stretch {
    const TaggerModel& m;
    const uint16_t* ids;
    uint32_t s, n;
    std::vector<Word>* words;
  };

  static constexpr size_t kFirst = 4 * kTagLanes;  // sums before it: positions before the first

  uint32_t origin_ = 0;                 // the text's position that records_ and longest_ begin with
  Capacity capacity_;                   // of the columns that reserve() names
  std::vector<const int8_t*> records_;  // see record()
  std::vector<Found> longest_;
  std::vector<int16_t> sums_;    // of the stretch, [4 + n][4]
  std::vector<int32_t> six_;     // the same of six tags, [1 + n][6]
  LexiconStates states_;         // of the stretch
  std::vector<uint32_t> list_;   // positions where words may go on after a pair
  std::vector<uint32_t> slots_;  // where the trie has their third characters
  size_t listed_ = 0;

  // Sums of characters, pairs and types; notes the pairs, the positions where a third character may
  // follow, and the states of words of two characters.
  void add_pairs(const Stretch& in) {
    const TaggerModel& m = in.m;
    const uint16_t* const ids = in.ids;
    const uint32_t n = in.n;
    const int8_t** const records = records_.data() + (in.s - origin_);
    int16_t* const em = sums_.data() + kFirst;
    std::memset(em - 4 * kTagLanes, 0, (size_t(n) + 8) * kTagLanes * sizeof(int16_t));
    const int8_t* pad = m.uni;
    for (uint32_t t = 0; t < 3; ++t) {
      em[t] = saturated(pad[9 + t] + pad[6 + t]);
      em[4 + t] = pad[9 + t];
    }
    listed_ = 0;
    if (m.groups) {
      states_.reserve(n);
      states_.clear(size_t(n) + 1);
    }
    Interrupt::each(n, [&](size_t at) {
      const uint32_t j = uint32_t(at);
      const uint32_t id = ids[j], next = ids[j + 1];
      const int8_t* r = m.pair + size_t(pair_place(m, id, next)) * kTagRecord;
      if ((record_key(r) & kPairKey) != pair_key(id, next)) r = m.uni + size_t(id) * kTagRecord;
      records[j] = r;
      int16_t* to = em + (int64_t(j) - 1) * kTagLanes;
      for (uint32_t p = 0; p < 4; ++p)
        for (uint32_t t = 0; t < 3; ++t) to[4 * p + t] = saturated(to[4 * p + t] + r[3 * p + t]);
      const uint32_t key = record_key(r);
      list_[listed_] = j;
      listed_ += key >> 31;
      if (m.groups) states_.note<false>(j, 2, key >> 28 & 7);
    });
    for (uint32_t t = 0; t < 3; ++t) em[(n - 1) * 4 + t] = saturated(em[(n - 1) * 4 + t] + pad[t]);
    uint32_t code = m.type_of[ids[0]];
    Interrupt::each(n, [&](size_t j) {
      code = (code * 8 + (j + 1 < n ? m.type_of[ids[j + 1]] : 0)) & 511;
      for (uint32_t t = 0; t < 3; ++t)
        em[j * 4 + t] = saturated(em[j * 4 + t] + m.type[code * 4 + t]);
    });
  }

#if SEGMENTER_SSE4
  // What add_pairs_vector carries from one part of a long stretch to the next.
  struct Window {
    __m128i near, far;  // sums of positions j-1, j and of j+1, j+2
    __m128i ended;      // states of words of two characters that end at j
    __m128i kinds;      // what the types add to position j-1
    size_t types;       // of positions j-2, j-1 and j, three bits each
    size_t listed;
  };

  static constexpr uint32_t kPart = 16 * Interrupt::kEvery;  // characters between two looks

  // Bytes into the high halves of 16-bit lanes; zero into the lanes of S.
  static __m128i to_near() {
    return _mm_setr_epi8(-1, 0, -1, 1, -1, 2, -1, -1, -1, 3, -1, 4, -1, 5, -1, -1);
  }

  static __m128i to_far() {
    return _mm_setr_epi8(-1, 6, -1, 7, -1, 8, -1, -1, -1, 9, -1, 10, -1, 11, -1, -1);
  }
  static __m128i spread(__m128i v, __m128i to) {
    return _mm_srai_epi16(_mm_shuffle_epi8(v, to), 8);
  }

  template <bool kGroups>
  void add_pairs_vector(const Stretch& in) {
    if (kGroups) states_.reserve(in.n);
    // All records first: the cache misses of a part overlap, where the window would let only a few
    // be in flight (1.6 times faster).
    const __m128i pad = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in.m.uni));
    const __m128i pad0 = spread(pad, to_near()), pad1 = spread(pad, to_far());
    Window w;
    w.near = _mm_slli_si128(_mm_adds_epi16(_mm_srli_si128(pad1, 8), pad1), 8);
    w.far = _mm_srli_si128(pad1, 8);
    w.ended = w.kinds = _mm_setzero_si128();
    w.types = in.m.type_of[in.ids[0]];
    w.listed = 0;
    for (uint32_t j = 0; j < in.n; j += kPart) {
      if (j) Interrupt::look();
      const uint32_t stop = std::min(in.n, j + kPart);
      find_records(in, j, stop, w.listed);
      slide<kGroups>(in, w, j, stop);
    }
    // after the last character: the sentence's end
    _mm_storel_epi64(
        reinterpret_cast<__m128i*>(sums_.data() + kFirst + (int64_t(in.n) - 1) * kTagLanes),
        _mm_adds_epi16(_mm_adds_epi16(w.near, pad0), w.kinds));
    listed_ = w.listed;
  }

  // Writes the only records that the pairs that begin at [from, to) can have. Pairs that are not in
  // the hot table are listed (in list_, from `room` on), looked up in the other, and prefetched.
  SEGMENTER_NOINLINE void find_records(const Stretch& in, uint32_t from, uint32_t to, size_t room) {
    const PairHash hot = in.m.hot, cold = in.m.cold;
    const int8_t* __restrict pair = in.m.pair;
    const uint16_t* __restrict ids = in.ids;
    const int8_t** __restrict records = records_.data() + (in.s - origin_);
    uint32_t* __restrict list = list_.data() + room;
    uint32_t first = ids[from];
    for (size_t j = from; j < to; ++j) {
      const uint32_t second = ids[j + 1];
      const int8_t* const r = pair + size_t(hot(first, second)) * kTagRecord;
      records[j] = r;
      _mm_prefetch(reinterpret_cast<const char*>(r), _MM_HINT_T0);
      first = second;
    }
    size_t m = 0;
    first = ids[from];
    for (size_t j = from; j < to; ++j) {
      const uint32_t second = ids[j + 1];
      list[m] = uint32_t(j);
      m += ((record_key(records[j]) ^ pair_key(first, second)) & kPairKey) != 0;
      first = second;
    }
    const int8_t* const colder = pair + size_t(hot.n) * kTagRecord;
    for (size_t i = 0; i < m; ++i) {
      const size_t j = list[i];
      const int8_t* const r = colder + size_t(cold(ids[j], ids[j + 1])) * kTagRecord;
      records[j] = r;
      _mm_prefetch(reinterpret_cast<const char*>(r), _MM_HINT_T0);
    }
  }

  // Adds up the records of the pairs that begin at [from, to), in a window of four positions.
  template <bool kGroups>
  SEGMENTER_NOINLINE void slide(const Stretch& in, Window& w, uint32_t from, uint32_t to) {
    const uint16_t* __restrict ids = in.ids;
    const int8_t* __restrict uni = in.m.uni;
    const uint32_t* const longer = in.m.longer;
    const int8_t** __restrict records = records_.data() + (in.s - origin_);
    uint32_t* __restrict list = list_.data();
    uint8_t* __restrict states = states_.data();
    const auto& pattern = LexiconStates::patterns().of_two;
    const int16_t* __restrict type = in.m.type;
    const uint8_t* __restrict type_of = in.m.type_of;
    int16_t* __restrict em = sums_.data() + kFirst - kTagLanes;
    const bool last = to == in.n;
    const __m128i to0 = to_near(), to1 = to_far();
    __m128i near = w.near, far = w.far, ended = w.ended, kinds = w.kinds;
    size_t types = w.types, m = w.listed;
    uint32_t id = ids[from];
    auto step = [&](size_t j, uint32_t next, size_t next_type) {
      const int8_t* r = records[j];
      const uint32_t other = (record_key(r) ^ pair_key(id, next)) & kPairKey;
      records[j] = r = without_branch(other, uni + size_t(id) * kTagRecord, r);
      id = next;
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(r));
      near = _mm_adds_epi16(near, spread(v, to0));
      far = _mm_adds_epi16(far, spread(v, to1));
      // position j-1 is complete except for its types, which are added last: where sums saturate,
      // their order is part of the result
      _mm_storel_epi64(reinterpret_cast<__m128i*>(em + kTagLanes * j), _mm_adds_epi16(near, kinds));
      types = (types * 8 + next_type) & 511;
      kinds = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(type + kTagLanes * types));
      near = _mm_alignr_epi8(far, near, 8);
      far = _mm_srli_si128(far, 8);
      const uint32_t key = record_key(r), longer_ones = key >> 31;
      // for add_words()
      _mm_prefetch(reinterpret_cast<const char*>(longer + (in.m.place(r) & (0 - longer_ones))),
                   _MM_HINT_T0);
      list[m] = uint32_t(j);
      m += longer_ones;
      if (kGroups) {
        const __m128i b = _mm_load_si128(reinterpret_cast<const __m128i*>(pattern[key >> 28 & 7]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(states + 16 * j), _mm_or_si128(b, ended));
        ended = _mm_slli_epi32(b, 16);  // one position on it is the word's end
      }
    };
    const size_t stop = to - uint32_t(last);
    for (size_t j = from; j < stop; ++j) {
      const uint32_t next = ids[j + 1];
      step(j, next, type_of[next]);
    }
    if (last) step(stop, ids[stop + 1], 0);
    w.near = near;
    w.far = far;
    w.ended = ended;
    w.kinds = kinds;
    w.types = types;
    w.listed = m;
  }
#endif

  // Words of three or more characters: first all positions whose third character passes the guard,
  // with the slot where it must be, so that the loads of one loop are independent.
  template <class Sums>
  SEGMENTER_NOINLINE void add_words(const Stretch& in, const Sums sums) {
    const TaggerModel& model = in.m;
    const Trie& trie = model.lex->trie;
    const uint64_t* __restrict units = trie.units;
    const uint32_t* __restrict longer = model.longer;
    const uint16_t* __restrict ids = in.ids;
    uint32_t* __restrict list = list_.data();
    uint32_t* __restrict slots = slots_.data();
    const int8_t* const* __restrict records = records_.data() + (in.s - origin_);
    Found* __restrict found = longest_.data() + (in.s - origin_);
    size_t n = 0;
    Interrupt::each(listed_, [&](size_t i) {
      uint32_t j = list[i], id = ids[j + 2], base = longer[model.place(records[j])];
      found[j].length = 0;
      const uint32_t slot = (base & 0xFFFFFF) + id, passes = base >> (24 + (id & 7)) & 1;
      list[n] = j;
      slots[n] = slot;
      n += passes;
#if SEGMENTER_SSE4
      _mm_prefetch(reinterpret_cast<const char*>(units + (slot & (0 - passes))), _MM_HINT_T0);
#endif
    });
    steps += listed_;
    size_t m = 0;  // whether the third character is there is unpredictable: no branch
    Interrupt::each(n, [&](size_t i) {
      const uint32_t slot = slots[i], j = list[i];
      const uint64_t u = units[slot];
      list[m] = j;
      slots[m] = slot;
      const uint32_t there = unit_label(u) == ids[j + 2];
      m += there;
#if SEGMENTER_SSE4
      const uint32_t goes_on = 0 - (there & unit_guard(u, ids[j + 3]));
      _mm_prefetch(reinterpret_cast<const char*>(units + ((unit_base(u) + ids[j + 3]) & goes_on)),
                   _MM_HINT_T0);
#endif
    });
    Interrupt::each(m, [&](size_t i) {
      uint32_t slot = slots[i], j = list[i];
      uint64_t u = units[slot];
      for (uint32_t k = j + 3;; ++k) {
        ++steps;
        if (unit_cost(u) != kNoCost) {
          found[j] = Found{slot, k - j};
          add_word(model, sums, j, k - j, unit_cost(u));
          if (in.words) in.words->push_back(Word{in.s + j, k - j, slot});
        }
        if (!unit_guard(u, ids[k])) break;
        slot = unit_base(u) + ids[k];
        u = units[slot];
        if (unit_label(u) != ids[k]) break;
      }
    });
  }

  // The weights and states of a word of three or more characters.
  template <class Sums>
  void add_word(const TaggerModel& m, const Sums& sums, uint32_t j, uint32_t len, uint32_t match) {
    if (m.groups) states_.note<Sums::kVector>(j, len, m.groups_of[match]);
    constexpr uint32_t T = Sums::kTags;
    const int16_t* const row = m.match + size_t(match) * 4 * T;
    sums.add(j, row);
    sums.add(j + 1, row + T);
    for (uint32_t k = 2; k + 1 < len; ++k) sums.add(j + k, row + 2 * T);
    sums.add(j + len - 1, row + 3 * T);
  }

  template <class Sums>
  SEGMENTER_NOINLINE void add_states(const Stretch& in, const Sums sums) {
    Interrupt::each(in.n, [&](size_t j) {
      for (uint32_t g = 0; g < in.m.groups; ++g) {
        const uint32_t code = LexiconStates::code(states_.at(j) + 4 * g);
        sums.add(j, in.m.state + (size_t(g) * kTagStates + code) * Sums::kTags);
      }
    });
  }

  // The same sums of six tags, for add_pairs(), which has done the rest of its work before.
  SEGMENTER_NOINLINE void add_pairs_six(const Stretch& in) {
    constexpr uint32_t T = 6;
    const TaggerModel& m = in.m;
    const uint32_t n = in.n;
    const uint16_t* const ids = in.ids;
    const int8_t* const* const records = records_.data() + (in.s - origin_);
    six_.assign((size_t(n) + 8) * T, 0);
    int32_t* at = six_.data() + T;  // position -1 has a place too
    auto add = [&](int64_t j, const int16_t* r, uint32_t from, uint32_t to) {
      for (uint32_t p = from; p < to; ++p)
        for (uint32_t t = 0; t < T; ++t) at[(j - 1 + int64_t(p)) * T + t] += r[T * p + t];
    };
    add(-2, m.wide_uni, 3, 4);  // what precedes the sentence
    add(-1, m.wide_uni, 2, 4);
    uint32_t code = m.type_of[ids[0]];
    Interrupt::each(n, [&](size_t position) {
      const uint32_t j = uint32_t(position);
      add(j,
          m.has(records[j]) ? m.wide_pair + size_t(m.place(records[j])) * 4 * T
                            : m.wide_uni + size_t(ids[j]) * 4 * T,
          j ? 0 : 1, 4);
      code = (code * 8 + (j + 1 < n ? m.type_of[ids[j + 1]] : 0)) & 511;
      for (uint32_t t = 0; t < T; ++t) at[j * T + t] += m.type[code * T + t];
    });
    add(n, m.wide_uni, 0, 1);  // and what follows it
  }
};

// Words of the user that have a weight: they count like words of the tagger's lexicon, and their
// tags gain it in equal shares.
class UserScores {
 public:
  uint64_t steps = 0;

  void begin(const UserEdits* edits) {
    words_ = edits && !edits->edges.empty() ? &edits->edges : nullptr;
    next_ = 0;
    steps = 0;
  }
  bool any() const { return words_; }

  // Adds them to the scores of the stretch [s, e); stretches come in order. Scores saturate, so
  // this comes last, after the states.
  void add(const TaggerModel& m, uint32_t s, uint32_t e, Emissions& scores) {
    LinearScores::complete(m, scores);
    for (; next_ < words_->size() && (*words_)[next_].start < e; ++next_) {
      const UserEdge& word = (*words_)[next_];
      const uint32_t len = word.end - word.start;
      if (word.start < s || word.end > e) continue;
      const int32_t share = int32_t((word.cost + len - 1) / len);
      for (uint32_t k = 0; k < len; ++k) {
        const size_t j = word.start - s + k;
        if (scores.six) {
          scores.six[6 * j + size_t(Tags<6>::tag(k, len))] += share;
        } else {
          int16_t& sum = scores.four[4 * j + size_t(Tags<4>::tag(k, len))];
          sum = saturated(int64_t(sum) + share);
        }
      }
      steps += len;
    }
  }

 private:
  const std::vector<UserEdge>* words_ = nullptr;  // by start
  size_t next_ = 0;
};

}  // namespace segmenter
