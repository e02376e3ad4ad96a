// The metadata of a file of networks, read in one place for Python and for C.
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

}  // namespace segmenter
