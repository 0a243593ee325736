"""What the programs on digits share: MNIST-shaped IDX files, plain or with `.gz`, and the loss and accuracy of a model on them."""
import gzip
import pathlib

import numpy
import torch
from torch import nn
from torch.utils.data import TensorDataset


def read(folder, name):
    path = pathlib.Path(folder) / name
    data = path.read_bytes() if path.exists() else gzip.decompress(path.with_name(name + ".gz").read_bytes())
    rank = data[3]
    sizes = numpy.frombuffer(data, ">i4", rank, 4)
    return torch.from_numpy(numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * rank).reshape(sizes).copy())


def pictures(folder, part):
    """`part` is "train" or "t10k": pictures [count, 1, 28, 28] from 0 to 1, and their classes."""
    images = read(folder, f"{part}-images-idx3-ubyte").unsqueeze(1).float() / 255
    return TensorDataset(images, read(folder, f"{part}-labels-idx1-ubyte").long())


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
