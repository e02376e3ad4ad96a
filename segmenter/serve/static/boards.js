// Draws the state of an algorithm at a step, from this step and all steps before it.
import { $, element, heading, key, number, numeral, svgElement, visible } from "./dom.js";
import { arcLabel } from "./graph.js";
import { say } from "./translations.js";

const BOARD_CELLS = [42, 190];  // least and largest pixels per character
const ROW = 46;           // pixels per row of tags

const cellFor = (n, margin) =>
  Math.max(BOARD_CELLS[0], Math.min(BOARD_CELLS[1], Math.floor(($("board").clientWidth - margin) / Math.max(1, n))));

// --- the word graph --------------------------------------------------------------------------

function graphState(steps, upTo) {
  const s = { costs: new Map([[0, 0]]), back: new Map(), settled: new Set(), frontier: new Map(), path: [], examined: [], node: null, taken: [], rows: null };
  for (let i = 0; i <= upTo; i++) {
    const step = steps[i];
    s.examined = []; s.node = null; s.rows = null;
    switch (step.do) {
      case "look": s.examined = step.edges; s.node = step.at; break;
      case "take": s.taken.push(step.edge); break;
      case "turn": s.taken = []; break;
      case "versus": s.examined = step.winner; s.path.push(...step.winner); break;
      case "compare": s.examined = [step.edge]; s.node = step.edge[1]; break;
      case "settle": s.costs.set(step.node, step.cost); s.back.set(step.node, step.edge); s.settled.add(step.node); s.node = step.node; break;
      case "back": s.path.push(step.edge); s.node = step.node; break;
      case "pop": s.costs.set(step.node, step.distance); s.settled.add(step.node); s.node = step.node; s.frontier = new Map(step.frontier.map(([d, k]) => [k, d])); break;
      case "relax":
        s.examined = [step.edge];
        if (step.how !== "no") { s.back.set(step.edge[1], step.edge); s.frontier.set(step.edge[1], step.distance); }
        break;
      case "list": s.node = step.node; s.costs.set(step.node, step.rows[0][0]); s.rows = step.rows.map((r) => [r[0], null, r[1]]); break;
      case "rank": s.rows = step.rows; s.path.push(...step.rows[step.chosen][2]); break;
      case "done": s.path = step.path; break;
    }
  }
  return s;
}

export function graphBoard(trace, index, w) {
  const s = graphState(trace.steps, index);
  const n = w.length;
  const longest = Math.max(1, ...trace.edges.map(([a, b]) => b - a));
  const cell = cellFor(n, 44);
  const high = (length) => (12 + 22 * Math.min(length, 6) + 8 * Math.max(0, length - 6)) * Math.min(1.6, Math.max(1, cell / 58));
  const base = high(longest) + 8;
  const width = Math.max(1, n) * cell + 40, height = base + 62;
  const svg = svgElement("svg", { width, height, viewBox: `-20 0 ${width} ${height}`, role: "img" });
  svg.append(svgElement("title", {}, say("playerBoard")));
  const examined = new Set(s.examined.map(key)), path = new Set(s.path.map(key)), taken = new Set(s.taken.map(key));
  const back = new Set([...s.back.values()].map(key));
  const rank = ([a, b]) => { const k = key([a, b]); return path.has(k) ? 2 : examined.has(k) ? 3 : taken.has(k) || back.has(k) ? 1 : 0; };
  const labels = svgElement("g");
  const edges = [...trace.edges].sort((a, b) => rank(a) - rank(b));
  for (const [a, b, cost] of edges) {
    const style = ["", "kept", "won", "looked"][rank([a, b])];
    const top = base - (high(b - a) * 4) / 3;
    svg.append(svgElement("path", { class: `step-arc ${style}`, d: `M${a * cell},${base} C${a * cell},${top} ${b * cell},${top} ${b * cell},${base}` }));
    if (rank([a, b]) > 0 || n <= 12)
      labels.append(...arcLabel(((a + b) / 2) * cell, base, high(b - a), b - a, cell, number(cost)));
  }
  svg.append(labels);
  for (let k = 0; k < n; k++)
    svg.append(svgElement("text", { class: "character", x: (k + 0.5) * cell, y: base + 30 }, visible(w.at(k))));
  for (let k = 0; k <= n; k++) {
    const style = k === s.node ? "current" : s.settled.has(k) ? "settled" : s.frontier.has(k) ? "waits" : "";
    svg.append(svgElement("circle", { class: `step-node ${style}`, cx: k * cell, cy: base, r: style ? 6 : 3.5 }));
    const cost = s.costs.get(k) ?? s.frontier.get(k);
    svg.append(svgElement("text", { class: "offset", x: k * cell, y: base + 20 }, k));
    if (cost !== undefined && s.costs.size > 1)
      svg.append(svgElement("text", { class: "so-far", x: k * cell, y: base + 50 }, Number.isInteger(cost) ? cost : number(cost)));
  }
  const parts = [svg];
  if (s.rows) {
    const body = element("tbody");
    s.rows.forEach(([length, cost, spans], i) => body.append(element("tr", {},
      numeral(i + 1), element("td", {}, spans.map(w).join("/")), numeral(length), numeral(number(cost)))));
    parts.push(boardTable([["rank", "number"], ["path"], ["words_", "number"], ["costOf", "number"]], body));
  }
  return parts;
}

const boardTable = (names, body) =>
  element("table", { class: "board-table" }, heading(...names.map(([name, type]) => [say(name), type])), body);

// --- the trellis of tags ---------------------------------------------------------------------

export function trellisBoard(trace, index, w) {
  const { tags, scores, steps } = trace;
  const n = w.length, left = 30, top = 40;
  const cellWidth = Math.max(60, Math.min(90, cellFor(n, left + 24)));  // wide enough for a sum
  const x = (k) => left + (k + 0.5) * cellWidth, y = (t) => top + (t + 0.5) * ROW;
  const width = left + n * cellWidth + 20, height = top + tags.length * ROW + 10;
  const svg = svgElement("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  svg.append(svgElement("title", {}, say("playerBoard")));
  const sums = new Map(), back = new Map(), path = new Set();
  let cell = null;
  for (let i = 0; i <= index; i++) {
    const step = steps[i];
    cell = null;
    if (step.do === "cell") { cell = step; sums.set(`${step.at},${step.tag}`, step.sum); back.set(`${step.at},${step.tag}`, step.back); }
    if (step.do === "back") path.add(`${step.at},${step.tag}`);
    if (step.do === "end") cell = { at: step.at, tag: step.tag, from: [] };
  }
  const line = (k, u, t, style) => svgElement("line", { class: `step-line ${style}`, x1: x(k - 1), y1: y(u), x2: x(k), y2: y(t) });
  for (const [name, u] of back) {
    const [k, t] = name.split(",").map(Number);
    if (u >= 0) svg.append(line(k, u, t, path.has(name) && path.has(`${k - 1},${u}`) ? "won" : "kept"));
  }
  for (const [u] of cell?.from ?? []) if (u >= 0) svg.append(line(cell.at, u, cell.tag, u === cell.back ? "looked best" : "looked"));
  tags.forEach((tag, t) => svg.append(svgElement("text", { class: "character tag-name", x: 14, y: y(t) + 6 }, tag)));
  for (let k = 0; k < n; k++) {
    svg.append(svgElement("text", { class: "character", x: x(k), y: 26 }, visible(w.at(k))));
    tags.forEach((_, t) => {
      const name = `${k},${t}`;
      const ruledOut = scores[k][t] === null;
      const style = path.has(name) ? "won" : cell && cell.at === k && cell.tag === t ? "looked" : sums.has(name) ? "kept" : ruledOut ? "never" : "";
      svg.append(svgElement("rect", { class: `step-cell ${style}`, x: x(k) - 25, y: y(t) - 14, width: 50, height: 28, rx: 7 }));
      svg.append(svgElement("text", { class: "step-value", x: x(k), y: y(t) + 4 }, ruledOut ? "—" : sums.has(name) ? number(sums.get(name), 1) : ""));
    });
  }
  return [svg];
}

// --- rows of pieces, and tables of them --------------------------------------------------------

function chips(row, index = -1) {
  const list = element("div", { class: "pieces" });
  row.forEach(([, , text, id], i) => {
    const chip = element("span", { class: `piece ${i === index ? "looked" : ""}` }, visible(text));
    if (id !== undefined) chip.append(element("small", {}, id));
    list.append(chip);
  });
  return list;
}

export function rowBoard(trace, index) {
  let row = [], step = trace.steps[index];
  for (let i = 0; i <= index; i++) row = trace.steps[i].row ?? row;
  const parts = [chips(row, step.do === "merge" ? step.at : -1)];
  if (step.do === "pairs") {
    const body = element("tbody");
    step.rows.forEach(([rank, a, b], i) => body.append(element("tr", { class: i ? "" : "chosen" },
      numeral(rank), element("td", {}, `${visible(a)} + ${visible(b)}`))));
    parts.push(boardTable([["rankOf", "number"], ["pair"]], body));
  }
  return parts;
}

export function tableBoard(trace, index) {
  let rows = [], losses = false;
  for (let i = 0; i <= index; i++) {
    const step = trace.steps[i];
    if (step.rows) { rows = step.rows; losses = step.do === "losses"; }
    if (step.do === "seeds") rows = [...step.rows, ...(trace.steps[0].rows ?? [])];
    if (step.do === "prune") rows = rows.map((r) => [r[0], r[1], step.removed.includes(r[0])]);
  }
  const body = element("tbody");
  for (const [piece, value, removed] of rows)
    body.append(element("tr", { class: removed ? "gone" : "" }, element("td", {}, removed ? element("del", {}, piece) : piece),
      numeral(value === null ? "∞" : number(value, 3)), element("td", {}, removed ? say("removed") : "")));
  const last = trace.steps[index];
  const parts = last.do === "done" && last.row ? [chips(last.row)] : [];
  if (rows.length) parts.push(element("div", { class: "tall" }, boardTable([["piece"], [losses ? "loss" : "value", "number"], ["removed"]], body)));
  return parts;
}
