import copy, torch
from torch import nn, optim
from torch.optim import lr_scheduler
from torch.utils.data import TensorDataset, DataLoader
torch.manual_seed(0)
class B(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(inplace=True), nn.Linear(32, 32), nn.ReLU(True))
        self.fc = nn.Linear(32, 4)
    def forward(self, x): return self.fc(self.features(x))
def task(n, c, mix): x = torch.randn(n, 10); return TensorDataset(x, (x @ mix[:, :c]).tanh().argmax(1))
def fit(m, crit, opt, sch, ld, n):
    best, acc = copy.deepcopy(m.state_dict()), 0.0
    for e in range(n):
        for ph in ("train", "val"):
            m.train(ph == "train"); l = c = s = 0
            for x, y in ld[ph]:
                opt.zero_grad()
                with torch.set_grad_enabled(ph == "train"):
                    o = m(x); loss = crit(o, y)
                    if ph == "train": loss.backward(); opt.step()
                    l += loss.item() * len(x); c += (o.argmax(1) == y).sum().item(); s += len(x)
            if ph == "train": sch.step()
            elif e % 3 == 2: print(e, f"{l / s:.4f}", f"{c / s:.3f}", f"lr {sch.get_last_lr()[0]:.5f}")
            if ph == "val" and c / s > acc: acc = c / s; best = copy.deepcopy(m.state_dict())
    m.load_state_dict(best); print(f"Best val Acc: {acc:.3f}")
mix = torch.randn(10, 4); crit = nn.CrossEntropyLoss()
src = {"train": DataLoader(task(256, 4, mix), batch_size=32, shuffle=True), "val": DataLoader(task(128, 4, mix), batch_size=64)}
tgt = {"train": DataLoader(task(48, 2, mix), batch_size=16, shuffle=True), "val": DataLoader(task(128, 2, mix), batch_size=64)}
m = B(); o = optim.SGD(m.parameters(), lr=0.05, momentum=0.9); fit(m, crit, o, lr_scheduler.StepLR(o, 4, 0.5), src, 9)
for p in m.parameters(): p.requires_grad = False
m.fc = nn.Linear(m.fc.in_features, 2); print(sum(p.requires_grad for p in m.parameters()), "of", len(list(m.parameters())), "parameters are trained")
o = optim.SGD(m.fc.parameters(), lr=0.05, momentum=0.9); fit(m, crit, o, lr_scheduler.StepLR(o, 4, 0.5), tgt, 6)
m.requires_grad_(True); o = optim.SGD(m.parameters(), lr=0.01); fit(m, crit, o, lr_scheduler.StepLR(o, 4), tgt, 3)
