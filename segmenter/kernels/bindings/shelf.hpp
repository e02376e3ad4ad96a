// The Shelf of Python: it calls Python to open files.
#pragma once
#include "bindings/python.hpp"

#include <memory>
#include <string>

#include "open/open.hpp"

namespace segmenter {

// The functions get the context back; -1: Python has raised an exception, which the context keeps.
class CallbackShelf : public Shelf {
 public:
  using FindKind = int (*)(void* context, const std::string& file, std::string& kind);
  using OpenFile = int (*)(void* context, const FileRequest& request, OpenedFile& file);

  CallbackShelf(void* context, FindKind kind, OpenFile open)
      : context_(context), kind_(kind), open_(open) {}

  std::string kind(const std::string& file) override {
    std::string kind;
    const int failed = or_sleep([&] { return kind_(context_, file, kind); });
    if (failed < 0) throw Refused(Refused::kFile, "raised by Python");
    return kind;
  }
  OpenedFile open(const FileRequest& request) override {
    OpenedFile file;
    const int failed = or_sleep([&] { return open_(context_, request, file); });
    if (failed < 0) throw Refused(Refused::kFile, "raised by Python");
    return file;
  }

 private:
  void* const context_;
  const FindKind kind_;
  const OpenFile open_;
};

inline Answer open(const Description& options, void* context, CallbackShelf::FindKind kind,
                   CallbackShelf::OpenFile open_file) {
  CallbackShelf shelf(context, kind, open_file);
  return open(options, shelf);
}

// A tagger alone, without options: for trainers and tests.
inline std::shared_ptr<const Opened> tagger_alone(const TaggerModel& tagger) {
  const auto opened = std::make_shared<Opened>();
  opened->plan.tagger = &tagger;
  opened->plan.lex = tagger.lex;
  opened->no_ngrams.n_words = tagger.lex->n_words;
  opened->plan.model = &opened->no_ngrams;
  return opened;
}

}  // namespace segmenter
