// An opened segmenter: the files of a preset, checked, and the plan over them. Never written.
#pragma once
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "atoms/settings.hpp"
#include "calls.hpp"
#include "capi/compiled.hpp"
#include "capi/segmenter.h"
#include "capi/tables.hpp"
#include "capi/words.hpp"
#include "choices.hpp"
#include "fingerprint.hpp"
#include "lattice/bounds.hpp"
#include "lexicon/words.hpp"
#include "opening.hpp"
#include "pos/known.hpp"
#include "pos/tags.hpp"
#include "search/inner.hpp"
#include "threads.hpp"

namespace segmenter {

// Where files are found, a folder or the caller's memory, and how they are opened.
class Shelf {
 public:
  const VariantTable* const variants;  // that lexicons fold; null: none

  Shelf(const segmenter_options& options)
      : variants(options.no_variants ? nullptr : &variant_table()), verify_(!options.trust_files) {
    if (options.folder) folder_ = options.folder;
    if (!options.files && folder_.empty())
      throw Refused(SEGMENTER_BAD_ARGUMENT,
                    "folder: there is no default: name the folder that holds the compiled files, "
                    "such as that of `python -m segmenter.capi --models`");
    if (options.n_files && !options.files)
      throw Refused(SEGMENTER_BAD_ARGUMENT, "files: a null pointer, but n_files is not 0");
    for (size_t i = 0; i < options.n_files; ++i)
      if (options.files[i].name) files_.emplace(options.files[i].name, options.files[i]);
  }
  std::unique_ptr<CompiledFile> open(const std::string& name, const char* kind) const {
    auto file = std::make_unique<CompiledFile>();
    const auto given = files_.find(name);
    if (given != files_.end()) {
      const segmenter_file& in = given->second;
      if (!in.data || reinterpret_cast<uintptr_t>(in.data) % 8)
        throw Refused(SEGMENTER_BAD_ARGUMENT,
                      "files: the data of " + name + " do not begin at a multiple of 8 bytes");
      file->open(static_cast<const uint8_t*>(in.data), in.size, name, kind, verify_);
      return file;
    }
    if (folder_.empty())
      throw Refused(SEGMENTER_NO_FILE, "files: " + name + " is needed and not among them");
    const char last = folder_.back();
    const std::string path = folder_ + (last == '/' || last == '\\' ? "" : "/") + name;
    std::string fault;
    if (!file->map(path, fault))
      throw Refused(SEGMENTER_NO_FILE, path + ": " + fault +
                                           "; install the compiled files of this version, or name "
                                           "the folder that holds them");
    file->open(file->mapped().data(), file->mapped().size(), path, kind, verify_);
    return file;
  }

 private:
  std::string folder_;
  bool verify_;
  std::map<std::string, segmenter_file> files_;  // by name: some are opened when first asked for
};

// A file's words, as an own lexicon or as those of a tagger.
struct OpenWords {
  std::unique_ptr<CompiledFile> file;
  Lexicon lex;
  std::unique_ptr<Variants> variants;
  uint32_t most_cost = 0;

  // `folded`: the variants that look-ups fold; null: none.
  void open(std::unique_ptr<CompiledFile> from, const VariantTable* folded, const char* misfit) {
    file = std::move(from);
    if (file->sections.has("marisa.trie"))
      file->refuse("its words are in a trie of marisa, which this library does not read");
    file->sections.misfit = misfit;
    file->checked([&] {
      open_lexicon(file->sections, folded, false, lex, variants, most_cost);
    });
  }
};

struct OpenTagger {
  OpenWords words;
  TaggerModel model;

  void open(const Shelf& shelf, const std::string& name) {
    words.open(shelf.open(name, "tagger"), shelf.variants,
               "the sections of the tagger do not fit together");
    words.file->checked(
        [&] { open_tagger(words.file->sections, words.lex, words.most_cost, model); });
  }
};

// The file of a network's algorithm; empty if it is none.
inline std::string network_file(const std::string& algorithm) {
  for (const LinearModel& m : kNetworkModels)
    if (algorithm == m.tagger) return std::string(m.file) + ".model";
  return "";
}

struct OpenNetwork {
  std::unique_ptr<CompiledFile> file;
  OpenTagger linear;
  bilstm::Model weights;
  encoder::Model encoder;
  TaggerModel model;
  std::string digest;
  AtomSettings atoms;  // the standard's own

  // `algorithm`: of kNetworkModels.
  void open(const Shelf& shelf, const std::string& algorithm, const std::string& standard) {
    const bool encodes = algorithm == "encoder-crf";
    file = shelf.open(network_file(algorithm), algorithm.c_str());
    const Json& standards = file->field(file->meta, "standards", Json::kObject);
    const Json* own = standards.find(standard);
    if (!own) {
      std::string known;
      for (const auto& member : standards.members)
        known += (known.empty() ? "" : ", ") + member.first;
      throw Refused(SEGMENTER_BAD_ARGUMENT, "standard: '" + standard + "' is not in " + file->name +
                                                ", which has " + known);
    }
    const std::string name = file->field(*own, "linear", Json::kString).text;
    if (name.empty() || name == "." || name == ".." ||
        name.find_first_of(std::string("/\\\0", 3)) != name.npos)
      file->refuse("its linear tagger '" + name + "' is not a file name");
    linear.open(shelf, name);
    if (linear.words.file->container.digest !=
        file->field(*own, "linear_digest", Json::kString).text)
      file->refuse("it was made for another " + name + " than that beside it");
    NetworkSettings of;
    of.standard = int(file->number(*own, "number", 255, true));
    if (!encodes) of.words = int(file->number(*own, "words", 255, true));
    of.weight = file->number(*own, "linear_weight", 1e4);
    of.scale = file->number(file->meta, "scale", 1e6);
    if (own->find("sure")) of.margin = file->number(*own, "sure", 1e4);
    of.marks = characters("marks");
    if (encodes) of.closers = characters("closers");
    file->sections.misfit =
        std::string("the sections of the ") + (encodes ? "encoder" : "BiLSTM-CRF") +
        " do not fit each other or its tagger";
    weights.instructions = bilstm::instruction_sets().back();
    encoder.instructions = encoder::instruction_sets().back();
    file->checked([&] {
      if (encodes) open_encoder(file->sections, of, linear.model, encoder, model);
      else open_network(file->sections, of, linear.model, weights, model);
      if (own->find("atoms"))
        for (const auto& setting : file->field(*own, "atoms", Json::kObject).members)
          atoms.set(setting.first, setting.second.text);
    });
    digest = sha256(standard + " " + file->container.digest);
  }

 private:
  // A string of the metadata; empty if there is none.
  std::u32string characters(const char* name) const {
    std::u32string found;
    if (!file->meta.find(name)) return found;
    const std::string& text = file->field(file->meta, name, Json::kString).text;
    const uint8_t* const p = reinterpret_cast<const uint8_t*>(text.data());
    for (size_t i = 0; i < text.size();) {
      uint32_t cp;
      i += decode_utf8(p + i, text.size() - i, cp);  // the reader of JSON takes only UTF-8
      found.push_back(char32_t(cp));
    }
    return found;
  }
};

// The tagger of parts of speech, and what it has looked up of the words it met. Threads share it.
class OpenPos {
 public:
  explicit OpenPos(std::unique_ptr<CompiledFile> from) {
    words_.open(std::move(from), &variant_table(),
                "sections of a part-of-speech tagger do not fit together");
    CompiledFile& file = *words_.file;
    for (const Json& tag : file.field(file.meta, "tags", Json::kArray).items) {
      if (tag.kind != Json::kString) file.refuse("a tag of its metadata is not a string");
      names_.push_back(tag.text);
    }
    const auto margin = int64_t(file.number(file.meta, "sure", 0x7FFF, true));
    file.checked([&] {
      open_pos(file.sections, words_.lex, int64_t(names_.size()), margin, model_);
      known_.begin(model_, words_.lex.trie.n_units);
    });
  }
  // Decides the tags of words: n of them, span(i) a pair of places in the text, given(i) the tag that
  // it has already, or "".
  template <class Span, class Given>
  void decide(const Text& text, size_t n, Span&& span, Given&& given, PosScratch& scratch) const {
    {
      const std::lock_guard<Mutex> lock(mutex_);
      scratch.begin(n, model_, known_.boundary());
      for (size_t i = 0; i < n; ++i) {
        const auto [start, end] = span(i);
        PosWord word = pos_word(words_.lex, text.part(start, end), model_.n_classes);
        known_.look_up(word);
        const auto known = std::find(names_.begin(), names_.end(), given(i));
        scratch.push(word, known == names_.end() ? kNoTag : uint32_t(known - names_.begin()));
      }
    }
    scratch.end();
    pos_tags(model_, known_, scratch);
  }
  const char* name(uint8_t tag) const { return names_[tag].c_str(); }

 private:
  OpenWords words_;
  PosModel model_;
  std::vector<std::string> names_;
  mutable Mutex mutex_;  // what was looked up never moves: others read it meanwhile
  mutable PosKnown known_;
};

struct Opened {
  OpenWords words;
  NgramModel ngrams;
  std::unique_ptr<SeenKeys> seen;
  std::unique_ptr<GainBounds> bounds;
  OpenTagger tagger, guesser;
  OpenNetwork network;
  std::unique_ptr<UserWords> user;
  AtomRules atoms;
  std::unique_ptr<MarkedMap> marked;
  Plan plan;
  SearchRules search;  // of the tokens of an index
  std::string fingerprint;
  const Shelf shelf;

  // A lexicon, and the canonical character of each of its ids.
  struct Spelling {
    const Lexicon* lex;
    std::vector<uint32_t> letters;
  };
  const Spelling& spelling() const {
    const std::lock_guard<Mutex> lock(mutex_);
    if (!spelling_) {
      const Lexicon& lex = lexicon().lex;
      spelling_ = std::make_unique<const Spelling>(Spelling{&lex, letters(lex)});
    }
    return *spelling_;
  }
  // What knows the words inside words.
  const Plan& inside() const {
    const std::lock_guard<Mutex> lock(mutex_);
    if (!inside_) {
      auto made = std::make_unique<Plan>();
      made->lex = &lexicon().lex;
      made->model = plan.model;
      made->atoms = plan.atoms;
      if (plan.user) {  // whose weights compete with the lexicon's words there
        inside_user_ = *plan.user;
        inside_user_.log_mass = log_mass(lexicon());
        made->user = &inside_user_;
      }
      inside_ = std::move(made);
    }
    return *inside_;
  }
  // The tagger of parts of speech, opened when it is first asked for.
  const OpenPos& pos() const {
    const std::lock_guard<Mutex> lock(mutex_);
    if (!pos_) pos_ = std::make_unique<const OpenPos>(shelf.open(kPosFile, "pos"));
    return *pos_;
  }

  Opened(const segmenter_options& options) : shelf(options) {
    const std::string preset = or_else(options.preset, kDefaultPreset),
                      standard = or_else(options.standard, kStandards[0]),
                      oov = or_else(options.oov, "chars");
    std::string decoder = or_else(options.decoder, tagger_of(preset));
    one_of("oov", oov, std::vector<std::string>{"chars", "keep", "hmm", "tagger"});
    std::vector<std::string> known;
    int lattice = -1;
    for (int k = 0; decoder_name(k); ++k) {
      known.push_back(decoder_name(k));
      if (decoder == known.back()) lattice = k;
    }
    if (lattice < 0 && place(kTaggers, decoder) < 0) {
      known.insert(known.end(), std::begin(kTaggers), std::end(kTaggers));
      one_of("decoder", decoder, known);
    }
    const std::vector<std::string> standards(std::begin(kStandards), std::end(kStandards));
    base_ = place(kStandards, standard) < 0 ? kStandards[0] : standard;
    if (network_file(decoder).empty()) one_of("standard", standard, standards);
    AtomSettings settings;
    std::string model;
    if (lattice >= 0) {
      open_lattice(standard, Decoder(lattice), decoder);
      model = words.file->container.digest;
    } else if (oov != "chars") {
      throw Refused(SEGMENTER_BAD_ARGUMENT,
                    "oov: '" + oov +
                        "' is for lattices, as a tagger leaves no characters unknown: "
                        "choose the decoder 'unigram' too");
    } else if (!network_file(decoder).empty()) {
      network.open(shelf, decoder, standard);
      take(network.model);
      settings = network.atoms;
      model = network.digest;
    } else {
      tagger.open(shelf, model_file(standard, decoder));
      take(tagger.model);
      model = tagger.words.file->container.digest;
    }
    model.resize(32);
    if (oov == "hmm" || oov == "tagger") {
      guesser.open(shelf, model_file(standard, oov == "hmm" ? "hmm" : "perceptron"));
      plan.guesser = &guesser.model;
      model += "+" + guesser.words.file->container.digest.substr(0, 32);
    }
    plan.keep_unknown = oov == "keep";
    skip(or_else(options.skip, ""));
    take_user(options);
    if (options.atoms) asked([&] { settings.parse(options.atoms); });
    std::memcpy(atoms.how, settings.how, sizeof atoms.how);
    atoms.prepare();
    search.whole = !user || !user->cut_runs(*plan.lex);
    for (const AtomName rule : {kAtomVersion, kAtomCode, kAtomQuantity})
      search.whole &= settings.how[rule] != kAtomSplit;  // v2, iOS17, 5kg
    if (options.search) set_search(options.search);
    if (atoms.any) {
      plan.atoms = &atoms;
      if (decoder == "unigram" && MarkedMap::can_mark(*plan.lex, atoms)) {
        marked = std::make_unique<MarkedMap>(*plan.lex, atoms);
        plan.marked = marked.get();
      }
    }
    const bool folds = shelf.variants && plan.lex->numbers;
    fingerprint = segmenter::fingerprint(model, decoder, oov, plan.skip, folds,
                                         user ? user->digest : "", settings.changed());
  }

 private:
  std::string base_;
  mutable Mutex mutex_;
  mutable std::unique_ptr<const OpenWords> beside_;
  mutable std::unique_ptr<const Spelling> spelling_;
  mutable std::unique_ptr<const Plan> inside_;
  mutable UserDictionary inside_user_;
  mutable std::unique_ptr<const OpenPos> pos_;

  // The standard's lexicon: that of the lattice, or the one beside a tagger, which is opened when it is
  // first asked for.
  const OpenWords& lexicon() const {
    if (words.file) return words;
    if (!beside_) {
      auto found = std::make_unique<OpenWords>();
      found->open(shelf.open(base_ + ".lex", "lexicon"), shelf.variants,
                  "sections of a lexicon do not fit together");
      beside_ = std::move(found);
    }
    return *beside_;
  }
  // "min_length=3,ngrams=2,runs=split,single"
  void set_search(const std::string& text) {
    const auto refuse = [](const std::string& why) {
      throw Refused(SEGMENTER_BAD_ARGUMENT, "search: " + why);
    };
    for (size_t at = 0; at < text.size();) {
      const size_t comma = std::min(text.find(',', at), text.size());
      const std::string part = text.substr(at, comma - at);
      at = comma + 1;
      const size_t equals = std::min(part.find('='), part.size());
      const std::string name = part.substr(0, equals),
                        value = part.substr(std::min(equals + 1, part.size()));
      const bool whole_number =
          !value.empty() && value.size() < 5 && value.find_first_not_of("0123456789") == value.npos;
      if (part == "single") search.single = true;
      else if (part == "runs=split") search.split = true;
      else if (part == "runs=whole") search.split = false;
      else if (name != "min_length" && name != "ngrams")
        refuse("'" + part + "' is none of min_length=N, ngrams=N, runs=split, single");
      else if (!whole_number || std::stoi(value) < 2)
        refuse(name + "='" + value + "' is not a number from 2 to 9999");
      else (name == "ngrams" ? search.ngrams : search.min_length) = uint32_t(std::stoi(value));
    }
  }

  static std::string or_else(const char* given, const char* otherwise) {
    return given ? given : otherwise;
  }
  template <size_t n>
  static int place(const char* const (&names)[n], const std::string& name) {
    for (size_t i = 0; i < n; ++i)
      if (name == names[i]) return int(i);
    return -1;
  }
  static void one_of(const char* option, const std::string& value,
                     const std::vector<std::string>& known) {
    std::string list;
    for (const std::string& name : known) {
      if (name == value) return;
      list += (list.empty() ? "" : ", ") + name;
    }
    throw Refused(SEGMENTER_BAD_ARGUMENT,
                  std::string(option) + ": '" + value + "' is not one of " + list);
  }
  static const char* tagger_of(const std::string& preset) {
    std::vector<std::string> names;
    for (const Preset& p : kPresets) {
      if (preset == p.name) return p.tagger;
      names.push_back(p.name);
    }
    one_of("preset", preset, names);
    return nullptr;
  }
  static std::string model_file(const std::string& standard, const std::string& of) {
    const bool known = place(kStandards, standard) >= 0;
    for (const LinearModel& m : kLinearModels)
      if (of == m.tagger)
        return (known ? standard : kStandards[0]) + ("-" + std::string(m.file)) + ".model";
    throw std::logic_error("no linear model " + of);
  }
  template <class Ask>
  static void asked(Ask&& ask) {
    try {
      ask();
    } catch (const std::invalid_argument& e) { throw Refused(SEGMENTER_BAD_ARGUMENT, e.what()); }
  }

  void take(const TaggerModel& model) {
    plan.tagger = &model;
    plan.lex = model.lex;
    ngrams.n_words = plan.lex->n_words;
    plan.model = &ngrams;
  }
  void open_lattice(const std::string& standard, Decoder lattice, const std::string& decoder) {
    words.open(shelf.open(standard + ".lex", "lexicon"), shelf.variants,
               "sections of a lexicon do not fit together");
    if (words.file->sections.of<uint8_t>("words.tags").n != std::ptrdiff_t(words.lex.n_words))
      words.file->refuse("its tags and its words differ in number");
    plan.lex = &words.lex;
    plan.decoder = lattice;
    ngrams.n_words = words.lex.n_words;
    plan.model = &ngrams;
    if (!needs_ngrams(lattice)) return;
    if (!words.file->sections.has("ngram.params"))
      throw Refused(SEGMENTER_BAD_ARGUMENT, "decoder: '" + decoder + "' needs n-gram counts and " +
                                                words.file->name + " has none: choose 'unigram'");
    words.file->sections.misfit = "the sections of the n-gram model do not fit the lexicon";
    words.file->checked(
        [&] { open_ngrams(words.file->sections, words.lex.n_words, ngrams, seen); });
    if (decoder == "bigram") {
      bounds = std::make_unique<GainBounds>(words.lex, ngrams);
      bounds->attach(ngrams);
    }
  }
  void take_user(const segmenter_options& options) {
    if (!options.user && !options.user_file && !options.user_size) return;
    user = std::make_unique<UserWords>(options);
    if (user->digest.empty()) return;
    if (plan.tagger) user->words.gain = score_unit(*plan.tagger);
    else user->words.log_mass = log_mass(words);
    plan.user = &user->words;
  }
  // The logarithm of the sum of a lexicon's counts, in units of costs.
  static int32_t log_mass(const OpenWords& of) {
    return int32_t(
        std::nearbyint(std::log(of.file->number(of.file->meta, "mass", 1e300)) * kUnitsPerNat));
  }
  void skip(const std::string& names) {
    for (size_t at = 0; at < names.size();) {
      const size_t comma = std::min(names.find(',', at), names.size());
      const std::string name = names.substr(at, comma - at);
      const int bit = place(kSkips, name);
      if (bit < 0)
        one_of("skip", name, std::vector<std::string>(std::begin(kSkips), std::end(kSkips)));
      plan.skip |= 1u << bit;
      at = comma + 1;
    }
  }
};

}  // namespace segmenter
