// Parses decimal numbers independently of the locale, unlike strtod().
#pragma once
#include <string_view>

namespace segmenter {

// Parses digits with an optional sign, point and exponent; false if the text is not a number. The
// value is the nearest double, or infinite beyond their range.
bool read_decimal(std::string_view text, double& value);

}  // namespace segmenter
