#!/usr/bin/env python3
"""Writes losses.txt beside this file: the first weights of XOR's network and its 500 losses in PyTorch 2.11, from the seed of `losses.spl`."""
import pathlib

import torch

torch.manual_seed(42)
layers = [torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1), torch.nn.Sigmoid()]
model = torch.nn.Sequential(*layers)
inputs = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
targets = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
lines = [" ".join(repr(value) for parameter in model.parameters() for value in parameter.flatten().tolist())]
for _ in range(500):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    lines.append(repr(loss.item()))
pathlib.Path(__file__).with_name("losses.txt").write_text("\n".join(lines) + "\n")
