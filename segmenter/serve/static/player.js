// Plays an algorithm step by step, with a description of each step.
import { $, element, number, visible } from "./dom.js";
import { embedded, state } from "./state.js";
import { aboutDecoder, language, say } from "./translations.js";
import { sayStep } from "./say_steps.js";
import { graphBoard, rowBoard, tableBoard, trellisBoard } from "./boards.js";
import { fetchTrace } from "./ask.js";
import { mark, unmark } from "./link.js";

const BOARDS = { graph: graphBoard, trellis: trellisBoard, row: rowBoard, table: tableBoard };
const LONGEST_STEPS = 40;  // characters, of segmenter/serve/steps
const PAUSES = { slow: 2400, medium: 1200, fast: 350 };

let trace = null, stepIndex = 0, playing = 0, latestRequest = "";

// `w(span)` is the text of a span, `w.at(k)` a character, `w.length` their number.
function texts() {
  const { characters } = state.picture;
  const w = ([a, b]) => visible(characters.slice(a, b).join(""));
  w.at = (k) => characters[k];
  Object.defineProperty(w, "length", { value: characters.length });
  return w;
}

export function drawPlayer() {
  const { picture } = state;
  stop();
  const select = $("player");
  const previous = select.value;
  const players = picture.players ?? [];
  select.replaceChildren(...players.map((p) => element("option", { value: p }, `${p} · ${aboutDecoder(picture, p)}`)));
  select.value = players.includes(previous) ? previous : players.includes("unigram") ? "unigram" : players[0] ?? "";
  const long = picture.characters.length > LONGEST_STEPS;
  $("playerSection").hidden = !picture.characters.length || !players.length;
  $("playerBox").hidden = long;
  $("playerNote").hidden = !long;
  $("playerNote").textContent = long ? say("stepsTooLong", { most: LONGEST_STEPS }) : "";
  if (!long && !$("playerSection").hidden) load();
}

async function load() {
  stop();
  trace = null;  // no steps of another algorithm while these load
  $("board").setAttribute("aria-busy", "true");
  const player = $("player").value;
  const requested = latestRequest = `${player} ${state.picture.fingerprint} ${state.picture.words} ${state.picture.text}`;
  try {
    const fetched = await fetchTrace(player);
    if (requested !== latestRequest) return;  // outdated
    trace = fetched;
    $("stepText").textContent = embedded && !trace ? say("stepsStatic") : "";
  } catch (e) {
    if (requested !== latestRequest) return;
    $("stepText").textContent = e.message;
  } finally {
    if (requested === latestRequest) $("board").removeAttribute("aria-busy");
  }
  if (!trace) return $("board").replaceChildren();
  stepIndex = 0;
  $("stepSlider").max = trace.steps.length - 1;
  drawStep(false);
}

function drawStep(moved = true) {
  if (!trace) return;
  const w = texts();
  $("stepSlider").value = stepIndex;
  $("stepSlider").setAttribute("aria-valuetext", say("step", { at: stepIndex + 1, of: trace.steps.length }));
  $("stepCount").textContent = say("step", { at: stepIndex + 1, of: trace.steps.length });
  const step = trace.steps[stepIndex];
  $("stepText").textContent = sayStep(step, language(), w, number, trace.tags);
  const board = $("board");
  const scrolled = board.scrollLeft;
  board.replaceChildren(...BOARDS[trace.board](trace, stepIndex, w));
  board.scrollLeft = scrolled;
  $("exportBoard").hidden = !board.querySelector("svg");
  const span = step.edge ?? step.span ?? step.stretch ?? (step.at !== undefined && trace.board === "trellis" ? [step.at, step.at + 1] : null);
  if (span && moved) { mark(...span); follow(board, span, w.length); } else unmark();
  $("stepBack").disabled = $("toStart").disabled = stepIndex === 0;
  $("stepOn").disabled = $("toEnd").disabled = stepIndex === trace.steps.length - 1;
}

// Scrolls to the current span on narrow screens.
function follow(board, [a, b], n) {
  if (board.scrollWidth <= board.clientWidth || !n) return;
  const x = (((a + b) / 2) / n) * board.scrollWidth;
  if (x < board.scrollLeft + 60 || x > board.scrollLeft + board.clientWidth - 60) board.scrollLeft = x - board.clientWidth / 2;
}

function go(target) {
  if (!trace) return;
  stepIndex = Math.max(0, Math.min(trace.steps.length - 1, target));
  drawStep();
}

function stop() {
  clearInterval(playing);
  playing = 0;
  $("play").textContent = say("play");
}

function play() {
  if (playing) return stop();
  if (!trace) return;
  if (stepIndex === trace.steps.length - 1) go(0);
  $("play").textContent = say("pause");
  playing = setInterval(() => {
    if (stepIndex >= trace.steps.length - 1) return stop();
    go(stepIndex + 1);
  }, PAUSES[$("speed").value]);
}

export function startPlayer() {
  $("player").addEventListener("change", load);
  $("play").addEventListener("click", play);
  const onClick = (id, target) => $(id).addEventListener("click", () => { stop(); go(target()); });
  onClick("toStart", () => 0);
  onClick("stepBack", () => stepIndex - 1);
  onClick("stepOn", () => stepIndex + 1);
  onClick("toEnd", () => Infinity);
  $("stepSlider").addEventListener("input", () => { stop(); go(Number($("stepSlider").value)); });
  $("speed").addEventListener("change", () => { if (playing) { stop(); play(); } });
}

// Opens an algorithm in the player.
export function playAlgorithm(name) {
  $("player").value = name;
  load();
  $("playerSection").scrollIntoView({ behavior: "smooth", block: "start" });
  $("stepSlider").focus({ preventScroll: true });
}

export const board = () => document.querySelector("#board svg");
