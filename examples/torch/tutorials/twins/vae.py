import gzip
import os
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc21, self.fc22 = nn.Linear(64, 40), nn.Linear(40, 6), nn.Linear(40, 6)
        self.fc3, self.fc4 = nn.Linear(6, 40), nn.Linear(40, 64)

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        h = F.relu(self.fc1(x.view(-1, 64)))
        mu, logvar = self.fc21(h), self.fc22(h)
        std = torch.exp(0.5 * logvar)
        return self.decode(mu + torch.randn_like(std) * std), mu, logvar


def loss_function(r, x, mu, logvar):
    bce = F.binary_cross_entropy(r, x.view(-1, 64), reduction="sum")
    return bce - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())


path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../lib/data/digits.csv.gz")
rows = torch.tensor([[int(n) for n in line.split(",")] for line in gzip.open(path, "rt")])
images, labels = rows[:, :64].float().view(-1, 8, 8) / 16.0, rows[:, 64]
train = DataLoader(TensorDataset(images[:800], labels[:800]), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(images[800:1000], labels[800:1000]), batch_size=64)
model = VAE()
opt = optim.Adam(model.parameters(), lr=1e-3)
for ep in range(1, 6):
    total = other = 0.0
    for x, _ in train:
        opt.zero_grad()
        loss = loss_function(*(lambda r: (r[0], x, r[1], r[2]))(model(x)))
        loss.backward()
        total += loss.item()
        opt.step()
    with torch.no_grad():
        for x, _ in test:
            r, mu, logvar = model(x)
            other += loss_function(r, x, mu, logvar).item()
    print(f"====> Epoch: {ep} average loss: {total / 800:.3f} test: {other / 200:.3f}")
with torch.no_grad():
    s = model.decode(torch.randn(4, 6))
    print(list(s.shape), f"{s.mean().item():.4f}")
    for row in (s[0].view(8, 8) * 9.99).long().tolist():
        print("".join(str(n) for n in row))
