"""Losses with margins, and bags of embeddings, against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded

START = "many = torch.tensor([[2, 0, -1], [1, -1, 0], [-1, 0, 1], [0, 1, 2]])\n"


@pytest.mark.parametrize(
    "called",
    [
        "nn.MultiMarginLoss()(x, y)",
        "F.multi_margin_loss(x, y, p=2, margin=0.5, weight=torch.tensor([1., 2., 3.]), reduction='sum')",
        "F.multi_margin_loss(x[0], torch.tensor(2))",
        "nn.MultiLabelMarginLoss()(x, many)",
        "F.multilabel_margin_loss(x[0], many[0])",
        "F.multilabel_margin_loss(x, torch.tensor([[2, 2, -1], [0, 0, 0], [-1, 1, 1], [1, 2, 1]]), reduction='sum')",
        "nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(1), swap=True)(x, t, t + 1)",
        "nn.Embedding.from_pretrained(x.detach(), freeze=False)(y).sum()",
        "nn.EmbeddingBag(4, 2, mode='max')(y, torch.tensor([0, 1])).sum()",
        "F.embedding_bag(y, x, torch.tensor([0, 0, 3]), mode='mean', padding_idx=1).sum()",
        "F.embedding_bag(y, x, torch.tensor([0, 2]), mode='sum', per_sample_weights=t[:, 0]).sum()",
        "nn.Embedding(4, 3, max_norm=1.0)(y).sum()",
    ],
)
def test_losses(called: str) -> None:
    agree(START + f"found = {called}\nprint(found)\nfound.backward()\nprint(x.grad)")


@pytest.mark.parametrize(
    "called",
    [
        "print(nn.MultiMarginLoss(), nn.TripletMarginWithDistanceLoss(), nn.EmbeddingBag(5, 2, padding_idx=1))",
        "print(nn.Embedding(4, 3, padding_idx=-1, max_norm=2.0), nn.Embedding(2, 2).weight)",
        "F.multi_margin_loss(x, y[:1])",
        "F.multi_margin_loss(x, y + 3)",
        "F.multi_margin_loss(x, y, p=3)",
        "nn.EmbeddingBag(4, 2)(y)",
        "nn.EmbeddingBag(2, 2)(y, torch.tensor([0, 2]))",
        "nn.Embedding.from_pretrained(torch.ones(3))",
    ],
)
def test_texts(called: str) -> None:
    agree(START + guarded(called))
