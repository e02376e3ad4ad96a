// A drawing as a file: SVG with its styles in it, or PNG.
import { say } from "./say.js";
import { note } from "./ask.js";

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
  "paint-order", "font-family", "font-size", "font-weight", "text-anchor", "opacity", "display"];

function standalone(svg) {
  const copy = svg.cloneNode(true);
  const from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
  from.forEach((e, i) => {
    const style = getComputedStyle(e);
    to[i].removeAttribute("class");
    to[i].removeAttribute("style");
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value) to[i].setAttribute(name, value);
    }
  });
  for (const e of copy.querySelectorAll("[data-aid]")) e.remove();  // what only helps the pointer
  const box = svg.viewBox.baseVal;
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of [["x", box.x], ["y", box.y], ["width", box.width], ["height", box.height]])
    ground.setAttribute(name, value);
  ground.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(ground);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  return { source: new XMLSerializer().serializeToString(copy), box };
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
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
    const scale = Math.min(2, 16000 / box.width);  // the widest that browsers draw
    canvas.width = Math.ceil(box.width * scale);
    canvas.height = Math.ceil(box.height * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = await new Promise((done) => canvas.toBlob(done, "image/png"));
    save(png, `${name}.png`);
  } catch (e) {
    note(say("noExport") + e.message);
  } finally {
    URL.revokeObjectURL(address);
  }
}
