// The implementation of tables.hpp and compile.hpp.
#include "user/tables.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "user/compile.hpp"

namespace segmenter {

void UserLayer::identity(uint32_t id, uint64_t out[2]) const {
  uint64_t h = 0;
  for (uint32_t k = 0; k < length(id); ++k) h = user::next(h, char_at(id, k));
  uint64_t weight = 0;
  if (weights && user_level(flags[id]) == kWeighted) std::memcpy(&weight, weights + id, 8);
  auto inner = cuts(id);
  for (const uint32_t* p = inner.first; p != inner.second; ++p) weight = user::next(weight, *p);
  h = user::mix(h + length(id)) ^ user::mix(weight + flags[id] * user::kBase);
  out[0] = user::mix(h);
  out[1] = user::mix(h ^ 0xA0761D6478BD642Fu);
}

void index_user(const FoldTable* folds, UserLayer& layer) {
  std::shared_ptr<SingleWords> singles[kUserFields];
  for (uint32_t id = 0; id < layer.n; ++id) {
    layer.longest = std::max(layer.longest, layer.length(id));
    const uint8_t flags = layer.flags[id];
    if (layer.length(id) != 1 || user_level(flags) == kNoEntry) continue;
    const uint32_t f = user_field(flags), c = folds[f](layer.char_at(id, 0));
    if (!singles[f]) singles[f] = std::make_shared<SingleWords>();
    if (c < 0x10000) singles[f]->add(c, user_level(flags) == kPrefer && user::is_apart(c));
  }
  for (uint32_t f = 0; f < kUserFields; ++f) layer.field[f].singles = std::move(singles[f]);
}

bool valid(const UserLayer& layer) {
  for (uint32_t id = 0; id < layer.n; ++id)
    if (layer.offsets[id] >= layer.offsets[id + 1] ||
        (user_level(layer.flags[id]) == kWeighted && !layer.logs))
      return false;
  for (size_t i = 0; i < layer.n_parts; ++i) {
    uint32_t id = layer.part_ids[i], first = layer.part_first[i], last = layer.part_first[i + 1],
             previous = 0;
    if (id >= layer.n || (i && id <= layer.part_ids[i - 1]) || first > last ||
        last > layer.part_first[layer.n_parts])
      return false;
    for (uint32_t k = first; k < last; ++k) {
      if (layer.parts[k] <= previous || layer.parts[k] >= layer.length(id)) return false;
      previous = layer.parts[k];
    }
  }
  for (const UserField& f : layer.field) {
    if (!f.there) continue;
    for (uint32_t i = 0; i < f.n_skips; ++i)
      if (f.skips[i].id >= layer.n || f.skips[i].end > layer.length(f.skips[i].id)) return false;
    bool ends = false;  // every probe
    for (size_t place = 0; place < f.n_nodes; ++place) {
      ends |= f.nodes[place] == user::kNoNode;
      if (f.nodes[place] != user::kNoNode &&
          f.entries[place] >= (f.nodes[place] & user::kSkips ? f.n_skips : layer.n))
        return false;
    }
    if (!ends) return false;
  }
  return true;
}

namespace {

class UserCompiler {
 public:
  UserCompiler(const UserLayer& layer, uint32_t f, const FoldTable& fold, UserTables& tables)
      : layer_(layer), tables_(tables), unskipped_(layer.n <= kManyEntries ? 3 : 0) {
    if (layer.n > kMaxEntries)
      throw std::length_error("more entries than a dictionary holds (16,777,215)");
    read(f, fold);
    if (rows_.empty()) return;
    sort();
    tables.filter.assign(power_of_two(std::max<size_t>(count_pairs() * 8, 1024)) / 32, 0);
    for (uint32_t lo = 0, hi; lo < rows_.size(); lo = hi) {
      hi = lo + 1;
      const uint32_t first = char_at(lo, 0);
      if (length(lo) == 1) {
        nodes_.push_back({user::kPairs | first, kNoChar, kind(lo), rows_[lo].id});
        continue;
      }
      const uint32_t second = char_at(lo, 1);
      while (hi < rows_.size() && same_pair(lo, hi)) ++hi;
      const uint32_t hash = user::filter_hash(user::two(first, second)),
                     bit = hash >> (shift_of(tables.filter.size() * 32) - 32);
      tables.filter[bit >> 5] |= 1u << (bit & 31);
      groups_.push_back({lo, hi, 2, user::kPairs | first, second});
      while (!groups_.empty()) add_node();
    }
    place_nodes();
  }

 private:
  struct Row {
    uint64_t head;  // the first three characters, each plus one
    uint32_t id, offset, length;
  };
  struct Group {  // entries that begin with the same `depth` characters
    uint32_t lo, hi, depth, parent, c;
  };
  struct Node {  // parent: an index in nodes_, or kPairs plus the first character
    uint32_t parent, c;
    uint64_t bits;
    uint32_t entry;
  };
  static constexpr uint32_t kManyEntries = kMaxEntries / 4;
  const UserLayer& layer_;
  UserTables& tables_;
  // A step costs one likely cache miss, a skip four: up to this many characters are nodes, while
  // there is room.
  const uint32_t unskipped_;
  std::vector<uint32_t> text_;  // folded
  std::vector<Row> rows_;
  std::vector<Group> groups_;
  std::vector<Node> nodes_;

  uint32_t length(uint32_t row) const { return rows_[row].length; }
  uint32_t char_at(uint32_t row, uint32_t k) const {
    const Row& entry = rows_[row];
    return k < 3 ? (uint32_t(entry.head >> 21 * (2 - k)) & 0x1FFFFF) - 1 : text_[entry.offset + k];
  }
  bool same_pair(uint32_t a, uint32_t b) const {
    return rows_[a].head >> 21 == rows_[b].head >> 21;
  }

  void read(uint32_t f, const FoldTable& fold) {
    for (uint32_t id = 0; id < layer_.n; ++id) {
      if (user_level(layer_.flags[id]) == kNoEntry || user_field(layer_.flags[id]) != f) continue;
      const uint32_t length = layer_.length(id);
      if (!length) throw std::invalid_argument("an entry is empty: remove it");
      Row row{0, id, uint32_t(text_.size()), length};
      for (uint32_t k = 0; k < length; ++k) text_.push_back(fold(layer_.char_at(id, k)));
      for (uint32_t k = 0; k < 3; ++k)
        row.head = row.head << 21 | (k < length ? text_[row.offset + k] + 1 : 0);
      rows_.push_back(row);
    }
  }

  // Sorts by text; of equal entries the last is kept.
  void sort() {
    auto order = [&](const Row& a, const Row& b) {
      if (a.head != b.head) return a.head < b.head ? -1 : 1;
      const uint32_t common = std::min(a.length, b.length);
      for (uint32_t k = 3; k < common; ++k)
        if (text_[a.offset + k] != text_[b.offset + k])
          return text_[a.offset + k] < text_[b.offset + k] ? -1 : 1;
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

  // The flag of the node at which an entry ends.
  uint64_t kind(uint32_t row) const {
    const uint8_t flags = layer_.flags[rows_[row].id];
    if (user_level(flags) > kPrefer || flags & kUserParts || !user::is_apart(char_at(row, 0)) ||
        !user::is_apart(char_at(row, length(row) - 1)))
      return user::kOther;
    for (uint32_t k = 0; k < length(row); ++k)
      if (char_at(row, k) == '\n') return user::kOther;
    return user_level(flags) == kForce ? user::kForced : user::kPreferred;
  }

  // Adds the node of the last group, and pushes the groups of the characters that follow.
  void add_node() {
    Group group = groups_.back();
    groups_.pop_back();
    uint32_t end = group.depth;  // what the first and the last have in common, all have in common
    const uint32_t limit = std::min(length(group.lo), length(group.hi - 1));
    while (end < limit && char_at(group.lo, end) == char_at(group.hi - 1, end)) ++end;
    if (end - group.depth <= unskipped_) end = group.depth;
    Node node{group.parent, group.c, 0, rows_[group.lo].id};
    if (end > group.depth) {
      node.bits = user::kSkips | user::guard(char_at(group.lo, group.depth));
      node.entry = uint32_t(tables_.skips.size() / 2);
      tables_.skips.insert(tables_.skips.end(), {rows_[group.lo].id, end});
    }
    if (length(group.lo) == end) node.bits |= kind(group.lo++);
    for (uint32_t lo = group.lo, hi; lo < group.hi; lo = hi) {
      const uint32_t c = char_at(lo, end);
      for (hi = lo + 1; hi < group.hi && char_at(hi, end) == c;) ++hi;
      if (end == group.depth) node.bits |= user::guard(c);
      groups_.push_back({lo, hi, end + 1, uint32_t(nodes_.size()), c});
    }
    nodes_.push_back(node);
  }

  // Fills six of ten places.
  void place_nodes() {
    const size_t n = nodes_.size() * 5 / 3 + 1;
    tables_.nodes.assign(n, user::kNoNode);
    tables_.entries.assign(n, 0);
    for (Node& node : nodes_) {  // parents first
      const uint32_t parent =
          node.parent < user::kPairs ? uint32_t(nodes_[node.parent].bits) : node.parent;
      const uint64_t key = user::key(parent, node.c);
      const size_t place = probe(UserField::home(key, n), n - 1,
                                 [&](size_t k) { return tables_.nodes[k] == user::kNoNode; });
      tables_.nodes[place] = key << 16 | node.bits;
      tables_.entries[place] = node.entry;
      node.bits = place;
    }
  }
};

}  // namespace

void compile_field(const UserLayer& layer, uint32_t f, const FoldTable& fold, UserTables& tables) {
  UserCompiler(layer, f, fold, tables);
}

}  // namespace segmenter
