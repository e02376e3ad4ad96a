// The implementation of reader.hpp.
#include "user/reader.hpp"

#include <stdexcept>

namespace segmenter {

void UserBuilder::add(const uint32_t* word, size_t n, uint8_t flags, const UserMore& details) {
  if (!n) throw std::invalid_argument("a word is empty: remove it");
  if (text_.size() + n > 0xFFFFFFFF || flags_.size() >= kMaxEntries)
    throw std::length_error("more entries than a dictionary holds (16,777,215)");
  const auto number = uint32_t(flags_.size());
  if (details.n_cuts) flags |= kUserParts;
  text_.insert(text_.end(), word, word + n);
  offsets_.push_back(uint32_t(text_.size()));
  flags_.push_back(flags);
  drop_replaced(number);
  if (user_level(flags) == kWeighted) weights_.emplace_back(number, details.weight);
  if (!details.tag.empty()) tags_.emplace_back(number, tag_names_.number(details.tag));
  if (!details.payload.empty()) payloads_.emplace_back(number, details.payload);
  if (details.n_cuts)
    parts_.emplace_back(number, std::vector(details.cuts, details.cuts + details.n_cuts));
  if (details.source.empty() && !details.line) return;
  const uint32_t source = source_names_.number(details.source);
  sources_.resize(number);
  lines_.resize(number);
  sources_.push_back(source);
  lines_.push_back(details.line);
}

UserColumns UserBuilder::columns() const {
  constexpr int32_t kNever = 1 << 28;  // minus the logarithm of a weight of 0
  UserColumns columns;
  const size_t n = flags_.size();
  uint32_t highest = 0;
  for (const uint32_t cp : text_) {
    highest = std::max(highest, cp);
    columns.line_ends |= cp == '\n' || cp == '\r';
  }
  columns.width = highest > 0xFFFF ? 4 : 2;
  if (columns.width == 2) columns.narrow.assign(text_.begin(), text_.end());
  else columns.wide = text_;
  columns.offsets = offsets_;
  columns.flags = flags_;
  columns.live = size();
  for (const auto& [number, weight] : weights_) {
    if (dropped(number)) continue;
    if (columns.weights.empty()) {
      columns.weights.resize(n);
      columns.logs.resize(n);
    }
    columns.weights[number] = weight;
    columns.logs[number] =
        weight > 0 ? int32_t(std::nearbyint(-std::log(weight) * kUnitsPerNat)) : kNever;
  }
  columns.tag_names = {""};
  std::vector<uint32_t> renumbered(tag_names_.names.size());
  for (const auto& [number, tag] : tags_) {
    if (dropped(number)) continue;
    if (!renumbered[tag]) {
      renumbered[tag] = uint32_t(columns.tag_names.size());
      columns.tag_names.push_back(tag_names_.names[tag]);
      if (renumbered[tag] > 0xFFFF) too_many();
    }
    columns.tags.resize(n);
    columns.tags[number] = uint16_t(renumbered[tag]);
  }
  rows(parts_, columns.part_ids, columns.part_first, columns.parts);
  rows(payloads_, columns.payload_ids, columns.payload_first, columns.payloads);
  if (!lines_.empty()) {
    if (source_names_.names.size() > 0x10000) too_many();
    columns.sources.assign(sources_.begin(), sources_.end());
    columns.lines = lines_;
    columns.sources.resize(n);
    columns.lines.resize(n);
  }
  columns.source_names = source_names_.names;
  return columns;
}

void UserReader::read(std::string_view data) {
  if (format == Format::kAuto) format = guess_format(data);
  Lines reader(data);
  while (!(strict && !faults.empty()) && reader.next(faults)) {
    if (strict && !faults.empty()) break;
    try {
      word_.clear();
      cuts_.clear();
      details_ = UserMore();
      details_.source = source;
      details_.line = uint32_t(std::min<size_t>(reader.number, 0xFFFFFFFF));
      flags_ = marks;
      if (format == Format::kTsv) read_tsv(reader.text);
      else read_jieba(reader.text);
      ++rows;
    } catch (const BadLine& e) { faults.push_back({reader.number, e.kind, e.reason, {}}); }
  }
  lines = reader.number;
  crlf = reader.crlf;
  mark = reader.mark;
}

}  // namespace segmenter
