// node measure.js ASKED OUT: every engine of engines.js, by itself and with our terms, and two indexes of
// Pagefind for a page to ask. Prints nothing; what was found goes to OUT/found.json.
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import * as mandarin from "@orama/tokenizers/mandarin";
import { load } from "segmenter-zh";
import { Terms, forPagefind } from "segmenter-zh/search";
import * as pagefind from "pagefind";
import { engines } from "./engines.js";

const [, , asked, out] = process.argv;
const { texts, queries } = JSON.parse(readFileSync(asked, "utf8"));
const records = texts.map((text) => ({ title: "", text })), terms = new Terms(await load());
const systems = {
  "MiniSearch": () => engines.MiniSearch(null),
  "MiniSearch, ours": () => engines.MiniSearch(terms),
  "FlexSearch": () => engines.FlexSearch(null),
  "FlexSearch, Charset.CJK": () => engines.FlexSearch(null, { encoder: "CJK" }),
  "FlexSearch, ours": () => engines.FlexSearch(terms),
  "lunr": () => engines.lunr(null),
  "lunr, ours": () => engines.lunr(terms),
  "Orama": () => engines.Orama(null),
  "Orama, its Mandarin": () => engines.Orama(null, { components: { tokenizer: mandarin.createTokenizer() } }),
  "Orama, ours": () => engines.Orama(terms),
};
const answer = {};
for (const [name, make] of Object.entries(systems)) {
  const engine = await make();
  let before = performance.now();
  const saved = engine.save(engine.build(records));
  const build = performance.now() - before, index = engine.load(saved);
  before = performance.now();
  const found = queries.map((query) => engine.find(index, query));
  const each = (performance.now() - before) / queries.length;
  answer[name] = { bytes: Buffer.byteLength(saved), gzip: gzipSync(saved).length, build, each, found };
}
for (const ours of [false, true]) {
  const { index } = await pagefind.createIndex();
  for (const [id, text] of texts.entries()) {
    const page = { url: `/${id}`, text };
    await index.addCustomRecord(ours ? forPagefind(terms, page) : { url: page.url, content: text, language: "zh", meta: { title: "" } });
  }
  await index.writeFiles({ outputPath: `${out}/${ours ? "ours" : "own"}` });
}
await pagefind.close();
answer.asked = queries.map((query) => terms.query(query).join(" "));
writeFileSync(`${out}/found.json`, JSON.stringify(answer));
process.exit(0);
