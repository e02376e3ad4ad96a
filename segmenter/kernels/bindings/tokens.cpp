// Columns and objects of tokens.
#include "bindings/tokens.hpp"

#include <structmember.h>

#include <algorithm>
#include <string>

#include "result.hpp"
#include "tagging/model.hpp"
#include "user/columns.hpp"

namespace segmenter {

namespace {

// Whether the kind of a token depends on its characters.
bool depends_on_characters(uint32_t edge) {
  return edge == kWord || edge == kUnknown || edge >= kUserWord;
}

class Reader {
 public:
  Reader(const Text& text, const Decision& decision, const WordCache& cache, WordFacts& facts,
         const TokenSources& sources, PyObject* words, TokenColumns& columns,
         std::vector<UserToken>& user_tokens)
      : text_(text),
        decision_(decision),
        cache_(cache),
        facts_(facts.data()),
        sources_(sources),
        words_(words),
        columns_(columns),
        user_tokens_(user_tokens) {}

  // Each group of tokens is visited twice: prefetch the facts, read. False with an exception set.
  template <class Char>
  bool read(const Char* chars) {
    constexpr size_t kGroup = 64;
    static_assert(kTurn % kGroup == 0, "a turn comes between two groups");
    size_t places[kGroup], row = 0;
    uint32_t start = 0;
    const size_t n = decision_.tokens.size();
    for (size_t first = 0; first < n; first += kGroup) {
      if (first % kTurn == 0 && first && give_turn() < 0) return false;
      const Token* const group = decision_.tokens.data() + first;
      const size_t size = std::min(kGroup, n - first);
      uint32_t fetched = start;
      for (size_t i = 0; i < size; ++i) {
        places[i] = cache_.place(chars, fetched, group[i]);
        __builtin_prefetch(facts_ + places[i]);
        fetched = group[i].end;
      }
      for (size_t i = 0; i < size; ++i) {
        if (!(group[i].label & kDropped) && !read_one(chars, row++, start, first + i, places[i]))
          return false;
        start = group[i].end;
      }
    }
    return true;
  }

 private:
  const Text& text_;
  const Decision& decision_;
  const WordCache& cache_;
  WordFacts::Fact* const facts_;
  const TokenSources& sources_;
  PyObject* const words_;
  TokenColumns& columns_;
  std::vector<UserToken>& user_tokens_;
  TokenCharacters characters_;

  template <class Char>
  bool read_one(const Char* chars, size_t row, uint32_t start, size_t i, size_t place) {
    const Token& token = decision_.tokens[i];
    const uint32_t edge = token_kind(token.label), slot = token_slot(token.label);
    const bool tagger = !sources_.lexicon;
    WordFacts::Fact fact{0, 0};
    if (tagger || depends_on_characters(edge)) {
      fact = facts_[place];  // not known at place 0
      if (!fact.kind && !look_up(start, token, row, place, fact)) return false;
    }
    uint32_t edge_kind = edge, kind = edge;
    if (depends_on_characters(edge)) {
      kind = fact.kind - 1u;
    } else if (edge == kNumber || edge == kDate) {
      const std::u32string characters(chars + start, chars + token.end);
      kind = uint32_t(kind_of(characters, nullptr, int(edge)));
    } else if (edge == kKindPattern) {
      edge_kind = uint32_t(kEdgeNames) + slot;
      kind = uint32_t(kTokenKinds) + slot;
    }
    uint32_t source = std::min(edge, uint32_t(sources_.last_source)), tag = 0;
    if (sources_.unknown && edge == kUnknown && token.end - start > 1) source = sources_.unknown;
    float score = kNoOtherWay;
    if (edge >= kUserWord) {
      edge_kind = kWord;
      user_tokens_.push_back(UserToken{row, edge - kUserWord, slot});
    } else if (tagger) {
      tag = fact.tag - 1u;
      score = decision_.margins[i];
    } else if (edge == kWord && slot) {
      const uint32_t number = sources_.by_slot ? slot - 1 : sources_.lexicon->word_id(slot);
      tag = sources_.tags[number] + 1u;
      score = float(-int32_t(sources_.costs[number])) / float(kUnitsPerNat);
    }
    columns_.starts[row] = int32_t(start);
    columns_.ends[row] = int32_t(token.end);
    columns_.edge_kinds[row] = int32_t(edge_kind);
    columns_.kinds[row] = uint16_t(kind);
    columns_.tags[row] = uint16_t(tag);
    columns_.sources[row] = uint8_t(source);
    columns_.scores[row] = score;
    return true;
  }

  bool look_up(uint32_t start, const Token& token, size_t row, size_t place,
               WordFacts::Fact& fact) {
    int kind = 0;
    if (place || depends_on_characters(token_kind(token.label))) {
      characters_.read(*sources_.characters, text_, start, token.end);
      kind = characters_.kind(0, token.end - start, kWord);
    }
    long tag = 0;
    if (sources_.look_up && !look_up_tag(PyList_GET_ITEM(words_, Py_ssize_t(row)), place, tag))
      return false;
    fact = WordFacts::Fact{uint16_t(kind + 1), uint16_t(tag + 1)};
    if (place) facts_[place] = fact;
    return true;
  }

  bool look_up_tag(PyObject* word, size_t place, long& tag) {
    PyObject* number = place ? nullptr : PyDict_GetItemWithError(sources_.known_tags, word);
    if (number) Py_INCREF(number);
    else if (PyErr_Occurred() || !(number = PyObject_CallOneArg(sources_.look_up, word)))
      return false;
    tag = PyLong_AsLong(number);
    Py_DECREF(number);
    return tag != -1 || !PyErr_Occurred();
  }
};

}  // namespace

void read_tokens(const Text& text, const Decision& decision, WordCache& cache, WordFacts& facts,
                 const TokenSources& sources, PyObject* words, TokenColumns& columns,
                 std::vector<UserToken>& user_tokens) {
  const size_t n = decision.tokens.size() - decision.dropped;
  for (auto* column : {&columns.starts, &columns.ends, &columns.edge_kinds}) column->resize(n);
  columns.kinds.resize(n);
  columns.tags.resize(n);
  columns.sources.resize(n);
  columns.scores.resize(n);
  Reader reader(text, decision, cache, facts, sources, words, columns, user_tokens);
  text.cells([&](auto* chars) { reader.read(chars); });
}

namespace {

// Sets the items of a token and releases those that it had. False with an exception set.
bool fill_token(PyObject* token, const TokenFields& fields) {
#if PY_VERSION_HEX >= 0x030E0000
  reinterpret_cast<PyTupleObject*>(token)->ob_hash = -1;  // not hashed yet
#endif
  const auto put = [&](Py_ssize_t k, PyObject* item) {  // takes the reference
    PyObject* const before = PyTuple_GET_ITEM(token, k);
    PyTuple_SET_ITEM(token, k, item);
    Py_XDECREF(before);
    return item != nullptr;
  };
  const auto set = [&](Py_ssize_t k, PyObject* item) {
    Py_INCREF(item);
    put(k, item);
  };
  set(0, fields.text);
  set(3, fields.kind);
  set(4, fields.source);
  set(5, fields.tag);
  set(6, fields.score);
  set(9, fields.payload);
  return put(1, PyLong_FromLong(fields.start)) && put(2, PyLong_FromLong(fields.end)) &&
         put(7, PyLong_FromLong(fields.position)) && put(8, PyLong_FromLong(fields.length));
}

}  // namespace

PyObject* new_token(PyTypeObject* type, const TokenFields& fields) {
  PyObject* token = type->tp_alloc(type, 10);
  if (!token) return nullptr;
  if (!fill_token(token, fields)) Py_CLEAR(token);
  // without a payload it cannot be part of a cycle
  else if (fields.payload == Py_None) PyObject_GC_UnTrack(token);
  return token;
}

PyObject* TokenMaker::make(PyTypeObject* type, const TokenFields& fields) {
  if (fields.payload != Py_None) return new_token(type, fields);
  second_ = !second_;
  PyObject*& token = last_[second_];
  if (token && Py_REFCNT(token) == 1) {
    if (!fill_token(token, fields)) return nullptr;
  } else {
    PyObject* const next = new_token(type, fields);
    if (!next) return nullptr;
    PyObject* const before = token;
    token = next;
    Py_XDECREF(before);
  }
  Py_INCREF(token);
  return token;
}

PyObject* words_at(PyObject* words, Py_ssize_t start) {
  const Py_ssize_t n = PyList_GET_SIZE(words);
  PyObject* const list = PyList_New(n);
  if (!list) return nullptr;
  for (Py_ssize_t k = 0; k < n; ++k) {
    PyObject* const word = PyList_GET_ITEM(words, k);
    const Py_ssize_t end = start + PyUnicode_GET_LENGTH(word);
    PyObject *const first = PyLong_FromSsize_t(start), *const last = PyLong_FromSsize_t(end);
    PyObject* const row = first && last ? PyTuple_New(3) : nullptr;
    if (!row) {
      Py_XDECREF(first);
      Py_XDECREF(last);
      Py_DECREF(list);
      return nullptr;
    }
    Py_INCREF(word);
    PyTuple_SET_ITEM(row, 0, word);
    PyTuple_SET_ITEM(row, 1, first);
    PyTuple_SET_ITEM(row, 2, last);
    PyObject_GC_UnTrack(row);  // of a str and numbers, so it cannot be part of a cycle
    PyList_SET_ITEM(list, k, row);
    start = end;
  }
  return list;
}

namespace {

// The offset of a slot in the objects of a class; -1 with an exception set.
Py_ssize_t slot_offset(PyTypeObject* type, const char* name) {
  PyObject* const slot = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name);
  if (!slot) return -1;
  Py_ssize_t offset = -1;
  if (Py_IS_TYPE(slot, &PyMemberDescr_Type))
    offset = reinterpret_cast<PyMemberDescrObject*>(slot)->d_member->offset;
  else PyErr_Format(PyExc_TypeError, "%.100s.%s is not a slot", type->tp_name, name);
  Py_DECREF(slot);
  return offset;
}

}  // namespace

PyObject* flagged_words(PyObject* tagged, PyTypeObject* type, PyObject* flags) {
  const Py_ssize_t word_offset = slot_offset(type, "word"), flag_offset = slot_offset(type, "flag");
  if (word_offset < 0 || flag_offset < 0) return nullptr;
  const Py_ssize_t n = PyList_GET_SIZE(tagged);
  PyObject* const list = PyList_New(n);
  for (Py_ssize_t k = 0; list && k < n; ++k) {
    PyObject* const row = PyList_GET_ITEM(tagged, k);
    PyObject *const word = PyTuple_GET_ITEM(row, 0), *const tag = PyTuple_GET_ITEM(row, 1);
    PyObject* flag = PyDict_GetItemWithError(flags, tag);
    if (flag && PyDict_CheckExact(flag)) flag = PyDict_GetItemWithError(flag, word);
    if (!flag) flag = tag;
    PyObject* const object = PyErr_Occurred() ? nullptr : type->tp_alloc(type, 0);
    if (!object) {
      Py_DECREF(list);
      return nullptr;
    }
    const auto set = [&](Py_ssize_t offset, PyObject* value) {
      Py_INCREF(value);
      *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset) = value;
    };
    set(word_offset, word);
    set(flag_offset, flag);
    PyList_SET_ITEM(list, k, object);
  }
  return list;
}

PyObject* words_replaced(PyObject* words, Py_ssize_t least, PyObject* known, PyObject* missing) {
  const Py_ssize_t n = PyList_GET_SIZE(words);
  std::vector<PyObject*> items;  // owned
  items.reserve(size_t(n) + size_t(n) / 2);
  const auto put = [&](PyObject* item) {
    Py_INCREF(item);
    items.push_back(item);
  };
  bool done = true;
  for (Py_ssize_t k = 0; done && k < n; ++k) {
    PyObject* const word = PyList_GET_ITEM(words, k);
    if (PyUnicode_GET_LENGTH(word) <= least) {
      put(word);
      continue;
    }
    PyObject* texts = PyDict_GetItemWithError(known, word);
    if (texts) Py_INCREF(texts);
    else if (PyErr_Occurred() || !(texts = PyObject_CallOneArg(missing, word))) done = false;
    if (!done) break;
    if (PyTuple_CheckExact(texts)) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(texts); ++i) put(PyTuple_GET_ITEM(texts, i));
    } else {
      PyErr_Format(PyExc_TypeError, "expected a tuple of str, not %.100s", Py_TYPE(texts)->tp_name);
      done = false;
    }
    Py_DECREF(texts);
  }
  PyObject* const list = done ? PyList_New(Py_ssize_t(items.size())) : nullptr;
  for (size_t k = 0; k < items.size(); ++k) {
    if (list) PyList_SET_ITEM(list, Py_ssize_t(k), items[k]);
    else Py_DECREF(items[k]);
  }
  return list;
}

}  // namespace segmenter
