// Small helpers: elements, numbers, what the browser remembers.  Text only ever becomes text nodes:
// nothing a visitor types is read as markup.
export const $ = (id) => document.getElementById(id);

export const element = (name, attributes = {}, ...children) => {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
};

export const svgElement = (name, attributes = {}, text = null) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== null) e.textContent = text;
  return e;
};

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

export const heading = (...names) => {
  const row = element("tr");
  for (const [name, type] of names)
    row.append(name === "" ? element("td") : element("th", { class: type ?? "", scope: "col" }, name));
  return element("thead", {}, row);
};
