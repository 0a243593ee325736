import torch
from torch import nn, optim
import torch.nn.functional as F

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self, sizes, n_cont):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(a, b) for a, b in sizes])
        self.drop = nn.Dropout(0.1)
        n = sum(b for _, b in sizes) + n_cont
        self.layers = nn.Sequential(nn.Linear(n, 16), nn.ReLU(), nn.BatchNorm1d(16), nn.Linear(16, 1))

    def forward(self, c, x):
        e = self.drop(torch.cat([m(c[:, i]) for i, m in enumerate(self.embeds)], 1))
        return self.layers(torch.cat([e, x], 1)).squeeze(1)


rows = []
for r in torch.rand(400, 6).tolist():
    age, hours, town = 18 + int(r[0] * 50), 10 + int(r[1] * 40), int(r[2] * 3)
    score = age * 0.03 + hours * 0.05 + (0.8 if town == 1 else 0.0) + (0.7 if r[3] < 0.5 else 0.0)
    rows.append((None if r[5] < 0.1 else age, hours, ["Oslo", "Rome", "Lima"][town], "high" if r[3] < 0.5 else "basic", int(score + r[4] > 3.6)))


def median(xs):
    xs = sorted(x for x in xs if x is not None)
    return (xs[(len(xs) - 1) // 2] + xs[len(xs) // 2]) / 2


print("{age: i64, hours: i64, town: text, school: text, well: i64}", sum(r[0] is None for r in rows))
groups = {t: [r for r in rows if r[2] == t] for t in ["Lima", "Oslo", "Rome"]}
cells = [(t, str(sum(r[4] for r in g) / len(g)), str(float(median([r[0] for r in g])))) for t, g in groups.items()]
w = [max(len(c[k]) for c in cells) for k in (1, 2)]
print(f"   town  {'well':>{w[0]}}  {'age':>{w[1]}}")
for i, (t, a, b) in enumerate(cells):
    print(f"{i}  {t}  {a:>{w[0]}}  {b:>{w[1]}}")
train, test = rows[:300], rows[300:]
middle = median([r[0] for r in train])


def tensors(part):
    cont = torch.tensor([[middle if r[0] is None else r[0], r[1]] for r in part], dtype=torch.double)
    cat = torch.tensor([[["Lima", "Oslo", "Rome"].index(r[2]), ["basic", "high"].index(r[3])] for r in part])
    return cat, cont, torch.tensor([float(r[4]) for r in part])


c, x, y = tensors(train)
mean, std = x.mean(0), x.std(0, unbiased=False)
tc, tx, ty = tensors(test)
x, tx = ((x - mean) / std).float(), ((tx - mean) / std).float()
print("[[Lima, Oslo, Rome], [basic, high]]", list(c.shape), list(x.shape))
model = Model([(3, 2), (2, 1)], 2)
opt = optim.AdamW(model.parameters(), lr=0.02)
for ep in range(1, 7):
    model.train()
    for b in torch.randperm(len(train)).split(50):
        opt.zero_grad()
        F.binary_cross_entropy_with_logits(model(c[b], x[b]), y[b]).backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        o = model(tc, tx)
        if ep % 2 == 0:
            print(f"epoch {ep}: {F.binary_cross_entropy_with_logits(o, ty).item():.4f}, {(o > 0).float().eq(ty).sum().item()}/{len(test)}")
