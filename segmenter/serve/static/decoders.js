// The results of the decoders: a row per segmentation, with the decoders that agree on it in one
// cell; and the best paths of one of them.
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
    const shown = reference && !reference.has(key(span)) ? element("mark", {}, text) : text;
    path.append(tags ? element("span", { class: "tagged-word", title: partOfSpeech(state.picture, tags[i]) },
      shown, element("small", { class: "pos", "aria-hidden": "true" }, tags[i])) : shown);
  });
  return path;
}

// The sign and the line of a path.
function sample(slot) {
  const svg = svgElement("svg", { class: "sample", viewBox: "0 0 34 8", "aria-hidden": "true" });
  if (slot === undefined) return svg;
  const line = svgElement("line", { x1: 1, x2: 33, y1: 4, y2: 4 });
  line.style.cssText = `stroke:${colour(slot)};stroke-width:3.2;stroke-dasharray:${MARKS[slot].dashes}`;
  svg.append(line);
  return svg;
}

function spansOf(ends) {
  let at = 0;
  return ends.map((end) => { const span = [at, end]; at = end; return span; });
}

const focusOn = (name, type) =>
  document.querySelector(`#decoders tr[data-name="${CSS.escape(name)}"] input[type=${type}]`)?.focus();

// Decoders of one answer, those of the chosen one first; the first of each group stands for it: the
// chosen decoder, or one whose path is drawn.
function groups() {
  const { picture, selected, shown } = state;
  const found = [];
  for (const d of picture.decoders) {
    const group = found.find((g) => samePath(g[0].spans, d.spans));
    if (group) group.push(d); else found.push([d]);
  }
  for (const group of found) {
    const at = group.findIndex((d) => d.name === selected);
    const drawn = group.findIndex((d) => shown.has(d.name));
    const first = at >= 0 ? at : Math.max(0, drawn);
    group.unshift(...group.splice(first, 1));
  }
  return found.sort((a, b) => (b[0].name === selected) - (a[0].name === selected));
}

// A decoder: what it is, its own score; pressed, it shows its steps.
function algorithm(d) {
  const score = d.score === null || d.score === undefined ? "" : ` · ${number(d.score)}`;
  const button = element("button", { type: "button", "data-decoder": d.name },
    d.name, element("small", {}, aboutDecoder(state.picture, d.name) + score));
  button.disabled = !(state.picture.players ?? []).includes(d.name);
  button.addEventListener("click", () => playAlgorithm(d.name));
  return button;
}

export function drawDecoders() {
  const { picture, selected, shown } = state;
  const reference = new Set(decoder(selected).spans.map(key));
  const body = element("tbody");
  const tags = $("showPos").checked;
  for (const group of groups()) {
    const d = group[0];
    const slot = shown.get(d.name);
    const box = element("input", { type: "checkbox", "aria-label": `${say("show")}: ${d.name}` });
    box.checked = slot !== undefined;
    box.disabled = d.name === selected || (!box.checked && shown.size >= MARKS.length);
    box.addEventListener("change", () => {
      if (box.checked) show(d.name); else shown.delete(d.name);
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
  $("fullNote").hidden = shown.size < MARKS.length;
  const scored = picture.decoders.filter((d) => d.best?.length).map((d) => d.name);
  const before = $("bestOf").value;
  $("bestOf").replaceChildren(...scored.map((name) => element("option", { value: name }, name)));
  $("bestOf").value = scored.includes(before) ? before : scored.includes(picture.chosen) ? picture.chosen : scored[0] ?? "";
  drawBest();
}

// The n best of a decoder: how far each is behind the first, and where it differs.
export function drawBest() {
  const best = decoder($("bestOf").value)?.best ?? [];
  $("bestTitle").hidden = $("best").hidden = !best.length;
  if (!best.length) return;
  const first = new Set(spansOf(best[0].ends).map(key));
  const body = element("tbody");
  best.forEach(({ ends, score }, i) => {
    const behind = score - best[0].score;
    body.append(element("tr", {}, numeral(i + 1), element("td", {}, words(spansOf(ends), first)),
      numeral(number(score)), numeral(i ? number(behind) : "—")));
  });
  $("best").replaceChildren(heading([say("rank"), "number"], [say("path")], [say("score"), "number"], [say("behind"), "number"]), body);
}
