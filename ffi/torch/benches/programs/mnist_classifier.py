#!/usr/bin/env python3
"""examples/torch/training/mnist_classifier.spl in Python, on the same files, from the same seeds: `mnist_classifier.py FOLDER [EPOCHS]`.

FOLDER holds MNIST-shaped IDX files, such as `target/digits_12000`, which the example makes.
"""
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import digits
from digits import evaluate, train_epoch

# Of MNIST's training pictures, as in PyTorch's own example.
MEAN, DEVIATION = 0.1307, 0.3081


def rows(folder, part):
    """The pictures as rows of 784 numbers of mean 0 and deviation 1, with their classes."""
    images, labels = digits.rows(folder, part).tensors
    return TensorDataset((images - MEAN) / DEVIATION, labels)


def network(activation=nn.ReLU):
    return nn.Sequential(
        nn.Linear(784, 512), activation(), nn.Dropout(0.2), nn.Linear(512, 256), activation(), nn.Dropout(0.2),
        nn.Linear(256, 128), activation(), nn.Linear(128, 10),
    )  # fmt: skip


def optimizer_of(model, fused=True):
    return torch.optim.Adam(model.parameters(), lr=0.001, weight_decay=0.00001, fused=fused)


def main():
    folder, epochs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    torch.manual_seed(42)
    train, test = rows(folder, "train"), rows(folder, "t10k")
    model = network()
    loader = DataLoader(train, batch_size=128, shuffle=True, generator=torch.Generator().manual_seed(1))
    optimizer = optimizer_of(model)
    start = time.perf_counter()
    for epoch in range(epochs):
        loss, accuracy = train_epoch(model, loader, optimizer)
        print(f"epoch {epoch + 1}/{epochs}: loss {loss:.4f}, accuracy {accuracy:.2%}")
    print(f"  {time.perf_counter() - start:.1f} s")
    for name, data in ("train", train), ("test", test):
        loss, accuracy = evaluate(model, DataLoader(data, batch_size=1000))
        print(f"  {name}: loss {loss:.4f}, accuracy {accuracy:.2%}")


if __name__ == "__main__":
    main()
