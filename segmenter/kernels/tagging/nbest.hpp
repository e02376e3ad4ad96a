// The n best segmentations of a text by a tagger: paths through a column of tags per character and
// one per separator.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "best_paths.hpp"
#include "tagging/emissions.hpp"
#include "tagging/tagger.hpp"

namespace segmenter {

class TagPaths {
 public:
  explicit TagPaths(const TaggerModel& m) : m_(m) {}

  // Appends the stretch that begins at s in the text; its scores are complete.
  void add(uint32_t s, const Emissions& scores) {
    int32_t at[kTags];
    for (uint32_t j = 0; j < scores.n; ++j) {
      scores.at(j, at);
      for (int t = 0; t < kTags; ++t) {
        const bool barred = (j == 0 && !Tags::begins(t)) || (j + 1 == scores.n && !Tags::ends(t));
        scores_.push_back(barred ? kTagNever : at[t]);
      }
      columns_.push_back(Column{s + j + 1, j ? m_.trans : nullptr, m_.start});
    }
  }

  // Appends blanks or a line end that end at e: one word at no cost.
  void add_separator(uint32_t e) {
    static constexpr int32_t kNothing[kTags] = {};
    for (int t = 0; t < kTags; ++t) scores_.push_back(t == kTags - 1 ? 0 : kTagNever);
    columns_.push_back(Column{e, nullptr, kNothing});
  }

  // Writes the `count` best paths, best first; ties in the order of the tags from the right.
  // Returns the steps it took. States: 0 the start; one per tag of every column (a separator has
  // tag S); last the end. Costs must not be negative: each is kOffset minus a score.
  uint64_t best(size_t count, std::vector<TagPath>& out) const {
    static constexpr int64_t kOffset = int64_t(1) << 31;
    BestPaths best;
    const uint32_t last = uint32_t(columns_.size()) * kTags + 1;
    best.run(last + 1, uint32_t(count), [&](uint32_t s, auto&& add) {
      const uint32_t i = (s - 1) / kTags;
      const int t = int((s - 1) % kTags);
      if (s < last && scores_[s - 1] < kTagNever / 2) return;
      if (i == 0) return add(0, kOffset - scores_[s - 1] - columns_[0].start[t]);
      const uint32_t before = 1 + (i - 1) * kTags;
      for (int q = 0; q < kTags; ++q) {
        if (s == last) {
          add(before + uint32_t(q), 0);
        } else if (Tags::follows(q, t)) {
          const Column& c = columns_[i];
          const int32_t way = c.trans ? c.trans[kTags * q + t] : c.start[t];
          add(before + uint32_t(q), kOffset - scores_[s - 1] - way);
        }
      }
    });
    for (uint32_t r = 0; r < best.count(last); ++r) {
      TagPath path{int64_t(columns_.size()) * kOffset - best.cost(last, r), {}};
      best.trace(last, r, [&](uint32_t s, uint32_t) {
        if (s < last && Tags::ends(int((s - 1) % kTags)))
          path.ends.push_back(columns_[(s - 1) / kTags].end);
      });
      std::reverse(path.ends.begin(), path.ends.end());
      out.push_back(std::move(path));
    }
    return best.steps;
  }

 private:
  struct Column {
    uint32_t end;          // in the text
    const int32_t* trans;  // null: a stretch or a separator begins here
    const int32_t* start;  // then: scores of the tags at its beginning
  };

  const TaggerModel& m_;
  std::vector<Column> columns_;
  std::vector<int32_t> scores_;  // [column][tag]
};

}  // namespace segmenter
