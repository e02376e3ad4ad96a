// From a text to ids in one call: added tokens, replaced characters, spans, pieces.
//
// The result is the same as that of the separate steps of subword/ (the oracle of the tests), for
// texts in which every character is normalised independently, and for SentencePiece's normalisation.
// For other texts (with a mark that composes, a token that includes blanks) it returns a status, and
// the caller runs the steps.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "subword/added_tokens.hpp"
#include "subword/interface.hpp"
#include "subword/charsmap.hpp"
#include "subword/expressions.hpp"
#include "subword/model.hpp"
#include "threads.hpp"

namespace segmenter {

class PipelineRun {
 public:
  explicit PipelineRun(const TextPipeline& pipeline) : p_(pipeline) {}

  // Appends to s.ids.
  int run(const Text& given, bool special, SubwordScratch& s) const {
    const size_t begin = s.ids.size();
    if (special) s.ids.insert(s.ids.end(), p_.head.begin(), p_.head.end());
    const int status = given.cells([&](auto* cells) { return text(cells, given.n, s); });
    if (status != kPipelineDone) {
      s.ids.resize(begin);
    } else if (special) {
      s.ids.insert(s.ids.end(), p_.tail.begin(), p_.tail.end());
    }
    return status;
  }

  void run(PipelineText& t, bool special, SubwordScratch& s) const {
    t.first = s.ids.size();
    t.status = run(t.text, special, s);
    t.count = s.ids.size() - t.first;
  }

  void run_batch(std::vector<PipelineText>& texts, bool special,
                 std::vector<SubwordScratch*>& workers) const {
    std::atomic<size_t> next{0};
    constexpr size_t kShare = 32;
    in_threads(int(workers.size()), [&](int w) {
      SubwordScratch& s = *workers[size_t(w)];
      for (;;) {
        const size_t from = next.fetch_add(kShare);
        if (from >= texts.size()) return;
        Interrupt::look();
        for (size_t i = from; i < texts.size() && i < from + kShare; ++i) {
          texts[i].worker = w;
          run(texts[i], special, s);
        }
      }
    });
  }

 private:
  const TextPipeline& p_;

  template <class Char>
  static bool stands(const TokenFinder* finder, const Char* t, size_t n, SubwordScratch& s) {
    if (!finder) return false;
    s.found.clear();
    finder->find(t, n, true, s.found);
    return !s.found.empty();
  }

  template <class Char>
  int text(const Char* t, size_t n, SubwordScratch& s) const {
    if (n > 0x7FFFFFFF / 8 || stands(p_.odd, t, n, s)) return kPipelineSteps;
    if (p_.tokens) {
      s.found.clear();
      p_.tokens->find(t, n, !p_.tokens_alone, s.found);
      if (!s.found.empty()) {
        if (!p_.tokens_alone) return kPipelineSteps;
        size_t at = 0;
        for (const Found& f : s.found) {
          if (const int status = section(t, at, f.start, s)) return status;
          s.ids.push_back(p_.token_ids[f.number]);
          at = f.end;
        }
        return section(t, at, n, s);
      }
    }
    return section(t, 0, n, s);
  }

  static bool is_blank(uint32_t cp) {
    return cp == ' ' || (cp >= 9 && cp <= 13) || cp == 0x85 || cp == 0xA0 || cp == 0x1680 ||
           (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 || cp == 0x2029 || cp == 0x202F ||
           cp == 0x205F || cp == 0x3000;
  }
  bool blank_like(uint32_t cp) const { return cp == p_.blank || is_blank(cp); }

  template <class Char>
  int section(const Char* t, size_t start, size_t end, SubwordScratch& s) const {
    if (start == end) return kPipelineDone;
    const size_t n = end - start;
    if (p_.plain_edges && (blank_like(t[start]) || blank_like(t[end - 1]))) return kPipelineSteps;
    if (p_.sentencepiece) {
      p_.sentencepiece->run(t + start, n, s.text, nullptr);
      if (s.text.size() > 0x7FFFFFFF / 4) return kPipelineSteps;
      return s.text.empty() ? kPipelineDone : pieces(start == 0, s);
    }
    s.text.resize(p_.prefix.size() + (p_.replaced ? 3 * n : n));
    uint32_t* out = std::copy(p_.prefix.begin(), p_.prefix.end(), s.text.data());
    const uint32_t* const first = out;
    if (p_.replaced) {
      const Replacements& table = *p_.replaced;
      for (size_t i = start; i < end; ++i) {
        if (table.same(t[i])) {
          *out++ = t[i];
          continue;
        }
        const uint64_t entry = table[t[i]];
        if (entry == Replacements::kUnknown) return kPipelineUnknown;
        const uint64_t made = entry << 1 >> 1;
        if (made < (uint64_t(1) << 21)) {
          *out = uint32_t(made) - 1;
          out += made != 0;
        } else {
          if (entry == Replacements::kOdd) return kPipelineSteps;
          for (uint64_t rest = made; rest; rest >>= 21) *out++ = uint32_t(rest & 0x1FFFFF) - 1;
        }
      }
      if (out == first) return kPipelineSteps;
      if (p_.plain_edges && (blank_like(*first) || blank_like(out[-1]))) return kPipelineSteps;
      if (p_.squeezed) out = squeeze(s.text.data() + p_.prefix.size(), out);
    } else {
      out = std::copy(t + start, t + end, out);
    }
    s.text.resize(size_t(out - s.text.data()));
    return pieces(start == 0, s);
  }

  // The ids of the normalised text.
  int pieces(bool at_begin, SubwordScratch& s) const {
    if (stands(p_.normalised_tokens, s.text.data(), s.text.size(), s)) return kPipelineSteps;
    cut(at_begin, s);
    if (p_.whole) part(s);
    if (p_.model->encode_spans(s.spans.data(), s.spans.size(), s) >= 0) return kPipelineSteps;
    const size_t have = s.ids.size(), more = s.pieces.size();
    s.ids.resize(have + more);
    for (size_t i = 0; i < more; ++i) s.ids[have + i] = s.pieces[i].id;
    return kPipelineDone;
  }

  // Splits the spans at what is a span of its own.
  void part(SubwordScratch& s) const {
    s.marked_spans.clear();
    for (const SubwordSpan& span : s.spans) {
      s.found.clear();
      p_.whole->find(s.text.data() + span.start, span.end - span.start, false, s.found);
      uint32_t at = span.start;
      for (const Found& f : s.found) {
        if (at < span.start + f.start) s.marked_spans.push_back({at, span.start + f.start});
        at = span.start + f.end;
        s.marked_spans.push_back({span.start + f.start, at});
      }
      if (at < span.end) s.marked_spans.push_back({at, span.end});
    }
    s.spans.swap(s.marked_spans);
  }

  // Returns the new end.
  uint32_t* squeeze(uint32_t* from, uint32_t* end) const {
    uint32_t* out = from;
    for (const uint32_t* p = from; p < end;) {
      const uint32_t* next = p + 1;
      while (*p == p_.blank && next < end && *next == p_.blank) ++next;
      *out++ = next - p > 1 ? p_.squeezed : *p;
      p = next;
    }
    return out;
  }

  void cut(bool at_begin, SubwordScratch& s) const {
    s.spans.clear();
    if (p_.before) {
      find_spans(*p_.before, s.text.data(), s.text.size(), s, s.spans);
    } else {
      s.spans.push_back({0, uint32_t(s.text.size())});
    }
    if (p_.spelling.empty() && !p_.mark) return;
    const bool wanted = !p_.mark_missing && (!p_.mark_first_only || at_begin);
    s.marked.clear();
    s.marked_spans.clear();
    for (const SubwordSpan& span : s.spans) {
      const uint32_t begin = uint32_t(s.marked.size());
      for (uint32_t i = span.start; i < span.end; ++i) {
        if (!p_.spelling.empty()) {
          uint8_t bytes[4];
          const uint32_t n = utf8_of(s.text[i], bytes);
          for (uint32_t k = 0; k < n; ++k) s.marked.push_back(p_.spelling[bytes[k]]);
          continue;
        }
        const uint32_t cp = p_.mark_blanks && s.text[i] == ' ' ? p_.mark : s.text[i];
        if (i == span.start && wanted && cp != p_.mark) s.marked.push_back(p_.mark);
        s.marked.push_back(cp);
      }
      s.marked_spans.push_back({begin, uint32_t(s.marked.size())});
    }
    s.text.swap(s.marked);
    s.spans.clear();
    if (!p_.after) {
      s.spans = s.marked_spans;
      return;
    }
    for (const SubwordSpan& span : s.marked_spans) {
      const size_t have = s.spans.size();
      find_spans(*p_.after, s.text.data() + span.start, span.end - span.start, s, s.spans);
      for (size_t i = have; i < s.spans.size(); ++i) {
        s.spans[i].start += span.start;
        s.spans[i].end += span.start;
      }
    }
  }
};

}  // namespace segmenter
