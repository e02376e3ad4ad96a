// The page of build.js: searches while the user types, and marks the hits.
import { load } from "segmenter-zh";
import { Terms } from "segmenter-zh/search";
import { engines } from "./engines.js";

const MAX_HITS = 20, CONTEXT = 20, EXCERPT_LENGTH = 160;
const terms = new Terms(await load());

async function finder() {
  if (window.engine === "Pagefind") {
    const pagefind = await import("./pagefind/pagefind.js");
    return async (query) => {
      const { results } = await pagefind.search(terms.query(query).join(" "));
      const pages = await Promise.all(results.slice(0, MAX_HITS).map((hit) => hit.data()));
      return pages.map(({ meta, url }) => ({ ...meta, url }))
        .filter(({ title, text }) => terms.has(`${title}\n${text}`, query));  // Pagefind shortens terms that it does not have
    };
  }
  const text = async (name) => (await fetch(name)).text();
  const [engine, records] = await Promise.all([engines[window.engine](terms), text("records.json").then(JSON.parse)]);
  const index = engine.load(await text("index.json"));
  return async (query) => engine.find(index, query).slice(0, MAX_HITS).map((id) => records[id]);
}

// A part of a text around the first word of the query, as HTML.
function excerpt(text, query) {
  const [first] = terms.spans(text, query), from = Math.max(0, (first?.[0] ?? 0) - CONTEXT);
  return terms.mark(text.slice(from, from + EXCERPT_LENGTH), query);
}

const find = await finder();
const field = document.getElementById("query"), list = document.getElementById("found");
field.addEventListener("input", async () => {
  const query = field.value, hits = query.trim() ? await find(query) : [];
  if (query !== field.value) return;  // the query has changed
  list.innerHTML = hits.map(({ title, text, url }) =>
    `<li><a href="${encodeURI(url)}">${terms.mark(title, query)}</a><p>${excerpt(text, query)}</p></li>`).join("");
  list.dataset.query = query;
});
window.ready = true;
