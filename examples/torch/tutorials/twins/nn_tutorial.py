import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader
torch.manual_seed(3)
def pictures(n):
    y = torch.randint(0, 4, (n,)); x = torch.randn(n, 1, 8, 8) * 0.5
    for i in range(n):
        r, c = y[i].item() // 2 * 4, y[i].item() % 2 * 4; x[i, 0, r:r + 4, c:c + 4] += 1.0
    return x.view(n, 64), y
lsm = lambda x: x - x.exp().sum(-1).log().unsqueeze(-1)
nll = lambda i, t: -i[range(t.shape[0]), t].mean()
acc = lambda o, y: (o.argmax(1) == y).float().mean().item()
class Lambda(nn.Module):
    def __init__(self, f): super().__init__(); self.f = f
    def forward(self, x): return self.f(x)
xt, yt = pictures(256); xv, yv = pictures(64)
w = (torch.randn(64, 4) / 8.0).requires_grad_(); b = torch.zeros(4, requires_grad=True)
for e in range(2):
    for i in range(8):
        xb, yb = xt[i * 32:(i + 1) * 32], yt[i * 32:(i + 1) * 32]; nll(lsm(xb @ w + b), yb).backward()
        with torch.no_grad(): w -= w.grad * 0.1; b -= b.grad * 0.1; w.grad.zero_(); b.grad.zero_()
o = lsm(xv @ w + b); print(f"by hand {nll(o, yv).item():.4f} {acc(o, yv):.3f}")
td = DataLoader(TensorDataset(xt, yt), batch_size=32, shuffle=True); vd = DataLoader(TensorDataset(xv, yv), batch_size=64)
m = nn.Sequential(Lambda(lambda x: x.view(-1, 1, 8, 8)), nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(),
    nn.Conv2d(8, 4, 3, stride=2, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), Lambda(lambda x: x.view(x.size(0), -1)))
opt = optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
for e in range(6):
    m.train()
    for xb, yb in td: F.cross_entropy(m(xb), yb).backward(); opt.step(); opt.zero_grad()
    m.eval()
    with torch.no_grad(): ps = [(F.cross_entropy(m(xb), yb).item(), len(xb)) for xb, yb in vd]
    print(e, f"{sum(l * n for l, n in ps) / sum(n for _, n in ps):.4f}")
print(f"convolutions {acc(m(xv), yv):.3f}")
