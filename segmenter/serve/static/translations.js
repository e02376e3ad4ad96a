// The words of the page, in English and Chinese.  Both have the same names (tests/serve/test_data.py).

const SAY = {
  en: {
    title: "How a sentence is cut into words", language: "Language", theme: "Colours",
    themeAuto: "system", themeLight: "light", themeDark: "dark",
    text: "Text", words: "Your words, one per line", samples: "Examples",
    wordsHint: "A word alone becomes one token. After = goes a weight or an action: 云计算 = 50, 在理 = delete, 提|出 = split.",
    wordsStatic: "Typing other sentences and words needs the service: segmenter serve.",
    permalink: "link to this sentence", copyLink: "copy link", copied: "The link is copied.", linkTooLong: "A text of more than {most} characters does not fit a link.",
    api: "API of the service", product: "Chinese word segmentation for Python, C and JavaScript, without a network",
    install: "To install it, in a clone of its source:", documents: "Documents:", fingerprint: "Fingerprint of these boundaries:",
    drawer: "Your words and settings", empty: "Type a text, or choose an example.",
    preset: "model", standard: "standard", oov: "characters outside the lexicon",
    atoms: "URLs, dates, numbers …", mode: "search tokens", asStarted: "service default",
    faults: "Lines that cannot be read, left out:", line: "line {line}",
    tooLong: "The text has {length} characters: at most {most} can be shown; please use a shorter one.",
    tooLongToDraw: "{length} characters: only the tokens are shown, since graphs cover at most {most}. Choose a word to draw its sentence.",
    sentenceOf: "The drawing shows one sentence of the text.",
    running: "The words. Left and right go from word to word; in a long text Enter draws the sentence.",
    showPos: "parts of speech", pointToken: "Point at a word, or use the arrow keys, to see its part of speech. Dotted underline: not in the lexicon; double: your word.",
    pointTokenTouch: "Tap a word to see its part of speech. Dotted underline: not in the lexicon; double: your word.",
    pointWord: "Point at a word, or use the arrow keys, to see what it is. Double underline: your word.",
    pointWordTouch: "Tap a word to see what it is. Double underline: your word.",
    pointSentence: "Point at a word to see more; choose it to draw its sentence.",
    pointSentenceTouch: "Tap a word to see more and to draw its sentence.", counted: "{tokens} tokens of {characters} characters",
    search: "Search tokens", searchHint: "What an index stores or a query looks for, with positions: tokens inside a word share its positions, so that phrases are found.",
    graph: "Word graph",
    graphHint: "Every arc is a possible word with its cost, −ln p: cheaper words are more likely. A path from left to right is a segmentation. Under each boundary is the least cost of reaching it.",
    ngramHint: "With an n-gram decoder, arcs on its path show their cost after the preceding words; the others show their least cost (≥) after one word.",
    onlyPath: "only the paths", showCosts: "costs", costsOf: "costs of",
    graphKeys: "Word graph. Left and right go from arc to arc, up and down to longer and shorter ones.",
    exportSvg: "SVG", exportPng: "PNG", exportAs: "Save the drawing as", noExport: "The drawing could not be saved: ",
    decoders: "Decoders", decodersHint: "One row per answer, with the decoders that give it. Choose a row to compare the others with it: words that it lacks are marked. A tick draws the path in the graph. A decoder's name opens its steps.",
    fullNote: "Five paths are drawn: untick one to draw another.",
    compare: "compare", reference: "compare with", draw: "draw", show: "draw the path of", name: "decoders, with their own scores", path: "segmentation", count: "words", cost: "cost", score: "own score",
    best: "Best paths of", rank: "rank", behind: "behind the first",
    was: "without your words: ",
    steps: "Step by step", stepsHint: "An algorithm on this sentence: play it, or go step by step.",
    player: "algorithm", play: "play", pause: "pause", stepBack: "one step back", stepOn: "one step on", toStart: "to the beginning", toEnd: "to the end",
    speed: "speed", slow: "slow", medium: "medium", fast: "fast", step: "step {at} of {of}", stepSlider: "step",
    stepsTooLong: "Step by step takes at most {most} characters: choose a shorter sentence.",
    stepsStatic: "This file has no steps of this sentence.", playerBoard: "The algorithm's state",
    tagger: "Character taggers",
    taggerHint: "Every character gets one of the tags B (begins a word), M (inside), E (ends it), S (a word alone). The scores of tags and of transitions add up, and the path with the largest sum wins (Viterbi). Scores are relative to S. — is ruled out.",
    taggerWhich: "model", share: "scores", shareAll: "together", shareNetwork: "the network's share", shareLinear: "the CRF's share",
    transitions: "Transitions", transitionsHint: "What the tag of the row adds before the tag of the column.",
    stepTransition: "transition", stepSum: "sum so far", total: "sum of the best path: {score}",
    featuresHint: "Choose a character above to see the features behind its tags. ‖ marks the end of the text.", featuresOf: "Features of {character}", feature: "feature", featuresSum: "sum",
    featuresWeight: "These are the linear model's own weights; {weight} times their sum is its share.",
    pieces: "Subword pieces", piecesHint: "What a language model would see: pieces of a closed vocabulary and their ids.",
    why: "Why each boundary", token: "token", span: "span", kind: "kind", source: "from", tag: "tag", reason: "reason", over: "chosen over",
    listed: ", ", onPathOf: "on the path of: {names}", noPath: "on no path", countOf: "count",
    costOf: "cost", userWord: "your word", byRule: "by rule: {kind}", unknown: "not in the lexicon",
    notAnEdge: "no arc: only the tagger made it", level: "level", after: "after {word}: {cost}", beginning: "the beginning",
    noService: "The service did not answer: ", noModule: "This browser cannot run the segmenter (it takes WebAssembly with vectors, of 2022 or later): ", missing: "Not available: ",
    point: "Point at an arc, or use the arrow keys, to see the word.", pointTouch: "Tap an arc to see the word.",
    rankOf: "rank", pair: "pair", piece: "piece", value: "value", loss: "loss", words_: "words", removed: "removed",
  },
  zh: {
    title: "一句话怎样被切成词", language: "语言", theme: "配色",
    themeAuto: "跟随系统", themeLight: "浅色", themeDark: "深色",
    text: "文本", words: "自定义词，一行一个", samples: "例句",
    wordsHint: "只写词：整体成为一个词。等号后可写权重或处理方式：云计算 = 50，在理 = delete（删除），提|出 = split（切开）。",
    wordsStatic: "要输入别的句子和词，请运行服务：segmenter serve。",
    permalink: "本句的链接", copyLink: "复制链接", copied: "链接已复制。", linkTooLong: "超过 {most} 字的文本放不进链接。",
    api: "服务接口", product: "中文分词，用于 Python、C 和 JavaScript，不联网",
    install: "安装（在源码目录中）：", documents: "文档：", fingerprint: "这一切分的指纹：",
    drawer: "自定义词与设置", empty: "请输入文本，或选一个例句。",
    preset: "模型", standard: "分词规范", oov: "词典外的字",
    atoms: "网址、日期、数字等", mode: "搜索词元", asStarted: "服务默认",
    faults: "以下各行无法识别，未采用：", line: "第 {line} 行",
    tooLong: "文本有 {length} 字，最多能显示 {most} 字，请截取一部分。",
    tooLongToDraw: "共 {length} 字：只显示切出的词；词图最多画 {most} 字。点一个词，画它所在的句子。",
    sentenceOf: "所画的是文中的一句。",
    running: "切分结果。左右键逐词移动；文本较长时按回车画出所在的句子。",
    showPos: "词性", pointToken: "鼠标移到一个词上或用方向键，查看词性。点线：词典中没有；双线：自定义词。",
    pointTokenTouch: "点一个词，查看词性。点线：词典中没有；双线：自定义词。",
    pointWord: "鼠标移到一个词上或用方向键，查看种类。双线：自定义词。",
    pointWordTouch: "点一个词，查看种类。双线：自定义词。",
    pointSentence: "鼠标移到一个词上查看详情，点它画出所在的句子。",
    pointSentenceTouch: "点一个词，查看详情并画出所在的句子。", counted: "{characters} 字，{tokens} 个词",
    search: "搜索词元", searchHint: "索引保存、查询使用的词及其位置：词内的词占用同样的位置，因此短语也能查到。",
    graph: "词图（DAG）",
    graphHint: "每条弧是一个可能的词，数字是代价 −ln p：代价越小越可能。从左到右的一条路径就是一种切分。字下面的数字是到达该处的最小代价。",
    ngramHint: "选用 n 元语法的代价时，其路径上的弧标出接在前面词之后的代价；其余的弧标出接在一个词之后的最小代价（≥）。",
    onlyPath: "只看路径", showCosts: "代价", costsOf: "代价来源",
    graphKeys: "词图。左右键换弧，上下键换更长、更短的词。",
    exportSvg: "SVG", exportPng: "PNG", exportAs: "图另存为", noExport: "图无法保存：",
    decoders: "算法", decodersHint: "每种切分一行，列出得到它的算法。选一行作参照，与它不同的词会标出；勾选后在词图里画出这条路径；点算法名看它的步骤。",
    fullNote: "已画五条路径：要画别的，请先取消一条。",
    compare: "参照", reference: "以它为参照", draw: "画", show: "画路径", name: "算法及其得分", path: "切分", count: "词数", cost: "代价", score: "得分",
    best: "最佳路径：", rank: "名次", behind: "与第一名之差",
    was: "不用自定义词时：",
    steps: "逐步演示", stepsHint: "看算法怎样处理这句话：连续播放，或一步一步走。",
    player: "算法", play: "播放", pause: "暂停", stepBack: "后退一步", stepOn: "前进一步", toStart: "回到开头", toEnd: "跳到结尾",
    speed: "速度", slow: "慢", medium: "中", fast: "快", step: "第 {at} 步，共 {of} 步", stepSlider: "步",
    stepsTooLong: "逐步演示最多 {most} 字，请选短一些的句子。",
    stepsStatic: "这个文件没有这句话的步骤。", playerBoard: "算法的状态",
    tagger: "字标注模型",
    taggerHint: "每个字得到一个标记：B 词首，M 词中，E 词尾，S 单字词。标记得分与转移得分相加，总和最大的路径胜出（Viterbi）。得分以 S 为零点。— 表示不允许。",
    taggerWhich: "模型", share: "得分", shareAll: "合计", shareNetwork: "神经网络的部分", shareLinear: "CRF 的部分",
    transitions: "转移得分", transitionsHint: "从行首的标记转移到列首的标记时所加的分。",
    stepTransition: "转移", stepSum: "累计", total: "最佳路径总分：{score}",
    featuresHint: "点上面的一个字，看哪些特征支持它的标记。‖ 表示文本之外。", featuresOf: "“{character}”的特征", feature: "特征", featuresSum: "合计",
    featuresWeight: "这里是线性模型自身的权重，其合计乘以 {weight} 是它的部分。",
    pieces: "子词", piecesHint: "语言模型看到的样子：封闭词表中的片段及其编号。",
    why: "每个边界的理由", token: "词", span: "位置", kind: "种类", source: "来源", tag: "词性", reason: "理由", over: "胜过",
    listed: "、", onPathOf: "所在路径：{names}", noPath: "不在任何路径上", countOf: "词频",
    costOf: "代价", userWord: "自定义词", byRule: "规则：{kind}", unknown: "词典中没有",
    notAnEdge: "没有弧：只有标注模型切出它", level: "级别", after: "接在“{word}”后：{cost}", beginning: "句首",
    noService: "服务没有响应：", noModule: "这个浏览器无法运行本页的分词器（需要 2022 年以后支持 WebAssembly 向量指令的版本）：", missing: "这里没有：",
    point: "鼠标移到一条弧上或用方向键，查看这个词。", pointTouch: "点一条弧，查看这个词。",
    rankOf: "序号", pair: "相邻两片", piece: "片段", value: "数值", loss: "损失", words_: "词数", removed: "删去",
  },
};

// Names of settings, kinds and sources of tokens; others are shown unchanged.
const NAMES = {
  en: {
    preset: { fast: "fast", balanced: "balanced", accurate: "accurate", best: "best" },
    standard: { general: "general: personal names whole", pku: "PKU", msr: "MSR", ctb: "CTB", national: "national corpus", as: "Academia Sinica", sinica: "Sinica treebank", sxu: "SXU", ud: "UD", weibo: "Weibo" },
    oov: { chars: "single characters", keep: "kept together", hmm: "HMM", tagger: "tagger", bpe: "BPE", unigram: "unigram" },
    atoms: { keep: "all whole", split: "all split", model: "left to the model" },
    mode: { words: "words only", search: "words and words inside", index: "for an index", query: "for a query" },
    kind: { punct: "punctuation", space: "blank", newline: "line end", cluster: "characters that belong together", ip: "IP address" },
    source: { lexicon: "lexicon", model: "model", rule: "rule", user: "your word" },
    feature: { char: "character {text} at {at}", pair: "pair {text} at {at}", word: "word {text} from {at}", state: "longest words, group {text}", type: "kinds of characters around" },
  },
  zh: {
    preset: { fast: "快（fast）", balanced: "均衡（balanced）", accurate: "准确（accurate）", best: "最准（best）" },
    standard: { general: "通用：人名不拆", pku: "北大（PKU）", msr: "微软（MSR）", ctb: "宾州（CTB）", national: "国家语料库", as: "中研院", sinica: "中研院树库", sxu: "山西大学", ud: "UD", weibo: "微博" },
    oov: { chars: "单字", keep: "连在一起", hmm: "HMM", tagger: "标注模型", bpe: "BPE", unigram: "unigram" },
    atoms: { keep: "全部整体保留", split: "全部切开", model: "交给模型" },
    mode: { words: "只要词", search: "词和词内的词", index: "建索引", query: "作查询" },
    kind: { word: "词", unknown: "词典外", punct: "标点", symbol: "符号", number: "数", date: "日期", latin: "字母数字", space: "空白", newline: "换行", script: "外文", cluster: "字素簇", url: "网址", email: "邮箱", ip: "IP 地址", time: "时间", quantity: "数量", version: "版本号", hashtag: "话题", mention: "提及", code: "代号", emoji: "表情", pattern: "自定义模式", punct: "标点" },
    source: { lexicon: "词典", model: "模型", rule: "规则", user: "自定义词" },
    feature: { char: "字“{text}”在 {at}", pair: "字对“{text}”在 {at}", word: "词“{text}”起于 {at}", state: "最长的词，组 {text}", type: "前后字的类别" },
  },
};

const EDGE = "‖";  // for the library's ␄, which few fonts have

let spoken = "en";
export const language = () => spoken;
export function speakLanguage(name) { spoken = name in SAY ? name : "en"; }

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => {
  const value = values[name];
  return value === undefined ? all : typeof value === "number" ? value.toLocaleString("en") : value;
});

export const say = (name, values = {}) => filled(SAY[spoken][name] ?? name, values);
// Instructions for a pointer, or for touch.
const touch = matchMedia("(pointer: coarse)");
export const sayHow = (name) => say(touch.matches ? `${name}Touch` : name);
export const aboutDecoder = (picture, name) => picture.about[name]?.[spoken === "zh" ? 0 : 1] ?? "";
export const nameOf = (group, value) => NAMES[spoken][group]?.[value] ?? value;
export const kindOf = (kind) => nameOf("kind", kind);
export const sourceOf = (source) => nameOf("source", source);
export const partOfSpeech = (picture, tag) => {
  const meaning = picture.meanings[tag];
  return meaning ? `${tag} ${meaning[spoken === "zh" ? 0 : 1]}` : tag ?? "";
};
export const featureName = (f) => {
  const at = f.at > 0 ? `+${f.at}` : String(f.at).replace("-", "−");
  return filled(NAMES[spoken].feature[f.kind], { text: f.text.replace("␄", EDGE).replace(": ", spoken === "zh" ? "：" : ": "), at });
};
