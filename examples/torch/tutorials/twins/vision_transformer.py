import gzip
import os
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.qkv, self.proj = h, nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.h, c // self.h).permute(2, 0, 3, 1, 4)
        return self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, c))


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.n1, self.a, self.n2 = nn.LayerNorm(d), Attention(d, h), nn.LayerNorm(d)
        self.m = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        x = x + self.a(self.n1(x))
        return x + self.m(self.n2(x))


class ViT(nn.Module):
    def __init__(self, d, depth, h):
        super().__init__()
        self.e = nn.Conv2d(1, d, kernel_size=2, stride=2)
        self.cls = nn.Parameter(torch.randn(1, 1, d) * 0.02)
        self.pos = nn.Parameter(torch.randn(1, 17, d) * 0.02)
        self.blocks = nn.Sequential(*[Block(d, h) for _ in range(depth)])
        self.n, self.head = nn.LayerNorm(d), nn.Linear(d, 10)

    def forward(self, x):
        p = self.e(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), p], dim=1) + self.pos
        return self.head(self.n(self.blocks(x))[:, 0])


path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../lib/data/digits.csv.gz")
rows = torch.tensor([[int(n) for n in line.split(",")] for line in gzip.open(path, "rt")])
images, labels = rows[:, :64].float().view(-1, 1, 8, 8) / 8.0 - 1.0, rows[:, 64]
loader = DataLoader(TensorDataset(images[:480], labels[:480]), batch_size=48, shuffle=True)
model = ViT(24, 2, 3)
print(sum(p.numel() for p in model.parameters()), "parameters")
opt = optim.AdamW(model.parameters(), lr=0.004, weight_decay=0.01)
sched = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=5)
for ep in range(1, 6):
    total = 0.0
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y, label_smoothing=0.05)
        loss.backward()
        opt.step()
        total += loss.item()
    sched.step()
    with torch.no_grad():
        right = model(images[1000:1200]).argmax(1).eq(labels[1000:1200]).sum().item()
        print(f"epoch {ep}: loss {total / len(loader):.3f}, {right}/200")
