"""The cases of tests/units.tsv, and the tables of the documents that show them.

python tests/unit_cases.py writes the tables into docs/en and docs/zh.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

PATH = Path(__file__).with_name("units.tsv")
DOCS = PATH.parents[1] / "docs"

#: The pages with a table of these kinds, and the heads of its columns.
PAGES = {
    "numbers.md": (
        "measure", "within", "clock", "numeral",
        "before", "cantonese", "name", "institution", "classical", "idiom", "record",
    ),
    "atoms.md": ("phone", "code", "latin", "amount", "formula"),
}  # fmt: skip
HEADS = {
    "en": ("kind", "tokens"),
    "zh": ("种类", "切分"),
}
NAMES = {
    "measure": ("a numeral and its measure word", "数词与量词"),
    "within": ("limits of time", "期限"),
    "clock": ("times of day", "时刻"),
    "numeral": ("numerals of contracts, days, ordinals", "大写数字、日子、序数"),
    "phone": ("telephone numbers", "电话号码"),
    "code": ("plates, numbers of documents, identifiers", "车牌、证件与订单号、标识符"),
    "latin": ("letters in words", "带字母的词"),
    "amount": ("units in letters beside Han characters and ×", "汉字、× 旁边带单位的数字"),
    "formula": ("small digits, μ and Ω in formulas and units", "上标、下标与单位里的 μ、Ω"),
    "before": ("what begins with a preposition or an auxiliary", "介词、助动词与后面的字"),
    "cantonese": ("particles of Cantonese", "粤语助词"),
    "name": ("names from other languages", "外国人名、地名"),
    "institution": ("names of institutions", "机构名"),
    "classical": ("classical text", "文言"),
    "idiom": ("idioms", "成语"),
    "record": ("titles of goods, addresses, records", "商品标题、地址、影视与病历记录"),
}
SHOWN = 8  # of each kind

PRESETS = ("fast", "balanced", "accurate")
LATTICES = ("unigram", "bigram", "backward-max")
ALL = (*PRESETS, *LATTICES)
#: What does not come out, and why no rule decides it.
NOT_YET: dict[str, tuple[str, ...]] = {
    # a person would cut otherwise than an entry of the lexicon: 时习之, 朝闻道, 子非鱼, 不知, 本書,
    # 水飲, 個人, 行里
    "学而时习之，不亦说乎": ("fast",),
    "学而时习之": ("fast",),
    "朝闻道，夕死可矣": ALL,
    "子非鱼，安知鱼之乐": ALL,
    "臣不知也": ALL,
    "吾不知其何故也": ("fast", "unigram", "backward-max"),
    "呢本書係我嘅": LATTICES,
    "啲水飲晒": LATTICES,
    "嗰個人係邊個": ("backward-max",),
    "我琴日見過佢": ("backward-max",),
    "存在工商银行里": ("backward-max",),
    "存在农业银行里": ("fast", "accurate", "bigram", "backward-max"),
    # 不可以 is two words as 不/能 is
    "士不可以不弘毅": ALL,
    # a lattice knows no words beside its lexicon: 项脊轩
    "项脊轩，旧南阁子也": LATTICES,
    # rare in any text: 师道, 知己/者, 何/陋
    "师道之不传也久矣": LATTICES,
    "士为知己者死": ("fast", *LATTICES),
    "何陋之有": ("fast",),
    # a long ordinal that the taggers join with 条, as it stands in laws
    "根据民法典第一千零七十九条": ("balanced", "accurate"),
    # an idiom after 此后, which the network divides
    "此后天下大乱": ("accurate",),
    # 交淡若水 ends as four characters of an idiom do
    "君子之交淡若水": ("balanced", "accurate"),
    # no sign of classical text in the clause itself; 侯 is a surname
    "彼竭我盈，故克之": ("balanced", "accurate"),
    "秦亡，天命也": PRESETS,
    # 三省吾身 and 知之为知之 are words of the lists
    "吾日三省吾身": PRESETS,
    "知之为知之，不知为不知": LATTICES,
    "晋侯许之": ("fast", "balanced"),
    # names without a character that is rare elsewhere, or of three characters with only one:
    # 萨利姆 and 里根 would be joined with their neighbours
    "中场楚阿梅尼右脚远射": ALL,
    "后卫奥努阿楚犯规": ("fast", "balanced"),
    "图阿格拉的居民搬走了": ALL,
    "别洛乌索夫的讲话": PRESETS,
    "巴斯托尼左脚射门": LATTICES,
    "格纳布里的助攻": ("fast", "balanced", *LATTICES),
    "B1楼的飞迪特找你": LATTICES,
    "记者采访了谢尔基本人": LATTICES,
    "教练阿莫林的战术": LATTICES,
    "记者联系了索兰克本人": LATTICES,
    "卡拉巴赫的加拉法拉": LATTICES,
    "贝纳多特医生": LATTICES,
    "科瓦契奇被换下": LATTICES,
    "门将列瓦科维奇扑救": LATTICES,
    "作家莱蒙特的小说": LATTICES,
    # names with a character that spells other words: 高, 凡, 南, 约, 丽, 绍, 京, 角; a lattice has
    # nothing but these characters and its words
    "来自斯塔万格的厄德高": ALL,
    "位于阿波斯托洛斯安德列亚斯角附近": LATTICES,
    "听斯特凡诺维奇的演讲": LATTICES,
    "采访特奥埃尔南德斯本人": ALL,
    "总统米尔扎约耶夫的访问": LATTICES,
    "玛丽亚娜的日记": LATTICES,
    "总理米绍斯京访华": LATTICES,
    # names that contain a word that is frequent by itself (卢卡斯, 利亚): a rule would also
    # join 莫斯科 with what follows
    "卢卡斯佩莱格里诺出场": ("fast", *LATTICES),
    "克瓦拉茨赫利亚的突破": LATTICES,
    "扎伊采夫扣球得分": ("balanced",),
    # both readings are words, and only the sense of the sentence decides: 将来/到, 把手, 从小/学,
    # 在校/园里, 正常/温, 对岸/上, 上进/行, 还要/点, 向前/台; 九点/一起, 九点一/起
    "老师把手伸出来": ("unigram", "backward-max"),
    "把手放下": ("fast", "balanced", "unigram", "backward-max"),
    "他从小学开始学琴": ("bigram",),
    "学生在校园里散步": ("backward-max",),
    "水正常温放着": ("unigram", "bigram"),
    "我对岸上的人喊": (*PRESETS, "unigram"),
    "课程在线上进行": ALL,
    "你还要点什么": ("unigram", "backward-max"),
    "她向前台走去": ("unigram",),
    # the lexicon has the name, and tagger or pairs read its words
    "武汉大学发布公告": ("bigram",),
    "浙江大学发布公告": ("bigram",),
    "参观了故宫博物院": (*PRESETS, "bigram"),
    "考进人民大学附属中学": ("fast", "accurate", "bigram"),
    "参观了军事博物馆": ("bigram",),
    # the lexicon has the term as one word: 手机支架, 磨玻璃结节
    "车载手机支架出风口通用": ("accurate", *LATTICES),
    "右肺上叶尖段见磨玻璃结节": ("balanced", "accurate", *LATTICES),
    # no lexicon has the word and no labelled text shows it: 水鞋, 演出服
    "儿童防滑雨靴高筒水鞋": ("balanced", *LATTICES),
    # a lattice knows no place beside its lexicon (高阳镇, 莘松路); 和平 and 肠系膜 are words there
    "重庆市云阳县高阳镇高阳场18号": LATTICES,
    "宜宾市翠屏区象鼻镇北大街12号": LATTICES,
    "广州市白云区人和镇东华村": LATTICES,
    "上海市闵行区莘庄镇莘松路958弄": LATTICES,
    "长沙市芙蓉区东岸乡西龙村": LATTICES,
    "该剧编剧为刘和平": LATTICES,
    "直肠系膜内见肿大淋巴结": ALL,
    "乙状结肠系膜内见肿大淋巴结": ("backward-max",),
    # NO and the point are three tokens where no tagger has learnt them
    "发票号NO.12345678": LATTICES,
}


class Case(NamedTuple):
    kind: str
    part: str  # build or held
    text: str
    boundaries: frozenset[int]  # places in the text that must be boundaries
    inside: frozenset[int]  # places that must not
    units: tuple[str, ...]  # as in the file, between [ and ]

    def holds(self, words: Sequence[str]) -> bool:
        """Whether the boundaries of these words are those of the case.

        >>> parse("measure", "build", "买[三/本]书").holds(["买", "三", "本", "书"])
        True
        >>> parse("measure", "build", "买[三/本]书").holds(["买", "三本", "书"])
        False
        """
        ends = {0}
        for word in words:
            ends.add(max(ends) + len(word))
        return self.boundaries <= ends and not self.inside & ends


def parse(kind: str, part: str, marked: str) -> Case:
    text = ""
    boundaries: set[int] = set()
    units_inside: set[int] = set()
    within = False
    for c in marked:
        if c in "[]":
            within = c == "["
            boundaries.add(len(text))
        elif c == "/" and within:
            boundaries.add(len(text))
        else:
            if within:
                units_inside.add(len(text))
            text += c
    units = tuple(re.findall(r"\[(.+?)\]", marked))
    return Case(
        kind, part, text, frozenset(boundaries), frozenset(units_inside - boundaries), units
    )


def read() -> list[Case]:
    cases = []
    for line in PATH.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            kind, part, marked = line.split("\t")
            cases.append(parse(kind, part, marked))
    return cases


def table(kinds: Sequence[str], language: str) -> str:
    """A table in Markdown: of each kind the first units of the held cases that come out."""
    cases, number = read(), list(HEADS).index(language)
    rows = [f"| {' | '.join(HEADS[language])} |", "|---|---|"]
    for kind in kinds:
        right = [c for c in cases if not set(PRESETS) & set(NOT_YET.get(c.text, ()))]
        units = [u for c in right if (c.kind, c.part) == (kind, "held") for u in c.units]
        lines = (
            "、".join(f"`{u}`" for u in units[:SHOWN])
            if number
            else ", ".join(f"`{u}`" for u in units[:SHOWN])
        )
        rows.append(f"| {NAMES[kind][number]} | {lines} |")
    return "\n".join(rows)


def with_table(page: str, kinds: Sequence[str], language: str) -> str:
    """A page with its table between the two comments that mark its place."""
    begin, end = "<!-- units: python tests/unit_cases.py -->", "<!-- end of units -->"
    before, _, rest = page.partition(begin)
    assert end in rest, f"docs/{language}: no place for the table"
    return f"{before}{begin}\n\n{table(kinds, language)}\n\n{end}{rest.partition(end)[2]}"


def main() -> None:
    for language in HEADS:
        for name, kinds in PAGES.items():
            path = DOCS / language / name
            path.write_text(with_table(path.read_text("utf-8"), kinds, language), "utf-8")


if __name__ == "__main__":
    main()
