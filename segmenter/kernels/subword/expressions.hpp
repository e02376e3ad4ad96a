// Regular expressions of pre-tokenisers, run over classes of characters.
//
// The caller (subword/expressions.py) compiles a pattern to the instructions below and sorts all
// code points into at most 256 classes, so that every set is a union of classes. A text is
// converted to a column of classes once; every set is then a row of 256 bytes, and no instruction
// looks at code points.
//
// The matcher backtracks with an explicit stack, leftmost alternative first, as in Oniguruma and
// fancy-regex. Unlike those it is bounded: an attempt that takes more than kPatience steps per
// character records every (instruction, position) that has failed, or that has led to the end of a
// lookaround, and never repeats one. The work is therefore linear in the text for every pattern
// without atomic groups of several parts; with those, it stops with an error at kLimit steps per
// character.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "subword/model.hpp"
#include "subword/scanners.hpp"

namespace segmenter {

enum ExpressionOp : uint32_t {
  kOpAccept,
  kOpSet,     // a: set
  kOpLoop,    // a: set, b: minimum, c: maximum; greedy, backtracks
  kOpKeep,    // the same, possessive
  kOpSplit,   // a, b: where to continue; tries a first
  kOpJump,    // a
  kOpLook,    // body follows, up to an accept; a: continue there, b: 1 negated, c: characters back
  kOpAtomic,  // body follows; a: continue there
  kOpBegin,   // of the text
  kOpEnd,     // of the text
  kOpLineBegin,  // a: set of line ends
  kOpLineEnd,
  kOpWord,  // a: set of word characters, b: 1 negated
};

class ExpressionRunner {
 public:
  static constexpr uint64_t kPatience = 32, kLimit = 4096;
  uint64_t steps = 0;  // of all calls

  // All matches in classes[0, n) from left to right, except an empty one at the end of the previous
  // match.
  void find_all(const Expression& expression, const uint8_t (*sets)[256], const uint8_t* classes,
                size_t n, std::vector<ExpressionMatch>& out) {
    expression_ = &expression;
    sets_ = sets;
    classes_ = classes;
    n_ = uint32_t(n);
    slow_ = false;
    spent_ = 0;
    choices_.clear();  // left over from an interrupted call
    uint64_t next_check = 0;
    if (runs_.size() < expression.code.size()) runs_.resize(expression.code.size(), Run{0, 0, 0});
    if (!++turn_) {
      runs_.assign(runs_.size(), Run{0, 0, 0});
      turn_ = 1;
    }
    uint32_t last = kNoPiece;
    for (uint32_t i = 0; i <= n_;) {
      uint32_t end;
      if (i == n_ && !expression.empty_possible) break;
      if (spent_ + i >= next_check) {
        Interrupt::poll();
        next_check = spent_ + i + Interrupt::kEvery;
      }
      uint32_t candidates = i < n_ ? expression.first[classes_[i]] : ~0u;
      bool matched = false;
      for (uint32_t k = 0; candidates && k < expression.starts.size(); ++k, candidates >>= 1)
        if ((candidates & 1) && run(expression.starts[k], i, end, false)) {
          matched = true;
          break;
        }
      if (!matched || (end == i && last == i)) {
        ++i;
        continue;
      }
      out.push_back({i, end});
      last = end;
      i = end;
    }
    steps += spent_;
    if (slow_) {
      failed_.clear();
      succeeded_.clear();
    }
  }

 private:
  struct Choice {
    uint32_t pc, position, low;
  };
  static constexpr uint32_t kPlain = 0xFFFFFFFF, kMark = 0xFFFFFFFE;

  const Expression* expression_ = nullptr;
  const uint8_t (*sets_)[256] = nullptr;
  const uint8_t* classes_ = nullptr;
  uint32_t n_ = 0;
  bool slow_ = false;
  uint64_t spent_ = 0;
  std::vector<Choice> choices_;
  struct Run {
    uint32_t start, end, turn;
  };
  std::vector<Run> runs_;                 // for each loop, the last run that it matched
  uint32_t turn_ = 0;                     // the number of the text that the runs belong to
  std::vector<bool> failed_, succeeded_;  // [instruction][position]

  size_t index(uint32_t pc, uint32_t i) const { return size_t(pc) * (size_t(n_) + 1) + i; }

  void lose_patience() {
    if (!slow_) {
      slow_ = true;
      failed_.assign(expression_->code.size() * (size_t(n_) + 1), false);
      succeeded_.assign(failed_.size(), false);
    } else if (spent_ > kLimit * (uint64_t(n_) + 64)) {
      throw std::runtime_error(
          "pattern: it backtracks too often on this text; rewrite it without groups "
          "that can match the same characters in several ways");
    }
  }

  // The end of the run of a set's characters around i.
  uint32_t run_end(uint32_t pc, const uint8_t* set, uint32_t i) {
    Run& cached = runs_[pc];
    if (cached.turn == turn_ && cached.start <= i && i < cached.end) return cached.end;
    uint32_t end = i;
    while (end < n_ && set[classes_[end]]) ++end;
    if (end > i + 8) cached = {i, end, turn_};
    return end;
  }

  // Where a loop's greedy match from i ends.
  uint32_t loop_end(uint32_t pc, const ExpressionInst& in, uint32_t i) {
    const uint8_t* set = sets_[in.a];
    if (in.c == kPlain) return run_end(pc, set, i);
    uint32_t end = i;
    while (end < n_ && end - i < in.c && set[classes_[end]]) ++end;
    return end;
  }

  // Whether the program from pc on matches at i, and the end of the match. `any_end`: a lookaround,
  // for which any end will do.
  bool run(uint32_t pc, uint32_t i, uint32_t& end, bool any_end) {
    const size_t base = choices_.size();
    const ExpressionInst* code = expression_->code.data();
    for (;;) {
      const ExpressionInst& in = code[pc];
      ++spent_;
      switch (in.op) {
        case kOpAccept:
        accept:
          if (any_end && slow_)
            for (size_t k = base; k < choices_.size(); ++k)
              if (choices_[k].low == kMark)
                succeeded_[index(choices_[k].pc, choices_[k].position)] = true;
          end = i;
          choices_.resize(base);
          return true;
        case kOpSet:
          if (i < n_ && sets_[in.a][classes_[i]]) {
            ++i;
            ++pc;
            continue;
          }
          break;
        case kOpLoop: {
          const uint8_t* set = sets_[in.a];
          if (slow_ && in.c == kPlain) {  // one iteration at a time, so that failures are recorded
            uint32_t missing = in.b;
            while (missing && i < n_ && set[classes_[i]]) --missing, ++i;
            if (missing) break;
            bool failed = false;
            for (;;) {
              ++spent_;
              if (any_end && succeeded_[index(pc, i)]) goto accept;
              if ((failed = failed_[index(pc, i)])) break;
              choices_.push_back({pc, i, kMark});
              if (i >= n_ || !set[classes_[i]]) break;
              choices_.push_back({pc + 1, i, kPlain});
              ++i;
            }
            if (failed) break;
            ++pc;
            continue;
          }
          const uint32_t k = loop_end(pc, in, i);
          if (k - i < in.b) break;
          if (k > i + in.b) choices_.push_back({pc + 1, k - 1, i + in.b});
          i = k;
          ++pc;
          continue;
        }
        case kOpKeep: {
          const uint32_t k = loop_end(pc, in, i);
          if (k - i < in.b) break;
          i = k;
          ++pc;
          continue;
        }
        case kOpSplit:
          if (slow_) {
            if (any_end && succeeded_[index(pc, i)]) goto accept;
            if (failed_[index(pc, i)]) break;
            choices_.push_back({pc, i, kMark});
          }
          choices_.push_back({in.b, i, kPlain});
          pc = in.a;
          continue;
        case kOpJump:
          pc = in.a;
          continue;
        case kOpLook: {
          uint32_t inner;
          const bool matched = in.c <= i && run(pc + 1, i - in.c, inner, true);
          if (matched != (in.b == 0)) break;
          pc = in.a;
          continue;
        }
        case kOpAtomic: {
          uint32_t inner;
          if (!run(pc + 1, i, inner, false)) break;
          i = inner;
          pc = in.a;
          continue;
        }
        case kOpBegin:
          if (i) break;
          ++pc;
          continue;
        case kOpEnd:
          if (i < n_) break;
          ++pc;
          continue;
        case kOpLineBegin:
          if (i && !(i <= n_ && sets_[in.a][classes_[i - 1]] && (i < n_ || in.b))) break;
          ++pc;
          continue;
        case kOpLineEnd:
          if (i < n_ && !sets_[in.a][classes_[i]]) break;
          ++pc;
          continue;
        default: {  // kOpWord
          const uint8_t* set = sets_[in.a];
          const bool before = i && set[classes_[i - 1]], after = i < n_ && set[classes_[i]];
          if ((before != after) == (in.b != 0)) break;
          ++pc;
          continue;
        }
      }
      // backtrack to the last choice
      for (;;) {
        if (choices_.size() == base) return false;
        if (++spent_ > kPatience * (uint64_t(n_) + 64)) lose_patience();
        Choice& top = choices_.back();
        if (top.low == kMark) {
          failed_[index(top.pc, top.position)] = true;
          choices_.pop_back();
          continue;
        }
        pc = top.pc;
        i = top.position;
        if (top.low == kPlain || top.position == top.low) {
          choices_.pop_back();
        } else {
          --top.position;
        }
        break;
      }
    }
  }
};

// Appends the spans of t[0, n) to out. Returns the steps taken. Defined in interface.cpp.
uint64_t find_spans(const PreTokenScanner& scanner, const uint32_t* t, size_t n, SubwordScratch& s,
                    std::vector<SubwordSpan>& out);

}  // namespace segmenter
