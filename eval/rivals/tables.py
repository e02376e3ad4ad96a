"""The tables of ``eval/results/rivals.md`` and of the pages ``comparison.md``, from one JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from eval import common

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

PAGES = {
    "en": common.ROOT / "docs" / "en" / "comparison.md",
    "zh": common.ROOT / "docs" / "zh" / "comparison.md",
}
#: The convention that a system was made for.
CONVENTIONS: dict[str, tuple[str, str]] = {
    "general": ("`general`", "`general`"),
    "pku": ("PKU", "PKU"),
    "msr": ("MSR", "MSR"),
    "jieba": ("its word list", "自带词表"),
    "own list": ("its word list", "自带词表"),
    "own": ("own corpus", "自有语料"),
    "unsaid": ("not said", "未说明"),
    "pkuseg": ("several domains", "多领域语料"),
    "thulac": ("own corpus", "自有语料"),
    "minlp": ("own corpus, fine", "自有语料（细粒度）"),
    "icu": ("ICU's word list", "ICU 词表"),
    "phrases": ("phrases, to break lines", "断行用的短语"),
    "cedict": ("CC-CEDICT", "CC-CEDICT"),
    "asbc": ("Academia Sinica, Traditional", "中研院（繁体）"),
}
#: What cells say, English and Chinese.
SAYS: dict[str, tuple[str, str]] = {
    "system": ("", ""),
    "made for": ("made for", "所依规范"),
    "items": ("agreed items", "公认题"),
    "crossing": ("crossing errors", "交叉错误"),
    "words": ("words of 2026", "2026 年词语"),
    "lines": ("MB/s, by line", "逐行 MB/s"),
    "of fast": ("times `fast`", "相对 `fast`"),
    "queries": ("queries, times `fast`", "查询，相对 `fast`"),
    "long": ("one long text", "一篇长文"),
    "lists": ("share for lists", "造列表占比"),
    "two": ("two threads", "两线程"),
    "start": ("start, s", "启动（秒）"),
    "peak": ("peak, MB", "峰值 MB"),
    "disk": ("on disk, MB", "磁盘 MB"),
    "lossless": ("nothing lost", "不丢字符"),
    "offsets": ("offsets", "位置"),
    "threads": ("four threads", "四线程"),
    "own": ("`iPhone 15` whole", "`iPhone 15` 成词"),
    "half": ("half a file", "文件只剩一半"),
    "flipped": ("a page flipped", "一页被改"),
    "long string": ("one string", "单个字符串"),
    "all": ("all {0}", "{0} 项全过"),
    "loses": ("loses {0}", "丢{0}"),
    "right": ("right", "正确"),
    "wrong": ("wrong in {0} of {1}", "{1} 条错 {0} 条"),
    "none": ("none", "无"),
    "same": ("same words", "结果相同"),
    "other": ("{0} of {1} lines differ", "{1} 行有 {0} 行不同"),
    "yes": ("yes", "是"),
    "no": ("no: {0}", "否：{0}"),
    "silent": ("unnoticed, {0} of {1} lines differ", "未察觉，{1} 行有 {0} 行不同"),
    "refused": ("refused", "拒绝打开"),
    "crash": ("crash", "崩溃"),
    "up to": ("{0} MB in {1} s", "{0} MB，{1} 秒"),
    "fails": ("{0} MB: {1}", "{0} MB：{1}"),
    "about": (
        "Accuracy and promises: commit {0}, {1}. Speed and cost: commit {2}, {3}, with a load of "
        "{5} when it began. {4}. Installed: {6}.",
        "准确率与承诺：提交 {0}，{1}。速度与开销：提交 {2}，{3}，开始时系统负载 {5}。{4}。"
        "安装的版本：{6}。",
    ),
    "asked": (
        " Queries are {0} different queries of shops, one call each, in turns with `fast`: commit "
        "{1}, {2}, with a load of {3}. {4}.",
        "查询是 {0} 条互不相同的电商搜索词，逐条调用，与 `fast` 交替运行：提交 {1}，{2}，系统负载 "
        "{3}。{4}。",
    ),
    "line": ("line of code", "代码"),
    "not yet": (
        "no figures yet: `python -m eval.rivals --missing` installs and measures it",
        "尚无数字：`python -m eval.rivals --missing` 会安装并测量",
    ),
    "why": ("what was seen", "所见"),
}
#: The texts of promises.TEXTS in Chinese.
LOST = {
    "blank": "空格",
    "tab": "制表符",
    "new line": "换行",
    "ideographic blank": "全角空格",
    "full width": "全角字符",
    "case": "大小写",
    "control": "控制字符",
    "zero width": "零宽字符",
    "emoji": "表情",
    "rare character": "生僻字",
    "empty": "空串",
    "lone surrogate": "孤立代理码",
}
#: One thing, as one word in a cell.
BLANKS = ("blank", "tab", "new line", "ideographic blank")


class Tables:
    """The tables in one language.

    Args:
        data: what ``rivals.json`` holds.
        language: ``"en"`` or ``"zh"``.
    """

    def __init__(self, data: Mapping[str, Any], language: str) -> None:
        self.data, self.language = data, language
        self.systems: dict[str, dict[str, Any]] = data["systems"]

    def say(self, key: str, *values: object) -> str:
        return SAYS[key][self.language == "zh"].format(*values)

    def name(self, name: str) -> str:
        """A name for a cell; ours are bold."""
        if not name.startswith("ours, "):
            return name
        return (
            "**" + name.removeprefix("ours, ").replace('standard="', "`").replace('"', "`") + "**"
        )

    def accuracy(self) -> str:
        """Scores; the best agreed items first, ours above."""
        header = [self.say("system"), self.say("made for"), "PKU F1", "MSR F1"]
        header += [self.say("items"), self.say("crossing"), self.say("words"), "CityU F1", "AS F1"]
        rows = []
        for name, system in self.sorted("accuracy", lambda s: -s["accuracy"]["items"]):
            a = system["accuracy"]
            f1 = a["f1"]
            rows.append(
                [
                    self.name(name),
                    CONVENTIONS[system["made_for"]][self.language == "zh"],
                    f"{f1['pku']:.3f}",
                    f"{f1['msr']:.3f}",
                    f"{a['items']:.1%}",
                    f"{a['crossing']:.1f}",
                    f"{a['words']:.1%}",
                    f"{f1['cityu']:.3f}",
                    f"{f1['as']:.3f}",
                ]
            )
        return common.table(header, rows, 2)

    def costs(self) -> str:
        """Speed, start, memory, size; the fastest first, ours above."""
        has_queries = any("queries" in system for system in self.systems.values())
        keys = ("system", "lines", "of fast", *["queries"] * has_queries)
        keys += ("long", "lists", "two", "start", "peak", "disk")
        rows = []
        for name, system in self.sorted("speed", lambda s: -rate(s["speed"])):
            s = system["speed"]
            rows.append(
                [
                    self.name(name) + (" \\*" if s.get("lines", 0) < self.data["lines"] else ""),
                    figure(rate(s)),
                    figure(s.get("by_line", {}).get("ratio")),
                    *[figure(system.get("queries", {}).get("ratio"))] * has_queries,
                    figure(s.get("long", {}).get("mb_per_s")),
                    f"{s['lists']:.0%}" if "lists" in s else "",
                    self.two(s.get("two", {})),
                    figure(s.get("start")),
                    f"{s['peak'] / 1e6:,.0f}" if "peak" in s else "",
                    f"{system['disk'] / 1e6:,.0f}",
                ]
            )
        return common.table([self.say(key) for key in keys], rows, 1)

    def two(self, times: Mapping[str, float]) -> str:
        if not times:
            return ""
        return f"{max(times.values()):.1f}"

    def promises(self) -> str:
        """The promises, in the order of the accuracy table."""
        keys = ("system", "lossless", "offsets", "threads", "own", "half", "flipped", "long string")
        rows = []
        for name, system in self.sorted("promises", lambda s: -s["accuracy"]["items"]):
            p = system["promises"]
            show = {name: getattr(self, name) for name in ("lossless", "offsets", "threads", "own")}
            cells = [show[key](p[key]) if key in p else "" for key in show]
            cells += [
                self.harm(p.get("damaged", {"none": True}), key) for key in ("half", "flipped")
            ]
            rows.append([self.name(name), *cells, self.long(p.get("long", {}))])
        return common.table([self.say(key) for key in keys], rows, len(keys))

    def lossless(self, result: Mapping[str, Any]) -> str:
        if "failed" in result:
            return cell(result["failed"])
        lost = dict(result["lost"])
        if not lost:
            return self.say("all", result["texts"])
        names = [LOST[n] if self.language == "zh" else n for n in lost]
        if all(n in lost for n in BLANKS):
            blank = "空白" if self.language == "zh" else "white space"
            names = [blank] + [n for n, key in zip(names, lost, strict=True) if key not in BLANKS]
        return self.say("loses", ("、" if self.language == "zh" else ", ").join(names))

    def offsets(self, result: Mapping[str, Any]) -> str:
        if "none" in result:
            return self.say("none")
        if "failed" in result:
            return cell(result["failed"])
        wrong = len(result["wrong"])
        return self.say("wrong", wrong, result["texts"]) if wrong else self.say("right")

    def threads(self, result: Mapping[str, Any]) -> str:
        if "none" in result:
            return ""
        if "failed" in result:
            return self.fault(result["failed"])
        if result["faults"]:
            return self.fault(result["faults"][0])
        unequal = result["other"]
        return self.say("other", unequal, result["texts"]) if unequal else self.say("same")

    def own(self, result: Mapping[str, Any]) -> str:
        if "none" in result:
            return self.say("none")
        if "failed" in result:
            return self.fault(result["failed"])
        if result["whole"]:
            return self.say("yes")
        return self.say("no", "/".join(w for w in result["words"]).replace("|", "\\|"))

    def harm(self, result: Mapping[str, Any], key: str) -> str:
        if "none" in result:
            return ""
        answer = result.get(key, result)
        if "failed" in answer:
            return cell(answer["failed"])
        if "said" in answer:
            said = answer["said"]
            return self.fault(said) if said.startswith("crash") else self.say("refused")
        if "none" in answer:
            return ""
        return self.say("silent", answer["other"], answer["of"])

    def long(self, result: Mapping[str, Any]) -> str:
        reached = result.get("reached", 0)
        reached_text = self.say("up to", reached, figure(result["seconds"])) if reached else ""
        if "failed" in result:
            failure = self.say("fails", result["at"], self.fault(result["failed"]))
            return f"{reached_text}; {failure}" if reached_text else failure
        return reached_text

    def fault(self, said: str) -> str:
        if said.startswith("crash"):
            return f"{self.say('crash')} ({said.partition(': ')[2]})"
        return cell(said)

    def lines(self) -> str:
        """The lines of code behind the promises that need a system's own call."""
        rows = []
        for name, system in self.sorted("promises", lambda s: -s["accuracy"]["items"]):
            p = system["promises"]
            for key in ("offsets", "own"):
                if "code" in p.get(key, {}):
                    code = p[key]["code"].replace("\n", "\\n").replace("|", "\\|")
                    rows.append([self.name(name), self.say(key), f"`{code}`"])
        return common.table(["", "", self.say("line")], rows, 3)

    def about(self) -> str:
        """Commit, date, machine and installed versions."""
        judged, timed = self.data["about"], self.data.get("speed_about", self.data["about"])
        versions = dict.fromkeys(v for s in self.systems.values() for v in s["versions"])
        values = (judged["commit"], judged["date"], timed["commit"], timed["date"], place(timed))
        load = f"{timed.get('load', 0):.1f}"
        said = self.say("about", *values, load, ", ".join(versions))
        queries_about = self.data.get("queries_about")
        if queries_about:
            count, load = self.data["queries"], f"{queries_about['load']:.1f}"
            said += self.say(
                "asked",
                f"{count:,}",
                queries_about["commit"],
                queries_about["date"],
                load,
                place(queries_about),
            )
        return said + "\n"

    def absent(self) -> str:
        """The excluded systems and the reasons."""
        rows = [[entry["name"], entry[self.language]] for entry in self.data["absent"]]
        rows += [[name, self.say("not yet")] for name in self.data["unmeasured"]]
        return common.table(["", self.say("why")], rows, 2)

    def sorted(
        self, part: str, key: Callable[[dict[str, Any]], float]
    ) -> list[tuple[str, dict[str, Any]]]:
        """The systems with a given part, ours first."""
        have = [(n, s) for n, s in self.systems.items() if part in s and "accuracy" in s]
        return sorted(have, key=lambda pair: (not pair[0].startswith("ours"), key(pair[1])))


def place(about: Mapping[str, Any]) -> str:
    """The machine of some figures."""
    machine = about["machine"]
    return f"{machine['processor']} ({machine['cores']} cores), {machine['system']}"


def rate(speed: Mapping[str, Any]) -> float:
    """MB/s by line; 0 where it failed."""
    rate_by_line: float = speed.get("by_line", {}).get("mb_per_s", 0.0)
    return rate_by_line


def figure(value: float | None) -> str:
    """A number with two significant digits.

    >>> figure(123.4), figure(12.34), figure(0.01234), figure(None)
    ('123', '12', '0.012', '')
    """
    if value is None:
        return ""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def cell(said: str) -> str:
    """A program's message, shortened for a cell."""
    short = said if len(said) <= 80 else said[:79] + "…"
    return "`" + short.replace("`", "'").replace("|", "\\|") + "`"


def fill(page: str, name: str, text: str) -> str:
    """A page with the part between its two marks replaced.

    >>> fill("a\\n<!-- rivals: x -->\\nold\\n<!-- end of x -->\\nb\\n", "x", "new")
    'a\\n<!-- rivals: x -->\\nnew\\n<!-- end of x -->\\nb\\n'
    """
    marks = f"<!-- rivals: {name} -->\n", f"<!-- end of {name} -->\n"
    before, first, rest = page.partition(marks[0])
    _, last, after = rest.partition(marks[1])
    if not (first and last):
        raise ValueError(f"the page has no {marks[0].strip()} … {marks[1].strip()}")
    return before + first + text.rstrip("\n") + "\n" + last + after


def draw(data: Mapping[str, Any], pages: Mapping[str, Path] = PAGES) -> None:
    """Writes the tables into the pages."""
    for language, path in pages.items():
        tables = Tables(data, language)
        page = path.read_text("utf-8")
        for name in re.findall(r"<!-- rivals: (\w+) -->", page):
            page = fill(page, name, getattr(tables, name)())
        path.write_text(page, "utf-8")
