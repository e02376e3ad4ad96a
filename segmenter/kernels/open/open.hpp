// open(): opens a segmenter from a description of its options.
//
// Every interface calls it: `load` and `Segmenter` of Python, segmenter_open() of C, and, through
// C, SQLite, WebAssembly and PostgreSQL. It checks options and chooses files; a Shelf opens the
// files, since each language finds files and keeps them open in its own way.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoms/rules.hpp"
#include "atoms/settings.hpp"
#include "request.hpp"
#include "lattice/ngram.hpp"
#include "lexicon/lexicon.hpp"
#include "open/options.hpp"
#include "open/refused.hpp"
#include "tagging/model.hpp"
#include "threads.hpp"
#include "unknown.hpp"
#include "user/tables.hpp"

namespace segmenter {

// Caches the last MarkedMap of a lexicon: its rules rarely differ.
class MarkedMaps {
 public:
  std::shared_ptr<const MarkedMap> get(const Lexicon& lex, const AtomRules& rules);

 private:
  Mutex mutex_;
  AtomSettings settings_;
  std::shared_ptr<const MarkedMap> map_;
};

// The options of the caller; an absent one has the default of the table.
struct Description {
  std::optional<std::string> name, standard, decoder, oov, matcher;
  std::optional<std::vector<std::string>> skip;
  bool own_models = false;   // the shelf holds the caller's models; `name` is ignored
  bool own_matcher = false;  // the caller's object finds the words; `matcher` is its name
  // Settings of atoms, applied in this order: those of the standard, unless `all_atoms`; those of
  // `atoms`, rule by rule; those of `atoms_text`, in the form of AtomSettings::parse().
  bool all_atoms = false;
  std::vector<std::pair<std::string, std::string>> atoms;
  std::string atoms_text;
  const PatternAutomaton* patterns = nullptr;
  std::string patterns_digest;
  // The user words, which outlive the segmenter; null: none.
  const UserDictionary* user = nullptr;
  std::string user_digest;
};

// A request for a compiled file.
struct FileRequest {
  enum Kind { kLexicon, kTagger, kNetwork, kBeside, kUnknownTagger, kSubwords } kind;
  // A name or the caller's path; for kSubwords the value of `oov`; for the caller's own models the
  // decoder or the value of `oov`.
  std::string file;
  std::string standard;                               // for kNetwork and kBeside
  bool ngrams = false, bounds = false, mass = false;  // for kLexicon: load these too
  bool described = false;  // for kTagger: report its algorithm and standard too
};

// An opened file. `owner` keeps the objects alive to which it points, or the shelf does.
struct OpenedFile {
  std::string name, digest;
  const Lexicon* lex = nullptr;
  const NgramModel* ngrams = nullptr;  // null: none
  double mass = 0;                     // the sum of its counts
  bool outside = false;                // its words are in a marisa trie
  MarkedMaps* marks = nullptr;
  const TaggerModel* tagger = nullptr;
  std::string decoder;   // of a tagger, if `described`: its algorithm,
  std::string standard;  // and the standard of its training corpus
  std::vector<std::pair<std::string, std::string>> atoms;  // the settings of its standard
  const UnknownCutter* subwords = nullptr;
  std::shared_ptr<const void> owner;
};

class Shelf {
 public:
  virtual ~Shelf() = default;
  // The kind of a compiled file; "" if there is no such file.
  virtual std::string kind(const std::string& file) = 0;
  virtual OpenedFile open(const FileRequest& request) = 0;
};

// An opened segmenter, immutable. Workers run its plan.
struct Opened {
  std::string name;  // the preset or the file; "": the caller's own models
  std::string standard, decoder, oov, matcher;
  std::string lexicon_file;  // of tags and lattice; with a tagger, that of its standard
  std::string models;        // digests of the files on which boundaries depend
  std::string fingerprint;   // what an index stores to know when to rebuild
  uint32_t skip = 0;
  AtomSettings settings, usual;  // of atoms: in use; the defaults of the standard
  Plan plan;

  // The lexicon or tagger that decodes, the network beside it, the helpers.
  OpenedFile main, beside, unknown_tagger, subwords;
  TaggerModel mixture;  // of `main` and `beside`
  UserDictionary user;
  AtomRules atoms;
  std::shared_ptr<const MarkedMap> marked;
  NgramModel no_ngrams;

  Opened();
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened();
};

// The segmenter, or the error.
struct Answer {
  std::shared_ptr<const Opened> opened;
  int code = 0;  // a Refused::Code; 0: success
  std::string argument, sentence;
};
Answer open(const Description& options, Shelf& shelf);

// Whether words may begin or end inside a unit of an index, that is, a run of letters or digits:
// pieces of subwords, split atoms and user words may.
bool cuts_runs(const Opened& opened);

}  // namespace segmenter
