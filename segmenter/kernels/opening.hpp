// Opens the sections of compiled files after checking them (validate.hpp): lexicons, n-grams,
// taggers, networks and user dictionaries. Refuses with std::invalid_argument a file that could
// make a kernel read out of bounds.
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

// `variants`: the variants to fold in look-ups, null: none; `owned_variants` receives their map.
// `words_elsewhere`: the words are in another trie. `max_cost`: receives the greatest cost of a
// word of two or more characters.
void open_lexicon(const Sections& sections, const VariantTable* variants, bool words_elsewhere,
                  Lexicon& lex, std::unique_ptr<Variants>& owned_variants, uint32_t& max_cost);

// The n-gram model that was compiled with a lexicon of n_words.
void open_ngrams(const Sections& sections, uint32_t n_words, NgramModel& model,
                 std::unique_ptr<SeenKeys>& seen);

// A linear tagger. `lex`, `max_cost`: from open_lexicon() with the same sections.
void open_tagger(const Sections& sections, Lexicon& lex, uint32_t max_cost, TaggerModel& tagger);

// What the metadata of a file say about a standard: the numbers of the standard and of its linear
// tagger in the sections, the factor of that tagger's scores, units per score, the marks between
// clauses, and the margin of the linear tagger above which the network is not asked
// (tagging/network.hpp).
struct NetworkSettings {
  int standard = 0, words = 0;
  double weight = 0, scale = 0, margin = 0;
  std::u32string marks;
};

// The fault of sections that do not have what a network needs.
constexpr const char* kNetworkMisfit =
    "the sections of the network do not fit each other or its tagger";

// A standard of a BiLSTM-CRF over its linear tagger. `network` has its instruction set; `tagger`
// becomes the tagger that runs it.
void open_network(const Sections& sections, const NetworkSettings& settings,
                  const TaggerModel& linear, bilstm::Model& network, TaggerModel& tagger);

// As open_network(), for an encoder.
void open_encoder(const Sections& sections, const NetworkSettings& settings,
                  const TaggerModel& linear, encoder::Model& network, TaggerModel& tagger);

// A part-of-speech tagger, and the names of its tags, from the metadata.
void open_pos(const Sections& sections, const Json& meta, const Lexicon& lex, PosModel& model,
              std::vector<std::string>& tags);

// Points a layer to its columns; its tables are attached or compiled afterwards.
void open_user(const Sections& sections, int width, bool line_ends, UserLayer& layer);

constexpr const char* kUserTables[] = {"filter", "nodes", "entries", "skips"};

// Attaches the tables of the fields that have tables; at least one has.
void attach_user(const Sections& sections, UserLayer& layer);

struct UserTables;

using PutSection = std::function<void(const std::string& name, const void* data, size_t n)>;
// Compiles and attaches the tables of every field that has entries, and calls put(name, column) for
// each. `folds[f]`: the folding of field f.
void compile_user(const FoldTable* folds, UserTables* tables, UserLayer& layer,
                  const PutSection& put);

// A digest of what the entries do to boundaries, whatever their order, as 32 hexadecimal digits; ""
// without entries.
std::string user_digest(const UserLayer& layer);

}  // namespace segmenter
