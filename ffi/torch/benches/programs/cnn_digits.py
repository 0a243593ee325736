#!/usr/bin/env python3
"""examples/torch/training/cnn_digits.spl in Python, on the same files, from the same seeds: `cnn_digits.py FOLDER [EPOCHS]`.

FOLDER holds MNIST-shaped IDX files, such as `target/digits_6000`, which the example makes.
"""
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from digits import evaluate, pictures, train_epoch


class DigitNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(32)
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout(0.25)
        self.fc1 = nn.Linear(32 * 7 * 7, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        edges = self.pool(self.norm1(self.conv1(x)).relu())
        shapes = self.pool(self.norm2(self.conv2(edges)).relu())
        return self.fc2(self.drop(self.fc1(shapes.flatten(1)).relu()))


def training_of(model, steps):
    """The optimizer and its schedule."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.001, fused=True)
    return optimizer, torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=steps)


def main():
    folder, epochs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4
    torch.manual_seed(42)
    train, test = pictures(folder, "train"), pictures(folder, "t10k")
    model = DigitNet()
    tests = DataLoader(test, batch_size=500)
    loader = DataLoader(train, batch_size=64, shuffle=True, generator=torch.Generator().manual_seed(1))
    optimizer, schedule = training_of(model, epochs * len(loader))
    start = time.perf_counter()
    for epoch in range(epochs):
        loss, accuracy = train_epoch(model, loader, optimizer, schedule)
        test_loss, test_accuracy = evaluate(model, tests)
        print(f"epoch {epoch + 1}/{epochs}: loss {loss:.4f}, accuracy {accuracy:.2%}, ", end="")
        print(f"validation loss {test_loss:.4f}, accuracy {test_accuracy:.2%}")
    print(f"  {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
