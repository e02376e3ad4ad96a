// The metadata of compiled files, read in one place for Python and C. Faults throw
// std::invalid_argument.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "opening.hpp"

namespace segmenter {

// The metadata of one standard of a network.
struct NetworkMeta {
  std::string standard;               // the only one of the file, unless the caller names another
  std::string linear, linear_digest;  // file name and digest of its linear tagger
  NetworkSettings settings;
  std::vector<std::pair<std::string, std::string>> atoms;  // the standard's own settings
  bool encoder = false;                                    // otherwise a BiLSTM
};

// Parses metadata in JSON; `name` is the file in messages. Throws Refused if the file lacks the
// standard, std::invalid_argument if it is not a network.
NetworkMeta read_network(const std::string& meta, const std::string& kind, const std::string& name,
                         const std::string& standard);

// The metadata of a lexicon: the sum of all counts, cost units per nat, the names of tags.
struct LexiconMeta {
  double mass = 0, cost_scale = 0;
  std::vector<std::string> tags;
};
// `numbers`: the tag of each word, checked against the names.
LexiconMeta read_lexicon(const Json& meta, const Cells<uint8_t>& numbers);

// The metadata of a compiled user dictionary; without entries, the other fields are absent.
struct UserMeta {
  size_t entries = 0;
  int width = 2;  // bytes per character of its texts
  bool line_ends = false;
  std::vector<std::string> tags, sources, identity;  // identity: two integers as digits
};
// `rows`: the maximum number of entries.
UserMeta read_user(const Json& meta, size_t rows);

}  // namespace segmenter
