#!/usr/bin/env python3
"""examples/torch/training/mnist_classifier.spl in Python, on the same files, from the same seeds: `mnist_classifier.py FOLDER [EPOCHS]`.

FOLDER holds MNIST-shaped IDX files, such as `target/digits_12000`, which the example makes.
"""
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from digits import evaluate, pictures


def rows(folder, part):
    images, labels = pictures(folder, part).tensors
    return TensorDataset(images.flatten(1), labels)


def main():
    folder, epochs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    torch.manual_seed(42)
    train, test = rows(folder, "train"), rows(folder, "t10k")
    model = nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Dropout(0.2), nn.Linear(512, 256), nn.ReLU(), nn.Dropout(0.2),
        nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10),
    )  # fmt: skip
    loader = DataLoader(train, batch_size=128, shuffle=True, generator=torch.Generator().manual_seed(1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001, weight_decay=0.00001, fused=True)
    start = time.perf_counter()
    for epoch in range(epochs):
        model.train()
        total, right = 0.0, 0
        for images, labels in loader:
            optimizer.zero_grad()
            outputs = model(images)
            loss = nn.functional.cross_entropy(outputs, labels)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
            right += (outputs.argmax(1) == labels).sum().item()
        print(f"epoch {epoch + 1}/{epochs}: loss {total / len(train):.4f}, accuracy {right / len(train):.2%}")
    print(f"  {time.perf_counter() - start:.1f} s")
    for name, data in ("train", train), ("test", test):
        loss, accuracy = evaluate(model, DataLoader(data, batch_size=1000))
        print(f"  {name}: loss {loss:.4f}, accuracy {accuracy:.2%}")


main()
