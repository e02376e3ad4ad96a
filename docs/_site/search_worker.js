// The worker of the site's search, in place of Material's: the same messages, the terms of the npm
// package's search.js. docs/_site/hooks.py puts the package's files beside it. The index is made when
// something is asked for the first time.
const SETUP = 0, READY = 1, QUERY = 2, RESULT = 3;
const FIELDS = { title: 4, page: 1, text: 1 };  // page: the title of the page that a section is part of
const OTHER_LANGUAGE = 0.3;  // the share of a page that is not in the reader's, which the worker's address names
const K1 = 1.2, B = 0.75;  // of BM25
const BEFORE = 40, LONGEST = 320;

const opened = Promise.all([import("./index.js"), import("./search.js")])
  .then(async ([{ load }, { Terms }]) => new Terms(await load()));

const language = new URL(self.location).searchParams.get("language");

let docs = [], index = null, last = 0;

const plain = (html) => html.replaceAll("\u200b", "").replace(/<[^>]*>/g, "")
  .replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ({ lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" })[name]);

// Of each field: where each term stands ([document, how often] of each), and how long the documents are.
function build(terms) {
  return Object.entries(FIELDS).map(([field, weight]) => {
    const places = new Map(), lengths = docs.map((doc, id) => {
      const counts = new Map(), found = terms.index(doc[field]);
      for (const term of found) counts.set(term, (counts.get(term) ?? 0) + 1);
      for (const [term, count] of counts) places.has(term) ? places.get(term).push([id, count]) : places.set(term, [[id, count]]);
      return found.length;
    });
    const letters = [...places.keys()].filter((term) => /^[a-z0-9]/.test(term)).sort();
    return { weight, places, lengths, letters, mean: lengths.reduce((a, b) => a + b, 0) / docs.length };
  });
}

// What a term of a query stands for: of letters, all terms that begin with them.
function* meant({ letters, places }, term) {
  if (places.has(term)) yield [term, 1];
  if (!/^[a-z0-9]/.test(term)) return;
  let low = 0, high = letters.length;
  while (low < high) letters[low + high >> 1] < term ? low = (low + high >> 1) + 1 : high = low + high >> 1;
  for (; letters[low]?.startsWith(term); low++) if (letters[low] !== term) yield [letters[low], 0.5];
}

// Scores of the documents that have all terms, or where none has, any of them.
function scores(asked) {
  const score = new Map(), has = new Map();
  for (const term of asked) {
    const seen = new Set();
    for (const { weight, places, lengths, mean, ...rest } of index)
      for (const [form, share] of meant({ places, ...rest }, term)) {
        const rows = places.get(form), rare = Math.log(1 + (docs.length - rows.length + 0.5) / (rows.length + 0.5));
        for (const [id, n] of rows) {
          const more = share * weight * rare * n * (K1 + 1) / (n + K1 * (1 - B + B * lengths[id] / mean));
          score.set(id, (score.get(id) ?? 0) + more);
          seen.add(id);
        }
      }
    for (const id of seen) has.set(id, (has.get(id) ?? 0) + 1);
  }
  const all = [...score].filter(([id]) => has.get(id) === asked.length);
  return all.length ? all : [...score];
}

function answer(terms, query) {
  const asked = terms.query(query), pages = new Map();
  const words = Object.fromEntries(query.split(/\s+/).filter(Boolean).map((word) => [word, true]));
  const item = (doc, score) => {
    const [first] = terms.spans(doc.text, query), from = Math.max(0, (first?.[0] ?? 0) - BEFORE);
    return { location: doc.location, title: terms.mark(doc.title, query), score, terms: words, tags: doc.tags,
      text: terms.mark(doc.text.slice(from, from + LONGEST), query) };
  };
  const share = ({ location }) => location.startsWith(`${language}/`) ? 1 : OTHER_LANGUAGE;
  const found = scores(asked).map(([id, score]) => [id, score * share(docs[id])]).sort((a, b) => b[1] - a[1]);
  for (const [id, score] of found) {
    const page = docs[id].location.split("#")[0];
    pages.has(page) ? pages.get(page).push([id, score]) : pages.set(page, [[id, score]]);
  }
  return [...pages].map(([page, rows]) => {
    const root = docs.findIndex((doc) => doc.location === page);  // Material shows a page above its sections
    if (root >= 0 && !rows.some(([id]) => id === root)) rows.push([root, 0]);
    return rows.map(([id, score]) => item(docs[id], score));
  });
}

self.onmessage = async ({ data: { type, data } }) => {
  if (type === SETUP) {
    const titles = new Map(data.docs.map((doc) => [doc.location, plain(doc.title)]));
    const page = ({ location }) => location.includes("#") ? titles.get(location.split("#")[0]) ?? "" : "";
    docs = data.docs.map((doc) => ({ ...doc, title: plain(doc.title), page: page(doc), text: plain(doc.text) }));
    self.postMessage({ type: READY });
  } else if (type === QUERY) {
    const number = ++last, terms = await opened;
    index ??= build(terms);
    if (number === last) self.postMessage({ type: RESULT, data: { items: answer(terms, data) } });  // nothing was typed meanwhile
  }
};
