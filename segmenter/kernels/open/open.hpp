// open(): opens a segmenter from a description of its options.
//
// Every interface calls it: `load` and `Segmenter` of Python, segmenter_open of C, and through C also
// SQLite, WebAssembly and PostgreSQL. It checks options and chooses files; a Shelf opens the files,
// since each language has its own way of finding files and of keeping them open.
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

// A lexicon's last MarkedMap: rules rarely differ.
class MarkedMaps {
 public:
  std::shared_ptr<const MarkedMap> get(const Lexicon& lex, const AtomRules& rules);

 private:
  Mutex mutex_;
  AtomSettings settings_;
  std::shared_ptr<const MarkedMap> map_;
};

// What is asked for. An option that is not given has the default of the table.
struct Asked {
  std::optional<std::string> name, standard, decoder, oov, matcher;
  std::optional<std::vector<std::string>> skip;
  bool own_models = false;   // the shelf holds the caller's models; `name` is not looked at
  bool own_matcher = false;  // the caller's object finds the words; `matcher` is its name
  // Atoms, in the order in which they are applied: the settings of a standard first, unless these are
  // all there is; rule by rule; text in the form of AtomSettings::parse().
  bool all_atoms = false;
  std::vector<std::pair<std::string, std::string>> atoms;
  std::string atoms_text;
  const PatternAutomaton* patterns = nullptr;
  std::string patterns_digest;
  // The words of the user; null: none. They outlive what is opened.
  const UserDictionary* user = nullptr;
  std::string user_digest;
};

// A compiled file that is needed.
struct Wanted {
  enum Kind { kLexicon, kTagger, kNetwork, kBeside, kUnknownTagger, kSubwords } kind;
  // A name, or the path that was asked for. Of kSubwords the value of `oov`; of the caller's own models
  // the decoder or the value of `oov` that needs one.
  std::string file;
  std::string standard;                               // of kNetwork and kBeside
  bool ngrams = false, bounds = false, mass = false;  // of kLexicon: what else is needed
  bool described = false;  // of kTagger: its algorithm and its standard are needed
};

// A compiled file, opened. What it points to lives as long as `owner`, or the shelf sees to it.
struct Part {
  std::string name, digest;
  const Lexicon* lex = nullptr;
  const NgramModel* ngrams = nullptr;  // null: it has none
  double mass = 0;                     // the sum of its counts
  bool outside = false;                // its words are in another trie
  MarkedMaps* marks = nullptr;
  const TaggerModel* tagger = nullptr;
  std::string decoder;   // of a tagger, if they are needed: its algorithm
  std::string standard;  // which it was trained for
  std::vector<std::pair<std::string, std::string>> atoms;  // settings of its standard
  const UnknownCutter* subwords = nullptr;
  std::shared_ptr<const void> owner;
};

class Shelf {
 public:
  virtual ~Shelf() = default;
  // What kind of compiled file this is, "" if there is none of this name.
  virtual std::string kind(const std::string& file) = 0;
  virtual Part open(const Wanted& request) = 0;
};

// A segmenter, opened; never written. Workers run its plan.
struct Opened {
  std::string name;  // the preset or the file; "": the caller's own models
  std::string standard, decoder, oov, matcher;
  std::string lexicon_file;  // of the tags and the lattice: of a tagger the one beside it
  std::string models;        // identities of what boundaries depend on
  std::string fingerprint;   // what an index stores to know when to rebuild
  uint32_t skip = 0;
  AtomSettings settings, usual;  // of atoms; what they are for the standard unless asked otherwise
  Plan plan;

  // The lexicon or the tagger that decodes, the network beside it, and what helps them.
  Part part, beside, unknown_tagger, subwords;
  TaggerModel mixture;  // of a tagger with a network beside it
  UserDictionary user;
  AtomRules atoms;
  std::shared_ptr<const MarkedMap> marked;
  NgramModel no_ngrams;
};

// The segmenter, or why there is none.
struct Answer {
  std::shared_ptr<const Opened> opened;
  int code = 0;  // a Refused::Code; 0: it is opened
  std::string argument, sentence;
};
Answer open(const Asked& options, Shelf& shelf);

// Whether words may begin or end inside a unit of an index, a run of letters or digits: pieces of
// subwords do, atoms that are split there, and words of the user.
bool cuts_runs(const Opened& opened);

}  // namespace segmenter
