"""How fast does PyTorch learn the networks of train_speed.py? One JSON line, like train_speed_loop.

    train_speed_torch.py lenet|mobilenet <seconds> <threads>

Same shapes, batch, solver and random transformations; pictures of random bytes, all in memory, and the
transformations done for a batch at once.
"""
import json
import sys
import time

import torch
from torch import nn

BATCH = 64


def lenet():
    # The third layer sees all maps: PyTorch has no table of connections.
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, bias=False), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5, bias=False), nn.ReLU(),
        nn.MaxPool2d(2), nn.Conv2d(16, 120, 5, bias=False), nn.ReLU(), nn.Flatten(),
        nn.Linear(120, 84, bias=False), nn.ReLU(), nn.Dropout(0.2), nn.Linear(84, 10, bias=False))


def mobilenet():
    layers = []

    def add(inputs, outputs, kernel, stride=1, groups=1):
        layers.extend([nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
                       nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)])

    add(3, 16, 3)
    channels = 16
    for outputs, stride in [(32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2)] + [(256, 1)] * 5 + [(512, 2), (512, 1)]:
        add(channels, channels, 3, stride, channels)
        add(channels, outputs, 1)
        channels = outputs
    return nn.Sequential(*layers, nn.AvgPool2d(2), nn.Flatten(), nn.Linear(channels, 10))


def padded_digits(pictures):
    return nn.functional.pad(pictures.float() / 255, (2, 2, 2, 2))


def shifted_and_mirrored(pictures):
    out = torch.empty(pictures.shape)
    padded = nn.functional.pad(pictures, (4, 4, 4, 4))
    x, y = torch.randint(9, (2, len(pictures))).tolist()
    mirrored = torch.rand(len(pictures)) < 0.5
    for i, picture in enumerate(padded):
        out[i] = picture[:, y[i]:y[i] + 32, x[i]:x[i] + 32]
    out[mirrored] = out[mirrored].flip(3)
    return out / 255


def measure(name, seconds, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model, size, prepare, rates = {
        "lenet": (lenet(), (54000, 1, 28, 28), padded_digits, dict(lr=0.05)),
        "mobilenet": (mobilenet(), (18000, 3, 32, 32), shifted_and_mirrored, dict(lr=0.05)),
    }[name]
    if name == "mobilenet":
        model = model.to(memory_format=torch.channels_last)
    solver = torch.optim.SGD(model.parameters(), momentum=0.9, weight_decay=0.0005, **rates)
    loss_of = nn.CrossEntropyLoss()
    pictures = torch.randint(256, size, dtype=torch.uint8)
    labels = torch.randint(10, size[:1])
    order = torch.randperm(size[0])

    def run(duration):
        start, done = time.monotonic(), 0
        while time.monotonic() - start < duration:
            at = order[done % (size[0] - BATCH):][:BATCH]
            batch = prepare(pictures[at])
            if name == "mobilenet":
                batch = batch.contiguous(memory_format=torch.channels_last)
            solver.zero_grad()
            loss_of(model(batch), labels[at]).backward()
            solver.step()
            done += BATCH
        return done / (time.monotonic() - start)

    run(seconds / 5)
    return {"images_per_second": run(seconds), "version": torch.__version__}


print(json.dumps(measure(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))))
