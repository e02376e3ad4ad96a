// SQLite's full-text search (FTS5) by our words, as a loadable extension:
//
//   select load_extension('segmenter_fts5');
//   create virtual table docs using fts5(body, tokenize='segmenter');
//   select highlight(docs, 0, '[', ']') from docs where docs match segmenter_query('大学');
//   select word, kind from segmenter_cut('他说的确实在理');
//
// FTS5 stores tokens in a row, one per position. The tokens are the units of a text: its characters
// (a run of letters or digits counts as one), each with a mark that says whether it ends a word. So
// every substring is a phrase of tokens, however the text was cut, and whole words rank higher.
// segmenter/adapters/_terms.py says which units there are, and which are left out.
//
// Built on segmenter.h alone. Compiled with SQLITE_CORE it is part of a program that links SQLite
// statically: sqlite3_auto_extension((void (*)(void))sqlite3_segmenterfts_init).
#include <sqlite3ext.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

#include "characters.hpp"
#include "segmenter.h"
#include "utf8.hpp"
#if !defined(_WIN32) && !defined(__wasm__)
#include <dlfcn.h>
#endif

SQLITE_EXTENSION_INIT1

// Words from elsewhere: how a program in another language, such as our adapter in Python, has its
// own segmenter fill tables. Functions return 0, or -1 after segmenter_fts5_fail().
extern "C" struct segmenter_fts5_words {
  const char* fingerprint;  // of the index: what cut it, and with which options
  uint32_t rules;           // of segmenter::Rule
  void* context;
  // The exclusive ends of the words that tile a text, in code points; the highest bit of one that
  // is left out is set.
  int (*ends)(void* context, const char* utf8, size_t size, const uint32_t** ends, size_t* count);
  // The code points that look-ups see instead of those of the text, as many.
  int (*readings)(void* context, const char* utf8, size_t size, const uint32_t** points);
  void (*failed)(void* context, const char* why);  // tells what SQLite has no words for; or null
};

namespace segmenter {
namespace {

using std::string;
using std::string_view;

enum Rule : uint32_t {
  kScript = 1,     // Traditional, Hong Kong and Taiwan forms match each other
  kSplit = 2,      // letters and digits are units
  kAlone = 4,      // every character is a unit: words may begin and end inside runs
  kNoSpace = 8,    // blanks are left out
  kNoNewline = 16, // line ends
  kNoPunct = 32,   // punctuation
};
constexpr uint32_t kDrop = kNoSpace | kNoNewline | kNoPunct;
constexpr uint32_t kLeftOut = 1u << 31;
// Marks: the unit is the last of its word, or is not; a common character that is both in one text.
constexpr char kEnds = '.', kGoesOn = '-', kBoth = '~';
// In a query of segmenter_query: marks are given, between units, between readings of a unit.
constexpr char kMarked = 1, kNext = 2, kOr = 3;
constexpr string_view kSyntax = "\1\2\3";
// A part of a query with at most so many units is searched for as one word.
constexpr size_t kOneWord = 3;
constexpr const char* kForm = " fts5=3";  // of the tokens in a table
constexpr const char* kKept = "segmenter_tokenizers";

struct Failure : std::runtime_error {
  using runtime_error::runtime_error;
};

// --- who cuts ------------------------------------------------------------------------------------

class Cutter {
 public:
  string fingerprint;
  uint32_t rules = kDrop | kScript;
  virtual ~Cutter() = default;
  virtual void ends(string_view text, const uint32_t** ends, size_t* count) = 0;
  virtual const uint32_t* readings(string_view text) = 0;
  virtual void failed(const char*) const {}
};

struct Options {
  string preset, standard, decoder, oov;
  bool variants = true, script = true, split = false, any = false, phrase = false;

  void set(const string& name, const string& value) {
    auto choice = [&](const char* no, const char* yes) {
      if (value != no && value != yes)
        throw Failure(name + ": '" + value + "' is neither " + no + " nor " + yes);
      return value == yes;
    };
    if (name == "preset") preset = value;
    else if (name == "standard") standard = value;
    else if (name == "decoder") decoder = value;
    else if (name == "oov") oov = value;
    else if (name == "variants") variants = choice("off", "on");
    else if (name == "script") script = choice("off", "on");
    else if (name == "runs") split = choice("whole", "split");
    else
      throw Failure("'" + name + "' is no option: there are preset, standard, decoder, oov, " +
                    "variants, script, runs, each with a value");
  }
  string key() const {
    return preset + '\n' + standard + '\n' + decoder + '\n' + oov + "\n" + (variants ? "v" : "") +
           (script ? "s" : "") + (split ? "r" : "");
  }
};

Options parse(const std::vector<string>& words, bool query) {
  Options out;
  for (size_t k = 0; k < words.size(); ++k) {
    if (query && words[k] == "any") out.any = true;
    else if (query && words[k] == "phrase") out.phrase = true;
    else if (k + 1 == words.size()) throw Failure("option '" + words[k] + "' has no value");
    else {
      out.set(words[k], words[k + 1]);
      ++k;
    }
  }
  return out;
}

// A preset through segmenter.h; opened once, each connection has a worker.
class Preset : public Cutter {
 public:
  Preset(const Options& options, const string& folder) : engine_(opened(options, folder)) {
    rules = kDrop | (options.script ? kScript : 0u) | (options.split ? kSplit : 0u);
    // of the options, as Terms.fingerprint in _terms.py
    const char* of = options.split ? options.script ? "0d2f736175dea1a8" : "2d68a3a6f605b01f"
                     : options.script ? "1f539e24f6f95885"
                                      : "e49195387f0cbaf3";
    fingerprint = string(segmenter_fingerprint(engine_.get())) + " terms=2-" + of + kForm;
    segmenter_worker* made = nullptr;
    if (segmenter_worker_new(engine_.get(), &made)) throw std::bad_alloc();
    worker_.reset(made);
  }
  void ends(string_view text, const uint32_t** ends, size_t* count) override {
    check(segmenter_cut(worker_.get(), text.data(), text.size(), SEGMENTER_CODE_POINTS, ends,
                        count));
  }
  const uint32_t* readings(string_view text) override {
    const uint32_t* points;
    size_t count;
    check(segmenter_fold(worker_.get(), text.data(), text.size(), &points, &count));
    return points;
  }
  void tokens(string_view text, const segmenter_token** tokens, size_t* count) {
    check(segmenter_tokenize(worker_.get(), text.data(), text.size(), SEGMENTER_WORDS,
                             SEGMENTER_CODE_POINTS, tokens, count));
  }

 private:
  using Engine = std::shared_ptr<const segmenter_engine>;
  struct Free {
    void operator()(segmenter_worker* worker) const { segmenter_worker_free(worker); }
  };
  const Engine engine_;
  std::unique_ptr<segmenter_worker, Free> worker_;

  void check(int status) {
    if (status) throw Failure(segmenter_error(worker_.get()));
  }
  static Engine opened(const Options& given, const string& folder) {
    static std::mutex mutex;
    static std::map<string, std::weak_ptr<const segmenter_engine>> known;
    const std::lock_guard<std::mutex> lock(mutex);
    std::weak_ptr<const segmenter_engine>& place = known[given.key() + folder];
    Engine found = place.lock();
    if (found) return found;
    segmenter_options options = {};
    auto said = [](const string& value) { return value.empty() ? nullptr : value.c_str(); };
    options.struct_size = sizeof options;
    options.folder = folder.c_str();
    options.preset = said(given.preset);
    options.standard = said(given.standard);
    options.decoder = said(given.decoder);
    options.oov = said(given.oov);
    options.no_variants = !given.variants;
    segmenter_engine* made = nullptr;
    char why[1024] = "";
    if (segmenter_open(&options, &made, why, sizeof why)) throw Failure(why);
    found = Engine(made, [](const segmenter_engine* e) {
      segmenter_free(const_cast<segmenter_engine*>(e));
    });
    place = found;
    return found;
  }
};

thread_local string failure;  // what segmenter_fts5_fail() was told

class Given : public Cutter {
 public:
  explicit Given(const segmenter_fts5_words& words) : words_(words) {
    fingerprint = string(words.fingerprint) + kForm;
    rules = words.rules;
  }
  void ends(string_view text, const uint32_t** ends, size_t* count) override {
    check(words_.ends(words_.context, text.data(), text.size(), ends, count));
  }
  const uint32_t* readings(string_view text) override {
    const uint32_t* points = nullptr;
    check(words_.readings(words_.context, text.data(), text.size(), &points));
    return points;
  }
  void failed(const char* why) const override {
    if (words_.failed) words_.failed(words_.context, why);
  }

 private:
  const segmenter_fts5_words words_;
  static void check(int code) {
    if (code) throw Failure(failure);
  }
};

std::mutex offered_mutex;
std::map<int64_t, segmenter_fts5_words> offered;

// --- units ---------------------------------------------------------------------------------------

void put(string& out, uint32_t cp) {
  if (cp < 0x80) out += char(cp);
  else if (cp < 0x800) out.append({char(0xC0 | cp >> 6), char(0x80 | (cp & 0x3F))});
  else if (cp < 0x10000)
    out.append({char(0xE0 | cp >> 12), char(0x80 | (cp >> 6 & 0x3F)), char(0x80 | (cp & 0x3F))});
  else
    out.append({char(0xF0 | cp >> 18), char(0x80 | (cp >> 12 & 0x3F)), char(0x80 | (cp >> 6 & 0x3F)),
                char(0x80 | (cp & 0x3F))});
}

// What is special about a character: its number among the common ones, from 1, which may have the
// mark kBoth; kReadings: the lexicon may read it in two ways.
constexpr uint8_t kReadings = 0x80;
uint8_t special(uint32_t cp) {
  static const std::vector<uint8_t> table = [] {
    std::vector<uint8_t> made(0x10000);
    uint8_t number = 0;
    for (char32_t c : characters::kCommon) made[c] = ++number;
    for (char32_t c : characters::kSeveral) made[c] |= kReadings;
    return made;
  }();
  return cp < 0x10000 ? table[cp] : uint8_t(0);
}
uint8_t common(uint32_t cp) { return special(cp) & uint8_t(~kReadings); }

struct Unit {
  uint32_t start, end, position;
  uint32_t other;  // a second reading (后 of 後), or 0
  bool ends_word;
};

// The units of a text; its memory is used again for the next one.
class Units {
 public:
  std::vector<uint32_t> points, bytes;  // code points; where each begins in the text
  std::vector<Unit> units;              // without those that are left out
  struct Word {
    uint32_t first, last;  // its units
    bool signs;            // all its characters are punctuation
  };
  std::vector<Word> words;  // those that have units

  void read(Cutter& cutter, string_view text) {
    rules_ = cutter.rules;
    bool several = decode(text);
    const size_t n = points.size();
    std::vector<uint32_t> other;
    if (several && (rules_ & kScript)) {
      const uint32_t* read = cutter.readings(text);
      if (read) other.assign(read, read + n);
    }
    const uint32_t* ends = nullptr;
    size_t count = 0;
    cutter.ends(text, &ends, &count);
    units.clear();
    words.clear();
    size_t start = 0, end = n ? next(0) : 0, at = 0;
    uint32_t position = 0;
    for (size_t k = 0; k < count; ++k) {
      const bool left_out = ends[k] & kLeftOut;
      const size_t from = at;
      at = std::min<size_t>(ends[k] & ~kLeftOut, n);
      const uint32_t first = uint32_t(units.size());
      for (; start < at; ++position) {
        if (!left_out && !dropped(start, end)) {
          uint32_t read = 0;
          if (!other.empty() && special(points[start]) & kReadings &&
              other[start] != folded(start))
            read = other[start];
          units.push_back({uint32_t(start), uint32_t(end), position, read, end >= at});
        }
        start = end;
        if (start < n) end = next(start);
      }
      if (units.size() > first)
        words.push_back({first, uint32_t(units.size()),
                         std::all_of(codes_.begin() + long(from), codes_.begin() + long(at), sign)});
    }
  }
  // Appends a reading of a unit as it is indexed.
  void spell(const Unit& unit, bool second, string& out) const {
    if (second) return put(out, unit.other);
    for (uint32_t k = unit.start; k < unit.end; ++k) put(out, folded(k));
  }
  uint32_t folded(size_t k) const {
    const uint32_t cp = points[k];
    return cp + uint32_t(rules_ & kScript ? characters::fold_script(cp) : characters::fold(cp));
  }

 private:
  uint32_t rules_ = 0;
  std::vector<uint8_t> codes_;

  bool decode(string_view text) {
    const auto* p = reinterpret_cast<const uint8_t*>(text.data());
    bool several = false;
    points.clear();
    bytes.clear();
    codes_.clear();
    for (size_t k = 0; k < text.size();) {
      uint32_t cp;
      const uint32_t length = decode_utf8(p + k, text.size() - k, cp);
      if (!length) throw Failure("text of the table is not UTF-8 at byte " + std::to_string(k));
      points.push_back(cp);
      bytes.push_back(uint32_t(k));
      codes_.push_back(characters::class_of(cp));
      several |= bool(special(cp) & kReadings);
      k += length;
    }
    bytes.push_back(uint32_t(text.size()));
    return several;
  }
  size_t marks(size_t k) const {
    while (k < points.size() && codes_[k] == characters::kExtend) ++k;
    return k;
  }
  // The end of 1️⃣, which stands alone, from its digit on; 0: it is another digit.
  size_t keycap(size_t k) const {
    for (++k; k < points.size() && codes_[k] == characters::kExtend; ++k)
      if (points[k] == 0x20E3) return marks(k);
    return 0;
  }
  bool joins(size_t k) const {
    return codes_[k] == characters::kLatin || (codes_[k] == characters::kDigit && !keycap(k));
  }
  // The end of the unit that begins at k: units.py has the same as a regular expression.
  size_t next(size_t k) const {
    const size_t n = points.size();
    const uint8_t code = codes_[k];
    if (rules_ & kAlone) return k + 1;
    switch (code) {
      case characters::kDigit:
        if (const size_t end = keycap(k)) return end;
        [[fallthrough]];
      case characters::kLatin:
        k = marks(k + 1);
        while (!(rules_ & kSplit) && k < n && joins(k)) k = marks(k + 1);
        return k;
      case characters::kLf:
      case characters::kCr:
        return k + 1;
      case characters::kBlank:
      case characters::kGreek:
      case characters::kCyrillic:
      case characters::kLetter:
        while (k < n && codes_[k] == code) ++k;
        return marks(k);
      default:
        return marks(k + 1);
    }
  }
  static bool sign(int code) {
    return code == characters::kPunct ||
           (code >= characters::kPoint && code <= characters::kMinus);
  }
  // Whether a unit is left out, by its characters and the two beside it.
  bool dropped(size_t start, size_t end) const {
    using namespace characters;
    const uint8_t code = codes_[start];
    if (sign(code)) {
      if (end - start > 1 || !(rules_ & kNoPunct)) return false;
      const uint32_t c = folded(start);
      const int before = start ? codes_[start - 1] : -1;
      const int after = end < codes_.size() ? codes_[end] : -1;
      auto letter = [](int of) { return of == kDigit || of == kLatin; };
      // signs that hold a word together: 3.14, AT&T, I/O, 50%, C#, 1,000
      if (std::u32string_view(U".·：/-&@'’_").find(char32_t(c)) != std::u32string_view::npos)
        return !(letter(before) && letter(after));
      if (c == u'，') return !(before == kDigit && after == kDigit);
      return !((c == '%' || c == u'‰' || c == '#') && letter(before));
    }
    const bool blank = ((code == kBlank || code == kCr) && (rules_ & kNoSpace)) ||
                       ((code == kLf || code == kCr) && (rules_ & kNoNewline));
    return blank && codes_[end - 1] != kExtend;
  }
};

// --- a connection --------------------------------------------------------------------------------

enum class Mismatch { kRefuse, kReadOnly, kRebuild };

Mismatch mismatch_of(const string& name) {
  if (name == "refuse") return Mismatch::kRefuse;
  if (name == "read-only") return Mismatch::kReadOnly;
  throw Failure("mismatch: '" + name + "' is not one of refuse, read-only");
}

using Row = std::vector<string>;

string quoted(const string& name) {
  string out = "\"";
  for (char c : name) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

struct Connection {
  sqlite3* db;
  string error, models;
  Units units;
  std::map<string, std::shared_ptr<Preset>> presets;
  struct Named* own = nullptr;    // the tokenizer 'segmenter'
  std::shared_ptr<Cutter> last;  // of the table that was opened last

  // The rows of a statement. Where `writes`, what a database refuses that is only read, or that
  // another connection writes to, is left out.
  std::vector<Row> run(const string& sql, const Row& values = {}, bool writes = false) {
    sqlite3_stmt* made = nullptr;
    int code = sqlite3_prepare_v2(db, sql.c_str(), -1, &made, nullptr);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(made, sqlite3_finalize);
    for (size_t k = 0; k < values.size() && code == SQLITE_OK; ++k)
      code = sqlite3_bind_text(made, int(k + 1), values[k].c_str(), -1, SQLITE_TRANSIENT);
    std::vector<Row> rows;
    if (code == SQLITE_OK)
      while ((code = sqlite3_step(made)) == SQLITE_ROW) {
        Row row;
        for (int k = 0; k < sqlite3_column_count(made); ++k) {
          const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(made, k));
          row.emplace_back(text ? text : "");
        }
        rows.push_back(std::move(row));
      }
    code &= 0xFF;
    const bool busy = code == SQLITE_READONLY || code == SQLITE_BUSY || code == SQLITE_LOCKED;
    if (code != SQLITE_DONE && !(writes && busy)) throw Failure(sqlite3_errmsg(db));
    return rows;
  }
  Row schemas() {
    Row out;
    for (Row& row : run("select name from pragma_database_list where name <> 'temp'"))
      out.push_back(row[0]);
    return out;
  }
  bool has(const string& schema, const string& table) {
    return !run("select 1 from " + quoted(schema) + ".sqlite_master where name = ?", {table})
                .empty();
  }
  std::shared_ptr<Preset> preset(const Options& options) {
    std::shared_ptr<Preset>& place = presets[options.key()];
    if (!place) place = std::make_shared<Preset>(options, folder());
    return place;
  }
  string folder() const;
};

using Shared = std::shared_ptr<Connection>;

bool is_folder(const string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && (found.st_mode & S_IFDIR);
}

// The folder of the models: as configured, of the environment, in the wheel, in the source tree, or
// beside this library.
string Connection::folder() const {
  if (!models.empty()) return models;
  const char* named = std::getenv("SEGMENTER_DATA");
  if (named && *named) return named;
  string looked;
#if !defined(_WIN32) && !defined(__wasm__)
  Dl_info found;
  if (dladdr(reinterpret_cast<const void*>(&is_folder), &found) && found.dli_fname) {
    string here = found.dli_fname;
    here.resize(here.find_last_of('/') == string::npos ? 0 : here.find_last_of('/') + 1);
    for (const char* place : {"models", "../models", "../../models", "../share/segmenter"}) {
      if (is_folder(here + place)) return here + place;
      looked += "; " + here + place;
    }
  }
#endif
  throw Failure("no folder of compiled models; looked at: $SEGMENTER_DATA" + looked +
                ". Set SEGMENTER_DATA to it, or: select segmenter_config('models', FOLDER)");
}

// A tokenizer by its name in `tokenize=`.
struct Named {
  Shared connection;
  string name;
  std::shared_ptr<Cutter> given;  // null: presets by the table's options
  Mismatch mismatch = Mismatch::kRefuse;
  bool writable = true;
  string fingerprint;  // of what cut last

  struct Table {
    string schema, name, sql;
  };
  // The FTS5 tables of a database that use it.
  std::vector<Table> tables(const string& schema) const;
  string kept(const string& schema) const;
  void keep(const string& schema) const;
  void forget() const;
  void check();
  string rebuild();
};

// --- who cut a table -----------------------------------------------------------------------------

// The position after `word` in lower case, between characters that are in no word; npos: none.
size_t after(const string& text, const char* word, size_t from) {
  auto inside = [&](size_t k) {
    return k < text.size() && (std::isalnum(uint8_t(text[k])) || text[k] == '_' || text[k] < 0);
  };
  const size_t n = std::strlen(word);
  for (size_t k = text.find(word, from); k != string::npos; k = text.find(word, k + 1))
    if (!(k && inside(k - 1)) && !inside(k + n)) return k + n;
  return string::npos;
}

string lower(string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = char(c + 32);
  return text;
}

bool uses(const string& sql, const string& name) {
  const string text = lower(sql), asked = lower(name);
  size_t at = after(text, "using", 0);
  if (at != string::npos) at = after(text, "fts5", at);
  while (at != string::npos && (at = after(text, "tokenize", at)) != string::npos) {
    size_t k = text.find_first_not_of(" \t\r\n", at);
    if (k == string::npos || text[k] != '=') continue;
    k = text.find_first_not_of(" \t\r\n'\"", k + 1);
    if (k != string::npos && after(text, asked.c_str(), k) == k + asked.size()) return true;
  }
  return false;
}

bool contentless(const string& sql) {
  string text;
  for (char c : lower(sql))
    if (!std::strchr(" \t\r\n", c)) text += c == '"' ? '\'' : c;
  return text.find("content=''") != string::npos;
}

std::vector<Named::Table> Named::tables(const string& schema) const {
  std::vector<Table> out;
  for (Row& row : connection->run("select name, sql from " + quoted(schema) +
                                  ".sqlite_master where type = 'table' and sql is not null"))
    if (uses(row[1], name)) out.push_back({schema, row[0], row[1]});
  return out;
}

string Named::kept(const string& schema) const {
  if (!connection->has(schema, kKept)) return "";
  const auto rows = connection->run(
      "select fingerprint from " + quoted(schema) + "." + kKept + " where name = ?", {name});
  return rows.empty() ? "" : rows[0][0];
}

void Named::keep(const string& schema) const {
  const string of = quoted(schema) + "." + kKept;
  connection->run("create table if not exists " + of +
                  " (name text primary key, fingerprint text not null)", {}, true);
  if (connection->has(schema, kKept))
    connection->run("insert or replace into " + of + " values (?, ?)", {name, fingerprint}, true);
}

// Removes the fingerprints of tables that are gone.
void Named::forget() const {
  for (const string& schema : connection->schemas())
    if (tables(schema).empty() && !kept(schema).empty())
      connection->run("delete from " + quoted(schema) + "." + kKept + " where name = ?", {name},
                      true);
}

// Compares the fingerprints of all databases, and stores it where there is none yet.
void Named::check() {
  bool all = true;
  for (const string& schema : connection->schemas()) {
    const std::vector<Table> found = tables(schema);
    const string before = kept(schema);
    if (found.empty() || before == fingerprint || mismatch == Mismatch::kRebuild) continue;
    bool made = false, filled = false;  // numbers up to 10 in `_data` are FTS5's own records
    for (const Table& table : found) {
      const string data = table.name + "_data";
      if (!connection->has(schema, data)) continue;  // it is being created
      made = true;
      filled |= !connection
                     ->run("select 1 from " + quoted(schema) + "." + quoted(data) +
                           " where id > 10 limit 1")
                     .empty();
    }
    const size_t end = before.size() - std::min(before.size(), std::strlen(kForm));
    if (before.empty() ? !filled : !made) keep(schema);
    else if (!before.empty() && before.substr(end) != kForm)
      throw Failure("segmenter: table " + found[0].name + " of the database has tokens of another "
                    "form (it was filled by another version of this package: '" + before +
                    "'): rebuild it: select segmenter_rebuild()");
    else if (mismatch == Mismatch::kRefuse)
      throw Failure("segmenter: table " + found[0].name + " of the database was filled by another "
                    "one, or with other options (the index has '" +
                    (before.empty() ? "no record" : before) + "', the Segmenter '" + fingerprint +
                    "'): rebuild it (in SQL: select segmenter_rebuild()), or search it as it is "
                    "with mismatch 'read-only'");
    else all = false;
  }
  writable = all;
}

// Cuts the texts of all tables again; returns their names, a line each.
string Named::rebuild() {
  std::vector<Table> found;
  for (const string& schema : connection->schemas())
    for (Table& table : tables(schema)) found.push_back(std::move(table));
  string names;
  for (const Table& table : found) {
    if (contentless(table.sql))
      throw Failure("table " + table.name + " is contentless, so SQLite has no texts to segment "
                    "again: drop it, create it and fill it from its source");
    names += (names.empty() ? "" : "\n") + table.name;
  }
  const Mismatch before = mismatch;
  mismatch = Mismatch::kRebuild;
  connection->run("savepoint segmenter_rebuild");
  try {
    for (const Table& table : found)
      connection->run("insert into " + quoted(table.schema) + "." + quoted(table.name) + "(" +
                      quoted(table.name) + ") values ('rebuild')");
    for (const Table& table : found) {
      keep(table.schema);
      // a change of the schema: other connections open their tables again, and compare
      const string of = quoted(table.schema) + "." + kKept + "_changed";
      connection->run("create view " + of + " as select 1");
      connection->run("drop view " + of);
    }
    connection->run("release segmenter_rebuild");
  } catch (const Failure&) {
    mismatch = before;
    const string why = connection->error.empty() ? sqlite3_errmsg(connection->db)
                                                 : connection->error;
    connection->run("rollback to segmenter_rebuild");
    connection->run("release segmenter_rebuild");
    throw Failure(why);
  }
  mismatch = before;
  writable = true;
  return names;
}

// --- FTS5 ----------------------------------------------------------------------------------------

// Keeps an error for segmenter_error(): FTS5 itself says no more than "SQL logic error".
int said(Connection& connection, const char* why, const Cutter* cutter = nullptr) {
  connection.error = why;
  sqlite3_log(SQLITE_ERROR, "segmenter: %s", why);
  if (cutter) cutter->failed(why);
  return SQLITE_ERROR;
}

using Give = int (*)(void*, int, const char*, int, int, int);

// Gives FTS5 the tokens of one position.
class Position {
 public:
  Position(Give give, void* to) : give_(give), to_(to) {}
  void begin(int start, int end) {
    start_ = start;
    end_ = end;
    first_ = true;
  }
  void token(const string& text) {
    if (!code)
      code = give_(to_, first_ ? 0 : FTS5_TOKEN_COLOCATED, text.data(), int(text.size()), start_,
                   end_);
    first_ = false;
  }
  // All tokens that a unit with one of these marks may have in an index.
  void forms(const string& text, string marks, bool is_common) {
    if (is_common) marks += kBoth;
    for (size_t k = 0; k < marks.size(); ++k) token(text + marks[k]);
  }
  int code = SQLITE_OK;

 private:
  const Give give_;
  void* const to_;
  int start_ = 0, end_ = 0;
  bool first_ = true;
};

class Tokenizer {
 public:
  Tokenizer(Named& named, std::shared_ptr<Cutter> cutter)
      : named_(named), connection_(named.connection), cutter_(std::move(cutter)) {}

  int run(int flags, string_view text, void* to, Give give) {
    Position out(give, to);
    if (flags & FTS5_TOKENIZE_QUERY) {
      query(text, flags & FTS5_TOKENIZE_PREFIX, out);
      return out.code;
    }
    if (flags & FTS5_TOKENIZE_DOCUMENT && !named_.writable)
      throw Failure("segmenter: the tables of '" + named_.name + "' were filled by another one " +
                    "and are open for reading only: rebuild them (in SQL: select "
                    "segmenter_rebuild())");
    units_.read(*cutter_, text);
    document(out);
    return out.code;
  }
  const Cutter* cutter() const { return cutter_.get(); }
  Connection& connection() { return *connection_; }

 private:
  Named& named_;
  const Shared connection_;
  const std::shared_ptr<Cutter> cutter_;
  Units units_;
  string text_;

  // The number of the common character that a reading of a unit is; 0: none.
  uint8_t common_of(const Unit& unit, bool second) const {
    if (second) return common(unit.other);
    return unit.end - unit.start == 1 ? common(units_.folded(unit.start)) : uint8_t(0);
  }
  void document(Position& out) {
    uint8_t seen[128] = {};
    for (const Unit& unit : units_.units)
      for (int second = 0; second <= (unit.other != 0); ++second)
        seen[common_of(unit, second)] |= unit.ends_word ? 1 : 2;
    seen[0] = 0;
    for (const Unit& unit : units_.units) {
      out.begin(int(units_.bytes[unit.start]), int(units_.bytes[unit.end]));
      for (int second = 0; second <= (unit.other != 0); ++second) {
        text_.clear();
        units_.spell(unit, second, text_);
        text_ += seen[common_of(unit, second)] == 3 ? kBoth : unit.ends_word ? kEnds : kGoesOn;
        out.token(text_);
      }
      if (out.code) return;
    }
  }
  void query(string_view text, bool prefix, Position& out) {
    if (text.substr(0, 2) == "\1\1") text.remove_prefix(1);
    else if (is_cut(text)) return spelt(text.substr(1), out);
    units_.read(*cutter_, text);
    for (const Unit& unit : units_.units) {
      out.begin(0, 0);
      for (int second = 0; second <= (unit.other != 0); ++second) {
        text_.clear();
        units_.spell(unit, second, text_);
        if (prefix && &unit == &units_.units.back()) out.token(text_);  // whatever mark comes after
        else out.forms(text_, {kEnds, kGoesOn}, common_of(unit, second));
      }
    }
  }
  // Whether a phrase is one of segmenter_query(): a mark, then units, none of them empty.
  static bool is_cut(string_view text) {
    if (text.size() < 2 || text[0] != kMarked) return false;
    bool empty = true;
    for (char c : text.substr(1)) {
      if (c == kMarked || (empty && (c == kNext || c == kOr))) return false;
      empty = c == kNext || c == kOr;
    }
    return !empty;
  }
  void spelt(string_view text, Position& out) {
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find(kNext, at), text.size());
      string_view unit = text.substr(at, end - at);
      at = end + 1;
      size_t last = unit.size() - 1;  // its mark, a character
      while (last && (unit[last] & 0xC0) == 0x80) --last;
      const string mark(unit.substr(last));
      unit = unit.substr(0, last);
      out.begin(0, 0);
      for (size_t from = 0; from <= unit.size();) {
        const size_t to = std::min(unit.find(kOr, from), unit.size());
        text_ = unit.substr(from, to - from);
        from = to + 1;
        uint32_t cp = 0;
        const auto* p = reinterpret_cast<const uint8_t*>(text_.data());
        const bool one = !text_.empty() && decode_utf8(p, text_.size(), cp) == text_.size();
        out.token(text_ + mark);
        if (one && common(cp)) out.token(text_ + kBoth);
      }
    }
  }
};

int create(void* of, const char** argv, int argc, Fts5Tokenizer** out) {
  Named& named = *static_cast<Named*>(of);
  Connection& connection = *named.connection;
  try {
    std::shared_ptr<Cutter> cutter = named.given;
    const Options options = parse(Row(argv, argv + argc), false);
    if (!cutter) cutter = connection.preset(options);
    named.fingerprint = cutter->fingerprint;
    if (named.given && argc)  // of a table that the extension made: fingerprints are compared
      for (const string& schema : connection.schemas())
        for (const Named::Table& table : named.tables(schema))
          if (!connection.has(schema, table.name + "_data"))  // it is being created
            throw Failure("tokenize: '" + named.name + "' takes no options here: they are those " +
                          "of the Segmenter that was registered");
    named.check();
    connection.last = cutter;
    *out = reinterpret_cast<Fts5Tokenizer*>(new Tokenizer(named, cutter));
    return SQLITE_OK;
  } catch (const std::exception& e) {
    return said(connection, e.what(), named.given.get());
  }
}

void destroy(Fts5Tokenizer* tokenizer) { delete reinterpret_cast<Tokenizer*>(tokenizer); }

int tokenize(Fts5Tokenizer* of, void* to, int flags, const char* text, int n, Give give) {
  Tokenizer& tokenizer = *reinterpret_cast<Tokenizer*>(of);
  try {
    return tokenizer.run(flags, string_view(text ? text : "", size_t(n)), to, give);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& e) {
    return said(tokenizer.connection(), e.what(), tokenizer.cutter());
  }
}

Named& install(const Shared& connection, const string& name, std::shared_ptr<Cutter> given,
               Mismatch mismatch) {
  sqlite3_stmt* statement = nullptr;
  fts5_api* api = nullptr;
  if (sqlite3_prepare_v2(connection->db, "select fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  if (!api) throw Failure("this SQLite was built without FTS5");
  std::unique_ptr<Named> named(new Named{connection, name, std::move(given), mismatch, true, ""});
  fts5_tokenizer functions = {create, destroy, tokenize};
  if (api->xCreateTokenizer(api, name.c_str(), named.get(), &functions,
                            [](void* p) { delete static_cast<Named*>(p); }))
    throw Failure("SQLite does not take the tokenizer '" + name + "'");
  return *named.release();
}

// --- functions of SQL ----------------------------------------------------------------------------

string_view text_of(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text ? string_view(text, size_t(sqlite3_value_bytes(value))) : string_view();
}

Options options_of(sqlite3_value* value, bool query) {
  Row words;
  const string text(text_of(value));
  for (size_t at = 0; (at = text.find_first_not_of(" \t\n", at)) != string::npos;) {
    const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return parse(words, query);
}

// A query for MATCH: each part as it was cut, or as a string.
string query_of(Units& units, Cutter& cutter, string text, const Options& options) {
  std::replace(text.begin(), text.end(), '\0', ' ');  // FTS5 reads a query up to its first NUL
  units.read(cutter, text);
  using Range = std::pair<uint32_t, uint32_t>;
  std::vector<Range> parts;
  if (options.phrase) {
    if (!units.units.empty()) parts.push_back({0, uint32_t(units.units.size())});
  } else {
    std::vector<Range> row;  // words between blanks and punctuation
    auto end_row = [&] {
      if (row.empty()) return;
      const Range whole = {row.front().first, row.back().second};
      if (whole.second - whole.first <= kOneWord) parts.push_back(whole);
      else parts.insert(parts.end(), row.begin(), row.end());
      row.clear();
    };
    uint32_t position = 0;
    for (const Units::Word& word : units.words) {
      if (word.signs && cutter.rules & kNoPunct) continue;
      if (units.units[word.first].position != position) end_row();
      row.emplace_back(word.first, word.last);
      position = units.units[word.last - 1].position + 1;
    }
    end_row();
  }
  string out;
  auto doubled = [&](string_view part) {
    for (char c : part) out.append(c == '"' ? 2 : 1, c);
  };
  for (const Range& part : parts) {
    const uint32_t from = units.bytes[units.units[part.first].start];
    const uint32_t to = units.bytes[units.units[part.second - 1].end];
    const string_view whole = string_view(text).substr(from, to - from);
    if (!out.empty()) out += options.any ? " OR " : " AND ";
    if (whole.find_first_of(kSyntax) != string_view::npos) {  // such characters are units too
      out += '"';
      if (whole[0] == kMarked) out += kMarked;
      doubled(whole);
      out += '"';
      continue;
    }
    out += "(\"";
    for (uint32_t k = part.first; k < part.second; ++k) {
      const Unit& unit = units.units[k];
      out += k == part.first ? kMarked : kNext;
      for (int second = 0; second <= (unit.other != 0); ++second) {
        string spelt;
        units.spell(unit, second, spelt);
        if (second) out += kOr;
        doubled(spelt);
      }
      out += unit.ends_word ? kEnds : kGoesOn;
    }
    out += "\" OR \"";
    doubled(whole);
    out += "\")";
  }
  return out.empty() ? "\"\"" : out;
}

template <string (*Function)(const Shared&, int, sqlite3_value**)>
void function(sqlite3_context* context, int n, sqlite3_value** values) {
  const Shared& connection = *static_cast<Shared*>(sqlite3_user_data(context));
  try {
    const string out = Function(connection, n, values);
    sqlite3_result_text64(context, out.data(), out.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } catch (const std::exception& e) {
    connection->error = e.what();
    sqlite3_result_error(context, e.what(), -1);
  }
}

// segmenter_query(text [, options]): by default cut as the table that was opened last
string sql_query(const Shared& connection, int n, sqlite3_value** values) {
  const Options options = n > 1 ? options_of(values[1], true) : Options();
  std::shared_ptr<Cutter> cutter = connection->last;
  if (!cutter) cutter = connection->own->given;
  if (!cutter || options.key() != Options().key()) cutter = connection->preset(options);
  return query_of(connection->units, *cutter, string(text_of(values[0])), options);
}

// segmenter_config(name, value)
string sql_config(const Shared& connection, int, sqlite3_value** values) {
  const string name(text_of(values[0])), value(text_of(values[1]));
  if (name == "models") connection->models = value;
  else if (name == "mismatch") connection->own->mismatch = mismatch_of(value);
  else throw Failure("segmenter_config: '" + name + "' is neither models nor mismatch");
  return value;
}

// segmenter_error(): why FTS5 said "SQL logic error"
string sql_error(const Shared& connection, int, sqlite3_value**) { return connection->error; }

// segmenter_rebuild([name])
string sql_rebuild(const Shared& connection, int, sqlite3_value**) {
  return connection->own->rebuild();
}

// segmenter_register(name, number, mismatch): uses the words of segmenter_fts5_offer()
string sql_register(const Shared& connection, int, sqlite3_value** values) {
  const string name(text_of(values[0])), how(text_of(values[2]));
  std::shared_ptr<Given> given;
  {
    const std::lock_guard<std::mutex> lock(offered_mutex);
    const auto found = offered.find(sqlite3_value_int64(values[1]));
    if (found == offered.end()) throw Failure("segmenter_register: no words were offered");
    given = std::make_shared<Given>(found->second);
    offered.erase(found);
  }
  const bool rebuilds = how == "rebuild";
  Named& named =
      install(connection, name, given, rebuilds ? Mismatch::kRefuse : mismatch_of(how));
  named.fingerprint = given->fingerprint;
  if (name == "segmenter") connection->own = &named;
  if (rebuilds) return named.rebuild();
  named.forget();
  named.check();
  return "";
}

// segmenter_cut(text [, options]): a table of the words of a text
struct Cut : sqlite3_vtab {
  Shared connection;
};
struct Cursor : sqlite3_vtab_cursor {
  std::shared_ptr<Preset> cutter;
  string text, options;
  std::vector<uint32_t> bytes;
  std::vector<segmenter_token> tokens;
  size_t at = 0;
};

int cut_connect(sqlite3* db, void* of, int, const char* const*, sqlite3_vtab** out, char**) {
  const int code = sqlite3_declare_vtab(
      db, "create table x(word, start, \"end\", kind, text hidden, options hidden)");
  if (code == SQLITE_OK) *out = new Cut{{}, *static_cast<Shared*>(of)};
  return code;
}

int cut_disconnect(sqlite3_vtab* table) {
  delete static_cast<Cut*>(table);
  return SQLITE_OK;
}

int cut_best(sqlite3_vtab*, sqlite3_index_info* info) {
  int places[2] = {-1, -1};
  for (int k = 0; k < info->nConstraint; ++k) {
    const auto& asked = info->aConstraint[k];
    if (asked.iColumn < 4 || asked.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!asked.usable) return SQLITE_CONSTRAINT;
    places[asked.iColumn - 4] = k;
  }
  if (places[0] < 0) return SQLITE_CONSTRAINT;  // no text
  for (int n = 0; n < 2; ++n)
    if (places[n] >= 0) {
      info->aConstraintUsage[places[n]].argvIndex = n + 1;
      info->aConstraintUsage[places[n]].omit = 1;
    }
  info->estimatedCost = 100;
  info->estimatedRows = 100;
  return SQLITE_OK;
}

int cut_open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new Cursor();
  return SQLITE_OK;
}

int cut_close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int cut_filter(sqlite3_vtab_cursor* of, int, const char*, int n, sqlite3_value** values) {
  Cursor& cursor = *static_cast<Cursor*>(of);
  try {
    cursor.at = 0;
    cursor.tokens.clear();
    cursor.text = text_of(values[0]);
    cursor.options = n > 1 ? string(text_of(values[1])) : "";
    const Options options = n > 1 ? options_of(values[1], false) : Options();
    const std::shared_ptr<Preset> cutter = static_cast<Cut*>(of->pVtab)->connection->preset(options);
    const segmenter_token* tokens = nullptr;
    size_t count = 0;
    cutter->tokens(cursor.text, &tokens, &count);
    cursor.tokens.assign(tokens, tokens + count);
    cursor.bytes.clear();
    for (size_t k = 0; k < cursor.text.size(); ++k)
      if ((cursor.text[k] & 0xC0) != 0x80) cursor.bytes.push_back(uint32_t(k));
    cursor.bytes.push_back(uint32_t(cursor.text.size()));
    return SQLITE_OK;
  } catch (const std::exception& e) {
    sqlite3_free(of->pVtab->zErrMsg);
    of->pVtab->zErrMsg = sqlite3_mprintf("%s", e.what());
    return SQLITE_ERROR;
  }
}

int cut_next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->at;
  return SQLITE_OK;
}

int cut_eof(sqlite3_vtab_cursor* of) {
  const Cursor& cursor = *static_cast<Cursor*>(of);
  return cursor.at >= cursor.tokens.size();
}

int cut_column(sqlite3_vtab_cursor* of, sqlite3_context* context, int column) {
  const Cursor& cursor = *static_cast<Cursor*>(of);
  const segmenter_token& token = cursor.tokens[cursor.at];
  const uint32_t from = cursor.bytes[token.start], to = cursor.bytes[token.end];
  auto text = [&](const char* data, size_t n) {
    sqlite3_result_text64(context, data, n, SQLITE_TRANSIENT, SQLITE_UTF8);
  };
  if (column == 0) text(cursor.text.data() + from, to - from);
  else if (column == 1) sqlite3_result_int64(context, token.start);
  else if (column == 2) sqlite3_result_int64(context, token.end);
  else if (column == 3) sqlite3_result_text(context, segmenter_kind_name(token.kind), -1, nullptr);
  else if (column == 4) text(cursor.text.data(), cursor.text.size());
  else text(cursor.options.data(), cursor.options.size());
  return SQLITE_OK;
}

int cut_rowid(sqlite3_vtab_cursor* of, sqlite3_int64* out) {
  *out = sqlite3_int64(static_cast<Cursor*>(of)->at);
  return SQLITE_OK;
}

void install_all(sqlite3* db) {
  const Shared connection = std::make_shared<Connection>();
  connection->db = db;
  connection->own = &install(connection, "segmenter", nullptr, Mismatch::kRefuse);
  auto free_shared = [](void* p) { delete static_cast<Shared*>(p); };
  const struct {
    const char* name;
    int least, most, flags;
    void (*function)(sqlite3_context*, int, sqlite3_value**);
  } functions[] = {
      {"segmenter_query", 1, 2, 0, function<sql_query>},
      {"segmenter_error", 0, 0, SQLITE_DIRECTONLY, function<sql_error>},
      {"segmenter_config", 2, 2, SQLITE_DIRECTONLY, function<sql_config>},
      {"segmenter_rebuild", 0, 0, SQLITE_DIRECTONLY, function<sql_rebuild>},
      {"segmenter_register", 3, 3, SQLITE_DIRECTONLY, function<sql_register>},
  };
  int code = SQLITE_OK;
  for (const auto& f : functions)
    for (int n = f.least; n <= f.most && code == SQLITE_OK; ++n)
      code = sqlite3_create_function_v2(db, f.name, n, SQLITE_UTF8 | f.flags,
                                        new Shared(connection), f.function, nullptr, nullptr,
                                        free_shared);
  static sqlite3_module module = {};
  module.iVersion = 1;
  module.xConnect = cut_connect;  // no xCreate: the table is there without being created
  module.xDisconnect = cut_disconnect;
  module.xBestIndex = cut_best;
  module.xOpen = cut_open;
  module.xClose = cut_close;
  module.xFilter = cut_filter;
  module.xNext = cut_next;
  module.xEof = cut_eof;
  module.xColumn = cut_column;
  module.xRowid = cut_rowid;
  if (code == SQLITE_OK)
    code = sqlite3_create_module_v2(db, "segmenter_cut", &module, new Shared(connection),
                                    free_shared);
  if (code != SQLITE_OK) throw Failure(sqlite3_errmsg(db));
}

}  // namespace
}  // namespace segmenter

#ifdef _WIN32
#define SEGMENTER_FTS5_API extern "C" __declspec(dllexport)
#else
#define SEGMENTER_FTS5_API extern "C" __attribute__((visibility("default")))
#endif

// Keeps words for segmenter_register() and returns the number to call it with.
SEGMENTER_FTS5_API int64_t segmenter_fts5_offer(const segmenter_fts5_words* words) {
  using namespace segmenter;
  static int64_t number = 0;
  const std::lock_guard<std::mutex> lock(offered_mutex);
  offered[++number] = *words;
  return number;
}

// Says why a function of segmenter_fts5_words is about to return -1.
SEGMENTER_FTS5_API void segmenter_fts5_fail(const char* why) { segmenter::failure = why; }

// The name that SQLite derives from that of the file.
SEGMENTER_FTS5_API int sqlite3_segmenterfts_init(sqlite3* db, char** why,
                                                 const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  (void)api;
  try {
    segmenter::install_all(db);
#ifdef SQLITE_CORE
    return SQLITE_OK;
#else
    return SQLITE_OK_LOAD_PERMANENTLY;  // connections share what was opened
#endif
  } catch (const std::exception& e) {
    if (why) *why = sqlite3_mprintf("segmenter_fts5: %s", e.what());
    return SQLITE_ERROR;
  }
}
