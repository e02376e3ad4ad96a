// The C interface: segmenter.h promises what each function does.
#include "capi/segmenter.h"

#include <climits>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "capi/opened.hpp"
#include "kinds.hpp"
#include "utf8_text.hpp"

using segmenter::Caller;
using segmenter::Decision;
using segmenter::Opened;
using segmenter::Refused;
using segmenter::Token;

struct segmenter_engine {
  std::shared_ptr<const Opened> opened;
};

struct segmenter_worker {
  std::shared_ptr<const Opened> opened;
  Caller caller;
  segmenter::Utf8Text text;
  std::vector<uint32_t> ends, points;
  std::vector<uint16_t> ids;
  std::vector<segmenter_token> tokens;
  std::string error;
};

namespace {

// Runs a function of the interface: its status; an exception's text goes to say().
template <class Run, class Say>
int guarded(Run&& run, Say&& say) noexcept {
  int status = SEGMENTER_FAULT;
  try {
    try {
      run();
      say("");
      return SEGMENTER_OK;
    } catch (const Refused& e) {
      status = e.status;
      say(e.what());
    } catch (const std::bad_alloc&) {
      status = SEGMENTER_NO_MEMORY;
      say("there is not enough memory");
    } catch (const std::exception& e) { say(e.what()); }
  } catch (...) {  // what say() throws
  }
  return status;
}

constexpr size_t kMostCharacters = 0x7FFFFFFF / 8;  // per call: eight counts of each fit 31 bits

// Decodes a text, which is the worker's until its next call.
void read(segmenter_worker& worker, const char* utf8, size_t size) {
  if (!utf8 && size) throw Refused(SEGMENTER_BAD_ARGUMENT, "utf8: a null pointer");
  const char* const too_long = "the text is longer than 268 million characters; cut it by lines";
  if (size > 4 * kMostCharacters) throw Refused(SEGMENTER_BAD_TEXT, too_long);
  worker.text.start(reinterpret_cast<const uint8_t*>(utf8), 0, size, size);
  const int64_t bad = worker.text.append(0, size);
  if (bad >= 0)
    throw Refused(SEGMENTER_BAD_TEXT, "the text is not UTF-8 at byte " + std::to_string(bad));
  if (worker.text.length() > kMostCharacters) throw Refused(SEGMENTER_BAD_TEXT, too_long);
}

// Cuts a text; its result is valid until the worker's next call.
const Decision& run(segmenter_worker& worker, const char* utf8, size_t size, int unit,
                    segmenter::Want want) {
  if (unit < SEGMENTER_CODE_POINTS || unit > SEGMENTER_UTF16_UNITS)
    throw Refused(SEGMENTER_BAD_ARGUMENT,
                  "unit: " + std::to_string(unit) + " is not a segmenter_unit, from 0 to 2");
  read(worker, utf8, size);
  segmenter::Request request;
  request.want = want;
  return *worker.caller.run(worker.opened->plan, worker.text.text(), request);
}

// Offsets in code points, ascending, as offsets in units; at(i) is a reference to the i-th.
template <class At>
void count_in(int unit, const segmenter::Utf8Text& text, size_t n, At&& at) {
  if (unit == SEGMENTER_UTF8_BYTES) {
    for (size_t i = 0; i < n; ++i) at(i) = text.offsets()[at(i)];
  } else if (unit == SEGMENTER_UTF16_UNITS && text.text().width == 4) {
    const segmenter::Text points = text.text();
    uint32_t beyond = 0;  // characters so far that have two units
    size_t k = 0;
    for (size_t i = 0; i < n; ++i) {
      for (; k < at(i); ++k) beyond += points[k] > 0xFFFF;
      at(i) += beyond;
    }
  }
}

}  // namespace

const char* segmenter_version(void) { return SEGMENTER_VERSION; }

int segmenter_open(const segmenter_options* options, segmenter_engine** out, char* error,
                   size_t error_size) {
  if (out) *out = nullptr;
  return guarded(
      [&] {
        if (!options || !out)
          throw Refused(SEGMENTER_BAD_ARGUMENT,
                        std::string(options ? "out" : "options") + ": a null pointer");
        // options of an older caller are shorter; later members that are not 0 mean something that
        // this library cannot do
        segmenter_options known{};
        const size_t size = options->struct_size;
        if (size < offsetof(segmenter_options, preset) || size > 1 << 16)
          throw Refused(SEGMENTER_BAD_ARGUMENT, "options: struct_size is " + std::to_string(size) +
                                                    ", not sizeof(segmenter_options)");
        const char* const bytes = reinterpret_cast<const char*>(options);
        for (size_t i = sizeof known; i < size; ++i)
          if (bytes[i])
            throw Refused(SEGMENTER_BAD_ARGUMENT,
                          "options: made for a later version of this library than " +
                              std::string(SEGMENTER_VERSION));
        std::memcpy(&known, options, size < sizeof known ? size : sizeof known);
        auto made = std::make_unique<segmenter_engine>();
        made->opened = std::make_shared<const Opened>(known);
        *out = made.release();
      },
      [&](const char* text) {
        if (!error || !error_size) return;
        size_t n = std::strlen(text);
        if (n >= error_size) {
          n = error_size - 1;
          while (n && (text[n] & 0xC0) == 0x80) --n;  // no half of a character
        }
        std::memcpy(error, text, n);
        error[n] = 0;
      });
}

void segmenter_free(segmenter_engine* seg) { delete seg; }

const char* segmenter_fingerprint(const segmenter_engine* seg) {
  return seg ? seg->opened->fingerprint.c_str() : "";
}

int segmenter_worker_new(const segmenter_engine* seg, segmenter_worker** out) {
  if (out) *out = nullptr;
  if (!seg || !out) return SEGMENTER_BAD_ARGUMENT;
  return guarded(
      [&] {
        auto made = std::make_unique<segmenter_worker>();
        made->opened = seg->opened;
        *out = made.release();
      },
      [](const char*) {});
}

void segmenter_worker_free(segmenter_worker* worker) { delete worker; }

const char* segmenter_error(const segmenter_worker* worker) {
  return worker ? worker->error.c_str() : "worker: a null pointer";
}

int segmenter_cut(segmenter_worker* worker, const char* utf8, size_t size, int unit,
                  const uint32_t** ends, size_t* count) {
  if (ends) *ends = nullptr;
  if (count) *count = 0;
  if (!worker) return SEGMENTER_BAD_ARGUMENT;
  return guarded(
      [&] {
        if (!ends || !count)
          throw Refused(SEGMENTER_BAD_ARGUMENT,
                        std::string(ends ? "count" : "ends") + ": a null pointer");
        const Decision& made = run(*worker, utf8, size, unit, segmenter::Want::kBare);
        std::vector<uint32_t>& out = worker->ends;
        out.clear();
        if (made.column.first) {
          out.assign(made.column.first, made.column.first + made.column.n);
        } else {
          for (const Token& token : made.tokens)
            if (!(token.what & segmenter::kDropped)) out.push_back(token.end);
        }
        count_in(unit, worker->text, out.size(), [&](size_t i) -> uint32_t& { return out[i]; });
        *count = out.size();
        *ends = out.data();
      },
      [&](const char* text) { worker->error = text; });
}

int segmenter_fold(segmenter_worker* worker, const char* utf8, size_t size, const uint32_t** points,
                   size_t* count) {
  if (points) *points = nullptr;
  if (count) *count = 0;
  if (!worker) return SEGMENTER_BAD_ARGUMENT;
  return guarded(
      [&] {
        if (!points || !count)
          throw Refused(SEGMENTER_BAD_ARGUMENT,
                        std::string(points ? "count" : "points") + ": a null pointer");
        read(*worker, utf8, size);
        const segmenter::Text text = worker->text.text();
        const Opened::Spelling& spelling = worker->opened->spelling();
        worker->ids.resize(text.n);
        segmenter::encode(*spelling.lex, text, worker->ids.data());
        worker->points.resize(text.n);
        for (size_t k = 0; k < text.n; ++k) {
          const uint32_t letter = spelling.letters[worker->ids[k]];
          worker->points[k] = letter ? letter : text[k];
        }
        *count = text.n;
        *points = worker->points.data();
      },
      [&](const char* text) { worker->error = text; });
}

int segmenter_tokenize(segmenter_worker* worker, const char* utf8, size_t size, int mode, int unit,
                       const segmenter_token** tokens, size_t* count) {
  if (tokens) *tokens = nullptr;
  if (count) *count = 0;
  if (!worker) return SEGMENTER_BAD_ARGUMENT;
  return guarded(
      [&] {
        if (!tokens || !count)
          throw Refused(SEGMENTER_BAD_ARGUMENT,
                        std::string(tokens ? "count" : "tokens") + ": a null pointer");
        if (mode != SEGMENTER_WORDS)
          throw Refused(SEGMENTER_BAD_ARGUMENT,
                        "mode: " + std::to_string(mode) + " is not a segmenter_mode, which is 0");
        const Decision& made = run(*worker, utf8, size, unit, segmenter::Want::kKinds);
        const segmenter::Text text = worker->text.text();
        const segmenter::Lexicon& lex = *worker->opened->plan.lex;
        std::vector<segmenter_token>& out = worker->tokens;
        std::u32string word;
        std::vector<uint8_t> classes;
        out.clear();
        uint32_t start = 0;
        for (const Token& token : made.tokens) {
          if (!(token.what & segmenter::kDropped)) {
            word.clear();
            classes.clear();
            for (uint32_t k = start; k < token.end; ++k) {
              word.push_back(char32_t(text[k]));
              classes.push_back(lex.char_class(lex.spelling.id(text[k])));
            }
            const uint32_t edge = segmenter::token_kind(token.what);
            const int kind = segmenter::kind_of(
                word, classes.data(), edge < segmenter::kUserWord ? int(edge) : segmenter::kWord);
            out.push_back({start, token.end, uint32_t(out.size()), 1, kind, 0});
          }
          start = token.end;
        }
        // starts and ends alternate and ascend
        count_in(unit, worker->text, 2 * out.size(),
                 [&](size_t i) -> uint32_t& { return i % 2 ? out[i / 2].end : out[i / 2].start; });
        *count = out.size();
        *tokens = out.data();
      },
      [&](const char* text) { worker->error = text; });
}

const char* segmenter_kind_name(int kind) {
  return kind >= 0 && size_t(kind) < std::size(segmenter::kKindNames) ? segmenter::kKindNames[kind]
                                                                      : nullptr;
}
