// A refusal: an error that crosses every interface as a code, an argument and a sentence.
#pragma once
#include <stdexcept>
#include <string>

namespace segmenter {

struct Refused : std::runtime_error {
  enum Code { kArgument = 1, kNoFile, kFile, kText };  // as segmenter_status
  int code;
  std::string argument;  // the option at fault; "": none is

  Refused(int code_, const std::string& sentence) : std::runtime_error(sentence), code(code_) {}
  Refused(int code_, const std::string& argument_, const std::string& why)
      : std::runtime_error(argument_ + ": " + why), code(code_), argument(argument_) {}
};

}  // namespace segmenter
