"""The BiLSTM-CRF as it was trained: passes, weights of the linear tagger, dev and test.

``python -m recipes.network … --test GOLD`` leaves all of it in a ``.json`` beside the
parameters.  What the compiled model reaches is in the table of ``python -m eval.bakeoff``.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COMMAND = "python -m eval.accurate"
SYSTEMS = {"linear": "linear CRF", "network": "BiLSTM-CRF alone", "both": "both"}


def rows_of(name: str, meta: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Rows of the first table: dev F1 of each standard, test F1 where it was taken."""
    out = []
    for standard, about in meta["standards"].items():
        dev = {float(w): f for w, f in about["dev"].items()}
        best = about["weight"]
        test = about["test"]
        out.append(
            (
                name,
                standard,
                f"{dev[0.0]:.4f}",
                f"{dev[best]:.4f}",
                f"{best:g}",
                *(f"{test[s]['f1']:.4f}" if s in test else "" for s in SYSTEMS),
                *(f"{test[s]['oov_recall']:.3f}" if s in test else "" for s in SYSTEMS),
            )
        )
    return out


def passes_table(passes: Sequence[Mapping[str, Any]]) -> str:
    """Loss, seconds and dev F1 of each pass."""
    standards = list(passes[0]["f1"])
    rows = [
        (
            e["number"],
            f"{e['loss']:.4f}",
            f"{e['seconds']:.0f}",
            *(f"{e['f1'][s]:.4f}" for s in standards),
        )
        for e in passes
    ]
    return common.table(
        ("pass", "loss a character", "seconds", *(f"dev, {s}" for s in standards)), rows
    )


def variant(options: Mapping[str, Any]) -> str:
    """What is said of a network that reads no lexicon."""
    if options["shape"]["lexicon"]:
        return ""
    left_out = options["dropout"]
    return f", without the lexicon, dropout {left_out['input']} and {left_out['output']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read, print and save."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="The BiLSTM-CRF as trained.")
    parser.add_argument("--open", required=True, help="the .json of the shipped model")
    parser.add_argument("--closed", required=True, help="the .json of the closed track")
    given = parser.parse_args(arguments)
    metas = {
        name: json.loads(Path(path).read_text("utf-8"))
        for name, path in (("open", given.open), ("closed", given.closed))
    }
    about = common.facts(("torch",))
    lines = [
        common.heading("The BiLSTM-CRF of `accurate`, as trained", about, COMMAND),
        "F1 in floating point, before the weights become integers; width folded. The weight of the",
        "linear tagger's scores and the best pass are chosen on dev; test is PKU's, by the",
        "bakeoff's counts, and nothing is chosen by it. OOV: words that the training text has",
        "not (other than in the bakeoff's table, where its own list decides).",
        "",
        common.table(
            (
                "track", "standard", "dev, network", "dev, both", "weight",
                *(f"test, {s}" for s in SYSTEMS), *(f"OOV recall, {s}" for s in SYSTEMS),
            ),
            [row for name, meta in metas.items() for row in rows_of(name, meta)],
            left=2,
        ),
    ]  # fmt: skip
    for name, meta in metas.items():
        networks = meta["networks"]
        first = networks[0]["options"]
        shape, left_out, schedule = first["shape"], first["dropout"], first["schedule"]
        lines += [
            f"## {name.capitalize()} track",
            "",
            f"`{meta['command']}`, torch {meta['torch']}.",
            f"{shape['hidden']} units a direction, {shape['layers']} layer; embeddings of",
            f"{shape['char_size']} (characters, {meta['characters']:,} of them),",
            f"{shape['pair_size']} (pairs, {meta['pairs']:,}), {shape['word_size']} (each of ten",
            f"numbers on words); {meta['parameters']:,} parameters. Dropout {left_out['input']}",
            f"and {left_out['output']}, pairs left out {left_out['pairs']}; {schedule['batch']:,}",
            f"characters per step. Highest rate {schedule['rate']}, {schedule['epochs']} passes",
            "planned; a pass goes through",
            ", ".join(
                f"{about['share']:g} of {standard} ({about['sentences']:,} sentences)"
                for standard, about in meta["standards"].items()
            )
            + "."
            + (f" The mean of {len(networks)} networks." if len(networks) > 1 else ""),
            "",
        ]
        for network in networks:
            if len(networks) > 1:
                lines += [f"Seed {network['options']['seed']}{variant(network['options'])}:", ""]
            lines += [passes_table(network["passes"])]
    lines += [
        "Seconds are wall time of one thread on a machine that up to twenty other processes used,",
        "and on which these were stopped while somebody measured speed.",
        "",
        "What was tried and did not pay: [accurate_tried.md](accurate_tried.md); errors:",
        "[accurate_errors.md](accurate_errors.md).",
    ]
    report = "\n".join(lines)
    print(report)
    common.write("accurate", report, {**about, "models": metas})
    return 0


if __name__ == "__main__":
    sys.exit(main())
