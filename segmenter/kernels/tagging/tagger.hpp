// The linear character tagger as a predictor: integer weights, one trie walk, integer Viterbi.
//
// For a pair of characters at positions j, j+1 one record of 16 bytes holds what they add to the tags
// at j-1, j, j+1 and j+2: the weights of the pair in its four templates, those of the first character
// in its four, and those of a lexicon word of these two characters, all folded into one sum of 8 bits
// (0.0002 of F1 against floats).  Scores are relative to tag S, which needs no place then.  So all
// templates cost one look-up a character, added into a window of four positions that moves along in
// two registers.
//
// Records are found by perfect hashes (hash and displace: Belazzougui, Botelho and Dietzfelbinger
// 2009): a small table of pilots names the one place where a pair can be.  The 16 thousand most
// frequent pairs, two thirds of running text, have a hash and a table of their own that stay in the
// second-level cache.  The row-displacement table that these replaced was five times their size.
//
// Tags are B M E S.  Each tag has exactly two possible predecessors, so a step of the Viterbi
// recursion is two shuffles, two additions and one maximum of four 32-bit lanes; which of the two
// won is four bits.  All sums are integers: the vector path and the portable path agree exactly.
//
// A model of six tags (B B2 B3 M E S) has the same records, whose weights are zero, and beside them
// 16-bit weights of all six tags, not relative to one: read one after another, for accuracy where speed
// is not asked for.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "bilstm/bilstm.hpp"
#include "lattice/lattice.hpp"
#include "pair_hash.hpp"
#include "tagging/tags.hpp"

#if defined(__SSE4_1__) && !defined(SEGMENTER_PORTABLE)
#include <smmintrin.h>
#define SEGMENTER_TAGGER_SSE 1
#else
#define SEGMENTER_TAGGER_SSE 0
#endif

namespace segmenter {

constexpr uint32_t kTagLanes = 4;
constexpr uint32_t kTagRow = 16;     // four positions of four lanes
constexpr uint32_t kTagRecord = 16;  // bytes
constexpr uint32_t kTagGroups = 3;
constexpr uint32_t kMostTags = 6;
constexpr uint32_t kTagStates = 216;
constexpr int32_t kTagNever = -(1 << 28);
constexpr float kNoOtherWay = std::numeric_limits<float>::infinity();  // margin of what no mark or run leaves a choice about

// Marks before a character.
constexpr uint8_t kMarkCut = 1;   // a boundary is forced here
constexpr uint8_t kMarkJoin = 2;  // no boundary may be here

constexpr uint32_t kTagMaxIds = 0x3FFF;  // greatest character id; no record has it
constexpr uint32_t kPairKey = (1u << 28) - 1;
constexpr uint32_t kPairLonger = 1u << 31;  // longer words begin with the pair
inline uint32_t pair_key(uint32_t first, uint32_t second) { return first | second << 14; }

// A record: twelve int8, B M E of positions j-1, j, j+1, j+2; then the key in 28 bits, a bit a group
// that the word of the two characters is in, and kPairLonger.  A character alone has such a record too.
struct TaggerModel {
  const Lexicon* lex = nullptr;     // characters, classes, trie; the cost of a word is its match row
  PairHash hot, cold;               // places from 0, and from hot.n
  const int8_t* pair = nullptr;     // [n_pairs] records
  const uint32_t* longer = nullptr; // [n_pairs] base | guard << 24 of its trie unit, if kPairLonger
  const int8_t* uni = nullptr;      // [n_ids] records of characters in pairs that have none
  const int16_t* match = nullptr;   // [n_matches][4][tags]: first, second, inner, last character
  const int16_t* state = nullptr;   // [groups][216][tags]
  const int16_t* type = nullptr;    // [512][tags] by the types of the characters before, here and after
  const uint8_t* type_of = nullptr; // [n_ids] types of characters, 1 to 7; 0: beyond the sentence
  const uint8_t* groups_of = nullptr;  // [n_matches] which groups a match is in
  uint32_t n_matches = 0, n_pairs = 0, groups = 0;
  uint32_t tags = 4;       // or 6
  const int16_t* wide_pair = nullptr;  // six tags: [n_pairs][4][6], positions j-1 to j+2
  const int16_t* wide_uni = nullptr;   // six tags: [n_ids][4][6]
  int32_t trans[kMostTags * kMostTags] = {};  // from * tags + to
  int32_t start[kMostTags] = {};
  double scale = 1;        // integer units a unit of the score
  // With this the sums of the linear tagger are only a part of the scores (four tags); trans, start and
  // scale are then those of both.
  const bilstm::Model* bilstm = nullptr;
};

// Makes it a model whose scores are those of a BiLSTM and, times some weight, its own.
inline void attach_bilstm(TaggerModel& m, const bilstm::Model& bilstm, const int32_t* start, const int32_t* trans,
                          double scale) {
  m.bilstm = &bilstm;
  std::copy_n(start, 4, m.start);
  std::copy_n(trans, 16, m.trans);
  m.scale = scale;
}

inline uint32_t record_key(const int8_t* r) {
  uint32_t k;
  std::memcpy(&k, r + 12, 4);
  return k;
}

// The record of two characters that are a word of the features, or null.
inline const int8_t* word_of_two(const TaggerModel& m, uint32_t first, uint32_t second) {
  const int8_t* r = m.pair + size_t(m.hot(first, second)) * kTagRecord;
  if ((record_key(r) & kPairKey) != pair_key(first, second))
    r = m.pair + size_t(m.hot.n + m.cold(first, second)) * kTagRecord;
  const uint32_t key = record_key(r);
  return (key & kPairKey) == pair_key(first, second) && (key >> 28 & 7) ? r : nullptr;
}

// What characters of several readings are settled by, see Variants::settle: the words that the features
// know.  Those of two characters stand in the records of pairs, and of two that is the more usual whose
// record speaks more for the tags B and E; longer ones stand in the trie, the more usual in more sources.
inline uint32_t longest_known(const TaggerModel& m, const uint16_t* ids, uint32_t n, uint32_t k) {
  const Lexicon& lex = *m.lex;
  auto groups = [](uint32_t bits) { return 1 + (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1); };
  auto usual = [&](uint32_t slot) {
    return lex.is_word(slot) ? groups(m.groups_of[unit_cost(lex.trie.units[slot])]) : 0;
  };
  uint32_t most = longest_in_trie(lex.trie, usual, ids, n, k);
  if (most) return most;
  auto pair = [&](uint32_t first, uint32_t second) {
    if (const int8_t* r = word_of_two(m, first, second)) most = std::max(most, 2u << 16 | uint32_t(300 + r[3] + r[8]));
  };
  if (k) pair(ids[k - 1], ids[k]);
  if (k + 1 < n) pair(ids[k], ids[k + 1]);
  return most;
}
// For encode() of lexicon/words.hpp; `of`: a TaggerModel.
inline uint32_t longest_known_of(void* of, const uint16_t* ids, uint32_t n, uint32_t k) {
  return longest_known(*static_cast<const TaggerModel*>(of), ids, n, k);
}

// Gives the model its types of characters.
inline void attach_types(TaggerModel& m, const int16_t* type, const uint8_t* type_of) {
  m.type = type;
  m.type_of = type_of;
}

// Makes it a model of six tags.
inline void attach_wide(TaggerModel& m, const int16_t* pair, const int16_t* uni) {
  m.tags = 6;
  m.wide_pair = pair;
  m.wide_uni = uni;
}

// Gives the model its two tables of places; numbers of pilots are powers of two.
inline void attach_pairs(TaggerModel& m, const uint16_t* hot, size_t n_hot_pilots, const uint16_t* cold,
                         size_t n_cold_pilots, uint32_t n_hot) {
  auto shift = [](size_t n) {
    uint32_t s = 64;
    for (; n > 1; n /= 2) --s;
    return s;
  };
  m.hot.pilots = hot;
  m.hot.shift = shift(n_hot_pilots);
  m.hot.n = n_hot;
  m.cold.pilots = cold;
  m.cold.shift = shift(n_cold_pilots);
  m.cold.n = m.n_pairs - n_hot;
}

struct TagPath {  // one of the n best
  int64_t score;
  std::vector<uint32_t> ends;
};

class Tagger {
 public:
  bool portable = false;  // take the portable path: for tests
  std::vector<Piece> pieces;  // for the caller's use: kept from call to call
  const std::vector<UserEdge>* bonuses = nullptr;  // by start: words that gain `cost` units of the score
  std::vector<int32_t>* boundaries = nullptr;  // of run_margins: a margin a character, see there
  // Longer texts are decoded in parts of so many characters, where nothing but the words is asked for: memory
  // for scores does not grow with the text then.
  uint32_t part = 1 << 16;
  bool again = false;  // the text is that of the run before: a BiLSTM need not read it again

  // Decodes; appends the words to `out`.  `marks` (or null) has one byte a character.
  void run(const TaggerModel& m, const void* text, int width, size_t n, std::vector<Piece>& out,
           const uint8_t* marks = nullptr, Want want = Want::kKinds) {
    begin(m, text, width, n, marks, true);
    read(text, width);
    auto emit = [&](uint32_t s, uint32_t e) {
      if (want <= Want::kEnds) emit_ends(out);
      else if (want == Want::kWords) emit_spellings(s, e, out);
      else emit_words(s, e, out);
    };
    segments([&](uint32_t s, uint32_t e) {
      Interrupt::look(e - s);
      if (in_parts_) return decode_parts(s, e, emit);
      decode(s, e);
      emit(s, e);
    }, [&](uint32_t s, uint32_t e, EdgeKind kind) {
      out.push_back(Piece{e, e == s + 1 ? what_one(s) : uint32_t(kind) << 24 | odd(s, e)});
    });
  }

  // As run; `margins` gets for each word how much worse the best path is that lacks one of its
  // boundaries or has one inside it (in units of the score), kNoOtherWay where there is none.  `boundaries`, if set, gets the same for
  // each character: by how much it is decided whether a boundary follows.
  void run_margins(const TaggerModel& m, const void* text, int width, size_t n,
                   std::vector<Piece>& out, std::vector<float>& margins,
                   const uint8_t* marks = nullptr) {
    begin(m, text, width, n, marks);
    read(text, width);
    segments([&](uint32_t s, uint32_t e) {
      decode(s, e);
      size_t first = out.size();
      emit_words(s, e, out);
      m_->tags == 4 ? boundary_margins<4>(e - s) : boundary_margins<6>(e - s);
      if (boundaries) {
        boundaries->resize(n_, -kTagNever);
        std::copy(margin_.begin(), margin_.begin() + (e - s), boundaries->begin() + s);
        (*boundaries)[e - 1] = -kTagNever;
      }
      uint32_t at = s;
      for (size_t i = first; i < out.size(); ++i) {
        int32_t least = at == s ? -kTagNever : margin_[at - s - 1];
        for (uint32_t k = at; k < out[i].end && k + 1 < e; ++k) least = std::min(least, margin_[k - s]);
        // marks and runs that leave no choice cost as much as kTagNever
        margins.push_back(least >= -kTagNever / 2 ? kNoOtherWay : float(double(least) / m.scale));
        at = out[i].end;
      }
    }, [&](uint32_t s, uint32_t e, EdgeKind kind) {
      out.push_back(Piece{e, e == s + 1 ? what_one(s) : uint32_t(kind) << 24 | odd(s, e)});
      margins.push_back(kNoOtherWay);
    });
  }

  // The n best segmentations, best first; equal scores in the order of the tags from the right.
  void nbest(const TaggerModel& m, const void* text, int width, size_t n, size_t count,
             std::vector<TagPath>& out, const uint8_t* marks = nullptr) {
    begin(m, text, width, n, marks);
    read(text, width);
    m.tags == 4 ? paths<4>(n, count, out) : paths<6>(n, count, out);
  }

  // `what` of a token of the text that was read last.
  uint32_t what(uint32_t s, uint32_t e) const {
    if (e == s + 1) return what_one(s);
    const CharClass c = cls(s);
    if (c == kBlank) return uint32_t(kBlankRun) << 24 | odd(s, e);
    if (c == kCr) return uint32_t(kLineEnd) << 24 | odd(s, e);
    return what_of(s, e);
  }

  // The scores that the path is chosen by, m.tags a position: kTagNever where marks or runs bar a tag.
  // A run of blanks or a line end has the tags of one word at no cost.
  void scores(const TaggerModel& m, const void* text, int width, size_t n, std::vector<int32_t>& out,
              const uint8_t* marks = nullptr) {
    begin(m, text, width, n, marks);
    read(text, width);
    const size_t tags = m.tags;
    out.assign(n * tags, kTagNever);
    segments([&](uint32_t s, uint32_t e) {
      decode(s, e);
      for (uint32_t j = 0; j < e - s; ++j) {
        int32_t* to = out.data() + (s + j) * tags;
        tags == 4 ? emission<4>(s, j, to) : emission<6>(s, j, to);
      }
    }, [&](uint32_t s, uint32_t e, EdgeKind) {
      for (uint32_t k = s; k < e; ++k) {
        size_t inner = std::min<size_t>(k - s, tags - 3);  // B M E S, or B C D M E S
        size_t tag = e == s + 1 ? tags - 1 : k + 1 == e ? tags - 2 : inner;
        out[k * tags + tag] = 0;
      }
    });
  }

  // Scores of the tags of a model with a BiLSTM, [n][4], relative to tag S: for tests.
  void emissions(const TaggerModel& m, const void* text, int width, size_t n, std::vector<int16_t>& out) {
    begin(m, text, width, n, nullptr);
    std::fill(whole_.begin(), whole_.end(), int16_t(0));
    read(text, width);
    out.assign(whole_.begin(), whole_.begin() + std::ptrdiff_t(n * kTagLanes));
  }

  uint64_t steps() const { return steps_; }

 private:
  const TaggerModel* m_ = nullptr;
  uint32_t n_ = 0;
  bool any_odd_ = false;
  uint64_t steps_ = 0;
  std::vector<uint16_t> ids_store_;
  std::vector<uint8_t> odd_store_, marks_store_, back_;
  std::vector<uint32_t> special_, node_, list_, slots_, signs_;
  std::vector<Piece> ends_;  // of the stretch decoded last, in the last n_ends_ places of ends_stop_
  std::vector<int16_t> em_store_;
  std::vector<uint8_t> longest_;
  struct Found {
    uint32_t slot, length;
  };
  std::vector<Found> longest_word_;  // of three characters and more, where the pair has kPairLonger
  std::vector<int32_t> margin_;
  std::vector<int32_t> wide_;       // sums of six tags a position
  std::vector<uint8_t> wide_back_;  // the tag before, six a position
  uint16_t* ids_ = nullptr;
  int16_t* em_ = nullptr;
  bool in_parts_ = false;   // the text is decoded in parts
  uint32_t origin_ = 0;     // where in the text node_ and longest_word_ begin
  size_t skipped_ = 0;      // positions before those that are decoded, in longest_
  int32_t last_[4] = {};    // scores of the tags of the last position
  size_t n_special_ = 0, n_ends_ = 0, ends_stop_ = 0;

  CharClass cls(uint32_t k) const { return m_->lex->char_class(ids_[k]); }
  static bool alnum(CharClass c) { return c == kDigit || c == kLatin; }

  void begin(const TaggerModel& m, const void* text, int width, size_t n, const uint8_t* marks, bool parts = false) {
    m_ = &m;
    n_ = uint32_t(n);
    steps_ = 0;
    next_bonus_ = 0;
    in_parts_ = parts && n > part && m.tags == 4 && !m.bilstm && !bonuses && m.lex->max_word < part / 4;
    origin_ = 0;
    size_t cap = n + 24;
    if (ids_store_.size() < cap) {
      if (!in_parts_) cap += cap / 2;
      ids_store_.resize(cap);
      odd_store_.resize(cap);
      marks_store_.resize(cap);
      special_.resize(cap);
    }
    if (!in_parts_) reserve(n);
    ids_ = ids_store_.data();
    signs_.clear();
    if (width == 1) map_ids(static_cast<const uint8_t*>(text));
    else if (width == 2) map_ids(static_cast<const uint16_t*>(text));
    else map_ids(static_cast<const uint32_t*>(text));
    if (any_odd_ && m.lex->variants) settle_variants(text, width);
    for (uint32_t k = 0; k < 16; ++k) ids_[n + k] = 0;
    if (marks) std::memcpy(marks_store_.data(), marks, n);
    else std::memset(marks_store_.data(), 0, n);
    // runs but those of Chinese numerals, which the tags decide on
    size_t found = 0;
    each_id_below(ids_, n_, m.lex->n_others, [&](uint32_t k) { special_[found++] = k; });
    n_special_ = found;
    join_runs();
    if (!signs_.empty()) part_signs();
  }

  // Room for the scores of so many characters, and for what they are added up from.
  void reserve(size_t n) {
    size_t cap = n + 24;
    if (node_.size() < cap) {
      cap += cap / 2;
      node_.resize(cap);
      list_.resize(cap);
      slots_.resize(cap);
      ends_.resize(cap);
      back_.resize(cap);
      longest_word_.resize(cap);
      em_store_.resize((cap + 8) * kTagLanes);
    }
    em_ = em_store_.data() + 4 * kTagLanes;  // room for the positions before the first
  }

  template <class Char>
  void map_ids(const Char* text) {
    CharMap map = m_->lex->map;
    if (m_->lex->signed_bmp.empty()) {
      any_odd_ = map_text(map, text, 0, n_, ids_, odd_store_.data());
      return;
    }
    map.bmp = m_->lex->signed_bmp.data();
    any_odd_ = map_text<kSignedIds>(map, text, 0, n_, ids_, odd_store_.data()) & 0x8000;
    part_odd(odd_store_.data(), n_, [&](uint32_t k) { signs_.push_back(k); });
  }

  // Signs stand alone, as they do in a lattice.  What the caller (and with it an atom or a word of the user's)
  // or a run holds together stays; between digits, and the dot of a name between letters, the tags decide.
  SEGMENTER_NOINLINE void part_signs() {
    auto letter = [](CharClass c) {
      return c == kDigit || c == kLatin || c == kHanNum || c == kHan || (c >= kGreek && c <= kExtend);
    };
    for (uint32_t k : signs_) {
      ++steps_;
      if (k > 0 && k + 1 < n_) {
        const CharClass before = cls(k - 1), after = cls(k + 1);
        if (before == kDigit && after == kDigit && (cls(k) == kPoint || cls(k) == kColon)) continue;
        if (cls(k) == kPoint && letter(before) && letter(after)) continue;
      }
      for (uint32_t at = k; at < k + 2 && at < n_; ++at)
        if (!(marks_store_[at] & kMarkJoin)) marks_store_[at] |= kMarkCut;
    }
  }

  SEGMENTER_NOINLINE void settle_variants(const void* text, int width) {
    steps_ += m_->lex->variants->settle(text, width, n_, 0, n_, ids_, odd_store_.data(),
                                        [&](const uint16_t* ids, uint32_t n, uint32_t k) { return longest_known(*m_, ids, n, k); });
  }

  uint32_t odd(uint32_t s, uint32_t e) const {
    if (any_odd_)
      for (uint32_t k = s; k < e; ++k)
        if (odd_store_[k]) return kNotCanonical;
    return 0;
  }

  // No boundary inside runs of Latin letters and digits, inside decimals, inside runs of one
  // alphabet, before a combining mark; one before the full stop of an English sentence and before a number
  // with a unit behind Han characters.  A mark of the caller goes before.
  SEGMENTER_NOINLINE void join_runs() {
    const uint32_t stop = m_->lex->map(uint32_t('.')) & 0x7FFF;
    for (size_t i = 0; i < n_special_; ++i) {
      uint32_t k = special_[i];
      if (k == 0) continue;
      CharClass c = cls(k), before = cls(k - 1);
      bool join = false;
      if (before == kExtend && c != kExtend) {  // e\u0301s: the run goes on behind the marks
        uint32_t b = k - 1;
        while (b > 0 && cls(b) == kExtend) --b;
        before = cls(b);
      }
      if (alnum(c)) {
        join = alnum(before);
        if (!join && c == kDigit && before == kPoint && k >= 2 && cls(k - 2) == kDigit) {
          join = true;
          if (!(marks_store_[k - 1] & kMarkCut)) marks_store_[k - 1] |= kMarkJoin;
        }
        if (!join && c == kDigit && before == kComma && k >= 2 && cls(k - 2) == kDigit && three_digits(k)) {
          join = true;  // 1,234,567, as in a lattice
          if (!(marks_store_[k - 1] & kMarkCut)) marks_store_[k - 1] |= kMarkJoin;
        }
        if (c == kDigit && before == kHan && measured(k) && !(marks_store_[k] & kMarkJoin)) marks_store_[k] |= kMarkCut;
        if (c == kDigit && k + 1 < n_ && date_after(k)) {
          uint8_t& mark = marks_store_[k + 1];
          if (year_begins_word(k + 1)) mark |= mark & kMarkJoin ? 0 : kMarkCut;
          else if (!(mark & kMarkCut)) mark |= kMarkJoin;
        }
        // Training text has items numbered 1. 2. as one word each, and no sentence of English.
        if (join && k + 1 < n_ && ids_[k + 1] == stop && cls(k + 1) == kPoint && (k + 2 == n_ || !alnum(cls(k + 2))) &&
            has_letter(k) && !(marks_store_[k + 1] & kMarkJoin))
          marks_store_[k + 1] |= kMarkCut;
      } else if (c >= kGreek && c <= kLetter) {
        join = c == before;
      } else if (c == kExtend) {
        join = before != kLf && before != kCr && before != kBlank;
      }
      if (join && !(marks_store_[k] & kMarkCut)) marks_store_[k] |= kMarkJoin;
    }
  }

  // Whether the digits that begin at k have a unit of several letters behind them: 5kg, 3.5GHz.
  bool measured(uint32_t k) const {
    uint32_t e = k;
    while (e < n_ && (cls(e) == kDigit || (cls(e) == kPoint && e + 1 < n_ && cls(e + 1) == kDigit))) ++e;
    if (e >= n_ || cls(e) != kLatin) return false;
    const uint32_t letters = e;
    while (e < n_ && cls(e) == kLatin) ++e;
    if (e < n_ && (cls(e) == kDigit || cls(e) == kExtend)) return false;
    for (const char* unit : kUnits) {
      uint32_t i = 0;
      while (unit[i] && letters + i < e && ids_[letters + i] == (m_->lex->map(uint32_t(unit[i])) & 0x7FFF)) ++i;
      if (!unit[i] && letters + i == e) return true;
    }
    return false;
  }
  static constexpr const char* kUnits[] = {  // what follows no name
      "kg", "mg", "km", "cm", "mm", "nm", "ml", "kw", "kwh", "mah", "mhz", "ghz", "khz", "hz", "kb", "mb", "gb", "tb",
      "ms", "mbps", "gbps", "kpa", "mpa", "kcal", "kj", "db", "ppm", "rpm", "fps", "dpi", "px", "min",
  };

  // Whether there is a letter in the run of letters and digits that ends at k.
  bool has_letter(uint32_t k) const {
    for (uint32_t s = k + 1; s-- > 0 && alnum(cls(s));)
      if (cls(s) == kLatin) return true;
    return false;
  }

  // Whether exactly three digits begin at k, and no letter follows.
  bool three_digits(uint32_t k) const {
    return k + 3 <= n_ && cls(k + 1) == kDigit && cls(k + 2) == kDigit && (k + 3 == n_ || !alnum(cls(k + 3)));
  }

  // Whether the digits that end at k and the character behind them are a date: years from 1000 to 2999
  // months, days.  Training text of one decade knows its own years only; on the
  // development text all but one of 474 such strings are one word.
  bool date_after(uint32_t k) const {
    const RuleIds& r = m_->lex->rules;
    uint32_t unit = ids_[k + 1];
    if (!unit || (unit != r.nian && unit != r.yue && unit != r.ri)) return false;
    uint32_t s = k;
    while (s > 0 && k - s < 4 && cls(s - 1) == kDigit) --s;
    if (s > 0 && (alnum(cls(s - 1)) || cls(s - 1) == kPoint)) return false;
    uint32_t len = k - s + 1, value = 0;
    for (uint32_t i = s; i <= k; ++i) value = value * 10 + (ids_[i] - r.zero);
    if (unit == r.nian) return len == 4 && value >= 1000 && value < 3000;
    return len <= 2 && value >= 1 && value <= (unit == r.yue ? 12u : 31u);
  }

  // Whether the 年 at k belongs to the word behind it: 1940/年代, 2025/年度, 2025/年报, but 1990年/代表 and
  // 2025年/底, as the training text has them.
  bool year_begins_word(uint32_t k) const {
    if (ids_[k] != m_->lex->rules.nian || k + 1 >= n_) return false;
    bool named = false;
    for (uint32_t c : {0x4EE3u, 0x5EA6u, 0x62A5u}) named |= ids_[k + 1] == (m_->lex->map(c) & 0x7FFF);
    return named && word_of_two(*m_, ids_[k], ids_[k + 1]) &&
           !(k + 2 < n_ && word_of_two(*m_, ids_[k + 1], ids_[k + 2]));
  }

  // Calls text(s, e) for every stretch without blanks, gap(s, e, kind) for runs of blanks and
  // for line ends.
  template <class Text, class Gap>
  void segments(const Text& text, const Gap& gap) {
    uint32_t at = 0;
    for (size_t i = 0; i < n_special_;) {
      uint32_t k = special_[i];
      CharClass c = cls(k);
      if (c != kBlank && c != kLf && c != kCr) {
        ++i;
        continue;
      }
      if (at < k) text(at, k);
      uint32_t e = k + 1;
      if (c == kBlank) {
        while (e < n_ && cls(e) == kBlank && !(marks_store_[e] & kMarkCut)) ++e;
      } else if (c == kCr && e < n_ && cls(e) == kLf && !(marks_store_[e] & kMarkCut)) {
        ++e;
      }
      gap(k, e, c == kLf || (c == kCr && e == k + 2) ? kLineEnd : kBlankRun);
      at = e;
      while (i < n_special_ && special_[i] < e) ++i;
    }
    if (at < n_) text(at, n_);
  }

  static int16_t sat(int32_t v) { return int16_t(v < -32768 ? -32768 : v > 32767 ? 32767 : v); }

  // The scores of a text by a model with a BiLSTM, into whole_: first the linear tagger's of all its
  // stretches, and their words, then the BiLSTM's, which reads many stretches at a time.
  void read(const void* text, int width) {
    if (!m_->bilstm || (again && read_n_ == n_)) return;
    const bilstm::Model& b = *m_->bilstm;
    read_n_ = 0;
    reader_.ids.resize(n_);
    for (uint32_t j = 0; j < n_; ++j) {
      // the linear tagger's characters are folded, and variants settled by its words
      const uint16_t id = b.from_linear[ids_[j]];
      reader_.ids[j] = id != bilstm::kNoId ? id : uint16_t(b.map(code_point(text, width, j)) & 0x7FFF);
    }
    reader_.numbers.assign(size_t(n_) * bilstm::kLexiconSlots, 0);
    whole_.resize(size_t(n_) * kTagLanes);
    stretches_.clear();
    segments([&](uint32_t s, uint32_t e) {
      stretches_.push_back({s, e});
      uint16_t keep = ids_[e];
      ids_[e] = 0;
      score_linear(s, e);
      for (uint32_t j = s; j + 1 < e; ++j)
        if (node_[j] & kKnown) note_class(j, 2, b.pair_class[node_[j] & kPlace]);
      ids_[e] = keep;
      std::memcpy(whole_.data() + size_t(s) * kTagLanes, em_, size_t(e - s) * kTagLanes * sizeof(int16_t));
    }, [](uint32_t, uint32_t, EdgeKind) {});
    reader_.run(b, n_, stretches_);
    steps_ += reader_.steps();
    for (const bilstm::Stretch& t : stretches_) {
      for (uint32_t j = t.start; j < t.end; ++j)
        for (uint32_t tag = 0; tag < 3; ++tag) {
          int16_t& em = whole_[size_t(j) * kTagLanes + tag];
          int64_t sum = (reader_.scores[size_t(j) * 4 + tag] * b.unit + (int64_t(1) << 39)) >> 40;
          sum += ((em * b.linear + (int64_t(1) << 31)) >> 32) + b.bias[tag];
          if (tag == 2 && j + 1 == t.end) sum += b.last;
          em = int16_t(std::min<int64_t>(std::max<int64_t>(sum, -32768), 32767));
        }
    }
    read_n_ = n_;
  }
  static uint32_t code_point(const void* text, int width, size_t k) {
    return width == 1   ? static_cast<const uint8_t*>(text)[k]
           : width == 2 ? static_cast<const uint16_t*>(text)[k]
                        : static_cast<const uint32_t*>(text)[k];
  }
  bilstm::Reader reader_;
  std::vector<bilstm::Stretch> stretches_;
  std::vector<int16_t> whole_;      // [n][4]
  uint32_t read_n_ = 0;

  // A word of the lexicon, for the inputs of the BiLSTM: segmenter/tagging/bilstm_crf.py, SLOTS.
  void note_class(uint32_t j, uint32_t len, uint8_t cls) {
    if (!cls) return;
    const uint32_t kind = std::min(len, 5u) - 2;
    const uint16_t value = uint16_t(std::min(len, 7u) << 8 | cls);
    auto note = [&](uint32_t at, uint32_t slot) {
      uint16_t& v = reader_.numbers[size_t(at) * bilstm::kLexiconSlots + slot];
      v = std::max(v, value);
    };
    note(j, kind);
    note(j + len - 1, 4 + kind);
    for (uint32_t k = 1; k + 1 < len; ++k) note(j + k, len == 3 ? 8 : 9);
  }

  // Sums of a linear tagger of four tags into em_, nodes and longest words beside them.
  void score_linear(uint32_t s, uint32_t e) {
#if SEGMENTER_TAGGER_SSE
    if (!portable) score_vector(s, e - s);
    else
#endif
      score_portable(s, e - s);
    walk(s, e - s);
    states_added_ = false;
    if (!m_->groups) return;
#if SEGMENTER_TAGGER_SSE
    if (!portable && !bonuses && !m_->bilstm) return;  // viterbi_vector adds them
#endif
    add_states(e - s);
    states_added_ = true;
  }
  bool states_added_ = false;

  void decode(uint32_t s, uint32_t e) {
    last_start_ = s;
    uint16_t keep = ids_[e];
    ids_[e] = 0;  // the sentence ends here, for pairs and walks
    if (m_->bilstm) {
      std::memcpy(em_, whole_.data() + size_t(s) * kTagLanes, size_t(e - s) * kTagLanes * sizeof(int16_t));
      if (bonuses) add_bonuses(s, e);
      viterbi_four(s, e - s, m_->start);
      trace(s, e - s, last_[3] > last_[2]);
    } else if (m_->tags == 6) {
      score_portable(s, e - s);
      score_wide(s, e - s);
      walk(s, e - s);
      if (m_->groups) add_states(e - s);
      if (bonuses) add_bonuses(s, e);
      viterbi_wide<6>(s, e - s);
    } else {
      score_linear(s, e);
      if (bonuses) add_bonuses(s, e);
      viterbi_four(s, e - s, m_->start);
      trace(s, e - s, last_[3] > last_[2]);
    }
    ids_[e] = keep;
    steps_ += e - s;
  }

  // Decodes [s, e) part by part and calls emit(from, to) for each.  The scores of a position depend on two
  // characters to each side of it and on the words that it lies in, so a part is scored with so many characters
  // around it.  A part ends behind a word end that the best paths to all tags of its last position have in
  // common: the best path of the whole passes there, and from there on it is the best from that tag on, ties
  // included.  Where they have none in common the part is taken twice as long.
  template <class Emit>
  void decode_parts(uint32_t s, uint32_t e, const Emit& emit) {
    const uint32_t around = m_->lex->max_word + 2;
    const int32_t* start = m_->start;
    uint32_t size = part;
    for (uint32_t at = s; at < e;) {
      Interrupt::look();
      const uint32_t to = e - at > size ? at + size : e;
      const uint32_t first = at - s > around ? at - around : s, stop = e - to > around ? to + around : e;
      reserve(stop - first);
      origin_ = first;
      const uint16_t keep = ids_[stop];
      ids_[stop] = 0;
      score_linear(first, stop);
      skipped_ = at - first;
      em_ += skipped_ * kTagLanes;
      viterbi_four(at, to - at, start);
      skipped_ = 0;
      ids_[stop] = keep;
      steps_ += stop - first;
      uint32_t n = to - at;
      bool single = last_[3] > last_[2];
      if (to < e && !(n = common_end(n, single))) {
        size *= 2;
        continue;
      }
      trace(at, n, single);
      emit(at, at + n);
      at += n;
      start = m_->trans + 4 * (single ? 3 : 2);
      size = part;
    }
    origin_ = 0;
  }

  // The longest row of the first characters, of n, that ends behind a word in the best paths to all tags of the
  // last one; 0: none.  `single`: whether that word has one character.
  uint32_t common_end(uint32_t n, bool& single) {
    uint32_t tags = 0xF;  // a bit each
    for (uint32_t j = n; j-- > 1;) {
      const uint32_t back = back_[j];
      uint32_t before = 0;
      if (tags & 1) before |= back & 1 ? 8 : 4;  // B and S follow E or S, M and E follow B or M
      if (tags & 2) before |= back & 2 ? 2 : 1;
      if (tags & 4) before |= back & 4 ? 2 : 1;
      if (tags & 8) before |= back & 8 ? 8 : 4;
      tags = before;
      if (tags == 4 || tags == 8) {
        single = tags == 8;
        return j;
      }
    }
    return 0;
  }

  // `start`: what the tags B and S of the first character get.
  void viterbi_four(uint32_t s, uint32_t n, const int32_t* start) {
#if SEGMENTER_TAGGER_SSE
    if (!portable) {
      switch (states_added_ || m_->bilstm ? 0 : m_->groups) {
        case 0: return viterbi_vector<0>(s, n, start);
        case 1: return viterbi_vector<1>(s, n, start);
        case 2: return viterbi_vector<2>(s, n, start);
        default: return viterbi_vector<3>(s, n, start);
      }
    }
#endif
    viterbi_portable(s, n, start);
  }

  void reserve_states(uint32_t n) {
    if (longest_.size() < (size_t(n) + 2) * 16) longest_.resize((size_t(n) + n / 2 + 16) * 16);
  }

  // Sums of characters and pairs into em_; nodes of pairs into node_; list_ of the positions where a
  // third character may follow; states of words of two characters into longest_.
  void score_portable(uint32_t s, uint32_t n) {
    const TaggerModel& m = *m_;
    int16_t* em = em_;
    std::memset(em - 4 * kTagLanes, 0, (size_t(n) + 8) * kTagLanes * sizeof(int16_t));
    const int8_t* pad = m.uni;
    for (uint32_t t = 0; t < 3; ++t) {
      em[t] = sat(pad[9 + t] + pad[6 + t]);
      em[4 + t] = pad[9 + t];
    }
    list_end_ = 0;
    if (m.groups) {
      reserve_states(n);
      std::memset(longest_.data(), 0, (size_t(n) + 1) * 16);
    }
    for (uint32_t j = 0; j < n; ++j) {
      uint32_t id = ids_[s + j], next = ids_[s + j + 1], place = m.hot(id, next);
      const int8_t* r = m.pair + size_t(place) * kTagRecord;
      if ((record_key(r) & kPairKey) != pair_key(id, next)) {
        place = m.hot.n + m.cold(id, next);
        r = m.pair + size_t(place) * kTagRecord;
      }
      if ((record_key(r) & kPairKey) != pair_key(id, next)) r = m.uni + size_t(id) * kTagRecord;
      int16_t* to = em + (int64_t(j) - 1) * kTagLanes;
      for (uint32_t p = 0; p < 4; ++p)
        for (uint32_t t = 0; t < 3; ++t) to[4 * p + t] = sat(to[4 * p + t] + r[3 * p + t]);
      uint32_t key = record_key(r), groups = key >> 28 & 7;
      bool known = (key & kPairKey) == pair_key(id, next);
      node_[s - origin_ + j] = place | uint32_t(known) << 27 | (key >> 28) << 28;
      list_[list_end_] = j;
      list_end_ += key >> 31;
      if (m.groups)
        for (uint32_t g = 0; g < kTagGroups; ++g)
          if (groups >> g & 1) {
            longest_[size_t(j) * 16 + 4 * g] = 1;
            longest_[size_t(j + 1) * 16 + 4 * g + 2] = 1;
          }
    }
    for (uint32_t t = 0; t < 3; ++t) em[(n - 1) * 4 + t] = sat(em[(n - 1) * 4 + t] + pad[t]);
    uint32_t code = m.type_of[ids_[s]];
    for (uint32_t j = 0; j < n; ++j) {
      code = (code * 8 + (j + 1 < n ? m.type_of[ids_[s + j + 1]] : 0)) & 511;
      for (uint32_t t = 0; t < 3; ++t) em[j * 4 + t] = sat(em[j * 4 + t] + m.type[code * 4 + t]);
    }
  }

  // In node_: place | kKnown if the pair has a record | its flags << 28.
  static constexpr uint32_t kKnown = 1u << 27, kPlace = kKnown - 1;
  size_t list_end_ = 0;

#if SEGMENTER_TAGGER_SSE
  // The state bytes of a match: [groups][step][role] of 16 bytes.
  struct StatePatterns {
    alignas(16) uint8_t of[8][6][3][16];
    StatePatterns() {
      std::memset(of, 0, sizeof of);
      for (uint32_t mask = 0; mask < 8; ++mask)
        for (uint32_t step = 0; step < 6; ++step)
          for (uint32_t role = 0; role < 3; ++role)
            for (uint32_t g = 0; g < kTagGroups; ++g)
              if (mask >> g & 1) of[mask][step][role][4 * g + role] = uint8_t(step);
    }
  };
  static const StatePatterns& patterns() {
    static const StatePatterns table;
    return table;
  }

  void score_vector(uint32_t s, uint32_t n) {
    if (m_->groups) {
      reserve_states(n);
      score_sse<true>(s, n);
    } else {
      score_sse<false>(s, n);
    }
  }

  // What score_sse carries from one piece of a long stretch to the next.
  struct Window {
    __m128i near, far;  // sums of positions j-1, j and of j+1, j+2
    __m128i ended;      // states of words of two characters that end at j
    __m128i kinds;      // what the types add to position j-1
    size_t types;       // of positions j-2, j-1 and j, three bits each
    size_t listed;
  };
  static constexpr uint32_t kPiece = 16 * Interrupt::kEvery;  // characters between two looks
  // bytes into the high halves of 16-bit lanes, zero into the lanes of S
  static __m128i to_near() { return _mm_setr_epi8(-1, 0, -1, 1, -1, 2, -1, -1, -1, 3, -1, 4, -1, 5, -1, -1); }
  static __m128i to_far() { return _mm_setr_epi8(-1, 6, -1, 7, -1, 8, -1, -1, -1, 9, -1, 10, -1, 11, -1, -1); }
  static __m128i spread(__m128i v, __m128i to) { return _mm_srai_epi16(_mm_shuffle_epi8(v, to), 8); }

  template <bool kGroups>
  void score_sse(uint32_t s, uint32_t n) {
    // All places first: the misses of a piece overlap, where the window would let only a few be under way
    // at a time (1.6 times faster).
    const __m128i pad = _mm_loadu_si128(reinterpret_cast<const __m128i*>(m_->uni));
    const __m128i pad0 = spread(pad, to_near()), pad1 = spread(pad, to_far());
    Window w;
    w.near = _mm_slli_si128(_mm_adds_epi16(_mm_srli_si128(pad1, 8), pad1), 8);
    w.far = _mm_srli_si128(pad1, 8);
    w.ended = w.kinds = _mm_setzero_si128();
    w.types = m_->type_of[ids_[s]];
    w.listed = 0;
    for (uint32_t j = 0; j < n; j += kPiece) {
      if (j) Interrupt::look();
      const uint32_t stop = std::min(n, j + kPiece);
      find_places(s, j, stop, w.listed);
      slide<kGroups>(w, s, j, stop, stop == n);
    }
    // what follows the last character: the sentence's end
    _mm_storel_epi64(reinterpret_cast<__m128i*>(em_ + (int64_t(n) - 1) * kTagLanes),
                     _mm_adds_epi16(_mm_adds_epi16(w.near, pad0), w.kinds));
    list_end_ = w.listed;
  }

  // Places of the pairs that begin at [from, to), into node_.  What is not in the hot table is listed
  // (in list_, from `room` on), looked for in the other, and its cache line asked for.
  SEGMENTER_NOINLINE void find_places(uint32_t s, uint32_t from, uint32_t to, size_t room) {
    const PairHash hot = m_->hot, cold = m_->cold;
    const int8_t* __restrict pair = m_->pair;
    const uint16_t* __restrict ids = ids_ + s;
    uint32_t* __restrict node = node_.data() + (s - origin_);
    uint32_t* __restrict list = list_.data() + room;
    size_t m = 0;
    uint32_t first = ids[from];
    for (size_t j = from; j < to; ++j) {
      const uint32_t second = ids[j + 1], place = hot(first, second);
      const uint32_t key = record_key(pair + size_t(place) * kTagRecord);
      node[j] = place;
      list[m] = uint32_t(j);
      m += ((key ^ pair_key(first, second)) & kPairKey) != 0;
      first = second;
    }
    for (size_t i = 0; i < m; ++i) {
      uint32_t j = list[i], place = hot.n + cold(ids[j], ids[j + 1]);
      node[j] = place;
      _mm_prefetch(reinterpret_cast<const char*>(pair + size_t(place) * kTagRecord), _MM_HINT_T0);
    }
  }

  // Adds the records of the pairs that begin at [from, to) up, in a window of four positions.
  template <bool kGroups>
  SEGMENTER_NOINLINE void slide(Window& w, uint32_t s, uint32_t from, uint32_t to, bool last) {
    const int8_t* __restrict uni = m_->uni;
    const int8_t* __restrict pair = m_->pair;
    const uint16_t* __restrict ids = ids_ + s;
    uint32_t* __restrict node = node_.data() + (s - origin_);
    uint32_t* __restrict list = list_.data();
    uint8_t* __restrict longest = longest_.data();
    const auto& pattern = patterns().of;
    const uint32_t* const longer = m_->longer;
    const int16_t* __restrict type = m_->type;
    const uint8_t* __restrict type_of = m_->type_of;
    int16_t* __restrict em = em_ - kTagLanes;
    const __m128i to0 = to_near(), to1 = to_far();
    __m128i near = w.near, far = w.far, ended = w.ended, kinds = w.kinds;
    size_t types = w.types, m = w.listed;
    uint32_t id = ids[from];
    auto step = [&](size_t j, uint32_t next, size_t next_type) {
      const uint32_t place = node[j];
      const int8_t* r = pair + size_t(place) * kTagRecord;
      const uint32_t other = (record_key(r) ^ pair_key(id, next)) & kPairKey;
      r = without_branch(other, uni + size_t(id) * kTagRecord, r);
      id = next;
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(r));
      near = _mm_adds_epi16(near, spread(v, to0));
      far = _mm_adds_epi16(far, spread(v, to1));
      // position j-1 is complete but for its types, which are added last: the order of the sums is part
      // of the result where they saturate
      _mm_storel_epi64(reinterpret_cast<__m128i*>(em + kTagLanes * j), _mm_adds_epi16(near, kinds));
      types = (types * 8 + next_type) & 511;
      kinds = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(type + kTagLanes * types));
      near = _mm_alignr_epi8(far, near, 8);
      far = _mm_srli_si128(far, 8);
      const uint32_t key = record_key(r), longer_ones = key >> 31;
      node[j] = place | uint32_t(other == 0) << 27 | (key & 0xF0000000u);
      _mm_prefetch(reinterpret_cast<const char*>(longer + (place & (0 - longer_ones))), _MM_HINT_T0);  // for walk
      list[m] = uint32_t(j);
      m += longer_ones;
      if (kGroups) {
        const auto& of = pattern[key >> 28 & 7][1];
        const __m128i b = _mm_load_si128(reinterpret_cast<const __m128i*>(of[0]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(longest + 16 * j), _mm_or_si128(b, ended));
        ended = _mm_load_si128(reinterpret_cast<const __m128i*>(of[2]));
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

  // With G groups of states, which are added on the way: what waits for a step before it has time to spare.
  template <int G>
  SEGMENTER_NOINLINE void viterbi_vector(uint32_t s, uint32_t n, const int32_t* start) {
    const uint8_t* __restrict marks = marks_store_.data() + s;
    uint8_t* __restrict back = back_.data();
    int16_t* __restrict em = em_;
    const int32_t* w = m_->trans;
    const int16_t* __restrict state = m_->state;
    const uint8_t* __restrict longest = longest_.data() + 16 * skipped_;
    auto sums = [&](uint32_t j) {
      __m128i* const at = reinterpret_cast<__m128i*>(em + 4 * size_t(j));
      __m128i sum = _mm_loadl_epi64(at);
      if constexpr (G > 0) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(longest + 16 * size_t(j)));
        sum = with_states<G>(sum, v, state);
        _mm_storel_epi64(at, sum);
      }
      return _mm_cvtepi16_epi32(sum);
    };
    // predecessors: B and S follow E or S; M and E follow B or M
    const __m128i t1 = _mm_setr_epi32(w[8], w[1], w[2], w[11]);
    const __m128i t2 = _mm_setr_epi32(w[12], w[5], w[6], w[15]);
    alignas(16) static const int32_t penalty[4][4] = {
        {0, 0, 0, 0}, {0, kTagNever, kTagNever, 0}, {kTagNever, 0, 0, kTagNever}, {0, kTagNever, kTagNever, 0}};
    __m128i v = _mm_add_epi32(
        sums(0), _mm_setr_epi32(start[0], kTagNever, kTagNever, start[3]));
    for (uint32_t j = 1; j < n;) {
      uint32_t stop = std::min(n, j + 1024);
      if (j > 1) Interrupt::look(1024);
      for (; j < stop; ++j) {
        __m128i e = sums(j);
        e = _mm_add_epi32(e, _mm_load_si128(reinterpret_cast<const __m128i*>(penalty[marks[j] & 3])));
        __m128i a = _mm_add_epi32(_mm_shuffle_epi32(v, _MM_SHUFFLE(2, 0, 0, 2)), _mm_add_epi32(t1, e));
        __m128i b = _mm_add_epi32(_mm_shuffle_epi32(v, _MM_SHUFFLE(3, 1, 1, 3)), _mm_add_epi32(t2, e));
        back[j] = uint8_t(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(b, a))));
        v = _mm_max_epi32(a, b);
      }
      v = _mm_sub_epi32(v, _mm_shuffle_epi32(v, _MM_SHUFFLE(2, 2, 2, 2)));  // never overflows
      v = _mm_max_epi32(v, _mm_set1_epi32(kTagNever));
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(last_), v);
  }
#endif

  // Words of three and more characters.  First all positions whose third character passes the guard,
  // with the slot where it must be: the loads of one loop do not wait for each other.
  SEGMENTER_NOINLINE void walk(uint32_t s, uint32_t n) {
    const Trie& trie = m_->lex->trie;
    const uint64_t* __restrict units = trie.units;
    const uint32_t* __restrict longer = m_->longer;
    const uint16_t* __restrict ids = ids_ + s;
    uint32_t* __restrict list = list_.data();
    uint32_t* __restrict slots = slots_.data();
    const uint32_t* __restrict node = node_.data() + (s - origin_);
    Found* __restrict found = longest_word_.data() + (s - origin_);
    size_t m = 0;
    for (size_t i = 0; i < list_end_; ++i) {
      uint32_t j = list[i], id = ids[j + 2], base = longer[node[j] & kPlace];
      found[j].length = 0;
      uint32_t slot = (base & 0xFFFFFF) + id;
      list[m] = j;
      slots[m] = slot;
      m += base >> (24 + (id & 7)) & 1;
#if SEGMENTER_TAGGER_SSE
      _mm_prefetch(reinterpret_cast<const char*>(units + slot), _MM_HINT_T0);
#endif
    }
    steps_ += list_end_;
    for (size_t i = 0; i < m; ++i) {
      uint32_t slot = slots[i], j = list[i];
      uint64_t u = units[slot];
      if (unit_label(u) != ids[j + 2]) continue;
      for (uint32_t k = j + 3;; ++k) {
        ++steps_;
        if (unit_cost(u) != kNoCost) {
          found[j] = Found{slot, k - j};
          add_match(j, k - j, unit_cost(u));
          if (m_->bilstm) note_class(s + j, k - j, m_->bilstm->word_class[m_->lex->word_id(slot)]);
        }
        if (!unit_guard(u, ids[k])) break;
        slot = unit_base(u) + ids[k];
        u = units[slot];
        if (unit_label(u) != ids[k]) break;
      }
    }
  }

  void add_match(uint32_t j, uint32_t len, uint32_t row) {
    if (m_->tags == 6) {
      add_match_wide(j, len, row);
      if (m_->groups) note_match(j, len, row);
      return;
    }
    const int16_t* r = m_->match + size_t(row) * kTagRow;
    int16_t* em = em_ + size_t(j) * kTagLanes;
#if SEGMENTER_TAGGER_SSE
    if (!portable) {
      auto add = [](int16_t* to, const int16_t* what) {
        __m128i* at = reinterpret_cast<__m128i*>(to);
        _mm_storel_epi64(at, _mm_adds_epi16(_mm_loadl_epi64(at),
                                            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(what))));
      };
      add(em, r);
      add(em + 4, r + 4);
      for (uint32_t k = 2; k + 1 < len; ++k) add(em + 4 * k, r + 8);
      add(em + 4 * (len - 1), r + 12);
    } else
#endif
    {
      for (uint32_t k = 0; k < len; ++k) {
        uint32_t role = k + 1 == len ? 3 : std::min(k, 2u);
        for (uint32_t t = 0; t < 4; ++t) em[4 * k + t] = sat(em[4 * k + t] + r[4 * role + t]);
      }
    }
    if (m_->groups) note_match(j, len, row);
  }

  void note_match(uint32_t p, uint32_t len, uint32_t row) {  // p: from the segment's start
    uint32_t groups = m_->groups_of[row], step = std::min(len, 6u) - 1;
    if (!groups) return;
    uint8_t* at = longest_.data() + size_t(p) * 16;
#if SEGMENTER_TAGGER_SSE
    if (!portable) {
      const auto& of = patterns().of[groups][step];
      for (uint32_t k = 0; k < len; ++k, at += 16) {
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
        uint8_t& v = at[16 * k + 4 * g + (k == 0 ? 0 : k + 1 == len ? 2 : 1)];
        v = std::max(v, uint8_t(step));
      }
    }
  }

  // The sums of six tags, matches of three and more characters and states excepted; places of the
  // records, words of two characters and their states are score_portable's.
  SEGMENTER_NOINLINE void score_wide(uint32_t s, uint32_t n) {
    constexpr uint32_t T = 6;
    const TaggerModel& m = *m_;
    wide_.assign((size_t(n) + 8) * T, 0);
    int32_t* at = wide_.data() + T;  // position -1 has a place of its own
    auto add = [&](int64_t j, const int16_t* r, uint32_t from, uint32_t to) {
      for (uint32_t p = from; p < to; ++p)
        for (uint32_t t = 0; t < T; ++t) at[(j - 1 + int64_t(p)) * T + t] += r[T * p + t];
    };
    add(-2, m.wide_uni, 3, 4);  // what lies before the sentence
    add(-1, m.wide_uni, 2, 4);
    uint32_t code = m.type_of[ids_[s]];
    for (uint32_t j = 0; j < n; ++j) {
      add(j, node_[s + j] & kKnown ? m.wide_pair + size_t(node_[s + j] & kPlace) * 4 * T : m.wide_uni + size_t(ids_[s + j]) * 4 * T,
          j ? 0 : 1, 4);
      code = (code * 8 + (j + 1 < n ? m.type_of[ids_[s + j + 1]] : 0)) & 511;
      for (uint32_t t = 0; t < T; ++t) at[j * T + t] += m.type[code * T + t];
    }
    add(n, m.wide_uni, 0, 1);  // and behind it
  }

  int32_t* wide_at(uint32_t j) { return wide_.data() + (size_t(j) + 1) * 6; }

  void add_match_wide(uint32_t j, uint32_t len, uint32_t row) {
    const int16_t* r = m_->match + size_t(row) * 4 * 6;
    for (uint32_t k = 0; k < len; ++k) {
      const int16_t* what = r + 6 * (k + 1 == len ? 3 : std::min(k, 2u));
      int32_t* to = wide_at(j + k);
      for (uint32_t t = 0; t < 6; ++t) to[t] += what[t];
    }
  }

  template <int T>
  SEGMENTER_NOINLINE void viterbi_wide(uint32_t s, uint32_t n) {
    if (wide_back_.size() < size_t(n) * T) wide_back_.resize((size_t(n) + n / 2) * T);
    int32_t v[T], q[T], e[T];
    emission<T>(s, 0, e);
    for (int t = 0; t < T; ++t) v[t] = Tags<T>::begins(t) ? e[t] + m_->start[t] : kTagNever;
    for (uint32_t j = 1; j < n; ++j) {
      emission<T>(s, j, e);
      for (int t = 0; t < T; ++t) {
        int32_t top = INT32_MIN;
        for (int a = 0; a < T; ++a) {
          if (!Tags<T>::follows(a, t)) continue;
          int32_t x = v[a] + m_->trans[T * a + t];
          if (x <= top) continue;
          top = x;
          wide_back_[size_t(j) * T + size_t(t)] = uint8_t(a);
        }
        q[t] = std::max(top + e[t], kTagNever);
      }
      int32_t base = j & 1023 ? 0 : q[T - 2];  // never overflows
      for (int t = 0; t < T; ++t) v[t] = std::max(q[t] - base, kTagNever);
    }
    int t = v[T - 1] > v[T - 2] ? T - 1 : T - 2;
    n_ends_ = 0;
    ends_stop_ = n;
    for (uint32_t j = n; j-- > 0;) {
      if (Tags<T>::ends(t)) ends_[n - ++n_ends_] = Piece{s + j + 1, 0};
      if (j) t = wide_back_[size_t(j) * T + size_t(t)];
    }
  }

#if SEGMENTER_TAGGER_SSE
  // Adds what the states `v` of one position, [groups][4] bytes, say to its four sums.
  template <int G>
  static __m128i with_states(__m128i sum, __m128i v, const int16_t* state) {
    const __m128i codes = _mm_madd_epi16(_mm_maddubs_epi16(v, _mm_set1_epi32(0x00010624)), _mm_set1_epi16(1));
    auto row = [&](uint64_t code, uint32_t g) {
      return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(state + (g * size_t(kTagStates) + code) * 4));
    };
    const uint64_t two = uint64_t(_mm_cvtsi128_si64(codes));
    sum = _mm_adds_epi16(sum, row(two & 0xFFFFFFFF, 0));
    if constexpr (G > 1) sum = _mm_adds_epi16(sum, row(two >> 32, 1));
    if constexpr (G > 2) sum = _mm_adds_epi16(sum, row(uint32_t(_mm_extract_epi32(codes, 2)), 2));
    return sum;
  }
#endif

  SEGMENTER_NOINLINE void add_states(uint32_t n) {
    const uint8_t* at = longest_.data();
    if (m_->tags == 6) {
      for (uint32_t j = 0; j < n; ++j, at += 16)
        for (uint32_t g = 0; g < m_->groups; ++g) {
          const uint8_t* x = at + 4 * g;
          const int16_t* w = m_->state + (size_t(g) * kTagStates + (x[0] * 6u + x[1]) * 6u + x[2]) * 6;
          for (uint32_t t = 0; t < 6; ++t) wide_at(j)[t] += w[t];
        }
      return;
    }
    for (uint32_t j = 0; j < n; ++j, at += 16) {
#if SEGMENTER_TAGGER_SSE
      if (!portable) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        __m128i* to = reinterpret_cast<__m128i*>(em_ + 4 * size_t(j));
        __m128i sum = _mm_loadl_epi64(to);
        if (m_->groups == 1) sum = with_states<1>(sum, v, m_->state);
        else if (m_->groups == 2) sum = with_states<2>(sum, v, m_->state);
        else sum = with_states<3>(sum, v, m_->state);
        _mm_storel_epi64(to, sum);
        continue;
      }
#endif
      int16_t* to = em_ + 4 * size_t(j);
      for (uint32_t g = 0; g < m_->groups; ++g) {
        const uint8_t* x = at + 4 * g;
        const int16_t* w = m_->state + (size_t(g) * kTagStates + (x[0] * 6u + x[1]) * 6u + x[2]) * 4;
        for (uint32_t t = 0; t < 4; ++t) to[t] = sat(to[t] + w[t]);
      }
    }
  }

  // A word of the user that competes is to a tagger what a word of its lexicon is: its tags gain, in
  // equal shares.
  void add_bonuses(uint32_t s, uint32_t e) {
    for (; next_bonus_ < bonuses->size() && (*bonuses)[next_bonus_].start < e; ++next_bonus_) {
      const UserEdge& b = (*bonuses)[next_bonus_];
      uint32_t len = b.end - b.start;
      if (b.start < s || b.end > e) continue;
      int32_t share = int32_t((b.cost + len - 1) / len);
      for (uint32_t k = 0; k < len; ++k) {
        uint32_t last = m_->tags - 1, inner = std::min(k, last - 2);  // B M E S, or B C D M E S
        uint32_t tag = len == 1 ? last : k + 1 == len ? last - 1 : inner;
        if (m_->tags == 6) {
          wide_at(b.start - s + k)[tag] += share;
        } else {
          int16_t& em = em_[size_t(b.start - s + k) * kTagLanes + tag];
          em = sat(em + share);
        }
      }
      steps_ += len;
    }
  }
  size_t next_bonus_ = 0;

  static void step(const int32_t* w, const int32_t* v, const int32_t* e, int32_t* out, uint8_t* back) {
    static const uint8_t first[4] = {2, 0, 0, 2};
    uint32_t bits = 0;
    for (uint32_t t = 0; t < 4; ++t) {
      uint32_t p = first[t];
      int32_t a = v[p] + w[4 * p + t] + e[t], b = v[p + 1] + w[4 * (p + 1) + t] + e[t];
      bits |= uint32_t(b > a) << t;
      out[t] = b > a ? b : a;
    }
    *back = uint8_t(bits);
  }

  template <int T>
  void emission(uint32_t s, uint32_t j, int32_t* e) const {
    uint8_t mark = j ? marks_store_[s + j] & 3 : 0;
    for (int t = 0; t < T; ++t) {
      bool opens = Tags<T>::begins(t);
      bool barred = mark & kMarkCut ? !opens : mark & kMarkJoin ? opens : false;
      int32_t sum = T == 4 ? em_[4 * size_t(j) + size_t(t)] : wide_[(size_t(j) + 1) * T + size_t(t)];
      e[t] = sum + (barred ? kTagNever : 0);
    }
  }

  void viterbi_portable(uint32_t s, uint32_t n, const int32_t* start) {
    int32_t v[4], e[4], q[4];
    emission<4>(s, 0, e);
    v[0] = e[0] + start[0];
    v[1] = e[1] + kTagNever;
    v[2] = e[2] + kTagNever;
    v[3] = e[3] + start[3];
    for (uint32_t j = 1; j < n;) {
      uint32_t stop = std::min(n, j + 1024);
      if (j > 1) Interrupt::look(1024);
      for (; j < stop; ++j) {
        emission<4>(s, j, e);
        step(m_->trans, v, e, q, &back_[j]);
        std::memcpy(v, q, sizeof v);
      }
      int32_t base = v[2];
      for (int32_t& x : v) x = std::max(x - base, kTagNever);
    }
    std::memcpy(last_, v, sizeof last_);
  }

  // Follows the back pointers; ends_ gets the word ends, from its end to its front.
  SEGMENTER_NOINLINE void trace(uint32_t s, uint32_t n, bool single) {
    // for each mask of back bits: a byte a tag, eight times the tag before it
    struct Table {
      uint32_t of[16];
      Table() {
        for (uint32_t m = 0; m < 16; ++m) {
          uint32_t b = m & 1 ? 3 : 2, c = m & 2 ? 1 : 0, d = m & 4 ? 1 : 0, a = m & 8 ? 3 : 2;
          of[m] = 8 * b | 8 * c << 8 | 8 * d << 16 | 8 * a << 24;
        }
      }
    };
    static const Table table;
    const uint8_t* __restrict back = back_.data();
    Piece* const stop = ends_.data() + n;
    Piece* __restrict to = stop;
    uint32_t t = single ? 24 : 16;
    for (uint32_t j = n; j-- > 0;) {
      to[-1] = Piece{s + j + 1, 0};
      to -= t >> 4;  // E and S end a word
      t = table.of[back[j] & 15] >> t & 0xFF;
    }
    n_ends_ = size_t(stop - to);
    ends_stop_ = n;
  }
  Piece* first_end() { return ends_.data() + (ends_stop_ - n_ends_); }

  uint32_t what_one(uint32_t k) const {
    return m_->lex->alone[ids_[k]] | uint32_t(odd_store_[k]) << 31;
  }

  // Slot of a word of three characters and more, 0 where the trie does not have its path.
  uint32_t slot_of(uint32_t s, uint32_t e) const {
    const Trie& trie = m_->lex->trie;
    const uint32_t node = node_[s - origin_];
    if (!(node >> 31)) return 0;
    const Found& longest = longest_word_[s - origin_];
    if (longest.length == e - s) return longest.slot;
    uint32_t slot = (m_->longer[node & kPlace] & 0xFFFFFF) + ids_[s + 2];
    if (unit_label(trie.units[slot]) != ids_[s + 2]) return 0;
    for (uint32_t k = s + 3; slot && k < e; ++k) slot = trie.child(slot, ids_[k]);
    return slot;
  }

  // `what` of a word of several characters.
  uint32_t what_of(uint32_t s, uint32_t e) const {
    uint32_t node = node_[s - origin_], slot = 0;
    bool word = false;
    if (e == s + 2) {
      // a number of its own for the face's shared strings, beyond the trie's slots
      if (node & kKnown) slot = m_->lex->trie.n_units + (node & kPlace);
      word = (node >> 28 & 7) != 0;
    } else {
      slot = slot_of(s, e);
      word = slot && m_->lex->is_word(slot);
    }
    // what begins with an Arabic digit has the kind of its run, whatever lists hold (1998年, 2026年)
    EdgeKind kind = kUnknown;
    if (ids_[s] && ids_[s] < m_->lex->n_special && (!word || cls(s) == kDigit)) kind = kind_of(s, e);
    if (word && kind == kUnknown) kind = kWord;
    return slot | uint32_t(kind) << 24 | odd(s, e);
  }

  EdgeKind kind_of(uint32_t s, uint32_t e) const {
    CharClass c = cls(s);
    if (c >= kGreek && c <= kLetter) return kScriptRun;
    if (c == kExtend) return kCluster;
    bool latin = false;
    for (uint32_t k = s; k < e; ++k) {
      CharClass x = cls(k);
      latin |= x == kLatin;
      if (x == kExtend) return kCluster;
      if (x > kHanNum && x < kPoint) return kUnknown;
      if (x == kHan) {
        const RuleIds& r = m_->lex->rules;
        uint32_t id = ids_[k];
        bool date = id == r.nian || id == r.yue || id == r.ri || id == r.shi || id == r.fen;
        return k + 1 == e && k > s && date ? kDate : kUnknown;
      }
    }
    return latin ? kLatinRun : c == kDigit || c == kHanNum ? kNumber : kUnknown;
  }

  void emit_ends(std::vector<Piece>& out) {
    out.insert(out.end(), first_end(), first_end() + n_ends_);
    steps_ += n_ends_;
  }

  // As emit_words, kinds left out: whether a word has one character or two is a coin toss, so neither
  // asks for a branch.
  SEGMENTER_NOINLINE void emit_spellings(uint32_t s, uint32_t e, std::vector<Piece>& out) {
    const uint16_t keep = ids_[e];
    ids_[e] = 0;
    Piece* __restrict to = first_end();
    Piece* const stop = to + n_ends_;
    const uint32_t* __restrict alone = m_->lex->alone.data();
    const uint32_t* __restrict node = node_.data();
    const uint8_t* __restrict odd_at = odd_store_.data();
    const uint32_t n_units = m_->lex->trie.n_units, origin = origin_;
    uint32_t from = s;
    for (; to != stop; ++to) {
      uint32_t end = to->end, what;
      if (__builtin_expect(end - from > 2, 0)) {
        what = slot_of(from, end) | odd(from, end);
      } else {
        const uint32_t record = node[from - origin];
        uint32_t one = 0 - uint32_t(end - from == 1), known = 0 - (record >> 27 & 1);
        uint32_t pair = (n_units + (record & kPlace)) & known;
        what = (alone[ids_[from]] & one) | (pair & ~one) | uint32_t(odd_at[from] | odd_at[end - 1]) << 31;
      }
      to->what = what;
      from = end;
    }
    ids_[e] = keep;
    emit_ends(out);
  }

  SEGMENTER_NOINLINE void emit_words(uint32_t s, uint32_t e, std::vector<Piece>& out) {
    uint16_t keep = ids_[e];
    ids_[e] = 0;
    uint32_t from = s;
    for (Piece *to = first_end(), *const stop = to + n_ends_; to != stop; ++to) {
      to->what = to->end == from + 1 ? what_one(from) : what_of(from, to->end);
      from = to->end;
    }
    ids_[e] = keep;
    emit_ends(out);
  }

  // margin_[j]: by how much the best path decides whether a boundary follows position j.
  template <int T>
  void boundary_margins(uint32_t n) {
    const int32_t* w = m_->trans;
    uint32_t s = last_start_;
    margin_.assign(n, 0);
    std::vector<int64_t> f(size_t(n) * T);
    int64_t b[T], c[T];
    int32_t e[T];
    emission<T>(s, 0, e);
    for (int t = 0; t < T; ++t) f[size_t(t)] = e[t] + (Tags<T>::begins(t) ? m_->start[t] : kTagNever);
    for (uint32_t j = 1; j < n; ++j) {
      emission<T>(s, j, e);
      for (int t = 0; t < T; ++t) {
        int64_t top = INT64_MIN;
        for (int a = 0; a < T; ++a)
          if (Tags<T>::follows(a, t)) top = std::max(top, f[T * size_t(j - 1) + size_t(a)] + w[T * a + t]);
        f[T * size_t(j) + size_t(t)] = e[t] + top;
      }
    }
    for (int t = 0; t < T; ++t) b[t] = Tags<T>::ends(t) ? 0 : kTagNever;
    for (uint32_t j = n; j-- > 0;) {
      const int64_t* x = &f[T * size_t(j)];
      int64_t open = INT64_MIN, shut = INT64_MIN;
      for (int t = 0; t < T; ++t) {
        int64_t& side = Tags<T>::ends(t) ? shut : open;
        side = std::max(side, x[t] + b[t]);
      }
      int64_t gap = shut > open ? shut - open : open - shut;
      margin_[j] = int32_t(std::min<int64_t>(gap, -int64_t(kTagNever)));
      if (j == 0) break;
      emission<T>(s, j, e);
      for (int t = 0; t < T; ++t) {
        c[t] = INT64_MIN;
        for (int to = 0; to < T; ++to)
          if (Tags<T>::follows(t, to)) c[t] = std::max(c[t], w[T * t + to] + e[to] + b[to]);
      }
      std::memcpy(b, c, sizeof b);
    }
    steps_ += 2 * n;
  }
  uint32_t last_start_ = 0;

  struct Kept {  // one of the best ways to reach a tag
    int64_t score;
    uint32_t from;  // index into the column before
  };
  static constexpr size_t kMostKept = 1 << 25;  // 512 MB: more are refused, with std::invalid_argument

  template <int T>
  void paths(size_t n, size_t count, std::vector<TagPath>& out) {
    out.clear();
    if (!count) return;
    if (!n) {
      out.push_back(TagPath{0, {}});
      return;
    }
    // columns of up to T * count cells; cell t*count + rank; separators use tag S
    std::vector<std::vector<Kept>> columns;
    std::vector<uint32_t> sizes;  // T a column
    std::vector<Kept> pool;
    auto push = [&](const int32_t* e, bool first, const int32_t* trans) {
      Interrupt::look(count);
      if ((columns.size() + 1) * T * count > kMostKept) throw std::invalid_argument("nbest: out of bounds");
      std::vector<Kept> column(T * count);
      for (int t = 0; t < T; ++t) {
        pool.clear();
        int64_t begins = trans ? m_->start[t] : 0;
        if (columns.empty()) {
          if (Tags<T>::begins(t)) pool.push_back(Kept{int64_t(e[t]) + begins, 0});
        } else {
          const std::vector<Kept>& before = columns.back();
          for (int q = 0; q < T; ++q) {
            if (!Tags<T>::follows(q, t)) continue;
            for (uint32_t r = 0; r < sizes[T * (columns.size() - 1) + size_t(q)]; ++r) {
              const Kept& k = before[size_t(q) * count + r];
              int64_t add = first ? begins : trans[T * q + t];
              pool.push_back(Kept{k.score + add + e[t], uint32_t(size_t(q) * count + r)});
            }
          }
        }
        std::stable_sort(pool.begin(), pool.end(), [](const Kept& a, const Kept& b) { return a.score > b.score; });
        while (!pool.empty() && pool.back().score < kTagNever / 2) pool.pop_back();
        size_t keep = std::min(count, pool.size());
        std::copy(pool.begin(), pool.begin() + int64_t(keep), column.begin() + int64_t(size_t(t) * count));
        sizes.push_back(uint32_t(keep));
      }
      columns.push_back(std::move(column));
      steps_ += T * count;
    };
    std::vector<uint32_t> offset;  // where column i ends in the text
    segments([&](uint32_t s, uint32_t e) {
      decode(s, e);
      int32_t em[T];
      for (uint32_t j = 0; j < e - s; ++j) {
        emission<T>(s, j, em);
        for (int t = 0; t < T && j == 0; ++t)
          if (!Tags<T>::begins(t)) em[t] = kTagNever;
        push(em, j == 0, m_->trans);
        for (int t = 0; t < T && j + 1 == e - s; ++t)
          if (!Tags<T>::ends(t)) sizes[sizes.size() - size_t(T - t)] = 0;
        offset.push_back(s + j + 1);
      }
    }, [&](uint32_t, uint32_t e, EdgeKind) {
      int32_t em[T];
      for (int t = 0; t < T; ++t) em[t] = t == T - 1 ? 0 : kTagNever;
      push(em, true, nullptr);
      offset.push_back(e);
    });
    std::vector<Kept> last;
    for (int t = 0; t < T; ++t)
      for (uint32_t r = 0; Tags<T>::ends(t) && r < sizes[T * (columns.size() - 1) + size_t(t)]; ++r)
        last.push_back(Kept{columns.back()[size_t(t) * count + r].score, uint32_t(size_t(t) * count + r)});
    std::stable_sort(last.begin(), last.end(), [](const Kept& a, const Kept& b) { return a.score > b.score; });
    if (last.size() > count) last.resize(count);
    for (const Kept& k : last) {
      TagPath path{k.score, {}};
      uint32_t cell = k.from;
      for (size_t i = columns.size(); i-- > 0;) {
        if (Tags<T>::ends(int(cell / count))) path.ends.push_back(offset[i]);
        cell = columns[i][cell].from;
      }
      std::reverse(path.ends.begin(), path.ends.end());
      out.push_back(std::move(path));
    }
  }
};

}  // namespace segmenter
