#!/usr/bin/env python3
"""examples/torch/training/xor_pytorch.spl in Python, from the same seeds, with the same prints."""
import time

import torch
from torch import nn

EPOCHS = 500


def network():
    return nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 1), nn.Sigmoid())


def train(model, inputs, targets):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    losses = []
    for epoch in range(1, EPOCHS + 1):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if epoch == 1 or epoch % 100 == 0:
            print(f"  epoch {epoch:>3}: loss {losses[-1]:.6f}")
    return losses


def main():
    print("=== XOR Training with PyTorch (configured: cpu) ===")
    inputs = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    targets = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    torch.manual_seed(42)
    model = network()
    count = sum(parameter.numel() for parameter in model.parameters())
    print("Network")
    print(f"  2 inputs -> 8 ReLU -> 4 ReLU -> 1 Sigmoid: {count} parameters, f32 on {inputs.device}")
    print("Training")
    print(f"  SGD, learning rate 0.5, momentum 0.9; mean squared error; {EPOCHS} epochs of 4 examples")
    start = time.perf_counter()
    losses = train(model, inputs, targets)
    for seed in range(43, 50):
        if losses[-1] < 0.01:
            break
        print(f"  stuck; once more from seed {seed}")
        torch.manual_seed(seed)
        model = network()
        losses = train(model, inputs, targets)
    print(f"  {(time.perf_counter() - start) * 1000:.0f} ms")
    print("Results")
    with torch.no_grad():
        outputs = model(inputs)
    for (a, b), number in zip([(0, 0), (0, 1), (1, 0), (1, 1)], outputs.flatten().tolist()):
        print(f"  [{a}, {b}] -> {number:.4f}, rounded {number:.0f}, expected {a ^ b}")
    right = ((outputs > 0.5) == (targets > 0.5)).double().mean().item()
    print(f"  final loss {losses[-1]:.6f}, accuracy {right:.0%}")


main()
