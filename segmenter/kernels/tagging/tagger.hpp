// The linear character tagger as a predictor (tagging/model.hpp): its calls, and its words as
// pieces. The top of a chain of layers, one per file: text, sums, scores, viterbi, network, nbest,
// tagger.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tagging/nbest.hpp"

namespace segmenter {

class Tagger : public TagPaths {
 public:
  // Decodes a text and appends its words to the decision's pieces.
  void run(const TaggerModel& m, const Text& text, const Request& request, Decision& decision) {
    if (request.margins || request.boundaries) return run_margins(m, text, request, decision);
    begin(m, text, request, true);
    read(text, request.again);
    const Want want = request.want;
    std::vector<Piece>& out = decision.pieces;
    auto emit = [&](uint32_t s, uint32_t e) {
      if (want <= Want::kEnds) emit_ends(out);
      else if (want == Want::kWords) emit_spellings(s, e, out);
      else emit_words(s, e, out);
    };
    segments(
        [&](uint32_t s, uint32_t e) {
          Interrupt::look(e - s);
          if (in_parts_) return decode_parts(s, e, emit);
          decode(s, e);
          emit(s, e);
        },
        [&](uint32_t s, uint32_t e, EdgeKind kind) { out.push_back(gap(s, e, kind)); });
  }

  // The n best segmentations, best first; ties in the order of the tags from the right.
  void nbest(const TaggerModel& m, const Text& text, const Request& request, size_t count,
             std::vector<TagPath>& out) {
    begin(m, text, request);
    read(text, request.again);
    m.tags == 4 ? paths<4>(text.n, count, out) : paths<6>(text.n, count, out);
  }

  // `what` of a token of the text read last.
  uint32_t what(uint32_t s, uint32_t e) const {
    if (e == s + 1) return what_one(s);
    const CharClass c = cls(s);
    if (c == kBlank) return kind_bits(kBlankRun) | odd(s, e);
    if (c == kCr) return kind_bits(kLineEnd) | odd(s, e);
    return what_of(s, e);
  }

  // The scores that decide the path, m.tags per position: kTagNever where marks or runs forbid a
  // tag. Blanks and line ends have the tags of one word at no cost.
  void scores(const TaggerModel& m, const Text& text, const Request& request,
              std::vector<int32_t>& out) {
    begin(m, text, request);
    read(text, request.again);
    const size_t tags = m.tags;
    out.assign(text.n * tags, kTagNever);
    segments(
        [&](uint32_t s, uint32_t e) {
          decode(s, e);
          Interrupt::each(e - s, [&](size_t j) {
            int32_t* to = out.data() + (s + j) * tags;
            tags == 4 ? emission<4>(s, uint32_t(j), to) : emission<6>(s, uint32_t(j), to);
          });
        },
        [&](uint32_t s, uint32_t e, EdgeKind) {
          for (uint32_t k = s; k < e; ++k) {
            size_t inner = std::min<size_t>(k - s, tags - 3);  // B M E S, or B B2 B3 M E S
            size_t tag = e == s + 1 ? tags - 1 : k + 1 == e ? tags - 2 : inner;
            out[k * tags + tag] = 0;
          }
        });
  }

  // The scores of the tags by a model with a BiLSTM, [n][4], relative to tag S: for tests.
  void emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& out) {
    begin(m, text, Request());
    std::fill(whole_.begin(), whole_.end(), int16_t(0));
    read(text, false);
    out.assign(whole_.begin(), whole_.begin() + std::ptrdiff_t(text.n * kTagLanes));
  }

 private:
  // Decodes with margins. Of a word: how much worse the best path is that lacks one of its
  // boundaries or has one inside it, in units of the score; kNoOtherWay if there is no other path.
  // With `boundaries`, the same for each character: of whether a boundary follows it.
  void run_margins(const TaggerModel& m, const Text& text, const Request& request,
                   Decision& decision) {
    begin(m, text, request);
    read(text, request.again);
    std::vector<Piece>& out = decision.pieces;
    std::vector<float>& margins = decision.margins;
    std::vector<int32_t>& boundaries = decision.boundaries;
    segments(
        [&](uint32_t s, uint32_t e) {
          decode(s, e);
          size_t first = out.size();
          emit_words(s, e, out);
          m_->tags == 4 ? boundary_margins<4>(e - s) : boundary_margins<6>(e - s);
          if (request.boundaries) {
            boundaries.resize(n_, -kTagNever);
            std::copy(margin_.begin(), margin_.begin() + (e - s), boundaries.begin() + s);
            boundaries[e - 1] = -kTagNever;
          }
          uint32_t at = s;
          Interrupt::each(out.size() - first, [&](size_t n) {
            const size_t i = first + n;
            int32_t least = at == s ? -kTagNever : margin_[at - s - 1];
            for (uint32_t k = at; k < out[i].end && k + 1 < e; ++k)
              least = std::min(least, margin_[k - s]);
            // marks and runs that leave no choice cost as much as kTagNever
            margins.push_back(least >= -kTagNever / 2 ? kNoOtherWay
                                                      : float(double(least) / m.scale));
            at = out[i].end;
          });
        },
        [&](uint32_t s, uint32_t e, EdgeKind kind) {
          out.push_back(gap(s, e, kind));
          margins.push_back(kNoOtherWay);
        });
  }

  uint32_t what_one(uint32_t k) const {
    return m_->lex->alone[ids_[k]] | uint32_t(odd_store_[k]) << 31;
  }

  Piece gap(uint32_t s, uint32_t e, EdgeKind kind) const {
    return Piece{e, e == s + 1 ? what_one(s) : kind_bits(kind) | odd(s, e)};
  }

  // The slot of a word of three or more characters; 0 if its path is not in the trie.
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
      // a number for the face's shared strings, beyond the trie's slots
      if (node & kKnown) slot = m_->lex->trie.n_units + (node & kPlace);
      word = (node >> 28 & 7) != 0;
    } else {
      slot = slot_of(s, e);
      word = slot && m_->lex->is_word(slot);
    }
    // a word that begins with an Arabic digit has the kind of its run, even if listed (1998年,
    // 2026年)
    EdgeKind kind = kUnknown;
    if (ids_[s] && ids_[s] < m_->lex->n_special && (!word || cls(s) == kDigit))
      kind = runs().kind(s, e);
    if (word && kind == kUnknown) kind = kWord;
    return slot | kind_bits(kind) | odd(s, e);
  }

  void emit_ends(std::vector<Piece>& out) {
    out.insert(out.end(), first_end(), first_end() + n_ends_);
    steps_ += n_ends_;
  }

  // As emit_words, without kinds. Whether a word has one or two characters is unpredictable, so
  // neither takes a branch.
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
        what = (alone[ids_[from]] & one) | (pair & ~one) |
               uint32_t(odd_at[from] | odd_at[end - 1]) << 31;
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
    Piece* const first = first_end();
    Interrupt::each(n_ends_, [&](size_t k) {
      Piece& piece = first[k];
      piece.what = piece.end == from + 1 ? what_one(from) : what_of(from, piece.end);
      from = piece.end;
    });
    ids_[e] = keep;
    emit_ends(out);
  }
};

}  // namespace segmenter
