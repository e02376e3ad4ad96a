// What eval/wasm measures, in Node and in a browser alike: each segmenter by its own package.
const ENGINES = {
  small: async () => cutter(await (await import("segmenter-zh")).load()),
  full: async () => cutter(await (await import("segmenter-zh")).load({ model: "full" })),
  "Intl.Segmenter": async () => {
    const intl = new Intl.Segmenter("zh", { granularity: "word" });
    return (text) => Array.from(intl.segment(text), (part) => part.segment);
  },
  "jieba-wasm": async () => {
    const jieba = await import("jieba-wasm");
    if (jieba.default instanceof Function) await jieba.default();  // in browsers
    return (text) => jieba.cut(text, true);
  },
  "@node-rs/jieba": async () => {
    const [{ Jieba }, { dict }] = await Promise.all([import("@node-rs/jieba"), import("@node-rs/jieba/dict.js")]);
    const jieba = Jieba.withDict(dict);
    return (text) => jieba.cut(text, true);
  },
};
const cutter = (seg) => (text) => seg.cut(text);

// Milliseconds until the first words are there; once a process or page.
export async function start(name) {
  const before = performance.now();
  (await ENGINES[name]())("他说的确实在理");
  return performance.now() - before;
}

// The words of every line, and the seconds of each round, the engines in turns.
export async function measure(names, lines, rounds) {
  const cuts = {}, words = {}, seconds = {};
  for (const name of names) {
    cuts[name] = await ENGINES[name]();
    words[name] = lines.map(cuts[name]);
    seconds[name] = [];
  }
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      const before = performance.now();
      for (const line of lines) cuts[name](line);
      seconds[name].push((performance.now() - before) / 1000);
    }
  return { words, seconds };
}
