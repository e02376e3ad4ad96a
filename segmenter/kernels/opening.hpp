// Opens compiled files: lexicons, n-grams, taggers, networks and user dictionaries from the sections of a
// file, after checking them (validate.hpp). A file that could make a kernel read out of bounds is refused
// with std::invalid_argument.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bilstm/model.hpp"
#include "encoder/model.hpp"
#include "files/json.hpp"
#include "files/sections.hpp"
#include "lattice/ngram.hpp"
#include "lexicon/lexicon.hpp"
#include "pos/pos.hpp"
#include "tagging/model.hpp"
#include "user/tables.hpp"

namespace segmenter {

// `variants`: what to fold in look-ups, null: nothing; `owned_variants` gets their map. `words_elsewhere`: the words
// are in another trie. most_cost: the greatest cost of a word of two and more characters.
void open_lexicon(const Sections& sections, const VariantTable* variants, bool words_elsewhere,
                  Lexicon& lex, std::unique_ptr<Variants>& owned_variants, uint32_t& max_cost);

// The n-gram model compiled with a lexicon of n_words.
void open_ngrams(const Sections& sections, uint32_t n_words, NgramModel& model,
                 std::unique_ptr<SeenKeys>& seen);

// A linear tagger. `lex`, `max_cost`: what open_lexicon() made of the same sections.
void open_tagger(const Sections& sections, Lexicon& lex, uint32_t max_cost, TaggerModel& m);

// What the metadata of a file say of a standard: the numbers of the standard and of its linear
// tagger in the sections, the factor of that tagger's scores, units per score, the marks between
// clauses, the margin of the linear tagger's cut that spares a clause (tagging/network.hpp).
struct NetworkSettings {
  int standard = 0, words = 0;
  double weight = 0, scale = 0, margin = 0;
  std::u32string marks;
};

// The fault of sections that lack what a network needs.
constexpr const char* kNetworkMisfit =
    "the sections of the network do not fit each other or its tagger";

// One standard of a BiLSTM-CRF, over its linear tagger. `b` has its instruction set; `m` becomes the
// tagger that runs it.
void open_network(const Sections& sections, const NetworkSettings& settings,
                  const TaggerModel& linear, bilstm::Model& b, TaggerModel& m);

// The same of an encoder.
void open_encoder(const Sections& sections, const NetworkSettings& settings,
                  const TaggerModel& linear, encoder::Model& b, TaggerModel& m);

// A part-of-speech tagger, and the names of its tags, which its metadata have.
void open_pos(const Sections& sections, const Json& meta, const Lexicon& lex, PosModel& m,
              std::vector<std::string>& tags);

// Points a layer at its columns; tables are attached or built afterwards.
void open_user(const Sections& sections, int width, bool line_ends, UserLayer& layer);

constexpr const char* kUserTables[] = {"filter", "nodes", "entries", "skips"};

// Attaches the tables of the fields that have them, of which there is at least one.
void attach_user(const Sections& sections, UserLayer& layer);

struct UserTables;

using PutSection = std::function<void(const std::string& name, const void* data, size_t n)>;
// Compiles the tables of every field that has entries, attaches them, and calls
// put(name, column) for each. `folds[f]`: the folding of field f.
void compile_user(const FoldTable* folds, UserTables* tables, UserLayer& layer,
                  const PutSection& put);

// What the entries do to boundaries, as 32 hexadecimal digits, whatever their order; "" of none.
std::string user_digest(const UserLayer& layer);

}  // namespace segmenter
