// Input quoted in messages: its first 200 characters, and its length.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace segmenter {

// The first characters of a text in UTF-8.
std::string_view first_characters(std::string_view text, size_t count);

// A name, for instance of a file, cut if it is long.
std::string shortened(std::string_view text);

// A text in quotation marks, as repr() of Python: invisible characters as escapes.
std::string quoted(std::string_view text);

}  // namespace segmenter
