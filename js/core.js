// Chinese word segmentation: the C interface of segmenter-zh as a WebAssembly module.
// index.js (browsers) and node.js read the files; everything else is here.

const OPTIONS = ["struct_size", "folder", "preset", "standard", "decoder", "oov", "skip", "atoms",
  "user", "user_size", "files", "n_files", "no_variants", "trust_files", "search", "user_file"];  // 4 bytes each: segmenter.h
const UTF16 = 2;             // segmenter_unit
const MODES = ["words", "search", "index", "query"];  // segmenter_mode
const BLANK = ["space", "newline"];  // tokens that are no words before or after a place
const ROW = 6;               // numbers of a segmenter_token
const UNITS_PER_NAT = 2048;  // of costs
const LONGEST = 1 << 28;  // UTF-16 units of a text: its UTF-8 stays below a gigabyte
const LARGEST = 1 << 28;  // bytes of an unpacked file: a small gzip file can hold gigabytes
// of each model: the files in the package by their names for segmenter_open(), and what decodes
const MODELS = {
  small: [{ "general.lex": "small.lex.gz" }, "unigram"],
  full: [{ "general-fast.model": "full.model.gz", "general.lex": "small.lex.gz" }, null],
};
const TAGS = { "pos.model": "pos.model.gz" };

/** An error of the library: the message says what is wrong and what to do. */
export class SegmenterError extends Error {
  name = "SegmenterError";
}

/** What was given, in a message: at most 200 characters of it, with its length. */
export const short = (text) =>
  text.length <= 200 ? text : `${text.slice(0, 200)}… (${text.length.toLocaleString("en")} characters)`;
const quoted = (value) => short(
  typeof value === "string" ? JSON.stringify(value)
    : ["number", "boolean", "undefined"].includes(typeof value) || value === null ? String(value) : `a ${typeof value}`);

// Options without what other code has put on every object.
const withoutPrototype = (options) => ({ __proto__: null, ...options });

const expected = (name, pending, value) =>
  new TypeError(`${name}: expected ${pending}, got ${value === null ? "null" : typeof value}`);

// What a gzip file holds; bytes that are none are returned as they are, since some servers send
// `.gz` as an encoding, which the browser has undone by then.
async function unpacked(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
    if (size > LARGEST) {
      await reader.cancel();
      throw new Error(`it has more than ${LARGEST >> 20} MB when unpacked`);
    }
  }
  const result = new Uint8Array(size);
  parts.reduce((at, part) => (result.set(part, at), at + part.length), 0);
  return result;
}

/** `load` for a function that reads a file of the package: `read(name)` gives its bytes. */
export function loader(read) {
  const file = async (name) => {
    try {
      return await unpacked(await read(name));
    } catch (e) {
      throw new SegmenterError(`${name}: cannot be read (${e.message}); it lies beside core.js in ` +
        "the package segmenter-zh and must be served from there", { cause: e });
    }
  };
  let module = null;  // compiled once
  return async function load(settings = {}) {
    const { model = "small", tags = false, ...options } = withoutPrototype(settings);
    const lexicon = model instanceof Uint8Array && model.slice();  // the caller may change it meanwhile
    if (!lexicon && !(typeof model === "string" && Object.hasOwn(MODELS, model)))
      throw new SegmenterError(`model: ${quoted(model)} is none of ${Object.keys(MODELS).join(", ")}, ` +
        "nor a Uint8Array with a compiled lexicon");
    if (typeof tags !== "boolean") throw expected("tags", "a boolean", tags);
    const [names, decoder] = lexicon ? [{}, "unigram"] : MODELS[model];
    module ??= file("segmenter.wasm.gz").then((code) => WebAssembly.compile(code))
      .catch((e) => { module = null; throw e; });
    const pending = Object.entries(tags ? { ...names, ...TAGS } : names).map(async ([target_, name]) => [target_, await file(name)]);
    const [code, ...files] = await Promise.all([module, ...pending]);
    if (lexicon) files.push(["general.lex", await unpacked(lexicon).catch((e) => {
      throw new SegmenterError(`model: the gzip file cannot be unpacked: ${e.message}`, { cause: e });
    })]);
    const memory = new Memory(await WebAssembly.instantiate(code, IMPORTS()));
    return new Segmenter(memory, memory.files(files), { preset: "fast", decoder, ...options });
  };
}

// What the module asks of its host: it opens no file and writes none, so that all of it may fail.
function IMPORTS() {
  const refuse = () => 8;  // EBADF
  const wasi = {
    clock_time_get: () => 52,  // ENOSYS
    proc_exit: (code) => { throw new SegmenterError(`the module ended with ${code}: please report it`); },
  };
  return { wasi_snapshot_preview1: new Proxy(wasi, { get: (functions, name) => functions[name] ?? refuse }) };
}

// The module's memory, which moves when it grows: views are made anew then.
class Memory {
  #buffer = null;
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();
  #text = 0;  // memory for the text of a call
  #room = 0;

  constructor({ exports }) {
    this.call = exports;
    exports._initialize();
    this.out = this.take(16);
  }
  #renew() {
    this.#buffer = this.call.memory.buffer;
    this.bytes = new Uint8Array(this.#buffer);
    this.numbers = new Uint32Array(this.#buffer);
  }
  get u8() { if (this.#buffer !== this.call.memory.buffer) this.#renew(); return this.bytes; }
  get u32() { if (this.#buffer !== this.call.memory.buffer) this.#renew(); return this.numbers; }
  take(size) {
    const at = this.call.malloc(size);
    if (!at) throw new SegmenterError(`no memory: ${size} bytes more than WebAssembly has here`);
    return at;
  }
  free(at) { this.call.free(at); }
  // A string that ends with 0; its bytes are counted in `length`.
  string(text) {
    const bytes = this.#encoder.encode(text), at = this.take(bytes.length + 1);
    this.length = bytes.length;
    this.u8.set(bytes, at);
    this.u8[at + bytes.length] = 0;
    return at;
  }
  said(at) {
    return at ? this.#decoder.decode(this.u8.subarray(at, this.u8.indexOf(0, at))) : "";
  }
  // Compiled files, each from a multiple of 64 on: a row of {name, data, size} of segmenter.h, and how many.
  files(lexicon) {
    const at = this.take(12 * lexicon.length);
    lexicon.forEach(([name, bytes], i) => {
      const data = this.take(bytes.length + 64) + 63 & ~63, called = this.string(name);
      this.u8.set(bytes, data);
      this.u32.set([called, data, bytes.length], (at >> 2) + 3 * i);
    });
    return { at, count: lexicon.length };
  }
  // Places a text and gives its length in bytes; it lies at `text`.
  place(text) {
    const maxBytes = text.length * 3;
    if (maxBytes > this.#room) {
      this.free(this.#text);
      this.#text = this.#room = 0;
      this.#text = this.take(maxBytes * 2);
      this.#room = maxBytes * 2;
    }
    return this.#encoder.encodeInto(text, this.u8.subarray(this.#text, this.#text + maxBytes)).written;
  }
  get text() { return this.#text; }
}

const registry = new FinalizationRegistry(({ call, engine, worker }) => {
  call.segmenter_worker_free(worker);
  call.segmenter_free(engine);
});

/** An opened segmenter: immutable. */
export class Segmenter {
  #memory; #files; #options; #worker; #engine;

  constructor(memory, files, options) {
    for (const [name, value] of Object.entries(options)) {
      const pending = name === "variants" ? "boolean" : "string";
      if (!["preset", "decoder", "oov", "skip", "atoms", "words", "variants", "search"].includes(name))
        throw new SegmenterError(`${short(name)}: load() takes model, tags, words, oov, skip, atoms, decoder, variants, search`);
      if (typeof value !== pending && (value != null || pending === "boolean")) throw expected(name, `a ${pending}`, value);
    }
    this.#memory = memory;
    this.#files = files;
    this.#options = withoutPrototype(options);
    const { words, variants, ...named } = this.#options;
    const addresses = [], keep = (at) => (addresses.push(at), at);
    const fields_ = { __proto__: null, struct_size: 4 * OPTIONS.length, files: files.at, n_files: files.count, no_variants: variants === false ? 1 : 0 };
    for (const [name, value] of Object.entries(named)) if (value) fields_[name] = keep(memory.string(value));
    if (words) [fields_.user, fields_.user_size] = [keep(memory.string(words)), memory.length];
    const at = keep(memory.take(4 * OPTIONS.length)), message = keep(memory.take(1024)), { out } = memory;
    memory.u32.set(OPTIONS.map((name) => fields_[name] ?? 0), at >> 2);
    const failed = memory.call.segmenter_open(at, out, message, 1024);
    const reason = failed ? memory.said(message).replace(/^user(?=[,:])/, "words") : "";
    for (const start_ of addresses) memory.free(start_);
    if (failed) throw new SegmenterError(reason);
    this.#engine = memory.u32[out >> 2];
    if (memory.call.segmenter_worker_new(this.#engine, out)) throw new SegmenterError("no memory for a worker");
    this.#worker = memory.u32[out >> 2];
    registry.register(this, { call: memory.call, engine: this.#engine, worker: this.#worker });
  }

  // Calls a function of the C interface with a text and gives what it returns: address and count, which
  // it writes to `out` and after it unless `more` has places for them.
  #ask(name, text, ...extra) {
    if (typeof text !== "string") throw expected("text", "a string", text);
    if (text.length > LONGEST)
      throw new SegmenterError(`text: ${text.length} UTF-16 units, more than ${LONGEST}: cut it by lines`);
    const memory = this.#memory, { out } = memory, size = memory.place(text);
    if (memory.call[name](this.#worker, memory.text, size, ...extra, ...(extra.includes(out) ? [] : [out, out + 4])))
      throw new SegmenterError(memory.said(memory.call.segmenter_error(this.#worker)));
    const numbers = memory.u32;
    return [numbers[out >> 2] >> 2, numbers[(out >> 2) + 1]];
  }

  ends(text) {
    const [at, count] = this.#ask("segmenter_cut", text, UTF16);
    return this.#memory.u32.slice(at, at + count);
  }

  cut(text) {
    if (this.#options.skip) return this.tokenize(text).map((token) => token.text);
    const [at, count] = this.#ask("segmenter_cut", text, UTF16);
    const numbers = this.#memory.u32, words = new Array(count);
    for (let i = 0, start = 0; i < count; i++) {
      const end = numbers[at + i];
      words[i] = text.slice(start, end);
      start = end;
    }
    return words;
  }

  // Rows of six numbers, the last but one a kind, as objects.
  #rows(name, text, mode, make) {
    const [at, count] = this.#ask(name, text, mode, UTF16);
    const columns = this.#memory.u32.slice(at, at + count * ROW);
    return Array.from({ length: count }, (_, i) => {
      const row = columns.subarray(i * ROW, i * ROW + ROW);
      return make(row, this.#kind(row[4]));
    });
  }

  tokenize(text, mode = "words") {
    const number = MODES.indexOf(mode);
    if (number < 0) throw new SegmenterError(`mode: ${quoted(mode)} is none of ${MODES.join(", ")}`);
    return this.#rows("segmenter_tokenize", text, number, ([start, end, position, positionLength], kind) =>
      ({ text: text.slice(start, end), start, end, kind, ...(number ? { position, positionLength } : {}) }));
  }

  // Where the line of the character at a place begins and ends: all that a word depends on, since no rule
  // looks across a line feed, unless words of the user contain one.
  #line(text, at) {
    if (/\\(?:n|r|u000[aAdD])/.test(this.#options.words ?? "")) return [0, text.length];
    const end = text.indexOf("\n", at) + 1;
    return [at ? text.lastIndexOf("\n", at - 1) + 1 : 0, end || text.length];
  }

  #place(text, offset) {
    if (typeof text !== "string") throw expected("text", "a string", text);
    if (!Number.isInteger(offset)) throw expected("offset", "a whole number", offset);
    if (offset < 0 || offset > text.length)
      throw new SegmenterError(`offset: ${offset} is not from 0 to the text's length, ${text.length}`);
    const isLowSurrogate = text.charCodeAt(offset - 1) >> 10 === 0x36 && text.charCodeAt(offset) >> 10 === 0x37;
    return offset - isLowSurrogate;  // the second half of a surrogate pair stands for the first
  }

  // The tokens of the line from `start` to `end`, as those of the text.
  #tokens(text, start, end) {
    return this.tokenize(text.slice(start, end)).map((token) =>
      ({ ...token, start: start + token.start, end: start + token.end }));
  }

  tokenAt(text, offset) {
    const start_ = this.#place(text, offset);
    if (start_ === text.length) return null;
    const token = this.#tokens(text, ...this.#line(text, start_)).find((token) => token.end > start_);
    return token && token.start <= start_ ? token : null;
  }

  nextWord(text, offset) {
    const start_ = this.#place(text, offset);
    for (let at = start_; at < text.length;) {
      const [start, end] = this.#line(text, at);
      const token = this.#tokens(text, start, end).find((token) => token.start > start_ && !BLANK.includes(token.kind));
      if (token) return token;
      at = end;
    }
    return null;
  }

  previousWord(text, offset) {
    const start_ = this.#place(text, offset);
    for (let at = start_; at > 0;) {
      const [start, end] = this.#line(text, at - 1);
      const token = this.#tokens(text, start, end).reverse()
        .find((token) => token.start < start_ && !BLANK.includes(token.kind));
      if (token) return token;
      at = start;
    }
    return null;
  }

  tag(text) {
    const { out } = this.#memory, names = out + 8;
    const [at, count] = this.#ask("segmenter_tag", text, UTF16, out, names, out + 4);
    const numbers = this.#memory.u32, tags = numbers[names >> 2] >> 2;
    return Array.from({ length: count }, (_, i) => {
      const row = at + i * ROW;
      return [text.slice(numbers[row], numbers[row + 1]), this.#tag(numbers[tags + i])];
    });
  }

  lattice(text, decided = false) {
    return this.#rows("segmenter_js_lattice", text, decided ? 1 : 0, ([start, end, , , , cost], kind) =>
      ({ start, end, cost: cost / UNITS_PER_NAT, kind: kind || "user" }));
  }

  #tags = new Map();  // by address: they stay where they are
  #tag(at) {
    if (!this.#tags.has(at)) this.#tags.set(at, this.#memory.said(at));
    return this.#tags.get(at);
  }

  #kinds = [];
  #kind(number) {
    return this.#kinds[number] ??= this.#memory.said(this.#memory.call.segmenter_kind_name(number));
  }

  fold(text) {
    const [at, count] = this.#ask("segmenter_fold", text);
    const points = this.#memory.u32, parts = [];
    for (let i = 0; i < count; i += 4096)  // as arguments: not too many at once
      parts.push(String.fromCodePoint(...points.subarray(at + i, at + Math.min(count, i + 4096))));
    return parts.join("");
  }

  with(options) {
    return new Segmenter(this.#memory, this.#files, { ...this.#options, ...options });
  }

  get fingerprint() {
    return this.#memory.said(this.#memory.call.segmenter_fingerprint(this.#engine));
  }
}
