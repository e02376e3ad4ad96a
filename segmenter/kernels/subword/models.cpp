// The models of interface.hpp, and the tries of pieces and tokens.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "lexicon/trie_builder.hpp"
#include "subword/added_tokens.hpp"
#include "subword/bpe.hpp"
#include "subword/unigram.hpp"

namespace segmenter {

void CharIndex::build(const PieceList& pieces) {
  std::vector<uint32_t> counts(0x110000, 0), chars;
  for (uint32_t cp : pieces.units) {
    if (cp >= counts.size())
      throw std::invalid_argument("vocab: a piece has a character beyond U+10FFFF");
    if (!counts[cp]++) chars.push_back(cp);
  }
  if (chars.size() > kNoLabel - 4)
    throw std::length_error("vocab: its pieces have more than 65,531 different characters");
  std::sort(chars.begin(), chars.end(), [&](uint32_t a, uint32_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  });
  bmp_.assign(0x10000, 0);
  pages_.assign(4096, 0);
  blocks_.assign(256, 0);
  for (size_t i = 0; i < chars.size(); ++i) {
    uint16_t id = uint16_t(i + 1);
    if (chars[i] < 0x10000) {
      bmp_[chars[i]] = id;
      continue;
    }
    uint16_t& page = pages_[(chars[i] >> 8) - 0x100];
    if (!page) {
      page = uint16_t(blocks_.size() / 256);
      blocks_.resize(blocks_.size() + 256, 0);
    }
    blocks_[size_t(page) * 256 + (chars[i] & 0xFF)] = id;
  }
  map.bmp = bmp_.data();
  map.astral_page = pages_.data();
  map.astral_block = blocks_.data();
  n_ids = uint32_t(chars.size()) + 1;
}

void PieceTrie::build(const PieceList& pieces, const PieceList& inner,
                      const std::vector<uint64_t>& weights) {
  PieceList joined = pieces;
  joined.units.insert(joined.units.end(), inner.units.begin(), inner.units.end());
  chars.build(joined);
  root_ = chars.n_ids;  // a character that occurs in no text precedes every inner piece
  uint32_t n_ids = chars.n_ids + 1;
  std::vector<uint16_t> ids;
  std::vector<int64_t> offsets{0};
  auto spell = [&](const PieceList& list, bool with_root) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (with_root) ids.push_back(uint16_t(root_));
      for (size_t k = 0; k < list.length(i); ++k) ids.push_back(chars.map(list.begin(i)[k]));
      offsets.push_back(int64_t(ids.size()));
    }
  };
  spell(pieces, false);
  spell(inner, true);
  size_t n = pieces.size() + inner.size();
  std::vector<uint16_t> costs(n, 0);
  TrieBuilder builder;
  if (n) {
    builder.build(ids.data(), offsets.data(), costs.data(), weights.data(), n, n_ids, kNoCost);
    units_.swap(builder.units);
  } else {
    units_.assign(n_ids + 1, kEmptyUnit);
  }
  slot_pieces.assign(units_.size(), kNoPiece);
  for (size_t i = 0; i < n; ++i) slot_pieces[builder.slot_of_word[i]] = uint32_t(i);
  trie.units = units_.data();
  trie.n_units = uint32_t(units_.size());
  trie.n_ids = n_ids;
}

void PieceTrie::build(const PieceList& pieces, const double* scores) {
  std::vector<uint64_t> weights(pieces.size());
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = uint64_t(std::exp(std::min(0.0, std::max(-40.0, scores[i]))) * 1e9) + 1;
  build(pieces, PieceList(), weights);
}

void TokenFinder::build(const PieceList& tokens) {
  ids_ = tokens.ids;
  trie_.build(tokens, PieceList(), std::vector<uint64_t>(tokens.size(), 1));
  automaton_.build(trie_);
  begins_.assign(trie_.trie.n_ids, 0);
  for (uint32_t id = 1; id < trie_.chars.n_ids; ++id)
    begins_[id] = AhoCorasick::begins_word(trie_, id);
  std::fill(low_, low_ + 256, uint8_t(0));
  for (uint32_t cp = 0; cp < 256; ++cp) low_[cp] = begins_[trie_.chars.map(cp)];
  only_low_ = true;
  for (size_t i = 0; i < tokens.size(); ++i) only_low_ &= *tokens.begin(i) < 256;
}

std::shared_ptr<SubwordModel> bpe_model(const BpeParts& parts) {
  return std::make_shared<BpeModel>(parts);
}
std::shared_ptr<SubwordModel> unigram_model(const UnigramParts& parts) {
  return std::make_shared<UnigramModel>(parts);
}
std::shared_ptr<SubwordModel> wordpiece_model(const WordPieceParts& parts) {
  return std::make_shared<WordPieceModel>(parts);
}
std::shared_ptr<SubwordModel> wordlevel_model(const WordLevelParts& parts) {
  return std::make_shared<WordLevelModel>(parts);
}

}  // namespace segmenter
