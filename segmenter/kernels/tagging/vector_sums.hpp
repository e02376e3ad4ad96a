// The sums of four tags with vector instructions: a row of weights is one vector of saturating 16-bit
// lanes, and the records of pairs are added up in a sliding window.
#pragma once
#include "compiler.hpp"
#if SEGMENTER_SSE4
#include <algorithm>
#include <cstdint>

#include "interrupt.hpp"
#include "tagging/pairs.hpp"

namespace segmenter {

struct VectorSums {
  int16_t* to;
  void add(size_t j, const int16_t* row) const {
    __m128i* at = reinterpret_cast<__m128i*>(to + 4 * j);
    _mm_storel_epi64(at, _mm_adds_epi16(_mm_loadl_epi64(at),
                                        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row))));
  }
};

// The sums of characters, pairs and types of a stretch.
class VectorPairs {
 public:
  // Writes them to `sums` [n][4], and what Pairs names; states, if kGroups. `looked_up`: find_records() has
  // been called.
  template <bool kGroups>
  static void add(Pairs& in, int16_t* sums, bool looked_up) {
    if (kGroups) in.states.reserve(in.n);
    // All records first: the cache misses of a part overlap, where the window would let only a few
    // be in flight (1.6 times faster).
    Window w;
    w.n_candidates = 0;
    w.begin(in, 0);
    for (uint32_t j = 0; j < in.n; j += kPart) {
      if (j) Interrupt::look();
      const uint32_t stop = std::min(in.n, j + kPart);
      if (!looked_up) find_records(in, j, stop, w.n_candidates);
      slide<kGroups>(in, sums, w, j, stop, stop == in.n);
    }
    w.end(in, sums, in.n);
    in.n_candidates = w.n_candidates;
  }

  // The same of several stretches that lie less than kPart characters apart, whose records are all
  // looked up before any is added up. `stretch(k, s, e)` gives the k-th, false after the last one; an id of
  // zero follows each.
  template <bool kGroups, class Stretch>
  static void add_each(Pairs& in, int16_t* sums, const Stretch& stretch) {
    if (kGroups) in.states.reserve(in.n);
    find_records(in, 0, in.n, 0);
    Window w;
    w.n_candidates = 0;
    uint32_t s, e;
    for (size_t k = 0; stretch(k, s, e); ++k) {
      w.begin(in, s);
      slide<kGroups>(in, sums, w, s, e, true);
      w.end(in, sums, e);
    }
    in.n_candidates = w.n_candidates;
  }

  // Asks for what finding and adding up records need beside the records.
  static void ask(const Pairs& in) {
    const PairHash& cold = in.m.cold;
    for (size_t j = 0; j < in.n; ++j) {
      const size_t pilot = PairHash::mix(in.ids[j], in.ids[j + 1]) >> cold.shift;
      _mm_prefetch(reinterpret_cast<const char*>(cold.pilots + pilot), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(in.m.uni + size_t(in.ids[j]) * kTagRecord),
                   _MM_HINT_T0);
    }
  }

  // Writes the only records that the pairs that begin at [from, to) can have. Pairs that are not in
  // the hot table are listed (in candidates_, from `room` on), looked up in the other, and prefetched.
  static SEGMENTER_NOINLINE void find_records(const Pairs& in, uint32_t from, uint32_t to,
                                              size_t room) {
    const PairHash hot = in.m.hot, cold = in.m.cold;
    const int8_t* __restrict pair = in.m.pair;
    const uint16_t* __restrict ids = in.ids;
    const int8_t** __restrict records = in.records;
    uint32_t* __restrict candidates = in.candidates + room;
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
      candidates[m] = uint32_t(j);
      m += ((record_key(records[j]) ^ pair_key(first, second)) & kPairKey) != 0;
      first = second;
    }
    const bool shared = in.prefetch.any();
    const size_t n_units = in.m.lex->trie.n_units;
    if (shared)
      for (size_t j = from; j < to; ++j) in.prefetch.fetch_entry(n_units + in.m.place(records[j]));
    for (size_t i = 0; i < m; ++i) {
      const size_t j = candidates[i];
      const size_t place = hot.n + cold(ids[j], ids[j + 1]);
      const int8_t* const r = pair + place * kTagRecord;
      records[j] = r;
      _mm_prefetch(reinterpret_cast<const char*>(r), _MM_HINT_T0);
      if (shared) {
        in.prefetch.fetch_entry(n_units + place);
        _mm_prefetch(reinterpret_cast<const char*>(in.m.longer + place), _MM_HINT_T0);
      }
    }
  }

 private:
  // What add() carries from one part of a long stretch to the next.
  struct Window {
    __m128i near, far;  // sums of positions j-1, j and of j+1, j+2
    __m128i ended;      // states of words of two characters that end at j
    __m128i kinds;      // what the types add to position j-1
    size_t types;       // of positions j-2, j-1 and j, three bits each
    size_t n_candidates;

    // Before the first character of a stretch.
    void begin(const Pairs& in, uint32_t s) {
      const __m128i pad1 = spread(outside(in), to_far());
      near = _mm_slli_si128(_mm_adds_epi16(_mm_srli_si128(pad1, 8), pad1), 8);
      far = _mm_srli_si128(pad1, 8);
      ended = kinds = _mm_setzero_si128();
      types = in.m.type_of[in.ids[s]];
    }
    // After its last character, e being the sentence's end.
    void end(const Pairs& in, int16_t* sums, uint32_t e) const {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(sums + (int64_t(e) - 1) * kTags),
                       _mm_adds_epi16(_mm_adds_epi16(near, spread(outside(in), to_near())), kinds));
    }
    static __m128i outside(const Pairs& in) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(in.m.uni));
    }
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

  // Adds up the records of the pairs that begin at [from, to), in a window of four positions.
  template <bool kGroups>
  // `last`: a stretch ends there.
  static SEGMENTER_NOINLINE void slide(const Pairs& in, int16_t* sums, Window& w, uint32_t from,
                                       uint32_t to, bool last) {
    const uint16_t* __restrict ids = in.ids;
    const int8_t* __restrict uni = in.m.uni;
    const uint32_t* const longer = in.m.longer;
    const int8_t** __restrict records = in.records;
    uint32_t* __restrict candidates = in.candidates;
    uint8_t* __restrict states = in.states.data();
    const auto& pattern = LexiconStates::patterns().pair_rows;
    const int16_t* __restrict type = in.m.type;
    const uint8_t* __restrict type_of = in.m.type_of;
    int16_t* __restrict em = sums - kTags;
    const __m128i to0 = to_near(), to1 = to_far();
    __m128i near = w.near, far = w.far, ended = w.ended, kinds = w.kinds;
    size_t types = w.types, m = w.n_candidates;
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
      _mm_storel_epi64(reinterpret_cast<__m128i*>(em + kTags * j), _mm_adds_epi16(near, kinds));
      types = (types * 8 + next_type) & 511;
      kinds = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(type + kTags * types));
      near = _mm_alignr_epi8(far, near, 8);
      far = _mm_srli_si128(far, 8);
      const uint32_t key = record_key(r), longer_ones = key >> 31;
      // for LinearScores::add_words()
      _mm_prefetch(reinterpret_cast<const char*>(longer + (in.m.place(r) & (0 - longer_ones))),
                   _MM_HINT_T0);
      candidates[m] = uint32_t(j);
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
    w.n_candidates = m;
  }
};

}  // namespace segmenter
#endif
