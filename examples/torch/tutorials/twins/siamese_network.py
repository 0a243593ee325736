import gzip
import os
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.fc = nn.Linear(32, 16)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        return self.fc(F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1))


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.fc = nn.Sequential(nn.Linear(32, 16), nn.ReLU(inplace=True), nn.Linear(16, 1))

    def forward(self, a, b):
        return torch.sigmoid(self.fc(torch.cat((self.encoder(a), self.encoder(b)), 1)))


class Pairs(Dataset):
    def __init__(self, images, labels):
        self.images, self.labels = images, labels
        self.by = [[i for i, l in enumerate(labels) if l == k] for k in range(10)]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        same = i % 2 == 0
        others = self.by[self.labels[i]] if same else self.by[(self.labels[i] + 1 + torch.randint(0, 9, (1,)).item()) % 10]
        other = others[torch.randint(0, len(others), (1,)).item()]
        return torch.stack([self.images[i], self.images[other]]), torch.tensor(1.0 if same else 0.0)


path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../lib/data/digits.csv.gz")
rows = torch.tensor([[int(n) for n in line.split(",")] for line in gzip.open(path, "rt")])
images, labels = rows[:, :64].float().view(-1, 1, 8, 8) / 16.0, rows[:, 64].tolist()
train, test = Pairs(images[:600], labels[:600]), Pairs(images[600:900], labels[600:900])
model = Siamese()
opt = optim.Adadelta(model.parameters(), lr=1.0)
sched = optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.9)
crit = nn.BCELoss()
for ep in range(1, 5):
    total, loader = 0.0, DataLoader(train, batch_size=50, shuffle=True)
    for pair, target in loader:
        opt.zero_grad()
        loss = crit(model(pair[:, 0], pair[:, 1]).squeeze(1), target)
        loss.backward()
        opt.step()
        total += loss.item()
    correct = 0
    with torch.no_grad():
        for pair, target in DataLoader(test, batch_size=100):
            correct += (model(pair[:, 0], pair[:, 1]).squeeze(1) > 0.5).float().eq(target).sum().item()
    sched.step()
    print(ep, f"loss {total / len(loader):.3f}", f"correct {correct}/{len(test)}")
torch.manual_seed(1)
encoder, triplet = Encoder(), nn.TripletMarginLoss(margin=1.0)
adam = optim.Adam(encoder.parameters(), lr=0.002)
for step in range(20):
    rows = torch.randint(0, 600, (40,)).tolist()
    pos = [train.by[labels[i]][i % 20] for i in rows]
    neg = [train.by[(labels[i] + 1 + i % 9) % 10][i % 20] for i in rows]
    adam.zero_grad()
    loss = triplet(encoder(images[rows]), encoder(images[pos]), encoder(images[neg]))
    loss.backward()
    adam.step()
    if step % 10 == 9:
        print(step, f"{loss.item():.3f}")
