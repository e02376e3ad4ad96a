// The n best segmentations of a text by a tagger.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "best_paths.hpp"
#include "tagging/network.hpp"

namespace segmenter {

struct TagPath {  // one of the n best
  int64_t score;
  std::vector<uint32_t> ends;
};

class TagPaths : public TagNetwork {
 protected:
  struct Column {
    uint32_t end;          // in the text
    const int32_t* trans;  // null: a stretch or a separator begins here
    const int32_t* start;  // then: scores of the tags at its beginning
  };

  // States: 0 the start; one per tag of every column (a character, or a separator with tag S); last
  // the end. Costs must not be negative: each is kOffset minus a score.
  template <int T>
  void paths(size_t n, size_t count, std::vector<TagPath>& out) {
    static constexpr int64_t kOffset = int64_t(1) << 31;
    out.clear();
    if (!count) return;
    if (!n) {
      out.push_back(TagPath{0, {}});
      return;
    }
    BestPaths best;
    std::vector<Column> columns;
    std::vector<int32_t> scores;  // [column][tag]
    segments(
        [&](uint32_t s, uint32_t e) {
          decode(s, e);
          int32_t em[T];
          for (uint32_t j = 0; j < e - s; ++j) {
            emission<T>(s, j, em);
            for (int t = 0; t < T; ++t) {
              const bool barred =
                  (j == 0 && !Tags<T>::begins(t)) || (j + 1 == e - s && !Tags<T>::ends(t));
              scores.push_back(barred ? kTagNever : em[t]);
            }
            columns.push_back(Column{s + j + 1, j ? m_->trans : nullptr, m_->start});
          }
        },
        [&](uint32_t, uint32_t e, EdgeKind) {
          static constexpr int32_t kNothing[T] = {};
          for (int t = 0; t < T; ++t) scores.push_back(t == T - 1 ? 0 : kTagNever);
          columns.push_back(Column{e, nullptr, kNothing});
        });
    const uint32_t last = uint32_t(columns.size()) * T + 1;
    best.run(last + 1, uint32_t(count), [&](uint32_t s, auto&& add) {
      const uint32_t i = (s - 1) / T;
      const int t = int((s - 1) % T);
      if (s < last && scores[s - 1] < kTagNever / 2) return;
      if (i == 0) return add(0, kOffset - scores[s - 1] - columns[0].start[t]);
      const uint32_t before = 1 + (i - 1) * T;
      for (int q = 0; q < T; ++q) {
        if (s == last) {
          add(before + uint32_t(q), 0);
        } else if (Tags<T>::follows(q, t)) {
          const Column& c = columns[i];
          const int32_t way = c.trans ? c.trans[T * q + t] : c.start[t];
          add(before + uint32_t(q), kOffset - scores[s - 1] - way);
        }
      }
    });
    steps_ += best.steps;
    for (uint32_t r = 0; r < best.count(last); ++r) {
      TagPath path{int64_t(columns.size()) * kOffset - best.cost(last, r), {}};
      best.trace(last, r, [&](uint32_t s, uint32_t) {
        if (s < last && Tags<T>::ends(int((s - 1) % T)))
          path.ends.push_back(columns[(s - 1) / T].end);
      });
      std::reverse(path.ends.begin(), path.ends.end());
      out.push_back(std::move(path));
    }
  }
};

}  // namespace segmenter
