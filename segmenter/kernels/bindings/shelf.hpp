// The Shelf of Python: it calls Python to open files.
#pragma once
#include <memory>
#include <string>

#include "open/open.hpp"

namespace segmenter {

// The functions get `of` back, and give -1 where Python has raised an exception, which it keeps.
class CallbackShelf : public Shelf {
 public:
  using FindKind = int (*)(void* of, const std::string& file, std::string& kind);
  using OpenFile = int (*)(void* of, const FileRequest& request, OpenedFile& file);

  CallbackShelf(void* of, FindKind kind, OpenFile open) : of_(of), kind_(kind), open_(open) {}

  std::string kind(const std::string& file) override {
    std::string found;
    if (kind_(of_, file, found) < 0) throw Refused(Refused::kFile, "raised by Python");
    return found;
  }
  OpenedFile open(const FileRequest& request) override {
    OpenedFile opened;
    if (open_(of_, request, opened) < 0) throw Refused(Refused::kFile, "raised by Python");
    return opened;
  }

 private:
  void* const of_;
  const FindKind kind_;
  const OpenFile open_;
};

inline Answer open(const Description& options, void* of, CallbackShelf::FindKind kind,
                   CallbackShelf::OpenFile open_file) {
  CallbackShelf shelf(of, kind, open_file);
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
