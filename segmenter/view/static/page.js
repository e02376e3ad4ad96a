// Draws one sentence: its word DAG as arcs, the decoders' paths, the taggers' scores, subword pieces.
// What it draws is the JSON of segmenter/view/graph.py, embedded in the page or asked of the service.
// Text only ever becomes text nodes: nothing a user types is read as markup.
"use strict";
(() => {
  const CELLS = [50, 92];    // pixels a character, in long and in short sentences
  const LANE = 31;           // pixels a decoder's lane
  const NAMES = 132;         // pixels of the column of names
  const WAIT = 250;          // milliseconds without a key before the service is asked

  // --- words of the page ------------------------------------------------------------------------

  const SAY = {
    en: {
      title: "How a sentence is cut into words", language: "Language", theme: "Colours",
      themeAuto: "colours of the system", themeLight: "light", themeDark: "dark",
      text: "Sentence", words: "Your words, one a line",
      wordsHint: "A word alone becomes one token. Behind = a weight, or what else to do: 云计算 = 50, 在理 = delete, 提|出 = split.",
      wordsStatic: "Typing other sentences and words needs the service: segmenter serve.",
      graph: "Word graph",
      graphHint: "Every arc is a word that could stand there, with its cost −ln p: the cheaper the likelier. A path from left to right is a segmentation. Under the characters stands the least cost of reaching that place.",
      onlyPath: "only the paths", showCosts: "costs",
      graphKeys: "Word graph. Left and right go from arc to arc, up and down to longer and shorter ones.",
      decoders: "Decoders", decodersHint: "Choose one to compare the others with it: words that it does not have are marked. The boxes say whose paths the graph shows.",
      show: "show", name: "decoder", path: "segmentation", count: "words", cost: "cost of the path", score: "own score",
      was: "without your words: ", tagger: "Character taggers",
      taggerHint: "Every character gets one of the tags B (begins a word), M (inside), E (ends it), S (a word alone); six-tag models tell the second and third character apart. The scores of tags and of transitions add up, and the path with the largest sum wins (Viterbi). Scores are relative to S. — is ruled out.",
      taggerWhich: "model", transitions: "Transitions", transitionsHint: "What the tag of the row adds before the tag of the column.",
      stepTransition: "transition", stepSum: "sum so far", total: "sum of the best path",
      pieces: "Subword pieces", piecesHint: "What a language model would see: pieces of a closed vocabulary and their ids.",
      why: "Why each boundary", token: "token", span: "span", kind: "kind", source: "from", tag: "tag", reason: "reason", over: "chosen over",
      onPathOf: "on the path of", noPath: "on no path", countOf: "count", length: "length",
      costOf: "cost", userWord: "your word", byRule: "by rule", unknown: "not in the lexicon",
      notAnEdge: "no arc: only the tagger made it", level: "level",
      asking: "…", noService: "The service does not answer: ", missing: "Not here: ",
      point: "Point at an arc, or use the arrow keys, to see the word.",
    },
    zh: {
      title: "一句话怎样被切成词", language: "语言", theme: "配色",
      themeAuto: "跟随系统", themeLight: "浅色", themeDark: "深色",
      text: "句子", words: "自定义词，一行一个",
      wordsHint: "只写词：整体成为一个词。等号后可写权重或处理方式：云计算 = 50，在理 = delete（删除），提|出 = split（切开）。",
      wordsStatic: "要输入别的句子和词，请运行服务：segmenter serve。",
      graph: "词图（DAG）",
      graphHint: "每条弧是一个可能的词，数字是代价 −ln p：代价越小越可能。从左到右的一条路径就是一种切分。字下面的数字是到达该处的最小代价。",
      onlyPath: "只看路径", showCosts: "代价",
      graphKeys: "词图。左右键换弧，上下键换更长、更短的词。",
      decoders: "算法", decodersHint: "选一个作参照，与它不同的词会标出。方框决定词图里画谁的路径。",
      show: "画", name: "算法", path: "切分", count: "词数", cost: "路径代价", score: "自身得分",
      was: "不用自定义词时：", tagger: "字标注模型",
      taggerHint: "每个字得到一个标记：B 词首，M 词中，E 词尾，S 单字词；六标记模型另分第二、第三字。标记得分与转移得分相加，总和最大的路径胜出（Viterbi）。得分以 S 为零点。— 表示不允许。",
      taggerWhich: "模型", transitions: "转移得分", transitionsHint: "行的标记后面接列的标记所加的分。",
      stepTransition: "转移", stepSum: "累计", total: "最佳路径总分",
      pieces: "子词", piecesHint: "语言模型看到的样子：封闭词表中的片段及其编号。",
      why: "每个边界的理由", token: "词", span: "位置", kind: "种类", source: "来源", tag: "词性", reason: "理由", over: "胜过",
      onPathOf: "所在路径", noPath: "不在任何路径上", countOf: "词频", length: "长度",
      costOf: "代价", userWord: "自定义词", byRule: "规则", unknown: "词典中没有",
      notAnEdge: "没有弧：只有标注模型切出它", level: "级别",
      asking: "…", noService: "服务没有应答：", missing: "这里没有：",
      point: "指向一条弧或用方向键，查看这个词。",
    },
  };
  const ABOUT = {
    en: {
      "forward-max": "longest word from the left", "backward-max": "longest word from the right",
      "bidirectional-max": "both, the simpler one", shortest: "fewest words (Dijkstra)",
      "n-shortest": "likeliest of the shortest paths", unigram: "least cost (Viterbi)",
      bigram: "each word given the one before", trigram: "given the two before",
      hmm: "tags by a hidden Markov model", perceptron: "tags by an averaged perceptron",
      crf: "tags by a conditional random field", "bilstm-crf": "tags by a neural network",
    },
    zh: {
      "forward-max": "正向最大匹配", "backward-max": "逆向最大匹配", "bidirectional-max": "双向最大匹配",
      shortest: "最少词数（Dijkstra）", "n-shortest": "最短路径中最可能的", unigram: "最小代价（Viterbi）",
      bigram: "二元语法", trigram: "三元语法", hmm: "隐马尔可夫模型", perceptron: "平均感知机",
      crf: "条件随机场", "bilstm-crf": "双向 LSTM-CRF",
    },
  };
  const SAMPLES = ["他说的确实在理", "研究生命起源", "乒乓球拍卖完了", "南京市长江大桥", "在2026年，云计算改变了iPhone 15的制造"];

  // --- small things -----------------------------------------------------------------------------

  const $ = (id) => document.getElementById(id);
  const svgElement = (name, attributes = {}, text = null) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    if (text !== null) e.textContent = text;
    return e;
  };
  const element = (name, attributes = {}, ...children) => {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
  };
  const number = (value, digits = 2) =>
    value === null || value === undefined ? "—" : value.toFixed(digits).replace("-", "−");
  const visible = (text) => text.replace(/\n/g, "⏎").replace(/\r/g, "␍").replace(/\t/g, "⇥").replace(/ /g, "␣");
  const word = (span) => picture.characters.slice(span[0], span[1]).join("");
  const key = (span) => `${span[0]}-${span[1]}`;
  const colour = (index) => `var(--d${index % 13})`;
  const remembered = (name, value) => {
    try {  // a page from a file may have no storage
      if (value !== undefined) localStorage.setItem(name, value);
      return localStorage.getItem(name);
    } catch { return null; }
  };

  let language = "en";
  const say = (name) => SAY[language][name] ?? name;

  let picture = null;      // what is drawn
  let selected = null;     // name of the decoder that the others are compared with
  let shown = new Set();   // names of the decoders whose paths the graph has
  let arcs = [];           // arcs that can be selected, in the order of keys
  let current = -1;        // the selected arc
  let cell = CELLS[0];
  const embedded = JSON.parse($("data").textContent);

  const decoder = (name) => picture.decoders.find((d) => d.name === name);

  // --- the word graph ---------------------------------------------------------------------------

  const height = (length) => (length <= 6 ? 8 + 23 * length : 146 + 9 * (length - 6)) * Math.min(1.5, cell / CELLS[0]);

  function arcPath(span, base, lift = 0) {
    const [x1, x2] = [span[0] * cell, span[1] * cell];
    const top = base - ((height(span[1] - span[0]) + lift) * 4) / 3;
    return `M${x1},${base} C${x1},${top} ${x2},${top} ${x2},${base}`;
  }

  function drawGraph() {
    const n = picture.characters.length;
    const was = current >= 0 && arcs[current] ? arcs[current].span : null;
    cell = Math.max(CELLS[0], Math.min(CELLS[1], Math.floor(($("drawing").clientWidth - NAMES - 30) / Math.max(1, n))));
    const paths = new Map();   // span -> decoders whose path it is on, of those shown
    const lanes = picture.decoders;
    for (const d of lanes.filter((d) => shown.has(d.name)))
      for (const span of d.spans) {
        if (!paths.has(key(span))) paths.set(key(span), []);
        paths.get(key(span)).push(d);
      }
    const edges = new Map(picture.edges.map((e) => [key([e.start, e.end]), e]));
    const spans = picture.edges.map((e) => [e.start, e.end]);
    for (const d of lanes)
      for (const span of d.spans)
        if (!edges.has(key(span)) && !spans.some((s) => key(s) === key(span))) spans.push(span);
    spans.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const longest = Math.max(1, ...spans.map((s) => s[1] - s[0]));
    const most = Math.max(0, ...[...paths.values()].map((p) => p.length));
    const base = height(longest) + 3.4 * most + 26;
    const lanesTop = base + (picture.costs ? 66 : 54);
    const width = Math.max(n * cell, 60) + 40;
    const total = lanesTop + lanes.length * LANE + 8;
    const svg = svgElement("svg", { width, height: total, viewBox: `-18 0 ${width} ${total}`, role: "img" });
    svg.append(svgElement("title", {}, picture.text));

    const chosen = decoder(selected);
    for (const [i, span] of chosen.spans.entries())
      if (i % 2 === 0)
        svg.append(svgElement("rect", { class: "band", x: span[0] * cell, y: base + 3, width: (span[1] - span[0]) * cell, height: 32, rx: 5 }));
    for (let k = 0; k <= n; k++)
      svg.append(svgElement("line", { class: "guide", x1: k * cell, x2: k * cell, y1: base, y2: total - 8 }));

    arcs = [];
    const under = svgElement("g"), over = svgElement("g"), labels = svgElement("g"), targets = svgElement("g");
    for (const span of spans) {
      const edge = edges.get(key(span));
      const on = paths.get(key(span)) ?? [];
      if (!edge && !on.length) continue;
      if ($("onlyPath").checked && !on.length) continue;
      const group = svgElement("g", { class: "edge" });
      const kind = !edge ? "missing" : edge.kind === "user" ? "user" : edge.kind === "word" ? "" : "rule";
      if (!on.length) {
        group.append(svgElement("path", { class: `arc ${kind}`, d: arcPath(span, base) }));
        under.append(group);
      } else {
        on.forEach((d, i) => {
          const path = svgElement("path", { class: `arc on-path ${kind}`, d: arcPath(span, base, 3.4 * i) });
          path.style.stroke = colour(lanes.indexOf(d));
          group.append(path);
        });
        over.append(group);
      }
      const target = svgElement("path", { class: "target", d: arcPath(span, base, 1.7 * Math.max(0, on.length - 1)) });
      const index = arcs.length;
      target.addEventListener("pointerenter", () => select(index));
      target.addEventListener("click", () => select(index));
      targets.append(target);
      if (edge && $("showCosts").checked) {
        const x = ((span[0] + span[1]) / 2) * cell;
        const y = base - height(span[1] - span[0]) - 3.4 * Math.max(0, on.length - 1) - 4;
        const label = svgElement("text", { class: on.length ? "cost bold" : "cost", x, y }, number(edge.cost));
        labels.append(label);
      }
      arcs.push({ span, edge, group });
    }
    svg.append(under, over, labels);

    picture.characters.forEach((character, k) => {
      svg.append(svgElement("text", { class: "character", x: (k + 0.5) * cell, y: base + 27 }, visible(character)));
    });
    for (let k = 0; k <= n; k++) {
      svg.append(svgElement("circle", { class: "node", cx: k * cell, cy: base, r: 2.6 }));
      if (n <= 40 || k % 5 === 0) svg.append(svgElement("text", { class: "offset", x: k * cell, y: base + 46 }, k));
      if (picture.costs && picture.costs[k] !== null) svg.append(svgElement("text", { class: "so-far", x: k * cell, y: base + 59 }, number(picture.costs[k])));
    }
    svg.append(targets);

    const reference = new Set(chosen.spans.map(key));
    const names = element("div", { class: "names" });
    names.style.cssText = `position:sticky;left:0;flex:none;width:${NAMES}px;height:${total}px;background:var(--raised);z-index:1`;
    lanes.forEach((d, i) => {
      const y = lanesTop + i * LANE;
      const name = element("button", { type: "button", class: "lane-name", "aria-pressed": d.name === selected }, d.name);
      name.style.cssText = `position:absolute;left:4px;top:${y}px;height:${LANE - 6}px;width:${NAMES - 8}px;border-color:${colour(i)};border-width:${d.name === selected ? 3 : 1}px;text-align:left;overflow:hidden;white-space:nowrap;padding:0 .3rem;font-size:.8rem`;
      name.addEventListener("click", () => choose(d.name));
      names.append(name);
      const lane = svgElement("g", { class: "lane" });
      for (const span of d.spans) {
        const differs = !reference.has(key(span));
        const box = svgElement("rect", {
          class: differs ? "lane-box differs" : "lane-box", "data-span": key(span),
          x: span[0] * cell + 2, y, width: (span[1] - span[0]) * cell - 4, height: LANE - 6, rx: 6,
        });
        box.style.stroke = colour(i);
        const spread = word(span);
        lane.append(box, svgElement("text", { class: "lane-word", x: ((span[0] + span[1]) / 2) * cell, y: y + 18 }, visible(spread)));
        box.addEventListener("pointerenter", () => selectSpan(span));
        box.addEventListener("click", () => choose(d.name));
      }
      svg.append(lane);
    });
    const drawing = $("drawing");
    const scrolled = drawing.scrollLeft;
    const row = element("div");
    row.style.cssText = "display:flex;width:max-content;position:relative";
    row.append(names, svg);
    drawing.replaceChildren(row);
    drawing.scrollLeft = scrolled;
    current = -1;
    $("detail").textContent = say("point");
    if (was && was[1] <= n) selectSpan(was);
  }

  function selectSpan(span) {
    const index = arcs.findIndex((a) => key(a.span) === key(span));
    if (index >= 0) select(index);
  }

  function select(index) {
    if (current >= 0 && arcs[current]) arcs[current].group.classList.remove("selected");
    for (const box of document.querySelectorAll(".lane-box.selected")) box.classList.remove("selected");
    current = index;
    const { span, edge, group } = arcs[index];
    group.classList.add("selected");
    for (const box of document.querySelectorAll(`.lane-box[data-span="${key(span)}"]`)) box.classList.add("selected");
    const on = picture.decoders.filter((d) => d.spans.some((s) => key(s) === key(span))).map((d) => d.name);
    const parts = [`${span[0]}–${span[1]}`];
    if (!edge) parts.push(say("notAnEdge"));
    else {
      parts.push(`${say("costOf")} ${number(edge.cost, 3)} (p = ${Math.exp(-edge.cost).toExponential(1)})`);
      if (edge.kind === "user") parts.push(`${say("userWord")}, ${say("level")} ${edge.level}`);
      else if (edge.kind === "unknown") parts.push(say("unknown"));
      else if (edge.kind !== "word") parts.push(`${say("byRule")}: ${edge.kind}`);
      if (edge.count !== undefined) parts.push(`${say("countOf")} ${Math.round(edge.count * 10) / 10}`);
      if (edge.tag) parts.push(`${say("tag")} ${edge.tag}`);
    }
    parts.push(on.length ? `${say("onPathOf")}: ${on.join(", ")}` : say("noPath"));
    $("detail").replaceChildren(element("b", {}, visible(word(span))), "  " + parts.join(" · "));
  }

  function move(event) {
    if (!arcs.length) return;
    const size = (a) => a.span[1] - a.span[0];
    let next = current;
    if (event.key === "ArrowRight") next = Math.min(arcs.length - 1, current + 1);
    else if (event.key === "ArrowLeft") next = Math.max(0, current - 1);
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = arcs.length - 1;
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const from = arcs[Math.max(0, current)];
      const wanted = event.key === "ArrowUp" ? 1 : -1;
      const same = arcs.map((a, i) => [a, i]).filter(([a]) => a.span[0] === from.span[0] && (size(a) - size(from)) * wanted > 0);
      same.sort(([a], [b]) => (size(a) - size(b)) * wanted);
      if (same.length) next = same[0][1];
    } else return;
    event.preventDefault();
    if (next < 0) next = 0;
    select(next);
    const drawing = $("drawing");
    const x = NAMES + arcs[next].span[0] * cell;
    if (x - NAMES < drawing.scrollLeft || x > drawing.scrollLeft + drawing.clientWidth - 2 * cell)
      drawing.scrollLeft = x - drawing.clientWidth / 2;
  }

  // --- the decoders -----------------------------------------------------------------------------

  function words(spans, reference) {
    const path = element("span", { class: "path" });
    spans.forEach((span, i) => {
      if (i) path.append(element("span", { class: "bar" }, "/"));
      const text = visible(word(span));
      path.append(reference && !reference.has(key(span)) ? element("mark", {}, text) : text);
    });
    return path;
  }

  function heading(...names) {
    const row = element("tr");
    for (const [name, type] of names) row.append(element("th", { class: type ?? "", scope: "col" }, name));
    return element("thead", {}, row);
  }

  function drawDecoders() {
    const reference = new Set(decoder(selected).spans.map(key));
    const body = element("tbody");
    picture.decoders.forEach((d, i) => {
      const box = element("input", { type: "checkbox", "aria-label": `${say("show")}: ${d.name}` });
      box.checked = shown.has(d.name);
      box.addEventListener("click", (event) => event.stopPropagation());
      box.addEventListener("change", () => {
        if (box.checked) shown.add(d.name); else shown.delete(d.name);
        drawGraph();
      });
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = colour(i);
      const about = element("span", { class: "was" }, ABOUT[language][d.name] ?? "");
      const path = element("td", {}, words(d.spans, reference));
      if (d.before && d.before.map(key).join() !== d.spans.map(key).join())
        path.append(element("span", { class: "was" }, say("was"), words(d.before, new Set(d.spans.map(key)))));
      const row = element("tr", { tabindex: "0", "aria-selected": d.name === selected, "data-name": d.name },
        element("td", {}, box), element("td", {}, swatch, d.name, about), path,
        element("td", { class: "number" }, d.spans.length),
        element("td", { class: "number" }, number(d.cost)),
        element("td", { class: "number" }, number(d.score)));
      row.addEventListener("click", () => choose(d.name));
      row.addEventListener("keydown", (event) => {
        if (event.target !== row) return;
        if (event.key === "Enter" || event.key === " ") choose(d.name, true);
        else if (event.key === "ArrowDown") row.nextElementSibling?.focus();
        else if (event.key === "ArrowUp") row.previousElementSibling?.focus();
        else return;
        event.preventDefault();
      });
      body.append(row);
    });
    $("decoders").replaceChildren(
      heading([say("show")], [say("name")], [say("path")], [say("count"), "number"], [say("cost"), "number"], [say("score"), "number"]), body);
  }

  function choose(name, focus = false) {
    selected = name;
    shown.add(name);
    const tagger = picture.taggers.find((t) => t.name === name);
    if (tagger) $("tagger").value = name;
    draw();
    if (focus) document.querySelector(`#decoders tr[data-name="${CSS.escape(name)}"]`)?.focus();
  }

  // --- the taggers ------------------------------------------------------------------------------

  function drawTagger() {
    $("taggerSection").hidden = !picture.taggers.length || !picture.characters.length;
    if ($("taggerSection").hidden) return;
    const tagger = picture.taggers.find((t) => t.name === $("tagger").value) ?? picture.taggers[0];
    $("tagger").value = tagger.name;
    const d = decoder(tagger.name);
    const head = element("tr", {}, element("th", { scope: "row" }, ""));
    for (const character of picture.characters) head.append(element("th", { scope: "col" }, visible(character)));
    const body = element("tbody");
    const top = element("tr", { class: "word" }, element("th", {}, ""));
    d.spans.forEach((span) => top.append(element("td", { colspan: span[1] - span[0] }, element("span", {}, visible(word(span))))));
    body.append(top);
    const known = tagger.scores.flat().filter((v) => v !== null);
    const spread = Math.max(1e-9, Math.max(...known) - Math.min(...known));
    tagger.tags.forEach((tag, t) => {
      const row = element("tr", {}, element("th", { scope: "row" }, tag));
      tagger.scores.forEach((scores, k) => {
        const value = scores[t];
        const best = tagger.path[k] === t;
        const cell = element("td", { class: (best ? "best" : "") + (value === null ? " never" : "") }, number(value));
        if (value !== null) {
          const highest = Math.max(...scores.filter((v) => v !== null));
          const share = Math.round(55 * Math.exp((6 * (value - highest)) / spread));
          cell.style.background = `color-mix(in srgb, var(--accent) ${share}%, transparent)`;
        }
        row.append(cell);
      });
      body.append(row);
    });
    const steps = element("tr", {}, element("th", { scope: "row" }, say("stepTransition")));
    const sums = element("tr", {}, element("th", { scope: "row" }, say("stepSum")));
    const gap = new Set();  // characters between stretches: blanks and line ends
    d.spans.forEach((span, i) => {
      if (d.sources[i] === "rule" && /^\s+$/.test(word(span))) for (let k = span[0]; k < span[1]; k++) gap.add(k);
    });
    let sum = 0;
    tagger.path.forEach((t, k) => {
      const begins = k === 0 || gap.has(k - 1);
      const step = gap.has(k) ? 0 : begins ? tagger.start[t] : tagger.transitions[tagger.path[k - 1]][t];
      sum += (step ?? 0) + (tagger.scores[k][t] ?? 0);
      steps.append(element("td", { class: "never" }, number(step)));
      sums.append(element("td", {}, number(sum)));
    });
    body.append(steps, sums);
    $("scores").replaceChildren(element("thead", {}, head), body);
    $("taggerSum").textContent = `${say("total")}: ${number(d.score)}`;
    const matrix = element("tbody");
    tagger.transitions.forEach((row, a) => {
      const tr = element("tr", {}, element("th", { scope: "row" }, `${tagger.tags[a]} →`));
      for (const value of row) tr.append(element("td", { class: value === null ? "never" : "" }, number(value)));
      matrix.append(tr);
    });
    $("transitions").replaceChildren(heading([""], ...tagger.tags.map((t) => [t])), matrix);
  }

  // --- pieces and reasons -----------------------------------------------------------------------

  function drawPieces() {
    $("piecesSection").hidden = !picture.pieces.length;
    const all = [];
    for (const vocabulary of picture.pieces) {
      const row = element("div", { class: "pieces" });
      for (const piece of vocabulary.pieces)
        row.append(element("span", { class: "piece", title: `${piece.start}–${piece.end}` }, visible(piece.text), element("small", {}, piece.id)));
      if (vocabulary.why) row.append(vocabulary.why);
      all.push(element("h3", {}, `${vocabulary.name} · ${vocabulary.pieces.length}`), row);
    }
    $("pieces").replaceChildren(...all);
  }

  function drawWhy() {
    const tags = decoder(picture.chosen).tags;
    const body = element("tbody");
    picture.why.forEach((row, i) => {
      body.append(element("tr", {},
        element("td", { class: "number" }, `${row.start}–${row.end}`), element("td", {}, visible(row.text)),
        element("td", {}, row.kind), element("td", {}, row.source), element("td", {}, tags[i] ?? ""),
        element("td", {}, row.why), element("td", {}, row.rivals.join(" "))));
    });
    $("why").replaceChildren(heading([say("span"), "number"], [say("token")], [say("kind")], [say("source")], [say("tag")], [say("reason")], [say("over")]), body);
    $("footer").textContent = picture.fingerprint +
      (picture.missing.length ? ` · ${say("missing")}${picture.missing.map((m) => m.name).join(", ")}` : "");
  }

  function draw() {
    drawGraph();
    drawDecoders();
    drawTagger();
    drawPieces();
    drawWhy();
  }

  function take(data) {
    const first = picture === null;
    picture = data;
    if (!selected || !decoder(selected)) selected = data.chosen;
    if (first) {
      // one decoder a path that is different, the chosen one first
      const paths = new Set();
      for (const d of [decoder(data.chosen), ...data.decoders]) {
        const path = d.spans.map(key).join();
        if (!paths.has(path)) shown.add(d.name);
        paths.add(path);
      }
    }
    const options = data.taggers.map((t) => element("option", { value: t.name }, t.name));
    const before = $("tagger").value;
    $("tagger").replaceChildren(...options);
    const wanted = data.taggers.find((t) => t.name === before) ?? data.taggers.find((t) => t.name === data.chosen) ?? data.taggers[0];
    if (wanted) $("tagger").value = wanted.name;
    $("main").hidden = false;
    draw();
  }

  // --- asking -----------------------------------------------------------------------------------

  let asked = 0, timer = 0;

  function fail(message) {
    $("message").hidden = !message;
    $("message").textContent = message;
  }

  async function ask() {
    const text = $("text").value, wordsGiven = $("words").value;
    const mine = ++asked;
    const hash = new URLSearchParams({ text, ...(wordsGiven ? { words: wordsGiven } : {}) });
    history.replaceState(null, "", `#${hash}`);
    try {
      const response = await fetch("v1/explain", {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ text, words: wordsGiven }),
      });
      const data = await response.json();
      if (mine !== asked) return;   // an answer that was overtaken
      if (!response.ok) return fail(data.error.message);
      fail("");
      take(data);
    } catch (e) {
      if (mine === asked) fail(say("noService") + e.message);
    }
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  }

  // --- the beginning ----------------------------------------------------------------------------

  function speak() {
    document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
    document.title = say("title");
    for (const e of document.querySelectorAll("[data-say]")) e.textContent = say(e.dataset.say);
    for (const e of document.querySelectorAll("[data-label]")) e.setAttribute("aria-label", say(e.dataset.label));
    $("wordsHint").textContent = say(embedded ? "wordsStatic" : "wordsHint");
    if (picture) draw();
  }

  function start() {
    const hash = new URLSearchParams(location.hash.slice(1));
    language = hash.get("language") ?? remembered("language") ?? (navigator.language.startsWith("zh") ? "zh" : "en");
    if (!(language in SAY)) language = "en";
    $("language").value = language;
    $("language").addEventListener("change", () => { language = $("language").value; remembered("language", language); speak(); });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const paint = () => {
      const wanted = $("theme").value === "auto" ? (dark.matches ? "dark" : "light") : $("theme").value;
      document.documentElement.dataset.theme = wanted;
    };
    $("theme").value = hash.get("theme") ?? remembered("theme") ?? "auto";
    $("theme").addEventListener("change", () => { remembered("theme", $("theme").value); paint(); });
    dark.addEventListener("change", paint);
    paint();
    speak();
    let wide = innerWidth;
    addEventListener("resize", () => {
      if (picture && innerWidth !== wide) drawGraph();
      wide = innerWidth;
    });
    $("drawing").addEventListener("keydown", move);
    $("onlyPath").addEventListener("change", drawGraph);
    $("showCosts").addEventListener("change", drawGraph);
    $("tagger").addEventListener("change", drawTagger);
    $("ask").addEventListener("submit", (event) => event.preventDefault());
    const samples = embedded ? embedded.map((p) => p.text) : SAMPLES;
    samples.forEach((text, i) => {
      const button = element("button", { type: "button" }, text.length > 24 ? text.slice(0, 24) + "…" : text);
      button.addEventListener("click", () => {
        $("text").value = text;
        if (embedded) take(embedded[i]); else ask();
      });
      $("samples").append(button);
    });
    if (embedded) {
      $("text").readOnly = true;
      $("words").readOnly = true;
      $("samples").hidden = embedded.length < 2;
      $("text").value = embedded[0].text;
      $("words").value = embedded[0].words;
      take(embedded[0]);
    } else {
      $("text").value = hash.get("text") ?? SAMPLES[0];
      $("words").value = hash.get("words") ?? "";
      $("text").addEventListener("input", soon);
      $("words").addEventListener("input", soon);
      ask();
    }
  }

  start();
})();
