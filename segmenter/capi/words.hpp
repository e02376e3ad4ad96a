// The user words of a segmenter: text, or a compiled dictionary.
#pragma once
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "capi/compiled.hpp"
#include "characters.hpp"
#include "open/metadata.hpp"
#include "user/columns.hpp"
#include "user/compile.hpp"
#include "user/reader.hpp"

namespace segmenter {

class UserWords {
 public:
  UserDictionary words;
  std::string digest;  // "": no words

  // Throws Refused.
  explicit UserWords(const segmenter_options& options) {
    if (options.user_file && (options.user || options.user_size))
      throw Refused(Refused::kArgument, "user_file", "give either a file or `user`, its text");
    if (!options.user_file) {
      if (!options.user)
        throw Refused(Refused::kArgument, "user", "a null pointer, but user_size is not 0");
      open({options.user, options.user_size}, "user", !options.trust_files);
      return;
    }
    const std::string name = options.user_file;
    std::string fault;
    if (!file_.map(name, fault))
      throw Refused(Refused::kNoFile, "user_file", shortened(name) + ": " + fault);
    open({reinterpret_cast<const char*>(file_.mapped().data()), file_.mapped().size()}, name,
         !options.trust_files);
  }

  // The part of speech that the user gave a word; "": none. Words with parts have none.
  const std::string& tag(uint32_t id) const {
    static const std::string kNone;
    return tags_ && !(layer_.flags[id] & kUserParts) ? names_[tags_[id]] : kNone;
  }

 private:
  CompiledFile file_;
  UserColumns columns_;
  std::vector<uint64_t> copy_;  // of a compiled file in memory, aligned to 8 bytes
  UserTables tables_[kUserFields];
  const uint16_t* tags_ = nullptr;  // per word the index in names_; null: no tags
  std::vector<std::string> names_;
  UserLayer layer_;

  void open(std::string_view data, const std::string& name, bool verify) {
    if (data.substr(0, sizeof Container::kMagic - 1) == Container::kMagic) {
      if (reinterpret_cast<uintptr_t>(data.data()) % 8) {
        copy_.resize(data.size() / 8 + 1);
        std::memcpy(copy_.data(), data.data(), data.size());
        data = {reinterpret_cast<const char*>(copy_.data()), data.size()};
      }
      map(data, name, verify);
    } else {
      read(data, name);
    }
    if (!layer_.n) return;
    digest = user_digest(layer_);
    for (uint32_t f = 1; f < kUserFields; ++f)
      if (layer_.field[f].there) words.fold[f] = fold_tables()[f];
    index_user(words.fold, layer_);
    words.layers.push_back(layer_);
  }
  void map(std::string_view data, const std::string& name, bool verify) {
    file_.remedy = "build it again with `segmenter build user WORDS -o FILE.user`";
    file_.open(reinterpret_cast<const uint8_t*>(data.data()), data.size(), name, "user", verify);
    file_.sections.misfit = "the columns of the user dictionary do not fit together";
    file_.checked([&] {
      const UserMeta meta = read_user(file_.meta, kMaxEntries);
      if (!meta.entries) return;
      names_ = meta.tags;
      open_user(file_.sections, meta.width, meta.line_ends, layer_);
      if (file_.sections.has("tags")) {
        tags_ = file_.sections.exactly<uint16_t>("tags", layer_.n);
        for (uint32_t id = 0; id < layer_.n; ++id)
          if (tags_[id] >= names_.size()) file_.sections.refuse();
      }
      attach_user(file_.sections, layer_);
      if (!valid(layer_)) file_.sections.refuse();
    });
  }
  void read(std::string_view data, const std::string& name) {
    auto refuse = [&](const std::string& why) {
      throw Refused(Refused::kText, shortened(name) + why);
    };
    constexpr std::string_view kJson = ".jsonl";
    if (name.size() > kJson.size() && name.substr(name.size() - kJson.size()) == kJson)
      refuse(
          ": lines of JSON, which this library does not read: compile them with "
          "`segmenter build user`");
    UserBuilder builder;
    UserReader reader(builder);
    try {
      reader.read(data);
    } catch (const std::invalid_argument& e) {
      refuse(std::string(", line 1: ") + e.what());
    } catch (const std::length_error& e) { refuse(std::string(": ") + e.what()); }
    if (!reader.faults.empty()) {
      const LineFault& fault = reader.faults[0];
      refuse(", line " + std::to_string(fault.line) + ": " + fault.reason +
             (fault.raw.empty() ? "" : ": save the file as UTF-8"));
    }
    if (!builder.size()) return;
    columns_ = builder.columns();
    names_ = columns_.tag_names;
    if (!columns_.tags.empty()) tags_ = columns_.tags.data();
    Sections sections;
    columns_.sections(
        [&](const char* section, const void* p, size_t n) { sections.put(section, p, n); });
    open_user(sections, columns_.width, columns_.line_ends, layer_);
    compile_user(fold_tables(), tables_, layer_, nullptr);
  }
};

}  // namespace segmenter
