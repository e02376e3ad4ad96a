// Chinese word segmentation: the C interface of segmenter-zh as a WebAssembly module.
// index.js (browsers) and node.js read the files; everything else is here.

const OPTIONS = ["struct_size", "folder", "preset", "standard", "decoder", "oov", "skip", "atoms",
  "user", "user_size", "files", "n_files", "no_variants", "trust_files", "search", "user_file"];  // 4 bytes each: segmenter.h
const UTF16 = 2;             // segmenter_unit
const MODES = ["words", "search", "index", "query"];  // segmenter_mode
const BLANK = ["space", "newline"];  // kinds that nextWord and previousWord pass over
const ROW = 6;               // numbers of a segmenter_token
const UNITS_PER_NAT = 2048;  // of costs
const LONGEST = 1 << 28;  // UTF-16 units of a text: its UTF-8 stays below a gigabyte
const LARGEST = 1 << 28;  // bytes of an unpacked file: a small gzip file can hold gigabytes
// by model: the files of the package by their names for segmenter_open(), and the decoder
const MODELS = {
  small: [{ "general.lex": "small.lex.gz" }, "unigram"],
  full: [{ "general-fast.model": "full.model.gz", "general.lex": "small.lex.gz" }, null],
};
const TAGS = { "pos.model": "pos.model.gz" };

/** An error of the library: the message says what is wrong and what to do. */
export class SegmenterError extends Error {
  name = "SegmenterError";
}

/** A value as shown in a message: at most 200 characters, with its length. */
export const short = (text) =>
  text.length <= 200 ? text : `${text.slice(0, 200)}… (${text.length.toLocaleString("en")} characters)`;
const quoted = (value) => short(
  typeof value === "string" ? JSON.stringify(value)
    : ["number", "boolean", "undefined"].includes(typeof value) || value === null ? String(value) : `a ${typeof value}`);

// A copy of options without a prototype, which other code may have extended.
const withoutPrototype = (options) => ({ __proto__: null, ...options });

const expected = (name, type, value) =>
  new TypeError(`${name}: expected ${type}, got ${value === null ? "null" : typeof value}`);

// Unpacks a gzip file.  Other bytes are returned unchanged, since some servers send `.gz` as an encoding,
// which the browser has removed already.
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
  parts.reduce((offset, part) => (result.set(part, offset), offset + part.length), 0);
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
    const pending = Object.entries(tags ? { ...names, ...TAGS } : names).map(async ([target, name]) => [target, await file(name)]);
    const [code, ...files] = await Promise.all([module, ...pending]);
    if (lexicon) files.push(["general.lex", await unpacked(lexicon).catch((e) => {
      throw new SegmenterError(`model: the gzip file cannot be unpacked: ${e.message}`, { cause: e });
    })]);
    const memory = new Memory(await WebAssembly.instantiate(code, IMPORTS()));
    return new Segmenter(memory, memory.writeFiles(files), { preset: "fast", decoder, ...options });
  };
}

// The functions that the module imports: it opens and writes no files, so they may all fail.
function IMPORTS() {
  const refuse = () => 8;  // EBADF
  const wasi = {
    clock_time_get: () => 52,  // ENOSYS
    proc_exit: (code) => { throw new SegmenterError(`the module ended with ${code}: please report it`); },
  };
  return { wasi_snapshot_preview1: new Proxy(wasi, { get: (functions, name) => functions[name] ?? refuse }) };
}

// The module's memory, whose views are renewed after it grows.
class Memory {
  #buffer = null;
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();
  #text = 0;  // memory for the text of a call
  #capacity = 0;

  constructor({ exports }) {
    this.call = exports;
    exports._initialize();
    this.out = this.allocate(16);
  }
  #renew() {
    this.#buffer = this.call.memory.buffer;
    this.bytes = new Uint8Array(this.#buffer);
    this.numbers = new Uint32Array(this.#buffer);
  }
  get u8() { if (this.#buffer !== this.call.memory.buffer) this.#renew(); return this.bytes; }
  get u32() { if (this.#buffer !== this.call.memory.buffer) this.#renew(); return this.numbers; }
  allocate(size) {
    const address = this.call.malloc(size);
    if (!address) throw new SegmenterError(`no memory: ${size} bytes more than WebAssembly has here`);
    return address;
  }
  free(address) { this.call.free(address); }
  // Copies a string with a final 0 and returns its address; `length` is its number of bytes.
  string(text) {
    const bytes = this.#encoder.encode(text), address = this.allocate(bytes.length + 1);
    this.length = bytes.length;
    this.u8.set(bytes, address);
    this.u8[address + bytes.length] = 0;
    return address;
  }
  readString(address) {
    return address ? this.#decoder.decode(this.u8.subarray(address, this.u8.indexOf(0, address))) : "";
  }
  // Copies compiled files, aligned to 64 bytes; returns the address of their {name, data, size} and their count.
  writeFiles(files) {
    const address = this.allocate(12 * files.length);
    files.forEach(([name, bytes], i) => {
      const dataAddress = this.allocate(bytes.length + 64) + 63 & ~63, nameAddress = this.string(name);
      this.u8.set(bytes, dataAddress);
      this.u32.set([nameAddress, dataAddress, bytes.length], (address >> 2) + 3 * i);
    });
    return { address, count: files.length };
  }
  // Copies a text to the address `text` and returns its length in bytes.
  writeText(text) {
    const maxBytes = text.length * 3;
    if (maxBytes > this.#capacity) {
      this.free(this.#text);
      this.#text = this.#capacity = 0;
      this.#text = this.allocate(maxBytes * 2);
      this.#capacity = maxBytes * 2;
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
      const type = name === "variants" ? "boolean" : "string";
      if (!["preset", "decoder", "oov", "skip", "atoms", "words", "variants", "search"].includes(name))
        throw new SegmenterError(`${short(name)}: load() takes model, tags, words, oov, skip, atoms, decoder, variants, search`);
      if (typeof value !== type && (value != null || type === "boolean")) throw expected(name, `a ${type}`, value);
    }
    this.#memory = memory;
    this.#files = files;
    this.#options = withoutPrototype(options);
    const { words, variants, ...named } = this.#options;
    const addresses = [], keep = (address) => (addresses.push(address), address);
    const fields = { __proto__: null, struct_size: 4 * OPTIONS.length, files: files.address, n_files: files.count, no_variants: variants === false ? 1 : 0 };
    for (const [name, value] of Object.entries(named)) if (value) fields[name] = keep(memory.string(value));
    if (words) [fields.user, fields.user_size] = [keep(memory.string(words)), memory.length];
    const address = keep(memory.allocate(4 * OPTIONS.length)), message = keep(memory.allocate(1024)), { out } = memory;
    memory.u32.set(OPTIONS.map((name) => fields[name] ?? 0), address >> 2);
    const failed = memory.call.segmenter_open(address, out, message, 1024);
    const reason = failed ? memory.readString(message).replace(/^user(?=[,:])/, "words") : "";
    for (const address of addresses) memory.free(address);
    if (failed) throw new SegmenterError(reason);
    this.#engine = memory.u32[out >> 2];
    if (memory.call.segmenter_worker_new(this.#engine, out)) throw new SegmenterError("no memory for a worker");
    this.#worker = memory.u32[out >> 2];
    registry.register(this, { call: memory.call, engine: this.#engine, worker: this.#worker });
  }

  // Calls a function of the C interface with a text; returns the index of its result in `u32` and its count,
  // which the function writes to `out` and after it, unless `extra` has the addresses.
  #call(name, text, ...extra) {
    if (typeof text !== "string") throw expected("text", "a string", text);
    if (text.length > LONGEST)
      throw new SegmenterError(`text: ${text.length} UTF-16 units, more than ${LONGEST}: cut it by lines`);
    const memory = this.#memory, { out } = memory, size = memory.writeText(text);
    if (memory.call[name](this.#worker, memory.text, size, ...extra, ...(extra.includes(out) ? [] : [out, out + 4])))
      throw new SegmenterError(memory.readString(memory.call.segmenter_error(this.#worker)));
    const numbers = memory.u32;
    return [numbers[out >> 2] >> 2, numbers[(out >> 2) + 1]];
  }

  ends(text) {
    const [first, count] = this.#call("segmenter_cut", text, UTF16);
    return this.#memory.u32.slice(first, first + count);
  }

  cut(text) {
    if (this.#options.skip) return this.tokenize(text).map((token) => token.text);
    const [first, count] = this.#call("segmenter_cut", text, UTF16);
    const numbers = this.#memory.u32, words = new Array(count);
    for (let i = 0, start = 0; i < count; i++) {
      const end = numbers[first + i];
      words[i] = text.slice(start, end);
      start = end;
    }
    return words;
  }

  // Tokens of the C interface, rows of six numbers, as objects.
  #rows(name, text, mode, make) {
    const [first, count] = this.#call(name, text, mode, UTF16);
    const columns = this.#memory.u32.slice(first, first + count * ROW);
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

  // Start and end of the line of a character.  A word depends on its line alone, since no rule looks across
  // a line feed, unless words of the user contain one.
  #line(text, offset) {
    if (/\\(?:n|r|u000[aAdD])/.test(this.#options.words ?? "")) return [0, text.length];
    const end = text.indexOf("\n", offset) + 1;
    return [offset ? text.lastIndexOf("\n", offset - 1) + 1 : 0, end || text.length];
  }

  #checkedOffset(text, offset) {
    if (typeof text !== "string") throw expected("text", "a string", text);
    if (!Number.isInteger(offset)) throw expected("offset", "a whole number", offset);
    if (offset < 0 || offset > text.length)
      throw new SegmenterError(`offset: ${offset} is not from 0 to the text's length, ${text.length}`);
    const isLowSurrogate = text.charCodeAt(offset - 1) >> 10 === 0x36 && text.charCodeAt(offset) >> 10 === 0x37;
    return offset - isLowSurrogate;  // from the second half of a surrogate pair to its first
  }

  // The tokens of the line from `start` to `end`, with offsets in the text.
  #tokens(text, start, end) {
    return this.tokenize(text.slice(start, end)).map((token) =>
      ({ ...token, start: start + token.start, end: start + token.end }));
  }

  tokenAt(text, offset) {
    const place = this.#checkedOffset(text, offset);
    if (place === text.length) return null;
    const token = this.#tokens(text, ...this.#line(text, place)).find((token) => token.end > place);
    return token && token.start <= place ? token : null;
  }

  nextWord(text, offset) {
    const place = this.#checkedOffset(text, offset);
    for (let position = place; position < text.length;) {
      const [start, end] = this.#line(text, position);
      const token = this.#tokens(text, start, end).find((token) => token.start > place && !BLANK.includes(token.kind));
      if (token) return token;
      position = end;
    }
    return null;
  }

  previousWord(text, offset) {
    const place = this.#checkedOffset(text, offset);
    for (let position = place; position > 0;) {
      const [start, end] = this.#line(text, position - 1);
      const token = this.#tokens(text, start, end).reverse()
        .find((token) => token.start < place && !BLANK.includes(token.kind));
      if (token) return token;
      position = start;
    }
    return null;
  }

  tag(text) {
    const { out } = this.#memory, names = out + 8;
    const [first, count] = this.#call("segmenter_tag", text, UTF16, out, names, out + 4);
    const numbers = this.#memory.u32, tags = numbers[names >> 2] >> 2;
    return Array.from({ length: count }, (_, i) => {
      const row = first + i * ROW;
      return [text.slice(numbers[row], numbers[row + 1]), this.#tag(numbers[tags + i])];
    });
  }

  lattice(text, decided = false) {
    return this.#rows("segmenter_js_lattice", text, decided ? 1 : 0, ([start, end, , , , cost], kind) =>
      ({ start, end, cost: cost / UNITS_PER_NAT, kind: kind || "user" }));
  }

  #tags = new Map();  // by address in the module's memory
  #tag(address) {
    if (!this.#tags.has(address)) this.#tags.set(address, this.#memory.readString(address));
    return this.#tags.get(address);
  }

  #kinds = [];
  #kind(number) {
    return this.#kinds[number] ??= this.#memory.readString(this.#memory.call.segmenter_kind_name(number));
  }

  fold(text) {
    const [first, count] = this.#call("segmenter_fold", text);
    const points = this.#memory.u32, parts = [];
    for (let i = 0; i < count; i += 4096)  // a limited number of arguments
      parts.push(String.fromCodePoint(...points.subarray(first + i, first + Math.min(count, i + 4096))));
    return parts.join("");
  }

  with(options) {
    return new Segmenter(this.#memory, this.#files, { ...this.#options, ...options });
  }

  get fingerprint() {
    return this.#memory.readString(this.#memory.call.segmenter_fingerprint(this.#engine));
  }
}
