// The implementation of json.hpp and decimal.hpp.
#include "files/json.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "files/decimal.hpp"
#include "utf8.hpp"

namespace segmenter {

bool read_decimal(std::string_view text, double& value) {
  std::string digits;  // without the point
  size_t k = 0;
  const size_t n = text.size();
  if (k < n && (text[k] == '+' || text[k] == '-')) {
    if (text[k] == '-') digits += '-';
    ++k;
  }
  const size_t sign_length = digits.size();
  int64_t exponent = 0;
  bool any_digit = false, after_point = false;
  for (; k < n && ((text[k] >= '0' && text[k] <= '9') || (text[k] == '.' && !after_point)); ++k) {
    if (text[k] == '.') {
      after_point = true;
      continue;
    }
    any_digit = true;
    exponent -= after_point;
    if (digits.size() > sign_length || text[k] != '0') digits += text[k];
  }
  if (!any_digit) return false;
  if (k < n && (text[k] == 'e' || text[k] == 'E')) {
    bool negative = false, any_power = false;
    if (++k < n && (text[k] == '+' || text[k] == '-')) negative = text[k++] == '-';
    int64_t power = 0;
    for (; k < n && text[k] >= '0' && text[k] <= '9'; ++k, any_power = true)
      if (power < int64_t(1) << 40) power = power * 10 + (text[k] - '0');
    if (!any_power) return false;
    exponent += negative ? -power : power;
  }
  if (k != n) return false;
  if (digits.size() == sign_length) {
    digits += '0';
    exponent = 0;
  }
  // integers up to 2^53 and powers up to 10^22 are exact, so a single operation rounds once
  constexpr double kTens[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (digits.size() - sign_length <= 15 && exponent >= -22 && exponent <= 22) {
    int64_t mantissa = 0;
    for (size_t i = sign_length; i < digits.size(); ++i)
      mantissa = mantissa * 10 + (digits[i] - '0');
    value = exponent < 0 ? double(mantissa) / kTens[-exponent] : double(mantissa) * kTens[exponent];
    if (sign_length) value = -value;
    return true;
  }
  value = std::strtod((digits + 'e' + std::to_string(exponent)).c_str(), nullptr);
  return true;
}

namespace {

struct JsonReader {
  const char *cursor, *end;
  const int max_depth;

  Json document() {
    Json result = parse_value(0);
    skip_blanks();
    if (cursor != end) refuse();
    return result;
  }

  [[noreturn]] static void refuse() { throw std::invalid_argument("its metadata is not JSON"); }
  void skip_blanks() {
    while (cursor != end &&
           (*cursor == ' ' || *cursor == '\t' || *cursor == '\n' || *cursor == '\r'))
      ++cursor;
  }
  bool take(char c) {
    skip_blanks();
    if (cursor == end || *cursor != c) return false;
    ++cursor;
    return true;
  }
  void expect(std::string_view word) {
    if (size_t(end - cursor) < word.size() || std::string_view(cursor, word.size()) != word)
      refuse();
    cursor += word.size();
  }
  Json parse_value(int depth) {
    Json result;
    skip_blanks();
    if (cursor == end || depth > max_depth) refuse();
    switch (*cursor) {
      case '{':
        ++cursor;
        result.kind = Json::kObject;
        for (bool open = !take('}'); open; open = !take('}')) {
          if (!result.members.empty() && !take(',')) refuse();
          skip_blanks();
          std::string name = parse_string();
          if (!take(':')) refuse();
          result.members.emplace_back(std::move(name), parse_value(depth + 1));
        }
        return result;
      case '[':
        ++cursor;
        result.kind = Json::kArray;
        for (bool open = !take(']'); open; open = !take(']')) {
          if (!result.items.empty() && !take(',')) refuse();
          result.items.push_back(parse_value(depth + 1));
        }
        return result;
      case '"':
        result.kind = Json::kString;
        result.text = parse_string();
        return result;
      case 't':
        expect("true");
        result.kind = Json::kBool;
        result.number = 1;
        return result;
      case 'f':
        expect("false");
        result.kind = Json::kBool;
        return result;
      case 'n':
        expect("null");
        return result;
      default:
        return parse_number();
    }
  }
  Json parse_number() {
    auto skip_digits = [&] {
      const char* const start = cursor;
      while (cursor != end && *cursor >= '0' && *cursor <= '9') ++cursor;
      if (cursor == start) refuse();
      return cursor - start > 1 && *start == '0';
    };
    Json number;
    number.kind = Json::kNumber;
    number.integer = true;
    const char* const start = cursor;
    if (cursor != end && *cursor == '-') ++cursor;
    if (skip_digits()) refuse();  // 01
    if (cursor != end && *cursor == '.') {
      ++cursor;
      skip_digits();
      number.integer = false;
    }
    if (cursor != end && (*cursor == 'e' || *cursor == 'E')) {
      ++cursor;
      if (cursor != end && (*cursor == '+' || *cursor == '-')) ++cursor;
      skip_digits();
      number.integer = false;
    }
    const std::string_view text(start, size_t(cursor - start));
    // the limit of Python's int()
    if (text.size() > 4000 || !read_decimal(text, number.number) ||
        (!number.integer && !std::isfinite(number.number)))
      refuse();
    number.text = text;
    return number;
  }
  uint32_t parse_hex4() {
    if (end - cursor < 4) refuse();
    uint32_t unit = 0;
    for (int i = 0; i < 4; ++i, ++cursor) {
      const char lower = char(*cursor | 0x20);
      if (*cursor >= '0' && *cursor <= '9') unit = unit << 4 | uint32_t(*cursor - '0');
      else if (lower >= 'a' && lower <= 'f') unit = unit << 4 | uint32_t(lower - 'a' + 10);
      else refuse();
    }
    return unit;
  }
  std::string parse_string() {
    if (cursor == end || *cursor != '"') refuse();
    ++cursor;
    std::string text;
    while (true) {
      if (cursor == end || uint8_t(*cursor) < 0x20) refuse();
      if (*cursor == '"') {
        ++cursor;
        return text;
      }
      if (*cursor != '\\') {
        uint32_t cp;
        uint32_t length =
            decode_utf8(reinterpret_cast<const uint8_t*>(cursor), size_t(end - cursor), cp);
        if (!length && end - cursor > 2 && *cursor == '\xED' && (cursor[1] & 0xE0) == 0xA0 &&
            (cursor[2] & 0xC0) == 0x80)
          length = 3;  // a surrogate
        if (!length) refuse();
        text.append(cursor, length);
        cursor += length;
        continue;
      }
      if (end - cursor < 2) refuse();
      const char c = cursor[1];
      cursor += 2;
      static constexpr std::string_view kEscapes = "\"\\/bfnrt", kUnescaped = "\"\\/\b\f\n\r\t";
      const size_t escape = kEscapes.find(c);
      if (escape != kEscapes.npos) {
        text += kUnescaped[escape];
        continue;
      }
      if (c != 'u') refuse();
      uint32_t cp = parse_hex4();
      if (cp >= 0xD800 && cp < 0xDC00 && end - cursor >= 2 && cursor[0] == '\\' &&
          cursor[1] == 'u') {
        const char* const rewind = cursor;
        cursor += 2;
        const uint32_t low = parse_hex4();
        if (low >= 0xDC00 && low <= 0xDFFF) cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
        else cursor = rewind;
      }
      append_utf8(cp, text);
    }
  }
};

}  // namespace

Json::Json() = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json Json::parse(std::string_view text) {
  return JsonReader{text.data(), text.data() + text.size(), 64}.document();
}
bool Json::is_json(std::string_view text) {
  try {
    JsonReader{text.data(), text.data() + text.size(), 400}.document();
  } catch (const std::invalid_argument&) { return false; }
  return true;
}

const Json* Json::find(std::string_view name) const {
  const Json* match = nullptr;
  for (const auto& member : members)
    if (member.first == name) match = &member.second;
  return match;
}

const Json& Json::field(const char* name, Kind expected) const {
  const Json* const member = find(name);
  if (!member || member->kind != expected)
    throw std::invalid_argument("'" + std::string(name) + "' of its metadata is not " +
                                (expected == kNumber   ? "a number"
                                 : expected == kString ? "a string"
                                 : expected == kBool   ? "true or false"
                                 : expected == kArray  ? "a list of strings"
                                                       : "an object"));
  return *member;
}
std::vector<std::string> Json::strings_field(const char* name) const {
  std::vector<std::string> strings;
  for (const Json& item : field(name, kArray).items) {
    if (item.kind != kString) Json().field(name, kArray);  // throws
    strings.push_back(item.text);
  }
  return strings;
}
double Json::number_field(const char* name, double limit, bool integer_only) const {
  const Json& member = field(name, kNumber);
  if (member.number >= 0 && member.number <= limit && (member.integer || !integer_only))
    return member.number;
  char range[64];
  std::snprintf(range, sizeof range, "a %snumber from 0 to %g", integer_only ? "whole " : "",
                limit);
  throw std::invalid_argument("'" + std::string(name) + "' of its metadata is not " + range);
}

}  // namespace segmenter
