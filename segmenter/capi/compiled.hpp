// Opens and checks a compiled file.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

#include "capi/mapped.hpp"
#include "files/container.hpp"
#include "files/json.hpp"
#include "files/quoted.hpp"
#include "files/sections.hpp"
#include "open/refused.hpp"

namespace segmenter {

// A compiled file with its container, checked, and its metadata.
class CompiledFile {
 public:
  std::string name;
  Container container;
  Sections sections;
  std::string meta_text;  // as it stands in the file
  Json meta;
  const char* remedy = "install the file of this version again";

  // `label`: the name in messages. Throws Refused.
  void open(const uint8_t* data, size_t size, const std::string& label, const char* kind,
            bool verify) {
    name = shortened(label);
    checked([&] {
      container.read(data, size, kind);
      if (verify) container.verify(data, size);
      for (const Container::Section& s : container.sections) {
        if (s.name != Container::kMeta) sections.put(s.name, data + s.offset, s.length);
        else meta_text.assign(reinterpret_cast<const char*>(data) + s.offset, size_t(s.length));
      }
      meta = Json::parse(meta_text);
      if (meta.kind != Json::kObject)
        throw std::invalid_argument("its metadata is not a JSON object");
    });
  }
  bool map(const std::string& path, std::string& fault) {
    fault = mapped_.open(path);
    return fault.empty();
  }
  const Mapped& mapped() const { return mapped_; }

  // Runs `read`, whose faults refuse the file.
  template <class Read>
  void checked(Read&& read) const {
    try {
      read();
    } catch (const std::invalid_argument& e) {
      refuse(e.what());
    } catch (const std::length_error& e) { refuse(e.what()); }
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Refused(Refused::kFile,
                  name + ": " + why + "; " +
                      (container.newer ? "use a newer version of this library" : remedy));
  }

 private:
  Mapped mapped_;
};

}  // namespace segmenter
