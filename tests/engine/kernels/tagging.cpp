// The parts of a tagger, each alone, with random weights: the search, the margins and the n best
// against every sequence of tags, and the states of the lexicon against their definition.  Built by
// tests/engine/kernels/run with vector instructions and without, for this machine and, with a cross
// compiler and an emulator, for others.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include "tagging/lexicon_states.hpp"
#include "tagging/margins.hpp"
#include "tagging/nbest.hpp"
#include "tagging/viterbi.hpp"

namespace {

using namespace segmenter;

constexpr uint32_t kMost = 7;  // characters: 4^7 sequences

std::mt19937 draw(1);

int32_t between(int32_t least, int32_t most) {
  return least + int32_t(draw() % uint32_t(most - least + 1));
}

void expect(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

// A stretch with scores, marks and transitions; few values, so that paths often tie.
struct Stretch {
  TaggerModel model;
  Emissions scores;
  std::vector<uint8_t> marks;
  std::vector<int16_t> sums;

  Stretch(uint32_t n, int32_t spread) {
    for (int a = 0; a < kTags; ++a) {
      if (Tags::begins(a)) model.start[a] = between(-spread, spread);
      for (int b = 0; b < kTags; ++b)
        if (Tags::follows(a, b)) model.trans[kTags * a + b] = between(-spread, spread);
    }
    for (uint32_t j = 0; j < n; ++j) {
      const int32_t kind = between(0, 9);  // one in ten cut, one in ten joined
      marks.push_back(kind == 0 ? kMarkCut : kind == 1 ? kMarkJoin : 0);
      for (int t = 0; t < kTags; ++t) sums.push_back(int16_t(between(-spread, spread)));
    }
    scores.n = n;
    scores.marks = marks.data();
    scores.sums = sums.data();
  }

  // Calls each(tags, score) for every sequence that spells words, marks or not.
  template <class Each>
  void sequences(const Each& each) const {
    std::vector<int> tags;
    from(tags, 0, each);
  }

 private:
  template <class Each>
  void from(std::vector<int>& tags, int64_t score, const Each& each) const {
    const uint32_t j = uint32_t(tags.size());
    if (j == scores.n) {
      if (Tags::ends(tags.back())) each(tags, score);
      return;
    }
    int32_t at[kTags];
    scores.column(j, at);
    for (int t = 0; t < kTags; ++t) {
      if (j ? !Tags::follows(tags.back(), t) : !Tags::begins(t)) continue;
      tags.push_back(t);
      const int32_t way = j ? model.trans[kTags * tags[j - 1] + t] : model.start[t];
      from(tags, score + at[t] + way, each);
      tags.pop_back();
    }
  }
};

int64_t score_of(const Stretch& s, const std::vector<uint32_t>& ends) {
  int64_t best = INT64_MIN;
  s.sequences([&](const std::vector<int>& tags, int64_t score) {
    std::vector<uint32_t> here;
    for (uint32_t j = 0; j < s.scores.n; ++j)
      if (Tags::ends(tags[j])) here.push_back(j + 1);
    if (here == ends) best = std::max(best, score);
  });
  return best;
}

// The path, the margins and the n best of one stretch.
void decode(uint32_t n, int32_t spread) {
  Stretch s(n, spread);
  // the best score, and by position the best of the sequences that end a word there and of those
  // that do not
  int64_t best = INT64_MIN;
  std::vector<int64_t> all, shut(n, INT64_MIN), open(n, INT64_MIN);
  s.sequences([&](const std::vector<int>& tags, int64_t score) {
    best = std::max(best, score);
    all.push_back(score);
    for (uint32_t j = 0; j < n; ++j) {
      int64_t& side = Tags::ends(tags[j]) ? shut[j] : open[j];
      side = std::max(side, score);
    }
  });
  Viterbi viterbi;
  viterbi.reserve(n);
  const WordEnds path = viterbi.best(s.model, s.scores, 0);
  std::vector<uint32_t> ends;
  for (size_t i = 0; i < path.n; ++i) ends.push_back(path.first[i].end);
  expect(score_of(s, ends) == best, "Viterbi: another sequence has a better score");

  BoundaryMargins margins;
  margins.run(s.model, s.scores);
  for (uint32_t j = 0; j + 1 < n; ++j) {
    if (open[j] < kTagNever / 2 || shut[j] < kTagNever / 2) {
      expect(margins.values[j] >= -kTagNever / 2, "margins: marks leave no choice here");
    } else {
      expect(margins.values[j] == std::abs(shut[j] - open[j]),
             "margins: not the two best sequences'");
    }
  }

  std::sort(all.begin(), all.end(), std::greater<>());
  TagPaths paths(s.model);
  paths.add(0, s.scores);
  std::vector<TagPath> found;
  paths.best(3, found);
  for (size_t i = 0; i < found.size(); ++i)
    if (all[i] > kTagNever / 2) expect(found[i].score == all[i], "n best: a better one is missing");
}

// Where the best paths to all tags share a word end, the best path of whatever follows has it too.
void share() {
  Stretch s(kMost, 3);
  Viterbi viterbi;
  viterbi.reserve(kMost);
  const uint32_t n = uint32_t(between(2, kMost));
  Emissions first = s.scores.part(0, n);
  viterbi.search(s.model, first, s.model.start);
  bool single = false;
  const uint32_t end = viterbi.common_end(n, single);
  if (!end) return;
  const WordEnds path = viterbi.best(s.model, s.scores, 0);
  bool there = false;
  for (size_t i = 0; i < path.n; ++i) there |= path.first[i].end == end;
  expect(there, "common_end: the best path of the whole text passes elsewhere");
}

std::vector<uint8_t> noted(const std::vector<std::vector<uint32_t>>& words, uint32_t n) {
  LexiconStates states;
  states.reserve(n);
  states.clear(n);
  for (const auto& w : words) states.add_word(w[0], w[1], w[2]);
  return {states.position(0), states.position(n)};
}

void note() {
  constexpr uint32_t kText = 12;
  std::vector<std::vector<uint32_t>> words;
  for (int i = between(0, 9); i > 0; --i) {
    const uint32_t len = uint32_t(between(2, 8));
    words.push_back({uint32_t(between(0, int32_t(kText - len))), len, uint32_t(between(0, 7))});
  }
  std::vector<uint8_t> want(kText * LexiconStates::kBytes);
  for (const auto& w : words)
    for (uint32_t k = 0; k < w[1]; ++k)
      for (uint32_t g = 0; g < kTagGroups; ++g) {
        const uint32_t role = k == 0 ? 0 : k + 1 == w[1] ? 2 : 1;
        uint8_t& at = want[(w[0] + k) * LexiconStates::kBytes + 4 * g + role];
        if (w[2] >> g & 1) at = std::max(at, uint8_t(std::min(w[1], 6u) - 1));
      }
  expect(noted(words, kText) == want, "states: not the longest words");
#if SEGMENTER_SSE4
  std::vector<int16_t> weights(kTagGroups * kTagStates * 4);
  for (int16_t& w : weights) w = int16_t(between(-32768, 32767));
  for (uint32_t j = 0; j < kText; ++j) {
    const uint8_t* of = want.data() + LexiconStates::kBytes * j;
    int16_t sum[4] = {};
    for (uint32_t g = 0; g < 3; ++g)
      for (int t = 0; t < 4; ++t)
        sum[t] = saturated(
            sum[t] + weights[(g * kTagStates + LexiconStates::code(of + 4 * g)) * 4 + size_t(t)]);
    int16_t got[8];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(got),
                     LexiconStates::add_states<3>(_mm_setzero_si128(), of, weights.data()));
    for (int t = 0; t < 4; ++t) expect(got[t] == sum[t], "states: the weights of a vector differ");
  }
#endif
}

}  // namespace

int main() {
  try {
    for (int round = 0; round < 300; ++round) {
      const uint32_t n = 1 + uint32_t(round) % kMost;
      const int32_t spread = round % 3 == 0 ? 3 : 9000;
      decode(n, spread);
      share();
      note();
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tagging: %s\n", e.what());
    return 1;
  }
  std::printf("tagging: search, margins, n best and states as defined\n");
  return 0;
}
