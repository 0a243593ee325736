import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader
torch.manual_seed(0); CL = ["plane", "car", "bird"]
class P(Dataset):
    def __init__(self, n):
        self.l = torch.randint(3, (n,)); self.i = 0.3 * torch.randn(n, 3, 16, 16); w = torch.sin(torch.arange(16) * 1.2)
        for i in range(n):
            k = self.l[i].item(); self.i[i, k] += w.unsqueeze(1) if k == 1 else w
    def __len__(self): return len(self.l)
    def __getitem__(self, i): return (self.i[i] - 0.5) / 0.5, self.l[i]
class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.conv1 = nn.Conv2d(3, 6, 5); self.pool = nn.MaxPool2d(2, 2); self.conv2 = nn.Conv2d(6, 8, 3)
        self.fc1 = nn.Linear(32, 24); self.fc2 = nn.Linear(24, 3)
    def forward(self, x):
        x = self.pool(F.relu(self.conv2(self.pool(F.relu(self.conv1(x)))))); return self.fc2(F.relu(self.fc1(torch.flatten(x, 1))))
tr, te = P(200), P(60); tl = DataLoader(tr, batch_size=4, shuffle=True); vl = DataLoader(te, batch_size=4)
net = Net(); crit = nn.CrossEntropyLoss(); opt = optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for e in range(3):
    r = 0.0
    for i, (x, y) in enumerate(tl):
        opt.zero_grad(); loss = crit(net(x), y); loss.backward(); opt.step(); r += loss.item()
        if i % 25 == 24: print(f"[{e + 1}, {i + 1:5d}] loss: {r / 25:.3f}"); r = 0.0
again = Net(); again.load_state_dict(net.state_dict()); again.eval(); c = dict.fromkeys(CL, 0); t = dict.fromkeys(CL, 0)
with torch.no_grad():
    for x, y in vl:
        for a, b in zip(y, again(x).argmax(1)): c[CL[a]] += int(a == b); t[CL[a]] += 1
for n in CL: print(f"Accuracy for class: {n:5s} is {100.0 * c[n] / t[n]:.1f} %")
