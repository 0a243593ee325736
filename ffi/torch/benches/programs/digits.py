"""What the programs on digits share: MNIST-shaped IDX files, plain or with `.gz`, the steps of training, and the loss and accuracy of a model."""
import gzip
import pathlib

import numpy
import torch
from torch import nn
from torch.utils.data import TensorDataset


def read(folder, name):
    """A file of MNIST's form as a tensor of u8."""
    path = pathlib.Path(folder) / name
    data = path.read_bytes() if path.exists() else gzip.decompress(path.with_name(name + ".gz").read_bytes())
    rank = data[3]
    sizes = numpy.frombuffer(data, ">i4", rank, 4)
    return torch.from_numpy(numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * rank).reshape(sizes).copy())


def pictures(folder, part):
    """`part` is "train" or "t10k": pictures [count, 1, 28, 28] from 0 to 1, and their classes."""
    images = read(folder, f"{part}-images-idx3-ubyte").unsqueeze(1).float() / 255
    return TensorDataset(images, read(folder, f"{part}-labels-idx1-ubyte").long())


def rows(folder, part):
    """The same pictures as rows [count, 784]."""
    images, labels = pictures(folder, part).tensors
    return TensorDataset(images.flatten(1), labels)


def steps(model, loader, optimizer, schedule=None):
    """Trains one epoch. Yields the loss of each step, how many of its pictures were right, and how many there were."""
    model.train()
    for images, labels in loader:
        optimizer.zero_grad()
        outputs = model(images)
        loss = nn.functional.cross_entropy(outputs, labels)
        loss.backward()
        optimizer.step()
        if schedule:
            schedule.step()
        yield loss.item(), (outputs.argmax(1) == labels).sum().item(), len(labels)


def train_epoch(model, loader, optimizer, schedule=None):
    """Trains one epoch; its mean loss and accuracy."""
    losses, right, counts = zip(*steps(model, loader, optimizer, schedule))
    total = sum(loss * count for loss, count in zip(losses, counts))
    return total / sum(counts), sum(right) / sum(counts)


@torch.no_grad()
def evaluate(model, loader):
    """Mean loss and accuracy. A loader also draws a number from the default generator, as `DataLoader` does in Simple."""
    model.eval()
    total, right, count = 0.0, 0, 0
    for images, labels in loader:
        outputs = model(images)
        total += nn.functional.cross_entropy(outputs, labels).item() * len(labels)
        right += (outputs.argmax(1) == labels).sum().item()
        count += len(labels)
    return total / count, right / count
