// Collects the entries of a user dictionary and turns them into columns. If several entries have the
// same text, the last one wins.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "user/tables.hpp"

namespace segmenter {

constexpr uint8_t kUserFold = 32, kUserScript = 64;  // flags: they make the field
constexpr double kUnitsPerNat = 2048;                // of costs
constexpr const char* kUserLevels[] = {"force", "prefer", "weight", "delete"};

// The columns of a layer as a file has them: sections, and metadata.
struct UserColumns {
  std::vector<uint16_t> narrow;  // the text of all entries, one after another, or
  std::vector<uint32_t> wide;    // this, where a character is beyond the basic plane
  std::vector<uint32_t> offsets, part_ids, part_first, parts, lines, payload_ids, payload_first;
  std::vector<uint8_t> flags;
  std::vector<double> weights;
  std::vector<int32_t> logs;
  std::vector<uint16_t> tags, sources;
  std::vector<char> payloads;
  std::vector<std::string> tag_names, source_names;
  int width = 2;
  size_t live = 0;
  bool line_ends = false;

  // Calls visit(name, data, bytes) for each section.
  template <class Put>
  void sections(Put&& visit) const {
    auto visit_column = [&](const char* name, const auto& column) {
      visit(name, column.data(), column.size() * sizeof column[0]);
    };
    if (width == 2) visit_column("text", narrow);
    else visit_column("text", wide);
    visit_column("offsets", offsets);
    visit_column("flags", flags);
    if (!weights.empty()) {
      visit_column("weights", weights);
      visit_column("logs", logs);
    }
    if (!part_ids.empty()) {
      visit_column("partids", part_ids);
      visit_column("partfirst", part_first);
      visit_column("parts", parts);
    }
    if (!tags.empty()) visit_column("tags", tags);
    if (!lines.empty()) {
      visit_column("sources", sources);
      visit_column("lines", lines);
    }
    if (!payload_ids.empty()) {
      visit_column("payids", payload_ids);
      visit_column("payfirst", payload_first);
      visit_column("payloads", payloads);
    }
  }
};

// The optional parts of an entry; most entries have none.
struct UserMore {
  double weight = 0;               // of level weight
  std::string_view tag;            // UTF-8, as all texts here; lone surrogates are allowed
  std::string_view payload;        // JSON, or nothing
  const uint32_t* cuts = nullptr;  // where inner parts end
  size_t n_cuts = 0;
  std::string_view source;  // the file that it was read from
  uint32_t line = 0;
};

class UserBuilder {
 public:
  UserBuilder();
  UserBuilder(const UserBuilder&) = delete;
  UserBuilder& operator=(const UserBuilder&) = delete;
  ~UserBuilder();

  size_t size() const { return flags_.size() - n_dropped_; }

  void add(const uint32_t* word, size_t n, uint8_t flags, const UserMore& details);

  UserColumns columns() const;

 private:
  // Numbered strings, the first of them empty.
  struct Names {
    std::vector<std::string> names = {""};
    std::unordered_map<std::string, uint32_t> numbers = {{"", 0}};
    uint32_t last_number = 0;

    uint32_t number(std::string_view name);
  };
  struct Slot {
    uint32_t number = kNoWord, hash = 0;
  };

  std::vector<uint32_t> text_, offsets_ = {0};
  std::vector<uint8_t> flags_;
  std::vector<uint32_t> sources_, lines_;  // they end with the last entry that was in a file
  std::vector<std::pair<uint32_t, double>> weights_;
  std::vector<std::pair<uint32_t, uint32_t>> tags_;
  std::vector<std::pair<uint32_t, std::string>> payloads_;
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> parts_;
  Names tag_names_, source_names_;
  // by field: an open-addressing table of its entries by their folded text; some have been dropped
  std::vector<Slot> slots_[kUserFields];
  size_t used_[kUserFields] = {};
  size_t n_dropped_ = 0;

  bool dropped(uint32_t number) const { return user_level(flags_[number]) == kNoEntry; }
  template <class Row, class Value>
  void rows(const std::vector<std::pair<uint32_t, Row>>& entries, std::vector<uint32_t>& ids,
            std::vector<uint32_t>& offsets, std::vector<Value>& values) const;
  // Drops the entries that the newest one replaces: of its field those with the same folded text,
  // of other fields those with the same text.
  void drop_replaced(uint32_t number);
  bool same_text(uint32_t number, const uint32_t* word, const uint32_t* end,
                 const FoldTable& fold) const;
  void grow(uint32_t f);
};

}  // namespace segmenter
