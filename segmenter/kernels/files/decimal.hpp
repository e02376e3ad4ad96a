// Parses decimal numbers independently of the locale, unlike strtod().
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace segmenter {

// Parses digits with an optional sign, point and exponent; false if the text is not a number. The
// value is the nearest double, or infinite beyond their range.
inline bool read_decimal(std::string_view text, double& value) {
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

}  // namespace segmenter
