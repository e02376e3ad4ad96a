// The implementation of container.hpp.
#include "files/container.hpp"

#include <cstring>
#include <stdexcept>

#include "crc32.hpp"

namespace segmenter {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

std::string str(uint64_t n) { return std::to_string(n); }
uint64_t number(const uint8_t* p, int bytes) {
  uint64_t n = 0;
  while (bytes--) n = n << 8 | p[bytes];
  return n;
}
uint64_t align(uint64_t n) {
  return (n + Container::kAlign - 1) / Container::kAlign * Container::kAlign;
}

// The name in a field padded with NUL; "" if it is invalid.
std::string read_name(const uint8_t* p, uint64_t size) {
  uint64_t n = size;
  while (n && !p[n - 1]) --n;
  for (uint64_t i = 0; i < n; ++i)
    if (!(p[i] >= 'a' && p[i] <= 'z') && !(p[i] >= '0' && p[i] <= '9') &&
        !(p[i] && std::strchr("._-", p[i])))
      return "";
  return std::string(reinterpret_cast<const char*>(p), n);
}
std::string hex(const uint8_t* p, uint64_t n, const char* separator) {
  std::string digits;
  for (uint64_t i = 0; i < n; ++i) {
    if (i) digits += separator;
    digits += "0123456789abcdef"[p[i] >> 4];
    digits += "0123456789abcdef"[p[i] & 15];
  }
  return digits;
}
void check_padding(const uint8_t* file, uint64_t start, uint64_t end, const std::string& place) {
  for (uint64_t i = start; i < end; ++i)
    if (file[i])
      refuse("the padding " + place + " is damaged (bytes " + str(start) + " to " + str(end) +
             " are not zero)");
}

}  // namespace

void Container::read_header(const uint8_t* file, uint64_t size) {
  if (!size) refuse("the file is empty");
  const uint64_t start = size < 8 ? size : 8;
  if (std::memcmp(file, kMagic, start) != 0) {
    if (start == 8 && std::memcmp(file, "version ", 8) == 0)
      refuse("is a pointer of Git LFS, not the file itself");
    refuse("is not an artifact of segmenter, or its first bytes are damaged (" +
           hex(file, start, " ") + ")");
  }
  if (size < kHeader)
    refuse("is truncated: " + str(size) + " bytes, less than a header (" + str(kHeader) + ")");
  version = uint32_t(number(file + 8, 4));
  uint8_t header[kHeader];
  std::memcpy(header, file, kHeader);
  std::memset(header + 12, 0, 4);
  const bool intact = Crc32::of(header, kHeader) == number(file + 12, 4);
  // A later format may check its header differently, so the version is tested first.
  if (version > kVersion) {
    newer = true;
    refuse("was made by a newer segmenter: format " + str(version) + ", this one reads up to " +
           str(kVersion) + (intact ? "" : " (or its header is damaged: its CRC differs)"));
  }
  if (!intact) refuse("the header is damaged (its CRC differs)");
  if (version < 1) refuse("has the format version 0, which never existed");
  const uint64_t total = number(file + 16, 8);
  if (total > size) refuse("is truncated: " + str(size) + " of " + str(total) + " bytes");
  if (total < size)
    refuse("has " + str(size - total) + " bytes after its end (" + str(total) + " bytes)");
  kind = read_name(file + 32, kKind);
  if (kind.empty()) refuse("the kind in the header is not a name");
  digest = hex(file + 48, 32, "");
}

void Container::read_table(const uint8_t* file, uint64_t size) {
  const uint64_t count = number(file + 24, 4), end = kHeader + count * kEntry;
  if (end > size)
    refuse("the section table (" + str(count) + " sections) does not fit into the file");
  if (Crc32::of(file + kHeader, end - kHeader) != number(file + 28, 4))
    refuse("the section table is damaged (its CRC differs)");
  uint64_t expected = align(end);
  bool meta = false;
  for (uint64_t i = 0; i < count; ++i) {
    const uint8_t* const row = file + kHeader + i * kEntry;
    Section s{read_name(row, kName), number(row + kName, 8), number(row + kName + 8, 8),
              uint32_t(number(row + kName + 16, 4))};
    if (s.name.empty()) refuse("section " + str(i) + " of the table has no valid name");
    const std::string label = "section '" + s.name + "' ";
    if (i && s.name == sections.back().name) refuse(label + "occurs twice in the table");
    if (i && s.name < sections.back().name) refuse(label + "is out of order in the table");
    if (number(row + kName + 20, 4)) refuse(label + "has an entry of unknown form in the table");
    if (s.offset % kAlign) refuse(label + "is misaligned (offset " + str(s.offset) + ")");
    if (s.offset > size || s.length > size - s.offset)
      refuse(label + "is out of range: " + str(s.length) + " bytes from byte " + str(s.offset) +
             " on, of " + str(size));
    if (s.offset < expected)
      refuse(label + "overlaps the data before it (offset " + str(s.offset) + ", at the earliest " +
             str(expected) + ")");
    if (s.offset > expected)
      refuse(label + "leaves a gap before it (offset " + str(s.offset) + ", expected " +
             str(expected) + ")");
    expected = align(s.offset + s.length + kGuard);
    meta |= s.name == kMeta;
    sections.push_back(s);
  }
  if (expected != size)
    refuse("its sections end at byte " + str(expected) + ", the file at " + str(size));
  if (!meta) refuse("has no metadata section");
}

void Container::read(const uint8_t* file, uint64_t size, const char* expected) {
  read_header(file, size);
  if (expected && kind != expected)
    refuse("is of kind '" + kind + "', where '" + expected + "' is expected");
  read_table(file, size);
}

void Container::verify(const uint8_t* file, uint64_t size) const {
  uint64_t end = kHeader + sections.size() * kEntry;
  for (const Section& section : sections) {
    check_padding(file, end, section.offset, "before section '" + section.name + "'");
    if (Crc32::of(file + section.offset, section.length) != section.crc)
      refuse("section '" + section.name + "' is damaged (its CRC differs)");
    end = section.offset + section.length;
  }
  check_padding(file, end, size, "at the end");
}

}  // namespace segmenter
