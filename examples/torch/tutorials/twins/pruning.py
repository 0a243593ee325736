import copy
import torch
from torch import nn
import torch.nn.functional as F
import torch.nn.utils.prune as prune

torch.manual_seed(0)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2 = nn.Linear(64, 40), nn.Linear(40, 10)


def zeros(m):
    return f"{100.0 * (m.weight == 0).sum().item() / m.weight.numel():.2f}%"


def names(xs):
    return "[" + ", ".join(xs) + "]"


model = LeNet()
print(names(n for n, _ in model.named_parameters()))
random = copy.deepcopy(model.conv1)
prune.random_unstructured(random, "weight", 0.3)
print(names(random.state_dict()), zeros(random))
by_size = copy.deepcopy(model.conv2)
prune.l1_unstructured(by_size, "weight", 0.4)
print(zeros(by_size), f"{by_size.weight.abs().sum().item():.4f}")
channels = copy.deepcopy(model.conv2)
prune.ln_structured(channels, "weight", amount=0.5, n=2, dim=0)
print(zeros(channels), (channels.weight.flatten(1).abs().sum(1) == 0).sum().item())
again = copy.deepcopy(model.conv2)
prune.l1_unstructured(again, "weight", 0.4)
prune.l1_unstructured(again, "weight", 0.5)
print(zeros(again))
prune.remove(by_size, "weight")
print(names(sorted(by_size.state_dict(), reverse=True)), (by_size.weight == 0).sum().item())
custom = copy.deepcopy(model.fc2)
prune.custom_from_mask(custom, "weight", torch.arange(custom.weight.numel()).view_as(custom.weight) % 2)
print(zeros(custom))
layers = [model.conv1, model.conv2, model.fc1, model.fc2]
prune.global_unstructured([(m, "weight") for m in layers], pruning_method=prune.L1Unstructured, amount=0.2)
for m in layers:
    print(zeros(m))
print(sum((m.weight == 0).sum().item() for m in layers), sum(m.weight.numel() for m in layers))
print(list(layers[0](torch.ones(2, 1, 20, 20)).shape))
