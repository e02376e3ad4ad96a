// Tokens of a text: columns, read in one pass over a decision, and Python objects on request.
#pragma once
#include "bindings/objects.hpp"

#include <vector>

#include "kinds.hpp"

namespace segmenter {

struct Decision;

// The tokens of a text, as numbers: objects are made only of what is asked for. read_tokens() fills
// all columns; of tokens made otherwise only the first three are filled.
struct TokenColumns {
  std::vector<int32_t> starts, ends;  // in code points
  std::vector<int32_t> edge_kinds;    // the kinds of the edges that made the tokens
  std::vector<uint16_t> kinds;        // number in the list of names
  std::vector<uint16_t> tags;         // number in the list of names plus one; 0: none
  std::vector<uint8_t> sources;       // number in the list of names
  std::vector<float> scores;          // kNoOtherWay: none
  size_t size() const { return ends.size(); }
};

// Kind and tag of the words of one WordCache, by their place in it.
class WordFacts {
 public:
  struct Fact {
    uint16_t kind, tag;  // both plus one, 0: not known yet; a tag of 1: none
  };
  WordFacts() = default;
  WordFacts(const WordFacts&) = delete;
  WordFacts& operator=(const WordFacts&) = delete;
  ~WordFacts() { std::free(facts_); }
  void reserve(size_t n) {  // once
    if (facts_) return;
    facts_ = static_cast<Fact*>(std::calloc(n, sizeof(Fact)));  // untouched pages cost nothing
    if (!facts_) throw std::bad_alloc();
  }
  Fact* data() { return facts_; }

 private:
  Fact* facts_ = nullptr;
};

// What a Segmenter's tokens are read with. Objects are borrowed.
struct TokenSources {
  // Of a tagger with a lexicon: a dict from words to the numbers of their tags plus one, 0: none;
  // and a function that returns the number of a word that the dict lacks. Null: words have no tags.
  PyObject* known_tags = nullptr;
  PyObject* look_up = nullptr;
  const Lexicon* characters = nullptr;  // has the classes of characters
  // Of a lattice; costs and tags by the number of a word.
  const Lexicon* lexicon = nullptr;
  const uint16_t* costs = nullptr;
  const uint8_t* tags = nullptr;
  bool by_slot = false;     // slots are numbers plus one
  uint8_t last_source = 0;  // sources are numbered as kinds are, up to this one
  uint8_t unknown = 0;      // the source of unknown words of several characters; 0: their kind's
};

// A token that a word of the user made.
struct UserToken {
  size_t row;
  uint32_t layer, number;
};

// Reads a decision; `words`: the list of its words; `facts`: have room for the cache's words. May
// return with an exception set.
void read_tokens(const Text& text, const Decision& decision, WordCache& cache, WordFacts& facts,
                 const TokenSources& sources, PyObject* words, TokenColumns& columns,
                 std::vector<UserToken>& user_tokens);

// The fields of a Token, a NamedTuple of ten. Objects are borrowed.
struct TokenFields {
  PyObject *text, *kind, *source, *tag, *score, *payload;
  int32_t start, end, position, length;
};
// NULL with an exception set.
PyObject* new_token(PyTypeObject* type, const TokenFields& fields);

// Makes tokens one after another. If the caller has released a token by the time of the next but
// one, it is filled anew, as zip() does with its tuples: making and freeing one takes as long as
// filling it twice.
class TokenMaker {
 public:
  TokenMaker() = default;
  TokenMaker(const TokenMaker&) = delete;
  TokenMaker& operator=(const TokenMaker&) = delete;
  ~TokenMaker() {
    for (PyObject* token : last_) Py_XDECREF(token);
  }
  PyObject* make(PyTypeObject* type, const TokenFields& fields);

 private:
  PyObject* last_[2] = {};  // without payloads, so that no code runs when they are freed
  bool second_ = false;
};

// [(word, start, end), ...] of words that follow each other from `start` on; NULL with an exception
// set.
PyObject* words_at(PyObject* words, Py_ssize_t start);
// An object of `type`, which has the slots `word` and `flag`, for each (word, tag). The flag is
// flags[tag], or flags[tag][word] if flags[tag] is a dict, or else the tag. NULL with an exception
// set.
PyObject* flagged_words(PyObject* tagged, PyTypeObject* type, PyObject* flags);
// The words of a list. Those longer than `least` are replaced by a tuple of str: known[word], or
// missing(word) if the dict lacks it. NULL with an exception set.
PyObject* words_replaced(PyObject* words, Py_ssize_t least, PyObject* known, PyObject* missing);

}  // namespace segmenter
