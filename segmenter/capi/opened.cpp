// The implementation of opened.hpp: the shelf of files for open() of the kernels, which does
// everything else (kernels/open/).
#include "capi/opened.hpp"

#include <map>

#include "capi/compiled.hpp"
#include "capi/words.hpp"
#include "characters.hpp"
#include "fingerprint.hpp"
#include "lattice/bounds.hpp"
#include "lexicon/words.hpp"
#include "open/metadata.hpp"
#include "opening.hpp"

namespace segmenter {

// Finds compiled files in a folder or in the caller's memory, and opens them.
class Files {
 public:
  const VariantTable* const variants;  // the variants that lexicons fold; null: none

  Files(const segmenter_options& options)
      : variants(options.no_variants ? nullptr : &variant_table()), verify_(!options.trust_files) {
    if (options.folder) folder_ = options.folder;
    if (!options.files && folder_.empty())
      throw Refused(Refused::kArgument, "folder",
                    "there is no default: name the folder that holds the compiled files, "
                    "such as that of `python -m segmenter.capi --models`");
    if (options.n_files && !options.files)
      throw Refused(Refused::kArgument, "files", "a null pointer, but n_files is not 0");
    for (size_t i = 0; i < options.n_files; ++i)
      if (options.files[i].name) files_.emplace(options.files[i].name, options.files[i]);
  }
  // `kind`: the expected kind; null: any.
  std::unique_ptr<CompiledFile> open(const std::string& name, const char* kind) const {
    auto file = std::make_unique<CompiledFile>();
    const auto entry = files_.find(name);
    if (entry != files_.end()) {
      const segmenter_file& memory = entry->second;
      if (!memory.data || reinterpret_cast<uintptr_t>(memory.data) % 8)
        throw Refused(Refused::kArgument, "files",
                      "the data of " + shortened(name) + " do not begin at a multiple of 8 bytes");
      file->open(static_cast<const uint8_t*>(memory.data), memory.size, name, kind, verify_);
      return file;
    }
    if (folder_.empty())
      throw Refused(Refused::kNoFile, "files", shortened(name) + " is needed and not among them");
    const char last = folder_.back();
    const std::string path = folder_ + (last == '/' || last == '\\' ? "" : "/") + name;
    std::string fault;
    if (!file->map(path, fault))
      throw Refused(Refused::kNoFile, shortened(path) + ": " + fault +
                                          "; install the compiled files of this version, or name "
                                          "the folder that holds them");
    file->open(file->mapped().data(), file->mapped().size(), path, kind, verify_);
    return file;
  }

 private:
  std::string folder_;
  bool verify_;
  std::map<std::string, segmenter_file> files_;  // by name: some are opened on first use
};

// The words of a file: of a lexicon or of a tagger.
struct OpenWords {
  std::unique_ptr<CompiledFile> file;
  Lexicon lex;
  std::unique_ptr<Variants> variants;
  uint32_t max_cost = 0;

  // `to_fold`: the variants that look-ups fold; null: none.
  void open(std::unique_ptr<CompiledFile> source, const VariantTable* to_fold, const char* misfit) {
    file = std::move(source);
    if (file->sections.has("marisa.trie"))
      file->refuse("its words are in a trie of marisa, which this library does not read");
    file->sections.misfit = misfit;
    file->checked([&] { open_lexicon(file->sections, to_fold, false, lex, variants, max_cost); });
  }
};

// The words of a lattice, and its n-gram model.
struct OpenLexicon {
  OpenWords words;
  NgramModel ngrams;
  std::unique_ptr<SeenKeys> seen;
  std::unique_ptr<GainBounds> bounds;

  void open(const Files& files, const FileRequest& request) {
    words.open(files.open(request.file, "lexicon"), files.variants,
               "sections of a lexicon do not fit together");
    CompiledFile& file = *words.file;
    if (file.sections.of<uint8_t>("words.tags").n != std::ptrdiff_t(words.lex.n_words))
      file.refuse("its tags and its words differ in number");
    if (!request.ngrams || !file.sections.has("ngram.params")) return;
    file.sections.misfit = "the sections of the n-gram model do not fit the lexicon";
    file.checked([&] { open_ngrams(file.sections, words.lex.n_words, ngrams, seen); });
    if (request.bounds) {
      bounds = std::make_unique<GainBounds>(words.lex, ngrams);
      bounds->attach(ngrams);
    }
  }
  // The sum of its counts in the metadata, which only user words need.
  double mass() const {
    const CompiledFile& file = *words.file;
    double mass = 0;
    file.checked(
        [&] { mass = read_lexicon(file.meta, file.sections.of<uint8_t>("words.tags")).mass; });
    return mass;
  }
};

struct OpenTagger {
  OpenWords words;
  TaggerModel model;

  void open(const Files& files, const std::string& name) {
    words.open(files.open(name, "tagger"), files.variants,
               "the sections of the tagger do not fit together");
    words.file->checked(
        [&] { open_tagger(words.file->sections, words.lex, words.max_cost, model); });
  }
};

struct OpenNetwork {
  std::unique_ptr<CompiledFile> file;
  NetworkMeta meta;
  OpenTagger linear;
  bilstm::Model weights;
  encoder::Model encoder;  // one of the two is opened
  TaggerModel model;
  std::string digest;

  void open(const Files& files, const std::string& source, const std::string& standard) {
    file = files.open(source, nullptr);
    file->checked(
        [&] { meta = read_network(file->meta_text, file->container.kind, file->name, standard); });
    linear.open(files, meta.linear);
    if (linear.words.file->container.digest != meta.linear_digest)
      file->refuse("it was made for another " + shortened(meta.linear) + " than the one beside it");
    weights.instructions = bilstm::instruction_sets().back();
    encoder.instructions = encoder::instruction_sets().back();
    file->sections.misfit = kNetworkMisfit;
    file->checked([&] {
      if (meta.encoder) open_encoder(file->sections, meta.settings, linear.model, encoder, model);
      else open_network(file->sections, meta.settings, linear.model, weights, model);
    });
    digest = sha256(meta.standard + " " + file->container.digest);
  }
};

// Opens the files that open() of the kernels requests.
class FileShelf : public Shelf {
 public:
  explicit FileShelf(const Files& files) : files_(files) {}

  std::string kind(const std::string& name) override {
    if (name.empty() || name.find_first_of("/\\") != name.npos) return "";  // not a path
    try {
      return files_.open(name, nullptr)->container.kind;
    } catch (const Refused& refused) {
      if (refused.code == Refused::kNoFile) return "";
      throw;
    }
  }
  OpenedFile open(const FileRequest& request) override {
    OpenedFile opened;
    if (request.kind == FileRequest::kLexicon) {
      const auto lexicon = std::make_shared<OpenLexicon>();
      lexicon->open(files_, request);
      opened.lex = &lexicon->words.lex;
      if (lexicon->ngrams.ready()) opened.ngrams = &lexicon->ngrams;
      if (request.mass) opened.mass = lexicon->mass();
      set_file(opened, lexicon->words.file, lexicon);
    } else if (request.kind == FileRequest::kNetwork || request.kind == FileRequest::kBeside) {
      const auto network = std::make_shared<OpenNetwork>();
      network->open(files_, request.file, request.standard);
      opened.tagger = &network->model;
      opened.atoms = network->meta.atoms;
      set_file(opened, network->file, network);
      opened.digest = network->digest;
    } else if (request.kind == FileRequest::kSubwords) {
      throw Refused(Refused::kArgument, "oov",
                    quoted(request.file) +
                        " needs a model of pieces, which this library does not "
                        "read: choose chars, keep, hmm or tagger");
    } else {
      const auto tagger = std::make_shared<OpenTagger>();
      tagger->open(files_, request.file);
      opened.tagger = &tagger->model;
      set_file(opened, tagger->words.file, tagger);
    }
    return opened;
  }

 private:
  const Files& files_;

  static void set_file(OpenedFile& opened, const std::unique_ptr<CompiledFile>& file,
                       std::shared_ptr<const void> owner) {
    opened.name = file->name;
    opened.digest = file->container.digest;
    opened.owner = std::move(owner);
  }
};

OpenPos::OpenPos(std::unique_ptr<CompiledFile> source, size_t limit)
    : words_(new OpenWords()), limit_(limit) {
  words_->open(std::move(source), &variant_table(),
               "sections of a part-of-speech tagger do not fit together");
  CompiledFile& file = *words_->file;
  file.checked([&] {
    open_pos(file.sections, file.meta, words_->lex, model_, names_);
    cache_ = empty_cache();
  });
}
OpenPos::~OpenPos() = default;

std::shared_ptr<PosKnown> OpenPos::empty_cache() const {
  auto cache = std::make_shared<PosKnown>();
  cache->begin(model_, words_->lex.trie.n_units);
  return cache;
}

Library::Library(const segmenter_options& options)
    : word_memory(options.word_memory), files_(new Files(options)) {
  const auto assign = [](auto& option, const char* value) {
    if (value) option = value;
  };
  assign(options_.name, options.preset);
  assign(options_.standard, options.standard);
  assign(options_.decoder, options.decoder);
  assign(options_.oov, options.oov);
  if (options.skip) options_.skip = split_names(options.skip);
  if (options.atoms) options_.atoms_text = options.atoms;
  if (options.user || options.user_file || options.user_size) {
    user_ = std::make_unique<const UserWords>(options);
    if (!user_->digest.empty()) options_.user = &user_->words;
    options_.user_digest = user_->digest;
  }
  FileShelf shelf(*files_);
  Answer answer = open(options_, shelf);
  if (answer.code) {
    const std::string& argument = answer.argument;
    if (argument == kOptionTable[kOptionName].name)
      throw Refused(answer.code, "preset", answer.sentence.substr(argument.size() + 2));
    throw Refused(answer.code, answer.sentence);
  }
  opened = std::move(answer.opened);
  search.whole = !cuts_runs(*opened);
  if (options.search) set_search(options.search);
}
Library::~Library() = default;

bool Library::folds_variants() const { return files_->variants; }
const std::string& Library::user_tag(uint32_t id) const { return user_->tag(id); }

const Library::Spelling& Library::spelling() const {
  const std::lock_guard<Mutex> lock(mutex_);
  if (!spelling_) {
    const Lexicon& lex = *lattice().plan.lex;
    spelling_ = std::make_unique<const Spelling>(Spelling{&lex, letters(lex)});
  }
  return *spelling_;
}
const Plan& Library::inner_plan() const {
  const std::lock_guard<Mutex> lock(mutex_);
  return lattice().plan;
}
const OpenPos& Library::pos() const {
  const std::lock_guard<Mutex> lock(mutex_);
  if (!pos_) pos_ = std::make_unique<const OpenPos>(files_->open(kPosFile, "pos"), word_memory);
  return *pos_;
}

const Opened& Library::lattice() const {
  if (!opened->plan.tagger) return *opened;
  if (!lattice_) {
    Description options = options_;
    options.name.reset();
    options.decoder = "unigram";
    options.oov.reset();
    options.skip.reset();
    options.standard = opened->lexicon_file.substr(0, opened->lexicon_file.find('.'));
    FileShelf shelf(*files_);
    Answer answer = open(options, shelf);
    if (answer.code) throw Refused(answer.code, answer.sentence);
    lattice_ = std::move(answer.opened);
  }
  return *lattice_;
}

void Library::set_search(const std::string& text) {
  const auto refuse = [](const std::string& why) {
    throw Refused(Refused::kArgument, "search", why);
  };
  for (const std::string& item : split_names(text)) {
    const size_t equals = std::min(item.find('='), item.size());
    const std::string name = item.substr(0, equals),
                      value = item.substr(std::min(equals + 1, item.size()));
    const bool is_number =
        !value.empty() && value.size() < 5 && value.find_first_not_of("0123456789") == value.npos;
    if (item == "single") search.single = true;
    else if (item == "runs=split") search.split = true;
    else if (item == "runs=whole") search.split = false;
    else if (name != "min_length" && name != "ngrams")
      refuse(quoted(item) + " is none of min_length=N, ngrams=N, runs=split, single");
    else if (!is_number || std::stoi(value) < 2)
      refuse(name + "=" + quoted(value) + " is not a number from 2 to 9999");
    else (name == "ngrams" ? search.ngrams : search.min_length) = uint32_t(std::stoi(value));
  }
}

}  // namespace segmenter
