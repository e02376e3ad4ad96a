// Highlights words, arcs, subword pieces and tags of the same characters together.
const linkedRows = new Map();  // name of a part of the page -> rows of start, end, element
let highlighted = [];

// Replaces the elements of a part of the page: rows of [start, end, element].
export function link(part, rows) {
  linkedRows.set(part, rows);
  for (const [start, end, e] of rows) {
    e.addEventListener("pointerenter", () => mark(start, end));
    // lifting a finger keeps the highlight
    e.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") unmark(); });
  }
}

export function unmark() {
  for (const e of highlighted) e.classList.remove("linked");
  highlighted = [];
}

export function mark(start, end) {
  unmark();
  for (const rows of linkedRows.values()) {
    // rows are sorted by start, except nested ones, which begin at most 64 characters earlier
    for (const [a, b, e] of rows) {
      if (a >= end && a > start + 64) break;
      if (a < end && b > start) {
        e.classList.add("linked");
        highlighted.push(e);
      }
    }
  }
}
