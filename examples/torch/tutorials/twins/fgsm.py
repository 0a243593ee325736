import gzip
import os
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2, self.drop = nn.Conv2d(1, 16, 3, 1), nn.Conv2d(16, 16, 3, 1), nn.Dropout(0.25)
        self.fc1, self.fc2 = nn.Linear(64, 32), nn.Linear(32, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv2(F.relu(self.conv1(x)))), 2)
        return F.log_softmax(self.fc2(F.relu(self.fc1(self.drop(torch.flatten(x, 1))))), dim=1)


def test(images, labels, eps):
    correct, examples = 0, []
    for i in range(len(images)):
        x, y = images[i:i + 1].clone().requires_grad_(), labels[i:i + 1]
        out = model(x)
        if out.argmax(1).item() != y.item():
            continue
        model.zero_grad()
        F.nll_loss(out, y).backward()
        p = model(torch.clamp(x.detach() + eps * x.grad.sign(), 0, 1)).argmax(1).item()
        if p == y.item():
            correct += 1
        elif len(examples) < 3:
            examples.append(f"{y.item()} -> {p}")
    return correct / len(images), examples


path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../lib/data/digits.csv.gz")
rows = torch.tensor([[int(n) for n in line.split(",")] for line in gzip.open(path, "rt")])
images, labels = rows[:, :64].float().view(-1, 1, 8, 8) / 16.0, rows[:, 64]
model = Net()
opt = optim.Adam(model.parameters(), lr=0.005)
for _ in range(5):
    for x, y in DataLoader(TensorDataset(images[:800], labels[:800]), batch_size=50, shuffle=True):
        opt.zero_grad()
        F.nll_loss(model(x), y).backward()
        opt.step()
model.eval()
for eps in [0.0, 0.05, 0.1, 0.15, 0.2, 0.3]:
    acc, ex = test(images[1000:1100], labels[1000:1100], eps)
    print(f"Epsilon: {eps} Test Accuracy = {acc:.3f}", "[" + ", ".join(ex) + "]")
