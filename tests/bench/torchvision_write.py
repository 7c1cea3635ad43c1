#!/usr/bin/env python3
"""Writes networks of torchvision, and a small Darknet with LeakyReLU, as ONNX files with random weights, and pictures.

For Debian's own interpreter (python3-torchvision); used by torchvision_models.py.

    /usr/bin/python3 tests/bench/torchvision_write.py FOLDER NAME
"""
import struct
import sys
from pathlib import Path

import torch
import torchvision
from torch import nn

SIDE = 224
PICTURES = 24


def darknet():
    """The layers of Tiny Darknet: pairs of 3x3 and 1x1 convolutions with slope 0.1 below zero."""
    layers, channels = [], 3

    def conv(outputs, kernel):
        nonlocal channels
        layers.extend([nn.Conv2d(channels, outputs, kernel, padding=kernel // 2, bias=False),
                       nn.BatchNorm2d(outputs), nn.LeakyReLU(0.1)])
        channels = outputs

    conv(16, 3)
    layers.append(nn.MaxPool2d(2))
    conv(32, 3)
    layers.append(nn.MaxPool2d(2))
    for narrow, wide in ((16, 128), (32, 256), (64, 512)):
        for _ in range(2):
            conv(narrow, 1), conv(wide, 3)
        layers.append(nn.MaxPool2d(2))
    conv(128, 1)
    layers += [nn.Conv2d(128, 1000, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers)


def network(name):
    torch.manual_seed(1)
    if name == "darknet":
        return darknet()
    extra = {"aux_logits": False, "init_weights": True} if name == "googlenet" else {}
    return getattr(torchvision.models, name)(weights=None, **extra)


def lively(net):
    """Statistics of a batch of noise instead of 0 and 1, so that no layer dies out or grows without end."""
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = None
    net.train()
    for module in net.modules():
        if isinstance(module, nn.Dropout):
            module.eval()
    with torch.no_grad():
        for _ in range(2):
            net(torch.randn(4, 3, SIDE, SIDE))
    return net.eval()


def write_pictures(folder):
    """Smooth colours with noise, as BMP files."""
    folder.mkdir(exist_ok=True)
    generator = torch.Generator().manual_seed(2)
    for i in range(PICTURES):
        coarse = torch.rand(1, 3, 7, 7, generator=generator)
        smooth = nn.functional.interpolate(coarse, size=(SIDE, SIDE), mode="bicubic")[0]
        noisy = smooth + 0.1 * torch.randn(3, SIDE, SIDE, generator=generator)
        pixels = (noisy.clamp(0, 1) * 255).byte().permute(1, 2, 0).flip(0).contiguous().numpy().tobytes()
        head = struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54)
        info = struct.pack("<IiiHHIIiiII", 40, SIDE, SIDE, 1, 24, 0, len(pixels), 0, 0, 0, 0)
        (folder / f"{i:02}.bmp").write_bytes(head + info + pixels)


def main():
    folder, name = Path(sys.argv[1]), sys.argv[2]
    write_pictures(folder / "pictures")
    net = lively(network(name))
    torch.onnx.export(net, torch.zeros(1, 3, SIDE, SIDE), str(folder / f"{name}.onnx"), opset_version=14)


main()
