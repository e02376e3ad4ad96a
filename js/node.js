// For Node: reads the files from the folder of the package.
import { readFile } from "node:fs/promises";
import { loader } from "./core.js";
export { Segmenter, SegmenterError } from "./core.js";

export const load = loader((name) => readFile(new URL(`./${name}`, import.meta.url)));
