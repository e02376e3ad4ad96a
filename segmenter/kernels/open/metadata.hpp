// The metadata of compiled files, read in one place for Python and for C. Whatever is not as it should
// be is refused with std::invalid_argument.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "opening.hpp"

namespace segmenter {

// What the metadata say of one standard of a network.
struct NetworkMeta {
  std::string standard;  // in a file with only one, that one unless another is asked for
  std::string linear, linear_digest;  // file name and digest of its linear tagger
  NetworkSettings settings;
  std::vector<std::pair<std::string, std::string>> atoms;  // the standard's own settings
  bool encoder = false;                                    // a BiLSTM otherwise
};

// Reads the metadata, a text in JSON, of a file of this kind; `name` is the file's in messages. Throws
// Refused where the file lacks the standard, std::invalid_argument where it is not a network's.
NetworkMeta read_network(const std::string& meta, const std::string& kind, const std::string& name,
                         const std::string& standard);

// What the metadata of a lexicon say: the sum of all counts, units per nat, the names of tags.
struct LexiconMeta {
  double mass = 0, cost_scale = 0;
  std::vector<std::string> tags;
};
// `numbers`: the tag of each word, which must be one of them.
LexiconMeta read_lexicon(const Json& meta, const Cells<uint8_t>& numbers);

// What those of a compiled user dictionary say; with no entries they say nothing else.
struct UserMeta {
  size_t entries = 0;
  int width = 2;  // bytes of a character of its texts
  bool line_ends = false;
  std::vector<std::string> tags, sources, identity;  // identity: two whole numbers, their digits
};
// `rows`: the length of the columns.
UserMeta read_user(const Json& meta, size_t rows);

}  // namespace segmenter
