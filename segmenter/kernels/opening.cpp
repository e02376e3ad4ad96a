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

void check(const char* fault) {
  if (fault) throw std::invalid_argument(fault);
}

// Points a map at its sections; returns the size of `charmap.blocks`.
size_t open_map(const Sections& held, CharMap& map) {
  const Cells<uint16_t> blocks = held.of<uint16_t>("charmap.blocks");
  if (!blocks.n) held.refuse();
  map.bmp = held.exactly<uint16_t>("charmap.bmp", 65536);
  map.astral_page = held.exactly<uint16_t>("charmap.pages", 4096);
  map.astral_block = blocks.data;
  return size_t(blocks.n);
}

// `n` classes of a lexicon, "lexicon.k": the section `of` of it, or another lexicon's, changed: a
// bit for each class says whether it is another one, and the new ones follow one another.
const uint8_t* open_classes(const Sections& held, const std::string& lexicon, const std::string& of,
                            std::ptrdiff_t n, std::vector<uint8_t>& made) {
  const std::string name = lexicon + of, base = lexicon + ".base";
  if (!held.has(base)) return held.exactly<uint8_t>(name, n);
  const int32_t from = *held.exactly<int32_t>(base, 1);
  const uint8_t* const before = held.exactly<uint8_t>("lexicon." + std::to_string(from) + of, n);
  const uint8_t* const bits = held.exactly<uint8_t>(name + ".changed", (n + 7) / 8);
  const Cells<uint8_t> after = held.of<uint8_t>(name + ".after");
  made.assign(before, before + n);
  std::ptrdiff_t next = 0;
  for (std::ptrdiff_t i = 0; i < n; i += 8)
    for (unsigned left = bits[i / 8]; left; left &= left - 1) {
      const std::ptrdiff_t at = i + __builtin_ctz(left);
      if (at >= n || next >= after.n) held.refuse();
      made[size_t(at)] = after[next++];
    }
  if (next != after.n) held.refuse();
  return made.data();
}

// Whether these can be the pilots of a perfect hash, whose number is a power of two.
bool are_pilots(const Cells<uint16_t>& pilots) {
  return pilots.n >= 2 && !(pilots.n & (pilots.n - 1));
}

// The weights of a standard's output layer, [3][n]: times states of 15 bits, sums fit 32 bits.
void check_out(const int16_t* out, std::ptrdiff_t n, const std::string& name) {
  for (int i = 0; i < 3; ++i) {
    int64_t size = 0;
    for (std::ptrdiff_t k = 0; k < n; ++k) size += std::abs(int(out[i * n + k]));
    if (size > 65535) throw std::invalid_argument(name + ".out: the weights are too large in sum");
  }
}

// The numbers of a standard, `own`: the scores of a network and the linear tagger in units of
// 1/scale; transitions and ends come from the network alone.
template <class Model>
void take_scores(const NetworkSettings& of, const TaggerModel& linear, const int32_t* own,
                 const std::string& name, Model& b, TaggerModel& m) {
  b.unit = own[0];
  const double factor = std::nearbyint(of.weight * of.scale / linear.scale * 4294967296.0);
  if (!(of.scale > 0 && factor >= 0 && factor < 70368744177664.0))  // 2**46: sums fit 64 bits
    throw std::invalid_argument("the weight of the linear tagger is out of range");
  for (int i = 1; i < 25; ++i)
    if (own[i] < -kMostScore || own[i] > kMostScore)
      throw std::invalid_argument(name + ".params: scores out of range");
  b.linear = int64_t(factor);
  if (!(of.margin * of.scale >= 0 && of.margin * of.scale <= kMostScore))
    throw std::invalid_argument("`margin` is out of range");
  b.margin = int32_t(std::nearbyint(of.margin * of.scale));
  std::memcpy(b.bias, own + 1, sizeof b.bias);
  std::memcpy(m.start, own + 4, 4 * sizeof *own);
  b.last = own[8];
  std::memcpy(m.trans, own + 9, 16 * sizeof *own);
  m.scale = of.scale;
}

// The name of a table of field f.
std::string user_section(uint32_t f, const char* table) {
  return "f" + std::to_string(f) + "." + table;
}

}  // namespace

void Container::read(const uint8_t* file, uint64_t size, const char* expected) {
  read_header(file, size);
  if (expected && kind != expected)
    throw std::invalid_argument("is of kind '" + kind + "', where '" + expected + "' is expected");
  read_table(file, size);
}

void Container::verify(const uint8_t* file, uint64_t size) const {
  uint64_t at = kHeader + sections.size() * kEntry;
  for (const Section& s : sections) {
    zero(file, at, s.offset, "before section '" + s.name + "'");
    if (Crc32::of(file + s.offset, s.length) != s.crc)
      throw std::invalid_argument("section '" + s.name + "' is damaged (its CRC differs)");
    at = s.offset + s.length;
  }
  zero(file, at, size, "at the end");
}

void open_lexicon(const Sections& held, const VariantTable* variants, bool outside, Lexicon& lex,
                  std::unique_ptr<Variants>& own, uint32_t& most_cost) {
  const uint32_t* const params = held.exactly<uint32_t>("params", 45);
  const Cells<uint64_t> units = held.of<uint64_t>("trie.units");
  const Cells<uint64_t> terminal = held.of<uint64_t>("words.terminal");
  if (held.has("trie.filter")) {  // taggers have none: they never look up single pairs
    const Cells<uint32_t> pairs = held.of<uint32_t>("trie.filter");
    if (!pairs.n || !lex.trie.pairs.attach(pairs.data, size_t(pairs.n)))
      throw std::invalid_argument("the filter of pairs is no table of 2**k words");
  }
  if (!units.n || units.n >= 1 << 25 || !terminal.n) held.refuse();
  const size_t n_blocks = open_map(held, lex.map);
  lex.trie.units = units.data;
  lex.trie.n_units = uint32_t(units.n);
  lex.set_params(params);
  lex.id_class = held.exactly<uint8_t>("charmap.classes", params[0]);
  for (uint32_t cost : lex.kind_cost)
    if (cost > 0xFFFE) throw std::invalid_argument("the cost of a kind of runs is out of range");
  if (lex.unknown_cost > 0xFFFE)
    throw std::invalid_argument("the cost of an unknown character is out of range");
  lex.terminal = terminal.data;
  lex.rank = held.exactly<uint32_t>("words.rank", terminal.n);
  check(lexicon_fault(lex, n_blocks, size_t(terminal.n), outside, most_cost));
  lex.spelling = lex.map;
  if (variants && lex.numbers && !own) {
    own = std::make_unique<Variants>(*variants, lex.map);
    lex.variants = own.get();
    lex.map = own->map;
  }
  lex.prepare();
}

void open_ngrams(const Sections& held, uint32_t n_words, NgramModel& model,
                 std::unique_ptr<SeenKeys>& seen) {
  model = NgramModel();
  model.n_words = n_words;
  model.weights = held.exactly<uint16_t>("ngram.weights", std::ptrdiff_t(n_words) + 10);
  model.boundary_cost = held.exactly<uint32_t>("ngram.params", 4)[0];
  auto table = [&](NgramTable& to, const char* name) {
    const Cells<uint64_t> records = held.of<uint64_t>(name);
    to.records = records.n ? records.data : nullptr;
    to.capacity = uint32_t(records.n);
  };
  table(model.bigrams, "ngram.bigrams");
  table(model.trigrams, "ngram.trigrams");
  if (!model.bigrams.capacity) held.refuse();
  if (!has_empty(model.bigrams) || !has_empty(model.trigrams))
    throw std::invalid_argument("an n-gram table is full: look-ups in it would never end");
  seen = std::make_unique<SeenKeys>(model.bigrams);
  model.seen = seen.get();
}

void open_tagger(const Sections& held, Lexicon& lex, uint32_t most_cost, TaggerModel& m) {
  const std::ptrdiff_t n_ids = lex.trie.n_ids;
  const int32_t* const params = held.exactly<int32_t>("tagger.params", 5 + kTags + kTags * kTags);
  const Cells<uint16_t> hot = held.of<uint16_t>("tagger.hot");
  const Cells<uint16_t> cold = held.of<uint16_t>("tagger.cold");
  const int32_t n_hot = params[4 + kTags + kTags * kTags];
  if (!are_pilots(hot) || !are_pilots(cold) || n_hot <= 0 || n_hot >= params[2] ||
      n_ids > kTagMaxIds || params[0] < 0 || params[0] > int32_t(kTagGroups))
    held.refuse();
  m.set_params(params);
  m.hot.attach(hot.data, size_t(hot.n), uint32_t(n_hot));
  m.cold.attach(cold.data, size_t(cold.n), m.n_pairs - uint32_t(n_hot));
  const std::ptrdiff_t n_pairs = m.n_pairs, n_matches = std::ptrdiff_t(m.n_matches) + 1;
  m.uni = held.exactly<int8_t>("tagger.uni", kTagRecord * n_ids);
  m.pair = held.exactly<int8_t>("tagger.pair", kTagRecord * n_pairs);
  m.longer = held.exactly<uint32_t>("tagger.longer", n_pairs);
  m.match = held.exactly<int16_t>("tagger.match", 4 * kTags * n_matches);
  m.groups_of = held.exactly<uint8_t>("tagger.groups", n_matches);
  m.state = held.exactly<int16_t>("tagger.state", kTagStates * kTags * (m.groups + 1));
  m.type = held.exactly<int16_t>("tagger.types", 512 * kTags);
  m.type_of = held.exactly<uint8_t>("tagger.typeof", n_ids);
  m.alone =
      held.has("tagger.alone") ? held.exactly<int16_t>("tagger.alone", kTags * n_ids) : nullptr;
  lex.mark_signs(usual_rules().bits);
  m.lex = &lex;
  check(tagger_fault(m, most_cost));
}

void open_network(const Sections& held, const NetworkSettings& of, const TaggerModel& linear,
                  bilstm::Model& b, TaggerModel& m) {
  using std::ptrdiff_t;
  using std::to_string;
  auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  m = linear;
  const Lexicon& lex = *m.lex;
  const Cells<int32_t> params = held.of<int32_t>("bilstm.params");
  if (params.n < 7) refuse("bilstm.params is too short");
  const ptrdiff_t hidden = params[0], layers = params[1], n_chars = params[5], tables = params[4],
                  n_keys = params[6];
  auto is_size = [](ptrdiff_t n) { return n > 0 && n <= 4096; };
  if (!is_size(hidden) || layers <= 0 || layers > 8 || !is_size(params[2]) || !is_size(params[3]) ||
      (tables != 0 && tables != bilstm::kLexiconSlots) || params.n != 7 + 2 * tables + 4 * layers)
    refuse("bilstm.params do not fit together");
  b.beyond = uint32_t(held.of<uint8_t>("charmap.classes").n);
  b.n_chars = uint32_t(n_chars);
  b.char_size = uint32_t(params[2]);
  b.pair_size = uint32_t(params[3]);
  b.tables = uint32_t(tables);
  const size_t n_blocks = open_map(held, b.map);
  b.rows = held.exactly<uint16_t>("bilstm.rows", ptrdiff_t(b.beyond) + 1);
  b.chars = held.exactly<int8_t>("bilstm.chars", n_chars * params[2]);
  const Cells<uint16_t> pilots = held.of<uint16_t>("bilstm.pilots");
  if (n_chars < 2 || n_keys < 1 || !are_pilots(pilots)) held.refuse();
  b.pairs.attach(pilots.data, size_t(pilots.n), uint32_t(n_keys));
  b.keys = held.exactly<uint32_t>("bilstm.keys", n_keys);
  b.bigrams = held.exactly<int8_t>("bilstm.bigrams", (n_keys + 1) * params[3]);
  const std::string of_words = "lexicon." + to_string(of.words),
                    of_standard = "standard." + to_string(of.standard);
  b.word_class = open_classes(held, of_words, ".words", lex.n_words, b.made[0]);
  b.pair_class = open_classes(held, of_words, ".pairs", m.n_pairs, b.made[1]);
  const int16_t* const curve = held.exactly<int16_t>("bilstm.sigmoid", 64);
  const int16_t* const bias = held.exactly<int16_t>(of_standard + ".bias", layers * 8 * hidden);
  const int16_t* const out = held.exactly<int16_t>(of_standard + ".out", 6 * hidden);
  const int32_t* const own = held.exactly<int32_t>(of_standard + ".params", 25);
  for (uint32_t i = 0; i <= b.beyond; ++i)
    if (b.rows[i] >= n_chars) refuse("bilstm.rows names a row that does not exist");
  check(map_fault(b.map, n_blocks, b.beyond));
  const std::vector<uint32_t> spelt = letters(lex);
  b.from_linear.assign(lex.trie.n_ids, bilstm::kNoId);
  for (size_t i = 0; i < std::min(spelt.size(), b.from_linear.size()); ++i)
    if (spelt[i]) b.from_linear[i] = b.map(spelt[i]) & kIdBits;
  if (!of.marks.empty()) {
    b.is_mark.assign(lex.trie.n_ids, 0);
    for (const char32_t mark : of.marks)
      if (const uint32_t id = lex.map(uint32_t(mark)) & kIdBits) b.is_mark[id] = 1;
  }
  int most = 0;
  for (uint32_t i = 0; i < lex.n_words; ++i) most = std::max<int>(most, b.word_class[i]);
  for (uint32_t i = 0; i < m.n_pairs; ++i) most = std::max<int>(most, b.pair_class[i]);
  const Cells<int8_t> lexicon = held.of<int8_t>("bilstm.lexicon");
  ptrdiff_t at = 0;
  for (ptrdiff_t i = 0; i < tables; ++i) {
    const int32_t rows = params[7 + 2 * i], size = params[8 + 2 * i];
    if (rows <= most || !is_size(size)) refuse("bilstm.lexicon: a table is too small");
    b.table_rows[i] = uint32_t(rows);
    b.table_size[i] = uint32_t(size);
    if (ptrdiff_t(rows) * size > lexicon.n - at) refuse("bilstm.lexicon is too short");
    b.lexicon[i] = lexicon.data + at;
    at += ptrdiff_t(rows) * size;
  }
  if (at != lexicon.n) refuse("bilstm.lexicon is too long");
  b.set_curve(curve, curve + 32);
  b.set_shape(uint32_t(hidden), uint32_t(layers));
  ptrdiff_t inputs = b.inputs;
  const int32_t* shift = params.data + 7 + 2 * tables;
  for (uint32_t i = 0; i < uint32_t(layers); ++i, inputs = 2 * hidden)
    for (int d = 0; d < 2; ++d) {
      for (const bool recurrent : {false, true}) {
        const std::string place = to_string(i) + to_string(d), name = recurrent ? "hh." : "ih.";
        const Cells<int8_t> weights = held.of<int8_t>("bilstm." + name + place);
        const Cells<int16_t> gains = held.of<int16_t>("bilstm.gain." + name + place);
        if (weights.n != 4 * hidden * (recurrent ? hidden : inputs) || gains.n != 4 * hidden ||
            *shift < 0 || *shift > 31)
          refuse("bilstm." + name + place + " has the wrong size");
        b.set_gates(i, d, recurrent, weights.data, gains.data, *shift++);
      }
      b.set_bias(i, d, bias + (2 * ptrdiff_t(i) + d) * 4 * hidden);
    }
  b.set_out(out);
  check_out(out, 2 * hidden, of_standard);
  take_scores(of, linear, own, of_standard, b, m);
  m.bilstm = &b;
}

void open_encoder(const Sections& held, const NetworkSettings& of, const TaggerModel& linear,
                  encoder::Model& b, TaggerModel& m) {
  using std::ptrdiff_t;
  using std::to_string;
  constexpr ptrdiff_t kFew = 8, kLayer = 15;
  auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  m = linear;
  const Lexicon& lex = *m.lex;
  const Cells<int32_t> params = held.of<int32_t>("encoder.params");
  if (params.n < kFew + 3) refuse("encoder.params is too short");
  const ptrdiff_t width = params[0], wide = params[1], layers = params[2], window = params[3],
                  overlap = params[4], n_tokens = params[5], first = params[6];
  auto is_size = [](ptrdiff_t n) {
    return n > 0 && n <= 4096 && n % ptrdiff_t(encoder::kPanel) == 0;
  };
  if (!is_size(width) || !is_size(wide) || layers <= 0 || layers > 32 || window <= 0 ||
      window >= ptrdiff_t(encoder::kMostRows) || overlap < 0 || overlap % 2 || overlap >= window ||
      n_tokens <= 0 || n_tokens > kIdBits || first < 0 || first >= n_tokens || params[7] < 0 ||
      params[7] > kMostScore || params.n != kFew + 3 + kLayer * layers)
    refuse("encoder.params do not fit together");
  b.width = uint32_t(width);
  b.window = uint32_t(window);
  b.overlap = uint32_t(overlap);
  b.n_tokens = uint32_t(n_tokens);
  b.first = uint32_t(first);
  b.floor = params[7];
  const size_t n_blocks = open_map(held, b.map);
  check(map_fault(b.map, n_blocks, b.n_tokens));
  b.tokens = held.exactly<int8_t>("encoder.tokens", n_tokens * width);
  b.token_gain = held.exactly<int16_t>("encoder.token.gain", n_tokens);
  b.places = held.exactly<int16_t>("encoder.places", (window + 1) * width);
  auto in_range = [&](const int32_t* values, ptrdiff_t n, int32_t most, const std::string& name) {
    for (ptrdiff_t i = 0; i < n; ++i)
      if (values[i] < -most || values[i] > most) refuse(name + ": a value is out of range");
  };
  auto shift = [&](int32_t value, int32_t least = 0) {
    if (value < least || value > 30) refuse("encoder.params: a shift is out of range");
    return uint32_t(value);
  };
  const int16_t* gains = held.exactly<int16_t>("encoder.norm.gain", (1 + 2 * layers) * 2 * width);
  const int32_t* biases = held.exactly<int32_t>("encoder.norm.bias", (1 + 2 * layers) * 2 * width);
  in_range(biases, (1 + 2 * layers) * 2 * width, 1 << 29, "encoder.norm.bias");
  const int32_t* next = params.data + kFew;
  auto norm = [&](encoder::Norm& to) {
    for (encoder::Scaled* part : {&to.stream, &to.input}) {
      *part = {gains, biases, shift(*next++)};
      gains += width;
      biases += width;
    }
    if (*next < 0) refuse("encoder.params: a variance is negative");
    to.least = *next++;
  };
  norm(b.embedded);
  b.layers.resize(size_t(layers));
  for (ptrdiff_t k = 0; k < layers; ++k) {
    encoder::Layer& layer = b.layers[size_t(k)];
    const std::string of_layer = "layer." + to_string(k) + ".";
    auto matrix = [&](encoder::Matrix& to, const char* name, ptrdiff_t in, ptrdiff_t out) {
      const std::string full = of_layer + name;
      to.weights = held.exactly<int8_t>(full, in * out);
      to.gain = held.exactly<int16_t>(full + ".gain", out);
      to.bias = held.exactly<int32_t>(full + ".bias", out);
      in_range(to.bias, out, 1 << 20, full + ".bias");
      to.in = uint32_t(in);
      to.out = uint32_t(out);
      to.shift = shift(*next++);
      to.down = shift(*next++);
      encoder::Model::begin(to, b.instructions->flip);
    };
    matrix(layer.heads, "heads", width, 3 * width);
    matrix(layer.attended, "attended", width, width);
    matrix(layer.wide, "wide", width, wide);
    matrix(layer.narrow, "narrow", wide, width);
    layer.gelu = {held.exactly<int16_t>(of_layer + "gelu.gain", wide),
                  held.exactly<int32_t>(of_layer + "gelu.bias", wide), shift(*next++)};
    in_range(layer.gelu.bias, wide, 1 << 29, of_layer + "gelu.bias");
    norm(layer.first);
    norm(layer.last);
    const ptrdiff_t heads = width / ptrdiff_t(encoder::kHead);
    layer.shifts = held.exactly<uint8_t>(of_layer + "shifts", heads);
    for (ptrdiff_t i = 0; i < heads; ++i) shift(layer.shifts[i], 10);
  }
  const std::string of_standard = "standard." + to_string(of.standard);
  b.beside = held.exactly<int16_t>(of_standard + ".beside", width);
  b.out = held.exactly<int16_t>(of_standard + ".out", 3 * width);
  const int32_t* const own = held.exactly<int32_t>(of_standard + ".params", 25);
  if (!of.marks.empty()) {
    b.is_mark.assign(lex.trie.n_ids, 0);
    for (const char32_t mark : of.marks)
      if (const uint32_t id = lex.map(uint32_t(mark)) & kIdBits) b.is_mark[id] = 1;
  }
  check_out(b.out, width, of_standard);
  take_scores(of, linear, own, of_standard, b, m);
  m.encoder = &b;
}

void open_pos(const Sections& held, const Json& meta, const Lexicon& lex, PosModel& m,
              std::vector<std::string>& tags) {
  using std::to_string;
  auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  tags = meta.strings_field("tags");
  const double margin = meta.number_field("sure", 0x7FFF, true);
  const size_t n_tags = tags.size();
  const Cells<uint64_t> masks = held.of<uint64_t>("pos.masks");
  const Cells<uint16_t> table = held.of<uint16_t>("pos.table");
  const Cells<uint8_t> blocks = held.of<uint8_t>("pos.blocks");
  const Cells<int8_t> rows = held.of<int8_t>("pos.rows");
  const std::ptrdiff_t n_blocks = blocks.n / 8;
  if (!n_tags || n_tags >= 64 || masks.n < kShapes || masks.n > 0xFFFF || table.n < 16 ||
      table.n & 15 || blocks.n & 7)
    held.refuse();
  m.affixes = held.exactly<uint8_t>("pos.affixes", masks.n);
  m.n_tags = uint32_t(n_tags);
  m.margin = int32_t(margin);
  const std::ptrdiff_t lanes = m.lanes();
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
  m.lex = &lex;
  m.n_classes = uint32_t(masks.n);
  m.masks = masks.data;
  m.table = table.data;
  m.n_buckets = uint32_t(table.n / 16);
  m.blocks = blocks.data;
  m.rows = rows.n ? rows.data : nullptr;
  m.n_blocks = uint32_t(n_blocks);
  m.n_rows = uint32_t(rows.n / lanes);
}

void open_user(const Sections& held, int width, bool line_ends, UserLayer& layer) {
  const Cells<uint8_t> flags = held.of<uint8_t>("flags");
  layer.n = uint32_t(flags.n);
  layer.width = width;
  layer.line_ends = line_ends;
  if (!layer.n || flags.n > std::ptrdiff_t(kMaxEntries) || (width != 2 && width != 4))
    held.refuse();
  layer.flags = flags.data;
  layer.offsets = held.exactly<uint32_t>("offsets", flags.n + 1);
  layer.text = held.exactly<uint8_t>("text", std::ptrdiff_t(layer.offsets[layer.n]) * width);
  if (held.has("weights")) {
    layer.weights = held.exactly<double>("weights", flags.n);
    layer.logs = held.exactly<int32_t>("logs", flags.n);
  } else {
    for (uint32_t id = 0; id < layer.n; ++id)
      if (user_level(flags.data[id]) == kWeighted) held.refuse();
  }
  if (!held.has("partids")) return;
  const Cells<uint32_t> ids = held.of<uint32_t>("partids");
  if (!ids.n) held.refuse();
  layer.n_parts = size_t(ids.n);
  layer.part_ids = ids.data;
  layer.part_first = held.exactly<uint32_t>("partfirst", ids.n + 1);
  layer.parts = held.exactly<uint32_t>("parts", layer.part_first[ids.n]);
}

void attach_user(const Sections& held, UserLayer& layer) {
  bool any = false;
  for (uint32_t f = 0; f < kUserFields; ++f) {
    auto of = [&](int k) { return user_section(f, kUserTables[k]); };
    if (!held.has(of(1))) continue;
    any = true;
    if (!layer.field[f].attach(held.of<uint32_t>(of(0)), held.of<uint64_t>(of(1)),
                               held.of<uint32_t>(of(2)), held.of<uint32_t>(of(3))))
      held.refuse();
  }
  if (!any) held.refuse();
}

void compile_user(const FoldTable* folds, UserTables* tables, UserLayer& layer,
                  const PutSection& put) {
  Sections held;
  for (uint32_t f = 0; f < kUserFields; ++f) {
    UserTables& t = tables[f];
    UserCompiler(layer, f, folds[f], t);
    if (t.nodes.empty()) continue;
    auto give = [&](int k, const auto& column) {
      const std::string name = user_section(f, kUserTables[k]);
      const size_t n = column.size() * sizeof column[0];
      held.put(name, column.data(), n);
      if (put) put(name, column.data(), n);
    };
    give(0, t.filter);
    give(1, t.nodes);
    give(2, t.entries);
    give(3, t.skips);
  }
  attach_user(held, layer);
}

std::string user_digest(const UserLayer& layer) {
  uint64_t sums[2] = {0, 0}, one[2];
  bool any = false;
  for (uint32_t id = 0; id < layer.n; ++id) {
    if (user_level(layer.flags[id]) == kNoEntry) continue;
    any = true;
    layer.identity(id, one);
    for (int k = 0; k < 2; ++k) sums[k] += one[k];
  }
  std::string out;
  if (any)
    for (const uint64_t sum : sums)
      for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[sum >> shift & 15];
  return out;
}

}  // namespace segmenter
