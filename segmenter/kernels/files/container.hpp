// The container of every compiled file: header, table of sections, checksums; segmenter/artifact
// has the layout to the byte. Nothing is copied: a section is a range of the caller's memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace segmenter {

struct Container {
  static constexpr char kMagic[9] = "\x89SEG\r\n\x1a\n";
  static constexpr char kMeta[] = ".meta";  // the section of the metadata
  static constexpr uint32_t kVersion = 1;
  // alignment of sections, zero bytes after each, sizes of the header, of a table row, of names
  static constexpr uint64_t kAlign = 64, kGuard = 64, kHeader = 80, kEntry = 48, kName = 24,
                            kKind = 16;
  struct Section {
    std::string name;
    uint64_t offset, length;
    uint32_t crc;
  };
  uint32_t version = 0;
  std::string kind, digest;  // digest: 64 hexadecimal digits
  bool newer = false;        // a later version made the file, which is refused
  std::vector<Section> sections;

  // Reads header and table; `expected`: the required kind, null for any. Throws
  // std::invalid_argument with the reason.
  void read(const uint8_t* file, uint64_t size, const char* expected);

  // Checks every byte against the CRCs; padding must be zero.
  void verify(const uint8_t* file, uint64_t size) const;

 private:
  void read_header(const uint8_t* file, uint64_t size);
  void read_table(const uint8_t* file, uint64_t size);
};

}  // namespace segmenter
