// The word graph: arcs with costs, and at most five paths.
import { $, element, key, number, svgElement, visible } from "./dom.js";
import { MARKS, colour, decoder, state, word } from "./state.js";
import { kindOf, say, sayHow } from "./translations.js";
import { link } from "./link.js";

const CELLS = [42, 190];  // pixels per character: seven fit a phone, and use the width of a screen
const NARROW = 64;        // pixels per character with no room for a sign beside a cost
const OVER = 4.4;         // pixels between paths on one arc
const MARGIN = 36;        // pixels left and right of the first and last boundary, together

let arcs = [];     // arcs that can be selected, in the order of keys
let current = -1;  // the selected arc
let cell = CELLS[0];

const height = (length) => (8 + 23 * Math.min(length, 6) + 9 * Math.max(0, Math.min(length, 16) - 6) + Math.max(0, length - 16))
  * (cell < NARROW ? 1.3 : Math.min(1.8, cell / 50));

function arcPath(span, base, lift = 0) {
  const [x1, x2] = [span[0] * cell, span[1] * cell];
  const top = base - ((height(span[1] - span[0]) + lift) * 4) / 3;
  return `M${x1},${base} C${x1},${top} ${x2},${top} ${x2},${base}`;
}

// What stands on each arc: the costs of the lattice, or of an n-gram decoder: on its path after the
// words before it, elsewhere after the word that makes it cheapest.
function costsOnArcs() {
  const ngrams = state.picture.ngrams[state.costs];
  if (!ngrams) return new Map(state.picture.edges.map((e) => [key([e.start, e.end]), number(e.cost)]));
  const found = new Map(ngrams.edges.map((e) => [key([e.start, e.end]), e.after.length ? `≥${number(e.after[0][1])}` : ""]));
  if (ngrams.along)
    decoder(state.costs).spans.forEach((span, i) => found.set(key(span), number(ngrams.along[i])));
  return found;
}

// What stands under the top of an arc, in the room that it has to itself: signs of paths beside the
// cost, or in lines of their own where both do not fit.  `high`: of the arc; `length`: in characters
// of `wide` pixels, the next of which may have a label of its own.
export function arcLabel(x, base, high, length, wide, cost, signs = "", kind = "cost") {
  const narrow = wide < NARROW;
  const [digit, sign, line] = narrow ? [6, 8.5, 9] : [7, 13, 13];
  const room = Math.min(0.66 * length, 1) * wide - 6;
  const rows = [];
  if (!narrow && signs && cost && digit * cost.length + sign * (signs.length + 1) <= room) rows.push([`${signs} ${cost}`, kind]);
  else {
    if (cost) rows.push([cost, kind]);
    const most = narrow ? 4 : Math.max(1, Math.floor(room / sign));
    for (let i = 0; i < signs.length; i += most) rows.push([signs.slice(i, i + most), "sign"]);
  }
  // an arc over one narrow character is wide enough at half its height only
  const top = base - (narrow && length === 1 ? 0.42 * high + 4 * (rows.length - 1) : high - line - 4);
  return rows.map(([text, name], i) => svgElement("text", { class: `${name}${narrow ? " small" : ""}`, x, y: top + i * line }, text));
}

export function drawGraph() {
  const { picture, shown, selected } = state;
  const n = picture.characters.length;
  const was = current >= 0 && arcs[current] ? arcs[current].span : null;
  cell = Math.max(CELLS[0], Math.min(CELLS[1], Math.floor(($("drawing").clientWidth - MARGIN) / Math.max(1, n))));
  const paths = new Map();  // span -> decoders whose path it is on, of those shown
  for (const d of [...shown.keys()].map(decoder).filter(Boolean))
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
  const most = Math.max(0, ...[...paths.values()].map((p) => p.length));
  const base = height(longest) + OVER * most + 8;
  const withSums = picture.costs && state.costs === "unigram";
  const width = Math.max(n * cell, 60) + MARGIN;
  const total = base + (withSums ? 66 : 54);
  const svg = svgElement("svg", { width, height: total, viewBox: `${-MARGIN / 2} 0 ${width} ${total}`, role: "img", id: "graph" });
  svg.append(svgElement("title", {}, picture.text));

  const chosen = decoder(selected);
  for (const [a, b] of chosen.spans)
    svg.append(svgElement("rect", { class: "frame", x: a * cell + 2, y: base + 4, width: (b - a) * cell - 4, height: 30, rx: 5 }));
  arcs = [];
  const linked = [];
  const costs = costsOnArcs();
  const under = svgElement("g"), over = svgElement("g"), labels = svgElement("g"), targets = svgElement("g", { "data-aid": "" });
  for (const span of spans) {
    const edge = edges.get(key(span));
    const on = paths.get(key(span)) ?? [];
    if (!edge && !on.length) continue;
    if ($("onlyPath").checked && !on.length) continue;
    const group = svgElement("g", { class: "edge" });
    const kind = !edge ? "missing" : edge.kind === "user" ? "user" : edge.kind === "word" ? "" : "rule";
    if (!on.length) {
      group.append(svgElement("path", { class: `arc ${kind}`, d: arcPath(span, base) }));
      under.append(group);
    } else {
      on.forEach((d, i) => {
        const slot = shown.get(d.name);
        const path = svgElement("path", { class: "arc on-path", d: arcPath(span, base, OVER * i) });
        path.style.stroke = colour(slot);
        path.style.strokeDasharray = MARKS[slot].dashes;
        group.append(path);
      });
      over.append(group);
    }
    const target = svgElement("path", { class: "target", d: arcPath(span, base, (OVER / 2) * Math.max(0, on.length - 1)) });
    const index = arcs.length;
    target.addEventListener("pointerenter", () => select(index));
    target.addEventListener("click", () => select(index));
    targets.append(target);
    linked.push([...span, group]);
    const signs = shown.size > 1 && on.length < shown.size ? on.map((d) => MARKS[shown.get(d.name)].sign).join("") : "";
    const cost = $("showCosts").checked ? costs.get(key(span)) ?? "" : "";
    if (signs || cost) {
      const said = `${cost}${kind === "user" ? "★" : ""}`;
      labels.append(...arcLabel(((span[0] + span[1]) / 2) * cell, base, height(span[1] - span[0]), span[1] - span[0], cell,
        said, signs, on.length ? "cost bold" : "cost"));
    }
    arcs.push({ span, edge, group });
  }
  svg.append(under, over, labels);

  picture.characters.forEach((character, k) => {
    const text = svgElement("text", { class: "character", x: (k + 0.5) * cell, y: base + 27 }, visible(character));
    svg.append(text);
    linked.push([k, k + 1, text]);
  });
  for (let k = 0; k <= n; k++) {
    svg.append(svgElement("circle", { class: "node", cx: k * cell, cy: base, r: 2.6 }));
    if (n <= 40 || k % 5 === 0) svg.append(svgElement("text", { class: "offset", x: k * cell, y: base + 46 }, k));
    if (withSums && picture.costs[k] !== null) svg.append(svgElement("text", { class: "so-far", x: k * cell, y: base + 59 }, number(picture.costs[k])));
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
  if (was && was[1] <= n) selectSpan(was);
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
  const on = state.picture.decoders.filter((d) => d.spans.some((s) => key(s) === key(span))).map((d) => d.name);
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
  parts.push(...afterWords(span));
  parts.push(on.length ? say("onPathOf", { names: on.join(say("listed")) }) : say("noPath"));
  $("detail").replaceChildren(element("b", {}, visible(word(span))), `  ${parts.join(" · ")}`);
}

// What the word costs after the words that may stand before it, where such costs are shown.
function afterWords(span) {
  const ngrams = state.picture.ngrams[state.costs];
  const found = ngrams?.edges.find((e) => e.start === span[0] && e.end === span[1]);
  return (found?.after ?? []).map(([before, cost]) => {
    const e = ngrams.edges[before];
    return say("after", { word: e ? visible(word([e.start, e.end])) : say("beginning"), cost: number(cost) });
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
    const from = arcs[Math.max(0, current)];
    const wanted = event.key === "ArrowUp" ? 1 : -1;
    const same = arcs.map((a, i) => [a, i]).filter(([a]) => a.span[0] === from.span[0] && (size(a) - size(from)) * wanted > 0);
    same.sort(([a], [b]) => (size(a) - size(b)) * wanted);
    if (same.length) next = same[0][1];
  } else return;
  event.preventDefault();
  if (next < 0) next = 0;
  select(next);
  const drawing = $("drawing");
  const x = arcs[next].span[0] * cell;
  if (x < drawing.scrollLeft || x > drawing.scrollLeft + drawing.clientWidth - 2 * cell)
    drawing.scrollLeft = x - drawing.clientWidth / 2;
}
