#!/usr/bin/env python3
"""PyTorch's side of `report.sh`: `peer.py PART DEVICE` prints the numbers that the program PART.spl prints.

Parts: `memory` (bytes after each step of a small training), `autocast` (outputs and gradients under autocast). Same seed-free inputs,
same shapes, same order on both sides.
"""
import sys

import torch
from torch import nn


def ramp(*shape, device):
    """Numbers that both sides can make without a random generator."""
    count = 1
    for size in shape:
        count *= size
    return ((torch.arange(count, device=device) * 37 % 101).float() / 101 - 0.5).reshape(shape)


def network(device):
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.copy_(ramp(*parameter.shape, device=device) * 0.2)
    return net


def memory(device):
    """What is allocated and the peak, in bytes, after the model, the batch, a forward pass, a backward pass and a step."""
    cuda = torch.cuda
    figures = lambda: print(cuda.memory_allocated(device), cuda.max_memory_allocated(device))
    net = network(device)
    figures()
    inputs = ramp(256, 64, device=device)
    labels = torch.arange(256, device=device) % 10
    figures()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.001, fused=True)
    loss = nn.functional.cross_entropy(net(inputs), labels)
    figures()
    loss.backward()
    figures()
    optimizer.step()
    figures()


def autocast(device):
    """Sums of outputs and gradients with f16 and bf16."""
    kind = torch.device(device).type
    for dtype in [torch.bfloat16, torch.float16]:
        net = network(device)
        inputs = ramp(256, 64, device=device)
        labels = torch.arange(256, device=device) % 10
        with torch.autocast(kind, dtype):
            outputs = net(inputs)
            loss = nn.functional.cross_entropy(outputs, labels)
        loss.backward()
        print(f"{loss.item():.6f} {outputs.float().abs().sum().item():.3f} {sum(p.grad.abs().sum().item() for p in net.parameters()):.4f}")


if __name__ == "__main__":
    {"memory": memory, "autocast": autocast}[sys.argv[1]](sys.argv[2])
