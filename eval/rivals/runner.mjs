// The protocol of runner.py in Node; a system's code is JavaScript that sets `names.cut`.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const SENTENCE = "他说的确实在理";
const require = createRequire(process.cwd() + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)));  // of the folder it runs in
const peak = () => 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
const seconds = (work) => {  // of processor
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};
const Code = (async () => {}).constructor;
const names = {};
const run = (code, text) => new Code("names", "load", "text", code)(names, load, text);
let lines = [], ready = false;

async function start({ start: code }) {
  const before = process.cpuUsage();
  await run(code);
  const words = names.cut(SENTENCE);
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, words, peak: peak() };
}

const REQUESTS = {
  take: (asked) => { lines = asked.lines; return {}; },
  cut: () => ({ words: lines.map((line) => names.cut(line)) }),
  time: ({ passes = 1 }) => {
    let least = Infinity;
    for (let i = 0; i < passes; i++)
      least = Math.min(least, seconds(() => { for (const line of lines) names.cut(line); }));
    return { seconds: least };
  },
  spans: async ({ code, text }) => ({ spans: await run(`return ${code}`, text) }),
  own: async ({ code, text }) => { await run(code); return { words: names.cut(text) }; },
  whole: ({ repeat }) => {
    const text = lines.join("").repeat(repeat);
    let words;
    const took = seconds(() => { words = names.cut(text); });
    return { seconds: took, count: words.length, same: words.join("") === text };
  },
  peak: () => ({ peak: peak() }),
};

console.log = console.error;  // stdout is for answers
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let answer;
  try {
    answer = ready ? await REQUESTS[asked.do](asked) : await start(asked);
    ready = true;
  } catch (error) {
    answer = { error: `${error.name}: ${error.message}`.split("\n")[0] };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
