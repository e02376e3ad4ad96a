"""Typed atoms by regular expressions (``atoms/atoms.hpp``)."""

from __future__ import annotations

import re

from segmenter.text import chars


class AtomRules:
    """Typed atoms by regular expressions: the rules that are on by default, except clusters.

    The kernel reads a chunk of ASCII and full-width characters one by one; here the rules are
    patterns over the folded text, tried in the kernel's order where a run of letters and digits
    begins.  (The oracle of clusters is ``\\X`` of the package ``regex``; that of numbers, units,
    spoken times and telephone numbers is tests/atoms_cases.tsv.)

    >>> AtomRules("见https://a.cn/b。10:30，X-900").find()
    [(1, 15, 'url'), (16, 21, 'time'), (22, 27, 'code')]
    """

    _TOP = re.compile(
        "com|cn|net|org|edu|gov|mil|int|info|biz|io|ai|co|tv|cc|top|xyz|vip|app|dev|shop|site|club|"
        "online|tech|store|cloud|live|hk|tw|mo|jp|kr|uk|de|fr|ru|eu|sg|au|ca"
    )
    _VERSION = re.compile(
        r"(\d+(?:\.\d+){1,7})(?!\.\d)(?:[-.+_]?(?:alpha|beta|rc|a|b|dev|pre|preview|snapshot|final|"
        r"release|post|lts|stable|build|ga|sp|p)(?![a-z])(?:\d+|\.\d+)?(?![a-z0-9]))?",
        re.I | re.A,
    )
    _CLOCK = re.compile(
        r"(?:2[0-4]|[01]?\d):[0-5]\d(?!\d)"
        r"(?:(?!:\d)|:(?:[0-5]\d|60)(?!\d)(?:\.\d{1,9}(?!\d))?)",
        re.A,
    )
    _ZONE = re.compile(r"(?:Z(?![A-Za-z0-9])|[+-]\d\d:?\d\d(?![A-Za-z0-9]))?", re.I | re.A)
    _DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?!\d)(?!\2\d)", re.A)
    _HOST = re.compile("{0}(?:\\.{0})*".format("[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9-]))*"))
    _URL = re.compile(r"[A-Za-z][A-Za-z0-9]{1,15}://(?=[A-Za-z0-9\[])")
    _LOCAL = re.compile(r"[A-Za-z0-9._%+'-]{1,64}(?<!\.)@")
    _IP6 = re.compile(r"[0-9A-Fa-f:;]+(?![A-Za-z0-9:;])")
    _GROUPS = re.compile(
        r"(?:[0-9a-f]{1,4}(?::(?=[0-9a-f])|(?=$|:[:;])))*"
        r"(?::[:;](?:[0-9a-f]{1,4}(?::(?=[0-9a-f])|$))*)?",
        re.I,
    )
    _CODE = re.compile(r"[A-Za-z0-9]+(?:(?:-|(?<=\d)\.(?=\d))[A-Za-z0-9]+)*", re.A)
    _STANDARD = re.compile(
        r"[A-Z]{2,6}/[A-Z]{1,5}(?![A-Za-z]) ?"
        r"(\d{1,6}(?!\d)(?:\.\d{1,9})*+(?:[-:]\d{4}(?!\d))?+)(?![A-Za-z0-9])",
        re.A,
    )
    _URL_CHARS = frozenset("-._~:/?#[]@!$&'()*+,;=%")

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = "".join(map(self._fold, text)) + "\0" * 8  # also what precedes the text
        self.found: list[tuple[int, int, str]] = []
        self.a = self.b = 0  # the chunk

    @staticmethod
    def _fold(c: str) -> str:
        if c.isascii():
            return c if " " < c < "\x7f" else "\0"
        if "\uff01" <= c <= "\uff5e":
            half = chr(ord(c) - 0xFEE0)
            return half if half.isalnum() or half in "./-@#%+_&=~:'" else "\0"
        if c in "\u2019\u2236\u2212\u2010\u2011":
            return {"\u2019": "'", "\u2236": ":"}.get(c, "-")
        latin = "\xc0" <= c < "\u2c80" and _class(c) == chars.LATIN
        return "z" if latin else "\0"

    def _wide(self, k: int) -> bool:
        return k < len(self.text) and not self.text[k].isascii()

    def _at(self, k: int) -> str:
        return self.folded[k] if self.a <= k < self.b else "\0"

    @staticmethod
    def _alnum(c: str) -> bool:
        return c.isascii() and c.isalnum()

    def _end(self, k: int, classes: str) -> int:
        """Where the run of ``a`` letters, ``d`` digits or ``ad`` both ends."""
        while (c := self._at(k)) and (
            (c.isalpha() and "a" in classes) or (c.isdigit() and "d" in classes)
        ):
            k += 1
        return k

    def find(self) -> list[tuple[int, int, str]]:
        k = 0
        while k < len(self.text):
            if self.folded[k] == "\0":
                k = self._formula(k) or k + 1
                continue
            self.a, self.b = k, self.folded.index("\0", k)
            plate = self._plate(k)
            if plate:
                k = plate
                continue
            k = self._read() if self._worth() else self.b
        return self.found

    def _worth(self) -> bool:
        """Whether the scan stops anywhere in the chunk."""
        for k in range(self.a, self.b):
            before, c, after = self.folded[k - 1], self.folded[k], self.folded[k + 1]
            if c in "@#+_" or (c == ":" and after in "/:"):
                return True
            if c in ".:/-'" and self._alnum(before) and self._alnum(after):
                return True
        return False

    def _read(self) -> int:
        p = self.a
        while p < self.b:
            c, e = self.folded[p], 0
            if c == "@":
                e = self._mention(p)
            elif c == "#":
                e = self._hashtag(p)
            elif c == ":" and self._at(p + 1) == ":":
                e = self._take("ip", p, self._ip6(p))
                while not e and self._at(p + 1) == ":":
                    p += 1
            elif c == "_":
                e = self._take("code", p, self._identifier(p)) or self._underscores(p)
            elif self._alnum(c):
                e = self._run(p)
            p = e if e > p else self._end(p, "ad") if self._alnum(c) else p + 1
        return p

    def _take(self, name: str, s: int, e: int) -> int:
        """``e`` if the atom cuts nothing around it, else 0."""
        if not e:
            return 0
        is_word = self._alnum(self.folded[e]) and self._alnum(self.folded[e - 1])
        if not self._follows(s):
            is_word |= self._alnum(self.folded[s]) and self._alnum(self.folded[s - 1])
        if is_word or (self.found and self.found[-1][1] > s):
            return 0
        self.found.append((s, e, name))
        return e

    def _run(self, p: int) -> int:
        q = self._end(p, "ad")
        digits = self.folded[p].isdigit()
        return (
            self._take("url", p, self._url(p))
            or self._take("email", p, self._email(p))
            or self._take("ip", p, self._ip6(p))
            or self._take("url", p, self._domain(p, q))
            or self._take("code", p, self._identifier(p))
            or self._take("code", p, self._file(p))
            or (self._digits(p, q) if digits else 0)
            or (
                self._take("version", p, self._version(p + 1, 2))
                if self.folded[p] in "vV" and self._at(p + 1).isdigit()
                else 0
            )
            or self._take("code", p, self._code(p, q))
            or self._take("code", p, self._standard(p))
            or self._take("latin", p, self._latin(p, q))
        )

    def _follows(self, k: int) -> bool:
        """Whether an atom ends where ``k`` begins."""
        return bool(self.found) and self.found[-1][1] == k

    def _joined(self, p: int, marks: str = "-_@/.\\") -> bool:
        """Whether a mark joins ``p`` to letters or digits."""
        return self._at(p - 1) in marks and self._alnum(self._at(p - 2))

    def _with_number(self, e: int, mark: str, limit: int) -> int:
        """Past a mark at ``e`` and at most ``limit`` digits, such as a port; else ``e``."""
        end = self._end(e + 1, "d")
        ends = self._at(e) == mark and 1 < end - e <= limit + 1 and not self._at(end).isalpha()
        return end if ends else e

    # --- hosts

    def _url(self, p: int) -> int:
        m = self._URL.match(self.folded, p, self.b)
        if not m:
            return 0
        return self._url_end(p, m.end(), self._wide(m.end() - 2) and self._wide(m.end() - 1))

    def _url_end(self, p: int, start: int, wide: bool) -> int:
        e = start
        while (c := self._at(e)) != "\0" and (self._alnum(c) or c in self._URL_CHARS):
            if (self._wide(e) and not wide) or (
                c in ",;" and self.folded.startswith("http", e + 1)
            ):
                break
            e += 1
        while e > start:
            part, last = self.folded[p:e], self.folded[e - 1]
            unbalanced = any(
                last in pair and part.count(pair[0]) != part.count(pair[1])
                and (last == pair[1]) == (part.count(pair[1]) > part.count(pair[0]))
                for pair in ("()", "[]")
            )  # fmt: skip
            if not unbalanced and last not in ".,;:!?'*~":
                break
            e -= 1
        return e

    def _email(self, p: int) -> int:
        m = self._LOCAL.match(self.folded, p, self.b)
        host = m and self._HOST.match(self.folded, m.end(), self.b)
        if not host:
            return 0
        labels = host.group().split(".")
        while len(labels) >= 2:
            top = re.match(r"[A-Za-z]{2,}(?=-|$)", labels[-1])
            if top:
                return host.start() + len(".".join(labels[:-1])) + 1 + top.end()
            labels.pop()
        return 0

    def _domain(self, p: int, q: int) -> int:
        first = self.folded[p:q].lower()
        if self._at(p - 1) in "@.-_/":
            return 0
        if first == "localhost" and self._at(q) == ":" and self._at(q + 1).isdigit():
            e = q
        else:
            host = self._HOST.match(self.folded, p, self.b)
            if self._at(q) not in ".-" or not host:
                return 0
            labels, e = host.group().split("."), host.end()
            is_known = bool(self._TOP.fullmatch(labels[-1].lower()))
            if len(labels) < 2 or not (is_known or (first == "www" and len(labels) > 2)):
                return 0
            if len(first) < 2 and len(labels) < 3 and self._at(e) != "/":
                return 0
            if len(labels) == 2 and labels[1][0] == "N" and len(labels[1]) == 3:
                return 0
        if not self._wide(e):
            e = self._with_number(e, ":", 5)
        if self._at(e) in "/?" and (not self._wide(e) or self._wide(p)):
            return self._url_end(p, e, self._wide(p))
        return e

    def _ip6(self, p: int) -> int:
        if (c := self._at(p - 1)) in ":." or self._alnum(c):
            return 0
        marked = "".join(
            ";" if c == ":" and self._wide(k) else c for k, c in enumerate(self.folded)
        )
        m = self._IP6.match(marked, p, self.b)
        if not m:
            return 0
        s, e = m.group(), m.end()
        groups = re.findall(r"[0-9A-Fa-f]+", s)
        colons = s.count(":") + s.count(";")
        gaps = len(re.findall(r":[:;]", s))
        if not self._GROUPS.fullmatch(s) or colons < 2 or not any(c.isdigit() for c in s):
            return 0
        if (gaps and len(groups) > 7) or (not gaps and len(groups) != 8):
            return 0
        return self._with_number(e, "/", 3)

    # --- digits

    def _digits(self, p: int, q: int) -> int:
        if self._joined(p, ".:/-,_") and not self._follows(p - 1):
            return 0
        m = re.compile(r"\d+(?:\.\d+)*", re.A).match(self.folded, p, self.b)
        assert m
        parts, i = m.group().split("."), m.end()
        if len(parts) > 8:
            return i
        if len(parts) == 4 and all(len(x) <= 3 and int(x) <= 255 for x in parts):
            e = self._with_number(i, "/", 2)
            if e == i and not self._wide(i):
                e = self._with_number(i, ":", 5)
            if not self._at(i).isalpha() and self._take("ip", p, e):
                return e
        e = self._take("date", p, self._date(p)) or self._take("time", p, self._time(p))
        e = e or (self._take("version", p, self._version(p, 3)) if len(parts) > 1 else 0)
        if e or len(parts) > 2:
            return e or i
        return self._take("code", p, self._code(p, q)) or (i if i > q else 0)

    def _date(self, p: int) -> int:
        m = self._DATE.match(self.folded, p, self.b)
        if not m:
            return 0
        x, y, z = int(m[1]), int(m[3]), int(m[4])

        def day(year: int, month: int, of_month: int) -> bool:
            return 1000 <= year < 3000 and 1 <= month <= 12 and 1 <= of_month <= 31

        big = len(m[1]) == 4 and len(m[4]) <= 2 and day(x, y, z)
        small = m[2] == "/" and len(m[1]) <= 2 and len(m[4]) == 4 and (day(z, x, y) or day(z, y, x))
        if not big and not small:
            return 0
        if big and m[2] == "-" and self._at(m.end()) in "Tt":
            clock = self._CLOCK.match(self.folded, m.end() + 1, self.b)
            if clock:
                zone = self._ZONE.match(self.folded, clock.end(), self.b)
                return zone.end() if zone else clock.end()
        return 0 if self._at(m.end()).isalpha() else m.end()

    def _time(self, p: int) -> int:
        m = self._CLOCK.match(self.folded, p, self.b)
        if not m:
            return 0
        half = re.compile(r"[ap]m(?![a-z0-9])", re.I | re.A).match(self.folded, m.end(), self.b)
        if half:
            return half.end()
        after = re.compile(r"[A-Za-z0-9%]|[:.]\d", re.A).match(self.folded, m.end(), self.b)
        return 0 if after else m.end()

    def _version(self, p: int, least: int) -> int:
        m = self._VERSION.match(self.folded, p, self.b)
        if not m:
            return 0
        if m.end() > m.end(1):
            return m.end()
        return m.end() if m[1].count(".") + 1 >= least and not self._alnum(self._at(m.end())) else 0

    # --- letters

    def _code(self, p: int, q: int) -> int:
        if self._joined(p):
            return 0
        letters = self._end(p, "a")
        if letters == q and q - p <= 3 and self.folded.startswith("++", q) and q + 1 < self.b:
            e = self._end(q + 2, "d")
            return 0 if self._at(e).isalpha() or self._at(e) == "+" else e
        if letters == q == p + 1 and self._at(q) == "#" and self.folded[p] in "cfjCFJ":
            return 0 if self._alnum(self._at(q + 1)) or self._at(q + 1) == "#" else q + 1
        m = self._CODE.match(self.folded, p, self.b)
        assert m
        parts: list[str] = []
        e = p  # the end of the joined parts
        for part in re.split(r"([-.])", m.group()):
            version = letters == p + 1 and self.folded[p] in "vV"
            if part == "." and (version or not any(c.isalpha() for c in "".join(parts))):
                break
            parts.append(part)
            e += len(part)
        joined, name = "".join(parts), parts[0]
        if name.isdigit() and not (
            len(name) <= 2 and parts[1:2] == ["-"] and "A" <= parts[2][0] <= "Z"
        ):
            return 0
        kinds = any(c.isalpha() for c in joined), any(c.isdigit() for c in joined)
        if len(joined) > 40 or len(parts) > 15 or len(parts) == 1 or not all(kinds):
            return 0
        return e if self._at(e) not in "_@" else 0

    _PART = re.compile(r"(?:[A-Za-z0-9]|_(?!__)){1,64}(?![A-Za-z0-9_])", re.A)

    def _identifier(self, p: int) -> int:
        before = self._at(p - 1)
        if self._alnum(before) or before == "_":
            return 0
        if self._joined(p, "@.-") and not self._follows(p):
            return 0
        m = self._PART.match(self.folded, p, self.b)
        if not m or not re.search("[A-Za-z]", m.group()):
            return 0
        e = m.end()
        while self._at(e) == "-" and self._alnum(self._at(e + 1)) and e - p < 64:
            m = self._PART.match(self.folded, e + 1, self.b)
            if not m:
                break
            e = m.end()
        if "_" not in self.folded[p:e] or self._at(e) == "@":
            return 0
        if re.fullmatch("_(?!_).*(?<!_)_", self.folded[p:e]):
            return 0
        file = re.compile(r"\.[A-Za-z0-9]{1,4}(?![A-Za-z0-9_.(@])", re.A)
        m = file.match(self.folded, e, self.b)
        return m.end() if m else e

    def _underscores(self, p: int) -> int:
        e = p
        while self._at(e) == "_":
            e += 1
        if e > p + 1:
            self._take("code", p, e)
        return e

    _FILE = re.compile(
        r"[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*\.([A-Za-z0-9]+)(?![-.][A-Za-z0-9])", re.A
    )
    _FILE_TYPE = re.compile(
        "py|ipynb|[jt]sx?|css|html?|xml|json|ya?ml|toml|ini|cfg|conf|txt|[ct]sv|md|rst|tex|pdf|"
        "docx?|xlsx?|pptx?|odt|rtf|png|jpe?g|gif|bmp|svg|webp|mp[34]|avi|mov|mkv|wav|flac|zip|rar|"
        "tar|t?gz|exe|dll|apk|dmg|iso|jar|cpp|cc|hpp|java|kt|php|rb|rs|go|sh|bat|sql"
    )

    def _file(self, p: int) -> int:
        if self._joined(p, "-_@."):
            return 0
        m = self._FILE.match(self.folded, p, self.b)
        if not m or len(m.group()) > 64 or not self._FILE_TYPE.fullmatch(m[1].lower()):
            return 0
        return 0 if self._at(m.end()) in "_@(" else m.end()

    def _plate(self, k: int) -> int:
        if (
            k == 0
            or self.text[k - 1]
            not in "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
        ):
            return 0
        line = "".join(
            c if c != "\0" else real
            for c, real in zip(self.folded, self.text + "\0" * 8, strict=True)
        )
        plate = re.compile("[A-Z][\xb7\u2022]?([A-Z0-9]{4,6})(?![A-Z0-9])([学學警挂掛港澳领領]?)")
        m = plate.match(line, k)
        if not m or sum(c.isdigit() for c in m[1]) < 2 or len(m[1] + m[2]) < 5:
            return 0
        return self._take("code", k - 1, m.end() if len(m[1]) == 4 else m.end(1))

    def _standard(self, p: int) -> int:
        text = self.folded.replace("\0", "\1")
        for k, c in enumerate(self.text):
            if c in " \u3000":
                text = text[:k] + " " + text[k + 1 :]
        m = self._STANDARD.match(text, p)
        slash = self._end(p, "ad")
        return m.end() if m and self._at(slash) == "/" and slash < self.b else 0

    def _latin(self, p: int, q: int) -> int:
        if self._joined(p) or self._end(p, "a") != q:
            return 0
        e = q
        while self._at(e) in "'-" and self._at(e) != "\0" and self._at(e + 1).isalpha():
            after = self._end(e + 1, "ad")
            if self._end(e + 1, "a") != after:
                break
            if self._at(e) == "'" and self._wide(e):
                quoted = re.search(r"\u2018[^\u2019\n]*$", self.text[max(0, e - 32) : e])
                short = self.folded[e + 1 : after].lower() in ("s", "t", "re", "ve", "ll", "d", "m")
                if quoted and not short:
                    break
            e = after
        return e if e > q and self._at(e) not in "_@" else 0

    _FORMULA = re.compile(
        r"(?:[A-Za-z0-9²³¹⁰⁴-⁹⁺⁻₀-₉μµΩΩ]|(?<=\d)(?:\.(?=\d)|,(?=\d{3}(?!\d))))+", re.A
    )

    def _formula(self, k: int) -> int:
        """100m², CO₂, 10μm, 5kΩ: what stands around a small digit or the letter of a unit."""
        c, before = self.text[k], self.folded[k - 1]
        if c not in "²³¹⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉μµΩΩ":
            return 0
        if c in "μµ" and not (before.isdigit() and self.folded[k + 1].isalpha()):
            return 0
        form = "".join(f if f != "\0" else c for f, c in zip(self.folded, self.text, strict=False))
        least = self.found[-1][1] if self.found else 0
        s = next(s for s in range(least, k + 1) if self._FORMULA.fullmatch(form, s, k + 1))
        m = self._FORMULA.match(form.replace(".", " ").replace(",", " "), k)
        if c in "ΩΩ" and not form[s].isdigit():
            return 0
        return self._take("latin", s, m.end()) if m and self._alnum(form[s]) else 0

    # --- names

    def _in_name(self, k: int) -> bool:
        if k >= len(self.text):
            return False
        return self.text[k] in "_\uff3f" or _class(self.text[k]) in self._NAME

    _NAME = frozenset((
        chars.DIGIT, chars.LATIN, chars.HANNUM, chars.HAN, chars.GREEK, chars.CYRILLIC,
        chars.KATAKANA, chars.HIRAGANA, chars.HANGUL, chars.LETTER, chars.EXTEND,
    ))  # fmt: skip

    def _mention(self, k: int) -> int:
        if (self._alnum(self.folded[k - 1]) or self.text[k - 1 : k] == "_") and not (
            self._follows(k)
        ):
            return 0
        e = k + 1
        while e - k <= 31 and (
            self._in_name(e)
            or (e < len(self.text) and self.text[e] in "-\xb7" and self._in_name(e + 1))
        ):
            e += 1
        name = self.text[k + 1 : e]
        named = any(_class(c) != chars.DIGIT and c != "-" for c in name)
        width = len(name) + sum(_class(c) in (chars.HAN, chars.HANNUM) for c in name)
        if not named or len(name) < 2 or width > 30 or _class(name[0]) == chars.EXTEND:
            return 0
        self.found.append((k, e, "mention"))
        return e

    def _hashtag(self, k: int) -> int:
        text = self.text
        before = self.folded[k - 1]
        if (self._alnum(before) or before in "#&_/") and not self._follows(k):
            return 0
        first = text[k + 1 : k + 2]
        if not first or first in "#\uff03" or _class(first) in (chars.BLANK, chars.EXTEND):
            return 0
        m = re.compile(r"[^#\uff03\n\r]{1,64}(?=[#\uff03])").match(text, k + 1)
        if m and _class(m.group()[-1]) != chars.BLANK and m.group()[-1] not in ",，、":
            host, after = m.group(), text[m.end() + 1 : m.end() + 2]
            named = any(
                self._in_name(j) and _class(text[j]) != chars.DIGIT for j in range(*m.span())
            )
            ascii_name = all(c.isascii() and self._in_name(k + 1 + j) for j, c in enumerate(host))
            run_on = ascii_name and after.isascii() and self._in_name(m.end() + 1)
            digits = [c and _class(c) == chars.DIGIT for c in (host[0], after)]
            if named and not run_on and not all(digits):
                self.found.append((k, m.end() + 1, "hashtag"))
                return m.end() + 1
        e = k + 1
        while self._in_name(e) and e - k <= 31:
            e += 1
        name = text[k + 1 : e]
        count = next(
            (j for j, c in enumerate(name) if _class(c) != chars.DIGIT and c != "_"), len(name)
        )
        if count == len(name) or len(name) > 30 or 0 < count < 3:
            return 0
        self.found.append((k, e, "hashtag"))
        return e


def _class(c: str) -> int:
    return chars.char_class(chars.fold(ord(c)))
