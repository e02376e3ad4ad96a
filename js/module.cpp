// The WebAssembly module: the C interface, and the word graph, which JavaScript has besides.
#include "capi/library.cpp"

// The edges of a text's word graph, by start and end; `decided`: what words of the user and atoms
// leave of it.  As tokens, with the cost in 1/2048 nat in `reserved` and the kernels' kind.
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
        std::vector<segmenter::Edge> found;
        if (text.n)
          segmenter::whole_dag(worker->decoder, plan, text, segmenter::Request(), decided != 0,
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
