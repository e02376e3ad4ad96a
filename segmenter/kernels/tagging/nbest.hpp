// The n best segmentations of a text by a tagger: Viterbi with lists.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "tagging/network.hpp"

namespace segmenter {

struct TagPath {  // one of the n best
  int64_t score;
  std::vector<uint32_t> ends;
};

class TagPaths : public TagNetwork {
 protected:
  struct Kept {  // one of the best ways to reach a tag
    int64_t score;
    uint32_t from;  // index into the column before
  };

  static constexpr size_t kMostKept = 1 << 25;  // 512 MB: more are refused, with std::invalid_argument

  template <int T>
  void paths(size_t n, size_t count, std::vector<TagPath>& out) {
    out.clear();
    if (!count) return;
    if (!n) {
      out.push_back(TagPath{0, {}});
      return;
    }
    // columns of up to T * count cells; cell t*count + rank; separators use tag S
    std::vector<std::vector<Kept>> columns;
    std::vector<uint32_t> sizes;  // T a column
    std::vector<Kept> pool;
    auto push = [&](const int32_t* e, bool first, const int32_t* trans) {
      Interrupt::look(count);
      if ((columns.size() + 1) * T * count > kMostKept) throw std::invalid_argument("nbest: out of bounds");
      std::vector<Kept> column(T * count);
      for (int t = 0; t < T; ++t) {
        pool.clear();
        int64_t begins = trans ? m_->start[t] : 0;
        if (columns.empty()) {
          if (Tags<T>::begins(t)) pool.push_back(Kept{int64_t(e[t]) + begins, 0});
        } else {
          const std::vector<Kept>& before = columns.back();
          for (int q = 0; q < T; ++q) {
            if (!Tags<T>::follows(q, t)) continue;
            for (uint32_t r = 0; r < sizes[T * (columns.size() - 1) + size_t(q)]; ++r) {
              const Kept& k = before[size_t(q) * count + r];
              int64_t add = first ? begins : trans[T * q + t];
              pool.push_back(Kept{k.score + add + e[t], uint32_t(size_t(q) * count + r)});
            }
          }
        }
        std::stable_sort(pool.begin(), pool.end(), [](const Kept& a, const Kept& b) { return a.score > b.score; });
        while (!pool.empty() && pool.back().score < kTagNever / 2) pool.pop_back();
        size_t keep = std::min(count, pool.size());
        std::copy(pool.begin(), pool.begin() + int64_t(keep), column.begin() + int64_t(size_t(t) * count));
        sizes.push_back(uint32_t(keep));
      }
      columns.push_back(std::move(column));
      steps_ += T * count;
    };
    std::vector<uint32_t> offset;  // where column i ends in the text
    segments([&](uint32_t s, uint32_t e) {
      decode(s, e);
      int32_t em[T];
      for (uint32_t j = 0; j < e - s; ++j) {
        emission<T>(s, j, em);
        for (int t = 0; t < T && j == 0; ++t)
          if (!Tags<T>::begins(t)) em[t] = kTagNever;
        push(em, j == 0, m_->trans);
        for (int t = 0; t < T && j + 1 == e - s; ++t)
          if (!Tags<T>::ends(t)) sizes[sizes.size() - size_t(T - t)] = 0;
        offset.push_back(s + j + 1);
      }
    }, [&](uint32_t, uint32_t e, EdgeKind) {
      int32_t em[T];
      for (int t = 0; t < T; ++t) em[t] = t == T - 1 ? 0 : kTagNever;
      push(em, true, nullptr);
      offset.push_back(e);
    });
    std::vector<Kept> last;
    for (int t = 0; t < T; ++t)
      for (uint32_t r = 0; Tags<T>::ends(t) && r < sizes[T * (columns.size() - 1) + size_t(t)]; ++r)
        last.push_back(Kept{columns.back()[size_t(t) * count + r].score, uint32_t(size_t(t) * count + r)});
    std::stable_sort(last.begin(), last.end(), [](const Kept& a, const Kept& b) { return a.score > b.score; });
    if (last.size() > count) last.resize(count);
    for (const Kept& k : last) {
      TagPath path{k.score, {}};
      uint32_t cell = k.from;
      for (size_t i = columns.size(); i-- > 0;) {
        if (Tags<T>::ends(int(cell / count))) path.ends.push_back(offset[i]);
        cell = columns[i][cell].from;
      }
      std::reverse(path.ends.begin(), path.ends.end());
      out.push_back(std::move(path));
    }
  }
};

}  // namespace segmenter
