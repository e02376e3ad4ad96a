// Chinese versions of the English messages of the service and the library: errors, and
// reasons of boundaries.  tests/serve/test_data.py matches the patterns against the messages themselves.
import { nameOf } from "./translations.js";

const MESSAGES = [
  [/^text: ([\d,]+) characters: at most ([\d,]+) can be shown, so give a part$/, "文本有 $1 字，最多能显示 $2 字，请截取一部分"],
  [/^text: ([\d,]+) characters: at most ([\d,]+) can be shown step by step, so give a part$/, "文本有 $1 字，逐步演示最多 $2 字，请截取一部分"],
  [/^text: expected a string$/, "text：应为字符串"],
  [/^words: ([\d,]+) characters: at most ([\d,]+) are taken$/, "自定义词共 $1 字，最多 $2 字"],
  [/^text: ([\d,]+) characters: at most ([\d,]+) are taken$/, "文本有 $1 字，最多 $2 字，请截取一部分"],
  [/^player: '(.*)' is not one of (.*)$/, "没有“$1”的演示；有：$2"],
  [/^preset: '(.*)' is not here; this service has (.*)$/, "这里没有预设“$1”；有：$2"],
  [/^standard: '(.*)' is not one of (.*)$/, "没有“$1”这种规范；有：$2"],
  [/^standard: '(.*)' is a standard of the presets accurate and best only; '(.*)' has (.*)$/, "“$1”是 accurate 和 best 的规范；$2 有：$3"],
  [/^standard: '(.*)' is not in .*, which has (.*)$/, "模型没有“$1”这种规范；有：$2"],
  [/^preset: this service shows a single model, chosen by its operator$/, "本服务只展示运营者选定的一个模型"],
  [/^the body has more than ([\d,]+) bytes$/, "请求超过 $1 字节"],
  [/^the body did not arrive within (.*) seconds$/, "请求未在 $1 秒内收到"],
  [/^(?:too many (?:requests|connections) at once|[\d,]+ long requests are waiting): try again$/, "请求太多，请稍后再试"],
  [/^internal error: the log of the service has the details$/, "服务出错，详见其日志"],
  [/^Origin: (.*) is another site$/, "请求来自别的网站：$1"],
  // lines of the user's words
  [/^'(.*)' after = is not one of force, prefer, delete, split or a weight$/, "等号后的“$1”不是 force、prefer、delete、split 或权重"],
  [/^'(.*)' is neither a level \((.*)\) nor a weight of at least 0$/, "“$1”既不是级别（$2），也不是 0 以上的权重"],
  [/^'(.*)' marks no parts: write a bar between two of them, as 提\|出$/, "“$1”没有标出切开的位置：在两部分之间写竖线，如 提|出"],
  [/^'(.*)' has more fields than word, level or weight, tag, payload, options$/, "“$1”的字段多于：词、级别或权重、词性、附加数据、选项"],
  [/^the line has no word in its first field$/, "这一行的第一个字段没有词"],
  [/^'(.*)' is not an option of an entry: (.*)$/, "“$1”不是词条的选项；有：$2"],
  [/^what follows \\j is not JSON$/, "\\j 之后不是 JSON"],
  [/^'(.*)' is not split, split:force or split:prefer$/, "“$1”不是 split、split:force 或 split:prefer"],
  // reasons of boundaries
  [/^user dictionary \((.*), line (\d+)\): '(.*)', (.*)$/, (_, where, line, word, what) => `自定义词（${source(where)}第 ${line} 行）：“${word}”，${entry(what)}`],
  [/^user dictionary \((.*)\): '(.*)', (.*)$/, (_, where, word, what) => `自定义词（${source(where)}）：“${word}”，${entry(what)}`],
  [/^atom (\w+): (keep|split)$/, (_, kind, how) => `${nameOf("kind", kind)}规则：${how === "keep" ? "整体保留" : "切开"}`],
  [/^atom of the user's, (.*): '(.*)'$/, "自定义模式 $1：$2"],
  [/^(\S+), no other way, in the lexicon: (.*)$/, (_, model, tag) => `${model}，没有别的切法，词典中有${tagged(tag)}`],
  [/^(\S+), no other way, not in the lexicon$/, "$1，没有别的切法，词典中没有"],
  [/^(\S+), no other way$/, "$1，没有别的切法"],
  [/^(\S+), margin ([-\d.]+), in the lexicon: (.*)$/, (_, model, margin, tag) => `${model}，领先 ${margin}，词典中有${tagged(tag)}`],
  [/^(\S+), margin ([-\d.]+), not in the lexicon$/, "$1，领先 $2，词典中没有"],
  [/^single characters cut again by oov='(\w+)'$/, (_, oov) => `单字由${nameOf("oov", oov)}重新切分`],
  [/^lexicon (\S+), count ([\d.e+]+), tag (.*)$/, "词典 $1，词频 $2，词性 $3"],
  [/^lexicon (\S+), count ([\d.e+]+)$/, "词典 $1，词频 $2"],
  [/^no lexicon word begins here that the decoder could use$/, "这里没有算法可用的词典词"],
  [/^rule: (.*)$/, (_, kind) => `规则：${nameOf("kind", kind)}`],
  [/^its files are not installed$/, "未安装其文件"],
];
const source = (where) => ({ "<bytes>": "", "added in the program": "程序中添加" })[where] ?? `${where} `;
const entry = (what) => what.replace("level ", "级别 ").replace("weight ", "权重 ").replace(", split ", "，切成 ").replace(", tag ", "，词性 ");
const tagged = (tag) => (tag === "yes" ? "" : `，词性 ${tag}`);

// A message in a language; an unknown message is not changed.
export function translated(message, to) {
  if (to !== "zh") return message;
  for (const [pattern, chinese] of MESSAGES) if (pattern.test(message)) return message.replace(pattern, chinese);
  return message;
}
