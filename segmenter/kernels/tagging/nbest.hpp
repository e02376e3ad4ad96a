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
    int32_t column[kTags];
    for (uint32_t j = 0; j < scores.n; ++j) {
      scores.column(j, column);
      for (int t = 0; t < kTags; ++t) {
        const bool forbidden =
            (j == 0 && !Tags::begins(t)) || (j + 1 == scores.n && !Tags::ends(t));
        scores_.push_back(forbidden ? kTagNever : column[t]);
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
    BestPaths paths;
    const uint32_t end_state = uint32_t(columns_.size()) * kTags + 1;
    paths.run(end_state + 1, uint32_t(count), [&](uint32_t state, auto&& add) {
      const uint32_t column = (state - 1) / kTags;
      const int tag = int((state - 1) % kTags);
      if (state < end_state && scores_[state - 1] < kTagNever / 2) return;
      if (column == 0) return add(0, kOffset - scores_[state - 1] - columns_[0].start[tag]);
      const uint32_t previous = 1 + (column - 1) * kTags;
      for (int previous_tag = 0; previous_tag < kTags; ++previous_tag) {
        if (state == end_state) {
          add(previous + uint32_t(previous_tag), 0);
        } else if (Tags::follows(previous_tag, tag)) {
          const Column& current = columns_[column];
          const int32_t transition =
              current.trans ? current.trans[kTags * previous_tag + tag] : current.start[tag];
          add(previous + uint32_t(previous_tag), kOffset - scores_[state - 1] - transition);
        }
      }
    });
    for (uint32_t rank = 0; rank < paths.count(end_state); ++rank) {
      TagPath path{int64_t(columns_.size()) * kOffset - paths.cost(end_state, rank), {}};
      paths.trace(end_state, rank, [&](uint32_t state, uint32_t) {
        if (state < end_state && Tags::ends(int((state - 1) % kTags)))
          path.ends.push_back(columns_[(state - 1) / kTags].end);
      });
      std::reverse(path.ends.begin(), path.ends.end());
      out.push_back(std::move(path));
    }
    return paths.steps;
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
