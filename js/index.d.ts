import type { Segmenter } from "./core.js";
export { Segmenter, SegmenterError } from "./core.js";
export type { Kind, LoadOptions, Mode, Options, Token } from "./core.js";

/** Opens a segmenter: the module is compiled once, each call has memory of its own. */
export function load(options?: import("./core.js").LoadOptions): Promise<Segmenter>;
