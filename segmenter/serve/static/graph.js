// The word graph: arcs with costs, and at most five paths.
import { $, element, key, number, svgElement, visible } from "./dom.js";
import { MARKS, colour, decoder, state, word } from "./state.js";
import { kindOf, say, sayHow } from "./translations.js";
import { link } from "./link.js";

const CELLS = [42, 190];  // least and largest pixels per character: a phone fits seven
const NARROW = 64;        // pixels per character below which signs do not fit beside a cost
const PATH_GAP = 4.4;     // pixels between paths on one arc
const MARGIN = 36;        // pixels outside the first and last boundary, both sides together

let arcs = [];     // selectable arcs in the order of the arrow keys
let current = -1;  // the selected arc
let cell = CELLS[0];

const height = (length) => (8 + 23 * Math.min(length, 6) + 9 * Math.max(0, Math.min(length, 16) - 6) + Math.max(0, length - 16))
  * (cell < NARROW ? 1.3 : Math.min(1.8, cell / 50));

function arcPath(span, base, lift = 0) {
  const [x1, x2] = [span[0] * cell, span[1] * cell];
  const top = base - ((height(span[1] - span[0]) + lift) * 4) / 3;
  return `M${x1},${base} C${x1},${top} ${x2},${top} ${x2},${base}`;
}

// The costs on the arcs: those of the lattice, or of an n-gram decoder: after the preceding words for
// arcs on its path, after the cheapest predecessor for the others.
function costsOnArcs() {
  const ngrams = state.picture.ngrams[state.costs];
  if (!ngrams) return new Map(state.picture.edges.map((e) => [key([e.start, e.end]), number(e.cost)]));
  const labels = new Map(ngrams.edges.map((e) => [key([e.start, e.end]), e.after.length ? `≥${number(e.after[0][1])}` : ""]));
  if (ngrams.along)
    decoder(state.costs).spans.forEach((span, i) => labels.set(key(span), number(ngrams.along[i])));
  return labels;
}

// The label under the top of an arc: signs of paths beside the cost, or in lines of their own if both do
// not fit.  `high` is the height of the arc, `length` its characters, each `wide` pixels.
export function arcLabel(x, base, high, length, wide, cost, signs = "", kind = "cost") {
  const narrow = wide < NARROW;
  const [digit, sign, line] = narrow ? [6, 8.5, 9] : [7, 13, 13];
  const room = Math.min(0.66 * length, 1) * wide - 6;
  const rows = [];
  if (!narrow && signs && cost && digit * cost.length + sign * (signs.length + 1) <= room) rows.push([`${signs} ${cost}`, kind]);
  else {
    if (cost) rows.push([cost, kind]);
    const perRow = narrow ? 4 : Math.max(1, Math.floor(room / sign));
    for (let i = 0; i < signs.length; i += perRow) rows.push([signs.slice(i, i + perRow), "sign"]);
  }
  // an arc over one narrow character is wide enough only at half its height
  const top = base - (narrow && length === 1 ? 0.42 * high + 4 * (rows.length - 1) : high - line - 4);
  return rows.map(([text, name], i) => svgElement("text", { class: `${name}${narrow ? " small" : ""}`, x, y: top + i * line }, text));
}

export function drawGraph() {
  const { picture, slots, selected } = state;
  const n = picture.characters.length;
  const previousSpan = current >= 0 && arcs[current] ? arcs[current].span : null;
  cell = Math.max(CELLS[0], Math.min(CELLS[1], Math.floor(($("drawing").clientWidth - MARGIN) / Math.max(1, n))));
  const paths = new Map();  // span -> drawn decoders with it on their paths
  for (const d of [...slots.keys()].map(decoder).filter(Boolean))
    for (const span of d.spans) {
      if (!paths.has(key(span))) paths.set(key(span), []);
      paths.get(key(span)).push(d);
    }
  const edges = new Map(picture.edges.map((e) => [key([e.start, e.end]), e]));
  const spans = picture.edges.map((e) => [e.start, e.end]);
  for (const d of picture.decoders)
    for (const span of d.spans)
      if (!edges.has(key(span)) && !spans.some((s) => key(s) === key(span))) spans.push(span);
  spans.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const longest = Math.max(1, ...spans.map((s) => s[1] - s[0]));
  const maxPaths = Math.max(0, ...[...paths.values()].map((p) => p.length));
  const base = height(longest) + PATH_GAP * maxPaths + 8;
  const showSums = picture.costs && state.costs === "unigram";
  const width = Math.max(n * cell, 60) + MARGIN;
  const totalHeight = base + (showSums ? 66 : 54);
  const svg = svgElement("svg", { width, height: totalHeight, viewBox: `${-MARGIN / 2} 0 ${width} ${totalHeight}`, role: "img", id: "graph" });
  svg.append(svgElement("title", {}, picture.text));

  const chosen = decoder(selected);
  for (const [a, b] of chosen.spans)
    svg.append(svgElement("rect", { class: "frame", x: a * cell + 2, y: base + 4, width: (b - a) * cell - 4, height: 30, rx: 5 }));
  arcs = [];
  const linked = [];
  const costs = costsOnArcs();
  const background = svgElement("g"), foreground = svgElement("g"), labels = svgElement("g"), targets = svgElement("g", { "data-aid": "" });
  for (const span of spans) {
    const edge = edges.get(key(span));
    const decodersOn = paths.get(key(span)) ?? [];
    if (!edge && !decodersOn.length) continue;
    if ($("onlyPath").checked && !decodersOn.length) continue;
    const group = svgElement("g", { class: "edge" });
    const kind = !edge ? "missing" : edge.kind === "user" ? "user" : edge.kind === "word" ? "" : "rule";
    if (!decodersOn.length) {
      group.append(svgElement("path", { class: `arc ${kind}`, d: arcPath(span, base) }));
      background.append(group);
    } else {
      decodersOn.forEach((d, i) => {
        const slot = slots.get(d.name);
        const path = svgElement("path", { class: "arc on-path", d: arcPath(span, base, PATH_GAP * i) });
        path.style.stroke = colour(slot);
        path.style.strokeDasharray = MARKS[slot].dashes;
        group.append(path);
      });
      foreground.append(group);
    }
    const target = svgElement("path", { class: "target", d: arcPath(span, base, (PATH_GAP / 2) * Math.max(0, decodersOn.length - 1)) });
    const index = arcs.length;
    target.addEventListener("pointerenter", () => select(index));
    target.addEventListener("click", () => select(index));
    targets.append(target);
    linked.push([...span, group]);
    const signs = slots.size > 1 && decodersOn.length < slots.size ? decodersOn.map((d) => MARKS[slots.get(d.name)].sign).join("") : "";
    const cost = $("showCosts").checked ? costs.get(key(span)) ?? "" : "";
    if (signs || cost) {
      const label = `${cost}${kind === "user" ? "★" : ""}`;
      labels.append(...arcLabel(((span[0] + span[1]) / 2) * cell, base, height(span[1] - span[0]), span[1] - span[0], cell,
        label, signs, decodersOn.length ? "cost bold" : "cost"));
    }
    arcs.push({ span, edge, group });
  }
  svg.append(background, foreground, labels);

  picture.characters.forEach((character, k) => {
    const text = svgElement("text", { class: "character", x: (k + 0.5) * cell, y: base + 27 }, visible(character));
    svg.append(text);
    linked.push([k, k + 1, text]);
  });
  for (let k = 0; k <= n; k++) {
    svg.append(svgElement("circle", { class: "node", cx: k * cell, cy: base, r: 2.6 }));
    if (n <= 40 || k % 5 === 0) svg.append(svgElement("text", { class: "offset", x: k * cell, y: base + 46 }, k));
    if (showSums && picture.costs[k] !== null) svg.append(svgElement("text", { class: "so-far", x: k * cell, y: base + 59 }, number(picture.costs[k])));
  }
  svg.append(targets);

  const drawing = $("drawing");
  const scrolled = drawing.scrollLeft;
  drawing.replaceChildren(svg);
  drawing.scrollLeft = scrolled;
  current = -1;
  $("detail").textContent = sayHow("point");
  linked.sort((a, b) => a[0] - b[0]);
  link("graph", linked);
  if (previousSpan && previousSpan[1] <= n) selectSpan(previousSpan);
}

function selectSpan(span) {
  const index = arcs.findIndex((a) => key(a.span) === key(span));
  if (index >= 0) select(index);
}

function select(index) {
  if (current >= 0 && arcs[current]) arcs[current].group.classList.remove("selected");
  current = index;
  const { span, edge, group } = arcs[index];
  group.classList.add("selected");
  $("graph").classList.add("pointed");
  const decodersOn = state.picture.decoders.filter((d) => d.spans.some((s) => key(s) === key(span))).map((d) => d.name);
  const parts = [`${span[0]}–${span[1]}`];
  if (!edge) parts.push(say("notAnEdge"));
  else {
    parts.push(`${say("costOf")} ${number(edge.cost, 3)} (p = ${Math.exp(-edge.cost).toExponential(1)})`);
    if (edge.kind === "user") parts.push(`${say("userWord")}, ${say("level")} ${edge.level}`);
    else if (edge.kind === "unknown") parts.push(say("unknown"));
    else if (edge.kind !== "word") parts.push(say("byRule", { kind: kindOf(edge.kind) }));
    if (edge.count !== undefined) parts.push(`${say("countOf")} ${Math.round(edge.count * 10) / 10}`);
    if (edge.tag) parts.push(`${say("tag")} ${edge.tag}`);
  }
  parts.push(...costsAfterWords(span));
  parts.push(decodersOn.length ? say("onPathOf", { names: decodersOn.join(say("listed")) }) : say("noPath"));
  $("detail").replaceChildren(element("b", {}, visible(word(span))), `  ${parts.join(" · ")}`);
}

// The costs of the word after its predecessors, if an n-gram decoder's costs are shown.
function costsAfterWords(span) {
  const ngrams = state.picture.ngrams[state.costs];
  const edge = ngrams?.edges.find((e) => e.start === span[0] && e.end === span[1]);
  return (edge?.after ?? []).map(([before, cost]) => {
    const previous = ngrams.edges[before];
    return say("after", { word: previous ? visible(word([previous.start, previous.end])) : say("beginning"), cost: number(cost) });
  });
}

export function moveByKey(event) {
  if (!arcs.length) return;
  const size = (a) => a.span[1] - a.span[0];
  let next = current;
  if (event.key === "ArrowRight") next = Math.min(arcs.length - 1, current + 1);
  else if (event.key === "ArrowLeft") next = Math.max(0, current - 1);
  else if (event.key === "Home") next = 0;
  else if (event.key === "End") next = arcs.length - 1;
  else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    const arc = arcs[Math.max(0, current)];
    const direction = event.key === "ArrowUp" ? 1 : -1;
    const candidates = arcs.map((a, i) => [a, i]).filter(([a]) => a.span[0] === arc.span[0] && (size(a) - size(arc)) * direction > 0);
    candidates.sort(([a], [b]) => (size(a) - size(b)) * direction);
    if (candidates.length) next = candidates[0][1];
  } else return;
  event.preventDefault();
  if (next < 0) next = 0;
  select(next);
  const drawing = $("drawing");
  const x = arcs[next].span[0] * cell;
  if (x < drawing.scrollLeft || x > drawing.scrollLeft + drawing.clientWidth - 2 * cell)
    drawing.scrollLeft = x - drawing.clientWidth / 2;
}
