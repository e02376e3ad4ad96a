// Helpers: elements, numbers, values stored in the browser.  Text becomes text nodes only: input of a
// visitor is never parsed as markup.
export const $ = (id) => document.getElementById(id);

const filledElement = (node, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};
export const element = (name, attributes = {}, ...children) =>
  filledElement(document.createElement(name), attributes, children);
export const svgElement = (name, attributes = {}, ...children) =>
  filledElement(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

export const number = (value, digits = 2) =>
  value === null || value === undefined ? "—" : value.toFixed(digits).replace("-", "−");

// blanks and line ends as visible signs
export const visible = (text) =>
  text.replace(/\n/g, "⏎").replace(/\r/g, "␍").replace(/\t/g, "⇥").replace(/ /g, "␣");

export const key = (span) => `${span[0]}-${span[1]}`;

export const remembered = (name, value) => {
  try {  // a page from a file may have no storage
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch { return null; }
};

// One tab stop for many elements, between which the arrow keys move.
export function rove(parent, selector) {
  const elements = [...parent.querySelectorAll(selector)];
  elements.forEach((node, i) => { node.tabIndex = i ? -1 : 0; });
  parent.onkeydown = (event) => {
    const index = elements.indexOf(event.target.closest?.(selector));
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const target = event.key === "Home" ? 0 : event.key === "End" ? elements.length - 1 : index + step;
    if (index < 0 || !(target in elements)) return;
    event.preventDefault();
    elements[index].tabIndex = -1;
    elements[target].tabIndex = 0;
    elements[target].focus();
  };
}

// Makes boxes that scroll tab stops, so that keys can scroll them.
export function stopWhereItScrolls() {
  for (const node of document.querySelectorAll(".scroll, #board"))
    if (node.scrollWidth > node.clientWidth) node.tabIndex = 0; else node.removeAttribute("tabindex");
}

export const numeral = (value) => element("td", { class: "number" }, value);

export const heading = (...names) => {
  const row = element("tr");
  for (const [name, type] of names)
    row.append(name === "" ? element("td") : element("th", { class: type ?? "", scope: "col" }, name));
  return element("thead", {}, row);
};
