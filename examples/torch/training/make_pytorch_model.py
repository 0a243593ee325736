#!/usr/bin/env python3
"""The Python side of load_from_pytorch.spl: trains a small network on the digits that Simple carries, and writes it as PyTorch does.

    python3 make_pytorch_model.py                  writes data/digits_net.safetensors and data/digits_net.pth
    python3 make_pytorch_model.py --check FILE     reads the file that load_from_pytorch.spl wrote, and compares its outputs with PyTorch's

Needs torch, numpy and safetensors.
"""
import gzip
import pathlib
import sys

import numpy
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent
DIGITS = HERE.parents[2] / "lib/data/digits.csv.gz"


class DigitsNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.fc = nn.Linear(8 * 4 * 4, 10)

    def forward(self, x):
        return self.fc(nn.functional.max_pool2d(self.norm(self.conv(x)).relu(), 2).flatten(1))


def digits():
    """Pictures [1797, 1, 8, 8] from 0 to 1, and their classes."""
    rows = torch.from_numpy(numpy.loadtxt(gzip.open(DIGITS, "rt"), delimiter=","))
    return (rows[:, :64].float() / 16).reshape(-1, 1, 8, 8), rows[:, 64].long()


def train(model, images, labels, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(epochs):
        for places in torch.randperm(len(labels)).split(64):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images[places]), labels[places]).backward()
            optimizer.step()
    model.eval()


def make():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    images, labels = digits()
    model = DigitsNet()
    train(model, images[:1500], labels[:1500], epochs=1)
    with torch.no_grad():
        accuracy = (model(images[1500:]).argmax(1) == labels[1500:]).double().mean().item()
        inputs = images[1500:1516].clone()
        outputs = model(inputs)
    state = model.state_dict()
    save_file(state, HERE / "data/digits_net.safetensors", metadata={"made by": f"PyTorch {torch.__version__.split('+')[0]}"})
    torch.save({"epochs": 1, "accuracy": accuracy, "model": state, "inputs": inputs, "outputs": outputs}, HERE / "data/digits_net.pth")
    print(f"accuracy {accuracy:.2%} on the last {len(labels) - 1500} digits")


def check(path):
    tensors = load_file(path)
    inputs, stored = tensors.pop("inputs"), tensors.pop("outputs")
    model = DigitsNet()
    model.load_state_dict(tensors)
    model.eval()
    with torch.no_grad():
        difference = (model(inputs) - stored).abs().max().item()
        images, labels = digits()
        accuracy = (model(images[1500:]).argmax(1) == labels[1500:]).double().mean().item()
    with safe_open(path, "pt") as file:
        notes = file.metadata()
    print(f"{len(tensors)} tensors, made by {notes['made by']}")
    print(f"outputs differ by at most {difference:g}; accuracy {accuracy:.2%}, in Simple {notes['accuracy']}")
    if not difference < 1e-4 or f"{accuracy:.2%}" != notes["accuracy"]:
        sys.exit("the outputs are not those of the file")


if sys.argv[1:2] == ["--check"]:
    check(sys.argv[2])
else:
    make()
