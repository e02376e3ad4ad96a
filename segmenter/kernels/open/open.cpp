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

std::shared_ptr<const MarkedMap> MarkedMaps::of(const Lexicon& lex, const AtomRules& rules) {
  const std::lock_guard<Mutex> lock(mutex_);
  if (!last_ || std::memcmp(settings_.how, rules.how, sizeof settings_.how)) {
    last_ = std::make_shared<const MarkedMap>(lex, rules);
    std::memcpy(settings_.how, rules.how, sizeof settings_.how);
  }
  return last_;
}

namespace {

const char* name_of(OptionNumber option) { return kOptionTable[option].name; }

[[noreturn]] void refuse(OptionNumber option, const std::string& why) {
  throw Refused(Refused::kArgument, name_of(option), why);
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check(OptionNumber option, const std::string& value, const std::vector<std::string>& known) {
  if (!has(known, value)) refuse(option, quoted(value) + " is not one of " + listed(known));
}

// The value of an option: one of the allowed ones, or "" where none is given and there is no default.
std::string chosen(OptionNumber option, const std::optional<std::string>& given) {
  const std::string value = given.value_or(default_of(option));
  if (given || !value.empty()) check(option, value, values_of(option));
  return value;
}

bool needs_ngrams(const std::string& decoder) {
  for (int number = 0; decoder_name(number); ++number)
    if (decoder == decoder_name(number)) return needs_ngrams(Decoder(number));
  return false;
}

// Opens a segmenter step by step: the names of options, what decodes, what helps it, the rest.
class Opening {
 public:
  Opening(const Asked& asked, Shelf& shelf, Opened& to) : asked_(asked), shelf_(shelf), to_(to) {}

  void run() {
    names();
    if (asked_.own_models) own_models();
    else if (has(values_of(kOptionName), to_.name)) preset();
    else file();
    helpers();
    user();
    atoms();
    identity();
  }

 private:
  const Asked& asked_;
  Shelf& shelf_;
  Opened& to_;
  const Oov* oov_ = nullptr;
  std::string shipped_;  // the standard of the shipped files beside what decodes

  void names() {
    to_.decoder = chosen(kOptionDecoder, asked_.decoder);
    to_.oov = chosen(kOptionOov, asked_.oov);
    oov_ = std::find_if(std::begin(kOovs), std::end(kOovs),
                        [&](const Oov& oov) { return to_.oov == oov.name; });
    to_.matcher =
        asked_.own_matcher ? asked_.matcher.value_or("") : chosen(kOptionMatcher, asked_.matcher);
    for (const std::string& kind : asked_.skip.value_or(split_names(default_of(kOptionSkip)))) {
      check(kOptionSkip, kind, values_of(kOptionSkip));
      for (uint32_t bit = 0; bit < std::size(kSkips); ++bit)
        if (kind == kSkips[bit]) to_.skip |= 1u << bit;
    }
    to_.name = asked_.own_models ? "" : asked_.name.value_or(default_of(kOptionName));
    to_.standard = asked_.standard.value_or(default_of(kOptionStandard));
    // other standards are those of one file, whose tags and lattice are the general ones
    shipped_ = has(values_of(kOptionStandard), to_.standard) ? to_.standard : kStandards[0].name;
    to_.lexicon_file = shipped_file(kLexiconFile, shipped_);
  }

  void preset() {
    for (const Preset& preset : kPresets)
      if (to_.decoder.empty() && to_.name == preset.name) to_.decoder = preset.decoder;
    const TaggerFile* const tagger = tagger_file(to_.decoder);
    if (!tagger || tagger->of_each_standard()) {
      if (has(more_standards(), to_.standard))
        refuse(kOptionStandard,
               quoted(to_.standard) + " is one of the presets accurate and best; " +
                   quoted(to_.name) + " knows " + listed(values_of(kOptionStandard)));
      check(kOptionStandard, to_.standard, values_of(kOptionStandard));
    }
    if (!tagger) take_lexicon(to_.lexicon_file);
    else if (tagger->of_each_standard()) take_tagger(Wanted::kTagger, linear_file(*tagger));
    else take_tagger(Wanted::kNetwork, tagger->file);
    if (tagger && tagger->beside) put_beside(tagger->beside);
  }

  void file() {
    const std::string kind = shelf_.kind(to_.name);
    if (kind.empty())
      refuse(kOptionName, quoted(to_.name) + " is neither a preset (" +
                              listed(values_of(kOptionName)) + ") nor a file");
    const std::string asked = to_.decoder;
    if (kind == "tagger" || tagger_file(kind)) {
      take_tagger(kind == "tagger" ? Wanted::kTagger : Wanted::kNetwork, to_.name, true);
      if (kind == "tagger") {
        std::vector<std::string> known = values_of(kOptionStandard);
        const std::string& own = to_.part.standard;
        if (!own.empty() && !has(known, own)) known.push_back(own);
        check(kOptionStandard, to_.standard, known);
      }
      to_.decoder = kind != "tagger" ? kind : to_.part.decoder.empty() ? "crf" : to_.part.decoder;
      if (!asked.empty() && asked != to_.decoder)
        refuse(kOptionDecoder, shown(to_.name) + " is a " + to_.decoder + " tagger, not " +
                                   quoted(asked) + ": leave decoder out");
    } else {
      if (tagger_file(asked))
        refuse(kOptionDecoder, shown(to_.name) + " is a lexicon, and " + quoted(asked) +
                                   " needs a tagger: choose a lattice, such as decoder='unigram'");
      take_lexicon(to_.name);
      to_.lexicon_file = to_.name;
    }
  }

  void own_models() {
    if (to_.decoder.empty()) to_.decoder = "unigram";
    if (tagger_file(to_.decoder)) take_tagger(Wanted::kTagger, to_.decoder);
    else take_lexicon("");
  }

  void take_lexicon(const std::string& file) {
    if (to_.decoder.empty()) to_.decoder = "unigram";
    Wanted wanted{Wanted::kLexicon, file, ""};
    wanted.ngrams = needs_ngrams(to_.decoder);
    wanted.bounds = to_.decoder == "bigram";
    wanted.mass = asked_.user != nullptr;
    to_.part = shelf_.open(wanted);
    const Part& part = to_.part;
    if (wanted.ngrams && !part.ngrams)
      refuse(kOptionDecoder, quoted(to_.decoder) + " needs n-gram counts and " + part.name +
                                 " has none: build it with --bigrams, or choose decoder='unigram'");
    to_.plan.lex = part.lex;
    for (int number = 0; decoder_name(number); ++number)
      if (to_.decoder == decoder_name(number)) to_.plan.decoder = Decoder(number);
    if (to_.matcher.empty()) to_.matcher = part.outside ? "marisa" : "double-array";
    to_.no_ngrams.n_words = part.lex->n_words;
    to_.plan.model = wanted.ngrams ? part.ngrams : &to_.no_ngrams;
  }

  void take_tagger(Wanted::Kind kind, const std::string& file, bool described = false) {
    const std::string by = to_.decoder.empty() ? "this file" : quoted(to_.decoder);
    if (!oov_->of_taggers)
      refuse(kOptionOov, quoted(to_.oov) +
                             " is for lattices, as a tagger leaves no characters unknown: choose "
                             "decoder='unigram' too");
    if (asked_.own_matcher || (!to_.matcher.empty() && to_.matcher != "double-array"))
      refuse(kOptionMatcher, quoted(to_.matcher) + " is for lattices, and " + by +
                                 " is a tagger: choose decoder='unigram' too");
    to_.matcher = "double-array";
    Wanted wanted{kind, file, to_.standard};
    wanted.described = described;
    to_.part = shelf_.open(wanted);
    to_.plan.tagger = to_.part.tagger;
    to_.plan.lex = to_.part.tagger->lex;
    to_.no_ngrams.n_words = to_.plan.lex->n_words;
    to_.plan.model = &to_.no_ngrams;
  }

  void put_beside(const char* file) {
    double share = 1;
    for (const Standard& standard : kStandards)
      if (to_.standard == standard.name) share = standard.share_of_best;
    if (share == 1) return;
    to_.beside = shelf_.open({Wanted::kBeside, file, to_.standard});
    to_.both = *to_.part.tagger;
    to_.both.put_beside(*to_.beside.tagger, share);
    to_.plan.tagger = &to_.both;
  }

  std::string linear_file(const TaggerFile& tagger) const {
    return shipped_file(tagger.file, shipped_);
  }

  // What cuts that which lexicon or tagger do not know.
  void helpers() {
    const std::string& oov = to_.oov;
    if (oov_->decoder) {
      const std::string file = asked_.own_models ? oov : linear_file(*tagger_file(oov_->decoder));
      to_.unknown_tagger = shelf_.open({Wanted::kUnknownTagger, file, ""});
      to_.plan.unknown_tagger = to_.unknown_tagger.tagger;
    } else if (oov_->subwords) {
      to_.subwords = shelf_.open({Wanted::kSubwords, oov, ""});
      to_.plan.subwords = to_.subwords.subwords;
    }
    to_.plan.keep_unknown = oov == "keep";
    to_.plan.skip = to_.skip;
  }

  void user() {
    if (!asked_.user) return;
    to_.user = *asked_.user;
    if (to_.plan.tagger) to_.user.gain = score_unit(*to_.plan.tagger);
    else to_.user.log_mass = int32_t(std::nearbyint(std::log(to_.part.mass) * kUnitsPerNat));
    to_.plan.user = &to_.user;
  }

  void atoms() {
    const auto set = [](const auto& settings, AtomSettings& to) {
      for (const auto& [rule, setting] : settings) to.set(rule, setting);
    };
    // other standards keep the way of their corpora
    if (to_.standard != kStandards[0].name)
      for (const int rule : {kAtomClock, kAtomFinancial, kAtomMeasure})
        to_.usual.how[rule] = kAtomModel;
    if (!asked_.own_models) set(to_.part.atoms, to_.usual);
    if (!asked_.all_atoms) to_.settings = to_.usual;
    try {
      set(asked_.atoms, to_.settings);
      if (!asked_.atoms_text.empty()) to_.settings.parse(asked_.atoms_text);
    } catch (const std::invalid_argument& e) {
      const std::string why = e.what();  // which begins with "atoms: "
      throw Refused(Refused::kArgument, "atoms", why.substr(why.find(' ') + 1));
    }
    std::memcpy(to_.atoms.how, to_.settings.how, sizeof to_.settings.how);
    to_.atoms.prepare();
    to_.plan.measures = to_.atoms.on(kAtomMeasure);
    if (asked_.patterns) to_.atoms.patterns = *asked_.patterns;
    if (!to_.atoms.any && !to_.atoms.patterns.any()) return;
    to_.plan.atoms = &to_.atoms;
    if (to_.plan.tagger)
      to_.plan.marks_atoms = to_.plan.lex->triggers && to_.atoms.within(to_.plan.lex->triggers);
    if (to_.plan.tagger || !MarkedMap::can_mark(*to_.plan.lex, to_.atoms)) return;
    to_.marked = to_.part.marks ? to_.part.marks->of(*to_.plan.lex, to_.atoms)
                                : std::make_shared<const MarkedMap>(*to_.plan.lex, to_.atoms);
    to_.plan.marked = to_.marked.get();
  }

  void identity() {
    for (const Part* part : {&to_.part, &to_.beside, &to_.unknown_tagger, &to_.subwords})
      if (!part->digest.empty())
        to_.models += (to_.models.empty() ? "" : "+") + part->digest.substr(0, 32);
    std::string changed = to_.settings.changed();
    if (!asked_.patterns_digest.empty())
      changed += (changed.empty() ? "patterns=" : ",patterns=") + asked_.patterns_digest;
    to_.fingerprint =
        segmenter::fingerprint(to_.models, to_.decoder, to_.oov, to_.skip,
                               to_.plan.lex->variants != nullptr, asked_.user_digest, changed);
  }
};

// Whether a word may begin or end inside a unit, or has parts that do.
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
    size_t at = 0;
    for (auto [cut, last] = layer.cuts(id); cut != last; ++cut) {
      while (at < *cut) at = units.end(at);
      if (at != *cut) return true;
    }
  }
  return false;
}

}  // namespace

bool cuts_runs(const Opened& opened) {
  const auto& layers = opened.user.layers;
  return opened.plan.subwords || opened.settings.cut_runs() ||
         std::any_of(layers.begin(), layers.end(),
                     [](const UserLayer& layer) { return cuts_runs(layer); });
}

Answer open(const Asked& asked, Shelf& shelf) {
  Answer answer;
  const auto made = std::make_shared<Opened>();
  try {
    Opening(asked, shelf, *made).run();
    answer.opened = made;
  } catch (const Refused& refused) {
    answer.code = refused.code;
    answer.argument = refused.argument;
    answer.sentence = refused.what();
  }
  return answer;
}

}  // namespace segmenter
