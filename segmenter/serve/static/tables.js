// Tables of subword pieces and of the reasons for boundaries.
import { $, element, heading, numeral, visible } from "./dom.js";
import { decoder, state } from "./state.js";
import { kindOf, language, partOfSpeech, say, sourceOf } from "./translations.js";
import { translated } from "./say_errors.js";
import { link } from "./link.js";

export function drawPieces() {
  const { pieces } = state.picture;
  $("piecesSection").hidden = !pieces.length;
  const children = [], rows = [];
  for (const vocabulary of pieces) {
    const row = element("div", { class: "pieces" });
    for (const piece of vocabulary.pieces) {
      const chip = element("span", { class: "piece", title: `${piece.start}–${piece.end}` },
        visible(piece.text), element("small", {}, piece.id));
      row.append(chip);
      rows.push([piece.start, piece.end, chip]);
    }
    if (vocabulary.why) row.append(translated(vocabulary.why, language()));
    children.push(element("h3", {}, `${vocabulary.name} · ${vocabulary.pieces.length}`), row);
  }
  $("pieces").replaceChildren(...children);
  rows.sort((a, b) => a[0] - b[0]);
  link("pieces", rows);
}

export function drawWhy() {
  const { picture } = state;
  const { pos } = decoder(picture.chosen);
  $("why").closest("section").hidden = !picture.why.length;
  const body = element("tbody"), rows = [];
  picture.why.forEach((row, i) => {
    const line = element("tr", {},
      numeral(`${row.start}–${row.end}`), element("td", {}, visible(row.text)),
      element("td", {}, kindOf(row.kind)), element("td", {}, sourceOf(row.source)),
      element("td", {}, partOfSpeech(picture, pos[i])),
      element("td", {}, translated(row.why, language())), element("td", {}, row.rivals.join(" ")));
    body.append(line);
    rows.push([row.start, row.end, line]);
  });
  $("why").replaceChildren(heading([say("span"), "number"], [say("token")], [say("kind")], [say("source")],
    [say("tag")], [say("reason")], [say("over")]), body);
  link("why", rows);
  const missing = picture.missing.map((m) => `${m.name} (${translated(m.why, language())})`);
  $("footer").textContent = picture.fingerprint + (missing.length ? ` · ${say("missing")}${missing.join(", ")}` : "");
}
