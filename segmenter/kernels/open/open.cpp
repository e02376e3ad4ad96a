// open(): the checks, and the choice of files.
#include "open/open.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "files/quoted.hpp"
#include "fingerprint.hpp"
#include "analysis.hpp"
#include "characters.hpp"
#include "lattice/decoder.hpp"
#include "search/units.hpp"
#include "user/columns.hpp"

namespace segmenter {

std::shared_ptr<const MarkedMap> MarkedMaps::get(const Lexicon& lex, const AtomRules& rules) {
  const std::lock_guard<Mutex> lock(mutex_);
  if (!map_ || std::memcmp(settings_.how, rules.how, sizeof settings_.how)) {
    map_ = std::make_shared<const MarkedMap>(lex, rules);
    std::memcpy(settings_.how, rules.how, sizeof settings_.how);
  }
  return map_;
}

namespace {

[[noreturn]] void refuse(OptionNumber option, const std::string& why) {
  throw Refused(Refused::kArgument, kOptionTable[option].name, why);
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check(OptionNumber option, const std::string& value, const std::vector<std::string>& allowed) {
  if (!contains(allowed, value)) refuse(option, quoted(value) + " is not one of " + join(allowed));
}

// The value of an option, checked; "" if it is not given and has no default.
std::string chosen(OptionNumber option, const std::optional<std::string>& value) {
  const std::string chosen = value.value_or(default_of(option));
  if (value || !chosen.empty()) check(option, chosen, values_of(option));
  return chosen;
}

// Opens a segmenter step by step: options, decoder, helpers, user words, atoms, identity.
class Opening {
 public:
  Opening(const Description& options, Shelf& shelf, Opened& opened)
      : options_(options), shelf_(shelf), opened_(opened) {}

  void run() {
    resolve_names();
    if (options_.own_models) open_own_models();
    else if (contains(values_of(kOptionName), opened_.name)) open_preset();
    else open_file();
    open_helpers();
    set_user();
    set_atoms();
    set_identity();
  }

 private:
  const Description& options_;
  Shelf& shelf_;
  Opened& opened_;
  const Oov* oov_ = nullptr;
  std::string shipped_;  // the standard of the other shipped files

  void resolve_names() {
    opened_.decoder = chosen(kOptionDecoder, options_.decoder);
    opened_.oov = chosen(kOptionOov, options_.oov);
    oov_ = std::find_if(std::begin(kOovs), std::end(kOovs),
                        [&](const Oov& oov) { return opened_.oov == oov.name; });
    opened_.matcher = options_.own_matcher ? options_.matcher.value_or("")
                                           : chosen(kOptionMatcher, options_.matcher);
    for (const std::string& kind : options_.skip.value_or(split_names(default_of(kOptionSkip)))) {
      check(kOptionSkip, kind, values_of(kOptionSkip));
      for (uint32_t bit = 0; bit < std::size(kSkips); ++bit)
        if (kind == kSkips[bit]) opened_.skip |= 1u << bit;
    }
    opened_.name = options_.own_models ? "" : options_.name.value_or(default_of(kOptionName));
    opened_.standard = options_.standard.value_or(default_of(kOptionStandard));
    // further standards exist in one file only and use the tags and the lattice of `general`
    shipped_ = contains(values_of(kOptionStandard), opened_.standard) ? opened_.standard
                                                                      : kStandards[0].name;
    opened_.lexicon_file = shipped_file(kLexiconFile, shipped_);
  }

  void open_preset() {
    for (const Preset& preset : kPresets)
      if (opened_.decoder.empty() && opened_.name == preset.name) opened_.decoder = preset.decoder;
    const TaggerFile* const tagger = tagger_file(opened_.decoder);
    if (!tagger || tagger->per_standard()) {
      if (contains(more_standards(), opened_.standard))
        refuse(kOptionStandard,
               quoted(opened_.standard) + " is a standard of the presets accurate and best only; " +
                   quoted(opened_.name) + " has " + join(values_of(kOptionStandard)));
      check(kOptionStandard, opened_.standard, values_of(kOptionStandard));
    }
    if (!tagger) use_lexicon(opened_.lexicon_file);
    else if (tagger->per_standard()) use_tagger(FileRequest::kTagger, linear_file(*tagger));
    else use_tagger(FileRequest::kNetwork, tagger->file);
    if (tagger && tagger->beside) open_beside(tagger->beside);
  }

  void open_file() {
    const std::string kind = shelf_.kind(opened_.name);
    if (kind.empty())
      refuse(kOptionName, quoted(opened_.name) + " is neither a preset (" +
                              join(values_of(kOptionName)) + ") nor a file");
    const std::string decoder = opened_.decoder;
    if (kind == "tagger" || tagger_file(kind)) {
      use_tagger(kind == "tagger" ? FileRequest::kTagger : FileRequest::kNetwork, opened_.name,
                 true);
      if (kind == "tagger") {
        std::vector<std::string> allowed = values_of(kOptionStandard);
        const std::string& standard = opened_.main.standard;
        if (!standard.empty() && !contains(allowed, standard)) allowed.push_back(standard);
        check(kOptionStandard, opened_.standard, allowed);
      }
      opened_.decoder = kind != "tagger"               ? kind
                        : opened_.main.decoder.empty() ? "crf"
                                                       : opened_.main.decoder;
      if (!decoder.empty() && decoder != opened_.decoder)
        refuse(kOptionDecoder, shortened(opened_.name) + " is a " + opened_.decoder +
                                   " tagger, not " + quoted(decoder) + ": leave decoder out");
    } else {
      if (tagger_file(decoder))
        refuse(kOptionDecoder, shortened(opened_.name) + " is a lexicon, and " + quoted(decoder) +
                                   " needs a tagger: choose a lattice, such as decoder='unigram'");
      use_lexicon(opened_.name);
      opened_.lexicon_file = opened_.name;
    }
  }

  void open_own_models() {
    if (opened_.decoder.empty()) opened_.decoder = "unigram";
    if (tagger_file(opened_.decoder)) use_tagger(FileRequest::kTagger, opened_.decoder);
    else use_lexicon("");
  }

  void use_lexicon(const std::string& file) {
    if (opened_.decoder.empty()) opened_.decoder = "unigram";
    FileRequest request{FileRequest::kLexicon, file, ""};
    for (int number = 0; decoder_name(number); ++number)
      if (opened_.decoder == decoder_name(number)) opened_.plan.decoder = Decoder(number);
    request.ngrams = needs_ngrams(opened_.plan.decoder);
    request.bounds = opened_.decoder == "bigram";
    request.mass = options_.user != nullptr;
    opened_.main = shelf_.open(request);
    const OpenedFile& lexicon = opened_.main;
    if (request.ngrams && !lexicon.ngrams)
      refuse(kOptionDecoder, quoted(opened_.decoder) + " needs n-gram counts and " + lexicon.name +
                                 " has none: build it with --bigrams, or choose decoder='unigram'");
    opened_.plan.lex = lexicon.lex;
    if (opened_.matcher.empty()) opened_.matcher = lexicon.outside ? "marisa" : "double-array";
    opened_.no_ngrams.n_words = lexicon.lex->n_words;
    opened_.plan.model = request.ngrams ? lexicon.ngrams : &opened_.no_ngrams;
  }

  void use_tagger(FileRequest::Kind kind, const std::string& file, bool described = false) {
    const std::string subject = opened_.decoder.empty() ? "this file" : quoted(opened_.decoder);
    if (!oov_->for_taggers)
      refuse(kOptionOov, quoted(opened_.oov) +
                             " is for lattices, as a tagger leaves no characters unknown: choose "
                             "decoder='unigram' too");
    if (options_.own_matcher || (!opened_.matcher.empty() && opened_.matcher != "double-array"))
      refuse(kOptionMatcher, quoted(opened_.matcher) + " is for lattices, and " + subject +
                                 " is a tagger: choose decoder='unigram' too");
    opened_.matcher = "double-array";
    FileRequest request{kind, file, opened_.standard};
    request.described = described;
    opened_.main = shelf_.open(request);
    opened_.plan.tagger = opened_.main.tagger;
    opened_.plan.lex = opened_.main.tagger->lex;
    opened_.no_ngrams.n_words = opened_.plan.lex->n_words;
    opened_.plan.model = &opened_.no_ngrams;
  }

  void open_beside(const char* file) {
    double share = 1;
    for (const Standard& standard : kStandards)
      if (opened_.standard == standard.name) share = standard.share_of_best;
    if (share == 1) return;
    opened_.beside = shelf_.open({FileRequest::kBeside, file, opened_.standard});
    opened_.mixture = *opened_.main.tagger;
    opened_.mixture.put_beside(*opened_.beside.tagger, share);
    opened_.plan.tagger = &opened_.mixture;
  }

  std::string linear_file(const TaggerFile& tagger) const {
    return shipped_file(tagger.file, shipped_);
  }

  // The models that cut unknown text.
  void open_helpers() {
    const std::string& oov = opened_.oov;
    if (oov_->decoder) {
      const std::string file = options_.own_models ? oov : linear_file(*tagger_file(oov_->decoder));
      opened_.unknown_tagger = shelf_.open({FileRequest::kUnknownTagger, file, ""});
      opened_.plan.unknown_tagger = opened_.unknown_tagger.tagger;
    } else if (oov_->subwords) {
      opened_.subwords = shelf_.open({FileRequest::kSubwords, oov, ""});
      opened_.plan.subwords = opened_.subwords.subwords;
    }
    opened_.plan.keep_unknown = oov == "keep";
    opened_.plan.skip = opened_.skip;
  }

  void set_user() {
    if (!options_.user) return;
    opened_.user = *options_.user;
    if (opened_.plan.tagger) opened_.user.gain = score_unit(*opened_.plan.tagger);
    else
      opened_.user.log_mass = int32_t(std::nearbyint(std::log(opened_.main.mass) * kUnitsPerNat));
    opened_.plan.user = &opened_.user;
  }

  void set_atoms() {
    const auto apply = [](const auto& settings, AtomSettings& target) {
      for (const auto& [rule, setting] : settings) target.set(rule, setting);
    };
    // the other standards follow their corpora
    if (opened_.standard != kStandards[0].name)
      for (const int rule : {kAtomClock, kAtomFinancial, kAtomMeasure})
        opened_.usual.how[rule] = kAtomModel;
    if (!options_.own_models) apply(opened_.main.atoms, opened_.usual);
    if (!options_.all_atoms) opened_.settings = opened_.usual;
    try {
      apply(options_.atoms, opened_.settings);
      if (!options_.atoms_text.empty()) opened_.settings.parse(options_.atoms_text);
    } catch (const std::invalid_argument& e) {
      const std::string fault = e.what();  // it begins with "atoms: "
      throw Refused(Refused::kArgument, "atoms", fault.substr(fault.find(' ') + 1));
    }
    std::memcpy(opened_.atoms.how, opened_.settings.how, sizeof opened_.settings.how);
    opened_.atoms.prepare();
    opened_.plan.measures = opened_.atoms.on(kAtomMeasure);
    if (options_.patterns) opened_.atoms.patterns = *options_.patterns;
    if (!opened_.atoms.any && !opened_.atoms.patterns.any()) return;
    opened_.plan.atoms = &opened_.atoms;
    if (opened_.plan.tagger)
      opened_.plan.marks_atoms =
          opened_.plan.lex->triggers && opened_.atoms.within(opened_.plan.lex->triggers);
    if (opened_.plan.tagger || !MarkedMap::can_mark(*opened_.plan.lex, opened_.atoms)) return;
    opened_.marked = opened_.main.marks
                         ? opened_.main.marks->get(*opened_.plan.lex, opened_.atoms)
                         : std::make_shared<const MarkedMap>(*opened_.plan.lex, opened_.atoms);
    opened_.plan.marked = opened_.marked.get();
  }

  void set_identity() {
    for (const OpenedFile* file :
         {&opened_.main, &opened_.beside, &opened_.unknown_tagger, &opened_.subwords})
      if (!file->digest.empty())
        opened_.models += (opened_.models.empty() ? "" : "+") + file->digest.substr(0, 32);
    std::string changes = opened_.settings.changed();
    if (!options_.patterns_digest.empty())
      changes += (changes.empty() ? "patterns=" : ",patterns=") + options_.patterns_digest;
    opened_.fingerprint = segmenter::fingerprint(
        opened_.models, opened_.decoder, opened_.oov, opened_.skip,
        opened_.plan.lex->variants != nullptr, options_.user_digest, changes);
  }
};

// Whether a word, or a part of one, may begin or end inside a unit.
bool cuts_runs(const UserLayer& layer) {
  std::vector<uint32_t> points;
  std::vector<uint8_t> classes;
  const auto in_run = [](uint8_t code) {
    return code == kDigit || code == kLatin || (code >= kBlank && code <= kCr) || code == kGreek ||
           code == kCyrillic || code == kLetter || code == kExtend;
  };
  for (uint32_t id = 0; id < layer.n; ++id) {
    const uint8_t flags = layer.flags[id];
    if (!(flags & (kUserInside | kUserParts)) || user_level(flags) == kNoEntry) continue;
    points.clear();
    classes.clear();
    for (uint32_t k = 0; k < layer.length(id); ++k) {
      points.push_back(layer.char_at(id, k));
      classes.push_back(class_of(points.back()));
    }
    if (flags & kUserInside && (in_run(classes.front()) || in_run(classes.back()))) return true;
    const UnitReader<std::vector<uint32_t>> units(points, classes.data(), points.size(), false);
    size_t end = 0;
    for (auto [cut, last] = layer.cuts(id); cut != last; ++cut) {
      while (end < *cut) end = units.end(end);
      if (end != *cut) return true;
    }
  }
  return false;
}

}  // namespace

Opened::Opened() = default;
Opened::~Opened() = default;

bool cuts_runs(const Opened& opened) {
  const auto& layers = opened.user.layers;
  return opened.plan.subwords || opened.settings.cut_runs() ||
         std::any_of(layers.begin(), layers.end(),
                     [](const UserLayer& layer) { return cuts_runs(layer); });
}

Answer open(const Description& options, Shelf& shelf) {
  Answer answer;
  const auto opened = std::make_shared<Opened>();
  try {
    Opening(options, shelf, *opened).run();
    answer.opened = opened;
  } catch (const Refused& refused) {
    answer.code = refused.code;
    answer.argument = refused.argument;
    answer.sentence = refused.what();
  }
  return answer;
}

}  // namespace segmenter
