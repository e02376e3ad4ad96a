// The decoders beside each other, and the best paths of the one that is chosen.
import { $, element, heading, key, number, numeral, svgElement, visible } from "./dom.js";
import { MARKS, choose, colour, decoder, samePath, show, state, word } from "./state.js";
import { aboutDecoder, partOfSpeech, say } from "./say.js";
import { drawGraph } from "./graph.js";

function words(spans, reference, tags = null) {
  const path = element("span", { class: "path" });
  spans.forEach((span, i) => {
    if (i) path.append(element("span", { class: "bar" }, "/"));
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
  document.querySelector(`#decoders tr[data-name="${CSS.escape(name)}"] input[type=${type}]`).focus();

export function drawDecoders() {
  const { picture, selected, shown } = state;
  const reference = new Set(decoder(selected).spans.map(key));
  const body = element("tbody");
  const tags = $("showPos").checked;
  for (const d of picture.decoders) {
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
    const path = element("td", {}, words(d.spans, reference, tags ? d.pos : null));
    if (d.before && !samePath(d.before, d.spans))
      path.append(element("span", { class: "was" }, say("was"), words(d.before, new Set(d.spans.map(key)))));
    const name = element("td", {}, `${slot === undefined ? "" : `${MARKS[slot].sign} `}${d.name}`, sample(slot),
      element("span", { class: "was" }, aboutDecoder(d.name)));
    const row = element("tr", { class: d.name === selected ? "chosen" : "", "data-name": d.name },
      element("td", { class: "narrow" }, radio), element("td", { class: "narrow" }, box), name, path,
      numeral(d.spans.length), numeral(number(d.cost)), numeral(number(d.score)));
    row.addEventListener("click", (event) => { if (!event.target.closest("input")) choose(d.name); });
    body.append(row);
  }
  $("decoders").replaceChildren(
    heading([say("compare"), "narrow"], [say("draw"), "narrow"], [say("name")], [say("path")],
      [say("count"), "number"], [say("cost"), "number"], [say("score"), "number"]), body);
  $("fullNote").hidden = shown.size < MARKS.length;
  drawBest();
}

// The n best of the chosen decoder: how far each is behind the first, and where it differs.
function drawBest() {
  const chosen = decoder(state.selected);
  const best = chosen.best ?? [];
  $("bestNone").hidden = best.length > 0;
  $("best").hidden = best.length === 0;
  $("bestTitle").textContent = say("best", { name: chosen.name });
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
