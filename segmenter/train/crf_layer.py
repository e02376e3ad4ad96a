"""The CRF over a network's scores (Lafferty, McCallum and Pereira 2001; Collobert et al. 2011).

Scores are ``(time, sentences, tags)``, sentences of different lengths padded at their ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import Tensor


class _LogPartition(torch.autograd.Function):
    """Forward and backward algorithm; the gradient is the probabilities of tags and transitions.

    Differentiating the recursion step by step gives the same and takes three times as long.
    """

    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, lengths: Tensor, trans: Tensor, start: Tensor, end: Tensor
    ) -> Tensor:
        last = len(scores) - 1
        alphas = torch.empty_like(scores)
        alpha = alphas[0] = scores[0] + start
        for t in range(1, last + 1):
            next_alpha = torch.logsumexp(alpha.unsqueeze(2) + trans, 1) + scores[t]
            alpha = alphas[t] = torch.where((lengths > t).unsqueeze(1), next_alpha, alpha)
        total = torch.logsumexp(alpha + end, 1)
        ctx.save_for_backward(scores, lengths, trans, end, alphas, total)
        return total

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        scores, lengths, trans, end, alphas, total = ctx.saved_tensors
        last = len(scores) - 1
        betas = torch.empty_like(scores)
        beta = betas[last] = end.expand_as(scores[0])
        for t in range(last - 1, -1, -1):
            next_beta = torch.logsumexp(trans + (beta + scores[t + 1]).unsqueeze(1), 2)
            beta = betas[t] = torch.where((lengths > t + 1).unsqueeze(1), next_beta, beta)
        steps = torch.arange(last + 1, device=scores.device).unsqueeze(1)
        weight = ((steps < lengths) * gradient).unsqueeze(2)
        tags = torch.exp(alphas + betas - total.unsqueeze(1)) * weight
        arriving = (scores + betas)[1:].unsqueeze(2)
        moves = alphas[:-1].unsqueeze(3) + trans + arriving - total.view(-1, 1, 1)
        inner_weight = weight[1:].unsqueeze(3)
        # beyond the end of a sentence the sums are meaningless and may be large
        moves = torch.where(inner_weight != 0, torch.exp(moves.clamp(max=1.0)) * inner_weight, 0.0)
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
    is_inside = steps < lengths
    tag_scores = scores.gather(2, tags.unsqueeze(2)).squeeze(2)
    total = (tag_scores * is_inside).sum(0)
    moves = trans[tags[:-1], tags[1:]]
    total = total + (moves * is_inside[1:]).sum(0)
    last_tags = tags.gather(0, (lengths - 1).unsqueeze(0)).squeeze(0)
    return total + start[tags[0]] + end[last_tags]
