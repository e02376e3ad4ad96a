// Segments a text: with a preset through segmenter.h, or by a callback of a program in another
// language.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../segmenter.h"
#include "search/terms.hpp"
#include "files/quoted.hpp"
#include "threads.hpp"

// The segmenter of a program in another language, such as our adapter in Python, which fills
// tables. Functions return 0, or -1 after segmenter_fts5_fail().
extern "C" struct segmenter_fts5_words {
  const char* fingerprint;  // of the segmenter and its options
  uint32_t rules;           // of segmenter::Rule
  void* context;
  // The exclusive ends of the words that tile a text, in code points, with segmenter::kLeftOut for
  // a word that is left out.
  int (*ends)(void* context, const char* utf8, size_t size, const uint32_t** ends, size_t* count);
  // The text folded for look-ups, one code point per code point.
  int (*readings)(void* context, const char* utf8, size_t size, const uint32_t** points);
  // Gets the message of an error that SQLite would hide; or null.
  void (*failed)(void* context, const char* why);
};

namespace segmenter::fts5 {

using std::string;
using std::string_view;

// Marks of a token: the unit ends its word, or does not; a common character does both in one text.
constexpr char kEnds = '.', kGoesOn = '-', kBoth = '~';
// Control characters of a query of segmenter_query(): before it, between units, between readings.
constexpr char kMarked = 1, kNext = 2, kOr = 3;
constexpr string_view kSyntax = "\1\2\3";
// A part of a query with at most this many units is searched for as one word.
constexpr size_t kOneWord = 3;
constexpr const char* kForm = " fts5=3";  // of the tokens in a table
constexpr const char* kFingerprintTable = "segmenter_tokenizers";

struct Failure : std::runtime_error {
  using runtime_error::runtime_error;
};

class Cutter {
 public:
  string fingerprint;
  uint32_t rules = kDrop | kScript;
  virtual ~Cutter() = default;
  virtual void ends(string_view text, const uint32_t** ends, size_t* count) = 0;
  virtual const uint32_t* readings(string_view text) = 0;
  virtual void failed(const char*) const {}
};

struct Options {
  string preset, standard, decoder, oov, user;
  bool variants = true, script = true, split = false, any = false, phrase = false;

  void set(const string& name, const string& value) {
    auto choice = [&](const char* no, const char* yes) {
      if (value != no && value != yes)
        throw Failure(name + ": " + quoted(value) + " is neither " + no + " nor " + yes);
      return value == yes;
    };
    if (name == "preset") preset = value;
    else if (name == "standard") standard = value;
    else if (name == "decoder") decoder = value;
    else if (name == "oov") oov = value;
    else if (name == "user") user = value;
    else if (name == "variants") variants = choice("off", "on");
    else if (name == "script") script = choice("off", "on");
    else if (name == "runs") split = choice("whole", "split");
    else
      throw Failure(quoted(name) +
                    " is not an option; there are preset, standard, decoder, oov, user, " +
                    "variants, script, runs, each with a value");
  }
  // Distinguishes options: each value follows its length.
  string key() const {
    string key;
    for (const bool flag : {variants, script, split}) key += flag ? '1' : '0';
    for (const string* value : {&preset, &standard, &decoder, &oov, &user})
      key += std::to_string(value->size()) + ':' + *value;
    return key;
  }
};

// Parses alternating names and values; in a query also "any" and "phrase".
inline Options parse(const std::vector<string>& words, bool query) {
  Options options;
  string name;
  for (const string& word : words) {
    if (!name.empty()) {
      options.set(name, word);
      name.clear();
    } else if (query && word == "any") options.any = true;
    else if (query && word == "phrase") options.phrase = true;
    else name = word;
  }
  if (!name.empty()) throw Failure("option " + quoted(name) + " has no value");
  return options;
}
// The same for a text; quotation marks enclose values with blanks: user 'my words.tsv'.
inline Options parse(string_view text, bool query) {
  constexpr const char* kBlanks = " \t\r\n";
  std::vector<string> words;
  for (size_t start = 0; (start = text.find_first_not_of(kBlanks, start)) != string_view::npos;) {
    const char mark = text[start];
    const bool quoted = mark == '\'' || mark == '"';
    start += quoted;
    const size_t end =
        std::min(quoted ? text.find(mark, start) : text.find_first_of(kBlanks, start), text.size());
    words.emplace_back(text.substr(start, end - start));
    start = std::min(end + quoted, text.size());
  }
  return parse(words, query);
}

// A preset through segmenter.h, opened once; each connection has a worker.
class PresetCutter : public Cutter {
 public:
  PresetCutter(const Options& options, const string& folder) : engine_(opened(options, folder)) {
    rules = kDrop | (options.script ? kScript : 0u) | (options.split ? kSplit : 0u) |
            (segmenter_cuts_runs(engine_.get()) ? kAlone : 0u);
    fingerprint = string(segmenter_fingerprint(engine_.get())) + form_of(rules) + kForm;
    segmenter_worker* worker = nullptr;
    if (segmenter_worker_new(engine_.get(), &worker)) throw std::bad_alloc();
    worker_.reset(worker);
  }
  void ends(string_view text, const uint32_t** ends, size_t* count) override {
    check(
        segmenter_cut(worker_.get(), text.data(), text.size(), SEGMENTER_CODE_POINTS, ends, count));
  }
  void tokens(string_view text, const segmenter_token** tokens, size_t* count) {
    check(segmenter_tokenize(worker_.get(), text.data(), text.size(), SEGMENTER_WORDS,
                             SEGMENTER_CODE_POINTS, tokens, count));
  }
  const uint32_t* readings(string_view text) override {
    const uint32_t* points;
    size_t count;
    check(segmenter_fold(worker_.get(), text.data(), text.size(), &points, &count));
    return points;
  }

 private:
  using Engine = std::shared_ptr<const segmenter_engine>;
  struct Free {
    void operator()(segmenter_worker* worker) const { segmenter_worker_free(worker); }
  };
  const Engine engine_;
  std::unique_ptr<segmenter_worker, Free> worker_;

  void check(int status) {
    if (status) throw Failure(segmenter_error(worker_.get()));
  }
  static Engine opened(const Options& options, const string& folder) {
    static Mutex mutex;
    static std::map<string, std::weak_ptr<const segmenter_engine>> engines;
    const std::lock_guard<Mutex> lock(mutex);
    const string key = options.key() + folder;
    const auto entry = engines.find(key);
    Engine engine = entry == engines.end() ? nullptr : entry->second.lock();
    if (engine && options.user.empty()) return engine;  // the file of user words may have changed
    segmenter_options arguments = {};
    auto or_null = [](const string& value) { return value.empty() ? nullptr : value.c_str(); };
    arguments.struct_size = sizeof arguments;
    arguments.folder = folder.c_str();
    arguments.preset = or_null(options.preset);
    arguments.standard = or_null(options.standard);
    arguments.decoder = or_null(options.decoder);
    arguments.oov = or_null(options.oov);
    arguments.user_file = or_null(options.user);
    arguments.no_variants = !options.variants;
    segmenter_engine* handle = nullptr;
    char why[1024] = "";
    if (segmenter_open(&arguments, &handle, why, sizeof why)) throw Failure(why);
    engine = Engine(handle, [](const segmenter_engine* e) {
      segmenter_free(const_cast<segmenter_engine*>(e));
    });
    for (auto it = engines.begin(); it != engines.end();)
      it = it->second.expired() ? engines.erase(it) : std::next(it);
    engines[key] = engine;
    return engine;
  }
};

inline thread_local string failure;  // the message of segmenter_fts5_fail()

class CallbackCutter : public Cutter {
 public:
  explicit CallbackCutter(const segmenter_fts5_words& words) : words_(words) {
    fingerprint = string(words.fingerprint) + kForm;
    rules = words.rules;
  }
  void ends(string_view text, const uint32_t** ends, size_t* count) override {
    check(words_.ends(words_.context, text.data(), text.size(), ends, count));
  }
  const uint32_t* readings(string_view text) override {
    const uint32_t* points = nullptr;
    check(words_.readings(words_.context, text.data(), text.size(), &points));
    return points;
  }
  void failed(const char* why) const override {
    if (words_.failed) words_.failed(words_.context, why);
  }

 private:
  const segmenter_fts5_words words_;
  static void check(int code) {
    if (code) throw Failure(failure);
  }
};

inline Mutex offered_mutex;
inline std::map<int64_t, segmenter_fts5_words> offered;

}  // namespace segmenter::fts5
