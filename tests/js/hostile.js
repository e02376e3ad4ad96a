// The body of test_hostile_files_and_texts: what ends otherwise than it may.
const { gzipSync } = await import("node:zlib");
const files = given.mutants.map((data) => new Uint8Array(Buffer.from(data, "base64")));
const right = files.shift();
const SAID = /^(SegmenterError|TypeError): (text|mode|model|tags|words|preset|decoder|oov|skip|atoms|variants|search|constructor|a{200}…)\b|^SegmenterError: (words|general\.lex|"?[a-z]+"?)[,:]/;
const wrong = [], counts = { opened: 0, refused: 0, used: 0 };
let state = 7;
const random = (n) => { state = Math.imul(state, 1103515245) + 12345 >>> 0; return (state >>> 8) % n; };
const pick = (list) => list[random(list.length)];

const PARTS = ["他说的确实在理", "，", "a", "1", " ", "\r\n", "\ud800", "\udc00", "👍🏽", "\u0301", "臺灣", "\0", "http://a.cn",
  "2026年", "\uffff", "𠮷", "\u202e", "\ufeff"];
const text = () => Array.from({ length: pick([0, 1, 3, 20, 300]) }, () => pick(PARTS)).join("");
const asSeen = (s) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(s));

async function attempt(what, call, may = SAID) {
  try {
    await call();
    return true;
  } catch (e) {
    const said = `${e.name}: ${e.message}`;
    if (!may.test(said) || said.length > 700) wrong.push(`${what}: ${said.slice(0, 300)}`);
    return false;
  }
}
function use(seg, t) {
  const words = seg.cut(t), ends = [...seg.ends(t)];
  counts.used++;
  if (words.join("") !== t && !seg.skips) wrong.push(`words of ${JSON.stringify(t).slice(0, 99)}`);
  if (ends.some((end, i) => end <= (ends[i - 1] ?? 0)) || (ends.at(-1) ?? 0) !== t.length && !seg.skips) wrong.push(`ends of ${JSON.stringify(t).slice(0, 99)}`);
  for (const mode of ["words", "search", "index", "query"])
    for (const { start, end, text: one } of seg.tokenize(t, mode))
      if (!(start < end && end <= t.length && one === t.slice(start, end))) wrong.push(`a token, ${mode}: ${start} ${end}`);
  if ([...seg.fold(t)].length !== [...asSeen(t)].length) wrong.push(`fold of ${JSON.stringify(t).slice(0, 99)}`);
}

const base = await load(), before = base.cut("他说的确实在理").join("/");

// values of every option: of other types, and long ones
const odd = [3, 1n, Symbol("x"), () => 1, [], ["space"], {}, Object.create(null), new Date(0), new Uint8Array(9), NaN];
const circular = {};
circular.self = circular;
for (const name of ["words", "preset", "decoder", "oov", "skip", "atoms", "search", "variants", "tags", "model", "x", "constructor"])
  for (const value of [...odd, circular])
    if (!(name === "model" && value instanceof Uint8Array))
      if (await attempt(`${name} = ${typeof value}`, () => load({ [name]: value }))) wrong.push(`${name}: a ${typeof value} is taken`);
for (const value of [...odd, circular, undefined === 0, null]) {
  for (const method of ["cut", "ends", "fold", "tag", "lattice", "tokenize"])
    if (await attempt(`${method}(${typeof value})`, () => base[method](value))) wrong.push(`${method}: a ${typeof value} is taken`);
  if (await attempt(`mode ${typeof value}`, () => base.tokenize("他", value))) wrong.push(`mode: a ${typeof value} is taken`);
}
const long = "a".repeat(1_000_000);
for (const name of ["preset", "decoder", "oov", "skip", "atoms", "search", "model"])
  for (const value of [long, "'".repeat(1_000_000), "人".repeat(1_000_000)])
    if (await attempt(`${name}, long`, () => load({ [name]: value }), /… *["']? \(1,000,0\d\d characters\)/)) wrong.push(`${name}: a million characters are taken`);
await attempt("words, long", () => load({ words: `x\t${long}` }), /… *["']? \(1,000,000 characters\)/);
await attempt("a long name", () => load({ [long]: "x" }), /^SegmenterError: a{200}… \(1,000,000 characters\): load\(\) takes/);
await attempt("a long mode", () => base.tokenize("他", long), /… \(1,000,002 characters\) is none of/);
// of the right type
const VALUES = ["", "x", "\0", "a=b", "url=split", "none", "url=split,,date=model", "=", ",", "\ud800", "split"];
const OPTIONS = {
  words: ["云计算\tforce\n", "提|出\tsplit\n", "a\t5.5\tn\n", "\t\t\t\n", "\0", "词\tdelete\n".repeat(1000), "他\tforce\n说的\tforce\n", ...PARTS],
  atoms: VALUES, oov: ["chars", "keep", "bpe", "hmm", ...VALUES], skip: ["space", "punct", "space,punct", ...VALUES],
  decoder: ["unigram", "forward-max", "shortest", "n-shortest", "crf", "bigram", ...VALUES],
  search: ["min_length=3", "ngrams=2", "runs=split", "single", "ngrams=99999999999", "min_length=-1", ...VALUES],
  variants: [true, false],
};
for (let i = 0; i < 200; i++) {
  const options = {};
  for (const name in OPTIONS) if (!random(3)) options[name] = pick(OPTIONS[name]);
  const what = JSON.stringify(options).slice(0, 200);
  await attempt(what, () => {
    const seg = base.with(options);
    seg.skips = Boolean(options.skip);
    for (let k = 0; k < 3; k++) use(seg, text());
  });
}
for (const t of [long, "的".repeat(300_000), "\ud800".repeat(100_000), "1,".repeat(100_000), "👨‍👩‍👧".repeat(20_000), "\0".repeat(100_000)])
  await attempt("a long text", () => { if (base.cut(t).join("") !== t) wrong.push("words of a long text"); });

// files: mutants with right checksums, parts of a file, others
const rest = [right.slice(0, 100), right.slice(0, right.length - 1), new Uint8Array(0), new Uint8Array(1 << 16), gzipSync(right).subarray(0, 999),
  gzipSync(gzipSync(right)), gzipSync(new Uint8Array(0)), Uint8Array.of(0x1f, 0x8b), new Uint8Array(Buffer.from("GIF89a")),
  right.map((byte, i) => i % 997 ? byte : byte ^ 255)];
for (const [i, model] of [...files, ...rest].entries()) {
  let seg = null;
  const taken = await attempt(`file ${i}`, async () => { seg = await load({ model }); });
  counts[taken ? "opened" : "refused"]++;
  if (taken) await attempt(`file ${i}, used`, () => { for (let k = 0; k < 3; k++) use(seg, text()); });
}
// bytes that the caller changes or takes away while they are read
const shared = new Uint8Array(new SharedArrayBuffer(right.length)), gone = Uint8Array.from(right);
shared.set(right);
await attempt("shared memory", async () => use(await load({ model: shared }), text()));
const opening = load({ model: gone });
structuredClone(gone.buffer, { transfer: [gone.buffer] });
await attempt("a buffer taken away", () => opening);

// what others put on every object is no option
Object.prototype.words = "他说\tforce\n";
try {
  if ((await load()).cut("他说的确实在理").join("/") !== before) wrong.push("an option comes from Object.prototype");
} finally {
  delete Object.prototype.words;
}
if (base.cut("他说的确实在理").join("/") !== before) wrong.push("the first segmenter cuts otherwise");
return { wrong, counts };
