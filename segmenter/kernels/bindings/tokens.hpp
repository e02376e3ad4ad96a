// Tokens of a text as Python objects: columns, made in one pass over the result, and a tuple for a token
// on request.
#pragma once
#include "bindings/objects.hpp"

#include <vector>

#include "kinds.hpp"

namespace segmenter {

struct Decision;

// The tokens of a text: where they are, in code points, and the kind of the edge that made each, a
// number in a list of names.  Of those that a reader made also what else there is to tell, so that
// objects are made only of what is asked for.
struct TokenColumns {
  std::vector<int32_t> starts, ends, kinds;
  std::vector<uint16_t> told, tags;  // numbers in lists of names; of tags plus one, 0: none
  std::vector<uint8_t> sources;
  std::vector<float> scores;  // kNoOtherWay: none
  size_t size() const { return ends.size(); }
};

// Kind and tag of the words of one WordCache, by place, once they are known.
class WordFacts {
 public:
  struct Fact {
    uint16_t kind, tag;  // both plus one: 0 is not known; a tag of 1 is none
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

// What a Segmenter's tokens are read with; objects are borrowed.
struct TokenSources {
  // Of a tagger with a lexicon: the numbers plus one of the tags that words have there, a dict by str, and
  // what gives it a further one, or 0. Null: words have no tags.
  PyObject* known_tags = nullptr;
  PyObject* look_up = nullptr;
  const Lexicon* characters = nullptr;  // has the classes of characters
  const uint16_t* costs = nullptr;      // of a lattice: by the number of a word
  const uint8_t* tag_of = nullptr;      // the same: tags
  const Lexicon* lexicon = nullptr;     // of a lattice
  bool by_slot = false;                 // slots are numbers plus one
  uint8_t last_source = 0;              // sources are numbered as kinds are, up to this one
  uint8_t unknown =
      0;  // the source of a word of several characters that the lexicon lacks; 0: its kind's
};

// A token that a word of the user made.
struct UserToken {
  size_t row;
  uint32_t layer, number;
};

// Reads a decision; `words` are its words, and facts have room for the cache's. -1 with an exception set.
int read_tokens(const Text& text, const Decision& decision, WordCache& cache, WordFacts& facts,
                const TokenSources& from, PyObject* words, TokenColumns& columns,
                std::vector<UserToken>& user_tokens);

// A Token: a NamedTuple of ten. The objects are borrowed. NULL with an exception set.
struct TokenFields {
  PyObject *text, *kind, *source, *tag, *score, *payload;
  int32_t start, end, position, length;
};
PyObject* new_token(PyTypeObject* type, const TokenFields& fields);

// Makes tokens one after another. A token that the caller has let go of by the time of the next but
// one is filled anew, as zip() does with its tuples: making and freeing one takes as long as filling
// it twice.
class TokenMaker {
 public:
  TokenMaker() = default;
  TokenMaker(const TokenMaker&) = delete;
  TokenMaker& operator=(const TokenMaker&) = delete;
  ~TokenMaker() {
    for (PyObject* one : kept_) Py_XDECREF(one);
  }
  PyObject* make(PyTypeObject* type, const TokenFields& fields);

 private:
  PyObject* kept_[2] = {};  // without payloads, so they run no code when they are freed
  bool second_ = false;
};

// [(word, start, end), ...] of words that follow each other from `start` on; NULL with an exception set.
PyObject* words_at(PyObject* words, Py_ssize_t start);
// An object of `type` for each (word, tag): its slots `word` and `flag`, the flag being what `flags`, a
// dict, has for the tag, or has for the word where that is a dict, or the tag. NULL with an exception set.
PyObject* flagged_words(PyObject* tagged, PyTypeObject* type, PyObject* flags);
// The words of a list, those longer than `least` replaced by what `known`, a dict, has for them, a tuple
// of str; `missing` is called for one that it lacks. NULL with an exception set.
PyObject* words_replaced(PyObject* words, Py_ssize_t least, PyObject* known, PyObject* missing);

}  // namespace segmenter
