// The results of the decoders: a row per segmentation, with all decoders that give it in one cell;
// and the best paths of one decoder.
import { $, element, heading, key, number, numeral, rove, svgElement, visible } from "./dom.js";
import { MARKS, choose, colour, decoder, samePath, show, state, word } from "./state.js";
import { aboutDecoder, partOfSpeech, say } from "./translations.js";
import { drawGraph } from "./graph.js";
import { playAlgorithm } from "./player.js";

function words(spans, reference, tags = null) {
  const path = element("span", { class: "path" });
  spans.forEach((span, i) => {
    if (i) path.append(element("span", { class: "bar" }, "/", element("wbr")));
    const text = visible(word(span));
    const content = reference && !reference.has(key(span)) ? element("mark", {}, text) : text;
    path.append(tags ? element("span", { class: "tagged-word", title: partOfSpeech(state.picture, tags[i]) },
      content, element("small", { class: "pos", "aria-hidden": "true" }, tags[i])) : content);
  });
  return path;
}

// A sample of the line of a path.
function sample(slot) {
  const svg = svgElement("svg", { class: "sample", viewBox: "0 0 34 8", "aria-hidden": "true" });
  if (slot === undefined) return svg;
  const line = svgElement("line", { x1: 1, x2: 33, y1: 4, y2: 4 });
  line.style.cssText = `stroke:${colour(slot)};stroke-width:3.2;stroke-dasharray:${MARKS[slot].dashes}`;
  svg.append(line);
  return svg;
}

function spansOf(ends) {
  let start = 0;
  return ends.map((end) => { const span = [start, end]; start = end; return span; });
}

const focusOn = (name, type) =>
  document.querySelector(`#decoders tr[data-name="${CSS.escape(name)}"] input[type=${type}]`)?.focus();

// Groups of decoders with equal answers, the chosen decoder's first.  Each group begins with the chosen
// decoder, or one whose path is drawn.
function groups() {
  const { picture, selected, slots } = state;
  const result = [];
  for (const d of picture.decoders) {
    const group = result.find((g) => samePath(g[0].spans, d.spans));
    if (group) group.push(d); else result.push([d]);
  }
  for (const group of result) {
    const index = group.findIndex((d) => d.name === selected);
    const drawn = group.findIndex((d) => slots.has(d.name));
    const first = index >= 0 ? index : Math.max(0, drawn);
    group.unshift(...group.splice(first, 1));
  }
  return result.sort((a, b) => (b[0].name === selected) - (a[0].name === selected));
}

// A button for a decoder with its description and score, which opens its steps.
function algorithm(d) {
  const score = d.score === null || d.score === undefined ? "" : ` · ${number(d.score)}`;
  const button = element("button", { type: "button", "data-decoder": d.name },
    d.name, element("small", {}, aboutDecoder(state.picture, d.name) + score));
  button.disabled = !(state.picture.players ?? []).includes(d.name);
  button.addEventListener("click", () => playAlgorithm(d.name));
  return button;
}

export function drawDecoders() {
  const { picture, selected, slots } = state;
  const reference = new Set(decoder(selected).spans.map(key));
  const body = element("tbody");
  const tags = $("showPos").checked;
  for (const group of groups()) {
    const d = group[0];
    const slot = slots.get(d.name);
    const box = element("input", { type: "checkbox", "aria-label": `${say("show")}: ${d.name}` });
    box.checked = slot !== undefined;
    box.disabled = d.name === selected || (!box.checked && slots.size >= MARKS.length);
    box.addEventListener("change", () => {
      if (box.checked) show(d.name); else slots.delete(d.name);
      drawGraph();
      drawDecoders();
      focusOn(d.name, "checkbox");
    });
    const radio = element("input", { type: "radio", name: "reference", value: d.name, "aria-label": `${say("reference")}: ${d.name}` });
    radio.checked = d.name === selected;
    radio.addEventListener("change", () => { choose(d.name); focusOn(d.name, "radio"); });
    const path = element("td", {}, slot === undefined ? "" : `${MARKS[slot].sign} `, words(d.spans, reference, tags ? d.pos : null), sample(slot));
    if (d.before && !samePath(d.before, d.spans))
      path.append(element("span", { class: "was" }, say("was"), words(d.before, new Set(d.spans.map(key)))));
    const names = element("div", { class: "algorithms" }, ...group.map(algorithm));
    const row = element("tr", { class: d.name === selected ? "chosen" : "", "data-name": d.name },
      element("td", { class: "narrow" }, radio), element("td", { class: "narrow" }, box), path,
      element("td", {}, names), numeral(d.spans.length), numeral(number(d.cost)));
    row.addEventListener("click", (event) => { if (!event.target.closest("input, button")) choose(d.name); });
    body.append(row);
  }
  $("decoders").replaceChildren(
    heading([say("compare"), "narrow"], [say("draw"), "narrow"], [say("path")], [say("name")],
      [say("count"), "number"], [say("cost"), "number"]), body);
  rove($("decoders"), ".algorithms button:not(:disabled)");
  $("fullNote").hidden = slots.size < MARKS.length;
  const scored = picture.decoders.filter((d) => d.best?.length).map((d) => d.name);
  const previous = $("bestOf").value;
  $("bestOf").replaceChildren(...scored.map((name) => element("option", { value: name }, name)));
  $("bestOf").value = scored.includes(previous) ? previous : scored.includes(picture.chosen) ? picture.chosen : scored[0] ?? "";
  drawBest();
}

// The n best paths of a decoder: the distance of each from the first, and where it differs.
export function drawBest() {
  const best = decoder($("bestOf").value)?.best ?? [];
  $("bestTitle").hidden = $("best").hidden = !best.length;
  if (!best.length) return;
  const first = new Set(spansOf(best[0].ends).map(key));
  const body = element("tbody");
  best.forEach(({ ends, score }, i) => {
    const gap = score - best[0].score;
    body.append(element("tr", {}, numeral(i + 1), element("td", {}, words(spansOf(ends), first)),
      numeral(number(score)), numeral(i ? number(gap) : "—")));
  });
  $("best").replaceChildren(heading([say("rank"), "number"], [say("path")], [say("score"), "number"], [say("behind"), "number"]), body);
}
