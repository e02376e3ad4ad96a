// The kernels without Python: maps a compiled file, cuts the lines of a text file and prints the ends
// of every line's words, in code points.  Built by tests/kernels/run for this machine and, with a
// cross compiler and an emulator, for others; the ends must be those of the extension.
//
//     ends FILE.lex|FILE.model TEXT
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "crc32.hpp"
#include "tagger.hpp"
#include "unigram.hpp"
#include "utf8.hpp"

namespace {

using segmenter::Lexicon;
using segmenter::Piece;
using segmenter::TaggerModel;
using segmenter::Want;

struct Section {
  const unsigned char* data;
  size_t size;
  template <class T>
  const T* as() const {
    if (reinterpret_cast<uintptr_t>(data) % alignof(T)) throw std::runtime_error("a section is not aligned");
    return reinterpret_cast<const T*>(data);
  }
  template <class T>
  size_t count() const { return size / sizeof(T); }
};

uint64_t little(const unsigned char* at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | at[i];
  return value;
}

// A compiled file as segmenter/artifact.py lays it out; every section's checksum is tested.
class Artifact {
 public:
  explicit Artifact(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> raw((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (raw.size() < 80 || std::memcmp(raw.data(), "\x89SEG\r\n\x1a\n", 8)) throw std::runtime_error("no artifact");
    store_.resize(raw.size() / 8 + 9);  // aligned, to 64 bytes from base()
    std::memcpy(base(), raw.data(), raw.size());
    kind = reinterpret_cast<const char*>(base() + 32);
    for (uint64_t i = 0, n = little(base() + 24, 4); i < n; ++i) {
      const unsigned char* entry = base() + 80 + 48 * i;
      Section s{base() + little(entry + 24, 8), size_t(little(entry + 32, 8))};
      if (segmenter::Crc32::of(s.data, s.size) != little(entry + 40, 4)) throw std::runtime_error("a section is damaged");
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
  const uint32_t* params = art["params"].as<uint32_t>();
  lex.map.bmp = art["charmap.bmp"].as<uint16_t>();
  lex.map.astral_page = art["charmap.pages"].as<uint16_t>();
  lex.map.astral_block = art["charmap.blocks"].as<uint16_t>();
  lex.trie.units = art["trie.units"].as<uint64_t>();
  lex.trie.n_units = uint32_t(art["trie.units"].count<uint64_t>());
  lex.trie.n_ids = params[0];
  if (art.has("trie.filter") &&
      !lex.trie.pairs.attach(art["trie.filter"].as<uint32_t>(), art["trie.filter"].count<uint32_t>()))
    throw std::runtime_error("no filter of pairs");
  lex.id_class = art["charmap.classes"].as<uint8_t>();
  lex.n_special = params[1];
  lex.n_runs = params[7] ? params[7] : params[1];
  lex.max_word = params[2];
  lex.unknown_cost = params[3];
  lex.n_words = params[4];
  lex.numbers = params[5] != 0;
  for (int i = 0; i < segmenter::kEdgeKinds; ++i) lex.kind_cost[i] = params[8 + i];
  std::memcpy(&lex.rules, params + 17, sizeof lex.rules);
  lex.terminal = art["words.terminal"].as<uint64_t>();
  lex.rank = art["words.rank"].as<uint32_t>();
  lex.prepare();
}

void attach(TaggerModel& m, const Lexicon& lex, const Artifact& art) {
  const int32_t* params = art["tagger.params"].as<int32_t>();
  m.lex = &lex;
  m.groups = uint32_t(params[0]);
  m.n_matches = uint32_t(params[1]);
  m.n_pairs = uint32_t(params[2]);
  m.scale = params[3] / 65536.0;
  for (int i = 0; i < 4; ++i) m.start[i] = params[4 + i];
  for (int i = 0; i < 16; ++i) m.trans[i] = params[8 + i];
  attach_pairs(m, art["tagger.hot"].as<uint16_t>(), art["tagger.hot"].count<uint16_t>(),
               art["tagger.cold"].as<uint16_t>(), art["tagger.cold"].count<uint16_t>(), uint32_t(params[24]));
  attach_types(m, art["tagger.types"].as<int16_t>(), art["tagger.typeof"].as<uint8_t>());
  m.uni = art["tagger.uni"].as<int8_t>();
  m.pair = art["tagger.pair"].as<int8_t>();
  m.longer = art["tagger.longer"].as<uint32_t>();
  m.match = art["tagger.match"].as<int16_t>();
  m.state = art["tagger.state"].as<int16_t>();
  m.groups_of = art["tagger.groups"].as<uint8_t>();
}

std::vector<uint32_t> code_points(const std::string& line) {
  std::vector<uint32_t> out;
  const auto* bytes = reinterpret_cast<const uint8_t*>(line.data());
  for (size_t i = 0; i < line.size();) {
    uint32_t cp, length = segmenter::decode_utf8(bytes + i, line.size() - i, cp);
    if (!length) throw std::runtime_error("a text is not UTF-8");
    out.push_back(cp);
    i += length;
  }
  return out;
}

// Calls run(text, width) with the text in cells of 1, 2 or 4 bytes, as Python holds it.
template <class Run>
void in_width(const std::vector<uint32_t>& text, const Run& run) {
  uint32_t most = 0;
  for (uint32_t cp : text) most = cp > most ? cp : most;
  // room behind: a kernel may load a whole vector at the last character
  if (most < 0x100) {
    std::vector<uint8_t> cells(text.begin(), text.end());
    cells.resize(cells.size() + 64);
    run(cells.data(), 1);
  } else if (most < 0x10000) {
    std::vector<uint16_t> cells(text.begin(), text.end());
    cells.resize(cells.size() + 64);
    run(cells.data(), 2);
  } else {
    std::vector<uint32_t> cells(text);
    cells.resize(cells.size() + 64);
    run(cells.data(), 4);
  }
}

int print_ends(const char* model, const char* texts) {
  const Artifact art(model);
  Lexicon lex;
  attach(lex, art);
  TaggerModel tags;
  const bool tagger = art.has("tagger.params");
  if (tagger) attach(tags, lex, art);
  segmenter::UnigramDecoder lattice;
  segmenter::Tagger tagging;
  std::ifstream file(texts, std::ios::binary);
  std::string line;
  std::vector<Piece> pieces;
  while (std::getline(file, line)) {
    const std::vector<uint32_t> text = code_points(line);
    pieces.clear();
    if (!text.empty())
      in_width(text, [&](const void* cells, int width) {
        if (tagger) {
          tagging.run(tags, cells, width, text.size(), pieces, nullptr, Want::kEnds);
        } else {
          lattice.begin(lex, cells, width, text.size(), nullptr, Want::kEnds);
          lattice.run(pieces);
        }
      });
    for (const Piece& piece : pieces) std::printf("%u ", unsigned(piece.end));
    std::printf("\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: ends FILE.lex|FILE.model TEXT\n");
    return 2;
  }
  try {
    return print_ends(argv[1], argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ends: %s: %s\n", argv[1], e.what());
    return 1;
  }
}
