// SentencePiece's normalisation (Kudo and Richardson 2018): sequences of characters are replaced by
// a precompiled map, user-defined symbols stay, blanks are collapsed and a mark is put before or
// after the text.
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

// Rules from UTF-8 sequences to strings: a double array (Darts-clone, Yata) whose values are places
// among NUL-terminated replacements. Nothing of the array is trusted.
class CharsMap {
 public:
  static constexpr size_t kLongest = 256;    // characters per rule: a damaged array has cycles
  static constexpr uint32_t kAsk = ~0u;      // of `alone`: more than this character decides
  static constexpr uint32_t kNowhere = ~0u;  // no node

  CharsMap(const uint8_t* units, size_t n_units, const char* made, size_t n_made)
      : made_(made, n_made), units_(n_units) {
    for (size_t i = 0; i < n_units; ++i)
      for (size_t k = 4; k--;) units_[i] = units_[i] << 8 | units[4 * i + k];
    alone_.resize(0x10000);
    for (uint32_t cp = 0; cp < 0x10000; ++cp) alone_[cp] = decided_alone(cp);
  }

  // What a character becomes whatever follows it, if that is one character; otherwise kAsk.
  uint32_t alone(uint32_t cp) const { return cp < 0x10000 ? alone_[cp] : kAsk; }

  bool begins(uint32_t cp) const {
    const char* made = nullptr;
    return step(0, cp, made) != kNowhere;
  }

  // The end of the longest sequence at `at` that has a rule, and the rule's replacement; `at` if
  // there is none. `shortest`: of the shortest sequence instead.
  template <class Char>
  size_t find(const Char* t, size_t at, size_t n, bool shortest, std::vector<uint32_t>& out) const {
    const char *made = nullptr, *found = nullptr;
    size_t end = at;
    uint32_t node = 0;
    for (size_t i = at, last = std::min(n, at + kLongest); i < last; ++i) {
      node = step(node, t[i], made);
      if (node == kNowhere) break;
      if (!made) continue;
      found = made;
      end = i + 1;
      if (shortest) break;
    }
    out.clear();
    if (!found) return at;
    const auto* p = reinterpret_cast<const uint8_t*>(found);
    for (size_t left = made_.size() - size_t(found - made_.data()); *p;) {
      uint32_t cp, length = decode_utf8(p, left, cp);
      out.push_back(length ? cp : 0xFFFD);
      p += length ? length : 1;
      left -= length ? length : 1;
    }
    return end;
  }

 private:
  std::string made_;
  std::vector<uint32_t> units_, alone_;

  static uint32_t offset(uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }
  uint32_t child(uint32_t node, uint8_t byte) const {
    const uint32_t at = node ^ offset(units_[node]) ^ byte;
    return at < units_.size() && (units_[at] & 0x800000FF) == byte ? at : kNowhere;
  }

  // The node after a character; made: the replacement of the sequence up to here, or null.
  uint32_t step(uint32_t node, uint32_t cp, const char*& made) const {
    made = nullptr;
    if (units_.empty()) return kNowhere;
    uint8_t bytes[4];
    for (uint32_t i = 0, n = utf8_of(cp, bytes); i < n; ++i)
      if ((node = child(node, bytes[i])) == kNowhere) return kNowhere;
    const uint32_t leaf = node ^ offset(units_[node]);
    if ((units_[node] >> 8 & 1) && leaf < units_.size())
      made = made_.c_str() + std::min(size_t(units_[leaf] & 0x7FFFFFFF), made_.size());
    return node;
  }

  uint32_t decided_alone(uint32_t cp) const {
    const char* made = nullptr;
    const uint32_t node = step(0, cp, made);
    if (node == kNowhere) return cp;
    for (uint32_t byte = 1; byte < 0x100; ++byte)
      if (child(node, uint8_t(byte)) != kNowhere) return kAsk;
    if (!made) return cp;
    std::vector<uint32_t> out;
    const uint32_t text[1] = {cp};
    find(text, 0, 1, false, out);
    return out.size() == 1 ? out[0] : kAsk;
  }
};

class SentencePieceNormaliser {
 public:
  explicit SentencePieceNormaliser(const SentencePieceParts& parts) : p_(parts) {}

  // `size` characters of the new text come from [start, end) of the old one.
  struct Part {
    uint32_t size, start, end;
  };
  struct Parts {
    std::vector<Part> parts;
    size_t begin = 0, end = 0;  // the text without what was dropped at its ends
  };

  void run(const Text& text, std::vector<uint32_t>& out) const {
    text.cells([&](auto* cells) { run(cells, text.n, out, nullptr); });
  }
  // `parts` may be null.
  template <class Char>
  void run(const Char* t, size_t n, std::vector<uint32_t>& out, Parts* parts) const {
    const size_t first = p_.mark && !p_.suffix;
    out.resize(n + 4);
    size_t size = first;
    bool heading = p_.collapse, after_blank = p_.collapse;
    if (parts) *parts = {{}, 0, n};

    auto put = [&](const uint32_t* made, size_t m, size_t start, size_t end) {
      if (p_.collapse) {
        if (heading && m == 1 && *made == ' ') return;
        if (heading && parts) parts->begin = start;
        heading = false;
        for (; after_blank && m && *made == ' '; ++made) --m;
        if (!m) return;
        after_blank = made[m - 1] == ' ';
      }
      if (size + m > kTimes * n + kMore)
        throw std::runtime_error(
            "text: the charsmap of this tokenizer would make over " +
            std::to_string(kTimes * n + kMore) + " characters of " + std::to_string(n) +
            ", and that is the most (64 times its length, and 200)");
      if (out.size() < size + m + (n - end) + 2) out.resize(2 * (size + m) + (n - end) + 2);
      for (size_t i = 0; i < m; ++i) out[size++] = made[i] == ' ' ? p_.blank : made[i];
      if (parts) parts->parts.push_back({uint32_t(m), uint32_t(start), uint32_t(end)});
    };

    std::vector<Found> found;
    std::vector<uint32_t> made;
    Found symbol = next_symbol(t, 0, n, found);
    for (size_t at = 0, turn = 0; at < n;) {
      if (++turn % Interrupt::kEvery == 0) Interrupt::look();
      if (at > symbol.start) symbol = next_symbol(t, at, n, found);  // a rule took its beginning
      size_t end = at + 1;
      if (at == symbol.start) {
        end = symbol.end;
        made.assign(t + at, t + end);
        put(made.data(), made.size(), at, end);
        at = end;
        symbol = next_symbol(t, at, n, found);
        continue;
      }
      const uint32_t one = p_.rules->alone(t[at]);
      if (one != CharsMap::kAsk) {
        put(&one, 1, at, end);
      } else {
        end = p_.rules->find(t, at, n, false, made);
        if (end == at) made.assign(1, t[end++]);
        put(made.data(), made.size(), at, end);
      }
      at = end;
    }
    if (p_.collapse && heading) size = first;
    if (p_.collapse) size = trimmed(out, first, size, parts);
    // a text of blanks has become nothing, unless the mark is a suffix
    const bool marked = p_.mark && (!p_.collapse || size > first || (p_.suffix && !heading));
    if (marked) {
      out[first ? 0 : size++] = p_.blank;
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
    std::vector<uint32_t> out;
    Parts found;
    run(t, n, out, &found);
    size_t size = 0;
    for (const Part& part : found.parts) size += part.size;
    if (size < out.size()) {  // the mark
      uint32_t at = uint32_t(p_.suffix ? found.end : found.begin);
      if (covering) at = p_.suffix && !found.parts.empty() ? found.parts.back().end : 0;
      found.parts.insert(p_.suffix ? found.parts.end() : found.parts.begin(), Part{1, at, at});
    }
    for (const Part& part : found.parts)
      for (uint32_t i = 0; i < part.size; ++i) {
        const bool own = covering && part.size == part.end - part.start;
        starts.push_back(part.start + (own ? i : 0));
        ends.push_back(own ? part.start + i + 1 : part.end);
      }
    if (covering || starts.empty()) return;
    ends.assign(starts.begin() + 1, starts.end());
    ends.push_back(uint32_t(found.end));
  }

 private:
  const SentencePieceParts p_;
  static constexpr uint32_t kNone = ~0u;
  // How much it may lengthen a text, as in subword/aligned.py.
  static constexpr size_t kTimes = 64, kMore = 200;

  template <class Char>
  Found next_symbol(const Char* t, size_t at, size_t n, std::vector<Found>& found) const {
    found.clear();
    if (at < n) p_.symbols->find(t + at, n - at, true, found);
    if (found.empty()) return {kNone, kNone, kNone};
    return {found[0].start + uint32_t(at), found[0].end + uint32_t(at), found[0].number};
  }

  // The size without blanks at the end.
  size_t trimmed(const std::vector<uint32_t>& out, size_t first, size_t size, Parts* parts) const {
    const size_t before = size;
    while (size > first && out[size - 1] == p_.blank) --size;
    if (!parts) return size;
    for (size_t left = before - size; !parts->parts.empty();) {
      Part& last = parts->parts.back();
      if (last.size > left) {
        if (left) parts->end = last.end;
        last.size -= uint32_t(left);
        break;
      }
      left -= last.size;
      parts->end = last.start;
      parts->parts.pop_back();
    }
    return size;
  }
};

}  // namespace segmenter
