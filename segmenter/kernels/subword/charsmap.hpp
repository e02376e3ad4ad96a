// SentencePiece's normalisation (Kudo and Richardson 2018): sequences of characters are replaced by
// a precompiled map, user-defined symbols are kept, blanks are collapsed, and a mark is added
// before or after the text.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "interrupt.hpp"
#include "subword/added_tokens.hpp"
#include "subword/interface.hpp"
#include "subword/model.hpp"
#include "utf8.hpp"

namespace segmenter {

// Rules from UTF-8 sequences to strings: a double array (Darts-clone, Yata) whose values are
// offsets of NUL-terminated replacements. Nothing in the array is trusted.
class CharsMap {
 public:
  static constexpr size_t kLongest = 256;      // characters per rule: a damaged array has cycles
  static constexpr uint32_t kUndecided = ~0u;  // the following characters matter
  static constexpr uint32_t kNowhere = ~0u;    // no node

  CharsMap(const uint8_t* units, size_t n_units, const char* replacements, size_t n_replacements)
      : replacements_(replacements, n_replacements), units_(n_units) {
    for (size_t i = 0; i < n_units; ++i)
      for (size_t k = 4; k--;) units_[i] = units_[i] << 8 | units[4 * i + k];
    context_free_.resize(0x10000);
    for (uint32_t cp = 0; cp < 0x10000; ++cp) context_free_[cp] = decide(cp);
  }

  // The single character that replaces a character in every context; kUndecided if there is none.
  uint32_t context_free(uint32_t cp) const { return cp < 0x10000 ? context_free_[cp] : kUndecided; }

  bool begins(uint32_t cp) const {
    const char* replacement = nullptr;
    return step(0, cp, replacement) != kNowhere;
  }

  // The end of the longest sequence from `start` on that has a rule, and its replacement; `start`
  // if there is none. `shortest`: of the shortest sequence instead.
  template <class Char>
  size_t find(const Char* t, size_t start, size_t n, bool shortest,
              std::vector<uint32_t>& out) const {
    const char *replacement = nullptr, *match = nullptr;
    size_t end = start;
    uint32_t node = 0;
    for (size_t i = start, last = std::min(n, start + kLongest); i < last; ++i) {
      node = step(node, t[i], replacement);
      if (node == kNowhere) break;
      if (!replacement) continue;
      match = replacement;
      end = i + 1;
      if (shortest) break;
    }
    out.clear();
    if (!match) return start;
    const auto* bytes = reinterpret_cast<const uint8_t*>(match);
    for (size_t rest = replacements_.size() - size_t(match - replacements_.data()); *bytes;) {
      uint32_t cp, size = decode_utf8(bytes, rest, cp);
      out.push_back(size ? cp : 0xFFFD);
      bytes += size ? size : 1;
      rest -= size ? size : 1;
    }
    return end;
  }

 private:
  std::string replacements_;
  std::vector<uint32_t> units_, context_free_;

  static uint32_t offset(uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }
  uint32_t child(uint32_t node, uint8_t byte) const {
    const uint32_t next = node ^ offset(units_[node]) ^ byte;
    return next < units_.size() && (units_[next] & 0x800000FF) == byte ? next : kNowhere;
  }

  // The node after a character; `replacement`: that of the sequence so far, or null.
  uint32_t step(uint32_t node, uint32_t cp, const char*& replacement) const {
    replacement = nullptr;
    if (units_.empty()) return kNowhere;
    uint8_t bytes[4];
    for (uint32_t i = 0, n = utf8_of(cp, bytes); i < n; ++i)
      if ((node = child(node, bytes[i])) == kNowhere) return kNowhere;
    const uint32_t leaf = node ^ offset(units_[node]);
    if ((units_[node] >> 8 & 1) && leaf < units_.size())
      replacement =
          replacements_.c_str() + std::min(size_t(units_[leaf] & 0x7FFFFFFF), replacements_.size());
    return node;
  }

  uint32_t decide(uint32_t cp) const {
    const char* replacement = nullptr;
    const uint32_t node = step(0, cp, replacement);
    if (node == kNowhere) return cp;
    for (uint32_t byte = 1; byte < 0x100; ++byte)
      if (child(node, uint8_t(byte)) != kNowhere) return kUndecided;
    if (!replacement) return cp;
    std::vector<uint32_t> replaced;
    const uint32_t text[1] = {cp};
    find(text, 0, 1, false, replaced);
    return replaced.size() == 1 ? replaced[0] : kUndecided;
  }
};

class SentencePieceNormaliser {
 public:
  explicit SentencePieceNormaliser(const SentencePieceParts& parts) : options_(parts) {}

  // `size` characters of the new text come from [start, end) of the old one.
  struct Part {
    uint32_t size, start, end;
  };
  struct Alignment {
    std::vector<Part> parts;
    size_t begin = 0, end = 0;  // the text without the blanks dropped at its ends
  };

  void run(const Text& text, std::vector<uint32_t>& out) const {
    text.cells([&](auto* cells) { run(cells, text.n, out, nullptr); });
  }
  // `alignment` may be null.
  template <class Char>
  void run(const Char* t, size_t n, std::vector<uint32_t>& out, Alignment* alignment) const {
    const size_t first = options_.mark && !options_.suffix;
    out.resize(n + 4);
    size_t size = first;
    bool leading = options_.collapse, after_blank = options_.collapse;
    if (alignment) *alignment = {{}, 0, n};

    auto append = [&](const uint32_t* replacement, size_t length, size_t start, size_t end) {
      if (options_.collapse) {
        if (leading && length == 1 && *replacement == ' ') return;
        if (leading && alignment) alignment->begin = start;
        leading = false;
        for (; after_blank && length && *replacement == ' '; ++replacement) --length;
        if (!length) return;
        after_blank = replacement[length - 1] == ' ';
      }
      if (size + length > kMaxGrowth * n + kMaxGrowthExtra)
        throw std::runtime_error("text: the charsmap of this tokenizer would make over " +
                                 std::to_string(kMaxGrowth * n + kMaxGrowthExtra) +
                                 " characters of " + std::to_string(n) +
                                 ", and that is the most (64 times its length, and 200): "
                                 "repair its charsmap");
      if (out.size() < size + length + (n - end) + 2)
        out.resize(2 * (size + length) + (n - end) + 2);
      for (size_t i = 0; i < length; ++i)
        out[size++] = replacement[i] == ' ' ? options_.blank : replacement[i];
      if (alignment) alignment->parts.push_back({uint32_t(length), uint32_t(start), uint32_t(end)});
    };

    std::vector<Found> matches;
    std::vector<uint32_t> replacement;
    Found symbol = next_symbol(t, 0, n, matches);
    for (size_t position = 0, step = 0; position < n;) {
      if (++step % Interrupt::kEvery == 0) Interrupt::poll();
      if (position > symbol.start)
        symbol = next_symbol(t, position, n, matches);  // a rule consumed its beginning
      size_t end = position + 1;
      if (position == symbol.start) {
        end = symbol.end;
        replacement.assign(t + position, t + end);
        append(replacement.data(), replacement.size(), position, end);
        position = end;
        symbol = next_symbol(t, position, n, matches);
        continue;
      }
      const uint32_t single = options_.rules->context_free(t[position]);
      if (single != CharsMap::kUndecided) {
        append(&single, 1, position, end);
      } else {
        end = options_.rules->find(t, position, n, false, replacement);
        if (end == position) replacement.assign(1, t[end++]);
        append(replacement.data(), replacement.size(), position, end);
      }
      position = end;
    }
    if (options_.collapse && leading) size = first;
    if (options_.collapse) size = trim(out, first, size, alignment);
    // a text of blanks has become nothing, unless the mark is a suffix
    const bool marked =
        options_.mark && (!options_.collapse || size > first || (options_.suffix && !leading));
    if (marked) {
      out[first ? 0 : size++] = options_.blank;
    } else {
      size -= first;
    }
    out.resize(size);
  }

  void spans(const Text& text, bool covering, std::vector<uint32_t>& starts,
             std::vector<uint32_t>& ends) const {
    text.cells([&](auto* cells) { spans(cells, text.n, covering, starts, ends); });
  }
  template <class Char>
  void spans(const Char* t, size_t n, bool covering, std::vector<uint32_t>& starts,
             std::vector<uint32_t>& ends) const {
    std::vector<uint32_t> normalised;
    Alignment alignment;
    run(t, n, normalised, &alignment);
    size_t size = 0;
    for (const Part& part : alignment.parts) size += part.size;
    if (size < normalised.size()) {  // the mark
      uint32_t position = uint32_t(options_.suffix ? alignment.end : alignment.begin);
      if (covering)
        position = options_.suffix && !alignment.parts.empty() ? alignment.parts.back().end : 0;
      alignment.parts.insert(options_.suffix ? alignment.parts.end() : alignment.parts.begin(),
                             Part{1, position, position});
    }
    for (const Part& part : alignment.parts)
      for (uint32_t i = 0; i < part.size; ++i) {
        const bool one_to_one = covering && part.size == part.end - part.start;
        starts.push_back(part.start + (one_to_one ? i : 0));
        ends.push_back(one_to_one ? part.start + i + 1 : part.end);
      }
    if (covering || starts.empty()) return;
    ends.assign(starts.begin() + 1, starts.end());
    ends.push_back(uint32_t(alignment.end));
  }

 private:
  const SentencePieceParts options_;
  static constexpr uint32_t kNone = ~0u;
  // The limit of the length, as in subword/aligned.py.
  static constexpr size_t kMaxGrowth = 64, kMaxGrowthExtra = 200;

  template <class Char>
  Found next_symbol(const Char* t, size_t start, size_t n, std::vector<Found>& matches) const {
    matches.clear();
    if (start < n) options_.symbols->find(t + start, n - start, true, matches);
    if (matches.empty()) return {kNone, kNone, kNone};
    return {matches[0].start + uint32_t(start), matches[0].end + uint32_t(start),
            matches[0].number};
  }

  // The size without blanks at the end.
  size_t trim(const std::vector<uint32_t>& out, size_t first, size_t size,
              Alignment* alignment) const {
    const size_t untrimmed = size;
    while (size > first && out[size - 1] == options_.blank) --size;
    if (!alignment) return size;
    for (size_t excess = untrimmed - size; !alignment->parts.empty();) {
      Part& last = alignment->parts.back();
      if (last.size > excess) {
        if (excess) alignment->end = last.end;
        last.size -= uint32_t(excess);
        break;
      }
      excess -= last.size;
      alignment->end = last.start;
      alignment->parts.pop_back();
    }
    return size;
  }
};

}  // namespace segmenter
