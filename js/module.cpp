// The WebAssembly module: the C interface, and what JavaScript has besides: words of the user in
// columns, and the word graph.
#include "capi/library.cpp"

#include "user/tables.hpp"

namespace {

// Entries as core.js reads them: whole words, compared as written.
struct JsWords {
  uint32_t n, n_parts;
  const uint32_t* text;     // of all entries, one after another
  const uint32_t* offsets;  // [n + 1]
  const uint8_t* flags;     // [n], a level each and whether there are parts
  const double* weights;    // [n]
  const uint32_t* part_ids;
  const uint32_t* part_first;  // [n_parts + 1]
  const uint32_t* parts;
};

template <class T>
segmenter::Cells<T> cells_of(const std::vector<T>& column) {
  return {column.data(), std::ptrdiff_t(column.size())};
}

// An opened segmenter with words of the user, of which it keeps a copy.
struct OpenedWithWords : Opened {
  OpenedWithWords(const segmenter_options& options, const JsWords& words)
      : Opened(options),
        text_(words.text, words.text + words.offsets[words.n]),
        offsets_(words.offsets, words.offsets + words.n + 1),
        flags_(words.flags, words.flags + words.n),
        weights_(words.weights, words.weights + words.n),
        part_ids_(words.part_ids, words.part_ids + words.n_parts),
        part_first_(words.part_first, words.part_first + words.n_parts + 1),
        parts_(words.parts, words.parts + part_first_.back()) {
    for (const double weight : weights_)
      logs_.push_back(weight > 0 ? int32_t(std::lround(-std::log(weight) * kUnits)) : kNever);
    segmenter::UserLayer layer;
    layer.n = words.n;
    layer.width = 4;
    layer.text = text_.data();
    layer.offsets = offsets_.data();
    layer.flags = flags_.data();
    layer.logs = logs_.data();
    layer.weights = weights_.data();
    layer.part_ids = part_ids_.data();
    layer.part_first = part_first_.data();
    layer.parts = parts_.data();
    layer.n_parts = part_ids_.size();
    for (const uint32_t cp : text_) layer.line_ends |= cp == '\n' || cp == '\r';
    segmenter::build_user_field(layer, 0, segmenter::FoldTable(), tables_);
    layer.field[0].attach(cells_of(tables_.filter), cells_of(tables_.threes),
                          cells_of(tables_.heads), cells_of(tables_.words), cells_of(tables_.stems),
                          cells_of(tables_.stem_of), cells_of(tables_.lengths));
    layer.field[0].singles = tables_.singles;
    user_.layers.push_back(layer);
    if (plan.tagger) user_.gain = segmenter::score_unit(*plan.tagger);
    else
      user_.log_mass = int32_t(std::lround(
          std::log(this->words.file->number(this->words.file->meta, "mass", 1e300)) * kUnits));
    plan.user = &user_;
    uint64_t sums[2] = {0, 0};
    for (uint32_t id = 0; id < layer.n; ++id) {
      uint64_t one[2];
      layer.identity(id, one);
      for (int k = 0; k < 2; ++k) sums[k] += one[k];
    }
    std::string user = " user=";
    for (const uint64_t sum : sums)
      for (int shift = 60; shift >= 0; shift -= 4) user += "0123456789abcdef"[sum >> shift & 15];
    const size_t before = fingerprint.find(" atoms=");
    fingerprint.insert(before == std::string::npos ? fingerprint.size() : before, user);
  }

 private:
  static constexpr double kUnits = 2048;      // of costs, per nat
  static constexpr int32_t kNever = 1 << 28;  // minus the logarithm of a weight of 0
  std::vector<uint32_t> text_, offsets_;
  std::vector<uint8_t> flags_;
  std::vector<double> weights_;
  std::vector<uint32_t> part_ids_, part_first_, parts_;
  std::vector<int32_t> logs_;
  segmenter::UserTables tables_;
  segmenter::UserDictionary user_;
};

}  // namespace

// As segmenter_open(), with words.
extern "C" int segmenter_js_open(const segmenter_options* options, const JsWords* words,
                                 segmenter_engine** out, char* error, size_t error_size) {
  return guarded(
      [&] {
        auto made = std::make_unique<segmenter_engine>();
        made->opened = std::make_shared<const OpenedWithWords>(*options, *words);
        *out = made.release();
      },
      [&](const char* text) { std::snprintf(error, error_size, "%s", text); });
}

// The edges of a text's word graph, by start and end; `decided`: what words of the user and atoms
// leave of it.  As tokens, with the cost in 1/2048 nat in `reserved` and the kernels' kind.
extern "C" int segmenter_js_lattice(segmenter_worker* worker, const char* utf8, size_t size,
                                    int decided, int unit, const segmenter_token** edges,
                                    size_t* count) {
  return guarded(
      [&] {
        const segmenter::Plan& plan = worker->opened->plan;
        if (plan.tagger)
          throw Refused(SEGMENTER_BAD_ARGUMENT,
                        "lattice: this model tags characters and has no word graph: load the model "
                        "\"small\", or a lexicon");
        read(*worker, utf8, size);
        const segmenter::Text text = worker->text.text();
        std::vector<segmenter::Edge> found;
        if (text.n)
          segmenter::whole_dag(worker->caller, plan, text, segmenter::Request(), decided != 0,
                               found);
        const uint32_t* const at = places(*worker, unit);
        const auto place = [&](uint32_t k) { return at ? at[k] : k; };
        std::vector<segmenter_token>& out = worker->tokens;
        out.clear();
        for (const segmenter::Edge& e : found)
          out.push_back({place(e.start), place(e.end), e.start, e.end - e.start,
                         int32_t(segmenter::token_kind(e.what)), int32_t(e.cost)});
        *edges = out.data();
        *count = out.size();
      },
      [&](const char* why) { worker->error = why; });
}
