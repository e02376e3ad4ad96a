// The implementation of reader.hpp.
#include "user/reader.hpp"

#include <stdexcept>

namespace segmenter {

void UserBuilder::add(const uint32_t* word, size_t n, uint8_t flags, const UserMore& more) {
  if (!n) throw std::invalid_argument("an empty word");
  if (text_.size() + n > 0xFFFFFFFF || flags_.size() >= kMaxEntries)
    throw std::length_error("more entries than a dictionary holds (16,777,215)");
  const auto number = uint32_t(flags_.size());
  if (more.n_cuts) flags |= kUserParts;
  text_.insert(text_.end(), word, word + n);
  offsets_.push_back(uint32_t(text_.size()));
  flags_.push_back(flags);
  make_room(number);
  if (user_level(flags) == kWeighted) weights_.emplace_back(number, more.weight);
  if (!more.tag.empty()) tags_.emplace_back(number, tag_names_.number(more.tag));
  if (!more.payload.empty()) payloads_.emplace_back(number, more.payload);
  if (more.n_cuts) parts_.emplace_back(number, std::vector(more.cuts, more.cuts + more.n_cuts));
  if (more.source.empty() && !more.line) return;
  const uint32_t source = sources_of_.number(more.source);
  sources_.resize(number);
  lines_.resize(number);
  sources_.push_back(source);
  lines_.push_back(more.line);
}

UserColumns UserBuilder::columns() const {
  constexpr int32_t kNever = 1 << 28;  // minus the logarithm of a weight of 0
  UserColumns out;
  const size_t n = flags_.size();
  uint32_t most = 0;
  for (const uint32_t cp : text_) {
    most = std::max(most, cp);
    out.line_ends |= cp == '\n' || cp == '\r';
  }
  out.width = most > 0xFFFF ? 4 : 2;
  if (out.width == 2) out.narrow.assign(text_.begin(), text_.end());
  else out.wide = text_;
  out.offsets = offsets_;
  out.flags = flags_;
  out.live = size();
  for (const auto& [number, weight] : weights_) {
    if (gone(number)) continue;
    if (out.weights.empty()) {
      out.weights.resize(n);
      out.logs.resize(n);
    }
    out.weights[number] = weight;
    out.logs[number] =
        weight > 0 ? int32_t(std::nearbyint(-std::log(weight) * kUnitsPerNat)) : kNever;
  }
  out.tag_names = {""};
  std::vector<uint32_t> renumbered(tag_names_.names.size());
  for (const auto& [number, tag] : tags_) {
    if (gone(number)) continue;
    if (!renumbered[tag]) {
      renumbered[tag] = uint32_t(out.tag_names.size());
      out.tag_names.push_back(tag_names_.names[tag]);
      if (renumbered[tag] > 0xFFFF) too_many();
    }
    out.tags.resize(n);
    out.tags[number] = uint16_t(renumbered[tag]);
  }
  rows(parts_, out.part_ids, out.part_first, out.parts);
  rows(payloads_, out.payload_ids, out.payload_first, out.payloads);
  if (!lines_.empty()) {
    if (sources_of_.names.size() > 0x10000) too_many();
    out.sources.assign(sources_.begin(), sources_.end());
    out.lines = lines_;
    out.sources.resize(n);
    out.lines.resize(n);
  }
  out.source_names = sources_of_.names;
  return out;
}

void UserReader::read(std::string_view data) {
  if (format == Format::kAuto) format = guessed(data);
  Lines lines_of(data);
  while (!(strict && !faults.empty()) && lines_of.next(faults)) {
    if (strict && !faults.empty()) break;
    try {
      word_.clear();
      cuts_.clear();
      more_ = UserMore();
      more_.source = source;
      more_.line = uint32_t(std::min<size_t>(lines_of.number, 0xFFFFFFFF));
      flags_ = marks;
      if (format == Format::kTsv) tsv(lines_of.text);
      else jieba(lines_of.text);
      ++rows;
    } catch (const BadLine& e) { faults.push_back({lines_of.number, e.kind, e.reason, {}}); }
  }
  lines = lines_of.number;
  crlf = lines_of.crlf;
  mark = lines_of.mark;
}

}  // namespace segmenter
