import gzip
import os
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)


class Net(nn.Module):
    def both(self, x):
        f = torch.flatten(self.features(x), 1)
        return self.classifier(f), f

    def forward(self, x):
        return self.both(x)[0]


class Deep(Net):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.classifier = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 10))


class Light(Net):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(4, 4, 3, padding=1), nn.ReLU(),
                                      nn.MaxPool2d(2, 2))
        self.classifier = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 10))
        self.regressor = nn.Linear(16, 256)


def correct(m):
    m.eval()
    with torch.no_grad():
        return m(images[1000:1300]).argmax(1).eq(labels[1000:1300]).sum().item()


path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../lib/data/digits.csv.gz")
rows = torch.tensor([[int(n) for n in line.split(",")] for line in gzip.open(path, "rt")])
images, labels = rows[:, :64].float().view(-1, 1, 8, 8) / 16.0, rows[:, 64]
data, ce = TensorDataset(images[:400], labels[:400]), nn.CrossEntropyLoss()
teacher = Deep()
opt = optim.Adam(teacher.parameters(), lr=0.003)
for _ in range(5):
    teacher.train()
    for x, y in DataLoader(data, batch_size=40, shuffle=True):
        opt.zero_grad()
        ce(teacher(x), y).backward()
        opt.step()
print(f"teacher: {sum(p.numel() for p in teacher.parameters())} parameters, {correct(teacher)}/300")
for way in ["labels", "soft targets", "cosine", "regressor"]:
    torch.manual_seed(1)
    student = Light()
    opt = optim.Adam(student.parameters(), lr=0.01)
    for _ in range(5):
        student.train()
        for x, y in DataLoader(data, batch_size=40, shuffle=True):
            opt.zero_grad()
            with torch.no_grad():
                tl, tf = teacher.both(x)
            out, h = student.both(x)
            loss = ce(out, y)
            if way == "soft targets":
                st, sp = F.softmax(tl / 2, dim=-1), F.log_softmax(out / 2, dim=-1)
                loss = 0.25 * (torch.sum(st * (st.log() - sp)) / x.size(0) * 4) + 0.75 * loss
            elif way == "cosine":
                pooled = F.avg_pool1d(tf.unsqueeze(1), 16).squeeze(1)
                loss = 0.25 * nn.CosineEmbeddingLoss()(h, pooled, torch.ones(x.size(0))) + 0.75 * loss
            elif way == "regressor":
                loss = 0.25 * F.mse_loss(student.regressor(h), tf) + 0.75 * loss
            loss.backward()
            opt.step()
    print(f"student by {way}: {loss.item():.3f}, {correct(student)}/300")
