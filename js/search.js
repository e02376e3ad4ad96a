// Terms of texts and queries for search engines in a page. An index has the characters of a text and
// all pairs of adjacent characters, words of two characters twice; a query has the pairs inside its
// words. So every word is found however the text was cut, and whole words rank higher.

const QUERY_MARK = "\u0001";  // before each term in the result of ask()
const PAIRED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}〇]/u;
const TERM = /[\p{L}\p{N}]/u;  // units that are terms; signs and blanks are not
const ONE_WORD = 3;  // a part of a query with at most so many units is one word, however it is cut

const expected = (name, type, value) =>
  new TypeError(`${name}: expected ${type}, got ${value === null ? "null" : typeof value}`);

const unitsMatch = (a, b) => a.text === b.text || a.other === b.text || a.text === b.other;

/** The terms of one segmenter. */
export class Terms {
  #seg;
  #aloneReadings = new Map();  // readings of characters outside words: 後 stays 後, though 以後 is read as 以后

  constructor(seg) {
    if (typeof seg?.tokenize !== "function" || typeof seg.fold !== "function")
      throw expected("seg", "a Segmenter of segmenter-zh", seg);
    this.#seg = seg;
  }

  // The folded units of a text: characters, and runs of letters or digits; `word` is the number of the word.
  #units(text) {
    if (typeof text !== "string") throw expected("text", "a string", text);
    const characters = Array.from(this.#seg.fold(text)), ends = this.#seg.ends(text), units = [];
    let offset = 0, point = 0, word = 0;
    const points = (end) => { for (; offset < end; offset += text.codePointAt(offset) > 0xffff ? 2 : 1) point++; return point; };
    for (const { start, end, positionLength } of this.#seg.tokenize(text, "index")) {
      if (positionLength > 1 || start < offset) continue;  // a word of several units, which follow
      const firstPoint = points(start), folded = characters.slice(firstPoint, points(end)).join("");
      while (ends[word] <= start) word++;
      if (!TERM.test(folded)) continue;
      const other = this.#otherReading(text.slice(start, end), folded), paired = PAIRED.test(folded);
      units.push({ text: folded, other, readings: other ? [folded, other] : [folded], start, end, word, paired });
    }
    return units;
  }

  #otherReading(unit, folded) {
    if (unit === folded || !PAIRED.test(unit)) return null;
    if (!this.#aloneReadings.has(unit)) this.#aloneReadings.set(unit, this.#seg.fold(unit));
    const alone = this.#aloneReadings.get(unit);
    return alone === folded ? null : alone;
  }

  index(text) {
    const units = this.#units(text), words = [], pairs = [];
    units.forEach((unit, i) => {
      const next = units[i + 1];
      if (!unit.paired || !next?.paired || next.start !== unit.end) return;
      const pairReadings = unit.readings.flatMap((first) => next.readings.map((last) => first + last));
      pairs.push(...pairReadings);
      if (unit.word === next.word && units[i - 1]?.word !== unit.word && units[i + 2]?.word !== unit.word) words.push(...pairReadings);
    });
    return [...words, ...pairs, ...units.flatMap((unit) => unit.readings)];
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
    return this.query(text).map((term) => QUERY_MARK + term).join("");
  }

  /** The terms of a text, or of a query made by ask(): for engines that have one function for both. */
  either(text) {
    return typeof text === "string" && text.startsWith(QUERY_MARK) ? text.split(QUERY_MARK).slice(1) : this.index(String(text));
  }

  has(text, query) {
    const indexed = new Set(this.index(text));
    return this.query(query).every((term) =>
      indexed.has(term) || (isPrefix(term) && [...indexed].some((other) => other.startsWith(term))));
  }

  spans(text, query) {
    const units = this.#units(text), matches = [];
    for (const part of this.#parts(query))
      units.forEach((first, i) => {
        const row = units.slice(i, i + part.length), last = row.at(-1);
        const fits = row.length === part.length && row.every((unit, k) =>
          (unit === last && !unit.paired ? unit.text.startsWith(part[k].text) : unitsMatch(unit, part[k])) &&
          (!k || row[k - 1].end === unit.start));
        if (fits) matches.push([first.start, last.paired ? last.end : Math.min(last.end, last.start + part.at(-1).text.length)]);
      });
    matches.sort((a, b) => a[0] - b[0]);
    const spans = [];
    for (const [start, end] of matches) {
      const previous = spans.at(-1);
      if (previous && start <= previous[1]) previous[1] = Math.max(previous[1], end);
      else spans.push([start, end]);
    }
    return spans;
  }

  mark(text, query, open = "<mark>", close = "</mark>") {
    const escaped = (part) => part.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
    let html = "", position = 0;
    for (const [start, end] of this.spans(text, query)) {
      html += escaped(text.slice(position, start)) + open + escaped(text.slice(start, end)) + close;
      position = end;
    }
    return html + escaped(text.slice(position));
  }
}

const isPrefix = (term) => !PAIRED.test(term);  // while typing, letters may be a prefix of a word
const identity = (term) => term;

/** Options of `new MiniSearch({ fields, … })`; `search(text)` takes what was typed. */
export const forMiniSearch = (terms) => ({
  tokenize: (text) => terms.index(text),
  processTerm: identity,
  searchOptions: { tokenize: (text) => terms.query(text), processTerm: identity, combineWith: "AND", prefix: isPrefix },
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
  for (const term of terms.query(text)) query.term(term, { presence: 2, usePipeline: false, wildcard: isPrefix(term) ? 2 : 0 });
};

const END = "\u0002";  // ends Orama's terms, which would match longer terms with the same prefix

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
  language: "und",  // Pagefind would cut zh again
  meta: { title, text, ...meta },
});
