// Words, arcs, subword pieces and tags of the same characters are highlighted together.
const places = new Map();  // name of a part of the page -> rows of start, end, element
let marked = [];

// The elements of a part, instead of those it had: rows of [start, end, element].
export function link(part, rows) {
  places.set(part, rows);
  for (const [start, end, e] of rows) {
    e.addEventListener("pointerenter", () => mark(start, end));
    // a finger that is lifted leaves what it pointed at
    e.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") unmark(); });
  }
}

export function unmark() {
  for (const e of marked) e.classList.remove("linked");
  marked = [];
}

export function mark(start, end) {
  unmark();
  for (const rows of places.values()) {
    // rows are in the order of their starts, but for nested ones: look from where they can begin
    for (const [a, b, e] of rows) {
      if (a >= end && a > start + 64) break;
      if (a < end && b > start) {
        e.classList.add("linked");
        marked.push(e);
      }
    }
  }
}
