// node build.js ENGINE OUT [DOCS]: a site of one page that searches a folder of Markdown, docs/zh by
// default, with MiniSearch, FlexSearch, lunr, Orama or Pagefind. It needs the engine's npm package and
// segmenter-zh beside it or above: npm install minisearch segmenter-zh-VERSION.tgz
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "segmenter-zh";
import { Terms, forPagefind } from "segmenter-zh/search";
import { engines } from "./engines.js";

const HERE = dirname(fileURLToPath(import.meta.url));
// by engine: its package, and the file that a page imports
const PACKAGES = {
  MiniSearch: ["minisearch", "dist/es/index.js"],
  FlexSearch: ["flexsearch", "dist/flexsearch.bundle.module.min.mjs"],
  lunr: ["lunr", "lunr.js"],
  Orama: ["@orama/orama", "dist/browser/index.js"],
};

/** The sections of a folder's Markdown: `{ title, text, url }` of each heading. */
export function sections(folder) {
  const result = [];
  for (const name of readdirSync(folder, { recursive: true }).sort()) {
    if (!name.endsWith(".md")) continue;
    let fenced = false;
    for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
      if (line.startsWith("```")) { fenced = !fenced; continue; }
      const heading = fenced ? null : /^#+ (.*)/.exec(line);
      if (heading) result.push({ title: heading[1], text: "", url: `${name.replace(/\.md$/, "/")}` });
      else if (result.length) result.at(-1).text += `${line.replace(/\]\([^)]*\)/g, "").replace(/[[`*|]/g, " ").trim()}\n`;
    }
  }
  return result;
}

async function main([engine, out, docs = join(HERE, "..", "..", "docs", "zh")]) {
  if (engine !== "Pagefind" && !engines[engine]) throw new Error(`${engine}: there are ${Object.keys(engines).join(", ")}, Pagefind`);
  const records = sections(docs), terms = new Terms(await load());
  mkdirSync(out, { recursive: true });
  if (engine === "Pagefind") {
    const pagefind = await import("pagefind");
    const { index } = await pagefind.createIndex();
    for (const [id, record] of records.entries())  // Pagefind keeps one record per address
      await index.addCustomRecord(forPagefind(terms, { ...record, url: `${record.url}?${id}` }));
    await index.writeFiles({ outputPath: join(out, "pagefind") });
    await pagefind.close();
  } else {
    const engineIndex = await engines[engine](terms);
    writeFileSync(join(out, "index.json"), engineIndex.save(engineIndex.build(records)));
    writeFileSync(join(out, "records.json"), JSON.stringify(records));
  }
  const imports = {};
  const require = createRequire(join(HERE, "build.js"));
  const copy = (name, main, only = main) => {
    const roots = require.resolve.paths(name).map((path) => join(path, name));
    const root = roots.find((path) => { try { readFileSync(join(path, "package.json")); return true; } catch { return false; } });
    cpSync(join(root, only), join(out, "modules", name, only), { recursive: true, dereference: true });
    imports[name] = `./modules/${name}/${main}`;
  };
  copy("segmenter-zh", "index.js", "");
  imports["segmenter-zh/search"] = "./modules/segmenter-zh/search.js";
  if (PACKAGES[engine]) copy(PACKAGES[engine][0], PACKAGES[engine][1], engine === "Orama" ? "dist/browser" : PACKAGES[engine][1]);
  for (const name of ["engines.js", "page.js"]) cpSync(join(HERE, name), join(out, name));
  writeFileSync(join(out, "index.html"), `<!DOCTYPE html><html lang="zh"><meta charset="utf-8"><title>${engine}</title>
<link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script>
${engine === "lunr" ? `<script src="${imports.lunr}"></script>` : ""}
<script>window.engine = ${JSON.stringify(engine)};</script><script type="module" src="page.js"></script>
<input id="query" type="search" autofocus aria-label="搜索"><ol id="found"></ol></html>
`);
  console.log(`${relative(process.cwd(), out) || "."}: ${records.length} sections, searched by ${engine}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
