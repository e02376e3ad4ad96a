// Running text as tokens with coloured backgrounds and parts of speech below, and search tokens.
import { $, element, visible } from "./dom.js";
import { state } from "./state.js";
import { kindOf, partOfSpeech, say, sayHow, sourceOf } from "./translations.js";
import { link, mark, unmark } from "./link.js";

const TINTS = 4;
const LONGEST_HERO = 60;  // characters that are shown large
const LONGEST_WHOLE = 12; // characters of a token that stays on one line
// signs that no line begins with, and signs that none ends with
const CLOSING = /^[，。、；：！？）」』》〉】〕］｝”’…—～·,.;:!?)\]}%％℃°]+$/, OPENING = /^[（「『《〈【〔［｛“‘(\[{]+$/;

let shownText = null;  // the picture whose running text is on the page
let onSentence = () => {};

export function onSentenceChosen(handler) { onSentence = handler; }

const textOf = (picture, a, b) => picture.characters.slice(a, b).join("");

// What a token is, in words.
function about(picture, i) {
  const { spans, kinds, sources, pos, pieces } = picture.running;
  const [a, b] = spans[i];
  const ids = Object.entries(pieces).map(([name, rows]) =>
    `${name}: ${inside(rows, [a, b]).map((row) => row[2]).join(" ") || "—"}`);
  return [`${a}–${b}`, partOfSpeech(picture, pos[i]), kindOf(kinds[i]), sourceOf(sources[i]), ...ids].filter(Boolean).join(" · ");
}

export function drawRunning(picture = shownText) {
  shownText = picture;
  const { spans, kinds, sources, pos } = picture.running;
  const showTags = $("showPos").checked;
  const paper = $("running");
  const fragment = document.createDocumentFragment();
  const rows = [];
  let tint = 0, line = null;  // what stays together on a line: a word and the signs beside it
  spans.forEach(([a, b], i) => {
    const text = textOf(picture, a, b);
    if (/^\s*$/.test(text)) {
      fragment.append(/[\n\r]/.test(text) ? element("br") : " ");
      line = null;
      return;
    }
    tint = (tint + 1) % TINTS;
    const token = element("span", { class: `token t${tint} ${sources[i]} ${kinds[i]}`, "data-i": i }, visible(text));
    if (showTags) token.append(element("small", { class: "pos" }, pos[i]));
    if (!line || !(CLOSING.test(text) || OPENING.test(line.lastChild.firstChild.data))) {
      line = element("span", { class: "together" });
      fragment.append(line);
    }
    if (b - a > LONGEST_WHOLE) for (const e of [line, token]) e.classList.add("broken");
    line.append(token);
    rows.push([a, b, token]);
  });
  paper.classList.toggle("tagged", showTags);
  paper.classList.toggle("hero", picture.characters.length <= LONGEST_HERO);
  paper.classList.toggle("long", !picture.drawn);
  paper.replaceChildren(fragment);
  // thousands of tokens: one listener for all of them
  link("running", []);
  const tokens = rows.map(([, , e]) => e);
  let current = -1;
  const look = (index) => {
    tokens[current]?.classList.remove("linked");
    current = index;
    const token = tokens[index];
    const [a, b] = rows[index];
    $("tokenDetail").replaceChildren(
      element("b", {}, visible(textOf(picture, a, b))), ` ${about(picture, Number(token.dataset.i))}`);
    if (picture === state.picture) mark(a, b); else unmark();
    token.classList.add("linked");
  };
  const at = (event) => tokens.indexOf(event.target.closest?.(".token"));
  const open = (index) => { if (index >= 0 && !picture.drawn) chooseSentence(picture, rows[index]); };
  paper.onpointerover = (event) => { if (at(event) >= 0) look(at(event)); };
  paper.onpointerout = (event) => {
    if (event.pointerType === "touch") return;  // a finger that is lifted leaves what it pointed at
    tokens[current]?.classList.remove("linked");
    unmark();
  };
  paper.onclick = (event) => open(at(event));
  paper.onkeydown = (event) => {
    const to = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: tokens.length - 1 }[event.key];
    if (event.key === "Enter") open(current);
    if (!(to in tokens)) return;
    event.preventDefault();
    look(to);
    tokens[to].scrollIntoView({ block: "nearest" });
  };
  if (picture.drawn) link("running", rows);
  $("tokenDetail").textContent = sayHow(!picture.drawn ? "pointSentence" : pos.length ? "pointToken" : "pointWord");
  $("runningCount").textContent = say("counted", { tokens: rows.length, characters: picture.characters.length });
  drawSearch(picture);
}

// The rows that a span overlaps, found by halving: pointing at one of thousands looks at few.
function inside(list, [a, b]) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][1] <= a) low = middle + 1; else high = middle;
  }
  let end = low;
  while (end < list.length && list[end][0] < b) end++;
  return list.slice(low, end);
}

function chooseSentence(picture, [at]) {
  const found = picture.running.sentences.find(([a, b]) => a <= at && at < b);
  if (found) onSentence(textOf(picture, ...found).trim(), found);
}

function drawSearch(picture) {
  const { mode, search } = picture.running;
  $("searchSection").hidden = mode === "words";
  if (mode === "words") return;
  const list = element("ul", { class: "terms" });
  const rows = [];
  for (const [a, b, position, length] of search.slice(0, 2000)) {
    const text = textOf(picture, a, b);
    if (/^\s*$/.test(text)) continue;
    const item = element("li", { class: length > 1 ? "term long" : "term" }, visible(text),
      element("small", {}, length > 1 ? `${position}–${position + length}` : `${position}`));
    list.append(item);
    rows.push([a, b, item]);
  }
  $("search").replaceChildren(list);
  link("search", picture.drawn ? rows : []);
}
