// A drawing as a file: SVG with its styles, or PNG.
import { element, svgElement } from "./dom.js";
import { say } from "./translations.js";
import { note } from "./ask.js";

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
  "paint-order", "font-family", "font-size", "font-weight", "text-anchor", "opacity", "display"];

function standalone(svg) {
  const copy = svg.cloneNode(true);
  const originals = svg.querySelectorAll("*"), copies = copy.querySelectorAll("*");
  originals.forEach((original, i) => {
    const style = getComputedStyle(original);
    copies[i].removeAttribute("class");
    copies[i].removeAttribute("style");
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value) copies[i].setAttribute(name, value);
    }
  });
  for (const target of copy.querySelectorAll("[data-aid]")) target.remove();  // targets of the pointer
  const box = svg.viewBox.baseVal;
  const { x, y, width, height } = box;
  copy.prepend(svgElement("rect", { x, y, width, height, fill: getComputedStyle(document.body).backgroundColor }));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return { source: new XMLSerializer().serializeToString(copy), box };
}

function save(blob, name) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
}

// Saves a drawing; kind is "svg" or "png".
export async function exportDrawing(svg, kind, name) {
  if (!svg) return;
  const { source, box } = standalone(svg);
  const blob = new Blob([source], { type: "image/svg+xml" });
  if (kind === "svg") return save(blob, `${name}.svg`);
  const image = new Image();
  const address = URL.createObjectURL(blob);
  image.src = address;
  try {
    await image.decode();
    const canvas = document.createElement("canvas");
    const scale = Math.min(2, 16000 / box.width);  // the largest width of browsers' canvases
    canvas.width = Math.ceil(box.width * scale);
    canvas.height = Math.ceil(box.height * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    save(png, `${name}.png`);
  } catch (e) {
    note(say("noExport") + e.message);
  } finally {
    URL.revokeObjectURL(address);
  }
}
