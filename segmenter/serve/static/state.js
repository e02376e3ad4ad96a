// The state of the page: the picture from the service, the decoder that the others are compared with,
// and the paths that are drawn, each with its own mark.
import { $, key } from "./dom.js";

export const state = {
  picture: null,     // the data of segmenter/serve/graph.py
  selected: null,    // name of the decoder that the others are compared with
  slots: new Map(),  // name of a decoder whose path is drawn -> its slot in MARKS
  costs: "unigram",  // the decoder whose costs are on the arcs
  character: 0,      // the character whose features are listed
  redraw: () => {},  // set when the page begins
};

// Paths differ in sign and dashes, not only in colour; five can be told apart.
export const MARKS = [
  { sign: "①", dashes: "none" },
  { sign: "②", dashes: "9 4" },
  { sign: "③", dashes: "2 4" },
  { sign: "④", dashes: "12 3 2 3" },
  { sign: "⑤", dashes: "5 2 1 2 1 2" },
];
export const colour = (slot) => (slot === undefined ? "var(--line)" : `var(--d${slot})`);

export const embedded = JSON.parse($("data").textContent);

export const decoder = (name) => state.picture.decoders.find((d) => d.name === name);
export const word = (span) => state.picture.characters.slice(span[0], span[1]).join("");
export const samePath = (a, b) => a.map(key).join() === b.map(key).join();

// Adds a decoder's path; returns false if five are drawn already.
export function show(name) {
  if (state.slots.has(name)) return true;
  const used = new Set(state.slots.values());
  const slot = MARKS.findIndex((_, i) => !used.has(i));
  if (slot < 0) return false;
  state.slots.set(name, slot);
  return true;
}

// Makes a decoder the reference of the others; its path is always drawn.
export function choose(name) {
  choosePath(name);
  state.selected = name;
  state.costs = state.picture.ngrams[name] ? name : "unigram";
  state.redraw();
}

// Draws a decoder's path, in place of the last one if five are drawn.
export function choosePath(name) {
  if (show(name)) return;
  state.slots.delete([...state.slots.keys()].filter((n) => n !== state.selected).pop());
  show(name);
}
