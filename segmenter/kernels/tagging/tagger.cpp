// The implementation of tagger.hpp.
#include "tagging/tagger.hpp"

#include "clauses.hpp"
#include "tagging/tagging.hpp"

namespace segmenter {

namespace {

// Words of two characters are in the records of pairs, longer ones in the trie.
class TaggerWords final : public ClauseWords {
 public:
  TaggerWords(const TaggerModel& m, const uint16_t* ids) : m_(m), ids_(ids) {}
  uint32_t word_end(uint32_t k, uint32_t end) const override {
    uint32_t longest = k + 1;
    if (k + 1 >= end) return longest;
    if (word_of_two(m_, ids_[k], ids_[k + 1])) longest = k + 2;
    uint32_t slot = ids_[k];
    for (uint32_t e = k + 1; slot && e < end; ++e) {
      slot = m_.lex->trie.child(slot, ids_[e]);
      if (slot && m_.lex->is_word(slot)) longest = e + 1;
    }
    return longest;
  }
  bool is_rare(uint32_t, uint32_t) const override { return false; }

 private:
  const TaggerModel& m_;
  const uint16_t* const ids_;
};

void mark_clauses(const TaggerModel& m, TaggerInput& text) {
  const TaggerWords words(m, text.ids);
  ClauseMarks clauses(*m.lex, words, text.ids, text.marks.data(), text.n);
  clauses.add(text.signs.data(), text.signs.data() + text.signs.size());
  text.steps += clauses.steps;
}

}  // namespace

void Tagging::run(const TaggerModel& m, const Text& text, const Request& request,
                  Decision& decision) {
  if (request.margins || request.boundaries) return run_margins(m, text, request, decision);
  const bool in_parts = read(m, text, request, true);
  std::vector<Token>& tokens = decision.tokens;
  const PathWords path_words = words(m);
  auto append = [&](const WordEnds& path, uint32_t s) {
    steps_ += path.n;
    path_words.append(path, s, request.want, tokens);
  };
  auto gap = [&](uint32_t s, uint32_t e, EdgeKind kind) {
    tokens.push_back(path_words.gap(s, e, kind));
  };
  auto decode = [&](uint32_t s, uint32_t e) {
    Interrupt::poll(e - s);
    if (in_parts) return decode_parts(m, s, e, append);
    Emissions scores = score(m, s, e);
    append(viterbi_.best(m, scores, s), s);
  };
#if SEGMENTER_SSE4
  if (text_.n_special && !in_parts && !m.has_network()) {
    batch_.run(
        text_, decode,
        [&](const std::vector<Stretch>& stretches) { linear_.score_each(m, text_, stretches); },
        [&](const Stretch& stretch) {
          Interrupt::poll(stretch.end - stretch.start);
          Emissions scores = linear_.scores_of(stretch);
          add_user_words(m, stretch.start, stretch.end, scores);
          append(viterbi_.best(m, scores, stretch.start), stretch.start);
        },
        gap);
    return;
  }
#endif
  text_.stretches(decode, gap);
}

void Tagging::nbest(const TaggerModel& m, const Text& text, const Request& request, size_t count,
                    std::vector<TagPath>& out) {
  read(m, text, request);
  out.clear();
  if (!count) return;
  if (!text.n) return out.push_back(TagPath{0, {}});
  TagPaths paths(m);
  text_.stretches([&](uint32_t s, uint32_t e) { paths.add(s, complete(m, s, e)); },
                  [&](uint32_t, uint32_t e, EdgeKind) { paths.add_separator(e); });
  steps_ += paths.best(count, out);
}

void Tagging::scores(const TaggerModel& m, const Text& text, const Request& request,
                     std::vector<int32_t>& out) {
  read(m, text, request);
  out.assign(text.n * kTags, kTagNever);
  text_.stretches(
      [&](uint32_t s, uint32_t e) {
        const Emissions scores = complete(m, s, e);
        Interrupt::for_each(
            e - s, [&](size_t j) { scores.column(uint32_t(j), out.data() + (s + j) * kTags); });
      },
      [&](uint32_t s, uint32_t e, EdgeKind) {
        for (uint32_t k = s; k < e; ++k) out[k * kTags + size_t(Tags::tag(k - s, e - s))] = 0;
      });
}

void Tagging::emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& out) {
  read(m, text, Request());
  out = network_.scores;
}

const std::vector<uint32_t>* Tagging::triggers(const TaggerModel& m, const Text& text) {
  text_.read(m, text, text.n > kPart);
  return text_.knows_triggers ? &text_.triggers : nullptr;
}

bool Tagging::read(const TaggerModel& m, const Text& text, const Request& request, bool parts) {
  steps_ = 0;
  user_.begin(request.edits);
  const bool in_parts =
      parts && text.n > kPart && !m.has_network() && !user_.any() && m.lex->max_word < kPart / 4;
  if (!in_parts) reserve(0, text.n);
  linear_.steps = network_.steps = 0;
  const bool measures = request.measures && m.lex->numbers;
  if (!request.read_ahead) text_.read(m, text, in_parts);
  text_.begin_marks(request.marks, measures);
  linear_.look_ahead(m, text_, request.shared);
  RunMarks(m, text_, measures).add();
  if (measures && !text_.signs.empty()) mark_clauses(m, text_);
  text_beside_.steps = linear_beside_.steps = network_beside_.steps = 0;
  if (m.has_network() && !(request.same_text && network_.has_read(text_.n))) {
    network_.read(m, text, text_, linear_);
    if (m.beside) read_beside(m, text, request, measures);
  }
  return in_parts;
}

void Tagging::read_beside(const TaggerModel& m, const Text& text, const Request& request,
                          bool measures) {
  const TaggerModel& other = *m.beside;
  linear_beside_.reserve(0, text.n);
  text_beside_.read(other, text, false);
  text_beside_.begin_marks(request.marks, measures);
  RunMarks(other, text_beside_, measures).add();
  if (measures && !text_beside_.signs.empty()) mark_clauses(other, text_beside_);
  network_beside_.read(other, text, text_beside_, linear_beside_);
  Interrupt::for_each(network_.scores.size(), [&](size_t i) {
    int16_t& score = network_.scores[i];
    score = saturated(m.mean(score, network_beside_.scores[i]));
  });
}

void Tagging::reserve(uint32_t origin, size_t n) {
  linear_.reserve(origin, n);
  viterbi_.reserve(n);
}

Emissions Tagging::score(const TaggerModel& m, uint32_t s, uint32_t e) {
  Emissions scores =
      m.has_network() ? network_.scores_of(text_, s, e) : linear_.score(m, text_, s, e);
  add_user_words(m, s, e, scores);
  return scores;
}

void Tagging::add_user_words(const TaggerModel& m, uint32_t s, uint32_t e, Emissions& scores) {
  if (user_.any()) user_.add(m, s, e, scores);
  steps_ += e - s;
}

Emissions Tagging::complete(const TaggerModel& m, uint32_t s, uint32_t e) {
  Emissions scores = score(m, s, e);
  segmenter::complete(m, scores);
  return scores;
}

template <class Append>
void Tagging::decode_parts(const TaggerModel& m, uint32_t s, uint32_t e, const Append& append) {
  const uint32_t context = m.lex->max_word + 2;
  const int32_t* start = m.start;
  uint32_t size = kPart;
  for (uint32_t begin = s; begin < e;) {
    Interrupt::poll();
    const uint32_t stop = e - begin > size ? begin + size : e;
    const uint32_t context_start = begin - s > context ? begin - context : s,
                   context_stop = e - stop > context ? stop + context : e;
    reserve(context_start, context_stop - context_start);
    Emissions scores = linear_.score(m, text_, context_start, context_stop)
                           .part(begin - context_start, stop - begin);
    viterbi_.search(m, scores, start);
    steps_ += context_stop - context_start;
    uint32_t n = stop - begin;
    bool single = viterbi_.ends_in_single();
    if (stop < e && !(n = viterbi_.common_end(n, single))) {
      size *= 2;
      continue;
    }
    append(viterbi_.trace(begin, n, single), begin);
    begin += n;
    start = m.trans + 4 * (single ? 3 : 2);
    size = kPart;
  }
}

void Tagging::run_margins(const TaggerModel& m, const Text& text, const Request& request,
                          Decision& decision) {
  read(m, text, request);
  std::vector<Token>& tokens = decision.tokens;
  std::vector<float>& margins = decision.margins;
  std::vector<int32_t>& boundaries = decision.boundaries;
  const PathWords path_words = words(m);
  text_.stretches(
      [&](uint32_t s, uint32_t e) {
        Emissions scores = score(m, s, e);
        const WordEnds path = viterbi_.best(m, scores, s);
        margins_.run(m, scores);
        steps_ += path.n + 2 * (e - s);
        const std::vector<int32_t>& margin = margins_.values;
        if (request.boundaries) {
          boundaries.resize(text_.n, -kTagNever);
          std::copy(margin.begin(), margin.end(), boundaries.begin() + s);
          boundaries[e - 1] = -kTagNever;
        }
        uint32_t word_first = s;
        Interrupt::for_each(path.n, [&](size_t i) {
          int32_t least = word_first == s ? -kTagNever : margin[word_first - s - 1];
          for (uint32_t k = word_first; k < path.first[i].end && k + 1 < e; ++k)
            least = std::min(least, margin[k - s]);
          // marks and runs that leave no choice cost as much as kTagNever
          margins.push_back(least >= -kTagNever / 2 ? kNoOtherWay : float(double(least) / m.scale));
          word_first = path.first[i].end;
        });
        path_words.append(path, s, Want::kKinds, tokens);
      },
      [&](uint32_t s, uint32_t e, EdgeKind kind) {
        tokens.push_back(path_words.gap(s, e, kind));
        margins.push_back(kNoOtherWay);
      });
}

// --- as a worker sees it -------------------------------------------------------------------------

Tagger::Tagger() : tagging_(new Tagging()) {}
Tagger::~Tagger() = default;
uint64_t Tagger::steps() const { return tagging_->steps(); }
const std::vector<uint32_t>* Tagger::triggers(const TaggerModel& m, const Text& text) {
  return tagging_->triggers(m, text);
}
void Tagger::run(const TaggerModel& m, const Text& text, const Request& request,
                 Decision& decision) {
  tagging_->run(m, text, request, decision);
}
void Tagger::nbest(const TaggerModel& m, const Text& text, const Request& request, size_t count,
                   std::vector<TagPath>& out) {
  tagging_->nbest(m, text, request, count, out);
}
uint32_t Tagger::label_of(const TaggerModel& m, uint32_t s, uint32_t e) const {
  return tagging_->label_of(m, s, e);
}
void Tagger::scores(const TaggerModel& m, const Text& text, const Request& request,
                    std::vector<int32_t>& out) {
  tagging_->scores(m, text, request, out);
}
void Tagger::emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& out) {
  tagging_->emissions(m, text, out);
}

}  // namespace segmenter
