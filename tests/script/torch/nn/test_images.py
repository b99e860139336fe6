"""Borders, enlarging, patches and normalization of images against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, agree_closely, guarded


@pytest.mark.parametrize(
    "called",
    [
        "nn.ReflectionPad2d(2)(images)[0, 0]",
        "nn.ReflectionPad1d((2, 1))(rows)",
        "nn.ReplicationPad2d((1, 1, 2, 0))(images)[0, 0]",
        "nn.ConstantPad2d(1, 3.5)(images)[0, 0]",
        "nn.ReplicationPad3d(1)(images[None])[0, 0, 0]",
        "F.pad(images, (-1, 1, -1, 1), mode='replicate')[0, 0]",
        "(nn.ZeroPad1d(1), nn.ZeroPad3d(2), nn.ConstantPad1d(2, 3.5), nn.ReflectionPad3d(1))",
        "nn.Conv2d(3, 1, 3, padding=1, padding_mode='reflect')",
        "nn.Upsample(scale_factor=2)(images)[0, 0]",
        "F.interpolate(images, scale_factor=(0.4, 2.3))[0, 0]",
        "(nn.Upsample(scale_factor=(2, 3)), nn.Upsample(4, mode='bilinear'))",
        "F.unfold(images, (2, 3))[0, :, 0]",
        "nn.Unfold(3, padding=1, stride=2)",
        "nn.Fold((4, 5), 3, padding=1, stride=2)(torch.ones(1, 18, 6))",
        "nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1)(images, output_size=(12, 11)).shape",
        "nn.MaxPool2d(2, return_indices=True)(images)[1][0]",
        "nn.MaxPool1d(3, 2, 1, return_indices=True)(rows)[1]",
        "(nn.Conv3d(1, 2, 2, padding=1), nn.ConvTranspose3d(1, 2, 2, stride=2), nn.BatchNorm3d(2))",
    ],
)
def test_images(called: str) -> None:
    agree(f"found = {called}\nprint(found)")


@pytest.mark.slow
@pytest.mark.parametrize(
    "called",
    [
        "F.interpolate(images, 9, mode='bilinear')",
        "F.interpolate(images, scale_factor=1.5, mode='bilinear', align_corners=True)",
        "F.interpolate(rows, scale_factor=1.7, mode='linear')",
        "nn.Conv2d(3, 2, 3, padding='same', padding_mode='replicate')(images)",
        "F.pad(images, (2, 1, 1, 2), mode='reflect')",
        "F.fold(F.unfold(images, 2), 6, 2)",
        "F.max_pool3d(images, 2)",
        "F.avg_pool3d(images, (1, 2, 3), padding=(0, 1, 1))",
        "nn.Conv3d(2, 2, 2, padding=1)(images)",
        "nn.ConvTranspose3d(2, 1, 2, stride=2)(images)",
    ],
)
def test_gradients(called: str) -> None:
    source = "rows" if "rows" in called else "images"
    agree_closely(f"found = {called}\nprint(found[0])\n(found**2).sum().backward()\nprint({source}.grad[0])")


@pytest.mark.parametrize(
    "called",
    [
        "nn.ReflectionPad2d(6)(images)",
        "nn.ReflectionPad1d(1)(images)",
        "nn.ConstantPad2d(1)",
        "F.pad(images, (1, 1), mode='mirror')",
        "F.interpolate(images)",
        "F.interpolate(images, size=3, scale_factor=2)",
        "F.interpolate(images, size=3, align_corners=True)",
        "F.unfold(images, 9)",
        "F.fold(rows, (4, 5), (2, 2))",
        "nn.ConvTranspose2d(3, 4, 3, stride=2)(images, output_size=(99, 99))",
        "F.max_pool3d(images, 9)",
        "F.max_pool3d(images, (2, 2))",
        "nn.Conv3d(1, 1, 2)(images[0])",
    ],
)
def test_what_does_not_fit(called: str) -> None:
    agree(guarded(called))
