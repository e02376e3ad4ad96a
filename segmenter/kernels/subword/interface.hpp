// The functions that the bindings of subword models call. interface.cpp, models.cpp and training.cpp
// implement them, so a change of a kernel does not recompile the bindings.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "subword/replacements.hpp"
#include "text.hpp"
#include "unknown.hpp"

namespace segmenter {

class CharsMap;
class SentencePieceNormaliser;
class SubwordModel;
class TokenFinder;
struct SubwordScratch;

constexpr uint32_t kNoPiece = 0xFFFFFFFF;

struct SubwordPiece {
  uint32_t id, start, end;
};

// A span of the text.
struct SubwordSpan {
  uint32_t start, end;
};

// The pieces of a vocabulary, concatenated, as code points (bytes if it is byte-level).
struct PieceList {
  std::vector<uint32_t> units;
  std::vector<size_t> ends;  // in units
  std::vector<uint32_t> ids;

  size_t size() const { return ids.size(); }
  const uint32_t* begin(size_t i) const { return units.data() + (i ? ends[i - 1] : 0); }
  size_t length(size_t i) const { return ends[i] - (i ? ends[i - 1] : 0); }

  void add(const Text& piece, uint32_t id) {
    piece.cells([&](auto* cells) { units.insert(units.end(), cells, cells + piece.n); });
    ends.push_back(units.size());
    ids.push_back(id);
  }
};

// What to write for characters outside the vocabulary.
struct UnknownRule {
  uint32_t unk = kNoPiece;     // kNoPiece: leave them out
  bool fuse = false;           // several in a row become one
  bool byte_fallback = false;  // write bytes instead, if the vocabulary has all that are needed
  bool together = false;       // bytes of several in a row span all of them, as in tokenizers
  std::array<uint32_t, 256> byte_ids;

  UnknownRule() { byte_ids.fill(kNoPiece); }
};

// Patterns that split a text: expressions.hpp, scanners.hpp.

struct ExpressionInst {
  uint32_t op, a, b, c;
};

struct ExpressionMatch {
  uint32_t start, end;
};

// One pattern. `starts`: the alternatives in order; `first`: for each class, one bit per
// alternative that may begin with it.
struct Expression {
  std::vector<ExpressionInst> code;
  std::vector<uint32_t> starts;
  uint32_t first[256];
  bool empty_possible = false;  // some alternative matches nothing
};

enum class ScanKind : uint32_t { kNone, kGpt2, kCl100k, kO200k, kDeepSeek, kRuns };

struct ScanRule {
  ScanKind kind = ScanKind::kNone;
  uint32_t digits = 0;       // maximum length of a number; 0: any
  uint32_t contraction = 0;  // 0: none, 1: lower case, 2: either case
  uint32_t long_s = 0;       // whether ſ counts as an s
  uint32_t slash = 0;        // whether slashes count as line breaks after signs
  uint32_t end_first = 0;    // whether blanks at the end are one match even with line breaks
  uint8_t bits[256];         // by class
  uint32_t most[256];        // for kRuns, maximum length of a run; 0: any
};

enum class CutBehaviour : uint8_t { kRemoved, kIsolated, kPrevious, kNext, kContiguous };

// Steps that split a text at the matches of patterns, one after another, each within the spans of
// the previous step.
struct PreTokenScanner {
  struct Step {
    Expression expression;
    CutBehaviour behaviour;
    bool invert;
    ScanRule rule;  // kNone: only the expression decides what matches
  };
  std::vector<Step> steps;
  std::vector<uint8_t> classes;  // of all code points
  std::vector<uint8_t> sets;     // of classes, 256 bytes each
};

// The working memory of a call, and its results.  One call at a time.
class SubwordCaller {
 public:
  SubwordCaller();
  SubwordCaller(const SubwordCaller&) = delete;
  SubwordCaller& operator=(const SubwordCaller&) = delete;
  ~SubwordCaller();
  std::vector<SubwordSpan>& spans();
  const std::vector<SubwordPiece>& pieces() const;
  std::vector<uint32_t>& ids();
  SubwordScratch& scratch() { return *scratch_; }

 private:
  const std::unique_ptr<SubwordScratch> scratch_;
};

// Finds the spans of a text; returns the steps taken.
uint64_t find_spans(const PreTokenScanner& scanner, const Text& text, SubwordCaller& call);
// The matches of the pattern of the first step, including empty ones.
std::vector<ExpressionMatch> find_matches(const PreTokenScanner& scanner, const Text& text);

// Models. A shared_ptr can delete an incomplete type.

struct BpeParts {
  PieceList pieces;                  // as bytes if byte_level, otherwise as code points
  std::vector<uint8_t> marks;        // one per piece: kPieceHidden, kPieceWhole
  const uint32_t* merges = nullptr;  // left id, right id, rank, merged id
  size_t n_merges = 0;
  bool byte_level = false;
  uint32_t n_ids = 0;  // ids from here on are intermediate results, and become unknown at the end
  UnknownRule unknown;
  std::vector<uint32_t> prefix, suffix;  // of pieces that do not begin a word, that end one
};
// kPieceHidden: ordinary text never produces the piece; kPieceWhole: a word equal to the piece
// becomes it, regardless of the merges.
constexpr uint8_t kPieceHidden = 1;
constexpr uint8_t kPieceWhole = 2;

struct UnigramParts {
  PieceList pieces;
  std::vector<double> scores;  // one per piece
  UnknownRule unknown;
  double unk_score = 0;
  bool single = false;  // sums have 32 bits
};

struct WordPieceParts {
  PieceList first, inner;  // pieces that begin words; the others, without their prefix
  uint32_t unk = 0;
  size_t max_chars = 100;
};

struct WordLevelParts {
  PieceList words;
  uint32_t unk = kNoPiece;  // of all other words; kNoPiece: an error
};

std::shared_ptr<SubwordModel> bpe_model(const BpeParts& parts);
std::shared_ptr<SubwordModel> unigram_model(const UnigramParts& parts);
std::shared_ptr<SubwordModel> wordpiece_model(const WordPieceParts& parts);
std::shared_ptr<SubwordModel> wordlevel_model(const WordLevelParts& parts);

// Encodes the spans that `scanner` finds, or, if it is null, those of the call.
// Returns the index of the first character without a piece, or -1.
int64_t encode(const SubwordModel& model, const PreTokenScanner* scanner, const Text& text,
               SubwordCaller& call);
// The model as the engine's cutter of unknown words; valid as long as the model.
std::unique_ptr<UnknownCutter> cutter_of(const SubwordModel& model);

// Token i of `tokens` is found as a piece with the id tokens.ids[i].
std::shared_ptr<TokenFinder> token_finder(const PieceList& tokens);
// Appends to `out`; `first_only` stops after the first. Returns how many characters it looked at.
size_t find_tokens(const TokenFinder& finder, const Text& text, bool first_only,
                   std::vector<SubwordPiece>& out);

// SentencePiece's normalisation: charsmap.hpp.
struct SentencePieceParts {
  const CharsMap* rules = nullptr;
  const TokenFinder* symbols = nullptr;  // left as they are
  bool mark = true;                      // put a blank before the text
  bool suffix = false;                   // after it instead
  bool collapse = true;                  // drop blanks at the ends, and collapse runs of blanks
  uint32_t blank = ' ';                  // what a blank becomes
};
// `units`: little-endian, four bytes each.
std::shared_ptr<CharsMap> chars_map(const uint8_t* units, size_t n_units, const char* replacements,
                                    size_t n_replacements);
// Whether a rule may begin with this character.
bool begins_rule(const CharsMap& rules, uint32_t cp);
// The replacement of the shortest prefix of a text that has a rule; false: there is none.
bool shortest_rule(const CharsMap& rules, const Text& text, std::vector<uint32_t>& replacement);
std::shared_ptr<SentencePieceNormaliser> sentencepiece_normaliser(const SentencePieceParts& parts);
void normalise(const SentencePieceNormaliser& normaliser, const Text& text,
               std::vector<uint32_t>& out);
// The spans in the old text of every character of the new one. `covering`: a character that
// replaces several covers all of them, and the mark none; otherwise as SentencePiece has it: each
// covers the text up to where the next one comes from.
void normalised_spans(const SentencePieceNormaliser& normaliser, const Text& text, bool covering,
                      std::vector<uint32_t>& starts, std::vector<uint32_t>& ends);

// A tokenizer's steps: pipeline.hpp.
struct TextPipeline {
  const SubwordModel* model = nullptr;
  const Replacements* replaced = nullptr;                  // nullptr: no character changes
  const SentencePieceNormaliser* sentencepiece = nullptr;  // all of the normalisation, or nullptr
  std::vector<uint32_t> prefix;                            // prepended to a text by the normaliser
  uint32_t blank = ' ';                                    // the normalised blank
  bool plain_edges = false;             // run the steps if a text begins or ends with blanks
  uint32_t squeezed = 0;                // what a run of blanks becomes; 0: it stays
  const TokenFinder* tokens = nullptr;  // matched in the original text
  std::vector<uint32_t> token_ids;      // one per token
  bool tokens_alone = true;             // no token depends on its context
  const TokenFinder* normalised_tokens = nullptr;
  const TokenFinder* odd = nullptr;    // run the steps if the original text contains one of these
  const TokenFinder* whole = nullptr;  // always spans of their own, which split others
  const PreTokenScanner *before = nullptr, *after = nullptr;  // splits before and after the mark
  uint32_t mark = 0;                                          // prepended to spans; 0: none
  bool mark_first_only = false, mark_blanks = false, mark_missing = false;
  std::vector<uint32_t> spelling;    // characters for the bytes, between `before` and `after`
  std::vector<uint32_t> head, tail;  // ids before and after those of the text
};

enum PipelineStatus : int { kPipelineDone, kPipelineSteps, kPipelineUnknown };

struct PipelineText {
  Text text;
  int status = kPipelineDone, worker = 0;
  size_t first = 0, count = 0;  // its ids among those of its worker
};

// Appends to the ids of the call; `special`: also head and tail.
void encode_text(const TextPipeline& pipeline, PipelineText& text, bool special,
                 SubwordCaller& call);
void encode_texts(const TextPipeline& pipeline, std::vector<PipelineText>& texts, bool special,
                  const std::vector<SubwordCaller*>& callers);

// Training.

// How often each span occurs in texts, in the order of first occurrence: span_counts.hpp.
class SpanCounter {
 public:
  struct Counted {
    const uint32_t* text;
    size_t n;
    int64_t count;
  };
  virtual ~SpanCounter() = default;
  virtual void add(const PreTokenScanner& scanner, const std::vector<Text>& texts, int threads) = 0;
  virtual size_t size() const = 0;
  virtual Counted at(size_t i) const = 0;
};
std::unique_ptr<SpanCounter> span_counter();

// Merges of adjacent pieces, best first: pairs.hpp.
class PairLearner {
 public:
  struct Best {
    uint32_t left, right;
    int64_t count;
    double score;
  };
  std::vector<uint32_t> symbols;  // single characters, by number

  virtual ~PairLearner() = default;
  virtual void add(const Text& word, int64_t count) = 0;
  // Call once all words have been added.
  virtual void start() = 0;
  // The best pair; false if there are none. Then call merge().
  virtual bool best(Best& out) = 0;
  // Merges the best pair into the symbol `merged`, a new one or an existing one.
  virtual void merge(uint32_t merged) = 0;
};
// `inner`: symbols after the first of a word are distinct. `scored`: rank by WordPiece's score.
std::unique_ptr<PairLearner> pair_learner(bool inner, bool scored, int64_t least);

// Words with counts, and the lattice of pieces over each word: train.hpp.
class UnigramCorpus {
 public:
  virtual ~UnigramCorpus() = default;
  virtual void add(const Text& word, double weight) = 0;
  // Sets the vocabulary for the next passes; its pieces have the ids 0, 1, ….
  virtual void set_pieces(const PieceList& pieces, const double* scores) = 0;
  virtual size_t n_pieces() const = 0;
  // Writes the expected counts of all pieces, and returns the log likelihood.
  virtual double expected(double* counts) = 0;
  // Writes how often each piece occurs in the best segmentations.
  virtual void best(double* counts) = 0;
  // The best other pieces that spell piece `i`, last first; empty if there are none.
  virtual const std::vector<uint32_t>& alternative(uint32_t i) = 0;
};
std::unique_ptr<UnigramCorpus> unigram_corpus();

}  // namespace segmenter
