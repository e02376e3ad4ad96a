// Running text as tokens with coloured backgrounds and parts of speech below, and search tokens.
import { $, element, visible } from "./dom.js";
import { state } from "./state.js";
import { kindOf, partOfSpeech, say, sayHow, sourceOf } from "./translations.js";
import { link, mark, unmark } from "./link.js";

const TINTS = 4;
const LONGEST_HERO = 60;  // characters of a text in large type
const LONGEST_WHOLE = 12; // characters of a token that stays on one line
// signs that never begin a line, and signs that never end one
const CLOSING = /^[，。、；：！？）」』》〉】〕］｝”’…—～·,.;:!?)\]}%％℃°]+$/, OPENING = /^[（「『《〈【〔［｛“‘(\[{]+$/;

let shownPicture = null;  // the picture whose running text is on the page
let sentenceHandler = () => {};

export function onSentenceChosen(handler) { sentenceHandler = handler; }

const textOf = (picture, a, b) => picture.characters.slice(a, b).join("");

// Describes a token.
function describeToken(picture, i) {
  const { spans, kinds, sources, pos, pieces } = picture.running;
  const [a, b] = spans[i];
  const ids = Object.entries(pieces).map(([name, rows]) =>
    `${name}: ${overlapping(rows, [a, b]).map((row) => row[2]).join(" ") || "—"}`);
  return [`${a}–${b}`, partOfSpeech(picture, pos[i]), kindOf(kinds[i]), sourceOf(sources[i]), ...ids].filter(Boolean).join(" · ");
}

export function drawRunning(picture = shownPicture) {
  shownPicture = picture;
  const { spans, kinds, sources, pos } = picture.running;
  const showTags = $("showPos").checked;
  const container = $("running");
  const fragment = document.createDocumentFragment();
  const rows = [];
  let tint = 0, line = null;  // a word with adjacent signs, kept on one line
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
  container.classList.toggle("tagged", showTags);
  container.classList.toggle("hero", picture.characters.length <= LONGEST_HERO);
  container.classList.toggle("long", !picture.drawn);
  container.replaceChildren(fragment);
  // one listener for thousands of tokens
  link("running", []);
  const tokens = rows.map(([, , e]) => e);
  let current = -1;
  const highlight = (index) => {
    tokens[current]?.classList.remove("linked");
    current = index;
    const token = tokens[index];
    const [a, b] = rows[index];
    $("tokenDetail").replaceChildren(
      element("b", {}, visible(textOf(picture, a, b))), ` ${describeToken(picture, Number(token.dataset.i))}`);
    if (picture === state.picture) mark(a, b); else unmark();
    token.classList.add("linked");
  };
  const indexOf = (event) => tokens.indexOf(event.target.closest?.(".token"));
  const open = (index) => { if (index >= 0 && !picture.drawn) chooseSentence(picture, rows[index]); };
  container.onpointerover = (event) => { if (indexOf(event) >= 0) highlight(indexOf(event)); };
  container.onpointerout = (event) => {
    if (event.pointerType === "touch") return;  // lifting a finger keeps the highlight
    tokens[current]?.classList.remove("linked");
    unmark();
  };
  container.onclick = (event) => open(indexOf(event));
  container.onkeydown = (event) => {
    const target = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: tokens.length - 1 }[event.key];
    if (event.key === "Enter") open(current);
    if (!(target in tokens)) return;
    event.preventDefault();
    highlight(target);
    tokens[target].scrollIntoView({ block: "nearest" });
  };
  if (picture.drawn) link("running", rows);
  $("tokenDetail").textContent = sayHow(!picture.drawn ? "pointSentence" : pos.length ? "pointToken" : "pointWord");
  $("runningCount").textContent = say("counted", { tokens: rows.length, characters: picture.characters.length });
  drawSearch(picture);
}

// The rows that overlap a span, by binary search.
function overlapping(list, [a, b]) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][1] <= a) low = middle + 1; else high = middle;
  }
  let end = low;
  while (end < list.length && list[end][0] < b) end++;
  return list.slice(low, end);
}

function chooseSentence(picture, [start]) {
  const sentence = picture.running.sentences.find(([a, b]) => a <= start && start < b);
  if (sentence) sentenceHandler(textOf(picture, ...sentence).trim(), sentence);
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
