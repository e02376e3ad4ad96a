"""The stages that make ``best``: the network that corrects the first linear tagger.

The network (:mod:`recipes.teacher`) is trained on the training data of the tagger and on unchanged
gold, with the scores of taggers that were trained on the other half of the text.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import torch

from recipes import compiled_encoder, encoder, teacher, teacher_lessons
from recipes import masked as masked_text
from segmenter.files.atomic import WholeFile

if TYPE_CHECKING:
    from recipes.work import Work


def lessons(work: Work) -> None:
    """What the network learns, as columns."""
    teacher_lessons.prepare(work, work.folder / "lessons.npz")


def masked(work: Work) -> None:
    """The encoder after it has read raw text; a training that was cut off goes on."""
    folder, text = work.shared / "encoder", work.folder / "raw.npz"
    tokens = encoder.read_vocabulary(folder)
    masked_text.prepare(work.shared / "raw", encoder.numbering(tokens, work.fold), text)
    plan = masked_text.Plan(places=teacher.PLACES[work.device])
    device, checkpoint = torch.device(work.device), work.folder / "encoder.checkpoint"
    net = masked_text.train(text, encoder.load(folder), tokens, plan, device, checkpoint)
    with WholeFile(work.folder / "encoder.pt") as file:
        torch.save(net.state_dict(), file)
    checkpoint.unlink(missing_ok=True)


def network(work: Work) -> None:
    """The network; a training that was cut off goes on."""
    folder = work.shared / "encoder"
    base = encoder.load(folder)
    base.load_state_dict(torch.load(work.folder / "encoder.pt", weights_only=True))
    teacher.train(
        work.folder / "lessons.npz",
        base,
        encoder.read_vocabulary(folder)["[CLS]"],
        work.folder / "network.pt",
        teacher.Schedule(places=teacher.PLACES[work.device]),
        torch.device(work.device),
    )


def compiled(work: Work) -> None:
    """The file of ``best``: the network in 8 bits beside the first tagger."""
    work.models.mkdir(exist_ok=True)
    shutil.copy(work.folder / "first.model", work.models / "best-first.model")
    compiled_encoder.make(work)
