// From a text to ids in one call: added tokens, replaced characters, spans, pieces.
//
// The result is the same as that of the separate steps of subword/ (the oracle of the tests), for
// texts in which every character is normalised independently, and for SentencePiece's
// normalisation. For other texts (with a mark that composes, a token that includes blanks) it
// returns a status, and the caller runs the steps.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "files/lines.hpp"
#include "subword/added_tokens.hpp"
#include "subword/interface.hpp"
#include "subword/charsmap.hpp"
#include "subword/expressions.hpp"
#include "subword/model.hpp"
#include "threads.hpp"

namespace segmenter {

class PipelineRun {
 public:
  explicit PipelineRun(const TextPipeline& pipeline) : pipeline_(pipeline) {}

  // Appends to s.ids.
  int run(const Text& text, bool special, SubwordScratch& s) const {
    const size_t begin = s.ids.size();
    if (special) s.ids.insert(s.ids.end(), pipeline_.head.begin(), pipeline_.head.end());
    const int status = text.cells([&](auto* cells) { return encode(cells, text.n, s); });
    if (status != kPipelineDone) {
      s.ids.resize(begin);
    } else if (special) {
      s.ids.insert(s.ids.end(), pipeline_.tail.begin(), pipeline_.tail.end());
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
        Interrupt::poll();
        for (size_t i = from; i < texts.size() && i < from + kShare; ++i) {
          texts[i].worker = w;
          run(texts[i], special, s);
        }
      }
    });
  }

 private:
  const TextPipeline& pipeline_;

  template <class Char>
  static bool contains(const TokenFinder* finder, const Char* t, size_t n, SubwordScratch& s) {
    if (!finder) return false;
    s.matches.clear();
    finder->find(t, n, true, s.matches);
    return !s.matches.empty();
  }

  template <class Char>
  int encode(const Char* t, size_t n, SubwordScratch& s) const {
    if (n > 0x7FFFFFFF / 8 || contains(pipeline_.odd, t, n, s)) return kPipelineSteps;
    if (pipeline_.tokens) {
      s.matches.clear();
      pipeline_.tokens->find(t, n, !pipeline_.tokens_alone, s.matches);
      if (!s.matches.empty()) {
        if (!pipeline_.tokens_alone) return kPipelineSteps;
        size_t end = 0;
        for (const Found& token : s.matches) {
          if (const int status = encode_section(t, end, token.start, s)) return status;
          s.ids.push_back(pipeline_.token_ids[token.number]);
          end = token.end;
        }
        return encode_section(t, end, n, s);
      }
    }
    return encode_section(t, 0, n, s);
  }

  // The normalised blank, and White_Space of Unicode, which lacks U+001C to U+001F.
  bool blank_like(uint32_t cp) const {
    return cp == pipeline_.blank || (is_white(cp) && !(cp >= 0x1C && cp <= 0x1F));
  }

  template <class Char>
  int encode_section(const Char* t, size_t start, size_t end, SubwordScratch& s) const {
    if (start == end) return kPipelineDone;
    const size_t n = end - start;
    if (pipeline_.plain_edges && (blank_like(t[start]) || blank_like(t[end - 1])))
      return kPipelineSteps;
    if (pipeline_.sentencepiece) {
      pipeline_.sentencepiece->run(t + start, n, s.text, nullptr);
      if (s.text.size() > 0x7FFFFFFF / 4) return kPipelineSteps;
      return s.text.empty() ? kPipelineDone : encode_pieces(start == 0, s);
    }
    s.text.resize(pipeline_.prefix.size() + (pipeline_.replaced ? 3 * n : n));
    uint32_t* out = std::copy(pipeline_.prefix.begin(), pipeline_.prefix.end(), s.text.data());
    const uint32_t* const first = out;
    if (pipeline_.replaced) {
      const Replacements& table = *pipeline_.replaced;
      for (size_t i = start; i < end; ++i) {
        if (table.same(t[i])) {
          *out++ = t[i];
          continue;
        }
        const uint64_t entry = table[t[i]];
        if (entry == Replacements::kUnknown) return kPipelineUnknown;
        const uint64_t replacement = entry << 1 >> 1;
        if (replacement < (uint64_t(1) << 21)) {
          *out = uint32_t(replacement) - 1;
          out += replacement != 0;
        } else {
          if (entry == Replacements::kOdd) return kPipelineSteps;
          for (uint64_t rest = replacement; rest; rest >>= 21)
            *out++ = uint32_t(rest & 0x1FFFFF) - 1;
        }
      }
      if (out == first) return kPipelineSteps;
      if (pipeline_.plain_edges && (blank_like(*first) || blank_like(out[-1])))
        return kPipelineSteps;
      if (pipeline_.squeezed) out = squeeze(s.text.data() + pipeline_.prefix.size(), out);
    } else {
      out = std::copy(t + start, t + end, out);
    }
    s.text.resize(size_t(out - s.text.data()));
    return encode_pieces(start == 0, s);
  }

  // The ids of the normalised text.
  int encode_pieces(bool at_begin, SubwordScratch& s) const {
    if (contains(pipeline_.normalised_tokens, s.text.data(), s.text.size(), s))
      return kPipelineSteps;
    split(at_begin, s);
    if (pipeline_.whole) split_whole(s);
    if (pipeline_.model->encode_spans(s.spans.data(), s.spans.size(), s) >= 0)
      return kPipelineSteps;
    const size_t n_ids = s.ids.size(), n_pieces = s.pieces.size();
    s.ids.resize(n_ids + n_pieces);
    for (size_t i = 0; i < n_pieces; ++i) s.ids[n_ids + i] = s.pieces[i].id;
    return kPipelineDone;
  }

  // Splits the spans at what is a span of its own.
  void split_whole(SubwordScratch& s) const {
    s.marked_spans.clear();
    for (const SubwordSpan& span : s.spans) {
      s.matches.clear();
      pipeline_.whole->find(s.text.data() + span.start, span.end - span.start, false, s.matches);
      uint32_t end = span.start;
      for (const Found& match : s.matches) {
        if (end < span.start + match.start)
          s.marked_spans.push_back({end, span.start + match.start});
        end = span.start + match.end;
        s.marked_spans.push_back({span.start + match.start, end});
      }
      if (end < span.end) s.marked_spans.push_back({end, span.end});
    }
    s.spans.swap(s.marked_spans);
  }

  // Returns the new end.
  uint32_t* squeeze(uint32_t* begin, uint32_t* end) const {
    uint32_t* out = begin;
    for (const uint32_t* position = begin; position < end;) {
      const uint32_t* next = position + 1;
      while (*position == pipeline_.blank && next < end && *next == pipeline_.blank) ++next;
      *out++ = next - position > 1 ? pipeline_.squeezed : *position;
      position = next;
    }
    return out;
  }

  void split(bool at_begin, SubwordScratch& s) const {
    s.spans.clear();
    if (pipeline_.before) {
      find_spans(*pipeline_.before, s.text.data(), s.text.size(), s, s.spans);
    } else {
      s.spans.push_back({0, uint32_t(s.text.size())});
    }
    if (pipeline_.spelling.empty() && !pipeline_.mark) return;
    const bool add_mark = !pipeline_.mark_missing && (!pipeline_.mark_first_only || at_begin);
    s.marked.clear();
    s.marked_spans.clear();
    for (const SubwordSpan& span : s.spans) {
      const uint32_t begin = uint32_t(s.marked.size());
      for (uint32_t i = span.start; i < span.end; ++i) {
        if (!pipeline_.spelling.empty()) {
          uint8_t bytes[4];
          const uint32_t n = utf8_of(s.text[i], bytes);
          for (uint32_t k = 0; k < n; ++k) s.marked.push_back(pipeline_.spelling[bytes[k]]);
          continue;
        }
        const uint32_t cp = pipeline_.mark_blanks && s.text[i] == ' ' ? pipeline_.mark : s.text[i];
        if (i == span.start && add_mark && cp != pipeline_.mark) s.marked.push_back(pipeline_.mark);
        s.marked.push_back(cp);
      }
      s.marked_spans.push_back({begin, uint32_t(s.marked.size())});
    }
    s.text.swap(s.marked);
    s.spans.clear();
    if (!pipeline_.after) {
      s.spans = s.marked_spans;
      return;
    }
    for (const SubwordSpan& span : s.marked_spans) {
      const size_t n_spans = s.spans.size();
      find_spans(*pipeline_.after, s.text.data() + span.start, span.end - span.start, s, s.spans);
      for (size_t i = n_spans; i < s.spans.size(); ++i) {
        s.spans[i].start += span.start;
        s.spans[i].end += span.start;
      }
    }
  }
};

}  // namespace segmenter
