// JSON (RFC 8259): the metadata of compiled files, payloads of the user's words.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/decimal.hpp"
#include "utf8.hpp"

namespace segmenter {

struct Json {
  enum Kind { kNull, kBool, kNumber, kString, kArray, kObject };
  Kind kind = kNull;
  bool whole = false;  // a number without fraction and exponent
  double number = 0;   // of a bool 1 or 0
  std::string text;    // of a string, UTF-8; of a number its digits
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;

  // A member of an object; null: it has none of this name. The last of several counts.
  const Json* find(std::string_view name) const {
    const Json* found = nullptr;
    for (const auto& member : members)
      if (member.first == name) found = &member.second;
    return found;
  }

  // A member of the metadata of a file, checked; throws std::invalid_argument.
  const Json& field(const char* name, Kind wanted) const {
    const Json* const found = find(name);
    if (!found || found->kind != wanted)
      throw std::invalid_argument("'" + std::string(name) + "' of its metadata is not " +
                                  (wanted == kNumber   ? "a number"
                                   : wanted == kString ? "a string"
                                   : wanted == kBool   ? "true or false"
                                   : wanted == kArray  ? "a list of strings"
                                                       : "an object"));
    return *found;
  }
  std::vector<std::string> strings_field(const char* name) const {
    std::vector<std::string> out;
    for (const Json& item : field(name, kArray).items) {
      if (item.kind != kString) Json().field(name, kArray);  // which refuses
      out.push_back(item.text);
    }
    return out;
  }
  double number_field(const char* name, double most, bool whole_only = false) const {
    const Json& found = field(name, kNumber);
    if (found.number >= 0 && found.number <= most && (found.whole || !whole_only))
      return found.number;
    char range[64];
    std::snprintf(range, sizeof range, "a %snumber from 0 to %g", whole_only ? "whole " : "", most);
    throw std::invalid_argument("'" + std::string(name) + "' of its metadata is not " + range);
  }

  // Throws std::invalid_argument where the text is not JSON. Strings may hold lone surrogates.
  static Json parse(std::string_view text) {
    return Reader{text.data(), text.data() + text.size(), 64}.whole();
  }
  // Whether a text is JSON, up to 400 levels deep.
  static bool is(std::string_view text) {
    try {
      Reader{text.data(), text.data() + text.size(), 400}.whole();
    } catch (const std::invalid_argument&) { return false; }
    return true;
  }

 private:
  struct Reader {
    const char *at, *end;
    const int deepest;

    Json whole() {
      Json out = value(0);
      blanks();
      if (at != end) refuse();
      return out;
    }

    [[noreturn]] static void refuse() { throw std::invalid_argument("its metadata is not JSON"); }
    void blanks() {
      while (at != end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
    }
    bool take(char c) {
      blanks();
      if (at == end || *at != c) return false;
      ++at;
      return true;
    }
    void literal(std::string_view word) {
      if (size_t(end - at) < word.size() || std::string_view(at, word.size()) != word) refuse();
      at += word.size();
    }
    Json value(int depth) {
      Json out;
      blanks();
      if (at == end || depth > deepest) refuse();
      switch (*at) {
        case '{':
          ++at;
          out.kind = kObject;
          for (bool more = !take('}'); more; more = !take('}')) {
            if (!out.members.empty() && !take(',')) refuse();
            blanks();
            std::string name = string();
            if (!take(':')) refuse();
            out.members.emplace_back(std::move(name), value(depth + 1));
          }
          return out;
        case '[':
          ++at;
          out.kind = kArray;
          for (bool more = !take(']'); more; more = !take(']')) {
            if (!out.items.empty() && !take(',')) refuse();
            out.items.push_back(value(depth + 1));
          }
          return out;
        case '"':
          out.kind = kString;
          out.text = string();
          return out;
        case 't':
          literal("true");
          out.kind = kBool;
          out.number = 1;
          return out;
        case 'f':
          literal("false");
          out.kind = kBool;
          return out;
        case 'n':
          literal("null");
          return out;
        default:
          return digits();
      }
    }
    Json digits() {
      auto run = [&] {
        const char* const first = at;
        while (at != end && *at >= '0' && *at <= '9') ++at;
        if (at == first) refuse();
        return at - first > 1 && *first == '0';
      };
      Json out;
      out.kind = kNumber;
      out.whole = true;
      const char* const first = at;
      if (at != end && *at == '-') ++at;
      if (run()) refuse();  // 01
      if (at != end && *at == '.') {
        ++at;
        run();
        out.whole = false;
      }
      if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at != end && (*at == '+' || *at == '-')) ++at;
        run();
        out.whole = false;
      }
      const std::string_view text(first, size_t(at - first));
      // not more than Python reads
      if (text.size() > 4000 || !read_decimal(text, out.number) ||
          (!out.whole && !std::isfinite(out.number)))
        refuse();
      out.text = text;
      return out;
    }
    uint32_t four() {
      if (end - at < 4) refuse();
      uint32_t n = 0;
      for (int i = 0; i < 4; ++i, ++at) {
        const char low = char(*at | 0x20);
        if (*at >= '0' && *at <= '9') n = n << 4 | uint32_t(*at - '0');
        else if (low >= 'a' && low <= 'f') n = n << 4 | uint32_t(low - 'a' + 10);
        else refuse();
      }
      return n;
    }
    std::string string() {
      if (at == end || *at != '"') refuse();
      ++at;
      std::string out;
      while (true) {
        if (at == end || uint8_t(*at) < 0x20) refuse();
        if (*at == '"') {
          ++at;
          return out;
        }
        if (*at != '\\') {
          uint32_t cp;
          uint32_t n = decode_utf8(reinterpret_cast<const uint8_t*>(at), size_t(end - at), cp);
          if (!n && end - at > 2 && *at == '\xED' && (at[1] & 0xE0) == 0xA0 &&
              (at[2] & 0xC0) == 0x80)
            n = 3;  // a surrogate
          if (!n) refuse();
          out.append(at, n);
          at += n;
          continue;
        }
        if (end - at < 2) refuse();
        const char c = at[1];
        at += 2;
        static constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
        const size_t k = kFrom.find(c);
        if (k != kFrom.npos) {
          out += kTo[k];
          continue;
        }
        if (c != 'u') refuse();
        uint32_t cp = four();
        if (cp >= 0xD800 && cp < 0xDC00 && end - at >= 2 && at[0] == '\\' && at[1] == 'u') {
          const char* const first = at;
          at += 2;
          const uint32_t second = four();
          if (second >= 0xDC00 && second <= 0xDFFF)
            cp = 0x10000 + ((cp - 0xD800) << 10) + (second - 0xDC00);
          else at = first;
        }
        append_utf8(cp, out);
      }
    }
  };
};

}  // namespace segmenter
