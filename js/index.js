// For browsers and other environments with fetch().
import { loader } from "./core.js";
export { Segmenter, SegmenterError } from "./core.js";

const PLACES = {  // literals, so that bundlers find the files
  "segmenter.wasm.gz": new URL("./segmenter.wasm.gz", import.meta.url),
  "small.lex.gz": new URL("./small.lex.gz", import.meta.url),
  "full.model.gz": new URL("./full.model.gz", import.meta.url),
  "pos.model.gz": new URL("./pos.model.gz", import.meta.url),
};

export const load = loader(async (name) => {
  const response = await fetch(PLACES[name]);
  if (!response.ok) throw new Error(`${response.status} ${PLACES[name]}`);
  return new Uint8Array(await response.arrayBuffer());
});
