// Terms of texts and queries for search engines in a page. An index has the characters of a text and
// all pairs of adjacent characters, words of two characters twice; a query has the pairs inside its
// words. So every word is found however the text was cut, and whole words rank higher.

const ASKED = "\u0001";  // before each term of a query that was cut by ask()
const PAIRED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}〇]/u;
const TERM = /[\p{L}\p{N}]/u;  // all other units, signs and blanks, are left out
const ONE_WORD = 3;  // a part of a query of so many units is one word, however it is cut

const expected = (name, wanted, value) =>
  new TypeError(`${name}: expected ${wanted}, got ${value === null ? "null" : typeof value}`);

const same = (a, b) => a.text === b.text || a.other === b.text || a.text === b.other;

/** The terms of one segmenter. */
export class Terms {
  #seg;
  #alone = new Map();  // characters as they are read outside words: 後, in 以後 read as 后, stays 後

  constructor(seg) {
    if (typeof seg?.tokenize !== "function" || typeof seg.fold !== "function")
      throw expected("seg", "a Segmenter of segmenter-zh", seg);
    this.#seg = seg;
  }

  // The units of a text, folded: characters, and runs of letters or digits; `word` counts its words.
  #units(text) {
    if (typeof text !== "string") throw expected("text", "a string", text);
    const folded = Array.from(this.#seg.fold(text)), ends = this.#seg.ends(text), units = [];
    let at = 0, point = 0, word = 0;
    const points = (to) => { for (; at < to; at += text.codePointAt(at) > 0xffff ? 2 : 1) point++; return point; };
    for (const { start, end, positionLength } of this.#seg.tokenize(text, "index")) {
      if (positionLength > 1 || start < at) continue;  // a word of several units, which has them too
      const from = points(start), read = folded.slice(from, points(end)).join("");
      while (ends[word] <= start) word++;
      if (!TERM.test(read)) continue;
      const other = this.#readAlone(text.slice(start, end), read), paired = PAIRED.test(read);
      units.push({ text: read, other, reads: other ? [read, other] : [read], start, end, word, paired });
    }
    return units;
  }

  #readAlone(unit, read) {
    if (unit === read || !PAIRED.test(unit)) return null;
    if (!this.#alone.has(unit)) this.#alone.set(unit, this.#seg.fold(unit));
    const alone = this.#alone.get(unit);
    return alone === read ? null : alone;
  }

  index(text) {
    const units = this.#units(text), words = [], pairs = [];
    units.forEach((unit, i) => {
      const next = units[i + 1];
      if (!unit.paired || !next?.paired || next.start !== unit.end) return;
      const read = unit.reads.flatMap((first) => next.reads.map((last) => first + last));
      pairs.push(...read);
      if (unit.word === next.word && units[i - 1]?.word !== unit.word && units[i + 2]?.word !== unit.word) words.push(...read);
    });
    return [...words, ...pairs, ...units.flatMap((unit) => unit.reads)];
  }

  // The parts of a query: rows of units.
  #parts(text) {
    const runs = [];  // of units side by side
    for (const unit of this.#units(text)) {
      const run = runs.at(-1), last = run?.at(-1);
      if (last?.end === unit.start && last.paired === unit.paired) run.push(unit);
      else runs.push([unit]);
    }
    return runs.flatMap((run) => {
      if (run.length <= ONE_WORD) return [run];
      const words = new Map();
      for (const unit of run) words.set(unit.word, [...(words.get(unit.word) ?? []), unit]);
      return [...words.values()];
    });
  }

  query(text) {
    const terms = this.#parts(text).flatMap((part) => part.length > 1 && part[0].paired
      ? part.slice(1).map((unit, i) => part[i].text + unit.text) : part.map((unit) => unit.text));
    return [...new Set(terms)];
  }

  ask(text) {
    return this.query(text).map((term) => ASKED + term).join("");
  }

  /** The terms of a text, or of a query made by ask(): for engines that have one function for both. */
  either(text) {
    return typeof text === "string" && text.startsWith(ASKED) ? text.split(ASKED).slice(1) : this.index(String(text));
  }

  has(text, query) {
    const there = new Set(this.index(text));
    return this.query(query).every((term) =>
      there.has(term) || (begins(term) && [...there].some((other) => other.startsWith(term))));
  }

  spans(text, query) {
    const units = this.#units(text), found = [];
    for (const part of this.#parts(query))
      units.forEach((first, i) => {
        const row = units.slice(i, i + part.length), last = row.at(-1);
        const fits = row.length === part.length && row.every((unit, k) =>
          (unit === last && !unit.paired ? unit.text.startsWith(part[k].text) : same(unit, part[k])) &&
          (!k || row[k - 1].end === unit.start));
        if (fits) found.push([first.start, last.paired ? last.end : Math.min(last.end, last.start + part.at(-1).text.length)]);
      });
    found.sort((a, b) => a[0] - b[0]);
    const spans = [];
    for (const [start, end] of found) {
      const before = spans.at(-1);
      if (before && start <= before[1]) before[1] = Math.max(before[1], end);
      else spans.push([start, end]);
    }
    return spans;
  }

  mark(text, query, open = "<mark>", close = "</mark>") {
    const safe = (part) => part.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
    let out = "", at = 0;
    for (const [start, end] of this.spans(text, query)) {
      out += safe(text.slice(at, start)) + open + safe(text.slice(start, end)) + close;
      at = end;
    }
    return out + safe(text.slice(at));
  }
}

const begins = (term) => !PAIRED.test(term);  // as one types: the beginning of a word of letters
const kept = (term) => term;

/** Options of `new MiniSearch({ fields, … })`; `search(text)` takes what was typed. */
export const forMiniSearch = (terms) => ({
  tokenize: (text) => terms.index(text),
  processTerm: kept,
  searchOptions: { tokenize: (text) => terms.query(text), processTerm: kept, combineWith: "AND", prefix: begins },
});

/** Options of `new FlexSearch.Index(…)` or of a field of a Document; search for `terms.ask(text)`. */
export const forFlexSearch = (terms) => ({ tokenize: "strict", encode: (text) => terms.either(text) });

/** A plugin: `lunr(function () { this.use(forLunr(terms)); … })`; query with `lunrQuery`. */
export const forLunr = (terms) => (builder) => {
  builder.pipeline.reset();
  builder.searchPipeline.reset();
  builder.tokenizer = (value, metadata) => [value ?? []].flat().flatMap((text) => terms.index(String(text)))
    .map((term) => Object.assign(new String(term), { metadata: { ...metadata } }));
};

/** What `index.query(…)` of lunr takes: all terms of a text. */
export const lunrQuery = (terms, text) => (query) => {
  for (const term of terms.query(text)) query.term(term, { presence: 2, usePipeline: false, wildcard: begins(term) ? 2 : 0 });
};

const END = "\u0002";  // of Orama's terms: it counts all that begin like one, and then finds the wrong documents

/** `components.tokenizer` of Orama's `create`; search with `term: terms.ask(text), threshold: 0`. */
export const forOrama = (terms) => ({
  language: "chinese",
  normalizationCache: new Map(),
  tokenize: (text) => typeof text === "string" ? terms.either(text).map((term) => term + END) : [text],
});

/** A record for Pagefind's `index.addCustomRecord`; search for `terms.query(text).join(" ")`. */
export const forPagefind = (terms, { url, title = "", text, meta = {} }) => ({
  url,
  content: terms.index(`${title}\n${text}`).join(" "),
  language: "und",  // Pagefind would cut zh once more
  meta: { title, text, ...meta },
});
