// For Node: the files lie in the package's folder.
import { readFile } from "node:fs/promises";
import { loader } from "./core.js";
export { Segmenter, SegmenterError } from "./core.js";

export const load = loader((name) => readFile(new URL(`./${name}`, import.meta.url)));
