// The WebAssembly module: the C interface, and the word graph for JavaScript.
#include "capi/library.cpp"

// The edges of a text's word graph by start and end, as tokens with the kernels' kind and the cost in
// 1/2048 nat in `reserved`.  `decided`: without edges that user words and atoms exclude.
extern "C" int segmenter_js_lattice(segmenter_worker* worker, const char* utf8, size_t size,
                                    int decided, int unit, const segmenter_token** edges,
                                    size_t* count) {
  return guarded(
      [&] {
        const segmenter::Plan& plan = worker->library->opened->plan;
        if (plan.tagger)
          throw Refused(SEGMENTER_BAD_ARGUMENT, "lattice",
                        "this model tags characters and has no word graph: load the model "
                        "\"small\", or a lexicon");
        decode(*worker, utf8, size);
        const segmenter::Text text = worker->text.text();
        std::vector<segmenter::Edge> dag;
        if (text.n)
          segmenter::whole_dag(worker->decoder, plan, text, segmenter::Request(), decided != 0,
                               dag);
        const uint32_t* const offsets = offsets_of(*worker, unit);
        const auto offset = [&](uint32_t k) { return offsets ? offsets[k] : k; };
        std::vector<segmenter_token>& tokens = worker->tokens;
        tokens.clear();
        for (const segmenter::Edge& e : dag)
          tokens.push_back({offset(e.start), offset(e.end), e.start, e.end - e.start,
                            int32_t(segmenter::token_kind(e.label)), int32_t(e.cost)});
        *edges = tokens.data();
        *count = tokens.size();
      },
      [&](const char* message) { worker->error = message; });
}
