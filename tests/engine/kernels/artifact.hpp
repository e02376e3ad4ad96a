// A compiled file without Python, for the programs beside this: its sections, and a lexicon or a
// tagger over them.
#pragma once
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "atoms/settings.hpp"
#include "crc32.hpp"
#include "validate.hpp"
#include "tagging/model.hpp"
#include "tagging/tagger.hpp"

namespace {

using segmenter::Lexicon;
using segmenter::TaggerModel;

struct Section {
  const unsigned char* data;
  size_t size;
  template <class T>
  const T* as() const {
    if (reinterpret_cast<uintptr_t>(data) % alignof(T))
      throw std::runtime_error("a section is not aligned");
    return reinterpret_cast<const T*>(data);
  }
  template <class T>
  size_t count() const {
    return size / sizeof(T);
  }
};

uint64_t little(const unsigned char* at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | at[i];
  return value;
}

// A compiled file as segmenter/artifact lays it out; every section's checksum is tested.
class Artifact {
 public:
  explicit Artifact(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> raw((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (raw.size() < 80 || std::memcmp(raw.data(), "\x89SEG\r\n\x1a\n", 8))
      throw std::runtime_error("no artifact");
    store_.resize(raw.size() / 8 + 9);  // aligned, to 64 bytes from base()
    std::memcpy(base(), raw.data(), raw.size());
    kind = reinterpret_cast<const char*>(base() + 32);
    for (uint64_t i = 0, n = little(base() + 24, 4); i < n; ++i) {
      const unsigned char* entry = base() + 80 + 48 * i;
      Section s{base() + little(entry + 24, 8), size_t(little(entry + 32, 8))};
      if (segmenter::Crc32::of(s.data, s.size) != little(entry + 40, 4))
        throw std::runtime_error("a section is damaged");
      sections_[reinterpret_cast<const char*>(entry)] = s;
    }
  }
  std::string kind;
  bool has(const char* name) const { return sections_.count(name) != 0; }
  const Section& operator[](const char* name) const { return sections_.at(name); }

 private:
  unsigned char* base() {
    auto at = reinterpret_cast<uintptr_t>(store_.data());
    return reinterpret_cast<unsigned char*>((at + 63) / 64 * 64);
  }
  std::vector<uint64_t> store_;
  std::map<std::string, Section> sections_;
};

void attach(Lexicon& lex, const Artifact& art) {
  lex.set_params(art["params"].as<uint32_t>());
  lex.map.bmp = art["charmap.bmp"].as<uint16_t>();
  lex.map.astral_page = art["charmap.pages"].as<uint16_t>();
  lex.map.astral_block = art["charmap.blocks"].as<uint16_t>();
  lex.trie.units = art["trie.units"].as<uint64_t>();
  lex.trie.n_units = uint32_t(art["trie.units"].count<uint64_t>());
  if (art.has("trie.filter") && !lex.trie.pairs.attach(art["trie.filter"].as<uint32_t>(),
                                                       art["trie.filter"].count<uint32_t>()))
    throw std::runtime_error("no filter of pairs");
  lex.id_class = art["charmap.classes"].as<uint8_t>();
  lex.terminal = art["words.terminal"].as<uint64_t>();
  lex.rank = art["words.rank"].as<uint32_t>();
  uint32_t most_cost;
  if (const char* fault =
          segmenter::lexicon_fault(lex, art["charmap.blocks"].count<uint16_t>(),
                                   art["words.terminal"].count<uint64_t>(), false, most_cost))
    throw std::runtime_error(fault);
  lex.prepare();
  lex.mark_signs(segmenter::usual_rules().bits);  // for taggers, as the bindings do
}

void attach(TaggerModel& m, const Lexicon& lex, const Artifact& art) {
  const int32_t* params = art["tagger.params"].as<int32_t>();
  m.lex = &lex;
  const uint32_t n_hot = uint32_t(params[24]);
  m.set_params(params);
  m.hot.attach(art["tagger.hot"].as<uint16_t>(), art["tagger.hot"].count<uint16_t>(), n_hot);
  m.cold.attach(art["tagger.cold"].as<uint16_t>(), art["tagger.cold"].count<uint16_t>(),
                m.n_pairs - n_hot);
  m.type = art["tagger.types"].as<int16_t>();
  m.type_of = art["tagger.typeof"].as<uint8_t>();
  m.uni = art["tagger.uni"].as<int8_t>();
  m.pair = art["tagger.pair"].as<int8_t>();
  m.longer = art["tagger.longer"].as<uint32_t>();
  m.match = art["tagger.match"].as<int16_t>();
  m.state = art["tagger.state"].as<int16_t>();
  m.groups_of = art["tagger.groups"].as<uint8_t>();
}

}  // namespace
