// The container of every compiled file: header, table of sections, checksums; segmenter/artifact
// has the layout to the byte. Nothing is copied: a section is a range of the caller's memory.
#pragma once
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "crc32.hpp"

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
  // std::invalid_argument with the reason. Defined in opening.cpp, like verify().
  void read(const uint8_t* file, uint64_t size, const char* expected);

  // Checks every byte against the CRCs; padding must be zero.
  void verify(const uint8_t* file, uint64_t size) const;

 private:
  static std::string str(uint64_t n) { return std::to_string(n); }
  static uint64_t number(const uint8_t* p, int bytes) {
    uint64_t n = 0;
    while (bytes--) n = n << 8 | p[bytes];
    return n;
  }
  static uint64_t align(uint64_t n) { return (n + kAlign - 1) / kAlign * kAlign; }

  // The name in a field padded with NUL; "" if it is invalid.
  static std::string read_name(const uint8_t* p, uint64_t size) {
    uint64_t n = size;
    while (n && !p[n - 1]) --n;
    for (uint64_t i = 0; i < n; ++i)
      if (!(p[i] >= 'a' && p[i] <= 'z') && !(p[i] >= '0' && p[i] <= '9') &&
          !(p[i] && std::strchr("._-", p[i])))
        return "";
    return std::string(reinterpret_cast<const char*>(p), n);
  }
  static std::string hex(const uint8_t* p, uint64_t n, const char* separator) {
    std::string digits;
    for (uint64_t i = 0; i < n; ++i) {
      if (i) digits += separator;
      digits += "0123456789abcdef"[p[i] >> 4];
      digits += "0123456789abcdef"[p[i] & 15];
    }
    return digits;
  }
  static void check_padding(const uint8_t* file, uint64_t start, uint64_t end,
                            const std::string& place) {
    for (uint64_t i = start; i < end; ++i)
      if (file[i])
        throw std::invalid_argument("the padding " + place + " is damaged (bytes " + str(start) +
                                    " to " + str(end) + " are not zero)");
  }

  void read_header(const uint8_t* file, uint64_t size) {
    if (!size) throw std::invalid_argument("the file is empty");
    const uint64_t start = size < 8 ? size : 8;
    if (std::memcmp(file, kMagic, start) != 0) {
      if (start == 8 && std::memcmp(file, "version ", 8) == 0)
        throw std::invalid_argument("is a pointer of Git LFS, not the file itself");
      throw std::invalid_argument(
          "is not an artifact of segmenter, or its first bytes are damaged (" +
          hex(file, start, " ") + ")");
    }
    if (size < kHeader)
      throw std::invalid_argument("is truncated: " + str(size) + " bytes, less than a header (" +
                                  str(kHeader) + ")");
    version = uint32_t(number(file + 8, 4));
    uint8_t header[kHeader];
    std::memcpy(header, file, kHeader);
    std::memset(header + 12, 0, 4);
    const bool intact = Crc32::of(header, kHeader) == number(file + 12, 4);
    // A later format may check its header differently, so the version is tested first.
    if (version > kVersion) {
      newer = true;
      throw std::invalid_argument("was made by a newer segmenter: format " + str(version) +
                                  ", this one reads up to " + str(kVersion) +
                                  (intact ? "" : " (or its header is damaged: its CRC differs)"));
    }
    if (!intact) throw std::invalid_argument("the header is damaged (its CRC differs)");
    if (version < 1) throw std::invalid_argument("has the format version 0, which never existed");
    const uint64_t total = number(file + 16, 8);
    if (total > size)
      throw std::invalid_argument("is truncated: " + str(size) + " of " + str(total) + " bytes");
    if (total < size)
      throw std::invalid_argument("has " + str(size - total) + " bytes after its end (" +
                                  str(total) + " bytes)");
    kind = read_name(file + 32, kKind);
    if (kind.empty()) throw std::invalid_argument("the kind in the header is not a name");
    digest = hex(file + 48, 32, "");
  }

  void read_table(const uint8_t* file, uint64_t size) {
    const uint64_t count = number(file + 24, 4), end = kHeader + count * kEntry;
    if (end > size)
      throw std::invalid_argument("the section table (" + str(count) +
                                  " sections) does not fit into the file");
    if (Crc32::of(file + kHeader, end - kHeader) != number(file + 28, 4))
      throw std::invalid_argument("the section table is damaged (its CRC differs)");
    uint64_t expected = align(end);
    bool meta = false;
    for (uint64_t i = 0; i < count; ++i) {
      const uint8_t* const row = file + kHeader + i * kEntry;
      Section s{read_name(row, kName), number(row + kName, 8), number(row + kName + 8, 8),
                uint32_t(number(row + kName + 16, 4))};
      if (s.name.empty())
        throw std::invalid_argument("section " + str(i) + " of the table has no valid name");
      const std::string label = "section '" + s.name + "' ";
      if (i && s.name == sections.back().name)
        throw std::invalid_argument(label + "occurs twice in the table");
      if (i && s.name < sections.back().name)
        throw std::invalid_argument(label + "is out of order in the table");
      if (number(row + kName + 20, 4))
        throw std::invalid_argument(label + "has an entry of unknown form in the table");
      if (s.offset % kAlign)
        throw std::invalid_argument(label + "is misaligned (offset " + str(s.offset) + ")");
      if (s.offset > size || s.length > size - s.offset)
        throw std::invalid_argument(label + "is out of range: " + str(s.length) +
                                    " bytes from byte " + str(s.offset) + " on, of " + str(size));
      if (s.offset < expected)
        throw std::invalid_argument(label + "overlaps the data before it (offset " + str(s.offset) +
                                    ", at the earliest " + str(expected) + ")");
      if (s.offset > expected)
        throw std::invalid_argument(label + "leaves a gap before it (offset " + str(s.offset) +
                                    ", expected " + str(expected) + ")");
      expected = align(s.offset + s.length + kGuard);
      meta |= s.name == kMeta;
      sections.push_back(s);
    }
    if (expected != size)
      throw std::invalid_argument("its sections end at byte " + str(expected) + ", the file at " +
                                  str(size));
    if (!meta) throw std::invalid_argument("has no metadata section");
  }
};

}  // namespace segmenter
