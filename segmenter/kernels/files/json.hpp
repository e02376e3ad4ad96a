// A JSON reader (RFC 8259), for the metadata of compiled files and the payloads of user words.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace segmenter {

struct Json {
  enum Kind { kNull, kBool, kNumber, kString, kArray, kObject };
  Kind kind = kNull;
  bool integer = false;  // a number without fraction and exponent
  double number = 0;     // for a bool: 1 or 0
  std::string text;      // a string in UTF-8, or the digits of a number
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;

  Json();
  Json(Json&&) noexcept;
  Json& operator=(Json&&) noexcept;
  ~Json();

  // The member of this name, the last of several; null if there is none.
  const Json* find(std::string_view name) const;

  // A member of a file's metadata; throws std::invalid_argument unless it has the expected kind.
  const Json& field(const char* name, Kind expected) const;
  std::vector<std::string> strings_field(const char* name) const;
  double number_field(const char* name, double limit, bool integer_only = false) const;

  // Throws std::invalid_argument if the text is not JSON. Strings may contain lone surrogates.
  static Json parse(std::string_view text);
  // Whether a text is JSON, up to 400 levels deep.
  static bool is_json(std::string_view text);
};

}  // namespace segmenter
