import gzip
import os
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2, self.drop = nn.Conv2d(1, 8, 3), nn.Conv2d(8, 12, 3), nn.Dropout2d(0.1)
        self.fc1, self.fc2 = nn.Linear(108, 32), nn.Linear(32, 10)
        self.loc = nn.Sequential(nn.Conv2d(1, 4, 3), nn.MaxPool2d(2, stride=2), nn.ReLU(True), nn.Conv2d(4, 6, 3), nn.ReLU(True))
        self.fc_loc = nn.Sequential(nn.Linear(54, 16), nn.ReLU(True), nn.Linear(16, 6))
        self.fc_loc[2].weight.data.zero_()
        self.fc_loc[2].bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0], dtype=torch.float))

    def stn(self, x):
        theta = self.fc_loc(self.loc(x).view(-1, 54)).view(-1, 2, 3)
        return F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=False), align_corners=False)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(self.stn(x)), 2))
        x = F.relu(self.drop(self.conv2(x))).flatten(1)
        x = F.dropout(F.relu(self.fc1(x)), 0.1, training=self.training)
        return F.log_softmax(self.fc2(x), dim=1)


def shifted(images):
    made = torch.zeros(len(images), 1, 12, 12)
    for i, (y, x) in enumerate(torch.randint(0, 5, (len(images), 2)).tolist()):
        made[i, 0, y:y + 8, x:x + 8] = images[i]
    return made


path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../lib/data/digits.csv.gz")
rows = torch.tensor([[int(n) for n in line.split(",")] for line in gzip.open(path, "rt")])
images, labels = shifted(rows[:700, :64].float().view(-1, 8, 8) / 16.0), rows[:700, 64]
train = DataLoader(TensorDataset(images[:560], labels[:560]), batch_size=56, shuffle=True)
test = DataLoader(TensorDataset(images[560:], labels[560:]), batch_size=70)
model = Net()
opt = optim.Adam(model.parameters(), lr=0.01)
for ep in range(1, 6):
    model.train()
    running = 0.0
    for x, y in train:
        opt.zero_grad()
        loss = F.nll_loss(model(x), y)
        loss.backward()
        opt.step()
        running += loss.item()
    model.eval()
    total, correct = 0.0, 0
    with torch.no_grad():
        for x, y in test:
            out = model(x)
            total += F.nll_loss(out, y, reduction="sum").item()
            correct += out.argmax(1).eq(y).sum().item()
    print(f"{ep}: {running / len(train):.4f}, test {total / 140:.4f}, {correct}/140")
with torch.no_grad():
    moved = model.stn(images[:2])
    print(list(moved.shape), str((moved - images[:2]).abs().max().item() < 1.0).lower())
