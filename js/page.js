// The page of segmenter/serve without a service: the module in the page answers its requests.
// docs/_site/try_page.py puts PAGE before this: the package's files in base64, and texts on decoders.
import { SegmenterError, loader, short } from "./core.js";
import { $ } from "./dom.js";
import { say } from "./translations.js";
import { answerWith } from "./ask.js";

const DECODERS = ["unigram", "forward-max", "backward-max", "bidirectional-max", "shortest", "n-shortest"];
const CHOICES = { oov: ["chars", "keep"], mode: ["words", "search", "index", "query"] };
const LONGEST_GRAPH = 200;  // characters, of segmenter/serve/graph.py
const MOST_LINES = 500;     // of words, as long as one of them cannot be read
// as segmenter/serve/user_lines.py reads them
const USER_LINE = /^(.+?) *= *(force|prefer|delete|split|[0-9]+(?:\.[0-9]+)?)$/;
const MISREAD = /^.+?(?: += *|= +)(.*)$/;
const SENTENCE = /[^。！？!?\n]*(?:[。！？!?]+[”’」』）)]*|\n|$)/gu;

const opened = loader(async (name) => Uint8Array.from(atob(PAGE.files[name]), (c) => c.charCodeAt(0)))({ tags: true });

// A line as one types it, as one of a user dictionary.
function row(line) {
  if (line.includes("\t")) return line;
  const stripped = line.trim(), given = USER_LINE.exec(stripped);
  const wrong = given ? null : MISREAD.exec(stripped);
  if (wrong) throw new SegmenterError(`'${short(wrong[1])}' after = is not one of force, prefer, delete, split or a weight`);
  const [, word, level] = given ?? [null, stripped, ""];
  const kept = level === "split" ? word : word.replaceAll("\\", "\\\\");
  return level ? `${kept}\t${level}` : kept;
}

let known = null;  // the words of the last question: {key, plain, all, faults}

// The segmenters of some words, by decoder, and the lines that cannot be read.
async function segmenters(words, oov) {
  const key = JSON.stringify([words, oov]);
  if (known?.key === key) return known;
  const seg = await opened;
  const faults = [], rows = [];
  const lines = words.replaceAll("\r\n", "\n").split("\n").slice(0, MOST_LINES);
  lines.forEach((line, i) => {
    try { rows.push([i, line, row(line)]); } catch (e) { faults.push({ line: i + 1, text: line, reason: e.message }); }
  });
  const read = (text) => seg.with({ oov, words: text });
  const joined = () => rows.map(([, , text]) => `${text}\n`).join("");
  try {
    read(joined());
  } catch {  // which of them?
    for (const [i, line, text] of rows.splice(0)) {
      try {
        read(`${text}\n`);
        rows.push([i, line, text]);
      } catch (e) {
        faults.push({ line: i + 1, text: line, reason: e.message.replace(/^.*?line \d+: /, "") });
      }
    }
    faults.sort((a, b) => a.line - b.line);
  }
  const by = (text) => DECODERS.map((decoder) => seg.with({ oov, decoder, words: text }));
  const given = joined().trim() ? joined() : "";
  const all = by(given);
  known = { key, all, plain: given ? by("") : all, changed: given !== "", faults };
  return known;
}

// From UTF-16 units, which JavaScript counts, to characters, which the page counts.
function counted(text) {
  const at = new Uint32Array(text.length + 1);
  let n = 0;
  for (let i = 0; i < text.length; n++) {
    const wide = text.codePointAt(i) > 0xffff ? 2 : 1;
    at.fill(n, i, i + wide);
    i += wide;
  }
  at[text.length] = n;
  return at;
}

const tagsOf = (seg, text) => seg.tag(text).map(([, tag]) => tag);
const placesOf = (tokens, at) => tokens.map(({ start, end }) => [at[start], at[end]]);

function sourceOfToken(token, mine) {
  if (mine.has(`${token.start}-${token.end}`)) return "user";
  return token.kind === "word" || token.kind === "punct" ? "lexicon" : "rule";
}

// What the graph is drawn of: see _drawn() of segmenter/serve/graph.py.
function drawn(text, at, edges, { all, plain, changed }) {
  const cost = new Map(edges.map((e) => [`${e.start}-${e.end}`, e.cost]));
  const least = new Array(at[text.length] + 1).fill(null);
  least[0] = 0;
  for (const { start, end, cost: step } of all[0].lattice(text, true)) {  // by start: each is settled in time
    const [from, to] = [at[start], at[end]];
    if (least[from] !== null && (least[to] === null || least[from] + step < least[to])) least[to] = least[from] + step;
  }
  const decoders = DECODERS.map((name, i) => {
    const tokens = all[i].tokenize(text);
    const along = tokens.map(({ start, end }) => cost.get(`${start}-${end}`));
    return {
      name, lattice: true, spans: placesOf(tokens, at), pos: tagsOf(all[i], text), best: [],
      cost: along.includes(undefined) ? null : along.reduce((a, b) => a + b, 0),
      ...(changed ? { before: placesOf(plain[i].tokenize(text), at) } : {}),
    };
  });
  return {
    edges: edges.map((e) => ({ ...e, start: at[e.start], end: at[e.end], ...(e.kind === "user" ? { level: "" } : {}) })),
    costs: text.length <= 60 ? least : null, decoders, ngrams: {}, taggers: [], pieces: [], players: [], why: [],
  };
}

answerWith(async (_, { text, words, settings }) => {
  const { oov = "chars", mode = "words" } = settings;
  const found = await segmenters(words, oov);
  const [seg] = found.all, at = counted(text), characters = [...text];
  const tokens = seg.tokenize(text);
  const edges = characters.length <= LONGEST_GRAPH ? seg.lattice(text) : [];
  const mine = new Set(edges.filter((e) => e.kind === "user").map((e) => `${e.start}-${e.end}`));
  const sentences = [...text.matchAll(SENTENCE)].filter(([s]) => s).map((m) => [at[m.index], at[m.index + m[0].length]]);
  return {
    text, characters, words, settings, choices: CHOICES, chosen: DECODERS[0], fingerprint: seg.fingerprint,
    faults: found.faults, about: PAGE.about, meanings: PAGE.meanings, missing: [],
    running: {
      spans: placesOf(tokens, at), kinds: tokens.map((t) => t.kind), sources: tokens.map((t) => sourceOfToken(t, mine)),
      pos: tagsOf(seg, text), sentences, pieces: {}, mode,
      search: mode === "words" ? [] : seg.tokenize(text, mode)
        .map(({ start, end, position, positionLength }) => [at[start], at[end], position, positionLength]),
    },
    drawn: characters.length <= LONGEST_GRAPH,
    ...(characters.length <= LONGEST_GRAPH ? drawn(text, at, edges, found) : {}),
  };
});
$("apiLink").hidden = true;
opened.catch((e) => { $("message").hidden = false; $("message").textContent = `${say("noModule")}${e.message}`; });
