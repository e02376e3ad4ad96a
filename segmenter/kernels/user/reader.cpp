// The implementation of columns.hpp and reader.hpp.
#include "user/reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "characters.hpp"
#include "files/decimal.hpp"
#include "files/json.hpp"
#include "files/quoted.hpp"
#include "probe.hpp"
#include "utf8.hpp"

namespace segmenter {

namespace {

[[noreturn]] void too_many() {
  throw std::invalid_argument(
      "more than 65,535 different tags (or files) in one dictionary: use fewer");
}

}  // namespace

UserBuilder::UserBuilder() = default;
UserBuilder::~UserBuilder() = default;

uint32_t UserBuilder::Names::number(std::string_view name) {
  if (names[last_number] == name) return last_number;
  const auto [it, fresh] = numbers.try_emplace(std::string(name), uint32_t(names.size()));
  if (fresh) names.emplace_back(name);
  return last_number = it->second;
}

template <class Row, class Value>
void UserBuilder::rows(const std::vector<std::pair<uint32_t, Row>>& entries,
                       std::vector<uint32_t>& ids, std::vector<uint32_t>& offsets,
                       std::vector<Value>& values) const {
  offsets.push_back(0);
  for (const auto& [number, row] : entries) {
    if (dropped(number)) continue;
    values.insert(values.end(), row.begin(), row.end());
    if (values.size() > 0xFFFFFFFF) throw std::length_error("payloads of more than 4 GB");
    ids.push_back(number);
    offsets.push_back(uint32_t(values.size()));
  }
}

void UserBuilder::drop_replaced(uint32_t number) {
  const uint32_t field = user_field(flags_[number]);
  for (uint32_t f = 0; f < kUserFields; ++f) {
    std::vector<Slot>& slots = slots_[f];
    if (f == field && 2 * (used_[f] + 1) > slots.size()) grow(f);
    if (slots.empty()) continue;
    static const FoldTable kNone;
    const FoldTable& fold = f ? fold_tables()[f] : kNone;
    const uint32_t *const word = text_.data() + offsets_[number], *const end =
                                                                      text_.data() + text_.size();
    uint64_t h = 0;
    for (const uint32_t* p = word; p != end; ++p) h = user::next(h, fold(*p));
    const auto hash = uint32_t(user::key_of(h, uint32_t(end - word)) >> 32);
    const size_t mask = slots.size() - 1;
    const size_t index = probe(hash & mask, mask, [&](size_t k) {
      const Slot& slot = slots[k];
      return slot.number == kNoWord ||
             (slot.hash == hash && same_text(slot.number, word, end, fold));
    });
    const uint32_t replaced = slots[index].number;
    if (replaced != kNoWord && !dropped(replaced) &&
        (f == field || same_text(replaced, word, end, kNone))) {
      flags_[replaced] = kNoEntry;
      ++n_dropped_;
    }
    if (f != field) continue;
    used_[f] += replaced == kNoWord;
    slots[index] = {number, hash};
  }
}
bool UserBuilder::same_text(uint32_t number, const uint32_t* word, const uint32_t* end,
                            const FoldTable& fold) const {
  const uint32_t begin = offsets_[number], stop = offsets_[number + 1];
  return stop - begin == size_t(end - word) &&
         std::equal(word, end, text_.data() + begin,
                    [&](uint32_t a, uint32_t b) { return fold(a) == fold(b); });
}
void UserBuilder::grow(uint32_t f) {
  std::vector<Slot> bigger(power_of_two(4 * used_[f] + 4));
  for (const Slot& slot : slots_[f])
    if (slot.number != kNoWord)
      bigger[probe(slot.hash & (bigger.size() - 1), bigger.size() - 1,
                   [&](size_t k) { return bigger[k].number == kNoWord; })] = slot;
  slots_[f].swap(bigger);
}

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

bool read_count(std::string_view text, double& value) {
  text = without_blanks(text);
  return read_decimal(text, value) && value >= 0 && std::isfinite(value);
}

JiebaRow::JiebaRow(std::string_view line) : word(without_blanks(line)) {
  std::string_view rest;
  std::string_view field = split_last(rest);
  if (!field.empty() && is_letter(field[0])) {
    for (const char c : field)
      if (!is_letter(c) && !is_digit(c) && c != '_') return;
    tag = field;
    word = rest;
    field = split_last(rest);
  }
  if (field.empty() || !is_digit(field[0])) return;
  for (const char c : field)
    if (!is_digit(c) && c != '.') return;
  weight = field;
  word = rest;
}
std::string_view JiebaRow::split_last(std::string_view& rest) const {
  const size_t blank = word.find_last_of(" \t");
  if (blank == word.npos) return "";
  const size_t end = word.find_last_not_of(" \t", blank);
  if (end == word.npos) return "";
  rest = word.substr(0, end + 1);
  return word.substr(blank + 1);
}

namespace {

struct BadLine {
  const char* kind;
  std::string reason;
};

// Calls each(character, whether it was escaped) for the characters of a text with escapes.
template <class Each>
void unescape(std::string_view text, Each&& each) {
  auto read_hex = [&](size_t begin, size_t n, uint32_t& result) {
    if (text.size() - begin < n) return false;
    uint32_t value = 0;
    for (size_t k = begin; k < begin + n; ++k) {
      const char c = text[k], low = char(c | 0x20);
      if (c >= '0' && c <= '9') value = value << 4 | uint32_t(c - '0');
      else if (low >= 'a' && low <= 'f') value = value << 4 | uint32_t(low - 'a' + 10);
      else return false;
    }
    result = value;
    return true;
  };
  for (size_t k = 0; k < text.size();) {
    uint32_t cp = 0;
    auto decode = [&] {
      const auto* const p = reinterpret_cast<const uint8_t*>(text.data()) + k;
      return decode_utf8(p, text.size() - k, cp);
    };
    k += decode();
    if (cp != '\\') {
      each(cp, false);
      continue;
    }
    const size_t begin = k - 1;
    cp = 0;
    if (k < text.size()) k += decode();
    const uint32_t kind = cp;
    const bool four = kind == 'u' && read_hex(k, 4, cp), eight = kind == 'U' && read_hex(k, 8, cp);
    if (four || eight) k += four ? 4 : 8;
    else if (kind == 't') cp = '\t';
    else if (kind == 'n') cp = '\n';
    else if (kind == 'r') cp = '\r';
    else if (kind != '\\' && kind != '|')
      throw BadLine{"escape", quoted(text.substr(begin, k - begin)) +
                                  " is not an escape: write a backslash as \\\\ (others: \\t \\n "
                                  "\\r \\uXXXX)"};
    if (cp > 0x10FFFF)
      throw BadLine{"escape", std::string(text.substr(begin, k - begin)) +
                                  " is beyond Unicode's last character"};
    each(cp, true);
  }
}
std::string unescaped(std::string_view text) {
  std::string result;
  unescape(text, [&](uint32_t cp, bool) { append_utf8(cp, result); });
  return result;
}

int level_of(std::string_view name) {
  for (int k = 0; k < 4; ++k)
    if (name == kUserLevels[k]) return k;
  return -1;
}

}  // namespace

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

// The majority of the first thousand lines decides.
UserReader::Format UserReader::guess_format(std::string_view data) {
  Lines reader(data);
  std::vector<LineFault> ignored;
  size_t n_lines = 0, n_jieba = 0;
  for (; n_lines < 1000 && reader.next(ignored); ++n_lines) {
    const std::string_view line = reader.text;
    n_jieba += line.find('\t') == line.npos && JiebaRow(line).unambiguous();
  }
  return 2 * n_jieba > n_lines ? Format::kJieba : Format::kTsv;
}

void UserReader::add_entry(int row_level) {
  if (level >= 0 && row_level != kDelete && cuts_.empty()) row_level = level;
  if (row_level == kDelete) flags_ |= kUserFold;
  details_.cuts = cuts_.data();
  details_.n_cuts = cuts_.size();
  builder_.add(word_.data(), word_.size(), uint8_t(flags_ | row_level), details_);
}
void UserReader::set_word(std::string_view text) {
  for (size_t k = 0; k < text.size();) {
    uint32_t cp = 0;
    k += decode_utf8(reinterpret_cast<const uint8_t*>(text.data()) + k, text.size() - k, cp);
    word_.push_back(cp);
  }
}

void UserReader::set_weight(std::string_view text) {
  if (read_count(text, details_.weight)) return;
  throw BadLine{"level", quoted(text) +
                             " is neither a level (force, prefer, weight, delete, split) nor a "
                             "weight of at least 0"};
}
void UserReader::read_tsv(std::string_view line) {
  std::string_view fields[5];  // word, level or weight, tag, payload, options
  if (line.find_first_of("\t\\") == line.npos) {
    set_word(line);
    return add_entry(kPrefer);
  }
  std::string_view rest = line;
  bool has_more = true;
  for (size_t n = 0; n < 5 && has_more; ++n) {
    const size_t tab = rest.find('\t');
    fields[n] = rest.substr(0, tab);
    has_more = tab != rest.npos;
    rest.remove_prefix(has_more ? tab + 1 : rest.size());
  }
  if (rest.find_first_not_of('\t') != rest.npos)
    throw BadLine{"fields",
                  quoted(first_characters(line, 40)) +
                      " has more fields than word, level or weight, tag, payload, options"};
  if (fields[0].empty()) throw BadLine{"word", "the line has no word in its first field"};
  set_options(fields[4]);
  std::string_view level_text = fields[1];
  while (!level_text.empty() && level_text.front() == ' ') level_text.remove_prefix(1);
  while (!level_text.empty() && level_text.back() == ' ') level_text.remove_suffix(1);
  int row_level = level_text.empty() ? kPrefer : level_of(level_text);
  if (level_text.substr(0, 5) == "split" && (level_text.size() == 5 || level_text[5] == ':')) {
    row_level = level_text.size() <= 6 ? kForce : level_of(level_text.substr(6));
    set_parts(fields[0]);
    if (row_level != kForce && row_level != kPrefer)
      throw BadLine{"level", quoted(level_text) + " is not split, split:force or split:prefer"};
  } else {
    unescape(fields[0], [&](uint32_t cp, bool) { word_.push_back(cp); });
    details_.weight = 1;
    if (row_level < 0) {
      set_weight(level_text);
      row_level = kWeighted;
    }
  }
  tag_ = unescaped(fields[2]);
  details_.tag = tag_;
  set_payload(fields[3]);
  add_entry(row_level);
}
void UserReader::set_options(std::string_view text) {
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view option = without_blanks(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (option.empty()) continue;
    const bool off = option.substr(0, 3) == "no-";
    const std::string_view name = option.substr(off ? 3 : 0);
    const uint8_t flag = name == "fold"     ? kUserFold
                         : name == "inside" ? kUserInside
                         : name == "script" ? kUserScript
                                            : uint8_t(0);
    if (!flag)
      throw BadLine{"option",
                    quoted(option) + " is not an option of an entry: fold, inside, script"};
    flags_ = uint8_t(off ? flags_ & ~flag : flags_ | flag);
  }
}
void UserReader::set_parts(std::string_view text) {
  bool empty = true, all_filled = true;
  unescape(text, [&](uint32_t cp, bool escaped) {
    if (cp == '|' && !escaped) {
      all_filled = all_filled && !empty;
      empty = true;
      cuts_.push_back(uint32_t(word_.size()));
    } else {
      word_.push_back(cp);
      empty = false;
    }
  });
  if (cuts_.empty() || empty || !all_filled)
    throw BadLine{"split",
                  quoted(text) + " marks no parts: write a bar between two of them, as 提|出"};
}
void UserReader::set_payload(std::string_view text) {
  if (text.substr(0, 2) == "\\j") {
    payload_ = unescaped(text.substr(2));
    if (!Json::is_json(payload_)) throw BadLine{"payload", "what follows \\j is not JSON"};
    if (without_blanks(payload_) == "null") return;
  } else if (text.empty()) {
    return;
  } else {
    payload_ = "\"";
    unescape(text, [&](uint32_t cp, bool) {
      char number[8];
      if (cp == '"' || cp == '\\') payload_ += '\\';
      if (cp < 0x20) {
        std::snprintf(number, sizeof number, "\\u%04x", unsigned(cp));
        payload_ += number;
      } else {
        append_utf8(cp, payload_);
      }
    });
    payload_ += '"';
  }
  details_.payload = payload_;
}

void UserReader::read_jieba(std::string_view line) {
  const JiebaRow row(line);
  set_word(row.word);
  tag_ = row.tag;
  details_.tag = tag_;
  if (row.weight.empty()) return add_entry(kPrefer);
  set_weight(row.weight);
  add_entry(kWeighted);
}

}  // namespace segmenter
