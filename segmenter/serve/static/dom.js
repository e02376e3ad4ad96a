// Small helpers: elements, numbers, values stored in the browser.  Text only becomes text nodes:
// input of a visitor is never parsed as markup.
export const $ = (id) => document.getElementById(id);

const filledElement = (e, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
};
export const element = (name, attributes = {}, ...children) =>
  filledElement(document.createElement(name), attributes, children);
export const svgElement = (name, attributes = {}, ...children) =>
  filledElement(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

export const number = (value, digits = 2) =>
  value === null || value === undefined ? "—" : value.toFixed(digits).replace("-", "−");

// blanks and line ends as signs that can be seen
export const visible = (text) =>
  text.replace(/\n/g, "⏎").replace(/\r/g, "␍").replace(/\t/g, "⇥").replace(/ /g, "␣");

export const key = (span) => `${span[0]}-${span[1]}`;

export const remembered = (name, value) => {
  try {  // a page from a file may have no storage
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch { return null; }
};

// One tab stop for many elements: the arrow keys go from one to the next.
export function rove(parent, selector) {
  const all = [...parent.querySelectorAll(selector)];
  all.forEach((e, i) => { e.tabIndex = i ? -1 : 0; });
  parent.onkeydown = (event) => {
    const at = all.indexOf(event.target.closest?.(selector));
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : at + step;
    if (at < 0 || !(to in all)) return;
    event.preventDefault();
    all[at].tabIndex = -1;
    all[to].tabIndex = 0;
    all[to].focus();
  };
}

// What scrolls can be scrolled by keys; what does not is no tab stop.
export function stopWhereItScrolls() {
  for (const e of document.querySelectorAll(".scroll, #board"))
    if (e.scrollWidth > e.clientWidth) e.tabIndex = 0; else e.removeAttribute("tabindex");
}

export const numeral = (value) => element("td", { class: "number" }, value);

export const heading = (...names) => {
  const row = element("tr");
  for (const [name, type] of names)
    row.append(name === "" ? element("td") : element("th", { class: type ?? "", scope: "col" }, name));
  return element("thead", {}, row);
};
