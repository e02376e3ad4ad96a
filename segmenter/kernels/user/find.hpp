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

  // Fills `edits`; false if the text contains no entry. `by_lines`: words contain no line end.
  // `tagged`: weighted entries with blanks, which a tagger cannot score, are preferred instead.
  // `numbers`: whether the caller needs the numbers of the spans' entries; otherwise they are 0.
  // `spans`: whether the caller needs the spans; otherwise only their marks are written, if there
  // are no other edits. `atoms`: the atoms of the text, whose grapheme clusters preferred words do
  // not cut; null: none.
  bool find(const UserDictionary& dict, const Lexicon& lex, const Text& text, bool by_lines,
            bool tagged, bool numbers, bool spans, const std::vector<AtomFound>* atoms) {
    dict_ = &dict;
    lex_ = &lex;
    text_ = text;
    n_ = uint32_t(text.n);
    atoms_ = atoms;
    by_lines_ = by_lines;
    tagged_ = tagged;
    numbers_ = numbers;
    lists_spans_ = spans;
    any_entry_ = any_forced_ = false;
    folded_as_ = 0;
    in_order_ = true;
    forget();
    const bool markless = has_no_marks();
    for (const UserLayer& layer : dict.layers)
      for (uint32_t f = 0; f < kUserFields; ++f)
        if (layer.field[f].there) {
          layer_ = &layer;
          field_ = &layer.field[f];
          fold_ = &dict.fold[f];
          source_ = (uint32_t(&layer - dict.layers.data()) * kUserFields + f) << kSourceShift;
          lists_spans_ |= layer.n_parts != 0;
          span_flags_ = markless && !layer.n_dead ? user::kPreferred | user::kForced : 0;
          if (f == 0) {
            text.cells([&](const auto* cells) { scan(cells); });
          } else {
            fold_text(f);
            scan(static_cast<const uint32_t*>(folded_.data()));
          }
        }
    if (matches_.empty() && !any_entry_ && !any_singles_) return false;
    if (!in_order_) order();
    lists_spans_ |= !edits.edges.empty() || !edits.cuts.empty();
    choose_spans();
    return true;
  }

  // Writes the spans after all, if find() only wrote their marks.
  void list_spans() {
    if (lists_spans_) return;
    lists_spans_ = true;
    edits.marks = nullptr;
    choose_spans();
  }

  // Every live entry of level force or prefer in the text that may apply, by start.
  std::vector<UserMatch> fixed() const {
    std::vector<UserMatch> matches;
    each_single([&](uint32_t k) { append({k, k + 1, kNoPlace | singles_source_}, matches); });
    for (const Match& match : matches_) append(match, matches);
    sort(matches);
    return matches;
  }

  // For a text without user words.
  void forget() {
    edits.clear();
    matches_.clear();
    singles_source_ = kNoField;
    any_singles_ = other_matches_ = false;
  }

  // Sorts the weighted words by start and end; keeps one per range of characters, and none that
  // overlaps a span.
  void prune_edges() {
    std::vector<UserEdge>& edges = edits.edges;
    if (edges.empty()) return;
    sort(edges);
    size_t m = 0, span = 0;
    for (const UserEdge& e : edges) {
      while (span < edits.spans.size() && edits.spans[span].end <= e.start) ++span;
      if (span < edits.spans.size() && edits.spans[span].start < e.end) continue;
      if (m && edges[m - 1].start == e.start && edges[m - 1].end == e.end) continue;
      edges[m++] = e;
      edits.reach = std::max(edits.reach, e.end - e.start);
    }
    edges.resize(m);
  }

 private:
  static constexpr size_t kBlockOfText = 512;  // positions that are looked up together
  static constexpr size_t kQueueSize = 2 * kBlockOfText;
  static constexpr uint32_t kSourceShift = 26, kPlaceBits = (1u << kSourceShift) - 1;
  // Of a single character, whose place is looked up if it wins.
  static constexpr uint32_t kNoPlace = kPlaceBits;
  static constexpr uint32_t kIsForced = 1u << 31, kNoField = ~uint32_t(0);
  // An entry in the text; `location`: its place in the nodes of a field, which field of which
  // layer, and whether it is forced.
  struct Match {
    uint32_t start, end, location;
  };
  struct Step {  // a prefix of `depth` characters to look up, by its key
    uint64_t key;
    uint32_t k, home, depth;
    bool skipped_to;
  };

  const UserDictionary* dict_ = nullptr;
  const UserLayer* layer_ = nullptr;  // these four: the field being searched
  const UserField* field_ = nullptr;
  const FoldTable* fold_ = nullptr;
  uint32_t source_ = 0;
  uint64_t span_flags_ = 0;  // flags of entries that become spans without a check
  const Lexicon* lex_ = nullptr;
  Text text_;
  const std::vector<AtomFound>* atoms_ = nullptr;
  uint32_t n_ = 0, folded_as_ = 0;
  bool by_lines_ = false, tagged_ = false, numbers_ = true, lists_spans_ = true;
  bool any_entry_ = false, any_forced_ = false;
  std::vector<uint32_t> folded_;
  std::vector<uint64_t> singles_;  // a bit for each character that is an entry and needs no check
  uint32_t singles_source_ = kNoField;  // the field of these entries
  bool any_singles_ = false, other_matches_ = false;
  std::vector<Match> matches_;  // all other entries, by length and start
  std::vector<Match> ordered_;  // memory to order them in
  bool in_order_ = true;        // whether matches_ is in this order
  uint32_t positions_[kBlockOfText + 1];
  Step queue_[kQueueSize];  // a ring
  Match new_matches_[kBlockOfText];
  std::vector<uint64_t> covered_, starts_;  // a bit for each character
  std::vector<uint8_t> marks_;              // of the spans
  Capacity capacity_;                       // of winners_
  std::vector<Match> winners_;              // by start; at n_ a match that lost

  uint32_t cp(uint32_t k) const { return text_[k]; }
  CharClass cls(uint32_t k) const { return lex_->char_class(lex_->map.id(cp(k))); }

  void fold_text(uint32_t f) {
    if (folded_as_ == f) return;
    folded_as_ = f;
    if (folded_.size() < n_) folded_.resize(n_);
    for (uint32_t k = 0; k < n_; ++k) folded_[k] = (*fold_)(cp(k));
    steps += n_;
  }

  // Whether all characters are Han, kana, of ASCII, or such signs as 。“…！: no marks, no joiners.
  // An entry of Han characters then cuts no cluster.
  bool has_no_marks() const {
    if (text_.width != 2) return false;
    const uint16_t* const t = static_cast<const uint16_t*>(text_.data);
    auto among = [](uint16_t c, uint16_t begin, uint16_t end) {
      return uint16_t(uint16_t(c - begin) < uint16_t(end - begin));
    };
    constexpr uint32_t kLanes = 8;  // a constant, so that the compiler uses vectors
    uint16_t safe[kLanes] = {1, 1, 1, 1, 1, 1, 1, 1};
    auto check = [&](const uint16_t* chars) {
      for (uint32_t i = 0; i < kLanes; ++i) {
        const uint16_t c = chars[i];
        safe[i] &= uint16_t(among(c, 0x4E00, 0xA000) | among(c, 0, 0x300) |
                            among(c, 0x2010, 0x2030) | among(c, 0x3000, 0x302A) |
                            among(c, 0x3040, 0x3099) | among(c, 0xFF00, 0xFF60));
      }
    };
    if (n_ < kLanes) {
      uint16_t few[kLanes] = {};
      std::copy(t, t + n_, few);
      check(few);
    } else {
      for (uint32_t k = 0; k + kLanes < n_; k += kLanes) check(t + k);
      check(t + n_ - kLanes);
    }
    return std::all_of(safe, safe + kLanes, [](uint16_t x) { return x != 0; });
  }

  // --- finding -----------------------------------------------------------------------------------

  template <class Char>
  SEGMENTER_NOINLINE void scan(const Char* t) {
    for (uint32_t begin = 0; begin < n_; begin += kBlockOfText) {
      in_order_ &= matches_.empty();
      const uint32_t end = std::min<uint32_t>(n_, begin + kBlockOfText);
      const size_t n = sift(t, begin, std::min(end, n_ - 1));
      for (size_t i = 0; i < n; ++i) {
        const uint32_t k = positions_[i];
        const uint64_t key = user::pair(t[k], t[k + 1]);
        const auto home = uint32_t(field_->home(key));
        __builtin_prefetch(field_->nodes + home);
        queue_[i] = Step{key, k, home, 2, false};
      }
      if (n) walk(t, n);
      if (field_->singles) singles(t, begin, end);
      steps += n;
    }
    steps += n_;
  }

  // Lists the positions of [begin, end) whose pair of characters may begin an entry.
  template <class Char>
  size_t sift(const Char* t, uint32_t begin, uint32_t end) {
    const uint32_t* __restrict filter = field_->filter;
    const uint32_t shift = field_->filter_shift;
    uint32_t* __restrict positions = positions_;
    size_t n = 0;
#if defined(__GNUC__)
#pragma GCC unroll 8
#endif
    for (uint32_t k = begin; k < end; ++k) {
      const uint32_t h = user::filter_hash(two_at(t + k)) >> shift;
      positions[n] = k;
      n += filter[h >> 5] >> (h & 31) & 1;
    }
    return n;
  }

  // Looks up the n prefixes in queue_, all of two characters, and the longer ones that follow. A
  // step to a longer prefix waits behind all others, so that their misses overlap.
  template <class Char>
  SEGMENTER_NOINLINE void walk(const Char* t, size_t n) {
    const UserField& field = *field_;
    const uint64_t* const nodes = field.nodes;
    const size_t n_nodes = field.n_nodes;
    const uint32_t last = n_ - 1, longest = layer_->longest, source = source_;
    const uint64_t unusual = user::kSkips | (user::kEnds & ~span_flags_);
    size_t words = 0, i = 0;
    uint64_t forced = 0;
    for (; i < n; ++i) {
      const Step& step = queue_[i % kQueueSize];
      const uint32_t k = step.k, end = k + step.depth;
      const auto place = uint32_t(field.place(step.key, step.home));
      const uint64_t node = nodes[place];  // no flags if there is no such prefix
      uint64_t ends = node & user::kEnds;
      new_matches_[words] = Match{k, end, place | source | uint32_t(ends & user::kForced) << 30};
      if (__builtin_expect((node & unusual) != 0, 0)) {
        if (node & user::kSkips && !step.skipped_to) {
          n += follow_skip(t, k, end, place, queue_[n % kQueueSize]);
          continue;
        }
        if (ends & unusual) ends = accept(place, k, end, new_matches_[words]);
      }
      forced |= ends;
      words += ends != 0;
      if (__builtin_expect(words == kBlockOfText, 0)) keep(words);
      // the guard of a prefix that was skipped to has been checked
      if (end > last || end - k >= longest) continue;
      const uint32_t c = t[end];
      if (!(node & (user::guard(c) | user::kSkips))) continue;
      const uint64_t key = user::key(place, c);
      const auto home = uint32_t(UserField::home(key, n_nodes));
      __builtin_prefetch(nodes + home);
      queue_[n++ % kQueueSize] = Step{key, k, home, end - k + 1, false};
    }
    any_forced_ |= (forced & user::kForced) != 0;
    keep(words);
    steps += n;
  }

  // Sets the step past the characters that follow a prefix in all entries; the prefix ends at
  // `end`. False if the text has other characters.
  template <class Char>
  SEGMENTER_NOINLINE bool follow_skip(const Char* t, uint32_t k, uint32_t end, uint32_t place,
                                      Step& step) {
    const uint64_t node = field_->nodes[place];
    if (end >= n_ || !(node & user::guard(t[end]))) return false;
    const UserSkip& skip = field_->skips[field_->entries[place]];
    const uint32_t depth = end - k;
    if (skip.end > n_ - k || skip.end <= depth) return false;
    auto char_at = [&](uint32_t i) { return uint32_t(t[k + i]); };
    steps += skip.end - depth;
    if (!layer_->matches(skip.id, *fold_, depth, skip.end, char_at)) return false;
    in_order_ = false;
    step = Step{node >> 16, k, place, skip.end, true};
    return true;
  }

  // Keeps the n entries in new_matches_.
  void keep(size_t& n) {
    matches_.insert(matches_.end(), new_matches_, new_matches_ + n);
    n = 0;
  }

  // Finds the characters of [begin, end) that are entries; `begin` is a multiple of 64.
  template <class Char>
  void singles(const Char* t, uint32_t begin, uint32_t end) {
    const SingleWords& words = *field_->singles;
    if (span_flags_ && !begin && singles_source_ == kNoField && !other_matches_) {
      singles_.assign(n_ / 64 + 1, 0);
      singles_source_ = source_;
    }
    const bool as_bits = singles_source_ == source_;
    size_t m = 0;
    for (uint32_t k = begin; k < end; k += 64) {
      uint64_t plain_bits = 0, other_bits = 0;
      const uint32_t n = std::min(end - k, 64u);
      for (uint32_t i = 0; i < n; ++i) {
        const uint64_t kind = words.kind(t[k + i]);
        plain_bits |= (kind & 1) << i;
        other_bits |= kind >> 1 << i;
      }
      if (as_bits) singles_[k / 64] = plain_bits, any_singles_ |= plain_bits != 0;
      else other_bits |= plain_bits;
      for (; other_bits; other_bits &= other_bits - 1) {
        const uint32_t position = k + uint32_t(__builtin_ctzll(other_bits)),
                       place = single(*field_, t[position]);
        if (place != kNoPlace) m += accept(place, position, position + 1, new_matches_[m]);
      }
    }
    other_matches_ |= m != 0;
    in_order_ &= !m;
    keep(m);
  }
  template <class Each>
  void each_single(Each&& each) const {
    if (!any_singles_) return;
    for (uint32_t w = 0; w <= n_ / 64; ++w)
      for (uint64_t bits = singles_[w]; bits; bits &= bits - 1)
        each(64 * w + uint32_t(__builtin_ctzll(bits)));
  }

  // The place of a character that is an entry; kNoPlace if there is no such entry.
  static uint32_t single(const UserField& field, uint32_t c) {
    const uint64_t key = user::pair(c, kNoChar);
    const size_t place = field.place(key, field.home(key));
    return field.holds(place, key) ? uint32_t(place) : kNoPlace;
  }

  // Checks the entry at [s, e) and adds it to `edits` if it has level weight or delete. True if it
  // may become a span; `match` is then set.
  SEGMENTER_NOINLINE bool accept(uint32_t place, uint32_t s, uint32_t e, Match& match) {
    const uint32_t id = field_->entry(place);
    const uint8_t flags = layer_->flags[id];
    UserLevel level = user_level(flags);
    if (layer_->is_dead(id)) return false;
    if (by_lines_ && layer_->line_ends && takes_line_end(s, e)) return false;
    any_entry_ = true;
    if (level == kDelete) {
      edits.cuts.push_back(UserEdge{s, e, 0, 0});
      return false;
    }
    const bool plain = among_han(s, e);
    if (!plain && !(flags & kUserInside) && inside_run(s, e)) return false;
    if (level == kWeighted && tagged_ && !(plain && e - s < 3) && has_blank(s, e)) level = kPrefer;
    if (level == kWeighted) {
      const uint32_t layer = (source_ >> kSourceShift) / kUserFields;
      edits.edges.push_back(UserEdge{s, e, tagged_ ? gain(id) : cost(id), label_of(layer, id)});
      return false;
    }
    if (level == kPrefer && !(plain && !atoms_) && breaks_cluster(s, e)) return false;
    if (level > kPrefer) return false;  // only in a hostile file
    any_forced_ |= level == kForce;
    match = Match{s, e, place | source_ | (level == kForce ? kIsForced : 0)};
    return true;
  }
  static uint32_t label_of(uint32_t layer, uint32_t id) {
    return kNotCanonical | kind_bits(kUserWord + layer) | id;
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
  // Whether the characters at both ends are Han and their neighbours no marks, as for most words:
  // such a word lies in no run and cuts no cluster.
  bool among_han(uint32_t s, uint32_t e) const {
    if (text_.width != 2) return false;
    const uint16_t* const t = static_cast<const uint16_t*>(text_.data);
    if (!user::is_han(t[s]) || !user::is_han(t[e - 1]) || (s > 0 && t[s - 1] == 0x200D))
      return false;
    if (e == n_ || user::is_han(t[e])) return true;
    // ASCII, and signs as in 。，
    return t[e] < 0x80 || t[e] - 0x3001u < 0x11 || t[e] - 0xFF01u < 0x5E;
  }
  bool has_blank(uint32_t s, uint32_t e) const {
    for (uint32_t k = s; k < e; ++k)
      if (!user::is_han(cp(k)) && is_blank(cls(k))) return true;
    return false;
  }

  // Whether one of its ends lies inside a run of letters and digits, or inside a number.
  bool inside_run(uint32_t s, uint32_t e) const {
    // at an end: the entry's character, its neighbour, the one after that
    auto continues = [&](uint32_t k, uint32_t neighbour, uint32_t second) {
      if (neighbour >= n_ || user::is_han(cp(k))) return false;
      const CharClass c = cls(k);
      if (c != kGreek && c != kCyrillic && !is_alnum(c)) return false;
      const CharClass neighbour_class = cls(neighbour);
      const bool joins =
          neighbour_class == kPoint || neighbour_class == kColon || neighbour_class == kComma;
      return one_run(c, neighbour_class) ||
             (c == kDigit && joins && second < n_ && cls(second) == kDigit);
    };
    return continues(s, s - 1, s - 2) || continues(e - 1, e, e + 1);
  }
  bool breaks_cluster(uint32_t s, uint32_t e) const {
    // a boundary before k would separate a character from its marks
    auto parted = [&](uint32_t k) {
      if (!user::is_han(cp(k)) && cls(k) == kExtend) return cls(k - 1) != kLf && cls(k - 1) != kCr;
      return cp(k - 1) == 0x200D && cls(k) != kBlank;
    };
    return (s > 0 && parted(s)) || (e < n_ && parted(e)) || parts_atom(s) || parts_atom(e);
  }

  // Whether a boundary before k would cut one of the atoms' clusters.
  bool parts_atom(uint32_t k) const {
    if (!atoms_) return false;
    auto it =
        std::upper_bound(atoms_->begin(), atoms_->end(), k,
                         [](uint32_t position, const AtomFound& a) { return position < a.end; });
    return it != atoms_->end() && it->name == kAtomEmoji && it->start < k;
  }

  // --- which of them win -------------------------------------------------------------------------

  // Of overlapping entries force takes precedence over prefer, then the longest wins, then the
  // leftmost; they are tried in this order.
  void choose_spans() {
    const size_t words = n_ / 64 + 2;
    covered_.assign(words, 0);
    starts_.assign(words, 0);
    if (lists_spans_)
      capacity_.grow(n_ + 1, n_ + n_ / 2 + 1, [&](size_t size) { winners_.resize(size); });
    if (any_forced_) choose(kIsForced);
    choose(0);
    if (!lists_spans_) return mark();
    size_t won = 0;
    for (uint64_t starts : starts_) won += size_t(__builtin_popcountll(starts));
    edits.spans.reserve(won);
    for (size_t w = 0; w < words; ++w)
      for (uint64_t starts = starts_[w]; starts; starts &= starts - 1) {
        append(winners_[64 * w + size_t(__builtin_ctzll(starts))], edits.spans);
      }
    prune_edges();
    sort(edits.cuts);
  }

  // Writes the marks of the spans: boundaries where they begin and end, none within.
  void mark() {
    const size_t words = n_ / 64 + 1;
    if (marks_.size() < 64 * words) marks_.resize(64 * words + 32 * words);
    uint64_t previous = 0;  // whether a span covers the last character
    // eight bits as eight bytes
    auto bytes = [](uint64_t bits) {
      return ((bits & 0x7F) * 0x2040810204081u & 0x101010101010101u) | bits >> 7 << 56;
    };
    for (size_t w = 0; w < words; ++w) {
      const uint64_t covered = covered_[w], starts = starts_[w],
                     cuts = starts | ((covered << 1 | previous) & ~covered),
                     joins = covered & ~starts;
      previous = covered >> 63;
      for (size_t i = 0; i < 8; ++i) {
        const uint64_t eight =
            bytes(cuts >> 8 * i & 0xFF) * kMarkCut | bytes(joins >> 8 * i & 0xFF) * kMarkJoin;
        uint8_t* const out = marks_.data() + 64 * w + 8 * i;
#if SEGMENTER_LITTLE_ENDIAN
        std::memcpy(out, &eight, 8);
#else
        for (size_t j = 0; j < 8; ++j) out[j] = uint8_t(eight >> 8 * j);
#endif
      }
    }
    edits.marks = marks_.data();
  }

  // Sorts the matches by length and start.
  void order() {
    static constexpr uint32_t kLengths = 64;
    auto length = [](const Match& match) { return std::min(match.end - match.start, kLengths); };
    size_t offsets[kLengths + 2] = {};
    for (const Match& match : matches_) ++offsets[length(match) + 1];
    for (uint32_t i = 1; i < kLengths + 2; ++i) offsets[i] += offsets[i - 1];
    ordered_.resize(matches_.size());
    for (const Match& match : matches_)
      ordered_[offsets[length(match)]++] = match;  // then the end of its length
    matches_.swap(ordered_);
    auto shorter = [](const Match& a, const Match& b) {
      return a.end - a.start != b.end - b.start ? a.end - a.start < b.end - b.start
                                                : a.start < b.start;
    };
    for (uint32_t i = 1; i <= kLengths; ++i) {
      const auto begin = matches_.begin() + std::ptrdiff_t(offsets[i - 1]),
                 end = matches_.begin() + std::ptrdiff_t(offsets[i]);
      if (!std::is_sorted(begin, end, shorter)) std::stable_sort(begin, end, shorter);
    }
  }

  // Chooses among the forced entries, or the others.
  void choose(uint32_t forced) {
    uint64_t* const all_covered = covered_.data();
    uint64_t* const all_starts = starts_.data();
    const Match* const first = matches_.data();
    const Match* end = first + matches_.size();
    steps += matches_.size();
    while (end != first) {
      const uint32_t length = end[-1].end - end[-1].start;
      const Match* begin = end;
      do --begin;
      while (begin != first && begin[-1].end - begin[-1].start == length);
      if (length == 1 && !forced) choose_singles();
      const uint64_t covers = ~uint64_t(0) >> (64 - std::min(length, 64u));
      for (const Match* match = begin; match != end; ++match) {
        if ((match->location & kIsForced) != forced) continue;
        if (length > 64) {
          choose_long(*match);
          continue;
        }
        // no branch: whether the match wins is hard to predict
        uint64_t* const covered = all_covered + match->start / 64;
        const uint32_t bit = match->start % 64;
        const uint64_t low = covers << bit, high = covers >> 1 >> (63 - bit);
        const bool free = !((covered[0] & low) | (covered[1] & high));
        const uint64_t won = 0 - uint64_t(free);
        covered[0] |= low & won;
        covered[1] |= high & won;
        all_starts[match->start / 64] |= (won & 1) << bit;
        if (lists_spans_) winners_[free ? match->start : n_] = *match;
      }
      end = begin;
    }
    if (!forced && !other_matches_) choose_singles();
  }
  void choose_singles() {
    if (!any_singles_) return;
    if (lists_spans_)
      each_single([&](uint32_t k) {
        if (!(covered_[k / 64] >> (k % 64) & 1))
          winners_[k] = Match{k, k + 1, kNoPlace | singles_source_};
      });
    for (uint32_t w = 0; w <= n_ / 64; ++w) {
      starts_[w] |= singles_[w] & ~covered_[w];
      covered_[w] |= singles_[w];
    }
  }
  void choose_long(const Match& match) {
    bool free = true;
    auto covered = [&](uint32_t k) -> uint64_t& { return covered_[k / 64]; };
    for (uint32_t k = match.start; k < match.end; ++k) free &= !(covered(k) >> (k % 64) & 1);
    if (!free) return;
    for (uint32_t k = match.start; k < match.end; ++k) covered(k) |= uint64_t(1) << (k % 64);
    starts_[match.start / 64] |= uint64_t(1) << (match.start % 64);
    if (lists_spans_) winners_[match.start] = match;
  }

  // Appends a match as a span.
  void append(const Match& match, std::vector<UserMatch>& spans) const {
    const uint32_t start = match.start, end = match.end, location = match.location;
    const uint32_t source = (location & ~kIsForced) >> kSourceShift;
    const UserLayer& layer = dict_->layers[source / kUserFields];
    uint32_t id = 0;
    if (numbers_ || layer.n_parts) {  // each is likely to be a cache miss
      const UserField& field = layer.field[source % kUserFields];
      uint32_t place = location & kPlaceBits;
      if (place == kNoPlace) place = single(field, dict_->fold[source % kUserFields](cp(start)));
      // a hostile file may have other entries than it says
      if (place == kNoPlace) return;
      id = field.entry(place);
      if (layer.n_parts && layer.length(id) != end - start) return;
    }
    spans.push_back({start, end, label_of(source / kUserFields, id),
                     uint8_t(location & kIsForced ? kForce : kPrefer)});
  }

  // Sorts by start and end; mostly they are in order already.
  template <class Span>
  static void sort(std::vector<Span>& spans) {
    auto before = [](const Span& a, const Span& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    };
    if (!std::is_sorted(spans.begin(), spans.end(), before))
      std::stable_sort(spans.begin(), spans.end(), before);
  }
};

}  // namespace segmenter
