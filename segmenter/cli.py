"""The command line: ``segmenter cut|tokenize|explain|discover|subword|train|adapt|build|export|…``.

Exit codes: 0 done; 1 a file is missing, damaged or in another encoding than was said; 2 the command
line is wrong; 130 Ctrl-C; 141 whoever read the output has gone (as for any filter).
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from segmenter._version import __version__
from segmenter.engine import (
    DECODERS,
    DEFAULT_PRESET,
    LATTICE,
    MATCHERS,
    MODES,
    OOV,
    PRESETS,
    SKIP,
    STANDARDS,
    load,
)
from segmenter.errors import ArgumentError, DictionaryError, SegmenterError
from segmenter.types import UNITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import IO, Any

    from segmenter.engine import Segmenter
    from segmenter.types import Tokens

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

DONE, BAD_DATA, BAD_USAGE, INTERRUPTED, NO_READER = 0, 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code.

    Args:
        arguments: the command line without the program's name; None takes the process's own.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    given.line = _line(sys.argv[1:] if arguments is None else arguments)
    run: Callable[[argparse.Namespace], int] = given.run
    try:
        code = run(given)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes once more at exit: give it somewhere to
        with suppress(OSError, AttributeError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    except ArgumentError as e:
        _say(given.command, _in_options(str(e)))
        return BAD_USAGE
    except SegmenterError as e:
        _say(given.command, _in_options(str(e)))
        return BAD_DATA
    except OSError as e:
        name = "" if e.filename is None else f"{os.fsdecode(e.filename)}: "
        remedy = ""
        if isinstance(e, FileNotFoundError):
            remedy = ": check the name and the folder"
        _say(given.command, f"{name}{e.strerror or e}{remedy}")
        return BAD_DATA


def _line(arguments: Sequence[str]) -> str:
    """The command line as one would type it, for cards."""
    from shlex import join

    return join(["segmenter", *arguments])


def _say(command: str, text: str) -> None:
    if sys.stderr is not None:
        print(f"segmenter {command}: {text}", file=sys.stderr)


def _in_options(message: str) -> str:
    """Messages of the library name its arguments: here they are options."""
    for argument, option in (
        ("encoding='gb18030'", "--encoding gb18030"),
        ("errors='replace'", "--errors replace"),
        ("decoder='unigram'", "--decoder unigram"),
    ):
        message = message.replace(argument, option)
    return message


# --- the options ---------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="segmenter",
        description="Chinese word segmentation.",
        epilog=_examples(
            "echo 他说的确实在理 | segmenter cut --sep /",
            "segmenter cut book.txt -o book.cut.txt -j 4",
            "segmenter COMMAND --help     (options and examples of a command)",
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"segmenter-zh {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, title="commands"
    )
    _add_cut(commands)
    _add_tokenize(commands)
    _add_explain(commands)
    _add_discover(commands)
    _add_subword(commands)
    _add_train(commands)
    _add_adapt(commands)
    _add_build(commands)
    _add_export(commands)
    _add_describe(commands)
    _add_eval(commands)
    return parser


def _examples(*lines: str) -> str:
    return "examples:\n" + "\n".join(f"  {line}" for line in lines)


def _command(
    commands: Subparsers,
    name: str,
    summary: str,
    *examples: str,
    run: Callable[[argparse.Namespace], int] | None = None,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=_examples(*examples),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if run is not None:
        parser.set_defaults(run=run)
    return parser


def _segmenter_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what cuts")
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--preset",
        choices=sorted(PRESETS),
        default=DEFAULT_PRESET,
        help=f"a preset that is shipped (default {DEFAULT_PRESET})",
    )
    which.add_argument("--model", metavar="PATH", help="a compiled lexicon or model instead")
    group.add_argument(
        "--standard",
        choices=STANDARDS,
        help="what a word is: general (names whole; default), or pku (the PKU benchmark's)",
    )
    group.add_argument(
        "--decoder",
        choices=DECODERS,
        metavar="NAME",
        help=f"instead of the preset's own: {', '.join(DECODERS)}",
    )
    group.add_argument(
        "--oov",
        choices=OOV,
        default=OOV[0],
        help="characters outside the lexicon: chars, one token each (default); keep, one token "
        "for neighbours; hmm or tagger, the words that this model finds in them; bpe or unigram, "
        "learnt subwords",
    )
    group.add_argument(
        "--skip",
        metavar="KINDS",
        default="",
        help=f"kinds of tokens to drop, by commas: {', '.join(SKIP)}",
    )
    group.add_argument(
        "--matcher",
        choices=MATCHERS,
        default=MATCHERS[0],
        help=f"what finds words in the lexicon (default {MATCHERS[0]}); all find the same",
    )
    _user_option(parser)


def _user_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--user",
        action="append",
        default=[],
        metavar="PATH",
        help="words of your own, a word a line (see `segmenter build user --help`), or compiled; a "
        "file or a folder; again for several",
    )


def _input_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="text, one after another; none or -: stdin"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        default="-",
        help="file to write, whole or not at all (default: stdout); always UTF-8",
    )
    parser.add_argument(
        "--encoding",
        default="utf-8",
        help="of the input: utf-8 (default), gb18030, big5, utf-16, …",
    )
    parser.add_argument(
        "--errors",
        choices=("strict", "replace"),
        default="strict",
        help="bytes that are not in the encoding: stop and name the line (strict, default), or "
        "put U+FFFD there and go on (replace)",
    )


def _load(given: argparse.Namespace) -> Segmenter:
    options: dict[str, Any] = {}
    if given.standard is not None:
        if given.model is not None and os.path.exists(given.model):
            from segmenter import artifact

            if artifact.open(given.model, verify=False).kind == "lexicon":
                raise ArgumentError("--standard: the lexicon given by --model is one; leave it out")
        options["standard"] = given.standard
    if given.model is not None and not os.path.exists(given.model):
        raise FileNotFoundError(2, "no such lexicon or model", given.model)
    skip = [kind.strip() for kind in given.skip.split(",") if kind.strip()]
    if unknown := [kind for kind in skip if kind not in SKIP]:
        raise ArgumentError(f"--skip: {unknown[0]!r} is none of {', '.join(SKIP)}")
    if given.user:
        from segmenter.lexicon.user import UserDictionary

        options["user"] = UserDictionary.load(given.user)
    return load(
        given.model or given.preset,
        decoder=given.decoder,
        oov=given.oov,
        skip=skip,
        matcher=given.matcher,
        **options,
    )


def _inputs(given: argparse.Namespace) -> list[str]:
    """The files to read, all known to be there before the first is read."""
    files: list[str] = given.files or ["-"]
    for file in files:
        if file == "-":
            continue
        status = os.stat(file)  # FileNotFoundError names the file
        if os.path.isdir(file):
            raise IsADirectoryError(21, "is a folder: give its files", file)
        output = getattr(given, "output", "-")
        if output != "-" and os.path.isfile(output) and os.path.samestat(status, os.stat(output)):
            raise ArgumentError(f"-o: {output} is also read: write to another file")
    return files


_LF = ord("\n")


class _Lines:
    """A binary file that knows whether a line is open at its end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.name = getattr(file, "name", None)
        self.flush = file.flush
        self.fileno = file.fileno
        self.isatty = file.isatty
        self.open_line = False

    def write(self, data: bytes | memoryview) -> int:
        from segmenter.files import write_all

        if data:
            self.open_line = data[-1] != _LF
        write_all(self._file, data)
        return len(data)

    def end_line(self) -> None:
        if self.open_line:
            self.write(b"\n")


@contextmanager
def _output(given: argparse.Namespace) -> Iterator[_Lines]:
    from segmenter.files import open_target

    with open_target(given.output) as file:
        yield _Lines(file)


# --- cut -----------------------------------------------------------------------------------------


def _add_cut(commands: Subparsers) -> None:
    parser = _command(
        commands,
        "cut",
        "cut text into words: one line in is one line out",
        "segmenter cut < in.txt > out.txt",
        "segmenter cut a.txt b.txt -o out.txt --sep / -j 2",
        "segmenter cut --encoding gb18030 --errors replace old.txt",
        "segmenter cut --standard pku --decoder bigram --skip space in.txt",
        run=_cut,
    )
    _input_options(parser)
    parser.add_argument(
        "--sep", default=" ", help=r"between two words (default: a blank); \t is a tab"
    )
    parser.add_argument(
        "-j", "--threads", type=int, default=1, metavar="N", help="threads; 0: one a processor"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on a terminal")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="lines, size and speed on stderr at the end"
    )
    _segmenter_options(parser)


def _cut(given: argparse.Namespace) -> int:
    files = _inputs(given)
    segmenter = _load(given)
    threads = given.threads or _processors()
    with _output(given) as out:
        for file in files:
            out.end_line()  # a last line without an end is a line, whatever file follows
            summary = segmenter.cut_file(
                file,
                out,  # type: ignore[arg-type]  # all of a binary file that is asked for
                sep=given.sep.replace(r"\t", "\t"),
                threads=threads,
                progress=False if given.quiet else None,
                encoding=given.encoding,
                errors=given.errors,
            )
            if given.verbose:
                _say("cut", f"{file}: {summary}")
    return DONE


def _processors() -> int:
    # those that this process may use: fewer than the machine's in a container
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# --- tokenize ------------------------------------------------------------------------------------


def _add_tokenize(commands: Subparsers) -> None:
    parser = _command(
        commands,
        "tokenize",
        "list the tokens of every line with offsets, kinds and tags",
        "echo 在2026年 | segmenter tokenize",
        "segmenter tokenize --json in.txt -o tokens.jsonl",
        "segmenter tokenize --mode search --units utf16 in.txt",
        run=_tokenize,
    )
    _input_options(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--tsv",
        action="store_true",
        help="a token a line: line, start, end, token, kind, source, tag (default), and in the "
        "mode search its position and how many it spans; "
        r"tab and backslash in a token as \t and \\",
    )
    form.add_argument("--json", action="store_true", help="a JSON object a line")
    parser.add_argument(
        "--mode",
        choices=MODES,
        default=MODES[0],
        help="words (default), or search: also the words inside words",
    )
    parser.add_argument(
        "--units",
        choices=UNITS,
        default=UNITS[0],
        help="what offsets count in the line: code points (default), bytes of UTF-8, or code units "
        "of UTF-16",
    )
    _segmenter_options(parser)


def _tokenize(given: argparse.Namespace) -> int:
    from segmenter.files import name_of, open_source, read_lines

    files = _inputs(given)
    segmenter = _load(given)
    rows = _json_rows if given.json else _tsv_rows
    graph = given.mode == "search"
    with _output(given) as out:
        for file in files:
            with open_source(file) as reader:
                # lines typed or piped in are answered one by one
                live = file == "-"
                name = name_of(file, "src")
                for number, line in read_lines(reader, name, given.encoding, given.errors):
                    tokens = segmenter.tokenize(line, mode=given.mode, units=given.units)
                    out.write(rows(tokens, number, graph).encode("utf-8"))
                    if live:
                        out.flush()
    return DONE


def _tsv_rows(tokens: Tokens, number: int, graph: bool) -> str:
    return "".join(
        f"{number}\t{t.start}\t{t.end}\t{_escape(t.text)}\t{t.kind}\t{t.source.value}\t{t.tag}"
        + (f"\t{t.position}\t{t.position_length}\n" if graph else "\n")
        for t in tokens
    )


def _escape(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("\t", "\\t")
    return text.replace("\n", "\\n").replace("\r", "\\r")


def _json_rows(tokens: Tokens, number: int, graph: bool) -> str:
    from json import dumps

    rows = [
        {
            "text": t.text,
            "start": t.start,
            "end": t.end,
            "kind": t.kind,
            "source": t.source.value,
            "tag": t.tag,
            "score": t.score,
            **({"position": t.position, "position_length": t.position_length} if graph else {}),
        }
        for t in tokens
    ]
    return dumps({"line": number, "tokens": rows}, ensure_ascii=False) + "\n"


# --- explain -------------------------------------------------------------------------------------


def _add_explain(commands: Subparsers) -> None:
    parser = _command(
        commands,
        "explain",
        "say which word or rule made each token of a text",
        "segmenter explain 他说的确实在理",
        "segmenter explain --decoder forward-max 他说的确实在理",
        "segmenter explain --best 3 研究生命起源",
        run=_explain,
    )
    parser.add_argument("text", nargs="+", metavar="TEXT", help="several are explained in turn")
    parser.add_argument(
        "--best",
        type=int,
        metavar="N",
        help="also the N best segmentations with their scores (natural logarithms)",
    )
    _segmenter_options(parser)


def _explain(given: argparse.Namespace) -> int:
    segmenter = _load(given)
    for text in given.text:
        _print(str(segmenter.explain(text)))
        if given.best is not None:
            for words, score in segmenter.nbest(text, given.best):
                _print(f"{score:10.3f}  {'/'.join(words)}")
    return DONE


def _print(text: str) -> None:
    """A line on standard output in UTF-8, whatever the locale."""
    if sys.stdout is not None:
        from segmenter.files import write_all

        sys.stdout.flush()
        write_all(sys.stdout.buffer, text.encode("utf-8", "surrogateescape") + b"\n")


# --- discover ------------------------------------------------------------------------------------


def _add_discover(commands: Subparsers) -> None:
    parser = _command(
        commands,
        "discover",
        "propose words of raw text that the lexicon does not have, as a user dictionary",
        "segmenter discover book.txt -o found.tsv",
        "segmenter discover a.txt b.txt --min-count 20 --min-pmi 6 | head -100",
        run=_discover,
    )
    _input_options(parser)
    parser.add_argument(
        "--min-count", type=int, default=10, metavar="N", help="occurrences at least (default 10)"
    )
    parser.add_argument(
        "--max-length", type=int, default=4, metavar="N", help="characters at most (default 4)"
    )
    parser.add_argument(
        "--min-pmi",
        type=float,
        default=5.0,
        metavar="X",
        help="least pointwise mutual information of the parts, in nats (default 5)",
    )
    parser.add_argument(
        "--min-entropy",
        type=float,
        default=1.5,
        metavar="X",
        help="least entropy of the neighbours on either side, in nats (default 1.5)",
    )
    parser.add_argument(
        "--max-strings",
        type=int,
        default=20_000_000,
        metavar="N",
        help="distinct strings held at once, 16 bytes each (default 20 million)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on a terminal")
    _segmenter_options(parser)


def _discover(given: argparse.Namespace) -> int:
    from segmenter.lexicon.user import UserDictionary
    from segmenter.train.discover import discover

    files = _inputs(given)
    segmenter = _load(given)
    live = not given.quiet and sys.stderr is not None and sys.stderr.isatty()
    found = discover(
        files,
        known=(segmenter.lexicon, segmenter.user),
        min_count=given.min_count,
        max_length=given.max_length,
        min_pmi=given.min_pmi,
        min_entropy=given.min_entropy,
        max_strings=given.max_strings,
        encoding=given.encoding,
        errors=given.errors,
        progress=(lambda done, of: _say("discover", f"reading {done} of {of}")) if live else None,
    )
    with _output(given) as out:
        out.write(UserDictionary(word.entry() for word in found.words).dumps().encode("utf-8"))
    if found.missed:
        _say(
            "discover",
            f"counts may be too small by {found.missed}: raise --max-strings or --min-count",
        )
    return DONE


# --- subword -------------------------------------------------------------------------------------


def _add_subword(commands: Subparsers) -> None:
    subword = _command(
        commands,
        "subword",
        "train subword vocabularies, encode text to ids and decode ids to text",
        "segmenter subword train text.txt -o my.model --vocab-size 8000",
        "echo 他说的确实在理 | segmenter subword encode --show",
        "segmenter subword encode in.txt | segmenter subword decode",
    )
    what = subword.add_subparsers(dest="what", metavar="WHAT", required=True)
    _add_subword_train(what)
    parser = _command(
        what,
        "encode",
        "write the ids of every line, or its pieces: one line in is one line out",
        "segmenter subword encode in.txt -o ids.txt",
        "segmenter subword encode --vocabulary my.model --pieces < in.txt",
        "echo 你好 | segmenter subword encode --show",
        run=_subword_encode,
    )
    _input_options(parser)
    _vocabulary_option(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--pieces", action="store_true", help="pieces instead of ids, by blanks")
    form.add_argument(
        "--show",
        action="store_true",
        help="every piece with its id, in colours on a terminal (not where NO_COLOR is set); bytes "
        r"that are no whole character as \xe5",
    )
    parser.add_argument(
        "--special",
        action="store_true",
        help="special tokens that the text spells are those tokens",
    )
    parser = _command(
        what,
        "decode",
        "write the text of every line of ids",
        "segmenter subword decode ids.txt -o text.txt",
        run=_subword_decode,
    )
    _input_options(parser)
    _vocabulary_option(parser)


def _add_subword_train(what: Subparsers) -> None:
    parser = _command(
        what,
        "train",
        "learn a vocabulary from text: whole words, subwords for the rest, and the 256 bytes",
        "segmenter subword train a.txt b.txt -o my.model --vocab-size 32000 --words 20000",
        "segmenter subword train a.txt -o my.model --algorithm unigram --no-words",
        run=_subword_train,
    )
    _input_options(parser)
    parser.add_argument(
        "--algorithm",
        choices=("bpe", "wordpiece", "unigram"),
        default="bpe",
        help="what learns the subwords (default bpe)",
    )
    parser.add_argument(
        "--vocab-size", type=int, default=8000, metavar="N", help="ids in all (default 8000)"
    )
    words = parser.add_mutually_exclusive_group()
    words.add_argument(
        "--words",
        type=int,
        metavar="N",
        help="so many of the most frequent words are pieces whole (default: a quarter of the ids)",
    )
    words.add_argument(
        "--no-words",
        action="store_true",
        help="no word segmentation: text is cut between letters, digits and the rest only",
    )
    parser.add_argument(
        "--min-frequency", type=int, default=2, metavar="N", help="of a piece (default 2)"
    )
    parser.add_argument(
        "--coverage",
        type=float,
        default=0.9995,
        metavar="X",
        help="share of the text's characters that have pieces; others are bytes (default 0.9995)",
    )
    parser.add_argument(
        "--byte-level", action="store_true", help="bpe of UTF-8 bytes instead of characters"
    )
    parser.add_argument(
        "--no-bytes",
        action="store_true",
        help="no pieces for bytes: characters without a piece are unknown",
    )
    parser.add_argument(
        "--special", action="append", default=[], metavar="TOKEN", help="a special token; again …"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="kept in the file (1)")
    parser.add_argument("--quiet", action="store_true", help="no progress on a terminal")
    _segmenter_options(parser)


def _vocabulary_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--vocabulary",
        metavar="NAME",
        default="bpe",
        help="bpe (default) or unigram, which are shipped, or the path of one that was trained",
    )


def _subword_train(given: argparse.Namespace) -> int:
    from segmenter import subword

    files = _inputs(given)
    if given.output == "-":
        raise ArgumentError("-o: name the file to write")
    segmenter = None if given.no_words else _load(given)
    live = not given.quiet and sys.stderr is not None and sys.stderr.isatty()

    def progress(step: str, done: int, total: int | None) -> None:
        of = "" if total is None else f" of {total:,}"
        print(f"\r{step} {done:,}{of}", end="", file=sys.stderr, flush=True)

    tokenizer = subword.Tokenizer.train(
        files,
        encoding=given.encoding,
        errors=given.errors,
        model=given.algorithm,
        vocab_size=given.vocab_size,
        segmenter=segmenter,
        words=given.words,
        min_frequency=given.min_frequency,
        coverage=given.coverage,
        byte_fallback=not given.no_bytes,
        byte_level=given.byte_level,
        special=given.special,
        seed=given.seed,
        progress=progress if live else None,
    )
    if live:
        print(file=sys.stderr)
    tokenizer.save(given.output)
    _say("subword train", f"{given.output}: {tokenizer.model!r}")
    return DONE


def _subword_lines(given: argparse.Namespace, answer: Callable[[str, str, int], str]) -> int:
    from segmenter.files import name_of, open_source, read_lines

    files = _inputs(given)
    with _output(given) as out:
        for file in files:
            with open_source(file) as reader:
                name = name_of(file, "src")
                for number, line in read_lines(reader, name, given.encoding, given.errors):
                    out.write(answer(line, name, number).encode("utf-8", "replace") + b"\n")
                    if file == "-":
                        out.flush()
    return DONE


def _subword_encode(given: argparse.Namespace) -> int:
    from segmenter import subword

    tokenizer = subword.load(given.vocabulary)
    allowed: Any = "all" if given.special else None

    def answer(line: str, name: str, number: int) -> str:
        if given.show:
            from segmenter.subword.show import show

            return show(tokenizer, line, colour=colour, allowed=allowed)
        encoding = tokenizer.encode(line, allowed=allowed)
        return " ".join(encoding.tokens if given.pieces else map(str, encoding.ids))

    terminal = given.output == "-" and sys.stdout is not None and sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR")
    return _subword_lines(given, answer)


def _subword_decode(given: argparse.Namespace) -> int:
    from segmenter import subword

    tokenizer = subword.load(given.vocabulary)

    def answer(line: str, name: str, number: int) -> str:
        try:
            ids = [int(field) for field in line.split()]
        except ValueError as e:
            raise DictionaryError(name, number, f"ids are whole numbers between blanks: {e}") from e
        return tokenizer.decode(ids)

    return _subword_lines(given, answer)


# --- train and adapt -----------------------------------------------------------------------------


def _add_train(commands: Subparsers) -> None:
    train = _command(
        commands,
        "train",
        "train a tagger on segmented text of your own",
        "segmenter train perceptron --train train.txt --dev dev.txt --out mine",
        "segmenter train crf --train a.txt b.txt --dev dev.txt --lexicon words.txt --out mine",
        "segmenter cut --model mine/own.model in.txt",
    )
    what = train.add_subparsers(dest="what", metavar="ALGORITHM", required=True)
    for algorithm, summary in (
        ("perceptron", "train an averaged perceptron: fast, and nearly as good as a CRF"),
        ("crf", "train a linear-chain CRF"),
        ("hmm", "count a hidden Markov model: small, and far less accurate"),
    ):
        parser = _command(
            what,
            algorithm,
            summary,
            f"segmenter train {algorithm} --train train.txt --dev dev.txt --out mine",
            run=_train,
        )
        _text_options(parser)
        parser.add_argument(
            "--out",
            required=True,
            metavar="DIR",
            help="folder to write: NAME.txt (text form), NAME.model (compiled) and CARD.md",
        )
        parser.add_argument(
            "--standard",
            default="own",
            metavar="NAME",
            help="a name for what a word is in this text, and for the files (default own)",
        )
        parser.add_argument("--tags", type=int, choices=(4, 6), default=4, help="default 4")
        if algorithm == "hmm":
            continue
        parser.add_argument(
            "--lexicon",
            nargs="+",
            default=[],
            metavar="FILE",
            help="one or two word lists, each a kind of features of its own",
        )
        parser.add_argument(
            "--epochs", type=int, default=0, metavar="N", help="passes (default 20; crf 15)"
        )
        if algorithm == "crf":
            parser.add_argument(
                "--trainer",
                choices=("own", "crfsuite"),
                default="own",
                help="own (default), or sklearn-crfsuite, whose --epochs are iterations (100)",
            )
        else:
            parser.add_argument(
                "--patience",
                type=int,
                default=4,
                metavar="N",
                help="end after N epochs without a gain on the dev text (default 4)",
            )


def _text_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--train",
        nargs="+",
        required=True,
        metavar="FILE",
        help="segmented text: UTF-8, a sentence a line, words between blanks",
    )
    parser.add_argument(
        "--dev", metavar="FILE", help="more of it: the best epoch is chosen on it, and it is scored"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="equal seeds give equal files (default 1)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on a terminal")
    _errors_option(parser)


def _train(given: argparse.Namespace) -> int:
    from segmenter import train

    more = ("lexicon", "epochs", "trainer", "patience")
    made = train.train_tagger(
        given.what,
        given.train,
        given.dev,
        out=given.out,
        standard=given.standard,
        tags=given.tags,
        seed=given.seed,
        errors=given.errors,
        progress=False if given.quiet else None,
        command=given.line,
        **{name: getattr(given, name) for name in more if hasattr(given, name)},
    )
    return _say_made("train", made, given.errors)


def _add_adapt(commands: Subparsers) -> None:
    parser = _command(
        commands,
        "adapt",
        "train a finished tagger further on a few hundred sentences of another field",
        "segmenter adapt general-fast --train mine.txt --out mine.model",
        "segmenter adapt old.model --train mine.txt --dev held.txt --pull 0.2 --out mine.model",
        run=_adapt,
    )
    parser.add_argument(
        "model", metavar="MODEL", help="a perceptron's or CRF's file, or a shipped one's name"
    )
    _text_options(parser)
    parser.add_argument("--out", required=True, metavar="FILE", help="the compiled model to write")
    parser.add_argument("--epochs", type=int, default=10, metavar="N", help="passes (default 10)")
    parser.add_argument(
        "--rate", type=float, default=0.1, metavar="X", help="step of the first one (default 0.1)"
    )
    parser.add_argument(
        "--pull",
        type=float,
        default=0.1,
        metavar="X",
        help="how far the weights go back to the model's after each pass, 0 to 1 (default 0.1): "
        "more of it learns less and forgets less",
    )


def _adapt(given: argparse.Namespace) -> int:
    from segmenter import train

    made = train.adapt_tagger(
        given.model,
        given.train,
        given.dev,
        out=given.out,
        epochs=given.epochs,
        rate=given.rate,
        pull=given.pull,
        seed=given.seed,
        errors=given.errors,
        progress=False if given.quiet else None,
        command=given.line,
    )
    return _say_made("adapt", made, given.errors)


def _say_made(command: str, made: Any, errors: str) -> int:
    for report in made.reports:
        _say_report(command, report, errors)
    for path in filter(None, (made.portable, made.compiled, made.card)):
        _say_file(command, path)
    if made.before is not None:
        _say(command, f"dev F1 {made.before.f1:.4f} before, {made.score.f1:.4f} now")
    elif made.score is not None:
        _say(command, f"dev F1 {made.score.f1:.4f}")
    return DONE


# --- build ---------------------------------------------------------------------------------------


def _add_build(commands: Subparsers) -> None:
    build = _command(
        commands,
        "build",
        "compile a lexicon or a model from text",
        "segmenter build lexicon words.tsv -o my.lex",
        "segmenter build model my.txt -o my.model",
    )
    what = build.add_subparsers(dest="what", metavar="WHAT", required=True)
    parser = _command(
        what,
        "lexicon",
        "compile word lists, and n-gram counts where there are any, into one file",
        "segmenter build lexicon words.tsv -o my.lex",
        "segmenter build lexicon jieba/dict.txt --profile jieba -o jieba.lex",
        "segmenter build lexicon words.tsv more.txt --bigrams bigrams.tsv -o my.lex",
        "segmenter cut --model my.lex in.txt",
        run=_build_lexicon,
    )
    parser.add_argument(
        "words",
        nargs="+",
        metavar="WORDS",
        help="a word a line, UTF-8: word, count, tag; counts of a word in several files add up; "
        "rows <num>, <date>, <latin>, <unk> count these classes",
    )
    parser.add_argument("-o", "--output", required=True, metavar="OUT.lex", help="file to write")
    parser.add_argument(
        "--format",
        choices=("auto", "tsv", "jieba"),
        default="auto",
        help="tsv (tabs), jieba (blanks), or by the look of the file (auto, default)",
    )
    parser.add_argument(
        "--bigrams",
        action="append",
        default=[],
        metavar="F",
        help="first, second, count between tabs; <s> is begin and end of a sentence; again for "
        "several files",
    )
    parser.add_argument(
        "--trigrams", action="append", default=[], metavar="F", help="three words and a count"
    )
    parser.add_argument(
        "--kinds",
        default="",
        metavar="K=N,…",
        help="counts of classes, as num=1200,date=300; instead of rows in a words file",
    )
    parser.add_argument(
        "--unknown",
        type=float,
        default=1.0,
        metavar="X",
        help="the count that an unknown character is taken to have (default 1)",
    )
    parser.add_argument(
        "--discount",
        type=float,
        default=0.5,
        metavar="D",
        help="taken from every n-gram count, between 0 and 1 (default 0.5)",
    )
    parser.add_argument(
        "--profile",
        choices=("default", "jieba"),
        default="default",
        help="jieba: no folding of width and case, no rules for numbers and dates",
    )
    _errors_option(parser)

    parser = _command(
        what,
        "model",
        "compile the text form of a tagger",
        "segmenter build model my.txt -o my.model",
        "segmenter cut --model my.model in.txt",
        run=_build_model,
    )
    parser.add_argument("text", metavar="TEXT", help="as train and export model write it")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.model", help="file to write")

    parser = _command(
        what,
        "user",
        "compile word lists into a user dictionary, which is mapped instead of read",
        "segmenter build user words.tsv -o words.user",
        "segmenter build user userdict.txt --format jieba --level prefer -o words.user",
        "segmenter cut --user words.user in.txt",
        run=_build_user,
    )
    parser.add_argument(
        "words",
        nargs="+",
        metavar="WORDS",
        help="files or folders: word, level or weight, tag, payload, options between tabs; JSON "
        "lines; or jieba's format",
    )
    parser.add_argument("-o", "--output", required=True, metavar="OUT.user", help="file to write")
    parser.add_argument(
        "--format",
        choices=("auto", "tsv", "jsonl", "jieba"),
        default="auto",
        help="of the word lists; by the look of the files (auto, default)",
    )
    parser.add_argument("--encoding", default="utf-8", help="of the word lists (default utf-8)")
    parser.add_argument(
        "--level", choices=("force", "prefer"), help="of all words, instead of their own"
    )
    parser.add_argument("--fold", action="store_true", help="width and case do not matter")
    parser.add_argument(
        "--inside",
        action="store_true",
        help="words may stand inside longer runs of letters, digits",
    )
    _errors_option(parser)


def _errors_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--errors",
        choices=("raise", "warn", "skip"),
        default="raise",
        help="a faulty line: stop there (raise, default); leave it out and say so (warn), or leave "
        "it out and only count it (skip)",
    )


def _say_report(command: str, report: Any, errors: str) -> None:
    """What was found in a file of text that was read line by line."""
    if errors == "warn":
        for fault in report.faults:
            _say(command, f"{report.path}, line {fault.line}: {fault.reason}")
    _say(command, str(report))


def _build_lexicon(given: argparse.Namespace) -> int:
    from hashlib import sha256

    from segmenter.lexicon import Lexicon
    from segmenter.lexicon.sources import read_ngrams, read_words

    entries: list[tuple[str, float, str]] = []
    kinds: dict[str, float] = {}
    sources: list[dict[str, object]] = []

    def note(report: Any) -> None:
        _say_report("build", report, given.errors)
        with open(report.path, "rb") as file:
            digest = sha256(file.read()).hexdigest()
        sources.append(
            {"name": os.path.basename(report.path), "sha256": digest, "rows": report.rows}
        )

    for path in given.words:
        words = read_words(path, format=given.format, errors=given.errors)
        note(words.report)
        entries += words.entries
        for kind, count in words.kinds.items():
            kinds[kind] = kinds.get(kind, 0.0) + count
    kinds.update(_kinds(given.kinds))
    if not entries:
        raise ArgumentError(f"WORDS: no words in {', '.join(given.words)}")
    ngrams: dict[int, list[Any]] = {2: [], 3: []}
    for n, paths in ((2, given.bigrams), (3, given.trigrams)):
        for path in paths:
            got = read_ngrams(path, n, errors=given.errors)
            note(got.report)
            ngrams[n] += got.rows
    if ngrams[3] and not ngrams[2]:
        raise ArgumentError("--trigrams: they need --bigrams beside them")
    lexicon = Lexicon.build(
        entries,
        name=given.output,
        kinds=kinds,
        bigrams=ngrams[2],
        trigrams=ngrams[3],
        discount=given.discount,
        unknown=given.unknown,
        profile=given.profile,
        meta={"sources": sources, "discount": given.discount, "built_with": __version__},
    )
    lexicon.save(given.output)
    size = os.path.getsize(given.output)
    _say(
        "build",
        f"{given.output}: {len(lexicon):,} words, {size:,} bytes, digest {lexicon.digest[:16]}",
    )
    return DONE


def _build_user(given: argparse.Namespace) -> int:
    from warnings import catch_warnings, simplefilter

    from segmenter.errors import DictionaryWarning
    from segmenter.lexicon.user import UserDictionary

    for path in given.words:
        if not os.path.exists(path):
            raise FileNotFoundError(2, "no such file", path)
    with catch_warnings():
        simplefilter("ignore", DictionaryWarning)  # said below, all of them
        words = UserDictionary.load(
            given.words,
            format=given.format,
            encoding=given.encoding,
            errors=given.errors,
            level=given.level,
            fold=given.fold,
            inside=given.inside,
        )
    for report in words.reports:
        _say_report("build", report, given.errors)
    words.save(given.output, format="compiled")
    size = os.path.getsize(given.output)
    _say("build", f"{given.output}: {len(words):,} words, {size:,} bytes")
    return DONE


def _build_model(given: argparse.Namespace) -> int:
    from segmenter import train

    _say_file("build", train.compile_tagger(given.text, given.output).name)
    return DONE


def _say_file(command: str, path: str) -> None:
    _say(command, f"{path}: {os.path.getsize(path):,} bytes")


def _kinds(text: str) -> dict[str, float]:
    out: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, equals, count = part.partition("=")
        try:
            value = float(count)
        except ValueError:
            value = -1.0
        if not equals or value < 0:
            raise ArgumentError(f"--kinds: {part!r} is not NAME=COUNT, such as num=1200")
        out[f"<{name.strip().strip('<>')}>"] = value
    return out


# --- export --------------------------------------------------------------------------------------


def _add_export(commands: Subparsers) -> None:
    export = _command(
        commands,
        "export",
        "write a compiled file as text",
        "segmenter export model my.model -o my.txt",
    )
    what = export.add_subparsers(dest="what", metavar="WHAT", required=True)
    parser = _command(
        what,
        "model",
        "write a compiled tagger in its text form, one feature a line, to read or to compare",
        "segmenter export model my.model -o my.txt",
        "segmenter export model general-fast -o fast.txt",
        run=_export_model,
    )
    parser.add_argument("model", metavar="FILE", help="a compiled tagger, or a shipped one's name")
    parser.add_argument("-o", "--output", required=True, metavar="TEXT", help="file to write")


def _export_model(given: argparse.Namespace) -> int:
    from segmenter import train

    train.export_tagger(given.model, given.output)
    _say_file("export", given.output)
    return DONE


# --- describe ------------------------------------------------------------------------------------


def _add_describe(commands: Subparsers) -> None:
    parser = _command(
        commands,
        "describe",
        "check a compiled file and say what is in it",
        "segmenter describe my.lex",
        run=_describe,
    )
    parser.add_argument("compiled", nargs="+", metavar="FILE", help="compiled lexicon or model")


def _describe(given: argparse.Namespace) -> int:
    from segmenter import artifact

    for path in given.compiled:
        if not os.path.exists(path):
            raise FileNotFoundError(2, "no such file", path)
        _print(artifact.open(path).describe())
    return DONE


# --- eval ----------------------------------------------------------------------------------------


def _add_eval(commands: Subparsers) -> None:
    evaluate = _command(
        commands,
        "eval",
        "score segmentations by the rules of the SIGHAN bakeoff",
        "segmenter eval bakeoff icwb2-data",
        "segmenter eval score gold.txt answer.txt --words training_words.txt",
    )
    what = evaluate.add_subparsers(dest="what", metavar="WHAT", required=True)
    parser = _command(
        what,
        "bakeoff",
        "cut and score every corpus that a folder of the bakeoff's files holds; where a training "
        "file is there, also with a lexicon of that file alone",
        "segmenter eval bakeoff icwb2-data",
        "segmenter eval bakeoff sighan2005 --only pku,msr --decoder bigram --dry",
        run=_bakeoff,
    )
    parser.add_argument("folder", metavar="DIR", help="with files *_test_gold.utf8")
    parser.add_argument("--only", default="", metavar="NAMES", help="corpora, by commas: pku,msr")
    parser.add_argument(
        "--decoder",
        action="append",
        choices=LATTICE,
        metavar="NAME",
        help="decoders to score; again for several (default: unigram and bigram)",
    )
    parser.add_argument(
        "--standard",
        choices=STANDARDS,
        help="the shipped lexicon to take (default: pku for the corpus pku, else general)",
    )
    parser.add_argument("--model", metavar="PATH", help="a compiled lexicon to score as well")
    parser.add_argument(
        "-o",
        "--output",
        default="bakeoff",
        metavar="BASE",
        help="writes BASE.md and BASE.json (default: bakeoff, in this folder)",
    )
    parser.add_argument("--dry", action="store_true", help="print the table, write no file")

    parser = _command(
        what,
        "score",
        "compare a segmented file with the right answer, as the bakeoff's own script does",
        "segmenter eval score gold.txt answer.txt",
        "segmenter eval score gold.txt answer.txt --words training_words.txt",
        run=_score,
    )
    parser.add_argument("gold", metavar="GOLD", help="the right answer: words between blanks")
    parser.add_argument("test", metavar="TEST", help="the answer to score, line for line")
    parser.add_argument("--words", help="training words, one a line: adds OOV and IV recall")


def _bakeoff(given: argparse.Namespace) -> int:
    from segmenter.train import bakeoff

    decoders: list[str] = given.decoder or ["unigram", "bigram"]
    systems = bakeoff.lattice_systems(decoders, given.standard)
    if given.model is not None:
        if not os.path.exists(given.model):
            raise FileNotFoundError(2, "no such lexicon or model", given.model)
        for decoder in decoders:
            cut = load(given.model, decoder=decoder).cut
            name = f"{os.path.basename(given.model)}, {decoder}"
            systems.insert(0, bakeoff.System(name, lambda corpus, cut=cut: cut))  # type: ignore[misc]
    only = [name.strip() for name in given.only.split(",") if name.strip()] or None
    results = bakeoff.run(
        given.folder,
        systems,
        only=only,
        report=lambda r: _say("eval", f"{r.corpus}, {r.system}: F {r.score.f1:.4f}"),
    )
    _print(bakeoff.format_results(results).rstrip("\n"))
    if not given.dry:
        about = {"version": __version__, "python": sys.version.split()[0]}
        files = bakeoff.save(results, given.output, about=about)
        _say("eval", f"saved {' and '.join(files)}")
    return DONE


def _score(given: argparse.Namespace) -> int:
    from segmenter.train import scoring

    result = scoring.score_files(given.gold, given.test, given.words)
    _print(scoring.format_summary(result).rstrip("\n"))
    return DONE


if __name__ == "__main__":
    sys.exit(main())
