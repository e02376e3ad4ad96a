// Finishes the path of a decoder: inserts the tokens of user words and atoms, cuts unknown words,
// joins letters as jieba does, marks tokens that the caller skips, and cuts deleted words into
// characters.
#pragma once
#include <cstdint>
#include <vector>

#include "cut_unknown.hpp"
#include "request.hpp"
#include "result.hpp"
#include "token.hpp"
#include "numbers.hpp"
#include "spans/edits.hpp"
#include "user/tables.hpp"

namespace segmenter {

// Edits the tokens of a Decision.
class PostEdit {
 public:
  // Replaces the tokens inside the spans of user words and atoms by those of the spans; every span
  // is a run of whole tokens. `spelt`: the caller reads only the spelling of tokens, so that a user
  // word shares the string of an equal word of the lexicon.
  void insert_spans(const Plan& plan, const Text& text, const UserEdits& edits, bool spelt,
                    Decision& decision) {
    std::vector<Token>& tokens = decision.tokens;
    if (!edits.edges.empty() && !plan.tagger) {  // taggers only score them
      uint32_t start = 0;
      for (Token& token : tokens) {
        if (is_user_word(token)) {
          token.label |= kNotCanonical;
          if (spelt) token.label = label_as_spelt(*plan.lex, text, start, token);
        }
        start = token.end;
      }
    }
    if (edits.spans.empty()) return;
    if (!decision.margins.empty() || has_parts(plan.user))
      return insert_all(plan.user, edits, decision);
    if (spelt && plan.tagger && are_tokens(edits.spans, tokens)) return;
    Token *const first = tokens.data(), *const end = first + tokens.size(), *source = first,
                 *target = first;
    for (const UserMatch& span : edits.spans) {
      for (; source < end && source->end <= span.start; ++source) *target++ = *source;
      Token* const first_inside = source;
      while (source < end && source->end <= span.end) ++source;
      Token token{span.end, span.label};
      if (spelt && is_user_word(token)) {
        // the tagger has found the word already
        if (plan.tagger && source - first_inside == 1) token.label = first_inside->label;
        else token.label = label_as_spelt(*plan.lex, text, span.start, token);
      }
      *target++ = token;
    }
    while (source < end) *target++ = *source++;
    tokens.resize(size_t(target - first));
  }

  // Runs everything after insert_spans(). `join`: adjacent letters and digits become one token.
  // `tagger`: working memory for the tagger of unknown words.
  void run(const Plan& plan, const Text& text, const UserEdits* edits, bool join, Tagger& tagger,
           Decision& decision) {
    if (join && !plan.unknown_tagger) join_alnum(*plan.lex, text, decision.tokens);
    if (plan.unknown_tagger || plan.subwords) unknown_.cut(plan, text, tagger, decision);
    if (plan.keep_unknown || plan.skip) join_or_drop(plan, text, decision);
    if (edits && !edits->cuts.empty()) cut_deleted(*plan.lex, text, *edits, decision);
  }

 private:
  Rewriting rewriting_;
  UnknownWords unknown_;

  static bool is_user_word(const Token& token) {
    return uint32_t(token_kind(token.label)) >= kUserWord;
  }
  static bool has_parts(const UserDictionary* dict) {
    if (dict)
      for (const UserLayer& layer : dict->layers)
        if (layer.n_parts) return true;
    return false;
  }

  // Whether each span is a token.
  static bool are_tokens(const std::vector<UserMatch>& spans, const std::vector<Token>& tokens) {
    const Token* token = tokens.data();
    uint32_t start = 0;
    for (const UserMatch& span : spans) {
      for (; token->end <= span.start; ++token) start = token->end;
      if (start != span.start || token->end != span.end) return false;
    }
    return true;
  }

  // The `label` of a token of which only the spelling is read: the slot of the lexicon's string, if
  // it has one.
  static uint32_t label_as_spelt(const Lexicon& lex, const Text& text, uint32_t start,
                                 const Token& token) {
    const uint32_t first = text[start];
    // a letter may be joined to others later
    if (token.end == start + 1) return first - 0x4E00u < 0x5200 ? 0 : token.label;
    uint32_t entry = lex.map(first), slot = entry & kIdBits, entries = entry;
    for (uint32_t k = start + 1; slot && k < token.end; ++k) {
      entry = lex.map(text[k]);
      entries |= entry;
      slot = lex.trie.child(slot, entry & kIdBits);
    }
    return slot && !(entries & kOddChar) ? slot : token.label;
  }

  void insert_all(const UserDictionary* dict, const UserEdits& edits, Decision& decision) {
    std::vector<Token>& tokens = decision.tokens;
    rewriting_.begin(decision);
    size_t next = 0;
    for (const UserMatch& span : edits.spans) {
      size_t first = next;
      while (next < tokens.size() && tokens[next].end <= span.start) ++next;
      rewriting_.keep(first, next);
      while (next < tokens.size() && tokens[next].end <= span.end) ++next;
      each_part(dict, span, [&](uint32_t end) { rewriting_.add(Token{end, span.label}); });
    }
    rewriting_.keep(next, tokens.size());
    rewriting_.end();
  }

  // Cuts tokens that are deleted words into characters.
  void cut_deleted(const Lexicon& lex, const Text& text, const UserEdits& edits,
                   Decision& decision) {
    rewriting_.begin(decision);
    size_t next = 0;
    each_deleted(edits, decision.tokens, [&](size_t i, uint32_t start, uint32_t end) {
      rewriting_.keep(next, i);
      for (uint32_t position = start; position < end; ++position) {
        uint32_t entry = lex.map(text[position]), id = entry & kIdBits;
        uint32_t kind = lex.is_word(id) ? kWord : kUnknown;
        rewriting_.add_part(
            Token{position + 1, id | kind_bits(kind) | (entry & kOddChar ? kNotCanonical : 0)}, i);
      }
      next = i + 1;
    });
    if (!rewriting_.any()) return;
    rewriting_.keep(next, decision.tokens.size());
    rewriting_.end();
  }

  // Joins adjacent words of one ASCII letter or digit, as jieba's __cut_DAG_NO_HMM does.
  static void join_alnum(const Lexicon& lex, const Text& text, std::vector<Token>& tokens) {
    size_t n = 0;
    uint32_t start = 0;
    bool after_letter = false;  // the last token is a letter or a run of them
    for (Token token : tokens) {
      bool is_single = token.end - start == 1 && uint32_t(token_kind(token.label)) < kEdgeKinds;
      CharClass char_class = is_single ? class_of(lex, text, start) : kOther;
      const bool is_letter = is_alnum(char_class);
      start = token.end;
      if (after_letter && is_letter) tokens[n - 1] = Token{token.end, kind_bits(kLatinRun)};
      else tokens[n++] = token;
      after_letter = is_letter;
    }
    tokens.resize(n);
  }

  // Joins adjacent unknown Han characters, if the plan keeps them, and marks the tokens that the
  // plan skips.
  static void join_or_drop(const Plan& plan, const Text& text, Decision& decision) {
    std::vector<Token>& tokens = decision.tokens;
    const Lexicon& lex = *plan.lex;
    auto class_at = [&](uint32_t k) { return class_of(lex, text, k); };
    size_t n = 0;
    uint32_t start = 0;
    bool after_unknown = false;  // the last token is an unknown Han span
    for (Token token : tokens) {
      EdgeKind kind = token_kind(token.label);
      if (plan.keep_unknown && kind == kUnknown && class_at(start) == kHan) {
        if (after_unknown) {
          tokens[n - 1].end = start = token.end;
          continue;
        }
        token.label = kind_bits(kUnknown) | kNotCanonical;
        after_unknown = true;
      } else {
        after_unknown = false;
      }
      bool drop = false;
      if (plan.skip & kSkipSpace) drop = kind == kBlankRun || kind == kLineEnd;
      if (!drop && (plan.skip & kSkipPunct) && kind <= kUnknown) {
        drop = true;
        for (uint32_t k = start; k < token.end && drop; ++k) drop = is_punct(class_at(k));
      }
      if (drop) {
        token.label |= kDropped;
        ++decision.dropped;
      }
      tokens[n++] = token;
      start = token.end;
    }
    tokens.resize(n);
  }
};

}  // namespace segmenter
