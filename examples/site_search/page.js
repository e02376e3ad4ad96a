// The page that build.js makes: finds as one types, and marks what was found.
import { load } from "segmenter-zh";
import { Terms } from "segmenter-zh/search";
import { engines } from "./engines.js";

const MOST = 20, BEFORE = 20, LONGEST = 160;
const terms = new Terms(await load());

async function finder() {
  if (window.engine === "Pagefind") {
    const pagefind = await import("./pagefind/pagefind.js");
    return async (query) => {
      const { results } = await pagefind.search(terms.query(query).join(" "));
      const found = await Promise.all(results.slice(0, MOST).map((hit) => hit.data()));
      return found.map(({ meta, url }) => ({ ...meta, url }))
        .filter(({ title, text }) => terms.has(`${title}\n${text}`, query));  // Pagefind shortens what it does not have
    };
  }
  const text = async (name) => (await fetch(name)).text();
  const [engine, records] = await Promise.all([engines[window.engine](terms), text("records.json").then(JSON.parse)]);
  const index = engine.load(await text("index.json"));
  return async (query) => engine.find(index, query).slice(0, MOST).map((id) => records[id]);
}

// A part of a text around the first word of the query, as HTML.
function excerpt(text, query) {
  const [first] = terms.spans(text, query), from = Math.max(0, (first?.[0] ?? 0) - BEFORE);
  return terms.mark(text.slice(from, from + LONGEST), query);
}

const find = await finder();
const field = document.getElementById("query"), list = document.getElementById("found");
field.addEventListener("input", async () => {
  const query = field.value, found = query.trim() ? await find(query) : [];
  if (query !== field.value) return;  // typed on meanwhile
  list.innerHTML = found.map(({ title, text, url }) =>
    `<li><a href="${encodeURI(url)}">${terms.mark(title, query)}</a><p>${excerpt(text, query)}</p></li>`).join("");
  list.dataset.query = query;
});
window.ready = true;
