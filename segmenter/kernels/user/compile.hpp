// Compiles the tables of a layer of a user dictionary; see user/tables.hpp.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "user/tables.hpp"

namespace segmenter {

struct UserTables {  // of one field
  std::vector<uint32_t> filter, entries, skips;
  std::vector<uint64_t> nodes;
};

// Builds the tables of the entries of field f. Of entries that fold to the same text the last one
// stays.
class UserCompiler {
 public:
  UserCompiler(const UserLayer& layer, uint32_t f, const FoldTable& fold, UserTables& out)
      : layer_(layer), out_(out), unskipped_(layer.n <= kMany ? 3 : 0) {
    if (layer.n > kMaxEntries)
      throw std::length_error("more entries than a dictionary holds (16,777,215)");
    read(f, fold);
    if (rows_.empty()) return;
    sort();
    out.filter.assign(power_of_two(std::max<size_t>(count_pairs() * 8, 1024)) / 32, 0);
    for (uint32_t lo = 0, hi; lo < rows_.size(); lo = hi) {
      hi = lo + 1;
      const uint32_t first = at(lo, 0);
      if (length(lo) == 1) {
        made_.push_back({user::kPairs | first, kNoChar, kind(lo), rows_[lo].id});
        continue;
      }
      const uint32_t second = at(lo, 1);
      while (hi < rows_.size() && same_pair(lo, hi)) ++hi;
      const uint32_t two = user::filter_hash(user::two(first, second)),
                     bit = two >> (shift_of(out.filter.size() * 32) - 32);
      out.filter[bit >> 5] |= 1u << (bit & 31);
      open_.push_back({lo, hi, 2, user::kPairs | first, second});
      while (!open_.empty()) make();
    }
    place();
  }

 private:
  struct Row {
    uint64_t head;  // the first three characters, each plus one
    uint32_t id, at, length;
  };
  struct Open {  // entries that begin with the same `depth` characters
    uint32_t lo, hi, depth, before, c;
  };
  struct Node {  // before: a number in made_, or kPairs plus the first character
    uint32_t before, c;
    uint64_t bits;
    uint32_t entry;
  };
  static constexpr uint32_t kMany = kMaxEntries / 4;
  const UserLayer& layer_;
  UserTables& out_;
  // A step is one likely miss, a skip are four: so many characters are nodes, while there is room.
  const uint32_t unskipped_;
  std::vector<uint32_t> text_;  // folded
  std::vector<Row> rows_;
  std::vector<Open> open_;
  std::vector<Node> made_;

  uint32_t length(uint32_t row) const { return rows_[row].length; }
  uint32_t at(uint32_t row, uint32_t k) const {
    const Row& of = rows_[row];
    return k < 3 ? (uint32_t(of.head >> 21 * (2 - k)) & 0x1FFFFF) - 1 : text_[of.at + k];
  }
  bool same_pair(uint32_t a, uint32_t b) const {
    return rows_[a].head >> 21 == rows_[b].head >> 21;
  }

  void read(uint32_t f, const FoldTable& fold) {
    for (uint32_t id = 0; id < layer_.n; ++id) {
      if (user_level(layer_.flags[id]) == kNoEntry || user_field(layer_.flags[id]) != f) continue;
      const uint32_t length = layer_.length(id);
      if (!length) throw std::invalid_argument("an empty entry");
      Row row{0, id, uint32_t(text_.size()), length};
      for (uint32_t k = 0; k < length; ++k) text_.push_back(fold(layer_.at(id, k)));
      for (uint32_t k = 0; k < 3; ++k)
        row.head = row.head << 21 | (k < length ? text_[row.at + k] + 1 : 0);
      rows_.push_back(row);
    }
  }

  // By text; of equal ones the last is left.
  void sort() {
    auto order = [&](const Row& a, const Row& b) {
      if (a.head != b.head) return a.head < b.head ? -1 : 1;
      const uint32_t both = std::min(a.length, b.length);
      for (uint32_t k = 3; k < both; ++k)
        if (text_[a.at + k] != text_[b.at + k]) return text_[a.at + k] < text_[b.at + k] ? -1 : 1;
      return a.length == b.length ? 0 : a.length < b.length ? -1 : 1;
    };
    std::sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
      const int c = order(a, b);
      return c ? c < 0 : a.id > b.id;
    });
    rows_.erase(std::unique(rows_.begin(), rows_.end(),
                            [&](const Row& a, const Row& b) { return order(a, b) == 0; }),
                rows_.end());
  }

  size_t count_pairs() const {
    size_t pairs = 1;
    for (uint32_t i = 1; i < rows_.size(); ++i) pairs += !same_pair(i - 1, i);
    return pairs;
  }

  // What ends with an entry.
  uint64_t kind(uint32_t row) const {
    const uint8_t flags = layer_.flags[rows_[row].id];
    if (user_level(flags) > kPrefer || flags & kUserParts || !user::is_apart(at(row, 0)) ||
        !user::is_apart(at(row, length(row) - 1)))
      return user::kOther;
    for (uint32_t k = 0; k < length(row); ++k)
      if (at(row, k) == '\n') return user::kOther;
    return user_level(flags) == kForce ? user::kForced : user::kPreferred;
  }

  // Makes the node of the entries opened last, and opens what follows it.
  void make() {
    Open all = open_.back();
    open_.pop_back();
    uint32_t end = all.depth;  // what the first and the last have in common, all have
    const uint32_t most = std::min(length(all.lo), length(all.hi - 1));
    while (end < most && at(all.lo, end) == at(all.hi - 1, end)) ++end;
    if (end - all.depth <= unskipped_) end = all.depth;
    Node node{all.before, all.c, 0, rows_[all.lo].id};
    if (end > all.depth) {
      node.bits = user::kSkips | user::guard(at(all.lo, all.depth));
      node.entry = uint32_t(out_.skips.size() / 2);
      out_.skips.insert(out_.skips.end(), {rows_[all.lo].id, end});
    }
    if (length(all.lo) == end) node.bits |= kind(all.lo++);
    for (uint32_t lo = all.lo, hi; lo < all.hi; lo = hi) {
      const uint32_t c = at(lo, end);
      for (hi = lo + 1; hi < all.hi && at(hi, end) == c;) ++hi;
      if (end == all.depth) node.bits |= user::guard(c);
      open_.push_back({lo, hi, end + 1, uint32_t(made_.size()), c});
    }
    made_.push_back(node);
  }

  // Six of ten places are taken.
  void place() {
    const size_t n = made_.size() * 5 / 3 + 1;
    out_.nodes.assign(n, user::kNoNode);
    out_.entries.assign(n, 0);
    for (Node& node : made_) {  // each after the one before it
      const uint32_t before =
          node.before < user::kPairs ? uint32_t(made_[node.before].bits) : node.before;
      const uint64_t key = user::key(before, node.c);
      const size_t at = probe(UserField::home(key, n), n - 1,
                              [&](size_t k) { return out_.nodes[k] == user::kNoNode; });
      out_.nodes[at] = key << 16 | node.bits;
      out_.entries[at] = node.entry;
      node.bits = at;
    }
  }
};

}  // namespace segmenter
