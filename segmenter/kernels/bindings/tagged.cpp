// Makes lists of (word, tag) from the words of a result.
#include "bindings/tagged.hpp"

#include "pos/tags.hpp"

namespace segmenter {

namespace {

void fetch_near(const int8_t* rows, uint32_t lanes) {
  for (uint32_t k = 0; k < kPosNears * lanes; k += 64) __builtin_prefetch(rows + k);
}

// A new pair; the entry keeps it as its second.
SEGMENTER_NOINLINE PyObject* new_pair(const TextView& text, uint32_t start, uint32_t end,
                                      WordCache& cache, size_t place, TagCache::Entry& entry,
                                      uint8_t tag, PyObject* names) {
  PyObject* word = place ? cache.data()[place] : nullptr;
  if (word) {
    Py_INCREF(word);
  } else {
    word = new_word(text, start, end);
    if (!word) return nullptr;
    if (place) {
      Py_INCREF(word);
      cache.data()[place] = word;
    }
  }
  PyObject* pair = PyTuple_New(2);
  if (!pair) {
    Py_DECREF(word);
    return nullptr;
  }
  PyTuple_SET_ITEM(pair, 0, word);
  PyObject* const name = PyList_GET_ITEM(names, Py_ssize_t(tag));
  Py_INCREF(name);
  PyTuple_SET_ITEM(pair, 1, name);
  PyObject_GC_UnTrack(pair);  // contains only strings, so it cannot be part of a cycle
  if (place) {
    const size_t second = entry.pairs[0] != nullptr;
    PyObject* before = entry.pairs[second];
    Py_INCREF(pair);
    entry.pairs[second] = pair;
    entry.tags[second] = tag;
    Py_XDECREF(before);
  }
  return pair;
}

// TagCall::read() of a text of one width. Each group of tokens is visited three times: prefetch the
// numbers of its entries, prefetch the entries, read.
template <class Char>
void read_words(TagCall& call, const PosModel& m, PosKnown& known, const Char* chars,
                const Token* tokens, size_t n, size_t dropped, const WordCache& cache,
                TagCache& tags) {
  constexpr size_t kGroup = 64;
  TagCache::Entry* const entries = tags.data();
  call.scratch.begin(n - dropped, m, known.boundary());
  if (call.words.size() < n - dropped) call.words.resize(n - dropped);
  uint32_t fetched = 0, start = 0;
  size_t row = 0;
  for (size_t first = 0; first < n; first += kGroup) {
    const size_t size = n - first < kGroup ? n - first : kGroup, begin = row;
    for (size_t i = 0; i < size; ++i) {
      const Token& token = tokens[first + i];
      if (!(token.label & kDropped)) {
        call.words[row].place = uint32_t(cache.place(chars, fetched, token));
        tags.fetch(call.words[row++].place);
      }
      fetched = token.end;
    }
    for (size_t i = begin; i < row; ++i) {
      call.words[i].number = tags.number(call.words[i].place);
      __builtin_prefetch(entries + call.words[i].number);
    }
    row = begin;
    for (size_t i = 0; i < size; ++i) {
      const Token& token = tokens[first + i];
      if (!(token.label & kDropped)) {
        TagCache::Entry& entry = entries[call.words[row].number];
        if (__builtin_expect(entry.pairs[0] != nullptr, 1)) {
          call.scratch.push(entry.word);
          fetch_near(entry.word.near_sums, m.lanes());
          __builtin_prefetch(entry.pairs[0], 1);
        } else {
          PosWord word = pos_word(*m.lex, chars + start, token.end - start, m.n_classes);
          known.look_up(word);
          call.scratch.push(word);
          if (call.words[row].number) entry.word = word;
        }
        ++row;
      }
      start = token.end;
    }
  }
  call.scratch.end();
}

// Fills `list` with (word, tag); `names` is a list of str. False with an exception set.
bool fill_tagged(TagCall& call, PyObject* list, const TextView& text, const Token* tokens, size_t n,
                 WordCache& cache, TagCache& tags, PyObject* names) {
  uint32_t start = 0;
  size_t row = 0;
  for (size_t i = 0; i < n; ++i) {
    if (i % kTurn == 0 && i && give_turn() < 0) return false;
    const Token& token = tokens[i];
    if (!(token.label & kDropped)) {
      const uint8_t tag = call.scratch.tag(row);
      const TagCall::Word word = call.words[row];
      TagCache::Entry& entry = tags.data()[word.number];
      const size_t k = entry.tags[0] != tag;  // unpredictable, so no branch
      PyObject* pair = entry.tags[k] == tag ? entry.pairs[k] : nullptr;
      if (__builtin_expect(pair != nullptr, 1)) Py_INCREF(pair);
      else if (!(pair = new_pair(text, start, token.end, cache, word.place, entry, tag, names)))
        return false;
      PyList_SET_ITEM(list, Py_ssize_t(row++), pair);
    }
    start = token.end;
  }
  return true;
}

}  // namespace

void TagCall::read(const PosModel& m, PosKnown& known, const TextView& text, const Token* tokens,
                   size_t n, size_t dropped, const WordCache& cache, TagCache& tags) {
  text.cells(
      [&](auto* chars) { read_words(*this, m, known, chars, tokens, n, dropped, cache, tags); });
}

void decide_tags(const PosModel& m, const PosKnown& known, PosScratch& s) { pos_tags(m, known, s); }

PyObject* tagged_list(TagCall& call, const TextView& text, const Token* tokens, size_t n,
                      size_t dropped, WordCache& cache, TagCache& tags, PyObject* names) {
  PyObject* list = PyList_New(Py_ssize_t(n - dropped));
  if (list && !fill_tagged(call, list, text, tokens, n, cache, tags, names)) Py_CLEAR(list);
  return list;
}

}  // namespace segmenter
