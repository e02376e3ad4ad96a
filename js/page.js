// The page of segmenter/serve without a service: the WebAssembly module answers its requests.
// docs/_site/try_page.py defines PAGE: the package's files in base64, and descriptions of decoders.
import { SegmenterError, loader, short } from "./core.js";
import { $ } from "./dom.js";
import { say } from "./translations.js";
import { answerWith } from "./ask.js";

const DECODERS = ["unigram", "forward-max", "backward-max", "bidirectional-max", "shortest", "n-shortest"];
const CHOICES = { oov: ["chars", "keep"], mode: ["words", "search", "index", "query"] };
const LONGEST_GRAPH = 200;  // characters, of segmenter/serve/graph.py
const MOST_LINES = 500;     // of words
// as segmenter/serve/user_lines.py reads them
const USER_LINE = /^(.+?) *= *(force|prefer|delete|split|[0-9]+(?:\.[0-9]+)?)$/;
const MISREAD = /^.+?(?: += *|= +)(.*)$/;
const SENTENCE = /[^。！？!?\n]*(?:[。！？!?]+[”’」』）)]*|\n|$)/gu;

const opened = loader(async (name) => Uint8Array.from(atob(PAGE.files[name]), (c) => c.charCodeAt(0)))({ tags: true });

// A typed line as a line of a user dictionary.
function row(line) {
  if (line.includes("\t")) return line;
  const stripped = line.trim(), match = USER_LINE.exec(stripped);
  const misread = match ? null : MISREAD.exec(stripped);
  if (misread) throw new SegmenterError(`'${short(misread[1])}' after = is not one of force, prefer, delete, split or a weight`);
  const [, word, level] = match ?? [null, stripped, ""];
  const escaped = level === "split" ? word : word.replaceAll("\\", "\\\\");
  return level ? `${escaped}\t${level}` : escaped;
}

let cached = null;  // segmenters of the last words: {key, plain, all, changed, faults}

// The segmenters with these words, by decoder, and the faulty lines.
async function segmenters(words, oov) {
  const key = JSON.stringify([words, oov]);
  if (cached?.key === key) return cached;
  const seg = await opened;
  const faults = [], rows = [];
  const lines = words.replaceAll("\r\n", "\n").split("\n").slice(0, MOST_LINES);
  lines.forEach((line, i) => {
    try { rows.push([i, line, row(line)]); } catch (e) { faults.push({ line: i + 1, text: line, reason: e.message }); }
  });
  const tryWords = (text) => seg.with({ oov, words: text });
  const userText = () => rows.map(([, , text]) => `${text}\n`).join("");
  try {
    tryWords(userText());
  } catch {  // find the faulty lines
    for (const [i, line, text] of rows.splice(0)) {
      try {
        tryWords(`${text}\n`);
        rows.push([i, line, text]);
      } catch (e) {
        faults.push({ line: i + 1, text: line, reason: e.message.replace(/^.*?line \d+: /, "") });
      }
    }
    faults.sort((a, b) => a.line - b.line);
  }
  const byDecoder = (text) => DECODERS.map((decoder) => seg.with({ oov, decoder, words: text }));
  const valid = userText().trim() ? userText() : "";
  const all = byDecoder(valid);
  cached = { key, all, plain: valid ? byDecoder("") : all, changed: valid !== "", faults };
  return cached;
}

// The offset in characters, which the page counts, of each UTF-16 unit.
function characterOffsets(text) {
  const offsets = new Uint32Array(text.length + 1);
  let n = 0;
  for (let i = 0; i < text.length; n++) {
    const wide = text.codePointAt(i) > 0xffff ? 2 : 1;
    offsets.fill(n, i, i + wide);
    i += wide;
  }
  offsets[text.length] = n;
  return offsets;
}

const tagsOf = (seg, text) => seg.tag(text).map(([, tag]) => tag);
const spansIn = (tokens, offsets) => tokens.map(({ start, end }) => [offsets[start], offsets[end]]);

function sourceOfToken(token, userSpans) {
  if (userSpans.has(`${token.start}-${token.end}`)) return "user";
  return token.kind === "word" || token.kind === "punct" ? "lexicon" : "rule";
}

// The data of the graph, as _drawn() of segmenter/serve/graph.py.
function graphData(text, offsets, edges, { all, plain, changed }) {
  const cost = new Map(edges.map((e) => [`${e.start}-${e.end}`, e.cost]));
  const nodeCosts = new Array(offsets[text.length] + 1).fill(null);
  nodeCosts[0] = 0;
  for (const { start, end, cost: edgeCost } of all[0].lattice(text, true)) {  // by start: costs of starts are final
    const [from, to] = [offsets[start], offsets[end]];
    if (nodeCosts[from] !== null && (nodeCosts[to] === null || nodeCosts[from] + edgeCost < nodeCosts[to])) nodeCosts[to] = nodeCosts[from] + edgeCost;
  }
  const decoders = DECODERS.map((name, i) => {
    const tokens = all[i].tokenize(text);
    const pathCosts = tokens.map(({ start, end }) => cost.get(`${start}-${end}`));
    return {
      name, lattice: true, spans: spansIn(tokens, offsets), pos: tagsOf(all[i], text), best: [],
      cost: pathCosts.includes(undefined) ? null : pathCosts.reduce((a, b) => a + b, 0),
      ...(changed ? { before: spansIn(plain[i].tokenize(text), offsets) } : {}),
    };
  });
  return {
    edges: edges.map((e) => ({ ...e, start: offsets[e.start], end: offsets[e.end], ...(e.kind === "user" ? { level: "" } : {}) })),
    costs: text.length <= 60 ? nodeCosts : null, decoders, ngrams: {}, taggers: [], pieces: [], players: [], why: [],
  };
}

answerWith(async (_, { text, words, settings }) => {
  const { oov = "chars", mode = "words" } = settings;
  const result = await segmenters(words, oov);
  const [seg] = result.all, offsets = characterOffsets(text), characters = [...text];
  const tokens = seg.tokenize(text);
  const edges = characters.length <= LONGEST_GRAPH ? seg.lattice(text) : [];
  const userSpans = new Set(edges.filter((e) => e.kind === "user").map((e) => `${e.start}-${e.end}`));
  const sentences = [...text.matchAll(SENTENCE)].filter(([s]) => s).map((m) => [offsets[m.index], offsets[m.index + m[0].length]]);
  return {
    text, characters, words, settings, choices: CHOICES, chosen: DECODERS[0], fingerprint: seg.fingerprint,
    faults: result.faults, about: PAGE.about, meanings: PAGE.meanings, missing: [],
    running: {
      spans: spansIn(tokens, offsets), kinds: tokens.map((t) => t.kind), sources: tokens.map((t) => sourceOfToken(t, userSpans)),
      pos: tagsOf(seg, text), sentences, pieces: {}, mode,
      search: mode === "words" ? [] : seg.tokenize(text, mode)
        .map(({ start, end, position, positionLength }) => [offsets[start], offsets[end], position, positionLength]),
    },
    drawn: characters.length <= LONGEST_GRAPH,
    ...(characters.length <= LONGEST_GRAPH ? graphData(text, offsets, edges, result) : {}),
  };
});
$("apiLink").hidden = true;
opened.catch((e) => { $("message").hidden = false; $("message").textContent = `${say("noModule")}${e.message}`; });
