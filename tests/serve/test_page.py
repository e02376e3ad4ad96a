"""The page in a real browser: what it draws, keys, small screens, and that text stays text."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import browser
import pytest
from places import ROOT
from served import Served

import segmenter as seg
from segmenter.cli import main
from segmenter.serve.steps import PLAYERS

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.skipif(
        not (ROOT / "models" / "general.lex").exists(), reason="the models are not built here"
    ),
    pytest.mark.skipif(browser.find() is None, reason="no Chromium is installed"),
]

TEXT = "他说的确实在理"
HOSTILE = (
    "<img src=x onerror=alert(1)></script><script>document.title='taken'</script>&amp;\u2028'\""
)
# with SEGMENTER_SCREENSHOTS=DIR the pictures of the page are kept there, to be looked at
SHOTS = os.environ.get("SEGMENTER_SCREENSHOTS")


def row_of(name: str) -> str:
    """The row of the answer that a decoder gives."""
    return f"document.querySelector('#decoders [data-decoder=\"{name}\"]')?.closest('tr')"


# the words of one decoder in the table
CRF = f"({row_of('crf')}?.querySelector('.path')?.textContent ?? '')"


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    program = browser.find()
    assert program is not None
    window = browser.Browser(program, tmp_path_factory.mktemp("profile"))
    yield window
    window.close()


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    pytest.importorskip("starlette", reason="the extra [serve] is not installed")
    pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
    service = Served()
    yield service
    assert service.stop()[0] == 0


def keep(window: browser.Browser, name: str) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        window.screenshot(Path(SHOTS) / f"{name}.png", whole=True)


def open_file(window: browser.Browser, path: Path, fragment: str = "") -> None:
    window.open("about:blank")
    window.events.clear()
    window.open(path.as_uri() + fragment)
    window.wait("document.querySelectorAll('#why tbody tr').length > 0")


def open_service(window: browser.Browser, served: Served, fragment: str) -> None:
    window.open("about:blank")
    window.events.clear()
    window.open(f"http://127.0.0.1:{served.port}/#{fragment}")
    window.wait("document.querySelectorAll('#why tbody tr').length > 0")


def answers(window: browser.Browser) -> dict[str, list[str]]:
    """The words of every decoder, as the table has them."""
    # parts of speech, where they are shown, stand under the words
    words = "[...p.childNodes].map(n => n.firstChild ? n.firstChild.textContent : n.textContent)"
    each = "b => { const p = b.closest('tr').querySelector('.path'); return [b.dataset.decoder, "
    each += f"{words}.filter(w => w !== '/')]; }}"
    table = "document.querySelectorAll('#decoders [data-decoder]')"
    rows = window.evaluate(f"JSON.stringify([...{table}].map({each}))")
    return dict(json.loads(rows))


# --- the file ------------------------------------------------------------------------------------


def test_a_file_draws_without_a_service(window: browser.Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["explain", "--html", str(page), TEXT, "研究生命起源"]) == 0
    window.size(1280, 900)
    open_file(window, page, "#language=en&theme=light")
    drawn = answers(window)
    for name in ("unigram", "forward-max", "bigram", "crf", "perceptron"):
        assert drawn[name] == seg.load(decoder=name).cut(TEXT)
    marked = window.evaluate(
        f"[...{row_of('forward-max')}.querySelectorAll('mark')].map(m => m.textContent).join()"
    )
    assert marked == "的确,实在,理"
    dag = seg.load(decoder="unigram").dag(TEXT)
    assert window.evaluate("document.querySelectorAll('#graph .edge').length") == len(dag)
    costs = window.evaluate(  # signs say whose path an arc is on
        "[...document.querySelectorAll('#graph .cost')].map(c => c.textContent.split(' ').at(-1))"
        ".join()"
    )
    assert costs == ",".join(f"{e.cost / 2048:.2f}" for e in dag.edges)
    best = window.evaluate("[...document.querySelectorAll('#scores td.best')].length")
    assert best == len(TEXT)
    total = seg.load().nbest(TEXT, 1)[0][1]
    assert f"{total:.2f}" in window.evaluate("document.getElementById('taggerSum').textContent")
    sums = window.evaluate(
        "[...document.querySelectorAll('#scores tbody tr:last-child td')].at(-1).textContent"
    )
    assert sums == f"{total:.2f}"
    assert window.evaluate("document.getElementById('words').readOnly") is True
    assert "segmenter serve" in window.evaluate("document.getElementById('wordsHint').textContent")
    keep(window, "file-light")
    window.evaluate("document.querySelectorAll('#samples button')[1].click()")
    assert answers(window)["crf"] == ["研究", "生命", "起源"]
    # it asks nobody for anything
    assert [u for u in window.requested() if not u.startswith(("file:", "data:"))] == []
    assert window.complaints() == []


@pytest.mark.parametrize("text", ["", " \n", "😀" * 3, "a" * 200, "\0\x1b[31m", "长" * 150])
def test_any_text_draws(window: browser.Browser, tmp_path: Path, text: str) -> None:
    from segmenter.serve.gallery import Gallery
    from segmenter.serve.graph import picture
    from segmenter.serve.page import single_file

    page = tmp_path / "page.html"
    drawn = picture(Gallery.of("fast"), text)
    page.write_text(single_file([drawn]), "utf-8")
    window.open("about:blank")
    window.events.clear()
    window.open(page.as_uri())
    window.wait("document.querySelectorAll('#decoders tbody tr').length > 0")
    rows = window.evaluate("document.querySelectorAll('#decoders tbody tr').length")
    assert rows == len({json.dumps(d["spans"]) for d in drawn["decoders"]})
    assert {d["name"] for d in drawn["decoders"]} == set(answers(window))
    assert window.complaints() == []


def test_text_stays_text(window: browser.Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = tmp_path / "words.tsv"
    words.write_text(f"{HOSTILE}\tforce\n".replace("\u2028", "\\u2028"), "utf-8")
    assert main(["explain", "--user", str(words), "--html", str(page), HOSTILE]) == 0
    open_file(window, page)
    assert window.evaluate("document.title") != "taken"
    assert window.evaluate("document.images.length") == 0
    assert window.evaluate("document.querySelectorAll('script').length") == 2
    assert window.evaluate("document.getElementById('text').value") == HOSTILE
    assert window.complaints() == []


# --- the service's page --------------------------------------------------------------------------


def test_typed_words_take_effect(window: browser.Browser, served: Served) -> None:
    window.size(1280, 900)
    open_service(window, served, "language=zh&theme=dark&text=" + TEXT)
    assert answers(window)["crf"] == seg.cut(TEXT)
    window.evaluate("document.getElementById('drawer').open = true")
    window.evaluate("document.getElementById('words').focus()")
    window.type("说的\n在理 = delete")
    window.wait(f"{CRF}.includes('说的')")
    mine = seg.load().with_words(["说的", ("在理", "delete")])
    assert answers(window)["crf"] == mine.cut(TEXT)
    before = window.evaluate(f"{row_of('crf')}.querySelector('.was .path').textContent")
    assert before.split("/") == seg.cut(TEXT)
    keep(window, "served-dark")
    window.type("\n云计算 = forced")
    window.wait("!document.getElementById('faults').hidden")
    faults = window.evaluate("document.getElementById('faults').textContent")
    assert "第 3 行" in faults
    assert "“forced”不是" in faults
    assert window.evaluate("document.getElementById('words').matches('[aria-invalid]')")
    window.evaluate(
        "document.getElementById('text').select(); document.getElementById('words').value = ''"
    )
    window.evaluate("document.getElementById('text').focus()")
    window.type("南京市长江大桥")
    window.wait(f"{CRF}.startsWith('南京市')")
    window.wait("document.getElementById('faults').hidden")
    # the address can be handed on
    assert window.evaluate("decodeURIComponent(location.hash)").startswith("#text=南京市长江大桥")
    assert [u for u in window.requested() if not u.startswith(("http://127.0.0.1", "data:"))] == []
    assert [c for c in window.complaints() if "400" not in c] == []


def test_hostile_text_in_the_service(window: browser.Browser, served: Served) -> None:
    open_service(window, served, "text=a")
    window.evaluate("document.getElementById('text').select()")
    window.evaluate("document.getElementById('text').focus()")
    window.type(HOSTILE)
    window.wait("document.querySelectorAll('#why tbody tr').length > 10")
    assert window.evaluate("document.title") != "taken"
    assert window.evaluate("document.images.length") == 0
    assert window.complaints() == []


def test_keys_move_through_the_lattice(window: browser.Browser, served: Served) -> None:
    window.size(1280, 900)
    open_service(window, served, "language=en&text=" + TEXT)
    window.evaluate("document.getElementById('drawing').focus()")
    detail = "document.getElementById('detail').textContent"
    for key, part in (
        ("ArrowRight", "他"), ("ArrowRight", "说"), ("ArrowRight", "的"), ("ArrowUp", "的确"),
        ("ArrowDown", "的"), ("ArrowLeft", "说"), ("End", "理"), ("Home", "他"),
    ):  # fmt: skip
        window.key(key)
        assert window.evaluate(detail).split()[0] == part
    window.key("End")
    window.key("ArrowLeft")
    assert "在理" in window.evaluate(detail)
    assert "count" in window.evaluate(detail)
    assert "crf" in window.evaluate(detail)
    assert window.evaluate("document.querySelectorAll('#graph .edge.selected').length") == 1
    keep(window, "selected")
    window.evaluate(f"{row_of('unigram')}.querySelector('input').focus()")
    window.key("ArrowDown")
    chosen = "document.querySelector('#decoders tr.chosen')"
    assert window.evaluate(f"{chosen}.dataset.name") == "forward-max"
    assert window.evaluate(f"{chosen}.contains(document.activeElement)") is True
    assert window.evaluate(f"{row_of('crf')}.querySelectorAll('mark').length") == 3


def test_keys_choose_words_characters_and_steps(window: browser.Browser, served: Served) -> None:
    window.size(1280, 900)
    open_service(window, served, "language=en&text=" + TEXT)
    window.evaluate("document.getElementById('running').focus()")
    for key, word in (("ArrowRight", "他"), ("End", "在理"), ("ArrowLeft", "确实"), ("Home", "他")):
        window.key(key)
        assert text_of(window, "tokenDetail").startswith(word)
    # a tab stop for all characters of the tagger, and one for all decoders
    for area in ("#scores", "#decoders .algorithms"):
        stops = f"[...document.querySelectorAll('{area} button:not(:disabled)')]"
        assert window.evaluate(f"{stops}.filter(b => b.tabIndex === 0).length") == 1
    window.evaluate("document.querySelector('#scores button').focus()")
    window.key("ArrowRight")
    assert "说" in text_of(window, "featuresTitle")
    window.evaluate("document.querySelector('[data-decoder=shortest]').click()")
    assert window.evaluate("document.getElementById('player').value") == "shortest"
    assert window.evaluate("document.activeElement.id") == "stepSlider"
    stops = (
        "[...document.querySelectorAll('a, button, select, textarea, input, summary, [tabindex]')]"
    )
    focusable = (
        f"{stops}.filter(e => e.tabIndex === 0 && !e.disabled && e.checkVisibility()).length"
    )
    assert window.evaluate(focusable) < 45


def test_without_text_nothing_is_shown(window: browser.Browser, served: Served) -> None:
    open_service(window, served, "language=en&text=" + TEXT)
    type_text(window, " ")
    window.wait("document.getElementById('main').hidden")
    assert text_of(window, "note").startswith("Type a text")
    assert window.evaluate("document.getElementById('answer').hidden") is True
    assert window.evaluate("document.getElementById('message').hidden") is True
    type_text(window, TEXT)
    window.wait("!document.getElementById('main').hidden")
    assert window.evaluate("document.getElementById('answer').hidden") is False


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_answer_is_on_the_first_screen_of_a_phone(
    window: browser.Browser, served: Served, language: str
) -> None:
    window.size(360, 640)
    open_service(window, served, f"language={language}&text={TEXT}")
    assert window.evaluate("document.documentElement.scrollWidth") <= 360
    assert (
        window.evaluate("document.getElementById('running').getBoundingClientRect().bottom") < 320
    )
    size = "parseFloat(getComputedStyle(document.getElementById('running')).fontSize)"
    assert window.evaluate(size) >= 24
    # seven characters fit without scrolling
    drawing = "document.getElementById('drawing')"
    assert window.evaluate(f"{drawing}.scrollWidth <= {drawing}.clientWidth")


def test_small_screens_show_everything(window: browser.Browser, served: Served) -> None:
    window.size(375, 700)
    open_service(
        window, served, "language=zh&text=研究生命起源的人说的确实在理因为云计算改变了世界"
    )
    # the drawing scrolls in itself, the page does not
    assert window.evaluate("document.documentElement.scrollWidth") <= 375
    drawing = "document.getElementById('drawing')"
    assert window.evaluate(f"{drawing}.scrollWidth > {drawing}.clientWidth")
    window.evaluate("document.getElementById('drawing').focus()")
    window.key("End")
    assert window.evaluate("document.getElementById('drawing').scrollLeft") > 100
    keep(window, "small")
    for place in ("detail", "taggerSum"):  # Chinese has colons of its own
        said = text_of(window, place)
        assert "：" in said or place == "detail"
        assert ": " not in said
    assert window.complaints() == []


# --- steps, settings, long texts, files ----------------------------------------------------------


def pick(window: browser.Browser, select: str, value: str) -> None:
    window.evaluate(
        f"(() => {{ const s = document.getElementById('{select}'); s.value = '{value}';"
        " s.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def type_text(window: browser.Browser, text: str) -> None:
    window.evaluate(
        f"(() => {{ const t = document.getElementById('text'); t.value = {json.dumps(text)};"
        " t.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def text_of(window: browser.Browser, name: str) -> str:
    return str(window.evaluate(f"document.getElementById('{name}').textContent"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_step_of_every_player(window: browser.Browser, served: Served, language: str) -> None:
    window.size(1280, 900)
    open_service(window, served, f"language={language}&text={TEXT}")
    players = window.evaluate("[...document.getElementById('player').options].map(o => o.value)")
    # the weights of the encoder are not in every installation
    assert players == [p for p in PLAYERS if p != "encoder-crf" or p in players]
    for player in players:
        pick(window, "player", player)
        expected = served.post("/v1/steps", text=TEXT, player=player).json
        count = len(expected["steps"])
        window.wait("!document.getElementById('board').hasAttribute('aria-busy')")
        assert window.evaluate("document.getElementById('stepSlider').max") == str(count - 1)
        window.wait("document.getElementById('stepText').textContent.length > 0")
        said = set()
        for _ in range(count - 1):
            said.add(text_of(window, "stepText"))
            window.evaluate("document.getElementById('stepOn').click()")
        last = text_of(window, "stepText")
        assert last.startswith("Done" if language == "en" else "完成")
        assert "undefined" not in "".join(said) + last
        assert "NaN" not in "".join(said) + last
        assert window.evaluate("document.getElementById('stepOn').disabled") is True
        if expected["board"] == "graph":
            won = window.evaluate("document.querySelectorAll('#board .step-arc.won').length")
            assert won == len(expected["steps"][-1]["path"])
    assert window.complaints() == []


def test_playing_starts_and_pauses(window: browser.Browser, served: Served) -> None:
    open_service(window, served, f"language=en&text={TEXT}")
    pick(window, "speed", "fast")
    window.wait("document.getElementById('stepText').textContent.length > 0")
    window.evaluate("document.getElementById('play').click()")
    assert text_of(window, "play") == "pause"
    window.wait("document.getElementById('stepSlider').value > 2")
    window.evaluate("document.getElementById('play').click()")
    assert text_of(window, "play") == "play"


def test_at_most_five_paths(window: browser.Browser, served: Served) -> None:
    # more different answers than can be drawn
    text = "他说的确实在理研究生命起源乒乓球拍卖完了南京市长江大桥结婚的和尚未结婚的"
    open_service(window, served, f"language=en&text={text}")
    boxes = "[...document.querySelectorAll('#decoders input[type=checkbox]')]"
    answers = window.evaluate(f"{boxes}.length")
    for _ in range(answers):
        window.evaluate(f"{boxes}.find(b => !b.checked && !b.disabled)?.click()")
    drawn = window.evaluate(f"{boxes}.filter(b => b.checked).length")
    assert drawn == min(answers, 5)
    assert window.evaluate("document.getElementById('fullNote').hidden") is (drawn < 5)
    # told apart by dashes and signs too
    dashes = window.evaluate(
        "[...new Set([...document.querySelectorAll('#graph .on-path')]"
        ".map(p => p.style.strokeDasharray))].length"
    )
    assert dashes == drawn
    signs = window.evaluate("document.querySelector('#graph').textContent")
    assert all(sign in signs for sign in "①②③④⑤"[:drawn])
    window.evaluate(f"{row_of('forward-max')}.querySelector('td').click()")
    assert window.evaluate(f"{boxes}.filter(b => b.checked).length") == drawn
    chosen = window.evaluate("document.querySelector('#decoders tr.chosen').textContent")
    assert "forward-max" in chosen


def test_a_long_text(window: browser.Browser, served: Served) -> None:
    sentence = "研究生命起源的人说的确实在理。"
    open_service(window, served, f"language=en&text={TEXT}")
    type_text(window, sentence * 100)
    window.wait("document.querySelectorAll('#running .token').length > 500")
    assert window.evaluate("document.getElementById('drawn').hidden") is True
    assert "1,500 characters" in text_of(window, "note")
    window.evaluate("document.querySelectorAll('#running .token')[20].click()")
    window.wait("!document.getElementById('drawn').hidden")
    assert window.evaluate("document.querySelector('#graph title').textContent") == sentence
    assert window.evaluate("document.querySelectorAll('#running .token').length") > 500
    # too much: it is said, and nothing else is left
    type_text(window, "长" * 20001)
    window.wait("!document.getElementById('message').hidden")
    assert "20,001" in text_of(window, "message")
    assert window.evaluate("document.getElementById('main').hidden") is True
    type_text(window, TEXT)
    window.wait("document.getElementById('message').hidden")
    window.wait("!document.getElementById('drawn').hidden")
    assert window.complaints() == []


def test_addresses_and_settings(window: browser.Browser, served: Served) -> None:
    open_service(window, served, f"language=zh&text={TEXT}&preset=fast&mode=index")
    value = "document.getElementById('{}').value"
    assert window.evaluate(value.format("preset")) == "fast"
    assert window.evaluate("document.querySelectorAll('#search .term').length") > 7
    # an open tab follows the address
    window.evaluate("location.hash = 'text=乒乓球拍卖完了&standard=pku'")
    window.wait(f"{CRF}.startsWith('乒乓球')")
    assert window.evaluate(value.format("standard")) == "pku"
    assert window.evaluate(value.format("preset")) == ""
    assert window.evaluate("document.getElementById('searchSection').hidden") is True
    pick(window, "preset", "accurate")
    window.wait("document.querySelector('#decoders tr.chosen').dataset.name === 'bilstm-crf'")
    assert "preset=accurate" in window.evaluate("location.hash")
    pick(window, "share", "network")
    network = window.evaluate("document.querySelector('#scores tbody tr:nth-child(2)').textContent")
    pick(window, "share", "linear")
    linear = window.evaluate("document.querySelector('#scores tbody tr:nth-child(2)').textContent")
    assert network != linear
    pick(window, "costs", "bigram")
    assert "≥" in window.evaluate("document.querySelector('#graph').textContent")
    assert window.complaints() == []


# --- how it looks --------------------------------------------------------------------------------

LINES = (
    "研究人员说，在南京市长江大桥上，他说的确实在理；而且，从云计算到人工智能，人们（还）会继续研究。",
    "臺灣大學的圖書館裡，有許多從國外回來的學生；他們說：「這裡的確實在太安靜了。」",
    "第一行，有几个词。\n第二行：他说的确实在理，而且这一行长得要换行。\n\n👨‍👩‍👧‍👦也有表情🇨🇳。",
    "见https://example.com/" + "a/b-c" * 12 + "，他说。",
)


@pytest.mark.parametrize("text", LINES)
def test_words_stay_whole_on_their_lines(
    window: browser.Browser, served: Served, text: str
) -> None:
    """No word is broken, no line begins with a comma, nothing is cut off."""
    open_service(window, served, f"language=zh&pos=no&text={quote(text)}")
    for tags in (False, True):
        if tags:
            window.evaluate("document.getElementById('showPos').click()")
        for width in (390, 768, 1440):
            window.size(width, 900)
            keep(window, f"lines-{LINES.index(text)}-{width}-{tags}")
            seen_words = window.evaluate(
                "(() => { const box = document.getElementById('running');"
                " const all = [...box.querySelectorAll('.token')].map(e => [e.firstChild.data,"
                "   e.getBoundingClientRect(), parseFloat(getComputedStyle(e).fontSize)]);"
                " const lines = new Map();"
                " for (const [word, r] of all) {"
                "   const y = Math.round(r.bottom); if (!lines.has(y)) lines.set(y, word); }"
                f" const most = {3 if tags else 2};"
                " return { broken: all.filter(([w, r, size]) => r.height > size * most"
                "   && w.length <= 12).map(([w]) => w),"
                "   firsts: [...lines.values()], hidden: box.scrollHeight - box.clientHeight,"
                "   wide: document.documentElement.scrollWidth }; })()"
            )
            assert seen_words["broken"] == []
            assert not {first[0] for first in seen_words["firsts"]} & set("，。；：」）、！？")
            assert seen_words["hidden"] <= 1
            assert seen_words["wide"] <= width
    window.evaluate("document.getElementById('showPos').click()")
    assert window.complaints() == []


def test_a_label_is_under_its_own_arc(window: browser.Browser, served: Served) -> None:
    window.size(390, 900)
    for text in (TEXT, "研究人员在南京市长江大桥上"):
        open_service(window, served, f"language=zh&text={text}")
        overflow = window.evaluate(
            "(() => { const svg = document.getElementById('graph');"
            " const arcs = [...svg.querySelectorAll('.target')].map(a => [a, a.getBBox()]);"
            " const point = (x, y) => Object.assign(svg.createSVGPoint(), {x, y});"
            " return [...svg.querySelectorAll('.cost')].filter(label => {"
            "  const b = label.getBBox();"
            "  const corners = [b.x + 1, b.x + b.width - 1].flatMap("
            "   x => [point(x, b.y + 3), point(x, b.y + b.height - 3)]);"
            "  return !arcs.some(([arc, a]) => Math.abs(a.x + a.width / 2 - b.x - b.width / 2) < 1"
            "   && corners.every(p => arc.isPointInFill(p))); })"
            "  .map(label => label.textContent); })()"
        )
        assert overflow == []
        frames = window.evaluate("document.querySelectorAll('#graph .frame').length")
        assert frames == len(seg.cut(text))


def test_a_finger_is_told_to_tap(window: browser.Browser, served: Served) -> None:
    window.size(390, 900)
    try:
        window.touch(True)
        for language, tap in (("en", "Tap "), ("zh", "点一")):
            open_service(window, served, f"language={language}&pos=no&text={TEXT}")
            for place in ("tokenDetail", "detail"):
                assert text_of(window, place).startswith(tap)
        box = "document.querySelectorAll('#running .token')[3].getBoundingClientRect()"
        window.tap(window.evaluate(f"{box}.x") + 9, window.evaluate(f"{box}.y") + 9)
        window.wait("document.getElementById('tokenDetail').textContent.startsWith('确实')")
        assert window.evaluate("document.querySelectorAll('#running .linked').length") == 1
    finally:
        window.touch(False)
    open_service(window, served, f"language=en&text={TEXT}")
    assert text_of(window, "detail").startswith("Point at ")


def test_the_page_says_whose_it_is(window: browser.Browser, served: Served) -> None:
    for language, install in (("en", "To install it"), ("zh", "安装")):
        open_service(window, served, f"language={language}&text={TEXT}")
        said = window.evaluate("document.querySelector('footer').textContent")
        assert f"segmenter-zh {seg.__version__}" in said
        assert install in said
        assert seg.load().fingerprint in said
        assert (ROOT / text_of(window, "documents")).is_file()


def test_the_chinese_page_gives_its_reasons_in_chinese(
    window: browser.Browser, served: Served
) -> None:
    text = "他在2026年3月5日说的确实在理😀见http://a.cn，魑魅iPhone 15"
    open_service(window, served, f"language=zh&text={quote(text)}&words=在理 = force")
    cells = "[...document.querySelectorAll('#why tbody td:nth-child(6)')].map(c => c.textContent)"
    said = "\n".join(window.evaluate(cells))
    said = re.sub("general-balanced.model|级别 force", "", said)  # names
    assert not re.search(r"[a-z]{3}", said), said


def test_a_link_keeps_what_is_shown(
    window: browser.Browser, served: Served, tmp_path: Path
) -> None:
    link = "document.getElementById('permalink')"
    open_service(window, served, f"language=en&pos=no&text={TEXT}")
    pick(window, "preset", "fast")
    window.wait("document.querySelector('#decoders tr.chosen').dataset.name === 'perceptron'")
    window.evaluate("document.getElementById('showPos').click()")
    window.evaluate(f"{row_of('forward-max')}.querySelector('input[type=radio]').click()")
    pick(window, "language", "zh")
    address = window.evaluate(f"{link}.href")
    window.evaluate("localStorage.clear()")
    open_service(window, served, address.partition("#")[2])
    assert window.evaluate("document.documentElement.lang") == "zh-Hans"
    assert window.evaluate("document.getElementById('preset').value") == "fast"
    assert window.evaluate("document.querySelectorAll('#running .pos').length") == 5
    assert window.evaluate("document.querySelector('#decoders tr.chosen').dataset.name") == (
        "forward-max"
    )
    assert window.evaluate(f"{link}.href") == address
    window.evaluate("document.getElementById('showPos').click()")
    # a text that fits no link has none
    type_text(window, "长" * 2001)
    window.wait(f"{link}.hidden")
    # a file has links to its sentences
    page = tmp_path / "page.html"
    assert main(["explain", "--html", str(page), TEXT, "研究生命起源"]) == 0
    open_file(window, page, f"#text={quote('研究生命起源')}")
    assert answers(window)["crf"] == ["研究", "生命", "起源"]
    assert quote("研究生命起源") in window.evaluate(f"{link}.href")
    assert window.complaints() == []


def test_drawings_are_exported(window: browser.Browser, served: Served) -> None:
    open_service(window, served, f"language=en&text={TEXT}")
    window.evaluate(
        "window.saved = []; HTMLAnchorElement.prototype.click = function () {"
        " fetch(this.href).catch(() => {}); window.saved.push([this.download, this.href]); }"
    )
    for kind in ("svg", "png"):
        window.evaluate(f"document.getElementById('{kind}Graph').click()")
        window.evaluate(f"document.getElementById('{kind}Board').click()")
    window.wait("window.saved.length === 4")
    names = {name for name, _ in window.evaluate("window.saved")}
    assert names == {
        "segmenter-graph.svg", "segmenter-graph.png", "segmenter-unigram.svg",
        "segmenter-unigram.png",
    }  # fmt: skip


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_axe_finds_nothing(
    window: browser.Browser, served: Served, language: str, theme: str, width: int, media: str
) -> None:
    """axe-core (https://github.com/dequelabs/axe-core), where SEGMENTER_AXE names its file."""
    axe = os.environ.get("SEGMENTER_AXE")
    if axe is None:
        pytest.skip("SEGMENTER_AXE does not name axe.min.js of axe-core")
    if media == "print" and width < 600:
        pytest.skip("paper is not as narrow")
    rules = Path(axe).read_text("utf-8")
    window.size(width, 800)
    window.media(media)
    try:
        fragment = f"language={language}&theme={theme}&mode=index&text={TEXT}&words=云计算 = forced"
        open_service(window, served, fragment)
        window.wait("document.getElementById('stepText').textContent.length > 0")
        window.evaluate(f"{rules}; 0")
        window.evaluate(
            "window.found = null;"
            "axe.run().then(r => { window.found = r.violations.map(v => v.id); }); 0"
        )
        window.wait("window.found !== null", 120)
        keep(window, f"axe-{language}-{theme}-{width}-{media}")
        assert window.evaluate("window.found") == []
    finally:
        window.media("screen")
