#!/usr/bin/env python3
"""The Python side of the step benchmarks: `peer.py WORKLOAD [--device DEVICE] [--compile]` prints the microseconds of one step.

Before, it prints on which device its tensors are. The workloads are those of peer.cpp, peer.rs and WORKLOAD.spl: same shapes, same optimizer, same number of steps, two threads or `OMP_NUM_THREADS`. Each side
first takes some steps that are not timed. Tensors are made with `device=`: `torch.set_default_device` would put a Python function around every call of
torch, and optimizers have `fused=True`, which is the fastest that PyTorch has without compiling. With `--compile` the model and its loss go through
`torch.compile`, whose own time is not counted. Next: run.py, which runs all sides in turn.
"""
import argparse
import os
import time

import torch
from torch import nn


def wait(device):
    """Returns when the device has done what it was given: a number is copied from it."""
    torch.zeros(1, device=device).item()


def timed(step, device, warm, count):
    """Microseconds of one `step()`."""
    for _ in range(warm):
        step()
    wait(device)
    start = time.perf_counter()
    for _ in range(count):
        step()
    wait(device)
    return (time.perf_counter() - start) / count * 1e6


def trained(model, inputs, targets, loss, optimizer, warm, count):
    """Times training steps of `model`, on the device of `inputs`."""
    forward = compiled(lambda: loss(model(inputs), targets))

    def step():
        optimizer.zero_grad()
        forward().backward()
        optimizer.step()

    return timed(step, inputs.device, warm, count)


def compiled(function):
    """The function through `torch.compile`, where requested."""
    return torch.compile(function) if arguments.compile else function


def add(device):
    a, b = torch.randn(2, 2, device=device), torch.randn(2, 2, device=device)
    return timed(compiled(lambda: a + b), device, 10_000, 200_000)


def xor(device):
    inputs = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], device=device)
    targets = torch.tensor([[0.0], [1.0], [1.0], [0.0]], device=device)
    model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 1), nn.Sigmoid())
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9, fused=True)
    return trained(model, inputs, targets, nn.MSELoss(), optimizer, 200, 2_000)


def mlp(device):
    inputs, targets = torch.randn(128, 784, device=device), torch.randint(0, 10, (128,), device=device)
    model = nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10)
    ).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001, fused=True)
    return trained(model, inputs, targets, nn.CrossEntropyLoss(), optimizer, 20, 200)


def cnn(device):
    inputs, targets = torch.randn(64, 1, 28, 28, device=device), torch.randint(0, 10, (64,), device=device)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 7 * 7, 10),
    ).to(device)  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001, fused=True)
    return trained(model, inputs, targets, nn.CrossEntropyLoss(), optimizer, 10, 100)


class Text(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(64, 128, batch_first=True)
        self.head = nn.Linear(128, 64)

    def forward(self, x):
        output, _ = self.lstm(x)
        return self.head(output).reshape(-1, 64)


def lstm(device):
    inputs, targets = torch.randn(32, 32, 64, device=device), torch.randint(0, 64, (32 * 32,), device=device)
    model = Text().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001, fused=True)
    return trained(model, inputs, targets, nn.CrossEntropyLoss(), optimizer, 10, 100)


if __name__ == "__main__":
    workloads = {"add": add, "xor": xor, "mlp": mlp, "cnn": cnn, "lstm": lstm}
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=workloads)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))
    torch.manual_seed(0)
    print(f"on {torch.zeros(1, device=device).device}")
    print(f"{workloads[arguments.workload](device):.3f}")
