// A file in memory, read-only: mapped where the system can, otherwise read.
#pragma once
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define SEGMENTER_MAPS 1
#endif

namespace segmenter {

class Mapped {
 public:
  Mapped() = default;
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() {
#if SEGMENTER_MAPS
    if (data_) ::munmap(const_cast<uint8_t*>(data_), size_);
#endif
  }

  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

  // Returns "", or the reason why the file cannot be read.
  std::string open(const std::string& path) {
#if SEGMENTER_MAPS
    struct stat status;
    // checked before opening: a named pipe would block, and a device has no length
    if (::stat(path.c_str(), &status) != 0)
      return errno == ENOENT ? "there is no such file" : fault_of_errno();
    if (!S_ISREG(status.st_mode))
      return S_ISDIR(status.st_mode) ? "is a folder" : "is not a regular file";
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return fault_of_errno();
    std::string fault;
    if (::fstat(file, &status) != 0) fault = fault_of_errno();
    else if (status.st_size > 0) {
      void* const address = ::mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_SHARED, file, 0);
      if (address == MAP_FAILED) fault = fault_of_errno();
      else {
        data_ = static_cast<const uint8_t*>(address);
        size_ = size_t(status.st_size);
      }
    }
    ::close(file);
    return fault;
#else
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                         &std::fclose);
    if (!file) return errno == ENOENT ? "there is no such file" : fault_of_errno();
    if (std::fseek(file.get(), 0, SEEK_END) != 0) return fault_of_errno();
    const long size = std::ftell(file.get());
    if (size < 0 || std::fseek(file.get(), 0, SEEK_SET) != 0) return fault_of_errno();
    buffer_.reset(new uint8_t[size_t(size) + 64]);
    uint8_t* const start =
        buffer_.get() + (64 - reinterpret_cast<uintptr_t>(buffer_.get()) % 64) % 64;
    if (std::fread(start, 1, size_t(size), file.get()) != size_t(size)) return fault_of_errno();
    data_ = start;
    size_ = size_t(size);
    return "";
#endif
  }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  std::unique_ptr<uint8_t[]> buffer_;

  static std::string fault_of_errno() {
    return std::string("cannot be read: ") + std::strerror(errno);
  }
};

}  // namespace segmenter
