// Numbers as text, whatever the locale of the program: strtod() alone reads its decimal point.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace segmenter {

// The number that a text is: digits with a sign, a point, an exponent; false: it is none. The value
// is the nearest double, infinite where none is near.
inline bool read_decimal(std::string_view text, double& value) {
  std::string digits;  // without the point
  size_t k = 0;
  const size_t n = text.size();
  if (k < n && (text[k] == '+' || text[k] == '-')) {
    if (text[k] == '-') digits += '-';
    ++k;
  }
  const size_t signs = digits.size();
  int64_t exponent = 0;
  bool any = false, point = false;
  for (; k < n && ((text[k] >= '0' && text[k] <= '9') || (text[k] == '.' && !point)); ++k) {
    if (text[k] == '.') {
      point = true;
      continue;
    }
    any = true;
    exponent -= point;
    if (digits.size() > signs || text[k] != '0') digits += text[k];
  }
  if (!any) return false;
  if (k < n && (text[k] == 'e' || text[k] == 'E')) {
    bool minus = false, some = false;
    if (++k < n && (text[k] == '+' || text[k] == '-')) minus = text[k++] == '-';
    int64_t more = 0;
    for (; k < n && text[k] >= '0' && text[k] <= '9'; ++k, some = true)
      if (more < int64_t(1) << 40) more = more * 10 + (text[k] - '0');
    if (!some) return false;
    exponent += minus ? -more : more;
  }
  if (k != n) return false;
  if (digits.size() == signs) {
    digits += '0';
    exponent = 0;
  }
  // up to 2^53 and 10^22 both are doubles, so that one operation rounds once
  constexpr double kTens[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (digits.size() - signs <= 15 && exponent >= -22 && exponent <= 22) {
    int64_t whole = 0;
    for (size_t i = signs; i < digits.size(); ++i) whole = whole * 10 + (digits[i] - '0');
    value = exponent < 0 ? double(whole) / kTens[-exponent] : double(whole) * kTens[exponent];
    if (signs) value = -value;
    return true;
  }
  value = std::strtod((digits + 'e' + std::to_string(exponent)).c_str(), nullptr);
  return true;
}

}  // namespace segmenter
