// The implementation of the C interface, segmenter.h.
#include "capi/segmenter.h"

#include <climits>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "capi/opened.hpp"
#include "analysis.hpp"
#include "interrupt.hpp"
#include "kinds.hpp"
#include "lexicon/words.hpp"
#include "places.hpp"
#include "search/terms.hpp"
#include "offsets.hpp"
#include "utf8_text.hpp"
#include "worker.hpp"

using segmenter::Decision;
using segmenter::Library;
using segmenter::Refused;
using segmenter::Token;

namespace {

// Finds the inner words of words and caches them.
class InnerWordCache {
 public:
  struct Graph {
    uint32_t positions;
    std::vector<segmenter_token> tokens;  // relative to the word, which is not among them
  };
  const Graph& graph_of(const Library& library, segmenter::Worker& decoder,
                        const segmenter::SearchRules& rules,
                        const segmenter::TokenCharacters& word) {
    Graphs& graphs = graphs_[rules.single];
    const bool cacheable = word.text.size() <= segmenter::kRememberedCharacters;
    if (cacheable) {
      const auto entry = graphs.find(word.text);
      if (entry != graphs.end()) return entry->second;
    }
    const segmenter::Text text{word.text.data(), 4, word.text.size()};
    struct Lattice {
      segmenter::Worker& decoder;
      const segmenter::Plan& plan;
      const segmenter::Text& text;
    } lattice{decoder, library.inner_plan(), text};
    inner_.find(
        text, word.classes(), rules,
        [](void* context, uint32_t start, uint32_t end, std::vector<segmenter::Edge>& edges) {
          const Lattice& lattice = *static_cast<Lattice*>(context);
          segmenter::word_edges(lattice.decoder, lattice.plan, lattice.text.part(start, end), {},
                                edges);
          return 0;
        },
        &lattice);
    graph_.positions = inner_.positions;
    graph_.tokens.clear();
    for (const segmenter::InnerWord& w : inner_.words)
      graph_.tokens.push_back({w.start, w.end, w.position, w.length,
                               word.kind(w.start, w.end, segmenter::token_kind(w.label)), 0});
    if (!cacheable) return graph_;
    const size_t bytes = kEntry + word.text.size() * sizeof(char32_t) +
                         graph_.tokens.size() * sizeof(segmenter_token);
    if (graphs.size() == segmenter::kRememberedWords ||
        (library.word_memory && bytes_ + bytes > library.word_memory)) {
      for (Graphs& cache : graphs_) cache.clear();
      bytes_ = 0;
    }
    bytes_ += bytes;
    return graphs.emplace(word.text, graph_).first->second;  // complete, or an exception
  }

 private:
  static constexpr size_t kEntry = 128;  // bytes of an entry without its text and its tokens
  using Graphs = std::unordered_map<std::u32string, Graph>;
  Graphs graphs_[2];  // without the units of words, and with them
  size_t bytes_ = 0;  // of both caches, approximately
  Graph graph_;
  segmenter::InnerWords inner_;
};

}  // namespace

struct segmenter_engine {
  std::shared_ptr<const Library> library;
};

struct segmenter_worker {
  std::shared_ptr<const Library> library;
  segmenter::Worker decoder;
  segmenter::Utf8Text text;
  std::vector<uint32_t> ends, points, units, labels;
  std::vector<uint16_t> ids;
  std::vector<segmenter_token> tokens, nested;
  InnerWordCache inner_words;
  segmenter::WordFinder finder;
  segmenter::PosScratch scratch;
  std::vector<const char*> tags;
  segmenter::Units term_units;
  std::vector<segmenter_term> terms;
  std::string spellings, error;
  int (*ended)(void) = nullptr;
};

namespace {

// Runs a function of the interface and returns its status; say() gets the text of an exception.
template <class Run, class Say>
int guarded(Run&& run, Say&& say) noexcept {
  int status = SEGMENTER_FAULT;
  try {
    try {
      run();
      say("");
      return SEGMENTER_OK;
    } catch (const Refused& e) {
      status = e.code;
      say(e.what());
    } catch (const segmenter::Interrupted&) {
      status = SEGMENTER_ENDED;
      say("the call was ended by the callback of segmenter_worker_ask()");
    } catch (const std::bad_alloc&) {
      status = SEGMENTER_NO_MEMORY;
      say("there is not enough memory");
    } catch (const std::exception& e) { say(e.what()); }
  } catch (...) {  // an exception of say()
  }
  return status;
}

// The callback of the worker that runs in this thread.
thread_local int (*current_ended)(void) = nullptr;
static_assert(int(Refused::kArgument) == SEGMENTER_BAD_ARGUMENT &&
                  int(Refused::kNoFile) == SEGMENTER_NO_FILE &&
                  int(Refused::kFile) == SEGMENTER_BAD_FILE &&
                  int(Refused::kText) == SEGMENTER_BAD_TEXT,
              "codes are those of the interface");

// Where the members of segmenter_options end, from the folder on.
#define ENDS(member) offsetof(segmenter_options, member) + sizeof(segmenter_options::member)
constexpr size_t kMemberEnds[] = {
    ENDS(folder),      ENDS(preset), ENDS(standard),  ENDS(decoder),
    ENDS(oov),         ENDS(skip),   ENDS(atoms),     ENDS(user),
    ENDS(user_size),   ENDS(files),  ENDS(n_files),   ENDS(no_variants),
    ENDS(trust_files), ENDS(search), ENDS(user_file), ENDS(word_memory)};
#undef ENDS
static_assert(kMemberEnds[std::size(kMemberEnds) - 1] == sizeof(segmenter_options), "a new member");

// The end of the last member that is complete within `size` bytes.
size_t complete_members(size_t size) {
  size_t end = 0;
  for (const size_t member_end : kMemberEnds)
    if (member_end <= size) end = member_end;
  return end;
}

constexpr const char* kTooLong = "the text is longer than 268 million characters; cut it by lines";

void check_text(const char* utf8, size_t size) {
  if (!utf8 && size) throw Refused(SEGMENTER_BAD_ARGUMENT, "utf8", "a null pointer");
  if (size > 4 * segmenter::kMostCharacters) throw Refused(SEGMENTER_BAD_TEXT, kTooLong);
}

void check_unit(int unit) {
  if (unit < SEGMENTER_CODE_POINTS || unit > SEGMENTER_UTF16_UNITS)
    throw Refused(SEGMENTER_BAD_ARGUMENT, "unit",
                  std::to_string(unit) + " is not a segmenter_unit, from 0 to 2");
}

// Decodes a text into the worker, until its next call. It begins at byte `from` of the caller's
// text.
void decode(segmenter_worker& worker, const char* utf8, size_t size, size_t from = 0) {
  check_text(utf8, size);
  worker.text.start(reinterpret_cast<const uint8_t*>(utf8), 0, size, size);
  const int64_t bad = worker.text.append(0, size);
  if (bad >= 0)
    throw Refused(SEGMENTER_BAD_TEXT,
                  "the text is not UTF-8 at byte " + std::to_string(from + size_t(bad)));
  if (worker.text.length() > segmenter::kMostCharacters)
    throw Refused(SEGMENTER_BAD_TEXT, kTooLong);
}

// Cuts a text; its result is valid until the worker's next call.
const Decision& run(segmenter_worker& worker, const char* utf8, size_t size, int unit,
                    segmenter::Want want, size_t from = 0) {
  check_unit(unit);
  decode(worker, utf8, size, from);
  segmenter::Request request;
  request.want = want;
  return *worker.decoder.run(worker.library->opened->plan, worker.text.text(), request);
}

// The offsets of the characters of a worker's text, and of its end, in units; null: their indices.
const uint32_t* offsets_of(segmenter_worker& worker, int unit) {
  if (unit == SEGMENTER_UTF8_BYTES) return worker.text.offsets();
  const segmenter::Text text = worker.text.text();
  if (unit != SEGMENTER_UTF16_UNITS || text.width != 4) return nullptr;
  segmenter::unit_offsets(text, segmenter::OffsetUnit::kUtf16, worker.units);
  return worker.units.data();
}

template <class T>
void set_result(const std::vector<T>& column, const T** out, size_t* count) {
  *count = column.size();
  *out = column.data();
}

// The ends of a decision's tokens; `dropped`: also of tokens that are left out.
std::vector<uint32_t>& ends_of(segmenter_worker& worker, const Decision& decision, bool dropped) {
  std::vector<uint32_t>& ends = worker.ends;
  ends.clear();
  if (decision.column.first) {
    ends.assign(decision.column.first, decision.column.first + decision.column.n);
  } else {
    for (const Token& token : decision.tokens)
      if (dropped || !(token.label & segmenter::kDropped)) ends.push_back(token.end);
  }
  return ends;
}

// Runs a function of a worker whose result is `column`, its name in messages.
template <class T, class Run>
int call_worker(segmenter_worker* worker, const char* column, const T** out, size_t* count,
                Run&& run) {
  if (out) *out = nullptr;
  if (count) *count = 0;
  if (!worker) return SEGMENTER_BAD_ARGUMENT;
  return guarded(
      [&] {
        if (!out || !count)
          throw Refused(SEGMENTER_BAD_ARGUMENT, out ? "count" : column, "a null pointer");
        segmenter::LongCall call;
        if (worker->ended) {
          current_ended = worker->ended;
          call.begin([] { return current_ended() != 0; });
        }
        run();
      },
      [&](const char* text) { worker->error = text; });
}

// The tokens of a decision; their offsets count code points.
std::vector<segmenter_token>& tokens_of(segmenter_worker& worker, const Decision& decision) {
  std::vector<segmenter_token>& tokens = worker.tokens;
  segmenter::TokenCharacters word;
  tokens.clear();
  worker.labels.clear();
  uint32_t start = 0;
  for (const Token& token : decision.tokens) {
    if (!(token.label & segmenter::kDropped)) {
      worker.labels.push_back(token.label);
      word.read(*worker.library->opened->plan.lex, worker.text.text(), start, token.end);
      const int32_t kind = word.kind(0, token.end - start, segmenter::token_kind(token.label));
      tokens.push_back({start, token.end, uint32_t(tokens.size()), 1, kind, 0});
    }
    start = token.end;
  }
  return tokens;
}

std::vector<segmenter_token>& words_of(segmenter_worker& worker, const char* utf8, size_t size,
                                       int unit) {
  return tokens_of(worker, run(worker, utf8, size, unit, segmenter::Want::kKinds));
}

// The part of speech that the user gave the i-th of these words; "": none.
const std::string& user_tag(const segmenter_worker& worker, size_t i) {
  static const std::string kNone;
  const uint32_t label = worker.labels[i];
  return segmenter::token_kind(label) < segmenter::kUserWord
             ? kNone
             : worker.library->user_tag(segmenter::token_slot(label));
}

// Adds the inner words after each word.
void add_inner_words(segmenter_worker& worker, int mode) {
  const Library& library = *worker.library;
  segmenter::SearchRules rules = library.search;
  rules.single |= mode != SEGMENTER_SEARCH;
  std::vector<segmenter_token>& tokens = worker.nested;
  segmenter::TokenCharacters word;
  tokens.clear();
  uint32_t position = 0;
  for (segmenter_token& token : worker.tokens) {
    word.read(*library.opened->plan.lex, worker.text.text(), token.start, token.end);
    const InnerWordCache::Graph& graph =
        worker.inner_words.graph_of(library, worker.decoder, rules, word);
    token.position = position;
    token.position_length = graph.positions;
    tokens.push_back(token);
    for (segmenter_token inner : graph.tokens) {
      inner.start += token.start;
      inner.end += token.start;
      inner.position += position;
      tokens.push_back(inner);
    }
    position += graph.positions;
  }
  worker.tokens.swap(tokens);
}

void convert_offsets(segmenter_worker& worker, int unit) {
  if (const uint32_t* const offsets = offsets_of(worker, unit))
    for (segmenter_token& token : worker.tokens) {
      token.start = offsets[token.start];
      token.end = offsets[token.end];
    }
}

// The text as folded for look-ups, one code point per code point.
void fold(segmenter_worker& worker, const char* utf8, size_t size, const uint32_t** points) {
  decode(worker, utf8, size);
  const segmenter::Text text = worker.text.text();
  const Library::Spelling& spelling = worker.library->spelling();
  worker.ids.resize(text.n);
  segmenter::encode(*spelling.lex, text, worker.ids.data());
  worker.points.resize(text.n);
  for (size_t k = 0; k < text.n; ++k) {
    const uint32_t letter = spelling.letters[worker.ids[k]];
    worker.points[k] = letter ? letter : text[k];
  }
  *points = worker.points.data();
}

// The cutter of Units::read(), over a worker.
struct TermCutter {
  segmenter_worker& worker;
  const uint32_t rules;
  const int unit;

  void ends(std::string_view text, const uint32_t** ends, size_t* count) {
    const Decision& decision =
        run(worker, text.data(), text.size(), unit, segmenter::Want::kEndsOnly);
    set_result(ends_of(worker, decision, true), ends, count);
  }
  const uint32_t* readings(std::string_view text) {
    const uint32_t* points = nullptr;
    if (worker.library->folds_variants()) fold(worker, text.data(), text.size(), &points);
    return points;
  }
};

void check_form(int form) {
  if (form & ~(SEGMENTER_SCRIPTS_APART | SEGMENTER_RUNS_SPLIT))
    throw Refused(SEGMENTER_BAD_ARGUMENT, "form",
                  std::to_string(form) + " is not a sum of segmenter_form, from 0 to 3");
}
uint32_t rules_of(int form, bool alone) {
  return segmenter::kDrop | (form & SEGMENTER_SCRIPTS_APART ? 0u : segmenter::kScript) |
         (form & SEGMENTER_RUNS_SPLIT ? segmenter::kSplit : 0u) | (alone ? segmenter::kAlone : 0u);
}

}  // namespace

const char* segmenter_version(void) { return SEGMENTER_VERSION; }

int segmenter_open(const segmenter_options* options, segmenter_engine** out, char* error,
                   size_t error_size) {
  if (out) *out = nullptr;
  return guarded(
      [&] {
        if (!options || !out)
          throw Refused(SEGMENTER_BAD_ARGUMENT, options ? "out" : "options", "a null pointer");
        // options of an older caller are shorter; later members that are not 0 ask for a feature
        // that this library lacks
        segmenter_options copy{};
        const size_t size = options->struct_size;
        if (size < offsetof(segmenter_options, preset) || size > 1 << 16)
          throw Refused(
              SEGMENTER_BAD_ARGUMENT, "options",
              "struct_size is " + std::to_string(size) + ", not sizeof(segmenter_options)");
        const char* const bytes = reinterpret_cast<const char*>(options);
        for (size_t i = sizeof copy; i < size; ++i)
          if (bytes[i])
            throw Refused(
                SEGMENTER_BAD_ARGUMENT, "options",
                "made for a later version of this library than " + std::string(SEGMENTER_VERSION));
        std::memcpy(&copy, options, complete_members(size));
        auto engine = std::make_unique<segmenter_engine>();
        engine->library = std::make_shared<const Library>(copy);
        *out = engine.release();
      },
      [&](const char* text) {
        if (!error || !error_size) return;
        size_t n = std::strlen(text);
        if (n >= error_size) {
          n = error_size - 1;
          while (n && (text[n] & 0xC0) == 0x80) --n;  // no partial character
        }
        std::memcpy(error, text, n);
        error[n] = 0;
      });
}

void segmenter_free(segmenter_engine* seg) { delete seg; }

const char* segmenter_fingerprint(const segmenter_engine* seg) {
  return seg ? seg->library->opened->fingerprint.c_str() : "";
}

int segmenter_cuts_runs(const segmenter_engine* seg) { return seg && !seg->library->search.whole; }

int segmenter_worker_new(const segmenter_engine* seg, segmenter_worker** out) {
  if (out) *out = nullptr;
  if (!seg || !out) return SEGMENTER_BAD_ARGUMENT;
  return guarded(
      [&] {
        auto worker = std::make_unique<segmenter_worker>();
        worker->library = seg->library;
        worker->error.reserve(64);  // for the message that there is no memory
        *out = worker.release();
      },
      [](const char*) {});
}

void segmenter_worker_free(segmenter_worker* worker) { delete worker; }

const char* segmenter_error(const segmenter_worker* worker) {
  return worker ? worker->error.c_str() : "worker: a null pointer";
}

int segmenter_cut(segmenter_worker* worker, const char* utf8, size_t size, int unit,
                  const uint32_t** ends, size_t* count) {
  return call_worker(worker, "ends", ends, count, [&] {
    const Decision& decision = run(*worker, utf8, size, unit, segmenter::Want::kEndsOnly);
    std::vector<uint32_t>& column = ends_of(*worker, decision, false);
    if (const uint32_t* const offsets = offsets_of(*worker, unit))
      for (uint32_t& end : column) end = offsets[end];
    set_result(column, ends, count);
  });
}

int segmenter_fold(segmenter_worker* worker, const char* utf8, size_t size, const uint32_t** points,
                   size_t* count) {
  return call_worker(worker, "points", points, count, [&] {
    fold(*worker, utf8, size, points);
    *count = worker->points.size();
  });
}

int segmenter_tokenize(segmenter_worker* worker, const char* utf8, size_t size, int mode, int unit,
                       const segmenter_token** tokens, size_t* count) {
  return call_worker(worker, "tokens", tokens, count, [&] {
    if (mode < SEGMENTER_WORDS || mode > SEGMENTER_QUERY)
      throw Refused(SEGMENTER_BAD_ARGUMENT, "mode",
                    std::to_string(mode) + " is not a segmenter_mode, from 0 to 3");
    words_of(*worker, utf8, size, unit);
    if (mode != SEGMENTER_WORDS) add_inner_words(*worker, mode);
    convert_offsets(*worker, unit);
    set_result(worker->tokens, tokens, count);
  });
}

int segmenter_token_at(segmenter_worker* worker, const char* utf8, size_t size, size_t offset,
                       int place, int unit, const segmenter_token** token, size_t* count) {
  return call_worker(worker, "token", token, count, [&] {
    if (place < SEGMENTER_AT || place > SEGMENTER_PREVIOUS)
      throw Refused(SEGMENTER_BAD_ARGUMENT, "place",
                    std::to_string(place) + " is not a segmenter_place, from 0 to 2");
    check_unit(unit);
    check_text(utf8, size);
    const segmenter::Plan& plan = worker->library->opened->plan;
    segmenter::WordFinder& finder = worker->finder;
    const std::string fault =
        finder.start(plan, segmenter::Text{utf8, 1, size}, true, offset,
                     segmenter::OffsetUnit(unit), segmenter::WordPlace(place));
    if (!fault.empty()) throw Refused(SEGMENTER_BAD_ARGUMENT, fault);
    while (finder.next(worker->decoder, plan)) {
      const size_t line_start = finder.first;
      const Decision& decision = run(*worker, utf8 + line_start, finder.last - line_start, unit,
                                     segmenter::Want::kKinds, line_start);
      if (!finder.find(decision)) continue;
      segmenter_token word = tokens_of(*worker, decision)[finder.row];
      word.start = uint32_t(finder.start_offset);
      word.end = uint32_t(finder.end_offset);
      word.position = 0;
      worker->tokens.assign(1, word);
      return set_result(worker->tokens, token, count);
    }
  });
}

int segmenter_tag(segmenter_worker* worker, const char* utf8, size_t size, int unit,
                  const segmenter_token** tokens, const char* const** tags, size_t* count) {
  if (tags) *tags = nullptr;
  return call_worker(worker, "tokens", tokens, count, [&] {
    if (!tags) throw Refused(SEGMENTER_BAD_ARGUMENT, "tags", "a null pointer");
    const segmenter::OpenPos& pos = worker->library->pos();
    const auto& words = words_of(*worker, utf8, size, unit);
    pos.decide(
        worker->text.text(), words.size(),
        [&](size_t i) { return std::pair<size_t, size_t>(words[i].start, words[i].end); },
        [&](size_t i) -> const std::string& { return user_tag(*worker, i); }, worker->scratch);
    worker->tags.clear();
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& tag = user_tag(*worker, i);
      worker->tags.push_back(tag.empty() ? pos.name(worker->scratch.tag(i)) : tag.c_str());
    }
    convert_offsets(*worker, unit);
    set_result(words, tokens, count);
    *tags = worker->tags.data();
  });
}

int segmenter_terms(segmenter_worker* worker, const char* utf8, size_t size, int form, int unit,
                    const segmenter_term** terms, size_t* count, const char** spellings) {
  if (spellings) *spellings = nullptr;
  return call_worker(worker, "terms", terms, count, [&] {
    if (!spellings) throw Refused(SEGMENTER_BAD_ARGUMENT, "spellings", "a null pointer");
    check_form(form);
    decode(*worker, utf8, size);  // checks the text before Units::read()
    TermCutter cutter{*worker, rules_of(form, !worker->library->search.whole), unit};
    segmenter::Units& units = worker->term_units;
    units.read(cutter, std::string_view(utf8 ? utf8 : "", size));
    std::vector<segmenter_term>& rows = worker->terms;
    std::string& bytes = worker->spellings;
    rows.clear();
    rows.reserve(units.units.size());
    bytes.clear();
    for (const segmenter::Units::Word& word : units.words) {
      segmenter::Interrupt::poll(word.last - word.first);
      for (uint32_t k = word.first; k < word.last; ++k) {
        const segmenter::Unit& source = units.units[k];
        segmenter_term row{
            source.start, source.end, word.start, word.end, source.position, 0, 0, 0, 0,
            word.signs};
        row.spelt = uint32_t(bytes.size());
        units.spell(source, false, bytes);
        row.spelt_size = uint32_t(bytes.size() - row.spelt);
        if (source.other) {
          row.other = uint32_t(bytes.size());
          units.spell(source, true, bytes);
          row.other_size = uint32_t(bytes.size() - row.other);
        }
        rows.push_back(row);
      }
    }
    if (const uint32_t* const offsets = offsets_of(*worker, unit))
      for (segmenter_term& term : rows)
        for (uint32_t* place : {&term.start, &term.end, &term.word_start, &term.word_end})
          *place = offsets[*place];
    set_result(rows, terms, count);
    *spellings = bytes.data();
  });
}

int segmenter_spell(segmenter_worker* worker, const char* utf8, size_t size, int form,
                    const char** spelling, size_t* spelling_size) {
  return call_worker(worker, "spelling", spelling, spelling_size, [&] {
    check_form(form);
    decode(*worker, utf8, size);
    worker->spellings.clear();
    worker->term_units.spell(std::string_view(utf8 ? utf8 : "", size), rules_of(form, false),
                             worker->spellings);
    *spelling = worker->spellings.data();
    *spelling_size = worker->spellings.size();
  });
}

const char* segmenter_form_name(int form) { return segmenter::form_of(rules_of(form, false)); }

void segmenter_worker_ask(segmenter_worker* worker, int (*ended)(void)) {
  if (worker) worker->ended = ended;
}

const char* segmenter_kind_name(int kind) {
  return kind >= 0 && size_t(kind) < std::size(segmenter::kKindNames) ? segmenter::kKindNames[kind]
                                                                      : nullptr;
}
