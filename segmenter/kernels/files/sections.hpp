// The named sections of a compiled file as columns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

#include "text.hpp"

namespace segmenter {

class Sections {
 public:
  // the message for sections of inconsistent sizes
  std::string misfit = "its sections do not fit together";

  void put(const std::string& name, const void* data, size_t bytes) {
    sections_[name] = {data, bytes};
  }
  bool has(const std::string& name) const { return sections_.count(name) != 0; }

  // All cells of a section.
  template <class T>
  Cells<T> of(const std::string& name) const {
    const auto entry = sections_.find(name);
    if (entry == sections_.end()) throw std::invalid_argument("there is no section '" + name + "'");
    const Bytes& s = entry->second;
    if (s.bytes % sizeof(T)) refuse();
    return {static_cast<const T*>(s.data), std::ptrdiff_t(s.bytes / sizeof(T))};
  }
  // The cells of a section, which must have `n` of them.
  template <class T>
  const T* exactly(const std::string& name, std::ptrdiff_t n) const {
    const Cells<T> cells = of<T>(name);
    if (cells.n != n) refuse();
    return cells.data;
  }
  [[noreturn]] void refuse() const { throw std::invalid_argument(misfit); }

 private:
  struct Bytes {
    const void* data;
    size_t bytes;
  };
  std::map<std::string, Bytes> sections_;
};

}  // namespace segmenter
