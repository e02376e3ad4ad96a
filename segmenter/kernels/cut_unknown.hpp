// The option `oov`: a tagger or a subword model cuts unknown words.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "request.hpp"
#include "result.hpp"
#include "token.hpp"
#include "lexicon/lexicon.hpp"
#include "tagging/model.hpp"
#include "tagging/tagger.hpp"
#include "unknown.hpp"

namespace segmenter {

inline CharClass class_of(const Lexicon& lex, const Text& text, uint32_t k) {
  return lex.char_class(lex.map.id(text[k]));
}

// The new tokens of a decision that is rewritten, with their margins if it has any.
class Rewriting {
 public:
  void begin(Decision& decision) {
    decision_ = &decision;
    has_margins_ = !decision.margins.empty();
    new_tokens_.clear();
    new_margins_.clear();
  }
  bool any() const { return !new_tokens_.empty(); }
  // Keeps tokens [begin, end).
  void keep(size_t begin, size_t end) {
    new_tokens_.insert(new_tokens_.end(), decision_->tokens.data() + begin,
                       decision_->tokens.data() + end);
    if (has_margins_)
      new_margins_.insert(new_margins_.end(), decision_->margins.data() + begin,
                          decision_->margins.data() + end);
  }
  void add(const Token& token, float margin = kNoOtherWay) {
    new_tokens_.push_back(token);
    if (has_margins_) new_margins_.push_back(margin);
  }
  // Adds a part of token i, with the margin of token i.
  void add_part(const Token& token, size_t i) {
    add(token, has_margins_ ? decision_->margins[i] : 0);
  }
  void end() {
    decision_->tokens.swap(new_tokens_);
    if (has_margins_) decision_->margins.swap(new_margins_);
  }

 private:
  Decision* decision_ = nullptr;
  bool has_margins_ = false;
  std::vector<Token> new_tokens_;
  std::vector<float> new_margins_;
};

// What the package jieba does with characters that its dictionary leaves single (HMM=True): the
// rules of its __cut_DAG and of finalseg.cut, for lexicons of profile="jieba".
//
// Adjacent words of one character are a run; a character outside jieba's blocks ends it. A run that
// is itself a word stays single characters. In any other run the stretches of Han characters go to
// the tagger. Between them a run of ASCII letters and digits (with a decimal fraction and a percent
// sign) is one token, and so is everything between two such runs.
namespace jieba {

inline bool is_han(uint32_t c) { return c >= 0x4E00 && c <= 0x9FD5; }
inline bool is_digit(uint32_t c) { return c - '0' < 10; }
inline bool is_alnum(uint32_t c) { return is_digit(c) || (c | 32) - 'a' < 26; }
// Whether a character belongs to a block, [\u4E00-\u9FD5a-zA-Z0-9+#&\._%\-].
inline bool in_block(uint32_t c) {
  return is_han(c) || is_alnum(c) || c == '+' || c == '#' || c == '&' || c == '.' || c == '_' ||
         c == '%' || c == '-';
}

// The end of the token that begins at k with a character that is not Han, in a run that ends at
// `end`: [a-zA-Z0-9]+(?:\.\d+)?%? or everything before the next such token. character(k): the
// character at k.
template <class Character>
uint32_t end_of_token(Character&& character, uint32_t k, uint32_t end) {
  if (!is_alnum(character(k))) {
    while (k < end && !is_alnum(character(k)) && !is_han(character(k))) ++k;
    return k;
  }
  while (k < end && is_alnum(character(k))) ++k;
  if (k + 1 < end && character(k) == '.' && is_digit(character(k + 1)))
    for (++k; k < end && is_digit(character(k));) ++k;
  return k + uint32_t(k < end && character(k) == '%');
}

}  // namespace jieba

// Cuts unknown words. A lattice leaves runs of single Han characters where its lexicon lacks words:
// a tagger finds words in them, as jieba's HMM does, or a subword model finds pieces. A tagger
// leaves words that its lexicon does not know: a subword model cuts those.
class UnknownWords {
 public:
  void cut(const Plan& plan, const Text& text, Tagger& tagger, Decision& decision) {
    const Lexicon& lex = *plan.lex;
    if (!lex.numbers && plan.unknown_tagger) {
      cut_as_jieba(plan, text, tagger, decision);
      return;
    }
    const bool has_tagger = plan.tagger != nullptr;
    const std::vector<Token>& tokens = decision.tokens;
    rewriting_.begin(decision);
    const size_t n = tokens.size();
    auto start_of = [&](size_t i) { return i ? tokens[i - 1].end : 0; };
    auto is_han = [&](size_t i) {
      if (!lex.numbers) return jieba::is_han(text[start_of(i)]);
      CharClass c = class_of(lex, text, start_of(i));
      return c == kHan || c == kHanNum;
    };
    auto is_single = [&](size_t i) {
      return token_kind(tokens[i].label) <= kUnknown && tokens[i].end - start_of(i) == 1 &&
             is_han(i);
    };
    auto is_unknown = [&](size_t i) {
      return token_kind(tokens[i].label) == kUnknown && tokens[i].end - start_of(i) > 1 &&
             is_han(i);
    };
    for (size_t i = 0; i < n;) {
      size_t j = i;  // tokens [i, j) are cut again
      if (has_tagger) {
        j += is_unknown(i);
      } else {
        while (j < n && is_single(j)) ++j;
        if (j < i + 2) j = i;
      }
      if (j == i) {
        rewriting_.add_part(tokens[i], i);
        ++i;
        continue;
      }
      uint32_t begin = start_of(i), end = tokens[j - 1].end, piece_begin = begin;
      cut_span(plan, text.part(begin, end), tagger);
      for (const Token& piece : pieces_.tokens) {
        uint32_t piece_end = begin + piece.end;
        // the margin is that of the whole word: the new cuts in it have none
        if (!has_tagger && piece_end == piece_begin + 1)
          rewriting_.add_part(tokens[i + (piece_begin - begin)], i);
        else rewriting_.add_part(Token{piece_end, kind_bits(kUnknown) | kNotCanonical}, i);
        piece_begin = piece_end;
      }
      i = j;
    }
    rewriting_.end();
  }

 private:
  Rewriting rewriting_;
  Decision pieces_;                        // of one unknown span
  const UnknownCutter* cutter_ = nullptr;  // the cutter of cutter_memory_
  std::unique_ptr<UnknownCutter::Memory> cutter_memory_;
  std::vector<uint32_t> cutter_ends_;

  // Cuts a span into pieces_, by the tagger of unknown words or by the subword model.
  void cut_span(const Plan& plan, const Text& span, Tagger& tagger) {
    pieces_.clear();
    if (!plan.unknown_tagger) return split(*plan.subwords, span);
    Request request;
    request.want = Want::kEnds;
    tagger.run(*plan.unknown_tagger, span, request, pieces_);
  }

  // As cut(), for a lexicon of jieba's kind, by the rules of jieba.
  void cut_as_jieba(const Plan& plan, const Text& text, Tagger& tagger, Decision& decision) {
    const Lexicon& lex = *plan.lex;
    const std::vector<Token>& tokens = decision.tokens;
    const size_t n = tokens.size();
    auto character = [&](uint32_t k) { return text[k]; };
    auto start_of = [&](size_t i) { return i ? tokens[i - 1].end : 0; };
    auto is_single = [&](size_t i) {
      return token_kind(tokens[i].label) <= kUnknown && tokens[i].end - start_of(i) == 1 &&
             jieba::in_block(character(start_of(i)));
    };
    rewriting_.begin(decision);
    for (size_t i = 0; i < n;) {
      size_t j = i;  // tokens [i, j) are a run
      while (j < n && is_single(j)) ++j;
      const uint32_t run_begin = start_of(i), run_end = j > i ? tokens[j - 1].end : run_begin;
      if (j < i + 2 || is_word(lex, text, run_begin, run_end)) {
        j = std::max(j, i + 1);
        rewriting_.keep(i, j);
        i = j;
        continue;
      }
      auto add_piece = [&](uint32_t begin, uint32_t end, EdgeKind kind) {
        if (end == begin + 1) rewriting_.add_part(tokens[i + (begin - run_begin)], i);
        else rewriting_.add_part(Token{end, kind_bits(kind) | kNotCanonical}, i);
      };
      for (uint32_t k = run_begin; k < run_end;) {
        uint32_t end = k;
        while (end < run_end && jieba::is_han(character(end))) ++end;
        if (end == k) {
          end = jieba::end_of_token(character, k, run_end);
          add_piece(k, end, jieba::is_alnum(character(k)) ? kLatinRun : kUnknown);
        } else {
          cut_span(plan, text.part(k, end), tagger);
          uint32_t piece_begin = k;
          for (const Token& piece : pieces_.tokens)
            add_piece(std::exchange(piece_begin, k + piece.end), k + piece.end, kUnknown);
        }
        k = end;
      }
      i = j;
    }
    rewriting_.end();
  }

  // Whether [begin, end) is a word of the lexicon with a cost.
  static bool is_word(const Lexicon& lex, const Text& text, uint32_t begin, uint32_t end) {
    uint32_t slot = 0;
    for (uint32_t k = begin; k < end; ++k) {
      const uint32_t id = lex.map.id(text[k]);
      slot = k == begin ? id : lex.trie.child(slot, id);
      if (!slot) return false;
    }
    return lex.is_word(slot) && unit_cost(lex.trie.units[slot]) < kMaxCost;
  }

  // Cuts a span into pieces_ by the subword model.
  void split(const UnknownCutter& cutter, const Text& span) {
    if (cutter_ != &cutter) {
      cutter_memory_ = cutter.memory();
      cutter_ = &cutter;
    }
    cutter_ends_.clear();
    cutter.cut(span, Interrupt::share(), *cutter_memory_, cutter_ends_);
    for (uint32_t end : cutter_ends_) pieces_.tokens.push_back(Token{end, 0});
  }
};

}  // namespace segmenter
