"""Borders, enlarging, patches and normalization of images against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded


@pytest.mark.parametrize(
    "called",
    [
        "nn.ConstantPad2d(1, 3.5)(images)[0, 0]",
        "nn.Upsample(scale_factor=2)(images)[0, 0]",
        "(nn.Upsample(scale_factor=(2, 3)), nn.Upsample(4, mode='bilinear'))",
        "nn.Fold((4, 5), 3, padding=1, stride=2)(torch.ones(1, 18, 6))",
        "nn.MaxPool1d(3, 2, 1, return_indices=True)(rows)[1]",
    ],
)
def test_images(called: str) -> None:
    agree(f"found = {called}\nprint(found)")


@pytest.mark.slow
@pytest.mark.parametrize(
    "called",
    [
        "F.interpolate(images, scale_factor=1.5, mode='bilinear', align_corners=True)",
        "F.interpolate(rows, scale_factor=1.7, mode='linear')",
        "F.max_pool3d(images, 2)",
        "nn.ConvTranspose3d(2, 1, 2, stride=2)(images)",
    ],
)
def test_gradients(called: str) -> None:
    source = "rows" if "rows" in called else "images"
    agree(f"found = {called}\nprint(found[0])\n(found**2).sum().backward()\nprint({source}.grad[0])")


@pytest.mark.parametrize(
    "called",
    [
        "nn.ReflectionPad2d(6)(images)",
        "nn.ReflectionPad1d(1)(images)",
        "F.pad(images, (1, 1), mode='mirror')",
        "F.interpolate(images)",
        "F.interpolate(images, size=3, scale_factor=2)",
        "F.interpolate(images, size=3, align_corners=True)",
        "F.unfold(images, 9)",
        "F.fold(rows, (4, 5), (2, 2))",
        "F.max_pool3d(images, 9)",
        "F.max_pool3d(images, (2, 2))",
        "nn.Conv3d(1, 1, 2)(images[0])",
    ],
)
def test_what_does_not_fit(called: str) -> None:
    agree(guarded(called))
