// A subword model as a cutter of unknown words for the engine (unknown.hpp).
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "subword/model.hpp"
#include "unknown.hpp"

namespace segmenter {

class SubwordCutter : public UnknownCutter {
 public:
  explicit SubwordCutter(const SubwordModel& model) : model_(model) {}

  std::unique_ptr<Memory> memory() const override { return std::make_unique<Scratch>(); }

  // A character that several pieces spell in bytes is not cut; a character without a piece stands
  // alone.
  void cut(const Text& span, Interrupt::Share call, Memory& memory,
           std::vector<uint32_t>& ends) const override {
    const Interrupt::Join join(call);
    SubwordScratch& scratch = static_cast<Scratch&>(memory).scratch;
    scratch.widen(span);
    scratch.pieces.clear();
    model_.encode(scratch.text.data(), span.n, 0, scratch);
    const std::vector<SubwordPiece>& pieces = scratch.pieces;
    uint32_t position = 0;
    auto add_singles = [&](uint32_t end) {
      while (position < end) ends.push_back(++position);
    };
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (i + 1 < pieces.size() && pieces[i + 1].start < pieces[i].end) continue;
      if (pieces[i].end <= position) continue;
      add_singles(std::max(position, pieces[i].start));
      ends.push_back(position = pieces[i].end);
    }
    add_singles(uint32_t(span.n));
  }

 private:
  struct Scratch : Memory {
    SubwordScratch scratch;
  };
  const SubwordModel& model_;
};

}  // namespace segmenter
