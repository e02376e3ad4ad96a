// Opens the sections of compiled files.
#include "opening.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "compiler.hpp"
#include "atoms/settings.hpp"
#include "files/container.hpp"
#include "lexicon/words.hpp"
#include "user/compile.hpp"
#include "validate.hpp"

namespace segmenter {

namespace {

[[noreturn]] void refuse(const std::string& fault) { throw std::invalid_argument(fault); }

void check(const char* fault) {
  if (fault) refuse(fault);
}

// Points a map to its sections; returns the size of `charmap.blocks`.
size_t open_map(const Sections& sections, CharMap& map) {
  const Cells<uint16_t> blocks = sections.of<uint16_t>("charmap.blocks");
  if (!blocks.n) sections.refuse();
  map.bmp = sections.exactly<uint16_t>("charmap.bmp", 65536);
  map.astral_page = sections.exactly<uint16_t>("charmap.pages", 4096);
  map.astral_block = blocks.data;
  return size_t(blocks.n);
}

// The n classes of a lexicon, "lexicon.k": the section with `suffix`, or the changed classes of
// another lexicon. A bit per class says whether it has changed; the new classes follow one another.
const uint8_t* open_classes(const Sections& sections, const std::string& lexicon,
                            const std::string& suffix, std::ptrdiff_t n,
                            std::vector<uint8_t>& classes) {
  const std::string name = lexicon + suffix, base = lexicon + ".base";
  if (!sections.has(base)) return sections.exactly<uint8_t>(name, n);
  const int32_t base_lexicon = *sections.exactly<int32_t>(base, 1);
  const uint8_t* const base_classes =
      sections.exactly<uint8_t>("lexicon." + std::to_string(base_lexicon) + suffix, n);
  const uint8_t* const changed_bits = sections.exactly<uint8_t>(name + ".changed", (n + 7) / 8);
  const Cells<uint8_t> new_classes = sections.of<uint8_t>(name + ".after");
  classes.assign(base_classes, base_classes + n);
  std::ptrdiff_t next = 0;
  for (std::ptrdiff_t i = 0; i < n; i += 8)
    for (unsigned changed = changed_bits[i / 8]; changed; changed &= changed - 1) {
      const std::ptrdiff_t index = i + __builtin_ctz(changed);
      if (index >= n || next >= new_classes.n) sections.refuse();
      classes[size_t(index)] = new_classes[next++];
    }
  if (next != new_classes.n) sections.refuse();
  return classes.data();
}

// Whether these can be the pilots of a perfect hash, whose number is a power of two.
bool are_pilots(const Cells<uint16_t>& pilots) {
  return pilots.n >= 2 && !(pilots.n & (pilots.n - 1));
}

// Checks the weights of the output layer of a standard, [3][n]: their sums with states of 15 bits
// fit 32 bits.
void check_output_weights(const int16_t* weights, std::ptrdiff_t n, const std::string& name) {
  for (int i = 0; i < 3; ++i) {
    int64_t sum = 0;
    for (std::ptrdiff_t k = 0; k < n; ++k) sum += std::abs(int(weights[i * n + k]));
    if (sum > 65535) refuse(name + ".out: the weights are too large in sum");
  }
}

// Sets the numbers of a standard: the scores of the network and of the linear tagger in units of
// 1/scale, and the marks between clauses. Transitions and ends come from the network alone.
template <class Model>
void set_scores(const NetworkSettings& settings, const TaggerModel& linear, const int32_t* params,
                const std::string& name, Model& network, TaggerModel& tagger) {
  network.unit = params[0];
  const double factor =
      std::nearbyint(settings.weight * settings.scale / linear.scale * 4294967296.0);
  if (!(settings.scale > 0 && factor >= 0 && factor < 70368744177664.0))  // 2**46: sums fit 64 bits
    refuse("'linear_weight' of its metadata is out of range");
  for (int i = 1; i < 25; ++i)
    if (params[i] < -kMostScore || params[i] > kMostScore)
      refuse(name + ".params: scores out of range");
  network.linear = int64_t(factor);
  if (!(settings.margin * settings.scale >= 0 && settings.margin * settings.scale <= kMostScore))
    refuse("the margin, 'sure' of its metadata, is out of range");
  network.margin = int32_t(std::nearbyint(settings.margin * settings.scale));
  std::memcpy(network.bias, params + 1, sizeof network.bias);
  std::memcpy(tagger.start, params + 4, 4 * sizeof *params);
  network.last = params[8];
  std::memcpy(tagger.trans, params + 9, 16 * sizeof *params);
  tagger.scale = settings.scale;
  if (settings.marks.empty()) return;
  const Lexicon& lex = *linear.lex;
  network.is_mark.assign(lex.trie.n_ids, 0);
  for (const char32_t mark : settings.marks)
    if (const uint32_t id = lex.map(uint32_t(mark)) & kIdBits) network.is_mark[id] = 1;
}

// The name of a table of field f.
std::string user_section(uint32_t f, const char* table) {
  return "f" + std::to_string(f) + "." + table;
}

}  // namespace

void open_lexicon(const Sections& sections, const VariantTable* variants, bool words_elsewhere,
                  Lexicon& lex, std::unique_ptr<Variants>& owned_variants, uint32_t& max_cost) {
  const uint32_t* const params = sections.exactly<uint32_t>("params", 45);
  const Cells<uint64_t> units = sections.of<uint64_t>("trie.units");
  const Cells<uint64_t> terminal = sections.of<uint64_t>("words.terminal");
  if (sections.has("trie.filter")) {  // taggers have no filter: they never look up single pairs
    const Cells<uint32_t> pairs = sections.of<uint32_t>("trie.filter");
    if (!pairs.n || !lex.trie.pairs.attach(pairs.data, size_t(pairs.n)))
      refuse("the length of trie.filter is not a power of two");
  }
  if (!units.n || units.n >= 1 << 25 || !terminal.n) sections.refuse();
  const size_t n_blocks = open_map(sections, lex.map);
  lex.trie.units = units.data;
  lex.trie.n_units = uint32_t(units.n);
  lex.set_params(params);
  lex.id_class = sections.exactly<uint8_t>("charmap.classes", params[0]);
  for (uint32_t cost : lex.kind_cost)
    if (cost > 0xFFFE) refuse("the cost of a kind of runs is out of range");
  if (lex.unknown_cost > 0xFFFE) refuse("the cost of an unknown character is out of range");
  lex.terminal = terminal.data;
  lex.rank = sections.exactly<uint32_t>("words.rank", terminal.n);
  check(lexicon_fault(lex, n_blocks, size_t(terminal.n), words_elsewhere, max_cost));
  lex.spelling = lex.map;
  if (variants && lex.numbers && !owned_variants) {
    owned_variants = std::make_unique<Variants>(*variants, lex.map);
    lex.variants = owned_variants.get();
    lex.map = owned_variants->map;
  }
  lex.prepare();
}

void open_ngrams(const Sections& sections, uint32_t n_words, NgramModel& model,
                 std::unique_ptr<SeenKeys>& seen) {
  model = NgramModel();
  model.n_words = n_words;
  model.weights = sections.exactly<uint16_t>("ngram.weights", std::ptrdiff_t(n_words) + 10);
  model.boundary_cost = sections.exactly<uint32_t>("ngram.params", 4)[0];
  auto set_table = [&](NgramTable& table, const char* name) {
    const Cells<uint64_t> records = sections.of<uint64_t>(name);
    table.records = records.n ? records.data : nullptr;
    table.capacity = uint32_t(records.n);
  };
  set_table(model.bigrams, "ngram.bigrams");
  set_table(model.trigrams, "ngram.trigrams");
  if (!model.bigrams.capacity) sections.refuse();
  if (!has_empty(model.bigrams) || !has_empty(model.trigrams))
    refuse("an n-gram table is full: look-ups in it would never end");
  seen = std::make_unique<SeenKeys>(model.bigrams);
  model.seen = seen.get();
}

void open_tagger(const Sections& sections, Lexicon& lex, uint32_t max_cost, TaggerModel& tagger) {
  const std::ptrdiff_t n_ids = lex.trie.n_ids;
  const int32_t* const params =
      sections.exactly<int32_t>("tagger.params", 5 + kTags + kTags * kTags);
  const Cells<uint16_t> hot = sections.of<uint16_t>("tagger.hot");
  const Cells<uint16_t> cold = sections.of<uint16_t>("tagger.cold");
  const int32_t n_hot = params[4 + kTags + kTags * kTags];
  if (!are_pilots(hot) || !are_pilots(cold) || n_hot <= 0 || n_hot >= params[2] ||
      n_ids > kTagMaxIds || params[0] < 0 || params[0] > int32_t(kTagGroups))
    sections.refuse();
  tagger.set_params(params);
  tagger.hot.attach(hot.data, size_t(hot.n), uint32_t(n_hot));
  tagger.cold.attach(cold.data, size_t(cold.n), tagger.n_pairs - uint32_t(n_hot));
  const std::ptrdiff_t n_pairs = tagger.n_pairs, n_matches = std::ptrdiff_t(tagger.n_matches) + 1;
  tagger.uni = sections.exactly<int8_t>("tagger.uni", kTagRecord * n_ids);
  tagger.pair = sections.exactly<int8_t>("tagger.pair", kTagRecord * n_pairs);
  tagger.longer = sections.exactly<uint32_t>("tagger.longer", n_pairs);
  tagger.match = sections.exactly<int16_t>("tagger.match", 4 * kTags * n_matches);
  tagger.groups_of = sections.exactly<uint8_t>("tagger.groups", n_matches);
  tagger.state =
      sections.exactly<int16_t>("tagger.state", kTagStates * kTags * (tagger.groups + 1));
  tagger.type = sections.exactly<int16_t>("tagger.types", 512 * kTags);
  tagger.type_of = sections.exactly<uint8_t>("tagger.typeof", n_ids);
  tagger.alone = sections.has("tagger.alone")
                     ? sections.exactly<int16_t>("tagger.alone", kTags * n_ids)
                     : nullptr;
  lex.mark_signs(usual_rules().bits);
  tagger.lex = &lex;
  check(tagger_fault(tagger, max_cost));
}

void open_network(const Sections& sections, const NetworkSettings& settings,
                  const TaggerModel& linear, bilstm::Model& network, TaggerModel& tagger) {
  using std::ptrdiff_t;
  using std::to_string;
  tagger = linear;
  const Lexicon& lex = *tagger.lex;
  const Cells<int32_t> params = sections.of<int32_t>("bilstm.params");
  if (params.n < 7) refuse("bilstm.params is too short");
  const ptrdiff_t hidden = params[0], layers = params[1], n_chars = params[5], tables = params[4],
                  n_keys = params[6];
  auto is_size = [](ptrdiff_t n) { return n > 0 && n <= 4096; };
  if (!is_size(hidden) || layers <= 0 || layers > 8 || !is_size(params[2]) || !is_size(params[3]) ||
      (tables != 0 && tables != bilstm::kLexiconSlots) || params.n != 7 + 2 * tables + 4 * layers)
    refuse("bilstm.params do not fit together");
  network.beyond = uint32_t(sections.of<uint8_t>("charmap.classes").n);
  network.n_chars = uint32_t(n_chars);
  network.char_size = uint32_t(params[2]);
  network.pair_size = uint32_t(params[3]);
  network.tables = uint32_t(tables);
  const size_t n_blocks = open_map(sections, network.map);
  network.rows = sections.exactly<uint16_t>("bilstm.rows", ptrdiff_t(network.beyond) + 1);
  network.chars = sections.exactly<int8_t>("bilstm.chars", n_chars * params[2]);
  const Cells<uint16_t> pilots = sections.of<uint16_t>("bilstm.pilots");
  if (n_chars < 2 || n_keys < 1 || !are_pilots(pilots)) sections.refuse();
  network.pairs.attach(pilots.data, size_t(pilots.n), uint32_t(n_keys));
  network.keys = sections.exactly<uint32_t>("bilstm.keys", n_keys);
  network.bigrams = sections.exactly<int8_t>("bilstm.bigrams", (n_keys + 1) * params[3]);
  const std::string of_words = "lexicon." + to_string(settings.words),
                    of_standard = "standard." + to_string(settings.standard);
  network.word_class = open_classes(sections, of_words, ".words", lex.n_words, network.made[0]);
  network.pair_class = open_classes(sections, of_words, ".pairs", tagger.n_pairs, network.made[1]);
  const int16_t* const curve = sections.exactly<int16_t>("bilstm.sigmoid", 64);
  const int16_t* const bias = sections.exactly<int16_t>(of_standard + ".bias", layers * 8 * hidden);
  const int16_t* const output = sections.exactly<int16_t>(of_standard + ".out", 6 * hidden);
  const int32_t* const scores = sections.exactly<int32_t>(of_standard + ".params", 25);
  for (uint32_t i = 0; i <= network.beyond; ++i)
    if (network.rows[i] >= n_chars) refuse("bilstm.rows names a row that does not exist");
  check(map_fault(network.map, n_blocks, network.beyond));
  const std::vector<uint32_t> spelt = letters(lex);
  network.from_linear.assign(lex.trie.n_ids, bilstm::kNoId);
  for (size_t i = 0; i < std::min(spelt.size(), network.from_linear.size()); ++i)
    if (spelt[i]) network.from_linear[i] = network.map(spelt[i]) & kIdBits;
  int max_class = 0;
  for (uint32_t i = 0; i < lex.n_words; ++i)
    max_class = std::max<int>(max_class, network.word_class[i]);
  for (uint32_t i = 0; i < tagger.n_pairs; ++i)
    max_class = std::max<int>(max_class, network.pair_class[i]);
  const Cells<int8_t> lexicon = sections.of<int8_t>("bilstm.lexicon");
  ptrdiff_t offset = 0;
  for (ptrdiff_t i = 0; i < tables; ++i) {
    const int32_t rows = params[7 + 2 * i], size = params[8 + 2 * i];
    if (rows <= max_class || !is_size(size)) refuse("bilstm.lexicon: a table is too small");
    network.table_rows[i] = uint32_t(rows);
    network.table_size[i] = uint32_t(size);
    if (ptrdiff_t(rows) * size > lexicon.n - offset) refuse("bilstm.lexicon is too short");
    network.lexicon[i] = lexicon.data + offset;
    offset += ptrdiff_t(rows) * size;
  }
  if (offset != lexicon.n) refuse("bilstm.lexicon is too long");
  network.set_curve(curve, curve + 32);
  network.set_shape(uint32_t(hidden), uint32_t(layers));
  ptrdiff_t inputs = network.inputs;
  const int32_t* shift = params.data + 7 + 2 * tables;
  for (uint32_t i = 0; i < uint32_t(layers); ++i, inputs = 2 * hidden)
    for (int direction = 0; direction < 2; ++direction) {
      for (const bool recurrent : {false, true}) {
        const std::string place = to_string(i) + to_string(direction),
                          name = recurrent ? "hh." : "ih.";
        const Cells<int8_t> weights = sections.of<int8_t>("bilstm." + name + place);
        const Cells<int16_t> gains = sections.of<int16_t>("bilstm.gain." + name + place);
        if (weights.n != 4 * hidden * (recurrent ? hidden : inputs) || gains.n != 4 * hidden ||
            *shift < 0 || *shift > 31)
          refuse("bilstm." + name + place + " has the wrong size");
        network.set_gates(i, direction, recurrent, weights.data, gains.data, *shift++);
      }
      network.set_bias(i, direction, bias + (2 * ptrdiff_t(i) + direction) * 4 * hidden);
    }
  network.set_out(output);
  check_output_weights(output, 2 * hidden, of_standard);
  set_scores(settings, linear, scores, of_standard, network, tagger);
  tagger.bilstm = &network;
}

void open_encoder(const Sections& sections, const NetworkSettings& settings,
                  const TaggerModel& linear, encoder::Model& network, TaggerModel& tagger) {
  using std::ptrdiff_t;
  using std::to_string;
  constexpr ptrdiff_t kFew = 8, kLayer = 15;
  tagger = linear;
  const Cells<int32_t> params = sections.of<int32_t>("encoder.params");
  if (params.n < kFew + 3) refuse("encoder.params is too short");
  const ptrdiff_t width = params[0], inner_width = params[1], layers = params[2],
                  window = params[3], overlap = params[4], n_tokens = params[5], first = params[6];
  auto is_size = [](ptrdiff_t n) {
    return n > 0 && n <= 4096 && n % ptrdiff_t(encoder::kPanel) == 0;
  };
  if (!is_size(width) || !is_size(inner_width) || layers <= 0 || layers > 32 || window <= 0 ||
      window >= ptrdiff_t(encoder::kMostRows) || overlap < 0 || overlap % 2 || overlap >= window ||
      n_tokens <= 0 || n_tokens > kIdBits || first < 0 || first >= n_tokens || params[7] < 0 ||
      params[7] > kMostScore || params.n != kFew + 3 + kLayer * layers)
    refuse("encoder.params do not fit together");
  network.width = uint32_t(width);
  network.window = uint32_t(window);
  network.overlap = uint32_t(overlap);
  network.n_tokens = uint32_t(n_tokens);
  network.first = uint32_t(first);
  network.floor = params[7];
  const size_t n_blocks = open_map(sections, network.map);
  check(map_fault(network.map, n_blocks, network.n_tokens));
  network.tokens = sections.exactly<int8_t>("encoder.tokens", n_tokens * width);
  network.token_gain = sections.exactly<int16_t>("encoder.token.gain", n_tokens);
  network.places = sections.exactly<int16_t>("encoder.places", (window + 1) * width);
  auto in_range = [&](const int32_t* values, ptrdiff_t n, int32_t limit, const std::string& name) {
    for (ptrdiff_t i = 0; i < n; ++i)
      if (values[i] < -limit || values[i] > limit) refuse(name + ": a value is out of range");
  };
  auto shift = [&](int32_t value, int32_t least = 0) {
    if (value < least || value > 30) refuse("encoder.params: a shift is out of range");
    return uint32_t(value);
  };
  const int16_t* gains =
      sections.exactly<int16_t>("encoder.norm.gain", (1 + 2 * layers) * 2 * width);
  const int32_t* biases =
      sections.exactly<int32_t>("encoder.norm.bias", (1 + 2 * layers) * 2 * width);
  in_range(biases, (1 + 2 * layers) * 2 * width, 1 << 29, "encoder.norm.bias");
  const int32_t* next = params.data + kFew;
  auto read_norm = [&](encoder::Norm& norm) {
    for (encoder::Scaled* scaled : {&norm.stream, &norm.input}) {
      *scaled = {gains, biases, shift(*next++)};
      gains += width;
      biases += width;
    }
    if (*next < 0) refuse("encoder.params: a variance is negative");
    norm.least = *next++;
  };
  read_norm(network.embedded);
  network.layers.resize(size_t(layers));
  for (ptrdiff_t k = 0; k < layers; ++k) {
    encoder::Layer& layer = network.layers[size_t(k)];
    const std::string of_layer = "layer." + to_string(k) + ".";
    auto read_matrix = [&](encoder::Matrix& matrix, const char* name, ptrdiff_t in_size,
                           ptrdiff_t out_size) {
      const std::string section = of_layer + name;
      matrix.weights = sections.exactly<int8_t>(section, in_size * out_size);
      matrix.gain = sections.exactly<int16_t>(section + ".gain", out_size);
      matrix.bias = sections.exactly<int32_t>(section + ".bias", out_size);
      in_range(matrix.bias, out_size, 1 << 20, section + ".bias");
      matrix.in = uint32_t(in_size);
      matrix.out = uint32_t(out_size);
      matrix.shift = shift(*next++);
      matrix.down = shift(*next++);
      encoder::Model::begin(matrix, network.instructions->flip);
    };
    read_matrix(layer.heads, "heads", width, 3 * width);
    read_matrix(layer.attended, "attended", width, width);
    read_matrix(layer.wide, "wide", width, inner_width);
    read_matrix(layer.narrow, "narrow", inner_width, width);
    layer.gelu = {sections.exactly<int16_t>(of_layer + "gelu.gain", inner_width),
                  sections.exactly<int32_t>(of_layer + "gelu.bias", inner_width), shift(*next++)};
    in_range(layer.gelu.bias, inner_width, 1 << 29, of_layer + "gelu.bias");
    read_norm(layer.first);
    read_norm(layer.last);
    const ptrdiff_t heads = width / ptrdiff_t(encoder::kHead);
    layer.shifts = sections.exactly<uint8_t>(of_layer + "shifts", heads);
    for (ptrdiff_t i = 0; i < heads; ++i) shift(layer.shifts[i], 10);
  }
  const std::string of_standard = "standard." + to_string(settings.standard);
  network.beside = sections.exactly<int16_t>(of_standard + ".beside", width);
  network.out = sections.exactly<int16_t>(of_standard + ".out", 3 * width);
  const int32_t* const scores = sections.exactly<int32_t>(of_standard + ".params", 25);
  check_output_weights(network.out, width, of_standard);
  set_scores(settings, linear, scores, of_standard, network, tagger);
  tagger.encoder = &network;
}

void open_pos(const Sections& sections, const Json& meta, const Lexicon& lex, PosModel& model,
              std::vector<std::string>& tags) {
  using std::to_string;
  tags = meta.strings_field("tags");
  const double margin = meta.number_field("sure", 0x7FFF, true);
  const size_t n_tags = tags.size();
  const Cells<uint64_t> masks = sections.of<uint64_t>("pos.masks");
  const Cells<uint16_t> table = sections.of<uint16_t>("pos.table");
  const Cells<uint8_t> blocks = sections.of<uint8_t>("pos.blocks");
  const Cells<int8_t> rows = sections.of<int8_t>("pos.rows");
  const std::ptrdiff_t n_blocks = blocks.n / 8;
  if (!n_tags || n_tags >= 64 || masks.n < kShapes || masks.n > 0xFFFF || table.n < 16 ||
      table.n & 15 || blocks.n & 7)
    sections.refuse();
  model.affixes = sections.exactly<uint8_t>("pos.affixes", masks.n);
  model.n_tags = uint32_t(n_tags);
  model.margin = int32_t(margin);
  const std::ptrdiff_t lanes = model.lanes();
  if (rows.n % lanes) refuse("rows of weights are cut short");
  uint32_t number;
  for (std::ptrdiff_t i = 0; i < table.n / 16; ++i) {
    std::memcpy(&number, &table[16 * i + 14], 4);
    if (std::ptrdiff_t(number) + 14 > n_blocks)
      refuse("bucket " + to_string(i) + " has features beyond their weights");
  }
  for (std::ptrdiff_t i = 0; i < n_blocks; ++i) {
    if (blocks[8 * i] == PosModel::kHasRow) {
      std::memcpy(&number, &blocks[8 * i + 4], 4);
      if (std::ptrdiff_t(number) >= rows.n / lanes)
        refuse("feature " + to_string(i) + " has weights beyond the table");
    } else {
      for (int k = 0; k < 4; ++k)
        if (blocks[8 * i + k] >= n_tags)
          refuse("feature " + to_string(i) + " has weights of a tag that does not exist");
    }
  }
  for (std::ptrdiff_t i = 0; i < masks.n; ++i)
    if (!masks[i] || masks[i] >> n_tags)
      refuse("class " + to_string(i) + " has tags that do not exist");
  for (int i = 0; i < 2; ++i)
    if (masks[i] & (masks[i] - 1)) refuse("blanks and line ends have one tag");
  model.lex = &lex;
  model.n_classes = uint32_t(masks.n);
  model.masks = masks.data;
  model.table = table.data;
  model.n_buckets = uint32_t(table.n / 16);
  model.blocks = blocks.data;
  model.rows = rows.n ? rows.data : nullptr;
  model.n_blocks = uint32_t(n_blocks);
  model.n_rows = uint32_t(rows.n / lanes);
}

void open_user(const Sections& sections, int width, bool line_ends, UserLayer& layer) {
  const Cells<uint8_t> flags = sections.of<uint8_t>("flags");
  layer.n = uint32_t(flags.n);
  layer.width = width;
  layer.line_ends = line_ends;
  if (!layer.n || flags.n > std::ptrdiff_t(kMaxEntries) || (width != 2 && width != 4))
    sections.refuse();
  layer.flags = flags.data;
  layer.offsets = sections.exactly<uint32_t>("offsets", flags.n + 1);
  layer.text = sections.exactly<uint8_t>("text", std::ptrdiff_t(layer.offsets[layer.n]) * width);
  if (sections.has("weights")) {
    layer.weights = sections.exactly<double>("weights", flags.n);
    layer.logs = sections.exactly<int32_t>("logs", flags.n);
  } else {
    for (uint32_t id = 0; id < layer.n; ++id)
      if (user_level(flags.data[id]) == kWeighted) sections.refuse();
  }
  if (!sections.has("partids")) return;
  const Cells<uint32_t> ids = sections.of<uint32_t>("partids");
  if (!ids.n) sections.refuse();
  layer.n_parts = size_t(ids.n);
  layer.part_ids = ids.data;
  layer.part_first = sections.exactly<uint32_t>("partfirst", ids.n + 1);
  layer.parts = sections.exactly<uint32_t>("parts", layer.part_first[ids.n]);
}

void attach_user(const Sections& sections, UserLayer& layer) {
  bool has_tables = false;
  for (uint32_t field = 0; field < kUserFields; ++field) {
    auto section = [&](int k) { return user_section(field, kUserTables[k]); };
    if (!sections.has(section(1))) continue;
    has_tables = true;
    if (!layer.field[field].attach(
            sections.of<uint32_t>(section(0)), sections.of<uint64_t>(section(1)),
            sections.of<uint32_t>(section(2)), sections.of<uint32_t>(section(3))))
      sections.refuse();
  }
  if (!has_tables) sections.refuse();
}

void compile_user(const FoldTable* folds, UserTables* tables, UserLayer& layer,
                  const PutSection& put) {
  Sections sections;
  for (uint32_t field = 0; field < kUserFields; ++field) {
    UserTables& field_tables = tables[field];
    compile_field(layer, field, folds[field], field_tables);
    if (field_tables.nodes.empty()) continue;
    auto add_section = [&](int k, const auto& column) {
      const std::string name = user_section(field, kUserTables[k]);
      const size_t n = column.size() * sizeof column[0];
      sections.put(name, column.data(), n);
      if (put) put(name, column.data(), n);
    };
    add_section(0, field_tables.filter);
    add_section(1, field_tables.nodes);
    add_section(2, field_tables.entries);
    add_section(3, field_tables.skips);
  }
  attach_user(sections, layer);
}

std::string user_digest(const UserLayer& layer) {
  uint64_t sums[2] = {0, 0}, identity[2];
  bool has_entries = false;
  for (uint32_t id = 0; id < layer.n; ++id) {
    if (user_level(layer.flags[id]) == kNoEntry) continue;
    has_entries = true;
    layer.identity(id, identity);
    for (int k = 0; k < 2; ++k) sums[k] += identity[k];
  }
  std::string hex;
  if (has_entries)
    for (const uint64_t sum : sums)
      for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789abcdef"[sum >> shift & 15];
  return hex;
}

}  // namespace segmenter
