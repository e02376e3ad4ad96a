// One decoder over one lexicon, with the scratch it needs: what a call of the face runs.
// The lexicon is shared and never written; a Worker belongs to one call at a time.
#pragma once
#include <cstdint>
#include <vector>

#include "unigram.hpp"

namespace segmenter {

enum Skip : uint32_t { kSkipSpace = 1, kSkipPunct = 2 };

struct Options {
  bool keep_unknown = false;  // neighbouring unknown Han characters stay one token
  uint32_t skip = 0;
};

inline bool is_punct(CharClass c) { return c == kPunct || (c >= kPoint && c <= kMinus); }

class Worker {
 public:
  std::vector<Piece> pieces;
  size_t dropped = 0;

  void run(const Lexicon& lex, const Options& options, const void* text, int width, size_t n) {
    pieces.clear();
    dropped = 0;
    if (n == 0) return;
    unigram_.run(lex, text, width, n, pieces);
    if (options.keep_unknown || options.skip) finish(lex, options, text, width);
  }
  uint64_t steps() const { return unigram_.steps(); }

 private:
  UnigramDecoder unigram_;

  void finish(const Lexicon& lex, const Options& options, const void* text, int width) {
    auto class_at = [&](uint32_t k) {
      uint32_t cp = width == 1   ? static_cast<const uint8_t*>(text)[k]
                    : width == 2 ? static_cast<const uint16_t*>(text)[k]
                                 : static_cast<const uint32_t*>(text)[k];
      return lex.char_class(lex.map(cp) & 0x7FFF);
    };
    size_t m = 0;
    uint32_t start = 0;
    bool open = false;  // the last piece is an unknown Han span
    for (Piece p : pieces) {
      EdgeKind kind = piece_kind(p.what);
      if (options.keep_unknown && kind == kUnknown && class_at(start) == kHan) {
        if (open) {
          pieces[m - 1].end = start = p.end;
          continue;
        }
        p.what = uint32_t(kUnknown) << 24 | kNotCanonical;
        open = true;
      } else {
        open = false;
      }
      bool drop = false;
      if (options.skip & kSkipSpace) drop = kind == kBlankRun || kind == kLineEnd;
      if (!drop && (options.skip & kSkipPunct) && kind <= kUnknown) {
        drop = true;
        for (uint32_t k = start; k < p.end && drop; ++k) drop = is_punct(class_at(k));
      }
      if (drop) {
        p.what |= kDropped;
        ++dropped;
      }
      pieces[m++] = p;
      start = p.end;
    }
    pieces.resize(m);
  }
};

}  // namespace segmenter
