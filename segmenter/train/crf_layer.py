"""The CRF over a network's scores (Lafferty, McCallum and Pereira 2001; Collobert et al. 2011).

Scores are ``(time, sentences, tags)``, sentences of different lengths padded at their ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import Tensor


class _LogPartition(torch.autograd.Function):
    """Forward and backward algorithm; the gradient is the tags' and the moves' probabilities.

    Differentiating the recursion step by step gives the same and takes three times as long.
    """

    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, lengths: Tensor, trans: Tensor, start: Tensor, end: Tensor
    ) -> Tensor:
        last = len(scores) - 1
        ahead = torch.empty_like(scores)
        alpha = ahead[0] = scores[0] + start
        for t in range(1, last + 1):
            more = torch.logsumexp(alpha.unsqueeze(2) + trans, 1) + scores[t]
            alpha = ahead[t] = torch.where((lengths > t).unsqueeze(1), more, alpha)
        total = torch.logsumexp(alpha + end, 1)
        ctx.save_for_backward(scores, lengths, trans, end, ahead, total)
        return total

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        scores, lengths, trans, end, ahead, total = ctx.saved_tensors
        last = len(scores) - 1
        behind = torch.empty_like(scores)
        beta = behind[last] = end.expand_as(scores[0])
        for t in range(last - 1, -1, -1):
            more = torch.logsumexp(trans + (beta + scores[t + 1]).unsqueeze(1), 2)
            beta = behind[t] = torch.where((lengths > t + 1).unsqueeze(1), more, beta)
        steps = torch.arange(last + 1, device=scores.device).unsqueeze(1)
        weight = ((steps < lengths) * gradient).unsqueeze(2)
        tags = torch.exp(ahead + behind - total.unsqueeze(1)) * weight
        arriving = (scores + behind)[1:].unsqueeze(2)
        moves = ahead[:-1].unsqueeze(3) + trans + arriving - total.view(-1, 1, 1)
        inside = weight[1:].unsqueeze(3)
        # beyond a sentence's end the sums mean nothing and may be large
        moves = torch.where(inside != 0, torch.exp(moves.clamp(max=1.0)) * inside, 0.0)
        at_end = tags.gather(0, (lengths - 1).view(1, -1, 1).expand(1, -1, tags.shape[2]))
        return tags, None, moves.sum((0, 1)), tags[0].sum(0), at_end.sum((0, 1))


def log_partition(
    scores: Tensor, lengths: Tensor, trans: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    """The logarithm of the sum over all tag sequences, by the forward algorithm.

    Args:
        scores: ``(T, B, K)``.
        lengths: of the sentences, ``(B,)``, at least 1.
        trans: score of each tag (column) after each tag (row), ``(K, K)``.
        start, end: of beginning and of ending with each tag, ``(K,)``.

    Returns:
        ``(B,)``.

    >>> zero = torch.zeros(2)
    >>> one = log_partition(torch.zeros(3, 1, 2), torch.tensor([3]), torch.zeros(2, 2), zero, zero)
    >>> round(one.exp().item())
    8
    """
    total: Tensor = _LogPartition.apply(scores, lengths, trans, start, end)
    return total


def path_score(
    scores: Tensor, tags: Tensor, lengths: Tensor, trans: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    """The score of given tag sequences.

    Args:
        scores, lengths, trans, start, end: as for :func:`log_partition`.
        tags: ``(T, B)``, anything beyond the sentences' ends.

    Returns:
        ``(B,)``.
    """
    steps = torch.arange(len(scores), device=scores.device).unsqueeze(1)
    inside = steps < lengths
    here = scores.gather(2, tags.unsqueeze(2)).squeeze(2)
    total = (here * inside).sum(0)
    moves = trans[tags[:-1], tags[1:]]
    total = total + (moves * inside[1:]).sum(0)
    last = tags.gather(0, (lengths - 1).unsqueeze(0)).squeeze(0)
    return total + start[tags[0]] + end[last]
