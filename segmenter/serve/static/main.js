// The page: one text, its words, and how they were found.  It draws the JSON of
// segmenter/serve/graph.py, which is embedded in the page or requested from the service.
import { $, element, remembered, stopWhereItScrolls } from "./dom.js";
import { choosePath, decoder, embedded, samePath, show, state } from "./state.js";
import { language, nameOf, say, speakLanguage } from "./translations.js";
import { translated } from "./say_errors.js";
import { SETTINGS, ask, askSentence, copyLink, drawLink, note, onPicture, readAddress, soon } from "./ask.js";
import { exportDrawing } from "./export.js";
import { drawRunning, onSentenceChosen } from "./running.js";
import { drawGraph, moveByKey } from "./graph.js";
import { drawBest, drawDecoders } from "./decoders.js";
import { drawTagger } from "./tagger.js";
import { drawPieces, drawWhy } from "./tables.js";
import { board, drawPlayer, startPlayer } from "./player.js";

const LONGEST_DRAWN = 200;  // characters, of segmenter/serve/graph.py
const SAMPLES = ["他说的确实在理", "研究生命起源", "乒乓球拍卖完了", "南京市长江大桥", "在2026年，云计算改变了iPhone 15的制造"];

function drawSentence() {
  drawCosts();
  drawGraph();
  drawDecoders();
  drawTagger();
  drawPieces();
  drawWhy();
  drawLink();
  stopWhereItScrolls();
}

function drawCosts() {
  const names = ["unigram", ...Object.keys(state.picture.ngrams)];
  $("costs").replaceChildren(...names.map((name) => element("option", { value: name }, name)));
  if (!names.includes(state.costs)) state.costs = "unigram";
  $("costs").value = state.costs;
  $("costsLabel").hidden = names.length < 2;
  $("ngramHint").hidden = state.costs === "unigram";
}

// Draws a picture from the service; `isSentence`: of one sentence of a long text, whose tokens stay.
function drawPicture(data, isSentence = false) {
  if (!isSentence) {
    drawFaults(data);
    fillSettings(data.choices, data.settings);
    drawRunning(data);
    drawLink();
  }
  $("drawn").hidden = !data.drawn;
  $("main").hidden = $("answer").hidden = false;
  note(!data.drawn ? say("tooLongToDraw", { length: data.characters.length, most: LONGEST_DRAWN }) : isSentence ? say("sentenceOf") : "");
  if (!data.drawn) return;
  const previous = state.picture;
  state.picture = data;
  // another model was chosen: compare the others with it
  if (!decoder(state.selected) || previous?.chosen !== data.chosen) state.selected = data.chosen;
  if (comparedDecoder && decoder(comparedDecoder)) state.selected = comparedDecoder;
  comparedDecoder = null;
  for (const name of [...state.slots.keys()]) if (!decoder(name)) state.slots.delete(name);
  choosePath(state.selected);
  if (!previous) {
    // one decoder per different path, the chosen one first
    const paths = [decoder(data.chosen).spans];
    for (const d of data.decoders)
      if (!paths.some((p) => samePath(p, d.spans)) && show(d.name)) paths.push(d.spans);
  }
  const tagger = previous?.chosen === data.chosen ? $("tagger").value : data.chosen;
  $("tagger").replaceChildren(...data.taggers.map((t) => element("option", { value: t.name }, t.name)));
  const selectedTagger = data.taggers.find((t) => t.name === tagger) ?? data.taggers.find((t) => t.name === data.chosen) ?? data.taggers[0];
  if (selectedTagger) $("tagger").value = selectedTagger.name;
  drawSentence();
  drawPlayer();
}

function drawFaults(data) {
  $("faults").hidden = !data.faults.length;
  if (data.faults.length) $("drawer").open = true;
  $("words").toggleAttribute("aria-invalid", data.faults.length > 0);
  const list = element("ul");
  for (const fault of data.faults)
    list.append(element("li", {}, element("b", {}, `${say("line", { line: fault.line })} `),
      element("mark", {}, fault.text), ` ${translated(fault.reason, language())}`));
  $("faults").replaceChildren(say("faults"), list);
}

function fillSettings(choices, settings) {
  $("settings").hidden = !choices;
  for (const [name, values] of Object.entries(choices ?? {})) {
    const select = $(name);
    $(`${name}Label`).hidden = false;
    const options = values.map((v) => element("option", { value: v }, v === "" ? say("asStarted") : nameOf(name, v)));
    select.replaceChildren(...options);
    select.value = settings[name] ?? values[0];
  }
}

function speak() {
  document.documentElement.lang = language() === "zh" ? "zh-Hans" : "en";
  document.title = say("title");
  for (const e of document.querySelectorAll("[data-say]")) e.textContent = say(e.dataset.say);
  for (const e of document.querySelectorAll("[data-label]")) e.setAttribute("aria-label", say(e.dataset.label));
  $("wordsHint").textContent = say(embedded ? "wordsStatic" : "wordsHint");
  $("documents").textContent = `docs/${language()}/index.md`;
  $("play").textContent = say("play");
}

function startChoices(hash) {
  speakLanguage(hash.get("language") ?? remembered("language") ?? (navigator.language.startsWith("zh") ? "zh" : "en"));
  $("language").value = language();
  $("language").addEventListener("change", () => {
    speakLanguage($("language").value);
    remembered("language", language());
    speak();
    if (latest) { drawPicture(latest); if (latestSentence) drawPicture(latestSentence, true); }
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => {
    const theme = $("theme").value === "auto" ? (dark.matches ? "dark" : "light") : $("theme").value;
    document.documentElement.dataset.theme = theme;
  };
  $("theme").value = hash.get("theme") ?? remembered("theme") ?? "auto";
  $("theme").addEventListener("change", () => { remembered("theme", $("theme").value); paint(); });
  dark.addEventListener("change", paint);
  paint();
}

let latest = null, latestSentence = null;  // the picture of the text, and of a sentence of it
let comparedDecoder = null;  // the reference decoder of the address, until it is drawn

// Applies the language and the view of a link.
function readView(hash) {
  comparedDecoder = hash.get("compare");
  if (hash.has("pos")) $("showPos").checked = hash.get("pos") === "yes";
  if (!hash.has("language")) return;
  speakLanguage(hash.get("language"));
  $("language").value = language();
  speak();
}

function showWhole(data) {
  latest = data;
  latestSentence = null;
  drawPicture(data);
}

function start() {
  const hash = readAddress();
  startChoices(hash);
  speak();
  state.redraw = drawSentence;
  onPicture((data, isSentence) => {
    if (!isSentence) return showWhole(data);
    latestSentence = data;
    drawPicture(data, true);
  });
  let lastWidth = innerWidth;
  addEventListener("resize", () => {
    if (state.picture && innerWidth !== lastWidth && !$("drawn").hidden) { drawGraph(); stopWhereItScrolls(); }
    lastWidth = innerWidth;
  });
  $("drawing").addEventListener("keydown", moveByKey);
  $("drawing").addEventListener("pointerleave", () => $("graph")?.classList.remove("pointed"));
  $("bestOf").addEventListener("change", drawBest);
  for (const id of ["onlyPath", "showCosts"]) $(id).addEventListener("change", drawGraph);
  $("costs").addEventListener("change", () => { state.costs = $("costs").value; drawCosts(); drawGraph(); });
  for (const id of ["tagger", "share"]) $(id).addEventListener("change", drawTagger);
  $("showPos").checked = remembered("showPos") === "yes";
  readView(hash);
  $("showPos").addEventListener("change", () => {
    remembered("showPos", $("showPos").checked ? "yes" : "no");
    drawRunning();
    drawLink();
    if (state.picture && !$("drawn").hidden) drawDecoders();
  });
  for (const kind of ["svg", "png"]) {
    $(`${kind}Graph`).addEventListener("click", () => exportDrawing($("graph"), kind, "segmenter-graph"));
    $(`${kind}Board`).addEventListener("click", () => exportDrawing(board(), kind, `segmenter-${$("player").value}`));
  }
  $("copyLink").addEventListener("click", copyLink);
  $("ask").addEventListener("submit", (event) => event.preventDefault());
  startPlayer();
  onSentenceChosen(askSentence);
  startSamples();
  if (embedded) startEmbedded(); else startService(hash);
}

function startSamples() {
  const samples = embedded ? embedded.map((p) => p.text) : SAMPLES;
  samples.forEach((text, i) => {
    const button = element("button", { type: "button" }, text.length > 24 ? text.slice(0, 24) + "…" : text);
    button.addEventListener("click", () => {
      $("text").value = text;
      if (embedded) showWhole(embedded[i]); else ask();
    });
    $("samples").append(button);
  });
}

function startEmbedded() {
  $("text").readOnly = true;
  $("words").readOnly = true;
  $("samples").hidden = embedded.length < 2;
  $("drawer").open = embedded[0].words !== "";
  $("apiLink").hidden = true;
  const open = () => {
    const hash = readAddress();
    const picture = embedded.find((p) => p.text === hash.get("text")) ?? embedded[0];
    readView(hash);
    $("text").value = picture.text;
    $("words").value = picture.words;
    showWhole(picture);
  };
  addEventListener("hashchange", open);
  open();
}

function startService(hash) {
  if (!hash.has("text")) $("text").value = SAMPLES[0];
  $("drawer").open = ["words", ...SETTINGS].some((name) => hash.get(name));
  $("text").addEventListener("input", soon);
  $("words").addEventListener("input", soon);
  // another model may not have this standard
  $("preset").addEventListener("change", () => { $("standard").value = ""; });
  for (const name of SETTINGS) {
    $(name).addEventListener("change", ask);
    const value = hash.get(name);  // the first picture brings the whole list
    if (value) { $(name).append(element("option", { value }, value)); $(name).value = value; }
  }
  addEventListener("hashchange", () => { readView(readAddress()); ask(); });
  ask();
}

start();
