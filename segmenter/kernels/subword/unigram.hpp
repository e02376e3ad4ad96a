// The unigram language model of subwords (Kudo 2018) and WordPiece (Schuster and Nakajima 2012),
// both over a double array of pieces; and words that are one piece or unknown.
#pragma once
#include <cmath>
#include <limits>

#include "subword/model.hpp"

namespace segmenter {

// Viterbi over the lattice of pieces. The pieces at every start are relaxed from short to long, and
// only a strictly better path replaces another, so that ties are as in SentencePiece and
// tokenizers. Sums have 64 bits as in tokenizers, or 32 as in SentencePiece, whose rounding decides
// near-ties in long texts; there, a sum below kLeast is subtracted from all paths that may continue
// it.
class UnigramModel final : public SubwordModel {
 public:
  static constexpr float kLeast = -100000;

  explicit UnigramModel(const UnigramParts& parts)
      : unknown_(parts.unknown), unk_score_(parts.unk_score), single_(parts.single) {
    const PieceList& pieces = parts.pieces;
    ids_ = pieces.ids;
    trie_.build(pieces, parts.scores.data());
    score_at_.assign(trie_.slot_pieces.size(), 0);
    for (size_t s = 0; s < score_at_.size(); ++s)
      if (trie_.slot_pieces[s] != kNoPiece) score_at_[s] = parts.scores[trie_.slot_pieces[s]];
  }

  size_t encode_word(const uint32_t* word, size_t n, size_t offset,
                     SubwordScratch& scratch) const override {
    return single_ ? run<float>(word, n, offset, scratch, scratch.score32)
                   : run<double>(word, n, offset, scratch, scratch.score);
  }

 private:
  const UnknownRule unknown_;
  const double unk_score_;
  const bool single_;
  PieceTrie trie_;
  std::vector<uint32_t> ids_;
  std::vector<double> score_at_;  // by slot

  template <class Score>
  size_t run(const uint32_t* word, size_t n, size_t offset, SubwordScratch& s,
             std::vector<Score>& best) const {
    constexpr Score kNever = -std::numeric_limits<Score>::infinity();
    best.assign(n + 1, kNever);
    s.origin.resize(n + 1);
    s.number.resize(n + 1);
    best[0] = 0;
    const Trie& trie = trie_.trie;
    const CharMap map = trie_.chars.map;
    size_t reached = 0;
    auto relax = [&](size_t start, size_t end, double score, uint32_t number) {
      Score sum = Score(score) + best[start];
      if (sum > best[end]) {
        reached = std::max(reached, end);
        best[end] = sum;
        s.origin[end] = uint32_t(start);
        s.number[end] = number;
      }
    };
    for (size_t start = 0; start < n; ++start) {
      if (start % Interrupt::kEvery == Interrupt::kEvery - 1) Interrupt::poll();
      if (single_ && best[start] < Score(kLeast)) {
        const Score base = best[start];
        for (size_t k = start; k <= reached; ++k) best[k] -= base;  // kNever stays
      }
      uint32_t id = map(word[start]);
      uint32_t slot = trie_.first(id);
      if (id && unit_cost(trie.units[slot]) != kNoCost) {
        relax(start, start + 1, score_at_[slot], trie_.slot_pieces[slot]);
      } else {
        relax(start, start + 1, unk_score_, kNoPiece);
      }
      if (!id) continue;
      uint64_t unit = trie.units[slot];
      for (size_t end = start + 1; end < n; ++end) {
        uint32_t next = map(word[end]);
        if (!unit_guard(unit, next)) break;  // without children both unit_base and the guard are 0
        uint32_t child = unit_base(unit) + next;
        unit = trie.units[child];
        if (!next || unit_label(unit) != next) break;
        if (unit_cost(unit) != kNoCost)
          relax(start, end + 1, score_at_[child], trie_.slot_pieces[child]);
      }
    }
    // follow the path backwards, then write the pieces in order
    size_t count = 0;
    for (size_t end = n; end; end = s.origin[end]) ++count;
    s.id.resize(2 * count);
    size_t row = count;
    for (size_t end = n; end; end = s.origin[end]) {
      s.id[--row] = s.number[end];
      s.id[count + row] = uint32_t(end);
    }
    // a text may spell the piece for unknown characters, which then joins those beside it
    auto is_unknown = [&](size_t i) {
      return s.id[i] == kNoPiece || ids_[s.id[i]] == unknown_.unk;
    };
    size_t start = 0;
    for (size_t i = 0; i < count;) {
      size_t end = s.id[count + i];
      const bool alone = i + 1 == count || !is_unknown(i + 1);
      if (!is_unknown(i) || (alone && s.id[i] != kNoPiece)) {
        s.pieces.push_back({ids_[s.id[i]], uint32_t(offset + start), uint32_t(offset + end)});
        start = end;
        ++i;
        continue;
      }
      while (++i < count && is_unknown(i)) end = s.id[count + i];
      if (!write_unknown(unknown_, word, start, end, offset, s.pieces)) return start;
      start = end;
    }
    return n;
  }
};

// Longest match first.
class WordPieceModel final : public SubwordModel {
 public:
  explicit WordPieceModel(const WordPieceParts& parts)
      : unk_(parts.unk), max_chars_(parts.max_chars), ids_(parts.first.ids) {
    ids_.insert(ids_.end(), parts.inner.ids.begin(), parts.inner.ids.end());
    trie_.build(parts.first, parts.inner, std::vector<uint64_t>(ids_.size(), 1));
  }

  size_t encode_word(const uint32_t* word, size_t n, size_t offset,
                     SubwordScratch& scratch) const override {
    size_t before = scratch.pieces.size();
    if (!(n <= max_chars_ && spell(word, n, offset, scratch.pieces))) {
      scratch.pieces.resize(before);
      scratch.pieces.push_back({unk_, uint32_t(offset), uint32_t(offset + n)});
    }
    return n;
  }

 private:
  const uint32_t unk_;
  const size_t max_chars_;
  PieceTrie trie_;
  std::vector<uint32_t> ids_;

  bool spell(const uint32_t* word, size_t n, size_t offset, std::vector<SubwordPiece>& out) const {
    for (size_t start = 0; start < n;) {
      uint32_t piece = kNoPiece;
      size_t end = start;
      trie_.for_each_piece(word, start, n, start != 0, [&](size_t match_end, uint32_t match) {
        piece = match;
        end = match_end;
      });
      if (piece == kNoPiece) return false;
      out.push_back({ids_[piece], uint32_t(offset + start), uint32_t(offset + end)});
      start = end;
    }
    return true;
  }
};

// A word is a piece or unknown.
class WordLevelModel final : public SubwordModel {
 public:
  explicit WordLevelModel(const WordLevelParts& parts) : unk_(parts.unk) {
    const PieceList& words = parts.words;
    words_.reserve(words.size());
    for (size_t i = 0; i < words.size(); ++i)
      words_.add(words.begin(i), words.length(i), words.ids[i]);
  }

  size_t encode_word(const uint32_t* word, size_t n, size_t offset,
                     SubwordScratch& scratch) const override {
    if (!n) return 0;
    uint32_t id = words_.find(word, n);
    if (id == kNoPiece) id = unk_;
    if (id == kNoPiece) return 0;
    scratch.pieces.push_back({id, uint32_t(offset), uint32_t(offset + n)});
    return n;
  }

 private:
  const uint32_t unk_;
  WordTable words_;
};

}  // namespace segmenter
