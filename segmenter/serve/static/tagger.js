// The scores of a tagger: tags of every character, transitions, shares of a network, features.
import { $, element, heading, number, numeral, rove, visible } from "./dom.js";
import { decoder, state, word } from "./state.js";
import { featureName, say } from "./translations.js";
import { link } from "./link.js";

// The scores to show: all, or one of the two shares of a network.
function scoresOf(tagger) {
  const part = $("share").value;
  if (!tagger.linear || part === "all") return tagger.scores;
  return tagger.scores.map((row, k) => row.map((value, t) => {
    const linear = tagger.linear[k][t] ?? 0;
    return value === null ? null : part === "linear" ? linear : value - linear;
  }));
}

export function drawTagger() {
  const { picture } = state;
  $("taggerSection").hidden = !picture.taggers.length || !picture.characters.length;
  if ($("taggerSection").hidden) return;
  const tagger = picture.taggers.find((t) => t.name === $("tagger").value) ?? picture.taggers[0];
  $("tagger").value = tagger.name;
  $("shareLabel").hidden = !tagger.linear;
  const d = decoder(tagger.name);
  const rows = [];
  const head = element("tr", {}, element("td"));
  picture.characters.forEach((character, k) => {
    const button = element("button", { type: "button", class: "character", "aria-label": say("featuresOf", { character: visible(character) }) }, visible(character));
    const choose = () => {
      state.character = k;
      for (const b of document.querySelectorAll("#scores button.character")) b.setAttribute("aria-pressed", b === button);
      drawFeatures(tagger);
    };
    button.setAttribute("aria-pressed", k === state.character);
    button.addEventListener("click", choose);
    button.addEventListener("focus", choose);
    const cell = element("th", { scope: "col" }, tagger.features ? button : visible(character));
    head.append(cell);
    rows.push([k, k + 1, cell]);
  });
  const body = element("tbody");
  const top = element("tr", { class: "word" }, element("td"));
  d.spans.forEach((span) => top.append(element("td", { colspan: span[1] - span[0] }, element("span", {}, visible(word(span))))));
  body.append(top);
  const table = scoresOf(tagger);
  const finite = table.flat().filter((v) => v !== null);
  const spread = Math.max(1e-9, Math.max(...finite) - Math.min(...finite));
  tagger.tags.forEach((tag, t) => {
    const row = element("tr", {}, element("th", { scope: "row" }, tag));
    table.forEach((scores, k) => {
      const value = scores[t];
      const best = tagger.path[k] === t;
      const cell = element("td", { class: (best ? "best" : "") + (value === null ? " never" : "") }, number(value));
      if (value !== null) {
        const highest = Math.max(...scores.filter((v) => v !== null));
        const share = Math.round(40 * Math.exp((6 * (value - highest)) / spread));
        cell.style.background = `color-mix(in srgb, var(--accent) ${share}%, var(--ground))`;
      }
      row.append(cell);
    });
    body.append(row);
  });
  const steps = element("tr", {}, element("th", { scope: "row" }, say("stepTransition")));
  const sums = element("tr", {}, element("th", { scope: "row" }, say("stepSum")));
  const gaps = new Set();  // characters between stretches: blanks and line ends
  d.spans.forEach((span, i) => {
    if (d.sources[i] === "rule" && /^\s+$/.test(word(span))) for (let k = span[0]; k < span[1]; k++) gaps.add(k);
  });
  let sum = 0;
  tagger.path.forEach((t, k) => {
    const begins = k === 0 || gaps.has(k - 1);
    const step = gaps.has(k) ? 0 : begins ? tagger.start[t] : tagger.transitions[tagger.path[k - 1]][t];
    sum += (step ?? 0) + (tagger.scores[k][t] ?? 0);
    steps.append(element("td", { class: "never" }, number(step)));
    sums.append(element("td", {}, number(sum)));
  });
  if ($("share").value === "all" || !tagger.linear) body.append(steps, sums);
  $("scores").replaceChildren(element("thead", {}, head), body);
  rove($("scores"), "button.character");
  link("tagger", rows);
  $("taggerSum").textContent = say("total", { score: number(d.score) });
  const matrix = element("tbody");
  tagger.transitions.forEach((row, a) => {
    matrix.append(element("tr", {}, element("th", { scope: "row" }, `${tagger.tags[a]} →`),
      ...row.map((value) => element("td", { class: value === null ? "never" : "" }, number(value)))));
  });
  $("transitions").replaceChildren(heading([""], ...tagger.tags.map((t) => [t])), matrix);
  drawFeatures(tagger);
}

const numerals = (name, values, type = "") =>
  element("tr", { class: type }, element("th", { scope: "row" }, name), ...values.map((v) => numeral(number(v))));

// The features at one character, those with the largest weights first.
function drawFeatures(tagger) {
  $("featuresBox").hidden = !tagger.features;
  if (!tagger.features) return;
  const k = Math.min(state.character, tagger.features.length - 1);
  $("featuresTitle").textContent = say("featuresOf", { character: visible(state.picture.characters[k]) });
  $("featuresWeight").hidden = !tagger.linear;
  if (tagger.linear) $("featuresWeight").textContent = say("featuresWeight", { weight: number(tagger.linear_weight) });
  const body = element("tbody");
  const magnitude = (f) => Math.max(...f.weights.map(Math.abs));
  const sums = tagger.tags.map(() => 0);
  for (const f of [...tagger.features[k]].sort((a, b) => magnitude(b) - magnitude(a))) {
    f.weights.forEach((w, t) => { sums[t] += w; });
    body.append(numerals(featureName(f), f.weights));
  }
  body.append(numerals(say("featuresSum"), sums, "sum"));
  $("features").replaceChildren(heading([say("feature")], ...tagger.tags.map((t) => [t, "number"])), body);
}
